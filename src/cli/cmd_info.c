// cmd_info.c: `tickproof info`: everything a log says about itself. Nothing is simulated; CRCs, chain and signatures are
// checked on the way, and of a damaged log everything before the damage is told.
#include <stdlib.h>
#include <string.h>

#include "args.h"
#include "cli.h"
#include "files.h"
#include "textout.h"

static const char help[] =
    "Usage: tickproof info [--format text|json] FILE...\n"
    "Says what is in a log without running it: rules, provenance, records, keyframes, gaps, seals, end, sizes. A damaged log\n"
    "is told as far as it is good, then what is wrong with it; the exit code is then 3 (corrupt), 4 (truncated) or 8\n"
    "(unauthentic). FILE may be - for standard input.\n"
    "\n"
    "  --format F  text (usual) or json: one object per file, one line each\n";

enum { FLAG_FORMAT = ARGS_LONG, ITEMS_MAX = 4096, ROOT_SIZES = 17, TYPE_COUNT = 11, TEXT_KEYS = 16 };

static const struct option flags[] = {
    { "format", required_argument, NULL, FLAG_FORMAT },
    { "help", no_argument, NULL, ARGS_HELP },
    { NULL, 0, NULL, 0 },
};

static const struct {
    uint32_t    type;
    const char *name;
} types[TYPE_COUNT] = {
    { TP_LOG_IDENT, "ident" }, { TP_LOG_KEY, "key" },   { TP_LOG_TICKS, "ticks" }, { TP_LOG_LEAVES, "leaves" },
    { TP_LOG_FAULT, "fault" }, { TP_LOG_NOTE, "note" }, { TP_LOG_SEAL, "seal" },   { TP_LOG_GAP, "gap" },
    { TP_LOG_RESUME, "resume" }, { TP_LOG_INDEX, "index" }, { TP_LOG_END, "end" },
};

// What one pass over a file gathers. Lists are cut at ITEMS_MAX; the counts are not.
typedef struct {
    const char    *path;
    uint64_t       file_size;   // of the raw log
    uint64_t       sealed_size; // 0: it is raw
    uint64_t       type_counts[TYPE_COUNT], type_bytes[TYPE_COUNT];
    uint64_t       roots[ROOT_SIZES]; // rows by bytes of root
    uint64_t       root_bytes, input_bytes, command_bytes;
    uint64_t       keys[ITEMS_MAX];
    size_t         key_count;
    tp_log_gap     gaps[ITEMS_MAX];
    size_t         gap_count;
    tp_log_resume  resumes[ITEMS_MAX];
    char          *resume_by[ITEMS_MAX]; // who repaired; NULL: the recorder itself went on
    size_t         resume_count;
    char          *notes[ITEMS_MAX];
    uint64_t       note_ticks[ITEMS_MAX];
    size_t         note_count;
    uint64_t       seals, signed_seals, sealed_ticks;
    bool           has_fault;
    uint64_t       fault_tick;
    uint8_t        fault_root[16];
    bool           has_end;
    tp_log_end     end;
    uint8_t        end_chain[32];
    tp_log_status  status;
} Info;

static void take_rows(Info *info, const tp_ident *ident, const tp_log_record *record)
{
    tp_log_rows rows = tp_log_rows_of(ident, record);
    tp_log_row  row;
    while (tp_log_rows_next(&rows, &row)) {
        info->roots[row.root_size < ROOT_SIZES ? row.root_size : 0] += 1;
        info->root_bytes += row.root_size;
        info->input_bytes += (uint64_t)ident->players * ident->input_size;
        info->command_bytes += row.commands_size;
    }
}

static void take_fault(Info *info, const tp_log_record *record)
{
    info->has_fault = true;
    info->fault_tick = record->tick;
    memcpy(info->fault_root, record->payload, 16);
}

static void take_note(Info *info, const tp_log_record *record)
{
    tp_log_note note = tp_log_parse_note(record);
    if (info->note_count < ITEMS_MAX) {
        info->note_ticks[info->note_count] = record->tick;
        info->notes[info->note_count++] = strndup(note.text, note.size);
    }
}

static void take_seal(Info *info, const tp_log_record *record)
{
    tp_log_seal seal = tp_log_parse_seal(record);
    info->seals += 1;
    info->signed_seals += seal.is_signed ? 1 : 0;
    info->sealed_ticks = seal.ticks;
}

// Its provenance lives no longer than the record.
static void take_resume(Info *info, const tp_log_record *record)
{
    tp_log_resume resume = tp_log_parse_resume(record);
    tp_provenance item;
    size_t        offset = 0;
    if (info->resume_count == ITEMS_MAX) {
        return;
    }
    while (tp_provenance_next(resume.provenance, resume.provenance_size, &offset, &item)) {
        if (item.key_size == 8 && memcmp(item.key, "repaired", 8) == 0) {
            info->resume_by[info->resume_count] = strndup(item.value, item.value_size);
        }
    }
    info->resumes[info->resume_count++] = resume;
}

static void take_record(Info *info, const tp_ident *ident, const tp_log_record *record)
{
    for (int i = 0; i < TYPE_COUNT; i++) {
        if (types[i].type == record->type) {
            info->type_counts[i] += 1;
            info->type_bytes[i] += (uint64_t)record->size + TP_LOG_RECORD_HEAD + 4;
        }
    }
    if (record->type == TP_LOG_KEY && info->key_count < ITEMS_MAX) {
        info->keys[info->key_count++] = record->tick;
    } else if (record->type == TP_LOG_TICKS) {
        take_rows(info, ident, record);
    } else if (record->type == TP_LOG_FAULT) {
        take_fault(info, record);
    } else if (record->type == TP_LOG_NOTE) {
        take_note(info, record);
    } else if (record->type == TP_LOG_SEAL) {
        take_seal(info, record);
    } else if (record->type == TP_LOG_GAP && info->gap_count < ITEMS_MAX) {
        info->gaps[info->gap_count++] = tp_log_parse_gap(record);
    } else if (record->type == TP_LOG_RESUME) {
        take_resume(info, record);
    } else if (record->type == TP_LOG_END) {
        info->has_end = true;
        info->end = tp_log_parse_end(record);
    }
}

static void gather(Info *info, tp_reader *reader, tp_log_status status)
{
    tp_log_record record;
    while (status == TP_LOG_OK && (status = tp_reader_next(reader, &record)) == TP_LOG_OK) {
        take_record(info, tp_reader_ident(reader), &record);
    }
    info->status = status;
}

// Tenths, so that no floating point is printed.
static void print_ratio(FILE *out, uint64_t bytes, uint64_t ticks)
{
    uint64_t tenths = ticks == 0 ? 0 : (bytes * 10 + ticks / 2) / ticks;
    fprintf(out, "%llu.%llu", (unsigned long long)(tenths / 10), (unsigned long long)(tenths % 10));
}

static const char *algorithm_name(const tp_ident *ident)
{
    const char *name = tp_hash_algorithm_name(ident->algorithm);
    return name == NULL ? "unknown" : name;
}

static void print_identity(const tp_ident *ident)
{
    uint8_t fingerprint[16];
    tp_hash128_to_bytes(ident->fingerprint, fingerprint);
    printf("  world      %s revision %u, ABI %u, %s state, layout ", ident->world, ident->revision, ident->abi, ident->is_opaque ? "opaque" : "flat");
    textout_hex(stdout, fingerprint, 16);
    printf("\n  match      seed %llu (0x%llx), %u players, %u ticks/s, inputs of %u bytes, hash %s\n", (unsigned long long)ident->seed,
           (unsigned long long)ident->seed, ident->players, ident->tick_rate_hz, ident->input_size, algorithm_name(ident));
    for (uint32_t i = 0; i < ident->config_count; i++) {
        printf("  config     %s = %lld\n", ident->config_names[i], (long long)ident->config_values[i]);
    }
    for (uint32_t i = 0; i < ident->content_count; i++) {
        printf("  content    %s ", ident->content_names[i]);
        textout_hex(stdout, ident->content_hashes[i], 16);
        fputc('\n', stdout);
    }
    if (ident->sequence > 0) {
        printf("  series     file %u, from tick %llu, after ", ident->sequence, (unsigned long long)ident->first_tick);
        textout_hex(stdout, ident->predecessor, TP_LOG_CHAIN_SIZE);
        fputc('\n', stdout);
    }
}

static void print_provenance(const tp_ident *ident)
{
    size_t        offset = 0;
    tp_provenance item;
    while (tp_provenance_next(ident->provenance, ident->provenance_size, &offset, &item)) {
        fputs("  from       ", stdout);
        textout_safe(stdout, item.key, item.key_size);
        fputs(" = ", stdout);
        textout_safe(stdout, item.value, item.value_size);
        fputc('\n', stdout);
    }
}

static void print_records(const Info *info)
{
    for (int i = 0; i < TYPE_COUNT; i++) {
        if (info->type_counts[i] > 0) {
            printf("  records    %-7s %8llu  %12llu bytes\n", types[i].name, (unsigned long long)info->type_counts[i],
                   (unsigned long long)info->type_bytes[i]);
        }
    }
}

static void print_ticks(const Info *info, const tp_reader *reader)
{
    uint64_t ticks = tp_reader_ticks(reader);
    printf("  ticks      %llu recorded, %llu to before %llu\n", (unsigned long long)ticks,
           (unsigned long long)tp_reader_ident(reader)->first_tick, (unsigned long long)tp_reader_next_tick(reader));
    for (int size = ROOT_SIZES - 1; size >= 0; size--) {
        if (info->roots[size] > 0) {
            printf("  roots      %llu of %d bytes\n", (unsigned long long)info->roots[size], size);
        }
    }
    printf("  size       %llu bytes, ", (unsigned long long)info->file_size);
    print_ratio(stdout, info->file_size, ticks);
    fputs(" a tick: inputs ", stdout);
    print_ratio(stdout, info->input_bytes, ticks);
    fputs(", commands ", stdout);
    print_ratio(stdout, info->command_bytes, ticks);
    fputs(", roots ", stdout);
    print_ratio(stdout, info->root_bytes, ticks);
    fputc('\n', stdout);
    if (info->sealed_size > 0) {
        printf("  sealed     %llu bytes, ", (unsigned long long)info->sealed_size);
        print_ratio(stdout, info->sealed_size, ticks);
        fputs(" a tick; offsets here are those of the raw log\n", stdout);
    }
}

static void print_keys(const Info *info, uint64_t count)
{
    fputs("  keyframes  at ticks", stdout);
    for (size_t i = 0; i < info->key_count && i < TEXT_KEYS; i++) {
        printf("%s %llu", i == 0 ? "" : ",", (unsigned long long)info->keys[i]);
    }
    if (count > TEXT_KEYS) {
        printf(" and %llu more", (unsigned long long)(count - TEXT_KEYS));
    }
    fputc('\n', stdout);
}

static void print_incidents(const Info *info)
{
    for (size_t i = 0; i < info->gap_count; i++) {
        printf("  gap        ticks %llu to %llu: %s\n", (unsigned long long)info->gaps[i].first, (unsigned long long)info->gaps[i].last,
               tp_gap_cause_name(info->gaps[i].cause));
    }
    for (size_t i = 0; i < info->resume_count; i++) {
        printf("  resume     epoch %u at tick %llu, %llu bytes were cut off", info->resumes[i].epoch, (unsigned long long)info->resumes[i].next,
               (unsigned long long)info->resumes[i].cut_bytes);
        if (info->resume_by[i] != NULL) {
            fputs("; repaired by ", stdout);
            textout_safe(stdout, info->resume_by[i], strlen(info->resume_by[i]));
        }
        fputc('\n', stdout);
    }
    for (size_t i = 0; i < info->note_count; i++) {
        printf("  note       tick %llu: ", (unsigned long long)info->note_ticks[i]);
        textout_safe(stdout, info->notes[i] == NULL ? "" : info->notes[i], info->notes[i] == NULL ? 0 : strlen(info->notes[i]));
        fputc('\n', stdout);
    }
    if (info->has_fault) {
        printf("  fault      the step of tick %llu faulted, root ", (unsigned long long)info->fault_tick);
        textout_hex(stdout, info->fault_root, 16);
        fputc('\n', stdout);
    }
}

static void print_end(const Info *info, const tp_reader *reader)
{
    uint8_t key[32];
    uint8_t root[16];
    printf("  seals      %llu (%llu signed), the last after %llu ticks\n", (unsigned long long)info->seals,
           (unsigned long long)info->signed_seals, (unsigned long long)info->sealed_ticks);
    if (tp_reader_is_signed(reader, key)) {
        fputs("  signer     ", stdout);
        textout_hex(stdout, key, sizeof(key));
        fputs(info->has_end && info->end.is_signed ? "\n" : ", but not up to an END: authorship not proven\n", stdout);
    } else {
        fputs("  signer     none: authorship not proven\n", stdout);
    }
    if (!info->has_end) {
        fputs("  end        none: the log was never finished\n", stdout);
    } else {
        printf("  end        %s, %s", tp_end_reason_name(info->end.reason), info->end.is_signed ? "signed" : "not signed");
        if (info->end.has_root) {
            tp_hash128_to_bytes(info->end.root, root);
            fputs(", root ", stdout);
            textout_hex(stdout, root, sizeof(root));
        }
        fputc('\n', stdout);
    }
    fputs("  chain      ", stdout);
    textout_hex(stdout, info->has_end ? info->end_chain : tp_reader_chain(reader), TP_LOG_CHAIN_SIZE);
    fputs(info->has_end ? "\n" : " (so far)\n", stdout);
}

static void print_text(const Info *info, const tp_reader *reader)
{
    const tp_ident *ident = tp_reader_ident(reader);
    printf("%s\n", info->path);
    if (ident != NULL) {
        print_identity(ident);
        print_provenance(ident);
        print_records(info);
        print_ticks(info, reader);
        print_keys(info, tp_reader_counts(reader)->keys);
        print_incidents(info);
        print_end(info, reader);
    }
    if (info->status == TP_LOG_DONE) {
        fputs("  state      whole: chain and checks hold\n", stdout);
    } else {
        printf("  state      %s at offset %llu: %s\n", tp_log_status_name(info->status), (unsigned long long)tp_reader_offset(reader),
               tp_reader_message(reader));
    }
}

static void json_identity(const tp_ident *ident)
{
    uint8_t       fingerprint[16];
    size_t        offset = 0;
    tp_provenance item;
    tp_hash128_to_bytes(ident->fingerprint, fingerprint);
    textout_json_member(stdout, false, "world", ident->world);
    textout_u64_member(stdout, false, "revision", ident->revision);
    textout_u64_member(stdout, false, "abi", ident->abi);
    textout_hex_member(stdout, false, "fingerprint", fingerprint, 16);
    textout_json_member(stdout, false, "state_kind", ident->is_opaque ? "opaque" : "flat");
    textout_u64_member(stdout, false, "seed", ident->seed);
    textout_u64_member(stdout, false, "players", ident->players);
    textout_u64_member(stdout, false, "tick_rate_hz", ident->tick_rate_hz);
    textout_u64_member(stdout, false, "input_size", ident->input_size);
    textout_json_member(stdout, false, "hash", algorithm_name(ident));
    fputs(",\"config\":{", stdout);
    for (uint32_t i = 0; i < ident->config_count; i++) {
        printf("%s\"%s\":%lld", i == 0 ? "" : ",", ident->config_names[i], (long long)ident->config_values[i]);
    }
    fputs("},\"content\":{", stdout);
    for (uint32_t i = 0; i < ident->content_count; i++) {
        textout_hex_member(stdout, i == 0, ident->content_names[i], ident->content_hashes[i], 16);
    }
    fputs("},\"provenance\":{", stdout);
    for (bool is_first = true; tp_provenance_next(ident->provenance, ident->provenance_size, &offset, &item); is_first = false) {
        fputs(is_first ? "" : ",", stdout);
        textout_json(stdout, item.key, item.key_size);
        fputc(':', stdout);
        textout_json(stdout, item.value, item.value_size);
    }
    fputc('}', stdout);
    textout_u64_member(stdout, false, "sequence", ident->sequence);
    textout_u64_member(stdout, false, "first_tick", ident->first_tick);
    textout_hex_member(stdout, false, "predecessor", ident->predecessor, TP_LOG_CHAIN_SIZE);
}

static void json_records(const Info *info, const tp_reader *reader)
{
    textout_u64_member(stdout, false, "ticks", tp_reader_ticks(reader));
    textout_u64_member(stdout, false, "next_tick", tp_reader_next_tick(reader));
    fputs(",\"records\":{", stdout);
    for (int i = 0; i < TYPE_COUNT; i++) {
        printf("%s\"%s\":{\"count\":%llu,\"bytes\":%llu}", i == 0 ? "" : ",", types[i].name, (unsigned long long)info->type_counts[i],
               (unsigned long long)info->type_bytes[i]);
    }
    fputs("},\"roots\":{", stdout);
    for (int size = 0, shown = 0; size < ROOT_SIZES; size++) {
        if (info->roots[size] > 0) {
            printf("%s\"%d\":%llu", shown++ == 0 ? "" : ",", size, (unsigned long long)info->roots[size]);
        }
    }
    fputc('}', stdout);
    textout_u64_member(stdout, false, "input_bytes", info->input_bytes);
    textout_u64_member(stdout, false, "command_bytes", info->command_bytes);
    textout_u64_member(stdout, false, "root_bytes", info->root_bytes);
    fputs(",\"keyframes\":[", stdout);
    for (size_t i = 0; i < info->key_count; i++) {
        printf("%s%llu", i == 0 ? "" : ",", (unsigned long long)info->keys[i]);
    }
    fputc(']', stdout);
}

static void json_incidents(const Info *info)
{
    fputs(",\"gaps\":[", stdout);
    for (size_t i = 0; i < info->gap_count; i++) {
        printf("%s{\"first\":%llu,\"last\":%llu,\"cause\":\"%s\"}", i == 0 ? "" : ",", (unsigned long long)info->gaps[i].first,
               (unsigned long long)info->gaps[i].last, tp_gap_cause_name(info->gaps[i].cause));
    }
    fputs("],\"resumes\":[", stdout);
    for (size_t i = 0; i < info->resume_count; i++) {
        printf("%s{\"epoch\":%u,\"tick\":%llu,\"cut_bytes\":%llu", i == 0 ? "" : ",", info->resumes[i].epoch,
               (unsigned long long)info->resumes[i].next, (unsigned long long)info->resumes[i].cut_bytes);
        if (info->resume_by[i] != NULL) {
            textout_json_member(stdout, false, "repaired", info->resume_by[i]);
        }
        fputc('}', stdout);
    }
    fputs("],\"notes\":[", stdout);
    for (size_t i = 0; i < info->note_count; i++) {
        printf("%s{\"tick\":%llu", i == 0 ? "" : ",", (unsigned long long)info->note_ticks[i]);
        textout_json_member(stdout, false, "text", info->notes[i] == NULL ? "" : info->notes[i]);
        fputc('}', stdout);
    }
    fputc(']', stdout);
    if (info->has_fault) {
        textout_u64_member(stdout, false, "fault_tick", info->fault_tick);
        textout_hex_member(stdout, false, "fault_root", info->fault_root, 16);
    }
}

static void json_end(const Info *info, const tp_reader *reader)
{
    uint8_t key[32];
    uint8_t root[16];
    textout_u64_member(stdout, false, "seals", info->seals);
    textout_u64_member(stdout, false, "signed_seals", info->signed_seals);
    textout_u64_member(stdout, false, "sealed_ticks", info->sealed_ticks);
    bool is_signed = tp_reader_is_signed(reader, key);
    textout_bool_member(stdout, false, "signed", is_signed);
    if (is_signed) {
        textout_hex_member(stdout, false, "public_key", key, sizeof(key));
    }
    bool is_end_signed = info->has_end && info->end.is_signed;
    textout_bool_member(stdout, false, "end_signed", is_end_signed);
    textout_json_member(stdout, false, "authorship", is_end_signed ? "signed" : "not proven");
    if (info->has_end) {
        textout_json_member(stdout, false, "end", tp_end_reason_name(info->end.reason));
        tp_hash128_to_bytes(info->end.root, root);
        textout_hex_member(stdout, false, "end_root", root, info->end.has_root ? sizeof(root) : 0);
    }
    textout_hex_member(stdout, false, "chain", info->has_end ? info->end_chain : tp_reader_chain(reader), TP_LOG_CHAIN_SIZE);
}

static void print_json(const Info *info, const tp_reader *reader)
{
    fputc('{', stdout);
    textout_json_member(stdout, true, "file", info->path);
    textout_u64_member(stdout, false, "size", info->file_size);
    textout_json_member(stdout, false, "container", info->sealed_size > 0 ? "sealed" : "raw");
    if (info->sealed_size > 0) {
        textout_u64_member(stdout, false, "sealed_size", info->sealed_size);
    }
    textout_json_member(stdout, false, "status", tp_log_status_name(info->status));
    if (info->status != TP_LOG_DONE) {
        textout_u64_member(stdout, false, "offset", tp_reader_offset(reader));
        textout_json_member(stdout, false, "message", tp_reader_message(reader));
    }
    if (tp_reader_ident(reader) != NULL) {
        json_identity(tp_reader_ident(reader));
        json_records(info, reader);
        json_incidents(info);
        json_end(info, reader);
    }
    fputs("}\n", stdout);
}

static int tell(Info *info, const LogFile *file, bool is_json)
{
    tp_reader_options options = { 0 };
    tp_reader        *reader = NULL;
    tp_log_status     status = tp_reader_open(&file->source, &options, &reader);
    if (reader == NULL) {
        return cli_fail(TP_INTERNAL, "%s: out of memory", info->path);
    }
    bool is_sealed = tp_log_container(&file->source) == 1;
    info->sealed_size = is_sealed ? files_log_size(file) : 0;
    info->file_size = is_sealed ? tp_reader_size(reader) : files_log_size(file);
    gather(info, reader, status);
    memcpy(info->end_chain, info->end.chain, sizeof(info->end_chain));
    if (is_json) {
        print_json(info, reader);
    } else {
        print_text(info, reader);
    }
    if (info->status != TP_LOG_DONE) {
        cli_fail(TP_CORRUPT, "%s: offset %llu: reading the log: %s", info->path, (unsigned long long)tp_reader_offset(reader), tp_reader_message(reader));
    }
    tp_reader_close(reader);
    return cli_code_of_status(info->status);
}

static int info_file(const char *path, bool is_json)
{
    tp_error error;
    LogFile  file;
    Info    *info = calloc(1, sizeof(*info));
    if (info == NULL) {
        return cli_fail(TP_INTERNAL, "out of memory");
    }
    info->path = strcmp(path, "-") == 0 ? "standard input" : path;
    int code = TP_USAGE;
    if (files_open_log(&file, path, &error)) {
        code = tell(info, &file, is_json);
    } else {
        cli_fail(code, "%s: opening the log: %s", info->path, error.text);
    }
    files_close_log(&file);
    for (size_t i = 0; i < info->note_count; i++) {
        free(info->notes[i]);
    }
    for (size_t i = 0; i < info->resume_count; i++) {
        free(info->resume_by[i]);
    }
    free(info);
    return code;
}

static int run(int argc, char **argv)
{
    bool is_json = false;
    for (int flag = args_next("info", argc, argv, ":h", flags); flag != ARGS_END; flag = args_next("info", argc, argv, ":h", flags)) {
        if (flag == ARGS_HELP) {
            fputs(help, stdout);
            return TP_VERIFIED;
        }
        if (flag != FLAG_FORMAT || !args_is_json(optarg, &is_json)) {
            return TP_USAGE;
        }
    }
    if (optind == argc) {
        return cli_usage("info", "FILE is missing");
    }
    int code = TP_VERIFIED;
    for (int i = optind; i < argc; i++) {
        code = (int)tp_verdict_worst((tp_verdict)code, (tp_verdict)info_file(argv[i], is_json));
    }
    return code;
}

const Command command_info = { "info", "say what is in a log without running it", help, run };

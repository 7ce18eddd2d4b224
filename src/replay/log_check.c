// log_check.c: one function per record type; each refuses whatever the page does not allow.
#include "log_check.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bytes.h"
#include "log_chain.h"
#include "log_ident.h"

// Once a list of KEYs is longer than any INDEX can be, no INDEX is legal and the list is of no more use.
enum { KEYS_KEPT_MAX = LOG_INDEX_ENTRIES_MAX };

void log_check_init(LogCheck *check, bool skips_chain)
{
    memset(check, 0, sizeof(*check));
    check->skips_chain = skips_chain;
}

void log_check_finish(LogCheck *check)
{
    free(check->key_ticks);
    free(check->key_offsets);
    check->key_ticks = NULL;
    check->key_offsets = NULL;
}

void log_check_seek(LogCheck *check, uint64_t tick)
{
    check->is_partial = true;
    check->expects_key = true;
    check->shape = log_row_shape(check->ident->players, check->ident->input_size); // IDENT may never have been given
    check->next_tick = tick;
    check->has_key = false;
    check->has_fault = false;
    check->has_end = false;
    check->is_after_gap = false;
    check->allows_leaves = false;
    check->index_offset = 0;
    check->epoch = 0;
}

__attribute__((format(printf, 2, 3))) static tp_log_status refuse(char *message, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, LOG_MESSAGE_SIZE, format, arguments);
    va_end(arguments);
    return TP_LOG_CORRUPT;
}

static const char *order_problem(const LogCheck *check, uint32_t type)
{
    if (check->has_end) {
        return "nothing may follow END";
    }
    if (check->expects_key) {
        return type == TP_LOG_KEY ? NULL : "no KEY is here";
    }
    if (!check->is_partial && (check->records == 0) != (type == TP_LOG_IDENT)) {
        return type == TP_LOG_IDENT ? "IDENT may only be the first record" : "the first record must be IDENT";
    }
    if (check->is_partial && type == TP_LOG_IDENT) {
        return "IDENT may only be the first record";
    }
    if (!check->is_partial && check->records == 1 && type != TP_LOG_KEY) {
        return "the second record must be a KEY";
    }
    if (check->index_offset != 0 && type != TP_LOG_END) {
        return "only END may follow INDEX";
    }
    if (check->is_after_gap && type != TP_LOG_KEY) {
        return "a KEY must follow a GAP";
    }
    if (check->has_fault && type != TP_LOG_NOTE && type != TP_LOG_SEAL && type != TP_LOG_INDEX && type != TP_LOG_END) {
        return "only NOTE, SEAL, INDEX and END may follow a FAULT";
    }
    if (type == TP_LOG_KEY && check->has_key && check->last_key_tick == check->next_tick) {
        return "this tick has a KEY already";
    }
    if (type == TP_LOG_LEAVES && !check->allows_leaves) {
        return "LEAVES may only follow the TICKS that end with their tick, once";
    }
    return NULL;
}

tp_log_status log_check_head(const LogCheck *check, uint32_t type, uint32_t size, uint64_t tick, char *message)
{
    const LogType *known = log_format_type(type);
    if (known == NULL) {
        return refuse(message, "a record of the unknown type %08" PRIx32, type);
    }
    if (size < known->size_min || size > known->size_max) {
        return refuse(message, "%s: %" PRIu32 " bytes, must be %" PRIu32 " to %" PRIu32, known->name, size, known->size_min,
                      known->size_max);
    }
    const char *problem = order_problem(check, type);
    if (problem != NULL) {
        return refuse(message, "%s: %s", known->name, problem);
    }
    if (type != TP_LOG_IDENT) {
        uint64_t expected = type == TP_LOG_LEAVES ? check->next_tick - 1 : check->next_tick;
        if (tick != expected) {
            return refuse(message, "%s: tick %" PRIu64 ", must be %" PRIu64, known->name, tick, expected);
        }
    }
    return TP_LOG_OK;
}

static tp_log_status check_ident(LogCheck *check, const tp_log_record *record, char *message)
{
    if (record->tick != check->ident->first_tick) {
        return refuse(message, "IDENT: tick %" PRIu64 ", must be its first tick %" PRIu64, record->tick,
                      check->ident->first_tick);
    }
    check->shape = log_row_shape(check->ident->players, check->ident->input_size);
    check->next_tick = check->ident->first_tick;
    return TP_LOG_OK;
}

static bool remember_key(LogCheck *check, uint64_t tick, uint64_t offset)
{
    if (check->is_partial || check->key_count >= KEYS_KEPT_MAX) {
        return true;
    }
    if (check->key_count == check->key_capacity) {
        size_t capacity = check->key_capacity == 0 ? 8 : check->key_capacity * 2;
        uint64_t *ticks = realloc(check->key_ticks, capacity * sizeof(*ticks));
        if (ticks == NULL) {
            return false;
        }
        check->key_ticks = ticks;
        uint64_t *offsets = realloc(check->key_offsets, capacity * sizeof(*offsets));
        if (offsets == NULL) {
            return false;
        }
        check->key_offsets = offsets;
        check->key_capacity = capacity;
    }
    check->key_ticks[check->key_count] = tick;
    check->key_offsets[check->key_count] = offset;
    check->key_count++;
    return true;
}

static tp_log_status check_key(LogCheck *check, const tp_log_record *record, char *message)
{
    const uint8_t *p = record->payload;
    uint64_t previous = bytes_get_u64(p);
    uint32_t flags = bytes_get_u32(p + 40);
    // After a seek the first KEY's back-link and what came before it are unknown.
    bool is_unknown = check->expects_key;
    if (!is_unknown && previous != check->last_key_offset) {
        return refuse(message, "KEY: it points back to offset %" PRIu64 ", the previous KEY is at %" PRIu64, previous,
                      check->last_key_offset);
    }
    if (flags > (LOG_KEY_HAS_ROOT | LOG_KEY_IS_UNPROVEN)) {
        return refuse(message, "KEY: unknown flags %08" PRIx32, flags);
    }
    if (!is_unknown && ((flags & LOG_KEY_IS_UNPROVEN) != 0) != check->is_after_gap) {
        return refuse(message, "KEY: unproven must be set exactly after a GAP");
    }
    if ((flags & LOG_KEY_HAS_ROOT) == 0 && !log_format_is_zero(p + 8, 32)) {
        return refuse(message, "KEY: no root is said to be present, but its bytes are not zero");
    }
    if (record->tick == 0 && !log_format_is_zero(p + 24, 16)) {
        return refuse(message, "KEY: the leaves before tick 0 are not zero");
    }
    if (bytes_get_u32(p + 44) != record->size - LOG_KEY_FIXED) {
        return refuse(message, "KEY: the state does not fill it exactly");
    }
    if (!remember_key(check, record->tick, record->offset)) {
        snprintf(message, LOG_MESSAGE_SIZE, "KEY: out of memory");
        return TP_LOG_NO_MEMORY;
    }
    check->expects_key = false;
    check->has_key = true;
    check->last_key_offset = record->offset;
    check->last_key_tick = record->tick;
    check->counts.keys++;
    return TP_LOG_OK;
}

static tp_log_status check_ticks(LogCheck *check, const tp_log_record *record, char *message)
{
    const uint8_t *p = record->payload;
    uint32_t count = bytes_get_u16(p);
    uint32_t root_size = p[2];
    if (count < 1 || count > TP_LOG_ROWS_MAX) {
        return refuse(message, "TICKS: %" PRIu32 " rows, must be 1 to 256", count);
    }
    if (root_size != 0 && (root_size < 4 || root_size > LOG_ROOT_SIZE)) {
        return refuse(message, "TICKS: roots of %" PRIu32 " bytes, must be 0 or 4 to 16", root_size);
    }
    if (p[3] != 0) {
        return refuse(message, "TICKS: byte 3 is not zero");
    }
    if (count > UINT64_MAX - check->next_tick) {
        return refuse(message, "TICKS: the tick number overflows");
    }
    uint32_t offset = LOG_TICKS_FIXED;
    uint64_t commands = 0;
    for (uint32_t i = 0; i < count; i++) {
        tp_log_row row;
        const char *wrong = log_row_split(&check->shape, p + offset, record->size - offset, root_size, &row);
        if (wrong == NULL) {
            wrong = log_row_check(&check->shape, &row);
        }
        if (wrong != NULL) {
            return refuse(message, "TICKS: tick %" PRIu64 ": %s", check->next_tick + i, wrong);
        }
        commands += row.command_count;
        offset += row.size + row.root_size;
    }
    if (offset != record->size) {
        return refuse(message, "TICKS: the rows do not fill it exactly");
    }
    check->next_tick += count;
    check->ticks += count;
    check->counts.commands += commands;
    check->counts.ticks_records++;
    return TP_LOG_OK;
}

static tp_log_status check_leaves(LogCheck *check, const tp_log_record *record, char *message)
{
    uint32_t count = bytes_get_u32(record->payload + 16);
    if (count < 2 || count != (record->size - LOG_LEAVES_FIXED) / 8 || (record->size - LOG_LEAVES_FIXED) % 8 != 0) {
        return refuse(message, "LEAVES: %" PRIu32 " leaves do not fill it exactly, or are fewer than two", count);
    }
    check->counts.leaves++;
    return TP_LOG_OK;
}

static tp_log_status check_fault(LogCheck *check, const tp_log_record *record, char *message)
{
    tp_log_row row;
    uint32_t size = record->size - LOG_FAULT_FIXED;
    const char *wrong = log_row_split(&check->shape, record->payload + LOG_FAULT_FIXED, size, 0, &row);
    if (wrong == NULL) {
        wrong = log_row_check(&check->shape, &row);
    }
    if (wrong == NULL && row.size != size) {
        wrong = "the row does not fill it exactly";
    }
    if (wrong != NULL) {
        return refuse(message, "FAULT: %s", wrong);
    }
    check->has_fault = true;
    return TP_LOG_OK;
}

static tp_log_status check_note(LogCheck *check, const tp_log_record *record, char *message)
{
    uint16_t kind = bytes_get_u16(record->payload);
    if (kind < TP_NOTE_TEXT || kind > TP_NOTE_MEMBER) {
        return refuse(message, "NOTE: unknown kind %u", (unsigned)kind);
    }
    if (bytes_get_u16(record->payload + 2) != 0) {
        return refuse(message, "NOTE: bytes 2 and 3 are not zero");
    }
    if (!log_format_is_utf8(record->payload + LOG_NOTE_FIXED, record->size - LOG_NOTE_FIXED)) {
        return refuse(message, "NOTE: the text is not UTF-8");
    }
    if (kind == TP_NOTE_MEMBER &&
        !log_format_is_member(record->payload + LOG_NOTE_FIXED, record->size - LOG_NOTE_FIXED, check->shape.players)) {
        return refuse(message, "NOTE: the text of a membership is neither \"slot N free\" nor \"slot N token\" with 32 digits");
    }
    check->counts.notes++;
    return TP_LOG_OK;
}

// The part that SEAL and END share: `at` is where the signed byte is; key and signature follow 8 bytes later.
static const char *signature_problem(const uint8_t *payload, size_t at)
{
    if (payload[at] > 1) {
        return "the byte that says whether it is signed is neither 0 nor 1";
    }
    if (!log_format_is_zero(payload + at + 1, 7)) {
        return "the bytes before the public key are not zero";
    }
    if (payload[at] == 0 && !log_format_is_zero(payload + at + 8, 96)) {
        return "it is not signed, but key or signature are not zero";
    }
    return NULL;
}

// Comes before all else in SEAL and END: a file that was rewritten is to be called that, not miscounted.
static tp_log_status check_chain(const LogCheck *check, const uint8_t *said, const uint8_t *chain, const char *name,
                                 char *message)
{
    if (check->skips_chain || memcmp(said, chain, TP_LOG_CHAIN_SIZE) == 0) {
        return TP_LOG_OK;
    }
    snprintf(message, LOG_MESSAGE_SIZE, "%s: its chain value is not that of the records before it", name);
    return TP_LOG_UNAUTHENTIC;
}

static tp_log_status check_signature(LogCheck *check, const uint8_t *payload, size_t signed_at,
                                     bool (*verify)(const uint8_t *), const char *name, char *message)
{
    if (check->skips_chain || payload[signed_at] == 0) {
        return TP_LOG_OK;
    }
    if (!verify(payload)) {
        snprintf(message, LOG_MESSAGE_SIZE, "%s: the signature does not hold", name);
        return TP_LOG_UNAUTHENTIC;
    }
    check->has_signature = true;
    memcpy(check->public_key, payload + signed_at + 8, sizeof(check->public_key));
    return TP_LOG_OK;
}

static tp_log_status check_seal(LogCheck *check, const tp_log_record *record, const uint8_t *chain, char *message)
{
    const uint8_t *p = record->payload;
    tp_log_status status = check_chain(check, p, chain, "SEAL", message);
    if (status != TP_LOG_OK) {
        return status;
    }
    if (!check->is_partial && bytes_get_u64(p + 32) != check->ticks) {
        return refuse(message, "SEAL: it counts %" PRIu64 " ticks, %" PRIu64 " are recorded", bytes_get_u64(p + 32),
                      check->ticks);
    }
    if (!check->is_partial && bytes_get_u64(p + 40) != check->records) {
        return refuse(message, "SEAL: it counts %" PRIu64 " records, %" PRIu64 " are before it", bytes_get_u64(p + 40),
                      check->records);
    }
    const char *problem = signature_problem(p, 48);
    if (problem != NULL) {
        return refuse(message, "SEAL: %s", problem);
    }
    status = check_signature(check, p, 48, log_chain_verify_seal, "SEAL", message);
    if (status == TP_LOG_OK) {
        check->counts.seals++;
    }
    return status;
}

static tp_log_status check_gap(LogCheck *check, const tp_log_record *record, char *message)
{
    tp_log_gap gap = tp_log_parse_gap(record);
    if (gap.first != check->next_tick || gap.last < gap.first || gap.last == UINT64_MAX) {
        return refuse(message, "GAP: ticks %" PRIu64 " to %" PRIu64 ", the first missing one is %" PRIu64, gap.first,
                      gap.last, check->next_tick);
    }
    if (tp_gap_cause_name(bytes_get_u32(record->payload + 16)) == NULL) {
        return refuse(message, "GAP: unknown cause %" PRIu32, bytes_get_u32(record->payload + 16));
    }
    if (bytes_get_u32(record->payload + 20) != 0) {
        return refuse(message, "GAP: bytes 20 to 23 are not zero");
    }
    check->next_tick = gap.last + 1;
    check->counts.gaps++;
    return TP_LOG_OK;
}

static tp_log_status check_resume(LogCheck *check, const tp_log_record *record, char *message)
{
    tp_log_resume resume = tp_log_parse_resume(record);
    bool is_known = !check->is_partial || check->epoch != 0;
    if (resume.epoch == 0 || (is_known && resume.epoch != check->epoch + 1)) {
        return refuse(message, "RESUME: epoch %" PRIu32 ", must be one more than %" PRIu32, resume.epoch, check->epoch);
    }
    if (resume.next != check->next_tick) {
        return refuse(message, "RESUME: next tick %" PRIu64 ", must be %" PRIu64, resume.next, check->next_tick);
    }
    if (resume.provenance_size != record->size - LOG_RESUME_FIXED) {
        return refuse(message, "RESUME: the provenance does not fill it exactly");
    }
    uint32_t count = 0;
    const char *wrong = log_ident_check_provenance(resume.provenance, resume.provenance_size, &count);
    if (wrong != NULL) {
        return refuse(message, "RESUME: %s", wrong);
    }
    check->epoch = resume.epoch;
    check->counts.resumes++;
    return TP_LOG_OK;
}

static tp_log_status check_index(LogCheck *check, const tp_log_record *record, char *message)
{
    const uint8_t *p = record->payload;
    uint32_t count = bytes_get_u32(p);
    uint32_t left = record->size - LOG_INDEX_FIXED;
    if (left % LOG_INDEX_ENTRY != 0 || count != left / LOG_INDEX_ENTRY) {
        return refuse(message, "INDEX: %" PRIu32 " entries do not fill it exactly", count);
    }
    if (!check->is_partial) {
        if (count != check->counts.keys) {
            return refuse(message, "INDEX: %" PRIu32 " entries, the log has %" PRIu64 " KEYs", count, check->counts.keys);
        }
        for (uint32_t i = 0; i < count; i++) {
            const uint8_t *entry = p + LOG_INDEX_FIXED + (size_t)i * LOG_INDEX_ENTRY;
            if (bytes_get_u64(entry) != check->key_ticks[i] || bytes_get_u64(entry + 8) != check->key_offsets[i]) {
                return refuse(message, "INDEX: entry %" PRIu32 " is not KEY %" PRIu32 " of the log", i, i);
            }
        }
    }
    check->index_offset = record->offset;
    return TP_LOG_OK;
}

static tp_log_status check_end_totals(const LogCheck *check, const tp_log_end *end, char *message)
{
    const tp_log_counts *said = &end->counts;
    const tp_log_counts *seen = &check->counts;
    const struct {
        const char *name;
        uint64_t    said, seen;
    } totals[] = {
        { "ticks", end->ticks, check->ticks },
        { "records", end->records, check->records },
        { "KEY records", said->keys, seen->keys },
        { "TICKS records", said->ticks_records, seen->ticks_records },
        { "LEAVES records", said->leaves, seen->leaves },
        { "NOTE records", said->notes, seen->notes },
        { "SEAL records", said->seals, seen->seals },
        { "GAP records", said->gaps, seen->gaps },
        { "RESUME records", said->resumes, seen->resumes },
        { "commands", said->commands, seen->commands },
    };
    for (size_t i = 0; i < sizeof(totals) / sizeof(totals[0]); i++) {
        if (totals[i].said != totals[i].seen) {
            return refuse(message, "END: it counts %" PRIu64 " %s, the log has %" PRIu64, totals[i].said, totals[i].name,
                          totals[i].seen);
        }
    }
    return TP_LOG_OK;
}

static tp_log_status check_end(LogCheck *check, const tp_log_record *record, const uint8_t *chain, char *message)
{
    const uint8_t *p = record->payload;
    tp_log_end end = tp_log_parse_end(record);
    tp_log_status status = check_chain(check, end.chain, chain, "END", message);
    if (status != TP_LOG_OK) {
        return status;
    }
    if (tp_end_reason_name(bytes_get_u32(p)) == NULL) {
        return refuse(message, "END: unknown reason %" PRIu32, bytes_get_u32(p));
    }
    if (!check->is_partial && (end.reason == TP_END_FAULT) != check->has_fault) {
        return refuse(message, "END: the reason is fault exactly when there is a FAULT");
    }
    if (bytes_get_u32(p + 4) > LOG_END_HAS_ROOT) {
        return refuse(message, "END: unknown flags %08" PRIx32, bytes_get_u32(p + 4));
    }
    if (!end.has_root && !log_format_is_zero(p + 88, LOG_ROOT_SIZE)) {
        return refuse(message, "END: no root is said to be present, but its bytes are not zero");
    }
    if (!check->is_partial) {
        status = check_end_totals(check, &end, message);
        if (status != TP_LOG_OK) {
            return status;
        }
    }
    if (end.index_offset != check->index_offset) {
        return refuse(message, "END: INDEX is said to be at offset %" PRIu64 ", it is at %" PRIu64, end.index_offset,
                      check->index_offset);
    }
    uint8_t bound[16 + 104];
    uint8_t binding[16];
    tp_hash128_to_bytes(check->ident->rules.id, bound);
    memcpy(bound + 16, p, 104);
    tp_hash128_to_bytes(tp_hash128_of(check->ident->algorithm, bound, sizeof(bound)), binding);
    if (memcmp(binding, p + 104, sizeof(binding)) != 0) {
        return refuse(message, "END: the binding is not that of its rules and totals");
    }
    const char *problem = signature_problem(p, 160);
    if (problem != NULL) {
        return refuse(message, "END: %s", problem);
    }
    if (!log_format_is_zero(p + 264, 8)) {
        return refuse(message, "END: bytes 264 to 271 are not zero");
    }
    status = check_signature(check, p, 160, log_chain_verify_end, "END", message);
    if (status == TP_LOG_OK) {
        check->has_end = true;
    }
    return status;
}

static tp_log_status dispatch(LogCheck *check, const tp_log_record *record, const uint8_t *chain, char *message)
{
    switch (record->type) {
    case TP_LOG_IDENT: return check_ident(check, record, message);
    case TP_LOG_KEY: return check_key(check, record, message);
    case TP_LOG_TICKS: return check_ticks(check, record, message);
    case TP_LOG_LEAVES: return check_leaves(check, record, message);
    case TP_LOG_FAULT: return check_fault(check, record, message);
    case TP_LOG_NOTE: return check_note(check, record, message);
    case TP_LOG_SEAL: return check_seal(check, record, chain, message);
    case TP_LOG_GAP: return check_gap(check, record, message);
    case TP_LOG_RESUME: return check_resume(check, record, message);
    case TP_LOG_INDEX: return check_index(check, record, message);
    case TP_LOG_END: return check_end(check, record, chain, message);
    default: return refuse(message, "an unknown type");
    }
}

tp_log_status log_check_record(LogCheck *check, const tp_log_record *record, const uint8_t chain[TP_LOG_CHAIN_SIZE],
                               char *message)
{
    tp_log_status status = dispatch(check, record, chain, message);
    if (status != TP_LOG_OK) {
        return status;
    }
    check->records++;
    check->is_after_gap = record->type == TP_LOG_GAP;
    if (record->type != TP_LOG_NOTE && record->type != TP_LOG_SEAL) {
        check->allows_leaves = record->type == TP_LOG_TICKS;
    }
    return TP_LOG_OK;
}

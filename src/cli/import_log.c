// import_log.c: a log like that of `run`, of inputs that came from somewhere else. It holds nothing of the machine: the same file gives the same log
// everywhere.
#include "import_log.h"

#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "args.h"
#include "cli.h"
#include "files.h"
#include "recording.h"
#include "textout.h"

static volatile bool stop_asked;

static void on_signal(int number)
{
    (void)number;
    stop_asked = true;
}

void import_log_standard(ImportLog *log)
{
    memset(log, 0, sizeof(*log));
    tp_writer_options_standard(&log->writer);
    log->writer.durability = TP_DURABLE_NONE; // synced once, as a whole, at its end
}

static bool take_root_bytes(ImportLog *log)
{
    log->has_root_size = true;
    if (!args_u32("--root-bytes", optarg, 0, 16, &log->writer.root_size)) {
        return false;
    }
    if (log->writer.root_size >= 1 && log->writer.root_size <= 3) {
        cli_fail(TP_USAGE, "--root-bytes: %s is out of range; give 0 or 4 to 16", optarg);
        return false;
    }
    return true;
}

static bool take_slot_name(ImportLog *log)
{
    char        number[16];
    uint32_t    slot = 0;
    const char *equals = strchr(optarg, '=');
    if (equals == NULL || (size_t)(equals - optarg) >= sizeof(number)) {
        cli_fail(TP_USAGE, "--slot-name: '%s' is not SLOT=NAME", optarg);
        return false;
    }
    memcpy(number, optarg, (size_t)(equals - optarg));
    number[equals - optarg] = '\0';
    if (!args_u32("--slot-name", number, 0, TP_PLAYERS_MAX - 1, &slot)) {
        return false;
    }
    if (log->slot_names[slot] != NULL) {
        cli_fail(TP_USAGE, "--slot-name: %s: slot %u has a name already, '%s'", optarg, slot, log->slot_names[slot]);
        return false;
    }
    log->slot_names[slot] = equals + 1;
    return true;
}

bool import_log_take(ImportLog *log, int flag)
{
    switch (flag) {
    case IMPORT_FLAG_OUTPUT: log->output = optarg; return true;
    case IMPORT_FLAG_FORCE: log->may_replace = true; return true;
    case IMPORT_FLAG_RUN_TICKS: return args_u32("--run-ticks", optarg, 1, TP_LOG_ROWS_MAX, &log->writer.run_ticks);
    case IMPORT_FLAG_ROOT_BYTES: return take_root_bytes(log);
    case IMPORT_FLAG_LEAVES: return args_u32("--leaves", optarg, 0, UINT32_MAX, &log->writer.leaves_ticks);
    case IMPORT_FLAG_KEYFRAMES: return args_u32("--keyframes", optarg, 0, UINT32_MAX, &log->writer.key_ticks);
    case IMPORT_FLAG_SEAL: return args_u32("--seal", optarg, 0, UINT32_MAX, &log->writer.seal_ticks);
    case IMPORT_FLAG_MATCH: log->match = optarg; return true;
    case IMPORT_FLAG_SLOT_NAME: return take_slot_name(log);
    default: return false;
    }
}

bool import_log_check(const ImportLog *log, uint32_t players)
{
    for (uint32_t slot = players; slot < TP_PLAYERS_MAX; slot++) {
        if (log->slot_names[slot] != NULL) {
            cli_fail(TP_USAGE, "--slot-name: %u=%s: there is no slot %u; the match has %u, counted from 0", slot, log->slot_names[slot], slot, players);
            return false;
        }
    }
    return true;
}

// A copy that stays; "" when there is no more room.
static const char *keep(ImportLog *log, const char *text)
{
    size_t size = strlen(text) + 1;
    if (size > sizeof(log->notes) - log->notes_used) {
        return "";
    }
    char *copy = log->notes + log->notes_used;
    memcpy(copy, text, size);
    log->notes_used += size;
    return copy;
}

void import_log_note(ImportLog *log, const char *key, const char *format, ...)
{
    char    text[1024];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof(text), format, arguments);
    va_end(arguments);
    if (text[0] == '\0' || log->writer.provenance_count == IMPORT_PROVENANCE_MAX) {
        return;
    }
    const char *kept_key = keep(log, key);
    const char *kept = keep(log, text);
    if (kept_key[0] != '\0' && kept[0] != '\0') {
        log->provenance[log->writer.provenance_count++] = (tp_provenance){ kept_key, strlen(kept_key), kept, strlen(kept) };
        log->writer.provenance = log->provenance;
    }
}

void import_log_identify(ImportLog *log, const WorldSet *worlds, const tp_world *world, const char *match, const char *const *names, uint32_t players)
{
    const char *hash = worlds_hash(worlds, world);
    import_log_note(log, "build", "tickproof %s", TP_VERSION);
    import_log_note(log, "world.hash", "%s", hash == NULL ? "" : hash);
    import_log_note(log, "match", "%s", log->match != NULL ? log->match : match == NULL ? "" : match);
    for (uint32_t slot = 0; slot < players; slot++) {
        char        key[24];
        const char *said = names == NULL || names[slot] == NULL ? "" : names[slot];
        snprintf(key, sizeof(key), "slot.%u.name", slot);
        import_log_note(log, key, "%s", log->slot_names[slot] != NULL ? log->slot_names[slot] : said);
    }
}

// A sink that remembers that it failed: the writer has other reasons to stop, too.
typedef struct {
    tp_sink inner;
    bool    has_failed;
} LogSink;

static bool sink_write(void *self, const uint8_t *bytes, size_t size)
{
    LogSink *sink = self;
    bool     is_written = sink->inner.write(sink->inner.self, bytes, size);
    sink->has_failed = sink->has_failed || !is_written;
    return is_written;
}

static bool sink_sync(void *self)
{
    LogSink *sink = self;
    bool     is_durable = sink->inner.sync(sink->inner.self);
    sink->has_failed = sink->has_failed || !is_durable;
    return is_durable;
}

static void print_summary(const ImportLog *log, tp_sim *sim, uint64_t bytes, FILE *out)
{
    const tp_layout *layout = tp_sim_layout(sim);
    uint64_t         ticks = tp_sim_tick(sim);
    uint64_t         rate = layout->setup.tick_rate_hz;
    uint64_t         ms = ticks / rate * 1000 + ticks % rate * 1000 / rate;
    uint8_t          root[16];
    char             text[512];
    tp_hash128_to_bytes(tp_sim_root(sim), root);
    fprintf(out, "%s revision %u, seed %llu, %u players: ", layout->world->name, layout->world->revision, (unsigned long long)layout->setup.seed,
            layout->setup.players);
    if (tp_sim_describe(sim, text, sizeof(text))) {
        fprintf(out, "%s; ", text);
    }
    fprintf(out, "%llu ticks, %llu.%03llu s at %llu ticks/s, root ", (unsigned long long)ticks, (unsigned long long)(ms / 1000),
            (unsigned long long)(ms % 1000), (unsigned long long)rate);
    textout_hex(out, root, sizeof(root));
    fprintf(out, ", %s %llu bytes\n", log->output, (unsigned long long)bytes);
}

static int fail_writing(const ImportLog *log, const LogSink *sink, const char *what)
{
    return cli_fail(sink->has_failed ? TP_INCOMPLETE : TP_USAGE, "%s: writing the log: %s; make room, then import again", log->output,
                    what == NULL ? "out of space" : what);
}

// Closes the file. A log that holds no tick, or half of what the file has, would only be mistaken for a whole one.
static int record_open(const ImportLog *log, tp_sim *sim, InputSource *inputs, NewFile *file)
{
    tp_error   error;
    LogSink    log_sink = { .inner = tp_sink_of_fd(&file->fd) };
    tp_sink    sink = { &log_sink, sink_write, sink_sync };
    FILE      *out = file->is_stdout || log->is_quiet_stdout ? stderr : stdout;
    tp_writer *writer = tp_writer_create(&sink, sim, &log->writer, false, &error);
    if (writer == NULL) {
        files_abandon(file);
        return cli_fail(log_sink.has_failed ? TP_INCOMPLETE : TP_USAGE, "%s: starting the log: %s", log->output, error.text);
    }
    Recording       recording = { sim, writer, inputs, UINT64_MAX, true, &stop_asked };
    RecordingResult result = recording_run(&recording);
    uint64_t        bytes = tp_writer_bytes(writer);
    int             code = TP_USAGE;
    if (result == RECORDING_UNWRITTEN) {
        code = fail_writing(log, &log_sink, tp_writer_error(writer));
    }
    tp_writer_destroy(writer);
    if (result == RECORDING_FAILED || result == RECORDING_UNWRITTEN) {
        files_abandon(file);
        return code;
    }
    if (!files_commit(file, &error)) {
        return cli_fail(TP_INCOMPLETE, "%s: finishing the log: %s", log->output, error.text);
    }
    print_summary(log, sim, bytes, out);
    if (result == RECORDING_STOPPED) {
        return cli_fail(TP_INCOMPLETE, "interrupted before tick %llu; the log ends there", (unsigned long long)tp_sim_tick(sim));
    }
    return TP_VERIFIED;
}

int import_log_record(ImportLog *log, tp_sim *sim, InputSource *inputs)
{
    tp_error error;
    NewFile  file = { .fd = -1 };
    if (!files_create(&file, log->output, log->may_replace, &error)) {
        return cli_fail(TP_USAGE, "%s: making the log: %s", log->output, error.text);
    }
    // Not earlier: nothing else ends the wait for a pipe's reader.
    struct sigaction action = { .sa_handler = on_signal };
    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    return record_open(log, sim, inputs, &file);
}

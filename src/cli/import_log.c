// import_log.c: a log like that of `run`, of inputs that came from somewhere else. It holds nothing of the machine: the same file gives the same log
// everywhere.
#include "import_log.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "files.h"
#include "recording.h"

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
    if (text[0] == '\0' || log->flags.writer.provenance_count == IMPORT_PROVENANCE_MAX) {
        return;
    }
    const char *kept_key = keep(log, key);
    const char *kept = keep(log, text);
    if (kept_key[0] != '\0' && kept[0] != '\0') {
        log->provenance[log->flags.writer.provenance_count++] = (tp_provenance){ kept_key, strlen(kept_key), kept, strlen(kept) };
        log->flags.writer.provenance = log->provenance;
    }
}

void import_log_identify(ImportLog *log, const WorldSet *worlds, const tp_world *world, const char *match, const char *const *names, uint32_t players)
{
    const char *hash = worlds_hash(worlds, world);
    import_log_note(log, "build", "tickproof %s", TP_VERSION);
    import_log_note(log, "world.hash", "%s", hash == NULL ? "" : hash);
    import_log_note(log, "match", "%s", log->flags.match != NULL ? log->flags.match : match == NULL ? "" : match);
    for (uint32_t slot = 0; slot < players; slot++) {
        char        key[24];
        const char *said = names == NULL || names[slot] == NULL ? "" : names[slot];
        snprintf(key, sizeof(key), "slot.%u.name", slot);
        import_log_note(log, key, "%s", log->flags.slot_names[slot] != NULL ? log->flags.slot_names[slot] : said);
    }
}

static int fail_writing(const ImportLog *log, const RecordingSink *sink, const char *what)
{
    return cli_fail(sink->has_failed ? TP_INCOMPLETE : TP_USAGE, "%s: writing the log: %s; make room, then import again", log->flags.output,
                    what == NULL ? "out of space" : what);
}

// Closes the file. A log that holds no tick, or half of what the file has, would only be mistaken for a whole one.
static int record_open(ImportLog *log, tp_sim *sim, InputSource *inputs, NewFile *file)
{
    tp_error   error;
    RecordingSink log_sink;
    tp_sink    sink = recording_sink(&log_sink, &file->fd);
    FILE      *out = file->is_stdout || log->is_quiet_stdout ? stderr : stdout;
    tp_writer *writer = tp_writer_create(&sink, sim, &log->flags.writer, false, &error);
    if (writer == NULL) {
        files_abandon(file);
        return cli_fail(log_sink.has_failed ? TP_INCOMPLETE : TP_USAGE, "%s: starting the log: %s", log->flags.output, error.text);
    }
    Recording       recording = { sim, writer, inputs, UINT64_MAX, true, recording_stop_asked() };
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
        return cli_fail(TP_INCOMPLETE, "%s: finishing the log: %s", log->flags.output, error.text);
    }
    log->is_kept = true;
    recording_print(out, sim);
    fprintf(out, ", %s %llu bytes\n", log->flags.output, (unsigned long long)bytes);
    if (result == RECORDING_STOPPED) {
        return cli_fail(TP_INCOMPLETE, "interrupted before tick %llu; the log ends there", (unsigned long long)tp_sim_tick(sim));
    }
    return TP_VERIFIED;
}

int import_log_record(ImportLog *log, tp_sim *sim, InputSource *inputs)
{
    tp_error error;
    NewFile  file = { .fd = -1 };
    if (!files_create(&file, log->flags.output, log->flags.may_replace, &error)) {
        return cli_fail(TP_USAGE, "%s: making the log: %s", log->flags.output, error.text);
    }
    // Not earlier: nothing else ends the wait for a pipe's reader.
    recording_catch_signals();
    return record_open(log, sim, inputs, &file);
}

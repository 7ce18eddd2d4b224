// resim.c: following a log's rows with a sim.
#include "resim.h"

#include <string.h>

#include "cli.h"
#include "crash.h"

static bool fail_reading(Resim *resim, tp_log_status status)
{
    resim->code = cli_fail(cli_code_of_status(status), "%s: offset %llu: reading the log: %s", resim->path,
                           (unsigned long long)tp_reader_offset(resim->reader), tp_reader_message(resim->reader));
    return false;
}

static bool open_reader(Resim *resim)
{
    tp_reader_options options = { .skip_chain = true };
    tp_log_record     record;
    tp_reader_close(resim->reader);
    resim->reader = NULL;
    tp_log_status status = tp_reader_open(&resim->file.source, &options, &resim->reader);
    if (resim->reader == NULL) {
        resim->code = cli_fail(TP_INTERNAL, "%s: out of memory", resim->path);
        return false;
    }
    if (status == TP_LOG_OK) {
        status = tp_reader_next(resim->reader, &record); // IDENT
    }
    resim->ident = tp_reader_ident(resim->reader);
    return status == TP_LOG_OK || fail_reading(resim, status);
}

bool resim_open(Resim *resim, const char *path)
{
    tp_error error;
    *resim = (Resim){ .path = strcmp(path, "-") == 0 ? "standard input" : path, .file.fd = -1 };
    if (!files_open_log(&resim->file, path, &error)) {
        resim->code = cli_fail(TP_USAGE, "%s: opening the log: %s", resim->path, error.text);
        return false;
    }
    return open_reader(resim);
}

void resim_finish(Resim *resim)
{
    tp_sim_destroy(resim->sim);
    tp_reader_close(resim->reader);
    files_close_log(&resim->file);
    resim->sim = NULL;
    resim->reader = NULL;
}

bool resim_find_world(Resim *resim, WorldSet *worlds, tp_error *error)
{
    const tp_ident *ident = resim->ident;
    const tp_world *world = worlds_search(worlds, ident->world, ident->revision);
    resim->sim = tp_sim_of_ident(ident, world, NULL, error);
    resim->world = resim->sim == NULL ? NULL : world;
    return resim->sim != NULL;
}

bool resim_make_sim(Resim *resim, WorldSet *worlds)
{
    crash_guard();
    tp_error error;
    if (!resim_find_world(resim, worlds, &error)) {
        resim->code = cli_fail(TP_INCOMPATIBLE, "%s: finding the world: %s", resim->path, error.text);
        return false;
    }
    return true;
}

// A KEY is needed where the sim does not already stand: at the start of a rotated log, after a seek, after a gap.
static bool take_key(Resim *resim, const tp_log_record *record)
{
    tp_error   error;
    tp_log_key key = tp_log_parse_key(record);
    bool       is_needed = !resim->is_started || resim->is_after_gap;
    resim->is_started = true;
    resim->is_after_gap = false;
    if (resim->sim == NULL || !is_needed || tp_sim_decode(resim->sim, key.state, key.state_size, record->tick, key.input_leaf, key.event_leaf, &error)) {
        return true;
    }
    resim->code = cli_fail(TP_CORRUPT, "%s: offset %llu: decoding the keyframe at tick %llu: %s", resim->path,
                           (unsigned long long)record->offset, (unsigned long long)record->tick, error.text);
    return false;
}

// Reads on to a record with rows. False: the end, or `code` is set.
static bool find_rows(Resim *resim)
{
    tp_log_record record;
    for (;;) {
        tp_log_status status = tp_reader_next(resim->reader, &record);
        if (status == TP_LOG_DONE) {
            return false;
        }
        if (status != TP_LOG_OK) {
            return fail_reading(resim, status);
        }
        if (record.type == TP_LOG_KEY && !take_key(resim, &record)) {
            return false;
        }
        resim->is_after_gap = resim->is_after_gap || record.type == TP_LOG_GAP;
        if (record.type == TP_LOG_TICKS || record.type == TP_LOG_FAULT) {
            resim->rows = tp_log_rows_of(resim->ident, &record);
            resim->has_rows = true;
            resim->is_fault_record = record.type == TP_LOG_FAULT;
            return true;
        }
    }
}

static ResimResult fail_step(Resim *resim, int code, uint64_t tick, const char *what)
{
    resim->code = cli_fail(code, "%s: tick %llu: stepping: %s; 'tickproof verify' says more", resim->path, (unsigned long long)tick, what);
    return RESIM_FAILED;
}

static ResimResult step_row(Resim *resim, const tp_log_row *row)
{
    tp_error      error;
    uint8_t       root[16];
    tp_sim_status status = tp_sim_step_bytes(resim->sim, row->bytes, row->size, &error);
    if (status == TP_SIM_REFUSED) {
        return fail_step(resim, TP_CORRUPT, row->tick, error.text);
    }
    if ((status == TP_SIM_FAULTED) != resim->is_fault_record) {
        return fail_step(resim, TP_DIVERGED, row->tick, resim->is_fault_record ? "it does not fault as the recorded one did" : "it faults, which the recorded one did not");
    }
    if (resim->checks_roots && !resim->is_fault_record && row->root_size > 0) {
        tp_hash128_to_bytes(tp_sim_root(resim->sim), root);
        if (memcmp(root, row->root, row->root_size) != 0) {
            return fail_step(resim, TP_DIVERGED, row->tick, "it comes to another state than the recorded one");
        }
    }
    return resim->is_fault_record ? RESIM_FAULT : RESIM_ROW;
}

ResimResult resim_next(Resim *resim, tp_log_row *row)
{
    while (!resim->has_rows || !tp_log_rows_next(&resim->rows, row)) {
        resim->has_rows = false;
        if (!find_rows(resim)) {
            return resim->code == TP_VERIFIED ? RESIM_END : RESIM_FAILED;
        }
    }
    if (resim->sim != NULL) {
        return step_row(resim, row);
    }
    return resim->is_fault_record ? RESIM_FAULT : RESIM_ROW;
}

// Looks for the last KEY at or before `tick`. False when the log does not reach it: said so.
static bool find_key(Resim *resim, uint64_t tick, uint64_t *key_offset, uint64_t *key_tick)
{
    tp_log_record record;
    tp_log_status status = TP_LOG_OK;
    bool          is_found = false;
    while (tp_reader_next_tick(resim->reader) <= tick && (status = tp_reader_next(resim->reader, &record)) == TP_LOG_OK) {
        if (record.type == TP_LOG_KEY && record.tick <= tick) {
            *key_offset = record.offset;
            *key_tick = record.tick;
            is_found = true;
        }
    }
    uint64_t last = tp_reader_next_tick(resim->reader);
    if (!is_found) {
        resim->code = cli_fail(TP_USAGE, "%s: going to tick %llu: the log begins at tick %llu", resim->path, (unsigned long long)tick,
                               (unsigned long long)resim->ident->first_tick);
        return false;
    }
    if (last >= tick) {
        return true;
    }
    if (status != TP_LOG_DONE) {
        return fail_reading(resim, status);
    }
    resim->code = cli_fail(TP_USAGE, "%s: going to tick %llu: the last state is that of tick %llu", resim->path, (unsigned long long)tick,
                           (unsigned long long)last);
    return false;
}

static bool step_to(Resim *resim, uint64_t tick)
{
    tp_log_row row;
    while (tp_sim_tick(resim->sim) < tick) {
        ResimResult result = resim_next(resim, &row);
        if (result == RESIM_FAILED) {
            return false;
        }
        if (result != RESIM_ROW) {
            break;
        }
    }
    if (tp_sim_tick(resim->sim) == tick) {
        return true;
    }
    resim->code = cli_fail(TP_USAGE, "%s: going to tick %llu: the log has no such state, it %s", resim->path, (unsigned long long)tick,
                           tp_sim_tick(resim->sim) > tick ? "lies in a gap" : "ends before");
    return false;
}

bool resim_go_to(Resim *resim, uint64_t tick)
{
    uint64_t      offset = 0;
    uint64_t      key_tick = 0;
    tp_log_record record;
    if (!find_key(resim, tick, &offset, &key_tick) || !open_reader(resim)) {
        return false;
    }
    tp_log_status status = tp_reader_seek(resim->reader, offset, key_tick);
    if (status == TP_LOG_OK) {
        status = tp_reader_next(resim->reader, &record);
    }
    if (status != TP_LOG_OK) {
        return fail_reading(resim, status);
    }
    return take_key(resim, &record) && step_to(resim, tick);
}

// diff_bundle_replay.c: the bundle's log, and the inputs behind its end, run again up to the bad tick.
#include "diff_bundle.h"

#include <stdlib.h>
#include <string.h>

#include "inputsource.h"

typedef struct {
    const BundleRead *bundle;
    tp_sim           *sim;
    BundleReplay     *replay;
    bool              is_started, is_after_gap;
} Replaying;

static bool is_there(const Replaying *replaying)
{
    return tp_sim_tick(replaying->sim) >= replaying->bundle->tick + 1;
}

static bool stop(Replaying *replaying, const char *what, const char *why)
{
    snprintf(replaying->replay->why, sizeof(replaying->replay->why), "tick %llu: %s: %.180s", (unsigned long long)tp_sim_tick(replaying->sim), what,
             why);
    return false;
}

static bool take_status(Replaying *replaying, tp_sim_status status, const char *error)
{
    if (status == TP_SIM_OK) {
        return true;
    }
    return stop(replaying, "stepping", status == TP_SIM_FAULTED ? "the world faults here" : error);
}

static bool take_key(Replaying *replaying, const tp_log_record *record)
{
    tp_error   error;
    tp_log_key key = tp_log_parse_key(record);
    // The first state of a whole log is what the world's init makes here: taking the recorder's would hide that they differ.
    bool is_needed = (!replaying->is_started && record->tick > 0) || replaying->is_after_gap;
    replaying->is_started = true;
    replaying->is_after_gap = false;
    return !is_needed || tp_sim_decode(replaying->sim, key.state, key.state_size, record->tick, key.input_leaf, key.event_leaf, &error) ||
           stop(replaying, "decoding the log's keyframe", error.text);
}

static void compare_root(Replaying *replaying, const tp_log_row *row)
{
    uint8_t root[16];
    if (row->root_size == 0 || replaying->replay->has_bad) {
        return;
    }
    tp_hash128_to_bytes(tp_sim_root(replaying->sim), root);
    replaying->replay->has_bad = memcmp(root, row->root, row->root_size) != 0;
    replaying->replay->bad_tick = row->tick;
}

static bool step_rows(Replaying *replaying, const tp_log_record *record)
{
    tp_log_row  row;
    tp_error    error;
    tp_log_rows rows = tp_log_rows_of(replaying->bundle->ident, record);
    while (!is_there(replaying) && tp_log_rows_next(&rows, &row)) {
        if (!take_status(replaying, tp_sim_step_bytes(replaying->sim, row.bytes, row.size, &error), error.text)) {
            return false;
        }
        replaying->replay->has_log_rows = true;
        replaying->replay->log_to = row.tick;
        compare_root(replaying, &row);
    }
    return true;
}

static bool take_record(Replaying *replaying, const tp_log_record *record)
{
    if (record->type == TP_LOG_KEY) {
        return take_key(replaying, record);
    }
    replaying->is_after_gap = replaying->is_after_gap || record->type == TP_LOG_GAP;
    return record->type != TP_LOG_TICKS || step_rows(replaying, record);
}

static bool run_log(Replaying *replaying)
{
    int               fd = replaying->bundle->log;
    tp_source         source = tp_source_of_fd(&fd);
    tp_reader_options options = { .skip_chain = true };
    tp_reader        *reader = NULL;
    tp_log_record     record;
    bool              is_good = true;
    tp_log_status     status = tp_reader_open(&source, &options, &reader);
    while (is_good && status == TP_LOG_OK && !is_there(replaying)) {
        status = tp_reader_next(reader, &record);
        if (status == TP_LOG_OK && record.type == TP_LOG_IDENT && !tp_hash128_equal(tp_reader_ident(reader)->rules.id, replaying->bundle->ident->rules.id)) {
            is_good = stop(replaying, BUNDLE_LOG, "it is a log of other rules than the bundle's");
        } else if (status == TP_LOG_OK) {
            is_good = take_record(replaying, &record);
        }
    }
    // It may end anywhere: what the room had not written yet is in the inputs.
    if (is_good && status != TP_LOG_OK && status != TP_LOG_DONE && status != TP_LOG_TRUNCATED) {
        is_good = stop(replaying, BUNDLE_LOG, reader != NULL ? tp_reader_message(reader) : "out of memory");
    }
    tp_reader_close(reader);
    return is_good;
}

static bool step_lines(Replaying *replaying, InputSource *lines, uint64_t tick)
{
    static RowBuffer buffer;
    tp_error         error;
    for (; !is_there(replaying); tick++) {
        if (inputsource_next_line(lines, &buffer) != INPUT_ROW) {
            return stop(replaying, BUNDLE_INPUTS, "the ticks up to the bad one are not all in it");
        }
        if (tick < tp_sim_tick(replaying->sim)) {
            continue;
        }
        tp_row row = rowjson_row(&buffer);
        if (!take_status(replaying, tp_sim_step(replaying->sim, &row, &error), error.text)) {
            return false;
        }
        replaying->replay->has_input_rows = true;
        replaying->replay->inputs_to = tick;
    }
    return true;
}

static bool run_inputs(Replaying *replaying)
{
    tp_error     error;
    RulesLine    rules;
    bool         has_rules = false;
    const char  *path = diff_bundle_file(replaying->bundle, BUNDLE_INPUTS);
    InputSource *lines = inputsource_lines(tp_sim_layout(replaying->sim), path, &error);
    if (lines == NULL) {
        return stop(replaying, BUNDLE_INPUTS, error.text);
    }
    bool is_good = inputsource_read_rules(lines, &rules, &has_rules) && has_rules;
    if (!is_good) {
        stop(replaying, BUNDLE_INPUTS, "it does not begin with the line of the rules");
    } else if (rules.first_tick > tp_sim_tick(replaying->sim)) {
        is_good = stop(replaying, "re-simulating", "the ticks from here on are neither in log.tpr nor in inputs.jsonl");
    } else {
        is_good = step_lines(replaying, lines, rules.first_tick);
    }
    inputsource_destroy(lines);
    return is_good;
}

void diff_bundle_replay(const BundleRead *bundle, tp_sim *sim, BundleReplay *replay)
{
    Replaying replaying = { .bundle = bundle, .sim = sim, .replay = replay };
    *replay = (BundleReplay){ 0 };
    bool is_good = bundle->log < 0 || run_log(&replaying);
    is_good = is_good && (is_there(&replaying) || run_inputs(&replaying));
    if (is_good && tp_sim_tick(sim) != bundle->tick + 1) {
        is_good = stop(&replaying, BUNDLE_LOG, "it begins behind the bad tick");
    }
    replay->has_reached = is_good;
    replay->root = tp_sim_root(sim);
}

// synctest_run.c: the straight run that is tested: a new one, or the one that a log holds.
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "files.h"
#include "synctest_work.h"

enum { PROGRESS_TICKS = 16, COMMAND_HEAD = 8 };

bool synctestbench_open(SynctestBench *bench, const SynctestWork *work, tp_sim *sim, tp_error *error)
{
    tp_synctest_options options;
    tp_synctest_options_standard(&options);
    options.strengths = work->strengths;
    options.distance_first = work->distance_first;
    options.distance_last = work->distance_last;
    options.stop = work->stop;
    bench->is_too_large = tp_synctest_memory(sim, &options) > TP_SYNCTEST_MEMORY_MAX;
    if ((work->strengths >> TP_STRENGTH_PROCESS & 1) != 0) {
        bench->carrier = synctestcarrier_create(work, tp_sim_rules(sim));
        options.carry = synctestcarrier_carry;
        options.carry_to = bench->carrier;
        if (bench->carrier == NULL) {
            return tp_error_set(error, "out of memory");
        }
    }
    bench->test = tp_synctest_create(sim, &options, error);
    return bench->test != NULL;
}

void synctestbench_close(SynctestBench *bench)
{
    if (bench->last_shown > 0) {
        fputs("\r\033[K", stderr);
    }
    tp_synctest_destroy(bench->test);
    synctestcarrier_destroy(bench->carrier);
    *bench = (SynctestBench){ 0 };
}

void synctestbench_show(SynctestBench *bench, const SynctestWork *work, uint64_t tick)
{
    double now = work->shows_progress && tick % PROGRESS_TICKS == 0 ? cli_seconds() : 0;
    if (now - bench->last_shown >= 0.2) {
        bench->last_shown = now;
        fprintf(stderr, "\rtick %llu   ", (unsigned long long)tick);
    }
}

static void finish(SynctestBench *bench, SynctestResult *result)
{
    tp_synctest_finish(bench->test, &result->report);
    if (tp_verdict_worst(result->verdict, result->report.verdict) != result->verdict) {
        result->verdict = result->report.verdict;
        snprintf(result->message, sizeof(result->message), "%s", result->report.message);
    }
}

static void conclude(SynctestResult *result, tp_verdict verdict, const char *text)
{
    result->verdict = verdict;
    snprintf(result->message, sizeof(result->message), "%s", text);
}

// A new run.

typedef struct {
    const SynctestWork *work;
    tp_sim             *sim;
    InputSource        *inputs;
    RowBuffer          *buffer;
    uint8_t            *row;
    size_t              row_capacity;
} NewRun;

static bool open_inputs(NewRun *run, tp_error *error)
{
    const SynctestWork *work = run->work;
    const tp_layout    *layout = tp_sim_layout(run->sim);
    if (run->inputs != NULL) {
        inputsource_set_layout(run->inputs, layout);
    } else {
        run->inputs = work->is_bot ? inputsource_bots(layout, work->bot_delay) : inputsource_neutral(layout);
        tp_error_set(error, "out of memory");
    }
    return run->inputs != NULL;
}

// One tick. False when the run is over; `*code` says so when that is somebody's fault.
static bool step_new(NewRun *run, SynctestBench *bench, int *code)
{
    tp_error    error;
    uint64_t    tick = tp_sim_tick(run->sim);
    InputResult found = inputsource_next(run->inputs, run->sim, run->buffer);
    if (found == INPUT_END && run->work->has_ticks && !*run->work->stop) {
        *code = cli_fail(TP_USAGE, "the inputs end before tick %llu, but --ticks asks for %llu; leave --ticks out to run as far as they go",
                         (unsigned long long)tick, (unsigned long long)run->work->ticks);
    } else if (found == INPUT_BAD) {
        *code = TP_USAGE;
    }
    if (found != INPUT_ROW) {
        return false;
    }
    tp_row row = rowjson_row(run->buffer);
    size_t size = tp_row_encode(tp_sim_layout(run->sim), &row, run->row, run->row_capacity);
    if (tp_sim_step_bytes(run->sim, run->row, size, &error) == TP_SIM_REFUSED) {
        inputsource_refused(run->inputs, tick, error.text);
        *code = run->work->inputs != NULL ? TP_USAGE : TP_INTERNAL;
        return false;
    }
    synctestbench_show(bench, run->work, tick);
    return tp_synctest_tick(bench->test, run->row, size) && !tp_sim_is_faulted(run->sim);
}

static void step_all(NewRun *run, SynctestBench *bench, SynctestResult *result, int *code)
{
    const SynctestWork *work = run->work;
    bool                goes_on = true;
    while (goes_on && !*work->stop && tp_sim_tick(run->sim) < work->ticks) {
        goes_on = step_new(run, bench, code);
    }
    if (*code == TP_VERIFIED) {
        finish(bench, result);
    }
    if (*work->stop && result->verdict == TP_VERIFIED) {
        conclude(result, TP_INCOMPLETE, "interrupted; what was compared until then was equal");
    }
}

static bool take_run_memory(NewRun *run)
{
    const tp_layout *layout = tp_sim_layout(run->sim);
    run->row_capacity = tp_row_size_fixed(layout->setup.players, layout->input_size) + TP_COMMAND_BYTES_MAX + (size_t)TP_COMMANDS_MAX * COMMAND_HEAD;
    run->buffer = malloc(sizeof(*run->buffer));
    run->row = malloc(run->row_capacity);
    return run->buffer != NULL && run->row != NULL;
}

bool synctestrun_new(const SynctestWork *work, InputSource *inputs, SynctestBench *bench, SynctestResult *result, int *code)
{
    tp_error       error;
    tp_setup       setup = { work->seed, work->players, work->rate, work->config_values };
    tp_sim_options options = { .algorithm = work->algorithm };
    NewRun         run = { .work = work, .sim = tp_sim_create(work->world, &setup, &options, &error), .inputs = inputs };
    *code = TP_VERIFIED;
    if (run.sim == NULL) {
        *code = cli_fail(TP_USAGE, "making world '%s': %s", work->world->name, error.text);
        return false;
    }
    if (!take_run_memory(&run)) {
        *code = cli_fail(TP_INTERNAL, "out of memory");
    } else if (!open_inputs(&run, &error)) {
        *code = cli_fail(TP_USAGE, "bots: opening the inputs: %s", error.text);
    } else if (!synctestbench_open(bench, work, run.sim, &error)) {
        *code = cli_fail(bench->is_too_large ? TP_USAGE : TP_INTERNAL, "synctest: %s; give a smaller --distance", error.text);
    } else {
        snprintf(result->world, sizeof(result->world), "%s", work->world->name);
        result->revision = work->world->revision;
        result->players = work->players;
        result->seed = work->seed;
        step_all(&run, bench, result, code);
    }
    if (run.inputs != inputs) {
        inputsource_destroy(run.inputs);
    }
    free(run.buffer);
    free(run.row);
    tp_sim_destroy(run.sim);
    return *code == TP_VERIFIED;
}

// A log's run.

// The state before the next row is at hand: the first, or one that a keyframe after a gap brought.
static bool take_place(SynctestBench *bench, const SynctestWork *work, tp_sim *sim, uint64_t *place, tp_error *error)
{
    bool is_elsewhere = bench->test != NULL && tp_sim_tick(sim) != *place;
    *place = tp_sim_tick(sim);
    if (bench->test == NULL) {
        return synctestbench_open(bench, work, sim, error);
    }
    if (is_elsewhere) {
        tp_synctest_jump(bench->test);
    }
    return true;
}

static bool follow(tp_verifier *verifier, SynctestBench *bench, const SynctestWork *work, tp_error *error)
{
    uint64_t place = 0;
    while (!*work->stop && tp_verifier_prepare(verifier) == TP_VERIFIER_ROW) {
        tp_sim *sim = tp_verifier_sim(verifier);
        if (sim != NULL && !tp_sim_is_faulted(sim) && !take_place(bench, work, sim, &place, error)) {
            return false;
        }
        if (tp_verifier_next(verifier) != TP_VERIFIER_ROW) {
            break;
        }
        const tp_log_row *row = tp_verifier_row(verifier);
        if (row != NULL && bench->test != NULL) {
            (void)tp_synctest_tick(bench->test, row->bytes, row->size); // when no case stands any more, the log is still verified
            place = tp_sim_tick(sim);
            synctestbench_show(bench, work, place);
        }
    }
    return true;
}

static void describe_log(const tp_report *verified, SynctestResult *result)
{
    snprintf(result->world, sizeof(result->world), "%s", verified->world);
    result->revision = verified->revision;
    result->players = verified->players;
    result->seed = verified->seed;
    result->verified = verified;
    result->verdict = verified->verdict;
    snprintf(result->message, sizeof(result->message), "%s", verified->message);
}

static void run_verifier(const SynctestWork *work, SynctestBench *bench, const LogFile *file, tp_report *verified, SynctestResult *result)
{
    tp_error          error = { "" };
    tp_verify_options options;
    tp_verify_options_standard(&options);
    options.find_world = worlds_search;
    options.find_to = (void *)&work->worlds;
    options.stop = work->stop;
    tp_verifier *verifier = tp_verifier_create(&file->source, &options);
    if (verifier == NULL) {
        conclude(result, TP_INTERNAL, "out of memory");
        return;
    }
    bool is_good = follow(verifier, bench, work, &error);
    tp_verifier_finish(verifier, verified);
    describe_log(verified, result);
    if (!is_good && bench->is_too_large) {
        conclude(result, TP_USAGE, error.text);
    } else if (!is_good) {
        conclude(result, TP_INTERNAL, error.text);
    } else if (bench->test != NULL) {
        finish(bench, result);
    } else if (result->verdict == TP_VERIFIED) {
        conclude(result, TP_INCOMPLETE, "there was no tick, so nothing was compared");
    }
    tp_verifier_destroy(verifier);
}

void synctestrun_log(const SynctestWork *work, SynctestBench *bench, const char *path, tp_report *verified, SynctestResult *result)
{
    tp_error error;
    LogFile  file = { .fd = -1 };
    result->path = path;
    if (!files_open_log(&file, path, &error)) {
        conclude(result, TP_USAGE, error.text);
        cli_fail(TP_USAGE, "%s: opening the log: %s", path, error.text);
    } else {
        run_verifier(work, bench, &file, verified, result);
    }
    files_close_log(&file);
}

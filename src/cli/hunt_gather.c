// hunt_gather.c: both sidecars of the whole log, or of as much of it as a side that crashes or hangs comes to.
#include "hunt_internal.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "args.h"

enum { LEAVES_TICKS = 64 };

// A side of this program says it itself, in its last line.
static bool read_tick(const char *message, uint64_t *tick)
{
    static const char words[] = "in the step of tick ";
    char              digits[24] = "";
    const char       *at = strstr(message, words);
    if (at == NULL) {
        return false;
    }
    at += sizeof(words) - 1;
    size_t size = strspn(at, "0123456789");
    if (size == 0 || size >= sizeof(digits)) {
        return false;
    }
    memcpy(digits, at, size);
    return args_parse_u64(digits, tick);
}

// The log's first and last tick, by its own rows.
static bool log_range(const HuntWork *work, uint64_t *first, uint64_t *last)
{
    tp_memory_source  memory = { work->ask->log, work->ask->log_size };
    tp_source         source = tp_source_of_memory(&memory);
    tp_reader_options options = { .skip_chain = true };
    tp_reader        *reader = NULL;
    tp_log_record     record;
    tp_log_status     status = tp_reader_open(&source, &options, &reader);
    while (status == TP_LOG_OK) {
        status = tp_reader_next(reader, &record);
    }
    bool is_there = reader != NULL && tp_reader_ident(reader) != NULL && tp_reader_ticks(reader) > 0;
    if (is_there) {
        *first = tp_reader_ident(reader)->first_tick;
        *last = tp_reader_next_tick(reader) - 1;
    }
    tp_reader_close(reader);
    return is_there;
}

// Asks the side for the ticks up to `to`. The answer takes the place of the last good one.
static bool probe(HuntWork *work, unsigned side, uint64_t to, SideAnswer *best)
{
    SideAsk    ask = { .log = work->ask->log, .log_size = work->ask->log_size, .to = to, .leaves_ticks = LEAVES_TICKS };
    SideAnswer answer;
    if (!side_run(work->ask->sides[side], &ask, &answer)) {
        side_answer_finish(&answer);
        return false;
    }
    side_answer_finish(best);
    *best = answer;
    return true;
}

// A command that crashes without a word: the last tick up to which it can be run is looked for by halving.
static void narrow(HuntWork *work, unsigned side, SideAnswer *best)
{
    HuntTrouble *trouble = &work->trouble[side];
    uint64_t     good = 0; // ticks below it come back
    uint64_t     bad = 0;  // up to this one the side crashes
    if (!log_range(work, &good, &bad)) {
        return;
    }
    uint64_t last = bad;
    bool     is_first = true;
    while (good < bad || is_first) {
        // Whether it crashes in a step at all is asked first: it may be what comes after the last one.
        uint64_t to = is_first ? last : good + (bad - good) / 2;
        if (!probe(work, side, to, best)) {
            bad = to;
        } else if (is_first) {
            return;
        } else {
            good = to + 1;
        }
        is_first = false;
    }
    // What never came back may as well never have run.
    trouble->has_tick = best->trace != NULL || work->whole[side].result == SIDE_CRASHED;
    trouble->tick = good;
}

// With the tick known, the ticks before it can be had.
static void take_trouble(HuntWork *work, unsigned side)
{
    HuntTrouble *trouble = &work->trouble[side];
    SideAnswer  *answer = &work->whole[side];
    SideAnswer   best = { 0 };
    *trouble = (HuntTrouble){ .is_there = true, .is_stuck = answer->result == SIDE_STUCK };
    memcpy(trouble->what, answer->message, sizeof(trouble->what));
    trouble->has_tick = read_tick(answer->message, &trouble->tick);
    if (trouble->has_tick) { // the rest of what this program says then is said better here
        trouble->what[strcspn(trouble->what, ":")] = '\0';
    }
    if (!trouble->has_tick && !trouble->is_stuck) {
        narrow(work, side, &best);
    } else if (trouble->has_tick && trouble->tick > 0) {
        probe(work, side, trouble->tick - 1, &best);
    }
    // A side that differed before it went silent has said so.
    if (best.trace == NULL && answer->trace != NULL && answer->trace->count > 0) {
        return;
    }
    if (work->owns_whole[side]) {
        side_answer_finish(answer);
    }
    work->owns_whole[side] = true;
    *answer = best;
}

// A shell tells of a signal by 128 and its number, and a sanitizer ends a program with a code of its own: none that `trace` has.
static bool is_others_crash(const SideAnswer *answer)
{
    bool is_shell = answer->code == 126 || answer->code == 127;
    return answer->code != 0 && answer->code != TP_INTERNAL && !is_shell && (answer->code < TP_USAGE || answer->code > TP_UNAUTHENTIC);
}

static bool take_answer(HuntWork *work, unsigned side)
{
    const SideAnswer *answer = &work->whole[side];
    tp_verdict        verdict = TP_INTERNAL;
    switch (answer->result) {
    case SIDE_DONE: return true;
    case SIDE_CRASHED:
    case SIDE_STUCK: take_trouble(work, side); return true;
    case SIDE_SKIPPED: work->hunt->finding.is_skipped = true; break;
    case SIDE_STOPPED: verdict = TP_INCOMPLETE; break;
    case SIDE_FAILED:
        if (is_others_crash(answer)) {
            take_trouble(work, side);
            return true;
        }
        verdict = side_verdict(answer);
        break;
    }
    return hunt_say(work, verdict, "%s: %s", hunt_name(work, side), answer->message);
}

bool hunt_gather(HuntWork *work)
{
    const HuntAsk *ask = work->ask;
    for (unsigned i = 0; ask->answers != NULL && i < 2; i++) {
        work->whole[i] = ask->answers[i];
    }
    if (ask->answers == NULL) {
        SideAsk whole = { .log = ask->log, .log_size = ask->log_size, .to = UINT64_MAX, .leaves_ticks = LEAVES_TICKS };
        side_run_two(ask->sides, &whole, work->whole);
        work->owns_whole[0] = work->owns_whole[1] = true;
    }
    return take_answer(work, 0) && take_answer(work, 1);
}

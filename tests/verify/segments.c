// segments.c: logs verified in segments get the report of a verification in one piece, field for field: good ones of every kind, and
// some thousand changed in seeded ways, with and without all checksums redone. That the segments' own answer counts, and that a lie in a
// single segment, a hole or a strange boundary is noticed, is shown, too.
//
//   segments [N]     changed logs; 1,000 when not given
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "log_mutate.h"
#include "runnerlog.h"
#include "testrecording.h"
#include "tickproof/rng.h"

enum { LOGS = 12, SEGMENTS_MAX = 8 };

static uint8_t *good[LOGS];
static size_t   good_size[LOGS];
static uint64_t compared, failed, by_segments, by_verdict[71];

static const tp_world *find(void *to, const char *name, uint32_t revision)
{
    tp_verify_options runner = runnerlog_verify_options();
    const tp_world   *world = runner.find_world(to, name, revision);
    tp_verify_options others = recording_verify_options();
    return world != NULL ? world : others.find_world(to, name, revision);
}

static tp_verify_options options_of_test(void)
{
    tp_verify_options options;
    tp_verify_options_standard(&options);
    options.find_world = find;
    return options;
}

static void complain(const char *what, int log)
{
    if (failed++ < 20) {
        printf("segments: %s (log %d)\n", what, log);
    }
}

static void make(int i)
{
    RunnerLog wanted = runnerlog_standard();
    Recording recording = recording_standard();
    wanted.seed = (uint64_t)i;
    wanted.players = 1 + (uint32_t)i % 8;
    wanted.halts = i % 6 == 2;
    wanted.writer.root_size = i % 8 == 6 ? 0 : wanted.writer.root_size; // nothing but LEAVES and KEY to compare with
    wanted.writer.no_index = i % 4 == 0;
    recording.seed = (uint64_t)i;
    recording.world = i % 4 == 1 ? &testworld_opaque : &testworld_flat;
    recording.algorithm = i % 8 == 3 ? TP_HASH_FNV1A128 : TP_HASH_XXH3;
    recording.fault_tick = i % 4 == 3 ? 290 : 0;
    recording.writer.leaves_ticks = i % 8 == 5 ? 0 : recording.writer.leaves_ticks;
    good[i] = i % 2 == 0 ? runnerlog_make(&wanted, &good_size[i]) : recording_make(&recording, &good_size[i]);
}

// Both ways, and the reports byte by byte. Returns how many segments answered.
static size_t compare(const uint8_t *bytes, size_t size, const tp_verify_options *options, uint64_t ticks, int log)
{
    tp_memory_source memory = { bytes, size };
    tp_source        source = tp_source_of_memory(&memory);
    tp_report        whole, parts;
    tp_verify_log(&source, options, &whole);
    size_t count = tp_verify_in_segments(&source, options, ticks, &parts);
    compared++;
    by_segments += count > 1 ? 1 : 0;
    by_verdict[whole.verdict]++;
    if (memcmp(&whole, &parts, sizeof(whole)) != 0) {
        complain("the reports differ", log);
        printf("  in one piece: %d %s\n  in segments:  %d %s\n", whole.verdict, whole.message, parts.verdict, parts.message);
    }
    return count;
}

// Redone checksums leave it to structure, binding and stepping; a record that is changed as a whole leaves it to stepping alone.
static void change(tp_pcg32 *rng, uint8_t **bytes, size_t *size)
{
    uint32_t how = tp_pcg32_below(rng, 5);
    size_t   at = tp_pcg32_below(rng, (uint32_t)*size);
    if (how == 0) {
        *size = at;
        return;
    }
    (*bytes)[at] ^= how == 4 ? 0 : (uint8_t)(1u << tp_pcg32_below(rng, 8));
    if (how == 2 || how == 3) {
        log_mutate_repair(*bytes, *size);
    }
    LogMutate list = { 0 };
    if (how >= 3 && log_mutate_load(&list, *bytes, *size)) {
        if (how == 4) {
            log_mutate_delete(&list, 1 + tp_pcg32_below(rng, (uint32_t)list.count - 1));
        }
        free(*bytes);
        *bytes = log_mutate_save(&list, LOG_MUTATE_ALL, size);
    }
    log_mutate_finish(&list);
}

static void compare_changed(uint64_t rounds)
{
    tp_pcg32          rng = tp_pcg32_make(8, 1);
    tp_verify_options options = options_of_test();
    for (uint64_t i = 0; i < rounds; i++) {
        int      log = (int)(i % LOGS);
        size_t   size = good_size[log];
        uint8_t *bytes = malloc(size + 1);
        memcpy(bytes, good[log], size);
        change(&rng, &bytes, &size);
        compare(bytes, size, &options, 1, log);
        free(bytes);
    }
}

static void compare_good(void)
{
    static const uint8_t key[32] = { 1 };
    tp_verify_options    options = options_of_test();
    tp_verify_options    trusting = options;
    trusting.trusted_key = key;
    for (int i = 0; i < LOGS; i++) {
        bool   has_roots = i % 8 != 6;
        size_t count = compare(good[i], good_size[i], &options, 1, i);
        if (count < 3 && has_roots) {
            complain("a good log was not put together from segments", i);
        }
        if (compare(good[i], good_size[i], &options, 180, i) != (has_roots ? 2u : 1u) && i % 2 == 1) {
            complain("longer segments are not fewer", i);
        }
        compare(good[i], good_size[i], &trusting, 1, i);
    }
}

typedef struct {
    tp_segment segments[SEGMENTS_MAX];
    size_t     count;
} Parts;

static void take_cut(void *to, tp_cut cut)
{
    Parts *parts = to;
    parts->segments[parts->count - 1].last = cut;
    parts->segments[parts->count++].first = cut;
}

// A merge must not be talked into an answer.
static void try_false_merges(void)
{
    tp_memory_source  memory = { good[1], good_size[1] };
    tp_source         source = tp_source_of_memory(&memory);
    tp_verify_options options = options_of_test();
    tp_reading        reading;
    tp_report         report;
    Parts             parts = { .count = 1 };
    tp_verify_read(&source, &options, take_cut, &parts, &reading);
    for (size_t i = parts.count; i-- > 0;) { // in any order
        tp_verify_segment(&source, &options, &parts.segments[i]);
    }
    bool was_fine = tp_verify_merge(&options, &reading, parts.segments, parts.count, &report) && report.verdict == TP_VERIFIED;
    if (!was_fine || parts.count < 3) {
        complain("the true merge did not verify", 1);
    }
    Parts lie = parts;
    if (tp_verify_merge(&options, &reading, lie.segments, lie.count - 1, &report) || tp_verify_merge(&options, &reading, lie.segments + 1, lie.count - 1, &report) ||
        tp_verify_merge(&options, &reading, lie.segments, 0, &report)) {
        complain("a merge did not miss a segment", 1);
    }
    lie.segments[1].is_done = false;
    if (tp_verify_merge(&options, &reading, lie.segments, lie.count, &report)) {
        complain("a merge took a segment that is not done", 1);
    }
    lie.segments[1].is_stopped = true;
    if (!tp_verify_merge(&options, &reading, lie.segments, lie.count, &report) || report.verdict != TP_INCOMPLETE) {
        complain("a stopped segment is not incomplete", 1);
    }
    lie = parts;
    lie.segments[1].first.tick++;
    if (tp_verify_merge(&options, &reading, lie.segments, lie.count, &report)) {
        complain("a merge took segments that do not meet", 1);
    }
    reading.is_whole = false;
    if (tp_verify_merge(&options, &reading, parts.segments, parts.count, &report)) {
        complain("a merge took a log that was not read whole", 1);
    }
    // A segment that ends somewhere else than it was told, or begins at what is no KEY.
    lie.segments[0].last.offset++;
    tp_verify_segment(&source, &options, &lie.segments[0]);
    lie.segments[2].first.offset++;
    tp_verify_segment(&source, &options, &lie.segments[2]);
    if (lie.segments[0].is_done || lie.segments[2].is_done) {
        complain("a segment with a strange boundary was done", 1);
    }
}

typedef struct {
    uint64_t tick;
} Planted;

static void plant(void *to, tp_sim *sim, uint64_t tick, bool is_finished)
{
    const Planted *planted = to;
    if (!is_finished && tick == planted->tick) {
        ((uint8_t *)tp_sim_state(sim))[16] ^= 1;
    }
}

// A state that is changed behind the verifier's back at any tick is found by the segment that holds it, and the answer is the same.
static void try_planted_ticks(void)
{
    tp_verify_options options = options_of_test();
    Planted           planted = { 0 };
    options.each_tick = plant;
    options.each_to = &planted;
    for (planted.tick = 0; planted.tick < 290; planted.tick += 7) {
        uint64_t before = by_verdict[TP_DIVERGED];
        if (compare(good[7], good_size[7], &options, 1, 7) != 0 || by_verdict[TP_DIVERGED] != before + 1) {
            complain("a planted change was not found", 7);
        }
    }
}

int main(int argc, char **argv)
{
    uint64_t rounds = argc > 1 ? strtoull(argv[1], NULL, 10) : 1000;
    for (int i = 0; i < LOGS; i++) {
        make(i);
    }
    compare_good();
    compare_changed(rounds);
    try_false_merges();
    try_planted_ticks();
    if (by_segments == 0 || by_verdict[TP_VERIFIED] == 0 || by_verdict[TP_DIVERGED] == 0 || by_verdict[TP_CORRUPT] == 0 || by_verdict[TP_TRUNCATED] == 0) {
        complain("not every kind of answer was compared", -1);
    }
    printf("segments: %llu reports compared, %llu put together from segments, %llu failures\n", (unsigned long long)compared,
           (unsigned long long)by_segments, (unsigned long long)failed);
    for (int i = 0; i < LOGS; i++) {
        free(good[i]);
    }
    return failed == 0 ? 0 : 1;
}

// What a person hears and feels: which cues, how strong, in what order, and that none of it reaches the state.
#include <criterion/criterion.h>

#include <stdio.h>
#include <stdlib.h>

#include "runner_rig.h"

typedef struct Recorder {
    tp_cue   cues[256];
    uint32_t count;
} Recorder;

static void record(void *to, const tp_cue *cue)
{
    Recorder *recorder = to;
    cr_assert_lt(recorder->count, 256);
    recorder->cues[recorder->count] = *cue;
    recorder->count++;
}

typedef struct Stage {
    RunnerObserver observer;
    Recorder       recorder;
} Stage;

static Stage *stage_new(void)
{
    Stage *stage = calloc(1, sizeof(*stage));
    cr_assert_not_null(stage);
    tp_setup setup = { .seed = 1, .players = 1, .tick_rate_hz = 120 };
    runner_observer.init(&stage->observer, &setup);
    return stage;
}

// One tick made of these events.
static void show(Stage *stage, const tp_event *events, uint32_t count)
{
    tp_view view = { .events = events, .event_count = count };
    stage->recorder.count = 0;
    runner_observer.tick(&stage->observer, &view, record, &stage->recorder);
}

static tp_event event_of(RunnerEvent type, const void *data)
{
    return (tp_event){ .tick = 9, .type = (uint32_t)type, .data = data };
}

static RunnerCoinTaken coin_of(uint32_t combo)
{
    return (RunnerCoinTaken){ 0, { runner_lane_x(2) }, { RUNNER_RAW(510) }, combo, 25 * combo };
}

static void show_coin(Stage *stage, uint32_t combo)
{
    RunnerCoinTaken coin = coin_of(combo);
    tp_event event = event_of(RUNNER_EVENT_COIN, &coin);
    show(stage, &event, 1);
}

static const RunnerPlace place = { 0, { RUNNER_RAW(180) }, { RUNNER_RAW(520) } };

// Goal: eight pitches of one recording, 2^(k/14); the eighth is half an octave up, not a fifth.
Test(runner_observe, pitch_climbs_to_a_tritone)
{
    static const int32_t expected[8] = { 65536, 68862, 72358, 76030, 79889, 83944, 88205, 92682 };
    tp_fx pitch;
    for (uint32_t combo = 1; combo <= 8; combo++) {
        cr_assert(runner_observe_pitch(combo, &pitch));
        cr_assert_eq(pitch.raw, expected[combo - 1]);
    }
    int64_t square = (int64_t)pitch.raw * pitch.raw;
    cr_assert(square > 2 * INT64_C(4294967296) - 200000 && square < 2 * INT64_C(4294967296) + 200000);
}

Test(runner_observe, no_combo_has_no_pitch)
{
    tp_fx pitch = { 77 };
    cr_assert_not(runner_observe_pitch(0, &pitch));
    cr_assert_not(runner_observe_pitch(9, &pitch));
    cr_assert_not(runner_observe_pitch(UINT32_MAX, &pitch));
    cr_assert_eq(pitch.raw, 77);
    Stage *stage = stage_new();
    show_coin(stage, 0);
    cr_assert_eq(stage->recorder.count, 0);
    cr_assert_eq(stage->observer.rejected, 1);
    free(stage);
}

Test(runner_observe, coin_sparks_and_shakes)
{
    static const double kicks[8] = { 1.9, 2.3, 2.7, 3.1, 3.5, 3.9, 4.3, 4.7 };
    for (uint32_t combo = 1; combo <= 8; combo++) {
        Stage *stage = stage_new();
        show_coin(stage, combo);
        const tp_cue *cues = stage->recorder.cues;
        cr_assert_eq(stage->recorder.count, 3);
        cr_assert_eq(cues[0].kind, TP_CUE_SOUND);
        cr_assert_eq(cues[0].volume.raw, 30638, "0.85 * 0.55");
        cr_assert_eq(cues[1].kind, TP_CUE_PARTICLES);
        cr_assert_eq(cues[1].count, 10);
        cr_assert_eq(cues[1].amount.raw, RUNNER_RAW(190));
        cr_assert_eq(cues[1].x.raw, runner_lane_x(2));
        cr_assert_eq(cues[2].kind, TP_CUE_SHAKE);
        cr_assert_leq(runner_distance(cues[2].amount.raw, (int32_t)(kicks[combo - 1] * 65536)), 1);
        free(stage);
    }
}

Test(runner_observe, crash_and_near_miss)
{
    Stage *stage = stage_new();
    tp_event event = event_of(RUNNER_EVENT_NEAR_MISS, &place);
    show(stage, &event, 1);
    cr_assert_eq(stage->recorder.count, 3);
    cr_assert_str_eq(stage->recorder.cues[1].name, "graze");
    cr_assert_eq(stage->recorder.cues[1].count, 8);
    cr_assert_eq(stage->recorder.cues[2].amount.raw, RUNNER_RAW(3));
    event = event_of(RUNNER_EVENT_CRASHED, &place);
    show(stage, &event, 1);
    cr_assert_str_eq(stage->recorder.cues[1].name, "debris");
    cr_assert_eq(stage->recorder.cues[1].count, 28);
    cr_assert_eq(stage->recorder.cues[2].amount.raw, RUNNER_RAW(16));
    free(stage);
}

// Goal: dust flies where the runner was when it turned, though it is asked for with a view of no state at all.
Test(runner_observe, dust_comes_from_the_event)
{
    Stage *stage = stage_new();
    RunnerLaneChanged changed = { 0, 1, 2, { RUNNER_RAW(123) } };
    tp_event event = event_of(RUNNER_EVENT_LANE_CHANGED, &changed);
    show(stage, &event, 1);
    cr_assert_eq(stage->recorder.count, 2, "no shake");
    cr_assert_str_eq(stage->recorder.cues[1].name, "dust");
    cr_assert_eq(stage->recorder.cues[1].x.raw, RUNNER_RAW(123));
    cr_assert_eq(stage->recorder.cues[1].y.raw, RUNNER_RAW(520));
    cr_assert_gt(stage->recorder.cues[1].amount.raw, 0);
    changed.to = 0;
    show(stage, &event, 1);
    cr_assert_lt(stage->recorder.cues[1].amount.raw, 0);
    free(stage);
}

Test(runner_observe, some_events_are_silent)
{
    Stage *stage = stage_new();
    RunnerCoinMissed missed = { 0 };
    RunnerStarted started = { 1 };
    tp_event events[2] = { event_of(RUNNER_EVENT_COIN_MISSED, &missed), event_of(RUNNER_EVENT_STARTED, &started) };
    show(stage, events, 2);
    cr_assert_eq(stage->recorder.count, 1);
    cr_assert_str_eq(stage->recorder.cues[0].name, "start");
    cr_assert_eq(stage->observer.shake.raw, 0);
    free(stage);
}

// Goal: all ears before all eyes.
Test(runner_observe, two_passes)
{
    Stage *stage = stage_new();
    RunnerCoinTaken coin = coin_of(1);
    tp_event events[3] = {
        event_of(RUNNER_EVENT_NEAR_MISS, &place), event_of(RUNNER_EVENT_COIN, &coin), event_of(RUNNER_EVENT_CRASHED, &place),
    };
    show(stage, events, 3);
    cr_assert_eq(stage->recorder.count, 9);
    for (uint32_t i = 0; i < 9; i++) {
        cr_assert_eq(stage->recorder.cues[i].kind == TP_CUE_SOUND, i < 3);
    }
    free(stage);
}

Test(runner_observe, voices_take_turns)
{
    Stage *stage = stage_new();
    static const uint32_t expected[6] = { 0, 1, 2, 3, 0, 1 };
    for (uint32_t i = 0; i < 6; i++) {
        show_coin(stage, 1);
        cr_assert_eq(stage->recorder.cues[0].voice, expected[i]);
    }
    tp_event crash = event_of(RUNNER_EVENT_CRASHED, &place);
    show(stage, &crash, 1);
    show(stage, &crash, 1);
    cr_assert_eq(stage->recorder.cues[0].voice, 0);
    free(stage);
}

Test(runner_observe, kicks_never_add)
{
    Stage *stage = stage_new();
    runner_observe_kick(&stage->observer, (tp_fx){ RUNNER_RAW(3) });
    runner_observe_kick(&stage->observer, (tp_fx){ 124518 });
    cr_assert_eq(stage->observer.shake.raw, RUNNER_RAW(3));
    free(stage);
}

// Goal: a kick of 16 falls by e^-8.5 a second and is gone below 0.05, after 0.68 s.
Test(runner_observe, shake_decays)
{
    Stage *stage = stage_new();
    runner_observe_kick(&stage->observer, (tp_fx){ RUNNER_RAW(16) });
    uint32_t ticks = 0;
    for (; stage->observer.shake.raw > 0 && ticks < 200; ticks++) {
        int32_t strength = stage->observer.shake.raw;
        show(stage, NULL, 0);
        cr_assert_leq(runner_distance(stage->observer.offset_x.raw, 0), strength);
        cr_assert_leq(runner_distance(stage->observer.offset_y.raw, 0), strength);
        cr_assert(stage->observer.shake.raw == 0 || stage->observer.shake.raw >= RUNNER_SHAKE_LEAST_RAW);
    }
    cr_assert_eq(ticks, 82);
    free(stage);
}

Test(runner_observe, particles_end)
{
    Stage *stage = stage_new();
    tp_event crash = event_of(RUNNER_EVENT_CRASHED, &place);
    show(stage, &crash, 1);
    cr_assert_eq(stage->observer.particles.head.live, 28);
    for (uint32_t i = 0; i < 59; i++) {
        cr_assert_eq(stage->observer.particles.head.live, 28, "0.5 s at least");
        show(stage, NULL, 0);
    }
    for (uint32_t i = 0; i < 73; i++) {
        show(stage, NULL, 0);
    }
    cr_assert_eq(stage->observer.particles.head.live, 0, "1.1 s at most");
    free(stage);
}

Test(runner_observe, full_pool_drops_the_new)
{
    Stage *stage = stage_new();
    tp_event crashes[10];
    for (uint32_t i = 0; i < 10; i++) {
        crashes[i] = event_of(RUNNER_EVENT_CRASHED, &place);
    }
    show(stage, crashes, 10);
    cr_assert_eq(stage->observer.particles.head.live, RUNNER_PARTICLES_MAX);
    cr_assert_eq(stage->recorder.cues[10 + 2 * 9].count, 256 - 9 * 28, "the tenth gets what is left");
    free(stage);
}

// Goal: one opening, cue by cue.
Test(runner_observe, golden_cues)
{
    static const char *const golden[] = {
        "0 start voice 0 volume 28836 pitch 65536 count 0 amount 0 x 0",
        "449 coin voice 0 volume 30638 pitch 65536 count 0 amount 0 x 11796480",
        "449 spark voice 0 volume 0 pitch 0 count 10 amount 12451840 x 11796480",
        "449 shake voice 0 volume 0 pitch 0 count 0 amount 124518 x 11796480",
        "547 coin voice 1 volume 30638 pitch 68862 count 0 amount 0 x 11796480",
        "547 spark voice 0 volume 0 pitch 0 count 10 amount 12451840 x 11796480",
        "547 shake voice 0 volume 0 pitch 0 count 0 amount 150732 x 11796480",
        "660 lane voice 0 volume 18022 pitch 65536 count 0 amount 0 x 11796480",
        "660 dust voice 0 volume 0 pitch 0 count 6 amount 4587520 x 11796480",
        "668 coin voice 2 volume 30638 pitch 72358 count 0 amount 0 x 19660800",
        "668 spark voice 0 volume 0 pitch 0 count 10 amount 12451840 x 19660800",
        "668 shake voice 0 volume 0 pitch 0 count 0 amount 176947 x 19660800",
        "735 lane voice 1 volume 18022 pitch 65536 count 0 amount 0 x 19660800",
        "735 dust voice 0 volume 0 pitch 0 count 6 amount -4587520 x 19660800",
        "740 crash voice 0 volume 36045 pitch 65536 count 0 amount 0 x 16086108",
        "740 debris voice 0 volume 0 pitch 0 count 28 amount 15728640 x 16086108",
        "740 shake voice 0 volume 0 pitch 0 count 0 amount 1048576 x 16086108",
    };
    Rig rig;
    rig_open(&rig, 1, 3, NULL);
    const uint8_t rows[4] = { 5 | 2 << 3, 5 | 2 << 3, 1 | 3 << 3, 2 };
    rig_command(&rig, TP_SOURCE_HOST, RUNNER_COMMAND_ROWS, rows, 4);
    Stage *stage = stage_new();
    char all[8192] = "";
    uint32_t line = 0;
    bool is_golden = true;
    for (uint32_t tick = 0; tick < 900; tick++) {
        rig.inputs[0] = tick == 660 ? RUNNER_EDGE_RIGHT : tick == 735 ? RUNNER_EDGE_LEFT : 0;
        rig_step(&rig);
        tp_view view = tp_sim_view(rig.sim);
        stage->recorder.count = 0;
        runner_observer.tick(&stage->observer, &view, record, &stage->recorder);
        for (uint32_t i = 0; i < stage->recorder.count; i++) {
            const tp_cue *cue = &stage->recorder.cues[i];
            char text[120];
            snprintf(text, sizeof(text), "%llu %s voice %u volume %d pitch %d count %u amount %d x %d",
                     (unsigned long long)cue->tick, cue->name, cue->voice, cue->volume.raw,
                     cue->pitch.raw, cue->count, cue->amount.raw, cue->x.raw);
            is_golden = is_golden && line < sizeof(golden) / sizeof(golden[0]) && strcmp(text, golden[line]) == 0;
            line++;
            snprintf(all + strlen(all), sizeof(all) - strlen(all), "        \"%s\",\n", text);
        }
    }
    cr_assert(is_golden && line == sizeof(golden) / sizeof(golden[0]), "actual:\n%s", all);
    free(stage);
    rig_close(&rig);
}

// Goal: watched or not, every root is the same.
Test(runner_observe, watching_changes_nothing)
{
    Rig watched;
    Rig alone;
    rig_open(&watched, 3, 12, NULL);
    rig_open(&alone, 3, 12, NULL);
    rig_seat_bots(&watched, 6, 25);
    rig_seat_bots(&alone, 6, 25);
    Stage *stage = stage_new();
    uint32_t cues = 0;
    for (uint32_t tick = 0; tick < 8000; tick++) {
        rig_step(&watched);
        rig_step(&alone);
        tp_view view = tp_sim_view(watched.sim);
        stage->recorder.count = 0;
        runner_observer.tick(&stage->observer, &view, record, &stage->recorder);
        cues += stage->recorder.count;
        cr_assert(tp_hash128_equal(tp_sim_root(watched.sim), tp_sim_root(alone.sim)), "tick %u", tick);
    }
    cr_assert_gt(cues, 100);
    cr_assert_eq(stage->observer.rejected, 0);
    free(stage);
    rig_close(&watched);
    rig_close(&alone);
}

Test(runner_observe, nobody_listens)
{
    Stage *stage = stage_new();
    RunnerCoinTaken coin = coin_of(3);
    tp_event event = event_of(RUNNER_EVENT_COIN, &coin);
    tp_view view = { .events = &event, .event_count = 1 };
    runner_observer.tick(&stage->observer, &view, NULL, NULL);
    cr_assert_eq(stage->observer.particles.head.live, 10);
    free(stage);
}

// runner_observe.c: from events to cues, in two passes: all events to the ears, then all again to the eyes and hands, so
// that a missing sound device cannot change the order of anything else. Payloads are read, never the state: a cue is
// right even when it is asked for late.
#include "runner_observe.h"

typedef struct Sink {
    void (*put)(void *to, const tp_cue *cue);
    void *to;
} Sink;

typedef struct Sound {
    const char *name;
    int32_t     volume_raw; // of the recording times the master volume
    uint32_t    voices;     // copies that play in turn, so that quick repeats do not cut each other off
} Sound;

static const Sound sounds[RUNNER_SOUND_COUNT] = {
    [RUNNER_SOUND_COIN]      = { "coin", 30638, 4 },      // 0.85 * 0.55
    [RUNNER_SOUND_NEAR_MISS] = { "near_miss", 21627, 2 }, // 0.6
    [RUNNER_SOUND_LANE]      = { "lane", 18022, 3 },      // 0.5
    [RUNNER_SOUND_CRASH]     = { "crash", 36045, 1 },     // 1
    [RUNNER_SOUND_START]     = { "start", 28836, 1 },     // 0.8
};

static const RunnerBurst spark_burst = { "spark", 10, 190, 420, 42, 36, 0, 65535 };
static const RunnerBurst graze_burst = { "graze", 8, 140, 300, 24, 30, 0xC000, 24575 };
static const RunnerBurst debris_burst = { "debris", 28, 240, 900, 60, 72, 0, 65535 };
static const RunnerBurst dust_burst = { "dust", 6, 70, 0, 24, 24, 0x8000, 12287 };

static const int32_t pitch_table[RUNNER_COMBO_MAX] = { 65536, 68862, 72358, 76030, 79889, 83944, 88205, 92682 };

bool runner_observe_pitch(uint32_t combo, tp_fx *pitch)
{
    if (combo < 1 || combo > RUNNER_COMBO_MAX) {
        return false;
    }
    pitch->raw = pitch_table[combo - 1];
    return true;
}

void runner_observe_kick(RunnerObserver *observer, tp_fx amount)
{
    if (observer->shake.raw < amount.raw) {
        observer->shake = amount;
    }
}

static void init(void *memory, const tp_setup *setup)
{
    RunnerObserver *observer = memory;
    *observer = (RunnerObserver){ .shake_generator = tp_pcg32_make(setup->seed, RUNNER_SHAKE_STREAM) };
    runner_particles_init(&observer->particles, setup->seed);
}

static void sound(RunnerObserver *observer, const tp_event *event, RunnerSound which, uint32_t slot, RunnerPlace place,
                  tp_fx pitch, const Sink *sink)
{
    tp_cue cue = {
        .tick   = event->tick,
        .kind   = TP_CUE_SOUND,
        .name   = sounds[which].name,
        .slot   = slot,
        .voice  = observer->next_voice[which],
        .volume = { sounds[which].volume_raw },
        .pitch  = pitch,
        .x      = place.x,
        .y      = place.y,
    };
    observer->next_voice[which] = (observer->next_voice[which] + 1) % sounds[which].voices;
    sink->put(sink->to, &cue);
}

static void hear(RunnerObserver *observer, const tp_event *event, const Sink *sink)
{
    tp_fx as_recorded = { RUNNER_RAW(1) };
    switch ((RunnerEvent)event->type) {
    case RUNNER_EVENT_STARTED:
        sound(observer, event, RUNNER_SOUND_START, TP_SOURCE_HOST, (RunnerPlace){ 0 }, as_recorded, sink);
        return;
    case RUNNER_EVENT_LANE_CHANGED: {
        const RunnerLaneChanged *changed = event->data;
        RunnerPlace place = { changed->slot, changed->x, { RUNNER_RAW(RUNNER_PLAYER_Y) } };
        sound(observer, event, RUNNER_SOUND_LANE, changed->slot, place, as_recorded, sink);
        return;
    }
    case RUNNER_EVENT_COIN: {
        const RunnerCoinTaken *coin = event->data;
        tp_fx pitch = as_recorded;
        if (!runner_observe_pitch(coin->combo, &pitch)) {
            observer->rejected++;
            return;
        }
        sound(observer, event, RUNNER_SOUND_COIN, coin->slot, (RunnerPlace){ coin->slot, coin->x, coin->y }, pitch, sink);
        return;
    }
    case RUNNER_EVENT_COIN_MISSED:
        return;
    case RUNNER_EVENT_NEAR_MISS: {
        const RunnerPlace *place = event->data;
        sound(observer, event, RUNNER_SOUND_NEAR_MISS, place->slot, *place, as_recorded, sink);
        return;
    }
    case RUNNER_EVENT_CRASHED: {
        const RunnerPlace *place = event->data;
        sound(observer, event, RUNNER_SOUND_CRASH, place->slot, *place, as_recorded, sink);
        return;
    }
    case RUNNER_EVENT_COUNT:
        break;
    }
    observer->rejected++;
}

static void burst(RunnerObserver *observer, const tp_event *event, const RunnerBurst *what, RunnerPlace place,
                  bool is_mirrored, const Sink *sink)
{
    tp_cue cue = {
        .tick   = event->tick,
        .kind   = TP_CUE_PARTICLES,
        .name   = what->name,
        .slot   = place.slot,
        .amount = { is_mirrored ? -RUNNER_RAW(what->speed) : RUNNER_RAW(what->speed) },
        .x      = place.x,
        .y      = place.y,
    };
    cue.count = runner_particles_add(&observer->particles, what, place.x, place.y, is_mirrored);
    sink->put(sink->to, &cue);
}

static void kick(RunnerObserver *observer, const tp_event *event, RunnerPlace place, int32_t amount_raw, const Sink *sink)
{
    runner_observe_kick(observer, (tp_fx){ amount_raw });
    tp_cue cue = {
        .tick = event->tick, .kind = TP_CUE_SHAKE, .name = "shake", .slot = place.slot, .amount = observer->shake,
        .x = place.x, .y = place.y,
    };
    sink->put(sink->to, &cue);
}

static void feel(RunnerObserver *observer, const tp_event *event, const Sink *sink)
{
    switch ((RunnerEvent)event->type) {
    case RUNNER_EVENT_STARTED:
    case RUNNER_EVENT_COIN_MISSED:
    case RUNNER_EVENT_COUNT: // counted as rejected when it was to be heard
        return;
    case RUNNER_EVENT_LANE_CHANGED: {
        // The dust flies from where the runner pushed itself off: to the left when it goes right.
        const RunnerLaneChanged *changed = event->data;
        RunnerPlace place = { changed->slot, changed->x, { RUNNER_RAW(RUNNER_PLAYER_Y) } };
        burst(observer, event, &dust_burst, place, changed->to < changed->from, sink);
        return;
    }
    case RUNNER_EVENT_COIN: {
        const RunnerCoinTaken *coin = event->data;
        RunnerPlace place = { coin->slot, coin->x, coin->y };
        if (coin->combo < 1 || coin->combo > RUNNER_COMBO_MAX) {
            return;
        }
        burst(observer, event, &spark_burst, place, false, sink);
        kick(observer, event, place, RUNNER_RAW(3) / 2 + (int32_t)(coin->combo * 131072 / 5), sink);
        return;
    }
    case RUNNER_EVENT_NEAR_MISS: {
        const RunnerPlace *place = event->data;
        burst(observer, event, &graze_burst, *place, false, sink);
        kick(observer, event, *place, RUNNER_RAW(3), sink);
        return;
    }
    case RUNNER_EVENT_CRASHED: {
        const RunnerPlace *place = event->data;
        burst(observer, event, &debris_burst, *place, false, sink);
        kick(observer, event, *place, RUNNER_RAW(16), sink);
        return;
    }
    }
}

// One tick of the shake: a new offset within its strength, then the decay.
static void update_shake(RunnerObserver *observer)
{
    int32_t strength = observer->shake.raw;
    uint32_t width = (uint32_t)strength * 2 + 1;
    uint32_t across = tp_pcg32_below(&observer->shake_generator, width);
    uint32_t down = tp_pcg32_below(&observer->shake_generator, width);
    observer->offset_x.raw = (int32_t)across - strength;
    observer->offset_y.raw = (int32_t)down - strength;
    int32_t kept = (int32_t)((int64_t)strength * RUNNER_SHAKE_KEPT >> 31);
    observer->shake.raw = kept < RUNNER_SHAKE_LEAST_RAW ? 0 : kept;
}

static void ignore_cue(void *to, const tp_cue *cue)
{
    (void)to;
    (void)cue;
}

static void tick(void *memory, const tp_view *view, void (*put)(void *to, const tp_cue *cue), void *to)
{
    RunnerObserver *observer = memory;
    Sink sink = { put != NULL ? put : ignore_cue, to };
    for (uint32_t i = 0; i < view->event_count; i++) {
        hear(observer, &view->events[i], &sink);
    }
    for (uint32_t i = 0; i < view->event_count; i++) {
        feel(observer, &view->events[i], &sink);
    }
    runner_particles_update(&observer->particles);
    update_shake(observer);
}

const tp_observer_type runner_observer = { .name = "reactions", .size = sizeof(RunnerObserver), .init = init, .tick = tick };

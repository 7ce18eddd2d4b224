// fighter_observe.c: from events to cues, in two passes: all events to the ears, then all again to the eyes and hands, so that a
// missing sound device cannot change the order of anything else. Payloads are read, never the state: a cue is right even when it
// is asked for late.
#include "fighter_observe.h"

typedef struct Sink {
    void (*put)(void *to, const tp_cue *cue);
    void *to;
} Sink;

// What one kind of event is to a person. No particles: they are not worth seeing.
typedef struct Reaction {
    const char *name;
    int32_t     volume_raw;
    const char *particles;
    uint32_t    least;    // particles without any knockback
    uint32_t    speed;    // theirs without any knockback, units a tick
    int32_t     kick_raw; // of the shake without any knockback
} Reaction;

static const Reaction reactions[FIGHTER_EVENT_COUNT] = {
    [FIGHTER_EVENT_JOINED]       = { "join", 32768, "glow", 8, 1, 0 },
    [FIGHTER_EVENT_LEFT]         = { "leave", 32768, "glow", 8, 1, 0 },
    [FIGHTER_EVENT_JUMPED]       = { "jump", 39322, "dust", 4, 2, 0 },
    [FIGHTER_EVENT_LANDED]       = { "land", 26214, "dust", 5, 2, 0 },
    [FIGHTER_EVENT_WALL]         = { "wall", 19661, "dust", 3, 2, 0 },
    [FIGHTER_EVENT_LEDGE]        = { "ledge", 26214, NULL, 0, 0, 0 },
    [FIGHTER_EVENT_TECHED]       = { "tech", 36045, "dust", 8, 3, 0 },
    [FIGHTER_EVENT_FIRED]        = { "fire", 36045, "flash", 4, 3, 0 },
    [FIGHTER_EVENT_RESPAWNED]    = { "respawn", 39322, "glow", 12, 1, 0 },
    [FIGHTER_EVENT_HIT]          = { "hit", 45875, "spark", 4, 2, 32768 },
    [FIGHTER_EVENT_SHIELDED]     = { "shield", 39322, "flash", 6, 2, 0 },
    [FIGHTER_EVENT_SHIELD_BROKE] = { "break", 58982, "shard", 30, 4, 3 * 65536 },
    [FIGHTER_EVENT_GRABBED]      = { "grab", 36045, NULL, 0, 0, 0 },
    [FIGHTER_EVENT_RELEASED]     = { "release", 26214, NULL, 0, 0, 0 },
    [FIGHTER_EVENT_THROWN]       = { "throw", 42598, "dust", 6, 3, 65536 },
    [FIGHTER_EVENT_KO]           = { "ko", 65536, "blast", 32, 8, 8 * 65536 },
    [FIGHTER_EVENT_MATCH_BEGAN]  = { "begin", 52429, NULL, 0, 0, 0 },
    [FIGHTER_EVENT_MATCH_ENDED]  = { "end", 52429, NULL, 0, 0, 0 },
};

// What of an event is felt, whatever record it carries.
typedef struct Touch {
    uint32_t slot;
    tp_fx    x, y;
    tp_fx    knockback;
} Touch;

static Touch touch_of_place(const FighterPlace *place)
{
    return (Touch){ place->slot, place->x, place->y, { 0 } };
}

static Touch touch_of_impact(const FighterImpact *impact)
{
    return (Touch){ impact->slot, impact->x, impact->y, impact->knockback };
}

// False for a type that no step makes.
static bool read_touch(const tp_event *event, Touch *touch)
{
    switch ((FighterEvent)event->type) {
    case FIGHTER_EVENT_JOINED:
    case FIGHTER_EVENT_LEFT:
    case FIGHTER_EVENT_JUMPED:
    case FIGHTER_EVENT_LANDED:
    case FIGHTER_EVENT_WALL:
    case FIGHTER_EVENT_LEDGE:
    case FIGHTER_EVENT_TECHED:
    case FIGHTER_EVENT_FIRED:
    case FIGHTER_EVENT_RESPAWNED:
        *touch = touch_of_place(event->data);
        return true;
    case FIGHTER_EVENT_HIT:
    case FIGHTER_EVENT_SHIELDED:
    case FIGHTER_EVENT_SHIELD_BROKE:
    case FIGHTER_EVENT_GRABBED:
    case FIGHTER_EVENT_RELEASED:
    case FIGHTER_EVENT_THROWN:
    case FIGHTER_EVENT_KO:
        *touch = touch_of_impact(event->data);
        return true;
    case FIGHTER_EVENT_MATCH_BEGAN:
    case FIGHTER_EVENT_MATCH_ENDED:
        *touch = (Touch){ .slot = TP_SOURCE_HOST };
        return true;
    case FIGHTER_EVENT_COUNT:
        break;
    }
    return false;
}

tp_fx fighter_observe_kick(tp_fx knockback)
{
    int32_t kick = knockback.raw / 25;
    return (tp_fx){ kick < FIGHTER_RAW(FIGHTER_SHAKE_MAX) ? kick : FIGHTER_RAW(FIGHTER_SHAKE_MAX) };
}

uint32_t fighter_observe_sparks(uint32_t least, tp_fx knockback)
{
    uint32_t more = (uint32_t)(knockback.raw / FIGHTER_RAW(8));
    return least + more < FIGHTER_SPARKS_MAX ? least + more : FIGHTER_SPARKS_MAX;
}

// A harder blow sounds lower, down to half the rate at a knockback of 256.
static tp_fx pitch_of(tp_fx knockback)
{
    int32_t lower = knockback.raw / 512;
    return (tp_fx){ FIGHTER_RAW(1) - (lower < FIGHTER_RAW(1) / 2 ? lower : FIGHTER_RAW(1) / 2) };
}

static void hear(FighterObserver *observer, const tp_event *event, const Sink *sink)
{
    Touch touch;
    if (!read_touch(event, &touch)) {
        observer->rejected++;
        return;
    }
    tp_cue cue = {
        .tick   = event->tick,
        .kind   = TP_CUE_SOUND,
        .name   = reactions[event->type].name,
        .slot   = touch.slot,
        .voice  = observer->next_voice[event->type],
        .volume = { reactions[event->type].volume_raw },
        .pitch  = pitch_of(touch.knockback),
        .x      = touch.x,
        .y      = touch.y,
    };
    observer->next_voice[event->type] = (cue.voice + 1) % FIGHTER_VOICES;
    sink->put(sink->to, &cue);
}

static void burst(const tp_event *event, const Reaction *reaction, const Touch *touch, const Sink *sink)
{
    tp_cue cue = {
        .tick   = event->tick,
        .kind   = TP_CUE_PARTICLES,
        .name   = reaction->particles,
        .slot   = touch->slot,
        .count  = fighter_observe_sparks(reaction->least, touch->knockback),
        .amount = { FIGHTER_RAW((int32_t)reaction->speed) + touch->knockback.raw / 50 },
        .x      = touch->x,
        .y      = touch->y,
    };
    sink->put(sink->to, &cue);
}

// Kicks never add up: the stronger of two shakes stays.
static void kick(FighterObserver *observer, const tp_event *event, const Reaction *reaction, const Touch *touch, const Sink *sink)
{
    int32_t amount = reaction->kick_raw + fighter_observe_kick(touch->knockback).raw;
    if (amount > FIGHTER_RAW(FIGHTER_SHAKE_MAX)) {
        amount = FIGHTER_RAW(FIGHTER_SHAKE_MAX);
    }
    if (observer->shake.raw < amount) {
        observer->shake.raw = amount;
    }
    tp_cue cue = {
        .tick = event->tick, .kind = TP_CUE_SHAKE, .name = "shake", .slot = touch->slot, .amount = observer->shake,
        .x = touch->x, .y = touch->y,
    };
    sink->put(sink->to, &cue);
}

static void feel(FighterObserver *observer, const tp_event *event, const Sink *sink)
{
    Touch touch;
    if (!read_touch(event, &touch)) {
        return; // counted when it was to be heard
    }
    const Reaction *reaction = &reactions[event->type];
    if (reaction->particles != NULL) {
        burst(event, reaction, &touch, sink);
    }
    if (reaction->kick_raw > 0) {
        kick(observer, event, reaction, &touch, sink);
    }
}

static void init(void *memory, const tp_setup *setup)
{
    (void)setup;
    FighterObserver *observer = memory;
    *observer = (FighterObserver){ 0 };
}

static void ignore_cue(void *to, const tp_cue *cue)
{
    (void)to;
    (void)cue;
}

static void tick(void *memory, const tp_view *view, void (*put)(void *to, const tp_cue *cue), void *to)
{
    FighterObserver *observer = memory;
    Sink sink = { put != NULL ? put : ignore_cue, to };
    for (uint32_t i = 0; i < view->event_count; i++) {
        hear(observer, &view->events[i], &sink);
    }
    for (uint32_t i = 0; i < view->event_count; i++) {
        feel(observer, &view->events[i], &sink);
    }
    int32_t kept = (int32_t)((int64_t)observer->shake.raw * FIGHTER_SHAKE_KEPT >> 31);
    observer->shake.raw = kept < FIGHTER_SHAKE_LEAST_RAW ? 0 : kept;
}

const tp_observer_type fighter_observer = { .name = "reactions", .size = sizeof(FighterObserver), .init = init, .tick = tick };

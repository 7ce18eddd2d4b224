// realm_observe.c: from events to cues, in two passes: all events to the ears, then all again to the eyes and hands, so that a missing sound
// device cannot change the order of anything else. Payloads are read, never the state: a cue is right even when it is asked for late.
//
// Places of cues are in units of the landblock that the event is in; with 32,767 units in a cue's reach and a land of 48,960, no other
// origin serves every event.
#include "realm_observe.h"

typedef struct Sink {
    void (*put)(void *to, const tp_cue *cue);
    void *to;
} Sink;

// What one kind of event is to a person. No name: nothing to hear; no particles: they are not worth seeing.
typedef struct Reaction {
    const char *name;
    int32_t     volume_raw;
    const char *particles;
    uint32_t    least;    // particles without any points
    int32_t     kick_raw; // of the shake without any points
    bool        is_hard;  // the more points, the lower it sounds, the more particles it makes and the harder it shakes
} Reaction;

static const Reaction reactions[REALM_EVENT_COUNT] = {
    [REALM_EVENT_COMMITTED] = { "arrive", 13107, NULL, 0, 0, false },
    [REALM_EVENT_CANCELLED] = { NULL, 0, NULL, 0, 0, false },
    [REALM_EVENT_DEMOTED]   = { "fade", 9830, NULL, 0, 0, false },
    [REALM_EVENT_WITHDRAWN] = { "fade", 13107, NULL, 0, 0, false },
    [REALM_EVENT_JOINED]    = { "join", 32768, "glow", 8, 0, false },
    [REALM_EVENT_LEFT]      = { "leave", 32768, "glow", 8, 0, false },
    [REALM_EVENT_HIT]       = { "hit", 45875, "spark", 4, 16384, true },
    [REALM_EVENT_DIED]      = { "die", 58982, "smoke", 20, 2 * 65536, false },
    [REALM_EVENT_RESPAWNED] = { "respawn", 39322, "glow", 12, 0, false },
    [REALM_EVENT_SHOT]      = { "shot", 36045, "flash", 4, 0, false },
    [REALM_EVENT_JUMPED]    = { "jump", 26214, "dust", 3, 0, false },
    [REALM_EVENT_LANDED]    = { "land", 19661, "dust", 4, 0, false },
    [REALM_EVENT_ENTERED]   = { "enter", 26214, NULL, 0, 0, false },
    [REALM_EVENT_DOOR]      = { "door", 39322, NULL, 0, 0, false },
};

// What of an event is felt, whatever record it carries.
typedef struct Touch {
    uint32_t slot;
    tp_fx    x, y;
    int32_t  points;
} Touch;

static uint32_t slot_of(uint32_t who)
{
    return who >= 1 && who <= REALM_PLAYERS_MAX ? who - 1 : TP_SOURCE_HOST;
}

// False for a type that no step makes.
static bool read_touch(const tp_event *event, Touch *touch)
{
    const RealmGameEvent *game = event->data;
    switch ((RealmEvent)event->type) {
    case REALM_EVENT_COMMITTED:
    case REALM_EVENT_CANCELLED:
    case REALM_EVENT_DEMOTED:
    case REALM_EVENT_WITHDRAWN: // the middle of the landblock
        *touch = (Touch){ TP_SOURCE_HOST, { REALM_BLOCK_SIZE / 2 * 65536 }, { REALM_BLOCK_SIZE / 2 * 65536 }, 0 };
        return true;
    case REALM_EVENT_HIT:
    case REALM_EVENT_DIED: // who is hit hears it nearest
        *touch = (Touch){ slot_of(game->whom), game->x, game->y, game->amount };
        return true;
    case REALM_EVENT_JOINED:
    case REALM_EVENT_LEFT:
    case REALM_EVENT_RESPAWNED:
    case REALM_EVENT_SHOT:
    case REALM_EVENT_JUMPED:
    case REALM_EVENT_LANDED:
    case REALM_EVENT_ENTERED:
    case REALM_EVENT_DOOR:
        *touch = (Touch){ slot_of(game->who), game->x, game->y, 0 };
        return true;
    case REALM_EVENT_COUNT:
        break;
    }
    return false;
}

// Down to half the rate at 64 points.
static tp_fx pitch_of(const Reaction *reaction, int32_t points)
{
    int32_t lower = reaction->is_hard && points > 0 ? (points < 64 ? points : 64) * 512 : 0;
    return (tp_fx){ 65536 - lower };
}

static void hear(RealmObserver *observer, const tp_event *event, const Sink *sink)
{
    Touch touch;
    if (!read_touch(event, &touch)) {
        observer->rejected++;
        return;
    }
    const Reaction *reaction = &reactions[event->type];
    if (reaction->name == NULL) {
        return;
    }
    tp_cue cue = {
        .tick   = event->tick,
        .kind   = TP_CUE_SOUND,
        .name   = reaction->name,
        .slot   = touch.slot,
        .voice  = observer->next_voice[event->type],
        .volume = { reaction->volume_raw },
        .pitch  = pitch_of(reaction, touch.points),
        .x      = touch.x,
        .y      = touch.y,
    };
    observer->next_voice[event->type] = (cue.voice + 1) % REALM_VOICES;
    sink->put(sink->to, &cue);
}

static uint32_t sparks_of(const Reaction *reaction, int32_t points)
{
    uint32_t more = reaction->is_hard && points > 0 ? (uint32_t)points / 2 : 0;
    return more < REALM_SPARKS_MAX - reaction->least ? reaction->least + more : REALM_SPARKS_MAX;
}

// Kicks never add up: the stronger of two shakes stays.
static void kick(RealmObserver *observer, const tp_event *event, const Reaction *reaction, const Touch *touch, const Sink *sink)
{
    int64_t amount = reaction->kick_raw;
    if (reaction->is_hard && touch->points > 0) {
        amount += (int64_t)touch->points * 4096;
    }
    amount = amount < REALM_SHAKE_MAX_RAW ? amount : REALM_SHAKE_MAX_RAW;
    if (observer->shake.raw < amount) {
        observer->shake.raw = (int32_t)amount;
    }
    tp_cue cue = {
        .tick = event->tick, .kind = TP_CUE_SHAKE, .name = "shake", .slot = touch->slot, .amount = observer->shake,
        .x = touch->x, .y = touch->y,
    };
    sink->put(sink->to, &cue);
}

static void feel(RealmObserver *observer, const tp_event *event, const Sink *sink)
{
    Touch touch;
    if (!read_touch(event, &touch)) {
        return; // counted when it was to be heard
    }
    const Reaction *reaction = &reactions[event->type];
    if (reaction->particles != NULL) {
        tp_cue cue = {
            .tick = event->tick, .kind = TP_CUE_PARTICLES, .name = reaction->particles, .slot = touch.slot,
            .count = sparks_of(reaction, touch.points), .amount = { 2 * 65536 }, .x = touch.x, .y = touch.y,
        };
        sink->put(sink->to, &cue);
    }
    if (reaction->kick_raw > 0) {
        kick(observer, event, reaction, &touch, sink);
    }
}

static void init(void *memory, const tp_setup *setup)
{
    (void)setup;
    RealmObserver *observer = memory;
    *observer = (RealmObserver){ 0 };
}

static void ignore_cue(void *to, const tp_cue *cue)
{
    (void)to;
    (void)cue;
}

static void tick(void *memory, const tp_view *view, void (*put)(void *to, const tp_cue *cue), void *to)
{
    RealmObserver *observer = memory;
    Sink           sink = { put != NULL ? put : ignore_cue, to };
    for (uint32_t i = 0; i < view->event_count; i++) {
        hear(observer, &view->events[i], &sink);
    }
    for (uint32_t i = 0; i < view->event_count; i++) {
        feel(observer, &view->events[i], &sink);
    }
    int32_t kept = (int32_t)((int64_t)observer->shake.raw * REALM_SHAKE_KEPT >> 31);
    observer->shake.raw = kept < REALM_SHAKE_LEAST_RAW ? 0 : kept;
}

const tp_observer_type realm_observer = { .name = "reactions", .size = sizeof(RealmObserver), .init = init, .tick = tick };

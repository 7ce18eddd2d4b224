// fighter_observe.c: one sound for each kind of event, from the event's own place: a cue is right even when it is asked for late.
#include "fighter_observe.h"

typedef struct Sound {
    const char *name;
    int32_t     volume_raw;
} Sound;

static const Sound sounds[FIGHTER_EVENT_COUNT] = {
    [FIGHTER_EVENT_JOINED] = { "join", 32768 }, // 0.5
    [FIGHTER_EVENT_LEFT]   = { "leave", 32768 },
    [FIGHTER_EVENT_JUMPED] = { "jump", 39322 }, // 0.6
    [FIGHTER_EVENT_LANDED] = { "land", 26214 }, // 0.4
    [FIGHTER_EVENT_WALL]   = { "wall", 19661 }, // 0.3
};

static void init(void *memory, const tp_setup *setup)
{
    (void)setup;
    FighterObserver *observer = memory;
    *observer = (FighterObserver){ 0 };
}

static void hear(FighterObserver *observer, const tp_event *event, void (*sink)(void *to, const tp_cue *cue), void *to)
{
    const FighterPlace *place = event->data;
    tp_cue cue = {
        .tick   = event->tick,
        .kind   = TP_CUE_SOUND,
        .name   = sounds[event->type].name,
        .slot   = place->slot,
        .voice  = observer->next_voice[event->type],
        .volume = { sounds[event->type].volume_raw },
        .pitch  = { FIGHTER_RAW(1) },
        .x      = place->x,
        .y      = place->y,
    };
    observer->next_voice[event->type] = (cue.voice + 1) % FIGHTER_VOICES;
    if (sink != NULL) {
        sink(to, &cue);
    }
}

static void tick(void *memory, const tp_view *view, void (*sink)(void *to, const tp_cue *cue), void *to)
{
    FighterObserver *observer = memory;
    for (uint32_t i = 0; i < view->event_count; i++) {
        if (view->events[i].type < FIGHTER_EVENT_COUNT) {
            hear(observer, &view->events[i], sink, to);
        } else {
            observer->rejected++;
        }
    }
}

const tp_observer_type fighter_observer = { .name = "sounds", .size = sizeof(FighterObserver), .init = init, .tick = tick };

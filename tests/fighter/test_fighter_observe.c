// What a person hears and feels, and that none of it reaches the state.
#include <criterion/criterion.h>

#include <stdlib.h>

#include "fighter_observe.h"
#include "fighter_rig.h"

typedef struct Heard {
    tp_cue   cues[3 * FIGHTER_EVENTS_MAX];
    uint32_t count;
} Heard;

static void put(void *to, const tp_cue *cue)
{
    Heard *heard = to;
    cr_assert_lt(heard->count, 3 * FIGHTER_EVENTS_MAX);
    heard->cues[heard->count] = *cue;
    heard->count++;
}

static void show(FighterObserver *observer, Heard *heard, const tp_event *events, uint32_t count)
{
    tp_view view = { .events = events, .event_count = count };
    heard->count = 0;
    fighter_observer.tick(observer, &view, put, heard);
}

static const FighterPlace place = { 3, { FIGHTER_RAW(12) }, { FIGHTER_RAW(40) } };
static const FighterResult result = { 2, 1 };

static FighterImpact impact_of(int32_t knockback)
{
    return (FighterImpact){ 3, 1, { FIGHTER_RAW(12) }, { FIGHTER_RAW(40) }, { FIGHTER_RAW(9) }, { FIGHTER_RAW(knockback) } };
}

static const void *record_of(uint32_t type, const FighterImpact *impact)
{
    if (type >= FIGHTER_EVENT_MATCH_BEGAN) {
        return &result;
    }
    return type >= FIGHTER_EVENT_HIT ? (const void *)impact : &place;
}

// The cue of a kind among those of one event, or NULL.
static const tp_cue *cue_of(const Heard *heard, tp_cue_kind kind)
{
    for (uint32_t i = 0; i < heard->count; i++) {
        if (heard->cues[i].kind == kind) {
            return &heard->cues[i];
        }
    }
    return NULL;
}

static const tp_cue *feel(FighterObserver *observer, Heard *heard, FighterEvent type, int32_t knockback, tp_cue_kind kind)
{
    FighterImpact impact = impact_of(knockback);
    tp_event event = { .tick = 9, .type = (uint32_t)type, .data = record_of((uint32_t)type, &impact) };
    show(observer, heard, &event, 1);
    return cue_of(heard, kind);
}

// Goal: every event has a sound of its own, at its own place; an event of no known type is counted and not heard.
Test(fighter_observe, all_events_and_no_others)
{
    Heard *heard = calloc(1, sizeof(*heard));
    const char *names[FIGHTER_EVENT_COUNT];
    FighterObserver observer = { 0 };
    for (uint32_t type = 0; type < FIGHTER_EVENT_COUNT; type++) {
        const tp_cue *cue = feel(&observer, heard, (FighterEvent)type, 60, TP_CUE_SOUND);
        bool has_place = type < FIGHTER_EVENT_MATCH_BEGAN;
        cr_assert_not_null(cue, "type %u", type);
        cr_assert_eq(cue->tick, 9);
        cr_assert_eq(cue->slot, has_place ? 3 : TP_SOURCE_HOST);
        cr_assert_eq(cue->x.raw, has_place ? FIGHTER_RAW(12) : 0);
        cr_assert(cue->volume.raw > 0 && cue->volume.raw <= 65536);
        names[type] = cue->name;
        for (uint32_t k = 0; k < type; k++) {
            cr_assert_str_neq(names[k], cue->name);
        }
    }
    tp_event unknown = { .type = FIGHTER_EVENT_COUNT, .data = &place };
    show(&observer, heard, &unknown, 1);
    cr_assert_eq(heard->count, 0);
    cr_assert_eq(observer.rejected, 1);
    free(heard);
}

// Goal: a harder blow shakes more, sparks more and sounds lower, each up to its limit.
Test(fighter_observe, harder_is_more)
{
    Heard *heard = calloc(1, sizeof(*heard));
    tp_cue last[3] = { { .pitch = { INT32_MAX } } };
    for (int32_t knockback = 0; knockback <= FIGHTER_KNOCKBACK_MAX; knockback += 50) {
        FighterObserver observer = { 0 };
        feel(&observer, heard, FIGHTER_EVENT_HIT, knockback, TP_CUE_SOUND);
        cr_assert_eq(heard->count, 3);
        const tp_cue *cues = heard->cues;
        cr_assert(cues[0].pitch.raw <= last[0].pitch.raw && cues[0].pitch.raw >= 32768);
        cr_assert(cues[1].count >= last[1].count && cues[1].count <= FIGHTER_SPARKS_MAX);
        cr_assert(cues[1].amount.raw > last[1].amount.raw);
        cr_assert(cues[2].amount.raw >= last[2].amount.raw && cues[2].amount.raw <= FIGHTER_RAW(FIGHTER_SHAKE_MAX));
        memcpy(last, cues, sizeof(last));
    }
    cr_assert_eq(last[1].count, FIGHTER_SPARKS_MAX);
    cr_assert_eq(last[2].amount.raw, FIGHTER_RAW(FIGHTER_SHAKE_MAX));
    free(heard);
}

Test(fighter_observe, numbers_of_a_hit)
{
    Heard *heard = calloc(1, sizeof(*heard));
    FighterObserver observer = { 0 };
    feel(&observer, heard, FIGHTER_EVENT_HIT, 100, TP_CUE_SOUND);
    cr_assert_str_eq(heard->cues[1].name, "spark");
    cr_assert_eq(heard->cues[1].count, 16, "4 and 100 / 8");
    cr_assert_eq(heard->cues[1].amount.raw, FIGHTER_RAW(4), "2 and 100 / 50");
    cr_assert_eq(heard->cues[2].amount.raw, FIGHTER_RAW(9) / 2, "0.5 and 100 / 25");
    cr_assert_eq(heard->cues[0].pitch.raw, 52736, "1 - 100 / 512");
    free(heard);
}

// Goal: a KO without a blow shakes as well, a landing does not.
Test(fighter_observe, who_shakes)
{
    Heard *heard = calloc(1, sizeof(*heard));
    for (uint32_t type = 0; type < FIGHTER_EVENT_COUNT; type++) {
        FighterObserver observer = { 0 };
        bool is_shaking = type == FIGHTER_EVENT_HIT || type == FIGHTER_EVENT_KO || type == FIGHTER_EVENT_THROWN ||
                          type == FIGHTER_EVENT_SHIELD_BROKE;
        const tp_cue *cue = feel(&observer, heard, (FighterEvent)type, 0, TP_CUE_SHAKE);
        cr_assert_eq(cue != NULL, is_shaking, "type %u", type);
    }
    free(heard);
}

// Goal: shakes do not add up, and one dies away: 16 within 0.68 s.
Test(fighter_observe, shake_dies_away)
{
    Heard *heard = calloc(1, sizeof(*heard));
    FighterObserver observer = { 0 };
    const tp_cue *cue = feel(&observer, heard, FIGHTER_EVENT_KO, 2500, TP_CUE_SHAKE);
    cr_assert_eq(cue->amount.raw, FIGHTER_RAW(16));
    cue = feel(&observer, heard, FIGHTER_EVENT_HIT, 20, TP_CUE_SHAKE);
    cr_assert_gt(cue->amount.raw, FIGHTER_RAW(13), "the stronger one stays");
    uint32_t ticks = 2;
    while (observer.shake.raw > 0) {
        show(&observer, heard, NULL, 0);
        ticks++;
    }
    cr_assert_eq(ticks, 41);
    free(heard);
}

// Goal: a hundred blows in one tick are a hundred sounds on voices in turn, all of them before the first spark.
Test(fighter_observe, voices_take_turns)
{
    Heard *heard = calloc(1, sizeof(*heard));
    FighterObserver observer = { 0 };
    FighterImpact impact = impact_of(60);
    tp_event events[100];
    for (uint32_t i = 0; i < 100; i++) {
        events[i] = (tp_event){ .type = FIGHTER_EVENT_HIT, .data = &impact };
    }
    show(&observer, heard, events, 100);
    cr_assert_eq(heard->count, 300);
    for (uint32_t i = 0; i < 300; i++) {
        cr_assert_eq(heard->cues[i].kind == TP_CUE_SOUND, i < 100);
        cr_assert(i >= 100 || heard->cues[i].voice == i % FIGHTER_VOICES);
    }
    free(heard);
}

// Goal: with and without an ear, heard or not: the same roots; and the world makes no event that is rejected.
Test(fighter_observe, changes_nothing)
{
    Rig alone;
    Rig heard_one;
    Heard *heard = calloc(1, sizeof(*heard));
    FighterObserver observer;
    uint32_t cues = 0;
    rig_open(&alone, 8, 1);
    rig_open(&heard_one, 8, 1);
    rig_seat_bots(&alone, 1, 6);
    rig_seat_bots(&heard_one, 1, 6);
    fighter_observer.init(&observer, &tp_sim_layout(heard_one.sim)->setup);
    for (uint32_t tick = 0; tick < 2000; tick++) {
        rig_step(&alone);
        rig_step(&heard_one);
        tp_view view = tp_sim_view(heard_one.sim);
        heard->count = 0;
        fighter_observer.tick(&observer, &view, tick % 2 == 0 ? put : NULL, heard);
        cues += heard->count;
        cr_assert(tp_hash128_equal(tp_sim_root(alone.sim), tp_sim_root(heard_one.sim)));
    }
    cr_assert_gt(cues, 200);
    cr_assert_eq(observer.rejected, 0);
    rig_close(&alone);
    rig_close(&heard_one);
    free(heard);
}

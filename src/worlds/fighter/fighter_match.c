// fighter_match.c: matches: how they begin, who falls out, how they end.
#include "fighter_step.h"

static void count_up(uint32_t *value)
{
    *value += *value != UINT32_MAX;
}

static void count_up_short(uint16_t *value)
{
    *value = (uint16_t)(*value + (*value != UINT16_MAX));
}

static void report_match(FighterStep *step, FighterEvent type)
{
    FighterResult result = { .match = step->state.match->number, .winner = step->state.match->winner };
    bool is_kept = tp_emit(step->context, (uint32_t)type, &result);
    TP_ASSERT(is_kept);
}

static bool is_somebody_here(const FighterState *state)
{
    for (uint32_t i = 0; i < state->fighter_count; i++) {
        if (state->fighters[i].is_here != 0) {
            return true;
        }
    }
    return false;
}

// What people hold down when the next match begins was not pressed for it. The first match is the exception: its roster has only just come, or
// has joined, which says the same.
static void begin(FighterStep *step)
{
    FighterMatch *match = step->state.match;
    bool is_rematch = match->phase == FIGHTER_PHASE_OVER;
    const FighterInput *inputs = step->tick->inputs;
    for (uint32_t i = 0; is_rematch && i < step->state.fighter_count; i++) {
        if (step->state.fighters[i].is_here != 0) {
            step->state.fighters[i] = fighter_people_spawn(step, i);
            fighter_people_hold(step, i);
            step->pads[i] = inputs[i];
        }
    }
    fighter_projectile_clear(&step->state.projectiles);
    count_up(&match->number);
    match->phase = FIGHTER_PHASE_PLAYING;
    match->clock_ticks = 0;
    match->over_ticks = 0;
    match->winner = 0;
    match->is_contested = 0;
    report_match(step, FIGHTER_EVENT_MATCH_BEGAN);
}

static void end(FighterStep *step, uint32_t winner)
{
    FighterMatch *match = step->state.match;
    match->phase = FIGHTER_PHASE_OVER;
    match->over_ticks = 0;
    match->winner = winner;
    report_match(step, FIGHTER_EVENT_MATCH_ENDED);
}

// Everybody has gone: whoever comes next begins a match of its own.
static void wait_for_people(FighterStep *step)
{
    FighterMatch *match = step->state.match;
    if (match->phase == FIGHTER_PHASE_PLAYING) {
        end(step, 0);
    }
    fighter_projectile_clear(&step->state.projectiles);
    match->phase = FIGHTER_PHASE_WAITING;
    match->clock_ticks = 0;
    match->over_ticks = 0;
    match->winner = 0;
    match->is_contested = 0;
}

// Seconds of the config are those of the usual rate: the rules count ticks.
static uint64_t ticks_of(const FighterStep *step, FighterConfig item)
{
    return (uint64_t)step->context->setup->config[item] * FIGHTER_TICK_RATE_HZ;
}

static bool is_rematch_due(FighterStep *step)
{
    FighterMatch *match = step->state.match;
    uint64_t wait_ticks = ticks_of(step, FIGHTER_CONFIG_REMATCH_S);
    count_up(&match->over_ticks);
    return wait_ticks != 0 && match->over_ticks >= wait_ticks;
}

void fighter_match_update(FighterStep *step)
{
    FighterMatch *match = step->state.match;
    if (!is_somebody_here(&step->state)) {
        if (match->phase != FIGHTER_PHASE_WAITING) {
            wait_for_people(step);
        }
        return;
    }
    switch ((FighterPhase)match->phase) {
    case FIGHTER_PHASE_WAITING:
        begin(step);
        break;
    case FIGHTER_PHASE_PLAYING:
        match->clock_ticks += match->clock_ticks < (uint64_t)INT64_MAX / 2;
        break;
    case FIGHTER_PHASE_OVER:
        if (is_rematch_due(step)) {
            begin(step);
        }
        break;
    case FIGHTER_PHASE_COUNT:
        TP_FAULT(TP_FAULT_ASSERT, "no such phase");
    }
}

static bool is_past_blast(const FighterStage *stage, const Fighter *fighter)
{
    return fighter->x.raw < stage->blast_left || fighter->x.raw > stage->blast_right || fighter->y.raw < stage->blast_bottom ||
           fighter->y.raw > stage->blast_top;
}

// What stays of a fighter that is out: who it is, what it has done, and its pad.
static Fighter remains(const FighterStep *step, uint32_t slot)
{
    const Fighter *fighter = &step->state.fighters[slot];
    Fighter rest = {
        .x = { step->stage->respawn_x }, .y = { step->stage->respawn_y }, .shield = { FIGHTER_RAW(FIGHTER_SHIELD_MAX) },
        .last_buttons = fighter->last_buttons, .last_stick_x = fighter->last_stick_x, .last_stick_y = fighter->last_stick_y,
        .last_c_x = fighter->last_c_x, .last_c_y = fighter->last_c_y, .tilt_x_ticks = fighter->tilt_x_ticks,
        .tilt_y_ticks = fighter->tilt_y_ticks, .tech_ticks = fighter->tech_ticks, .facing = fighter->facing,
        .jumps_left = (uint8_t)step->kinds[slot]->air_jumps, .stocks = fighter->stocks, .is_here = fighter->is_here,
        .kos = fighter->kos, .falls = fighter->falls,
    };
    return rest;
}

// A fall counts for who struck last, if anybody did; who leaves takes that along (fighter_people.c).
static void fall_out(FighterStep *step, uint32_t slot)
{
    Fighter *fighter = &step->state.fighters[slot];
    uint32_t by = fighter->last_hit_by;
    bool does_count = step->state.match->phase == FIGHTER_PHASE_PLAYING;
    fighter->x = fighter_inside(fighter->x);
    fighter->y = fighter_inside(fighter->y);
    fighter_report_impact(step, FIGHTER_EVENT_KO, slot, by, (tp_fx){ 0 }, (tp_fx){ 0 });
    *fighter = remains(step, slot);
    if (does_count) {
        fighter->stocks = (uint8_t)(fighter->stocks - (fighter->stocks != 0));
        count_up_short(&fighter->falls);
        if (by != 0) {
            count_up_short(&step->state.fighters[by - 1].kos);
        }
    }
    bool does_return = does_count && fighter->stocks != 0;
    fighter->action = does_return ? FIGHTER_ACTION_KO : FIGHTER_ACTION_OUT;
}

static void drop_out(FighterStep *step)
{
    bool is_out[FIGHTER_PLAYERS_MAX] = { false };
    for (uint32_t i = 0; i < step->state.fighter_count; i++) {
        const Fighter *fighter = &step->state.fighters[i];
        is_out[i] = fighter_action_is_on_stage((FighterAction)fighter->action) && is_past_blast(step->stage, fighter);
    }
    for (uint32_t i = 0; i < step->state.fighter_count; i++) {
        if (is_out[i]) {
            fighter_grab_release(step, i);
        }
    }
    for (uint32_t i = 0; i < step->state.fighter_count; i++) {
        if (is_out[i]) {
            fall_out(step, i);
        }
    }
}

// What waits in an empty slot does not count.
static bool has_lives(const Fighter *fighter)
{
    return fighter->is_here != 0 && fighter->stocks != 0;
}

// More lives, then less damage. 0 when the first two are equal in both.
static uint32_t leader(const FighterState *state)
{
    uint32_t best = 0;
    bool is_shared = false;
    for (uint32_t i = 0; i < state->fighter_count; i++) {
        const Fighter *fighter = &state->fighters[i];
        if (!has_lives(fighter)) {
            continue;
        }
        const Fighter *first = best == 0 ? NULL : &state->fighters[best - 1];
        bool is_equal = first != NULL && fighter->stocks == first->stocks && fighter->damage.raw == first->damage.raw;
        bool is_ahead = first == NULL || fighter->stocks > first->stocks ||
                        (fighter->stocks == first->stocks && fighter->damage.raw < first->damage.raw);
        is_shared = is_ahead ? false : is_shared || is_equal;
        best = is_ahead ? i + 1 : best;
    }
    return is_shared ? 0 : best;
}

static void end_when_decided(FighterStep *step)
{
    FighterMatch *match = step->state.match;
    uint64_t length_ticks = ticks_of(step, FIGHTER_CONFIG_TIME_S);
    uint32_t living = 0;
    for (uint32_t i = 0; i < step->state.fighter_count; i++) {
        living += has_lives(&step->state.fighters[i]);
    }
    if (living >= 2) {
        match->is_contested = 1;
    }
    bool is_decided = living == 0 || (living == 1 && match->is_contested != 0);
    bool is_time_up = length_ticks != 0 && match->clock_ticks + 1 >= length_ticks;
    if (is_decided || is_time_up) {
        end(step, leader(&step->state));
    }
}

void fighter_match_resolve(FighterStep *step)
{
    drop_out(step);
    if (step->state.match->phase == FIGHTER_PHASE_PLAYING) {
        end_when_decided(step);
    }
}

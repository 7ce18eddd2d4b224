// fighter_validate.c: what a foreign state must satisfy across its fields. The rules themselves are written to stand any numbers that the
// ranges allow; here is refused what has no meaning: places that are not on what is stood on, holds that one side knows nothing of, lives without
// a match. Every text names its field. A state that is accepted steps into states that are accepted.
#include "fighter_action.h"
#include "fighter_combat.h"

#include <string.h>

enum { HOLD_TICKS_MAX = FIGHTER_HOLD_TICKS + FIGHTER_DAMAGE_MAX };

static const char *validate_footing(const FighterStage *stage, const Fighter *fighter)
{
    FighterWhere where = fighter_action_where((FighterAction)fighter->action);
    if (fighter->surface == 0) {
        return where == FIGHTER_WHERE_GROUND ? "surface: a fighter does on nothing what is done on the ground" : NULL;
    }
    if (where == FIGHTER_WHERE_AIR || where == FIGHTER_WHERE_NOWHERE) {
        return "surface: a fighter stands, and does what is done in the air or nowhere";
    }
    if (fighter->surface > stage->surface_count || !fighter_data_holds_feet(&stage->surfaces[fighter->surface - 1])) {
        return "surface: nobody can stand on it";
    }
    const FighterSurface *surface = &stage->surfaces[fighter->surface - 1];
    if (fighter->y.raw != surface->y0 || fighter->x.raw < surface->x0 || fighter->x.raw > surface->x1) {
        return "surface: the place is not on it";
    }
    if (fighter->is_guard_spent != 0) {
        return "is_guard_spent: a fighter stands, which gives it back";
    }
    return fighter->velocity_y.raw == 0 ? NULL : "velocity_y: a fighter rises or falls on the ground";
}

static const char *validate_stage_fields(const FighterStage *stage, const Fighter *fighter)
{
    bool has_ledge = fighter->action == FIGHTER_ACTION_LEDGE_HANG || fighter->action == FIGHTER_ACTION_LEDGE_CLIMB;
    if (fighter->ledge > stage->ledge_count || (fighter->ledge != 0) != has_ledge) {
        return "ledge: hanging and climbing go with a ledge of the stage, everything else without one";
    }
    if (fighter->ledge != 0 && fighter->surface != 0) {
        return "surface: a fighter hangs, and stands as well";
    }
    if (fighter->dropping > stage->surface_count ||
        (fighter->dropping != 0 && stage->surfaces[fighter->dropping - 1].kind != FIGHTER_SURFACE_PLATFORM)) {
        return "dropping: it is no platform";
    }
    return NULL;
}

static bool is_still(const Fighter *fighter)
{
    return fighter->velocity_x.raw == 0 && fighter->velocity_y.raw == 0 && fighter->launch_x.raw == 0 && fighter->launch_y.raw == 0;
}

static const char *validate_empty(const FighterMatch *match, const Fighter *fighter)
{
    Fighter empty = { .last_match = fighter->last_match, .stocks = fighter->stocks };
    if (memcmp(fighter, &empty, sizeof(empty)) != 0) {
        return "is_here: a slot that nobody has is not empty";
    }
    if (fighter->last_match > match->number) {
        return "last_match: there was no such match yet";
    }
    return fighter->stocks != 0 && fighter->last_match == 0 ? "stocks: lives wait for nobody" : NULL;
}

static const char *validate_presence(const FighterMatch *match, const Fighter *fighter)
{
    bool is_on_stage = fighter_action_is_on_stage((FighterAction)fighter->action);
    if ((fighter->is_here == 0) != (fighter->action == FIGHTER_ACTION_ABSENT)) {
        return "is_here: absent is exactly who is not here";
    }
    if (fighter->is_here == 0) {
        return validate_empty(match, fighter);
    }
    if (fighter->last_match != 0) {
        return "last_match: a fighter is here, and was left";
    }
    if (!is_on_stage && (!is_still(fighter) || fighter->hitlag_ticks != 0 || fighter->is_launched != 0)) {
        return "velocity: a fighter that is not on the stage moves or is frozen";
    }
    if ((is_on_stage || fighter->action == FIGHTER_ACTION_KO) && fighter->stocks == 0) {
        return "stocks: a fighter plays without lives";
    }
    if (fighter->action == FIGHTER_ACTION_OUT && fighter->stocks != 0 && match->phase != FIGHTER_PHASE_OVER) {
        return "stocks: a fighter is out with lives";
    }
    return NULL;
}

static const char *validate_blow_fields(const Fighter *fighter)
{
    bool is_stunned = fighter->action == FIGHTER_ACTION_HITSTUN || fighter->action == FIGHTER_ACTION_TUMBLE;
    if (fighter->hitlag_ticks > FIGHTER_HITLAG_MAX) {
        return "hitlag_ticks: no blow freezes for so long";
    }
    if (fighter->is_launched != 0 && (!is_stunned || fighter->hitlag_ticks == 0)) {
        return "is_launched: a launch waits, and no blow freezes the fighter";
    }
    bool is_put = fighter_action_rule((FighterAction)fighter->action)->steer == FIGHTER_STEER_STILL;
    if (is_put && (fighter->launch_x.raw != 0 || fighter->launch_y.raw != 0)) {
        return "launch_x: a fighter flies, and hangs, holds, is held or waits as well";
    }
    return NULL;
}

// No longer than the rules give: a stun is the longest lag but for a hold, moving off where fighters come back the longest guard.
static const char *validate_counters(const Fighter *fighter)
{
    uint32_t lag_max = fighter->action == FIGHTER_ACTION_GRAB_HOLD ? HOLD_TICKS_MAX : FIGHTER_STUN_MAX;
    if (fighter->lag_ticks > lag_max) {
        return "lag_ticks: nothing takes so long";
    }
    return fighter->guard_ticks > FIGHTER_RETURN_GUARD ? "guard_ticks: nothing guards for so long" : NULL;
}

static bool is_a_bit_beyond(const uint64_t *bits, uint32_t count)
{
    for (uint32_t i = count; i < 128; i++) {
        if ((bits[i / 64] >> i % 64 & 1) != 0) {
            return true;
        }
    }
    return false;
}

static const char *validate_slots(const FighterState *state, uint32_t slot)
{
    const Fighter *fighter = &state->fighters[slot];
    if (fighter->last_hit_by > state->fighter_count) {
        return "last_hit_by: there is no such slot";
    }
    if (fighter->last_hit_by != 0 && state->fighters[fighter->last_hit_by - 1].is_here == 0) {
        return "last_hit_by: nobody has that slot";
    }
    return is_a_bit_beyond(fighter->struck, state->fighter_count) ? "struck: there is no such slot" : NULL;
}

// The tick in which a throw lets go, as layer 3 knows it.
static bool has_thrown(const FighterKind *kind, const Fighter *fighter)
{
    const FighterFrames *frames = &kind->actions[fighter->action];
    return frames->strike_count == 0 || (int32_t)fighter->action_tick >= fighter_strikes[frames->first_strike].first_tick;
}

static const char *validate_hold(const FighterState *state, const tp_setup *setup, uint32_t slot)
{
    const Fighter *fighter = &state->fighters[slot];
    bool is_throw = fighter_action_is_throw((FighterAction)fighter->action);
    bool is_holder = fighter->action == FIGHTER_ACTION_GRAB_HOLD || is_throw;
    bool is_held = fighter->action == FIGHTER_ACTION_GRABBED;
    bool must_hold = is_holder && !(is_throw && has_thrown(fighter_data_kind(setup, slot), fighter));
    if ((fighter->partner != 0) != (is_held || must_hold)) {
        return "partner: a hold is of two, and ends with the throw";
    }
    if (fighter->partner == 0) {
        return NULL;
    }
    if (fighter->partner > state->fighter_count || fighter->partner == slot + 1) {
        return "partner: there is no such other slot";
    }
    const Fighter *other = &state->fighters[fighter->partner - 1];
    bool does_other_hold = other->action == FIGHTER_ACTION_GRAB_HOLD || fighter_action_is_throw((FighterAction)other->action);
    bool is_other_held = other->action == FIGHTER_ACTION_GRABBED;
    if (other->partner != slot + 1 || (is_held ? !does_other_hold : !is_other_held)) {
        return "partner: the other one does not know of the hold";
    }
    return is_held && (fighter->surface != other->surface || fighter->surface == 0) ? "surface: a hold is not on one surface" : NULL;
}

static const char *validate_ledges(const FighterState *state)
{
    bool is_taken[FIGHTER_LEDGES_MAX + 1] = { false };
    for (uint32_t i = 0; i < state->fighter_count; i++) {
        uint32_t ledge = state->fighters[i].ledge;
        if (ledge != 0 && is_taken[ledge]) {
            return "ledge: two hold on to it";
        }
        is_taken[ledge] = true;
    }
    return NULL;
}

static const char *validate_fighter(const FighterState *state, const tp_setup *setup, uint32_t slot)
{
    const FighterStage *stage = fighter_data_stage(setup);
    const Fighter *fighter = &state->fighters[slot];
    const char *fault = validate_presence(state->match, fighter);
    if (fault == NULL) {
        fault = validate_footing(stage, fighter);
    }
    if (fault == NULL) {
        fault = validate_stage_fields(stage, fighter);
    }
    if (fault == NULL) {
        fault = validate_blow_fields(fighter);
    }
    if (fault == NULL) {
        fault = validate_counters(fighter);
    }
    if (fault == NULL) {
        fault = validate_slots(state, slot);
    }
    if (fault == NULL) {
        fault = validate_hold(state, setup, slot);
    }
    if (fault == NULL && fighter->jumps_left > fighter_data_kind(setup, slot)->air_jumps) {
        fault = "jumps_left: its kind has fewer";
    }
    if (fault == NULL && fighter->stocks > setup->config[FIGHTER_CONFIG_STOCKS]) {
        fault = "stocks: more than the match begins with";
    }
    return fault;
}

static const char *validate_match(const FighterState *state)
{
    const FighterMatch *match = state->match;
    bool is_waiting = match->phase == FIGHTER_PHASE_WAITING;
    uint32_t here = 0;
    for (uint32_t i = 0; i < state->fighter_count; i++) {
        here += state->fighters[i].is_here;
    }
    if (match->rng == 0) {
        return "rng: the generator's word is 0";
    }
    if (is_waiting != (here == 0)) {
        return "phase: a match waits exactly while nobody is here";
    }
    if (is_waiting && (match->clock_ticks != 0 || match->is_contested != 0 || state->projectiles.head->live != 0)) {
        return "phase: a match that waits is not clear";
    }
    if (!is_waiting && match->number == 0) {
        return "number: a match that nobody began";
    }
    if (match->phase != FIGHTER_PHASE_OVER && (match->winner != 0 || match->over_ticks != 0)) {
        return "winner: the match is not over";
    }
    return match->winner > state->fighter_count ? "winner: there is no such slot" : NULL;
}

static const char *validate_shots(const FighterState *state, const tp_setup *setup)
{
    const FighterProjectilePool *shots = &state->projectiles;
    const char *fault = fighter_projectile_pool_validate(shots);
    if (fault != NULL) {
        return fault;
    }
    for (uint32_t i = fighter_projectile_first(shots); i < shots->capacity; i = fighter_projectile_after(shots, i)) {
        const FighterProjectile *shot = &shots->slots[i];
        const FighterShot *table = &fighter_kinds[shot->kind].shot;
        if (shot->owner >= state->fighter_count) {
            return "owner: there is no such slot";
        }
        if (state->fighters[shot->owner].is_here == 0) {
            return "owner: nobody has that slot";
        }
        if (shot->kind != (uint32_t)fighter_data_kind_name(setup, shot->owner)) {
            return "kind: the owner of a projectile has another";
        }
        if (shot->life_ticks > table->life_ticks) {
            return "life_ticks: longer than the kind's projectiles live";
        }
        if (shot->velocity_x.raw != table->speed_x && shot->velocity_x.raw != -table->speed_x) {
            return "velocity_x: the kind's projectiles have another";
        }
    }
    return NULL;
}

const char *fighter_validate(const void *block, const tp_context *context)
{
    // Opened for reading only: the view's pointers are not const, since the step shares it.
    const FighterState state = fighter_state_open((void *)(uintptr_t)block, context);
    const char *fault = validate_shots(&state, context->setup);
    if (fault == NULL) {
        fault = validate_match(&state);
    }
    for (uint32_t i = 0; fault == NULL && i < state.fighter_count; i++) {
        fault = validate_fighter(&state, context->setup, i);
    }
    return fault != NULL ? fault : validate_ledges(&state);
}

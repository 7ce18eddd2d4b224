// fighter_grab.c: taking hold, letting go, throwing. A hold is two fighters that name each other as `partner`: one in GRAB_HOLD or THROW_*,
// the other in GRABBED.
#include "fighter_combat.h"

enum { RELEASE_PUSH = FIGHTER_RAW(3) / 2 };

// Square of the way between the middles of two bodies.
static uint64_t distance_between(const FighterStep *step, uint32_t a, uint32_t b)
{
    const Fighter *one = &step->state.fighters[a];
    const Fighter *two = &step->state.fighters[b];
    int64_t x = (int64_t)one->x.raw - two->x.raw;
    int64_t y = (int64_t)one->y.raw + step->kinds[a]->height / 2 - two->y.raw - step->kinds[b]->height / 2;
    return (uint64_t)(x * x + y * y);
}

// Who may be taken hold of: nobody who is held already, hangs, lies, or is frozen by a blow.
static bool may_be_held(const Fighter *fighter)
{
    bool is_elsewhere = fighter->action == FIGHTER_ACTION_GRABBED || fighter->action == FIGHTER_ACTION_LEDGE_HANG ||
                        fighter->action == FIGHTER_ACTION_LEDGE_CLIMB || fighter->action == FIGHTER_ACTION_DOWN;
    return !is_elsewhere && fighter->hitlag_ticks == 0;
}

void fighter_grab_reach(const FighterStep *step, FighterCombat *combat, uint32_t by, const bool *is_reached)
{
    uint64_t nearest = UINT64_MAX;
    combat->grabs[by] = 0;
    for (uint32_t i = 0; i < step->state.fighter_count; i++) {
        if (!is_reached[i] || !may_be_held(&step->state.fighters[i])) {
            continue;
        }
        uint64_t distance = distance_between(step, by, i);
        if (distance <= nearest) {
            combat->grabs[by] = (uint8_t)(distance == nearest ? 0 : i + 1);
            nearest = distance;
        }
    }
}

// The victim comes in front of the holder, as near as it was or until their bodies touch, and never past the end of what the holder
// stands on: between the two there was nothing, so there is nothing at its new place either.
static void pull(const FighterStep *step, const Fighter *holder, Fighter *held, int64_t widths)
{
    const FighterSurface *surface = &step->stage->surfaces[holder->surface - 1];
    int64_t side = holder->facing == FIGHTER_FACING_LEFT ? -1 : 1;
    int64_t ahead = ((int64_t)held->x.raw - holder->x.raw) * side;
    ahead = ahead < 0 ? 0 : ahead > widths ? widths : ahead;
    int64_t x = holder->x.raw + side * ahead;
    x = x < surface->x0 ? surface->x0 : x > surface->x1 ? surface->x1 : x;
    held->x.raw = (int32_t)x;
    held->y = holder->y;
    held->surface = holder->surface;
    held->is_guard_spent = 0;
}

static void stop(Fighter *fighter)
{
    fighter->velocity_x.raw = 0;
    fighter->velocity_y.raw = 0;
    fighter->launch_x.raw = 0;
    fighter->launch_y.raw = 0;
    fighter->is_launched = 0;
    fighter->is_fast_falling = 0;
    fighter->hitlag_ticks = 0;
    fighter->lag_ticks = 0;
    fighter->dropping = 0;
}

static void hold(FighterStep *step, uint32_t by, uint32_t victim)
{
    Fighter *holder = &step->state.fighters[by];
    Fighter *held = &step->state.fighters[victim];
    fighter_grab_release(step, victim);
    fighter_action_start(step, by, FIGHTER_ACTION_GRAB_HOLD);
    fighter_action_start(step, victim, FIGHTER_ACTION_GRABBED);
    stop(holder);
    stop(held);
    holder->partner = (uint8_t)(victim + 1);
    holder->lag_ticks = (uint16_t)(FIGHTER_HOLD_TICKS + tp_fx_floor(held->damage));
    held->partner = (uint8_t)(by + 1);
    held->facing = holder->facing == FIGHTER_FACING_LEFT ? FIGHTER_FACING_RIGHT : FIGHTER_FACING_LEFT;
    held->jumps_left = (uint8_t)step->kinds[victim]->air_jumps;
    pull(step, holder, held, (int64_t)step->kinds[by]->half_width + step->kinds[victim]->half_width);
    fighter_report_impact(step, FIGHTER_EVENT_GRABBED, victim, by + 1, (tp_fx){ 0 }, (tp_fx){ 0 });
}

static void push_apart(Fighter *one, Fighter *two)
{
    int32_t side = one->facing == FIGHTER_FACING_LEFT ? -1 : 1;
    one->velocity_x.raw = -side * RELEASE_PUSH;
    two->velocity_x.raw = side * RELEASE_PUSH;
}

void fighter_grab_release(FighterStep *step, uint32_t slot)
{
    uint32_t other = step->state.fighters[slot].partner;
    if (other == 0) {
        return;
    }
    bool is_held = step->state.fighters[slot].action == FIGHTER_ACTION_GRABBED;
    uint32_t victim = is_held ? slot : other - 1;
    uint32_t by = is_held ? other - 1 : slot;
    Fighter *held = &step->state.fighters[victim];
    Fighter *holder = &step->state.fighters[by];
    held->partner = 0;
    holder->partner = 0;
    holder->lag_ticks = 0;
    held->guard_ticks = FIGHTER_RELEASE_GUARD;
    fighter_action_rest(step, by);
    fighter_action_rest(step, victim);
    push_apart(holder, held);
    fighter_report_impact(step, FIGHTER_EVENT_RELEASED, victim, by + 1, (tp_fx){ 0 }, (tp_fx){ 0 });
}

// Two that reach for each other find each other's hands: both step back.
static void clash(FighterStep *step, uint32_t a, uint32_t b)
{
    Fighter *fighter = &step->state.fighters[a];
    fighter_action_rest(step, a);
    fighter->velocity_x.raw = fighter->facing == FIGHTER_FACING_LEFT ? RELEASE_PUSH : -RELEASE_PUSH;
    fighter_report_impact(step, FIGHTER_EVENT_RELEASED, a, b + 1, (tp_fx){ 0 }, (tp_fx){ 0 });
}

// A grab comes about when its grabber was neither struck nor reached for by another hand, its victim was not struck and steps back from no
// clash, and no other grabber is as near or nearer. None of that depends on the order of slots: it is decided for all from what was gathered.
static bool does_hold(const FighterStep *step, const FighterCombat *combat, uint32_t by)
{
    uint32_t victim = combat->grabs[by] - 1u;
    if (combat->body_blows[victim].strike != NULL || combat->body_blows[by].strike != NULL) {
        return false;
    }
    uint64_t distance = distance_between(step, by, victim);
    for (uint32_t i = 0; i < step->state.fighter_count; i++) {
        if (i == by || combat->grabs[i] == 0 || combat->body_blows[i].strike != NULL) {
            continue;
        }
        bool is_nearer = combat->grabs[i] == victim + 1 && distance_between(step, i, victim) <= distance;
        if (combat->grabs[i] == by + 1 || is_nearer) {
            return false;
        }
    }
    return true;
}

void fighter_grab_apply(FighterStep *step, const FighterCombat *combat)
{
    bool is_holding[FIGHTER_PLAYERS_MAX] = { false };
    bool is_clashing[FIGHTER_PLAYERS_MAX] = { false };
    uint32_t count = step->state.fighter_count;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t victim = combat->grabs[i];
        bool is_struck = combat->body_blows[i].strike != NULL || (victim != 0 && combat->body_blows[victim - 1].strike != NULL);
        is_clashing[i] = victim != 0 && combat->grabs[victim - 1] == i + 1 && !is_struck;
        is_holding[i] = victim != 0 && does_hold(step, combat, i);
    }
    for (uint32_t i = 0; i < count; i++) { // nobody gets one of two whose hands have met
        is_holding[i] = is_holding[i] && !is_clashing[combat->grabs[i] - 1u];
    }
    for (uint32_t i = 0; i < count; i++) {
        if (is_clashing[i]) {
            clash(step, i, combat->grabs[i] - 1u);
        } else if (is_holding[i]) {
            hold(step, i, combat->grabs[i] - 1u);
        }
    }
}

// The blow of a throw: no freeze, the launch begins in the same tick.
void fighter_grab_throw(FighterStep *step, uint32_t slot)
{
    Fighter *thrower = &step->state.fighters[slot];
    if (thrower->partner == 0) {
        return;
    }
    uint32_t victim = thrower->partner - 1u;
    Fighter *thrown = &step->state.fighters[victim];
    const FighterStrike *strike = &fighter_strikes[fighter_action_frames(step, slot)->first_strike];
    tp_fx unstaled = { strike->damage };
    tp_fx staled = fighter_launch_staled(thrower, (FighterAction)thrower->action, unstaled);
    int32_t percent = (int32_t)step->context->setup->config[FIGHTER_CONFIG_LAUNCH_PERCENT];
    FighterBlow blow = {
        .strike = strike, .by = (uint8_t)slot, .facing = thrower->facing, .damage = staled, .unstaled = unstaled,
        .knockback = fighter_launch_knockback(strike, unstaled, staled, thrown->damage, step->kinds[victim]->weight, percent),
    };
    thrower->partner = 0;
    thrown->partner = 0;
    fighter_launch_remember(thrower, (FighterAction)thrower->action);
    fighter_launch_apply(step, victim, &blow);
    thrown->hitlag_ticks = 0;
    step->is_fresh[victim] = false;
    fighter_launch_begin(step, victim);
    fighter_report_impact(step, FIGHTER_EVENT_THROWN, victim, slot + 1, staled, blow.knockback);
}

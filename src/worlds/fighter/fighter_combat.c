// fighter_combat.c: layer 5. First every blow and every reach of the tick is gathered from the state as the moves left it, then all of them are
// applied, so that two that strike each other both are struck and nobody is quicker for having a lower slot. The one tie of this layer that a slot
// decides: of two blows with equal knockback that strike the same fighter in one tick, the lower owner's gives the launch; the damage of both counts.
#include "fighter_combat.h"

#include <string.h>

// Told of every tie that a slot decided: for a test that builds this file with its own.
#ifndef FIGHTER_COMBAT_TIE
#define FIGHTER_COMBAT_TIE() ((void)0)
#endif

static bool is_in_window(const FighterStrike *row, uint32_t tick)
{
    return row->first_tick <= (int32_t)tick && (int32_t)tick <= row->last_tick;
}

// The part of the action that strikes in this tick, 0 for none. Where windows of two parts overlap, the later part is meant.
static int32_t active_part(const FighterStep *step, uint32_t slot)
{
    const Fighter *fighter = &step->state.fighters[slot];
    const FighterFrames *frames = fighter_action_frames(step, slot);
    int32_t part = 0;
    if (frames->strike_count == 0 || fighter_action_is_throw((FighterAction)fighter->action) || !fighter_action_is_on_stage((FighterAction)fighter->action)) {
        return 0;
    }
    for (int32_t i = 0; i < frames->strike_count; i++) {
        const FighterStrike *row = &fighter_strikes[frames->first_strike + i];
        part = is_in_window(row, fighter->action_tick) && row->part > part ? row->part : part;
    }
    return part;
}

static bool is_active(const FighterStrike *row, const Fighter *fighter, int32_t part)
{
    return row->part == part && is_in_window(row, fighter->action_tick);
}

// Where everybody is and what of them can be struck: once a tick, and only in ticks in which something strikes.
static void open_bodies(const FighterStep *step, FighterCombat *combat)
{
    for (uint32_t i = 0; i < step->state.fighter_count; i++) {
        const Fighter *fighter = &step->state.fighters[i];
        combat->is_open[i] = fighter_action_is_on_stage((FighterAction)fighter->action) && !fighter_action_is_guarded(step, i);
        combat->has_shield[i] = fighter->action == FIGHTER_ACTION_SHIELD || fighter->action == FIGHTER_ACTION_SHIELD_STUN;
        combat->poses[i] = (FighterPose){ fighter->x, fighter->y, step->from_x[i], step->from_y[i],
                                          fighter->facing == FIGHTER_FACING_LEFT };
        combat->boxes[i] = FIGHTER_BOX_NONE;
        if (!combat->is_open[i]) {
            continue;
        }
        for (uint32_t k = 0; k < FIGHTER_HURTS; k++) {
            fighter_reach_cover(&combat->boxes[i], &step->kinds[i]->hurts[k], &combat->poses[i]);
        }
        if (combat->has_shield[i]) {
            FighterCapsule shield = fighter_shield_capsule(step->kinds[i], fighter);
            fighter_reach_cover(&combat->boxes[i], &shield, &combat->poses[i]);
        }
    }
}

static bool does_touch_body(const FighterStep *step, const FighterCombat *combat, uint32_t victim, const FighterStrike *row,
                            const FighterPose *pose)
{
    for (uint32_t k = 0; k < FIGHTER_HURTS; k++) {
        if (fighter_reach_sweep(&row->capsule, pose, &step->kinds[victim]->hurts[k], &combat->poses[victim])) {
            return true;
        }
    }
    return false;
}

FighterMeeting fighter_combat_meet(const FighterStep *step, const FighterCombat *combat, uint32_t victim, const FighterStrike *strike,
                                   const FighterPose *pose)
{
    if (combat->has_shield[victim] && strike->is_grab == 0) {
        FighterCapsule shield = fighter_shield_capsule(step->kinds[victim], &step->state.fighters[victim]);
        if (fighter_reach_sweep(&strike->capsule, pose, &shield, &combat->poses[victim])) {
            return FIGHTER_MEETING_SHIELD;
        }
    }
    return does_touch_body(step, combat, victim, strike, pose) ? FIGHTER_MEETING_BODY : FIGHTER_MEETING_NONE;
}

// Which of two blows against one fighter gives the launch.
static bool is_stronger(const FighterBlow *blow, const FighterBlow *than)
{
    if (blow->knockback.raw != than->knockback.raw) {
        return blow->knockback.raw > than->knockback.raw;
    }
    if (blow->by != than->by) {
        FIGHTER_COMBAT_TIE();
        return blow->by < than->by;
    }
    return blow->is_shot != than->is_shot ? than->is_shot : blow->life_ticks < than->life_ticks;
}

static tp_fx sum_of(tp_fx a, tp_fx b)
{
    int64_t sum = (int64_t)a.raw + b.raw;
    return (tp_fx){ (int32_t)(sum < FIGHTER_RAW(FIGHTER_DAMAGE_MAX) ? sum : FIGHTER_RAW(FIGHTER_DAMAGE_MAX)) };
}

void fighter_combat_add(const FighterStep *step, FighterCombat *combat, uint32_t victim, FighterBlow *blow)
{
    FighterBlow *into = blow->met_shield ? &combat->shield_blows[victim] : &combat->body_blows[victim];
    int32_t percent = (int32_t)step->context->setup->config[FIGHTER_CONFIG_LAUNCH_PERCENT];
    blow->shield_damage.raw = blow->strike->shield_damage;
    blow->knockback = fighter_launch_knockback(blow->strike, blow->unstaled, blow->damage, step->state.fighters[victim].damage,
                                               step->kinds[victim]->weight, percent);
    if (into->strike == NULL) {
        *into = *blow;
        return;
    }
    tp_fx damage = sum_of(into->damage, blow->damage);
    tp_fx shield_damage = sum_of(into->shield_damage, blow->shield_damage);
    if (is_stronger(blow, into)) {
        *into = *blow;
    }
    into->damage = damage;
    into->shield_damage = shield_damage;
}

static void strike(FighterStep *step, FighterCombat *combat, uint32_t by, uint32_t victim, const FighterStrike *row, bool met_shield)
{
    Fighter *owner = &step->state.fighters[by];
    FighterBlow blow = { .strike = row, .by = (uint8_t)by, .met_shield = met_shield, .facing = owner->facing, .unstaled = { row->damage } };
    blow.damage = fighter_launch_staled(owner, (FighterAction)owner->action, blow.unstaled);
    fighter_combat_add(step, combat, victim, &blow);
    uint16_t hitlag = fighter_launch_hitlag(blow.damage);
    combat->hitlags[by] = hitlag > combat->hitlags[by] ? hitlag : combat->hitlags[by];
    combat->is_proven[by] = combat->is_proven[by] || !met_shield;
    owner->struck[victim / 64] |= UINT64_C(1) << victim % 64;
}

// The first row of the active part that meets this fighter, those that meet its shield first. `is_grab` only when a grab was meant.
static const FighterStrike *row_that_meets(const FighterStep *step, const FighterCombat *combat, uint32_t by, uint32_t victim, int32_t part,
                                           bool *met_shield)
{
    const FighterFrames *frames = fighter_action_frames(step, by);
    const FighterStrike *met = NULL;
    for (int32_t i = 0; i < frames->strike_count; i++) {
        const FighterStrike *row = &fighter_strikes[frames->first_strike + i];
        FighterMeeting meeting = !is_active(row, &step->state.fighters[by], part)
                                     ? FIGHTER_MEETING_NONE
                                     : fighter_combat_meet(step, combat, victim, row, &combat->poses[by]);
        if (meeting == FIGHTER_MEETING_SHIELD) {
            *met_shield = true;
            return row;
        }
        met = met == NULL && meeting == FIGHTER_MEETING_BODY ? row : met;
        if (met != NULL && !combat->has_shield[victim]) {
            return met;
        }
    }
    return met;
}

static FighterBox box_of_strikes(const FighterStep *step, const FighterCombat *combat, uint32_t by, int32_t part)
{
    const FighterFrames *frames = fighter_action_frames(step, by);
    FighterBox box = FIGHTER_BOX_NONE;
    for (int32_t i = 0; i < frames->strike_count; i++) {
        const FighterStrike *row = &fighter_strikes[frames->first_strike + i];
        if (is_active(row, &step->state.fighters[by], part)) {
            fighter_reach_cover(&box, &row->capsule, &combat->poses[by]);
        }
    }
    return box;
}

static void gather_strikes(FighterStep *step, FighterCombat *combat, uint32_t by, int32_t part)
{
    Fighter *owner = &step->state.fighters[by];
    FighterBox box = box_of_strikes(step, combat, by, part);
    bool is_reached[FIGHTER_PLAYERS_MAX] = { false };
    bool does_reach = false;
    if (owner->strike_part != part) {
        owner->strike_part = (uint8_t)part;
        memset(owner->struck, 0, sizeof(owner->struck));
    }
    for (uint32_t i = 0; i < step->state.fighter_count; i++) {
        bool is_struck = (owner->struck[i / 64] >> i % 64 & 1) != 0;
        bool met_shield = false;
        if (i == by || is_struck || !combat->is_open[i] || !fighter_reach_boxes_meet(&box, &combat->boxes[i])) {
            continue;
        }
        const FighterStrike *row = row_that_meets(step, combat, by, i, part, &met_shield);
        if (row != NULL && row->is_grab != 0) {
            is_reached[i] = true;
            does_reach = true;
        } else if (row != NULL) {
            strike(step, combat, by, i, row, met_shield);
        }
    }
    if (does_reach) {
        fighter_grab_reach(step, combat, by, is_reached);
    }
}

// A blow ends the hold its victim is in (fighter_launch_apply), which leaves the same state whichever of the two is struck or comes first. A blow at
// a body takes the shield away: what met the shield in the same tick then does nothing.
static void apply_blows(FighterStep *step, const FighterCombat *combat)
{
    for (uint32_t i = 0; i < step->state.fighter_count; i++) {
        const FighterBlow *body = &combat->body_blows[i];
        const FighterBlow *shield = &combat->shield_blows[i];
        if (body->strike != NULL) {
            fighter_launch_apply(step, i, body);
            fighter_report_impact(step, FIGHTER_EVENT_HIT, i, body->by + 1u, body->damage, body->knockback);
        } else if (shield->strike != NULL) {
            fighter_shield_apply(step, i, shield);
        }
    }
}

// What a blow does to who gave it. A freeze that is longer anyway goes on as it was.
static void apply_to_owners(FighterStep *step, const FighterCombat *combat)
{
    for (uint32_t i = 0; i < step->state.fighter_count; i++) {
        Fighter *owner = &step->state.fighters[i];
        if (combat->hitlags[i] > 0 && combat->hitlags[i] >= owner->hitlag_ticks) {
            owner->hitlag_ticks = combat->hitlags[i];
            step->is_fresh[i] = true;
        }
        if (combat->is_proven[i]) {
            fighter_launch_remember(owner, (FighterAction)combat->actions[i]);
        }
        for (uint32_t k = 0; k < combat->shots_proven[i]; k++) {
            fighter_launch_remember(owner, FIGHTER_ACTION_SHOOT);
        }
    }
}

// Of the fighters that there are: clearing places for all that there could be takes longer than the strikes.
static void clear_combat(FighterCombat *combat, uint32_t count)
{
    memset(combat->is_open, 0, count * sizeof(combat->is_open[0]));
    memset(combat->has_shield, 0, count * sizeof(combat->has_shield[0]));
    memset(combat->poses, 0, count * sizeof(combat->poses[0]));
    memset(combat->boxes, 0, count * sizeof(combat->boxes[0]));
    memset(combat->body_blows, 0, count * sizeof(combat->body_blows[0]));
    memset(combat->shield_blows, 0, count * sizeof(combat->shield_blows[0]));
    memset(combat->hitlags, 0, count * sizeof(combat->hitlags[0]));
    memset(combat->actions, 0, count * sizeof(combat->actions[0]));
    memset(combat->is_proven, 0, count * sizeof(combat->is_proven[0]));
    memset(combat->shots_proven, 0, count * sizeof(combat->shots_proven[0]));
    memset(combat->grabs, 0, count * sizeof(combat->grabs[0]));
    memset(combat->is_spent, 0, sizeof(combat->is_spent));
}

void fighter_combat_update(FighterStep *step)
{
    int32_t parts[FIGHTER_PLAYERS_MAX];
    bool does_strike = step->state.projectiles.head->live != 0;
    for (uint32_t i = 0; i < step->state.fighter_count; i++) {
        parts[i] = active_part(step, i);
        does_strike = does_strike || parts[i] != 0;
    }
    if (!does_strike) {
        return;
    }
    FighterCombat combat;
    clear_combat(&combat, step->state.fighter_count);
    open_bodies(step, &combat);
    for (uint32_t i = 0; i < step->state.fighter_count; i++) {
        combat.actions[i] = step->state.fighters[i].action;
        if (parts[i] != 0) {
            gather_strikes(step, &combat, i, parts[i]);
        }
    }
    fighter_shot_gather(step, &combat);
    apply_blows(step, &combat);
    apply_to_owners(step, &combat);
    fighter_grab_apply(step, &combat);
    fighter_shot_apply(step, &combat);
}

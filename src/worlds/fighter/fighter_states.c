// fighter_states.c: layer 3: the counters, and what actions do at their ticks. First everybody is counted, then everybody acts: what one
// fighter does to another (letting go, throwing) finds both counted, whichever slot is lower.
#include "fighter_action.h"

enum {
    SHIELD_DRAIN  = 18350, ///< 0.28 a tick while it is up
    SHIELD_REFILL = 4588,  ///< 0.07 a tick while it is not
    STRUGGLE_TICKS = 6,    ///< of a hold, for every button that the held one presses
};

static bool has_shield_up(const Fighter *fighter)
{
    return fighter->action == FIGHTER_ACTION_SHIELD || fighter->action == FIGHTER_ACTION_SHIELD_STUN;
}

static void count_shield(Fighter *fighter)
{
    int32_t most = FIGHTER_RAW(FIGHTER_SHIELD_MAX);
    int32_t now = fighter->shield.raw;
    if (has_shield_up(fighter)) {
        now = now > SHIELD_DRAIN ? now - SHIELD_DRAIN : 0;
    } else if (fighter->action != FIGHTER_ACTION_SHIELD_BREAK) {
        now = now < most - SHIELD_REFILL ? now + SHIELD_REFILL : most;
    }
    fighter->shield = tp_fx_raw(now);
}

static void count(FighterStep *step, uint32_t slot)
{
    Fighter *fighter = &step->state.fighters[slot];
    if (fighter->action == FIGHTER_ACTION_ABSENT || fighter->action == FIGHTER_ACTION_OUT) {
        return;
    }
    fighter->guard_ticks = fighter->guard_ticks > 0 ? (uint16_t)(fighter->guard_ticks - 1) : 0;
    fighter->ledge_wait_ticks = fighter->ledge_wait_ticks > 0 ? (uint8_t)(fighter->ledge_wait_ticks - 1) : 0;
    if (step->is_frozen[slot]) {
        return;
    }
    fighter->lag_ticks = fighter->lag_ticks > 0 ? (uint16_t)(fighter->lag_ticks - 1) : 0;
    fighter->action_tick = fighter->action_tick < FIGHTER_TICKS_MAX ? (uint16_t)(fighter->action_tick + 1) : FIGHTER_TICKS_MAX;
    if (fighter->action != FIGHTER_ACTION_KO) {
        count_shield(fighter);
    }
}

static uint32_t presses(const FighterStep *step, uint32_t slot)
{
    uint32_t pressed = step->pads[slot].buttons & ~(uint32_t)step->state.fighters[slot].last_buttons;
    uint32_t count = 0;
    for (uint32_t bits = pressed; bits != 0; bits &= bits - 1) {
        count++;
    }
    return count;
}

static void hold(FighterStep *step, uint32_t slot)
{
    Fighter *fighter = &step->state.fighters[slot];
    uint32_t struggle = fighter->partner != 0 ? presses(step, fighter->partner - 1u) * STRUGGLE_TICKS : 0;
    fighter->lag_ticks = fighter->lag_ticks > struggle ? (uint16_t)(fighter->lag_ticks - struggle) : 0;
    if (fighter->lag_ticks == 0) {
        fighter_grab_release(step, slot);
    }
}

static void throw_partner(FighterStep *step, uint32_t slot)
{
    const Fighter *fighter = &step->state.fighters[slot];
    const FighterFrames *frames = fighter_action_frames(step, slot);
    if (fighter->partner != 0 && fighter->action_tick == fighter_strikes[frames->first_strike].first_tick) {
        fighter_grab_throw(step, slot);
    }
}

static void act(FighterStep *step, uint32_t slot)
{
    const Fighter *fighter = &step->state.fighters[slot];
    switch ((int)fighter->action) {
    case FIGHTER_ACTION_SHIELD:
    case FIGHTER_ACTION_SHIELD_STUN:
        if (fighter->shield.raw == 0) {
            fighter_shield_break(step, slot, 0);
        }
        break;
    case FIGHTER_ACTION_SHOOT:
        if (fighter->action_tick == step->kinds[slot]->shot.tick) {
            fighter_shot_fire(step, slot);
        }
        break;
    case FIGHTER_ACTION_GRAB_HOLD:
        hold(step, slot);
        break;
    case FIGHTER_ACTION_THROW_FORWARD:
    case FIGHTER_ACTION_THROW_BACK:
    case FIGHTER_ACTION_THROW_UP:
    case FIGHTER_ACTION_THROW_DOWN:
        throw_partner(step, slot);
        break;
    default:
        break;
    }
}

void fighter_states_advance(FighterStep *step)
{
    for (uint32_t i = 0; i < step->state.fighter_count; i++) {
        count(step, i);
    }
    for (uint32_t i = 0; i < step->state.fighter_count; i++) {
        if (!step->is_frozen[i]) {
            act(step, i);
        }
    }
}

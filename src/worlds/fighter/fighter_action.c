// fighter_action.c: what an action is: the table of actions, and how a fighter gets from one into another.
#include "fighter_action.h"

enum { G = FIGHTER_WHERE_GROUND, A = FIGHTER_WHERE_AIR, B = FIGHTER_WHERE_BOTH, N = FIGHTER_WHERE_NOWHERE };

static const uint8_t places[FIGHTER_ACTION_COUNT] = {
#define FIGHTER_ACTION_PLACE(NAME, text, where) [FIGHTER_ACTION_##NAME] = (uint8_t)(where),
    FIGHTER_ACTION_LIST(FIGHTER_ACTION_PLACE)
#undef FIGHTER_ACTION_PLACE
};

#define STILL  .steer = FIGHTER_STEER_STILL
#define SLIDE  .steer = FIGHTER_STEER_SLIDE
#define DRIFT  .steer = FIGHTER_STEER_DRIFT
#define TICKS  .length = FIGHTER_LENGTH_TICKS
#define LAG    .length = FIGHTER_LENGTH_LAG
#define STAYS  .landing = FIGHTER_LANDING_STAY
#define FOOTED .keeps_footing = true
// A blow on the ground, and one in the air.
#define STRIKE { SLIDE, TICKS, FOOTED }
#define AERIAL { DRIFT, TICKS, .pad = FIGHTER_PAD_FALL }
#define THROW  { STILL, TICKS, FOOTED }

static const FighterActionRule rules[FIGHTER_ACTION_COUNT] = {
    [FIGHTER_ACTION_ABSENT]         = { STILL },
    [FIGHTER_ACTION_OUT]            = { STILL },
    [FIGHTER_ACTION_KO]             = { STILL, TICKS },
    [FIGHTER_ACTION_RESPAWN]        = { STILL, TICKS, .pad = FIGHTER_PAD_RETURN, .is_guarded = true },
    [FIGHTER_ACTION_IDLE]           = { SLIDE, .pad = FIGHTER_PAD_STAND },
    [FIGHTER_ACTION_WALK]           = { .steer = FIGHTER_STEER_WALK, .pad = FIGHTER_PAD_STAND },
    [FIGHTER_ACTION_DASH]           = { .steer = FIGHTER_STEER_DASH, TICKS, .pad = FIGHTER_PAD_DASH },
    [FIGHTER_ACTION_RUN]            = { .steer = FIGHTER_STEER_RUN, .pad = FIGHTER_PAD_RUN },
    [FIGHTER_ACTION_TURN]           = { SLIDE, TICKS, .pad = FIGHTER_PAD_TURN },
    [FIGHTER_ACTION_CROUCH]         = { SLIDE, .pad = FIGHTER_PAD_STAND, FOOTED },
    [FIGHTER_ACTION_JUMP_SQUAT]     = { .steer = FIGHTER_STEER_KEEP, .length = FIGHTER_LENGTH_SQUAT, .pad = FIGHTER_PAD_SQUAT, FOOTED },
    [FIGHTER_ACTION_AIR]            = { DRIFT, .pad = FIGHTER_PAD_AIR, .catches_ledges = true },
    [FIGHTER_ACTION_HELPLESS]       = { DRIFT, .pad = FIGHTER_PAD_FALL, .catches_ledges = true },
    [FIGHTER_ACTION_LAND]           = { SLIDE, LAG },
    [FIGHTER_ACTION_SHIELD]         = { SLIDE, .pad = FIGHTER_PAD_SHIELD, FOOTED },
    [FIGHTER_ACTION_SHIELD_STUN]    = { SLIDE, LAG, FOOTED },
    [FIGHTER_ACTION_SHIELD_BREAK]   = { SLIDE, TICKS, STAYS, FOOTED },
    [FIGHTER_ACTION_SPOT_DODGE]     = STRIKE,
    [FIGHTER_ACTION_ROLL_FORWARD]   = STRIKE,
    [FIGHTER_ACTION_ROLL_BACK]      = STRIKE,
    [FIGHTER_ACTION_AIR_DODGE]      = { .steer = FIGHTER_STEER_HOVER, TICKS },
    [FIGHTER_ACTION_LEDGE_HANG]     = { STILL, TICKS, .pad = FIGHTER_PAD_LEDGE },
    [FIGHTER_ACTION_LEDGE_CLIMB]    = { STILL, TICKS, .is_guarded = true },
    [FIGHTER_ACTION_JAB]            = STRIKE,
    [FIGHTER_ACTION_TILT_FORWARD]   = STRIKE,
    [FIGHTER_ACTION_TILT_UP]        = STRIKE,
    [FIGHTER_ACTION_TILT_DOWN]      = STRIKE,
    [FIGHTER_ACTION_SMASH_FORWARD]  = STRIKE,
    [FIGHTER_ACTION_SMASH_UP]       = STRIKE,
    [FIGHTER_ACTION_SMASH_DOWN]     = STRIKE,
    [FIGHTER_ACTION_DASH_ATTACK]    = STRIKE,
    [FIGHTER_ACTION_AERIAL_NEUTRAL] = AERIAL,
    [FIGHTER_ACTION_AERIAL_FORWARD] = AERIAL,
    [FIGHTER_ACTION_AERIAL_BACK]    = AERIAL,
    [FIGHTER_ACTION_AERIAL_UP]      = AERIAL,
    [FIGHTER_ACTION_AERIAL_DOWN]    = AERIAL,
    [FIGHTER_ACTION_SHOOT]          = { DRIFT, TICKS, .pad = FIGHTER_PAD_FALL, FOOTED },
    [FIGHTER_ACTION_RECOVERY]       = { .steer = FIGHTER_STEER_HOVER, TICKS, .catches_ledges = true },
    [FIGHTER_ACTION_GRAB]           = STRIKE,
    [FIGHTER_ACTION_GRAB_HOLD]      = { STILL, .pad = FIGHTER_PAD_HOLD, FOOTED },
    [FIGHTER_ACTION_GRABBED]        = { STILL, STAYS },
    [FIGHTER_ACTION_THROW_FORWARD]  = THROW,
    [FIGHTER_ACTION_THROW_BACK]     = THROW,
    [FIGHTER_ACTION_THROW_UP]       = THROW,
    [FIGHTER_ACTION_THROW_DOWN]     = THROW,
    [FIGHTER_ACTION_HITSTUN]        = { SLIDE, LAG, STAYS },
    [FIGHTER_ACTION_TUMBLE]         = { SLIDE, .pad = FIGHTER_PAD_TUMBLE, .landing = FIGHTER_LANDING_LIE },
    [FIGHTER_ACTION_DOWN]           = { SLIDE, TICKS, .pad = FIGHTER_PAD_LIE, FOOTED },
    [FIGHTER_ACTION_GET_UP]         = STRIKE,
    [FIGHTER_ACTION_TECH]           = STRIKE,
};

const FighterActionRule *fighter_action_rule(FighterAction action)
{
    TP_ASSERT((uint32_t)action < FIGHTER_ACTION_COUNT);
    return &rules[action];
}

FighterWhere fighter_action_where(FighterAction action)
{
    TP_ASSERT((uint32_t)action < FIGHTER_ACTION_COUNT);
    return (FighterWhere)places[action];
}

bool fighter_action_is_throw(FighterAction action)
{
    return action >= FIGHTER_ACTION_THROW_FORWARD && action <= FIGHTER_ACTION_THROW_DOWN;
}

bool fighter_action_is_on_stage(FighterAction action)
{
    return fighter_action_where(action) != FIGHTER_WHERE_NOWHERE;
}

void fighter_action_start(FighterStep *step, uint32_t slot, FighterAction action)
{
    Fighter *fighter = &step->state.fighters[slot];
    fighter->action = (uint8_t)action;
    fighter->action_tick = 0;
    fighter->strike_part = 0;
    fighter->struck[0] = 0;
    fighter->struck[1] = 0;
    if (action != FIGHTER_ACTION_LEDGE_HANG && action != FIGHTER_ACTION_LEDGE_CLIMB) {
        fighter->ledge = 0; // whoever does something else has let go of it
    }
}

void fighter_action_rest(FighterStep *step, uint32_t slot)
{
    bool is_on_ground = step->state.fighters[slot].surface != 0;
    fighter_action_start(step, slot, is_on_ground ? FIGHTER_ACTION_IDLE : FIGHTER_ACTION_AIR);
}

const FighterFrames *fighter_action_frames(const FighterStep *step, uint32_t slot)
{
    return &step->kinds[slot]->actions[step->state.fighters[slot].action];
}

bool fighter_action_is_guarded(const FighterStep *step, uint32_t slot)
{
    const Fighter *fighter = &step->state.fighters[slot];
    const FighterFrames *frames = fighter_action_frames(step, slot);
    bool is_own_guard = frames->guard_first > 0 && fighter->action_tick >= frames->guard_first && fighter->action_tick <= frames->guard_last;
    return !fighter_action_is_on_stage((FighterAction)fighter->action) || rules[fighter->action].is_guarded ||
           fighter->guard_ticks > 0 || is_own_guard;
}

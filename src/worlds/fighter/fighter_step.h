// fighter_step.h: the parts of one tick, for the files of this room only. They run in the order in which they stand here: every layer goes over
// all fighters before the next begins.
#pragma once

#include "fighter_data.h"

enum {
    FIGHTER_TILT = 36,      ///< stick: past it is a direction (0.28 of its way)
    FIGHTER_PUSH = 84,      ///< stick: past it, within FIGHTER_PUSH_TICKS of passing FIGHTER_TILT, is a push: dash, smash, tap jump, drop
    FIGHTER_PUSH_TICKS = 3,
    FIGHTER_TECH_TICKS = 20,  ///< a landing within so many ticks of pressing shield is a tech
    FIGHTER_LEDGE_GUARD = 30, ///< ticks in which nothing touches who has caught a ledge
    FIGHTER_RETURN_GUARD = 120, ///< and who has moved off where fighters come back; no guard is longer
};

/// One blow that met somebody in this tick, before anything is applied.
typedef struct FighterBlow {
    const FighterStrike *strike; ///< NULL: nobody was met
    uint8_t  by;                 ///< slot of the owner
    bool     is_shot;            ///< by its projectile
    bool     met_shield;
    uint8_t  facing;             ///< of the blow: which way "forward" is
    tp_fx    damage;             ///< after staling, percent
    tp_fx    unstaled;
    tp_fx    knockback;
    tp_fx    shield_damage;      ///< what a shield loses on top of the damage
    uint16_t life_ticks;         ///< of the projectile: the older one has less left
} FighterBlow;

/// One tick's view of everything: built by the step, borrowed by its parts.
typedef struct FighterStep {
    FighterState        state;
    tp_context         *context;
    const tp_tick      *tick;
    const FighterStage *stage;
    const FighterKind  *kinds[FIGHTER_PLAYERS_MAX];  ///< by slot
    FighterInput        pads[FIGHTER_PLAYERS_MAX];   ///< what the rules take: neutral for who is absent and when the match is over
    bool                is_frozen[FIGHTER_PLAYERS_MAX]; ///< in hitlag at the beginning of the tick: layers 1 to 4 leave it alone
    tp_fx               from_x[FIGHTER_PLAYERS_MAX]; ///< where each stood before layer 4 moved it
    tp_fx               from_y[FIGHTER_PLAYERS_MAX];
    bool                is_fresh[FIGHTER_PLAYERS_MAX]; ///< its hitlag began in this tick and is not counted down in it
} FighterStep;

// fighter_step.c

/// Between -limit and limit.
static inline int32_t fighter_clamped(int64_t raw, int32_t limit)
{
    return (int32_t)(raw > limit ? limit : raw < -limit ? -limit : raw);
}

/// A fighter may be past the edge of space between its move and the end of the tick; what is said and kept of it stays inside.
static inline tp_fx fighter_inside(tp_fx place)
{
    return (tp_fx){ fighter_clamped(place.raw, FIGHTER_RAW(FIGHTER_SPACE)) };
}

/// Reports JOINED to RESPAWNED: what happened to a fighter, where it is now.
void fighter_report(FighterStep *step, FighterEvent type, uint32_t slot);
/// Reports HIT to KO. `who` is a slot + 1, 0 for nobody.
void fighter_report_impact(FighterStep *step, FighterEvent type, uint32_t slot, uint32_t who, tp_fx damage, tp_fx knockback);
/// The world's step.
tp_step_result fighter_step(void *block, const tp_tick *tick, tp_context *context);

// fighter_people.c and fighter_match.c: before the layers

/// Leaves and joins since the tick before, by presence. Fills `pads`. Leaving takes the fighter off the stage (ABSENT), lets go of whoever it
/// holds, and takes its projectiles and the credit for its blows along; in PLAYING it costs a life, and the others wait in the slot. Joining in
/// WAITING or PLAYING puts a fighter on the stage and says JOINED, with a match's lives, or with those that wait in the slot from this same match;
/// without any, and in OVER, it is OUT until the next match. Who is there at tick 0 has not joined. What a joiner holds down counts as held before.
void fighter_people_update(FighterStep *step);
/// Where the fighter of a slot begins: evenly spread between spawn_left and spawn_right, looking at the middle, IDLE on the floor there.
/// Lives, shield and jumps full; all else zero but kos and falls, which the caller keeps.
Fighter fighter_people_spawn(const FighterStep *step, uint32_t slot);
/// What the pad of a slot holds down now counts as held before: no press, no push.
void fighter_people_hold(FighterStep *step, uint32_t slot);
/// Begins a match when somebody is here and there is none, after OVER has lasted, and counts its clock; a new match puts everybody who is here where it
/// begins and clears the projectiles.
void fighter_match_update(FighterStep *step);

// Layer 1, input: fighter_pad.c, fighter_decide.c

/// What the pad asks for in this tick, read from pad and last pad.
typedef struct FighterWish {
    int32_t stick_x, stick_y;      ///< -127 .. 127
    int32_t forward;               ///< stick_x the way the fighter looks: positive is forward
    bool    jump, attack, shield, grab, special; ///< pressed: was up in the tick before
    bool    jump_held, shield_held;
    bool    push_x, push_y;        ///< pushed fast that way (FIGHTER_PUSH): in this tick or the last two
    int32_t c_x, c_y;              ///< C-stick: -1, 0, 1; only in the tick in which it passes FIGHTER_PUSH, the longer way only
} FighterWish;

/// Counts tilt_*_ticks and tech_ticks for everybody, frozen or not. Runs first.
void fighter_pad_count(FighterStep *step);
FighterWish fighter_pad_wish(const FighterStep *step, uint32_t slot);
/// Keeps this tick's pad as the last one. Runs in resolve.
void fighter_pad_keep(FighterStep *step);
/// Ends actions that have run their length, then lets every pad that may decide start another one. Frozen fighters decide nothing.
void fighter_decide(FighterStep *step);

// fighter_action.c: what an action is

typedef enum FighterWhere { FIGHTER_WHERE_GROUND, FIGHTER_WHERE_AIR, FIGHTER_WHERE_BOTH, FIGHTER_WHERE_NOWHERE } FighterWhere;
FighterWhere fighter_action_where(FighterAction action);
bool fighter_action_is_throw(FighterAction action);
/// On the stage: not ABSENT, OUT or KO.
bool fighter_action_is_on_stage(FighterAction action);
/// Puts a fighter into an action: action_tick 0, `struck` and `strike_part` cleared. Everything else that an action needs (lag, velocity, ledge,
/// partner) is the caller's. A fighter that leaves GRAB_HOLD, THROW_* or GRABBED must have been let go (fighter_grab_release) before.
void fighter_action_start(FighterStep *step, uint32_t slot, FighterAction action);
/// IDLE on a surface, AIR off it.
void fighter_action_rest(FighterStep *step, uint32_t slot);
const FighterFrames *fighter_action_frames(const FighterStep *step, uint32_t slot);
/// Nothing touches it in this tick: guard_ticks, or the action's own guard, or not on the stage, or RESPAWN.
bool fighter_action_is_guarded(const FighterStep *step, uint32_t slot);

// Layer 2, physics: fighter_move.c

/// Velocities: steering, friction, gravity, an action's own motion, and the braking of the launch.
void fighter_move_accelerate(FighterStep *step);
/// Places of projectiles, their lives; those that leave the stage's blast zones or meet a floor or wall go.
void fighter_shot_move(FighterStep *step);

// Layer 3, states: fighter_states.c

/// Counts action_tick, lag, guard, ledge_wait; drains and refills shields; and does what actions do at their ticks: SHOOT's projectile
/// (fighter_shot_fire), a drained shield breaking, holds ending, throws letting go (fighter_grab_throw). What ends by its length
/// ends in fighter_decide of the next tick.
void fighter_states_advance(FighterStep *step);

// Layer 4, the stage: fighter_collide.c, fighter_ledge.c

/// Moves everybody from place to place + velocity + launch, stopping at the first surface on the way, sliding along it; landings, walls,
/// ceilings, walking off edges. Exact at any speed: what is crossed first is met first.
void fighter_collide_move(FighterStep *step);
/// Those that fall past a free ledge take hold of it: of several in one tick the nearest, and nobody when two are as near, so that no order of
/// slots decides.
void fighter_ledge_catch(FighterStep *step);
/// Where the ledge that it holds puts a fighter: below the corner in LEDGE_HANG, on the way up and over in LEDGE_CLIMB.
void fighter_ledge_place(FighterStep *step, uint32_t slot);
/// The end of LEDGE_CLIMB: IDLE on the ledge's floor.
void fighter_ledge_stand(FighterStep *step, uint32_t slot);

// Layer 5, combat: fighter_combat.c, fighter_reach.c, fighter_launch.c, fighter_shield.c, fighter_grab.c, fighter_shot.c

/// Gathers every blow and grab of the tick from the state as layer 4 left it, then applies them all.
void fighter_combat_update(FighterStep *step);
/// Capsules of two fighters, or of a fighter and a projectile, at their places: whether they touch. Exact, the same in the mirror.
bool fighter_reach_touch(const FighterCapsule *a, tp_fx ax, tp_fx ay, bool a_looks_left,
                         const FighterCapsule *b, tp_fx bx, tp_fx by, bool b_looks_left);
/// Spec of the formula in fighter_launch.c. Arguments in Q16.16; `victim` is the damage before the hit.
tp_fx fighter_launch_knockback(const FighterStrike *strike, tp_fx unstaled, tp_fx staled, tp_fx victim, int32_t weight, int32_t percent);
/// Damage, hitlag, hitstun or tumble, and the waiting launch.
void fighter_launch_apply(FighterStep *step, uint32_t slot, const FighterBlow *blow);
/// The launch begins as hitlag ends: the stick bends it by up to 18 degrees.
void fighter_launch_begin(FighterStep *step, uint32_t slot);
/// 1 minus 0.09 for the newest of the last nine, 0.08 for the one before, ...: of those that are this action.
tp_fx fighter_launch_staled(const Fighter *fighter, FighterAction action, tp_fx damage);
void fighter_launch_remember(Fighter *fighter, FighterAction action);
void fighter_shield_apply(FighterStep *step, uint32_t slot, const FighterBlow *blow);
/// A shield without health breaks: SHIELD_BROKE, the hop, and a daze after it; half of its health is back for afterwards. `by`: the slot + 1 whose
/// blow it was, 0 when it was held for too long.
void fighter_shield_break(FighterStep *step, uint32_t slot, uint32_t by);
/// The shield as a capsule: shrinks with its health.
FighterCapsule fighter_shield_capsule(const FighterKind *kind, const Fighter *fighter);
/// Both sides of a hold go back to rest, the held one with a few ticks of guard. Does nothing without a partner.
void fighter_grab_release(FighterStep *step, uint32_t slot);
void fighter_grab_throw(FighterStep *step, uint32_t slot);
/// SHOOT lets go of its projectile, unless the muzzle is behind something that ends projectiles.
void fighter_shot_fire(FighterStep *step, uint32_t slot);

// Layer 6, resolve: fighter_match.c

/// Blast zones, lives, KO, the end of the match.
void fighter_match_resolve(FighterStep *step);

// fighter_validate.c

/// NULL, or what is wrong with a state whose ranges hold. Whatever is accepted steps without fault into states that are accepted.
const char *fighter_validate(const void *block, const tp_context *context);

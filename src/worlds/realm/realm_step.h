// realm_step.h: the parts of one tick, for the files of the game only. They run in the order in which they stand here.
//
// Sections of the engine are written by its calls alone, those of the game by the _edit functions below alone: they tell the host which bytes
// change. Everything else is const, so that a write past them does not compile.
#pragma once

#include "realm_game.h"
#include "realm_stream.h"

/// What happened to one body in this tick, before anything is applied. `who` did the most damage in one blow, of several as hard the
/// lowest: no order of slots decides.
typedef struct RealmWound {
    uint32_t damage;
    uint32_t most;
    uint32_t who;
} RealmWound;

/// Where a player is once all players have moved; not `is_there`: no body, or lost.
typedef struct RealmStand {
    RealmPlace place;
    bool       is_there;
} RealmStand;

/// One tick's view of everything: built by the step, borrowed by its parts.
typedef struct RealmStep {
    RealmEngine       engine;
    tp_context       *context;
    const tp_tick    *tick;
    const RealmInput *inputs;
    RealmGameView     view;
    RealmStream      *stream; ///< for realm_stream's functions alone
    RealmStand        stands[REALM_PLAYERS_MAX];
    uint32_t          alive[REALM_PLAYERS_MAX]; ///< slots of those that are there, rising
    uint32_t          alive_count;
    bool              strikes[REALM_PLAYERS_MAX]; ///< attacks in this tick
    bool              uses[REALM_PLAYERS_MAX];    ///< pressed USE in this tick
    RealmWound        player_wounds[REALM_PLAYERS_MAX];
    RealmWound        creature_wounds[REALM_CREATURES_MAX];
    bool              creature_strikes[REALM_CREATURES_MAX];
} RealmStep;

// realm_step.c

RealmGame     *realm_game_edit(RealmStep *step);
RealmPlayer   *realm_player_edit(RealmStep *step, uint32_t slot);
RealmCreature *realm_creature_edit(RealmStep *step, uint32_t index);
RealmShot     *realm_shot_edit(RealmStep *step, uint32_t index);
RealmDoor     *realm_door_edit(RealmStep *step, uint32_t index);

/// One draw of the game's generator: 0 .. bound - 1.
uint32_t realm_draw(RealmStep *step, uint32_t bound);
/// Reports a game event and counts it in the state when the tick is full.
void     realm_report(RealmStep *step, RealmEvent type, uint32_t who, uint32_t whom, RealmPlace place, int32_t amount);
/// Which player or creature an owner is, as events name it; 0: neither.
uint32_t realm_who_of(const RealmStep *step, uint32_t owner);
/// The engine had no room for something that is asked for again later.
void     realm_count_wait(RealmStep *step);
/// The world's step.
tp_step_result realm_step(void *state, const tp_tick *tick, tp_context *context);

// realm_walk.c: bodies that walk, whoever's they are

typedef struct RealmMotion {
    tp_fx speed_x, speed_y, speed_z;
    bool  is_grounded;
} RealmMotion;

typedef struct RealmWalked {
    RealmPlace place;
    tp_fx      fall;       ///< downward speed at a landing in this tick, else 0
    bool       is_blocked; ///< came less than half as far as it wanted, level
} RealmWalked;

/// Moves a body by one tick of its speed: gravity, then a slide along whatever is in the way. False: it is lost, or there was no
/// room for the move; nothing changed then.
bool realm_walk(RealmStep *step, RealmOwnerHandle owner, RealmMotion *motion, RealmWalked *walked);
/// A place on the ground in a landblock that is served in full, where a body of this setup touches nothing: x and y are the caller's. False: not here.
bool realm_walk_stand(const RealmStep *step, uint32_t cell, tp_fx x, tp_fx y, uint16_t setup, RealmPlace *place);

// realm_player.c

/// Leaves and joins since the tick before, by presence.
void realm_player_presence(RealmStep *step);
/// Pads to motion; fills `stands`, `alive`, `strikes` and `uses`. Fires bolts.
void realm_player_update(RealmStep *step);
/// Where a slot's player is or is to appear: what streaming follows. False: the slot is free.
bool realm_player_focus(const RealmStep *step, uint32_t slot, RealmPlace *place);
/// Counts a kill and gives its points.
void realm_player_score(RealmStep *step, uint32_t slot, uint32_t points);
/// Takes the body away; a new place is drawn when the time is over.
void realm_player_die(RealmStep *step, uint32_t slot, uint32_t who);
/// Counts the dead down and puts those that wait where their landblock is ready.
void realm_player_respawn(RealmStep *step);

// realm_creature.c

void realm_creature_init(RealmStep *step);
/// Every creature thinks and moves; those that strike are in `creature_strikes`.
void realm_creature_update(RealmStep *step);
void realm_creature_die(RealmStep *step, uint32_t index, uint32_t who);
/// Takes those that everybody has left behind, and brings those whose time is over near somebody.
void realm_creature_respawn(RealmStep *step);

// realm_shot.c

/// A bolt from a player; refused and counted when all slots are taken.
void realm_shot_fire(RealmStep *step, uint32_t slot, RealmPlace from, tp_angle look);
/// Bolts fly; what they meet is wounded or stops them.
void realm_shot_update(RealmStep *step);
/// A slot's bolts go with who fired them.
void realm_shot_forget(RealmStep *step, uint32_t slot);

// realm_combat.c

void realm_combat_wound(RealmWound *wound, uint32_t damage, uint32_t who);
/// Gathers all blows of the tick, then applies all wounds: players, then creatures.
void realm_combat_update(RealmStep *step);

// realm_door.c

/// Opens or closes the nearest door of everybody who pressed USE; hangs doors where buildings have come, and takes down those
/// whose landblock has changed.
void realm_door_update(RealmStep *step);

// realm_command.c

/// Commands in their order.
void realm_command_apply(RealmStep *step);

// fighter_combat.h: what the files of layer 5 share: where bodies are and were in a tick, and the blows that meet them. Nothing here outlives
// the tick.
#pragma once

#include "fighter_step.h"

enum {
    FIGHTER_HITLAG_MAX       = 20, ///< ticks
    FIGHTER_TUMBLE_KNOCKBACK = 80, ///< from here on a blow makes TUMBLE
    FIGHTER_STUN_MAX         = FIGHTER_KNOCKBACK_MAX * 2 / 5, ///< ticks: 0.4 of the hardest launch
    FIGHTER_HOLD_TICKS       = 60, ///< of a hold, plus one for every percent of the victim
    FIGHTER_RELEASE_GUARD    = 10, ///< ticks in which nothing touches who was let go
};

/// Where something is after the moves of the tick, and where it was before them.
typedef struct FighterPose {
    tp_fx x, y, from_x, from_y;
    bool  looks_left;
} FighterPose;

typedef struct FighterBox {
    int32_t x0, y0, x1, y1;
} FighterBox;

// fighter_reach.c

/// As fighter_reach_touch at both places after the moves; and where the two moved past each other by more than they are thick, the whole way
/// between is looked at: what passes through somebody within a tick touches it.
bool fighter_reach_sweep(const FighterCapsule *a, const FighterPose *a_pose, const FighterCapsule *b, const FighterPose *b_pose);
/// Makes *box cover the capsule at both of its places. An empty box to begin with: FIGHTER_BOX_NONE.
void fighter_reach_cover(FighterBox *box, const FighterCapsule *capsule, const FighterPose *pose);
bool fighter_reach_boxes_meet(const FighterBox *a, const FighterBox *b);

#define FIGHTER_BOX_NONE ((FighterBox){ INT32_MAX, INT32_MAX, INT32_MIN, INT32_MIN })

/// Everything that layer 5 gathers before it applies anything.
typedef struct FighterCombat {
    bool        is_open[FIGHTER_PLAYERS_MAX];     ///< on the stage and not guarded
    bool        has_shield[FIGHTER_PLAYERS_MAX];
    FighterPose poses[FIGHTER_PLAYERS_MAX];
    FighterBox  boxes[FIGHTER_PLAYERS_MAX];       ///< of all that can be struck
    FighterBlow body_blows[FIGHTER_PLAYERS_MAX];  ///< by victim: the strongest, with the damage of all
    FighterBlow shield_blows[FIGHTER_PLAYERS_MAX];
    uint16_t    hitlags[FIGHTER_PLAYERS_MAX];     ///< by owner: what its strikes of this tick freeze it for
    uint8_t     actions[FIGHTER_PLAYERS_MAX];     ///< by owner, as they were
    bool        is_proven[FIGHTER_PLAYERS_MAX];   ///< by owner: its strike met a body
    uint8_t     shots_proven[FIGHTER_PLAYERS_MAX];
    uint8_t     grabs[FIGHTER_PLAYERS_MAX];       ///< by grabber: slot + 1 of whom it reaches for
    bool        is_spent[FIGHTER_PROJECTILES_MAX];///< projectiles that met somebody
} FighterCombat;

// fighter_launch.c

/// floor(damage / 3) + 3, at most FIGHTER_HITLAG_MAX.
uint16_t fighter_launch_hitlag(tp_fx damage);

// fighter_grab.c

/// Of several that a grabber can reach the nearer one counts, and nobody when two are equally near.
void fighter_grab_reach(const FighterStep *step, FighterCombat *combat, uint32_t by, const bool *is_reached);
/// Holds of the tick: two that reach for each other, or for the same one from equally near, get nobody.
void fighter_grab_apply(FighterStep *step, const FighterCombat *combat);

// fighter_shot.c

/// Adds the blows of all projectiles.
void fighter_shot_gather(FighterStep *step, FighterCombat *combat);
/// Takes away those that met somebody.
void fighter_shot_apply(FighterStep *step, const FighterCombat *combat);

// fighter_combat.c

/// Whether a strike meets this fighter, and there its shield or its body.
typedef enum FighterMeeting { FIGHTER_MEETING_NONE, FIGHTER_MEETING_SHIELD, FIGHTER_MEETING_BODY } FighterMeeting;
FighterMeeting fighter_combat_meet(const FighterStep *step, const FighterCombat *combat, uint32_t victim, const FighterStrike *strike,
                                   const FighterPose *pose);
/// Counts a blow for its victim.
void fighter_combat_add(const FighterStep *step, FighterCombat *combat, uint32_t victim, FighterBlow *blow);

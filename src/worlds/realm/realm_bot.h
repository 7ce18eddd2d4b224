// realm_bot.h: a player made of code. It explores outward, so that land is streamed; fights what comes near; visits buildings through their
// doorways; opens doors; and gets itself out of where it is stuck. It sees what a person sees: a view, and of that what is near.
#pragma once

#include "realm_game.h"

#include "tickproof/rng.h"

enum {
    REALM_BOT_DELAY_MAX    = 30, ///< ticks of latency; more is cut to this
    REALM_BOT_SIGHT_RAW    = REALM_RAW(16),
    REALM_BOT_DOORWAY_RAW  = REALM_RAW(100), ///< how far away a doorway draws it
};

/// What the bot sees of one tick.
typedef struct RealmLook {
    RealmPlace place;
    RealmWay   foe;           ///< to the nearest creature, or player where they fight
    RealmPlace doorway;       ///< the middle of the sill of the nearest doorway in this landblock
    RealmWay   inward;        ///< one unit from the doorway into the room behind it
    uint32_t   room;          ///< cell behind it
    uint8_t    status;
    bool       is_indoors;
    bool       has_foe;
    bool       has_doorway;
    bool       is_door_shut;  ///< a closed door in reach
} RealmLook;

typedef enum RealmBotVisit {
    REALM_BOT_NO_VISIT  = 0,
    REALM_BOT_APPROACH  = 1, ///< to a point outside, before the doorway
    REALM_BOT_GO_IN     = 2,
    REALM_BOT_STAY      = 3,
    REALM_BOT_GO_OUT    = 4,
} RealmBotVisit;

/// Latency is pure: the bot acts on what it saw `delay_ticks` ago, and does not make up for the difference.
typedef struct RealmBot {
    tp_pcg32   generator;
    RealmLook  seen[REALM_BOT_DELAY_MAX + 1]; ///< ring of the last delay_ticks + 1 looks
    uint64_t   looks;
    uint32_t   slot;
    uint32_t   delay_ticks;
    tp_angle   heading;       ///< where it explores
    uint32_t   heading_ticks; ///< until it turns a little
    uint32_t   detour_ticks;  ///< until it goes on with what it wanted
    tp_angle   detour;
    uint32_t   peace_ticks;   ///< until it fights again
    uint32_t   press_ticks;   ///< until it presses USE or jumps again
    RealmPlace anchor;        ///< where it last was well on its way
    uint32_t   stuck_ticks;
    uint32_t   visit;
    uint32_t   visit_ticks;   ///< of the part of the visit it is in
    uint32_t   bored_ticks;   ///< until it visits again
    uint32_t   room;          ///< that it visits, or visited last
    RealmPlace doorway;       ///< of that room
    RealmWay   inward;
} RealmBot;

extern const tp_bot_type realm_bot;

/// What a slot sees.
RealmLook realm_bot_look(const tp_view *view, uint32_t slot);

// fighter_bot.h: a player made of code. It goes for the nearest fighter that somebody plays and strikes by where that one is, shields and
// dodges, uses platforms, comes back when it was thrown off, and walks up and down with nobody to go for. It is meant to be a
// match for a beginner and to bring every rule into play, not to win.
//
// Three parts: fighter_bot.c looks, remembers and plays; fighter_bot_choose.c fights; fighter_bot_way.c knows the way.
#pragma once

#include "fighter_data.h"

#include "tickproof/rng.h"

enum {
    FIGHTER_BOT_DELAY_MAX  = 60, ///< ticks of latency; more is cut to this
    FIGHTER_BOT_LOOK_TICKS = 16, ///< between two looks around for somebody nearer: looking at everybody is what a crowd costs
    FIGHTER_BOT_MOVES      = 5,
};

/// What a bot keeps of a tick: itself and the fighter it goes for.
typedef struct FighterLook {
    int32_t x, y;           ///< Q16.16 units
    int32_t speed_x, speed_y; ///< with the launch, units a tick
    int32_t goal_x, goal_y;
    uint8_t action, facing, surface, jumps_left;
    uint8_t goal_action;
    bool    is_stunned;     ///< in HITSTUN or TUMBLE, and it goes on
    bool    has_goal;
} FighterLook;

/// A pad held for so many ticks: a bot's fingers do several in a row without thinking.
typedef struct FighterBotMove {
    FighterInput pad;
    uint32_t     ticks;
} FighterBotMove;

/// Latency is pure: the bot acts on what it saw `delay_ticks` ago and does not make up for the difference.
typedef struct FighterBot {
    const FighterStage *stage;
    const FighterKind  *kind;
    tp_pcg32            generator;
    FighterLook         seen[FIGHTER_BOT_DELAY_MAX + 1]; ///< ring of the last delay_ticks + 1 looks
    uint64_t            looks;
    uint32_t            slot;
    uint32_t            delay_ticks;
    uint32_t            goal;        ///< slot + 1 of whom it looks at; 0: nobody
    FighterBotMove      moves[FIGHTER_BOT_MOVES];
    uint32_t            move_count;  ///< moves left are [move_next, move_count)
    uint32_t            move_next;
    uint32_t            wait_ticks;  ///< until it may choose again
    int32_t             heading;     ///< -1 or 1: its way with nobody to go for
    int32_t             stick;       ///< how far it pushes when it walks
    uint32_t            pace_ticks;  ///< until it changes its mind about stick and mood
    uint32_t            mood;        ///< FighterBotMood
    uint8_t             last_action; ///< of the look before, and the goal's
    uint8_t             last_goal_action;
    bool                is_odd;      ///< of two ticks the second: for pressing again and again
} FighterBot;

typedef enum FighterBotMood {
    FIGHTER_BOT_APPROACH = 0, ///< at the goal
    FIGHTER_BOT_RUSH     = 1, ///< at the goal, running
    FIGHTER_BOT_RETREAT  = 2, ///< away from it while there is floor
    FIGHTER_BOT_MOODS    = 3,
} FighterBotMood;

extern const tp_bot_type fighter_bot;

// fighter_bot.c

/// Slot + 1 of the nearest other fighter that somebody plays on the stage, the lower slot of two as near; 0: nobody.
uint32_t    fighter_bot_nearest(const tp_view *view, uint32_t slot);
/// What the fighter in `slot` sees when it looks at `goal`, a slot + 1.
FighterLook fighter_bot_look(const tp_view *view, uint32_t slot, uint32_t goal);
/// Forgets what its fingers were to do, then adds to it. A full list takes no more.
void        fighter_bot_drop_moves(FighterBot *bot);
void        fighter_bot_add_move(FighterBot *bot, FighterInput pad, uint32_t ticks);

// fighter_bot_way.c

/// The highest floor or platform under a place, or at it. False when there is nothing but the blast zone.
bool    fighter_bot_ground(const FighterStage *stage, int32_t x, int32_t y, int32_t *ground_y);
/// How far a fighter can go that way (-1 or 1) before it would fall past the stage or meet its wall; ample when there is floor under the next step.
int32_t fighter_bot_room(const FighterStage *stage, const FighterLook *look, int32_t way);
/// Whether it will be over ground for the next moment if it goes on as it does, which is when it may do something long.
bool    fighter_bot_is_safe(const FighterBot *bot, const FighterLook *look);
/// The pad of a fighter that stands or flies over ground and has nothing better to do.
void    fighter_bot_roam(FighterBot *bot, const FighterLook *look, FighterInput *pad);
/// The pad of a fighter with nothing below it: back to the stage.
void    fighter_bot_return(FighterBot *bot, const FighterLook *look, FighterInput *pad);

// fighter_bot_choose.c

/// With nobody to go for: a jump, a bolt or a blow at nothing, now and then.
void    fighter_bot_practise(FighterBot *bot, const FighterLook *look);
/// Adds moves against an attack that has just begun, sometimes.
void    fighter_bot_defend(FighterBot *bot, const FighterLook *look);
/// Chooses what to do about the goal and adds the moves for it; adds none when there is nothing to do.
void    fighter_bot_choose(FighterBot *bot, const FighterLook *look);

// realm_match.h: one running match of the whole realm world for tests: pads by slot, the game's sections, the events of the last tick, bots in
// the seats.
#pragma once

#include "realm_bot.h"
#include "realm_game.h"
#include "realm_stream.h"

#include "tickproof/sim.h"

enum { MATCH_COMMANDS_MAX = 8 };

typedef struct MatchConfig {
    int64_t items[REALM_CONFIG_COUNT];
} MatchConfig;

typedef struct Match {
    tp_sim     *sim;
    uint32_t    players;
    uint8_t     presence[REALM_PLAYERS_MAX / 8];
    RealmInput  inputs[REALM_PLAYERS_MAX]; // of the next tick; kept until changed
    tp_command  commands[MATCH_COMMANDS_MAX]; // of the next tick; cleared by it
    uint32_t    command_count;
    RealmBot   *bots; // NULL: nobody plays
} Match;

/// The standard config.
MatchConfig match_config(void);
/// A land as small and as quick as the game has: 3 x 3 landblocks, all of them there, no creatures, no doors.
MatchConfig match_config_quiet(void);
/// Everybody present. `is_checked`: the host holds every step against what the world told of its writes.
void match_open(Match *match, uint32_t players, uint64_t seed, MatchConfig config, bool is_checked);
void match_close(Match *match);
void match_seat_bots(Match *match, uint64_t seed, uint32_t delay_ticks);
/// A command for the next tick; `data` (canonical bytes) must live until then.
void match_command(Match *match, uint32_t source, RealmCommand type, const void *data, uint16_t size);
/// One tick; fails the test when it is not done.
void match_step(Match *match);
void match_steps(Match *match, uint32_t ticks);
tp_sim_status match_try_step(Match *match, tp_error *error);
/// Steps until everybody present is alive; fails the test after 600 ticks.
void match_start(Match *match);

RealmGameView match_view(const Match *match);
/// Where a slot's body is; fails the test when it has none or is lost.
RealmPlace    match_place(const Match *match, uint32_t slot);
/// The engine of the sim's own block, to plant things in it. `context` must outlive it. Nothing is told to the host.
RealmEngine   match_engine(Match *match, tp_context *context);
RealmPlayer   *match_player(Match *match, uint32_t slot);
RealmCreature *match_creature(Match *match, uint32_t index);
/// Puts a slot's body somewhere, on the ground.
void match_put(Match *match, uint32_t slot, RealmPlace place);
/// Takes the next creature that has no body and gives it one there, on the ground. Returns its index.
uint32_t match_put_creature(Match *match, RealmPlace place);
/// A place (x, y) units from a slot's body, at its height.
RealmPlace match_beside(const Match *match, uint32_t slot, int32_t x_raw, int32_t y_raw);

uint32_t              match_event_count(const Match *match, RealmEvent type);
/// The first of this type in the last tick, or NULL.
const RealmGameEvent *match_event(const Match *match, RealmEvent type);

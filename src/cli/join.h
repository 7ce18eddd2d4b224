// join.h: what the files of `tickproof join` and `tickproof admin` share. cmd_join.c and cmd_admin.c have the flags, join_place.c the operand
// of both; join_session.c the loop, connections and when it is over; join_plan.c which memberships there are; join_member.c one of them and
// what came of it; join_play.c what it plays; join_predict.c how it plays ahead of the server; join_clock.c when; join_rejoin.c how it
// comes back; join_admin.c what an administrator asks; join_print.c what is said.
#pragma once

#include "client_link.h"
#include "inputsource.h"
#include "join_token.h"
#include "worlds.h"

enum {
    JOIN_ROOMS_MAX      = 65536, ///< rooms of one server that are listed
    JOIN_MEMBERS_MAX    = 65536, ///< memberships of one process
    JOIN_ADDRESSES_MAX  = 16,    ///< of a name: these are tried
    JOIN_LEAVE_MS       = 2000,  ///< so long the answers to LEAVE are waited for
    JOIN_ANSWER_MS      = 10000, ///< so long the answer to an administrator is waited for
    JOIN_SAID_MAX       = 8,     ///< lines about what went wrong; the others are counted
    JOIN_INPUTS_MAX     = 64 << 20, ///< bytes of --inputs
    JOIN_CHECKED_MAX    = 64,    ///< worlds and sizes of rooms that --inputs are held against before joining; others tell while they play
    JOIN_DESYNC_MS      = 12000, ///< after a desync: so long a member waits for what the room does about it, then it leaves
    JOIN_PULSE_MS       = 10,    ///< how often a client sends another part of a state that the server asked for
    JOIN_PULSE_LAST_MS  = 60000, ///< for how long after it was asked
    JOIN_LEAD           = 2,     ///< ticks by which its inputs are to be early, and as much as they jitter on top
    JOIN_CATCH_UP       = 5,     ///< ticks that a member which is late plays at once; the rest of the delay is forgotten
    JOIN_RETRY_MS       = 100,   ///< before the first try to connect again; twice as long for each further one, up to
    JOIN_RETRY_MAX_MS   = 2000,
    JOIN_REJOIN_SECONDS = 30,    ///< as long as servers usually keep slots
    JOIN_LAG_MAX        = 10000, ///< milliseconds of --lag and --jitter
};

/// What an administrator asks for.
typedef struct JoinAdmin {
    const char    *key, *verb_name, *room;
    tp_client_verb verb;
    uint32_t       slot;
    uint64_t       value;
    const char    *note;         ///< NOTE
    const char    *command;      ///< COMMAND: its name in the room's world, and its fields as JSON or NULL
    const char    *fields;
} JoinAdmin;

typedef struct JoinOptions {
    WorldSet     worlds;
    const char  *program; ///< "join" or "admin", for messages
    char         host[256], port[8];
    char         ws_host[256], ws_path[256]; ///< of a place that is ws://; empty: none
    const char  *place; ///< as it was given, for messages
    const char **rooms;
    uint32_t     room_count;
    uint32_t     players, clients, lead, bot_delay, trace, seconds, connect_seconds, rooms_per_connection;
    uint64_t     ticks; ///< 0: no limit
    uint64_t     seed;
    const char  *inputs;      ///< the name, for messages; NULL: none
    char        *inputs_text; ///< the whole file
    size_t       inputs_size;
    bool         is_watch, is_list, is_json, is_bot, has_players;
    bool         is_predict, has_session; ///< has_session: --window or --input-delay
    uint32_t     window, input_delay; ///< of --predict
    uint32_t     behind;              ///< ticks, of --watch
    bool         is_rejoin;
    uint32_t     rejoin_seconds;
    bool         is_udp;
    const char  *server_key_file, *client_key_file, *token_file; ///< NULL: none
    bool         has_server_key, has_client_key;
    uint8_t      server_key[CHANNEL_NOISE_KEY];
    ChannelNoisePair client_keys;
    uint8_t      token[JOIN_TOKEN_SIZE_MAX];
    size_t       token_size;   ///< 0: none
    uint32_t     lag_ms, jitter_ms, loss_ppm;
    uint64_t     net_seed;
    bool         is_planted;
    uint64_t     plant_tick;
    const char  *chat;         ///< NULL: nothing is said
    const JoinAdmin *admin;    ///< NULL: rooms are joined
} JoinOptions;

typedef struct Join           Join;
typedef struct JoinConnection JoinConnection;
typedef struct JoinMember     JoinMember;

typedef enum JoinVerdict {
    JOIN_NEVER,   ///< never in the room
    JOIN_NOTHING, ///< in it, but no tick was confirmed: nothing was compared
    JOIN_AGREED,  ///< every root that was compared was equal
    JOIN_DESYNC,
    JOIN_REFUSED, ///< by the server, or before it came to that
    JOIN_INCOMPATIBLE,
} JoinVerdict;

/// Of all sessions that a member had: a new one begins with every connection.
typedef struct JoinPredicted {
    uint64_t ticks, frames, rollbacks, rolled_back, stalls, late, predicted, mispredicted, catch_ups;
    uint64_t events_predicted, events_confirmed, events_retracted, events_lost;
    uint32_t rollback_max;
} JoinPredicted;

/// When a member plays its next tick, on a clock of nanoseconds.
typedef struct JoinClock {
    JoinMember *previous, *next; // of those that play ahead
    bool        is_in, is_paused;
    uint64_t    due_ns, period_ns;
    int64_t     slew_ns, slew_step_ns; ///< by what it is to be slower yet (below 0: faster), and by how much in one tick
    uint64_t    ask_ns;      ///< when the session is asked next whether it should be slower or faster
    bool        is_stale;    ///< what it says then is of before the last change took effect
    bool        is_settled;  ///< it has said so once
    bool        has_lead;
    int32_t     lead;        ///< the last one that the server told, in ticks
    uint32_t    jitter_16;   ///< how much leads differ from one to the next, in sixteenths of a tick
} JoinClock;

/// One client's membership in one room.
struct JoinMember {
    Join            *join;
    JoinConnection  *connection;
    tp_client_room  *room;        ///< NULL before and after, and while the connection is lost
    const char      *name, *world; ///< of the list
    uint32_t         client;       ///< which of --clients, from 0
    bool             is_joined, is_complete, is_leaving, is_done;
    bool             is_away;      ///< the connection was lost, it is to come back
    bool             is_back;      ///< it asked to be taken in again
    bool             is_desynced;  ///< stands where the roots differed, until the server sends its state
    uint64_t         desync_ms;

    // What came of it.
    JoinVerdict verdict;
    int         code;             ///< what it does to the exit code
    char        end[24];          ///< how it ended: a reason's name, "lost", "unanswered", ...
    char        text[CLIENT_LINK_TEXT_SIZE];
    uint64_t    first_tick, confirmed, last_tick, durable, inputs;
    uint64_t    bad_tick;         ///< DESYNC, the first one
    tp_hash128  root, own_root;   ///< DESYNC: the server's and ours
    uint64_t    desyncs, rejoins, rewinds, rewound_ticks, missed_ticks, heard;
    JoinPredicted predicted;
    uint8_t     slot_count, slots[TP_PLAYERS_MAX];

    // What it plays. Taken when it has joined; no tick allocates.
    uint32_t     lead;
    uint8_t     *bots;       ///< one after another, each at a multiple of 16
    size_t       bot_stride;
    uint8_t     *natives;    ///< an input struct per slot
    size_t       native_stride;
    InputSource *lines;
    uint64_t     lines_from; ///< the tick that the first line is for
    uint64_t     lines_end;  ///< the first tick for which no line was left; UINT64_MAX: not known yet
    bool         has_inputs; ///< of the next tick, which could not be played yet
    JoinClock    clock;
    tp_session_options session;
    bool         has_token;
    uint8_t      token[TP_CLIENT_TOKEN_SIZE];
};

struct JoinConnection {
    ClientLink  link;
    Join       *join;
    uint32_t    client;
    uint32_t   *members; ///< indices, `member_count` of them
    uint32_t    member_count, open_count;
    uint32_t    number;   ///< among all connections
    uint32_t    udp_port; ///< where its rooms take datagrams
    bool        is_open;
    bool        is_retrying;
    uint64_t    lost_ms, retry_ms; ///< when it was lost, and when it is tried again
    uint32_t    wait_ms;
};

struct Join {
    const JoinOptions *options;
    uv_loop_t          loop;
    ClientHub          hub;
    uv_signal_t        signals[2];
    uv_timer_t         deadline; ///< --seconds, then the wait for answers to LEAVE
    uv_timer_t         progress;
    uv_timer_t         clock;    ///< of all members that play ahead
    uv_timer_t         retry;    ///< of all connections that were lost
    uv_timer_t         pulse;    ///< of all clients, while one has a state to send
    uint64_t           pulse_until_ms;
    uv_getaddrinfo_t   resolve;
    struct sockaddr_storage addresses[JOIN_ADDRESSES_MAX];
    uint32_t           address_count, address;
    uint64_t           started_ms;
    char               refusal[CLIENT_LINK_TEXT_SIZE]; ///< why the last address did not work

    tp_client_listed *rooms;
    uint32_t          room_count, room_capacity;
    bool              is_listed;
    bool              is_moving; ///< the connection that listed closes, and others take its place

    JoinMember      *members;
    uint32_t         member_count, done_count;
    JoinMember      *playing; ///< those that play ahead
    uint32_t         desynced_count;
    JoinConnection **connections; ///< the first one lists
    uint32_t         connection_count, open_count, retry_count;

    bool is_handles_open, is_stopping, is_interrupted, is_over;
    bool is_time_up;  ///< --seconds
    bool is_asked, is_answered; ///< of an administrator
    int  code;
    uint32_t said;   ///< lines about what went wrong
    uint64_t confirmed;
    RowBuffer row;   ///< of --inputs
};

/// All of it, with everything said. The exit code.
int join_run(const JoinOptions *options);

// join_place.c

/// "HOST:PORT", an IPv6 address in brackets. False: said so.
bool join_take_place(JoinOptions *options, const char *place);

// join_session.c

/// Says what is wrong with one of many, and makes the exit code at least as serious.
void join_fail(Join *join, int code, const char *format, ...) __attribute__((format(printf, 3, 4)));
/// The member is through: its connection may be.
void join_member_done(JoinMember *member);
/// Leaves every room. Again is fine.
void join_stop(Join *join);
/// Opens the connection, at the address that worked. False with the reason.
bool join_open_link(JoinConnection *connection, uint32_t welcome_ms, tp_error *error);
/// A client has a state to send, which goes out in parts.
void join_begin_pulse(Join *join);
/// The members of a connection that is no more are out.
void join_cut(JoinConnection *connection);

// join_plan.c

bool            join_add_listed(Join *join, const tp_client_listed *listed); ///< false: too many, or out of memory
/// NULL: there is none of this name.
const tp_client_listed *join_find_listed(const Join *join, const char *name);
/// NULL: out of memory.
JoinConnection *join_add_connection(Join *join, uint32_t client, uint32_t members_max);
/// Members of the rooms that are asked for, spread over connections; the first of them is there. False: said so.
bool            join_make_members(Join *join);

// join_member.c

/// Asks the server for the room, with its token when it was there before.
void join_member_ask(JoinMember *member);
/// An event about the member's room.
void join_member_event(JoinMember *member, const tp_client_event *event);
/// The connection ended first.
void join_member_cut(JoinMember *member, const ClientLink *link);
/// The connection was lost, and is to come back: all that is in memory of the client goes now.
void join_member_away(JoinMember *member);
/// A member that has waited long enough for what the room does about its desync leaves.
void join_member_look(JoinMember *member, uint64_t now_ms);
void join_member_leave(JoinMember *member);
void join_member_finish(JoinMember *member);
/// Something of ours is in the way of playing on: said, and it leaves.
void join_member_give_up(JoinMember *member, int code, const char *end, const char *text);

// join_play.c

/// Makes ready what the member plays from the tick on at which it stands. False: said so, and it leaves.
bool join_play_prepare(JoinMember *member, uint64_t tick);
/// Puts the inputs for a tick into `natives`. False: there are none; the membership may be at its end, or left.
bool join_play_fill(JoinMember *member, uint64_t tick);
/// Plays without a clock, from what is confirmed: the first ticks, and then one more for each.
void join_play_first(JoinMember *member, uint64_t tick);
void join_play_next(JoinMember *member, uint64_t tick);
void join_play_finish(JoinMember *member);

// join_predict.c

/// The session's options for a member that asks for its room. NULL: it has none.
const tp_session_options *join_predict_options(JoinMember *member);
/// One tick of a member that plays ahead.
void join_predict_tick(JoinMember *member);
/// The server's word on how early the inputs come.
void join_predict_timing(JoinMember *member, const tp_client_event *event);
/// Adds up what the session has counted, before it goes.
void join_predict_keep(JoinMember *member);

// join_clock.c

/// From now on the member plays a tick whenever one is due, until it is taken out. Again is fine, both.
void join_clock_add(JoinMember *member);
void join_clock_remove(JoinMember *member);
/// PACE: whether, and how fast, in thousandths of ticks a second.
void join_clock_set_pace(JoinMember *member, bool is_paused, uint32_t rate_mhz);

// join_rejoin.c

/// A connection ended. True: it will be tried again, and its members are away.
bool join_rejoin_begin(JoinConnection *connection);
/// A member of it is in the room again.
void join_rejoin_done(JoinConnection *connection);
/// All that wait for another try are given up.
void join_rejoin_stop(Join *join);

// join_admin.c

/// The rooms are listed: asks. Closes the connection when that cannot be.
void join_admin_ask(Join *join);
void join_admin_answered(Join *join, const tp_client_event *event);

// join_print.c

void join_print_rooms(FILE *out, const Join *join);
void join_print_member(FILE *out, const JoinMember *member);
void join_print_joined(FILE *out, const JoinMember *member, uint64_t tick);
void join_print_confirmed(FILE *out, const JoinMember *member, const tp_client_event *event);
/// A line about something that happened to a member in between: "away", "rewound", "desync".
void join_print_step(FILE *out, const char *what, const JoinMember *member, uint64_t tick, const char *text);
void join_print_said(FILE *out, const JoinMember *member, const tp_client_event *event);
/// A line on a terminal that the next one replaces; ends it when the join is over.
void join_print_progress(const Join *join);

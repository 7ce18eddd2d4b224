// join.h: what the files of `tickproof join` share. cmd_join.c has the flags; join_session.c the loop, connections and when it is over;
// join_plan.c which memberships there are; join_member.c one of them: what it plays and what came of it; join_print.c what is said.
#pragma once

#include "client_link.h"
#include "inputsource.h"
#include "worlds.h"

enum {
    JOIN_ROOMS_MAX      = 65536, ///< rooms of one server that are listed
    JOIN_MEMBERS_MAX    = 65536, ///< memberships of one process
    JOIN_ADDRESSES_MAX  = 16,    ///< of a name: these are tried
    JOIN_LEAVE_MS       = 2000,  ///< so long the answers to LEAVE are waited for
    JOIN_SAID_MAX       = 8,     ///< lines about what went wrong; the others are counted
    JOIN_INPUTS_MAX     = 64 << 20, ///< bytes of --inputs
    JOIN_CHECKED_MAX    = 64,    ///< worlds and sizes of rooms that --inputs are held against before joining; others tell while they play
};

typedef struct JoinOptions {
    WorldSet     worlds;
    char         host[256], port[8];
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
} JoinOptions;

typedef struct Join           Join;
typedef struct JoinConnection JoinConnection;

typedef enum JoinVerdict {
    JOIN_NEVER,   ///< never in the room
    JOIN_NOTHING, ///< in it, but no tick was confirmed: nothing was compared
    JOIN_AGREED,  ///< every root that was compared was equal
    JOIN_DESYNC,
    JOIN_REFUSED, ///< by the server, or before it came to that
    JOIN_INCOMPATIBLE,
} JoinVerdict;

/// One client's membership in one room.
typedef struct JoinMember {
    Join            *join;
    JoinConnection  *connection;
    tp_client_room  *room;        ///< NULL before and after
    const char      *name, *world; ///< of the list
    uint32_t         client;       ///< which of --clients, from 0
    bool             is_joined, is_complete, is_leaving, is_done;

    // What came of it.
    JoinVerdict verdict;
    int         code;             ///< what it does to the exit code
    char        end[24];          ///< how it ended: a reason's name, "lost", "unanswered", ...
    char        text[CLIENT_LINK_TEXT_SIZE];
    uint64_t    first_tick, confirmed, last_tick, durable, inputs;
    uint64_t    bad_tick;         ///< DESYNC
    tp_hash128  root, own_root;   ///< DESYNC: the server's and ours
    uint8_t     slot_count, slots[TP_PLAYERS_MAX];

    // What it plays. Taken when it has joined; no tick allocates.
    uint32_t     lead;
    uint8_t     *bots;       ///< one after another, each at a multiple of 16
    size_t       bot_stride;
    uint8_t     *natives;    ///< an input struct per slot
    size_t       native_stride;
    InputSource *lines;
    uint64_t     lines_end;  ///< the first tick for which no line was left; UINT64_MAX: not known yet
} JoinMember;

struct JoinConnection {
    ClientLink  link;
    Join       *join;
    uint32_t    client;
    uint32_t   *members; ///< indices, `member_count` of them
    uint32_t    member_count, open_count;
    bool        is_open;
};

struct Join {
    const JoinOptions *options;
    uv_loop_t          loop;
    ClientHub          hub;
    uv_signal_t        signals[2];
    uv_timer_t         deadline; ///< --seconds, then the wait for answers to LEAVE
    uv_timer_t         progress;
    uv_getaddrinfo_t   resolve;
    struct sockaddr_storage addresses[JOIN_ADDRESSES_MAX];
    uint32_t           address_count, address;
    uint64_t           started_ms;
    char               refusal[CLIENT_LINK_TEXT_SIZE]; ///< why the last address did not work

    tp_client_listed *rooms;
    uint32_t          room_count, room_capacity;
    bool              is_listed;

    JoinMember      *members;
    uint32_t         member_count, done_count;
    JoinConnection **connections; ///< the first one lists
    uint32_t         connection_count, open_count;

    bool is_handles_open, is_stopping, is_interrupted, is_over;
    bool is_time_up; ///< --seconds
    int  code;
    uint32_t said;   ///< lines about what went wrong
    uint64_t confirmed;
    RowBuffer row;   ///< of --inputs
};

/// All of it, with everything said. The exit code.
int join_run(const JoinOptions *options);

// join_session.c

/// Says what is wrong with one of many, and makes the exit code at least as serious.
void join_fail(Join *join, int code, const char *format, ...) __attribute__((format(printf, 3, 4)));
/// The member is through: its connection may be.
void join_member_done(JoinMember *member);
/// Leaves every room. Again is fine.
void join_stop(Join *join);

// join_plan.c

bool            join_add_listed(Join *join, const tp_client_listed *listed); ///< false: too many, or out of memory
/// NULL: out of memory.
JoinConnection *join_add_connection(Join *join, uint32_t client, uint32_t members_max);
/// Members of the rooms that are asked for, spread over connections; the first of them is there. False: said so.
bool            join_make_members(Join *join);

// join_member.c

/// An event about the member's room.
void join_member_event(JoinMember *member, const tp_client_event *event);
/// The connection ended first.
void join_member_cut(JoinMember *member, const ClientLink *link);
void join_member_leave(JoinMember *member);
void join_member_finish(JoinMember *member);

// join_print.c

void join_print_rooms(FILE *out, const Join *join);
void join_print_member(FILE *out, const JoinMember *member);
void join_print_joined(FILE *out, const JoinMember *member);
void join_print_confirmed(FILE *out, const JoinMember *member, const tp_client_event *event);
/// A line on a terminal that the next one replaces; ends it when the join is over.
void join_print_progress(const Join *join);

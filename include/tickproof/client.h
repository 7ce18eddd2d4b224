// client.h: a client of a tickproofd server: what bots, load generators and games use. It holds no socket and reads no clock:
// messages go in and out as bytes, so any carrier will do, and a test can be its network.
//
// One tp_client is one connection. It can be in several rooms of the server at once (of one lane). In each it holds a world of its own,
// steps it with what the server confirms, and compares every root: a client that disagrees with its server says so at the
// very tick.
#pragma once

#include "tickproof/replay.h"
#include "tickproof/session.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
    TP_CLIENT_MESSAGE_MAX = 1200, ///< bytes of one message
    TP_CLIENT_ROOMS_MAX   = 1024, ///< rooms of one connection; joining more is refused here
    TP_CLIENT_STATE_MAX   = TP_STATE_SIZE_MAX,
    TP_CLIENT_TOKEN_SIZE  = 16,   ///< bytes of what a membership is taken up again with
    TP_CLIENT_CHAT_MAX    = 200,  ///< bytes of a line
    TP_CLIENT_REASON_HERE = 0,    ///< reason of a REFUSED that this side gave: it cannot run the room's world
};

typedef struct tp_client      tp_client;
typedef struct tp_client_room tp_client_room; ///< one membership; valid until its LEFT or REFUSED event has returned

typedef enum tp_client_event_kind {
    TP_CLIENT_WELCOME   = 1, ///< the server answered; joins may be sent (earlier ones wait for it)
    TP_CLIENT_LISTED    = 2, ///< one room of the server; after the last comes one with `listed` NULL
    TP_CLIENT_JOINED    = 3, ///< the world stands at the tick where the server's stood
    TP_CLIENT_REFUSED   = 4, ///< the join was not granted, or this program cannot run the room's world (TP_CLIENT_REASON_HERE): `text`. The latter also later:
                             ///< out of memory for another state, a session that is broken, or one in lockstep that nobody advances
    TP_CLIENT_CONFIRMED = 5, ///< one more tick was stepped, is final, and its root agreed
    TP_CLIENT_DESYNC    = 6, ///< the roots differ at `tick`: the world here stays there, nothing further is confirmed; the membership
                             ///< stays until tp_client_leave, or goes on with REWOUND when the server sends another state. Without a JOINED before it,
                             ///< already the state that was sent has another root here: `tick` is the last one behind it, TP_ROOT_TICK_START when
                             ///< there is none. A fault here on a tick that the server confirms is one, too, with the fault as `text`
    TP_CLIENT_LEFT      = 7, ///< out of the room, by request or by the server's reason
    TP_CLIENT_BYE       = 8, ///< the server closes the connection; no event follows
    TP_CLIENT_REWOUND   = 10, ///< the server sent its state anew: after a desync, or since it was started again and lost what it had confirmed last. `tick` is the
                              ///< first to come, `from` the one that was to come; the world stands there, the session was reset
    TP_CLIENT_SAID      = 11, ///< `slot` (TP_SOURCE_HOST: no player) says `text`
    TP_CLIENT_PACE      = 12, ///< the room pauses or steps: `is_paused`, `rate_mhz`
    TP_CLIENT_ADMINED   = 13, ///< what came of tp_client_admin: `cookie`, `is_done`, `text`
    TP_CLIENT_ASKED     = 14, ///< the server wants this client's state after `tick`, and gets it: for the log
    TP_CLIENT_TIMING    = 15, ///< `slot`'s inputs come `lead` ticks early (below 0: late); the session knows already
    TP_CLIENT_MALFORMED = 9, ///< the server sent what is no message or makes no sense: close the connection; no event follows
} tp_client_event_kind;

typedef struct tp_client_listed {
    char     name[TP_NAME_SIZE_MAX + 1], world[TP_NAME_SIZE_MAX + 1];
    uint32_t room, tick_rate_hz, lane, players, taken;
    uint32_t udp_port; ///< where datagrams for it go; 0: none
    bool     is_live, is_over;
} tp_client_listed;

typedef struct tp_client_event {
    tp_client_event_kind    kind;
    tp_client_room         *room;   ///< NULL where it is about none
    void                   *user;   ///< as given to tp_client_join
    uint64_t                tick;   ///< CONFIRMED: the tick that was stepped; DESYNC: the bad one; JOINED: the first to come
    uint64_t                durable; ///< CONFIRMED: ticks below it are on the server's disk as far as its setting promises
    tp_hash128              root;   ///< CONFIRMED, DESYNC: the server's
    tp_hash128              own_root; ///< DESYNC: ours
    uint32_t                reason; ///< REFUSED, LEFT, BYE: a stable number; tp_client_reason_name
    const tp_client_listed *listed;
    uint64_t                from;     ///< REWOUND
    uint32_t                slot;     ///< SAID, TIMING
    int32_t                 lead;     ///< TIMING, in ticks
    bool                    is_paused, is_done; ///< PACE; ADMINED
    uint32_t                rate_mhz, cookie;   ///< PACE: thousandths of ticks a second; ADMINED
    const char             *text;   ///< one line for people, terminated, without control characters; may be empty
} tp_client_event;

typedef struct tp_client_options {
    const char *build; ///< name and version of this program, at most 63 bytes; NULL: "unknown"
    /// Finds a world by name; as verify.h's find_world.
    const tp_world *(*find_world)(void *to, const char *name, uint32_t revision);
    void *find_to;
    /// Sends one message of 1 to TP_CLIENT_MESSAGE_MAX bytes. Required.
    void (*send)(void *to, const uint8_t *bytes, size_t size);
    void *send_to;
    /// Events, from inside tp_client_receive, tp_client_advance and tp_client_settle. Calls of this page are fine from there, but for
    /// tp_client_receive and tp_client_destroy; from inside `send` and a session's own events none are but those that only ask.
    void (*event)(void *to, const tp_client_event *event);
    void *event_to;
    /// Bytes that `send` was given and that have not left yet; gets `send_to`. A state that the server asked for waits while they are more than
    /// 64 KiB. NULL: not known, it goes out at its pace.
    size_t (*unsent)(void *to);
} tp_client_options;

/// Sends HELLO. NULL with the reason (out of memory).
tp_client *tp_client_create(const tp_client_options *options, tp_error *error);
void       tp_client_destroy(tp_client *client);

/// One message from the server. False after a MALFORMED or BYE event.
bool tp_client_receive(tp_client *client, const uint8_t *bytes, size_t size);

/// Asks for the list of rooms: LISTED events follow. One list answers all that ask while it is on its way.
void tp_client_list(tp_client *client);
/// Sends something that needs no answer. A server takes a client that says nothing for long for a dead one (the standard is 30 s, and
/// 5 s while it is in no room), so who only watches calls this every second or two.
void tp_client_ping(tp_client *client);
/// Asks for `slots` slots of the room of this name (0: watch only). NULL with the reason when it cannot be asked at all.
tp_client_room *tp_client_join(tp_client *client, const char *name, uint32_t slots, void *user, tp_error *error);

typedef struct tp_client_join_options {
    const char    *name;   ///< of the room
    uint32_t       slots;  ///< 0: watch only. With a token: as many as it is for, or 0 for as many as there were
    uint32_t       delay;  ///< ticks that a watcher is behind
    const uint8_t *token;  ///< TP_CLIENT_TOKEN_SIZE bytes of tp_client_room_token: takes the membership of a lost connection up again; NULL: a new one
    /// How the present is played: see session.h; `slots`, `slot_count` and `is_local` are this library's. NULL: ticks are stepped as they are confirmed.
    const tp_session_options *session;
    void          *user;
} tp_client_join_options;
tp_client_room *tp_client_join_with(tp_client *client, const tp_client_join_options *options, tp_error *error);

/// LEFT follows, or REFUSED when that crosses it. Ticks still on their way are not confirmed any more.
void tp_client_leave(tp_client_room *room);
/// What the server takes beside twice the inputs of our slots; as much as two seconds' at once. 0 before WELCOME.
uint32_t tp_client_messages_per_second(const tp_client *client);

// Of a room that was JOINED.

uint32_t      tp_client_room_slots(const tp_client_room *room, const uint8_t **slots); ///< ascending
tp_sim       *tp_client_room_sim(tp_client_room *room); ///< stands at the last confirmed tick, with a session at the present: view it, do not step it
uint32_t      tp_client_room_number(const tp_client_room *room);
uint32_t      tp_client_room_epoch(const tp_client_room *room);
/// The server takes inputs from the next tick to confirm up to this many ticks on.
uint32_t      tp_client_room_ahead(const tp_client_room *room);
/// Sends one input of a slot of ours for a tick not confirmed yet; `input` is a native struct, brought into range as the server
/// would. False with the reason when slot or tick cannot be: nothing was sent.
bool tp_client_input(tp_client_room *room, uint32_t slot, uint64_t tick, const void *input, tp_error *error);

/// What the slots can be taken back with after the connection is lost; NULL when the server gave none. Known before JOINED, from the
/// server's answer on; until then the one that it was asked with. Valid as long as the room.
const uint8_t *tp_client_room_token(const tp_client_room *room);

// With a session.

/// NULL without one. Inputs are given to it (tp_session_input), advice and statistics asked of it; advancing is tp_client_advance's.
tp_session *tp_client_room_session(tp_client_room *room);
/// tp_session_advance, then sends the inputs that are not confirmed yet (also those sent before: a lost datagram costs nothing), one or two messages for
/// each slot. Events of this page may come from inside: CONFIRMED of each tick that became final, DESYNC, and REFUSED with BROKEN. REFUSED also when the
/// room is not live: before JOINED, while another state is on its way, after a leave. `result` and `error` may be NULL.
/// Who does not advance loses no tick: players have what is confirmed taken in from time to time, which shows no later present; for a spectator the oldest ticks are
/// played once 1,024 wait; players in lockstep are out then (REFUSED).
tp_session_status tp_client_advance(tp_client_room *room, tp_session_result *result, tp_error *error);
/// tp_session_settle, with the same events. Sends nothing.
tp_session_status tp_client_settle(tp_client_room *room, tp_session_result *result, tp_error *error);

// Beside the game.

/// To be called every 10 ms or so: sends what must not go out all at once (a state that the server asked for). `now_ms` is any clock that counts on.
void tp_client_pulse(tp_client *client, uint64_t now_ms);
/// Says a line of 1 to TP_CLIENT_CHAT_MAX bytes of UTF-8 to all in the room. False: it is empty, too long, or the room is not live.
bool tp_client_chat(tp_client_room *room, const char *text);
typedef enum tp_client_verb { // as MESSAGE_VERB_...; what `value` and `bytes` are stands there
    TP_CLIENT_KICK = 1, TP_CLIENT_PAUSE = 2, TP_CLIENT_RESUME = 3, TP_CLIENT_STEP = 4, TP_CLIENT_SPEED = 5, TP_CLIENT_NOTE = 6, TP_CLIENT_COMMAND = 7, TP_CLIENT_END = 8,
} tp_client_verb;
/// Asks the server, with its key, to do something with the room of this number (of LISTED). ADMINED with `cookie` follows. False: key or bytes are too long, the verb has
/// no such slot, value or bytes, or the connection is not WELCOME yet.
bool tp_client_admin(tp_client *client, uint32_t room, const char *key, tp_client_verb verb, uint32_t slot, uint64_t value, const void *bytes, size_t size, uint32_t cookie);
/// A drill: changes one bit of this client's world right after it has stepped confirmed tick `tick`, so that it disagrees from there on and the server's
/// handling of it can be seen. The bit is drawn from `seed`, among those that leave a state which can be read. With a session, what waits before that tick is played at
/// once. False: the tick was confirmed already, or the world cannot be changed (opaque, empty).
bool tp_client_room_plant(tp_client_room *room, uint64_t tick, uint64_t seed);

/// "full", "ended", ..., "not-here" for TP_CLIENT_REASON_HERE; "unknown" for a number that is none.
const char *tp_client_reason_name(uint32_t reason);

#ifdef __cplusplus
}
#endif

// client.h: a client of a tickproofd server: what bots, load generators and games use. It holds no socket and reads no clock:
// messages go in and out as bytes, so any carrier will do, and a test can be its network.
//
// One tp_client is one connection. It can be in several rooms of the server at once (of one lane). In each it holds a world of its own,
// steps it with what the server confirms, and compares every root: a client that disagrees with its server says so at the
// very tick.
#pragma once

#include "tickproof/replay.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
    TP_CLIENT_MESSAGE_MAX = 1200, ///< bytes of one message
    TP_CLIENT_ROOMS_MAX   = 1024, ///< rooms of one connection; joining more is refused here
    TP_CLIENT_STATE_MAX   = TP_STATE_SIZE_MAX,
    TP_CLIENT_REASON_HERE = 0,    ///< reason of a REFUSED that this side gave: it cannot run the room's world
};

typedef struct tp_client      tp_client;
typedef struct tp_client_room tp_client_room; ///< one membership; valid until its LEFT or REFUSED event has returned

typedef enum tp_client_event_kind {
    TP_CLIENT_WELCOME   = 1, ///< the server answered; joins may be sent (earlier ones wait for it)
    TP_CLIENT_LISTED    = 2, ///< one room of the server; after the last comes one with `listed` NULL
    TP_CLIENT_JOINED    = 3, ///< the world stands at the tick where the server's stood
    TP_CLIENT_REFUSED   = 4, ///< the join was not granted, or this program cannot run the room's world (TP_CLIENT_REASON_HERE): `text`
    TP_CLIENT_CONFIRMED = 5, ///< one more tick was stepped and its root agreed
    TP_CLIENT_DESYNC    = 6, ///< the roots differ at `tick`: the world here stays there, nothing further is confirmed; the membership
                             ///< stays until tp_client_leave. Without a JOINED before it, already the state that was sent has another
                             ///< root here: `tick` is the last one behind it, TP_ROOT_TICK_START when there is none. A fault here on a tick
                             ///< that the server confirms is one, too, with the fault as `text`
    TP_CLIENT_LEFT      = 7, ///< out of the room, by request or by the server's reason
    TP_CLIENT_BYE       = 8, ///< the server closes the connection; no event follows
    TP_CLIENT_MALFORMED = 9, ///< the server sent what is no message or makes no sense: close the connection; no event follows
} tp_client_event_kind;

typedef struct tp_client_listed {
    char     name[TP_NAME_SIZE_MAX + 1], world[TP_NAME_SIZE_MAX + 1];
    uint32_t room, tick_rate_hz, lane, players, taken;
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
    /// Events, from inside tp_client_receive. Calls of this page are fine from there, but for tp_client_destroy.
    void (*event)(void *to, const tp_client_event *event);
    void *event_to;
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
/// LEFT follows, or REFUSED when that crosses it. Ticks still on their way are not confirmed any more.
void tp_client_leave(tp_client_room *room);
/// What the server takes beside twice the inputs of our slots; as much as two seconds' at once. 0 before WELCOME.
uint32_t tp_client_messages_per_second(const tp_client *client);

// Of a room that was JOINED.

uint32_t      tp_client_room_slots(const tp_client_room *room, const uint8_t **slots); ///< ascending
tp_sim       *tp_client_room_sim(tp_client_room *room); ///< stands at the last confirmed tick: view it, do not step it
uint32_t      tp_client_room_number(const tp_client_room *room);
uint32_t      tp_client_room_epoch(const tp_client_room *room);
/// The server takes inputs from the next tick to confirm up to this many ticks on.
uint32_t      tp_client_room_ahead(const tp_client_room *room);
/// Sends one input of a slot of ours for a tick not confirmed yet; `input` is a native struct, brought into range as the server
/// would. False with the reason when slot or tick cannot be: nothing was sent.
bool tp_client_input(tp_client_room *room, uint32_t slot, uint64_t tick, const void *input, tp_error *error);

/// "full", "ended", ..., "not-here" for TP_CLIENT_REASON_HERE; "unknown" for a number that is none.
const char *tp_client_reason_name(uint32_t reason);

#ifdef __cplusplus
}
#endif

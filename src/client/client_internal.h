// client_internal.h: what the files of the client share. client.c has the connection, client_rooms.c which room is which,
// client_ask.c what the user asks. Of one membership client_room.c has joining, client_state.c the states that the server sends, client_ticks.c what
// it confirms, client_session.c the present, client_own.c the state that goes out, client_notices.c what is said beside the game.
#pragma once

#include "message.h"
#include "tickproof/client.h"

typedef enum ClientStage {
    CLIENT_WAITING,  // for WELCOME: JOIN was not sent yet
    CLIENT_ASKED,    // JOIN was sent
    CLIENT_RULES,    // JOINED came; PIECEs of the rules are due
    CLIENT_READY,    // the world is made and READY was sent; STATE is due
    CLIENT_STATE,    // STATE came; PIECEs of it are due
    CLIENT_LIVE,     // steps what is confirmed
    CLIENT_DESYNCED, // stands where the roots differed
    CLIENT_LEAVING,  // LEAVE was sent: until LEFT comes, what is still on its way is dropped
    CLIENT_ENDED,    // its last event is being given
} ClientStage;

// What the server confirmed of one tick. `row` is borrowed.
typedef struct {
    uint64_t       tick;
    tp_hash128     root;
    const uint8_t *row;
    size_t         size;
} ClientTick;

// Where this world and the server's differ. The world stands right after the bad tick; before it when it faulted over it.
typedef struct {
    uint64_t    tick; // TP_ROOT_TICK_START: before the first
    tp_hash128  root, own_root;
    bool        is_fault;
    const char *text; // may be NULL
} ClientDesync;

struct tp_client_room {
    tp_client  *client;
    void       *user;
    uint32_t    cookie;
    ClientStage stage;
    bool        is_unwanted; // left before the answer to JOIN came
    bool        is_told;     // the user had REFUSED: LEFT is not for him any more
    bool        is_joined;   // the user had JOINED
    char        name[MESSAGE_NAME_MAX + 1];

    // Of JOIN.
    uint8_t            asked; // slots
    uint16_t           delay;
    bool               is_rejoining;
    bool               wants_session;
    tp_session_options session_options;
    uint8_t            token[MESSAGE_TOKEN_SIZE]; // from JOINED on the new one

    // Of JOINED.
    uint32_t number, epoch, ahead, report;
    uint8_t  slot_count;
    uint8_t  slots[MESSAGE_SLOTS_MAX];
    uint64_t mine[2]; // a bit for each of them

    // What PIECEs bring: first the rules, then packed states. `total` was checked before the bytes were taken.
    uint8_t *bytes;
    uint32_t total, taken;

    // Of STATE.
    uint64_t   state_tick;
    uint32_t   state_size;
    tp_hash128 state_root;
    uint64_t   input_leaf, event_leaf;

    tp_sim  *sim;
    uint64_t due;     // the tick that the server confirms next
    uint64_t durable; // the last word on it

    // A row that comes in several parts; taken when the world is made, so that no tick allocates.
    uint8_t   *row;
    size_t     row_size, row_capacity;
    uint32_t   part, parts; // the next one, of how many
    tp_hash128 row_root;

    // With a session.
    tp_session *session;
    bool        is_inside; // a call of the session is under way
    uint64_t    told;      // ticks below were told as CONFIRMED
    uint8_t    *inputs;    // unconfirmed ones of one handle, on their way into messages
    uint32_t    inputs_capacity, turn;

    // A desync, until another state is there.
    bool     is_bad, is_bad_fault;
    uint64_t bad_tick;
    tp_hash128 own_root;

    // The state that goes out. NULL: none does.
    uint8_t *own;
    uint32_t own_size, own_sent;
    uint64_t own_tick;

    // The drill.
    bool     is_planted;
    uint64_t plant_tick, plant_seed;

    // PACE that came before JOINED could be told.
    bool     has_pace, is_paused;
    uint32_t rate_mhz;
};

// Rooms by the server's number, ascending.
typedef struct {
    uint32_t number, index;
} ClientNumber;

struct tp_client {
    tp_client_options options;
    char              build[MESSAGE_BUILD_MAX + 1]; // with compiler and machine
    bool              is_welcome, is_over;
    uint32_t          messages_per_second;
    tp_client_room  **rooms; // by the low bits of their cookies; NULL: free
    ClientNumber     *numbers;
    uint32_t          capacity, number_count, joins;
    bool              wants_list, is_listing;
    uint32_t          list_next;
    uint64_t          admins; // answers that are due
    bool              has_pulse;
    uint64_t          pulse_ms;
    uint32_t          allowance; // bytes of own states that may go out now
    uint32_t          own_count, own_turn;
    char              text[MESSAGE_TEXT_MAX + 1];
};

// client.c.

/// Encodes and sends. The message is ours, so it always can be encoded.
void client_send(tp_client *client, const Message *message);
/// The same for what is made of the user's arguments: false when it is no message, and nothing was sent.
bool client_try_send(tp_client *client, const Message *message);
void client_emit(tp_client *client, const tp_client_event *event);
/// Foreign text as one line: valid until the next call.
const char *client_line(tp_client *client, MessageText text);

// client_rooms.c.

/// A free place for a room. False with the reason.
bool            client_rooms_place(tp_client *client, uint32_t *index, tp_error *error);
tp_client_room *client_rooms_of_cookie(const tp_client *client, uint32_t cookie);
tp_client_room *client_rooms_of_number(const tp_client *client, uint32_t number);
/// Puts a room that was JOINED into the order of numbers. False: there is one of this number.
bool client_rooms_add_number(tp_client *client, tp_client_room *room);
/// Tells the room's last event and frees it.
void client_rooms_end(tp_client_room *room, tp_client_event event);
/// Frees all of them without a word.
void client_rooms_finish(tp_client *client);

// client_ask.c.

void client_ask_list(tp_client *client, uint32_t first);
void client_ask_join(tp_client_room *room);

// client_room.c. What takes a message gives false when it makes no sense, with the reason.

Message client_room_message(const tp_client_room *room, MessageType type, uint64_t tick);
void    client_room_emit(tp_client_room *room, tp_client_event event);
void    client_room_send_leave(tp_client_room *room, MessageReason reason, const char *text);
/// This program cannot have the room, or not any more: the server is told, the user gets the reason, and what is still on its way is dropped.
void client_room_refuse(tp_client_room *room, const char *why);
bool client_room_is_mine(const tp_client_room *room, uint32_t slot);
bool client_room_joined(tp_client_room *room, const Message *message, tp_error *error);
bool client_room_piece(tp_client_room *room, const Message *message, tp_error *error);
/// Frees what the room holds, not the room.
void client_room_finish(tp_client_room *room);

// client_state.c.

bool client_state_announced(tp_client_room *room, const Message *message, tp_error *error);
/// All its PIECEs are there.
bool client_state_whole(tp_client_room *room, tp_error *error);

// client_ticks.c.

bool client_ticks_memory(tp_client_room *room);
bool client_ticks_confirmed(tp_client_room *room, const Message *message, tp_error *error);
/// Steps the world itself, without a session, and compares.
bool client_ticks_step(tp_client_room *room, const ClientTick *tick, tp_error *error);
/// The tick is done and its root the server's: reports it when that is due, and tells.
void client_ticks_agreed(tp_client_room *room, uint64_t tick, tp_hash128 root);
/// The world has stopped for good: reports, then tells.
void client_ticks_differ(tp_client_room *room, const ClientDesync *desync);

// client_session.c.

bool client_session_make(tp_client_room *room, tp_error *error);
/// The sim has another state. False with the reason.
bool client_session_reset(tp_client_room *room, tp_error *error);
void client_session_drain(tp_client_room *room);
bool client_session_confirmed(tp_client_room *room, const ClientTick *tick, tp_error *error);
void client_session_timing(tp_client_room *room, int32_t lead);

// client_own.c.

/// Name and version, with compiler and machine behind: who asks what went wrong wants to know what made the bits.
void client_own_build(char out[MESSAGE_BUILD_MAX + 1], const char *name);
bool client_own_wanted(tp_client_room *room, const Message *message, tp_error *error);
void client_own_drop(tp_client_room *room);

// client_plant.c.

bool client_plant_is_due(const tp_client_room *room, uint64_t tick);
/// Changes the bit.
void client_plant(tp_client_room *room);

// client_notices.c.

bool client_notices_said(tp_client_room *room, const Message *message, tp_error *error);
bool client_notices_pace(tp_client_room *room, const Message *message, tp_error *error);
void client_notices_tell_pace(tp_client_room *room);
bool client_notices_timing(tp_client_room *room, const Message *message, tp_error *error);
bool client_notices_admined(tp_client *client, const Message *message, tp_error *error);

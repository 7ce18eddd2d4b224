// client_internal.h: what the files of the client share. client.c has the connection: what was asked, who is meant by a message;
// client_room.c has one membership: its world and what the server confirms.
#pragma once

#include "message.h"
#include "tickproof/client.h"

typedef enum ClientStage {
    CLIENT_WAITING,  // for WELCOME: JOIN was not sent yet
    CLIENT_ASKED,    // JOIN was sent
    CLIENT_RULES,    // JOINED came; PIECEs of the rules are due
    CLIENT_STATE,    // the world is made; PIECEs of its state are due
    CLIENT_LIVE,     // steps what is confirmed
    CLIENT_DESYNCED, // stands where the roots differed
    CLIENT_LEAVING,  // LEAVE was sent: until LEFT comes, what is still on its way is dropped
    CLIENT_ENDED,    // its last event is being given
} ClientStage;

struct tp_client_room {
    tp_client  *client;
    void       *user;
    uint32_t    cookie;
    ClientStage stage;
    bool        is_unwanted; // left before the answer to JOIN came
    bool        is_told;     // the user had REFUSED: LEFT is not for him any more
    char        name[MESSAGE_NAME_MAX + 1];
    uint8_t     asked; // slots

    // Of JOINED.
    uint32_t   number, epoch, ahead;
    uint8_t    slot_count;
    uint8_t    slots[MESSAGE_SLOTS_MAX];
    uint64_t   mine[2]; // a bit for each of them
    uint64_t   tick;
    tp_hash128 root;
    uint64_t   input_leaf, event_leaf;

    // What PIECEs bring: first the rules, then the state. `total` was checked before the bytes were taken.
    uint8_t *bytes;
    uint32_t total, taken, state_size;

    tp_sim *sim;

    // A row that comes in several parts; taken when the world is made, so that no tick allocates. Worlds whose largest row fits
    // one part have none.
    uint8_t   *row;
    size_t     row_size, row_capacity;
    uint32_t   part, parts; // the next one, of how many
    tp_hash128 row_root;
};

// Rooms by the server's number, ascending.
typedef struct {
    uint32_t number, index;
} ClientNumber;

struct tp_client {
    tp_client_options options;
    bool              is_welcome, is_over;
    uint32_t          messages_per_second;
    tp_client_room  **rooms; // by the low bits of their cookies; NULL: free
    ClientNumber     *numbers;
    uint32_t          capacity, number_count, joins;
    bool              wants_list, is_listing;
    uint32_t          list_next;
    char              text[MESSAGE_TEXT_MAX + 1];
};

/// Encodes and sends. The message is ours, so it always can be encoded.
void client_send(tp_client *client, const Message *message);
void client_emit(tp_client *client, const tp_client_event *event);
/// Foreign text as one line: valid until the next call.
const char *client_line(tp_client *client, MessageText text);
/// Puts a room that was JOINED into the order of numbers. False: there is one of this number.
bool client_add_number(tp_client *client, tp_client_room *room);

// Each takes one message about the room. False: it makes no sense, with the reason.
bool client_room_joined(tp_client_room *room, const Message *message, tp_error *error);
bool client_room_piece(tp_client_room *room, const Message *message, tp_error *error);
bool client_room_confirmed(tp_client_room *room, const Message *message, tp_error *error);

void client_room_send_leave(tp_client_room *room);
/// Frees what the room holds, not the room.
void client_room_finish(tp_client_room *room);

// fake_server.h: a server in the test's own process: a real world, real messages, no network. It gives its client whatever the test wants, and
// keeps all it gave and all it was told.
#pragma once

#include "message.h"
#include "testworld.h"
#include "tickproof/client.h"

enum { FAKE_EVENTS_MAX = 64, FAKE_SENT_MAX = 64, FAKE_ROOM = 7, FAKE_EPOCH = 3, FAKE_AHEAD = 8, FAKE_INPUTS = 256 };

typedef struct {
    tp_client_event event; ///< `text` and `listed` point to the copies
    char            text[300];
    tp_client_listed listed;
} FakeEvent;

typedef struct {
    uint8_t  bytes[MESSAGE_SIZE_MAX];
    uint16_t size;
} FakeMessage;

typedef struct {
    const tp_world *world;  ///< what the client finds
    tp_sim         *sim;    ///< the server's
    tp_client      *client;
    tp_client_room *room;
    uint32_t        cookie; ///< of the last JOIN
    uint8_t         slots[4], slot_count;
    uint16_t        report;           ///< of JOINED
    uint8_t         token[16];        ///< of JOINED with slots
    const tp_session_options *session; ///< of the next fake_ask; NULL: none
    uint8_t        *packed;           ///< of the last fake_state
    size_t          packed_size;
    uint64_t        state_tick;
    uint8_t        *own;              ///< what the client sent of its own state, and how much it announced
    uint32_t        own_size, own_total;
    Message         own_state;        ///< its head; the text is gone
    uint32_t        reports;
    Message         reported;         ///< the last one
    bool            is_played;        ///< the client's slots are stepped with what it sent, as a server does
    uint8_t         inputs[4][FAKE_INPUTS][2];
    bool            has_input[4][FAKE_INPUTS];
    FakeEvent       events[FAKE_EVENTS_MAX]; ///< the last ones
    uint32_t        event_count;             ///< all of them
    uint32_t        kinds[32];               ///< how many of each kind
    uint64_t        next_confirmed;          ///< the tick that CONFIRMED is to tell next: the test fails over any other
    FakeMessage     sent[FAKE_SENT_MAX];     ///< what the client sent, the last ones
    uint32_t        sent_count;
    FakeMessage    *given;                   ///< what it was given, all of it
    uint32_t        given_count, given_capacity;
    size_t          row_part;                ///< bytes of a row in one CONFIRMED; 0: as much as fits
    void          (*on_event)(void *fake, const tp_client_event *event);
    bool            is_gone;    ///< the room is: LEFT or REFUSED came for it
    bool            is_mute; ///< gives nothing: only `given` grows
} Fake;

/// A client that has said HELLO to a server with this world at `ticks` steps of the script. 2 players.
void fake_open(Fake *fake, const tp_world *world, uint64_t ticks);
void fake_close(Fake *fake);
/// What its client was made with.
tp_client_options fake_options(Fake *fake);

/// Encodes and gives it. What tp_client_receive said.
bool fake_give(Fake *fake, const Message *message);
bool fake_give_bytes(Fake *fake, const uint8_t *bytes, size_t size);
bool fake_welcome(Fake *fake);
/// The client asks for so many slots, and the server hears it.
void fake_ask(Fake *fake, uint32_t slots);
Message fake_joined(const Fake *fake);
/// Packs the state of the sim as it is now, and announces it.
Message fake_state(Fake *fake);
/// The pieces of the sim's rules or of the packed state, from `from` to `to` (bytes; SIZE_MAX: to the end), at most `piece` bytes each (0: as many
/// as fit).
bool fake_pieces(Fake *fake, MessagePieceKind kind, size_t from, size_t to, size_t piece);
/// Welcome, ask for `slots`, JOINED, the rules, READY, the state.
bool fake_join(Fake *fake, uint32_t slots);
/// The state as it is now, announced and given.
bool fake_give_state(Fake *fake);
/// Steps the server's world by the script's next row and confirms it.
bool fake_confirm(Fake *fake);
/// The same, given first to `change` (the row's bytes and the root, before they are cut into parts).
bool fake_confirm_changed(Fake *fake, void (*change)(uint8_t *row, size_t size, tp_hash128 *root));
bool fake_left(Fake *fake, MessageReason reason);

/// The last event; the test fails when it is another kind.
const FakeEvent *fake_expect(const Fake *fake, tp_client_event_kind kind);
/// ... MALFORMED with this in its text.
void fake_expect_malformed(const Fake *fake, const char *text);
/// The n-th of the last messages from the client, 0 is the newest; the test fails when it is another type.
Message fake_sent(const Fake *fake, uint32_t back, MessageType type);

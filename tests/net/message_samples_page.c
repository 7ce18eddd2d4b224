// message_samples_page.c: one conversation with every message once, which README.md of the room shows byte by byte. Fields that could
// change places differ in value.
#include "message_samples.h"

#include <assert.h>

#include "message_samples_build.h"

// A room of two slots whose inputs have 2 bytes: both are there, slot 0 received and slot 1 repeated, no commands.
static const uint8_t page_row[] = { 0x03, 0x04, 0x10, 0x00, 0x00, 0x00, 0x00, 0x00 };
static const uint8_t page_inputs[] = { 0x10, 0x00, 0x11, 0x00, 0x11, 0x00 };
// A state of the four bytes "TICK" as a zstd frame: magic, one segment with a checksum, 4 bytes of content, one raw block, the checksum.
static const uint8_t page_state[] = { 0x28, 0xB5, 0x2F, 0xFD, 0x24, 0x04, 0x21, 0x00, 0x00, 'T', 'I', 'C', 'K', 0x69, 0x5E, 0x97, 0x96 };
static const tp_hash128 other_root = { .lo = 0x3736353433323130, .hi = 0x3F3E3D3C3B3A3938 };

static void add_page_start(MessageSample **next)
{
    MessageSample *sample = take(next, "HELLO", about_none(MESSAGE_HELLO));
    sample->message.body.hello.version_min = sample->message.body.hello.version_max = MESSAGE_VERSION;
    sample->message.body.hello.build = message_text("bot 1");
    sample = take(next, "WELCOME", about_none(MESSAGE_WELCOME));
    sample->message.body.welcome.version = MESSAGE_VERSION;
    sample->message.body.welcome.rooms = 2;
    sample->message.body.welcome.messages_per_second = 500;
    sample->message.body.welcome.build = message_text("tickproofd 0.1");
    take(next, "LIST", about_none(MESSAGE_LIST));
    sample = take(next, "ROOMS", about_none(MESSAGE_ROOMS));
    sample->message.body.rooms.next = sample->message.body.rooms.total = 2;
    sample->message.body.rooms.count = 2;
    MessageRoom *items = sample->message.body.rooms.items;
    items[0] = room_item(0, "arena", "fighter");
    items[0].tick_rate_hz = 60;
    items[0].lane = 1;
    items[0].players = 2;
    items[0].taken = 1;
    items[0].is_live = 1;
    items[0].udp_port = 27601;
    items[1] = room_item(1, "match-7", "runner");
    items[1].tick_rate_hz = 60;
    items[1].players = items[1].taken = 4;
    items[1].is_over = 1;
}

static void add_page_joining(MessageSample **next)
{
    MessageSample *sample = take(next, "JOIN", about_none(MESSAGE_JOIN));
    sample->message.body.join.cookie = 77;
    sample->message.body.join.slots = 1;
    sample->message.body.join.name = message_text("arena");
    sample = take(next, "REFUSED", about_none(MESSAGE_REFUSED));
    sample->message.body.refused.cookie = 76;
    sample->message.body.refused.reason = MESSAGE_REASON_NOT_LIVE;
    sample->message.body.refused.text = message_text("match-7 steps a log");
    sample = take(next, "JOINED", about_room(MESSAGE_JOINED, 0, 3, 990));
    sample->message.body.joined.cookie = 77;
    sample->message.body.joined.ahead = 30;
    sample->message.body.joined.slot_count = 1;
    sample->message.body.joined.slots[0] = 1;
    sample->message.body.joined.report = 300;
    fill_token(sample->message.body.joined.token);
    sample->message.body.joined.rules_size = 96;
    sample = take(next, "PACE", about_room(MESSAGE_PACE, 0, 3, 0));
    sample->message.body.pace.rate_mhz = 60000;
    sample = take(next, "READY", about_room(MESSAGE_READY, 0, 3, 0));
    sample->message.body.ready.rules_id = (tp_hash128){ .lo = 0x4746454443424140, .hi = 0x4F4E4D4C4B4A4948 };
    sample = take(next, "STATE", about_room(MESSAGE_STATE, 0, 3, 1000));
    sample->message.body.state.size = 4;
    sample->message.body.state.packed_size = sizeof(page_state);
    sample->message.body.state.root = other_root;
    sample->message.body.state.input_leaf = 0x2726252423222120;
    sample->message.body.state.event_leaf = 0x2F2E2D2C2B2A2928;
    sample = take(next, "PIECE", about_room(MESSAGE_PIECE, 0, 3, 1000));
    sample->message.body.piece.kind = MESSAGE_PIECE_STATE;
    sample->message.body.piece.total = sizeof(page_state);
    sample->message.body.piece.size = sizeof(page_state);
    sample->message.body.piece.bytes = page_state;
}

static void add_page_ticks(MessageSample **next)
{
    MessageSample *sample = take(next, "CONFIRMED", about_room(MESSAGE_CONFIRMED, 0, 3, 1000));
    sample->message.body.confirmed.root = some_root;
    sample->message.body.confirmed.durable = 960;
    sample->message.body.confirmed.parts = 1;
    sample->message.body.confirmed.size = sizeof(page_row);
    sample->message.body.confirmed.bytes = page_row;
    sample = take(next, "INPUT", about_room(MESSAGE_INPUT, 0, 3, 1002));
    sample->message.body.input.slot = 1;
    sample->message.body.input.size = 2;
    sample->message.body.input.count = 3;
    sample->message.body.input.bytes = page_inputs;
    sample = take(next, "TIMING", about_room(MESSAGE_TIMING, 0, 3, 1010));
    sample->message.body.timing.count = 1;
    sample->message.body.timing.items[0] = (MessageTiming){ .slot = 1, .lead = -2, .late = 3 };
    sample = take(next, "REPORT", about_room(MESSAGE_REPORT, 0, 3, 1200));
    sample->message.body.report.root = some_root;
    sample = take(next, "WANTED", about_room(MESSAGE_WANTED, 0, 3, 1200));
    sample->message.body.wanted.root = other_root;
    sample = take(next, "OWN_STATE", about_room(MESSAGE_OWN_STATE, 0, 3, 1200));
    sample->message.body.own_state.size = 4;
    sample->message.body.own_state.packed_size = sizeof(page_state);
    sample->message.body.own_state.root = some_root;
    sample->message.body.own_state.input_leaf = 0x5756555453525150;
    sample->message.body.own_state.event_leaf = 0x5F5E5D5C5B5A5958;
    sample->message.body.own_state.build = message_text("bot 1");
}

static void add_page_talk(MessageSample **next)
{
    MessageSample *sample = take(next, "TOKEN", about_none(MESSAGE_TOKEN));
    sample->message.body.join_token.size = 4;
    sample->message.body.join_token.bytes = (const uint8_t *)"TPJT";
    sample = take(next, "CHAT", about_room(MESSAGE_CHAT, 0, 3, 0));
    sample->message.body.chat.text = message_text("well played");
    sample = take(next, "SAID", about_room(MESSAGE_SAID, 0, 3, 1231));
    sample->message.body.said.slot = 1;
    sample->message.body.said.text = message_text("well played");
    sample = take(next, "ADMIN", about_room(MESSAGE_ADMIN, 0, 0, 0));
    sample->message.body.admin.cookie = 78;
    sample->message.body.admin.verb = MESSAGE_VERB_SPEED;
    sample->message.body.admin.value = 500;
    sample->message.body.admin.key = message_text("sesame");
    sample = take(next, "ADMINED", about_room(MESSAGE_ADMINED, 0, 3, 1240));
    sample->message.body.admined.cookie = 78;
    sample->message.body.admined.is_done = 1;
    sample = take(next, "PING", about_none(MESSAGE_PING));
    sample->message.body.ping.token = 0x0807060504030201;
    sample = take(next, "PONG", about_none(MESSAGE_PONG));
    sample->message.body.pong.token = 0x0807060504030201;
}

static void add_page_end(MessageSample **next)
{
    MessageSample *sample = take(next, "LEAVE", about_room(MESSAGE_LEAVE, 0, 3, 0));
    sample->message.body.leave.reason = MESSAGE_REASON_ASKED;
    sample->message.body.leave.text = nothing;
    sample = take(next, "LEFT", about_room(MESSAGE_LEFT, 0, 3, 1241));
    sample->message.body.left.reason = MESSAGE_REASON_ASKED;
    sample->message.body.left.text = nothing;
    sample = take(next, "BYE", about_none(MESSAGE_BYE));
    sample->message.body.bye.reason = MESSAGE_REASON_STOPPING;
    sample->message.body.bye.text = message_text("the server stops");
}

const MessageSample *message_samples_page(void)
{
    static MessageSample samples[MESSAGE_SAMPLES_PAGE];
    if (samples[0].name == NULL) {
        MessageSample *next = samples;
        add_page_start(&next);
        add_page_joining(&next);
        add_page_ticks(&next);
        add_page_talk(&next);
        add_page_end(&next);
        assert(next == samples + MESSAGE_SAMPLES_PAGE);
    }
    return samples;
}

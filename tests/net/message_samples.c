// message_samples.c: the messages that tests and seeds are made from. No two fields of one message have one value, where they can
// help it, so that fields that change places are seen.
#include "message_samples.h"

#include <assert.h>
#include <string.h>

#define LONGEST_NAME "abcdefghijklmnopqrstuvwxyz.ABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456-9"
#define LONGEST_BUILD "build 0123456789 0123456789 0123456789 0123456789 0123456789 01"

static const MessageText nothing = { .text = "", .size = 0 };
static uint8_t           bytes[MESSAGE_SIZE_MAX];
static char              longest_text[MESSAGE_TEXT_MAX + 1];
static const uint64_t    last_tick = UINT64_MAX - 1;

static const tp_hash128 some_root = { .lo = 0x1716151413121110, .hi = 0x1F1E1D1C1B1A1918 };

static Message about_none(MessageType type)
{
    return (Message){ .type = type, .room = MESSAGE_ROOM_NONE };
}

static Message about_room(MessageType type, uint32_t room, uint32_t epoch, uint64_t tick)
{
    return (Message){ .type = type, .room = room, .epoch = epoch, .tick = tick };
}

static MessageSample *take(MessageSample **next, const char *name, Message message)
{
    MessageSample *sample = *next;
    *sample = (MessageSample){ .name = name, .message = message };
    *next += 1;
    return sample;
}

static void add_clients(MessageSample **next)
{
    MessageSample *sample = take(next, "HELLO min", about_none(MESSAGE_HELLO));
    sample->message.body.hello.version_min = sample->message.body.hello.version_max = 1;
    sample->message.body.hello.build = nothing;
    sample = take(next, "HELLO max", about_none(MESSAGE_HELLO));
    sample->message.body.hello.version_min = 65534;
    sample->message.body.hello.version_max = 65535;
    sample->message.body.hello.build = message_text(LONGEST_BUILD);
    take(next, "LIST min", about_none(MESSAGE_LIST));
    sample = take(next, "LIST max", about_none(MESSAGE_LIST));
    sample->message.body.list.first = UINT32_MAX;
    sample = take(next, "JOIN min", about_none(MESSAGE_JOIN));
    sample->message.body.join.name = message_text("a");
    sample = take(next, "JOIN max", about_none(MESSAGE_JOIN));
    sample->message.body.join.cookie = UINT32_MAX;
    sample->message.body.join.slots = MESSAGE_SLOTS_MAX;
    sample->message.body.join.name = message_text(LONGEST_NAME);
    take(next, "LEAVE min", about_room(MESSAGE_LEAVE, 0, 0, 0));
    take(next, "LEAVE max", about_room(MESSAGE_LEAVE, UINT32_MAX - 1, UINT32_MAX, 0));
    sample = take(next, "INPUT min", about_room(MESSAGE_INPUT, 0, 0, 0));
    sample->message.body.input.size = sample->message.body.input.count = 1;
    sample->message.body.input.bytes = bytes;
    sample = take(next, "INPUT max", about_room(MESSAGE_INPUT, UINT32_MAX - 1, UINT32_MAX, UINT64_MAX - 18));
    sample->message.body.input.slot = MESSAGE_SLOTS_MAX - 1;
    sample->message.body.input.size = MESSAGE_INPUT_MAX;
    sample->message.body.input.count = 18; // all that fit
    sample->message.body.input.bytes = bytes;
    take(next, "PING min", about_none(MESSAGE_PING));
    sample = take(next, "PING max", about_none(MESSAGE_PING));
    sample->message.body.ping.token = UINT64_MAX;
}

static MessageRoom room_item(uint32_t room, const char *name, const char *world)
{
    return (MessageRoom){ .room = room, .name = message_text(name), .world = message_text(world) };
}

static void add_lists(MessageSample **next)
{
    take(next, "ROOMS min", about_none(MESSAGE_ROOMS));
    MessageSample *sample = take(next, "ROOMS max", about_none(MESSAGE_ROOMS));
    sample->message.body.rooms.first = UINT32_MAX - 9;
    sample->message.body.rooms.next = UINT32_MAX - 1;
    sample->message.body.rooms.total = UINT32_MAX;
    sample->message.body.rooms.count = 8;
    for (uint32_t i = 0; i < 8; i++) {
        MessageRoom room = room_item(UINT32_MAX - 1, LONGEST_NAME, LONGEST_NAME);
        room.tick_rate_hz = UINT32_MAX;
        room.lane = UINT16_MAX;
        room.players = room.taken = MESSAGE_SLOTS_MAX;
        room.is_live = room.is_over = 1;
        sample->message.body.rooms.items[i] = room;
    }
    sample = take(next, "ROOMS many", about_none(MESSAGE_ROOMS));
    sample->message.body.rooms.first = 5;
    sample->message.body.rooms.count = 58; // all that fit
    sample->message.body.rooms.next = sample->message.body.rooms.total = 5 + 58;
    for (uint32_t i = 0; i < 58; i++) {
        sample->message.body.rooms.items[i] = room_item(i, "a", "b");
    }
}

static void add_joining(MessageSample **next)
{
    MessageSample *sample = take(next, "JOINED min", about_room(MESSAGE_JOINED, 0, 0, 0));
    sample->message.body.joined.rules_size = 1;
    sample = take(next, "JOINED max", about_room(MESSAGE_JOINED, UINT32_MAX - 1, UINT32_MAX, last_tick));
    sample->message.body.joined.cookie = UINT32_MAX;
    sample->message.body.joined.ahead = UINT16_MAX;
    sample->message.body.joined.slot_count = MESSAGE_SLOTS_MAX;
    for (uint32_t i = 0; i < MESSAGE_SLOTS_MAX; i++) {
        sample->message.body.joined.slots[i] = (uint8_t)i;
    }
    sample->message.body.joined.rules_size = MESSAGE_RULES_MAX;
    sample->message.body.joined.state_size = MESSAGE_STATE_MAX;
    sample->message.body.joined.root = some_root;
    sample->message.body.joined.input_leaf = 0x2726252423222120;
    sample->message.body.joined.event_leaf = UINT64_MAX;
    sample = take(next, "REFUSED min", about_none(MESSAGE_REFUSED));
    sample->message.body.refused.reason = MESSAGE_REASON_ASKED;
    sample->message.body.refused.text = nothing;
    sample = take(next, "REFUSED max", about_none(MESSAGE_REFUSED));
    sample->message.body.refused.cookie = UINT32_MAX;
    sample->message.body.refused.reason = MESSAGE_REASON_CROWDED;
    sample->message.body.refused.text = message_text(longest_text);
}

static void add_piece(MessageSample **next, const char *name, MessagePieceKind kind, uint32_t total, uint16_t size)
{
    MessageSample *sample = take(next, name, about_room(MESSAGE_PIECE, 7, 9, size == 1 ? 0 : last_tick));
    sample->message.body.piece.kind = (uint8_t)kind;
    sample->message.body.piece.total = total;
    sample->message.body.piece.offset = total - size;
    sample->message.body.piece.size = size;
    sample->message.body.piece.bytes = bytes;
}

static void add_ticks(MessageSample **next)
{
    MessageSample *sample = take(next, "CONFIRMED min", about_room(MESSAGE_CONFIRMED, 0, 0, 0));
    sample->message.body.confirmed.parts = 1;
    sample->message.body.confirmed.size = 1;
    sample->message.body.confirmed.bytes = bytes;
    sample = take(next, "CONFIRMED max", about_room(MESSAGE_CONFIRMED, UINT32_MAX - 1, UINT32_MAX, last_tick));
    sample->message.body.confirmed.root = some_root;
    sample->message.body.confirmed.durable = UINT64_MAX;
    sample->message.body.confirmed.part = 254;
    sample->message.body.confirmed.parts = 255;
    sample->message.body.confirmed.size = MESSAGE_PART_MAX;
    sample->message.body.confirmed.bytes = bytes;
}

static void add_endings(MessageSample **next)
{
    MessageSample *sample = take(next, "LEFT min", about_room(MESSAGE_LEFT, 0, 0, 0));
    sample->message.body.left.reason = MESSAGE_REASON_ASKED;
    sample->message.body.left.text = nothing;
    sample = take(next, "LEFT max", about_room(MESSAGE_LEFT, UINT32_MAX - 1, UINT32_MAX, last_tick));
    sample->message.body.left.reason = MESSAGE_REASON_CROWDED;
    sample->message.body.left.text = message_text(longest_text);
    take(next, "PONG min", about_none(MESSAGE_PONG));
    sample = take(next, "PONG max", about_none(MESSAGE_PONG));
    sample->message.body.pong.token = UINT64_MAX;
    sample = take(next, "BYE min", about_none(MESSAGE_BYE));
    sample->message.body.bye.reason = MESSAGE_REASON_ASKED;
    sample->message.body.bye.text = nothing;
    sample = take(next, "BYE max", about_none(MESSAGE_BYE));
    sample->message.body.bye.reason = MESSAGE_REASON_CROWDED;
    sample->message.body.bye.text = message_text(longest_text);
    sample = take(next, "WELCOME min", about_none(MESSAGE_WELCOME));
    sample->message.body.welcome.version = 1;
    sample->message.body.welcome.build = nothing;
    sample = take(next, "WELCOME max", about_none(MESSAGE_WELCOME));
    sample->message.body.welcome.version = UINT16_MAX;
    sample->message.body.welcome.rooms = UINT32_MAX - 1;
    sample->message.body.welcome.messages_per_second = UINT32_MAX;
    sample->message.body.welcome.build = message_text(LONGEST_BUILD);
}

const MessageSample *message_samples(void)
{
    static MessageSample samples[MESSAGE_SAMPLES];
    if (samples[0].name != NULL) {
        return samples;
    }
    for (uint32_t i = 0; i < sizeof(bytes); i++) {
        bytes[i] = (uint8_t)(i * 7 + 1);
    }
    memset(longest_text, 'x', MESSAGE_TEXT_MAX);
    MessageSample *next = samples;
    add_clients(&next);
    add_lists(&next);
    add_joining(&next);
    add_piece(&next, "PIECE min", MESSAGE_PIECE_RULES, 1, 1);
    add_piece(&next, "PIECE max", MESSAGE_PIECE_STATE, MESSAGE_STATE_MAX, MESSAGE_PIECE_MAX);
    add_piece(&next, "PIECE rules", MESSAGE_PIECE_RULES, MESSAGE_RULES_MAX, MESSAGE_PIECE_MAX);
    add_ticks(&next);
    add_endings(&next);
    assert(next == samples + MESSAGE_SAMPLES);
    return samples;
}

// A room of two slots whose inputs have 2 bytes: both are there, slot 0 received and slot 1 repeated, no commands.
static const uint8_t page_row[] = { 0x03, 0x04, 0x10, 0x00, 0x00, 0x00, 0x00, 0x00 };
static const uint8_t page_inputs[] = { 0x10, 0x00, 0x11, 0x00, 0x11, 0x00 };
static const uint8_t page_state[] = { 'T', 'I', 'C', 'K' };

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
    sample = take(next, "JOINED", about_room(MESSAGE_JOINED, 0, 3, 1000));
    sample->message.body.joined.cookie = 77;
    sample->message.body.joined.ahead = 30;
    sample->message.body.joined.slot_count = 1;
    sample->message.body.joined.slots[0] = 1;
    sample->message.body.joined.rules_size = 96;
    sample->message.body.joined.state_size = 300;
    sample->message.body.joined.root = some_root;
    sample->message.body.joined.input_leaf = 0x2726252423222120;
    sample->message.body.joined.event_leaf = 0x2F2E2D2C2B2A2928;
    sample = take(next, "PIECE", about_room(MESSAGE_PIECE, 0, 3, 1000));
    sample->message.body.piece.kind = MESSAGE_PIECE_STATE;
    sample->message.body.piece.total = 300;
    sample->message.body.piece.offset = 296;
    sample->message.body.piece.size = sizeof(page_state);
    sample->message.body.piece.bytes = page_state;
}

static void add_page_rest(MessageSample **next)
{
    MessageSample *sample = take(next, "INPUT", about_room(MESSAGE_INPUT, 0, 3, 1002));
    sample->message.body.input.slot = 1;
    sample->message.body.input.size = 2;
    sample->message.body.input.count = 3;
    sample->message.body.input.bytes = page_inputs;
    sample = take(next, "CONFIRMED", about_room(MESSAGE_CONFIRMED, 0, 3, 1000));
    sample->message.body.confirmed.root = some_root;
    sample->message.body.confirmed.durable = 960;
    sample->message.body.confirmed.parts = 1;
    sample->message.body.confirmed.size = sizeof(page_row);
    sample->message.body.confirmed.bytes = page_row;
    sample = take(next, "PING", about_none(MESSAGE_PING));
    sample->message.body.ping.token = 0x0807060504030201;
    sample = take(next, "PONG", about_none(MESSAGE_PONG));
    sample->message.body.pong.token = 0x0807060504030201;
    take(next, "LEAVE", about_room(MESSAGE_LEAVE, 0, 3, 0));
    sample = take(next, "LEFT", about_room(MESSAGE_LEFT, 0, 3, 1009));
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
        add_page_rest(&next);
        assert(next == samples + MESSAGE_SAMPLES_PAGE);
    }
    return samples;
}

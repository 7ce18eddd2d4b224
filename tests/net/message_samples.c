// message_samples.c: the messages that tests and seeds are made from. No two fields of one message have one value, where they can
// help it, so that fields that change places are seen.
#include "message_samples.h"

#include <assert.h>
#include <string.h>

#include "message_samples_build.h"

#define LONGEST_NAME "abcdefghijklmnopqrstuvwxyz.ABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456-9"
#define LONGEST_BUILD "build 0123456789 0123456789 0123456789 0123456789 0123456789 01"

static uint8_t        bytes[MESSAGE_SIZE_MAX];
static char           longest_text[MESSAGE_TEXT_MAX + 1];
static const uint64_t last_tick = UINT64_MAX - 1;

static const tp_hash128 all_ones = { .lo = UINT64_MAX, .hi = UINT64_MAX };

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
    fill_token(sample->message.body.join.token);
    sample->message.body.join.name = message_text(LONGEST_NAME);
    sample = take(next, "JOIN delayed", about_none(MESSAGE_JOIN));
    sample->message.body.join.delay = MESSAGE_DELAY_MAX;
    sample->message.body.join.name = message_text("a");
    sample = take(next, "LEAVE min", about_room(MESSAGE_LEAVE, 0, 0, 0));
    sample->message.body.leave.reason = MESSAGE_REASON_ASKED;
    sample = take(next, "LEAVE max", about_room(MESSAGE_LEAVE, UINT32_MAX - 1, UINT32_MAX, 0));
    sample->message.body.leave.reason = MESSAGE_REASON_INCOMPATIBLE;
    sample->message.body.leave.text = message_text(longest_text);
    sample = take(next, "INPUT min", about_room(MESSAGE_INPUT, 0, 0, 0));
    sample->message.body.input.size = sample->message.body.input.count = 1;
    sample->message.body.input.bytes = bytes;
    sample = take(next, "INPUT max", about_room(MESSAGE_INPUT, UINT32_MAX - 1, UINT32_MAX, UINT64_MAX - 18));
    sample->message.body.input.slot = MESSAGE_SLOTS_MAX - 1;
    sample->message.body.input.size = MESSAGE_INPUT_MAX;
    sample->message.body.input.count = 18; // all that fit
    sample->message.body.input.bytes = bytes;
    sample = take(next, "INPUT many", about_room(MESSAGE_INPUT, 1, 2, 3));
    sample->message.body.input.size = 1;
    sample->message.body.input.count = MESSAGE_INPUTS_MAX;
    sample->message.body.input.bytes = bytes;
    take(next, "PING min", about_none(MESSAGE_PING));
    sample = take(next, "PING max", about_none(MESSAGE_PING));
    sample->message.body.ping.token = UINT64_MAX;
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
        room.udp_port = UINT16_MAX - 1;
        sample->message.body.rooms.items[i] = room;
    }
    sample = take(next, "ROOMS many", about_none(MESSAGE_ROOMS));
    sample->message.body.rooms.first = 5;
    sample->message.body.rooms.count = 53; // all that fit
    sample->message.body.rooms.next = sample->message.body.rooms.total = 5 + 53;
    for (uint32_t i = 0; i < 53; i++) {
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
    sample->message.body.joined.report = UINT16_MAX - 1;
    fill_token(sample->message.body.joined.token);
    sample = take(next, "JOINED delayed", about_room(MESSAGE_JOINED, 1, 2, 3));
    sample->message.body.joined.delay = MESSAGE_DELAY_MAX;
    sample->message.body.joined.rules_size = 1;
    sample = take(next, "REFUSED min", about_none(MESSAGE_REFUSED));
    sample->message.body.refused.reason = MESSAGE_REASON_ASKED;
    sample->message.body.refused.text = nothing;
    sample = take(next, "REFUSED max", about_none(MESSAGE_REFUSED));
    sample->message.body.refused.cookie = UINT32_MAX;
    sample->message.body.refused.reason = MESSAGE_REASON_BEHIND;
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
    sample->message.body.left.reason = MESSAGE_REASON_BEHIND;
    sample->message.body.left.text = message_text(longest_text);
    take(next, "PONG min", about_none(MESSAGE_PONG));
    sample = take(next, "PONG max", about_none(MESSAGE_PONG));
    sample->message.body.pong.token = UINT64_MAX;
    sample = take(next, "BYE min", about_none(MESSAGE_BYE));
    sample->message.body.bye.reason = MESSAGE_REASON_ASKED;
    sample->message.body.bye.text = nothing;
    sample = take(next, "BYE max", about_none(MESSAGE_BYE));
    sample->message.body.bye.reason = MESSAGE_REASON_BEHIND;
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

static void add_states(MessageSample **next)
{
    MessageSample *sample = take(next, "STATE min", about_room(MESSAGE_STATE, 0, 0, 0));
    sample->message.body.state.packed_size = 1;
    sample = take(next, "STATE max", about_room(MESSAGE_STATE, UINT32_MAX - 1, UINT32_MAX, last_tick));
    sample->message.body.state.size = MESSAGE_STATE_MAX;
    sample->message.body.state.packed_size = MESSAGE_PACKED_MAX;
    sample->message.body.state.root = some_root;
    sample->message.body.state.input_leaf = 0x2726252423222120;
    sample->message.body.state.event_leaf = UINT64_MAX;
    sample = take(next, "OWN_STATE min", about_room(MESSAGE_OWN_STATE, 0, 0, 0));
    sample->message.body.own_state.packed_size = 1;
    sample = take(next, "OWN_STATE max", about_room(MESSAGE_OWN_STATE, UINT32_MAX - 1, UINT32_MAX, last_tick));
    sample->message.body.own_state.size = MESSAGE_STATE_MAX;
    sample->message.body.own_state.packed_size = MESSAGE_PACKED_MAX;
    sample->message.body.own_state.root = some_root;
    sample->message.body.own_state.input_leaf = 0x2726252423222120;
    sample->message.body.own_state.event_leaf = UINT64_MAX;
    sample->message.body.own_state.build = message_text(LONGEST_BUILD);
}

static void add_roots(MessageSample **next)
{
    take(next, "READY min", about_room(MESSAGE_READY, 0, 0, 0));
    MessageSample *sample = take(next, "READY max", about_room(MESSAGE_READY, UINT32_MAX - 1, UINT32_MAX, 0));
    sample->message.body.ready.rules_id = all_ones;
    sample = take(next, "REPORT min", about_room(MESSAGE_REPORT, 0, 0, 0));
    sample->message.body.report.root = some_root;
    sample = take(next, "REPORT max", about_room(MESSAGE_REPORT, UINT32_MAX - 1, UINT32_MAX, last_tick));
    sample->message.body.report.root = all_ones;
    sample = take(next, "WANTED min", about_room(MESSAGE_WANTED, 0, 0, 0));
    sample->message.body.wanted.root = some_root;
    sample = take(next, "WANTED max", about_room(MESSAGE_WANTED, UINT32_MAX - 1, UINT32_MAX, last_tick));
    sample->message.body.wanted.root = all_ones;
}

static void add_room_talk(MessageSample **next)
{
    MessageSample *sample = take(next, "TIMING min", about_room(MESSAGE_TIMING, 0, 0, 0));
    sample->message.body.timing.count = 1;
    sample->message.body.timing.items[0].lead = INT16_MIN;
    sample = take(next, "TIMING max", about_room(MESSAGE_TIMING, UINT32_MAX - 1, UINT32_MAX, last_tick));
    sample->message.body.timing.count = MESSAGE_SLOTS_MAX;
    for (uint32_t i = 0; i < MESSAGE_SLOTS_MAX; i++) {
        sample->message.body.timing.items[i] =
            (MessageTiming){ .slot = (uint8_t)i, .lead = (int16_t)(INT16_MAX - (int)i * 512), .late = (uint16_t)(UINT16_MAX - i) };
    }
    sample = take(next, "TOKEN min", about_none(MESSAGE_TOKEN));
    sample->message.body.join_token.size = 1;
    sample->message.body.join_token.bytes = (const uint8_t *)"x";
    sample = take(next, "TOKEN max", about_none(MESSAGE_TOKEN));
    sample->message.body.join_token.size = MESSAGE_JOIN_TOKEN_MAX;
    sample->message.body.join_token.bytes = bytes;
    sample = take(next, "CHAT min", about_room(MESSAGE_CHAT, 0, 0, 0));
    sample->message.body.chat.text = message_text("x");
    sample = take(next, "CHAT max", about_room(MESSAGE_CHAT, UINT32_MAX - 1, UINT32_MAX, 0));
    sample->message.body.chat.text = (MessageText){ .text = longest_text, .size = MESSAGE_CHAT_MAX };
    sample = take(next, "SAID min", about_room(MESSAGE_SAID, 0, 0, 0));
    sample->message.body.said.text = message_text("x");
    sample = take(next, "SAID slot", about_room(MESSAGE_SAID, 0, 0, 0));
    sample->message.body.said.slot = MESSAGE_SLOTS_MAX - 1;
    sample->message.body.said.text = message_text("x");
    sample = take(next, "SAID max", about_room(MESSAGE_SAID, UINT32_MAX - 1, UINT32_MAX, last_tick));
    sample->message.body.said.slot = MESSAGE_SLOT_NOBODY;
    sample->message.body.said.text = message_text(longest_text);
    sample = take(next, "PACE min", about_room(MESSAGE_PACE, 0, 0, 0));
    sample->message.body.pace.rate_mhz = 1;
    sample = take(next, "PACE max", about_room(MESSAGE_PACE, UINT32_MAX - 1, UINT32_MAX, 0));
    sample->message.body.pace.is_paused = 1;
    sample->message.body.pace.rate_mhz = UINT32_MAX;
}

static void add_verb(MessageSample **next, const char *name, MessageVerb verb, uint8_t slot, uint64_t value, uint16_t size)
{
    MessageSample *sample = take(next, name, about_room(MESSAGE_ADMIN, 3, 4, 0));
    sample->message.body.admin.verb = (uint8_t)verb;
    sample->message.body.admin.slot = slot;
    sample->message.body.admin.value = value;
    sample->message.body.admin.key = message_text("key");
    sample->message.body.admin.size = size;
    sample->message.body.admin.bytes = size > 0 ? bytes : NULL;
}

static void add_administration(MessageSample **next)
{
    add_verb(next, "ADMIN kick", MESSAGE_VERB_KICK, 0, 0, 0);
    add_verb(next, "ADMIN kick last", MESSAGE_VERB_KICK, MESSAGE_SLOTS_MAX - 1, 0, 0);
    add_verb(next, "ADMIN pause", MESSAGE_VERB_PAUSE, 0, 0, 0);
    add_verb(next, "ADMIN resume", MESSAGE_VERB_RESUME, 0, 0, 0);
    add_verb(next, "ADMIN step", MESSAGE_VERB_STEP, 0, 1, 0);
    add_verb(next, "ADMIN step most", MESSAGE_VERB_STEP, 0, 10000, 0);
    add_verb(next, "ADMIN speed", MESSAGE_VERB_SPEED, 0, 1, 0);
    add_verb(next, "ADMIN speed most", MESSAGE_VERB_SPEED, 0, 1000000, 0);
    add_verb(next, "ADMIN note", MESSAGE_VERB_NOTE, 0, 0, 1);
    add_verb(next, "ADMIN note most", MESSAGE_VERB_NOTE, 0, 0, 1000);
    add_verb(next, "ADMIN command", MESSAGE_VERB_COMMAND, 0, 0, 0);
    add_verb(next, "ADMIN end", MESSAGE_VERB_END, 0, 0, 0);
    MessageSample *sample = take(next, "ADMIN max", about_room(MESSAGE_ADMIN, UINT32_MAX - 1, UINT32_MAX, 0));
    sample->message.body.admin.cookie = UINT32_MAX;
    sample->message.body.admin.verb = MESSAGE_VERB_COMMAND;
    sample->message.body.admin.value = 65535;
    sample->message.body.admin.key = (MessageText){ .text = longest_text, .size = MESSAGE_KEY_MAX };
    sample->message.body.admin.size = MESSAGE_COMMAND_MAX;
    sample->message.body.admin.bytes = bytes;
    take(next, "ADMINED min", about_room(MESSAGE_ADMINED, 0, 0, 0));
    sample = take(next, "ADMINED max", about_room(MESSAGE_ADMINED, UINT32_MAX - 1, UINT32_MAX, last_tick));
    sample->message.body.admined.cookie = UINT32_MAX;
    sample->message.body.admined.is_done = 1;
    sample->message.body.admined.text = message_text(longest_text);
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
    add_piece(&next, "PIECE max", MESSAGE_PIECE_STATE, MESSAGE_PACKED_MAX, MESSAGE_PIECE_MAX);
    add_piece(&next, "PIECE own", MESSAGE_PIECE_OWN, MESSAGE_PACKED_MAX, MESSAGE_PIECE_MAX);
    add_piece(&next, "PIECE rules", MESSAGE_PIECE_RULES, MESSAGE_RULES_MAX, MESSAGE_PIECE_MAX);
    add_ticks(&next);
    add_endings(&next);
    add_states(&next);
    add_roots(&next);
    add_room_talk(&next);
    add_administration(&next);
    assert(next == samples + MESSAGE_SAMPLES);
    return samples;
}

const MessageSample *message_sample(const char *name)
{
    for (uint32_t i = 0; i < MESSAGE_SAMPLES; i++) {
        if (strcmp(message_samples()[i].name, name) == 0) {
            return &message_samples()[i];
        }
    }
    return NULL;
}

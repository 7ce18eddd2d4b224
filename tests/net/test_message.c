// test_message.c: what is encoded decodes to itself, and whatever else the bytes are, they are refused or have one spelling.
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "bytes.h"
#include "message.h"
#include "message_samples.h"
#include "tickproof/world.h"

_Static_assert((int)MESSAGE_SLOTS_MAX == (int)TP_PLAYERS_MAX, "the protocol's bounds are the world's");
_Static_assert((int)MESSAGE_STATE_MAX == (int)TP_STATE_SIZE_MAX, "the protocol's bounds are the world's");
_Static_assert((int)MESSAGE_INPUT_MAX == (int)TP_INPUT_SIZE_MAX, "the protocol's bounds are the world's");
_Static_assert((int)MESSAGE_NAME_MAX == (int)TP_NAME_SIZE_MAX, "the protocol's bounds are the world's");
_Static_assert(MESSAGE_PIECE_MAX == 1173 && MESSAGE_PART_MAX == 1156, "README.md has these numbers");

// Every row of a world must go into 255 parts.
_Static_assert(TP_PLAYERS_MAX / 8 + TP_PLAYERS_MAX / 4 + TP_PLAYERS_MAX * TP_INPUT_SIZE_MAX + 2 + TP_COMMAND_BYTES_MAX <=
                   255 * MESSAGE_PART_MAX,
               "the largest row does not fit");

static Message decoded;

// The bytes are copied to where they end with their memory, so that a sanitizer sees a read too far.
static const char *decode(const uint8_t *bytes, size_t size)
{
    uint8_t *exact = malloc(size > 0 ? size : 1);
    memcpy(exact, bytes, size);
    const char *wrong = message_decode(exact, size, &decoded);
    if (wrong == NULL) {
        uint8_t again[MESSAGE_SIZE_MAX];
        cr_assert_eq(message_encode(&decoded, again), size);
        cr_assert_eq(memcmp(again, exact, size), 0, "two spellings of one message");
    }
    free(exact);
    return wrong;
}

Test(message, every_type_goes_round_at_its_least_and_most)
{
    uint32_t seen[256] = { 0 };
    for (uint32_t i = 0; i < MESSAGE_SAMPLES; i++) {
        const MessageSample *sample = &message_samples()[i];
        uint8_t              bytes[MESSAGE_SIZE_MAX];
        size_t               size = message_encode(&sample->message, bytes);
        cr_assert_gt(size, 0, "%s", sample->name);
        const char *wrong = decode(bytes, size);
        cr_assert_null(wrong, "%s: %s", sample->name, wrong);
        cr_assert_eq(decoded.type, sample->message.type);
        seen[decoded.type] += 1;
    }
    for (uint32_t type = 0; type < 256; type++) {
        cr_assert((message_type_name(type) != NULL) == (seen[type] >= 2), "type %u has %u samples", type, seen[type]);
    }
}

Test(message, largest_ones_fill_a_message)
{
    uint8_t bytes[MESSAGE_SIZE_MAX];
    uint32_t full = 0;
    for (uint32_t i = 0; i < MESSAGE_SAMPLES; i++) {
        full += message_encode(&message_samples()[i].message, bytes) == MESSAGE_SIZE_MAX ? 1 : 0;
    }
    cr_assert_eq(full, 3, "both PIECEs and CONFIRMED");
}

Test(message, every_truncation_is_refused)
{
    for (uint32_t i = 0; i < MESSAGE_SAMPLES; i++) {
        const MessageSample *sample = &message_samples()[i];
        uint8_t              bytes[MESSAGE_SIZE_MAX];
        size_t               size = message_encode(&sample->message, bytes);
        // A piece has no length but its frame's: a shorter one is a message of its own, as long as it has a byte.
        bool   is_open_ended = sample->message.type == MESSAGE_PIECE || sample->message.type == MESSAGE_CONFIRMED;
        size_t whole = !is_open_ended ? size : size + 1 - (sample->message.type == MESSAGE_PIECE ? sample->message.body.piece.size
                                                                                                  : sample->message.body.confirmed.size);
        for (size_t cut = 0; cut < whole; cut++) {
            cr_assert_not_null(decode(bytes, cut), "%s cut to %zu", sample->name, cut);
        }
        for (size_t cut = whole; cut <= size; cut++) {
            cr_assert_null(decode(bytes, cut), "%s cut to %zu", sample->name, cut);
        }
    }
}

Test(message, nothing_may_follow)
{
    for (uint32_t i = 0; i < MESSAGE_SAMPLES; i++) {
        const MessageSample *sample = &message_samples()[i];
        uint8_t              bytes[MESSAGE_SIZE_MAX + 1];
        size_t               size = message_encode(&sample->message, bytes);
        bytes[size] = 0;
        // CONFIRMED's rest is its row: one byte more is another row, which the row's own decoder refuses.
        bool may_grow = sample->message.type == MESSAGE_CONFIRMED && size < MESSAGE_SIZE_MAX;
        cr_assert((decode(bytes, size + 1) == NULL) == may_grow, "%s", sample->name);
    }
}

// Goal: whatever one bit does, there is no second spelling of anything (decode checks it).
Test(message, every_flipped_bit_is_refused_or_means_itself)
{
    uint32_t refused = 0, taken = 0;
    for (uint32_t i = 0; i < MESSAGE_SAMPLES; i++) {
        uint8_t bytes[MESSAGE_SIZE_MAX];
        size_t  size = message_encode(&message_samples()[i].message, bytes);
        for (size_t bit = 0; bit < size * 8; bit++) {
            bytes[bit / 8] ^= (uint8_t)(1u << (bit % 8));
            uint32_t *count = decode(bytes, size) == NULL ? &taken : &refused;
            *count += 1;
            bytes[bit / 8] ^= (uint8_t)(1u << (bit % 8));
        }
    }
    cr_assert_gt(refused, 1000);
    cr_assert_gt(taken, 1000);
}

static Message sample_of(const char *name)
{
    for (uint32_t i = 0; i < MESSAGE_SAMPLES; i++) {
        if (strcmp(message_samples()[i].name, name) == 0) {
            return message_samples()[i].message;
        }
    }
    cr_assert_fail("no sample %s", name);
    return message_samples()[0].message;
}

// Out of bounds on the way out: one field of a good message is changed.
#define REFUSES(name, change)                                                      \
    do {                                                                           \
        Message m = sample_of(name);                                               \
        uint8_t out[MESSAGE_SIZE_MAX];                                             \
        cr_assert_gt(message_encode(&m, out), 0);                                  \
        change;                                                                    \
        cr_assert_eq(message_encode(&m, out), 0, "%s with %s", name, #change);     \
    } while (0)

Test(message, encode_refuses_one_above)
{
    static const char name64[] = "a123456789a123456789a123456789a123456789a123456789a123456789a123";
    REFUSES("HELLO min", m.body.hello.version_min = 0);
    REFUSES("HELLO min", m.body.hello.version_min = 2);
    REFUSES("HELLO max", m.body.hello.build.size = MESSAGE_BUILD_MAX + 1);
    REFUSES("WELCOME min", m.body.welcome.version = 0);
    REFUSES("WELCOME max", m.body.welcome.build.size = MESSAGE_BUILD_MAX + 1);
    REFUSES("JOIN max", m.body.join.slots = MESSAGE_SLOTS_MAX + 1);
    REFUSES("JOIN max", m.body.join.name = message_text(name64));
    REFUSES("JOIN min", m.body.join.name.size = 0);
    REFUSES("JOIN min", m.body.join.name = message_text("a b"));
    REFUSES("JOIN min", m.body.join.name = message_text("a/b"));
    REFUSES("JOIN min", m.body.join.name = message_text("\xC3\xA4"));
    REFUSES("INPUT max", m.body.input.slot = MESSAGE_SLOTS_MAX);
    REFUSES("INPUT min", m.body.input.size = 0);
    REFUSES("INPUT min", m.body.input.size = MESSAGE_INPUT_MAX + 1);
    REFUSES("INPUT min", m.body.input.count = 0);
    REFUSES("INPUT min", m.body.input.count = MESSAGE_INPUTS_MAX + 1);
    REFUSES("INPUT max", m.tick += 1);
    REFUSES("INPUT max", m.body.input.count += 1);
    REFUSES("ROOMS min", m.body.rooms.total = 1);
    REFUSES("ROOMS max", m.body.rooms.count = MESSAGE_ROOMS_MAX + 1);
    REFUSES("ROOMS many", m.body.rooms.next -= 1);
    REFUSES("ROOMS many", m.body.rooms.total -= 1);
    REFUSES("ROOMS many", m.body.rooms.first = 64);
    REFUSES("ROOMS many", m.body.rooms.items[57].room = MESSAGE_ROOM_NONE);
    REFUSES("ROOMS many", m.body.rooms.items[57].taken = 1);
    REFUSES("ROOMS many", m.body.rooms.items[57].players = MESSAGE_SLOTS_MAX + 1);
    REFUSES("ROOMS many", m.body.rooms.items[57].is_live = 2);
    REFUSES("ROOMS many", m.body.rooms.items[57].is_over = 2);
    REFUSES("ROOMS many", m.body.rooms.items[57].name.size = 0);
    REFUSES("ROOMS many", m.body.rooms.items[57].world.size = 0);
    REFUSES("JOINED max", m.body.joined.slot_count = MESSAGE_SLOTS_MAX + 1);
    REFUSES("JOINED max", m.body.joined.slots[127] = MESSAGE_SLOTS_MAX);
    REFUSES("JOINED max", m.body.joined.slots[1] = 0);
    REFUSES("JOINED min", m.body.joined.rules_size = 0);
    REFUSES("JOINED max", m.body.joined.rules_size = MESSAGE_RULES_MAX + 1);
    REFUSES("JOINED max", m.body.joined.state_size = MESSAGE_STATE_MAX + 1);
    REFUSES("JOINED max", m.tick = MESSAGE_TICK_NONE);
    REFUSES("REFUSED min", m.body.refused.reason = 0);
    REFUSES("REFUSED max", m.body.refused.reason = MESSAGE_REASON_CROWDED + 1);
    REFUSES("PIECE min", m.body.piece.kind = 0);
    REFUSES("PIECE min", m.body.piece.kind = 3);
    REFUSES("PIECE min", m.body.piece.size = 0);
    REFUSES("PIECE min", m.body.piece.offset = 1);
    REFUSES("PIECE min", m.body.piece.offset = UINT32_MAX);
    REFUSES("PIECE max", m.body.piece.total += 1);
    REFUSES("PIECE rules", m.body.piece.total += 1);
    REFUSES("PIECE max", m.body.piece.offset += 1);
    REFUSES("PIECE max", m.body.piece.offset = 0; m.body.piece.size += 1);
    REFUSES("CONFIRMED min", m.body.confirmed.parts = 0);
    REFUSES("CONFIRMED min", m.body.confirmed.part = 1);
    REFUSES("CONFIRMED min", m.body.confirmed.size = 0);
    REFUSES("CONFIRMED max", m.body.confirmed.size += 1);
    REFUSES("CONFIRMED max", m.tick = MESSAGE_TICK_NONE);
    REFUSES("LEFT max", m.body.left.reason = MESSAGE_REASON_CROWDED + 1);
    REFUSES("BYE min", m.body.bye.reason = 0);
    REFUSES("PING min", m.type = (MessageType)0);
    REFUSES("PING min", m.type = (MessageType)7);
    REFUSES("PING min", m.type = (MessageType)64);
    REFUSES("PING min", m.type = (MessageType)74);
    REFUSES("PING min", m.type = (MessageType)(256 + MESSAGE_PING));
}

// The same on the way in: bytes of a good message are changed at an offset.
static void refuses_bytes(const char *name, size_t offset, uint64_t value, size_t width)
{
    Message message = sample_of(name);
    uint8_t bytes[MESSAGE_SIZE_MAX];
    size_t  size = message_encode(&message, bytes);
    cr_assert_leq(offset + width, size);
    for (size_t i = 0; i < width; i++) {
        bytes[offset + i] = (uint8_t)(value >> (8 * i));
    }
    cr_assert_not_null(decode(bytes, size), "%s with %llu at %zu", name, (unsigned long long)value, offset);
}

Test(message, decode_refuses_one_above)
{
    enum { BODY = MESSAGE_HEAD_SIZE };
    refuses_bytes("HELLO min", BODY + 3, 'p', 1);
    refuses_bytes("HELLO min", BODY + 4, 0, 2);
    refuses_bytes("HELLO min", BODY + 4, 2, 2);
    refuses_bytes("HELLO max", BODY + 8, 64, 1);
    refuses_bytes("WELCOME min", BODY, 0, 2);
    refuses_bytes("JOIN max", BODY + 4, 129, 1);
    refuses_bytes("JOIN min", BODY + 6, '/', 1);
    refuses_bytes("JOIN min", BODY + 6, 0, 1);
    refuses_bytes("INPUT min", BODY, 128, 1);
    refuses_bytes("INPUT min", BODY + 1, 0, 1);
    refuses_bytes("INPUT min", BODY + 1, 65, 1);
    refuses_bytes("INPUT min", BODY + 2, 0, 1);
    refuses_bytes("INPUT min", BODY + 2, 65, 1);
    refuses_bytes("INPUT max", 10, UINT64_MAX - 17, 8);
    refuses_bytes("ROOMS min", BODY + 8, 1, 4);
    refuses_bytes("ROOMS max", BODY + 12, 9, 1);
    refuses_bytes("ROOMS max", BODY + 12, 65, 1);
    refuses_bytes("ROOMS many", BODY, 6, 4);
    refuses_bytes("JOINED max", BODY + 6, 129, 1);
    refuses_bytes("JOINED max", BODY + 7 + 127, 128, 1);
    refuses_bytes("JOINED max", BODY + 7 + 127, 126, 1);
    refuses_bytes("JOINED max", BODY + 7 + 128, MESSAGE_RULES_MAX + 1, 4);
    refuses_bytes("JOINED max", BODY + 7 + 132, MESSAGE_STATE_MAX + 1, 4);
    refuses_bytes("JOINED min", 10, UINT64_MAX, 8);
    refuses_bytes("REFUSED min", BODY + 4, 17, 2);
    refuses_bytes("PIECE min", BODY, 3, 1);
    refuses_bytes("PIECE min", BODY + 1, 0, 4);
    refuses_bytes("PIECE min", BODY + 5, UINT32_MAX, 4);
    refuses_bytes("PIECE max", BODY + 1, MESSAGE_STATE_MAX + 1, 4);
    refuses_bytes("PIECE max", BODY, MESSAGE_PIECE_RULES, 1);
    refuses_bytes("CONFIRMED min", BODY + 25, 0, 1);
    refuses_bytes("CONFIRMED max", BODY + 24, 255, 1);
    refuses_bytes("CONFIRMED max", 10, UINT64_MAX, 8);
    refuses_bytes("LEFT min", BODY, 0, 2);
    refuses_bytes("BYE min", BODY, 17, 2);
}

// Goal: a head has one spelling, too: what a type has no use for is as README.md says.
Test(message, head_has_one_spelling)
{
    for (uint32_t i = 0; i < MESSAGE_SAMPLES; i++) {
        const MessageSample *sample = &message_samples()[i];
        refuses_bytes(sample->name, 0, 0, 1);
        refuses_bytes(sample->name, 0, 7, 1);
        refuses_bytes(sample->name, 0, 255, 1);
        refuses_bytes(sample->name, 1, 1, 1);
        if (sample->message.room == MESSAGE_ROOM_NONE) {
            refuses_bytes(sample->name, 2, 0, 4);
            refuses_bytes(sample->name, 6, 1, 4);
            refuses_bytes(sample->name, 10, 1, 8);
        } else {
            refuses_bytes(sample->name, 2, MESSAGE_ROOM_NONE, 4);
            refuses_bytes(sample->name, 10, MESSAGE_TICK_NONE, 8);
        }
    }
    refuses_bytes("LEAVE max", 10, 1, 8);
}

Test(message, a_datagram_is_the_most)
{
    uint8_t bytes[MESSAGE_SIZE_MAX + 1] = { 0 };
    Message message = sample_of("CONFIRMED max");
    cr_assert_eq(message_encode(&message, bytes), MESSAGE_SIZE_MAX);
    cr_assert_null(message_decode(bytes, MESSAGE_SIZE_MAX, &decoded));
    cr_assert_not_null(message_decode(bytes, MESSAGE_SIZE_MAX + 1, &decoded));
    message = sample_of("INPUT max");
    message.tick = 0;
    message.body.input.count = 19; // in its bounds, and too much for one message
    cr_assert_eq(message_encode(&message, bytes), 0);
}

Test(message, texts_are_cut_between_characters)
{
    char text[300];
    cr_assert_eq(message_text("").size, 0);
    memset(text, 'a', sizeof(text));
    text[255] = '\0';
    cr_assert_eq(message_text(text).size, 255);
    text[255] = 'b';
    text[299] = '\0';
    cr_assert_eq(message_text(text).size, 255);
    memcpy(text + 253, "\xE2\x82\xAC", 3); // the euro sign: its third byte is too many
    cr_assert_eq(message_text(text).size, 253);
    memset(text + 200, 0x80, 99); // no UTF-8 at all
    cr_assert_leq(message_text(text).size, 255);
    cr_assert_geq(message_text(text).size, 252);
}

Test(message, names_of_numbers)
{
    cr_assert_str_eq(message_reason_name(MESSAGE_REASON_NO_ROOM), "no-room");
    cr_assert_str_eq(message_reason_name(MESSAGE_REASON_MALFORMED), "malformed");
    cr_assert_str_eq(message_reason_name(MESSAGE_REASON_CROWDED), "crowded");
    cr_assert_null(message_reason_name(0));
    cr_assert_null(message_reason_name(MESSAGE_REASON_CROWDED + 1));
    cr_assert_null(message_reason_name(UINT32_MAX));
    for (uint32_t reason = 1; reason <= MESSAGE_REASON_CROWDED; reason++) {
        cr_assert_not_null(message_reason_name(reason), "%u", reason);
    }
    cr_assert_str_eq(message_type_name(MESSAGE_PING), "PING");
    cr_assert_str_eq(message_type_name(MESSAGE_BYE), "BYE");
    cr_assert_null(message_type_name(0));
    cr_assert_null(message_type_name(MESSAGE_BYE + 1));
}

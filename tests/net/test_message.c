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
_Static_assert((int)MESSAGE_COMMAND_MAX <= (int)TP_COMMAND_SIZE_MAX, "an administrator's command is a world's");
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
    cr_assert_eq(full, 4, "PIECEs of three kinds and CONFIRMED");
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
    const MessageSample *sample = message_sample(name);
    cr_assert_not_null(sample, "no sample %s", name);
    return sample->message;
}

// Goal: a lead below 0 is one on the other side, too.
Test(message, leads_keep_their_signs)
{
    static const int16_t leads[] = { INT16_MIN, -32767, -2, -1, 0, 1, INT16_MAX };
    for (uint32_t i = 0; i < sizeof(leads) / sizeof(leads[0]); i++) {
        Message message = sample_of("TIMING min");
        uint8_t bytes[MESSAGE_SIZE_MAX];
        message.body.timing.items[0].lead = leads[i];
        size_t size = message_encode(&message, bytes);
        cr_assert_eq(bytes_get_u16(bytes + MESSAGE_HEAD_SIZE + 2), (uint16_t)leads[i]);
        cr_assert_null(decode(bytes, size));
        cr_assert_eq(decoded.body.timing.items[0].lead, leads[i]);
    }
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
    cr_assert_null(message_reason_name(MESSAGE_REASON_COUNT));
    cr_assert_null(message_reason_name(UINT32_MAX));
    for (uint32_t reason = 1; reason < MESSAGE_REASON_COUNT; reason++) {
        cr_assert_not_null(message_reason_name(reason), "%u", reason);
    }
    static const char *const added[] = { "incompatible", "token", "kicked", "desync", "rejoined", "behind",
                                       "token-needed", "token-forged", "token-early", "token-expired", "token-used", "token-wrong-server", "token-wrong-client",
                                       "token-wrong-room" };
    for (uint32_t i = 0; i < 14; i++) {
        cr_assert_str_eq(message_reason_name(MESSAGE_REASON_INCOMPATIBLE + i), added[i]);
    }
    cr_assert_str_eq(message_type_name(MESSAGE_PING), "PING");
    cr_assert_str_eq(message_type_name(MESSAGE_OWN_STATE), "OWN_STATE");
    cr_assert_str_eq(message_type_name(MESSAGE_ADMIN), "ADMIN");
    cr_assert_str_eq(message_type_name(MESSAGE_BYE), "BYE");
    cr_assert_str_eq(message_type_name(MESSAGE_STATE), "STATE");
    cr_assert_str_eq(message_type_name(MESSAGE_PACE), "PACE");
    cr_assert_null(message_type_name(0));
    cr_assert_null(message_type_name(MESSAGE_TOKEN + 1));
    cr_assert_null(message_type_name(MESSAGE_WELCOME - 1));
    cr_assert_null(message_type_name(MESSAGE_PACE + 1));
}

// test_message_bounds.c: every field of every message one beyond its bounds, on the way out and on the way in.
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "message.h"
#include "message_samples.h"

static Message sample_of(const char *name)
{
    const MessageSample *sample = message_sample(name);
    cr_assert_not_null(sample, "no sample %s", name);
    return sample->message;
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

Test(message_bounds, encode_refuses_one_above)
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
    REFUSES("JOIN delayed", m.body.join.delay += 1);
    REFUSES("JOIN delayed", m.body.join.slots = 1);
    REFUSES("JOIN delayed", m.body.join.token[15] = 1);
    REFUSES("JOIN max", m.body.join.delay = 1);
    REFUSES("INPUT max", m.body.input.slot = MESSAGE_SLOTS_MAX);
    REFUSES("INPUT min", m.body.input.size = 0);
    REFUSES("INPUT min", m.body.input.size = MESSAGE_INPUT_MAX + 1);
    REFUSES("INPUT min", m.body.input.count = 0);
    REFUSES("INPUT min", m.body.input.count = MESSAGE_INPUTS_MAX + 1);
    REFUSES("INPUT many", m.body.input.count += 1);
    REFUSES("INPUT max", m.tick += 1);
    REFUSES("INPUT max", m.body.input.count += 1);
    REFUSES("ROOMS min", m.body.rooms.total = 1);
    REFUSES("ROOMS min", m.body.rooms.first = 1);
    REFUSES("ROOMS max", m.body.rooms.count = MESSAGE_ROOMS_MAX + 1);
    REFUSES("ROOMS many", m.body.rooms.next -= 1);
    REFUSES("ROOMS many", m.body.rooms.total -= 1);
    REFUSES("ROOMS many", m.body.rooms.first = 64);
    REFUSES("ROOMS many", m.body.rooms.items[52].room = MESSAGE_ROOM_NONE);
    REFUSES("ROOMS many", m.body.rooms.items[52].taken = 1);
    REFUSES("ROOMS many", m.body.rooms.items[52].players = MESSAGE_SLOTS_MAX + 1);
    REFUSES("ROOMS many", m.body.rooms.items[52].is_live = 2);
    REFUSES("ROOMS many", m.body.rooms.items[52].is_over = 2);
    REFUSES("ROOMS many", m.body.rooms.items[52].name.size = 0);
    REFUSES("ROOMS many", m.body.rooms.items[52].world.size = 0);
    REFUSES("JOINED max", m.body.joined.slot_count = MESSAGE_SLOTS_MAX + 1);
    REFUSES("JOINED max", m.body.joined.slots[127] = MESSAGE_SLOTS_MAX);
    REFUSES("JOINED max", m.body.joined.slots[1] = 0);
    REFUSES("JOINED min", m.body.joined.rules_size = 0);
    REFUSES("JOINED max", m.body.joined.rules_size = MESSAGE_RULES_MAX + 1);
    REFUSES("JOINED max", m.body.joined.delay = 1);
    REFUSES("JOINED delayed", m.body.joined.delay += 1);
    REFUSES("JOINED delayed", m.body.joined.token[0] = 1);
    REFUSES("JOINED min", m.body.joined.token[15] = 1);
    REFUSES("JOINED max", m.tick = MESSAGE_TICK_NONE);
    REFUSES("REFUSED min", m.body.refused.reason = 0);
    REFUSES("REFUSED max", m.body.refused.reason = MESSAGE_REASON_COUNT);
    REFUSES("PIECE min", m.body.piece.kind = 0);
    REFUSES("PIECE own", m.body.piece.kind = 4);
    REFUSES("PIECE own", m.body.piece.total += 1);
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
    REFUSES("LEFT max", m.body.left.reason = MESSAGE_REASON_COUNT);
    REFUSES("BYE min", m.body.bye.reason = 0);
    REFUSES("PING min", m.type = (MessageType)0);
    REFUSES("PING min", m.type = (MessageType)12);
    REFUSES("PING min", m.type = (MessageType)64);
    REFUSES("PING min", m.type = (MessageType)80);
    REFUSES("PING min", m.type = (MessageType)(256 + MESSAGE_PING));
}

Test(message_bounds, encode_refuses_one_above_of_the_room)
{
    REFUSES("STATE min", m.body.state.packed_size = 0);
    REFUSES("STATE max", m.body.state.packed_size += 1);
    REFUSES("STATE max", m.body.state.size += 1);
    REFUSES("STATE max", m.tick = MESSAGE_TICK_NONE);
    REFUSES("OWN_STATE min", m.body.own_state.packed_size = 0);
    REFUSES("OWN_STATE max", m.body.own_state.packed_size += 1);
    REFUSES("OWN_STATE max", m.body.own_state.size += 1);
    REFUSES("OWN_STATE max", m.body.own_state.build.size += 1);
    REFUSES("READY min", m.tick = 1);
    REFUSES("READY min", m.room = MESSAGE_ROOM_NONE);
    REFUSES("REPORT min", m.tick = MESSAGE_TICK_NONE);
    REFUSES("WANTED min", m.tick = MESSAGE_TICK_NONE);
    REFUSES("TIMING min", m.body.timing.count = 0);
    REFUSES("TIMING max", m.body.timing.count += 1);
    REFUSES("TIMING max", m.body.timing.items[127].slot = MESSAGE_SLOTS_MAX);
    REFUSES("TIMING max", m.body.timing.items[127].slot = 126);
    REFUSES("TIMING max", m.body.timing.items[0].slot = 1);
    REFUSES("CHAT min", m.body.chat.text.size = 0);
    REFUSES("TOKEN min", m.body.join_token.size = 0);
    REFUSES("TOKEN max", m.body.join_token.size += 1);
    REFUSES("CHAT max", m.body.chat.text.size += 1);
    REFUSES("CHAT min", m.tick = 1);
    REFUSES("SAID min", m.body.said.text.size = 0);
    REFUSES("SAID max", m.body.said.text.size = 0);
    REFUSES("SAID slot", m.body.said.slot += 1);
    REFUSES("SAID max", m.body.said.slot -= 1);
    REFUSES("ADMINED max", m.body.admined.is_done = 2);
    REFUSES("PACE max", m.body.pace.is_paused = 2);
    REFUSES("PACE min", m.body.pace.rate_mhz = 0);
    REFUSES("PACE min", m.tick = 1);
    REFUSES("ADMIN max", m.body.admin.key.size += 1);
    REFUSES("ADMIN max", m.tick = 1);
    REFUSES("ADMIN pause", m.body.admin.verb = 0);
    REFUSES("ADMIN end", m.body.admin.verb = 9);
    REFUSES("ADMIN end", m.body.admin.verb = 255);
}

// Goal: a verb has no field that means nothing, and of each other one the bounds that README.md has in its table.
Test(message_bounds, verbs_have_what_they_use_and_no_more)
{
    static const struct {
        const char *name;
        bool        has_slot, has_value, has_bytes;
    } verbs[] = {
        { "ADMIN kick", true, false, false },   { "ADMIN pause", false, false, false }, { "ADMIN resume", false, false, false },
        { "ADMIN step", false, true, false },   { "ADMIN speed", false, true, false },  { "ADMIN note", false, false, true },
        { "ADMIN command", false, true, true }, { "ADMIN end", false, false, false },
    };
    static const uint8_t some[] = { 'h', 'i' };
    for (uint32_t i = 0; i < sizeof(verbs) / sizeof(verbs[0]); i++) {
        uint8_t out[MESSAGE_SIZE_MAX];
        Message with_slot = sample_of(verbs[i].name), with_value = with_slot, with_bytes = with_slot;
        with_slot.body.admin.slot = 2;
        with_value.body.admin.value = 2;
        with_bytes.body.admin.bytes = some;
        with_bytes.body.admin.size = sizeof(some);
        cr_assert_eq(message_encode(&with_slot, out) != 0, verbs[i].has_slot, "%s", verbs[i].name);
        cr_assert_eq(message_encode(&with_value, out) != 0, verbs[i].has_value, "%s", verbs[i].name);
        cr_assert_eq(message_encode(&with_bytes, out) != 0, verbs[i].has_bytes, "%s", verbs[i].name);
    }
    REFUSES("ADMIN kick last", m.body.admin.slot += 1);
    REFUSES("ADMIN step", m.body.admin.value = 0);
    REFUSES("ADMIN step most", m.body.admin.value += 1);
    REFUSES("ADMIN speed", m.body.admin.value = 0);
    REFUSES("ADMIN speed most", m.body.admin.value += 1);
    REFUSES("ADMIN note", m.body.admin.size = 0);
    REFUSES("ADMIN note most", m.body.admin.size += 1);
    REFUSES("ADMIN max", m.body.admin.value += 1);
    REFUSES("ADMIN max", m.body.admin.size += 1);
}

// Goal: who leaves says one of two reasons, and who is out hears one of those that can be.
Test(message_bounds, reasons_to_leave_and_to_be_left)
{
    static const uint32_t lefts = 1u << MESSAGE_REASON_ASKED | 1u << MESSAGE_REASON_ENDED | 1u << MESSAGE_REASON_FAULTED | 1u << MESSAGE_REASON_STOPPING |
                                  1u << MESSAGE_REASON_SILENT | 1u << MESSAGE_REASON_INCOMPATIBLE | 1u << MESSAGE_REASON_KICKED |
                                  1u << MESSAGE_REASON_DESYNC | 1u << MESSAGE_REASON_REJOINED | 1u << MESSAGE_REASON_BEHIND;
    static const uint32_t leaves = 1u << MESSAGE_REASON_ASKED | 1u << MESSAGE_REASON_INCOMPATIBLE;
    for (uint16_t reason = 0; reason < 32; reason++) {
        uint8_t out[MESSAGE_SIZE_MAX];
        Message left = sample_of("LEFT min"), leave = sample_of("LEAVE min"), bye = sample_of("BYE min"), refused = sample_of("REFUSED min");
        left.body.left.reason = leave.body.leave.reason = bye.body.bye.reason = refused.body.refused.reason = reason;
        cr_assert_eq(message_encode(&left, out) != 0, (lefts >> reason & 1) != 0, "LEFT %u", reason);
        cr_assert_eq(message_encode(&leave, out) != 0, (leaves >> reason & 1) != 0, "LEAVE %u", reason);
        cr_assert_eq(message_encode(&bye, out) != 0, message_reason_name(reason) != NULL, "BYE %u", reason);
        cr_assert_eq(message_encode(&refused, out) != 0, message_reason_name(reason) != NULL, "REFUSED %u", reason);
    }
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
    Message decoded;
    cr_assert_not_null(message_decode(bytes, size, &decoded), "%s with %llu at %zu", name, (unsigned long long)value, offset);
}

Test(message_bounds, decode_refuses_one_above)
{
    enum { BODY = MESSAGE_HEAD_SIZE };
    refuses_bytes("HELLO min", BODY + 3, 'p', 1);
    refuses_bytes("HELLO min", BODY + 4, 0, 2);
    refuses_bytes("HELLO min", BODY + 4, 2, 2);
    refuses_bytes("HELLO max", BODY + 8, 64, 1);
    refuses_bytes("WELCOME min", BODY, 0, 2);
    refuses_bytes("JOIN max", BODY + 4, 129, 1);
    refuses_bytes("JOIN max", BODY + 5, 1, 2);
    refuses_bytes("JOIN delayed", BODY + 5, MESSAGE_DELAY_MAX + 1, 2);
    refuses_bytes("JOIN delayed", BODY + 4, 1, 1);
    refuses_bytes("JOIN delayed", BODY + 7, 1, 1);
    refuses_bytes("JOIN delayed", BODY + 22, 1, 1);
    refuses_bytes("JOIN min", BODY + 24, '/', 1);
    refuses_bytes("JOIN min", BODY + 24, 0, 1);
    refuses_bytes("JOIN min", BODY + 23, 0, 1);
    refuses_bytes("INPUT min", BODY, 128, 1);
    refuses_bytes("INPUT min", BODY + 1, 0, 1);
    refuses_bytes("INPUT min", BODY + 1, 65, 1);
    refuses_bytes("INPUT min", BODY + 2, 0, 1);
    refuses_bytes("INPUT min", BODY + 2, 65, 1);
    refuses_bytes("INPUT max", 10, UINT64_MAX - 17, 8);
    refuses_bytes("ROOMS min", BODY + 8, 1, 4);
    refuses_bytes("ROOMS min", BODY, 1, 4);
    refuses_bytes("ROOMS max", BODY + 12, 9, 1);
    refuses_bytes("ROOMS max", BODY + 12, 65, 1);
    refuses_bytes("ROOMS many", BODY, 6, 4);
    refuses_bytes("JOINED max", BODY + 6, 1, 2);
    refuses_bytes("JOINED delayed", BODY + 6, MESSAGE_DELAY_MAX + 1, 2);
    refuses_bytes("JOINED delayed", BODY + 11, 1, 1);
    refuses_bytes("JOINED max", BODY + 10, 129, 1);
    refuses_bytes("JOINED max", BODY + 10, 127, 1);
    refuses_bytes("JOINED max", BODY + 11 + 127, 128, 1);
    refuses_bytes("JOINED max", BODY + 11 + 127, 126, 1);
    refuses_bytes("JOINED max", BODY + 11 + 144, MESSAGE_RULES_MAX + 1, 4);
    refuses_bytes("JOINED max", BODY + 11 + 144, 0, 4);
    refuses_bytes("JOINED min", 10, UINT64_MAX, 8);
    refuses_bytes("REFUSED min", BODY + 4, 31, 2);
    refuses_bytes("PIECE min", BODY, 4, 1);
    refuses_bytes("PIECE min", BODY + 1, 0, 4);
    refuses_bytes("PIECE min", BODY + 5, UINT32_MAX, 4);
    refuses_bytes("PIECE max", BODY + 1, MESSAGE_PACKED_MAX + 1, 4);
    refuses_bytes("PIECE max", BODY, MESSAGE_PIECE_RULES, 1);
    refuses_bytes("CONFIRMED min", BODY + 25, 0, 1);
    refuses_bytes("CONFIRMED max", BODY + 24, 255, 1);
    refuses_bytes("CONFIRMED max", 10, UINT64_MAX, 8);
    refuses_bytes("PIECE own", BODY + 1, MESSAGE_PACKED_MAX + 1, 4);
    refuses_bytes("LEFT min", BODY, 0, 2);
    refuses_bytes("LEFT min", BODY, MESSAGE_REASON_FULL, 2);
    refuses_bytes("LEAVE min", BODY, 0, 2);
    refuses_bytes("LEAVE min", BODY, MESSAGE_REASON_KICKED, 2);
    refuses_bytes("LEAVE min", BODY + 2, 1, 1);
    refuses_bytes("BYE min", BODY, 31, 2);
}

Test(message_bounds, decode_refuses_one_above_of_the_room)
{
    enum { BODY = MESSAGE_HEAD_SIZE };
    refuses_bytes("STATE max", BODY, MESSAGE_STATE_MAX + 1, 4);
    refuses_bytes("STATE max", BODY + 4, MESSAGE_PACKED_MAX + 1, 4);
    refuses_bytes("STATE max", BODY + 4, 0, 4);
    refuses_bytes("OWN_STATE max", BODY, MESSAGE_STATE_MAX + 1, 4);
    refuses_bytes("OWN_STATE max", BODY + 4, MESSAGE_PACKED_MAX + 1, 4);
    refuses_bytes("OWN_STATE max", BODY + 4, 0, 4);
    refuses_bytes("OWN_STATE max", BODY + 40, 64, 1);
    refuses_bytes("TIMING min", BODY, 0, 1);
    refuses_bytes("TIMING min", BODY, 2, 1);
    refuses_bytes("TIMING min", BODY + 1, 128, 1);
    refuses_bytes("TIMING max", BODY, 129, 1);
    refuses_bytes("TIMING max", BODY + 1 + 127 * 5, 126, 1);
    refuses_bytes("CHAT min", BODY, 0, 1);
    refuses_bytes("CHAT max", BODY, 201, 1);
    refuses_bytes("SAID min", BODY, 128, 1);
    refuses_bytes("SAID max", BODY, 254, 1);
    refuses_bytes("SAID max", BODY + 1, 0, 1);
    refuses_bytes("ADMINED min", BODY + 4, 2, 1);
    refuses_bytes("PACE min", BODY, 2, 1);
    refuses_bytes("PACE min", BODY + 1, 0, 4);
    refuses_bytes("ADMIN kick", BODY + 4, 0, 1);
    refuses_bytes("ADMIN kick", BODY + 4, 9, 1);
    refuses_bytes("ADMIN kick", BODY + 5, 128, 1);
    refuses_bytes("ADMIN kick", BODY + 6, 1, 8);
    refuses_bytes("ADMIN pause", BODY + 5, 1, 1);
    refuses_bytes("ADMIN step most", BODY + 6, 10001, 8);
    refuses_bytes("ADMIN step most", BODY + 6, UINT64_MAX, 8);
    refuses_bytes("ADMIN speed most", BODY + 6, 1000001, 8);
    refuses_bytes("ADMIN max", BODY + 6, 65536, 8);
    refuses_bytes("ADMIN max", BODY + 14, 129, 1);
    refuses_bytes("ADMIN max", BODY + 15 + MESSAGE_KEY_MAX, MESSAGE_COMMAND_MAX + 1, 2);
    refuses_bytes("ADMIN max", BODY + 15 + MESSAGE_KEY_MAX, MESSAGE_COMMAND_MAX - 1, 2);
}

// Goal: a head has one spelling, too: what a type has no use for is as README.md says.
Test(message_bounds, head_has_one_spelling)
{
    for (uint32_t i = 0; i < MESSAGE_SAMPLES; i++) {
        const MessageSample *sample = &message_samples()[i];
        refuses_bytes(sample->name, 0, 0, 1);
        refuses_bytes(sample->name, 0, 13, 1);
        refuses_bytes(sample->name, 0, 64, 1);
        refuses_bytes(sample->name, 0, 80, 1);
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
    static const char *const without_tick[] = { "LEAVE max", "READY max", "CHAT max", "ADMIN max", "PACE max" };
    for (uint32_t i = 0; i < sizeof(without_tick) / sizeof(without_tick[0]); i++) {
        refuses_bytes(without_tick[i], 10, 1, 8);
    }
}

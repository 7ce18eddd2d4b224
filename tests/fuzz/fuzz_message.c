// fuzz_message.c: foreign bytes as a message, and as a stream of frames. What decodes must encode to the same bytes; a stream must give
// the same messages however it comes.
//
// Input: as it is, once as one message and once as a stream.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "frame.h"
#include "message.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define REQUIRE(condition)                                                   \
    do {                                                                     \
        if (!(condition)) {                                                  \
            fprintf(stderr, "fuzz_message: %s does not hold\n", #condition); \
            abort();                                                         \
        }                                                                    \
    } while (0)

static volatile uint8_t touched;

static void touch(const void *bytes, size_t size)
{
    uint8_t sum = 0;
    for (size_t i = 0; i < size; i++) {
        sum ^= ((const uint8_t *)bytes)[i];
    }
    touched = sum;
}

// What is borrowed lies inside the bytes it was decoded from.
static void touch_borrowed(const Message *message)
{
    switch (message->type) {
    case MESSAGE_HELLO: touch(message->body.hello.build.text, message->body.hello.build.size); break;
    case MESSAGE_WELCOME: touch(message->body.welcome.build.text, message->body.welcome.build.size); break;
    case MESSAGE_JOIN: touch(message->body.join.name.text, message->body.join.name.size); break;
    case MESSAGE_REFUSED: touch(message->body.refused.text.text, message->body.refused.text.size); break;
    case MESSAGE_LEAVE: touch(message->body.leave.text.text, message->body.leave.text.size); break;
    case MESSAGE_LEFT: touch(message->body.left.text.text, message->body.left.text.size); break;
    case MESSAGE_BYE: touch(message->body.bye.text.text, message->body.bye.text.size); break;
    case MESSAGE_PIECE: touch(message->body.piece.bytes, message->body.piece.size); break;
    case MESSAGE_INPUT:
        touch(message->body.input.bytes, (size_t)message->body.input.size * message->body.input.count);
        break;
    case MESSAGE_CONFIRMED: touch(message->body.confirmed.bytes, message->body.confirmed.size); break;
    case MESSAGE_ROOMS:
        REQUIRE(message->body.rooms.count <= MESSAGE_ROOMS_MAX);
        for (uint32_t i = 0; i < message->body.rooms.count; i++) {
            touch(message->body.rooms.items[i].name.text, message->body.rooms.items[i].name.size);
            touch(message->body.rooms.items[i].world.text, message->body.rooms.items[i].world.size);
        }
        break;
    case MESSAGE_JOINED: touch(message->body.joined.slots, message->body.joined.slot_count); break;
    case MESSAGE_OWN_STATE: touch(message->body.own_state.build.text, message->body.own_state.build.size); break;
    case MESSAGE_CHAT: touch(message->body.chat.text.text, message->body.chat.text.size); break;
    case MESSAGE_SAID: touch(message->body.said.text.text, message->body.said.text.size); break;
    case MESSAGE_TOKEN: touch(message->body.join_token.bytes, message->body.join_token.size); break;
    case MESSAGE_ADMIN:
        touch(message->body.admin.key.text, message->body.admin.key.size);
        touch(message->body.admin.bytes, message->body.admin.size);
        break;
    case MESSAGE_ADMINED: touch(message->body.admined.text.text, message->body.admined.text.size); break;
    case MESSAGE_TIMING: REQUIRE(message->body.timing.count >= 1 && message->body.timing.count <= MESSAGE_SLOTS_MAX); break;
    case MESSAGE_LIST:
    case MESSAGE_READY:
    case MESSAGE_REPORT:
    case MESSAGE_WANTED:
    case MESSAGE_STATE:
    case MESSAGE_PACE:
    case MESSAGE_PING:
    case MESSAGE_PONG: break;
    }
}

static void decode(const uint8_t *data, size_t size)
{
    static Message message;
    static uint8_t again[MESSAGE_SIZE_MAX];
    const char    *wrong = message_decode(data, size, &message);
    if (wrong != NULL) {
        REQUIRE(wrong[0] != '\0');
        return;
    }
    touch_borrowed(&message);
    REQUIRE(message_type_name((uint32_t)message.type) != NULL);
    REQUIRE(message_encode(&message, again) == size);
    REQUIRE(memcmp(again, data, size) == 0);
}

typedef struct Cut {
    uint64_t    digest; // FNV-1a
    uint32_t    messages;
    FrameStatus status;
    size_t      used; // bytes of whole frames
} Cut;

static void take(Cut *cut, const uint8_t *message, size_t size)
{
    REQUIRE(size >= 1 && size <= MESSAGE_SIZE_MAX);
    cut->digest = (cut->digest ^ size) * UINT64_C(1099511628211);
    for (size_t i = 0; i < size; i++) {
        cut->digest = (cut->digest ^ message[i]) * UINT64_C(1099511628211);
    }
    cut->messages += 1;
    cut->used += FRAME_HEAD_SIZE + size;
}

// The stream in reads of at most `most` bytes.
static Cut cut_stream(const uint8_t *data, size_t size, size_t most)
{
    static FrameReader reader;
    Cut                cut = { .status = FRAME_PART };
    memset(&reader, 0, sizeof(reader));
    for (size_t given = 0; given < size && cut.status == FRAME_PART;) {
        size_t         count = 0;
        uint8_t       *space = frame_space(&reader, &count);
        const uint8_t *message = NULL;
        REQUIRE(count > 0);
        count = count < most ? count : most;
        count = count < size - given ? count : size - given;
        memcpy(space, data + given, count);
        frame_fill(&reader, count);
        given += count;
        while ((cut.status = frame_next(&reader, &message, &count)) == FRAME_WHOLE) {
            take(&cut, message, count);
            decode(message, count);
        }
    }
    return cut;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const size_t pieces[] = { 1, 7, 1201, 4095 };
    decode(data, size);
    Cut whole = cut_stream(data, size, FRAME_BUFFER_SIZE);
    REQUIRE(whole.used <= size);
    for (size_t i = 0; i < sizeof(pieces) / sizeof(pieces[0]); i++) {
        Cut cut = cut_stream(data, size, pieces[i]);
        REQUIRE(cut.messages == whole.messages && cut.digest == whole.digest);
        REQUIRE(cut.status == whole.status && cut.used == whole.used);
    }
    return 0;
}

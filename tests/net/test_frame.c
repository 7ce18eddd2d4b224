// test_frame.c: however a stream comes, the same messages are cut out of it.
#include <criterion/criterion.h>
#include <string.h>

#include "bytes.h"
#include "frame.h"

static FrameReader reader;
static uint8_t     stream[60000];
static size_t      stream_size;
static uint32_t    stream_count;

// Messages of every size there is near both ends, each full of its number.
static void make_stream(void)
{
    static const uint16_t sizes[] = { 1, 2, 3, 1200, 1199, 18, 255, 256, 257, 1, 600, 1200, 1200, 1200, 1200, 5 };
    stream_size = 0;
    stream_count = sizeof(sizes) / sizeof(sizes[0]);
    for (uint32_t i = 0; i < stream_count; i++) {
        bytes_put_u16(stream + stream_size, sizes[i]);
        memset(stream + stream_size + FRAME_HEAD_SIZE, (int)i, sizes[i]);
        stream_size += FRAME_HEAD_SIZE + sizes[i];
    }
}

static void expect(uint32_t number, const uint8_t *message, size_t size)
{
    size_t at = 0;
    for (uint32_t i = 0; i < number; i++) {
        at += FRAME_HEAD_SIZE + bytes_get_u16(stream + at);
    }
    cr_assert_eq(size, bytes_get_u16(stream + at));
    cr_assert_eq(memcmp(message, stream + at + FRAME_HEAD_SIZE, size), 0);
}

// Gives the stream in pieces of at most `most` bytes; the first has `first`.
static void run(size_t first, size_t most)
{
    uint32_t count = 0;
    size_t   given = 0;
    memset(&reader, 0, sizeof(reader));
    while (given < stream_size) {
        size_t   size = 0;
        uint8_t *space = frame_space(&reader, &size);
        size_t   wanted = given == 0 ? first : most;
        cr_assert_gt(size, 0);
        size = size < wanted ? size : wanted;
        size = size < stream_size - given ? size : stream_size - given;
        memcpy(space, stream + given, size);
        frame_fill(&reader, size);
        given += size;
        const uint8_t *message = NULL;
        FrameStatus    status = frame_next(&reader, &message, &size);
        for (; status == FRAME_WHOLE; status = frame_next(&reader, &message, &size)) {
            expect(count, message, size);
            count += 1;
        }
        cr_assert_eq(status, FRAME_PART);
    }
    cr_assert_eq(count, stream_count);
}

Test(frame, pieces_of_every_size)
{
    make_stream();
    for (size_t most = 1; most <= FRAME_BUFFER_SIZE + 1; most++) {
        run(most, most);
    }
}

Test(frame, cut_at_every_byte)
{
    make_stream();
    for (size_t first = 1; first < stream_size; first++) {
        run(first, stream_size);
    }
}

static FrameStatus status_of(uint16_t length, size_t size)
{
    static uint8_t bytes[FRAME_SIZE_MAX];
    const uint8_t *message = NULL;
    size_t         message_size = 0;
    size_t         space = 0;
    memset(&reader, 0, sizeof(reader));
    bytes_put_u16(bytes, length);
    memcpy(frame_space(&reader, &space), bytes, size);
    frame_fill(&reader, size);
    FrameStatus status = frame_next(&reader, &message, &message_size);
    cr_assert_eq(frame_next(&reader, &message, &message_size), status == FRAME_WHOLE ? FRAME_PART : status);
    return status;
}

Test(frame, lengths)
{
    cr_assert_eq(status_of(0, 0), FRAME_PART);
    cr_assert_eq(status_of(0, 1), FRAME_PART);
    cr_assert_eq(status_of(0, 2), FRAME_MALFORMED);
    cr_assert_eq(status_of(1, 2), FRAME_PART);
    cr_assert_eq(status_of(1, 3), FRAME_WHOLE);
    cr_assert_eq(status_of(MESSAGE_SIZE_MAX, FRAME_SIZE_MAX - 1), FRAME_PART);
    cr_assert_eq(status_of(MESSAGE_SIZE_MAX, FRAME_SIZE_MAX), FRAME_WHOLE);
    cr_assert_eq(status_of(MESSAGE_SIZE_MAX + 1, 2), FRAME_MALFORMED);
    cr_assert_eq(status_of(UINT16_MAX, 2), FRAME_MALFORMED);
}

// frame.c: cutting a stream of bytes into messages.
#include "frame.h"

#include <assert.h>
#include <string.h>

#include "bytes.h"

_Static_assert(FRAME_BUFFER_SIZE >= FRAME_SIZE_MAX, "the largest frame must fit");

uint8_t *frame_space(FrameReader *reader, size_t *size)
{
    if (reader->start > 0) {
        reader->end -= reader->start;
        memmove(reader->bytes, reader->bytes + reader->start, reader->end);
        reader->start = 0;
    }
    *size = sizeof(reader->bytes) - reader->end;
    return reader->bytes + reader->end;
}

void frame_fill(FrameReader *reader, size_t size)
{
    assert(size <= sizeof(reader->bytes) - reader->end);
    reader->end += (uint32_t)size;
}

FrameStatus frame_next(FrameReader *reader, const uint8_t **message, size_t *size)
{
    const uint8_t *bytes = reader->bytes + reader->start;
    uint32_t       count = reader->end - reader->start;
    if (count < FRAME_HEAD_SIZE) {
        return FRAME_PART;
    }
    uint32_t wanted = bytes_get_u16(bytes);
    if (wanted < 1 || wanted > MESSAGE_SIZE_MAX) {
        return FRAME_MALFORMED;
    }
    if (count - FRAME_HEAD_SIZE < wanted) {
        return FRAME_PART;
    }
    *message = bytes + FRAME_HEAD_SIZE;
    *size = wanted;
    reader->start += FRAME_HEAD_SIZE + wanted;
    return FRAME_WHOLE;
}

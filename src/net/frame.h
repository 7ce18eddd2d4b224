// frame.h: the frames of a stream: a length of 2 bytes, little-endian, 1 to MESSAGE_SIZE_MAX, and so many bytes of one message. No
// sockets: whoever has bytes fills them in and takes messages out, in place. Nothing is copied but the beginning of a frame whose
// rest has not come yet.
#pragma once

#include "message.h"

enum {
    FRAME_HEAD_SIZE   = 2,
    FRAME_SIZE_MAX    = FRAME_HEAD_SIZE + MESSAGE_SIZE_MAX,
    FRAME_BUFFER_SIZE = 4096, ///< bytes: some tens of usual messages for one system call, and still little for each of thousands
};

typedef enum FrameStatus {
    FRAME_WHOLE     = 0,
    FRAME_PART      = 1, ///< more bytes are needed
    FRAME_MALFORMED = 2, ///< a length of 0 or above MESSAGE_SIZE_MAX; so it stays
} FrameStatus;

/// All zero is empty. Bytes start to end are filled and not taken.
typedef struct FrameReader {
    uint32_t start, end;
    uint8_t  bytes[FRAME_BUFFER_SIZE];
} FrameReader;

/// Where to put what comes next, *size bytes at most; never none once frame_next gave FRAME_PART. Messages taken before are gone.
uint8_t    *frame_space(FrameReader *reader, size_t *size);
/// So many bytes were put there.
void        frame_fill(FrameReader *reader, size_t size);
/// Takes the next message. Borrowed until frame_space.
FrameStatus frame_next(FrameReader *reader, const uint8_t **message, size_t *size);

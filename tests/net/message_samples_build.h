// message_samples_build.h: what both files of samples are put together with.
#pragma once

#include "message_samples.h"

static const MessageText nothing = { .text = "", .size = 0 };
static const tp_hash128  some_root = { .lo = 0x1716151413121110, .hi = 0x1F1E1D1C1B1A1918 };

static inline Message about_none(MessageType type)
{
    return (Message){ .type = type, .room = MESSAGE_ROOM_NONE };
}

static inline Message about_room(MessageType type, uint32_t room, uint32_t epoch, uint64_t tick)
{
    return (Message){ .type = type, .room = room, .epoch = epoch, .tick = tick };
}

static inline MessageSample *take(MessageSample **next, const char *name, Message message)
{
    MessageSample *sample = *next;
    *sample = (MessageSample){ .name = name, .message = message };
    *next += 1;
    return sample;
}

static inline MessageRoom room_item(uint32_t room, const char *name, const char *world)
{
    return (MessageRoom){ .room = room, .name = message_text(name), .world = message_text(world) };
}

static inline void fill_token(uint8_t token[MESSAGE_TOKEN_SIZE])
{
    for (uint32_t i = 0; i < MESSAGE_TOKEN_SIZE; i++) {
        token[i] = (uint8_t)(0xA0 + i);
    }
}

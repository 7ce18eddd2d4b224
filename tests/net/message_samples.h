// message_samples.h: messages of every type, as small and as large as they get, and the ones of the protocol page.
#pragma once

#include "message.h"

typedef struct MessageSample {
    const char *name; ///< "HELLO min"
    Message     message;
} MessageSample;

enum { MESSAGE_SAMPLES = 72, MESSAGE_SAMPLES_PAGE = 27 };

/// Borrowed for ever. Every type at least twice: its least, its most, and further extremes.
const MessageSample *message_samples(void);
/// One of those by its name; NULL: there is none.
const MessageSample *message_sample(const char *name);
/// One of every type, in the order of a conversation: README.md of the room shows their bytes.
const MessageSample *message_samples_page(void);

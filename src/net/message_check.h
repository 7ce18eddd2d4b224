// message_check.h: the bounds of messages, in one place for the encoder and the decoder.
#pragma once

#include "message.h"

/// What stands in the first bytes of HELLO's body: whoever is no client of ours is told apart by its first message.
#define MESSAGE_MAGIC "TPNP"

enum { MESSAGE_MAGIC_SIZE = 4 };

/// NULL, or what is out of its bounds: a static text. Looks at no bytes but names.
const char *message_check(const Message *message);

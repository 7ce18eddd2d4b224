// channel_seal.h: datagrams of a channel under the two keys of a connection: ChaCha20-Poly1305, its nonce the datagram's number, its head authenticated
// with it, and each number taken once. No heap, no sockets.
#pragma once

#include <stdbool.h>

#include "channel_wire.h"

enum {
    CHANNEL_SEAL_HEAD = 17, ///< kind 1, receiver's id 8, number 8
    CHANNEL_SEAL_TAG  = 16,
    CHANNEL_SEAL_COST = CHANNEL_SEAL_HEAD + CHANNEL_SEAL_TAG,
    CHANNEL_SEALED    = 20,   ///< its kind
    CHANNEL_SEALED_MAX = CHANNEL_DATAGRAM_MAX + CHANNEL_SEAL_COST,
    CHANNEL_SEAL_KEY  = 32,
    CHANNEL_SEAL_WINDOW = 1024, ///< numbers below the highest that may still come
};

/// No key seals more datagrams: far below what ChaCha20-Poly1305 allows, and at a million a second good for eight years. There is no rekeying.
#define CHANNEL_SEAL_NUMBERS (UINT64_C(1) << 48)

typedef struct ChannelSeal {
    uint8_t  out[CHANNEL_SEAL_KEY], in[CHANNEL_SEAL_KEY];
    uint64_t number;  ///< of the next one out
    uint64_t highest; ///< that came, plus one; 0: none
    uint64_t window[CHANNEL_SEAL_WINDOW / 64]; ///< bit number modulo its size: that one has come
} ChannelSeal;

typedef enum ChannelUnseal {
    CHANNEL_UNSEALED       = 0,
    CHANNEL_UNSEAL_SHORT   = 1, ///< no sealed datagram has this size or kind
    CHANNEL_UNSEAL_FORGED  = 2, ///< not sealed with this connection's key, or changed on its way
    CHANNEL_UNSEAL_REPLAYED = 3, ///< it has come already, or is too old to tell
} ChannelUnseal;

/// Gives the size, at most CHANNEL_SEALED_MAX; 0 when the key has sealed as many as it may.
size_t channel_seal(ChannelSeal *seal, uint64_t receiver_id, const uint8_t *bytes, size_t size, uint8_t *out);
/// Into `out`, at least CHANNEL_DATAGRAM_MAX bytes. Nothing changes but by a datagram that is genuine and new.
ChannelUnseal channel_unseal(ChannelSeal *seal, const uint8_t *bytes, size_t size, uint8_t *out, size_t *out_size);

// channel_noise.h: Noise_IK_25519_ChaChaPoly_BLAKE2b (noiseprotocol.org, revision 34) with empty payloads: the client knows the server's key, and tells its
// own under it. Two messages, and then each side has two keys. No heap, no sockets, no clock.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    CHANNEL_NOISE_KEY    = 32,
    CHANNEL_NOISE_HASH   = 64,
    CHANNEL_NOISE_FIRST  = 32 + 48 + 16, ///< e; s under a key; nothing under a key
    CHANNEL_NOISE_SECOND = 32 + 16,
};

typedef struct ChannelNoisePair {
    uint8_t secret[CHANNEL_NOISE_KEY], open[CHANNEL_NOISE_KEY];
} ChannelNoisePair;

/// One handshake under way. Wiped by whoever finishes it.
typedef struct ChannelNoise {
    uint8_t  h[CHANNEL_NOISE_HASH], ck[CHANNEL_NOISE_HASH], key[CHANNEL_NOISE_KEY];
    uint64_t nonce;
    ChannelNoisePair own, fleeting;                   ///< this side's keys
    uint8_t  other[CHANNEL_NOISE_KEY], other_fleeting[CHANNEL_NOISE_KEY];
} ChannelNoise;

/// A pair of a secret.
void channel_noise_open(ChannelNoisePair *pair);
/// A new one.
void channel_noise_make(ChannelNoisePair *pair);

// Each is false when the other side's bytes are not what they must be, or its key is no point to share a secret with; then the handshake is over.

/// The client's: writes the first message. `fleeting`: of this handshake alone.
bool channel_noise_ask(ChannelNoise *noise, const uint8_t *prologue, size_t prologue_size, const ChannelNoisePair *own, const ChannelNoisePair *fleeting,
                       const uint8_t server[CHANNEL_NOISE_KEY], uint8_t out[CHANNEL_NOISE_FIRST]);
/// The server's: reads it, and has the client's key in `other`; writes the second, and gives the keys.
bool channel_noise_answer(ChannelNoise *noise, const uint8_t *prologue, size_t prologue_size, const ChannelNoisePair *own, const ChannelNoisePair *fleeting,
                          const uint8_t first[CHANNEL_NOISE_FIRST], uint8_t out[CHANNEL_NOISE_SECOND], uint8_t from_client[CHANNEL_NOISE_KEY],
                          uint8_t from_server[CHANNEL_NOISE_KEY]);
/// The client's: reads the second. On failure `noise` is as it was: a forged answer does not spoil the genuine one.
bool channel_noise_finish(ChannelNoise *noise, const uint8_t second[CHANNEL_NOISE_SECOND], uint8_t from_client[CHANNEL_NOISE_KEY],
                          uint8_t from_server[CHANNEL_NOISE_KEY]);

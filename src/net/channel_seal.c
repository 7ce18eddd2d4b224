// channel_seal.c: see channel_seal.h.
#include "channel_seal.h"

#include <assert.h>
#include <sodium.h>
#include <string.h>

#include "bytes.h"

_Static_assert(CHANNEL_SEAL_TAG == crypto_aead_chacha20poly1305_IETF_ABYTES, "the tag is libsodium's");
_Static_assert(CHANNEL_SEAL_KEY == crypto_aead_chacha20poly1305_IETF_KEYBYTES, "so is the key");

static void nonce_of(uint64_t number, uint8_t nonce[12])
{
    memset(nonce, 0, 4);
    bytes_put_u64(nonce + 4, number);
}

size_t channel_seal(ChannelSeal *seal, uint64_t receiver_id, const uint8_t *bytes, size_t size, uint8_t *out)
{
    uint8_t nonce[12];
    assert(size <= CHANNEL_DATAGRAM_MAX);
    if (seal->number >= CHANNEL_SEAL_NUMBERS) {
        return 0;
    }
    out[0] = CHANNEL_SEALED;
    bytes_put_u64(out + 1, receiver_id);
    bytes_put_u64(out + 9, seal->number);
    nonce_of(seal->number, nonce);
    seal->number += 1;
    crypto_aead_chacha20poly1305_ietf_encrypt(out + CHANNEL_SEAL_HEAD, NULL, bytes, size, out, CHANNEL_SEAL_HEAD, NULL, nonce, seal->out);
    return size + CHANNEL_SEAL_COST;
}

static uint64_t *word_of(ChannelSeal *seal, uint64_t number, uint64_t *bit)
{
    uint64_t place = number % CHANNEL_SEAL_WINDOW;
    *bit = UINT64_C(1) << place % 64;
    return &seal->window[place / 64];
}

static bool has_come(ChannelSeal *seal, uint64_t number)
{
    uint64_t bit;
    if (number >= seal->highest) {
        return false;
    }
    return seal->highest - number > CHANNEL_SEAL_WINDOW || (*word_of(seal, number, &bit) & bit) != 0;
}

// Places of numbers between the old highest and the new one held others, a window ago.
static void note(ChannelSeal *seal, uint64_t number)
{
    uint64_t bit;
    if (number >= seal->highest) {
        uint64_t passed = number + 1 - seal->highest;
        if (passed >= CHANNEL_SEAL_WINDOW) {
            memset(seal->window, 0, sizeof(seal->window));
        }
        for (uint64_t i = seal->highest; passed < CHANNEL_SEAL_WINDOW && i <= number; i++) {
            uint64_t *word = word_of(seal, i, &bit);
            *word &= ~bit;
        }
        seal->highest = number + 1;
    }
    uint64_t *word = word_of(seal, number, &bit);
    *word |= bit;
}

ChannelUnseal channel_unseal(ChannelSeal *seal, const uint8_t *bytes, size_t size, uint8_t *out, size_t *out_size)
{
    uint8_t nonce[12];
    if (size <= CHANNEL_SEAL_COST || size > CHANNEL_SEALED_MAX || bytes[0] != CHANNEL_SEALED) {
        return CHANNEL_UNSEAL_SHORT;
    }
    uint64_t number = bytes_get_u64(bytes + 9);
    if (has_come(seal, number)) {
        return CHANNEL_UNSEAL_REPLAYED;
    }
    nonce_of(number, nonce);
    unsigned long long made = 0;
    if (number >= CHANNEL_SEAL_NUMBERS ||
        crypto_aead_chacha20poly1305_ietf_decrypt(out, &made, NULL, bytes + CHANNEL_SEAL_HEAD, size - CHANNEL_SEAL_HEAD, bytes, CHANNEL_SEAL_HEAD, nonce,
                                                  seal->in) != 0) {
        return CHANNEL_UNSEAL_FORGED;
    }
    note(seal, number);
    *out_size = (size_t)made;
    return CHANNEL_UNSEALED;
}

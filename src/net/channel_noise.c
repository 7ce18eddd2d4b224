// channel_noise.c: see channel_noise.h.
#include "channel_noise.h"

#include <assert.h>
#include <sodium.h>
#include <string.h>

#include "bytes.h"

enum { BLOCK = 128 }; // of BLAKE2b, for HMAC

static const char name[] = "Noise_IK_25519_ChaChaPoly_BLAKE2b";

void channel_noise_open(ChannelNoisePair *pair)
{
    crypto_scalarmult_base(pair->open, pair->secret);
}

void channel_noise_make(ChannelNoisePair *pair)
{
    randombytes_buf(pair->secret, sizeof(pair->secret));
    channel_noise_open(pair);
}

static void hash2(uint8_t out[CHANNEL_NOISE_HASH], const uint8_t *one, size_t one_size, const uint8_t *two, size_t two_size)
{
    crypto_generichash_state state;
    crypto_generichash_init(&state, NULL, 0, CHANNEL_NOISE_HASH);
    crypto_generichash_update(&state, one, one_size);
    crypto_generichash_update(&state, two, two_size);
    crypto_generichash_final(&state, out, CHANNEL_NOISE_HASH);
}

// RFC 2104 over BLAKE2b, as Noise wants it; its keys here are hashes, so shorter than a block.
static void hmac(uint8_t out[CHANNEL_NOISE_HASH], const uint8_t key[CHANNEL_NOISE_HASH], const uint8_t *data, size_t size)
{
    uint8_t inner[BLOCK], outer[BLOCK], hash[CHANNEL_NOISE_HASH];
    memset(inner, 0x36, sizeof(inner));
    memset(outer, 0x5C, sizeof(outer));
    for (int i = 0; i < CHANNEL_NOISE_HASH; i++) {
        inner[i] ^= key[i];
        outer[i] ^= key[i];
    }
    hash2(hash, inner, sizeof(inner), data, size);
    hash2(out, outer, sizeof(outer), hash, sizeof(hash));
    sodium_memzero(inner, sizeof(inner));
    sodium_memzero(outer, sizeof(outer));
}

static void derive(const uint8_t ck[CHANNEL_NOISE_HASH], const uint8_t *input, size_t size, uint8_t one[CHANNEL_NOISE_HASH], uint8_t two[CHANNEL_NOISE_HASH])
{
    uint8_t temporary[CHANNEL_NOISE_HASH], text[CHANNEL_NOISE_HASH + 1] = { 1 };
    hmac(temporary, ck, input, size);
    hmac(one, temporary, text, 1);
    memcpy(text, one, CHANNEL_NOISE_HASH);
    text[CHANNEL_NOISE_HASH] = 2;
    hmac(two, temporary, text, sizeof(text));
    sodium_memzero(temporary, sizeof(temporary));
    sodium_memzero(text, sizeof(text));
}

static void mix_hash(ChannelNoise *noise, const uint8_t *data, size_t size)
{
    uint8_t before[CHANNEL_NOISE_HASH];
    memcpy(before, noise->h, sizeof(before));
    hash2(noise->h, before, sizeof(before), data, size);
}

// libsodium refuses keys that lead to the secret of all zeroes.
static bool mix_secret(ChannelNoise *noise, const uint8_t secret[CHANNEL_NOISE_KEY], const uint8_t other[CHANNEL_NOISE_KEY])
{
    uint8_t shared[crypto_scalarmult_BYTES], ck[CHANNEL_NOISE_HASH], key[CHANNEL_NOISE_HASH];
    if (crypto_scalarmult(shared, secret, other) != 0) {
        return false;
    }
    derive(noise->ck, shared, sizeof(shared), ck, key);
    memcpy(noise->ck, ck, sizeof(ck));
    memcpy(noise->key, key, sizeof(noise->key));
    noise->nonce = 0;
    sodium_memzero(shared, sizeof(shared));
    sodium_memzero(ck, sizeof(ck));
    sodium_memzero(key, sizeof(key));
    return true;
}

static void nonce_of(ChannelNoise *noise, uint8_t nonce[12])
{
    memset(nonce, 0, 4);
    bytes_put_u64(nonce + 4, noise->nonce++);
}

static void encrypt(ChannelNoise *noise, const uint8_t *bytes, size_t size, uint8_t *out)
{
    uint8_t nonce[12];
    nonce_of(noise, nonce);
    crypto_aead_chacha20poly1305_ietf_encrypt(out, NULL, bytes, size, noise->h, sizeof(noise->h), NULL, nonce, noise->key);
    mix_hash(noise, out, size + 16);
}

static bool decrypt(ChannelNoise *noise, const uint8_t *bytes, size_t size, uint8_t *out)
{
    uint8_t nonce[12];
    nonce_of(noise, nonce);
    if (crypto_aead_chacha20poly1305_ietf_decrypt(out, NULL, NULL, bytes, size, noise->h, sizeof(noise->h), nonce, noise->key) != 0) {
        return false;
    }
    mix_hash(noise, bytes, size);
    return true;
}

static void begin(ChannelNoise *noise, const uint8_t *prologue, size_t size, const ChannelNoisePair *own, const ChannelNoisePair *fleeting,
                  const uint8_t server[CHANNEL_NOISE_KEY])
{
    *noise = (ChannelNoise){ .nonce = 0 };
    memcpy(noise->h, name, sizeof(name) - 1); // shorter than a hash: padded with zeroes
    memcpy(noise->ck, noise->h, sizeof(noise->ck));
    noise->own = *own;
    noise->fleeting = *fleeting;
    mix_hash(noise, prologue, size);
    mix_hash(noise, server, CHANNEL_NOISE_KEY);
}

bool channel_noise_ask(ChannelNoise *noise, const uint8_t *prologue, size_t prologue_size, const ChannelNoisePair *own, const ChannelNoisePair *fleeting,
                       const uint8_t server[CHANNEL_NOISE_KEY], uint8_t out[CHANNEL_NOISE_FIRST])
{
    begin(noise, prologue, prologue_size, own, fleeting, server);
    memcpy(noise->other, server, CHANNEL_NOISE_KEY);
    memcpy(out, fleeting->open, CHANNEL_NOISE_KEY);
    mix_hash(noise, fleeting->open, CHANNEL_NOISE_KEY);
    if (!mix_secret(noise, fleeting->secret, server)) {
        return false;
    }
    encrypt(noise, own->open, CHANNEL_NOISE_KEY, out + 32);
    if (!mix_secret(noise, own->secret, server)) {
        return false;
    }
    encrypt(noise, NULL, 0, out + 80);
    return true;
}

static void split(ChannelNoise *noise, uint8_t from_client[CHANNEL_NOISE_KEY], uint8_t from_server[CHANNEL_NOISE_KEY])
{
    uint8_t one[CHANNEL_NOISE_HASH], two[CHANNEL_NOISE_HASH];
    derive(noise->ck, NULL, 0, one, two);
    memcpy(from_client, one, CHANNEL_NOISE_KEY);
    memcpy(from_server, two, CHANNEL_NOISE_KEY);
    sodium_memzero(one, sizeof(one));
    sodium_memzero(two, sizeof(two));
}

bool channel_noise_answer(ChannelNoise *noise, const uint8_t *prologue, size_t prologue_size, const ChannelNoisePair *own, const ChannelNoisePair *fleeting,
                          const uint8_t first[CHANNEL_NOISE_FIRST], uint8_t out[CHANNEL_NOISE_SECOND], uint8_t from_client[CHANNEL_NOISE_KEY],
                          uint8_t from_server[CHANNEL_NOISE_KEY])
{
    begin(noise, prologue, prologue_size, own, fleeting, own->open);
    memcpy(noise->other_fleeting, first, CHANNEL_NOISE_KEY);
    mix_hash(noise, first, CHANNEL_NOISE_KEY);
    if (!mix_secret(noise, own->secret, noise->other_fleeting) || !decrypt(noise, first + 32, 48, noise->other) ||
        !mix_secret(noise, own->secret, noise->other) || !decrypt(noise, first + 80, 16, NULL)) {
        return false;
    }
    memcpy(out, fleeting->open, CHANNEL_NOISE_KEY);
    mix_hash(noise, fleeting->open, CHANNEL_NOISE_KEY);
    if (!mix_secret(noise, fleeting->secret, noise->other_fleeting) || !mix_secret(noise, fleeting->secret, noise->other)) {
        return false;
    }
    encrypt(noise, NULL, 0, out + 32);
    split(noise, from_client, from_server);
    return true;
}

bool channel_noise_finish(ChannelNoise *noise, const uint8_t second[CHANNEL_NOISE_SECOND], uint8_t from_client[CHANNEL_NOISE_KEY],
                          uint8_t from_server[CHANNEL_NOISE_KEY])
{
    ChannelNoise tried = *noise;
    memcpy(tried.other_fleeting, second, CHANNEL_NOISE_KEY);
    mix_hash(&tried, second, CHANNEL_NOISE_KEY);
    bool is_good = mix_secret(&tried, tried.fleeting.secret, tried.other_fleeting) && mix_secret(&tried, tried.own.secret, tried.other_fleeting) &&
                   decrypt(&tried, second + 32, 16, NULL);
    if (is_good) {
        split(&tried, from_client, from_server);
        *noise = tried;
    }
    sodium_memzero(&tried, sizeof(tried));
    return is_good;
}

// log_chain.c: BLAKE2b-256 and Ed25519 by libsodium.
#include "log_chain.h"

#include <sodium.h>
#include <string.h>

#include "bytes.h"

enum {
    CONTEXT_SIZE = 16,
    SEAL_SIGNED_SIZE = 56, // the signed byte and the zeroes after it are under the signature, too
    END_SIGNED_SIZE = 168,
};

static const char start_text[] = "tickproof chain 1";
static const char seal_context[CONTEXT_SIZE + 1] = "tickproof seal 1";
static const char end_context[CONTEXT_SIZE + 1] = "tickproof end  1";

bool log_chain_start_library(void)
{
    return sodium_init() >= 0;
}

void log_chain_init(uint8_t chain[TP_LOG_CHAIN_SIZE])
{
    crypto_generichash(chain, TP_LOG_CHAIN_SIZE, (const uint8_t *)start_text, sizeof(start_text) - 1, NULL, 0);
}

void log_chain_add(uint8_t chain[TP_LOG_CHAIN_SIZE], uint32_t type, uint64_t tick, const uint8_t *payload, uint32_t size)
{
    uint8_t head[TP_LOG_CHAIN_SIZE + 16];
    memcpy(head, chain, TP_LOG_CHAIN_SIZE);
    bytes_put_u32(head + TP_LOG_CHAIN_SIZE, type);
    bytes_put_u64(head + TP_LOG_CHAIN_SIZE + 4, tick);
    bytes_put_u32(head + TP_LOG_CHAIN_SIZE + 12, size);
    crypto_generichash_state state;
    crypto_generichash_init(&state, NULL, 0, TP_LOG_CHAIN_SIZE);
    crypto_generichash_update(&state, head, sizeof(head));
    crypto_generichash_update(&state, payload, size);
    crypto_generichash_final(&state, chain, TP_LOG_CHAIN_SIZE);
}

void log_chain_marker(uint8_t marker[LOG_MARKER_SIZE], const uint8_t *ident, size_t size)
{
    uint8_t digest[TP_LOG_CHAIN_SIZE];
    crypto_generichash(digest, sizeof(digest), ident, size, NULL, 0);
    memcpy(marker, digest, LOG_MARKER_SIZE);
}

static void sign(uint8_t *payload, size_t size, const char *context, const uint8_t *secret_key)
{
    uint8_t message[CONTEXT_SIZE + END_SIGNED_SIZE];
    uint8_t *public_key = payload + size;
    uint8_t *signature = public_key + crypto_sign_PUBLICKEYBYTES;
    memset(payload + size - 8, 0, 8);
    if (secret_key == NULL) {
        memset(public_key, 0, crypto_sign_PUBLICKEYBYTES + crypto_sign_BYTES);
        return;
    }
    payload[size - 8] = 1;
    memcpy(message, context, CONTEXT_SIZE);
    memcpy(message + CONTEXT_SIZE, payload, size);
    crypto_sign_ed25519_sk_to_pk(public_key, secret_key);
    crypto_sign_detached(signature, NULL, message, CONTEXT_SIZE + size, secret_key);
}

static bool verify(const uint8_t *payload, size_t size, const char *context)
{
    uint8_t message[CONTEXT_SIZE + END_SIGNED_SIZE];
    const uint8_t *public_key = payload + size;
    memcpy(message, context, CONTEXT_SIZE);
    memcpy(message + CONTEXT_SIZE, payload, size);
    return crypto_sign_verify_detached(public_key + crypto_sign_PUBLICKEYBYTES, message, CONTEXT_SIZE + size,
                                       public_key) == 0;
}

void log_chain_sign_seal(uint8_t payload[LOG_SEAL_SIZE], const uint8_t *secret_key)
{
    sign(payload, SEAL_SIGNED_SIZE, seal_context, secret_key);
}

void log_chain_sign_end(uint8_t payload[LOG_END_SIZE], const uint8_t *secret_key)
{
    sign(payload, END_SIGNED_SIZE, end_context, secret_key);
}

bool log_chain_verify_seal(const uint8_t payload[LOG_SEAL_SIZE])
{
    return verify(payload, SEAL_SIGNED_SIZE, seal_context);
}

bool log_chain_verify_end(const uint8_t payload[LOG_END_SIZE])
{
    return verify(payload, END_SIGNED_SIZE, end_context);
}

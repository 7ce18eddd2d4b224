// fuzz_secure.c: foreign datagrams at both ends of a secured connection, and foreign join tokens. Nothing that was not sealed here comes through, nothing is
// answered with more than came, and a token that is read is written again as it was.
//
// Input: steps of a byte, a size in two bytes, and so many bytes. Low 2 bits of the step: 0 to a server's door, 1 to the server, 2 to the client, 3 a token. Bit 2: the
// bytes are laid over a genuine datagram (or token) by exclusive or, so that the fuzzer comes behind what it cannot guess.
#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bytes.h"
#include "channel_secure.h"
#include "join_token.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define REQUIRE(condition)                                                  \
    do {                                                                    \
        if (!(condition)) {                                                 \
            fprintf(stderr, "fuzz_secure: %s does not hold\n", #condition); \
            abort();                                                        \
        }                                                                   \
    } while (0)

enum { STEPS_MAX = 400 };

typedef struct Fuzz {
    ChannelDoor      door;
    ChannelNoisePair server_keys, client_keys;
    ChannelSecure    server, client;
    uint8_t          init[CHANNEL_SEALED_MAX], token[JOIN_TOKEN_SIZE_MAX], issuer[JOIN_TOKEN_KEY];
    size_t           token_size;
} Fuzz;

static void open_fuzz(Fuzz *fuzz)
{
    uint8_t            open[CHANNEL_DATAGRAM_MAX], out[CHANNEL_DATAGRAM_MAX], secret[JOIN_TOKEN_SECRET], seed[32] = { 1 };
    ChannelSecureCount count;
    JoinToken          token = { .role = JOIN_TOKEN_PLAY, .slot_count = 1, .expires_s = 60, .room = "r", .server_count = 1, .servers = { "s" },
                                 .nonce = { 1 }, .client = { 1 } };
    memset(fuzz, 0, sizeof(*fuzz));
    REQUIRE(channel_door_init(&fuzz->door));
    channel_noise_make(&fuzz->server_keys);
    channel_noise_make(&fuzz->client_keys);
    channel_secure_init(&fuzz->client, &fuzz->client_keys, fuzz->server_keys.open);
    REQUIRE(channel_secure_out(&fuzz->client, open, channel_wire_open(open, 7, 9), fuzz->init) == CHANNEL_INIT_SIZE);
    REQUIRE(channel_secure_accept(&fuzz->server, &fuzz->server_keys, fuzz->init));
    channel_secure_in(&fuzz->client, fuzz->server.message, CHANNEL_ACCEPT_SIZE, out, &count);
    REQUIRE(count == CHANNEL_COUNT_ACCEPTED);
    crypto_sign_seed_keypair(fuzz->issuer, secret, seed);
    fuzz->token_size = join_token_sign(&token, secret, fuzz->token);
}

static size_t genuine(ChannelSecure *from, uint8_t *out)
{
    uint8_t         plain[CHANNEL_DATAGRAM_MAX];
    ChannelDatagram datagram = { .kind = CHANNEL_DATA, .id = 9, .number = 1 };
    return channel_secure_out(from, plain, channel_wire_head(plain, &datagram), out);
}

// Laid over what is genuine: 0 bytes leave it as it is, so it has to come through. Gives the size.
static size_t lay_over(uint8_t *bytes, size_t whole, const uint8_t *data, size_t size, bool *is_same)
{
    *is_same = true;
    for (size_t i = 0; i < whole && i < size; i++) {
        *is_same = *is_same && data[i] == 0;
        bytes[i] ^= data[i];
    }
    return whole;
}

static void knock(Fuzz *fuzz, bool is_over, const uint8_t *data, size_t size)
{
    uint8_t       bytes[CHANNEL_SEALED_MAX], open[CHANNEL_DATAGRAM_MAX], answer[CHANNEL_DATAGRAM_MAX];
    size_t        answer_size = 0;
    uint64_t      id, cookie;
    bool          is_same = false;
    ChannelSecure made;
    if (is_over) {
        memcpy(bytes, fuzz->init, CHANNEL_INIT_SIZE);
        size = lay_over(bytes, CHANNEL_INIT_SIZE, data, size, &is_same);
    } else {
        memcpy(bytes, data, size);
    }
    size_t open_size = size > 0 ? channel_secure_knock(bytes, size, open) : 0;
    if (open_size == 0) {
        REQUIRE(!is_same);
        return;
    }
    if (channel_door_knock(&fuzz->door, 1, (const uint8_t *)"a", 1, open, open_size, &id, &cookie, answer, &answer_size) == CHANNEL_KNOCK_ANSWER) {
        REQUIRE(answer_size < size);
    }
    if (size == CHANNEL_INIT_SIZE) { // as if the cookie were right
        REQUIRE(channel_secure_accept(&made, &fuzz->server_keys, bytes) == is_same);
        channel_secure_finish(&made);
    }
}

static void hear(ChannelSecure *to, ChannelSecure *from, bool is_over, const uint8_t *data, size_t size)
{
    uint8_t            bytes[CHANNEL_SEALED_MAX], out[CHANNEL_DATAGRAM_MAX];
    ChannelSecureCount count;
    bool               is_same = false;
    ChannelSeal        before = to->seal;
    if (is_over) {
        size = lay_over(bytes, genuine(from, bytes), data, size, &is_same);
    } else {
        memcpy(bytes, data, size);
    }
    size_t got = channel_secure_in(to, bytes, size, out, &count);
    bool   is_cookie = to->is_client && size == CHANNEL_COOKIE_SIZE && bytes[0] == CHANNEL_COOKIE;
    REQUIRE((got > 0) == (is_same || is_cookie) && (count == CHANNEL_COUNT_SEALED) == is_same);
    REQUIRE(is_same || memcmp(&before, &to->seal, sizeof(before)) == 0);
}

static void look_at_token(Fuzz *fuzz, bool is_over, const uint8_t *data, size_t size)
{
    uint8_t   bytes[JOIN_TOKEN_SIZE_MAX], again[JOIN_TOKEN_SIZE_MAX], secret[JOIN_TOKEN_SECRET], open[JOIN_TOKEN_KEY], seed[32] = { 2 };
    char      text[JOIN_TOKEN_TEXT_SIZE];
    bool      is_same = false;
    JoinToken token;
    size = size < sizeof(bytes) ? size : sizeof(bytes);
    if (is_over) {
        memcpy(bytes, fuzz->token, fuzz->token_size);
        size = lay_over(bytes, fuzz->token_size, data, size, &is_same);
    } else {
        memcpy(bytes, data, size);
    }
    REQUIRE((join_token_verify(bytes, size, fuzz->issuer, 1, "s", NULL, &token) == JOIN_TOKEN_GOOD) == is_same);
    if (join_token_decode(bytes, size, &token) == NULL) {
        crypto_sign_seed_keypair(open, secret, seed);
        REQUIRE(join_token_sign(&token, secret, again) == size);
        REQUIRE(memcmp(bytes, again, size - JOIN_TOKEN_SIGNATURE) == 0);
    }
    size_t again_size = 0;
    join_token_to_text(bytes, size, text);
    REQUIRE(join_token_from_text(text, strlen(text), again, &again_size) && again_size == size && memcmp(bytes, again, size) == 0);
    if (join_token_from_text((const char *)data, size, again, &again_size)) {
        join_token_to_text(again, again_size, text);
        REQUIRE(strlen(text) == size && memcmp(text, data, size) == 0);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static Fuzz fuzz;
    open_fuzz(&fuzz);
    for (uint32_t step = 0; step < STEPS_MAX && size >= 3; step++) {
        uint8_t what = data[0];
        size_t  count = bytes_get_u16(data + 1);
        data += 3;
        size -= 3;
        count = count < size ? count : size;
        count = count < CHANNEL_SEALED_MAX ? count : CHANNEL_SEALED_MAX;
        bool is_over = (what & 4) != 0;
        switch (what & 3) {
        case 0: knock(&fuzz, is_over, data, count); break;
        case 1: hear(&fuzz.server, &fuzz.client, is_over, data, count); break;
        case 2: hear(&fuzz.client, &fuzz.server, is_over, data, count); break;
        case 3: look_at_token(&fuzz, is_over, data, count); break;
        }
        data += count;
        size -= count;
    }
    channel_secure_finish(&fuzz.client);
    channel_secure_finish(&fuzz.server);
    return 0;
}

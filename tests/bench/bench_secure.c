// bench_secure.c: what securing costs a datagram, beside copying it, in one run; and what a handshake costs each side.
#include <sodium.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "channel_secure.h"
#include "join_token.h"

enum { ROUNDS = 7, COUNT = 20000, HANDSHAKES = 300 };

static int64_t now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

static uint8_t plain[CHANNEL_DATAGRAM_MAX], sealed[COUNT][CHANNEL_SEALED_MAX], out[CHANNEL_DATAGRAM_MAX];

// The best of some rounds: others share the machine.
static void measure(size_t size)
{
    int64_t best[3] = { INT64_MAX, INT64_MAX, INT64_MAX };
    for (int round = 0; round < ROUNDS; round++) {
        ChannelSeal here = { .number = 0 }, there = { .number = 0 };
        size_t      got = 0;
        int64_t     at[4];
        at[0] = now_ns();
        for (uint32_t i = 0; i < COUNT; i++) {
            memcpy(sealed[i], plain, size);
        }
        at[1] = now_ns();
        for (uint32_t i = 0; i < COUNT; i++) {
            channel_seal(&here, 1, plain, size, sealed[i]);
        }
        at[2] = now_ns();
        for (uint32_t i = 0; i < COUNT; i++) {
            if (channel_unseal(&there, sealed[i], size + CHANNEL_SEAL_COST, out, &got) != CHANNEL_UNSEALED) {
                printf("it does not come through\n");
                return;
            }
        }
        at[3] = now_ns();
        for (int k = 0; k < 3; k++) {
            best[k] = at[k + 1] - at[k] < best[k] ? at[k + 1] - at[k] : best[k];
        }
    }
    printf("%4zu bytes: copied %5.0f ns, sealed %5.0f ns, unsealed %5.0f ns\n", size, (double)best[0] / COUNT, (double)best[1] / COUNT, (double)best[2] / COUNT);
}

static void measure_handshake(void)
{
    ChannelNoisePair   server, client;
    ChannelSecureCount count;
    uint8_t            open[CHANNEL_DATAGRAM_MAX], init[CHANNEL_SEALED_MAX];
    int64_t            asks = 0, answers = 0, ends = 0;
    channel_noise_make(&server);
    channel_noise_make(&client);
    for (uint64_t i = 1; i <= HANDSHAKES; i++) {
        ChannelSecure there, here;
        channel_secure_init(&here, &client, server.open);
        int64_t first = now_ns();
        channel_secure_out(&here, open, channel_wire_open(open, i, i), init);
        int64_t second = now_ns();
        bool    is_in = channel_secure_accept(&there, &server, init);
        int64_t third = now_ns();
        channel_secure_in(&here, there.message, CHANNEL_ACCEPT_SIZE, out, &count);
        ends += now_ns() - third;
        answers += third - second;
        asks += second - first;
        if (!is_in || count != CHANNEL_COUNT_ACCEPTED) {
            printf("no handshake\n");
            return;
        }
    }
    printf("handshake: client %lld + %lld us, server %lld us\n", (long long)(asks / HANDSHAKES / 1000), (long long)(ends / HANDSHAKES / 1000),
           (long long)(answers / HANDSHAKES / 1000));
}

static void measure_token(void)
{
    uint8_t   secret[JOIN_TOKEN_SECRET], issuer[JOIN_TOKEN_KEY], bytes[JOIN_TOKEN_SIZE_MAX];
    JoinToken token = { .role = JOIN_TOKEN_PLAY, .slot_count = 1, .expires_s = 60, .nonce = { 1 }, .client = { 1 }, .room = "arena", .server_count = 1,
                        .servers = { "eu-1" } };
    crypto_sign_keypair(issuer, secret);
    size_t  size = join_token_sign(&token, secret, bytes);
    int64_t begin = now_ns();
    for (int i = 0; i < HANDSHAKES; i++) {
        if (join_token_verify(bytes, size, issuer, 1, "eu-1", NULL, &token) != JOIN_TOKEN_GOOD) {
            printf("no token\n");
            return;
        }
    }
    printf("join token: verified in %lld us\n", (long long)((now_ns() - begin) / HANDSHAKES / 1000));
}

int main(void)
{
    if (sodium_init() < 0) {
        return 1;
    }
    measure(64);
    measure(200);
    measure(600);
    measure(CHANNEL_DATAGRAM_MAX);
    measure_handshake();
    measure_token();
    return 0;
}

// The published vector of Noise_IK_25519_ChaChaPoly_BLAKE2b (noise-c, tests/vector/noise-c-basic.txt) holds. Its messages have payloads and ours none, so
// the pieces are put together here, from the source itself; the functions that the project calls are held to the same bytes as far as those go.
#include "channel_noise.c"

#include <criterion/criterion.h>

static void hex(const char *text, uint8_t *out)
{
    cr_assert_eq(sodium_hex2bin(out, strlen(text) / 2, text, strlen(text), NULL, NULL, NULL), 0);
}

static void is_hex(const uint8_t *bytes, const char *text)
{
    uint8_t wanted[64];
    hex(text, wanted);
    cr_assert_arr_eq(bytes, wanted, strlen(text) / 2);
}

static ChannelNoisePair pair_of(const char *secret)
{
    ChannelNoisePair pair;
    hex(secret, pair.secret);
    channel_noise_open(&pair);
    return pair;
}

Test(channel_noise, published_vector_holds)
{
    const ChannelNoisePair init_s = pair_of("e61ef9919cde45dd5f82166404bd08e38bceb5dfdfded0a34c8df7ed542214d1");
    const ChannelNoisePair init_e = pair_of("893e28b9dc6ca8d611ab664754b8ceb7bac5117349a4439a6b0569da977c464a");
    const ChannelNoisePair resp_s = pair_of("4a3acbfdb163dec651dfa3194dece676d437029c62a408b4c5ea9114246e4893");
    const ChannelNoisePair resp_e = pair_of("bbdb4cdbd309f1a1f2e1456967fe288cadd6f712d65dc7b7793d5e63da6b375b");
    const uint8_t          prologue[] = "Prologue123";
    uint8_t                first[CHANNEL_NOISE_FIRST], out[64], client[32], server[32], nonce[12] = { 0 };
    ChannelNoise           noise;
    is_hex(resp_s.open, "31e0303fd6418d2f8c0e78b91f22e8caed0fbe48656dcf4767e4834f701b8f62");
    cr_assert(channel_noise_ask(&noise, prologue, 11, &init_s, &init_e, resp_s.open, first));
    is_hex(first, "ca35def5ae56cec33dc2036731ab14896bc4c75dbb07a61f879f8e3afa4c7944");
    is_hex(first + 32, "ba83a447b38c83e327ad936929812f624884847b7831e95e197b2f797088efdd232fe541af156ec6d0657602902a8c3e");

    begin(&noise, prologue, 11, &init_s, &init_e, resp_s.open);
    mix_hash(&noise, init_e.open, 32);
    cr_assert(mix_secret(&noise, init_e.secret, resp_s.open));
    encrypt(&noise, init_s.open, 32, out);
    cr_assert(mix_secret(&noise, init_s.secret, resp_s.open));
    encrypt(&noise, (const uint8_t *)"Ludwig von Mises", 16, out);
    is_hex(out, "e64e470f4b6fcd9298ce0b56fe20f86e60d9d933ec6e103ffb09e6001d6abb64");
    mix_hash(&noise, resp_e.open, 32);
    cr_assert(mix_secret(&noise, resp_e.secret, init_e.open));
    cr_assert(mix_secret(&noise, resp_e.secret, init_s.open));
    encrypt(&noise, (const uint8_t *)"Murray Rothbard", 15, out);
    is_hex(out, "9f069b267a06b3de3ecb1043bcb09807c6cd101f3826192a65f11ef3fe4317");
    is_hex(noise.h, "00e51d2aac81a9b8ebe441d6af3e1c8efc0f030cc608332edcb42588ff6a0ce26415ddc106e95277a5e6d54132f1e5245976b89caf96d262f1fe5a7f0c55c078");
    split(&noise, client, server);
    crypto_aead_chacha20poly1305_ietf_encrypt(out, NULL, (const uint8_t *)"F. A. Hayek", 11, NULL, 0, NULL, nonce, client);
    is_hex(out, "cd54383060e7a28434cca27fb1cc524cfbabeb18181589df219d07");
    crypto_aead_chacha20poly1305_ietf_encrypt(out, NULL, (const uint8_t *)"Carl Menger", 11, NULL, 0, NULL, nonce, server);
    is_hex(out, "a856d3bf0246bfc476c655009cd1ed677b8dcc5b349ae8ef2a05f2");
}

Test(channel_noise, both_sides_come_to_the_same_keys)
{
    ChannelNoisePair init_s, init_e, resp_s, resp_e;
    ChannelNoise     client, server;
    uint8_t          first[CHANNEL_NOISE_FIRST], second[CHANNEL_NOISE_SECOND], there[2][32], back[2][32];
    channel_noise_make(&init_s);
    channel_noise_make(&init_e);
    channel_noise_make(&resp_s);
    channel_noise_make(&resp_e);
    cr_assert(channel_noise_ask(&client, NULL, 0, &init_s, &init_e, resp_s.open, first));
    cr_assert(channel_noise_answer(&server, NULL, 0, &resp_s, &resp_e, first, second, there[0], back[0]));
    cr_assert_arr_eq(server.other, init_s.open, 32);
    cr_assert(channel_noise_finish(&client, second, there[1], back[1]));
    cr_assert_arr_eq(there[0], there[1], 32);
    cr_assert_arr_eq(back[0], back[1], 32);
    cr_assert_arr_eq(client.h, server.h, 64);
    cr_assert_not(channel_noise_answer(&server, (const uint8_t *)"x", 1, &resp_s, &resp_e, first, second, there[0], back[0]), "another prologue");
}

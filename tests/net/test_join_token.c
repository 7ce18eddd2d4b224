// Join tokens: one spelling, every bit signed, good for what they say and once.
#include <criterion/criterion.h>
#include <sodium.h>
#include <stdlib.h>
#include <string.h>

#include "join_token.h"

static uint8_t secret[JOIN_TOKEN_SECRET], issuer[JOIN_TOKEN_KEY];

static void make_keys(void)
{
    uint8_t seed[crypto_sign_SEEDBYTES] = { 7 };
    cr_assert(sodium_init() >= 0);
    crypto_sign_seed_keypair(issuer, secret, seed);
}

static JoinToken sample(void)
{
    JoinToken token = { .role = JOIN_TOKEN_PLAY, .slot_count = 2, .exact_count = 2, .slots = { 1, 5 }, .not_before_s = 1000, .expires_s = 1300,
                        .room = "arena", .server_count = 2, .servers = { "eu-1", "[::1]:7777" } };
    memset(token.nonce, 0x21, sizeof(token.nonce));
    memset(token.client, 0x42, sizeof(token.client));
    return token;
}

static JoinTokenFault look(const uint8_t *bytes, size_t size, uint64_t now_s, const char *server, const uint8_t *client)
{
    JoinToken out;
    return join_token_verify(bytes, size, issuer, now_s, server, client, &out);
}

Test(join_token, comes_back_as_it_went)
{
    uint8_t   bytes[JOIN_TOKEN_SIZE_MAX], again[JOIN_TOKEN_SIZE_MAX];
    char      text[JOIN_TOKEN_TEXT_SIZE];
    size_t    again_size = 0;
    JoinToken token = sample(), out;
    make_keys();
    size_t size = join_token_sign(&token, secret, bytes);
    cr_assert_eq(size, 72 + 2 + 6 + 1 + 5 + 11 + 64);
    cr_assert_null(join_token_decode(bytes, size, &out));
    cr_assert_eq(join_token_sign(&out, secret, again), size);
    cr_assert_arr_eq(bytes, again, size);
    cr_assert_eq(look(bytes, size, 1000, "eu-1", token.client), JOIN_TOKEN_GOOD);
    cr_assert_eq(look(bytes, size, 1299, "[::1]:7777", NULL), JOIN_TOKEN_GOOD);
    join_token_to_text(bytes, size, text);
    cr_assert(join_token_from_text(text, strlen(text), again, &again_size));
    cr_assert_eq(again_size, size);
    cr_assert_arr_eq(bytes, again, size);
    cr_assert_not(join_token_from_text("a=", 2, again, &again_size));
    cr_assert_not(join_token_from_text("ab cd", 5, again, &again_size));
    cr_assert_not(join_token_from_text("\xAB\xAB\xAB\xAB", 4, again, &again_size), "letters beyond ASCII");
}

// Goal: the head's bytes are those of the page.
Test(join_token, bytes_are_those_of_the_page)
{
    const uint8_t head[24] = { 'T', 'P', 'J', 'T', 1, 1, 2, 2, 0xE8, 3, 0, 0, 0, 0, 0, 0, 0x14, 5, 0, 0, 0, 0, 0, 0 };
    const uint8_t names[] = { 1, 5, 5, 'a', 'r', 'e', 'n', 'a', 2, 4, 'e', 'u', '-', '1', 10, '[', ':', ':', '1', ']', ':', '7', '7', '7', '7' };
    uint8_t       bytes[JOIN_TOKEN_SIZE_MAX];
    JoinToken     token = sample();
    make_keys();
    cr_assert(join_token_sign(&token, secret, bytes) > 0);
    cr_assert_arr_eq(bytes, head, sizeof(head));
    cr_assert_arr_eq(bytes + 72, names, sizeof(names));
}

// Goal: each bit of a token is signed or part of its form; each size but its own is none.
Test(join_token, forged_anywhere_is_refused)
{
    uint8_t   bytes[JOIN_TOKEN_SIZE_MAX + 1] = { 0 };
    JoinToken token = sample();
    make_keys();
    size_t size = join_token_sign(&token, secret, bytes);
    for (size_t bit = 0; bit < 8 * size; bit++) {
        bytes[bit / 8] ^= (uint8_t)(1u << bit % 8);
        JoinTokenFault fault = look(bytes, size, 1000, "eu-1", NULL);
        cr_assert(fault == JOIN_TOKEN_FORGED || fault == JOIN_TOKEN_MALFORMED, "bit %zu: %s", bit, join_token_fault_name(fault));
        bytes[bit / 8] ^= (uint8_t)(1u << bit % 8);
    }
    for (size_t cut = 0; cut <= JOIN_TOKEN_SIZE_MAX; cut++) {
        uint8_t *exact = malloc(cut + 1);
        memcpy(exact, bytes, cut);
        JoinTokenFault fault = look(exact, cut, 1000, "eu-1", NULL);
        cr_assert((fault == JOIN_TOKEN_GOOD) == (cut == size), "%zu bytes", cut);
        free(exact);
    }
    issuer[0] ^= 1;
    cr_assert_neq(look(bytes, size, 1000, "eu-1", NULL), JOIN_TOKEN_GOOD);
}

Test(join_token, is_good_for_what_it_says_only)
{
    uint8_t   bytes[JOIN_TOKEN_SIZE_MAX], other[JOIN_TOKEN_KEY] = { 1 };
    JoinToken token = sample();
    make_keys();
    size_t size = join_token_sign(&token, secret, bytes);
    cr_assert_eq(look(bytes, size, 999, "eu-1", NULL), JOIN_TOKEN_EARLY);
    cr_assert_eq(look(bytes, size, 1300, "eu-1", NULL), JOIN_TOKEN_EXPIRED);
    cr_assert_eq(look(bytes, size, 1000, "eu-2", NULL), JOIN_TOKEN_OTHER_SERVER);
    cr_assert_eq(look(bytes, size, 1000, "eu-1", other), JOIN_TOKEN_OTHER_CLIENT, "sniffed: used by who has another key");
    cr_assert_eq(join_token_allows(&token, "arena", 5, 2), JOIN_TOKEN_GOOD);
    cr_assert_eq(join_token_allows(&token, "aren", 4, 2), JOIN_TOKEN_OTHER_ROOM);
    cr_assert_eq(join_token_allows(&token, "arena", 5, 3), JOIN_TOKEN_NOT_FOR_THAT);
    cr_assert_eq(join_token_allows(&token, "arena", 5, 0), JOIN_TOKEN_NOT_FOR_THAT);
}

Test(join_token, out_of_bounds_is_not_signed)
{
    uint8_t bytes[JOIN_TOKEN_SIZE_MAX];
    make_keys();
#define REFUSES(change)                                                   \
    do {                                                                  \
        JoinToken token = sample();                                       \
        change;                                                           \
        cr_assert_eq(join_token_sign(&token, secret, bytes), 0, #change); \
    } while (0)
    REFUSES(token.role = 3);
    REFUSES(token.role = JOIN_TOKEN_WATCH);
    REFUSES(token.slot_count = 0);
    REFUSES(token.exact_count = 1);
    REFUSES(token.slots[1] = 1);
    REFUSES(token.slots[1] = 128);
    REFUSES(token.expires_s = token.not_before_s);
    REFUSES(token.expires_s = token.not_before_s + JOIN_TOKEN_LIFE_MAX + 1);
    REFUSES(memset(token.nonce, 0, sizeof(token.nonce)));
    REFUSES(memset(token.client, 0, sizeof(token.client)));
    REFUSES(token.room[0] = '\0');
    REFUSES(token.room[0] = '/');
    REFUSES(token.server_count = 0);
    REFUSES(token.server_count = 9);
    REFUSES(token.servers[1][0] = ' ');
#undef REFUSES
}

// Goal: a used one is remembered until it expires, whatever comes meanwhile: when there is no place more, the new one is refused.
Test(join_token, is_used_once)
{
    JoinTokenUsed *used = calloc(1, sizeof(*used));
    JoinToken      token = sample();
    cr_assert_eq(join_token_use(used, &token, 1000), JOIN_TOKEN_GOOD);
    cr_assert_eq(join_token_use(used, &token, 1000), JOIN_TOKEN_USED);
    JoinToken other = token;
    for (uint32_t i = 1; i < JOIN_TOKEN_USED_MAX; i++) {
        memcpy(other.nonce, &i, sizeof(i));
        cr_assert_eq(join_token_use(used, &other, 1001), JOIN_TOKEN_GOOD);
    }
    memset(other.nonce, 0xFF, sizeof(other.nonce));
    other.expires_s = 1400;
    cr_assert_eq(join_token_use(used, &other, 1299), JOIN_TOKEN_TABLE_FULL);
    cr_assert_eq(join_token_use(used, &token, 1299), JOIN_TOKEN_USED, "not forgotten early");
    join_token_give_back(used, &token);
    cr_assert_eq(join_token_use(used, &token, 1299), JOIN_TOKEN_GOOD, "its JOIN was not granted");
    cr_assert_eq(join_token_use(used, &other, 1300), JOIN_TOKEN_GOOD, "the others have expired");
    cr_assert_eq(used->count, 1);
    free(used);
}

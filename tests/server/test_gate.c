// test_gate.c: join tokens at the gate: each way to be refused has its reason and its count, and a JOIN that is not granted uses nothing up.
#include <criterion/criterion.h>
#include <sodium.h>
#include <string.h>

#include "gate.h"

static uint8_t secret[JOIN_TOKEN_SECRET], issuer[JOIN_TOKEN_KEY];
static uint8_t bytes[JOIN_TOKEN_SIZE_MAX];

static GateAsk ask_with(uint8_t nonce, const uint8_t *client)
{
    JoinToken token = { .role = JOIN_TOKEN_PLAY, .slot_count = 2, .not_before_s = 100, .expires_s = 200, .room = "arena", .server_count = 1,
                        .servers = { "eu-1" } };
    memset(token.nonce, nonce, sizeof(token.nonce));
    memset(token.client, 3, sizeof(token.client));
    size_t size = join_token_sign(&token, secret, bytes);
    cr_assert_gt(size, 0);
    return (GateAsk){ .bytes = bytes, .size = size, .client = client, .room = "arena", .room_size = 5, .slots = 2 };
}

static Gate *open_gate(const char *name, bool is_required)
{
    tp_error error;
    cr_assert(sodium_init() >= 0);
    crypto_sign_keypair(issuer, secret);
    Gate *gate = gate_create(issuer, name, is_required, &error);
    cr_assert_not_null(gate);
    return gate;
}

// 0: it is let in.
static uint32_t reason_of(Gate *gate, GateAsk ask, uint64_t now_s)
{
    JoinToken     token;
    bool          has_token;
    MessageReason reason = MESSAGE_REASON_ASKED;
    char          text[GATE_TEXT_SIZE] = "";
    bool          is_in = gate_pass(gate, &ask, now_s, &token, &has_token, &reason, text);
    cr_assert_eq(is_in, text[0] == '\0');
    return is_in ? 0 : reason;
}

static unsigned long long counted(Gate *gate, JoinTokenFault fault)
{
    return atomic_load(&gate->counts[fault]);
}

Test(gate, each_refusal_has_its_reason_and_count)
{
    static const uint8_t same[JOIN_TOKEN_KEY] = { 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3 };
    static const uint8_t other[JOIN_TOKEN_KEY] = { 4 };
    Gate                *gate = open_gate("eu-1", true);
    cr_assert_eq(reason_of(gate, (GateAsk){ .room = "arena", .room_size = 5, .slots = 2 }, 150), MESSAGE_REASON_TOKEN_NEEDED);
    cr_assert_eq(reason_of(gate, ask_with(1, NULL), 99), MESSAGE_REASON_TOKEN_EARLY);
    cr_assert_eq(reason_of(gate, ask_with(1, NULL), 200), MESSAGE_REASON_TOKEN_EXPIRED);
    cr_assert_eq(reason_of(gate, ask_with(1, other), 150), MESSAGE_REASON_TOKEN_WRONG_CLIENT, "sniffed");
    GateAsk ask = ask_with(1, same);
    bytes[30] ^= 1;
    cr_assert_eq(reason_of(gate, ask, 150), MESSAGE_REASON_TOKEN_FORGED);
    ask = ask_with(1, same);
    ask.size -= 1;
    cr_assert_eq(reason_of(gate, ask, 150), MESSAGE_REASON_TOKEN_FORGED);
    ask = ask_with(1, same);
    ask.room = "other";
    cr_assert_eq(reason_of(gate, ask, 150), MESSAGE_REASON_TOKEN_WRONG_ROOM);
    ask = ask_with(1, same);
    ask.slots = 1;
    cr_assert_eq(reason_of(gate, ask, 150), MESSAGE_REASON_TOKEN_WRONG_ROOM);
    cr_assert_eq(reason_of(gate, ask_with(1, same), 150), 0, "none of these has used it up");
    cr_assert_eq(reason_of(gate, ask_with(1, same), 150), MESSAGE_REASON_TOKEN_USED);
    for (JoinTokenFault fault = JOIN_TOKEN_GOOD; fault < JOIN_TOKEN_FAULTS; fault++) {
        bool is_never = fault == JOIN_TOKEN_OTHER_SERVER || fault == JOIN_TOKEN_TABLE_FULL;
        cr_assert_eq(counted(gate, fault), is_never ? 0 : 1, "%s", join_token_fault_name(fault));
    }
    gate->used.count = JOIN_TOKEN_USED_MAX;
    for (uint32_t i = 0; i < JOIN_TOKEN_USED_MAX; i++) {
        gate->used.items[i].expires_s = 1000;
    }
    cr_assert_eq(reason_of(gate, ask_with(9, same), 150), MESSAGE_REASON_CROWDED);
    cr_assert_eq(counted(gate, JOIN_TOKEN_TABLE_FULL), 1);
    gate_destroy(gate);
    gate = open_gate("eu-2", true);
    cr_assert_eq(reason_of(gate, ask_with(1, same), 150), MESSAGE_REASON_TOKEN_WRONG_SERVER);
    cr_assert_eq(counted(gate, JOIN_TOKEN_OTHER_SERVER), 1);
    gate_destroy(gate);
}

Test(gate, where_tokens_are_optional_who_has_none_comes_in_and_a_bad_one_does_not)
{
    Gate *gate = open_gate("eu-1", false);
    cr_assert_eq(reason_of(gate, (GateAsk){ .room = "arena", .room_size = 5, .slots = 2 }, 150), 0);
    cr_assert_eq(reason_of(gate, ask_with(1, NULL), 500), MESSAGE_REASON_TOKEN_EXPIRED);
    gate_destroy(gate);
}

Test(gate, a_join_that_is_not_granted_gives_its_token_back)
{
    Gate         *gate = open_gate("eu-1", true);
    GateAsk       ask = ask_with(1, NULL);
    JoinToken     token;
    bool          has_token = false;
    MessageReason reason;
    char          text[GATE_TEXT_SIZE];
    cr_assert(gate_pass(gate, &ask, 150, &token, &has_token, &reason, text));
    cr_assert(has_token);
    gate_return(gate, &token);
    cr_assert(gate_pass(gate, &ask, 150, &token, &has_token, &reason, text));
    cr_assert_not(gate_pass(gate, &ask, 150, &token, &has_token, &reason, text));
    cr_assert_not(has_token);
    gate_destroy(gate);
}

// join_token.c: see join_token.h.
#include "join_token.h"

#include <assert.h>
#include <sodium.h>
#include <string.h>

#include "bytes.h"

static const uint8_t magic[4] = { 'T', 'P', 'J', 'T' };
// What is signed begins with this, so that a signature of a log or of anything else never is one of a token.
static const char context[] = "tickproof join token 1";

enum { CONTEXT_SIZE = sizeof(context) };

static const char *const fault_names[JOIN_TOKEN_FAULTS] = {
    "good",           "token-malformed",  "token-forged",       "token-early", "token-expired",    "token-wrong-server", "token-wrong-client",
    "token-wrong-room", "token-not-for-that", "token-used", "token-table-full", "token-missing",
};

const char *join_token_fault_name(JoinTokenFault fault)
{
    return (unsigned)fault < JOIN_TOKEN_FAULTS ? fault_names[fault] : "unknown";
}

// Servers may be called by their addresses, so these letters go, too.
static bool is_letter(char letter, bool is_server)
{
    return (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z') || (letter >= '0' && letter <= '9') || letter == '_' || letter == '-' ||
           letter == '.' || (is_server && (letter == ':' || letter == '[' || letter == ']'));
}

static bool is_name(const char *name, bool is_server)
{
    size_t size = strnlen(name, JOIN_TOKEN_NAME_MAX + 1);
    bool   is_good = size >= 1 && size <= JOIN_TOKEN_NAME_MAX;
    for (size_t i = 0; i < size && is_good; i++) {
        is_good = is_letter(name[i], is_server);
    }
    return is_good;
}

static const char *check_slots(const JoinToken *token)
{
    if (token->role != JOIN_TOKEN_PLAY && token->role != JOIN_TOKEN_WATCH) {
        return "there is no such role";
    }
    if ((token->role == JOIN_TOKEN_PLAY) != (token->slot_count > 0) || token->slot_count > JOIN_TOKEN_SLOTS_MAX) {
        return "who plays has 1 to 128 slots, who watches none";
    }
    if (token->exact_count != 0 && token->exact_count != token->slot_count) {
        return "it names some of its slots only";
    }
    for (uint32_t i = 0; i < token->exact_count; i++) {
        if (token->slots[i] >= JOIN_TOKEN_SLOTS_MAX || (i > 0 && token->slots[i] <= token->slots[i - 1])) {
            return "slots are not ascending, or above 127";
        }
    }
    return NULL;
}

const char *join_token_check(const JoinToken *token)
{
    const char *wrong = check_slots(token);
    if (wrong != NULL) {
        return wrong;
    }
    if (token->expires_s <= token->not_before_s || token->expires_s - token->not_before_s > JOIN_TOKEN_LIFE_MAX) {
        return "it is good for no time, or for more than a day";
    }
    if (sodium_is_zero(token->nonce, JOIN_TOKEN_NONCE) || sodium_is_zero(token->client, JOIN_TOKEN_KEY)) {
        return "nonce or client key is zero";
    }
    if (!is_name(token->room, false)) {
        return "the room's name has 1 to 63 letters a-z A-Z 0-9 _ - .";
    }
    if (token->server_count < 1 || token->server_count > JOIN_TOKEN_SERVERS_MAX) {
        return "it is for 1 to 8 servers";
    }
    for (uint32_t i = 0; i < token->server_count; i++) {
        if (!is_name(token->servers[i], true)) {
            return "a server's name has 1 to 63 letters a-z A-Z 0-9 _ - . : [ ]";
        }
    }
    return NULL;
}

static uint8_t *put_name(uint8_t *at, const char *name)
{
    size_t size = strlen(name);
    *at = (uint8_t)size;
    memcpy(at + 1, name, size);
    return at + 1 + size;
}

size_t join_token_sign(const JoinToken *token, const uint8_t secret[JOIN_TOKEN_SECRET], uint8_t bytes[JOIN_TOKEN_SIZE_MAX])
{
    uint8_t signed_bytes[CONTEXT_SIZE + JOIN_TOKEN_SIZE_MAX];
    if (join_token_check(token) != NULL || sodium_init() < 0) {
        return 0;
    }
    memcpy(bytes, magic, sizeof(magic));
    bytes[4] = JOIN_TOKEN_VERSION;
    bytes[5] = (uint8_t)token->role;
    bytes[6] = token->slot_count;
    bytes[7] = token->exact_count;
    bytes_put_u64(bytes + 8, token->not_before_s);
    bytes_put_u64(bytes + 16, token->expires_s);
    memcpy(bytes + 24, token->nonce, JOIN_TOKEN_NONCE);
    memcpy(bytes + 40, token->client, JOIN_TOKEN_KEY);
    memcpy(bytes + JOIN_TOKEN_HEAD, token->slots, token->exact_count);
    uint8_t *at = put_name(bytes + JOIN_TOKEN_HEAD + token->exact_count, token->room);
    *at++ = token->server_count;
    for (uint32_t i = 0; i < token->server_count; i++) {
        at = put_name(at, token->servers[i]);
    }
    size_t size = (size_t)(at - bytes);
    memcpy(signed_bytes, context, CONTEXT_SIZE);
    memcpy(signed_bytes + CONTEXT_SIZE, bytes, size);
    crypto_sign_detached(at, NULL, signed_bytes, CONTEXT_SIZE + size, secret);
    assert(size + JOIN_TOKEN_SIGNATURE <= JOIN_TOKEN_SIZE_MAX);
    return size + JOIN_TOKEN_SIGNATURE;
}

static bool get_name(const uint8_t **at, const uint8_t *end, char name[JOIN_TOKEN_NAME_MAX + 1])
{
    size_t size = *at < end ? **at : 0;
    if (size < 1 || size > JOIN_TOKEN_NAME_MAX || (size_t)(end - *at) < 1 + size) {
        return false;
    }
    memcpy(name, *at + 1, size);
    name[size] = '\0';
    *at += 1 + size;
    return strlen(name) == size;
}

static const char *decode_names(const uint8_t *at, const uint8_t *end, JoinToken *token)
{
    if (!get_name(&at, end, token->room) || at == end) {
        return "it ends early";
    }
    token->server_count = *at++;
    if (token->server_count > JOIN_TOKEN_SERVERS_MAX) {
        return "it is for 1 to 8 servers";
    }
    for (uint32_t i = 0; i < token->server_count; i++) {
        if (!get_name(&at, end, token->servers[i])) {
            return "it ends early";
        }
    }
    return at == end ? NULL : "bytes follow its end";
}

const char *join_token_decode(const uint8_t *bytes, size_t size, JoinToken *token)
{
    *token = (JoinToken){ .role = 0 };
    if (size < JOIN_TOKEN_HEAD + JOIN_TOKEN_SIGNATURE || size > JOIN_TOKEN_SIZE_MAX) {
        return "it has not the size of a join token";
    }
    if (memcmp(bytes, magic, sizeof(magic)) != 0) {
        return "it is no join token";
    }
    if (bytes[4] != JOIN_TOKEN_VERSION) {
        return "it is a join token of another version";
    }
    token->role = bytes[5];
    token->slot_count = bytes[6];
    token->exact_count = bytes[7];
    token->not_before_s = bytes_get_u64(bytes + 8);
    token->expires_s = bytes_get_u64(bytes + 16);
    memcpy(token->nonce, bytes + 24, JOIN_TOKEN_NONCE);
    memcpy(token->client, bytes + 40, JOIN_TOKEN_KEY);
    const uint8_t *end = bytes + size - JOIN_TOKEN_SIGNATURE;
    if (token->exact_count > JOIN_TOKEN_SLOTS_MAX || (size_t)(end - bytes) < (size_t)JOIN_TOKEN_HEAD + token->exact_count) {
        return "it ends early";
    }
    memcpy(token->slots, bytes + JOIN_TOKEN_HEAD, token->exact_count);
    const char *wrong = decode_names(bytes + JOIN_TOKEN_HEAD + token->exact_count, end, token);
    return wrong != NULL ? wrong : join_token_check(token);
}

static bool is_signed(const uint8_t *bytes, size_t size, const uint8_t issuer[JOIN_TOKEN_KEY])
{
    uint8_t signed_bytes[CONTEXT_SIZE + JOIN_TOKEN_SIZE_MAX];
    size_t  body = size - JOIN_TOKEN_SIGNATURE;
    memcpy(signed_bytes, context, CONTEXT_SIZE);
    memcpy(signed_bytes + CONTEXT_SIZE, bytes, body);
    return sodium_init() >= 0 && crypto_sign_verify_detached(bytes + body, signed_bytes, CONTEXT_SIZE + body, issuer) == 0;
}

JoinTokenFault join_token_verify(const uint8_t *bytes, size_t size, const uint8_t issuer[JOIN_TOKEN_KEY], uint64_t now_s, const char *server,
                                 const uint8_t client[JOIN_TOKEN_KEY], JoinToken *token)
{
    if (join_token_decode(bytes, size, token) != NULL) {
        return JOIN_TOKEN_MALFORMED;
    }
    if (!is_signed(bytes, size, issuer)) {
        return JOIN_TOKEN_FORGED;
    }
    if (now_s < token->not_before_s) {
        return JOIN_TOKEN_EARLY;
    }
    if (now_s >= token->expires_s) {
        return JOIN_TOKEN_EXPIRED;
    }
    bool is_here = false;
    for (uint32_t i = 0; i < token->server_count; i++) {
        is_here = is_here || strcmp(token->servers[i], server) == 0;
    }
    if (!is_here) {
        return JOIN_TOKEN_OTHER_SERVER;
    }
    return client == NULL || sodium_memcmp(client, token->client, JOIN_TOKEN_KEY) == 0 ? JOIN_TOKEN_GOOD : JOIN_TOKEN_OTHER_CLIENT;
}

JoinTokenFault join_token_allows(const JoinToken *token, const char *room, size_t room_size, uint32_t slots)
{
    if (strlen(token->room) != room_size || memcmp(token->room, room, room_size) != 0) {
        return JOIN_TOKEN_OTHER_ROOM;
    }
    return slots == token->slot_count ? JOIN_TOKEN_GOOD : JOIN_TOKEN_NOT_FOR_THAT;
}

void join_token_to_text(const uint8_t *bytes, size_t size, char text[JOIN_TOKEN_TEXT_SIZE])
{
    assert(size <= JOIN_TOKEN_SIZE_MAX);
    sodium_bin2base64(text, JOIN_TOKEN_TEXT_SIZE, bytes, size, sodium_base64_VARIANT_URLSAFE_NO_PADDING);
}

bool join_token_from_text(const char *text, size_t text_size, uint8_t bytes[JOIN_TOKEN_SIZE_MAX], size_t *size)
{
    const char *end = NULL;
    size_t      made = 0;
    char        again[JOIN_TOKEN_TEXT_SIZE];
    if (text_size >= JOIN_TOKEN_TEXT_SIZE ||
        sodium_base642bin(bytes, JOIN_TOKEN_SIZE_MAX, text, text_size, NULL, &made, &end, sodium_base64_VARIANT_URLSAFE_NO_PADDING) != 0 ||
        end != text + text_size) {
        return false;
    }
    // libsodium takes letters beyond ASCII for some; what is not written so is not read so.
    join_token_to_text(bytes, made, again);
    if (strlen(again) != text_size || memcmp(again, text, text_size) != 0) {
        return false;
    }
    *size = made;
    return true;
}

JoinTokenFault join_token_use(JoinTokenUsed *used, const JoinToken *token, uint64_t now_s)
{
    uint32_t kept = 0;
    bool     is_used = false;
    for (uint32_t i = 0; i < used->count; i++) {
        is_used = is_used || memcmp(used->items[i].nonce, token->nonce, JOIN_TOKEN_NONCE) == 0;
        if (used->items[i].expires_s > now_s) {
            used->items[kept++] = used->items[i];
        }
    }
    used->count = kept;
    if (is_used) {
        return JOIN_TOKEN_USED;
    }
    if (used->count == JOIN_TOKEN_USED_MAX) {
        return JOIN_TOKEN_TABLE_FULL;
    }
    memcpy(used->items[used->count].nonce, token->nonce, JOIN_TOKEN_NONCE);
    used->items[used->count].expires_s = token->expires_s;
    used->count += 1;
    return JOIN_TOKEN_GOOD;
}

void join_token_give_back(JoinTokenUsed *used, const JoinToken *token)
{
    for (uint32_t i = 0; i < used->count; i++) {
        if (memcmp(used->items[i].nonce, token->nonce, JOIN_TOKEN_NONCE) == 0) {
            used->count -= 1;
            used->items[i] = used->items[used->count];
            return;
        }
    }
}

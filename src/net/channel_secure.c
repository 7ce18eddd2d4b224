// channel_secure.c: see channel_secure.h.
#include "channel_secure.h"

#include <assert.h>
#include <sodium.h>
#include <string.h>

#include "bytes.h"

enum { HEAD = 23, PROLOGUE = HEAD - 1 }; // kind, magic, version, client's id, cookie

static const uint8_t magic[4] = { 'T', 'P', 'U', 'S' };

static const char *const count_names[CHANNEL_COUNTS] = {
    "cookies",    "accepted",  "reaccepted",    "sealed",    "malformed", "plain",    "bad-cookie", "bad-handshake",
    "not-taken", "no-connection", "elsewhere", "forged", "replayed",
};

const char *channel_secure_count_name(ChannelSecureCount count)
{
    return (unsigned)count < CHANNEL_COUNTS ? count_names[count] : "unknown";
}

static void put_head(uint8_t *out, uint8_t kind, uint64_t client_id, uint64_t cookie)
{
    out[0] = kind;
    memcpy(out + 1, magic, sizeof(magic));
    bytes_put_u16(out + 5, CHANNEL_SECURE_VERSION);
    bytes_put_u64(out + 7, client_id);
    bytes_put_u64(out + 15, cookie);
}

size_t channel_secure_knock(const uint8_t *bytes, size_t size, uint8_t open[CHANNEL_DATAGRAM_MAX])
{
    bool is_hello = size == CHANNEL_HELLO_SIZE && bytes[0] == CHANNEL_HELLO;
    bool is_init = size == CHANNEL_INIT_SIZE && bytes[0] == CHANNEL_INIT;
    if ((!is_hello && !is_init) || memcmp(bytes + 1, magic, sizeof(magic)) != 0 || bytes_get_u16(bytes + 5) != CHANNEL_SECURE_VERSION) {
        return 0;
    }
    uint64_t id = bytes_get_u64(bytes + 7), cookie = bytes_get_u64(bytes + 15);
    if (id == 0 || is_hello != (cookie == 0) || (is_hello && !sodium_is_zero(bytes + HEAD, size - HEAD))) {
        return 0;
    }
    return channel_wire_open(open, id, cookie);
}

bool channel_secure_accept(ChannelSecure *secure, const ChannelNoisePair *server, const uint8_t *init)
{
    ChannelNoisePair fleeting;
    ChannelNoise     noise;
    channel_noise_make(&fleeting);
    *secure = (ChannelSecure){ .client_id = bytes_get_u64(init + 7), .server_id = bytes_get_u64(init + 15) };
    secure->message[0] = CHANNEL_ACCEPT;
    bytes_put_u64(secure->message + 1, secure->client_id);
    secure->has_keys = channel_noise_answer(&noise, init + 1, PROLOGUE, server, &fleeting, init + HEAD, secure->message + 9, secure->seal.in, secure->seal.out);
    memcpy(secure->other, noise.other, sizeof(secure->other));
    memcpy(secure->first, init + HEAD, sizeof(secure->first));
    sodium_memzero(&noise, sizeof(noise));
    sodium_memzero(&fleeting, sizeof(fleeting));
    return secure->has_keys;
}

bool channel_secure_is_again(const ChannelSecure *secure, const uint8_t *init)
{
    return memcmp(secure->first, init + HEAD, sizeof(secure->first)) == 0;
}

void channel_secure_init(ChannelSecure *secure, const ChannelNoisePair *own, const uint8_t server[CHANNEL_NOISE_KEY])
{
    *secure = (ChannelSecure){ .is_client = true, .own = *own };
    memcpy(secure->other, server, sizeof(secure->other));
}

void channel_secure_finish(ChannelSecure *secure)
{
    sodium_memzero(secure, sizeof(*secure));
}

// The channel begins again with another id when nobody answers; so does the handshake then. Until it does, INIT is said again as it was.
static size_t ask(ChannelSecure *secure, uint64_t id, uint64_t cookie, uint8_t *out)
{
    if (!secure->has_asked || secure->client_id != id || secure->server_id != cookie) {
        ChannelNoisePair fleeting;
        channel_noise_make(&fleeting);
        secure->client_id = id;
        secure->server_id = cookie;
        secure->has_keys = false;
        memset(&secure->seal, 0, sizeof(secure->seal));
        put_head(secure->message, CHANNEL_INIT, id, cookie);
        secure->has_asked =
            channel_noise_ask(&secure->noise, secure->message + 1, PROLOGUE, &secure->own, &fleeting, secure->other, secure->message + HEAD);
        sodium_memzero(&fleeting, sizeof(fleeting));
    }
    memcpy(out, secure->message, CHANNEL_INIT_SIZE);
    return secure->has_asked ? CHANNEL_INIT_SIZE : 0;
}

static size_t open_out(ChannelSecure *secure, const uint8_t *bytes, size_t size, uint8_t *out)
{
    ChannelDatagram open;
    if (!channel_wire_read(bytes, size, &open)) {
        return 0;
    }
    if (open.cookie != 0) {
        return ask(secure, open.id, open.cookie, out);
    }
    secure->has_asked = secure->has_keys = false;
    memset(out, 0, CHANNEL_HELLO_SIZE);
    put_head(out, CHANNEL_HELLO, open.id, 0);
    return CHANNEL_HELLO_SIZE;
}

size_t channel_secure_out(ChannelSecure *secure, const uint8_t *bytes, size_t size, uint8_t out[CHANNEL_SEALED_MAX])
{
    if (secure->is_client && bytes[0] == CHANNEL_OPEN) {
        return open_out(secure, bytes, size, out);
    }
    return secure->has_keys ? channel_seal(&secure->seal, secure->is_client ? secure->server_id : secure->client_id, bytes, size, out) : 0;
}

static void accepted(ChannelSecure *secure, const uint8_t *bytes, size_t size, ChannelSecureCount *count)
{
    *count = CHANNEL_COUNT_BAD_HANDSHAKE;
    if (size != CHANNEL_ACCEPT_SIZE || !secure->has_asked || bytes_get_u64(bytes + 1) != secure->client_id) {
        return;
    }
    if (secure->has_keys) {
        *count = CHANNEL_COUNT_REACCEPTED; // its answer to an INIT that was said twice
        return;
    }
    if (channel_noise_finish(&secure->noise, bytes + 9, secure->seal.out, secure->seal.in)) {
        sodium_memzero(&secure->noise, sizeof(secure->noise));
        secure->has_keys = true;
        *count = CHANNEL_COUNT_ACCEPTED;
    }
}

static ChannelSecureCount count_of(ChannelUnseal unseal)
{
    switch (unseal) {
    case CHANNEL_UNSEALED: return CHANNEL_COUNT_SEALED;
    case CHANNEL_UNSEAL_SHORT: return CHANNEL_COUNT_MALFORMED;
    case CHANNEL_UNSEAL_FORGED: return CHANNEL_COUNT_FORGED;
    case CHANNEL_UNSEAL_REPLAYED: return CHANNEL_COUNT_REPLAYED;
    }
    return CHANNEL_COUNT_MALFORMED;
}

size_t channel_secure_in(ChannelSecure *secure, const uint8_t *bytes, size_t size, uint8_t out[CHANNEL_DATAGRAM_MAX], ChannelSecureCount *count)
{
    size_t out_size = 0;
    *count = CHANNEL_COUNT_MALFORMED;
    if (size == 0) {
        return 0;
    }
    if (secure->is_client && bytes[0] == CHANNEL_COOKIE && size == CHANNEL_COOKIE_SIZE) {
        *count = CHANNEL_COUNT_COOKIES;
        memcpy(out, bytes, size);
        return size; // the channel knows whether it has asked for one
    }
    if (secure->is_client && bytes[0] == CHANNEL_ACCEPT) {
        accepted(secure, bytes, size, count);
        return 0;
    }
    if (bytes[0] != CHANNEL_SEALED) {
        *count = bytes[0] >= CHANNEL_OPEN && bytes[0] <= CHANNEL_RESET ? CHANNEL_COUNT_PLAIN : CHANNEL_COUNT_MALFORMED;
        return 0;
    }
    if (size <= CHANNEL_SEAL_COST || bytes_get_u64(bytes + 1) != (secure->is_client ? secure->client_id : secure->server_id)) {
        return 0;
    }
    *count = secure->has_keys ? count_of(channel_unseal(&secure->seal, bytes, size, out, &out_size)) : CHANNEL_COUNT_NO_CONNECTION;
    // The channel's own OPEN, COOKIE and RESET have no business under a seal.
    if (*count == CHANNEL_COUNT_SEALED && out[0] != CHANNEL_DATA && out[0] != CHANNEL_FIN) {
        *count = CHANNEL_COUNT_MALFORMED;
        return 0;
    }
    return *count == CHANNEL_COUNT_SEALED ? out_size : 0;
}

// ws_handshake.c: see ws_handshake.h.
#include "ws_handshake.h"

#include <assert.h>
#include <nettle/sha1.h>
#include <sodium.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

// RFC 6455, section 1.3.
#define WS_GUID "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"

enum { KEY_BYTES = 16 };

bool ws_key_is_valid(const char *key)
{
    uint8_t bytes[KEY_BYTES];
    size_t  size = 0;
    size_t  length = strlen(key);
    return length == WS_KEY_SIZE - 1 &&
           sodium_base642bin(bytes, sizeof(bytes), key, length, NULL, &size, NULL, sodium_base64_VARIANT_ORIGINAL) == 0 && size == KEY_BYTES;
}

void ws_key_make(char key[WS_KEY_SIZE])
{
    uint8_t bytes[KEY_BYTES];
    randombytes_buf(bytes, sizeof(bytes));
    sodium_bin2base64(key, WS_KEY_SIZE, bytes, sizeof(bytes), sodium_base64_VARIANT_ORIGINAL);
}

void ws_accept(const char *key, char accept[WS_ACCEPT_SIZE])
{
    struct sha1_ctx hash;
    uint8_t         digest[SHA1_DIGEST_SIZE];
    sha1_init(&hash);
    sha1_update(&hash, strlen(key), (const uint8_t *)key);
    sha1_update(&hash, sizeof(WS_GUID) - 1, (const uint8_t *)WS_GUID);
    sha1_digest(&hash, sizeof(digest), digest);
    sodium_bin2base64(accept, WS_ACCEPT_SIZE, digest, sizeof(digest), sodium_base64_VARIANT_ORIGINAL);
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

bool ws_list_has(const char *list, const char *word, bool is_case_strict)
{
    size_t wanted = strlen(word);
    for (const char *at = list; *at != '\0';) {
        size_t size = strcspn(at, ",");
        const char *next = at[size] == ',' ? at + size + 1 : at + size;
        while (size > 0 && is_blank(*at)) {
            at += 1;
            size -= 1;
        }
        while (size > 0 && is_blank(at[size - 1])) {
            size -= 1;
        }
        if (size == wanted && (is_case_strict ? strncmp(at, word, size) : strncasecmp(at, word, size)) == 0) {
            return true;
        }
        at = next;
    }
    return false;
}

size_t ws_request(char out[WS_REQUEST_SIZE], const char *host, const char *path, const char *key)
{
    int size = snprintf(out, WS_REQUEST_SIZE,
                        "GET %s HTTP/1.1\r\nHost: %s\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Key: %s\r\n"
                        "Sec-WebSocket-Version: " WS_VERSION "\r\nSec-WebSocket-Protocol: " WS_PROTOCOL "\r\n\r\n",
                        path, host, key);
    assert(size > 0 && size < WS_REQUEST_SIZE);
    return (size_t)size;
}

// The answer.

// One header line of `size` bytes without its end, when it has this name: its value, cut into `value`. False: another name, or too long.
static bool take_header(const char *line, size_t size, const char *name, char *value, size_t capacity)
{
    size_t name_size = strlen(name);
    if (size <= name_size || line[name_size] != ':' || strncasecmp(line, name, name_size) != 0) {
        return false;
    }
    const char *at = line + name_size + 1;
    const char *end = line + size;
    while (at < end && is_blank(*at)) {
        at += 1;
    }
    while (end > at && is_blank(end[-1])) {
        end -= 1;
    }
    if ((size_t)(end - at) >= capacity) {
        return false;
    }
    memcpy(value, at, (size_t)(end - at));
    value[end - at] = '\0';
    return true;
}

typedef struct {
    const char *key;
    uint32_t    upgrades, connections, accepts, protocols, extensions;
} Seen;

// Each header must be there once, as it was asked for.
static void look_at_line(Seen *seen, const char *line, size_t size)
{
    char value[128];
    char accept[WS_ACCEPT_SIZE];
    if (take_header(line, size, "Upgrade", value, sizeof(value))) {
        seen->upgrades += strcasecmp(value, "websocket") == 0 ? 1 : 2;
    } else if (take_header(line, size, "Connection", value, sizeof(value))) {
        seen->connections += ws_list_has(value, "Upgrade", false) ? 1 : 2;
    } else if (take_header(line, size, "Sec-WebSocket-Accept", value, sizeof(value))) {
        ws_accept(seen->key, accept);
        seen->accepts += strcmp(value, accept) == 0 ? 1 : 2;
    } else if (take_header(line, size, "Sec-WebSocket-Protocol", value, sizeof(value))) {
        seen->protocols += strcmp(value, WS_PROTOCOL) == 0 ? 1 : 2;
    } else if (take_header(line, size, "Sec-WebSocket-Extensions", value, sizeof(value))) {
        seen->extensions += 1;
    }
}

static bool take_status(const char *head, size_t size, unsigned *status)
{
    static const char start[] = "HTTP/1.1 ";
    size_t            at = sizeof(start) - 1;
    if (size < at + 3 || memcmp(head, start, at) != 0 || (size > at + 3 && head[at + 3] != ' ' && head[at + 3] != '\r')) {
        return false;
    }
    *status = 0;
    for (size_t i = at; i < at + 3; i++) {
        if (head[i] < '0' || head[i] > '9') {
            return false;
        }
        *status = *status * 10 + (unsigned)(head[i] - '0');
    }
    return true;
}

WsAnswer ws_answer(const uint8_t *bytes, size_t size, const char *key, size_t *head_size, unsigned *status)
{
    const char *head = (const char *)bytes;
    const char *end = size > 0 ? memmem(head, size, "\r\n\r\n", 4) : NULL;
    Seen        seen = { .key = key };
    if (end == NULL) {
        return WS_ANSWER_PART;
    }
    *head_size = (size_t)(end - head) + 4;
    if (!take_status(head, *head_size, status) || memchr(head, '\0', *head_size) != NULL) {
        return WS_ANSWER_WRONG;
    }
    if (*status != 101) {
        return WS_ANSWER_REFUSED;
    }
    for (const char *line = head; line < end + 2;) {
        const char *next = memmem(line, (size_t)(end + 2 - line), "\r\n", 2);
        assert(next != NULL);
        look_at_line(&seen, line, (size_t)(next - line));
        line = next + 2;
    }
    bool is_fine = seen.upgrades == 1 && seen.connections == 1 && seen.accepts == 1 && seen.protocols == 1 && seen.extensions == 0;
    return is_fine ? WS_ANSWER_FINE : WS_ANSWER_WRONG;
}

// ws_handshake.h: how a connection becomes a WebSocket (RFC 6455, section 4), as far as both sides need it: keys and lists of a request, a client's
// request, and what the server's answer is worth. Texts only, no sockets.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define WS_PROTOCOL "tickproof.2" ///< Sec-WebSocket-Protocol: the version of the messages
#define WS_VERSION  "13"
#define WS_PATH     "/play"

enum {
    WS_KEY_SIZE     = 25,   ///< of a key's text with its terminator
    WS_ACCEPT_SIZE  = 29,   ///< of its answer's
    WS_REQUEST_SIZE = 1024, ///< room for a client's request
    WS_NAME_SIZE    = 256,  ///< of a host, and of a path, with the terminator
};

/// Whether it is 16 bytes in base 64.
bool ws_key_is_valid(const char *key);
/// A new one, random.
void ws_key_make(char key[WS_KEY_SIZE]);
/// What a server answers to a key.
void ws_accept(const char *key, char accept[WS_ACCEPT_SIZE]);
/// Whether a header's list ("keep-alive, Upgrade") has a word; letters' case counts only when it is told to.
bool ws_list_has(const char *list, const char *word, bool is_case_strict);

/// A client's request; its size. `host` with the port, at most WS_NAME_SIZE - 1 bytes, likewise `path`.
size_t ws_request(char out[WS_REQUEST_SIZE], const char *host, const char *path, const char *key);

typedef enum WsAnswer {
    WS_ANSWER_PART    = 0, ///< its end has not come
    WS_ANSWER_FINE    = 1,
    WS_ANSWER_REFUSED = 2, ///< another status than 101
    WS_ANSWER_WRONG   = 3, ///< no HTTP, or not what was asked for
} WsAnswer;

/// What the server's answer to a request with this key says. FINE: `*head_size` bytes were it, what follows are frames. REFUSED: `*status` is set.
WsAnswer ws_answer(const uint8_t *bytes, size_t size, const char *key, size_t *head_size, unsigned *status);

// gate.h: who may join with which join token: one gate for all threads of a server. It knows the issuer's public key, what the server calls itself,
// and the tokens that were used.
#pragma once

#include <stdatomic.h>
#include <uv.h>

#include "join_token.h"
#include "message.h"
#include "tickproof/layout.h"

enum { GATE_TEXT_SIZE = 192 };

typedef struct Gate {
    uv_mutex_t    mutex; ///< of `used`
    bool          is_open, is_required;
    uint8_t       issuer[JOIN_TOKEN_KEY];
    char          server[JOIN_TOKEN_NAME_MAX + 1];
    JoinTokenUsed used;
    atomic_ullong counts[JOIN_TOKEN_FAULTS]; ///< JOINs by what their tokens came to; GOOD: let in
} Gate;

/// A token as a connection has shown it; what it says is good only once gate_pass has let it in.
typedef struct GateAsk {
    const uint8_t *bytes;  ///< NULL: it has shown none
    size_t         size;
    const uint8_t *client; ///< the key that the connection has proved it has; NULL: it need not
    const char    *room;
    size_t         room_size;
    uint32_t       slots;
} GateAsk;

/// NULL with the reason. `issuer` is its public key.
Gate *gate_create(const uint8_t issuer[JOIN_TOKEN_KEY], const char *server, bool is_required, tp_error *error);
void  gate_destroy(Gate *gate);
/// Seconds since 1970: what tokens are held against. For JOINs alone, never for a tick.
uint64_t gate_now_s(void);
/// True: it may join. With a token, *has_token is set, and the token is used now, until it expires or gate_return. False with reason and text.
bool  gate_pass(Gate *gate, const GateAsk *ask, uint64_t now_s, JoinToken *token, bool *has_token, MessageReason *reason, char text[GATE_TEXT_SIZE]);
/// The JOIN was not granted after all: the token can be used again.
void  gate_return(Gate *gate, const JoinToken *token);

// gate.c: see gate.h.
#include "gate.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef struct Answer {
    MessageReason reason;
    const char   *text;
} Answer;

static const Answer answers[JOIN_TOKEN_FAULTS] = {
    [JOIN_TOKEN_MALFORMED] = { MESSAGE_REASON_TOKEN_FORGED, "the join token is damaged: ask for another one" },
    [JOIN_TOKEN_FORGED] = { MESSAGE_REASON_TOKEN_FORGED, "the join token is not signed by whom this server trusts" },
    [JOIN_TOKEN_EARLY] = { MESSAGE_REASON_TOKEN_EARLY, "the join token is not good yet: wait, or set the clock" },
    [JOIN_TOKEN_EXPIRED] = { MESSAGE_REASON_TOKEN_EXPIRED, "the join token has expired: ask for another one" },
    [JOIN_TOKEN_OTHER_SERVER] = { MESSAGE_REASON_TOKEN_WRONG_SERVER, "the join token is for other servers" },
    [JOIN_TOKEN_OTHER_CLIENT] = { MESSAGE_REASON_TOKEN_WRONG_CLIENT, "the join token is for a client with another key" },
    [JOIN_TOKEN_OTHER_ROOM] = { MESSAGE_REASON_TOKEN_WRONG_ROOM, "the join token is for another room" },
    [JOIN_TOKEN_NOT_FOR_THAT] = { MESSAGE_REASON_TOKEN_WRONG_ROOM, "the join token is for another number of slots" },
    [JOIN_TOKEN_USED] = { MESSAGE_REASON_TOKEN_USED, "the join token has been used: ask for another one" },
    [JOIN_TOKEN_TABLE_FULL] = { MESSAGE_REASON_CROWDED, "the server remembers as many used join tokens as it can: try again later" },
    [JOIN_TOKEN_MISSING] = { MESSAGE_REASON_TOKEN_NEEDED, "this server wants a join token" },
};

Gate *gate_create(const uint8_t issuer[JOIN_TOKEN_KEY], const char *server, bool is_required, tp_error *error)
{
    size_t size = server != NULL ? strlen(server) : 0;
    if (size == 0 || size > JOIN_TOKEN_NAME_MAX) {
        tp_error_set(error, "join tokens name servers, so the server needs a name of 1 to %d letters", JOIN_TOKEN_NAME_MAX);
        return NULL;
    }
    Gate *gate = calloc(1, sizeof(*gate));
    if (gate == NULL || uv_mutex_init(&gate->mutex) < 0) {
        free(gate);
        tp_error_set(error, "out of memory");
        return NULL;
    }
    memcpy(gate->issuer, issuer, sizeof(gate->issuer));
    memcpy(gate->server, server, size + 1);
    gate->is_required = is_required;
    return gate;
}

void gate_destroy(Gate *gate)
{
    if (gate != NULL) {
        uv_mutex_destroy(&gate->mutex);
        free(gate);
    }
}

uint64_t gate_now_s(void)
{
    return (uint64_t)time(NULL);
}

static JoinTokenFault look(Gate *gate, const GateAsk *ask, uint64_t now_s, JoinToken *token)
{
    JoinTokenFault fault = join_token_verify(ask->bytes, ask->size, gate->issuer, now_s, gate->server, ask->client, token);
    fault = fault == JOIN_TOKEN_GOOD ? join_token_allows(token, ask->room, ask->room_size, ask->slots) : fault;
    if (fault == JOIN_TOKEN_GOOD) {
        uv_mutex_lock(&gate->mutex);
        fault = join_token_use(&gate->used, token, now_s);
        uv_mutex_unlock(&gate->mutex);
    }
    return fault;
}

bool gate_pass(Gate *gate, const GateAsk *ask, uint64_t now_s, JoinToken *token, bool *has_token, MessageReason *reason, char text[GATE_TEXT_SIZE])
{
    *has_token = false;
    if (ask->bytes == NULL && !gate->is_required) {
        return true;
    }
    JoinTokenFault fault = ask->bytes != NULL ? look(gate, ask, now_s, token) : JOIN_TOKEN_MISSING;
    atomic_fetch_add_explicit(&gate->counts[fault], 1, memory_order_relaxed);
    *has_token = fault == JOIN_TOKEN_GOOD;
    if (!*has_token) {
        *reason = answers[fault].reason;
        snprintf(text, GATE_TEXT_SIZE, "%s", answers[fault].text);
    }
    return *has_token;
}

void gate_return(Gate *gate, const JoinToken *token)
{
    uv_mutex_lock(&gate->mutex);
    join_token_give_back(&gate->used, token);
    uv_mutex_unlock(&gate->mutex);
}

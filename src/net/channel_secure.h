// channel_secure.h: a channel's datagrams between it and the line, secured: the client's OPENs become HELLO and INIT, the server answers COOKIE and ACCEPT,
// and everything after goes sealed. README.md of this room has the bytes. No heap, no sockets.
//
// In this order a server meets a stranger: the cookie, for which it keeps nothing; the client's key, for which it computes; and only then memory.
#pragma once

#include "channel_door.h"
#include "channel_noise.h"
#include "channel_seal.h"

enum {
    CHANNEL_HELLO  = 16, ///< kinds on the line
    CHANNEL_INIT   = 17,
    CHANNEL_ACCEPT = 18,
    CHANNEL_SECURE_VERSION = 1,
    CHANNEL_HELLO_SIZE  = CHANNEL_SEALED_MAX, ///< as large as any datagram: the answer is smaller, and the path carries such
    CHANNEL_INIT_SIZE   = 23 + CHANNEL_NOISE_FIRST,
    CHANNEL_ACCEPT_SIZE = 9 + CHANNEL_NOISE_SECOND,
};

/// What came and what became of it, by reason. Each datagram counts in one.
typedef enum ChannelSecureCount {
    CHANNEL_COUNT_COOKIES = 0,   ///< HELLOs that were answered
    CHANNEL_COUNT_ACCEPTED,      ///< INITs that made a connection
    CHANNEL_COUNT_REACCEPTED,    ///< INITs that came again
    CHANNEL_COUNT_SEALED,        ///< sealed datagrams that were genuine and new
    CHANNEL_COUNT_MALFORMED,     ///< dropped, this one and all below: no datagram of a secured channel
    CHANNEL_COUNT_PLAIN,         ///< ... one of a channel that is not secured
    CHANNEL_COUNT_BAD_COOKIE,    ///< ... INIT with a cookie that is wrong, too old, or of a connection that has ended
    CHANNEL_COUNT_BAD_HANDSHAKE, ///< ... INIT or ACCEPT for another key, or changed on its way
    CHANNEL_COUNT_NOT_TAKEN,     ///< ... INIT that found no place
    CHANNEL_COUNT_NO_CONNECTION, ///< ... sealed, for an id that nobody has
    CHANNEL_COUNT_ELSEWHERE,     ///< ... sealed, from another address than its client's
    CHANNEL_COUNT_FORGED,        ///< ... sealed with another key, or changed on its way
    CHANNEL_COUNT_REPLAYED,      ///< ... sealed, and it has come before
    CHANNEL_COUNTS,
} ChannelSecureCount;

/// "cookies", "accepted", ...: stable names, for metrics.
const char *channel_secure_count_name(ChannelSecureCount count);

/// One side of a connection. Holds secrets: wiped by channel_secure_finish.
typedef struct ChannelSecure {
    bool             is_client, has_keys, has_asked;
    uint64_t         client_id, server_id; ///< the server's is the cookie
    ChannelSeal      seal;
    uint8_t          other[CHANNEL_NOISE_KEY]; ///< the other side's key
    ChannelNoisePair own;                      ///< the client's
    ChannelNoise     noise;                    ///< the client's, while it asks
    uint8_t          message[CHANNEL_INIT_SIZE]; ///< INIT or ACCEPT, to be said again
    uint8_t          first[CHANNEL_NOISE_FIRST]; ///< the server's: what the INIT had
} ChannelSecure;

// The server's.

/// Gives the OPEN that a HELLO or INIT stands for, for channel_door_knock: the size, 0 when it is neither.
size_t channel_secure_knock(const uint8_t *bytes, size_t size, uint8_t open[CHANNEL_DATAGRAM_MAX]);
/// Once the cookie of an INIT was found good: false when it does not know this server's key, or was changed.
bool channel_secure_accept(ChannelSecure *secure, const ChannelNoisePair *server, const uint8_t *init);
/// Whether it is the INIT that this connection was made of.
bool channel_secure_is_again(const ChannelSecure *secure, const uint8_t *init);

// The client's.

/// `own`: the client's keys; `server`: the key that it insists on.
void channel_secure_init(ChannelSecure *secure, const ChannelNoisePair *own, const uint8_t server[CHANNEL_NOISE_KEY]);

// Both.

void channel_secure_finish(ChannelSecure *secure);
/// What is said on the line for a datagram of the channel: its size, 0 for nothing (yet): the channel takes it for lost.
size_t channel_secure_out(ChannelSecure *secure, const uint8_t *bytes, size_t size, uint8_t out[CHANNEL_SEALED_MAX]);
/// What came for this side: a datagram for its channel, with its size, or 0: ACCEPT, or to be dropped, as *count says.
size_t channel_secure_in(ChannelSecure *secure, const uint8_t *bytes, size_t size, uint8_t out[CHANNEL_DATAGRAM_MAX], ChannelSecureCount *count);

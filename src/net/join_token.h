// join_token.h: what lets one client into one room of some servers, for a while and once: signed by an issuer (`tickproof token`, or a host's own backend)
// whose public key is all that a server needs. README.md of this room has the bytes. No heap, no clock, no sockets.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    JOIN_TOKEN_VERSION     = 1,
    JOIN_TOKEN_HEAD        = 72,  ///< bytes before the slots
    JOIN_TOKEN_NAME_MAX    = 63,  ///< letters of a room's or server's name
    JOIN_TOKEN_SLOTS_MAX   = 128,
    JOIN_TOKEN_SERVERS_MAX = 8,
    JOIN_TOKEN_KEY         = 32,  ///< bytes of a public key
    JOIN_TOKEN_SECRET      = 64,  ///< bytes of an issuer's secret key
    JOIN_TOKEN_NONCE       = 16,
    JOIN_TOKEN_SIGNATURE   = 64,
    JOIN_TOKEN_LIFE_MAX    = 86400, ///< seconds from not_before to expires: used ones are kept so long
    JOIN_TOKEN_SIZE_MAX    = JOIN_TOKEN_HEAD + JOIN_TOKEN_SLOTS_MAX + 1 + JOIN_TOKEN_NAME_MAX + 1 + JOIN_TOKEN_SERVERS_MAX * (1 + JOIN_TOKEN_NAME_MAX) +
                             JOIN_TOKEN_SIGNATURE,
    JOIN_TOKEN_TEXT_SIZE   = (JOIN_TOKEN_SIZE_MAX + 2) / 3 * 4 + 1, ///< as text, with its terminator
    JOIN_TOKEN_USED_MAX    = 8192, ///< used ones that are remembered at once
};

typedef enum JoinTokenRole {
    JOIN_TOKEN_PLAY  = 1,
    JOIN_TOKEN_WATCH = 2, ///< has no slots
} JoinTokenRole;

typedef struct JoinToken {
    JoinTokenRole role;
    uint8_t       slot_count; ///< how many may be taken
    uint8_t       exact_count; ///< 0: any; else slot_count: these
    uint8_t       slots[JOIN_TOKEN_SLOTS_MAX]; ///< ascending
    uint64_t      not_before_s, expires_s;     ///< since 1970; good from the one until just before the other
    uint8_t       nonce[JOIN_TOKEN_NONCE];     ///< not all zero
    uint8_t       client[JOIN_TOKEN_KEY];      ///< X25519
    char          room[JOIN_TOKEN_NAME_MAX + 1];
    uint8_t       server_count;                ///< at least 1
    char          servers[JOIN_TOKEN_SERVERS_MAX][JOIN_TOKEN_NAME_MAX + 1]; ///< names that servers call themselves
} JoinToken;

typedef enum JoinTokenFault {
    JOIN_TOKEN_GOOD = 0,
    JOIN_TOKEN_MALFORMED, ///< bytes that are no token
    JOIN_TOKEN_FORGED,    ///< not signed by this issuer
    JOIN_TOKEN_EARLY,
    JOIN_TOKEN_EXPIRED,
    JOIN_TOKEN_OTHER_SERVER,
    JOIN_TOKEN_OTHER_CLIENT,
    JOIN_TOKEN_OTHER_ROOM,
    JOIN_TOKEN_NOT_FOR_THAT, ///< another role, or another number of slots
    JOIN_TOKEN_USED,
    JOIN_TOKEN_TABLE_FULL,   ///< so many used ones are remembered that this one could not be: refused rather than forgotten
    JOIN_TOKEN_MISSING,
    JOIN_TOKEN_FAULTS,
} JoinTokenFault;

/// "good", "token-malformed", ...: stable names.
const char *join_token_fault_name(JoinTokenFault fault);

/// NULL, or what is out of its bounds.
const char *join_token_check(const JoinToken *token);
/// Signs; gives the size, 0 when something is out of its bounds.
size_t join_token_sign(const JoinToken *token, const uint8_t secret[JOIN_TOKEN_SECRET], uint8_t bytes[JOIN_TOKEN_SIZE_MAX]);
/// Strict, and without looking at the signature: NULL, or what is wrong. There is one spelling.
const char *join_token_decode(const uint8_t *bytes, size_t size, JoinToken *token);
/// Everything about a token that does not depend on what it is used for. `client` NULL: nobody knows the connection's key (not over datagrams).
JoinTokenFault join_token_verify(const uint8_t *bytes, size_t size, const uint8_t issuer[JOIN_TOKEN_KEY], uint64_t now_s, const char *server,
                                 const uint8_t client[JOIN_TOKEN_KEY], JoinToken *token);
/// Whether it is for that room, and so many slots (0: to watch).
JoinTokenFault join_token_allows(const JoinToken *token, const char *room, size_t room_size, uint32_t slots);
/// base64url without padding, and back: false when it is not that, in its one spelling.
void join_token_to_text(const uint8_t *bytes, size_t size, char text[JOIN_TOKEN_TEXT_SIZE]);
bool join_token_from_text(const char *text, size_t text_size, uint8_t bytes[JOIN_TOKEN_SIZE_MAX], size_t *size);

/// Tokens that were used, each until it expires. Zeroed is empty. The owner locks.
typedef struct JoinTokenUsed {
    struct { uint8_t nonce[JOIN_TOKEN_NONCE]; uint64_t expires_s; } items[JOIN_TOKEN_USED_MAX];
    uint32_t count;
} JoinTokenUsed;

/// GOOD: it is used now. USED, or TABLE_FULL.
JoinTokenFault join_token_use(JoinTokenUsed *used, const JoinToken *token, uint64_t now_s);
/// The JOIN that it was for was not granted.
void           join_token_give_back(JoinTokenUsed *used, const JoinToken *token);

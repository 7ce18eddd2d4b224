// channel_wire.h: the datagrams of a channel, byte by byte as README.md of this room has them. Reading takes foreign bytes: what is accepted
// has every count and length in its bounds, and one spelling. No heap, no sockets, no state.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    CHANNEL_DATAGRAM_MAX  = 1232, ///< bytes: IPv6 carries them everywhere (1,280 less its heads)
    CHANNEL_MESSAGE_MAX   = 1200,
    CHANNEL_VERSION       = 1,
    CHANNEL_OPEN_SIZE     = CHANNEL_DATAGRAM_MAX, ///< of an OPEN without a cookie: whoever answers it sends less
    CHANNEL_REOPEN_SIZE   = 23,                   ///< of an OPEN with one
    CHANNEL_COOKIE_SIZE   = 17,
    CHANNEL_RESET_SIZE    = 13,
    CHANNEL_HEAD_SIZE     = 24, ///< of DATA and FIN, with the size of the mask
    CHANNEL_FIN_SIZE      = 5,
    CHANNEL_RUN_SIZE      = 5, ///< head of a run of messages
    CHANNEL_MASK_MAX      = 127,
    CHANNEL_RUN_COUNT_MAX = 255,
};

typedef enum ChannelKind {
    CHANNEL_OPEN   = 1, ///< from clients: wants a connection
    CHANNEL_COOKIE = 2, ///< from servers: say that again with this
    CHANNEL_DATA   = 3,
    CHANNEL_FIN    = 4, ///< DATA, and the last message has been sent
    CHANNEL_RESET  = 5, ///< from servers: there is no such connection
} ChannelKind;

typedef struct ChannelDatagram {
    ChannelKind    kind;
    uint64_t       id;     ///< OPEN, COOKIE: the client's; DATA, FIN: the receiver's; RESET: the server's, as it was sent to
    uint64_t       cookie; ///< OPEN (0: none yet), COOKIE: the server's id of the connection
    // DATA and FIN.
    uint32_t       number;   ///< of this datagram; RESET: of the one that it answers
    uint32_t       seen;     ///< the highest number that has come, 0: none
    uint16_t       delay;    ///< for how long it has been there, in units of 10 us
    uint32_t       next;     ///< the first message that has not come
    uint8_t        mask_size;
    bool           is_cut;   ///< the mask tells of the first messages only
    const uint8_t *mask;     ///< bit i: message next + 1 + i has come
    uint32_t       fin_end;  ///< FIN: no message has this number, or a higher one
    bool           fin_cuts; ///< FIN: nothing more comes, whatever is missing
    const uint8_t *runs;
    size_t         runs_size;
    uint32_t       message_count;
} ChannelDatagram;

typedef struct ChannelRuns {
    const uint8_t *at, *end;
    uint32_t       number;
    uint8_t        left;
} ChannelRuns;

/// False: it is no datagram of a channel. It borrows from `bytes`.
bool channel_wire_read(const uint8_t *bytes, size_t size, ChannelDatagram *datagram);
/// Kind and id alone, of whatever it is. False when there are not so many bytes.
bool channel_wire_id(const uint8_t *bytes, size_t size, ChannelKind *kind, uint64_t *id);
ChannelRuns channel_wire_runs(const ChannelDatagram *datagram);
/// The next message of one that was read; false when there is none.
bool channel_wire_next(ChannelRuns *runs, uint32_t *number, const uint8_t **bytes, uint16_t *size);

// Each gives the bytes written, at most CHANNEL_DATAGRAM_MAX.

size_t channel_wire_open(uint8_t *out, uint64_t client_id, uint64_t cookie);
size_t channel_wire_cookie(uint8_t *out, uint64_t client_id, uint64_t cookie);
size_t channel_wire_reset(uint8_t *out, uint64_t server_id, uint32_t number);
/// What a server answers to a datagram that is for no connection of its: RESET to DATA and FIN. 0: nothing.
size_t channel_wire_answer(uint8_t *out, const uint8_t *bytes, size_t size);
/// Of DATA and FIN everything before the runs.
size_t channel_wire_head(uint8_t *out, const ChannelDatagram *datagram);

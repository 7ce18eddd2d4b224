// channel.h: ordered, reliable messages of 1 to CHANNEL_MESSAGE_MAX bytes over datagrams that get lost, come twice and overtake each other. No
// socket and no clock: whoever has both gives it what came, with the time in microseconds, and takes what is to be sent. README.md of this room
// has the bytes and the reasons.
//
// What has not been acknowledged goes along again in every datagram that has room for it, so a lost datagram of small messages costs no round
// trip: the next one brings them. What does not fit is sent again once it is known to be lost. All of it stays within a window that grows with what
// arrives and shrinks with what does not.
//
// Memory is bounded: out_max outwards (each message counts with CHANNEL_MESSAGE_COST on top of its bytes), held_max messages inwards that have come
// before their turn. Nothing is allocated once both have reached their size.
#pragma once

#include "channel_wire.h"

enum {
    CHANNEL_MESSAGE_COST = 16,   ///< what is kept of each message beside its bytes, as out_max counts it
    CHANNEL_WINDOW       = 1016, ///< messages from the first unacknowledged one on that may be under way: what a whole mask tells of
    CHANNEL_COPIES       = 16,   ///< messages of a datagram that were sent before and may still be under way: of inputs, the last 16
    CHANNEL_BURST        = 32,   ///< datagrams in one millisecond
    CHANNEL_WINDOW_MIN   = 8 * CHANNEL_DATAGRAM_MAX,  ///< bytes under way, however much gets lost
    CHANNEL_WINDOW_FIRST = 10 * CHANNEL_DATAGRAM_MAX, ///< as RFC 6928 has it
    CHANNEL_WINDOW_MOST  = CHANNEL_WINDOW * CHANNEL_DATAGRAM_MAX,
    CHANNEL_HELD_MAX     = 1024, ///< what held_max may be
    CHANNEL_ACK_US       = 25000,   ///< an acknowledgement waits so long for something to ride on
    CHANNEL_FIRST_RTT_US = 100000,  ///< before anything was measured
    CHANNEL_PROBE_MAX_US = 2000000, ///< however long nothing came: after so long something is sent again
    CHANNEL_OPEN_US      = 250000,  ///< OPEN is repeated after it, then after twice as long, then every second
    CHANNEL_OPEN_TRIES   = 4,       ///< OPENs with a cookie that stay unanswered; then another connection is asked for
    CHANNEL_CLOSE_US     = 500000,  ///< how long a closing one says so and sends what is left
};

#define CHANNEL_NEVER UINT64_MAX

typedef enum ChannelState {
    CHANNEL_ASKING   = 0, ///< client: wants a cookie
    CHANNEL_GREETING = 1, ///< client: has one, and has not heard of the connection yet; sends already
    CHANNEL_STANDING = 2,
    CHANNEL_CLOSING  = 3, ///< from this side
    CHANNEL_OVER     = 4,
} ChannelState;

typedef enum ChannelEnd {
    CHANNEL_CLOSED = 0, ///< channel_close, and the other side knows or does not answer
    CHANNEL_GONE   = 1, ///< the other side closed, and all of its messages were given
    CHANNEL_CUT    = 2, ///< the other side closed without waiting, or knows nothing of the connection (any more)
} ChannelEnd;

typedef enum ChannelSend {
    CHANNEL_SENT      = 0,
    CHANNEL_FULL      = 1, ///< more than out_max would wait
    CHANNEL_NO_MEMORY = 2,
} ChannelSend;

typedef struct ChannelOptions {
    size_t   out_max;
    uint32_t held_max; ///< a power of two, at most CHANNEL_HELD_MAX
} ChannelOptions;

typedef struct ChannelEntry ChannelEntry;
typedef struct ChannelHeld  ChannelHeld;

typedef struct Channel {
    ChannelState state;
    ChannelEnd   end;    ///< when OVER
    bool         is_client, is_deaf;
    uint64_t     own_id, other_id; ///< that datagrams to this side have, and those to the other
    ChannelOptions options;

    // Outwards: messages first .. end_number - 1 wait for an acknowledgement, from `fresh` on they were never sent. Bytes lie in a ring.
    ChannelEntry *entries;
    uint8_t      *ring;
    uint32_t      entry_capacity; ///< a power of two
    size_t        ring_capacity;
    uint64_t      place;          ///< in the ring, of the next message, counted on and on
    uint32_t      first, fresh, end_number;
    size_t        waiting;        ///< bytes of these, as out_max counts them
    uint32_t      lost_count;     ///< of these, known to be lost
    uint32_t      number, acked;  ///< datagrams: the last sent, the highest that has come there
    uint32_t      flying, window, threshold; ///< bytes under way; how many may be; where slow start ends
    uint32_t      recovery;       ///< losses of datagrams up to it have been counted in the window
    uint64_t      grown;          ///< bytes acknowledged towards the window's next step
    bool          is_limited;     ///< the window has held something back
    uint32_t      rtt_us, rtt_spread_us; ///< 0: not known
    uint32_t      measured;       ///< the datagram whose round trip is being measured
    uint64_t      measured_us;    ///< when it was sent; 0: none is
    uint64_t      said_us;        ///< when messages were sent last; what is unanswered is counted from here
    uint32_t      tries;          ///< since something was acknowledged
    bool          is_probing;
    uint64_t      burst_us;
    uint32_t      burst;

    // Inwards.
    uint32_t     next, seen; ///< the message whose turn it is; the highest datagram
    uint64_t     seen_us;
    uint64_t     ack_us;     ///< when it has to be acknowledged; NEVER: nothing is owed
    uint32_t     large;      ///< datagrams since the last acknowledgement
    ChannelHeld *held;       ///< by number modulo capacity
    uint32_t     held_capacity, held_count;

    // Beginning and end.
    uint64_t open_us, fin_us, close_us; ///< when OPEN, FIN are due; when closing is over
    uint32_t open_tries;
    bool     has_fin, owes_fin, is_cutting;
    bool     has_stood;   ///< the other side has answered
    uint32_t stood_number; ///< datagrams up to it may have come there before the connection stood
    uint32_t fin_end;

    uint64_t datagrams_in, datagrams_out, bytes_in, bytes_out, messages_in, messages_out;
    uint64_t malformed, dropped, again, losses; ///< datagrams; messages that had no place; messages sent once more; losses found
} Channel;

/// The client's side. `id` is random and not 0.
void channel_init_client(Channel *channel, uint64_t id, const ChannelOptions *options, uint64_t now_us);
/// The server's side, once channel_door.h has found an OPEN's cookie good: the cookie is the connection's id here.
void channel_init_server(Channel *channel, uint64_t client_id, uint64_t cookie, const ChannelOptions *options, uint64_t now_us);
/// Zeroed is fine.
void channel_finish(Channel *channel);

/// Keeps a copy. Not while closing or over (asserted).
ChannelSend channel_send(Channel *channel, const uint8_t *bytes, size_t size);
/// Takes a datagram and gives messages in order, each borrowed for the call; from inside it may send and close, and after closing gets no more.
/// False: it was dropped, as malformed or not for this channel. It may be OVER afterwards; channel_next has its last word even so.
bool channel_receive(Channel *channel, uint64_t now_us, const uint8_t *bytes, size_t size,
                     void (*message)(void *to, const uint8_t *bytes, size_t size), void *to);
/// The OPEN of a server's side came again: it has not heard that it stands.
void channel_greet_again(Channel *channel, uint64_t now_us);
/// The next datagram that is due, or 0. To be called until it gives 0, after channel_receive, after what was to be sent, and at channel_due_us.
size_t channel_next(Channel *channel, uint64_t now_us, uint8_t datagram[CHANNEL_DATAGRAM_MAX]);
/// When channel_next has something again, if nothing else happens; 0: at once.
uint64_t channel_due_us(const Channel *channel, uint64_t now_us);
/// Says FIN, and sends what waits for CHANNEL_CLOSE_US at most. `cuts`: throws away what waits, here and there. Again is fine.
void channel_close(Channel *channel, bool cuts, uint64_t now_us);
/// Gives memory back that nothing lies in and that is more than `keep` bytes.
void channel_trim(Channel *channel, size_t keep);

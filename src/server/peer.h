// peer.h: one client's connection, on the loop of the main thread until it has asked for a room, then on that of the room's worker.
// What holds on both is here: who may speak and how much, and how a connection ends. What a message means for a room is its host's.
#pragma once

#include <stdatomic.h>

#include "addresses.h"
#include "carrier.h"
#include "directory.h"
#include "gate.h"
#include "server.h"
#include "udp_host.h"

typedef struct Peer     Peer;
typedef struct PeerHost PeerHost;

enum { PEER_ENDS = 32 };

/// A room's side of a membership; see room_live.h.
struct Member;

struct Peer {
    Carrier   carrier;
    PeerHost *host;
    Peer     *previous, *next;   ///< of the host's peers
    Peer     *next_dirty;
    bool      is_dirty, has_hello, is_leaving;
    bool      is_counted;        ///< in the host's addresses
    uint64_t  deadline_ms;       ///< of the loop's time: silence, or the last moment of a leaving one
    uint64_t  credit_ms;         ///< when the three were counted
    int64_t   credit;            ///< thousandths of messages it may send now; likewise below
    int64_t   input_credit;      ///< of INPUT
    int64_t   list_credit;       ///< of LIST
    uint64_t  inputs_per_second; ///< that its memberships need
    uint64_t  inputs_most;       ///< the most that they have needed
    uint32_t  pieces_credit;     ///< PIECEs that it was asked for
    uint32_t  wrong_keys;        ///< of administrators that are none
    uint64_t  bytes_before;      ///< the carrier's bytes_out at the last look, to know who reads
    uint8_t  *token;             ///< the last join token that it has shown; NULL: none
    uint16_t  token_size;
    bool      has_list;          ///< a page waits for its turn: `list_first`
    uint32_t  list_first;
    Address   address;
    char      address_text[ADDRESS_TEXT_SIZE];
    struct Member **members;     ///< by room number
    uint32_t  member_count, member_capacity;
};

/// A connection on its way from the main thread to a worker.
typedef struct PeerParcel {
    struct PeerParcel *next;
    uv_os_sock_t       socket;
    bool               is_ws;      ///< a WebSocket: its handshake is over
    Address            address;
    char               address_text[ADDRESS_TEXT_SIZE];
    uint32_t           number;     ///< the room it asked for
    uint8_t           *token;      ///< as the peer's
    uint16_t           token_size;
    size_t             join_size;
    uint8_t            join[MESSAGE_SIZE_MAX]; ///< the message that brought it here: JOIN or ADMIN
    size_t             rest_size;
    uint8_t            rest[];     ///< read already, after the JOIN
} PeerParcel;

/// One loop's peers. Must not move while it is open.
struct PeerHost {
    uv_loop_t             *loop;
    const ServerNetLimits *limits;    ///< filled in: no zeroes
    const Directory       *directory;
    Addresses             *addresses;
    Gate                  *gate;      ///< NULL: join tokens mean nothing here
    void                  *to;
    /// A JOIN for room `number` of the directory, whose message is `bytes`.
    void (*join)(void *to, Peer *peer, const Message *message, uint32_t number, const uint8_t *bytes, size_t size);
    /// An ADMIN for a live room of the directory, likewise.
    void (*admin)(void *to, Peer *peer, const Message *message, uint32_t number, const uint8_t *bytes, size_t size);
    /// A moment between messages: whatever is due may be done. May be NULL.
    void (*breathe)(void *to);
    /// LEAVE, READY, INPUT, REPORT, OWN_STATE, PIECE or CHAT.
    void (*room_message)(void *to, Peer *peer, const Message *message);
    /// The peer leaves: its memberships end now, for this reason.
    void (*leave)(void *to, Peer *peer, uint32_t reason);
    /// One peer less. May be NULL.
    void (*gone)(void *to);
    UdpHost      *udp;                ///< that its peers over datagrams share; NULL: none
    uv_prepare_t flush;               ///< before the loop waits: what was said in this turn leaves
    uv_timer_t   look;                ///< for silent and leaving ones
    uint64_t     look_due_ms;         ///< 0: it has not looked yet
    Peer        *peers, *dirty;
    uint32_t     count;
    uint32_t     messages;            ///< since the last breath
    uint64_t     list_ms;             ///< when `list_credit` was counted
    int64_t      list_credit;         ///< thousandths of pages that all may have now
    bool         is_open;
    /// Connections ended by reason (MessageReason), or at 0 by the client itself. Read by the main thread.
    atomic_ullong ends[PEER_ENDS];
};

int  peer_host_open(PeerHost *host);
void peer_host_close(PeerHost *host); ///< the handles; peers must be gone, or dropped by peer_host_drop
/// What was said so far leaves now, not only when the loop waits.
void peer_host_flush(PeerHost *host);
/// All leave with BYE.
void peer_host_bye(PeerHost *host, MessageReason reason);
/// Closes what is left, without waiting for anybody.
void peer_host_drop(PeerHost *host);

/// A new connection of a listener. Counts it; what is too much gets BYE (crowded). Negative libuv error when there was none to take.
int  peer_accept(PeerHost *host, uv_stream_t *listener);
/// The same for one that comes by datagrams, from inside the UDP host's `arrived`. Negative libuv error when it cannot be taken.
int  peer_accept_udp(PeerHost *host, UdpHost *udp, const UdpArrival *arrival);
/// Takes a socket that is a WebSocket already, with bytes of it that were read; counted like a listener's. It is the host's also when it fails.
void peer_take_ws(PeerHost *host, uv_os_sock_t socket, const uint8_t *bytes, size_t size);
/// Takes a parcel's socket; NULL when that cannot be done, and the socket is closed and no longer counted. The bytes of the rest
/// follow from inside the loop. The parcel stays the caller's.
Peer *peer_adopt(PeerHost *host, const PeerParcel *parcel);
/// Packs a peer up, from inside its JOIN, and lets go of it. NULL with a libuv error when it cannot be done now: the peer is as it was.
PeerParcel *peer_pack(Peer *peer, uint32_t number, const uint8_t *join, size_t join_size, int *status);
/// Takes a parcel that nobody wants any more, with a BYE for its client. Frees it.
void peer_return(PeerHost *host, PeerParcel *parcel);
/// Throws a parcel away with its connection.
void peer_parcel_drop(PeerHost *host, PeerParcel *parcel);
/// Something of it was heard, so it is not silent.
void peer_heard(Peer *peer);
/// One more room, with so many inputs a second.
void peer_add_room(Peer *peer, uint64_t inputs_per_second);
/// One less.
void peer_drop_room(Peer *peer, uint64_t inputs_per_second);

/// Bytes that wait for it to be read, after what was said has been handed to the system when it is much; and how many may wait at most.
size_t peer_waiting(Peer *peer);
size_t peer_waiting_max(const Peer *peer);
/// It was asked to send so many PIECEs: they cost no credit.
void peer_allow_pieces(Peer *peer, uint32_t count);

void peer_send(Peer *peer, const Message *message);
/// The same for bytes that are encoded already.
void peer_send_bytes(Peer *peer, const uint8_t *bytes, size_t size);
void peer_refuse(Peer *peer, uint32_t cookie, MessageReason reason, const char *text);
void peer_answer_admin(Peer *peer, uint32_t room, uint32_t epoch, uint64_t tick, uint32_t cookie, bool is_done, const char *text);
/// Says why, stops listening, and closes once the other side has gone, or a second later. Memberships end at once.
void peer_bye(Peer *peer, MessageReason reason, const char *text);

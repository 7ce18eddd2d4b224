// carrier.h: messages over one connection on a libuv loop: a TCP connection, whose stream is frames as frame.h cuts them, the same as a WebSocket, whose
// frames are ws.h's, or a channel over datagrams (udp_host.h opens those; carrier_accept, carrier_adopt, carrier_connect and carrier_release are TCP's).
//
// Memory is bounded: one read (FRAME_BUFFER_SIZE) inwards, `out_max` bytes outwards. What is sent is collected and leaves at
// carrier_flush, so that many messages of one moment cost one system call. Nothing is allocated once the out buffers have reached
// their size. All calls are made on the loop's thread, or while the loop does not run. The process must ignore SIGPIPE: libuv writes
// plainly, and the other side may be gone.
#pragma once

#include <uv.h>

#include "frame.h"

typedef enum CarrierEnd {
    CARRIER_CLOSED    = 0, ///< carrier_close was called
    CARRIER_GONE      = 1, ///< the other side closed
    CARRIER_FAILED    = 2, ///< the system said no: `status`
    CARRIER_MALFORMED = 3, ///< a length of 0 or above MESSAGE_SIZE_MAX; over a WebSocket all that ws.h calls wrong
    CARRIER_SLOW      = 4, ///< the other side does not read: more than out_max bytes wait
} CarrierEnd;

typedef enum CarrierKind {
    CARRIER_TCP = 0,
    CARRIER_UDP = 1,
    CARRIER_WS  = 2,
} CarrierKind;

typedef struct Carrier Carrier;
typedef struct CarrierWs CarrierWs;
struct CarrierUdp;

typedef struct CarrierEvents {
    /// One whole frame, not decoded. May send, flush, and close the carrier; afterwards nothing more of it comes.
    void (*message)(void *to, const uint8_t *bytes, size_t size);
    /// Once, when it ends, from inside the loop and never from inside a call of this page; `status` is libuv's. The handle is closed and
    /// the memory is free when it is called: it may free the carrier.
    void (*ended)(void *to, CarrierEnd end, int status);
    /// carrier_connect only, may be NULL: it is connected.
    void (*connected)(void *to);
    /// The stream is broken: a length that cannot be. What follows is thrown away, and the receiver closes the carrier when it has said
    /// so. NULL: the carrier ends as MALFORMED.
    void (*broken)(void *to);
} CarrierEvents;

/// Owned by the caller; must not move between open and `ended`.
struct Carrier {
    uv_tcp_t      handle;
    uv_idle_t     later;        ///< runs in the loop's next turn what may not happen inside a call
    uv_connect_t  connect;
    uv_write_t    write;
    CarrierEvents events;
    void         *to;
    CarrierEnd    end;
    int           status;
    int           write_status; ///< a write failed: the carrier ends as soon as the loop has read once more
    bool          is_open, is_ending, is_connected, is_reading, is_writing, has_waited, is_discarding;
    uint8_t       handles_open;
    struct CarrierUdp *udp; ///< over datagrams; NULL: over TCP
    CarrierWs    *ws;           ///< over a WebSocket; NULL: not
    FrameReader   in;
    uint8_t      *out, *writing; ///< collected; handed to the system
    size_t        out_size, out_capacity, writing_size, writing_capacity;
    size_t        out_max;
    uint64_t      bytes_in, bytes_out, messages_in, messages_out; ///< `bytes_out`: that the system took; over datagrams: that the other side has
};

/// Prepares the handle; nothing flows yet. `out_max` is at least FRAME_SIZE_MAX. 0 or a libuv error, and then nothing is open.
int carrier_open(Carrier *carrier, uv_loop_t *loop, const CarrierEvents *events, void *to, size_t out_max);
/// Takes a waiting connection of a listener, and reads. 0 or a libuv error: then carrier_close is still due.
int carrier_accept(Carrier *carrier, uv_stream_t *listener);
/// Takes over a connected socket with bytes that were read from it already (at most FRAME_BUFFER_SIZE, else UV_ENOBUFS), and reads. The
/// bytes are copied; their messages come from inside the loop. The socket is the carrier's when 0 is returned; else carrier_close is due.
int carrier_adopt(Carrier *carrier, uv_os_sock_t socket, const uint8_t *bytes, size_t size);
/// The same for a socket that is a WebSocket already, on the server's side: its handshake is over.
int carrier_adopt_ws(Carrier *carrier, uv_os_sock_t socket, const uint8_t *bytes, size_t size);
/// `connected` or `ended` follows, also when a libuv error is returned at once.
int carrier_connect(Carrier *carrier, const struct sockaddr *address);
/// The same as a WebSocket's client: `connected` follows the handshake. `host` is what the request says ("127.0.0.1:7780"), `path` as it stands in it.
/// Ends as FAILED with UV_EPROTO when the answer is another one than a WebSocket's; then carrier_ws_status has the answer's status, 0: it was no HTTP.
int carrier_connect_ws(Carrier *carrier, const struct sockaddr *address, const char *host, const char *path);
unsigned carrier_ws_status(const Carrier *carrier);
CarrierKind carrier_kind(const Carrier *carrier);
/// Collects one message of 1 to MESSAGE_SIZE_MAX bytes. False once the carrier is ending, or when it does not fit out_max although
/// what was collected has been handed to the system as far as it took it: then the carrier ends as SLOW. Out of memory: as FAILED.
bool carrier_send(Carrier *carrier, const uint8_t *bytes, size_t size);
/// Hands what was collected to the system. Cheap when there is nothing. Before the connection stands, or while the system has not taken
/// what it was given earlier, this happens by itself as soon as it can.
void carrier_flush(Carrier *carrier);
/// Bytes that wait for the other side to read them, as out_max counts them: what the system took of a write counts until all of it is taken.
size_t carrier_waiting(const Carrier *carrier);
/// Gives the socket away: a duplicate that outlives the carrier, which ends as CLOSED without disturbing the connection. Only
/// when nothing waits to be written (else UV_EBUSY), and of a WebSocket only from inside `message` (likewise). Called from inside `message`: bytes after that message that were read already
/// are given to `rest` (up to `capacity`, *size of them; FRAME_BUFFER_SIZE is always enough, too small is UV_ENOBUFS). Negative libuv
/// error when it cannot be done; the carrier is then as it was.
int carrier_release(Carrier *carrier, uv_os_sock_t *socket, uint8_t *rest, size_t capacity, size_t *size);
/// The code that a WebSocket's closing frame will have (ws.h); the first one stands. Nothing to others.
void carrier_say_code(Carrier *carrier, uint16_t code);
/// Why the stream is broken, for people. From inside `broken`.
const char *carrier_wrong(const Carrier *carrier);
/// Gives the buffers back when nothing waits in them and they have grown beyond `keep` bytes: for a quiet moment now and then.
void carrier_trim(Carrier *carrier, size_t keep);
/// From now on what comes is thrown away, unread: for a side that has said its last word and lets the other one read it. A WebSocket's closing frame
/// is collected.
void carrier_discard(Carrier *carrier);
/// What waits to be written is tried once more and then dropped. `ended` follows. Again is fine.
void carrier_close(Carrier *carrier);
/// Frees the buffers. After `ended`, or when it was never open.
void carrier_finish(Carrier *carrier);

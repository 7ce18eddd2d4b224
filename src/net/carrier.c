// carrier.c: one TCP connection, also of a WebSocket, whose frames are carrier_ws.c's, and the way to carrier_udp.c for one over datagrams.
//
// Each carrier reads into a buffer of its own, not into one that all share: a buffer per thread
// would cost every thread of the process, and a loop that is closed on another thread than it ran on would find the wrong one.
#include "carrier.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include "bytes.h"
#include "carrier_udp.h"
#include "carrier_ws.h"

enum { OUT_CAPACITY_FIRST = 2048 };

static void on_closed(uv_handle_t *handle)
{
    Carrier *carrier = handle->data;
    assert(carrier->handles_open > 0);
    carrier->handles_open -= 1;
    if (carrier->handles_open == 0) {
        assert(!carrier->is_writing); // libuv gives back a write before it closes
        carrier->is_open = false;
        carrier->events.ended(carrier->to, carrier->end, carrier->status); // the carrier may be gone now
    }
}

void carrier_end_as(Carrier *carrier, CarrierEnd end, int status)
{
    if (carrier->is_ending) {
        return;
    }
    carrier->is_ending = true;
    carrier->end = end;
    carrier->status = status;
    uv_close((uv_handle_t *)&carrier->later, on_closed);
    uv_close((uv_handle_t *)&carrier->handle, on_closed);
}

static void deliver(Carrier *carrier)
{
    const uint8_t *message = NULL;
    size_t         size = 0;
    if (carrier->ws != NULL) {
        carrier_ws_deliver(carrier);
        return;
    }
    while (!carrier->is_ending) {
        if (carrier->is_discarding) {
            carrier->in.start = carrier->in.end = 0;
            return;
        }
        FrameStatus status = frame_next(&carrier->in, &message, &size);
        if (status == FRAME_PART) {
            return;
        }
        if (status == FRAME_MALFORMED && carrier->events.broken != NULL) {
            carrier_discard(carrier);
            carrier->events.broken(carrier->to);
            continue;
        }
        if (status == FRAME_MALFORMED) {
            carrier_end_as(carrier, CARRIER_MALFORMED, 0);
            return;
        }
        carrier->messages_in += 1;
        carrier->events.message(carrier->to, message, size);
    }
}

static void on_alloc(uv_handle_t *handle, size_t suggested, uv_buf_t *buffer)
{
    (void)suggested;
    Carrier *carrier = handle->data;
    size_t   size = 0;
    uint8_t *space = frame_space(&carrier->in, &size);
    *buffer = uv_buf_init((char *)space, (unsigned)size);
}

static void on_read(uv_stream_t *stream, ssize_t count, const uv_buf_t *buffer)
{
    (void)buffer;
    Carrier *carrier = stream->data;
    if (count < 0) {
        carrier_end_as(carrier, count == UV_EOF ? CARRIER_GONE : CARRIER_FAILED, count == UV_EOF ? 0 : (int)count);
    } else if (count > 0) {
        frame_fill(&carrier->in, (size_t)count);
        carrier->bytes_in += (uint64_t)count;
        deliver(carrier);
    }
}

static int start_reading(Carrier *carrier)
{
    int status = uv_read_start((uv_stream_t *)&carrier->handle, on_alloc, on_read);
    carrier->is_reading = status == 0;
    return status;
}

static void on_later(uv_idle_t *handle)
{
    Carrier *carrier = handle->data;
    if (!carrier->is_reading) {
        // Adopted: first what was read before, then the socket.
        uv_idle_stop(handle);
        deliver(carrier);
        int status = carrier->is_ending ? 0 : start_reading(carrier);
        if (status < 0) {
            carrier_end_as(carrier, CARRIER_FAILED, status);
        } else if (!carrier->is_ending && carrier->write_status < 0) {
            uv_idle_start(handle, on_later);
        }
    } else if (carrier->has_waited) {
        carrier_end_as(carrier, CARRIER_FAILED, carrier->write_status);
    } else {
        carrier->has_waited = true; // the loop polls between this turn and the next
    }
}

// The other side is gone, but its last words may wait to be read, and they often say why.
static void fail_writing(Carrier *carrier, int status)
{
    carrier->write_status = status;
    carrier->out_size = 0;
    uv_idle_start(&carrier->later, on_later);
}

int carrier_open(Carrier *carrier, uv_loop_t *loop, const CarrierEvents *events, void *to, size_t out_max)
{
    assert(events->message != NULL);
    assert(events->ended != NULL);
    assert(out_max >= FRAME_SIZE_MAX);
    memset(carrier, 0, sizeof(*carrier));
    int status = uv_tcp_init(loop, &carrier->handle);
    if (status < 0) {
        return status;
    }
    uv_idle_init(loop, &carrier->later); // cannot fail
    uv_tcp_nodelay(&carrier->handle, 1); // kept for the socket to come
    carrier->handle.data = carrier->later.data = carrier->connect.data = carrier->write.data = carrier;
    carrier->handles_open = 2;
    carrier->events = *events;
    carrier->to = to;
    carrier->out_max = out_max;
    carrier->is_open = true;
    return 0;
}

int carrier_accept(Carrier *carrier, uv_stream_t *listener)
{
    assert(carrier->is_open && !carrier->is_connected);
    int status = uv_accept(listener, (uv_stream_t *)&carrier->handle);
    if (status < 0) {
        return status;
    }
    carrier->is_connected = true;
    return start_reading(carrier);
}

int carrier_adopt(Carrier *carrier, uv_os_sock_t socket, const uint8_t *bytes, size_t size)
{
    assert(carrier->is_open && !carrier->is_connected);
    if (size > sizeof(carrier->in.bytes)) {
        return UV_ENOBUFS;
    }
    int status = uv_tcp_open(&carrier->handle, socket);
    if (status < 0) {
        return status;
    }
    carrier->is_connected = true;
    if (size > 0) {
        size_t   space_size = 0;
        uint8_t *space = frame_space(&carrier->in, &space_size);
        assert(size <= space_size);
        memcpy(space, bytes, size);
        frame_fill(&carrier->in, size);
        carrier->bytes_in += size;
    }
    uv_idle_start(&carrier->later, on_later);
    return 0;
}

int carrier_adopt_ws(Carrier *carrier, uv_os_sock_t socket, const uint8_t *bytes, size_t size)
{
    int status = carrier_ws_make(carrier, false);
    return status < 0 ? status : carrier_adopt(carrier, socket, bytes, size);
}

static void on_connected(uv_connect_t *request, int status)
{
    Carrier *carrier = request->data;
    if (carrier->is_ending) {
        return;
    }
    if (status == 0) {
        carrier->is_connected = true;
        status = start_reading(carrier);
    }
    if (status < 0) {
        carrier_end_as(carrier, CARRIER_FAILED, status);
        return;
    }
    if (carrier->ws != NULL) {
        carrier_ws_ask(carrier); // the WebSocket stands when it is answered
        return;
    }
    if (carrier->events.connected != NULL) {
        carrier->events.connected(carrier->to);
    }
    carrier_flush(carrier);
}

int carrier_connect(Carrier *carrier, const struct sockaddr *address)
{
    assert(carrier->is_open && !carrier->is_connected);
    int status = uv_tcp_connect(&carrier->connect, &carrier->handle, address, on_connected);
    if (status < 0) {
        carrier_end_as(carrier, CARRIER_FAILED, status);
    }
    return status;
}

// Room for `size` bytes more; the content's bound was checked. Out buffers only ever grow.
static bool reserve(Carrier *carrier, size_t size)
{
    size_t wanted = carrier->out_size + size;
    size_t capacity = carrier->out_capacity > 0 ? carrier->out_capacity : OUT_CAPACITY_FIRST;
    while (capacity < wanted) {
        capacity *= 2;
    }
    if (capacity > carrier->out_max) {
        capacity = carrier->out_max;
    }
    if (capacity <= carrier->out_capacity) {
        return true;
    }
    uint8_t *out = realloc(carrier->out, capacity);
    if (out == NULL) {
        return false;
    }
    carrier->out = out;
    carrier->out_capacity = capacity;
    return true;
}

static bool fits(const Carrier *carrier, size_t size)
{
    size_t used = carrier_waiting(carrier);
    assert(used <= carrier->out_max);
    return size <= carrier->out_max - used;
}

uint8_t *carrier_collect(Carrier *carrier, size_t size)
{
    if (!carrier->is_open || carrier->is_ending || carrier->write_status < 0) {
        return NULL;
    }
    if (!fits(carrier, size)) {
        carrier_flush(carrier);
        if (carrier->write_status < 0) {
            return NULL;
        }
    }
    if (!fits(carrier, size)) {
        carrier_end_as(carrier, CARRIER_SLOW, 0);
        return NULL;
    }
    if (!reserve(carrier, size)) {
        carrier_end_as(carrier, CARRIER_FAILED, UV_ENOMEM);
        return NULL;
    }
    return carrier->out + carrier->out_size;
}

void carrier_collected(Carrier *carrier, size_t size)
{
    carrier->out_size += size;
}

bool carrier_send(Carrier *carrier, const uint8_t *bytes, size_t size)
{
    bool is_message = size >= 1 && size <= MESSAGE_SIZE_MAX;
    assert(is_message);
    if (is_message && carrier->udp != NULL) {
        return carrier_udp_send(carrier, bytes, size);
    }
    if (!is_message || (carrier->ws != NULL && carrier->ws->has_closed)) {
        return false;
    }
    size_t   frame_size = carrier->ws != NULL ? carrier_ws_frame_size(carrier, size) : FRAME_HEAD_SIZE + size;
    uint8_t *out = carrier_collect(carrier, frame_size);
    if (out == NULL) {
        return false;
    }
    if (carrier->ws != NULL) {
        carrier_ws_encode(carrier, bytes, size, out);
    } else {
        bytes_put_u16(out, (uint16_t)size);
        memcpy(out + FRAME_HEAD_SIZE, bytes, size);
    }
    carrier_collected(carrier, frame_size);
    carrier->messages_out += 1;
    return true;
}

static void on_written(uv_write_t *request, int status)
{
    Carrier *carrier = request->data;
    carrier->is_writing = false;
    carrier->writing_size = 0;
    if (carrier->is_ending) {
        return;
    }
    if (status < 0) {
        fail_writing(carrier, status);
        return;
    }
    carrier_flush(carrier);
}

// What the system did not take waits in `writing`, and the two buffers change places.
static void write_rest(Carrier *carrier, size_t taken)
{
    uint8_t *out = carrier->out;
    size_t   out_capacity = carrier->out_capacity;
    uv_buf_t rest = uv_buf_init((char *)out + taken, (unsigned)(carrier->out_size - taken));
    carrier->writing_size = carrier->out_size;
    carrier->out = carrier->writing;
    carrier->out_capacity = carrier->writing_capacity;
    carrier->out_size = 0;
    carrier->writing = out;
    carrier->writing_capacity = out_capacity;
    int status = uv_write(&carrier->write, (uv_stream_t *)&carrier->handle, &rest, 1, on_written);
    if (status < 0) {
        carrier->writing_size = 0;
        fail_writing(carrier, status);
        return;
    }
    carrier->is_writing = true;
    carrier->bytes_out += rest.len;
}

void carrier_flush(Carrier *carrier)
{
    if (carrier->udp != NULL) {
        carrier_udp_flush(carrier);
        return;
    }
    if (carrier->out_size == 0 || !carrier->is_connected || carrier->is_ending || carrier->is_writing) {
        return;
    }
    uv_buf_t all = uv_buf_init((char *)carrier->out, (unsigned)carrier->out_size);
    int      taken = uv_try_write((uv_stream_t *)&carrier->handle, &all, 1);
    if (taken < 0 && taken != UV_EAGAIN) {
        fail_writing(carrier, taken);
        return;
    }
    size_t count = taken < 0 ? 0 : (size_t)taken;
    carrier->bytes_out += count;
    if (count == carrier->out_size) {
        carrier->out_size = 0;
    } else {
        write_rest(carrier, count);
    }
}

size_t carrier_waiting(const Carrier *carrier)
{
    return carrier->udp != NULL ? carrier_udp_waiting(carrier) : carrier->out_size + carrier->writing_size;
}

int carrier_release(Carrier *carrier, uv_os_sock_t *socket, uint8_t *rest, size_t capacity, size_t *size)
{
    if (carrier->udp != NULL) {
        return UV_ENOTSUP; // its socket is not its own
    }
    if (!carrier->is_connected || carrier->is_ending || carrier->write_status < 0) {
        return UV_ENOTCONN;
    }
    if (carrier->out_size > 0 || carrier->is_writing) {
        return UV_EBUSY;
    }
    size_t rest_size = carrier->in.end - carrier->in.start;
    uv_os_fd_t descriptor;
    int        status = rest_size <= capacity ? 0 : UV_ENOBUFS;
    status = carrier->ws != NULL ? carrier_ws_rest(carrier, rest, capacity, &rest_size) : status;
    status = status == 0 ? uv_fileno((uv_handle_t *)&carrier->handle, &descriptor) : status;
    if (status < 0) {
        return status;
    }
    int copy = fcntl(descriptor, F_DUPFD_CLOEXEC, 0);
    if (copy < 0) {
        return uv_translate_sys_error(errno);
    }
    if (rest_size > 0 && carrier->ws == NULL) {
        memcpy(rest, carrier->in.bytes + carrier->in.start, rest_size);
    }
    *size = rest_size;
    *socket = copy;
    carrier_end_as(carrier, CARRIER_CLOSED, 0);
    return 0;
}

void carrier_trim(Carrier *carrier, size_t keep)
{
    if (carrier->udp != NULL) {
        carrier_udp_trim(carrier, keep);
        return;
    }
    if (carrier->out_size == 0 && carrier->out_capacity > keep) {
        free(carrier->out);
        carrier->out = NULL;
        carrier->out_capacity = 0;
    }
    if (!carrier->is_writing && carrier->writing_capacity > keep) {
        free(carrier->writing);
        carrier->writing = NULL;
        carrier->writing_capacity = 0;
    }
}

void carrier_discard(Carrier *carrier)
{
    if (carrier->ws != NULL) {
        carrier_ws_say_close(carrier);
    }
    carrier->is_discarding = true;
}

void carrier_close(Carrier *carrier)
{
    if (carrier->udp != NULL) {
        carrier_udp_close(carrier);
        return;
    }
    if (!carrier->is_open || carrier->is_ending) {
        return;
    }
    if (carrier->ws != NULL) {
        carrier_ws_say_close(carrier);
    }
    carrier_flush(carrier);
    carrier_end_as(carrier, CARRIER_CLOSED, 0);
}

CarrierKind carrier_kind(const Carrier *carrier)
{
    return carrier->udp != NULL ? CARRIER_UDP : carrier->ws != NULL ? CARRIER_WS : CARRIER_TCP;
}

void carrier_finish(Carrier *carrier)
{
    assert(!carrier->is_open);
    if (carrier->udp != NULL) {
        carrier_udp_free(carrier);
    }
    if (carrier->ws != NULL) {
        carrier_ws_free(carrier);
    }
    free(carrier->out);
    free(carrier->writing);
    carrier->out = carrier->writing = NULL;
    carrier->out_size = carrier->out_capacity = carrier->writing_size = carrier->writing_capacity = 0;
}

bool carrier_address(const Carrier *carrier, struct sockaddr_storage *address)
{
    int size = sizeof(*address);
    memset(address, 0, sizeof(*address));
    if (carrier->udp != NULL) {
        *address = carrier->udp->address;
        return true;
    }
    return uv_tcp_getpeername(&carrier->handle, (struct sockaddr *)address, &size) == 0;
}

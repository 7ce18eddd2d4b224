// fuzz_ws.c: bytes of the other side of a WebSocket: after the upgrade, as a server or as a client takes them, and a server's answer to the upgrade. The
// first byte says which, and how the rest is cut. However it is cut, the same comes of it; what was taken encodes and is taken again.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ws.h"
#include "ws_handshake.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { HEARD_MAX = 65536 };

typedef struct {
    uint8_t  bytes[HEARD_MAX];
    size_t   size;
    WsStatus status;
    uint16_t code;
} Heard;

static void expect(bool is_right, const char *what)
{
    if (!is_right) {
        fprintf(stderr, "fuzz_ws: %s\n", what);
        abort();
    }
}

// Another reader of our own takes what is written of it.
static void round_trip(bool is_client, const uint8_t *bytes, size_t size)
{
    static uint8_t out[MESSAGE_SIZE_MAX + WS_HEAD_MAX];
    const uint8_t *again = NULL;
    size_t         again_size = 0;
    Ws            *from = ws_create(!is_client), *to = ws_create(is_client);
    size_t         count = ws_encode(from, WS_OPCODE_BINARY, bytes, size, out);
    expect(count == ws_frame_size(from, size), "a frame's size");
    ws_feed(to, out, count);
    expect(ws_next(to, &again, &again_size) == WS_MESSAGE && again_size == size && memcmp(again, bytes, size) == 0, "written and read, it is another");
    ws_destroy(from);
    ws_destroy(to);
}

static void note(Heard *heard, WsStatus status, const uint8_t *bytes, size_t size)
{
    if (heard->size + size + 3 <= HEARD_MAX) {
        heard->bytes[heard->size] = (uint8_t)status;
        heard->bytes[heard->size + 1] = (uint8_t)size;
        heard->bytes[heard->size + 2] = (uint8_t)(size >> 8);
        if (size > 0) {
            memcpy(heard->bytes + heard->size + 3, bytes, size);
        }
        heard->size += size + 3;
    }
}

static void take(Heard *heard, const uint8_t *data, size_t size, size_t piece, bool is_client, bool is_writing)
{
    Ws *ws = ws_create(is_client);
    heard->size = 0;
    heard->status = WS_PART;
    for (size_t at = 0; at < size && heard->status == WS_PART; at += piece) {
        size_t         count = size - at < piece ? size - at : piece;
        uint8_t       *copy = malloc(count);
        const uint8_t *bytes = NULL;
        size_t         bytes_size = 0;
        memcpy(copy, data + at, count);
        ws_feed(ws, copy, count);
        while ((heard->status = ws_next(ws, &bytes, &bytes_size)) == WS_MESSAGE || heard->status == WS_PING) {
            bool is_message = heard->status == WS_MESSAGE;
            expect(is_message ? bytes_size >= 1 && bytes_size <= MESSAGE_SIZE_MAX : bytes_size <= WS_CONTROL_MAX, "a size that may not come");
            note(heard, heard->status, bytes, bytes_size);
            if (is_message && is_writing) {
                round_trip(is_client, bytes, bytes_size);
            }
        }
        free(copy);
    }
    heard->code = ws_code(ws);
    expect((heard->status == WS_WRONG) == (ws_wrong(ws) != NULL), "wrong, and no word for it");
    ws_destroy(ws);
}

static void take_answer(const uint8_t *data, size_t size)
{
    size_t   head = 0;
    unsigned status = 0;
    WsAnswer answer = ws_answer(data, size, "dGhlIHNhbXBsZSBub25jZQ==", &head, &status);
    expect(answer == WS_ANSWER_PART || head <= size, "a head longer than all");
    expect(answer != WS_ANSWER_FINE || status == 101, "fine, and no 101");
    if (answer == WS_ANSWER_FINE) {
        size_t   again = 0;
        unsigned again_status = 0;
        expect(ws_answer(data, head, "dGhlIHNhbXBsZSBub25jZQ==", &again, &again_status) == WS_ANSWER_FINE && again == head, "what follows counts");
        expect(ws_answer(data, head, "AAAAAAAAAAAAAAAAAAAAAA==", &again, &again_status) == WS_ANSWER_WRONG, "any key will do");
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static Heard whole, pieces;
    if (size < 2 || size > 32768) {
        return 0;
    }
    bool   is_client = (data[0] & 1) != 0;
    size_t piece = 1 + (data[0] >> 2);
    if ((data[0] & 2) != 0) {
        take_answer(data + 1, size - 1);
        return 0;
    }
    take(&whole, data + 1, size - 1, 4096, is_client, true);
    take(&pieces, data + 1, size - 1, piece, is_client, false);
    expect(whole.status == pieces.status && whole.code == pieces.code && whole.size == pieces.size && memcmp(whole.bytes, pieces.bytes, whole.size) == 0,
           "cut otherwise, something else comes of it");
    return 0;
}

// ws_no_allocations.c: in steady state a WebSocket's messages, pings and hand-backs cost no allocation, on either side: counted over the allocator's names.
// Started with --planted it allocates once itself, and must be caught.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "alloccount.h"
#include "ws.h"

enum { ROUNDS = 5000 };

static void exchange(Ws *from, Ws *to, WsOpcode opcode, size_t size)
{
    static uint8_t bytes[MESSAGE_SIZE_MAX], out[MESSAGE_SIZE_MAX + WS_HEAD_MAX];
    const uint8_t *read = NULL;
    size_t         read_size = 0;
    size_t         count = ws_encode(from, opcode, bytes, size, out);
    for (size_t at = 0; at < count; at += 700) { // large ones come in two
        ws_feed(to, out + at, count - at < 700 ? count - at : 700);
        WsStatus status = ws_next(to, &read, &read_size);
        if (status != WS_PART && (status != (opcode == WS_OPCODE_PING ? WS_PING : WS_MESSAGE) || read_size != size)) {
            fprintf(stderr, "ws_no_allocations: something else came\n");
            exit(2);
        }
        if (status != WS_PART) {
            (void)ws_next(to, &read, &read_size);
        }
    }
}

int main(int argc, char **argv)
{
    Ws *client = ws_create(true), *server = ws_create(false);
    bool is_planted = argc > 1 && strcmp(argv[1], "--planted") == 0;
    exchange(client, server, WS_OPCODE_BINARY, 1200);
    uint64_t before = alloccount_calls;
    alloccount_is_on = true;
    for (size_t i = 0; i < ROUNDS; i++) {
        exchange(client, server, WS_OPCODE_BINARY, 1 + i * 7 % MESSAGE_SIZE_MAX);
        exchange(server, client, WS_OPCODE_BINARY, 1 + i * 11 % MESSAGE_SIZE_MAX);
        exchange(client, server, WS_OPCODE_PING, i % 126);
    }
    if (is_planted) {
        void *volatile planted = malloc(16);
        free(planted);
    }
    alloccount_is_on = false;
    uint64_t found = alloccount_calls - before;
    ws_destroy(client);
    ws_destroy(server);
    printf("%llu allocations\n", (unsigned long long)found);
    return (found > 0) == is_planted ? 0 : 1;
}

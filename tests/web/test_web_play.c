// test_web_play.c: WebSockets at the door: the handshake, and how the socket leaves.
#include <errno.h>
#include <poll.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "web_fixture.h"

TestSuite(web_play, .timeout = 120);

static atomic_int taken;
static size_t     taken_size;
static uint8_t    taken_bytes[4096];

static void take(void *to, int socket, const uint8_t *bytes, size_t size)
{
    (void)to;
    memcpy(taken_bytes, bytes, size);
    taken_size = size;
    atomic_store(&taken, socket);
}

static int wait_for_socket(void)
{
    while (atomic_load(&taken) == 0) {
        usleep(500);
    }
    return atomic_exchange(&taken, 0);
}

static void open_for_play(void)
{
    web_options_standard(&door_options);
    door_options.play = (WebPlay){ take, NULL };
    door_options.limits.requests_per_second = 10000;
    door_open();
}

#define UPGRADE "Upgrade: websocket\r\nConnection: keep-alive, Upgrade\r\n"
#define KEY "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
#define REST "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Protocol: chat, tickproof.2\r\n"

// Goal: the socket that is given away is all that is left of the connection: it works both ways, keeps what was read with the request, outlives the door,
// and the other side sees its end when it is closed and not before.
Test(web_play, a_websocket_leaves_with_its_socket)
{
    char got[16];
    open_for_play();
    int socket = door_connect();
    door_send(socket, "GET /play HTTP/1.1\r\nHost: %s\r\n" UPGRADE KEY REST "\r\nfirst bytes", door_host);
    cr_assert_eq(door_read(socket, door_answer, false), 101);
    cr_assert(door_has("Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo="));
    cr_assert(door_has("Sec-WebSocket-Protocol: tickproof.2"));
    cr_assert(door_has("Upgrade: websocket"));
    int mine = wait_for_socket();
    door_expect(WEB_COUNT_UPGRADES, 1);
    while (web_connections(door) > 0) {
        usleep(1000);
    }
    size_t size = taken_size;
    while (size < 11) { // whatever came later is in the socket
        ssize_t count = recv(mine, taken_bytes + size, sizeof(taken_bytes) - size, 0);
        if (count < 0 && errno == EAGAIN) {
            continue;
        }
        cr_assert_gt(count, 0);
        size += (size_t)count;
    }
    cr_assert_eq(memcmp(taken_bytes, "first bytes", 11), 0);
    for (int i = 0; i < 50; i++) {
        cr_assert_eq(send(mine, "down", 4, 0), 4);
        cr_assert_eq(recv(socket, got, 4, MSG_WAITALL), 4);
        door_send(socket, "up");
        struct pollfd wait = { mine, POLLIN, 0 };
        cr_assert_eq(poll(&wait, 1, 30000), 1);
        cr_assert_eq(recv(mine, got, sizeof(got), 0), 2);
        if (i == 25) {
            door_close();
        }
    }
    cr_assert_eq(recv(socket, got, 1, MSG_DONTWAIT), -1, "it stands");
    close(mine);
    cr_assert(door_is_at_end(socket));
    close(socket);
}

Test(web_play, handshakes_that_are_none)
{
    open_for_play();
    uint32_t count = 0;
#define BAD(expected, headers)                                                                                             \
    count += 1;                                                                                                            \
    cr_assert_eq(door_ask(door_answer, "GET /play HTTP/1.1\r\nHost: %s\r\n" headers "\r\n", door_host), expected, "%s", headers);
    BAD(426, "");
    BAD(426, "Connection: Upgrade\r\n" KEY REST);
    BAD(426, "Upgrade: websocket\r\n" KEY REST);
    BAD(426, "Upgrade: h2c\r\nConnection: Upgrade\r\n" KEY REST);
    BAD(426, UPGRADE KEY "Sec-WebSocket-Version: 8\r\nSec-WebSocket-Protocol: tickproof.2\r\n");
    cr_assert(door_has("Sec-WebSocket-Version: 13"));
    BAD(426, UPGRADE KEY REST "Sec-WebSocket-Version: 13\r\n");
    BAD(400, UPGRADE REST);
    BAD(400, UPGRADE KEY KEY REST);
    BAD(400, UPGRADE "Sec-WebSocket-Key: short\r\n" REST);
    BAD(400, UPGRADE KEY "Sec-WebSocket-Version: 13\r\n");
    BAD(400, UPGRADE KEY "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Protocol: tickproof.1\r\n");
    door_expect(WEB_COUNT_BAD_UPGRADE, count);
    cr_assert_eq(door_ask(door_answer, "GET /play HTTP/1.1\r\nHost: %s\r\nOrigin: http://evil.example\r\n" UPGRADE KEY REST "\r\n", door_host), 403);
    cr_assert_eq(door_ask(door_answer, "GET /play HTTP/1.1\r\nHost: evil.example\r\n" UPGRADE KEY REST "\r\n"), 421);
    door_expect(WEB_COUNT_BAD_ORIGIN, 1);
    cr_assert_eq(atomic_load(&taken), 0);
    door_close();
}

// Goal: hundreds leave, and the door has none of them, nor their files.
Test(web_play, many_leave)
{
    open_for_play();
    int before = dup(0);
    close(before);
    for (int i = 0; i < 300; i++) {
        int socket = door_connect();
        door_send(socket, "GET /play HTTP/1.1\r\nHost: %s\r\nOrigin: http://%s\r\n" UPGRADE KEY REST "\r\n", door_host, door_host);
        cr_assert_eq(door_read(socket, door_answer, false), 101);
        close(wait_for_socket());
        close(socket);
    }
    while (web_connections(door) > 0) {
        usleep(1000);
    }
    int after = dup(0);
    cr_assert_leq(after, before + 2);
    close(after);
    door_expect(WEB_COUNT_UPGRADES, 300);
    door_close();
}

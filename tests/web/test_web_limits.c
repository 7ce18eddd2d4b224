// test_web_limits.c: who is slow, too many or too fast: what he hears, that he is counted, and that he does not stay.
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "web_fixture.h"

TestSuite(web_limits, .timeout = 120);

// Goal: who sends one byte now and then does not keep a connection: headers, bodies, and nothing at all.
Test(web_limits, slowloris)
{
    web_options_standard(&door_options);
    door_options.limits.request_ms = 600;
    door_open();
    int sockets[4];
    for (int i = 0; i < 4; i++) {
        sockets[i] = door_connect();
    }
    door_send(sockets[0], "GET / HTTP/1.1\r\nHost: %s\r\nX: ", door_host);
    door_send(sockets[1], "POST / HTTP/1.1\r\nHost: %s\r\nContent-Length: 100000\r\n\r\n", door_host);
    door_send(sockets[2], "GE");
    uint32_t over = 0, bytes = 0;
    while (over < 4) {
        struct pollfd waits[4];
        for (int i = 0; i < 4; i++) {
            waits[i] = (struct pollfd){ sockets[i], POLLIN, 0 };
        }
        cr_assert_geq(poll(waits, 4, 20), 0);
        for (int i = 0; i < 4; i++) {
            if (sockets[i] >= 0 && waits[i].revents != 0) {
                cr_assert(door_is_at_end(sockets[i]));
                close(sockets[i]);
                sockets[i] = -1;
                over += 1;
            } else if (sockets[i] >= 0 && i < 2) {
                door_send(sockets[i], "a");
                bytes += 1;
            }
        }
    }
    cr_assert_gt(bytes, 2);
    door_expect(WEB_COUNT_TOO_SLOW, 4);
    door_close();
}

// Goal: who does not read his answer does not keep a connection either.
static uint8_t large[8 << 20];

Test(web_limits, slow_readers)
{
    static const WebFile one[] = { { "/large", large, sizeof(large), "application/octet-stream", "\"l\"" } };
    web_options_standard(&door_options);
    door_options.limits.idle_ms = 1000;
    door_options.files = one;
    door_options.file_count = 1;
    door_open();
    int socket = door_connect(), small = 4096;
    setsockopt(socket, SOL_SOCKET, SO_RCVBUF, &small, sizeof(small));
    door_send(socket, "GET /large HTTP/1.1\r\nHost: %s\r\n\r\n", door_host);
    door_expect(WEB_COUNT_TOO_SLOW, 1);
    cr_assert_eq(web_connections(door), 0);
    close(socket);
    door_close();
}

Test(web_limits, too_many_connections)
{
    web_options_standard(&door_options);
    door_options.limits.connections = 4;
    door_options.limits.connections_per_address = 3;
    door_open();
    int sockets[5];
    for (int i = 0; i < 3; i++) {
        sockets[i] = door_connect();
    }
    door_expect(WEB_COUNT_CONNECTIONS, 3);
    cr_assert_eq(door_ask(door_answer, "GET /healthz HTTP/1.1\r\nHost: %s\r\n\r\n", door_host), 429);
    cr_assert(door_has("Retry-After: 2"));
    door_expect(WEB_COUNT_TOO_MANY_ADDRESS, 1);
    close(sockets[0]);
    while (web_connections(door) == 3) {
        usleep(1000);
    }
    cr_assert_eq(door_ask(door_answer, "GET /healthz HTTP/1.1\r\nHost: %s\r\n\r\n", door_host), 200);
    close(sockets[1]);
    close(sockets[2]);
    door_close();
    door_options.limits.connections_per_address = 100;
    door_open();
    for (int i = 0; i < 4; i++) {
        sockets[i] = door_connect();
    }
    door_expect(WEB_COUNT_CONNECTIONS, 4);
    for (int i = 0; i < 100; i++) { // more than are kept to read so
        sockets[4] = door_connect();
        close(sockets[4]);
    }
    cr_assert_eq(door_ask(door_answer, "GET /healthz HTTP/1.1\r\nHost: %s\r\n\r\n", door_host), 503);
    cr_assert(door_has("Retry-After: 2"));
    door_expect(WEB_COUNT_TOO_MANY, 101);
    for (int i = 0; i < 4; i++) {
        close(sockets[i]);
    }
    door_close();
}

Test(web_limits, too_many_requests_a_second)
{
    web_options_standard(&door_options);
    door_options.limits.requests_per_second = 1;
    door_open();
    int      socket = door_connect();
    uint32_t refused = 0;
    for (int i = 0; i < 2000 && refused == 0; i++) {
        door_send(socket, "GET /healthz HTTP/1.1\r\nHost: %s\r\n\r\n", door_host);
        unsigned status = door_read(socket, door_answer, false);
        cr_assert(status == 200 || status == 429, "%u", status);
        refused += status == 429 ? 1 : 0;
    }
    cr_assert_eq(refused, 1);
    cr_assert(door_has("Retry-After: 1"));
    door_expect(WEB_COUNT_TOO_FAST, 1);
    close(socket);
    door_close();
}

// test_web.c: the door from outside, over real sockets: what it answers, what it refuses, and that each refusal is counted.
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <unistd.h>

#include "web_fixture.h"
#include "ws_handshake.h"

TestSuite(web, .timeout = 120);

static const uint8_t page[] = "<!doctype html><title>t</title>";
static const WebFile files[] = {
    { "/", page, sizeof(page) - 1, "text/html; charset=utf-8", "\"page-1\"" },
    { "/room.js", (const uint8_t *)"export {}", 9, "text/javascript", "\"js-1\"" },
};

static char answer[WEB_ANSWER_SIZE];

// A handler that says what it was given.
static char        heard[4096];
static atomic_uint asked;

static void handle(void *to, const WebRequest *request, WebResponse *response)
{
    (void)to;
    snprintf(heard, sizeof(heard), "%s|%s|%s|%s|%s|%zu|%.*s", request->method, request->path, request->query, request->authorization, request->origin, request->body_size,
             (int)(request->body_size < 64 ? request->body_size : 64), request->body != NULL ? (const char *)request->body : "");
    atomic_fetch_add(&asked, 1);
    if (strcmp(request->path, "/none") == 0) {
        return;
    }
    response->status = 200;
    response->content_type = "text/plain";
    snprintf(response->etag, sizeof(response->etag), "\"e1\"");
    if (strcmp(request->path, "/file") == 0) {
        FILE *file = tmpfile();
        fputs("0123456789", file);
        fflush(file);
        response->file = dup(fileno(file));
        response->file_size = 7;
        fclose(file);
        snprintf(response->file_name, sizeof(response->file_name), "a b\"\r\n.tpr");
        response->etag[0] = '\0';
    } else if (strcmp(request->path, "/busy") == 0) {
        response->status = 503;
        response->retry_after_s = 7;
        snprintf(response->challenge, sizeof(response->challenge), "Bearer");
    } else {
        response->body = (uint8_t *)strdup("handled");
        response->body_size = 7;
    }
}

static void open_standard(void)
{
    web_options_standard(&door_options);
    door_options.files = files;
    door_options.file_count = 2;
    door_options.limits.requests_per_second = 10000;
    door_options.handler = (WebHandler){ handle, NULL };
    door_open();
}

static bool has(const char *line)
{
    char wanted[1024];
    snprintf(wanted, sizeof(wanted), "\r\n%s\r\n", line);
    return strcasestr(answer, wanted) != NULL;
}

Test(web, health_without_a_handler)
{
    web_options_standard(&door_options);
    door_open();
    cr_assert_eq(door_ask(answer, "GET /healthz HTTP/1.1\r\nHost: %s\r\n\r\n", door_host), 200);
    cr_assert_neq(strstr(answer, "\r\n\r\nok\n"), NULL);
    cr_assert_eq(door_ask(answer, "GET / HTTP/1.1\r\nHost: %s\r\n\r\n", door_host), 404);
    cr_assert_eq(door_ask(answer, "GET /play HTTP/1.1\r\nHost: %s\r\n\r\n", door_host), 404);
    door_close();
}

Test(web, files_with_their_headers)
{
    open_standard();
    cr_assert_eq(door_ask(answer, "GET / HTTP/1.1\r\nHost: %s\r\n\r\n", door_host), 200);
    cr_assert_neq(strstr(answer, (const char *)page), NULL);
    cr_assert(has("ETag: \"page-1\""));
    cr_assert(has("X-Content-Type-Options: nosniff"));
    cr_assert(has("X-Frame-Options: DENY"));
    cr_assert(has("Referrer-Policy: no-referrer"));
    cr_assert(has("Cross-Origin-Opener-Policy: same-origin"));
    cr_assert(has("Cache-Control: no-cache"));
    char policy[512];
    snprintf(policy, sizeof(policy),
             "Content-Security-Policy: default-src 'self'; script-src 'self' 'wasm-unsafe-eval'; connect-src 'self' ws://%s wss://%s; img-src 'self' data: blob:; "
             "object-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'", door_host, door_host);
    cr_assert(has(policy), "%s", answer);
    cr_assert_eq(door_ask(answer, "HEAD /room.js HTTP/1.1\r\nHost: %s\r\n\r\n", door_host), 200);
    cr_assert(has("Content-Length: 9"));
    cr_assert_eq(door_ask(answer, "GET /room.js HTTP/1.1\r\nHost: %s\r\nIf-None-Match: \"x\", W/\"js-1\"\r\n\r\n", door_host), 304);
    cr_assert_eq(door_ask(answer, "GET /room.js HTTP/1.1\r\nHost: %s\r\nIf-None-Match: \"x\"\r\n\r\n", door_host), 200);
    cr_assert_eq(door_ask(answer, "POST /room.js HTTP/1.1\r\nHost: %s\r\nContent-Length: 0\r\n\r\n", door_host), 405);
    cr_assert(has("Allow: GET, HEAD"));
    cr_assert_eq(atomic_load(&asked), 0);
    door_close();
}

Test(web, the_handler)
{
    open_standard();
    cr_assert_eq(door_ask(answer, "POST /api/x%%20y?a=1 HTTP/1.1\r\nHost: %s\r\nAuthorization: Bearer t\r\nContent-Length: 5\r\n\r\nhello", door_host), 200);
    cr_assert_str_eq(heard, "POST|/api/x y|a=1|Bearer t||5|hello");
    cr_assert_neq(strstr(answer, "\r\n\r\nhandled"), NULL);
    cr_assert(has("Cache-Control: no-store"));
    cr_assert_eq(door_ask(answer, "HEAD /api HTTP/1.1\r\nHost: %s\r\n\r\n", door_host), 200);
    cr_assert_str_eq(heard, "GET|/api||||0|");
    cr_assert_eq(door_ask(answer, "GET /api HTTP/1.1\r\nHost: %s\r\nIf-None-Match: \"e1\"\r\n\r\n", door_host), 304);
    cr_assert_eq(door_ask(answer, "GET /none HTTP/1.1\r\nHost: %s\r\n\r\n", door_host), 404);
    cr_assert_eq(door_ask(answer, "GET /file HTTP/1.1\r\nHost: %s\r\n\r\n", door_host), 200);
    cr_assert_neq(strstr(answer, "\r\n\r\n0123456"), NULL);
    cr_assert(has("Content-Length: 7"));
    cr_assert(has("Content-Disposition: attachment; filename=\"a_b___.tpr\""), "%s", answer);
    cr_assert_eq(door_ask(answer, "GET /busy HTTP/1.1\r\nHost: %s\r\n\r\n", door_host), 503);
    cr_assert(has("Retry-After: 7"));
    cr_assert(has("WWW-Authenticate: Bearer"));
    // Many on one connection, and a large body in pieces.
    int socket = door_connect();
    for (int i = 0; i < 20; i++) {
        door_send(socket, "PUT /many HTTP/1.1\r\nHost: %s\r\nContent-Length: 100000\r\n\r\n", door_host);
        door_send(socket, "%050000d", 7);
        door_send(socket, "%050000d", 8);
        cr_assert_eq(door_read(socket, answer, false), 200);
        cr_assert_eq(strncmp(heard, "PUT|/many||||100000|", 20), 0);
    }
    close(socket);
    door_close();
}

// Goal: nothing of a path that is none gets to a handler or a file.
Test(web, path_traversal)
{
    static const char *const paths[] = { "/../../etc/passwd", "/%2e%2e/%2e%2e/etc/passwd", "/..%2f..%2fetc/passwd", "/%00", "/a%00", "/..\\x", "/%5c", "//x", "/./",
                                         "http://127.0.0.1/", "*", "/%zz", "/%c0%ae" };
    open_standard();
    size_t count = sizeof(paths) / sizeof(paths[0]);
    for (size_t i = 0; i < count; i++) {
        cr_assert_eq(door_ask(answer, "GET %s HTTP/1.1\r\nHost: %s\r\n\r\n", paths[i], door_host), 400, "%s: %s", paths[i], answer);
    }
    door_expect(WEB_COUNT_BAD_PATH, count);
    cr_assert_eq(door_ask(answer, "GET /%01100d HTTP/1.1\r\nHost: %s\r\n\r\n", 1, door_host), 414);
    cr_assert_eq(atomic_load(&asked), 0);
    door_close();
}

Test(web, foreign_hosts)
{
    static const char *const hosts[] = { "evil.example", "evil.example:7780", "127.0.0.1:1", "127.0.0.1.evil.example", "localhost" };
    open_standard();
    for (size_t i = 0; i < 5; i++) {
        cr_assert_eq(door_ask(answer, "GET / HTTP/1.1\r\nHost: %s\r\n\r\n", hosts[i]), 421, "%s", hosts[i]);
    }
    door_expect(WEB_COUNT_BAD_HOST, 5);
    cr_assert_eq(door_ask(answer, "GET / HTTP/1.1\r\nHost: localhost:%u\r\n\r\n", web_port(door, 0)), 200);
    cr_assert_eq(door_ask(answer, "GET / HTTP/1.1\r\nHost: %s\r\nHost: evil.example\r\n\r\n", door_host), 400);
    cr_assert_eq(door_ask(answer, "GET / HTTP/1.0\r\n\r\n"), 400);
    door_close();
    door_options.hosts[0] = "play.example.org";
    door_options.host_count = 1;
    door_open();
    cr_assert_eq(door_ask(answer, "GET / HTTP/1.1\r\nHost: play.example.org\r\n\r\n"), 200);
    door_close();
}

Test(web, foreign_origins)
{
    open_standard();
    cr_assert_eq(door_ask(answer, "POST /act HTTP/1.1\r\nHost: %s\r\nOrigin: http://evil.example\r\nContent-Length: 0\r\n\r\n", door_host), 403);
    cr_assert_eq(door_ask(answer, "DELETE /act HTTP/1.1\r\nHost: %s\r\nOrigin: null\r\n\r\n", door_host), 403);
    cr_assert_eq(door_ask(answer, "PUT /act HTTP/1.1\r\nHost: %s\r\nSec-Fetch-Site: cross-site\r\nContent-Length: 0\r\n\r\n", door_host), 403);
    door_expect(WEB_COUNT_BAD_ORIGIN, 3);
    cr_assert_eq(atomic_load(&asked), 0);
    cr_assert_eq(door_ask(answer, "POST /act HTTP/1.1\r\nHost: %s\r\nOrigin: http://%s\r\nContent-Length: 0\r\n\r\n", door_host, door_host), 200);
    cr_assert_eq(door_ask(answer, "POST /act HTTP/1.1\r\nHost: %s\r\nContent-Length: 0\r\n\r\n", door_host), 200);
    cr_assert_eq(door_ask(answer, "GET /look HTTP/1.1\r\nHost: %s\r\nOrigin: http://evil.example\r\n\r\n", door_host), 200);
    cr_assert_eq(strcasestr(answer, "Access-Control-Allow"), NULL, "it may ask and not read");
    door_close();
    door_options.origins[0] = "https://friend.example";
    door_options.origin_count = 1;
    door_open();
    cr_assert_eq(door_ask(answer, "POST /act HTTP/1.1\r\nHost: %s\r\nOrigin: https://friend.example\r\nContent-Length: 0\r\n\r\n", door_host), 200);
    door_close();
}

Test(web, methods_and_lengths)
{
    open_standard();
    static const char *const unknown[] = { "TRACE", "OPTIONS", "CONNECT", "BREW", "get" };
    for (size_t i = 0; i < 5; i++) {
        unsigned status = door_ask(answer, "%s / HTTP/1.1\r\nHost: %s\r\n\r\n", unknown[i], door_host);
        cr_assert_eq(status, 501, "%s: %u", unknown[i], status);
    }
    door_expect(WEB_COUNT_BAD_METHOD, 5);
    cr_assert_eq(door_ask(answer, "POST /x HTTP/1.1\r\nHost: %s\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n", door_host), 411);
    cr_assert_eq(door_ask(answer, "GET /x HTTP/1.1\r\nHost: %s\r\nContent-Length: 5\r\n\r\nhello", door_host), 400);
    cr_assert_eq(door_ask(answer, "POST /x HTTP/1.1\r\nHost: %s\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nhello!", door_host), 400);
    cr_assert_eq(door_ask(answer, "POST /x HTTP/1.1\r\nHost: %s\r\nContent-Length: -5\r\n\r\nhello", door_host), 400);
    cr_assert_eq(atomic_load(&asked), 0);
    door_close();
}

Test(web, oversize_headers_and_bodies)
{
    open_standard();
    cr_assert_eq(door_ask(answer, "GET / HTTP/1.1\r\nHost: %s\r\nX: %09000d\r\n\r\n", door_host, 1), 431);
    door_expect(WEB_COUNT_HEADERS_TOO_LARGE, 1);
    unsigned status = door_ask(answer, "GET / HTTP/1.1\r\nHost: %s\r\nX: %0100000d\r\n\r\n", door_host, 1);
    cr_assert(status == 431 || status == 0, "%u", status); // libmicrohttpd's own bound
    door_expect(WEB_COUNT_CUT, 1);
    cr_assert_eq(door_ask(answer, "POST /x HTTP/1.1\r\nHost: %s\r\nContent-Length: 1048577\r\n\r\n", door_host), 413);
    cr_assert_eq(door_ask(answer, "POST /x HTTP/1.1\r\nHost: %s\r\nContent-Length: 18446744073709551617\r\n\r\n", door_host) / 100, 4);
    cr_assert_geq(web_count(door, WEB_COUNT_BODY_TOO_LARGE), 1);
    // What bodies take in all is bounded, too, and given back.
    int      sockets[16];
    uint64_t before = web_count(door, WEB_COUNT_REQUESTS), cut = web_count(door, WEB_COUNT_CUT);
    for (int i = 0; i < 16; i++) {
        sockets[i] = door_connect();
        door_send(sockets[i], "POST /x HTTP/1.1\r\nHost: %s\r\nContent-Length: 1048576\r\n\r\n1", door_host);
    }
    door_expect(WEB_COUNT_REQUESTS, before + 16);
    cr_assert_eq(door_ask(answer, "POST /x HTTP/1.1\r\nHost: %s\r\nContent-Length: 1\r\n\r\n1", door_host), 503);
    cr_assert(has("Retry-After: 1"));
    for (int i = 0; i < 16; i++) {
        close(sockets[i]);
    }
    while (web_connections(door) > 0) {
        usleep(1000);
    }
    cr_assert_geq(web_count(door, WEB_COUNT_CUT), cut + 16);
    cr_assert_eq(door_ask(answer, "POST /x HTTP/1.1\r\nHost: %s\r\nContent-Length: 1\r\n\r\n1", door_host), 200);
    door_close();
}

// Goal: what stands behind a body that was refused is part of it, and no request.
Test(web, nothing_is_smuggled)
{
    static const char *const heads[] = {
        "POST /x HTTP/1.1\r\nHost: %s\r\nContent-Length: 5000000\r\n\r\n",
        "POST /x HTTP/1.1\r\nHost: %s\r\nTransfer-Encoding: chunked\r\nContent-Length: 4\r\n\r\n",
        "GET /x HTTP/1.1\r\nHost: %s\r\nContent-Length: 60\r\n\r\n",
        "POST /x HTTP/1.1\r\nHost: %s\r\nContent-Length: 3\r\nContent-Length: 60\r\n\r\n",
        "POST /../x HTTP/1.1\r\nHost: %s\r\nContent-Length: 60\r\n\r\n",
        "POST /x HTTP/1.1\r\nHost: %s\r\nOrigin: null\r\nContent-Length: 60\r\n\r\n",
        "PUT / HTTP/1.1\r\nHost: %s\r\nTransfer-Encoding : chunked\r\n\r\n0\r\n\r\n",
    };
    open_standard();
    for (size_t i = 0; i < sizeof(heads) / sizeof(heads[0]); i++) {
        char text[512];
        int  socket = door_connect();
        snprintf(text, sizeof(text), heads[i], door_host);
        door_send(socket, "%sGET /smuggled HTTP/1.1\r\nHost: %s\r\n\r\n", text, door_host);
        unsigned status = door_read(socket, answer, false);
        cr_assert(status >= 400 || status == 0, "%zu: %u", i, status);
        shutdown(socket, SHUT_WR);
        cr_assert(door_is_at_end(socket));
        close(socket);
        cr_assert_eq(atomic_load(&asked), 0, "%zu: %s", i, heard);
    }
    door_close();
}

Test(web, what_is_no_http)
{
    static const char *const junk[] = { "\r\n\r\n", "hello\r\n\r\n", "GET\r\n\r\n", "GET / HTTP/1.1\r\nno header at all\r\n\r\n", "\x16\x03\x01\x02 tls", "\x01\x02\x03\x04\r\n" };
    web_options_standard(&door_options);
    door_options.handler = (WebHandler){ handle, NULL };
    door_options.limits.request_ms = 500; // some of it may be the beginning of a request
    door_open();
    for (size_t i = 0; i < sizeof(junk) / sizeof(junk[0]); i++) {
        int socket = door_connect();
        door_send(socket, "%s", junk[i]);
        shutdown(socket, SHUT_WR);
        cr_assert(door_is_at_end(socket), "%zu", i);
        close(socket);
    }
    while (web_connections(door) > 0) {
        usleep(1000);
    }
    cr_assert_eq(atomic_load(&asked), 0);
    cr_assert_geq(web_count(door, WEB_COUNT_CUT) + web_count(door, WEB_COUNT_BAD_REQUEST) + web_count(door, WEB_COUNT_BAD_METHOD) +
                    web_count(door, WEB_COUNT_TOO_SLOW), 6);
    door_close();
}

Test(web, two_listeners_and_ipv6)
{
    tp_error error = { "" };
    char     six[64], text[256];
    web_options_standard(&door_options);
    door = web_create(&error);
    cr_assert(web_listen(door, "127.0.0.1:0", &error), "%s", error.text);
    if (!web_listen(door, "[::1]:0", &error)) {
        web_destroy(door); // a machine without IPv6
        cr_skip_test("%s", error.text);
    }
    cr_assert(web_start(door, &door_options, &error), "%s", error.text);
    struct sockaddr_in6 address = { .sin6_family = AF_INET6, .sin6_port = htons((uint16_t)web_port(door, 1)), .sin6_addr = IN6ADDR_LOOPBACK_INIT };
    int                 made = socket(AF_INET6, SOCK_STREAM | SOCK_CLOEXEC, 0);
    cr_assert_eq(connect(made, (struct sockaddr *)&address, sizeof(address)), 0);
    snprintf(six, sizeof(six), "[::1]:%u", web_port(door, 1));
    cr_assert_str_eq(web_address(door, 1), six);
    snprintf(text, sizeof(text), "GET /healthz HTTP/1.1\r\nHost: %s\r\n\r\n", six);
    door_send(made, "%s", text);
    cr_assert_eq(door_read(made, answer, false), 200);
    close(made);
    snprintf(door_host, sizeof(door_host), "127.0.0.1:%u", web_port(door, 0));
    cr_assert_eq(door_ask(answer, "GET /healthz HTTP/1.1\r\nHost: %s\r\n\r\n", door_host), 200);
    cr_assert_eq(door_ask(answer, "GET /healthz HTTP/1.1\r\nHost: %s\r\n\r\n", six), 421, "the other one's address");
    door_close();
}

// Goal: who sends one byte now and then does not keep a connection: headers, bodies, and nothing at all.
Test(web, slowloris)
{
    web_options_standard(&door_options);
    door_options.limits.request_ms = 600;
    door_options.handler = (WebHandler){ handle, NULL };
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
    cr_assert_eq(atomic_load(&asked), 0);
    door_close();
}

// Goal: who does not read his answer does not keep a connection either.
static uint8_t large[8 << 20];

Test(web, slow_readers)
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

Test(web, too_many_connections)
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
    cr_assert_eq(door_ask(answer, "GET /healthz HTTP/1.1\r\nHost: %s\r\n\r\n", door_host), 429);
    cr_assert(has("Retry-After: 2"));
    door_expect(WEB_COUNT_TOO_MANY_ADDRESS, 1);
    close(sockets[0]);
    while (web_connections(door) == 3) {
        usleep(1000);
    }
    cr_assert_eq(door_ask(answer, "GET /healthz HTTP/1.1\r\nHost: %s\r\n\r\n", door_host), 200);
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
    cr_assert_eq(door_ask(answer, "GET /healthz HTTP/1.1\r\nHost: %s\r\n\r\n", door_host), 503);
    cr_assert(has("Retry-After: 2"));
    door_expect(WEB_COUNT_TOO_MANY, 101);
    for (int i = 0; i < 4; i++) {
        close(sockets[i]);
    }
    door_close();
}

Test(web, too_many_requests_a_second)
{
    web_options_standard(&door_options);
    door_options.limits.requests_per_second = 1;
    door_open();
    int      socket = door_connect();
    uint32_t refused = 0;
    for (int i = 0; i < 2000 && refused == 0; i++) {
        door_send(socket, "GET /healthz HTTP/1.1\r\nHost: %s\r\n\r\n", door_host);
        unsigned status = door_read(socket, answer, false);
        cr_assert(status == 200 || status == 429, "%u", status);
        refused += status == 429 ? 1 : 0;
    }
    cr_assert_eq(refused, 1);
    cr_assert(has("Retry-After: 1"));
    door_expect(WEB_COUNT_TOO_FAST, 1);
    close(socket);
    door_close();
}

// WebSockets.

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
Test(web, a_websocket_leaves_with_its_socket)
{
    char got[16];
    open_for_play();
    int socket = door_connect();
    door_send(socket, "GET /play HTTP/1.1\r\nHost: %s\r\n" UPGRADE KEY REST "\r\nfirst bytes", door_host);
    cr_assert_eq(door_read(socket, answer, false), 101);
    cr_assert(has("Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo="));
    cr_assert(has("Sec-WebSocket-Protocol: tickproof.2"));
    cr_assert(has("Upgrade: websocket"));
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

Test(web, handshakes_that_are_none)
{
    open_for_play();
    uint32_t count = 0;
#define BAD(expected, headers)                                                                                             \
    count += 1;                                                                                                            \
    cr_assert_eq(door_ask(answer, "GET /play HTTP/1.1\r\nHost: %s\r\n" headers "\r\n", door_host), expected, "%s", headers);
    BAD(426, "");
    BAD(426, "Connection: Upgrade\r\n" KEY REST);
    BAD(426, "Upgrade: websocket\r\n" KEY REST);
    BAD(426, "Upgrade: h2c\r\nConnection: Upgrade\r\n" KEY REST);
    BAD(426, UPGRADE KEY "Sec-WebSocket-Version: 8\r\nSec-WebSocket-Protocol: tickproof.2\r\n");
    cr_assert(has("Sec-WebSocket-Version: 13"));
    BAD(426, UPGRADE KEY REST "Sec-WebSocket-Version: 13\r\n");
    BAD(400, UPGRADE REST);
    BAD(400, UPGRADE KEY KEY REST);
    BAD(400, UPGRADE "Sec-WebSocket-Key: short\r\n" REST);
    BAD(400, UPGRADE KEY "Sec-WebSocket-Version: 13\r\n");
    BAD(400, UPGRADE KEY "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Protocol: tickproof.1\r\n");
    door_expect(WEB_COUNT_BAD_UPGRADE, count);
    cr_assert_eq(door_ask(answer, "GET /play HTTP/1.1\r\nHost: %s\r\nOrigin: http://evil.example\r\n" UPGRADE KEY REST "\r\n", door_host), 403);
    cr_assert_eq(door_ask(answer, "GET /play HTTP/1.1\r\nHost: evil.example\r\n" UPGRADE KEY REST "\r\n"), 421);
    door_expect(WEB_COUNT_BAD_ORIGIN, 1);
    cr_assert_eq(atomic_load(&taken), 0);
    door_close();
}

// Goal: hundreds leave, and the door has none of them, nor their files.
Test(web, many_leave)
{
    open_for_play();
    int before = dup(0);
    close(before);
    for (int i = 0; i < 300; i++) {
        int socket = door_connect();
        door_send(socket, "GET /play HTTP/1.1\r\nHost: %s\r\nOrigin: http://%s\r\n" UPGRADE KEY REST "\r\n", door_host, door_host);
        cr_assert_eq(door_read(socket, answer, false), 101);
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

Test(web, a_port_that_is_taken)
{
    tp_error error = { "" };
    char     text[64];
    web_options_standard(&door_options);
    door_open();
    Web *other = web_create(&error);
    snprintf(text, sizeof(text), "127.0.0.1:%u", web_port(door, 0));
    cr_assert_not(web_listen(other, text, &error));
    cr_assert_str_eq(error.text, "listening: Address already in use: stop who has the port, or give another one");
    cr_assert_not(web_listen(other, "localhost:1", &error));
    web_destroy(other);
    web_destroy(NULL);
    door_close();
}

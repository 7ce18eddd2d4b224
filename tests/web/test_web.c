// test_web.c: the door from outside, over real sockets: what it answers, what it refuses, and that each refusal is counted.
#include <netinet/in.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <unistd.h>

#include "web_fixture.h"

TestSuite(web, .timeout = 120);

static const uint8_t page[] = "<!doctype html><title>t</title>";
static const WebFile files[] = {
    { "/", page, sizeof(page) - 1, "text/html; charset=utf-8", "\"page-1\"" },
    { "/room.js", (const uint8_t *)"export {}", 9, "text/javascript", "\"js-1\"" },
};

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

Test(web, health_without_a_handler)
{
    web_options_standard(&door_options);
    door_open();
    cr_assert_eq(door_ask(door_answer, "GET /healthz HTTP/1.1\r\nHost: %s\r\n\r\n", door_host), 200);
    cr_assert_neq(strstr(door_answer, "\r\n\r\nok\n"), NULL);
    cr_assert_eq(door_ask(door_answer, "GET / HTTP/1.1\r\nHost: %s\r\n\r\n", door_host), 404);
    cr_assert_eq(door_ask(door_answer, "GET /play HTTP/1.1\r\nHost: %s\r\n\r\n", door_host), 404);
    door_close();
}

Test(web, files_with_their_headers)
{
    open_standard();
    cr_assert_eq(door_ask(door_answer, "GET / HTTP/1.1\r\nHost: %s\r\n\r\n", door_host), 200);
    cr_assert_neq(strstr(door_answer, (const char *)page), NULL);
    cr_assert(door_has("ETag: \"page-1\""));
    cr_assert(door_has("X-Content-Type-Options: nosniff"));
    cr_assert(door_has("X-Frame-Options: DENY"));
    cr_assert(door_has("Referrer-Policy: no-referrer"));
    cr_assert(door_has("Cross-Origin-Opener-Policy: same-origin"));
    cr_assert(door_has("Cache-Control: no-cache"));
    char policy[512];
    snprintf(policy, sizeof(policy),
             "Content-Security-Policy: default-src 'self'; script-src 'self' 'wasm-unsafe-eval'; connect-src 'self' ws://%s wss://%s; img-src 'self' data: blob:; "
             "object-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'", door_host, door_host);
    cr_assert(door_has(policy), "%s", door_answer);
    cr_assert_eq(door_ask(door_answer, "HEAD /room.js HTTP/1.1\r\nHost: %s\r\n\r\n", door_host), 200);
    cr_assert(door_has("Content-Length: 9"));
    cr_assert_eq(door_ask(door_answer, "GET /room.js HTTP/1.1\r\nHost: %s\r\nIf-None-Match: \"x\", W/\"js-1\"\r\n\r\n", door_host), 304);
    cr_assert_eq(door_ask(door_answer, "GET /room.js HTTP/1.1\r\nHost: %s\r\nIf-None-Match: \"x\"\r\n\r\n", door_host), 200);
    cr_assert_eq(door_ask(door_answer, "POST /room.js HTTP/1.1\r\nHost: %s\r\nContent-Length: 0\r\n\r\n", door_host), 405);
    cr_assert(door_has("Allow: GET, HEAD"));
    cr_assert_eq(atomic_load(&asked), 0);
    door_close();
}

Test(web, the_handler)
{
    open_standard();
    cr_assert_eq(door_ask(door_answer, "POST /api/x%%20y?a=1 HTTP/1.1\r\nHost: %s\r\nAuthorization: Bearer t\r\nContent-Length: 5\r\n\r\nhello", door_host), 200);
    cr_assert_str_eq(heard, "POST|/api/x y|a=1|Bearer t||5|hello");
    cr_assert_neq(strstr(door_answer, "\r\n\r\nhandled"), NULL);
    cr_assert(door_has("Cache-Control: no-store"));
    cr_assert_eq(door_ask(door_answer, "HEAD /api HTTP/1.1\r\nHost: %s\r\n\r\n", door_host), 200);
    cr_assert_str_eq(heard, "GET|/api||||0|");
    cr_assert_eq(door_ask(door_answer, "GET /api HTTP/1.1\r\nHost: %s\r\nIf-None-Match: \"e1\"\r\n\r\n", door_host), 304);
    cr_assert_eq(door_ask(door_answer, "GET /none HTTP/1.1\r\nHost: %s\r\n\r\n", door_host), 404);
    cr_assert_eq(door_ask(door_answer, "GET /file HTTP/1.1\r\nHost: %s\r\n\r\n", door_host), 200);
    cr_assert_neq(strstr(door_answer, "\r\n\r\n0123456"), NULL);
    cr_assert(door_has("Content-Length: 7"));
    cr_assert(door_has("Content-Disposition: attachment; filename=\"a_b___.tpr\""), "%s", door_answer);
    cr_assert_eq(door_ask(door_answer, "GET /busy HTTP/1.1\r\nHost: %s\r\n\r\n", door_host), 503);
    cr_assert(door_has("Retry-After: 7"));
    cr_assert(door_has("WWW-Authenticate: Bearer"));
    // Many on one connection, and a large body in pieces.
    int socket = door_connect();
    for (int i = 0; i < 20; i++) {
        door_send(socket, "PUT /many HTTP/1.1\r\nHost: %s\r\nContent-Length: 100000\r\n\r\n", door_host);
        door_send(socket, "%050000d", 7);
        door_send(socket, "%050000d", 8);
        cr_assert_eq(door_read(socket, door_answer, false), 200);
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
        cr_assert_eq(door_ask(door_answer, "GET %s HTTP/1.1\r\nHost: %s\r\n\r\n", paths[i], door_host), 400, "%s: %s", paths[i], door_answer);
    }
    door_expect(WEB_COUNT_BAD_PATH, count);
    cr_assert_eq(door_ask(door_answer, "GET /%01100d HTTP/1.1\r\nHost: %s\r\n\r\n", 1, door_host), 414);
    cr_assert_eq(atomic_load(&asked), 0);
    door_close();
}

Test(web, foreign_hosts)
{
    static const char *const hosts[] = { "evil.example", "evil.example:7780", "127.0.0.1:1", "127.0.0.1.evil.example", "localhost" };
    open_standard();
    for (size_t i = 0; i < 5; i++) {
        cr_assert_eq(door_ask(door_answer, "GET / HTTP/1.1\r\nHost: %s\r\n\r\n", hosts[i]), 421, "%s", hosts[i]);
    }
    door_expect(WEB_COUNT_BAD_HOST, 5);
    cr_assert_eq(door_ask(door_answer, "GET / HTTP/1.1\r\nHost: localhost:%u\r\n\r\n", web_port(door, 0)), 200);
    cr_assert_eq(door_ask(door_answer, "GET / HTTP/1.1\r\nHost: %s\r\nHost: evil.example\r\n\r\n", door_host), 400);
    cr_assert_eq(door_ask(door_answer, "GET / HTTP/1.0\r\n\r\n"), 400);
    door_close();
    door_options.hosts[0] = "play.example.org";
    door_options.host_count = 1;
    door_open();
    cr_assert_eq(door_ask(door_answer, "GET / HTTP/1.1\r\nHost: play.example.org\r\n\r\n"), 200);
    door_close();
}

Test(web, foreign_origins)
{
    open_standard();
    cr_assert_eq(door_ask(door_answer, "POST /act HTTP/1.1\r\nHost: %s\r\nOrigin: http://evil.example\r\nContent-Length: 0\r\n\r\n", door_host), 403);
    cr_assert_eq(door_ask(door_answer, "DELETE /act HTTP/1.1\r\nHost: %s\r\nOrigin: null\r\n\r\n", door_host), 403);
    cr_assert_eq(door_ask(door_answer, "PUT /act HTTP/1.1\r\nHost: %s\r\nSec-Fetch-Site: cross-site\r\nContent-Length: 0\r\n\r\n", door_host), 403);
    door_expect(WEB_COUNT_BAD_ORIGIN, 3);
    cr_assert_eq(atomic_load(&asked), 0);
    cr_assert_eq(door_ask(door_answer, "POST /act HTTP/1.1\r\nHost: %s\r\nOrigin: http://%s\r\nContent-Length: 0\r\n\r\n", door_host, door_host), 200);
    cr_assert_eq(door_ask(door_answer, "POST /act HTTP/1.1\r\nHost: %s\r\nContent-Length: 0\r\n\r\n", door_host), 200);
    cr_assert_eq(door_ask(door_answer, "GET /look HTTP/1.1\r\nHost: %s\r\nOrigin: http://evil.example\r\n\r\n", door_host), 200);
    cr_assert_eq(strcasestr(door_answer, "Access-Control-Allow"), NULL, "it may ask and not read");
    door_close();
    door_options.origins[0] = "https://friend.example";
    door_options.origin_count = 1;
    door_open();
    cr_assert_eq(door_ask(door_answer, "POST /act HTTP/1.1\r\nHost: %s\r\nOrigin: https://friend.example\r\nContent-Length: 0\r\n\r\n", door_host), 200);
    door_close();
}

Test(web, methods_and_lengths)
{
    open_standard();
    static const char *const unknown[] = { "TRACE", "OPTIONS", "CONNECT", "BREW", "get" };
    for (size_t i = 0; i < 5; i++) {
        unsigned status = door_ask(door_answer, "%s / HTTP/1.1\r\nHost: %s\r\n\r\n", unknown[i], door_host);
        cr_assert_eq(status, 501, "%s: %u", unknown[i], status);
    }
    door_expect(WEB_COUNT_BAD_METHOD, 5);
    cr_assert_eq(door_ask(door_answer, "POST /x HTTP/1.1\r\nHost: %s\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n", door_host), 411);
    cr_assert_eq(door_ask(door_answer, "GET /x HTTP/1.1\r\nHost: %s\r\nContent-Length: 5\r\n\r\nhello", door_host), 400);
    cr_assert_eq(door_ask(door_answer, "POST /x HTTP/1.1\r\nHost: %s\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nhello!", door_host), 400);
    cr_assert_eq(door_ask(door_answer, "POST /x HTTP/1.1\r\nHost: %s\r\nContent-Length: -5\r\n\r\nhello", door_host), 400);
    cr_assert_eq(atomic_load(&asked), 0);
    door_close();
}

Test(web, oversize_headers_and_bodies)
{
    open_standard();
    cr_assert_eq(door_ask(door_answer, "GET / HTTP/1.1\r\nHost: %s\r\nX: %09000d\r\n\r\n", door_host, 1), 431);
    door_expect(WEB_COUNT_HEADERS_TOO_LARGE, 1);
    unsigned status = door_ask(door_answer, "GET / HTTP/1.1\r\nHost: %s\r\nX: %0100000d\r\n\r\n", door_host, 1);
    cr_assert(status == 431 || status == 0, "%u", status); // libmicrohttpd's own bound
    door_expect(WEB_COUNT_CUT, 1);
    cr_assert_eq(door_ask(door_answer, "POST /x HTTP/1.1\r\nHost: %s\r\nContent-Length: 1048577\r\n\r\n", door_host), 413);
    cr_assert_eq(door_ask(door_answer, "POST /x HTTP/1.1\r\nHost: %s\r\nContent-Length: 18446744073709551617\r\n\r\n", door_host) / 100, 4);
    cr_assert_geq(web_count(door, WEB_COUNT_BODY_TOO_LARGE), 1);
    // What bodies take in all is bounded, too, and given back.
    int      sockets[16];
    uint64_t before = web_count(door, WEB_COUNT_REQUESTS), cut = web_count(door, WEB_COUNT_CUT);
    for (int i = 0; i < 16; i++) {
        sockets[i] = door_connect();
        door_send(sockets[i], "POST /x HTTP/1.1\r\nHost: %s\r\nContent-Length: 1048576\r\n\r\n1", door_host);
    }
    door_expect(WEB_COUNT_REQUESTS, before + 16);
    cr_assert_eq(door_ask(door_answer, "POST /x HTTP/1.1\r\nHost: %s\r\nContent-Length: 1\r\n\r\n1", door_host), 503);
    cr_assert(door_has("Retry-After: 1"));
    for (int i = 0; i < 16; i++) {
        close(sockets[i]);
    }
    while (web_connections(door) > 0) {
        usleep(1000);
    }
    cr_assert_geq(web_count(door, WEB_COUNT_CUT), cut + 16);
    cr_assert_eq(door_ask(door_answer, "POST /x HTTP/1.1\r\nHost: %s\r\nContent-Length: 1\r\n\r\n1", door_host), 200);
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
        unsigned status = door_read(socket, door_answer, false);
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
    cr_assert_eq(door_read(made, door_answer, false), 200);
    close(made);
    snprintf(door_host, sizeof(door_host), "127.0.0.1:%u", web_port(door, 0));
    cr_assert_eq(door_ask(door_answer, "GET /healthz HTTP/1.1\r\nHost: %s\r\n\r\n", door_host), 200);
    cr_assert_eq(door_ask(door_answer, "GET /healthz HTTP/1.1\r\nHost: %s\r\n\r\n", six), 421, "the other one's address");
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

// fuzz_web.c: what the HTTP door reads itself of a request: lines of target, Host, Origin, If-None-Match, and lists of a handshake. Whatever they are, a path
// that is fine is plain, decodes to itself when it is spelled again, and a host that is ours is no name but those it was given.
#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "web_request.h"
#include "ws_handshake.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void expect(bool is_right, const char *what)
{
    if (!is_right) {
        fprintf(stderr, "fuzz_web: %s\n", what);
        abort();
    }
}

static void take_target(const char *raw)
{
    static char path[WEB_PATH_MAX + 1], query[WEB_QUERY_MAX + 1], again[WEB_PATH_MAX + 1], spelled[WEB_PATH_MAX * 3 + WEB_QUERY_MAX + 2];
    if (web_request_target(raw, path, query) != WEB_TARGET_FINE) {
        return;
    }
    size_t size = 0;
    expect(path[0] == '/' && strlen(path) <= WEB_PATH_MAX && strlen(query) <= WEB_QUERY_MAX, "not a path");
    expect(strstr(path, "//") == NULL && strstr(path, "/../") == NULL && strstr(path, "/./") == NULL && strchr(path, '\\') == NULL, "a path that climbs");
    const char *last = strrchr(path, '/');
    expect(strcmp(last, "/..") != 0 && strcmp(last, "/.") != 0, "a path that climbs at its end");
    for (const char *at = path; *at != '\0'; at++) {
        expect(*at >= ' ' && *at < 0x7F, "a byte that may not come");
        size += (size_t)snprintf(spelled + size, 4, *at == '/' ? "/" : "%%%02X", (unsigned)*at);
    }
    expect(web_request_target(spelled, again, query) == WEB_TARGET_FINE && strcmp(again, path) == 0, "spelled again, it is another");
}

static void take_host(const char *host)
{
    static const char *const known[] = { "play.example.org", "other.example:8443" };
    WebNames                 names = { known, 2 };
    struct sockaddr_storage  local;
    bool                     is_name = false;
    memset(&local, 0, sizeof(local));
    struct sockaddr_in *four = (struct sockaddr_in *)&local;
    four->sin_family = AF_INET;
    four->sin_port = htons(7780);
    four->sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (web_request_host(host, &local, &names, &is_name)) {
        bool is_ours = strncasecmp(host, "127.0.0.1:", 10) == 0 || strncasecmp(host, "localhost:", 10) == 0;
        bool is_known = strncasecmp(host, known[0], strlen(known[0])) == 0 || strcasecmp(host, known[1]) == 0;
        expect(is_name ? is_known : is_ours, "a host of somebody else");
        expect(strpbrk(host, "/@?# \t\r\n;'\"") == NULL, "a host with more in it"); // it is written into a header
    }
}

static void take_origin(const char *origin, const char *host)
{
    static const char *const known[] = { "https://play.example.org" };
    WebNames                 names = { known, 1 };
    if (web_request_origin(origin, host, false, &names) && strcasecmp(origin, known[0]) != 0) {
        expect(strncasecmp(origin, "http://", 7) == 0 && strcasecmp(origin + 7, host) == 0, "an origin of somebody else");
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static char text[8192];
    char       *lines[4] = { text, text, text, text };
    if (size >= sizeof(text)) {
        return 0;
    }
    memcpy(text, data, size);
    text[size] = '\0';
    uint32_t count = 1;
    for (char *at = text; count < 4 && (at = strchr(at, '\n')) != NULL;) {
        *at++ = '\0';
        lines[count++] = at;
    }
    take_target(lines[0]);
    take_host(lines[1]);
    take_origin(lines[2], lines[1]);
    (void)web_request_has_etag(lines[3], "\"js-1\"");
    expect(!ws_list_has(lines[3], "upgrade", true) || strstr(lines[3], "upgrade") != NULL, "a word that is not there");
    if (ws_key_is_valid(lines[3])) {
        char accept[WS_ACCEPT_SIZE];
        ws_accept(lines[3], accept);
        expect(strlen(accept) == WS_ACCEPT_SIZE - 1, "an answer to a key");
    }
    return 0;
}

// join_place.c: the operand that says where the server is.
#include <string.h>

#include "args.h"
#include "cli.h"
#include "join.h"

// What stands behind "ws://": HOST:PORT is left in `rest`, and the path is taken; without one it is the server's usual one.
static bool take_url(JoinOptions *options, const char *place, const char *url, char rest[sizeof(options->ws_host)])
{
    size_t      size = strcspn(url, "/");
    const char *path = url[size] == '/' ? url + size : "/play";
    if (size >= sizeof(options->ws_host) || strlen(path) >= sizeof(options->ws_path) || strpbrk(path, " \t\r\n#") != NULL) {
        cli_usage(options->program, "'%s' is not ws://HOST:PORT or ws://HOST:PORT/PATH", place);
        return false;
    }
    memcpy(rest, url, size);
    rest[size] = '\0';
    memcpy(options->ws_host, rest, size + 1);
    snprintf(options->ws_path, sizeof(options->ws_path), "%s", path);
    return true;
}

static bool take_host(JoinOptions *options, const char *place, const char *given)
{
    const char *host = place[0] == '[' ? place + 1 : place;
    const char *end = place[0] == '[' ? strchr(place, ']') : strchr(place, ':');
    const char *colon = end != NULL && *end == ']' ? end + 1 : end;
    uint32_t    port = 0;
    size_t      size = end == NULL ? 0 : (size_t)(end - host);
    if (end == NULL || *colon != ':' || size == 0 || size >= sizeof(options->host) || strlen(colon + 1) >= sizeof(options->port)) {
        cli_usage(options->program, "'%s' is not HOST:PORT; an IPv6 address stands in brackets, as in [::1]:7777", given);
        return false;
    }
    if (!args_u32(given, colon + 1, 1, 65535, &port)) {
        return false;
    }
    memcpy(options->host, host, size);
    snprintf(options->port, sizeof(options->port), "%u", port);
    options->place = given;
    return true;
}

bool join_take_place(JoinOptions *options, const char *place)
{
    char rest[sizeof(options->ws_host)];
    if (strncmp(place, "wss://", 6) == 0) {
        cli_usage(options->program, "'%s': there is no TLS here; give the server's own ws://HOST:PORT", place);
        return false;
    }
    if (strncmp(place, "ws://", 5) == 0) {
        return take_url(options, place, place + 5, rest) && take_host(options, rest, place);
    }
    return take_host(options, place, place);
}

// join_place.c: the operand that says where the server is.
#include <string.h>

#include "args.h"
#include "cli.h"
#include "join.h"

bool join_take_place(JoinOptions *options, const char *place)
{
    const char *host = place[0] == '[' ? place + 1 : place;
    const char *end = place[0] == '[' ? strchr(place, ']') : strchr(place, ':');
    const char *colon = end != NULL && *end == ']' ? end + 1 : end;
    uint32_t    port = 0;
    size_t      size = end == NULL ? 0 : (size_t)(end - host);
    if (end == NULL || *colon != ':' || size == 0 || size >= sizeof(options->host) || strlen(colon + 1) >= sizeof(options->port)) {
        cli_usage(options->program, "'%s' is not HOST:PORT; an IPv6 address stands in brackets, as in [::1]:7777", place);
        return false;
    }
    if (!args_u32(place, colon + 1, 1, 65535, &port)) {
        return false;
    }
    memcpy(options->host, host, size);
    snprintf(options->port, sizeof(options->port), "%u", port);
    options->place = place;
    return true;
}

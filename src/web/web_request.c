// web_request.c: see web_request.h.
#include "web_request.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { HOST_MAX = 255 };

static bool is_letter_or_digit(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

// RFC 3986's pchar, without '%'.
static bool is_of_path(char c)
{
    return is_letter_or_digit(c) || (c != '\0' && strchr("-._~!$&'()*+,;=:@", c) != NULL);
}

static bool is_of_query(char c)
{
    return c > ' ' && c < 0x7F && c != '#' && c != '"' && c != '<' && c != '>' && c != '\\';
}

static int digit(char c)
{
    return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

// One character of a segment; -1: none that is allowed.
static int decode(const char **at)
{
    const char *from = *at;
    if (*from != '%') {
        *at += 1;
        return is_of_path(*from) ? *from : -1;
    }
    int high = digit(from[1]);
    int low = high < 0 ? -1 : digit(from[2]);
    int value = low < 0 ? -1 : high * 16 + low;
    *at += 3;
    return value >= ' ' && value < 0x7F && value != '/' && value != '\\' ? value : -1;
}

// "." and "..", and nothing unless it is the end.
static bool is_segment(const char *segment, size_t size, bool is_last)
{
    return !(size == 0 && !is_last) && !(size == 1 && segment[0] == '.') && !(size == 2 && segment[0] == '.' && segment[1] == '.');
}

static WebTarget take_path(const char **at, char path[WEB_PATH_MAX + 1])
{
    size_t size = 0, segment = 1;
    if (**at != '/') {
        return WEB_TARGET_BAD;
    }
    while (**at != '\0' && **at != '?') {
        bool is_slash = **at == '/';
        int  value = is_slash ? '/' : decode(at);
        if (value < 0 || (is_slash && size > 0 && !is_segment(path + segment, size - segment, false))) {
            return WEB_TARGET_BAD;
        }
        if (size == WEB_PATH_MAX) {
            return WEB_TARGET_LONG;
        }
        *at += is_slash ? 1 : 0;
        path[size++] = (char)value;
        segment = is_slash ? size : segment;
    }
    path[size] = '\0';
    return is_segment(path + segment, size - segment, true) ? WEB_TARGET_FINE : WEB_TARGET_BAD;
}

WebTarget web_request_target(const char *raw, char path[WEB_PATH_MAX + 1], char query[WEB_QUERY_MAX + 1])
{
    const char *at = raw;
    size_t      size = 0;
    path[0] = query[0] = '\0';
    WebTarget status = take_path(&at, path);
    if (status != WEB_TARGET_FINE || *at == '\0') {
        return status;
    }
    for (at += 1; *at != '\0'; at++) {
        if (!is_of_query(*at)) {
            return WEB_TARGET_BAD;
        }
        if (size == WEB_QUERY_MAX) {
            return WEB_TARGET_LONG;
        }
        query[size++] = *at;
    }
    query[size] = '\0';
    return WEB_TARGET_FINE;
}

// Host.

typedef struct {
    char     name[HOST_MAX + 1];
    uint32_t port; ///< 0: none is said
    bool     is_six;
} Host;

static bool take_port(const char *text, uint32_t *port)
{
    size_t size = strlen(text);
    if (size < 1 || size > 5 || strspn(text, "0123456789") != size) {
        return false;
    }
    *port = (uint32_t)strtoul(text, NULL, 10);
    return *port >= 1 && *port <= UINT16_MAX;
}

static bool split(const char *text, Host *host)
{
    size_t size = 0;
    host->port = 0;
    host->is_six = text[0] == '[';
    const char *end = text;
    if (host->is_six) {
        text += 1;
        size = strspn(text, "0123456789abcdefABCDEF:.");
        end = text + size + 1;
        if (text[size] != ']') {
            return false;
        }
    } else {
        while (is_letter_or_digit(text[size]) || text[size] == '.' || text[size] == '-') {
            size += 1;
        }
        end = text + size;
    }
    if (size < 1 || size > HOST_MAX || (*end != '\0' && *end != ':')) {
        return false;
    }
    memcpy(host->name, text, size);
    host->name[size] = '\0';
    return *end == '\0' || take_port(end + 1, &host->port);
}

static bool is_loopback(const struct sockaddr_storage *address)
{
    if (address->ss_family == AF_INET6) {
        return IN6_IS_ADDR_LOOPBACK(&((const struct sockaddr_in6 *)address)->sin6_addr);
    }
    return ntohl(((const struct sockaddr_in *)address)->sin_addr.s_addr) >> 24 == 127;
}

static uint32_t port_of(const struct sockaddr_storage *address)
{
    return ntohs(address->ss_family == AF_INET6 ? ((const struct sockaddr_in6 *)address)->sin6_port : ((const struct sockaddr_in *)address)->sin_port);
}

static bool is_address(const Host *host, const struct sockaddr_storage *address)
{
    struct in_addr  four;
    struct in6_addr six;
    if (host->is_six) {
        return address->ss_family == AF_INET6 && inet_pton(AF_INET6, host->name, &six) == 1 &&
               memcmp(&six, &((const struct sockaddr_in6 *)address)->sin6_addr, sizeof(six)) == 0;
    }
    return address->ss_family == AF_INET && inet_pton(AF_INET, host->name, &four) == 1 &&
           four.s_addr == ((const struct sockaddr_in *)address)->sin_addr.s_addr;
}

static bool is_one_of(const Host *host, const WebNames *names)
{
    for (uint32_t i = 0; i < names->count; i++) {
        Host known;
        if (split(names->names[i], &known) && known.is_six == host->is_six && strcasecmp(known.name, host->name) == 0 &&
            (known.port == 0 || known.port == host->port)) {
            return true;
        }
    }
    return false;
}

bool web_request_host(const char *text, const struct sockaddr_storage *local, const WebNames *names, bool *is_name)
{
    Host host;
    *is_name = false;
    if (!split(text, &host)) {
        return false;
    }
    *is_name = is_one_of(&host, names);
    bool is_port = (host.port == 0 ? 80 : host.port) == port_of(local);
    bool is_local = is_address(&host, local) || (is_loopback(local) && strcasecmp(host.name, "localhost") == 0);
    return *is_name || (is_port && is_local);
}

// Origin.

static bool is_at(const char *origin, const char *scheme, const char *host)
{
    size_t size = strlen(scheme);
    return strncasecmp(origin, scheme, size) == 0 && strcasecmp(origin + size, host) == 0;
}

bool web_request_origin(const char *origin, const char *host, bool is_name, const WebNames *origins)
{
    for (uint32_t i = 0; i < origins->count; i++) {
        if (strcasecmp(origins->names[i], origin) == 0) {
            return true;
        }
    }
    return is_at(origin, "http://", host) || (is_name && is_at(origin, "https://", host));
}

// RFC 9110, section 13.1.2: compared weakly.
bool web_request_has_etag(const char *list, const char *etag)
{
    size_t wanted = strlen(etag);
    if (wanted == 0) {
        return false;
    }
    if (strcmp(list, "*") == 0) {
        return true;
    }
    for (const char *at = list; *at != '\0';) {
        at += strspn(at, " \t,");
        at += strncmp(at, "W/", 2) == 0 ? 2 : 0;
        size_t size = strcspn(at, ",");
        const char *next = at + size;
        while (size > 0 && (at[size - 1] == ' ' || at[size - 1] == '\t')) {
            size -= 1;
        }
        if (size == wanted && memcmp(at, etag, size) == 0) {
            return true;
        }
        at = next;
    }
    return false;
}

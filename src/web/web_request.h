// web_request.h: what the door itself reads of a request's texts: path, Host and Origin. No sockets, no allocation; all of it takes foreign bytes.
#pragma once

#include <netinet/in.h>

#include "web.h"

typedef enum WebTarget {
    WEB_TARGET_FINE = 0,
    WEB_TARGET_BAD  = 1, ///< 400
    WEB_TARGET_LONG = 2, ///< 414
} WebTarget;

/// Cuts and decodes a request's target. A path is absolute, of the characters that RFC 3986 has for one, decoded once to printable ASCII; no "%2F", no
/// backslash, no segment that is empty, "." or "..", but a last empty one. The query stays as it is.
WebTarget web_request_target(const char *raw, char path[WEB_PATH_MAX + 1], char query[WEB_QUERY_MAX + 1]);

/// Names that a server goes by. `names` are hosts with or without a port, letters' case does not count; without one any port is fine.
typedef struct WebNames {
    const char *const *names;
    uint32_t           count;
} WebNames;

/// Whether a Host header means this server: the address that the connection came to, with its port; localhost when that is a loopback one; or one of the
/// names. `*is_name`: it was one of the names.
bool web_request_host(const char *host, const struct sockaddr_storage *local, const WebNames *names, bool *is_name);
/// Whether a page of this origin may act here: it was served by this host, whose header was found right; with TLS in front of it only under a name; or it
/// is one of `origins`.
bool web_request_origin(const char *origin, const char *host, bool is_name, const WebNames *origins);
/// Whether If-None-Match has this etag.
bool web_request_has_etag(const char *list, const char *etag);

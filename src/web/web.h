// web.h: the HTTP door of a server: one thread with libmicrohttpd, its limits, checks of path, Host and Origin, files that are linked in, and the
// upgrade to WebSocket. It knows no routes but those of its files, `/play`, and `/healthz` when nobody else answers it: all others are the handler's.
//
// Memory: connections times header_bytes_max and what the pool of a connection has on top, plus one body_bytes_max for each of bodies_max requests
// with a body under way. Everything that is refused is counted (WebCounts).
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tickproof/layout.h"

enum {
    WEB_PATH_MAX    = 1024,    ///< bytes of a path, decoded or not; more is 414
    WEB_QUERY_MAX   = 2048,    ///< of a query; more is 414
    WEB_BODY_MAX    = 1048576, ///< usual: more is 413
    WEB_HEADERS_MAX = 8192,    ///< usual: of the request's line and headers; more is 431
    WEB_LISTENERS_MAX = 4,
    WEB_NAMES_MAX     = 16,    ///< of hosts, and of origins
    WEB_ADDRESS_SIZE  = 64,
};

/// A request that has passed all checks. Everything is borrowed for the call.
typedef struct WebRequest {
    const char *method;        ///< "GET" (also for HEAD), "POST", "PUT", "PATCH" or "DELETE"
    const char *path;          ///< decoded: starts with '/', no query, no empty, "." or ".." segment but a last empty one, no control bytes
    const char *query;         ///< raw, "" when there is none
    const char *authorization, *origin, *host, *accept, *content_type, *cookie; ///< "" when absent
    const uint8_t *body;
    size_t      body_size;     ///< whole, at most body_bytes_max
    const char *address;       ///< of the client: "127.0.0.1:50412"
} WebRequest;

/// Filled by the handler; all zero but `status` 404 and `file` -1 before. Security headers are added to it; a 304 is made of it when the etag matches.
typedef struct WebResponse {
    unsigned    status;
    const char *content_type;  ///< static text; NULL: none
    uint8_t    *body;          ///< malloc'ed, freed by web; or NULL
    size_t      body_size;
    int         file;          ///< >= 0: a file's first file_size bytes instead of `body`; closed by web
    uint64_t    file_size;
    char        file_name[128]; ///< Content-Disposition when not empty; letters, digits and "._-" only, others become '_'
    uint32_t    retry_after_s; ///< 0: none
    char        etag[40];      ///< with its quotation marks; empty: none
    char        cache[48];     ///< Cache-Control; empty: no-store
    char        challenge[64]; ///< WWW-Authenticate
    char        allow[64];     ///< Allow, with a 405
    char        location[128]; ///< Location, with a 201 or 303
} WebResponse;

/// Called on the door's thread, one request at a time. It may wait for a room, bounded: meanwhile nobody else is answered.
typedef struct WebHandler {
    void (*handle)(void *to, const WebRequest *request, WebResponse *response);
    void *to;
} WebHandler;

/// A file that is linked in.
typedef struct WebFile {
    const char    *path; ///< as a request has it decoded: "/", "/room.js"
    const uint8_t *bytes;
    size_t         size;
    const char    *content_type;
    const char    *etag; ///< with its quotation marks
} WebFile;

/// A socket that is a WebSocket from here on: its handshake was answered. It is the taker's, with what was read of it already. Called on the door's
/// thread.
typedef struct WebPlay {
    void (*take)(void *to, int socket, const uint8_t *bytes, size_t size);
    void *to;
} WebPlay;

/// 0 means the usual one.
typedef struct WebLimits {
    uint32_t connections;           ///< 256; one more gets 503
    uint32_t connections_per_address; ///< 64; one more gets 429
    uint32_t requests_per_second;   ///< of one address: 100, two seconds' worth at once; more get 429
    uint32_t header_bytes_max;      ///< WEB_HEADERS_MAX
    uint32_t body_bytes_max;        ///< WEB_BODY_MAX
    uint32_t request_ms;            ///< 10,000: from the connection, or a request's first line, to its last byte; then the connection is closed
    uint32_t idle_ms;               ///< 15,000: between two requests; and without a byte of a response taken
} WebLimits;

typedef struct WebOptions {
    WebLimits      limits;
    WebHandler     handler;         ///< `handle` NULL: files, /healthz and /play are all there is
    WebPlay        play;            ///< `take` NULL: no WebSockets
    const WebFile *files;           ///< must outlive the door
    size_t         file_count;
    /// Further names it is reached by ("play.example.org"), beside its own addresses and localhost. Texts must outlive the door.
    const char    *hosts[WEB_NAMES_MAX];
    uint32_t       host_count;
    /// Further origins of pages that may act and play ("https://play.example.org"), beside its own.
    const char    *origins[WEB_NAMES_MAX];
    uint32_t       origin_count;
} WebOptions;

typedef enum WebCount {
    WEB_COUNT_CONNECTIONS,      ///< taken
    WEB_COUNT_REQUESTS,         ///< whose headers came whole
    WEB_COUNT_UPGRADES,         ///< WebSockets handed over
    WEB_COUNT_TOO_MANY,         ///< refused: connections in all, 503
    WEB_COUNT_TOO_MANY_ADDRESS, ///< likewise of one address, 429
    WEB_COUNT_TOO_FAST,         ///< requests a second of one address, 429
    WEB_COUNT_TOO_SLOW,         ///< a request, or the reading of its answer, took too long: closed
    WEB_COUNT_BAD_PATH,         ///< 400
    WEB_COUNT_BAD_REQUEST,      ///< 400: other than the path; 411, 414, 417
    WEB_COUNT_BAD_METHOD,       ///< 405, 501
    WEB_COUNT_BAD_HOST,         ///< 421
    WEB_COUNT_BAD_ORIGIN,       ///< 403
    WEB_COUNT_BAD_UPGRADE,      ///< 400, 426: /play without a right handshake
    WEB_COUNT_HEADERS_TOO_LARGE, ///< 431
    WEB_COUNT_BODY_TOO_LARGE,   ///< 413
    WEB_COUNT_CUT,              ///< connections that ended within a request or before the first, requests that libmicrohttpd did not understand or had no room for
    WEB_COUNT_COUNT,
} WebCount;

/// "connections", "too_many", ...: stable names for machines.
const char *web_count_name(WebCount count);

typedef struct Web Web;

void web_options_standard(WebOptions *options);
/// NULL for want of memory.
Web *web_create(tp_error *error);
/// Opens a listening socket at once, so that a port that is taken is known before anything runs: "127.0.0.1:7780", "[::1]:0". Numbers only. May be
/// called several times (WEB_LISTENERS_MAX). False with the reason.
bool web_listen(Web *web, const char *address, tp_error *error);
/// Takes a socket that listens already (socket activation); it is the door's then, also on false.
bool web_listen_socket(Web *web, int socket, tp_error *error);
/// The n-th listener's address as it became, and its port.
uint32_t web_listener_count(const Web *web);
const char *web_address(const Web *web, uint32_t listener);
uint32_t web_port(const Web *web, uint32_t listener);
/// Starts the thread. Options are copied, what they point to is not. False with the reason.
bool web_start(Web *web, const WebOptions *options, tp_error *error);
/// From any thread.
uint64_t web_count(const Web *web, WebCount count);
/// Connections at the moment.
uint32_t web_connections(const Web *web);
/// Answers nobody any more, waits for the thread, and frees everything. NULL is fine.
void web_destroy(Web *web);

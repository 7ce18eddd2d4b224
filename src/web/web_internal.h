// web_internal.h: the door's own memory, shared by web.c (sockets and the thread), web_limits.c (who may come how often), web_answer.c (requests),
// web_response.c (answers) and web_play.c (WebSockets).
#pragma once

#include <microhttpd.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/socket.h>

#include "addresses.h"
#include "web.h"
#include "web_request.h"

enum {
    WEB_BUCKETS         = 4096, ///< counts of requests a second, by address; two addresses may share one
    WEB_LINGERING       = 64,   ///< refused connections that are given a moment to read so
    WEB_LINGER_MS       = 250,
    WEB_ACCEPTS_AT_ONCE = 64,
    WEB_BODIES_MAX      = 16,   ///< so many times the largest body may be under way in all
    WEB_READ_MS_PER_16K = 1000, ///< an answer is to be read at least at this rate
    WEB_POOL_EXTRA      = 32768, ///< of a connection's memory, beyond its headers: the answer's head, tables of headers. Above 32 KiB libmicrohttpd maps it,
                                 ///< so that only what is touched is there, and nothing stays when it closes
    WEB_LOOK_MS         = 250,
};

/// A request under way.
typedef struct WebExchange {
    bool        is_head, has_begun, is_answered;
    WebTarget   target;
    uint8_t    *body;
    size_t      body_size, body_wanted;
    const char *host, *origin;
    bool        is_name;     ///< `host` is one of the configured names
    char        path[WEB_PATH_MAX + 1], query[WEB_QUERY_MAX + 1];
} WebExchange;

typedef struct WebConnection {
    bool         is_used, is_cut;
    bool         is_fresh;    ///< nothing was asked on it yet
    int          socket;      ///< MHD's
    Address      address;
    char         text[ADDRESS_TEXT_SIZE];
    uint64_t     deadline_ms;
    WebExchange *exchange;
} WebConnection;

typedef struct WebBucket {
    uint64_t counted_ms;
    int64_t  credit; ///< thousandths of requests
} WebBucket;

typedef struct WebLinger {
    int      socket; ///< 0: none
    uint64_t until_ms;
} WebLinger;

struct Web {
    int                sockets[WEB_LISTENERS_MAX];
    char               addresses[WEB_LISTENERS_MAX][ADDRESS_TEXT_SIZE];
    uint32_t           ports[WEB_LISTENERS_MAX];
    uint32_t           count;
    WebOptions         options;    ///< with limits filled in
    struct MHD_Daemon *daemon;
    pthread_t          thread;
    bool               has_thread;
    int                wake;       ///< an eventfd
    int                poll;       ///< MHD's epoll
    WebConnection     *connections; ///< limits.connections of them
    WebConnection     *adding;     ///< inside MHD_add_connection
    WebBucket         *buckets;
    uint8_t            bucket_key[16];
    WebLinger          lingering[WEB_LINGERING];
    uint32_t           linger_next;
    size_t             body_bytes; ///< under way
    bool               is_short;   ///< the system could not give a connection: it is asked again in the next turn
    bool               has_closed_upgrades; ///< MHD has some to clean up
    atomic_uint        connection_count;
    atomic_bool        stop_wanted;
    atomic_ullong      counts[WEB_COUNT_COUNT];
};

uint64_t web_now_ms(void);
void     web_add_count(Web *web, WebCount count);

// web_limits.c

/// The usual where nothing is said.
void web_limits_fill(WebLimits *limits);
/// A place for a connection of this address; NULL: too many, and `*is_address` tells whether of this address.
WebConnection *web_limits_place(Web *web, const Address *address, bool *is_address);
/// Whether the address may ask for one thing more.
bool web_limits_take(Web *web, const Address *address, uint64_t now_ms);
/// Cuts those whose time is over.
void web_limits_look(Web *web, uint64_t now_ms);

// web_answer.c: MHD's callbacks

void *web_answer_target(void *to, const char *target, struct MHD_Connection *connection);
enum MHD_Result web_answer(void *to, struct MHD_Connection *connection, const char *target, const char *method, const char *version,
                           const char *bytes, size_t *size, void **context);
void web_answer_completed(void *to, struct MHD_Connection *connection, void **context, enum MHD_RequestTerminationCode why);
void web_answer_drop(Web *web, WebConnection *connection);
WebConnection *web_connection_of(struct MHD_Connection *connection);
const char *web_header(struct MHD_Connection *connection, const char *name); ///< "" when absent

// web_response.c

/// A line of text for people; `header` NULL: no further one.
enum MHD_Result web_response_text(Web *web, struct MHD_Connection *connection, unsigned status, const char *header, const char *value, const char *text);
/// A linked-in file, or that it has not changed, or that it is no other method's.
enum MHD_Result web_response_file(Web *web, struct MHD_Connection *connection, const WebFile *file, bool is_get);
/// A handler's; what it owns is gone then.
enum MHD_Result web_response_send(Web *web, struct MHD_Connection *connection, WebResponse *from, bool is_get);

// web_play.c

/// Answers a request for /play.
enum MHD_Result web_play(Web *web, struct MHD_Connection *connection, WebExchange *exchange);

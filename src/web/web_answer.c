// web_answer.c: from a request's headers to who answers it: what is refused, files, the handler.
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "web_internal.h"
#include "ws_handshake.h"

WebConnection *web_connection_of(struct MHD_Connection *connection)
{
    const union MHD_ConnectionInfo *info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
    return info != NULL ? info->socket_context : NULL;
}

const char *web_header(struct MHD_Connection *connection, const char *name)
{
    const char *value = MHD_lookup_connection_value(connection, MHD_HEADER_KIND, name);
    return value != NULL ? value : "";
}

// Exchanges.

void *web_answer_target(void *to, const char *target, struct MHD_Connection *connection)
{
    Web           *web = to;
    WebConnection *own = web_connection_of(connection);
    WebExchange   *exchange = calloc(1, sizeof(*exchange));
    if (own == NULL || exchange == NULL) {
        free(exchange);
        return NULL;
    }
    web_answer_drop(web, own);
    own->exchange = exchange;
    own->is_fresh = false;
    own->deadline_ms = web_now_ms() + web->options.limits.request_ms;
    exchange->target = web_request_target(target, exchange->path, exchange->query);
    return exchange;
}

void web_answer_drop(Web *web, WebConnection *connection)
{
    WebExchange *exchange = connection->exchange;
    if (exchange != NULL) {
        web->body_bytes -= exchange->body_wanted;
        free(exchange->body);
        free(exchange);
        connection->exchange = NULL;
    }
}

void web_answer_completed(void *to, struct MHD_Connection *connection, void **context, enum MHD_RequestTerminationCode why)
{
    Web           *web = to;
    WebConnection *own = web_connection_of(connection);
    *context = NULL;
    if (own == NULL) {
        return;
    }
    // Answered, and not by us: libmicrohttpd did not understand the rest of it, or had no room for it.
    bool is_theirs = why == MHD_REQUEST_TERMINATED_COMPLETED_OK && own->exchange != NULL && !own->exchange->is_answered;
    if (is_theirs || (why != MHD_REQUEST_TERMINATED_COMPLETED_OK && why != MHD_REQUEST_TERMINATED_DAEMON_SHUTDOWN && !own->is_cut)) {
        web_add_count(web, why == MHD_REQUEST_TERMINATED_TIMEOUT_REACHED ? WEB_COUNT_TOO_SLOW : WEB_COUNT_CUT);
    }
    web_answer_drop(web, own);
    own->deadline_ms = web_now_ms() + web->options.limits.idle_ms;
}

// Who answers.

static const WebFile *find_file(const Web *web, const char *path)
{
    for (size_t i = 0; i < web->options.file_count; i++) {
        if (strcmp(web->options.files[i].path, path) == 0) {
            return &web->options.files[i];
        }
    }
    return NULL;
}

static enum MHD_Result hand_over(Web *web, struct MHD_Connection *connection, WebExchange *exchange, const char *method, bool is_get)
{
    WebRequest request = {
        .method = is_get ? "GET" : method,
        .path = exchange->path,
        .query = exchange->query,
        .authorization = web_header(connection, "Authorization"),
        .origin = exchange->origin,
        .host = exchange->host,
        .accept = web_header(connection, "Accept"),
        .content_type = web_header(connection, "Content-Type"),
        .cookie = web_header(connection, "Cookie"),
        .body = exchange->body,
        .body_size = exchange->body_size,
        .address = web_connection_of(connection)->text,
    };
    WebResponse response = { .status = MHD_HTTP_NOT_FOUND, .file = -1 };
    web->options.handler.handle(web->options.handler.to, &request, &response);
    return web_response_send(web, connection, &response, is_get);
}

static enum MHD_Result answer(Web *web, struct MHD_Connection *connection, WebExchange *exchange, const char *method)
{
    bool           is_get = exchange->is_head || strcmp(method, "GET") == 0;
    const WebFile *file = find_file(web, exchange->path);
    if (file != NULL) {
        return web_response_file(web, connection, file, is_get);
    }
    if (web->options.play.take != NULL && strcmp(exchange->path, WS_PATH) == 0) {
        return web_play(web, connection, exchange);
    }
    if (web->options.handler.handle != NULL) {
        return hand_over(web, connection, exchange, method, is_get);
    }
    if (is_get && strcmp(exchange->path, "/healthz") == 0) {
        return web_response_text(web, connection, MHD_HTTP_OK, NULL, NULL, "ok\n");
    }
    return web_response_text(web, connection, MHD_HTTP_NOT_FOUND, NULL, NULL, "there is nothing here\n");
}

// What is refused.

static enum MHD_Result refuse(Web *web, struct MHD_Connection *connection, WebCount count, unsigned status, const char *text)
{
    web_add_count(web, count);
    return web_response_text(web, connection, status, "Connection", "close", text);
}

typedef struct {
    uint32_t hosts, lengths, codings, origins;
} Headers;

static enum MHD_Result count_header(void *to, enum MHD_ValueKind kind, const char *name, const char *value)
{
    Headers *headers = to;
    (void)kind;
    (void)value;
    headers->hosts += strcasecmp(name, "Host") == 0 ? 1 : 0;
    headers->lengths += strcasecmp(name, "Content-Length") == 0 ? 1 : 0;
    headers->codings += strcasecmp(name, "Transfer-Encoding") == 0 ? 1 : 0;
    headers->origins += strcasecmp(name, "Origin") == 0 ? 1 : 0;
    return MHD_YES;
}

static bool is_host(Web *web, struct MHD_Connection *connection, WebExchange *exchange)
{
    struct sockaddr_storage local;
    socklen_t               size = sizeof(local);
    WebNames                names = { web->options.hosts, web->options.host_count };
    memset(&local, 0, sizeof(local));
    const char *host = web_header(connection, "Host");
    if (getsockname(web_connection_of(connection)->socket, (struct sockaddr *)&local, &size) != 0 ||
        !web_request_host(host, &local, &names, &exchange->is_name)) {
        return false;
    }
    exchange->host = host;
    return true;
}

// A page of elsewhere may make a browser send what it likes, with what the browser knows of this server; it cannot hide where it is from.
static bool is_foreign(Web *web, struct MHD_Connection *connection, WebExchange *exchange)
{
    WebNames    origins = { web->options.origins, web->options.origin_count };
    const char *site = web_header(connection, "Sec-Fetch-Site");
    exchange->origin = web_header(connection, "Origin");
    if (exchange->origin[0] != '\0') {
        return !web_request_origin(exchange->origin, exchange->host, exchange->is_name, &origins);
    }
    return site[0] != '\0' && strcmp(site, "same-origin") != 0 && strcmp(site, "none") != 0;
}

static bool is_method(const char *method)
{
    static const char *const known[] = { "GET", "HEAD", "POST", "PUT", "PATCH", "DELETE" };
    for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
        if (strcmp(method, known[i]) == 0) {
            return true;
        }
    }
    return false;
}

// The body's size, or false when it is none that is taken; then `*result` answers.
static bool take_length(Web *web, struct MHD_Connection *connection, WebExchange *exchange, const char *method, const Headers *headers, enum MHD_Result *result)
{
    const char *text = web_header(connection, "Content-Length");
    bool        has_body = strcmp(method, "POST") == 0 || strcmp(method, "PUT") == 0 || strcmp(method, "PATCH") == 0;
    size_t      length = strlen(text);
    if (headers->codings > 0) {
        *result = refuse(web, connection, WEB_COUNT_BAD_REQUEST, MHD_HTTP_LENGTH_REQUIRED, "a body is taken with its Content-Length only\n");
        return false;
    }
    if (headers->lengths > 1 || strspn(text, "0123456789") != length || length > 18) {
        *result = refuse(web, connection, WEB_COUNT_BAD_REQUEST, MHD_HTTP_BAD_REQUEST, "the Content-Length is none\n");
        return false;
    }
    uint64_t size = strtoull(text, NULL, 10);
    if (size > web->options.limits.body_bytes_max) {
        *result = refuse(web, connection, WEB_COUNT_BODY_TOO_LARGE, MHD_HTTP_CONTENT_TOO_LARGE, "the body is too large\n");
        return false;
    }
    if (size > 0 && !has_body) {
        *result = refuse(web, connection, WEB_COUNT_BAD_REQUEST, MHD_HTTP_BAD_REQUEST, "this method has no body\n");
        return false;
    }
    if (size > (uint64_t)WEB_BODIES_MAX * web->options.limits.body_bytes_max - web->body_bytes) {
        web_add_count(web, WEB_COUNT_TOO_MANY);
        *result = web_response_text(web, connection, MHD_HTTP_SERVICE_UNAVAILABLE, "Retry-After", "1", "too many requests with a body at once: try again\n");
        return false;
    }
    exchange->body = size > 0 ? malloc(size) : NULL;
    exchange->body_wanted = exchange->body != NULL ? size : 0;
    web->body_bytes += exchange->body_wanted;
    *result = size > 0 && exchange->body == NULL ? MHD_NO : MHD_YES;
    return *result == MHD_YES;
}

// All that the headers tell. True: go on, with the body or the answer.
static bool begin(Web *web, struct MHD_Connection *connection, WebExchange *exchange, const char *method, const char *version, enum MHD_Result *result)
{
    Headers                         headers = { 0 };
    const union MHD_ConnectionInfo *size = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_REQUEST_HEADER_SIZE);
    WebConnection                  *own = web_connection_of(connection);
    // What a page of elsewhere may not make a browser do, while it may ask for files, and not read them.
    bool is_act = (strcmp(method, "GET") != 0 && strcmp(method, "HEAD") != 0) || strcmp(exchange->path, WS_PATH) == 0;
    exchange->is_head = strcmp(method, "HEAD") == 0;
    exchange->origin = "";
    web_add_count(web, WEB_COUNT_REQUESTS);
    MHD_get_connection_values(connection, MHD_HEADER_KIND, count_header, &headers);
    if (!web_limits_take(web, &own->address, web_now_ms())) {
        web_add_count(web, WEB_COUNT_TOO_FAST);
        *result = web_response_text(web, connection, MHD_HTTP_TOO_MANY_REQUESTS, "Retry-After", "1", "too many requests a second: try again later\n");
    } else if (size != NULL && size->header_size > web->options.limits.header_bytes_max) {
        *result = refuse(web, connection, WEB_COUNT_HEADERS_TOO_LARGE, MHD_HTTP_REQUEST_HEADER_FIELDS_TOO_LARGE, "the headers are too large\n");
    } else if (!is_method(method)) {
        *result = refuse(web, connection, WEB_COUNT_BAD_METHOD, MHD_HTTP_NOT_IMPLEMENTED, "this method is not known here\n");
    } else if (exchange->target == WEB_TARGET_LONG) {
        *result = refuse(web, connection, WEB_COUNT_BAD_REQUEST, MHD_HTTP_URI_TOO_LONG, "the path or the query is too long\n");
    } else if (exchange->target == WEB_TARGET_BAD) {
        *result = refuse(web, connection, WEB_COUNT_BAD_PATH, MHD_HTTP_BAD_REQUEST, "the path is none that could be here\n");
    } else if (headers.hosts != 1 || headers.origins > 1) {
        *result = refuse(web, connection, WEB_COUNT_BAD_REQUEST, MHD_HTTP_BAD_REQUEST, "a request has one Host, and at most one Origin\n");
    } else if (!is_host(web, connection, exchange)) {
        *result = refuse(web, connection, WEB_COUNT_BAD_HOST, MHD_HTTP_MISDIRECTED_REQUEST, "this server does not go by that name: name it in its configuration\n");
    } else if (is_foreign(web, connection, exchange) && is_act) {
        *result = refuse(web, connection, WEB_COUNT_BAD_ORIGIN, MHD_HTTP_FORBIDDEN,
                         "pages of this origin may not act here: name it in the server's configuration\n");
    } else if (strcmp(version, "HTTP/1.1") != 0 && strcmp(version, "HTTP/1.0") != 0) {
        *result = refuse(web, connection, WEB_COUNT_BAD_REQUEST, MHD_HTTP_HTTP_VERSION_NOT_SUPPORTED, "HTTP/1.1 is spoken here\n");
    } else {
        return take_length(web, connection, exchange, method, &headers, result);
    }
    return false;
}

enum MHD_Result web_answer(void *to, struct MHD_Connection *connection, const char *target, const char *method, const char *version,
                           const char *bytes, size_t *size, void **context)
{
    Web            *web = to;
    WebExchange    *exchange = *context;
    enum MHD_Result result = MHD_YES;
    (void)target;
    if (exchange == NULL) {
        return MHD_NO; // out of memory
    }
    if (!exchange->has_begun) {
        exchange->has_begun = true;
        begin(web, connection, exchange, method, version, &result);
        return result;
    }
    if (*size > 0) {
        if (exchange->is_answered || *size > exchange->body_wanted - exchange->body_size) {
            return MHD_NO;
        }
        memcpy(exchange->body + exchange->body_size, bytes, *size);
        exchange->body_size += *size;
        *size = 0;
        return MHD_YES;
    }
    return exchange->is_answered ? MHD_YES : answer(web, connection, exchange, method);
}

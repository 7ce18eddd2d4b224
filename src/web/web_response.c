// web_response.c: answers as libmicrohttpd wants them, with the headers that all of them have.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "web_internal.h"

enum { CSP_SIZE = 768 };

// `connect-src 'self'` is not a page's own WebSocket for every browser, so it is said. The host was checked, and has no characters that mean anything.
static void add_policy(struct MHD_Response *response, const char *host)
{
    char policy[CSP_SIZE];
    snprintf(policy, sizeof(policy),
             "default-src 'self'; script-src 'self' 'wasm-unsafe-eval'; connect-src 'self'%s%s%s%s; img-src 'self' data: blob:; object-src 'none'; base-uri 'none'; "
             "form-action 'none'; frame-ancestors 'none'",
             host[0] != '\0' ? " ws://" : "", host, host[0] != '\0' ? " wss://" : "", host);
    MHD_add_response_header(response, "Content-Security-Policy", policy);
    MHD_add_response_header(response, "X-Content-Type-Options", "nosniff");
    MHD_add_response_header(response, "X-Frame-Options", "DENY");
    MHD_add_response_header(response, "Referrer-Policy", "no-referrer");
    MHD_add_response_header(response, "Cross-Origin-Opener-Policy", "same-origin");
    MHD_add_response_header(response, "Cross-Origin-Resource-Policy", "same-origin");
}

// From here on the time is the reader's: so much for each byte that he has to read.
static enum MHD_Result queue(Web *web, struct MHD_Connection *connection, unsigned status, struct MHD_Response *response, uint64_t size)
{
    WebConnection *own = web_connection_of(connection);
    WebExchange   *exchange = own->exchange;
    if (response == NULL) {
        return MHD_NO; // out of memory: the connection closes
    }
    add_policy(response, exchange != NULL && exchange->host != NULL ? exchange->host : "");
    own->deadline_ms = web_now_ms() + web->options.limits.request_ms + size / 16384 * WEB_READ_MS_PER_16K;
    if (exchange != NULL) {
        exchange->is_answered = true;
    }
    enum MHD_Result result = MHD_queue_response(connection, status, response);
    MHD_destroy_response(response);
    return result;
}

static struct MHD_Response *text_response(const char *text)
{
    struct MHD_Response *response = MHD_create_response_from_buffer(strlen(text), (void *)(uintptr_t)text, MHD_RESPMEM_MUST_COPY);
    if (response != NULL) {
        MHD_add_response_header(response, "Content-Type", "text/plain; charset=utf-8");
        MHD_add_response_header(response, "Cache-Control", "no-store");
    }
    return response;
}

enum MHD_Result web_response_text(Web *web, struct MHD_Connection *connection, unsigned status, const char *header, const char *value, const char *text)
{
    struct MHD_Response *response = text_response(text);
    if (response != NULL && header != NULL) {
        MHD_add_response_header(response, header, value);
    }
    return queue(web, connection, status, response, strlen(text));
}

static enum MHD_Result not_modified(Web *web, struct MHD_Connection *connection, const char *etag, const char *cache)
{
    struct MHD_Response *response = MHD_create_response_from_buffer(0, (void *)(uintptr_t)"", MHD_RESPMEM_PERSISTENT);
    if (response != NULL) {
        MHD_add_response_header(response, "ETag", etag);
        MHD_add_response_header(response, "Cache-Control", cache);
    }
    return queue(web, connection, MHD_HTTP_NOT_MODIFIED, response, 0);
}

// Files.

enum MHD_Result web_response_file(Web *web, struct MHD_Connection *connection, const WebFile *file, bool is_get)
{
    if (!is_get) {
        web_add_count(web, WEB_COUNT_BAD_METHOD);
        return web_response_text(web, connection, MHD_HTTP_METHOD_NOT_ALLOWED, "Allow", "GET, HEAD", "this is a file: GET or HEAD\n");
    }
    if (web_request_has_etag(web_header(connection, "If-None-Match"), file->etag)) {
        return not_modified(web, connection, file->etag, "no-cache");
    }
    struct MHD_Response *response = MHD_create_response_from_buffer(file->size, (void *)(uintptr_t)file->bytes, MHD_RESPMEM_PERSISTENT);
    if (response != NULL) {
        MHD_add_response_header(response, "Content-Type", file->content_type);
        MHD_add_response_header(response, "ETag", file->etag);
        MHD_add_response_header(response, "Cache-Control", "no-cache"); // it asks each time, and most often hears that it has it
    }
    return queue(web, connection, MHD_HTTP_OK, response, file->size);
}

// The handler's.

static void add_when(struct MHD_Response *response, const char *name, const char *value)
{
    if (value != NULL && value[0] != '\0') {
        MHD_add_response_header(response, name, value);
    }
}

static void add_name(struct MHD_Response *response, const char *name)
{
    char   value[sizeof(((WebResponse *)0)->file_name) + 32];
    size_t size = (size_t)snprintf(value, sizeof(value), "attachment; filename=\"");
    for (; *name != '\0' && size < sizeof(value) - 2; name++) {
        bool is_plain = (*name >= 'a' && *name <= 'z') || (*name >= 'A' && *name <= 'Z') || (*name >= '0' && *name <= '9') || strchr("._-", *name) != NULL;
        value[size++] = is_plain ? *name : '_';
    }
    value[size] = '"';
    value[size + 1] = '\0';
    MHD_add_response_header(response, "Content-Disposition", value);
}

static struct MHD_Response *make_response(WebResponse *from)
{
    struct MHD_Response *response;
    if (from->file >= 0) {
        response = MHD_create_response_from_fd64(from->file_size, from->file); // closes it in the end
        if (response == NULL) {
            close(from->file);
        }
        return response;
    }
    response = MHD_create_response_from_buffer(from->body_size, from->body != NULL ? from->body : (void *)(uintptr_t)"",
                                               from->body != NULL ? MHD_RESPMEM_MUST_FREE : MHD_RESPMEM_PERSISTENT);
    if (response == NULL) {
        free(from->body);
    }
    return response;
}

enum MHD_Result web_response_send(Web *web, struct MHD_Connection *connection, WebResponse *from, bool is_get)
{
    char        seconds[16];
    const char *cache = from->cache[0] != '\0' ? from->cache : "no-store";
    if (is_get && from->status == MHD_HTTP_OK && web_request_has_etag(web_header(connection, "If-None-Match"), from->etag)) {
        free(from->body);
        if (from->file >= 0) {
            close(from->file);
        }
        return not_modified(web, connection, from->etag, cache);
    }
    uint64_t             size = from->file >= 0 ? from->file_size : from->body_size;
    struct MHD_Response *response = make_response(from);
    if (response == NULL) {
        return MHD_NO;
    }
    snprintf(seconds, sizeof(seconds), "%u", from->retry_after_s);
    add_when(response, "Content-Type", from->content_type);
    add_when(response, "ETag", from->etag);
    add_when(response, "WWW-Authenticate", from->challenge);
    add_when(response, "Allow", from->allow);
    add_when(response, "Location", from->location);
    add_when(response, "Retry-After", from->retry_after_s > 0 ? seconds : "");
    MHD_add_response_header(response, "Cache-Control", cache);
    if (from->file_name[0] != '\0') {
        add_name(response, from->file_name);
    }
    return queue(web, connection, from->status, response, size);
}

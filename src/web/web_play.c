// web_play.c: the upgrade to a WebSocket (RFC 6455, section 4.2), and how its socket leaves libmicrohttpd: as a duplicate, so that what libmicrohttpd
// closes is its own. It has no part in the connection any more then.
#include <errno.h>
#include <fcntl.h>
#include <netinet/tcp.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "frame.h"
#include "web_internal.h"
#include "ws_handshake.h"

static void on_upgrade(void *to, struct MHD_Connection *connection, void *context, const char *bytes, size_t size, MHD_socket socket,
                       struct MHD_UpgradeResponseHandle *handle)
{
    Web *web = to;
    int  off = 0;
    (void)connection;
    (void)context;
    int copy = size <= FRAME_BUFFER_SIZE ? fcntl(socket, F_DUPFD_CLOEXEC, 3) : -1;
    MHD_upgrade_action(handle, MHD_UPGRADE_ACTION_CLOSE);
    web->has_closed_upgrades = true;
    if (copy < 0) {
        return; // out of files, or it sent more than it may before it was answered: closed
    }
    setsockopt(copy, IPPROTO_TCP, TCP_CORK, &off, sizeof(off));
    web_add_count(web, WEB_COUNT_UPGRADES);
    web->options.play.take(web->options.play.to, copy, (const uint8_t *)bytes, size);
}

static enum MHD_Result refuse(Web *web, struct MHD_Connection *connection, unsigned status, const char *header, const char *value, const char *text)
{
    web_add_count(web, WEB_COUNT_BAD_UPGRADE);
    return web_response_text(web, connection, status, header, value, text);
}

// Each of these headers once.
typedef struct {
    uint32_t keys, versions;
} Seen;

static enum MHD_Result count_header(void *to, enum MHD_ValueKind kind, const char *name, const char *value)
{
    Seen *seen = to;
    (void)kind;
    (void)value;
    seen->keys += strcasecmp(name, "Sec-WebSocket-Key") == 0 ? 1 : 0;
    seen->versions += strcasecmp(name, "Sec-WebSocket-Version") == 0 ? 1 : 0;
    return MHD_YES;
}

static enum MHD_Result accept_key(struct MHD_Connection *connection, Web *web, const char *key)
{
    char                 text[WS_ACCEPT_SIZE];
    struct MHD_Response *response = MHD_create_response_for_upgrade(on_upgrade, web);
    if (response == NULL) {
        return MHD_NO;
    }
    ws_accept(key, text);
    MHD_add_response_header(response, "Upgrade", "websocket");
    MHD_add_response_header(response, "Sec-WebSocket-Accept", text);
    MHD_add_response_header(response, "Sec-WebSocket-Protocol", WS_PROTOCOL);
    enum MHD_Result result = MHD_queue_response(connection, MHD_HTTP_SWITCHING_PROTOCOLS, response);
    MHD_destroy_response(response);
    return result;
}

enum MHD_Result web_play(Web *web, struct MHD_Connection *connection, WebExchange *exchange)
{
    Seen        seen = { 0 };
    const char *key = web_header(connection, "Sec-WebSocket-Key");
    MHD_get_connection_values(connection, MHD_HEADER_KIND, count_header, &seen);
    if (exchange->is_head || exchange->body_size > 0 || !ws_list_has(web_header(connection, "Upgrade"), "websocket", false) ||
        !ws_list_has(web_header(connection, "Connection"), "upgrade", false)) {
        return refuse(web, connection, MHD_HTTP_UPGRADE_REQUIRED, "Upgrade", "websocket", "this is for WebSockets\n");
    }
    if (seen.versions != 1 || strcmp(web_header(connection, "Sec-WebSocket-Version"), WS_VERSION) != 0) {
        return refuse(web, connection, MHD_HTTP_UPGRADE_REQUIRED, "Sec-WebSocket-Version", WS_VERSION, "version 13 of WebSockets is spoken here\n");
    }
    if (seen.keys != 1 || !ws_key_is_valid(key)) {
        return refuse(web, connection, MHD_HTTP_BAD_REQUEST, NULL, NULL, "Sec-WebSocket-Key is 16 bytes in base 64, once\n");
    }
    if (!ws_list_has(web_header(connection, "Sec-WebSocket-Protocol"), WS_PROTOCOL, true)) {
        return refuse(web, connection, MHD_HTTP_BAD_REQUEST, NULL, NULL, "the subprotocol " WS_PROTOCOL " is spoken here, and was not offered\n");
    }
    exchange->is_answered = true;
    return accept_key(connection, web, key);
}

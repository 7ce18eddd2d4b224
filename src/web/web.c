// web.c: sockets and the thread. Connections are accepted here and given to libmicrohttpd, whose epoll is one of the things that the thread waits for:
// so whoever is too many can be told so, and time is looked at in one place.
#include <errno.h>
#include <fcntl.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <signal.h>
#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "server_limits.h"
#include "urgency.h"
#include "web_internal.h"

enum { BACKLOG = 512, STACK_SIZE = 524288 };

static const char *const names[WEB_COUNT_COUNT] = {
    [WEB_COUNT_CONNECTIONS] = "connections",
    [WEB_COUNT_REQUESTS] = "requests",
    [WEB_COUNT_UPGRADES] = "upgrades",
    [WEB_COUNT_TOO_MANY] = "too_many",
    [WEB_COUNT_TOO_MANY_ADDRESS] = "too_many_address",
    [WEB_COUNT_TOO_FAST] = "too_fast",
    [WEB_COUNT_TOO_SLOW] = "too_slow",
    [WEB_COUNT_BAD_PATH] = "bad_path",
    [WEB_COUNT_BAD_REQUEST] = "bad_request",
    [WEB_COUNT_BAD_METHOD] = "bad_method",
    [WEB_COUNT_BAD_HOST] = "bad_host",
    [WEB_COUNT_BAD_ORIGIN] = "bad_origin",
    [WEB_COUNT_BAD_UPGRADE] = "bad_upgrade",
    [WEB_COUNT_HEADERS_TOO_LARGE] = "headers_too_large",
    [WEB_COUNT_BODY_TOO_LARGE] = "body_too_large",
    [WEB_COUNT_CUT] = "cut",
};

const char *web_count_name(WebCount count)
{
    return names[count];
}

void web_add_count(Web *web, WebCount count)
{
    atomic_fetch_add_explicit(&web->counts[count], 1, memory_order_relaxed);
}

uint64_t web_count(const Web *web, WebCount count)
{
    return atomic_load_explicit(&web->counts[count], memory_order_relaxed);
}

uint32_t web_connections(const Web *web)
{
    return atomic_load_explicit(&web->connection_count, memory_order_relaxed);
}

void web_options_standard(WebOptions *options)
{
    *options = (WebOptions){ 0 };
}

Web *web_create(tp_error *error)
{
    Web *web = calloc(1, sizeof(*web));
    if (web == NULL) {
        tp_error_set(error, "out of memory");
        return NULL;
    }
    web->wake = web->poll = -1;
    return web;
}

// Listening.

static bool learn_name(Web *web, int socket, tp_error *error)
{
    struct sockaddr_storage storage;
    socklen_t               size = sizeof(storage);
    memset(&storage, 0, sizeof(storage));
    if (getsockname(socket, (struct sockaddr *)&storage, &size) != 0 || (storage.ss_family != AF_INET && storage.ss_family != AF_INET6)) {
        close(socket);
        return tp_error_set(error, "it is no TCP socket");
    }
    web->ports[web->count] = address_text(&storage, web->addresses[web->count]);
    web->sockets[web->count++] = socket;
    return true;
}

bool web_listen_socket(Web *web, int socket, tp_error *error)
{
    if (web->count == WEB_LISTENERS_MAX) {
        close(socket);
        return tp_error_set(error, "more than %d addresses: give fewer", WEB_LISTENERS_MAX);
    }
    fcntl(socket, F_SETFL, fcntl(socket, F_GETFL) | O_NONBLOCK);
    return learn_name(web, socket, error);
}

static int open_socket(const struct sockaddr_storage *address)
{
    int       on = 1;
    socklen_t size = address->ss_family == AF_INET6 ? sizeof(struct sockaddr_in6) : sizeof(struct sockaddr_in);
    int       made = socket(address->ss_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (made < 0) {
        return -1;
    }
    setsockopt(made, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
    if (address->ss_family == AF_INET6) {
        setsockopt(made, IPPROTO_IPV6, IPV6_V6ONLY, &on, sizeof(on));
    }
    if (bind(made, (const struct sockaddr *)address, size) != 0 || listen(made, BACKLOG) != 0) {
        int why = errno;
        close(made);
        errno = why;
        return -1;
    }
    return made;
}

bool web_listen(Web *web, const char *address, tp_error *error)
{
    struct sockaddr_storage storage;
    memset(&storage, 0, sizeof(storage));
    if (!address_parse(address, &storage)) {
        return tp_error_set(error, "it is no address to listen on: give numbers and a port, like 127.0.0.1:7780 or [::1]:7780");
    }
    int made = open_socket(&storage);
    if (made < 0) {
        return tp_error_set(error, "listening: %s%s", strerror(errno), errno == EADDRINUSE ? ": stop who has the port, or give another one" : "");
    }
    return web_listen_socket(web, made, error);
}

uint32_t web_listener_count(const Web *web)
{
    return web->count;
}

const char *web_address(const Web *web, uint32_t listener)
{
    return web->addresses[listener];
}

uint32_t web_port(const Web *web, uint32_t listener)
{
    return web->ports[listener];
}

// Connections.

// Who is refused is told so in any case: a socket that is closed over unread bytes is reset, so it stays open for a moment.
static void linger(Web *web, int socket)
{
    WebLinger *place = &web->lingering[web->linger_next];
    web->linger_next = (web->linger_next + 1) % WEB_LINGERING;
    if (place->socket > 0) {
        close(place->socket);
    }
    *place = (WebLinger){ socket, web_now_ms() + WEB_LINGER_MS };
}

static void look_at_lingering(Web *web, uint64_t now_ms, bool is_end)
{
    for (uint32_t i = 0; i < WEB_LINGERING; i++) {
        WebLinger *place = &web->lingering[i];
        if (place->socket > 0 && (is_end || now_ms >= place->until_ms)) {
            char junk[4096];
            while (recv(place->socket, junk, sizeof(junk), MSG_DONTWAIT) == (ssize_t)sizeof(junk) && !is_end) {
            }
            close(place->socket);
            place->socket = 0;
        }
    }
}

static void turn_away(Web *web, int socket, bool is_address)
{
    static const char all[] = "HTTP/1.1 503 Service Unavailable\r\nRetry-After: 2\r\nContent-Type: text/plain\r\nContent-Length: 33\r\n"
                              "Cache-Control: no-store\r\nConnection: close\r\n\r\ntoo many connections: come later\n";
    static const char one[] = "HTTP/1.1 429 Too Many Requests\r\nRetry-After: 2\r\nContent-Type: text/plain\r\nContent-Length: 31\r\n"
                              "Cache-Control: no-store\r\nConnection: close\r\n\r\ntoo many connections from here\n";
    web_add_count(web, is_address ? WEB_COUNT_TOO_MANY_ADDRESS : WEB_COUNT_TOO_MANY);
    (void)!send(socket, is_address ? one : all, is_address ? sizeof(one) - 1 : sizeof(all) - 1, MSG_DONTWAIT | MSG_NOSIGNAL);
    shutdown(socket, SHUT_WR);
    linger(web, socket);
}

static void take(Web *web, int socket, const struct sockaddr_storage *from, socklen_t size)
{
    bool           is_address = false;
    int            on = 1;
    Address        address = address_of((const struct sockaddr *)from);
    WebConnection *connection = web_limits_place(web, &address, &is_address);
    if (connection == NULL) {
        turn_away(web, socket, is_address);
        return;
    }
    setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
    *connection = (WebConnection){ .is_used = true, .is_fresh = true, .socket = socket, .address = address,
                                   .deadline_ms = web_now_ms() + web->options.limits.request_ms };
    address_text(from, connection->text);
    web_add_count(web, WEB_COUNT_CONNECTIONS);
    atomic_fetch_add_explicit(&web->connection_count, 1, memory_order_relaxed);
    web->adding = connection;
    if (MHD_add_connection(web->daemon, socket, (const struct sockaddr *)from, size) != MHD_YES && connection->is_used) {
        connection->is_used = false; // it has closed the socket, and nobody heard of it
        atomic_fetch_sub_explicit(&web->connection_count, 1, memory_order_relaxed);
    }
    web->adding = NULL;
}

static void accept_some(Web *web, int listener)
{
    for (int i = 0; i < WEB_ACCEPTS_AT_ONCE; i++) {
        struct sockaddr_storage from;
        socklen_t               size = sizeof(from);
        memset(&from, 0, sizeof(from));
        int socket = accept4(listener, (struct sockaddr *)&from, &size, SOCK_NONBLOCK | SOCK_CLOEXEC);
        if (socket < 0) {
            // Out of files, say: until some are back, nobody is asked for, or the thread would turn for nothing.
            web->is_short = errno != EAGAIN && errno != ECONNABORTED && errno != EINTR;
            return;
        }
        take(web, socket, &from, size);
    }
}

static void on_connection(void *to, struct MHD_Connection *connection, void **context, enum MHD_ConnectionNotificationCode code)
{
    Web           *web = to;
    WebConnection *own = *context;
    (void)connection;
    if (code == MHD_CONNECTION_NOTIFY_STARTED) {
        *context = web->adding;
    } else if (own != NULL) {
        if (own->is_fresh && !own->is_cut) {
            web_add_count(web, WEB_COUNT_CUT);
        }
        web_answer_drop(web, own);
        own->is_used = false;
        *context = NULL;
        atomic_fetch_sub_explicit(&web->connection_count, 1, memory_order_relaxed);
    }
}

// Paths are decoded by web_request.c, from what was sent.
static size_t leave_escaped(void *to, struct MHD_Connection *connection, char *text)
{
    (void)to;
    (void)connection;
    return strlen(text);
}

// The thread.

static int wait_ms(Web *web)
{
    MHD_UNSIGNED_LONG_LONG left = 0;
    if (web->has_closed_upgrades) {
        return 0;
    }
    bool is_due = MHD_get_timeout(web->daemon, &left) == MHD_YES && left < WEB_LOOK_MS;
    return is_due ? (int)left : WEB_LOOK_MS;
}

static void *run(void *to)
{
    Web          *web = to;
    struct pollfd waits[WEB_LISTENERS_MAX + 2];
    nfds_t        count = web->count + 2;
    urgency_give_way(SERVER_LOBBY_NICE); // to rooms, as the main thread does
    for (uint32_t i = 0; i < web->count; i++) {
        waits[i] = (struct pollfd){ web->sockets[i], POLLIN, 0 };
    }
    waits[web->count] = (struct pollfd){ web->poll, POLLIN, 0 };
    waits[web->count + 1] = (struct pollfd){ web->wake, POLLIN, 0 };
    while (!atomic_load(&web->stop_wanted)) {
        bool is_idle = web_connections(web) == 0 && !web->has_closed_upgrades && !web->is_short;
        poll(waits, count, is_idle ? WEB_LOOK_MS * 4 : wait_ms(web));
        bool was_short = web->is_short;
        web->is_short = false;
        for (uint32_t i = 0; i < web->count; i++) {
            if (was_short || (waits[i].revents & POLLIN) != 0) {
                accept_some(web, web->sockets[i]);
            }
        }
        for (uint32_t i = 0; i < web->count; i++) {
            waits[i].events = web->is_short ? 0 : POLLIN;
        }
        web->has_closed_upgrades = false;
        MHD_run(web->daemon);
        uint64_t now_ms = web_now_ms();
        web_limits_look(web, now_ms);
        look_at_lingering(web, now_ms, false);
    }
    return NULL;
}

static bool start_daemon(Web *web, tp_error *error)
{
    const WebLimits *limits = &web->options.limits;
    web->daemon = MHD_start_daemon(
        MHD_USE_EPOLL | MHD_USE_NO_LISTEN_SOCKET | MHD_ALLOW_UPGRADE, 0, NULL, NULL, web_answer, web,
        MHD_OPTION_CONNECTION_LIMIT, (unsigned)limits->connections + 1,
        MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)limits->header_bytes_max + WEB_POOL_EXTRA,
        MHD_OPTION_CONNECTION_TIMEOUT, (unsigned)((limits->idle_ms + 999) / 1000),
        MHD_OPTION_STRICT_FOR_CLIENT, 1,
        MHD_OPTION_NOTIFY_CONNECTION, on_connection, web,
        MHD_OPTION_NOTIFY_COMPLETED, web_answer_completed, web,
        MHD_OPTION_URI_LOG_CALLBACK, web_answer_target, web,
        MHD_OPTION_UNESCAPE_CALLBACK, leave_escaped, web,
        MHD_OPTION_END);
    const union MHD_DaemonInfo *info = web->daemon != NULL ? MHD_get_daemon_info(web->daemon, MHD_DAEMON_INFO_EPOLL_FD) : NULL;
    if (info == NULL) {
        return tp_error_set(error, "starting HTTP: libmicrohttpd refused");
    }
    web->poll = info->epoll_fd;
    return true;
}

// Signals are for the threads that wait for them.
static bool start_thread(Web *web, tp_error *error)
{
    sigset_t       all, before;
    pthread_attr_t attributes;
    sigfillset(&all);
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, STACK_SIZE);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    web->has_thread = pthread_create(&web->thread, &attributes, run, web) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    pthread_attr_destroy(&attributes);
    return web->has_thread || tp_error_set(error, "starting HTTP: no thread");
}

bool web_start(Web *web, const WebOptions *options, tp_error *error)
{
    web->options = *options;
    web_limits_fill(&web->options.limits);
    web->connections = calloc(web->options.limits.connections, sizeof(*web->connections));
    web->buckets = calloc(WEB_BUCKETS, sizeof(*web->buckets));
    web->wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    randombytes_buf(web->bucket_key, sizeof(web->bucket_key));
    if (web->connections == NULL || web->buckets == NULL || web->wake < 0) {
        return tp_error_set(error, "starting HTTP: out of memory or files");
    }
    return start_daemon(web, error) && start_thread(web, error);
}

void web_destroy(Web *web)
{
    if (web == NULL) {
        return;
    }
    if (web->has_thread) {
        uint64_t one = 1;
        atomic_store(&web->stop_wanted, true);
        (void)!write(web->wake, &one, sizeof(one));
        pthread_join(web->thread, NULL);
    }
    if (web->daemon != NULL) {
        MHD_run(web->daemon); // upgraded ones that were given away just now
        MHD_stop_daemon(web->daemon);
    }
    look_at_lingering(web, 0, true);
    for (uint32_t i = 0; i < web->count; i++) {
        close(web->sockets[i]);
    }
    if (web->wake >= 0) {
        close(web->wake);
    }
    free(web->connections);
    free(web->buckets);
    free(web);
}

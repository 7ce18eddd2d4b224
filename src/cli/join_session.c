// join_session.c: from a name to connections, from a list of rooms to memberships, and the one loop that all of them share.
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "files.h"
#include "join.h"
#include "signals.h"
#include "tickproof/rng.h"

enum { PROGRESS_MS = 1000 };

void join_fail(Join *join, int code, const char *format, ...)
{
    char    text[1024];
    va_list arguments;
    join->code = (int)tp_verdict_worst((tp_verdict)join->code, (tp_verdict)code);
    join->said += 1;
    if (join->said <= JOIN_SAID_MAX) {
        va_start(arguments, format);
        vsnprintf(text, sizeof(text), format, arguments);
        va_end(arguments);
        cli_fail(code, "%s: %s", join->options->program, text);
    }
}

// The end.

static void close_handles(Join *join)
{
    if (!join->is_handles_open) {
        return;
    }
    join->is_handles_open = false;
    join->is_over = true;
    for (int i = 0; i < 2; i++) {
        uv_close((uv_handle_t *)&join->signals[i], NULL);
    }
    uv_close((uv_handle_t *)&join->deadline, NULL);
    uv_close((uv_handle_t *)&join->progress, NULL);
    uv_close((uv_handle_t *)&join->clock, NULL);
    uv_close((uv_handle_t *)&join->retry, NULL);
    uv_close((uv_handle_t *)&join->pulse, NULL);
    client_hub_close(&join->hub);
}

static void close_when_over(Join *join)
{
    if (join->open_count == 0 && join->done_count == join->member_count) {
        close_handles(join);
    }
}

static void close_links(Join *join)
{
    if (join->open_count == 0 && !join->is_over) {
        uv_stop(&join->loop); // a name is being looked up, and that cannot be taken back
    }
    for (uint32_t i = 0; i < join->connection_count; i++) {
        if (join->connections[i]->is_open) {
            client_link_close(&join->connections[i]->link);
        }
    }
}

static void on_unanswered(uv_timer_t *timer)
{
    close_links(timer->data);
}

void join_stop(Join *join)
{
    if (join->is_stopping || join->is_over) {
        return;
    }
    join->is_stopping = true;
    uv_cancel((uv_req_t *)&join->resolve);
    for (uint32_t i = 0; i < join->connection_count; i++) {
        JoinConnection *connection = join->connections[i];
        if (connection->is_open && (connection->open_count == 0 || !connection->link.is_welcome)) {
            client_link_close(&connection->link);
        }
    }
    join_rejoin_stop(join);
    for (uint32_t i = 0; i < join->member_count; i++) {
        join_member_leave(&join->members[i]);
    }
    uv_timer_start(&join->deadline, on_unanswered, JOIN_LEAVE_MS, 0);
    close_when_over(join); // when all were waiting to be let in again
}

static void on_time_up(uv_timer_t *timer)
{
    Join *join = timer->data;
    join->is_time_up = true;
    join_stop(join);
}

static void on_signal(uv_signal_t *handle, int number)
{
    Join *join = handle->data;
    (void)number;
    if (signals_is_second()) {
        close_links(join);
        return;
    }
    join->is_interrupted = true;
    if (join->member_count == 0) {
        join_fail(join, TP_INCOMPLETE, join->options->admin != NULL ? "%s: interrupted before it had answered" : "%s: interrupted before a room was joined",
                  join->options->place);
    }
    join_stop(join);
}

void join_member_done(JoinMember *member)
{
    JoinConnection *connection = member->connection;
    if (member->is_done) {
        return;
    }
    member->is_done = true;
    member->join->done_count += 1;
    join_member_finish(member);
    connection->open_count -= 1;
    if (connection->open_count == 0 && connection->is_open) {
        client_link_close(&connection->link);
    }
}

// Connections.

static void join_rooms(JoinConnection *connection)
{
    Join *join = connection->join;
    for (uint32_t i = 0; i < connection->member_count; i++) {
        JoinMember *member = &join->members[connection->members[i]];
        if (!member->is_done) {
            join_member_ask(member);
        }
    }
}

static void on_event(void *to, ClientLink *link, const tp_client_event *event);
static void on_ended(void *to, ClientLink *link);

// Where the lists are; a room's datagrams go to a port of its own.
static struct sockaddr_storage address_of(const JoinConnection *connection)
{
    struct sockaddr_storage address = connection->join->addresses[connection->join->address];
    bool is_elsewhere = connection->join->options->is_udp && connection->udp_port != 0;
    if (is_elsewhere && address.ss_family == AF_INET6) {
        ((struct sockaddr_in6 *)&address)->sin6_port = htons((uint16_t)connection->udp_port);
    } else if (is_elsewhere) {
        ((struct sockaddr_in *)&address)->sin_port = htons((uint16_t)connection->udp_port);
    }
    return address;
}

// Each connection has weather of its own, the same for the same --net-seed.
static WeatherOptions weather_of(const JoinConnection *connection)
{
    const JoinOptions *options = connection->join->options;
    uint64_t           state = options->net_seed ^ (uint64_t)connection->number << 32;
    return (WeatherOptions){
        .seed = tp_splitmix64_next(&state), .latency_us = options->lag_ms * 1000, .jitter_us = options->jitter_ms * 1000,
        .loss_ppm = options->loss_ppm, .keeps_order = !options->is_udp,
    };
}

bool join_open_link(JoinConnection *connection, uint32_t welcome_ms, tp_error *error)
{
    Join                   *join = connection->join;
    struct sockaddr_storage address = address_of(connection);
    WeatherOptions          weather = weather_of(connection);
    bool                    has_weather = weather.latency_us > 0 || weather.jitter_us > 0 || weather.loss_ppm > 0;
    ClientLinkOptions       options = {
        .build = "tickproof " TP_VERSION, .find_world = worlds_search, .find_to = (void *)&join->options->worlds, .welcome_ms = welcome_ms,
        .event = on_event, .ended = on_ended, .to = connection, .is_udp = join->options->is_udp, .weather = has_weather ? &weather : NULL,
        .ws_host = join->options->ws_host, .ws_path = join->options->ws_path[0] != '\0' ? join->options->ws_path : NULL,
        .server_key = join->options->has_server_key ? join->options->server_key : NULL,
        .own_keys = join->options->has_client_key ? &join->options->client_keys : NULL,
        .join_token = join->options->token_size > 0 ? join->options->token : NULL, .join_token_size = join->options->token_size,
    };
    connection->is_open = client_link_open(&connection->link, &join->hub, (const struct sockaddr *)&address, &options, error);
    join->open_count += connection->is_open ? 1 : 0;
    return connection->is_open;
}

// From the n-th on: the first one is there already, unless its rooms take datagrams elsewhere.
static void open_others(Join *join, uint32_t first)
{
    tp_error error;
    for (uint32_t i = first; i < join->connection_count && !join->is_stopping; i++) {
        JoinConnection *connection = join->connections[i];
        if (!join_open_link(connection, join->options->connect_seconds * 1000, &error)) {
            join_fail(join, TP_USAGE, "%s: connecting: %s", join->options->place, error.text);
            snprintf(connection->link.text, sizeof(connection->link.text), "%s", error.text);
            connection->link.end = CLIENT_LINK_UNREACHABLE;
            for (uint32_t k = 0; k < connection->member_count; k++) {
                join_member_cut(&join->members[connection->members[k]], &connection->link);
            }
        }
    }
}

static void on_no_answer(uv_timer_t *timer);

// The list is whole.
static void go_on(Join *join)
{
    const JoinOptions *options = join->options;
    JoinConnection    *first = join->connections[0];
    join->is_listed = true;
    if (options->is_list) {
        join_print_rooms(stdout, join);
    } else if (options->admin != NULL) {
        uv_timer_start(&join->deadline, on_no_answer, JOIN_ANSWER_MS, 0);
        join_admin_ask(join);
        return;
    }
    if (options->is_list || !join_make_members(join)) {
        client_link_close(&first->link);
        return;
    }
    uv_timer_stop(&join->deadline);
    if (options->seconds > 0) {
        uv_timer_start(&join->deadline, on_time_up, (uint64_t)options->seconds * 1000, 0);
    }
    if (options->is_udp) {
        join->is_moving = true; // goes on once this one is closed
        client_link_close(&first->link);
        return;
    }
    join_rooms(first);
    open_others(join, 1);
}

static void on_no_answer(uv_timer_t *timer)
{
    Join *join = timer->data;
    join_fail(join, TP_INCOMPLETE, "%s: the server has not answered in %d s", join->options->place, JOIN_ANSWER_MS / 1000);
    close_links(join);
}

static void on_event(void *to, ClientLink *link, const tp_client_event *event)
{
    JoinConnection *connection = to;
    Join           *join = connection->join;
    if (event->kind == TP_CLIENT_WELCOME && !join->is_listed) {
        tp_client_list(link->client);
    } else if (event->kind == TP_CLIENT_WELCOME) {
        join_rooms(connection);
    } else if (event->kind == TP_CLIENT_LISTED && event->listed == NULL) {
        go_on(join);
    } else if (event->kind == TP_CLIENT_LISTED) {
        if (!join_add_listed(join, event->listed)) {
            join_fail(join, TP_INTERNAL, "%s: its rooms are more than fit here", join->options->place);
            client_link_close(link);
        }
    } else if (event->kind == TP_CLIENT_ADMINED) {
        join_admin_answered(join, event);
    } else if (event->room != NULL) {
        join_member_event(event->user, event);
    }
}

static void try_address(Join *join)
{
    tp_error error;
    uint64_t total_ms = (uint64_t)join->options->connect_seconds * 1000;
    for (; join->address < join->address_count; join->address++) {
        // An address that swallows everything must leave time for the others.
        uint64_t used_ms = uv_now(&join->loop) - join->started_ms;
        uint64_t left_ms = used_ms < total_ms ? total_ms - used_ms : 1;
        if (join_open_link(join->connections[0], (uint32_t)(left_ms / (join->address_count - join->address)) + 1, &error)) {
            return;
        }
        snprintf(join->refusal, sizeof(join->refusal), "%s", error.text);
    }
    join_fail(join, TP_USAGE, "%s: connecting: %s; is tickproofd running there?", join->options->place, join->refusal);
    close_handles(join);
}

// Before rooms were joined.
static void take_first_end(Join *join, const ClientLink *link)
{
    bool is_unreachable = link->end == CLIENT_LINK_UNREACHABLE && !join->is_stopping;
    if (is_unreachable) {
        snprintf(join->refusal, sizeof(join->refusal), "%s", link->text);
        join->address += 1;
        try_address(join);
        return;
    }
    if (link->end != CLIENT_LINK_CLOSED && join->is_asked && !join->is_answered) {
        join_fail(join, TP_INCOMPLETE, "%s: waiting for its answer: %s", join->options->place, link->text);
    } else if (link->end != CLIENT_LINK_CLOSED && !join->is_answered) {
        join_fail(join, TP_USAGE, "%s: asking for its rooms: %s", join->options->place, link->text);
    }
    close_handles(join);
}

void join_cut(JoinConnection *connection)
{
    Join             *join = connection->join;
    const ClientLink *link = &connection->link;
    uint32_t          cut = connection->open_count;
    int               worst = TP_VERIFIED;
    for (uint32_t i = 0; i < connection->member_count; i++) {
        JoinMember *member = &join->members[connection->members[i]];
        if (!member->is_done) {
            join_member_cut(member, link);
            worst = (int)tp_verdict_worst((tp_verdict)worst, (tp_verdict)member->code);
        }
    }
    if (worst != TP_VERIFIED) {
        join_fail(join, worst, "%s: the connection of client %u with %u room%s: %s", join->options->place, connection->client, cut, cut == 1 ? "" : "s",
                  link->text[0] == '\0' ? "closed before everything was answered" : link->text);
    }
    close_when_over(join);
}

static void on_ended(void *to, ClientLink *link)
{
    JoinConnection *connection = to;
    Join           *join = connection->join;
    connection->is_open = false;
    join->open_count -= 1;
    if (join->member_count == 0) {
        take_first_end(join, link);
        return;
    }
    if (join->is_moving) {
        join->is_moving = false;
        open_others(join, 0);
        return;
    }
    if (!join_rejoin_begin(connection)) {
        join_cut(connection);
    }
    close_when_over(join);
}

// The name.

static void on_connect_timeout(uv_timer_t *timer)
{
    Join *join = timer->data;
    if (join->address_count == 0) {
        join_fail(join, TP_USAGE, "%s: looking up the name took too long; give --connect-timeout, or numbers", join->options->host);
        uv_cancel((uv_req_t *)&join->resolve);
        uv_stop(&join->loop); // a look-up that is on its way cannot be taken back
    }
}

static void on_resolved(uv_getaddrinfo_t *request, int status, struct addrinfo *found)
{
    Join *join = request->data;
    for (const struct addrinfo *info = found; info != NULL && join->address_count < JOIN_ADDRESSES_MAX; info = info->ai_next) {
        if (info->ai_family == AF_INET || info->ai_family == AF_INET6) {
            memcpy(&join->addresses[join->address_count++], info->ai_addr, info->ai_addrlen);
        }
    }
    uv_freeaddrinfo(found);
    if (status == UV_ECANCELED || join->is_stopping) {
        close_handles(join);
    } else if (join->address_count == 0) {
        join_fail(join, TP_USAGE, "%s: looking up the name: %s", join->options->host, status == 0 ? "no address" : uv_strerror(status));
        close_handles(join);
    } else {
        try_address(join);
    }
}

static bool resolve(Join *join)
{
    struct addrinfo hints = { .ai_family = AF_UNSPEC, .ai_socktype = SOCK_STREAM };
    join->resolve.data = join;
    int status = uv_getaddrinfo(&join->loop, &join->resolve, on_resolved, join->options->host, join->options->port, &hints);
    if (status != 0) {
        join_fail(join, TP_USAGE, "%s: looking up the name: %s", join->options->host, uv_strerror(status));
        return false;
    }
    return true;
}

// All of it.

static void on_pulse(uv_timer_t *timer)
{
    Join    *join = timer->data;
    uint64_t now_ms = uv_now(&join->loop);
    for (uint32_t i = 0; i < join->connection_count; i++) {
        ClientLink *link = &join->connections[i]->link;
        if (join->connections[i]->is_open && link->is_welcome) {
            tp_client_pulse(link->client, now_ms);
        }
    }
    if (now_ms >= join->pulse_until_ms) {
        uv_timer_stop(timer);
    }
}

void join_begin_pulse(Join *join)
{
    join->pulse_until_ms = uv_now(&join->loop) + JOIN_PULSE_LAST_MS;
    if (!join->is_over && !uv_is_active((uv_handle_t *)&join->pulse)) {
        uv_timer_start(&join->pulse, on_pulse, JOIN_PULSE_MS, JOIN_PULSE_MS);
    }
}

static void on_progress(uv_timer_t *timer)
{
    Join *join = timer->data;
    join_print_progress(join);
    for (uint32_t i = 0; i < join->member_count && join->desynced_count > 0; i++) {
        join_member_look(&join->members[i], uv_now(&join->loop));
    }
}

static bool open_handles(Join *join)
{
    static const int numbers[2] = { SIGINT, SIGTERM };
    if (client_hub_open(&join->hub, &join->loop) != 0) {
        return false;
    }
    for (int i = 0; i < 2; i++) {
        uv_signal_init(&join->loop, &join->signals[i]);
        join->signals[i].data = join;
        uv_signal_start(&join->signals[i], on_signal, numbers[i]);
    }
    uv_timer_init(&join->loop, &join->deadline);
    uv_timer_init(&join->loop, &join->progress);
    uv_timer_init(&join->loop, &join->clock);
    uv_timer_init(&join->loop, &join->retry);
    uv_timer_init(&join->loop, &join->pulse);
    join->deadline.data = join->progress.data = join->clock.data = join->retry.data = join->pulse.data = join;
    uv_timer_start(&join->deadline, on_connect_timeout, (uint64_t)join->options->connect_seconds * 1000, 0);
    uv_timer_start(&join->progress, on_progress, PROGRESS_MS, PROGRESS_MS);
    join->started_ms = uv_now(&join->loop);
    join->is_handles_open = true;
    return true;
}

static void print_results(Join *join)
{
    join_print_progress(join);
    if (join->said > JOIN_SAID_MAX) {
        cli_fail(join->code, "%s: and %u more like these", join->options->program, join->said - JOIN_SAID_MAX);
    }
    signal(SIGPIPE, SIG_DFL); // only standard output is left
    for (uint32_t i = 0; i < join->member_count; i++) {
        join_print_member(stdout, &join->members[i]);
        join->code = (int)tp_verdict_worst((tp_verdict)join->code, (tp_verdict)join->members[i].code);
    }
}

static void destroy(Join *join)
{
    for (uint32_t i = 0; i < join->connection_count; i++) {
        free(join->connections[i]->members);
        free(join->connections[i]);
    }
    free(join->connections);
    free(join->members);
    free(join->rooms);
    free(join);
}

int join_run(const JoinOptions *options)
{
    Join *join = calloc(1, sizeof(*join));
    if (join == NULL || uv_loop_init(&join->loop) != 0) {
        free(join);
        return cli_fail(TP_INTERNAL, "%s: out of memory", options->program);
    }
    join->options = options;
    signal(SIGPIPE, SIG_IGN);
    files_raise_limit();
    bool is_open = open_handles(join);
    if (!is_open || join_add_connection(join, 0, 1) == NULL) {
        join_fail(join, TP_INTERNAL, "out of memory");
        close_handles(join);
    } else if (!resolve(join)) {
        close_handles(join);
    }
    uv_run(&join->loop, UV_RUN_DEFAULT);
    print_results(join);
    int code = join->code;
    if (uv_loop_close(&join->loop) == 0) {
        destroy(join); // else the look-up of a name is on its way still, and has its place in there until the process ends
    }
    return code;
}

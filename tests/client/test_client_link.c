// The link: servers that are not there, say nothing, talk something else or go away; and that a quiet client is heard of.
#include <criterion/criterion.h>
#include <signal.h>
#include <string.h>

#include "client_link.h"
#include "udp_host.h"

typedef struct {
    uv_loop_t     loop;
    uv_tcp_t      listener;
    Carrier       server;  // its end of the connection
    bool          is_mute; // answers nothing
    bool          closes;  // as soon as it is welcome
    bool          byes;    // the same, and says so
    bool          is_udp;
    const WeatherOptions *weather;
    UdpHost       host;
    const char   *instead; // raw bytes instead of the protocol
    uv_tcp_t      raw;
    uv_write_t    write;
    ClientHub     hub;
    ClientLink    link;
    bool          is_over, is_server_open, is_welcome;
    ClientLinkEnd end;
    char          text[CLIENT_LINK_TEXT_SIZE];
    uint64_t      pings; // as the server heard them
    uint64_t      welcome_ns;
} Rig;

static void server_message(void *to, const uint8_t *bytes, size_t size)
{
    Rig    *rig = to;
    Message message;
    cr_assert_null(message_decode(bytes, size, &message));
    Message welcome = { .type = MESSAGE_WELCOME, .room = MESSAGE_ROOM_NONE };
    uint8_t out[MESSAGE_SIZE_MAX];
    if (message.type == MESSAGE_HELLO && !rig->is_mute) {
        welcome.body.welcome.version = MESSAGE_VERSION;
        welcome.body.welcome.build = message_text("rig");
        carrier_send(&rig->server, out, message_encode(&welcome, out));
        carrier_flush(&rig->server);
        if (rig->byes) {
            Message bye = { .type = MESSAGE_BYE, .room = MESSAGE_ROOM_NONE };
            bye.body.bye.reason = MESSAGE_REASON_STOPPING;
            bye.body.bye.text = message_text("good night");
            carrier_send(&rig->server, out, message_encode(&bye, out));
        }
        if (rig->closes || rig->byes) {
            carrier_close(&rig->server);
        }
    }
    if (message.type == MESSAGE_PING) {
        rig->pings += 1;
        client_link_close(&rig->link);
    }
}

static void server_ended(void *to, CarrierEnd end, int status)
{
    Rig *rig = to;
    (void)end;
    (void)status;
    rig->is_server_open = false;
    carrier_finish(&rig->server);
}

static const CarrierEvents server_events = { .message = server_message, .ended = server_ended };

static void on_arrived(void *to, UdpHost *host, const UdpArrival *arrival)
{
    Rig *rig = to;
    cr_assert_not(rig->is_server_open, "one link is one connection");
    cr_assert_eq(carrier_open_udp(&rig->server, host, arrival, &server_events, rig, 1 << 20), 0);
    rig->is_server_open = true;
}

static void on_connection(uv_stream_t *listener, int status)
{
    Rig *rig = listener->data;
    cr_assert_eq(status, 0);
    if (rig->instead != NULL) {
        uv_buf_t bytes = uv_buf_init((char *)rig->instead, (unsigned)strlen(rig->instead));
        uv_tcp_init(&rig->loop, &rig->raw);
        cr_assert_eq(uv_accept(listener, (uv_stream_t *)&rig->raw), 0);
        uv_write(&rig->write, (uv_stream_t *)&rig->raw, &bytes, 1, NULL);
        return;
    }
    cr_assert_eq(carrier_open(&rig->server, &rig->loop, &server_events, rig, 1 << 20), 0);
    rig->is_server_open = true;
    cr_assert_eq(carrier_accept(&rig->server, listener), 0);
}

static void link_event(void *to, ClientLink *link, const tp_client_event *event)
{
    Rig *rig = to;
    rig->is_welcome = rig->is_welcome || event->kind == TP_CLIENT_WELCOME;
    rig->welcome_ns = event->kind == TP_CLIENT_WELCOME ? uv_hrtime() : rig->welcome_ns;
    (void)link;
}

static void link_ended(void *to, ClientLink *link)
{
    Rig *rig = to;
    rig->is_over = true;
    rig->end = link->end;
    memcpy(rig->text, link->text, sizeof(rig->text));
}

static void listen_udp(Rig *rig, struct sockaddr_storage *bound, bool is_listening)
{
    int size = sizeof(*bound);
    uv_ip4_addr("127.0.0.1", 0, (struct sockaddr_in *)bound);
    cr_assert_eq(udp_host_open(&rig->host, &rig->loop, (const struct sockaddr *)bound, on_arrived, rig), 0);
    cr_assert_eq(uv_udp_getsockname(&rig->host.socket, (struct sockaddr *)bound, &size), 0);
    if (!is_listening) {
        udp_host_close(&rig->host);
    }
}

// Listens, connects (elsewhere when `is_listening` is false), and runs until the link has ended and all is closed.
static void run(Rig *rig, bool is_listening)
{
    struct sockaddr_in      address;
    struct sockaddr_storage bound;
    int                     size = sizeof(bound);
    tp_error                error;
    ClientLinkOptions       options = { .build = "test", .welcome_ms = 300, .is_udp = rig->is_udp, .weather = rig->weather,
                                        .event = link_event, .ended = link_ended, .to = rig };
    signal(SIGPIPE, SIG_IGN);
    cr_assert_eq(uv_loop_init(&rig->loop), 0);
    uv_ip4_addr("127.0.0.1", 0, &address);
    uv_tcp_init(&rig->loop, &rig->listener);
    rig->listener.data = rig;
    cr_assert_eq(uv_tcp_bind(&rig->listener, (const struct sockaddr *)&address, 0), 0);
    cr_assert_eq(uv_tcp_getsockname(&rig->listener, (struct sockaddr *)&bound, &size), 0);
    if (rig->is_udp) {
        listen_udp(rig, &bound, is_listening);
    } else if (is_listening) {
        cr_assert_eq(uv_listen((uv_stream_t *)&rig->listener, 8, on_connection), 0);
    }
    cr_assert_eq(client_hub_open(&rig->hub, &rig->loop), 0);
    cr_assert(client_link_open(&rig->link, &rig->hub, (const struct sockaddr *)&bound, &options, &error), "%s", error.text);
    while (!rig->is_over) {
        uv_run(&rig->loop, UV_RUN_ONCE);
    }
    client_hub_close(&rig->hub);
    uv_close((uv_handle_t *)&rig->listener, NULL);
    if (rig->is_server_open) {
        carrier_close(&rig->server);
    }
    if (rig->instead != NULL) {
        uv_close((uv_handle_t *)&rig->raw, NULL);
    }
    while (rig->is_server_open) {
        uv_run(&rig->loop, UV_RUN_ONCE);
    }
    udp_host_close(&rig->host);
    uv_run(&rig->loop, UV_RUN_DEFAULT);
    udp_host_finish(&rig->host);
    cr_assert_eq(uv_loop_close(&rig->loop), 0);
}

Test(client_link, nobody_listens)
{
    Rig rig = { 0 };
    run(&rig, false);
    cr_assert_eq(rig.end, CLIENT_LINK_UNREACHABLE);
    cr_assert_str_eq(rig.text, "connection refused");
}

Test(client_link, who_never_answers_is_not_waited_for)
{
    Rig rig = { .is_mute = true };
    run(&rig, true);
    cr_assert_eq(rig.end, CLIENT_LINK_UNREACHABLE);
    cr_assert_str_eq(rig.text, "it does not answer");
}

Test(client_link, who_talks_something_else_is_told_apart)
{
    Rig rig = { .instead = "HTTP/1.1 400 Bad Request\r\n\r\n" };
    run(&rig, true);
    cr_assert_eq(rig.end, CLIENT_LINK_MALFORMED);
    cr_assert_str_eq(rig.text, "it sent what is no message: it is no tickproofd");

    // A frame, but nothing in it that is a message.
    memset(&rig, 0, sizeof(rig));
    rig.instead = "\x03\x01 a line that is longer than a head, and then some more of it that is not read as a message of any kind, since it "
                  "is 259 bytes long and has no type. The client has to read it to its end before it can say so, which it does. Nothing else "
                  "in this text is of any importance.";
    run(&rig, true);
    cr_assert_eq(rig.end, CLIENT_LINK_MALFORMED);
    cr_assert_not_null(strstr(rig.text, "makes no sense"), "%s", rig.text);
}

Test(client_link, a_server_that_goes_away_is_lost)
{
    Rig rig = { .closes = true };
    run(&rig, true);
    cr_assert(rig.is_welcome);
    cr_assert_eq(rig.end, CLIENT_LINK_LOST);
    cr_assert_str_eq(rig.text, "the server closed the connection");
}

// Goal: who has nothing to say is heard of long before a server takes it for dead.
Test(client_link, a_quiet_client_pings)
{
    Rig rig = { 0 };
    run(&rig, true);
    cr_assert_eq(rig.pings, 1);
    cr_assert_eq(rig.end, CLIENT_LINK_CLOSED);
    cr_assert_str_eq(rig.text, "");
}

// Over datagrams.

Test(client_link, nobody_takes_datagrams)
{
    Rig rig = { .is_udp = true };
    run(&rig, false);
    cr_assert_eq(rig.end, CLIENT_LINK_UNREACHABLE);
    cr_assert_str_eq(rig.text, "connection refused");
}

Test(client_link, a_mute_server_of_datagrams_is_not_waited_for)
{
    Rig rig = { .is_udp = true, .is_mute = true };
    run(&rig, true);
    cr_assert_eq(rig.end, CLIENT_LINK_UNREACHABLE);
    cr_assert_str_eq(rig.text, "it does not answer");
}

Test(client_link, a_server_of_datagrams_that_goes_away_is_lost)
{
    Rig rig = { .is_udp = true, .closes = true };
    run(&rig, true);
    cr_assert(rig.is_welcome);
    cr_assert_eq(rig.end, CLIENT_LINK_LOST);
    cr_assert_str_eq(rig.text, "the server closed the connection");
}

Test(client_link, a_quiet_client_of_datagrams_pings)
{
    Rig rig = { .is_udp = true };
    run(&rig, true);
    cr_assert_eq(rig.pings, 1);
    cr_assert_eq(rig.end, CLIENT_LINK_CLOSED);
}

// Goal: the last word comes before the end, whatever the way and the weather.
Test(client_link, the_last_word_comes_first)
{
    const WeatherOptions weather = { .seed = 2, .latency_us = 20000, .jitter_us = 10000, .loss_ppm = 200000 };
    for (uint32_t way = 0; way < 4; way++) {
        Rig rig = { .byes = true, .is_udp = way >= 2, .weather = way % 2 == 1 ? &weather : NULL };
        run(&rig, true);
        cr_assert(rig.is_welcome, "way %u", way);
        cr_assert_eq(rig.end, CLIENT_LINK_BYE, "way %u: %s", way, rig.text);
        cr_assert_str_eq(rig.text, "the server ended the connection: stopping: good night");
    }
}

// Goal: a lag is one, both ways: HELLO and WELCOME take a round trip and not less.
Test(client_link, a_lag_costs_what_it_says)
{
    const WeatherOptions weather = { .seed = 2, .latency_us = 40000 };
    for (uint32_t way = 0; way < 2; way++) {
        Rig      rig = { .is_udp = way == 1, .weather = &weather };
        uint64_t before_ns = uv_hrtime();
        run(&rig, true);
        cr_assert(rig.is_welcome);
        cr_assert_geq(rig.welcome_ns - before_ns, UINT64_C(2000) * weather.latency_us, "way %u", way);
    }
}

// Goal: and one that is too long for the patience of who waits is told so.
Test(client_link, a_lag_beyond_all_patience)
{
    const WeatherOptions weather = { .seed = 2, .latency_us = 400000 };
    for (uint32_t way = 0; way < 2; way++) {
        Rig rig = { .is_udp = way == 1, .weather = &weather };
        run(&rig, true);
        cr_assert_eq(rig.end, CLIENT_LINK_UNREACHABLE);
    }
}

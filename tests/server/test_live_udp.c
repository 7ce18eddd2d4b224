// test_live_udp.c: rooms over real datagrams on loopback, and over bad weather; the server on a thread of its own, clients' links on the test's. Nothing sleeps.
#include <criterion/criterion.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>

#include <sodium.h>

#include "client_link.h"
#include "live_fixture.h"
#include "testworld.h"
#include "udp_host.h"

// Built twice: as it is, and secured.
#ifndef SECURE
#define SECURE 0
#endif

TestSuite(live_udp, .timeout = 120);

enum { ROOMS = 3, PLAYERS = 4, LINKS_MAX = 16, TICKS = 150, LEAD = 20 };

typedef struct Stage Stage;

// One client: what it wants, and what it heard.
typedef struct {
    Stage          *stage;
    ClientLink      link;
    const char     *room_name; // NULL: asks for the list, then tries to join a room where there is none
    tp_client_room *room;
    uint32_t        listed, joined, confirmed, left, refused, desyncs;
    uint32_t        ports[ROOMS], reason, ended;
    char            text[300];
} Guest;

struct Stage {
    LiveSetting setting;
    uv_loop_t   loop;
    ClientHub   hub;
    Guest       guests[LINKS_MAX];
    uint32_t    open_count;
};

static Stage stage;
static uint8_t server_secret[crypto_sign_SECRETKEYBYTES], server_key[CHANNEL_NOISE_KEY];

static void open_stage(uint32_t threads, const ServerNetLimits *limits)
{
    static const char *const names[ROOMS] = { "one", "two", "three" };
    tp_error                 error;
    memset(&stage, 0, sizeof(stage));
    live_fixture_open(&stage.setting, threads);
    stage.setting.options.net = *limits;
    if (SECURE) {
        uint8_t open[crypto_sign_PUBLICKEYBYTES];
        cr_assert(sodium_init() >= 0);
        crypto_sign_keypair(open, server_secret);
        cr_assert_eq(crypto_sign_ed25519_pk_to_curve25519(server_key, open), 0);
        stage.setting.options.udp_key = server_secret;
    }
    for (uint32_t i = 0; i < ROOMS; i++) {
        ServerLiveOptions options;
        server_live_options_standard(&options);
        options.name = names[i];
        options.world = &testworld_flat;
        options.players = PLAYERS;
        options.seed = 5 + i;
        options.tick_rate_hz = 100;
        live_fixture_add(&stage.setting, &options);
    }
    cr_assert(server_listen_udp(stage.setting.server, "127.0.0.1:0", &error), "%s", error.text);
    cr_assert_gt(server_udp_port(stage.setting.server), 0);
    live_fixture_start(&stage.setting);
    cr_assert_eq(uv_loop_init(&stage.loop), 0);
    cr_assert_eq(client_hub_open(&stage.hub, &stage.loop), 0);
}

static void close_stage(void)
{
    client_hub_close(&stage.hub);
    uv_run(&stage.loop, UV_RUN_DEFAULT);
    cr_assert_eq(uv_loop_close(&stage.loop), 0);
    live_fixture_stop(&stage.setting);
    live_fixture_join(&stage.setting);
}

static void welcome(Guest *guest)
{
    tp_error error;
    if (guest->room_name == NULL) {
        tp_client_list(guest->link.client);
        return;
    }
    guest->room = tp_client_join(guest->link.client, guest->room_name, 1, NULL, &error);
    cr_assert_not_null(guest->room, "%s", error.text);
}

static void take_listed(Guest *guest, const tp_client_listed *listed)
{
    tp_error error;
    if (listed != NULL) {
        cr_assert_lt(listed->room, ROOMS);
        guest->ports[listed->room] = listed->udp_port;
        guest->listed += 1;
        return;
    }
    cr_assert_not_null(tp_client_join(guest->link.client, "two", 1, NULL, &error), "%s", error.text);
}

static void play(Guest *guest, uint64_t tick)
{
    static const union { uint8_t bytes[64]; uint64_t aligned; } input = { .bytes = { 1 } };
    const uint8_t *slots = NULL;
    tp_error       error;
    cr_assert_eq(tp_client_room_slots(guest->room, &slots), 1);
    guest->confirmed += 1;
    if (guest->confirmed < TICKS) {
        cr_assert(tp_client_input(guest->room, slots[0], tick + LEAD, &input, &error), "%s", error.text);
    } else if (guest->confirmed == TICKS) {
        tp_client_leave(guest->room);
    }
}

static void on_event(void *to, ClientLink *link, const tp_client_event *event)
{
    Guest *guest = to;
    switch ((int)event->kind) {
    case TP_CLIENT_WELCOME: welcome(guest); break;
    case TP_CLIENT_LISTED: take_listed(guest, event->listed); break;
    case TP_CLIENT_JOINED: guest->joined += 1; break;
    case TP_CLIENT_CONFIRMED: play(guest, event->tick); break;
    case TP_CLIENT_DESYNC: guest->desyncs += 1; break;
    case TP_CLIENT_REFUSED:
        guest->refused += 1;
        guest->reason = event->reason;
        snprintf(guest->text, sizeof(guest->text), "%s", event->text);
        client_link_close(link);
        break;
    case TP_CLIENT_LEFT:
        guest->left += 1;
        guest->reason = event->reason;
        client_link_close(link);
        break;
    default: break;
    }
}

static void on_ended(void *to, ClientLink *link)
{
    Guest *guest = to;
    (void)link;
    guest->ended += 1;
    stage.open_count -= 1;
}

static Guest *open_guest(uint32_t at, const char *room_name, uint32_t port, bool is_udp, const WeatherOptions *weather)
{
    Guest             *guest = &stage.guests[at];
    struct sockaddr_in address;
    tp_error           error;
    ClientLinkOptions  options = { .build = "test", .find_world = fixture_find_world, .welcome_ms = 5000, .is_udp = is_udp, .weather = weather,
                                   .server_key = SECURE && is_udp ? server_key : NULL,
                                   .event = on_event, .ended = on_ended, .to = guest };
    *guest = (Guest){ .stage = &stage, .room_name = room_name };
    uv_ip4_addr("127.0.0.1", (int)port, &address);
    cr_assert(client_link_open(&guest->link, &stage.hub, (const struct sockaddr *)&address, &options, &error), "%s", error.text);
    stage.open_count += 1;
    return guest;
}

static void run_guests(void)
{
    while (stage.open_count > 0) {
        uv_run(&stage.loop, UV_RUN_ONCE);
    }
}

// The lists are at the port that the server was given; JOIN is not.
static void learn_ports(uint32_t ports[ROOMS])
{
    Guest *guest = open_guest(0, NULL, server_udp_port(stage.setting.server), true, NULL);
    char   wanted[64];
    run_guests();
    cr_assert_eq(guest->listed, ROOMS, "%s", guest->link.text);
    cr_assert_eq(guest->refused, 1);
    cr_assert_str_eq(tp_client_reason_name(guest->reason), "other-lane");
    memcpy(ports, guest->ports, sizeof(guest->ports));
    snprintf(wanted, sizeof(wanted), "port %u", ports[1]);
    cr_assert_not_null(strstr(guest->text, wanted), "%s", guest->text);
}

static void expect_played(const Guest *guest)
{
    cr_assert_eq(guest->joined, 1, "%s", guest->link.text);
    cr_assert_geq(guest->confirmed, TICKS, "%s", guest->link.text);
    cr_assert_eq(guest->desyncs, 0);
    cr_assert_eq(guest->left, 1);
    cr_assert_str_eq(tp_client_reason_name(guest->reason), "asked");
    cr_assert_eq(guest->link.end, CLIENT_LINK_CLOSED, "%s", guest->link.text);
}

// `most_made_up`: of a hundred slots' inputs those that did not come in time.
static void expect_inputs(uint32_t guests, uint64_t most_made_up)
{
    uint64_t inputs = 0, joins = 0, wrong = 0;
    for (uint32_t i = 0; i < ROOMS; i++) {
        const ServerLiveCounts *live = &server_room_result(stage.setting.server, i)->live;
        inputs += live->inputs;
        joins += live->joins;
        wrong += live->early + live->wrong_slot + live->wrong_epoch + live->bad_input + live->desyncs + live->aways;
    }
    cr_assert_eq(joins, guests);
    cr_assert_eq(wrong, 0);
    uint64_t all = (uint64_t)guests * (TICKS - LEAD - 2);
    cr_assert_geq(inputs * 100, all * (100 - most_made_up), "%llu of %llu", (unsigned long long)inputs, (unsigned long long)all);
    printf("live_udp: %u guests, %llu inputs of at least %llu came in time\n", guests, (unsigned long long)inputs, (unsigned long long)all);
}

static void play_rooms(uint32_t guests, uint32_t threads, bool is_udp, const WeatherOptions *weather, uint64_t most_made_up)
{
    static const char *const names[ROOMS] = { "one", "two", "three" };
    uint32_t                 ports[ROOMS];
    open_stage(threads, &(ServerNetLimits){ 0 });
    learn_ports(ports);
    for (uint32_t i = 0; i < ROOMS; i++) {
        cr_assert_gt(ports[i], 0);
        cr_assert_eq(ports[i] == ports[0], i % threads == 0, "one port for each thread");
    }
    for (uint32_t i = 0; i < guests; i++) {
        WeatherOptions own = weather != NULL ? *weather : (WeatherOptions){ 0 };
        own.seed += i;
        open_guest(i, names[i % ROOMS], is_udp ? ports[i % ROOMS] : stage.setting.port, is_udp, weather != NULL ? &own : NULL);
    }
    run_guests();
    for (uint32_t i = 0; i < guests; i++) {
        expect_played(&stage.guests[i]);
    }
    close_stage();
    expect_inputs(guests, most_made_up);
    live_fixture_close(&stage.setting);
}

Test(live_udp, rooms_are_played_over_datagrams)
{
    play_rooms(9, 2, true, NULL, 10);
}

Test(live_udp, bad_weather_costs_some_inputs_and_no_tick)
{
    WeatherOptions weather = { .seed = 4, .latency_us = 20000, .jitter_us = 5000, .loss_ppm = 100000, .duplicate_ppm = 20000, .reorder_ppm = 20000 };
    play_rooms(6, 2, true, &weather, 30);
}

Test(live_udp, the_same_weather_over_tcp)
{
    WeatherOptions weather = { .seed = 4, .latency_us = 20000, .jitter_us = 5000, .loss_ppm = 20000 };
    play_rooms(6, 2, false, &weather, 30);
}

// Goal: a server that stops says so over datagrams, too, and no client waits for what does not come.
Test(live_udp, a_stop_is_heard)
{
    uint32_t ports[ROOMS];
    open_stage(1, &(ServerNetLimits){ 0 });
    learn_ports(ports);
    Guest *guest = open_guest(0, "one", ports[0], true, NULL);
    while (guest->confirmed < 20) {
        uv_run(&stage.loop, UV_RUN_ONCE);
    }
    live_fixture_stop(&stage.setting);
    run_guests();
    cr_assert_eq(guest->left, 1);
    cr_assert_str_eq(tp_client_reason_name(guest->reason), "stopping");
    close_stage();
    live_fixture_close(&stage.setting);
}

// Goal: what one address may have counts over datagrams as over TCP, and who is too many hears so.
Test(live_udp, too_many_from_one_address_hear_so)
{
    enum { MOST = 5 };
    uint32_t ports[ROOMS], crowded = 0, played = 0;
    open_stage(1, &(ServerNetLimits){ .connections_per_address = MOST });
    learn_ports(ports);
    for (uint32_t i = 0; i < MOST + 3; i++) {
        open_guest(i, i < 4 ? "one" : "two", ports[0], true, NULL);
    }
    run_guests();
    for (uint32_t i = 0; i < MOST + 3; i++) {
        const Guest *guest = &stage.guests[i];
        crowded += guest->link.end == CLIENT_LINK_BYE && strcmp(tp_client_reason_name(guest->link.reason), "crowded") == 0 ? 1 : 0;
        played += guest->left;
    }
    cr_assert_eq(played, MOST);
    cr_assert_eq(crowded, 3);
    close_stage();
    live_fixture_close(&stage.setting);
}

static void silent_message(void *to, const uint8_t *bytes, size_t size)
{
    uint32_t *counts = to;
    Message   message;
    cr_assert_null(message_decode(bytes, size, &message));
    cr_assert_eq(message.type, MESSAGE_BYE);
    cr_assert_eq(message.body.bye.reason, MESSAGE_REASON_SILENT);
    counts[0] += 1;
}

static void silent_ended(void *to, CarrierEnd end, int status)
{
    uint32_t *counts = to;
    (void)status;
    cr_assert_eq(end, CARRIER_GONE);
    counts[1] += 1;
}

// Goal: what says nothing is put out after its time, and its place is free again.
Test(live_udp, who_opens_and_says_nothing_is_put_out)
{
    Carrier silent;
    open_stage(1, &(ServerNetLimits){ .silence_ms = 300 });
    struct sockaddr_in         address;
    static const CarrierEvents ears = { .message = silent_message, .ended = silent_ended };
    uv_ip4_addr("127.0.0.1", (int)server_udp_port(stage.setting.server), &address);
    uint32_t counts[2] = { 0 };
    cr_assert_eq(carrier_connect_udp(&silent, &stage.loop, (const struct sockaddr *)&address, NULL, &ears, counts, 65536), 0);
    cr_assert(!SECURE || carrier_secure_udp(&silent, NULL, server_key));
    while (counts[1] == 0) {
        uv_run(&stage.loop, UV_RUN_ONCE);
    }
    cr_assert_eq(counts[0], 1, "BYE, and nothing else");
    carrier_finish(&silent);
    close_stage();
    cr_assert_gt(stage.setting.events.counts[SERVER_EVENT_CLIENTS], 0);
    live_fixture_close(&stage.setting);
}

Test(live_udp, only_loopback_addresses_are_taken)
{
    static const struct { const char *address, *wrong; } cases[] = {
        { "0.0.0.0:7777", "without a key datagrams are not encrypted, so they are taken on loopback addresses only: give 127.0.0.1 or [::1], or a key" },
        { "[::]:0", "without a key datagrams are not encrypted, so they are taken on loopback addresses only: give 127.0.0.1 or [::1], or a key" },
        { "192.0.2.1:7777", "without a key datagrams are not encrypted, so they are taken on loopback addresses only: give 127.0.0.1 or [::1], or a key" },
        { "localhost:7777", "it is no address to take datagrams at: give numbers and a port, like 127.0.0.1:7777 or [::1]:7777" },
        { "127.0.0.1", "it is no address to take datagrams at: give numbers and a port, like 127.0.0.1:7777 or [::1]:7777" },
        { "127.0.0.1:66000", "it is no address to take datagrams at: give numbers and a port, like 127.0.0.1:7777 or [::1]:7777" },
    };
    ServerOptions options;
    tp_error      error;
    server_options_standard(&options);
    options.find_world = fixture_find_world;
    Server *server = server_create(&options, &error);
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        cr_assert_not(server_listen_udp(server, cases[i].address, &error));
        cr_assert_str_eq(error.text, cases[i].wrong);
    }
    cr_assert(server_listen_udp(server, "127.0.0.1:0", &error), "%s", error.text);
    cr_assert_not(server_listen_udp(server, "127.0.0.1:0", &error));
    cr_assert_str_eq(error.text, "datagrams are taken at one address: give one");
    server_destroy(server);
}

// Goal: a thread's port that somebody has is a reason not to start, said with the port.
Test(live_udp, a_port_that_is_taken_is_named)
{
    LiveSetting       setting;
    ServerLiveOptions options;
    uv_loop_t         loop;
    UdpHost           host;
    tp_error          error;
    char              address[64], wanted[64];
    struct sockaddr_in taken;
    uv_loop_init(&loop);
    uv_ip4_addr("127.0.0.1", 0, &taken);
    cr_assert_eq(udp_host_open(&host, &loop, (const struct sockaddr *)&taken, NULL, NULL), 0);
    uint32_t port = udp_host_port(&host);
    live_fixture_open(&setting, 1);
    server_live_options_standard(&options);
    options.name = "one";
    options.world = &testworld_flat;
    live_fixture_add(&setting, &options);
    snprintf(address, sizeof(address), "127.0.0.1:%u", port);
    snprintf(wanted, sizeof(wanted), "port %u: address already in use", port);
    cr_assert_not(server_listen_udp(setting.server, address, &error));
    cr_assert_not_null(strstr(error.text, wanted), "%s", error.text);
    live_fixture_close(&setting);

    live_fixture_open(&setting, 1);
    live_fixture_add(&setting, &options);
    snprintf(address, sizeof(address), "127.0.0.1:%u", port - 1);
    if (server_listen_udp(setting.server, address, &error)) { // else that one is somebody's, too
        cr_assert_eq(server_run(setting.server, &error), SERVER_RUN_FAILED);
        cr_assert_not_null(strstr(error.text, wanted), "%s", error.text);
    }
    live_fixture_close(&setting);
    udp_host_close(&host);
    uv_run(&loop, UV_RUN_DEFAULT);
    udp_host_finish(&host);
    uv_loop_close(&loop);
}

// The connection: welcome, lists, joins that cross leaves, and what is no message or has no business here.
#include <criterion/criterion.h>
#include <string.h>

#include "fake_server.h"

Test(client, says_hello_and_waits_with_joins_for_welcome)
{
    Fake fake;
    fake_open(&fake, &testworld_flat, 0);
    Message hello = fake_sent(&fake, 0, MESSAGE_HELLO);
    cr_assert_eq(hello.body.hello.version_min, MESSAGE_VERSION);
    cr_assert_eq(hello.body.hello.build.size, 6);
    fake_ask(&fake, 2);
    tp_client_list(fake.client);
    cr_assert_eq(fake.sent_count, 1);
    cr_assert_eq(tp_client_messages_per_second(fake.client), 0);

    cr_assert(fake_welcome(&fake));
    cr_assert_eq(tp_client_messages_per_second(fake.client), 100);
    cr_assert_str_eq(fake_expect(&fake, TP_CLIENT_WELCOME)->text, "fake 1");
    fake_sent(&fake, 1, MESSAGE_LIST);
    Message join = fake_sent(&fake, 0, MESSAGE_JOIN);
    cr_assert_eq(join.body.join.slots, 2);
    cr_assert_eq(join.body.join.name.size, 5);
    fake_close(&fake);
}

static Message rooms_page(uint32_t first, uint32_t next, uint32_t total)
{
    Message rooms = { .type = MESSAGE_ROOMS, .room = MESSAGE_ROOM_NONE };
    rooms.body.rooms.first = first;
    rooms.body.rooms.next = next;
    rooms.body.rooms.total = total;
    rooms.body.rooms.count = (uint8_t)(next - first);
    for (uint32_t i = 0; i < next - first; i++) {
        rooms.body.rooms.items[i] = (MessageRoom){ .room = first + i, .tick_rate_hz = 60, .lane = 1, .players = 4, .taken = 2, .is_live = 1, .udp_port = (uint16_t)(7000 + i),
                                                   .name = message_text("arena"), .world = message_text("runner") };
    }
    return rooms;
}

Test(client, asks_on_until_the_list_is_whole)
{
    Fake fake;
    fake_open(&fake, &testworld_flat, 0);
    fake_welcome(&fake);
    tp_client_list(fake.client);
    tp_client_list(fake.client); // one is on its way
    cr_assert_eq(fake.sent_count, 2);
    Message page = rooms_page(0, 3, 5);
    cr_assert(fake_give(&fake, &page));
    cr_assert_eq(fake_sent(&fake, 0, MESSAGE_LIST).body.list.first, 3);
    cr_assert_eq(fake_expect(&fake, TP_CLIENT_LISTED)->listed.room, 2);
    page = rooms_page(3, 5, 5);
    cr_assert(fake_give(&fake, &page));
    cr_assert_eq(fake.event_count, 1 + 5 + 1);
    cr_assert_null(fake_expect(&fake, TP_CLIENT_LISTED)->event.listed);
    cr_assert_str_eq(fake.events[5].listed.name, "arena");
    cr_assert_str_eq(fake.events[5].listed.world, "runner");
    cr_assert(fake.events[5].listed.is_live);
    cr_assert_eq(fake.events[5].listed.udp_port, 7001);

    tp_client_list(fake.client);
    page = rooms_page(0, 0, 0);
    cr_assert(fake_give(&fake, &page));
    cr_assert_not(fake_give(&fake, &page));
    fake_expect_malformed(&fake, "ROOMS: rooms from 0 on were not asked for");
    fake_close(&fake);
}

Test(client, a_list_must_be_the_one_that_was_asked_for)
{
    Fake fake;
    fake_open(&fake, &testworld_flat, 0);
    fake_welcome(&fake);
    tp_client_list(fake.client);
    Message page = rooms_page(1, 3, 5);
    cr_assert_not(fake_give(&fake, &page));
    fake_expect_malformed(&fake, "from 1 on were not asked for");
    fake_close(&fake);

    fake_open(&fake, &testworld_flat, 0);
    fake_welcome(&fake);
    tp_client_list(fake.client);
    page = rooms_page(0, 1, UINT32_MAX);
    cr_assert_not(fake_give(&fake, &page));
    fake_expect_malformed(&fake, "longer than a server's may be");
    fake_close(&fake);
}

Test(client, nothing_comes_before_welcome_and_it_comes_once)
{
    Fake fake;
    fake_open(&fake, &testworld_flat, 0);
    Message pong = { .type = MESSAGE_PONG, .room = MESSAGE_ROOM_NONE };
    cr_assert_not(fake_give(&fake, &pong));
    fake_expect_malformed(&fake, "PONG: it came before a welcome");
    uint32_t events = fake.event_count;
    cr_assert_not(fake_welcome(&fake), "after the end nothing is taken");
    cr_assert_eq(fake.event_count, events);
    fake_close(&fake);

    fake_open(&fake, &testworld_flat, 0);
    fake_welcome(&fake);
    cr_assert_not(fake_welcome(&fake));
    fake_expect_malformed(&fake, "it came before");
    fake_close(&fake);

    fake_open(&fake, &testworld_flat, 0);
    Message welcome = { .type = MESSAGE_WELCOME, .room = MESSAGE_ROOM_NONE };
    welcome.body.welcome.version = MESSAGE_VERSION + 1;
    welcome.body.welcome.build = message_text("");
    cr_assert_not(fake_give(&fake, &welcome));
    fake_expect_malformed(&fake, "was not offered");
    fake_close(&fake);
}

Test(client, what_only_clients_send_and_what_is_no_message_is_refused)
{
    static const MessageType types[] = { MESSAGE_LIST, MESSAGE_LEAVE, MESSAGE_PING };
    Fake                     fake;
    for (int i = 0; i < 3; i++) {
        fake_open(&fake, &testworld_flat, 0);
        fake_welcome(&fake);
        Message message = { .type = types[i], .room = types[i] == MESSAGE_LEAVE ? 1 : MESSAGE_ROOM_NONE };
        if (types[i] == MESSAGE_LEAVE) {
            message.body.leave.reason = MESSAGE_REASON_ASKED;
            message.body.leave.text = message_text("");
        }
        cr_assert_not(fake_give(&fake, &message));
        fake_expect_malformed(&fake, "only clients send it");
        fake_close(&fake);
    }
    fake_open(&fake, &testworld_flat, 0);
    cr_assert_not(fake_give_bytes(&fake, (const uint8_t *)"HTTP/1.1 400", 12));
    fake_expect_malformed(&fake, "a message of 12 bytes");
    fake_close(&fake);
}

Test(client, bye_ends_it_with_a_line_for_people)
{
    Fake fake;
    fake_open(&fake, &testworld_flat, 0);
    Message bye = { .type = MESSAGE_BYE, .room = MESSAGE_ROOM_NONE };
    bye.body.bye.reason = MESSAGE_REASON_CROWDED;
    bye.body.bye.text = message_text("too many\x1b[2J\nof \xC2\x9B you");
    cr_assert_not(fake_give(&fake, &bye));
    const FakeEvent *event = fake_expect(&fake, TP_CLIENT_BYE);
    cr_assert_str_eq(event->text, "too many?[2J?of \xC2? you");
    cr_assert_str_eq(tp_client_reason_name(event->event.reason), "crowded");
    cr_assert_null(tp_client_join(fake.client, "arena", 1, NULL, NULL));
    tp_client_list(fake.client);
    tp_client_ping(fake.client);
    cr_assert_eq(fake.sent_count, 1);
    fake_close(&fake);
}

Test(client, a_refused_join_is_told_and_gone)
{
    Fake fake;
    fake_open(&fake, &testworld_flat, 0);
    fake_welcome(&fake);
    fake_ask(&fake, 2);
    Message refused = { .type = MESSAGE_REFUSED, .room = MESSAGE_ROOM_NONE };
    refused.body.refused.cookie = fake.cookie;
    refused.body.refused.reason = MESSAGE_REASON_FULL;
    refused.body.refused.text = message_text("1 slot is free");
    cr_assert(fake_give(&fake, &refused));
    const FakeEvent *event = fake_expect(&fake, TP_CLIENT_REFUSED);
    cr_assert_eq(event->event.user, &fake);
    cr_assert_eq(event->event.room, fake.room);
    cr_assert_str_eq(event->text, "1 slot is free");
    cr_assert_not(fake_give(&fake, &refused));
    fake_expect_malformed(&fake, "nobody asked for it");
    fake_close(&fake);
}

static void expect_no_join(Fake *fake, tp_client_join_options options, const char *text)
{
    tp_error error = { "" };
    options.name = "arena";
    cr_assert_null(tp_client_join_with(fake->client, &options, &error));
    cr_assert_not_null(strstr(error.text, text), "\"%s\" does not have \"%s\"", error.text, text);
}

Test(client, joins_are_checked_here_first)
{
    static const uint8_t token[TP_CLIENT_TOKEN_SIZE] = { 1 };
    Fake                 fake;
    tp_error             error;
    tp_session_options   wide = { .window = TP_SESSION_WINDOW_MAX + 1 };
    tp_session_options   late = { .delay = TP_SESSION_DELAY_MAX + 1 };
    fake_open(&fake, &testworld_flat, 0);
    expect_no_join(&fake, (tp_client_join_options){ .delay = 1, .slots = 1 }, "only who watches can be 1 ticks behind");
    expect_no_join(&fake, (tp_client_join_options){ .delay = 1, .token = token }, "only who watches");
    expect_no_join(&fake, (tp_client_join_options){ .delay = 36001 }, "36000 are the most");
    expect_no_join(&fake, (tp_client_join_options){ .session = &wide }, "a window of 121 ticks");
    expect_no_join(&fake, (tp_client_join_options){ .session = &late }, "an input delay of 61 ticks");
    cr_assert_null(tp_client_join(fake.client, "", 1, NULL, &error));
    cr_assert_null(tp_client_join(fake.client, "two words", 1, NULL, &error));
    cr_assert_not_null(strstr(error.text, "a room's name is"));
    cr_assert_null(tp_client_join(fake.client, "arena", 129, NULL, &error));
    for (int i = 0; i < TP_CLIENT_ROOMS_MAX; i++) {
        cr_assert_not_null(tp_client_join(fake.client, "arena", 1, NULL, &error), "%d: %s", i, error.text);
    }
    cr_assert_null(tp_client_join(fake.client, "arena", 1, NULL, &error));
    cr_assert_str_eq(error.text, "a connection is in 1024 rooms at most");
    fake_welcome(&fake);
    cr_assert_eq(fake.sent_count, 1 + TP_CLIENT_ROOMS_MAX);
    fake_close(&fake);
}

// Goal: a leave is kept wherever the join is: not sent, not answered, half there, there.
Test(client, leaving_crosses_joining_at_every_stage)
{
    Fake fake;
    for (int stage = 0; stage < 5; stage++) {
        fake_open(&fake, &testworld_flat, 10);
        if (stage > 0) {
            fake_welcome(&fake);
        }
        fake_ask(&fake, 1);
        if (stage == 0) {
            tp_client_leave(fake.room);
            fake_welcome(&fake);
            fake_expect(&fake, TP_CLIENT_LEFT);
            cr_assert_eq(fake.sent_count, 1, "no JOIN goes out");
            fake_close(&fake);
            continue;
        }
        if (stage == 1) {
            tp_client_leave(fake.room);
        }
        Message joined = fake_joined(&fake);
        fake_give(&fake, &joined);
        if (stage == 2) {
            tp_client_leave(fake.room);
        }
        fake_pieces(&fake, MESSAGE_PIECE_RULES, 0, SIZE_MAX, 0);
        if (stage == 3) {
            tp_client_leave(fake.room);
        }
        Message state = fake_state(&fake);
        fake_give(&fake, &state);
        fake_pieces(&fake, MESSAGE_PIECE_STATE, 0, SIZE_MAX, 100);
        if (stage == 4) {
            fake_expect(&fake, TP_CLIENT_JOINED);
            fake_confirm(&fake);
            fake_expect(&fake, TP_CLIENT_CONFIRMED);
            tp_client_leave(fake.room);
            tp_client_leave(fake.room);
        }
        cr_assert_eq(fake_sent(&fake, 0, MESSAGE_LEAVE).body.leave.reason, MESSAGE_REASON_ASKED);
        uint32_t events = fake.event_count;
        cr_assert(fake_confirm(&fake), "what was on its way is dropped");
        cr_assert_eq(fake.event_count, events);
        cr_assert_not(tp_client_input(fake.room, 0, tp_sim_tick(fake.sim), &(TestInput){ 0 }, NULL));
        cr_assert(fake_left(&fake, MESSAGE_REASON_ASKED));
        const FakeEvent *left = fake_expect(&fake, TP_CLIENT_LEFT);
        cr_assert_str_eq(left->text, "so?it is");
        cr_assert_eq(left->event.reason, MESSAGE_REASON_ASKED);
        cr_assert_not(fake_left(&fake, MESSAGE_REASON_ASKED));
        fake_expect_malformed(&fake, "not in that room");
        fake_close(&fake);
    }
}

// Goal: what a watcher and somebody who comes back ask for stands in the message.
Test(client, delay_and_token_go_out_with_the_join)
{
    Fake                 fake;
    static const uint8_t token[TP_CLIENT_TOKEN_SIZE] = { 1, 2, 3, [15] = 9 };
    fake_open(&fake, &testworld_flat, 0);
    fake_welcome(&fake);
    cr_assert_not_null(tp_client_join_with(fake.client, &(tp_client_join_options){ .name = "arena", .delay = 600 }, NULL));
    Message join = fake_sent(&fake, 0, MESSAGE_JOIN);
    cr_assert(join.body.join.slots == 0 && join.body.join.delay == 600 && join.body.join.token[0] == 0);
    cr_assert_not_null(tp_client_join_with(fake.client, &(tp_client_join_options){ .name = "arena", .token = token }, NULL));
    join = fake_sent(&fake, 0, MESSAGE_JOIN);
    cr_assert(join.body.join.delay == 0 && memcmp(join.body.join.token, token, sizeof(token)) == 0);
    fake_close(&fake);
}

// Goal: several rooms of one connection, by number and not by order, and a number used again.
Test(client, many_rooms_of_one_connection_are_told_apart)
{
    enum { ROOMS = 40 };
    Fake            fake;
    tp_client_room *rooms[ROOMS];
    fake_open(&fake, &testworld_flat, 3);
    fake_welcome(&fake);
    for (uint32_t i = 0; i < ROOMS; i++) {
        fake_ask(&fake, 0);
        rooms[i] = fake.room;
        Message joined = fake_joined(&fake);
        joined.room = (i * 17 + 5) % ROOMS + 100;
        cr_assert(fake_give(&fake, &joined));
    }
    for (uint32_t i = 0; i < ROOMS; i++) {
        Message left = { .type = MESSAGE_LEFT, .room = i + 100, .epoch = FAKE_EPOCH };
        left.body.left.reason = MESSAGE_REASON_ENDED;
        left.body.left.text = message_text("");
        cr_assert(fake_give(&fake, &left));
        const FakeEvent *event = fake_expect(&fake, TP_CLIENT_LEFT);
        cr_assert_eq(event->event.room, rooms[(i + 35) * 33 % ROOMS]);
        if (i % 2 == 0) {
            fake_ask(&fake, 0);
            Message joined = fake_joined(&fake);
            joined.room = i + 100;
            cr_assert(fake_give(&fake, &joined));
        }
    }
    fake_ask(&fake, 0);
    Message joined = fake_joined(&fake);
    joined.room = 100;
    cr_assert_not(fake_give(&fake, &joined));
    fake_expect_malformed(&fake, "JOINED of room 100: this client is in that room already");
    fake_close(&fake);
}

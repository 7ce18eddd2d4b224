// A room with a session: the present is played ahead of the server, and what it confirms is told once, tick after tick.
#include <criterion/criterion.h>
#include <string.h>

#include "fake_server.h"

// Options for the next fake_ask, as a game would give them.
static tp_session_options options_of(uint32_t window)
{
    tp_session_options options;
    tp_session_options_standard(&options);
    options.window = window;
    return options;
}

static void open_session(Fake *fake, const tp_session_options *options, uint32_t slots, uint64_t ticks)
{
    fake_open(fake, &testworld_flat, ticks);
    fake->session = options;
    fake->is_played = true;
    cr_assert(fake_join(fake, slots));
    fake_expect(fake, TP_CLIENT_JOINED);
}

static tp_session_status advance(Fake *fake, tp_session_result *result)
{
    tp_session *session = tp_client_room_session(fake->room);
    uint64_t    tick = tp_session_tick(session);
    TestInput   input = { .buttons = tick % 9 == 0, .stick = (int8_t)(tick % 100) };
    tp_error    error = { "" };
    for (uint32_t handle = 0; handle < fake->slot_count; handle++) {
        cr_assert_eq(tp_session_input(session, handle, &input, &error), TP_SESSION_OK, "%s", error.text);
    }
    tp_session_status status = tp_client_advance(fake->room, result, &error);
    cr_assert(status == TP_SESSION_OK || error.text[0] != '\0');
    return status;
}

// Goal: a player is ahead of the server, its inputs are there in time, and every tick comes to the server's root.
Test(client_session, a_player_is_ahead_and_agrees)
{
    static const uint32_t windows[] = { 1, 8, 30 };
    Fake                  fake;
    for (int i = 0; i < 3; i++) {
        tp_session_options options = options_of(windows[i]);
        open_session(&fake, &options, 1, 40);
        fake.report = 10;
        uint32_t          lead = windows[i] < 5 ? 1 : 5;
        tp_session_result result;
        for (uint32_t k = 0; k < 400; k++) {
            cr_assert_eq(advance(&fake, &result), TP_SESSION_OK);
            cr_assert(result.advanced && !result.stalled);
            if (k + 1 >= lead) {
                cr_assert(fake_confirm(&fake));
            }
        }
        tp_session *session = tp_client_room_session(fake.room);
        cr_assert_eq(tp_session_tick(session), 440);
        cr_assert_eq(tp_client_settle(fake.room, &result, NULL), TP_SESSION_OK);
        cr_assert_eq(fake.kinds[TP_CLIENT_CONFIRMED], 400 - lead + 1);
        cr_assert_eq(tp_session_confirmed_tick(session), tp_sim_tick(fake.sim));
        tp_hash128 own;
        cr_assert(tp_session_root(session, tp_sim_tick(fake.sim) - 1, &own) && tp_hash128_equal(own, tp_sim_root(fake.sim)));
        tp_session_statistics statistics;
        tp_session_get_statistics(session, &statistics);
        cr_assert_eq(statistics.late, 0, "the server stepped what was sent");
        cr_assert_gt(statistics.rollbacks, 0, "the other player is guessed wrongly now and then");
        fake_close(&fake);
    }
}

Test(client_session, reports_go_out_for_ticks_that_became_final)
{
    Fake               fake;
    tp_session_options options = options_of(8);
    fake_open(&fake, &testworld_flat, 40);
    fake.session = &options;
    fake.is_played = true;
    fake.report = 10;
    fake_join(&fake, 1);
    for (int k = 0; k < 30; k++) {
        advance(&fake, NULL);
        fake_confirm(&fake);
    }
    cr_assert_eq(fake.reports, 3, "of the ticks 40, 50, 60");
    cr_assert_eq(fake.reported.tick, 60);
    fake_close(&fake);
}

// Goal: what is not confirmed goes out again with every advance; beyond what one message has, the newest always, the older ones in turn.
Test(client_session, unconfirmed_inputs_go_out_again_and_again)
{
    Fake               fake;
    tp_session_options options = options_of(TP_SESSION_WINDOW_MAX);
    options.delay = TP_SESSION_DELAY_MAX;
    open_session(&fake, &options, 1, 40);
    advance(&fake, NULL);
    Message message = fake_sent(&fake, 0, MESSAGE_INPUT);
    cr_assert(message.tick == 40 && message.body.input.count == 61 && message.body.input.size == 2, "the delay's ticks have inputs, too");
    for (int k = 1; k < 120; k++) {
        uint32_t before = fake.sent_count;
        advance(&fake, NULL);
        cr_assert_leq(fake.sent_count - before, 2, "no more than the server takes of one slot");
    }
    message = fake_sent(&fake, 0, MESSAGE_INPUT);
    cr_assert_eq(message.tick + message.body.input.count, 40 + 120 + 60, "the newest input is there");
    cr_assert_eq(message.body.input.count, 64);
    // Stalled: still they go out, and each older one within three advances.
    bool              is_sent[181] = { false }; // the stalled present has its input, too
    tp_session_result result;
    for (int k = 0; k < 3; k++) {
        cr_assert_eq(advance(&fake, &result), TP_SESSION_OK);
        cr_assert(result.stalled);
        for (uint32_t back = 0; back < 2; back++) {
            message = fake_sent(&fake, back, MESSAGE_INPUT);
            for (uint32_t i = 0; i < message.body.input.count; i++) {
                is_sent[message.tick + i - 40] = true;
            }
        }
    }
    for (int i = 0; i < 181; i++) {
        cr_assert(is_sent[i], "input %d", i);
    }
    fake_close(&fake);
}

Test(client_session, a_spectator_plays_what_is_confirmed)
{
    Fake               fake;
    tp_session_options options = options_of(8);
    open_session(&fake, &options, 0, 40);
    tp_session_result result;
    cr_assert_eq(advance(&fake, &result), TP_SESSION_OK);
    cr_assert(result.stalled);
    for (int k = 0; k < 200; k++) {
        fake_confirm(&fake);
        cr_assert_eq(advance(&fake, &result), TP_SESSION_OK);
        cr_assert(result.advanced);
        cr_assert_eq(fake_expect(&fake, TP_CLIENT_CONFIRMED)->event.tick, 40 + (uint64_t)k);
    }
    cr_assert_eq(tp_client_settle(fake.room, &result, NULL), TP_SESSION_OK);
    cr_assert_null(tp_client_room_token(fake.room));
    fake_close(&fake);
}

// Goal: nothing that is confirmed is lost when nobody advances.
Test(client_session, who_sleeps_loses_no_tick)
{
    Fake               fake;
    tp_session_options options = options_of(8);
    open_session(&fake, &options, 1, 40);
    for (int k = 0; k < 1500; k++) {
        cr_assert(fake_confirm(&fake));
        cr_assert_leq(tp_session_waiting(tp_client_room_session(fake.room)), 128);
        cr_assert(k >= 128 || fake.kinds[TP_CLIENT_CONFIRMED] == 0, "who advances now and then is left to do it himself");
    }
    cr_assert_gt(fake.kinds[TP_CLIENT_CONFIRMED], 1500 - 129);
    tp_session_result result;
    cr_assert_eq(advance(&fake, &result), TP_SESSION_OK);
    cr_assert_eq(fake.kinds[TP_CLIENT_CONFIRMED], 1500);
    fake_close(&fake);

    // A spectator shows no tick before its time, as long as there is place.
    open_session(&fake, &options, 0, 40);
    for (int k = 0; k < 1500; k++) {
        cr_assert(fake_confirm(&fake));
        cr_assert_eq(fake.kinds[TP_CLIENT_CONFIRMED], k < 1024 ? 0 : ((uint32_t)k - 1024 + 4) / 4 * 4);
    }
    while (tp_session_waiting(tp_client_room_session(fake.room)) > 0) {
        cr_assert_eq(advance(&fake, NULL), TP_SESSION_OK);
    }
    cr_assert_eq(fake.kinds[TP_CLIENT_CONFIRMED], 1500);
    fake_close(&fake);
}

// Goal: in lockstep only the players can go on; who does not is out before a tick is lost.
Test(client_session, who_sleeps_in_lockstep_is_out)
{
    Fake               fake;
    tp_session_options options = options_of(0);
    open_session(&fake, &options, 1, 40);
    for (int k = 0; k < 100; k++) {
        cr_assert(fake_confirm(&fake));
        cr_assert_eq(advance(&fake, NULL), TP_SESSION_OK);
    }
    cr_assert_eq(fake.kinds[TP_CLIENT_CONFIRMED], 100);
    for (int k = 0; k < 1024; k++) {
        cr_assert(fake_confirm(&fake));
    }
    cr_assert_eq(fake.kinds[TP_CLIENT_CONFIRMED], 100);
    cr_assert(fake_confirm(&fake));
    const FakeEvent *event = fake_expect(&fake, TP_CLIENT_REFUSED);
    cr_assert_not_null(strstr(event->text, "1024 confirmed ticks wait"), "%s", event->text);
    fake_sent(&fake, 0, MESSAGE_LEAVE);
    cr_assert_eq(tp_client_advance(fake.room, NULL, NULL), TP_SESSION_REFUSED);
    fake_close(&fake);
}

// Desyncs.

static void flip_root(uint8_t *row, size_t size, tp_hash128 *root)
{
    (void)row;
    (void)size;
    root->hi ^= 1;
}

Test(client_session, another_root_freezes_the_session_until_the_next_state)
{
    Fake               fake;
    tp_session_options options = options_of(8);
    open_session(&fake, &options, 1, 40);
    for (int k = 0; k < 10; k++) {
        advance(&fake, NULL);
        if (k >= 4) {
            fake_confirm(&fake);
        }
    }
    cr_assert(fake_confirm_changed(&fake, flip_root));
    cr_assert_eq(advance(&fake, NULL), TP_SESSION_DESYNCED);
    const FakeEvent *event = fake_expect(&fake, TP_CLIENT_DESYNC);
    cr_assert_eq(event->event.tick, 46);
    cr_assert_eq(fake.kinds[TP_CLIENT_CONFIRMED], 6, "what was right before is told first");
    cr_assert(fake.reports == 1 && fake.reported.tick == 46 && tp_hash128_equal(fake.reported.body.report.root, event->event.own_root));
    cr_assert_eq(tp_client_advance(fake.room, NULL, NULL), TP_SESSION_DESYNCED);
    cr_assert(fake_confirm(&fake), "what follows is dropped");
    Message message = { .type = MESSAGE_WANTED, .room = FAKE_ROOM, .epoch = FAKE_EPOCH, .tick = 46 };
    cr_assert(fake_give(&fake, &message));
    Message own = fake_sent(&fake, 0, MESSAGE_OWN_STATE);
    cr_assert(tp_hash128_equal(own.body.own_state.root, event->event.own_root));
    cr_assert(fake_give_state(&fake));
    cr_assert(fake_expect(&fake, TP_CLIENT_REWOUND)->event.from == 47 && fake.next_confirmed == 48);
    for (int k = 0; k < 20; k++) {
        cr_assert_eq(advance(&fake, NULL), TP_SESSION_OK);
        fake_confirm(&fake);
    }
    cr_assert_eq(tp_client_settle(fake.room, NULL, NULL), TP_SESSION_OK);
    cr_assert_eq(fake_expect(&fake, TP_CLIENT_CONFIRMED)->event.tick, 67);
    fake_close(&fake);
}

// Goal: the drill is at its tick, however far ahead the present is or how much waits.
Test(client_session, a_planted_bit_is_a_desync_at_its_tick)
{
    Fake fake;
    for (uint32_t slots = 0; slots < 2; slots++) {
        for (uint32_t lead = 0; lead < 8; lead++) {
            tp_session_options options = options_of(lead == 7 ? 0 : 8);
            open_session(&fake, &options, slots, 40);
            cr_assert(tp_client_room_plant(fake.room, 50, lead));
            for (uint32_t k = 0; k < 30 && fake.kinds[TP_CLIENT_DESYNC] == 0; k++) {
                if (k < lead || slots == 0 || lead == 7) {
                    fake_confirm(&fake);
                }
                cr_assert_eq(advance(&fake, NULL), fake.kinds[TP_CLIENT_DESYNC] == 0 ? TP_SESSION_OK : TP_SESSION_DESYNCED);
                if (k >= lead && fake.kinds[TP_CLIENT_DESYNC] == 0) {
                    fake_confirm(&fake);
                }
            }
            cr_assert_eq(fake.kinds[TP_CLIENT_DESYNC], 1, "%u slots, lead %u", slots, lead);
            const FakeEvent *event = fake_expect(&fake, TP_CLIENT_DESYNC);
            cr_assert_eq(event->event.tick, 50);
            cr_assert_eq(fake.kinds[TP_CLIENT_CONFIRMED], 10);
            cr_assert_eq(tp_sim_tick(tp_client_room_sim(fake.room)), 51);
            cr_assert(tp_hash128_equal(event->event.own_root, tp_sim_root(tp_client_room_sim(fake.room))));
            cr_assert(fake_give_state(&fake));
            cr_assert_eq(advance(&fake, NULL), TP_SESSION_OK);
            fake_close(&fake);
        }
    }
}

static void big_buttons(uint8_t *row, size_t size, tp_hash128 *root)
{
    (void)size;
    (void)root;
    row[2] = 99;
}

static void flip_presence(uint8_t *row, size_t size, tp_hash128 *root)
{
    (void)size;
    (void)root;
    row[0] ^= 0x40;
}

// Goal: what cannot be a row is nonsense; what only the world can see is wrong ends the membership.
Test(client_session, rows_that_make_no_sense)
{
    Fake               fake;
    tp_session_options options = options_of(8);
    for (uint32_t slots = 0; slots < 2; slots++) {
        open_session(&fake, &options, slots, 40);
        fake_confirm(&fake);
        cr_assert_not(fake_confirm_changed(&fake, flip_presence));
        fake_expect_malformed(&fake, "CONFIRMED of room 7: tick 41: presence has bits past slot 1");
        cr_assert_eq(tp_client_advance(fake.room, NULL, NULL), TP_SESSION_REFUSED);
        fake_close(&fake);

        open_session(&fake, &options, slots, 40);
        cr_assert(fake_confirm_changed(&fake, big_buttons));
        cr_assert_eq(advance(&fake, NULL), TP_SESSION_BROKEN);
        cr_assert_not_null(strstr(fake_expect(&fake, TP_CLIENT_REFUSED)->text, "slot 0"));
        Message leave = fake_sent(&fake, 0, MESSAGE_LEAVE);
        cr_assert_eq(leave.body.leave.reason, MESSAGE_REASON_INCOMPATIBLE);
        fake_close(&fake);
    }
}

// Goal: many ticks full of commands wait for a session that does not advance: they are taken in, not called nonsense.
Test(client_session, rows_full_of_commands_find_place)
{
    static uint8_t row[TP_COMMAND_BYTES_MAX + 64], data[64];
    tp_command     commands[TP_COMMANDS_MAX];
    Fake           fake;
    TestScript     script;
    for (int i = 0; i < TP_COMMANDS_MAX; i++) {
        commands[i] = (tp_command){ .source = TP_SOURCE_HOST, .type = TESTWORLD_COMMAND_TEXT, .size = 64, .data = data };
    }
    for (uint32_t slots = 0; slots < 2; slots++) {
        tp_session_options options = options_of(8);
        open_session(&fake, &options, slots, 40);
        for (uint64_t tick = 40; tick < 90; tick++) {
            tp_row scripted = testworld_row(fake.sim, &script, tick);
            scripted.commands = commands;
            scripted.command_count = TP_COMMANDS_MAX;
            size_t size = tp_row_encode(tp_sim_layout(fake.sim), &scripted, row, sizeof(row));
            cr_assert(size > 0 && tp_sim_step(fake.sim, &scripted, NULL) == TP_SIM_OK);
            size_t parts = (size + MESSAGE_PART_MAX - 1) / MESSAGE_PART_MAX;
            for (size_t part = 0; part < parts; part++) {
                Message message = { .type = MESSAGE_CONFIRMED, .room = FAKE_ROOM, .epoch = FAKE_EPOCH, .tick = tick };
                message.body.confirmed.root = tp_sim_root(fake.sim);
                message.body.confirmed.part = (uint8_t)part;
                message.body.confirmed.parts = (uint8_t)parts;
                message.body.confirmed.size = (uint16_t)(part + 1 < parts ? MESSAGE_PART_MAX : size - part * MESSAGE_PART_MAX);
                message.body.confirmed.bytes = row + part * MESSAGE_PART_MAX;
                cr_assert(fake_give(&fake, &message));
            }
        }
        while (tp_session_waiting(tp_client_room_session(fake.room)) > 0) {
            cr_assert_eq(advance(&fake, NULL), TP_SESSION_OK);
        }
        cr_assert_eq(fake.kinds[TP_CLIENT_CONFIRMED], 50);
        fake_close(&fake);
    }
}

// What is called when it cannot be.

Test(client_session, there_is_none_before_joined_nor_without_asking)
{
    Fake               fake;
    tp_session_options options = options_of(8);
    tp_error           error;
    fake_open(&fake, &testworld_flat, 40);
    fake.session = &options;
    fake_welcome(&fake);
    fake_ask(&fake, 1);
    Message joined = fake_joined(&fake);
    fake_give(&fake, &joined);
    fake_pieces(&fake, MESSAGE_PIECE_RULES, 0, SIZE_MAX, 0);
    cr_assert_null(tp_client_room_session(fake.room));
    tp_session_result result = { .frames = 9 };
    cr_assert_eq(tp_client_advance(fake.room, &result, &error), TP_SESSION_REFUSED);
    cr_assert(result.frames == 0 && strcmp(error.text, "the room is not live") == 0);
    fake_give_state(&fake);
    cr_assert_not_null(tp_client_room_session(fake.room));
    cr_assert_eq(tp_client_advance(fake.room, NULL, &error), TP_SESSION_REFUSED);
    cr_assert_not_null(strstr(error.text, "handle 0"), "an input is missing: %s", error.text);
    cr_assert_not(tp_client_input(fake.room, 0, 41, &(TestInput){ 0 }, &error));
    cr_assert_str_eq(error.text, "this room has a session: inputs are given to it");
    // While the state is replaced nothing moves.
    Message state = fake_state(&fake);
    fake_give(&fake, &state);
    cr_assert_eq(tp_client_settle(fake.room, NULL, &error), TP_SESSION_REFUSED);
    fake_close(&fake);

    fake_open(&fake, &testworld_flat, 40);
    fake_join(&fake, 1);
    cr_assert_null(tp_client_room_session(fake.room));
    cr_assert_eq(tp_client_advance(fake.room, NULL, &error), TP_SESSION_REFUSED);
    cr_assert_str_eq(error.text, "this room has no session");
    fake_close(&fake);
}

static void advance_again(void *to, const tp_client_event *event)
{
    Fake     *fake = to;
    TestInput input = { 0 };
    if (event->kind == TP_CLIENT_CONFIRMED && event->tick % 3 == 0) {
        tp_session_input(tp_client_room_session(event->room), 0, &input, NULL);
        tp_client_advance(event->room, NULL, NULL);
    }
    if (event->kind == TP_CLIENT_CONFIRMED && event->tick == 70) {
        tp_client_leave(event->room);
    }
    (void)fake;
}

// Goal: whoever hears of a tick may advance or leave right there: each tick is still told once, in order.
Test(client_session, an_event_s_receiver_may_advance_and_leave)
{
    Fake               fake;
    tp_session_options options = options_of(8);
    open_session(&fake, &options, 1, 40);
    fake.on_event = advance_again;
    for (int k = 0; k < 50; k++) {
        fake_confirm(&fake);
        if (k % 4 == 0) {
            tp_client_settle(fake.room, NULL, NULL);
        }
    }
    cr_assert_eq(fake.kinds[TP_CLIENT_CONFIRMED], 31, "none after the leave");
    cr_assert_eq(tp_client_settle(fake.room, NULL, NULL), TP_SESSION_REFUSED);
    fake_close(&fake);
}

static Fake    *heard_by;
static uint32_t heard[4];

static void hear(void *to, const tp_session_event *event)
{
    tp_error error;
    (void)to;
    heard[event->kind] += 1;
    cr_assert_eq(tp_client_advance(heard_by->room, NULL, &error), TP_SESSION_REFUSED);
    cr_assert_str_eq(error.text, "a call of the session is under way");
}

// Goal: events of the world come through; what was told as predicted is taken back by another state.
Test(client_session, events_come_through_and_are_taken_back)
{
    Fake               fake;
    tp_session_options options = options_of(8);
    options.event = hear;
    memset(heard, 0, sizeof(heard));
    heard_by = &fake;
    open_session(&fake, &options, 1, 0); // later the balls are all in the air, and none is made
    for (int k = 0; k < 8; k++) {
        tp_session *session = tp_client_room_session(fake.room);
        tp_session_input(session, 0, &(TestInput){ 0 }, NULL);
        tp_client_advance(fake.room, NULL, NULL);
    }
    cr_assert_gt(heard[TP_SESSION_PREDICTED], 0);
    cr_assert_eq(heard[TP_SESSION_RETRACTED], 0);
    cr_assert(fake_give_state(&fake));
    cr_assert_eq(heard[TP_SESSION_RETRACTED], heard[TP_SESSION_PREDICTED]);
    for (int k = 0; k < 8; k++) {
        fake_confirm(&fake);
    }
    tp_client_settle(fake.room, NULL, NULL);
    cr_assert_gt(heard[TP_SESSION_CONFIRMED], 0);
    fake_close(&fake);
}

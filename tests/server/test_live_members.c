// test_live_members.c: who is in a live room: joining in its two steps, slots, coming back by token, and who does not.
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "live_stage.h"

static Stage stage;

// JOIN and the rules; READY is the caller's.
static void begin_join(Wire *wire, uint32_t slots, Message *joined, WireWorld *world)
{
    wire_ask(wire, "stage", slots, joined);
    cr_assert_eq(joined->type, MESSAGE_JOINED, "%s", message_reason_name(joined->body.refused.reason));
    wire_take_rules(wire, joined, world);
}

static void leave(Wire *wire, const Message *joined, MessageReason reason, const char *text)
{
    Message message = { .type = MESSAGE_LEAVE, .room = joined->room, .epoch = joined->epoch,
                        .body.leave = { .reason = (uint16_t)reason, .text = message_text(text) } };
    wire_send(wire, &message);
}

static void expect_left(Wire *wire, MessageReason reason, Message *left)
{
    Message message;
    left = left != NULL ? left : &message;
    do {
        cr_assert(wire_receive(wire, left), "the connection ended before LEFT");
    } while (left->type != MESSAGE_LEFT);
    cr_assert_eq(left->body.left.reason, reason, "left for %s", message_reason_name(left->body.left.reason));
}

static uint32_t ask_reason(Wire *wire, uint32_t slots, const uint8_t *token)
{
    Message answer;
    wire_ask_as(wire, "stage", slots, 0, token, &answer);
    return answer.type == MESSAGE_REFUSED ? answer.body.refused.reason : 0;
}

// Presence of all slots in the last tick's row, as members with bit 0 first.
static uint8_t last_presence(void)
{
    return stage.room.live->presence[0];
}

// Goal: slots are reserved at JOIN and in the world from the tick after READY on, not before; the world is the room's.
Test(live_members, present_from_ready_on, .timeout = 30)
{
    ServerLiveOptions options = stage_options();
    Wire              wire;
    Message           joined, message;
    WireWorld         world;
    options.when_empty = SERVER_EMPTY_RUN;
    stage_open(&stage, &options);
    cr_assert_eq(stage_tick(&stage, 5), 5);
    stage_connect(&stage, &wire);
    begin_join(&wire, 2, &joined, &world);
    cr_assert_eq(joined.body.joined.slot_count, 2);
    cr_assert_eq(joined.body.joined.ahead, SERVER_INPUT_AHEAD);
    cr_assert_eq(joined.body.joined.report, SERVER_REPORT_TICKS);
    cr_assert_eq(atomic_load(&stage.room.listing.taken), 2, "nobody else gets them");
    cr_assert_eq(stage_tick(&stage, 5), 5);
    cr_assert_eq(last_presence(), 0);
    stage_expect_silence(&stage, &wire);
    wire_ready(&wire, &joined, wire_rules_id(&world));
    wire_take_state(&wire, &joined, &world);
    cr_assert_eq(world.state.tick, 10);
    tp_sim *sim = live_fixture_make_sim(&world);
    stage_tick(&stage, 1);
    cr_assert_eq(last_presence(), 3);
    stage_expect(&wire, MESSAGE_CONFIRMED, &message);
    cr_assert_eq(message.tick, 10);
    cr_assert_eq(message.body.confirmed.bytes[0], 3);
    wire_ready(&wire, &joined, wire_rules_id(&world));
    stage_expect_silence(&stage, &wire); // a second READY is nothing
    tp_sim_destroy(sim);
    wire_drop(&world);
    wire_close(&wire);
    stage_close(&stage);
}

// Goal: a paused room begins with the one that it waits for, at tick 0, and the state comes although there are no ticks yet.
Test(live_members, the_first_tick_has_who_was_ready, .timeout = 30)
{
    ServerLiveOptions options = stage_options();
    Wire              one, two;
    Message           joined, other, message;
    WireWorld         world;
    options.start_players = 2;
    stage_open(&stage, &options);
    stage_connect(&stage, &one);
    wire_join(&one, "stage", 1, &joined);
    cr_assert_eq(joined.tick, 0);
    cr_assert_eq(stage_tick(&stage, 3), 0);
    stage_connect(&stage, &two);
    begin_join(&two, 1, &other, &world);
    cr_assert_eq(stage_tick(&stage, 3), 0, "two slots are taken, but only one is present");
    wire_ready(&two, &other, wire_rules_id(&world));
    wire_take_state(&two, &other, &world);
    cr_assert_eq(world.state.tick, 0);
    cr_assert_eq(stage_tick(&stage, 3), 3);
    stage_expect(&one, MESSAGE_CONFIRMED, &message);
    cr_assert_eq(message.tick, 0);
    cr_assert_eq(message.body.confirmed.bytes[0], 3);
    wire_drop(&world);
    wire_close(&one);
    wire_close(&two);
    stage_close(&stage);
}

// Goal: another world than the room's does not come in; LEAVE (incompatible) is heard as well.
Test(live_members, incompatible_is_out, .timeout = 30)
{
    ServerLiveOptions options = stage_options();
    Wire              wire;
    Message           joined, left;
    WireWorld         world;
    stage_open(&stage, &options);
    stage_connect(&stage, &wire);
    begin_join(&wire, 4, &joined, &world);
    tp_hash128 id = wire_rules_id(&world);
    id.lo ^= 1;
    wire_ready(&wire, &joined, id);
    expect_left(&wire, MESSAGE_REASON_INCOMPATIBLE, &left);
    cr_assert_gt(left.body.left.text.size, 0, "it says what differs");
    cr_assert_eq(atomic_load(&stage.room.listing.taken), 0);
    cr_assert_eq(stage.room.result.live.leaves, 1);
    wire_drop(&world);
    begin_join(&wire, 4, &joined, &world); // at once: the world never saw the slots
    leave(&wire, &joined, MESSAGE_REASON_INCOMPATIBLE, "no world of this name");
    expect_left(&wire, MESSAGE_REASON_INCOMPATIBLE, NULL);
    cr_assert_eq(stage.events.counts[SERVER_EVENT_ROOM_LEAVE], 8);
    cr_assert_not_null(strstr(stage.events.last[SERVER_EVENT_ROOM_LEAVE].text, "no world of this name"), "the server's people hear it: %s",
                       stage.events.last[SERVER_EVENT_ROOM_LEAVE].text);
    wire_drop(&world);
    wire_close(&wire);
    stage_close(&stage);
}

// Goal: who does not answer JOINED in time is out, and not before.
Test(live_members, ready_is_due, .timeout = 30)
{
    ServerLiveOptions options = stage_options();
    Wire              wire;
    Message           joined, left;
    WireWorld         world;
    stage_open(&stage, &options);
    stage_connect(&stage, &wire);
    begin_join(&wire, 4, &joined, &world);
    stage_look(&stage, SERVER_READY_MS - 1);
    stage_expect_silence(&stage, &wire);
    cr_assert_eq(stage.room.live->member_count, 1);
    stage_look(&stage, 1);
    expect_left(&wire, MESSAGE_REASON_SILENT, &left);
    cr_assert_eq(stage.room.live->member_count, 0);
    cr_assert_eq(atomic_load(&stage.room.listing.taken), 0);
    wire_drop(&world);
    wire_join(&wire, "stage", 4, &joined); // who is in is not looked for
    stage_look(&stage, 2 * SERVER_READY_MS);
    stage_expect_silence(&stage, &wire);
    cr_assert_eq(stage.room.live->member_count, 1);
    wire_close(&wire);
    stage_close(&stage);
}

// Goal: a lost connection's slots stay in the world; its token takes exactly them, once, and has a successor.
Test(live_members, coming_back_by_token, .timeout = 30)
{
    ServerLiveOptions options = stage_options();
    Wire              first, second, third;
    Message           joined, back, message;
    WireWorld         world;
    options.record_dir = "";
    stage_open(&stage, &options);
    stage_connect(&stage, &first);
    wire_join(&first, "stage", 1, &joined); // slot 0
    stage_connect(&stage, &second);
    wire_join(&second, "stage", 2, &joined); // slots 1 and 2
    cr_assert_eq(joined.body.joined.slots[0], 1);
    cr_assert_eq(stage_tick(&stage, 10), 10);
    wire_close(&second);
    stage_turn(&stage);
    stage_turn(&stage);
    cr_assert_eq(stage.room.result.live.aways, 1);
    cr_assert_eq(stage.room.result.live.leaves, 0);
    cr_assert_eq(stage.events.counts[SERVER_EVENT_ROOM_AWAY], 2, "one for each slot");
    cr_assert_eq(stage_tick(&stage, 10), 10);
    cr_assert_eq(last_presence(), 7, "they are in the world as before");
    cr_assert_eq(atomic_load(&stage.room.listing.taken), 3);
    stage_connect(&stage, &third);
    cr_assert_eq(ask_reason(&third, 2, NULL), MESSAGE_REASON_FULL, "one slot is free");
    uint8_t stranger[MESSAGE_TOKEN_SIZE];
    memcpy(stranger, joined.body.joined.token, sizeof(stranger));
    stranger[15] ^= 0x80;
    cr_assert_eq(ask_reason(&third, 2, stranger), MESSAGE_REASON_TOKEN);
    cr_assert_eq(ask_reason(&third, 1, joined.body.joined.token), MESSAGE_REASON_TOKEN, "it is for two");
    wire_ask_as(&third, "stage", 0, 0, joined.body.joined.token, &back);
    cr_assert_eq(back.type, MESSAGE_JOINED);
    cr_assert_eq(back.body.joined.slot_count, 2);
    cr_assert_eq(back.body.joined.slots[0], 1);
    cr_assert_eq(back.body.joined.slots[1], 2);
    cr_assert_eq(memcmp(back.body.joined.token, joined.body.joined.token, MESSAGE_TOKEN_SIZE), 0, "good until the membership ends");
    wire_take_rules(&third, &back, &world);
    cr_assert_eq(stage_tick(&stage, 3), 3);
    cr_assert_eq(last_presence(), 7, "present before READY, too: to the world they were never away");
    wire_ready(&third, &back, wire_rules_id(&world));
    wire_take_state(&third, &back, &world);
    stage_tick(&stage, 1);
    stage_expect(&third, MESSAGE_CONFIRMED, &message);
    cr_assert_eq(message.tick, world.state.tick);
    cr_assert_eq(stage.room.result.live.rejoins, 1);
    cr_assert_eq(stage.events.counts[SERVER_EVENT_ROOM_REJOIN], 2);
    cr_assert_eq(ask_reason(&third, 0, back.body.joined.token), MESSAGE_REASON_IN_IT);
    wire_drop(&world);
    wire_close(&first);
    wire_close(&second);
    wire_close(&third);
    stage_end(&stage);
    tp_report report = fixture_verify(stage.room.result.log_path);
    cr_assert_eq(report.verdict, TP_VERIFIED, "%s", report.message);
    cr_assert_eq(live_fixture_count_absent(stage.room.result.log_path), 0);
    stage_close(&stage);
}

// Goal: a connection that hangs is no hindrance: its token, on another one, takes the slots from it.
Test(live_members, the_token_takes_from_who_hangs, .timeout = 30)
{
    ServerLiveOptions options = stage_options();
    Wire              hanging, fresh;
    Message           joined, back, left;
    WireWorld         world;
    uint8_t           input[2] = { 5, 1 };
    stage_open(&stage, &options);
    stage_connect(&stage, &hanging);
    wire_join(&hanging, "stage", 2, &joined);
    stage_tick(&stage, 5);
    stage_connect(&stage, &fresh);
    wire_ask_as(&fresh, "stage", 2, 0, joined.body.joined.token, &back);
    cr_assert_eq(back.type, MESSAGE_JOINED);
    cr_assert_eq(back.body.joined.slots[0], 0);
    cr_assert_eq(back.body.joined.slots[1], 1);
    expect_left(&hanging, MESSAGE_REASON_REJOINED, &left);
    cr_assert_eq(left.tick, 5, "the first that is not confirmed to it");
    cr_assert_eq(stage.room.live->member_count, 1);
    cr_assert_eq(atomic_load(&stage.room.listing.taken), 2);
    wire_input(&hanging, &joined, 0, stage_next(&stage), input, 2);
    cr_assert_eq(stage_tick(&stage, 2), 2);
    cr_assert_eq(last_presence(), 3, "in between, too");
    wire_input(&hanging, &joined, 0, stage_next(&stage), input, 2);
    wire_take_rules(&fresh, &back, &world);
    wire_ready(&fresh, &back, wire_rules_id(&world));
    wire_take_state(&fresh, &back, &world);
    stage_tick(&stage, 1);
    cr_assert_eq(last_presence(), 3);
    cr_assert_eq(stage.room.result.live.inputs, 0, "what the old connection says is nobody's");
    wire_close(&hanging);
    stage_tick(&stage, 3);
    cr_assert_eq(last_presence(), 3, "and its end is nobody's leave");
    cr_assert_eq(stage.room.result.live.aways + stage.room.result.live.leaves, 0);
    wire_drop(&world);
    wire_close(&fresh);
    stage_close(&stage);
}

// Goal: a seat has an end: until then taken and present, then free, and absent for a tick; its token is known no longer.
Test(live_members, a_seat_has_an_end, .timeout = 30)
{
    ServerLiveOptions options = stage_options();
    Wire              wire, other, third;
    Message           joined, answer;
    options.rejoin_seconds = 2;
    stage_open(&stage, &options);
    stage_connect(&stage, &other);
    wire_join(&other, "stage", 1, &answer);
    stage_connect(&stage, &wire);
    wire_join(&wire, "stage", 3, &joined);
    stage_tick(&stage, 2);
    wire_close(&wire);
    stage_turn(&stage);
    stage_turn(&stage);
    stage_connect(&stage, &third);
    stage_look(&stage, 1999);
    cr_assert_eq(ask_reason(&third, 1, NULL), MESSAGE_REASON_FULL);
    stage_look(&stage, 1);
    cr_assert_eq(ask_reason(&third, 0, joined.body.joined.token), MESSAGE_REASON_TOKEN, "too late");
    wire_join(&third, "stage", 3, &answer);
    cr_assert_eq(answer.type, MESSAGE_JOINED, "free at once, also in a room that stands still");
    stage_tick(&stage, 1);
    cr_assert_eq(last_presence(), 1, "the world sees them leave");
    stage_tick(&stage, 1);
    cr_assert_eq(last_presence(), 15, "before it sees who has their slots now");
    cr_assert_eq(stage.room.result.live.leaves, 1);
    wire_close(&other);
    wire_close(&third);
    stage_close(&stage);
}

// Goal: who leaves by his own word, or where nothing is kept, does not come back by token, and his slots are free after a tick.
Test(live_members, who_left_has_no_seat, .timeout = 30)
{
    for (int round = 0; round < 2; round++) {
        ServerLiveOptions options = stage_options();
        Wire              wire, other;
        Message           joined, answer;
        options.when_empty = SERVER_EMPTY_RUN;
        options.rejoin_seconds = round == 0 ? 0 : UINT32_MAX; // the usual seconds; none
        stage_open(&stage, &options);
        stage_connect(&stage, &wire);
        wire_join(&wire, "stage", 4, &joined);
        stage_tick(&stage, 2);
        if (round == 0) {
            leave(&wire, &joined, MESSAGE_REASON_ASKED, "");
            expect_left(&wire, MESSAGE_REASON_ASKED, &answer);
            cr_assert_eq(answer.tick, 2);
        }
        wire_close(&wire);
        stage_turn(&stage);
        stage_turn(&stage);
        cr_assert_eq(stage.room.result.live.leaves, 1);
        cr_assert_eq(stage.room.result.live.aways, 0);
        stage_connect(&stage, &other);
        cr_assert_eq(ask_reason(&other, 0, joined.body.joined.token), MESSAGE_REASON_TOKEN);
        stage_tick(&stage, 1);
        wire_join(&other, "stage", 4, &answer);
        cr_assert_eq(answer.type, MESSAGE_JOINED);
        wire_close(&other);
        stage_close(&stage);
    }
}

// Goal: a room in which everybody is away goes on for them, and pauses once nobody came back.
Test(live_members, a_room_waits_for_who_is_away, .timeout = 30)
{
    ServerLiveOptions options = stage_options();
    Wire              wire;
    Message           joined;
    stage_open(&stage, &options);
    stage_connect(&stage, &wire);
    wire_join(&wire, "stage", 2, &joined);
    cr_assert_eq(stage_tick(&stage, 5), 5);
    wire_close(&wire);
    cr_assert_eq(stage_tick(&stage, 5), 5);
    cr_assert_eq(last_presence(), 3);
    stage_look(&stage, SERVER_REJOIN_SECONDS * 1000);
    cr_assert_eq(stage_tick(&stage, 5), 1, "one more without anybody, then it pauses");
    cr_assert_eq(last_presence(), 0);
    cr_assert_eq(stage.events.counts[SERVER_EVENT_ROOM_PAUSED], 1);
    stage_connect(&stage, &wire);
    wire_join(&wire, "stage", 1, &joined);
    cr_assert_eq(stage_tick(&stage, 5), 5);
    wire_close(&wire);
    stage_close(&stage);
}

// Goal: a watcher has no token, is nobody's slot, and neither keeps a room awake nor is waited for.
Test(live_members, watchers_are_nobody, .timeout = 30)
{
    static const uint8_t none[MESSAGE_TOKEN_SIZE];
    ServerLiveOptions    options = stage_options();
    Wire                 wire;
    Message              joined;
    stage_open(&stage, &options);
    stage_connect(&stage, &wire);
    wire_join(&wire, "stage", 0, &joined);
    cr_assert_eq(joined.type, MESSAGE_JOINED);
    cr_assert_arr_eq(joined.body.joined.token, none, MESSAGE_TOKEN_SIZE);
    cr_assert_eq(stage_tick(&stage, 5), 0);
    wire_close(&wire);
    stage_turn(&stage);
    stage_turn(&stage);
    cr_assert_eq(stage.room.live->member_count, 0);
    cr_assert_eq(stage.room.live->watcher_count, 0);
    cr_assert_eq(stage.room.result.live.aways, 0);
    stage_close(&stage);
}

// A room with two who play, one of them away, one who left, and its log as a kill would leave it. The tokens are of slot 0, and of 1 and 2.
static void make_log(char path[300], Message joined[2])
{
    ServerLiveOptions options = stage_options();
    Wire              wires[3];
    Message           left;
    options.record_dir = "";
    options.durability = TP_DURABLE_INTERVAL;
    stage_open(&stage, &options);
    for (int i = 0; i < 3; i++) {
        stage_connect(&stage, &wires[i]);
    }
    wire_join(&wires[0], "stage", 1, &joined[0]);
    wire_join(&wires[1], "stage", 2, &joined[1]);
    wire_join(&wires[2], "stage", 1, &left);
    stage_tick(&stage, 20);
    leave(&wires[2], &left, MESSAGE_REASON_ASKED, "");
    wire_close(&wires[1]);
    stage_tick(&stage, 30);
    snprintf(path, 300, "%s-left.tpr", stage.fixture.path);
    stage_copy_log(&stage, path);
    stage_tick(&stage, 10); // what is lost
    for (int i = 0; i < 3; i++) {
        wire_close(&wires[i]);
    }
    stage_close(&stage);
}

// Goal: a server that is started again after it was killed takes the room up under the next epoch and waits for who was in it; they come back
// by token to their slots, a stranger gets what was free, and the log goes on as one.
Test(live_members, taken_up_after_a_kill, .timeout = 30)
{
    ServerLiveOptions options = stage_options();
    char              path[300];
    Message           joined[2], back, message;
    Wire              stranger, one, two;
    WireWorld         world;
    make_log(path, joined);
    options.record_dir = "";
    stage_open_after(&stage, &options, path);
    unlink(path);
    cr_assert_eq(stage.events.counts[SERVER_EVENT_ROOM_RECOVERED], 1, "%s", stage.events.last[SERVER_EVENT_ROOM_RECOVERED].text);
    cr_assert_eq(stage_next(&stage), 50);
    cr_assert_eq(stage_tick(&stage, 10), 0, "nobody has come back yet");
    cr_assert_eq(atomic_load(&stage.room.listing.taken), 3);
    stage_connect(&stage, &one);
    wire_ask_as(&one, "stage", 1, 0, joined[0].body.joined.token, &back);
    cr_assert_eq(back.type, MESSAGE_JOINED);
    cr_assert_gt(back.epoch, joined[0].epoch);
    cr_assert_eq(back.body.joined.slots[0], 0);
    wire_take_rules(&one, &back, &world);
    wire_ready(&one, &back, wire_rules_id(&world));
    wire_take_state(&one, &back, &world);
    cr_assert_eq(world.state.tick, 50);
    cr_assert_eq(stage_tick(&stage, 10), 10);
    stage_expect(&one, MESSAGE_CONFIRMED, &message);
    cr_assert_eq(message.tick, 50);
    cr_assert_eq(message.body.confirmed.bytes[0], 7, "who is away is in the world");
    wire_drop(&world);
    stage_connect(&stage, &stranger);
    wire_join(&stranger, "stage", 1, &message);
    cr_assert_eq(message.body.joined.slots[0], 3);
    stage_connect(&stage, &two);
    wire_ask_as(&two, "stage", 0, 0, joined[1].body.joined.token, &back);
    cr_assert_eq(back.type, MESSAGE_JOINED);
    cr_assert_eq(back.body.joined.slot_count, 2);
    cr_assert_eq(back.body.joined.slots[0], 1);
    stage_tick(&stage, 10);
    wire_close(&stranger);
    wire_close(&one);
    wire_close(&two);
    stage_end(&stage);
    tp_report report = fixture_verify(stage.room.result.log_path);
    cr_assert_eq(report.verdict, TP_VERIFIED, "%s", report.message);
    cr_assert_eq(report.checked, 70);
    stage_close(&stage);
}

// Goal: nobody comes back: the room gives them up after their time, and is there for others.
Test(live_members, taken_up_and_nobody_comes, .timeout = 30)
{
    ServerLiveOptions options = stage_options();
    char              path[300];
    Message           joined[2], message;
    Wire              wire;
    make_log(path, joined);
    options.record_dir = "";
    stage_open_after(&stage, &options, path);
    unlink(path);
    stage_connect(&stage, &wire);
    cr_assert_eq(ask_reason(&wire, 4, NULL), MESSAGE_REASON_FULL);
    stage_look(&stage, SERVER_REJOIN_SECONDS * 1000 - 1);
    cr_assert_eq(stage_tick(&stage, 10), 0);
    stage_look(&stage, 1);
    cr_assert_eq(ask_reason(&wire, 0, joined[0].body.joined.token), MESSAGE_REASON_TOKEN);
    cr_assert_eq(stage_tick(&stage, 10), 1, "the world sees them leave, then the room pauses");
    wire_join(&wire, "stage", 4, &message);
    cr_assert_eq(message.type, MESSAGE_JOINED);
    cr_assert_eq(stage_tick(&stage, 10), 10);
    wire_close(&wire);
    stage_close(&stage);
}

// test_live_admin.c: what is said in a room and what administrators do with it, down to the log.
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "bytes.h"
#include "live_stage.h"

static Stage stage;

static void chat(Wire *wire, const Message *joined, const char *text)
{
    Message message = { .type = MESSAGE_CHAT, .room = joined->room, .epoch = joined->epoch, .body.chat = { .text = message_text(text) } };
    wire_send(wire, &message);
}

static void expect_said(Wire *wire, uint8_t slot, const char *text)
{
    Message message;
    stage_expect(wire, MESSAGE_SAID, &message);
    cr_assert_eq(message.body.said.slot, slot);
    cr_assert_eq(message.body.said.text.size, strlen(text), "%.*s", message.body.said.text.size, message.body.said.text.text);
    cr_assert_eq(memcmp(message.body.said.text.text, text, strlen(text)), 0, "%.*s", message.body.said.text.size, message.body.said.text.text);
}

static uint32_t count_said(Wire *wire)
{
    Message  message;
    uint32_t count = 0;
    stage_ping(wire);
    while (stage_until_pong(wire, &message)) {
        count += message.type == MESSAGE_SAID ? 1 : 0;
    }
    return count;
}

static void open_with(ServerLiveOptions options, Wire *wire, uint32_t slots, Message *joined)
{
    options.record_dir = "";
    stage_open(&stage, &options);
    stage_connect(&stage, wire);
    wire_join(wire, "stage", slots, joined);
}

// Ends the room: its log verifies.
static const char *verified_log(void)
{
    stage_end(&stage);
    tp_report report = fixture_verify(stage.room.result.log_path);
    cr_assert_eq(report.verdict, TP_VERIFIED, "%s", report.message);
    cr_assert_eq(report.checked, stage.room.result.ticks);
    return stage.room.result.log_path;
}

// Goal: a line goes to everybody who is in the room, to who said it as well, with his slot, as one line; and into the log.
Test(live_admin, chat_is_said_to_all, .timeout = 30)
{
    Wire      player, watcher, waiting;
    Message   joined, watched, reserved;
    WireWorld world;
    open_with(stage_options(), &player, 2, &joined);
    stage_connect(&stage, &watcher);
    wire_join(&watcher, "stage", 0, &watched);
    stage_connect(&stage, &waiting);
    wire_ask(&waiting, "stage", 1, &reserved);
    wire_take_rules(&waiting, &reserved, &world);
    chat(&player, &joined, "hello\r\nroom\x1b[2J \xC2\x85 \xC3\xA9 \xFF\xC3 \xED\xA0\x80");
    expect_said(&player, 0, "hello??room?[2J ? \xC3\xA9 ?? ???");
    expect_said(&watcher, 0, "hello??room?[2J ? \xC3\xA9 ?? ???");
    chat(&watcher, &watched, "I see");
    expect_said(&player, MESSAGE_SLOT_NOBODY, "I see");
    expect_said(&watcher, MESSAGE_SLOT_NOBODY, "I see");
    chat(&waiting, &reserved, "not yet");
    cr_assert_eq(count_said(&player), 0);
    cr_assert_eq(count_said(&waiting), 0, "who is not ready is not in");
    Message other = joined;
    other.epoch += 1;
    chat(&player, &other, "from another life");
    cr_assert_eq(count_said(&player), 0);
    cr_assert_eq(stage.room.result.live.chats, 2);
    cr_assert_str_eq(stage.events.last[SERVER_EVENT_ROOM_CHAT].text, "I see");
    stage_tick(&stage, 3);
    wire_drop(&world);
    wire_close(&player);
    wire_close(&watcher);
    wire_close(&waiting);
    const char *log = verified_log();
    cr_assert(live_fixture_has_note(log, "slot 0: hello??room?[2J ? \xC3\xA9 ?? ???"));
    cr_assert(live_fixture_has_note(log, "watcher: I see"));
    cr_assert_not(live_fixture_has_note(log, "not yet"));
    stage_close(&stage);
}

// Goal: so many lines at once, then one after another at the same rate; the others are dropped.
Test(live_admin, chat_has_a_rate, .timeout = 30)
{
    Wire    wire;
    Message joined;
    open_with(stage_options(), &wire, 1, &joined);
    for (int i = 0; i < 10; i++) {
        chat(&wire, &joined, "again");
    }
    cr_assert_eq(count_said(&wire), SERVER_CHATS_PER_SECOND);
    stage.now_ns += 249999999;
    chat(&wire, &joined, "too soon");
    cr_assert_eq(count_said(&wire), 0);
    stage.now_ns += 1;
    chat(&wire, &joined, "now");
    chat(&wire, &joined, "and not twice");
    cr_assert_eq(count_said(&wire), 1);
    stage.now_ns += INT64_C(3600000000000);
    for (int i = 0; i < 10; i++) {
        chat(&wire, &joined, "after an hour");
    }
    cr_assert_eq(count_said(&wire), SERVER_CHATS_PER_SECOND, "silence saves up no more than a second");
    wire_close(&wire);
    stage_close(&stage);
}

// Goal: kick puts out who has the slot, or who is awaited there; the world sees it, and there is no way back by token.
Test(live_admin, kick, .timeout = 30)
{
    Wire    player, admin, back;
    Message joined, message;
    open_with(stage_options(), &player, 2, &joined);
    stage_tick(&stage, 4);
    stage_connect(&stage, &admin);
    cr_assert_not(stage_admin(&stage, &admin, MESSAGE_VERB_KICK, 2, 0, NULL, 0, &message), "nobody is there");
    cr_assert_not(stage_admin(&stage, &admin, MESSAGE_VERB_KICK, 100, 0, NULL, 0, &message), "no such slot");
    cr_assert(stage_admin(&stage, &admin, MESSAGE_VERB_KICK, 1, 0, NULL, 0, &message));
    cr_assert_eq(message.epoch, joined.epoch);
    cr_assert_eq(message.tick, 4);
    do {
        cr_assert(wire_receive(&player, &message));
    } while (message.type != MESSAGE_LEFT);
    cr_assert_eq(message.body.left.reason, MESSAGE_REASON_KICKED);
    cr_assert_eq(atomic_load(&stage.room.listing.taken), 0, "both slots");
    wire_ask_as(&player, "stage", 0, 0, joined.body.joined.token, &message);
    cr_assert_eq(message.type, MESSAGE_REFUSED);
    cr_assert_eq(message.body.refused.reason, MESSAGE_REASON_TOKEN);
    stage_tick(&stage, 1);
    cr_assert_eq(stage.room.live->presence[0], 0);
    stage_connect(&stage, &back);
    wire_join(&back, "stage", 3, &joined);
    cr_assert_eq(joined.type, MESSAGE_JOINED);
    stage_tick(&stage, 1);
    wire_close(&back);
    stage_turn(&stage);
    stage_turn(&stage);
    cr_assert_eq(stage.room.result.live.aways, 1);
    cr_assert(stage_admin(&stage, &admin, MESSAGE_VERB_KICK, 2, 0, NULL, 0, NULL), "who is awaited");
    cr_assert_eq(atomic_load(&stage.room.listing.taken), 0);
    wire_ask_as(&player, "stage", 0, 0, joined.body.joined.token, &message);
    cr_assert_eq(message.body.refused.reason, MESSAGE_REASON_TOKEN);
    stage_tick(&stage, 2);
    wire_close(&player);
    wire_close(&admin);
    const char *log = verified_log();
    cr_assert(live_fixture_has_note(log, "administrator: slot 1 was put out"));
    stage_close(&stage);
}

// Goal: a paused room does no tick, takes joins, and says so; step does exactly so many; resume goes on where it was.
Test(live_admin, pause_step_resume, .timeout = 30)
{
    Wire    wire, other;
    Message joined, message;
    open_with(stage_options(), &wire, 1, &joined);
    cr_assert_not(stage_admin(&stage, &wire, MESSAGE_VERB_RESUME, 0, 0, NULL, 0, NULL), "it is not paused");
    cr_assert_not(stage_admin(&stage, &wire, MESSAGE_VERB_STEP, 0, 1, NULL, 0, NULL), "only a paused room steps");
    cr_assert_eq(stage_tick(&stage, 10), 10);
    cr_assert(stage_admin(&stage, &wire, MESSAGE_VERB_PAUSE, 0, 0, NULL, 0, NULL));
    cr_assert_not(stage_admin(&stage, &wire, MESSAGE_VERB_PAUSE, 0, 0, NULL, 0, NULL), "twice");
    cr_assert_eq(stage_tick(&stage, 10), 0);
    stage_look(&stage, 60000);
    cr_assert_eq(stage_tick(&stage, 10), 0, "time does not wake it");
    stage_connect(&stage, &other);
    wire_join(&other, "stage", 1, &message);
    stage_look(&stage, 250); // the state has come although there are no ticks, and so do those that were
    for (uint64_t tick = message.tick; tick < 10; tick++) {
        Message row;
        stage_expect(&other, MESSAGE_CONFIRMED, &row);
        cr_assert_eq(row.tick, tick);
    }
    cr_assert_eq(stage_tick(&stage, 10), 0, "and somebody new does not wake it either");
    uint32_t total = 10;
    static const uint64_t steps[] = { 1, 7, 300, 2 };
    for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++) {
        cr_assert(stage_admin(&stage, &wire, MESSAGE_VERB_STEP, 0, steps[i], NULL, 0, NULL));
        cr_assert_eq(stage_tick(&stage, 1000), steps[i]);
        total += (uint32_t)steps[i];
        cr_assert_eq(stage_next(&stage), total);
    }
    // Steps are added up, to a most; a pause throws away what is left.
    cr_assert(stage_admin(&stage, &wire, MESSAGE_VERB_STEP, 0, SERVER_STEP_MAX, NULL, 0, NULL));
    cr_assert(stage_admin(&stage, &wire, MESSAGE_VERB_STEP, 0, 5, NULL, 0, NULL));
    cr_assert_eq(stage_tick(&stage, 20), 20);
    cr_assert_eq(stage.room.live->steps, SERVER_STEP_MAX - 20);
    cr_assert(stage_admin(&stage, &wire, MESSAGE_VERB_PAUSE, 0, 0, NULL, 0, NULL));
    cr_assert_eq(stage_tick(&stage, 10), 0);
    cr_assert(stage_admin(&stage, &wire, MESSAGE_VERB_RESUME, 0, 0, NULL, 0, NULL));
    cr_assert_eq(stage_tick(&stage, 10), 10);
    cr_assert_eq(stage.room.result.dropped_ticks, 0, "a pause is not a hitch");
    wire_close(&wire);
    wire_close(&other);
    verified_log();
    stage_close(&stage);
}

// Goal: pausing and stepping are told as PACE, in order.
Test(live_admin, pace_follows, .timeout = 30)
{
    Wire     admin, wire;
    Message  joined, message;
    uint32_t paces[16];
    uint32_t count = 0;
    open_with(stage_options(), &wire, 1, &joined);
    stage_connect(&stage, &admin);
    stage_admin(&stage, &admin, MESSAGE_VERB_PAUSE, 0, 0, NULL, 0, NULL);
    stage_admin(&stage, &admin, MESSAGE_VERB_STEP, 0, 3, NULL, 0, NULL);
    stage_tick(&stage, 10);
    stage_admin(&stage, &admin, MESSAGE_VERB_SPEED, 0, 2500, NULL, 0, NULL);
    stage_admin(&stage, &admin, MESSAGE_VERB_RESUME, 0, 0, NULL, 0, NULL);
    stage_ping(&wire);
    while (stage_until_pong(&wire, &message)) {
        if (message.type == MESSAGE_PACE && count < 16) {
            paces[count++] = message.body.pace.rate_mhz * 10 + message.body.pace.is_paused;
        }
    }
    static const uint32_t expected[] = { 1000001, 1000000, 1000001, 2500001, 2500000 };
    cr_assert_eq(count, 5, "%u", count);
    cr_assert_arr_eq(paces, expected, sizeof(expected));
    wire_close(&wire);
    wire_close(&admin);
    stage_close(&stage);
}

// Goal: at another speed the clock runs at it, at once, and members may send as much more.
Test(live_admin, speed, .timeout = 30)
{
    Wire    wire;
    Message joined;
    uint8_t input[2] = { 1, 1 };
    open_with(stage_options(), &wire, 1, &joined);
    stage_tick(&stage, 10);
    static const struct {
        uint64_t speed;
        int64_t  period_ns;
    } cases[] = { { 10000, 1000000 }, { 1000, 10000000 }, { 500, 20000000 }, { 1, 1000000000 }, { MESSAGE_SPEED_MAX, 10000 } };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        cr_assert(stage_admin(&stage, &wire, MESSAGE_VERB_SPEED, 0, cases[i].speed, NULL, 0, NULL));
        int64_t start_ns = stage.now_ns;
        cr_assert_eq(stage_tick(&stage, 50), 50);
        cr_assert_eq(stage.now_ns - start_ns, 50 * cases[i].period_ns, "speed %u", (unsigned)cases[i].speed);
    }
    cr_assert_eq(stage.room.result.dropped_ticks, 0);
    // Ten times as fast: two seconds of inputs at once, 2,000 of them, are no flood; without that it would be 400.
    cr_assert(stage_admin(&stage, &wire, MESSAGE_VERB_SPEED, 0, 10000, NULL, 0, NULL));
    for (int i = 0; i < 2000; i++) {
        wire_input(&wire, &joined, 0, stage_next(&stage) + 1, input, 2);
        if (i % 100 == 0) {
            stage_turn(&stage);
        }
    }
    stage_expect_rows(&wire);
    cr_assert_eq(stage.room.live->member_count, 1);
    wire_close(&wire);
    verified_log();
    stage_close(&stage);
}

// Goal: a note is in the log, all of it, as one line, and nobody else hears of it.
Test(live_admin, note, .timeout = 30)
{
    Wire    wire;
    Message joined;
    char    note[MESSAGE_COMMAND_MAX];
    char    line[MESSAGE_COMMAND_MAX + 32];
    open_with(stage_options(), &wire, 1, &joined);
    stage_tick(&stage, 2);
    memset(note, 'n', sizeof(note));
    note[500] = '\n';
    cr_assert(stage_admin(&stage, &wire, MESSAGE_VERB_NOTE, 0, 0, note, sizeof(note), NULL));
    stage_tick(&stage, 1);
    cr_assert_eq(count_said(&wire), 0);
    wire_close(&wire);
    note[500] = '?';
    snprintf(line, sizeof(line), "administrator: %.*s", (int)sizeof(note), note);
    cr_assert(live_fixture_has_note(verified_log(), line));
    stage_close(&stage);
}

static void kick_bytes(uint8_t bytes[8], uint32_t slot, uint32_t power)
{
    bytes_put_u32(bytes, slot);
    bytes_put_u32(bytes + 4, power);
}

// Goal: a world's command is in the next row, works, and is replayed; those that the world would refuse are refused before, with why.
Test(live_admin, command, .timeout = 30)
{
    Wire    wire;
    Message joined, message;
    uint8_t bytes[64] = { 0 };
    open_with(stage_options(), &wire, 1, &joined);
    stage_tick(&stage, 5);
    kick_bytes(bytes, 0, 65536);
    cr_assert(stage_admin(&stage, &wire, MESSAGE_VERB_COMMAND, 0, TESTWORLD_COMMAND_KICK, bytes, 8, NULL));
    cr_assert(stage_admin(&stage, &wire, MESSAGE_VERB_COMMAND, 0, TESTWORLD_COMMAND_TEXT, "abc", 3, NULL));
    cr_assert(stage_admin(&stage, &wire, MESSAGE_VERB_COMMAND, 0, TESTWORLD_COMMAND_TEXT, NULL, 0, NULL), "a text may be empty");
    stage_tick(&stage, 1);
    const TestGame *game = (const TestGame *)((const uint8_t *)tp_sim_state(stage.room.sim) + tp_sim_layout(stage.room.sim)->section_offset[TESTWORLD_GAME]);
    cr_assert_eq(game->kicks, 1 + 3 + 0, "in their order, at once");
    stage_tick(&stage, 5);
    cr_assert_eq(game->kicks, 4, "once");
    kick_bytes(bytes, 0, 65537);
    cr_assert_not(stage_admin(&stage, &wire, MESSAGE_VERB_COMMAND, 0, TESTWORLD_COMMAND_KICK, bytes, 8, &message), "out of its range");
    cr_assert_gt(message.body.admined.text.size, 0);
    kick_bytes(bytes, 128, 1);
    cr_assert_not(stage_admin(&stage, &wire, MESSAGE_VERB_COMMAND, 0, TESTWORLD_COMMAND_KICK, bytes, 8, NULL));
    kick_bytes(bytes, 0, 1);
    cr_assert_not(stage_admin(&stage, &wire, MESSAGE_VERB_COMMAND, 0, TESTWORLD_COMMAND_KICK, bytes, 7, NULL), "too short");
    cr_assert_not(stage_admin(&stage, &wire, MESSAGE_VERB_COMMAND, 0, TESTWORLD_COMMAND_KICK, bytes, 9, NULL), "too long");
    cr_assert_not(stage_admin(&stage, &wire, MESSAGE_VERB_COMMAND, 0, TESTWORLD_COMMAND_KICK, NULL, 0, NULL));
    cr_assert_not(stage_admin(&stage, &wire, MESSAGE_VERB_COMMAND, 0, TESTWORLD_COMMAND_TEXT, (uint8_t[65]){ 0 }, 65, NULL), "more than it takes");
    cr_assert_not(stage_admin(&stage, &wire, MESSAGE_VERB_COMMAND, 0, TESTWORLD_COMMAND_FAULT, bytes, 1, NULL), "it has none");
    cr_assert_not(stage_admin(&stage, &wire, MESSAGE_VERB_COMMAND, 0, 3, NULL, 0, NULL), "no such command");
    cr_assert_not(stage_admin(&stage, &wire, MESSAGE_VERB_COMMAND, 0, UINT16_MAX, NULL, 0, NULL));
    cr_assert_eq(stage.room.result.live.commands, 3);
    cr_assert_eq(stage_tick(&stage, 5), 5, "the room is well");
    // A tick takes so many and no more.
    for (int i = 0; i < SERVER_COMMANDS_WAITING; i++) {
        cr_assert(stage_admin(&stage, &wire, MESSAGE_VERB_COMMAND, 0, TESTWORLD_COMMAND_TEXT, (uint8_t[64]){ 1 }, 64, NULL));
    }
    cr_assert_not(stage_admin(&stage, &wire, MESSAGE_VERB_COMMAND, 0, TESTWORLD_COMMAND_TEXT, bytes, 1, NULL));
    stage_tick(&stage, 1);
    cr_assert_eq(game->kicks, 4 + 64 * SERVER_COMMANDS_WAITING);
    do {
        cr_assert(wire_receive(&wire, &message));
    } while (message.type != MESSAGE_CONFIRMED || message.tick != 16);
    cr_assert_eq(message.body.confirmed.parts, 2, "a row of more than a thousand bytes goes in parts");
    cr_assert(wire_receive(&wire, &message));
    cr_assert_eq(message.tick, 16);
    cr_assert_eq(message.body.confirmed.part, 1);
    wire_close(&wire);
    const char *log = verified_log();
    cr_assert(live_fixture_has_note(log, "administrator: command 'kick' for tick 5"));
    stage_close(&stage);
}

// Goal: a fault that an administrator orders is a fault as any other: it ends the room, and is in the log.
Test(live_admin, a_command_may_fault, .timeout = 30)
{
    Wire    wire;
    Message joined, message;
    open_with(stage_options(), &wire, 1, &joined);
    stage_tick(&stage, 5);
    cr_assert(stage_admin(&stage, &wire, MESSAGE_VERB_COMMAND, 0, TESTWORLD_COMMAND_FAULT, NULL, 0, NULL));
    stage_tick(&stage, 1);
    cr_assert_neq(stage.room.result.state, SERVER_ROOM_RUNNING);
    wire_wait(&wire, MESSAGE_LEFT, &message);
    cr_assert_eq(message.body.left.reason, MESSAGE_REASON_FAULTED);
    cr_assert_not(stage_admin(&stage, &wire, MESSAGE_VERB_PAUSE, 0, 0, NULL, 0, NULL), "the room is over");
    stage_end(&stage);
    cr_assert_eq(fixture_verify(stage.room.result.log_path).end_reason, TP_END_FAULT);
    wire_close(&wire);
    stage_close(&stage);
}

// Goal: end ends the log, of a running room with its next tick, of a paused one without any.
Test(live_admin, end, .timeout = 30)
{
    for (int is_paused = 0; is_paused < 2; is_paused++) {
        Wire    wire;
        Message joined, message;
        open_with(stage_options(), &wire, 1, &joined);
        stage_tick(&stage, 5);
        if (is_paused) {
            cr_assert(stage_admin(&stage, &wire, MESSAGE_VERB_PAUSE, 0, 0, NULL, 0, NULL));
        }
        cr_assert(stage_admin(&stage, &wire, MESSAGE_VERB_END, 0, 0, NULL, 0, NULL));
        cr_assert_eq(stage_tick(&stage, 5), is_paused ? 0 : 1);
        stage_look(&stage, 250);
        cr_assert_neq(stage.room.result.state, SERVER_ROOM_RUNNING);
        wire_wait(&wire, MESSAGE_LEFT, &message);
        cr_assert_eq(message.body.left.reason, MESSAGE_REASON_ENDED, "%s", message_reason_name(message.body.left.reason));
        wire_close(&wire);
        tp_report report = fixture_verify(verified_log());
        cr_assert(report.has_end);
        cr_assert_eq(report.end_reason, TP_END_STOPPED);
        cr_assert_eq(report.checked, is_paused ? 5 : 6);
        stage_close(&stage);
    }
}

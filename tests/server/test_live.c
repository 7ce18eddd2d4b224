// test_live.c: live rooms of a whole server, from joining to the log, with clients that keep to the protocol.
#include <criterion/criterion.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "live_fixture.h"

static ServerLiveOptions options_of(const LiveSetting *setting, const char *name, uint32_t players, ServerMissing missing)
{
    ServerLiveOptions options;
    server_live_options_standard(&options);
    options.name = name;
    options.world = &testworld_flat;
    options.players = players;
    options.seed = 9;
    options.tick_rate_hz = 500;
    options.missing = missing;
    options.record_dir = setting->fixture.record;
    return options;
}

static void add(LiveSetting *setting, const char *name, uint32_t players, ServerMissing missing)
{
    ServerLiveOptions options = options_of(setting, name, players, missing);
    live_fixture_add(setting, &options);
}

// Plays `ticks` confirmed ticks with two slots and holds every root against the own world's.
static void play(Wire *wire, const Message *joined, tp_sim *sim, uint32_t ticks)
{
    tp_error error;
    Message  message;
    for (uint64_t tick = joined->tick; tick < joined->tick + 40; tick++) {
        for (uint32_t i = 0; i < joined->body.joined.slot_count; i++) {
            uint8_t input[2] = { (uint8_t)(tick % 8), (uint8_t)(tick % 100) };
            wire_input(wire, joined, joined->body.joined.slots[i], tick, input, 2);
        }
    }
    for (uint32_t i = 0; i < ticks; i++) {
        wire_wait(wire, MESSAGE_CONFIRMED, &message);
        cr_assert_eq(message.tick, tp_sim_tick(sim));
        cr_assert_eq(message.body.confirmed.parts, 1);
        cr_assert_eq(tp_sim_step_bytes(sim, message.body.confirmed.bytes, message.body.confirmed.size, &error), TP_SIM_OK, "%s", error.text);
        cr_assert(tp_hash128_equal(tp_sim_root(sim), message.body.confirmed.root), "tick %u", (unsigned)message.tick);
    }
}

// Goal: a client that joins, and one that joins later, both come to the server's roots, and the log verifies.
Test(live, clients_agree_and_the_log_verifies, .timeout = 60)
{
    LiveSetting setting;
    Wire        first, second;
    Message     joined, late;
    WireWorld   world;
    live_fixture_open(&setting, 2);
    add(&setting, "duel", 4, SERVER_MISSING_REPEAT);
    live_fixture_start(&setting);
    wire_open(&first, setting.port);
    wire_hello(&first);
    wire_join_world(&first, "duel", 2, &joined, &world);
    cr_assert_eq(joined.type, MESSAGE_JOINED);
    cr_assert_eq(joined.tick, 0);
    cr_assert_eq(joined.body.joined.slot_count, 2);
    tp_sim *sim = live_fixture_make_sim(&world);
    wire_drop(&world);
    play(&first, &joined, sim, 200);
    wire_open(&second, setting.port);
    wire_hello(&second);
    wire_join_world(&second, "duel", 1, &late, &world);
    cr_assert_eq(late.type, MESSAGE_JOINED);
    cr_assert_gt(late.tick, 100);
    cr_assert_eq(late.body.joined.slots[0], 2);
    tp_sim *late_sim = live_fixture_make_sim(&world);
    wire_drop(&world);
    play(&second, &late, late_sim, 200);
    Message leave = { .type = MESSAGE_LEAVE, .room = late.room, .epoch = late.epoch, .body.leave = { .reason = MESSAGE_REASON_ASKED } };
    wire_send(&second, &leave);
    Message left;
    wire_wait(&second, MESSAGE_LEFT, &left);
    cr_assert_eq(left.body.left.reason, MESSAGE_REASON_ASKED);
    wire_close(&second);
    live_fixture_stop(&setting);
    cr_assert_eq(wire_drain(&first), MESSAGE_REASON_STOPPING);
    wire_close(&first);
    live_fixture_join(&setting);
    const ServerRoomResult *result = server_room_result(setting.server, 0);
    cr_assert_eq(result->live.joins, 2);
    cr_assert_gt(result->live.inputs, 0);
    cr_assert_eq(result->live.inputs + result->live.late, 3 * 40, "every input was stepped on or came too late");
    cr_assert_gt(result->live.neutral, 0, "after 60 repeats a slot is neutral");
    tp_report report = fixture_verify(result->log_path);
    cr_assert_eq(report.verdict, TP_VERIFIED, "%s", report.message);
    cr_assert_eq(report.checked, result->ticks);
    cr_assert_eq(report.end_reason, TP_END_STOPPED);
    tp_sim_destroy(sim);
    tp_sim_destroy(late_sim);
    live_fixture_close(&setting);
}

// Goal: what cannot be granted is refused with its reason, and the connection stays good for another wish.
Test(live, joins_that_cannot_be, .timeout = 60)
{
    LiveSetting setting;
    Wire        wire, other;
    Message     answer;
    LogPlan     plan = { .world = &testworld_flat, .players = 2, .seed = 1, .ticks = 20000, .tick_rate_hz = 60 };
    live_fixture_open(&setting, 2);
    fixture_write_log(&setting.fixture, "tape.tpr", &plan);
    add(&setting, "a", 3, SERVER_MISSING_NEUTRAL);  // lane 0
    add(&setting, "b", 1, SERVER_MISSING_NEUTRAL);  // lane 1
    add(&setting, "c", 1, SERVER_MISSING_NEUTRAL);  // lane 0
    live_fixture_add_recorded(&setting, "tape.tpr");
    live_fixture_start(&setting);
    wire_open(&wire, setting.port);
    wire_hello(&wire);
    wire_join(&wire, "nowhere", 1, &answer);
    cr_assert_eq(answer.body.refused.reason, MESSAGE_REASON_NO_ROOM);
    cr_assert_eq(answer.body.refused.cookie, 77);
    wire_join(&wire, "tape", 1, &answer);
    cr_assert_eq(answer.body.refused.reason, MESSAGE_REASON_NOT_LIVE);
    wire_join(&wire, "a", 4, &answer);
    cr_assert_eq(answer.body.refused.reason, MESSAGE_REASON_FULL);
    wire_join(&wire, "a", 2, &answer);
    cr_assert_eq(answer.type, MESSAGE_JOINED);
    wire_join(&wire, "a", 1, &answer);
    cr_assert_eq(answer.body.refused.reason, MESSAGE_REASON_IN_IT);
    wire_join(&wire, "b", 1, &answer);
    cr_assert_eq(answer.body.refused.reason, MESSAGE_REASON_OTHER_LANE);
    wire_join(&wire, "c", 1, &answer);
    cr_assert_eq(answer.type, MESSAGE_JOINED, "two rooms of one lane on one connection");
    wire_open(&other, setting.port);
    wire_hello(&other);
    wire_join(&other, "a", 2, &answer);
    cr_assert_eq(answer.body.refused.reason, MESSAGE_REASON_FULL);
    wire_join(&other, "a", 0, &answer);
    cr_assert_eq(answer.type, MESSAGE_JOINED, "watching needs no slot");
    wire_close(&other);
    wire_close(&wire);
    live_fixture_stop(&setting);
    live_fixture_join(&setting);
    live_fixture_close(&setting);
}

// Goal: the list comes in pages that hold every room once, live or recorded.
Test(live, list_of_many_rooms, .timeout = 60)
{
    enum { ROOMS = 100 };
    LiveSetting setting;
    Wire        wire;
    Message     page;
    live_fixture_open(&setting, 2);
    for (int i = 0; i < ROOMS; i++) {
        char name[64];
        snprintf(name, sizeof(name), "a-room-with-a-rather-long-name-%03d", i);
        add(&setting, name, 2, SERVER_MISSING_NEUTRAL);
    }
    live_fixture_start(&setting);
    wire_open(&wire, setting.port);
    wire_hello(&wire);
    uint32_t seen = 0;
    uint32_t pages = 0;
    for (uint32_t next = 0; next < ROOMS; pages++) {
        Message ask = { .type = MESSAGE_LIST, .room = MESSAGE_ROOM_NONE, .body.list = { .first = next } };
        wire_send(&wire, &ask);
        wire_wait(&wire, MESSAGE_ROOMS, &page);
        cr_assert_gt(page.body.rooms.next, next);
        for (uint32_t i = 0; i < page.body.rooms.count; i++) {
            cr_assert_eq(page.body.rooms.items[i].room, seen);
            cr_assert_eq(page.body.rooms.items[i].lane, seen % 2);
            cr_assert(page.body.rooms.items[i].is_live);
            seen += 1;
        }
        next = page.body.rooms.next;
    }
    cr_assert_eq(seen, ROOMS);
    cr_assert_gt(pages, 3);
    wire_close(&wire);
    live_fixture_stop(&setting);
    live_fixture_join(&setting);
    live_fixture_close(&setting);
}

// Goal: an input comes into the log as it was brought into range, once, and for its own slot and tick only.
Test(live, inputs_have_a_rule_each, .timeout = 60)
{
    LiveSetting setting;
    Wire        wire;
    Message     joined, message;
    uint8_t     wild[2] = { 0xFF, 0x80 }; // buttons beyond 7, a stick of -128
    uint8_t     tame[2] = { 1, 1 };
    live_fixture_open(&setting, 1);
    ServerLiveOptions options;
    server_live_options_standard(&options);
    options.name = "slow";
    options.world = &testworld_flat;
    options.players = 2;
    options.tick_rate_hz = 2; // slow enough that all of these are there before its first tick, on a busy machine, too
    options.missing = SERVER_MISSING_NEUTRAL;
    options.record_dir = setting.fixture.record;
    live_fixture_add(&setting, &options);
    live_fixture_start(&setting);
    wire_open(&wire, setting.port);
    wire_hello(&wire);
    wire_join(&wire, "slow", 1, &joined);
    wire_input(&wire, &joined, 0, 0, wild, 2);
    wire_input(&wire, &joined, 0, 0, tame, 2);                                  // the first one counts
    wire_input(&wire, &joined, 1, 0, tame, 2);                                  // nobody's
    wire_input(&wire, &joined, 9, 0, tame, 2);                                  // no such slot
    wire_input(&wire, &joined, 0, SERVER_INPUT_AHEAD, tame, 2);                 // one beyond the window
    wire_input(&wire, &joined, 0, UINT64_MAX - 1, tame, 2);
    wire_input(&wire, &joined, 0, 1, tame, 1);                                  // not this world's size
    Message other_epoch = joined;
    other_epoch.epoch += 1;
    wire_input(&wire, &other_epoch, 0, 1, tame, 2);
    Message other_room = joined;
    other_room.room += 1000;
    wire_input(&wire, &other_room, 0, 1, tame, 2);
    wire_wait(&wire, MESSAGE_CONFIRMED, &message);
    cr_assert_eq(message.tick, 0);
    cr_assert_eq(message.body.confirmed.bytes[2], 7, "buttons are clamped");
    cr_assert_eq((int8_t)message.body.confirmed.bytes[3], -127, "sticks are clamped");
    cr_assert_eq(message.body.confirmed.bytes[4], 0, "slot 1 is absent");
    wire_input(&wire, &joined, 0, 0, tame, 2); // again: there was one in time
    wire_wait(&wire, MESSAGE_CONFIRMED, &message);
    cr_assert_eq(message.body.confirmed.bytes[2], 0, "nothing came for tick 1");
    cr_assert_eq(message.body.confirmed.bytes[1], TP_ORIGIN_NEUTRAL);
    wire_input(&wire, &joined, 0, 1, tame, 2); // late
    wire_input(&wire, &joined, 0, 1, tame, 2); // again
    wire_wait(&wire, MESSAGE_CONFIRMED, &message);
    wire_close(&wire);
    live_fixture_stop(&setting);
    live_fixture_join(&setting);
    const ServerLiveCounts *counts = &server_room_result(setting.server, 0)->live;
    cr_assert_eq(counts->duplicate, 3);
    cr_assert_eq(counts->wrong_slot, 2);
    cr_assert_eq(counts->early, 2);
    cr_assert_eq(counts->bad_input, 1);
    cr_assert_eq(counts->wrong_epoch, 1);
    cr_assert_eq(counts->late, 1);
    cr_assert_eq(counts->inputs, 1);
    cr_assert_eq(fixture_verify(server_room_result(setting.server, 0)->log_path).verdict, TP_VERIFIED);
    live_fixture_close(&setting);
}

// Goal: a stalling room waits for the one that says nothing, no longer than its time, and its rate is that of the time it ran.
Test(live, a_stall_ends, .timeout = 60)
{
    LiveSetting setting;
    Wire        wire;
    Message     joined, message;
    uint8_t     input[2] = { 1, 1 };
    live_fixture_open(&setting, 1);
    ServerLiveOptions options;
    server_live_options_standard(&options);
    options.name = "wait";
    options.world = &testworld_flat;
    options.players = 1;
    options.tick_rate_hz = 100;
    options.missing = SERVER_MISSING_STALL;
    options.stall_ms = 1000; // far longer than a busy machine keeps this process from sending
    live_fixture_add(&setting, &options);
    live_fixture_start(&setting);
    wire_open(&wire, setting.port);
    wire_hello(&wire);
    wire_join(&wire, "wait", 1, &joined);
    for (uint64_t tick = 0; tick < 10; tick++) {
        wire_input(&wire, &joined, 0, tick, input, 2);
        wire_wait(&wire, MESSAGE_CONFIRMED, &message);
        cr_assert_eq(message.tick, tick);
        cr_assert_eq(message.body.confirmed.bytes[1], TP_ORIGIN_RECEIVED);
    }
    wire_wait(&wire, MESSAGE_CONFIRMED, &message); // comes although nothing was sent
    cr_assert_eq(message.body.confirmed.bytes[1], TP_ORIGIN_REPEATED);
    wire_close(&wire);
    live_fixture_stop(&setting);
    live_fixture_join(&setting);
    const ServerRoomResult *result = server_room_result(setting.server, 0);
    cr_assert_geq(result->live.stalls, 1);
    cr_assert_geq(result->live.stalled_ns, INT64_C(1000000000));
    cr_assert_eq(result->dropped_ticks, 0, "a stall is not a hitch");
    live_fixture_close(&setting);
}

// Goal: between two owners of a slot there is a tick without either, so that the world sees the leave, however fast the next one is.
Test(live, the_world_sees_every_leave, .timeout = 60)
{
    LiveSetting setting;
    Message     joined, message;
    live_fixture_open(&setting, 1);
    ServerLiveOptions options = options_of(&setting, "chair", 1, SERVER_MISSING_NEUTRAL);
    options.rejoin_seconds = UINT32_MAX;
    live_fixture_add(&setting, &options);
    live_fixture_start(&setting);
    uint64_t absent = 0;
    for (int i = 0; i < 5; i++) {
        Wire wire;
        wire_open(&wire, setting.port);
        wire_hello(&wire);
        do {
            usleep(5000);
            wire_join(&wire, "chair", 1, &joined);
        } while (joined.type == MESSAGE_REFUSED && joined.body.refused.reason == MESSAGE_REASON_FULL);
        cr_assert_eq(joined.type, MESSAGE_JOINED);
        do {
            wire_wait(&wire, MESSAGE_CONFIRMED, &message);
        } while (message.body.confirmed.bytes[0] == 0);
        wire_close(&wire);
    }
    live_fixture_stop(&setting);
    live_fixture_join(&setting);
    const ServerRoomResult *result = server_room_result(setting.server, 0);
    cr_assert_eq(result->live.joins, 5);
    absent = live_fixture_count_absent(result->log_path);
    cr_assert_geq(absent, 4, "%u ticks without anybody", (unsigned)absent);
    live_fixture_close(&setting);
}

// Goal: a room with nobody in it has no ticks; one that ends when it is deserted ends its log; one with a last tick completes.
Test(live, empty_rooms, .timeout = 60)
{
    LiveSetting setting;
    Wire        wire;
    Message     joined, message;
    live_fixture_open(&setting, 1);
    ServerLiveOptions options;
    server_live_options_standard(&options);
    options.world = &testworld_flat;
    options.players = 2;
    options.tick_rate_hz = 500;
    options.record_dir = setting.fixture.record;
    options.name = "pauses";
    live_fixture_add(&setting, &options);
    options.name = "ends";
    options.when_empty = SERVER_EMPTY_END;
    live_fixture_add(&setting, &options);
    options.name = "runs";
    options.when_empty = SERVER_EMPTY_RUN;
    options.ticks = 10;
    live_fixture_add(&setting, &options);
    options.name = "two";
    options.when_empty = SERVER_EMPTY_PAUSE;
    options.ticks = 0;
    options.start_players = 2;
    live_fixture_add(&setting, &options);
    live_fixture_start(&setting);
    wire_open(&wire, setting.port);
    wire_hello(&wire);
    wire_join(&wire, "two", 1, &joined);
    cr_assert_eq(joined.tick, 0);
    wire_join(&wire, "ends", 1, &joined);
    wire_wait(&wire, MESSAGE_CONFIRMED, &message);
    cr_assert_eq(message.room, joined.room, "the other room waits for a second player");
    Message leave = { .type = MESSAGE_LEAVE, .room = joined.room, .epoch = joined.epoch, .body.leave = { .reason = MESSAGE_REASON_ASKED } };
    wire_send(&wire, &leave);
    wire_wait(&wire, MESSAGE_LEFT, &message);
    do {
        usleep(20000); // asking all the time would be a flood
        wire_join(&wire, "ends", 1, &joined);
    } while (joined.type == MESSAGE_JOINED || joined.body.refused.reason != MESSAGE_REASON_ENDED);
    wire_close(&wire);
    for (int i = 0; i < 1000 && setting.events.counts[SERVER_EVENT_ROOM_DONE] < 1; i++) {
        usleep(10000);
    }
    live_fixture_stop(&setting);
    live_fixture_join(&setting);
    cr_assert_eq(server_room_result(setting.server, 0)->ticks, 0);
    cr_assert_eq(fixture_verify(server_room_result(setting.server, 1)->log_path).end_reason, TP_END_STOPPED);
    cr_assert_eq(server_room_result(setting.server, 2)->ticks, 10);
    cr_assert_eq(fixture_verify(server_room_result(setting.server, 2)->log_path).end_reason, TP_END_COMPLETED);
    cr_assert_eq(server_room_result(setting.server, 3)->ticks, 0);
    live_fixture_close(&setting);
}

static void fault_at_30(void *to, const char *room, tp_sim *sim, uint64_t tick, bool is_finished)
{
    (void)to;
    if (strcmp(room, "bad") == 0 && tick == 30 && !is_finished) {
        live_fixture_arm_fault(sim);
    }
}

// Goal: a world that faults ends its room alone, and its clients hear why.
Test(live, a_fault_is_one_rooms, .timeout = 60)
{
    LiveSetting setting;
    Wire        bad, good;
    Message     joined, message;
    live_fixture_open(&setting, 1);
    setting.options.each_tick = fault_at_30;
    add(&setting, "bad", 1, SERVER_MISSING_NEUTRAL);
    add(&setting, "good", 1, SERVER_MISSING_NEUTRAL);
    live_fixture_start(&setting);
    wire_open(&bad, setting.port);
    wire_hello(&bad);
    wire_join(&bad, "bad", 1, &joined);
    wire_open(&good, setting.port);
    wire_hello(&good);
    wire_join(&good, "good", 1, &joined);
    wire_wait(&bad, MESSAGE_LEFT, &message);
    cr_assert_eq(message.body.left.reason, MESSAGE_REASON_FAULTED);
    cr_assert_eq(message.tick, 30);
    for (int i = 0; i < 50; i++) {
        wire_wait(&good, MESSAGE_CONFIRMED, &message);
    }
    wire_close(&bad);
    wire_close(&good);
    live_fixture_stop(&setting);
    live_fixture_join(&setting);
    const ServerRoomResult *result = server_room_result(setting.server, 0);
    cr_assert_eq(result->last_event, SERVER_EVENT_ROOM_FAULT);
    cr_assert(result->report.has_fault);
    cr_assert_eq(server_room_result(setting.server, 1)->report.verdict, TP_VERIFIED);
    live_fixture_close(&setting);
}

// Goal: what a client says behind its JOIN without waiting goes along to the room's thread.
Test(live, nothing_is_lost_on_the_way_to_the_room, .timeout = 60)
{
    LiveSetting setting;
    live_fixture_open(&setting, 2);
    add(&setting, "a", 8, SERVER_MISSING_NEUTRAL);
    add(&setting, "b", 8, SERVER_MISSING_NEUTRAL);
    live_fixture_start(&setting);
    for (int round = 0; round < 8; round++) {
        Wire    wire;
        Message message;
        uint8_t bytes[16384];
        size_t  size = 0;
        Message said[6] = {
            { .type = MESSAGE_HELLO, .room = MESSAGE_ROOM_NONE, .body.hello = { .version_min = 1, .version_max = 9, .build = message_text("test") } },
            { .type = MESSAGE_PING, .room = MESSAGE_ROOM_NONE, .body.ping = { .token = 1 } },
            { .type = MESSAGE_JOIN, .room = MESSAGE_ROOM_NONE, .body.join = { .cookie = 3, .slots = 1, .name = message_text(round % 2 == 0 ? "a" : "b") } },
            { .type = MESSAGE_PING, .room = MESSAGE_ROOM_NONE, .body.ping = { .token = 2 } },
            { .type = MESSAGE_LIST, .room = MESSAGE_ROOM_NONE },
            { .type = MESSAGE_PING, .room = MESSAGE_ROOM_NONE, .body.ping = { .token = 3 } },
        };
        for (int i = 0; i < 6; i++) {
            size_t one = message_encode(&said[i], bytes + size + 2);
            cr_assert_gt(one, 0);
            bytes[size] = (uint8_t)one;
            bytes[size + 1] = (uint8_t)(one >> 8);
            size += one + 2;
        }
        wire_open(&wire, setting.port);
        wire_send_bytes(&wire, bytes, size);
        wire_wait(&wire, MESSAGE_WELCOME, &message);
        wire_wait(&wire, MESSAGE_PONG, &message);
        cr_assert_eq(message.body.pong.token, 1);
        wire_wait(&wire, MESSAGE_JOINED, &message);
        cr_assert_eq(message.body.joined.cookie, 3);
        wire_wait(&wire, MESSAGE_PONG, &message);
        cr_assert_eq(message.body.pong.token, 2);
        wire_wait(&wire, MESSAGE_ROOMS, &message);
        wire_wait(&wire, MESSAGE_PONG, &message);
        cr_assert_eq(message.body.pong.token, 3);
        wire_close(&wire);
    }
    live_fixture_stop(&setting);
    live_fixture_join(&setting);
    live_fixture_close(&setting);
}

// Goal: a stalling room waits for a silent slot a few times and then no more, until that slot says something.
Test(live, nobody_is_waited_for_for_ever, .timeout = 60)
{
    LiveSetting setting;
    Wire        active, silent;
    Message     joined, other, message;
    uint8_t     input[2] = { 1, 1 };
    live_fixture_open(&setting, 1);
    ServerLiveOptions options;
    server_live_options_standard(&options);
    options.name = "wait";
    options.world = &testworld_flat;
    options.players = 2;
    options.start_players = 2;
    options.tick_rate_hz = 500;
    options.missing = SERVER_MISSING_STALL;
    options.stall_ms = 100;
    live_fixture_add(&setting, &options);
    live_fixture_start(&setting);
    wire_open(&active, setting.port);
    wire_hello(&active);
    wire_join(&active, "wait", 1, &joined);
    wire_open(&silent, setting.port);
    wire_hello(&silent);
    wire_join(&silent, "wait", 1, &other);
    for (uint64_t tick = 0; tick < 200; tick++) {
        wire_input(&active, &joined, 0, tick, input, 2);
        wire_wait(&active, MESSAGE_CONFIRMED, &message);
        cr_assert_eq(message.tick, tick);
    }
    wire_close(&active);
    wire_close(&silent);
    live_fixture_stop(&setting);
    live_fixture_join(&setting);
    const ServerLiveCounts *counts = &server_room_result(setting.server, 0)->live;
    // The silent slot costs three waits; the other one's inputs come a little late each time.
    cr_assert_geq(counts->stalled_ns, INT64_C(300000000));
    cr_assert_lt(counts->stalled_ns, INT64_C(10000000000), "two hundred waits would be twenty seconds");
    live_fixture_close(&setting);
}

// Goal: a second address that cannot be had is said, while clients already come to the first.
Test(live, a_port_that_is_taken, .timeout = 60)
{
    LiveSetting setting;
    Wire        early[8];
    tp_error    error;
    char        address[32];
    Message     joined;
    live_fixture_open(&setting, 1);
    add(&setting, "a", 8, SERVER_MISSING_NEUTRAL);
    cr_assert(server_listen(setting.server, "127.0.0.1:0", &error), "%s", error.text);
    setting.port = server_port(setting.server, 0);
    for (int i = 0; i < 8; i++) {
        wire_open(&early[i], setting.port);
    }
    snprintf(address, sizeof(address), "127.0.0.1:%u", setting.port);
    cr_assert_not(server_listen(setting.server, address, &error));
    cr_assert_not_null(strstr(error.text, "address already in use"), "%s", error.text);
    cr_assert_not(server_listen(setting.server, "localhost:1", &error));
    cr_assert_not(server_listen(setting.server, "127.0.0.1:65536", &error));
    live_fixture_start(&setting); // one more port
    for (int i = 0; i < 8; i++) {
        wire_hello(&early[i]);
        wire_join(&early[i], "a", 1, &joined);
        cr_assert_eq(joined.type, MESSAGE_JOINED);
        wire_close(&early[i]);
    }
    live_fixture_stop(&setting);
    live_fixture_join(&setting);
    live_fixture_close(&setting);
}

static bool ask_admin(Wire *wire, uint32_t room, const char *key, MessageVerb verb, uint64_t value, Message *answer)
{
    Message message = { .type = MESSAGE_ADMIN, .room = room, .epoch = 7, .body.admin = { .cookie = 9, .verb = (uint8_t)verb, .value = value, .key = message_text(key) } };
    wire_send(wire, &message);
    wire_wait(wire, MESSAGE_ADMINED, answer);
    cr_assert_eq(answer->body.admined.cookie, 9);
    cr_assert_eq(answer->room, room);
    return answer->body.admined.is_done == 1;
}

static const char key[] = "a rather long key, and 'odd'";

static void open_with_key(LiveSetting *setting, const char *admin_key)
{
    live_fixture_open(setting, 2);
    setting->options.admin_key = admin_key;
    add(setting, "a", 2, SERVER_MISSING_NEUTRAL);
    add(setting, "b", 2, SERVER_MISSING_NEUTRAL);
    add(setting, "c", 2, SERVER_MISSING_NEUTRAL); // keeps the lane of "a" open
    live_fixture_start(setting);
}

// Goal: from the lobby, in no room, with the key: pause, steps to the tick, end; and what came of it for who is in the room.
Test(live, an_administrator_from_outside, .timeout = 60)
{
    LiveSetting setting;
    Wire        admin, player;
    Message     answer, joined, message;
    open_with_key(&setting, key);
    wire_open(&admin, setting.port);
    wire_hello(&admin);
    cr_assert_not(ask_admin(&admin, 5, key, MESSAGE_VERB_PAUSE, 0, &answer), "there is no such room");
    cr_assert_eq(answer.epoch, 7);
    cr_assert_eq(answer.tick, 0);
    cr_assert(ask_admin(&admin, 0, key, MESSAGE_VERB_PAUSE, 0, &answer));
    cr_assert_eq(answer.epoch, 1, "the room's");
    cr_assert_not(ask_admin(&admin, 1, key, MESSAGE_VERB_PAUSE, 0, &answer), "another lane");
    wire_open(&player, setting.port);
    wire_hello(&player);
    wire_join(&player, "a", 1, &joined);
    cr_assert_eq(joined.tick, 0);
    cr_assert(ask_admin(&admin, 0, key, MESSAGE_VERB_STEP, 5, &answer));
    for (uint64_t tick = 0; tick < 5; tick++) {
        wire_wait(&player, MESSAGE_CONFIRMED, &message);
        cr_assert_eq(message.tick, tick);
    }
    wire_wait(&player, MESSAGE_PACE, &message);
    cr_assert_eq(message.body.pace.is_paused, 1);
    usleep(300000); // 150 ticks' time
    cr_assert(ask_admin(&admin, 0, key, MESSAGE_VERB_STEP, 1, &answer));
    cr_assert_eq(answer.tick, 5, "none of them was done");
    wire_wait(&player, MESSAGE_CONFIRMED, &message);
    cr_assert_eq(message.tick, 5);
    cr_assert(ask_admin(&admin, 0, key, MESSAGE_VERB_END, 0, &answer));
    wire_wait(&player, MESSAGE_LEFT, &message);
    cr_assert_eq(message.body.left.reason, MESSAGE_REASON_ENDED);
    cr_assert_eq(message.tick, 6);
    for (int i = 0; i < 1000 && setting.events.counts[SERVER_EVENT_ROOM_DONE] < 1; i++) {
        usleep(10000);
    }
    cr_assert_not(ask_admin(&admin, 0, key, MESSAGE_VERB_RESUME, 0, &answer), "it is over");
    wire_close(&player);
    wire_close(&admin);
    live_fixture_stop(&setting);
    live_fixture_join(&setting);
    const ServerRoomResult *result = server_room_result(setting.server, 0);
    cr_assert_eq(result->last_event, SERVER_EVENT_ROOM_DONE);
    cr_assert_eq(result->ticks, 6);
    cr_assert_eq(result->dropped_ticks, 0);
    tp_report report = fixture_verify(result->log_path);
    cr_assert_eq(report.verdict, TP_VERIFIED, "%s", report.message);
    cr_assert(report.has_end);
    live_fixture_close(&setting);
}

// Goal: without the key nothing is done, whatever is near it; the eighth wrong one on a connection is the last.
Test(live, wrong_keys, .timeout = 60)
{
    static const char *const wrong[SERVER_WRONG_KEYS] = { "", "a", "a rather long key, and 'odd", "a rather long key, and 'odd'x", "A rather long key, and 'odd'",
                                                          " a rather long key, and 'odd'", "key", "0" };
    LiveSetting setting;
    Wire        wire;
    Message     answer, joined;
    open_with_key(&setting, key);
    wire_open(&wire, setting.port);
    wire_hello(&wire);
    wire_join(&wire, "a", 1, &joined);
    for (int i = 0; i < SERVER_WRONG_KEYS; i++) {
        cr_assert_not(ask_admin(&wire, joined.room, wrong[i], MESSAGE_VERB_END, 0, &answer), "'%s'", wrong[i]);
    }
    cr_assert_eq(wire_drain(&wire), MESSAGE_REASON_FLOOD);
    wire_close(&wire);
    wire_open(&wire, setting.port);
    wire_hello(&wire);
    wire_join(&wire, "a", 1, &joined);
    cr_assert_eq(joined.type, MESSAGE_JOINED, "the room is well");
    wire_close(&wire);
    live_fixture_stop(&setting);
    live_fixture_join(&setting);
    cr_assert_eq(setting.events.counts[SERVER_EVENT_ROOM_ADMIN], 0);
    live_fixture_close(&setting);
}

// Goal: a server without a key has no administrators, whatever they send.
Test(live, no_key_no_administrators, .timeout = 60)
{
    for (int round = 0; round < 2; round++) {
        LiveSetting setting;
        Wire        wire;
        Message     answer;
        open_with_key(&setting, round == 0 ? NULL : "");
        wire_open(&wire, setting.port);
        wire_hello(&wire);
        cr_assert_not(ask_admin(&wire, 0, "", MESSAGE_VERB_PAUSE, 0, &answer));
        cr_assert_not(ask_admin(&wire, 0, "key", MESSAGE_VERB_PAUSE, 0, &answer));
        cr_assert_not_null(strstr(answer.body.admined.text.text, "no administrators"), "%.*s", answer.body.admined.text.size, answer.body.admined.text.text);
        wire_close(&wire);
        live_fixture_stop(&setting);
        live_fixture_join(&setting);
        live_fixture_close(&setting);
    }
}

// Goal: a state of many times what may wait for one client comes to several at once, while the other room of the thread drops no tick.
Test(live, a_large_state_holds_up_nobody, .timeout = 60)
{
    enum { JOINERS = 4 };
    LiveSetting       setting;
    Wire              quick, wires[JOINERS];
    WireWorld         worlds[JOINERS];
    Message           joined, large[JOINERS], message;
    ServerLiveOptions options;
    live_fixture_open(&setting, 1);
    setting.options.net.send_queue_bytes = SERVER_SEND_QUEUE_BYTES_MIN;
    options = options_of(&setting, "quick", 1, SERVER_MISSING_NEUTRAL);
    options.tick_rate_hz = 60;
    live_fixture_add(&setting, &options);
    options = options_of(&setting, "large", JOINERS, SERVER_MISSING_NEUTRAL);
    options.world = &live_fixture_large;
    options.tick_rate_hz = 60;
    options.record_dir = NULL;
    live_fixture_add(&setting, &options);
    live_fixture_start(&setting);
    wire_open(&quick, setting.port);
    wire_hello(&quick);
    wire_join(&quick, "quick", 1, &joined);
    for (int i = 0; i < JOINERS; i++) {
        wire_open(&wires[i], setting.port);
        wire_hello(&wires[i]);
        wire_ask(&wires[i], "large", 1, &large[i]);
        cr_assert_eq(large[i].type, MESSAGE_JOINED);
        wire_take_rules(&wires[i], &large[i], &worlds[i]);
        wire_ready(&wires[i], &large[i], wire_rules_id(&worlds[i]));
    }
    for (int i = 0; i < JOINERS; i++) {
        wire_take_state(&wires[i], &large[i], &worlds[i]);
        cr_assert_gt(worlds[i].state.body.state.packed_size, 8 * SERVER_SEND_QUEUE_BYTES_MIN);
        tp_sim *sim = live_fixture_make_sim(&worlds[i]);
        wire_wait(&wires[i], MESSAGE_CONFIRMED, &message);
        cr_assert_eq(message.tick, worlds[i].state.tick);
        tp_sim_destroy(sim);
        wire_drop(&worlds[i]);
    }
    for (uint64_t tick = joined.tick; tick < joined.tick + 60; tick++) {
        wire_wait(&quick, MESSAGE_CONFIRMED, &message);
        cr_assert_eq(message.tick, tick);
    }
    for (int i = 0; i < JOINERS; i++) {
        wire_close(&wires[i]);
    }
    wire_close(&quick);
    live_fixture_stop(&setting);
    live_fixture_join(&setting);
    cr_assert_eq(server_room_result(setting.server, 0)->dropped_ticks, 0);
    cr_assert_leq(server_room_result(setting.server, 1)->live.snapshots, 2);
    live_fixture_close(&setting);
}

// Goal: coming back goes through the lobby like any JOIN: another connection, the token, the same slots; and the log saw no leave.
Test(live, coming_back_over_another_connection, .timeout = 60)
{
    LiveSetting setting;
    Wire        first, second;
    Message     joined, back, message;
    WireWorld   world;
    live_fixture_open(&setting, 2);
    add(&setting, "a", 4, SERVER_MISSING_REPEAT);
    live_fixture_start(&setting);
    wire_open(&first, setting.port);
    wire_hello(&first);
    wire_join(&first, "a", 3, &joined);
    wire_wait(&first, MESSAGE_CONFIRMED, &message);
    wire_close(&first);
    wire_open(&second, setting.port);
    wire_hello(&second);
    wire_ask_as(&second, "a", 0, 0, joined.body.joined.token, &back);
    cr_assert_eq(back.type, MESSAGE_JOINED);
    cr_assert_eq(back.body.joined.slot_count, 3);
    wire_take_rules(&second, &back, &world);
    wire_ready(&second, &back, wire_rules_id(&world));
    wire_take_state(&second, &back, &world);
    for (int i = 0; i < 50; i++) {
        wire_wait(&second, MESSAGE_CONFIRMED, &message);
        cr_assert_eq(message.tick, world.state.tick + (uint64_t)i);
        cr_assert_eq(message.body.confirmed.bytes[0], 7);
    }
    wire_drop(&world);
    wire_close(&second);
    live_fixture_stop(&setting);
    live_fixture_join(&setting);
    const ServerRoomResult *result = server_room_result(setting.server, 0);
    cr_assert_eq(result->live.rejoins, 1);
    cr_assert_eq(live_fixture_count_absent(result->log_path), 0);
    cr_assert_eq(fixture_verify(result->log_path).verdict, TP_VERIFIED);
    live_fixture_close(&setting);
}

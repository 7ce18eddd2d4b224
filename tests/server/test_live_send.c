// test_live_send.c: what members are sent: the state at its pace, the ticks since, the present, and how their inputs come.
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "live_stage.h"

static Stage stage;

enum { STATE_AGE = 70 }; ///< ticks after which the state of the last joiner is too old for the next one

/// One confirmed tick, as somebody got it.
typedef struct {
    uint64_t   tick;
    uint16_t   size;
    uint8_t    bytes[64];
    tp_hash128 root;
} Row;

static Row row_of(const Message *message)
{
    Row row = { .tick = message->tick, .size = message->body.confirmed.size, .root = message->body.confirmed.root };
    cr_assert_eq(message->type, MESSAGE_CONFIRMED);
    cr_assert_eq(message->body.confirmed.parts, 1);
    cr_assert_leq(row.size, sizeof(row.bytes));
    memcpy(row.bytes, message->body.confirmed.bytes, row.size);
    return row;
}

static Row take_row(Wire *wire, uint64_t tick)
{
    Message message;
    stage_expect(wire, MESSAGE_CONFIRMED, &message);
    cr_assert_eq(message.tick, tick, "tick %u came, %u was to", (unsigned)message.tick, (unsigned)tick);
    return row_of(&message);
}

static bool is_equal(const Row *a, const Row *b)
{
    return a->tick == b->tick && a->size == b->size && memcmp(a->bytes, b->bytes, a->size) == 0 && tp_hash128_equal(a->root, b->root);
}

static void begin_join(Wire *wire, uint32_t slots, uint32_t delay, Message *joined, WireWorld *world)
{
    wire_ask_as(wire, "stage", slots, delay, NULL, joined);
    cr_assert_eq(joined->type, MESSAGE_JOINED);
    wire_take_rules(wire, joined, world);
    wire_ready(wire, joined, wire_rules_id(world));
}

// Inputs that are others at each tick, so that rows can be told apart.
static void say_input(Wire *wire, const Message *joined, uint8_t slot, uint64_t tick)
{
    uint8_t input[2] = { (uint8_t)(tick % 8), (uint8_t)(tick * 7 % 100) };
    wire_input(wire, joined, slot, tick, input, 2);
}

// Goal: who comes in while the room goes on gets every tick from the state's on, the very rows and roots that another one got, and at most
// so many of the past in one tick of the room.
Test(live_send, the_tail_is_contiguous, .timeout = 60)
{
    enum { BEFORE = 70, MEANWHILE = 300, AFTER = 60 };
    static Row        rows[BEFORE + MEANWHILE + AFTER];
    ServerLiveOptions options = stage_options();
    Wire              old, fresh;
    Message           joined, late;
    WireWorld         world;
    tp_error          error;
    stage_open(&stage, &options);
    stage_connect(&stage, &old);
    wire_join(&old, "stage", 1, &joined);
    stage_connect(&stage, &fresh);
    for (uint64_t tick = 0; tick < BEFORE + MEANWHILE + AFTER; tick++) {
        say_input(&old, &joined, 0, tick);
        if (tick == BEFORE) {
            stage.holds_jobs = true; // its compression takes three seconds of the room
            begin_join(&fresh, 1, 0, &late, &world);
            stage_turn(&stage);
        }
        cr_assert_eq(stage_tick(&stage, 1), 1);
        rows[tick] = take_row(&old, tick);
        if (tick == BEFORE + MEANWHILE - 1) {
            stage_expect_silence(&stage, &fresh); // nothing before the state
            stage.holds_jobs = false;
            stage_turn(&stage);
            wire_take_state(&fresh, &late, &world);
            cr_assert_eq(world.state.tick, BEFORE);
        }
    }
    // In each of the ticks since then, the room sent 64 of the past until there were no more: some of them are enough.
    cr_assert_gt(AFTER, MEANWHILE / SERVER_TAIL_TICKS);
    tp_sim *sim = live_fixture_make_sim(&world);
    for (uint64_t tick = BEFORE; tick < BEFORE + MEANWHILE + AFTER; tick++) {
        Row row = take_row(&fresh, tick);
        cr_assert(is_equal(&row, &rows[tick]), "tick %u", (unsigned)tick);
        cr_assert_eq(tp_sim_step_bytes(sim, row.bytes, row.size, &error), TP_SIM_OK);
        cr_assert(tp_hash128_equal(tp_sim_root(sim), row.root));
    }
    stage_expect_silence(&stage, &fresh);
    rows[BEFORE + 3].bytes[2] ^= 1; // the comparison would have noticed
    cr_assert_not(is_equal(&rows[BEFORE + 3], &(Row){ .tick = BEFORE + 3, .size = rows[BEFORE + 3].size }));
    cr_assert_eq(stage.room.result.live.snapshots, 2);
    tp_sim_destroy(sim);
    wire_drop(&world);
    wire_close(&old);
    wire_close(&fresh);
    stage_close(&stage);
}

// Goal: one tick of the room brings a member at most so many of the past.
Test(live_send, the_tail_has_a_pace, .timeout = 60)
{
    ServerLiveOptions options = stage_options();
    Wire              old, fresh;
    Message           joined, late, message;
    WireWorld         world;
    stage_open(&stage, &options);
    stage_connect(&stage, &old);
    wire_join(&old, "stage", 1, &joined);
    stage_connect(&stage, &fresh);
    stage_tick(&stage, STATE_AGE);
    stage.holds_jobs = true;
    begin_join(&fresh, 0, 0, &late, &world);
    stage_turn(&stage);
    stage_tick(&stage, 200);
    stage.holds_jobs = false;
    stage_turn(&stage); // the state
    wire_take_state(&fresh, &late, &world);
    uint64_t next = world.state.tick;
    for (int round = 0; round < 4; round++) {
        uint64_t before = next;
        stage_tick(&stage, 1);
        stage_ping(&fresh);
        while (stage_until_pong(&fresh, &message)) {
            if (message.type == MESSAGE_CONFIRMED) {
                cr_assert_eq(message.tick, next);
                next += 1;
            }
        }
        cr_assert_leq(next - before, SERVER_TAIL_TICKS);
        cr_assert(next - before == SERVER_TAIL_TICKS || next == stage_next(&stage), "%u ticks", (unsigned)(next - before));
    }
    cr_assert_eq(next, stage_next(&stage), "caught up");
    wire_drop(&world);
    wire_close(&old);
    wire_close(&fresh);
    stage_close(&stage);
}

// Goal: all who come within the same ticks share one state, whose bytes are made once; who comes later gets another one.
Test(live_send, sixty_four_joiners_share_a_state, .timeout = 60)
{
    enum { JOINERS = 64 };
    static Wire       wires[JOINERS];
    static WireWorld  worlds[JOINERS];
    ServerLiveOptions options = stage_options();
    Message           joined[JOINERS];
    options.when_empty = SERVER_EMPTY_RUN;
    stage_open(&stage, &options);
    stage_tick(&stage, 10);
    stage.holds_jobs = true;
    for (int i = 0; i < JOINERS; i++) {
        stage_connect(&stage, &wires[i]);
        begin_join(&wires[i], 0, 0, &joined[i], &worlds[i]);
        stage_tick(&stage, i % 16 == 15 ? 1 : 0);
    }
    cr_assert_eq(stage_next(&stage), 14);
    cr_assert_eq(stage.job_count, 1);
    stage.holds_jobs = false;
    stage_turn(&stage);
    for (int i = 0; i < JOINERS; i++) {
        wire_take_state(&wires[i], &joined[i], &worlds[i]);
        cr_assert_eq(worlds[i].state.tick, 10);
        cr_assert_eq(worlds[i].state.body.state.packed_size, worlds[0].state.body.state.packed_size);
        cr_assert_eq(memcmp(worlds[i].packed, worlds[0].packed, worlds[0].state.body.state.packed_size), 0);
    }
    cr_assert_eq(stage.room.result.live.snapshots, 1);
    stage_tick(&stage, 80);
    for (int i = 0; i < JOINERS; i++) {
        for (uint64_t tick = 10; tick < 94; tick++) {
            take_row(&wires[i], tick);
        }
        wire_drop(&worlds[i]);
        wire_close(&wires[i]);
    }
    Message late;
    stage_connect(&stage, &wires[0]);
    wire_join(&wires[0], "stage", 1, &late);
    cr_assert_eq(late.tick, 94);
    cr_assert_eq(stage.room.result.live.snapshots, 2);
    wire_close(&wires[0]);
    stage_close(&stage);
}

// Goal: a state that nobody needs any more is not kept.
Test(live_send, an_old_state_is_forgotten, .timeout = 60)
{
    ServerLiveOptions options = stage_options();
    Wire              wire;
    Message           joined;
    stage_open(&stage, &options);
    stage_connect(&stage, &wire);
    wire_join(&wire, "stage", 1, &joined);
    stage_tick(&stage, 10);
    stage_look(&stage, 250);
    cr_assert_not_null(stage.room.live->state);
    stage_tick(&stage, 60);
    stage_look(&stage, 250);
    cr_assert_null(stage.room.live->state);
    wire_close(&wire);
    stage_close(&stage);
}

// Goal: a state of many times what may wait for one client arrives, a budget a tick, while another member gets every tick; two who come
// share the budget, and neither starves.
Test(live_send, a_large_state_arrives_at_its_pace, .timeout = 60)
{
    ServerLiveOptions options = stage_options();
    Wire              old, one, two;
    Message           joined, first, second, message;
    WireWorld         world, other;
    options.world = &live_fixture_large;
    stage_open(&stage, &options);
    stage.limits.join_bytes_per_tick = SERVER_JOIN_BYTES_PER_TICK_MAX;
    stage_connect(&stage, &old);
    wire_join(&old, "stage", 1, &joined);
    stage.limits.join_bytes_per_tick = 20000;
    cr_assert_gt(tp_sim_encoded_max(stage.room.sim), 3 * SERVER_SEND_QUEUE_BYTES);
    cr_assert_eq(stage_tick(&stage, STATE_AGE), STATE_AGE);
    stage_connect(&stage, &one);
    stage_connect(&stage, &two);
    begin_join(&one, 1, 0, &first, &world);
    begin_join(&two, 1, 0, &second, &other);
    stage_turn(&stage);
    uint64_t next = joined.tick;
    uint32_t have[2] = { 0, 0 };
    uint32_t total = 0;
    uint64_t ticks = 0;
    for (; have[0] < total || have[1] < total || total == 0; ticks++) {
        uint32_t before = have[0] + have[1];
        cr_assert_lt(ticks, 200);
        cr_assert_eq(stage_tick(&stage, 1), 1);
        for (; next < stage_next(&stage); next++) {
            take_row(&old, next);
        }
        for (int who = 0; who < 2; who++) {
            Wire *wire = who == 0 ? &one : &two;
            stage_ping(wire);
            while (stage_until_pong(wire, &message)) {
                total = message.type == MESSAGE_STATE ? message.body.state.packed_size : total;
                have[who] += message.type == MESSAGE_PIECE ? message.body.piece.size : 0;
            }
        }
        uint32_t sent = have[0] + have[1] - before;
        cr_assert_leq(sent, (ticks == 0 ? 2 : 1) * (20000 + MESSAGE_PIECE_MAX), "%u bytes in tick %u (the first has what was left of before, too)", sent,
                      (unsigned)ticks);
        uint32_t ahead = have[0] > have[1] ? have[0] - have[1] : have[1] - have[0];
        cr_assert_leq(ahead, 2 * 20000 + 2 * MESSAGE_PIECE_MAX, "neither waits for the other");
    }
    cr_assert_geq(ticks, 2 * (uint64_t)total / (20000 + MESSAGE_PIECE_MAX) - 1);
    cr_assert_eq(stage.room.result.dropped_ticks, 0);
    wire_drop(&world);
    wire_drop(&other);
    wire_close(&old);
    wire_close(&one);
    wire_close(&two);
    stage_close(&stage);
}

// Goal: who does not read his state costs nobody anything, and once what he lacks is not kept any more he is out.
Test(live_send, who_does_not_keep_up_is_behind, .timeout = 60)
{
    ServerLiveOptions options = stage_options();
    Wire              old, slow;
    Message           joined, late, message;
    WireWorld         world;
    stage_open(&stage, &options);
    stage_connect(&stage, &old);
    wire_join(&old, "stage", 1, &joined);
    stage_connect(&stage, &slow);
    stage_tick(&stage, STATE_AGE);
    stage.holds_jobs = true;
    begin_join(&slow, 1, 0, &late, &world);
    stage_turn(&stage);
    for (uint64_t tick = 0; tick < STATE_AGE + SERVER_HISTORY_TICKS + 10; tick++) {
        stage_tick(&stage, tick < STATE_AGE ? 0 : 1);
        take_row(&old, tick);
    }
    stage.holds_jobs = false;
    stage_turn(&stage);
    stage_tick(&stage, 1);
    stage_expect(&slow, MESSAGE_LEFT, &message);
    cr_assert_eq(message.body.left.reason, MESSAGE_REASON_BEHIND);
    cr_assert_eq(message.tick, STATE_AGE, "the first that is not confirmed to it");
    cr_assert_eq(stage.room.result.live.behind, 1);
    take_row(&old, STATE_AGE + SERVER_HISTORY_TICKS + 10);
    wire_drop(&world);
    wire_close(&old);
    wire_close(&slow);
    stage_close(&stage);
}

// Goal: who watches D ticks behind is told nothing early: the state of tick S once the room is at S + D, the row of t once it is at
// t + 1 + D, and then at once and all of it.
Test(live_send, a_delay_holds_back, .timeout = 60)
{
    static const uint32_t delays[] = { 1, 7, 100, 1500 };
    for (size_t i = 0; i < sizeof(delays) / sizeof(delays[0]); i++) {
        uint32_t          delay = delays[i];
        ServerLiveOptions options = stage_options();
        Wire              player, watcher;
        Message           joined, watched;
        WireWorld         world;
        stage_open(&stage, &options);
        stage_connect(&stage, &player);
        wire_join(&player, "stage", 1, &joined);
        stage_tick(&stage, STATE_AGE);
        stage_connect(&stage, &watcher);
        begin_join(&watcher, 0, delay, &watched, &world);
        cr_assert_eq(watched.body.joined.delay, delay);
        stage_turn(&stage);
        while (stage_next(&stage) < STATE_AGE + delay) {
            stage_tick(&stage, 1);
            if (stage_next(&stage) < STATE_AGE + delay && (stage_next(&stage) % 50 == 0 || stage_next(&stage) + 2 > STATE_AGE + delay)) {
                stage_expect_silence(&stage, &watcher);
            }
        }
        wire_take_state(&watcher, &watched, &world);
        cr_assert_eq(world.state.tick, STATE_AGE);
        stage_expect_silence(&stage, &watcher);
        for (uint64_t tick = STATE_AGE; tick < STATE_AGE + 200; tick++) {
            stage_tick(&stage, 1);
            cr_assert_eq(stage_next(&stage), tick + 1 + delay);
            take_row(&watcher, tick);
            if (tick % 10 == 0) {
                stage_expect_silence(&stage, &watcher);
            }
        }
        wire_drop(&world);
        wire_close(&player);
        wire_close(&watcher);
        stage_close(&stage);
    }
}

// Goal: a delay that comes later than others joined has its own room in what is kept, without loss to who is there.
Test(live_send, delays_of_many, .timeout = 60)
{
    static const uint32_t delays[] = { 0, 2000, 30, 500 };
    Wire                  player, watchers[4];
    ServerLiveOptions     options = stage_options();
    Message               joined, watched[4];
    WireWorld             worlds[4];
    uint64_t              next[4];
    stage_open(&stage, &options);
    stage_connect(&stage, &player);
    wire_join(&player, "stage", 1, &joined);
    for (int i = 0; i < 4; i++) {
        stage_tick(&stage, 300);
        next[i] = stage_next(&stage);
        stage_connect(&stage, &watchers[i]);
        begin_join(&watchers[i], 0, delays[i], &watched[i], &worlds[i]);
        stage_turn(&stage);
        if (i == 0) {
            wire_take_state(&watchers[0], &watched[0], &worlds[0]);
        }
        for (; next[0] < stage_next(&stage); next[0]++) {
            take_row(&watchers[0], next[0]);
        }
    }
    for (int round = 0; round < 30; round++) {
        stage_tick(&stage, 100);
        for (int i = 0; i < 4; i++) {
            if (stage_next(&stage) >= next[i] + delays[i] && worlds[i].packed == NULL) {
                wire_take_state(&watchers[i], &watched[i], &worlds[i]);
                cr_assert_eq(worlds[i].state.tick, next[i]);
            }
            for (; worlds[i].packed != NULL && next[i] + 1 + delays[i] <= stage_next(&stage); next[i]++) {
                take_row(&watchers[i], next[i]);
            }
            stage_expect_silence(&stage, &watchers[i]);
        }
    }
    for (int i = 0; i < 4; i++) {
        cr_assert_not_null(worlds[i].packed);
        wire_drop(&worlds[i]);
        wire_close(&watchers[i]);
    }
    wire_close(&player);
    stage_close(&stage);
}

static const MessageTiming *take_timing(Wire *wire, uint8_t slot, Message *message)
{
    do {
        cr_assert(wire_receive(wire, message), "TIMING does not come");
    } while (message->type != MESSAGE_TIMING);
    const MessageTiming *found = NULL;
    for (uint32_t i = 0; i < message->body.timing.count; i++) {
        found = message->body.timing.items[i].slot == slot ? &message->body.timing.items[i] : found;
    }
    cr_assert_not_null(found, "TIMING of slot %u", slot);
    return found;
}

static void say_and_tick(Wire *wire, const Message *joined, uint64_t tick)
{
    say_input(wire, joined, 0, tick);
    cr_assert_eq(stage_tick(&stage, 1), 1);
}

// Goal: TIMING tells how far ahead inputs were, exactly, with the least since the last one; what came too late is counted, once.
Test(live_send, timing_tells_how_inputs_come, .timeout = 60)
{
    ServerLiveOptions    options = stage_options();
    Wire                 wire;
    Message              joined, message;
    const MessageTiming *timing;
    stage_open(&stage, &options);
    stage_connect(&stage, &wire);
    wire_join(&wire, "stage", 2, &joined);
    for (uint64_t tick = 0; tick < 3; tick++) {
        say_input(&wire, &joined, 0, tick);
    }
    for (uint64_t tick = 0; tick < 31; tick++) { // three ticks ahead
        say_and_tick(&wire, &joined, tick + 3);
        if (tick % SERVER_TIMING_TICKS == 0) {
            timing = take_timing(&wire, 0, &message);
            cr_assert_eq(timing->lead, 3, "%d at tick %u", timing->lead, (unsigned)tick);
            cr_assert_eq(timing->late, 0);
            cr_assert_eq(message.tick, tick + 1);
            cr_assert_eq(message.body.timing.count, 2);
            cr_assert_eq(message.body.timing.items[1].lead, INT16_MIN, "nothing ever came of slot 1");
        }
    }
    stage_tick(&stage, 3); // the three that are there
    for (uint64_t tick = 34; tick < 41; tick++) {
        say_and_tick(&wire, &joined, tick == 37 ? 39 : tick > 37 ? tick + 2 : tick); // just in time; then two ahead
    }
    timing = take_timing(&wire, 0, &message);
    cr_assert_eq(timing->lead, 0, "%d: the least", timing->lead);
    cr_assert_eq(timing->late, 0);
    stage_tick(&stage, 2); // 41 and 42 are there
    for (uint64_t tick = 43; tick < 51; tick++) {
        say_and_tick(&wire, &joined, tick - 2); // two ticks late, each
    }
    timing = take_timing(&wire, 0, &message);
    cr_assert_eq(timing->late, 6, "two of the eight had been there in time");
    cr_assert_eq(timing->lead, -2, "%d", timing->lead);
    stage_tick(&stage, 10);
    timing = take_timing(&wire, 0, &message);
    cr_assert_eq(timing->late, 0, "told already");
    cr_assert_eq(timing->lead, -12, "%d", timing->lead);
    cr_assert_eq(stage.room.result.live.late, 6);
    for (uint64_t tick = 61; tick < 66; tick++) {
        say_input(&wire, &joined, 0, tick);
    }
    for (uint64_t tick = 61; tick < 71; tick++) { // five ahead, and what was before is forgotten
        say_and_tick(&wire, &joined, tick + 5);
    }
    timing = take_timing(&wire, 0, &message);
    cr_assert_eq(timing->lead, 5, "%d", timing->lead);
    wire_close(&wire);
    stage_close(&stage);
}

// Goal: PACE comes after JOINED, and at each change of it, to all.
Test(live_send, pace_is_told, .timeout = 60)
{
    ServerLiveOptions options = stage_options();
    Wire              one, two;
    Message           joined, other, pace;
    WireWorld         world;
    options.start_players = 2;
    stage_open(&stage, &options);
    stage_connect(&stage, &one);
    wire_ask(&one, "stage", 1, &joined);
    wire_wait(&one, MESSAGE_PACE, &pace);
    cr_assert_eq(pace.body.pace.is_paused, 1);
    cr_assert_eq(pace.body.pace.rate_mhz, 100000);
    stage_connect(&stage, &two);
    wire_join_world(&two, "stage", 2, &other, &world);
    wire_wait(&one, MESSAGE_PACE, &pace);
    cr_assert_eq(pace.body.pace.is_paused, 0, "to who is not ready, too");
    wire_drop(&world);
    wire_close(&one);
    wire_close(&two);
    stage_close(&stage);
}

// Goal: a state that is being compressed outlives whoever waits for it: the client that goes, the room that ends.
Test(live_send, nobody_waits_for_the_state_any_more, .timeout = 60)
{
    for (int round = 0; round < 3; round++) {
        ServerLiveOptions options = stage_options();
        Wire              old, fresh;
        Message           joined, late, message;
        WireWorld         world;
        stage_open(&stage, &options);
        stage_connect(&stage, &old);
        wire_join(&old, "stage", 1, &joined);
        stage_tick(&stage, STATE_AGE);
        stage_connect(&stage, &fresh);
        stage.holds_jobs = true;
        begin_join(&fresh, 1, 0, &late, &world);
        stage_turn(&stage);
        cr_assert_eq(stage.job_count, 1);
        if (round == 0) {
            wire_close(&fresh);
        } else if (round == 1) {
            Message leave = { .type = MESSAGE_LEAVE, .room = late.room, .epoch = late.epoch, .body.leave = { .reason = MESSAGE_REASON_ASKED } };
            wire_send(&fresh, &leave);
            stage_expect(&fresh, MESSAGE_LEFT, &message);
        } else {
            room_stop(&stage.room);
            stage_expect(&fresh, MESSAGE_LEFT, &message);
            cr_assert_eq(message.body.left.reason, MESSAGE_REASON_STOPPING);
        }
        if (round < 2) {
            stage_turn(&stage);
            stage_tick(&stage, STATE_AGE);
            stage_look(&stage, 250); // the room has forgotten it, too
        }
        cr_assert_eq(stage.job_count, 1);
        stage.holds_jobs = false;
        stage_turn(&stage);
        cr_assert_eq(stage.room.live->jobs, 0);
        wire_drop(&world);
        wire_close(&old);
        wire_close(&fresh);
        stage_close(&stage);
    }
}

// Goal: a stalling room waits for who has the state, and not for who is still being sent it.
Test(live_send, a_stalling_room_does_not_wait_for_joiners, .timeout = 60)
{
    ServerLiveOptions options = stage_options();
    Wire              old, fresh;
    Message           joined, late;
    WireWorld         world;
    options.missing = SERVER_MISSING_STALL;
    stage_open(&stage, &options);
    stage_connect(&stage, &old);
    wire_join(&old, "stage", 1, &joined);
    for (uint64_t tick = 0; tick < STATE_AGE; tick++) {
        say_input(&old, &joined, 0, tick);
        cr_assert_eq(stage_tick(&stage, 1), 1);
    }
    stage_connect(&stage, &fresh);
    stage.holds_jobs = true;
    begin_join(&fresh, 1, 0, &late, &world);
    for (uint64_t tick = STATE_AGE; tick < STATE_AGE + 20; tick++) {
        say_input(&old, &joined, 0, tick);
        cr_assert_eq(stage_tick(&stage, 1), 1);
    }
    cr_assert_eq(stage.room.result.live.stalls, 0);
    stage.holds_jobs = false;
    stage_turn(&stage);
    wire_take_state(&fresh, &late, &world);
    say_input(&old, &joined, 0, STATE_AGE + 20);
    cr_assert_eq(stage_tick(&stage, 1), 0, "now it waits for both");
    cr_assert_eq(stage.room.result.live.stalls, 1);
    cr_assert_not(live_is_ready(&stage.room));
    say_input(&fresh, &late, 1, STATE_AGE + 20);
    stage_turn(&stage);
    stage_turn(&stage);
    cr_assert(live_is_ready(&stage.room));
    room_wake(&stage.room, stage.now_ns + 1);
    cr_assert_eq(stage_next(&stage), STATE_AGE + 21);
    wire_drop(&world);
    wire_close(&old);
    wire_close(&fresh);
    stage_close(&stage);
}

// Goal: a paused room sends a large state all the same, with its looks.
Test(live_send, a_large_state_of_a_paused_room, .timeout = 60)
{
    ServerLiveOptions options = stage_options();
    Wire              wire;
    Message           joined, message;
    WireWorld         world;
    uint32_t          have = 0;
    uint32_t          total = 1;
    options.world = &live_fixture_large;
    options.start_players = 2;
    stage_open(&stage, &options);
    stage_connect(&stage, &wire);
    begin_join(&wire, 1, 0, &joined, &world);
    int looks = 0;
    for (; have < total; looks++) {
        cr_assert_lt(looks, 40, "%u of %u bytes", have, total);
        stage_look(&stage, 250);
        stage_ping(&wire);
        while (stage_until_pong(&wire, &message)) {
            total = message.type == MESSAGE_STATE ? message.body.state.packed_size : total;
            have += message.type == MESSAGE_PIECE ? message.body.piece.size : 0;
        }
    }
    cr_assert_gt(total, 100000);
    cr_assert_eq(stage_tick(&stage, 1), 0);
    wire_drop(&world);
    wire_close(&wire);
    stage_close(&stage);
}

// test_room.c: one room without a loop: the caller's hand is the clock.
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>

#include "room.h"
#include "server_fixture.h"

typedef struct {
    Fixture       fixture;
    EventLog      events;
    ServerOptions options;
    RoomHost      host;
    Room         *room;
} Stage;

static void post(void *to, ServerEvent *event)
{
    fixture_event(to, event);
}

static void drained(void *to)
{
    (void)to;
}

static void stage_open(Stage *stage, uint32_t rate_hz, uint64_t ticks)
{
    LogPlan plan = { .world = &testworld_flat, .players = 2, .seed = 5, .ticks = ticks, .tick_rate_hz = rate_hz };
    *stage = (Stage){ .fixture = fixture_open(), .options = { .find_world = fixture_find_world } };
    stage->host = (RoomHost){ .options = &stage->options, .post = post, .drained = drained, .to = &stage->events };
    fixture_write_log(&stage->fixture, "a.tpr", &plan);
    stage->room = calloc(1, sizeof(*stage->room));
    stage->room->host = &stage->host;
    stage->room->source.file = -1;
    stage->room->loops_wanted = 1;
    snprintf(stage->room->result.name, sizeof(stage->room->result.name), "a");
    snprintf(stage->room->result.path, sizeof(stage->room->result.path), "%s", fixture_path(stage->fixture.path, "a.tpr"));
    room_open(stage->room);
    room_start_clock(stage->room, 0);
    cr_assert_eq(stage->room->result.state, SERVER_ROOM_RUNNING);
}

static void stage_close(Stage *stage)
{
    room_finish(stage->room);
    free(stage->room);
    fixture_close(&stage->fixture);
}

// Goal: at 60 Hz, a hitch of one second releases five ticks, drops 55, and the phase of later ticks stays.
Test(room, hitch_of_a_second_drops_55, .timeout = 30)
{
    Stage stage;
    stage_open(&stage, 60, 200);
    for (int i = 0; i < 60; i++) {
        room_wake(stage.room, room_next_due_ns(stage.room));
    }
    cr_assert_eq(tp_sim_tick(stage.room->sim), 60);
    int64_t done_ns = INT64_C(1000000000);
    room_wake(stage.room, done_ns + 1000000000);
    cr_assert_eq(tp_sim_tick(stage.room->sim), 65);
    cr_assert_eq(stage.room->result.dropped_ticks, 55);
    cr_assert_eq(stage.room->result.hitches, 1);
    cr_assert_eq(stage.events.counts[SERVER_EVENT_ROOM_LATE], 1);
    cr_assert_eq(stage.events.last[SERVER_EVENT_ROOM_LATE].value, 55);
    cr_assert_eq(room_next_due_ns(stage.room), INT64_C(2016666666));
    // Four of the five began more than one period after they were due, and so did the first: all five.
    cr_assert_eq(stage.room->result.late_ticks, 5);
    stage_close(&stage);
}

// Goal: what was measured before counts for nothing afterwards, and the clock goes on as it was.
Test(room, measures_anew, .timeout = 30)
{
    Stage stage;
    stage_open(&stage, 60, 200);
    room_wake(stage.room, INT64_C(2000000000));
    cr_assert_eq(stage.room->result.dropped_ticks, 115);
    int64_t due_ns = room_next_due_ns(stage.room);
    room_measure(stage.room);
    cr_assert_eq(stage.room->result.dropped_ticks, 0);
    cr_assert_eq(stage.room->result.late_ticks, 0);
    cr_assert_eq(stage.room->lateness.count, 0);
    cr_assert_eq(room_next_due_ns(stage.room), due_ns);
    room_wake(stage.room, due_ns + 1000);
    cr_assert_eq(stage.room->lateness.count, 1);
    cr_assert_eq(stage.room->lateness.max_ns, 1000);
    cr_assert_eq(stage.room->result.dropped_ticks, 0);
    room_stop(stage.room);
    cr_assert_eq(stage.room->result.held_ticks, 0, "one tick makes no period");
    stage_close(&stage);
}

Test(room, wakes_early_does_nothing, .timeout = 30)
{
    Stage stage;
    stage_open(&stage, 1000, 50);
    room_wake(stage.room, 999999);
    cr_assert_eq(tp_sim_tick(stage.room->sim), 0);
    room_wake(stage.room, 1000000);
    cr_assert_eq(tp_sim_tick(stage.room->sim), 1);
    cr_assert_eq(stage.room->lateness.max_ns, 0);
    room_wake(stage.room, 4500000);
    cr_assert_eq(tp_sim_tick(stage.room->sim), 4);
    cr_assert_eq(stage.room->lateness.max_ns, 2500000, "due at 2 ms, begun at 4.5 ms");
    cr_assert_eq(stage.room->result.dropped_ticks, 0);
    stage_close(&stage);
}

// Goal: drops within a second are told once, with their sum.
Test(room, late_reports_are_added_up, .timeout = 30)
{
    Stage stage;
    stage_open(&stage, 1000, 400);
    for (int64_t i = 1; i <= 30; i++) {
        room_wake(stage.room, i * 50000000);
    }
    cr_assert_eq(stage.room->result.hitches, 30);
    cr_assert_eq(stage.room->result.dropped_ticks, 30 * 45);
    cr_assert_eq(stage.events.counts[SERVER_EVENT_ROOM_LATE], 2);
    cr_assert_eq(stage.events.last[SERVER_EVENT_ROOM_LATE].value, 20 * 45);
    stage_close(&stage);
}

static int64_t counted_ns;
static int64_t count_clock(void)
{
    return counted_ns += 1000;
}

Test(room, slice_ends_when_its_time_is_over, .timeout = 30)
{
    Stage stage;
    stage_open(&stage, 60, 100);
    counted_ns = 0;
    room_slice(stage.room, 21000, count_clock);
    cr_assert_eq(tp_sim_tick(stage.room->sim), 20);
    room_slice(stage.room, 0, count_clock);
    cr_assert_eq(tp_sim_tick(stage.room->sim), 21, "a slice without time still gets on");
    room_slice(stage.room, INT64_MAX, count_clock);
    cr_assert_eq(stage.room->result.state, SERVER_ROOM_DONE);
    cr_assert_eq(stage.room->result.report.verdict, TP_VERIFIED);
    stage_close(&stage);
}

// test_live_recovery.c: what a live room comes through and goes on from: kills of its server, disks that were full, clients that are slow or wrong on
// purpose. Each test is one way in which it once went on wrongly, or could.
#include <criterion/criterion.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include "live_stage.h"

static Stage            stage;
static const tp_hash128 wrong_root = { 1, 2 };

static void leave(Wire *wire, const Message *joined)
{
    Message message = { .type = MESSAGE_LEAVE, .room = joined->room, .epoch = joined->epoch, .body.leave = { .reason = MESSAGE_REASON_ASKED } };
    wire_send(wire, &message);
}

static void report(Wire *wire, const Message *joined, uint64_t tick)
{
    Message message = { .type = MESSAGE_REPORT, .room = joined->room, .epoch = joined->epoch, .tick = tick, .body.report = { .root = wrong_root } };
    wire_send(wire, &message);
}

static void turn(int times)
{
    for (int i = 0; i < times; i++) {
        stage_turn(&stage);
    }
}

// As the room is now, found by the next server. The stage's own directory goes with it, so the copy is beside that.
static void kill_server(char path[300])
{
    snprintf(path, 300, "%s-killed.tpr", stage.fixture.path);
    stage_copy_log(&stage, path);
    stage_close(&stage);
}

static void start_again(const ServerLiveOptions *options, const char *path)
{
    stage_open_after(&stage, options, path);
    unlink(path);
}

static ServerLiveOptions recorded(void)
{
    ServerLiveOptions options = stage_options();
    options.record_dir = "";
    return options;
}

// Whose log is it?

static void run_alone(const char *name, uint32_t ticks, char path[300])
{
    ServerLiveOptions options = recorded();
    options.name = name;
    options.when_empty = SERVER_EMPTY_RUN;
    stage_open(&stage, &options);
    cr_assert_eq(stage_tick(&stage, ticks), ticks);
    kill_server(path);
}

static void expect_log(const char *room, const StageLog *logs, size_t count, uint64_t next_tick, const char *file_name)
{
    ServerLiveOptions options = recorded();
    options.name = room;
    options.when_empty = SERVER_EMPTY_RUN;
    stage_open_among(&stage, &options, logs, count);
    cr_assert_eq(stage_next(&stage), next_tick, "room %s goes on at tick %llu", room, (unsigned long long)stage_next(&stage));
    cr_assert_str_eq(strrchr(stage.room.log.path, '/') + 1, file_name);
    stage_close(&stage);
}

// Goal: the first log of room "stage.2" has the name of the second log of room "stage". Each takes up its own, whichever is there.
Test(live_recovery, rooms_whose_names_look_like_each_others_logs, .timeout = 60)
{
    char one[300], two[300];
    run_alone("stage", 10, one);
    run_alone("stage.2", 40, two);
    const StageLog both[] = { { one, "stage.tpr" }, { two, "stage.2.tpr" } };
    const StageLog later[] = { { one, "stage.2.tpr" } };
    expect_log("stage", both, 2, 10, "stage.tpr");
    expect_log("stage.2", both, 2, 40, "stage.2.tpr");
    expect_log("stage", both + 1, 1, 0, "stage.tpr");
    expect_log("stage", later, 1, 10, "stage.2.tpr");
    unlink(one);
    unlink(two);
}

// What a room that is taken up still knows.

// Goal: a room that waits for its second player when its server is killed waits for him afterwards, too.
Test(live_recovery, a_room_that_had_not_begun_still_waits, .timeout = 30)
{
    ServerLiveOptions options = recorded();
    char              path[300];
    Wire              one, two;
    Message           joined;
    options.start_players = 2;
    options.rejoin_seconds = UINT32_MAX;
    stage_open(&stage, &options);
    stage_connect(&stage, &one);
    wire_join(&one, "stage", 1, &joined);
    cr_assert_eq(stage_tick(&stage, 10), 0);
    wire_close(&one);
    kill_server(path);
    start_again(&options, path);
    cr_assert_eq(stage.events.counts[SERVER_EVENT_ROOM_RECOVERED], 1);
    stage_connect(&stage, &one);
    wire_join(&one, "stage", 1, &joined);
    cr_assert_eq(stage_tick(&stage, 10), 0, "one is not two");
    stage_connect(&stage, &two);
    wire_join(&two, "stage", 1, &joined);
    cr_assert_eq(stage_tick(&stage, 10), 10);
    wire_close(&one);
    wire_close(&two);
    stage_close(&stage);
}

// Goal: a room that ends with its last player ends when its server was killed and nobody can come back.
Test(live_recovery, a_room_of_which_nobody_can_come_back_ends, .timeout = 30)
{
    ServerLiveOptions options = recorded();
    char              path[300];
    Wire              wire;
    Message           joined;
    options.when_empty = SERVER_EMPTY_END;
    options.rejoin_seconds = UINT32_MAX;
    stage_open(&stage, &options);
    stage_connect(&stage, &wire);
    wire_join(&wire, "stage", 1, &joined);
    stage_tick(&stage, 10);
    wire_close(&wire);
    kill_server(path);
    start_again(&options, path);
    cr_assert_eq(stage_next(&stage), 10);
    cr_assert_leq(stage_tick(&stage, 5), 1, "the world sees them leave");
    cr_assert_neq(stage.room.result.state, SERVER_ROOM_RUNNING);
    stage_close(&stage);
}

static bool is_kept(uint32_t slot)
{
    return stage.room.live->slots[slot].seat != NULL;
}

// Goal: slots that nobody came back to after a kill are free after the next one, and so are those of who came back and left.
Test(live_recovery, who_is_gone_is_gone_after_two_kills, .timeout = 30)
{
    ServerLiveOptions options = recorded();
    char              path[300];
    Wire              one, two;
    Message           joined[2], back;
    options.when_empty = SERVER_EMPTY_RUN;
    options.rejoin_seconds = 5;
    stage_open(&stage, &options);
    stage_connect(&stage, &one);
    wire_join(&one, "stage", 1, &joined[0]);
    stage_connect(&stage, &two);
    wire_join(&two, "stage", 1, &joined[1]);
    stage_tick(&stage, 10);
    wire_close(&one);
    wire_close(&two);
    kill_server(path);
    start_again(&options, path);
    cr_assert(is_kept(0) && is_kept(1));
    stage_connect(&stage, &one);
    wire_ask_as(&one, "stage", 1, 0, joined[0].body.joined.token, &back);
    cr_assert_eq(back.type, MESSAGE_JOINED);
    leave(&one, &back);
    turn(5);
    stage_look(&stage, 6000); // the other does not come
    cr_assert_not(is_kept(0) || is_kept(1));
    stage_tick(&stage, 10);
    wire_close(&one);
    kill_server(path);
    start_again(&options, path);
    cr_assert_not(is_kept(0), "he came back and left");
    cr_assert_not(is_kept(1), "he did not come back");
    stage_close(&stage);
}

// Goal: who was not kept by a server that keeps nobody is not awaited by the next one, which would.
Test(live_recovery, who_was_not_kept_is_a_stranger_after_two_kills, .timeout = 30)
{
    ServerLiveOptions options = recorded();
    char              path[300];
    Wire              wire;
    Message           joined;
    options.when_empty = SERVER_EMPTY_RUN;
    stage_open(&stage, &options);
    stage_connect(&stage, &wire);
    wire_join(&wire, "stage", 1, &joined);
    stage_tick(&stage, 10);
    wire_close(&wire);
    kill_server(path);
    options.rejoin_seconds = UINT32_MAX;
    start_again(&options, path);
    stage_tick(&stage, 5);
    kill_server(path);
    options.rejoin_seconds = 0;
    start_again(&options, path);
    cr_assert_eq(stage_next(&stage), 15);
    cr_assert_not(is_kept(0));
    stage_close(&stage);
}

// Goal: who is kept after a kill and a tick, and then a kill again, is kept still: the log that goes on knows him.
Test(live_recovery, who_is_awaited_is_awaited_after_two_kills, .timeout = 30)
{
    ServerLiveOptions options = recorded();
    char              path[300];
    Wire              wire;
    Message           joined, back;
    options.when_empty = SERVER_EMPTY_RUN;
    stage_open(&stage, &options);
    stage_connect(&stage, &wire);
    wire_join(&wire, "stage", 2, &joined);
    stage_tick(&stage, 10);
    wire_close(&wire);
    kill_server(path);
    for (int i = 0; i < 2; i++) {
        start_again(&options, path);
        cr_assert(is_kept(0) && is_kept(1));
        stage_tick(&stage, 5);
        kill_server(path);
    }
    start_again(&options, path);
    stage_connect(&stage, &wire);
    wire_ask_as(&wire, "stage", 2, 0, joined.body.joined.token, &back);
    cr_assert_eq(back.type, MESSAGE_JOINED);
    wire_close(&wire);
    stage_close(&stage);
}

// Disks.

static void tick_until(bool is_failed)
{
    for (int i = 0; i < 5000 && stage.room.is_log_failed != is_failed; i++) {
        stage_tick(&stage, 10);
        usleep(1000); // its recorder finds out
    }
    cr_assert_eq(stage.room.is_log_failed, is_failed);
}

// Goal: who comes and who leaves while the disk is full is right in the log once it takes bytes again.
Test(live_recovery, members_of_a_time_without_a_log, .timeout = 60)
{
    ServerLiveOptions options = recorded();
    struct rlimit     usual, tight;
    char              path[300];
    Wire              one, two;
    Message           first, second, back;
    signal(SIGXFSZ, SIG_IGN);
    stage_open(&stage, &options);
    stage_connect(&stage, &one);
    stage_connect(&stage, &two);
    wire_join(&one, "stage", 1, &first);
    cr_assert_eq(getrlimit(RLIMIT_FSIZE, &usual), 0);
    tight = usual;
    tight.rlim_cur = 16384;
    cr_assert_eq(setrlimit(RLIMIT_FSIZE, &tight), 0);
    tick_until(true);
    wire_join(&two, "stage", 2, &second);
    stage_tick(&stage, 5);
    leave(&one, &first);
    stage_tick(&stage, 10);
    cr_assert(stage.room.is_log_failed);
    cr_assert_eq(setrlimit(RLIMIT_FSIZE, &usual), 0);
    tick_until(false);
    stage_tick(&stage, 50);
    wire_close(&one);
    wire_close(&two);
    kill_server(path);
    start_again(&options, path);
    cr_assert_not(is_kept(0), "who left while nothing was recorded");
    cr_assert(is_kept(1) && is_kept(2), "who came while nothing was recorded");
    stage_connect(&stage, &two);
    wire_ask_as(&two, "stage", 2, 0, second.body.joined.token, &back);
    cr_assert_eq(back.type, MESSAGE_JOINED);
    wire_close(&two);
    stage_close(&stage);
}

static uint64_t size_after(int cycles)
{
    ServerLiveOptions options = recorded();
    Wire              wire;
    Message           message;
    stage_open(&stage, &options);
    stage_connect(&stage, &wire);
    for (int i = 0; i < cycles; i++) {
        wire_ask(&wire, "stage", 4, &message);
        cr_assert_eq(message.type, MESSAGE_JOINED);
        wire_ready(&wire, &message, tp_sim_rules(stage.room.sim)->id);
        leave(&wire, &message);
        wire_wait(&wire, MESSAGE_LEFT, &message);
        stage.now_ns += 100000000; // that is no flood
    }
    cr_assert_eq(stage.room.result.live.joins, (uint64_t)cycles);
    cr_assert_eq(stage_next(&stage), 0);
    wire_close(&wire);
    stage_end(&stage);
    uint64_t size = fixture_size(stage.room.result.log_path);
    stage_close(&stage);
    return size;
}

// Goal: whoever comes and goes between two ticks costs the log nothing, however often.
Test(live_recovery, joining_and_leaving_between_ticks_is_not_recorded, .timeout = 60)
{
    cr_assert_eq(size_after(60), size_after(0));
}

// Roots of a world that was put right.

static void expect_desyncs(uint64_t count)
{
    turn(5);
    cr_assert_eq(stage.room.result.live.desyncs, count, "%llu of them", (unsigned long long)stage.room.result.live.desyncs);
    cr_assert_eq(stage.room.live->member_count, 1);
}

// Goal: what was reported of ticks before it had the room's state is about the old world and is nothing; of the state itself it counts.
Test(live_recovery, reports_of_the_world_before_a_resync, .timeout = 30)
{
    ServerLiveOptions options = stage_options();
    Wire              wire;
    Message           joined;
    options.on_desync = SERVER_DESYNC_RESYNC;
    options.report_ticks = 1;
    stage_open(&stage, &options);
    stage_connect(&stage, &wire);
    wire_join(&wire, "stage", 1, &joined);
    stage_tick(&stage, 100);
    for (uint64_t tick = 80; tick < 99; tick++) {
        report(&wire, &joined, tick);
        stage_tick(&stage, tick % 3 == 0 ? 1 : 0);
    }
    expect_desyncs(1);
    uint64_t state_tick = stage.room.live->members->state_tick;
    cr_assert_geq(state_tick, 100);
    report(&wire, &joined, state_tick - 1);
    expect_desyncs(2);
    stage_tick(&stage, 5);
    report(&wire, &joined, stage_next(&stage) - 1);
    expect_desyncs(3);
    wire_close(&wire);
    stage_close(&stage);
}

// Goal: a halted room that is resumed before the bundle is there puts the client right when it is, and hears when it is wrong again.
Test(live_recovery, resumed_before_the_bundle_was_written, .timeout = 30)
{
    ServerLiveOptions options = recorded();
    Wire              wire, admin;
    Message           joined;
    options.on_desync = SERVER_DESYNC_HALT;
    options.report_ticks = 1;
    stage_open(&stage, &options);
    stage_connect(&stage, &wire);
    wire_join(&wire, "stage", 1, &joined);
    stage_tick(&stage, 20);
    report(&wire, &joined, 10);
    expect_desyncs(1);
    cr_assert(stage.room.live->is_held);
    stage_connect(&stage, &admin);
    cr_assert(stage_admin(&stage, &admin, MESSAGE_VERB_RESUME, 0, 0, NULL, 0, NULL));
    stage_tick(&stage, 80);
    cr_assert(stage.room.live->members->is_reported);
    stage_look(&stage, SERVER_OWN_STATE_MS + 1000); // its state does not come
    turn(5);
    cr_assert_not(stage.room.live->members->is_reported, "it was sent the room's state");
    cr_assert_eq(stage.room.live->members->state_tick, 100);
    stage_tick(&stage, 20);
    for (uint64_t tick = 80; tick < 99; tick++) {
        report(&wire, &joined, tick);
    }
    expect_desyncs(1);
    report(&wire, &joined, 110);
    expect_desyncs(2);
    cr_assert(stage.room.live->is_held);
    wire_close(&wire);
    wire_close(&admin);
    stage_close(&stage);
}

// Slow clients.

static void read_all(const Wire *wire)
{
    static char bytes[65536];
    while (recv(wire->socket, bytes, sizeof(bytes), MSG_DONTWAIT) > 0) { }
}

// Its line holds less than the system would give it.
static void connect_narrow(Wire *wire)
{
    int small = 4096;
    stage_connect(&stage, wire);
    uv_send_buffer_size((uv_handle_t *)&stage.last_peer->carrier.handle, &small);
    cr_assert_eq(setsockopt(wire->socket, SOL_SOCKET, SO_RCVBUF, &small, sizeof(small)), 0);
}

// From READY on it does not read.
static void watch_slowly(Wire *wire, uint32_t delay)
{
    Message   joined;
    WireWorld world;
    wire_ask_as(wire, "stage", 0, delay, NULL, &joined);
    wire_take_rules(wire, &joined, &world);
    wire_ready(wire, &joined, wire_rules_id(&world));
    wire_drop(&world);
    turn(3);
}

// Goal: when a halted room goes on, who watched too slowly may have to go in the midst of putting right who disagreed.
Test(live_recovery, a_watcher_falls_behind_while_others_are_resynced, .timeout = 120)
{
    ServerLiveOptions options = stage_options();
    Wire              slow, wire, admin;
    Message           joined;
    options.on_desync = SERVER_DESYNC_HALT;
    options.report_ticks = 1;
    options.when_empty = SERVER_EMPTY_RUN;
    stage_open(&stage, &options);
    connect_narrow(&slow);
    watch_slowly(&slow, 1);
    const Member *watcher = stage.room.live->members;
    const Peer   *peer = watcher->peer;
    for (int i = 0; i < 2000 && watcher->cursor >= stage.room.live->history.first; i++) {
        stage_tick(&stage, 50);
    }
    cr_assert_lt(watcher->cursor, stage.room.live->history.first);
    stage_connect(&stage, &wire);
    wire_join(&wire, "stage", 1, &joined);
    stage_tick(&stage, 5);
    report(&wire, &joined, stage_next(&stage) - 2);
    turn(5);
    cr_assert(stage.room.live->is_held);
    cr_assert_eq(stage.room.live->member_count, 2);
    cr_assert_eq(stage.room.live->members->next, watcher, "it comes behind who is put right");
    for (int i = 0; i < 3000 && carrier_waiting(&peer->carrier) > 1000; i++) {
        usleep(1000);
        read_all(&slow);
        uv_run(&stage.loop, UV_RUN_NOWAIT);
    }
    stage_connect(&stage, &admin);
    cr_assert(stage_admin(&stage, &admin, MESSAGE_VERB_RESUME, 0, 0, NULL, 0, NULL));
    cr_assert_eq(stage.room.live->member_count, 1, "the watcher is behind");
    cr_assert_eq(stage.room.result.live.behind, 1);
    cr_assert_not(stage.room.live->members->is_reported);
    cr_assert_eq(stage_tick(&stage, 10), 10);
    wire_close(&slow);
    wire_close(&wire);
    wire_close(&admin);
    stage_close(&stage);
}

// A narrow line takes its time.
static void patient_turn(void *to)
{
    usleep(1000);
    stage_turn(to);
}

// Goal: a state that its client does not read is held only for as long as the ticks since are kept.
Test(live_recovery, a_state_that_is_not_read_in_time, .timeout = 120)
{
    ServerLiveOptions options = stage_options();
    Wire              slow;
    Message           message;
    options.world = &live_fixture_large;
    options.when_empty = SERVER_EMPTY_RUN;
    stage_open(&stage, &options);
    connect_narrow(&slow);
    watch_slowly(&slow, 0);
    stage_tick(&stage, SERVER_HISTORY_TICKS - 10);
    cr_assert_eq(stage.room.live->member_count, 1);
    cr_assert_eq(stage.room.live->members->stage, MEMBER_STATE);
    stage_tick(&stage, 20);
    cr_assert_eq(stage.room.live->member_count, 0);
    cr_assert_eq(stage.room.result.live.behind, 1);
    stage_look(&stage, 250);
    cr_assert_null(stage.room.live->state, "nobody holds it any more");
    slow.turn = patient_turn;
    wire_wait(&slow, MESSAGE_LEFT, &message);
    cr_assert_eq(message.body.left.reason, MESSAGE_REASON_BEHIND);
    wire_close(&slow);
    stage_close(&stage);
}

// Bundles.

static void disagree(void)
{
    Wire    wire;
    Message joined, message;
    stage_connect(&stage, &wire);
    wire_join(&wire, "stage", 0, &joined);
    stage_tick(&stage, 2);
    report(&wire, &joined, stage_next(&stage) - 1);
    turn(3);
    leave(&wire, &joined);
    wire_wait(&wire, MESSAGE_LEFT, &message);
    turn(3);
    wire_close(&wire);
    turn(3);
}

// Goal: some bundles at once, then one in a while: a client that disagrees on purpose does not fill the disk.
Test(live_recovery, bundles_are_rationed, .timeout = 60)
{
    ServerLiveOptions options = recorded();
    options.when_empty = SERVER_EMPTY_RUN;
    options.report_ticks = 1;
    stage_open(&stage, &options);
    for (int i = 0; i < SERVER_BUNDLES_BURST + 3; i++) {
        disagree();
    }
    cr_assert_eq(stage.room.result.live.desyncs, SERVER_BUNDLES_BURST + 3);
    cr_assert_eq(stage.room.live->bundles, SERVER_BUNDLES_BURST);
    stage.now_ns += (int64_t)SERVER_BUNDLE_MS * 1000000;
    room_start_clock(&stage.room, stage.now_ns);
    disagree();
    disagree();
    cr_assert_eq(stage.room.live->bundles, SERVER_BUNDLES_BURST + 1);
    cr_assert_eq(stage.events.counts[SERVER_EVENT_ROOM_BUNDLE], SERVER_BUNDLES_BURST + 1);
    stage_close(&stage);
}

// Slots.

static uint8_t presence_after_a_tick(void)
{
    cr_assert_eq(stage_tick(&stage, 1), 1);
    return stage.room.live->presence[0];
}

// Goal: a slot is free as soon as it is left, also in a room that stands still; the world sees one tick without its last owner before it sees the
// next one. Who comes back to his own was never away.
Test(live_recovery, a_slot_changes_hands_while_the_room_stands_still, .timeout = 30)
{
    ServerLiveOptions options = stage_options();
    Wire              one, two, three, admin;
    Message           joined, kept, next, back;
    options.players = 2;
    stage_open(&stage, &options);
    stage_connect(&stage, &admin);
    stage_connect(&stage, &one);
    stage_connect(&stage, &two);
    stage_connect(&stage, &three);
    wire_join(&one, "stage", 1, &joined);
    wire_join(&two, "stage", 1, &kept);
    cr_assert_eq(stage_tick(&stage, 5), 5);
    cr_assert(stage_admin(&stage, &admin, MESSAGE_VERB_PAUSE, 0, 0, NULL, 0, NULL));
    leave(&one, &joined);
    wire_close(&two);
    turn(5);
    wire_join(&three, "stage", 1, &next);
    cr_assert_eq(next.type, MESSAGE_JOINED);
    cr_assert_eq(next.body.joined.slots[0], joined.body.joined.slots[0]);
    stage_connect(&stage, &two);
    wire_ask_as(&two, "stage", 1, 0, kept.body.joined.token, &back);
    cr_assert_eq(back.type, MESSAGE_JOINED);
    cr_assert_eq(stage_tick(&stage, 5), 0);
    cr_assert(stage_admin(&stage, &admin, MESSAGE_VERB_RESUME, 0, 0, NULL, 0, NULL));
    cr_assert_eq(presence_after_a_tick(), 2, "without who left");
    cr_assert_eq(presence_after_a_tick(), 3, "with who came");
    wire_close(&one);
    wire_close(&two);
    wire_close(&three);
    wire_close(&admin);
    stage_close(&stage);
}

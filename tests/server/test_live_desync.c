// test_live_desync.c: roots that clients report, and everything that may follow when one is another: what it asks for, what comes of every kind
// of answer, what is on the disk then, and what becomes of the client.
#include <criterion/criterion.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "live_stage.h"

static Stage stage;

/// A client with a world of its own.
typedef struct {
    Wire      wire;
    Message   joined;
    WireWorld world;
    tp_sim   *sim;
} Client;

static void client_join(Client *client, uint32_t slots)
{
    stage_connect(&stage, &client->wire);
    wire_join_world(&client->wire, "stage", slots, &client->joined, &client->world);
    cr_assert_eq(client->joined.type, MESSAGE_JOINED);
    client->sim = live_fixture_make_sim(&client->world);
}

static void client_close(Client *client)
{
    wire_drop(&client->world);
    wire_close(&client->wire);
    tp_sim_destroy(client->sim);
}

// Takes the rows up to the room's present. Roots are compared by whoever wants to.
static void client_follow(Client *client)
{
    Message  message;
    tp_error error;
    while (tp_sim_tick(client->sim) < stage_next(&stage)) {
        stage_expect(&client->wire, MESSAGE_CONFIRMED, &message);
        cr_assert_eq(message.tick, tp_sim_tick(client->sim));
        cr_assert_eq(tp_sim_step_bytes(client->sim, message.body.confirmed.bytes, message.body.confirmed.size, &error), TP_SIM_OK, "%s", error.text);
    }
}

static void client_report(Client *client, uint64_t tick, tp_hash128 root)
{
    Message message = { .type = MESSAGE_REPORT, .room = client->joined.room, .epoch = client->joined.epoch, .tick = tick, .body.report = { .root = root } };
    wire_send(&client->wire, &message);
}

// Its world goes another way from the next tick on.
static void client_spoil(Client *client)
{
    const tp_layout *layout = tp_sim_layout(client->sim);
    TestPlayer      *players = (TestPlayer *)((uint8_t *)tp_sim_state(client->sim) + layout->section_offset[TESTWORLD_PLAYERS]);
    players[1].presses += 5;
}

// Steps the room, follows, and reports the last tick. Returns it.
static uint64_t client_go_wrong(Client *client, uint32_t ticks)
{
    client_follow(client);
    client_spoil(client);
    cr_assert_eq(stage_tick(&stage, ticks), ticks);
    client_follow(client);
    client_report(client, tp_sim_tick(client->sim) - 1, tp_sim_root(client->sim));
    return tp_sim_tick(client->sim) - 1;
}

static uint8_t *client_pack(Client *client, size_t *size, size_t *packed_size)
{
    size_t   capacity = tp_sim_encoded_max(client->sim);
    uint8_t *state = malloc(capacity);
    cr_assert(tp_sim_encode(client->sim, state, capacity, size));
    uint8_t *packed = live_fixture_pack(state, *size, packed_size);
    free(state);
    return packed;
}

static void send_own_state(Client *client, uint64_t tick, uint32_t size, uint32_t packed_size)
{
    Message message = {
        .type = MESSAGE_OWN_STATE, .room = client->joined.room, .epoch = client->joined.epoch, .tick = tick,
        .body.own_state = { .size = size, .packed_size = packed_size, .root = tp_sim_root(client->sim), .input_leaf = tp_sim_input_leaf(client->sim),
                            .event_leaf = tp_sim_event_leaf(client->sim), .build = message_text("a test") },
    };
    wire_send(&client->wire, &message);
}

static void send_piece(Client *client, uint64_t tick, const uint8_t *bytes, uint32_t total, uint32_t offset, uint32_t size)
{
    Message message = {
        .type = MESSAGE_PIECE, .room = client->joined.room, .epoch = client->joined.epoch, .tick = tick,
        .body.piece = { .kind = MESSAGE_PIECE_OWN, .total = total, .offset = offset, .size = (uint16_t)size, .bytes = bytes + offset },
    };
    wire_send(&client->wire, &message);
}

// All of it, in pieces of 100 bytes.
static void send_pieces(Client *client, uint64_t tick, const uint8_t *packed, uint32_t packed_size)
{
    for (uint32_t offset = 0; offset < packed_size; offset += 100) {
        send_piece(client, tick, packed, packed_size, offset, packed_size - offset < 100 ? packed_size - offset : 100);
    }
}

static void client_answer(Client *client, uint64_t tick)
{
    size_t   size, packed_size;
    uint8_t *packed = client_pack(client, &size, &packed_size);
    send_own_state(client, tick, (uint32_t)size, (uint32_t)packed_size);
    send_pieces(client, tick, packed, (uint32_t)packed_size);
    free(packed);
}

static void expect_wanted(Client *client, uint64_t tick)
{
    Message message;
    stage_expect(&client->wire, MESSAGE_WANTED, &message);
    cr_assert_eq(message.tick, tick);
    cr_assert_not(tp_hash128_equal(message.body.wanted.root, tp_sim_root(client->sim)));
}

static uint32_t count_bundles(void)
{
    DIR     *listing = opendir(stage.fixture.record);
    uint32_t count = 0;
    cr_assert_not_null(listing);
    for (struct dirent *entry = readdir(listing); entry != NULL; entry = readdir(listing)) {
        cr_assert_null(strstr(entry->d_name, ".part"), "%s is half a bundle", entry->d_name);
        count += strstr(entry->d_name, ".desync") != NULL ? 1 : 0;
    }
    closedir(listing);
    return count;
}

// One bundle, of this tick and slot, and what is said of it.
static void expect_bundle(uint64_t tick, const char *slot, const char *said)
{
    char               name[64];
    const ServerEvent *event = &stage.events.last[SERVER_EVENT_ROOM_BUNDLE];
    for (int i = 0; i < 20 && stage.events.counts[SERVER_EVENT_ROOM_BUNDLE] == 0; i++) {
        stage_turn(&stage);
    }
    cr_assert_eq(stage.events.counts[SERVER_EVENT_ROOM_BUNDLE], 1);
    cr_assert_eq(event->tick, tick);
    cr_assert_not_null(strstr(event->text, said), "%s", event->text);
    snprintf(name, sizeof(name), "stage.tick%u.%s.desync", (unsigned)tick, slot);
    DIR *bundle = opendir(fixture_path(stage.fixture.record, name));
    cr_assert_not_null(bundle, "%s: %s", name, event->text);
    closedir(bundle);
    cr_assert_eq(count_bundles(), 1);
}

static void open_with(ServerDesync policy)
{
    ServerLiveOptions options = stage_options();
    options.on_desync = policy;
    options.record_dir = "";
    stage_open(&stage, &options);
}

// The room goes on, and its log is what it should be.
static void close_verified(void)
{
    stage_end(&stage);
    tp_report report = fixture_verify(stage.room.result.log_path);
    cr_assert_eq(report.verdict, TP_VERIFIED, "%s", report.message);
    stage_close(&stage);
}

// Goal: roots that are the room's are counted and change nothing; those of ticks that are not kept, or not yet confirmed to who says them, are
// nobody's; those of another epoch are dropped.
Test(live_desync, reports_that_agree, .timeout = 30)
{
    Client client;
    open_with(SERVER_DESYNC_KICK);
    client_join(&client, 2);
    for (int i = 0; i < 200; i++) {
        stage_tick(&stage, 1);
        client_follow(&client);
        client_report(&client, tp_sim_tick(client.sim) - 1, tp_sim_root(client.sim));
    }
    stage_expect_silence(&stage, &client.wire);
    cr_assert_eq(stage.room.result.live.reports, 200);
    tp_hash128 wrong = { 1, 2 };
    client_report(&client, 200, wrong); // the next tick
    client_report(&client, UINT64_MAX - 1, wrong);
    stage_expect_silence(&stage, &client.wire);
    cr_assert_eq(stage.room.result.live.reports_old, 2);
    client.joined.epoch += 1;
    client_report(&client, 199, wrong);
    client.joined.epoch -= 1;
    stage_expect_silence(&stage, &client.wire);
    cr_assert_eq(stage.room.result.live.reports_old + stage.room.result.live.reports, 202);
    for (int i = 0; i < SERVER_HISTORY_TICKS; i++) {
        stage_tick(&stage, 1);
        client_follow(&client);
    }
    client_report(&client, 199, wrong);
    stage_expect_silence(&stage, &client.wire);
    cr_assert_eq(stage.room.result.live.reports_old, 3, "not kept any more");
    cr_assert_eq(stage.room.result.live.desyncs, 0);
    client_report(&client, 200, wrong); // the oldest that is
    stage_turn(&stage);
    stage_turn(&stage);
    cr_assert_eq(stage.room.result.live.desyncs, 1);
    client_close(&client);
    close_verified();
}

// Goal: who watches behind the others says nothing about ticks that he cannot know yet.
Test(live_desync, reports_of_what_was_held_back, .timeout = 30)
{
    Client  player, watcher;
    Message message;
    open_with(SERVER_DESYNC_KICK);
    client_join(&player, 1);
    stage_connect(&stage, &watcher.wire);
    wire_ask_as(&watcher.wire, "stage", 0, 40, NULL, &watcher.joined);
    wire_take_rules(&watcher.wire, &watcher.joined, &watcher.world);
    wire_ready(&watcher.wire, &watcher.joined, wire_rules_id(&watcher.world));
    stage_tick(&stage, 60);
    wire_take_state(&watcher.wire, &watcher.joined, &watcher.world);
    watcher.sim = live_fixture_make_sim(&watcher.world);
    for (uint64_t tick = watcher.world.state.tick; tick + 40 < 60; tick++) {
        stage_expect(&watcher.wire, MESSAGE_CONFIRMED, &message);
        cr_assert_eq(message.tick, tick);
    }
    client_report(&watcher, message.tick + 1, (tp_hash128){ 1, 2 });
    stage_expect_silence(&stage, &watcher.wire);
    cr_assert_eq(stage.room.result.live.reports_old, 1);
    cr_assert_eq(stage.room.result.live.desyncs, 0);
    client_report(&watcher, message.tick, message.body.confirmed.root);
    stage_expect_silence(&stage, &watcher.wire);
    cr_assert_eq(stage.room.result.live.reports, 1);
    client_close(&player);
    client_close(&watcher);
    close_verified();
}

// Goal: a root that differs leaves a bundle that names the field, and the client is given the room's state and agrees from there on.
Test(live_desync, resync, .timeout = 30)
{
    Client client;
    open_with(SERVER_DESYNC_RESYNC);
    client_join(&client, 2);
    stage_tick(&stage, 100);
    uint64_t tick = client_go_wrong(&client, 7);
    expect_wanted(&client, tick);
    cr_assert_eq(stage.events.counts[SERVER_EVENT_ROOM_DESYNC], 1);
    cr_assert_eq(stage.events.last[SERVER_EVENT_ROOM_DESYNC].tick, tick);
    cr_assert_eq(stage.events.last[SERVER_EVENT_ROOM_DESYNC].value, 0);
    client_report(&client, tick, tp_sim_root(client.sim)); // said twice, told once
    client_answer(&client, tick);
    wire_take_state(&client.wire, &client.joined, &client.world);
    expect_bundle(tick, "slot0", "players[1].presses");
    tp_sim_destroy(client.sim);
    client.sim = live_fixture_make_sim(&client.world);
    stage_tick(&stage, 50);
    client_follow(&client);
    cr_assert(tp_hash128_equal(tp_sim_root(client.sim), tp_sim_root(stage.room.sim)));
    client_report(&client, tp_sim_tick(client.sim) - 1, tp_sim_root(client.sim));
    stage_expect_silence(&stage, &client.wire);
    cr_assert_eq(stage.room.result.live.desyncs, 1);
    cr_assert_eq(stage.room.live->presence[0], 3);
    client_close(&client);
    close_verified();
}

// Goal: kick puts it out once its state has come, and its slots with it.
Test(live_desync, kick, .timeout = 30)
{
    Client  client;
    Message message;
    open_with(SERVER_DESYNC_KICK);
    client_join(&client, 1);
    stage_tick(&stage, 300); // states of before were kept on the way
    uint64_t tick = client_go_wrong(&client, 3);
    expect_wanted(&client, tick);
    cr_assert_eq(stage.room.live->member_count, 1);
    client_answer(&client, tick);
    stage_expect(&client.wire, MESSAGE_LEFT, &message);
    cr_assert_eq(message.body.left.reason, MESSAGE_REASON_DESYNC);
    expect_bundle(tick, "slot0", "players[1].presses");
    stage_tick(&stage, 1);
    cr_assert_eq(stage.room.live->presence[0], 0);
    client_close(&client);
    close_verified();
}

// Goal: halt pauses the room at once and says why; the client is left alone, and an administrator lets it go on.
Test(live_desync, halt, .timeout = 30)
{
    Client  client;
    Message message;
    open_with(SERVER_DESYNC_HALT);
    client_join(&client, 1);
    stage_tick(&stage, 10);
    uint64_t tick = client_go_wrong(&client, 3);
    wire_wait(&client.wire, MESSAGE_SAID, &message);
    cr_assert_eq(message.body.said.slot, MESSAGE_SLOT_NOBODY);
    cr_assert_gt(message.body.said.text.size, 0);
    wire_wait(&client.wire, MESSAGE_PACE, &message);
    cr_assert_eq(message.body.pace.is_paused, 1);
    expect_wanted(&client, tick);
    cr_assert_eq(stage_tick(&stage, 10), 0);
    client_answer(&client, tick);
    stage_expect_silence(&stage, &client.wire);
    expect_bundle(tick, "slot0", "players[1].presses");
    stage_look(&stage, 60000);
    cr_assert_eq(stage_tick(&stage, 10), 0);
    cr_assert(stage_admin(&stage, &client.wire, MESSAGE_VERB_RESUME, 0, 0, NULL, 0, NULL));
    cr_assert_eq(stage_tick(&stage, 10), 10);
    cr_assert_eq(stage.room.live->member_count, 1);
    client_close(&client);
    close_verified();
}

// Goal: log looks, writes, and does nothing; the same membership is told of once.
Test(live_desync, log_only, .timeout = 30)
{
    Client client;
    open_with(SERVER_DESYNC_LOG);
    client_join(&client, 1);
    stage_tick(&stage, 10);
    uint64_t tick = client_go_wrong(&client, 3);
    expect_wanted(&client, tick);
    stage.holds_jobs = true; // the disk is slow
    client_answer(&client, tick);
    stage_expect_silence(&stage, &client.wire);
    stage_look(&stage, 2 * SERVER_OWN_STATE_MS);
    cr_assert_eq(stage.job_count, 1, "it is being written: nothing is waited for");
    stage.holds_jobs = false;
    expect_bundle(tick, "slot0", "players[1].presses");
    for (int i = 0; i < 20; i++) {
        stage_tick(&stage, 1);
        client_follow(&client);
        client_report(&client, tp_sim_tick(client.sim) - 1, tp_sim_root(client.sim));
    }
    stage_expect_silence(&stage, &client.wire);
    cr_assert_eq(stage.room.result.live.desyncs, 1);
    cr_assert_eq(count_bundles(), 1);
    client_close(&client);
    close_verified();
}

// Goal: nothing to write to, nothing asked for: the policy at once.
Test(live_desync, without_a_directory, .timeout = 30)
{
    ServerLiveOptions options = stage_options();
    Client            client;
    Message           message;
    options.on_desync = SERVER_DESYNC_KICK;
    stage_open(&stage, &options);
    client_join(&client, 1);
    client_go_wrong(&client, 3);
    stage_expect(&client.wire, MESSAGE_LEFT, &message);
    cr_assert_eq(message.body.left.reason, MESSAGE_REASON_DESYNC);
    cr_assert_eq(stage.events.counts[SERVER_EVENT_ROOM_DESYNC], 1);
    cr_assert_eq(stage.events.counts[SERVER_EVENT_ROOM_BUNDLE], 0);
    client_close(&client);
    stage_close(&stage);
}

// Goal: who watches is looked into as well.
Test(live_desync, a_watcher, .timeout = 30)
{
    Client player, watcher;
    open_with(SERVER_DESYNC_RESYNC);
    client_join(&player, 1);
    client_join(&watcher, 0);
    stage_tick(&stage, 20);
    uint64_t tick = client_go_wrong(&watcher, 3);
    expect_wanted(&watcher, tick);
    client_answer(&watcher, tick);
    wire_take_state(&watcher.wire, &watcher.joined, &watcher.world);
    expect_bundle(tick, "watcher", "players[1].presses");
    cr_assert_eq(stage.events.last[SERVER_EVENT_ROOM_DESYNC].value, TP_SOURCE_HOST);
    client_close(&player);
    client_close(&watcher);
    close_verified();
}

// Goal: one whose state is wrong again and again is given the room's so often, and then no more.
Test(live_desync, resyncs_have_an_end, .timeout = 30)
{
    ServerLiveOptions options = stage_options();
    Client            client;
    Message           message;
    stage_open(&stage, &options); // no directory: it goes fast
    client_join(&client, 1);
    for (int i = 0; i < 8; i++) {
        client_go_wrong(&client, 3);
        wire_take_state(&client.wire, &client.joined, &client.world);
        tp_sim_destroy(client.sim);
        client.sim = live_fixture_make_sim(&client.world);
        stage_tick(&stage, 1); // and what it lacks
        client_follow(&client);
    }
    client_go_wrong(&client, 3);
    stage_expect(&client.wire, MESSAGE_LEFT, &message);
    cr_assert_eq(message.body.left.reason, MESSAGE_REASON_DESYNC);
    cr_assert_eq(stage.room.result.live.desyncs, 9);
    client_close(&client);
    stage_close(&stage);
}

// Goal: while one is looked into, another one is treated at once, and asked for nothing.
Test(live_desync, a_second_one_meanwhile, .timeout = 30)
{
    Client  first, second;
    Message message;
    open_with(SERVER_DESYNC_KICK);
    client_join(&first, 1);
    client_join(&second, 1);
    stage_tick(&stage, 10);
    client_follow(&first);
    client_follow(&second);
    client_spoil(&second);
    uint64_t tick = client_go_wrong(&first, 3);
    client_follow(&second);
    expect_wanted(&first, tick);
    client_report(&second, tick, tp_sim_root(second.sim));
    stage_expect(&second.wire, MESSAGE_LEFT, &message);
    cr_assert_eq(message.body.left.reason, MESSAGE_REASON_DESYNC);
    client_answer(&second, tick); // nobody wants it
    stage_turn(&stage);
    cr_assert_eq(stage.events.counts[SERVER_EVENT_ROOM_BUNDLE], 0);
    client_answer(&first, tick);
    stage_expect(&first.wire, MESSAGE_LEFT, &message);
    expect_bundle(tick, "slot0", "players[1].presses");
    cr_assert_eq(stage.room.result.live.desyncs, 2);
    client_close(&first);
    client_close(&second);
    close_verified();
}

typedef enum { LEAVES, LOSES, STAYS_SILENT, STOPS_HALFWAY, TOO_LARGE, TOO_LARGE_PACKED, GAP_IN_PIECES, OTHER_TOTAL, GARBAGE, OTHER_SIZE, ANSWERS_END } Answer;

static void answer_as(Client *client, Answer answer, uint64_t tick)
{
    size_t   size, packed_size;
    uint8_t *packed = client_pack(client, &size, &packed_size);
    uint32_t total = (uint32_t)packed_size;
    cr_assert_gt(total, 20);
    Message leave = { .type = MESSAGE_LEAVE, .room = client->joined.room, .epoch = client->joined.epoch, .body.leave = { .reason = MESSAGE_REASON_ASKED } };
    switch (answer) {
    case LEAVES: wire_send(&client->wire, &leave); break;
    case LOSES: wire_close(&client->wire); break;
    case STAYS_SILENT: break;
    case STOPS_HALFWAY:
        send_own_state(client, tick, (uint32_t)size, total);
        send_piece(client, tick, packed, total, 0, total / 2);
        break;
    case TOO_LARGE: send_own_state(client, tick, MESSAGE_STATE_MAX, total); break;
    case TOO_LARGE_PACKED: send_own_state(client, tick, (uint32_t)size, MESSAGE_PACKED_MAX); break;
    case GAP_IN_PIECES:
        send_own_state(client, tick, (uint32_t)size, total);
        send_piece(client, tick, packed, total, 5, total - 5);
        break;
    case OTHER_TOTAL:
        send_own_state(client, tick, (uint32_t)size, total);
        send_piece(client, tick, packed, total - 1, 0, 10);
        break;
    case GARBAGE:
        memset(packed + 6, 0x5A, total - 6);
        send_own_state(client, tick, (uint32_t)size, total);
        send_pieces(client, tick, packed, total);
        break;
    case OTHER_SIZE:
        send_own_state(client, tick, (uint32_t)size - 1, total);
        send_pieces(client, tick, packed, total);
        break;
    case ANSWERS_END: break;
    }
    free(packed);
}

// Goal: whatever the client makes of it, there is a bundle of the room's side that says why the other one is missing, and the room goes on.
Test(live_desync, clients_that_do_not_answer, .timeout = 60)
{
    static const char *const reasons[ANSWERS_END] = {
        [LEAVES] = "the client left", [LOSES] = "the client left", [STAYS_SILENT] = "did not come in time", [STOPS_HALFWAY] = "did not come in time",
        [TOO_LARGE] = "larger than", [TOO_LARGE_PACKED] = "larger than", [GAP_IN_PIECES] = "do not fit", [OTHER_TOTAL] = "do not fit",
        [GARBAGE] = "not one zstd frame", [OTHER_SIZE] = "not one zstd frame",
    };
    for (Answer answer = LEAVES; answer < ANSWERS_END; answer++) {
        Client other, client;
        open_with(SERVER_DESYNC_KICK);
        client_join(&other, 1);
        client_join(&client, 1);
        stage_tick(&stage, 10);
        uint64_t tick = client_go_wrong(&client, 3);
        expect_wanted(&client, tick);
        answer_as(&client, answer, tick);
        for (int i = 0; i < 4; i++) {
            stage_turn(&stage);
        }
        if (answer == STAYS_SILENT || answer == STOPS_HALFWAY) {
            stage_look(&stage, SERVER_OWN_STATE_MS - 200);
            cr_assert_eq(stage.events.counts[SERVER_EVENT_ROOM_BUNDLE], 0);
            stage_look(&stage, 250);
        }
        expect_bundle(tick, "slot1", reasons[answer]);
        cr_assert_eq(stage.room.live->member_count, 1, "answer %d: it is out", (int)answer);
        stage_tick(&stage, 5);
        client_follow(&other);
        cr_assert(tp_hash128_equal(tp_sim_root(other.sim), tp_sim_root(stage.room.sim)));
        client_close(&other);
        client_close(&client);
        close_verified();
    }
}

// Goal: what nobody asked for is dropped: OWN_STATE and its pieces without WANTED, or of another tick.
Test(live_desync, unasked, .timeout = 30)
{
    Client client;
    open_with(SERVER_DESYNC_KICK);
    client_join(&client, 1);
    stage_tick(&stage, 10);
    client_follow(&client);
    client_answer(&client, 9);
    stage_expect_silence(&stage, &client.wire);
    uint64_t tick = client_go_wrong(&client, 3);
    expect_wanted(&client, tick);
    client_answer(&client, tick - 1);
    stage_expect_silence(&stage, &client.wire);
    cr_assert_eq(stage.events.counts[SERVER_EVENT_ROOM_BUNDLE], 0);
    client_answer(&client, tick);
    expect_bundle(tick, "slot0", "players[1].presses");
    client_close(&client);
    close_verified();
}

// Goal: a room that ends while it waits for a state still leaves what it has.
Test(live_desync, the_room_ends_meanwhile, .timeout = 30)
{
    Client client;
    open_with(SERVER_DESYNC_LOG);
    client_join(&client, 1);
    stage_tick(&stage, 10);
    uint64_t tick = client_go_wrong(&client, 3);
    expect_wanted(&client, tick);
    stage_end(&stage);
    expect_bundle(tick, "slot0", "the client left");
    client_close(&client);
    stage_close(&stage);
}

// test_hostile.c: clients that do not keep to the protocol. Each costs itself: it is told why where that can be, and the client
// that behaves, in a room of the same thread, gets every tick.
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "live_fixture.h"

typedef struct {
    LiveSetting live;
    Wire        good;
    uint64_t    next_tick; ///< that the good client waits for
} Scene;

static void scene_open(Scene *scene, void (*change)(ServerNetLimits *limits))
{
    ServerLiveOptions options;
    Message           joined;
    live_fixture_open(&scene->live, 1);
    if (change != NULL) {
        change(&scene->live.options.net);
    }
    server_live_options_standard(&options);
    options.name = "arena";
    options.world = &testworld_flat;
    options.players = 4;
    options.tick_rate_hz = 200;
    options.missing = SERVER_MISSING_NEUTRAL;
    options.record_dir = scene->live.fixture.record;
    live_fixture_add(&scene->live, &options);
    options.record_dir = NULL;
    for (int i = 0; i < 20; i++) { // nobody plays there: they make a list long
        char name[SERVER_ROOM_NAME_SIZE];
        snprintf(name, sizeof(name), "a-room-whose-long-name-fills-the-pages-of-every-list-%02d", i);
        options.name = name;
        live_fixture_add(&scene->live, &options);
    }
    live_fixture_start(&scene->live);
    wire_open(&scene->good, scene->live.port);
    wire_hello(&scene->good);
    wire_join(&scene->good, "arena", 1, &joined);
    cr_assert_eq(joined.type, MESSAGE_JOINED);
    scene->next_tick = joined.tick;
}

// The good client's next `count` ticks come, one after the other.
static void scene_watch(Scene *scene, int count)
{
    Message message;
    for (int i = 0; i < count; i++) {
        wire_wait(&scene->good, MESSAGE_CONFIRMED, &message);
        cr_assert_eq(message.tick, scene->next_tick);
        scene->next_tick += 1;
        if (i % 50 == 0) {
            Message ping = { .type = MESSAGE_PING, .room = MESSAGE_ROOM_NONE, .body.ping = { .token = 5 } };
            wire_send(&scene->good, &ping);
        }
    }
}

static const ServerRoomResult *scene_end(Scene *scene)
{
    scene_watch(scene, 20);
    wire_close(&scene->good);
    live_fixture_stop(&scene->live);
    live_fixture_join(&scene->live);
    const ServerRoomResult *result = server_room_result(scene->live.server, 0);
    tp_report               report = fixture_verify(result->log_path);
    cr_assert_eq(report.verdict, TP_VERIFIED, "%s", report.message);
    return result;
}

static void scene_close(Scene *scene)
{
    live_fixture_close(&scene->live);
}

static uint32_t say_bytes(Scene *scene, bool has_hello, const void *bytes, size_t size)
{
    Wire bad;
    wire_open(&bad, scene->live.port);
    if (has_hello) {
        wire_hello(&bad);
    }
    wire_send_bytes(&bad, bytes, size);
    uint32_t reason = wire_drain(&bad);
    wire_close(&bad);
    return reason;
}

static uint32_t say(Scene *scene, bool has_hello, const Message *message)
{
    uint8_t bytes[2 + MESSAGE_SIZE_MAX];
    size_t  size = message_encode(message, bytes + 2);
    cr_assert_gt(size, 0);
    bytes[0] = (uint8_t)size;
    bytes[1] = (uint8_t)(size >> 8);
    return say_bytes(scene, has_hello, bytes, size + 2);
}

// Goal: whatever is no message ends the connection that said it, before and after HELLO.
Test(hostile, nonsense_is_malformed, .timeout = 120)
{
    Scene   scene = { 0 };
    uint8_t garbage[4096];
    scene_open(&scene, NULL);
    uint64_t random = 42;
    for (int round = 0; round < 40; round++) {
        for (size_t i = 0; i < sizeof(garbage); i++) {
            random = random * UINT64_C(6364136223846793005) + 1442695040888963407u;
            garbage[i] = (uint8_t)(random >> 56);
        }
        garbage[0] = 100; // a length that is fine, and what follows is not
        garbage[1] = 0;
        cr_assert_eq(say_bytes(&scene, round % 2 == 1, garbage, sizeof(garbage)), MESSAGE_REASON_MALFORMED);
    }
    static const uint8_t zero_length[2] = { 0, 0 };
    static const uint8_t too_long[2] = { 0xB1, 0x04 }; // 1,201
    static const uint8_t longest[2] = { 0xFF, 0xFF };
    cr_assert_eq(say_bytes(&scene, true, zero_length, 2), MESSAGE_REASON_MALFORMED);
    cr_assert_eq(say_bytes(&scene, true, too_long, 2), MESSAGE_REASON_MALFORMED);
    cr_assert_eq(say_bytes(&scene, false, longest, 2), MESSAGE_REASON_MALFORMED);
    cr_assert_eq(say_bytes(&scene, false, "GET / HTTP/1.1\r\n\r\n", 18), MESSAGE_REASON_MALFORMED);
    Message hello = { .type = MESSAGE_HELLO, .room = MESSAGE_ROOM_NONE, .body.hello = { .version_min = 1, .version_max = 1, .build = message_text("x") } };
    cr_assert_eq(say(&scene, true, &hello), MESSAGE_REASON_MALFORMED);
    Message list = { .type = MESSAGE_LIST, .room = MESSAGE_ROOM_NONE };
    cr_assert_eq(say(&scene, false, &list), MESSAGE_REASON_MALFORMED, "HELLO comes first");
    Message bye = { .type = MESSAGE_BYE, .room = MESSAGE_ROOM_NONE, .body.bye = { .reason = MESSAGE_REASON_ENDED, .text = message_text("x") } };
    cr_assert_eq(say(&scene, true, &bye), MESSAGE_REASON_MALFORMED, "a server's message");
    hello.body.hello.version_min = hello.body.hello.version_max = MESSAGE_VERSION + 1;
    cr_assert_eq(say(&scene, false, &hello), MESSAGE_REASON_VERSION);
    const ServerRoomResult *result = scene_end(&scene);
    cr_assert_eq(result->live.joins, 1);
    cr_assert_gt(scene.live.events.counts[SERVER_EVENT_CLIENTS], 0);
    scene_close(&scene);
}

static void short_silence(ServerNetLimits *limits)
{
    limits->silence_ms = 200;
}

// Goal: who says nothing, or half of something, or is in a room and falls silent, is put out; who PINGs is not.
Test(hostile, silence_ends, .timeout = 120)
{
    Scene   scene = { 0 };
    Wire    mute, half, sleeper;
    Message joined, message;
    scene_open(&scene, short_silence);
    wire_open(&mute, scene.live.port);
    wire_open(&half, scene.live.port);
    wire_send_bytes(&half, "\x20\x00\x01", 3);
    wire_open(&sleeper, scene.live.port);
    wire_hello(&sleeper);
    wire_join(&sleeper, "arena", 1, &joined);
    for (int i = 0; i < 200; i++) { // a second, in which the good one PINGs
        wire_wait(&scene.good, MESSAGE_CONFIRMED, &message);
        if (i % 10 == 0) {
            Message ping = { .type = MESSAGE_PING, .room = MESSAGE_ROOM_NONE };
            wire_send(&scene.good, &ping);
        }
    }
    cr_assert_eq(wire_drain(&mute), MESSAGE_REASON_SILENT);
    cr_assert_eq(wire_drain(&half), MESSAGE_REASON_SILENT);
    cr_assert_eq(wire_drain(&sleeper), MESSAGE_REASON_SILENT);
    wire_close(&mute);
    wire_close(&half);
    wire_close(&sleeper);
    wire_close(&scene.good);
    live_fixture_stop(&scene.live);
    live_fixture_join(&scene.live);
    cr_assert_eq(server_room_result(scene.live.server, 0)->live.joins, 2);
    scene_close(&scene);
}

// Goal: more messages than the slots need, with some to spare, is a flood.
Test(hostile, a_flood_ends, .timeout = 120)
{
    Scene   scene = { 0 };
    Wire    flood;
    Message joined, ping = { .type = MESSAGE_PING, .room = MESSAGE_ROOM_NONE };
    uint8_t input[2] = { 1, 1 };
    scene_open(&scene, NULL);
    wire_open(&flood, scene.live.port);
    wire_hello(&flood);
    wire_join(&flood, "arena", 1, &joined);
    for (int i = 0; i < 3000; i++) {
        wire_input(&flood, &joined, (uint8_t)(i % 100), joined.tick + (uint64_t)i, input, 2); // mostly somebody else's slots
        wire_send(&flood, &ping);
    }
    cr_assert_eq(wire_drain(&flood), MESSAGE_REASON_FLOOD);
    wire_close(&flood);
    const ServerRoomResult *result = scene_end(&scene);
    cr_assert_gt(result->live.wrong_slot, 0);
    scene_close(&scene);
}

static long resident_kib(void)
{
    long  pages = 0;
    FILE *file = fopen("/proc/self/statm", "re");
    if (file != NULL) {
        if (fscanf(file, "%*d %ld", &pages) != 1) {
            pages = 0;
        }
        fclose(file);
    }
    return pages * (sysconf(_SC_PAGESIZE) / 1024);
}

static void small_queue(ServerNetLimits *limits)
{
    limits->send_queue_bytes = SERVER_SEND_QUEUE_BYTES_MIN;
}

// Goal: who asks and never reads is dropped once what waits for it is too much; memory does not grow by more than that.
Test(hostile, a_reader_that_never_reads, .timeout = 120)
{
    enum { READERS = 20 };
    Scene   scene = { 0 };
    Wire    readers[READERS];
    Message ask = { .type = MESSAGE_LIST, .room = MESSAGE_ROOM_NONE };
    Message joined;
    scene_open(&scene, small_queue);
    long before_kib = resident_kib();
    for (int i = 0; i < READERS; i++) {
        int small = 4096;
        wire_open(&readers[i], scene.live.port);
        setsockopt(readers[i].socket, SOL_SOCKET, SO_RCVBUF, &small, sizeof(small));
        wire_hello(&readers[i]);
        wire_join(&readers[i], "arena", 0, &joined);
        cr_assert_eq(joined.type, MESSAGE_JOINED);
    }
    // Every PING of theirs is answered on top of 200 confirmed ticks a second; they read nothing of it.
    for (int round = 0; round < 400; round++) {
        for (int i = 0; i < READERS; i++) {
            wire_send(&readers[i], &ask);
        }
        scene_watch(&scene, 2);
    }
    long grown_kib = resident_kib() - before_kib;
    cr_assert_lt(grown_kib, READERS * SERVER_SEND_QUEUE_BYTES_MIN / 1024 * 4 + 16384, "%ld KiB more", grown_kib);
    for (int i = 0; i < READERS; i++) {
        wire_close(&readers[i]);
    }
    scene_end(&scene);
    scene_close(&scene);
}

static void small_total(ServerNetLimits *limits)
{
    limits->send_total_bytes = SERVER_SEND_TOTAL_BYTES_MIN;
}

// Goal: together they may not have more waiting than the thread's share, either: those with the most go first.
Test(hostile, many_that_never_read, .timeout = 120)
{
    enum { READERS = 20, TRIES = 3000 };
    static Wire readers[READERS];
    Scene       scene = { 0 };
    Message     ask = { .type = MESSAGE_LIST, .room = MESSAGE_ROOM_NONE };
    Message     joined;
    scene_open(&scene, small_total);
    for (int i = 0; i < READERS; i++) {
        int small = 4096;
        wire_open(&readers[i], scene.live.port);
        setsockopt(readers[i].socket, SOL_SOCKET, SO_RCVBUF, &small, sizeof(small));
        wire_hello(&readers[i]);
        wire_join(&readers[i], "arena", 0, &joined);
        cr_assert_eq(joined.type, MESSAGE_JOINED);
    }
    int round = 0;
    while (round < TRIES && strstr(scene.live.events.last[SERVER_EVENT_CLIENTS].text, "slow") == NULL) {
        for (int i = 0; i < READERS && round % 4 == 0; i++) {
            wire_send(&readers[i], &ask);
        }
        scene_watch(&scene, 2);
        round += 1;
    }
    cr_assert_lt(round, TRIES, "nobody was found slow");
    for (int i = 0; i < READERS; i++) {
        wire_close(&readers[i]);
    }
    scene_end(&scene);
    scene_close(&scene);
}

static void few_connections(ServerNetLimits *limits)
{
    limits->connections = 300;
}

// Goal: ten thousand connects, some with half a HELLO, cost their makers; beyond the limit one hears "crowded".
Test(hostile, ten_thousand_connects, .timeout = 240)
{
    enum { CONNECTS = 10000, KEPT = 400 };
    static Wire   kept[KEPT];
    Scene         scene = { 0 };
    struct rlimit files = { 0 };
    getrlimit(RLIMIT_NOFILE, &files);
    files.rlim_cur = files.rlim_max;
    setrlimit(RLIMIT_NOFILE, &files);
    scene_open(&scene, few_connections);
    uint32_t crowded = 0;
    for (int i = 0; i < KEPT; i++) {
        wire_open(&kept[i], scene.live.port);
        if (i % 100 == 0) {
            scene_watch(&scene, 1);
        }
    }
    for (int i = KEPT - 50; i < KEPT; i++) {
        crowded += wire_drain(&kept[i]) == MESSAGE_REASON_CROWDED ? 1 : 0;
    }
    cr_assert_geq(crowded, 45, "%u of the last 50 were told", crowded);
    for (int i = 0; i < KEPT; i++) {
        wire_close(&kept[i]);
    }
    for (int i = 0; i < CONNECTS; i++) {
        Wire wire;
        wire_open(&wire, scene.live.port);
        if (i % 3 == 0) {
            wire_send_bytes(&wire, "\x20\x00\x01\x00", 4);
        }
        wire_close(&wire);
        if (i % 500 == 0) {
            scene_watch(&scene, 1);
        }
    }
    scene_end(&scene);
    scene_close(&scene);
}

// Goal: who joins and leaves all the time costs the log a bounded number of lines, and the world sees each.
Test(hostile, coming_and_going, .timeout = 120)
{
    enum { ROUNDS = 150 };
    Scene   scene = { 0 };
    Wire    wire;
    Message joined, left;
    scene_open(&scene, NULL);
    for (int i = 0; i < ROUNDS; i++) {
        if (i % 50 == 0) {
            wire_open(&wire, scene.live.port);
            wire_hello(&wire);
        }
        wire_join(&wire, "arena", 1, &joined);
        if (joined.type == MESSAGE_JOINED) {
            Message leave = { .type = MESSAGE_LEAVE, .room = joined.room, .epoch = joined.epoch, .body.leave = { .reason = MESSAGE_REASON_ASKED } };
            wire_send(&wire, &leave);
            wire_wait(&wire, MESSAGE_LEFT, &left);
            cr_assert_eq(left.body.left.reason, MESSAGE_REASON_ASKED);
        }
        if (i % 50 == 49) {
            wire_close(&wire);
        }
    }
    const ServerRoomResult *result = scene_end(&scene);
    const uint32_t *counts = scene.live.events.counts;
    uint64_t said = counts[SERVER_EVENT_ROOM_JOIN] + counts[SERVER_EVENT_ROOM_LEAVE] + counts[SERVER_EVENT_ROOM_AWAY];
    cr_assert_eq(said + result->live.unsaid, result->live.joins + result->live.leaves + result->live.aways, "each took one slot");
    scene_close(&scene);
}

// Goal: a page of the list costs, so there are only so many a second; who asks one by one gets them all, and who does not wait is put out.
Test(hostile, pages_of_the_list, .timeout = 120)
{
    Scene   scene = { 0 };
    Wire    patient, hasty;
    Message page, ask = { .type = MESSAGE_LIST, .room = MESSAGE_ROOM_NONE };
    scene_open(&scene, NULL);
    wire_open(&patient, scene.live.port);
    wire_hello(&patient);
    for (int i = 0; i < 3 * SERVER_LISTS_PER_SECOND; i++) {
        wire_send(&patient, &ask);
        wire_wait(&patient, MESSAGE_ROOMS, &page);
    }
    wire_close(&patient);
    wire_open(&hasty, scene.live.port);
    wire_hello(&hasty);
    for (int i = 0; i < 3 * SERVER_LISTS_PER_SECOND; i++) {
        wire_send(&hasty, &ask);
    }
    cr_assert_eq(wire_drain(&hasty), MESSAGE_REASON_FLOOD);
    wire_close(&hasty);
    scene_end(&scene);
    scene_close(&scene);
}

// Goal: what its slots need, a client may send, also two seconds of it at once; that allowance is for inputs and nothing else.
Test(hostile, inputs_have_an_allowance_of_their_own, .timeout = 120)
{
    Scene   scene = { 0 };
    Wire    wire;
    Message joined, pong, ping = { .type = MESSAGE_PING, .room = MESSAGE_ROOM_NONE };
    uint8_t input[2] = { 1, 1 };
    scene_open(&scene, NULL);
    wire_open(&wire, scene.live.port);
    wire_hello(&wire);
    wire_join(&wire, "arena", 3, &joined); // at 200 Hz: 1,200 inputs a second
    for (uint32_t i = 0; i < 1000; i++) {
        wire_input(&wire, &joined, joined.body.joined.slots[i % 3], joined.tick + i / 3, input, 2);
    }
    wire_send(&wire, &ping);
    wire_wait(&wire, MESSAGE_PONG, &pong);
    for (int i = 0; i < 300; i++) {
        wire_send(&wire, &ping);
    }
    cr_assert_eq(wire_drain(&wire), MESSAGE_REASON_FLOOD, "three hundred PINGs at once");
    wire_close(&wire);
    Message watched;
    wire_open(&wire, scene.live.port);
    wire_hello(&wire);
    wire_join(&wire, "arena", 0, &watched);
    for (int i = 0; i < 300; i++) {
        wire_send(&wire, &ping);
    }
    cr_assert_eq(wire_drain(&wire), MESSAGE_REASON_FLOOD, "who watches has no inputs to send");
    wire_close(&wire);
    scene_end(&scene);
    scene_close(&scene);
}

// Goal: one that is in a room and only reads has the whole silence to say something, not that of a handshake.
Test(hostile, who_joined_may_be_quiet, .timeout = 120)
{
    Scene   scene = { 0 };
    Wire    quiet;
    Message joined, message;
    scene_open(&scene, NULL);
    wire_open(&quiet, scene.live.port);
    wire_hello(&quiet);
    wire_join(&quiet, "arena", 0, &joined);
    for (int i = 0; i < 200 * (SERVER_HANDSHAKE_MS + 1000) / 1000; i++) {
        wire_wait(&quiet, MESSAGE_CONFIRMED, &message);
        if (i % 10 == 0) {
            scene_watch(&scene, 10);
        }
    }
    wire_close(&quiet);
    scene_end(&scene);
    scene_close(&scene);
}

// Goal: pieces of what only a server has, and messages for rooms that one is not in: the former end the connection, the latter are dropped.
Test(hostile, pieces_and_strangers, .timeout = 120)
{
    Scene   scene = { 0 };
    Wire    wire;
    Message joined, pong;
    scene_open(&scene, NULL);
    for (uint8_t kind = MESSAGE_PIECE_RULES; kind <= MESSAGE_PIECE_STATE; kind++) {
        Message piece = { .type = MESSAGE_PIECE, .room = 0, .epoch = 1, .body.piece = { .kind = kind, .total = 10, .size = 10, .bytes = (const uint8_t *)"0123456789" } };
        cr_assert_eq(say(&scene, true, &piece), MESSAGE_REASON_MALFORMED, "kind %u", kind);
    }
    wire_open(&wire, scene.live.port);
    wire_hello(&wire);
    wire_join(&wire, "arena", 1, &joined);
    for (uint32_t room = 0; room < 3; room++) { // the own one and two others
        Message said[] = {
            { .type = MESSAGE_READY, .room = room, .epoch = 1 },
            { .type = MESSAGE_REPORT, .room = room, .epoch = 1, .tick = UINT64_MAX - 1 },
            { .type = MESSAGE_OWN_STATE, .room = room, .epoch = 1, .tick = 5, .body.own_state = { .size = 10, .packed_size = 10, .build = message_text("x") } },
            { .type = MESSAGE_PIECE, .room = room, .epoch = 1, .tick = 5,
              .body.piece = { .kind = MESSAGE_PIECE_OWN, .total = 10, .size = 10, .bytes = (const uint8_t *)"0123456789" } },
            { .type = MESSAGE_CHAT, .room = room + 1, .epoch = 1, .body.chat = { .text = message_text("hello") } },
            { .type = MESSAGE_LEAVE, .room = room + 1, .epoch = 1, .body.leave = { .reason = MESSAGE_REASON_ASKED } },
            { .type = MESSAGE_LEAVE, .room = room, .epoch = 2, .body.leave = { .reason = MESSAGE_REASON_ASKED } },
        };
        for (size_t i = 0; i < sizeof(said) / sizeof(said[0]); i++) {
            wire_send(&wire, &said[i]);
        }
    }
    Message ping = { .type = MESSAGE_PING, .room = MESSAGE_ROOM_NONE, .body.ping = { .token = 3 } };
    wire_send(&wire, &ping);
    wire_wait(&wire, MESSAGE_PONG, &pong);
    Message leave = { .type = MESSAGE_LEAVE, .room = joined.room, .epoch = joined.epoch, .body.leave = { .reason = MESSAGE_REASON_ASKED } };
    wire_send(&wire, &leave);
    wire_wait(&wire, MESSAGE_LEFT, &pong); // it was in the room all the time
    wire_close(&wire);
    const ServerRoomResult *result = scene_end(&scene);
    cr_assert_eq(result->live.reports, 0);
    cr_assert_eq(result->live.desyncs, 0);
    cr_assert_eq(result->live.chats, 0);
    scene_close(&scene);
}

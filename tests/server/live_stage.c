// live_stage.c: a room, its host, and both ends of every connection in one thread.
#include "live_stage.h"

#include <criterion/criterion.h>
#include <criterion/assert.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static void post(void *to, ServerEvent *event)
{
    Stage *stage = to;
    fixture_event(&stage->events, event);
}

static void drained(void *to)
{
    (void)to;
}

static int64_t now_ns(void *to)
{
    const Stage *stage = to;
    return stage->now_ns;
}

static void make_random(void *to, void *bytes, size_t size)
{
    Stage *stage = to;
    for (size_t i = 0; i < size; i++) {
        stage->random = stage->random * UINT64_C(6364136223846793005) + 1442695040888963407u;
        ((uint8_t *)bytes)[i] = (uint8_t)(stage->random >> 56);
    }
}

static void take_work(void *to, RoomJob *job)
{
    Stage *stage = to;
    cr_assert_lt(stage->job_count, STAGE_JOBS);
    stage->jobs[stage->job_count++] = job;
}

static void resume(Stage *stage)
{
    if (room_is_paused(&stage->room) && live_can_resume(&stage->room)) {
        room_resume(&stage->room);
        room_start_clock(&stage->room, stage->now_ns);
    }
}

static void clock_changed(void *to, Room *room)
{
    Stage *stage = to;
    if (room_is_paused(room)) {
        resume(stage);
    } else if (room->clock.rate_hz != live_rate_hz(room)) {
        room_start_clock(room, stage->now_ns);
    }
}

static void on_join(void *to, Peer *peer, const Message *message, uint32_t number, const uint8_t *bytes, size_t size)
{
    Stage *stage = to;
    (void)number;
    (void)bytes;
    (void)size;
    live_join(&stage->room, peer, message);
}

static void on_admin(void *to, Peer *peer, const Message *message, uint32_t number, const uint8_t *bytes, size_t size)
{
    Stage *stage = to;
    char   text[MESSAGE_TEXT_MAX + 1] = "";
    (void)bytes;
    (void)size;
    bool is_done = live_admin(&stage->room, message, text);
    peer_answer_admin(peer, number, stage->room.live->epoch, stage_next(stage), message->body.admin.cookie, is_done, text);
}

static void on_room_message(void *to, Peer *peer, const Message *message)
{
    Stage  *stage = to;
    Member *member = live_member(peer, message->room);
    if (member != NULL) {
        live_message(&stage->room, member, message);
    }
}

static void on_leave(void *to, Peer *peer, uint32_t reason)
{
    (void)to;
    while (peer->member_count > 0) {
        live_lose(peer->members[peer->member_count - 1], (MessageReason)reason);
    }
}

static void on_gone(void *to)
{
    (void)to;
}

static void open_listener(Stage *stage)
{
    struct sockaddr_in address = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
    stage->listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    cr_assert_geq(stage->listener, 0);
    cr_assert_eq(bind(stage->listener, (struct sockaddr *)&address, sizeof(address)), 0);
    cr_assert_eq(listen(stage->listener, 64), 0);
}

static void open_peers(Stage *stage)
{
    cr_assert_eq(uv_loop_init(&stage->loop), 0);
    stage->limits = (ServerNetLimits){
        .connections = 200, .connections_per_address = 200, .messages_per_second = SERVER_MESSAGES_PER_SECOND,
        .send_queue_bytes = SERVER_SEND_QUEUE_BYTES, .send_total_bytes = SERVER_SEND_TOTAL_BYTES, .silence_ms = SERVER_SILENCE_MS,
        .watchers = SERVER_WATCHERS, .join_bytes_per_tick = SERVER_JOIN_BYTES_PER_TICK,
    };
    cr_assert(addresses_init(&stage->addresses, 200, 200));
    cr_assert(directory_init(&stage->directory, 1));
    stage->directory.entries[0] = (DirectoryEntry){ .name = stage->room.result.name, .is_live = true, .listing = &stage->room.listing };
    directory_sort(&stage->directory);
    stage->peers = (PeerHost){
        .loop = &stage->loop, .limits = &stage->limits, .directory = &stage->directory, .addresses = &stage->addresses, .to = stage,
        .join = on_join, .admin = on_admin, .room_message = on_room_message, .leave = on_leave, .gone = on_gone,
    };
    cr_assert_eq(peer_host_open(&stage->peers), 0);
}

ServerLiveOptions stage_options(void)
{
    ServerLiveOptions options;
    server_live_options_standard(&options);
    options.name = "stage";
    options.world = &testworld_flat;
    options.players = 4;
    options.seed = 3;
    options.tick_rate_hz = 100;
    options.missing = SERVER_MISSING_NEUTRAL;
    return options;
}

static void open_room(Stage *stage, const ServerLiveOptions *options)
{
    tp_error error = { "" };
    Room    *room = &stage->room;
    room->host = &stage->host;
    room->source.file = -1;
    room->loops_wanted = 1;
    room->record_dir = options->record_dir != NULL ? stage->fixture.record : NULL;
    room->result.source = SERVER_LIVE;
    room->result.pace = SERVER_REAL_TIME;
    snprintf(room->result.name, sizeof(room->result.name), "%s", options->name);
    cr_assert(live_create(room, options, &error), "%s", error.text);
    room_publish(room, options->world->name, options->tick_rate_hz, options->players);
    room_open(room);
    cr_assert_eq(room->result.state, SERVER_ROOM_RUNNING, "%s", room->result.report.message);
    if (!room_is_paused(room)) {
        room_start_clock(room, stage->now_ns);
    }
}

static void copy_file(const char *from, const char *to)
{
    uint8_t bytes[4096];
    FILE   *in = fopen(from, "rbe");
    FILE   *out = fopen(to, "wbe");
    cr_assert_not_null(in, "%s", from);
    cr_assert_not_null(out, "%s", to);
    for (size_t size = fread(bytes, 1, sizeof(bytes), in); size > 0; size = fread(bytes, 1, sizeof(bytes), in)) {
        cr_assert_eq(fwrite(bytes, 1, size, out), size);
    }
    fclose(in);
    cr_assert_eq(fclose(out), 0);
}

void stage_copy_log(Stage *stage, const char *path)
{
    server_log_flush(&stage->room.log);
    for (int i = 0; i < 2000 && server_log_durable_tick(&stage->room.log) < stage_next(stage); i++) {
        usleep(1000); // its recorder writes
    }
    cr_assert_eq(server_log_durable_tick(&stage->room.log), stage_next(stage));
    copy_file(stage->room.log.path, path);
}

void stage_open(Stage *stage, const ServerLiveOptions *options)
{
    stage_open_among(stage, options, NULL, 0);
}

void stage_open_after(Stage *stage, const ServerLiveOptions *options, const char *log)
{
    stage_open_among(stage, options, &(StageLog){ log, "stage.tpr" }, 1);
}

void stage_open_among(Stage *stage, const ServerLiveOptions *options, const StageLog *logs, size_t count)
{
    memset(stage, 0, sizeof(*stage));
    signal(SIGPIPE, SIG_IGN);
    stage->fixture = fixture_open();
    stage->now_ns = INT64_C(1000000000000);
    stage->random = 17;
    stage->options = (ServerOptions){ .find_world = fixture_find_world, .build = "stage" };
    stage->host = (RoomHost){ .options = &stage->options, .post = post, .drained = drained, .now_ns = now_ns, .random = make_random,
                              .work = take_work, .clock_changed = clock_changed, .to = stage };
    open_listener(stage);
    for (size_t i = 0; i < count; i++) {
        char path[1024];
        snprintf(path, sizeof(path), "%s", fixture_path(stage->fixture.record, logs[i].name));
        copy_file(logs[i].path, path);
    }
    open_room(stage, options);
    open_peers(stage);
}

void stage_connect(Stage *stage, Wire *wire)
{
    struct sockaddr_in address;
    socklen_t          size = sizeof(address);
    PeerParcel        *parcel = calloc(1, sizeof(*parcel));
    cr_assert_eq(getsockname(stage->listener, (struct sockaddr *)&address, &size), 0);
    wire_open(wire, ntohs(address.sin_port));
    wire->turn = (void (*)(void *))stage_turn;
    wire->to = stage;
    parcel->socket = accept4(stage->listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
    cr_assert_geq(parcel->socket, 0);
    parcel->address = address_of((struct sockaddr *)&address);
    snprintf(parcel->address_text, sizeof(parcel->address_text), "client");
    cr_assert(addresses_add(&stage->addresses, &parcel->address));
    stage->last_peer = peer_adopt(&stage->peers, parcel);
    cr_assert_not_null(stage->last_peer);
    free(parcel);
}

static void work(Stage *stage)
{
    while (!stage->holds_jobs && stage->job_count > 0) {
        RoomJob *job = stage->jobs[0];
        stage->job_count -= 1;
        memmove(stage->jobs, stage->jobs + 1, stage->job_count * sizeof(stage->jobs[0]));
        job->run(job);
        job->done(job);
    }
}

void stage_turn(Stage *stage)
{
    uv_run(&stage->loop, UV_RUN_NOWAIT);
    work(stage);
    peer_host_flush(&stage->peers);
}

uint64_t stage_next(const Stage *stage)
{
    return tp_sim_tick(stage->room.sim);
}

uint32_t stage_tick(Stage *stage, uint32_t count)
{
    uint64_t before = stage_next(stage);
    for (int i = 0; i < 3; i++) {
        stage_turn(stage);
    }
    for (uint32_t i = 0; i < count && stage->room.result.state == SERVER_ROOM_RUNNING && !room_is_paused(&stage->room); i++) {
        stage->now_ns = room_next_due_ns(&stage->room);
        room_wake(&stage->room, stage->now_ns);
        stage_turn(stage);
    }
    return (uint32_t)(stage_next(stage) - before);
}

void stage_look(Stage *stage, int64_t later_ms)
{
    stage->now_ns += later_ms * 1000000;
    live_look(&stage->room, stage->now_ns);
    if (stage->room.result.state == SERVER_ROOM_RUNNING) {
        resume(stage);
    }
    if (room_is_paused(&stage->room) && stage->room.live->is_ending) {
        room_end(&stage->room);
    }
    stage_turn(stage);
}

static bool is_aside(MessageType type)
{
    return type == MESSAGE_PACE || type == MESSAGE_TIMING || type == MESSAGE_SAID || type == MESSAGE_PONG;
}

void stage_expect(Wire *wire, MessageType type, Message *message)
{
    do {
        cr_assert(wire_receive(wire, message), "nothing came instead of a message of type %d", (int)type);
    } while (is_aside(message->type) && message->type != type);
    cr_assert_eq(message->type, type, "a message of type %d came instead of %d", (int)message->type, (int)type);
}

void stage_ping(Wire *wire)
{
    Message message = { .type = MESSAGE_PING, .room = MESSAGE_ROOM_NONE, .body.ping = { .token = 99 } };
    wire_send(wire, &message);
}

// A PING overtakes nothing: what was said before it is here before its answer.
bool stage_until_pong(Wire *wire, Message *message)
{
    cr_assert(wire_receive(wire, message), "the connection ended");
    return message->type != MESSAGE_PONG;
}

void stage_expect_silence(Stage *stage, Wire *wire)
{
    Message message;
    (void)stage;
    stage_ping(wire);
    while (stage_until_pong(wire, &message)) {
        cr_assert(is_aside(message.type), "a message of type %d came, tick %llu", (int)message.type, (unsigned long long)message.tick);
    }
}

void stage_expect_rows(Wire *wire)
{
    Message message;
    stage_ping(wire);
    while (stage_until_pong(wire, &message)) {
        cr_assert(is_aside(message.type) || message.type == MESSAGE_CONFIRMED, "a message of type %d came", (int)message.type);
    }
}

bool stage_admin(Stage *stage, Wire *wire, MessageVerb verb, uint8_t slot, uint64_t value, const void *bytes, size_t size, Message *answer)
{
    Message message = {
        .type = MESSAGE_ADMIN,
        .room = stage->room.live->number,
        .body.admin = { .cookie = 5, .verb = (uint8_t)verb, .slot = slot, .value = value, .key = message_text("key"), .size = (uint16_t)size, .bytes = bytes },
    };
    wire_send(wire, &message);
    wire_wait(wire, MESSAGE_ADMINED, &message);
    cr_assert_eq(message.body.admined.cookie, 5);
    if (answer != NULL) {
        *answer = message;
    }
    return message.body.admined.is_done == 1;
}

void stage_end(Stage *stage)
{
    stage->holds_jobs = false;
    stage_turn(stage);
    room_stop(&stage->room);
    stage_turn(stage);
    while (stage->room.result.state == SERVER_ROOM_CLOSING && !room_settle(&stage->room)) {
        usleep(1000); // its recorder writes
    }
}

void stage_close(Stage *stage)
{
    stage_end(stage);
    room_finish(&stage->room);
    peer_host_drop(&stage->peers);
    for (int i = 0; i < 8; i++) {
        uv_run(&stage->loop, UV_RUN_NOWAIT);
    }
    peer_host_close(&stage->peers);
    uv_run(&stage->loop, UV_RUN_DEFAULT);
    cr_assert_eq(uv_loop_close(&stage->loop), 0);
    live_destroy(&stage->room);
    directory_finish(&stage->directory);
    addresses_finish(&stage->addresses);
    close(stage->listener);
    fixture_close(&stage->fixture);
}

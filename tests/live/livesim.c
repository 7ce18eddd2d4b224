// livesim.c: the loop: what is due at the room, off its thread, on the lines and at the clients, one millisecond after the other.
#include "livesim.h"

#include <dirent.h>
#include <fcntl.h>
#include <sched.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { LOOK_US = 250000, OVERTIME_US = 30000000, JOB_US_MAX = 20000 };

void livesim_fail(Livesim *sim, const char *format, ...)
{
    va_list arguments;
    if (!sim->outcome->is_fine) {
        return; // the first thing that is wrong explains the others
    }
    sim->outcome->is_fine = false;
    va_start(arguments, format);
    vsnprintf(sim->outcome->text, sizeof(sim->outcome->text), format, arguments);
    va_end(arguments);
}

// What the server's room gets of its thread.

static int64_t host_now_ns(void *to)
{
    const Livesim *sim = to;
    return (int64_t)sim->now_us * 1000 + 1;
}

static void host_random(void *to, void *bytes, size_t size)
{
    Livesim *sim = to;
    uint8_t *at = bytes;
    for (size_t i = 0; i < size; i++) {
        at[i] = (uint8_t)tp_pcg32_below(&sim->dice, 256);
    }
}

static void host_work(void *to, RoomJob *job)
{
    Livesim *sim = to;
    if (sim->job_count == LIVESIM_JOBS) {
        livesim_fail(sim, "more than %d jobs at once", LIVESIM_JOBS);
        return;
    }
    sim->jobs[sim->job_count].job = job;
    sim->jobs[sim->job_count].due_us = sim->now_us + tp_pcg32_below(&sim->dice, JOB_US_MAX);
    sim->job_count += 1;
}

static void resume(Livesim *sim)
{
    Room *room = &sim->room;
    if (room->result.state == SERVER_ROOM_RUNNING && room_is_paused(room) && live_can_resume(room)) {
        room_resume(room);
        room_start_clock(room, host_now_ns(sim));
    }
}

static void host_clock_changed(void *to, Room *room)
{
    (void)room;
    resume(to);
}

static void host_drained(void *to)
{
    (void)to; // on a recorder thread; the loop looks for itself
}

static void host_post(void *to, ServerEvent *event)
{
    Livesim *sim = to;
    switch ((uint32_t)event->kind) {
    case SERVER_EVENT_ROOM_DESYNC:
        sim->outcome->desyncs += 1;
        if (event->tick != sim->next_desync_tick || event->value >= LIVESIM_CLIENTS + TP_PLAYERS_MAX) {
            livesim_fail(sim, "the server says that tick %llu of slot %llu is a desync: %s", (unsigned long long)event->tick, (unsigned long long)event->value, event->text);
        }
        return;
    case SERVER_EVENT_ROOM_BUNDLE:
        sim->outcome->bundles += strncmp(event->text, "no bundle", 9) != 0 ? 1 : 0;
        if (strncmp(event->text, "no bundle", 9) == 0) {
            livesim_fail(sim, "%s", event->text);
        }
        return;
    case SERVER_EVENT_RECORD_FAILED: livesim_fail(sim, "recording: %s", event->text); return;
    case SERVER_EVENT_ROOM_RECOVERED:
        sim->outcome->resumed += 1;
        sim->resumed_tick = event->tick;
        return;
    case SERVER_EVENT_ROOM_ANEW: livesim_fail(sim, "the log was not taken up: %s", event->text); return;
    default: return;
    }
}

uint64_t livesim_hash_event(uint64_t hash, const tp_event *event)
{
    const uint8_t *bytes = event->data;
    hash = (hash ^ (event->type + 1)) * UINT64_C(0x100000001b3);
    for (uint32_t i = 0; i < event->size; i++) {
        hash = (hash ^ bytes[i]) * UINT64_C(0x100000001b3);
    }
    return hash;
}

// The server's own roots and events, as they are stepped.
static void each_tick(void *to, const char *name, tp_sim *room_sim, uint64_t tick, bool is_finished)
{
    Livesim *sim = to;
    (void)name;
    if (is_finished && tick < LIVESIM_TICKS && !tp_sim_is_faulted(room_sim)) {
        sim->roots[tick] = tp_sim_root(room_sim);
        sim->is_known[tick] = true;
        sim->event_hashes[tick] = 0;
        tp_view view = tp_sim_view(room_sim);
        for (uint32_t i = 0; i < view.event_count; i++) {
            sim->event_hashes[tick] = livesim_hash_event(sim->event_hashes[tick], &view.events[i]);
        }
    }
}

static bool open_room(Livesim *sim)
{
    const LivesimPlan *plan = sim->plan;
    tp_error           error;
    ServerLiveOptions  options = {
        .name = "room", .world = plan->world, .seed = plan->seed, .players = plan->room_players, .missing = plan->missing, .stall_ms = 200,
        .when_empty = SERVER_EMPTY_PAUSE, .ticks = plan->ticks, .on_desync = plan->on_desync, .report_ticks = plan->report_ticks,
        .rejoin_seconds = plan->rejoin_seconds, .rotate_ticks = plan->rotate_ticks, .start_players = plan->start_players,
    };
    memset(&sim->room, 0, sizeof(sim->room));
    sim->room.host = &sim->host;
    if (!live_create(&sim->room, &options, &error)) {
        livesim_fail(sim, "making the room: %s", error.text);
        return false;
    }
    snprintf(sim->room.result.name, sizeof(sim->room.result.name), "room");
    sim->room.result.source = SERVER_LIVE;
    sim->room.result.pace = SERVER_REAL_TIME;
    sim->room.loops_wanted = 1;
    sim->room.record_dir = sim->directory;
    sim->room.durability = plan->is_durable ? TP_DURABLE_INTERVAL : TP_DURABLE_NONE;
    room_publish(&sim->room, plan->world->name, plan->world->tick_rate_hz, plan->room_players);
    room_open(&sim->room);
    sim->is_room_open = sim->room.result.state == SERVER_ROOM_RUNNING;
    if (!sim->is_room_open) {
        livesim_fail(sim, "opening the room: %s", sim->room.result.report.message);
        return false;
    }
    if (!room_is_paused(&sim->room)) {
        room_start_clock(&sim->room, host_now_ns(sim));
    }
    return true;
}

static void run_jobs(Livesim *sim, bool all)
{
    for (uint32_t i = 0; i < sim->job_count;) {
        RoomJob *job = sim->jobs[i].job;
        if (!all && sim->jobs[i].due_us > sim->now_us) {
            i++;
            continue;
        }
        sim->jobs[i] = sim->jobs[--sim->job_count];
        job->run(job);
        job->done(job);
    }
}

static void settle(Livesim *sim)
{
    Room *room = &sim->room;
    while (room->result.state == SERVER_ROOM_CLOSING && !room_settle(room)) {
        sched_yield(); // its recorder is a thread of its own
    }
}

static void close_room(Livesim *sim)
{
    settle(sim);
    for (LivesimLine *line = sim->lines; line != NULL; line = line->next) {
        livesim_line_cut(line);
    }
    while (sim->job_count > 0) {
        run_jobs(sim, true);
    }
    room_finish(&sim->room);
    live_destroy(&sim->room);
    sim->is_room_open = false;
}

// A copy of what has reached the file by now, torn in the middle of a write when nothing of it was promised.
static bool copy_log(Livesim *sim, const char *from, const char *to)
{
    uint8_t bytes[65536];
    int     in = open(from, O_RDONLY | O_CLOEXEC);
    int     out = open(to, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    off_t   size = 0;
    for (ssize_t got; in >= 0 && out >= 0 && (got = read(in, bytes, sizeof(bytes))) > 0; size += got) {
        if (write(out, bytes, (size_t)got) != got) {
            livesim_fail(sim, "copying the log: the disk is full");
        }
    }
    off_t torn = sim->plan->is_durable ? 0 : (off_t)tp_pcg32_below(&sim->dice, 200);
    if (size > torn && ftruncate(out, size - torn) != 0) {
        livesim_fail(sim, "cutting the log");
    }
    tp_source   source = tp_source_of_fd(&out);
    tp_recovery recovery;
    bool        is_whole = tp_log_recover(&source, &recovery, NULL) == TP_LOG_OK;
    tp_recovery_finish(&recovery);
    close(in);
    close(out);
    return is_whole;
}

// Killed: what has reached the file by now is what a new server finds. The old one is ended elsewhere, where nobody looks. Before the first state has
// reached the file there is nothing to go on with: then it is killed a moment later.
static void crash(Livesim *sim)
{
    char     from[SERVER_PATH_SIZE], to[SERVER_PATH_SIZE + 16];
    uint64_t promised = 0;
    snprintf(from, sizeof(from), "%s", sim->room.log.path);
    snprintf(to, sizeof(to), "%s.killed", from);
    for (uint32_t i = 0; i < LIVESIM_CLIENTS; i++) {
        promised = sim->clients[i].durable > promised ? sim->clients[i].durable : promised;
    }
    if (!copy_log(sim, from, to)) {
        return;
    }
    room_stop(&sim->room);
    close_room(sim);
    rename(to, from);
    sim->has_crashed = true;
    sim->outcome->crashes += 1;
    if (open_room(sim) && sim->plan->is_durable && sim->resumed_tick < promised) {
        livesim_fail(sim, "the room goes on at tick %llu, and %llu was promised to be on the disk", (unsigned long long)sim->resumed_tick, (unsigned long long)promised);
    }
}

static bool is_everybody_done(const Livesim *sim)
{
    for (uint32_t i = 0; i < sim->plan->players + sim->plan->watchers; i++) {
        if (!sim->clients[i].is_done) {
            return false;
        }
    }
    return true;
}

static void turn(Livesim *sim)
{
    Room *room = &sim->room;
    if (sim->plan->crash_us != 0 && !sim->has_crashed && sim->now_us >= sim->plan->crash_us && room->result.state == SERVER_ROOM_RUNNING &&
        tp_sim_tick(room->sim) > 0) {
        crash(sim);
    }
    for (LivesimLine *line = sim->lines; line != NULL; line = line->next) {
        livesim_line_turn(line);
    }
    if (room->result.state == SERVER_ROOM_RUNNING && live_is_ready(room)) {
        room_wake(room, host_now_ns(sim));
    }
    if (room->result.state == SERVER_ROOM_RUNNING && !room_is_paused(room) && room_next_due_ns(room) <= host_now_ns(sim)) {
        room_wake(room, host_now_ns(sim));
    }
    run_jobs(sim, false);
    if (sim->now_us >= (uint64_t)sim->look_us + LOOK_US && room->result.state == SERVER_ROOM_RUNNING) {
        sim->look_us = (int64_t)sim->now_us;
        live_look(room, host_now_ns(sim));
        resume(sim);
    }
    for (uint32_t i = 0; i < sim->plan->players + sim->plan->watchers; i++) {
        livesim_client_turn(&sim->clients[i]);
    }
    settle(sim);
}

static void clear_up(Livesim *sim)
{
    sim->is_bad_weather = false;
    for (LivesimLine *line = sim->lines; line != NULL; line = line->next) {
        livesim_line_clear_up(line);
    }
}

static void prepare(Livesim *sim, const LivesimPlan *plan, const char *directory, LivesimOutcome *outcome)
{
    *outcome = (LivesimOutcome){ .is_fine = true };
    sim->plan = plan;
    sim->directory = directory;
    sim->outcome = outcome;
    sim->dice = tp_pcg32_make(plan->seed, 99);
    sim->is_bad_weather = true;
    sim->is_told = getenv("LIVESIM_TELL") != NULL;
    sim->next_desync_tick = UINT64_MAX;
    sim->options.build = "livesim";
    sim->options.each_tick = each_tick;
    sim->options.each_to = sim;
    sim->limits.join_bytes_per_tick = plan->join_bytes_per_tick;
    sim->limits.watchers = LIVESIM_CLIENTS;
    sim->limits.send_queue_bytes = 262144;
    sim->peers.limits = &sim->limits;
    sim->host = (RoomHost){ .options = &sim->options, .post = host_post, .drained = host_drained, .now_ns = host_now_ns, .random = host_random,
                            .work = host_work, .clock_changed = host_clock_changed, .to = sim };
    for (uint32_t i = 0; i < LIVESIM_CLIENTS; i++) {
        sim->clients[i].sim = sim;
        sim->clients[i].number = i;
    }
}

// The room ends by itself, at the plan's last tick; then everybody must have come as far, and hear so.
static void check_end(Livesim *sim)
{
    const Room *room = &sim->room;
    if (sim->outcome->is_fine && room->result.state != SERVER_ROOM_DONE) {
        livesim_fail(sim, "the room stands at tick %llu of %llu after %llu ms%s", (unsigned long long)tp_sim_tick(room->sim),
                     (unsigned long long)sim->plan->ticks, (unsigned long long)sim->now_us / 1000, room_is_paused(room) ? ", paused" : "");
    }
    for (uint32_t i = 0; i < sim->plan->players + sim->plan->watchers && sim->outcome->is_fine; i++) {
        const LivesimClient *client = &sim->clients[i];
        if (!client->is_done) {
            livesim_fail(sim, "client %u is still at tick %llu when all is over", i, (unsigned long long)client->next_tick);
        }
    }
    sim->outcome->ticks = room->result.report.next_tick;
    if (sim->outcome->is_fine && room->result.report.verdict != TP_VERIFIED) {
        livesim_fail(sim, "the room ended with: %s", room->result.report.message);
    }
}

void livesim_run(const LivesimPlan *plan, const char *directory, LivesimOutcome *outcome)
{
    Livesim *sim = calloc(1, sizeof(*sim));
    if (sim == NULL) {
        abort();
    }
    prepare(sim, plan, directory, outcome);
    if (open_room(sim)) {
        uint64_t end_us = plan->bad_until_us + OVERTIME_US + plan->ticks * 600000;
        while (sim->now_us < end_us && outcome->is_fine && !(sim->room.result.state == SERVER_ROOM_DONE && is_everybody_done(sim))) {
            if (sim->is_bad_weather && sim->now_us >= plan->bad_until_us) {
                clear_up(sim);
            }
            turn(sim);
            sim->now_us += LIVESIM_STEP_US;
        }
        check_end(sim);
        outcome->rejoins = sim->room.result.live.rejoins;
        room_stop(&sim->room);
    }
    if (sim->room.live != NULL) {
        close_room(sim);
    }
    for (uint32_t i = 0; i < LIVESIM_CLIENTS; i++) {
        livesim_client_finish(&sim->clients[i]);
    }
    livesim_lines_finish(sim);
    if (outcome->is_fine) {
        livesim_check_log(sim);
    }
    free(sim);
}

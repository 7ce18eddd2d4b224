// room.c: the life of a room: opening, ticking by a clock or in slices, stopping, and what came of it.
#include "room_live.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "ticker.h"

static ServerEvent event_of(const Room *room, ServerEventKind kind)
{
    ServerEvent event = { .kind = kind, .is_room = true, .path = room->live == NULL ? room->result.path : NULL };
    snprintf(event.room, sizeof(event.room), "%s", room->result.name);
    snprintf(event.world, sizeof(event.world), "%s", room->result.report.world);
    event.tick = room->sim != NULL ? tp_sim_tick(room->sim) : room->result.report.next_tick;
    return event;
}

static void post(Room *room, ServerEvent *event)
{
    room->host->post(room->host->to, event);
}

void room_post(Room *room, ServerEventKind kind, uint64_t value, const char *text)
{
    ServerEvent event = event_of(room, kind);
    event.value = value;
    snprintf(event.text, sizeof(event.text), "%.*s", (int)sizeof(event.text) - 1, text);
    post(room, &event);
}

bool room_may_chat(Room *room)
{
    uint64_t now_ms = 0;
    bool     may_chat = room->host->may_chat == NULL || room->host->may_chat(room->host->to, &now_ms);
    if (now_ms - room->chat_since_ms >= 1000) {
        room->chat_since_ms = now_ms;
        room->chats = 0;
    }
    if (!may_chat || room->chats >= SERVER_MEMBER_EVENTS) {
        room->result.live.unsaid += 1;
        return false;
    }
    room->chats += 1;
    return true;
}

void room_post_of_tick(Room *room, ServerEventKind kind, uint64_t tick, uint64_t value, const char *text)
{
    ServerEvent event = event_of(room, kind);
    event.tick = tick;
    event.value = value;
    snprintf(event.text, sizeof(event.text), "%.*s", (int)sizeof(event.text) - 1, text);
    post(room, &event);
}

void room_post_chat(Room *room, ServerEventKind kind, uint64_t value, const char *text)
{
    if (room_may_chat(room)) {
        room_post(room, kind, value, text);
    }
}

bool room_open_log(Room *room, const tp_ident *ident, void (*member)(void *to, uint32_t slot, const uint8_t token_hash[SERVER_TOKEN_HASH]),
                   ServerLogTakenUp *taken_up, tp_error *error)
{
    const char      *slash = strrchr(room->result.path, '/');
    ServerLogOptions options = {
        .directory = room->record_dir,
        .room = room->result.name,
        .loop = room->result.loops,
        .source = room->live != NULL ? NULL : slash != NULL ? slash + 1 : room->result.path,
        .build = room->host->options->build,
        .durability = room->durability,
        .sign_key = room->host->options->sign_key,
        .ident = ident,
        .rotate_ticks = room->live != NULL ? room->live->options.rotate_ticks : 0,
        .goes_on = member != NULL,
        .member = member,
        .member_to = room,
        .drained = room->host->drained,
        .to = room->host->to,
    };
    if (!server_log_open(&room->log, room->sim, &options, taken_up, error)) {
        return false;
    }
    snprintf(room->result.log_path, sizeof(room->result.log_path), "%s", room->log.path);
    return true;
}

static void keep_log_error(Room *room)
{
    const char *error = server_log_error(&room->log);
    if (error != NULL && room->result.log_error[0] == '\0') {
        snprintf(room->result.log_error, sizeof(room->result.log_error), "%s", error);
    }
}

// Once per room: later loops' logs have their errors in the result.
static void say_log_failed(Room *room)
{
    if (room->has_said_log_failed) {
        return;
    }
    room->has_said_log_failed = true;
    ServerEvent event = event_of(room, SERVER_EVENT_RECORD_FAILED);
    event.value = room->log_failures++;
    snprintf(event.text, sizeof(event.text), "%s: the room goes on, and tries again: make room on the disk", room->result.log_error);
    post(room, &event);
}

void room_lose_log(Room *room)
{
    room->is_log_failed = true;
    keep_log_error(room);
    say_log_failed(room);
}

void room_retry_log(Room *room)
{
    uint64_t gap_ticks = 0;
    if (!server_log_retry(&room->log, room->sim, room->host->now_ns(room->host->to), &gap_ticks)) {
        return;
    }
    room->is_log_failed = false;
    room->has_said_log_failed = false; // the next time is another one
    room->result.gap_ticks += gap_ticks;
    room_post(room, SERVER_EVENT_RECORD_RESUMED, gap_ticks, room->log.path);
}

void room_look_at_rotation(Room *room)
{
    tp_error why = { "" };
    if (server_log_has_rotated(&room->log)) {
        room->not_rotated[0] = '\0';
        snprintf(room->result.log_path, sizeof(room->result.log_path), "%s", room->log.path);
        room_post(room, SERVER_EVENT_RECORD_ROTATED, tp_sim_tick(room->sim), room->log.path);
    } else if (tp_sim_tick(room->sim) % room->live->options.rotate_ticks == 1 && server_log_has_not_rotated(&room->log, &why) &&
               strcmp(why.text, room->not_rotated) != 0) {
        char text[TP_MESSAGE_SIZE];
        snprintf(room->not_rotated, sizeof(room->not_rotated), "%s", why.text);
        snprintf(text, sizeof(text), "%s: it goes on in the file it has", why.text);
        room_post(room, SERVER_EVENT_RECORD_NOT_ROTATED, 0, text);
    }
}

static bool has_fault(const Room *room)
{
    return room->sim != NULL && tp_sim_is_faulted(room->sim);
}

static ServerEventKind last_event_of(const Room *room)
{
    if (has_fault(room)) {
        return SERVER_EVENT_ROOM_FAULT;
    }
    if (room->result.report.verdict == TP_DIVERGED) {
        return SERVER_EVENT_ROOM_DIVERGED;
    }
    return room->is_stopped ? SERVER_EVENT_ROOM_STOPPED : SERVER_EVENT_ROOM_DONE;
}

// The room never ran: the reason is in the report, or in `error` when it lies outside the log.
static void refuse(Room *room, const tp_error *error)
{
    ServerRoomResult *result = &room->result;
    if (error->text[0] != '\0') {
        result->report.verdict = TP_USAGE;
        snprintf(result->report.message, sizeof(result->report.message), "%s", error->text);
    } else {
        recorded_finish(room);
    }
    result->last_event = SERVER_EVENT_ROOM_REFUSED;
    result->state = SERVER_ROOM_DONE;
}

// A whole log that matched was run for the reason that it was recorded for; of any other one only a part was run.
static tp_end_reason reason_of_source(const Room *room)
{
    const tp_report *report = &room->result.report;
    if (room->live != NULL) {
        bool is_complete = room->live->options.ticks > 0 && tp_sim_tick(room->sim) >= room->live->options.ticks;
        return is_complete ? TP_END_COMPLETED : TP_END_STOPPED;
    }
    bool             is_whole = report->has_end && report->end_reason != TP_END_FAULT && report->verdict == TP_VERIFIED;
    return is_whole ? report->end_reason : TP_END_STOPPED;
}

// The room's own log is a good log of what was stepped here, also when its source was not: what came of the source is written into it.
static void note_verdict(Room *room)
{
    const tp_report *report = &room->result.report;
    char             text[TP_MESSAGE_SIZE + 64];
    if (room->live == NULL && report->verdict != TP_VERIFIED && !room->is_log_failed) {
        int size = snprintf(text, sizeof(text), "source %s: %s", tp_verdict_name(report->verdict), report->message);
        server_log_note(&room->log, text, (size_t)size < sizeof(text) ? (size_t)size : sizeof(text) - 1);
    }
}

void room_publish(Room *room, const char *world, uint32_t tick_rate_hz, uint32_t players)
{
    RoomListing *listing = &room->listing;
    snprintf(listing->world, sizeof(listing->world), "%s", world);
    listing->tick_rate_hz = tick_rate_hz;
    listing->players = players;
    atomic_store(&listing->taken, room->live != NULL ? 0 : players);
    atomic_store_explicit(&listing->is_known, true, memory_order_release);
}

static bool prepare(Room *room)
{
    if (room->live == NULL) {
        return recorded_prepare(room);
    }
    uint64_t ticks = room->live->options.ticks;
    bool     is_over = tp_sim_is_faulted(room->sim) || room->live->is_ending || room->result.report.verdict == TP_INTERNAL || live_is_deserted(room) ||
                   (ticks > 0 && tp_sim_tick(room->sim) >= ticks);
    return !is_over;
}

void room_open(Room *room)
{
    ServerRoomResult *result = &room->result;
    tp_error          error = { "" };
    assert(result->state == SERVER_ROOM_WAITING || result->state == SERVER_ROOM_DONE);
    room_finish(room);
    memset(&result->report, 0, sizeof(result->report));
    result->loops += 1;
    result->log_path[0] = '\0';
    room->is_log_failed = false;
    room->first_ns = room->last_ns = 0;
    room->loop_ticks = room->stretch_ticks = 0;
    if (room->live != NULL ? !live_open(room, &error) : !recorded_open(room, &error)) {
        refuse(room, &error);
        return;
    }
    result->state = SERVER_ROOM_RUNNING;
    if (result->loops == 1) {
        if (room->live == NULL) { // what a recorded room is only its log could say; later loops are of the same log
            room_publish(room, result->report.world, result->report.tick_rate_hz, result->report.players);
        }
        room_post(room, SERVER_EVENT_ROOM_OPEN, 0, "");
    }
    if (!prepare(room)) {
        room_end(room);
    }
}

void room_start_clock(Room *room, int64_t now_ns)
{
    uint32_t rate_hz = room->live != NULL ? live_rate_hz(room) : room->result.report.tick_rate_hz;
    tp_tickclock_init(&room->clock, rate_hz, SERVER_CATCH_UP_TICKS, now_ns);
}

int64_t room_next_due_ns(const Room *room)
{
    bool is_stalled = room->live != NULL && room->live->stall_start_ns != 0;
    return is_stalled ? room->live->stall_end_ns : tp_tickclock_next_ns(&room->clock);
}

bool room_is_paused(const Room *room)
{
    return room->live != NULL && room->result.state == SERVER_ROOM_RUNNING && room->live->is_paused;
}

void room_resume(Room *room)
{
    room->live->is_paused = false;
    room_post_chat(room, SERVER_EVENT_ROOM_RESUMED, 0, "");
    live_say_pace(room, NULL);
}

// The clock stands still for a while, or for good: the rate held is that of the stretches in which it ran.
static void end_stretch(Room *room)
{
    ServerRoomResult *result = &room->result;
    if (result->pace == SERVER_REAL_TIME && room->stretch_ticks > 1) {
        result->held_ticks += room->stretch_ticks - 1;
        result->running_ns += room->last_ns - room->first_ns;
    }
    room->first_ns = room->last_ns = 0;
    room->stretch_ticks = 0;
}

void room_pause(Room *room, const char *why)
{
    if (!room->live->is_paused) {
        room->live->is_paused = true;
        room->live->stall_start_ns = 0;
        end_stretch(room);
        if (server_log_is_open(&room->log)) {
            server_log_flush(&room->log); // no tick comes that would
        }
        room_post_chat(room, SERVER_EVENT_ROOM_PAUSED, 0, why);
        live_say_pace(room, NULL);
    }
}

static void pause_live(Room *room)
{
    if (room->live != NULL && room->result.state == SERVER_ROOM_RUNNING && !live_can_resume(room)) {
        room_pause(room, room->live->is_held ? "an administrator has paused it" : "");
    }
}

static void tick(Room *room, int64_t now_ns)
{
    uint64_t before = room->loop_ticks;
    room->first_ns = room->first_ns == 0 ? now_ns : room->first_ns;
    room->last_ns = now_ns;
    if (room->live != NULL) {
        live_step(room);
    } else {
        recorded_step(room);
    }
    room->stretch_ticks += room->loop_ticks - before;
    if (!prepare(room)) {
        room_end(room);
    } else {
        pause_live(room);
    }
}

static void post_late(Room *room)
{
    if (room->late_ticks_unreported == 0) {
        return;
    }
    ServerEvent event = event_of(room, SERVER_EVENT_ROOM_LATE);
    event.value = room->late_ticks_unreported;
    room->late_ticks_unreported = 0;
    post(room, &event);
}

static void report_late(Room *room, int64_t now_ns)
{
    bool is_too_soon = room->late_report_ns != 0 && now_ns - room->late_report_ns < SERVER_LATE_REPORT_NS;
    if (room->late_ticks_unreported > 0 && !is_too_soon) {
        room->late_report_ns = now_ns;
        post_late(room);
    }
}

static void count_dropped(Room *room, uint64_t dropped, int64_t now_ns)
{
    if (dropped > 0) {
        room->result.dropped_ticks += dropped;
        room->result.hitches += 1;
        room->late_ticks_unreported += dropped;
    }
    report_late(room, now_ns);
}

static bool is_running(const Room *room)
{
    return room->result.state == SERVER_ROOM_RUNNING && !room_is_paused(room);
}

// A tick that waited for inputs was not late but stalled: the clock starts anew with it.
static void end_stall(Room *room, int64_t now_ns)
{
    RoomLive *live = room->live;
    uint32_t  rate_hz = room->clock.rate_hz;
    if (live == NULL || live->stall_start_ns == 0) {
        return;
    }
    room->result.live.stalled_ns += now_ns - live->stall_start_ns;
    end_stretch(room);
    tp_tickclock_init(&room->clock, rate_hz, SERVER_CATCH_UP_TICKS, now_ns - INT64_C(1000000000) / rate_hz - 1);
}

static void run_due(Room *room, int64_t now_ns)
{
    if (room->live != NULL && live_must_wait(room, now_ns)) {
        return;
    }
    end_stall(room, now_ns);
    tp_tickclock before = room->clock;
    int64_t      period_ns = INT64_C(1000000000) / before.rate_hz;
    uint32_t     count = tp_tickclock_advance(&room->clock, now_ns);
    for (uint32_t i = 0; i < count && is_running(room); i++) {
        if (i > 0 && room->live != NULL && live_must_wait(room, now_ns)) {
            return; // the rest of what was due becomes part of the stall
        }
        int64_t late_ns = now_ns - tp_tickclock_next_ns(&before);
        before.released += 1;
        lateness_add(&room->lateness, late_ns);
        room->result.late_ticks += late_ns > period_ns ? 1 : 0;
        tick(room, now_ns);
    }
    if (is_running(room)) {
        count_dropped(room, room->clock.dropped_total - before.dropped_total, now_ns);
    }
}

void room_wake(Room *room, int64_t now_ns)
{
    run_due(room, now_ns);
}

void room_measure(Room *room)
{
    ServerRoomResult *result = &room->result;
    ServerLiveCounts *live = &result->live;
    memset(&room->lateness, 0, sizeof(room->lateness));
    room->first_ns = room->last_ns = 0;
    room->stretch_ticks = 0;
    result->held_ticks = result->late_ticks = result->dropped_ticks = result->hitches = 0;
    result->running_ns = result->cpu_ns = 0;
    live->inputs = live->repeated = live->neutral = live->late = live->early = live->duplicate = live->stalls = 0;
    live->stalled_ns = 0;
}

void room_slice(Room *room, int64_t until_ns, int64_t (*now)(void))
{
    int64_t start_ns = now();
    int64_t start_cpu_ns = ticker_thread_cpu_ns();
    int64_t now_ns = start_ns;
    do {
        tick(room, now_ns);
        now_ns = now();
    } while (room->result.state == SERVER_ROOM_RUNNING && now_ns < until_ns);
    room->result.running_ns += now_ns - start_ns;
    room->result.cpu_ns += ticker_thread_cpu_ns() - start_cpu_ns;
}

static void add_times(Room *room)
{
    ServerRoomResult *result = &room->result;
    result->ticks += room->loop_ticks;
    end_stretch(room);
    result->late_p50_ns = lateness_percentile_ns(&room->lateness, 500);
    result->late_p99_ns = lateness_percentile_ns(&room->lateness, 990);
    result->late_max_ns = room->lateness.max_ns;
}

void room_end(Room *room)
{
    ServerRoomResult *result = &room->result;
    assert(result->state == SERVER_ROOM_RUNNING);
    post_late(room);
    if (room->live != NULL) {
        atomic_store(&room->listing.is_over, true); // at once, though its log is still on its way
        live_finish(room);
    } else {
        recorded_finish(room);
    }
    result->last_event = last_event_of(room);
    add_times(room);
    if (server_log_is_open(&room->log)) {
        note_verdict(room);
        server_log_finish(&room->log, room->sim, has_fault(room) ? TP_END_FAULT : reason_of_source(room));
        result->state = SERVER_ROOM_CLOSING;
    } else {
        result->state = SERVER_ROOM_DONE;
    }
}

void room_stop(Room *room)
{
    if (room->result.state == SERVER_ROOM_RUNNING) {
        room->is_stopped = true;
        room_end(room);
    } else if (room->result.state == SERVER_ROOM_WAITING) {
        room->is_stopped = true;
        room->result.report.verdict = TP_INCOMPLETE;
        snprintf(room->result.report.message, sizeof(room->result.report.message), "stopped before its first tick");
        room->result.last_event = SERVER_EVENT_ROOM_STOPPED;
        room->result.state = SERVER_ROOM_DONE;
    } else {
        room->is_stopped = true; // its log is being written already; no further loop
    }
}

bool room_settle(Room *room)
{
    if (room->result.state != SERVER_ROOM_CLOSING || !server_log_is_drained(&room->log)) {
        return false;
    }
    keep_log_error(room);
    if (room->result.log_error[0] != '\0') {
        say_log_failed(room); // it showed only at the end
    }
    room->result.durable_tick = server_log_durable_tick(&room->log);
    room->result.log_bytes += server_log_close(&room->log);
    room->result.recorder_cpu_ns += room->log.cpu_ns;
    room->result.state = SERVER_ROOM_DONE;
    return true;
}

bool room_wants_more(const Room *room)
{
    const ServerRoomResult *result = &room->result;
    return result->state == SERVER_ROOM_DONE && !room->is_stopped && result->report.verdict == TP_VERIFIED && result->log_error[0] == '\0' &&
           result->loops < room->loops_wanted;
}

void room_post_last(Room *room)
{
    const tp_report *report = &room->result.report;
    ServerEvent      event = event_of(room, room->result.last_event);
    event.has_verdict = true;
    event.verdict = report->verdict;
    event.value = room->result.ticks;
    event.offset = report->offset;
    if (report->verdict == TP_DIVERGED) {
        event.tick = report->bad_tick;
        snprintf(event.section, sizeof(event.section), "%s", report->section);
    } else if (report->has_fault) {
        event.tick = report->fault_tick;
    }
    snprintf(event.text, sizeof(event.text), "%s", report->message);
    post(room, &event);
}

void room_post_status(Room *room)
{
    if (room->result.state != SERVER_ROOM_RUNNING) {
        return;
    }
    ServerEvent event = event_of(room, SERVER_EVENT_ROOM_STATUS);
    event.value = server_log_is_open(&room->log) ? server_log_durable_tick(&room->log) : 0;
    if (room->result.pace == SERVER_REAL_TIME) {
        snprintf(event.text, sizeof(event.text), "lateness p50 %" PRId64 " us, p99 %" PRId64 " us, dropped %" PRIu64,
                 lateness_percentile_ns(&room->lateness, 500) / 1000, lateness_percentile_ns(&room->lateness, 990) / 1000,
                 room->result.dropped_ticks);
    }
    post(room, &event);
}

void room_finish(Room *room)
{
    if (room->live != NULL) {
        if (room->sim != NULL) {
            live_desync_finish(room);
        }
        tp_sim_destroy(room->sim);
        room->sim = NULL;
    } else {
        recorded_close(room);
    }
}

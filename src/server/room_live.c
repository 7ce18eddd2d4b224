// room_live.c: the world of a live room, its tick, and what clients are told of it.
#include "room_live.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SPEED_USUAL = 1000, COMMAND_HEAD = 16 };

static void *array_of(size_t count, size_t size)
{
    return calloc(count + 1, size > 0 ? size : 1);
}

static bool make_arrays(RoomLive *live, const tp_layout *layout)
{
    const tp_record_type *input = layout->world->input;
    size_t                native_size = input != NULL ? input->struct_size : 0;
    live->players = layout->setup.players;
    live->input_size = layout->input_size;
    live->row_capacity = tp_row_size_fixed(live->players, live->input_size) + SERVER_COMMANDS_WAITING * (COMMAND_HEAD + MESSAGE_COMMAND_MAX);
    live->slots = array_of(live->players, sizeof(*live->slots));
    live->stamps = array_of((size_t)live->players * SERVER_INPUT_AHEAD, sizeof(*live->stamps));
    live->inputs = array_of((size_t)live->players * SERVER_INPUT_AHEAD, live->input_size);
    live->last = array_of(live->players, live->input_size);
    live->neutral = array_of(1, live->input_size);
    live->row_inputs = array_of(live->players, live->input_size);
    live->row_bytes = array_of(live->row_capacity, 1);
    live->native = array_of(1, native_size);
    live->predicted = array_of(1, native_size);
    return live->slots != NULL && live->stamps != NULL && live->inputs != NULL && live->last != NULL && live->neutral != NULL &&
           live->row_inputs != NULL && live->row_bytes != NULL && live->native != NULL && live->predicted != NULL;
}

static tp_sim *make_sim(const RoomLive *live, tp_error *error)
{
    tp_setup setup = {
        .seed = live->options.seed,
        .players = live->options.players,
        .tick_rate_hz = live->options.tick_rate_hz,
        .config = live->options.config != NULL ? live->config : NULL,
    };
    tp_sim_options options = { .algorithm = live->options.algorithm };
    return tp_sim_create(live->options.world, &setup, &options, error);
}

static bool make_live(RoomLive *live, tp_error *error)
{
    tp_sim *sim = make_sim(live, error);
    if (sim == NULL) {
        return false;
    }
    bool is_fine = make_arrays(live, tp_sim_layout(sim)) || tp_error_set(error, "out of memory");
    if (is_fine) {
        tp_input_neutral(tp_sim_layout(sim), live->neutral);
    }
    tp_sim_destroy(sim);
    return is_fine;
}

bool live_create(Room *room, const ServerLiveOptions *options, tp_error *error)
{
    RoomLive *live = calloc(1, sizeof(*live));
    if (live == NULL) {
        return tp_error_set(error, "out of memory");
    }
    room->live = live;
    live->options = *options;
    const tp_world *world = options->world;
    if (options->config != NULL) {
        memcpy(live->config, options->config, world->config_count * sizeof(live->config[0]));
    }
    live->options.players = options->players > 0 ? options->players : world->players_standard;
    live->options.tick_rate_hz = options->tick_rate_hz > 0 ? options->tick_rate_hz : world->tick_rate_hz;
    live->options.stall_ms = options->stall_ms > 0 ? options->stall_ms : SERVER_STALL_MS;
    live->options.report_ticks = options->report_ticks == 0 ? SERVER_REPORT_TICKS : options->report_ticks == UINT32_MAX ? 0 : options->report_ticks;
    live->options.rejoin_seconds =
        options->rejoin_seconds == 0 ? SERVER_REJOIN_SECONDS : options->rejoin_seconds == UINT32_MAX ? 0 : options->rejoin_seconds;
    live->epoch = 1;
    live->speed = SPEED_USUAL;
    live->bundle_ns = INT64_MIN;
    for (uint32_t i = 0; i < SERVER_SNAPSHOTS; i++) {
        live->keeps[i].tick = UINT64_MAX;
    }
    live->desync_dir = options->desync_dir != NULL ? strdup(options->desync_dir) : NULL;
    live->options.desync_dir = live->desync_dir;
    bool is_kept = options->desync_dir == NULL || live->desync_dir != NULL || tp_error_set(error, "out of memory");
    if (is_kept && make_live(live, error)) {
        return true;
    }
    live_destroy(room);
    return false;
}

void live_destroy(Room *room)
{
    RoomLive *live = room->live;
    if (live == NULL) {
        return;
    }
    assert(live->members == NULL && live->jobs == 0);
    live_desync_finish(room);
    while (live->seats != NULL) {
        Seat *next = live->seats->next;
        free(live->seats);
        live->seats = next;
    }
    for (uint32_t i = 0; i < SERVER_SNAPSHOTS; i++) {
        free(live->keeps[i].bytes);
    }
    live_release_state(live->state);
    history_finish(&live->history);
    free(live->desync_dir);
    free(live->commands);
    free(live->slots);
    free(live->stamps);
    free(live->inputs);
    free(live->last);
    free(live->neutral);
    free(live->row_inputs);
    free(live->row_bytes);
    free(live->native);
    free(live->predicted);
    free(live);
    room->live = NULL;
}

static void fill_report(const Room *room, tp_report *report)
{
    const RoomLive *live = room->live;
    snprintf(report->world, sizeof(report->world), "%s", live->options.world->name);
    report->revision = live->options.world->revision;
    report->players = live->players;
    report->seed = live->options.seed;
    report->tick_rate_hz = live->options.tick_rate_hz;
}

static Seat *seat_of_hash(const RoomLive *live, const uint8_t hash[SERVER_TOKEN_HASH])
{
    Seat *seat = live->seats;
    while (seat != NULL && memcmp(seat->token_hash, hash, SERVER_TOKEN_HASH) != 0) {
        seat = seat->next;
    }
    return seat;
}

// A membership of the log that goes on: its slots are kept for who has the token. Out of memory, he is a stranger. Whether he is kept or not, the
// log has him as a member until it is told otherwise.
static void take_up_member(void *to, uint32_t slot, const uint8_t token_hash[SERVER_TOKEN_HASH])
{
    Room     *room = to;
    RoomLive *live = room->live;
    if (slot >= live->players || live->slots[slot].seat != NULL) {
        return;
    }
    live->slots[slot].was_noted = true;
    memcpy(live->slots[slot].noted, token_hash, SERVER_TOKEN_HASH);
    live->has_notes = true;
    if (live->options.rejoin_seconds == 0) {
        return;
    }
    Seat *seat = seat_of_hash(live, token_hash);
    if (seat == NULL) {
        seat = calloc(1, sizeof(*seat));
        if (seat == NULL) {
            return;
        }
        memcpy(seat->token_hash, token_hash, SERVER_TOKEN_HASH);
        seat->until_ns = room->host->now_ns(room->host->to) + (int64_t)live->options.rejoin_seconds * 1000000000;
        seat->next = live->seats;
        live->seats = seat;
    }
    seat->slot_count += 1;
    live_set_bit(seat->slots, slot, true);
    live->slots[slot].seat = seat;
    live->slots[slot].has_note = true;
    memcpy(live->slots[slot].note, token_hash, SERVER_TOKEN_HASH);
    live->taken += 1;
}

// Where a run that broke off goes on: who was there is awaited, and nobody else gets his slot before the world has seen him leave.
static void take_up(Room *room, const ServerLogTakenUp *taken_up)
{
    RoomLive *live = room->live;
    live->has_begun = live->has_begun || taken_up->next_tick > 0;
    live->was_somebody = taken_up->next_tick > 0;
    live->awaits_return = live->has_begun && live->options.when_empty == SERVER_EMPTY_PAUSE;
    for (uint32_t slot = 0; slot < live->players; slot++) {
        live->slots[slot].was_present = taken_up->next_tick > 0;
        memcpy(live->last + (size_t)slot * live->input_size, live->neutral, live->input_size);
    }
    live_publish_taken(room);
}

bool live_open(Room *room, tp_error *error)
{
    RoomLive        *live = room->live;
    ServerLogTakenUp taken_up = { .is_taken_up = false };
    fill_report(room, &room->result.report);
    room->sim = make_sim(live, error);
    if (room->sim == NULL) {
        return false;
    }
    live->has_begun = live->options.start_players == 0;
    if (room->record_dir != NULL && !room_open_log(room, NULL, live->options.starts_anew ? NULL : take_up_member, &taken_up, error)) {
        return false;
    }
    live->epoch = taken_up.epoch + 1; // above that of every server before, whether its log goes on or not
    if (taken_up.is_taken_up) {
        take_up(room, &taken_up);
        room_post(room, SERVER_EVENT_ROOM_RECOVERED, taken_up.cut_bytes, room->log.path);
    } else if (taken_up.passed_over[0] != '\0') {
        room_post(room, SERVER_EVENT_ROOM_ANEW, 0, taken_up.passed_over);
    }
    history_begin(&live->history, tp_sim_tick(room->sim));
    live->is_paused = !live_can_resume(room);
    return true;
}

uint32_t live_rate_hz(const Room *room)
{
    const RoomLive *live = room->live;
    uint64_t        rate_hz = ((uint64_t)live->options.tick_rate_hz * live->speed + SPEED_USUAL / 2) / SPEED_USUAL;
    return (uint32_t)(rate_hz < 1 ? 1 : rate_hz > SERVER_TICK_RATE_MAX ? SERVER_TICK_RATE_MAX : rate_hz);
}

bool live_is_present(const RoomLive *live, uint32_t slot)
{
    const LiveSlot *state = &live->slots[slot];
    return state->owner != NULL ? state->owner->is_present && !state->owes_absence : state->seat != NULL;
}

static tp_row fill_row(Room *room)
{
    RoomLive *live = room->live;
    memset(live->presence, 0, sizeof(live->presence));
    memset(live->origins, 0, sizeof(live->origins));
    for (uint32_t slot = 0; slot < live->players; slot++) {
        bool is_present = live_is_present(live, slot);
        live_set_bit(live->presence, slot, is_present);
        live->slots[slot].was_present = is_present;
        live->slots[slot].owes_absence = false;
        live->was_somebody = live->was_somebody || is_present; // who left before a tick was never there
        if (is_present) {
            live->origins[slot / 4] |= (uint8_t)(live_take_input(room, slot) << (slot % 4 * 2));
        } else {
            memset(live->row_inputs + (size_t)slot * live->input_size, 0, live->input_size);
        }
    }
    for (uint32_t i = 0; i < live->command_count; i++) {
        const LiveCommand *command = &live->commands[i];
        live->row_commands[i] = (tp_command){ .source = TP_SOURCE_HOST, .type = command->type, .size = command->size, .data = command->bytes };
    }
    tp_row row = { .presence = live->presence, .origins = live->origins, .inputs = live->row_inputs, .command_count = live->command_count,
                   .commands = live->row_commands };
    live->command_count = 0;
    return row;
}

static void record(Room *room, tp_sim_status status, const tp_row *row)
{
    if (!server_log_is_open(&room->log)) {
        return;
    }
    if (room->is_log_failed) {
        room_retry_log(room);
        if (room->is_log_failed || status == TP_SIM_OK) {
            return; // this tick is the last one of the gap, but a fault is none
        }
    }
    bool is_written = status == TP_SIM_OK ? server_log_tick(&room->log, room->sim, row) : server_log_fault(&room->log, room->sim, row);
    if (!is_written) {
        room_lose_log(room);
    } else if (room->live->options.rotate_ticks > 0) {
        room_look_at_rotation(room);
    }
}

void live_step(Room *room)
{
    RoomLive *live = room->live;
    uint64_t  tick = tp_sim_tick(room->sim);
    tp_row    row = fill_row(room);
    live_write_notes(room);
    tp_error  error = { "" };
    if (room->host->options->each_tick != NULL) {
        room->host->options->each_tick(room->host->options->each_to, room->result.name, room->sim, tick, false);
    }
    tp_sim_status status = tp_sim_step(room->sim, &row, &error);
    live->stall_start_ns = 0;
    if (status == TP_SIM_REFUSED) {
        // Every input was decoded once already, so this is a fault of ours: the room ends, and says so.
        snprintf(room->result.report.message, sizeof(room->result.report.message), "tick %" PRIu64 ": the world refuses the row: %s", tick,
                 error.text);
        room->result.report.verdict = TP_INTERNAL;
        return;
    }
    if (room->host->options->each_tick != NULL) {
        room->host->options->each_tick(room->host->options->each_to, room->result.name, room->sim, tick, true);
    }
    record(room, status, &row);
    if (status != TP_SIM_OK) {
        return;
    }
    room->loop_ticks += 1;
    live->steps -= live->is_held && live->steps > 0 ? 1 : 0;
    live_broadcast(room, tick, &row);
    live_keep(room);
    if (!tp_sim_is_sound(room->sim)) {
        snprintf(room->result.report.message, sizeof(room->result.report.message), "tick %" PRIu64 ": the world cannot save its state", tick);
        room->result.report.verdict = TP_INTERNAL;
    }
}

static bool is_anybody_present(const RoomLive *live)
{
    for (uint32_t slot = 0; slot < live->players; slot++) {
        if (live_is_present(live, slot) || live->slots[slot].was_present) {
            return true;
        }
    }
    return false;
}

bool live_can_resume(const Room *room)
{
    const RoomLive *live = room->live;
    if (live->is_held) {
        return live->steps > 0;
    }
    return live->has_begun && !live->awaits_return && (live->options.when_empty == SERVER_EMPTY_RUN || is_anybody_present(live));
}

bool live_is_deserted(const Room *room)
{
    const RoomLive *live = room->live;
    return live->options.when_empty == SERVER_EMPTY_END && live->was_somebody && !is_anybody_present(live);
}

static MessageReason reason_of_end(const Room *room)
{
    if (tp_sim_is_faulted(room->sim)) {
        return MESSAGE_REASON_FAULTED;
    }
    return room->is_stopped ? MESSAGE_REASON_STOPPING : MESSAGE_REASON_ENDED;
}

void live_finish(Room *room)
{
    RoomLive   *live = room->live;
    tp_report  *report = &room->result.report;
    tp_hash128  root = tp_sim_root(room->sim);
    live_send_rest(room);
    while (live->members != NULL) {
        live_leave(live->members, reason_of_end(room), "");
    }
    live_drop_seats(room);
    report->next_tick = tp_sim_tick(room->sim);
    tp_hash128_to_bytes(root, report->final_root);
    if (tp_sim_is_faulted(room->sim)) {
        const tp_fault *fault = tp_sim_fault(room->sim);
        report->has_fault = true;
        report->fault_tick = tp_sim_tick(room->sim);
        report->verdict = TP_INCOMPLETE;
        snprintf(report->message, sizeof(report->message), "tick %" PRIu64 ": the world faulted: %s: %s", report->fault_tick,
                 tp_fault_name(fault->code), fault->what != NULL ? fault->what : "");
    }
}

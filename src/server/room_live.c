// room_live.c: the world of a live room, its tick, and what clients are told of it.
#include "room_live.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
    live->row_capacity = tp_row_size_fixed(live->players, live->input_size);
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
    live->epoch = 1;
    live->state_tick = UINT64_MAX;
    if (make_live(live, error)) {
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
    assert(live->members == NULL);
    free(live->slots);
    free(live->stamps);
    free(live->inputs);
    free(live->last);
    free(live->neutral);
    free(live->row_inputs);
    free(live->row_bytes);
    free(live->native);
    free(live->predicted);
    free(live->state);
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

bool live_open(Room *room, tp_error *error)
{
    RoomLive *live = room->live;
    fill_report(room, &room->result.report);
    room->sim = make_sim(live, error);
    if (room->sim == NULL) {
        return false;
    }
    live->has_begun = live->options.start_players == 0;
    live->is_paused = !live_can_resume(room);
    return room->record_dir == NULL || room_open_log(room, NULL, error);
}

static tp_row fill_row(Room *room)
{
    RoomLive *live = room->live;
    memset(live->presence, 0, sizeof(live->presence));
    memset(live->origins, 0, sizeof(live->origins));
    for (uint32_t slot = 0; slot < live->players; slot++) {
        bool is_present = live->slots[slot].owner != NULL;
        live_set_bit(live->presence, slot, is_present);
        live->slots[slot].was_present = is_present;
        live->was_somebody = live->was_somebody || is_present; // who left before a tick was never there
        if (is_present) {
            live->origins[slot / 4] |= (uint8_t)(live_take_input(room, slot) << (slot % 4 * 2));
        } else {
            memset(live->row_inputs + (size_t)slot * live->input_size, 0, live->input_size);
        }
    }
    return (tp_row){ .presence = live->presence, .origins = live->origins, .inputs = live->row_inputs };
}

static void broadcast(Room *room, uint64_t tick, const tp_row *row)
{
    RoomLive  *live = room->live;
    tp_hash128 root = tp_sim_root(room->sim);
    if (live->members == NULL) {
        return;
    }
    size_t size = tp_row_encode(tp_sim_layout(room->sim), row, live->row_bytes, live->row_capacity);
    size_t parts = (size + MESSAGE_PART_MAX - 1) / MESSAGE_PART_MAX;
    assert(size > 0 && parts <= UINT8_MAX);
    Message message = {
        .type = MESSAGE_CONFIRMED,
        .room = live->number,
        .epoch = live->epoch,
        .tick = tick,
        .body.confirmed = { .root = root, .parts = (uint8_t)parts,
                            .durable = server_log_is_open(&room->log) && !room->is_log_failed ? server_log_durable_tick(&room->log) : 0 },
    };
    for (size_t part = 0; part < parts; part++) {
        size_t  left = size - part * MESSAGE_PART_MAX;
        uint8_t bytes[MESSAGE_SIZE_MAX];
        message.body.confirmed.part = (uint8_t)part;
        message.body.confirmed.size = (uint16_t)(left < MESSAGE_PART_MAX ? left : MESSAGE_PART_MAX);
        message.body.confirmed.bytes = live->row_bytes + part * MESSAGE_PART_MAX;
        size_t message_size = message_encode(&message, bytes);
        assert(message_size > 0);
        for (const Member *member = live->members; member != NULL; member = member->next) {
            peer_send_bytes(member->peer, bytes, message_size);
        }
    }
}

void live_step(Room *room)
{
    uint64_t tick = tp_sim_tick(room->sim);
    tp_row   row = fill_row(room);
    tp_error error = { "" };
    if (room->host->options->each_tick != NULL) {
        room->host->options->each_tick(room->host->options->each_to, room->result.name, room->sim, tick, false);
    }
    tp_sim_status status = tp_sim_step(room->sim, &row, &error);
    room->live->stall_start_ns = 0;
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
    if (server_log_is_open(&room->log) && !room->is_log_failed) {
        bool is_written = status == TP_SIM_OK ? server_log_tick(&room->log, room->sim, &row) : server_log_fault(&room->log, room->sim, &row);
        if (!is_written) {
            room_lose_log(room);
        }
    }
    if (status != TP_SIM_OK) {
        return;
    }
    room->loop_ticks += 1;
    broadcast(room, tick, &row);
    if (!tp_sim_is_sound(room->sim)) {
        snprintf(room->result.report.message, sizeof(room->result.report.message), "tick %" PRIu64 ": the world cannot save its state", tick);
        room->result.report.verdict = TP_INTERNAL;
    }
}

static bool is_anybody_present(const RoomLive *live)
{
    for (uint32_t slot = 0; slot < live->players; slot++) {
        if (live->slots[slot].owner != NULL || live->slots[slot].was_present) {
            return true;
        }
    }
    return false;
}

bool live_can_resume(const Room *room)
{
    const RoomLive *live = room->live;
    return live->has_begun && (live->options.when_empty == SERVER_EMPTY_RUN || is_anybody_present(live));
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
    while (live->members != NULL) {
        live_leave(live->members, reason_of_end(room));
    }
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

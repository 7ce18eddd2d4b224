// log_writer_start.c: making a writer, for a new file or for one that was recovered, and its end.
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "bytes.h"
#include "log_chain.h"
#include "log_ident.h"
#include "log_writer.h"

void tp_writer_options_standard(tp_writer_options *options)
{
    *options = (tp_writer_options){
        .run_ticks = 64,
        .root_size = 8,
        .leaves_ticks = 64,
        .key_ticks = 3600,
        .seal_ticks = 600,
        .durability = TP_DURABLE_INTERVAL,
        .durable_ticks = 60,
    };
}

static bool check_options(const tp_sink *sink, const tp_writer_options *options, tp_error *error)
{
    if (options->run_ticks < 1 || options->run_ticks > TP_LOG_ROWS_MAX) {
        return tp_error_set(error, "run_ticks is %" PRIu32 ", must be 1 to 256", options->run_ticks);
    }
    if (options->root_size != 0 && (options->root_size < 4 || options->root_size > LOG_ROOT_SIZE)) {
        return tp_error_set(error, "root_size is %" PRIu32 ", must be 0 or 4 to 16", options->root_size);
    }
    if ((uint32_t)options->durability > TP_DURABLE_TICK) {
        return tp_error_set(error, "durability is %d, must be 0 to 3", (int)options->durability);
    }
    if (options->durability == TP_DURABLE_INTERVAL && options->durable_ticks == 0) {
        return tp_error_set(error, "durable_ticks must be at least 1 with this durability");
    }
    if (options->rotate_ticks != 0 && sink->next == NULL) {
        return tp_error_set(error, "rotate_ticks is %" PRIu64 ", but the sink knows no next file", options->rotate_ticks);
    }
    if (options->durability == TP_DURABLE_SEAL && options->seal_ticks == 0) {
        return tp_error_set(error, "seal_ticks must be at least 1 with this durability");
    }
    return true;
}

static size_t larger(size_t a, size_t b)
{
    return a > b ? a : b;
}

// The next file's IDENT is made now, since nothing is taken later; what only the moment and the file before it tell is left open.
static bool make_next_ident(tp_writer *writer, const tp_sink *sink, const tp_sim *sim, const tp_writer_options *options, tp_error *error)
{
    if (sink->next == NULL) {
        return true;
    }
    writer->rotate_ticks = options->rotate_ticks;
    writer->next_ident = malloc(TP_LOG_IDENT_MAX);
    if (writer->next_ident == NULL) {
        return tp_error_set(error, "out of memory for the IDENT of a log's next file");
    }
    writer->next_ident_size = log_ident_build(tp_sim_rules(sim), options, 0, writer->next_ident, TP_LOG_IDENT_MAX, error);
    return writer->next_ident_size > 0;
}

// Everything a writer ever needs is taken here. `start_size` is the payload of the first record (IDENT or RESUME).
static tp_writer *make(const tp_sink *sink, const tp_sim *sim, const tp_writer_options *options, bool threaded,
                       size_t start_size, tp_error *error)
{
    const tp_layout *layout = tp_sim_layout(sim);
    const tp_rules *rules = tp_sim_rules(sim);
    tp_writer *writer = calloc(1, sizeof(*writer));
    if (writer == NULL) {
        goto no_memory;
    }
    writer->is_threaded = threaded;
    writer->run_ticks = options->durability == TP_DURABLE_TICK ? 1 : options->run_ticks;
    writer->root_size = options->root_size;
    writer->leaves_ticks = options->leaves_ticks;
    writer->key_ticks = options->key_ticks;
    writer->seal_ticks = options->seal_ticks;
    writer->durable_ticks = options->durable_ticks;
    writer->durability = options->durability;
    writer->no_index = options->no_index;
    writer->back.no_index = options->no_index;
    writer->back.has_lost_index = options->no_index; // offsets that nobody will ask for are not kept
    writer->back.sequence = options->sequence;
    if (!make_next_ident(writer, sink, sim, options, error)) {
        free(writer->next_ident);
        free(writer);
        return NULL;
    }
    writer->shape = log_row_shape(layout->setup.players, layout->input_size);
    writer->state_max = tp_sim_encoded_max(sim);

    // A run of the usual length, and one full row of commands where the world has any; never more than LOG_RUN_LIMIT.
    size_t commands = layout->world->command_count > 0 ? TP_COMMAND_BYTES_MAX : 0;
    size_t row = (size_t)writer->shape.fixed_size + options->root_size;
    size_t run = LOG_TICKS_FIXED + row * writer->run_ticks + commands;
    writer->run_limit = run < LOG_RUN_LIMIT ? run : LOG_RUN_LIMIT;

    // Opaque worlds count their leaves per state, so the largest state says how many there can be.
    uint32_t pieces = (uint32_t)(writer->state_max / TP_LEAF_SIZE) + 1;
    uint32_t state_leaves = layout->leaf_count > pieces ? layout->leaf_count : pieces;
    writer->leaves_capacity = state_leaves + 2;
    writer->leaves = calloc(writer->leaves_capacity, sizeof(*writer->leaves));
    if (writer->leaves == NULL) {
        goto no_memory;
    }

    // All that one tick can append fits one buffer, and so does any single record.
    size_t leaves = LOG_LEAVES_FIXED + (size_t)writer->leaves_capacity * 8 + LOG_FRAME_SIZE;
    size_t key = LOG_KEY_FIXED + writer->state_max + LOG_FRAME_SIZE;
    size_t seal = LOG_SEAL_SIZE + LOG_FRAME_SIZE;
    size_t capacity = writer->run_limit + LOG_FRAME_SIZE + leaves + key + seal + (threaded ? LOG_PASS_ON_BUSY_SIZE : 0);
    if (writer->next_ident != NULL) {
        capacity += log_front_rotation_size(writer) - key - seal;
    }
    capacity = larger(capacity, TP_LOG_HEADER_SIZE + start_size + LOG_FRAME_SIZE);
    capacity = larger(capacity, TP_LOG_NOTE_MAX + LOG_FRAME_SIZE);
    capacity = larger(capacity, LOG_FAULT_FIXED + writer->shape.fixed_size + TP_COMMAND_BYTES_MAX + LOG_FRAME_SIZE);
    if (!log_ring_init(&writer->ring, capacity, threaded)) {
        goto no_memory;
    }

    writer->back.sink = *sink;
    writer->back.algorithm = rules->algorithm;
    writer->back.rules_id = rules->id;
    writer->back.syncs = options->durability != TP_DURABLE_NONE;
    if (options->sign_key != NULL) {
        writer->back.is_signed = true;
        memcpy(writer->back.sign_key, options->sign_key, sizeof(writer->back.sign_key));
    }
    log_chain_init(writer->back.chain);
    return writer;

no_memory:
    tp_error_set(error, "out of memory for a log's writer");
    if (writer != NULL) {
        free(writer->next_ident);
        free(writer->leaves);
        free(writer);
    }
    return NULL;
}

static bool check_start(const tp_sink *sink, const tp_sim *sim, const tp_writer_options *options, tp_error *error)
{
    bool is_first = options->sequence == 0;
    if (tp_sim_is_faulted(sim)) {
        return tp_error_set(error, "the world has faulted, a log cannot start with it");
    }
    if (is_first != (tp_sim_tick(sim) == 0)) {
        return tp_error_set(error, "sequence %" PRIu32 " at tick %" PRIu64 ": the first file of a series, and only it, "
                            "starts at tick 0", options->sequence, tp_sim_tick(sim));
    }
    if (is_first != log_format_is_zero(options->predecessor, sizeof(options->predecessor))) {
        return tp_error_set(error, "a predecessor's chain value is needed exactly when sequence is not 0");
    }
    return check_options(sink, options, error);
}

// Keeps the reason of a start that failed: the writer that has it is about to go.
static void report(const tp_writer *writer, tp_error *error)
{
    const char *text = tp_writer_error(writer);
    tp_error_set(error, "%s", text == NULL ? "the log could not be started" : text);
}

tp_writer *tp_writer_create(const tp_sink *sink, tp_sim *sim, const tp_writer_options *options, bool threaded,
                            tp_error *error)
{
    tp_writer_options standard;
    tp_writer_options_standard(&standard);
    if (options == NULL) {
        options = &standard;
    }
    if (!log_chain_start_library()) {
        tp_error_set(error, "libsodium does not start");
        return NULL;
    }
    if (!check_start(sink, sim, options, error)) {
        return NULL;
    }
    uint8_t *ident = malloc(TP_LOG_IDENT_MAX);
    if (ident == NULL) {
        tp_error_set(error, "out of memory for IDENT");
        return NULL;
    }
    tp_writer *writer = NULL;
    uint64_t tick = tp_sim_tick(sim);
    size_t size = log_ident_build(tp_sim_rules(sim), options, tick, ident, TP_LOG_IDENT_MAX, error);
    if (size == 0) {
        goto free_ident;
    }
    writer = make(sink, sim, options, threaded, size, error);
    if (writer == NULL) {
        goto free_ident;
    }
    LogFront *front = &writer->front;
    front->next_tick = front->file_tick = tick;
    writer->published.durable_tick = tick;
    log_chain_marker(writer->back.marker, ident, size);
    front->buffer = log_ring_acquire(&writer->ring);
    front->buffer->has_header = true;
    front->buffer->size = TP_LOG_HEADER_SIZE;
    log_format_put_header(front->buffer->bytes, writer->back.marker);
    uint8_t *payload = log_front_append(writer, TP_LOG_IDENT, tick, size);
    if (payload != NULL) {
        memcpy(payload, ident, size);
    }
    bool is_good = payload != NULL && log_front_append_key(writer, sim, false);
    if (!is_good || !log_front_hand_over(writer)) {
        report(writer, error);
        tp_writer_destroy(writer);
        writer = NULL;
    }

free_ident:
    free(ident);
    return writer;
}

static bool check_resume(const tp_sink *sink, const tp_sim *sim, const tp_writer_options *options, const tp_recovery *recovery,
                         tp_error *error)
{
    const tp_rules *rules = tp_sim_rules(sim);
    if (recovery->is_ended) {
        return tp_error_set(error, "the log has its END, there is nothing to resume");
    }
    if (!tp_hash128_equal(rules->id, recovery->rules_id)) {
        return tp_error_set(error, "the world, its build or its setup is not the one of the log");
    }
    if (tp_sim_tick(sim) < recovery->next_tick) {
        return tp_error_set(error, "the world is at tick %" PRIu64 ", the log goes to %" PRIu64, tp_sim_tick(sim),
                            recovery->next_tick);
    }
    if (recovery->has_fault && tp_sim_tick(sim) != recovery->next_tick) {
        return tp_error_set(error, "the log ends in a fault at tick %" PRIu64 ", the world went on to %" PRIu64,
                            recovery->next_tick, tp_sim_tick(sim));
    }
    return check_options(sink, options, error);
}

static bool copy_recovery(tp_writer *writer, const tp_recovery *recovery)
{
    LogBack *back = &writer->back;
    memcpy(back->marker, recovery->marker, LOG_MARKER_SIZE);
    memcpy(back->chain, recovery->chain, TP_LOG_CHAIN_SIZE);
    back->file_offset = recovery->good_size;
    back->records = recovery->records;
    back->ticks = recovery->ticks;
    back->counts = recovery->counts;
    back->last_key_offset = recovery->last_key_offset;
    back->sequence = recovery->sequence;
    back->has_lost_index = back->has_lost_index || recovery->key_count != recovery->counts.keys;
    size_t bytes = recovery->key_count * sizeof(uint64_t);
    back->key_ticks = malloc(bytes);
    back->key_offsets = malloc(bytes);
    if (back->key_ticks == NULL || back->key_offsets == NULL) {
        return false;
    }
    memcpy(back->key_ticks, recovery->key_ticks, bytes);
    memcpy(back->key_offsets, recovery->key_offsets, bytes);
    back->key_count = recovery->key_count;
    back->key_capacity = recovery->key_count;
    writer->published.bytes = recovery->good_size;
    LogFront *front = &writer->front;
    front->next_tick = recovery->next_tick;
    front->file_tick = recovery->first_tick;
    front->last_key_tick = recovery->last_key_tick;
    front->commands = recovery->counts.commands;
    front->has_fault = recovery->has_fault;
    return true;
}

static bool append_resume(tp_writer *writer, const tp_recovery *recovery, const uint8_t *provenance, size_t size)
{
    uint8_t *payload = log_front_append(writer, TP_LOG_RESUME, recovery->next_tick, LOG_RESUME_FIXED + size);
    if (payload == NULL) {
        return false;
    }
    bytes_put_u32(payload, recovery->epoch + 1);
    bytes_put_u32(payload + 4, (uint32_t)size);
    bytes_put_u64(payload + 8, recovery->next_tick);
    bytes_put_u64(payload + 16, recovery->cut_bytes);
    memcpy(payload + LOG_RESUME_FIXED, provenance, size);
    // What was recovered may still be in memory only: a process can die where the machine does not.
    writer->front.buffer->wants_sync = true;
    return true;
}

tp_writer *tp_writer_resume(const tp_sink *sink, tp_sim *sim, const tp_writer_options *options,
                            const tp_recovery *recovery, bool threaded, tp_error *error)
{
    tp_writer_options standard;
    tp_writer_options_standard(&standard);
    if (options == NULL) {
        options = &standard;
    }
    if (!log_chain_start_library()) {
        tp_error_set(error, "libsodium does not start");
        return NULL;
    }
    if (!check_resume(sink, sim, options, recovery, error)) {
        return NULL;
    }
    size_t most = TP_LOG_RESUME_MAX - LOG_RESUME_FIXED;
    uint8_t *provenance = malloc(most);
    if (provenance == NULL) {
        tp_error_set(error, "out of memory for RESUME");
        return NULL;
    }
    tp_writer *writer = NULL;
    size_t size = log_ident_encode_provenance(options->provenance, options->provenance_count, provenance, most, error);
    if (size == 0) {
        goto free_provenance;
    }
    writer = make(sink, sim, options, threaded, LOG_RESUME_FIXED + size, error);
    if (writer == NULL) {
        goto free_provenance;
    }
    bool is_good = copy_recovery(writer, recovery);
    if (!is_good) {
        tp_error_set(error, "out of memory for the index of the log");
    } else {
        if (writer->root_size > 0) {
            writer->front.last_root = tp_sim_root(sim);
        }
        // Nothing but the finish may follow a FAULT.
        is_good = recovery->has_fault || (append_resume(writer, recovery, provenance, size) && log_front_hand_over(writer));
        if (!is_good) {
            report(writer, error);
        }
    }
    if (!is_good) {
        tp_writer_destroy(writer);
        writer = NULL;
    }

free_provenance:
    free(provenance);
    return writer;
}

void tp_writer_destroy(tp_writer *writer)
{
    if (writer == NULL) {
        return;
    }
    log_ring_finish(&writer->ring);
    log_back_finish(&writer->back);
    free(writer->next_ident);
    free(writer->leaves);
    free(writer);
}

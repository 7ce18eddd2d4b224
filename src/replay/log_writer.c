// log_writer.c: the front of a writer: rows into records. Nothing here allocates, hashes payloads or calls the operating
// system, beyond waking the back once for every buffer that is handed over.
#include "log_writer.h"

#include <assert.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "bytes.h"
#include "log_chain.h"

// What is wrong with a call, as opposed to what went wrong with the log: the log is as it was and can go on.
__attribute__((format(printf, 2, 3))) static bool refuse(tp_writer *writer, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(writer->front.refusal, sizeof(writer->front.refusal), format, arguments);
    va_end(arguments);
    return false;
}

static bool is_due(uint64_t tick, uint32_t every)
{
    return every != 0 && tick % every == 0;
}

bool log_front_hand_over(tp_writer *writer)
{
    LogFront *front = &writer->front;
    assert(!front->has_run);
    if (front->buffer != NULL && front->buffer->size > 0) {
        front->buffer->next_tick = front->next_tick;
        front->handed_tick = front->next_tick;
        front->buffer = NULL;
        log_ring_submit(&writer->ring);
        if (!writer->is_threaded) {
            log_back_process(writer, log_ring_take(&writer->ring));
            log_ring_release(&writer->ring);
        }
    }
    front->has_failed = front->has_failed || writer->published.has_failed;
    return !front->has_failed;
}

// Waking the back costs a system call, so a buffer of its own thread is let fill up a little: until something must become
// durable, or there is enough to write, or a reader that follows the file would wait too long. While the back is busy
// anyhow, nobody is served by more and smaller buffers.
static bool pass_on(tp_writer *writer, bool must_sync)
{
    const LogFront *front = &writer->front;
    if (writer->is_threaded && !must_sync && front->buffer != NULL) {
        size_t size = front->buffer->size;
        bool is_due = size >= LOG_PASS_ON_SIZE || front->next_tick - front->handed_tick >= LOG_PASS_ON_TICKS;
        if (!is_due || (size < LOG_PASS_ON_BUSY_SIZE && log_ring_is_busy(&writer->ring))) {
            return !front->has_failed;
        }
    }
    return log_front_hand_over(writer);
}

// Makes room for a record with this payload at the end of the buffer and returns where it starts.
static uint8_t *reserve(tp_writer *writer, size_t size)
{
    LogFront *front = &writer->front;
    size_t need = size + LOG_FRAME_SIZE;
    if (need > writer->ring.capacity) {
        refuse(writer, "a record of %zu bytes is more than this log's buffers hold", size);
        return NULL;
    }
    if (front->buffer != NULL && need > writer->ring.capacity - front->buffer->size) {
        log_front_hand_over(writer);
    }
    if (front->buffer == NULL) {
        front->buffer = log_ring_acquire(&writer->ring);
    }
    return front->buffer->bytes + front->buffer->size;
}

// The back fills marker and CRCs in.
static void put_head(uint8_t *bytes, uint32_t type, uint32_t size, uint64_t tick)
{
    bytes_put_u32(bytes + 8, type);
    bytes_put_u32(bytes + 12, size);
    bytes_put_u64(bytes + 16, tick);
}

uint8_t *log_front_append(tp_writer *writer, uint32_t type, uint64_t tick, size_t size)
{
    assert(!writer->front.has_run);
    uint8_t *bytes = reserve(writer, size);
    if (bytes == NULL) {
        return NULL;
    }
    put_head(bytes, type, (uint32_t)size, tick);
    writer->front.buffer->size += size + LOG_FRAME_SIZE;
    writer->front.ends_in_seal = type == TP_LOG_SEAL;
    return bytes + TP_LOG_RECORD_HEAD;
}

static void close_run(tp_writer *writer)
{
    LogFront *front = &writer->front;
    if (!front->has_run) {
        return;
    }
    uint8_t *bytes = front->buffer->bytes + front->run_at;
    uint8_t *payload = bytes + TP_LOG_RECORD_HEAD;
    put_head(bytes, TP_LOG_TICKS, (uint32_t)front->run_size, front->next_tick - front->run_rows);
    bytes_put_u16(payload, (uint16_t)front->run_rows);
    payload[2] = (uint8_t)writer->root_size;
    payload[3] = 0;
    front->buffer->size += front->run_size + LOG_FRAME_SIZE;
    front->has_run = false;
    front->ends_in_seal = false;
}

static bool open_run(tp_writer *writer)
{
    LogFront *front = &writer->front;
    if (reserve(writer, writer->run_limit) == NULL) {
        return false;
    }
    front->has_run = true;
    front->run_at = front->buffer->size;
    front->run_size = LOG_TICKS_FIXED;
    front->run_rows = 0;
    return true;
}

static bool append_row(tp_writer *writer, tp_sim *sim, const tp_row *row)
{
    LogFront *front = &writer->front;
    uint8_t *payload = front->buffer->bytes + front->run_at + TP_LOG_RECORD_HEAD;
    size_t left = writer->run_limit - front->run_size;
    if (left < writer->root_size) {
        return false;
    }
    size_t size = tp_row_encode(tp_sim_layout(sim), row, payload + front->run_size, left - writer->root_size);
    if (size == 0) {
        return false;
    }
    front->run_size += size;
    if (writer->root_size > 0) {
        uint8_t root[LOG_ROOT_SIZE];
        front->last_root = tp_sim_root(sim);
        if (!tp_sim_is_sound(sim)) {
            front->has_failed = true; // a root that means nothing must not look like one
            return refuse(writer, "the world could not save its state at tick %" PRIu64, front->next_tick);
        }
        tp_hash128_to_bytes(front->last_root, root);
        memcpy(payload + front->run_size, root, writer->root_size);
        front->run_size += writer->root_size;
    }
    front->run_rows++;
    front->next_tick++;
    front->commands += row->command_count;
    return true;
}

static bool append_leaves(tp_writer *writer, tp_sim *sim)
{
    uint32_t count = tp_sim_leaves(sim, writer->leaves, writer->leaves_capacity) + 2;
    if (count > writer->leaves_capacity) {
        return refuse(writer, "the world has %" PRIu32 " leaves, more than it announced", count);
    }
    uint8_t *payload = log_front_append(writer, TP_LOG_LEAVES, writer->front.next_tick - 1,
                                        LOG_LEAVES_FIXED + (size_t)count * 8);
    if (payload == NULL) {
        return false;
    }
    tp_hash128_to_bytes(writer->front.last_root, payload);
    bytes_put_u32(payload + 16, count);
    for (uint32_t i = 0; i < count; i++) {
        bytes_put_u64(payload + LOG_LEAVES_FIXED + (size_t)i * 8, writer->leaves[i]);
    }
    return true;
}

bool log_front_append_key(tp_writer *writer, tp_sim *sim, bool is_unproven)
{
    LogFront *front = &writer->front;
    uint64_t tick = tp_sim_tick(sim);
    uint8_t *bytes = reserve(writer, LOG_KEY_FIXED + writer->state_max);
    size_t state_size = 0;
    if (bytes == NULL) {
        return false;
    }
    // The state's size is only known once it is encoded, so it goes to its place first and the head follows.
    uint8_t *payload = bytes + TP_LOG_RECORD_HEAD;
    if (!tp_sim_encode(sim, payload + LOG_KEY_FIXED, writer->state_max, &state_size)) {
        return refuse(writer, "the state of tick %" PRIu64 " could not be saved for a KEY", tick);
    }
    memset(payload, 0, LOG_KEY_FIXED);
    uint32_t flags = is_unproven ? LOG_KEY_IS_UNPROVEN : 0;
    if (writer->root_size > 0) {
        flags |= LOG_KEY_HAS_ROOT;
        front->last_root = tp_sim_root(sim);
        tp_hash128_to_bytes(front->last_root, payload + 8);
        if (tick > 0) {
            bytes_put_u64(payload + 24, tp_sim_input_leaf(sim));
            bytes_put_u64(payload + 32, tp_sim_event_leaf(sim));
        }
    }
    bytes_put_u32(payload + 40, flags);
    bytes_put_u32(payload + 44, (uint32_t)state_size);
    size_t size = LOG_KEY_FIXED + state_size;
    put_head(bytes, TP_LOG_KEY, (uint32_t)size, tick);
    front->buffer->size += size + LOG_FRAME_SIZE;
    front->last_key_tick = tick;
    front->ends_in_seal = false;
    return true;
}

bool log_front_append_seal(tp_writer *writer)
{
    uint8_t *payload = log_front_append(writer, TP_LOG_SEAL, writer->front.next_tick, LOG_SEAL_SIZE);
    if (payload == NULL) {
        return false;
    }
    writer->front.buffer->wants_sync = true;
    return true;
}

static bool is_seal_due(const tp_writer *writer)
{
    uint64_t tick = writer->front.next_tick;
    return is_due(tick, writer->seal_ticks) || writer->durability == TP_DURABLE_TICK ||
           (writer->durability == TP_DURABLE_INTERVAL && is_due(tick, writer->durable_ticks));
}

// What follows a row: the run is closed when it is full or when something is due that must come after it.
static bool append_due(tp_writer *writer, tp_sim *sim)
{
    uint64_t tick = writer->front.next_tick;
    bool has_leaves = writer->root_size > 0 && is_due(tick, writer->leaves_ticks);
    bool has_key = is_due(tick, writer->key_ticks) && tick != writer->front.last_key_tick;
    bool has_seal = is_seal_due(writer);
    bool is_last = writer->next_ident != NULL && writer->rotate_ticks != 0 && tick % writer->rotate_ticks == 0;
    if (writer->front.run_rows < writer->run_ticks && !has_leaves && !has_key && !has_seal && !is_last) {
        return true;
    }
    close_run(writer);
    bool is_good = true;
    if (has_leaves) {
        is_good = append_leaves(writer, sim);
    }
    if (is_last) {
        return is_good && log_front_rotate(writer, sim); // with SEAL and KEY
    }
    if (has_key && is_good) {
        is_good = log_front_append_key(writer, sim, false);
    }
    if (has_seal && is_good) {
        is_good = log_front_append_seal(writer);
    }
    return pass_on(writer, has_seal && writer->durability != TP_DURABLE_NONE) && is_good;
}

static bool may_write(tp_writer *writer, const char *what)
{
    const LogFront *front = &writer->front;
    if (front->is_finished) {
        return refuse(writer, "%s: the log is finished", what);
    }
    return !front->has_failed;
}

bool tp_writer_tick(tp_writer *writer, tp_sim *sim, const tp_row *row)
{
    LogFront *front = &writer->front;
    if (!may_write(writer, "a tick")) {
        return false;
    }
    if (front->has_fault) {
        return refuse(writer, "a tick: the run ended in a fault at tick %" PRIu64, front->next_tick);
    }
    if (tp_sim_tick(sim) != front->next_tick + 1) {
        return refuse(writer, "a tick: the world did %" PRIu64 " steps, the log has %" PRIu64 " and needs the one after",
                      tp_sim_tick(sim), front->next_tick);
    }
    if (!front->has_run && !open_run(writer)) {
        return false;
    }
    if (!append_row(writer, sim, row)) {
        // Full: an empty run holds any legal row.
        if (front->run_rows > 0) {
            close_run(writer);
            if (!log_front_hand_over(writer) || !open_run(writer)) {
                return false;
            }
        }
        if (front->run_rows > 0 || !append_row(writer, sim, row)) {
            front->has_run = false;
            return front->has_failed ? false : refuse(writer, "a tick: the row is not legal");
        }
    }
    if (!append_due(writer, sim)) {
        front->has_failed = true; // the row is in, what had to follow it is not: no later tick may be added
        return false;
    }
    return true;
}

static bool append_note(tp_writer *writer, uint32_t kind, const char *text, size_t size)
{
    uint8_t *payload = log_front_append(writer, TP_LOG_NOTE, writer->front.next_tick, LOG_NOTE_FIXED + size);
    if (payload == NULL) {
        return false;
    }
    bytes_put_u16(payload, (uint16_t)kind);
    bytes_put_u16(payload + 2, 0);
    if (size > 0) {
        memcpy(payload + LOG_NOTE_FIXED, text, size);
    }
    return true;
}

bool tp_writer_note(tp_writer *writer, uint32_t kind, const char *text, size_t size)
{
    if (!may_write(writer, "a note")) {
        return false;
    }
    if (kind < TP_NOTE_TEXT || kind > TP_NOTE_MEMBER || size > TP_LOG_NOTE_MAX - LOG_NOTE_FIXED) {
        return refuse(writer, "a note: kind %" PRIu32 " with %zu bytes is not legal", kind, size);
    }
    if (!log_format_is_utf8((const uint8_t *)text, size)) {
        return refuse(writer, "a note: the text is not UTF-8");
    }
    if (kind == TP_NOTE_MEMBER && !log_format_is_member((const uint8_t *)text, size, writer->shape.players)) {
        return refuse(writer, "a note: \"%.*s\" is not the text of a membership", size < 60 ? (int)size : 60, text);
    }
    close_run(writer);
    bool is_good = append_note(writer, kind, text, size);
    // A note is to be read at once, but not for the price of waiting for a back that is behind.
    bool is_behind = writer->is_threaded && log_ring_is_busy(&writer->ring);
    return (is_behind ? pass_on(writer, false) : log_front_hand_over(writer)) && is_good;
}

// Names the operation that faulted, without the directory that the world happened to be built in.
static bool append_fault_note(tp_writer *writer, const tp_fault *fault)
{
    char text[512];
    const char *file = fault->file == NULL ? "" : fault->file;
    const char *slash = strrchr(file, '/');
    int size = snprintf(text, sizeof(text), "%s: %s (%s:%d)", tp_fault_name(fault->code),
                        fault->what == NULL ? "" : fault->what, slash == NULL ? file : slash + 1, fault->line);
    if (size < 0) {
        return true;
    }
    size_t used = (size_t)size < sizeof(text) ? (size_t)size : sizeof(text) - 1;
    // The text is the world's own, and may have been cut inside a letter: the note must not be lost for that.
    for (size_t i = 0; i < used && !log_format_is_utf8((const uint8_t *)text, used); i++) {
        text[i] = (uint8_t)text[i] < 0x80 ? text[i] : '?';
    }
    return append_note(writer, TP_NOTE_FAULT, text, used);
}

bool tp_writer_fault(tp_writer *writer, tp_sim *sim, const tp_row *row)
{
    LogFront *front = &writer->front;
    if (!may_write(writer, "a fault")) {
        return false;
    }
    if (front->has_fault || !tp_sim_is_faulted(sim) || tp_sim_tick(sim) != front->next_tick) {
        return refuse(writer, "a fault: the world did not just fault at tick %" PRIu64, front->next_tick);
    }
    close_run(writer);
    size_t row_max = writer->shape.fixed_size + TP_COMMAND_BYTES_MAX;
    uint8_t *bytes = reserve(writer, LOG_FAULT_FIXED + row_max);
    if (bytes == NULL) {
        return false;
    }
    uint8_t *payload = bytes + TP_LOG_RECORD_HEAD;
    size_t size = tp_row_encode(tp_sim_layout(sim), row, payload + LOG_FAULT_FIXED, row_max);
    if (size == 0) {
        return refuse(writer, "a fault: the row is not legal");
    }
    tp_hash128_to_bytes(tp_sim_fault_root(sim), payload);
    put_head(bytes, TP_LOG_FAULT, (uint32_t)(LOG_FAULT_FIXED + size), front->next_tick);
    front->buffer->size += LOG_FAULT_FIXED + size + LOG_FRAME_SIZE;
    front->ends_in_seal = false;
    front->has_fault = true;
    bool is_good = append_fault_note(writer, tp_sim_fault(sim));
    return log_front_hand_over(writer) && is_good;
}

bool tp_writer_gap(tp_writer *writer, tp_sim *sim, uint64_t first, tp_gap_cause cause)
{
    LogFront *front = &writer->front;
    if (!may_write(writer, "a gap")) {
        return false;
    }
    if (front->has_fault || first != front->next_tick || tp_sim_tick(sim) <= first ||
        tp_gap_cause_name((uint32_t)cause) == NULL) {
        return refuse(writer, "a gap from tick %" PRIu64 " to the world's %" PRIu64 ": the log is at %" PRIu64, first,
                      tp_sim_tick(sim), front->next_tick);
    }
    close_run(writer);
    uint8_t *payload = log_front_append(writer, TP_LOG_GAP, first, LOG_GAP_SIZE);
    if (payload == NULL) {
        return false;
    }
    bytes_put_u64(payload, first);
    bytes_put_u64(payload + 8, tp_sim_tick(sim) - 1);
    bytes_put_u32(payload + 16, (uint32_t)cause);
    bytes_put_u32(payload + 20, 0);
    front->next_tick = tp_sim_tick(sim);
    bool is_good = log_front_append_key(writer, sim, true);
    if (!is_good) {
        front->has_failed = true; // a GAP without its KEY can only be cut off again
    }
    return log_front_hand_over(writer) && is_good;
}

bool tp_writer_rotate(tp_writer *writer, tp_sim *sim)
{
    LogFront *front = &writer->front;
    if (!may_write(writer, "a rotation")) {
        return false;
    }
    if (writer->next_ident == NULL) {
        return refuse(writer, "a rotation: the log's sink knows no next file");
    }
    if (front->has_fault || front->next_tick == front->file_tick || tp_sim_tick(sim) != front->next_tick) {
        return refuse(writer, "a rotation at tick %" PRIu64 ": a file ends after one of its rows, and not after a fault", front->next_tick);
    }
    close_run(writer);
    return log_front_rotate(writer, sim);
}

bool tp_writer_flush(tp_writer *writer)
{
    if (!may_write(writer, "a flush")) {
        return false;
    }
    close_run(writer);
    return log_front_hand_over(writer);
}

bool log_front_append_end(tp_writer *writer, tp_end_reason reason)
{
    const LogFront *front = &writer->front;
    // The back makes INDEX from the offsets it saw; this stands for it.
    if (!writer->no_index && log_front_append(writer, TP_LOG_INDEX, front->next_tick, 0) == NULL) {
        return false;
    }
    uint8_t *payload = log_front_append(writer, TP_LOG_END, front->next_tick, LOG_END_SIZE);
    if (payload == NULL) {
        return false;
    }
    memset(payload, 0, LOG_END_SIZE);
    bytes_put_u32(payload, (uint32_t)reason);
    bytes_put_u64(payload + 80, front->commands);
    if (writer->root_size > 0) {
        bytes_put_u32(payload + 4, LOG_END_HAS_ROOT);
        tp_hash128_to_bytes(front->last_root, payload + 88);
    }
    writer->front.buffer->wants_sync = true;
    return true;
}

bool tp_writer_finish(tp_writer *writer, tp_sim *sim, tp_end_reason reason)
{
    LogFront *front = &writer->front;
    if (front->is_finished) {
        return refuse(writer, "finish: the log is finished");
    }
    tp_end_reason told = front->has_fault ? TP_END_FAULT : reason;
    bool is_good = tp_end_reason_name((uint32_t)told) != NULL && (told == TP_END_FAULT) == front->has_fault;
    if (!is_good) {
        refuse(writer, "finish: the reason %d is not legal here", (int)reason);
    } else if (!front->has_fault && tp_sim_tick(sim) != front->next_tick) {
        is_good = refuse(writer, "finish: the world did %" PRIu64 " steps and the log has %" PRIu64 ": admit the loss with a gap first",
                         tp_sim_tick(sim), front->next_tick);
    }
    close_run(writer);
    if (is_good && !front->has_failed) {
        is_good = (front->ends_in_seal || log_front_append_seal(writer)) && log_front_append_end(writer, told);
    }
    is_good = log_front_hand_over(writer) && is_good;
    front->is_finished = true;
    log_ring_close(&writer->ring);
    return is_good;
}

bool tp_writer_abandon(tp_writer *writer)
{
    LogFront *front = &writer->front;
    if (front->is_finished) {
        return !front->has_failed;
    }
    close_run(writer);
    bool is_good = log_front_hand_over(writer);
    front->is_finished = true;
    log_ring_close(&writer->ring);
    return is_good;
}

const uint8_t *tp_writer_chain(const tp_writer *writer)
{
    return writer->published.end_chain;
}

const char *tp_writer_error(const tp_writer *writer)
{
    log_ring_lock(&writer->ring);
    bool has_failed = writer->published.has_failed;
    log_ring_unlock(&writer->ring);
    // Once set, the text of a failure does not change any more.
    if (has_failed) {
        return writer->published.failure;
    }
    return writer->front.refusal[0] != '\0' ? writer->front.refusal : NULL;
}

uint64_t tp_writer_durable_tick(const tp_writer *writer)
{
    log_ring_lock(&writer->ring);
    uint64_t tick = writer->published.durable_tick;
    log_ring_unlock(&writer->ring);
    return tick;
}

bool tp_writer_has_failed(const tp_writer *writer, tp_writer_failure *failure)
{
    log_ring_lock(&writer->ring);
    bool has_failed = writer->published.has_failed;
    *failure = writer->published.failed;
    log_ring_unlock(&writer->ring);
    return has_failed;
}

bool tp_writer_has_not_rotated(const tp_writer *writer, tp_error *error)
{
    log_ring_lock(&writer->ring);
    memcpy(error->text, writer->published.rotation_failure, sizeof(error->text));
    log_ring_unlock(&writer->ring);
    return error->text[0] != '\0';
}

uint64_t tp_writer_bytes(const tp_writer *writer)
{
    log_ring_lock(&writer->ring);
    uint64_t bytes = writer->published.bytes;
    log_ring_unlock(&writer->ring);
    return bytes;
}

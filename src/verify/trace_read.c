// trace_read.c: the bytes of a sidecar into memory. All of it is foreign: a count is believed when its bytes are there, and what is
// unpacked has a bound of its own, since a small file can stand for much.
#include "trace_format.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <zstd.h>

#include "bytes.h"

typedef struct {
    tp_trace  *trace;
    tp_error  *error;
    tp_verdict verdict;
    bool       has_ident;
    size_t     rows_capacity, gaps_capacity, leaves_capacity, numbers_capacity, bytes_capacity;
    uint64_t  *numbers;   // of all leaves, one after another
    size_t     number_count;
    uint8_t   *bytes;     // of all states
    size_t     byte_count;
    uint8_t   *buffer;    // unpacked and not taken yet
    size_t     buffer_size, buffer_capacity;
    uint64_t   content;   // unpacked so far
    uint64_t   taken;     // of it, for messages
    uint64_t   missing;   // ticks in gaps: each takes the memory of one that is there
} Reading;

__attribute__((format(printf, 3, 4))) static bool refuse(Reading *reading, tp_verdict verdict, const char *format, ...)
{
    char    text[200];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof(text), format, arguments);
    va_end(arguments);
    reading->verdict = verdict;
    return tp_error_set(reading->error, "%s", text);
}

static bool refuse_record(Reading *reading, const char *what)
{
    return refuse(reading, TP_CORRUPT, "byte %" PRIu64 " of the unpacked sidecar: %s", reading->taken, what);
}

// Room for `more` items behind `count`. The array may move.
static bool reserve(Reading *reading, void **items, size_t *capacity, size_t count, size_t more, size_t item_size)
{
    if (more <= *capacity - count) {
        return true;
    }
    size_t wanted = *capacity < 64 ? 64 : *capacity * 2;
    wanted = wanted < count + more ? count + more : wanted;
    void *grown = realloc(*items, wanted * item_size);
    if (grown == NULL) {
        return refuse(reading, TP_INTERNAL, "out of memory");
    }
    *items = grown;
    *capacity = wanted;
    return true;
}

static bool take_ident(Reading *reading, const uint8_t *payload, size_t size)
{
    tp_trace *trace = reading->trace;
    tp_error  reason;
    uint32_t  rules_size = size < 4 ? 0 : bytes_get_u32(payload);
    if (size < 16 || rules_size != size - 16) {
        return refuse_record(reading, "the identity's rules do not fill it");
    }
    if (!tp_ident_of_rules(payload + 4, rules_size, &trace->ident, &reason)) {
        return refuse(reading, TP_CORRUPT, "the identity: %.150s", reason.text);
    }
    trace->ident.sequence = bytes_get_u32(payload + 4 + rules_size);
    trace->ident.first_tick = trace->first_tick = bytes_get_u64(payload + 8 + rules_size);
    reading->has_ident = true;
    return true;
}

static bool is_text(const uint8_t *bytes, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        if (bytes[i] < 0x20 || bytes[i] == 0x7f) {
            return false;
        }
    }
    return true;
}

static bool take_text(Reading *reading, const uint8_t *payload, size_t size)
{
    tp_trace *trace = reading->trace;
    size_t    key = size < 1 ? 0 : payload[0];
    if (key == 0 || size < key + 3 || bytes_get_u16(payload + 1 + key) != size - key - 3) {
        return refuse_record(reading, "a text does not fill its record");
    }
    size_t         value = size - key - 3;
    tp_trace_text *text = &trace->texts[trace->text_count];
    if (trace->text_count == TP_TRACE_TEXTS_MAX || key >= sizeof(text->key) || value >= sizeof(text->value)) {
        return refuse_record(reading, "more or longer texts than there may be");
    }
    if (!is_text(payload + 1, key) || !is_text(payload + 3 + key, value)) {
        return refuse_record(reading, "a text with control characters");
    }
    memcpy(text->key, payload + 1, key);
    memcpy(text->value, payload + 3 + key, value);
    trace->text_count += 1;
    return true;
}

static bool reserve_rows(Reading *reading, uint64_t more)
{
    tp_trace *trace = reading->trace;
    void     *rows = trace->rows;
    if (more > TP_TRACE_TICKS_MAX - trace->count) {
        return refuse_record(reading, "more ticks than a sidecar holds");
    }
    bool is_there = reserve(reading, &rows, &reading->rows_capacity, (size_t)trace->count, (size_t)more, sizeof(*trace->rows));
    trace->rows = rows;
    return is_there;
}

static bool take_rows(Reading *reading, const uint8_t *payload, size_t size)
{
    tp_trace *trace = reading->trace;
    uint32_t  count = size < 12 ? 0 : bytes_get_u32(payload + 8);
    if (count == 0 || count > TRACE_ROWS_MAX || size != 12 + (size_t)count * TRACE_ROW_SIZE) {
        return refuse_record(reading, "a block of ticks that its count does not fill");
    }
    if (bytes_get_u64(payload) != trace->first_tick + trace->count) {
        return refuse_record(reading, "a block of ticks does not follow the one before");
    }
    if (!reserve_rows(reading, count)) {
        return false;
    }
    const uint8_t *roots = payload + 12;
    const uint8_t *numbers = roots + (size_t)count * TP_TRACE_ROOT_SIZE;
    for (uint32_t i = 0; i < count; i++) {
        const uint8_t *at = numbers + (size_t)i * 4;
        tp_trace_row   row = { .input = bytes_get_u32(at), .event = bytes_get_u32(at + (size_t)count * 4), .draws = bytes_get_u32(at + (size_t)count * 8),
                               .draw_digest = bytes_get_u32(at + (size_t)count * 12) };
        memcpy(row.root, roots + (size_t)i * TP_TRACE_ROOT_SIZE, TP_TRACE_ROOT_SIZE);
        trace->rows[trace->count++] = row;
    }
    return true;
}

static bool take_gap(Reading *reading, const uint8_t *payload, size_t size)
{
    tp_trace *trace = reading->trace;
    if (size != 16 || bytes_get_u64(payload) != trace->first_tick + trace->count || bytes_get_u64(payload + 8) == 0) {
        return refuse_record(reading, "a gap that does not follow the tick before");
    }
    uint64_t missing = bytes_get_u64(payload + 8);
    if (missing > TRACE_GAP_MAX - reading->missing) {
        return refuse_record(reading, "more missing ticks than there may be");
    }
    reading->missing += missing;
    void    *gaps = trace->gaps;
    bool     is_there = reserve_rows(reading, missing) && reserve(reading, &gaps, &reading->gaps_capacity, (size_t)trace->gap_count * 2, 2, sizeof(*trace->gaps));
    trace->gaps = gaps;
    if (!is_there) {
        return false;
    }
    memset(&trace->rows[trace->count], 0, (size_t)missing * sizeof(*trace->rows));
    trace->gaps[trace->gap_count * 2] = trace->first_tick + trace->count;
    trace->gaps[trace->gap_count * 2 + 1] = missing;
    trace->gap_count += 1;
    trace->count += missing;
    return true;
}

// While reading `leaves` holds a place in the numbers instead of an address, since these may still move.
static bool take_leaves(Reading *reading, const uint8_t *payload, size_t size)
{
    tp_trace *trace = reading->trace;
    uint32_t  count = size < 12 ? 0 : bytes_get_u32(payload + 8);
    if (count < 2 || count > TP_ROOT_LEAVES_MAX + 2 || size != 12 + (size_t)count * 8) {
        return refuse_record(reading, "leaves that their count does not fill");
    }
    uint64_t steps = bytes_get_u64(payload);
    if (steps <= trace->first_tick || (trace->leaves_count > 0 && steps <= trace->leaves[trace->leaves_count - 1].steps)) {
        return refuse_record(reading, "leaves out of order");
    }
    void *leaves = trace->leaves;
    void *numbers = reading->numbers;
    bool  is_there = reserve(reading, &leaves, &reading->leaves_capacity, trace->leaves_count, 1, sizeof(*trace->leaves));
    trace->leaves = leaves;
    is_there = is_there && reserve(reading, &numbers, &reading->numbers_capacity, reading->number_count, count, sizeof(*reading->numbers));
    reading->numbers = numbers;
    if (!is_there) {
        return false;
    }
    for (uint32_t i = 0; i < count; i++) {
        reading->numbers[reading->number_count + i] = bytes_get_u64(payload + 12 + (size_t)i * 8);
    }
    trace->leaves[trace->leaves_count++] = (tp_trace_leaves){ .steps = steps, .count = count };
    reading->number_count += count;
    return true;
}

static bool take_state(Reading *reading, const uint8_t *payload, size_t size)
{
    tp_trace *trace = reading->trace;
    if (size < 8 || size - 8 > TP_STATE_SIZE_MAX || trace->state_count == TP_TRACE_STATES_MAX) {
        return refuse_record(reading, "more or larger states than there may be");
    }
    uint64_t steps = bytes_get_u64(payload);
    if (steps < trace->first_tick || (trace->state_count > 0 && steps <= trace->states[trace->state_count - 1].steps)) {
        return refuse_record(reading, "states out of order");
    }
    void *bytes = reading->bytes;
    bool  is_there = reserve(reading, &bytes, &reading->bytes_capacity, reading->byte_count, size - 8 + 1, 1);
    reading->bytes = bytes;
    if (!is_there) {
        return false;
    }
    memcpy(reading->bytes + reading->byte_count, payload + 8, size - 8);
    trace->states[trace->state_count++] = (tp_trace_state){ .steps = steps, .size = size - 8 };
    reading->byte_count += size - 8;
    return true;
}

static bool take_end(Reading *reading, const uint8_t *payload, size_t size)
{
    tp_trace *trace = reading->trace;
    uint64_t  given = trace->count;
    for (uint64_t i = 0; i < trace->gap_count; i++) {
        given -= trace->gaps[i * 2 + 1];
    }
    if (size < TRACE_END_SIZE || size - TRACE_END_SIZE >= sizeof(trace->end_text)) {
        return refuse_record(reading, "an end of the wrong size");
    }
    uint32_t end = bytes_get_u32(payload);
    uint32_t has_chain = bytes_get_u32(payload + 12 + TP_TRACE_ROOT_SIZE);
    size_t   text = size - TRACE_END_SIZE;
    if (end < TP_TRACE_END_LOG || end > TP_TRACE_END_BROKEN || has_chain > 1 || bytes_get_u64(payload + 4) != given || !is_text(payload + TRACE_END_SIZE, text)) {
        return refuse_record(reading, "an end that does not fit what came before");
    }
    trace->end = (tp_trace_end)end;
    memcpy(trace->fault_root, payload + 12, TP_TRACE_ROOT_SIZE);
    trace->has_chain = has_chain == 1;
    memcpy(trace->chain, payload + 16 + TP_TRACE_ROOT_SIZE, TP_LOG_CHAIN_SIZE);
    memcpy(trace->end_text, payload + TRACE_END_SIZE, text);
    trace->has_end = true;
    return true;
}

static bool take_record(Reading *reading, uint32_t type, const uint8_t *payload, size_t size)
{
    if (reading->trace->has_end) {
        return refuse_record(reading, "something stands behind the end");
    }
    if ((type == TRACE_IDENT) == reading->has_ident) {
        return refuse_record(reading, "the identity is not the first record, and the only one of its kind");
    }
    switch (type) {
    case TRACE_IDENT: return take_ident(reading, payload, size);
    case TRACE_TEXT: return take_text(reading, payload, size);
    case TRACE_ROWS: return take_rows(reading, payload, size);
    case TRACE_GAP: return take_gap(reading, payload, size);
    case TRACE_LEAVES: return take_leaves(reading, payload, size);
    case TRACE_STATE: return take_state(reading, payload, size);
    case TRACE_END: return take_end(reading, payload, size);
    default: return refuse_record(reading, "a record of an unknown type");
    }
}

static bool take_whole_records(Reading *reading)
{
    size_t at = 0;
    while (reading->buffer_size - at >= 8) {
        uint32_t type = bytes_get_u32(reading->buffer + at);
        uint32_t size = bytes_get_u32(reading->buffer + at + 4);
        if (size > TRACE_RECORD_MAX) {
            return refuse_record(reading, "a record larger than any may be");
        }
        if (reading->buffer_size - at - 8 < size) {
            break;
        }
        if (!take_record(reading, type, reading->buffer + at + 8, size)) {
            return false;
        }
        at += 8 + (size_t)size;
        reading->taken += 8 + (uint64_t)size;
    }
    memmove(reading->buffer, reading->buffer + at, reading->buffer_size - at);
    reading->buffer_size -= at;
    return true;
}

// True also for a frame that was cut off; *is_whole says which.
static bool unpack(Reading *reading, ZSTD_DCtx *zstd, const uint8_t *bytes, size_t size, bool *is_whole)
{
    ZSTD_inBuffer in = { bytes, size, 0 };
    for (;;) {
        void *buffer = reading->buffer;
        if (!reserve(reading, &buffer, &reading->buffer_capacity, reading->buffer_size, ZSTD_DStreamOutSize(), 1)) {
            return false;
        }
        reading->buffer = buffer;
        ZSTD_outBuffer out = { reading->buffer, reading->buffer_capacity, reading->buffer_size };
        size_t         before_in = in.pos;
        size_t         left = ZSTD_decompressStream(zstd, &out, &in);
        if (ZSTD_isError(left)) {
            return refuse(reading, TP_CORRUPT, "byte %zu: unpacking: %s", TRACE_HEAD_SIZE + in.pos, ZSTD_getErrorName(left));
        }
        size_t gained = out.pos - reading->buffer_size;
        reading->buffer_size = out.pos;
        reading->content += gained;
        if (reading->content > TRACE_CONTENT_MAX) {
            return refuse(reading, TP_CORRUPT, "byte %zu: it unpacks to more than a sidecar may hold", TRACE_HEAD_SIZE + in.pos);
        }
        if (!take_whole_records(reading)) {
            return false;
        }
        if (left == 0) {
            *is_whole = in.pos == in.size && reading->buffer_size == 0 && reading->trace->has_end;
            return *is_whole || refuse(reading, TP_CORRUPT, "byte %zu: %s", TRACE_HEAD_SIZE + in.pos,
                                       in.pos != in.size ? "something stands behind the sidecar" : "the packed part ends without an end");
        }
        if (gained == 0 && in.pos == before_in) {
            *is_whole = false; // all was given, and more would be needed
            return true;
        }
    }
}

static bool read_head(Reading *reading, const uint8_t *bytes, size_t size)
{
    if (size < TRACE_HEAD_SIZE || memcmp(bytes, TRACE_MAGIC, 8) != 0) {
        return refuse(reading, TP_CORRUPT, "byte 0: this is no sidecar: it does not begin with the letters of one");
    }
    if (bytes_get_u32(bytes + 8) != TP_TRACE_VERSION || bytes_get_u32(bytes + 12) != 0) {
        return refuse(reading, TP_INCOMPATIBLE, "byte 8: a sidecar of version %u, and this program reads version %d", bytes_get_u32(bytes + 8), TP_TRACE_VERSION);
    }
    return true;
}

// Everything stands where it will stay.
static bool settle(Reading *reading)
{
    tp_trace *trace = reading->trace;
    TraceMemory *memory = malloc(sizeof(*memory));
    if (memory == NULL) {
        return refuse(reading, TP_INTERNAL, "out of memory");
    }
    *memory = (TraceMemory){ .gaps = trace->gaps, .leaves = trace->leaves, .numbers = reading->numbers, .bytes = reading->bytes };
    const uint64_t *numbers = reading->numbers;
    for (uint32_t i = 0; i < trace->leaves_count; i++) {
        trace->leaves[i].leaves = numbers;
        numbers += trace->leaves[i].count;
    }
    const uint8_t *bytes = reading->bytes;
    for (uint32_t i = 0; i < trace->state_count; i++) {
        trace->states[i].bytes = bytes;
        bytes += trace->states[i].size;
    }
    trace->memory = memory;
    return true;
}

// Leaves and states may lie on the last tick of a file that was cut off behind it, and no further.
static bool check_places(Reading *reading)
{
    const tp_trace *trace = reading->trace;
    uint64_t        last = trace->first_tick + trace->count;
    bool            is_good = trace->leaves_count == 0 || trace->leaves[trace->leaves_count - 1].steps <= last;
    is_good = is_good && (trace->state_count == 0 || trace->states[trace->state_count - 1].steps <= last);
    return is_good || !trace->has_end || refuse(reading, TP_CORRUPT, "leaves or a state of a tick that it does not have");
}

static bool read_all(Reading *reading, const uint8_t *bytes, size_t size)
{
    if (!read_head(reading, bytes, size)) {
        return false;
    }
    ZSTD_DCtx *zstd = ZSTD_createDCtx();
    bool       is_whole = false;
    if (zstd == NULL) {
        return refuse(reading, TP_INTERNAL, "out of memory");
    }
    bool is_read = unpack(reading, zstd, bytes + TRACE_HEAD_SIZE, size - TRACE_HEAD_SIZE, &is_whole);
    ZSTD_freeDCtx(zstd);
    if (is_read && !reading->has_ident) {
        return refuse(reading, TP_CORRUPT, "it is cut off before its identity");
    }
    reading->trace->has_end = is_read && is_whole;
    return is_read && check_places(reading) && settle(reading);
}

tp_trace *tp_trace_read(const uint8_t *bytes, size_t size, tp_verdict *verdict, tp_error *error)
{
    Reading reading = { .error = error, .verdict = TP_INTERNAL };
    reading.trace = calloc(1, sizeof(*reading.trace));
    bool is_read = reading.trace != NULL ? read_all(&reading, bytes, size) : tp_error_set(error, "out of memory");
    free(reading.buffer);
    if (verdict != NULL) {
        *verdict = is_read ? TP_VERIFIED : reading.verdict;
    }
    if (is_read) {
        reading.trace->root_size = TP_TRACE_ROOT_SIZE;
        return reading.trace;
    }
    free(reading.numbers);
    free(reading.bytes);
    if (reading.trace != NULL) {
        free(reading.trace->gaps);
        free(reading.trace->leaves);
        free(reading.trace->rows);
        free(reading.trace);
    }
    return NULL;
}

void tp_trace_destroy(tp_trace *trace)
{
    if (trace == NULL) {
        return;
    }
    TraceMemory *memory = trace->memory;
    if (memory != NULL) {
        free(memory->gaps);
        free(memory->leaves);
        free(memory->numbers);
        free(memory->bytes);
        free(memory);
    }
    free(trace->rows);
    free(trace);
}

const char *tp_trace_text_of(const tp_trace *trace, const char *key)
{
    for (uint32_t i = 0; i < trace->text_count; i++) {
        if (strcmp(trace->texts[i].key, key) == 0) {
            return trace->texts[i].value;
        }
    }
    return NULL;
}

const tp_trace_state *tp_trace_state_at(const tp_trace *trace, uint64_t steps)
{
    for (uint32_t i = 0; i < trace->state_count; i++) {
        if (trace->states[i].steps == steps) {
            return &trace->states[i];
        }
    }
    return NULL;
}

const tp_trace_leaves *tp_trace_leaves_at(const tp_trace *trace, uint64_t steps)
{
    for (uint32_t i = 0; i < trace->leaves_count; i++) {
        if (trace->leaves[i].steps == steps) {
            return &trace->leaves[i];
        }
    }
    return NULL;
}

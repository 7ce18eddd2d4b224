// trace_recorded.c: what a log claims, as a sidecar: its own roots and inputs, of whatever machine recorded it. Nothing is stepped.
#include "trace_format.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    tp_trace  *trace;
    tp_reader *reader;
    tp_error  *error;
    size_t     rows_capacity, gaps_capacity, input_capacity;
    uint8_t   *input; // a row without its origins, as a root's input leaf is made of it
} Recorded;

static bool reserve(void **items, size_t *capacity, size_t wanted, size_t item_size)
{
    if (wanted <= *capacity) {
        return true;
    }
    size_t larger = *capacity * 2 > wanted ? *capacity * 2 : wanted;
    void  *grown = realloc(*items, larger * item_size);
    if (grown != NULL) {
        *items = grown;
        *capacity = larger;
    }
    return grown != NULL;
}

static bool reserve_rows(Recorded *recorded, uint64_t more)
{
    void *rows = recorded->trace->rows;
    if (more > TP_TRACE_TICKS_MAX - recorded->trace->count) {
        return tp_error_set(recorded->error, "more ticks than a sidecar holds");
    }
    bool is_there = reserve(&rows, &recorded->rows_capacity, (size_t)(recorded->trace->count + more), sizeof(*recorded->trace->rows));
    recorded->trace->rows = rows;
    return is_there || tp_error_set(recorded->error, "out of memory");
}

static bool hash_input(Recorded *recorded, const tp_log_row *row, uint32_t *low)
{
    size_t presence = (size_t)(row->origins - row->presence);
    size_t rest = row->size - (size_t)(row->inputs - row->bytes);
    void  *input = recorded->input;
    bool   is_there = reserve(&input, &recorded->input_capacity, presence + rest + 1, 1);
    recorded->input = input;
    if (!is_there) {
        return tp_error_set(recorded->error, "out of memory");
    }
    memcpy(recorded->input, row->presence, presence);
    memcpy(recorded->input + presence, row->inputs, rest);
    *low = (uint32_t)tp_hash64(recorded->trace->ident.algorithm, recorded->input, presence + rest);
    return true;
}

// FAULT begins with its root, of which all 16 bytes are there.
static bool take_fault(Recorded *recorded, const tp_log_record *record, const tp_log_row *row)
{
    tp_trace *trace = recorded->trace;
    trace->end = TP_TRACE_END_FAULT;
    memcpy(trace->fault_root, record->payload, TP_TRACE_ROOT_SIZE);
    tp_error text;
    tp_error_set(&text, "tick %" PRIu64 ": the recorded step faulted", row->tick);
    memcpy(trace->end_text, text.text, strlen(text.text) + 1);
    return true;
}

static bool take_rows(Recorded *recorded, const tp_log_record *record)
{
    tp_trace  *trace = recorded->trace;
    tp_log_row row;
    for (tp_log_rows rows = tp_log_rows_of(&trace->ident, record); tp_log_rows_next(&rows, &row);) {
        if (record->type == TP_LOG_FAULT) {
            return take_fault(recorded, record, &row);
        }
        // What every row has: nothing says that all records of a log keep as much of a root.
        trace->root_size = row.root_size < trace->root_size ? row.root_size : trace->root_size;
        tp_trace_row kept = { .input = 0 };
        if (!reserve_rows(recorded, 1) || !hash_input(recorded, &row, &kept.input)) {
            return false;
        }
        memcpy(kept.root, row.root, row.root_size < TP_TRACE_ROOT_SIZE ? row.root_size : TP_TRACE_ROOT_SIZE);
        trace->rows[trace->count++] = kept;
    }
    return true;
}

static bool take_gap(Recorded *recorded, const tp_log_record *record)
{
    tp_trace  *trace = recorded->trace;
    tp_log_gap gap = tp_log_parse_gap(record);
    uint64_t   missing = gap.last - gap.first + 1;
    void      *gaps = trace->gaps;
    bool       is_there = reserve_rows(recorded, missing) && reserve(&gaps, &recorded->gaps_capacity, (size_t)(trace->gap_count + 1) * 2, sizeof(*trace->gaps));
    trace->gaps = gaps;
    if (!is_there) {
        return tp_error_set(recorded->error, "out of memory");
    }
    memset(&trace->rows[trace->count], 0, (size_t)missing * sizeof(*trace->rows));
    trace->gaps[trace->gap_count * 2] = gap.first;
    trace->gaps[trace->gap_count * 2 + 1] = missing;
    trace->gap_count += 1;
    trace->count += missing;
    return true;
}

static bool take_all(Recorded *recorded)
{
    tp_trace     *trace = recorded->trace;
    tp_log_record record;
    tp_log_status status;
    while ((status = tp_reader_next(recorded->reader, &record)) == TP_LOG_OK) {
        if (record.type == TP_LOG_IDENT) {
            trace->ident = *tp_reader_ident(recorded->reader);
            trace->first_tick = trace->ident.first_tick;
        }
        bool is_rows = record.type == TP_LOG_TICKS || record.type == TP_LOG_FAULT;
        if ((is_rows && !take_rows(recorded, &record)) || (record.type == TP_LOG_GAP && !take_gap(recorded, &record))) {
            return false;
        }
    }
    if (trace->ident.world[0] == '\0') {
        return tp_error_set(recorded->error, "offset %" PRIu64 ": reading the log: %s", tp_reader_offset(recorded->reader), tp_reader_message(recorded->reader));
    }
    trace->has_end = status == TP_LOG_DONE;
    trace->has_chain = true;
    memcpy(trace->chain, tp_reader_chain(recorded->reader), sizeof(trace->chain));
    if (trace->end != TP_TRACE_END_FAULT) {
        trace->end = trace->has_end ? TP_TRACE_END_LOG : TP_TRACE_END_BROKEN;
    }
    // One that is damaged must not pass for one that is short.
    bool is_short = status == TP_LOG_TRUNCATED || status == TP_LOG_DONE;
    return is_short || tp_error_set(recorded->error, "offset %" PRIu64 ": reading the log: %s", tp_reader_offset(recorded->reader), tp_reader_message(recorded->reader));
}

tp_trace *tp_trace_of_log(const tp_source *log, tp_error *error)
{
    Recorded recorded = { .error = error, .trace = calloc(1, sizeof(*recorded.trace)) };
    TraceMemory *memory = calloc(1, sizeof(*memory));
    bool     is_read = recorded.trace != NULL && memory != NULL;
    if (is_read) {
        recorded.trace->is_recorded = true;
        recorded.trace->root_size = TP_TRACE_ROOT_SIZE;
        tp_log_status status = tp_reader_open(log, NULL, &recorded.reader);
        is_read = recorded.reader != NULL && (status == TP_LOG_OK || tp_error_set(error, "offset %" PRIu64 ": reading the log: %s", tp_reader_offset(recorded.reader),
                                                                                   tp_reader_message(recorded.reader)));
        is_read = is_read && take_all(&recorded);
    } else {
        tp_error_set(error, "out of memory");
    }
    tp_reader_close(recorded.reader);
    free(recorded.input);
    if (is_read) {
        memory->gaps = recorded.trace->gaps;
        recorded.trace->memory = memory;
        return recorded.trace;
    }
    free(memory);
    if (recorded.trace != NULL) {
        free(recorded.trace->gaps);
        free(recorded.trace->rows);
        free(recorded.trace);
    }
    return NULL;
}

// trace_format.h: the bytes of a sidecar, for the two that write and read it. replays/TRACE.md says the same for everybody else.
//
// A head of 16 bytes: the letters of TRACE_MAGIC, the version, 0. Then one zstd frame with a checksum. What is in it are records: type, size, payload. The
// first is IDENT, then TEXTs, then ROWS, GAP, LEAVES and STATE as the run goes, the last is END, and nothing follows it. All numbers are
// little-endian.
//
//     IDENT   u32 size of the rules, the rules; u32 sequence; u64 first tick
//     TEXT    u8 size of the key, the key; u16 size of the value, the value
//     ROWS    u64 first tick; u32 count, 1 to TRACE_ROWS_MAX; then five columns of `count`: root (8 bytes), input, event, draws, digest of the draws (u32 each)
//     GAP     u64 first tick that the log leaves out, u64 how many
//     LEAVES  u64 steps done; u32 count; count times u64
//     STATE   u64 steps done; the bytes
//     END     u32 end; u64 rows; 8 bytes root of the fault; u32 1 when there is a chain value; 32 bytes chain value; then text
#pragma once

#include "tickproof/trace.h"

#define TRACE_MAGIC "TPTRACE\n"

enum {
    TRACE_HEAD_SIZE  = 16,
    TRACE_ROWS_MAX   = 4096,
    TRACE_ROW_SIZE   = TP_TRACE_ROOT_SIZE + 4 * 4,
    TRACE_GAP_MAX    = 1 << 22, ///< missing ticks of one sidecar: 19 hours at 60 Hz
    TRACE_RECORD_MAX = TP_STATE_SIZE_MAX + 64, ///< payload bytes
    TRACE_END_SIZE   = 4 + 8 + TP_TRACE_ROOT_SIZE + 4 + TP_LOG_CHAIN_SIZE,
    TRACE_IDENT      = TP_LOG_TYPE('I', 'D', 'N', 'T'),
    TRACE_TEXT       = TP_LOG_TYPE('T', 'E', 'X', 'T'),
    TRACE_ROWS       = TP_LOG_TYPE('R', 'O', 'W', 'S'),
    TRACE_GAP        = TP_LOG_TYPE('G', 'A', 'P', 'S'),
    TRACE_LEAVES     = TP_LOG_TYPE('L', 'E', 'A', 'F'),
    TRACE_STATE      = TP_LOG_TYPE('S', 'T', 'A', 'T'),
    TRACE_END        = TP_LOG_TYPE('E', 'N', 'D', 'T'),
};
#define TRACE_CONTENT_MAX (UINT64_C(2) << 30) ///< bytes of all records of one sidecar

/// What tp_trace.memory points to: who made a trace gives it one, and tp_trace_destroy frees all of it.
typedef struct TraceMemory {
    uint64_t        *gaps;
    tp_trace_leaves *leaves;
    uint64_t        *numbers; ///< of all leaves
    uint8_t         *bytes;   ///< of all states
} TraceMemory;

/// What a run says while it goes; trace_write.c makes bytes of it. A failure of the sink or of memory stays, and is told once.
typedef struct TraceWriter TraceWriter;

/// NULL: out of memory.
TraceWriter *trace_writer_create(const tp_sink *sink);
void trace_writer_ident(TraceWriter *writer, const tp_ident *ident);
void trace_writer_text(TraceWriter *writer, const tp_trace_text *text);
void trace_writer_row(TraceWriter *writer, uint64_t tick, const tp_trace_row *row);
void trace_writer_gap(TraceWriter *writer, uint64_t first, uint64_t count);
void trace_writer_leaves(TraceWriter *writer, uint64_t steps, const uint64_t *leaves, uint32_t count);
void trace_writer_state(TraceWriter *writer, uint64_t steps, const uint8_t *bytes, size_t size);
/// What was said so far reaches the sink: for a run that may not come back from the next step.
void trace_writer_flush(TraceWriter *writer);
/// The last record. False: something failed on the way.
bool trace_writer_end(TraceWriter *writer, tp_trace_end end, const uint8_t fault_root[TP_TRACE_ROOT_SIZE], const uint8_t *chain, const char *text);
/// Of rows that were given.
uint64_t trace_writer_rows(const TraceWriter *writer);
void trace_writer_destroy(TraceWriter *writer);

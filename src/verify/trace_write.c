// trace_write.c: a run's hashes into the bytes of a sidecar. Columns, since each of them is like itself: roots do not compress, and
// everything else most often does.
#include "trace_format.h"

#include <stdlib.h>
#include <string.h>

#include <zstd.h>

#include "bytes.h"

enum { LEVEL = 3 };

struct TraceWriter {
    const tp_sink *sink;
    ZSTD_CCtx     *zstd;
    bool           has_failed;
    uint64_t       rows_given;
    uint64_t       first;  // tick of the first kept row
    uint32_t       count;  // kept rows
    tp_trace_row   rows[TRACE_ROWS_MAX];
    uint8_t        payload[12 + TRACE_ROWS_MAX * TRACE_ROW_SIZE];
    uint8_t        out[1 << 17];
};

TraceWriter *trace_writer_create(const tp_sink *sink)
{
    TraceWriter *writer = malloc(sizeof(*writer));
    if (writer == NULL) {
        return NULL;
    }
    writer->sink = sink;
    writer->has_failed = false;
    writer->rows_given = writer->first = 0;
    writer->count = 0;
    writer->zstd = ZSTD_createCCtx();
    if (writer->zstd == NULL) {
        free(writer);
        return NULL;
    }
    ZSTD_CCtx_setParameter(writer->zstd, ZSTD_c_compressionLevel, LEVEL);
    ZSTD_CCtx_setParameter(writer->zstd, ZSTD_c_checksumFlag, 1);
    return writer;
}

void trace_writer_destroy(TraceWriter *writer)
{
    if (writer != NULL) {
        ZSTD_freeCCtx(writer->zstd);
        free(writer);
    }
}

uint64_t trace_writer_rows(const TraceWriter *writer)
{
    return writer->rows_given;
}

static void put(TraceWriter *writer, const uint8_t *bytes, size_t size, ZSTD_EndDirective directive)
{
    ZSTD_inBuffer in = { bytes, size, 0 };
    size_t        left = 1;
    while (!writer->has_failed && (in.pos < in.size || (directive != ZSTD_e_continue && left != 0))) {
        ZSTD_outBuffer out = { writer->out, sizeof(writer->out), 0 };
        left = ZSTD_compressStream2(writer->zstd, &out, &in, directive);
        writer->has_failed = ZSTD_isError(left) || (out.pos > 0 && !writer->sink->write(writer->sink->self, writer->out, out.pos));
    }
}

static void put_record_head(TraceWriter *writer, uint32_t type, size_t size)
{
    uint8_t head[8];
    bytes_put_u32(head, type);
    bytes_put_u32(head + 4, (uint32_t)size);
    put(writer, head, sizeof(head), ZSTD_e_continue);
}

static void put_record(TraceWriter *writer, uint32_t type, const uint8_t *payload, size_t size)
{
    put_record_head(writer, type, size);
    put(writer, payload, size, ZSTD_e_continue);
}

void trace_writer_ident(TraceWriter *writer, const tp_ident *ident)
{
    uint8_t head[TRACE_HEAD_SIZE] = TRACE_MAGIC;
    uint8_t number[12];
    bytes_put_u32(head + 8, TP_TRACE_VERSION);
    bytes_put_u32(head + 12, 0);
    writer->has_failed = writer->has_failed || !writer->sink->write(writer->sink->self, head, sizeof(head));
    put_record_head(writer, TRACE_IDENT, 4 + (size_t)ident->rules.size + sizeof(number));
    bytes_put_u32(number, ident->rules.size);
    put(writer, number, 4, ZSTD_e_continue);
    put(writer, ident->rules.bytes, ident->rules.size, ZSTD_e_continue);
    bytes_put_u32(number, ident->sequence);
    bytes_put_u64(number + 4, ident->first_tick);
    put(writer, number, sizeof(number), ZSTD_e_continue);
}

void trace_writer_text(TraceWriter *writer, const tp_trace_text *text)
{
    uint8_t bytes[3 + sizeof(text->key) + sizeof(text->value)];
    size_t  key = strnlen(text->key, sizeof(text->key) - 1);
    size_t  value = strnlen(text->value, sizeof(text->value) - 1);
    bytes[0] = (uint8_t)key;
    memcpy(bytes + 1, text->key, key);
    bytes_put_u16(bytes + 1 + key, (uint16_t)value);
    memcpy(bytes + 3 + key, text->value, value);
    put_record(writer, TRACE_TEXT, bytes, 3 + key + value);
}

static void put_rows(TraceWriter *writer)
{
    uint32_t count = writer->count;
    uint8_t *at = writer->payload + 12;
    if (count == 0) {
        return;
    }
    bytes_put_u64(writer->payload, writer->first);
    bytes_put_u32(writer->payload + 8, count);
    for (uint32_t i = 0; i < count; i++) {
        const tp_trace_row *row = &writer->rows[i];
        uint8_t            *numbers = at + (size_t)count * TP_TRACE_ROOT_SIZE + (size_t)i * 4;
        memcpy(at + (size_t)i * TP_TRACE_ROOT_SIZE, row->root, TP_TRACE_ROOT_SIZE);
        bytes_put_u32(numbers, row->input);
        bytes_put_u32(numbers + (size_t)count * 4, row->event);
        bytes_put_u32(numbers + (size_t)count * 8, row->draws);
        bytes_put_u32(numbers + (size_t)count * 12, row->draw_digest);
    }
    put_record(writer, TRACE_ROWS, writer->payload, 12 + (size_t)count * TRACE_ROW_SIZE);
    writer->count = 0;
}

void trace_writer_row(TraceWriter *writer, uint64_t tick, const tp_trace_row *row)
{
    writer->first = writer->count == 0 ? tick : writer->first;
    writer->rows[writer->count++] = *row;
    writer->rows_given += 1;
    if (writer->count == TRACE_ROWS_MAX) {
        put_rows(writer);
    }
}

void trace_writer_gap(TraceWriter *writer, uint64_t first, uint64_t count)
{
    uint8_t bytes[16];
    put_rows(writer);
    bytes_put_u64(bytes, first);
    bytes_put_u64(bytes + 8, count);
    put_record(writer, TRACE_GAP, bytes, sizeof(bytes));
}

void trace_writer_leaves(TraceWriter *writer, uint64_t steps, const uint64_t *leaves, uint32_t count)
{
    uint8_t bytes[12];
    bytes_put_u64(bytes, steps);
    bytes_put_u32(bytes + 8, count);
    put_record_head(writer, TRACE_LEAVES, 12 + (size_t)count * 8);
    put(writer, bytes, 12, ZSTD_e_continue);
    for (uint32_t i = 0; i < count; i++) {
        bytes_put_u64(bytes, leaves[i]);
        put(writer, bytes, 8, ZSTD_e_continue);
    }
}

void trace_writer_state(TraceWriter *writer, uint64_t steps, const uint8_t *bytes, size_t size)
{
    uint8_t head[8];
    bytes_put_u64(head, steps);
    put_record_head(writer, TRACE_STATE, 8 + size);
    put(writer, head, 8, ZSTD_e_continue);
    put(writer, bytes, size, ZSTD_e_continue);
}

void trace_writer_flush(TraceWriter *writer)
{
    put_rows(writer);
    put(writer, NULL, 0, ZSTD_e_flush);
}

bool trace_writer_end(TraceWriter *writer, tp_trace_end end, const uint8_t fault_root[TP_TRACE_ROOT_SIZE], const uint8_t *chain, const char *text)
{
    uint8_t bytes[TRACE_END_SIZE] = { 0 };
    size_t  size = strnlen(text, sizeof(((tp_trace *)0)->end_text) - 1);
    put_rows(writer);
    bytes_put_u32(bytes, (uint32_t)end);
    bytes_put_u64(bytes + 4, writer->rows_given);
    memcpy(bytes + 12, fault_root, TP_TRACE_ROOT_SIZE);
    bytes_put_u32(bytes + 12 + TP_TRACE_ROOT_SIZE, chain != NULL);
    if (chain != NULL) {
        memcpy(bytes + 16 + TP_TRACE_ROOT_SIZE, chain, TP_LOG_CHAIN_SIZE);
    }
    put_record_head(writer, TRACE_END, sizeof(bytes) + size);
    put(writer, bytes, sizeof(bytes), ZSTD_e_continue);
    put(writer, (const uint8_t *)text, size, ZSTD_e_end);
    return !writer->has_failed && (writer->sink->sync == NULL || writer->sink->sync(writer->sink->self));
}

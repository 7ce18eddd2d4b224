// log_writer_back.c: the back of a writer: completes records, keeps the chain, writes and syncs. The bytes of a buffer are the
// bytes of the file, so a buffer is one write.
#include "log_writer.h"

#include <errno.h>
#include <inttypes.h>
#include <sodium.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bytes.h"
#include "crc32c.h"
#include "log_chain.h"

__attribute__((format(printf, 3, 4))) static bool fail(tp_writer *writer, tp_writer_failure failed, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    log_ring_lock(&writer->ring);
    if (!writer->published.has_failed) {
        vsnprintf(writer->published.failure, sizeof(writer->published.failure), format, arguments);
        failed.whole_bytes = writer->back.file_offset;
        failed.durable_bytes = writer->back.durable_offset;
        writer->published.failed = failed;
        writer->published.has_failed = true;
    }
    log_ring_unlock(&writer->ring);
    va_end(arguments);
    return false;
}

bool log_back_write(tp_writer *writer, const uint8_t *bytes, size_t size)
{
    LogBack *back = &writer->back;
    if (size == 0) {
        return true;
    }
    errno = 0;
    if (!back->sink.write(back->sink.self, bytes, size)) {
        int reason = errno;
        return fail(writer, (tp_writer_failure){ .reason = reason }, "writing %zu bytes at offset %" PRIu64 ": %s", size, back->file_offset,
                    reason == 0 ? "not all were taken" : strerror(reason));
    }
    back->file_offset += size;
    return true;
}

static void remember_key(LogBack *back, uint64_t tick, uint64_t offset)
{
    back->last_key_offset = offset;
    if (back->has_lost_index || back->key_count >= LOG_INDEX_ENTRIES_MAX) {
        back->has_lost_index = true; // more than an INDEX can hold: the log goes without
        return;
    }
    if (back->key_count == back->key_capacity) {
        size_t capacity = back->key_capacity == 0 ? 64 : back->key_capacity * 2;
        uint64_t *ticks = realloc(back->key_ticks, capacity * sizeof(*ticks));
        if (ticks != NULL) {
            back->key_ticks = ticks;
        }
        uint64_t *offsets = realloc(back->key_offsets, capacity * sizeof(*offsets));
        if (offsets != NULL) {
            back->key_offsets = offsets;
        }
        if (ticks == NULL || offsets == NULL) {
            back->has_lost_index = true; // it is a cache: a scan gives the same
            return;
        }
        back->key_capacity = capacity;
    }
    back->key_ticks[back->key_count] = tick;
    back->key_offsets[back->key_count] = offset;
    back->key_count++;
}

static void complete_end(LogBack *back, uint8_t *payload)
{
    const tp_log_counts *counts = &back->counts;
    uint8_t bound[16 + 104];
    bytes_put_u64(payload + 8, back->ticks);
    bytes_put_u64(payload + 16, back->records);
    bytes_put_u64(payload + 80, bytes_get_u64(payload + 80) - back->commands_before);
    bytes_put_u64(payload + 24, counts->keys);
    bytes_put_u64(payload + 32, counts->ticks_records);
    bytes_put_u64(payload + 40, counts->leaves);
    bytes_put_u64(payload + 48, counts->notes);
    bytes_put_u64(payload + 56, counts->seals);
    bytes_put_u64(payload + 64, counts->gaps);
    bytes_put_u64(payload + 72, counts->resumes);
    tp_hash128_to_bytes(back->rules_id, bound);
    memcpy(bound + 16, payload, 104);
    tp_hash128_to_bytes(tp_hash128_of(back->algorithm, bound, sizeof(bound)), payload + 104);
    bytes_put_u64(payload + 120, back->index_offset);
    memcpy(payload + 128, back->chain, TP_LOG_CHAIN_SIZE);
    log_chain_sign_end(payload, back->is_signed ? back->sign_key : NULL);
}

static void complete_seal(const LogBack *back, uint8_t *payload)
{
    memcpy(payload, back->chain, TP_LOG_CHAIN_SIZE);
    bytes_put_u64(payload + 32, back->ticks);
    bytes_put_u64(payload + 40, back->records);
    log_chain_sign_seal(payload, back->is_signed ? back->sign_key : NULL);
}

// Fills in what depends on the records before, and counts. `offset` is the record's place in the file.
static void complete(LogBack *back, uint32_t type, uint64_t tick, uint8_t *payload, uint64_t offset)
{
    switch (type) {
    case TP_LOG_KEY:
        bytes_put_u64(payload, back->last_key_offset);
        remember_key(back, tick, offset);
        back->counts.keys++;
        break;
    case TP_LOG_TICKS:
        back->ticks += bytes_get_u16(payload);
        back->counts.ticks_records++;
        break;
    case TP_LOG_LEAVES: back->counts.leaves++; break;
    case TP_LOG_NOTE: back->counts.notes++; break;
    case TP_LOG_GAP: back->counts.gaps++; break;
    case TP_LOG_RESUME: back->counts.resumes++; break;
    case TP_LOG_SEAL:
        complete_seal(back, payload);
        back->counts.seals++;
        break;
    case TP_LOG_INDEX: back->index_offset = offset; break;
    case TP_LOG_END: complete_end(back, payload); break;
    default: break; // IDENT and FAULT are complete and counted by nobody
    }
}

// `bytes` starts with the record's head and ends with its CRC.
void log_back_frame(LogBack *back, uint8_t *bytes, uint64_t offset)
{
    uint32_t type = bytes_get_u32(bytes + 8);
    uint32_t size = bytes_get_u32(bytes + 12);
    uint64_t tick = bytes_get_u64(bytes + 16);
    uint8_t *payload = bytes + TP_LOG_RECORD_HEAD;
    complete(back, type, tick, payload, offset);
    log_format_put_head(bytes, back->marker, type, size, tick);
    bytes_put_u32(payload + size, crc32c(0, payload, size));
    log_chain_add(back->chain, type, tick, payload, size);
    back->records++;
}

uint8_t *log_back_make_index(LogBack *back, uint64_t tick, size_t *whole_size)
{
    size_t size = LOG_INDEX_FIXED + back->key_count * LOG_INDEX_ENTRY;
    uint8_t *bytes = back->has_lost_index ? NULL : malloc(size + LOG_FRAME_SIZE);
    if (bytes == NULL) {
        return NULL; // the log goes without its cache
    }
    uint8_t *payload = bytes + TP_LOG_RECORD_HEAD;
    bytes_put_u32(bytes + 8, TP_LOG_INDEX);
    bytes_put_u32(bytes + 12, (uint32_t)size);
    bytes_put_u64(bytes + 16, tick);
    bytes_put_u32(payload, (uint32_t)back->key_count);
    for (size_t i = 0; i < back->key_count; i++) {
        bytes_put_u64(payload + LOG_INDEX_FIXED + i * LOG_INDEX_ENTRY, back->key_ticks[i]);
        bytes_put_u64(payload + LOG_INDEX_FIXED + i * LOG_INDEX_ENTRY + 8, back->key_offsets[i]);
    }
    log_back_frame(back, bytes, back->file_offset);
    *whole_size = size + LOG_FRAME_SIZE;
    return bytes;
}

static bool write_index(tp_writer *writer, uint64_t tick)
{
    size_t size = 0;
    uint8_t *bytes = log_back_make_index(&writer->back, tick, &size);
    bool is_written = bytes == NULL || log_back_write(writer, bytes, size);
    free(bytes);
    return is_written;
}

bool log_back_sync(tp_writer *writer)
{
    LogBack *back = &writer->back;
    errno = 0;
    if (back->sink.sync != NULL && !back->sink.sync(back->sink.self)) {
        int reason = errno;
        return fail(writer, (tp_writer_failure){ .reason = reason, .is_sync = true }, "making %" PRIu64 " bytes durable: %s", back->file_offset,
                    reason == 0 ? "no reason was given" : strerror(reason));
    }
    back->durable_offset = back->file_offset;
    return true;
}

// Completes and writes the records from the buffer's start, or from behind a header, up to `stop`.
static bool write_records(tp_writer *writer, const LogBuffer *buffer, size_t stop, bool *has_end, uint8_t end_chain[TP_LOG_CHAIN_SIZE])
{
    LogBack *back = &writer->back;
    size_t start = 0; // of what is not written yet
    size_t at = buffer->has_header ? TP_LOG_HEADER_SIZE : 0;
    while (at < stop) {
        uint8_t *bytes = buffer->bytes + at;
        uint32_t type = bytes_get_u32(bytes + 8);
        size_t size = (size_t)bytes_get_u32(bytes + 12) + LOG_FRAME_SIZE;
        if (type == TP_LOG_INDEX) {
            if (!log_back_write(writer, buffer->bytes + start, at - start) ||
                !write_index(writer, bytes_get_u64(bytes + 16))) {
                return false;
            }
            start = at + size; // the stand-in is not part of the file
        } else {
            if (type == TP_LOG_END) {
                *has_end = true;
                memcpy(end_chain, back->chain, TP_LOG_CHAIN_SIZE);
            }
            log_back_frame(back, bytes, back->file_offset + (at - start));
        }
        at += size;
    }
    return log_back_write(writer, buffer->bytes + start, stop - start);
}

static bool write_buffer(tp_writer *writer, LogBuffer *buffer)
{
    LogBack *back = &writer->back;
    bool rotates = buffer->rotates_at > 0;
    bool has_end = false;
    uint8_t end_chain[TP_LOG_CHAIN_SIZE] = { 0 };
    if (!write_records(writer, buffer, rotates ? buffer->ends_at : buffer->size, &has_end, end_chain)) {
        return false;
    }
    if (rotates && !log_back_rotate(writer, buffer, &has_end, end_chain)) {
        return false;
    }
    bool has_sync = back->syncs && buffer->wants_sync && back->durable_offset != back->file_offset;
    if (has_sync && !log_back_sync(writer)) {
        return false;
    }
    log_ring_lock(&writer->ring);
    writer->published.bytes = back->bytes_before + back->file_offset;
    if (!back->syncs || buffer->wants_sync) {
        writer->published.durable_tick = buffer->next_tick;
    }
    if (has_end) {
        memcpy(writer->published.end_chain, end_chain, TP_LOG_CHAIN_SIZE);
    }
    log_ring_unlock(&writer->ring);
    return true;
}

void log_back_process(tp_writer *writer, LogBuffer *buffer)
{
    log_ring_lock(&writer->ring);
    bool has_failed = writer->published.has_failed;
    log_ring_unlock(&writer->ring);
    // After a failure nothing more may reach the file: what is there ends at a place that recovery can find.
    if (!has_failed) {
        write_buffer(writer, buffer);
    }
}

bool tp_writer_back(tp_writer *writer)
{
    LogBuffer *buffer = log_ring_take(&writer->ring);
    if (buffer == NULL) {
        return false;
    }
    log_back_process(writer, buffer);
    log_ring_release(&writer->ring);
    return true;
}

void log_back_finish(LogBack *back)
{
    free(back->key_ticks);
    free(back->key_offsets);
    sodium_memzero(back->sign_key, sizeof(back->sign_key));
}

// log_repair.c: gives a log that was never finished an end, in a copy, without its world: RESUME says what was cut, END what is there. Roots are not
// computed, so END names the last one only where the log itself has it whole.
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "bytes.h"
#include "crc32c.h"
#include "log_copy.h"
#include "log_ident.h"
#include "log_reader.h"
#include "log_writer.h"

enum { SCAN_STEP = 256 * 1024 };

static void take_root(tp_repair *repair, const tp_ident *ident, const tp_log_record *record)
{
    if (record->type == TP_LOG_KEY) {
        tp_log_key key = tp_log_parse_key(record);
        repair->has_root = key.has_root;
        repair->root = key.root;
    } else if (record->type == TP_LOG_LEAVES) {
        repair->has_root = true;
        repair->root = tp_log_parse_leaves(record).root;
    } else if (record->type == TP_LOG_TICKS) {
        tp_log_rows rows = tp_log_rows_of(ident, record);
        tp_log_row  row = { 0 };
        while (tp_log_rows_next(&rows, &row)) {
        }
        repair->has_root = row.root_size == LOG_ROOT_SIZE;
        if (repair->has_root) {
            repair->root = tp_hash128_from_bytes(row.root);
        }
    }
}

static void watch(void *to, const tp_ident *ident, const tp_log_record *record)
{
    tp_repair *repair = to;
    take_root(repair, ident, record);
    if (record->type == TP_LOG_SEAL) {
        tp_log_seal seal = tp_log_parse_seal(record);
        repair->seals++;
        repair->signed_seals += seal.is_signed ? 1 : 0;
        memcpy(repair->public_key, seal.is_signed ? seal.public_key : repair->public_key, sizeof(repair->public_key));
    }
}

// Rows that a TICKS record in what is cut says it has; 0 where that is damaged. Of a torn one the rest is not there to tell.
static uint64_t rows_said(const uint8_t *head, size_t available)
{
    const uint8_t *payload = head + TP_LOG_RECORD_HEAD;
    uint32_t       size = bytes_get_u32(head + 12);
    if (bytes_get_u32(head + 8) != TP_LOG_TICKS || available < TP_LOG_RECORD_HEAD + 2) {
        return 0;
    }
    if (available >= (uint64_t)size + LOG_FRAME_SIZE && bytes_get_u32(payload + size) != crc32c(0, payload, size)) {
        return 0;
    }
    uint16_t rows = bytes_get_u16(payload);
    return rows <= TP_LOG_ROWS_MAX ? rows : 0;
}

// A head inside what is cut, as far as it can be believed: its marker and its CRC hold.
static void count_lost(tp_repair *repair, const uint8_t *head, size_t available)
{
    if (bytes_get_u32(head + 24) != crc32c(0, head, 24) || log_format_type(bytes_get_u32(head + 8)) == NULL) {
        return;
    }
    uint64_t tick = bytes_get_u64(head + 16);
    uint64_t rows = rows_said(head, available);
    repair->lost_records++;
    if (tick <= UINT64_MAX - rows && tick + rows > repair->lost_next_tick) {
        repair->lost_next_tick = tick + rows;
    }
}

// Looks through what is cut by the marker, so that a person knows what is at stake. Nothing is done with it.
static tp_log_status scan_lost(const tp_source *source, tp_repair *repair, uint8_t *buffer, tp_error *error)
{
    const tp_recovery *recovery = &repair->recovery;
    uint64_t           end = recovery->good_size + recovery->cut_bytes;
    for (uint64_t at = recovery->good_size; at + TP_LOG_RECORD_HEAD <= end;) {
        size_t  wanted = end - at < SCAN_STEP ? (size_t)(end - at) : SCAN_STEP;
        int64_t got = source->read_at(source->self, at, buffer, wanted);
        if (got < 0) {
            tp_error_set(error, "offset %" PRIu64 ": it cannot be read", at);
            return TP_LOG_IO;
        }
        if (got < TP_LOG_RECORD_HEAD) {
            break;
        }
        // The last window ends with the file; others leave a head and a count of rows to the next one.
        bool   is_last = (size_t)got < wanted || at + (uint64_t)got == end;
        size_t stop = is_last ? (size_t)got - TP_LOG_RECORD_HEAD + 1 : (size_t)got - TP_LOG_RECORD_HEAD - 2;
        for (size_t i = 0; i < stop; i++) {
            if (buffer[i] == recovery->marker[0] && memcmp(buffer + i, recovery->marker, LOG_MARKER_SIZE) == 0) {
                count_lost(repair, buffer + i, (size_t)got - i);
            }
        }
        at += stop;
    }
    return TP_LOG_OK;
}

tp_log_status tp_log_repair_look(const tp_source *source, tp_repair *repair, tp_error *error)
{
    memset(repair, 0, sizeof(*repair));
    if (log_copy_is_sealed(source)) {
        tp_error_set(error, "it is sealed; only a raw log can be repaired, and only a whole one is ever sealed");
        return TP_LOG_UNSUPPORTED;
    }
    tp_log_status status = tp_log_recover_watched(source, watch, repair, &repair->recovery, error);
    if (status != TP_LOG_OK) {
        return status;
    }
    const tp_recovery *recovery = &repair->recovery;
    repair->is_whole = recovery->is_ended && recovery->status == TP_LOG_DONE;
    repair->is_damaged = recovery->status == TP_LOG_CORRUPT;
    repair->lost_next_tick = recovery->next_tick;
    uint8_t *buffer = malloc(SCAN_STEP);
    if (buffer == NULL) {
        tp_error_set(error, "out of memory");
        status = TP_LOG_NO_MEMORY;
    } else {
        status = scan_lost(source, repair, buffer, error);
        free(buffer);
    }
    if (status != TP_LOG_OK) {
        tp_repair_finish(repair);
    }
    return status;
}

void tp_repair_finish(tp_repair *repair)
{
    tp_recovery_finish(&repair->recovery);
}

// The back of a writer as it would stand behind what is kept. Borrows the lists of KEYs.
static LogBack back_of(const tp_repair *repair, const tp_ident *ident, const tp_repair_options *options)
{
    const tp_recovery *recovery = &repair->recovery;
    LogBack back = {
        .algorithm = ident->algorithm,
        .rules_id = recovery->rules_id,
        .file_offset = recovery->good_size,
        .records = recovery->records,
        .ticks = recovery->ticks,
        .counts = recovery->counts,
        .last_key_offset = recovery->last_key_offset,
        .key_ticks = recovery->key_ticks,
        .key_offsets = recovery->key_offsets,
        .key_count = recovery->key_count,
        .has_lost_index = recovery->key_count != recovery->counts.keys || recovery->key_count > LOG_INDEX_ENTRIES_MAX,
    };
    memcpy(back.marker, recovery->marker, sizeof(back.marker));
    memcpy(back.chain, recovery->chain, sizeof(back.chain));
    if (options->sign_key != NULL) {
        back.is_signed = true;
        memcpy(back.sign_key, options->sign_key, sizeof(back.sign_key));
    }
    return back;
}

// Completes the record whose payload stands in `bytes` behind a head that is still empty, and writes it.
static tp_log_status put_record(LogBack *back, const tp_sink *sink, uint32_t type, uint64_t tick, uint8_t *bytes, size_t size, tp_error *error)
{
    bytes_put_u32(bytes + 8, type);
    bytes_put_u32(bytes + 12, (uint32_t)size);
    bytes_put_u64(bytes + 16, tick);
    log_back_frame(back, bytes, back->file_offset);
    back->file_offset += size + LOG_FRAME_SIZE;
    return log_copy_put(sink, bytes, size + LOG_FRAME_SIZE, error);
}

static tp_log_status put_resume(LogBack *back, const tp_sink *sink, const tp_recovery *recovery, const tp_repair_options *options, tp_error *error)
{
    uint8_t *bytes = malloc(TP_LOG_RESUME_MAX + LOG_FRAME_SIZE);
    if (bytes == NULL) {
        tp_error_set(error, "out of memory");
        return TP_LOG_NO_MEMORY;
    }
    uint8_t      *payload = bytes + TP_LOG_RECORD_HEAD;
    tp_log_status status = TP_LOG_CORRUPT;
    size_t        size = log_ident_encode_provenance(options->provenance, options->provenance_count, payload + LOG_RESUME_FIXED,
                                                     TP_LOG_RESUME_MAX - LOG_RESUME_FIXED, error);
    if (size > 0) {
        bytes_put_u32(payload, recovery->epoch + 1);
        bytes_put_u32(payload + 4, (uint32_t)size);
        bytes_put_u64(payload + 8, recovery->next_tick);
        bytes_put_u64(payload + 16, recovery->cut_bytes);
        status = put_record(back, sink, TP_LOG_RESUME, recovery->next_tick, bytes, LOG_RESUME_FIXED + size, error);
    }
    free(bytes);
    return status;
}

static tp_log_status put_index(LogBack *back, const tp_sink *sink, uint64_t tick, tp_error *error)
{
    size_t        size = 0;
    uint8_t      *bytes = log_back_make_index(back, tick, &size);
    tp_log_status status = TP_LOG_OK;
    if (bytes != NULL) {
        status = log_copy_put(sink, bytes, size, error);
        back->file_offset += size;
        free(bytes);
    }
    return status;
}

static tp_log_status put_end(LogBack *back, const tp_sink *sink, const tp_repair *repair, tp_error *error)
{
    uint8_t  bytes[LOG_END_SIZE + LOG_FRAME_SIZE] = { 0 };
    uint8_t *payload = bytes + TP_LOG_RECORD_HEAD;
    bytes_put_u32(payload, repair->recovery.has_fault ? TP_END_FAULT : TP_END_STOPPED);
    bytes_put_u64(payload + 80, repair->recovery.counts.commands);
    if (repair->has_root) {
        bytes_put_u32(payload + 4, LOG_END_HAS_ROOT);
        tp_hash128_to_bytes(repair->root, payload + 88);
    }
    return put_record(back, sink, TP_LOG_END, repair->recovery.next_tick, bytes, LOG_END_SIZE, error);
}

static tp_log_status put_tail(LogBack *back, const tp_sink *sink, const tp_repair *repair, const tp_repair_options *options, tp_error *error)
{
    const tp_recovery *recovery = &repair->recovery;
    uint8_t            seal[LOG_SEAL_SIZE + LOG_FRAME_SIZE] = { 0 };
    tp_log_status      status = recovery->has_fault ? TP_LOG_OK : put_resume(back, sink, recovery, options, error);
    if (status == TP_LOG_OK) {
        status = put_record(back, sink, TP_LOG_SEAL, recovery->next_tick, seal, LOG_SEAL_SIZE, error);
    }
    if (status == TP_LOG_OK) {
        status = put_index(back, sink, recovery->next_tick, error);
    }
    return status == TP_LOG_OK ? put_end(back, sink, repair, error) : status;
}

tp_log_status tp_log_repair_write(const tp_source *source, const tp_repair *repair, const tp_repair_options *options, const tp_sink *sink,
                                  tp_error *error)
{
    tp_reader    *reader = NULL;
    tp_log_status status = tp_reader_open(source, NULL, &reader);
    if (status != TP_LOG_OK) {
        tp_error_set(error, "%s", reader == NULL ? "out of memory" : tp_reader_message(reader));
        tp_reader_close(reader);
        return status;
    }
    LogBack back = back_of(repair, tp_reader_ident(reader), options);
    tp_reader_close(reader);
    status = log_copy(source, repair->recovery.good_size, sink, error);
    if (status == TP_LOG_OK && !repair->recovery.is_ended) {
        status = put_tail(&back, sink, repair, options, error);
    }
    tp_keys_wipe(back.sign_key, sizeof(back.sign_key));
    return status;
}

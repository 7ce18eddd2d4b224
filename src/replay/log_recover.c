// log_recover.c: how much of a log that was never finished is good, and what a writer needs to go on with it.
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "log_reader.h"

// Two kinds of record cannot be the last of a resumed file: nothing but a KEY may follow a GAP, nothing but END an INDEX. Both
// are cut: the GAP is admitted anew, the INDEX made anew.
static bool is_resting_place(uint32_t type)
{
    return type != TP_LOG_GAP && type != TP_LOG_INDEX;
}

static void keep(tp_recovery *recovery, const tp_reader *reader)
{
    const LogCheck *check = log_reader_check(reader);
    recovery->good_size = tp_reader_offset(reader);
    recovery->next_tick = check->next_tick;
    recovery->records = check->records;
    recovery->epoch = check->epoch;
    recovery->counts = check->counts;
    recovery->ticks = check->ticks;
    recovery->last_key_offset = check->last_key_offset;
    recovery->last_key_tick = check->last_key_tick;
    recovery->key_count = check->key_count;
    recovery->has_fault = check->has_fault;
    recovery->is_ended = check->has_end;
    recovery->sequence = check->ident->sequence;
    recovery->first_tick = check->ident->first_tick;
    memcpy(recovery->predecessor, check->ident->predecessor, sizeof(recovery->predecessor));
    memcpy(recovery->chain, tp_reader_chain(reader), sizeof(recovery->chain));
}

static tp_log_status copy_keys(tp_recovery *recovery, const LogCheck *check)
{
    size_t bytes = recovery->key_count * sizeof(uint64_t);
    recovery->key_ticks = malloc(bytes);
    recovery->key_offsets = malloc(bytes);
    if (recovery->key_ticks == NULL || recovery->key_offsets == NULL) {
        return TP_LOG_NO_MEMORY;
    }
    memcpy(recovery->key_ticks, check->key_ticks, bytes);
    memcpy(recovery->key_offsets, check->key_offsets, bytes);
    return TP_LOG_OK;
}

static bool is_failure(tp_log_status status)
{
    return status == TP_LOG_IO || status == TP_LOG_NO_MEMORY || status == TP_LOG_UNSUPPORTED ||
           status == TP_LOG_UNAUTHENTIC;
}

static void keep_end(tp_recovery *recovery, const tp_log_record *record)
{
    if (record->type == TP_LOG_END) {
        tp_log_end end = tp_log_parse_end(record);
        recovery->end_reason = end.reason;
        memcpy(recovery->end_chain, end.chain, sizeof(recovery->end_chain));
    }
}

tp_log_status tp_log_recover(const tp_source *source, tp_recovery *recovery, tp_error *error)
{
    return tp_log_recover_watched(source, NULL, NULL, recovery, error);
}

tp_log_status tp_log_recover_watched(const tp_source *source, tp_recovery_watch *watch, void *to, tp_recovery *recovery,
                                     tp_error *error)
{
    tp_reader *reader = NULL;
    tp_log_record record;
    memset(recovery, 0, sizeof(*recovery));
    if (tp_log_container(source) > 0) {
        // Offsets would be those of the raw log, and nothing may be cut or added at them here.
        tp_error_set(error, "offset 12: a sealed log is whole, and nothing goes on in it");
        return TP_LOG_UNSUPPORTED;
    }
    tp_log_status status = tp_reader_open(source, NULL, &reader);
    while (status == TP_LOG_OK) {
        status = tp_reader_next(reader, &record);
        if (status == TP_LOG_OK && is_resting_place(record.type)) {
            keep(recovery, reader);
            keep_end(recovery, &record);
            if (watch != NULL) {
                watch(to, tp_reader_ident(reader), &record);
            }
        }
    }
    recovery->status = status;
    if (reader == NULL) {
        tp_error_set(error, "out of memory");
        return status;
    }
    if (is_failure(status) || recovery->counts.keys == 0) {
        tp_error_set(error, "offset %" PRIu64 ": %s", tp_reader_offset(reader), tp_reader_message(reader));
        goto fail;
    }
    recovery->stop_offset = tp_reader_offset(reader);
    snprintf(recovery->stop_text, sizeof(recovery->stop_text), "%s", status == TP_LOG_DONE ? "" : tp_reader_message(reader));
    recovery->rules_id = tp_reader_ident(reader)->rules.id;
    memcpy(recovery->marker, log_reader_marker(reader), sizeof(recovery->marker));
    int64_t size = source->size(source->self);
    if (size < 0) {
        tp_error_set(error, "the size of the file is not known");
        status = TP_LOG_IO;
        goto fail;
    }
    recovery->cut_bytes = (uint64_t)size > recovery->good_size ? (uint64_t)size - recovery->good_size : 0;
    status = copy_keys(recovery, log_reader_check(reader));
    if (status != TP_LOG_OK) {
        tp_error_set(error, "out of memory");
        goto fail;
    }
    tp_reader_close(reader);
    return TP_LOG_OK;

fail:
    tp_reader_close(reader);
    tp_recovery_finish(recovery);
    return status;
}

void tp_recovery_finish(tp_recovery *recovery)
{
    free(recovery->key_ticks);
    free(recovery->key_offsets);
    memset(recovery, 0, sizeof(*recovery));
}

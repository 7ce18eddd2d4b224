// log_writer_next.c: from one file of a series to the next. The front packs the old file's last records and the new file's first
// ones into one buffer; the back, which alone knows offsets and chain, makes the new file before it ends the old one. So at any
// moment one of the two can be gone on with: before the END the old one, after it the new one.
#include "log_writer.h"

#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bytes.h"
#include "log_chain.h"

size_t log_front_rotation_size(const tp_writer *writer)
{
    size_t seal = LOG_SEAL_SIZE + LOG_FRAME_SIZE;
    size_t end = LOG_FRAME_SIZE + LOG_END_SIZE + LOG_FRAME_SIZE;
    size_t ident = TP_LOG_HEADER_SIZE + writer->next_ident_size + LOG_FRAME_SIZE;
    size_t key = LOG_KEY_FIXED + writer->state_max + LOG_FRAME_SIZE;
    return seal + end + ident + key;
}

static bool append_start(tp_writer *writer, tp_sim *sim)
{
    LogFront  *front = &writer->front;
    LogBuffer *buffer = front->buffer;
    buffer->rotates_at = buffer->size;
    buffer->size += TP_LOG_HEADER_SIZE;
    uint8_t *ident = log_front_append(writer, TP_LOG_IDENT, front->next_tick, writer->next_ident_size);
    if (ident == NULL) {
        return false;
    }
    memcpy(ident, writer->next_ident, writer->next_ident_size);
    bytes_put_u64(ident + 16, front->next_tick);
    buffer->has_key_twice = front->last_key_tick == front->next_tick;
    return log_front_append_key(writer, sim, false) && buffer == front->buffer;
}

bool log_front_rotate(tp_writer *writer, tp_sim *sim)
{
    LogFront *front = &writer->front;
    assert(writer->next_ident != NULL && front->next_tick > 0);
    size_t size = log_front_rotation_size(writer);
    if (front->buffer != NULL && size > writer->ring.capacity - front->buffer->size && !log_front_hand_over(writer)) {
        return false;
    }
    // Before anything can go wrong with the END: a SEAL is good where it stands, whatever follows.
    if (!front->ends_in_seal && !log_front_append_seal(writer)) {
        return false;
    }
    size_t ends_at = front->buffer == NULL ? 0 : front->buffer->size;
    bool   is_good = log_front_append_end(writer, TP_END_ROTATED);
    if (is_good) {
        front->buffer->ends_at = ends_at;
        is_good = append_start(writer, sim);
    }
    if (!is_good) {
        // The world could not save its state: half an end must not reach the file, and no later tick may be added.
        front->has_failed = true;
        front->buffer->size = ends_at;
        front->buffer->rotates_at = 0;
        return false;
    }
    front->buffer->wants_sync = true;
    front->file_tick = front->next_tick;
    front->ends_in_seal = false;
    return log_front_hand_over(writer);
}

// What the next file starts with, completed in place. `end_chain` is what END of the one before it will hold.
static void begin_next(LogBack *next, LogBuffer *buffer, const uint8_t end_chain[TP_LOG_CHAIN_SIZE])
{
    uint8_t *start = buffer->bytes + buffer->rotates_at;
    uint8_t *ident = start + TP_LOG_HEADER_SIZE;
    size_t   ident_size = bytes_get_u32(ident + 12);
    next->sequence += 1;
    next->file_offset = TP_LOG_HEADER_SIZE;
    next->records = next->ticks = 0;
    next->counts = (tp_log_counts){ 0 };
    next->last_key_offset = next->index_offset = 0;
    next->key_ticks = next->key_offsets = NULL;
    next->key_count = next->key_capacity = 0;
    next->has_lost_index = next->no_index;
    bytes_put_u32(ident + TP_LOG_RECORD_HEAD + 8, next->sequence);
    memcpy(ident + TP_LOG_RECORD_HEAD + 24, end_chain, TP_LOG_CHAIN_SIZE);
    log_chain_init(next->chain);
    log_chain_marker(next->marker, ident + TP_LOG_RECORD_HEAD, ident_size);
    log_format_put_header(start, next->marker);
    for (size_t at = TP_LOG_HEADER_SIZE; at < buffer->size - buffer->rotates_at;) {
        size_t size = (size_t)bytes_get_u32(start + at + 12) + LOG_FRAME_SIZE;
        log_back_frame(next, start + at, at);
        at += size;
    }
    next->file_offset = next->durable_offset = buffer->size - buffer->rotates_at;

}

// The next file could not be made: the old one goes on, with the KEY that the other one would have begun with.
static bool stay(tp_writer *writer, LogBuffer *buffer, int reason)
{
    LogBack *back = &writer->back;
    uint8_t *ident = buffer->bytes + buffer->rotates_at + TP_LOG_HEADER_SIZE;
    uint8_t *key = ident + bytes_get_u32(ident + 12) + LOG_FRAME_SIZE;
    log_ring_lock(&writer->ring);
    snprintf(writer->published.rotation_failure, sizeof(writer->published.rotation_failure), "making file %" PRIu32 " of the series: %s",
             back->sequence + 1, reason == 0 ? "no reason was given" : strerror(reason));
    log_ring_unlock(&writer->ring);
    if (buffer->has_key_twice) {
        return true;
    }
    log_back_frame(back, key, back->file_offset);
    return log_back_write(writer, key, (size_t)bytes_get_u32(key + 12) + LOG_FRAME_SIZE);
}

bool log_back_rotate(tp_writer *writer, LogBuffer *buffer, bool *has_end, uint8_t end_chain[TP_LOG_CHAIN_SIZE])
{
    LogBack *back = &writer->back;
    LogBack  closed = *back; // the file with its END; what it shares with `back` is only read
    uint8_t *end = buffer->bytes + buffer->ends_at;
    size_t   index_size = 0;
    uint8_t *index = NULL;
    if (bytes_get_u32(end + 8) == TP_LOG_INDEX) {
        index = log_back_make_index(&closed, bytes_get_u64(end + 16), &index_size);
        end += LOG_FRAME_SIZE;
    }
    uint8_t chain[TP_LOG_CHAIN_SIZE];
    memcpy(chain, closed.chain, sizeof(chain));
    uint64_t commands = bytes_get_u64(end + TP_LOG_RECORD_HEAD + 80);
    log_back_frame(&closed, end, back->file_offset + index_size);
    LogBack next = closed;
    begin_next(&next, buffer, chain);
    next.commands_before = commands;
    errno = 0;
    bool is_made = back->sink.next(back->sink.self, next.sequence, buffer->bytes + buffer->rotates_at, buffer->size - buffer->rotates_at,
                                   back->syncs);
    int  reason = is_made ? 0 : errno;
    bool is_good;
    if (is_made) {
        is_good = log_back_write(writer, index, index_size) && log_back_write(writer, end, LOG_END_SIZE + LOG_FRAME_SIZE) &&
                  (!back->syncs || log_back_sync(writer));
    } else {
        is_good = stay(writer, buffer, reason);
    }
    free(index);
    if (!is_made || !is_good) {
        free(next.key_ticks);
        free(next.key_offsets);
        return is_good;
    }
    next.bytes_before = back->bytes_before + back->file_offset;
    free(back->key_ticks);
    free(back->key_offsets);
    *back = next;
    back->sink.turn(back->sink.self);
    *has_end = true;
    memcpy(end_chain, chain, sizeof(chain));
    log_ring_lock(&writer->ring);
    writer->published.rotation_failure[0] = '\0';
    log_ring_unlock(&writer->ring);
    return true;
}

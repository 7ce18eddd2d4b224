// unbound.c: walks a log and lists its bytes of provenance, notes and origins.
#include "unbound.h"

#include <stdlib.h>
#include <string.h>

#include "bytes.h"
#include "tickproof/replay.h"

static bool add(UnboundList *list, size_t first, size_t size, uint8_t mask, const char *what)
{
    if (size == 0 || mask == 0) {
        return true;
    }
    if (list->count == list->capacity) {
        size_t        capacity = list->capacity == 0 ? 64 : list->capacity * 2;
        UnboundRange *ranges = realloc(list->ranges, capacity * sizeof(*ranges));
        if (ranges == NULL) {
            return false;
        }
        list->ranges = ranges;
        list->capacity = capacity;
    }
    list->ranges[list->count++] = (UnboundRange){ first, size, mask, what };
    return true;
}

// Origin bits of present slots; the others must be zero.
static bool add_origins(UnboundList *list, const tp_ident *ident, const tp_log_record *record)
{
    size_t      payload = (size_t)record->offset + TP_LOG_RECORD_HEAD;
    tp_log_rows rows = tp_log_rows_of(ident, record);
    tp_log_row  row;
    bool        is_good = true;
    while (is_good && tp_log_rows_next(&rows, &row)) {
        size_t place = payload + (size_t)(row.origins - record->payload);
        for (uint32_t byte = 0; is_good && byte < (ident->players + 3) / 4; byte++) {
            uint8_t mask = 0;
            for (uint32_t i = 0; i < 4; i++) {
                uint32_t slot = byte * 4 + i;
                if (slot < ident->players && ((row.presence[slot / 8] >> (slot % 8)) & 1) != 0) {
                    mask |= (uint8_t)(3u << (2 * i));
                }
            }
            is_good = add(list, place + byte, 1, mask, "origin");
        }
    }
    return is_good;
}

static bool add_record(UnboundList *list, const tp_ident *ident, const tp_log_record *record)
{
    size_t payload = (size_t)record->offset + TP_LOG_RECORD_HEAD;
    switch (record->type) {
    case TP_LOG_IDENT:
        return add(list, payload + 56 + ident->rules.size, ident->provenance_size, 0xFF, "provenance");
    case TP_LOG_NOTE:
        return add(list, payload, record->size, 0xFF, "note");
    case TP_LOG_RESUME: {
        tp_log_resume resume = tp_log_parse_resume(record);
        return add(list, payload + 16, 8 + resume.provenance_size, 0xFF, "resume");
    }
    case TP_LOG_TICKS:
    case TP_LOG_FAULT:
        return add_origins(list, ident, record);
    default:
        return true;
    }
}

bool unbound_list(const uint8_t *bytes, size_t size, UnboundList *list)
{
    tp_memory_source  memory = { bytes, size };
    tp_source         source = tp_source_of_memory(&memory);
    tp_reader_options options = { .skip_chain = true };
    tp_reader        *reader = NULL;
    tp_log_record     record;
    *list = (UnboundList){ .count = 0 };
    tp_log_status status = tp_reader_open(&source, &options, &reader);
    bool          has_memory = true;
    while (has_memory && status == TP_LOG_OK) {
        status = tp_reader_next(reader, &record);
        if (status == TP_LOG_OK) {
            has_memory = add_record(list, tp_reader_ident(reader), &record);
        }
    }
    tp_reader_close(reader);
    if (!has_memory || status != TP_LOG_DONE) {
        unbound_finish(list);
        return false;
    }
    return true;
}

void unbound_finish(UnboundList *list)
{
    free(list->ranges);
    *list = (UnboundList){ .count = 0 };
}

const char *unbound_find(const UnboundList *list, size_t byte, uint8_t bit_mask)
{
    size_t low = 0;
    size_t high = list->count;
    while (low < high) {
        size_t              middle = low + (high - low) / 2;
        const UnboundRange *range = &list->ranges[middle];
        if (byte < range->first) {
            high = middle;
        } else if (byte >= range->first + range->size) {
            low = middle + 1;
        } else {
            return (range->mask & bit_mask) != 0 ? range->what : NULL;
        }
    }
    return NULL;
}

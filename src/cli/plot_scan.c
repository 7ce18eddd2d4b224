// plot_scan.c: one pass over a log's records.
#include "plot_scan.h"

#include <stdio.h>
#include <string.h>

// Whatever is no text in it is replaced where it is written.
static void keep_text(char *out, const char *text, size_t size)
{
    size_t kept = size < PLOT_SLOT_NAME_SIZE - 1 ? size : PLOT_SLOT_NAME_SIZE - 1;
    // Not in the middle of a letter.
    while (kept < size && kept > 0 && ((unsigned char)text[kept] & 0xC0) == 0x80) {
        kept--;
    }
    for (size_t i = 0; i < kept; i++) {
        out[i] = text[i] == '\0' ? '?' : text[i];
    }
    out[kept] = '\0';
}

static bool is_key(const tp_provenance *item, const char *key)
{
    return item->key_size == strlen(key) && memcmp(item->key, key, item->key_size) == 0;
}

static void take_ident(PlotScan *scan, const tp_ident *ident)
{
    size_t        offset = 0;
    tp_provenance item;
    scan->has_ident = true;
    scan->rate = ident->tick_rate_hz;
    scan->players = ident->players;
    scan->first_tick = ident->first_tick;
    while (tp_provenance_next(ident->provenance, ident->provenance_size, &offset, &item)) {
        if (is_key(&item, "match")) {
            keep_text(scan->match, item.value, item.value_size);
        }
        for (uint32_t slot = 0; slot < ident->players && slot < TP_PLAYERS_MAX; slot++) {
            char key[32];
            snprintf(key, sizeof(key), "slot.%u.name", slot);
            if (is_key(&item, key)) {
                keep_text(scan->slot_names[slot], item.value, item.value_size);
            }
        }
    }
}

// When there is no more room, every second one goes.
static void take_key(PlotScan *scan, uint64_t tick)
{
    if (scan->key_count++ % scan->key_stride != 0) {
        return;
    }
    if (scan->kept_keys == PLOT_KEYS_MAX) {
        for (uint32_t i = 0; i < PLOT_KEYS_MAX / 2; i++) {
            scan->keys[i] = scan->keys[2 * (size_t)i];
        }
        scan->kept_keys = PLOT_KEYS_MAX / 2;
        scan->key_stride *= 2;
    }
    scan->keys[scan->kept_keys++] = tick;
}

static void take_gap(PlotScan *scan, const tp_log_gap *gap, uint64_t from, uint64_t to)
{
    if (gap->last < from || gap->first > to) {
        return;
    }
    if (scan->gap_count < PLOT_GAPS_MAX) {
        scan->gaps[scan->gap_count] = *gap;
    }
    scan->gap_count++;
}

static void take_record(PlotScan *scan, const tp_log_record *record, uint64_t from, uint64_t to)
{
    if (record->type == TP_LOG_KEY) {
        take_key(scan, record->tick);
    } else if (record->type == TP_LOG_GAP) {
        tp_log_gap gap = tp_log_parse_gap(record);
        take_gap(scan, &gap, from, to);
    } else if (record->type == TP_LOG_END) {
        scan->has_end = true;
        scan->end_reason = tp_log_parse_end(record).reason;
    }
}

bool plot_scan_log(const tp_source *source, uint64_t from, uint64_t to, PlotScan *scan)
{
    tp_reader_options options = { .skip_chain = true };
    tp_reader        *reader = NULL;
    tp_log_record     record;
    *scan = (PlotScan){ .key_stride = 1 };
    scan->status = tp_reader_open(source, &options, &reader);
    if (reader == NULL) {
        return false;
    }
    while (scan->status == TP_LOG_OK && (scan->status = tp_reader_next(reader, &record)) == TP_LOG_OK) {
        if (record.type == TP_LOG_IDENT) {
            take_ident(scan, tp_reader_ident(reader));
        }
        take_record(scan, &record, from, to);
    }
    scan->next_tick = tp_reader_next_tick(reader);
    tp_reader_close(reader);
    return true;
}

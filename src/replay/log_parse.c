// log_parse.c: what records mean, for callers. Every function here works on a record that the reader has already checked.
#include <string.h>

#include "bytes.h"
#include "log_format.h"

const char *tp_log_status_name(tp_log_status status)
{
    switch (status) {
    case TP_LOG_OK: return "ok";
    case TP_LOG_DONE: return "done";
    case TP_LOG_WAIT: return "wait";
    case TP_LOG_TRUNCATED: return "truncated";
    case TP_LOG_CORRUPT: return "corrupt";
    case TP_LOG_UNSUPPORTED: return "unsupported";
    case TP_LOG_UNAUTHENTIC: return "unauthentic";
    case TP_LOG_IO: return "input or output error";
    case TP_LOG_NO_MEMORY: return "out of memory";
    }
    return "unknown status";
}

const char *tp_end_reason_name(uint32_t reason)
{
    switch (reason) {
    case TP_END_COMPLETED: return "completed";
    case TP_END_STOPPED: return "stopped";
    case TP_END_FAULT: return "fault";
    case TP_END_ROTATED: return "rotated";
    default: return NULL;
    }
}

const char *tp_gap_cause_name(uint32_t cause)
{
    switch (cause) {
    case TP_GAP_STORAGE_FULL: return "storage full";
    case TP_GAP_STORAGE_ERROR: return "storage error";
    case TP_GAP_OVERLOAD: return "overload";
    case TP_GAP_OTHER: return "other";
    default: return NULL;
    }
}

tp_log_key tp_log_parse_key(const tp_log_record *record)
{
    const uint8_t *p = record->payload;
    uint32_t flags = bytes_get_u32(p + 40);
    return (tp_log_key){
        .previous_offset = bytes_get_u64(p),
        .has_root = (flags & LOG_KEY_HAS_ROOT) != 0,
        .is_unproven = (flags & LOG_KEY_IS_UNPROVEN) != 0,
        .root = tp_hash128_from_bytes(p + 8),
        .input_leaf = bytes_get_u64(p + 24),
        .event_leaf = bytes_get_u64(p + 32),
        .state = p + LOG_KEY_FIXED,
        .state_size = bytes_get_u32(p + 44),
    };
}

tp_log_leaves tp_log_parse_leaves(const tp_log_record *record)
{
    return (tp_log_leaves){
        .root = tp_hash128_from_bytes(record->payload),
        .count = bytes_get_u32(record->payload + 16),
        .leaves = record->payload + LOG_LEAVES_FIXED,
    };
}

tp_log_seal tp_log_parse_seal(const tp_log_record *record)
{
    const uint8_t *p = record->payload;
    tp_log_seal seal = { .ticks = bytes_get_u64(p + 32), .records = bytes_get_u64(p + 40), .is_signed = p[48] == 1 };
    memcpy(seal.chain, p, sizeof(seal.chain));
    memcpy(seal.public_key, p + 56, sizeof(seal.public_key));
    memcpy(seal.signature, p + 88, sizeof(seal.signature));
    return seal;
}

tp_log_gap tp_log_parse_gap(const tp_log_record *record)
{
    const uint8_t *p = record->payload;
    return (tp_log_gap){ .first = bytes_get_u64(p),
                         .last = bytes_get_u64(p + 8),
                         .cause = (tp_gap_cause)bytes_get_u32(p + 16) };
}

tp_log_resume tp_log_parse_resume(const tp_log_record *record)
{
    const uint8_t *p = record->payload;
    return (tp_log_resume){
        .epoch = bytes_get_u32(p),
        .next = bytes_get_u64(p + 8),
        .cut_bytes = bytes_get_u64(p + 16),
        .provenance = p + LOG_RESUME_FIXED,
        .provenance_size = bytes_get_u32(p + 4),
    };
}

tp_log_end tp_log_parse_end(const tp_log_record *record)
{
    const uint8_t *p = record->payload;
    tp_log_end end = {
        .reason = (tp_end_reason)bytes_get_u32(p),
        .has_root = (bytes_get_u32(p + 4) & LOG_END_HAS_ROOT) != 0,
        .ticks = bytes_get_u64(p + 8),
        .records = bytes_get_u64(p + 16),
        .counts = { .keys = bytes_get_u64(p + 24),
                    .ticks_records = bytes_get_u64(p + 32),
                    .leaves = bytes_get_u64(p + 40),
                    .notes = bytes_get_u64(p + 48),
                    .seals = bytes_get_u64(p + 56),
                    .gaps = bytes_get_u64(p + 64),
                    .resumes = bytes_get_u64(p + 72),
                    .commands = bytes_get_u64(p + 80) },
        .root = tp_hash128_from_bytes(p + 88),
        .binding = tp_hash128_from_bytes(p + 104),
        .index_offset = bytes_get_u64(p + 120),
        .is_signed = p[160] == 1,
    };
    memcpy(end.chain, p + 128, sizeof(end.chain));
    memcpy(end.public_key, p + 168, sizeof(end.public_key));
    memcpy(end.signature, p + 200, sizeof(end.signature));
    return end;
}

tp_log_note tp_log_parse_note(const tp_log_record *record)
{
    return (tp_log_note){ .kind = bytes_get_u16(record->payload),
                          .text = (const char *)record->payload + LOG_NOTE_FIXED,
                          .size = record->size - LOG_NOTE_FIXED };
}

tp_log_rows tp_log_rows_of(const tp_ident *ident, const tp_log_record *record)
{
    tp_log_rows rows = { .ident = ident, .payload = record->payload, .size = record->size, .tick = record->tick };
    if (record->type == TP_LOG_TICKS && record->size >= LOG_TICKS_FIXED) {
        rows.offset = LOG_TICKS_FIXED;
        rows.count = bytes_get_u16(record->payload);
        rows.root_size = record->payload[2];
    } else if (record->type == TP_LOG_FAULT && record->size >= LOG_FAULT_FIXED) {
        rows.offset = LOG_FAULT_FIXED;
        rows.count = 1;
    }
    return rows;
}

bool tp_log_rows_next(tp_log_rows *rows, tp_log_row *row)
{
    if (rows->row >= rows->count) {
        return false;
    }
    LogRowShape shape = log_row_shape(rows->ident->players, rows->ident->input_size);
    const char *wrong = log_row_split(&shape, rows->payload + rows->offset, rows->size - rows->offset, rows->root_size,
                                      row);
    if (wrong != NULL) {
        return false;
    }
    row->tick = rows->tick;
    rows->offset += row->size + row->root_size;
    rows->row++;
    rows->tick++;
    return true;
}

bool tp_log_command_next(const tp_log_row *row, uint32_t *offset, tp_command *command)
{
    if (*offset >= row->commands_size) {
        return false;
    }
    BytesReader reader = bytes_reader(row->commands + *offset, row->commands_size - *offset);
    command->source = bytes_read_u32(&reader);
    command->type = bytes_read_u16(&reader);
    command->size = bytes_read_u16(&reader);
    command->data = bytes_read_span(&reader, command->size);
    *offset += (uint32_t)reader.offset;
    return !reader.failed;
}

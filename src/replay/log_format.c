// log_format.c: the table of record types, heads and rows.
#include "log_format.h"

#include <string.h>

#include "bytes.h"
#include "crc32c.h"

// A byte above 127 catches seven-bit transfers; the two line ends and the control-Z catch text ones.
const uint8_t log_format_magic[8] = { 0x89, 'T', 'P', 'R', '\r', '\n', 0x1A, '\n' };

static const LogType types[] = {
    { TP_LOG_TICKS, "TICKS", LOG_TICKS_FIXED, TP_LOG_TICKS_MAX },
    { TP_LOG_LEAVES, "LEAVES", LOG_LEAVES_FIXED, TP_LOG_LEAVES_MAX },
    { TP_LOG_SEAL, "SEAL", LOG_SEAL_SIZE, LOG_SEAL_SIZE },
    { TP_LOG_KEY, "KEY", LOG_KEY_FIXED, TP_LOG_KEY_MAX },
    { TP_LOG_NOTE, "NOTE", LOG_NOTE_FIXED, TP_LOG_NOTE_MAX },
    { TP_LOG_IDENT, "IDENT", LOG_IDENT_FIXED, TP_LOG_IDENT_MAX },
    { TP_LOG_FAULT, "FAULT", LOG_FAULT_FIXED, TP_LOG_FAULT_MAX },
    { TP_LOG_GAP, "GAP", LOG_GAP_SIZE, LOG_GAP_SIZE },
    { TP_LOG_RESUME, "RESUME", LOG_RESUME_FIXED, TP_LOG_RESUME_MAX },
    { TP_LOG_INDEX, "INDEX", LOG_INDEX_FIXED, TP_LOG_INDEX_MAX },
    { TP_LOG_END, "END", LOG_END_SIZE, LOG_END_SIZE },
};

const LogType *log_format_type(uint32_t type)
{
    for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
        if (types[i].type == type) {
            return &types[i];
        }
    }
    return NULL;
}

void log_format_put_header(uint8_t bytes[TP_LOG_HEADER_SIZE], const uint8_t marker[LOG_MARKER_SIZE])
{
    memcpy(bytes, log_format_magic, sizeof(log_format_magic));
    bytes_put_u16(bytes + 8, TP_LOG_VERSION);
    bytes_put_u16(bytes + 10, 0);
    bytes_put_u32(bytes + 12, 0);
    memcpy(bytes + 16, marker, LOG_MARKER_SIZE);
    bytes_put_u32(bytes + 24, crc32c(0, bytes, 24));
}

void log_format_put_head(uint8_t bytes[TP_LOG_RECORD_HEAD], const uint8_t marker[LOG_MARKER_SIZE], uint32_t type,
                         uint32_t size, uint64_t tick)
{
    memcpy(bytes, marker, LOG_MARKER_SIZE);
    bytes_put_u32(bytes + 8, type);
    bytes_put_u32(bytes + 12, size);
    bytes_put_u64(bytes + 16, tick);
    bytes_put_u32(bytes + 24, crc32c(0, bytes, 24));
}

bool log_format_is_zero(const uint8_t *bytes, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        if (bytes[i] != 0) {
            return false;
        }
    }
    return true;
}

bool log_format_is_utf8(const uint8_t *bytes, size_t size)
{
    size_t at = 0;
    while (at < size) {
        uint8_t lead = bytes[at++];
        if (lead < 0x80) {
            continue;
        }
        // What the byte after the lead may be is narrower where an encoding would be too long, a surrogate or too high.
        uint8_t low = lead == 0xE0 ? 0xA0 : lead == 0xF0 ? 0x90 : 0x80;
        uint8_t high = lead == 0xED ? 0x9F : lead == 0xF4 ? 0x8F : 0xBF;
        size_t more = lead >= 0xC2 && lead <= 0xDF ? 1 : lead >= 0xE0 && lead <= 0xEF ? 2 : lead >= 0xF0 && lead <= 0xF4 ? 3 : 0;
        if (more == 0 || size - at < more || bytes[at] < low || bytes[at] > high) {
            return false;
        }
        for (size_t i = 1; i < more; i++) {
            if ((bytes[at + i] & 0xC0) != 0x80) {
                return false;
            }
        }
        at += more;
    }
    return true;
}

bool log_format_is_member(const uint8_t *text, size_t size, uint32_t players)
{
    enum { LEAD = 5, DIGITS_MAX = 3, TOKEN = 7, HEX = 32 };
    size_t at = LEAD;
    uint32_t slot = 0;
    if (size < LEAD || memcmp(text, "slot ", LEAD) != 0) {
        return false;
    }
    while (at < size && at < LEAD + DIGITS_MAX && text[at] >= '0' && text[at] <= '9') {
        slot = slot * 10 + (uint32_t)(text[at++] - '0');
    }
    if (at == LEAD || slot >= players || (text[LEAD] == '0' && at > LEAD + 1)) {
        return false;
    }
    if (size - at == 5) {
        return memcmp(text + at, " free", 5) == 0;
    }
    if (size - at != TOKEN + HEX || memcmp(text + at, " token ", TOKEN) != 0) {
        return false;
    }
    for (at += TOKEN; at < size; at++) {
        if (!(text[at] >= '0' && text[at] <= '9') && !(text[at] >= 'a' && text[at] <= 'f')) {
            return false;
        }
    }
    return true;
}

LogRowShape log_row_shape(uint32_t players, uint32_t input_size)
{
    LogRowShape shape = {
        .players = players,
        .input_size = input_size,
        .presence_size = (players + 7) / 8,
        .origins_size = (players + 3) / 4,
        .inputs_size = players * input_size,
    };
    shape.fixed_size = shape.presence_size + shape.origins_size + shape.inputs_size + 2;
    return shape;
}

const char *log_row_split(const LogRowShape *shape, const uint8_t *bytes, size_t available, uint32_t root_size,
                          tp_log_row *row)
{
    if (available < shape->fixed_size) {
        return "a row is longer than what is left of the record";
    }
    uint32_t count = bytes_get_u16(bytes + shape->fixed_size - 2);
    if (count > TP_COMMANDS_MAX) {
        return "a row has more than 256 commands";
    }
    BytesReader reader = bytes_reader(bytes + shape->fixed_size, available - shape->fixed_size);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t source = bytes_read_u32(&reader);
        bytes_read_u16(&reader);
        uint32_t size = bytes_read_u16(&reader);
        bytes_read_span(&reader, size);
        if (reader.failed) {
            return "a command is longer than what is left of the record";
        }
        if (source >= shape->players && source != TP_SOURCE_HOST) {
            return "a command's source is neither a slot nor the host";
        }
        if (size > TP_COMMAND_SIZE_MAX) {
            return "a command is longer than 4,096 bytes";
        }
        if (reader.offset > TP_COMMAND_BYTES_MAX) {
            return "a row has more than 65,536 bytes of commands";
        }
    }
    uint32_t commands_size = (uint32_t)reader.offset;
    const uint8_t *root = bytes_read_span(&reader, root_size);
    if (root == NULL) {
        return "a root is longer than what is left of the record";
    }
    row->bytes = bytes;
    row->size = shape->fixed_size + commands_size;
    row->presence = bytes;
    row->origins = row->presence + shape->presence_size;
    row->inputs = row->origins + shape->origins_size;
    row->command_count = count;
    row->commands = bytes + shape->fixed_size;
    row->commands_size = commands_size;
    row->root = root;
    row->root_size = root_size;
    return NULL;
}

const char *log_row_check(const LogRowShape *shape, const tp_log_row *row)
{
    for (uint32_t slot = 0; slot < shape->players; slot++) {
        if ((row->presence[slot / 8] >> (slot % 8) & 1) != 0) {
            continue;
        }
        if ((row->origins[slot / 4] >> (slot % 4 * 2) & 3) != 0) {
            return "an absent slot has an origin";
        }
        if (!log_format_is_zero(row->inputs + (size_t)slot * shape->input_size, shape->input_size)) {
            return "an absent slot has an input";
        }
    }
    if (shape->players % 8 != 0 && row->presence[shape->presence_size - 1] >> (shape->players % 8) != 0) {
        return "an unused bit of the presence is set";
    }
    if (shape->players % 4 != 0 && row->origins[shape->origins_size - 1] >> (shape->players % 4 * 2) != 0) {
        return "an unused bit of the origins is set";
    }
    return NULL;
}

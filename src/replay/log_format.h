// log_format.h: the shape of a log's bytes that writer, reader and checker share: header, record heads, the table
// of record types, and how a row is cut into its parts. It judges one record's bytes; order and totals are log_check.h.
#pragma once

#include "tickproof/replay.h"

enum {
    LOG_MARKER_SIZE    = 8,
    LOG_CRC_SIZE       = 4,
    LOG_FRAME_SIZE     = TP_LOG_RECORD_HEAD + LOG_CRC_SIZE, ///< what a record adds to its payload
    LOG_IDENT_FIXED    = 56,
    LOG_KEY_FIXED      = 48,
    LOG_TICKS_FIXED    = 4,
    LOG_LEAVES_FIXED   = 20,
    LOG_FAULT_FIXED    = 16,
    LOG_NOTE_FIXED     = 4,
    LOG_SEAL_SIZE      = 152,
    LOG_GAP_SIZE       = 24,
    LOG_RESUME_FIXED   = 24,
    LOG_INDEX_FIXED    = 4,
    LOG_INDEX_ENTRY    = 16,
    LOG_END_SIZE       = 272,
    LOG_ROOT_SIZE      = 16,
    LOG_COMMAND_HEAD   = 8,
    LOG_KEY_HAS_ROOT   = 1,
    LOG_KEY_IS_UNPROVEN = 2,
    LOG_END_HAS_ROOT   = 1,
    LOG_INDEX_ENTRIES_MAX = (TP_LOG_INDEX_MAX - LOG_INDEX_FIXED) / LOG_INDEX_ENTRY,
};

/// The first eight bytes of every log.
extern const uint8_t log_format_magic[8];

typedef struct LogType {
    uint32_t    type;
    const char *name;
    uint32_t    size_min; ///< payload bytes; a fixed size has both equal
    uint32_t    size_max;
} LogType;

/// NULL for a type that the page does not know.
const LogType *log_format_type(uint32_t type);

/// Writes the file header with its CRC.
void log_format_put_header(uint8_t bytes[TP_LOG_HEADER_SIZE], const uint8_t marker[LOG_MARKER_SIZE]);
/// Writes a record head with its CRC.
void log_format_put_head(uint8_t bytes[TP_LOG_RECORD_HEAD], const uint8_t marker[LOG_MARKER_SIZE], uint32_t type,
                         uint32_t size, uint64_t tick);

bool log_format_is_zero(const uint8_t *bytes, size_t size);
/// Well-formed UTF-8: shortest forms only, no surrogates, at most U+10FFFF. Control characters are left to whoever prints.
bool log_format_is_utf8(const uint8_t *bytes, size_t size);

/// Whether a text is that of a NOTE of kind MEMBER: "slot N free", or "slot N token " and 32 hexadecimal digits.
bool log_format_is_member(const uint8_t *text, size_t size, uint32_t players);

/// Sizes of a row's parts in bytes; they follow from slots and input size.
typedef struct LogRowShape {
    uint32_t players, input_size;
    uint32_t presence_size, origins_size, inputs_size;
    uint32_t fixed_size; ///< the three and the command count
} LogRowShape;

LogRowShape log_row_shape(uint32_t players, uint32_t input_size);

/// Cuts the row at `bytes` into its parts, holding command count, sizes and sources against their bounds; `row->tick`
/// is left alone. NULL, or a static text of what is wrong.
const char *log_row_split(const LogRowShape *shape, const uint8_t *bytes, size_t available, uint32_t root_size,
                          tp_log_row *row);
/// Unused bits, and everything of an absent slot, must be zero. NULL, or a static text of what is wrong.
const char *log_row_check(const LogRowShape *shape, const tp_log_row *row);

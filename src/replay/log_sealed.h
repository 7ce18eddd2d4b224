// log_sealed.h: the sealed form of a log (container 1, replays/README.md "Sealed files"): packed frames, their table and a footer. Frames are
// taken apart into columns of like bytes, and each column is packed alone; what a reader sees is the raw log again, byte for byte.
#pragma once

#include "log_check.h"

enum {
    SEALED_FRAME_FIXED  = 8,
    SEALED_COLUMN_HEAD  = 12,
    SEALED_ENTRY_SIZE   = 28,
    SEALED_FOOTER_FIXED = 40,
    SEALED_HASH_SIZE    = 32,
    SEALED_ENTRY_HASH   = 16,
    SEALED_FOOTER_SIZE  = SEALED_FOOTER_FIXED + SEALED_HASH_SIZE,
    SEALED_FRAME_HEAD   = SEALED_FRAME_FIXED + TP_SEAL_COLUMNS * SEALED_COLUMN_HEAD,
    SEALED_SPLIT_SIZE   = 4 * 1024 * 1024,  ///< raw bytes from which on a frame takes no more records but LEAVES
    SEALED_FRAME_MAX    = 72 * 1024 * 1024, ///< raw bytes of a frame: one with the largest KEY has room in it
    SEALED_DEPTH_MAX    = 7,                ///< frames before one that its state may need
    SEALED_WIDTH_MAX    = 65535,
};

/// How a column is packed.
typedef enum { SEALED_STORED = 0, SEALED_ZSTD = 1, SEALED_ZSTD_AFTER = 2 } SealedMode;
/// What was done to a column before it was packed, in this order. XOR and SUBTRACT exclude each other.
enum { SEALED_XOR_STATE = 8, SEALED_XOR_ROWS = 2, SEALED_SUBTRACT_ROWS = 4, SEALED_TRANSPOSED = 1 };

extern const uint8_t log_sealed_footer_magic[8];

/// What frames are taken apart by: it stands in the footer, so that any frame can be put together alone.
typedef struct SealedShape {
    LogRowShape       row;
    tp_hash_algorithm algorithm;
    tp_hash128        rules_id;
} SealedShape;

/// Grows with use; all-zero is empty.
typedef struct SealedBytes {
    uint8_t *bytes;
    size_t   size, capacity;
    size_t   at; ///< read so far, when records are put together
} SealedBytes;

bool sealed_bytes_reserve(SealedBytes *to, size_t capacity);
bool sealed_bytes_add(SealedBytes *to, const void *bytes, size_t size);

/// A frame as columns. `width`: bytes of a row of a column whose rows are alike in size, else 0.
typedef struct SealedFrame {
    uint32_t    records;
    uint64_t    expected_tick;
    size_t      raw_size;
    bool        has_key;
    uint32_t    leaves_width; ///< of all LEAVES so far; SEALED_WIDTH_MAX + 1: they differ
    SealedBytes columns[TP_SEAL_COLUMNS];
    SealedBytes row; ///< the last row as its input leaf hashes it, when there is one
    SealedBytes leaves;
} SealedFrame;

void sealed_frame_clear(SealedFrame *frame);
void sealed_frame_free(SealedFrame *frame);
/// Adds a record that a reader has checked. False: no memory.
bool sealed_frame_add(SealedFrame *frame, const SealedShape *shape, const tp_log_record *record);
/// Makes the raw bytes of the columns' records, with markers and CRCs. The columns are foreign. NULL, or a static text of what is wrong.
const char *sealed_frame_join(SealedFrame *frame, const SealedShape *shape, const uint8_t marker[LOG_MARKER_SIZE], uint8_t *raw, size_t raw_size);

/// Does and undoes what SEALED_* say to `size` bytes; rows are `width` bytes, and what is left behind the last whole row stays. `from`
/// and `to` do not overlap.
void sealed_filter(uint32_t filter, size_t width, const uint8_t *from, uint8_t *to, size_t size);
void sealed_unfilter(uint32_t filter, size_t width, const uint8_t *from, uint8_t *to, size_t size);

/// Packs columns; all-zero but for the level.
typedef struct SealedPacker {
    int         level;
    void       *context; ///< ZSTD_CCtx
    SealedBytes filtered, trial, best, out;
    SealedBytes state;   ///< of the frame before, when that had a KEY
    uint32_t    depth;   ///< of the frame just packed
    bool        has_state;
} SealedPacker;

void sealed_packer_free(SealedPacker *packer);
/// The frame's packed bytes are in `packer->out`; its state is remembered for the next one. False: no memory.
bool sealed_pack(SealedPacker *packer, const SealedShape *shape, const SealedFrame *frame, tp_seal_counts *counts);

/// Takes a frame's packed bytes apart. `state`: of the frame before, or NULL for none. `only_state`: the other columns stay empty.
/// `raw_size` is what the table says. NULL, or a static text of what is wrong; *no_memory tells that apart.
const char *sealed_unpack(void *context, const uint8_t *packed, size_t size, size_t raw_size, const SealedBytes *state, bool only_state,
                          SealedFrame *frame, SealedBytes *scratch, bool *no_memory);

/// An opened sealed file: a source of the raw bytes. It keeps the last frame in memory.
typedef struct LogSealed LogSealed;

/// `base` is copied; its file has the container 1. On any status but OK, `message` (LOG_MESSAGE_SIZE bytes) and the file's `offset` say what is wrong.
tp_log_status log_sealed_open(const tp_source *base, LogSealed **sealed, char *message, uint64_t *offset);
void          log_sealed_close(LogSealed *sealed);
tp_source     log_sealed_source(LogSealed *sealed);
/// After the source's read_at gave -1: why. The message names the place in the sealed file.
tp_log_status log_sealed_failure(const LogSealed *sealed, const char **message);

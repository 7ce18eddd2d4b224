// log_sealed.c: a sealed file as a source of the raw log's bytes. Footer and table are read when it is opened, frames when they are asked for; the hash of
// each is held before a byte of it is believed. The last frame stays in memory, and the last state, which the next frame may need.
#include "log_sealed.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <sodium.h>
#include <zstd.h>

#include "bytes.h"
#include "crc32c.h"

enum { NO_FRAME = UINT32_MAX, ROW_MAX = 16 + TP_COMMAND_BYTES_MAX + 128 * 64 + 2 };

const uint8_t log_sealed_footer_magic[8] = { 0x89, 'T', 'P', 'S', '\r', '\n', 0x1A, '\n' };

typedef struct {
    uint64_t       at, raw_at; ///< in the sealed file, in the raw one
    uint32_t       size, raw_size;
    uint32_t       depth;      ///< frames before it that its state needs
    uint8_t        hash[SEALED_ENTRY_HASH];
} Entry;

struct LogSealed {
    tp_source     base;
    uint64_t      file_size, raw_size;
    uint32_t      count;
    Entry        *entries;
    uint8_t       header[TP_LOG_HEADER_SIZE]; ///< of the raw file
    SealedShape   shape;
    ZSTD_DCtx    *context;
    uint32_t      frame_at;  ///< whose bytes are in `raw`
    uint32_t      state_at;  ///< whose state is in `state`
    SealedBytes   raw, state, packed, scratch;
    SealedFrame   frame;
    tp_log_status status;
    uint64_t      offset;
    char          message[LOG_MESSAGE_SIZE];
};

static tp_log_status fail(LogSealed *sealed, tp_log_status status, uint64_t offset, const char *what)
{
    sealed->status = status;
    sealed->offset = offset;
    snprintf(sealed->message, sizeof(sealed->message), "sealed file, its byte %" PRIu64 ": %s", offset, what);
    return status;
}

static tp_log_status fail_frame(LogSealed *sealed, uint32_t index, const char *what)
{
    char text[LOG_MESSAGE_SIZE / 2];
    snprintf(text, sizeof(text), "frame %" PRIu32 ": %s", index, what);
    return fail(sealed, TP_LOG_CORRUPT, sealed->entries[index].at, text);
}

static tp_log_status read_exactly(LogSealed *sealed, uint64_t offset, void *bytes, size_t size)
{
    errno = 0;
    int64_t got = sealed->base.read_at(sealed->base.self, offset, bytes, size);
    if (got < 0) {
        return fail(sealed, TP_LOG_IO, offset, errno == 0 ? "it could not be read" : strerror(errno));
    }
    return (size_t)got == size ? TP_LOG_OK : fail(sealed, TP_LOG_CORRUPT, offset, "it has become shorter while it was read");
}

static tp_log_status no_memory(LogSealed *sealed, uint64_t offset)
{
    return fail(sealed, TP_LOG_NO_MEMORY, offset, "out of memory");
}

static tp_log_status take_footer(LogSealed *sealed, const uint8_t *footer, uint64_t at)
{
    uint32_t players = bytes_get_u16(footer + 20);
    uint32_t input_size = footer[22];
    uint32_t algorithm = footer[23];
    sealed->raw_size = bytes_get_u64(footer + 8);
    sealed->count = bytes_get_u32(footer + 16);
    if (players > 128 || input_size > 64 || tp_hash_algorithm_name((tp_hash_algorithm)algorithm) == NULL) {
        return fail(sealed, TP_LOG_CORRUPT, at, "the footer's slots, input size or hash are none");
    }
    sealed->shape = (SealedShape){ log_row_shape(players, input_size), (tp_hash_algorithm)algorithm, tp_hash128_from_bytes(footer + 24) };
    bool has_room = sealed->count > 0 && (uint64_t)sealed->count * (SEALED_ENTRY_SIZE + SEALED_FRAME_HEAD) <= at - TP_LOG_HEADER_SIZE;
    return has_room ? TP_LOG_OK : fail(sealed, TP_LOG_CORRUPT, at, "the footer counts more frames than the file has room for, or none");
}

static const char *take_entry(LogSealed *sealed, uint32_t index, const uint8_t *bytes, uint64_t at, uint64_t raw_at)
{
    Entry *entry = &sealed->entries[index];
    *entry = (Entry){ .at = at, .raw_at = raw_at, .size = bytes_get_u32(bytes), .raw_size = bytes_get_u32(bytes + 4), .depth = bytes_get_u32(bytes + 8) };
    memcpy(entry->hash, bytes + 12, SEALED_ENTRY_HASH);
    if (entry->raw_size < LOG_FRAME_SIZE || entry->raw_size > SEALED_FRAME_MAX || entry->size < SEALED_FRAME_HEAD ||
        entry->size > SEALED_FRAME_HEAD + entry->raw_size) {
        return "a frame's size in the table is out of bounds";
    }
    uint32_t before = index == 0 ? UINT32_MAX : sealed->entries[index - 1].depth;
    return entry->depth != 0 && (entry->depth > SEALED_DEPTH_MAX || entry->depth - 1 != before) ? "a frame of the table needs one that does not fit" : NULL;
}

static tp_log_status take_table(LogSealed *sealed, const uint8_t *table, uint64_t table_at)
{
    uint64_t at = TP_LOG_HEADER_SIZE;
    uint64_t raw_at = TP_LOG_HEADER_SIZE;
    for (uint32_t i = 0; i < sealed->count; i++) {
        const char *wrong = take_entry(sealed, i, table + (size_t)i * SEALED_ENTRY_SIZE, at, raw_at);
        if (wrong != NULL) {
            return fail(sealed, TP_LOG_CORRUPT, table_at + (uint64_t)i * SEALED_ENTRY_SIZE, wrong);
        }
        at += sealed->entries[i].size;
        raw_at += sealed->entries[i].raw_size;
    }
    return at == table_at && raw_at == sealed->raw_size ? TP_LOG_OK : fail(sealed, TP_LOG_CORRUPT, table_at, "the table's frames do not fill the file");
}

static bool is_hash_good(const uint8_t *header, const uint8_t *table, size_t size, const uint8_t *footer)
{
    uint8_t                  hash[SEALED_HASH_SIZE];
    crypto_generichash_state state;
    crypto_generichash_init(&state, NULL, 0, sizeof(hash));
    crypto_generichash_update(&state, header, TP_LOG_HEADER_SIZE);
    crypto_generichash_update(&state, table, size);
    crypto_generichash_update(&state, footer, SEALED_FOOTER_FIXED);
    crypto_generichash_final(&state, hash, sizeof(hash));
    return memcmp(hash, footer + SEALED_FOOTER_FIXED, sizeof(hash)) == 0;
}

static tp_log_status read_table(LogSealed *sealed, const uint8_t *header, const uint8_t *footer, uint64_t footer_at)
{
    size_t   size = (size_t)sealed->count * SEALED_ENTRY_SIZE;
    uint64_t at = footer_at - size;
    sealed->entries = malloc(sizeof(Entry) * (size_t)sealed->count);
    if (sealed->entries == NULL || !sealed_bytes_reserve(&sealed->packed, size)) {
        return no_memory(sealed, at);
    }
    tp_log_status status = read_exactly(sealed, at, sealed->packed.bytes, size);
    if (status != TP_LOG_OK) {
        return status;
    }
    return is_hash_good(header, sealed->packed.bytes, size, footer) ? take_table(sealed, sealed->packed.bytes, at)
                                                                     : fail(sealed, TP_LOG_CORRUPT, at, "the hash of header, table and footer does not hold");
}

static tp_log_status check_header(LogSealed *sealed, const uint8_t *header)
{
    if (memcmp(header, log_format_magic, sizeof(log_format_magic)) != 0 || bytes_get_u16(header + 8) != TP_LOG_VERSION || bytes_get_u16(header + 10) != 0 ||
        bytes_get_u32(header + 24) != crc32c(0, header, 24)) {
        return fail(sealed, TP_LOG_CORRUPT, 0, "its header does not hold");
    }
    return bytes_get_u32(header + 12) == 1 ? TP_LOG_OK : fail(sealed, TP_LOG_UNSUPPORTED, 12, "its header speaks of no container that this program reads");
}

static tp_log_status open_file(LogSealed *sealed)
{
    uint8_t header[TP_LOG_HEADER_SIZE];
    uint8_t footer[SEALED_FOOTER_SIZE];
    int64_t size = sealed->base.size(sealed->base.self);
    if (size < 0) {
        return fail(sealed, TP_LOG_IO, 0, strerror(errno));
    }
    sealed->file_size = (uint64_t)size;
    if (size < TP_LOG_HEADER_SIZE + SEALED_FOOTER_SIZE) {
        return fail(sealed, TP_LOG_CORRUPT, sealed->file_size, "it was cut: it ends before a footer could stand there");
    }
    uint64_t      footer_at = sealed->file_size - SEALED_FOOTER_SIZE;
    tp_log_status status = read_exactly(sealed, 0, header, sizeof(header));
    status = status == TP_LOG_OK ? check_header(sealed, header) : status;
    status = status == TP_LOG_OK ? read_exactly(sealed, footer_at, footer, sizeof(footer)) : status;
    if (status != TP_LOG_OK) {
        return status;
    }
    if (memcmp(footer, log_sealed_footer_magic, sizeof(log_sealed_footer_magic)) != 0) {
        return fail(sealed, TP_LOG_CORRUPT, footer_at, "no footer is there: the file was cut, added to or damaged; only its raw original or another copy helps");
    }
    status = take_footer(sealed, footer, footer_at);
    status = status == TP_LOG_OK ? read_table(sealed, header, footer, footer_at) : status;
    log_format_put_header(sealed->header, header + 16);
    return status;
}

tp_log_status log_sealed_open(const tp_source *base, LogSealed **out, char *message, uint64_t *offset)
{
    LogSealed *sealed = calloc(1, sizeof(*sealed));
    *out = NULL;
    *offset = 0;
    snprintf(message, LOG_MESSAGE_SIZE, "out of memory");
    if (sealed == NULL) {
        return TP_LOG_NO_MEMORY;
    }
    sealed->base = *base;
    sealed->frame_at = NO_FRAME;
    sealed->state_at = NO_FRAME;
    sealed->context = ZSTD_createDCtx();
    // What putting records together needs besides columns: then it cannot fail for want of memory.
    bool          has_memory = sealed->context != NULL && sealed_bytes_reserve(&sealed->frame.row, ROW_MAX) && sealed_bytes_reserve(&sealed->frame.leaves, TP_LOG_LEAVES_MAX);
    tp_log_status status = has_memory ? open_file(sealed) : no_memory(sealed, 0);
    if (status == TP_LOG_OK) {
        *out = sealed;
        return TP_LOG_OK;
    }
    *offset = sealed->offset;
    snprintf(message, LOG_MESSAGE_SIZE, "%s", sealed->message);
    log_sealed_close(sealed);
    return status;
}

void log_sealed_close(LogSealed *sealed)
{
    if (sealed == NULL) {
        return;
    }
    ZSTD_freeDCtx(sealed->context);
    sealed_frame_free(&sealed->frame);
    free(sealed->entries);
    free(sealed->raw.bytes);
    free(sealed->state.bytes);
    free(sealed->packed.bytes);
    free(sealed->scratch.bytes);
    free(sealed);
}

// Frame `index` as columns, of which only the state when that is all that is wanted.
static tp_log_status load_columns(LogSealed *sealed, uint32_t index, bool only_state)
{
    const Entry *entry = &sealed->entries[index];
    uint8_t      hash[SEALED_ENTRY_HASH];
    bool         is_out_of_memory = false;
    if (!sealed_bytes_reserve(&sealed->packed, entry->size)) {
        return no_memory(sealed, entry->at);
    }
    tp_log_status status = read_exactly(sealed, entry->at, sealed->packed.bytes, entry->size);
    if (status != TP_LOG_OK) {
        return status;
    }
    crypto_generichash(hash, sizeof(hash), sealed->packed.bytes, entry->size, NULL, 0);
    if (memcmp(hash, entry->hash, sizeof(hash)) != 0) {
        return fail_frame(sealed, index, "its hash does not hold");
    }
    const char *wrong = sealed_unpack(sealed->context, sealed->packed.bytes, entry->size, entry->raw_size, entry->depth > 0 ? &sealed->state : NULL, only_state,
                                      &sealed->frame, &sealed->scratch, &is_out_of_memory);
    return wrong == NULL ? TP_LOG_OK : is_out_of_memory ? no_memory(sealed, entry->at) : fail_frame(sealed, index, wrong);
}

// The state in the columns becomes the one that is remembered.
static void take_state(LogSealed *sealed, uint32_t index)
{
    SealedBytes *column = &sealed->frame.columns[TP_SEAL_STATES];
    SealedBytes  old = sealed->state;
    sealed->state = *column;
    *column = old;
    column->size = 0;
    sealed->state_at = index;
}

// Makes the state of the frame before `index` the remembered one: at most SEALED_DEPTH_MAX columns of states are unpacked for it.
static tp_log_status reach_state(LogSealed *sealed, uint32_t index)
{
    uint32_t depth = sealed->entries[index].depth;
    uint32_t next = index - depth;
    if (sealed->state_at != NO_FRAME && sealed->state_at >= next && sealed->state_at < index) {
        next = sealed->state_at + 1;
    }
    for (; next < index; next++) {
        tp_log_status status = load_columns(sealed, next, true);
        if (status != TP_LOG_OK) {
            sealed->state_at = NO_FRAME;
            return status;
        }
        take_state(sealed, next);
    }
    return TP_LOG_OK;
}

static tp_log_status load_frame(LogSealed *sealed, uint32_t index)
{
    size_t size = sealed->entries[index].raw_size;
    if (sealed->frame_at == index) {
        return TP_LOG_OK;
    }
    tp_log_status status = reach_state(sealed, index);
    status = status == TP_LOG_OK ? load_columns(sealed, index, false) : status;
    if (status != TP_LOG_OK) {
        return status;
    }
    sealed->frame_at = NO_FRAME;
    if (!sealed_bytes_reserve(&sealed->raw, size)) {
        return no_memory(sealed, sealed->entries[index].at);
    }
    const char *wrong = sealed_frame_join(&sealed->frame, &sealed->shape, sealed->header + 16, sealed->raw.bytes, size);
    if (wrong != NULL) {
        return fail_frame(sealed, index, wrong);
    }
    sealed->frame_at = index;
    take_state(sealed, index);
    return TP_LOG_OK;
}

static uint32_t frame_of(const LogSealed *sealed, uint64_t raw_offset)
{
    uint32_t low = 0;
    uint32_t high = sealed->count;
    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        if (sealed->entries[middle].raw_at <= raw_offset) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return low;
}

static int64_t raw_read_at(void *self, uint64_t offset, void *buffer, size_t size)
{
    LogSealed *sealed = self;
    uint8_t   *to = buffer;
    size_t     taken = 0;
    while (taken < size && offset + taken < sealed->raw_size) {
        uint64_t       at = offset + taken;
        const uint8_t *from = at < TP_LOG_HEADER_SIZE ? sealed->header + at : NULL;
        uint64_t       left = TP_LOG_HEADER_SIZE - at;
        if (from == NULL) {
            uint32_t index = frame_of(sealed, at);
            if (load_frame(sealed, index) != TP_LOG_OK) {
                errno = sealed->status == TP_LOG_NO_MEMORY ? ENOMEM : sealed->status == TP_LOG_IO && errno != 0 ? errno : EBADMSG;
                return taken > 0 ? (int64_t)taken : -1; // what is good is given; the next call comes back here
            }
            from = sealed->raw.bytes + (at - sealed->entries[index].raw_at);
            left = sealed->entries[index].raw_size - (at - sealed->entries[index].raw_at);
        }
        size_t piece = left < size - taken ? (size_t)left : size - taken;
        memcpy(to + taken, from, piece);
        taken += piece;
    }
    return (int64_t)taken;
}

static int64_t raw_size(void *self)
{
    const LogSealed *sealed = self;
    return (int64_t)sealed->raw_size;
}

tp_source log_sealed_source(LogSealed *sealed)
{
    return (tp_source){ .self = sealed, .read_at = raw_read_at, .size = raw_size };
}

tp_log_status log_sealed_failure(const LogSealed *sealed, const char **message)
{
    *message = sealed->message;
    return sealed->status;
}

int tp_log_container(const tp_source *source)
{
    uint8_t header[TP_LOG_HEADER_SIZE];
    int64_t got = source->read_at(source->self, 0, header, sizeof(header));
    if (got != (int64_t)sizeof(header) || memcmp(header, log_format_magic, sizeof(log_format_magic)) != 0 || bytes_get_u32(header + 24) != crc32c(0, header, 24) ||
        bytes_get_u32(header + 12) > INT32_MAX) {
        return -1;
    }
    return (int)bytes_get_u32(header + 12);
}

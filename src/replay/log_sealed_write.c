// log_sealed_write.c: seals a raw log, unseals it, and holds the two forms against each other.
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <sodium.h>
#include <zstd.h>

#include "bytes.h"
#include "crc32c.h"
#include "log_copy.h"
#include "log_reader.h"
#include "log_sealed.h"

enum { COMPARE_STEP = 256 * 1024, PLAIN_LEVEL = 3 };

typedef struct {
    const tp_sink           *out;
    tp_reader               *reader;
    SealedShape              shape;
    SealedFrame              frame;
    SealedPacker             packer;
    SealedBytes              table, plain;
    ZSTD_CCtx               *inputs;
    crypto_generichash_state hash;
    bool                     has_only_ident;
    tp_seal_counts          *counts;
    tp_error                *error;
} Sealing;

static tp_log_status no_memory(tp_error *error)
{
    tp_error_set(error, "out of memory");
    return TP_LOG_NO_MEMORY;
}

static tp_log_status put(Sealing *sealing, const uint8_t *bytes, size_t size)
{
    sealing->counts->sealed_size += size;
    return log_copy_put(sealing->out, bytes, size, sealing->error);
}

static tp_log_status put_header(Sealing *sealing)
{
    uint8_t header[TP_LOG_HEADER_SIZE];
    log_format_put_header(header, log_reader_marker(sealing->reader));
    bytes_put_u32(header + 12, 1);
    bytes_put_u32(header + 24, crc32c(0, header, 24));
    crypto_generichash_init(&sealing->hash, NULL, 0, SEALED_HASH_SIZE);
    crypto_generichash_update(&sealing->hash, header, sizeof(header));
    return put(sealing, header, sizeof(header));
}

static tp_log_status put_frame(Sealing *sealing)
{
    uint8_t entry[SEALED_ENTRY_SIZE];
    if (sealing->frame.records == 0) {
        return TP_LOG_OK;
    }
    if (!sealed_pack(&sealing->packer, &sealing->shape, &sealing->frame, sealing->counts)) {
        return no_memory(sealing->error);
    }
    const SealedBytes *packed = &sealing->packer.out;
    bytes_put_u32(entry, (uint32_t)packed->size);
    bytes_put_u32(entry + 4, (uint32_t)sealing->frame.raw_size);
    bytes_put_u32(entry + 8, sealing->packer.depth);
    crypto_generichash(entry + 12, SEALED_ENTRY_HASH, packed->bytes, packed->size, NULL, 0);
    if (!sealed_bytes_add(&sealing->table, entry, sizeof(entry))) {
        return no_memory(sealing->error);
    }
    sealing->counts->frames++;
    sealed_frame_clear(&sealing->frame);
    return put(sealing, packed->bytes, packed->size);
}

static tp_log_status put_table(Sealing *sealing)
{
    uint8_t         footer[SEALED_FOOTER_SIZE] = { 0 };
    const tp_ident *ident = tp_reader_ident(sealing->reader);
    memcpy(footer, log_sealed_footer_magic, sizeof(log_sealed_footer_magic));
    bytes_put_u64(footer + 8, sealing->counts->raw_size);
    bytes_put_u32(footer + 16, (uint32_t)sealing->counts->frames);
    bytes_put_u16(footer + 20, (uint16_t)ident->players);
    footer[22] = (uint8_t)ident->input_size;
    footer[23] = (uint8_t)ident->algorithm;
    tp_hash128_to_bytes(ident->rules.id, footer + 24);
    crypto_generichash_update(&sealing->hash, sealing->table.bytes, sealing->table.size);
    crypto_generichash_update(&sealing->hash, footer, SEALED_FOOTER_FIXED);
    crypto_generichash_final(&sealing->hash, footer + SEALED_FOOTER_FIXED, SEALED_HASH_SIZE);
    tp_log_status status = put(sealing, sealing->table.bytes, sealing->table.size);
    return status == TP_LOG_OK ? put(sealing, footer, sizeof(footer)) : status;
}

// The measure to compare with: the inputs alone, packed as anybody would.
static bool count_inputs(Sealing *sealing, const uint8_t *bytes, size_t size, ZSTD_EndDirective directive)
{
    ZSTD_inBuffer in = { bytes, size, 0 };
    size_t        left = 1;
    while (in.pos < in.size || (directive == ZSTD_e_end && left != 0)) {
        ZSTD_outBuffer out = { sealing->plain.bytes, sealing->plain.capacity, 0 };
        left = ZSTD_compressStream2(sealing->inputs, &out, &in, directive);
        if (ZSTD_isError(left)) {
            return false;
        }
        sealing->counts->inputs_zstd3 += out.pos;
    }
    return true;
}

static bool count_rows(Sealing *sealing, const tp_log_record *record)
{
    tp_log_rows rows = tp_log_rows_of(tp_reader_ident(sealing->reader), record);
    tp_log_row  row;
    while (record->type == TP_LOG_TICKS && tp_log_rows_next(&rows, &row)) {
        sealing->counts->ticks++;
        if (!count_inputs(sealing, row.inputs, sealing->shape.row.inputs_size, ZSTD_e_continue)) {
            return false;
        }
    }
    return true;
}

// A frame begins at a KEY, but for the first, which begins at IDENT, and where a stretch is long, at any record but LEAVES, which
// follow from rows that must be in the same frame.
static bool begins_frame(const Sealing *sealing, const tp_log_record *record)
{
    return (record->type == TP_LOG_KEY && !sealing->has_only_ident) || (sealing->frame.raw_size >= SEALED_SPLIT_SIZE && record->type != TP_LOG_LEAVES);
}

static tp_log_status take_record(Sealing *sealing, const tp_log_record *record)
{
    tp_log_status status = begins_frame(sealing, record) ? put_frame(sealing) : TP_LOG_OK;
    if (status != TP_LOG_OK) {
        return status;
    }
    sealing->has_only_ident = record->type == TP_LOG_IDENT;
    sealing->counts->raw_size += (uint64_t)record->size + LOG_FRAME_SIZE;
    if (!sealed_frame_add(&sealing->frame, &sealing->shape, record) || !count_rows(sealing, record)) {
        return no_memory(sealing->error);
    }
    if (sealing->frame.raw_size > SEALED_FRAME_MAX || sealing->counts->frames == UINT32_MAX) {
        tp_error_set(sealing->error, "offset %" PRIu64 ": a stretch of it is longer than a sealed file can hold", record->offset);
        return TP_LOG_UNSUPPORTED;
    }
    return TP_LOG_OK;
}

static tp_log_status seal_records(Sealing *sealing, tp_log_status status)
{
    tp_log_record record;
    while (status == TP_LOG_OK) {
        status = tp_reader_next(sealing->reader, &record);
        if (status != TP_LOG_OK) {
            break;
        }
        status = take_record(sealing, &record);
        if (status != TP_LOG_OK) {
            return status;
        }
    }
    if (status != TP_LOG_DONE) {
        tp_error_set(sealing->error, "offset %" PRIu64 ": %s", tp_reader_offset(sealing->reader), tp_reader_message(sealing->reader));
        return status;
    }
    if (!count_inputs(sealing, NULL, 0, ZSTD_e_end)) {
        return no_memory(sealing->error);
    }
    status = put_frame(sealing);
    return status == TP_LOG_OK ? put_table(sealing) : status;
}

static tp_log_status start(Sealing *sealing, const tp_source *raw, int level)
{
    sealing->packer.level = level;
    sealing->inputs = ZSTD_createCCtx();
    if (sealing->inputs == NULL || ZSTD_isError(ZSTD_CCtx_setParameter(sealing->inputs, ZSTD_c_compressionLevel, PLAIN_LEVEL)) ||
        !sealed_bytes_reserve(&sealing->plain, ZSTD_CStreamOutSize())) {
        return no_memory(sealing->error);
    }
    tp_log_status status = tp_reader_open(raw, NULL, &sealing->reader);
    if (sealing->reader == NULL) {
        return no_memory(sealing->error);
    }
    if (status == TP_LOG_OK) {
        const tp_ident *ident = tp_reader_ident(sealing->reader);
        sealing->shape = (SealedShape){ log_row_shape(ident->players, ident->input_size), ident->algorithm, ident->rules.id };
        sealing->counts->raw_size = TP_LOG_HEADER_SIZE;
        tp_log_status written = put_header(sealing);
        return written == TP_LOG_OK ? seal_records(sealing, status) : written;
    }
    return seal_records(sealing, status);
}

static void finish(Sealing *sealing)
{
    tp_reader_close(sealing->reader);
    ZSTD_freeCCtx(sealing->inputs);
    sealed_frame_free(&sealing->frame);
    sealed_packer_free(&sealing->packer);
    free(sealing->table.bytes);
    free(sealing->plain.bytes);
}

tp_log_status tp_seal_log(const tp_source *raw, const tp_sink *out, const tp_seal_options *options, tp_seal_counts *counts, tp_error *error)
{
    Sealing sealing = { .out = out, .counts = counts, .error = error };
    int     level = options == NULL || options->level == 0 ? TP_SEAL_LEVEL_STANDARD : options->level;
    *counts = (tp_seal_counts){ 0 };
    if (tp_log_container(raw) == 1) {
        tp_error_set(error, "it is sealed already");
        return TP_LOG_UNSUPPORTED;
    }
    tp_log_status status = start(&sealing, raw, level < 1 ? 1 : level > TP_SEAL_LEVEL_MAX ? TP_SEAL_LEVEL_MAX : level);
    finish(&sealing);
    return status;
}

static tp_log_status open_sealed(const tp_source *source, LogSealed **sealed, tp_error *error)
{
    char     message[LOG_MESSAGE_SIZE];
    uint64_t offset = 0;
    *sealed = NULL;
    if (tp_log_container(source) == 0) {
        tp_error_set(error, "it is a raw log, not a sealed one");
        return TP_LOG_UNSUPPORTED;
    }
    tp_log_status status = log_sealed_open(source, sealed, message, &offset);
    if (status != TP_LOG_OK) {
        tp_error_set(error, "%s", message);
    }
    return status;
}

// Reading through the seal said no, or only the sink: then `error` is right already.
static tp_log_status why(const LogSealed *sealed, tp_log_status status, tp_error *error)
{
    const char   *message = NULL;
    tp_log_status failure = log_sealed_failure(sealed, &message);
    if (failure == TP_LOG_OK) {
        return status;
    }
    tp_error_set(error, "%s", message);
    return failure;
}

tp_log_status tp_unseal_log(const tp_source *source, const tp_sink *out, tp_error *error)
{
    LogSealed    *sealed = NULL;
    tp_log_status status = open_sealed(source, &sealed, error);
    if (status == TP_LOG_OK) {
        tp_source raw = log_sealed_source(sealed);
        status = log_copy(&raw, (uint64_t)raw.size(raw.self), out, error);
        status = status == TP_LOG_OK ? status : why(sealed, status, error);
    }
    log_sealed_close(sealed);
    return status;
}

static tp_log_status compare(LogSealed *sealed, const tp_source *raw, uint8_t *buffers, tp_error *error)
{
    tp_source inside = log_sealed_source(sealed);
    uint64_t  size = (uint64_t)inside.size(inside.self);
    if (raw->size(raw->self) != (int64_t)size) {
        tp_error_set(error, "the sealed log is %" PRIu64 " bytes and the raw one is not: it changed meanwhile", size);
        return TP_LOG_CORRUPT;
    }
    for (uint64_t at = 0; at < size;) {
        int64_t mine = inside.read_at(inside.self, at, buffers, COMPARE_STEP);
        int64_t theirs = mine <= 0 ? mine : raw->read_at(raw->self, at, buffers + COMPARE_STEP, (size_t)mine);
        if (mine <= 0) {
            return why(sealed, TP_LOG_IO, error);
        }
        if (theirs != mine || memcmp(buffers, buffers + COMPARE_STEP, (size_t)mine) != 0) {
            tp_error_set(error, "the bytes behind offset %" PRIu64 " of the raw log do not come back", at);
            return TP_LOG_CORRUPT;
        }
        at += (uint64_t)mine;
    }
    return TP_LOG_OK;
}

tp_log_status tp_sealed_compare(const tp_source *source, const tp_source *raw, tp_error *error)
{
    LogSealed    *sealed = NULL;
    uint8_t      *buffers = malloc(2 * COMPARE_STEP);
    tp_log_status status = buffers == NULL ? no_memory(error) : open_sealed(source, &sealed, error);
    if (status == TP_LOG_OK) {
        status = compare(sealed, raw, buffers, error);
    }
    log_sealed_close(sealed);
    free(buffers);
    return status;
}

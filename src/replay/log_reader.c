// log_reader.c: reading a log from its start, whole, torn, damaged or still growing.
//
// The order of trust is: the CRC of a head before its size; the size against its bound and against the bytes that the file
// really has before any memory is taken for it; the CRC of the payload; then what the page asks (log_check.h). A window over
// the file is all the memory: it grows to the largest record that is wholly there.
#include "log_reader.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bytes.h"
#include "crc32c.h"
#include "log_chain.h"
#include "log_ident.h"
#include "log_sealed.h"

enum {
    WINDOW_SIZE = 65536,          // bytes read ahead
    SCAN_SIZE_MAX = 1024 * 1024,  // how far a later record is looked for, to word a message
};

struct tp_reader {
    tp_source     source;
    LogSealed    *sealed;         // the source reads through it; NULL for a raw file
    bool          follows;
    bool          has_header;
    bool          has_ident;
    tp_log_status final;          // OK while there may be more
    uint64_t      offset;
    uint64_t      file_size;      // as last asked; grows in follow mode
    uint8_t      *window;
    size_t        window_size, window_capacity;
    uint64_t      window_offset;
    LogCheck      check;
    uint8_t       marker[LOG_MARKER_SIZE];
    uint8_t       chain[TP_LOG_CHAIN_SIZE];
    char          message[LOG_MESSAGE_SIZE];
    tp_ident      ident;
};

const LogCheck *log_reader_check(const tp_reader *reader)
{
    return &reader->check;
}

const uint8_t *log_reader_marker(const tp_reader *reader)
{
    return reader->marker;
}

static tp_log_status fail_io(tp_reader *reader, const char *what)
{
    if (reader->sealed != NULL) {
        const char   *message = NULL;
        tp_log_status status = log_sealed_failure(reader->sealed, &message);
        snprintf(reader->message, sizeof(reader->message), "%s", message);
        return status;
    }
    snprintf(reader->message, sizeof(reader->message), "%s: %s", what, strerror(errno));
    return TP_LOG_IO;
}

static tp_log_status ask_size(tp_reader *reader)
{
    int64_t size = reader->source.size(reader->source.self);
    if (size < 0) {
        return fail_io(reader, "asking for the file's size");
    }
    if ((uint64_t)size < reader->offset && reader->has_header) {
        snprintf(reader->message, sizeof(reader->message), "the file has shrunk to %" PRId64 " bytes while it was read", size);
        return TP_LOG_CORRUPT;
    }
    reader->file_size = (uint64_t)size;
    return TP_LOG_OK;
}

static uint64_t bytes_left(const tp_reader *reader)
{
    return reader->file_size > reader->offset ? reader->file_size - reader->offset : 0;
}

// Makes `need` bytes from the current offset readable at *bytes. The caller knows that the file has them, so memory never
// exceeds what is there. TRUNCATED when the file shrank meanwhile.
static tp_log_status load(tp_reader *reader, size_t need, const uint8_t **bytes)
{
    bool is_inside = reader->offset >= reader->window_offset &&
                     reader->offset - reader->window_offset <= reader->window_size &&
                     need <= reader->window_size - (size_t)(reader->offset - reader->window_offset);
    if (is_inside) {
        *bytes = reader->window + (size_t)(reader->offset - reader->window_offset);
        return TP_LOG_OK;
    }
    uint64_t left = bytes_left(reader);
    size_t size = left < WINDOW_SIZE ? (size_t)left : WINDOW_SIZE;
    if (size < need) {
        size = need;
    }
    if (size > reader->window_capacity) {
        free(reader->window); // its content is not needed: cheaper than realloc, which would copy it
        reader->window_size = 0;
        reader->window_capacity = 0;
        reader->window = malloc(size);
        if (reader->window == NULL) {
            snprintf(reader->message, sizeof(reader->message), "out of memory for %zu bytes", size);
            return TP_LOG_NO_MEMORY;
        }
        reader->window_capacity = size;
    }
    reader->window_size = 0;
    int64_t got = reader->source.read_at(reader->source.self, reader->offset, reader->window, size);
    if (got < 0) {
        return fail_io(reader, "reading");
    }
    reader->window_offset = reader->offset;
    reader->window_size = (size_t)got;
    *bytes = reader->window;
    return (size_t)got >= need ? TP_LOG_OK : TP_LOG_TRUNCATED;
}

// What was in the window of a growing file may since have been overwritten (a hole that is filled), so it is read again.
static void forget_window(tp_reader *reader)
{
    reader->window_size = 0;
}

static tp_log_status is_zero_to_end(tp_reader *reader, uint64_t from, bool *is_zero)
{
    uint8_t piece[65536];
    *is_zero = false;
    for (;;) {
        int64_t got = reader->source.read_at(reader->source.self, from, piece, sizeof(piece));
        if (got < 0) {
            return fail_io(reader, "reading");
        }
        if (got == 0) {
            *is_zero = true;
            return TP_LOG_OK;
        }
        if (!log_format_is_zero(piece, (size_t)got)) {
            return TP_LOG_OK;
        }
        if (reader->follows) {
            // A growing file is asked again and again, so a long hole is not walked each time: so far it is zero.
            *is_zero = true;
            return TP_LOG_OK;
        }
        from += (uint64_t)got;
    }
}

// A CRC that does not hold is a torn write when the file holds only zeroes from some point on, and that point is not behind
// the CRC: its first bytes are as computed, the rest of it and of the file is zero. Else the record is damaged.
static tp_log_status is_torn(tp_reader *reader, uint64_t crc_offset, const uint8_t *stored, uint32_t computed, bool *torn)
{
    uint8_t wanted[LOG_CRC_SIZE];
    bytes_put_u32(wanted, computed);
    size_t same = 0;
    while (same < LOG_CRC_SIZE && stored[same] == wanted[same]) {
        same++;
    }
    if (!log_format_is_zero(stored + same, LOG_CRC_SIZE - same)) {
        *torn = false;
        return TP_LOG_OK;
    }
    return is_zero_to_end(reader, crc_offset + LOG_CRC_SIZE, torn);
}

// Looks for a later record head, to tell the reader of the message how far the damage goes.
static void mention_later_record(tp_reader *reader)
{
    uint8_t piece[8192];
    uint64_t from = reader->offset + 1;
    uint64_t limit = from + SCAN_SIZE_MAX;
    if (!reader->has_header) {
        return;
    }
    while (from < limit) {
        int64_t got = reader->source.read_at(reader->source.self, from, piece, sizeof(piece));
        if (got < TP_LOG_RECORD_HEAD) {
            return;
        }
        size_t last = (size_t)got - TP_LOG_RECORD_HEAD;
        for (size_t i = 0; i <= last; i++) {
            const uint8_t *candidate = memchr(piece + i, reader->marker[0], last + 1 - i);
            if (candidate == NULL) {
                break;
            }
            i = (size_t)(candidate - piece);
            if (memcmp(candidate, reader->marker, LOG_MARKER_SIZE) == 0 &&
                crc32c(0, candidate, 24) == bytes_get_u32(candidate + 24)) {
                size_t used = strlen(reader->message);
                snprintf(reader->message + used, sizeof(reader->message) - used, "; a record follows at offset %" PRIu64,
                         from + i);
                return;
            }
        }
        from += last + 1;
    }
}

static const char *type_name(uint32_t type)
{
    const LogType *known = log_format_type(type);
    return known == NULL ? "a record" : known->name;
}

// The record at the offset ends early, or in zeroes.
static tp_log_status torn(tp_reader *reader, const char *what, const char *how)
{
    forget_window(reader);
    snprintf(reader->message, sizeof(reader->message), "%s: %s", what, how);
    return reader->follows ? TP_LOG_WAIT : TP_LOG_TRUNCATED;
}

static tp_log_status damaged(tp_reader *reader, const char *what, const char *how)
{
    snprintf(reader->message, sizeof(reader->message), "%s: %s", what, how);
    mention_later_record(reader);
    return TP_LOG_CORRUPT;
}

// Decides between the two for a CRC that does not hold.
static tp_log_status bad_crc(tp_reader *reader, uint64_t crc_offset, const uint8_t *stored, uint32_t computed,
                             const char *what, const char *how)
{
    bool was_torn = false;
    tp_log_status status = is_torn(reader, crc_offset, stored, computed, &was_torn);
    if (status != TP_LOG_OK) {
        return status;
    }
    return was_torn ? torn(reader, what, "the file holds only zeroes from here on") : damaged(reader, what, how);
}

// A short file is the beginning of a log when all it has could be.
static bool is_header_prefix(const uint8_t *bytes, size_t size)
{
    uint8_t expected[16];
    memcpy(expected, log_format_magic, sizeof(log_format_magic));
    bytes_put_u32(expected + 8, TP_LOG_VERSION);
    bytes_put_u32(expected + 12, 0);
    return memcmp(bytes, expected, size < sizeof(expected) ? size : sizeof(expected)) == 0;
}

// A header that is short or whose CRC does not hold: somebody else's file, a torn beginning of ours, or damage.
static tp_log_status refuse_header(tp_reader *reader, const uint8_t *bytes, size_t size, uint32_t computed)
{
    static const char what[] = "file header";
    size_t used = size; // up to the zeroes, when the file ends in them
    bool ends_in_zeroes = false;
    tp_log_status status = is_zero_to_end(reader, size, &ends_in_zeroes);
    if (status != TP_LOG_OK) {
        return status;
    }
    while (ends_in_zeroes && used > 0 && bytes[used - 1] == 0) {
        used--;
    }
    if (!is_header_prefix(bytes, used < sizeof(log_format_magic) ? used : sizeof(log_format_magic))) {
        return damaged(reader, what, "this is not a replay log");
    }
    if (size == TP_LOG_HEADER_SIZE) {
        return bad_crc(reader, 24, bytes + 24, computed, what, "its CRC does not hold");
    }
    return is_header_prefix(bytes, used) ? torn(reader, what, "the file ends inside it")
                                         : damaged(reader, what, "this is not a replay log");
}

static tp_log_status read_header(tp_reader *reader)
{
    static const char what[] = "file header";
    const uint8_t *bytes = NULL;
    uint64_t left = bytes_left(reader);
    size_t size = left < TP_LOG_HEADER_SIZE ? (size_t)left : TP_LOG_HEADER_SIZE;
    if (size == 0) {
        return torn(reader, what, "the file is empty");
    }
    tp_log_status status = load(reader, size, &bytes);
    if (status == TP_LOG_TRUNCATED) {
        return torn(reader, what, "the file ends inside it");
    }
    if (status != TP_LOG_OK) {
        return status;
    }
    uint32_t computed = crc32c(0, bytes, size < 24 ? size : 24);
    if (size < TP_LOG_HEADER_SIZE || computed != bytes_get_u32(bytes + 24)) {
        return refuse_header(reader, bytes, size, computed);
    }
    if (memcmp(bytes, log_format_magic, sizeof(log_format_magic)) != 0) {
        return damaged(reader, what, "this is not a replay log");
    }
    if (bytes_get_u16(bytes + 8) != TP_LOG_VERSION) {
        snprintf(reader->message, sizeof(reader->message), "format version %u, this program reads version %d",
                 (unsigned)bytes_get_u16(bytes + 8), TP_LOG_VERSION);
        return TP_LOG_UNSUPPORTED;
    }
    if (bytes_get_u16(bytes + 10) != 0) {
        return damaged(reader, what, "bytes 10 and 11 are not zero");
    }
    if (bytes_get_u32(bytes + 12) != 0) {
        snprintf(reader->message, sizeof(reader->message), "container %" PRIu32 ", this program reads raw (0) and sealed (1) logs",
                 bytes_get_u32(bytes + 12));
        return TP_LOG_UNSUPPORTED;
    }
    memcpy(reader->marker, bytes + 16, LOG_MARKER_SIZE);
    reader->offset = TP_LOG_HEADER_SIZE;
    reader->has_header = true;
    return TP_LOG_OK;
}

// Reads the record at the offset as far as CRCs, bounds, order and tick; moves nothing.
static tp_log_status read_frame(tp_reader *reader, tp_log_record *record)
{
    const uint8_t *head = NULL;
    uint64_t left = bytes_left(reader);
    if (left == 0) {
        return torn(reader, "end of the file", reader->check.records == 0 ? "no record is here" : "there is no END");
    }
    if (left < TP_LOG_RECORD_HEAD) {
        return torn(reader, "a record", "the file ends inside its head");
    }
    tp_log_status status = load(reader, TP_LOG_RECORD_HEAD, &head);
    if (status != TP_LOG_OK) {
        return status == TP_LOG_TRUNCATED ? torn(reader, "a record", "the file ends inside its head") : status;
    }
    uint32_t computed = crc32c(0, head, 24);
    if (computed != bytes_get_u32(head + 24)) {
        return bad_crc(reader, reader->offset + 24, head + 24, computed, "a record", "the CRC of its head does not hold");
    }
    uint32_t type = bytes_get_u32(head + 8);
    uint32_t size = bytes_get_u32(head + 12);
    uint64_t tick = bytes_get_u64(head + 16);
    if (memcmp(head, reader->marker, LOG_MARKER_SIZE) != 0) {
        return damaged(reader, type_name(type), "its marker is not the file's");
    }
    status = log_check_head(&reader->check, type, size, tick, reader->message);
    if (status != TP_LOG_OK) {
        return status;
    }
    uint64_t need = (uint64_t)size + LOG_FRAME_SIZE;
    const uint8_t *bytes = NULL;
    if (left < need) {
        return torn(reader, type_name(type), "the file ends inside it");
    }
    status = load(reader, (size_t)need, &bytes);
    if (status != TP_LOG_OK) {
        return status == TP_LOG_TRUNCATED ? torn(reader, type_name(type), "the file ends inside it") : status;
    }
    const uint8_t *payload = bytes + TP_LOG_RECORD_HEAD;
    computed = crc32c(0, payload, size);
    if (computed != bytes_get_u32(payload + size)) {
        return bad_crc(reader, reader->offset + TP_LOG_RECORD_HEAD + size, payload + size, computed, type_name(type),
                       "the CRC of its payload does not hold");
    }
    *record = (tp_log_record){ .type = type,
                               .tick = tick,
                               .offset = reader->offset,
                               .number = reader->check.records,
                               .payload = payload,
                               .size = size };
    return TP_LOG_OK;
}

static tp_log_status parse_ident(tp_reader *reader, const tp_log_record *record)
{
    uint8_t marker[LOG_MARKER_SIZE];
    log_chain_marker(marker, record->payload, record->size);
    if (memcmp(marker, reader->marker, LOG_MARKER_SIZE) != 0) {
        return damaged(reader, "IDENT", "the file's marker is not made from it");
    }
    const char *wrong = log_ident_parse(record->payload, record->size, &reader->ident);
    if (wrong != NULL) {
        return damaged(reader, "IDENT", wrong);
    }
    reader->check.ident = &reader->ident;
    reader->has_ident = true;
    return TP_LOG_OK;
}

// Gets through header and IDENT without giving IDENT to the caller yet.
static tp_log_status reach_ident(tp_reader *reader)
{
    if (!reader->has_header) {
        tp_log_status status = read_header(reader);
        if (status != TP_LOG_OK) {
            return status;
        }
    }
    if (!reader->has_ident) {
        tp_log_record record;
        tp_log_status status = read_frame(reader, &record);
        return status == TP_LOG_OK ? parse_ident(reader, &record) : status;
    }
    return TP_LOG_OK;
}

static tp_log_status settle(tp_reader *reader, tp_log_status status)
{
    if (status != TP_LOG_OK && status != TP_LOG_WAIT) {
        reader->final = status;
    }
    return status;
}

// A sealed file is read as the raw log that it holds: every offset from here on is one of that log.
static tp_log_status look_through_seal(tp_reader *reader)
{
    if (tp_log_container(&reader->source) != 1) {
        return TP_LOG_OK; // raw, or for read_header to say what it is
    }
    tp_log_status status = log_sealed_open(&reader->source, &reader->sealed, reader->message, &reader->offset);
    if (status == TP_LOG_OK) {
        reader->source = log_sealed_source(reader->sealed);
    }
    return status;
}

tp_log_status tp_reader_open(const tp_source *source, const tp_reader_options *options, tp_reader **out)
{
    *out = NULL;
    if (!log_chain_start_library()) {
        return TP_LOG_NO_MEMORY;
    }
    // Not zeroed: the ident alone is 90 KB, and opening must be cheap. Everything before it is set here.
    tp_reader *reader = malloc(sizeof(*reader));
    if (reader == NULL) {
        return TP_LOG_NO_MEMORY;
    }
    memset(reader, 0, offsetof(tp_reader, ident));
    reader->source = *source;
    reader->follows = options != NULL && options->follow;
    log_check_init(&reader->check, options != NULL && options->skip_chain);
    log_chain_init(reader->chain);
    *out = reader;
    tp_log_status status = look_through_seal(reader);
    if (status == TP_LOG_OK) {
        status = ask_size(reader);
    }
    if (status == TP_LOG_OK) {
        status = reach_ident(reader);
    }
    return settle(reader, status);
}

void tp_reader_close(tp_reader *reader)
{
    if (reader == NULL) {
        return;
    }
    log_check_finish(&reader->check);
    log_sealed_close(reader->sealed);
    free(reader->window);
    free(reader);
}

// Zeroes after END are a torn tail like any other, also in a file that was growing: nothing more can come. Whatever else is
// there is damage.
static tp_log_status check_end_of_file(tp_reader *reader)
{
    bool is_zero = false;
    tp_log_status status = ask_size(reader);
    if (status != TP_LOG_OK) {
        return status;
    }
    if (bytes_left(reader) == 0) {
        return TP_LOG_DONE;
    }
    status = is_zero_to_end(reader, reader->offset, &is_zero);
    if (status != TP_LOG_OK) {
        return status;
    }
    snprintf(reader->message, sizeof(reader->message), "after END: %s",
             is_zero ? "the file holds only zeroes from here on" : "nothing may follow END");
    return is_zero ? TP_LOG_TRUNCATED : TP_LOG_CORRUPT;
}

tp_log_status tp_reader_next(tp_reader *reader, tp_log_record *record)
{
    if (reader->final != TP_LOG_OK) {
        return reader->final;
    }
    if (reader->check.has_end) {
        return settle(reader, check_end_of_file(reader));
    }
    if (reader->follows) {
        tp_log_status status = ask_size(reader);
        if (status != TP_LOG_OK) {
            return settle(reader, status);
        }
    }
    tp_log_status status = reach_ident(reader);
    if (status != TP_LOG_OK) {
        return settle(reader, status);
    }
    status = read_frame(reader, record);
    if (status != TP_LOG_OK) {
        return settle(reader, status);
    }
    status = log_check_record(&reader->check, record, reader->chain, reader->message);
    if (status != TP_LOG_OK) {
        return settle(reader, status);
    }
    if (!reader->check.skips_chain) {
        log_chain_add(reader->chain, record->type, record->tick, record->payload, record->size);
    }
    reader->offset += (uint64_t)record->size + LOG_FRAME_SIZE;
    return TP_LOG_OK;
}

const tp_ident *tp_reader_ident(const tp_reader *reader)
{
    return reader->has_ident ? &reader->ident : NULL;
}

uint64_t tp_reader_offset(const tp_reader *reader)
{
    return reader->offset;
}

uint64_t tp_reader_size(const tp_reader *reader)
{
    return reader->file_size;
}

uint64_t tp_reader_next_tick(const tp_reader *reader)
{
    return reader->check.next_tick;
}

uint64_t tp_reader_ticks(const tp_reader *reader)
{
    return reader->check.ticks;
}

const tp_log_counts *tp_reader_counts(const tp_reader *reader)
{
    return &reader->check.counts;
}

const char *tp_reader_message(const tp_reader *reader)
{
    return reader->message;
}

const uint8_t *tp_reader_chain(const tp_reader *reader)
{
    return reader->chain;
}

bool tp_reader_is_signed(const tp_reader *reader, uint8_t key[32])
{
    if (reader->check.has_signature && key != NULL) {
        memcpy(key, reader->check.public_key, sizeof(reader->check.public_key));
    }
    return reader->check.has_signature;
}

tp_log_status tp_reader_seek(tp_reader *reader, uint64_t offset, uint64_t tick)
{
    if (!reader->check.skips_chain || !reader->has_ident) {
        snprintf(reader->message, sizeof(reader->message), "only a reader that skips the chain can seek, after IDENT");
        return TP_LOG_CORRUPT;
    }
    if (reader->final == TP_LOG_IO || reader->final == TP_LOG_NO_MEMORY) {
        return reader->final;
    }
    tp_log_status status = ask_size(reader);
    if (status != TP_LOG_OK) {
        return settle(reader, status);
    }
    reader->final = TP_LOG_OK;
    reader->offset = offset;
    log_check_seek(&reader->check, tick);
    return TP_LOG_OK;
}

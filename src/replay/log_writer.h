// log_writer.h: the two halves of a writer. The front (log_writer.c) belongs to the tick thread: it packs rows into records
// inside a buffer. The back (log_writer_back.c) belongs to whoever writes: it completes what depends on everything before
// (back-links, totals, index, chain, signatures), computes CRCs, writes and syncs. They meet in the ring and in LogPublished.
#pragma once

#include "log_format.h"
#include "log_ring.h"

enum {
    LOG_RUN_LIMIT     = 1024 * 1024, ///< payload bytes at which a run is closed early
    LOG_PASS_ON_SIZE  = 16384,       ///< bytes that wake the back of a threaded writer
    LOG_PASS_ON_TICKS = 1024,        ///< ticks that do
    LOG_PASS_ON_BUSY_SIZE = 65536,   ///< bytes that are handed over even to a busy back
};

/// What the back knows of the file that it writes.
typedef struct LogBack {
    tp_sink          sink;
    tp_hash_algorithm algorithm;
    tp_hash128       rules_id;
    uint8_t          marker[LOG_MARKER_SIZE];
    uint8_t          chain[TP_LOG_CHAIN_SIZE]; ///< over every record so far
    bool             is_signed;
    uint8_t          sign_key[64];
    bool             syncs;          ///< durability is other than NONE
    uint64_t         file_offset;    ///< of the next byte to write
    uint64_t         records, ticks;
    tp_log_counts    counts;
    uint64_t         last_key_offset, index_offset;
    uint64_t        *key_ticks, *key_offsets;
    size_t           key_count, key_capacity;
    bool             has_lost_index; ///< no memory, or more KEYs than an INDEX can hold: the log goes without one
    bool             no_index;
    uint32_t         sequence;
    uint64_t         commands_before; ///< in rows of the series' files before: the front counts them all
    uint64_t         bytes_before;    ///< of the files that this writer ended
    uint64_t         durable_offset;  ///< file_offset at the last sync
} LogBack;

/// Written by the back, read by anybody under the ring's lock.
typedef struct LogPublished {
    _Atomic bool has_failed; ///< alone of these, also read without it
    uint64_t bytes;
    uint64_t durable_tick;
    uint8_t  end_chain[TP_LOG_CHAIN_SIZE];
    char     failure[TP_ERROR_SIZE];
    tp_writer_failure failed;
    char     rotation_failure[TP_ERROR_SIZE];
} LogPublished;

typedef struct LogFront {
    LogBuffer *buffer;     ///< being filled; NULL: none acquired
    bool       has_run;
    size_t     run_at;     ///< where the open TICKS record starts in the buffer
    size_t     run_size;   ///< payload bytes of it so far
    uint32_t   run_rows;
    uint64_t   next_tick;
    uint64_t   handed_tick;  ///< next_tick when the last buffer was handed over
    uint64_t   last_key_tick;
    uint64_t   file_tick;    ///< next_tick when the file began, or when a rotation was last tried
    uint64_t   commands;     ///< in rows of all files
    bool       ends_in_seal; ///< the last record is a SEAL
    bool       has_fault, is_finished, has_failed;
    tp_hash128 last_root;
    char       refusal[TP_ERROR_SIZE];
} LogFront;

struct tp_writer {
    LogRing       ring;
    bool          is_threaded;
    uint32_t      run_ticks, root_size, leaves_ticks, key_ticks, seal_ticks, durable_ticks;
    tp_durability durability;
    bool          no_index;
    uint64_t      rotate_ticks;
    uint8_t      *next_ident;  ///< IDENT of the next file but for sequence, first tick and predecessor; NULL: the sink has no next
    size_t        next_ident_size;
    LogRowShape   shape;
    size_t        run_limit;   ///< payload bytes
    size_t        state_max;
    uint64_t     *leaves;      ///< scratch
    uint32_t      leaves_capacity;
    LogFront      front;
    LogBack       back;
    LogPublished  published;
};

/// Completes and writes one buffer's records. After a failure it drops them.
void log_back_process(tp_writer *writer, LogBuffer *buffer);
void log_back_finish(LogBack *back);

// The back's steps that rotation shares (log_writer_back.c).

/// Completes the record whose head starts at `bytes`, as the one at `offset` of the file.
void     log_back_frame(LogBack *back, uint8_t *bytes, uint64_t offset);
/// INDEX, completed, as the record at the file's end; the caller frees it. NULL: the log goes without.
uint8_t *log_back_make_index(LogBack *back, uint64_t tick, size_t *size);
bool     log_back_write(tp_writer *writer, const uint8_t *bytes, size_t size);
bool     log_back_sync(tp_writer *writer);
/// Ends the file and begins the next one (log_writer_next.c), or goes on with this one. False once writing has failed.
bool     log_back_rotate(tp_writer *writer, LogBuffer *buffer, bool *has_end, uint8_t end_chain[TP_LOG_CHAIN_SIZE]);

// The front's steps that creation and resumption share (log_writer.c).

/// A record's payload inside the buffer, handing over first when it does not fit. NULL, with a refusal, when it never fits.
uint8_t *log_front_append(tp_writer *writer, uint32_t type, uint64_t tick, size_t size);
bool     log_front_append_key(tp_writer *writer, tp_sim *sim, bool is_unproven);
bool     log_front_append_seal(tp_writer *writer);
/// INDEX's stand-in, if there is to be one, and END.
bool     log_front_append_end(tp_writer *writer, tp_end_reason reason);
/// What tp_writer_rotate does, with the run closed (log_writer_next.c).
bool     log_front_rotate(tp_writer *writer, tp_sim *sim);
/// Most bytes that a rotation appends.
size_t   log_front_rotation_size(const tp_writer *writer);
/// Hands the buffer over; without a second thread it is written at once. False once writing has failed.
bool     log_front_hand_over(tp_writer *writer);

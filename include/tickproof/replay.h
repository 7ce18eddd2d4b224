// replay.h: the log, `.tpr`: writing it while a world runs, reading it whole, torn, damaged or still growing. The bytes are
// described in replays/README.md. Nothing here steps a world; verify.h does.
#pragma once

#include "tickproof/sim.h"

#ifdef __cplusplus
extern "C" {
#endif

/// What reading came to. Numbers are not stored anywhere.
typedef enum tp_log_status {
    TP_LOG_OK           = 0,
    TP_LOG_DONE         = 1, ///< END was read and nothing follows it
    TP_LOG_WAIT         = 2, ///< follow mode: the next record is not wholly there yet
    TP_LOG_TRUNCATED    = 3, ///< the file ends early, or in zeroes: the prefix is good
    TP_LOG_CORRUPT      = 4, ///< damaged or malformed at `offset`
    TP_LOG_UNSUPPORTED  = 5, ///< another format version or container
    TP_LOG_UNAUTHENTIC  = 6, ///< a chain value or signature does not hold
    TP_LOG_IO           = 7, ///< the operating system said no
    TP_LOG_NO_MEMORY    = 8,
} tp_log_status;

const char *tp_log_status_name(tp_log_status status);

enum {
    TP_LOG_VERSION         = 1,
    TP_LOG_HEADER_SIZE     = 28,
    TP_LOG_RECORD_HEAD     = 28,
    TP_LOG_ROWS_MAX        = 256,
    TP_LOG_PROVENANCE_MAX  = 256,   ///< items
    TP_LOG_CHAIN_SIZE      = 32,
    TP_LOG_IDENT_MAX       = 65536, ///< payload bytes; likewise below
    TP_LOG_TICKS_MAX       = 4194304,
    TP_LOG_LEAVES_MAX      = 65536,
    TP_LOG_FAULT_MAX       = 131072,
    TP_LOG_NOTE_MAX        = 65536,
    TP_LOG_RESUME_MAX      = 65536,
    TP_LOG_INDEX_MAX       = 16777216,
    TP_LOG_KEY_MAX         = 48 + TP_STATE_SIZE_MAX,
};

/// Record types as their four letters read little-endian.
#define TP_LOG_TYPE(a, b, c, d) ((uint32_t)(a) | (uint32_t)(b) << 8 | (uint32_t)(c) << 16 | (uint32_t)(d) << 24)
#define TP_LOG_IDENT TP_LOG_TYPE('I', 'D', 'N', 'T')
#define TP_LOG_KEY TP_LOG_TYPE('K', 'E', 'Y', 'F')
#define TP_LOG_TICKS TP_LOG_TYPE('T', 'I', 'C', 'K')
#define TP_LOG_LEAVES TP_LOG_TYPE('L', 'E', 'A', 'F')
#define TP_LOG_FAULT TP_LOG_TYPE('F', 'A', 'L', 'T')
#define TP_LOG_NOTE TP_LOG_TYPE('N', 'O', 'T', 'E')
#define TP_LOG_SEAL TP_LOG_TYPE('S', 'E', 'A', 'L')
#define TP_LOG_GAP TP_LOG_TYPE('G', 'A', 'P', 'S')
#define TP_LOG_RESUME TP_LOG_TYPE('R', 'E', 'S', 'M')
#define TP_LOG_INDEX TP_LOG_TYPE('I', 'N', 'D', 'X')
#define TP_LOG_END TP_LOG_TYPE('E', 'N', 'D', 'L')

typedef enum tp_end_reason {
    TP_END_COMPLETED = 1,
    TP_END_STOPPED   = 2,
    TP_END_FAULT     = 3,
    TP_END_ROTATED   = 4,
} tp_end_reason;

typedef enum tp_gap_cause {
    TP_GAP_STORAGE_FULL  = 1,
    TP_GAP_STORAGE_ERROR = 2,
    TP_GAP_OVERLOAD      = 3,
    TP_GAP_OTHER         = 4,
} tp_gap_cause;

const char *tp_end_reason_name(uint32_t reason); ///< "completed", ...; NULL when not one
const char *tp_gap_cause_name(uint32_t cause);   ///< "storage full", ...; NULL when not one

/// One item of provenance. On reading, both texts are borrowed from the record, and not terminated.
typedef struct tp_provenance {
    const char *key;
    size_t      key_size;
    const char *value;
    size_t      value_size;
} tp_provenance;

/// The rules part of an IDENT, parsed: what a verifier needs to find the world and make the same setup.
typedef struct tp_ident {
    uint32_t          abi;
    uint32_t          revision;
    tp_hash128        fingerprint;
    uint64_t          seed;
    uint32_t          players;
    uint32_t          tick_rate_hz;
    uint32_t          input_size;
    tp_hash_algorithm algorithm;
    bool              is_opaque;
    char              world[TP_NAME_SIZE_MAX + 1];
    uint32_t          config_count;
    char              config_names[TP_CONFIG_ITEMS_MAX][TP_NAME_SIZE_MAX + 1];
    int64_t           config_values[TP_CONFIG_ITEMS_MAX];
    uint32_t          content_count;
    char              content_names[64][TP_NAME_SIZE_MAX + 1];
    uint8_t           content_hashes[64][16];
    tp_rules          rules; ///< canonical bytes and their id
    uint32_t          sequence;
    uint64_t          first_tick;
    uint8_t           predecessor[TP_LOG_CHAIN_SIZE];
    uint32_t          provenance_count;
    uint32_t          provenance_size;                  ///< bytes of the encoded provenance
    uint8_t           provenance[TP_LOG_IDENT_MAX];     ///< encoded; walk it with tp_provenance_next
} tp_ident;

/// Fills `ident` from foreign rules alone (a server's, say): a first file without provenance. False with the reason; `ident` is then
/// worth nothing.
bool tp_ident_of_rules(const uint8_t *bytes, size_t size, tp_ident *ident, tp_error *error);

/// Walks encoded provenance: *offset starts at 0. False at the end. The bytes were checked when they were read.
bool tp_provenance_next(const uint8_t *bytes, size_t size, size_t *offset, tp_provenance *item);

// Bytes to read from.

/// Random-access bytes. `read_at` gives the bytes read (fewer than asked only at the end), or -1 with errno set. `size` gives the
/// current size or -1. Both must allow a growing file.
typedef struct tp_source {
    void *self;
    int64_t (*read_at)(void *self, uint64_t offset, void *buffer, size_t size);
    int64_t (*size)(void *self);
} tp_source;

typedef struct tp_memory_source {
    const uint8_t *bytes;
    size_t         size;
} tp_memory_source;
/// `memory` must outlive the source.
tp_source tp_source_of_memory(tp_memory_source *memory);
/// Reads an open file descriptor with pread; the caller closes it.
tp_source tp_source_of_fd(int *fd);

// Reading.

/// One record, structurally checked as far as the page says without a world. `payload` is borrowed until the next call.
typedef struct tp_log_record {
    uint32_t       type;
    uint64_t       tick;
    uint64_t       offset; ///< of the record in the file
    uint64_t       number; ///< 0 for IDENT
    const uint8_t *payload;
    uint32_t       size;
} tp_log_record;

typedef struct tp_log_key {
    uint64_t       previous_offset;
    bool           has_root, is_unproven;
    tp_hash128     root;
    uint64_t       input_leaf, event_leaf;
    const uint8_t *state;
    uint32_t       state_size;
} tp_log_key;

typedef struct tp_log_leaves {
    tp_hash128     root;
    uint32_t       count;  ///< state leaves, then input and event leaf are included: count >= 2
    const uint8_t *leaves; ///< count * 8 bytes, little-endian
} tp_log_leaves;

typedef struct tp_log_seal {
    uint8_t  chain[TP_LOG_CHAIN_SIZE];
    uint64_t ticks, records;
    bool     is_signed;
    uint8_t  public_key[32], signature[64];
} tp_log_seal;

typedef struct tp_log_gap {
    uint64_t     first, last;
    tp_gap_cause cause;
} tp_log_gap;

typedef struct tp_log_resume {
    uint32_t       epoch;
    uint64_t       next, cut_bytes;
    const uint8_t *provenance;
    uint32_t       provenance_size;
} tp_log_resume;

typedef struct tp_log_counts {
    uint64_t keys, ticks_records, leaves, notes, seals, gaps, resumes, commands;
} tp_log_counts;

typedef struct tp_log_end {
    tp_end_reason reason;
    bool          has_root;
    uint64_t      ticks, records;
    tp_log_counts counts;
    tp_hash128    root, binding;
    uint64_t      index_offset;
    uint8_t       chain[TP_LOG_CHAIN_SIZE];
    bool          is_signed;
    uint8_t       public_key[32], signature[64];
} tp_log_end;

typedef struct tp_log_note {
    uint32_t    kind;
    const char *text; ///< not terminated
    uint32_t    size;
} tp_log_note;
/// MEMBER is a server's book-keeping: who has which slot, for one that takes the log up later.
enum { TP_NOTE_TEXT = 1, TP_NOTE_FAULT = 2, TP_NOTE_MEMBER = 3 };

// Parsers of a checked record's payload; they cannot fail on a record that the reader gave.
tp_log_key    tp_log_parse_key(const tp_log_record *record);
tp_log_leaves tp_log_parse_leaves(const tp_log_record *record);
tp_log_seal   tp_log_parse_seal(const tp_log_record *record);
tp_log_gap    tp_log_parse_gap(const tp_log_record *record);
tp_log_resume tp_log_parse_resume(const tp_log_record *record);
tp_log_end    tp_log_parse_end(const tp_log_record *record);
tp_log_note   tp_log_parse_note(const tp_log_record *record);

/// One row of a TICKS or FAULT record. `bytes` is presence, origins, inputs, count, commands.
typedef struct tp_log_row {
    uint64_t       tick;
    const uint8_t *bytes;
    uint32_t       size;
    const uint8_t *presence, *origins, *inputs;
    uint32_t       command_count;
    const uint8_t *commands;  ///< encoded: walk with tp_log_command_next
    uint32_t       commands_size;
    const uint8_t *root;      ///< root_size bytes
    uint32_t       root_size;
} tp_log_row;

typedef struct tp_log_rows {
    const tp_ident *ident;
    const uint8_t  *payload;
    uint32_t        size, offset, row, count, root_size;
    uint64_t        tick;
} tp_log_rows;

/// Starts at the first row of a TICKS record, or at the one row of a FAULT record.
tp_log_rows tp_log_rows_of(const tp_ident *ident, const tp_log_record *record);
bool        tp_log_rows_next(tp_log_rows *rows, tp_log_row *row);
/// `*offset` starts at 0; commands have canonical bytes as data.
bool        tp_log_command_next(const tp_log_row *row, uint32_t *offset, tp_command *command);

typedef struct tp_reader tp_reader;

typedef struct tp_reader_options {
    bool follow;      ///< an incomplete record at the end of the file means TP_LOG_WAIT, not TP_LOG_TRUNCATED
    bool skip_chain;  ///< do not compute the chain nor check it (a second pass over a file already checked)
} tp_reader_options;

/// Reads header and IDENT. On any status but OK the reader is still made (unless NO_MEMORY) and tells where and why; in
/// follow mode WAIT means call tp_reader_next later. Memory: the largest record actually present, at most its bound.
tp_log_status tp_reader_open(const tp_source *source, const tp_reader_options *options, tp_reader **reader);
void          tp_reader_close(tp_reader *reader);
/// Next record (IDENT is the first). Statuses other than OK and WAIT are final. Everything that the page asks of a record is
/// checked before it is given, chain values and signatures included.
tp_log_status tp_reader_next(tp_reader *reader, tp_log_record *record);
/// NULL until IDENT has been read.
const tp_ident *tp_reader_ident(const tp_reader *reader);
uint64_t        tp_reader_offset(const tp_reader *reader);    ///< file offset of the next record, or of what is wrong
uint64_t        tp_reader_size(const tp_reader *reader);      ///< of the raw log, as last asked: it may grow
uint64_t        tp_reader_next_tick(const tp_reader *reader); ///< first tick not recorded yet
uint64_t        tp_reader_ticks(const tp_reader *reader);     ///< rows read
const tp_log_counts *tp_reader_counts(const tp_reader *reader);
/// One line on the last status other than OK: what was being read and what is wrong, without file name or offset.
const char     *tp_reader_message(const tp_reader *reader);
/// Chain value over every record given so far.
const uint8_t  *tp_reader_chain(const tp_reader *reader);
/// True when at least one SEAL or END was signed; `key` (may be NULL) gets the last key.
bool            tp_reader_is_signed(const tp_reader *reader, uint8_t key[32]);
/// Goes on at a KEY record known from INDEX or from a scan: the next record given is that KEY. For skip_chain readers only. From
/// then on what depends on everything before (totals, back-link of that KEY, INDEX against a scan) is not checked any more.
tp_log_status   tp_reader_seek(tp_reader *reader, uint64_t offset, uint64_t tick);

// Writing.

/// Where bytes go. Called from the thread that calls tp_log_back_write.
typedef struct tp_sink {
    void *self;
    /// False with errno set when not all bytes were taken; the file then ends at some point before.
    bool (*write)(void *self, const uint8_t *bytes, size_t size);
    /// Makes everything written durable. NULL: nothing to do.
    bool (*sync)(void *self);
    // A place for a series of files; both NULL: for one file only.
    /// Makes the file of `sequence` beside the current one, with these first bytes in it, and durable with its name when
    /// `wants_sync`. Bytes go on to the current file until `turn`. False with errno set, and with nothing left behind: the current
    /// file goes on.
    bool (*next)(void *self, uint32_t sequence, const uint8_t *bytes, size_t size, bool wants_sync);
    /// The current file has its END (synced, as far as the settings ask): later bytes go to the end of the next one.
    void (*turn)(void *self);
} tp_sink;

typedef struct tp_memory_sink {
    uint8_t *bytes;
    size_t   size, capacity;
} tp_memory_sink;
tp_sink tp_sink_of_memory(tp_memory_sink *memory); ///< grows `bytes` with realloc; the caller frees them
tp_sink tp_sink_of_fd(int *fd);                    ///< write and fdatasync; the caller closes it

/// When a tick is durable. Never on the tick thread when a queue is used (see tp_writer_options.queue).
typedef enum tp_durability {
    TP_DURABLE_NONE     = 0, ///< the operating system decides
    TP_DURABLE_INTERVAL = 1, ///< a run is closed, sealed and synced every `durable_ticks`
    TP_DURABLE_SEAL     = 2, ///< synced at every SEAL
    TP_DURABLE_TICK     = 3, ///< a run is one tick, sealed and synced
} tp_durability;

typedef struct tp_writer_options {
    uint32_t      run_ticks;      ///< rows per TICKS record, 1 to 256; 64
    uint32_t      root_size;      ///< 0 or 4 to 16; 8
    uint32_t      leaves_ticks;   ///< 0: no LEAVES; 64
    uint32_t      key_ticks;      ///< 0: only the first KEY; 3,600
    uint32_t      seal_ticks;     ///< 0: only at the end; 600
    tp_durability durability;
    uint32_t      durable_ticks;  ///< for TP_DURABLE_INTERVAL; 60
    bool          no_index;
    uint32_t             provenance_count;
    const tp_provenance *provenance;
    const uint8_t       *sign_key; ///< 64-byte Ed25519 secret key, or NULL
    // Where a file of a series begins: all zero for the first one.
    uint32_t sequence;
    uint8_t  predecessor[TP_LOG_CHAIN_SIZE];
    uint64_t rotate_ticks; ///< 0: never by itself; else a new file at its multiples, which needs a sink with `next`
} tp_writer_options;

void tp_writer_options_standard(tp_writer_options *options);

/// The writer has two halves, so that the tick thread neither hashes, writes nor syncs. The *front* packs rows into records
/// inside buffers that were taken at creation; the *back* computes CRCs and chain, writes and syncs. tp_writer_tick hands a
/// full buffer to the back: at once on the same thread, or to whoever calls tp_writer_back from another thread. When the back is
/// behind by all buffers, the front waits for it: nothing that was given is dropped. One run is one buffer and one write.
typedef struct tp_writer tp_writer;
struct tp_recovery;

/// Writes header, IDENT and the first KEY from the sim's current state (sequence 0 needs tick 0). NULL with the reason. The sink
/// must outlive the writer. `threaded`: the caller promises to call tp_writer_back from one other thread until tp_writer_finish
/// has been called and tp_writer_back returned false. `options` NULL: the standard ones. Options are copied.
tp_writer *tp_writer_create(const tp_sink *sink, tp_sim *sim, const tp_writer_options *options, bool threaded, tp_error *error);
/// Continues a recovered file (see tp_log_recover) with RESUME. The caller has cut the file to `good_size` and the sink appends
/// there. `sim` stands at its next tick, or further: then tp_writer_gap must admit the ticks between before anything else. The
/// provenance goes into RESUME; sequence and predecessor are not looked at. A log that ends in a FAULT cannot go on: it gets no
/// RESUME and can only be finished. Refused when END was there or when the sim's rules are not the log's.
tp_writer *tp_writer_resume(const tp_sink *sink, tp_sim *sim, const tp_writer_options *options, const struct tp_recovery *recovery,
                            bool threaded, tp_error *error);

/// After tp_sim_step returned OK for this row: appends it with its root, and LEAVES, KEY and SEAL when due (at multiples of their
/// distances; no LEAVES without roots). No allocation. A run is closed early when its rows would not fit a usual run and one
/// row full of commands, or 1 MiB. False once writing has failed (tp_writer_error says why). A failure is for ever, since how much
/// reached the file is not known: to go on, recover the file, resume, and report a GAP. False, with the log as it was, when a
/// tick is missing before this one.
bool tp_writer_tick(tp_writer *writer, tp_sim *sim, const tp_row *row);
/// After tp_sim_step returned FAULTED for this row: FAULT, and a NOTE that says which operation it was. Only notes and the finish
/// may follow.
bool tp_writer_fault(tp_writer *writer, tp_sim *sim, const tp_row *row);
/// `text` is UTF-8, at most 65,532 bytes; that of a MEMBER is as the page says; else refused.
bool tp_writer_note(tp_writer *writer, uint32_t kind, const char *text, size_t size);
/// Ends this file (END, rotated) and begins the next one of the series with the sim's current state, which is after at least one
/// row. Only packs: the back makes the next file before it ends this one, so that no crash can leave an END without a successor.
/// Where the next file cannot be made nothing is lost: this one goes on, and tp_writer_has_not_rotated says why. Refused without
/// a sink that has `next`, after a fault, and before the file's first row.
bool tp_writer_rotate(tp_writer *writer, tp_sim *sim);
/// True, with the reason, when the last rotation that was tried did not come about. Thread-safe.
bool tp_writer_has_not_rotated(const tp_writer *writer, tp_error *error);
/// Admits that ticks first .. sim's tick - 1 were not recorded, then writes a KEY of the sim's current state.
bool tp_writer_gap(tp_writer *writer, tp_sim *sim, uint64_t first, tp_gap_cause cause);
/// Closes the current run, so that everything so far reaches the back.
bool tp_writer_flush(tp_writer *writer);
/// Ends the log: SEAL, INDEX, END, sync (but for TP_DURABLE_NONE). With a threaded back this hands over the last buffer; wait for
/// the back. After a fault the reason is TP_END_FAULT whatever was given, and it is legal only then.
bool tp_writer_finish(tp_writer *writer, tp_sim *sim, tp_end_reason reason);
/// Hands over what there is and lets the back stop, without END: for a log that is to be resumed later.
bool tp_writer_abandon(tp_writer *writer);
/// The chain value in END, which the next file of a series names as its predecessor's; after the finish has reached the file.
const uint8_t *tp_writer_chain(const tp_writer *writer);
/// Text of the first failure ("writing 812 bytes at offset 4096: No space left on device"), or NULL.
const char    *tp_writer_error(const tp_writer *writer);
/// What is known of the failure of a sink: what a program needs to cut the file and go on.
typedef struct tp_writer_failure {
    int      reason;        ///< errno; 0: not told
    bool     is_sync;       ///< it was the sync: what came after `durable_bytes` may not be on the disk, whatever reading it says
    uint64_t whole_bytes;   ///< of the current file: its records were all taken up to here
    uint64_t durable_bytes; ///< of the current file: up to here they were synced
} tp_writer_failure;
/// False when the sink has not failed (what the front refused is no failure of the sink). Thread-safe.
bool           tp_writer_has_failed(const tp_writer *writer, tp_writer_failure *failure);
/// Ticks that are durable: every tick below this number is on the disk as far as the settings promise. Thread-safe.
uint64_t       tp_writer_durable_tick(const tp_writer *writer);
/// Size of the file so far, with the files of the series that this writer ended before it. Thread-safe.
uint64_t       tp_writer_bytes(const tp_writer *writer);
/// The back's turn (threaded only): takes one handed-over buffer, waiting for it; false when finished and empty.
bool           tp_writer_back(tp_writer *writer);
/// Frees everything. A log that was not finished has no END and reads as truncated.
void           tp_writer_destroy(tp_writer *writer);

// Recovery.

/// What is left of a torn or growing log, and what a writer needs to go on.
typedef struct tp_recovery {
    uint64_t      good_size;  ///< bytes to keep
    uint64_t      cut_bytes;  ///< bytes after them
    uint64_t      next_tick;
    uint64_t      records;
    uint32_t      epoch;      ///< RESUME records so far
    uint32_t      sequence;
    uint64_t      first_tick;
    uint8_t       predecessor[TP_LOG_CHAIN_SIZE];
    uint8_t       marker[8];
    uint8_t       chain[TP_LOG_CHAIN_SIZE];
    tp_log_counts counts;
    uint64_t      ticks;
    uint64_t      last_key_offset, last_key_tick;
    uint64_t     *key_ticks, *key_offsets; ///< all KEYs, for the INDEX; freed by tp_recovery_finish
    size_t        key_count;
    tp_hash128    rules_id;
    bool          has_fault;  ///< the run ended in a FAULT: the log can only be finished
    bool          is_ended;   ///< END was there: nothing to recover
    tp_end_reason end_reason; ///< of END
    uint8_t       end_chain[TP_LOG_CHAIN_SIZE]; ///< in END: what the next file of the series names
    tp_log_status status;     ///< what stopped the scan: DONE, TRUNCATED or CORRUPT
    uint64_t      stop_offset;                ///< where it stopped
    char          stop_text[TP_ERROR_SIZE];   ///< and why; empty when DONE
} tp_recovery;

/// Scans a log and says what is good: up to its last complete record, without a GAP or an INDEX at the very end, since RESUME may
/// follow neither. Damage in the middle is OK, too, with status CORRUPT: cutting there loses good records behind it, so keep a copy of
/// such a file. IO, NO_MEMORY, UNSUPPORTED, UNAUTHENTIC and a bad header, IDENT or first KEY are failures; else OK.
tp_log_status tp_log_recover(const tp_source *source, tp_recovery *recovery, tp_error *error);
/// The same, and shows every record that is kept, in order; the ident is valid until the return. For who needs more of a log than going
/// on with it, without reading it twice.
typedef void tp_recovery_watch(void *to, const tp_ident *ident, const tp_log_record *record);
tp_log_status tp_log_recover_watched(const tp_source *source, tp_recovery_watch *watch, void *to, tp_recovery *recovery,
                                     tp_error *error);
void          tp_recovery_finish(tp_recovery *recovery);

// Repair: a log without END gets one, in a copy, without its world.

/// What a repair would come to. `recovery` says what is kept.
typedef struct tp_repair {
    tp_recovery recovery;
    bool        is_whole;     ///< END is there and nothing follows it: there is nothing to repair
    bool        is_damaged;   ///< what is cut is no torn tail: damage at recovery.stop_offset, and perhaps good records behind it
    bool        has_root;     ///< the last kept tick's root stands in the log as a whole, so END can name it
    tp_hash128  root;
    uint64_t    seals, signed_seals; ///< kept
    uint8_t     public_key[32];      ///< of the last of them
    uint64_t    lost_records; ///< heads of records that hold, in what is cut; the first one perhaps torn
    uint64_t    lost_next_tick; ///< one behind the last tick that those speak of; recovery.next_tick when they speak of none
} tp_repair;

typedef struct tp_repair_options {
    uint32_t             provenance_count; ///< of RESUME: who repaired
    const tp_provenance *provenance;
    const uint8_t       *sign_key;         ///< 64-byte secret key for the new SEAL and END, or NULL
} tp_repair_options;

/// Reads the log as tp_log_recover does, with the same failures, and UNSUPPORTED for a sealed file. Finish the repair in any case but those.
tp_log_status tp_log_repair_look(const tp_source *source, tp_repair *repair, tp_error *error);
/// Writes the repaired copy: what is kept, byte for byte, then RESUME, SEAL, INDEX and END (stopped). After a FAULT there is no RESUME,
/// and END says fault. Where END is there, and only what follows it is cut, nothing is added. Not for a whole log. Whether to cut
/// damage is the caller's to ask first.
tp_log_status tp_log_repair_write(const tp_source *source, const tp_repair *repair, const tp_repair_options *options, const tp_sink *sink,
                                  tp_error *error);
void          tp_repair_finish(tp_repair *repair);

// Signing what is there already. A writer with a sign_key signs SEALs and END as it records.

enum { TP_SECRET_KEY_SIZE = 64, TP_PUBLIC_KEY_SIZE = 32 };

/// A new pair for Ed25519 of the system's randomness. False when libsodium does not start.
bool tp_keys_make(uint8_t secret_key[TP_SECRET_KEY_SIZE], uint8_t public_key[TP_PUBLIC_KEY_SIZE]);
/// The public half. False when the secret key's two halves do not belong together: it is none.
bool tp_keys_public(const uint8_t secret_key[TP_SECRET_KEY_SIZE], uint8_t public_key[TP_PUBLIC_KEY_SIZE]);
/// Overwrites a secret in a way that no compiler leaves out.
void tp_keys_wipe(void *secret, size_t size);

/// A whole log as it is before it is signed.
typedef struct tp_signing {
    uint64_t   size;       ///< bytes of the raw log
    uint64_t   end_offset; ///< of END's record
    uint64_t   end_tick;
    tp_log_end end;        ///< whether it is signed, and by whom
    uint64_t   ticks, seals, signed_seals;
    uint8_t    marker[8];
    uint8_t    payload[272]; ///< END's
} tp_signing;

/// Reads all of a log and checks its structure, chain and signatures. OK for a log with END and nothing behind it, else what is wrong;
/// UNSUPPORTED for a sealed file.
tp_log_status tp_log_sign_look(const tp_source *source, tp_signing *signing, tp_error *error);
/// Writes the copy that is signed: END's signature covers the chain value over every record before it, and no byte but END's changes. So
/// SEALs stay as they are, and so does what the next file of a series says of this one.
tp_log_status tp_log_sign_write(const tp_source *source, const tp_signing *signing, const uint8_t secret_key[TP_SECRET_KEY_SIZE],
                                const tp_sink *sink, tp_error *error);

// Sealing: a whole log in a smaller form. A reader reads both forms: offsets, chain, signatures and what it says are those of the raw log.

/// 0 raw, 1 sealed (or another number that the file says); -1 when it is no log, or cannot be read. Looks at the header alone.
int tp_log_container(const tp_source *source);

/// What a sealed file is made of.
typedef enum tp_seal_column {
    TP_SEAL_HEADS    = 0, ///< of records
    TP_SEAL_SLOTS    = 1, ///< presence and origins
    TP_SEAL_INPUTS   = 2,
    TP_SEAL_COMMANDS = 3,
    TP_SEAL_ROOTS    = 4, ///< of rows
    TP_SEAL_LEAVES   = 5,
    TP_SEAL_STATES   = 6, ///< of KEYs
    TP_SEAL_REST     = 7,
    TP_SEAL_COLUMNS  = 8,
} tp_seal_column;

enum { TP_SEAL_LEVEL_MAX = 22, TP_SEAL_LEVEL_STANDARD = 19 };

typedef struct tp_seal_options {
    int level; ///< zstd's, 1 to TP_SEAL_LEVEL_MAX; 0: the standard one
} tp_seal_options;

typedef struct tp_seal_counts {
    uint64_t raw_size, sealed_size, ticks, frames;
    uint64_t raw[TP_SEAL_COLUMNS], packed[TP_SEAL_COLUMNS]; ///< bytes by column; heads, CRCs and markers of records are not in `raw`
    uint64_t inputs_zstd3; ///< for comparison: all inputs, row by row, as one stream of zstd -3
} tp_seal_counts;

/// Reads all of a raw log, checks structure, chain and signatures, and writes its sealed form to `out`, whose bytes are only good when
/// this gave OK. `options` may be NULL. UNSUPPORTED: it is sealed already. Memory: a few times a stretch between two KEYs, of which at
/// most 72 MiB are looked at together.
tp_log_status tp_seal_log(const tp_source *raw, const tp_sink *out, const tp_seal_options *options, tp_seal_counts *counts, tp_error *error);
/// Writes the raw log that was sealed, byte for byte; CORRUPT with the place for a damaged one, UNSUPPORTED for one that is not sealed. Chain and
/// signatures are not looked at.
tp_log_status tp_unseal_log(const tp_source *sealed, const tp_sink *out, tp_error *error);
/// OK when `sealed` is the sealed form of exactly these bytes.
tp_log_status tp_sealed_compare(const tp_source *sealed, const tp_source *raw, tp_error *error);

#ifdef __cplusplus
}
#endif

// server_log.h: a room's own log. The tick thread packs rows; a recorder thread of the room hashes, writes and syncs.
//
// One recorder per log, since a writer's back waits for its own front only. When the disk is four runs of ticks behind, the
// tick thread waits for it: a log never drops what it was given.
//
// A log survives. A server that was killed takes it up where the disk has it (server_log_resume.c). A disk that takes no more costs
// ticks, which a GAP admits, and not the log (server_log_repair.c). A long one goes on in a next file (server_log_files.c).
#pragma once

#include <stdatomic.h>
#include <stdbool.h>

#include <uv.h>

#include "server_limits.h"
#include "tickproof/numerics.h"
#include "tickproof/replay.h"

enum { SERVER_TOKEN_HASH = 16 }; ///< bytes of a rejoin token's hash

typedef struct ServerLogOptions {
    const char     *directory;
    const char     *room;
    uint32_t        loop;      ///< from 1; later ones get a name of their own
    const char     *source;    ///< for provenance: the recorded log's file name
    const char     *build;     ///< for provenance; NULL: left out
    tp_durability   durability;
    const uint8_t  *sign_key;  ///< 64-byte secret key, which must outlive the log; NULL: not signed
    const tp_ident *ident;     ///< of the log that the room steps: its place in a series and its players' names are kept; NULL: none
    uint64_t        rotate_ticks; ///< 0: one file; else a new one at its multiples
    bool            goes_on;   ///< takes up the room's newest log when that has no END and the sim's rules (live rooms)
    /// A membership of the log that is taken up, as of where it goes on; before server_log_open returns. May be NULL.
    void (*member)(void *to, uint32_t slot, const uint8_t token_hash[SERVER_TOKEN_HASH]);
    void *member_to;
    void (*drained)(void *to); ///< on the recorder thread, when everything is written: wakes the tick thread
    void *to;
} ServerLogOptions;

/// What server_log_open took up.
typedef struct ServerLogTakenUp {
    bool     is_taken_up;  ///< else the log is a new file
    uint32_t epoch;        ///< how often the run was taken up or repaired so far, this time included: grows with every restart. 0: it begins here
    uint64_t next_tick;    ///< where `sim` stands now
    uint64_t cut_bytes;
    char     passed_over[TP_ERROR_SIZE]; ///< why a log without END was left alone and a new one made ("its rules are others: seed 5, the room's is 7"); empty: there was none
} ServerLogTakenUp;

/// What the two threads are at. Changed under the lock.
typedef enum ServerLogPhase {
    SERVER_LOG_WRITING = 0, ///< all is well, or the failure has not been looked at
    SERVER_LOG_CUTTING,     ///< asked: the recorder cuts the file behind its last whole record
    SERVER_LOG_RESTING,     ///< until the next try
    SERVER_LOG_PROBING,     ///< asked: the recorder finds out whether the disk takes bytes again
    SERVER_LOG_READY,       ///< it does: the tick thread makes a new writer
    SERVER_LOG_LAST,        ///< asked: the recorder tries once more to give the log an end, by itself
} ServerLogPhase;

/// Who is in the room, as the log's NOTEs tell it.
typedef struct ServerLogMembers {
    bool    is_taken[TP_PLAYERS_MAX];
    bool    is_told[TP_PLAYERS_MAX]; ///< some file of the log speaks of the slot
    uint8_t token_hash[TP_PLAYERS_MAX][SERVER_TOKEN_HASH];
} ServerLogMembers;

/// What makes the world again, for the recorder's last try and for a look before a log is taken up.
typedef struct ServerLogWorld {
    const tp_world   *world;
    tp_setup          setup;
    int64_t           config[TP_CONFIG_ITEMS_MAX];
    tp_hash_algorithm algorithm;
} ServerLogWorld;

/// The end of the run, for the last try: the sim itself may be gone by then.
typedef struct ServerLogLast {
    uint8_t      *state; ///< NULL: there was no memory for it
    size_t        size;
    uint64_t      tick, input_leaf, event_leaf;
    tp_end_reason reason;
} ServerLogLast;

enum { SERVER_LOG_ITEMS = 7 + SERVER_PROVENANCE_COPIED };

/// Zeroed means closed. Must not move while it is open.
typedef struct ServerLog {
    tp_writer *writer;
    tp_sink    sink;
    uv_thread_t thread;
    uv_mutex_t  mutex;
    uv_cond_t   changed;
    bool        has_lock, has_thread;

    // What does not change.
    char          *base;           ///< DIRECTORY/ROOM, DIRECTORY/ROOM.loop2: what all its files' names begin with
    char          *texts;          ///< of the provenance
    tp_provenance  items[SERVER_LOG_ITEMS];
    uint32_t       item_count;
    char           epoch_text[16];
    char           numerics[TP_NUMERICS_SIZE];
    uint32_t       number;         ///< in the names of its files
    tp_durability  durability;
    const uint8_t *sign_key;       ///< NULL: not signed
    uint64_t       rotate_ticks;
    uint32_t       sequence;       ///< of a new file
    uint8_t        predecessor[TP_LOG_CHAIN_SIZE];
    uint32_t       epoch_base;     ///< of the current writer's file, beside its own RESUMEs; changed when there is no recorder, or under the lock
    ServerLogWorld world;
    size_t         probe_size;

    // The recorder's, once it runs.
    int         file, next_file;
    char        next_path[SERVER_PATH_SIZE];
    uint64_t    ended_bytes;    ///< of the files that rotation has ended
    uint64_t    start_bytes;    ///< of a new file, what stood in it before the recorder ran; 0: that was synced
    tp_writer_failure failure;
    tp_recovery recovery;
    bool        is_cut;         ///< the file ends behind a whole record, and `recovery` is of it
    bool        is_lost;        ///< it was found damaged before that place: left as it is
    ServerLogLast last;
    int64_t     cpu_ns;         ///< of the recorder; after the close
    atomic_bool is_drained;
    void (*drained)(void *to);
    void *to;

    // Between the two, under the lock.
    ServerLogPhase phase;
    bool     has_turned;
    char     turned_path[SERVER_PATH_SIZE];
    char     error[2 * TP_ERROR_SIZE];

    // The tick thread's.
    bool     is_down;           ///< nothing can be recorded until a retry succeeds
    bool     is_finished;
    int64_t  retry_ns;
    uint64_t durable_tick;      ///< of the writers before
    ServerLogMembers members;
    char     told[2 * TP_ERROR_SIZE];
    char     path[SERVER_PATH_SIZE]; ///< of the current file
} ServerLog;

/// Makes a new file and starts its recorder. Files that are there already are not touched: the new one's name gets a number. `sim` stands at the log's
/// first tick. With `goes_on` the newest log of the room, if it ends without END, is cut behind its last whole record, stepped through from its last KEY
/// (every root compared; a difference means that this build cannot go on with it: passed over), and continued with RESUME, which is on the disk before
/// this returns; `sim` then stands at its next tick. A log that ends in a fault is finished, not taken up. False with the reason; the log is then closed,
/// a log of before is as it was up to its last whole record, and `sim` may stand anywhere. `taken_up` may be NULL.
bool server_log_open(ServerLog *log, tp_sim *sim, const ServerLogOptions *options, ServerLogTakenUp *taken_up, tp_error *error);
bool server_log_is_open(const ServerLog *log);

/// After the step; see tp_writer_tick. False once writing has failed, until server_log_retry says true.
bool server_log_tick(ServerLog *log, tp_sim *sim, const tp_row *row);
bool server_log_fault(ServerLog *log, tp_sim *sim, const tp_row *row);
/// `first`: the first tick that is missing.
bool server_log_gap(ServerLog *log, tp_sim *sim, uint64_t first, tp_gap_cause cause);
/// A membership begins or (token_hash NULL) ends, for a server that takes the log up later.
void server_log_member(ServerLog *log, uint32_t slot, const uint8_t token_hash[SERVER_TOKEN_HASH]);
/// After a failure, at any tick: tries again when it is time, without waiting for the disk on this thread. The failed file is cut behind its last
/// whole record and goes on with RESUME and a GAP for the ticks that are missing; *gap_ticks is how many, once, when it does. False: not (yet).
bool server_log_retry(ServerLog *log, tp_sim *sim, int64_t now_ns, uint64_t *gap_ticks);
/// Whether the next file of the series was begun since the last call; `path` of the log is that file then.
bool server_log_has_rotated(ServerLog *log);
/// What was recorded so far goes to the recorder now, not with the next run.
void server_log_flush(ServerLog *log);
/// Why the last rotation did not come about and the log goes on in its file, which costs nothing else. False: there was none, or it was done.
bool server_log_has_not_rotated(const ServerLog *log, tp_error *error);
/// Hands the end over; `drained` follows. Nothing may be recorded afterwards. A log that has failed gets one more try by the recorder: it ends with a
/// GAP and END, or behind its last whole record without END; server_log_error says which after the drain.
void server_log_finish(ServerLog *log, tp_sim *sim, tp_end_reason reason);
/// A remark for people, before the finish.
void server_log_note(ServerLog *log, const char *text, size_t size);
/// Why the log is incomplete, or NULL: also once a retry has succeeded, which the log tells itself. Valid until the next call. On the tick thread.
const char *server_log_error(ServerLog *log);
uint64_t    server_log_durable_tick(const ServerLog *log);
/// True once everything has been written, or writing has failed for good.
bool     server_log_is_drained(const ServerLog *log);
/// Waits for the recorder: at once when drained. Gives the bytes of its files.
uint64_t server_log_close(ServerLog *log);

// server_log.h: a room's own log. The tick thread packs rows; a recorder thread of the room hashes, writes and syncs.
//
// One recorder per log, since a writer's back waits for its own front only. When the disk is four runs of ticks behind, the
// tick thread waits for it: a log never drops what it was given.
#pragma once

#include <stdatomic.h>
#include <stdbool.h>

#include <uv.h>

#include "server_limits.h"
#include "tickproof/replay.h"

typedef struct ServerLogOptions {
    const char     *directory;
    const char     *room;
    uint32_t        loop;      ///< from 1; later ones get a name of their own
    const char     *source;    ///< for provenance: the recorded log's file name
    const char     *build;     ///< for provenance; NULL: left out
    tp_durability   durability;
    const tp_ident *ident;     ///< of the log that the room steps: its place in a series and its players' names are kept; NULL: none
    void (*drained)(void *to); ///< on the recorder thread, when everything is written: wakes the tick thread
    void *to;
} ServerLogOptions;

/// Zeroed means closed. Must not move while it is open.
typedef struct ServerLog {
    tp_writer *writer;
    tp_sink    sink;
    uv_thread_t thread;
    int         file;
    int         directory;      ///< synced once with the file's name in it, by the recorder; -1: not asked for, or done
    bool        is_finished;
    int64_t     cpu_ns;         ///< of the recorder; after the close
    atomic_bool is_drained;
    void (*drained)(void *to);
    void *to;
    char  path[SERVER_PATH_SIZE];
} ServerLog;

/// Makes a new file and starts its recorder. Files that are there already are not touched: the new one's name gets a number. `sim` stands at the log's
/// first tick. False with the reason; the log is then closed.
bool server_log_open(ServerLog *log, tp_sim *sim, const ServerLogOptions *options, tp_error *error);
bool server_log_is_open(const ServerLog *log);

/// After the step; see tp_writer_tick. False once writing has failed.
bool server_log_tick(ServerLog *log, tp_sim *sim, const tp_row *row);
bool server_log_fault(ServerLog *log, tp_sim *sim, const tp_row *row);
/// `first`: the first tick that is missing.
bool server_log_gap(ServerLog *log, tp_sim *sim, uint64_t first, tp_gap_cause cause);
/// Hands the end over; `drained` follows. Nothing may be recorded afterwards.
void server_log_finish(ServerLog *log, tp_sim *sim, tp_end_reason reason);
/// A remark for people, before the finish.
void server_log_note(ServerLog *log, const char *text, size_t size);
/// Why the log is incomplete, or NULL. On the tick thread.
const char *server_log_error(const ServerLog *log);
uint64_t    server_log_durable_tick(const ServerLog *log);
/// True once everything has been written, or writing has failed for good.
bool     server_log_is_drained(const ServerLog *log);
/// Waits for the recorder: at once when drained. Gives the bytes written.
uint64_t server_log_close(ServerLog *log);

// server_log_internal.h: what the parts of a room's log share: names and files, taking up, repairing.
#pragma once

#include "server_log.h"

enum {
    /// Bytes that a full disk must take again, beside a state, before a log goes on: less would be full again at once.
    SERVER_LOG_PROBE_BYTES = 262144,
};

// Files (server_log_files.c).

/// A log's name is BASE[.NUMBER][.partPART].tpr. `number` 1 is left out, and so is `part` 0: a log that is one file.
typedef struct ServerLogName {
    uint32_t number, part;
} ServerLogName;

enum { SERVER_LOG_PART_DIGITS = 4 }; ///< at least: names of a series sort in its order up to 9,999 files

/// False when it does not fit.
bool server_log_path(char path[SERVER_PATH_SIZE], const char *base, ServerLogName name);
/// The newest file of this base: of the highest number the highest part. A number of 0: there is none. False with the reason.
bool server_log_find_newest(const char *base, ServerLogName *newest, tp_error *error);
/// Makes a file that was not there, for this process alone. -1 with errno set.
int  server_log_create(const char *path);
/// False when another process has it open as its log.
bool server_log_lock(int file);
/// Makes the names in the file's directory durable, as far as the system can.
void server_log_sync_directory(const char *path);
/// Forgets a next file that the current one was not ended for.
void server_log_drop_next(ServerLog *log);
tp_sink server_log_sink(ServerLog *log);

// Writers (server_log.c).

/// What a writer of this log is made with. The texts are the log's; the epoch in them is `epoch`.
void    server_log_writer_options(ServerLog *log, uint32_t epoch, tp_writer_options *options);
/// Goes on with the file that `recovery` is of: RESUME, and a GAP with a KEY where ticks are missing. NULL with the reason.
tp_writer *server_log_go_on(ServerLog *log, tp_sim *sim, bool threaded, uint64_t *gap_ticks, tp_error *error);
tp_sim *server_log_make_sim(const ServerLogWorld *world, tp_error *error);

// Members.

/// Takes what a NOTE of kind MEMBER says.
void server_log_members_note(ServerLogMembers *members, const char *text, size_t size);
/// Notes all who are in the room, and `with_free` also who of those that the log speaks of is not.
void server_log_tell_members(ServerLog *log, bool with_free);
/// Of the provenance of a log's IDENT; 0 when it has none.
uint32_t server_log_epoch_of(const tp_ident *ident);

// Taking up (server_log_resume.c).

typedef enum ServerLogTaking {
    SERVER_LOG_TAKING_NONE,   ///< there is none to go on with: make a new one
    SERVER_LOG_TAKING_DONE,   ///< the log's writer is there, its first bytes are on the disk
    SERVER_LOG_TAKING_FAILED, ///< with the reason
} ServerLogTaking;

/// The log has its base, its provenance and its world. NONE gives the number that is free, and the epoch to begin with.
ServerLogTaking server_log_take_up(ServerLog *log, tp_sim *sim, ServerLogTakenUp *taken_up, tp_error *error);

// Repairing (server_log_repair.c).

/// The recorder's loop.
void server_log_record(void *log);
/// Cuts the file behind its last whole record. Not on the tick thread.
bool server_log_cut(ServerLog *log);

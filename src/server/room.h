// room.h: one room on its worker thread: a world, its source of rows, its clock and its own log. Time is a parameter. Rows come
// from a recorded log (room_recorded.c) or from live clients (room_live.c); the rest (room.c) asks no more than which.
#pragma once

#include "directory.h"
#include "lateness.h"
#include "server.h"
#include "server_log.h"
#include "tickproof/tickclock.h"

struct Room;
typedef struct RoomLive RoomLive;

/// Work off the tick thread, on copies. `run` runs on another thread, then `done` on the room's own; the job is its maker's.
typedef struct RoomJob {
    void (*run)(struct RoomJob *job);
    void (*done)(struct RoomJob *job);
} RoomJob;

/// What a room says while it lives. On the room's own thread; the event is borrowed for the call.
typedef struct RoomHost {
    const ServerOptions *options;
    void (*post)(void *to, ServerEvent *event);
    void (*drained)(void *to); ///< from a recorder thread: look for rooms whose logs are written
    /// Whether one more of the events that clients cause may be told. NULL: always.
    bool (*may_chat)(void *to, uint64_t *now_ms);
    int64_t (*now_ns)(void *to);
    void (*random)(void *to, void *bytes, size_t size); ///< for tokens: nobody can guess them
    void (*work)(void *to, RoomJob *job);
    void (*clock_changed)(void *to, struct Room *room); ///< it may have a clock now, or another rate
    void *to;
} RoomHost;

/// A recorded log, verified as it is stepped: memory is the reader's window and what the verifier took when the room was opened.
typedef struct RoomSource {
    int          file;
    tp_source    bytes;
    tp_verifier *verifier;
    uint64_t     log_next_tick;             ///< the next that the room's own log expects
    tp_command   commands[TP_COMMANDS_MAX]; ///< of the row that is being recorded
} RoomSource;

typedef struct Room {
    const RoomHost  *host;
    uint32_t         number; ///< among the rooms of its thread
    uint32_t         loops_wanted;
    const char      *record_dir; ///< NULL: none; borrowed from the server
    tp_durability    durability;
    ServerRoomResult result;

    tp_sim    *sim; ///< of the source's verifier; NULL while there is none
    RoomSource source;        ///< recorded
    RoomLive  *live;          ///< live; NULL for a recorded room
    RoomListing listing;
    ServerLog  log;
    bool       is_log_failed;
    bool       is_stopped;

    tp_tickclock clock;
    int64_t      first_ns, last_ns;       ///< when the first and last tick of this stretch of the clock began; 0: none yet
    uint64_t     stretch_ticks;           ///< since first_ns
    uint64_t     loop_ticks;              ///< of this loop
    uint64_t     chat_since_ms;           ///< events that clients caused in this second: `chats`
    uint32_t     chats;
    bool         has_said_log_failed;
    uint32_t     log_failures;            ///< that were said
    char         not_rotated[TP_ERROR_SIZE]; ///< said last
    uint64_t     late_ticks_unreported;   ///< dropped since the last report
    int64_t      late_report_ns;
    Lateness     lateness;
} Room;

/// For who asks which rooms there are; once.
void room_publish(Room *room, const char *world, uint32_t tick_rate_hz, uint32_t players);
/// Opens the next loop: file, world, own log, up to the first row. The state is then RUNNING, or CLOSING or DONE when there
/// is nothing to run, with the reason in the result.
void room_open(Room *room);
/// Real time: the first tick is due one period after `now_ns`.
void    room_start_clock(Room *room, int64_t now_ns);
/// A live room without anybody, or without enough to begin: it has no clock until room_resume.
bool    room_is_paused(const Room *room);
/// There is somebody again. The caller starts the clock.
void    room_resume(Room *room);
/// Its clock stands still from now on, until room_resume. `why`: one line; empty: nobody is there.
void    room_pause(Room *room, const char *why);
int64_t room_next_due_ns(const Room *room);
/// Real time: runs the ticks that are due, at most SERVER_CATCH_UP_TICKS. What they cost is the caller's to add to the result, who wakes many.
void room_wake(Room *room, int64_t now_ns);
/// As fast as it goes: runs ticks until the room is done or the clock says `until_ns` or later; at least one.
void room_slice(Room *room, int64_t until_ns, int64_t (*now)(void));
/// Forgets what was measured so far: how late ticks were, what was dropped, how inputs came, what ticks cost.
void room_measure(Room *room);
/// Ends the run with END (stopped). Nothing to do when it is not running.
void room_stop(Room *room);
/// CLOSING and its log is written: the loop is DONE. True when it was.
bool room_settle(Room *room);
/// DONE, verified, and another loop is wanted: room_open may be called again.
bool room_wants_more(const Room *room);
/// Posts the room's last event.
void room_post_last(Room *room);
void room_post_status(Room *room);
/// An event of this room, with one line for people.
void room_post(Room *room, ServerEventKind kind, uint64_t value, const char *text);
/// The same about a tick of before.
void room_post_of_tick(Room *room, ServerEventKind kind, uint64_t tick, uint64_t value, const char *text);
/// Whether one more event that clients can cause as often as they like may be told; counts it.
bool room_may_chat(Room *room);
/// The same for an event that clients can cause as often as they like: SERVER_MEMBER_EVENTS holds.
void room_post_chat(Room *room, ServerEventKind kind, uint64_t value, const char *text);
/// Frees what a DONE or WAITING room still holds.
void room_finish(Room *room);

// Between room.c and the sources.

/// Header, IDENT and first KEY, then the room's own log, between the state's making and its first step. Fills the head of the
/// result's report. False with the reason in the verifier, or in `error` when it lies outside the log.
bool recorded_open(Room *room, tp_error *error);
/// Reads on until a row is ready. False: the log has ended, or a finding has been located as far as it goes.
bool recorded_prepare(Room *room);
/// Steps the row that is ready, compares and records it.
void recorded_step(Room *room);
/// Concludes into the result's report and closes the file. The world stays until recorded_close.
void recorded_finish(Room *room);
void recorded_close(Room *room);

/// Opens the room's own log once the world stands at its first tick. `ident` is that of the recorded source, or NULL. `member`: a log of before that has no
/// END is taken up, with its memberships; NULL: it is not. False with the reason.
bool room_open_log(Room *room, const tp_ident *ident, void (*member)(void *to, uint32_t slot, const uint8_t token_hash[SERVER_TOKEN_HASH]),
                   ServerLogTakenUp *taken_up, tp_error *error);
/// The log that failed is tried again, when it is time.
void room_retry_log(Room *room);
/// Whether the log's next file was begun, or could not be made: says so.
void room_look_at_rotation(Room *room);
/// Writing has failed: says so once, and the room goes on without.
void room_lose_log(Room *room);
/// The run is over: concludes, hands the own log's end over.
void room_end(Room *room);

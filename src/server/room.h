// room.h: one room on its worker thread: a world, its source of rows, its clock and its own log. Time is a parameter. The
// source here is a recorded log (room_recorded.c); the rest (room.c) does not care where rows come from.
#pragma once

#include "lateness.h"
#include "room_check.h"
#include "server.h"
#include "server_log.h"
#include "tickproof/tickclock.h"

struct Room;

/// What a room says while it lives. On the room's own thread; the event is borrowed for the call.
typedef struct RoomHost {
    const ServerOptions *options;
    void (*post)(void *to, ServerEvent *event);
    void (*drained)(void *to); ///< from a recorder thread: look for rooms whose logs are written
    void *to;
} RoomHost;

/// A recorded log, read as it is stepped: memory is the reader's window and the record that its rows are taken from.
typedef struct RoomSource {
    int           file;
    tp_source     bytes;
    tp_reader    *reader;
    tp_log_record record;
    tp_log_rows   rows;
    bool          has_rows;  ///< `rows` belongs to `record`
    bool          has_row;   ///< `row` is the next to step
    bool          is_fault;  ///< it is the one that the log says faults
    tp_log_row    row;
    tp_command    commands[TP_COMMANDS_MAX];
    uint64_t      gap_first; ///< after a GAP, until its KEY
    tp_gap_cause  gap_cause;
    tp_log_status status;    ///< what reading has come to
} RoomSource;

typedef struct Room {
    const RoomHost  *host;
    uint32_t         number; ///< among the rooms of its thread
    uint32_t         loops_wanted;
    const char      *record_dir; ///< NULL: none; borrowed from the server
    tp_durability    durability;
    ServerRoomResult result;

    tp_sim    *sim;
    RoomCheck  check;
    RoomSource source;
    ServerLog  log;
    bool       is_log_failed;
    bool       is_stopped;

    tp_tickclock clock;
    int64_t      first_ns, last_ns;       ///< when this loop's first and last tick began; 0: none yet
    uint64_t     loop_ticks;
    uint64_t     late_ticks_unreported;   ///< dropped since the last report
    int64_t      late_report_ns;
    Lateness     lateness;
} Room;

/// Opens the next loop: file, world, own log, up to the first row. The state is then RUNNING, or CLOSING or DONE when there
/// is nothing to run, with the reason in the result.
void room_open(Room *room);
/// Real time: the first tick is due one period after `now_ns`.
void    room_start_clock(Room *room, int64_t now_ns);
int64_t room_next_due_ns(const Room *room);
/// Real time: runs the ticks that are due, at most SERVER_CATCH_UP_TICKS.
void room_wake(Room *room, int64_t now_ns);
/// As fast as it goes: runs ticks until the room is done or the clock says `until_ns` or later; at least one.
void room_slice(Room *room, int64_t until_ns, int64_t (*now)(void));
/// Ends the run with END (stopped). Nothing to do when it is not running.
void room_stop(Room *room);
/// CLOSING and its log is written: the loop is DONE. True when it was.
bool room_settle(Room *room);
/// DONE, verified, and another loop is wanted: room_open may be called again.
bool room_wants_more(const Room *room);
/// Posts the room's last event.
void room_post_last(Room *room);
void room_post_status(Room *room);
/// Frees what a DONE or WAITING room still holds.
void room_finish(Room *room);

// Between room.c and room_recorded.c.

/// False with the reason in the check's report, or in `error` when the file could not be opened.
bool recorded_open(Room *room, tp_error *error);
/// Reads on until a row is ready, the log has ended, or the check is over.
void recorded_prepare(Room *room);
/// Steps the row that is ready, compares and records it.
void recorded_step(Room *room);
void recorded_close(Room *room);

/// Opens the room's own log once the world stands at its first tick. False with the reason.
bool room_open_log(Room *room, tp_error *error);
/// Writing has failed: says so once, and the room goes on without.
void room_lose_log(Room *room);
/// The run is over: concludes, hands the own log's end over. `reason` is for the own log.
void room_end(Room *room, tp_end_reason reason);

// server_limits.h: every bound of the server in one place, each with what happens there. A limit is reached by somebody's
// files, flags or machine, so reaching one is an answer with a name and never a crash. (The name is not limits.h, which
// would hide the system's header from whoever has this directory on the include path.)
#pragma once

enum {
    /// Rooms of one process. One more is refused by server_add_recorded: nothing starts half-filled.
    SERVER_ROOMS_MAX = 4096,

    /// Worker threads. More are refused as a usage error; 0 means one per core. Never more than rooms.
    SERVER_THREADS_MAX = 64,

    /// Runs of one recorded log. More are refused as a usage error.
    SERVER_LOOPS_MAX = 1000000,

    /// Bytes of a path with its terminator. A longer one is refused by name.
    SERVER_PATH_SIZE = 1024,

    /// Bytes of a room's name with its terminator. A longer file name is cut; names that collide get a number.
    SERVER_ROOM_NAME_SIZE = 64,

    /// Ticks one wake-up of a room may run. A backlog beyond it is dropped from the clock, counted and reported; rows of a
    /// recorded log are never skipped, so the room runs late instead.
    SERVER_CATCH_UP_TICKS = 5,

    /// How long one as-fast-as-possible room may hold its thread before the loop is served again, in nanoseconds. The slice
    /// also ends when a real-time room of the same thread is due. A single tick longer than this holds the thread for as
    /// long as it takes.
    SERVER_SLICE_NS = 2000000,

    /// As-fast-as-possible rooms that one thread keeps open at once: bounds files, memory and recorder threads. The others
    /// wait in order.
    SERVER_FAST_OPEN_MAX = 8,

    /// Events a thread may have waiting for the main thread. Beyond it, opening, lateness and status events are dropped and
    /// counted in server.stop. A room's last event always has a place of its own.
    SERVER_EVENTS_MAX = 256,

    /// Least time between two reports of one room that it dropped ticks, in nanoseconds. Those in between are added up.
    SERVER_LATE_REPORT_NS = 1000000000,

    /// Phases of real-time rooms are spread over their period in steps of this, in nanoseconds: rooms of one phase share a
    /// wake-up, so that a thousand rooms cost a thousand ticks but not a thousand timers.
    SERVER_PHASE_NS = 1000000,

    /// Ticks a diverged room goes on for, to learn from the next LEAVES which section and from the next KEY which field differs.
    /// Then it stops, even when it does not know.
    SERVER_LOCATE_TICKS = 36000,

    /// How long rooms may take to finish their logs after a stop was asked for, in milliseconds. Then the process leaves
    /// and says so: those logs have no END and read as truncated.
    SERVER_STOP_MS = 5000,

    /// Stack of a recorder thread in bytes: it hashes and writes from buffers that live elsewhere.
    SERVER_RECORDER_STACK = 262144,

    /// By how much recorder threads step back behind tick threads ("nice"). With every core busy, durability lags, not time.
    SERVER_RECORDER_NICE = 10,

    /// Provenance items copied from a recorded log into the room's own log. Later ones are left out.
    SERVER_PROVENANCE_COPIED = 64,
};

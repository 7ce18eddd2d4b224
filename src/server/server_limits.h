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

    /// Events a thread may have waiting for the main thread, or one for each of its rooms if that is more. Beyond it, opening, lateness,
    /// members', pausing and status events are dropped and counted in server.stop. A room's last event and its first record_failed have
    /// places of their own.
    SERVER_EVENTS_MAX = 2048,

    /// Events that the main thread tells before it looks after listeners and a stop again.
    SERVER_EVENTS_TURN = 256,

    /// Least time between two reports of one room that it dropped ticks, in nanoseconds. Those in between are added up.
    SERVER_LATE_REPORT_NS = 1000000000,

    /// Phases of real-time rooms are spread over their period in steps of this, in nanoseconds: rooms of one phase share a
    /// wake-up, so that a thousand rooms cost a thousand ticks but not a thousand timers.
    SERVER_PHASE_NS = 1000000,

    /// Ticks a diverged room goes on for, to learn from the next LEAVES which section and from the next KEY which field differs.
    /// Then it stops, even when it does not know.
    SERVER_LOCATE_TICKS = 36000,

    /// What counts as on time in ServerLateness, in nanoseconds: a quarter of a period at 60 Hz.
    SERVER_ON_TIME_NS = 4000000,

    /// How long rooms may take to finish their logs after a stop was asked for, in milliseconds. Then the process leaves
    /// and says so: those logs have no END and read as truncated.
    SERVER_STOP_MS = 5000,

    /// Logs of one room in one directory, by the number in their names. One more refuses the room.
    SERVER_LOG_NUMBERS = 100000,

    /// Open files that are not for rooms and connections: the loops' own, libraries, the standard ones.
    SERVER_FILES_SPARE = 64,
    /// Connections that must be possible beside the rooms' files, else a server with an address to listen on does not start.
    SERVER_CONNECTIONS_LEAST = 16,

    /// Stack of a recorder thread in bytes: it hashes and writes from buffers that live elsewhere.
    SERVER_RECORDER_STACK = 262144,

    /// By how much recorder threads step back behind tick threads ("nice"). With every core busy, durability lags, not time.
    SERVER_RECORDER_NICE = 10,
    /// The same for the main thread, which takes connections and says what happens, and for long jobs: states packed, bundles written.
    SERVER_LOBBY_NICE = 5,
    SERVER_JOB_NICE = 10,

    /// Listening sockets. One more is refused as a usage error.
    SERVER_LISTENERS_MAX = 8,

    /// Connections at once, and from one address. One more is accepted and closed at once with BYE (crowded), so that it knows.
    /// An IPv6 address counts by its first 64 bits, since who has one has all of those.
    SERVER_CONNECTIONS             = 8192,
    SERVER_CONNECTIONS_PER_ADDRESS = 1024,
    /// What these two may be set to at most. Where the system allows fewer open files, it is fewer, and server.start says so.
    SERVER_CONNECTIONS_MAX = 1000000,

    /// Connections that the system keeps for the listener before they are accepted (net.core.somaxconn has the last word).
    SERVER_BACKLOG = 4096,

    /// Connections taken in one turn of the main loop. The others wait in the backlog for the next one, so that a storm of them holds up
    /// nobody who is here already, and those that are too many are freed as fast as they come.
    SERVER_ACCEPTS_PER_TURN = 64,

    /// Messages a second of one connection; two seconds' worth may come at once, and never fewer than the burst. INPUT for its own slots has
    /// a count of its own: twice what they need, likewise. More: BYE (flood), and the connection is closed.
    SERVER_MESSAGES_PER_SECOND     = 100,
    SERVER_MESSAGES_PER_SECOND_MAX = 1000000,
    SERVER_MESSAGES_BURST_MIN      = 16,

    /// Pages of the list that one connection, and a thread all in all, answers in a second. A page beyond waits for its turn; asking for
    /// another one while one waits is a flood.
    SERVER_LISTS_PER_SECOND        = 25,
    SERVER_LISTS_PER_SECOND_THREAD = 2000,

    /// Messages after which a thread looks whether a tick is due before it goes on with what else was received.
    SERVER_MESSAGES_PER_LOOK = 32,

    /// Bytes that may wait for one client to read them. More: closed (slow). A state, and ticks of the past, are sent on while less than half of it waits.
    SERVER_SEND_QUEUE_BYTES     = 262144,
    /// On top of it for each room that the connection has been in at once, for so many rooms at most.
    SERVER_SEND_QUEUE_ROOM_BYTES = 65536,
    SERVER_SEND_QUEUE_ROOMS      = 64,
    SERVER_SEND_QUEUE_BYTES_MIN = 65536,
    SERVER_SEND_QUEUE_BYTES_MAX = 268435456,

    /// Bytes that may wait in all connections of one thread. More: those with the most waiting are closed (slow), until it is less. Looked
    /// at four times a second; buffers that stand empty then and are larger than SERVER_SEND_KEEP are given back.
    SERVER_SEND_TOTAL_BYTES     = 67108864,
    SERVER_SEND_TOTAL_BYTES_MIN = 65536,
    SERVER_SEND_TOTAL_BYTES_MAX = 2147483647,
    SERVER_SEND_KEEP            = 8192,

    /// What the system is asked to hold of one connection in each direction, in bytes, instead of the megabytes that it would grow to.
    SERVER_SOCKET_BYTES = 65536,

    /// Without any message a connection is closed (silent), in milliseconds. A connection that has not said HELLO, or is in no room, is
    /// given less.
    SERVER_SILENCE_MS       = 30000,
    SERVER_HANDSHAKE_MS     = 5000,
    SERVER_SILENCE_MS_MIN   = 100,
    SERVER_SILENCE_MS_MAX   = 86400000,

    /// Rooms that one connection may be in. One more is refused (full).
    SERVER_MEMBERSHIPS_MAX = 1024,

    /// Members of one room that have no slot. One more is refused (full).
    SERVER_WATCHERS     = 64,
    SERVER_WATCHERS_MAX = 65536,

    /// Ticks from the next one on for which inputs are taken. Later ones are dropped and counted (early).
    SERVER_INPUT_AHEAD = 64,

    /// Ticks in a row for which the last input of a silent slot is repeated. Then it is neutral: nobody runs on for ever because his
    /// line is dead.
    SERVER_REPEAT_TICKS = 60,

    /// Ticks whose rows and roots a live room keeps for who is behind: who joins, watches with a delay, or reports a root. A member that lacks an
    /// older one is put out (behind); a report of an older one is counted and not compared. Rows of commands may need more bytes than are kept:
    /// then there are fewer.
    SERVER_HISTORY_TICKS = 1024,
    SERVER_HISTORY_BYTES = 4194304,

    /// Distance of the snapshots that a room keeps to make the state of a bad tick again, and how many there are.
    SERVER_SNAPSHOT_TICKS = 128,
    SERVER_SNAPSHOTS      = 3,

    /// Clients report their roots of ticks that this divides, when nothing else is set.
    SERVER_REPORT_TICKS     = 30,
    SERVER_REPORT_TICKS_MAX = 65535,

    /// How long the slots of a lost connection are kept for its token, in seconds, when nothing else is set.
    SERVER_REJOIN_SECONDS     = 30,
    SERVER_REJOIN_SECONDS_MAX = 86400,

    /// How long a client may take from JOINED to READY, and to send its state when it was asked for, in milliseconds. Then it is LEFT (silent), or
    /// the bundle goes without its state.
    SERVER_READY_MS     = 10000,
    SERVER_OWN_STATE_MS = 10000,

    /// Desyncs of one room that are looked into at once: one. Others wait, or are counted only when they are of the same membership.
    SERVER_DESYNCS_WAITING = 16,
    /// Bundles that one room writes in its life. Beyond it, desyncs are reported without.
    SERVER_BUNDLES = 64,
    /// So many of them at once, then one in so many milliseconds.
    SERVER_BUNDLES_BURST = 4,
    SERVER_BUNDLE_MS     = 10000,

    /// Bytes of states that a room sends in one tick to all who join, shared out in turn. What does not fit goes with the next ticks.
    SERVER_JOIN_BYTES_PER_TICK     = 65536,
    SERVER_JOIN_BYTES_PER_TICK_MIN = 1200,
    SERVER_JOIN_BYTES_PER_TICK_MAX = 268435456,
    /// Confirmed ticks of the past that one member is sent in one tick while it catches up.
    SERVER_TAIL_TICKS = 64,

    /// TIMING goes out every so many ticks.
    SERVER_TIMING_TICKS = 10,

    /// Lines that one connection may have said in a room in one second; more are dropped.
    SERVER_CHATS_PER_SECOND = 4,

    /// Ticks that one STEP of an administrator does at most, and the highest speed in thousandths of the usual rate.
    SERVER_STEP_MAX  = 10000,
    SERVER_SPEED_MAX = 1000000,
    /// Commands of administrators that wait for a room's next tick. One more is refused.
    SERVER_COMMANDS_WAITING = 16,

    /// Wrong keys of administrators on one connection. Then: BYE (flood).
    SERVER_WRONG_KEYS = 8,

    /// A log that could not be written is tried again after so long, in milliseconds.
    SERVER_LOG_RETRY_MS = 2000,

    /// How long a tick of a stalling room waits for missing inputs, in milliseconds; then the room repeats them.
    SERVER_STALL_MS     = 1000,
    SERVER_STALL_MS_MAX = 60000,
    /// Ticks in a row that a stalling room has waited for a slot in vain; then it waits for it no more, until an input of it comes: who is
    /// gone without having left costs the others so much and no more.
    SERVER_STALL_TICKS = 3,

    /// How long a connection that was told BYE is kept for the other side to read it and close, in milliseconds. What it sends meanwhile
    /// is thrown away.
    SERVER_BYE_MS = 1000,

    /// How long a worker whose rooms are all over waits for its clients to read so and go, in milliseconds.
    SERVER_GOODBYE_MS = 500,

    /// Bytes that a client may have sent behind the JOIN that takes its connection to a worker. There are never more: a connection is
    /// read in pieces of this size.
    SERVER_PARCEL_REST = 4096,

    /// Events of joining, leaving, pausing and resuming that a room, and a thread with all its rooms, tells in one second. Those beyond
    /// are counted only (unsaid).
    SERVER_MEMBER_EVENTS        = 256,
    SERVER_MEMBER_EVENTS_THREAD = 1024,

    /// Clients' events are put together for so long, in milliseconds: ten thousand hostile connects are one line.
    SERVER_CLIENTS_REPORT_MS = 1000,

    /// A configuration file: its bytes, and brackets inside brackets. More is an error with its line, and nothing is started.
    SERVER_CONFIG_BYTES_MAX = 4194304,
    SERVER_CONFIG_DEPTH_MAX = 16,

    /// What three settings may be at most: seconds between status lines, milliseconds for a stop, ticks a second of a room. More is a bad value.
    SERVER_STATUS_SECONDS_MAX = 86400,
    SERVER_STOP_MS_MAX        = 3600000,
    SERVER_TICK_RATE_MAX      = 100000,

    /// Live rooms asked for by one entry of a configuration (its "count"). More is a bad value.
    SERVER_ROOM_COUNT_MAX = 4096,

    /// Provenance items copied from a recorded log into the room's own log. Later ones are left out.
    SERVER_PROVENANCE_COPIED = 64,
};

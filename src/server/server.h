// server.h: a process full of rooms. A room is one running world with a source of rows: a recorded log, stepped in real time or
// as fast as it goes and compared with its own checksums, or live clients. Both can be recorded. Rooms are pinned to worker
// threads, each with its own loop, and share nothing while they tick.
//
// The server prints nothing and handles no signals: what happens comes out as events, what came of it as results.
#pragma once

#include "server_limits.h"
#include "tickproof/verify.h"

typedef struct Server Server;

typedef enum ServerPace {
    SERVER_REAL_TIME = 0, ///< at the log's tick rate
    SERVER_FAST      = 1, ///< as fast as it goes
} ServerPace;

typedef enum ServerSource {
    SERVER_RECORDED = 0,
    SERVER_LIVE     = 1,
} ServerSource;

/// What a slot does at a tick for which no input of its client has come.
typedef enum ServerMissing {
    SERVER_MISSING_REPEAT  = 0, ///< the world's prediction from its last one, for SERVER_REPEAT_TICKS; then neutral
    SERVER_MISSING_NEUTRAL = 1,
    SERVER_MISSING_STALL   = 2, ///< the tick waits for it, at most the room's stall_ms; then as REPEAT
} ServerMissing;

/// What a live room does once no slot is taken, and before the first is.
typedef enum ServerEmpty {
    SERVER_EMPTY_PAUSE = 0, ///< no ticks until somebody joins
    SERVER_EMPTY_RUN   = 1,
    SERVER_EMPTY_END   = 2, ///< ends its log, once somebody was there
} ServerEmpty;

/// What a live room does about a client whose roots are not the room's, after a bundle of it was written.
typedef enum ServerDesync {
    SERVER_DESYNC_RESYNC = 0, ///< sends it the room's state, and it goes on
    SERVER_DESYNC_KICK   = 1, ///< puts it out
    SERVER_DESYNC_HALT   = 2, ///< the room pauses until an administrator resumes it
    SERVER_DESYNC_LOG    = 3, ///< nothing; it is said once a membership
} ServerDesync;

typedef enum ServerEventKind {
    SERVER_EVENT_START,         ///< tick: rooms, value: threads
    SERVER_EVENT_LISTENING,     ///< value: port, text: address; "udp " before it: of datagrams, "http ": of HTTP
    SERVER_EVENT_CLIENTS,       ///< at most one a second: what connections ended or were turned away since the last one; value: how many,
                                ///< text: "malformed 3, silent 2"
    SERVER_EVENT_ROOM_JOIN,     ///< value: the slot, text: the client's address
    SERVER_EVENT_ROOM_LEAVE,    ///< value: the slot, text: why
    SERVER_EVENT_ROOM_PAUSED,   ///< nobody is there
    SERVER_EVENT_ROOM_RESUMED,
    SERVER_EVENT_ROOM_OPEN,     ///< tick: the first
    SERVER_EVENT_ROOM_LATE,     ///< value: ticks dropped from the clock since the last such event
    SERVER_EVENT_ROOM_STATUS,   ///< value: last durable tick of its own log
    SERVER_EVENT_RECORD_FAILED, ///< the room's own log cannot be written; the room goes on, and tries again. value: how often that was said before
    SERVER_EVENT_RECORD_RESUMED, ///< it can be written again: value: ticks that a GAP in it admits
    SERVER_EVENT_RECORD_ROTATED, ///< text: the next file
    SERVER_EVENT_RECORD_NOT_ROTATED, ///< text: why there is none; the log goes on in the one it has
    SERVER_EVENT_ROOM_RECOVERED, ///< a log of before goes on: tick: where, value: bytes that were cut off, text: the log
    SERVER_EVENT_ROOM_ANEW,     ///< a log of before without END is left as it is, and a new one begun: text: which, and why
    SERVER_EVENT_ROOM_REJOIN,   ///< value: the slot, text: the client's address
    SERVER_EVENT_ROOM_AWAY,     ///< a connection was lost, its slot is kept for its token: value: the slot, text: why
    SERVER_EVENT_ROOM_DESYNC,   ///< tick: the bad one, value: the slot (TP_SOURCE_HOST: it watches), text: who, and what the room does
    SERVER_EVENT_ROOM_BUNDLE,   ///< tick, value: likewise; text: what differs, and where the bundle is; or why there is none
    SERVER_EVENT_ROOM_CHAT,     ///< value: the slot, text: what was said
    SERVER_EVENT_ROOM_ADMIN,    ///< text: what an administrator did
    // The last event of a room is one of the next five.
    SERVER_EVENT_ROOM_DONE,     ///< its log was read to where it ends; the verdict may still be truncated or corrupt
    SERVER_EVENT_ROOM_DIVERGED,
    SERVER_EVENT_ROOM_FAULT,    ///< the world faulted, recorded so (verified) or not (diverged)
    SERVER_EVENT_ROOM_REFUSED,  ///< never ran: no such file, no log, no such world
    SERVER_EVENT_ROOM_STOPPED,
    SERVER_EVENT_STOPPING,      ///< asked to stop: rooms finish their logs
    SERVER_EVENT_OVERDUE,       ///< value: threads whose rooms did not finish in time
    SERVER_EVENT_STOP,          ///< tick: rooms, value: events dropped; verdict: the worst
} ServerEventKind;

/// "room.open", ...: stable names for machines.
const char *server_event_name(ServerEventKind kind);

typedef struct ServerEvent {
    ServerEventKind kind;
    int64_t         elapsed_ns; ///< since server_run began
    char            room[SERVER_ROOM_NAME_SIZE];
    bool            is_room;    ///< false: the server's own
    const char     *path;       ///< the log the room steps; NULL for live rooms and the server's own events. Valid until server_destroy
    char            world[TP_NAME_SIZE_MAX + 1];
    uint64_t        tick;       ///< where the room is: the tick it would do next; diverged and fault: the bad one
    uint64_t        value;
    bool            has_verdict;
    tp_verdict      verdict;
    uint64_t        offset;     ///< with a verdict: file offset of what is wrong in the log, else of its end
    char            section[TP_NAME_SIZE_MAX + 1]; ///< diverged: which differs, empty when unknown
    char            text[TP_MESSAGE_SIZE];         ///< one line for people, empty when there is nothing to add
} ServerEvent;

typedef enum ServerRoomState {
    SERVER_ROOM_WAITING, ///< not opened yet
    SERVER_ROOM_RUNNING,
    SERVER_ROOM_CLOSING, ///< its own log is on its way to the disk
    SERVER_ROOM_DONE,
} ServerRoomState;

/// What clients did to a live room.
typedef struct ServerLiveCounts {
    uint64_t joins, leaves, refused;  ///< memberships, and joins that were not granted
    uint32_t peak;                    ///< most slots taken at once
    uint64_t inputs;                  ///< slot inputs that were stepped on as they were received
    uint64_t repeated, neutral;       ///< slot inputs that the policy made up
    uint64_t late, early, duplicate;  ///< dropped: for a tick that was done, beyond the window, not the first
    uint64_t wrong_slot, wrong_epoch, bad_input; ///< dropped: somebody else's slot, another epoch, not an input of this world
    uint64_t rejoins, aways;          ///< memberships taken up again by token; connections lost with slots that were kept
    uint64_t reports, desyncs;        ///< REPORTs that were compared; memberships that disagreed
    uint64_t reports_old;             ///< REPORTs of ticks whose roots are not kept any more: not compared
    uint64_t chats, commands;         ///< lines said, world's commands of administrators
    uint64_t behind;                  ///< members put out since they did not keep up
    uint64_t snapshots, snapshot_bytes, packed_bytes; ///< states made for who joined; their bytes, and compressed
    uint64_t unsaid;                  ///< events of joining and leaving that SERVER_MEMBER_EVENTS kept back
    uint64_t stalls;                  ///< ticks that waited for an input
    int64_t  stalled_ns;
} ServerLiveCounts;

/// What came of a room. Sums run over all its loops; the report is the last loop's.
typedef struct ServerRoomResult {
    char            name[SERVER_ROOM_NAME_SIZE];
    ServerSource    source;
    char            path[SERVER_PATH_SIZE]; ///< live: empty
    ServerPace      pace;
    ServerRoomState state;
    ServerEventKind last_event;    ///< of the five
    /// As verify.h describes it; `verdict` is the comparison's. A live room has nothing to compare with: world, revision, players, seed,
    /// tick rate, final root, fault and message are set, and the verdict is VERIFIED, or INCOMPLETE after a fault.
    tp_report       report;
    uint32_t        loops;         ///< begun
    uint64_t        ticks;         ///< steps done
    int64_t         running_ns;    ///< fast: time spent in its ticks. Real time: from the first tick to the last
    uint64_t        held_ticks;    ///< real time: periods in running_ns, for the rate held
    uint64_t        late_ticks;    ///< begun more than one period after they were due
    uint64_t        dropped_ticks; ///< ticks that the clock dropped: by so much the room ran late
    uint64_t        hitches;       ///< wake-ups that dropped some
    int64_t         late_p50_ns, late_p99_ns, late_max_ns;
    int64_t         cpu_ns;        ///< of its ticks, on its thread
    int64_t         recorder_cpu_ns; ///< of its recorder
    ServerLiveCounts live;
    char            log_path[SERVER_PATH_SIZE];  ///< its own log (the last loop's), empty when it has none
    char            log_error[TP_ERROR_SIZE];    ///< why that log is incomplete, empty when it is not
    uint64_t        gap_ticks;     ///< that its log admits it lacks
    uint64_t        log_bytes;
    uint64_t        durable_tick;  ///< every tick below it is on the disk as far as the durability promises
} ServerRoomResult;

/// What the server takes from the network. A value of 0 means the usual one of server_limits.h.
typedef struct ServerNetLimits {
    uint32_t connections;          ///< at once
    uint32_t connections_per_address;
    uint32_t messages_per_second;  ///< of one connection, on top of what its slots need
    uint32_t send_queue_bytes;     ///< that wait for one client to read them
    uint32_t send_total_bytes;     ///< that wait for all clients of one thread
    uint32_t silence_ms;           ///< without a message a connection is closed
    uint32_t watchers;             ///< of one room
    uint32_t join_bytes_per_tick;  ///< of states that a room sends in one tick to all who join
} ServerNetLimits;

typedef struct ServerOptions {
    uint32_t threads;        ///< 0: one per core. Never more than rooms
    uint32_t stop_ms;        ///< how long rooms may take to finish their logs after a stop; 0: SERVER_STOP_MS
    uint32_t status_seconds; ///< a status event per room every so often; 0: none
    ServerNetLimits net;
    const uint8_t *sign_key; ///< 64-byte Ed25519 secret key: every log is signed as it is recorded. NULL: none is. Must outlive the server
    const char *admin_key;   ///< what ADMIN must have; NULL or empty: nobody is an administrator. At most 128 bytes
    const uint8_t *udp_key;  ///< 64-byte Ed25519 secret key: datagrams are sealed, for who knows its public one. NULL: they are not, and loopback only
    const uint8_t *token_issuer; ///< 32-byte Ed25519 public key that signs join tokens. NULL: they mean nothing
    const char *token_server;    ///< what the server is called in them; with an issuer
    bool tokens_required;        ///< nobody joins without one
    const char *build;       ///< for provenance; NULL: left out. Must outlive the server, likewise all below
    /// Finds a world by name. Called from worker threads, by several at once.
    const tp_world *(*find_world)(void *to, const char *name, uint32_t revision);
    void *find_to;
    /// Called on server_run's thread only, in the order that each room's events happened. May be NULL.
    void (*event)(void *to, const ServerEvent *event);
    void *event_to;
    /// Called on a worker thread before a row is stepped (finished false) and after it, before the comparison (finished
    /// true). For tests: plants faults and hitches. May be NULL.
    void (*each_tick)(void *to, const char *room, tp_sim *sim, uint64_t tick, bool is_finished);
    void *each_to;
} ServerOptions;

typedef struct ServerRoomOptions {
    const char   *path;       ///< the recorded log
    const char   *name;       ///< NULL: from the file's name
    ServerPace    pace;
    uint32_t      loops;      ///< how often the log is run; a run that does not verify is the last
    const char   *record_dir; ///< where its own log goes, as NAME.tpr (NAME.loop2.tpr, ...; NAME.2.tpr, ... when that is there); NULL: none
    tp_durability durability;
} ServerRoomOptions;

/// A live room. Everything is borrowed for the call, but for the world.
typedef struct ServerLiveOptions {
    const char       *name;        ///< required; only letters a-z A-Z 0-9 _ - . and not used yet: nothing is made up, clients know it by this
    const tp_world   *world;
    uint64_t          seed;
    uint32_t          players;     ///< slots, 0: the world's usual number
    uint32_t          tick_rate_hz; ///< 0: the world's
    const int64_t    *config;      ///< one value per item of the world; NULL: the usual ones
    tp_hash_algorithm algorithm;   ///< 0: XXH3
    ServerMissing     missing;
    uint32_t          stall_ms;    ///< 0: SERVER_STALL_MS
    ServerEmpty       when_empty;
    uint32_t          start_players; ///< waits with tick 0 until so many slots are taken
    uint64_t          ticks;       ///< ends after so many; 0: goes on
    ServerDesync      on_desync;
    uint32_t          report_ticks; ///< clients report the roots of ticks that this divides; 0: SERVER_REPORT_TICKS; UINT32_MAX: none asked for
    uint32_t          rejoin_seconds; ///< a lost connection's slots are kept so long; 0: SERVER_REJOIN_SECONDS; UINT32_MAX: not at all
    const char       *desync_dir;  ///< for bundles; NULL: `record_dir`, and with neither there are none
    uint64_t          rotate_ticks; ///< a log has so many ticks, then the next file of its series begins; 0: one file
    bool              starts_anew; ///< does not go on with a log of before that has no END
    const char       *record_dir;  ///< NULL: none
    tp_durability     durability;
} ServerLiveOptions;

typedef enum ServerRun {
    SERVER_RUN_ENDED   = 0,
    SERVER_RUN_OVERDUE = 1, ///< rooms did not finish in stop_ms. Threads still run: print and leave the process, destroy nothing
    SERVER_RUN_FAILED  = 2, ///< threads could not be started, with the reason; no room ran
} ServerRun;

void server_options_standard(ServerOptions *options);
void server_room_options_standard(ServerRoomOptions *options);

/// NULL with the reason. Options are copied, what they point to is not.
Server *server_create(const ServerOptions *options, tp_error *error);
/// Adds a room; nothing is opened before server_run. The options are borrowed for the call. False with the reason.
bool    server_add_recorded(Server *server, const ServerRoomOptions *options, tp_error *error);
/// Makes the world once, to see that it can be, and keeps it. False with the reason.
bool    server_add_live(Server *server, const ServerLiveOptions *options, tp_error *error);
void    server_live_options_standard(ServerLiveOptions *options);
/// Opens a listening socket at once, so that a port that is taken is known before anything runs: "127.0.0.1:7777", "[::1]:0", "0.0.0.0:7777".
/// Numbers only, no names. May be called several times (SERVER_LISTENERS_MAX). False with the reason.
bool    server_listen(Server *server, const char *address, tp_error *error);
/// Takes datagrams, too, at one address: lists at its port, each thread's rooms at one of the next (all chosen by the system when it is 0; clients learn
/// them from the list). Without udp_key loopback addresses only, as nothing is encrypted then. Once. The threads' ports are taken by server_run. False with the reason.
bool    server_listen_udp(Server *server, const char *address, tp_error *error);
/// WebSockets will be given by server_take_ws, since somebody speaks HTTP at this address, which is said with those that are listened on. Before
/// server_run. False with the reason.
bool    server_expect_ws(Server *server, const char *address, uint32_t port, tp_error *error);
/// A connected socket whose WebSocket handshake is over becomes one more client's connection, with the bytes that were read of it already (at most
/// 4,096). The socket is the server's, also when it refuses it: before server_run, while it stops, and when too many wait. From any thread, between
/// server_expect_ws and server_destroy. False: it was closed.
bool    server_take_ws(Server *server, int socket, const uint8_t *bytes, size_t size);
/// Its port.
uint32_t server_udp_port(const Server *server);
/// What came of secured datagrams, over all its sockets: by ChannelSecureCount of channel_secure.h. From any thread while rooms run,
/// and after it.
uint64_t server_udp_count(const Server *server, uint32_t count);
/// JOINs by what their join tokens came to: by JoinTokenFault of join_token.h; 0 without an issuer. From any thread.
uint64_t server_token_count(const Server *server, uint32_t fault);
/// The port of the n-th listener: what the system chose for port 0.
uint32_t server_port(const Server *server, uint32_t listener);
/// Whether the system can give what the rooms and connections need (open files; connections that it cannot are taken off their limit).
/// server_run looks, too; this is for who wants to know before. False with the reason.
bool    server_check(Server *server, tp_error *error);
/// Runs until every room is done. Once per server.
ServerRun server_run(Server *server, tp_error *error);
/// Every room finishes its log with END (stopped), then server_run returns. From any thread or signal handler, between
/// server_create and server_destroy.
void server_stop(Server *server);
void server_destroy(Server *server);
/// Rooms forget what was measured so far (how late ticks were, what was dropped, how inputs came, what ticks cost), so that results speak of the time since.
/// From another thread while server_run runs, once rooms do.
void server_measure(Server *server);

// After server_run.

typedef struct ServerLateness {
    uint64_t ticks, on_time; ///< `on_time`: begun at most SERVER_ON_TIME_NS late
    int64_t  p50_ns, p99_ns, max_ns;
} ServerLateness;
/// How late the ticks of all rooms together began.
ServerLateness          server_lateness(const Server *server);

uint32_t                server_room_count(const Server *server);
/// In the order of adding. Valid until destroy. After SERVER_RUN_OVERDUE only those of done rooms mean anything, and the
/// others are NULL.
const ServerRoomResult *server_room_result(const Server *server, uint32_t room);
/// The worst verdict of all rooms. A room whose own log is incomplete counts as INCOMPLETE at best.
tp_verdict              server_verdict(const Server *server);

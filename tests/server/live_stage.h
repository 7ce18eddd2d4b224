// live_stage.h: one live room without threads: the caller's hand is the clock, work off the thread is done when the caller lets it, and clients
// are sockets of the same thread. What a server adds (threads, lanes, the administrators' key) is not here.
#pragma once

#include <uv.h>

#include "live_fixture.h"
#include "peer.h"
#include "room_live.h"

enum { STAGE_JOBS = 16 };

/// Must not move while it is open.
typedef struct Stage {
    Fixture         fixture;
    EventLog        events;
    ServerOptions   options;
    ServerNetLimits limits;
    RoomHost        host;
    Room            room;
    uv_loop_t       loop;
    PeerHost        peers;
    Addresses       addresses;
    Directory       directory;
    int             listener;
    int64_t         now_ns;
    uint64_t        random;
    RoomJob        *jobs[STAGE_JOBS];
    uint32_t        job_count;
    bool            holds_jobs;  ///< jobs wait until it is false again
    Peer           *last_peer;   ///< of the newest connection
} Stage;

/// The flat world with 4 slots at 100 Hz, missing inputs neutral, not recorded. Change what the test wants, then stage_open.
ServerLiveOptions stage_options(void);
/// `options->record_dir` is replaced by the stage's own directory when it is not NULL.
void stage_open(Stage *stage, const ServerLiveOptions *options);
/// The same with a log of before: a copy of `log` stands where the room's log would be.
void stage_open_after(Stage *stage, const ServerLiveOptions *options, const char *log);
/// The same with other logs: copies of `logs`, each under a name of its own in the directory of the room's log.
typedef struct {
    const char *path, *name;
} StageLog;
void stage_open_among(Stage *stage, const ServerLiveOptions *options, const StageLog *logs, size_t count);
/// What the room has recorded so far, as it would be found if the process ended now: a copy at `path`.
void stage_copy_log(Stage *stage, const char *path);
/// Ends the room when it runs. Its result stays until the stage is opened again.
void stage_close(Stage *stage);
/// The room ends, and its log is on the disk; the stage stays for a look at it.
void stage_end(Stage *stage);

/// A client that has said HELLO. wire_close it.
void stage_connect(Stage *stage, Wire *wire);
/// Everything that is on its way arrives. Time stands still.
void stage_turn(Stage *stage);
/// So many ticks, each when it is due; a paused room does none. Returns how many were done.
uint32_t stage_tick(Stage *stage, uint32_t count);
/// So much later, the room looks after what time brings.
void stage_look(Stage *stage, int64_t later_ms);
uint64_t stage_next(const Stage *stage); ///< the room's next tick
/// Aborts when a message (but PACE, TIMING and SAID) is there or on its way.
void stage_expect_silence(Stage *stage, Wire *wire);
/// The same, but CONFIRMED is fine, too.
void stage_expect_rows(Wire *wire);
/// For a look at everything that has been said so far: a PING, then one message after another until its answer, which is false.
void stage_ping(Wire *wire);
bool stage_until_pong(Wire *wire, Message *message);
/// The next message of a type, or abort; PACE, TIMING, SAID and PONG before it are passed over, others are not.
void stage_expect(Wire *wire, MessageType type, Message *message);
/// ADMIN to the room, with the right key: whether it was done. `answer` may be NULL.
bool stage_admin(Stage *stage, Wire *wire, MessageVerb verb, uint8_t slot, uint64_t value, const void *bytes, size_t size, Message *answer);

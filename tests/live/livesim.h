// livesim.h: a whole live room with its clients in one thread and in simulated time: the server's own room, members, log and desync handling, the client
// library with its sessions, and between them lines that delay, jitter, lose, double, reorder and break. Everything follows from one seed, so a
// schedule that fails is run again by its number alone.
//
// First the weather is bad: what is confirmed must be the same everywhere all the time. Then it clears up, and everybody must come to the same end.
#pragma once

#include "channel.h"
#include "room_live.h"
#include "tickproof/client.h"
#include "tickproof/verify.h"
#include "weather.h"

enum {
    LIVESIM_CLIENTS = 10,   ///< players, then watchers
    LIVESIM_TICKS   = 4096, ///< most ticks of a schedule
    LIVESIM_JOBS    = 64,
    LIVESIM_STEP_US = 1000,
};

/// What goes wrong on purpose, so that the checks can be seen to notice.
typedef enum LivesimPlant {
    LIVESIM_PLANT_NONE,
    LIVESIM_PLANT_ROW,     ///< the server confirms another input than it stepped, now and then
    LIVESIM_PLANT_LOG,     ///< one byte of the log is changed behind the recorder's back
    LIVESIM_PLANT_LOSS,    ///< a line that keeps order loses a message
    LIVESIM_PLANT_EVENT,   ///< one confirmed event of the world is told twice
} LivesimPlant;

/// One schedule. All times are microseconds from the start.
typedef struct LivesimPlan {
    uint64_t        seed;
    const tp_world *world;
    LivesimPlant    plant;
    uint32_t        players, watchers, room_players;
    uint64_t        ticks;
    ServerMissing   missing;
    ServerDesync    on_desync;
    uint32_t        report_ticks, rejoin_seconds, start_players, join_bytes_per_tick;
    uint64_t        rotate_ticks;
    bool            is_datagram;
    WeatherOptions  weather;
    uint32_t        partitions;    ///< per line
    uint64_t        bad_until_us;  ///< then the lines are good
    bool            is_durable;    ///< what is promised to be on the disk is there after a crash
    uint64_t        crash_us;      ///< the server is killed and started again; 0: not
    struct {
        uint64_t join_us, cut_us, back_us, leave_us; ///< 0: does not
        uint32_t slots, window, delay, behind;
        int32_t  drift_ppm;     ///< of its clock
        uint64_t plant_tick;    ///< its world goes wrong after it; 0: does not
        bool     is_stepped;    ///< no session: steps what is confirmed
    } clients[LIVESIM_CLIENTS];
} LivesimPlan;

typedef struct LivesimOutcome {
    bool     is_fine;
    char     text[512];          ///< what is wrong
    uint64_t ticks, confirmed, rollbacks, rolled_back, stalls, late, mispredicted, rejoins, rewinds, desyncs, bundles, false_alarms, crashes, resumed;
    uint32_t depth_max;
    uint64_t depths[TP_SESSION_WINDOW_MAX + 1];
    uint64_t joins_late;         ///< clients that joined a running room
    uint64_t events, frames;
} LivesimOutcome;

/// Draws a schedule from a seed. `world` NULL: drawn, too.
void livesim_draw(LivesimPlan *plan, uint64_t seed, const tp_world *world);
/// `directory` is for logs and bundles, and is emptied of them.
void livesim_run(const LivesimPlan *plan, const char *directory, LivesimOutcome *outcome);

// Between the files.

typedef struct Livesim Livesim;

/// One connection: the server's side of it is a Peer of its own kind (livesim_peer.c stands in for peer.c).
typedef struct LivesimLine {
    Peer      peer; ///< first
    Livesim  *sim;
    uint32_t  client;
    bool      is_open;       ///< false: cut; nothing passes any more
    bool      has_bye;       ///< the server has ended it
    bool      is_slow;       ///< more waits than may: it is cut in its turn
    bool      has_planted;
    Weather   up, down;
    Channel   near, far;     ///< of datagrams: the client's side, the server's
    struct LivesimLine *next;
} LivesimLine;

typedef struct LivesimClient {
    Livesim        *sim;
    uint32_t        number;
    LivesimLine    *line;    ///< NULL: not connected
    tp_client      *client;
    tp_client_room *room;
    uint8_t        *bots, *input;
    uint32_t        slot_count;
    uint8_t         slots[TP_PLAYERS_MAX];
    bool            is_live, is_done, is_paused, has_token, has_been, is_desynced, has_planted, wants_leave;
    uint8_t         token[TP_CLIENT_TOKEN_SIZE];
    uint64_t        next_us, retry_us, connects;
    uint64_t        next_tick;     ///< of what is confirmed to it
    uint64_t        frame;
    uint64_t        durable;       ///< the most that it was promised
    uint64_t        predicted, retracted, confirmed_predicted; ///< events
    uint64_t        event_hashes[LIVESIM_TICKS]; ///< of what was told as final, by tick
} LivesimClient;

struct Livesim {
    const LivesimPlan *plan;
    LivesimOutcome    *outcome;
    const char        *directory;
    uint64_t           now_us;
    tp_pcg32           dice;
    Room               room;
    RoomHost           host;
    ServerOptions      options;
    ServerNetLimits    limits;
    PeerHost           peers;
    int64_t            look_us;
    LivesimLine       *lines;
    LivesimClient      clients[LIVESIM_CLIENTS];
    struct { RoomJob *job; uint64_t due_us; } jobs[LIVESIM_JOBS];
    uint32_t           job_count;
    tp_hash128         roots[LIVESIM_TICKS];  ///< the server's, by tick
    bool               is_known[LIVESIM_TICKS];
    uint64_t           event_hashes[LIVESIM_TICKS];
    bool               is_told;              ///< prints what clients hear
    bool               is_bad_weather, has_crashed, is_room_open;
    uint64_t           resumed_tick;
    uint64_t           next_desync_tick; ///< that a plant of this plan brings
};

/// Of an event, on top of those before it in its tick.
uint64_t livesim_hash_event(uint64_t hash, const tp_event *event);
void livesim_fail(Livesim *sim, const char *format, ...) __attribute__((format(printf, 2, 3)));

// livesim_peer.c
LivesimLine *livesim_line_open(Livesim *sim, uint32_t client);
void         livesim_line_cut(LivesimLine *line);        ///< both sides learn of it at once
void         livesim_line_send(LivesimLine *line, const uint8_t *bytes, size_t size); ///< from the client
void         livesim_line_turn(LivesimLine *line);       ///< what has come by now is given to both sides
void         livesim_line_clear_up(LivesimLine *line);
void         livesim_lines_finish(Livesim *sim);
void         livesim_take_message(LivesimLine *line, const uint8_t *bytes, size_t size); ///< at the server

// livesim_client.c
void livesim_client_turn(LivesimClient *client);
void livesim_client_receive(LivesimClient *client, const uint8_t *bytes, size_t size);
void livesim_client_cut(LivesimClient *client);
void livesim_client_finish(LivesimClient *client);

// livesim_log.c
void livesim_check_log(Livesim *sim);
void livesim_clean(const char *directory); ///< removes what is in it

// synctest_work.h: the parts of `tickproof synctest`: the processes that states are restored in, the two kinds of straight runs, the report.
#pragma once

#include <stdio.h>

#include "cli.h"
#include "inputsource.h"
#include "tickproof/synctest.h"
#include "worlds.h"

typedef struct {
    WorldSet       worlds;
    const char    *world_arguments[WORLDS_LOADED_MAX];
    uint32_t       world_count;
    uint32_t       strengths;
    uint32_t       distance_first, distance_last;
    uint32_t       respawn;        // states that one started process brings back
    uint32_t       step_timeout_s; // for one answer of a process; 0: none
    bool           is_json;
    bool           shows_progress;
    // Of a new run.
    const tp_world *world;
    uint64_t        seed, ticks;
    uint32_t        players, rate, bot_delay;
    bool            has_seed, has_players, has_rate, has_ticks, is_bot;
    const char     *config, *inputs;
    int64_t         config_values[TP_CONFIG_ITEMS_MAX];
    tp_hash_algorithm algorithm;
    const volatile bool *stop;
} SynctestWork;

/// What one run or log came to. `report` is empty when nothing was stepped.
typedef struct {
    const char        *path; // NULL: a new run
    tp_verdict         verdict;
    char               message[TP_MESSAGE_SIZE]; // why, when it is not verified
    char               world[TP_NAME_SIZE_MAX + 1];
    uint32_t           revision, players;
    uint64_t           seed;
    const tp_report   *verified; // NULL: a new run
    tp_synctest_report report;
    double             seconds;
} SynctestResult;

/// Where the process strength's requests go: this program started again, anew after `respawn` requests. There every request is served by a fork
/// of its own, so that each state comes back where nothing was ever stepped.
typedef struct SynctestCarrier SynctestCarrier;

/// NULL: out of memory. `work` and `rules` must outlive it.
SynctestCarrier *synctestcarrier_create(const SynctestWork *work, const tp_rules *rules);
void             synctestcarrier_destroy(SynctestCarrier *carrier);
/// A tp_synctest_carrier.
bool             synctestcarrier_carry(void *carrier, const uint8_t *request, size_t size, const uint8_t **answer, size_t *answer_size,
                                       tp_error *error);

/// The far end's main: the program was started as `tickproof synctest --child FD`.
int synctestchild_main(const char *descriptor);

// Between the two: u32 kind, u64 size, bytes.
enum { SYNCTEST_FRAME_HEAD = 12, SYNCTEST_FRAME_MAX = 1 << 30 };
typedef enum { SYNCTEST_HELLO = 1, SYNCTEST_READY = 2, SYNCTEST_REQUEST = 3, SYNCTEST_ANSWER = 4, SYNCTEST_FAILED = 5 } SynctestFrame;
/// False with errno set; 0 in it: the other end is gone.
bool synctestframe_send(int fd, SynctestFrame kind, const uint8_t *bytes, size_t size);
/// `*bytes` grows as needed and stays the caller's to free.
bool synctestframe_receive(int fd, SynctestFrame *kind, uint8_t **bytes, size_t *capacity, size_t *size);

/// A test of `sim`'s run with the work's options, and the carrier when it needs one. NULL: `error` says why.
typedef struct {
    SynctestCarrier *carrier;
    tp_synctest     *test;
    double           last_shown;
    bool             is_too_large; // why there is none: the distances, not this machine
} SynctestBench;
bool synctestbench_open(SynctestBench *bench, const SynctestWork *work, tp_sim *sim, tp_error *error);
void synctestbench_close(SynctestBench *bench);
void synctestbench_show(SynctestBench *bench, const SynctestWork *work, uint64_t tick);

/// Takes from the inputs' line of rules what no flag says, and refuses what a flag says otherwise: said so. `*inputs` is then at its first tick.
int  synctestrules_take(SynctestWork *work, InputSource **inputs);
/// Plays a new run and tests it. `inputs` are the lines of --inputs, NULL without it.  Returns false when the command line or the inputs are at fault: said so, `*code` is set.
bool synctestrun_new(const SynctestWork *work, InputSource *inputs, SynctestBench *bench, SynctestResult *result, int *code);
/// Follows a log as verify does and tests what it steps. `verified` is filled and stays the caller's.
void synctestrun_log(const SynctestWork *work, SynctestBench *bench, const char *path, tp_report *verified, SynctestResult *result);

void synctestreport_text(FILE *out, const SynctestResult *result);
void synctestreport_json(FILE *out, const SynctestResult *result);

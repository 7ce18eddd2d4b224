// bench_tick.h: what `tickproof bench tick` counts: the parts of a hosted tick, in nanoseconds of the tick thread, and what runs behind it.
#pragma once

#include "tickproof/verify.h"
#include "worlds.h"

enum { BENCH_TICK_ROUNDS_MAX = 99 };

typedef struct BenchTickOptions {
    WorldSet        worlds;
    const tp_world *world; ///< NULL: every built-in one
    uint32_t        players, rounds;
    uint64_t        ticks, seed;
    const char     *config; ///< of `world`: a file or JSON; NULL: the standard one
    bool            is_json;
} BenchTickOptions;

/// What is timed by itself; what a part adds is the difference to the one before it.
typedef enum BenchTickRun {
    BENCH_TICK_BARE,     ///< the world's step on a block, nothing around it; of flat worlds
    BENCH_TICK_STEP,     ///< the row checked and decoded, the guard, the events kept
    BENCH_TICK_ROOT,     ///< and its root
    BENCH_TICK_RECORD,   ///< and the row handed to a recorder
    BENCH_TICK_SNAPSHOT, ///< and a snapshot before it: all that a server's tick thread does for a world
    BENCH_TICK_ROLLBACK, ///< snapshot, root and going back of a tick that is stepped twice, without its steps
    BENCH_TICK_RUNS
} BenchTickRun;

typedef struct BenchTickResult {
    const tp_world *world;
    uint32_t        players, rounds;
    uint64_t        ticks, events;
    size_t          block_size, canonical_size; ///< of an opaque world both are what it saves at most
    bool            has_bare;
    double          ns[BENCH_TICK_RUNS];        ///< a tick, the median of the rounds
    double          behind_ns;                  ///< a tick, on the recorder's thread: chain, checksums, writes to nowhere
    double          log_bytes;                  ///< a tick
    double          memcpy_ns, hash_ns;         ///< of as many bytes as the state has: what no host can be faster than that copies or hashes all of it
    tp_hash128      root;                       ///< of the last tick: the same in every run
    bool            is_diverged;                ///< it was not
    char            text[TP_MESSAGE_SIZE];      ///< why there is no result; empty: it was said already
} BenchTickResult;

/// False with `text`.
bool bench_tick_measure(const BenchTickOptions *options, const tp_world *world, BenchTickResult *result);
void bench_tick_print(const BenchTickResult *result, bool is_json);

/// The command: its own flags, argv[0] being its name. An exit code.
int bench_tick(int argc, char **argv);

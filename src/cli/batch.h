// batch.h: verifies many logs, each in a process of its own, so that a world that crashes or never returns costs its own
// file and no other. With several processes the largest logs come first, and one that would keep a process busy when the others have nothing
// left is verified by several, in segments. Reports come out in the order of the files, whatever the order of the work, and do not say
// how it was divided.
#pragma once

#include "tickproof/verify.h"
#include "worlds.h"

/// One file and what it came to.
typedef struct {
    const char *path; ///< "-" is standard input
    tp_report   report;
    bool        has_proof;
    tp_proof    proof;
} BatchFile;

/// What somebody else knows of a batch's files, or keeps of them. Called in the parent; each may be NULL.
typedef struct {
    void *to;
    /// Asked once for each file that would be started now: its predecessor is verified, or there is none. True: `file` was
    /// filled in, and nothing is run.
    bool (*known)(void *to, size_t index, bool has_predecessor, BatchFile *file);
    /// A file was looked at, before all work; nothing of `files` is needed until its work begins.
    void (*looked)(void *to, size_t index);
    /// A file is finished, in the order of the work.
    void (*finished)(void *to, size_t index, BatchFile *file);
} BatchHooks;

typedef struct {
    const char *const *worlds;     ///< arguments of --world: loaded in each child alone, so that this process stays what it is
    size_t             world_count;
    uint64_t       from, to;
    bool           follow;
    uint32_t       step_timeout_s; ///< 0: none
    uint32_t       processes;      ///< at the same time, at least 1
    bool           fails_fast;     ///< after the first that is not verified, nothing new is started and what runs stops
    bool           proves;         ///< fools the verifier on purpose after a log has verified
    uint64_t       prove_rounds, prove_seed;
    const uint8_t *trusted_key;    ///< 32 bytes, or NULL
    bool           shows_progress; ///< on standard error
    uint32_t       budget_s;       ///< 0: none. From `start` on; then nothing new is started and what runs stops, and both are incomplete
    double         start;          ///< by cli_seconds
    const BatchHooks *hooks;       ///< may be NULL
    uint64_t       segment_ticks;  ///< a log that is more than one process's share is verified in segments of at least this many; 0: never
} BatchOptions;

/// Verifies `count` files. `done` is called for each, in order, as soon as it and all before it are finished. Returns false
/// when it could not begin: said so. SIGINT and SIGTERM end it at the next tick: what is not finished is incomplete.
bool batch_run(BatchFile *files, size_t count, const BatchOptions *options, void (*done)(void *to, const BatchFile *file), void *to);

/// During a batch: it was interrupted, its budget is spent, or one failed with --fail-fast. What ends now may have been cut short.
bool batch_is_stopping(void);

/// Loads the worlds once in a process of their own. True when each is one; else said so, with what they did: refused, crashed, ended the
/// process, or did not come back within the step timeout.
bool batch_try_worlds(const BatchOptions *options);

/// A file's name as reports show it.
const char *batch_name(const BatchFile *file);

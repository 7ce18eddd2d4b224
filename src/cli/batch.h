// batch.h: verifies many logs, each in a process of its own, so that a world that crashes or never returns costs its own
// file and no other. Reports come out in the order of the files, whatever the order of the work.
#pragma once

#include "tickproof/verify.h"
#include "worlds.h"

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
} BatchOptions;

/// One file and what it came to.
typedef struct {
    const char *path; ///< "-" is standard input
    tp_report   report;
    bool        has_proof;
    tp_proof    proof;
} BatchFile;

/// Verifies `count` files. `done` is called for each, in order, as soon as it and all before it are finished. Returns false
/// when it could not begin: said so. SIGINT and SIGTERM end it at the next tick: what is not finished is incomplete.
bool batch_run(BatchFile *files, size_t count, const BatchOptions *options, void (*done)(void *to, const BatchFile *file), void *to);

/// Loads the worlds once in a process of their own. True when each is one; else said so, with what they did: refused, crashed, ended the
/// process, or did not come back within the step timeout.
bool batch_try_worlds(const BatchOptions *options);

/// A file's name as reports show it.
const char *batch_name(const BatchFile *file);

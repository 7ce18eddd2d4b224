// realm_oracle_run.h: what the files of the oracle share: one schedule under way.
#pragma once

#include "realm_oracle.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ORACLE_OLD_MAX = 16, ORACLE_CALLS_MAX = 6000 };

/// The admission of a landblock, and how far its draft is.
typedef enum AdmissionStage { STAGE_BEGUN, STAGE_PREPARED, STAGE_NOTED, STAGE_CLOSED } AdmissionStage;

typedef struct Admission {
    bool             is_live;
    RealmTicket      ticket;
    RealmDraftHandle draft;
    uint32_t         variant;
    AdmissionStage   stage;
    uint32_t         item; ///< of the content, next to publish
} Admission;

/// Everything that is known beside the engine: copied with the block when a world is saved.
typedef struct Track {
    Model            model;
    Admission        admission[LAND_BLOCKS_MAX];
    Admission        old[ORACLE_OLD_MAX]; ///< ended: tickets and drafts that must not work any more
    uint32_t         olds;
    RealmOwnerHandle gone;                ///< an owner that was removed
    uint64_t         numbers;             ///< generations drawn so far: one for each admission, one burned for each cancel
} Track;

typedef struct Run {
    const OracleOptions *options;
    const OracleStep    *steps;
    uint32_t             count, at;
    bool                 is_loud;
    Land                *land;
    Rig                 *rig;   ///< the streamed world
    Rig                 *twin;  ///< where a saved world goes on
    Rig                 *built;
    unsigned char       *shadow; ///< the block as of before the step, when writes are audited
    Track                track, saved;
    uint32_t             twin_from, twin_end; ///< steps that the twin repeats; 0: no save pending
    uint32_t             committed; ///< COMMITTED events of the last call
    Look                 seen, compared;
    OracleCounts        *counts;
    char                *wrong;
} Run;

static inline RealmEngine *run_engine(Run *run)
{
    return &run->rig->engine;
}
static inline bool run_is_good(const Run *run)
{
    return run->wrong[0] == '\0';
}
/// Keeps the first failure.
void run_fail(Run *run, const char *format, ...) __attribute__((format(printf, 2, 3)));
void run_tell(const Run *run, const char *format, ...) __attribute__((format(printf, 2, 3)));
/// After every call of the engine: events go into the model, invariants are checked. Gives the answer back.
RealmAnswer run_after(Run *run, RealmAnswer answer);

// realm_oracle_stream.c
void run_begin(Run *run, const OracleStep *step);
void run_stage(Run *run, const OracleStep *step);    ///< PREPARE, MATERIALISE, PUBLISH, SEAL, COMMIT
void run_advance(Run *run, const OracleStep *step);
void run_cancel(Run *run, const OracleStep *step);
void run_cancel_old(Run *run, const OracleStep *step);
void run_remove(Run *run, const OracleStep *step);   ///< DEMOTE, WITHDRAW
void run_retire(Run *run, uint32_t calls);
void run_tick(Run *run, const OracleStep *step);
void run_reset(Run *run);
/// Drives everything to rest: commits what can be (else cancels), and takes down all there is.
void run_rest(Run *run, bool is_commit);

// realm_oracle_owner.c
void run_owner(Run *run, const OracleStep *step);
void run_fixture(Run *run, const OracleStep *step);
/// A call that must be refused, and change nothing.
void run_misuse(Run *run, const OracleStep *step);

/// Compares what is active with a world built at once.
void run_look(Run *run, uint32_t draw, bool is_at_rest);

// realm_oracle.h: seeded schedules of streaming, and the oracle they are held against: after every step the invariants hold, and what the active
// world shows is what a world shows that was built at once as the model says. A schedule is a list of plain numbers, each step of which means
// something whatever came before it, so that steps can be left out of one that fails.
#pragma once

#include "realm_model.h"

enum { ORACLE_STEPS_MAX = 224, ORACLE_TEXT_SIZE = 640 };

#define ORACLE_OP_LIST(X)                                                                          \
    X(BEGIN, 20) X(PREPARE, 12) X(MATERIALISE, 10) X(PUBLISH, 14) X(SEAL, 34) X(COMMIT, 5)            \
    X(ADVANCE, 40) X(CANCEL, 3) X(CANCEL_OLD, 2) X(MISUSE, 4) X(DEMOTE, 4) X(WITHDRAW, 5)          \
    X(REGISTER, 9) X(MOVE_NEAR, 12) X(MOVE_FAR, 14) X(STATE, 4) X(SETUP, 4) X(SUSPEND, 4)           \
    X(DEREGISTER, 3) X(REUSE, 3) X(FIXTURE_MOVE, 5) X(FIXTURE_STATE, 2) X(FIXTURE_SETUP, 2)        \
    X(FIXTURE_SUSPEND, 2) X(FIXTURE_DELETE, 2) X(RETIRE, 14) X(TICK, 3) X(RESET, 1) X(TWIN, 3)     \
    X(CHECK, 5) X(REST, 2)

typedef enum OracleOp {
#define ORACLE_ENUM(name, weight) ORACLE_##name,
    ORACLE_OP_LIST(ORACLE_ENUM)
#undef ORACLE_ENUM
    ORACLE_OP_COUNT,
} OracleOp;

typedef struct OracleStep {
    uint8_t  op; ///< OracleOp
    uint32_t a, b, c;
} OracleStep;

/// What a test does behind the model's back, from the middle of the schedule on, to see that it is noticed.
typedef enum OracleSabotage {
    SABOTAGE_NONE,
    SABOTAGE_STATE,    ///< an owner's state changes
    SABOTAGE_SETUP,    ///< an owner becomes another thing
    SABOTAGE_GROUND,   ///< one vertex of the active ground rises
    SABOTAGE_ROW,      ///< the rows of a cell are forgotten
    SABOTAGE_WITHDRAW, ///< a landblock goes without a word
    SABOTAGE_EXTRA,    ///< there is an owner more
    SABOTAGE_TWIN,     ///< something that no view shows changes in one of two worlds
    SABOTAGE_UNTOLD,   ///< a byte that nobody looks at is written and not told of
    SABOTAGE_COUNT,
} OracleSabotage;

typedef struct OracleOptions {
    uint64_t seed;
    uint32_t origin_x, origin_y, width, height;
    uint32_t steps;
    bool     is_tight;   ///< pools so small that limits are reached
    bool     is_audited; ///< what is written without being told of is a failure, too
    OracleSabotage sabotage;
    RigSizes sizes;
} OracleOptions;

/// What a schedule did: a run in which nothing happens proves nothing.
typedef struct OracleCounts {
    uint64_t steps, partial, commits, cancels, limits, demotions, withdrawals, waits, changes, looks, rests, twins, misuses, resets;
} OracleCounts;

OracleOptions oracle_options(uint64_t seed);
/// Draws the schedule of the options; returns its length.
uint32_t      oracle_draw(const OracleOptions *options, OracleStep steps[ORACLE_STEPS_MAX]);
/// Runs it from an empty engine. False: `wrong` says after which step what did not hold. `is_loud`: every step is told on stderr.
bool          oracle_run(const OracleOptions *options, const OracleStep *steps, uint32_t count, bool is_loud, OracleCounts *counts,
                         char wrong[ORACLE_TEXT_SIZE]);
/// Leaves steps out of a failing schedule for as long as it still fails; returns the length of what remains.
uint32_t      oracle_shrink(const OracleOptions *options, OracleStep *steps, uint32_t count);
void          oracle_print(const OracleOptions *options);

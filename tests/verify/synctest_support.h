// synctest_support.h: runs for the tests of the synctest, with a script that moves everybody in any world, and a far end that is not far.
#pragma once

#include "tickproof/synctest.h"

typedef struct {
    const tp_world     *world;
    uint32_t            players;
    uint64_t            seed, ticks;
    const int64_t      *config; // NULL: the standard one
    bool                is_idle, is_bot;
    void              (*before_step)(tp_sim *straight, uint64_t tick); // may be NULL
    tp_synctest_options options;
} SyncRun;

enum { SYNCRUN_CASES_MAX = 64 };

/// The report's cases are copied: it points to nothing that is gone.
typedef struct {
    tp_synctest_report report;
    tp_synctest_case   cases[SYNCRUN_CASES_MAX];
} SyncOutcome;

/// 300 ticks of two players with the script, copy and bytes, distances 1 to 8.
SyncRun     syncrun_standard(const tp_world *world);
SyncOutcome syncrun_do(const SyncRun *run);

/// Serves in this process, in a sim made for each request: the messages are those of another process, the freshness is not.
typedef struct {
    const tp_world *world;
    tp_setup        setup;
    uint8_t        *answer;
    size_t          answer_size;
    uint64_t        requests;
    void (*spoil)(uint8_t *answer, size_t *size); // may be NULL
} NearEnd;
bool nearend_carry(void *to, const uint8_t *request, size_t size, const uint8_t **answer, size_t *answer_size, tp_error *error);

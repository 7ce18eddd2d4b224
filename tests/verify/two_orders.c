// two_orders.c: the same 20 logs, good and bad, in two orders in one process: every file gets the identical report, so nothing leaks from one
// verification into the next. That the comparison can fail is shown by reports of two different logs.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "log_mutate.h"
#include "runnerlog.h"
#include "testrecording.h"

enum { LOGS = 20 };

static uint8_t  *bytes[LOGS];
static size_t    sizes[LOGS];
static tp_report reports[2][LOGS];

static const tp_world *find(void *to, const char *name, uint32_t revision)
{
    tp_verify_options runner = runnerlog_verify_options();
    const tp_world   *world = runner.find_world(to, name, revision);
    tp_verify_options others = recording_verify_options();
    return world != NULL ? world : others.find_world(to, name, revision);
}

static void make(int i)
{
    RunnerLog wanted = runnerlog_standard();
    Recording recording = recording_standard();
    wanted.seed = (uint64_t)i;
    wanted.players = 1 + (uint32_t)i % 8;
    wanted.halts = i % 6 == 2;
    recording.seed = (uint64_t)i;
    recording.world = i % 4 == 1 ? &testworld_opaque : &testworld_flat;
    recording.algorithm = i % 8 == 3 ? TP_HASH_FNV1A128 : TP_HASH_XXH3;
    recording.fault_tick = i % 4 == 3 ? 90 : 0;
    bytes[i] = i % 2 == 0 ? runnerlog_make(&wanted, &sizes[i]) : recording_make(&recording, &sizes[i]);
    if (i % 5 == 3) {
        sizes[i] -= sizes[i] / 3; // cut
    } else if (i % 5 == 4) {
        bytes[i][sizes[i] / 2] ^= 4; // damaged, and with checksums redone maybe diverged
        log_mutate_repair(bytes[i], i % 2 == 0 ? sizes[i] : 0);
    }
}

static void verify(int order, int i)
{
    tp_memory_source  memory = { bytes[i], sizes[i] };
    tp_source         source = tp_source_of_memory(&memory);
    tp_verify_options options;
    tp_verify_options_standard(&options);
    options.find_world = find;
    tp_verify_log(&source, &options, &reports[order][i]);
}

int main(void)
{
    int failed = 0;
    int verdicts[9] = { 0 };
    for (int i = 0; i < LOGS; i++) {
        make(i);
    }
    for (int i = 0; i < LOGS; i++) {
        verify(0, i);
    }
    for (int i = 0; i < LOGS; i++) {
        verify(1, LOGS - 1 - i);
    }
    for (int i = 0; i < LOGS; i++) {
        if (memcmp(&reports[0][i], &reports[1][i], sizeof(tp_report)) != 0) {
            printf("two_orders: log %d: %s (%s), then %s (%s)\n", i, tp_verdict_name(reports[0][i].verdict), reports[0][i].message,
                   tp_verdict_name(reports[1][i].verdict), reports[1][i].message);
            failed++;
        }
        verdicts[reports[0][i].verdict] += 1;
    }
    bool differs = memcmp(&reports[0][0], &reports[0][1], sizeof(tp_report)) != 0;
    printf("two_orders: %d logs, %d verified, %d diverged, %d corrupt, %d truncated; %d passed, %d failed\n", LOGS, verdicts[0], verdicts[1],
           verdicts[3], verdicts[4], LOGS - failed, failed);
    for (int i = 0; i < LOGS; i++) {
        free(bytes[i]);
    }
    return failed == 0 && differs && verdicts[0] > 0 && verdicts[0] < LOGS ? 0 : 1;
}

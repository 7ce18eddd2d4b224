// runnerlog.h: logs of the runner with bots, in memory.
#pragma once

#include "tickproof/verify.h"

typedef struct {
    uint32_t          players;
    uint64_t          seed, ticks;
    bool              has_commands; // bonus, speed and rows commands now and then
    bool              has_notes;
    bool              halts;        // the last tick is a `halt`: the log ends in a fault
    tp_writer_options writer;
} RunnerLog;

/// 2 players, 400 ticks, commands and notes, runs of 32, KEY every 150, SEAL every 128.
RunnerLog runnerlog_standard(void);
/// The caller frees the bytes. Aborts on anything unexpected.
uint8_t *runnerlog_make(const RunnerLog *wanted, size_t *size);
tp_verify_options runnerlog_verify_options(void);
tp_report         runnerlog_verify(const uint8_t *bytes, size_t size);

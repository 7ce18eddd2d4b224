// testrecording.h: logs of the test worlds, in memory.
#pragma once

#include "testworld.h"
#include "tickproof/verify.h"

typedef struct {
    const tp_world   *world;
    uint32_t          players;
    uint64_t          seed, ticks;
    tp_writer_options writer;
    tp_hash_algorithm algorithm;       // 0: XXH3
    uint64_t          fault_tick;      // the script's row of this tick is given a command that faults; 0: none
    uint64_t          plant_tick;      // before this tick's step the state is changed behind the host's back; 0: none
    void            (*plant)(tp_sim *sim);
    tp_end_reason     reason;          // 0: completed, or fault
} Recording;

/// 300 ticks of testworld_flat with 2 players, runs of 16, LEAVES every 64, KEY every 100, SEAL every 128.
Recording recording_standard(void);
/// Runs the script and records it. The caller frees the bytes. Fails the process on anything unexpected.
uint8_t *recording_make(const Recording *recording, size_t *size);

/// Options that know the two test worlds.
tp_verify_options recording_verify_options(void);
tp_report         recording_verify(const uint8_t *bytes, size_t size);

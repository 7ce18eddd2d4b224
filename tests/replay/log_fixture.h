// log_fixture.h: logs of the small test worlds, made in memory, and one call that reads a whole log.
#pragma once

#include "testworld.h"
#include "tickproof/replay.h"

typedef struct LogFixture {
    const tp_world   *world;
    uint32_t          players;
    uint64_t          seed, ticks;
    tp_hash_algorithm algorithm;
    tp_writer_options writer;
    uint64_t          note_at;              ///< a NOTE before this tick; 0: none
    uint64_t          gap_first, gap_ticks; ///< ticks that are stepped and not recorded; gap_ticks 0: none
    uint64_t          fault_at;             ///< the world is told to fault at this tick; 0: not
    bool              is_threaded;
    bool              is_unfinished;
    tp_end_reason     reason;
} LogFixture;

/// Three players of the flat world, 130 ticks, every kind of record but FAULT and RESUME, no signature.
LogFixture fixture_standard(void);
/// Runs and records; the caller frees `bytes`. Asserts that the writer never refused.
tp_memory_sink fixture_log(const LogFixture *fixture);
tp_sim *fixture_sim(const LogFixture *fixture);
/// Steps once by the script and gives the row to `writer` (may be NULL). False when the writer said so.
bool fixture_step(const LogFixture *fixture, tp_sim *sim, tp_writer *writer);
/// The 64-byte secret key of a fixed seed.
const uint8_t *fixture_sign_key(void);

typedef struct LogReading {
    tp_log_status status;
    uint64_t      offset, ticks, records, commands;
    bool          is_signed;
    uint8_t       chain[TP_LOG_CHAIN_SIZE];
    char          message[256];
} LogReading;

/// Reads to the end, walking every row and command.
LogReading fixture_read(const uint8_t *bytes, size_t size);
LogReading fixture_read_with(const uint8_t *bytes, size_t size, const tp_reader_options *options);
/// Goes on with a reader until it says something other than OK.
tp_log_status fixture_drain(tp_reader *reader, LogReading *reading);

// server_fixture.h: logs to feed rooms with, in a directory that is gone afterwards.
#pragma once

#include "server.h"
#include "testworld.h"

/// A directory of its own under the system's temporary one, with `record` in it for the rooms' own logs.
typedef struct {
    char path[256];
    char record[300];
} Fixture;

Fixture fixture_open(void);
/// Removes everything in it.
void    fixture_close(const Fixture *fixture);
/// DIRECTORY/NAME in a static buffer, valid until the next call.
const char *fixture_path(const char *directory, const char *name);

typedef struct {
    const tp_world *world;
    uint32_t        players;
    uint64_t        seed;
    uint64_t        ticks;
    uint32_t        tick_rate_hz; ///< 0: the world's
    uint32_t        root_size;    ///< 0: the usual
    bool            has_no_roots;
    uint64_t        plant_at;     ///< from this tick on the recorder's players differ; 0: never
    bool            ends_in_fault; ///< flat world: the tick after `ticks` faults
    bool            has_no_end;
    uint64_t        starts_at;    ///< above 0: the second file of a series, from this tick on
    uint64_t        gap_ticks;    ///< so many ticks after the first half are not recorded
} LogPlan;

/// Writes what the plan says to DIRECTORY/NAME. Aborts on anything unexpected.
void fixture_write_log(const Fixture *fixture, const char *name, const LogPlan *plan);
/// Cuts a file to `size`, or flips the lowest bit of the byte at `offset`.
void     fixture_cut(const char *path, uint64_t size);
void     fixture_flip(const char *path, uint64_t offset);
uint64_t fixture_size(const char *path);

/// The two test worlds by name: a find_world of the server and of the verifier.
const tp_world *fixture_find_world(void *to, const char *name, uint32_t revision);
/// Verifies a file.
tp_report fixture_verify(const char *path);
/// True when both logs hold the same rows (presence, origins, inputs, commands) with the same roots.
bool fixture_has_equal_rows(const char *left, const char *right);

/// What a server said, by kind.
typedef struct {
    uint32_t    counts[SERVER_EVENT_STOP + 1];
    ServerEvent last[SERVER_EVENT_STOP + 1];
} EventLog;
void fixture_event(void *log, const ServerEvent *event);

// minimise_work.h: the parts of `tickproof minimise`: the trials by processes, candidates as logs, the result as a log and as a test.
#pragma once

#include "cli.h"
#include "finding.h"
#include "side.h"
#include "tickproof/minimise.h"
#include "tickproof/synctest.h"
#include "worlds.h"

/// What makes logs of inputs without stepping anything: the world with a step that does nothing, so that a world which crashes or hangs does it elsewhere.
typedef struct {
    tp_world world;
    tp_sim  *sim; ///< at tick 0, with a snapshot of that
} MinimiseStill;

/// Room for a side's name: as much of its command as a line can bear.
enum { MINIMISE_NAME_SIZE = 160 };

/// Where a field stands in the saved state, for the test that is made of the result.
typedef struct {
    bool     is_known;
    char     place[128], section[TP_NAME_SIZE_MAX + 1];
    char     values[2][64];
    uint64_t differing_fields;
    size_t   offset, size;
    uint8_t  expected[64];
} MinimiseField;

/// What is known of the sides at the result's last tick.
typedef struct {
    uint64_t      tick;
    bool          has_tick;
    uint8_t       root[TP_TRACE_ROOT_SIZE]; ///< of the first side
    bool          has_root;
    bool          has_fault; ///< the first side faults there; `root` is that fault's
    MinimiseField field;
    char          text[TP_MESSAGE_SIZE + 2 * MINIMISE_NAME_SIZE]; ///< what the second side does: "faults", "crashes ...", "comes to another root"
} MinimiseDifference;

typedef struct {
    // As the command line has it.
    const char *path, *output, *fixture;
    bool        may_replace, keep_ticks, same_field, is_json, against_record, is_synctest;
    uint32_t    seconds, timeout_s;
    const char *worlds[WORLDS_LOADED_MAX];
    size_t      world_count;
    const char *with[2];
    size_t      with_count;
    const char *perturb;

    Side           sides[2];
    const char    *perturb_flags[2];
    char           names[2][MINIMISE_NAME_SIZE];
    WorldSet       world_set;
    const tp_world *world;
    uint8_t        *log;
    size_t          log_size;
    tp_ident       *ident;
    tp_layout       layout;
    MinimiseStill   still;
    tp_inputs       inputs;
    bool            is_whole_log;
    tp_minimise_report report;
    double          start, deadline, shown_at; ///< deadline 0: none
    double          first_seconds;             ///< of the first trial
    bool            has_tried, is_interrupted, is_out_of_time;
    bool            has_come_apart;            ///< some trial said so
    char            failure[TP_MESSAGE_SIZE];
    tp_verdict      failure_verdict;           ///< VERIFIED: INCOMPATIBLE, as most failures are
    MinimiseField   first_field;               ///< for --same-field
    MinimiseDifference difference;
    tp_strength     strength;                  ///< of --synctest: the case that is asked for
    uint32_t        distance;
    bool            has_case;
    char            synctest_text[TP_MESSAGE_SIZE];
} MinimiseWork;

// minimise_log.c

bool minimiselog_open(MinimiseWork *work, tp_error *error);
void minimiselog_close(MinimiseWork *work);
/// A log of these inputs without roots. False: the world does not take one of them, or there is no memory. Free the bytes.
bool minimiselog_make(MinimiseWork *work, const tp_inputs *inputs, uint8_t **bytes, size_t *size);
/// The same stepped by the world, with roots and leaves of every tick, in a process of its own. `*has_roots` false: the world did not come back from it,
/// and the log is one without roots. False: out of memory, or interrupted.
bool minimiselog_record(MinimiseWork *work, const tp_inputs *inputs, uint8_t **bytes, size_t *size, bool *has_roots);
bool minimiselog_write(const MinimiseWork *work, const char *path, const uint8_t *bytes, size_t size);

/// Runs `serve` in a process of its own, and gives what it wrote to the descriptor. False: it did not end by itself with 0 within `timeout_s` (0: any time);
/// what it wrote until then is given all the same. Free the bytes.
bool minimise_apart(MinimiseWork *work, void (*serve)(MinimiseWork *work, const void *with, int out), const void *with, uint32_t timeout_s, uint8_t **bytes,
                    size_t *size);

// minimise_sides.c

/// False: said so.
bool     minimisesides_open(MinimiseWork *work);
tp_trial minimisesides_trial(void *work, const tp_inputs *inputs, tp_minimise_trial *trial);
/// What the sides come to at the end of these inputs. False: they could not be asked.
bool     minimisesides_describe(MinimiseWork *work, const tp_inputs *inputs, MinimiseDifference *difference);
/// The first tick whose recorded root is not the first side's. False: there is none, or it cannot be told (`failure`). Sets `is_whole_log`, without which
/// none is only none so far.
bool     minimisesides_record(MinimiseWork *work, uint64_t *bad_tick);

// minimise_synctest.c

tp_trial minimisesync_trial(void *work, const tp_inputs *inputs, tp_minimise_trial *trial);

// minimise_fixture.c

bool minimisefixture_write(const MinimiseWork *work);

// minimise_report.c

void minimisereport_progress(void *work, const tp_minimise_report *so_far);
void minimisereport_hide(MinimiseWork *work);
void minimisereport_text(const MinimiseWork *work, double seconds);
void minimisereport_json(const MinimiseWork *work, tp_verdict verdict, const char *message, double seconds);
const char *minimisereport_count(uint64_t count, const char *one, const char *many, char text[64]);

// verify_internal.h: what one verification knows while it reads.
#pragma once

#include "bytes.h"
#include "tickproof/verify.h"

struct tp_verifier {
    const tp_verify_options *options;
    tp_report               *report;
    tp_reader               *reader;
    tp_sim                  *sim;

    // Scratch for the sim's state and its leaves, taken with the sim.
    uint8_t *state;
    size_t   state_capacity;
    uint64_t *leaves;
    uint32_t  leaves_capacity;

    // Where reading stands: the rows of a TICKS or FAULT record are given out one by one.
    tp_log_status status;
    tp_log_record record;
    tp_log_rows   rows;
    bool          has_rows;
    tp_log_row    row;
    bool          is_row_ready;   // `row` is the next to take
    bool          is_row_stepped; // the last row taken was stepped: done or faulted, not refused

    tp_verify_options kept_options; // a verifier's own copies; tp_verify_log borrows its caller's
    tp_report         kept_report;

    // The finding that stands. DIVERGED and CORRUPT come in file order, so the first one found is the earlier.
    bool has_finding;

    // The last row's root as recorded, for holding KEY, LEAVES and END against it.
    uint64_t last_tick;
    bool     has_last_tick;
    uint8_t  last_root[16];
    uint32_t last_root_size;   // 0: the row carried none
    bool     is_last_checked;  // the last tick has been counted as checked
    bool     is_last_with_root;
    uint64_t first_suspect;    // the tick after the last one that was checked

    uint64_t start_key_tick;   // with --from: rows before this KEY are not stepped
    bool     is_started;       // the sim holds a state of this log
    bool     is_past_to;
    bool     is_unproven;      // the start or a part was taken from a KEY that nothing proves
    bool     is_after_gap;
    bool     is_stopped;
    bool     is_over;          // FAULT was seen

    uint64_t end_offset;       // of the KEY behind which a segment ends; 0: none

    // After a divergence: stepping on to name section and field.
    bool     is_locating;
    uint64_t locate_end;
    bool     has_section, has_field;
    tp_known agrees_again; // whether the tick after the bad one came out equal
};
typedef struct tp_verifier Verify;

/// Latches the first finding and words it. Later ones are ignored.
void verify_find(Verify *verify, tp_verdict verdict, const char *format, ...) __attribute__((format(printf, 3, 4)));
/// The root of `tick` differs from the recorded one: latches DIVERGED and starts locating.
void verify_diverge(Verify *verify, uint64_t tick, const uint8_t *expected, uint32_t size, const char *what);

// What was read, taken in the order of the file (verify_record.c).

void verify_take_ident(Verify *verify);
/// From IDENT to a sim in its first state, or to an INCOMPATIBLE finding and no sim.
void verify_make_sim(Verify *verify, const tp_ident *ident);
void verify_take_record(Verify *verify, const tp_log_record *record);
void verify_take_row(Verify *verify, const tp_log_record *record, const tp_log_row *row);
/// The one row of a FAULT record.
void verify_take_fault(Verify *verify, const tp_log_record *record, const tp_log_row *row);

/// Takes the state of a KEY that nothing here has proven: foreign bytes. False after a finding.
bool verify_start_from_key(Verify *verify, const tp_log_record *record, const tp_log_key *key);

/// The verdict. Once.
void verify_conclude(Verify *verify);
/// Its part for a log in whose reading nothing was wrong: whether everything was checked, and by whom it is signed.
void verify_conclude_whole(Verify *verify);

/// For a verification in one piece or of a segment. False when out of memory.
bool verify_open(Verify *verify, const tp_source *source, const tp_verify_options *options, const tp_reader_options *reader, tp_report *report);
void verify_close(Verify *verify);

/// Stepping on after a divergence: compares what the record shows with the sim.
void verify_locate_leaves(Verify *verify, const tp_log_leaves *leaves, uint64_t tick);
void verify_locate_key(Verify *verify, const tp_log_key *key, uint64_t tick);
void verify_locate_next_root(Verify *verify, const tp_log_row *row);
/// Puts what was located into the message.
void verify_locate_finish(Verify *verify);
/// Compares a KEY's state with the sim's, bytes first. Fills the report's field on a difference. True when equal.
bool verify_compare_state(Verify *verify, const tp_log_key *key, uint64_t tick);

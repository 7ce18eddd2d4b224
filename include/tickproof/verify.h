// verify.h: run a log again and say whether this machine gets the same bits. One log in, one report out; nothing is
// printed. A difference is an answer here, not an error.
#pragma once

#include "tickproof/replay.h"

#ifdef __cplusplus
extern "C" {
#endif

/// The numbers are the program's exit codes. Inside one file: INCOMPATIBLE, then UNAUTHENTIC, then the earlier of
/// DIVERGED and CORRUPT, then TRUNCATED, UNVERIFIABLE, INCOMPLETE. Nothing turns a mismatch into VERIFIED.
typedef enum tp_verdict {
    TP_VERIFIED     = 0, ///< every recorded tick was checked and END is there
    TP_DIVERGED     = 1, ///< re-simulation came to other bits
    TP_USAGE        = 2, ///< bad flag, no such file (only the command line gives it)
    TP_CORRUPT      = 3, ///< damaged or malformed, at `offset`
    TP_TRUNCATED    = 4, ///< ends early; what is there matched
    TP_INCOMPLETE   = 5, ///< not every recorded tick was checked
    TP_INCOMPATIBLE = 6, ///< this program cannot run this log: said before tick 0
    TP_UNVERIFIABLE = 7, ///< no tick carries a checksum
    TP_UNAUTHENTIC  = 8, ///< chain or signature does not hold, or not by the trusted key
    TP_INTERNAL     = 70,
} tp_verdict;

/// "verified", "diverged", ...
const char *tp_verdict_name(tp_verdict verdict);
/// The more serious of two in a batch: 70, 8, 1, 3, 6, 7, 4, 5, 2, 0.
tp_verdict tp_verdict_worst(tp_verdict a, tp_verdict b);

/// The world that a log was recorded with, in the state that its init makes. NULL with the reason, which is what makes a log
/// INCOMPATIBLE: `world` is NULL (none was found), its revision, config items, tables or content are others, or it refuses the
/// log's rules. `options` may be NULL; the algorithm is the log's whatever they say.
tp_sim *tp_sim_of_ident(const tp_ident *ident, const tp_world *world, const tp_sim_options *options, tp_error *error);

typedef enum tp_known { TP_UNKNOWN = 0, TP_NO = 1, TP_YES = 2 } tp_known;

enum { TP_MESSAGE_SIZE = 384 };

typedef struct tp_report {
    tp_verdict verdict;
    char       message[TP_MESSAGE_SIZE]; ///< one line without file name: what was found, where, what to do

    // What the log is. Empty name when IDENT could not be read.
    char     world[TP_NAME_SIZE_MAX + 1];
    uint32_t revision, players, tick_rate_hz;
    uint64_t seed;
    uint32_t sequence;
    uint64_t first_tick;

    // How far it went. A tick is checked when a checksum of it was compared and equal.
    uint64_t recorded; ///< rows in what could be read
    uint64_t checked;
    uint64_t stepped;
    uint64_t with_root;       ///< recorded ticks that carry a checksum
    uint64_t next_tick;       ///< first tick not in what could be read
    uint64_t matched_ticks;   ///< ticks that were checked before the first finding
    uint64_t offset;          ///< file offset of what is wrong (CORRUPT, TRUNCATED, UNAUTHENTIC), else of the end
    bool          has_end;
    tp_end_reason end_reason;
    bool     has_fault;       ///< the log ends in a fault, and so did the run
    uint64_t fault_tick;
    uint64_t gaps, missing_ticks, resumes;
    tp_gap_cause gap_cause;   ///< of the last gap
    bool     is_signed;       ///< some SEAL, or END
    bool     is_end_signed;   ///< by `public_key`, and so is all before it: whoever has that key vouches for the whole file
    bool     is_trusted;      ///< and that key is the trusted one that was given; else nothing proves who made the file
    uint8_t  public_key[32];  ///< the last one
    uint8_t  chain[TP_LOG_CHAIN_SIZE]; ///< END's chain value, when there is one
    uint8_t  final_root[16];           ///< of the last tick, as computed here
    tp_log_status log_status;

    // DIVERGED: the first bad tick. Exact where every tick carries a root, which is the rule; else the first one that shows it, and the bad
    // one is suspect_tick or later.
    uint64_t bad_tick;
    uint64_t suspect_tick;
    tp_known inputs_equal; ///< of the bad tick: the recorder's inputs against the log's
    tp_known events_equal;
    uint32_t root_size;    ///< bytes of the two roots below that mean something
    uint8_t  expected_root[16], actual_root[16];
    char     section[TP_NAME_SIZE_MAX + 1]; ///< first section that differs at `section_tick`, empty when unknown
    uint64_t section_tick;                  ///< tick of the LEAVES or KEY that showed it
    char     field[128];                    ///< place, empty when unknown
    char     field_expected[64], field_actual[64];
    uint64_t field_tick;                    ///< steps done when the KEY that showed it was written
    uint64_t differing_fields;
} tp_report;

/// What the predecessor of a rotated log came to.
typedef struct tp_predecessor {
    uint8_t    chain[TP_LOG_CHAIN_SIZE];
    uint8_t    root[16];
    uint64_t   next_tick;
    uint32_t   sequence;
} tp_predecessor;

typedef struct tp_verify_options {
    /// Finds a world by name; gives any revision it has (the verifier says which differs), NULL when there is none.
    const tp_world *(*find_world)(void *to, const char *name, uint32_t revision);
    void *find_to;
    uint64_t from;           ///< first tick to check; earlier ones are skipped from the last KEY at or before it
    uint64_t to;             ///< last tick to check; UINT64_MAX: to the end
    bool     follow;         ///< the file may still grow
    bool   (*wait)(void *to);///< follow: nothing new yet; false gives up
    void    *wait_to;
    const volatile bool *stop; ///< set by a signal handler: INCOMPLETE at the next tick. May be NULL
    /// Called after every 1,024 ticks and at the end. May be NULL.
    void   (*progress)(void *to, uint64_t ticks, uint64_t offset);
    void    *progress_to;
    /// Called before a row is stepped (finished false) and after its step, before the comparison (finished true). May be NULL. For
    /// watchdogs, observers, and for planting a fault.
    void   (*each_tick)(void *to, tp_sim *sim, uint64_t tick, bool is_finished);
    void    *each_to;
    const uint8_t *trusted_key;         ///< 32 bytes; NULL: any
    const tp_predecessor *predecessor;  ///< of a log with a sequence above 0; NULL: INCOMPLETE at best
    uint64_t locate_ticks; ///< how far to step on after a divergence to find section and field; 0: 36,000
} tp_verify_options;

/// from 0, to the end, everything else off. `find_world` must still be set.
void tp_verify_options_standard(tp_verify_options *options);

/// Verifies one log. Never fails otherwise than by its report.
void tp_verify_log(const tp_source *source, const tp_verify_options *options, tp_report *report);

// The same, a row at a time, for a host that sets the pace: tp_verify_log is a loop around these.

typedef struct tp_verifier tp_verifier;

typedef enum tp_verifier_status {
    TP_VERIFIER_ROW  = 0, ///< one row was taken (tp_verifier_row), and what it claims was compared
    TP_VERIFIER_WAIT = 1, ///< follow: nothing new yet; call again later
    TP_VERIFIER_DONE = 2, ///< nothing more to take: tp_verifier_finish says what it came to
} tp_verifier_status;

/// Source and what the options point at must outlive the verifier; `wait` is not called. NULL: out of memory.
tp_verifier       *tp_verifier_create(const tp_source *source, const tp_verify_options *options);
/// Reads IDENT and the first KEY, so that the sim stands where the log begins. False when it does not: the log's head is not (yet)
/// there, no world here made it, or `from` lies behind a later KEY. For a host that has something to do before the first row;
/// the calls below need no start.
bool               tp_verifier_start(tp_verifier *verifier);
/// Reads on until the next row is at hand, without stepping it: ROW. What stands after the last row and speaks about it (LEAVES, KEY,
/// END) is compared on the way, and a GAP's KEY becomes the sim's state. Calling it again changes nothing.
tp_verifier_status tp_verifier_prepare(tp_verifier *verifier);
/// Prepares, then takes the row: steps it and compares what it claims. Bounded by one row and what stands before it.
tp_verifier_status tp_verifier_next(tp_verifier *verifier);
/// NULL until IDENT was read and its world found, and when that is not possible.
const tp_ident    *tp_verifier_ident(const tp_verifier *verifier);
/// The world after the last row; NULL as above. Stepping it elsewhere makes every later comparison fail.
tp_sim            *tp_verifier_sim(const tp_verifier *verifier);
/// The row that was just stepped (done or faulted, see the sim); NULL when the last row was not stepped, because it lies outside the
/// range or behind a finding, or is refused by the world. Valid until the next call.
const tp_log_row  *tp_verifier_row(const tp_verifier *verifier);
/// What is known so far: counts, and the finding when there is one. The verdict is final only after tp_verifier_finish.
const tp_report   *tp_verifier_report(const tp_verifier *verifier);
/// Something is wrong, and stepping on would not say more about where: the host may stop.
bool               tp_verifier_is_over(const tp_verifier *verifier);
/// Concludes, at the end or wherever the caller stops (then INCOMPLETE at best). Reads nothing. Once.
void               tp_verifier_finish(tp_verifier *verifier, tp_report *report);
void               tp_verifier_destroy(tp_verifier *verifier);

// Parallel in time: a log is read once by a pass that steps nothing, and stepped in segments that begin and end at KEYs, wherever and in
// whatever order the caller likes. A segment takes its first KEY's state as foreign bytes; the segment before it is what proves that KEY, by
// coming to the same root and the same bytes. When all of it is clean the report is the one that tp_verify_log gives. Else nothing is said,
// and tp_verify_log decides. So a log that does not verify costs more than it would in one piece, and never gets another answer. This holds
// for worlds that keep the contract: whether one keeps something outside its state is what tp_prove_log and SyncTest find out.

/// A KEY at which a log may be cut.
typedef struct tp_cut {
    uint64_t offset, tick;
} tp_cut;

/// What reading without stepping came to.
typedef struct tp_reading {
    bool          is_whole;  ///< up to END, with no gap, and nothing is wrong with records, chain and signatures
    bool          is_stopped;
    uint64_t      recorded, next_tick, offset, gaps;
    bool          is_signed;
    uint8_t       public_key[32];
    tp_report     head;      ///< what the log is: the fields from IDENT
} tp_reading;

/// Reads and checks all that needs no world. Calls `found` (may be NULL) for each KEY that has a root and at which a segment may begin.
void tp_verify_read(const tp_source *source, const tp_verify_options *options, void (*found)(void *to, tp_cut cut), void *to, tp_reading *reading);

typedef struct tp_segment {
    tp_cut    first;       ///< all zero: the log's beginning
    tp_cut    last;        ///< the KEY that this segment ends with and compares; all zero: to END
    bool      is_done;     ///< it was stepped to its end, and nothing was found
    bool      is_stopped;
    bool      is_unproven; ///< the log's own first state is taken from a KEY
    tp_report report;      ///< its counts; those of END when it is the last one
} tp_segment;

/// Steps one segment, given `first` and `last`. Compares what tp_verify_log compares there. Of the options `from`, `to` and `follow` are not
/// for segments and must be as tp_verify_options_standard leaves them.
void tp_verify_segment(const tp_source *source, const tp_verify_options *options, tp_segment *segment);

/// Puts segments, which must follow one another from the beginning to END, and the reading together. False: the caller must let
/// tp_verify_log decide. When one was stopped the report says INCOMPLETE and how much was checked.
bool tp_verify_merge(const tp_verify_options *options, const tp_reading *reading, const tp_segment *segments, size_t count, tp_report *report);

/// All of that one after the other: the report of tp_verify_log, by way of segments of at least `segment_ticks`. Returns how many segments
/// the report was put together from; 0: tp_verify_log gave it.
size_t tp_verify_in_segments(const tp_source *source, const tp_verify_options *options, uint64_t segment_ticks, tp_report *report);

/// Result of trying to fool the verifier.
typedef struct tp_proof {
    uint64_t tried, caught;
    uint64_t tried_kind[10], caught_kind[10]; ///< by tp_proof_kind_name; a kind this log has no place for has tried none
    uint64_t seed;
    char     survivor[TP_MESSAGE_SIZE];     ///< the first mutation that was not caught, empty when none
} tp_proof;

/// "bit flips", "bit flips, checksums redone", "inputs changed", "roots changed", ...; NULL past the last.
const char *tp_proof_kind_name(uint32_t kind);

/// Mutates a verified log in memory, `rounds` times per kind with a seeded generator: bits of the file raw and with CRCs and
/// chain redone, inputs, commands, roots, leaves and keyframes with everything redone, cuts, and bits of the running state. Every
/// one must give another verdict than VERIFIED. The unchanged log is run again, too, as it is and with the state encoded, wiped and decoded on
/// the way, and must verify each time: a world that keeps something outside its state does not. False when the log does not verify in the first place (report says why) or memory is short.
bool tp_prove_log(const uint8_t *bytes, size_t size, const tp_verify_options *options, uint64_t seed, uint64_t rounds,
                  tp_proof *proof, tp_report *report);

#ifdef __cplusplus
}
#endif

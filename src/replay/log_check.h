// log_check.h: what the page asks of a record beyond its own bytes: order, tick numbers, totals, back-links, the index, the
// chain and the signatures. One LogCheck walks one log. It holds no buffers beside the list of KEYs.
#pragma once

#include "log_format.h"

enum { LOG_MESSAGE_SIZE = 256 };

typedef struct LogCheck {
    const tp_ident *ident; ///< borrowed; set once IDENT has been parsed
    LogRowShape     shape;
    bool            skips_chain;   ///< chain values and signatures are not looked at
    bool            is_partial;    ///< started at a KEY in the middle: totals and what lies before are not known
    uint64_t        records;       ///< before the next one
    uint64_t        next_tick;
    uint64_t        ticks;         ///< rows
    tp_log_counts   counts;
    uint64_t        last_key_offset, last_key_tick;
    uint64_t        index_offset;  ///< 0: none
    uint32_t        epoch;
    bool            is_after_gap;  ///< the last record was a GAP
    bool            allows_leaves; ///< a TICKS record came, and since then only NOTE and SEAL
    bool            has_key, has_fault, has_end;
    bool            expects_key;   ///< after a seek: the next record must be a KEY
    bool            has_signature;
    uint8_t         public_key[32];
    uint64_t       *key_ticks, *key_offsets;
    size_t          key_count, key_capacity;
} LogCheck;

void log_check_init(LogCheck *check, bool skips_chain);
void log_check_finish(LogCheck *check);

/// The part that needs only the head: known type, size within its bounds, order and tick. OK, or CORRUPT with `message`.
tp_log_status log_check_head(const LogCheck *check, uint32_t type, uint32_t size, uint64_t tick, char *message);

/// The rest, for a record whose head has passed. `chain` is the value over every record before. On OK the record is counted;
/// otherwise the check is as before and `message` (LOG_MESSAGE_SIZE bytes) says why: CORRUPT, UNAUTHENTIC or NO_MEMORY. IDENT
/// must have been parsed into `check->ident` by the caller.
tp_log_status log_check_record(LogCheck *check, const tp_log_record *record, const uint8_t chain[TP_LOG_CHAIN_SIZE],
                               char *message);

/// Forgets what lies before: the next record must be a KEY of `tick`. The ident must be known.
void log_check_seek(LogCheck *check, uint64_t tick);

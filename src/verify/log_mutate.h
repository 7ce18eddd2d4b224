// log_mutate.h: damage that looks whole. A test changes bytes of a raw log and has every checksum redone, so that what is left
// to catch the change is structure, totals, binding and re-simulation. Written from replays/README.md, not from src/replay.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// Redoes marker, header CRC, head CRCs, payload CRCs and the chain values in SEAL and END, in place, as far as the bytes
/// still parse as records. Leaves binding, counts, offsets and signatures alone.
void log_mutate_repair(uint8_t *bytes, size_t size);

typedef struct LogMutateRecord {
    uint32_t type; ///< TP_LOG_...
    uint64_t tick;
    uint8_t *payload; ///< owned by the list
    uint32_t size;
} LogMutateRecord;

/// A raw log as a list. All-zero is an empty list.
typedef struct LogMutate {
    LogMutateRecord *records;
    size_t           count;
} LogMutate;

enum {
    LOG_MUTATE_COUNTS  = 1, ///< ticks and records in SEAL and END, the counts in END
    LOG_MUTATE_OFFSETS = 2, ///< KEY back-links, INDEX, END's offset of INDEX
    LOG_MUTATE_BINDING = 4, ///< END's binding
    LOG_MUTATE_ALL     = 7,
};

/// False when the bytes are not whole records from the header on. `mutate` is then empty.
bool log_mutate_load(LogMutate *mutate, const uint8_t *bytes, size_t size);
void log_mutate_finish(LogMutate *mutate);
/// First record of the type at or after `from`; `count` when there is none.
size_t log_mutate_find(const LogMutate *mutate, uint32_t type, size_t from);
void   log_mutate_delete(LogMutate *mutate, size_t at);
/// Copies the payload.
void   log_mutate_insert(LogMutate *mutate, size_t at, uint32_t type, uint64_t tick, const void *payload, uint32_t size);
void   log_mutate_replace(LogMutate *mutate, size_t at, const void *payload, uint32_t size);
/// The list as a file, with CRCs, marker and chain redone, and what `fix` names. The caller frees it.
uint8_t *log_mutate_save(LogMutate *mutate, unsigned fix, size_t *size);

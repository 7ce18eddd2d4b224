// minimise_internal.h: what the parts of the search share: the best inputs so far, the candidate in work, and the trial of it.
#pragma once

#include "tickproof/minimise.h"

// Of minimise_inputs.c.

/// Index of the first command at or after a tick.
uint32_t minimise_first_command(const tp_inputs *inputs, uint64_t tick);
bool     minimise_is_present(const tp_inputs *inputs, uint64_t tick, uint32_t slot);
/// The slot's input in this tick's row.
uint8_t *minimise_cell(const tp_inputs *inputs, uint64_t tick, uint32_t slot);
/// Next stretch without the slot: from `*first` up to the tick before the new `*tick`. False: none.
bool     minimise_next_absence(const tp_inputs *inputs, uint32_t slot, uint64_t *tick, uint64_t *first);
bool     tp_inputs_add_command(tp_inputs *inputs, uint64_t tick, const tp_command *command);

/// Hashes of candidates that were tried in vain.
typedef struct MinimiseMemory {
    tp_hash128 *places; // zero: free
    size_t      capacity, count;
} MinimiseMemory;

typedef struct MinimiseSearch {
    const tp_minimise_options *options;
    tp_minimise_report        *report;
    tp_inputs                 *best; // the caller's
    tp_inputs                  work; // what is to be tried
    MinimiseMemory             memory;
    uint64_t                   bad_tick; // of best; UINT64_MAX: not known
    bool                       is_exact; // bad_tick is that tick, and nothing behind it matters
    uint32_t                   refused;  // blocks in a row whose ticks could not be taken out
    bool                       is_over;  // report->end says why
} MinimiseSearch;

// Of minimise_trial.c.

/// Makes `work` a copy of the best. False: the search is over.
bool minimise_begin(MinimiseSearch *search);
/// Tries `work`. True: it is the best now, cut behind its bad tick.
bool minimise_try(MinimiseSearch *search);
/// Tries the best as it stands, whatever is remembered of it.
tp_trial minimise_check(MinimiseSearch *search);
void minimise_over(MinimiseSearch *search, tp_minimise_end end);

// Of minimise_items.c.

typedef enum { MINIMISE_SLOT, MINIMISE_RECORD, MINIMISE_COMMAND, MINIMISE_ABSENCE, MINIMISE_TICKS } MinimiseKind;

/// Something that can be left out, by itself or with its neighbours.
typedef struct MinimiseItem {
    MinimiseKind kind;
    uint32_t     which; // slot, or the command's id
    uint64_t     first, ticks;
} MinimiseItem;

typedef struct MinimiseItems {
    MinimiseItem *items;
    size_t        count, capacity;
} MinimiseItems;

/// False: the search is over, for want of memory.
bool minimise_add_item(MinimiseSearch *search, MinimiseItems *list, MinimiseKind kind, uint32_t which, uint64_t first, uint64_t ticks);
/// Leaves out as many as it can: all of them, then halves, quarters, ... Frees the list. True when the best changed.
bool minimise_leave_out(MinimiseSearch *search, MinimiseItems *list);
/// The records of the best, by their first tick. False: the search is over.
bool minimise_list_records(MinimiseSearch *search, MinimiseItems *list);
/// The slot does nothing for these ticks. True when that is a change.
bool minimise_neutralise(tp_inputs *inputs, uint32_t slot, uint64_t first, uint64_t ticks);

// The passes. Each returns true when the best changed.

/// Ticks and inputs in big blocks, from halves down: what is not needed goes in few trials.
bool minimise_blocks(MinimiseSearch *search);
/// Ticks behind the one that shows it, when a trial does not say exactly which that is.
bool minimise_tail(MinimiseSearch *search);
/// Records and commands: first whole slots, then by ddmin.
bool minimise_items(MinimiseSearch *search);
/// Absences, all of them at once or else by ddmin.
bool minimise_presence(MinimiseSearch *search);
/// Stretches of ticks, then the length of each stretch of equal rows.
bool minimise_ticks(MinimiseSearch *search);
/// The ticks for which one input lasts.
bool minimise_runs(MinimiseSearch *search);
/// Fields of inputs and commands toward neutral.
bool minimise_values(MinimiseSearch *search);

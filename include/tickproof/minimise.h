// minimise.h: makes a run's inputs smaller while something about them stays true: delta debugging over ticks, inputs, commands and fields.
// What "it" is, is the caller's: most often that two builds come to other roots. Nothing is printed, no process is started, no world is stepped here.
#pragma once

#include "tickproof/replay.h"

#ifdef __cplusplus
extern "C" {
#endif

/// One command of one tick.
typedef struct tp_input_command {
    uint64_t tick;
    uint32_t id;     ///< unique in a run, kept in copies
    uint32_t source; ///< as in tp_command
    uint16_t type, size;
    size_t   data;   ///< offset of its canonical bytes in the run's `data`
} tp_input_command;

/// All that the ticks of one run are made from, from the start state on. Plain arrays; everything is owned by it.
typedef struct tp_inputs {
    uint32_t players, input_size, presence_size;
    uint64_t ticks, capacity;     ///< rows in use; room for
    uint8_t *presence;            ///< ticks * presence_size, as in tp_row
    uint8_t *inputs;              ///< ticks * players * input_size canonical bytes; absent slots zero
    uint32_t command_count, command_capacity;
    tp_input_command *commands;   ///< by tick, in their order
    uint8_t *data;                ///< of the commands
    size_t   data_size, data_capacity;
    uint8_t *neutral;             ///< input_size bytes: nothing was done
} tp_inputs;

/// An empty run of this layout's rules. False: out of memory.
bool tp_inputs_init(tp_inputs *inputs, const tp_layout *layout);
void tp_inputs_finish(tp_inputs *inputs); ///< also of a zeroed one
/// Makes `to`, initialised or zeroed, the same as `from`. False: out of memory, `to` is then empty or as it was.
bool tp_inputs_copy(tp_inputs *to, const tp_inputs *from);
/// Adds a tick. False: out of memory; as it was.
bool tp_inputs_add(tp_inputs *inputs, const tp_row *row);
/// The row of a tick; `commands` has room for TP_COMMANDS_MAX. Valid until `inputs` is changed. A world's border still decides whether it takes it.
void tp_inputs_row(const tp_inputs *inputs, uint64_t tick, tp_command *commands, tp_row *row);
/// Drops all ticks from `ticks` on.
void tp_inputs_cut(tp_inputs *inputs, uint64_t ticks);
/// Takes `count` ticks out; later ones come earlier by as many.
void tp_inputs_remove(tp_inputs *inputs, uint64_t first, uint64_t count);
/// Adds the rows of a log that starts at tick 0, the faulted one included, up to its end or its first GAP or damage; `*is_whole` (may be NULL) says
/// whether nothing was left out. False with the reason: a later file of a series, no log, out of memory.
bool tp_inputs_of_log(tp_inputs *inputs, const tp_source *log, bool *is_whole, tp_error *error);

/// What a run has in it. An input record is one slot's same input, other than neutral, over consecutive ticks.
typedef struct tp_inputs_counts {
    uint64_t ticks, records, commands;
    uint64_t absences; ///< stretches of ticks without a slot
} tp_inputs_counts;
tp_inputs_counts tp_inputs_count(const tp_inputs *inputs);

/// One input record.
typedef struct tp_input_record {
    uint32_t       slot;
    uint64_t       first, ticks;
    const uint8_t *input; ///< input_size bytes, into `inputs`
} tp_input_record;
/// The next one at or after `*tick` of the slot; moves `*tick` behind it. False: none.
bool tp_inputs_next_record(const tp_inputs *inputs, uint32_t slot, uint64_t *tick, tp_input_record *record);

/// What one trial came to.
typedef enum tp_trial {
    TP_TRIAL_NO      = 0, ///< it is not so with these inputs
    TP_TRIAL_YES     = 1, ///< it still is
    TP_TRIAL_STOPPED = 2, ///< no time any more, or nobody wants it any more: the search ends with the best so far
    TP_TRIAL_FAILED  = 3, ///< cannot be told, and will not be for others: likewise
} tp_trial;

typedef struct tp_minimise_trial {
    bool     is_check;     ///< of what has been tried before: not to be answered from a memory, nor refused for a lack of time
    /// Set by a YES: the tick that shows it; rows behind it do not matter. UINT64_MAX when that is not known.
    uint64_t bad_tick;
    bool     is_exact;     ///< set false by a YES whose bad_tick may be too early: then it is tried before it is believed
} tp_minimise_trial;

typedef enum tp_minimise_end {
    TP_MINIMISE_SMALLEST   = 0, ///< nothing that this search knows makes it smaller
    TP_MINIMISE_STOPPED    = 1, ///< `inputs` is the best so far
    TP_MINIMISE_SAME       = 2, ///< it is not so with the inputs that were given: nothing was changed
    TP_MINIMISE_UNRELIABLE = 3, ///< the same inputs were so once and once not
    TP_MINIMISE_FAILED     = 4, ///< a trial failed; `inputs` is the best so far
    TP_MINIMISE_NO_MEMORY  = 5, ///< likewise
} tp_minimise_end;

typedef struct tp_minimise_report {
    tp_minimise_end  end;
    bool             is_result_unreliable; ///< UNRELIABLE: of the result, not of the inputs that were given
    tp_inputs_counts before, after;
    uint64_t         trials, known; ///< asked; known from before without asking
    uint64_t         bad_tick;      ///< of the result; UINT64_MAX: not known
    const char      *pass;          ///< what is being done: "ticks", "inputs", "commands", ...: static
} tp_minimise_report;

typedef struct tp_minimise_options {
    const tp_layout *layout;
    tp_trial (*trial)(void *to, const tp_inputs *inputs, tp_minimise_trial *trial);
    void     *to;
    bool      keep_ticks; ///< never take ticks out, other than behind the bad one
    void    (*progress)(void *to, const tp_minimise_report *so_far); ///< after every trial; may be NULL
    void     *progress_to;
} tp_minimise_options;

enum { TP_MINIMISE_CHECKS = 2 }; ///< times that the first and the last inputs are tried

/// Makes `inputs` as small as it can while the trial says YES. First and result are each tried TP_MINIMISE_CHECKS times; one NO among them is UNRELIABLE.
void tp_minimise(tp_inputs *inputs, const tp_minimise_options *options, tp_minimise_report *report);

#ifdef __cplusplus
}
#endif

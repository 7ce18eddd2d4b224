// inputsource.h: where the inputs of a new run come from: nobody, the world's bots, lines of JSON, or whoever fills rows.
#pragma once

#include "rowjson.h"
#include "rulesline.h"
#include "tickproof/sim.h"

typedef struct InputSource InputSource;

/// Every slot is taken and does nothing.
InputSource *inputsource_neutral(const tp_layout *layout);
/// Every slot is played by the world's bot. Slot s gets the s-th number of splitmix64 from the match's seed. NULL: out of
/// memory.
InputSource *inputsource_bots(const tp_layout *layout, uint32_t delay_ticks);
/// Lines as `cat` prints them; "-" is standard input. The line with the rules may be missing; its world must be the layout's, and all else
/// in it is the caller's affair. `layout` may be NULL until inputsource_set_layout. NULL: `error` says why.
InputSource *inputsource_lines(const tp_layout *layout, const char *path, tp_error *error);
/// Rows that the caller makes: `fill` gets a cleared row; false is the end. `self` must outlive the source.
InputSource *inputsource_rows(const tp_layout *layout, bool (*fill)(void *self, uint64_t tick, RowBuffer *row), void *self);
/// The same from memory, which must outlive the source; `name` is for messages. Only for inputsource_next_line and inputsource_check.
InputSource *inputsource_text(const tp_layout *layout, const char *name, const char *text, size_t size, tp_error *error);
void         inputsource_destroy(InputSource *source);

typedef enum { INPUT_ROW, INPUT_END, INPUT_BAD } InputResult;
/// Fills the row of the sim's next tick. BAD: said so, with line and key.
InputResult inputsource_next(InputSource *source, tp_sim *sim, RowBuffer *row);
/// Of lines only: the row of the next one, whatever tick the first of them has; each must be the next tick after the one before it.
InputResult inputsource_next_line(InputSource *source, RowBuffer *row);
/// All lines that are left, at least one, held against the layout, or as far as that goes without one (NULL). False: said so, with line and
/// key.
bool        inputsource_check(InputSource *source, RowBuffer *row);
/// Of lines only, and first of all: the line with the rules. `*has_rules` is false when they begin with a tick, which stays to be read. False:
/// said so.
bool        inputsource_read_rules(InputSource *source, RulesLine *rules, bool *has_rules);
void        inputsource_set_layout(InputSource *source, const tp_layout *layout);
/// Of lines only: from now on the roots and the fault that stand in them are held against what the sim of inputsource_next comes to.
/// The first difference is said.
void        inputsource_compare_roots(InputSource *source);
/// After the run: holds the last line's against the sim. How many differed; `*compared` is how many there were.
uint64_t    inputsource_root_differences(InputSource *source, tp_sim *sim, uint64_t *compared);
/// The file's name, for messages; "the inputs" when they are no lines.
const char *inputsource_name(const InputSource *source);
/// Number of the line that was read last, from 1.
uint64_t    inputsource_line(const InputSource *source);
/// Says that they ended before their first row.
void        inputsource_refuse_empty(const InputSource *source);
/// Says that the row of the last call was refused by the world.
void        inputsource_refused(const InputSource *source, uint64_t tick, const char *why);

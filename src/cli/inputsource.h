// inputsource.h: where the inputs of a new run come from: nobody, the world's bots, or lines of JSON.
#pragma once

#include "rowjson.h"
#include "tickproof/sim.h"

typedef struct InputSource InputSource;

/// Every slot is taken and does nothing.
InputSource *inputsource_neutral(const tp_layout *layout);
/// Every slot is played by the world's bot. Slot s gets the s-th number of splitmix64 from the match's seed. NULL: out of
/// memory.
InputSource *inputsource_bots(const tp_layout *layout, uint32_t delay_ticks);
/// Lines as `cat` prints them; "-" is standard input. NULL: `error` says why.
InputSource *inputsource_lines(const tp_layout *layout, const char *path, tp_error *error);
/// The same from memory, which must outlive the source; `name` is for messages. Only for inputsource_next_line and inputsource_check.
InputSource *inputsource_text(const tp_layout *layout, const char *name, const char *text, size_t size, tp_error *error);
void         inputsource_destroy(InputSource *source);

typedef enum { INPUT_ROW, INPUT_END, INPUT_BAD } InputResult;
/// Fills the row of the sim's next tick. BAD: said so, with line and key.
InputResult inputsource_next(InputSource *source, const tp_sim *sim, RowBuffer *row);
/// Of lines only: the row of the next one, whatever tick the first of them has; each must be the next tick after the one before it.
InputResult inputsource_next_line(InputSource *source, RowBuffer *row);
/// All lines that are left, held against the layout, or as far as that goes without one (NULL). False: said so, with line and key.
bool        inputsource_check(InputSource *source, RowBuffer *row);
/// Says that the row of the last call was refused by the world.
void        inputsource_refused(const InputSource *source, uint64_t tick, const char *why);

// recording.h: steps a new run to its end, recorded or not. Clocks are read only to show how fast it goes.
#pragma once

#include <stdio.h>

#include "inputsource.h"

/// How a run is recorded. `writer` is NULL for a run that is not.
typedef struct {
    tp_sim      *sim;
    tp_writer   *writer;
    InputSource *inputs;
    uint64_t     ticks;         ///< steps to do
    bool         ends_with_inputs; ///< end with the inputs, however many steps that is
    const volatile bool *stop;  ///< end at the next tick when true
} Recording;

typedef enum {
    RECORDING_DONE,
    RECORDING_FAULTED, ///< the world stopped itself; a valid end
    RECORDING_STOPPED, ///< `stop` was set
    RECORDING_FAILED,  ///< said so
    RECORDING_UNWRITTEN, ///< the writer failed and has the text; not said
} RecordingResult;

/// Runs it, and ends the log with the reason. The sim stands behind its last step.
RecordingResult recording_run(const Recording *recording);

/// A sink of a file that remembers that it failed: the writer has other reasons to stop, too.
typedef struct {
    tp_sink inner;
    bool    has_failed;
} RecordingSink;
/// Both must outlive the writer.
tp_sink recording_sink(RecordingSink *sink, int *fd);

/// From here on an interrupt or a request to end sets what `recording_stop_asked` points at, and a wait for input ends.
void                 recording_catch_signals(void);
const volatile bool *recording_stop_asked(void);

/// What a run came to, up to its root: no end of line, and no times, so that it is the same for equal runs.
void recording_print(FILE *out, tp_sim *sim);

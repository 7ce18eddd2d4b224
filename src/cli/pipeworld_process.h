// pipeworld_process.h: a process that is asked over two pipes, one question at a time. It may crash, hang, talk nonsense or too much: each is
// an answer here, and the process is then gone. What it says to standard error is kept to its last line.
#pragma once

#include <sys/types.h>

#include "pipeworld_wire.h"

enum { PIPEPROCESS_COMMAND_MAX = 4096 };

/// All zero: none. One thread at a time.
typedef struct PipeProcess {
    pid_t     pid;   ///< its process group's, too; 0: none
    pid_t     owner; ///< who started it: a fork of that process has the descriptors, but may not talk
    int       to, from, said;
    uint8_t  *bytes; ///< of the answer, and what was read with it
    size_t    capacity, used;
    PipeWords words;
} PipeProcess;

typedef enum PipeResult {
    PIPE_DONE,
    PIPE_REFUSED, ///< it says no, and why; it is ready for the next question
    PIPE_LOST,    ///< it is gone, and why
} PipeResult;

/// Starts `command`, of at most PIPEPROCESS_COMMAND_MAX bytes, with /bin/sh. False with the reason.
bool pipeprocess_start(PipeProcess *process, const char *command, tp_error *error);

/// Asks, and waits for the answer, both within `timeout_ms`. The payload is `head`, then `body` (may be NULL). DONE: `*answer` is valid until
/// the next question. Else `error` says why, in a line that begins with the question's name.
PipeResult pipeprocess_ask(PipeProcess *process, PipeKind kind, const void *head, size_t head_size, const void *body, size_t body_size,
                           size_t answer_max, uint32_t timeout_ms, const uint8_t **answer, size_t *answer_size, tp_error *error);

/// Closes its pipes, which is how it is told to end, and kills what is left of it a moment later. In a fork: lets go of it.
void pipeprocess_finish(PipeProcess *process);

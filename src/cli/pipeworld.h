// pipeworld.h: a world that is a process: an opaque tp_world whose functions ask it over two pipes. One process per running instance, started by
// /bin/sh; WORLDS.md beside this file is the protocol. What goes wrong with it stops its world alone: a fault, a refused state.
#pragma once

#include "tickproof/layout.h"

enum {
    PIPEWORLDS_MAX = 16, ///< commands of one process
    PIPEWORLD_HELLO_MS = 30000,
    PIPEWORLD_ANSWER_S = 10, ///< for any other answer; TICKPROOF_WORLD_TIMEOUT_S in the environment says otherwise
};

/// Starts the command and asks what world it is; a command that was given before is not asked again. The world stays until the process ends.
/// NULL with the reason: not started, a hello that cannot be taken, or a world that tp_world_check refuses.
const tp_world *pipeworld_open(const char *command, tp_error *error);

/// What it calls its build in hello; empty: nothing.
const char *pipeworld_build(const tp_world *world);

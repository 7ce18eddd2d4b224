// session_rig.h: worlds, inputs and rows for the tests of sessions. Whatever is unexpected ends the test's process.
#pragma once

#include "tickproof/rng.h"
#include "tickproof/session.h"

enum { RIG_ROW_MAX = 8192, RIG_SLOTS_MAX = 16 };

tp_sim *rig_sim(const tp_world *world, uint32_t players, uint64_t seed, uint32_t ring);
/// A native input with every field somewhere in its range.
void    rig_input(const tp_world *world, tp_pcg32 *random, void *native);
/// Canonical bytes of a native input, brought into range.
void    rig_encode(const tp_world *world, const void *native, uint8_t *bytes);
/// As a server does for an input that is missing.
void    rig_predict(const tp_world *world, const uint8_t *last, uint8_t *bytes);
/// A log's row of `present` slots with these canonical inputs (players of them; those of absent slots are left out) and one command or none.
size_t  rig_row(const tp_sim *sim, const bool *present, const uint8_t *inputs, const tp_command *command, uint8_t *row);
tp_hash128 rig_step(tp_sim *sim, const uint8_t *row, size_t size);

/// What one client plays with.
typedef struct {
    tp_sim     *sim;
    tp_session *session;
} RigClient;
RigClient rig_client(const tp_world *world, uint32_t players, uint64_t seed, const tp_session_options *options);
void      rig_close(RigClient *client);
/// Gives every handle an input with all bytes `value`.
void      rig_give(RigClient *client, uint32_t handles, uint8_t value);

/// One tick of an authority: steps `sim` with the first byte of each slot's input as given (the others zero), absent where `away` has the slot's bit.
typedef struct {
    uint8_t    bytes[RIG_ROW_MAX];
    size_t     size;
    uint64_t   tick;
    tp_hash128 root;
} RigRow;
RigRow rig_decide(tp_sim *sim, const uint8_t *firsts, uint32_t away, const tp_command *command);
/// Gives the row to the client, with its root; the status.
tp_session_status rig_confirm(RigClient *client, const RigRow *row);

// session_net.h: an authority and its clients on a network that can be made as bad as wanted, in one process and without a clock. All of it follows
// from the seed. While it runs everything that a session promises is held against what the authority did.
#pragma once

#include "session_rig.h"

enum { NET_CLIENTS_MAX = 8, NET_SLOTS_MAX = 8, NET_PARTS = 8 }; // NET_PARTS: moments in a tick

typedef struct NetOptions {
    const tp_world *world;
    uint64_t        seed;
    uint32_t        ticks;      // of the authority with faults
    uint32_t        calm_ticks; // after them
    uint32_t        clients;    // 0: drawn
    uint32_t        window;     // UINT32_MAX: drawn
} NetOptions;

typedef struct NetOutcome {
    bool     is_good;
    char     message[512]; // what went wrong first
    uint64_t confirmed, rollbacks, rolled_back, rollback_max, stalls, predicted, mispredicted, late, retracted, lost, guess_faults, packets, dropped;
    tp_hash128 root; // the authority's last one
} NetOutcome;

NetOptions net_options(const tp_world *world, uint64_t seed);
NetOutcome net_run(const NetOptions *options);

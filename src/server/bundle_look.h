// bundle_look.h: what can be said of one side's bytes after the bad tick, and of where two sides differ. The bytes are foreign. Shared by
// the writer of bundles and by the program that reads them, which derives everything again.
#pragma once

#include "tickproof/sim.h"

typedef struct BundleLook {
    const uint8_t *state;      ///< borrowed; NULL: none
    size_t         size;
    bool           is_legal;   ///< the world takes the bytes as its state and saves the same bytes of it
    bool           has_leaves; ///< legal, or of a flat world and of the right size: then leaves and fields can be read off any bytes
    bool           is_reported; ///< `root` is the one that the side claimed
    tp_hash128     claimed;
    tp_hash128     root;       ///< as it follows from state and leaves; zero without leaves
    uint32_t       leaf_count; ///< of the state; `leaves` has two more: inputs, events
    uint64_t      *leaves;
    char           why[256];   ///< what is not legal about it, else empty
} BundleLook;

/// `sim` is of the bundle's rules; it is left at the state (tick + 1 steps done) when that is legal, anywhere else otherwise. `side_why` stands for
/// a state that is not there. False: out of memory.
bool bundle_look(BundleLook *look, tp_sim *sim, const uint8_t *state, size_t size, uint64_t tick, tp_hash128 claimed, uint64_t input_leaf,
                 uint64_t event_leaf);
void bundle_look_finish(BundleLook *look);

/// Gives the first `limit` differences of the two states in order (of a flat world with two states of its size: fields; else bytes, and the sizes
/// last), and returns how many there are in all. 0 when one state is not there.
uint64_t bundle_differences(const tp_layout *layout, const BundleLook *server, const BundleLook *client, uint64_t limit,
                            void (*each)(void *to, const tp_difference *difference), void *to);
/// Name of the section that a difference lies in.
const char *bundle_section(const tp_layout *layout, const tp_difference *difference);

/// What two looks come to.
typedef struct BundleFinding {
    bool          has_states; ///< both are there
    bool          has_leaves; ///< both have leaves: the two below mean something
    bool          differs_in_inputs, differs_in_events;
    uint64_t      count; ///< differing fields or bytes
    tp_difference first; ///< when count > 0
} BundleFinding;
BundleFinding bundle_find(const tp_layout *layout, const BundleLook *server, const BundleLook *client);

/// One line on the finding, without place and bundle: "players[1].lane is 1 on the server and 2 on the client, first of 3 differing fields in ...".
void bundle_describe(const tp_layout *layout, const BundleFinding *finding, const BundleLook *server, const BundleLook *client, char *text,
                     size_t size);

/// Name of leaf `leaf` of a look: "players", "players 2" (the third piece of a larger section), "inputs", "events".
void bundle_leaf_name(const tp_layout *layout, uint32_t leaf_count, uint32_t leaf, char *text, size_t size);

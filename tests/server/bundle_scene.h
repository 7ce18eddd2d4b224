// bundle_scene.h: a room that ran some ticks of any world, with the rows, the state and the log of it, and a client whose state differs as a
// test wants: what a bundle is made from.
#pragma once

#include "bundle.h"

enum { SCENE_ROWS = 64 };

typedef struct {
    const tp_world *world;
    tp_sim         *sim;     ///< the server's, behind the bad tick
    tp_sim         *other;   ///< for what the client's bytes come to
    BundleRow       rows[SCENE_ROWS];
    uint8_t        *row_bytes;
    uint8_t        *server_state, *client_state;
    char            log[256];
    BundleOptions   options; ///< ready, with a client that agrees
} BundleScene;

/// Called before every step of the next scene, for faults of the server itself. NULL: not.
extern void (*bundle_scene_before)(tp_sim *sim, uint64_t tick);

/// Runs `ticks` ticks with the world's bots (the test worlds: their script) and writes DIRECTORY/room.tpr up to `log_ticks`, without an end, as
/// of a room that is still running. Bundles go to DIRECTORY/bundles. Aborts on anything unexpected.
void bundle_scene_open(BundleScene *scene, const tp_world *world, uint32_t players, uint64_t seed, uint64_t ticks, uint64_t log_ticks,
                       const char *directory);
void bundle_scene_close(BundleScene *scene);

/// Adds `by` to one value of the client's state. `element` and `value` count inside section and field. Of an opaque world: to byte `element`.
void bundle_scene_plant(BundleScene *scene, const char *section, uint32_t element, const char *field, uint32_t value, int by);
/// The client claims the root that its state has. False when the world does not take the state: then it claims any.
bool bundle_scene_claim(BundleScene *scene);

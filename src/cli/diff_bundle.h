// diff_bundle.h: a desync bundle as `tickproof diff` opens it: its files held against their hashes, then everything derived from the two
// states, the rules and the log, whatever bundle.json says of them.
#pragma once

#include <cjson/cJSON.h>

#include "bundle_internal.h"
#include "worlds.h"

typedef struct {
    uint64_t    size;
    bool        is_listed;
    uint8_t     digest[BUNDLE_HASH_SIZE];
} BundleListed;

typedef struct {
    const char *build; ///< strings are bundle.json's: foreign, valid until the finish; NULL: none
    const char *why;
    const char *file;  ///< "server.state", ...; NULL: no state
    tp_hash128  claimed;
    uint64_t    input_leaf, event_leaf;
    uint8_t    *state; ///< owned; NULL: none
    size_t      size;
} BundleReadSide;

typedef struct {
    const char    *path; ///< of the directory, as it was given
    cJSON         *json;
    uint64_t       tick, durable;
    bool           has_slot; ///< else it was a watcher
    uint64_t       slot;
    const char    *room, *address, *policy;
    tp_ident      *ident;
    BundleReadSide server, client;
    int            log; ///< log.tpr, open; -1: none
    int            code;
} BundleRead;

/// Whether an operand is meant as a bundle: a directory, or a file named bundle.json.
bool diff_bundle_is(const char *operand);
/// Opens and checks a bundle. False: said so, `code` is set. Finish it in any case.
bool diff_bundle_open(BundleRead *bundle, const char *operand);
void diff_bundle_finish(BundleRead *bundle);
/// PATH/NAME in a static buffer, valid until the next call.
const char *diff_bundle_file(const BundleRead *bundle, const char *name);

/// What running the log again up to the bad tick comes to.
typedef struct {
    bool       has_reached;   ///< the sim stands behind the bad tick
    char       why[256];      ///< why not
    bool       has_log_rows, has_input_rows;
    uint64_t   log_to, inputs_to; ///< last tick stepped from each
    bool       has_bad;       ///< a root that is recorded in log.tpr is another one here: from `bad_tick` on
    uint64_t   bad_tick;
    tp_hash128 root;
} BundleReplay;
/// Moves `sim`, which is new, of the bundle's rules.
void diff_bundle_replay(const BundleRead *bundle, tp_sim *sim, BundleReplay *replay);

/// Whose root re-simulation comes to.
typedef enum { AGREES_UNKNOWN, AGREES_SERVER, AGREES_CLIENT, AGREES_BOTH, AGREES_NEITHER } Agrees;

typedef struct {
    const BundleRead *bundle;
    const tp_layout  *layout;
    tp_sim           *sim;
    BundleLook        server, client, here; ///< `here`: what re-simulation comes to
    uint8_t          *own_state;
    BundleFinding     finding;
    BundleReplay      replay;
    Agrees            agrees;
    uint32_t          limit;
    uint64_t          printed;
} Showing;

uint64_t    diff_bundle_limit(const Showing *showing);
const char *diff_bundle_agrees_name(Agrees agrees);
/// Calls for every leaf that differs. False: none does, or they are not known.
bool        diff_bundle_each_bad_leaf(const Showing *showing, void (*each)(const char *name, bool is_first));
/// Whether bundle.json's own words on the difference are others.
bool        diff_bundle_says_otherwise(const Showing *showing);
void        diff_bundle_print(Showing *showing);
void        diff_bundle_json(Showing *showing, const char *verdict);

/// What can be said without the world.
typedef struct {
    bool   has_both, is_equal;
    size_t at; ///< the first byte that differs
} BundleRaw;
void diff_bundle_print_raw(const BundleRead *bundle, const BundleRaw *raw);
void diff_bundle_json_raw(const BundleRead *bundle, const BundleRaw *raw);

/// The command on a bundle. Returns the exit code.
int diff_bundle(const char *operand, WorldSet *worlds, uint32_t limit, bool is_json);

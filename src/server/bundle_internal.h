// bundle_internal.h: what the sources of the writer of bundles share.
#pragma once

#include "bundle.h"
#include "bundle_file.h"
#include "bundle_look.h"
#include "tickproof/verify.h"

/// Names of the files of a bundle. A reader takes no other.
#define BUNDLE_JSON "bundle.json"
#define BUNDLE_RULES "rules.bin"
#define BUNDLE_SERVER_STATE "server.state"
#define BUNDLE_SERVER_RAW "server.raw"
#define BUNDLE_CLIENT_STATE "client.state"
#define BUNDLE_CLIENT_RAW "client.raw"
#define BUNDLE_DIFF "diff.txt"
#define BUNDLE_LEAVES "leaves.txt"
#define BUNDLE_INPUTS "inputs.jsonl"
#define BUNDLE_LOG "log.tpr"
#define BUNDLE_FORMAT "tickproof desync bundle"
/// What a state's own `.tpr` has in place of a predecessor's chain value: BLAKE2b-256 of this. It is no log's.
#define BUNDLE_STATE_CHAIN "tickproof state 1"

enum {
    BUNDLE_VERSION    = 1,
    BUNDLE_FILES_MAX  = 16,
    BUNDLE_LINES_MAX  = 10000, ///< of differing fields in diff.txt; then a count
    BUNDLE_NUMBER_MAX = 1000,  ///< bundles of one room, tick and slot
    /// bundle.json ends in ,"blake2b":"64 digits"}\n: the hash of every byte before that.
    BUNDLE_TAIL_SIZE  = 12 + 64 + 3,
};

typedef struct BundleEntry {
    const char *name;
    uint64_t    size;
    uint8_t     digest[BUNDLE_HASH_SIZE];
} BundleEntry;

typedef struct Bundle {
    const BundleOptions *options;
    BundleResult        *result;
    tp_error            *error;
    tp_ident            *ident;
    tp_sim              *sim;
    const tp_layout     *layout;
    BundleLook           server, client;
    BundleFinding        finding;
    char                 describe[400];
    int                  directory; ///< of the bundle, while it is made; -1
    char                 part[SERVER_PATH_SIZE];
    BundleFile          *file;
    BundleEntry          entries[BUNDLE_FILES_MAX];
    uint32_t             entry_count;
    const char          *server_file, *client_file; ///< NULL: no state
    bool                 has_log;
    uint64_t             log_next_tick; ///< first tick that is not in log.tpr
    char                 log_why[200];  ///< why there is no log, else empty
} Bundle;

/// Starts the next file of the bundle. The second closes it and enters it into the list; false: `bundle->error` says which and why.
BundleFile *bundle_begin(Bundle *bundle, const char *name);
bool        bundle_end(Bundle *bundle);

/// client.state or client.raw, and server.state or server.raw. The sim is moved.
bool bundle_write_states(Bundle *bundle);
bool bundle_write_diff(Bundle *bundle);
bool bundle_write_leaves(Bundle *bundle);
/// inputs.jsonl, as `tickproof cat` prints a log's rows.
bool bundle_write_inputs(Bundle *bundle);
/// log.tpr. A log that cannot be read is no failure: `log_why` says so.
bool bundle_write_log(Bundle *bundle);
/// bundle.json, last of all.
bool bundle_write_json(Bundle *bundle);

/// Copies text with every byte that is not printable ASCII as '?': for what is foreign and must be UTF-8, or one line.
void bundle_plain(const char *text, char *plain, size_t size);

// bundle.h: what a desync leaves on the disk: a directory with both states after the bad tick, what differs in words, the leaves, the log up
// to there, recent inputs and who both sides are. Made by a background thread from copies; it touches no room.
#pragma once

#include "server_limits.h"
#include "tickproof/replay.h"

/// A state after the bad tick: canonical bytes with the leaves that are not in them. The client's bytes are foreign: every range is checked before
/// anything is made of them, and bytes that are no state of this world are kept as they are and said to be so.
typedef struct BundleSide {
    const uint8_t *state; ///< NULL: it never came (`why`)
    size_t         size;
    tp_hash128     root;  ///< as that side claimed it
    uint64_t       input_leaf, event_leaf;
    const char    *build; ///< program, version, compiler, machine; foreign on the client's side
    const char    *why;   ///< without a state: "the client left", "it did not come in 5 s"
} BundleSide;

/// One recent tick as it was stepped: a log's canonical row without root. Ascending, without gaps, the last one is the bad tick's.
typedef struct BundleRow {
    uint64_t       tick;
    const uint8_t *bytes;
    size_t         size;
    tp_hash128     root; ///< the server's
} BundleRow;

/// Everything is borrowed for the call.
typedef struct BundleOptions {
    const char      *directory; ///< in which the bundle gets a directory of its own: ROOM.tickT.slotS.desync ("watcher" for slotS; slotS.2 when there is one, and so on); is made when it is not there
    const char      *room;
    const tp_world  *world;
    const tp_rules  *rules;     ///< tp_ident_of_rules makes the setup of it
    uint64_t         tick;      ///< the bad one
    uint32_t         slot;      ///< lowest of the client's; TP_SOURCE_HOST: it watches
    const char      *address;   ///< of the client
    const char      *policy;    ///< "kick", "resync", "halt", "log": what the room does
    uint64_t         durable;   ///< of the room's log
    BundleSide       server, client;
    const BundleRow *rows;      ///< at least one
    uint32_t         row_count;
    const char      *log_path;  ///< the room's log, which is being written: what is there of it is copied, as far as it is whole; NULL: it has none
} BundleOptions;

typedef struct BundleResult {
    char     path[SERVER_PATH_SIZE]; ///< of the directory; empty when there is none
    char     section[TP_NAME_SIZE_MAX + 1]; ///< first that differs; empty: the states are equal, or one is missing
    char     field[128];             ///< "players[1].lane"; of an opaque world, or of states of different size, "byte 112"
    char     server_value[64], client_value[64];
    uint64_t differing_fields;
    char     text[512];              ///< one line with all of this, for the server's log
} BundleResult;

/// Writes into a directory whose name ends in ".part", and renames it when all of it is there and synced: what has no ".part" is whole. False with the
/// reason (disk full, path too long, ...): what was made is removed, and `result->text` still says what differs.
bool bundle_write(const BundleOptions *options, BundleResult *result, tp_error *error);

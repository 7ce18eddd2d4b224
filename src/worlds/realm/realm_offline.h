// realm_offline.h: the second publisher: a whole landblock's content from arrays, driven through the same transaction as the server's. For tools and
// tests; the cursor is the caller's and no part of the state.
#pragma once

#include "realm_engine.h"

enum {
    REALM_OFFLINE_STATICS_MAX = 640,
};

/// Content of a landblock. About 30 KiB: not for small stacks.
typedef struct RealmOfflineBlock {
    RealmTerrainContent  terrain;
    uint32_t             cell_count, building_count, static_count;
    RealmCellContent     cells[REALM_INDOOR_MAX];
    RealmBuildingContent buildings[REALM_INDOOR_MAX];
    RealmStaticContent   statics[REALM_OFFLINE_STATICS_MAX];
} RealmOfflineBlock;

typedef enum RealmOfflineStage {
    REALM_OFFLINE_BEGIN = 0,
    REALM_OFFLINE_PREPARE,
    REALM_OFFLINE_MATERIALISE,
    REALM_OFFLINE_TERRAIN,
    REALM_OFFLINE_CELLS,
    REALM_OFFLINE_BUILDINGS,
    REALM_OFFLINE_STATICS,
    REALM_OFFLINE_CLOSE,
    REALM_OFFLINE_SEAL, ///< and commit, in the same call
    REALM_OFFLINE_DONE,
    REALM_OFFLINE_ENDED, ///< refused or cancelled
} RealmOfflineStage;

/// Stands anywhere inside the transaction. `content` is borrowed until it is done or ended.
typedef struct RealmOffline {
    const RealmOfflineBlock *content;
    uint32_t                 cell;
    RealmOfflineStage        stage;
    uint32_t                 index; ///< next cell, building or static
    RealmTicket              ticket;
    RealmDraftHandle         draft;
    uint32_t                 units; ///< paid so far
    bool                     is_waiting; ///< the last call was told NOT_YET and changed nothing
} RealmOffline;

/// The content that realm_generate has for the landblock.
void realm_offline_from_seed(uint64_t seed, uint16_t prefix, uint16_t variant, RealmOfflineBlock *content);

/// Any cell id of a landblock names it.
RealmOffline realm_offline_start(uint32_t cell, const RealmOfflineBlock *content);
/// One call of the transaction, of at most one unit (`engine->units`); the last one seals and commits. DONE: committed. NOT_YET: go on, or wait (is_waiting).
/// ERROR: over, and the admission is cancelled if there was one; `engine->reason` says why.
RealmAnswer realm_offline_advance(RealmEngine *engine, RealmOffline *offline);
/// Ends it and its admission. Of no effect when it is over already.
void        realm_offline_cancel(RealmEngine *engine, RealmOffline *offline);

/// From admission to the switch, then all taking down that it leaves, for at most `units_max`; `*units` (may be NULL) is what it took. Anything but DONE:
/// nothing of it is left; NOT_YET when the units, or the room, or an older draft were in the way.
RealmAnswer realm_offline_load(RealmEngine *engine, uint32_t cell, const RealmOfflineBlock *content, uint32_t units_max, uint32_t *units);

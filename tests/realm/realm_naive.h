// realm_naive.h: how streaming must not be done. The same landblocks, cells, owners and rows, but a new content goes straight into the active world:
// the ground first, then cells, buildings and statics, one a call, and at last the owners that were there before. Each way ends in a world
// without a fault; what is wrong is what can be seen before. It exists so that the checker is seen to catch it.
#pragma once

#include "realm_model.h"

typedef enum NaiveWay {
    NAIVE_PER_CELL, ///< each part at a cursor of its own, over many calls
    NAIVE_CALLBACK, ///< all at once, but whoever was there before only when a callback is there and called
    NAIVE_ROOTED,   ///< all at once, but of those who were there before only the ones whose place is in the landblock
    NAIVE_WAYS,
} NaiveWay;

typedef enum NaiveStage {
    NAIVE_TERRAIN,
    NAIVE_CELLS_OFF,
    NAIVE_CELLS_ON,
    NAIVE_BUILDINGS_OFF,
    NAIVE_BUILDINGS_ON,
    NAIVE_STATICS_OFF,
    NAIVE_STATICS_ON,
    NAIVE_OWNERS,
    NAIVE_DONE,
} NaiveStage;

typedef struct Naive {
    RealmEngine       *engine;
    NaiveWay           way;
    NaiveStage         stage;
    uint16_t           prefix;
    const LandContent *content; ///< borrowed until it is done
    uint32_t           cursor;  ///< of the stage: item of the content, or member
    /// NAIVE_CALLBACK: told when the landblock is ready. The caller then calls naive_flood_owners; optional.
    void (*ready)(struct Naive *naive);
} Naive;

/// Replaces or brings in a landblock. The pools must have room for it, and nobody else may prepare it.
void naive_begin(Naive *naive, RealmEngine *engine, NaiveWay way, uint16_t prefix, const LandContent *content);
/// One call. False when nothing is left to do.
bool naive_step(Naive *naive);
/// Floods everybody who touches the landblock.
void naive_flood_owners(Naive *naive);

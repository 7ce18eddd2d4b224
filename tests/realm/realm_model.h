// realm_model.h: what a streamed world should be, said plainly. Beside an engine it keeps which content is active in each landblock, what was
// changed of its statics, and where every dynamic is. It learns only from the engine's answers and events, and knows nothing of drafts,
// sets or rows: those follow from building the described world at once in a fresh engine and looking at both.
#pragma once

#include "realm_rig.h"

#include "tickproof/rng.h"

enum {
    LAND_SIDE_MAX = 6,
    LAND_BLOCKS_MAX = LAND_SIDE_MAX * LAND_SIDE_MAX,
    LAND_VARIANTS = 8,
    LAND_BROKEN = 7, ///< the variant whose topology does not hold together
    LAND_CELLS_MAX = 16,
    LAND_BUILDINGS_MAX = 4,
    LAND_STATICS_MAX = 16,
    MODEL_OWNERS_MAX = 16,
};

// The land: a few landblocks with several contents for each.

typedef struct LandContent {
    RealmTerrainContent  terrain;
    uint32_t             cells, buildings, statics;
    RealmCellContent     cell[LAND_CELLS_MAX];
    RealmBuildingContent building[LAND_BUILDINGS_MAX];
    RealmStaticContent   fixture[LAND_STATICS_MAX];
} LandContent;

typedef struct Land {
    uint64_t    seed;
    uint32_t    origin_x, origin_y; ///< landblock of its low corner
    uint32_t    width, height;      ///< landblocks
    bool        is_filled[LAND_BLOCKS_MAX][LAND_VARIANTS];
    LandContent content[LAND_BLOCKS_MAX][LAND_VARIANTS]; ///< of land_content alone
} Land;

static inline uint32_t land_blocks(const Land *land)
{
    return land->width * land->height;
}
uint16_t land_prefix(const Land *land, uint32_t block);
/// Number of a landblock of the land, LAND_BLOCKS_MAX for one that is not in it.
uint32_t land_block(const Land *land, uint16_t prefix);
/// A pure function of the seed; computed once.
const LandContent *land_content(Land *land, uint32_t block, uint32_t variant);
/// Publication in so many steps: terrain, cells, buildings, statics, close.
uint32_t    land_items(const LandContent *content);
RealmAnswer land_publish(RealmEngine *engine, RealmDraftHandle draft, const LandContent *content, uint32_t item);
/// Where trouble is: on seams and corners, in doorways, in cells, or anywhere.
RealmPlace  land_place(Land *land, tp_pcg32 *dice, uint32_t block);
uint16_t    land_setup(tp_pcg32 *dice);

// The model.

typedef struct ModelOwner {
    bool              is_live, is_suspended;
    RealmOwnerHandle  handle;
    RealmOwnerContent now;
} ModelOwner;

typedef enum ModelPresence { MODEL_AWAY = 0, MODEL_FULL, MODEL_DEMOTED } ModelPresence;

typedef struct ModelBlock {
    ModelPresence presence;
    uint32_t      variant;
    uint64_t      generation;
    uint32_t      statics;
    ModelOwner    fixture[LAND_STATICS_MAX]; ///< `is_live` false: deleted since the generation became active
} ModelBlock;

typedef struct Model {
    ModelBlock block[LAND_BLOCKS_MAX];
    ModelOwner owner[MODEL_OWNERS_MAX];
} Model;

/// A generation of this variant became active. False: its leaf does not have the content's statics.
bool model_commit(Model *model, Land *land, const RealmEngine *engine, uint32_t block, uint32_t variant, uint64_t generation);
void model_demote(Model *model, uint32_t block);
void model_withdraw(Model *model, uint32_t block);
/// NULL, or what the engine's own counters say otherwise.
const char *model_count(const Model *model, const RealmEngine *engine);

/// The rig's engine, empty again, becomes the described world: landblocks, owners and changes in an order drawn from `dice`. NULL, or
/// the call that was refused.
const char *model_build(const Model *model, Land *land, Rig *rig, tp_pcg32 *dice);
/// Pools large enough for any described world.
RigSizes    model_sizes(void);

// What can be seen of a world through a view, without a trace of how it came about.

enum { LOOK_WORDS = 14 };
typedef struct LookItem {
    uint32_t word[LOOK_WORDS]; ///< kind, landblock, cell, then what is there
} LookItem;

typedef struct Look {
    LookItem *items;
    uint32_t  count, capacity;
    bool      is_disordered; ///< a bucket was not in order of ids
} Look;

/// Everything: terrain, indoor cells, buildings, the seen rows of every cell, and of every owner its cell or that it is lost.
void look_take(Look *look, const RealmEngine *engine, RealmView view);
void look_free(Look *look);
/// NULL when equal; else a line that names the first difference, in `text`.
const char *look_difference(const Look *seen, const Look *built, char *text, size_t size);
/// Asks both active worlds the same queries at drawn places. NULL, or the first answer that differs.
const char *look_ask(const RealmEngine *seen, const RealmEngine *built, Land *land, tp_pcg32 *dice, uint32_t questions, char *text, size_t size);
/// Live slots of every pool must agree between two worlds at rest. NULL, or the pool that does not.
const char *look_pools(const Rig *seen, const Rig *built, char *text, size_t size);

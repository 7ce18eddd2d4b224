// realm_engine.h: the collision engine: what the game and both kinds of host call. Everything works on one view of the flat state, opened anew for
// every step and never kept. No I/O, no clock, no allocation.
//
// Answers are three-way. DONE: it happened. NOT_YET: nothing changed but what the call says, ask again later (after more units, or after
// something was taken down). ERROR: the call was wrong and nothing changed; `reason` says why. Each call of the transaction does at most one
// unit of work; `units` says whether it did.
#pragma once

#include "realm_state.h"

typedef enum RealmAnswer { REALM_DONE = 0, REALM_NOT_YET = 1, REALM_ERROR = 2 } RealmAnswer;

/// Where something is. `cell` names the landblock; its low half says which cell when known.
typedef struct RealmPlace {
    uint32_t cell;
    tp_fx    x, y, z;
} RealmPlace;

/// What Begin hands out. A copy is as good as the original; all four are compared.
typedef struct RealmTicket {
    uint64_t runtime;    ///< of the realm, and of its epoch: another one's is refused
    uint32_t block;      ///< prefix << 16 | 0xFFFF
    uint64_t generation;
    uint64_t previous;   ///< the active generation at Begin, 0 for none: never a superseded one's
} RealmTicket;

/// Which world a query sees: draft 0 is the active one, else a draft's private root (link).
typedef struct RealmView {
    uint32_t draft;
} RealmView;
#define REALM_ACTIVE ((RealmView){ 0 })

typedef struct RealmEngine {
    tp_context *context;
    void       *block;
    const RealmRoot        *root;
    const RealmIndexHead   *heads;
    const RealmBlock       *blocks;
    const RealmLeaf        *leaves;
    const RealmCell        *cells;
    const RealmBuilding    *buildings;
    const RealmOwner       *owners;
    const RealmMember      *members;
    const RealmSet         *sets;
    const RealmRow         *rows;
    const RealmDraft       *drafts;
    const RealmJournalSlot *journal;
    uint32_t block_count, leaf_count, cell_count, building_count, owner_count, dynamic_count, member_count, set_count, row_count,
        draft_count, journal_count;
    const char *reason; ///< of the last NOT_YET or ERROR: static text
    uint32_t    units;  ///< of the last call of the transaction: 0 or 1
} RealmEngine;

/// Opens the state. Cheap: pointers only. With a const state, use only functions that take a const engine.
RealmEngine realm_engine_open(void *state, tp_context *context);
RealmEngine realm_engine_open_const(const void *state, const tp_context *context);
/// Makes an empty engine in a zeroed block. Faults when config numbers contradict each other.
void realm_engine_init(RealmEngine *engine, uint64_t seed);
/// Begins a tick: counts, and cancels admissions whose deadline has passed.
void realm_engine_tick(RealmEngine *engine);
/// Ends everything: cancels all admissions, then takes down all landblocks and owners at once. All counters come to 0; tickets of before are
/// another epoch's. Work: the whole world.
void realm_engine_reset(RealmEngine *engine);

// Ids. A prefix is the landblock's x << 8 | y.
static inline uint16_t realm_prefix(uint32_t cell)
{
    return (uint16_t)(cell >> 16);
}
static inline uint32_t realm_block_id(uint16_t prefix)
{
    return (uint32_t)prefix << 16 | REALM_OUTSIDE;
}

// Access. A link of 0 or past its pool faults the world. `_edit` tells the host which bytes change: nothing else may write the state.
#define REALM_ACCESS_DECLARE(Type, name)                                          \
    const Type *realm_##name##_at(const RealmEngine *engine, uint32_t link);      \
    Type *realm_##name##_edit(RealmEngine *engine, uint32_t link);                \
    uint32_t realm_##name##_room(const RealmEngine *engine);                      \
    /* 0 when full. */                                                            \
    uint32_t realm_##name##_take(RealmEngine *engine);                             \
    void realm_##name##_give(RealmEngine *engine, uint32_t link);
REALM_ACCESS_DECLARE(RealmBlock, block)
REALM_ACCESS_DECLARE(RealmLeaf, leaf)
REALM_ACCESS_DECLARE(RealmCell, cell)
REALM_ACCESS_DECLARE(RealmBuilding, building)
REALM_ACCESS_DECLARE(RealmMember, member)
REALM_ACCESS_DECLARE(RealmSet, set)
REALM_ACCESS_DECLARE(RealmRow, row)
REALM_ACCESS_DECLARE(RealmDraft, draft)
const RealmOwner *realm_owner_at(const RealmEngine *engine, uint32_t link);
RealmOwner *realm_owner_edit(RealmEngine *engine, uint32_t link);
uint32_t realm_owner_room(const RealmEngine *engine, RealmKind kind);
uint32_t realm_owner_take(RealmEngine *engine, RealmKind kind);
void realm_owner_give(RealmEngine *engine, uint32_t link);
RealmRoot *realm_root_edit(RealmEngine *engine);
static inline RealmOwnerHandle realm_owner_handle(const RealmEngine *engine, uint32_t link)
{
    return (RealmOwnerHandle){ link - 1, realm_owner_at(engine, link)->generation };
}
/// Link of a live owner, 0 when the handle names none: gone, or another incarnation.
uint32_t realm_owner_link(const RealmEngine *engine, RealmOwnerHandle handle);

// The transaction.

/// Admits a landblock. Any cell id of it names it; id 0 is an ERROR. A live admission of it is cancelled first (NEWER). NOT_YET while a leaf of
/// it that was active is still being taken down, and when there is no room for one more landblock.
RealmAnswer realm_begin(RealmEngine *engine, uint32_t cell, RealmTicket *ticket);
/// Makes the private draft: O(1), whatever is resident. `*draft` is what the publisher and the seal name it by. ERROR for a ticket that is not
/// live and for one that has a draft; NOT_YET when no draft or leaf is free.
RealmAnswer realm_prepare(RealmEngine *engine, const RealmTicket *ticket, RealmDraftHandle *draft);
/// Notes one neighbour, as far as two landblocks away: one unit. DONE with the last of the REALM_NEIGHBOURS.
RealmAnswer realm_materialise(RealmEngine *engine, RealmDraftHandle draft);

// Publication into the draft only: one unit each. ERROR before materialisation is done, after close, for a draft that is not open, and for content
// that contradicts itself or belongs elsewhere. NOT_YET when a pool is full.
typedef struct RealmTerrainContent {
    uint8_t heights[REALM_HEIGHTS];
    uint8_t water; ///< 0 none, 1 some of it, 2 the whole landblock: walkers collide
} RealmTerrainContent;
typedef struct RealmStaticContent {
    uint32_t id;
    uint32_t state;
    uint16_t setup;
    uint8_t  turn;   ///< quarters, counter-clockwise
    tp_fx    x, y, z; ///< local to the landblock
} RealmStaticContent;
RealmAnswer realm_publish_terrain(RealmEngine *engine, RealmDraftHandle draft, const RealmTerrainContent *terrain);
/// Cells get numbers from REALM_INDOOR_FIRST on, in the order they come.
RealmAnswer realm_publish_cell(RealmEngine *engine, RealmDraftHandle draft, const RealmCellContent *cell);
RealmAnswer realm_publish_building(RealmEngine *engine, RealmDraftHandle draft, const RealmBuildingContent *building);
RealmAnswer realm_publish_static(RealmEngine *engine, RealmDraftHandle draft, const RealmStaticContent *content);
/// Everything is there: capture begins. Once only; ERROR without terrain.
RealmAnswer realm_publish_close(RealmEngine *engine, RealmDraftHandle draft);

/// One unit towards being ready: capture, topology, statics, queue, journal, rebase, retirement, in this order. DONE: ready, and to be
/// committed in this same tick's call. ERROR before close, and when the topology does not hold together (the caller cancels).
RealmAnswer realm_seal(RealmEngine *engine, RealmDraftHandle draft);
/// Capture alone is over and the topology is sealed: changes of owners write through from here on.
bool        realm_is_sealed(const RealmEngine *engine, RealmDraftHandle draft);
/// The switch: O(1), no memory, no unit. Checks once more; NOT_YET while an older draft is open or anything is pending; ERROR before the
/// topology is sealed and for any draft that is not open. Then reports COMMITTED.
RealmAnswer realm_commit(RealmEngine *engine, RealmDraftHandle draft);

/// Ends an admission and its draft, never the active landblock. DONE; `*was_committed` (may be NULL) when the ticket's generation is the active
/// one: too late, nothing happens. ERROR for a stale ticket, which hurts nobody.
RealmAnswer realm_cancel(RealmEngine *engine, const RealmTicket *ticket, bool *was_committed);
/// Cancels an admission, then keeps the terrain and drops indoor cells, buildings, statics and all rows in the landblock, at once; taking
/// them down is metered. ERROR when it is not resident or is demoted; NOT_YET while an earlier leaf of it retires.
RealmAnswer realm_demote(RealmEngine *engine, uint32_t cell);
/// Cancels an admission, then drops everything at once. Dynamics stay registered, lost and rowless, and wake with the next generation.
RealmAnswer realm_withdraw(RealmEngine *engine, uint32_t cell);
/// One unit of taking down, whoever's. DONE when nothing retires (units 0 when it already was so).
RealmAnswer realm_retire(RealmEngine *engine);
bool        realm_is_retiring(const RealmEngine *engine);

uint32_t    realm_draft_link(const RealmEngine *engine, RealmDraftHandle draft); ///< 0: revoked, cancelled, or never one
RealmView   realm_draft_view(const RealmEngine *engine, RealmDraftHandle draft, bool *is_open); ///< `*is_open` false: revoked; the view is then the active one

// Owners. Each call changes the active world as one step, then what drafts know of the owner. NOT_YET: no room (rows, members, blocks);
// nothing changed. ERROR: no such owner, or a static of a leaf that is not active.
typedef struct RealmOwnerContent {
    uint32_t   id;
    uint32_t   state;
    uint16_t   setup;
    uint8_t    turn;
    RealmPlace place;
} RealmOwnerContent;
RealmAnswer realm_owner_register(RealmEngine *engine, const RealmOwnerContent *content, RealmOwnerHandle *owner);
RealmAnswer realm_owner_move(RealmEngine *engine, RealmOwnerHandle owner, RealmPlace place);
RealmAnswer realm_owner_set_state(RealmEngine *engine, RealmOwnerHandle owner, uint32_t state);
RealmAnswer realm_owner_set_setup(RealmEngine *engine, RealmOwnerHandle owner, uint16_t setup, uint8_t turn);
RealmAnswer realm_owner_suspend(RealmEngine *engine, RealmOwnerHandle owner, bool is_suspended);
RealmAnswer realm_owner_deregister(RealmEngine *engine, RealmOwnerHandle owner);
/// Lowest-index owner seen in the view with this id, {0, 0} for none. O(owners): for tools and tests.
RealmOwnerHandle realm_owner_find(const RealmEngine *engine, RealmView view, uint32_t id);
/// The owner's place as it was put, with the cell it is in as the active world sees it. False: gone or lost (the place is then where it was put).
bool realm_owner_place(const RealmEngine *engine, RealmOwnerHandle owner, RealmPlace *place);

// What a view sees (realm_view.c). Links.
uint32_t realm_block_find(const RealmEngine *engine, uint16_t prefix);  ///< block link, 0: nothing is known of it
bool     realm_leaf_is_active(const RealmEngine *engine, uint32_t leaf);
/// Leaf that serves terrain for the landblock, 0 for none; a demoted one serves terrain only.
uint32_t realm_view_leaf(const RealmEngine *engine, RealmView view, uint16_t prefix);
/// Leaf that serves cells, buildings and rows, 0 for none.
uint32_t realm_view_full_leaf(const RealmEngine *engine, RealmView view, uint16_t prefix);
uint32_t realm_leaf_cell(const RealmEngine *engine, uint32_t leaf, uint16_t number); ///< indoor cell link, 0 for none
/// The owner exists in the view: not suspended; a static's leaf is served.
bool     realm_view_sees_owner(const RealmEngine *engine, RealmView view, uint32_t owner);
/// The set a view has of an owner, 0 when it has none.
uint32_t realm_view_set(const RealmEngine *engine, RealmView view, uint32_t owner);
/// The set exists, its owner is seen, it is the one the view has, and its home is served: its rows count.
bool     realm_view_sees_set(const RealmEngine *engine, RealmView view, uint32_t set);
/// Where outdoor cell 0..63 of a leaf, or an indoor cell, has its first row (link). Skip rows whose set is not seen.
static inline uint32_t realm_outdoor_bucket(const RealmEngine *engine, uint32_t leaf, uint32_t cell)
{
    return realm_leaf_at(engine, leaf)->buckets[cell];
}

// Flood (realm_flood.c): which cells an owner overlaps in a view: ordered, without repetition, by the view's full leaves only.
typedef struct RealmFloodRow {
    uint32_t leaf;    ///< link
    uint32_t cell;    ///< link of an indoor cell, or 0
    uint32_t outdoor; ///< 0..63 when cell is 0
} RealmFloodRow;
typedef struct RealmFlood {
    uint32_t      cell;    ///< id of the cell the owner is in
    uint32_t      home;    ///< link of the leaf that has it; 0 when lost
    bool          is_lost; ///< no leaf serves its landblock: no rows
    uint32_t      count;
    RealmFloodRow rows[REALM_ROWS_PER_SET];
} RealmFlood;
/// What a flood starts from, so that it can be asked before an owner changes.
typedef struct RealmBody {
    RealmPlace place;
    uint16_t   setup;
    uint8_t    turn;
    bool       is_static; ///< spreads indoors only to cells that its first cell sees
} RealmBody;
RealmBody realm_owner_body(const RealmOwner *owner);
void      realm_flood(const RealmEngine *engine, RealmView view, const RealmBody *body, RealmFlood *flood);

/// Landblocks that the bounds of a body touch, half-open, inside the 255 x 255: at most REALM_MEMBERS_PER_OWNER.
uint32_t realm_body_blocks(const RealmBody *body, uint16_t prefixes[REALM_MEMBERS_PER_OWNER]);

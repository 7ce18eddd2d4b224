// realm_rig.h: the collision engine without a game on top: a flat block made from the engine's sections alone, with events captured, touched
// pages counted, and the invariant checker run after every partial step. Tests of the engine drive it through realm_engine.h only.
#pragma once

#include "realm_engine.h"

#include "tickproof/layout.h"

enum { RIG_EVENTS_MAX = 64, RIG_CELLS_MAX = 8, RIG_BUILDINGS_MAX = 4, RIG_STATICS_MAX = 1024, RIG_TICKETS_MAX = 256 };

/// One event with what its reader could see at that moment.
typedef struct RigEvent {
    uint32_t        type; ///< RealmEvent
    RealmBlockEvent data;
    uint64_t        version; ///< root.version
    uint64_t        active;  ///< number of the active generation of the event's landblock, 0 for none
    bool            is_served; ///< and it is served in full
} RigEvent;

typedef struct RigSizes {
    int64_t items[REALM_CONFIG_CREATURES]; ///< the engine's part of the config
} RigSizes;

typedef struct Rig {
    tp_layout      layout;
    tp_context     context;
    unsigned char *block;
    unsigned char *touched;
    size_t         touched_size;
    RealmEngine    engine;
    RigEvent       events[RIG_EVENTS_MAX];
    uint32_t       event_count; ///< all since the rig was opened; the first RIG_EVENTS_MAX are kept
    uint32_t       check_every; ///< the checker runs after every so many steps; 0: never
    uint32_t       steps;
    bool           is_deaf;     ///< events are refused, as when nobody is registered
} Rig;

/// A few dozen of everything; all of it is checked after every step.
RigSizes rig_small(void);
/// 700 dynamics, 40 drafts, 1,024 journal slots.
RigSizes rig_medium(void);
/// As much as the largest pinned test needs: 256 drafts, 400 residents, 5,000 owners.
RigSizes rig_large(void);
void rig_open(Rig *rig, RigSizes sizes);
void rig_close(Rig *rig);
/// Another rig with the same bytes.
void rig_copy(Rig *to, const Rig *from);
/// Counts one step, checks the invariants and that no call took more than one unit; gives the answer back.
RealmAnswer rig_after(Rig *rig, RealmAnswer answer);
/// Fails the test when an invariant does not hold.
void rig_check(const Rig *rig);
/// Pages that calls have told of since the last rig_forget_pages.
uint32_t rig_pages(const Rig *rig);
void     rig_forget_pages(Rig *rig);
/// Events of the type so far; the last of them.
uint32_t        rig_event_count(const Rig *rig, RealmEvent type);
const RigEvent *rig_event_last(const Rig *rig, RealmEvent type);

#define RIG_DONE(rig, call) \
    cr_assert_eq(rig_after((rig), (call)), REALM_DONE, "%s: %s", #call, (rig)->engine.reason != NULL ? (rig)->engine.reason : "")
#define RIG_NOT_YET(rig, call) cr_assert_eq(rig_after((rig), (call)), REALM_NOT_YET, "%s was not held back", #call)
#define RIG_ERROR(rig, call) cr_assert_eq(rig_after((rig), (call)), REALM_ERROR, "%s was taken", #call)

// Content.

/// A landblock flat at this height index, with what is added to it.
typedef struct RigContent {
    RealmTerrainContent  terrain;
    uint32_t             cell_count, building_count, static_count;
    RealmCellContent     cells[RIG_CELLS_MAX];
    RealmBuildingContent buildings[RIG_BUILDINGS_MAX];
    RealmStaticContent   statics[RIG_STATICS_MAX];
} RigContent;

/// Setups of the catalog that tests name by what they are for.
uint16_t rig_setup_small(void); ///< 0.4 around its place: one cell, or two where it crosses a seam
uint16_t rig_setup_wide(void);  ///< 30 around its place: nine cells and more
uint16_t rig_setup_other(void); ///< another shape than the first, 0.75 around

/// Block x, y as a cell id.
uint32_t rig_at(uint32_t x, uint32_t y);
uint16_t rig_prefix(uint32_t x, uint32_t y);
/// Thousandths of a unit.
tp_fx rig_fx(int32_t thousandths);
/// A place in a block, outdoors, on the ground.
RealmPlace rig_place(uint32_t x, uint32_t y, int32_t local_x, int32_t local_y);

void rig_content(RigContent *content, uint8_t height);
/// A building of `rooms` rooms (1 or 2) in a row from (60, 60) on, entered at its low x.
void rig_add_house(RigContent *content, uint32_t rooms, uint32_t kind);
void rig_add_static(RigContent *content, uint32_t id, uint16_t setup, int32_t local_x, int32_t local_y);

// The transaction. Every call is one checked step and fails the test when it does not do what it should.

RealmTicket      rig_begin(Rig *rig, uint32_t x, uint32_t y);
RealmDraftHandle rig_prepare(Rig *rig, const RealmTicket *ticket);
/// Begin, Prepare and the neighbours.
RealmDraftHandle rig_start(Rig *rig, uint32_t x, uint32_t y);
void             rig_publish(Rig *rig, RealmDraftHandle draft, const RigContent *content);
/// Start, publish and close.
RealmDraftHandle rig_draft(Rig *rig, uint32_t x, uint32_t y, const RigContent *content);
/// Seals until changes write through; returns the calls it took.
uint32_t         rig_seal_topology(Rig *rig, RealmDraftHandle draft);
/// Seals until it is ready; returns the units it took.
uint32_t         rig_seal(Rig *rig, RealmDraftHandle draft);
/// Seals until it is ready and commits in the same call.
void             rig_commit(Rig *rig, RealmDraftHandle draft);
/// Takes down all there is to take down; returns the units it took.
uint32_t         rig_drain(Rig *rig);
/// A whole transaction, and nothing left to take down.
void             rig_load(Rig *rig, uint32_t x, uint32_t y, const RigContent *content);
/// The same with flat ground only.
void             rig_load_flat(Rig *rig, uint32_t x, uint32_t y, uint8_t height);

RealmOwnerHandle rig_owner(Rig *rig, uint32_t id, uint16_t setup, RealmPlace place);
void             rig_move(Rig *rig, RealmOwnerHandle owner, RealmPlace place);
const RealmOwner *rig_owner_at(const Rig *rig, RealmOwnerHandle owner);
const RealmDraft *rig_draft_at(const Rig *rig, RealmDraftHandle draft);
const RealmBlock *rig_block_at(const Rig *rig, uint32_t x, uint32_t y); ///< NULL: nothing is known of it

// What a view sees, found the way queries find it: through the buckets of the leaves it serves.

RealmView rig_view(const Rig *rig, RealmDraftHandle draft);
/// Height index at the landblock's first corner, -1 without terrain.
int32_t   rig_height(const Rig *rig, RealmView view, uint32_t x, uint32_t y);
/// Indoor cells and kind of the first building, 0 for none.
uint32_t  rig_cells(const Rig *rig, RealmView view, uint32_t x, uint32_t y);
uint32_t  rig_building(const Rig *rig, RealmView view, uint32_t x, uint32_t y);
/// Rows of owners with this id in the landblock's buckets.
uint32_t  rig_rows(const Rig *rig, RealmView view, uint32_t x, uint32_t y, uint32_t id);
/// Rows of exactly this owner, everywhere.
uint32_t  rig_rows_of(const Rig *rig, RealmView view, RealmOwnerHandle owner);
/// Members of a landblock that no leaf serves in full: who is to be repaired when it comes back.
uint32_t  rig_markers(const Rig *rig, uint32_t x, uint32_t y);
/// Everything a view sees, without numbers of generations and without the order of pools: equal pictures are equal worlds.
uint64_t  rig_picture(const Rig *rig, RealmView view);
/// The same for all but one landblock.
uint64_t  rig_picture_but(const Rig *rig, RealmView view, uint32_t x, uint32_t y);
/// Live slots of all pools but blocks' and owners', for what must come and go.
uint32_t  rig_live(const Rig *rig, RealmSection pool);

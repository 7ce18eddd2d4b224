// realm_state.h: the state as field tables. Sections fall into three groups: the root (what is active, what is being prepared), the pools
// of the collision engine (blocks, leaves, cells, buildings, owners, members, sets, rows, drafts, journal), and the game on top.
//
// References that cannot dangle are links: index + 1, 0 for none. References that may outlive what they name are handles.
//
//   block    what is known about one landblock: its active leaf, its admission, its draft, the owners that touch it
//   leaf     one generation of one landblock: terrain, indoor cells, buildings, statics, and a bucket of rows for every cell
//   owner    an object with collision shapes. A static belongs to the leaf that authored it; a dynamic to nobody
//   member   "the bounds of this owner touch that landblock", whether the landblock is resident or not
//   set      the rows of one owner as one draft, or the active world, has them; and the cell the owner is then in
//   row      "this owner overlaps this cell": in one set and in the bucket of one cell of one leaf
//   draft    a generation being prepared: its leaf, its sets, its cursors
//   journal  the owners that changed while a draft was open, once each
#pragma once

#include "realm.h"

#include "tickproof/pool.h"

typedef enum RealmSection {
    REALM_SECTION_ROOT,
    REALM_SECTION_BLOCK_INDEX,
    REALM_SECTION_BLOCK_POOL,
    REALM_SECTION_BLOCKS,
    REALM_SECTION_LEAF_POOL,
    REALM_SECTION_LEAVES,
    REALM_SECTION_CELL_POOL,
    REALM_SECTION_CELLS,
    REALM_SECTION_BUILDING_POOL,
    REALM_SECTION_BUILDINGS,
    REALM_SECTION_OWNER_POOLS, ///< two heads: dynamics, statics
    REALM_SECTION_OWNERS,
    REALM_SECTION_MEMBER_POOL,
    REALM_SECTION_MEMBERS,
    REALM_SECTION_SET_POOL,
    REALM_SECTION_SETS,
    REALM_SECTION_ROW_POOL,
    REALM_SECTION_ROWS,
    REALM_SECTION_DRAFT_POOL,
    REALM_SECTION_DRAFTS,
    REALM_SECTION_JOURNAL,
    REALM_SECTION_GAME,
    REALM_SECTION_PLAYERS,
    REALM_SECTION_CREATURES,
    REALM_SECTION_SHOTS,
    REALM_SECTION_DOORS,
    REALM_SECTION_STREAM,
    REALM_SECTION_COUNT,
} RealmSection;

enum {
    REALM_INDEX_HEADS = 1024,   ///< heads of the table from landblock to block
    REALM_OUTDOOR_CELLS = 64,
    REALM_HEIGHTS = 81,
    REALM_PORTALS = 4,          ///< of one indoor cell
    REALM_INDOOR_MAX = 64,      ///< indoor cells of one landblock: one bit each in `visible`
    REALM_INDOOR_FIRST = 0x100, ///< number of the first indoor cell
    REALM_OUTSIDE = 0xFFFF,     ///< what an outer portal leads to; also the number of a landblock itself
    REALM_NEIGHBOURS = 24,      ///< landblocks within two: what an owner of the largest size may touch together with the one in the middle
    REALM_ROWS_PER_SET = 676,   ///< most rows of one owner: 100 outdoor cells, and all indoor cells of nine landblocks
    REALM_MEMBERS_PER_OWNER = 9,
};

#define REALM_ANY_LINK(section) TP_LINK_OF(section)
#define REALM_LOCAL_RANGE TP_RANGE(0, 192 * 65536 - 1)
#define REALM_NUMBER_MAX (INT64_C(1) << 62)
#define REALM_NUMBER_RANGE TP_RANGE(0, REALM_NUMBER_MAX)

#define REALM_ROOT_FIELDS(S, F, A, H)                                                       \
    F(S, u64, runtime, "name", TP_ANY)                                                      \
    F(S, u64, epoch, "resets", REALM_NUMBER_RANGE)                                          \
    F(S, u64, version, "switches", REALM_NUMBER_RANGE)                                      \
    F(S, u64, generation_last, "generations", REALM_NUMBER_RANGE)                           \
    F(S, u64, sequence_last, "drafts", REALM_NUMBER_RANGE)                                  \
    F(S, u64, now, "ticks", REALM_NUMBER_RANGE)                                             \
    F(S, u64, stamp_last, "members", REALM_NUMBER_RANGE)                                    \
    F(S, u64, journal_head, "slots", REALM_NUMBER_RANGE)                                    \
    F(S, u64, journal_tail, "slots", REALM_NUMBER_RANGE)                                    \
    F(S, u64, journal_floor, "slots", REALM_NUMBER_RANGE)                                   \
    F(S, u64, units, "units", REALM_NUMBER_RANGE)                                           \
    F(S, u32, residents, "blocks", TP_LINK_OF("blocks"))                                    \
    F(S, u32, admissions, "tickets", TP_LINK_OF("blocks"))                                  \
    F(S, u32, drafts_live, "drafts", TP_LINK_OF("drafts"))                                  \
    F(S, u32, draft_first, "draft + 1", TP_LINK_OF("drafts"))                               \
    F(S, u32, draft_last, "draft + 1", TP_LINK_OF("drafts"))                                \
    F(S, u32, admit_first, "block + 1", TP_LINK_OF("blocks"))                               \
    F(S, u32, admit_last, "block + 1", TP_LINK_OF("blocks"))                                \
    F(S, u32, retire_draft_first, "draft + 1", TP_LINK_OF("drafts"))                        \
    F(S, u32, retire_draft_last, "draft + 1", TP_LINK_OF("drafts"))                         \
    F(S, u32, retire_leaf_first, "leaf + 1", TP_LINK_OF("leaves"))                          \
    F(S, u32, retire_leaf_last, "leaf + 1", TP_LINK_OF("leaves"))                           \
    F(S, u32, commits, "count", TP_ANY)                                                     \
    F(S, u32, cancels, "count", TP_ANY)                                                     \
    F(S, u32, abandoned, "count", TP_ANY)                                                   \
    F(S, u32, limit_cancels, "count", TP_ANY)                                               \
    F(S, u32, events_dropped, "count", TP_ANY)
/// `version` moves at every switch: commit, demotion, withdrawal, reset. `generation_last` numbers admissions of all landblocks, so that no
/// number ever comes back, whatever was forgotten; a successful cancel burns one more. `journal_floor` is where the newest open draft
/// began: an entry below it is superseded by a new one, not reused.
TP_STRUCT(RealmRoot, REALM_ROOT_FIELDS)

#define REALM_HEAD_FIELDS(S, F, A, H) F(S, u32, first, "block + 1", TP_LINK_OF("blocks"))
TP_STRUCT(RealmIndexHead, REALM_HEAD_FIELDS)

typedef enum RealmRetire {
    REALM_RETIRE_NO = 0,       ///< staged or active
    REALM_RETIRE_MEMBERS,      ///< owners that touch the landblock flood again, one per unit
    REALM_RETIRE_STATICS,
    REALM_RETIRE_ROWS,         ///< rows of other drafts' sets
    REALM_RETIRE_BUILDINGS,
    REALM_RETIRE_CELLS,
    REALM_RETIRE_LEAF,         ///< what is left; a demoted leaf is then done and stays
    REALM_RETIRE_COUNT,
} RealmRetire;
extern const char *const realm_retire_names[REALM_RETIRE_COUNT];

#define REALM_LEAF_FIELDS(S, F, A, H)                                                       \
    F(S, u64, number, "generation", REALM_NUMBER_RANGE)                                     \
    F(S, u64, cursor_end, "stamp", REALM_NUMBER_RANGE)                                      \
    F(S, u32, block, "block + 1", TP_LINK_OF("blocks"))                                     \
    F(S, u32, cell_first, "cell + 1", TP_LINK_OF("cells"))                                  \
    F(S, u32, cell_last, "cell + 1", TP_LINK_OF("cells"))                                   \
    F(S, u32, building_first, "building + 1", TP_LINK_OF("buildings"))                      \
    F(S, u32, building_last, "building + 1", TP_LINK_OF("buildings"))                       \
    F(S, u32, static_first, "owner + 1", TP_LINK_OF("owners"))                              \
    F(S, u32, static_last, "owner + 1", TP_LINK_OF("owners"))                               \
    F(S, u32, retire_next, "leaf + 1", TP_LINK_OF("leaves"))                                \
    F(S, u32, cursor, "member + 1", TP_LINK_OF("members"))                                  \
    F(S, u16, cells, "count", TP_RANGE(0, REALM_INDOOR_MAX))                                \
    F(S, u16, buildings, "count", TP_RANGE(0, REALM_INDOOR_MAX))                            \
    F(S, u32, statics, "count", TP_LINK_OF("owners"))                                       \
    F(S, u8, retire, "phase", TP_ENUM(REALM_RETIRE_COUNT, realm_retire_names))              \
    F(S, u8, is_demoted, "flag", TP_BOOL)                                                   \
    F(S, u8, was_active, "flag", TP_BOOL)                                                   \
    F(S, u8, has_terrain, "flag", TP_BOOL)                                                  \
    F(S, u8, water, "kind", TP_RANGE(0, 2))                                                 \
    A(S, u8, heights, REALM_HEIGHTS, "height index", TP_ANY)                                \
    A(S, u8, padding, 6, "zero", TP_ZERO)                                                   \
    A(S, u32, buckets, REALM_OUTDOOR_CELLS, "row + 1", TP_LINK_OF("rows"))
/// `heights` is indexed x * 9 + y into realm_height_table. A demoted leaf serves terrain only: no cells, no buildings, no rows. `cursor` is where
/// the walk over members, up to stamp `cursor_end`, stands while the leaf is the first to retire.
TP_POOL_DECLARE(RealmLeaf, realm_leaf, REALM_LEAF_FIELDS, "leaves")

#define REALM_BLOCK_FIELDS(S, F, A, H)                                                      \
    F(S, u16, prefix, "landblock", TP_ANY)                                                  \
    F(S, u16, busy, "count", TP_RANGE(0, 2))                                                \
    F(S, u32, retiring, "leaves", TP_LINK_OF("leaves"))                                     \
    F(S, u32, index_next, "block + 1", TP_LINK_OF("blocks"))                                \
    H(S, RealmLeafHandle, leaf, "leaves")                                                   \
    F(S, u32, draft, "draft + 1", TP_LINK_OF("drafts"))                                     \
    F(S, u32, member_first, "member + 1", TP_LINK_OF("members"))                            \
    F(S, u32, member_last, "member + 1", TP_LINK_OF("members"))                             \
    F(S, u32, members, "count", TP_LINK_OF("members"))                                      \
    F(S, u32, admit_next, "block + 1", TP_LINK_OF("blocks"))                                \
    F(S, u32, admit_prev, "block + 1", TP_LINK_OF("blocks"))                                \
    F(S, u32, padding, "zero", TP_ZERO)                                                     \
    F(S, u64, ticket, "generation", REALM_NUMBER_RANGE)                                     \
    F(S, u64, deadline, "tick", REALM_NUMBER_RANGE)
/// `leaf` is the one reference that activation changes: what it names is active, whatever else exists of the landblock is not. `ticket` is the
/// generation of the live admission, 0 without one. `retiring` counts its leaves that are being taken down, `busy` what of an activation, a
/// demotion or a withdrawal is not done yet. A block without leaf, ticket, members and retiring leaves is freed.
TP_POOL_DECLARE(RealmBlock, realm_block, REALM_BLOCK_FIELDS, "blocks")

// What an author says of an indoor cell; the state keeps the same rows. A box, local to the landblock, with portals in planes across an axis
// (0 x, 1 y, 2 z): `at` on that axis, a rectangle over the other two in rising order. `other` is the number of the cell behind it or
// REALM_OUTSIDE. `visible` has bit k for cell REALM_INDOOR_FIRST + k: the cells a static that starts here may spread to.
#define REALM_CELL_CONTENT_FIELDS(S, F, A, H)                                               \
    A(S, fx, low, 3, "units", TP_RANGE(-65536 * 1024, 65536 * 1024))                        \
    A(S, fx, high, 3, "units", TP_RANGE(-65536 * 1024, 65536 * 1024))                       \
    F(S, u64, visible, "cells", TP_ANY)                                                     \
    A(S, fx, portal_at, REALM_PORTALS, "units", TP_RANGE(-65536 * 1024, 65536 * 1024))      \
    A(S, fx, portal_low_1, REALM_PORTALS, "units", TP_RANGE(-65536 * 1024, 65536 * 1024))   \
    A(S, fx, portal_low_2, REALM_PORTALS, "units", TP_RANGE(-65536 * 1024, 65536 * 1024))   \
    A(S, fx, portal_high_1, REALM_PORTALS, "units", TP_RANGE(-65536 * 1024, 65536 * 1024))  \
    A(S, fx, portal_high_2, REALM_PORTALS, "units", TP_RANGE(-65536 * 1024, 65536 * 1024))  \
    A(S, u16, portal_other, REALM_PORTALS, "cell", TP_ANY)                                  \
    A(S, u8, portal_axis, REALM_PORTALS, "axis", TP_RANGE(0, 2))                            \
    F(S, u8, portals, "count", TP_RANGE(0, REALM_PORTALS))                                  \
    A(S, u8, content_padding, 3, "zero", TP_ZERO)
TP_STRUCT(RealmCellContent, REALM_CELL_CONTENT_FIELDS)

#define REALM_CELL_FIELDS(S, F, A, H)                                                       \
    F(S, u32, leaf, "leaf + 1", TP_LINK_OF("leaves"))                                       \
    F(S, u32, next, "cell + 1", TP_LINK_OF("cells"))                                        \
    F(S, u32, bucket, "row + 1", TP_LINK_OF("rows"))                                        \
    F(S, u16, number, "cell", TP_RANGE(0, REALM_INDOOR_FIRST + REALM_INDOOR_MAX - 1)) \
    F(S, u16, padding, "zero", TP_ZERO)                                                     \
    REALM_CELL_CONTENT_FIELDS(S, F, A, H)
TP_POOL_DECLARE(RealmCell, realm_cell, REALM_CELL_FIELDS, "cells")

#define REALM_BUILDING_CONTENT_FIELDS(S, F, A, H)                                           \
    A(S, fx, low, 3, "units", TP_RANGE(-65536 * 1024, 65536 * 1024))                        \
    A(S, fx, high, 3, "units", TP_RANGE(-65536 * 1024, 65536 * 1024))                       \
    F(S, u16, first_cell, "cell", TP_RANGE(REALM_INDOOR_FIRST, REALM_INDOOR_FIRST + REALM_INDOOR_MAX - 1)) \
    F(S, u16, cells, "count", TP_RANGE(1, REALM_INDOOR_MAX))                                \
    F(S, u32, kind, "kind", TP_ANY)
/// A solid box outdoors, local to the landblock; its cells number `cells` from `first_cell` on, and are entered through their outer portals.
TP_STRUCT(RealmBuildingContent, REALM_BUILDING_CONTENT_FIELDS)

#define REALM_BUILDING_FIELDS(S, F, A, H)                                                   \
    F(S, u32, leaf, "leaf + 1", TP_LINK_OF("leaves"))                                       \
    F(S, u32, next, "building + 1", TP_LINK_OF("buildings"))                                \
    A(S, fx, low, 3, "units", TP_RANGE(-65536 * 1024, 65536 * 1024))                        \
    A(S, fx, high, 3, "units", TP_RANGE(-65536 * 1024, 65536 * 1024))                       \
    F(S, u16, first_cell, "cell", TP_RANGE(0, REALM_INDOOR_FIRST + REALM_INDOOR_MAX - 1))   \
    F(S, u16, cells, "count", TP_RANGE(0, REALM_INDOOR_MAX))                                \
    F(S, u32, kind, "kind", TP_ANY)
TP_POOL_DECLARE(RealmBuilding, realm_building, REALM_BUILDING_FIELDS, "buildings")

typedef enum RealmKind { REALM_DYNAMIC = 0, REALM_STATIC = 1, REALM_KIND_COUNT = 2 } RealmKind;
extern const char *const realm_kind_names[REALM_KIND_COUNT];

#define REALM_OWNER_FIELDS(S, F, A, H)                                                      \
    F(S, u32, id, "id", TP_ANY)                                                             \
    F(S, u32, state, "flags", TP_ANY)                                                       \
    F(S, u32, cell, "cell", TP_ANY)                                                         \
    F(S, fx, x, "units", REALM_LOCAL_RANGE)                                                 \
    F(S, fx, y, "units", REALM_LOCAL_RANGE)                                                 \
    F(S, fx, z, "units", TP_RANGE(-65536 * 1024, 65536 * 1024))                             \
    F(S, u16, setup, "setup", TP_ANY)                                                       \
    F(S, u8, turn, "quarters", TP_RANGE(0, 3))                                              \
    F(S, u8, kind, "kind", TP_ENUM(REALM_KIND_COUNT, realm_kind_names))                     \
    F(S, u8, is_suspended, "flag", TP_BOOL)                                                 \
    A(S, u8, padding, 3, "zero", TP_ZERO)                                                   \
    F(S, u32, version, "changes", TP_ANY)                                                   \
    F(S, u32, leaf, "leaf + 1", TP_LINK_OF("leaves"))                                       \
    F(S, u32, static_next, "owner + 1", TP_LINK_OF("owners"))                               \
    F(S, u32, static_prev, "owner + 1", TP_LINK_OF("owners"))                               \
    F(S, u32, set_first, "set + 1", TP_LINK_OF("sets"))                                     \
    F(S, u32, member_first, "member + 1", TP_LINK_OF("members"))                            \
    F(S, u64, journal, "slot + 1", REALM_NUMBER_RANGE)
/// Where it was put: `cell` names the landblock that x and y are local to, and the cell it was put into; which cell it is in now is in the set
/// that is seen. `journal` is the absolute number of its entry + 1, stale when that lies below the journal's head.
TP_POOL_DECLARE(RealmOwner, realm_owner, REALM_OWNER_FIELDS, "owners")

#define REALM_MEMBER_FIELDS(S, F, A, H)                                                     \
    F(S, u32, owner, "owner + 1", TP_LINK_OF("owners"))                                     \
    F(S, u32, block, "block + 1", TP_LINK_OF("blocks"))                                     \
    F(S, u32, next, "member + 1", TP_LINK_OF("members"))                                    \
    F(S, u32, prev, "member + 1", TP_LINK_OF("members"))                                    \
    F(S, u32, next_of_owner, "member + 1", TP_LINK_OF("members"))                           \
    F(S, u32, padding, "zero", TP_ZERO)                                                     \
    F(S, u64, stamp, "members", REALM_NUMBER_RANGE)
TP_POOL_DECLARE(RealmMember, realm_member, REALM_MEMBER_FIELDS, "members")

#define REALM_SET_FIELDS(S, F, A, H)                                                        \
    F(S, u32, owner, "owner + 1", TP_LINK_OF("owners"))                                     \
    F(S, u32, draft, "draft + 1", TP_LINK_OF("drafts"))                                     \
    F(S, u32, next_of_owner, "set + 1", TP_LINK_OF("sets"))                                 \
    F(S, u32, next_of_draft, "set + 1", TP_LINK_OF("sets"))                                 \
    F(S, u32, prev_of_draft, "set + 1", TP_LINK_OF("sets"))                                 \
    F(S, u32, row_first, "row + 1", TP_LINK_OF("rows"))                                     \
    F(S, u32, row_last, "row + 1", TP_LINK_OF("rows"))                                      \
    F(S, u32, cell, "cell", TP_ANY)                                                         \
    H(S, RealmLeafHandle, home, "leaves")                                                   \
    F(S, u16, rows, "count", TP_RANGE(0, REALM_ROWS_PER_SET))                               \
    F(S, u8, is_queued, "flag", TP_BOOL)                                                    \
    F(S, u8, is_lost, "flag", TP_BOOL)                                                      \
    F(S, u32, padding, "zero", TP_ZERO)
/// `draft` 0: of the active world. `cell` is the cell the owner is in, as this view sees it; `home` is the leaf that cell was found in: when that
/// leaf serves it no more, the owner is lost, and no row of the set is seen. `is_queued`: known to be relevant, not flooded yet.
TP_POOL_DECLARE(RealmSet, realm_set, REALM_SET_FIELDS, "sets")

#define REALM_ROW_FIELDS(S, F, A, H)                                                        \
    F(S, u32, set, "set + 1", TP_LINK_OF("sets"))                                           \
    F(S, u32, leaf, "leaf + 1", TP_LINK_OF("leaves"))                                       \
    F(S, u32, cell, "cell + 1", TP_LINK_OF("cells"))                                        \
    F(S, u32, outdoor, "cell", TP_RANGE(0, REALM_OUTDOOR_CELLS - 1))                        \
    F(S, u32, next, "row + 1", TP_LINK_OF("rows"))                                          \
    F(S, u32, prev, "row + 1", TP_LINK_OF("rows"))                                          \
    F(S, u32, next_of_set, "row + 1", TP_LINK_OF("rows"))                                   \
    F(S, u32, prev_of_set, "row + 1", TP_LINK_OF("rows"))
/// In the bucket of indoor cell `cell`, or of outdoor cell `outdoor` of the leaf when `cell` is 0. Buckets are in rising order of owner id, then
/// owner index, then set index.
TP_POOL_DECLARE(RealmRow, realm_row, REALM_ROW_FIELDS, "rows")

typedef enum RealmPhase {
    REALM_PHASE_MATERIALISE = 0, ///< notes which generation of each neighbour it is built against
    REALM_PHASE_PUBLISH,         ///< takes terrain, cells, buildings, statics
    REALM_PHASE_CAPTURE,         ///< walks the owners that touch the landblock
    REALM_PHASE_TOPOLOGY,        ///< checks cells, portals, buildings, one at a time
    REALM_PHASE_STATICS,         ///< sealed: floods its own statics
    REALM_PHASE_RECONCILE,       ///< queue, journal, rebase, retirement; ready when all are empty
    REALM_PHASE_COMMITTED,       ///< retiring: sets become the active ones, one per unit
    REALM_PHASE_CANCELLED,       ///< retiring: sets are dropped
    REALM_PHASE_COUNT,
} RealmPhase;
extern const char *const realm_phase_names[REALM_PHASE_COUNT];

#define REALM_DRAFT_FIELDS(S, F, A, H)                                                      \
    F(S, u64, number, "generation", REALM_NUMBER_RANGE)                                     \
    F(S, u64, sequence, "drafts", REALM_NUMBER_RANGE)                                       \
    F(S, u64, units, "units", REALM_NUMBER_RANGE)                                           \
    F(S, u64, journal_from, "slot", REALM_NUMBER_RANGE)                                     \
    F(S, u64, journal_cursor, "slot", REALM_NUMBER_RANGE)                                   \
    F(S, u64, journal_end, "slot", REALM_NUMBER_RANGE)                                      \
    F(S, u64, capture_end, "stamp", REALM_NUMBER_RANGE)                                     \
    A(S, u64, neighbours, REALM_NEIGHBOURS, "generation * 2 + demoted", TP_ANY)             \
    F(S, u32, block, "block + 1", TP_LINK_OF("blocks"))                                     \
    F(S, u32, next, "draft + 1", TP_LINK_OF("drafts"))                                      \
    F(S, u32, prev, "draft + 1", TP_LINK_OF("drafts"))                                      \
    F(S, u32, leaf, "leaf + 1", TP_LINK_OF("leaves"))                                       \
    F(S, u32, set_first, "set + 1", TP_LINK_OF("sets"))                                     \
    F(S, u32, set_last, "set + 1", TP_LINK_OF("sets"))                                      \
    F(S, u32, queue_first, "set + 1", TP_LINK_OF("sets"))                                   \
    F(S, u32, queue_last, "set + 1", TP_LINK_OF("sets"))                                    \
    F(S, u32, sets, "count", TP_LINK_OF("sets"))                                            \
    F(S, u32, queued, "count", TP_LINK_OF("sets"))                                          \
    F(S, u32, member_cursor, "member + 1", TP_LINK_OF("members"))                           \
    F(S, u32, static_cursor, "owner + 1", TP_LINK_OF("owners"))                             \
    F(S, u32, topology_cursor, "items", TP_RANGE(0, 2 * REALM_INDOOR_MAX))                  \
    F(S, u32, rebase_static, "owner + 1", TP_LINK_OF("owners"))                             \
    F(S, u32, rebase_member, "member + 1", TP_LINK_OF("members"))                           \
    F(S, u32, rebase_set, "set + 1", TP_LINK_OF("sets"))                                    \
    F(S, u8, phase, "phase", TP_ENUM(REALM_PHASE_COUNT, realm_phase_names))                 \
    F(S, u8, neighbour_cursor, "neighbours", TP_RANGE(0, REALM_NEIGHBOURS))                 \
    F(S, u8, rebase_neighbour, "neighbour + 1", TP_RANGE(0, REALM_NEIGHBOURS))              \
    A(S, u8, padding, 5, "zero", TP_ZERO)
/// A staged set is in one of two lists: the queue until it is flooded for the first time, then the sets. `queued` and `sets` count them. The three rebase
/// cursors are 0 unless a rebase over neighbour `rebase_neighbour` - 1 is going on.
TP_POOL_DECLARE(RealmDraft, realm_draft, REALM_DRAFT_FIELDS, "drafts")

#define REALM_JOURNAL_FIELDS(S, F, A, H) H(S, RealmOwnerHandle, owner, "owners")
/// Slot n of the ring has the entries whose absolute number is n modulo the count. {0, 0}: obsolete.
TP_STRUCT(RealmJournalSlot, REALM_JOURNAL_FIELDS)

_Static_assert(sizeof(RealmRoot) == 152, "RealmRoot grew: raise the world's revision");
_Static_assert(sizeof(RealmBlock) == 72, "RealmBlock grew: raise the world's revision");
_Static_assert(sizeof(RealmLeaf) == 416, "RealmLeaf grew: raise the world's revision");
_Static_assert(sizeof(RealmCell) == 152, "RealmCell grew: raise the world's revision");
_Static_assert(sizeof(RealmBuilding) == 48, "RealmBuilding grew: raise the world's revision");
_Static_assert(sizeof(RealmOwner) == 72, "RealmOwner grew: raise the world's revision");
_Static_assert(sizeof(RealmMember) == 40, "RealmMember grew: raise the world's revision");
_Static_assert(sizeof(RealmSet) == 56, "RealmSet grew: raise the world's revision");
_Static_assert(sizeof(RealmRow) == 40, "RealmRow grew: raise the world's revision");
_Static_assert(sizeof(RealmDraft) == 328, "RealmDraft grew: raise the world's revision");

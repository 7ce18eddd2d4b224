// realm_seal.c: what brings a draft from its content to being ready, one unit per call: capture, topology, statics, and reconciliation with
// everything that changed meanwhile. Nothing here ever starts again from the beginning because an owner moved: before the topology is
// sealed a change waits in the journal's window, which the seal closes; after it, changes write through, and only an owner that the draft does not
// know yet costs a unit, once.
#include "realm_internal.h"

// One step of a phase: it did a unit, or it has nothing to do.
typedef enum { IDLE, WORKED, STUCK, BROKEN } Step;

// The owner, as the active world has it, belongs into the draft: it touches the landblock, and the draft's content does not supersede it.
static bool is_relevant(const RealmEngine *engine, uint32_t draft, uint32_t owner)
{
    uint32_t          block = realm_draft_at(engine, draft)->block;
    const RealmOwner *value = realm_owner_at(engine, owner);
    bool              is_superseded = value->kind == REALM_STATIC && realm_leaf_at(engine, value->leaf)->block == block;
    if (REALM_PLANT(T07a) && value->kind == REALM_STATIC) {
        return false;
    }
    if (REALM_PLANT(S19) && value->is_suspended) {
        return true;
    }
    return !is_superseded && realm_view_sees_owner(engine, REALM_ACTIVE, owner) && realm_owner_touches(engine, owner, block);
}

// Makes sure that the draft knows a relevant owner, and floods it when it did not.
static Step know(RealmEngine *engine, uint32_t draft, uint32_t owner)
{
    if (!is_relevant(engine, draft, owner) || realm_set_find(engine, owner, draft) != 0) {
        return WORKED;
    }
    if (realm_set_room(engine) == 0) {
        return STUCK;
    }
    uint32_t set = realm_set_new(engine, owner, draft);
    realm_set_refresh(engine, set); // without room for its rows it stays in the queue
    return WORKED;
}

static Step capture(RealmEngine *engine, uint32_t draft)
{
    uint32_t link = realm_draft_at(engine, draft)->member_cursor;
    if (link == 0 || realm_member_at(engine, link)->stamp > realm_draft_at(engine, draft)->capture_end) {
        RealmDraft *value = realm_draft_edit(engine, draft);
        value->member_cursor = 0;
        value->phase = REALM_PHASE_TOPOLOGY;
        return IDLE;
    }
    uint32_t owner = realm_member_at(engine, link)->owner;
    if (is_relevant(engine, draft, owner)) {
        if (realm_set_room(engine) == 0) {
            return STUCK;
        }
        realm_draft_queue(engine, draft, owner);
    }
    realm_draft_edit(engine, draft)->member_cursor = realm_member_at(engine, link)->next;
    return WORKED;
}

static bool is_cell_good(const RealmEngine *engine, const RealmLeaf *leaf, uint32_t index)
{
    uint32_t link = leaf->cell_first;
    for (uint32_t i = 0; i < index; i++) {
        link = realm_cell_at(engine, link)->next;
    }
    const RealmCell *cell = realm_cell_at(engine, link);
    for (uint32_t i = 0; i < cell->portals; i++) {
        if (cell->portal_other[i] != REALM_OUTSIDE && cell->portal_other[i] - REALM_INDOOR_FIRST >= leaf->cells) {
            return false;
        }
    }
    return leaf->cells == REALM_INDOOR_MAX || cell->visible >> leaf->cells == 0;
}

static bool is_building_good(const RealmEngine *engine, const RealmLeaf *leaf, uint32_t index)
{
    uint32_t link = leaf->building_first;
    for (uint32_t i = 0; i < index; i++) {
        link = realm_building_at(engine, link)->next;
    }
    const RealmBuilding *building = realm_building_at(engine, link);
    return building->first_cell - REALM_INDOOR_FIRST + building->cells <= leaf->cells;
}

static Step topology(RealmEngine *engine, uint32_t draft)
{
    const RealmDraft *value = realm_draft_at(engine, draft);
    const RealmLeaf  *leaf = realm_leaf_at(engine, value->leaf);
    uint32_t          at = value->topology_cursor;
    if (at >= (uint32_t)leaf->cells + leaf->buildings) {
        RealmDraft *sealed = realm_draft_edit(engine, draft);
        sealed->phase = REALM_PHASE_STATICS;
        sealed->static_cursor = leaf->static_first;
        sealed->journal_end = engine->root->journal_tail;
        return IDLE;
    }
    if (REALM_PLANT(S33)) {
        realm_draft_edit(engine, draft)->topology_cursor++;
        return WORKED;
    }
    if (at < leaf->cells ? !is_cell_good(engine, leaf, at) : !is_building_good(engine, leaf, at - leaf->cells)) {
        return BROKEN;
    }
    realm_draft_edit(engine, draft)->topology_cursor++;
    return WORKED;
}

// A static of the draft's own leaf has its rows in its active set, which nobody sees before its leaf is active.
static bool flood_static(RealmEngine *engine, uint32_t draft, uint32_t owner)
{
    return realm_set_flood(engine, realm_set_find(engine, owner, 0), (RealmView){ draft });
}

static Step statics(RealmEngine *engine, uint32_t draft)
{
    uint32_t owner = realm_draft_at(engine, draft)->static_cursor;
    if (owner == 0) {
        realm_draft_edit(engine, draft)->phase = REALM_PHASE_RECONCILE;
        return IDLE;
    }
    if (!flood_static(engine, draft, owner)) {
        return STUCK;
    }
    realm_draft_edit(engine, draft)->static_cursor = realm_owner_at(engine, owner)->static_next;
    return WORKED;
}

static Step queue(RealmEngine *engine, uint32_t draft)
{
    uint32_t set = realm_draft_at(engine, draft)->queue_first;
    if (set == 0) {
        return IDLE;
    }
    if (REALM_PLANT(T12) && realm_set_at(engine, set)->next_of_draft != 0) {
        realm_set_refresh(engine, realm_set_at(engine, set)->next_of_draft);
    }
    return realm_set_refresh(engine, set) ? WORKED : STUCK;
}

static Step journal(RealmEngine *engine, uint32_t draft)
{
    uint32_t owner = 0;
    if (realm_journal_is_done(engine, realm_draft_at(engine, draft))) {
        return IDLE;
    }
    uint64_t before = realm_draft_at(engine, draft)->journal_cursor;
    realm_journal_next(engine, draft, &owner);
    if (REALM_PLANT(T40)) {
        realm_journal_next(engine, draft, &owner);
    }
    Step step = owner == 0 ? WORKED : know(engine, draft, owner);
    if (step == STUCK) {
        realm_draft_edit(engine, draft)->journal_cursor = before; // the entry waits for a set
    }
    return step;
}

static bool is_rebasing(const RealmDraft *draft)
{
    return draft->rebase_static != 0 || draft->rebase_set != 0 || draft->rebase_member != 0;
}

static uint32_t moved_neighbour(const RealmEngine *engine, const RealmDraft *draft)
{
    if (REALM_PLANT(T25)) {
        return REALM_NEIGHBOURS;
    }
    for (uint32_t k = 0; k < REALM_NEIGHBOURS; k++) {
        if (draft->neighbours[k] != realm_draft_neighbour_now(engine, draft, k)) {
            return k;
        }
    }
    return REALM_NEIGHBOURS;
}

// A neighbour is another generation than the draft was built against. Who touches both landblocks floods again, one owner per unit: the draft's
// statics, its captured owners, and who touches the draft's landblock and did not count before. Nobody else is concerned.
static void rebase_start(RealmEngine *engine, uint32_t draft, uint32_t k)
{
    RealmDraft *value = realm_draft_edit(engine, draft);
    if (REALM_PLANT(T33) || REALM_PLANT(T34)) {
        realm_plant_revive(engine, value->neighbours[k], realm_draft_neighbour_now(engine, value, k), REALM_PLANT(T34));
    }
    value->neighbours[k] = realm_draft_neighbour_now(engine, value, k);
    value->rebase_neighbour = (uint8_t)(k + 1);
    value->rebase_static = realm_leaf_at(engine, value->leaf)->static_first;
    value->rebase_set = value->set_first;
    value->rebase_member = realm_block_at(engine, value->block)->member_first;
}

// Link of the block that the rebase is about, 0 when nothing is known of it, and then nobody touches it.
static uint32_t rebase_block(const RealmEngine *engine, const RealmDraft *draft)
{
    uint16_t prefix;
    bool     is_there = draft->rebase_neighbour != 0 && realm_draft_neighbour(engine, draft, draft->rebase_neighbour - 1u, &prefix);
    return is_there ? realm_block_find(engine, prefix) : 0;
}

static bool is_concerned(const RealmEngine *engine, uint32_t owner, uint32_t block)
{
    return block != 0 && realm_owner_touches(engine, owner, block);
}

// Looks at the next one; WORKED when it flooded, IDLE when it was not concerned.
static Step rebase_next(RealmEngine *engine, uint32_t draft, uint32_t block)
{
    const RealmDraft *value = realm_draft_at(engine, draft);
    bool              is_good = true;
    if (value->rebase_static != 0) {
        uint32_t owner = value->rebase_static;
        bool     is_flooded = is_concerned(engine, owner, block);
        is_good = !is_flooded || flood_static(engine, draft, owner);
        if (is_good) {
            realm_draft_edit(engine, draft)->rebase_static = realm_owner_at(engine, owner)->static_next;
        }
        return !is_good ? STUCK : is_flooded ? WORKED : IDLE;
    }
    if (value->rebase_set != 0) {
        uint32_t set = value->rebase_set;
        bool     is_flooded = is_concerned(engine, realm_set_at(engine, set)->owner, block);
        is_good = !is_flooded || realm_set_refresh(engine, set);
        if (is_good) {
            realm_draft_edit(engine, draft)->rebase_set = realm_set_at(engine, set)->next_of_draft;
        }
        return !is_good ? STUCK : is_flooded ? WORKED : IDLE;
    }
    uint32_t member = value->rebase_member, owner = realm_member_at(engine, member)->owner;
    bool     is_flooded = is_concerned(engine, owner, block);
    Step     step = is_flooded ? know(engine, draft, owner) : IDLE;
    if (step != STUCK) {
        realm_draft_edit(engine, draft)->rebase_member = realm_member_at(engine, member)->next;
    }
    return step;
}

static Step rebase(RealmEngine *engine, uint32_t draft)
{
    if (!is_rebasing(realm_draft_at(engine, draft))) {
        uint32_t k = moved_neighbour(engine, realm_draft_at(engine, draft));
        if (k == REALM_NEIGHBOURS) {
            return IDLE;
        }
        rebase_start(engine, draft, k);
        return WORKED;
    }
    // A unit is one flood, or so many looks at owners who are not concerned.
    uint32_t block = rebase_block(engine, realm_draft_at(engine, draft));
    Step     step = IDLE;
    for (int looks = 0; step == IDLE && looks < REALM_LOOKS && is_rebasing(realm_draft_at(engine, draft)); looks++) {
        step = rebase_next(engine, draft, block);
    }
    if (!is_rebasing(realm_draft_at(engine, draft))) {
        realm_draft_edit(engine, draft)->rebase_neighbour = 0;
    }
    return step == STUCK ? STUCK : WORKED;
}

// Nothing is left to reconcile: a handful of comparisons.
bool realm_draft_is_ready(const RealmEngine *engine, uint32_t draft)
{
    const RealmDraft *value = realm_draft_at(engine, draft);
    if (REALM_PLANT(T45) && realm_is_retiring(engine)) {
        return value->phase == REALM_PHASE_RECONCILE && value->queued == 0 && !is_rebasing(value);
    }
    if (REALM_PLANT(S43)) {
        return value->phase == REALM_PHASE_RECONCILE && value->queued == 0 && !realm_is_retiring(engine);
    }
    return value->phase == REALM_PHASE_RECONCILE && value->queued == 0 && realm_journal_is_done(engine, value) &&
           !is_rebasing(value) && moved_neighbour(engine, value) == REALM_NEIGHBOURS && !realm_is_retiring(engine);
}

static Step reconcile(RealmEngine *engine, uint32_t draft)
{
    Step step = queue(engine, draft);
    if (step == IDLE) {
        step = journal(engine, draft);
    }
    if (step == IDLE) {
        step = rebase(engine, draft);
    }
    return step;
}

static Step step_once(RealmEngine *engine, uint32_t draft)
{
    Step step = IDLE;
    // A phase that has nothing left costs nothing, so a call goes on until it has done one unit.
    for (int phase = 0; step == IDLE && phase < REALM_PHASE_COUNT; phase++) {
        switch ((RealmPhase)realm_draft_at(engine, draft)->phase) {
        case REALM_PHASE_CAPTURE:   step = capture(engine, draft); break;
        case REALM_PHASE_TOPOLOGY:  step = topology(engine, draft); break;
        case REALM_PHASE_STATICS:   step = statics(engine, draft); break;
        case REALM_PHASE_RECONCILE: return reconcile(engine, draft);
        case REALM_PHASE_MATERIALISE:
        case REALM_PHASE_PUBLISH:
        case REALM_PHASE_COMMITTED:
        case REALM_PHASE_CANCELLED:
        case REALM_PHASE_COUNT: TP_FAULT(TP_FAULT_ASSERT, "a draft in this phase is not sealed");
        }
    }
    return step;
}

RealmAnswer realm_seal(RealmEngine *engine, RealmDraftHandle draft)
{
    uint32_t link = realm_draft_for_call(engine, draft);
    if (link == 0) {
        return REALM_ERROR;
    }
    if (realm_draft_at(engine, link)->phase < REALM_PHASE_CAPTURE) {
        return realm_refuse(engine, REALM_ERROR, "the draft's content is not closed yet");
    }
    realm_journal_compact(engine);
    Step step = step_once(engine, link);
    if (step == BROKEN) {
        return realm_refuse(engine, REALM_ERROR, "the topology does not hold together: a portal, a visible cell or a building names no cell");
    }
    if (step == WORKED) {
        realm_draft_count_unit(engine, link);
    } else if (realm_is_retiring(engine)) {
        realm_retire(engine); // also when it is stuck: what is taken down makes the room it waits for
    }
    if (realm_draft_is_ready(engine, link)) {
        return REALM_DONE;
    }
    return realm_refuse(engine, REALM_NOT_YET, step == STUCK ? "a pool is full" : "the draft is not ready yet");
}

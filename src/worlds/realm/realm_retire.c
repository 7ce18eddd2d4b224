// realm_retire.c: taking down what nobody sees any more, one unit per call: sets of drafts that ended, then leaves. The lists run through the things
// themselves, so nothing can be lost for want of storage. No draft activates while anything retires.
#include "realm_internal.h"

bool realm_is_retiring(const RealmEngine *engine)
{
    return engine->root->retire_draft_first != 0 || engine->root->retire_leaf_first != 0;
}

void realm_retire_add_draft(RealmEngine *engine, uint32_t draft)
{
    RealmRoot *root = realm_root_edit(engine);
    if (root->retire_draft_last != 0) {
        realm_draft_edit(engine, root->retire_draft_last)->next = draft;
    } else {
        root->retire_draft_first = draft;
    }
    root->retire_draft_last = draft;
    RealmBlock *block = realm_block_edit(engine, realm_draft_at(engine, draft)->block);
    block->busy = (uint16_t)(block->busy + (realm_draft_at(engine, draft)->phase == REALM_PHASE_COMMITTED));
}

// The walk over members begins when the leaf is the first in line, and ends with those that are there then.
static void begin_leaf(RealmEngine *engine)
{
    uint32_t link = engine->root->retire_leaf_first;
    if (link != 0 && realm_leaf_at(engine, link)->retire == REALM_RETIRE_MEMBERS) {
        RealmLeaf *leaf = realm_leaf_edit(engine, link);
        leaf->cursor = realm_block_at(engine, leaf->block)->member_first;
        leaf->cursor_end = engine->root->stamp_last;
    }
}

void realm_retire_add_leaf(RealmEngine *engine, uint32_t link, RealmRetire from)
{
    if (REALM_PLANT(T46) && engine->leaf_count - realm_leaf_room(engine) - engine->root->residents > 256) {
        return;
    }
    RealmRoot  *root = realm_root_edit(engine);
    RealmLeaf  *leaf = realm_leaf_edit(engine, link);
    RealmBlock *block = realm_block_edit(engine, leaf->block);
    leaf->retire = (uint8_t)from;
    block->retiring++;
    block->busy = (uint16_t)(block->busy + leaf->was_active);
    if (root->retire_leaf_last != 0) {
        realm_leaf_edit(engine, root->retire_leaf_last)->retire_next = link;
        root->retire_leaf_last = link;
    } else {
        root->retire_leaf_first = link;
        root->retire_leaf_last = link;
        begin_leaf(engine);
    }
}

static void retire_draft(RealmEngine *engine)
{
    uint32_t          link = engine->root->retire_draft_first;
    const RealmDraft *draft = realm_draft_at(engine, link);
    if (draft->queue_first != 0) {
        realm_set_drop(engine, draft->queue_first);
        return;
    }
    if (draft->set_first != 0) {
        if (draft->phase == REALM_PHASE_COMMITTED) {
            // Sets that other drafts have of the owner flood again: for one far away this is the word that an owner which it knows, and which has left,
            // stands in another generation now.
            uint32_t owner = realm_set_at(engine, draft->set_first)->owner;
            realm_set_promote(engine, draft->set_first);
            realm_owner_write_through(engine, owner);
        } else {
            realm_set_drop(engine, draft->set_first);
        }
        return;
    }
    RealmRoot  *root = realm_root_edit(engine);
    RealmBlock *block = realm_block_edit(engine, draft->block);
    block->busy = (uint16_t)(block->busy - (draft->phase == REALM_PHASE_COMMITTED));
    root->retire_draft_first = draft->next;
    if (draft->next == 0) {
        root->retire_draft_last = 0;
    }
    realm_draft_give(engine, link);
}

// Owners that touch a landblock which went away flood again: what is left of their rows can only be fewer.
static void retire_member(RealmEngine *engine, uint32_t link)
{
    const RealmLeaf *leaf = realm_leaf_at(engine, link);
    uint32_t         member = leaf->cursor;
    if (member == 0 || realm_member_at(engine, member)->stamp > leaf->cursor_end) {
        RealmLeaf *changed = realm_leaf_edit(engine, link);
        changed->retire = REALM_RETIRE_STATICS;
        changed->cursor = 0;
        changed->cursor_end = 0;
        return;
    }
    uint32_t owner = realm_member_at(engine, member)->owner;
    if (realm_view_sees_owner(engine, REALM_ACTIVE, owner)) {
        TP_ASSERT(realm_owner_reflood(engine, owner));
    }
    realm_leaf_edit(engine, link)->cursor = realm_member_at(engine, member)->next;
}

// The first row still in a bucket of the leaf, 0 for none: rows that drafts' sets have here, or sets of owners that are lost.
static uint32_t stray_row(const RealmEngine *engine, const RealmLeaf *leaf)
{
    for (uint32_t i = 0; i < REALM_OUTDOOR_CELLS; i++) {
        if (leaf->buckets[i] != 0) {
            return leaf->buckets[i];
        }
    }
    for (uint32_t cell = leaf->cell_first; cell != 0; cell = realm_cell_at(engine, cell)->next) {
        if (realm_cell_at(engine, cell)->bucket != 0) {
            return realm_cell_at(engine, cell)->bucket;
        }
    }
    return 0;
}

static void finish_leaf(RealmEngine *engine, uint32_t link)
{
    RealmRoot  *root = realm_root_edit(engine);
    RealmLeaf  *leaf = realm_leaf_edit(engine, link);
    RealmBlock *block = realm_block_edit(engine, leaf->block);
    uint32_t    block_link = leaf->block;
    block->retiring--;
    block->busy = (uint16_t)(block->busy - leaf->was_active);
    root->retire_leaf_first = leaf->retire_next;
    if (leaf->retire_next == 0) {
        root->retire_leaf_last = 0;
    }
    leaf->retire_next = 0;
    leaf->retire = REALM_RETIRE_NO;
    if (!realm_leaf_is_active(engine, link)) {
        realm_leaf_give(engine, link);
    }
    realm_block_drop(engine, block_link);
    begin_leaf(engine);
}

static void retire_building(RealmEngine *engine, uint32_t link)
{
    RealmLeaf *leaf = realm_leaf_edit(engine, link);
    uint32_t   building = leaf->building_first;
    leaf->building_first = realm_building_at(engine, building)->next;
    leaf->building_last = leaf->building_first == 0 ? 0 : leaf->building_last;
    leaf->buildings--;
    realm_building_give(engine, building);
}

static void retire_cell(RealmEngine *engine, uint32_t link)
{
    RealmLeaf *leaf = realm_leaf_edit(engine, link);
    uint32_t   cell = leaf->cell_first;
    leaf->cell_first = realm_cell_at(engine, cell)->next;
    leaf->cell_last = leaf->cell_first == 0 ? 0 : leaf->cell_last;
    leaf->cells--;
    realm_cell_give(engine, cell);
}

static void retire_leaf(RealmEngine *engine)
{
    uint32_t         link = engine->root->retire_leaf_first;
    const RealmLeaf *leaf = realm_leaf_at(engine, link);
    uint32_t         stray = 0;
    switch ((RealmRetire)leaf->retire) {
    case REALM_RETIRE_MEMBERS:
        retire_member(engine, link);
        return;
    case REALM_RETIRE_STATICS:
        if (leaf->static_first != 0) {
            realm_owner_remove(engine, leaf->static_first);
            return;
        }
        realm_leaf_edit(engine, link)->retire = REALM_RETIRE_ROWS;
        // fall through
    case REALM_RETIRE_ROWS:
        stray = stray_row(engine, leaf);
        if (stray != 0) {
            realm_row_remove(engine, stray);
            return;
        }
        realm_leaf_edit(engine, link)->retire = REALM_RETIRE_BUILDINGS;
        // fall through
    case REALM_RETIRE_BUILDINGS:
        if (leaf->building_first != 0) {
            retire_building(engine, link);
            return;
        }
        realm_leaf_edit(engine, link)->retire = REALM_RETIRE_CELLS;
        // fall through
    case REALM_RETIRE_CELLS:
        if (leaf->cell_first != 0) {
            retire_cell(engine, link);
            return;
        }
        realm_leaf_edit(engine, link)->retire = REALM_RETIRE_LEAF;
        // fall through
    case REALM_RETIRE_LEAF:
        finish_leaf(engine, link);
        return;
    case REALM_RETIRE_NO:
    case REALM_RETIRE_COUNT:
        TP_FAULT(TP_FAULT_ASSERT, "a leaf that does not retire stands in the line of those that do");
    }
}

RealmAnswer realm_retire(RealmEngine *engine)
{
    engine->units = 0;
    if (!realm_is_retiring(engine)) {
        return REALM_DONE;
    }
    if (engine->root->retire_draft_first != 0) {
        retire_draft(engine);
    } else {
        retire_leaf(engine);
    }
    realm_draft_count_unit(engine, 0);
    return realm_is_retiring(engine) ? realm_refuse(engine, REALM_NOT_YET, "more is to be taken down") : REALM_DONE;
}

// The landblock that may lose its leaf now, 0 with the answer in *answer.
static uint32_t block_to_change(RealmEngine *engine, uint32_t cell, RealmAnswer *answer)
{
    engine->units = 0;
    uint32_t block = realm_block_find(engine, realm_prefix(cell));
    *answer = REALM_DONE;
    if (cell == 0 || block == 0 || realm_block_at(engine, block)->leaf.generation == 0) {
        *answer = realm_refuse(engine, REALM_ERROR, "the landblock is not resident");
        return 0;
    }
    if (realm_block_at(engine, block)->busy != 0) {
        *answer = realm_refuse(engine, REALM_NOT_YET, "the landblock is in the middle of an activation, a demotion or a withdrawal");
        return 0;
    }
    return block;
}

RealmAnswer realm_demote(RealmEngine *engine, uint32_t cell)
{
    RealmAnswer answer;
    uint32_t    block = block_to_change(engine, cell, &answer);
    if (block == 0) {
        return answer;
    }
    uint32_t leaf = realm_block_at(engine, block)->leaf.index + 1;
    if (realm_leaf_at(engine, leaf)->is_demoted) {
        return realm_refuse(engine, REALM_ERROR, "the landblock is demoted already");
    }
    if (REALM_PLANT(F07)) {
        realm_leaf_edit(engine, leaf)->is_demoted = 1;
    }
    realm_admission_cancel(engine, block, REALM_REASON_DEMOTED);
    realm_leaf_edit(engine, leaf)->is_demoted = 1;
    if (REALM_PLANT(F10)) {
        realm_leaf_edit(engine, leaf)->is_demoted = 0;
    }
    realm_root_edit(engine)->version++;
    realm_retire_add_leaf(engine, leaf, REALM_RETIRE_MEMBERS);
    realm_report_block(engine, REALM_EVENT_DEMOTED, realm_prefix(cell), realm_leaf_at(engine, leaf)->number, 0, REALM_REASON_CALLER);
    return REALM_DONE;
}

static void withdraw(RealmEngine *engine, uint32_t block, RealmReason reason)
{
    uint32_t leaf = realm_block_at(engine, block)->leaf.index + 1;
    realm_admission_cancel(engine, block, reason);
    realm_block_edit(engine, block)->leaf = realm_leaf_none();
    RealmRoot *root = realm_root_edit(engine);
    root->residents--;
    root->version++;
    realm_retire_add_leaf(engine, leaf, REALM_RETIRE_MEMBERS);
    if (REALM_PLANT(T07b)) {
        realm_plant_forget(engine, block);
    }
    if (REALM_PLANT(F11)) {
        realm_plant_take_along(engine, block);
    }
    realm_report_block(engine, REALM_EVENT_WITHDRAWN, realm_block_at(engine, block)->prefix, realm_leaf_at(engine, leaf)->number, 0,
                       REALM_REASON_CALLER);
}

RealmAnswer realm_withdraw(RealmEngine *engine, uint32_t cell)
{
    RealmAnswer answer;
    uint32_t    block = block_to_change(engine, cell, &answer);
    if (block == 0) {
        return answer;
    }
    withdraw(engine, block, REALM_REASON_WITHDRAWN);
    return REALM_DONE;
}

static void retire_all(RealmEngine *engine)
{
    while (realm_is_retiring(engine)) {
        realm_retire(engine);
    }
}

void realm_engine_reset(RealmEngine *engine)
{
    // Admissions end before anything active changes.
    while (engine->root->admit_first != 0) {
        realm_admission_cancel(engine, engine->root->admit_first, REALM_REASON_RESET);
    }
    retire_all(engine);
    for (uint32_t link = 1; link <= engine->block_count; link++) {
        if ((realm_block_at(engine, link)->generation & 1) != 0 && realm_block_at(engine, link)->leaf.generation != 0) {
            withdraw(engine, link, REALM_REASON_RESET);
        }
    }
    retire_all(engine);
    for (uint32_t link = 1; link <= engine->owner_count; link++) {
        if ((realm_owner_at(engine, link)->generation & 1) != 0) {
            realm_owner_remove(engine, link);
        }
    }
    RealmRoot *root = realm_root_edit(engine);
    uint64_t   name = root->runtime;
    if (REALM_PLANT(T50)) {
        realm_owner_take(engine, REALM_DYNAMIC);
    }
    root->epoch++;
    root->version++;
    root->runtime = tp_splitmix64_next(&name);
}

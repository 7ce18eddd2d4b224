// realm_commit.c: the switch. Whatever a generation consists of, its activation is one reference: `block.leaf`. The rest of this file is bookkeeping of
// constant size; everything that takes work was done before, or is done after, one unit at a time.
#include "realm_internal.h"

RealmAnswer realm_commit(RealmEngine *engine, RealmDraftHandle draft)
{
    uint32_t link = realm_draft_for_call(engine, draft);
    if (link == 0) {
        return REALM_ERROR;
    }
    if (REALM_PLANT(S36) && !realm_phase_is_sealed(realm_draft_at(engine, link))) {
        return REALM_NOT_YET;
    }
    if (!realm_phase_is_sealed(realm_draft_at(engine, link))) {
        return realm_refuse(engine, REALM_ERROR, "the draft is not sealed yet");
    }
    if (REALM_PLANT(S42) && engine->root->draft_first != link) {
        realm_plant_first(engine, link);
    }
    if (engine->root->draft_first != link) {
        return realm_refuse(engine, REALM_NOT_YET, "an older draft is open: drafts activate in the order of their preparation");
    }
    if (!realm_draft_is_ready(engine, link)) {
        return realm_refuse(engine, REALM_NOT_YET, "something came between the seal and the commit: seal again");
    }
    RealmDraft *value = realm_draft_edit(engine, link);
    RealmBlock *block = realm_block_edit(engine, value->block);
    RealmLeaf  *leaf = realm_leaf_edit(engine, value->leaf);
    RealmRoot  *root = realm_root_edit(engine);
    uint32_t    old = block->leaf.generation == 0 ? 0 : block->leaf.index + 1;
    if ((REALM_PLANT(T13) && value->sets > 100) || (REALM_PLANT(T14) && old == 0) || (REALM_PLANT(T15) && leaf->cells > 0) ||
        (REALM_PLANT(T16) && leaf->statics > 0) || (REALM_PLANT(T41) && value->journal_end > value->journal_from)) {
        realm_plant_allocate();
    }
    if (REALM_PLANT(T17) && value->next != 0) {
        memset(leaf->heights, 0, sizeof(leaf->heights));
    }
    if (REALM_PLANT(T18) && value->next != 0 && leaf->static_first != 0) {
        realm_row_empty(engine, realm_set_find(engine, leaf->static_first, 0));
    }
    if (REALM_PLANT(T31)) {
        realm_plant_revive_all(engine);
    }
    if (REALM_PLANT(T32)) {
        realm_plant_rewind_cells(engine);
    }
    if (REALM_PLANT(S38)) {
        realm_draft_count_unit(engine, link);
    }

    block->leaf = (RealmLeafHandle){ value->leaf - 1, leaf->generation };

    leaf->was_active = 1;
    value->phase = REALM_PHASE_COMMITTED;
    root->residents += old == 0;
    root->version++;
    root->commits += root->commits != UINT32_MAX;
    uint32_t block_link = value->block;
    realm_draft_close(engine, link);
    realm_admission_close(engine, block_link);
    realm_retire_add_draft(engine, link);
    if (old != 0) {
        realm_retire_add_leaf(engine, old, REALM_RETIRE_STATICS);
    }
    realm_report_block(engine, REALM_EVENT_COMMITTED, block->prefix, value->number, value->sets, REALM_REASON_CALLER);
    if (REALM_PLANT(T02)) {
        realm_report_block(engine, REALM_EVENT_COMMITTED, block->prefix, value->number, value->sets, REALM_REASON_CALLER);
    }
    return REALM_DONE;
}

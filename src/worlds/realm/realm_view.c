// realm_view.c: what a view sees. The active world is what `block.leaf` names; a draft's private root is the same with its own leaf in
// place of the target's and its own sets in place of the owners' active ones. Nothing else decides what is visible.
#include "realm_internal.h"

static uint32_t head_of(uint16_t prefix)
{
    // Neighbouring landblocks lie in different lists: the low five bits of x and of y.
    return ((uint32_t)(prefix >> 8) & 31) << 5 | (prefix & 31);
}
_Static_assert(REALM_INDEX_HEADS == 1024, "head_of makes ten bits");

uint32_t realm_block_head(uint16_t prefix)
{
    return head_of(prefix);
}

uint32_t realm_block_find(const RealmEngine *engine, uint16_t prefix)
{
    uint32_t link = engine->heads[head_of(prefix)].first;
    while (link != 0 && realm_block_at(engine, link)->prefix != prefix) {
        link = realm_block_at(engine, link)->index_next;
    }
    return link;
}

bool realm_leaf_is_active(const RealmEngine *engine, uint32_t leaf)
{
    const RealmLeaf  *value = realm_leaf_at(engine, leaf);
    const RealmBlock *block = realm_block_at(engine, value->block);
    return block->leaf.index == leaf - 1 && block->leaf.generation == value->generation;
}

static uint32_t active_leaf(const RealmBlock *block)
{
    return block->leaf.generation == 0 ? 0 : block->leaf.index + 1;
}

uint32_t realm_view_leaf(const RealmEngine *engine, RealmView view, uint16_t prefix)
{
    uint32_t block = realm_block_find(engine, prefix);
    if (block == 0) {
        return 0;
    }
    if (view.draft != 0 && realm_draft_at(engine, view.draft)->block == block) {
        return realm_draft_at(engine, view.draft)->leaf;
    }
    return active_leaf(realm_block_at(engine, block));
}

uint32_t realm_view_full_leaf(const RealmEngine *engine, RealmView view, uint16_t prefix)
{
    uint32_t leaf = realm_view_leaf(engine, view, prefix);
    return leaf != 0 && !realm_leaf_at(engine, leaf)->is_demoted ? leaf : 0;
}

// The view has exactly this leaf of its landblock.
static bool serves(const RealmEngine *engine, RealmView view, uint32_t leaf)
{
    const RealmLeaf *value = realm_leaf_at(engine, leaf);
    if (value->is_demoted) {
        return false;
    }
    if (view.draft != 0 && realm_draft_at(engine, view.draft)->block == value->block) {
        return realm_draft_at(engine, view.draft)->leaf == leaf;
    }
    return realm_leaf_is_active(engine, leaf);
}

uint32_t realm_leaf_cell(const RealmEngine *engine, uint32_t leaf, uint16_t number)
{
    uint32_t cell = realm_leaf_at(engine, leaf)->cell_first;
    while (cell != 0 && realm_cell_at(engine, cell)->number != number) {
        cell = realm_cell_at(engine, cell)->next;
    }
    return cell;
}

bool realm_view_sees_owner(const RealmEngine *engine, RealmView view, uint32_t owner)
{
    const RealmOwner *value = realm_owner_at(engine, owner);
    return !value->is_suspended && (value->kind == REALM_DYNAMIC || serves(engine, view, value->leaf));
}

uint32_t realm_view_set(const RealmEngine *engine, RealmView view, uint32_t owner)
{
    uint32_t active = 0, committed = 0;
    for (uint32_t link = realm_owner_at(engine, owner)->set_first; link != 0; link = realm_set_at(engine, link)->next_of_owner) {
        const RealmSet *set = realm_set_at(engine, link);
        if (set->draft == 0) {
            active = link;
        } else if (set->draft == view.draft && !set->is_queued) {
            return link;
        } else if (realm_leaf_is_active(engine, realm_draft_at(engine, set->draft)->leaf)) {
            committed = link; // at most one draft at a time is committed and not yet promoted
        }
    }
    return committed != 0 ? committed : active;
}

bool realm_view_sees_set(const RealmEngine *engine, RealmView view, uint32_t set)
{
    const RealmSet *value = realm_set_at(engine, set);
    if (value->is_lost || value->home.generation == 0 || !realm_view_sees_owner(engine, view, value->owner)) {
        return false;
    }
    uint32_t home = value->home.index + 1;
    return realm_leaf_at(engine, home)->generation == value->home.generation && serves(engine, view, home) &&
           realm_view_set(engine, view, value->owner) == set;
}

// realm_planted.c: the switch of the planted faults, from the environment, and the wrong turns that take more than a line. Linked with an engine that was
// compiled with -DREALM_PLANTED, and with no other.
#include "realm_internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int realm_planted = REALM_PLANT_NONE;

static const char *const rows[REALM_PLANT_COUNT] = {
    [REALM_PLANT_NONE] = "",
#define ROW(row, text) [REALM_PLANT_##row] = #row,
    REALM_PLANT_LIST(ROW)
#undef ROW
};

// Before main, so that every test of the program has it, whatever process it runs in.
__attribute__((constructor)) static void choose(void)
{
    const char *name = getenv("REALM_PLANT");
    for (int i = 1; name != NULL && name[0] != '\0' && i < REALM_PLANT_COUNT; i++) {
        if (strcmp(rows[i], name) == 0) {
            realm_planted = i;
            return;
        }
    }
    if (name != NULL && name[0] != '\0') {
        fprintf(stderr, "REALM_PLANT: %s is no row of realm_plant.h\n", name);
        exit(2);
    }
}

static bool is_live(uint32_t generation)
{
    return (generation & 1) != 0;
}

void realm_plant_allocate(void)
{
    void *volatile memory = malloc(16);
    free(memory);
}

void realm_plant_restart(RealmEngine *engine, uint32_t phase)
{
    for (uint32_t link = engine->root->draft_first; link != 0; link = realm_draft_at(engine, link)->next) {
        RealmDraft *draft = realm_draft_edit(engine, link);
        if (draft->phase <= phase) {
            continue;
        }
        draft->phase = (uint8_t)phase;
        draft->topology_cursor = 0;
        draft->static_cursor = 0;
        draft->member_cursor = phase == REALM_PHASE_CAPTURE ? realm_block_at(engine, draft->block)->member_first : 0;
    }
}

void realm_plant_touch_blocks(RealmEngine *engine)
{
    for (uint32_t link = 1; link <= engine->block_count; link++) {
        if (is_live(realm_block_at(engine, link)->generation)) {
            realm_block_edit(engine, link);
        }
    }
}

void realm_plant_revive(RealmEngine *engine, uint64_t noted, uint64_t now, bool is_begun)
{
    for (uint32_t link = 1; link <= engine->leaf_count; link++) {
        const RealmLeaf *leaf = realm_leaf_at(engine, link);
        bool is_it = is_live(leaf->generation) && leaf->is_demoted && leaf->number * 2 + 1 == now && (noted / 2 == now / 2) == is_begun;
        if (is_it) {
            realm_leaf_edit(engine, link)->is_demoted = 0;
        }
    }
}

void realm_plant_revive_all(RealmEngine *engine)
{
    for (uint32_t link = 1; link <= engine->leaf_count; link++) {
        if (is_live(realm_leaf_at(engine, link)->generation)) {
            realm_leaf_edit(engine, link)->is_demoted = 0;
        }
    }
}

void realm_plant_rewind_cells(RealmEngine *engine)
{
    for (uint32_t link = 1; link <= engine->dynamic_count; link++) {
        if (is_live(realm_owner_at(engine, link)->generation)) {
            realm_set_edit(engine, realm_set_find(engine, link, 0))->cell = realm_owner_at(engine, link)->cell;
        }
    }
}

static uint32_t deleted_id;

void realm_plant_deleted(RealmEngine *engine, uint32_t owner)
{
    const RealmOwner *outgoing = realm_owner_at(engine, owner);
    deleted_id = outgoing->id;
    for (uint32_t link = engine->dynamic_count + 1; outgoing->kind == REALM_STATIC && link <= engine->owner_count; link++) {
        const RealmOwner *other = realm_owner_at(engine, link);
        uint32_t draft = is_live(other->generation) && link != owner ? realm_block_at(engine, realm_leaf_at(engine, other->leaf)->block)->draft : 0;
        bool is_staged = draft != 0 && realm_draft_at(engine, draft)->leaf == other->leaf && other->id == outgoing->id;
        if (is_staged && realm_phase_is_sealed(realm_draft_at(engine, draft)) == REALM_PLANT(T37)) {
            realm_owner_remove(engine, link);
        }
    }
}

bool realm_plant_was_deleted(uint32_t id)
{
    return deleted_id == id;
}

void realm_plant_take_along(RealmEngine *engine, uint32_t block)
{
    for (uint32_t link = 1; link <= engine->dynamic_count; link++) {
        if (is_live(realm_owner_at(engine, link)->generation) && realm_owner_touches(engine, link, block)) {
            realm_owner_remove(engine, link);
        }
    }
}

void realm_plant_forget(RealmEngine *engine, uint32_t block)
{
    while (realm_block_at(engine, block)->member_first != 0) {
        realm_member_leave(engine, realm_member_at(engine, realm_block_at(engine, block)->member_first)->owner);
    }
}

void realm_plant_first(RealmEngine *engine, uint32_t link)
{
    RealmRoot  *root = realm_root_edit(engine);
    RealmDraft *draft = realm_draft_edit(engine, link);
    realm_draft_edit(engine, draft->prev)->next = draft->next;
    if (draft->next != 0) {
        realm_draft_edit(engine, draft->next)->prev = draft->prev;
    } else {
        root->draft_last = draft->prev;
    }
    realm_draft_edit(engine, root->draft_first)->prev = link;
    draft->next = root->draft_first;
    draft->prev = 0;
    root->draft_first = link;
}

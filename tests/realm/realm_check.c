// realm_check.c: buckets against floods. It asks the engine only what a view serves and what a flood gives, and counts for itself.
#include "realm_check.h"

#include "realm_internal.h"
#include "realm_validate.h"

static bool is_live(uint32_t generation)
{
    return (generation & 1) != 0;
}

// Rows of this owner that the view sees in one bucket.
static uint32_t rows_in(const RealmEngine *engine, RealmView view, uint32_t bucket, uint32_t owner)
{
    uint32_t count = 0;
    for (uint32_t at = bucket; at != 0; at = realm_row_at(engine, at)->next) {
        uint32_t set = realm_row_at(engine, at)->set;
        count += realm_view_sees_set(engine, view, set) && (owner == 0 || realm_set_at(engine, set)->owner == owner);
    }
    return count;
}

static uint32_t rows_in_leaf(const RealmEngine *engine, RealmView view, uint32_t leaf)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < REALM_OUTDOOR_CELLS; i++) {
        count += rows_in(engine, view, realm_outdoor_bucket(engine, leaf, i), 0);
    }
    for (uint32_t cell = realm_leaf_at(engine, leaf)->cell_first; cell != 0; cell = realm_cell_at(engine, cell)->next) {
        count += rows_in(engine, view, realm_cell_at(engine, cell)->bucket, 0);
    }
    return count;
}

static uint32_t rows_seen(const RealmEngine *engine, RealmView view)
{
    uint32_t count = 0;
    for (uint32_t link = 1; link <= engine->block_count; link++) {
        const RealmBlock *block = realm_block_at(engine, link);
        uint32_t          leaf = is_live(block->generation) ? realm_view_full_leaf(engine, view, block->prefix) : 0;
        count += leaf != 0 ? rows_in_leaf(engine, view, leaf) : 0;
    }
    return count;
}

// Each row of the flood is in its bucket, once.
static const char *check_owner(const RealmEngine *engine, RealmView view, uint32_t owner, uint32_t *expected)
{
    RealmFlood flood;
    RealmBody  body = realm_owner_body(realm_owner_at(engine, owner));
    realm_flood(engine, view, &body, &flood);
    for (uint32_t i = 0; i < flood.count; i++) {
        const RealmFloodRow *row = &flood.rows[i];
        uint32_t bucket = row->cell != 0 ? realm_cell_at(engine, row->cell)->bucket : realm_outdoor_bucket(engine, row->leaf, row->outdoor);
        if (rows_in(engine, view, bucket, owner) != 1) {
            return view.draft == 0 ? "an owner overlaps a cell of the active world and is not seen there"
                                   : "an owner overlaps a cell of a private root and is not seen there";
        }
    }
    *expected += flood.count;
    return NULL;
}

const char *realm_check_view(const RealmEngine *engine, RealmView view)
{
    uint32_t expected = 0;
    for (uint32_t owner = 1; owner <= engine->owner_count; owner++) {
        if (is_live(realm_owner_at(engine, owner)->generation) && realm_view_sees_owner(engine, view, owner)) {
            const char *wrong = check_owner(engine, view, owner, &expected);
            if (wrong != NULL) {
                return wrong;
            }
        }
    }
    return rows_seen(engine, view) == expected ? NULL : "a row is seen that no flood gives";
}

// Whether all is reconciled. A switch elsewhere comes to owners one by one, with the promotion of their sets or the walk over the members of what
// went away; whatever else retires does not matter.
static bool is_complete(const RealmEngine *engine, const RealmDraft *draft)
{
    if (engine->root->retire_draft_first != 0) {
        return false;
    }
    for (uint32_t leaf = engine->root->retire_leaf_first; leaf != 0; leaf = realm_leaf_at(engine, leaf)->retire_next) {
        if (realm_leaf_at(engine, leaf)->retire == REALM_RETIRE_MEMBERS) {
            return false;
        }
    }
    bool is_done = draft->phase == REALM_PHASE_RECONCILE && draft->queued == 0 && realm_journal_is_done(engine, draft) &&
                   draft->rebase_static == 0 && draft->rebase_set == 0 && draft->rebase_member == 0;
    for (uint32_t k = 0; is_done && k < REALM_NEIGHBOURS; k++) {
        is_done = draft->neighbours[k] == realm_draft_neighbour_now(engine, draft, k);
    }
    return is_done;
}

static const char *check_tickets(const RealmEngine *engine)
{
    for (uint32_t a = engine->root->admit_first; a != 0; a = realm_block_at(engine, a)->admit_next) {
        for (uint32_t b = realm_block_at(engine, a)->admit_next; b != 0; b = realm_block_at(engine, b)->admit_next) {
            if (realm_block_at(engine, a)->ticket == realm_block_at(engine, b)->ticket) {
                return "two admissions have one generation";
            }
        }
    }
    return NULL;
}

const char *realm_check(const RealmEngine *engine)
{
    const char *wrong = realm_validate(engine->block, engine->context);
    wrong = wrong != NULL ? wrong : check_tickets(engine);
    wrong = wrong != NULL ? wrong : realm_check_view(engine, REALM_ACTIVE);
    for (uint32_t link = engine->root->draft_first; wrong == NULL && link != 0; link = realm_draft_at(engine, link)->next) {
        if (is_complete(engine, realm_draft_at(engine, link))) {
            wrong = realm_check_view(engine, (RealmView){ link });
        }
    }
    return wrong;
}

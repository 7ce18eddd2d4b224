// realm_validate_views.c: meaning. For the active world, and for the private root of every draft whose topology is sealed, the rows of whoever is seen
// are what a flood gives; and no owner that belongs into a draft has been forgotten by it.
#include "realm_validate_parts.h"

// ---- One set against a flood ----

// Rows in leaves that the view does not serve are seen by nobody; they may be there until the leaf is taken down.
static bool is_served(const RealmEngine *engine, RealmView view, uint32_t leaf)
{
    uint16_t prefix = realm_block_at(engine, realm_leaf_at(engine, leaf)->block)->prefix;
    return realm_view_full_leaf(engine, view, prefix) == leaf;
}

static const char *validate_rows_of(const RealmEngine *engine, RealmView view, const RealmSet *set, const RealmFlood *flood)
{
    uint32_t k = 0;
    for (uint32_t at = set->row_first; at != 0; at = realm_row_at(engine, at)->next_of_set) {
        const RealmRow *row = realm_row_at(engine, at);
        if (!is_served(engine, view, row->leaf)) {
            REALM_REQUIRE(realm_leaf_at(engine, row->leaf)->retire != REALM_RETIRE_NO, "rows: leaf: a row lies where nobody sees it");
            continue;
        }
        bool is_flood = k < flood->count && row->leaf == flood->rows[k].leaf && row->cell == flood->rows[k].cell &&
                        (row->cell != 0 || row->outdoor == flood->rows[k].outdoor);
        REALM_REQUIRE(is_flood, "rows: leaf: a row is none of the flood's");
        k++;
    }
    REALM_REQUIRE(k == flood->count, "sets: rows: a row of the flood is not there");
    return NULL;
}

// A leaf went from under the owner, and the walk over the members of its landblock is still to come to it.
static bool is_to_be_told(const RealmEngine *engine, uint32_t owner, uint32_t link)
{
    const RealmLeaf *leaf = realm_leaf_at(engine, link);
    if (leaf->retire != REALM_RETIRE_MEMBERS || !realm_view_sees_owner(engine, REALM_ACTIVE, owner)) {
        return false;
    }
    uint32_t at = realm_owner_at(engine, owner)->member_first;
    while (at != 0 && realm_member_at(engine, at)->block != leaf->block) {
        at = realm_member_at(engine, at)->next_of_owner;
    }
    if (at == 0 || link != engine->root->retire_leaf_first) {
        return at != 0;
    }
    uint64_t stamp = realm_member_at(engine, at)->stamp;
    return leaf->cursor != 0 && stamp >= realm_member_at(engine, leaf->cursor)->stamp && stamp <= leaf->cursor_end;
}

// Nobody sees the rows of an owner whose landblock went; the retirement of that leaf takes them.
static const char *validate_lost(const RealmEngine *engine, RealmView view, uint32_t link)
{
    const RealmSet *set = realm_set_at(engine, link);
    REALM_REQUIRE(!realm_view_sees_set(engine, view, link), "sets: is_lost: no leaf serves the owner's landblock");
    if (set->is_lost) {
        REALM_REQUIRE(set->rows == 0, "sets: rows: a lost owner has some");
        return NULL;
    }
    const RealmLeaf *home = realm_leaf_at(engine, set->home.index + 1);
    bool is_going = home->generation == set->home.generation && view.draft == 0 && is_to_be_told(engine, set->owner, set->home.index + 1);
    REALM_REQUIRE(is_going, "sets: home: the owner is lost, and nothing will say so");
    return NULL;
}

static const char *validate_set(const RealmEngine *engine, RealmView view, uint32_t link)
{
    const RealmSet   *set = realm_set_at(engine, link);
    const RealmOwner *owner = realm_owner_at(engine, set->owner);
    RealmFlood        flood;
    RealmBody         body = realm_owner_body(owner);
    if (owner->is_suspended) {
        REALM_REQUIRE(set->rows == 0, "sets: rows: a suspended owner has some");
        return NULL;
    }
    realm_flood(engine, view, &body, &flood);
    if (flood.is_lost) {
        return validate_lost(engine, view, link);
    }
    bool is_home = set->home.index == flood.home - 1 && set->home.generation == realm_leaf_at(engine, flood.home)->generation;
    REALM_REQUIRE(!set->is_lost && is_home, "sets: home: it is not the leaf that serves the owner");
    REALM_REQUIRE(set->cell == flood.cell, "sets: cell: it is not the one the owner is in");
    return validate_rows_of(engine, view, set, &flood);
}

// ---- The active world ----

static const char *validate_active(const RealmEngine *engine)
{
    for (uint32_t link = 1; link <= engine->owner_count; link++) {
        const RealmOwner *owner = realm_owner_at(engine, link);
        if (!realm_is_live(owner->generation) || (owner->kind == REALM_STATIC && !realm_view_sees_owner(engine, REALM_ACTIVE, link))) {
            continue;
        }
        const char *wrong = validate_set(engine, REALM_ACTIVE, realm_view_set(engine, REALM_ACTIVE, link));
        REALM_REQUIRE(wrong == NULL, wrong);
    }
    return NULL;
}

// ---- A draft's private root ----

// What of a draft is due to be flooded again. `moved` has a bit for each neighbour that is not as the draft has noted it; `block` is that of the
// rebase which is going on, 0 for none: there those are due whom its cursors have not passed.
typedef struct Due {
    uint32_t moved;
    bool     is_rebasing;
    uint32_t block;
} Due;

static Due due_of(const RealmEngine *engine, const RealmDraft *draft)
{
    Due due = { .is_rebasing = draft->rebase_static != 0 || draft->rebase_set != 0 || draft->rebase_member != 0 };
    for (uint32_t k = 0; k < draft->neighbour_cursor; k++) {
        due.moved |= draft->neighbours[k] != realm_draft_neighbour_now(engine, draft, k) ? 1u << k : 0;
    }
    uint16_t prefix;
    if (due.is_rebasing && draft->rebase_neighbour != 0 && realm_draft_neighbour(engine, draft, draft->rebase_neighbour - 1u, &prefix)) {
        due.block = realm_block_find(engine, prefix);
    }
    return due;
}

static bool is_due(const RealmEngine *engine, const RealmDraft *draft, const Due *due, uint32_t owner, bool is_ahead)
{
    if (is_ahead && due->block != 0 && realm_owner_touches(engine, owner, due->block)) {
        return true;
    }
    for (uint32_t k = 0; due->moved >> k != 0; k++) {
        uint16_t prefix;
        uint32_t block = (due->moved >> k & 1) != 0 && realm_draft_neighbour(engine, draft, k, &prefix) ? realm_block_find(engine, prefix) : 0;
        if (block != 0 && realm_owner_touches(engine, owner, block)) {
            return true;
        }
    }
    return false;
}

// A switch of a landblock that the owner touches, however far from the draft, has not come to the owner yet: its set is not promoted, or the walk over the
// members of what went away is still going on. All of its sets flood again then, and no draft commits before.
static bool is_unsettled(const RealmEngine *engine, uint32_t owner)
{
    for (uint32_t at = realm_owner_at(engine, owner)->set_first; at != 0; at = realm_set_at(engine, at)->next_of_owner) {
        uint32_t draft = realm_set_at(engine, at)->draft;
        if (draft != 0 && realm_draft_at(engine, draft)->phase == REALM_PHASE_COMMITTED) {
            return true;
        }
    }
    for (uint32_t at = engine->root->retire_leaf_first; at != 0; at = realm_leaf_at(engine, at)->retire_next) {
        if (is_to_be_told(engine, owner, at)) {
            return true;
        }
    }
    return false;
}

static const char *validate_armed(const RealmEngine *engine, uint32_t draft, const Due *due)
{
    RealmView         view = { draft };
    const RealmDraft *value = realm_draft_at(engine, draft);
    bool              is_ahead = false; // of the rebase's cursor
    for (uint32_t at = value->set_first; at != 0; at = realm_set_at(engine, at)->next_of_draft) {
        uint32_t          owner = realm_set_at(engine, at)->owner;
        const RealmOwner *who = realm_owner_at(engine, owner);
        is_ahead = is_ahead || at == value->rebase_set;
        if ((who->kind == REALM_STATIC && !realm_view_sees_owner(engine, view, owner)) || is_due(engine, value, due, owner, is_ahead) ||
            is_unsettled(engine, owner)) {
            continue;
        }
        const char *wrong = validate_set(engine, view, at);
        REALM_REQUIRE(wrong == NULL, wrong);
    }
    return NULL;
}

// Its own statics have rows when they have been flooded, and none before.
static const char *validate_own(const RealmEngine *engine, uint32_t draft, const Due *due)
{
    const RealmDraft *value = realm_draft_at(engine, draft);
    bool              is_flooded = realm_phase_is_sealed(value), is_ahead = false;
    for (uint32_t at = realm_leaf_at(engine, value->leaf)->static_first; at != 0; at = realm_owner_at(engine, at)->static_next) {
        uint32_t set = realm_set_find(engine, at, 0);
        REALM_REQUIRE(realm_owner_at(engine, at)->set_first == set && realm_set_at(engine, set)->next_of_owner == 0,
                      "sets: owner: another draft knows a static that is not active");
        REALM_REQUIRE(!realm_owner_at(engine, at)->is_suspended, "owners: is_suspended: a static that is not active is suspended");
        is_flooded = is_flooded && !(value->phase == REALM_PHASE_STATICS && at == value->static_cursor);
        is_ahead = is_ahead || at == value->rebase_static;
        REALM_REQUIRE(is_flooded || realm_set_at(engine, set)->rows == 0, "sets: rows: a static has some before its flood");
        bool        is_right = is_flooded && !is_due(engine, value, due, at, is_ahead);
        const char *wrong = is_right ? validate_set(engine, (RealmView){ draft }, set) : NULL;
        REALM_REQUIRE(wrong == NULL, wrong);
    }
    return NULL;
}

// The journal has an entry of the owner that the draft is still to read.
static bool is_noted(const RealmEngine *engine, const RealmDraft *draft, uint32_t owner)
{
    uint64_t entry = realm_owner_at(engine, owner)->journal;
    uint64_t from = draft->journal_cursor > engine->root->journal_head ? draft->journal_cursor : engine->root->journal_head;
    uint64_t end = realm_phase_is_sealed(draft) ? draft->journal_end : engine->root->journal_tail;
    return entry > from && entry <= end;
}

// Whoever touches the landblock is in the draft, or on its way there.
static const char *validate_captured(const RealmEngine *engine, uint32_t draft, const Due *due)
{
    const RealmDraft *value = realm_draft_at(engine, draft);
    bool              is_ahead = false, is_rebase_ahead = false; // of the capture's cursor, of the rebase's
    for (uint32_t at = realm_block_at(engine, value->block)->member_first; at != 0; at = realm_member_at(engine, at)->next) {
        uint32_t          owner = realm_member_at(engine, at)->owner;
        const RealmOwner *who = realm_owner_at(engine, owner);
        is_ahead = is_ahead || at == value->member_cursor;
        is_rebase_ahead = is_rebase_ahead || at == value->rebase_member;
        bool is_superseded = who->kind == REALM_STATIC && realm_leaf_at(engine, who->leaf)->block == value->block;
        bool is_relevant = !is_superseded && realm_view_sees_owner(engine, REALM_ACTIVE, owner);
        bool is_to_come = is_ahead && realm_member_at(engine, at)->stamp <= value->capture_end;
        bool is_known = realm_set_find(engine, owner, draft) != 0 || is_to_come || is_noted(engine, value, owner) ||
                        is_due(engine, value, due, owner, is_rebase_ahead);
        REALM_REQUIRE(!is_relevant || is_known, "drafts: sets: an owner that touches the landblock is not known to its draft");
    }
    return NULL;
}

// Rows in a draft's own leaf are of its own sets and statics.
static const char *validate_private(const RealmEngine *engine, uint32_t link)
{
    const RealmRow *row = realm_row_at(engine, link);
    uint32_t        draft = realm_block_at(engine, realm_leaf_at(engine, row->leaf)->block)->draft;
    if (draft == 0 || realm_draft_at(engine, draft)->leaf != row->leaf) {
        return NULL;
    }
    const RealmSet *set = realm_set_at(engine, row->set);
    REALM_REQUIRE(set->draft == draft || realm_owner_at(engine, set->owner)->leaf == row->leaf, "rows: leaf: it is another draft's");
    return NULL;
}

static const char *validate_draft(const RealmEngine *engine, uint32_t link)
{
    const RealmDraft *draft = realm_draft_at(engine, link);
    Due               due = due_of(engine, draft);
    REALM_REQUIRE(!due.is_rebasing || draft->rebase_neighbour != 0, "drafts: rebase_neighbour: a rebase is about nobody");
    const char *wrong = validate_own(engine, link, &due);
    if (wrong == NULL && draft->phase >= REALM_PHASE_CAPTURE) {
        wrong = validate_captured(engine, link, &due);
    }
    return wrong == NULL ? validate_armed(engine, link, &due) : wrong;
}

const char *realm_validate_views(const RealmEngine *engine)
{
    const char *wrong = validate_active(engine);
    REALM_REQUIRE(wrong == NULL, wrong);
    for (uint32_t link = engine->root->draft_first; link != 0; link = realm_draft_at(engine, link)->next) {
        wrong = validate_draft(engine, link);
        REALM_REQUIRE(wrong == NULL, wrong);
    }
    for (uint32_t link = 1; link <= engine->row_count; link++) {
        wrong = realm_is_live(realm_row_at(engine, link)->generation) ? validate_private(engine, link) : NULL;
        REALM_REQUIRE(wrong == NULL, wrong);
    }
    return NULL;
}

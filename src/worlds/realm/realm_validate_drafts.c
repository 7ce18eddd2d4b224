// realm_validate_drafts.c: the transaction: what each draft and each leaf in retirement goes on from, and the journal they read.
#include "realm_validate_parts.h"

static bool is_open_draft(const RealmEngine *engine, uint32_t link)
{
    return link != 0 && realm_is_live(realm_draft_at(engine, link)->generation) && realm_phase_is_open(realm_draft_at(engine, link));
}

// The open draft whose leaf this is, 0 for none.
static uint32_t leaf_draft(const RealmEngine *engine, uint32_t leaf)
{
    uint32_t draft = realm_block_at(engine, realm_leaf_at(engine, leaf)->block)->draft;
    return draft != 0 && realm_draft_at(engine, draft)->leaf == leaf ? draft : 0;
}

// ---- One draft ----

static bool is_member_of(const RealmEngine *engine, uint32_t link, uint32_t block)
{
    return link == 0 || (realm_is_live(realm_member_at(engine, link)->generation) && realm_member_at(engine, link)->block == block);
}

static bool is_static_of(const RealmEngine *engine, uint32_t link, uint32_t leaf)
{
    return link == 0 || (realm_is_live(realm_owner_at(engine, link)->generation) && realm_owner_at(engine, link)->kind == REALM_STATIC &&
                         realm_owner_at(engine, link)->leaf == leaf);
}

static const char *validate_cursors(const RealmEngine *engine, const RealmDraft *draft)
{
    bool              is_early = draft->phase == REALM_PHASE_MATERIALISE;
    bool              is_reconciling = draft->phase == REALM_PHASE_RECONCILE;
    const RealmLeaf  *leaf = realm_leaf_at(engine, draft->leaf);
    REALM_REQUIRE(draft->units <= engine->root->units, "drafts: units: more than all drafts had together");
    REALM_REQUIRE(is_early ? draft->neighbour_cursor < REALM_NEIGHBOURS : draft->neighbour_cursor == REALM_NEIGHBOURS,
                  "drafts: neighbour_cursor: it is not that of the phase");
    REALM_REQUIRE(draft->phase == REALM_PHASE_CAPTURE || draft->member_cursor == 0, "drafts: member_cursor: nothing is captured in this phase");
    REALM_REQUIRE(draft->phase == REALM_PHASE_STATICS || draft->static_cursor == 0, "drafts: static_cursor: no statics are flooded in this phase");
    bool is_still = draft->rebase_static == 0 && draft->rebase_set == 0 && draft->rebase_member == 0 && draft->rebase_neighbour == 0;
    REALM_REQUIRE(is_reconciling || is_still, "drafts: rebase_static: there is no rebase in this phase");
    REALM_REQUIRE(is_member_of(engine, draft->member_cursor, draft->block), "drafts: member_cursor: it stands on another landblock's member");
    REALM_REQUIRE(is_member_of(engine, draft->rebase_member, draft->block), "drafts: rebase_member: it stands on another landblock's member");
    REALM_REQUIRE(is_static_of(engine, draft->static_cursor, draft->leaf), "drafts: static_cursor: it stands on another leaf's static");
    REALM_REQUIRE(is_static_of(engine, draft->rebase_static, draft->leaf), "drafts: rebase_static: it stands on another leaf's static");
    REALM_REQUIRE(draft->capture_end <= engine->root->stamp_last, "drafts: capture_end: there was no such stamp yet");
    uint32_t items = (uint32_t)leaf->cells + leaf->buildings;
    bool     is_topology_good = draft->phase < REALM_PHASE_TOPOLOGY    ? draft->topology_cursor == 0
                                : draft->phase == REALM_PHASE_TOPOLOGY ? draft->topology_cursor <= items
                                                                       : draft->topology_cursor == items;
    REALM_REQUIRE(is_topology_good, "drafts: topology_cursor: it is not that of the phase");
    return NULL;
}

static const char *validate_window(const RealmEngine *engine, const RealmDraft *draft)
{
    const RealmRoot *root = engine->root;
    REALM_REQUIRE(draft->journal_from <= root->journal_floor, "drafts: journal_from: it began after the newest");
    REALM_REQUIRE(draft->journal_cursor >= draft->journal_from && draft->journal_cursor <= root->journal_tail,
                  "drafts: journal_cursor: it is outside of the journal");
    if (!realm_phase_is_sealed(draft)) {
        REALM_REQUIRE(draft->journal_end == 0 && draft->journal_cursor == draft->journal_from, "drafts: journal_end: nothing is sealed yet");
        return NULL;
    }
    REALM_REQUIRE(draft->journal_end >= draft->journal_from && draft->journal_end <= root->journal_tail,
                  "drafts: journal_end: it is outside of the journal");
    REALM_REQUIRE(draft->journal_cursor <= draft->journal_end || draft->journal_cursor == draft->journal_from,
                  "drafts: journal_cursor: it is past the end of the window");
    return NULL;
}

// What topology has looked at holds together; the rest of the engine relies on it. `items`: cells first, then buildings.
static const char *validate_topology(const RealmEngine *engine, uint32_t link, uint32_t items)
{
    const RealmLeaf *leaf = realm_leaf_at(engine, link);
    uint32_t         met = 0;
    for (uint32_t at = leaf->cell_first; at != 0 && met < items; at = realm_cell_at(engine, at)->next, met++) {
        const RealmCell *cell = realm_cell_at(engine, at);
        for (uint32_t i = 0; i < cell->portals; i++) {
            bool leads_somewhere = cell->portal_other[i] == REALM_OUTSIDE || cell->portal_other[i] - REALM_INDOOR_FIRST < leaf->cells;
            REALM_REQUIRE(leads_somewhere, "cells: portal_other: there is no such cell");
        }
        REALM_REQUIRE(leaf->cells == REALM_INDOOR_MAX || cell->visible >> leaf->cells == 0, "cells: visible: there is no such cell");
    }
    for (uint32_t at = leaf->building_first; at != 0 && met < items; at = realm_building_at(engine, at)->next, met++) {
        const RealmBuilding *building = realm_building_at(engine, at);
        REALM_REQUIRE(building->first_cell - REALM_INDOOR_FIRST + building->cells <= leaf->cells, "buildings: cells: there are fewer");
    }
    return NULL;
}

static const char *validate_open(const RealmEngine *engine, uint32_t link)
{
    const RealmDraft *draft = realm_draft_at(engine, link);
    REALM_REQUIRE(draft->block != 0 && realm_block_at(engine, draft->block)->draft == link, "drafts: block: its landblock has another draft");
    const RealmBlock *block = realm_block_at(engine, draft->block);
    REALM_REQUIRE(realm_is_live(block->generation) && block->ticket == draft->number, "drafts: number: it is not the admission's");
    REALM_REQUIRE(draft->leaf != 0 && realm_is_live(realm_leaf_at(engine, draft->leaf)->generation), "drafts: leaf: there is no such leaf");
    const RealmLeaf *leaf = realm_leaf_at(engine, draft->leaf);
    REALM_REQUIRE(leaf->block == draft->block && leaf->number == draft->number, "drafts: leaf: it is another generation's");
    bool is_private = leaf->retire == REALM_RETIRE_NO && !leaf->was_active && !leaf->is_demoted && !realm_leaf_is_active(engine, draft->leaf);
    REALM_REQUIRE(is_private, "leaves: retire: a draft's leaf retires, or was active");
    REALM_REQUIRE(draft->phase > REALM_PHASE_PUBLISH ? leaf->has_terrain : true, "leaves: has_terrain: a closed draft has none");
    bool is_empty = draft->phase >= REALM_PHASE_PUBLISH ||
                    (!leaf->has_terrain && leaf->cells == 0 && leaf->buildings == 0 && leaf->statics == 0);
    REALM_REQUIRE(is_empty, "drafts: phase: there is content before the neighbours are noted");
    REALM_REQUIRE(draft->phase >= REALM_PHASE_CAPTURE || (draft->queue_first == 0 && draft->capture_end == 0), "drafts: queued: nothing is captured yet");
    REALM_REQUIRE(draft->phase == REALM_PHASE_RECONCILE || draft->set_first == 0, "drafts: sets: nothing is flooded in this phase");
    const char *wrong = validate_cursors(engine, draft);
    wrong = wrong != NULL ? wrong : validate_window(engine, draft);
    return wrong != NULL ? wrong : validate_topology(engine, draft->leaf, draft->topology_cursor);
}

static const char *validate_ended(const RealmEngine *engine, uint32_t link, bool is_first)
{
    const RealmDraft *draft = realm_draft_at(engine, link);
    bool              is_committed = draft->phase == REALM_PHASE_COMMITTED;
    REALM_REQUIRE(draft->leaf != 0 && draft->block != 0, "drafts: leaf: a draft that ended has none");
    const RealmLeaf *leaf = realm_leaf_at(engine, draft->leaf);
    REALM_REQUIRE(realm_is_live(leaf->generation) && leaf->block == draft->block && leaf->number == draft->number,
                  "drafts: leaf: it is another generation's");
    bool is_leaf_good = is_committed ? realm_leaf_is_active(engine, draft->leaf) && !leaf->is_demoted
                                     : leaf->retire != REALM_RETIRE_NO && !leaf->was_active;
    REALM_REQUIRE(is_leaf_good, "drafts: phase: it is not what became of the leaf");
    REALM_REQUIRE(!is_committed || is_first, "drafts: phase: one activated while others were taken down");
    REALM_REQUIRE(!is_committed || draft->queue_first == 0, "drafts: queued: a committed draft waits for owners");
    bool is_at_rest = draft->member_cursor == 0 && draft->static_cursor == 0 && draft->rebase_static == 0 && draft->rebase_set == 0 &&
                      draft->rebase_member == 0 && draft->rebase_neighbour == 0 && draft->prev == 0;
    REALM_REQUIRE(is_at_rest, "drafts: member_cursor: a draft that ended still walks");
    return NULL;
}

// ---- Its sets ----

static const char *validate_set_list(const RealmEngine *engine, uint32_t draft, bool is_queue, uint32_t *met)
{
    const RealmDraft *value = realm_draft_at(engine, draft);
    uint32_t          found = 0, last = 0, count = is_queue ? value->queued : value->sets;
    bool              is_rebase_met = value->rebase_set == 0;
    for (uint32_t at = is_queue ? value->queue_first : value->set_first; at != 0; at = realm_set_at(engine, at)->next_of_draft) {
        const RealmSet *set = realm_set_at(engine, at);
        REALM_REQUIRE(++found <= count && realm_is_live(set->generation), "drafts: sets: a list is longer than its count, or has a free one");
        REALM_REQUIRE(set->draft == draft && (set->is_queued != 0) == is_queue, "sets: draft: the set is in another list");
        REALM_REQUIRE(set->prev_of_draft == last, "sets: prev_of_draft: the list is not whole");
        REALM_REQUIRE(!is_queue || set->rows == 0, "sets: rows: a set that waits has rows");
        is_rebase_met = is_rebase_met || at == value->rebase_set;
        last = at;
    }
    REALM_REQUIRE(found == count && last == (is_queue ? value->queue_last : value->set_last), "drafts: sets: they are not the list's");
    REALM_REQUIRE(is_queue || is_rebase_met, "drafts: rebase_set: it stands on a set of another list");
    *met += found;
    return NULL;
}

static const char *validate_set_lists(const RealmEngine *engine)
{
    uint32_t listed = 0, staged = 0;
    for (uint32_t link = 1; link <= engine->draft_count; link++) {
        if (realm_is_live(realm_draft_at(engine, link)->generation)) {
            const char *wrong = validate_set_list(engine, link, false, &listed);
            wrong = wrong != NULL ? wrong : validate_set_list(engine, link, true, &listed);
            REALM_REQUIRE(wrong == NULL, wrong);
        }
    }
    for (uint32_t link = 1; link <= engine->set_count; link++) {
        const RealmSet *set = realm_set_at(engine, link);
        bool is_active = realm_is_live(set->generation) && set->draft == 0;
        REALM_REQUIRE(!is_active || (set->next_of_draft == 0 && set->prev_of_draft == 0 && !set->is_queued), "sets: is_queued: an active set is in no list");
        staged += realm_is_live(set->generation) && set->draft != 0;
    }
    REALM_REQUIRE(staged == listed, "sets: draft: a set is in no list");
    return NULL;
}

// ---- All of them ----

static const char *validate_line(const RealmEngine *engine, uint32_t *met)
{
    const RealmRoot *root = engine->root;
    uint32_t         last = 0;
    uint64_t         sequence = 0, from = 0;
    for (uint32_t link = root->draft_first; link != 0; link = realm_draft_at(engine, link)->next) {
        const RealmDraft *draft = realm_draft_at(engine, link);
        REALM_REQUIRE(++*met <= engine->draft_count && draft->prev == last, "root: draft_first: the line is not whole");
        REALM_REQUIRE(is_open_draft(engine, link), "root: draft_first: the line has a draft that is not open");
        bool is_in_order = draft->sequence > sequence && draft->sequence <= root->sequence_last && draft->journal_from >= from;
        REALM_REQUIRE(is_in_order, "drafts: sequence: the line is not in the order of preparation");
        const char *wrong = validate_open(engine, link);
        REALM_REQUIRE(wrong == NULL, wrong);
        sequence = draft->sequence;
        from = draft->journal_from;
        last = link;
    }
    REALM_REQUIRE(root->draft_last == last && root->drafts_live == *met, "root: drafts_live: they are not the line's");
    return NULL;
}

static const char *validate_ended_line(const RealmEngine *engine, uint32_t *met)
{
    const RealmRoot *root = engine->root;
    uint32_t         last = 0, found = 0;
    for (uint32_t link = root->retire_draft_first; link != 0; link = realm_draft_at(engine, link)->next) {
        const RealmDraft *draft = realm_draft_at(engine, link);
        REALM_REQUIRE(++found <= engine->draft_count, "root: retire_draft_first: the line runs in a circle");
        REALM_REQUIRE(realm_is_live(draft->generation) && !realm_phase_is_open(draft), "root: retire_draft_first: the line has a draft that is open");
        const char *wrong = validate_ended(engine, link, link == root->retire_draft_first);
        REALM_REQUIRE(wrong == NULL, wrong);
        last = link;
    }
    REALM_REQUIRE(root->retire_draft_last == last, "root: retire_draft_last: it is not the line's");
    *met += found;
    return NULL;
}

// The number of an admission is no other generation's than its own draft's.
static const char *validate_numbers(const RealmEngine *engine)
{
    for (uint32_t at = engine->root->admit_first; at != 0; at = realm_block_at(engine, at)->admit_next) {
        const RealmBlock *block = realm_block_at(engine, at);
        uint32_t          own = block->draft != 0 ? realm_draft_at(engine, block->draft)->leaf : 0;
        for (uint32_t link = 1; link <= engine->leaf_count; link++) {
            const RealmLeaf *leaf = realm_leaf_at(engine, link);
            bool is_taken = realm_is_live(leaf->generation) && leaf->number == block->ticket && link != own;
            REALM_REQUIRE(!is_taken, "blocks: ticket: another generation has the number");
        }
    }
    return NULL;
}

const char *realm_validate_drafts(const RealmEngine *engine)
{
    uint32_t met = 0, live = 0;
    for (uint32_t link = 1; link <= engine->block_count; link++) {
        const RealmBlock *block = realm_block_at(engine, link);
        bool has_draft = realm_is_live(block->generation) && block->draft != 0;
        REALM_REQUIRE(!has_draft || (is_open_draft(engine, block->draft) && realm_draft_at(engine, block->draft)->block == link),
                      "blocks: draft: it is not open, or another landblock's");
    }
    const char *wrong = validate_line(engine, &met);
    wrong = wrong != NULL ? wrong : validate_ended_line(engine, &met);
    REALM_REQUIRE(wrong == NULL, wrong);
    for (uint32_t link = 1; link <= engine->draft_count; link++) {
        live += realm_is_live(realm_draft_at(engine, link)->generation);
    }
    REALM_REQUIRE(live == met, "drafts: next: a draft is in no line");
    wrong = validate_numbers(engine);
    return wrong != NULL ? wrong : validate_set_lists(engine);
}

// ---- Retirement ----

static bool has_rows(const RealmEngine *engine, const RealmLeaf *leaf)
{
    for (uint32_t i = 0; i < REALM_OUTDOOR_CELLS; i++) {
        if (leaf->buckets[i] != 0) {
            return true;
        }
    }
    for (uint32_t cell = leaf->cell_first; cell != 0; cell = realm_cell_at(engine, cell)->next) {
        if (realm_cell_at(engine, cell)->bucket != 0) {
            return true;
        }
    }
    return false;
}

static const char *validate_taken_down(const RealmEngine *engine, const RealmLeaf *leaf, uint32_t stage)
{
    REALM_REQUIRE(stage <= REALM_RETIRE_STATICS || leaf->statics == 0, "leaves: retire: statics are there still");
    REALM_REQUIRE(stage <= REALM_RETIRE_ROWS || !has_rows(engine, leaf), "leaves: retire: rows are there still");
    REALM_REQUIRE(stage <= REALM_RETIRE_BUILDINGS || leaf->buildings == 0, "leaves: retire: buildings are there still");
    REALM_REQUIRE(stage <= REALM_RETIRE_CELLS || leaf->cells == 0, "leaves: retire: cells are there still");
    return NULL;
}

static const char *validate_retiring(const RealmEngine *engine, uint32_t link, bool is_first)
{
    const RealmLeaf *leaf = realm_leaf_at(engine, link);
    bool             is_walking = leaf->retire == REALM_RETIRE_MEMBERS;
    bool             is_active = realm_leaf_is_active(engine, link);
    REALM_REQUIRE(!is_active || leaf->is_demoted, "leaves: retire: it is active in full, and retires");
    REALM_REQUIRE(!is_active || leaf->was_active, "leaves: was_active: it is active, and would not be waited for");
    REALM_REQUIRE(!is_walking || leaf->was_active, "leaves: was_active: who touches it knew nothing of it");
    REALM_REQUIRE(is_first || leaf->retire == REALM_RETIRE_MEMBERS || leaf->retire == REALM_RETIRE_STATICS,
                  "leaves: retire: it is taken down before its turn");
    bool is_standing = is_first && is_walking;
    REALM_REQUIRE(is_standing || (leaf->cursor == 0 && leaf->cursor_end == 0), "leaves: cursor: nothing walks there");
    REALM_REQUIRE(is_member_of(engine, leaf->cursor, leaf->block), "leaves: cursor: it stands on another landblock's member");
    REALM_REQUIRE(leaf->cursor_end <= engine->root->stamp_last, "leaves: cursor_end: there was no such stamp yet");
    return validate_taken_down(engine, leaf, leaf->retire);
}

static const char *validate_standing(const RealmEngine *engine, uint32_t link)
{
    const RealmLeaf *leaf = realm_leaf_at(engine, link);
    bool             is_active = realm_leaf_is_active(engine, link);
    REALM_REQUIRE(is_active || leaf_draft(engine, link) != 0, "leaves: retire: it is neither active nor a draft's, and does not retire");
    REALM_REQUIRE(leaf->retire_next == 0 && leaf->cursor == 0 && leaf->cursor_end == 0, "leaves: retire_next: it does not retire");
    REALM_REQUIRE((leaf->was_active != 0) == is_active, "leaves: was_active: it is not what its landblock says");
    REALM_REQUIRE(!is_active || leaf->has_terrain, "leaves: has_terrain: an active one has none");
    const char *wrong = is_active ? validate_topology(engine, link, UINT32_MAX) : NULL;
    return wrong != NULL || !leaf->is_demoted ? wrong : validate_taken_down(engine, leaf, REALM_RETIRE_LEAF);
}

// How many of the landblock's leaves retire, and how much of what was active of it is not done with.
static const char *validate_block_counts(const RealmEngine *engine, uint32_t link)
{
    const RealmBlock *block = realm_block_at(engine, link);
    uint32_t          retiring = 0, busy = 0;
    for (uint32_t at = engine->root->retire_leaf_first; at != 0; at = realm_leaf_at(engine, at)->retire_next) {
        const RealmLeaf *leaf = realm_leaf_at(engine, at);
        retiring += leaf->block == link;
        busy += leaf->block == link && leaf->was_active;
    }
    for (uint32_t at = engine->root->retire_draft_first; at != 0; at = realm_draft_at(engine, at)->next) {
        busy += realm_draft_at(engine, at)->block == link && realm_draft_at(engine, at)->phase == REALM_PHASE_COMMITTED;
    }
    REALM_REQUIRE(block->retiring == retiring, "blocks: retiring: as many of its leaves do not");
    REALM_REQUIRE(block->busy == busy, "blocks: busy: it is not what is left to take down");
    REALM_REQUIRE(busy == 0 || block->ticket == 0, "blocks: ticket: it was admitted while it was busy");
    return NULL;
}

static const char *validate_retire_line(const RealmEngine *engine)
{
    const RealmRoot *root = engine->root;
    uint32_t         met = 0, last = 0, retiring = 0;
    for (uint32_t link = root->retire_leaf_first; link != 0; link = realm_leaf_at(engine, link)->retire_next) {
        const RealmLeaf *leaf = realm_leaf_at(engine, link);
        REALM_REQUIRE(++met <= engine->leaf_count && realm_is_live(leaf->generation) && leaf->retire != REALM_RETIRE_NO,
                      "root: retire_leaf_first: the line runs in a circle, or has a leaf that does not retire");
        last = link;
    }
    for (uint32_t link = 1; link <= engine->leaf_count; link++) {
        retiring += realm_is_live(realm_leaf_at(engine, link)->generation) && realm_leaf_at(engine, link)->retire != REALM_RETIRE_NO;
    }
    REALM_REQUIRE(met == retiring && root->retire_leaf_last == last, "root: retire_leaf_last: a leaf that retires is not in the line");
    return NULL;
}

const char *realm_validate_retirement(const RealmEngine *engine)
{
    const char *wrong = validate_retire_line(engine);
    REALM_REQUIRE(wrong == NULL, wrong);
    for (uint32_t link = 1; link <= engine->leaf_count; link++) {
        const RealmLeaf *leaf = realm_leaf_at(engine, link);
        if (realm_is_live(leaf->generation)) {
            wrong = leaf->retire == REALM_RETIRE_NO ? validate_standing(engine, link)
                                                    : validate_retiring(engine, link, link == engine->root->retire_leaf_first);
            REALM_REQUIRE(wrong == NULL, wrong);
        }
    }
    for (uint32_t link = 1; link <= engine->block_count; link++) {
        if (realm_is_live(realm_block_at(engine, link)->generation)) {
            wrong = validate_block_counts(engine, link);
            REALM_REQUIRE(wrong == NULL, wrong);
        }
    }
    return NULL;
}

// ---- The journal ----

static const char *validate_note(const RealmEngine *engine, uint32_t owner)
{
    const RealmRoot  *root = engine->root;
    const RealmOwner *value = realm_owner_at(engine, owner);
    REALM_REQUIRE(value->journal <= root->journal_tail, "owners: journal: there was no such entry yet");
    if (value->journal == 0 || value->journal - 1 < root->journal_head) {
        return NULL;
    }
    const RealmJournalSlot *slot = &engine->journal[(value->journal - 1) % engine->journal_count];
    REALM_REQUIRE(realm_owner_handle_equal(slot->owner, realm_owner_handle(engine, owner)), "owners: journal: the entry is another one's");
    return NULL;
}

const char *realm_validate_journal(const RealmEngine *engine)
{
    const RealmRoot *root = engine->root;
    REALM_REQUIRE(engine->journal_count != 0, "config: journal must be at least 1");
    REALM_REQUIRE(root->journal_head <= root->journal_tail && root->journal_tail - root->journal_head <= engine->journal_count,
                  "root: journal_head: the journal is longer than its ring");
    REALM_REQUIRE(root->journal_floor <= root->journal_tail, "root: journal_floor: it is past the journal's end");
    REALM_REQUIRE(root->drafts_live != 0 || root->journal_head == root->journal_tail, "root: journal_head: no draft is open, and there are entries");
    for (uint64_t n = root->journal_head; n < root->journal_tail; n++) {
        RealmOwnerHandle named = engine->journal[n % engine->journal_count].owner;
        bool is_past = named.generation <= engine->owners[named.index].generation && (named.generation == 0 || realm_is_live(named.generation));
        REALM_REQUIRE(is_past, "journal: owner: there was no such owner yet");
        uint32_t owner = realm_owner_link(engine, named);
        REALM_REQUIRE(owner == 0 || realm_owner_at(engine, owner)->journal == n + 1, "journal: owner: its own entry is another one");
    }
    for (uint32_t link = 1; link <= engine->owner_count; link++) {
        if (realm_is_live(realm_owner_at(engine, link)->generation)) {
            const char *wrong = validate_note(engine, link);
            REALM_REQUIRE(wrong == NULL, wrong);
        }
    }
    return NULL;
}

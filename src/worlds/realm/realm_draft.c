// realm_draft.c: the line of open drafts, in the order of preparation, which is the order of activation; and the start of one: O(1), since its private
// root is an overlay of the active one and nothing is copied.
#include "realm_internal.h"

bool realm_phase_is_open(const RealmDraft *draft)
{
    return draft->phase != REALM_PHASE_COMMITTED && draft->phase != REALM_PHASE_CANCELLED;
}

bool realm_phase_is_sealed(const RealmDraft *draft)
{
    return draft->phase == REALM_PHASE_STATICS || draft->phase == REALM_PHASE_RECONCILE;
}

uint32_t realm_draft_link(const RealmEngine *engine, RealmDraftHandle handle)
{
    bool is_live = handle.index < engine->draft_count && (handle.generation & 1) != 0 &&
                   engine->drafts[handle.index].generation == handle.generation;
    if (REALM_PLANT(T19) && is_live) {
        return handle.index + 1;
    }
    return is_live && realm_phase_is_open(&engine->drafts[handle.index]) ? handle.index + 1 : 0;
}

RealmView realm_draft_view(const RealmEngine *engine, RealmDraftHandle draft, bool *is_open)
{
    uint32_t link = realm_draft_link(engine, draft);
    *is_open = link != 0;
    return (RealmView){ link };
}

uint32_t realm_draft_for_call(RealmEngine *engine, RealmDraftHandle draft)
{
    engine->units = 0;
    uint32_t link = realm_draft_link(engine, draft);
    if (link == 0) {
        realm_refuse(engine, REALM_ERROR, "the draft is not open: committed, cancelled, or never one");
    }
    return link;
}

bool realm_is_sealed(const RealmEngine *engine, RealmDraftHandle draft)
{
    uint32_t link = realm_draft_link(engine, draft);
    return link != 0 && realm_phase_is_sealed(realm_draft_at(engine, link));
}

static void line_up(RealmEngine *engine, uint32_t link)
{
    RealmRoot  *root = realm_root_edit(engine);
    RealmDraft *draft = realm_draft_edit(engine, link);
    root->sequence_last++;
    draft->sequence = root->sequence_last;
    draft->prev = root->draft_last;
    if (root->draft_last != 0) {
        realm_draft_edit(engine, root->draft_last)->next = link;
    } else {
        root->draft_first = link;
    }
    root->draft_last = link;
    root->drafts_live++;
    draft->journal_from = root->journal_tail;
    draft->journal_cursor = root->journal_tail;
    root->journal_floor = root->journal_tail;
    if (REALM_PLANT(T44)) {
        draft->journal_from = root->journal_head;
        draft->journal_cursor = root->journal_head;
    }
}

RealmAnswer realm_prepare(RealmEngine *engine, const RealmTicket *ticket, RealmDraftHandle *draft)
{
    engine->units = 0;
    *draft = realm_draft_none();
    uint32_t block = realm_ticket_block(engine, ticket);
    if (block == 0) {
        return realm_refuse(engine, REALM_ERROR, "the ticket is stale: a newer admission, a cancel or another realm has its place");
    }
    if (REALM_PLANT(S12) && realm_block_at(engine, block)->draft != 0) {
        *draft = (RealmDraftHandle){ realm_block_at(engine, block)->draft - 1, 1 };
        return REALM_DONE;
    }
    if (realm_block_at(engine, block)->draft != 0) {
        return realm_refuse(engine, REALM_ERROR, "the ticket has a draft already");
    }
    if (realm_draft_room(engine) == 0 || realm_leaf_room(engine) == 0) {
        return realm_refuse(engine, REALM_NOT_YET, "no draft or no leaf is free");
    }
    if (REALM_PLANT(T20)) {
        realm_plant_touch_blocks(engine);
    }
    for (uint32_t i = 0; REALM_PLANT(T21) && i < engine->root->residents; i++) {
        realm_plant_allocate();
    }
    uint32_t    link = realm_draft_take(engine), leaf = realm_leaf_take(engine);
    RealmDraft *value = realm_draft_edit(engine, link);
    RealmLeaf  *own = realm_leaf_edit(engine, leaf);
    own->number = ticket->generation;
    own->block = block;
    value->number = ticket->generation;
    value->block = block;
    value->leaf = leaf;
    realm_block_edit(engine, block)->draft = link;
    line_up(engine, link);
    *draft = (RealmDraftHandle){ link - 1, value->generation };
    return REALM_DONE;
}

void realm_draft_close(RealmEngine *engine, uint32_t link)
{
    RealmDraft *draft = realm_draft_edit(engine, link);
    RealmRoot  *root = realm_root_edit(engine);
    if (draft->prev != 0) {
        realm_draft_edit(engine, draft->prev)->next = draft->next;
    } else {
        root->draft_first = draft->next;
    }
    if (draft->next != 0) {
        realm_draft_edit(engine, draft->next)->prev = draft->prev;
    } else {
        root->draft_last = draft->prev;
    }
    draft->next = 0;
    draft->prev = 0;
    draft->member_cursor = 0;
    draft->static_cursor = 0;
    draft->rebase_static = 0;
    draft->rebase_member = 0;
    draft->rebase_set = 0;
    draft->rebase_neighbour = 0;
    root->drafts_live--;
    realm_block_edit(engine, draft->block)->draft = 0;
    realm_journal_close(engine);
}

void realm_draft_fail(RealmEngine *engine, uint32_t draft)
{
    realm_root_edit(engine)->limit_cancels++;
    realm_admission_cancel(engine, realm_draft_at(engine, draft)->block, REALM_REASON_LIMIT);
}

bool realm_draft_queue(RealmEngine *engine, uint32_t draft, uint32_t owner)
{
    if (realm_set_find(engine, owner, draft) != 0) {
        return true;
    }
    if (realm_set_new(engine, owner, draft) == 0) {
        realm_draft_fail(engine, draft);
        return false;
    }
    return true;
}

bool realm_draft_neighbour(const RealmEngine *engine, const RealmDraft *draft, uint32_t k, uint16_t *prefix)
{
    uint16_t middle = realm_block_at(engine, draft->block)->prefix;
    int32_t  place = (int32_t)(k < REALM_NEIGHBOURS / 2 ? k : k + 1); // of the 25, row by row, without the middle
    int32_t  x = (middle >> 8) + place % 5 - 2, y = (middle & 255) + place / 5 - 2;
    if (x < 0 || y < 0 || x >= REALM_WORLD_MAX || y >= REALM_WORLD_MAX) {
        return false;
    }
    *prefix = (uint16_t)(x << 8 | y);
    return true;
}

uint64_t realm_draft_neighbour_now(const RealmEngine *engine, const RealmDraft *draft, uint32_t k)
{
    uint16_t prefix;
    if (!realm_draft_neighbour(engine, draft, k, &prefix)) {
        return 0;
    }
    uint32_t leaf = realm_view_leaf(engine, REALM_ACTIVE, prefix);
    return leaf == 0 ? 0 : realm_leaf_at(engine, leaf)->number * 2 + realm_leaf_at(engine, leaf)->is_demoted;
}

void realm_draft_count_unit(RealmEngine *engine, uint32_t draft)
{
    engine->units = 1;
    realm_root_edit(engine)->units++;
    if (draft != 0) {
        realm_draft_edit(engine, draft)->units++;
    }
}

RealmAnswer realm_materialise(RealmEngine *engine, RealmDraftHandle draft)
{
    uint32_t link = realm_draft_for_call(engine, draft);
    if (link == 0) {
        return REALM_ERROR;
    }
    if (realm_draft_at(engine, link)->phase != REALM_PHASE_MATERIALISE) {
        return REALM_DONE;
    }
    RealmDraft *value = realm_draft_edit(engine, link);
    value->neighbours[value->neighbour_cursor] = realm_draft_neighbour_now(engine, value, value->neighbour_cursor);
    value->neighbour_cursor++;
    if (REALM_PLANT(T22) && value->neighbour_cursor % 4 == 1) {
        value->neighbours[value->neighbour_cursor] = realm_draft_neighbour_now(engine, value, value->neighbour_cursor);
        value->neighbour_cursor++;
    }
    realm_draft_count_unit(engine, link);
    if (value->neighbour_cursor < REALM_NEIGHBOURS) {
        return realm_refuse(engine, REALM_NOT_YET, "neighbours are still to be noted");
    }
    value->phase = REALM_PHASE_PUBLISH;
    return REALM_DONE;
}

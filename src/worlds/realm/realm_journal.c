// realm_journal.c: which owners changed while drafts were open: one ring for all of them, one live entry per owner. Entries have absolute numbers
// that never come back, so a cursor can neither miss a reused slot nor see one twice. An entry older than the newest draft's beginning is
// superseded by one at the end instead of being reused, since that draft does not look further back.
#include "realm_internal.h"

static RealmJournalSlot *slot_edit(RealmEngine *engine, uint64_t number)
{
    return realm_write(engine, &engine->journal[number % engine->journal_count], sizeof(RealmJournalSlot));
}

static const RealmJournalSlot *slot_at(const RealmEngine *engine, uint64_t number)
{
    return &engine->journal[number % engine->journal_count];
}

// The number of the owner's live entry + 1, or 0.
static uint64_t entry_of(const RealmEngine *engine, uint32_t owner)
{
    const RealmOwner *value = realm_owner_at(engine, owner);
    if (value->journal == 0 || value->journal - 1 < engine->root->journal_head || value->journal > engine->root->journal_tail) {
        return 0;
    }
    const RealmJournalSlot *slot = slot_at(engine, value->journal - 1);
    return realm_owner_handle_equal(slot->owner, realm_owner_handle(engine, owner)) ? value->journal : 0;
}

// No open draft still has to see this entry.
static bool is_behind_all(const RealmEngine *engine, uint64_t number)
{
    for (uint32_t link = engine->root->draft_first; link != 0; link = realm_draft_at(engine, link)->next) {
        if (realm_draft_at(engine, link)->journal_cursor <= number) {
            return false;
        }
    }
    return true;
}

static bool retire_first(RealmEngine *engine)
{
    uint64_t head = engine->root->journal_head;
    if (head == engine->root->journal_tail) {
        return false;
    }
    bool is_obsolete = realm_owner_link(engine, slot_at(engine, head)->owner) == 0;
    if (!is_obsolete && !is_behind_all(engine, head)) {
        return false;
    }
    slot_edit(engine, head)->owner = realm_owner_none();
    realm_root_edit(engine)->journal_head++;
    return true;
}

void realm_journal_compact(RealmEngine *engine)
{
    while (REALM_PLANT(T43) && retire_first(engine)) {
    }
    retire_first(engine);
}

static uint32_t furthest_behind(const RealmEngine *engine)
{
    uint32_t slowest = engine->root->draft_first;
    for (uint32_t link = slowest; link != 0; link = realm_draft_at(engine, link)->next) {
        if (realm_draft_at(engine, link)->journal_cursor < realm_draft_at(engine, slowest)->journal_cursor) {
            slowest = link;
        }
    }
    return slowest;
}

// The rule at the limit: what nobody needs goes first; then the draft that is furthest behind is cancelled, until there is room.
static void make_room(RealmEngine *engine)
{
    while (engine->root->journal_tail - engine->root->journal_head >= engine->journal_count) {
        if (!retire_first(engine)) {
            realm_draft_fail(engine, furthest_behind(engine));
        }
    }
}

void realm_journal_note(RealmEngine *engine, uint32_t owner)
{
    if (engine->root->drafts_live == 0) {
        return;
    }
    uint64_t entry = entry_of(engine, owner);
    if (REALM_PLANT(T39)) {
        realm_plant_allocate();
    }
    if (REALM_PLANT(T42) && entry != 0) {
        return;
    }
    if (REALM_PLANT(T38)) {
        entry = 0;
    }
    if (entry != 0 && entry - 1 >= engine->root->journal_floor) {
        return;
    }
    if (entry != 0) {
        slot_edit(engine, entry - 1)->owner = realm_owner_none();
    }
    make_room(engine);
    if (engine->root->drafts_live == 0) {
        return;
    }
    uint64_t number = engine->root->journal_tail;
    slot_edit(engine, number)->owner = realm_owner_handle(engine, owner);
    realm_root_edit(engine)->journal_tail = number + 1;
    realm_owner_edit(engine, owner)->journal = number + 1;
}

bool realm_journal_is_done(const RealmEngine *engine, const RealmDraft *draft)
{
    uint64_t from = draft->journal_cursor > engine->root->journal_head ? draft->journal_cursor : engine->root->journal_head;
    return from >= draft->journal_end;
}

bool realm_journal_next(RealmEngine *engine, uint32_t draft, uint32_t *owner)
{
    if (realm_journal_is_done(engine, realm_draft_at(engine, draft))) {
        return false;
    }
    RealmDraft *value = realm_draft_edit(engine, draft);
    if (value->journal_cursor < engine->root->journal_head) {
        value->journal_cursor = engine->root->journal_head;
    }
    *owner = realm_owner_link(engine, slot_at(engine, value->journal_cursor)->owner);
    value->journal_cursor++;
    return true;
}

void realm_journal_close(RealmEngine *engine)
{
    if (engine->root->drafts_live == 0) {
        RealmRoot *root = realm_root_edit(engine);
        root->journal_head = root->journal_tail;
        root->journal_floor = root->journal_tail;
    }
}

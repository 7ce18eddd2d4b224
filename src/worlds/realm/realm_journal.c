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

// The draft still has to see this entry. Changes after its topology was sealed write through, so a sealed one needs its window only.
static bool is_needed_by(const RealmDraft *draft, uint64_t number)
{
    return draft->journal_cursor <= number && !(realm_phase_is_sealed(draft) && draft->journal_end <= number);
}

static bool is_behind_all(const RealmEngine *engine, uint64_t number)
{
    for (uint32_t link = engine->root->draft_first; link != 0; link = realm_draft_at(engine, link)->next) {
        if (is_needed_by(realm_draft_at(engine, link), number)) {
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

// The oldest draft that needs the first entry.
static uint32_t furthest_behind(const RealmEngine *engine)
{
    uint32_t link = engine->root->draft_first;
    while (!is_needed_by(realm_draft_at(engine, link), engine->root->journal_head)) {
        link = realm_draft_at(engine, link)->next;
    }
    return link;
}

static bool is_live_entry(const RealmEngine *engine, uint64_t number)
{
    return realm_owner_link(engine, slot_at(engine, number)->owner) != 0;
}

// Where `number` comes to lie when the live entries are moved up against the journal's end, in their order.
static uint64_t squeezed(const RealmEngine *engine, uint64_t number)
{
    uint64_t place = engine->root->journal_tail;
    for (uint64_t n = engine->root->journal_tail; n > engine->root->journal_head && n > number; n--) {
        place -= is_live_entry(engine, n - 1);
    }
    return number >= engine->root->journal_tail ? number : place;
}

// Obsolete slots between live ones go: live entries move towards the end, and every draft's window with them. The one walk of the whole ring; it happens
// at its limit only. True when that made room.
static bool squeeze(RealmEngine *engine)
{
    for (uint32_t link = engine->root->draft_first; link != 0; link = realm_draft_at(engine, link)->next) {
        RealmDraft *draft = realm_draft_edit(engine, link);
        draft->journal_from = squeezed(engine, draft->journal_from);
        draft->journal_cursor = squeezed(engine, draft->journal_cursor);
        draft->journal_end = realm_phase_is_sealed(draft) ? squeezed(engine, draft->journal_end) : draft->journal_end;
    }
    uint64_t head = engine->root->journal_head, place = engine->root->journal_tail, floor = squeezed(engine, engine->root->journal_floor);
    for (uint64_t n = place; n > head; n--) {
        RealmOwnerHandle owner = slot_at(engine, n - 1)->owner;
        uint32_t         link = realm_owner_link(engine, owner);
        if (link == 0) {
            continue;
        }
        place--;
        slot_edit(engine, place)->owner = owner;
        realm_owner_edit(engine, link)->journal = place + 1;
    }
    for (uint64_t n = head; n < place; n++) {
        slot_edit(engine, n)->owner = realm_owner_none();
    }
    RealmRoot *root = realm_root_edit(engine);
    root->journal_head = place;
    root->journal_floor = floor;
    return place > head;
}

// The rule at the limit: what nobody needs goes first, then what is obsolete, wherever it lies; then the oldest draft that needs the first entry is
// cancelled, until there is room.
static void make_room(RealmEngine *engine)
{
    while (engine->root->journal_tail - engine->root->journal_head >= engine->journal_count) {
        if (!retire_first(engine) && !squeeze(engine)) {
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

// The journal: one note per owner that changed, whatever the number of drafts; read once, by those who need it, one entry per unit.
#include <criterion/criterion.h>

#include "realm_count.h"
#include "realm_rig.h"

enum { DRAFTS = 32, MUTATIONS = 10000, CHANGED = 512, TAIL = 4096 };

static uint64_t journal_length(const Rig *rig)
{
    return rig->engine.root->journal_tail - rig->engine.root->journal_head;
}

// Unsealed drafts of landblocks far from each other and from (100, 100).
static void open_drafts(Rig *rig, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        rig_start(rig, 5 * i + 1, 5);
    }
}

static RealmPlace place_of(uint32_t step)
{
    return rig_place(100, 100, 1000 + 17 * (int32_t)step, 50000);
}

static void open_crowd(Rig *rig, RigSizes sizes)
{
    rig_open(rig, sizes);
    rig->check_every = 64;
    rig_load_flat(rig, 100, 100, 10);
}

Test(realm_journal, realm_t38_repeated_mutations_are_one_entry)
{
    Rig rig;
    open_crowd(&rig, rig_medium());
    RealmOwnerHandle owner = rig_owner(&rig, 42, rig_setup_small(), place_of(0));
    open_drafts(&rig, DRAFTS);
    cr_assert_eq(rig.engine.root->drafts_live, DRAFTS);
    rig.check_every = 500;
    for (uint32_t i = 1; i <= MUTATIONS; i++) {
        rig_move(&rig, owner, place_of(i));
        cr_assert_eq(journal_length(&rig), 1);
    }
    rig_check(&rig);
    rig_close(&rig);
}

// 27: what a change costs does not depend on how many drafts are open.
Test(realm_journal, realm_27_a_change_costs_the_same_with_32_drafts)
{
    uint32_t pages[2];
    for (uint32_t k = 0; k < 2; k++) {
        Rig rig;
        open_crowd(&rig, rig_medium());
        RealmOwnerHandle owner = rig_owner(&rig, 42, rig_setup_small(), place_of(0));
        open_drafts(&rig, k == 0 ? 1 : DRAFTS);
        rig_move(&rig, owner, place_of(1));
        rig_forget_pages(&rig);
        rig_move(&rig, owner, place_of(2));
        pages[k] = rig_pages(&rig);
        rig_close(&rig);
    }
    cr_assert_eq(pages[0], pages[1]);
}

Test(realm_journal, realm_t39_mutations_allocate_nothing)
{
    Rig rig;
    open_crowd(&rig, rig_medium());
    RealmOwnerHandle owner = rig_owner(&rig, 42, rig_setup_small(), place_of(0));
    open_drafts(&rig, DRAFTS);
    RealmAnswer answer = REALM_DONE;
    realm_count_begin();
    for (uint32_t i = 1; i <= MUTATIONS && answer == REALM_DONE; i++) {
        answer = realm_owner_move(&rig.engine, owner, place_of(i));
    }
    uint64_t calls = realm_count_end();
    cr_assert_eq(answer, REALM_DONE);
    cr_assert_eq(calls, 0, "%llu calls of the allocator", (unsigned long long)calls);
    rig_close(&rig);
}

// Units from close to ready, with so many unrelated owners changed once meanwhile.
static uint32_t units_with_changes(uint32_t changed)
{
    Rig        rig;
    RigContent content;
    open_crowd(&rig, rig_medium());
    RealmOwnerHandle owners[CHANGED];
    for (uint32_t i = 0; i < CHANGED; i++) {
        owners[i] = rig_owner(&rig, 1000 + i, rig_setup_small(), rig_place(100, 100, 1000 + 300 * (int32_t)i, 50000));
    }
    rig_content(&content, 25);
    RealmDraftHandle draft = rig_draft(&rig, 1, 1, &content);
    for (uint32_t i = 0; i < changed; i++) {
        rig_move(&rig, owners[i], rig_place(100, 100, 1000 + 300 * (int32_t)i, 60000));
    }
    cr_assert_eq(journal_length(&rig), changed);
    uint32_t units = rig_seal(&rig, draft);
    RIG_DONE(&rig, realm_commit(&rig.engine, draft));
    rig_check(&rig);
    rig_close(&rig);
    return units;
}

Test(realm_journal, realm_t40_512_changed_owners_are_512_units)
{
    uint32_t quiet = units_with_changes(0);
    uint32_t busy = units_with_changes(CHANGED);
    cr_assert_eq(busy - quiet, CHANGED, "%u units more", busy - quiet);
}

Test(realm_journal, realm_t42_no_slot_is_reused_behind_a_live_cursor)
{
    Rig        rig;
    RigContent content;
    rig_open(&rig, rig_small());
    rig_load_flat(&rig, 1, 1, 10);
    rig_load_flat(&rig, 9, 9, 10);
    RealmOwnerHandle owner = rig_owner(&rig, 42, rig_setup_small(), rig_place(9, 9, 30000, 30000));
    rig_content(&content, 25);
    rig_start(&rig, 20, 20); // keeps the journal alive from before
    rig_move(&rig, owner, rig_place(9, 9, 31000, 30000));
    uint64_t         first = rig_owner_at(&rig, owner)->journal;
    RealmDraftHandle draft = rig_draft(&rig, 1, 1, &content);
    rig_move(&rig, owner, rig_place(1, 1, 32000, 30000));
    uint64_t second = rig_owner_at(&rig, owner)->journal;
    cr_assert_gt(second, first, "the old entry is superseded, not reused");
    cr_assert_gt(second, rig_draft_at(&rig, draft)->journal_from, "so that the newer draft finds it");
    cr_assert_eq(realm_owner_link(&rig.engine, rig.engine.journal[(first - 1) % rig.engine.journal_count].owner), 0);
    rig_seal(&rig, draft);
    cr_assert_eq(rig_rows(&rig, rig_view(&rig, draft), 1, 1, 42), 1);
    rig_close(&rig);
}

// A draft before a journal whose beginning is all obsolete.
static RealmDraftHandle open_tail(Rig *rig)
{
    RigContent content;
    rig_open(rig, rig_large());
    rig->check_every = 2000;
    rig_load_flat(rig, 100, 100, 10);
    rig_content(&content, 25);
    RealmDraftHandle draft = rig_draft(rig, 1, 1, &content);
    for (uint32_t i = 0; i < TAIL; i++) {
        RealmOwnerHandle owner = rig_owner(rig, 1000 + i, rig_setup_small(), rig_place(100, 100, 40 * (int32_t)i, 50000));
        RIG_DONE(rig, realm_owner_deregister(&rig->engine, owner));
    }
    return draft;
}

Test(realm_journal, realm_t43_obsolete_tail_retires_incrementally)
{
    Rig              rig;
    RealmDraftHandle draft = open_tail(&rig);
    cr_assert_eq(journal_length(&rig), TAIL);
    uint64_t    head = rig.engine.root->journal_head, length = TAIL;
    uint32_t    calls = 0;
    RealmAnswer answer;
    do {
        answer = rig_after(&rig, realm_seal(&rig.engine, draft));
        cr_assert_leq(rig.engine.root->journal_head - head, 1, "more than one slot retired in one call");
        head = rig.engine.root->journal_head;
        calls++;
    } while (answer == REALM_NOT_YET && calls <= 2 * length);
    cr_assert_eq(answer, REALM_DONE);
    cr_assert_leq(calls, length + 64);
    RIG_DONE(&rig, realm_commit(&rig.engine, draft));
    cr_assert_eq(journal_length(&rig), 0, "the last draft is closed");
    rig_close(&rig);
}

Test(realm_journal, realm_t44_later_draft_starts_at_its_suffix)
{
    Rig        rig;
    RigContent content;
    open_tail(&rig);
    rig_content(&content, 25);
    RealmDraftHandle later = rig_draft(&rig, 50, 50, &content);
    cr_assert_eq(rig_draft_at(&rig, later)->journal_from, rig.engine.root->journal_tail);
    uint32_t units = rig_seal(&rig, later);
    cr_assert_leq(units, 4, "%u units: it read what was before it", units);
    rig_close(&rig);
}

Test(realm_journal, realm_23_31_the_last_draft_empties_the_journal)
{
    Rig rig;
    open_crowd(&rig, rig_small());
    RealmOwnerHandle owner = rig_owner(&rig, 42, rig_setup_small(), place_of(0));
    cr_assert_eq(journal_length(&rig), 0, "nobody listens");
    RealmTicket first = rig_begin(&rig, 1, 1), second = rig_begin(&rig, 5, 5);
    rig_prepare(&rig, &first);
    rig_prepare(&rig, &second);
    rig_move(&rig, owner, place_of(1));
    cr_assert_eq(journal_length(&rig), 1);
    RIG_DONE(&rig, realm_cancel(&rig.engine, &first, NULL));
    cr_assert_eq(journal_length(&rig), 1);
    RIG_DONE(&rig, realm_cancel(&rig.engine, &second, NULL));
    cr_assert_eq(journal_length(&rig), 0);
    rig_close(&rig);
}

// The rule at the limit: with no slot left the draft that is furthest behind goes, and the active world loses nothing.
Test(realm_journal, realm_23_a_full_journal_ends_the_draft_that_is_furthest_behind)
{
    Rig      rig;
    RigSizes sizes = rig_small();
    sizes.items[REALM_CONFIG_JOURNAL] = 16;
    open_crowd(&rig, sizes);
    rig.check_every = 1;
    RealmOwnerHandle owners[20];
    for (uint32_t i = 0; i < 20; i++) {
        owners[i] = rig_owner(&rig, 100 + i, rig_setup_small(), rig_place(100, 100, 5000 * (int32_t)i, 50000));
    }
    RealmDraftHandle draft = rig_start(&rig, 1, 1);
    for (uint32_t i = 0; i < 20; i++) {
        rig_move(&rig, owners[i], rig_place(100, 100, 5000 * (int32_t)i, 60000));
    }
    cr_assert_eq(realm_draft_link(&rig.engine, draft), 0);
    cr_assert_eq(rig.engine.root->limit_cancels, 1);
    cr_assert_eq(rig_event_last(&rig, REALM_EVENT_CANCELLED)->data.reason, REALM_REASON_LIMIT);
    for (uint32_t i = 0; i < 20; i++) {
        cr_assert_geq(rig_rows_of(&rig, REALM_ACTIVE, owners[i]), 1);
    }
    rig_close(&rig);
}

// Goal: a draft that has read its window pins nothing: what changes far away afterwards writes through, or does not concern it.
Test(realm_journal, realm_31_a_sealed_draft_does_not_pin_the_ring)
{
    Rig      rig;
    RigSizes sizes = rig_small();
    sizes.items[REALM_CONFIG_JOURNAL] = 16;
    rig_open(&rig, sizes);
    rig_load_flat(&rig, 1, 1, 10);
    RealmOwnerHandle owners[20];
    for (int32_t i = 0; i < 20; i++) {
        owners[i] = rig_owner(&rig, 100 + (uint32_t)i, rig_setup_small(), rig_place(30, 30, 1000 + i * 2000, 5000));
    }
    RigContent content;
    rig_content(&content, 25);
    RealmDraftHandle draft = rig_draft(&rig, 1, 1, &content);
    rig_seal(&rig, draft);
    for (int32_t i = 0; i < 20; i++) {
        rig_move(&rig, owners[i], rig_place(30, 30, 1000 + i * 2000, 9000));
    }
    cr_assert_eq(rig.engine.root->limit_cancels, 0);
    rig_commit(&rig, draft);
    rig_close(&rig);
}

// Goal: obsolete slots between live ones do not fill the ring: two owners never take more than two of it for long.
Test(realm_journal, realm_31_obsolete_slots_in_the_middle_make_room)
{
    Rig      rig;
    RigSizes sizes = rig_small();
    sizes.items[REALM_CONFIG_JOURNAL] = 16;
    rig_open(&rig, sizes);
    RealmOwnerHandle first = rig_owner(&rig, 1, rig_setup_small(), rig_place(1, 1, 30000, 30000));
    RealmOwnerHandle other = rig_owner(&rig, 2, rig_setup_small(), rig_place(30, 30, 9000, 5000));
    RealmDraftHandle draft = rig_start(&rig, 1, 1);
    rig_move(&rig, first, rig_place(1, 1, 31000, 30000));
    for (int32_t i = 0; i < 100; i++) {
        RealmTicket ticket = rig_begin(&rig, 9, 9);
        rig_prepare(&rig, &ticket);
        rig_move(&rig, other, rig_place(30, 30, 9000 + i, 5000));
        RIG_DONE(&rig, realm_cancel(&rig.engine, &ticket, NULL));
        rig_drain(&rig);
    }
    cr_assert_eq(rig.engine.root->limit_cancels, 0);
    RigContent content;
    rig_content(&content, 25);
    rig_publish(&rig, draft, &content);
    RIG_DONE(&rig, realm_publish_close(&rig.engine, draft));
    rig_commit(&rig, draft);
    cr_assert_eq(rig_rows(&rig, REALM_ACTIVE, 1, 1, 1), 1, "who was in the journal all the time was reconciled");
    rig_close(&rig);
}

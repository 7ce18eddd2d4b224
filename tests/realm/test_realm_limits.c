// What preparation costs, and what happens when something is full.
#include <criterion/criterion.h>

#include "realm_rig.h"

enum { CROWD = 256 };

// 16 x 16 owners in (1, 1).
static void seat_crowd(Rig *rig)
{
    for (uint32_t i = 0; i < CROWD; i++) {
        rig_owner(rig, 1000 + i, rig_setup_small(), rig_place(1, 1, 6000 + 12000 * (int32_t)(i % 16), 6000 + 12000 * (int32_t)(i / 16)));
    }
}

Test(realm_limits, realm_t12_dense_sealing_is_one_unit_per_call)
{
    Rig        rig;
    RigContent content;
    rig_open(&rig, rig_medium());
    rig.check_every = 16;
    rig_load_flat(&rig, 1, 1, 10);
    seat_crowd(&rig);
    rig_content(&content, 25);
    rig_add_house(&content, 2, 7);
    rig_add_static(&content, 700, rig_setup_small(), 100000, 100000);
    RealmDraftHandle draft = rig_draft(&rig, 1, 1, &content);
    uint32_t         units = 0;
    RealmAnswer      answer = REALM_NOT_YET;
    while (answer == REALM_NOT_YET) {
        const RealmDraft *value = rig_draft_at(&rig, draft);
        uint64_t          before = value->units;
        uint32_t          sets = value->sets, queued = value->queued, topology = value->topology_cursor;
        answer = rig_after(&rig, realm_seal(&rig.engine, draft));
        units += rig.engine.units;
        cr_assert_eq(value->units - before, rig.engine.units);
        cr_assert_leq(value->sets - sets, 1, "more than one owner was flooded");
        cr_assert_leq((int64_t)value->queued - queued, 1, "more than one owner was captured");
        cr_assert_leq(value->topology_cursor - topology, 1, "more than one cell or building was looked at");
    }
    cr_assert_eq(answer, REALM_DONE);
    cr_assert_gt(units, CROWD);
    RIG_DONE(&rig, realm_commit(&rig.engine, draft));
    cr_assert_eq(rig.engine.units, 0);
    rig_close(&rig);
}

// So many residents, and then Begin, Prepare and one neighbour of (1, 1). That landblock was there before and is gone, so that its slots are
// used again and lie in the same places whatever the number of residents is.
typedef struct Cost {
    uint32_t pages, leaves, drafts, materialise_pages, calls;
} Cost;

static Cost cost_with(uint32_t residents)
{
    Rig  rig;
    Cost cost = { 0 };
    rig_open(&rig, rig_large());
    rig.check_every = 0;
    rig_load_flat(&rig, 1, 1, 10);
    for (uint32_t i = 0; i < residents; i++) {
        rig_load_flat(&rig, 5 + i % 32, 5 + i / 32, 10);
    }
    RIG_DONE(&rig, realm_withdraw(&rig.engine, rig_at(1, 1)));
    rig_drain(&rig);
    uint32_t leaves = rig_live(&rig, REALM_SECTION_LEAF_POOL), drafts = rig_live(&rig, REALM_SECTION_DRAFT_POOL);
    uint64_t units = rig.engine.root->units;
    rig_forget_pages(&rig);
    RealmTicket      ticket = rig_begin(&rig, 1, 1);
    RealmDraftHandle draft = rig_prepare(&rig, &ticket);
    cost.pages = rig_pages(&rig);
    cost.leaves = rig_live(&rig, REALM_SECTION_LEAF_POOL) - leaves;
    cost.drafts = rig_live(&rig, REALM_SECTION_DRAFT_POOL) - drafts;
    cr_assert_eq(rig.engine.root->units, units, "Begin and Prepare are no units");
    rig_forget_pages(&rig);
    RealmAnswer answer = REALM_NOT_YET;
    while (answer == REALM_NOT_YET) {
        uint8_t cursor = rig_draft_at(&rig, draft)->neighbour_cursor;
        answer = rig_after(&rig, realm_materialise(&rig.engine, draft));
        cr_assert_eq(rig.engine.units, 1);
        cr_assert_eq(rig_draft_at(&rig, draft)->neighbour_cursor, cursor + 1, "one neighbour per call");
        cost.calls++;
    }
    cost.materialise_pages = rig_pages(&rig);
    rig_check(&rig);
    rig_close(&rig);
    return cost;
}

Test(realm_limits, realm_t20_dense_admission_copies_nothing)
{
    Cost few = cost_with(32), many = cost_with(256);
    cr_assert_eq(few.leaves, 1, "the draft's own");
    cr_assert_eq(many.leaves, 1);
    cr_assert_eq(few.drafts, 1);
    cr_assert_eq(many.drafts, 1);
    cr_assert_eq(few.pages, many.pages, "%u and %u pages are written", few.pages, many.pages);
}

Test(realm_limits, realm_t22_materialise_is_one_leaf_per_advance)
{
    Cost few = cost_with(32), many = cost_with(256);
    cr_assert_eq(few.calls, REALM_NEIGHBOURS);
    cr_assert_eq(many.calls, REALM_NEIGHBOURS);
    cr_assert_eq(few.materialise_pages, many.materialise_pages);
}

// 10: what Prepare writes is a handful of pages, so that no catalog is copied, either.
Test(realm_limits, realm_09_10_prepare_is_constant)
{
    Cost none = cost_with(1), few = cost_with(32);
    cr_assert_eq(none.pages, few.pages);
    cr_assert_leq(none.pages, 16);
}

Test(realm_limits, realm_11_one_draft_too_many_waits)
{
    Rig              rig;
    RealmTicket      ticket;
    RealmDraftHandle draft;
    rig_open(&rig, rig_large());
    rig.check_every = 100;
    RealmTicket first = rig_begin(&rig, 0, 1);
    rig_prepare(&rig, &first);
    for (uint32_t i = 1; i < 256; i++) {
        ticket = rig_begin(&rig, i % 250, 1 + i / 250);
        rig_prepare(&rig, &ticket);
    }
    cr_assert_eq(rig.engine.root->drafts_live, 256);
    ticket = rig_begin(&rig, 9, 9);
    RIG_NOT_YET(&rig, realm_prepare(&rig.engine, &ticket, &draft));
    cr_assert_eq(draft.generation, 0);
    cr_assert_eq(rig.engine.root->drafts_live, 256);
    RIG_DONE(&rig, realm_cancel(&rig.engine, &first, NULL));
    rig_drain(&rig);
    RIG_DONE(&rig, realm_prepare(&rig.engine, &ticket, &draft));
    rig_check(&rig);
    rig_close(&rig);
}

Test(realm_limits, realm_09_residents_are_limited)
{
    Rig         rig;
    RealmTicket ticket;
    RigSizes    sizes = rig_small();
    sizes.items[REALM_CONFIG_RESIDENTS] = 3;
    rig_open(&rig, sizes);
    rig_load_flat(&rig, 1, 1, 10);
    rig_load_flat(&rig, 3, 3, 10);
    rig_begin(&rig, 5, 5);
    RIG_NOT_YET(&rig, realm_begin(&rig.engine, rig_at(7, 7), &ticket));
    cr_assert_eq(ticket.generation, 0);
    rig_begin(&rig, 1, 1); // has its place already
    rig_begin(&rig, 5, 5);
    RIG_DONE(&rig, realm_withdraw(&rig.engine, rig_at(3, 3)));
    rig_drain(&rig);
    RIG_DONE(&rig, realm_begin(&rig.engine, rig_at(7, 7), &ticket));
    rig_close(&rig);
}

// Full pools hold an owner back and change nothing.
static void refuse_owner(RealmConfig item, int64_t size)
{
    Rig      rig;
    RigSizes sizes = rig_small();
    sizes.items[item] = size;
    if (item == REALM_CONFIG_BLOCKS) {
        sizes.items[REALM_CONFIG_RESIDENTS] = 1;
    }
    rig_open(&rig, sizes);
    rig_load_flat(&rig, 1, 1, 10);
    RealmOwnerContent content = { .id = 1, .setup = rig_setup_wide(), .place = rig_place(1, 1, 1000, 1000) };
    RealmOwnerHandle  owner;
    RealmAnswer       answer = REALM_DONE;
    for (uint32_t i = 0; answer == REALM_DONE && i < 1000; i++) {
        content.place = rig_place(1 + i % 60, 1 + i % 60, 1000, 1000);
        uint64_t picture = rig_picture(&rig, REALM_ACTIVE);
        answer = rig_after(&rig, realm_owner_register(&rig.engine, &content, &owner));
        cr_assert(answer == REALM_DONE || rig_picture(&rig, REALM_ACTIVE) == picture);
    }
    cr_assert_eq(answer, REALM_NOT_YET, "item %d", (int)item);
    cr_assert_eq(owner.generation, 0);
    rig_close(&rig);
}

Test(realm_limits, realm_22_full_pools_hold_an_owner_back)
{
    refuse_owner(REALM_CONFIG_DYNAMICS, 5);
    refuse_owner(REALM_CONFIG_MEMBERS, 30);
    refuse_owner(REALM_CONFIG_SETS, 10);
    refuse_owner(REALM_CONFIG_BLOCKS, 12);
}

Test(realm_limits, realm_22_full_rows_hold_a_move_back)
{
    Rig      rig;
    RigSizes sizes = rig_small();
    sizes.items[REALM_CONFIG_ROWS] = 20;
    rig_open(&rig, sizes);
    rig_load_flat(&rig, 1, 1, 10);
    rig_owner(&rig, 41, rig_setup_wide(), rig_place(1, 1, 96000, 96000));
    RealmOwnerHandle owner = rig_owner(&rig, 42, rig_setup_wide(), rig_place(9, 9, 96000, 96000)); // lost: rowless
    uint64_t         picture = rig_picture(&rig, REALM_ACTIVE);
    RIG_NOT_YET(&rig, realm_owner_move(&rig.engine, owner, rig_place(1, 1, 96000, 96000)));
    cr_assert_eq(rig_picture(&rig, REALM_ACTIVE), picture);
    cr_assert_eq(rig_owner_at(&rig, owner)->cell >> 16, rig_prefix(9, 9));
    rig_close(&rig);
}

// A draft that finds no room waits, and goes on when there is some.
Test(realm_limits, realm_33_a_draft_without_room_waits)
{
    Rig        rig;
    RigContent content;
    RigSizes   sizes = rig_small();
    sizes.items[REALM_CONFIG_ROWS] = 40;
    rig_open(&rig, sizes);
    rig_load_flat(&rig, 1, 1, 10);
    rig_load_flat(&rig, 5, 5, 10);
    rig_owner(&rig, 42, rig_setup_wide(), rig_place(1, 1, 96000, 96000));
    RealmOwnerHandle other = rig_owner(&rig, 43, rig_setup_wide(), rig_place(5, 5, 96000, 96000));
    rig_content(&content, 25);
    RealmDraftHandle draft = rig_draft(&rig, 1, 1, &content);
    for (uint32_t i = 0; i < 20; i++) {
        RIG_NOT_YET(&rig, realm_seal(&rig.engine, draft));
    }
    cr_assert_eq(rig_draft_at(&rig, draft)->queued, 1, "there is room for two sets of sixteen");
    RIG_DONE(&rig, realm_owner_deregister(&rig.engine, other));
    rig_commit(&rig, draft);
    cr_assert_eq(rig_height(&rig, REALM_ACTIVE, 1, 1), 25);
    rig_close(&rig);
}

// Goal: a full pool of members holds back only what needs one.
Test(realm_limits, members_full_leaves_who_stays_alone)
{
    Rig      rig;
    RigSizes sizes = rig_small();
    sizes.items[REALM_CONFIG_MEMBERS] = 16;
    rig_open(&rig, sizes);
    rig_load_flat(&rig, 1, 1, 10);
    RealmOwnerHandle owners[16];
    for (int32_t i = 0; i < 16; i++) {
        owners[i] = rig_owner(&rig, (uint32_t)i + 1, rig_setup_small(), rig_place(1, 1, 5000 + i * 8000, 5000));
    }
    RIG_DONE(&rig, realm_owner_set_state(&rig.engine, owners[0], 5));
    RIG_DONE(&rig, realm_owner_move(&rig.engine, owners[0], rig_place(1, 1, 5100, 5000)));
    RIG_DONE(&rig, realm_owner_suspend(&rig.engine, owners[0], true));
    RIG_NOT_YET(&rig, realm_owner_move(&rig.engine, owners[1], rig_place(1, 2, 5100, 5000)));
    rig_close(&rig);
}

// Goal: with no set left a sealed draft still reads journal entries that need none.
Test(realm_limits, sets_full_does_not_hold_back_who_needs_none)
{
    Rig      rig;
    RigSizes sizes = rig_small();
    sizes.items[REALM_CONFIG_SETS] = 4;
    rig_open(&rig, sizes);
    rig_load_flat(&rig, 1, 1, 10);
    RealmOwnerHandle owners[4];
    for (int32_t i = 0; i < 4; i++) {
        owners[i] = rig_owner(&rig, (uint32_t)i + 1, rig_setup_small(), rig_place(30, 30, 5000 + i * 8000, 5000));
    }
    RigContent content;
    rig_content(&content, 25);
    RealmDraftHandle draft = rig_draft(&rig, 1, 1, &content);
    rig_move(&rig, owners[0], rig_place(30, 30, 5500, 5000));
    rig_commit(&rig, draft);
    cr_assert_eq(rig_height(&rig, REALM_ACTIVE, 1, 1), 25);
    rig_close(&rig);
}

// Goal: a change that finds no room changes nothing, whatever commit is under way: it cancels no draft.
Test(realm_limits, a_change_without_room_cancels_nobody)
{
    uint32_t refused = 0;
    for (int32_t rows = 4; rows <= 80; rows++) {
        Rig      rig;
        RigSizes sizes = rig_small();
        sizes.items[REALM_CONFIG_ROWS] = rows;
        rig_open(&rig, sizes);
        RigContent content;
        rig_content(&content, 10);
        RealmOwnerHandle owner = rig_owner(&rig, 5, rig_setup_wide(), rig_place(2, 1, 10000, 90000));
        RealmDraftHandle older = rig_draft(&rig, 2, 1, &content), younger = rig_draft(&rig, 1, 1, &content);
        bool             is_ready = false;
        for (uint32_t i = 0; i < 300 && !is_ready; i++) {
            is_ready = realm_seal(&rig.engine, older) == REALM_DONE;
        }
        for (uint32_t i = 0; i < 300; i++) {
            realm_seal(&rig.engine, younger);
        }
        if (is_ready && realm_commit(&rig.engine, older) == REALM_DONE) {
            uint32_t events = rig.event_count;
            RealmAnswer answer = realm_owner_move(&rig.engine, owner, rig_place(2, 1, 96000, 96000));
            cr_assert(answer != REALM_NOT_YET || rig.event_count == events, "%d rows", rows);
            refused += answer == REALM_NOT_YET;
        }
        rig_close(&rig);
    }
    cr_assert_gt(refused, 0, "nothing was refused, so nothing is shown");
}

// Goal: one that never commits takes nobody along: who stood behind it has a time of its own when it is given up.
Test(realm_limits, realm_42_an_abandoned_draft_does_not_take_the_younger_along)
{
    Rig      rig;
    RigSizes sizes = rig_small();
    sizes.items[REALM_CONFIG_ABANDON_TICKS] = 20;
    rig_open(&rig, sizes);
    RigContent content;
    rig_content(&content, 25);
    RealmDraftHandle older = rig_start(&rig, 1, 1);
    RealmDraftHandle younger = rig_draft(&rig, 5, 5, &content);
    rig_seal(&rig, younger);
    RIG_NOT_YET(&rig, realm_commit(&rig.engine, younger));
    for (uint32_t i = 0; i < 20; i++) {
        realm_engine_tick(&rig.engine);
    }
    cr_assert_eq(rig.engine.root->abandoned, 1);
    cr_assert_eq(realm_draft_link(&rig.engine, older), 0);
    rig_commit(&rig, younger);
    cr_assert_eq(rig_height(&rig, REALM_ACTIVE, 5, 5), 25);
    rig_close(&rig);
}

// Demotion, withdrawal, and taking down.
#include <criterion/criterion.h>

#include "realm_rig.h"

static RealmDraftHandle flat_draft(Rig *rig, uint32_t x, uint32_t y, uint8_t height)
{
    RigContent content;
    rig_content(&content, height);
    return rig_draft(rig, x, y, &content);
}

static void load_rich(Rig *rig, uint32_t x, uint32_t y, uint32_t static_id)
{
    RigContent content;
    rig_content(&content, 10);
    rig_add_house(&content, 2, 77);
    rig_add_static(&content, static_id, rig_setup_small(), 30000, 30000);
    rig_load(rig, x, y, &content);
}

static bool is_demoted(const Rig *rig, uint32_t x, uint32_t y)
{
    return rig_height(rig, REALM_ACTIVE, x, y) >= 0 && realm_view_full_leaf(&rig->engine, REALM_ACTIVE, rig_prefix(x, y)) == 0;
}

static bool is_gone(const Rig *rig, uint32_t x, uint32_t y)
{
    return rig_height(rig, REALM_ACTIVE, x, y) < 0;
}

Test(realm_retire, realm_t31_demotion_and_withdrawal_stay_undone_by_no_draft)
{
    Rig rig;
    rig_open(&rig, rig_small());
    load_rich(&rig, 1, 1, 700);
    load_rich(&rig, 2, 2, 701);
    rig_load_flat(&rig, 3, 3, 10);
    RealmDraftHandle draft = flat_draft(&rig, 3, 3, 25);
    rig_seal_topology(&rig, draft);
    RIG_DONE(&rig, realm_demote(&rig.engine, rig_at(1, 1)));
    RIG_DONE(&rig, realm_withdraw(&rig.engine, rig_at(2, 2)));
    rig_commit(&rig, draft);
    rig_drain(&rig);
    cr_assert(is_demoted(&rig, 1, 1));
    cr_assert(is_gone(&rig, 2, 2));
    cr_assert_eq(rig_cells(&rig, REALM_ACTIVE, 1, 1), 0);
    cr_assert_eq(rig_height(&rig, REALM_ACTIVE, 3, 3), 25);
    cr_assert_eq(realm_owner_find(&rig.engine, REALM_ACTIVE, 700).generation, 0);
    cr_assert_eq(realm_owner_find(&rig.engine, REALM_ACTIVE, 701).generation, 0);
    rig_close(&rig);
}

enum { SEAM_OWNERS = 16 };

// A commits at (1, 1), which gives B at (1, 2) a rebase over the owners of their seam; `steps` of it are done before (1, 1) goes.
static void t33_with(bool is_withdrawal, uint32_t steps)
{
    Rig rig;
    rig_open(&rig, rig_small());
    rig_load_flat(&rig, 1, 1, 10);
    rig_load_flat(&rig, 1, 2, 10);
    for (uint32_t i = 0; i < SEAM_OWNERS; i++) {
        rig_owner(&rig, 60 + i, rig_setup_small(), rig_place(1, 2, 10000 + 11000 * (int32_t)i, 100));
    }
    RealmDraftHandle a = flat_draft(&rig, 1, 1, 25);
    RealmDraftHandle b = flat_draft(&rig, 1, 2, 26);
    rig_seal(&rig, b);
    rig_commit(&rig, a);
    for (uint32_t i = 0; i < steps; i++) {
        RIG_NOT_YET(&rig, realm_seal(&rig.engine, b));
        cr_assert_eq(rig.engine.units, 1);
    }
    rig_drain(&rig);
    if (is_withdrawal) {
        RIG_DONE(&rig, realm_withdraw(&rig.engine, rig_at(1, 1)));
    } else {
        RIG_DONE(&rig, realm_demote(&rig.engine, rig_at(1, 1)));
    }
    RIG_NOT_YET(&rig, realm_commit(&rig.engine, b));
    rig_commit(&rig, b);
    for (uint32_t i = 0; i < SEAM_OWNERS; i++) {
        cr_assert_eq(rig_rows(&rig, REALM_ACTIVE, 1, 1, 60 + i), 0);
        cr_assert_geq(rig_rows(&rig, REALM_ACTIVE, 1, 2, 60 + i), 1);
    }
    rig_drain(&rig);
    cr_assert(is_withdrawal ? is_gone(&rig, 1, 1) : is_demoted(&rig, 1, 1));
    cr_assert_eq(rig_height(&rig, REALM_ACTIVE, 1, 2), 26);
    rig_close(&rig);
}

Test(realm_retire, realm_t33_queued_rebase_cannot_revive)
{
    t33_with(false, 0);
    t33_with(true, 0);
}

Test(realm_retire, realm_t34_partly_applied_rebase_cannot_revive)
{
    t33_with(false, 12);
    t33_with(true, 12);
}

Test(realm_retire, realm_t45_retirement_after_the_seal_blocks)
{
    Rig rig;
    rig_open(&rig, rig_small());
    rig_load_flat(&rig, 1, 1, 10);
    load_rich(&rig, 9, 9, 700);
    RealmDraftHandle draft = flat_draft(&rig, 1, 1, 25);
    rig_seal(&rig, draft);
    RIG_DONE(&rig, realm_withdraw(&rig.engine, rig_at(9, 9)));
    RIG_NOT_YET(&rig, realm_commit(&rig.engine, draft));
    uint32_t units = 0;
    while (rig_after(&rig, realm_seal(&rig.engine, draft)) == REALM_NOT_YET) {
        units++;
        cr_assert_eq(rig.engine.units, 1);
        RIG_NOT_YET(&rig, realm_commit(&rig.engine, draft));
    }
    cr_assert_geq(units, 4, "a static, a building, two cells, the leaf");
    cr_assert_not(realm_is_retiring(&rig.engine));
    RIG_DONE(&rig, realm_commit(&rig.engine, draft));
    rig_close(&rig);
}

enum { MANY = 300 };

Test(realm_retire, realm_t46_more_than_256_retirements_are_lossless)
{
    Rig rig;
    rig_open(&rig, rig_large());
    rig.check_every = 1000;
    for (uint32_t i = 0; i < MANY; i++) {
        rig_load_flat(&rig, 10 + i % 20 * 3, 10 + i / 20 * 3, 10);
    }
    RealmOwnerHandle owner = rig_owner(&rig, 42, rig_setup_small(), rig_place(67, 52, 30000, 30000));
    cr_assert_eq(rig.engine.root->residents, MANY);
    RealmDraftHandle draft = flat_draft(&rig, 1, 1, 25);
    rig_seal(&rig, draft);
    for (uint32_t i = 0; i < MANY; i++) {
        RIG_DONE(&rig, realm_withdraw(&rig.engine, rig_at(10 + i % 20 * 3, 10 + i / 20 * 3)));
    }
    rig_check(&rig);
    RIG_NOT_YET(&rig, realm_commit(&rig.engine, draft));
    uint32_t calls = 0;
    while (rig_after(&rig, realm_seal(&rig.engine, draft)) == REALM_NOT_YET) {
        cr_assert_eq(rig.engine.units, 1);
        calls++;
        cr_assert_lt(calls, 4 * MANY);
    }
    cr_assert_geq(calls, MANY - 1);
    RIG_DONE(&rig, realm_commit(&rig.engine, draft));
    rig_drain(&rig);
    rig_check(&rig);
    cr_assert_eq(rig_live(&rig, REALM_SECTION_LEAF_POOL), 1, "all of them were taken down");
    cr_assert_eq(rig_live(&rig, REALM_SECTION_BLOCK_POOL), 2, "the new one's, and that which the owner touches");
    cr_assert_eq(rig_rows_of(&rig, REALM_ACTIVE, owner), 0);
    rig_close(&rig);
}

Test(realm_retire, realm_t47_slots_are_bounded_under_churn)
{
    Rig rig;
    rig_open(&rig, rig_small());
    rig.check_every = 50;
    rig_load_flat(&rig, 1, 1, 10);
    RealmDraftHandle draft = flat_draft(&rig, 1, 1, 25);
    uint32_t         sets = rig_live(&rig, REALM_SECTION_SET_POOL);
    for (uint32_t i = 0; i < 2000; i++) {
        RealmOwnerHandle owner = rig_owner(&rig, 5000 + i, rig_setup_small(), rig_place(1, 1, 90 * (int32_t)i, 50000));
        if (i % 3 == 0) {
            rig_after(&rig, realm_seal(&rig.engine, draft));
        }
        RIG_DONE(&rig, realm_owner_deregister(&rig.engine, owner));
        cr_assert_eq(rig_live(&rig, REALM_SECTION_MEMBER_POOL), 0);
    }
    cr_assert_eq(rig_block_at(&rig, 1, 1)->members, 0);
    cr_assert_eq(rig_block_at(&rig, 1, 1)->member_first, 0);
    cr_assert_eq(rig_live(&rig, REALM_SECTION_SET_POOL), sets);
    cr_assert_eq(rig_live(&rig, REALM_SECTION_ROW_POOL), 0);
    rig_commit(&rig, draft);
    rig_close(&rig);
}

Test(realm_retire, realm_t48_empty_containers_are_reclaimed_under_a_live_cursor)
{
    Rig              rig;
    RealmOwnerHandle owners[20];
    rig_open(&rig, rig_small());
    rig_load_flat(&rig, 1, 1, 10);
    for (uint32_t i = 0; i < 20; i++) {
        owners[i] = rig_owner(&rig, 100 + i, rig_setup_small(), rig_place(1, 1, 9000 * (int32_t)i, 50000));
    }
    RealmDraftHandle draft = flat_draft(&rig, 1, 1, 25);
    for (uint32_t i = 0; i < 10; i++) {
        rig_after(&rig, realm_seal(&rig.engine, draft));
    }
    cr_assert_neq(rig_draft_at(&rig, draft)->member_cursor, 0, "the capture stands in the middle");
    for (uint32_t i = 0; i < 20; i++) {
        RIG_DONE(&rig, realm_owner_deregister(&rig.engine, owners[(i + 10) % 20])); // that under the cursor first
    }
    cr_assert_eq(rig_draft_at(&rig, draft)->member_cursor, 0);
    rig.check_every = 100;
    uint32_t blocks = rig_live(&rig, REALM_SECTION_BLOCK_POOL);
    for (uint32_t i = 0; i < 2000; i++) {
        RealmOwnerHandle owner = rig_owner(&rig, 5000 + i, rig_setup_small(), rig_place(3 + i % 250, 3 + i / 10, 50000, 50000));
        cr_assert_eq(rig_live(&rig, REALM_SECTION_BLOCK_POOL), blocks + 1);
        RIG_DONE(&rig, realm_owner_deregister(&rig.engine, owner));
        cr_assert_eq(rig_live(&rig, REALM_SECTION_BLOCK_POOL), blocks, "the landblock's record was kept");
    }
    rig_commit(&rig, draft);
    rig_drain(&rig);
    rig_check(&rig);
    rig_close(&rig);
}

static const RealmSection all_pools[] = { REALM_SECTION_BLOCK_POOL,    REALM_SECTION_LEAF_POOL, REALM_SECTION_CELL_POOL,
                                          REALM_SECTION_BUILDING_POOL, REALM_SECTION_OWNER_POOLS, REALM_SECTION_MEMBER_POOL,
                                          REALM_SECTION_SET_POOL,      REALM_SECTION_ROW_POOL,  REALM_SECTION_DRAFT_POOL };

static void assert_all_empty(const Rig *rig)
{
    const RealmRoot *root = rig->engine.root;
    for (uint32_t i = 0; i < TP_COUNT_OF(all_pools); i++) {
        cr_assert_eq(rig_live(rig, all_pools[i]), 0, "section %d", (int)all_pools[i]);
    }
    const tp_pool_head *owners = tp_section_at_const(&rig->context, rig->block, REALM_SECTION_OWNER_POOLS);
    cr_assert_eq(owners[REALM_STATIC].live, 0);
    cr_assert_eq(root->residents + root->admissions + root->drafts_live, 0);
    cr_assert_eq(root->draft_first + root->draft_last + root->admit_first + root->admit_last, 0);
    cr_assert_eq(root->retire_draft_first + root->retire_draft_last + root->retire_leaf_first + root->retire_leaf_last, 0);
    cr_assert_eq(root->journal_head, root->journal_tail);
}

Test(realm_retire, realm_t50_teardown_converges)
{
    Rig rig;
    rig_open(&rig, rig_small());
    load_rich(&rig, 1, 1, 700);
    load_rich(&rig, 2, 2, 701);
    load_rich(&rig, 3, 3, 702);
    rig_owner(&rig, 42, rig_setup_wide(), rig_place(1, 1, 190000, 190000));
    rig_owner(&rig, 43, rig_setup_wide(), rig_place(7, 7, 190000, 190000));
    RIG_DONE(&rig, realm_demote(&rig.engine, rig_at(2, 2)));
    RealmTicket ticket = rig_begin(&rig, 5, 5);
    rig_seal_topology(&rig, flat_draft(&rig, 1, 1, 25));
    rig_start(&rig, 4, 4);
    RIG_DONE(&rig, realm_withdraw(&rig.engine, rig_at(3, 3)));
    uint64_t generation = rig.engine.root->generation_last;
    realm_engine_reset(&rig.engine);
    rig_check(&rig);
    assert_all_empty(&rig);
    RIG_ERROR(&rig, realm_cancel(&rig.engine, &ticket, NULL)); // of another epoch
    cr_assert_geq(rig.engine.root->generation_last, generation, "numbers never come back");
    load_rich(&rig, 1, 1, 700);
    cr_assert_eq(rig_height(&rig, REALM_ACTIVE, 1, 1), 10);
    realm_engine_reset(&rig.engine);
    assert_all_empty(&rig);
    rig_close(&rig);
}

// One at a time, without a reset, it comes to the same.
Test(realm_retire, realm_t50_removal_converges)
{
    Rig rig;
    rig_open(&rig, rig_small());
    load_rich(&rig, 1, 1, 700);
    load_rich(&rig, 1, 2, 701);
    RealmOwnerHandle owner = rig_owner(&rig, 42, rig_setup_wide(), rig_place(1, 1, 96000, 190000));
    RIG_DONE(&rig, realm_withdraw(&rig.engine, rig_at(1, 2)));
    RIG_DONE(&rig, realm_owner_deregister(&rig.engine, owner));
    RIG_DONE(&rig, realm_withdraw(&rig.engine, rig_at(1, 1)));
    rig_drain(&rig);
    assert_all_empty(&rig);
    rig_close(&rig);
}

Test(realm_retire, realm_f10_demotion_keeps_the_terrain_only)
{
    Rig        rig;
    RealmPlace place;
    rig_open(&rig, rig_small());
    load_rich(&rig, 1, 1, 700);
    rig_load_flat(&rig, 1, 2, 10);
    RealmPlace       indoors = rig_place(1, 1, 65000, 65000);
    RealmOwnerHandle inside = rig_owner(&rig, 42, rig_setup_small(), indoors);
    RealmOwnerHandle seam = rig_owner(&rig, 43, rig_setup_small(), rig_place(1, 2, 30000, 100));
    cr_assert(realm_owner_place(&rig.engine, inside, &place));
    cr_assert_eq(place.cell & 0xFFFF, REALM_INDOOR_FIRST);
    cr_assert_eq(rig_rows(&rig, REALM_ACTIVE, 1, 1, 43), 1);
    RIG_DONE(&rig, realm_demote(&rig.engine, rig_at(1, 1)));
    for (uint32_t pass = 0; pass < 2; pass++) { // at once, and when all is taken down
        cr_assert(is_demoted(&rig, 1, 1));
        cr_assert_eq(rig_height(&rig, REALM_ACTIVE, 1, 1), 10);
        cr_assert_eq(rig_cells(&rig, REALM_ACTIVE, 1, 1), 0);
        cr_assert_eq(rig_building(&rig, REALM_ACTIVE, 1, 1), 0);
        cr_assert_eq(rig_rows_of(&rig, REALM_ACTIVE, inside), 0);
        cr_assert_not(realm_owner_place(&rig.engine, inside, &place));
        cr_assert_eq(place.x.raw, indoors.x.raw, "it keeps its position");
        cr_assert_eq(rig_rows_of(&rig, REALM_ACTIVE, seam), 1);
        cr_assert_eq(realm_owner_find(&rig.engine, REALM_ACTIVE, 700).generation, 0);
        rig_drain(&rig);
    }
    RIG_ERROR(&rig, realm_demote(&rig.engine, rig_at(1, 1)));
    RIG_ERROR(&rig, realm_demote(&rig.engine, rig_at(9, 9)));
    cr_assert_eq(rig_event_count(&rig, REALM_EVENT_DEMOTED), 1);
    load_rich(&rig, 1, 1, 701);
    cr_assert(realm_owner_place(&rig.engine, inside, &place));
    cr_assert_eq(place.cell & 0xFFFF, REALM_INDOOR_FIRST);
    cr_assert_eq(rig_rows(&rig, REALM_ACTIVE, 1, 1, 43), 1);
    rig_close(&rig);
}

Test(realm_retire, realm_f11_withdrawal_keeps_dynamics_registered)
{
    Rig        rig;
    RealmPlace place;
    rig_open(&rig, rig_small());
    load_rich(&rig, 1, 1, 700);
    RealmOwnerHandle owner = rig_owner(&rig, 42, rig_setup_wide(), rig_place(1, 1, 96000, 96000));
    uint32_t         rows = rig_rows_of(&rig, REALM_ACTIVE, owner);
    RIG_DONE(&rig, realm_withdraw(&rig.engine, rig_at(1, 1)));
    cr_assert(is_gone(&rig, 1, 1));
    cr_assert_neq(realm_owner_link(&rig.engine, owner), 0);
    cr_assert_eq(rig_rows_of(&rig, REALM_ACTIVE, owner), 0);
    cr_assert_not(realm_owner_place(&rig.engine, owner, &place));
    rig_drain(&rig);
    cr_assert_eq(rig_markers(&rig, 1, 1), 1);
    cr_assert_eq(realm_owner_find(&rig.engine, REALM_ACTIVE, 700).generation, 0, "statics die with it");
    RIG_ERROR(&rig, realm_withdraw(&rig.engine, rig_at(1, 1)));
    cr_assert_eq(rig_event_count(&rig, REALM_EVENT_WITHDRAWN), 1);
    load_rich(&rig, 1, 1, 701);
    cr_assert_eq(rig_rows_of(&rig, REALM_ACTIVE, owner), rows);
    rig_close(&rig);
}

// F12: an owner whose cell vanished keeps its place and is inactive; it wakes when its cell comes, or when it is put elsewhere.
Test(realm_retire, realm_f12_lost_owners_wake)
{
    Rig        rig;
    RealmPlace place;
    rig_open(&rig, rig_small());
    rig_load_flat(&rig, 1, 1, 10);
    rig_load_flat(&rig, 1, 2, 10);
    RealmOwnerHandle waits = rig_owner(&rig, 42, rig_setup_small(), rig_place(1, 1, 30000, 191900));
    RealmOwnerHandle leaves = rig_owner(&rig, 43, rig_setup_small(), rig_place(1, 1, 60000, 30000));
    RealmOwnerHandle early = rig_owner(&rig, 44, rig_setup_small(), rig_place(5, 5, 60000, 30000));
    cr_assert_not(realm_owner_place(&rig.engine, early, &place), "put where nothing is yet");
    RIG_DONE(&rig, realm_withdraw(&rig.engine, rig_at(1, 1)));
    cr_assert_eq(rig_rows(&rig, REALM_ACTIVE, 1, 2, 42), 0, "lost is rowless everywhere");
    rig_drain(&rig);
    rig_move(&rig, leaves, rig_place(1, 2, 60000, 30000));
    cr_assert(realm_owner_place(&rig.engine, leaves, &place));
    rig_load_flat(&rig, 1, 1, 11);
    cr_assert(realm_owner_place(&rig.engine, waits, &place));
    cr_assert_eq(rig_rows(&rig, REALM_ACTIVE, 1, 2, 42), 1);
    rig_load_flat(&rig, 5, 5, 11);
    cr_assert(realm_owner_place(&rig.engine, early, &place));
    rig_close(&rig);
}

// 51: everything that may come between the seal and the commit is looked for once more.
Test(realm_retire, realm_51_the_commit_looks_again)
{
    Rig rig;
    rig_open(&rig, rig_small());
    rig_load_flat(&rig, 1, 1, 10);
    rig_load_flat(&rig, 1, 2, 10);
    RealmDraftHandle draft = flat_draft(&rig, 1, 1, 25);
    rig_seal(&rig, draft);
    RIG_DONE(&rig, realm_demote(&rig.engine, rig_at(1, 2)));
    RIG_NOT_YET(&rig, realm_commit(&rig.engine, draft));
    rig_drain(&rig);
    RIG_NOT_YET(&rig, realm_commit(&rig.engine, draft)); // the neighbour is another one than it was built against
    rig_commit(&rig, draft);
    rig_close(&rig);
}

// An owner that left the target is the landblock's where it is now: what becomes of that is no business of the draft.
Test(realm_retire, realm_28_an_owner_that_left_follows_other_generations)
{
    Rig rig;
    rig_open(&rig, rig_small());
    rig_load_flat(&rig, 1, 1, 10);
    rig_load_flat(&rig, 9, 9, 10);
    RealmOwnerHandle owner = rig_owner(&rig, 42, rig_setup_small(), rig_place(1, 1, 30000, 30000));
    RealmDraftHandle older = flat_draft(&rig, 9, 9, 25);
    RealmDraftHandle younger = flat_draft(&rig, 1, 1, 25);
    rig_seal(&rig, younger);
    rig_move(&rig, owner, rig_place(9, 9, 30000, 30000));
    rig_commit(&rig, older);
    rig_drain(&rig);
    rig_commit(&rig, younger);
    rig_drain(&rig);
    cr_assert_eq(rig_rows(&rig, REALM_ACTIVE, 9, 9, 42), 1);
    rig_close(&rig);
}

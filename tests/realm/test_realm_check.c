// The checkers themselves: each is shown worlds that are wrong in one way and must say so. And the naive way to stream: leaf by leaf, with the owners
// flooded again later, which is what a transaction is for.
#include <criterion/criterion.h>

#include <string.h>

#include "realm_check.h"
#include "realm_internal.h"
#include "realm_rig.h"
#include "realm_validate.h"

static void open_busy(Rig *rig)
{
    RigContent content;
    rig_open(rig, rig_small());
    rig_content(&content, 10);
    rig_add_house(&content, 2, 77);
    rig_add_static(&content, 700, rig_setup_small(), 30000, 30000);
    rig_load(rig, 1, 1, &content);
    rig_load_flat(rig, 1, 2, 10);
    rig_owner(rig, 42, rig_setup_wide(), rig_place(1, 1, 96000, 180000));
    rig_owner(rig, 43, rig_setup_small(), rig_place(1, 1, 65000, 65000));
    rig_check(rig);
}

// 002-04: the new leaf goes in at once, the owners follow one by one.
Test(realm_check, realm_04_naive_streaming_is_caught)
{
    Rig        rig;
    RigContent content;
    open_busy(&rig);
    rig_content(&content, 25);
    RealmDraftHandle draft = rig_draft(&rig, 1, 1, &content);
    uint32_t         link = realm_draft_link(&rig.engine, draft);
    uint32_t         leaf = realm_draft_at(&rig.engine, link)->leaf, block = realm_draft_at(&rig.engine, link)->block;
    cr_assert_null(realm_check_view(&rig.engine, REALM_ACTIVE));
    realm_block_edit(&rig.engine, block)->leaf = (RealmLeafHandle){ leaf - 1, realm_leaf_at(&rig.engine, leaf)->generation };
    uint32_t caught = 0, owners = 0;
    for (uint32_t owner = 1; owner <= rig.engine.dynamic_count; owner++) {
        if ((realm_owner_at(&rig.engine, owner)->generation & 1) != 0) {
            caught += realm_check_view(&rig.engine, REALM_ACTIVE) != NULL;
            owners++;
            cr_assert(realm_owner_reflood(&rig.engine, owner));
        }
    }
    cr_assert_eq(owners, 2);
    cr_assert_eq(caught, owners, "between the cell and the last owner's rows everybody could look");
    cr_assert_null(realm_check_view(&rig.engine, REALM_ACTIVE), "and afterwards all looks well");
    rig_close(&rig);
}

// The other naive order: an owner's rows follow the draft before the switch.
Test(realm_check, realm_04_early_rows_are_caught)
{
    Rig        rig;
    RigContent content;
    open_busy(&rig);
    rig_content(&content, 25);
    rig_draft(&rig, 1, 1, &content);
    RealmOwnerHandle owner = realm_owner_find(&rig.engine, REALM_ACTIVE, 42);
    realm_row_empty(&rig.engine, realm_set_find(&rig.engine, owner.index + 1, 0));
    cr_assert_str_eq(realm_check_view(&rig.engine, REALM_ACTIVE), "an owner overlaps a cell of the active world and is not seen there");
    cr_assert_not_null(realm_validate(rig.block, &rig.context));
    rig_close(&rig);
}

Test(realm_check, realm_03_a_row_too_many_is_caught)
{
    Rig rig;
    open_busy(&rig);
    RealmOwnerHandle owner = realm_owner_find(&rig.engine, REALM_ACTIVE, 43);
    uint32_t         set = realm_set_find(&rig.engine, owner.index + 1, 0);
    RealmFlood       flood;
    RealmBody        body = realm_owner_body(realm_owner_at(&rig.engine, owner.index + 1));
    realm_flood(&rig.engine, REALM_ACTIVE, &body, &flood);
    flood.rows[flood.count] = (RealmFloodRow){ flood.home, 0, 63 };
    flood.count++;
    realm_row_replace(&rig.engine, set, &flood);
    cr_assert_str_eq(realm_check_view(&rig.engine, REALM_ACTIVE), "a row is seen that no flood gives");
    cr_assert_str_eq(realm_validate(rig.block, &rig.context), "rows: leaf: a row is none of the flood's");
    rig_close(&rig);
}

static RealmDraftHandle open_sealed(Rig *rig)
{
    RigContent content;
    open_busy(rig);
    rig_content(&content, 25);
    rig_add_static(&content, 701, rig_setup_small(), 30000, 30000);
    RealmDraftHandle draft = rig_draft(rig, 1, 1, &content);
    rig_seal(rig, draft);
    return draft;
}

// A draft forgets somebody: its private root lacks an owner, though each set that it has is right.
Test(realm_check, realm_03_a_forgotten_owner_is_caught)
{
    Rig              rig;
    RealmDraftHandle draft = open_sealed(&rig);
    uint32_t         link = realm_draft_link(&rig.engine, draft);
    realm_set_drop(&rig.engine, realm_draft_at(&rig.engine, link)->set_first);
    cr_assert_str_eq(realm_validate(rig.block, &rig.context), "drafts: sets: an owner that touches the landblock is not known to its draft");
    cr_assert_null(realm_check_view(&rig.engine, REALM_ACTIVE));
    cr_assert_not_null(realm_check_view(&rig.engine, (RealmView){ link }));
    rig_close(&rig);
}

Test(realm_check, realm_03_a_draft_with_two_sets_of_an_owner_is_caught)
{
    Rig              rig;
    RealmDraftHandle draft = open_sealed(&rig);
    RealmOwnerHandle owner = realm_owner_find(&rig.engine, REALM_ACTIVE, 42);
    realm_set_new(&rig.engine, owner.index + 1, realm_draft_link(&rig.engine, draft));
    cr_assert_str_eq(realm_validate(rig.block, &rig.context), "sets: draft: a draft has two sets of an owner");
    rig_close(&rig);
}

Test(realm_check, realm_03_a_static_flooded_early_is_caught)
{
    Rig              rig;
    RealmDraftHandle draft = open_sealed(&rig);
    RealmDraft      *value = realm_draft_edit(&rig.engine, realm_draft_link(&rig.engine, draft));
    while (value->set_first != 0) {
        realm_set_drop(&rig.engine, value->set_first);
    }
    value->phase = REALM_PHASE_CAPTURE;
    value->topology_cursor = 0;
    value->journal_end = 0;
    value->member_cursor = realm_block_at(&rig.engine, value->block)->member_first;
    cr_assert_str_eq(realm_validate(rig.block, &rig.context), "sets: rows: a static has some before its flood");
    rig_close(&rig);
}

// An owner whose landblock went without a word: no leaf in retirement will tell it.
Test(realm_check, realm_03_an_owner_that_was_not_told_is_caught)
{
    Rig rig;
    open_busy(&rig);
    RealmOwnerHandle owner = realm_owner_find(&rig.engine, REALM_ACTIVE, 42);
    RealmFlood       flood;
    RealmBody        body = realm_owner_body(realm_owner_at(&rig.engine, owner.index + 1));
    realm_flood(&rig.engine, REALM_ACTIVE, &body, &flood);
    RIG_DONE(&rig, realm_withdraw(&rig.engine, rig_at(1, 1)));
    rig_drain(&rig);
    uint32_t set = realm_set_find(&rig.engine, owner.index + 1, 0);
    cr_assert(realm_set_at(&rig.engine, set)->is_lost);
    RealmSet *forged = realm_set_edit(&rig.engine, set);
    forged->is_lost = 0;
    forged->home = (RealmLeafHandle){ flood.home - 1, 1 };
    cr_assert_str_eq(realm_validate(rig.block, &rig.context), "sets: home: the owner is lost, and nothing will say so");
    rig_close(&rig);
}

// The final activation: no memory, no unit, and the same few bytes however much it brings.
#include <criterion/criterion.h>

#include "realm_count.h"
#include "realm_rig.h"

enum { CROWD = 256 };

static void seat_crowd(Rig *rig, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        rig_owner(rig, 1000 + i, rig_setup_small(), rig_place(1, 1, 6000 + 12000 * (int32_t)(i % 16), 6000 + 12000 * (int32_t)(i / 16)));
    }
}

// Commits a draft that is ready; gives back how many pages that wrote. Fails on any call of the allocator.
static uint32_t commit_counted(Rig *rig, RealmDraftHandle draft)
{
    uint64_t units = rig->engine.root->units;
    rig_forget_pages(rig);
    realm_count_begin();
    RealmAnswer answer = realm_commit(&rig->engine, draft);
    uint64_t    calls = realm_count_end();
    uint32_t    pages = rig_pages(rig);
    cr_assert_eq(answer, REALM_DONE, "%s", rig->engine.reason);
    cr_assert_eq(calls, 0, "%llu calls of the allocator", (unsigned long long)calls);
    cr_assert_eq(rig->engine.root->units, units);
    rig_check(rig);
    return pages;
}

static uint32_t warm_pages(uint32_t owners)
{
    Rig        rig;
    RigContent content;
    rig_open(&rig, rig_medium());
    rig.check_every = 16;
    rig_load_flat(&rig, 1, 1, 10);
    seat_crowd(&rig, owners);
    rig_content(&content, 25);
    RealmDraftHandle draft = rig_draft(&rig, 1, 1, &content);
    rig_seal(&rig, draft);
    uint32_t pages = commit_counted(&rig, draft);
    cr_assert_eq(rig_event_last(&rig, REALM_EVENT_COMMITTED)->data.owners, owners);
    for (uint32_t i = 0; i < owners; i++) {
        cr_assert_eq(rig_rows(&rig, REALM_ACTIVE, 1, 1, 1000 + i), 1);
    }
    rig_close(&rig);
    return pages;
}

Test(realm_switch, realm_t13_warm_activation_of_256_owners)
{
    uint32_t one = warm_pages(1), many = warm_pages(CROWD);
    cr_assert_eq(one, many, "%u pages are written for one owner, %u for 256", one, many);
}

Test(realm_switch, realm_t14_cold_first_load)
{
    Rig        rig;
    RigContent content;
    rig_open(&rig, rig_medium());
    rig.check_every = 16;
    seat_crowd(&rig, 20); // there before the land is
    rig_content(&content, 25);
    RealmDraftHandle draft = rig_draft(&rig, 1, 1, &content);
    rig_seal(&rig, draft);
    cr_assert_eq(rig_height(&rig, REALM_ACTIVE, 1, 1), -1);
    commit_counted(&rig, draft);
    cr_assert_eq(rig_height(&rig, REALM_ACTIVE, 1, 1), 25);
    for (uint32_t i = 0; i < 20; i++) {
        cr_assert_eq(rig_rows(&rig, REALM_ACTIVE, 1, 1, 1000 + i), 1);
    }
    rig_close(&rig);
}

Test(realm_switch, realm_t15_changed_cells_and_buildings)
{
    Rig        rig;
    RigContent content;
    rig_open(&rig, rig_small());
    rig_content(&content, 10);
    rig_add_house(&content, 2, 77);
    rig_load(&rig, 1, 1, &content);
    RealmOwnerHandle  inside = rig_owner(&rig, 42, rig_setup_small(), rig_place(1, 1, 75000, 65000)); // in the second room
    const RealmBlock *block = rig_block_at(&rig, 1, 1);
    rig_content(&content, 10);
    rig_add_house(&content, 1, 88);
    RealmDraftHandle draft = rig_draft(&rig, 1, 1, &content);
    rig_seal(&rig, draft);
    commit_counted(&rig, draft);
    cr_assert_eq(rig_cells(&rig, REALM_ACTIVE, 1, 1), 1);
    cr_assert_eq(rig_building(&rig, REALM_ACTIVE, 1, 1), 88);
    cr_assert_eq(rig_block_at(&rig, 1, 1), block, "who holds the landblock holds the new one");
    RealmPlace place;
    cr_assert(realm_owner_place(&rig.engine, inside, &place));
    cr_assert_eq(place.cell & 0xFFFF, 1 + 8 * 3 + 2, "its room is gone: it is outdoors");
    rig_close(&rig);
}

Test(realm_switch, realm_t16_new_static_bucket)
{
    Rig        rig;
    RigContent content;
    rig_open(&rig, rig_small());
    rig_load_flat(&rig, 1, 1, 10);
    rig_content(&content, 10);
    rig_add_static(&content, 700, rig_setup_small(), 130000, 130000);
    RealmDraftHandle draft = rig_draft(&rig, 1, 1, &content);
    rig_seal(&rig, draft);
    uint32_t leaf = realm_view_leaf(&rig.engine, REALM_ACTIVE, rig_prefix(1, 1));
    cr_assert_eq(realm_outdoor_bucket(&rig.engine, leaf, 8 * 5 + 5), 0, "nobody was there");
    commit_counted(&rig, draft);
    leaf = realm_view_leaf(&rig.engine, REALM_ACTIVE, rig_prefix(1, 1));
    cr_assert_neq(realm_outdoor_bucket(&rig.engine, leaf, 8 * 5 + 5), 0);
    cr_assert_eq(rig_rows(&rig, REALM_ACTIVE, 1, 1, 700), 1);
    rig_close(&rig);
}

Test(realm_switch, realm_t18_statics_stay_across_activation_order)
{
    Rig        rig;
    RigContent content;
    rig_open(&rig, rig_small());
    rig_load_flat(&rig, 1, 1, 10);
    rig_load_flat(&rig, 2, 2, 10);
    rig_content(&content, 25);
    rig_add_static(&content, 700, rig_setup_small(), 30000, 30000);
    rig_add_static(&content, 702, rig_setup_other(), 191900, 191900); // over the corner
    RealmDraftHandle first = rig_draft(&rig, 1, 1, &content);
    rig_content(&content, 26);
    rig_add_static(&content, 701, rig_setup_small(), 30000, 30000);
    RealmDraftHandle second = rig_draft(&rig, 2, 2, &content);
    rig_seal(&rig, second);
    rig_seal(&rig, first);
    commit_counted(&rig, first);
    cr_assert_eq(rig_rows(&rig, REALM_ACTIVE, 1, 1, 700), 1);
    cr_assert_eq(rig_rows(&rig, REALM_ACTIVE, 2, 2, 702), 1);
    rig_seal(&rig, second);
    commit_counted(&rig, second);
    rig_drain(&rig);
    cr_assert_eq(rig_rows(&rig, REALM_ACTIVE, 1, 1, 700), 1);
    cr_assert_eq(rig_rows(&rig, REALM_ACTIVE, 2, 2, 701), 1);
    cr_assert_eq(rig_rows(&rig, REALM_ACTIVE, 1, 1, 702), 1);
    cr_assert_eq(rig_rows(&rig, REALM_ACTIVE, 2, 2, 702), 1);
    rig_close(&rig);
}

// So many residents, then admission and preparation.
static uint64_t admission_calls(uint32_t residents)
{
    Rig rig;
    rig_open(&rig, rig_medium());
    rig.check_every = 200;
    for (uint32_t i = 0; i < residents; i++) {
        rig_load_flat(&rig, 5 + i % 8, 5 + i / 8, 10);
    }
    RealmTicket      ticket;
    RealmDraftHandle draft;
    rig_forget_pages(&rig);
    realm_count_begin();
    RealmAnswer begun = realm_begin(&rig.engine, rig_at(1, 1), &ticket);
    RealmAnswer prepared = realm_prepare(&rig.engine, &ticket, &draft);
    uint64_t    calls = realm_count_end();
    cr_assert_eq(begun, REALM_DONE);
    cr_assert_eq(prepared, REALM_DONE);
    cr_assert_leq(rig_pages(&rig) * TP_TOUCH_PAGE, 128 * 1024);
    rig_close(&rig);
    return calls;
}

Test(realm_switch, realm_t21_dense_admission_allocates_nothing)
{
    cr_assert_eq(admission_calls(1), 0);
    cr_assert_eq(admission_calls(32), 0);
}

Test(realm_switch, realm_t41_activation_after_512_changes)
{
    enum { CHANGED = 512 };
    Rig              rig;
    RigContent       content;
    RealmOwnerHandle owners[CHANGED];
    rig_open(&rig, rig_medium());
    rig.check_every = 64;
    rig_load_flat(&rig, 9, 9, 10);
    for (uint32_t i = 0; i < CHANGED; i++) {
        owners[i] = rig_owner(&rig, 1000 + i, rig_setup_small(), rig_place(9, 9, 1000 + 300 * (int32_t)i, 50000));
    }
    rig_content(&content, 25);
    RealmDraftHandle draft = rig_draft(&rig, 1, 1, &content);
    for (uint32_t i = 0; i < CHANGED; i++) {
        rig_move(&rig, owners[i], rig_place(9, 9, 1000 + 300 * (int32_t)i, 60000));
    }
    rig_seal(&rig, draft);
    cr_assert_eq(rig_draft_at(&rig, draft)->journal_end - rig_draft_at(&rig, draft)->journal_from, CHANGED);
    commit_counted(&rig, draft);
    rig_close(&rig);
}

// What readers of the active world see while a generation is prepared, at the switch, and after it.
#include <criterion/criterion.h>

#include "realm_rig.h"

enum { OLD = 10, NEW = 25, OLD_STATIC = 500, NEW_STATIC = 501 };

static void old_content(RigContent *content)
{
    rig_content(content, OLD);
    rig_add_house(content, 1, 77);
    rig_add_static(content, OLD_STATIC, rig_setup_small(), 20000, 20000);
}

static void new_content(RigContent *content)
{
    rig_content(content, NEW);
    rig_add_house(content, 2, 88);
    rig_add_static(content, NEW_STATIC, rig_setup_small(), 100000, 20000);
}

static bool sees_old(const Rig *rig, RealmView view)
{
    return rig_height(rig, view, 1, 1) == OLD && rig_cells(rig, view, 1, 1) == 1 && rig_building(rig, view, 1, 1) == 77 &&
           rig_rows(rig, view, 1, 1, OLD_STATIC) == 1 && rig_rows(rig, view, 1, 1, NEW_STATIC) == 0;
}

static bool sees_new(const Rig *rig, RealmView view)
{
    return rig_height(rig, view, 1, 1) == NEW && rig_cells(rig, view, 1, 1) == 2 && rig_building(rig, view, 1, 1) == 88 &&
           rig_rows(rig, view, 1, 1, OLD_STATIC) == 0 && rig_rows(rig, view, 1, 1, NEW_STATIC) == 1;
}

static void open_old(Rig *rig)
{
    RigContent content;
    rig_open(rig, rig_small());
    old_content(&content);
    rig_load(rig, 1, 1, &content);
    cr_assert(sees_old(rig, REALM_ACTIVE));
}

// Every step of a transaction for (1, 1), with something asserted after each. Ready at the end.
static RealmDraftHandle prepare_stepwise(Rig *rig, const RigContent *content, void (*each)(const Rig *rig))
{
    RealmTicket ticket = rig_begin(rig, 1, 1);
    each(rig);
    RealmDraftHandle draft = rig_prepare(rig, &ticket);
    each(rig);
    while (rig_after(rig, realm_materialise(&rig->engine, draft)) == REALM_NOT_YET) {
        each(rig);
    }
    rig_publish(rig, draft, content);
    each(rig);
    RIG_DONE(rig, realm_publish_close(&rig->engine, draft));
    while (rig_after(rig, realm_seal(&rig->engine, draft)) == REALM_NOT_YET) {
        each(rig);
    }
    each(rig);
    return draft;
}

static void assert_old(const Rig *rig)
{
    cr_assert(sees_old(rig, REALM_ACTIVE));
    cr_assert_eq(rig_event_count(rig, REALM_EVENT_COMMITTED), 1, "only the first generation's");
}

Test(realm_visible, realm_t01_old_terrain_cells_buildings_statics_until_commit)
{
    Rig        rig;
    RigContent content;
    open_old(&rig);
    new_content(&content);
    RealmDraftHandle draft = prepare_stepwise(&rig, &content, assert_old);
    cr_assert(sees_new(&rig, rig_view(&rig, draft)), "the private root has the new generation");
    RIG_DONE(&rig, realm_commit(&rig.engine, draft));
    cr_assert(sees_new(&rig, REALM_ACTIVE), "at once, before anything is taken down");
    while (rig_after(&rig, realm_retire(&rig.engine)) == REALM_NOT_YET) {
        cr_assert(sees_new(&rig, REALM_ACTIVE));
    }
    cr_assert(sees_new(&rig, REALM_ACTIVE));
    rig_close(&rig);
}

Test(realm_visible, realm_t02_exactly_one_notification)
{
    Rig        rig;
    RigContent content;
    open_old(&rig);
    new_content(&content);
    uint64_t         version = rig.engine.root->version;
    RealmDraftHandle draft = prepare_stepwise(&rig, &content, assert_old);
    uint64_t         number = rig_draft_at(&rig, draft)->number;
    RIG_DONE(&rig, realm_commit(&rig.engine, draft));
    rig_drain(&rig);
    cr_assert_eq(rig_event_count(&rig, REALM_EVENT_COMMITTED), 2);
    const RigEvent *event = rig_event_last(&rig, REALM_EVENT_COMMITTED);
    cr_assert_eq(event->data.generation, number);
    cr_assert_eq(event->data.block, rig_at(1, 1));
    cr_assert_eq(event->active, number, "the switch comes before the word of it");
    cr_assert_eq(event->version, version + 1);
    cr_assert_eq(rig_event_count(&rig, REALM_EVENT_CANCELLED), 0);
    RealmTicket ticket = rig_begin(&rig, 1, 1);
    RIG_DONE(&rig, realm_cancel(&rig.engine, &ticket, NULL));
    cr_assert_eq(rig_event_count(&rig, REALM_EVENT_COMMITTED), 2, "none for a cancelled one");
    cr_assert_eq(rig_event_count(&rig, REALM_EVENT_CANCELLED), 1);
    rig_close(&rig);
}

Test(realm_visible, realm_t03_stale_replacement_touches_nothing)
{
    Rig        rig;
    RigContent content;
    open_old(&rig);
    new_content(&content);
    RealmTicket      old_ticket = rig_begin(&rig, 1, 1);
    RealmDraftHandle old_draft = rig_prepare(&rig, &old_ticket);
    uint64_t         picture = rig_picture(&rig, REALM_ACTIVE);
    RealmTicket      ticket = rig_begin(&rig, 1, 1);
    cr_assert_eq(ticket.previous, old_ticket.previous, "the committed generation, not the superseded one");
    cr_assert_gt(ticket.generation, old_ticket.generation);
    RIG_ERROR(&rig, realm_commit(&rig.engine, old_draft));
    RIG_ERROR(&rig, realm_cancel(&rig.engine, &old_ticket, NULL));
    RIG_ERROR(&rig, realm_seal(&rig.engine, old_draft));
    RIG_ERROR(&rig, realm_publish_terrain(&rig.engine, old_draft, &content.terrain));
    cr_assert_eq(rig.engine.root->admissions, 1, "the newer one lives");
    cr_assert_eq(rig_picture(&rig, REALM_ACTIVE), picture);
    cr_assert(sees_old(&rig, REALM_ACTIVE));
    RealmDraftHandle draft = rig_prepare(&rig, &ticket);
    while (rig_after(&rig, realm_materialise(&rig.engine, draft)) == REALM_NOT_YET) {
    }
    rig_publish(&rig, draft, &content);
    RIG_DONE(&rig, realm_publish_close(&rig.engine, draft));
    rig_commit(&rig, draft);
    cr_assert(sees_new(&rig, REALM_ACTIVE));
    rig_close(&rig);
}

Test(realm_visible, realm_t10_fault_after_admission)
{
    Rig rig;
    open_old(&rig);
    uint64_t    picture = rig_picture(&rig, REALM_ACTIVE);
    uint64_t    version = rig.engine.root->version;
    RealmTicket ticket = rig_begin(&rig, 1, 1);
    bool        was_committed = true;
    RIG_DONE(&rig, realm_cancel(&rig.engine, &ticket, &was_committed));
    cr_assert_not(was_committed);
    cr_assert_eq(rig.engine.root->admissions, 0);
    cr_assert_eq(rig.engine.root->drafts_live, 0);
    cr_assert_eq(rig_picture(&rig, REALM_ACTIVE), picture);
    cr_assert_eq(rig.engine.root->version, version);
    rig_close(&rig);
}

Test(realm_visible, realm_t11_fault_after_staging)
{
    Rig        rig;
    RigContent content;
    open_old(&rig);
    new_content(&content);
    rig_drain(&rig);
    uint64_t picture = rig_picture(&rig, REALM_ACTIVE);
    uint32_t owners = rig_live(&rig, REALM_SECTION_OWNER_POOLS);
    static const RealmSection pools[] = { REALM_SECTION_LEAF_POOL, REALM_SECTION_CELL_POOL,   REALM_SECTION_BUILDING_POOL,
                                          REALM_SECTION_SET_POOL,  REALM_SECTION_ROW_POOL,    REALM_SECTION_MEMBER_POOL,
                                          REALM_SECTION_DRAFT_POOL, REALM_SECTION_BLOCK_POOL };
    uint32_t before[TP_COUNT_OF(pools)];
    for (uint32_t i = 0; i < TP_COUNT_OF(pools); i++) {
        before[i] = rig_live(&rig, pools[i]);
    }
    RealmTicket      ticket = rig_begin(&rig, 1, 1);
    RealmDraftHandle draft = rig_prepare(&rig, &ticket);
    while (rig_after(&rig, realm_materialise(&rig.engine, draft)) == REALM_NOT_YET) {
    }
    rig_publish(&rig, draft, &content);
    RIG_DONE(&rig, realm_publish_close(&rig.engine, draft));
    RIG_DONE(&rig, realm_cancel(&rig.engine, &ticket, NULL));
    cr_assert_eq(rig.engine.root->admissions, 0);
    cr_assert_eq(rig_picture(&rig, REALM_ACTIVE), picture);
    rig_drain(&rig);
    cr_assert_eq(rig_picture(&rig, REALM_ACTIVE), picture);
    cr_assert_eq(rig_live(&rig, REALM_SECTION_OWNER_POOLS), owners);
    for (uint32_t i = 0; i < TP_COUNT_OF(pools); i++) {
        cr_assert_eq(rig_live(&rig, pools[i]), before[i], "pool of section %d", (int)pools[i]);
    }
    rig_close(&rig);
}

Test(realm_visible, realm_t19_staging_access_is_revoked)
{
    Rig        rig;
    RigContent content;
    open_old(&rig);
    new_content(&content);
    RealmDraftHandle draft = rig_draft(&rig, 1, 1, &content);
    rig_commit(&rig, draft);
    bool is_open = true;
    cr_assert_eq(realm_draft_link(&rig.engine, draft), 0);
    cr_assert_eq(realm_draft_view(&rig.engine, draft, &is_open).draft, 0);
    cr_assert_not(is_open);
    RIG_ERROR(&rig, realm_publish_terrain(&rig.engine, draft, &content.terrain));
    RIG_ERROR(&rig, realm_publish_static(&rig.engine, draft, &content.statics[0]));
    RIG_ERROR(&rig, realm_publish_close(&rig.engine, draft));
    RIG_ERROR(&rig, realm_materialise(&rig.engine, draft));
    RIG_ERROR(&rig, realm_seal(&rig.engine, draft));
    RIG_ERROR(&rig, realm_commit(&rig.engine, draft));
    cr_assert_not(realm_is_sealed(&rig.engine, draft));
    cr_assert(sees_new(&rig, REALM_ACTIVE));
    rig_drain(&rig);
    cr_assert_eq(realm_draft_link(&rig.engine, draft), 0);
    rig_close(&rig);
}

// Every row of the owner shows this state, in the active world and in the draft's.
static void assert_state_everywhere(const Rig *rig, RealmView view, RealmOwnerHandle owner, uint32_t rows, uint32_t state)
{
    cr_assert_eq(rig_rows_of(rig, view, owner), rows);
    cr_assert_eq(rig_owner_at(rig, owner)->state, state);
}

Test(realm_visible, realm_t30_state_is_published_after_every_row)
{
    Rig        rig;
    RigContent content;
    open_old(&rig);
    rig_load_flat(&rig, 3, 3, OLD);
    RealmOwnerHandle owner = rig_owner(&rig, 42, rig_setup_wide(), rig_place(3, 3, 96000, 96000));
    uint32_t         rows = rig_rows_of(&rig, REALM_ACTIVE, owner);
    cr_assert_geq(rows, 2, "it spans several cells");
    new_content(&content);
    RealmDraftHandle draft = rig_draft(&rig, 1, 1, &content);
    RIG_DONE(&rig, realm_owner_set_state(&rig.engine, owner, 0x14));
    assert_state_everywhere(&rig, REALM_ACTIVE, owner, rows, 0x14);
    rig_seal(&rig, draft);
    assert_state_everywhere(&rig, rig_view(&rig, draft), owner, rows, 0x14);
    RIG_DONE(&rig, realm_owner_set_state(&rig.engine, owner, 0x15));
    assert_state_everywhere(&rig, rig_view(&rig, draft), owner, rows, 0x15);
    RIG_DONE(&rig, realm_commit(&rig.engine, draft));
    assert_state_everywhere(&rig, REALM_ACTIVE, owner, rows, 0x15);
    rig_drain(&rig);
    assert_state_everywhere(&rig, REALM_ACTIVE, owner, rows, 0x15);
    rig_close(&rig);
}

Test(realm_visible, realm_t32_current_cell_is_not_rolled_back)
{
    Rig        rig;
    RigContent content;
    RealmPlace place;
    open_old(&rig);
    rig_load_flat(&rig, 2, 2, OLD);
    RealmOwnerHandle first = rig_owner(&rig, 42, rig_setup_small(), rig_place(2, 2, 12000, 12000));
    new_content(&content);
    RealmDraftHandle draft = rig_draft(&rig, 1, 1, &content);
    rig_move(&rig, first, rig_place(2, 2, 100000, 100000));
    rig_seal(&rig, draft);
    rig_move(&rig, first, rig_place(2, 2, 150000, 12000));
    RIG_DONE(&rig, realm_commit(&rig.engine, draft));
    cr_assert(realm_owner_place(&rig.engine, first, &place));
    cr_assert_eq(place.cell, 0x02020000u + 1 + 8 * 6, "x 150 is column 6");
    cr_assert_eq(place.x.raw, rig_fx(150000).raw);
    rig_drain(&rig);
    cr_assert(realm_owner_place(&rig.engine, first, &place));
    cr_assert_eq(place.cell, 0x02020000u + 1 + 8 * 6);
    // The same id, another object: what names it finds the new one, and the old name finds nothing.
    draft = rig_draft(&rig, 1, 1, &content);
    RIG_DONE(&rig, realm_owner_deregister(&rig.engine, first));
    RealmOwnerHandle second = rig_owner(&rig, 42, rig_setup_other(), rig_place(2, 2, 50000, 50000));
    rig_commit(&rig, draft);
    cr_assert_eq(realm_owner_link(&rig.engine, first), 0);
    cr_assert(realm_owner_handle_equal(realm_owner_find(&rig.engine, REALM_ACTIVE, 42), second));
    cr_assert(realm_owner_place(&rig.engine, second, &place));
    cr_assert_eq(place.cell, 0x02020000u + 1 + 8 * 2 + 2);
    rig_close(&rig);
}

// Step 2 of the list: position changes replace the rows as one step, and both tables say the same.
Test(realm_visible, realm_02_a_move_replaces_all_rows)
{
    Rig rig;
    open_old(&rig);
    RealmOwnerHandle owner = rig_owner(&rig, 42, rig_setup_wide(), rig_place(1, 1, 96000, 96000));
    for (int32_t i = 0; i < 180; i++) {
        rig_move(&rig, owner, rig_place(1, 1, 1000 * i + 500, 190000 - 1000 * i));
        cr_assert_gt(rig_rows_of(&rig, REALM_ACTIVE, owner), 0);
    }
    rig_close(&rig);
}

// What a host without listeners, and one whose listener fails, would have.
Test(realm_visible, realm_05_works_without_listeners)
{
    Rig        heard, deaf;
    RigContent content;
    open_old(&heard);
    new_content(&content);
    rig_copy(&deaf, &heard);
    deaf.is_deaf = true;
    rig_load(&heard, 1, 1, &content);
    rig_load(&deaf, 1, 1, &content);
    // What nobody took is counted, as a world counts what its host had no room for; nothing else differs.
    cr_assert_gt(deaf.engine.root->events_dropped, 0);
    realm_root_edit(&deaf.engine)->events_dropped = 0;
    cr_assert_arr_eq(heard.block, deaf.block, heard.layout.block_size);
    rig_close(&heard);
    rig_close(&deaf);
}

static uint64_t frozen_picture;

static void assert_frozen(const Rig *rig)
{
    cr_assert_eq(rig_picture(rig, REALM_ACTIVE), frozen_picture);
}

Test(realm_visible, realm_17_publication_is_private)
{
    Rig        rig;
    RigContent content;
    open_old(&rig);
    rig_owner(&rig, 42, rig_setup_wide(), rig_place(1, 1, 96000, 96000));
    frozen_picture = rig_picture(&rig, REALM_ACTIVE);
    new_content(&content);
    prepare_stepwise(&rig, &content, assert_frozen);
    rig_close(&rig);
}

Test(realm_visible, realm_38_39_transfer_keeps_the_facades)
{
    Rig        rig;
    RigContent content;
    open_old(&rig);
    new_content(&content);
    const RealmBlock *block = rig_block_at(&rig, 1, 1);
    RealmDraftHandle  draft = rig_draft(&rig, 1, 1, &content);
    rig_seal(&rig, draft);
    uint64_t version = rig.engine.root->version;
    uint64_t units = rig.engine.root->units;
    RIG_DONE(&rig, realm_commit(&rig.engine, draft));
    cr_assert_eq(rig.engine.root->version, version + 1);
    cr_assert_eq(rig.engine.root->units, units, "no unit is spent in the switch");
    cr_assert_eq(rig.engine.units, 0);
    cr_assert_eq(rig_block_at(&rig, 1, 1), block);
    cr_assert_eq(realm_draft_link(&rig.engine, draft), 0);
    rig_close(&rig);
}

// The whole prior generation stays, whatever comes of the draft.
Test(realm_visible, realm_f8_f9_a_draft_that_ends_clears_only_its_own)
{
    Rig        rig;
    RigContent content;
    open_old(&rig);
    rig_owner(&rig, 42, rig_setup_wide(), rig_place(1, 1, 1000, 96000));
    frozen_picture = rig_picture(&rig, REALM_ACTIVE);
    new_content(&content);
    for (uint32_t steps = 0; steps < REALM_NEIGHBOURS + 16; steps++) {
        RealmTicket      ticket = rig_begin(&rig, 1, 1);
        RealmDraftHandle draft = rig_prepare(&rig, &ticket);
        RealmAnswer      answer = REALM_NOT_YET;
        for (uint32_t k = 0; k < steps && answer != REALM_ERROR; k++) {
            if (k < REALM_NEIGHBOURS) {
                answer = rig_after(&rig, realm_materialise(&rig.engine, draft));
            } else if (k == REALM_NEIGHBOURS) {
                rig_publish(&rig, draft, &content);
                RIG_DONE(&rig, realm_publish_close(&rig.engine, draft));
            } else {
                answer = rig_after(&rig, realm_seal(&rig.engine, draft));
            }
            assert_frozen(&rig);
        }
        RIG_DONE(&rig, realm_cancel(&rig.engine, &ticket, NULL));
        assert_frozen(&rig);
        while (rig_after(&rig, realm_retire(&rig.engine)) == REALM_NOT_YET) {
            assert_frozen(&rig);
        }
    }
    rig_close(&rig);
}

// Tickets, answers, and several drafts at once.
#include <criterion/criterion.h>

#include "realm_rig.h"

static void content_of(RigContent *content, uint8_t height, uint32_t static_id)
{
    rig_content(content, height);
    rig_add_house(content, 1, height);
    if (static_id != 0) {
        rig_add_static(content, static_id, rig_setup_small(), 30000, 30000);
    }
}

static RealmDraftHandle draft_of(Rig *rig, uint32_t x, uint32_t y, uint8_t height, uint32_t static_id)
{
    RigContent content;
    content_of(&content, height, static_id);
    return rig_draft(rig, x, y, &content);
}

Test(realm_drafts, realm_t17_concurrent_drafts_keep_both_terrains)
{
    Rig rig;
    rig_open(&rig, rig_small());
    rig_load_flat(&rig, 1, 1, 10);
    rig_load_flat(&rig, 2, 2, 10);
    RealmDraftHandle first = draft_of(&rig, 1, 1, 25, 700);
    RealmDraftHandle second = draft_of(&rig, 2, 2, 26, 701);
    rig_seal_topology(&rig, first);
    rig_seal_topology(&rig, second);
    rig_commit(&rig, first);
    cr_assert_eq(rig_height(&rig, REALM_ACTIVE, 1, 1), 25);
    cr_assert_eq(rig_height(&rig, REALM_ACTIVE, 2, 2), 10);
    cr_assert_eq(rig_height(&rig, rig_view(&rig, second), 1, 1), 25, "the later root has the older commit");
    rig_commit(&rig, second);
    cr_assert_eq(rig_height(&rig, REALM_ACTIVE, 1, 1), 25);
    cr_assert_eq(rig_height(&rig, REALM_ACTIVE, 2, 2), 26);
    rig_close(&rig);
}

Test(realm_drafts, realm_t23_cancelled_older_draft_contributes_nothing)
{
    Rig rig;
    rig_open(&rig, rig_small());
    rig_load_flat(&rig, 1, 1, 10);
    rig_load_flat(&rig, 1, 2, 10);
    RigContent content;
    content_of(&content, 25, 700);
    rig_add_static(&content, 702, rig_setup_small(), 30000, 191800);
    RealmTicket      ticket = rig_begin(&rig, 1, 1);
    RealmDraftHandle older = rig_prepare(&rig, &ticket);
    while (rig_after(&rig, realm_materialise(&rig.engine, older)) == REALM_NOT_YET) {
    }
    rig_publish(&rig, older, &content);
    RIG_DONE(&rig, realm_publish_close(&rig.engine, older));
    rig_seal(&rig, older);
    RealmDraftHandle younger = draft_of(&rig, 1, 2, 26, 701);
    rig_seal_topology(&rig, younger);
    RIG_DONE(&rig, realm_cancel(&rig.engine, &ticket, NULL));
    rig_commit(&rig, younger);
    rig_drain(&rig);
    cr_assert_eq(rig_height(&rig, REALM_ACTIVE, 1, 1), 10);
    cr_assert_eq(rig_cells(&rig, REALM_ACTIVE, 1, 1), 0);
    cr_assert_eq(rig_rows(&rig, REALM_ACTIVE, 1, 1, 700), 0);
    cr_assert_eq(rig_rows(&rig, REALM_ACTIVE, 1, 2, 702), 0, "what would have reached over the seam");
    cr_assert_eq(rig_height(&rig, REALM_ACTIVE, 1, 2), 26);
    cr_assert_eq(rig_rows(&rig, REALM_ACTIVE, 1, 2, 701), 1);
    rig_close(&rig);
}

static void t24_at(int32_t local_y)
{
    Rig rig;
    rig_open(&rig, rig_small());
    rig_load_flat(&rig, 1, 1, 10);
    rig_load_flat(&rig, 1, 2, 10);
    RealmOwnerHandle owner = rig_owner(&rig, 701, rig_setup_small(), rig_place(1, 1, 10000, local_y));
    RealmDraftHandle first = draft_of(&rig, 1, 1, 25, 0);
    RealmDraftHandle second = draft_of(&rig, 1, 2, 26, 0);
    rig_seal_topology(&rig, second);
    rig_commit(&rig, first);
    rig_move(&rig, owner, rig_place(1, 1, 30000, local_y)); // into the next cell
    rig_move(&rig, owner, rig_place(1, 1, 32000, local_y));
    rig_commit(&rig, second);
    rig_drain(&rig);
    RealmPlace place;
    cr_assert(realm_owner_place(&rig.engine, owner, &place));
    cr_assert_eq(place.x.raw, rig_fx(32000).raw);
    cr_assert_eq((place.cell - 1) >> 3 & 7, 1, "column 1, in cells");
    cr_assert_eq(place.y.raw, rig_fx(local_y).raw);
    cr_assert_geq(rig_rows(&rig, REALM_ACTIVE, 1, 1, 701), 1);
    rig_close(&rig);
}

Test(realm_drafts, realm_t24_live_mutation_beats_the_queued_rebase)
{
    t24_at(30000);  // nothing to the later draft
    t24_at(191900); // touches both
}

Test(realm_drafts, realm_t25_committed_seam_static_refloods_before_the_later_draft)
{
    Rig        rig;
    RigContent north;
    rig_open(&rig, rig_small());
    rig_load_flat(&rig, 1, 1, 10);
    rig_load_flat(&rig, 1, 2, 10);
    rig_content(&north, 25);
    rig_add_static(&north, 700, rig_setup_small(), 30000, 200);
    RealmDraftHandle older = rig_draft(&rig, 1, 2, &north);
    RealmDraftHandle younger = draft_of(&rig, 1, 1, 26, 0);
    rig_seal(&rig, younger);
    rig_commit(&rig, older);
    cr_assert_eq(rig_rows(&rig, REALM_ACTIVE, 1, 1, 700), 1, "in the generation that is active there now");
    RIG_NOT_YET(&rig, realm_commit(&rig.engine, younger));
    cr_assert(realm_is_sealed(&rig.engine, younger), "it keeps its seal");
    rig_seal(&rig, younger);
    cr_assert_eq(rig_rows(&rig, rig_view(&rig, younger), 1, 1, 700), 1);
    RIG_DONE(&rig, realm_commit(&rig.engine, younger));
    cr_assert_eq(rig_rows(&rig, REALM_ACTIVE, 1, 1, 700), 1);
    cr_assert_eq(rig_rows(&rig, REALM_ACTIVE, 1, 2, 700), 1);
    rig_drain(&rig);
    cr_assert_eq(rig_rows(&rig, REALM_ACTIVE, 1, 1, 700), 1);
    rig_close(&rig);
}

Test(realm_drafts, realm_06_exact_tickets)
{
    Rig         rig, other;
    RealmTicket ticket;
    rig_open(&rig, rig_small());
    rig_open(&other, rig_small());
    RIG_ERROR(&rig, realm_begin(&rig.engine, 0, &ticket));
    RIG_DONE(&rig, realm_begin(&rig.engine, 0x01020107, &ticket));
    cr_assert_eq(ticket.block, 0x0102FFFFu, "any cell of it names the landblock");
    cr_assert_eq(ticket.previous, 0);
    cr_assert_eq(ticket.runtime, rig.engine.root->runtime);
    RealmDraftHandle draft;
    const RealmTicket wrong[] = {
        { ticket.runtime + 1, ticket.block, ticket.generation, ticket.previous },
        { ticket.runtime, ticket.block + 0x10000, ticket.generation, ticket.previous },
        { ticket.runtime, ticket.block, ticket.generation - 1, ticket.previous },
        { ticket.runtime, ticket.block, ticket.generation + 1, ticket.previous },
        { ticket.runtime, ticket.block, ticket.generation, ticket.previous + 1 },
    };
    for (uint32_t i = 0; i < TP_COUNT_OF(wrong); i++) {
        RIG_ERROR(&rig, realm_prepare(&rig.engine, &wrong[i], &draft));
        RIG_ERROR(&rig, realm_cancel(&rig.engine, &wrong[i], NULL));
    }
    RIG_DONE(&rig, realm_prepare(&rig.engine, &ticket, &draft));
    rig_close(&rig);
    rig_close(&other);
}

Test(realm_drafts, realm_07_newer_supersedes_older)
{
    Rig rig;
    rig_open(&rig, rig_small());
    rig_load_flat(&rig, 1, 1, 10);
    uint64_t    committed = realm_leaf_at(&rig.engine, realm_view_leaf(&rig.engine, REALM_ACTIVE, rig_prefix(1, 1)))->number;
    RealmTicket first = rig_begin(&rig, 1, 1);
    rig_prepare(&rig, &first);
    RealmTicket second = rig_begin(&rig, 1, 1);
    cr_assert_eq(second.previous, committed);
    cr_assert_eq(rig_event_last(&rig, REALM_EVENT_CANCELLED)->data.reason, REALM_REASON_NEWER);
    cr_assert_eq(rig_event_last(&rig, REALM_EVENT_CANCELLED)->data.generation, first.generation);
    cr_assert_eq(rig.engine.root->drafts_live, 0);
    RealmDraftHandle draft;
    RIG_ERROR(&rig, realm_prepare(&rig.engine, &first, &draft));
    RIG_DONE(&rig, realm_prepare(&rig.engine, &second, &draft));
    rig_close(&rig);
}

Test(realm_drafts, realm_08_busy_landblock)
{
    Rig         rig;
    RealmTicket ticket;
    rig_open(&rig, rig_small());
    rig_load_flat(&rig, 1, 1, 10);
    rig_commit(&rig, draft_of(&rig, 1, 1, 25, 700));
    cr_assert(realm_is_retiring(&rig.engine));
    RIG_NOT_YET(&rig, realm_begin(&rig.engine, rig_at(1, 1), &ticket));
    RIG_NOT_YET(&rig, realm_demote(&rig.engine, rig_at(1, 1)));
    RIG_NOT_YET(&rig, realm_withdraw(&rig.engine, rig_at(1, 1)));
    rig_begin(&rig, 2, 2); // others are free to go
    rig_drain(&rig);
    RIG_DONE(&rig, realm_begin(&rig.engine, rig_at(1, 1), &ticket));
    rig_close(&rig);
}

Test(realm_drafts, realm_12_preparing_twice_is_refused)
{
    Rig rig;
    rig_open(&rig, rig_small());
    RealmTicket      ticket = rig_begin(&rig, 1, 1);
    RealmDraftHandle first = rig_prepare(&rig, &ticket), second;
    RIG_ERROR(&rig, realm_prepare(&rig.engine, &ticket, &second));
    cr_assert_eq(rig.engine.root->drafts_live, 1);
    cr_assert_neq(realm_draft_link(&rig.engine, first), 0);
    rig_close(&rig);
}

Test(realm_drafts, realm_42_13_preparation_order_is_activation_order)
{
    Rig rig;
    rig_open(&rig, rig_small());
    RealmDraftHandle drafts[3];
    for (uint32_t i = 0; i < 3; i++) {
        drafts[i] = draft_of(&rig, 2 * i + 1, 1, 25, 0);
    }
    cr_assert_lt(rig_draft_at(&rig, drafts[0])->sequence, rig_draft_at(&rig, drafts[1])->sequence);
    cr_assert_lt(rig_draft_at(&rig, drafts[1])->sequence, rig_draft_at(&rig, drafts[2])->sequence);
    for (uint32_t i = 0; i < 3; i++) {
        rig_seal(&rig, drafts[i]);
    }
    RIG_NOT_YET(&rig, realm_commit(&rig.engine, drafts[2]));
    RIG_NOT_YET(&rig, realm_commit(&rig.engine, drafts[1]));
    for (uint32_t i = 0; i < 3; i++) {
        rig_commit(&rig, drafts[i]);
    }
    rig_close(&rig);
}

// An older draft that nobody works on holds the younger ones up until its deadline, and no longer.
Test(realm_drafts, realm_42_abandoned_draft_has_a_deadline)
{
    Rig rig;
    rig_open(&rig, rig_small());
    rig_start(&rig, 1, 1);
    RealmDraftHandle younger = draft_of(&rig, 5, 5, 25, 0);
    rig_seal(&rig, younger);
    int64_t ticks = rig.layout.config[REALM_CONFIG_ABANDON_TICKS];
    RIG_NOT_YET(&rig, realm_commit(&rig.engine, younger));
    cr_assert_eq(rig.engine.root->drafts_live, 2);
    int64_t waited = 0;
    while (rig.engine.root->abandoned == 0) {
        cr_assert_leq(waited, ticks + 1);
        realm_engine_tick(&rig.engine);
        rig_check(&rig);
        waited++;
        if (waited == ticks / 2) {
            // The younger one is worked on, so it begins again and stays.
            RealmTicket ticket = rig_begin(&rig, 5, 5);
            younger = rig_prepare(&rig, &ticket);
        }
    }
    cr_assert_geq(waited, ticks - 1);
    cr_assert_eq(rig_event_last(&rig, REALM_EVENT_CANCELLED)->data.reason, REALM_REASON_ABANDONED);
    cr_assert_eq(rig.engine.root->drafts_live, 1);
    cr_assert_neq(realm_draft_link(&rig.engine, younger), 0);
    rig_close(&rig);
}

Test(realm_drafts, realm_18_guards_of_publication)
{
    Rig        rig;
    RigContent content;
    rig_open(&rig, rig_small());
    content_of(&content, 25, 700);
    RealmTicket      ticket = rig_begin(&rig, 1, 1);
    RealmDraftHandle draft = rig_prepare(&rig, &ticket);
    RIG_ERROR(&rig, realm_publish_terrain(&rig.engine, draft, &content.terrain)); // too early
    for (uint32_t i = 0; i < REALM_NEIGHBOURS; i++) {
        rig_after(&rig, realm_materialise(&rig.engine, draft));
    }
    RIG_ERROR(&rig, realm_publish_close(&rig.engine, draft)); // without terrain
    RIG_DONE(&rig, realm_publish_terrain(&rig.engine, draft, &content.terrain));
    RIG_ERROR(&rig, realm_publish_terrain(&rig.engine, draft, &content.terrain)); // once only
    RealmStaticContent outside = content.statics[0];
    outside.x = rig_fx(192000);
    RIG_ERROR(&rig, realm_publish_static(&rig.engine, draft, &outside)); // another landblock's
    RIG_ERROR(&rig, realm_publish_static(&rig.engine, (RealmDraftHandle){ 7, 7 }, &content.statics[0]));
    RIG_DONE(&rig, realm_publish_close(&rig.engine, draft));
    RIG_ERROR(&rig, realm_publish_static(&rig.engine, draft, &content.statics[0])); // too late
    RIG_ERROR(&rig, realm_publish_cell(&rig.engine, draft, &content.cells[0]));
    RIG_ERROR(&rig, realm_publish_building(&rig.engine, draft, &content.buildings[0]));
    RIG_ERROR(&rig, realm_publish_close(&rig.engine, draft));
    rig_close(&rig);
}

Test(realm_drafts, realm_36_three_answers)
{
    Rig        rig;
    RigContent content;
    rig_open(&rig, rig_small());
    content_of(&content, 25, 700);
    RealmDraftHandle draft = rig_start(&rig, 1, 1);
    RIG_ERROR(&rig, realm_seal(&rig.engine, draft));
    RIG_ERROR(&rig, realm_commit(&rig.engine, draft));
    rig_publish(&rig, draft, &content);
    RIG_ERROR(&rig, realm_seal(&rig.engine, draft));
    RIG_DONE(&rig, realm_publish_close(&rig.engine, draft));
    RIG_ERROR(&rig, realm_commit(&rig.engine, draft));
    rig_seal_topology(&rig, draft);
    RIG_NOT_YET(&rig, realm_commit(&rig.engine, draft));
    rig_seal(&rig, draft);
    RIG_DONE(&rig, realm_commit(&rig.engine, draft));
    rig_close(&rig);
}

// A portal to a cell that is not there, a cell that is seen and is not there, and a building of more cells than there are.
Test(realm_drafts, realm_33_topology_must_hold_together)
{
    Rig        rig;
    RigContent content;
    rig_open(&rig, rig_small());
    for (uint32_t kind = 0; kind < 3; kind++) {
        rig_content(&content, 25);
        rig_add_house(&content, 2, 1);
        if (kind == 0) {
            content.cells[1].portal_other[0] = REALM_INDOOR_FIRST + 9;
        } else if (kind == 1) {
            content.cells[0].visible |= 4;
        } else {
            content.buildings[0].cells = 3;
        }
        RealmDraftHandle draft = rig_draft(&rig, 1, 1 + kind, &content);
        RealmAnswer      answer = REALM_NOT_YET;
        for (uint32_t calls = 0; calls < 64 && answer == REALM_NOT_YET; calls++) {
            answer = rig_after(&rig, realm_seal(&rig.engine, draft));
        }
        cr_assert_eq(answer, REALM_ERROR, "kind %u was sealed", kind);
        RIG_ERROR(&rig, realm_commit(&rig.engine, draft));
    }
    rig_close(&rig);
}

Test(realm_drafts, realm_43_45_later_draft_waits_for_the_delta)
{
    Rig rig;
    rig_open(&rig, rig_small());
    rig_load_flat(&rig, 1, 1, 10);
    rig_load_flat(&rig, 1, 2, 10);
    for (uint32_t i = 0; i < 6; i++) {
        rig_owner(&rig, 60 + i, rig_setup_small(), rig_place(1, 1, 10000 + 20000 * (int32_t)i, 191900));
    }
    RealmDraftHandle older = draft_of(&rig, 1, 1, 25, 0);
    RealmDraftHandle younger = draft_of(&rig, 1, 2, 26, 0);
    rig_seal(&rig, younger);
    RIG_NOT_YET(&rig, realm_commit(&rig.engine, younger)); // an older one is open
    rig_commit(&rig, older);
    rig_drain(&rig);
    cr_assert(realm_is_sealed(&rig.engine, younger));
    RIG_NOT_YET(&rig, realm_commit(&rig.engine, younger));
    uint32_t calls = 0;
    while (rig_after(&rig, realm_seal(&rig.engine, younger)) == REALM_NOT_YET) {
        calls++;
        RIG_NOT_YET(&rig, realm_commit(&rig.engine, younger));
    }
    cr_assert_geq(calls, 5, "the owners on the seam, one at a time");
    RIG_DONE(&rig, realm_commit(&rig.engine, younger));
    for (uint32_t i = 0; i < 6; i++) {
        cr_assert_geq(rig_rows(&rig, REALM_ACTIVE, 1, 1, 60 + i), 1);
        cr_assert_geq(rig_rows(&rig, REALM_ACTIVE, 1, 2, 60 + i), 1);
    }
    rig_close(&rig);
}

// 52: when the last thing is reconciled, the switch comes in the same call: nobody can move in between. 32: and whoever moves before it, does
// not hold it up for ever.
Test(realm_drafts, realm_52_seal_and_switch_in_one_call)
{
    Rig rig;
    rig_open(&rig, rig_small());
    rig_load_flat(&rig, 1, 1, 10);
    RealmDraftHandle draft = draft_of(&rig, 1, 1, 25, 700);
    RealmOwnerHandle owner = rig_owner(&rig, 42, rig_setup_small(), rig_place(1, 1, 1000, 1000));
    for (int32_t step = 0;; step++) {
        rig_move(&rig, owner, rig_place(1, 1, 1000 + 700 * step, 1000));
        RealmAnswer answer = rig_after(&rig, realm_seal(&rig.engine, draft));
        if (answer == REALM_DONE) {
            RIG_DONE(&rig, realm_commit(&rig.engine, draft));
            break;
        }
        cr_assert_lt(step, 64);
    }
    cr_assert_eq(rig_height(&rig, REALM_ACTIVE, 1, 1), 25);
    rig_close(&rig);
}

Test(realm_drafts, realm_f4_cancel_is_narrow)
{
    Rig rig;
    rig_open(&rig, rig_small());
    rig_load_flat(&rig, 1, 1, 10);
    uint64_t    picture = rig_picture(&rig, REALM_ACTIVE), version = rig.engine.root->version;
    RealmTicket ticket = rig_begin(&rig, 1, 1);
    bool        was_committed = true;
    RIG_DONE(&rig, realm_cancel(&rig.engine, &ticket, &was_committed));
    cr_assert_not(was_committed);
    cr_assert_eq(rig_picture(&rig, REALM_ACTIVE), picture);
    cr_assert_eq(rig.engine.root->version, version);
    rig_close(&rig);
}

Test(realm_drafts, realm_f5_stale_cancel_hurts_nobody)
{
    Rig rig;
    rig_open(&rig, rig_small());
    rig_load_flat(&rig, 1, 1, 10);
    RealmTicket first = rig_begin(&rig, 1, 1);
    uint64_t    last = rig.engine.root->generation_last;
    RIG_DONE(&rig, realm_cancel(&rig.engine, &first, NULL));
    cr_assert_eq(rig.engine.root->generation_last, last + 1, "a successful cancel burns one more");
    RealmTicket second = rig_begin(&rig, 1, 1);
    cr_assert_gt(second.generation, last + 1);
    RIG_ERROR(&rig, realm_cancel(&rig.engine, &first, NULL));
    cr_assert_eq(rig.engine.root->admissions, 1);
    RealmDraftHandle draft;
    RIG_DONE(&rig, realm_prepare(&rig.engine, &second, &draft));
    rig_close(&rig);
}

Test(realm_drafts, realm_f6_cancel_after_the_commit_is_too_late)
{
    Rig        rig;
    RigContent content;
    rig_open(&rig, rig_small());
    content_of(&content, 25, 700);
    RealmTicket      ticket = rig_begin(&rig, 1, 1);
    RealmDraftHandle draft = rig_prepare(&rig, &ticket);
    for (uint32_t i = 0; i < REALM_NEIGHBOURS; i++) {
        rig_after(&rig, realm_materialise(&rig.engine, draft));
    }
    rig_publish(&rig, draft, &content);
    RIG_DONE(&rig, realm_publish_close(&rig.engine, draft));
    rig_commit(&rig, draft);
    bool was_committed = false;
    RIG_DONE(&rig, realm_cancel(&rig.engine, &ticket, &was_committed));
    cr_assert(was_committed);
    cr_assert_eq(rig_height(&rig, REALM_ACTIVE, 1, 1), 25);
    cr_assert_eq(rig_event_count(&rig, REALM_EVENT_CANCELLED), 0);
    rig_close(&rig);
}

// The ticket goes first, then the landblock: whoever hears of the cancel still sees the generation before.
Test(realm_drafts, realm_f7_demote_and_withdraw_end_the_admission_first)
{
    for (uint32_t kind = 0; kind < 3; kind++) {
        Rig rig;
        rig_open(&rig, rig_small());
        rig_load_flat(&rig, 1, 1, 10);
        uint64_t         active = realm_leaf_at(&rig.engine, realm_view_leaf(&rig.engine, REALM_ACTIVE, rig_prefix(1, 1)))->number;
        RealmTicket      ticket = rig_begin(&rig, 1, 1);
        RealmDraftHandle draft = rig_prepare(&rig, &ticket);
        if (kind == 0) {
            RIG_DONE(&rig, realm_demote(&rig.engine, rig_at(1, 1)));
        } else if (kind == 1) {
            RIG_DONE(&rig, realm_withdraw(&rig.engine, rig_at(1, 1)));
        } else {
            realm_engine_reset(&rig.engine);
        }
        const RigEvent *event = rig_event_last(&rig, REALM_EVENT_CANCELLED);
        cr_assert_eq(event->data.generation, ticket.generation);
        cr_assert_eq(event->active, active);
        cr_assert(event->is_served);
        cr_assert_eq(realm_draft_link(&rig.engine, draft), 0);
        cr_assert_eq(rig.engine.root->admissions, 0);
        RIG_ERROR(&rig, realm_cancel(&rig.engine, &ticket, NULL));
        rig_close(&rig);
    }
}

// 52b: nothing of a cancelled draft is to be seen, and the picture is that of a world in which it never began.
Test(realm_drafts, realm_52b_cancelled_is_as_never_started)
{
    Rig rig, never;
    rig_open(&rig, rig_small());
    rig_load_flat(&rig, 1, 1, 10);
    rig_owner(&rig, 42, rig_setup_wide(), rig_place(1, 1, 96000, 96000));
    rig_copy(&never, &rig);
    RigContent content;
    content_of(&content, 25, 700);
    RealmTicket      ticket = rig_begin(&rig, 1, 1);
    RealmDraftHandle draft = rig_prepare(&rig, &ticket);
    for (uint32_t i = 0; i < REALM_NEIGHBOURS; i++) {
        rig_after(&rig, realm_materialise(&rig.engine, draft));
    }
    rig_publish(&rig, draft, &content);
    RIG_DONE(&rig, realm_publish_close(&rig.engine, draft));
    rig_seal(&rig, draft);
    RIG_DONE(&rig, realm_cancel(&rig.engine, &ticket, NULL));
    rig_drain(&rig);
    cr_assert_eq(rig_picture(&rig, REALM_ACTIVE), rig_picture(&never, REALM_ACTIVE));
    rig_close(&rig);
    rig_close(&never);
}

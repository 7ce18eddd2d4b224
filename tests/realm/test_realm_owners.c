// Owners that move, come, go and change while a generation is prepared.
#include <criterion/criterion.h>

#include "realm_rig.h"

enum { CALLS_MAX = 512 };

// Resident: the target (1, 1), (2, 2) and (3, 3), all flat.
static void open_land(Rig *rig)
{
    rig_open(rig, rig_small());
    rig_load_flat(rig, 1, 1, 10);
    rig_load_flat(rig, 2, 2, 10);
    rig_load_flat(rig, 3, 3, 10);
}

static void content_25(RigContent *content)
{
    rig_content(content, 25);
    rig_add_house(content, 2, 88);
    rig_add_static(content, 501, rig_setup_small(), 100000, 20000);
}

typedef struct Progress {
    uint8_t  phase;
    uint32_t topology;
    uint64_t units;
} Progress;

// Seals with `mutate` before every call; the draft never goes back, and each call costs one unit at most.
static uint32_t seal_under(Rig *rig, RealmDraftHandle draft, void (*mutate)(Rig *rig, uint32_t step), uint32_t calls_max)
{
    Progress last = { 0 };
    for (uint32_t calls = 1; calls <= calls_max; calls++) {
        mutate(rig, calls);
        RealmAnswer answer = rig_after(rig, realm_seal(&rig->engine, draft));
        cr_assert_neq(answer, REALM_ERROR, "%s", rig->engine.reason);
        const RealmDraft *value = rig_draft_at(rig, draft);
        cr_assert_geq(value->phase, last.phase, "preparation was started again");
        cr_assert_geq(value->topology_cursor, last.topology, "the topology was started again");
        cr_assert_leq(value->units - last.units, calls == 1 ? value->units : 1);
        last = (Progress){ value->phase, value->topology_cursor, value->units };
        if (answer == REALM_DONE) {
            return calls;
        }
    }
    cr_assert_fail("not ready after %u calls", calls_max);
    return 0;
}

static RealmOwnerHandle movers[2];
static int32_t          mover_x[2];
static uint32_t         mover_block, mover_count;

// A hundredth of a unit further, all of them.
static void move_all(Rig *rig, uint32_t step)
{
    for (uint32_t i = 0; i < mover_count; i++) {
        mover_x[i] += 10;
        rig_move(rig, movers[i], rig_place(mover_block, mover_block, mover_x[i], 30000));
    }
}

static void seat_movers(Rig *rig, uint32_t count, uint32_t block)
{
    mover_count = count;
    mover_block = block;
    for (uint32_t i = 0; i < count; i++) {
        mover_x[i] = 10000 + 50000 * (int32_t)i;
        movers[i] = rig_owner(rig, 99 + i, rig_setup_small(), rig_place(block, block, mover_x[i], 30000));
    }
}

static uint32_t quiet_calls(void)
{
    Rig        rig;
    RigContent content;
    open_land(&rig);
    content_25(&content);
    RealmDraftHandle draft = rig_draft(&rig, 1, 1, &content);
    uint32_t         calls = 1;
    while (rig_after(&rig, realm_seal(&rig.engine, draft)) != REALM_DONE) {
        calls++;
    }
    rig_close(&rig);
    return calls;
}

static void t04_with(uint32_t count)
{
    Rig        rig;
    RigContent content;
    open_land(&rig);
    seat_movers(&rig, count, 3);
    content_25(&content);
    RealmDraftHandle draft = rig_draft(&rig, 1, 1, &content);
    uint32_t         calls = seal_under(&rig, draft, move_all, CALLS_MAX);
    cr_assert_leq(calls, quiet_calls() + count, "each costs the preparation one unit at most");
    move_all(&rig, 0);
    RIG_DONE(&rig, realm_commit(&rig.engine, draft));
    cr_assert_eq(rig_height(&rig, REALM_ACTIVE, 1, 1), 25);
    cr_assert_eq(rig_owner_at(&rig, movers[0])->x.raw, rig_fx(mover_x[0]).raw);
    rig_close(&rig);
}

Test(realm_owners, realm_t04_unrelated_movement_never_restarts)
{
    t04_with(1);
    t04_with(2);
}

Test(realm_owners, realm_t05_two_relevant_movers_converge)
{
    Rig        rig;
    RigContent content;
    open_land(&rig);
    seat_movers(&rig, 2, 1);
    content_25(&content);
    RealmDraftHandle draft = rig_draft(&rig, 1, 1, &content);
    seal_under(&rig, draft, move_all, 256);
    cr_assert_eq(rig_draft_at(&rig, draft)->sets, 2);
    RIG_DONE(&rig, realm_commit(&rig.engine, draft));
    for (uint32_t i = 0; i < 2; i++) {
        RealmPlace place;
        cr_assert(realm_owner_place(&rig.engine, movers[i], &place));
        cr_assert_eq(place.x.raw, rig_fx(mover_x[i]).raw);
        cr_assert_eq(rig_rows(&rig, REALM_ACTIVE, 1, 1, 99 + i), 1);
    }
    rig_close(&rig);
}

Test(realm_owners, realm_t06_state_of_a_rowless_owner_reaches_a_sealed_draft)
{
    Rig        rig;
    RigContent content;
    open_land(&rig);
    RealmOwnerHandle owner = rig_owner(&rig, 42, rig_setup_small(), rig_place(1, 1, 30000, 30000));
    RIG_DONE(&rig, realm_withdraw(&rig.engine, rig_at(1, 1)));
    cr_assert_eq(rig_rows_of(&rig, REALM_ACTIVE, owner), 0);
    rig_drain(&rig);
    RealmPlace place;
    cr_assert_not(realm_owner_place(&rig.engine, owner, &place), "lost");
    content_25(&content);
    RealmDraftHandle draft = rig_draft(&rig, 1, 1, &content);
    rig_seal(&rig, draft);
    uint8_t phase = rig_draft_at(&rig, draft)->phase;
    RIG_DONE(&rig, realm_owner_set_state(&rig.engine, owner, 0x14));
    cr_assert_eq(rig_draft_at(&rig, draft)->phase, phase);
    cr_assert_eq(rig_rows_of(&rig, rig_view(&rig, draft), owner), 1);
    RIG_DONE(&rig, realm_commit(&rig.engine, draft));
    cr_assert_eq(rig_rows(&rig, REALM_ACTIVE, 1, 1, 42), 1);
    cr_assert_eq(rig_owner_at(&rig, owner)->state, 0x14);
    rig_close(&rig);
}

// (1, 2) lies north of (1, 1); its static reaches over the seam.
static void open_seam(Rig *rig)
{
    RigContent north;
    rig_open(rig, rig_small());
    rig_load_flat(rig, 1, 1, 10);
    rig_content(&north, 10);
    rig_add_static(&north, 700, rig_setup_small(), 30000, 200);
    rig_load(rig, 1, 2, &north);
    cr_assert_eq(rig_rows(rig, REALM_ACTIVE, 1, 1, 700), 1);
    cr_assert_eq(rig_rows(rig, REALM_ACTIVE, 1, 2, 700), 1);
}

Test(realm_owners, realm_t07a_seam_static_is_restored_atomically)
{
    Rig        rig;
    RigContent content;
    open_seam(&rig);
    RIG_DONE(&rig, realm_withdraw(&rig.engine, rig_at(1, 1)));
    rig_drain(&rig);
    cr_assert_eq(rig_rows(&rig, REALM_ACTIVE, 1, 2, 700), 1);
    content_25(&content);
    RealmDraftHandle draft = rig_draft(&rig, 1, 1, &content);
    rig_seal(&rig, draft);
    cr_assert_eq(rig_rows(&rig, REALM_ACTIVE, 1, 1, 700), 0);
    cr_assert_eq(rig_rows(&rig, rig_view(&rig, draft), 1, 1, 700), 1);
    RIG_DONE(&rig, realm_commit(&rig.engine, draft));
    cr_assert_eq(rig_rows(&rig, REALM_ACTIVE, 1, 1, 700), 1, "with the switch, before any further unit");
    cr_assert_eq(rig_rows(&rig, REALM_ACTIVE, 1, 2, 700), 1);
    rig_drain(&rig);
    cr_assert_eq(rig_rows(&rig, REALM_ACTIVE, 1, 1, 700), 1);
    rig_close(&rig);
}

Test(realm_owners, realm_t07b_marker_clears_only_at_activation)
{
    Rig        rig;
    RigContent content;
    open_seam(&rig);
    rig_owner(&rig, 42, rig_setup_small(), rig_place(1, 1, 90000, 90000));
    cr_assert_eq(rig_markers(&rig, 1, 1), 0);
    RIG_DONE(&rig, realm_withdraw(&rig.engine, rig_at(1, 1)));
    cr_assert_eq(rig_markers(&rig, 1, 1), 2, "the static from next door, and the dynamic");
    rig_drain(&rig);
    cr_assert_eq(rig_markers(&rig, 1, 1), 2);
    rig_content(&content, 25);
    RealmDraftHandle draft = rig_draft(&rig, 1, 1, &content);
    while (rig_after(&rig, realm_seal(&rig.engine, draft)) == REALM_NOT_YET) {
        cr_assert_eq(rig_markers(&rig, 1, 1), 2);
    }
    cr_assert_eq(rig_markers(&rig, 1, 1), 2);
    RIG_DONE(&rig, realm_commit(&rig.engine, draft));
    cr_assert_eq(rig_markers(&rig, 1, 1), 0);
    rig_close(&rig);
}

Test(realm_owners, realm_t08_late_spawn_blocks_until_its_one_refresh)
{
    Rig        rig;
    RigContent content;
    open_land(&rig);
    content_25(&content);
    RealmDraftHandle draft = rig_draft(&rig, 1, 1, &content);
    rig_seal(&rig, draft);
    RealmOwnerHandle owner = rig_owner(&rig, 71, rig_setup_small(), rig_place(1, 1, 30000, 30000));
    cr_assert_eq(rig_draft_at(&rig, draft)->queued, 1);
    RIG_NOT_YET(&rig, realm_commit(&rig.engine, draft));
    RIG_DONE(&rig, realm_seal(&rig.engine, draft));
    cr_assert_eq(rig.engine.units, 1);
    RIG_DONE(&rig, realm_commit(&rig.engine, draft));
    cr_assert_eq(rig_rows_of(&rig, REALM_ACTIVE, owner), 1);
    cr_assert_eq(rig_rows(&rig, REALM_ACTIVE, 1, 1, 71), 1);
    rig_close(&rig);
}

Test(realm_owners, realm_t09_deleting_an_armed_owner_writes_through)
{
    Rig        rig;
    RigContent content;
    open_land(&rig);
    content_25(&content);
    RealmDraftHandle draft = rig_draft(&rig, 1, 1, &content);
    RealmOwnerHandle early = rig_owner(&rig, 70, rig_setup_wide(), rig_place(1, 1, 96000, 96000));
    RIG_DONE(&rig, realm_owner_deregister(&rig.engine, early));
    rig_seal(&rig, draft);
    RealmOwnerHandle late = rig_owner(&rig, 71, rig_setup_wide(), rig_place(1, 1, 96000, 96000));
    RIG_DONE(&rig, realm_seal(&rig.engine, draft));
    cr_assert_gt(rig_rows(&rig, rig_view(&rig, draft), 1, 1, 71), 1, "armed");
    uint32_t sets = rig_draft_at(&rig, draft)->sets;
    RIG_DONE(&rig, realm_owner_deregister(&rig.engine, late));
    cr_assert_eq(rig_draft_at(&rig, draft)->sets, sets - 1);
    cr_assert_eq(rig_rows(&rig, rig_view(&rig, draft), 1, 1, 71), 0);
    RIG_DONE(&rig, realm_commit(&rig.engine, draft));
    cr_assert_eq(rig_rows(&rig, REALM_ACTIVE, 1, 1, 70), 0);
    cr_assert_eq(rig_rows(&rig, REALM_ACTIVE, 1, 1, 71), 0);
    cr_assert_eq(realm_owner_find(&rig.engine, REALM_ACTIVE, 71).generation, 0);
    rig_close(&rig);
}

Test(realm_owners, realm_t26_arrivals_drain_one_per_call)
{
    Rig        rig;
    RigContent content;
    open_land(&rig);
    seat_movers(&rig, 2, 1);
    content_25(&content);
    RealmDraftHandle draft = rig_draft(&rig, 1, 1, &content);
    rig_seal(&rig, draft);
    uint32_t sets = rig_draft_at(&rig, draft)->sets;
    uint64_t units = rig_draft_at(&rig, draft)->units;
    rig_owner(&rig, 71, rig_setup_small(), rig_place(1, 1, 130000, 30000));
    rig_owner(&rig, 72, rig_setup_small(), rig_place(1, 1, 150000, 30000));
    cr_assert_eq(rig_draft_at(&rig, draft)->phase, REALM_PHASE_RECONCILE, "capture is over and stays so");
    RIG_NOT_YET(&rig, realm_commit(&rig.engine, draft));
    RIG_NOT_YET(&rig, realm_seal(&rig.engine, draft));
    cr_assert_eq(rig.engine.units, 1);
    cr_assert_eq(rig_draft_at(&rig, draft)->sets, sets + 1);
    RIG_NOT_YET(&rig, realm_commit(&rig.engine, draft));
    RIG_DONE(&rig, realm_seal(&rig.engine, draft));
    cr_assert_eq(rig.engine.units, 1);
    cr_assert_eq(rig_draft_at(&rig, draft)->sets, sets + 2);
    cr_assert_eq(rig_draft_at(&rig, draft)->units, units + 2);
    RIG_DONE(&rig, realm_commit(&rig.engine, draft));
    cr_assert_eq(rig_rows(&rig, REALM_ACTIVE, 1, 1, 71), 1);
    cr_assert_eq(rig_rows(&rig, REALM_ACTIVE, 1, 1, 72), 1);
    rig_close(&rig);
}

Test(realm_owners, realm_t27_entering_after_the_journal_entry_was_read)
{
    Rig        rig;
    RigContent content;
    open_land(&rig);
    content_25(&content);
    RealmOwnerHandle owner = rig_owner(&rig, 43000, rig_setup_small(), rig_place(3, 3, 30000, 30000));
    RealmDraftHandle draft = rig_draft(&rig, 1, 1, &content);
    rig_move(&rig, owner, rig_place(3, 3, 31000, 30000));
    uint64_t entry = rig_owner_at(&rig, owner)->journal;
    cr_assert_gt(entry, 0, "it left a note");
    rig_seal(&rig, draft);
    cr_assert_geq(rig_draft_at(&rig, draft)->journal_cursor, entry, "which was read");
    cr_assert_eq(rig_draft_at(&rig, draft)->sets, 0, "and led to nothing");
    rig_move(&rig, owner, rig_place(1, 1, 40000, 30000));
    RIG_NOT_YET(&rig, realm_commit(&rig.engine, draft));
    RIG_DONE(&rig, realm_seal(&rig.engine, draft));
    cr_assert_eq(rig.engine.units, 1);
    RIG_DONE(&rig, realm_commit(&rig.engine, draft));
    cr_assert_eq(rig_rows(&rig, REALM_ACTIVE, 1, 1, 43000), 1);
    cr_assert_eq(rig_rows(&rig, REALM_ACTIVE, 3, 3, 43000), 0);
    rig_close(&rig);
}

Test(realm_owners, realm_t28_leaving_the_target_keeps_the_rows_elsewhere)
{
    Rig        rig;
    RigContent content;
    open_land(&rig);
    content_25(&content);
    RealmOwnerHandle owner = rig_owner(&rig, 42, rig_setup_wide(), rig_place(1, 1, 96000, 96000));
    RealmDraftHandle draft = rig_draft(&rig, 1, 1, &content);
    rig_seal(&rig, draft);
    cr_assert_gt(rig_rows(&rig, rig_view(&rig, draft), 1, 1, 42), 0);
    rig_move(&rig, owner, rig_place(2, 2, 96000, 96000));
    uint32_t rows = rig_rows(&rig, REALM_ACTIVE, 2, 2, 42);
    cr_assert_gt(rows, 1);
    cr_assert_eq(rig_rows(&rig, rig_view(&rig, draft), 1, 1, 42), 0);
    cr_assert_eq(rig_rows(&rig, rig_view(&rig, draft), 2, 2, 42), rows);
    RIG_DONE(&rig, realm_commit(&rig.engine, draft));
    cr_assert_eq(rig_rows(&rig, REALM_ACTIVE, 1, 1, 42), 0);
    cr_assert_eq(rig_rows(&rig, REALM_ACTIVE, 2, 2, 42), rows);
    rig_drain(&rig);
    cr_assert_eq(rig_rows(&rig, REALM_ACTIVE, 2, 2, 42), rows);
    rig_close(&rig);
}

Test(realm_owners, realm_t29_id_reused_elsewhere_keeps_the_new_incarnation)
{
    Rig        rig;
    RigContent content;
    open_land(&rig);
    content_25(&content);
    RealmOwnerHandle first = rig_owner(&rig, 42, rig_setup_small(), rig_place(1, 1, 30000, 30000));
    RIG_DONE(&rig, realm_owner_set_state(&rig.engine, first, 0x99));
    RealmDraftHandle draft = rig_draft(&rig, 1, 1, &content);
    rig_seal_topology(&rig, draft);
    RIG_DONE(&rig, realm_owner_deregister(&rig.engine, first));
    RealmOwnerHandle second = rig_owner(&rig, 42, rig_setup_wide(), rig_place(2, 2, 96000, 96000));
    uint32_t         rows = rig_rows_of(&rig, REALM_ACTIVE, second);
    cr_assert_neq(first.generation, second.generation);
    rig_commit(&rig, draft);
    rig_drain(&rig);
    cr_assert_eq(realm_owner_link(&rig.engine, first), 0);
    cr_assert_eq(rig_rows(&rig, REALM_ACTIVE, 1, 1, 42), 0);
    cr_assert_eq(rig_rows(&rig, REALM_ACTIVE, 2, 2, 42), rows);
    cr_assert_eq(rig_owner_at(&rig, second)->state, 0);
    cr_assert_eq(rig_owner_at(&rig, second)->setup, rig_setup_wide());
    rig_close(&rig);
}

// The outgoing static and the authored one share id 812; the old one is deleted at some point of the preparation.
static void t35_delete_at(uint32_t seal_calls, bool is_before_all, bool is_ready)
{
    Rig        rig;
    RigContent content;
    rig_open(&rig, rig_small());
    rig_content(&content, 10);
    rig_add_static(&content, 812, rig_setup_small(), 30000, 30000);
    rig_load(&rig, 1, 1, &content);
    RealmOwnerHandle outgoing = realm_owner_find(&rig.engine, REALM_ACTIVE, 812);
    rig_content(&content, 25);
    rig_add_static(&content, 812, rig_setup_other(), 130000, 30000);
    if (is_before_all) {
        RIG_DONE(&rig, realm_owner_deregister(&rig.engine, outgoing));
    }
    RealmDraftHandle draft = rig_draft(&rig, 1, 1, &content);
    for (uint32_t i = 0; i < seal_calls; i++) {
        rig_after(&rig, realm_seal(&rig.engine, draft));
    }
    if (is_ready) {
        rig_seal(&rig, draft);
    }
    if (!is_before_all) {
        RIG_DONE(&rig, realm_owner_deregister(&rig.engine, outgoing));
    }
    cr_assert_eq(rig_rows(&rig, REALM_ACTIVE, 1, 1, 812), 0);
    rig_commit(&rig, draft);
    cr_assert_geq(rig_rows(&rig, REALM_ACTIVE, 1, 1, 812), 1);
    cr_assert_eq(rig_owner_at(&rig, realm_owner_find(&rig.engine, REALM_ACTIVE, 812))->setup, rig_setup_other());
    rig_drain(&rig);
    cr_assert_geq(rig_rows(&rig, REALM_ACTIVE, 1, 1, 812), 1);
    rig_close(&rig);
}

Test(realm_owners, realm_t35_deleting_the_outgoing_static_before_staging)
{
    t35_delete_at(0, true, false);
}

Test(realm_owners, realm_t36_deleting_the_outgoing_static_during_staging)
{
    t35_delete_at(0, false, false);
    t35_delete_at(1, false, false);
    t35_delete_at(2, false, false);
}

Test(realm_owners, realm_t37_deleting_the_outgoing_static_after_staging)
{
    t35_delete_at(0, false, true);
}

// One of each kind touches the target; a static of the target itself, somebody suspended and somebody elsewhere are left out.
Test(realm_owners, realm_19_20_whom_to_capture)
{
    Rig        rig;
    RigContent content;
    open_seam(&rig);
    rig_content(&content, 10);
    rig_add_static(&content, 800, rig_setup_small(), 100000, 100000);
    rig_load(&rig, 1, 1, &content);
    rig_owner(&rig, 42, rig_setup_small(), rig_place(1, 1, 30000, 30000));
    RealmOwnerHandle suspended = rig_owner(&rig, 43, rig_setup_small(), rig_place(1, 1, 60000, 30000));
    RIG_DONE(&rig, realm_owner_suspend(&rig.engine, suspended, true));
    rig_owner(&rig, 44, rig_setup_small(), rig_place(1, 2, 100000, 100000));
    content_25(&content);
    RealmDraftHandle draft = rig_draft(&rig, 1, 1, &content);
    rig_seal_topology(&rig, draft);
    cr_assert_eq(rig_draft_at(&rig, draft)->queued, 2, "the seam static of next door, and the dynamic");
    rig_commit(&rig, draft);
    cr_assert_eq(rig_rows(&rig, REALM_ACTIVE, 1, 1, 700), 1);
    cr_assert_eq(rig_rows(&rig, REALM_ACTIVE, 1, 1, 42), 1);
    cr_assert_eq(rig_rows(&rig, REALM_ACTIVE, 1, 1, 43), 0);
    cr_assert_eq(rig_rows(&rig, REALM_ACTIVE, 1, 1, 800), 0, "superseded by what the author says now");
    RIG_DONE(&rig, realm_owner_suspend(&rig.engine, suspended, false));
    cr_assert_eq(rig_rows(&rig, REALM_ACTIVE, 1, 1, 43), 1);
    rig_close(&rig);
}

static RealmOwnerHandle churned;

// Somebody comes, moves about and goes, next door and here, before every call.
static void churn(Rig *rig, uint32_t step)
{
    if (realm_owner_link(&rig->engine, churned) != 0) {
        RIG_DONE(rig, realm_owner_deregister(&rig->engine, churned));
    }
    uint32_t block = step % 3 + 1;
    churned = rig_owner(rig, 1000 + step, rig_setup_small(), rig_place(block, block, 1000 + 700 * (int32_t)(step % 200), 30000));
}

Test(realm_owners, realm_16_21_walks_stand_comings_and_goings)
{
    Rig        rig;
    RigContent content;
    open_land(&rig);
    for (uint32_t i = 0; i < 12; i++) {
        rig_owner(&rig, 200 + i, rig_setup_small(), rig_place(1, 1, 5000 + 12000 * (int32_t)i, 100000));
    }
    churned = (RealmOwnerHandle){ 0, 0 };
    content_25(&content);
    RealmDraftHandle draft = rig_draft(&rig, 1, 1, &content);
    seal_under(&rig, draft, churn, 256);
    RIG_DONE(&rig, realm_commit(&rig.engine, draft));
    for (uint32_t i = 0; i < 12; i++) {
        cr_assert_geq(rig_rows(&rig, REALM_ACTIVE, 1, 1, 200 + i), 1, "owner %u was skipped", 200 + i);
    }
    rig_close(&rig);
}

// Owners of the target leave it and others come in, before every call: continuous motion ends at its last position.
static void cross(Rig *rig, uint32_t step)
{
    bool is_inside = step % 2 == 0;
    rig_move(rig, movers[0], rig_place(is_inside ? 1 : 2, is_inside ? 1 : 2, 10 * (int32_t)step, 100000));
    rig_move(rig, movers[1], rig_place(is_inside ? 2 : 1, is_inside ? 2 : 1, 20 * (int32_t)step, 50000));
}

Test(realm_owners, realm_25_28_crossing_owners_end_where_they_are)
{
    Rig        rig;
    RigContent content;
    open_land(&rig);
    seat_movers(&rig, 2, 1);
    content_25(&content);
    RealmDraftHandle draft = rig_draft(&rig, 1, 1, &content);
    seal_under(&rig, draft, cross, 256);
    RIG_DONE(&rig, realm_commit(&rig.engine, draft));
    uint64_t picture = rig_picture(&rig, REALM_ACTIVE);
    rig_drain(&rig);
    cr_assert_eq(rig_picture(&rig, REALM_ACTIVE), picture);
    rig_close(&rig);
}

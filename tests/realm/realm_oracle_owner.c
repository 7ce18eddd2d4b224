// realm_oracle_owner.c: steps of owners, and calls that must be refused.
#include "realm_oracle_run.h"

#include "realm_place.h"

enum { UNIT = REALM_UNIT };

static tp_pcg32 dice_of(const OracleStep *step)
{
    return tp_pcg32_make((uint64_t)step->b << 32 | step->c, step->op);
}

static ModelOwner *pick_owner(Run *run, uint32_t n)
{
    ModelOwner *live[MODEL_OWNERS_MAX];
    uint32_t    count = 0;
    for (uint32_t i = 0; i < MODEL_OWNERS_MAX; i++) {
        if (run->track.model.owner[i].is_live) {
            live[count++] = &run->track.model.owner[i];
        }
    }
    return count == 0 ? NULL : live[n % count];
}

static ModelOwner *pick_fixture(Run *run, uint32_t n)
{
    ModelOwner *live[LAND_BLOCKS_MAX * LAND_STATICS_MAX];
    uint32_t    count = 0;
    for (uint32_t block = 0; block < LAND_BLOCKS_MAX; block++) {
        ModelBlock *value = &run->track.model.block[block];
        for (uint32_t k = 0; k < value->statics; k++) {
            if (value->fixture[k].is_live) {
                live[count++] = &value->fixture[k];
            }
        }
    }
    return count == 0 ? NULL : live[n % count];
}

// DONE: the model follows. NOT_YET: nothing changed. ERROR is a failure: every change here is a good one.
static void change(Run *run, ModelOwner *owner, const ModelOwner *changed, RealmAnswer answer)
{
    run_after(run, answer);
    const RealmOwnerContent *now = &changed->now;
    run_tell(run, "owner %u of id %u: setup %u turn %u state %u suspended %d at 0x%08x (%d %d %d) raw: %s", changed->handle.index, now->id,
             now->setup, now->turn, now->state, changed->is_suspended, now->place.cell, now->place.x.raw, now->place.y.raw, now->place.z.raw,
             answer == REALM_DONE ? "done" : run_engine(run)->reason);
    if (answer == REALM_DONE) {
        *owner = *changed;
        run->counts->changes++;
    } else if (answer == REALM_ERROR) {
        run_fail(run, "a change of an owner was refused: %s", run_engine(run)->reason);
    }
    run->counts->waits += answer == REALM_NOT_YET;
}

static void add_owner(Run *run, ModelOwner *owner, uint32_t id, uint32_t block, tp_pcg32 *dice)
{
    ModelOwner changed = { .is_live = true };
    changed.now.id = id;
    changed.now.setup = land_setup(dice);
    changed.now.turn = (uint8_t)tp_pcg32_below(dice, 4);
    changed.now.state = tp_pcg32_below(dice, 1000);
    changed.now.place = land_place(run->land, dice, block);
    RealmAnswer answer = realm_owner_register(run_engine(run), &changed.now, &changed.handle);
    change(run, owner, &changed, answer);
}

static void register_owner(Run *run, const OracleStep *step)
{
    tp_pcg32 dice = dice_of(step);
    uint32_t id = step->b % 4 == 0 ? 800 + step->b % 30 : 1 + step->b % 12; // also those that statics have
    for (uint32_t i = 0; i < MODEL_OWNERS_MAX; i++) {
        if (!run->track.model.owner[i].is_live) {
            add_owner(run, &run->track.model.owner[i], id, step->a % land_blocks(run->land), &dice);
            return;
        }
    }
}

static void remove_owner(Run *run, ModelOwner *owner)
{
    ModelOwner  changed = *owner;
    RealmAnswer answer = realm_owner_deregister(run_engine(run), owner->handle);
    changed.is_live = false;
    run->track.gone = owner->handle;
    change(run, owner, &changed, answer);
    if (answer != REALM_DONE) {
        run_fail(run, "an owner could not go");
    }
}

static RealmPlace near_place(Run *run, const ModelOwner *owner, tp_pcg32 *dice, int32_t most)
{
    RealmPlace  place = owner->now.place;
    RealmVector delta;
    delta.x.raw = (int32_t)tp_pcg32_below(dice, 2 * (uint32_t)most) - most;
    delta.y.raw = (int32_t)tp_pcg32_below(dice, 2 * (uint32_t)most) - most;
    delta.z.raw = (int32_t)tp_pcg32_below(dice, UNIT) - UNIT / 2;
    RealmPlace to;
    bool       is_good = realm_place_move(place, delta, &to);
    return is_good && land_block(run->land, realm_prefix(to.cell)) != LAND_BLOCKS_MAX ? to : place;
}

static void move_owner(Run *run, ModelOwner *owner, RealmPlace place)
{
    ModelOwner changed = *owner;
    changed.now.place = place;
    RealmAnswer answer = realm_owner_move(run_engine(run), owner->handle, place);
    change(run, owner, &changed, answer);
}

static void state_owner(Run *run, ModelOwner *owner, uint32_t state)
{
    ModelOwner changed = *owner;
    changed.now.state = state;
    RealmAnswer answer = realm_owner_set_state(run_engine(run), owner->handle, state);
    change(run, owner, &changed, answer);
}

static void setup_owner(Run *run, ModelOwner *owner, tp_pcg32 *dice)
{
    ModelOwner changed = *owner;
    changed.now.setup = land_setup(dice);
    changed.now.turn = (uint8_t)tp_pcg32_below(dice, 4);
    RealmAnswer answer = realm_owner_set_setup(run_engine(run), owner->handle, changed.now.setup, changed.now.turn);
    change(run, owner, &changed, answer);
}

static void suspend_owner(Run *run, ModelOwner *owner)
{
    ModelOwner changed = *owner;
    changed.is_suspended = !owner->is_suspended;
    RealmAnswer answer = realm_owner_suspend(run_engine(run), owner->handle, changed.is_suspended);
    change(run, owner, &changed, answer);
}

// One id goes and comes back as something else, elsewhere, before anything else happens.
static void reuse_owner(Run *run, ModelOwner *owner, const OracleStep *step, tp_pcg32 *dice)
{
    uint32_t id = owner->now.id;
    remove_owner(run, owner);
    if (run_is_good(run)) {
        add_owner(run, owner, id, step->c % land_blocks(run->land), dice);
    }
}

// Half of those who go far go where something is being prepared: there it matters when they arrive.
static uint32_t far_block(const Run *run, const OracleStep *step)
{
    uint32_t block = step->b % land_blocks(run->land);
    for (uint32_t i = 0; i < land_blocks(run->land) && step->c % 2 == 0 && !run->track.admission[block].is_live; i++) {
        block = (block + 1) % land_blocks(run->land);
    }
    return block;
}

void run_owner(Run *run, const OracleStep *step)
{
    tp_pcg32    dice = dice_of(step);
    ModelOwner *owner = pick_owner(run, step->a);
    if (step->op == ORACLE_REGISTER) {
        register_owner(run, step);
        return;
    }
    if (owner == NULL) {
        return;
    }
    switch (step->op) {
    case ORACLE_MOVE_NEAR: move_owner(run, owner, near_place(run, owner, &dice, (step->c % 3 == 0 ? 30 : 2) * UNIT)); break;
    case ORACLE_MOVE_FAR: move_owner(run, owner, land_place(run->land, &dice, far_block(run, step))); break;
    case ORACLE_STATE: state_owner(run, owner, step->b % 1000); break;
    case ORACLE_SETUP: setup_owner(run, owner, &dice); break;
    case ORACLE_SUSPEND: suspend_owner(run, owner); break;
    case ORACLE_DEREGISTER: remove_owner(run, owner); break;
    default: reuse_owner(run, owner, step, &dice); break;
    }
}

void run_fixture(Run *run, const OracleStep *step)
{
    tp_pcg32    dice = dice_of(step);
    ModelOwner *owner = pick_fixture(run, step->a);
    if (owner == NULL) {
        return;
    }
    RealmPlace place = owner->now.place;
    switch (step->op) {
    case ORACLE_FIXTURE_MOVE:
        place = step->c % 2 == 0 ? near_place(run, owner, &dice, 20 * UNIT)
                                 : land_place(run->land, &dice, land_block(run->land, realm_prefix(place.cell)));
        if (realm_prefix(place.cell) == realm_prefix(owner->now.place.cell)) {
            move_owner(run, owner, place);
        }
        break;
    case ORACLE_FIXTURE_STATE: state_owner(run, owner, step->b % 1000); break;
    case ORACLE_FIXTURE_SETUP: setup_owner(run, owner, &dice); break;
    case ORACLE_FIXTURE_SUSPEND: suspend_owner(run, owner); break;
    default: remove_owner(run, owner); break;
    }
}

// ---- What must be refused ----

static const Admission *pick_old(const Run *run, uint32_t n)
{
    uint32_t kept = run->track.olds < ORACLE_OLD_MAX ? run->track.olds : ORACLE_OLD_MAX;
    return kept == 0 ? NULL : &run->track.old[n % kept];
}

static const Admission *pick_live(const Run *run, uint32_t n, bool has_draft)
{
    const Admission *live[LAND_BLOCKS_MAX];
    uint32_t         count = 0;
    for (uint32_t block = 0; block < LAND_BLOCKS_MAX; block++) {
        const Admission *admission = &run->track.admission[block];
        if (admission->is_live && (!has_draft || admission->stage != STAGE_BEGUN)) {
            live[count++] = admission;
        }
    }
    return count == 0 ? NULL : live[n % count];
}

static RealmAnswer misuse_old(Run *run, const Admission *old, uint32_t how)
{
    RealmEngine        *engine = run_engine(run);
    RealmDraftHandle    draft = old->draft;
    RealmTerrainContent terrain = { .water = 0 };
    RealmCellContent    cell = { .portals = 0 };
    switch (how % 8) {
    case 0: return realm_prepare(engine, &old->ticket, &draft);
    case 1: return realm_materialise(engine, draft);
    case 2: return realm_publish_terrain(engine, draft, &terrain);
    case 3: return realm_publish_cell(engine, draft, &cell);
    case 4: return realm_publish_close(engine, draft);
    case 5: return realm_seal(engine, draft);
    case 6: return realm_is_sealed(engine, draft) ? REALM_DONE : REALM_ERROR;
    default: return realm_commit(engine, draft);
    }
}

static RealmAnswer misuse_live(Run *run, const Admission *live, uint32_t how)
{
    RealmEngine        *engine = run_engine(run);
    RealmTicket         ticket = live->ticket;
    RealmDraftHandle    draft;
    RealmTerrainContent terrain = { .water = 0 };
    switch (how % 4) {
    case 0: ticket.runtime ^= 1; return realm_prepare(engine, &ticket, &draft);
    case 1: ticket.generation += 1; return realm_cancel(engine, &ticket, NULL);
    case 2: ticket.previous += 1; return realm_cancel(engine, &ticket, NULL);
    default: break;
    }
    // A second draft for one ticket; content after the close.
    bool is_closed = live->stage == STAGE_CLOSED;
    if (live->stage == STAGE_BEGUN) {
        return REALM_ERROR;
    }
    return is_closed ? realm_publish_terrain(engine, live->draft, &terrain) : realm_prepare(engine, &live->ticket, &draft);
}

// A static that waits in a draft is nobody's to change yet.
static RealmAnswer misuse_staged(Run *run, const Admission *live)
{
    RealmEngine *engine = run_engine(run);
    uint32_t     draft = realm_draft_link(engine, live->draft);
    uint32_t     fixture = draft == 0 ? 0 : realm_leaf_at(engine, realm_draft_at(engine, draft)->leaf)->static_first;
    return fixture == 0 ? REALM_ERROR : realm_owner_deregister(engine, realm_owner_handle(engine, fixture));
}

static RealmAnswer misuse_owner(Run *run, const OracleStep *step)
{
    RealmEngine       *engine = run_engine(run);
    RealmOwnerHandle   handle;
    RealmPlace         place = { realm_block_id(land_prefix(run->land, 0)), { 0 }, { 0 }, { 0 } };
    RealmOwnerContent  content = { .id = 1, .setup = 1, .place = place };
    const ModelOwner  *owner = pick_owner(run, step->b);
    switch (step->c % 6) {
    case 0: return realm_owner_move(engine, run->track.gone, place);
    case 1: return realm_owner_suspend(engine, run->track.gone, true);
    case 2: content.setup = 60000; return realm_owner_register(engine, &content, &handle);
    case 3: content.place.x.raw = 192 * UNIT; return realm_owner_register(engine, &content, &handle);
    case 4: content.turn = 4; return realm_owner_register(engine, &content, &handle);
    default: return owner == NULL ? REALM_ERROR : realm_owner_set_setup(engine, owner->handle, 0, 0);
    }
}

void run_misuse(Run *run, const OracleStep *step)
{
    const Admission *old = pick_old(run, step->b), *live = pick_live(run, step->b, false), *open = pick_live(run, step->b, true);
    RealmAnswer      answer = REALM_ERROR;
    size_t           size = run->rig->layout.block_size;
    unsigned char   *before = malloc(size);
    memcpy(before, run->rig->block, size);
    switch (step->a % 4) {
    case 0: answer = old != NULL ? misuse_old(run, old, step->c) : answer; break;
    case 1: answer = live != NULL ? misuse_live(run, live, step->c) : answer; break;
    case 2: answer = open != NULL ? misuse_staged(run, open) : answer; break;
    default: answer = misuse_owner(run, step); break;
    }
    run_engine(run)->units = 0;
    run_after(run, answer);
    if (answer != REALM_ERROR) {
        run_fail(run, "what must be refused was answered %d", (int)answer);
    } else if (memcmp(before, run->rig->block, size) != 0) {
        run_fail(run, "a refused call changed something: %s", run_engine(run)->reason != NULL ? run_engine(run)->reason : "");
    }
    free(before);
    run->counts->misuses++;
}

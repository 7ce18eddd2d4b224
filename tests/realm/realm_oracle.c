// realm_oracle.c: the loop over the steps of a schedule, with its checks.
#include "realm_oracle_run.h"

#include "realm_catalog.h"
#include "realm_check.h"

#include <criterion/criterion.h>

static const char *const op_names[ORACLE_OP_COUNT] = {
#define ORACLE_NAME(name, weight) #name,
    ORACLE_OP_LIST(ORACLE_NAME)
#undef ORACLE_NAME
};
// ---- Checks ----

void run_fail(Run *run, const char *format, ...)
{
    if (!run_is_good(run)) {
        return;
    }
    int     used = snprintf(run->wrong, ORACLE_TEXT_SIZE, "step %u (%s): ", run->at, op_names[run->steps[run->at].op]);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(run->wrong + used, ORACLE_TEXT_SIZE - (size_t)used, format, arguments);
    va_end(arguments);
}

void run_tell(const Run *run, const char *format, ...)
{
    if (!run->is_loud) {
        return;
    }
    fprintf(stderr, "    ");
    va_list arguments;
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fprintf(stderr, "\n");
}

// An admission ended: its ticket and draft are kept, to be misused later.
static void end_admission(Run *run, Admission *admission)
{
    run->track.old[run->track.olds++ % ORACLE_OLD_MAX] = *admission;
    admission->is_live = false;
}

static void take_commit(Run *run, uint32_t block, uint64_t generation)
{
    Admission *admission = &run->track.admission[block];
    bool       is_admitted = admission->is_live && admission->ticket.generation == generation;
    run->committed++;
    run->counts->commits++;
    if (!is_admitted || !model_commit(&run->track.model, run->land, run_engine(run), block, admission->variant, generation)) {
        run_fail(run, "landblock %u activated something that was not admitted, or without its content", block);
    }
    end_admission(run, admission);
}

static void take_cancel(Run *run, uint32_t block, const RealmBlockEvent *event)
{
    Admission *admission = &run->track.admission[block];
    bool       is_for_room = event->reason == REALM_REASON_LIMIT;
    run->counts->cancels++;
    run->counts->limits += is_for_room;
    run->track.numbers++;
    if (!admission->is_live || admission->ticket.generation != event->generation) {
        run_fail(run, "landblock %u had no admission of generation %llu to cancel", block, (unsigned long long)event->generation);
    } else if (is_for_room && !run->options->is_tight) {
        run_fail(run, "landblock %u was cancelled for want of room, but there is room", block);
    }
    end_admission(run, admission);
}

// Demoted or withdrawn.
static void take_loss(Run *run, uint32_t block, uint64_t generation, bool is_demotion)
{
    const ModelBlock *value = &run->track.model.block[block];
    bool is_active = value->presence != MODEL_AWAY && value->generation == generation;
    if (!is_active || (is_demotion && value->presence != MODEL_FULL)) {
        run_fail(run, "landblock %u was not there to be %s", block, is_demotion ? "demoted" : "withdrawn");
    }
    *(is_demotion ? &run->counts->demotions : &run->counts->withdrawals) += 1;
    (is_demotion ? model_demote : model_withdraw)(&run->track.model, block);
}

static void take_event(Run *run, const RigEvent *event)
{
    uint32_t block = land_block(run->land, realm_prefix(event->data.block));
    run_tell(run, "event %u of landblock %u, generation %llu, reason %u", event->type, block, (unsigned long long)event->data.generation,
             event->data.reason);
    if (block == LAND_BLOCKS_MAX || event->type > REALM_EVENT_WITHDRAWN) {
        run_fail(run, "event %u names landblock 0x%08x, which is not of the land", event->type, event->data.block);
    } else if (event->type == REALM_EVENT_COMMITTED) {
        take_commit(run, block, event->data.generation);
    } else if (event->type == REALM_EVENT_CANCELLED) {
        take_cancel(run, block, &event->data);
    } else {
        take_loss(run, block, event->data.generation, event->type == REALM_EVENT_DEMOTED);
    }
}

static uint32_t live_admissions(const Run *run)
{
    uint32_t live = 0;
    for (uint32_t block = 0; block < LAND_BLOCKS_MAX; block++) {
        live += run->track.admission[block].is_live;
    }
    return live;
}

RealmAnswer run_after(Run *run, RealmAnswer answer)
{
    run->counts->partial++;
    run->committed = 0;
    for (uint32_t i = 0; i < run->rig->event_count && i < RIG_EVENTS_MAX; i++) {
        take_event(run, &run->rig->events[i]);
    }
    run->rig->event_count = 0;
    if (run_engine(run)->units > 1) {
        run_fail(run, "one call counted %u units", run_engine(run)->units);
    }
    const char *wrong = realm_check(run_engine(run));
    wrong = wrong == NULL ? model_count(&run->track.model, run_engine(run)) : wrong;
    if (wrong != NULL) {
        run_fail(run, "the invariants do not hold: %s", wrong);
    }
    return answer;
}

void run_look(Run *run, uint32_t draw, bool is_at_rest)
{
    char        text[ORACLE_TEXT_SIZE];
    tp_pcg32    dice = tp_pcg32_make(run->options->seed ^ draw, 5);
    const char *wrong = model_build(&run->track.model, run->land, run->built, &dice);
    if (wrong != NULL) {
        run_fail(run, "the described world cannot be built: %s", wrong);
        return;
    }
    look_take(&run->seen, run_engine(run), REALM_ACTIVE);
    look_take(&run->compared, &run->built->engine, REALM_ACTIVE);
    wrong = look_difference(&run->seen, &run->compared, text, sizeof(text));
    wrong = wrong == NULL ? look_ask(run_engine(run), &run->built->engine, run->land, &dice, 12, text, sizeof(text)) : wrong;
    wrong = wrong == NULL && is_at_rest ? look_pools(run->rig, run->built, text, sizeof(text)) : wrong;
    if (wrong != NULL) {
        run_fail(run, "%s", wrong);
    }
    run->counts->looks++;
    run->counts->rests += is_at_rest;
}

// ---- Running ----

static void do_step(Run *run, const OracleStep *step)
{
    switch ((OracleOp)step->op) {
    case ORACLE_BEGIN: run_begin(run, step); break;
    case ORACLE_PREPARE:
    case ORACLE_MATERIALISE:
    case ORACLE_PUBLISH:
    case ORACLE_SEAL:
    case ORACLE_COMMIT: run_stage(run, step); break;
    case ORACLE_ADVANCE: run_advance(run, step); break;
    case ORACLE_CANCEL: run_cancel(run, step); break;
    case ORACLE_CANCEL_OLD: run_cancel_old(run, step); break;
    case ORACLE_MISUSE: run_misuse(run, step); break;
    case ORACLE_DEMOTE:
    case ORACLE_WITHDRAW: run_remove(run, step); break;
    case ORACLE_REGISTER:
    case ORACLE_MOVE_NEAR:
    case ORACLE_MOVE_FAR:
    case ORACLE_STATE:
    case ORACLE_SETUP:
    case ORACLE_SUSPEND:
    case ORACLE_DEREGISTER:
    case ORACLE_REUSE: run_owner(run, step); break;
    case ORACLE_FIXTURE_MOVE:
    case ORACLE_FIXTURE_STATE:
    case ORACLE_FIXTURE_SETUP:
    case ORACLE_FIXTURE_SUSPEND:
    case ORACLE_FIXTURE_DELETE: run_fixture(run, step); break;
    case ORACLE_RETIRE: run_retire(run, 1 + step->a % 40); break;
    case ORACLE_TICK: run_tick(run, step); break;
    case ORACLE_RESET:
        if (step->a % 3 == 0) {
            run_reset(run);
        }
        break;
    case ORACLE_TWIN: break; // between steps
    case ORACLE_CHECK: run_look(run, step->a, false); break;
    case ORACLE_REST:
        run_rest(run, step->a % 4 != 0);
        if (run_is_good(run)) {
            run_look(run, step->a, true);
        }
        break;
    case ORACLE_OP_COUNT: break;
    }
}

// Every byte that differs from before must lie in a page that the engine told of.
static void audit(Run *run)
{
    size_t size = run->rig->layout.block_size;
    for (size_t page = 0; page * TP_TOUCH_PAGE < size && run_is_good(run); page++) {
        size_t at = page * TP_TOUCH_PAGE, length = size - at < TP_TOUCH_PAGE ? size - at : TP_TOUCH_PAGE;
        bool   is_told = (run->rig->touched[page / 8] >> (page % 8) & 1) != 0;
        if (!is_told && memcmp(run->shadow + at, run->rig->block + at, length) != 0) {
            run_fail(run, "bytes from %zu on were written and not told of", at);
        }
    }
}

static void audited_step(Run *run, const OracleStep *step)
{
    if (run->is_loud) {
        fprintf(stderr, "%u: %s %u %u %u\n", run->at, op_names[step->op], step->a, step->b, step->c);
    }
    if (run->shadow != NULL) {
        rig_forget_pages(run->rig);
        memcpy(run->shadow, run->rig->block, run->rig->layout.block_size);
    }
    do_step(run, step);
    run->counts->steps++;
    if (run->shadow != NULL && run_is_good(run)) {
        audit(run);
    }
}

// Saved: the block's bytes and what is known beside it. What follows is done twice, the second time on the saved bytes in other memory.
static void save(Run *run, const OracleStep *step)
{
    uint32_t end = run->at + 2 + step->a % 24;
    if (run->twin_end != 0) {
        return;
    }
    memcpy(run->twin->block, run->rig->block, run->rig->layout.block_size);
    run->saved = run->track;
    run->twin_from = run->at + 1;
    run->twin_end = end < run->count ? end : run->count;
}

static void run_twin(Run *run)
{
    Rig *done = run->rig;
    run->rig = run->twin;
    run->twin = done;
    run->track = run->saved;
    uint32_t end = run->twin_end;
    for (run->at = run->twin_from; run->at < end && run_is_good(run); run->at++) {
        audited_step(run, &run->steps[run->at]);
    }
    run->at = end - 1;
    if (run_is_good(run) && memcmp(run->rig->block, done->block, done->layout.block_size) != 0) {
        run_fail(run, "a world saved before step %u went on differently", run->twin_from);
    }
    run->twin_end = 0;
    run->counts->twins++;
}

// What the oracle must notice, done behind the model's back.
static void sabotage(Run *run)
{
    RealmEngine     *engine = run_engine(run);
    RealmOwnerHandle handle;
    for (uint32_t i = 0; i < MODEL_OWNERS_MAX; i++) {
        const ModelOwner *owner = &run->track.model.owner[i];
        if (run->options->sabotage == SABOTAGE_STATE && owner->is_live) {
            realm_owner_set_state(engine, owner->handle, owner->now.state + 1);
        } else if (run->options->sabotage == SABOTAGE_SETUP && owner->is_live) {
            realm_owner_set_setup(engine, owner->handle, REALM_SETUP_SLAB_100, 0);
        }
    }
    for (uint32_t block = 0; block < LAND_BLOCKS_MAX; block++) {
        uint32_t leaf = block < land_blocks(run->land) ? realm_view_leaf(engine, REALM_ACTIVE, land_prefix(run->land, block)) : 0;
        if (leaf != 0 && run->options->sabotage == SABOTAGE_GROUND) {
            realm_leaf_edit(engine, leaf)->heights[40]++;
        } else if (leaf != 0 && run->options->sabotage == SABOTAGE_ROW) {
            realm_leaf_edit(engine, leaf)->buckets[9] = 0;
        } else if (leaf != 0 && run->options->sabotage == SABOTAGE_WITHDRAW) {
            realm_withdraw(engine, realm_block_id(land_prefix(run->land, block)));
            run->rig->event_count = 0;
        }
    }
    if (run->options->sabotage == SABOTAGE_EXTRA) {
        RealmOwnerContent content = { .id = 1, .setup = 1, .place = { realm_block_id(land_prefix(run->land, 0)), { 9 }, { 9 }, { 9 } } };
        realm_owner_register(engine, &content, &handle);
    }
    if (run->options->sabotage == SABOTAGE_UNTOLD && run->shadow != NULL) {
        run->rig->block[run->rig->layout.block_size - 1] ^= 1; // a slot of the journal that nobody looks at
        audit(run);
    }
    if (run->options->sabotage == SABOTAGE_TWIN && run->twin_end != 0) {
        realm_root_edit(engine)->units++; // once, in the world that is left behind
    }
}

static void run_all(void *argument)
{
    Run *run = argument;
    for (run->at = 0; run->at < run->count && run_is_good(run); run->at++) {
        if (run->options->sabotage != SABOTAGE_NONE && run->at >= run->count / 2) {
            sabotage(run);
        }
        if (run->steps[run->at].op == ORACLE_TWIN) {
            save(run, &run->steps[run->at]);
        }
        audited_step(run, &run->steps[run->at]);
        if (run_is_good(run) && run->at + 1 == run->twin_end) {
            run_twin(run);
        }
    }
    run->at = run->count - 1;
    if (run_is_good(run)) {
        run_look(run, 1, false);
    }
    if (run_is_good(run)) {
        run_rest(run, run->options->seed % 4 != 0);
    }
    if (run_is_good(run)) {
        run_look(run, 2, true);
        if (live_admissions(run) != 0) {
            run_fail(run, "an admission neither ended nor became active");
        }
    }
}

bool oracle_run(const OracleOptions *options, const OracleStep *steps, uint32_t count, bool is_loud, OracleCounts *counts,
                char wrong[ORACLE_TEXT_SIZE])
{
    static Land land; // a megabyte of contents
    static Rig  rigs[3];
    Run        *run = calloc(1, sizeof(*run));
    tp_fault    fault;
    cr_assert_not_null(run);
    wrong[0] = '\0';
    memset(land.is_filled, 0, sizeof(land.is_filled));
    land.seed = options->seed % 16;
    land.origin_x = options->origin_x;
    land.origin_y = options->origin_y;
    land.width = options->width;
    land.height = options->height;
    rig_open(&rigs[0], options->sizes);
    rig_open(&rigs[1], options->sizes);
    if (rigs[2].block == NULL) {
        rig_open(&rigs[2], model_sizes());
        rigs[2].is_deaf = true; // what it builds needs nobody who listens
    }
    *run = (Run){ .options = options, .steps = steps, .count = count, .is_loud = is_loud, .land = &land, .rig = &rigs[0], .twin = &rigs[1],
                  .built = &rigs[2], .counts = counts, .wrong = wrong };
    run->shadow = options->is_audited ? malloc(rigs[0].layout.block_size) : NULL;
    if (!tp_guard_run(run_all, run, &fault)) {
        run_fail(run, "fault: %s: %s (%s:%d)", tp_fault_name(fault.code), fault.what, fault.file, fault.line);
    }
    rig_close(&rigs[0]);
    rig_close(&rigs[1]);
    look_free(&run->seen);
    look_free(&run->compared);
    free(run->shadow);
    free(run);
    return wrong[0] == '\0';
}

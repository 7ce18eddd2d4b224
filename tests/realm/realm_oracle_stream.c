// realm_oracle_stream.c: steps of the transaction. The engine is free to answer NOT_YET; whatever it answers must agree with what the model knows.
#include "realm_oracle_run.h"

static uint32_t block_cell(const Run *run, uint32_t block)
{
    return realm_block_id(land_prefix(run->land, block));
}

// The n-th of the live admissions between two stages, LAND_BLOCKS_MAX without one.
static uint32_t pick_between(const Run *run, uint32_t n, AdmissionStage first, AdmissionStage last)
{
    uint32_t live[LAND_BLOCKS_MAX], count = 0;
    for (uint32_t block = 0; block < LAND_BLOCKS_MAX; block++) {
        const Admission *admission = &run->track.admission[block];
        if (admission->is_live && admission->stage >= first && admission->stage <= last) {
            live[count++] = block;
        }
    }
    return count == 0 ? LAND_BLOCKS_MAX : live[n % count];
}

static uint32_t pick(const Run *run, uint32_t n)
{
    return pick_between(run, n, STAGE_BEGUN, STAGE_CLOSED);
}

// The landblock whose draft has to activate first.
static uint32_t pick_oldest(const Run *run)
{
    const RealmEngine *engine = &run->rig->engine;
    uint32_t           draft = engine->root->draft_first;
    return draft == 0 ? pick(run, 0) : land_block(run->land, realm_block_at(engine, realm_draft_at(engine, draft)->block)->prefix);
}

// Something of it that was active is still being taken down, or not yet promoted.
static bool is_busy(const RealmEngine *engine, uint16_t prefix)
{
    bool is_found = false;
    for (uint32_t link = 1; link <= engine->leaf_count; link++) {
        const RealmLeaf *leaf = realm_leaf_at(engine, link);
        is_found = is_found || ((leaf->generation & 1) != 0 && leaf->was_active && leaf->retire != REALM_RETIRE_NO &&
                                realm_block_at(engine, leaf->block)->prefix == prefix);
    }
    for (uint32_t link = 1; link <= engine->draft_count; link++) {
        const RealmDraft *draft = realm_draft_at(engine, link);
        is_found = is_found || ((draft->generation & 1) != 0 && draft->phase == REALM_PHASE_COMMITTED &&
                                realm_block_at(engine, draft->block)->prefix == prefix);
    }
    return is_found;
}

void run_begin(Run *run, const OracleStep *step)
{
    uint32_t     block = step->a % land_blocks(run->land), variant = step->b % (LAND_VARIANTS * 8);
    // Mostly one that is not being prepared: an admission that always gives way to a newer one comes to nothing.
    for (uint32_t i = 0; i < LAND_BLOCKS_MAX && step->c % 8 != 0 && run->track.admission[block].is_live; i++) {
        block = (block + 1) % land_blocks(run->land);
    }
    Admission   *admission = &run->track.admission[block];
    ModelBlock  *value = &run->track.model.block[block];
    RealmTicket  ticket;
    // Most contents hold together.
    variant = variant >= LAND_VARIANTS ? variant % LAND_BROKEN : variant;
    // Any cell of the landblock names it.
    uint32_t     cell = (block_cell(run, block) & 0xFFFF0000u) | (step->c % 2 != 0 ? REALM_OUTSIDE : 1 + step->c % 64);
    bool         was_live = admission->is_live;
    bool         was_busy = is_busy(run_engine(run), land_prefix(run->land, block));
    RealmAnswer  answer = run_after(run, realm_begin(run_engine(run), cell, &ticket));
    run_tell(run, "landblock %u variant %u: %s", block, variant, answer == REALM_DONE ? "admitted" : run_engine(run)->reason);
    if (answer == REALM_ERROR || (answer == REALM_DONE && was_live && admission->is_live)) {
        run_fail(run, answer == REALM_ERROR ? "a landblock of the land was refused" : "the older admission was not cancelled");
    } else if (answer == REALM_DONE) {
        uint64_t previous = value->presence == MODEL_AWAY ? 0 : value->generation;
        if (ticket.previous != previous || ticket.block != block_cell(run, block)) {
            run_fail(run, "the ticket names another landblock or another active generation");
        }
        run->track.numbers++;
        if (ticket.generation != run->track.numbers || was_busy) {
            run_fail(run, was_busy ? "a landblock in the middle of a change was admitted" : "a generation was not the next number");
        }
        *admission = (Admission){ .is_live = true, .ticket = ticket, .variant = variant };
    }
    run->counts->waits += answer == REALM_NOT_YET;
}

static RealmAnswer prepare(Run *run, Admission *admission)
{
    RealmDraftHandle draft;
    RealmAnswer      answer = run_after(run, realm_prepare(run_engine(run), &admission->ticket, &draft));
    if (answer == REALM_ERROR) {
        run_fail(run, "a live ticket was refused: %s", run_engine(run)->reason);
    } else if (answer == REALM_DONE) {
        admission->draft = draft;
        admission->stage = STAGE_PREPARED;
    }
    return answer;
}

static RealmAnswer materialise(Run *run, Admission *admission)
{
    RealmAnswer answer = run_after(run, realm_materialise(run_engine(run), admission->draft));
    if (answer == REALM_ERROR) {
        run_fail(run, "materialisation was refused: %s", run_engine(run)->reason);
    } else if (answer == REALM_DONE) {
        admission->stage = STAGE_NOTED;
    }
    return answer;
}

static RealmAnswer publish(Run *run, uint32_t block, Admission *admission)
{
    const LandContent *content = land_content(run->land, block, admission->variant);
    RealmAnswer        answer = run_after(run, land_publish(run_engine(run), admission->draft, content, admission->item));
    if (answer == REALM_ERROR) {
        run_fail(run, "content was refused: %s", run_engine(run)->reason);
    } else if (answer == REALM_DONE) {
        admission->item++;
        admission->stage = admission->item == land_items(content) ? STAGE_CLOSED : admission->stage;
    }
    return answer;
}

static void cancel(Run *run, Admission *admission)
{
    bool        was_committed = true;
    RealmTicket ticket = admission->ticket;
    RealmAnswer answer = run_after(run, realm_cancel(run_engine(run), &ticket, &was_committed));
    if (run_is_good(run) && (answer != REALM_DONE || was_committed || admission->is_live)) {
        run_fail(run, "a live admission was not cancelled");
    }
}

static RealmAnswer seal(Run *run, Admission *admission)
{
    RealmAnswer answer = run_after(run, realm_seal(run_engine(run), admission->draft));
    if (answer == REALM_ERROR && admission->is_live && admission->variant == LAND_BROKEN) {
        cancel(run, admission);
    } else if (answer == REALM_ERROR) {
        run_fail(run, "the seal was refused: %s", run_engine(run)->reason);
    }
    return answer;
}

// What the draft's own view showed is what is active afterwards. Another draft may have to go first.
static RealmAnswer commit(Run *run, Admission *admission, bool is_ready)
{
    RealmEngine *engine = run_engine(run);
    uint32_t     link = realm_draft_link(engine, admission->draft);
    bool         is_first = link != 0 && engine->root->draft_first == link;
    if (is_first) {
        look_take(&run->compared, engine, (RealmView){ link });
    }
    RealmAnswer answer = run_after(run, realm_commit(engine, admission->draft));
    if (run->committed != (answer == REALM_DONE)) {
        run_fail(run, "a commit told of %u activations", run->committed);
    } else if (answer == REALM_DONE && !is_first) {
        run_fail(run, "a draft activated before an older one");
    } else if (answer != REALM_DONE && is_first && is_ready) {
        run_fail(run, "the oldest draft was ready and did not activate: %s", engine->reason);
    } else if (answer == REALM_DONE) {
        char text[ORACLE_TEXT_SIZE];
        look_take(&run->seen, engine, REALM_ACTIVE);
        const char *wrong = look_difference(&run->seen, &run->compared, text, sizeof(text));
        if (wrong != NULL) {
            run_fail(run, "activation does not show what the draft showed (built: the draft): %s", wrong);
        }
    }
    return answer;
}

// One call, whatever is next. DONE: the stage is over, or the generation active.
static RealmAnswer next(Run *run, uint32_t block)
{
    Admission  *admission = &run->track.admission[block];
    RealmAnswer answer = REALM_NOT_YET;
    switch (admission->stage) {
    case STAGE_BEGUN: return prepare(run, admission);
    case STAGE_PREPARED: return materialise(run, admission);
    case STAGE_NOTED: return publish(run, block, admission);
    case STAGE_CLOSED: break;
    }
    answer = seal(run, admission);
    return answer == REALM_DONE && run_is_good(run) ? commit(run, admission, true) : answer;
}

void run_stage(Run *run, const OracleStep *step)
{
    static const AdmissionStage stages[] = { STAGE_BEGUN, STAGE_PREPARED, STAGE_NOTED, STAGE_CLOSED, STAGE_CLOSED };
    static const uint8_t        calls_max[] = { 1, 24, 8, 5, 1 };
    AdmissionStage stage = stages[step->op - ORACLE_PREPARE];
    uint32_t       block = pick_between(run, step->a, stage, stage);
    if (block == LAND_BLOCKS_MAX) {
        return;
    }
    Admission *admission = &run->track.admission[block];
    run_tell(run, "landblock %u", block);
    if (step->op == ORACLE_COMMIT) {
        RealmAnswer answer = commit(run, admission, false);
        run_tell(run, "%s", answer == REALM_DONE ? "activated" : run_engine(run)->reason);
        return;
    }
    for (uint32_t i = 0; i <= step->b % calls_max[step->op - ORACLE_PREPARE] && run_is_good(run); i++) {
        bool is_same = admission->is_live && admission->stage == stage;
        if (!is_same || (step->op == ORACLE_SEAL ? seal(run, admission) : next(run, block)) == REALM_DONE) {
            return;
        }
    }
}

void run_advance(Run *run, const OracleStep *step)
{
    uint32_t block = step->c % 2 == 0 ? pick_oldest(run) : pick(run, step->a);
    if (block == LAND_BLOCKS_MAX) {
        return;
    }
    const Admission *admission = &run->track.admission[block];
    uint32_t calls = step->b % (step->c % 4 == 0 ? 140 : 24), idle = 0; // so that many are under way at once
    run_tell(run, "landblock %u for %u calls", block, calls);
    for (uint32_t i = 0; i < calls && idle < 3 && admission->is_live && run_is_good(run); i++) {
        bool is_waiting = next(run, block) == REALM_NOT_YET && run_engine(run)->units == 0;
        run->counts->waits += is_waiting;
        idle = is_waiting ? idle + 1 : 0;
    }
    run_tell(run, "%s, stage %d item %u", admission->is_live ? "still open" : "over", (int)admission->stage, admission->item);
}

void run_cancel(Run *run, const OracleStep *step)
{
    uint32_t block = pick(run, step->a);
    if (block != LAND_BLOCKS_MAX) {
        run_tell(run, "landblock %u", block);
        cancel(run, &run->track.admission[block]);
    }
}

void run_cancel_old(Run *run, const OracleStep *step)
{
    if (run->track.olds == 0) {
        return;
    }
    uint32_t  kept = run->track.olds < ORACLE_OLD_MAX ? run->track.olds : ORACLE_OLD_MAX;
    Admission old = run->track.old[step->a % kept];
    uint32_t  block = land_block(run->land, realm_prefix(old.ticket.block));
    bool      was_committed = false;
    // The name of the realm changes with a reset: what was active then is another realm's.
    const ModelBlock *value = &run->track.model.block[block];
    bool is_active = value->presence != MODEL_AWAY && value->generation == old.ticket.generation &&
                     old.ticket.runtime == run_engine(run)->root->runtime;
    RealmAnswer answer = run_after(run, realm_cancel(run_engine(run), &old.ticket, &was_committed));
    if (was_committed != is_active || answer != (is_active ? REALM_DONE : REALM_ERROR)) {
        run_fail(run, "an ended ticket of landblock %u was taken for %s", block, was_committed ? "committed" : "live, or not for committed");
    }
}

void run_remove(Run *run, const OracleStep *step)
{
    uint32_t           block = step->a % land_blocks(run->land);
    const ModelBlock  *value = &run->track.model.block[block];
    bool               is_demotion = step->op == ORACLE_DEMOTE, was_busy = is_busy(run_engine(run), land_prefix(run->land, block));
    ModelPresence      before = value->presence;
    bool               is_possible = is_demotion ? before == MODEL_FULL : before != MODEL_AWAY;
    RealmEngine       *engine = run_engine(run);
    uint32_t           cell = block_cell(run, block);
    RealmAnswer        answer = run_after(run, is_demotion ? realm_demote(engine, cell) : realm_withdraw(engine, cell));
    run_tell(run, "landblock %u: %s", block, answer == REALM_DONE ? "done" : engine->reason);
    ModelPresence      wanted = answer != REALM_DONE ? before : is_demotion ? MODEL_DEMOTED : MODEL_AWAY;
    // A landblock that is busy may be said to be so before it is looked at more closely.
    if ((is_possible && answer == REALM_ERROR) || (!is_possible && answer == REALM_DONE) || value->presence != wanted) {
        run_fail(run, "landblock %u was answered %d", block, (int)answer);
    } else if (answer == REALM_DONE && was_busy) {
        run_fail(run, "landblock %u went in the middle of a change", block);
    }
    run->counts->waits += answer == REALM_NOT_YET;
}

void run_retire(Run *run, uint32_t calls)
{
    for (uint32_t i = 0; i < calls && run_is_good(run); i++) {
        bool        was_retiring = realm_is_retiring(run_engine(run));
        RealmAnswer answer = run_after(run, realm_retire(run_engine(run)));
        if (run_engine(run)->units != was_retiring || (answer == REALM_DONE) == realm_is_retiring(run_engine(run))) {
            run_fail(run, "retirement counts %u units, answers %d", run_engine(run)->units, (int)answer);
        }
        if (answer == REALM_DONE) {
            return;
        }
    }
}

void run_tick(Run *run, const OracleStep *step)
{
    for (uint32_t i = 0; i <= step->a % 16 && run_is_good(run); i++) {
        realm_engine_tick(run_engine(run));
        run_after(run, REALM_DONE);
    }
}

// More events may come than a rig keeps, and all say the same: everything is over.
void run_reset(Run *run)
{
    Track *track = &run->track;
    for (uint32_t block = 0; block < LAND_BLOCKS_MAX; block++) {
        if (track->admission[block].is_live) {
            track->numbers++;
            track->old[track->olds++ % ORACLE_OLD_MAX] = track->admission[block];
        }
        track->admission[block].is_live = false;
        model_withdraw(&track->model, block);
    }
    for (uint32_t i = 0; i < MODEL_OWNERS_MAX; i++) {
        track->gone = track->model.owner[i].is_live ? track->model.owner[i].handle : track->gone;
        track->model.owner[i].is_live = false;
    }
    realm_engine_reset(run_engine(run));
    run_engine(run)->units = 0; // of the last of all it took down
    run->rig->event_count = 0;
    run->counts->resets++;
    run_after(run, REALM_DONE);
    const RealmRoot *root = run_engine(run)->root;
    if (root->admissions != 0 || root->drafts_live != 0 || realm_is_retiring(run_engine(run))) {
        run_fail(run, "a reset left something behind");
    }
}

static void stage_all(Run *run, uint32_t block)
{
    Admission *admission = &run->track.admission[block];
    for (uint32_t i = 0; i < ORACLE_CALLS_MAX && run_is_good(run) && admission->is_live && admission->stage != STAGE_CLOSED; i++) {
        bool is_stuck = next(run, block) == REALM_NOT_YET && run_engine(run)->units == 0;
        if (is_stuck && !run->options->is_tight && admission->stage != STAGE_BEGUN) {
            run_fail(run, "landblock %u finds no room for its content: %s", block, run_engine(run)->reason);
        } else if (is_stuck && admission->is_live) {
            cancel(run, admission);
        }
    }
}

// The oldest draft, whosever it is, until it is active or known to be stuck.
static void finish_first(Run *run)
{
    RealmEngine *engine = run_engine(run);
    uint32_t     block = pick_oldest(run);
    Admission   *admission = &run->track.admission[block];
    for (uint32_t i = 0; i < ORACLE_CALLS_MAX && run_is_good(run) && admission->is_live; i++) {
        RealmAnswer answer = next(run, block);
        // Nobody else calls: what has nothing to do and nothing to wait for stays so.
        if (answer == REALM_NOT_YET && engine->units == 0 && !realm_is_retiring(engine)) {
            break;
        }
    }
    if (run_is_good(run) && admission->is_live) {
        if (!run->options->is_tight) {
            run_fail(run, "the draft of landblock %u is never ready: %s", block, engine->reason);
        }
        cancel(run, admission);
    }
}

void run_rest(Run *run, bool is_commit)
{
    for (uint32_t block = 0; block < LAND_BLOCKS_MAX && run_is_good(run); block++) {
        Admission *admission = &run->track.admission[block];
        if (admission->is_live && !is_commit) {
            cancel(run, admission);
        } else if (admission->is_live) {
            stage_all(run, block);
        }
    }
    while (run_is_good(run) && run_engine(run)->root->draft_first != 0) {
        finish_first(run);
    }
    run_retire(run, ORACLE_CALLS_MAX);
    if (run_is_good(run) && (realm_is_retiring(run_engine(run)) || run_engine(run)->root->admissions != 0)) {
        run_fail(run, "the world does not come to rest");
    }
}

// realm_admission.c: who may prepare which landblock. A ticket names realm, landblock and generation exactly; numbers are drawn from one counter of
// the whole realm and never come back. A newer admission, demotion, withdrawal and reset end an older one before anything active changes.
#include "realm_internal.h"

void realm_report_block(RealmEngine *engine, RealmEvent event, uint16_t prefix, uint64_t generation, uint32_t owners, RealmReason reason)
{
    RealmBlockEvent report = { .generation = generation, .block = realm_block_id(prefix), .owners = owners, .reason = (uint8_t)reason };
    if (!tp_emit(engine->context, event, &report)) {
        RealmRoot *root = realm_root_edit(engine);
        root->events_dropped += root->events_dropped != UINT32_MAX;
    }
}

static uint64_t next_generation(RealmEngine *engine)
{
    RealmRoot *root = realm_root_edit(engine);
    TP_ASSERT(root->generation_last < REALM_NUMBER_MAX);
    root->generation_last++;
    return root->generation_last;
}

uint64_t realm_active_generation(const RealmEngine *engine, uint32_t block)
{
    const RealmBlock *value = realm_block_at(engine, block);
    return value->leaf.generation == 0 ? 0 : realm_leaf_at(engine, value->leaf.index + 1)->number;
}

// Admissions of landblocks that are not resident yet hold a place among the residents.
static uint32_t places_held(const RealmEngine *engine)
{
    uint32_t held = engine->root->residents;
    for (uint32_t link = engine->root->admit_first; link != 0; link = realm_block_at(engine, link)->admit_next) {
        held += realm_block_at(engine, link)->leaf.generation == 0;
    }
    return held;
}

static void admit(RealmEngine *engine, uint32_t block)
{
    uint64_t    generation = next_generation(engine);
    RealmRoot  *root = realm_root_edit(engine);
    RealmBlock *value = realm_block_edit(engine, block);
    value->ticket = generation;
    value->deadline = root->now + (uint64_t)engine->context->setup->config[REALM_CONFIG_ABANDON_TICKS];
    value->admit_prev = root->admit_last;
    if (root->admit_last != 0) {
        realm_block_edit(engine, root->admit_last)->admit_next = block;
    } else {
        root->admit_first = block;
    }
    root->admit_last = block;
    root->admissions++;
}

RealmAnswer realm_begin(RealmEngine *engine, uint32_t cell, RealmTicket *ticket)
{
    engine->units = 0;
    *ticket = (RealmTicket){ 0, 0, 0, 0 };
    uint16_t prefix = realm_prefix(cell);
    if (cell == 0 || prefix >> 8 >= REALM_WORLD_MAX || (prefix & 255) >= REALM_WORLD_MAX) {
        return realm_refuse(engine, REALM_ERROR, "the id names no landblock");
    }
    uint32_t block = realm_block_find(engine, prefix);
    if (REALM_PLANT(S08) && block != 0 && realm_block_at(engine, block)->busy != 0) {
        realm_block_edit(engine, block)->busy = 0;
    }
    if (block != 0 && realm_block_at(engine, block)->busy != 0) {
        return realm_refuse(engine, REALM_NOT_YET, "the landblock is in the middle of an activation, a demotion or a withdrawal");
    }
    bool holds_place = block != 0 && (realm_block_at(engine, block)->leaf.generation != 0 || realm_block_at(engine, block)->ticket != 0);
    if (!holds_place && places_held(engine) >= (uint32_t)engine->context->setup->config[REALM_CONFIG_RESIDENTS]) {
        return realm_refuse(engine, REALM_NOT_YET, "as many landblocks are resident as the config allows");
    }
    block = realm_block_need(engine, prefix);
    if (block == 0) {
        return realm_refuse(engine, REALM_NOT_YET, "no block is free");
    }
    if (realm_block_at(engine, block)->ticket != 0) {
        realm_admission_cancel(engine, block, REALM_REASON_NEWER);
        block = realm_block_need(engine, prefix); // it may have been dropped; its slot is then still free
        TP_ASSERT(block != 0);
    }
    admit(engine, block);
    ticket->runtime = engine->root->runtime;
    ticket->block = realm_block_id(prefix);
    ticket->generation = realm_block_at(engine, block)->ticket;
    ticket->previous = realm_active_generation(engine, block);
    if (REALM_PLANT(S07) && ticket->previous != 0) {
        ticket->previous = ticket->generation - 1;
    }
    return REALM_DONE;
}

uint32_t realm_ticket_block(const RealmEngine *engine, const RealmTicket *ticket)
{
    uint32_t block = realm_block_find(engine, realm_prefix(ticket->block));
    bool     is_live = block != 0 && ticket->runtime == engine->root->runtime && ticket->generation != 0 &&
                   ticket->block == realm_block_id(realm_prefix(ticket->block)) &&
                   realm_block_at(engine, block)->ticket == ticket->generation &&
                   realm_active_generation(engine, block) == ticket->previous;
    if (REALM_PLANT(S06) && block != 0 && realm_block_at(engine, block)->ticket == ticket->generation) {
        return block;
    }
    return is_live ? block : 0;
}

void realm_admission_close(RealmEngine *engine, uint32_t block)
{
    RealmBlock *value = realm_block_edit(engine, block);
    RealmRoot  *root = realm_root_edit(engine);
    if (value->admit_prev != 0) {
        realm_block_edit(engine, value->admit_prev)->admit_next = value->admit_next;
    } else {
        root->admit_first = value->admit_next;
    }
    if (value->admit_next != 0) {
        realm_block_edit(engine, value->admit_next)->admit_prev = value->admit_prev;
    } else {
        root->admit_last = value->admit_prev;
    }
    value->admit_next = 0;
    value->admit_prev = 0;
    value->ticket = 0;
    value->deadline = 0;
    root->admissions--;
}

void realm_admission_cancel(RealmEngine *engine, uint32_t block, RealmReason reason)
{
    const RealmBlock *value = realm_block_at(engine, block);
    if (value->ticket == 0) {
        return;
    }
    uint64_t generation = value->ticket;
    uint16_t prefix = value->prefix;
    if (REALM_PLANT(T10) && value->draft == 0) {
        realm_root_edit(engine)->admissions++;
    }
    realm_admission_close(engine, block);
    if (value->draft != 0) {
        uint32_t draft = value->draft, leaf = realm_draft_at(engine, draft)->leaf;
        realm_draft_close(engine, draft);
        realm_draft_edit(engine, draft)->phase = REALM_PHASE_CANCELLED;
        realm_retire_add_draft(engine, draft);
        realm_retire_add_leaf(engine, leaf, REALM_RETIRE_STATICS);
        if (REALM_PLANT(T11)) {
            realm_leaf_edit(engine, leaf)->retire = REALM_RETIRE_ROWS;
        }
        if (REALM_PLANT(T23)) {
            realm_block_edit(engine, block)->leaf = (RealmLeafHandle){ leaf - 1, realm_leaf_at(engine, leaf)->generation };
        }
    }
    realm_root_edit(engine)->cancels++;
    next_generation(engine); // burned: nobody can ever hold the number that a retry might have been given
    if (REALM_PLANT(F05)) {
        realm_root_edit(engine)->generation_last--;
    }
    realm_report_block(engine, REALM_EVENT_CANCELLED, prefix, generation, 0, reason);
    realm_block_drop(engine, block);
}

RealmAnswer realm_cancel(RealmEngine *engine, const RealmTicket *ticket, bool *was_committed)
{
    engine->units = 0;
    if (was_committed != NULL) {
        *was_committed = false;
    }
    uint32_t block = realm_ticket_block(engine, ticket);
    if (REALM_PLANT(T03) && block == 0) {
        block = realm_block_find(engine, realm_prefix(ticket->block));
    }
    if (REALM_PLANT(F04) && block != 0 && realm_block_at(engine, block)->leaf.generation != 0) {
        realm_withdraw(engine, ticket->block);
        return REALM_DONE;
    }
    if (block != 0) {
        realm_admission_cancel(engine, block, REALM_REASON_CALLER);
        return REALM_DONE;
    }
    block = realm_block_find(engine, realm_prefix(ticket->block));
    bool is_committed = block != 0 && ticket->block == realm_block_id(realm_prefix(ticket->block)) && ticket->runtime == engine->root->runtime && ticket->generation != 0 &&
                        realm_active_generation(engine, block) == ticket->generation;
    if (REALM_PLANT(F06)) {
        return REALM_ERROR;
    }
    if (!is_committed) {
        return realm_refuse(engine, REALM_ERROR, "the ticket is stale: a newer admission, a cancel or another realm has its place");
    }
    if (was_committed != NULL) {
        *was_committed = true;
    }
    return REALM_DONE;
}

// Whoever stood behind the one that was given up gets a time of its own: they could not have committed before.
static void renew_deadlines(RealmEngine *engine)
{
    uint64_t deadline = engine->root->now + (uint64_t)engine->context->setup->config[REALM_CONFIG_ABANDON_TICKS];
    for (uint32_t link = engine->root->admit_first; link != 0; link = realm_block_at(engine, link)->admit_next) {
        realm_block_edit(engine, link)->deadline = deadline;
    }
}

void realm_engine_tick(RealmEngine *engine)
{
    realm_root_edit(engine)->now++;
    while (engine->root->admit_first != 0 && realm_block_at(engine, engine->root->admit_first)->deadline <= engine->root->now) {
        uint32_t block = engine->root->admit_first;
        bool     held_up_others = engine->root->draft_first != 0 && realm_block_at(engine, block)->draft == engine->root->draft_first;
        realm_root_edit(engine)->abandoned++;
        realm_admission_cancel(engine, block, REALM_REASON_ABANDONED);
        if (held_up_others) {
            renew_deadlines(engine);
        }
    }
}

// realm_offline.c: the transaction, driven from arrays. The same calls in the same order as the server makes them; only where the content comes
// from, and who waits for whom, is different.
#include "realm_offline.h"

#include "realm_generate.h"
#include "realm_plant.h"

void realm_offline_from_seed(uint64_t seed, uint16_t prefix, uint16_t variant, RealmOfflineBlock *content)
{
    RealmPlan plan = realm_generate_plan(seed, prefix, variant);
    realm_generate_terrain(&plan, &content->terrain);
    content->cell_count = plan.rooms;
    content->building_count = plan.houses;
    content->static_count = plan.statics;
    for (uint32_t k = 0; k < plan.rooms; k++) {
        realm_generate_cell(&plan, k, &content->cells[k]);
    }
    for (uint32_t k = 0; k < plan.houses; k++) {
        realm_generate_building(&plan, k, &content->buildings[k]);
    }
    for (uint32_t k = 0; k < plan.statics; k++) {
        realm_generate_static(&plan, k, &content->statics[k]);
    }
}

RealmOffline realm_offline_start(uint32_t cell, const RealmOfflineBlock *content)
{
    return (RealmOffline){ .content = content, .cell = cell, .stage = REALM_OFFLINE_BEGIN };
}

static uint32_t count_of(const RealmOffline *offline)
{
    const RealmOfflineBlock *content = offline->content;
    switch (offline->stage) {
    case REALM_OFFLINE_CELLS: return content->cell_count;
    case REALM_OFFLINE_BUILDINGS: return content->building_count;
    case REALM_OFFLINE_STATICS: return content->static_count;
    case REALM_OFFLINE_BEGIN:
    case REALM_OFFLINE_PREPARE:
    case REALM_OFFLINE_MATERIALISE:
    case REALM_OFFLINE_TERRAIN:
    case REALM_OFFLINE_CLOSE:
    case REALM_OFFLINE_SEAL:
    case REALM_OFFLINE_DONE:
    case REALM_OFFLINE_ENDED: break;
    }
    return 1;
}

// Past what has nothing (more) of it.
static void skip_empty(RealmOffline *offline)
{
    while (offline->stage < REALM_OFFLINE_DONE && offline->index >= count_of(offline)) {
        offline->stage++;
        offline->index = 0;
    }
}

static RealmAnswer call(RealmEngine *engine, RealmOffline *offline)
{
    const RealmOfflineBlock *content = offline->content;
    switch (offline->stage) {
    case REALM_OFFLINE_BEGIN: return realm_begin(engine, offline->cell, &offline->ticket);
    case REALM_OFFLINE_PREPARE: return realm_prepare(engine, &offline->ticket, &offline->draft);
    case REALM_OFFLINE_MATERIALISE: return realm_materialise(engine, offline->draft);
    case REALM_OFFLINE_TERRAIN: return realm_publish_terrain(engine, offline->draft, &content->terrain);
    case REALM_OFFLINE_CELLS: return realm_publish_cell(engine, offline->draft, &content->cells[offline->index]);
    case REALM_OFFLINE_BUILDINGS: return realm_publish_building(engine, offline->draft, &content->buildings[offline->index]);
    case REALM_OFFLINE_STATICS:
        if (REALM_PLANT(T49)) {
            RealmStaticContent changed = content->statics[offline->index];
            changed.id++;
            return realm_publish_static(engine, offline->draft, &changed);
        }
        return realm_publish_static(engine, offline->draft, &content->statics[offline->index]);
    case REALM_OFFLINE_CLOSE: return realm_publish_close(engine, offline->draft);
    case REALM_OFFLINE_SEAL: return realm_seal(engine, offline->draft);
    case REALM_OFFLINE_DONE: return REALM_DONE;
    case REALM_OFFLINE_ENDED: break;
    }
    return REALM_ERROR;
}

void realm_offline_cancel(RealmEngine *engine, RealmOffline *offline)
{
    if (offline->stage == REALM_OFFLINE_DONE || offline->stage == REALM_OFFLINE_ENDED) {
        return;
    }
    if (offline->stage > REALM_OFFLINE_BEGIN) {
        const char *reason = engine->reason;
        realm_cancel(engine, &offline->ticket, NULL);
        engine->reason = reason; // why it ended says more than that it was over already
    }
    offline->stage = REALM_OFFLINE_ENDED;
}

RealmAnswer realm_offline_advance(RealmEngine *engine, RealmOffline *offline)
{
    if (offline->stage == REALM_OFFLINE_DONE || offline->stage == REALM_OFFLINE_ENDED) {
        engine->units = 0;
        return offline->stage == REALM_OFFLINE_DONE ? REALM_DONE : REALM_ERROR;
    }
    RealmAnswer answer = call(engine, offline);
    uint32_t    units = engine->units;
    offline->units += units;
    offline->is_waiting = answer == REALM_NOT_YET && units == 0;
    if (answer == REALM_ERROR) {
        realm_offline_cancel(engine, offline);
        engine->units = units;
        return REALM_ERROR;
    }
    if (answer == REALM_DONE && offline->stage == REALM_OFFLINE_SEAL) {
        answer = realm_commit(engine, offline->draft);
        offline->is_waiting = answer == REALM_NOT_YET && units == 0;
    }
    if (answer == REALM_DONE) {
        offline->index++;
        skip_empty(offline);
    }
    engine->units = units;
    return offline->stage == REALM_OFFLINE_DONE ? REALM_DONE : REALM_NOT_YET;
}

RealmAnswer realm_offline_load(RealmEngine *engine, uint32_t cell, const RealmOfflineBlock *content, uint32_t units_max, uint32_t *units)
{
    RealmOffline offline = realm_offline_start(cell, content);
    RealmAnswer  answer = REALM_NOT_YET;
    uint32_t     spent = 0;
    // What waits may wait for room that taking down makes. A wait that this does not end is somebody else's to end.
    while (answer == REALM_NOT_YET && spent < units_max) {
        answer = realm_offline_advance(engine, &offline);
        spent += engine->units;
        if (answer == REALM_NOT_YET && offline.is_waiting) {
            if (!realm_is_retiring(engine)) {
                break;
            }
            realm_retire(engine);
            spent += engine->units;
        }
    }
    realm_offline_cancel(engine, &offline);
    while (answer == REALM_DONE && spent < units_max && realm_is_retiring(engine)) {
        realm_retire(engine);
        spent += engine->units;
    }
    if (units != NULL) {
        *units = spent;
    }
    return answer;
}

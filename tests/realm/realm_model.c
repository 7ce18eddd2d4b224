// realm_model.c: the model itself, and how the world it describes is built at once.
#include "realm_model.h"

#include <stdio.h>
#include <string.h>

enum { CALLS_MAX = 4000 };

bool model_commit(Model *model, Land *land, const RealmEngine *engine, uint32_t block, uint32_t variant, uint64_t generation)
{
    ModelBlock        *value = &model->block[block];
    const LandContent *content = land_content(land, block, variant);
    uint16_t           prefix = land_prefix(land, block);
    uint32_t           leaf = realm_view_full_leaf(engine, REALM_ACTIVE, prefix);
    *value = (ModelBlock){ .presence = MODEL_FULL, .variant = variant, .generation = generation };
    if (leaf == 0 || realm_leaf_at(engine, leaf)->number != generation) {
        return false;
    }
    for (uint32_t link = realm_leaf_at(engine, leaf)->static_first; link != 0; link = realm_owner_at(engine, link)->static_next) {
        if (value->statics == content->statics) {
            return false;
        }
        const RealmStaticContent *from = &content->fixture[value->statics];
        RealmPlace                place = { realm_block_id(prefix), from->x, from->y, from->z };
        value->fixture[value->statics++] = (ModelOwner){ .is_live = true, .handle = realm_owner_handle(engine, link),
            .now = { .id = from->id, .state = from->state, .setup = from->setup, .turn = from->turn, .place = place } };
    }
    return value->statics == content->statics;
}

void model_demote(Model *model, uint32_t block)
{
    model->block[block].presence = MODEL_DEMOTED;
    model->block[block].statics = 0;
}

void model_withdraw(Model *model, uint32_t block)
{
    model->block[block] = (ModelBlock){ .presence = MODEL_AWAY };
}

const char *model_count(const Model *model, const RealmEngine *engine)
{
    uint32_t residents = 0;
    for (uint32_t block = 0; block < LAND_BLOCKS_MAX; block++) {
        residents += model->block[block].presence != MODEL_AWAY;
    }
    return residents == engine->root->residents ? NULL : "the engine counts other residents than were activated and withdrawn";
}

// ---- Building at once ----

RigSizes model_sizes(void)
{
    RigSizes sizes = rig_small();
    sizes.items[REALM_CONFIG_BLOCKS] = 160;
    sizes.items[REALM_CONFIG_RESIDENTS] = 40;
    sizes.items[REALM_CONFIG_LEAVES] = 48;
    sizes.items[REALM_CONFIG_CELLS] = LAND_BLOCKS_MAX * LAND_CELLS_MAX + LAND_CELLS_MAX;
    sizes.items[REALM_CONFIG_BUILDINGS] = 160;
    sizes.items[REALM_CONFIG_OWNERS] = 700;
    sizes.items[REALM_CONFIG_DYNAMICS] = MODEL_OWNERS_MAX;
    sizes.items[REALM_CONFIG_MEMBERS] = 2048;
    sizes.items[REALM_CONFIG_SETS] = 1024;
    sizes.items[REALM_CONFIG_ROWS] = 16384;
    sizes.items[REALM_CONFIG_DRAFTS] = 8;
    sizes.items[REALM_CONFIG_JOURNAL] = 64;
    return sizes;
}

typedef struct Build {
    const Model     *model;
    Land            *land;
    RealmEngine     *engine;
    RealmOwnerHandle fixture[LAND_BLOCKS_MAX][LAND_STATICS_MAX];
    RealmOwnerHandle owner[MODEL_OWNERS_MAX];
} Build;

static RealmAnswer settle(RealmEngine *engine)
{
    RealmAnswer answer = REALM_NOT_YET;
    for (uint32_t i = 0; answer == REALM_NOT_YET && i < CALLS_MAX; i++) {
        answer = realm_retire(engine);
    }
    return answer;
}

static const char *load(Build *build, uint32_t block)
{
    const LandContent *content = land_content(build->land, block, build->model->block[block].variant);
    RealmEngine       *engine = build->engine;
    RealmTicket        ticket;
    RealmDraftHandle   draft;
    if (realm_begin(engine, realm_block_id(land_prefix(build->land, block)), &ticket) != REALM_DONE ||
        realm_prepare(engine, &ticket, &draft) != REALM_DONE) {
        return engine->reason;
    }
    RealmAnswer answer = REALM_NOT_YET;
    for (uint32_t i = 0; answer == REALM_NOT_YET && i < CALLS_MAX; i++) {
        answer = realm_materialise(engine, draft);
    }
    for (uint32_t item = 0; answer == REALM_DONE && item < land_items(content); item++) {
        answer = land_publish(engine, draft, content, item);
    }
    for (uint32_t i = 0; answer != REALM_ERROR && i < CALLS_MAX; i++) {
        answer = realm_seal(engine, draft);
        if (answer == REALM_DONE) {
            answer = realm_commit(engine, draft);
            uint32_t leaf = realm_view_full_leaf(engine, REALM_ACTIVE, land_prefix(build->land, block));
            uint32_t link = answer == REALM_DONE ? realm_leaf_at(engine, leaf)->static_first : 0;
            for (uint32_t k = 0; link != 0; link = realm_owner_at(engine, link)->static_next, k++) {
                build->fixture[block][k] = realm_owner_handle(engine, link);
            }
            return answer == REALM_DONE ? NULL : engine->reason;
        }
    }
    return engine->reason != NULL ? engine->reason : "the draft is never ready";
}

// What a static became since its generation was activated.
static const char *change(RealmEngine *engine, RealmOwnerHandle handle, const ModelOwner *owner)
{
    const RealmOwnerContent *now = &owner->now;
    if (!owner->is_live) {
        return realm_owner_deregister(engine, handle) == REALM_DONE ? NULL : engine->reason;
    }
    bool is_done = realm_owner_set_setup(engine, handle, now->setup, now->turn) == REALM_DONE &&
                   realm_owner_set_state(engine, handle, now->state) == REALM_DONE &&
                   realm_owner_move(engine, handle, now->place) == REALM_DONE &&
                   realm_owner_suspend(engine, handle, owner->is_suspended) == REALM_DONE;
    return is_done ? NULL : engine->reason;
}

static const char *finish_block(Build *build, uint32_t block)
{
    const ModelBlock *value = &build->model->block[block];
    if (value->presence == MODEL_DEMOTED) {
        RealmAnswer answer = settle(build->engine);
        answer = answer == REALM_DONE ? realm_demote(build->engine, realm_block_id(land_prefix(build->land, block))) : answer;
        return answer == REALM_DONE ? NULL : build->engine->reason;
    }
    const char *wrong = NULL;
    for (uint32_t k = 0; wrong == NULL && k < value->statics; k++) {
        wrong = change(build->engine, build->fixture[block][k], &value->fixture[k]);
    }
    return wrong;
}

// Actions are numbers: landblocks first, then owners.
static const char *first_half(Build *build, uint32_t action)
{
    if (action < LAND_BLOCKS_MAX) {
        return build->model->block[action].presence == MODEL_AWAY ? NULL : load(build, action);
    }
    const ModelOwner *owner = &build->model->owner[action - LAND_BLOCKS_MAX];
    if (!owner->is_live) {
        return NULL;
    }
    RealmAnswer answer = realm_owner_register(build->engine, &owner->now, &build->owner[action - LAND_BLOCKS_MAX]);
    return answer == REALM_DONE ? NULL : build->engine->reason;
}

static const char *second_half(Build *build, uint32_t action)
{
    if (action < LAND_BLOCKS_MAX) {
        return build->model->block[action].presence == MODEL_AWAY ? NULL : finish_block(build, action);
    }
    const ModelOwner *owner = &build->model->owner[action - LAND_BLOCKS_MAX];
    if (!owner->is_live || !owner->is_suspended) {
        return NULL;
    }
    RealmAnswer answer = realm_owner_suspend(build->engine, build->owner[action - LAND_BLOCKS_MAX], true);
    return answer == REALM_DONE ? NULL : build->engine->reason;
}

const char *model_build(const Model *model, Land *land, Rig *rig, tp_pcg32 *dice)
{
    memset(rig->block, 0, rig->layout.block_size);
    realm_engine_init(&rig->engine, 99);
    Build    build = { .model = model, .land = land, .engine = &rig->engine };
    uint32_t order[LAND_BLOCKS_MAX + MODEL_OWNERS_MAX];
    for (uint32_t i = 0; i < LAND_BLOCKS_MAX + MODEL_OWNERS_MAX; i++) {
        order[i] = i;
    }
    tp_pcg32_shuffle_u32(dice, order, LAND_BLOCKS_MAX + MODEL_OWNERS_MAX);
    const char *wrong = NULL;
    for (uint32_t i = 0; wrong == NULL && i < LAND_BLOCKS_MAX + MODEL_OWNERS_MAX; i++) {
        wrong = first_half(&build, order[i]);
    }
    tp_pcg32_shuffle_u32(dice, order, LAND_BLOCKS_MAX + MODEL_OWNERS_MAX);
    for (uint32_t i = 0; wrong == NULL && i < LAND_BLOCKS_MAX + MODEL_OWNERS_MAX; i++) {
        wrong = second_half(&build, order[i]);
    }
    if (wrong == NULL && settle(&rig->engine) != REALM_DONE) {
        wrong = "the built world does not come to rest";
    }
    return wrong;
}

// realm_model_look.c: two worlds side by side. What is seen goes into a sorted list of items that know nothing of links, generations or the
// order things came in; owners of one id are told apart by what they are.
#include "realm_model.h"

#include "realm_query.h"

#include <criterion/criterion.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { UNIT = REALM_UNIT, OVERLAPS_MAX = 64 };
typedef enum { LOOK_TERRAIN = 1, LOOK_CELL, LOOK_BUILDING, LOOK_ROW, LOOK_OWNER, LOOK_KINDS } LookKind;
static const char *const kind_names[LOOK_KINDS] = { "nothing", "terrain", "indoor cell", "building", "row", "owner" };

static uint32_t *add(Look *look, LookKind kind, uint32_t prefix, uint32_t cell)
{
    if (look->count == look->capacity) {
        look->capacity = look->capacity == 0 ? 1024 : 2 * look->capacity;
        look->items = realloc(look->items, look->capacity * sizeof(LookItem));
        cr_assert_not_null(look->items);
    }
    LookItem *item = &look->items[look->count++];
    *item = (LookItem){ { kind, prefix, cell } };
    return &item->word[3];
}

static void hash_bytes(uint32_t out[2], const void *bytes, size_t size)
{
    uint64_t hash = UINT64_C(14695981039346656037);
    for (size_t i = 0; i < size; i++) {
        hash = (hash ^ ((const unsigned char *)bytes)[i]) * UINT64_C(1099511628211);
    }
    out[0] = (uint32_t)(hash >> 32);
    out[1] = (uint32_t)hash;
}

static void put_owner(uint32_t *word, const RealmOwner *owner)
{
    word[0] = owner->id;
    word[1] = owner->state;
    word[2] = (uint32_t)owner->setup << 16 | (uint32_t)owner->turn << 8 | owner->kind;
    word[3] = owner->cell >> 16;
    word[4] = (uint32_t)owner->x.raw;
    word[5] = (uint32_t)owner->y.raw;
    word[6] = (uint32_t)owner->z.raw;
}

static void take_bucket(Look *look, const RealmEngine *engine, RealmView view, uint16_t prefix, uint32_t number, uint32_t row)
{
    uint32_t last = 0;
    for (; row != 0; row = realm_row_at(engine, row)->next) {
        uint32_t set = realm_row_at(engine, row)->set;
        if (!realm_view_sees_set(engine, view, set)) {
            continue;
        }
        const RealmOwner *owner = realm_owner_at(engine, realm_set_at(engine, set)->owner);
        look->is_disordered = look->is_disordered || owner->id < last;
        last = owner->id;
        put_owner(add(look, LOOK_ROW, prefix, number), owner);
    }
}

static void take_full(Look *look, const RealmEngine *engine, RealmView view, uint16_t prefix, uint32_t link)
{
    const RealmLeaf *leaf = realm_leaf_at(engine, link);
    for (uint32_t cell = leaf->cell_first; cell != 0; cell = realm_cell_at(engine, cell)->next) {
        const RealmCell *value = realm_cell_at(engine, cell);
        hash_bytes(add(look, LOOK_CELL, prefix, value->number), &value->low, sizeof(*value) - offsetof(RealmCell, low));
        take_bucket(look, engine, view, prefix, value->number, value->bucket);
    }
    uint32_t k = 0;
    for (uint32_t building = leaf->building_first; building != 0; building = realm_building_at(engine, building)->next, k++) {
        const RealmBuilding *value = realm_building_at(engine, building);
        hash_bytes(add(look, LOOK_BUILDING, prefix, k), &value->low, sizeof(*value) - offsetof(RealmBuilding, low));
    }
    for (uint32_t i = 0; i < REALM_OUTDOOR_CELLS; i++) {
        take_bucket(look, engine, view, prefix, i + 1, realm_outdoor_bucket(engine, link, i));
    }
}

static void take_owner(Look *look, const RealmEngine *engine, RealmView view, uint32_t link)
{
    const RealmOwner *owner = realm_owner_at(engine, link);
    bool is_there = owner->kind == REALM_DYNAMIC || realm_view_full_leaf(engine, view, realm_prefix(owner->cell)) == owner->leaf;
    if ((owner->generation & 1) == 0 || !is_there) {
        return;
    }
    uint32_t  set = realm_view_set(engine, view, link);
    bool      is_seen = set != 0 && realm_view_sees_set(engine, view, set);
    uint32_t *word = add(look, LOOK_OWNER, owner->cell >> 16, 0);
    put_owner(word, owner);
    word[7] = is_seen ? realm_set_at(engine, set)->cell : 0;
    word[8] = owner->is_suspended;
}

static int compare(const void *a, const void *b)
{
    const LookItem *left = a, *right = b;
    for (int i = 0; i < LOOK_WORDS; i++) {
        if (left->word[i] != right->word[i]) {
            return left->word[i] < right->word[i] ? -1 : 1;
        }
    }
    return 0;
}

void look_take(Look *look, const RealmEngine *engine, RealmView view)
{
    look->count = 0;
    look->is_disordered = false;
    for (uint32_t block = 1; block <= engine->block_count; block++) {
        const RealmBlock *value = realm_block_at(engine, block);
        uint32_t          leaf = (value->generation & 1) != 0 ? realm_view_leaf(engine, view, value->prefix) : 0;
        if (leaf == 0) {
            continue;
        }
        uint32_t *word = add(look, LOOK_TERRAIN, value->prefix, 0);
        hash_bytes(word, realm_leaf_at(engine, leaf)->heights, REALM_HEIGHTS);
        word[2] = realm_leaf_at(engine, leaf)->water;
        word[3] = realm_view_full_leaf(engine, view, value->prefix) != 0;
        if (word[3] != 0) {
            take_full(look, engine, view, value->prefix, leaf);
        }
    }
    for (uint32_t owner = 1; owner <= engine->owner_count; owner++) {
        take_owner(look, engine, view, owner);
    }
    if (look->count > 0) {
        qsort(look->items, look->count, sizeof(LookItem), compare);
    }
}

void look_free(Look *look)
{
    free(look->items);
    *look = (Look){ NULL };
}

static const char *describe(const char *where, const LookItem *item, char *text, size_t size)
{
    const uint32_t *word = &item->word[3];
    int used = snprintf(text, size, "only the %s world has this %s: landblock %u,%u", where, kind_names[item->word[0]],
                        item->word[1] >> 8, item->word[1] & 255);
    used += snprintf(text + used, size - (size_t)used, " cell 0x%x", item->word[2]);
    if (item->word[0] >= LOOK_ROW) {
        snprintf(text + used, size - (size_t)used,
                 " id %u state %u setup %u turn %u %s at %u,%u (%.3f %.3f %.3f) seen in 0x%x suspended %u", word[0], word[1], word[2] >> 16,
                 word[2] >> 8 & 255, (word[2] & 255) == REALM_STATIC ? "static" : "dynamic", word[3] >> 8, word[3] & 255,
                 (double)(int32_t)word[4] / UNIT, (double)(int32_t)word[5] / UNIT, (double)(int32_t)word[6] / UNIT, word[7], word[8]);
    } else {
        snprintf(text + used, size - (size_t)used, " hash %08x%08x %u %u", word[0], word[1], word[2], word[3]);
    }
    return text;
}

const char *look_difference(const Look *seen, const Look *built, char *text, size_t size)
{
    if (seen->is_disordered || built->is_disordered) {
        return seen->is_disordered ? "a bucket of the streamed world is not in order of ids" : "a bucket of the built world is not in order of ids";
    }
    for (uint32_t i = 0; i < seen->count || i < built->count; i++) {
        int order = i == seen->count ? 1 : i == built->count ? -1 : compare(&seen->items[i], &built->items[i]);
        if (order != 0) {
            return describe(order < 0 ? "streamed" : "built", order < 0 ? &seen->items[i] : &built->items[i], text, size);
        }
    }
    return NULL;
}

const char *look_pools(const Rig *seen, const Rig *built, char *text, size_t size)
{
    static const struct { RealmSection head; uint32_t k; const char *name; } pools[] = {
        { REALM_SECTION_BLOCK_POOL, 0, "blocks" }, { REALM_SECTION_LEAF_POOL, 0, "leaves" }, { REALM_SECTION_CELL_POOL, 0, "cells" },
        { REALM_SECTION_BUILDING_POOL, 0, "buildings" }, { REALM_SECTION_OWNER_POOLS, 0, "dynamics" },
        { REALM_SECTION_OWNER_POOLS, 1, "statics" }, { REALM_SECTION_MEMBER_POOL, 0, "members" }, { REALM_SECTION_SET_POOL, 0, "sets" },
        { REALM_SECTION_ROW_POOL, 0, "rows" }, { REALM_SECTION_DRAFT_POOL, 0, "drafts" } };
    for (size_t i = 0; i < sizeof(pools) / sizeof(pools[0]); i++) {
        const tp_pool_head *a = tp_section_at_const(&seen->context, seen->block, pools[i].head);
        const tp_pool_head *b = tp_section_at_const(&built->context, built->block, pools[i].head);
        if (a[pools[i].k].live != b[pools[i].k].live) {
            snprintf(text, size, "at rest the streamed world holds %u %s, the built one %u", a[pools[i].k].live, pools[i].name,
                     b[pools[i].k].live);
            return text;
        }
    }
    return NULL;
}

// ---- Queries ----

static void owner_words(const RealmEngine *engine, uint32_t link, LookItem *item)
{
    *item = (LookItem){ { 0 } };
    put_owner(&item->word[0], realm_owner_at(engine, link));
}

static const char *ask_overlaps(const RealmEngine *seen, const RealmEngine *built, RealmPlace place, tp_fx radius)
{
    uint32_t a[OVERLAPS_MAX], b[OVERLAPS_MAX];
    LookItem words_a[OVERLAPS_MAX], words_b[OVERLAPS_MAX];
    uint32_t count = realm_query_overlaps(seen, REALM_ACTIVE, place, radius, a, OVERLAPS_MAX);
    if (count != realm_query_overlaps(built, REALM_ACTIVE, place, radius, b, OVERLAPS_MAX)) {
        return "a sphere overlaps another number of owners";
    }
    if (count > OVERLAPS_MAX) {
        return NULL; // which of them are told depends on links
    }
    for (uint32_t i = 0; i < count; i++) {
        owner_words(seen, a[i], &words_a[i]);
        owner_words(built, b[i], &words_b[i]);
    }
    qsort(words_a, count, sizeof(LookItem), compare);
    qsort(words_b, count, sizeof(LookItem), compare);
    return memcmp(words_a, words_b, count * sizeof(LookItem)) == 0 ? NULL : "a sphere overlaps other owners";
}

static bool vectors_equal(RealmVector a, RealmVector b)
{
    return a.x.raw == b.x.raw && a.y.raw == b.y.raw && a.z.raw == b.z.raw;
}

static bool places_equal(RealmPlace a, RealmPlace b)
{
    return a.cell == b.cell && a.x.raw == b.x.raw && a.y.raw == b.y.raw && a.z.raw == b.z.raw;
}

static const char *ask_ground(const RealmEngine *seen, const RealmEngine *built, RealmPlace place)
{
    RealmGround a = realm_query_ground(seen, REALM_ACTIVE, place), b = realm_query_ground(built, REALM_ACTIVE, place);
    bool is_equal = a.is_known == b.is_known && a.is_walkable == b.is_walkable && a.is_terrain == b.is_terrain && a.water == b.water &&
                    a.z.raw == b.z.raw && vectors_equal(a.normal, b.normal);
    return is_equal ? NULL : "the ground is another";
}

static const char *ask_sweep(const RealmEngine *seen, const RealmEngine *built, const RealmSweep *sweep)
{
    RealmHit a = realm_query_sweep(seen, REALM_ACTIVE, sweep), b = realm_query_sweep(built, REALM_ACTIVE, sweep);
    if (a.kind != b.kind || a.fraction.raw != b.fraction.raw || !places_equal(a.place, b.place)) {
        return "a sweep ends elsewhere";
    }
    if (a.kind != REALM_HIT_OWNER) {
        return vectors_equal(a.normal, b.normal) ? NULL : "a sweep meets another surface";
    }
    // Two owners met at once are told apart by their links, which the built world has others of.
    LookItem words_a, words_b;
    owner_words(seen, realm_owner_link(seen, a.owner), &words_a);
    owner_words(built, realm_owner_link(built, b.owner), &words_b);
    bool is_same = compare(&words_a, &words_b) == 0;
    return !is_same || vectors_equal(a.normal, b.normal) ? NULL : "a sweep meets another side of an owner";
}

static tp_fx spread(tp_pcg32 *dice, int32_t most)
{
    return (tp_fx){ (int32_t)tp_pcg32_below(dice, 2 * (uint32_t)most + 1) - most };
}

const char *look_ask(const RealmEngine *seen, const RealmEngine *built, Land *land, tp_pcg32 *dice, uint32_t questions, char *text, size_t size)
{
    const char *wrong = NULL;
    RealmPlace  place = { 0 };
    for (uint32_t i = 0; wrong == NULL && i < questions; i++) {
        uint32_t block = tp_pcg32_below(dice, land_blocks(land));
        place = land_place(land, dice, block);
        tp_fx radius = { (int32_t)tp_pcg32_below(dice, REALM_QUERY_RADIUS_MAX) >> tp_pcg32_below(dice, 6) };
        wrong = ask_overlaps(seen, built, place, radius);
        wrong = wrong == NULL ? ask_ground(seen, built, place) : wrong;
        RealmSweep sweep = { .place = place, .radius = { UNIT / 2 } };
        sweep.delta.x = spread(dice, REALM_QUERY_STEP_MAX);
        sweep.delta.y = spread(dice, REALM_QUERY_STEP_MAX);
        sweep.delta.z = spread(dice, 2 * UNIT);
        wrong = wrong == NULL ? ask_sweep(seen, built, &sweep) : wrong;
    }
    if (wrong != NULL) {
        snprintf(text, size, "asked from 0x%08x (%.3f %.3f %.3f): %s", place.cell, (double)place.x.raw / UNIT, (double)place.y.raw / UNIT,
                 (double)place.z.raw / UNIT, wrong);
        return text;
    }
    return NULL;
}

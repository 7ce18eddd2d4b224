// realm_rig_look.c: content for tests, and what a view sees of the world, found through the buckets as queries do.
#include "realm_rig.h"

#include <criterion/criterion.h>

#include <string.h>

#include "realm_catalog.h"

uint32_t rig_at(uint32_t x, uint32_t y)
{
    return x << 24 | y << 16 | REALM_OUTSIDE;
}

uint16_t rig_prefix(uint32_t x, uint32_t y)
{
    return (uint16_t)(x << 8 | y);
}

tp_fx rig_fx(int32_t thousandths)
{
    return (tp_fx){ (int32_t)((int64_t)thousandths * 65536 / 1000) };
}

RealmPlace rig_place(uint32_t x, uint32_t y, int32_t local_x, int32_t local_y)
{
    return (RealmPlace){ .cell = x << 24 | y << 16 | 1, .x = rig_fx(local_x), .y = rig_fx(local_y), .z = { 0 } };
}

void rig_content(RigContent *content, uint8_t height)
{
    memset(content, 0, sizeof(*content));
    memset(content->terrain.heights, height, sizeof(content->terrain.heights));
}

enum { ROOM_SIZE = 10, ROOM_HEIGHT = 5, HOUSE_X = 60, HOUSE_Y = 60 };

static void add_portal(RealmCellContent *cell, int32_t at_x, uint16_t other)
{
    uint32_t k = cell->portals;
    cell->portal_axis[k] = 0;
    cell->portal_at[k] = rig_fx(at_x * 1000);
    cell->portal_low_1[k] = rig_fx((HOUSE_Y + 3) * 1000);
    cell->portal_high_1[k] = rig_fx((HOUSE_Y + 7) * 1000);
    cell->portal_low_2[k] = rig_fx(0);
    cell->portal_high_2[k] = rig_fx(3000);
    cell->portal_other[k] = other;
    cell->portals++;
}

static void add_room(RigContent *content, uint32_t rooms, uint32_t k)
{
    RealmCellContent *cell = &content->cells[content->cell_count];
    int32_t           low_x = HOUSE_X + (int32_t)k * ROOM_SIZE;
    *cell = (RealmCellContent){ .visible = (UINT64_C(1) << rooms) - 1 };
    cell->low[0] = rig_fx(low_x * 1000);
    cell->low[1] = rig_fx(HOUSE_Y * 1000);
    cell->high[0] = rig_fx((low_x + ROOM_SIZE) * 1000);
    cell->high[1] = rig_fx((HOUSE_Y + ROOM_SIZE) * 1000);
    cell->high[2] = rig_fx(ROOM_HEIGHT * 1000);
    add_portal(cell, low_x, k == 0 ? REALM_OUTSIDE : (uint16_t)(REALM_INDOOR_FIRST + content->cell_count - 1));
    if (k + 1 < rooms) {
        add_portal(cell, low_x + ROOM_SIZE, (uint16_t)(REALM_INDOOR_FIRST + content->cell_count + 1));
    }
    content->cell_count++;
}

void rig_add_house(RigContent *content, uint32_t rooms, uint32_t kind)
{
    RealmBuildingContent *building = &content->buildings[content->building_count++];
    *building = (RealmBuildingContent){ .first_cell = (uint16_t)(REALM_INDOOR_FIRST + content->cell_count),
                                        .cells = (uint16_t)rooms, .kind = kind };
    building->low[0] = rig_fx(HOUSE_X * 1000);
    building->low[1] = rig_fx(HOUSE_Y * 1000);
    building->high[0] = rig_fx((HOUSE_X + (int32_t)rooms * ROOM_SIZE) * 1000);
    building->high[1] = rig_fx((HOUSE_Y + ROOM_SIZE) * 1000);
    building->high[2] = rig_fx(ROOM_HEIGHT * 1000);
    for (uint32_t k = 0; k < rooms; k++) {
        add_room(content, rooms, k);
    }
}

void rig_add_static(RigContent *content, uint32_t id, uint16_t setup, int32_t local_x, int32_t local_y)
{
    cr_assert_lt(content->static_count, RIG_STATICS_MAX);
    content->statics[content->static_count++] =
        (RealmStaticContent){ .id = id, .setup = setup, .x = rig_fx(local_x), .y = rig_fx(local_y) };
}

const RealmOwner *rig_owner_at(const Rig *rig, RealmOwnerHandle owner)
{
    uint32_t link = realm_owner_link(&rig->engine, owner);
    cr_assert_neq(link, 0, "the owner is gone");
    return realm_owner_at(&rig->engine, link);
}

const RealmDraft *rig_draft_at(const Rig *rig, RealmDraftHandle draft)
{
    uint32_t link = realm_draft_link(&rig->engine, draft);
    cr_assert_neq(link, 0, "the draft is gone");
    return realm_draft_at(&rig->engine, link);
}

const RealmBlock *rig_block_at(const Rig *rig, uint32_t x, uint32_t y)
{
    uint32_t link = realm_block_find(&rig->engine, rig_prefix(x, y));
    return link == 0 ? NULL : realm_block_at(&rig->engine, link);
}

RealmView rig_view(const Rig *rig, RealmDraftHandle draft)
{
    bool      is_open = false;
    RealmView view = realm_draft_view(&rig->engine, draft, &is_open);
    cr_assert(is_open);
    return view;
}

int32_t rig_height(const Rig *rig, RealmView view, uint32_t x, uint32_t y)
{
    uint32_t leaf = realm_view_leaf(&rig->engine, view, rig_prefix(x, y));
    return leaf == 0 ? -1 : realm_leaf_at(&rig->engine, leaf)->heights[0];
}

uint32_t rig_cells(const Rig *rig, RealmView view, uint32_t x, uint32_t y)
{
    uint32_t leaf = realm_view_full_leaf(&rig->engine, view, rig_prefix(x, y));
    uint32_t count = 0;
    while (leaf != 0 && realm_leaf_cell(&rig->engine, leaf, (uint16_t)(REALM_INDOOR_FIRST + count)) != 0) {
        count++;
    }
    return count;
}

uint32_t rig_building(const Rig *rig, RealmView view, uint32_t x, uint32_t y)
{
    uint32_t leaf = realm_view_full_leaf(&rig->engine, view, rig_prefix(x, y));
    uint32_t building = leaf != 0 ? realm_leaf_at(&rig->engine, leaf)->building_first : 0;
    return building != 0 ? realm_building_at(&rig->engine, building)->kind : 0;
}

// Walks every bucket of one leaf; `each` is told the owner and where.
typedef void (*RowEach)(void *to, const RealmEngine *engine, uint32_t owner, uint32_t cell_number);

static void walk_bucket(const RealmEngine *engine, RealmView view, uint32_t row, uint32_t number, RowEach each, void *to)
{
    for (; row != 0; row = realm_row_at(engine, row)->next) {
        uint32_t set = realm_row_at(engine, row)->set;
        if (realm_view_sees_set(engine, view, set)) {
            each(to, engine, realm_set_at(engine, set)->owner, number);
        }
    }
}

static void walk_leaf(const RealmEngine *engine, RealmView view, uint32_t leaf, RowEach each, void *to)
{
    for (uint32_t i = 0; i < REALM_OUTDOOR_CELLS; i++) {
        walk_bucket(engine, view, realm_outdoor_bucket(engine, leaf, i), i + 1, each, to);
    }
    for (uint32_t cell = realm_leaf_at(engine, leaf)->cell_first; cell != 0; cell = realm_cell_at(engine, cell)->next) {
        walk_bucket(engine, view, realm_cell_at(engine, cell)->bucket, realm_cell_at(engine, cell)->number, each, to);
    }
}

typedef struct Counted {
    uint32_t id, owner, rows;
} Counted;

static void count_id(void *to, const RealmEngine *engine, uint32_t owner, uint32_t cell_number)
{
    Counted *counted = to;
    counted->rows += realm_owner_at(engine, owner)->id == counted->id;
}

static void count_owner(void *to, const RealmEngine *engine, uint32_t owner, uint32_t cell_number)
{
    Counted *counted = to;
    counted->rows += owner == counted->owner;
}

uint32_t rig_rows(const Rig *rig, RealmView view, uint32_t x, uint32_t y, uint32_t id)
{
    Counted  counted = { .id = id };
    uint32_t leaf = realm_view_full_leaf(&rig->engine, view, rig_prefix(x, y));
    if (leaf != 0) {
        walk_leaf(&rig->engine, view, leaf, count_id, &counted);
    }
    return counted.rows;
}

uint32_t rig_rows_of(const Rig *rig, RealmView view, RealmOwnerHandle owner)
{
    Counted counted = { .owner = realm_owner_link(&rig->engine, owner) };
    for (uint32_t block = 1; counted.owner != 0 && block <= rig->engine.block_count; block++) {
        const RealmBlock *value = realm_block_at(&rig->engine, block);
        uint32_t          leaf = (value->generation & 1) != 0 ? realm_view_full_leaf(&rig->engine, view, value->prefix) : 0;
        if (leaf != 0) {
            walk_leaf(&rig->engine, view, leaf, count_owner, &counted);
        }
    }
    return counted.rows;
}

uint32_t rig_markers(const Rig *rig, uint32_t x, uint32_t y)
{
    const RealmBlock *block = rig_block_at(rig, x, y);
    bool is_served = realm_view_full_leaf(&rig->engine, REALM_ACTIVE, rig_prefix(x, y)) != 0;
    return block == NULL || is_served ? 0 : block->members;
}

// FNV-1a over 64 bits, value by value.
static uint64_t mix(uint64_t hash, uint64_t value)
{
    for (uint32_t i = 0; i < 8; i++) {
        hash = (hash ^ (value >> 8 * i & 0xFF)) * UINT64_C(1099511628211);
    }
    return hash;
}

static uint64_t mix_bytes(uint64_t hash, const void *bytes, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        hash = (hash ^ ((const unsigned char *)bytes)[i]) * UINT64_C(1099511628211);
    }
    return hash;
}

static uint64_t mix_owner(uint64_t hash, const RealmOwner *owner)
{
    uint64_t place = (uint64_t)(uint32_t)owner->x.raw << 32 | (uint32_t)owner->y.raw;
    hash = mix(mix(hash, (uint64_t)owner->id << 32 | owner->state), place);
    return mix(mix(hash, (uint64_t)(owner->cell >> 16) << 32 | (uint32_t)owner->z.raw),
               (uint64_t)owner->setup << 16 | (uint64_t)owner->turn << 8 | owner->kind);
}

static void mix_row(void *to, const RealmEngine *engine, uint32_t owner, uint32_t cell_number)
{
    uint64_t *hash = to;
    *hash = mix(mix_owner(*hash, realm_owner_at(engine, owner)), cell_number);
}

static uint64_t leaf_picture(const Rig *rig, RealmView view, const RealmBlock *block, uint32_t leaf)
{
    const RealmLeaf *value = realm_leaf_at(&rig->engine, leaf);
    uint64_t         hash = mix(UINT64_C(14695981039346656037), block->prefix);
    hash = mix_bytes(mix(hash, (uint64_t)value->is_demoted << 8 | value->water), value->heights, sizeof(value->heights));
    if (realm_view_full_leaf(&rig->engine, view, block->prefix) == 0) {
        return hash;
    }
    for (uint32_t cell = value->cell_first; cell != 0; cell = realm_cell_at(&rig->engine, cell)->next) {
        const RealmCell *room = realm_cell_at(&rig->engine, cell);
        hash = mix_bytes(hash, &room->low, sizeof(*room) - offsetof(RealmCell, low));
    }
    for (uint32_t link = value->building_first; link != 0; link = realm_building_at(&rig->engine, link)->next) {
        const RealmBuilding *building = realm_building_at(&rig->engine, link);
        hash = mix_bytes(hash, &building->low, sizeof(*building) - offsetof(RealmBuilding, low));
    }
    walk_leaf(&rig->engine, view, leaf, mix_row, &hash);
    return hash;
}

static uint64_t dynamic_picture(const Rig *rig, RealmView view, uint32_t owner)
{
    const RealmOwner *value = realm_owner_at(&rig->engine, owner);
    if ((value->generation & 1) == 0 || value->kind != REALM_DYNAMIC) {
        return 0;
    }
    uint32_t set = realm_view_set(&rig->engine, view, owner);
    bool     is_here = set != 0 && realm_view_sees_set(&rig->engine, view, set);
    return mix(mix_owner(UINT64_C(14695981039346656037), value), is_here ? realm_set_at(&rig->engine, set)->cell : 0);
}

// Sums, so that the places of blocks and owners in their pools say nothing.
static uint64_t picture(const Rig *rig, RealmView view, int32_t left_out)
{
    uint64_t sum = 0;
    for (uint32_t block = 1; block <= rig->engine.block_count; block++) {
        const RealmBlock *value = realm_block_at(&rig->engine, block);
        bool              is_asked = (value->generation & 1) != 0 && value->prefix != left_out;
        uint32_t          leaf = is_asked ? realm_view_leaf(&rig->engine, view, value->prefix) : 0;
        sum += leaf != 0 ? leaf_picture(rig, view, value, leaf) : 0;
    }
    for (uint32_t owner = 1; owner <= rig->engine.dynamic_count; owner++) {
        sum += dynamic_picture(rig, view, owner);
    }
    return sum;
}

uint64_t rig_picture(const Rig *rig, RealmView view)
{
    return picture(rig, view, -1);
}

uint64_t rig_picture_but(const Rig *rig, RealmView view, uint32_t x, uint32_t y)
{
    return picture(rig, view, rig_prefix(x, y));
}

uint32_t rig_live(const Rig *rig, RealmSection pool)
{
    const tp_pool_head *head = tp_section_at_const(&rig->context, rig->block, pool);
    return head->live;
}

uint16_t rig_setup_small(void)
{
    return REALM_SETUP_PLAYER;
}

uint16_t rig_setup_wide(void)
{
    return REALM_SETUP_HILL_30;
}

uint16_t rig_setup_other(void)
{
    return REALM_SETUP_CRATE;
}

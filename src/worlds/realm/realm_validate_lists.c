// realm_validate_lists.c: structure. Proofs without memory: a walk that has a step for each live slot at most and comes to an end has no circle;
// a slot names the list it is in, so lists share nothing; and as many slots as are live were met, so none is in no list.
#include "realm_catalog.h"
#include "realm_validate_parts.h"

uint32_t realm_block_head(uint16_t prefix);

static uint32_t live(const RealmEngine *engine, RealmSection pool)
{
    const tp_pool_head *head = tp_section_at_const(engine->context, engine->block, pool);
    return head->live;
}

// ---- Blocks ----

static const char *validate_index(const RealmEngine *engine)
{
    uint32_t met = 0;
    for (uint32_t i = 0; i < REALM_INDEX_HEADS; i++) {
        for (uint32_t link = engine->heads[i].first; link != 0; link = realm_block_at(engine, link)->index_next) {
            const RealmBlock *block = realm_block_at(engine, link);
            REALM_REQUIRE(++met <= engine->block_count, "block_index: a list runs in a circle");
            REALM_REQUIRE(realm_is_live(block->generation), "block_index: a list has a block that is free");
            REALM_REQUIRE(realm_block_head(block->prefix) == i, "blocks: prefix: the block is in the list of another one");
        }
    }
    REALM_REQUIRE(met == live(engine, REALM_SECTION_BLOCK_POOL), "block_index: a block is in no list");
    return NULL;
}

static const char *validate_block_leaf(const RealmEngine *engine, uint32_t link)
{
    const RealmBlock *block = realm_block_at(engine, link);
    if (block->leaf.generation == 0) {
        REALM_REQUIRE(block->leaf.index == 0, "blocks: leaf: it names nothing, and has a place");
        return NULL;
    }
    const RealmLeaf *leaf = &engine->leaves[block->leaf.index];
    REALM_REQUIRE(leaf->generation == block->leaf.generation && realm_is_live(leaf->generation), "blocks: leaf: there is no such leaf");
    REALM_REQUIRE(leaf->block == link, "blocks: leaf: it is another landblock's");
    return NULL;
}

static const char *validate_block(const RealmEngine *engine, uint32_t link)
{
    const RealmBlock *block = realm_block_at(engine, link);
    REALM_REQUIRE(block->prefix >> 8 < REALM_WORLD_MAX && (block->prefix & 255) < REALM_WORLD_MAX, "blocks: prefix: it is outside the world");
    REALM_REQUIRE(realm_block_find(engine, block->prefix) == link, "blocks: prefix: two blocks are of one landblock");
    const char *wrong = validate_block_leaf(engine, link);
    REALM_REQUIRE(wrong == NULL, wrong);
    REALM_REQUIRE(block->ticket <= engine->root->generation_last, "blocks: ticket: there was no such generation yet");
    if (block->ticket == 0) {
        bool is_clean = block->deadline == 0 && block->admit_next == 0 && block->admit_prev == 0 && block->draft == 0;
        REALM_REQUIRE(is_clean, "blocks: ticket: there is no admission, and something of one");
    }
    bool is_needed = block->leaf.generation != 0 || block->ticket != 0 || block->member_first != 0 || block->retiring != 0;
    REALM_REQUIRE(is_needed, "blocks: nothing is known of the landblock");
    return NULL;
}

static const char *validate_admissions(const RealmEngine *engine)
{
    const RealmRoot *root = engine->root;
    uint32_t         met = 0, last = 0, held = 0;
    uint64_t         deadline = 0, ticket = 0;
    for (uint32_t link = root->admit_first; link != 0; link = realm_block_at(engine, link)->admit_next) {
        const RealmBlock *block = realm_block_at(engine, link);
        REALM_REQUIRE(++met <= engine->block_count && block->admit_prev == last, "root: admit_first: the list is not whole");
        REALM_REQUIRE(realm_is_live(block->generation) && block->ticket != 0, "root: admit_first: the list has a block without a ticket");
        REALM_REQUIRE(block->deadline >= deadline, "blocks: deadline: an older admission ends later");
        REALM_REQUIRE(block->ticket > ticket, "blocks: ticket: an older admission has a later number");
        held += block->leaf.generation == 0;
        deadline = block->deadline;
        ticket = block->ticket;
        last = link;
    }
    const int64_t *config = engine->context->setup->config;
    REALM_REQUIRE(deadline <= root->now + (uint64_t)config[REALM_CONFIG_ABANDON_TICKS], "blocks: deadline: it is too far away");
    REALM_REQUIRE(root->admit_last == last && root->admissions == met, "root: admissions: they are not the list's");
    REALM_REQUIRE((int64_t)root->residents + held <= config[REALM_CONFIG_RESIDENTS], "root: residents: more than the config allows");
    return NULL;
}

const char *realm_validate_blocks(const RealmEngine *engine)
{
    const char *wrong = validate_index(engine);
    REALM_REQUIRE(wrong == NULL, wrong);
    uint32_t residents = 0, tickets = 0;
    for (uint32_t link = 1; link <= engine->block_count; link++) {
        const RealmBlock *block = realm_block_at(engine, link);
        if (realm_is_live(block->generation)) {
            wrong = validate_block(engine, link);
            REALM_REQUIRE(wrong == NULL, wrong);
            residents += block->leaf.generation != 0;
            tickets += block->ticket != 0;
        }
    }
    REALM_REQUIRE(engine->root->residents == residents, "root: residents: as many blocks have no leaf");
    REALM_REQUIRE(engine->root->admissions == tickets, "root: admissions: as many blocks have no ticket");
    return validate_admissions(engine);
}

// ---- Leaves with their cells, buildings and statics ----

static bool is_box_good(const tp_fx low[3], const tp_fx high[3])
{
    for (int axis = 0; axis < 3; axis++) {
        int32_t least = axis < 2 ? 0 : -1024 * 65536, most = axis < 2 ? REALM_BLOCK_SIZE * 65536 : 1024 * 65536;
        if (low[axis].raw < least || high[axis].raw > most || low[axis].raw >= high[axis].raw) {
            return false;
        }
    }
    return true;
}

static bool are_portals_good(const RealmCell *cell)
{
    for (uint32_t i = 0; i < cell->portals; i++) {
        bool leads_indoors = cell->portal_other[i] >= REALM_INDOOR_FIRST && cell->portal_other[i] < REALM_INDOOR_FIRST + REALM_INDOOR_MAX;
        bool leads_somewhere = leads_indoors || cell->portal_other[i] == REALM_OUTSIDE;
        if (!leads_somewhere || cell->portal_low_1[i].raw >= cell->portal_high_1[i].raw ||
            cell->portal_low_2[i].raw >= cell->portal_high_2[i].raw) {
            return false;
        }
    }
    return true;
}

static const char *validate_cells(const RealmEngine *engine, uint32_t leaf)
{
    const RealmLeaf *value = realm_leaf_at(engine, leaf);
    uint32_t         met = 0, last = 0, number = 0;
    for (uint32_t link = value->cell_first; link != 0; link = realm_cell_at(engine, link)->next) {
        const RealmCell *cell = realm_cell_at(engine, link);
        REALM_REQUIRE(++met <= value->cells && realm_is_live(cell->generation), "leaves: cells: the list is longer than its count, or has a free one");
        REALM_REQUIRE(cell->leaf == leaf, "cells: leaf: the cell is in another one's list");
        REALM_REQUIRE(cell->number > number, "cells: number: the list is not in rising order");
        bool is_whole = value->retire < REALM_RETIRE_CELLS; // else the first ones may be gone
        REALM_REQUIRE(!is_whole || cell->number == REALM_INDOOR_FIRST + met - 1, "cells: number: there is a gap");
        REALM_REQUIRE(is_box_good(cell->low, cell->high), "cells: low: it is no box in the landblock");
        REALM_REQUIRE(are_portals_good(cell), "cells: portal_other: a portal has no size, or leads nowhere");
        number = cell->number;
        last = link;
    }
    REALM_REQUIRE(met == value->cells && last == value->cell_last, "leaves: cells: they are not the list's");
    return NULL;
}

static const char *validate_buildings(const RealmEngine *engine, uint32_t leaf)
{
    const RealmLeaf *value = realm_leaf_at(engine, leaf);
    uint32_t         met = 0, last = 0;
    for (uint32_t link = value->building_first; link != 0; link = realm_building_at(engine, link)->next) {
        const RealmBuilding *building = realm_building_at(engine, link);
        bool has_cells = building->first_cell >= REALM_INDOOR_FIRST && building->cells > 0 &&
                         building->first_cell + building->cells <= REALM_INDOOR_FIRST + REALM_INDOOR_MAX;
        REALM_REQUIRE(++met <= value->buildings && realm_is_live(building->generation), "leaves: buildings: the list is longer than its count, or has a free one");
        REALM_REQUIRE(building->leaf == leaf, "buildings: leaf: the building is in another one's list");
        REALM_REQUIRE(is_box_good(building->low, building->high), "buildings: low: it is no box in the landblock");
        REALM_REQUIRE(has_cells, "buildings: first_cell: it has no cells");
        last = link;
    }
    REALM_REQUIRE(met == value->buildings && last == value->building_last, "leaves: buildings: they are not the list's");
    return NULL;
}

static const char *validate_statics(const RealmEngine *engine, uint32_t leaf)
{
    const RealmLeaf *value = realm_leaf_at(engine, leaf);
    uint32_t         met = 0, last = 0;
    for (uint32_t link = value->static_first; link != 0; link = realm_owner_at(engine, link)->static_next) {
        const RealmOwner *owner = realm_owner_at(engine, link);
        REALM_REQUIRE(++met <= value->statics && realm_is_live(owner->generation), "leaves: statics: the list is longer than its count, or has a free one");
        REALM_REQUIRE(owner->kind == REALM_STATIC && owner->leaf == leaf, "owners: leaf: the static is in another one's list");
        REALM_REQUIRE(owner->static_prev == last, "owners: static_prev: the list is not whole");
        last = link;
    }
    REALM_REQUIRE(met == value->statics && last == value->static_last, "leaves: statics: they are not the list's");
    return NULL;
}

static const char *validate_leaf(const RealmEngine *engine, uint32_t link)
{
    const RealmLeaf *leaf = realm_leaf_at(engine, link);
    REALM_REQUIRE(leaf->block != 0 && realm_is_live(realm_block_at(engine, leaf->block)->generation), "leaves: block: there is no such block");
    REALM_REQUIRE(leaf->number != 0 && leaf->number <= engine->root->generation_last, "leaves: number: there was no such generation yet");
    for (uint32_t other = link + 1; other <= engine->leaf_count; other++) {
        REALM_REQUIRE(realm_leaf_at(engine, other)->number != leaf->number, "leaves: number: a generation is there twice");
    }
    const char *wrong = validate_cells(engine, link);
    REALM_REQUIRE(wrong == NULL, wrong);
    wrong = validate_buildings(engine, link);
    REALM_REQUIRE(wrong == NULL, wrong);
    return validate_statics(engine, link);
}

const char *realm_validate_leaves(const RealmEngine *engine)
{
    uint32_t cells = 0, buildings = 0, statics = 0;
    for (uint32_t link = 1; link <= engine->leaf_count; link++) {
        const RealmLeaf *leaf = realm_leaf_at(engine, link);
        if (realm_is_live(leaf->generation)) {
            const char *wrong = validate_leaf(engine, link);
            REALM_REQUIRE(wrong == NULL, wrong);
            cells += leaf->cells;
            buildings += leaf->buildings;
            statics += leaf->statics;
        }
    }
    const tp_pool_head *owners = tp_section_at_const(engine->context, engine->block, REALM_SECTION_OWNER_POOLS);
    REALM_REQUIRE(cells == live(engine, REALM_SECTION_CELL_POOL), "cells: leaf: a cell is in no list");
    REALM_REQUIRE(buildings == live(engine, REALM_SECTION_BUILDING_POOL), "buildings: leaf: a building is in no list");
    REALM_REQUIRE(statics == owners[REALM_STATIC].live, "owners: leaf: a static is in no list");
    return NULL;
}

// ---- Owners with their members and sets ----

static const char *validate_owner_fields(const RealmEngine *engine, uint32_t link)
{
    const RealmOwner *owner = realm_owner_at(engine, link);
    bool              is_static = link > engine->dynamic_count;
    REALM_REQUIRE((owner->kind == REALM_STATIC) == is_static, "owners: kind: it is not that of its place");
    REALM_REQUIRE(realm_catalog_at(owner->setup) != NULL, "owners: setup: the catalog has no such setup");
    REALM_REQUIRE(owner->cell >> 24 < REALM_WORLD_MAX && (owner->cell >> 16 & 255) < REALM_WORLD_MAX, "owners: cell: it is outside the world");
    if (!is_static) {
        bool is_clean = owner->leaf == 0 && owner->static_next == 0 && owner->static_prev == 0;
        REALM_REQUIRE(is_clean, "owners: leaf: a dynamic belongs to nobody");
        return NULL;
    }
    const RealmLeaf *leaf = realm_leaf_at(engine, owner->leaf);
    REALM_REQUIRE(realm_block_at(engine, leaf->block)->prefix == realm_prefix(owner->cell), "owners: cell: a static is not in its landblock");
    return NULL;
}

static const char *validate_members(const RealmEngine *engine, uint32_t link, uint32_t *met)
{
    uint16_t  prefixes[REALM_MEMBERS_PER_OWNER];
    RealmBody body = realm_owner_body(realm_owner_at(engine, link));
    uint32_t  count = realm_body_blocks(&body, prefixes), found = 0;
    for (uint32_t at = realm_owner_at(engine, link)->member_first; at != 0; at = realm_member_at(engine, at)->next_of_owner) {
        const RealmMember *member = realm_member_at(engine, at);
        REALM_REQUIRE(++found <= count, "owners: member_first: the owner touches fewer landblocks");
        REALM_REQUIRE(realm_is_live(member->generation) && member->owner == link, "members: owner: the member is in another one's list");
    }
    REALM_REQUIRE(found == count, "owners: member_first: the owner touches more landblocks");
    for (uint32_t i = 0; i < count; i++) {
        uint32_t block = realm_block_find(engine, prefixes[i]);
        REALM_REQUIRE(block != 0 && realm_owner_touches(engine, link, block), "members: block: the owner touches another one");
    }
    *met += found;
    return NULL;
}

static const char *validate_sets(const RealmEngine *engine, uint32_t link, uint32_t *met)
{
    uint32_t found = 0, active = 0;
    for (uint32_t at = realm_owner_at(engine, link)->set_first; at != 0; at = realm_set_at(engine, at)->next_of_owner) {
        const RealmSet *set = realm_set_at(engine, at);
        REALM_REQUIRE(++found <= engine->draft_count + 1, "owners: set_first: the list is longer than there are drafts");
        REALM_REQUIRE(realm_is_live(set->generation) && set->owner == link, "sets: owner: the set is in another one's list");
        active += set->draft == 0;
    }
    REALM_REQUIRE(active == 1, "sets: draft: an owner has not exactly one active set");
    for (uint32_t at = realm_owner_at(engine, link)->set_first; at != 0; at = realm_set_at(engine, at)->next_of_owner) {
        REALM_REQUIRE(realm_set_find(engine, link, realm_set_at(engine, at)->draft) == at, "sets: draft: a draft has two sets of an owner");
    }
    *met += found;
    return NULL;
}

static const char *validate_block_members(const RealmEngine *engine, uint32_t link, uint32_t *met)
{
    const RealmBlock *block = realm_block_at(engine, link);
    uint32_t          found = 0, last = 0;
    uint64_t          stamp = 0;
    for (uint32_t at = block->member_first; at != 0; at = realm_member_at(engine, at)->next) {
        const RealmMember *member = realm_member_at(engine, at);
        REALM_REQUIRE(++found <= block->members && realm_is_live(member->generation), "blocks: members: the list is longer than its count, or has a free one");
        REALM_REQUIRE(member->block == link, "members: block: the member is in another one's list");
        REALM_REQUIRE(member->prev == last, "members: prev: the list is not whole");
        REALM_REQUIRE(member->stamp > stamp && member->stamp <= engine->root->stamp_last, "members: stamp: it is not in the order of coming");
        stamp = member->stamp;
        last = at;
    }
    REALM_REQUIRE(found == block->members && last == block->member_last, "blocks: members: they are not the list's");
    *met += found;
    return NULL;
}

const char *realm_validate_owners(const RealmEngine *engine)
{
    uint32_t    members = 0, listed = 0, sets = 0;
    const char *wrong = NULL;
    for (uint32_t link = 1; link <= engine->block_count; link++) {
        if (realm_is_live(realm_block_at(engine, link)->generation)) {
            wrong = validate_block_members(engine, link, &listed);
            REALM_REQUIRE(wrong == NULL, wrong);
        }
    }
    for (uint32_t link = 1; link <= engine->owner_count; link++) {
        if (!realm_is_live(realm_owner_at(engine, link)->generation)) {
            continue;
        }
        wrong = validate_owner_fields(engine, link);
        wrong = wrong != NULL ? wrong : validate_members(engine, link, &members);
        wrong = wrong != NULL ? wrong : validate_sets(engine, link, &sets);
        REALM_REQUIRE(wrong == NULL, wrong);
    }
    REALM_REQUIRE(listed == live(engine, REALM_SECTION_MEMBER_POOL), "members: block: a member is in no list");
    REALM_REQUIRE(members == listed, "members: owner: a member is in no owner's list");
    REALM_REQUIRE(sets == live(engine, REALM_SECTION_SET_POOL), "sets: owner: a set is in no list");
    return NULL;
}

// ---- Rows ----

static const char *validate_set_rows(const RealmEngine *engine, uint32_t link, uint32_t *met)
{
    const RealmSet *set = realm_set_at(engine, link);
    uint32_t        found = 0, last = 0;
    for (uint32_t at = set->row_first; at != 0; at = realm_row_at(engine, at)->next_of_set) {
        const RealmRow *row = realm_row_at(engine, at);
        REALM_REQUIRE(++found <= set->rows && realm_is_live(row->generation), "sets: rows: the list is longer than its count, or has a free one");
        REALM_REQUIRE(row->set == link && row->prev_of_set == last, "rows: set: the list is not whole");
        last = at;
    }
    REALM_REQUIRE(found == set->rows && last == set->row_last, "sets: rows: they are not the list's");
    *met += found;
    return NULL;
}

static bool is_before(const RealmEngine *engine, uint32_t row_a, uint32_t row_b)
{
    uint32_t set_a = realm_row_at(engine, row_a)->set, set_b = realm_row_at(engine, row_b)->set;
    uint32_t owner_a = realm_set_at(engine, set_a)->owner, owner_b = realm_set_at(engine, set_b)->owner;
    uint32_t id_a = realm_owner_at(engine, owner_a)->id, id_b = realm_owner_at(engine, owner_b)->id;
    if (id_a != id_b) {
        return id_a < id_b;
    }
    return owner_a != owner_b ? owner_a < owner_b : set_a < set_b;
}

static const char *validate_bucket(const RealmEngine *engine, uint32_t first, RealmFloodRow place, uint32_t *met)
{
    uint32_t last = 0;
    for (uint32_t at = first; at != 0; at = realm_row_at(engine, at)->next) {
        const RealmRow *row = realm_row_at(engine, at);
        bool            is_here = row->leaf == place.leaf && row->cell == place.cell && row->outdoor == place.outdoor;
        REALM_REQUIRE(++*met <= engine->row_count && realm_is_live(row->generation), "rows: next: a bucket runs in a circle, or has a free row");
        REALM_REQUIRE(is_here, "rows: leaf: the row is in another bucket");
        REALM_REQUIRE(row->prev == last, "rows: prev: the bucket is not whole");
        REALM_REQUIRE(last == 0 || is_before(engine, last, at), "rows: next: the bucket is not in order");
        last = at;
    }
    return NULL;
}

static const char *validate_leaf_buckets(const RealmEngine *engine, uint32_t leaf, uint32_t *met)
{
    for (uint32_t i = 0; i < REALM_OUTDOOR_CELLS; i++) {
        const char *wrong = validate_bucket(engine, realm_leaf_at(engine, leaf)->buckets[i], (RealmFloodRow){ leaf, 0, i }, met);
        REALM_REQUIRE(wrong == NULL, wrong);
    }
    for (uint32_t cell = realm_leaf_at(engine, leaf)->cell_first; cell != 0; cell = realm_cell_at(engine, cell)->next) {
        const char *wrong = validate_bucket(engine, realm_cell_at(engine, cell)->bucket, (RealmFloodRow){ leaf, cell, 0 }, met);
        REALM_REQUIRE(wrong == NULL, wrong);
    }
    return NULL;
}

const char *realm_validate_rows(const RealmEngine *engine)
{
    uint32_t in_sets = 0, in_buckets = 0;
    for (uint32_t link = 1; link <= engine->set_count; link++) {
        const RealmSet *set = realm_set_at(engine, link);
        if (realm_is_live(set->generation)) {
            const char *wrong = validate_set_rows(engine, link, &in_sets);
            REALM_REQUIRE(wrong == NULL, wrong);
            bool has_home = set->home.generation != 0;
            bool is_past = realm_is_live(set->home.generation) && set->home.generation <= engine->leaves[set->home.index].generation;
            REALM_REQUIRE(!has_home || is_past, "sets: home: there was no such leaf yet");
            REALM_REQUIRE(has_home != (set->is_lost != 0) && (has_home || set->home.index == 0), "sets: is_lost: it is not what home says");
        }
    }
    REALM_REQUIRE(in_sets == live(engine, REALM_SECTION_ROW_POOL), "rows: set: a row is in no set");
    for (uint32_t link = 1; link <= engine->leaf_count; link++) {
        if (realm_is_live(realm_leaf_at(engine, link)->generation)) {
            const char *wrong = validate_leaf_buckets(engine, link, &in_buckets);
            REALM_REQUIRE(wrong == NULL, wrong);
        }
    }
    REALM_REQUIRE(in_buckets == in_sets, "rows: leaf: a row is in no bucket");
    return NULL;
}

// realm_row.c: rows. Every row is in one set and in the bucket of one cell, and both lists are kept at once, so that they are always each other's
// inverse. A bucket is in order of owner id, owner index, set index: what a query meets first does not
// depend on history, but for owners of one id.
#include "realm_internal.h"

static uint32_t bucket_first(const RealmEngine *engine, const RealmRow *row)
{
    return row->cell != 0 ? realm_cell_at(engine, row->cell)->bucket : realm_leaf_at(engine, row->leaf)->buckets[row->outdoor];
}

static void bucket_set_first(RealmEngine *engine, const RealmRow *row, uint32_t first)
{
    if (row->cell != 0) {
        realm_cell_edit(engine, row->cell)->bucket = first;
    } else {
        // One head of the 64: the rest of the leaf stays as it was told.
        const uint32_t *head = &realm_leaf_at(engine, row->leaf)->buckets[row->outdoor];
        *(uint32_t *)realm_write(engine, head, sizeof(*head)) = first;
    }
}

static bool is_before(const RealmEngine *engine, uint32_t set_a, uint32_t set_b)
{
    uint32_t owner_a = realm_set_at(engine, set_a)->owner, owner_b = realm_set_at(engine, set_b)->owner;
    uint32_t id_a = realm_owner_at(engine, owner_a)->id, id_b = realm_owner_at(engine, owner_b)->id;
    if (id_a != id_b) {
        return id_a < id_b;
    }
    return owner_a != owner_b ? owner_a < owner_b : set_a < set_b;
}

static void bucket_insert(RealmEngine *engine, uint32_t link)
{
    RealmRow *row = realm_row_edit(engine, link);
    uint32_t  before = 0, after = bucket_first(engine, row);
    while (after != 0 && is_before(engine, realm_row_at(engine, after)->set, row->set)) {
        before = after;
        after = realm_row_at(engine, after)->next;
    }
    row->prev = before;
    row->next = after;
    if (after != 0) {
        realm_row_edit(engine, after)->prev = link;
    }
    if (before != 0) {
        realm_row_edit(engine, before)->next = link;
    } else {
        bucket_set_first(engine, row, link);
    }
}

static void row_add(RealmEngine *engine, uint32_t set, const RealmFloodRow *place)
{
    uint32_t link = realm_row_take(engine);
    TP_ASSERT(link != 0);
    RealmRow *row = realm_row_edit(engine, link);
    RealmSet *value = realm_set_edit(engine, set);
    row->set = set;
    row->leaf = place->leaf;
    row->cell = place->cell;
    row->outdoor = place->cell != 0 ? 0 : place->outdoor;
    row->prev_of_set = value->row_last;
    if (value->row_last != 0) {
        realm_row_edit(engine, value->row_last)->next_of_set = link;
    } else {
        value->row_first = link;
    }
    value->row_last = link;
    value->rows++;
    bucket_insert(engine, link);
}

void realm_row_remove(RealmEngine *engine, uint32_t link)
{
    const RealmRow *row = realm_row_at(engine, link);
    if (row->prev != 0) {
        realm_row_edit(engine, row->prev)->next = row->next;
    } else {
        bucket_set_first(engine, row, row->next);
    }
    if (row->next != 0) {
        realm_row_edit(engine, row->next)->prev = row->prev;
    }
    RealmSet *set = realm_set_edit(engine, row->set);
    if (row->prev_of_set != 0) {
        realm_row_edit(engine, row->prev_of_set)->next_of_set = row->next_of_set;
    } else {
        set->row_first = row->next_of_set;
    }
    if (row->next_of_set != 0) {
        realm_row_edit(engine, row->next_of_set)->prev_of_set = row->prev_of_set;
    } else {
        set->row_last = row->prev_of_set;
    }
    set->rows--;
    realm_row_give(engine, link);
}

void realm_row_empty(RealmEngine *engine, uint32_t set)
{
    while (realm_set_at(engine, set)->row_first != 0) {
        realm_row_remove(engine, realm_set_at(engine, set)->row_first);
    }
}

// The rows are already those of the flood: most moves stay within a cell and write nothing.
static bool rows_equal(const RealmEngine *engine, uint32_t set, const RealmFlood *flood)
{
    const RealmSet *value = realm_set_at(engine, set);
    if (value->rows != flood->count) {
        return false;
    }
    uint32_t link = value->row_first;
    for (uint32_t i = 0; i < flood->count; i++, link = realm_row_at(engine, link)->next_of_set) {
        const RealmRow *row = realm_row_at(engine, link);
        if (row->leaf != flood->rows[i].leaf || row->cell != flood->rows[i].cell ||
            (row->cell == 0 && row->outdoor != flood->rows[i].outdoor)) {
            return false;
        }
    }
    return true;
}

void realm_row_replace(RealmEngine *engine, uint32_t set, const RealmFlood *flood)
{
    RealmLeafHandle home = { 0, 0 };
    if (!flood->is_lost) {
        home = (RealmLeafHandle){ flood->home - 1, realm_leaf_at(engine, flood->home)->generation };
    }
    const RealmSet *value = realm_set_at(engine, set);
    if (value->cell != flood->cell || value->is_lost != flood->is_lost || !realm_leaf_handle_equal(value->home, home)) {
        RealmSet *changed = realm_set_edit(engine, set);
        changed->cell = flood->cell;
        changed->home = home;
        changed->is_lost = flood->is_lost;
    }
    if (!rows_equal(engine, set, flood)) {
        realm_row_empty(engine, set);
        for (uint32_t i = 0; i < flood->count; i++) {
            row_add(engine, set, &flood->rows[i]);
        }
    }
}

bool realm_row_has_room(const RealmEngine *engine, uint32_t set, uint32_t count)
{
    uint32_t own = set != 0 ? realm_set_at(engine, set)->rows : 0;
    return realm_row_room(engine) + own >= count;
}

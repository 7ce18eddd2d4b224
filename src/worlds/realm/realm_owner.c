// realm_owner.c: registering, moving, changing and removing owners. Every change is one step for whoever looks: room is made sure of
// first, then all old rows go and all new ones come. Then drafts hear of it: by the journal before their topology is sealed, and
// directly after it.
#include "realm_internal.h"

#include "realm_catalog.h"

// A set that a draft committed and nobody has promoted yet becomes the active one before the owner changes. What other drafts have of the owner
// follows with the change.
static void settle(RealmEngine *engine, uint32_t owner)
{
    if (REALM_PLANT(T24)) {
        return;
    }
    for (uint32_t link = realm_owner_at(engine, owner)->set_first; link != 0; link = realm_set_at(engine, link)->next_of_owner) {
        uint32_t draft = realm_set_at(engine, link)->draft;
        if (draft != 0 && realm_draft_at(engine, draft)->phase == REALM_PHASE_COMMITTED) {
            realm_set_promote(engine, link);
            return;
        }
    }
}

// Sets that drafts have of the owner follow it exactly. A draft that has no room for that is cancelled: the active world goes first.
void realm_owner_write_through(RealmEngine *engine, uint32_t owner)
{
    for (uint32_t link = realm_owner_at(engine, owner)->set_first; link != 0; link = realm_set_at(engine, link)->next_of_owner) {
        const RealmSet *set = realm_set_at(engine, link);
        if (set->draft == 0 || set->is_queued || !realm_phase_is_sealed(realm_draft_at(engine, set->draft))) {
            continue;
        }
        if (REALM_PLANT(T05)) {
            realm_plant_restart(engine, REALM_PHASE_TOPOLOGY);
        }
        if (REALM_PLANT(T28) && !realm_owner_touches(engine, owner, realm_draft_at(engine, set->draft)->block)) {
            continue;
        }
        if (!realm_set_refresh(engine, link)) {
            realm_draft_fail(engine, set->draft);
        }
    }
}

// A sealed draft of a landblock that the owner touches gets it into its queue, unless it knows it.
static void route(RealmEngine *engine, uint32_t owner)
{
    const RealmOwner *value = realm_owner_at(engine, owner);
    if (!realm_view_sees_owner(engine, REALM_ACTIVE, owner)) {
        return;
    }
    if ((REALM_PLANT(T08) && value->version == 1) || (REALM_PLANT(T27) && value->version > 1)) {
        return;
    }
    if (REALM_PLANT(T26) && value->version == 1) {
        realm_plant_restart(engine, REALM_PHASE_CAPTURE);
    }
    for (uint32_t link = value->member_first; link != 0; link = realm_member_at(engine, link)->next_of_owner) {
        uint32_t block = realm_member_at(engine, link)->block;
        uint32_t draft = realm_block_at(engine, block)->draft;
        bool     is_authored_there = value->kind == REALM_STATIC && realm_leaf_at(engine, value->leaf)->block == block;
        if (draft != 0 && !is_authored_there && realm_phase_is_sealed(realm_draft_at(engine, draft))) {
            realm_draft_queue(engine, draft, owner);
        }
    }
}

// Publishes what the owner's fields now say. Room has been made sure of, and `flood` is of the new fields.
static void publish(RealmEngine *engine, uint32_t owner, const RealmFlood *flood)
{
    realm_owner_edit(engine, owner)->version++;
    realm_member_update(engine, owner);
    realm_row_replace(engine, realm_set_find(engine, owner, 0), flood);
    if (REALM_PLANT(T30) && realm_owner_at(engine, owner)->state != 0 && flood->count > 1) {
        realm_row_remove(engine, realm_set_at(engine, realm_set_find(engine, owner, 0))->row_last);
    }
    if (REALM_PLANT(T04)) {
        realm_plant_restart(engine, REALM_PHASE_CAPTURE);
    }
    realm_journal_note(engine, owner);
    realm_owner_write_through(engine, owner);
    route(engine, owner);
}

// Rows of the active set will be free, and so will those of a set that a commit has put in its place and nobody has promoted yet.
static uint32_t rows_to_go(const RealmEngine *engine, uint32_t owner)
{
    uint32_t seen = realm_view_set(engine, REALM_ACTIVE, owner), active = realm_set_find(engine, owner, 0);
    return realm_set_at(engine, active)->rows + (seen != active ? realm_set_at(engine, seen)->rows : 0u);
}

static bool has_room(RealmEngine *engine, uint32_t owner, const RealmBody *body, bool is_suspended, RealmFlood *flood)
{
    realm_flood(engine, REALM_ACTIVE, body, flood);
    if (is_suspended) {
        flood->count = 0;
    }
    uint32_t room = realm_row_room(engine) + (owner != 0 ? rows_to_go(engine, owner) : 0u);
    return room >= flood->count && realm_member_has_room(engine, owner, body);
}

static bool is_place_good(const RealmPlace *place)
{
    return place->x.raw >= 0 && place->x.raw < REALM_BLOCK_SIZE * 65536 && place->y.raw >= 0 &&
           place->y.raw < REALM_BLOCK_SIZE * 65536 && place->z.raw >= -1024 * 65536 && place->z.raw <= 1024 * 65536 &&
           place->cell >> 24 < REALM_WORLD_MAX && (place->cell >> 16 & 255) < REALM_WORLD_MAX;
}

RealmAnswer realm_owner_register(RealmEngine *engine, const RealmOwnerContent *content, RealmOwnerHandle *owner)
{
    *owner = realm_owner_none();
    if (!is_place_good(&content->place) || realm_catalog_at(content->setup) == NULL || content->turn > 3) {
        return realm_refuse(engine, REALM_ERROR, "the owner has no place in the world, or no setup");
    }
    RealmBody  body = { content->place, content->setup, content->turn, false };
    RealmFlood flood;
    if (REALM_PLANT(F12) && realm_view_full_leaf(engine, REALM_ACTIVE, realm_prefix(content->place.cell)) == 0) {
        return realm_refuse(engine, REALM_NOT_YET, "nothing is there");
    }
    if (realm_owner_room(engine, REALM_DYNAMIC) == 0 || realm_set_room(engine) == 0 || !has_room(engine, 0, &body, false, &flood)) {
        return realm_refuse(engine, REALM_NOT_YET, "no room for one more owner");
    }
    uint32_t    link = realm_owner_take(engine, REALM_DYNAMIC);
    RealmOwner *value = realm_owner_edit(engine, link);
    value->id = content->id;
    value->state = content->state;
    value->setup = content->setup;
    value->turn = content->turn;
    value->cell = content->place.cell;
    value->x = content->place.x;
    value->y = content->place.y;
    value->z = content->place.z;
    realm_set_new(engine, link, 0);
    publish(engine, link, &flood);
    *owner = realm_owner_handle(engine, link);
    return REALM_DONE;
}

uint32_t realm_owner_new_static(RealmEngine *engine, uint32_t leaf, const RealmStaticContent *content)
{
    uint16_t   prefix = realm_block_at(engine, realm_leaf_at(engine, leaf)->block)->prefix;
    RealmPlace place = { realm_block_id(prefix), content->x, content->y, content->z };
    RealmBody  body = { place, content->setup, content->turn, true };
    if (realm_owner_room(engine, REALM_STATIC) == 0 || realm_set_room(engine) == 0 || !realm_member_has_room(engine, 0, &body)) {
        return 0;
    }
    uint32_t    link = realm_owner_take(engine, REALM_STATIC);
    RealmOwner *value = realm_owner_edit(engine, link);
    RealmLeaf  *author = realm_leaf_edit(engine, leaf);
    value->id = content->id;
    value->state = content->state;
    value->setup = content->setup;
    value->turn = content->turn;
    value->cell = place.cell;
    value->x = place.x;
    value->y = place.y;
    value->z = place.z;
    value->leaf = leaf;
    value->static_prev = author->static_last;
    if (author->static_last != 0) {
        realm_owner_edit(engine, author->static_last)->static_next = link;
    } else {
        author->static_first = link;
    }
    author->static_last = link;
    author->statics++;
    realm_set_new(engine, link, 0);
    realm_member_update(engine, link);
    return link;
}

// The owner a caller may change: live, and not a static of a leaf that is not active.
static uint32_t owner_for_change(RealmEngine *engine, RealmOwnerHandle handle)
{
    uint32_t link = realm_owner_link(engine, handle);
    if (link == 0) {
        realm_refuse(engine, REALM_ERROR, "no such owner: it is gone, or another has its place");
        return 0;
    }
    const RealmOwner *value = realm_owner_at(engine, link);
    if (value->kind == REALM_STATIC && !realm_leaf_is_active(engine, value->leaf)) {
        realm_refuse(engine, REALM_ERROR, "a static of a generation that is not active cannot be changed");
        return 0;
    }
    return link;
}

// `changed` is a copy with the fields as they shall be.
static RealmAnswer change(RealmEngine *engine, uint32_t link, const RealmOwner *changed)
{
    RealmBody  body = realm_owner_body(changed);
    RealmFlood flood;
    if (!has_room(engine, link, &body, changed->is_suspended != 0, &flood)) {
        return realm_refuse(engine, REALM_NOT_YET, "no room for the rows of the change");
    }
    settle(engine, link);
    RealmOwner *value = realm_owner_edit(engine, link);
    value->state = changed->state;
    value->cell = changed->cell;
    value->x = changed->x;
    value->y = changed->y;
    value->z = changed->z;
    value->setup = changed->setup;
    value->turn = changed->turn;
    value->is_suspended = changed->is_suspended;
    publish(engine, link, &flood);
    return REALM_DONE;
}

RealmAnswer realm_owner_move(RealmEngine *engine, RealmOwnerHandle owner, RealmPlace place)
{
    uint32_t link = owner_for_change(engine, owner);
    if (link == 0) {
        return REALM_ERROR;
    }
    RealmOwner changed = *realm_owner_at(engine, link);
    if (!is_place_good(&place) || (changed.kind == REALM_STATIC && realm_prefix(place.cell) != realm_prefix(changed.cell))) {
        return realm_refuse(engine, REALM_ERROR, "the place is outside the world, or outside a static's landblock");
    }
    changed.cell = place.cell;
    changed.x = place.x;
    changed.y = place.y;
    changed.z = place.z;
    return change(engine, link, &changed);
}

RealmAnswer realm_owner_set_state(RealmEngine *engine, RealmOwnerHandle owner, uint32_t state)
{
    uint32_t link = owner_for_change(engine, owner);
    if (link == 0) {
        return REALM_ERROR;
    }
    if (REALM_PLANT(T06) && realm_set_at(engine, realm_set_find(engine, link, 0))->rows == 0) {
        return REALM_DONE;
    }
    RealmOwner changed = *realm_owner_at(engine, link);
    changed.state = state;
    return change(engine, link, &changed);
}

RealmAnswer realm_owner_set_setup(RealmEngine *engine, RealmOwnerHandle owner, uint16_t setup, uint8_t turn)
{
    uint32_t link = owner_for_change(engine, owner);
    if (link == 0) {
        return REALM_ERROR;
    }
    RealmOwner changed = *realm_owner_at(engine, link);
    if (realm_catalog_at(setup) == NULL || turn > 3) {
        return realm_refuse(engine, REALM_ERROR, "the catalog has no such setup");
    }
    changed.setup = setup;
    changed.turn = turn;
    return change(engine, link, &changed);
}

RealmAnswer realm_owner_suspend(RealmEngine *engine, RealmOwnerHandle owner, bool is_suspended)
{
    uint32_t link = owner_for_change(engine, owner);
    if (link == 0) {
        return REALM_ERROR;
    }
    RealmOwner changed = *realm_owner_at(engine, link);
    changed.is_suspended = is_suspended;
    return change(engine, link, &changed);
}

bool realm_owner_reflood(RealmEngine *engine, uint32_t owner)
{
    settle(engine, owner);
    if (!realm_set_flood(engine, realm_set_find(engine, owner, 0), REALM_ACTIVE)) {
        return false;
    }
    realm_owner_write_through(engine, owner);
    return true;
}

static void unlist_static(RealmEngine *engine, uint32_t link)
{
    const RealmOwner *value = realm_owner_at(engine, link);
    RealmLeaf        *leaf = realm_leaf_edit(engine, value->leaf);
    if (value->static_prev != 0) {
        realm_owner_edit(engine, value->static_prev)->static_next = value->static_next;
    } else {
        leaf->static_first = value->static_next;
    }
    if (value->static_next != 0) {
        realm_owner_edit(engine, value->static_next)->static_prev = value->static_prev;
    } else {
        leaf->static_last = value->static_prev;
    }
    leaf->statics--;
}

void realm_owner_remove(RealmEngine *engine, uint32_t owner)
{
    if (REALM_PLANT(T09) && realm_set_at(engine, realm_owner_at(engine, owner)->set_first)->draft != 0) {
        realm_owner_edit(engine, owner)->set_first = 0;
    }
    if (REALM_PLANT(T47)) {
        realm_owner_edit(engine, owner)->member_first = 0;
    }
    while (realm_owner_at(engine, owner)->set_first != 0) {
        realm_set_drop(engine, realm_owner_at(engine, owner)->set_first);
    }
    realm_member_leave(engine, owner);
    if (realm_owner_at(engine, owner)->kind == REALM_STATIC) {
        unlist_static(engine, owner);
    }
    realm_owner_give(engine, owner);
}

RealmAnswer realm_owner_deregister(RealmEngine *engine, RealmOwnerHandle owner)
{
    uint32_t link = owner_for_change(engine, owner);
    if (link == 0) {
        return REALM_ERROR;
    }
    if (REALM_PLANT(T35) || REALM_PLANT(T36) || REALM_PLANT(T37)) {
        realm_plant_deleted(engine, link);
    }
    realm_owner_remove(engine, link);
    return REALM_DONE;
}

RealmOwnerHandle realm_owner_find(const RealmEngine *engine, RealmView view, uint32_t id)
{
    for (uint32_t link = 1; link <= engine->owner_count; link++) {
        const RealmOwner *value = realm_owner_at(engine, link);
        if ((value->generation & 1) != 0 && value->id == id && realm_view_sees_owner(engine, view, link)) {
            return realm_owner_handle(engine, link);
        }
    }
    return realm_owner_none();
}

bool realm_owner_place(const RealmEngine *engine, RealmOwnerHandle owner, RealmPlace *place)
{
    uint32_t link = realm_owner_link(engine, owner);
    if (link == 0) {
        return false;
    }
    const RealmOwner *value = realm_owner_at(engine, link);
    uint32_t          set = realm_view_set(engine, REALM_ACTIVE, link);
    *place = (RealmPlace){ value->cell, value->x, value->y, value->z };
    if (set == 0 || !realm_view_sees_set(engine, REALM_ACTIVE, set)) {
        return false;
    }
    place->cell = realm_set_at(engine, set)->cell;
    return true;
}

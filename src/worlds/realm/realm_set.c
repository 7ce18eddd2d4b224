// realm_set.c: the sets of an owner: the active one, and one for every draft that has captured it. A staged set waits in its draft's queue until it
// is flooded for the first time; from then on it follows every change of its owner.
#include "realm_internal.h"

uint32_t realm_set_find(const RealmEngine *engine, uint32_t owner, uint32_t draft)
{
    uint32_t link = realm_owner_at(engine, owner)->set_first;
    while (link != 0 && realm_set_at(engine, link)->draft != draft) {
        link = realm_set_at(engine, link)->next_of_owner;
    }
    return link;
}

static void list_append(RealmEngine *engine, uint32_t draft, uint32_t link, bool is_queue)
{
    RealmDraft *value = realm_draft_edit(engine, draft);
    RealmSet   *set = realm_set_edit(engine, link);
    uint32_t   *first = is_queue ? &value->queue_first : &value->set_first;
    uint32_t   *last = is_queue ? &value->queue_last : &value->set_last;
    set->is_queued = is_queue;
    set->prev_of_draft = *last;
    set->next_of_draft = 0;
    if (*last != 0) {
        realm_set_edit(engine, *last)->next_of_draft = link;
    } else {
        *first = link;
    }
    *last = link;
    *(is_queue ? &value->queued : &value->sets) += 1;
}

static void list_remove(RealmEngine *engine, uint32_t link)
{
    RealmSet   *set = realm_set_edit(engine, link);
    RealmDraft *value = realm_draft_edit(engine, set->draft);
    if (value->rebase_set == link) {
        value->rebase_set = set->next_of_draft;
    }
    if (set->prev_of_draft != 0) {
        realm_set_edit(engine, set->prev_of_draft)->next_of_draft = set->next_of_draft;
    } else {
        *(set->is_queued ? &value->queue_first : &value->set_first) = set->next_of_draft;
    }
    if (set->next_of_draft != 0) {
        realm_set_edit(engine, set->next_of_draft)->prev_of_draft = set->prev_of_draft;
    } else {
        *(set->is_queued ? &value->queue_last : &value->set_last) = set->prev_of_draft;
    }
    *(set->is_queued ? &value->queued : &value->sets) -= 1;
    set->next_of_draft = 0;
    set->prev_of_draft = 0;
    set->is_queued = 0;
}

uint32_t realm_set_new(RealmEngine *engine, uint32_t owner, uint32_t draft)
{
    uint32_t link = realm_set_take(engine);
    if (link == 0) {
        return 0;
    }
    RealmSet   *set = realm_set_edit(engine, link);
    RealmOwner *who = realm_owner_edit(engine, owner);
    set->owner = owner;
    set->draft = draft;
    set->cell = who->cell;
    set->is_lost = 1; // until the first flood
    set->next_of_owner = who->set_first;
    who->set_first = link;
    if (draft != 0) {
        list_append(engine, draft, link, true);
    }
    return link;
}

void realm_set_drop(RealmEngine *engine, uint32_t link)
{
    realm_row_empty(engine, link);
    const RealmSet *set = realm_set_at(engine, link);
    if (set->draft != 0) {
        list_remove(engine, link);
    }
    uint32_t owner = set->owner, next = set->next_of_owner;
    if (realm_owner_at(engine, owner)->set_first == link) {
        realm_owner_edit(engine, owner)->set_first = next;
    } else {
        uint32_t before = realm_owner_at(engine, owner)->set_first;
        while (realm_set_at(engine, before)->next_of_owner != link) {
            before = realm_set_at(engine, before)->next_of_owner;
        }
        realm_set_edit(engine, before)->next_of_owner = next;
    }
    realm_set_give(engine, link);
}

bool realm_set_flood(RealmEngine *engine, uint32_t link, RealmView view)
{
    const RealmOwner *owner = realm_owner_at(engine, realm_set_at(engine, link)->owner);
    RealmBody         body = realm_owner_body(owner);
    RealmFlood        flood;
    realm_flood(engine, view, &body, &flood);
    if (owner->is_suspended) {
        flood.count = 0;
    }
    if (!realm_row_has_room(engine, link, flood.count)) {
        return false;
    }
    realm_row_replace(engine, link, &flood);
    return true;
}

bool realm_set_refresh(RealmEngine *engine, uint32_t link)
{
    const RealmSet *set = realm_set_at(engine, link);
    if (!realm_set_flood(engine, link, (RealmView){ set->draft })) {
        return false;
    }
    if (set->is_queued) {
        uint32_t draft = set->draft;
        list_remove(engine, link);
        list_append(engine, draft, link, false);
    }
    return true;
}

void realm_set_promote(RealmEngine *engine, uint32_t link)
{
    uint32_t owner = realm_set_at(engine, link)->owner;
    uint32_t active = realm_set_find(engine, owner, 0);
    if (active != 0) {
        realm_set_drop(engine, active);
    }
    list_remove(engine, link);
    realm_set_edit(engine, link)->draft = 0;
}

// realm_block.c: what is known of a landblock, and which owners' bounds touch it. A block exists for as long as there is something to know;
// members are listed in the order they came, so a walk bounded by a stamp sees each of the then present once, whatever comes and goes.
#include "realm_internal.h"

uint32_t realm_block_need(RealmEngine *engine, uint16_t prefix)
{
    uint32_t found = realm_block_find(engine, prefix);
    if (found != 0) {
        return found;
    }
    uint32_t link = realm_block_take(engine);
    if (link == 0) {
        return 0;
    }
    RealmIndexHead *head = realm_write(engine, &engine->heads[realm_block_head(prefix)], sizeof(RealmIndexHead));
    RealmBlock     *block = realm_block_edit(engine, link);
    block->prefix = prefix;
    block->index_next = head->first;
    head->first = link;
    return link;
}

void realm_block_drop(RealmEngine *engine, uint32_t block)
{
    const RealmBlock *value = realm_block_at(engine, block);
    if (value->leaf.generation != 0 || value->ticket != 0 || value->member_first != 0 || value->retiring != 0) {
        return;
    }
    RealmIndexHead *head = realm_write(engine, &engine->heads[realm_block_head(value->prefix)], sizeof(RealmIndexHead));
    if (head->first == block) {
        head->first = value->index_next;
    } else {
        uint32_t before = head->first;
        while (realm_block_at(engine, before)->index_next != block) {
            before = realm_block_at(engine, before)->index_next;
        }
        realm_block_edit(engine, before)->index_next = value->index_next;
    }
    realm_block_give(engine, block);
}

static void member_add(RealmEngine *engine, uint32_t owner, uint16_t prefix)
{
    uint32_t block = realm_block_need(engine, prefix);
    uint32_t link = realm_member_take(engine);
    TP_ASSERT(block != 0 && link != 0);
    RealmMember *member = realm_member_edit(engine, link);
    RealmBlock  *place = realm_block_edit(engine, block);
    RealmOwner  *who = realm_owner_edit(engine, owner);
    RealmRoot   *root = realm_root_edit(engine);
    root->stamp_last++;
    member->stamp = root->stamp_last;
    member->owner = owner;
    member->block = block;
    member->prev = place->member_last;
    if (place->member_last != 0) {
        realm_member_edit(engine, place->member_last)->next = link;
    } else {
        place->member_first = link;
    }
    place->member_last = link;
    place->members++;
    member->next_of_owner = who->member_first;
    who->member_first = link;
}

// Walks that stand on a member step off it before it goes. One draft and at most one leaf in retirement walk a landblock's members.
static void step_off(RealmEngine *engine, const RealmMember *member, uint32_t link)
{
    if (REALM_PLANT(T48)) {
        return;
    }
    uint32_t draft = realm_block_at(engine, member->block)->draft;
    if (draft != 0 && realm_draft_at(engine, draft)->member_cursor == link) {
        realm_draft_edit(engine, draft)->member_cursor = member->next;
    }
    if (draft != 0 && realm_draft_at(engine, draft)->rebase_member == link) {
        realm_draft_edit(engine, draft)->rebase_member = member->next;
    }
    uint32_t leaf = engine->root->retire_leaf_first;
    if (leaf != 0 && realm_leaf_at(engine, leaf)->cursor == link) {
        realm_leaf_edit(engine, leaf)->cursor = member->next;
    }
}

static void member_remove(RealmEngine *engine, uint32_t link)
{
    const RealmMember *member = realm_member_at(engine, link);
    uint32_t           block = member->block;
    step_off(engine, member, link);
    RealmBlock *place = realm_block_edit(engine, block);
    if (member->prev != 0) {
        realm_member_edit(engine, member->prev)->next = member->next;
    } else {
        place->member_first = member->next;
    }
    if (member->next != 0) {
        realm_member_edit(engine, member->next)->prev = member->prev;
    } else {
        place->member_last = member->prev;
    }
    place->members--;
    uint32_t owner = member->owner, next = member->next_of_owner;
    if (realm_owner_at(engine, owner)->member_first == link) {
        realm_owner_edit(engine, owner)->member_first = next;
    } else {
        uint32_t before = realm_owner_at(engine, owner)->member_first;
        while (realm_member_at(engine, before)->next_of_owner != link) {
            before = realm_member_at(engine, before)->next_of_owner;
        }
        realm_member_edit(engine, before)->next_of_owner = next;
    }
    realm_member_give(engine, link);
    realm_block_drop(engine, block);
}

static bool contains(const uint16_t *prefixes, uint32_t count, uint16_t prefix)
{
    for (uint32_t i = 0; i < count; i++) {
        if (prefixes[i] == prefix) {
            return true;
        }
    }
    return false;
}

void realm_member_update(RealmEngine *engine, uint32_t owner)
{
    uint16_t  prefixes[REALM_MEMBERS_PER_OWNER];
    RealmBody body = realm_owner_body(realm_owner_at(engine, owner));
    uint32_t  count = realm_body_blocks(&body, prefixes);
    // New ones first: a block that the owner stays in is then never freed and made again.
    for (uint32_t i = 0; i < count; i++) {
        uint32_t block = realm_block_find(engine, prefixes[i]);
        if (block == 0 || !realm_owner_touches(engine, owner, block)) {
            member_add(engine, owner, prefixes[i]);
        }
    }
    for (uint32_t link = realm_owner_at(engine, owner)->member_first, next; link != 0; link = next) {
        const RealmMember *member = realm_member_at(engine, link);
        next = member->next_of_owner;
        if (!contains(prefixes, count, realm_block_at(engine, member->block)->prefix)) {
            member_remove(engine, link);
        }
    }
}

void realm_member_leave(RealmEngine *engine, uint32_t owner)
{
    while (realm_owner_at(engine, owner)->member_first != 0) {
        member_remove(engine, realm_owner_at(engine, owner)->member_first);
    }
}

bool realm_owner_touches(const RealmEngine *engine, uint32_t owner, uint32_t block)
{
    for (uint32_t link = realm_owner_at(engine, owner)->member_first; link != 0;
         link = realm_member_at(engine, link)->next_of_owner) {
        if (realm_member_at(engine, link)->block == block) {
            return true;
        }
    }
    return false;
}

bool realm_member_has_room(const RealmEngine *engine, uint32_t owner, const RealmBody *body)
{
    uint16_t prefixes[REALM_MEMBERS_PER_OWNER];
    uint32_t count = realm_body_blocks(body, prefixes);
    uint32_t members = 0, blocks = 0;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t block = realm_block_find(engine, prefixes[i]);
        members += block == 0 || owner == 0 || !realm_owner_touches(engine, owner, block);
        blocks += block == 0;
    }
    if (REALM_PLANT(S22)) {
        return realm_block_room(engine) >= blocks;
    }
    return realm_member_room(engine) >= members && realm_block_room(engine) >= blocks;
}

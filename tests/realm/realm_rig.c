// realm_rig.c: the block, the captured events, and the steps of the transaction as tests take them.
#include "realm_rig.h"

#include <criterion/criterion.h>

#include <stdlib.h>
#include <string.h>

#include "realm_check.h"
#include "realm_rig_world.h"

enum { SEAL_CALLS_MAX = 20000 };

static bool emit(tp_context *context, uint32_t type, const void *data)
{
    Rig *rig = context->host;
    if (rig->is_deaf) {
        return false;
    }
    if (rig->event_count < RIG_EVENTS_MAX) {
        RigEvent *event = &rig->events[rig->event_count];
        *event = (RigEvent){ .type = type, .version = rig->engine.root->version };
        memcpy(&event->data, data, sizeof(event->data));
        uint32_t leaf = realm_view_leaf(&rig->engine, REALM_ACTIVE, realm_prefix(event->data.block));
        event->active = leaf != 0 ? realm_leaf_at(&rig->engine, leaf)->number : 0;
        event->is_served = realm_view_full_leaf(&rig->engine, REALM_ACTIVE, realm_prefix(event->data.block)) != 0;
    }
    rig->event_count++;
    return true;
}

RigSizes rig_small(void)
{
    RigSizes sizes;
    for (uint32_t i = 0; i < REALM_CONFIG_CREATURES; i++) {
        sizes.items[i] = rig_world.config[i].standard;
    }
    return sizes;
}

RigSizes rig_medium(void)
{
    RigSizes sizes = rig_small();
    sizes.items[REALM_CONFIG_BLOCKS] = 128;
    sizes.items[REALM_CONFIG_LEAVES] = 128;
    sizes.items[REALM_CONFIG_OWNERS] = 1400;
    sizes.items[REALM_CONFIG_DYNAMICS] = 700;
    sizes.items[REALM_CONFIG_MEMBERS] = 4096;
    sizes.items[REALM_CONFIG_SETS] = 4096;
    sizes.items[REALM_CONFIG_ROWS] = 16384;
    sizes.items[REALM_CONFIG_DRAFTS] = 40;
    sizes.items[REALM_CONFIG_JOURNAL] = 1024;
    return sizes;
}

RigSizes rig_large(void)
{
    RigSizes sizes = rig_small();
    sizes.items[REALM_CONFIG_BLOCKS] = 700;
    sizes.items[REALM_CONFIG_RESIDENTS] = 620;
    sizes.items[REALM_CONFIG_LEAVES] = 900;
    sizes.items[REALM_CONFIG_CELLS] = 256;
    sizes.items[REALM_CONFIG_BUILDINGS] = 128;
    sizes.items[REALM_CONFIG_OWNERS] = 7000;
    sizes.items[REALM_CONFIG_DYNAMICS] = 5500;
    sizes.items[REALM_CONFIG_MEMBERS] = 16000;
    sizes.items[REALM_CONFIG_SETS] = 16000;
    sizes.items[REALM_CONFIG_ROWS] = 60000;
    sizes.items[REALM_CONFIG_DRAFTS] = 256;
    sizes.items[REALM_CONFIG_JOURNAL] = 8192;
    return sizes;
}

// The block and everything that points into the rig itself; the layout keeps pointers to itself, so a rig never moves.
static void lay_out(Rig *rig, RigSizes sizes)
{
    *rig = (Rig){ .check_every = 1 };
    tp_error error = { "" };
    tp_setup setup = { .seed = 7, .players = 0, .tick_rate_hz = REALM_TICK_RATE_HZ, .config = sizes.items };
    cr_assert(tp_layout_init(&rig->layout, &rig_world, &setup, &error), "%s", error.text);
    rig->block = calloc(1, rig->layout.block_size);
    rig->touched_size = rig->layout.block_size / TP_TOUCH_PAGE / 8 + 1;
    rig->touched = calloc(1, rig->touched_size);
    cr_assert(rig->block != NULL && rig->touched != NULL);
    rig->context = tp_layout_context(&rig->layout);
    rig->context.emit = emit;
    rig->context.host = rig;
    rig->context.touched = rig->touched;
    rig->context.block = rig->block;
    rig->context.block_size = rig->layout.block_size;
    rig->engine = realm_engine_open(rig->block, &rig->context);
}

void rig_open(Rig *rig, RigSizes sizes)
{
    lay_out(rig, sizes);
    realm_engine_init(&rig->engine, 7);
    rig_check(rig);
}

void rig_close(Rig *rig)
{
    free(rig->block);
    free(rig->touched);
    *rig = (Rig){ .block = NULL };
}

void rig_copy(Rig *to, const Rig *from)
{
    RigSizes sizes;
    memcpy(sizes.items, from->layout.config, sizeof(sizes.items));
    lay_out(to, sizes);
    memcpy(to->block, from->block, from->layout.block_size);
    to->check_every = from->check_every;
}

void rig_check(const Rig *rig)
{
    const char *wrong = realm_check(&rig->engine);
    cr_assert_null(wrong, "after step %u: %s", rig->steps, wrong);
}

RealmAnswer rig_after(Rig *rig, RealmAnswer answer)
{
    rig->steps++;
    cr_assert_leq(rig->engine.units, 1, "one call, %u units", rig->engine.units);
    if (rig->check_every != 0 && rig->steps % rig->check_every == 0) {
        rig_check(rig);
    }
    return answer;
}

uint32_t rig_pages(const Rig *rig)
{
    uint32_t pages = 0;
    for (size_t i = 0; i < rig->touched_size; i++) {
        pages += (uint32_t)__builtin_popcount(rig->touched[i]);
    }
    return pages;
}

void rig_forget_pages(Rig *rig)
{
    memset(rig->touched, 0, rig->touched_size);
}

uint32_t rig_event_count(const Rig *rig, RealmEvent type)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < rig->event_count && i < RIG_EVENTS_MAX; i++) {
        count += rig->events[i].type == type;
    }
    return count;
}

const RigEvent *rig_event_last(const Rig *rig, RealmEvent type)
{
    for (uint32_t i = rig->event_count < RIG_EVENTS_MAX ? rig->event_count : RIG_EVENTS_MAX; i > 0; i--) {
        if (rig->events[i - 1].type == type) {
            return &rig->events[i - 1];
        }
    }
    cr_assert_fail("there was no such event");
    return NULL;
}

RealmTicket rig_begin(Rig *rig, uint32_t x, uint32_t y)
{
    RealmTicket ticket = { 0 };
    RIG_DONE(rig, realm_begin(&rig->engine, rig_at(x, y), &ticket));
    return ticket;
}

RealmDraftHandle rig_prepare(Rig *rig, const RealmTicket *ticket)
{
    RealmDraftHandle draft = { 0, 0 };
    RIG_DONE(rig, realm_prepare(&rig->engine, ticket, &draft));
    return draft;
}

RealmDraftHandle rig_start(Rig *rig, uint32_t x, uint32_t y)
{
    RealmTicket      ticket = rig_begin(rig, x, y);
    RealmDraftHandle draft = rig_prepare(rig, &ticket);
    for (uint32_t i = 1; i < REALM_NEIGHBOURS; i++) {
        RIG_NOT_YET(rig, realm_materialise(&rig->engine, draft));
    }
    RIG_DONE(rig, realm_materialise(&rig->engine, draft));
    return draft;
}

void rig_publish(Rig *rig, RealmDraftHandle draft, const RigContent *content)
{
    RIG_DONE(rig, realm_publish_terrain(&rig->engine, draft, &content->terrain));
    for (uint32_t i = 0; i < content->cell_count; i++) {
        RIG_DONE(rig, realm_publish_cell(&rig->engine, draft, &content->cells[i]));
    }
    for (uint32_t i = 0; i < content->building_count; i++) {
        RIG_DONE(rig, realm_publish_building(&rig->engine, draft, &content->buildings[i]));
    }
    for (uint32_t i = 0; i < content->static_count; i++) {
        RIG_DONE(rig, realm_publish_static(&rig->engine, draft, &content->statics[i]));
    }
}

RealmDraftHandle rig_draft(Rig *rig, uint32_t x, uint32_t y, const RigContent *content)
{
    RealmDraftHandle draft = rig_start(rig, x, y);
    rig_publish(rig, draft, content);
    RIG_DONE(rig, realm_publish_close(&rig->engine, draft));
    return draft;
}

uint32_t rig_seal_topology(Rig *rig, RealmDraftHandle draft)
{
    uint32_t calls = 0;
    while (!realm_is_sealed(&rig->engine, draft)) {
        cr_assert_neq(rig_after(rig, realm_seal(&rig->engine, draft)), REALM_ERROR, "%s", rig->engine.reason);
        calls++;
        cr_assert_lt(calls, SEAL_CALLS_MAX, "the topology is never sealed");
    }
    return calls;
}

uint32_t rig_seal(Rig *rig, RealmDraftHandle draft)
{
    uint32_t units = 0;
    for (uint32_t calls = 0; calls < SEAL_CALLS_MAX; calls++) {
        RealmAnswer answer = rig_after(rig, realm_seal(&rig->engine, draft));
        cr_assert_neq(answer, REALM_ERROR, "%s", rig->engine.reason);
        units += rig->engine.units;
        if (answer == REALM_DONE) {
            return units;
        }
    }
    cr_assert_fail("the draft is never ready");
    return units;
}

void rig_commit(Rig *rig, RealmDraftHandle draft)
{
    rig_seal(rig, draft);
    RIG_DONE(rig, realm_commit(&rig->engine, draft));
}

uint32_t rig_drain(Rig *rig)
{
    uint32_t units = 0;
    while (rig_after(rig, realm_retire(&rig->engine)) != REALM_DONE) {
        cr_assert_eq(rig->engine.units, 1, "something retires, and the call did nothing about it");
        units += rig->engine.units;
        cr_assert_lt(units, 200000, "taking down never ends");
    }
    return units + rig->engine.units;
}

void rig_load(Rig *rig, uint32_t x, uint32_t y, const RigContent *content)
{
    rig_commit(rig, rig_draft(rig, x, y, content));
    rig_drain(rig);
}

void rig_load_flat(Rig *rig, uint32_t x, uint32_t y, uint8_t height)
{
    RigContent content;
    rig_content(&content, height);
    rig_load(rig, x, y, &content);
}

RealmOwnerHandle rig_owner(Rig *rig, uint32_t id, uint16_t setup, RealmPlace place)
{
    RealmOwnerContent content = { .id = id, .setup = setup, .place = place };
    RealmOwnerHandle  owner = { 0, 0 };
    RIG_DONE(rig, realm_owner_register(&rig->engine, &content, &owner));
    return owner;
}

void rig_move(Rig *rig, RealmOwnerHandle owner, RealmPlace place)
{
    RIG_DONE(rig, realm_owner_move(&rig->engine, owner, place));
}

// realm_dice.c: the dice.
#include "realm_dice.h"

#include <stdio.h>

#include "realm_catalog.h"
#include "realm_check.h"

enum { SIDE = 6, FIRST = 10 }; // landblocks (10, 10) to (15, 15)

static uint32_t any_block(tp_pcg32 *noise)
{
    uint32_t x = tp_pcg32_below(noise, SIDE);
    uint32_t y = tp_pcg32_below(noise, SIDE);
    return rig_at(FIRST + x, FIRST + y);
}

static RealmPlace any_place(tp_pcg32 *noise)
{
    RealmPlace place = { .cell = any_block(noise) };
    place.x.raw = (int32_t)tp_pcg32_below(noise, 192 * 65536);
    place.y.raw = (int32_t)tp_pcg32_below(noise, 192 * 65536);
    if (tp_pcg32_below(noise, 3) == 0) {
        place.x = rig_fx(65000); // in the house, where there is one
        place.y = rig_fx(65000);
    }
    return place;
}

static uint16_t any_setup(tp_pcg32 *noise)
{
    return (uint16_t)(1 + tp_pcg32_below(noise, REALM_SETUP_COUNT - 1));
}

// The first live one from a random place on, {0, 0} for none.
static RealmOwnerHandle any_owner(const Rig *rig, tp_pcg32 *noise)
{
    uint32_t start = tp_pcg32_below(noise, rig->engine.owner_count);
    for (uint32_t i = 0; i < rig->engine.owner_count; i++) {
        uint32_t index = (start + i) % rig->engine.owner_count;
        if ((rig->engine.owners[index].generation & 1) != 0) {
            return (RealmOwnerHandle){ index, rig->engine.owners[index].generation };
        }
    }
    return (RealmOwnerHandle){ 0, 0 };
}

static uint32_t any_draft(const Rig *rig, tp_pcg32 *noise)
{
    uint32_t count = rig->engine.root->drafts_live, link = rig->engine.root->draft_first;
    for (uint32_t steps = count != 0 ? tp_pcg32_below(noise, count) : 0; steps > 0; steps--) {
        link = realm_draft_at(&rig->engine, link)->next;
    }
    return link;
}

static void publish(Rig *rig, tp_pcg32 *noise, RealmDraftHandle draft)
{
    RigContent content;
    rig_content(&content, (uint8_t)tp_pcg32_below(noise, 256));
    RealmStaticContent thing = { .id = 700 + tp_pcg32_below(noise, 8), .setup = any_setup(noise) };
    thing.x.raw = (int32_t)tp_pcg32_below(noise, 192 * 65536);
    thing.y.raw = (int32_t)tp_pcg32_below(noise, 192 * 65536);
    rig_add_house(&content, 1 + tp_pcg32_below(noise, 2), 5);
    switch (tp_pcg32_below(noise, 6)) {
    case 0:
        for (uint32_t i = 0; i < content.cell_count; i++) {
            realm_publish_cell(&rig->engine, draft, &content.cells[i]);
        }
        realm_publish_building(&rig->engine, draft, &content.buildings[0]);
        return;
    case 1:
    case 2: realm_publish_static(&rig->engine, draft, &thing); return;
    case 3: realm_publish_close(&rig->engine, draft); return;
    default: realm_publish_terrain(&rig->engine, draft, &content.terrain); return;
    }
}

// The oldest as often as all others together: it is the one that can commit.
static void work(Rig *rig, tp_pcg32 *noise)
{
    uint32_t link = tp_pcg32_below(noise, 2) == 0 ? rig->engine.root->draft_first : any_draft(rig, noise);
    if (link == 0) {
        return;
    }
    const RealmDraft *value = realm_draft_at(&rig->engine, link);
    RealmDraftHandle  draft = { link - 1, value->generation };
    if (value->phase == REALM_PHASE_MATERIALISE) {
        for (uint32_t i = tp_pcg32_below(noise, REALM_NEIGHBOURS) + 1; i > 0; i--) {
            realm_materialise(&rig->engine, draft);
        }
    } else if (value->phase == REALM_PHASE_PUBLISH) {
        publish(rig, noise, draft);
    } else if (realm_seal(&rig->engine, draft) == REALM_DONE) {
        realm_commit(&rig->engine, draft);
    }
}

static void begin(Rig *rig, tp_pcg32 *noise)
{
    RealmTicket      ticket;
    RealmDraftHandle draft;
    uint32_t         cell = any_block(noise), block = realm_block_find(&rig->engine, realm_prefix(cell));
    if (block != 0 && realm_block_at(&rig->engine, block)->ticket != 0 && tp_pcg32_below(noise, 8) != 0) {
        return; // mostly: a newer admission ends an older one
    }
    if (realm_begin(&rig->engine, cell, &ticket) == REALM_DONE && tp_pcg32_below(noise, 8) != 0) {
        realm_prepare(&rig->engine, &ticket, &draft);
    }
}

static void cancel(Rig *rig)
{
    uint32_t block = rig->engine.root->admit_first;
    if (block == 0) {
        return;
    }
    const RealmBlock *value = realm_block_at(&rig->engine, block);
    uint32_t          leaf = realm_view_leaf(&rig->engine, REALM_ACTIVE, value->prefix);
    RealmTicket ticket = { rig->engine.root->runtime, realm_block_id(value->prefix), value->ticket,
                           leaf != 0 ? realm_leaf_at(&rig->engine, leaf)->number : 0 };
    realm_cancel(&rig->engine, &ticket, NULL);
}

static void change(Rig *rig, tp_pcg32 *noise)
{
    RealmOwnerHandle  owner = any_owner(rig, noise);
    RealmOwnerContent content = { .id = tp_pcg32_below(noise, 6), .setup = any_setup(noise), .place = any_place(noise) };
    RealmPlace        place = any_place(noise);
    uint8_t           turn = (uint8_t)tp_pcg32_below(noise, 4);
    switch (tp_pcg32_below(noise, 9)) {
    case 0: realm_owner_register(&rig->engine, &content, &owner); return;
    case 1: realm_owner_deregister(&rig->engine, owner); return;
    case 2: realm_owner_suspend(&rig->engine, owner, turn < 2); return;
    case 3: realm_owner_set_state(&rig->engine, owner, turn); return;
    case 4: realm_owner_set_setup(&rig->engine, owner, content.setup, turn); return;
    default: realm_owner_move(&rig->engine, owner, place); return;
    }
}

void dice_throw(Rig *rig, tp_pcg32 *noise)
{
    uint32_t roll = tp_pcg32_below(noise, 64);
    if (roll < 24) {
        work(rig, noise);
    } else if (roll < 48) {
        change(rig, noise);
    } else if (roll < 51) {
        begin(rig, noise);
    } else if (roll < 60) {
        realm_retire(&rig->engine);
    } else if (roll == 60) {
        realm_demote(&rig->engine, any_block(noise));
    } else if (roll == 61) {
        realm_withdraw(&rig->engine, any_block(noise));
    } else if (roll == 62) {
        realm_engine_tick(&rig->engine);
    } else if (tp_pcg32_below(noise, 4) == 0) {
        cancel(rig);
    }
}

typedef struct Play {
    Rig        *rig;
    tp_pcg32   *noise;
    uint32_t    calls, done;
    const char *wrong;
} Play;

static void play(void *argument)
{
    Play *game = argument;
    while (game->done < game->calls && game->wrong == NULL) {
        dice_throw(game->rig, game->noise);
        game->done++;
        game->wrong = realm_check(&game->rig->engine);
    }
}

const char *dice_play(Rig *rig, tp_pcg32 *noise, uint32_t calls)
{
    static char text[256];
    Play     game = { .rig = rig, .noise = noise, .calls = calls };
    tp_fault fault = { .code = TP_FAULT_NONE };
    if (!tp_guard_run(play, &game, &fault)) {
        snprintf(text, sizeof(text), "call %u: fault: %s (%s:%d)", game.done + 1, fault.what, fault.file, fault.line);
        return text;
    }
    if (game.wrong != NULL) {
        snprintf(text, sizeof(text), "call %u: %s", game.done, game.wrong);
        return text;
    }
    return NULL;
}

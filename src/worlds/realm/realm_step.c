// realm_step.c: the order of one tick.
//
//     1. the engine's tick: its count, deadlines of admissions
//     2. presence: who left, who joined
//     3. commands, in their order
//     4. streaming: landblocks go, come, and the tick's work units are spent on them
//     5. players move and act, then creatures, then bolts; each sees the others where they have moved to
//     6. combat: all blows are gathered, then all wounds applied
//     7. doors, then the dead: players count down and appear, creatures are taken and born
//
// Everything after 4 sees the active world alone, as 4 left it: nothing in the game can tell that a landblock is being prepared.
#include "realm_step.h"

#include "tickproof/rng.h"

RealmGame *realm_game_edit(RealmStep *step)
{
    RealmGame *game = tp_section_at(step->context, step->engine.block, REALM_SECTION_GAME);
    tp_touch(step->context, game, sizeof(*game));
    return game;
}

RealmPlayer *realm_player_edit(RealmStep *step, uint32_t slot)
{
    TP_ASSERT(slot < step->view.player_count);
    RealmPlayer *player = (RealmPlayer *)tp_section_at(step->context, step->engine.block, REALM_SECTION_PLAYERS) + slot;
    tp_touch(step->context, player, sizeof(*player));
    return player;
}

RealmCreature *realm_creature_edit(RealmStep *step, uint32_t index)
{
    TP_ASSERT(index < step->view.creature_count);
    RealmCreature *creature = (RealmCreature *)tp_section_at(step->context, step->engine.block, REALM_SECTION_CREATURES) + index;
    tp_touch(step->context, creature, sizeof(*creature));
    return creature;
}

RealmShot *realm_shot_edit(RealmStep *step, uint32_t index)
{
    TP_ASSERT(index < step->view.shot_count);
    RealmShot *shot = (RealmShot *)tp_section_at(step->context, step->engine.block, REALM_SECTION_SHOTS) + index;
    tp_touch(step->context, shot, sizeof(*shot));
    return shot;
}

RealmDoor *realm_door_edit(RealmStep *step, uint32_t index)
{
    TP_ASSERT(index < step->view.door_count);
    RealmDoor *door = (RealmDoor *)tp_section_at(step->context, step->engine.block, REALM_SECTION_DOORS) + index;
    tp_touch(step->context, door, sizeof(*door));
    return door;
}

uint32_t realm_draw(RealmStep *step, uint32_t bound)
{
    RealmGame *game = realm_game_edit(step);
    tp_pcg32   generator = { game->rng_state, game->rng_increment };
    uint32_t   drawn = tp_pcg32_below(&generator, bound);
    game->rng_state = generator.state;
    return drawn;
}

void realm_report(RealmStep *step, RealmEvent type, uint32_t who, uint32_t whom, RealmPlace place, int32_t amount)
{
    RealmGameEvent event = {
        .who = who, .whom = whom, .cell = place.cell, .x = place.x, .y = place.y, .z = place.z, .amount = amount,
    };
    bool is_kept = tp_emit(step->context, (uint32_t)type, &event);
    if (!is_kept) {
        realm_count_up(&realm_game_edit(step)->events_dropped);
    }
}

uint32_t realm_who_of(const RealmStep *step, uint32_t owner)
{
    const RealmOwner *value = realm_owner_at(&step->engine, owner);
    uint32_t          number = value->id & 0xFFFFFF;
    if (value->kind != REALM_DYNAMIC) {
        return 0; // content may call its statics anything
    }
    switch (value->id & REALM_ID_KIND) {
    case REALM_ID_PLAYERS:
        return number < step->view.player_count ? number + 1 : 0;
    case REALM_ID_CREATURES:
        return number < step->view.creature_count ? number + REALM_CREATURE_BASE : 0;
    default:
        return 0;
    }
}

void realm_count_wait(RealmStep *step)
{
    realm_count_up(&realm_game_edit(step)->moves_waited);
}

static void stream(RealmStep *step)
{
    RealmStreamEyes eyes = { 0 };
    for (uint32_t i = 0; i < step->view.player_count; i++) {
        RealmPlace place;
        if (realm_player_focus(step, i, &place)) {
            eyes.prefixes[eyes.count++] = realm_prefix(place.cell);
        }
    }
    realm_stream_tick(&step->engine, step->stream, &eyes);
}

tp_step_result realm_step(void *state, const tp_tick *tick, tp_context *context)
{
    RealmStep step = {
        .engine = realm_engine_open(state, context), .context = context, .tick = tick, .inputs = tick->inputs,
        .view = realm_game_open(state, context->section_offset, context->section_count),
        .stream = tp_section_at(context, state, REALM_SECTION_STREAM),
    };
    TP_ASSERT(tick->players == step.view.player_count);
    realm_engine_tick(&step.engine);
    realm_player_presence(&step);
    realm_command_apply(&step);
    stream(&step);
    realm_player_update(&step);
    realm_creature_update(&step);
    realm_shot_update(&step);
    realm_combat_update(&step);
    realm_door_update(&step);
    realm_player_respawn(&step);
    realm_creature_respawn(&step);
    return TP_STEP_OK;
}

#include "fighter_solo.h"

static bool count_event(tp_context *context, uint32_t type, const void *data)
{
    Solo *solo = context->host;
    (void)data;
    solo->events[type]++;
    return true;
}

void solo_open(Solo *solo, uint32_t count, const FighterStage *stage, const FighterKind *kind)
{
    *solo = (Solo){ .context = { .emit = count_event, .host = solo } };
    solo->step.state = (FighterState){ .match = &solo->match, .fighters = solo->fighters, .fighter_count = count };
    solo->step.context = &solo->context;
    solo->step.stage = stage;
    for (uint32_t i = 0; i < count; i++) {
        solo->step.kinds[i] = kind;
        solo->fighters[i] = (Fighter){
            .action = FIGHTER_ACTION_AIR, .facing = FIGHTER_FACING_RIGHT, .is_here = 1, .stocks = 1, .tech_ticks = 255,
            .jumps_left = (uint8_t)kind->air_jumps, .shield = { FIGHTER_RAW(FIGHTER_SHIELD_MAX) },
        };
    }
}

void solo_clear(Solo *solo)
{
    for (uint32_t i = 0; i < FIGHTER_EVENT_COUNT; i++) {
        solo->events[i] = 0;
    }
}

void solo_throw(Solo *solo, uint32_t slot, int64_t x, int64_t y, int64_t dx, int64_t dy)
{
    Fighter *fighter = &solo->fighters[slot];
    fighter->x.raw = (int32_t)x;
    fighter->y.raw = (int32_t)y;
    fighter->velocity_x.raw = (int32_t)dx;
    fighter->velocity_y.raw = (int32_t)dy;
    fighter->launch_x.raw = fighter->launch_y.raw = 0;
    fighter->surface = 0;
    fighter->ledge = 0;
    fighter->lag_ticks = 0;
    fighter_action_start(&solo->step, slot, FIGHTER_ACTION_AIR);
}

void solo_tick(Solo *solo)
{
    for (uint32_t i = 0; i < solo->step.state.fighter_count; i++) {
        solo->step.is_frozen[i] = solo->fighters[i].hitlag_ticks > 0;
    }
    solo_clear(solo);
    fighter_pad_count(&solo->step);
    fighter_decide(&solo->step);
    fighter_move_accelerate(&solo->step);
    fighter_states_advance(&solo->step);
    fighter_collide_move(&solo->step);
    fighter_ledge_catch(&solo->step);
    fighter_pad_keep(&solo->step);
}

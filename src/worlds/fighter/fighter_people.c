// fighter_people.c: who is here, and where they begin. Presence is an input of the tick like any other, so joins and leaves are as repeatable as
// jumps.
#include "fighter_step.h"

enum { LONG_AGO = 255 };

// The place from the nearer end, so that both halves are mirror images; exact but for less than a bit.
static int32_t spread(int64_t left, int64_t right, uint32_t slot, uint32_t count)
{
    int64_t width = right - left;
    if (slot * 2 + 1 < count) {
        return (int32_t)(left + width * (slot + 1) / (count + 1));
    }
    if (slot * 2 + 1 > count) {
        return (int32_t)(right - width * (count - slot) / (count + 1));
    }
    return (int32_t)((left + right) / 2);
}

static uint8_t surface_below(const FighterStage *stage, const Fighter *fighter)
{
    for (int32_t i = 0; i < stage->surface_count; i++) {
        const FighterSurface *surface = &stage->surfaces[i];
        if (fighter_data_holds_feet(surface) && surface->y0 == fighter->y.raw && surface->x0 <= fighter->x.raw && fighter->x.raw <= surface->x1) {
            return (uint8_t)(i + 1);
        }
    }
    return 0;
}

// On a mirrored stage everything is the mirror image of the other one, the order of slots included.
Fighter fighter_people_spawn(const FighterStep *step, uint32_t slot)
{
    const FighterStage *stage = step->stage;
    const int64_t *config = step->context->setup->config;
    uint32_t count = step->state.fighter_count;
    bool is_mirrored = config[FIGHTER_CONFIG_MIRROR] != 0;
    bool is_on_the_right = slot * 2 + 1 > count;
    Fighter fighter = {
        .y          = { stage->spawn_y },
        .shield     = { FIGHTER_RAW(FIGHTER_SHIELD_MAX) },
        .tech_ticks = LONG_AGO,
        .facing     = is_on_the_right != is_mirrored ? FIGHTER_FACING_LEFT : FIGHTER_FACING_RIGHT,
        .jumps_left = (uint8_t)step->kinds[slot]->air_jumps,
        .stocks     = (uint8_t)config[FIGHTER_CONFIG_STOCKS],
        .is_here    = 1,
    };
    fighter.x.raw = is_mirrored ? -spread(-(int64_t)stage->spawn_right, -(int64_t)stage->spawn_left, slot, count)
                                : spread(stage->spawn_left, stage->spawn_right, slot, count);
    fighter.surface = surface_below(stage, &fighter);
    fighter.action = fighter.surface != 0 ? FIGHTER_ACTION_IDLE : FIGHTER_ACTION_AIR;
    return fighter;
}

void fighter_people_hold(FighterStep *step, uint32_t slot)
{
    Fighter *fighter = &step->state.fighters[slot];
    const FighterInput *pad = (const FighterInput *)step->tick->inputs + slot;
    fighter->last_buttons = pad->buttons;
    fighter->last_stick_x = pad->stick_x;
    fighter->last_stick_y = pad->stick_y;
    fighter->last_c_x = pad->c_x;
    fighter->last_c_y = pad->c_y;
    fighter->tilt_x_ticks = pad->stick_x > FIGHTER_TILT || pad->stick_x < -FIGHTER_TILT ? LONG_AGO : 0;
    fighter->tilt_y_ticks = pad->stick_y > FIGHTER_TILT || pad->stick_y < -FIGHTER_TILT ? LONG_AGO : 0;
    fighter->tech_ticks = LONG_AGO;
}

// Who has been here from the first tick on has not joined, and a jump held in the first tick is a jump. Who comes later, or into a match
// that is over, holds down what it came with: none of that is a press.
// Leaving costs a life, so that nobody leaves to escape a blow or comes back with more lives: who returns to the match it left goes on with
// what is left.
static void join(FighterStep *step, uint32_t slot)
{
    const FighterMatch *match = step->state.match;
    Fighter *fighter = &step->state.fighters[slot];
    bool does_return = match->phase == FIGHTER_PHASE_PLAYING && fighter->last_match == match->number;
    uint8_t lives = does_return ? fighter->stocks : (uint8_t)step->context->setup->config[FIGHTER_CONFIG_STOCKS];
    *fighter = fighter_people_spawn(step, slot);
    fighter->stocks = lives;
    if (match->phase == FIGHTER_PHASE_OVER || lives == 0) {
        *fighter = (Fighter){ .action = FIGHTER_ACTION_OUT, .facing = fighter->facing, .is_here = 1 };
    }
    if (step->tick->tick != 0) {
        fighter_people_hold(step, slot);
        fighter_report(step, FIGHTER_EVENT_JOINED, slot);
    }
}

// Whoever takes the slot next has struck nobody, was struck by nobody and has nothing in the air.
static void take_credit_away(FighterStep *step, uint32_t slot)
{
    FighterProjectilePool *shots = &step->state.projectiles;
    for (uint32_t i = 0; i < step->state.fighter_count; i++) {
        Fighter *fighter = &step->state.fighters[i];
        fighter->last_hit_by = fighter->last_hit_by == slot + 1 ? 0 : fighter->last_hit_by;
        fighter->struck[slot / 64] &= ~(UINT64_C(1) << slot % 64);
    }
    for (uint32_t i = fighter_projectile_first(shots); i < shots->capacity; i = fighter_projectile_after(shots, i)) {
        if (shots->slots[i].owner == slot) {
            fighter_projectile_destroy(shots, fighter_projectile_handle_at(shots, i));
        }
    }
}

static void leave(FighterStep *step, uint32_t slot)
{
    const FighterMatch *match = step->state.match;
    uint8_t lives = step->state.fighters[slot].stocks;
    fighter_grab_release(step, slot);
    fighter_report(step, FIGHTER_EVENT_LEFT, slot);
    take_credit_away(step, slot);
    step->state.fighters[slot] = (Fighter){ .action = FIGHTER_ACTION_ABSENT };
    if (match->phase == FIGHTER_PHASE_PLAYING) {
        step->state.fighters[slot].last_match = match->number;
        step->state.fighters[slot].stocks = (uint8_t)(lives - (lives != 0));
    }
}

void fighter_people_update(FighterStep *step)
{
    const FighterInput *inputs = step->tick->inputs;
    bool is_over = step->state.match->phase == FIGHTER_PHASE_OVER;
    for (uint32_t i = 0; i < step->state.fighter_count; i++) {
        bool was_here = step->state.fighters[i].is_here != 0;
        bool is_here = tp_tick_present(step->tick, i);
        if (was_here && !is_here) {
            leave(step, i);
        } else if (is_here && !was_here) {
            join(step, i);
        }
        step->pads[i] = is_here && !is_over ? inputs[i] : (FighterInput){ 0 };
    }
}

// fighter_shield.c: blows that meet a shield. The shield takes them and shrinks; its owner is pushed and may do nothing for a while.
#include "fighter_combat.h"

enum {
    SHIELD_STUN_TICKS = 2, // and half the damage
    SHIELD_EMPTY_PART = 20, // of 80: a shield without health has a quarter of its radius
};

FighterCapsule fighter_shield_capsule(const FighterKind *kind, const Fighter *fighter)
{
    int64_t part = (int64_t)fighter->shield.raw + FIGHTER_RAW(SHIELD_EMPTY_PART);
    int64_t whole = FIGHTER_RAW(SHIELD_EMPTY_PART + FIGHTER_SHIELD_MAX);
    int32_t middle = kind->height / 2;
    return (FighterCapsule){ .y0 = middle, .y1 = middle, .radius = (int32_t)(kind->shield_radius * part / whole) };
}

void fighter_shield_break(FighterStep *step, uint32_t slot, uint32_t by)
{
    Fighter *fighter = &step->state.fighters[slot];
    fighter_action_start(step, slot, FIGHTER_ACTION_SHIELD_BREAK);
    fighter->shield.raw = FIGHTER_RAW(FIGHTER_SHIELD_MAX / 2); // at once, so that what ends the daze early does not leave it broken
    fighter->surface = 0;
    fighter->lag_ticks = 0;
    fighter->velocity_x.raw = 0;
    fighter->velocity_y.raw = 0;
    fighter_report_impact(step, FIGHTER_EVENT_SHIELD_BROKE, slot, by, (tp_fx){ 0 }, (tp_fx){ 0 });
}

// A push of a tenth of a unit a tick for each percent, at most 3 units.
static void push_back(Fighter *fighter, const FighterBlow *blow)
{
    int32_t push = blow->damage.raw / 10;
    push = push > FIGHTER_RAW(3) ? FIGHTER_RAW(3) : push;
    fighter->velocity_x.raw = blow->facing == FIGHTER_FACING_LEFT ? -push : push;
    fighter->velocity_y.raw = 0;
}

void fighter_shield_apply(FighterStep *step, uint32_t slot, const FighterBlow *blow)
{
    Fighter *fighter = &step->state.fighters[slot];
    int64_t health = (int64_t)fighter->shield.raw - blow->damage.raw - blow->shield_damage.raw;
    fighter->last_hit_by = (uint8_t)(blow->by + 1);
    fighter->hitlag_ticks = fighter_launch_hitlag(blow->damage);
    step->is_fresh[slot] = true;
    fighter_report_impact(step, FIGHTER_EVENT_SHIELDED, slot, blow->by + 1u, blow->damage, (tp_fx){ 0 });
    if (health <= 0) {
        fighter_shield_break(step, slot, blow->by + 1u);
        return;
    }
    fighter_action_start(step, slot, FIGHTER_ACTION_SHIELD_STUN);
    fighter->shield.raw = (int32_t)health;
    fighter->lag_ticks = (uint16_t)(tp_fx_floor(blow->damage) / 2 + SHIELD_STUN_TICKS);
    push_back(fighter, blow);
}

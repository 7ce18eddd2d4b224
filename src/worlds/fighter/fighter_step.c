// fighter_step.c: the order of one tick. Every layer runs over all fighters before the next begins. What two fighters can do to each other is
// gathered before it is applied, so that the order of slots decides nothing but the ties that README.md lists.
#include "fighter_combat.h"

#include "tickproof/rng.h"

void fighter_report(FighterStep *step, FighterEvent type, uint32_t slot)
{
    const Fighter *fighter = &step->state.fighters[slot];
    FighterPlace place = { .slot = slot, .x = fighter_inside(fighter->x), .y = fighter_inside(fighter->y) };
    bool is_kept = tp_emit(step->context, (uint32_t)type, &place);
    TP_ASSERT(is_kept);
}

void fighter_report_impact(FighterStep *step, FighterEvent type, uint32_t slot, uint32_t who, tp_fx damage, tp_fx knockback)
{
    const Fighter *fighter = &step->state.fighters[slot];
    FighterImpact impact = {
        .slot = slot, .by = who, .x = fighter_inside(fighter->x), .y = fighter_inside(fighter->y), .damage = damage, .knockback = knockback,
    };
    bool is_kept = tp_emit(step->context, (uint32_t)type, &impact);
    TP_ASSERT(is_kept);
}

static void look(FighterStep *step)
{
    const tp_setup *setup = step->context->setup;
    step->stage = fighter_data_stage(setup);
    for (uint32_t i = 0; i < step->state.fighter_count; i++) {
        step->kinds[i] = fighter_data_kind(setup, i);
    }
}

static void remember_frozen(FighterStep *step)
{
    for (uint32_t i = 0; i < step->state.fighter_count; i++) {
        step->is_frozen[i] = step->state.fighters[i].hitlag_ticks > 0;
    }
}

// A freeze of n ticks that began in this tick is of the next n ticks, in the last of which the launch begins.
static void count_hitlag(FighterStep *step)
{
    for (uint32_t i = 0; i < step->state.fighter_count; i++) {
        Fighter *fighter = &step->state.fighters[i];
        if (fighter->hitlag_ticks == 0 || step->is_fresh[i]) {
            continue;
        }
        fighter->hitlag_ticks--;
        if (fighter->hitlag_ticks == 0 && fighter->is_launched != 0) {
            fighter_launch_begin(step, i);
        }
    }
}

// The generator moves once a tick whatever happens, so that its word is a function of seed and tick as long as no rule draws.
static void step_generator(FighterMatch *match)
{
    tp_xorshift64s generator = { match->rng };
    (void)tp_xorshift64s_next_u64(&generator);
    match->rng = generator.state;
}

tp_step_result fighter_step(void *block, const tp_tick *tick, tp_context *context)
{
    FighterStep step = { .state = fighter_state_open(block, context), .context = context, .tick = tick };
    TP_ASSERT(tick->players == step.state.fighter_count);
    look(&step);
    fighter_people_update(&step);
    fighter_match_update(&step);
    remember_frozen(&step);
    // Layer 1, input.
    fighter_pad_count(&step);
    fighter_decide(&step);
    // Layer 2, physics.
    fighter_move_accelerate(&step);
    fighter_shot_move(&step);
    // Layer 3, states.
    fighter_states_advance(&step);
    // Layer 4, the stage.
    fighter_collide_move(&step);
    fighter_ledge_catch(&step);
    // Layer 5, combat.
    fighter_combat_update(&step);
    // Layer 6, resolve.
    fighter_match_resolve(&step);
    count_hitlag(&step);
    fighter_pad_keep(&step);
    step_generator(step.state.match);
    return TP_STEP_OK;
}

// fighter_step.c: the order of one tick. Every layer runs over all fighters before the next begins, in the order of slots. So
// far each fighter sees itself and the stage only, so that the order of slots decides nothing.
#include "fighter_step.h"

#include "tickproof/rng.h"

void fighter_report(FighterStep *step, FighterEvent type, uint32_t slot)
{
    const Fighter *fighter = &step->state.fighters[slot];
    FighterPlace place = { .slot = slot, .x = fighter->x, .y = fighter->y };
    bool is_kept = tp_emit(step->context, (uint32_t)type, &place);
    TP_ASSERT(is_kept);
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
    FighterStep step = {
        .state = fighter_state_open(block, context), .context = context, .tick = tick, .inputs = tick->inputs,
    };
    TP_ASSERT(tick->players == step.state.fighter_count);
    fighter_people_update(&step);
    // Layer 1, input.
    fighter_move_steer(&step);
    // Layer 2, physics.
    fighter_move_integrate(&step);
    // Layer 3 will be states that override what the stick asks for: attacks, shield, hitstun.
    // Layer 4, the stage.
    fighter_move_collide(&step);
    // Layer 5 will be combat: hit and hurt boxes, knockback, hitlag. From then on the order of slots may matter.
    // Layer 6, resolve.
    fighter_move_resolve(&step);
    step_generator(step.state.match);
    return TP_STEP_OK;
}

// The proof itself: it passes on the verifier, and fails on a verifier that has been broken.
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "testrecording.h"

static void prove(const Recording *recording, uint64_t rounds)
{
    size_t            size = 0;
    uint8_t          *bytes = recording_make(recording, &size);
    tp_verify_options options = recording_verify_options();
    tp_proof          proof;
    tp_report         report;
    cr_assert(tp_prove_log(bytes, size, &options, 1, rounds, &proof, &report), "%s", report.message);
    cr_assert_eq(proof.tried, proof.caught, "survivor: %s", proof.survivor);
    cr_assert_gt(proof.tried, 5 * rounds);
    for (uint32_t kind = 0; tp_proof_kind_name(kind) != NULL; kind++) {
        bool is_opaque = recording->world == &testworld_opaque;
        cr_assert(proof.tried_kind[kind] > 0 || is_opaque, "%s", tp_proof_kind_name(kind));
    }
    free(bytes);
}

Test(verify_prove, no_mutation_survives)
{
    Recording recording = recording_standard();
    prove(&recording, 300);
    recording.fault_tick = 200;
    prove(&recording, 100);
    recording = recording_standard();
    recording.world = &testworld_opaque;
    prove(&recording, 100);
}

// A broken verifier: after every step it looks at the state that the first run had instead of the one at hand.
enum { KEPT_TICKS = 300, KEPT_SIZE = 4096 };
static uint8_t kept[KEPT_TICKS][KEPT_SIZE];
static bool    is_kept[KEPT_TICKS];

static void look_away(void *to, tp_sim *sim, uint64_t tick, bool is_finished)
{
    (void)to;
    size_t size = tp_sim_layout(sim)->block_size;
    if (!is_finished || tick >= KEPT_TICKS || size > KEPT_SIZE) {
        return;
    }
    if (is_kept[tick]) {
        memcpy(tp_sim_state(sim), kept[tick], size);
    } else {
        memcpy(kept[tick], tp_sim_state(sim), size);
        is_kept[tick] = true;
    }
}

// Goal: the proof can fail: it names what a broken verifier let through.
Test(verify_prove, broken_verifier_is_caught)
{
    Recording recording = recording_standard();
    size_t    size = 0;
    uint8_t          *bytes = recording_make(&recording, &size);
    tp_verify_options options = recording_verify_options();
    tp_proof          proof;
    tp_report         report;
    options.each_tick = look_away;
    cr_assert(tp_prove_log(bytes, size, &options, 1, 20, &proof, &report), "%s", report.message);
    cr_assert_lt(proof.caught, proof.tried);
    cr_assert_not_null(strstr(proof.survivor, "bits of the running state"), "%s", proof.survivor);
    free(bytes);
}

// A world that keeps a number outside its state. `init` sets it, so that plain verification from the first tick sees nothing.
static uint64_t hidden;
static bool     is_reset_by_init;

static void impure_init(void *state, tp_context *context)
{
    hidden = is_reset_by_init ? 0 : hidden;
    testworld_flat.init(state, context);
}

static tp_step_result impure_step(void *state, const tp_tick *tick, tp_context *context)
{
    TestGame *game = tp_section_at(context, state, TESTWORLD_GAME);
    game->kicks += hidden / 50;
    hidden++;
    return testworld_flat.step(state, tick, context);
}

static tp_world impure;

static const tp_world *find_impure(void *to, const char *name, uint32_t revision)
{
    (void)to;
    (void)name;
    (void)revision;
    return &impure;
}

// Goal: state outside the state, the commonest desync of all, passes a run from the beginning and fails the proof.
Test(verify_prove, hidden_state_is_found)
{
    Recording recording = recording_standard();
    size_t    size = 0;
    impure = testworld_flat;
    impure.init = impure_init;
    impure.step = impure_step;
    is_reset_by_init = true;
    recording.world = &impure;
    uint8_t          *bytes = recording_make(&recording, &size);
    tp_verify_options options = recording_verify_options();
    tp_proof          proof;
    tp_report         report;
    options.find_world = find_impure;
    cr_assert(tp_prove_log(bytes, size, &options, 1, 20, &proof, &report), "%s", report.message);
    cr_assert_lt(proof.caught, proof.tried);
    cr_assert_not_null(strstr(proof.survivor, "from the keyframe at tick"), "%s", proof.survivor);
    free(bytes);
}

Test(verify_prove, needs_a_log_that_verifies)
{
    Recording recording = recording_standard();
    size_t    size = 0;
    recording.writer.root_size = 0;
    uint8_t          *bytes = recording_make(&recording, &size);
    tp_verify_options options = recording_verify_options();
    tp_proof          proof;
    tp_report         report;
    cr_assert_not(tp_prove_log(bytes, size, &options, 1, 10, &proof, &report));
    cr_assert_eq(report.verdict, TP_UNVERIFIABLE, "%s", report.message);
    free(bytes);
}

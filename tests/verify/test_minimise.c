// The search alone, against predicates whose smallest inputs are known.
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "testrecording.h"
#include "tickproof/minimise.h"
#include "tickproof/rng.h"

enum { PLAYERS = 2, TICKS = 3000, SIZE = 2 };

typedef struct {
    tp_layout layout;
    tp_inputs inputs;
    tp_pcg32  random;
    uint64_t  trials, stop_after; // 0: never
    bool      hides_tick;         // a YES does not say which tick it was
    uint64_t  early;              // a YES says a tick that is too early by so many
    bool (*holds)(const tp_inputs *inputs, uint64_t *bad_tick);
    tp_minimise_report report;
} Scene;

static void put(tp_inputs *inputs, uint64_t tick, uint32_t slot, uint8_t buttons, int8_t stick)
{
    uint8_t *cell = inputs->inputs + (tick * PLAYERS + slot) * SIZE;
    cell[0] = buttons;
    cell[1] = (uint8_t)stick;
}

static uint8_t buttons_of(const tp_inputs *inputs, uint64_t tick, uint32_t slot)
{
    return inputs->inputs[(tick * PLAYERS + slot) * SIZE];
}

static int stick_of(const tp_inputs *inputs, uint64_t tick, uint32_t slot)
{
    return (int8_t)inputs->inputs[(tick * PLAYERS + slot) * SIZE + 1];
}

static bool is_present(const tp_inputs *inputs, uint64_t tick, uint32_t slot)
{
    return (inputs->presence[tick] >> slot & 1) != 0;
}

// Sticks anywhere, buttons 1 and 2 now and then; nobody presses 4 and no stick is beyond 100.
static void scene_open(Scene *scene, bool (*holds)(const tp_inputs *inputs, uint64_t *bad_tick), uint64_t ticks)
{
    tp_setup setup = testworld_setup(&testworld_flat, PLAYERS, 1);
    uint8_t  presence = 3, row[PLAYERS * SIZE] = { 0 };
    *scene = (Scene){ .holds = holds };
    cr_assert(tp_layout_init(&scene->layout, &testworld_flat, &setup, NULL));
    cr_assert(tp_inputs_init(&scene->inputs, &scene->layout));
    cr_assert_eq(scene->inputs.input_size, SIZE);
    scene->random = tp_pcg32_make(7, 1);
    for (uint64_t tick = 0; tick < ticks; tick++) {
        cr_assert(tp_inputs_add(&scene->inputs, &(tp_row){ .presence = &presence, .inputs = row }));
        for (uint32_t slot = 0; slot < PLAYERS; slot++) {
            put(&scene->inputs, tick, slot, (uint8_t)tp_pcg32_below(&scene->random, 4), (int8_t)((int)tp_pcg32_below(&scene->random, 201) - 100));
        }
    }
}

static tp_trial scene_trial(void *to, const tp_inputs *inputs, tp_minimise_trial *trial)
{
    Scene *scene = to;
    cr_assert_gt(inputs->ticks, 0, "a run of nothing is not worth a trial");
    if (scene->stop_after != 0 && scene->trials >= scene->stop_after && !trial->is_check) {
        return TP_TRIAL_STOPPED;
    }
    scene->trials += 1;
    uint64_t tick = UINT64_MAX;
    if (!scene->holds(inputs, &tick)) {
        return TP_TRIAL_NO;
    }
    trial->bad_tick = scene->hides_tick ? UINT64_MAX : tick >= scene->early ? tick - scene->early : 0;
    trial->is_exact = scene->early == 0;
    return TP_TRIAL_YES;
}

static void scene_run(Scene *scene, bool keep_ticks)
{
    tp_minimise_options options = { .layout = &scene->layout, .trial = scene_trial, .to = scene, .keep_ticks = keep_ticks };
    tp_minimise(&scene->inputs, &options, &scene->report);
    cr_assert_eq(scene->report.trials, scene->trials + (scene->report.end == TP_MINIMISE_STOPPED));
    cr_assert_eq(scene->report.after.ticks, scene->inputs.ticks);
}

static void scene_close(Scene *scene)
{
    tp_inputs_finish(&scene->inputs);
}

// Three presses of the third button, of these slots in this order.
static bool three_in_order(const tp_inputs *inputs, uint64_t *bad_tick)
{
    static const uint32_t slots[] = { 0, 1, 0 };
    size_t                found = 0;
    for (uint64_t tick = 0; tick < inputs->ticks && found < 3; tick++) {
        found += (buttons_of(inputs, tick, slots[found]) & 4) != 0;
        *bad_tick = tick;
    }
    return found == 3;
}

static void plant_three(Scene *scene)
{
    put(&scene->inputs, 400, 0, 7, 55);
    put(&scene->inputs, 1333, 1, 6, -20);
    put(&scene->inputs, 2801, 0, 5, 99);
}

// Goal: of 12,000 inputs three are left, one after the other, with nothing in them but what counts.
Test(minimise, finds_three_inputs_in_order)
{
    Scene scene;
    scene_open(&scene, three_in_order, TICKS);
    plant_three(&scene);
    scene_run(&scene, false);
    cr_assert_eq(scene.report.end, TP_MINIMISE_SMALLEST);
    cr_assert_eq(scene.report.before.ticks, TICKS);
    cr_assert_gt(scene.report.before.records, 5000);
    cr_assert_eq(scene.inputs.ticks, 3);
    cr_assert_eq(scene.report.after.records, 3);
    cr_assert_eq(scene.report.bad_tick, 2);
    const uint8_t expected[] = { 4, 0, 0, 0, 0, 0, 4, 0, 4, 0, 0, 0 };
    cr_assert_arr_eq(scene.inputs.inputs, expected, sizeof(expected));
    cr_assert_lt(scene.report.trials, 200);
    scene_close(&scene);
}

Test(minimise, keeps_ticks_when_told)
{
    Scene scene;
    scene_open(&scene, three_in_order, TICKS);
    plant_three(&scene);
    scene_run(&scene, true);
    cr_assert_eq(scene.report.end, TP_MINIMISE_SMALLEST);
    cr_assert_eq(scene.inputs.ticks, 2802, "only what is behind the bad tick may go");
    cr_assert_eq(scene.report.after.records, 3);
    cr_assert_eq(buttons_of(&scene.inputs, 400, 0), 4);
    cr_assert_eq(buttons_of(&scene.inputs, 1333, 1), 4);
    cr_assert_eq(buttons_of(&scene.inputs, 2801, 0), 4);
    scene_close(&scene);
}

// Goal: a trial that cannot say which tick it was costs trials, not size.
Test(minimise, finds_the_end_by_itself)
{
    for (int early = 0; early < 2; early++) {
        Scene scene;
        scene_open(&scene, three_in_order, TICKS);
        plant_three(&scene);
        scene.hides_tick = early == 0;
        scene.early = early == 0 ? 0 : 5;
        scene_run(&scene, false);
        cr_assert_eq(scene.report.end, TP_MINIMISE_SMALLEST);
        cr_assert_eq(scene.inputs.ticks, 3);
        cr_assert_eq(scene.report.after.records, 3);
        scene_close(&scene);
    }
}

// So in long runs and in short ones, but in none between.
static bool long_or_short(const tp_inputs *inputs, uint64_t *bad_tick)
{
    *bad_tick = inputs->ticks > 105 ? 105 : inputs->ticks - 1;
    return inputs->ticks >= 2000 || inputs->ticks <= 500;
}

// Goal: a run that was cut to less than what was refused before ends the search for the end, too.
Test(minimise, what_was_refused_may_be_longer_than_the_best)
{
    Scene scene;
    scene_open(&scene, long_or_short, TICKS);
    scene.early = 5;
    scene.stop_after = 10000; // else it would go on for ever
    scene_run(&scene, false);
    cr_assert_eq(scene.report.end, TP_MINIMISE_SMALLEST);
    cr_assert_eq(scene.inputs.ticks, 1);
    scene_close(&scene);
}

// The second press comes exactly 100 ticks after the first.
static bool exact_distance(const tp_inputs *inputs, uint64_t *bad_tick)
{
    for (uint64_t tick = 100; tick < inputs->ticks; tick++) {
        if ((buttons_of(inputs, tick, 1) & 4) != 0 && (buttons_of(inputs, tick - 100, 0) & 4) != 0) {
            *bad_tick = tick;
            return true;
        }
    }
    return false;
}

Test(minimise, keeps_the_time_between_what_needs_it)
{
    Scene scene;
    scene_open(&scene, exact_distance, TICKS);
    put(&scene.inputs, 1700, 0, 4, 3);
    put(&scene.inputs, 1800, 1, 4, 3);
    scene_run(&scene, false);
    cr_assert_eq(scene.inputs.ticks, 101);
    cr_assert_eq(scene.report.after.records, 2);
    cr_assert_eq(scene.report.bad_tick, 100);
    scene_close(&scene);
}

// The stick is held at 60 or more for 30 ticks, 500 ticks after the beginning or later.
static bool long_hold(const tp_inputs *inputs, uint64_t *bad_tick)
{
    uint64_t held = 0;
    for (uint64_t tick = 0; tick < inputs->ticks; tick++) {
        held = stick_of(inputs, tick, 1) >= 60 ? held + 1 : 0;
        *bad_tick = tick;
        if (held >= 30 && tick >= 500) {
            return true;
        }
    }
    return false;
}

Test(minimise, shortens_a_hold_and_brings_its_value_down)
{
    Scene scene;
    scene_open(&scene, long_hold, TICKS);
    for (uint64_t tick = 1000; tick < 1200; tick++) {
        put(&scene.inputs, tick, 1, 3, 100);
    }
    scene_run(&scene, false);
    cr_assert_eq(scene.inputs.ticks, 501);
    cr_assert_eq(scene.report.after.records, 1);
    for (uint64_t tick = 0; tick <= 500; tick++) {
        cr_assert_eq(stick_of(&scene.inputs, tick, 1), tick > 470 ? 60 : 0, "tick %llu", (unsigned long long)tick);
        cr_assert_eq(buttons_of(&scene.inputs, tick, 1), 0);
    }
    scene_close(&scene);
}

// A kick of at least 1,000 by the host, with slot 1 not there.
static bool kick_without_slot(const tp_inputs *inputs, uint64_t *bad_tick)
{
    for (uint32_t i = 0; i < inputs->command_count; i++) {
        const tp_input_command *command = &inputs->commands[i];
        const uint8_t          *data = inputs->data + command->data;
        if (command->type == TESTWORLD_COMMAND_KICK && (data[4] | data[5] << 8 | data[6] << 16) >= 1000 && !is_present(inputs, command->tick, 1)) {
            *bad_tick = command->tick;
            return true;
        }
    }
    return false;
}

static void add_kick(Scene *scene, uint8_t presence, uint32_t power)
{
    uint8_t    row[PLAYERS * SIZE] = { 1, 50, 0, 0 };
    uint8_t    bytes[8] = { 1, 0, 0, 0, (uint8_t)power, (uint8_t)(power >> 8), (uint8_t)(power >> 16), 0 };
    tp_command command = { .source = TP_SOURCE_HOST, .type = TESTWORLD_COMMAND_KICK, .size = sizeof(bytes), .data = bytes };
    cr_assert(tp_inputs_add(&scene->inputs, &(tp_row){ .presence = &presence, .inputs = row, .command_count = 1, .commands = &command }));
}

Test(minimise, commands_and_absences)
{
    Scene scene;
    scene_open(&scene, kick_without_slot, 100);
    for (uint32_t i = 0; i < 300; i++) {
        add_kick(&scene, i % 7 < 4 ? 3 : 1, i * 8);
    }
    scene_run(&scene, false);
    cr_assert_eq(scene.report.before.commands, 300);
    cr_assert_gt(scene.report.before.absences, 40);
    cr_assert_eq(scene.report.after.commands, 1);
    cr_assert_eq(scene.report.after.absences, 1);
    cr_assert_eq(scene.report.after.records, 0);
    cr_assert_eq(scene.inputs.ticks, 1);
    const uint8_t expected[] = { 0, 0, 0, 0, 1000 % 256, 1000 / 256, 0, 0 };
    cr_assert_arr_eq(scene.inputs.data + scene.inputs.commands[0].data, expected, sizeof(expected));
    scene_close(&scene);
}

static bool always(const tp_inputs *inputs, uint64_t *bad_tick)
{
    *bad_tick = inputs->ticks - 1;
    return true;
}

Test(minimise, inputs_that_do_not_matter_all_go)
{
    Scene scene;
    scene_open(&scene, always, TICKS);
    scene_run(&scene, false);
    cr_assert_eq(scene.report.end, TP_MINIMISE_SMALLEST);
    cr_assert_eq(scene.inputs.ticks, 1);
    cr_assert_eq(scene.report.after.records, 0);
    scene_close(&scene);
}

static bool never(const tp_inputs *inputs, uint64_t *bad_tick)
{
    (void)inputs;
    (void)bad_tick;
    return false;
}

Test(minimise, says_when_it_is_not_so_at_all)
{
    Scene scene;
    scene_open(&scene, never, TICKS);
    scene_run(&scene, false);
    cr_assert_eq(scene.report.end, TP_MINIMISE_SAME);
    cr_assert_eq(scene.report.trials, TP_MINIMISE_CHECKS);
    cr_assert_eq(scene.inputs.ticks, TICKS);
    scene_close(&scene);
}

static uint32_t coin_asked, coin_seed;

// Yes, most often, whatever the inputs are: in a hash of how often it was asked, so that runs repeat.
static bool coin(const tp_inputs *inputs, uint64_t *bad_tick)
{
    uint32_t words[2] = { coin_seed, coin_asked++ };
    *bad_tick = inputs->ticks - 1;
    return tp_hash64(TP_HASH_XXH3, words, sizeof(words)) % 2 == 0;
}

// Goal: whoever throws a coin is not believed. Two checks of two inputs let some through; most are caught, and some at each end.
Test(minimise, a_coin_is_unreliable)
{
    uint32_t at_first = 0, at_last = 0, believed = 0;
    for (coin_seed = 0; coin_seed < 64; coin_seed++) {
        Scene scene;
        coin_asked = 0;
        scene_open(&scene, coin, 200);
        scene_run(&scene, false);
        at_first += scene.report.end == TP_MINIMISE_UNRELIABLE && !scene.report.is_result_unreliable;
        at_last += scene.report.end == TP_MINIMISE_UNRELIABLE && scene.report.is_result_unreliable;
        believed += scene.report.end == TP_MINIMISE_SMALLEST;
        scene_close(&scene);
    }
    cr_assert_gt(at_first, 20);
    cr_assert_gt(at_last, 4);
    cr_assert_lt(believed, 10);
}

// Goal: stopped at any trial it leaves inputs for which it is so, never larger than before, and still checks them.
Test(minimise, stopped_anywhere_it_leaves_the_best_so_far)
{
    uint64_t records_last = UINT64_MAX;
    for (uint64_t stop = 2; stop < 90; stop += 3) {
        Scene    scene;
        uint64_t tick;
        scene_open(&scene, three_in_order, TICKS);
        plant_three(&scene);
        scene.stop_after = stop;
        scene_run(&scene, false);
        if (scene.report.end == TP_MINIMISE_STOPPED) {
            cr_assert_eq(scene.trials, stop + TP_MINIMISE_CHECKS);
        }
        cr_assert(three_in_order(&scene.inputs, &tick));
        cr_assert_leq(scene.report.after.records, records_last);
        records_last = scene.report.after.records;
        scene_close(&scene);
    }
    cr_assert_eq(records_last, 3);
}

static tp_trial fail_at_ten(void *to, const tp_inputs *inputs, tp_minimise_trial *trial)
{
    Scene *scene = to;
    return scene->trials >= 10 ? TP_TRIAL_FAILED : scene_trial(to, inputs, trial);
}

Test(minimise, a_failed_trial_ends_it)
{
    Scene    scene;
    uint64_t tick;
    scene_open(&scene, three_in_order, TICKS);
    plant_three(&scene);
    tp_minimise_options options = { .layout = &scene.layout, .trial = fail_at_ten, .to = &scene };
    tp_minimise(&scene.inputs, &options, &scene.report);
    cr_assert_eq(scene.report.end, TP_MINIMISE_FAILED);
    cr_assert_eq(scene.report.trials, 11);
    cr_assert(three_in_order(&scene.inputs, &tick));
    scene_close(&scene);
}

// Goal: a log's rows come back as they were, commands and absences included.
Test(minimise, inputs_of_a_log)
{
    Recording        recording = recording_standard();
    size_t           size = 0;
    uint8_t         *bytes = recording_make(&recording, &size);
    tp_memory_source memory = { bytes, size };
    tp_source        source = tp_source_of_memory(&memory);
    tp_setup         setup = testworld_setup(recording.world, recording.players, recording.seed);
    tp_sim          *sim = tp_sim_create(recording.world, &setup, NULL, NULL);
    tp_sim          *again = tp_sim_create(recording.world, &setup, NULL, NULL);
    tp_inputs        inputs;
    TestScript       script;
    tp_command       commands[TP_COMMANDS_MAX];
    tp_row           row;
    bool             is_whole = false;
    cr_assert(tp_inputs_init(&inputs, tp_sim_layout(sim)));
    cr_assert(tp_inputs_of_log(&inputs, &source, &is_whole, NULL));
    cr_assert(is_whole);
    cr_assert_eq(inputs.ticks, recording.ticks);
    for (uint64_t tick = 0; tick < recording.ticks; tick++) {
        row = testworld_row(sim, &script, tick);
        cr_assert_eq(tp_sim_step(sim, &row, NULL), TP_SIM_OK);
        tp_inputs_row(&inputs, tick, commands, &row);
        cr_assert_eq(tp_sim_step(again, &row, NULL), TP_SIM_OK);
        cr_assert(tp_hash128_equal(tp_sim_root(sim), tp_sim_root(again)), "tick %llu", (unsigned long long)tick);
    }
    cr_assert_gt(tp_inputs_count(&inputs).commands, 0);
    tp_inputs_finish(&inputs);
    tp_sim_destroy(sim);
    tp_sim_destroy(again);
    free(bytes);
}

Test(minimise, inputs_of_a_torn_log)
{
    Recording        recording = recording_standard();
    size_t           size = 0;
    uint8_t         *bytes = recording_make(&recording, &size);
    tp_memory_source memory = { bytes, size / 2 };
    tp_source        source = tp_source_of_memory(&memory);
    Scene            scene;
    tp_error         error;
    bool             is_whole = true;
    scene_open(&scene, never, 0);
    cr_assert(tp_inputs_of_log(&scene.inputs, &source, &is_whole, &error));
    cr_assert_not(is_whole);
    cr_assert_gt(scene.inputs.ticks, 50);
    cr_assert_lt(scene.inputs.ticks, recording.ticks);
    memory.size = 20;
    cr_assert_not(tp_inputs_of_log(&scene.inputs, &source, &is_whole, &error));
    cr_assert_gt(strlen(error.text), 5);
    scene_close(&scene);
    free(bytes);
}

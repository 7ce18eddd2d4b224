// Opaque worlds that misbehave beside their step: what cannot be saved is never believed, and a fault stays small.
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "testrecording.h"

typedef enum { SAVES, REFUSES, FAULTS, LIES_ABOUT_SIZE } SaveMode;
static SaveMode save_mode;
static bool     load_faults;

static bool odd_save(const void *instance, void *bytes, size_t capacity, size_t *size)
{
    if (save_mode == REFUSES) {
        return false;
    }
    if (save_mode == FAULTS) {
        TP_FAULT(TP_FAULT_ASSERT, "cannot save");
    }
    bool is_good = testworld_opaque.opaque->save(instance, bytes, capacity, size);
    *size = save_mode == LIES_ABOUT_SIZE ? capacity + 1 : *size;
    return is_good;
}

static bool odd_load(void *instance, const void *bytes, size_t size)
{
    if (load_faults) {
        TP_FAULT(TP_FAULT_ASSERT, "cannot load");
    }
    return testworld_opaque.opaque->load(instance, bytes, size);
}

static tp_opaque odd_functions;
static tp_world  odd_world;

static const tp_world *find_odd(void *to, const char *name, uint32_t revision)
{
    (void)to;
    (void)name;
    (void)revision;
    return &odd_world;
}

static void make_odd(void)
{
    odd_functions = *testworld_opaque.opaque;
    odd_functions.save = odd_save;
    odd_functions.load = odd_load;
    odd_world = testworld_opaque;
    odd_world.opaque = &odd_functions;
    save_mode = SAVES;
    load_faults = false;
}

static void break_at_90(void *to, tp_sim *sim, uint64_t tick, bool is_finished)
{
    (void)sim;
    save_mode = tick >= 90 && is_finished ? *(SaveMode *)to : SAVES;
}

// Goal: a world that cannot save has no roots: its ticks are not counted as checked, however the bytes would fall.
Test(verify_opaque, unsaved_state_is_never_verified, .init = make_odd)
{
    Recording recording = recording_standard();
    size_t    size = 0;
    recording.world = &testworld_opaque;
    uint8_t *bytes = recording_make(&recording, &size);
    for (SaveMode mode = REFUSES; mode <= LIES_ABOUT_SIZE; mode++) {
        tp_memory_source  memory = { bytes, size };
        tp_source         source = tp_source_of_memory(&memory);
        tp_verify_options options = recording_verify_options();
        tp_report         report;
        options.find_world = find_odd;
        options.each_tick = break_at_90;
        options.each_to = &mode;
        save_mode = SAVES;
        tp_verify_log(&source, &options, &report);
        cr_assert_eq(report.verdict, TP_INTERNAL, "mode %d: %s: %s", mode, tp_verdict_name(report.verdict), report.message);
        cr_assert_eq(report.checked, 90);
    }
    free(bytes);
}

// Goal: a recorder stops at the state that it cannot hash, instead of writing a root that means nothing.
Test(verify_opaque, unsaved_state_is_never_recorded, .init = make_odd)
{
    tp_setup          setup = testworld_setup(&odd_world, 2, 9);
    tp_error          error = { "" };
    tp_memory_sink    memory = { 0 };
    tp_sink           sink = tp_sink_of_memory(&memory);
    tp_writer_options options;
    tp_sim           *sim = tp_sim_create(&odd_world, &setup, NULL, &error);
    tp_writer_options_standard(&options);
    tp_writer *writer = tp_writer_create(&sink, sim, &options, false, &error);
    for (uint64_t tick = 0; tick < 20; tick++) {
        TestScript script;
        tp_row     row = testworld_row(sim, &script, tick);
        save_mode = tick >= 10 ? REFUSES : SAVES;
        tp_sim_status status = tp_sim_step(sim, &row, &error);
        cr_assert(tick > 10 || status == TP_SIM_OK, "%s", error.text);
        cr_assert_eq(tp_writer_tick(writer, sim, &row), tick < 10, "tick %d", (int)tick);
    }
    cr_assert_not(tp_sim_is_sound(sim));
    cr_assert_not_null(strstr(tp_writer_error(writer), "could not save its state"), "%s", tp_writer_error(writer));
    tp_writer_destroy(writer);
    tp_sim_destroy(sim);
    free(memory.bytes);
}

// Goal: a fault in load is a refused keyframe, not the end of the process.
Test(verify_opaque, fault_in_load_is_a_refusal, .init = make_odd)
{
    Recording recording = recording_standard();
    size_t    size = 0;
    recording.world = &testworld_opaque;
    uint8_t          *bytes = recording_make(&recording, &size);
    tp_memory_source  memory = { bytes, size };
    tp_source         source = tp_source_of_memory(&memory);
    tp_verify_options options = recording_verify_options();
    tp_report         report;
    options.find_world = find_odd;
    options.from = 150;
    load_faults = true;
    tp_verify_log(&source, &options, &report);
    cr_assert_eq(report.verdict, TP_CORRUPT, "%s", report.message);
    cr_assert_not_null(strstr(report.message, "the keyframe at tick 100 is no state of this world"), "%s", report.message);
    free(bytes);
}

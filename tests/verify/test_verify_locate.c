// A planted desync: the report names the first bad tick exactly, then section and field with their distances.
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "testrecording.h"

static void plant_speed(tp_sim *sim)
{
    uint8_t    *block = tp_sim_state(sim);
    TestPlayer *players = (TestPlayer *)(void *)(block + tp_sim_layout(sim)->section_offset[TESTWORLD_PLAYERS]);
    players[1].balance = 5;
}

Test(verify_locate, names_tick_section_and_field)
{
    Recording recording = recording_standard();
    size_t    size = 0;
    recording.plant_tick = 130;
    recording.plant = plant_speed;
    uint8_t  *bytes = recording_make(&recording, &size);
    tp_report report = recording_verify(bytes, size);
    cr_assert_eq(report.verdict, TP_DIVERGED);
    cr_assert_eq(report.bad_tick, 130);
    cr_assert_str_eq(report.section, "players");
    cr_assert_eq(report.section_tick, 191, "the LEAVES after the third run of 64");
    cr_assert_str_eq(report.field, "players[1].balance");
    cr_assert_str_eq(report.field_expected, "5 count");
    cr_assert_str_eq(report.field_actual, "0 count");
    cr_assert_eq(report.field_tick, 200);
    cr_assert_eq(report.differing_fields, 1);
    cr_assert_eq(report.root_size, 8);
    cr_assert_neq(memcmp(report.expected_root, report.actual_root, 8), 0);
    free(bytes);
}

// Goal: where the LEAVES record is of the bad tick itself, the inputs are known to be equal.
Test(verify_locate, says_that_the_inputs_are_equal)
{
    Recording recording = recording_standard();
    size_t    size = 0;
    recording.plant_tick = 127; // LEAVES are written after tick 127
    recording.plant = plant_speed;
    uint8_t  *bytes = recording_make(&recording, &size);
    tp_report report = recording_verify(bytes, size);
    cr_assert_eq(report.bad_tick, 127);
    cr_assert_eq(report.inputs_equal, TP_YES);
    cr_assert_eq(report.events_equal, TP_YES);
    cr_assert_eq(report.section_tick, 127);
    free(bytes);
}

Test(verify_locate, opaque_worlds_get_the_byte)
{
    Recording recording = recording_standard();
    size_t    size = 0;
    recording.world = &testworld_opaque;
    recording.seed = 3;
    uint8_t          *bytes = recording_make(&recording, &size);
    tp_memory_source  memory = { bytes, size };
    tp_source         source = tp_source_of_memory(&memory);
    tp_verify_options options = recording_verify_options();
    tp_report         report;
    tp_verify_log(&source, &options, &report);
    cr_assert_eq(report.verdict, TP_VERIFIED, "%s", report.message);
    free(bytes);
}

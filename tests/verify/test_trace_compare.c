#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "testworld.h"
#include "tickproof/trace.h"

enum { TICKS = 100, LEAVES = 9 };

// A sidecar of ticks that all machines agree on, until a test changes it. Leaves stand after steps 40, 64 and 100.
typedef struct {
    tp_trace        trace;
    tp_trace_row    rows[TICKS];
    tp_trace_leaves leaves[3];
    uint64_t        numbers[3][LEAVES];
    uint64_t        gaps[2];
} Sidecar;

static Sidecar *sidecar(void)
{
    static const uint64_t steps[3] = { 40, 64, 100 };
    Sidecar *made = calloc(1, sizeof(*made));
    made->trace = (tp_trace){ .has_end = true, .end = TP_TRACE_END_LOG, .has_chain = true, .chain = { 7 }, .root_size = 8, .count = TICKS,
                              .rows = made->rows, .leaves_count = 3, .leaves = made->leaves, .gaps = made->gaps };
    strcpy(made->trace.ident.world, "testworld");
    made->trace.ident.rules.id = (tp_hash128){ 1, 2 };
    for (uint32_t i = 0; i < TICKS; i++) {
        made->rows[i] = (tp_trace_row){ .root = { (uint8_t)i, 1, 2, 3, 4, 5, 6, 7 }, .input = i * 3, .event = i * 5, .draws = i % 4, .draw_digest = i * 7 };
    }
    for (uint32_t i = 0; i < 3; i++) {
        for (uint32_t k = 0; k < LEAVES; k++) {
            made->numbers[i][k] = i * 100 + k;
        }
        made->leaves[i] = (tp_trace_leaves){ .steps = steps[i], .count = LEAVES, .leaves = made->numbers[i] };
    }
    return made;
}

// From this tick on the roots are others, in a way of their own.
static void part(Sidecar *made, uint32_t tick, uint8_t way)
{
    for (uint32_t i = tick; i < TICKS; i++) {
        made->rows[i].root[7] = way;
    }
}

static Sidecar            *made[TP_TRACE_SIDES_MAX + 1];
static tp_trace_comparison result;

static void begin(void)
{
    for (uint32_t i = 0; i <= TP_TRACE_SIDES_MAX; i++) {
        made[i] = sidecar();
    }
}

static void end(void)
{
    for (uint32_t i = 0; i <= TP_TRACE_SIDES_MAX; i++) {
        free(made[i]);
    }
}

static void compare_with(uint32_t count, const tp_layout *layout, bool other_logs)
{
    const tp_trace *traces[TP_TRACE_SIDES_MAX + 1];
    for (uint32_t i = 0; i < count; i++) {
        traces[i] = &made[i]->trace;
    }
    memset(&result, 0xA5, sizeof(result));
    tp_trace_compare(traces, count, layout, other_logs, &result);
    cr_assert_neq(result.message[0], '\0');
    cr_assert_null(strchr(result.message, '\n'));
}

static void compare(uint32_t count)
{
    compare_with(count, NULL, false);
}

TestSuite(trace_compare, .init = begin, .fini = end);

Test(trace_compare, equal_ones_agree)
{
    compare(3);
    cr_assert_eq(result.verdict, TP_VERIFIED, "%s", result.message);
    cr_assert_eq(result.compared, TICKS);
    for (int i = 0; i < 3; i++) {
        cr_assert_eq(result.sides[i].compared, TICKS);
        cr_assert_not(result.sides[i].has_left);
    }
}

// Goal: every single tick counts, from the first to the last, in each byte that is there.
Test(trace_compare, every_tick_and_byte_is_compared)
{
    for (uint32_t tick = 0; tick < TICKS; tick++) {
        made[1]->rows[tick].root[tick % 8] ^= 0x80;
        compare(2);
        cr_assert_eq(result.verdict, TP_DIVERGED);
        cr_assert_eq(result.bad_tick, tick);
        made[1]->rows[tick].root[tick % 8] ^= 0x80;
    }
}

Test(trace_compare, majority_and_groups)
{
    part(made[0], 30, 9);
    part(made[3], 30, 8);
    part(made[4], 30, 9);
    compare(7);
    cr_assert_eq(result.verdict, TP_DIVERGED);
    cr_assert_eq(result.bad_tick, 30);
    cr_assert_eq(result.group_count, 3);
    cr_assert(result.has_majority);
    const uint32_t groups[7] = { 1, 0, 0, 2, 1, 0, 0 };
    for (int i = 0; i < 7; i++) {
        cr_assert_eq(result.sides[i].group, groups[i], "side %d", i);
        cr_assert_eq(result.sides[i].has_left, groups[i] != 0);
        cr_assert_eq(result.sides[i].compared, groups[i] == 0 ? TICKS : 31);
    }
    cr_assert_eq(result.compared, TICKS);
}

// Goal: half is no majority, and of two equally large groups the first side's is called 0.
Test(trace_compare, half_is_no_majority)
{
    part(made[1], 5, 9);
    part(made[2], 5, 9);
    compare(4);
    cr_assert_eq(result.group_count, 2);
    cr_assert_not(result.has_majority);
    cr_assert_eq(result.sides[0].group, 0);
    cr_assert_eq(result.sides[1].group, 1);
    cr_assert_not_null(strstr(result.message, "no majority"));
}

Test(trace_compare, each_later_leaver_is_named)
{
    part(made[2], 10, 9);
    part(made[0], 50, 8);
    part(made[4], 99, 6);
    compare(6);
    cr_assert_eq(result.bad_tick, 10);
    cr_assert_eq(result.sides[2].bad_tick, 10);
    cr_assert(result.sides[0].has_left);
    cr_assert_eq(result.sides[0].bad_tick, 50);
    cr_assert_eq(result.sides[0].group, 0, "at the first bad tick it was with the others");
    cr_assert_eq(result.sides[4].bad_tick, 99);
    cr_assert_not(result.sides[1].has_left || result.sides[3].has_left || result.sides[5].has_left);
}

// Goal: a short side has no vote where it is not, and its absence is not taken for agreement.
Test(trace_compare, a_short_side_has_no_vote)
{
    made[2]->trace.count = 20;
    part(made[1], 30, 9);
    compare(3);
    cr_assert_eq(result.verdict, TP_DIVERGED);
    cr_assert_eq(result.sides[2].group, UINT32_MAX);
    cr_assert_not(result.sides[2].has_left);
    cr_assert_not(result.has_majority, "1 of 3 sides");
    cr_assert_eq(result.compared, 20);
}

Test(trace_compare, agreement_that_is_not_whole)
{
    made[1]->trace.count = 60;
    made[1]->trace.has_end = false;
    compare(2);
    cr_assert_eq(result.verdict, TP_INCOMPLETE);
    cr_assert_eq(result.compared, 60);
    cr_assert_not_null(strstr(result.message, "cut off"), "%s", result.message);
}

Test(trace_compare, ends_that_are_not_the_log_s)
{
    const tp_trace_end ends[] = { TP_TRACE_END_LIMIT, TP_TRACE_END_STOPPED, TP_TRACE_END_REFUSED, TP_TRACE_END_BROKEN };
    for (int i = 0; i < 4; i++) {
        made[0]->trace.end = made[1]->trace.end = ends[i];
        compare(2);
        cr_assert_eq(result.verdict, TP_INCOMPLETE, "end %d: %s", (int)ends[i], result.message);
    }
}

Test(trace_compare, nothing_compared_is_never_good)
{
    made[0]->trace.count = made[1]->trace.count = 0;
    compare(2);
    cr_assert_eq(result.verdict, TP_INCOMPLETE);
    made[0]->trace.count = made[1]->trace.count = TICKS;
    made[1]->trace.root_size = 0;
    compare(2);
    cr_assert_eq(result.verdict, TP_INCOMPLETE);
    cr_assert_not_null(strstr(result.message, "no checksums"));
}

Test(trace_compare, shorter_roots_are_compared_as_far_as_they_go)
{
    made[1]->trace.root_size = 4;
    memset(made[1]->rows[8].root + 4, 0, 4);
    compare(2);
    cr_assert_eq(result.verdict, TP_VERIFIED);
    made[1]->rows[8].root[3] ^= 1;
    compare(2);
    cr_assert_eq(result.bad_tick, 8);
}

// Goal: a fault on one side only is a difference of that tick, whether the other goes on or ends there.
Test(trace_compare, faults)
{
    for (int i = 0; i < 2; i++) {
        made[i]->trace.count = 50;
        made[i]->trace.end = TP_TRACE_END_FAULT;
        made[i]->trace.fault_root[0] = 3;
    }
    compare(2);
    cr_assert_eq(result.verdict, TP_VERIFIED, "%s", result.message);
    cr_assert_eq(result.compared, 51);
    made[1]->trace.fault_root[0] = 4;
    compare(2);
    cr_assert_eq(result.verdict, TP_DIVERGED);
    cr_assert_eq(result.bad_tick, 50);
    cr_assert(result.is_fault);
    made[1]->trace.count = TICKS;
    made[1]->trace.end = TP_TRACE_END_LOG;
    compare(2);
    cr_assert_eq(result.bad_tick, 50);
    cr_assert(result.is_fault);
    cr_assert_eq(result.inputs_equal, TP_UNKNOWN, "a faulted tick has no row");
}

Test(trace_compare, a_refusal_on_one_side_is_a_difference)
{
    made[1]->trace.count = 50;
    made[1]->trace.end = TP_TRACE_END_REFUSED;
    compare(2);
    cr_assert_eq(result.verdict, TP_DIVERGED);
    cr_assert_eq(result.bad_tick, 50);
    cr_assert_not(result.is_fault);
    cr_assert_not_null(strstr(result.message, "side 2 refuses"), "%s", result.message);
}

Test(trace_compare, gaps)
{
    for (int i = 0; i < 2; i++) {
        made[i]->trace.gap_count = 1;
        made[i]->gaps[0] = 30;
        made[i]->gaps[1] = 10;
    }
    made[1]->rows[35].root[0] ^= 1; // what stands in a gap means nothing
    compare(2);
    cr_assert_eq(result.verdict, TP_VERIFIED, "%s", result.message);
    cr_assert_eq(result.compared, 90);
    made[1]->trace.gap_count = 0;
    compare(2);
    cr_assert_eq(result.verdict, TP_INCOMPLETE, "one side has ticks that nothing was held against");
    made[1]->rows[40].root[0] ^= 1;
    compare(2);
    cr_assert_eq(result.bad_tick, 40);
}

Test(trace_compare, causes_at_the_bad_tick)
{
    part(made[1], 30, 9);
    compare(2);
    cr_assert(result.inputs_equal == TP_YES && result.events_equal == TP_YES && result.draws_equal == TP_YES);
    made[1]->rows[30].draws += 1;
    compare(2);
    cr_assert_eq(result.draws_equal, TP_NO);
    cr_assert_not_null(strstr(result.message, "the generators were used another way"));
    made[1]->rows[30].draws -= 1;
    made[1]->rows[30].draw_digest ^= 1;
    made[1]->rows[30].event ^= 1;
    made[1]->rows[30].input ^= 1;
    compare(2);
    cr_assert(result.inputs_equal == TP_NO && result.events_equal == TP_NO && result.draws_equal == TP_NO);
    cr_assert_not_null(strstr(result.message, "different logs"));
    compare_with(2, NULL, true);
    cr_assert_null(strstr(result.message, "different logs"), "that was said beforehand");
}

// Goal: a log does not know events and draws, so zeroes in its rows are not taken for some.
Test(trace_compare, a_log_knows_only_what_went_in)
{
    made[0]->trace.is_recorded = true;
    for (int i = 0; i < TICKS; i++) {
        made[0]->rows[i].event = made[0]->rows[i].draws = made[0]->rows[i].draw_digest = 0;
    }
    compare(2);
    cr_assert_eq(result.verdict, TP_VERIFIED);
    cr_assert_null(strstr(result.message, "draws"), "%s", result.message);
    part(made[1], 30, 9);
    compare(2);
    cr_assert(result.inputs_equal == TP_YES && result.events_equal == TP_UNKNOWN && result.draws_equal == TP_UNKNOWN);
}

Test(trace_compare, draws_that_no_root_shows)
{
    made[1]->rows[12].draw_digest ^= 1;
    compare(2);
    cr_assert_eq(result.verdict, TP_VERIFIED);
    cr_assert_not_null(strstr(result.message, "draws differ since tick 12"), "%s", result.message);
    part(made[1], 30, 9);
    compare(2);
    cr_assert_eq(result.draws_equal, TP_YES);
    cr_assert_not_null(strstr(result.message, "draws differ since tick 12"), "%s", result.message);
}

// Goal: the first leaves behind the bad tick that differ name the section; earlier ones and equal ones do not.
Test(trace_compare, section)
{
    tp_setup  setup = testworld_setup(&testworld_flat, 2, 1);
    tp_layout layout;
    tp_error  error;
    cr_assert(tp_layout_init(&layout, &testworld_flat, &setup, &error), "%s", error.text);
    part(made[1], 45, 9);
    compare_with(2, &layout, false);
    cr_assert_eq(result.section[0], '\0');
    cr_assert_not_null(strstr(result.message, "section not known"));
    made[1]->numbers[0][0] ^= 1; // before it
    made[1]->numbers[2][0] ^= 1;
    compare_with(2, &layout, false);
    cr_assert_str_eq(result.section, "game");
    cr_assert_eq(result.section_steps, 100);
    made[1]->numbers[1][1] ^= 1;
    made[1]->numbers[1][0] = made[0]->numbers[1][0];
    compare_with(2, &layout, false);
    cr_assert_str_eq(result.section, "players");
    cr_assert_eq(result.section_steps, 64);
    compare(2);
    cr_assert_str_eq(result.section, "leaf 1");
}

Test(trace_compare, inputs_and_events_are_sections_of_the_bad_tick_only)
{
    part(made[1], 63, 9);
    made[1]->numbers[1][LEAVES - 1] ^= 1;
    compare(2);
    cr_assert_str_eq(result.section, "events");
    made[1]->numbers[1][LEAVES - 2] ^= 1;
    compare(2);
    cr_assert_str_eq(result.section, "inputs");
    part(made[1], 62, 9);
    compare(2);
    cr_assert_eq(result.section[0], '\0', "at a later tick they say nothing");
}

Test(trace_compare, states_of_other_sizes)
{
    part(made[1], 45, 9);
    made[1]->leaves[1].count = LEAVES - 1;
    compare(2);
    cr_assert_str_eq(result.section, "leaf 6");
}

Test(trace_compare, other_logs_and_rules_are_refused)
{
    made[2]->trace.chain[31] = 1;
    compare(3);
    cr_assert_eq(result.verdict, TP_INCOMPATIBLE);
    cr_assert_not_null(strstr(result.message, "side 3"));
    compare_with(3, NULL, true);
    cr_assert_eq(result.verdict, TP_VERIFIED);
    made[2]->trace.ident.rules.id.hi ^= 1;
    compare_with(3, NULL, true);
    cr_assert_eq(result.verdict, TP_INCOMPATIBLE);
    made[2]->trace.ident.rules.id.hi ^= 1;
    made[2]->trace.chain[31] = 0;
    made[2]->trace.ident.sequence = 1;
    compare(3);
    cr_assert_eq(result.verdict, TP_INCOMPATIBLE);
}

// Goal: the chain value of one that was cut off, or that stops earlier, is over other records, and says nothing.
Test(trace_compare, chains_of_parts_are_not_compared)
{
    made[1]->trace.chain[0] = 9;
    made[1]->trace.end = TP_TRACE_END_LIMIT;
    made[1]->trace.count = 50;
    compare(2);
    cr_assert_eq(result.verdict, TP_INCOMPLETE);
    made[1]->trace.end = TP_TRACE_END_LOG;
    made[1]->trace.has_end = false;
    compare(2);
    cr_assert_eq(result.verdict, TP_INCOMPLETE);
}

// Goal: two peers' logs that lie years apart take no years, and the last tick that a number can hold is survived.
Test(trace_compare, far_apart)
{
    made[1]->trace.first_tick = UINT64_C(1) << 60;
    compare_with(2, NULL, true);
    cr_assert_eq(result.verdict, TP_INCOMPLETE);
    cr_assert_eq(result.compared, 0);
    for (uint64_t first = UINT64_MAX; first > UINT64_MAX - 130; first -= 3) {
        made[0]->trace.first_tick = made[1]->trace.first_tick = first;
        compare(2);
        cr_assert(result.verdict == TP_VERIFIED || result.verdict == TP_INCOMPLETE);
    }
}

Test(trace_compare, peers_that_came_later)
{
    made[1]->trace.first_tick = 40;
    made[1]->trace.count = 60;
    memmove(made[1]->rows, made[1]->rows + 40, 60 * sizeof(tp_trace_row));
    compare(2);
    cr_assert_eq(result.verdict, TP_INCOMPATIBLE);
    compare_with(2, NULL, true);
    cr_assert_eq(result.verdict, TP_INCOMPLETE, "%s", result.message);
    cr_assert_eq(result.compared, 60);
    made[1]->rows[7].root[0] ^= 1;
    compare_with(2, NULL, true);
    cr_assert_eq(result.bad_tick, 47);
}

Test(trace_compare, how_many)
{
    compare(1);
    cr_assert_eq(result.verdict, TP_USAGE);
    compare(TP_TRACE_SIDES_MAX + 1);
    cr_assert_eq(result.verdict, TP_USAGE);
    part(made[63], 99, 9);
    compare(TP_TRACE_SIDES_MAX);
    cr_assert_eq(result.verdict, TP_DIVERGED);
    cr_assert(result.sides[63].has_left && result.has_majority);
}

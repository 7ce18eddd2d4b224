// test_log_repair.c: a log without END gets one in a copy, without its world.
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "log_fixture.h"
#include "log_mutate.h"

TestSuite(log_repair, .timeout = 120);

static const tp_provenance    provenance[] = { { "repaired", 8, "by a test", 9 } };
static const tp_repair_options usual = { .provenance_count = 1, .provenance = provenance };

typedef struct {
    tp_log_status  status; // of the look
    tp_repair      repair;
    tp_memory_sink made;
    tp_error       error;
} Outcome;

static Outcome repair_with(const uint8_t *bytes, size_t size, const tp_repair_options *options)
{
    Outcome          outcome = { .status = TP_LOG_OK };
    tp_memory_source memory = { bytes, size };
    tp_source        source = tp_source_of_memory(&memory);
    tp_sink          sink = tp_sink_of_memory(&outcome.made);
    outcome.status = tp_log_repair_look(&source, &outcome.repair, &outcome.error);
    if (outcome.status == TP_LOG_OK && !outcome.repair.is_whole) {
        cr_assert_eq(tp_log_repair_write(&source, &outcome.repair, options, &sink, &outcome.error), TP_LOG_OK, "%s", outcome.error.text);
    }
    return outcome;
}

static void forget(Outcome *outcome)
{
    if (outcome->status == TP_LOG_OK) {
        tp_repair_finish(&outcome->repair);
    }
    free(outcome->made.bytes);
}

// Roots of a run that was never cut, by ticks done.
static tp_hash128 *true_roots(const LogFixture *fixture)
{
    tp_hash128 *roots = calloc(fixture->ticks + 1, sizeof(*roots));
    tp_sim     *sim = fixture_sim(fixture);
    roots[0] = tp_sim_root(sim);
    while (tp_sim_tick(sim) < fixture->ticks) {
        fixture_step(fixture, sim, NULL);
        roots[tp_sim_tick(sim)] = tp_sim_root(sim);
    }
    tp_sim_destroy(sim);
    return roots;
}

static void hold_end(const Outcome *outcome, const tp_hash128 *roots, size_t *rooted)
{
    LogMutate list;
    uint8_t   root[16];
    cr_assert(log_mutate_load(&list, outcome->made.bytes, outcome->made.size));
    const LogMutateRecord *end = &list.records[list.count - 1];
    cr_assert_eq(end->type, TP_LOG_END);
    cr_assert_eq(end->payload[0], TP_END_STOPPED);
    cr_assert_eq(end->payload[4], outcome->repair.has_root);
    tp_hash128_to_bytes(roots[outcome->repair.recovery.next_tick], root);
    if (outcome->repair.has_root) {
        cr_assert_eq(memcmp(end->payload + 88, root, 16), 0, "a root that END names is the last tick's");
        *rooted += 1;
    }
    size_t resume = log_mutate_find(&list, TP_LOG_RESUME, 0);
    cr_assert_lt(resume, list.count);
    cr_assert_eq(list.records[resume].tick, outcome->repair.recovery.next_tick);
    log_mutate_finish(&list);
}

// Goal: wherever it was cut, the copy is whole, begins with what was kept, and claims nothing that is not so.
Test(log_repair, cut_anywhere)
{
    LogFixture fixture = fixture_standard();
    fixture.gap_ticks = 0;
    tp_memory_sink whole = fixture_log(&fixture);
    tp_hash128    *roots = true_roots(&fixture);
    size_t         repaired = 0, rooted = 0, with_lost = 0;
    for (size_t cut = 0; cut < whole.size; cut += 5) {
        Outcome outcome = repair_with(whole.bytes, cut, &usual);
        if (outcome.status != TP_LOG_OK) {
            cr_assert_eq(outcome.status, TP_LOG_TRUNCATED);
            cr_assert_lt(cut, 2000, "there is a KEY by now");
            continue;
        }
        const tp_recovery *kept = &outcome.repair.recovery;
        cr_assert_not(outcome.repair.is_damaged);
        cr_assert_eq(memcmp(outcome.made.bytes, whole.bytes, kept->good_size), 0);
        LogReading reading = fixture_read(outcome.made.bytes, outcome.made.size);
        cr_assert_eq(reading.status, TP_LOG_DONE, "cut at %zu: %s", cut, reading.message);
        cr_assert_eq(reading.ticks, kept->ticks);
        cr_assert_geq(outcome.repair.lost_next_tick, kept->next_tick);
        cr_assert_leq(outcome.repair.lost_records, 2, "the record that is torn, and one before it that cannot be the last");
        with_lost += outcome.repair.lost_next_tick > kept->next_tick ? 1 : 0;
        hold_end(&outcome, roots, &rooted);
        Outcome again = repair_with(outcome.made.bytes, outcome.made.size, &usual);
        cr_assert(again.repair.is_whole, "what is repaired needs nothing");
        forget(&again);
        forget(&outcome);
        repaired++;
    }
    cr_assert_gt(repaired, 200);
    cr_assert_gt(rooted, 5, "behind a KEY or LEAVES the root is there");
    cr_assert_lt(rooted, repaired, "and elsewhere it is not");
    cr_assert_gt(with_lost, 50, "a torn record of ticks says how far it went");
    free(roots);
    free(whole.bytes);
}

// Goal: damage is told apart from a torn tail, with its place, and what lies behind it is counted.
Test(log_repair, damage_in_the_middle)
{
    LogFixture fixture = fixture_standard();
    fixture.gap_ticks = 0;
    tp_memory_sink whole = fixture_log(&fixture);
    LogMutate      list;
    cr_assert(log_mutate_load(&list, whole.bytes, whole.size));
    size_t offset = 28;
    for (size_t i = 0; i + 1 < list.count; i++) {
        size_t size = list.records[i].size + 32;
        whole.bytes[offset + 28] ^= 0x10;
        Outcome outcome = repair_with(whole.bytes, whole.size, &usual);
        whole.bytes[offset + 28] ^= 0x10;
        if (i < 2) {
            cr_assert_neq(outcome.status, TP_LOG_OK, "without IDENT and its first KEY it is lost");
        } else {
            cr_assert_eq(outcome.status, TP_LOG_OK, "%s", outcome.error.text);
            cr_assert(outcome.repair.is_damaged);
            cr_assert_eq(outcome.repair.recovery.stop_offset, offset);
            cr_assert_gt(strlen(outcome.repair.recovery.stop_text), 0);
            cr_assert_geq(outcome.repair.lost_records, list.count - i, "the damaged one has a head that holds, and those behind it");
            cr_assert_eq(outcome.repair.lost_next_tick, fixture.ticks, "record %zu", i);
            cr_assert_eq(fixture_read(outcome.made.bytes, outcome.made.size).status, TP_LOG_DONE);
        }
        forget(&outcome);
        offset += size;
    }
    log_mutate_finish(&list);
    free(whole.bytes);
}

// Goal: what follows END is no part of the log; cutting it gives the log back as it was, with its signature.
Test(log_repair, what_follows_end_is_cut_alone)
{
    LogFixture fixture = fixture_standard();
    fixture.writer.sign_key = fixture_sign_key();
    tp_memory_sink whole = fixture_log(&fixture);
    uint8_t       *longer = calloc(1, whole.size + 5000);
    memcpy(longer, whole.bytes, whole.size);
    for (int kind = 0; kind < 2; kind++) {
        longer[whole.size + 100] = (uint8_t)(kind * 7); // zeroes; then something
        Outcome outcome = repair_with(longer, whole.size + 5000, &usual);
        cr_assert_eq(outcome.status, TP_LOG_OK);
        cr_assert_not(outcome.repair.is_whole);
        cr_assert_eq(outcome.repair.is_damaged, kind == 1);
        cr_assert_eq(outcome.made.size, whole.size);
        cr_assert_eq(memcmp(outcome.made.bytes, whole.bytes, whole.size), 0);
        forget(&outcome);
    }
    Outcome outcome = repair_with(whole.bytes, whole.size, &usual);
    cr_assert(outcome.repair.is_whole);
    forget(&outcome);
    free(longer);
    free(whole.bytes);
}

Test(log_repair, after_a_fault_it_ends_with_it)
{
    LogFixture fixture = fixture_standard();
    fixture.gap_ticks = 0;
    fixture.fault_at = 50;
    tp_memory_sink whole = fixture_log(&fixture);
    Outcome        outcome = repair_with(whole.bytes, whole.size - 100, &usual);
    cr_assert_eq(outcome.status, TP_LOG_OK, "%s", outcome.error.text);
    LogReading reading = fixture_read(outcome.made.bytes, outcome.made.size);
    cr_assert_eq(reading.status, TP_LOG_DONE, "%s", reading.message);
    LogMutate list;
    cr_assert(log_mutate_load(&list, outcome.made.bytes, outcome.made.size));
    cr_assert_eq(log_mutate_find(&list, TP_LOG_RESUME, 0), list.count);
    cr_assert_eq(list.records[list.count - 1].payload[0], TP_END_FAULT);
    log_mutate_finish(&list);
    forget(&outcome);
    free(whole.bytes);
}

// Goal: the old signatures are counted and stay; the new SEAL and END are the repairer's, or nobody's.
Test(log_repair, whose_it_is)
{
    LogFixture        fixture = fixture_standard();
    uint8_t           secret[64], public_key[32];
    tp_repair_options options = usual;
    fixture.gap_ticks = 0;
    fixture.writer.sign_key = fixture_sign_key();
    tp_memory_sink whole = fixture_log(&fixture);
    cr_assert(tp_keys_make(secret, public_key));
    for (int kind = 0; kind < 2; kind++) {
        options.sign_key = kind == 0 ? NULL : secret;
        Outcome outcome = repair_with(whole.bytes, whole.size - 300, &options);
        cr_assert_eq(outcome.status, TP_LOG_OK);
        cr_assert_gt(outcome.repair.signed_seals, 0);
        cr_assert_eq(outcome.repair.signed_seals, outcome.repair.seals);
        cr_assert_eq(memcmp(outcome.repair.public_key, fixture_sign_key() + 32, 32), 0);
        tp_memory_source memory = { outcome.made.bytes, outcome.made.size };
        tp_source        source = tp_source_of_memory(&memory);
        tp_signing       signing;
        cr_assert_eq(tp_log_sign_look(&source, &signing, &outcome.error), TP_LOG_OK, "%s", outcome.error.text);
        cr_assert_eq(signing.end.is_signed, kind == 1);
        cr_assert_eq(signing.signed_seals, outcome.repair.signed_seals + (kind == 1));
        cr_assert_eq(memcmp(signing.end.public_key, public_key, 32) == 0, kind == 1);
        forget(&outcome);
    }
    free(whole.bytes);
}

static bool refuse_all(void *self, const uint8_t *bytes, size_t size)
{
    size_t *left = self;
    (void)bytes;
    (void)size;
    return (*left)-- > 0;
}

Test(log_repair, a_sink_that_fails_is_told)
{
    LogFixture       fixture = fixture_standard();
    tp_memory_sink   whole = fixture_log(&fixture);
    tp_memory_source memory = { whole.bytes, whole.size - 400 };
    tp_source        source = tp_source_of_memory(&memory);
    tp_repair        repair;
    tp_error         error;
    cr_assert_eq(tp_log_repair_look(&source, &repair, &error), TP_LOG_OK);
    for (size_t writes = 0; writes < 5; writes++) { // the copy, RESUME, SEAL, INDEX, END
        size_t  left = writes;
        tp_sink sink = { .self = &left, .write = refuse_all };
        cr_assert_eq(tp_log_repair_write(&source, &repair, &usual, &sink, &error), TP_LOG_IO, "after %zu writes", writes);
    }
    tp_repair_finish(&repair);
    free(whole.bytes);
}

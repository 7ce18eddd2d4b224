// Every verdict, reached by a log that deserves it.
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "bytes.h"
#include "log_mutate.h"
#include "testrecording.h"

static uint8_t *make(size_t *size)
{
    Recording recording = recording_standard();
    return recording_make(&recording, size);
}

static void expect(const uint8_t *bytes, size_t size, tp_verdict verdict, const char *says)
{
    tp_report report = recording_verify(bytes, size);
    cr_assert_eq(report.verdict, verdict, "%s: %s", tp_verdict_name(report.verdict), report.message);
    cr_assert_not_null(strstr(report.message, says), "'%s' does not say '%s'", report.message, says);
}

static void verifies(const Recording *recording)
{
    size_t    size = 0;
    uint8_t  *bytes = recording_make(recording, &size);
    tp_report report = recording_verify(bytes, size);
    cr_assert_eq(report.verdict, TP_VERIFIED, "%s", report.message);
    cr_assert_eq(report.checked, report.recorded);
    cr_assert(report.has_end);
    free(bytes);
}

Test(verify, good_logs_verify)
{
    Recording recording = recording_standard();
    verifies(&recording);
    recording.algorithm = TP_HASH_FNV1A128;
    verifies(&recording);
    recording.players = 0;
    verifies(&recording);
    recording.players = 16;
    recording.writer.root_size = 16;
    verifies(&recording);
    recording.world = &testworld_opaque;
    recording.algorithm = TP_HASH_XXH3;
    recording.writer.root_size = 4;
    recording.writer.run_ticks = 1;
    verifies(&recording);
    recording.reason = TP_END_STOPPED;
    recording.writer.leaves_ticks = 0;
    recording.writer.key_ticks = 0;
    recording.writer.seal_ticks = 0;
    verifies(&recording);
}

Test(verify, good_log_says_what_it_is)
{
    size_t    size = 0;
    uint8_t  *bytes = make(&size);
    tp_report report = recording_verify(bytes, size);
    cr_assert_str_eq(report.world, "testflat");
    cr_assert_eq(report.seed, 77);
    cr_assert_eq(report.players, 2);
    cr_assert_eq(report.recorded, 300);
    cr_assert_eq(report.checked, 300);
    cr_assert_eq(report.stepped, 300);
    cr_assert_eq(report.next_tick, 300);
    cr_assert_eq(report.end_reason, TP_END_COMPLETED);
    cr_assert_eq(report.offset, size);
    free(bytes);
}

// The row of `tick` inside the TICKS record it lies in.
static uint8_t *find_row(LogMutate *log, uint64_t tick, uint32_t *root_at)
{
    uint32_t fixed = tp_row_size_fixed(2, 2);
    for (size_t at = log_mutate_find(log, TP_LOG_TICKS, 0); at < log->count; at = log_mutate_find(log, TP_LOG_TICKS, at + 1)) {
        LogMutateRecord *record = &log->records[at];
        uint32_t         offset = 4;
        for (uint64_t row = record->tick; row < record->tick + bytes_get_u16(record->payload); row++) {
            uint32_t size = fixed;
            for (uint32_t left = bytes_get_u16(record->payload + offset + fixed - 2); left > 0; left--) {
                size += 8u + bytes_get_u16(record->payload + offset + size + 6);
            }
            if (row == tick) {
                *root_at = offset + size;
                return record->payload + offset;
            }
            offset += size + record->payload[2];
        }
    }
    cr_assert_fail("no row of tick %d", (int)tick);
    return NULL;
}

static void change_root(uint64_t tick)
{
    LogMutate log = { 0 };
    uint32_t  root_at = 0;
    size_t    size = 0;
    uint8_t  *bytes = make(&size);
    cr_assert(log_mutate_load(&log, bytes, size));
    uint8_t *row = find_row(&log, tick, &root_at);
    uint32_t fixed = tp_row_size_fixed(2, 2);
    uint32_t extra = 0;
    for (uint32_t left = bytes_get_u16(row + fixed - 2); left > 0; left--) {
        extra += 8u + bytes_get_u16(row + fixed + extra + 6);
    }
    row[fixed + extra] ^= 1;
    uint8_t  *changed = log_mutate_save(&log, LOG_MUTATE_ALL, &size);
    tp_report report = recording_verify(changed, size);
    cr_assert_eq(report.verdict, TP_DIVERGED, "%s", report.message);
    cr_assert_eq(report.bad_tick, tick);
    cr_assert_eq(report.matched_ticks, tick);
    log_mutate_finish(&log);
    free(changed);
    free(bytes);
}

// Goal: no tick is left unchecked, first and last included.
Test(verify, one_wrong_root_is_found_at_its_tick)
{
    change_root(0);
    change_root(1);
    change_root(150);
    change_root(298);
    change_root(299);
}

// Goal: an input that does nothing is still bound to its tick, and the report says that the state agrees.
Test(verify, input_without_effect_is_found_at_its_tick)
{
    LogMutate log = { 0 };
    uint32_t  root_at = 0;
    size_t    size = 0;
    uint8_t  *bytes = make(&size);
    cr_assert(log_mutate_load(&log, bytes, size));
    uint8_t *row = find_row(&log, 210, &root_at);
    row[1 + 1 + 2] ^= 4; // slot 1 presses a button that the world ignores
    uint8_t  *changed = log_mutate_save(&log, LOG_MUTATE_ALL, &size);
    tp_report report = recording_verify(changed, size);
    cr_assert_eq(report.verdict, TP_DIVERGED);
    cr_assert_eq(report.bad_tick, 210);
    cr_assert_not_null(strstr(report.message, "the next tick agrees again"), "%s", report.message);
    log_mutate_finish(&log);
    free(changed);
    free(bytes);
}

// Takes the roots out of every TICKS record but the one at `keep` (SIZE_MAX: all).
static void strip_rows(LogMutate *log, uint64_t keep)
{
    for (size_t at = log_mutate_find(log, TP_LOG_TICKS, 0); at < log->count; at = log_mutate_find(log, TP_LOG_TICKS, at + 1)) {
        LogMutateRecord *record = &log->records[at];
        uint8_t         *payload = malloc(record->size);
        uint32_t         used = 4;
        uint32_t         offset = 4;
        uint32_t         fixed = tp_row_size_fixed(2, 2);
        if (record->tick == keep) {
            free(payload);
            continue;
        }
        memcpy(payload, record->payload, 4);
        payload[2] = 0;
        for (uint32_t row = 0; row < bytes_get_u16(record->payload); row++) {
            uint32_t size = fixed;
            for (uint32_t left = bytes_get_u16(record->payload + offset + fixed - 2); left > 0; left--) {
                size += 8u + bytes_get_u16(record->payload + offset + size + 6);
            }
            memcpy(payload + used, record->payload + offset, size);
            used += size;
            offset += size + record->payload[2];
        }
        log_mutate_replace(log, at, payload, used);
        free(payload);
    }
}

static void strip_others(LogMutate *log)
{
    for (size_t at = log->count; at-- > 0;) {
        LogMutateRecord *record = &log->records[at];
        if (record->type == TP_LOG_LEAVES) {
            log_mutate_delete(log, at);
        } else if (record->type == TP_LOG_KEY) {
            memset(record->payload + 8, 0, 32);
            record->payload[40] &= (uint8_t)~1u;
        } else if (record->type == TP_LOG_END) {
            memset(record->payload + 88, 0, 16);
            record->payload[4] = 0;
        }
    }
}

Test(verify, log_without_any_checksum_is_unverifiable)
{
    LogMutate log = { 0 };
    size_t    size = 0;
    uint8_t  *bytes = make(&size);
    cr_assert(log_mutate_load(&log, bytes, size));
    strip_rows(&log, UINT64_MAX);
    strip_others(&log);
    uint8_t  *changed = log_mutate_save(&log, LOG_MUTATE_ALL, &size);
    tp_report report = recording_verify(changed, size);
    cr_assert_eq(report.verdict, TP_UNVERIFIABLE, "%s: %s", tp_verdict_name(report.verdict), report.message);
    cr_assert_eq(report.recorded, 300);
    cr_assert_eq(report.checked, 0);
    log_mutate_finish(&log);
    free(changed);
    free(bytes);
}

// Goal: one root in a whole log proves one tick, not the log.
Test(verify, one_root_only_is_incomplete_with_its_coverage)
{
    Recording recording = recording_standard();
    LogMutate log = { 0 };
    size_t    size = 0;
    recording.writer.run_ticks = 1;
    uint8_t *bytes = recording_make(&recording, &size);
    cr_assert(log_mutate_load(&log, bytes, size));
    strip_rows(&log, 123);
    strip_others(&log);
    uint8_t  *changed = log_mutate_save(&log, LOG_MUTATE_ALL, &size);
    tp_report report = recording_verify(changed, size);
    cr_assert_eq(report.verdict, TP_INCOMPLETE, "%s: %s", tp_verdict_name(report.verdict), report.message);
    cr_assert_eq(report.checked, 1);
    cr_assert_eq(report.recorded, 300);
    log_mutate_finish(&log);
    free(changed);
    free(bytes);
}

static void change_end_root(unsigned fix, tp_verdict verdict)
{
    LogMutate log = { 0 };
    size_t    size = 0;
    uint8_t  *bytes = make(&size);
    cr_assert(log_mutate_load(&log, bytes, size));
    log.records[log.count - 1].payload[90] ^= 0x10;
    uint8_t *changed = log_mutate_save(&log, fix, &size);
    expect(changed, size, verdict, "");
    log_mutate_finish(&log);
    free(changed);
    free(bytes);
}

// Goal: END against the last root: re-simulation sides with the root, so END is what is corrupt.
Test(verify, wrong_end_root_is_corrupt)
{
    change_end_root(LOG_MUTATE_ALL, TP_CORRUPT);
    change_end_root(0, TP_CORRUPT);
}

Test(verify, zero_ticks_are_incomplete)
{
    Recording recording = recording_standard();
    size_t    size = 0;
    recording.ticks = 0;
    uint8_t *bytes = recording_make(&recording, &size);
    expect(bytes, size, TP_INCOMPLETE, "no tick was recorded");
    free(bytes);
}

Test(verify, recorded_fault_verifies_only_if_it_happens_again)
{
    Recording recording = recording_standard();
    size_t    size = 0;
    recording.fault_tick = 155;
    uint8_t  *bytes = recording_make(&recording, &size);
    tp_report report = recording_verify(bytes, size);
    cr_assert_eq(report.verdict, TP_VERIFIED, "%s", report.message);
    cr_assert(report.has_fault);
    cr_assert_eq(report.fault_tick, 155);
    cr_assert_eq(report.checked, 155);

    LogMutate log = { 0 };
    cr_assert(log_mutate_load(&log, bytes, size));
    size_t   at = log_mutate_find(&log, TP_LOG_FAULT, 0);
    uint8_t *row = log.records[at].payload + 16;
    bytes_put_u16(row + tp_row_size_fixed(2, 2) - 2 + 2 + 4, TESTWORLD_COMMAND_TEXT); // no longer the command that stops
    uint8_t *changed = log_mutate_save(&log, LOG_MUTATE_ALL, &size);
    report = recording_verify(changed, size);
    cr_assert_eq(report.verdict, TP_DIVERGED, "%s", report.message);
    cr_assert_eq(report.bad_tick, 155);
    cr_assert_not_null(strstr(report.message, "the world goes on"));
    free(changed);

    row[1 + 1] ^= 4; // another input, and it still faults
    bytes_put_u16(row + tp_row_size_fixed(2, 2) - 2 + 2 + 4, TESTWORLD_COMMAND_FAULT);
    changed = log_mutate_save(&log, LOG_MUTATE_ALL, &size);
    report = recording_verify(changed, size);
    cr_assert_eq(report.verdict, TP_DIVERGED, "%s", report.message);
    cr_assert_eq(report.bad_tick, 155);
    log_mutate_finish(&log);
    free(changed);
    free(bytes);
}

static const tp_world *find_other;
static const tp_world *give_other(void *to, const char *name, uint32_t revision)
{
    (void)to;
    (void)name;
    (void)revision;
    return find_other;
}

static void expect_incompatible(const tp_world *world, const char *says)
{
    size_t            size = 0;
    uint8_t          *bytes = make(&size);
    tp_memory_source  memory = { bytes, size };
    tp_source         source = tp_source_of_memory(&memory);
    tp_verify_options options = recording_verify_options();
    tp_report         report;
    find_other = world;
    options.find_world = give_other;
    tp_verify_log(&source, &options, &report);
    cr_assert_eq(report.verdict, TP_INCOMPATIBLE, "%s: %s", tp_verdict_name(report.verdict), report.message);
    cr_assert_not_null(strstr(report.message, says), "%s", report.message);
    cr_assert_eq(report.stepped, 0, "said before tick 0");
    free(bytes);
}

Test(verify, what_cannot_be_run_is_named_before_tick_0)
{
    expect_incompatible(NULL, "world 'testflat' (revision 1) is not here");
    tp_world world = testworld_flat;
    world.revision = 2;
    expect_incompatible(&world, "is revision 1 (ABI 1) in the log and 2 (ABI 1) here");
    world = testworld_flat;
    world.events_max = 9;
    expect_incompatible(&world, "layout of world 'testflat' revision 1 differs");
    world = testworld_flat;
    world.config_count = 1;
    expect_incompatible(&world, "config item 1 is 'spawn' in the log and 'nothing'");
    world = testworld_flat;
    world.players_max = 1;
    world.players_standard = 1;
    expect_incompatible(&world, "refuses the log's rules: 2 players");
    world = testworld_flat;
    world.abi = 9;
    expect_incompatible(&world, "ABI 9");
    static const uint8_t table[4] = { 1, 2, 3, 4 };
    static const tp_content content = { "table", table, sizeof(table), 1 };
    world = testworld_flat;
    world.content = &content;
    world.content_count = 1;
    expect_incompatible(&world, "content of world");
}

// Goal: the documented precedence inside one file.
Test(verify, forged_beats_diverged_beats_truncated)
{
    LogMutate log = { 0 };
    uint32_t  root_at = 0;
    size_t    size = 0;
    uint8_t  *bytes = make(&size);
    cr_assert(log_mutate_load(&log, bytes, size));
    uint8_t *row = find_row(&log, 20, &root_at);
    row[tp_row_size_fixed(2, 2)] ^= 1; // tick 20 carries no command
    size_t   redone = 0;
    uint8_t *diverged = log_mutate_save(&log, LOG_MUTATE_ALL, &redone);
    expect(diverged, redone, TP_DIVERGED, "first bad tick 20");
    expect(diverged, redone - 40, TP_DIVERGED, "first bad tick 20"); // and cut

    // A SEAL that lies past the bad tick, with CRCs that hold: forged, diverged and truncated at once.
    size_t seal = log_mutate_find(&log, TP_LOG_SEAL, 0);
    cr_assert_lt(seal, log.count);
    size_t offset = TP_LOG_HEADER_SIZE;
    for (size_t i = 0; i < seal; i++) {
        offset += TP_LOG_RECORD_HEAD + log.records[i].size + 4;
    }
    extern uint32_t crc32c(uint32_t crc, const void *data, size_t size);
    diverged[offset + TP_LOG_RECORD_HEAD] ^= 1;
    bytes_put_u32(diverged + offset + TP_LOG_RECORD_HEAD + 152, crc32c(0, diverged + offset + TP_LOG_RECORD_HEAD, 152));
    expect(diverged, redone - 40, TP_UNAUTHENTIC, "");

    // Damage before the bad tick is the earlier of the two.
    diverged[TP_LOG_HEADER_SIZE + 4] ^= 1;
    expect(diverged, redone, TP_CORRUPT, "");
    log_mutate_finish(&log);
    free(diverged);
    free(bytes);
}

// Goal: a host that stops early never gets VERIFIED, not even where the log has nothing but its fault.
Test(verify, early_finish_is_incomplete)
{
    Recording recording = recording_standard();
    size_t    size = 0;
    recording.fault_tick = 1;
    uint8_t          *bytes = recording_make(&recording, &size);
    tp_memory_source  memory = { bytes, size };
    tp_source         source = tp_source_of_memory(&memory);
    tp_verify_options options = recording_verify_options();
    for (int rows = 0; rows <= 2; rows++) {
        tp_verifier *verifier = tp_verifier_create(&source, &options);
        tp_report    report;
        for (int row = 0; row < rows; row++) {
            cr_assert_eq(tp_verifier_next(verifier), TP_VERIFIER_ROW);
        }
        tp_verifier_finish(verifier, &report);
        cr_assert_eq(report.verdict, TP_INCOMPLETE, "%d rows: %s: %s", rows, tp_verdict_name(report.verdict), report.message);
        tp_verifier_destroy(verifier);
    }
    free(bytes);
}

// Goal: where not every tick carries a root, the report says between which ticks the bad one lies.
Test(verify, sparse_roots_give_a_range)
{
    LogMutate log = { 0 };
    uint32_t  root_at = 0;
    size_t    size = 0;
    uint8_t  *bytes = make(&size);
    cr_assert(log_mutate_load(&log, bytes, size));
    strip_rows(&log, UINT64_MAX); // LEAVES every 64 and KEY every 100 still carry one
    uint8_t *row = find_row(&log, 150, &root_at);
    row[1 + 1 + 1] ^= 2; // slot 0's stick
    uint8_t  *changed = log_mutate_save(&log, LOG_MUTATE_ALL, &size);
    tp_report report = recording_verify(changed, size);
    cr_assert_eq(report.verdict, TP_DIVERGED, "%s", report.message);
    cr_assert_eq(report.bad_tick, 191, "the LEAVES that shows it");
    cr_assert_eq(report.suspect_tick, 128, "the tick after the LEAVES before it");
    cr_assert_not_null(strstr(report.message, "from 128 on"), "%s", report.message);
    log_mutate_finish(&log);
    free(changed);
    free(bytes);
}

Test(verify, interrupt_is_incomplete)
{
    size_t            size = 0;
    uint8_t          *bytes = make(&size);
    tp_memory_source  memory = { bytes, size };
    tp_source         source = tp_source_of_memory(&memory);
    tp_verify_options options = recording_verify_options();
    volatile bool     stop = true;
    tp_report         report;
    options.stop = &stop;
    tp_verify_log(&source, &options, &report);
    cr_assert_eq(report.verdict, TP_INCOMPLETE, "%s", report.message);
    cr_assert_lt(report.checked, 300);
    free(bytes);
}

Test(verify, unsigned_log_is_not_by_the_trusted_key)
{
    const uint8_t     key[32] = { 1 };
    size_t            size = 0;
    uint8_t          *bytes = make(&size);
    tp_memory_source  memory = { bytes, size };
    tp_source         source = tp_source_of_memory(&memory);
    tp_verify_options options = recording_verify_options();
    tp_report         report;
    options.trusted_key = key;
    tp_verify_log(&source, &options, &report);
    cr_assert_eq(report.verdict, TP_UNAUTHENTIC, "%s", report.message);
    free(bytes);
}

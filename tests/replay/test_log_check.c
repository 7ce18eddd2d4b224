// test_log_check.c: logs whose every checksum, total and offset holds, and that break one rule of the page.
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "bytes.h"
#include "log_fixture.h"
#include "log_mutate.h"

static LogMutate list;

static void start(const LogFixture *fixture)
{
    tp_memory_sink whole = fixture_log(fixture);
    cr_assert(log_mutate_load(&list, whole.bytes, whole.size));
    free(whole.bytes);
}

static void start_standard(void)
{
    LogFixture fixture = fixture_standard();
    start(&fixture);
}

static void stop(void)
{
    log_mutate_finish(&list);
}

TestSuite(log_check, .init = start_standard, .fini = stop, .timeout = 60);

static LogReading read_list(unsigned fix)
{
    size_t     size = 0;
    uint8_t   *bytes = log_mutate_save(&list, fix, &size);
    LogReading reading = fixture_read(bytes, size);
    free(bytes);
    return reading;
}

static void expect_refused(const char *message)
{
    LogReading reading = read_list(LOG_MUTATE_ALL);
    cr_assert_eq(reading.status, TP_LOG_CORRUPT, "status %s: %s", tp_log_status_name(reading.status), reading.message);
    cr_assert(strstr(reading.message, message) != NULL, "%s", reading.message);
}

static LogMutateRecord *find(uint32_t type)
{
    size_t at = log_mutate_find(&list, type, 0);
    cr_assert_lt(at, list.count);
    return &list.records[at];
}

static size_t last(uint32_t type)
{
    size_t at = list.count;
    while (list.records[at - 1].type != type) {
        at--;
    }
    return at - 1;
}

// Goal: the tool of this file is a good forger: what it saves unchanged is accepted, and also what it saves with a record less.
Test(log_check, saving_unchanged_is_accepted)
{
    cr_assert_eq(read_list(0).status, TP_LOG_DONE);
    cr_assert_eq(read_list(LOG_MUTATE_ALL).status, TP_LOG_DONE);
    log_mutate_delete(&list, log_mutate_find(&list, TP_LOG_NOTE, 0));
    cr_assert_neq(read_list(0).status, TP_LOG_DONE);
    LogReading reading = read_list(LOG_MUTATE_ALL);
    cr_assert_eq(reading.status, TP_LOG_DONE, "%s", reading.message);
}

Test(log_check, ident_comes_first_and_once)
{
    LogMutateRecord ident = list.records[0];
    log_mutate_insert(&list, 2, TP_LOG_IDENT, 0, ident.payload, ident.size);
    expect_refused("IDENT may only be the first record");
}

Test(log_check, a_key_must_be_second)
{
    log_mutate_insert(&list, 1, TP_LOG_NOTE, 0, "\1\0\0\0", 4);
    expect_refused("the second record must be a KEY");
}

Test(log_check, one_key_per_tick)
{
    LogMutateRecord key = list.records[1];
    log_mutate_insert(&list, 2, TP_LOG_KEY, 0, key.payload, key.size);
    expect_refused("this tick has a KEY already");
}

Test(log_check, a_removed_run_is_noticed)
{
    log_mutate_delete(&list, log_mutate_find(&list, TP_LOG_TICKS, 0));
    expect_refused("must be 0");
}

Test(log_check, leaves_follow_their_ticks_once)
{
    size_t          at = log_mutate_find(&list, TP_LOG_LEAVES, 0);
    LogMutateRecord leaves = list.records[at];
    log_mutate_insert(&list, at + 1, TP_LOG_LEAVES, leaves.tick, leaves.payload, leaves.size);
    expect_refused("LEAVES may only follow");
    log_mutate_delete(&list, at + 1);
    log_mutate_insert(&list, at, TP_LOG_NOTE, leaves.tick + 1, "\1\0\0\0", 4);
    cr_assert_eq(read_list(LOG_MUTATE_ALL).status, TP_LOG_DONE, "a NOTE may lie between");
    log_mutate_insert(&list, at, TP_LOG_RESUME, leaves.tick + 1,
                      "\1\0\0\0\2\0\0\0\x20\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0", 26);
    expect_refused("LEAVES may only follow");
}

Test(log_check, leaves_have_at_least_two)
{
    LogMutateRecord *leaves = find(TP_LOG_LEAVES);
    leaves->size = 28;
    bytes_put_u32(leaves->payload + 16, 1);
    expect_refused("fewer than two");
}

Test(log_check, a_gap_needs_its_key)
{
    size_t gap = log_mutate_find(&list, TP_LOG_GAP, 0);
    log_mutate_delete(&list, gap + 1);
    expect_refused("a KEY must follow a GAP");
}

Test(log_check, a_gap_cannot_hide)
{
    size_t gap = log_mutate_find(&list, TP_LOG_GAP, 0);
    log_mutate_delete(&list, gap);
    expect_refused("tick 79, must be 70");
}

Test(log_check, unproven_is_said_exactly_after_a_gap)
{
    size_t gap = log_mutate_find(&list, TP_LOG_GAP, 0);
    list.records[gap + 1].payload[40] = 1;
    expect_refused("exactly after a GAP");
    list.records[gap + 1].payload[40] = 3;
    list.records[1].payload[40] = 3;
    expect_refused("exactly after a GAP");
}

Test(log_check, gap_bounds)
{
    uint8_t *gap = find(TP_LOG_GAP)->payload;
    bytes_put_u64(gap + 8, 69);
    expect_refused("GAP: ticks");
    bytes_put_u64(gap + 8, UINT64_MAX);
    expect_refused("GAP: ticks");
    bytes_put_u64(gap + 8, 78);
    bytes_put_u32(gap + 16, 0);
    expect_refused("unknown cause");
    bytes_put_u32(gap + 16, 5);
    expect_refused("unknown cause");
}

Test(log_check, rows_and_roots_have_bounds)
{
    uint8_t *ticks = find(TP_LOG_TICKS)->payload;
    for (uint32_t size = 0; size < 256; size++) {
        ticks[2] = (uint8_t)size;
        LogReading reading = read_list(LOG_MUTATE_ALL);
        cr_assert_eq(reading.status, size == 8 ? TP_LOG_DONE : TP_LOG_CORRUPT, "%u", (unsigned)size);
        if ((size > 0 && size < 4) || size > 16) {
            cr_assert(strstr(reading.message, "must be 0 or 4 to 16") != NULL, "%s", reading.message);
        }
    }
    ticks[2] = 8;
    bytes_put_u16(ticks, 0);
    expect_refused("0 rows");
    bytes_put_u16(ticks, 257);
    expect_refused("257 rows");
}

Test(log_check, absent_slots_and_unused_bits_are_zero)
{
    uint8_t *row = find(TP_LOG_TICKS)->payload + 4;
    uint8_t  presence = row[0]; // three players: bits 3 to 7 are unused
    row[0] = presence | 0x20;
    expect_refused("unused bit of the presence");
    row[0] = presence;
    row[1] |= 0x40;
    expect_refused("unused bit of the origins");
    row[1] &= 0x3F;
    row[0] = 0;
    expect_refused("an absent slot has an");
}

Test(log_check, commands_have_bounds)
{
    // A run of one row with one command, made by hand: presence, origins, 3 inputs of 2 bytes, count, the command, root.
    enum { FIXED = 1 + 1 + 6 };
    static uint8_t payload[200000];
    size_t         at = log_mutate_find(&list, TP_LOG_TICKS, 0);
    while (at < list.count) {
        log_mutate_delete(&list, at); // the rest of the log would only be in the way
    }
    uint8_t *count = payload + 4 + FIXED;
    payload[0] = 1;
    bytes_put_u16(count, 1);
    bytes_put_u32(count + 2, 3); // source: slots are 0 to 2
    log_mutate_insert(&list, 2, TP_LOG_TICKS, 0, payload, 4 + FIXED + 2 + 8);
    expect_refused("neither a slot nor the host");
    bytes_put_u32(count + 2, UINT32_MAX);
    log_mutate_replace(&list, 2, payload, 4 + FIXED + 2 + 8);
    cr_assert_eq(read_list(LOG_MUTATE_ALL).status, TP_LOG_TRUNCATED, "that one is legal");
    bytes_put_u16(count + 8, 4097);
    log_mutate_replace(&list, 2, payload, 4 + FIXED + 2 + 8 + 4097);
    expect_refused("longer than 4,096 bytes");
    bytes_put_u16(count, 257);
    log_mutate_replace(&list, 2, payload, 4 + FIXED + 2 + 257 * 8);
    expect_refused("more than 256 commands");
    bytes_put_u16(count, 17);
    for (size_t i = 0; i < 17; i++) {
        bytes_put_u32(count + 2 + i * 4104, UINT32_MAX);
        bytes_put_u16(count + 2 + i * 4104 + 6, 4096);
    }
    log_mutate_replace(&list, 2, payload, 4 + FIXED + 2 + 17 * 4104);
    expect_refused("more than 65,536 bytes of commands");
}

Test(log_check, seal_counts_what_is_before_it)
{
    uint8_t *seal = find(TP_LOG_SEAL)->payload;
    seal[32]++;
    LogReading reading = read_list(0);
    cr_assert_eq(reading.status, TP_LOG_CORRUPT);
    seal[32]--;
    seal[40]++;
    cr_assert_eq(read_list(0).status, TP_LOG_CORRUPT);
}

Test(log_check, every_total_of_end_is_held_against_the_log)
{
    uint8_t *end = list.records[list.count - 1].payload;
    for (size_t at = 8; at < 88; at += 8) {
        end[at]++;
        LogReading reading = read_list(LOG_MUTATE_BINDING);
        cr_assert_eq(reading.status, TP_LOG_CORRUPT);
        cr_assert(strstr(reading.message, "it counts") != NULL, "%s", reading.message);
        end[at]--;
    }
    cr_assert_eq(read_list(LOG_MUTATE_BINDING).status, TP_LOG_DONE);
}

Test(log_check, end_is_bound_to_the_rules)
{
    list.records[0].payload[56 + 24] ^= 1; // the seed
    LogReading reading = read_list(0);
    cr_assert_eq(reading.status, TP_LOG_CORRUPT);
    cr_assert(strstr(reading.message, "binding") != NULL, "%s", reading.message);
}

Test(log_check, end_reasons)
{
    uint8_t *end = list.records[list.count - 1].payload;
    end[0] = 0;
    expect_refused("unknown reason");
    end[0] = 5;
    expect_refused("unknown reason");
    end[0] = TP_END_FAULT;
    expect_refused("exactly when there is a FAULT");
}

Test(log_check, a_fault_must_be_the_reason)
{
    stop();
    LogFixture fixture = fixture_standard();
    fixture.gap_ticks = 0;
    fixture.fault_at = 20;
    start(&fixture);
    uint8_t *end = list.records[list.count - 1].payload;
    end[0] = TP_END_COMPLETED;
    expect_refused("exactly when there is a FAULT");
}

Test(log_check, little_may_follow_a_fault)
{
    stop();
    LogFixture fixture = fixture_standard();
    fixture.gap_ticks = 0;
    fixture.fault_at = 20;
    start(&fixture);
    size_t fault = log_mutate_find(&list, TP_LOG_FAULT, 0);
    log_mutate_insert(&list, fault + 1, TP_LOG_FAULT, 20, list.records[fault].payload, list.records[fault].size);
    expect_refused("may follow a FAULT");
    log_mutate_delete(&list, fault + 1);
    log_mutate_insert(&list, fault + 1, TP_LOG_KEY, 20, list.records[1].payload, list.records[1].size);
    expect_refused("may follow a FAULT");
    log_mutate_delete(&list, fault + 1);
    size_t ticks = last(TP_LOG_TICKS);
    log_mutate_insert(&list, fault + 1, TP_LOG_TICKS, 20, list.records[ticks].payload, list.records[ticks].size);
    expect_refused("may follow a FAULT");
    log_mutate_delete(&list, fault + 1);
    log_mutate_insert(&list, fault + 1, TP_LOG_NOTE, 20, "\1\0\0\0why", 7);
    cr_assert_eq(read_list(LOG_MUTATE_ALL).status, TP_LOG_DONE);
}

Test(log_check, index_equals_a_scan)
{
    size_t   at = log_mutate_find(&list, TP_LOG_INDEX, 0);
    uint8_t *index = list.records[at].payload;
    for (size_t i = 4; i < list.records[at].size; i += 8) {
        index[i] ^= 1;
        LogReading reading = read_list(0);
        cr_assert_eq(reading.status, TP_LOG_CORRUPT);
        cr_assert(strstr(reading.message, "INDEX: entry") != NULL, "%s", reading.message);
        index[i] ^= 1;
    }
    log_mutate_insert(&list, at + 1, TP_LOG_NOTE, 130, "\1\0\0\0", 4);
    expect_refused("only END may follow INDEX");
}

Test(log_check, index_may_be_missing)
{
    log_mutate_delete(&list, log_mutate_find(&list, TP_LOG_INDEX, 0));
    cr_assert_eq(read_list(LOG_MUTATE_ALL).status, TP_LOG_DONE);
    cr_assert_eq(read_list(0).status, TP_LOG_DONE, "what is left was just fixed");
}

Test(log_check, back_links)
{
    size_t second = log_mutate_find(&list, TP_LOG_KEY, 2);
    list.records[second].payload[0] ^= 1;
    LogReading reading = read_list(0);
    cr_assert_eq(reading.status, TP_LOG_CORRUPT);
    cr_assert(strstr(reading.message, "points back") != NULL, "%s", reading.message);
}

Test(log_check, note_kinds)
{
    uint8_t *note = find(TP_LOG_NOTE)->payload;
    note[0] = 4;
    expect_refused("unknown kind");
    note[0] = 0;
    expect_refused("unknown kind");
    note[0] = 3;
    expect_refused("a membership");
}

// Goal: what a server keeps about its members has one form.
Test(log_check, membership_texts)
{
    static const struct {
        const char *text;
        bool        is_good;
    } rows[] = {
        { "slot 0 free", true },
        { "slot 2 token 0123456789abcdef0123456789abcdef", true },
        { "slot 3 free", false }, // the log has three
        { "slot 00 free", false },
        { "slot 02 free", false },
        { "slot  free", false },
        { "slot 1 free ", false },
        { "slot 1", false },
        { "slot 1 fred", false },
        { "slot 1 token 0123456789abcdef0123456789abcde", false },
        { "slot 1 token 0123456789abcdef0123456789abcdef0", false },
        { "slot 1 token 0123456789abcdef0123456789abcdeF", false },
        { "slot 4294967297 free", false },
        { "", false },
    };
    size_t at = log_mutate_find(&list, TP_LOG_NOTE, 0);
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        uint8_t payload[64] = { TP_NOTE_MEMBER, 0, 0, 0 };
        size_t  size = strlen(rows[i].text);
        memcpy(payload + 4, rows[i].text, size);
        log_mutate_replace(&list, at, payload, (uint32_t)(4 + size));
        cr_assert_eq(read_list(LOG_MUTATE_ALL).status, rows[i].is_good ? TP_LOG_DONE : TP_LOG_CORRUPT, "%s", rows[i].text);
    }
}

Test(log_check, texts_are_utf8)
{
    static const struct {
        const char *text;
        bool        is_good;
    } rows[] = {
        { "plain", true },          { "\xC3\xA9", true },         { "\xE2\x82\xAC", true },
        { "\xF0\x9F\x98\x80", true }, { "\xF4\x8F\xBF\xBF", true }, { "\x80", false },
        { "\xC3", false },          { "\xC0\xAF", false },        { "\xE0\x9F\xBF", false },
        { "\xED\xA0\x80", false }, { "\xF4\x90\x80\x80", false }, { "\xE2\x82", false },
        { "\xF5\x80\x80\x80", false }, { "a\xE2\x28\xA1", false },
    };
    size_t at = log_mutate_find(&list, TP_LOG_NOTE, 0);
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        uint8_t payload[16] = { 1, 0, 0, 0 };
        size_t  size = strlen(rows[i].text);
        memcpy(payload + 4, rows[i].text, size);
        log_mutate_replace(&list, at, payload, (uint32_t)(4 + size));
        LogReading reading = read_list(LOG_MUTATE_ALL);
        cr_assert_eq(reading.status, rows[i].is_good ? TP_LOG_DONE : TP_LOG_CORRUPT, "row %zu: %s", i, reading.message);
    }
}

Test(log_check, unknown_types_are_refused)
{
    log_mutate_insert(&list, 2, TP_LOG_TYPE('N', 'E', 'W', 'S'), 0, "", 0);
    expect_refused("unknown type");
}

Test(log_check, resume_epochs_count_up)
{
    uint8_t resume[26] = { 1, 0, 0, 0, 2 };
    log_mutate_insert(&list, 2, TP_LOG_RESUME, 0, resume, 26);
    cr_assert_eq(read_list(LOG_MUTATE_ALL).status, TP_LOG_DONE);
    log_mutate_insert(&list, 3, TP_LOG_RESUME, 0, resume, 26);
    expect_refused("must be one more than 1");
    list.records[3].payload[0] = 2;
    cr_assert_eq(read_list(LOG_MUTATE_ALL).status, TP_LOG_DONE);
    list.records[3].payload[8] = 1;
    expect_refused("next tick 1, must be 0");
}

Test(log_check, ident_rules)
{
    // Each row changes bytes of the fixture's IDENT; the names stand at fixed places because the fixture's rules do.
    static const struct {
        size_t      at;
        uint8_t     value;
        const char *message;
    } rows[] = {
        { 8, 1, "the first tick must be 0 exactly" },
        { 12, 1, "bytes 12 to 15" },
        { 24, 1, "predecessor" },
        { 56 + 32, 129, "more than 128 slots" },
        { 56 + 36, 0, "tick rate" },
        { 56 + 40, 65, "longer than 64 bytes" },
        { 56 + 42, 3, "unknown hash algorithm" },
        { 56 + 43, 2, "unknown kind of state" },
        { 56 + 44, 0, "world name" },
        { 56 + 45, 'A', "world name" },
        { 56 + 45, '/', "world name" },
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        uint8_t *byte = &list.records[0].payload[rows[i].at];
        uint8_t  before = *byte;
        *byte = rows[i].value;
        expect_refused(rows[i].message);
        *byte = before;
    }
    cr_assert_eq(read_list(LOG_MUTATE_ALL).status, TP_LOG_DONE);
}

Test(log_check, provenance_keys_are_unique)
{
    LogMutateRecord *ident = &list.records[0];
    uint8_t         *provenance = ident->payload + 56 + bytes_get_u32(ident->payload);
    // "build" and "match" have five letters each.
    cr_assert_eq(memcmp(provenance + 3, "build", 5), 0);
    memcpy(provenance + 3, "match", 5);
    expect_refused("comes twice");
}

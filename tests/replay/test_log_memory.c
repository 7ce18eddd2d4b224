// test_log_memory.c: who allocates, when, and what happens when there is nothing to have. Linked with --wrap, so that every
// allocation of the room passes through here.
#include <criterion/criterion.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "bytes.h"
#include "crc32c.h"
#include "log_fixture.h"
#include "log_mutate.h"

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *old, size_t size);
void  __real_free(void *memory);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *old, size_t size);
void  __wrap_free(void *memory);

static _Thread_local uint64_t calls;      // of this thread: the back may allocate, the front may not
static _Thread_local uint64_t bytes_asked;
static _Thread_local uint64_t largest;
static _Thread_local uint64_t fail_at;    // this call gives NULL, counted from 1; 0: none

static bool fails(size_t size)
{
    calls++;
    bytes_asked += size;
    largest = size > largest ? size : largest;
    return fail_at != 0 && calls == fail_at;
}

void *__wrap_malloc(size_t size)
{
    return fails(size) ? NULL : __real_malloc(size);
}

void *__wrap_calloc(size_t count, size_t size)
{
    return fails(count * size) ? NULL : __real_calloc(count, size);
}

void *__wrap_realloc(void *old, size_t size)
{
    return fails(size) ? NULL : __real_realloc(old, size);
}

void __wrap_free(void *memory)
{
    calls += memory != NULL ? 1 : 0;
    __real_free(memory);
}

TestSuite(log_memory, .timeout = 60);

static bool take_nothing(void *self, const uint8_t *bytes, size_t size)
{
    (void)self;
    (void)bytes;
    (void)size;
    return true;
}

static void *run_back(void *argument)
{
    while (tp_writer_back(argument)) {
    }
    return NULL;
}

// Goal: nothing on the tick path takes or gives memory, with KEYs, LEAVES, SEALs and hand-overs included.
Test(log_memory, a_tick_allocates_nothing)
{
    for (int threaded = 0; threaded < 2; threaded++) {
        LogFixture fixture = fixture_standard();
        fixture.gap_ticks = 0;
        fixture.writer.sign_key = fixture_sign_key();
        tp_sink    sink = { .write = take_nothing };
        tp_error   error;
        pthread_t  thread;
        tp_sim    *sim = fixture_sim(&fixture);
        tp_writer *writer = tp_writer_create(&sink, sim, &fixture.writer, threaded == 1, &error);
        cr_assert(writer != NULL, "%s", error.text);
        if (threaded == 1) {
            pthread_create(&thread, NULL, run_back, writer);
        }
        for (uint64_t tick = 0; tick < 2000; tick++) {
            TestScript script;
            tp_row     row = testworld_row(sim, &script, tick);
            tp_sim_step(sim, &row, &error);
            uint64_t before = calls;
            bool     is_good = tp_writer_tick(writer, sim, &row);
            cr_assert_eq(calls, before, "tick %llu allocated", (unsigned long long)tick);
            cr_assert(is_good);
        }
        tp_writer_finish(writer, sim, TP_END_COMPLETED);
        if (threaded == 1) {
            pthread_join(thread, NULL);
        }
        tp_writer_destroy(writer);
        tp_sim_destroy(sim);
    }
}

static tp_log_status read_counting(const uint8_t *bytes, size_t size)
{
    tp_memory_source memory = { bytes, size };
    tp_source        source = tp_source_of_memory(&memory);
    tp_reader       *reader = NULL;
    tp_log_record    record;
    tp_log_status    status = tp_reader_open(&source, NULL, &reader);
    while (status == TP_LOG_OK) {
        status = tp_reader_next(reader, &record);
    }
    tp_reader_close(reader);
    return status;
}

// Goal: a head that promises 64 MiB takes no more memory than the file has bytes.
Test(log_memory, a_lying_size_takes_no_memory)
{
    LogFixture     fixture = fixture_standard();
    tp_memory_sink whole = fixture_log(&fixture);
    size_t         key = 28 + 32 + bytes_get_u32(whole.bytes + 28 + 12);
    bytes_put_u32(whole.bytes + key + 12, TP_LOG_KEY_MAX);
    bytes_put_u32(whole.bytes + key + 24, crc32c(0, whole.bytes + key, 24));
    largest = 0;
    bytes_asked = 0;
    cr_assert_eq(read_counting(whole.bytes, whole.size), TP_LOG_TRUNCATED);
    cr_assert_leq(largest, 128 * 1024);
    cr_assert_leq(bytes_asked, 256 * 1024);
    free(whole.bytes);
}

Test(log_memory, every_allocation_of_a_reading_can_fail)
{
    LogFixture fixture = fixture_standard();
    fixture.writer.key_ticks = 1;
    tp_memory_sink whole = fixture_log(&fixture);
    uint64_t       failures = 0;
    tp_log_status  status = TP_LOG_NO_MEMORY;
    while (status != TP_LOG_DONE) {
        failures++;
        calls = 0;
        fail_at = failures;
        status = read_counting(whole.bytes, whole.size);
        fail_at = 0;
        cr_assert(status == TP_LOG_NO_MEMORY || status == TP_LOG_DONE, "allocation %llu: %s", (unsigned long long)failures,
                  tp_log_status_name(status));
        cr_assert_lt(failures, 100);
    }
    cr_assert_gt(failures, 4);
    free(whole.bytes);
}

Test(log_memory, every_allocation_of_a_recovery_can_fail)
{
    LogFixture fixture = fixture_standard();
    fixture.is_unfinished = true;
    tp_memory_sink   whole = fixture_log(&fixture);
    tp_memory_source memory = { whole.bytes, whole.size };
    tp_source        source = tp_source_of_memory(&memory);
    tp_log_status    status = TP_LOG_NO_MEMORY;
    for (uint64_t failure = 1; status != TP_LOG_OK; failure++) {
        tp_recovery recovery;
        tp_error    error;
        calls = 0;
        fail_at = failure;
        status = tp_log_recover(&source, &recovery, &error);
        fail_at = 0;
        cr_assert(status == TP_LOG_NO_MEMORY || status == TP_LOG_OK);
        cr_assert_lt(failure, 100);
        tp_recovery_finish(&recovery);
    }
    free(whole.bytes);
}

Test(log_memory, every_allocation_of_a_writer_can_fail)
{
    LogFixture fixture = fixture_standard();
    tp_sink    sink = { .write = take_nothing };
    tp_sim    *sim = fixture_sim(&fixture);
    tp_writer *writer = NULL;
    for (uint64_t failure = 1; writer == NULL; failure++) {
        tp_error error = { "" };
        calls = 0;
        fail_at = failure;
        writer = tp_writer_create(&sink, sim, &fixture.writer, true, &error);
        fail_at = 0;
        cr_assert(writer != NULL || strstr(error.text, "memory") != NULL, "%s", error.text);
        cr_assert_lt(failure, 100);
    }
    tp_writer_abandon(writer);
    while (tp_writer_back(writer)) {
    }
    tp_writer_destroy(writer);
    tp_sim_destroy(sim);
}

// Goal: the index is a cache: without memory for it the log is whole all the same.
Test(log_memory, no_memory_for_the_index)
{
    LogFixture     fixture = fixture_standard();
    tp_memory_sink memory = { 0 };
    tp_sink        sink = tp_sink_of_memory(&memory);
    tp_error       error;
    tp_sim        *sim = fixture_sim(&fixture);
    fixture.writer.run_ticks = 256;
    fixture.writer.key_ticks = 0;
    fixture.writer.seal_ticks = 0;
    tp_writer *writer = tp_writer_create(&sink, sim, &fixture.writer, false, &error);
    fixture_step(&fixture, sim, writer);
    calls = 0;
    fail_at = 1; // the sink's memory is large enough already
    bool is_good = tp_writer_finish(writer, sim, TP_END_COMPLETED);
    fail_at = 0;
    cr_assert(is_good);
    LogReading reading = fixture_read(memory.bytes, memory.size);
    cr_assert_eq(reading.status, TP_LOG_DONE, "%s", reading.message);
    LogMutate list;
    cr_assert(log_mutate_load(&list, memory.bytes, memory.size));
    cr_assert_eq(log_mutate_find(&list, TP_LOG_INDEX, 0), list.count);
    log_mutate_finish(&list);
    tp_writer_destroy(writer);
    tp_sim_destroy(sim);
    free(memory.bytes);
}

// synctest_process.c: the process strength's near end: asks for ticks to be stepped elsewhere, and believes nothing of the answer but its bytes.
#include <stdio.h>
#include <string.h>

#include "synctest_wire.h"

static bool write_request(tp_synctest *test, uint64_t first, uint64_t last, bool is_guess)
{
    const SyncImage *image = sync_image_at(test, first);
    uint32_t         rows = (uint32_t)(last - first + 1);
    size_t           guess_size = is_guess ? test->guess.size : 0;
    size_t           size = SYNC_WIRE_REQUEST_HEAD + image->state_size + ((size_t)rows + 1) * SYNC_WIRE_MARK + guess_size;
    for (uint64_t tick = first; tick <= last; tick++) {
        size += 4 + sync_row_at(test, tick)->size;
    }
    if (!sync_buffer_reserve(&test->request, size)) {
        return false;
    }
    BytesWriter writer = bytes_writer(test->request.bytes, size);
    bytes_write_u32(&writer, SYNC_WIRE_REQUEST);
    bytes_write_u32(&writer, rows);
    bytes_write_u64(&writer, image->tick);
    bytes_write_u64(&writer, image->input_leaf);
    bytes_write_u64(&writer, image->event_leaf);
    bytes_write_u64(&writer, image->state_size);
    bytes_write_u32(&writer, (uint32_t)guess_size);
    bytes_write_span(&writer, image->state, image->state_size);
    for (uint64_t position = first; position <= last + 1; position++) {
        uint8_t mark[SYNC_WIRE_MARK];
        sync_wire_put_mark(mark, &sync_image_at(test, position)->mark);
        bytes_write_span(&writer, mark, sizeof(mark));
    }
    bytes_write_span(&writer, test->guess.bytes, guess_size);
    for (uint64_t tick = first; tick <= last; tick++) {
        const SyncBuffer *row = sync_row_at(test, tick);
        bytes_write_u32(&writer, (uint32_t)row->size);
        bytes_write_span(&writer, row->bytes, row->size);
    }
    test->request.size = writer.size;
    return !writer.failed;
}

typedef struct {
    uint32_t       count;
    const uint8_t *marks;
    char           refusal[TP_ERROR_SIZE];
} Answer;

// Event bytes must be what the tables say, since they are walked later.
static bool are_events_good(const SyncShape *shape, const uint8_t *bytes, size_t size)
{
    const tp_world *world = shape->layout->world;
    BytesReader     reader = bytes_reader(bytes, size);
    uint32_t        count = bytes_read_u32(&reader);
    bytes_read_u32(&reader);
    for (uint32_t i = 0; i < count && !reader.failed; i++) {
        uint16_t type = bytes_read_u16(&reader);
        uint16_t event_size = bytes_read_u16(&reader);
        if (reader.failed || type >= world->event_count || event_size != tp_record_size(&world->events[type])) {
            return false;
        }
        bytes_read_span(&reader, event_size);
    }
    return bytes_reader_is_done(&reader);
}

static bool read_image(const SyncShape *shape, BytesReader *reader, SyncImage *image)
{
    image->tick = bytes_read_u64(reader);
    image->input_leaf = bytes_read_u64(reader);
    image->event_leaf = bytes_read_u64(reader);
    image->has_events = bytes_read_u8(reader) != 0;
    image->event_size = bytes_read_u32(reader);
    const uint8_t *events = bytes_read_span(reader, image->event_size);
    uint64_t       state_size = bytes_read_u64(reader);
    if (reader->failed || image->event_size > shape->event_max || !are_events_good(shape, events, image->event_size) || state_size > shape->state_max) {
        return false;
    }
    image->state_size = (size_t)state_size;
    const uint8_t *state = bytes_read_span(reader, image->state_size);
    uint64_t       rest_size = bytes_read_u64(reader);
    const uint8_t *rest = rest_size == shape->rest_size ? bytes_read_span(reader, shape->rest_size) : NULL;
    if (rest == NULL || !bytes_reader_is_done(reader)) {
        return false;
    }
    memcpy(image->events, events, image->event_size);
    memcpy(image->state, state, image->state_size);
    memcpy(image->rest, rest, shape->rest_size);
    return true;
}

// The last state of the answer goes into the test's scratch.
static bool read_answer(tp_synctest *test, const uint8_t *bytes, size_t size, uint32_t rows, Answer *answer)
{
    BytesReader reader = bytes_reader(bytes, size);
    uint32_t    magic = bytes_read_u32(&reader);
    answer->count = bytes_read_u32(&reader);
    uint16_t       refusal_size = bytes_read_u16(&reader);
    const uint8_t *refusal = bytes_read_span(&reader, refusal_size);
    if (reader.failed || magic != SYNC_WIRE_ANSWER || answer->count > rows + 1 || refusal_size >= sizeof(answer->refusal)) {
        return false;
    }
    memcpy(answer->refusal, refusal, refusal_size);
    answer->refusal[refusal_size] = '\0';
    answer->marks = bytes_read_span(&reader, (size_t)answer->count * SYNC_WIRE_MARK);
    if (answer->count == 0) {
        return bytes_reader_is_done(&reader);
    }
    if (reader.failed || !read_image(&test->shape, &reader, &test->scratch)) {
        return false;
    }
    test->scratch.mark = sync_wire_get_mark(answer->marks + (size_t)(answer->count - 1) * SYNC_WIRE_MARK);
    return true;
}

static void diverge_at(tp_synctest *test, SyncCase *one, uint64_t first, uint32_t index, bool has_image, bool is_guess)
{
    tp_synctest_finding *finding = &one->result->finding;
    *finding = (tp_synctest_finding){ .is_restored_state = index == 0, .bad_tick = index == 0 ? first : first + index - 1, .restored_at = first,
                                      .is_guessed = is_guess };
    if (!has_image || sync_image_compare(&test->shape, sync_image_at(test, first + index), &test->scratch, finding)) {
        // The other process went on where it should have stopped, so there is no state to look into.
        finding->difference = TP_SYNCTEST_ROOT;
        snprintf(finding->field, sizeof(finding->field), "root, or what lies beside the state");
        snprintf(finding->expected, sizeof(finding->expected), "the straight run's");
        snprintf(finding->actual, sizeof(finding->actual), "another");
    }
    sync_case_diverge(one);
}

// One distance's part of the answer: every mark, and the bytes of the last state when they are this distance's, too.
static void compare_answer(tp_synctest *test, SyncCase *one, uint64_t first, const Answer *answer)
{
    tp_synctest_finding unused = { 0 };
    one->restored_at = first;
    one->result->restores += answer->count > 0 ? 1 : 0;
    for (uint32_t i = 0; i < answer->count && i <= one->result->distance; i++) {
        const SyncImage *expected = sync_image_at(test, first + i);
        SyncMark         mark = sync_wire_get_mark(answer->marks + (size_t)i * SYNC_WIRE_MARK);
        bool             is_last = i + 1 == answer->count;
        if (i > 0 && !sync_case_counts(test, one, first + i - 1)) {
            continue;
        }
        if (!sync_mark_equal(&expected->mark, &mark) || (is_last && !sync_image_compare(&test->shape, expected, &test->scratch, &unused))) {
            diverge_at(test, one, first, i, is_last, false);
            return;
        }
    }
    if (answer->refusal[0] != '\0' && answer->count <= one->result->distance) {
        sync_case_refuse(one, answer->count == 0 ? first : first + answer->count - 1, answer->count == 0, answer->refusal);
    }
}

// The first tick after a guess of it, for a distance that still stands. What is compared here is beside the counts.
static void compare_guess(tp_synctest *test, SyncCase *one, uint64_t first, const Answer *answer)
{
    tp_synctest_finding unused = { 0 };
    one->result->guesses += 1;
    for (uint32_t i = 0; i < answer->count; i++) {
        const SyncImage *expected = sync_image_at(test, first + i);
        SyncMark         mark = sync_wire_get_mark(answer->marks + (size_t)i * SYNC_WIRE_MARK);
        bool             is_last = i + 1 == answer->count;
        if (!sync_mark_equal(&expected->mark, &mark) || (is_last && !sync_image_compare(&test->shape, expected, &test->scratch, &unused))) {
            diverge_at(test, one, first, i, is_last, true);
            return;
        }
    }
    if (answer->refusal[0] != '\0') {
        sync_case_refuse(one, first, answer->count == 0, answer->refusal);
    } else if (answer->count < 2) {
        sync_case_fail(one, TP_INCOMPLETE, "process, distance %u: tick %llu was not compared after a guess of it", one->result->distance,
                       (unsigned long long)first);
    }
}

static bool is_standing(const SyncCase *one)
{
    return !one->is_over && one->result->strength == TP_STRENGTH_PROCESS;
}

// The largest distance that still stands; 0: none.
static uint32_t standing_distance(const tp_synctest *test)
{
    uint32_t largest = 0;
    for (uint32_t i = 0; i < test->report.case_count; i++) {
        if (is_standing(&test->cases[i])) {
            largest = test->cases[i].result->distance; // they rise
        }
    }
    return largest;
}

static bool ask(tp_synctest *test, uint64_t first, uint64_t last, bool is_guess, Answer *answer, tp_error *error)
{
    const uint8_t *bytes = NULL;
    size_t         size = 0;
    if (!write_request(test, first, last, is_guess)) {
        return tp_error_set(error, "out of memory");
    }
    if (!test->options.carry(test->options.carry_to, test->request.bytes, test->request.size, &bytes, &size, error)) {
        return false;
    }
    return read_answer(test, bytes, size, (uint32_t)(last - first + 1), answer) ||
           tp_error_set(error, "%zu bytes that are no answer: the other process is damaged", size);
}

static void fail_asking(tp_synctest *test, SyncCase *one, uint64_t first, uint64_t last, const char *why)
{
    if (sync_is_stopped(test)) {
        sync_case_interrupt(one, first);
        return;
    }
    sync_case_fail(one, TP_INTERNAL, "process, distance %u: stepping ticks %llu to %llu again: %.250s", one->result->distance,
                   (unsigned long long)first, (unsigned long long)last, why);
}

// Restores the state before `first`, in a process where its inputs are guessed first.
static void guess_far(tp_synctest *test, uint64_t first)
{
    tp_error error = { "" };
    Answer   answer = { 0 };
    if (standing_distance(test) == 0 || !sync_guess_make(test, first)) {
        return;
    }
    bool is_answered = ask(test, first, first, true, &answer, &error);
    for (uint32_t i = 0; i < test->report.case_count; i++) {
        SyncCase *one = &test->cases[i];
        if (is_standing(one) && !is_answered) {
            fail_asking(test, one, first, first, error.text);
        } else if (is_standing(one)) {
            compare_guess(test, one, first, &answer);
        }
    }
}

// Restores the state before `first` and goes on up to `last`, for all distances.
static void restore_far(tp_synctest *test, uint64_t first, uint64_t last)
{
    tp_error error = { "" };
    Answer   answer = { 0 };
    bool     is_answered = ask(test, first, last, false, &answer, &error);
    for (uint32_t i = 0; i < test->report.case_count; i++) {
        SyncCase *one = &test->cases[i];
        if (!is_standing(one)) {
            continue;
        }
        if (!is_answered) {
            fail_asking(test, one, first, last, error.text);
            continue;
        }
        compare_answer(test, one, first, &answer);
        if (!one->is_over) {
            uint64_t before = first - test->start + 1;
            sync_case_settle(one, before < one->result->distance ? before : one->result->distance);
        }
    }
}

static void interrupt_all(tp_synctest *test, uint64_t tick)
{
    for (uint32_t i = 0; i < test->report.case_count; i++) {
        if (is_standing(&test->cases[i])) {
            sync_case_interrupt(&test->cases[i], tick);
        }
    }
}

void sync_process_run(tp_synctest *test, bool is_end)
{
    for (uint32_t distance = standing_distance(test); distance > 0; distance = standing_distance(test)) {
        uint64_t first = test->far_next;
        uint64_t there = test->next - first; // ticks after that state
        if (there == 0 || (there < distance && !is_end)) {
            return;
        }
        if (sync_is_stopped(test)) {
            interrupt_all(test, first);
            return;
        }
        restore_far(test, first, there < distance ? test->next - 1 : first + distance - 1);
        guess_far(test, first);
        test->far_next += 1;
    }
}

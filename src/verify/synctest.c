// synctest.c: follows the straight run, keeps what can be gone back to, and concludes.
#include "tickproof/synctest.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "synctest_internal.h"

void tp_synctest_options_standard(tp_synctest_options *options)
{
    *options = (tp_synctest_options){ .strengths = 1u << TP_STRENGTH_COPY | 1u << TP_STRENGTH_BYTES, .distance_first = 1, .distance_last = 8 };
}

static bool check_options(const tp_synctest_options *options, tp_error *error)
{
    if (options->distance_first < 1 || options->distance_first > options->distance_last || options->distance_last > TP_SYNCTEST_DISTANCE_MAX) {
        return tp_error_set(error, "distances %u to %u: 1 to %d in rising order are possible", options->distance_first, options->distance_last,
                            TP_SYNCTEST_DISTANCE_MAX);
    }
    if (options->strengths == 0 || options->strengths >> TP_STRENGTH_COUNT != 0) {
        return tp_error_set(error, "strengths 0x%x: at least one, and none that there is not", options->strengths);
    }
    if ((options->strengths >> TP_STRENGTH_PROCESS & 1) != 0 && options->carry == NULL) {
        return tp_error_set(error, "the process strength needs a carrier");
    }
    return true;
}

// A guess begins one tick before the largest distance, and its first row is predicted from the one before that.
enum { WINDOW_MORE = 2 };

static uint64_t case_states(const tp_synctest_options *options, bool is_checked)
{
    // A ring and the sim's own two, or the sim's two and those of the one that takes its place. A world that tells its writes is held
    // against one more.
    uint64_t states = 0;
    uint64_t own = is_checked ? 3 : 2;
    for (uint64_t distance = options->distance_first; distance <= options->distance_last; distance++) {
        states += (options->strengths >> TP_STRENGTH_COPY & 1) != 0 ? distance + 2 + own : 0;
        states += (options->strengths >> TP_STRENGTH_BYTES & 1) != 0 ? 2 * own : 0;
    }
    return states;
}

uint64_t tp_synctest_memory(const tp_sim *straight, const tp_synctest_options *options)
{
    tp_synctest_options standard;
    tp_synctest_options_standard(&standard);
    options = options != NULL ? options : &standard;
    SyncShape shape = sync_shape_of(straight);
    uint64_t  size = shape.state_max > shape.layout->block_size ? shape.state_max : shape.layout->block_size;
    uint64_t  kept = (uint64_t)options->distance_last + WINDOW_MORE + 2;
    bool      is_checked = (tp_world_flags(shape.layout->world) & TP_WORLD_TRACKS_WRITES) != 0;
    return kept * (shape.state_max + shape.rest_size + shape.event_max) + case_states(options, is_checked) * size;
}

static bool check_memory(const tp_sim *straight, const tp_synctest_options *options, tp_error *error)
{
    uint64_t bytes = tp_synctest_memory(straight, options);
    return bytes <= TP_SYNCTEST_MEMORY_MAX ||
           tp_error_set(error, "distances %u to %u would take %llu MiB for states, and %llu are the most", options->distance_first,
                        options->distance_last, (unsigned long long)(bytes >> 20), (unsigned long long)(TP_SYNCTEST_MEMORY_MAX >> 20));
}

static bool take_window(tp_synctest *test)
{
    test->window = test->options.distance_last + WINDOW_MORE;
    test->images = calloc((size_t)test->window + 1, sizeof(*test->images));
    test->rows = calloc(test->window, sizeof(*test->rows));
    bool is_good = test->images != NULL && test->rows != NULL && sync_image_init(&test->scratch, &test->shape);
    is_good = is_good && sync_buffer_reserve(&test->guess, tp_row_size_fixed(test->shape.layout->setup.players, test->shape.layout->input_size));
    for (uint32_t i = 0; is_good && i <= test->window; i++) {
        is_good = sync_image_init(&test->images[i], &test->shape);
    }
    return is_good;
}

static bool take_cases(tp_synctest *test)
{
    uint32_t distances = test->options.distance_last - test->options.distance_first + 1;
    uint32_t count = 0;
    test->cases = calloc((size_t)TP_STRENGTH_COUNT * distances, sizeof(*test->cases));
    test->results = calloc((size_t)TP_STRENGTH_COUNT * distances, sizeof(*test->results));
    bool is_good = test->cases != NULL && test->results != NULL;
    for (uint32_t strength = 0; is_good && strength < TP_STRENGTH_COUNT; strength++) {
        for (uint32_t i = 0; is_good && (test->options.strengths >> strength & 1) != 0 && i < distances; i++) {
            SyncCase *one = &test->cases[count];
            one->result = &test->results[count++];
            one->result->strength = (tp_strength)strength;
            one->result->distance = test->options.distance_first + i;
            one->result->compared_min = UINT64_MAX;
            one->counts = calloc(one->result->distance, sizeof(*one->counts));
            is_good = one->counts != NULL;
        }
    }
    test->report.case_count = count;
    return is_good;
}

static void fail_straight(tp_synctest *test, tp_verdict verdict, const char *text)
{
    test->is_failed = true;
    test->report.verdict = verdict;
    snprintf(test->report.message, sizeof(test->report.message), "%s", text);
}

// The straight run's present state is where ticks can first be tested from. False: out of memory.
static bool start_piece(tp_synctest *test)
{
    test->start = tp_sim_tick(test->straight);
    test->next = test->start;
    test->far_next = test->start;
    test->report.pieces += 1;
    if (!sync_image_take(sync_image_at(test, test->start), &test->shape, test->straight)) {
        fail_straight(test, TP_INTERNAL, "the straight run: the world could not save or hash its first state");
        return true;
    }
    sync_image_at(test, test->start)->has_events = false;
    for (uint32_t i = 0; i < test->report.case_count; i++) {
        if (!sync_case_start(test, &test->cases[i])) {
            return false;
        }
    }
    return sync_unsaved_start(test);
}

tp_synctest *tp_synctest_create(tp_sim *straight, const tp_synctest_options *options, tp_error *error)
{
    tp_synctest_options standard;
    tp_synctest_options_standard(&standard);
    options = options != NULL ? options : &standard;
    if (!check_options(options, error) || !check_memory(straight, options, error)) {
        return NULL;
    }
    tp_synctest *test = calloc(1, sizeof(*test));
    if (test == NULL) {
        tp_error_set(error, "out of memory");
        return NULL;
    }
    test->options = *options;
    test->straight = straight;
    test->shape = sync_shape_of(straight);
    test->report.first_tick = tp_sim_tick(straight);
    const tp_layout *layout = test->shape.layout;
    test->neutral = calloc(1, (size_t)layout->input_size + 1);
    if (test->neutral != NULL) {
        tp_input_neutral(layout, test->neutral);
    }
    test->changed = calloc(1, test->shape.state_max + 1);
    if (test->neutral == NULL || test->changed == NULL || !take_window(test) || !take_cases(test) || !start_piece(test)) {
        tp_error_set(error, "out of memory for %u states of %zu bytes at each distance, or the world cannot be made a second time",
                     options->distance_last + 1, test->shape.state_max + test->shape.rest_size);
        tp_synctest_destroy(test);
        return NULL;
    }
    return test;
}

void tp_synctest_destroy(tp_synctest *test)
{
    if (test == NULL) {
        return;
    }
    for (uint32_t i = 0; test->cases != NULL && i < test->report.case_count; i++) {
        tp_sim_destroy(test->cases[i].sim);
        free(test->cases[i].counts);
    }
    for (uint32_t i = 0; test->images != NULL && i <= test->window; i++) {
        sync_image_finish(&test->images[i]);
    }
    for (uint32_t i = 0; test->rows != NULL && i < test->window; i++) {
        free(test->rows[i].bytes);
    }
    sync_image_finish(&test->scratch);
    tp_sim_destroy(test->unsaved);
    free(test->request.bytes);
    free(test->guess.bytes);
    free(test->images);
    free(test->rows);
    free(test->cases);
    free(test->results);
    free(test->neutral);
    free(test->changed);
    free(test);
}

// A run in which nobody does anything hides most of what can go wrong, so it is counted.
static void note_activity(tp_synctest *test, const uint8_t *row, size_t size)
{
    const tp_layout *layout = test->shape.layout;
    uint32_t         players = layout->setup.players;
    uint32_t         input_size = layout->input_size;
    const uint8_t   *inputs = row + (players + 7) / 8 + (players + 3) / 4;
    bool             is_active = size < tp_row_size_fixed(players, input_size) || bytes_get_u16(inputs + (size_t)players * input_size) > 0;
    for (uint32_t slot = 0; !is_active && slot < players; slot++) {
        bool is_present = ((row[slot / 8] >> (slot % 8)) & 1) != 0;
        is_active = is_present && memcmp(inputs + (size_t)slot * input_size, test->neutral, input_size) != 0;
    }
    test->report.active_ticks += is_active ? 1 : 0;
}

static void note_changes(tp_synctest *test, uint64_t tick)
{
    const uint8_t *before = sync_image_at(test, tick)->state;
    const uint8_t *after = sync_image_at(test, tick + 1)->state;
    if (test->shape.layout->world->opaque != NULL) {
        return;
    }
    for (size_t i = 0; i < test->shape.state_max; i++) {
        test->changed[i] |= (uint8_t)(before[i] ^ after[i]);
    }
}

// Takes the finished tick into the window. False: there is nothing to test.
static bool take_tick(tp_synctest *test, const uint8_t *row, size_t size)
{
    uint64_t    tick = test->next;
    bool        is_faulted = tp_sim_is_faulted(test->straight);
    SyncBuffer *kept = sync_row_at(test, tick);
    if (test->is_failed || test->is_ended) {
        return false;
    }
    if (tp_sim_tick(test->straight) != tick + (is_faulted ? 0 : 1)) {
        fail_straight(test, is_faulted ? TP_DIVERGED : TP_INTERNAL,
                      is_faulted ? "the straight run faulted, and stepping its last ticks again did not reach the fault"
                                 : "the straight run does not stand one tick further: the caller left a step or a jump out");
        return false;
    }
    if (!sync_buffer_reserve(kept, size)) {
        fail_straight(test, TP_INTERNAL, "out of memory");
        return false;
    }
    memcpy(kept->bytes, row, size);
    kept->size = size;
    if (!sync_image_take(sync_image_at(test, tick + 1), &test->shape, test->straight)) {
        fail_straight(test, TP_INTERNAL, "the straight run: the world could not save or hash its state");
        return false;
    }
    if (is_faulted) {
        test->is_ended = true;
        test->report.has_fault = true;
        test->report.fault_tick = tick;
    }
    note_activity(test, row, size);
    note_changes(test, tick);
    test->report.ticks += 1;
    return true;
}

bool tp_synctest_tick(tp_synctest *test, const uint8_t *row, size_t size)
{
    uint64_t tick = test->next;
    uint32_t standing = 0;
    if (!take_tick(test, row, size)) {
        return false;
    }
    test->next = tick + 1;
    sync_unsaved_tick(test, tick);
    sync_process_run(test, false);
    for (uint32_t i = 0; i < test->report.case_count; i++) {
        SyncCase *one = &test->cases[i];
        if (!one->is_over && one->result->strength != TP_STRENGTH_PROCESS) {
            sync_case_tick(test, one, tick); // which looks for a wish to stop itself
        }
        standing += one->is_over ? 0 : 1;
    }
    return standing > 0;
}

static void end_piece(tp_synctest *test)
{
    sync_process_run(test, true);
    sync_unsaved_end(test);
    for (uint32_t i = 0; i < test->report.case_count; i++) {
        if (test->cases[i].result->strength != TP_STRENGTH_PROCESS) {
            sync_case_end(test, &test->cases[i]);
        }
    }
}

void tp_synctest_jump(tp_synctest *test)
{
    end_piece(test);
    if (!test->is_failed && !start_piece(test)) {
        fail_straight(test, TP_INTERNAL, "out of memory, or the world cannot be made a second time");
    }
}

static bool count_field(void *to, const tp_difference *difference)
{
    (void)to;
    (void)difference;
    return true;
}

static void count_fields(tp_synctest *test)
{
    const tp_layout *layout = test->shape.layout;
    uint8_t         *none = calloc(2, test->shape.state_max + 1);
    if (layout->world->opaque == NULL && none != NULL) {
        uint8_t *all = none + test->shape.state_max;
        memset(all, 0xFF, test->shape.state_max);
        test->report.fields = tp_layout_differences(layout, none, all, count_field, NULL);
        test->report.changed_fields = tp_layout_differences(layout, none, test->changed, count_field, NULL);
    }
    free(none);
}

static void conclude_case(const tp_synctest *test, SyncCase *one)
{
    tp_synctest_case *result = one->result;
    const char       *name = tp_strength_name((uint32_t)result->strength);
    if (test->report.ticks == 0 && !one->is_over) {
        sync_case_fail(one, TP_INCOMPLETE, "%s, distance %u: there was no tick to step again", name, result->distance);
    }
    result->compared_min = result->compared_min == UINT64_MAX ? 0 : result->compared_min;
    if (result->verdict == TP_VERIFIED && (result->comparisons != result->comparisons_due || one->unsettled != test->next)) {
        sync_case_fail(one, TP_INTERNAL, "%s, distance %u: %llu comparisons where %llu are due", name, result->distance,
                       (unsigned long long)result->comparisons, (unsigned long long)result->comparisons_due);
    }
}

void tp_synctest_finish(tp_synctest *test, tp_synctest_report *report)
{
    end_piece(test);
    count_fields(test);
    for (uint32_t i = 0; i < test->report.case_count; i++) {
        tp_synctest_case *result = test->cases[i].result;
        conclude_case(test, &test->cases[i]);
        tp_verdict worst = tp_verdict_worst(test->report.verdict, result->verdict);
        if (worst != test->report.verdict) {
            test->report.verdict = worst;
            snprintf(test->report.message, sizeof(test->report.message), "%s", result->message);
        }
    }
    if (tp_verdict_worst(test->report.verdict, test->report.unsaved.verdict) != test->report.verdict) {
        test->report.verdict = test->report.unsaved.verdict;
        snprintf(test->report.message, sizeof(test->report.message), "%s", test->report.unsaved.message);
    }
    if (test->report.ticks == 0 && test->report.verdict == TP_INCOMPLETE) {
        snprintf(test->report.message, sizeof(test->report.message), "there was no tick, so nothing was compared");
    }
    test->report.cases = test->results;
    *report = test->report;
}

// A log's sidecar: every row is what the log recorded, and what is wrong with a sidecar's bytes is noticed.
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "bytes.h"
#include "testrecording.h"
#include "tickproof/rng.h"
#include "tickproof/trace.h"

typedef struct {
    uint8_t   *log;
    size_t     log_size;
    uint8_t   *bytes;
    size_t     size;
    tp_verdict verdict;
    char       message[TP_MESSAGE_SIZE];
} Made;

static const tp_world *find(void *to, const char *name, uint32_t revision)
{
    tp_verify_options options = recording_verify_options();
    return options.find_world(options.find_to, name, revision);
}

static tp_trace_options options_standard(void)
{
    tp_trace_options options;
    tp_trace_options_standard(&options);
    options.find_world = find;
    return options;
}

static Made trace_log(uint8_t *log, size_t log_size, const tp_trace_options *options)
{
    Made             made = { .log = log, .log_size = log_size };
    tp_memory_source memory = { log, log_size };
    tp_source        source = tp_source_of_memory(&memory);
    tp_memory_sink   out = { 0 };
    tp_sink          sink = tp_sink_of_memory(&out);
    made.verdict = tp_trace_log(&source, options, &sink, made.message);
    made.bytes = out.bytes;
    made.size = out.size;
    return made;
}

static Made make(const Recording *recording, const tp_trace_options *options)
{
    size_t   size;
    uint8_t *log = recording_make(recording, &size);
    return trace_log(log, size, options);
}

static void drop(Made *made)
{
    free(made->log);
    free(made->bytes);
}

static tp_trace *read_made(const Made *made)
{
    tp_error  error = { "" };
    tp_trace *trace = tp_trace_read(made->bytes, made->size, NULL, &error);
    cr_assert_not_null(trace, "%s", error.text);
    return trace;
}

static tp_trace *recorded_of(const Made *made)
{
    tp_error         error = { "" };
    tp_memory_source memory = { made->log, made->log_size };
    tp_source        source = tp_source_of_memory(&memory);
    tp_trace        *trace = tp_trace_of_log(&source, &error);
    cr_assert_not_null(trace, "%s", error.text);
    return trace;
}

static void assert_same_claims(const tp_trace *trace, const tp_trace *recorded)
{
    cr_assert_eq(trace->count, recorded->count);
    cr_assert_eq(trace->first_tick, recorded->first_tick);
    cr_assert_eq(trace->end, recorded->end);
    cr_assert(trace->has_end && recorded->has_end);
    for (uint64_t i = 0; i < trace->count; i++) {
        cr_assert_arr_eq(trace->rows[i].root, recorded->rows[i].root, recorded->root_size, "tick %llu", (unsigned long long)i);
        cr_assert_eq(trace->rows[i].input, recorded->rows[i].input, "tick %llu", (unsigned long long)i);
    }
    cr_assert_arr_eq(trace->chain, recorded->chain, TP_LOG_CHAIN_SIZE);
    cr_assert_arr_eq(trace->ident.rules.bytes, recorded->ident.rules.bytes, trace->ident.rules.size);
}

Test(trace, is_what_the_log_recorded)
{
    Recording        recording = recording_standard();
    tp_trace_options options = options_standard();
    Made             made = make(&recording, &options);
    cr_assert_eq(made.verdict, TP_VERIFIED, "%s", made.message);
    tp_trace *trace = read_made(&made);
    tp_trace *recorded = recorded_of(&made);
    cr_assert_eq(trace->count, 300);
    cr_assert_eq(trace->end, TP_TRACE_END_LOG);
    cr_assert(!trace->is_recorded && recorded->is_recorded);
    assert_same_claims(trace, recorded);
    cr_assert_eq(trace->leaves_count, 4, "64, 128, 192, 256");
    cr_assert_eq(trace->leaves[3].steps, 256);
    cr_assert_null(tp_trace_leaves_at(trace, 255));
    uint64_t draws = 0, events = 0;
    for (uint64_t i = 0; i < trace->count; i++) {
        draws += trace->rows[i].draws;
        events += trace->rows[i].event != trace->rows[0].event;
        cr_assert_eq(trace->rows[i].draws == 0, trace->rows[i].draw_digest == 0);
    }
    cr_assert_gt(draws, 0);
    cr_assert_gt(events, 0);
    cr_assert_lt(made.size, 300 * 30, "%zu bytes for 300 ticks", made.size);
    tp_trace_destroy(trace);
    tp_trace_destroy(recorded);
    drop(&made);
}

// The leaves of a sidecar are those that its root is made of.
Test(trace, leaves_make_the_root)
{
    Recording        recording = recording_standard();
    tp_trace_options options = options_standard();
    options.leaves_ticks = 1;
    Made      made = make(&recording, &options);
    tp_trace *trace = read_made(&made);
    cr_assert_eq(trace->leaves_count, 300);
    for (uint32_t i = 0; i < trace->leaves_count; i++) {
        const tp_trace_leaves *leaves = &trace->leaves[i];
        uint8_t                root[16];
        tp_hash128_to_bytes(tp_root_combine(trace->ident.algorithm, trace->ident.rules.id, leaves->steps - 1, leaves->leaves, leaves->count - 2,
                                            leaves->leaves[leaves->count - 2], leaves->leaves[leaves->count - 1]), root);
        cr_assert_arr_eq(root, trace->rows[i].root, TP_TRACE_ROOT_SIZE);
        cr_assert_eq((uint32_t)leaves->leaves[leaves->count - 2], trace->rows[i].input);
        cr_assert_eq((uint32_t)leaves->leaves[leaves->count - 1], trace->rows[i].event);
    }
    tp_trace_destroy(trace);
    drop(&made);
}

Test(trace, states_and_texts_are_kept)
{
    Recording           recording = recording_standard();
    tp_trace_options    options = options_standard();
    const uint64_t      states[] = { 0, 100, 101, 5000 };
    const tp_trace_text texts[] = { { "arch", "s390x" }, { "host", "build-7" } };
    options.states = states;
    options.state_count = 4;
    options.texts = texts;
    options.text_count = 2;
    Made      made = make(&recording, &options);
    tp_trace *trace = read_made(&made);
    cr_assert_eq(trace->state_count, 3, "the log has no step 5000");
    const tp_trace_state *before = tp_trace_state_at(trace, 100);
    const tp_trace_state *after = tp_trace_state_at(trace, 101);
    cr_assert_not_null(before);
    cr_assert_not_null(after);
    cr_assert_eq(before->size, after->size);
    cr_assert_arr_neq(before->bytes, after->bytes, before->size);
    cr_assert_str_eq(tp_trace_text_of(trace, "host"), "build-7");
    cr_assert_null(tp_trace_text_of(trace, "compiler"));
    tp_trace_destroy(trace);
    drop(&made);
}

Test(trace, goes_as_far_as_asked)
{
    Recording        recording = recording_standard();
    tp_trace_options options = options_standard();
    options.to = 99;
    Made      made = make(&recording, &options);
    tp_trace *trace = read_made(&made);
    cr_assert_eq(made.verdict, TP_VERIFIED);
    cr_assert_eq(trace->end, TP_TRACE_END_LIMIT);
    cr_assert_eq(trace->count, 100);
    cr_assert_not_null(tp_trace_leaves_at(trace, 100), "the last tick has its leaves");
    tp_trace_destroy(trace);
    drop(&made);
}

Test(trace, a_fault_is_an_end)
{
    Recording        recording = recording_standard();
    tp_trace_options options = options_standard();
    recording.fault_tick = 123;
    Made made = make(&recording, &options);
    cr_assert_eq(made.verdict, TP_VERIFIED, "%s", made.message);
    tp_trace *trace = read_made(&made);
    tp_trace *recorded = recorded_of(&made);
    cr_assert_eq(trace->end, TP_TRACE_END_FAULT);
    cr_assert_eq(trace->count, 123);
    cr_assert_eq(recorded->count, 123);
    cr_assert_arr_eq(trace->fault_root, recorded->fault_root, TP_TRACE_ROOT_SIZE);
    tp_trace_destroy(trace);
    tp_trace_destroy(recorded);
    drop(&made);
}

Test(trace, opaque_worlds_too)
{
    Recording        recording = recording_standard();
    tp_trace_options options = options_standard();
    recording.world = &testworld_opaque;
    Made made = make(&recording, &options);
    cr_assert_eq(made.verdict, TP_VERIFIED, "%s", made.message);
    tp_trace *trace = read_made(&made);
    tp_trace *recorded = recorded_of(&made);
    assert_same_claims(trace, recorded);
    tp_trace_destroy(trace);
    tp_trace_destroy(recorded);
    drop(&made);
}

// What another state was planted into differs from that tick on, and in nothing before.
Test(trace, says_what_this_machine_comes_to_not_what_the_log_claims)
{
    Recording        recording = recording_standard();
    tp_trace_options options = options_standard();
    size_t           size;
    uint8_t         *log = recording_make(&recording, &size);
    recording.seed += 1;
    Made      other = make(&recording, &options);
    Made      made = trace_log(log, size, &options);
    tp_trace *a = read_made(&made);
    tp_trace *b = read_made(&other);
    cr_assert_arr_neq(a->rows[0].root, b->rows[0].root, TP_TRACE_ROOT_SIZE);
    tp_trace_destroy(a);
    tp_trace_destroy(b);
    drop(&made);
    drop(&other);
}

Test(trace, a_torn_log_gives_what_was_good)
{
    Recording        recording = recording_standard();
    tp_trace_options options = options_standard();
    size_t           size;
    uint8_t         *log = recording_make(&recording, &size);
    Made             made = trace_log(log, size / 2, &options);
    cr_assert_eq(made.verdict, TP_TRUNCATED, "%s", made.message);
    tp_trace *trace = read_made(&made);
    cr_assert_eq(trace->end, TP_TRACE_END_BROKEN);
    cr_assert_gt(trace->count, 50);
    cr_assert_lt(trace->count, 300);
    tp_trace_destroy(trace);
    drop(&made);
}

static bool is_same(const tp_trace *a, const tp_trace *b)
{
    return a->count == b->count && memcmp(a->rows, b->rows, (size_t)a->count * sizeof(*a->rows)) == 0 && a->end == b->end && a->leaves_count == b->leaves_count &&
           memcmp(a->chain, b->chain, sizeof(a->chain)) == 0 && memcmp(a->ident.rules.bytes, b->ident.rules.bytes, a->ident.rules.size) == 0;
}

// A file that was cut off is a prefix, never something else.
Test(trace, cut_at_every_byte)
{
    Recording        recording = recording_standard();
    tp_trace_options options = options_standard();
    Made             made = make(&recording, &options);
    tp_trace        *whole = read_made(&made);
    size_t           read = 0;
    for (size_t size = 0; size < made.size; size++) {
        tp_error   error = { "" };
        tp_verdict verdict = TP_VERIFIED;
        uint8_t   *copy = malloc(size + 1); // so that a sanitizer sees what reads behind it
        memcpy(copy, made.bytes, size);
        tp_trace *trace = tp_trace_read(copy, size, &verdict, &error);
        if (trace == NULL) {
            cr_assert_eq(verdict, TP_CORRUPT);
            cr_assert_neq(error.text[0], '\0');
        } else {
            cr_assert(!trace->has_end, "cut at %zu", size);
            cr_assert_leq(trace->count, whole->count);
            read += 1;
            tp_trace_destroy(trace);
        }
        free(copy);
    }
    cr_assert_gt(read, 0);
    tp_trace_destroy(whole);
    drop(&made);
}

// Or it says the same: a packer's hint about its window, say.
Test(trace, no_changed_byte_passes)
{
    Recording        recording = recording_standard();
    tp_trace_options options = options_standard();
    Made             made = make(&recording, &options);
    tp_trace        *whole = read_made(&made);
    for (size_t i = 0; i < made.size; i++) {
        for (int bit = 0; bit < 8; bit += 3) {
            tp_error error = { "" };
            made.bytes[i] ^= (uint8_t)(1 << bit);
            tp_trace *trace = tp_trace_read(made.bytes, made.size, NULL, &error);
            made.bytes[i] ^= (uint8_t)(1 << bit);
            cr_assert(trace == NULL || !trace->has_end || is_same(trace, whole), "byte %zu, bit %d", i, bit);
            tp_trace_destroy(trace);
        }
    }
    tp_trace_destroy(whole);
    drop(&made);
}

Test(trace, watching_the_draws_changes_none)
{
    tp_pcg32       watched = tp_pcg32_make(7, 3);
    tp_pcg32       alone = tp_pcg32_make(7, 3);
    tp_xorshift64s other = tp_xorshift64s_from_seed(5);
    tp_rng_watch   watch = { 0 };
    uint64_t       digest = 0;
    for (int i = 0; i < 1000; i++) {
        tp_rng_watch_draws(&watch);
        uint32_t a = tp_pcg32_below(&watched, 1000);
        tp_rng_watch_draws(NULL);
        uint32_t b = tp_pcg32_below(&alone, 1000);
        cr_assert_eq(a, b);
        cr_assert_geq(watch.draws, (uint64_t)i + 1);
        cr_assert_neq(watch.digest, digest);
        digest = watch.digest;
    }
    (void)tp_xorshift64s_next_u64(&other);
    cr_assert_eq(watch.digest, digest, "nobody watches");
    tp_rng_watch_draws(&watch);
    (void)tp_xorshift64s_next_u64(&other);
    tp_rng_watch_draws(NULL);
    cr_assert_neq(watch.digest, digest);
}

// Two numbers in another order are another digest.
Test(trace, the_order_of_draws_counts)
{
    tp_xorshift64s a = tp_xorshift64s_from_seed(1), b = tp_xorshift64s_from_seed(2);
    tp_xorshift64s c = a, d = b;
    tp_rng_watch   first = { 0 }, second = { 0 };
    tp_rng_watch_draws(&first);
    (void)tp_xorshift64s_next_u64(&a);
    (void)tp_xorshift64s_next_u64(&b);
    tp_rng_watch_draws(&second);
    (void)tp_xorshift64s_next_u64(&d);
    (void)tp_xorshift64s_next_u64(&c);
    tp_rng_watch_draws(NULL);
    cr_assert_eq(first.draws, second.draws);
    cr_assert_neq(first.digest, second.digest);
}

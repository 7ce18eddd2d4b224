// fuzz_trace.c: foreign bytes as a sidecar. Each input is read as it is, and packed as if it were what a sidecar's frame holds (or
// nothing would ever get past the frame's checksum); what reads is held against itself, against a piece of itself, and against a changed one.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <zstd.h>

#include "tickproof/trace.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define REQUIRE(condition)                                                  \
    do {                                                                    \
        if (!(condition)) {                                                 \
            fprintf(stderr, "fuzz_trace: %s does not hold\n", #condition);  \
            abort();                                                        \
        }                                                                   \
    } while (0)

enum { HEAD_SIZE = 16, TICKS_COMPARED_MAX = 1 << 20 }; // a gap of a few bytes can be as long as a year
static volatile uint64_t touched;

static void touch(const void *bytes, size_t size)
{
    const uint8_t *at = bytes;
    uint64_t       sum = 0;
    for (size_t i = 0; i < size; i++) {
        sum += at[i];
    }
    touched += sum;
}

static void check_texts(const tp_trace *trace)
{
    REQUIRE(trace->text_count <= TP_TRACE_TEXTS_MAX);
    for (uint32_t i = 0; i < trace->text_count; i++) {
        REQUIRE(trace->texts[i].key[0] != '\0' && strlen(trace->texts[i].key) < sizeof(trace->texts[i].key));
        REQUIRE(strlen(trace->texts[i].value) < sizeof(trace->texts[i].value));
        REQUIRE(tp_trace_text_of(trace, trace->texts[i].key) != NULL);
    }
    REQUIRE(strlen(trace->end_text) < sizeof(trace->end_text));
}

static void check(const tp_trace *trace)
{
    uint64_t next = trace->first_tick;
    REQUIRE(trace->count <= TP_TRACE_TICKS_MAX && trace->state_count <= TP_TRACE_STATES_MAX);
    touch(trace->rows, (size_t)trace->count * sizeof(*trace->rows));
    for (uint64_t i = 0; i < trace->gap_count; i++) {
        REQUIRE(trace->gaps[i * 2] - trace->first_tick >= next - trace->first_tick && trace->gaps[i * 2 + 1] > 0);
        next = trace->gaps[i * 2] + trace->gaps[i * 2 + 1];
        REQUIRE(next - trace->first_tick <= trace->count);
    }
    for (uint32_t i = 0; i < trace->leaves_count; i++) {
        REQUIRE(trace->leaves[i].count >= 2);
        touch(trace->leaves[i].leaves, trace->leaves[i].count * sizeof(uint64_t));
        REQUIRE(tp_trace_leaves_at(trace, trace->leaves[i].steps) == &trace->leaves[i]);
    }
    for (uint32_t i = 0; i < trace->state_count; i++) {
        touch(trace->states[i].bytes, trace->states[i].size);
        REQUIRE(tp_trace_state_at(trace, trace->states[i].steps) == &trace->states[i]);
    }
    check_texts(trace);
}

static tp_trace *read_whole(const uint8_t *data, size_t size)
{
    tp_verdict verdict = TP_VERIFIED;
    tp_error   error = { "" };
    tp_trace  *trace = tp_trace_read(data, size, &verdict, &error);
    if (trace == NULL) {
        REQUIRE(verdict == TP_CORRUPT || verdict == TP_INCOMPATIBLE || verdict == TP_INTERNAL);
        REQUIRE(error.text[0] != '\0' && strchr(error.text, '\n') == NULL);
        return NULL;
    }
    check(trace);
    return trace;
}

static tp_trace_comparison compare(const tp_trace *a, const tp_trace *b, const tp_trace *c)
{
    const tp_trace     *traces[3] = { a, b, c };
    tp_trace_comparison result;
    tp_trace_compare(traces, 3, NULL, true, &result);
    REQUIRE(result.message[0] != '\0' && result.side_count == 3);
    REQUIRE(result.verdict == TP_VERIFIED || result.verdict == TP_DIVERGED || result.verdict == TP_INCOMPLETE || result.verdict == TP_INCOMPATIBLE);
    for (int i = 0; i < 3 && result.verdict == TP_DIVERGED; i++) {
        REQUIRE(result.sides[i].group < result.group_count || result.sides[i].group == UINT32_MAX);
        REQUIRE(!result.sides[i].has_left || result.sides[i].bad_tick >= result.bad_tick);
        REQUIRE(result.sides[i].compared <= traces[i]->count + 1);
    }
    REQUIRE(result.verdict != TP_VERIFIED || result.compared > 0);
    REQUIRE(result.verdict != TP_DIVERGED || result.group_count >= 2);
    return result;
}

// A sidecar whose frame is stored without being shrunk: packing is not what is looked at. NULL: too large.
static uint8_t *pack(const uint8_t *content, size_t size, size_t *packed_size)
{
    ZSTD_CCtx *zstd = ZSTD_createCCtx();
    size_t     capacity = HEAD_SIZE + ZSTD_compressBound(size);
    uint8_t   *packed = malloc(capacity);
    REQUIRE(zstd != NULL && packed != NULL);
    memcpy(packed, "TPTRACE\n\1\0\0\0\0\0\0\0", HEAD_SIZE);
    ZSTD_CCtx_setParameter(zstd, ZSTD_c_compressionLevel, 1);
    ZSTD_CCtx_setParameter(zstd, ZSTD_c_checksumFlag, 1);
    size_t made = ZSTD_compress2(zstd, packed + HEAD_SIZE, capacity - HEAD_SIZE, content, size);
    REQUIRE(!ZSTD_isError(made));
    ZSTD_freeCCtx(zstd);
    *packed_size = HEAD_SIZE + made;
    return packed;
}

static tp_trace *read_content(const uint8_t *content, size_t size)
{
    size_t    packed_size = 0;
    uint8_t  *packed = pack(content, size, &packed_size);
    tp_trace *trace = read_whole(packed, packed_size);
    free(packed);
    return trace;
}

// The same with one bit another, at a place that the input says.
static tp_trace *read_changed(const uint8_t *content, size_t size)
{
    uint8_t *changed = malloc(size + 1);
    size_t   place = size < 8 ? 0 : ((size_t)content[size - 2] << 8 | content[size - 3]) % size;
    REQUIRE(changed != NULL);
    memcpy(changed, content, size);
    if (size > 0) {
        changed[place] ^= (uint8_t)(1u << (content[size - 1] % 8));
    }
    tp_trace *trace = read_content(changed, size);
    free(changed);
    return trace;
}

static void hold_against_others(tp_trace *trace, const uint8_t *content, size_t size)
{
    tp_trace *same = read_content(content, size);
    tp_trace *other = read_changed(content, size);
    REQUIRE(same != NULL);
    tp_trace_comparison result = compare(trace, same, same);
    REQUIRE(result.verdict == TP_VERIFIED || result.verdict == TP_INCOMPLETE);
    if (other != NULL) {
        result = compare(trace, other, same);
        REQUIRE(result.verdict != TP_DIVERGED || !result.has_majority || result.sides[0].group == 0);
    }
    // A piece of it agrees as far as it goes.
    same->count /= 2;
    same->gap_count = trace->gap_count = 0;
    same->has_end = false;
    result = compare(trace, same, same);
    REQUIRE(result.verdict == TP_INCOMPLETE);
    tp_trace_destroy(same);
    tp_trace_destroy(other);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    tp_trace_destroy(read_whole(data, size));
    tp_trace *trace = read_content(data, size);
    if (trace != NULL && trace->count <= TICKS_COMPARED_MAX) {
        hold_against_others(trace, data, size);
    }
    tp_trace_destroy(trace);
    return 0;
}

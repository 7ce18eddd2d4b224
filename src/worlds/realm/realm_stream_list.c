// realm_stream_list.c: the bounded lists of the stream, its commands, and what a foreign one must satisfy.
#include "realm_stream_parts.h"

#include <string.h>

int64_t realm_stream_config(const RealmEngine *engine, RealmConfig item)
{
    return engine->context->setup->config[item];
}

void realm_stream_touch(RealmStreaming *streaming, void *memory, size_t size)
{
    tp_touch(streaming->engine->context, memory, size);
}

void realm_stream_count(RealmStreaming *streaming, uint32_t *counter)
{
    realm_stream_touch(streaming, counter, sizeof(*counter));
    *counter += *counter != UINT32_MAX;
}

void realm_stream_set_flag(RealmStreaming *streaming, uint8_t *flag, uint8_t value)
{
    if (*flag != value) {
        realm_stream_touch(streaming, flag, sizeof(*flag));
        *flag = value;
    }
}

uint32_t realm_stream_find(const uint16_t *list, uint32_t count, uint16_t prefix)
{
    uint32_t index = 0;
    while (index < count && list[index] != prefix) {
        index++;
    }
    return index;
}

// Closes the gap in an array of `count` values of which one goes; the last becomes zero.
static void close_gap(RealmStreaming *streaming, void *array, size_t value_size, uint32_t index, uint32_t count)
{
    TP_ASSERT(index < count);
    unsigned char *at = (unsigned char *)array + index * value_size;
    size_t         rest = (count - index - 1) * value_size;
    realm_stream_touch(streaming, at, rest + value_size);
    memmove(at, at + value_size, rest);
    memset(at + rest, 0, value_size);
}

#define CLOSE_GAP(streaming, array, index, count) close_gap((streaming), (array), sizeof((array)[0]), (index), (count))

static void put_u16(RealmStreaming *streaming, uint16_t *at, uint16_t value)
{
    realm_stream_touch(streaming, at, sizeof(*at));
    *at = value;
}

bool realm_stream_is_land(const RealmEngine *engine, uint16_t prefix)
{
    return prefix >> 8 < realm_stream_config(engine, REALM_CONFIG_WIDTH) &&
           (prefix & 0xFF) < realm_stream_config(engine, REALM_CONFIG_HEIGHT);
}

// ---- Contents that have come ----

bool realm_stream_has_arrived(const RealmStream *stream, uint16_t prefix)
{
    return realm_stream_find(stream->arrival_prefix, stream->arrivals, prefix) < stream->arrivals;
}

static void arrival_remove(RealmStreaming *streaming, uint32_t index)
{
    RealmStream *stream = streaming->stream;
    CLOSE_GAP(streaming, stream->arrival_prefix, index, stream->arrivals);
    realm_stream_set_flag(streaming, &stream->arrivals, (uint8_t)(stream->arrivals - 1));
}

void realm_stream_arrival_drop(RealmStreaming *streaming, uint16_t prefix)
{
    uint32_t index = realm_stream_find(streaming->stream->arrival_prefix, streaming->stream->arrivals, prefix);
    if (index < streaming->stream->arrivals) {
        arrival_remove(streaming, index);
    }
}

void realm_stream_arrival_add(RealmStreaming *streaming, uint16_t prefix)
{
    RealmStream *stream = streaming->stream;
    if (realm_stream_has_arrived(stream, prefix)) {
        return;
    }
    if (stream->arrivals == REALM_STREAM_ARRIVALS_MAX) {
        arrival_remove(streaming, 0);
        realm_stream_count(streaming, &stream->arrivals_forgotten);
    }
    put_u16(streaming, &stream->arrival_prefix[stream->arrivals], prefix);
    realm_stream_set_flag(streaming, &stream->arrivals, (uint8_t)(stream->arrivals + 1));
}

// ---- Reloads that wait ----

void realm_stream_reload_add(RealmStreaming *streaming, uint16_t prefix)
{
    RealmStream *stream = streaming->stream;
    put_u16(streaming, &stream->reload_prefix[stream->reloads], prefix);
    realm_stream_set_flag(streaming, &stream->reloads, (uint8_t)(stream->reloads + 1));
}

void realm_stream_reload_remove(RealmStreaming *streaming, uint32_t index)
{
    RealmStream *stream = streaming->stream;
    CLOSE_GAP(streaming, stream->reload_prefix, index, stream->reloads);
    realm_stream_set_flag(streaming, &stream->reloads, (uint8_t)(stream->reloads - 1));
}

// ---- Variants ----

uint16_t realm_stream_variant_of(const RealmStream *stream, uint16_t prefix)
{
    uint32_t index = realm_stream_find(stream->variant_prefix, stream->variants, prefix);
    return index < stream->variants ? stream->variant_number[index] : 0;
}

static void variant_forget_oldest(RealmStreaming *streaming)
{
    RealmStream *stream = streaming->stream;
    CLOSE_GAP(streaming, stream->variant_prefix, 0, stream->variants);
    CLOSE_GAP(streaming, stream->variant_number, 0, stream->variants);
    realm_stream_set_flag(streaming, &stream->variants, (uint8_t)(stream->variants - 1));
}

void realm_stream_variant_set(RealmStreaming *streaming, uint16_t prefix, uint16_t variant)
{
    RealmStream *stream = streaming->stream;
    if (variant == realm_stream_variant_of(stream, prefix)) {
        return;
    }
    uint32_t index = realm_stream_find(stream->variant_prefix, stream->variants, prefix);
    if (index == REALM_STREAM_VARIANTS_MAX) {
        variant_forget_oldest(streaming);
        index--;
    }
    put_u16(streaming, &stream->variant_prefix[index], prefix);
    put_u16(streaming, &stream->variant_number[index], variant);
    if (index == stream->variants) {
        realm_stream_set_flag(streaming, &stream->variants, (uint8_t)(stream->variants + 1));
    }
}

// ---- Open drafts ----

RealmOpen realm_stream_open_at(const RealmStream *stream, uint32_t index)
{
    TP_ASSERT(index < stream->open);
    return (RealmOpen){
        .ticket = { stream->runtime, (uint32_t)stream->open_prefix[index] << 16 | REALM_OUTSIDE, stream->open_generation[index],
                    stream->open_previous[index] },
        .draft = { stream->open_draft[index], stream->open_draft_generation[index] },
        .variant = stream->open_variant[index],
    };
}

void realm_stream_open_add(RealmStreaming *streaming, const RealmOpen *open)
{
    RealmStream *stream = streaming->stream;
    uint32_t     index = stream->open;
    TP_ASSERT(index < REALM_STREAM_OPEN_MAX);
    realm_stream_touch(streaming, stream, sizeof(*stream));
    stream->runtime = open->ticket.runtime; // the same for all of an epoch, and no draft outlives its epoch
    stream->open_prefix[index] = realm_prefix(open->ticket.block);
    stream->open_generation[index] = open->ticket.generation;
    stream->open_previous[index] = open->ticket.previous;
    stream->open_draft[index] = open->draft.index;
    stream->open_draft_generation[index] = open->draft.generation;
    stream->open_variant[index] = open->variant;
    stream->open++;
}

void realm_stream_open_remove(RealmStreaming *streaming, uint32_t index)
{
    RealmStream *stream = streaming->stream;
    CLOSE_GAP(streaming, stream->open_prefix, index, stream->open);
    CLOSE_GAP(streaming, stream->open_generation, index, stream->open);
    CLOSE_GAP(streaming, stream->open_previous, index, stream->open);
    CLOSE_GAP(streaming, stream->open_draft, index, stream->open);
    CLOSE_GAP(streaming, stream->open_draft_generation, index, stream->open);
    CLOSE_GAP(streaming, stream->open_variant, index, stream->open);
    realm_stream_touch(streaming, &stream->open, sizeof(stream->open));
    stream->open--;
}

// ---- Commands ----

bool realm_stream_command_content(RealmEngine *engine, RealmStream *stream, uint16_t prefix)
{
    RealmStreaming streaming = { engine, stream, NULL };
    if (realm_stream_config(engine, REALM_CONFIG_ARRIVAL) == 0 || !realm_stream_is_land(engine, prefix)) {
        return false;
    }
    realm_stream_arrival_add(&streaming, prefix);
    realm_stream_set_flag(&streaming, &stream->is_dirty, 1);
    return true;
}

bool realm_stream_command_reload(RealmEngine *engine, RealmStream *stream, uint16_t prefix)
{
    RealmStreaming streaming = { engine, stream, NULL };
    if (!realm_stream_is_ready(engine, prefix)) {
        return false;
    }
    if (realm_stream_find(stream->reload_prefix, stream->reloads, prefix) < stream->reloads) {
        return true; // one that waits stands for both
    }
    if (stream->reloads == REALM_STREAM_RELOADS_MAX) {
        realm_stream_count(&streaming, &stream->reloads_refused);
        return false;
    }
    realm_stream_reload_add(&streaming, prefix);
    return true;
}

bool realm_stream_command_fail(RealmEngine *engine, RealmStream *stream, uint8_t stage)
{
    RealmStreaming streaming = { engine, stream, NULL };
    if (stage > 1) {
        return false;
    }
    realm_stream_set_flag(&streaming, &stream->fail_stage, (uint8_t)(stage + 1));
    return true;
}

// ---- Foreign bytes ----

static bool is_zero(const void *memory, size_t size)
{
    const unsigned char *bytes = memory;
    for (size_t i = 0; i < size; i++) {
        if (bytes[i] != 0) {
            return false;
        }
    }
    return true;
}

#define REST_IS_ZERO(array, count) is_zero((array) + (count), sizeof(array) - (count) * sizeof((array)[0]))

static bool has_twice(const uint16_t *list, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        if (realm_stream_find(list, i, list[i]) < i) {
            return true;
        }
    }
    return false;
}

const char *realm_stream_validate(const RealmStream *stream)
{
    if (!REST_IS_ZERO(stream->open_generation, stream->open) || !REST_IS_ZERO(stream->open_previous, stream->open) ||
        !REST_IS_ZERO(stream->open_draft, stream->open) || !REST_IS_ZERO(stream->open_draft_generation, stream->open) ||
        !REST_IS_ZERO(stream->open_prefix, stream->open) || !REST_IS_ZERO(stream->open_variant, stream->open)) {
        return "the stream has bytes behind its open drafts";
    }
    if (!REST_IS_ZERO(stream->arrival_prefix, stream->arrivals) || !REST_IS_ZERO(stream->reload_prefix, stream->reloads) ||
        !REST_IS_ZERO(stream->variant_prefix, stream->variants) || !REST_IS_ZERO(stream->variant_number, stream->variants) ||
        !REST_IS_ZERO(stream->eye_prefix, stream->eyes)) {
        return "the stream has bytes behind one of its lists";
    }
    if (stream->is_stuck != 0 && stream->open == 0) {
        return "the stream is stuck without an open draft";
    }
    if (has_twice(stream->open_prefix, stream->open) || has_twice(stream->arrival_prefix, stream->arrivals) ||
        has_twice(stream->reload_prefix, stream->reloads) || has_twice(stream->variant_prefix, stream->variants)) {
        return "a landblock is twice in one of the stream's lists";
    }
    return NULL;
}

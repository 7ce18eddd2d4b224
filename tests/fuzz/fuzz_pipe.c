// fuzz_pipe.c: what a world behind a pipe answers: its hello, the events of a step, its last words. The first byte says which. A hello that is
// taken and that tp_world_check lets pass must make a layout; events are held against it, and what is given on is in range.
#include <stdlib.h>
#include <string.h>

#include "pipeworld_hello.h"
#include "pipeworld_wire.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static size_t size_max(const tp_setup *setup)
{
    (void)setup;
    return 1;
}

static void *create(const tp_setup *setup)
{
    (void)setup;
    return NULL;
}

static bool save(const void *instance, void *bytes, size_t capacity, size_t *size)
{
    (void)instance, (void)bytes, (void)capacity, (void)size;
    return false;
}

static bool load(void *instance, const void *bytes, size_t size)
{
    (void)instance, (void)bytes, (void)size;
    return false;
}

static void init(void *state, tp_context *context)
{
    (void)state, (void)context;
}

static tp_step_result step(void *state, const tp_tick *tick, tp_context *context)
{
    (void)state, (void)tick, (void)context;
    return TP_STEP_OK;
}

static void keep_event(void *to, uint32_t type, const void *native)
{
    const tp_world *world = to;
    uint8_t         bytes[TP_EVENT_SIZE_MAX], again[TP_EVENT_SIZE_MAX];
    if (type >= world->event_count) {
        abort();
    }
    // What was let in is what goes out again.
    tp_record_encode(&world->events[type], native, bytes);
    if (!tp_record_decode(&world->events[type], bytes, again, NULL)) {
        abort();
    }
}

// A hello, a zero byte, and then a step's answer for it.
static void try_hello(const uint8_t *data, size_t size)
{
    static const tp_opaque opaque = { .size_max = size_max, .create = create, .destroy = free, .save = save, .load = load };
    const uint8_t         *end = size > 0 ? memchr(data, 0, size) : NULL;
    size_t                 text = end != NULL ? (size_t)(end - data) : size;
    PipeHello              hello;
    tp_error               error;
    if (!pipehello_read(&hello, (const char *)data, text, &error)) {
        return;
    }
    hello.world.opaque = &opaque;
    hello.world.init = init;
    hello.world.step = step;
    if (tp_world_check(&hello.world, &error)) {
        tp_setup   setup = { .seed = 1, .players = hello.world.players_standard, .tick_rate_hz = hello.world.tick_rate_hz };
        tp_layout *layout = malloc(sizeof(*layout));
        if (layout != NULL && tp_layout_init(layout, &hello.world, &setup, &error)) {
            (void)tp_layout_fingerprint(layout, TP_HASH_XXH3);
        }
        free(layout);
        if (end != NULL) {
            pipewire_take_events(&hello.world, end + 1, size - text - 1, keep_event, &hello.world, &error);
        }
    }
    pipehello_finish(&hello);
}

static void try_words(const uint8_t *data, size_t size)
{
    PipeWords words = { .used = 0 };
    for (size_t at = 0; at < size; at += 7) {
        pipewords_take(&words, data + at, size - at < 7 ? size - at : 7);
    }
    for (const char *letter = pipewords_last(&words); *letter != '\0'; letter++) {
        if (*letter < 0x20 || *letter > 0x7E) {
            abort();
        }
    }
    if (strlen(pipewords_last(&words)) >= PIPEWORDS_SIZE) {
        abort();
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size > 0 && data[0] == 'w') {
        try_words(data + 1, size - 1);
    } else if (size > 0) {
        try_hello(data + 1, size - 1);
    }
    return 0;
}

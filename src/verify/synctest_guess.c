// synctest_guess.c: rows that were never played: what a client that has not heard the others' inputs yet would step instead.
#include "synctest_internal.h"

#include <string.h>

typedef enum { GUESS_PREDICTED, GUESS_NEUTRAL, GUESS_OTHER, GUESS_KINDS } GuessKind;

typedef struct {
    size_t players, input_size;
    size_t presence_size, inputs_at, fixed_size;
} RowPlaces;

static RowPlaces places_of(const tp_layout *layout)
{
    size_t players = layout->setup.players;
    return (RowPlaces){ players, layout->input_size, (players + 7) / 8, (players + 7) / 8 + (players + 3) / 4,
                        tp_row_size_fixed(layout->setup.players, layout->input_size) };
}

static bool is_present(const uint8_t *row, size_t slot)
{
    return ((row[slot / 8] >> (slot % 8)) & 1) != 0;
}

// What the server and a client put in the place of an input that has not come.
static void predict(const tp_world *world, const uint8_t *last, uint8_t *bytes)
{
    _Alignas(16) uint8_t native[TP_INPUT_SIZE_MAX * 16] = { 0 };
    _Alignas(16) uint8_t predicted[TP_INPUT_SIZE_MAX * 16] = { 0 };
    if (world->input->struct_size <= sizeof(native)) {
        (void)tp_record_decode(world->input, last, native, NULL);
        tp_input_predict(world, native, predicted);
        tp_input_sanitise(world, predicted);
        tp_record_encode(world->input, predicted, bytes);
    }
}

// Something pressed and pushed that the world itself brings into range.
static void make_other(const tp_world *world, uint8_t *bytes)
{
    enum { PRESSED = 0x5A };
    _Alignas(16) uint8_t native[TP_INPUT_SIZE_MAX * 16];
    memset(native, PRESSED, sizeof(native));
    if (world->input->struct_size <= sizeof(native)) {
        tp_input_sanitise(world, native);
        tp_record_encode(world->input, native, bytes);
    }
}

// Fills the guess but for its commands, of which it has none, and its origins, which no world sees.
static void fill(tp_synctest *test, const RowPlaces *places, GuessKind kind, const uint8_t *like)
{
    const tp_world *world = test->shape.layout->world;
    uint8_t        *row = test->guess.bytes;
    memset(row, 0, places->fixed_size);
    for (size_t slot = 0; slot < places->players; slot++) {
        size_t at = places->inputs_at + slot * places->input_size;
        if (kind != GUESS_OTHER && !is_present(like, slot)) {
            continue;
        }
        row[slot / 8] |= (uint8_t)(1u << (slot % 8));
        if (kind == GUESS_PREDICTED) {
            predict(world, like + at, row + at);
        } else if (kind == GUESS_NEUTRAL) {
            memcpy(row + at, test->neutral, places->input_size);
        } else {
            make_other(world, row + at);
        }
    }
}

static bool is_wrong(const RowPlaces *places, const uint8_t *guess, const SyncBuffer *truth)
{
    size_t inputs_size = places->players * places->input_size;
    return truth->size != places->fixed_size || memcmp(guess, truth->bytes, places->presence_size) != 0 ||
           memcmp(guess + places->inputs_at, truth->bytes + places->inputs_at, inputs_size) != 0;
}

bool sync_guess_make(tp_synctest *test, uint64_t tick)
{
    RowPlaces         places = places_of(test->shape.layout);
    const SyncBuffer *truth = sync_row_at(test, tick);
    test->guess.size = places.fixed_size;
    for (int kind = tick > test->start ? GUESS_PREDICTED : GUESS_NEUTRAL; kind < GUESS_KINDS; kind++) {
        fill(test, &places, (GuessKind)kind, kind == GUESS_PREDICTED ? sync_row_at(test, tick - 1)->bytes : truth->bytes);
        if (is_wrong(&places, test->guess.bytes, truth)) {
            return true;
        }
    }
    return false;
}

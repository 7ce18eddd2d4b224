// client_plant.c: the drill: one bit of a world is changed on purpose, so that what a server does about a client that disagrees can be seen.
#include <stdlib.h>
#include <string.h>

#include "client_internal.h"
#include "tickproof/rng.h"

enum { DRAWS_MAX = 4096 };

bool client_plant_is_due(const tp_client_room *room, uint64_t tick)
{
    return room->is_planted && room->plant_tick == tick;
}

bool tp_client_room_plant(tp_client_room *room, uint64_t tick, uint64_t seed)
{
    bool is_there = room->sim != NULL && room->stage != CLIENT_LEAVING && room->stage != CLIENT_ENDED && !room->client->is_over;
    if (!is_there || tick < room->due || tp_sim_layout(room->sim)->world->opaque != NULL || tp_sim_layout(room->sim)->canonical_size == 0) {
        return false;
    }
    room->is_planted = true;
    room->plant_tick = tick;
    room->plant_seed = seed;
    return true;
}

typedef struct {
    const tp_layout *layout;
    uint8_t         *before, *after, *block; // two encodings, and a place to decode into
} Scratch;

// The state has changed, and is still one that every reader takes: else the server could not say which field it is.
static bool is_good_bit(const Scratch *scratch, const void *state)
{
    tp_error why;
    tp_layout_encode(scratch->layout, state, scratch->after);
    return memcmp(scratch->before, scratch->after, scratch->layout->canonical_size) != 0 &&
           tp_layout_decode(scratch->layout, scratch->after, scratch->layout->canonical_size, scratch->block, &why);
}

static void flip(uint8_t *state, uint64_t bit)
{
    state[bit / 8] = (uint8_t)(state[bit / 8] ^ 1u << (bit % 8));
}

static void flip_one(const Scratch *scratch, uint8_t *state, uint64_t seed)
{
    tp_layout_encode(scratch->layout, state, scratch->before);
    for (int i = 0; i < DRAWS_MAX; i++) {
        uint64_t bit = tp_splitmix64_next(&seed) % ((uint64_t)scratch->layout->block_size * 8);
        flip(state, bit);
        if (is_good_bit(scratch, state)) {
            return;
        }
        flip(state, bit);
    }
}

void client_plant(tp_client_room *room)
{
    const tp_layout *layout = tp_sim_layout(room->sim);
    Scratch          scratch = { layout, malloc(layout->canonical_size), malloc(layout->canonical_size), NULL };
    scratch.block = aligned_alloc(64, ((size_t)layout->block_size + 64) / 64 * 64);
    room->is_planted = false;
    if (scratch.before != NULL && scratch.after != NULL && scratch.block != NULL) {
        flip_one(&scratch, tp_sim_state(room->sim), room->plant_seed);
    }
    free(scratch.before);
    free(scratch.after);
    free(scratch.block);
}

// axis_memory.c: what the heap holds before the world gets it, and where it lies.
#include <malloc.h>
#include <stdlib.h>
#include <string.h>

#include "axis_internal.h"

bool axis_memory_heap(AxisState *state, const char *argument, uint8_t fill)
{
    (void)argument;
    (void)state;
#ifdef M_PERTURB
    // The C library fills what it gives out with the complement of this byte and what it takes back with the byte itself, unless it is 0.
    mallopt(M_PERTURB, fill == 0xFF ? 0x100 : fill ^ 0xFF);
#else
    (void)fill; // axis_memory_stir alone then
#endif
    return true;
}

void axis_memory_begin(AxisState *state)
{
    static const size_t shares[AXIS_PLACES_MAX] = { 1, 16, 4, 2 };
    for (size_t i = 0; state->place > 0 && i < AXIS_PLACES_MAX; i++) {
        // Different sizes, so that small and large pieces both move. What is never read may be optimised away, so it is written.
        size_t size = state->place / shares[i] + 24;
        state->placed[i] = malloc(size);
        if (state->placed[i] == NULL) {
            axis_fail(state, "place: out of memory");
            return;
        }
        memset(state->placed[i], 1, size);
    }
    axis_memory_stir(state);
}

// The C library's filling leaves out the small pieces that it keeps for the thread. Each size is taken as often as it may have one, then
// given back in the order that puts them where they were.
void axis_memory_stir(const AxisState *state)
{
    enum { SIZE_MAX_STIRRED = 1040, STEP = 16, PIECES = 7 };
    void *pieces[PIECES];
    if (!state->has_heap) {
        return;
    }
    for (size_t size = 24; size <= SIZE_MAX_STIRRED; size += STEP) {
        for (size_t i = 0; i < PIECES; i++) {
            pieces[i] = malloc(size);
            if (pieces[i] != NULL) {
                memset(pieces[i], state->heap, size);
                __asm__ volatile("" : : "r"(pieces[i]) : "memory"); // else the filling of what is freed next is no use to the compiler
            }
        }
        for (size_t i = PIECES; i-- > 0;) {
            free(pieces[i]);
        }
    }
}

void axis_memory_finish(AxisState *state)
{
    for (size_t i = 0; i < AXIS_PLACES_MAX; i++) {
        free(state->placed[i]);
        state->placed[i] = NULL;
    }
}

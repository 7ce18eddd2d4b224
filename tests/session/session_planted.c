// session_planted.c: a session that takes one wrong turn at a time, on the same networks as the true one. The checks must notice each within some
// seeds, and nothing on the same seeds while none is on.
#include <stdio.h>
#include <string.h>

#include "noisyworld.h"
#include "session_internal.h"
#include "session_net.h"
#include "testworld.h"

int session_planted = -1;

enum { SEEDS = 40 };

static const char *const texts[] = {
#define TEXT(name, text) #name ": " text,
    SESSION_PLANT_LIST(TEXT)
#undef TEXT
};

// The seed at which something is noticed, 0 for none.
static uint64_t first_noticed(const tp_world *world, NetOutcome *outcome)
{
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        NetOptions options = net_options(world, seed);
        *outcome = net_run(&options);
        if (!outcome->is_good) {
            return seed;
        }
    }
    return 0;
}

int main(void)
{
    const tp_world *worlds[] = { &testworld_flat, &noisyworld };
    NetOutcome      outcome;
    int             failed = 0;
    for (uint32_t w = 0; w < 2; w++) {
        if (first_noticed(worlds[w], &outcome) != 0) {
            printf("session_planted: nothing is planted, and yet: %s\n", outcome.message);
            return 1;
        }
    }
    for (session_planted = 0; session_planted < SESSION_PLANT_COUNT; session_planted++) {
        uint64_t seed = 0;
        for (uint32_t w = 0; w < 2 && seed == 0; w++) {
            seed = first_noticed(worlds[w], &outcome);
        }
        printf("%s\n    %s\n", texts[session_planted], seed != 0 ? outcome.message : "NOT NOTICED");
        failed += seed == 0 ? 1 : 0;
    }
    return failed > 0 ? 1 : 0;
}

// session_no_allocations.c: a million ticks of a local session, and a client with rollbacks, spectators and resets, counting every call of the
// allocator after the sessions are made: there must be none, and the process must not grow. The counting is itself checked by one allocation on
// purpose.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "alloccount.h"
#include "noisyworld.h"
#include "session_rig.h"

enum { LOCAL_TICKS = 1000000, WARM_TICKS = 1000, PLAYED_TICKS = 20000, GROWTH_MAX = 4 }; // GROWTH_MAX: pages

static const uint8_t slots[] = { 0, 1, 2 };
static uint64_t      heard;

static void hear(void *to, const tp_session_event *event)
{
    (void)to;
    heard += event->event.size;
}

static tp_session_options options_of(uint32_t slot_count, uint32_t window, bool is_local)
{
    tp_session_options options;
    tp_session_options_standard(&options);
    options.slots = slots;
    options.slot_count = slot_count;
    options.window = window;
    options.is_local = is_local;
    options.keeps_roots = true;
    options.event = hear;
    return options;
}

static long pages_now(void)
{
    long  size = 0;
    long  resident = 0;
    char  text[128];
    FILE *file = fopen("/proc/self/statm", "r");
    if (file != NULL && fgets(text, sizeof(text), file) != NULL) {
        (void)sscanf(text, "%ld %ld", &size, &resident);
    }
    if (file != NULL) {
        fclose(file);
    }
    return resident;
}

static bool advance(RigClient *client, uint32_t handles, uint8_t value)
{
    rig_give(client, handles, value);
    return tp_session_advance(client->session, NULL, NULL) == TP_SESSION_OK;
}

static int run_local(void)
{
    tp_session_options options = options_of(2, 8, true);
    RigClient          client = rig_client(&noisyworld, 4, 1, &options);
    bool               is_good = true;
    for (uint32_t i = 0; i < WARM_TICKS; i++) {
        is_good = is_good && advance(&client, 2, (uint8_t)(i % 8));
    }
    (void)pages_now(); // looking costs pages, too, the first time
    long     pages = pages_now();
    uint64_t before = alloccount_calls;
    alloccount_is_on = true;
    for (uint32_t i = 0; i < LOCAL_TICKS; i++) {
        is_good = is_good && advance(&client, 2, (uint8_t)(i % 8));
        is_good = is_good && (i % 1000 != 0 || tp_session_set_delay(client.session, i / 1000 % 7));
    }
    alloccount_is_on = false;
    uint64_t calls = alloccount_calls - before;
    long     grown = pages_now() - pages;
    tp_session_statistics statistics;
    tp_session_get_statistics(client.session, &statistics);
    is_good = is_good && statistics.rollbacks == 0 && statistics.frames == LOCAL_TICKS + WARM_TICKS && statistics.stalls == 0;
    printf("session_no_allocations: local: %d ticks, %llu calls of the allocator, grown by %ld pages\n", LOCAL_TICKS, (unsigned long long)calls, grown);
    rig_close(&client);
    return is_good && calls == 0 && grown <= GROWTH_MAX ? 0 : 1;
}

// The rows come `lag` ticks late, and the others never do as guessed.
static int run_played(uint32_t handles, uint32_t window)
{
    tp_session_options options = options_of(handles, window, false);
    RigClient          client = rig_client(&noisyworld, 4, 1, &options);
    tp_sim            *authority = rig_sim(&noisyworld, 4, 1, 0);
    bool               is_good = true;
    uint64_t           before = alloccount_calls;
    for (uint32_t i = 0; i < PLAYED_TICKS && is_good; i++) {
        uint8_t inputs[4] = { (uint8_t)(i % 5), (uint8_t)(i / 2 % 7), (uint8_t)(i % 3), (uint8_t)(i * i % 8) };
        RigRow  row = rig_decide(authority, inputs, 0, NULL);
        uint64_t first;
        uint8_t  bytes[64];
        alloccount_is_on = true;
        is_good = (i < 6 || advance(&client, handles, (uint8_t)(i % 4))) && rig_confirm(&client, &row) == TP_SESSION_OK;
        is_good = is_good && (i % 100 != 50 || tp_session_settle(client.session, NULL, NULL) == TP_SESSION_OK);
        is_good = is_good && (i % 1000 != 999 || (window > 0 && handles > 0 ? tp_session_settle(client.session, NULL, NULL) == TP_SESSION_OK : true));
        (void)tp_session_unconfirmed(client.session, 0, &first, bytes, 64);
        alloccount_is_on = false;
    }
    uint64_t calls = alloccount_calls - before;
    printf("session_no_allocations: %u players, window %u: %llu confirmed ticks, %llu calls of the allocator\n", handles, window,
           (unsigned long long)tp_session_confirmed_tick(client.session), (unsigned long long)calls);
    is_good = is_good && calls == 0 && tp_session_confirmed_tick(client.session) + 10 > PLAYED_TICKS;
    rig_close(&client);
    tp_sim_destroy(authority);
    return is_good ? 0 : 1;
}

int main(void)
{
    alloccount_is_on = true;
    void *volatile memory = malloc(1);
    free(memory);
    alloccount_is_on = false;
    if (alloccount_calls != 2) {
        printf("session_no_allocations: the counting does not count\n");
        return 1;
    }
    int failed = run_local() + run_played(3, 8) + run_played(1, 30) + run_played(2, 0) + run_played(0, 0);
    return failed > 0 || heard == 0 ? 1 : 0;
}

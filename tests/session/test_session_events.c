// test_session_events.c: every event once, guessed ones marked, wrong ones taken back.
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "noisyworld.h"
#include "session_rig.h"

static const uint8_t slots[] = { 0 };

typedef struct {
    char   text[4096]; // "P3:1 " an event of tick 3 was predicted, of slot 1; "C" confirmed, "c" as predicted; "R" retracted; "t" for the tick's own
    size_t used;
    uint64_t count[4];
} Heard;

static void hear(void *to, const tp_session_event *told)
{
    Heard            *heard = to;
    const NoisyShout *shout = told->event.data;
    char              kind = told->kind == TP_SESSION_PREDICTED ? 'P' : told->kind == TP_SESSION_RETRACTED ? 'R' : told->was_predicted ? 'c' : 'C';
    heard->count[told->kind] += 1;
    if (heard->used + 32 > sizeof(heard->text)) {
        return;
    }
    if (told->event.type == NOISYWORLD_EVENT_TICK) {
        heard->used += (size_t)sprintf(heard->text + heard->used, "%c%u:t ", kind, (unsigned)told->event.tick);
    } else {
        heard->used += (size_t)sprintf(heard->text + heard->used, "%c%u:%u ", kind, (unsigned)told->event.tick, shout->slot);
    }
}

typedef struct {
    RigClient client;
    tp_sim   *authority;
    Heard     heard;
} Pair;

static void open_pair(Pair *pair, uint32_t players, uint32_t window)
{
    tp_session_options options;
    tp_session_options_standard(&options);
    memset(pair, 0, sizeof(*pair));
    options.window = window;
    options.slots = slots;
    options.slot_count = 1;
    options.event = hear;
    options.event_to = &pair->heard;
    pair->client = rig_client(&noisyworld, players, 3, &options);
    pair->authority = rig_sim(&noisyworld, players, 3, 0);
}

static void close_pair(Pair *pair)
{
    tp_sim_destroy(pair->authority);
    rig_close(&pair->client);
}

static void decide(Pair *pair, uint8_t own, uint8_t other)
{
    uint8_t inputs[RIG_SLOTS_MAX];
    memset(inputs, other, sizeof(inputs));
    inputs[0] = own;
    RigRow row = rig_decide(pair->authority, inputs, 0, NULL);
    cr_assert_eq(rig_confirm(&pair->client, &row), TP_SESSION_OK);
}

static void advance(Pair *pair, uint8_t own)
{
    rig_give(&pair->client, 1, own);
    cr_assert_eq(tp_session_advance(pair->client.session, NULL, NULL), TP_SESSION_OK);
}

static void settle(Pair *pair)
{
    cr_assert_eq(tp_session_settle(pair->client.session, NULL, NULL), TP_SESSION_OK);
}

static void expect_heard(Pair *pair, const char *wanted)
{
    cr_expect_str_eq(pair->heard.text, wanted);
    pair->heard.used = 0;
    pair->heard.text[0] = '\0';
}

Test(session_events, guessed_then_confirmed)
{
    Pair pair;
    open_pair(&pair, 2, 8);
    decide(&pair, 0, 0);
    advance(&pair, 1);
    expect_heard(&pair, "C0:t P1:0 ");
    advance(&pair, 2);
    expect_heard(&pair, "P2:0 P2:0 ");
    decide(&pair, 1, 0);
    decide(&pair, 2, 0);
    settle(&pair);
    expect_heard(&pair, "c1:0 c2:0 c2:0 ");
    close_pair(&pair);
}

// Equal events of a tick are counted: of three one had been told, so two are new.
Test(session_events, equal_ones_are_counted)
{
    Pair pair;
    open_pair(&pair, 2, 8);
    decide(&pair, 0, 1);
    advance(&pair, 0); // guesses that slot 1 shouts once
    expect_heard(&pair, "C0:1 C0:t P1:1 ");
    decide(&pair, 0, 3);
    settle(&pair);
    expect_heard(&pair, "c1:1 C1:1 C1:1 ");
    advance(&pair, 0); // and now three times
    expect_heard(&pair, "P2:1 P2:1 P2:1 ");
    decide(&pair, 0, 1);
    settle(&pair);
    expect_heard(&pair, "R2:1 R2:1 c2:1 ");
    close_pair(&pair);
}

// An event that a guess takes away and the truth brings back is not told twice, nor taken back in between.
Test(session_events, guesses_may_come_and_go)
{
    Pair pair;
    open_pair(&pair, 2, 8);
    decide(&pair, 0, 1);
    advance(&pair, 0);
    advance(&pair, 0);
    advance(&pair, 0);
    expect_heard(&pair, "C0:1 C0:t P1:1 P2:1 P3:1 ");
    decide(&pair, 0, 0); // it stopped, so ticks 2 and 3 are guessed without
    settle(&pair);
    expect_heard(&pair, "R1:1 ");
    decide(&pair, 0, 1); // but it went on
    settle(&pair);
    expect_heard(&pair, "c2:1 ");
    decide(&pair, 0, 0);
    settle(&pair);
    expect_heard(&pair, "R3:1 ");
    close_pair(&pair);
}

// The order of the tick is kept, though some were told before and some were not.
Test(session_events, order_is_kept)
{
    Pair pair;
    open_pair(&pair, 3, 8);
    decide(&pair, 0, 0);
    advance(&pair, 1);
    pair.heard.used = 0;
    decide(&pair, 1, 2);
    settle(&pair);
    expect_heard(&pair, "c1:0 C1:1 C1:1 C1:2 C1:2 ");
    close_pair(&pair);
}

Test(session_events, reset_takes_back_what_was_guessed)
{
    Pair pair;
    open_pair(&pair, 2, 8);
    decide(&pair, 0, 0);
    advance(&pair, 1);
    advance(&pair, 2);
    pair.heard.used = 0;
    cr_assert_eq(tp_session_reset(pair.client.session, NULL), TP_SESSION_OK);
    expect_heard(&pair, "R1:0 R2:0 R2:0 ");
    advance(&pair, 1);
    expect_heard(&pair, "P3:0 ");
    close_pair(&pair);
}

// More guessed events than can be kept: they are not told as guesses and counted, and each is told once it is confirmed.
Test(session_events, more_than_can_be_kept)
{
    enum { LOUD = 7 | NOISYWORLD_LOUD, PLAYERS = 8, TICKS = 200 };
    Pair     pair;
    uint64_t happened = 0;
    open_pair(&pair, PLAYERS, 30);
    for (uint64_t tick = 0; tick < TICKS; tick++) {
        advance(&pair, 7);
        if (tick < 25) {
            continue; // far ahead, so that each wrong guess makes all later ones shout something new
        }
        decide(&pair, 7, (uint8_t)(LOUD | tick % 2 << 4));
        happened += tp_sim_view(pair.authority).event_count;
        settle(&pair);
    }
    while (tp_sim_tick(pair.authority) < TICKS) {
        decide(&pair, 7, 0);
        happened += tp_sim_view(pair.authority).event_count;
    }
    settle(&pair);
    tp_session_statistics statistics;
    tp_session_get_statistics(pair.client.session, &statistics);
    cr_expect_gt(statistics.events_lost, 0);
    cr_expect_eq(pair.heard.count[TP_SESSION_CONFIRMED], happened);
    cr_expect_eq(statistics.events_confirmed, happened);
    cr_expect_eq(statistics.events_predicted, pair.heard.count[TP_SESSION_PREDICTED]);
    cr_expect_leq(statistics.events_predicted, statistics.events_confirmed + statistics.events_retracted);
    close_pair(&pair);
}

// A right guess whose events could not all be told is stepped again for them.
Test(session_events, a_right_guess_with_lost_events)
{
    enum { LOUD = 7 | NOISYWORLD_LOUD, WINDOW = 40, WRONG = 20 };
    Pair     pair;
    uint64_t happened = 1; // of tick 0
    uint64_t again = 0;
    open_pair(&pair, 8, WINDOW);
    decide(&pair, 0, 0);
    for (uint32_t i = 0; i < WINDOW; i++) {
        advance(&pair, 0);
    }
    for (uint32_t i = 0; i < WINDOW; i++) {
        tp_session_result result;
        decide(&pair, 0, (uint8_t)(LOUD | (i < WRONG ? i % 2 << 4 : 0)));
        happened += tp_sim_view(pair.authority).event_count;
        cr_assert_eq(tp_session_settle(pair.client.session, &result, NULL), TP_SESSION_OK);
        again += i > WRONG && result.rolled_back > 0 ? 1 : 0;
    }
    tp_session_statistics statistics;
    tp_session_get_statistics(pair.client.session, &statistics);
    cr_expect_gt(statistics.events_lost, 0);
    cr_expect_gt(again, 0);
    cr_expect_eq(pair.heard.count[TP_SESSION_CONFIRMED], happened);
    cr_expect_eq(tp_session_confirmed_tick(pair.client.session), WINDOW + 1);
    close_pair(&pair);
}

Test(session_events, nobody_listens)
{
    tp_session_options options;
    tp_session_options_standard(&options);
    options.slots = slots;
    options.slot_count = 1;
    RigClient             client = rig_client(&noisyworld, 2, 3, &options);
    tp_session_statistics statistics;
    rig_give(&client, 1, 7);
    cr_expect_eq(tp_session_advance(client.session, NULL, NULL), TP_SESSION_OK);
    tp_session_get_statistics(client.session, &statistics);
    cr_expect_eq(statistics.events_predicted, 0);
    cr_expect_eq(statistics.events_lost, 0);
    rig_close(&client);
}

// test_session_time.c: slower or faster, from what the server says of the lead.
#include <criterion/criterion.h>

#include "noisyworld.h"
#include "session_rig.h"

static RigClient watcher(void)
{
    tp_session_options options;
    tp_session_options_standard(&options);
    return rig_client(&noisyworld, 2, 3, &options);
}

static void note(RigClient *client, int32_t lead, uint32_t times)
{
    for (uint32_t i = 0; i < times; i++) {
        tp_session_note_lead(client->session, lead);
    }
}

Test(session_time, nothing_noted_is_no_advice)
{
    RigClient client = watcher();
    cr_expect_eq(tp_session_advice(client.session, 5), 0);
    rig_close(&client);
}

Test(session_time, says_it_once)
{
    RigClient client = watcher();
    note(&client, 7, 5);
    cr_expect_eq(tp_session_advice(client.session, 2), 5, "too far ahead: slower");
    cr_expect_eq(tp_session_advice(client.session, 2), 0, "and now from anew");
    note(&client, -3, 2);
    cr_expect_eq(tp_session_advice(client.session, 2), -5, "late: faster");
    rig_close(&client);
}

Test(session_time, the_average_is_rounded)
{
    RigClient client = watcher();
    note(&client, 2, 2);
    note(&client, 3, 1);
    cr_expect_eq(tp_session_advice(client.session, 2), 0, "a third of a tick is fine");
    note(&client, 3, 1); // 2 2 3 3: half a tick
    cr_expect_eq(tp_session_advice(client.session, 2), 1);
    note(&client, 2, 3);
    note(&client, 1, 1);
    cr_expect_eq(tp_session_advice(client.session, 2), 0);
    rig_close(&client);
}

Test(session_time, old_notes_are_forgotten)
{
    RigClient client = watcher();
    note(&client, 100, TP_SESSION_ADVICE_TICKS);
    note(&client, 2, TP_SESSION_ADVICE_TICKS);
    cr_expect_eq(tp_session_advice(client.session, 2), 0);
    rig_close(&client);
}

Test(session_time, extremes_do_not_wrap)
{
    RigClient client = watcher();
    note(&client, INT32_MIN, TP_SESSION_ADVICE_TICKS);
    cr_expect_eq(tp_session_advice(client.session, INT32_MAX), INT32_MIN);
    note(&client, INT32_MAX, TP_SESSION_ADVICE_TICKS);
    cr_expect_eq(tp_session_advice(client.session, INT32_MIN), INT32_MAX);
    rig_close(&client);
}

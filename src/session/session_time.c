// session_time.c: how far ahead of the server this client should be. The server measures, the session averages.
#include "session_internal.h"

void tp_session_note_lead(tp_session *session, int32_t lead)
{
    session->leads[session->lead_next] = lead;
    session->lead_next = (session->lead_next + 1) % TP_SESSION_ADVICE_TICKS;
    session->lead_count += session->lead_count < TP_SESSION_ADVICE_TICKS ? 1 : 0;
}

// To the nearest, halves away from zero: half a tick too late is too late.
static int64_t divide_rounded(int64_t sum, int64_t count)
{
    int64_t magnitude = (2 * (sum < 0 ? -sum : sum) + count) / (2 * count);
    return sum < 0 ? -magnitude : magnitude;
}

int32_t tp_session_advice(tp_session *session, int32_t wanted)
{
    int64_t sum = 0;
    int64_t count = session->lead_count;
    for (uint32_t i = 0; i < session->lead_count; i++) {
        sum += (int64_t)session->leads[i] - wanted;
    }
    int64_t advice = count > 0 ? divide_rounded(sum, count) : 0;
    if (advice != 0) {
        session->lead_count = session->lead_next = 0;
    }
    return (int32_t)(advice > INT32_MAX ? INT32_MAX : advice < INT32_MIN ? INT32_MIN : advice);
}

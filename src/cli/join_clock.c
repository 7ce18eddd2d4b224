// join_clock.c: when members that play ahead of their server play their next tick: absolute deadlines on one timer for all of them. A member's
// clock goes as fast as its room does, and is slewed towards the lead that it should have.
#include <string.h>

#include "join.h"
#include "tickproof/session.h"

static const int64_t SECOND_NS = 1000000000;

// Until the first PACE, which comes before a member has anything to play.
static uint64_t usual_period_ns(void)
{
    return (uint64_t)SECOND_NS / 60;
}

// A change is spread over a second, so that nobody sees a jump, and a tick lasts at least half of what it should.
static void slew(JoinClock *clock, int32_t ticks)
{
    int64_t period_ns = (int64_t)clock->period_ns;
    int64_t per_second = SECOND_NS / period_ns > 0 ? SECOND_NS / period_ns : 1;
    clock->slew_ns = ticks * period_ns;
    int64_t step_ns = clock->slew_ns / per_second;
    clock->slew_step_ns = step_ns < -period_ns / 2 ? -period_ns / 2 : step_ns != 0 ? step_ns : clock->slew_ns;
}

// Before anybody has seen much of the room, there is no harm in a jump: until it is made, every input comes too late.
static void jump(JoinMember *member, int32_t ticks)
{
    JoinClock *clock = &member->clock;
    clock->due_ns += ticks > 0 ? (uint64_t)ticks * clock->period_ns : 0;
    for (int32_t i = ticks; i < 0 && clock->is_in; i++) {
        join_predict_tick(member);
    }
}

// What the server says the inputs have as a lead, against what they should have. It speaks of a moment ago: what it says while a change has
// not come through yet is not listened to.
static void take_advice(JoinMember *member, uint64_t now_ns)
{
    JoinClock  *clock = &member->clock;
    tp_session *session = tp_client_room_session(member->room);
    int32_t     wanted = JOIN_LEAD + (int32_t)((clock->jitter_16 + 15) / 16);
    if (session == NULL || member->slot_count == 0 || !clock->has_lead || now_ns < clock->ask_ns) {
        return;
    }
    int32_t ticks = tp_session_advice(session, wanted);
    if (ticks < -TP_SESSION_WINDOW_MAX || ticks > TP_SESSION_WINDOW_MAX || (ticks == 0 && !clock->is_settled)) {
        return; // nothing, or of no input at all so far: the next word is as good as the first
    }
    bool is_news = ticks != 0 && !clock->is_stale;
    clock->is_stale = is_news;
    clock->ask_ns = now_ns + (uint64_t)SECOND_NS / 2;
    if (is_news && clock->is_settled) {
        clock->ask_ns = now_ns + (uint64_t)SECOND_NS + (uint64_t)SECOND_NS / 4;
        slew(clock, ticks);
    } else if (is_news) {
        clock->is_settled = true;
        clock->ask_ns = now_ns + (uint64_t)SECOND_NS / 4;
        jump(member, ticks);
    }
}

static uint64_t next_period(JoinClock *clock)
{
    int64_t step_ns = clock->slew_step_ns;
    if ((clock->slew_ns > 0 && step_ns > clock->slew_ns) || (clock->slew_ns < 0 && step_ns < clock->slew_ns) || clock->slew_ns == 0) {
        step_ns = clock->slew_ns;
    }
    clock->slew_ns -= step_ns;
    return (uint64_t)((int64_t)clock->period_ns + step_ns);
}

// What is due of one member, at most a few ticks: what it slept through beyond that nobody would make use of.
static void run_member(JoinMember *member, uint64_t now_ns)
{
    JoinClock *clock = &member->clock;
    for (int i = 0; i < JOIN_CATCH_UP && clock->is_in && clock->due_ns <= now_ns; i++) {
        clock->due_ns += next_period(clock);
        take_advice(member, now_ns);
        join_predict_tick(member);
    }
    if (clock->due_ns <= now_ns) {
        clock->due_ns = now_ns + clock->period_ns;
    }
}

static void on_clock(uv_timer_t *timer);

// A timer knows whole milliseconds: it wakes at the first after the least deadline.
static void arm(Join *join)
{
    uint64_t now_ns = uv_hrtime();
    uint64_t due_ns = UINT64_MAX;
    for (const JoinMember *member = join->playing; member != NULL; member = member->clock.next) {
        due_ns = member->clock.due_ns < due_ns ? member->clock.due_ns : due_ns;
    }
    if (due_ns == UINT64_MAX) {
        uv_timer_stop(&join->clock);
        return;
    }
    uv_update_time(&join->loop);
    uv_timer_start(&join->clock, on_clock, due_ns > now_ns ? (due_ns - now_ns + 999999) / 1000000 : 0, 0);
}

static void on_clock(uv_timer_t *timer)
{
    Join    *join = timer->data;
    uint64_t now_ns = uv_hrtime();
    for (JoinMember *member = join->playing; member != NULL;) {
        JoinMember *next = member->clock.next;
        run_member(member, now_ns);
        member = next;
    }
    arm(join);
}

void join_clock_add(JoinMember *member)
{
    JoinClock *clock = &member->clock;
    Join      *join = member->join;
    if (clock->is_in || join->is_over) {
        return;
    }
    clock->is_in = true;
    clock->has_lead = clock->is_stale = clock->is_settled = false;
    clock->jitter_16 = 0;
    clock->ask_ns = 0;
    clock->slew_ns = clock->slew_step_ns = 0;
    clock->period_ns = clock->period_ns > 0 ? clock->period_ns : usual_period_ns();
    // The server needs the inputs of the ticks that it is about to do: the first ones are played at once.
    clock->due_ns = uv_hrtime() - JOIN_LEAD * clock->period_ns;
    clock->previous = NULL;
    clock->next = join->playing;
    if (join->playing != NULL) {
        join->playing->clock.previous = member;
    }
    join->playing = member;
    uv_timer_start(&join->clock, on_clock, 0, 0);
}

void join_clock_remove(JoinMember *member)
{
    JoinClock *clock = &member->clock;
    if (!clock->is_in) {
        return;
    }
    clock->is_in = false;
    if (clock->next != NULL) {
        clock->next->clock.previous = clock->previous;
    }
    if (clock->previous != NULL) {
        clock->previous->clock.next = clock->next;
    } else {
        member->join->playing = clock->next;
    }
}

void join_clock_set_pace(JoinMember *member, bool is_paused, uint32_t rate_mhz)
{
    JoinClock *clock = &member->clock;
    uint64_t   period_ns = UINT64_C(1000000000000) / (rate_mhz > 0 ? rate_mhz : 1);
    clock->is_paused = is_paused;
    clock->period_ns = period_ns > 0 ? period_ns : 1;
    clock->slew_ns = clock->slew_step_ns = 0;
    if (clock->is_in) {
        clock->due_ns = uv_hrtime();
        uv_timer_start(&member->join->clock, on_clock, 0, 0);
    }
}

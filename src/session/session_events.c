// session_events.c: each event told once. What was told as PREDICTED is kept until its tick is confirmed; then it happened, or it is taken back.
// Guessing a tick again tells only what no earlier guess of it has told.
#include "session_internal.h"

static uint8_t *data_at(const tp_session *session, uint32_t index)
{
    return session->kept_data + index * session->kept_stride;
}

static void push(tp_session *session, SessionEventList *list, uint32_t index)
{
    session->kept[index].next = SESSION_NONE;
    if (list->first == SESSION_NONE) {
        list->first = index;
    } else {
        session->kept[list->last].next = index;
    }
    list->last = index;
}

static uint32_t pop(tp_session *session, SessionEventList *list)
{
    uint32_t index = list->first;
    if (index != SESSION_NONE) {
        list->first = session->kept[index].next;
    }
    return index;
}

static void release(tp_session *session, uint32_t index)
{
    session->kept[index].next = session->kept_free;
    session->kept_free = index;
}

// Everything that was told of a tick, the last guess first; the guess has nothing afterwards.
static SessionEventList take_told(tp_session *session, SessionGuess *guess)
{
    SessionEventList none = { SESSION_NONE, SESSION_NONE };
    SessionEventList told = guess->now.first != SESSION_NONE ? guess->now : guess->stale;
    if (guess->now.first != SESSION_NONE && guess->stale.first != SESSION_NONE) {
        session->kept[told.last].next = guess->stale.first;
        told.last = guess->stale.last;
    }
    guess->now = guess->stale = none;
    return told;
}

static bool is_same(const tp_session *session, uint32_t index, const tp_event *event)
{
    const SessionKept *kept = &session->kept[index];
    return kept->type == event->type && kept->size == event->size && (kept->size == 0 || memcmp(data_at(session, index), event->data, kept->size) == 0);
}

// Takes the first one that is the same out of the list; SESSION_NONE when none is.
static uint32_t take_same(tp_session *session, SessionEventList *list, const tp_event *event)
{
    uint32_t before = SESSION_NONE;
    uint32_t index = list->first;
    while (index != SESSION_NONE && !is_same(session, index, event)) {
        before = index;
        index = session->kept[index].next;
    }
    if (index == SESSION_NONE) {
        return SESSION_NONE;
    }
    if (before == SESSION_NONE) {
        list->first = session->kept[index].next;
    } else {
        session->kept[before].next = session->kept[index].next;
    }
    list->last = list->last == index ? before : list->last;
    return index;
}

static uint32_t keep(tp_session *session, const tp_event *event)
{
    uint32_t index = session->kept_free;
    if (index == SESSION_NONE) {
        return SESSION_NONE;
    }
    session->kept_free = session->kept[index].next;
    session->kept[index] = (SessionKept){ .type = event->type, .size = event->size, .next = SESSION_NONE };
    if (event->size > 0) {
        memcpy(data_at(session, index), event->data, event->size);
    }
    return index;
}

static void tell(tp_session *session, tp_session_event_kind kind, bool was_predicted, tp_event event)
{
    tp_session_event told = { .kind = kind, .was_predicted = was_predicted, .event = event };
    session->statistics.events_predicted += kind == TP_SESSION_PREDICTED ? 1 : 0;
    session->statistics.events_confirmed += kind == TP_SESSION_CONFIRMED ? 1 : 0;
    session->statistics.events_retracted += kind == TP_SESSION_RETRACTED ? 1 : 0;
    session->tell(session->tell_to, &told);
}

// Tells of all in the list, and lets them go.
static void tell_kept(tp_session *session, SessionEventList *list, tp_session_event_kind kind, uint64_t tick)
{
    for (uint32_t index = pop(session, list); index != SESSION_NONE; index = pop(session, list)) {
        const SessionKept *kept = &session->kept[index];
        tp_event event = { .tick = tick, .type = kept->type, .size = kept->size, .data = data_at(session, index) };
        tell(session, kind, kind == TP_SESSION_CONFIRMED, event);
        if (SESSION_PLANT(TWICE) && kind == TP_SESSION_CONFIRMED) {
            tell(session, kind, true, event);
        }
        release(session, index);
    }
}

void session_events_guessed(tp_session *session, SessionGuess *guess)
{
    if (session->tell == NULL) {
        return;
    }
    tp_view          view = tp_sim_view(session->sim);
    SessionEventList told = take_told(session, guess);
    guess->has_lost_events = false;
    for (uint32_t i = 0; i < view.event_count; i++) {
        uint32_t index = SESSION_PLANT(PREDICTED_AGAIN) ? SESSION_NONE : take_same(session, &told, &view.events[i]);
        if (index == SESSION_NONE) {
            index = keep(session, &view.events[i]);
            if (index == SESSION_NONE) {
                session->statistics.events_lost += 1;
                guess->has_lost_events = true;
                continue;
            }
            tell(session, TP_SESSION_PREDICTED, false, view.events[i]);
        }
        push(session, &guess->now, index);
    }
    guess->stale = told;
}

void session_events_guess_confirmed(tp_session *session, SessionGuess *guess)
{
    if (session->tell == NULL) {
        return;
    }
    tell_kept(session, &guess->stale, TP_SESSION_RETRACTED, guess->tick);
    tell_kept(session, &guess->now, TP_SESSION_CONFIRMED, guess->tick);
}

void session_events_confirmed(tp_session *session, SessionGuess *guess)
{
    if (session->tell == NULL) {
        return;
    }
    tp_view          view = tp_sim_view(session->sim);
    SessionEventList none = { SESSION_NONE, SESSION_NONE };
    SessionEventList matched = none;
    SessionEventList told = guess != NULL ? take_told(session, guess) : none;
    for (uint32_t i = 0; i < view.event_count && told.first != SESSION_NONE; i++) {
        uint32_t index = take_same(session, &told, &view.events[i]);
        if (index != SESSION_NONE) {
            session->kept[index].position = i;
            push(session, &matched, index);
        }
    }
    if (SESSION_PLANT(UNRETRACTED)) {
        for (uint32_t index = pop(session, &told); index != SESSION_NONE; index = pop(session, &told)) {
            release(session, index);
        }
    }
    tell_kept(session, &told, TP_SESSION_RETRACTED, view.tick - 1);
    for (uint32_t i = 0; i < view.event_count; i++) {
        bool was_predicted = matched.first != SESSION_NONE && session->kept[matched.first].position == i;
        if (was_predicted) {
            release(session, pop(session, &matched));
        }
        tell(session, TP_SESSION_CONFIRMED, was_predicted, view.events[i]);
    }
}

void session_events_retract(tp_session *session, SessionGuess *guess)
{
    if (session->tell == NULL) {
        return;
    }
    SessionEventList told = take_told(session, guess);
    tell_kept(session, &told, TP_SESSION_RETRACTED, guess->tick);
}

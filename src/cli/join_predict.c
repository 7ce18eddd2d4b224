// join_predict.c: a member that plays ahead of its server: one tick whenever its clock says so, with what the session makes of it.
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "join.h"

enum { LEAD_MISSING = -32768 }; // no input came at all: says nothing about how much they jitter

// The session counts them; without anybody to tell it would not guess any.
static void on_session_event(void *to, const tp_session_event *event)
{
    (void)to;
    (void)event;
}

const tp_session_options *join_predict_options(JoinMember *member)
{
    const JoinOptions *options = member->join->options;
    if (!options->is_predict) {
        return NULL;
    }
    tp_session_options_standard(&member->session);
    member->session.window = options->window;
    member->session.delay = options->input_delay;
    member->session.event = on_session_event;
    member->session.event_to = member;
    return &member->session;
}

// Whatever is not given has the neutral input: what a file of lines has behind its end.
static void fill_neutral(JoinMember *member)
{
    const tp_layout *layout = tp_sim_layout(tp_client_room_sim(member->room));
    uint8_t          bytes[TP_INPUT_SIZE_MAX];
    tp_input_neutral(layout, bytes);
    for (uint32_t i = 0; i < member->slot_count; i++) {
        uint8_t *native = member->natives + member->native_stride * i;
        memset(native, 0, member->native_stride);
        tp_record_decode(layout->world->input, bytes, native, NULL);
    }
}

// Inputs that were given for a tick which could not be played are given again, so that no line is lost.
static bool give_inputs(JoinMember *member, tp_session *session)
{
    tp_error error;
    if (!member->has_inputs && !join_play_fill(member, tp_session_tick(session) + tp_session_delay(session))) {
        if (member->is_leaving) {
            return false;
        }
        fill_neutral(member);
    }
    member->has_inputs = true;
    for (uint32_t i = 0; i < member->slot_count; i++) {
        if (tp_session_input(session, i, member->natives + member->native_stride * i, &error) != TP_SESSION_OK) {
            join_member_give_up(member, TP_INTERNAL, "refused-input", error.text);
            return false;
        }
    }
    return true;
}

static void take_status(JoinMember *member, tp_session_status status, const tp_error *error)
{
    switch (status) {
    case TP_SESSION_OK:
    case TP_SESSION_REFUSED:  // its state is on its way
    case TP_SESSION_DESYNCED: // an event told
        break;
    case TP_SESSION_FAULTED:
    case TP_SESSION_BROKEN: join_member_give_up(member, TP_INTERNAL, "broken-session", error->text); break;
    }
}

// A room that pauses is followed as far as it was confirmed, without a guess at more. Who watches never guesses.
static void settle(JoinMember *member)
{
    tp_session_result result = { 0 };
    tp_error          error = { "" };
    take_status(member, tp_client_settle(member->room, &result, &error), &error);
}

static void advance(JoinMember *member, tp_session *session)
{
    tp_session_result result = { 0 };
    tp_error          error = { "" };
    if (member->slot_count > 0 && !give_inputs(member, session)) {
        return;
    }
    tp_session_status status = tp_client_advance(member->room, &result, &error);
    if (status == TP_SESSION_OK && result.advanced) {
        member->has_inputs = false;
        member->inputs += member->slot_count;
    }
    take_status(member, status, &error);
}

void join_predict_tick(JoinMember *member)
{
    tp_session *session = member->room != NULL ? tp_client_room_session(member->room) : NULL;
    if (session == NULL || member->is_leaving || member->is_desynced) {
        return;
    }
    if (member->clock.is_paused && member->slot_count > 0) {
        settle(member);
    } else {
        advance(member, session);
    }
}

void join_predict_timing(JoinMember *member, const tp_client_event *event)
{
    JoinClock *clock = &member->clock;
    if (member->slot_count == 0 || event->slot != member->slots[0]) {
        return; // all inputs of a member go together
    }
    if (clock->has_lead && event->lead != LEAD_MISSING && clock->lead != LEAD_MISSING) {
        uint32_t change = (uint32_t)abs(event->lead - clock->lead);
        clock->jitter_16 = clock->jitter_16 - clock->jitter_16 / 16 + change;
    }
    clock->has_lead = true;
    clock->lead = event->lead;
}

void join_predict_keep(JoinMember *member)
{
    tp_session_statistics now;
    JoinPredicted        *kept = &member->predicted;
    tp_session           *session = member->room != NULL ? tp_client_room_session(member->room) : NULL;
    if (session == NULL) {
        return;
    }
    tp_session_get_statistics(session, &now);
    kept->ticks += now.ticks;
    kept->frames += now.frames;
    kept->rollbacks += now.rollbacks;
    kept->rolled_back += now.rolled_back;
    kept->rollback_max = now.rollback_max > kept->rollback_max ? now.rollback_max : kept->rollback_max;
    kept->stalls += now.stalls;
    kept->late += now.late;
    kept->predicted += now.predicted;
    kept->mispredicted += now.mispredicted;
    kept->catch_ups += now.catch_ups;
    kept->events_predicted += now.events_predicted;
    kept->events_confirmed += now.events_confirmed;
    kept->events_retracted += now.events_retracted;
    kept->events_lost += now.events_lost;
}

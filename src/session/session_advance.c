// session_advance.c: one tick further, in each of the three ways to play.
#include "session_internal.h"

// Whether the session can do anything at all. The world is untouched when not.
static tp_session_status enter(tp_session *session, tp_session_result *result, tp_error *error)
{
    *result = (tp_session_result){ 0 };
    session->result = result;
    if (session->frozen != TP_SESSION_OK) {
        tp_error_set(error, "%s", session->why.text);
        return session->frozen;
    }
    if (tp_sim_tick(session->sim) != session->present || tp_sim_is_faulted(session->sim)) {
        tp_error_set(error, "the sim stands at tick %llu and the session at tick %llu: whoever replaces the state calls tp_session_reset",
                     (unsigned long long)tp_sim_tick(session->sim), (unsigned long long)session->present);
        return TP_SESSION_REFUSED;
    }
    return TP_SESSION_OK;
}

static tp_session_status leave(tp_session *session, uint64_t before, tp_error *error)
{
    tp_session_result     *result = session->result;
    tp_session_statistics *statistics = &session->statistics;
    result->advanced = session->present > before;
    statistics->ticks += result->advanced ? session->present - before : 0;
    statistics->frames += result->frames;
    statistics->stalls += result->stalled ? 1 : 0;
    if (session->frozen != TP_SESSION_OK) {
        tp_error_set(error, "%s", session->why.text);
    }
    return session->frozen;
}

static void make_local_row(const tp_session *session, uint8_t *row)
{
    memcpy(row, session->own_presence, session->presence_size);
    for (uint32_t handle = 0; handle < session->slot_count; handle++) {
        const uint8_t *input = session_inputs_own(session, handle, session->present);
        memcpy(row + session->presence_size + session->slots[handle] * session->input_size, input, session->input_size);
    }
}

// `base` is the row: absent slots are zero in it from the beginning.
static void advance_local(tp_session *session)
{
    tp_error reason;
    session_inputs_take(session);
    make_local_row(session, session->base);
    tp_row        row = { .presence = session->base, .inputs = session->base + session->presence_size };
    tp_sim_status status = tp_sim_step(session->sim, &row, &reason);
    if (status != TP_SIM_OK) {
        session_freeze(session, status == TP_SIM_FAULTED ? TP_SESSION_FAULTED : TP_SESSION_BROKEN, "tick %llu: %.200s",
                       (unsigned long long)session->present, reason.text);
        return;
    }
    if (session->keeps_roots) {
        session_keep_root(session, session->present, tp_sim_root(session->sim));
    }
    session->result->frames += 1;
    session->result->confirmed += 1;
    session_events_confirmed(session, NULL);
    session->present += 1;
    session->confirmed = session->present;
    session_inputs_drop(session);
}

static void advance_following(tp_session *session)
{
    uint32_t waiting = session->rows.count;
    uint32_t most = waiting > session->catch_up_from ? session->catch_up : 1;
    uint32_t count = waiting < most ? waiting : most;
    for (uint32_t i = 0; i < count; i++) {
        if (!session_step_confirmed(session)) {
            return;
        }
    }
    session->statistics.catch_ups += count > 1 ? 1 : 0;
    session->result->stalled = count == 0;
    if (session->slot_count > 0 && !(SESSION_PLANT(NO_INPUT) && count == 0)) {
        session_inputs_take(session);
    }
}

static void advance_predicting(tp_session *session)
{
    if (!session_take_confirmed(session)) {
        return;
    }
    uint32_t window = session->window + (SESSION_PLANT(WINDOW) ? 1 : 0);
    bool     has_room = session->present - session->confirmed < window && !session->is_guess_faulty;
    session_inputs_take(session);
    if (has_room && session_step_guess(session, session->present, true)) {
        session->present += 1;
    } else {
        session->result->stalled = true;
    }
}

tp_session_status tp_session_advance(tp_session *session, tp_session_result *result, tp_error *error)
{
    tp_session_result unused;
    tp_session_status status = enter(session, result != NULL ? result : &unused, error);
    uint32_t          handle;
    if (status == TP_SESSION_OK && session_inputs_missing(session, &handle)) {
        tp_error_set(error, "handle %u has no input for this advance: give one by tp_session_input", handle);
        status = TP_SESSION_REFUSED;
    }
    if (status != TP_SESSION_OK) {
        return status;
    }
    uint64_t before = session->present;
    if (session->is_local) {
        advance_local(session);
    } else if (session->is_following) {
        advance_following(session);
    } else {
        advance_predicting(session);
    }
    return leave(session, before, error);
}

tp_session_status tp_session_settle(tp_session *session, tp_session_result *result, tp_error *error)
{
    tp_session_result unused;
    tp_session_status status = enter(session, result != NULL ? result : &unused, error);
    uint64_t          before = session->present;
    if (status != TP_SESSION_OK || session->window == 0) {
        return status;
    }
    (void)session_take_confirmed(session);
    return leave(session, before, error);
}

tp_session_status tp_session_drain(tp_session *session, tp_session_result *result, tp_error *error)
{
    tp_session_result unused;
    tp_session_status status = enter(session, result != NULL ? result : &unused, error);
    uint64_t          before = session->present;
    if (status != TP_SESSION_OK) {
        return status;
    }
    if (session->window > 0) {
        (void)session_take_confirmed(session);
    }
    // Of a follower the rows still wait; a local session never has any.
    for (uint32_t i = 0; i < TP_SESSION_ROOTS && session->rows.count > 0 && session->frozen == TP_SESSION_OK; i++) {
        (void)session_step_confirmed(session);
    }
    return leave(session, before, error);
}

tp_session_status tp_session_reset(tp_session *session, tp_error *error)
{
    uint64_t tick = tp_sim_tick(session->sim);
    if (tp_sim_is_faulted(session->sim)) {
        tp_error_set(error, "the world still stands at its fault at tick %llu: replace its state first", (unsigned long long)tick);
        return TP_SESSION_REFUSED;
    }
    session_forget_guesses(session);
    session_rows_clear(session);
    for (uint32_t i = 0; i < TP_SESSION_ROOTS; i++) {
        session->roots[i].tick = SESSION_NO_TICK;
    }
    bool is_kept = tick >= session->own_first && tick < session->own_end;
    session->own_end = is_kept ? session->own_end : tick;
    session->own_first = tick;
    session->confirmed = session->present = tick;
    session->frozen = TP_SESSION_OK;
    session->has_desync = false;
    session->is_guess_faulty = false;
    session_inputs_begin(session);
    return TP_SESSION_OK;
}

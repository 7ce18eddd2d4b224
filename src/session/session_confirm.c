// session_confirm.c: what was confirmed becomes final: a right guess as it stands, a wrong one by going back. Own roots are compared here, and
// only of ticks that were stepped with the confirmed row: a guess that was wrong has a root, too, and it means nothing.
#include "session_internal.h"

static unsigned long long number(uint64_t value)
{
    return value;
}

// Brings the sim to the state before `tick`. Leaving the present keeps a snapshot of it, so that the way back is the same.
static bool go_to(tp_session *session, uint64_t tick)
{
    uint64_t at = tp_sim_tick(session->sim);
    if (at == tick) {
        return true;
    }
    if (at == session->present && !tp_sim_snapshot(session->sim)) {
        return session_freeze(session, TP_SESSION_BROKEN, "tick %llu: the world cannot save its state", number(at));
    }
    if (!tp_sim_restore(session->sim, tick)) {
        return session_freeze(session, TP_SESSION_BROKEN, "tick %llu: the snapshot that must be there to go back to is not", number(tick));
    }
    return true;
}

void session_keep_root(tp_session *session, uint64_t tick, tp_hash128 root)
{
    session->roots[tick % TP_SESSION_ROOTS] = (SessionRoot){ .tick = tick, .root = root };
}

static bool own_root(tp_session *session, tp_hash128 *root)
{
    *root = tp_sim_root(session->sim);
    if (!tp_sim_is_sound(session->sim)) {
        return session_freeze(session, TP_SESSION_BROKEN, "tick %llu: the world cannot save or hash its state, so its roots mean nothing",
                              number(tp_sim_tick(session->sim) - 1));
    }
    return true;
}

static bool desync(tp_session *session, const SessionRow *row, tp_hash128 own, bool is_fault)
{
    session->has_desync = true;
    session->desync = (tp_session_desync){ .tick = session->confirmed, .root = row->root, .own_root = own, .is_fault = is_fault };
    if (is_fault) {
        const tp_fault *fault = tp_sim_fault(session->sim);
        return session_freeze(session, TP_SESSION_DESYNCED, "tick %llu was confirmed, and faults here: %s: %.120s", number(session->confirmed),
                              tp_fault_name(fault->code), fault->what);
    }
    return session_freeze(session, TP_SESSION_DESYNCED, "tick %llu has another root here than the confirmed one: get the state anew, then reset",
                          number(session->confirmed));
}

// The own root of the tick that becomes final. On a difference the sim is brought to right after it.
static bool judge(tp_session *session, const SessionRow *row, tp_hash128 own)
{
    if (!row->has_root || tp_hash128_equal(own, row->root)) {
        session_keep_root(session, session->confirmed, own);
        return true;
    }
    return go_to(session, session->confirmed + 1) && desync(session, row, own, false);
}

static SessionGuess *guess_of(const tp_session *session, uint64_t tick)
{
    SessionGuess *guess = session->window > 0 ? session_guess_at(session, tick) : NULL;
    return guess != NULL && guess->tick == tick ? guess : NULL;
}

// The first row that waits was stepped, and is final.
static void finish(tp_session *session)
{
    const SessionRow *row = session_rows_front(session);
    const uint8_t    *bytes = session_rows_bytes(session, row);
    SessionGuess     *guess = guess_of(session, session->confirmed);
    session_inputs_compare(session, session->confirmed, bytes);
    memcpy(session->base, bytes, session->presence_size);
    memcpy(session->base + session->presence_size, bytes + session->inputs_offset, session->row_size - session->presence_size);
    session->wants_roots = session->keeps_roots || row->has_root;
    session->is_guess_faulty = false;
    if (guess != NULL) {
        guess->tick = SESSION_NO_TICK;
    }
    session_rows_pop(session);
    session->confirmed += 1;
    session->present = session->present > session->confirmed ? session->present : session->confirmed;
    session->result->confirmed += 1;
    session_inputs_drop(session);
}

static bool step_row(tp_session *session, const SessionRow *row)
{
    tp_error      reason;
    tp_sim_status status = tp_sim_step_bytes(session->sim, session_rows_bytes(session, row), row->size, &reason);
    if (status == TP_SIM_FAULTED) {
        return desync(session, row, tp_sim_fault_root(session->sim), true);
    }
    if (status == TP_SIM_REFUSED) {
        return session_freeze(session, TP_SESSION_BROKEN, "tick %llu: the world refuses the confirmed row: %.180s", number(session->confirmed),
                              reason.text);
    }
    session->result->frames += 1;
    return true;
}

bool session_step_confirmed(tp_session *session)
{
    const SessionRow *row = session_rows_front(session);
    SessionGuess     *guess = guess_of(session, session->confirmed);
    tp_hash128        own;
    if (!step_row(session, row)) {
        return false;
    }
    if (row->has_root || session->keeps_roots) {
        if (!own_root(session, &own)) {
            return false;
        }
        own = SESSION_PLANT(STALE_ROOT) && guess != NULL && guess->has_root ? guess->root : own;
        if (!judge(session, row, own)) {
            return false;
        }
    }
    session_events_confirmed(session, guess);
    finish(session);
    return true;
}

// For a planted fault alone.
static bool others_are_right(const tp_session *session, const uint8_t *guessed, const uint8_t *row)
{
    size_t size = session->input_size;
    for (uint32_t slot = 0; slot < session->players; slot++) {
        if (!session_has_bit(session->own_presence, slot) &&
            memcmp(guessed + session->presence_size + slot * size, row + session->inputs_offset + slot * size, size) != 0) {
            return false;
        }
    }
    return true;
}

static bool was_right(const tp_session *session)
{
    const SessionGuess *guess = session_guess_at(session, session->confirmed);
    const uint8_t      *bytes = session_rows_bytes(session, session_rows_front(session));
    size_t              inputs_size = session->row_size - session->presence_size;
    bool has_presence = memcmp(guess->row, bytes, session->presence_size) == 0;
    bool has_inputs = memcmp(guess->row + session->presence_size, bytes + session->inputs_offset, inputs_size) == 0;
    bool has_commands = bytes_get_u16(bytes + session->inputs_offset + inputs_size) != 0;
    if (SESSION_PLANT(ROLLBACK) || (SESSION_PLANT(PRESENCE) && !has_presence) || (SESSION_PLANT(COMMANDS) && has_presence && has_inputs) ||
        (SESSION_PLANT(OWN_INPUT) && has_presence && !has_commands && others_are_right(session, guess->row, bytes))) {
        return true;
    }
    // A guess that had more events than can be kept is stepped again for them.
    return has_presence && has_inputs && !has_commands && !guess->has_lost_events;
}

static bool confirm_guess(tp_session *session)
{
    const SessionRow *row = session_rows_front(session);
    SessionGuess     *guess = session_guess_at(session, session->confirmed);
    if (row->has_root || session->keeps_roots) {
        if (!guess->has_root && !(go_to(session, session->confirmed + 1) && own_root(session, &guess->root))) {
            return false;
        }
        guess->has_root = true;
        if (!judge(session, row, guess->root)) {
            return false;
        }
    }
    session_events_guess_confirmed(session, guess);
    finish(session);
    return true;
}

static void count_rollback(tp_session *session, uint32_t depth)
{
    session->result->rolled_back += depth;
    session->statistics.rollbacks += 1;
    session->statistics.rolled_back += depth;
    session->statistics.rollback_depths[depth] += 1;
    session->statistics.rollback_max = depth > session->statistics.rollback_max ? depth : session->statistics.rollback_max;
}

// The first wrong guess is the tick `confirmed`.
static bool go_back(tp_session *session)
{
    SessionGuess     *guess = session_guess_at(session, session->confirmed);
    const SessionRow *row = session_rows_front(session);
    if (SESSION_PLANT(GUESSED_ROOT) && guess->has_root && !judge(session, row, guess->root)) {
        return false;
    }
    count_rollback(session, (uint32_t)(session->present - session->confirmed));
    if (SESSION_PLANT(DEEP) && tp_sim_snapshot_size(session->sim, session->confirmed - 1) != 0) {
        tp_row once = { .presence = guess->row, .inputs = guess->row + session->presence_size };
        return go_to(session, session->confirmed - 1) && tp_sim_step(session->sim, &once, NULL) == TP_SIM_OK;
    }
    return go_to(session, session->confirmed);
}

// Perhaps the truth does not fault: it is not for a guess to end the world. The snapshot from before the tick lifts the fault, too.
static bool undo_fault(tp_session *session, uint64_t tick)
{
    session->is_guess_faulty = true;
    session->statistics.guess_faults += 1;
    session->present = tick;
    if (!tp_sim_restore(session->sim, tick)) {
        (void)session_freeze(session, TP_SESSION_BROKEN, "tick %llu: the snapshot of before a fault is not there", number(tick));
    }
    return false;
}

bool session_step_guess(tp_session *session, uint64_t tick, bool is_newest)
{
    SessionGuess *guess = session_guess_at(session, tick);
    tp_error      reason;
    session_inputs_guess(session, tick, guess->row);
    guess->tick = tick;
    guess->has_root = false;
    if (!tp_sim_snapshot(session->sim)) {
        return session_freeze(session, TP_SESSION_BROKEN, "tick %llu: the world cannot save its state", number(tick));
    }
    tp_row        row = { .presence = guess->row, .inputs = guess->row + session->presence_size };
    tp_sim_status status = tp_sim_step(session->sim, &row, &reason);
    if (status == TP_SIM_REFUSED) {
        return session_freeze(session, TP_SESSION_BROKEN, "tick %llu: the world refuses what it was guessed: %.180s", number(tick), reason.text);
    }
    if (status == TP_SIM_FAULTED) {
        return undo_fault(session, tick);
    }
    session->result->frames += 1;
    session_events_guessed(session, guess);
    // The newest tick's root costs least now, and mostly the guess is right. One that is stepped again was wrong just now: its root waits until it
    // is needed, so that going back pays for none in vain.
    if (is_newest && session->wants_roots) {
        guess->has_root = own_root(session, &guess->root);
        return guess->has_root;
    }
    return true;
}

// The ticks that are still guesses, with everything that is known by now.
static bool guess_again(tp_session *session)
{
    uint64_t end = session->present;
    if (SESSION_PLANT(UNSHOWN)) {
        session->present = session->confirmed;
        return true;
    }
    for (uint64_t tick = session->confirmed; tick < end; tick++) {
        if (!session_step_guess(session, tick, false)) {
            return session->frozen == TP_SESSION_OK;
        }
    }
    return true;
}

bool session_take_confirmed(tp_session *session)
{
    while (session->rows.count > 0 && session->confirmed < session->present && was_right(session)) {
        if (!confirm_guess(session)) {
            return false;
        }
    }
    bool is_wrong = session->rows.count > 0 && session->confirmed < session->present;
    if (!is_wrong && session->rows.count == 0) {
        return go_to(session, session->present); // it may have looked back for a root
    }
    if (is_wrong ? !go_back(session) : !go_to(session, session->present)) {
        return false;
    }
    while (session->rows.count > 0) {
        if (!session_step_confirmed(session)) {
            return false;
        }
    }
    return !is_wrong || guess_again(session);
}

void session_forget_guesses(tp_session *session)
{
    for (uint64_t i = 0; i < session->window; i++) {
        SessionGuess *guess = guess_of(session, session->confirmed + i);
        if (guess != NULL) {
            session_events_retract(session, guess);
            guess->tick = SESSION_NO_TICK;
        }
    }
}

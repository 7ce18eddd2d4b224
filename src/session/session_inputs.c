// session_inputs.c: inputs of this machine's players on their way to the ticks they are for, and guesses for everybody else.
#include "session_internal.h"

static uint8_t *own_at(const tp_session *session, uint32_t handle, uint64_t tick)
{
    size_t place = (size_t)handle * session->own_capacity + (size_t)(tick % session->own_capacity);
    return session->own + place * session->input_size;
}

// Own slots are present from the first tick on, whatever the row before it said: that is how a client comes into a room.
void session_inputs_begin(tp_session *session)
{
    for (uint32_t handle = 0; handle < session->slot_count; handle++) {
        uint32_t slot = session->slots[handle];
        if (!session_has_bit(session->base, slot)) {
            session->base[slot / 8] = (uint8_t)(session->base[slot / 8] | 1u << (slot % 8));
            tp_input_neutral(session->layout, session->base + session->presence_size + slot * session->input_size);
            tp_input_neutral(session->layout, session->last_own + handle * session->input_size);
        }
    }
}

tp_session_status tp_session_input(tp_session *session, uint32_t handle, const void *input, tp_error *error)
{
    if (handle >= session->slot_count) {
        tp_error_set(error, "handle %u: this session has %u, numbered from 0", handle, session->slot_count);
        return TP_SESSION_REFUSED;
    }
    const tp_record_type *type = session->world->input;
    tp_error              reason;
    uint8_t               bytes[TP_INPUT_SIZE_MAX];
    memcpy(session->native, input, type->struct_size);
    tp_input_sanitise(session->world, session->native);
    tp_record_encode(type, session->native, bytes);
    if (!tp_record_decode(type, bytes, session->native, &reason)) {
        tp_error_set(error, "handle %u: the world's own sanitise leaves the input out of range: %.150s", handle, reason.text);
        return TP_SESSION_REFUSED;
    }
    memcpy(session->given + handle * session->input_size, bytes, session->input_size);
    session->is_given[handle] = true;
    return TP_SESSION_OK;
}

bool session_inputs_missing(const tp_session *session, uint32_t *handle)
{
    for (*handle = 0; *handle < session->slot_count; *handle += 1) {
        if (!session->is_given[*handle]) {
            return true;
        }
    }
    return false;
}

// As the server does for an input that is missing: predicted, brought into range. A guess that is still out of it is none.
static void compute_prediction(tp_session *session, const uint8_t *last, uint8_t *out)
{
    const tp_record_type *type = session->world->input;
    (void)tp_record_decode(type, last, session->native, NULL);
    memset(session->predicted, 0, type->struct_size);
    tp_input_predict(session->world, session->native, session->predicted);
    tp_input_sanitise(session->world, session->predicted);
    tp_record_encode(type, session->predicted, out);
    if (!tp_record_decode(type, out, session->native, NULL)) {
        memcpy(out, last, session->input_size);
    }
}

// Turns an input into the one that is predicted after it. That is a function of the input alone, so the last answer serves while the question is the
// same: it nearly always is, and most inputs predict themselves.
static void predict(tp_session *session, uint32_t slot, uint8_t *input)
{
    size_t   size = session->input_size;
    uint8_t *memo = session->memo + slot * 2 * size;
    if (session->memo_state[slot] == SESSION_MEMO_NONE || memcmp(memo, input, size) != 0) {
        memcpy(memo, input, size);
        compute_prediction(session, memo, memo + size);
        session->memo_state[slot] = memcmp(memo, memo + size, size) == 0 ? SESSION_MEMO_SAME : SESSION_MEMO_OTHER;
    }
    if (session->memo_state[slot] == SESSION_MEMO_OTHER) {
        memcpy(input, memo + size, size);
    }
}

static void take_tick(tp_session *session, uint64_t tick, bool is_given)
{
    size_t size = session->input_size;
    for (uint32_t handle = 0; handle < session->slot_count; handle++) {
        uint8_t *last = session->last_own + handle * size;
        uint8_t *place = own_at(session, handle, tick);
        if (is_given) {
            memcpy(last, session->given + handle * size, size);
        } else {
            predict(session, session->slots[handle], last);
        }
        memcpy(place, last, size);
    }
}

void session_inputs_take(tp_session *session)
{
    uint64_t tick = session->present + session->delay;
    session->result->input_tick = tick;
    memset(session->is_given, 0, session->slot_count * sizeof(bool));
    if (session->own_end < session->confirmed) {
        session->own_first = session->own_end = session->confirmed;
    }
    if (SESSION_PLANT(OVERWRITTEN) && session->own_end > tick && tick >= session->own_first) {
        session->own_end = tick;
    }
    if (session->own_end > tick) {
        return;
    }
    for (uint64_t between = session->own_end; between < tick; between++) {
        take_tick(session, between, false);
    }
    take_tick(session, tick, true);
    session->own_end = tick + 1;
    session->result->took_inputs = true;
}

const uint8_t *session_inputs_own(const tp_session *session, uint32_t handle, uint64_t tick)
{
    return tick >= session->own_first && tick < session->own_end ? own_at(session, handle, tick) : NULL;
}

// Who does not change is not touched: the row before is copied first.
void session_inputs_guess(tp_session *session, uint64_t tick, uint8_t *row)
{
    const uint8_t *before = tick == session->confirmed ? session->base : session_guess_at(session, tick - 1)->row;
    uint8_t       *inputs = row + session->presence_size;
    size_t         size = session->input_size;
    memcpy(row, before, session->row_size);
    for (uint32_t slot = 0; slot < session->players; slot++) {
        if (session_has_bit(row, slot)) {
            predict(session, slot, inputs + slot * size);
        }
    }
    for (uint32_t handle = 0; handle < session->slot_count; handle++) {
        uint32_t       slot = session->slots[handle];
        const uint8_t *own = session_inputs_own(session, handle, tick);
        if (own != NULL && session_has_bit(row, slot)) {
            memcpy(inputs + slot * size, own, size);
        }
    }
}

static void compare_own(tp_session *session, uint64_t tick, const uint8_t *row)
{
    for (uint32_t handle = 0; handle < session->slot_count; handle++) {
        uint32_t       slot = session->slots[handle];
        const uint8_t *own = session_inputs_own(session, handle, tick);
        const uint8_t *input = row + session->inputs_offset + slot * session->input_size;
        bool           is_late = own != NULL && session_has_bit(row, slot) && memcmp(own, input, session->input_size) != 0;
        session->statistics.late += is_late ? 1 : 0;
    }
}

void session_inputs_compare(tp_session *session, uint64_t tick, const uint8_t *row)
{
    compare_own(session, tick, row);
    if (session->window == 0 || session_guess_at(session, tick)->tick != tick) {
        return;
    }
    const uint8_t *guessed = session_guess_at(session, tick)->row;
    size_t         size = session->input_size;
    for (uint32_t slot = 0; slot < session->players; slot++) {
        if (!session_has_bit(row, slot) || session_has_bit(session->own_presence, slot)) {
            continue;
        }
        bool is_right = session_has_bit(guessed, slot) &&
                        memcmp(guessed + session->presence_size + slot * size, row + session->inputs_offset + slot * size, size) == 0;
        session->statistics.predicted += 1;
        session->statistics.mispredicted += is_right ? 0 : 1;
    }
}

void session_inputs_drop(tp_session *session)
{
    session->own_end = session->own_end > session->confirmed ? session->own_end : session->confirmed;
    session->own_first = session->own_first > session->confirmed ? session->own_first : session->confirmed;
}

uint32_t tp_session_unconfirmed(const tp_session *session, uint32_t handle, uint64_t *first, uint8_t *bytes, uint32_t capacity)
{
    // Ticks whose rows wait are confirmed, too, though not stepped yet.
    uint64_t known = session->confirmed + (SESSION_PLANT(RESENT) ? 0 : session->rows.count);
    *first = session->own_first > known ? session->own_first : known;
    if (handle >= session->slot_count || session->own_end <= *first) {
        return 0;
    }
    uint64_t count = session->own_end - *first;
    count = count < capacity ? count : capacity;
    for (uint64_t i = 0; i < count; i++) {
        memcpy(bytes + i * session->input_size, own_at(session, handle, *first + i), session->input_size);
    }
    return (uint32_t)count;
}

bool tp_session_set_delay(tp_session *session, uint32_t delay)
{
    if (delay > TP_SESSION_DELAY_MAX) {
        return false;
    }
    session->delay = delay;
    return true;
}

uint32_t tp_session_delay(const tp_session *session)
{
    return session->delay;
}

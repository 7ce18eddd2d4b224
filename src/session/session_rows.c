// session_rows.c: confirmed rows from the moment they are given until they are stepped. They differ in size by their commands, so their bytes
// lie in a ring of their own; both bounds refuse by name.
#include "session_internal.h"

// Rows full of commands that fit beside as many without as may wait.
enum { FULL_ROWS = 4 };

size_t session_rows_budget(const tp_layout *layout)
{
    size_t fixed = tp_row_size_fixed(layout->setup.players, layout->input_size);
    size_t full = layout->world->command_count > 0 ? fixed + TP_COMMAND_BYTES_MAX : 0;
    return fixed * (TP_SESSION_CONFIRMED_MAX + 1) + FULL_ROWS * full;
}

const SessionRow *session_rows_front(const tp_session *session)
{
    return &session->rows.rows[session->rows.first];
}

const uint8_t *session_rows_bytes(const tp_session *session, const SessionRow *row)
{
    return session->rows.bytes + row->offset;
}

void session_rows_pop(tp_session *session)
{
    SessionRows *rows = &session->rows;
    rows->first = (rows->first + 1) % TP_SESSION_CONFIRMED_MAX;
    rows->count -= 1;
    if (rows->count == 0) {
        session_rows_clear(session);
    }
}

void session_rows_clear(tp_session *session)
{
    session->rows.first = session->rows.count = 0;
    session->rows.end = 0;
}

// Where `size` bytes go. The place never ends where the oldest row begins, so that full and empty differ.
static bool find_place(const SessionRows *rows, size_t size, size_t *offset)
{
    size_t begin = rows->count > 0 ? rows->rows[rows->first].offset : 0;
    if (rows->end >= begin && size <= rows->capacity - rows->end) {
        *offset = rows->end;
        return true;
    }
    bool   is_around = rows->end < begin;
    *offset = is_around ? rows->end : 0;
    return size < begin - *offset;
}

// What can be known of a row without stepping it: its size follows from itself.
static bool check_shape(const tp_session *session, const uint8_t *bytes, size_t size, tp_error *error)
{
    size_t fixed = tp_row_size_fixed(session->players, (uint32_t)session->input_size);
    if (size < fixed) {
        return tp_error_set(error, "a row of %zu bytes: at least %zu for %u slots of %zu", size, fixed, session->players, session->input_size);
    }
    uint32_t players = session->players;
    if (players % 8 != 0 && (bytes[players / 8] >> (players % 8)) != 0) {
        return tp_error_set(error, "presence has bits past slot %u", players - 1);
    }
    uint32_t count = bytes_get_u16(bytes + fixed - 2);
    size_t   offset = fixed;
    if (count > TP_COMMANDS_MAX) {
        return tp_error_set(error, "%u commands in one tick, the limit is %d", count, TP_COMMANDS_MAX);
    }
    for (uint32_t i = 0; i < count && offset <= size; i++) {
        offset += size - offset < 8 ? size : 8 + (size_t)bytes_get_u16(bytes + offset + 6);
    }
    if (offset != size || size - fixed > TP_COMMAND_BYTES_MAX) {
        return tp_error_set(error, "a row of %zu bytes with %u commands does not fit %u slots of %zu bytes", size, count, players, session->input_size);
    }
    return true;
}

static bool keep_row(tp_session *session, const uint8_t *bytes, size_t size, const tp_hash128 *root, tp_error *error)
{
    SessionRows *rows = &session->rows;
    size_t       offset;
    if (rows->count == TP_SESSION_CONFIRMED_MAX) {
        return tp_error_set(error, "%d confirmed ticks wait already: advance or settle first", TP_SESSION_CONFIRMED_MAX);
    }
    if (!find_place(rows, size, &offset)) {
        return tp_error_set(error, "%u confirmed ticks with their commands fill the %zu bytes kept for them: advance or settle first", rows->count,
                            rows->capacity);
    }
    memcpy(rows->bytes + offset, bytes, size);
    rows->rows[(rows->first + rows->count) % TP_SESSION_CONFIRMED_MAX] =
        (SessionRow){ .offset = offset, .size = size, .has_root = root != NULL, .root = root != NULL ? *root : (tp_hash128){ 0, 0 } };
    rows->count += 1;
    rows->end = offset + size;
    return true;
}

tp_session_status tp_session_confirm(tp_session *session, uint64_t tick, const uint8_t *row, size_t size, const tp_hash128 *root, tp_error *error)
{
    tp_error reason;
    uint64_t next = session->confirmed + session->rows.count;
    if (session->is_local) {
        tp_error_set(error, "tick %llu: a local session's ticks are final by themselves", (unsigned long long)tick);
        return TP_SESSION_REFUSED;
    }
    if (session->frozen != TP_SESSION_OK) {
        tp_error_set(error, "%s", session->why.text);
        return session->frozen;
    }
    if (tick < next) {
        return TP_SESSION_OK;
    }
    if (tick > next) {
        tp_error_set(error, "tick %llu was confirmed, but not yet tick %llu: give them in order", (unsigned long long)tick, (unsigned long long)next);
        return TP_SESSION_REFUSED;
    }
    if (!check_shape(session, row, size, &reason) || !keep_row(session, row, size, root, &reason)) {
        tp_error_set(error, "tick %llu: %.200s", (unsigned long long)tick, reason.text);
        return TP_SESSION_REFUSED;
    }
    return TP_SESSION_OK;
}

// session.c: sessions made and asked.
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "session_internal.h"

enum { CATCH_UP = 4, CATCH_UP_FROM = 6, KEPT_MAX = 4096 };

void tp_session_options_standard(tp_session_options *options)
{
    *options = (tp_session_options){ .window = TP_SESSION_WINDOW, .catch_up = CATCH_UP, .catch_up_from = CATCH_UP_FROM };
}

uint32_t tp_session_ring(uint32_t window)
{
    return window > 0 ? window + 1 : 0;
}

const char *tp_session_status_name(tp_session_status status)
{
    static const char *const names[] = { "ok", "refused", "desynced", "faulted", "broken" };
    return (unsigned)status < sizeof(names) / sizeof(*names) ? names[status] : "unknown status";
}

static bool check_slots(const tp_session_options *options, uint32_t players, tp_error *error)
{
    if (options->slot_count > players) {
        return tp_error_set(error, "%u slots in a world of %u", options->slot_count, players);
    }
    if (options->slot_count > 0 && options->slots == NULL) {
        return tp_error_set(error, "slot_count is %u, but slots is NULL", options->slot_count);
    }
    for (uint32_t i = 0; i < options->slot_count; i++) {
        if (options->slots[i] >= players) {
            return tp_error_set(error, "slot %u: the world has %u", options->slots[i], players);
        }
        if (i > 0 && options->slots[i] <= options->slots[i - 1]) {
            return tp_error_set(error, "slot %u after slot %u: give them ascending, each once", options->slots[i], options->slots[i - 1]);
        }
    }
    return true;
}

static bool is_predicting(const tp_session_options *options)
{
    return !options->is_local && options->slot_count > 0 && options->window > 0;
}

static bool check_options(const tp_sim *sim, const tp_session_options *options, tp_error *error)
{
    uint32_t ring = tp_sim_ring_capacity(sim);
    if (options->window > TP_SESSION_WINDOW_MAX) {
        return tp_error_set(error, "a window of %u ticks: at most %d", options->window, TP_SESSION_WINDOW_MAX);
    }
    if (options->delay > TP_SESSION_DELAY_MAX) {
        return tp_error_set(error, "a delay of %u ticks: at most %d", options->delay, TP_SESSION_DELAY_MAX);
    }
    if (options->is_local && options->slot_count == 0) {
        return tp_error_set(error, "a local session without players: give it at least one slot");
    }
    if (!options->is_local && !is_predicting(options) && options->catch_up == 0) {
        return tp_error_set(error, "catch_up is 0, so nothing could be caught up: give it at least 1");
    }
    if (is_predicting(options) && ring < tp_session_ring(options->window)) {
        return tp_error_set(error, "a window of %u ticks needs a sim with a ring of %u snapshots, this one has %u: see tp_session_ring",
                            options->window, tp_session_ring(options->window), ring);
    }
    if (tp_sim_is_faulted(sim)) {
        return tp_error_set(error, "the world has faulted at tick %llu", (unsigned long long)tp_sim_tick(sim));
    }
    return check_slots(options, tp_sim_layout(sim)->setup.players, error);
}

// All memory is one piece: measured first, then handed out by the same lines.
typedef struct {
    uint8_t *base; // NULL while measuring
    size_t   used;
} Carve;

static void *carve(Carve *from, size_t count, size_t size)
{
    uint8_t *place = from->base != NULL ? from->base + from->used : NULL;
    from->used += (count * size + 63) / 64 * 64;
    return place;
}

static void carve_events(tp_session *session, Carve *from)
{
    const tp_world *world = session->world;
    uint64_t        wanted = 2 * (uint64_t)session->window * world->events_max;
    uint32_t        most = world->events_max > KEPT_MAX ? world->events_max : KEPT_MAX;
    session->kept_stride = 0;
    for (uint32_t i = 0; i < world->event_count; i++) {
        size_t size = (world->events[i].struct_size + (size_t)15) / 16 * 16;
        session->kept_stride = size > session->kept_stride ? size : session->kept_stride;
    }
    session->kept_count = session->tell == NULL ? 0 : wanted < most ? (uint32_t)wanted : most;
    session->kept = carve(from, session->kept_count, sizeof(*session->kept));
    session->kept_data = carve(from, session->kept_count, session->kept_stride);
}

static void carve_all(tp_session *session, Carve *from)
{
    size_t native = session->world->input != NULL ? session->world->input->struct_size : 0;
    bool   has_rows = !session->is_local;
    session->rows.capacity = has_rows ? session_rows_budget(session->layout) : 0;
    session->rows.rows = carve(from, has_rows ? TP_SESSION_CONFIRMED_MAX : 0, sizeof(SessionRow));
    session->rows.bytes = carve(from, session->rows.capacity, 1);
    session->guesses = carve(from, session->window, sizeof(SessionGuess));
    for (uint32_t i = 0; i < session->window; i++) {
        uint8_t *row = carve(from, session->row_size, 1);
        if (from->base != NULL) {
            session->guesses[i].row = row;
        }
    }
    session->base = carve(from, session->row_size, 1);
    session->roots = carve(from, TP_SESSION_ROOTS, sizeof(SessionRoot));
    session->own_capacity = session->window + TP_SESSION_DELAY_MAX + 2;
    session->own = carve(from, (size_t)session->slot_count * session->own_capacity, session->input_size);
    session->given = carve(from, session->slot_count, session->input_size);
    session->is_given = carve(from, session->slot_count, sizeof(bool));
    session->last_own = carve(from, session->slot_count, session->input_size);
    session->memo = carve(from, session->players, 2 * session->input_size);
    session->memo_state = carve(from, session->players, 1);
    session->native = carve(from, native, 1);
    session->predicted = carve(from, native, 1);
    carve_events(session, from);
}

static void fill(tp_session *session, tp_sim *sim, const tp_session_options *options)
{
    session->sim = sim;
    session->layout = tp_sim_layout(sim);
    session->world = session->layout->world;
    session->tell = options->event;
    session->tell_to = options->event_to;
    session->is_local = options->is_local;
    session->is_following = !options->is_local && !is_predicting(options);
    session->keeps_roots = options->keeps_roots;
    session->window = is_predicting(options) ? options->window : 0;
    session->delay = options->delay;
    session->catch_up = options->catch_up;
    session->catch_up_from = options->catch_up_from;
    session->players = session->layout->setup.players;
    session->slot_count = options->slot_count;
    for (uint32_t i = 0; i < options->slot_count; i++) {
        uint32_t slot = options->slots[i];
        session->slots[i] = options->slots[i];
        session->own_presence[slot / 8] = (uint8_t)(session->own_presence[slot / 8] | 1u << (slot % 8));
    }
    session->input_size = session->layout->input_size;
    session->presence_size = (session->players + 7) / 8;
    session->inputs_offset = session->presence_size + (session->players + 3) / 4;
    session->row_size = session->presence_size + session->players * session->input_size;
}

tp_session *tp_session_create(tp_sim *sim, const tp_session_options *options, tp_error *error)
{
    if (!check_options(sim, options, error)) {
        return NULL;
    }
    tp_session shape = { 0 };
    Carve      from = { NULL, (sizeof(tp_session) + 63) / 64 * 64 };
    fill(&shape, sim, options);
    carve_all(&shape, &from);
    tp_session *session = aligned_alloc(64, from.used);
    if (session == NULL) {
        tp_error_set(error, "out of memory for a session of %zu bytes", from.used);
        return NULL;
    }
    memset(session, 0, from.used);
    from = (Carve){ (uint8_t *)session, (sizeof(tp_session) + 63) / 64 * 64 };
    fill(session, sim, options);
    carve_all(session, &from);
    session->wants_roots = session->keeps_roots;
    for (uint32_t i = 0; i < session->kept_count; i++) {
        session->kept[i].next = i + 1 < session->kept_count ? i + 1 : SESSION_NONE;
    }
    session->kept_free = session->kept_count > 0 ? 0 : SESSION_NONE;
    for (uint32_t i = 0; i < session->window; i++) {
        session->guesses[i].tick = SESSION_NO_TICK;
        session->guesses[i].now = session->guesses[i].stale = (SessionEventList){ SESSION_NONE, SESSION_NONE };
    }
    for (uint32_t i = 0; i < TP_SESSION_ROOTS; i++) {
        session->roots[i].tick = SESSION_NO_TICK;
    }
    session->confirmed = session->present = session->own_first = session->own_end = tp_sim_tick(sim);
    session_inputs_begin(session);
    return session;
}

void tp_session_destroy(tp_session *session)
{
    free(session);
}

bool session_freeze(tp_session *session, tp_session_status status, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(session->why.text, sizeof(session->why.text), format, arguments);
    va_end(arguments);
    session->frozen = status;
    session->present = tp_sim_tick(session->sim);
    return false;
}

tp_sim *tp_session_sim(tp_session *session)
{
    return session->sim;
}

uint64_t tp_session_tick(const tp_session *session)
{
    return session->present;
}

uint64_t tp_session_confirmed_tick(const tp_session *session)
{
    return session->confirmed;
}

uint64_t tp_session_waiting(const tp_session *session)
{
    return session->rows.count;
}

bool tp_session_root(const tp_session *session, uint64_t tick, tp_hash128 *root)
{
    const SessionRoot *kept = &session->roots[tick % TP_SESSION_ROOTS];
    if (tick == SESSION_NO_TICK || kept->tick != tick) {
        return false;
    }
    *root = kept->root;
    return true;
}

bool tp_session_get_desync(const tp_session *session, tp_session_desync *desync)
{
    if (!session->has_desync) {
        return false;
    }
    *desync = session->desync;
    return true;
}

void tp_session_get_statistics(const tp_session *session, tp_session_statistics *statistics)
{
    *statistics = session->statistics;
}

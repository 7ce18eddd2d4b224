// live_state.c: the state for who is new. It is encoded on the tick thread, which is a copy, and compressed on another one. Whoever joins
// within the next ticks gets the same one and the ticks since: a room that is joined by all at once makes one state.
#include <stdlib.h>
#include <string.h>

#include "packed.h"
#include "room_live.h"

// A state of so many ticks ago is still good for who joins now: what it lacks is in the history, four times over.
enum { STATE_TICKS = 64 };

void live_release_state(LiveState *state)
{
    if (state == NULL || --state->holders > 0) {
        return;
    }
    free(state->bytes);
    free(state->packed);
    free(state);
}

void live_drop_state(Member *member)
{
    live_release_state(member->state);
    member->state = NULL;
}

// The job's pointer is the state's: it is its first member.
static void run(RoomJob *job)
{
    LiveState *state = (LiveState *)job;
    // On another thread: nobody else looks at it before `done`.
    state->is_packed = packed_make(state->bytes, state->size, &state->packed, &state->packed_size);
}

typedef struct {
    LiveState state;
    Room     *room;
} StateOfRoom;

static void done(RoomJob *job)
{
    StateOfRoom *work = (StateOfRoom *)job;
    LiveState   *state = &work->state;
    Room        *room = work->room;
    RoomLive    *live = room->live;
    state->is_running = false;
    state->has_failed = !state->is_packed;
    state->is_ready = !state->has_failed;
    free(state->bytes);
    state->bytes = NULL;
    live->jobs -= 1;
    room->result.live.packed_bytes += state->packed_size;
    if (state->has_failed && live->state == state) {
        live->state = NULL;
        live_release_state(state);
    }
    live_release_state(state); // the job's own hold
    if (room->result.state == SERVER_ROOM_RUNNING) {
        live_pump(room);
    }
}

static bool encode(Room *room, LiveState *state)
{
    size_t capacity = tp_sim_encoded_max(room->sim);
    state->bytes = malloc(capacity + 1);
    if (state->bytes == NULL || !tp_sim_encode(room->sim, state->bytes, capacity, &state->size)) {
        return false;
    }
    state->tick = tp_sim_tick(room->sim);
    state->root = tp_sim_root(room->sim);
    state->input_leaf = tp_sim_input_leaf(room->sim);
    state->event_leaf = tp_sim_event_leaf(room->sim);
    return true;
}

static LiveState *make_state(Room *room)
{
    StateOfRoom *work = calloc(1, sizeof(*work));
    if (work == NULL) {
        return NULL;
    }
    LiveState *state = &work->state;
    *work = (StateOfRoom){ .room = room, .state = { .job = { run, done }, .holders = 1 } };
    if (!encode(room, state)) {
        live_release_state(state);
        return NULL;
    }
    state->is_running = true;
    state->holders += 1;
    room->live->jobs += 1;
    room->result.live.snapshots += 1;
    room->result.live.snapshot_bytes += state->size;
    room->host->work(room->host->to, &state->job);
    return state;
}

static bool is_good(const Room *room, const LiveState *state)
{
    return state != NULL && !state->has_failed && state->tick + STATE_TICKS > tp_sim_tick(room->sim) && state->tick >= room->live->history.first;
}

// Who watches with a delay takes one that somebody else holds already, if it is younger than half of that: it would have to wait for a new one
// longer, and each that is made is held for as long as somebody waits.
static LiveState *find_held(const Room *room, uint32_t delay)
{
    LiveState *best = NULL;
    for (const Member *other = room->live->members; other != NULL && delay > 0; other = other->next) {
        LiveState *state = other->state;
        bool       is_fit = state != NULL && !state->has_failed && state->tick >= room->live->history.first && state->tick + delay / 2 > tp_sim_tick(room->sim);
        best = is_fit && (best == NULL || state->tick > best->tick) ? state : best;
    }
    return best;
}

// Else a room would hold the state of its last joiner for as long as it lives.
void live_forget_state(Room *room)
{
    RoomLive *live = room->live;
    if (live->state != NULL && !is_good(room, live->state)) {
        live_release_state(live->state);
        live->state = NULL;
    }
}

void live_begin_state(Member *member)
{
    Room     *room = member->room;
    RoomLive *live = room->live;
    live_drop_state(member);
    LiveState *state = find_held(room, member->delay);
    if (state == NULL && !is_good(room, live->state)) {
        live_release_state(live->state);
        live->state = NULL; // work that is done at once looks at it
        live->state = make_state(room);
    }
    state = state != NULL ? state : live->state;
    if (state == NULL) {
        peer_bye(member->peer, MESSAGE_REASON_CROWDED, "the room's state cannot be copied: the server is out of memory"); // frees the member
        return;
    }
    member->state = state;
    member->state->holders += 1;
    member->stage = MEMBER_STATE;
    member->since_ns = room->host->now_ns(room->host->to);
    member->cursor = member->state_tick = member->state->tick;
    member->sent = SIZE_MAX;
    live_pump(room);
}

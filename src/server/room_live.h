// room_live.h: live clients as a room's source of rows. Callbacks validate and queue, the tick takes what has come in the order of slots: the
// order in which packets arrive decides nothing but which of two inputs for one tick counts.
//
//   room_live.c      the world, its tick, what a row is made of
//   live_members.c   who is in: joining, slots, leaving, coming back by token
//   live_state.c     the state for who is new: made once, compressed off the thread, shared
//   live_send.c      what members are sent: pieces, ticks of the past, the present, timing
//   live_inputs.c    what counts as an input
//   live_desync.c    reports of roots, and what follows when one is another
//   live_admin.c     chat, and what administrators do
//   live_history.c   rows and roots of lately
#pragma once

#include "live_history.h"
#include "peer.h"
#include "room.h"

/// The state before a tick, for all who need it about then. Belongs to the members that hold it, and to the room while it is the newest.
typedef struct LiveState {
    RoomJob    job;
    uint32_t   holders;
    bool       is_running, is_ready, has_failed;
    bool       is_packed; ///< the job's own
    uint64_t   tick;
    tp_hash128 root;
    uint64_t   input_leaf, event_leaf;
    uint8_t   *bytes, *packed; ///< canonical, until it is compressed; one zstd frame
    size_t     size, packed_size;
} LiveState;

typedef enum MemberStage {
    MEMBER_RESERVED, ///< JOINED was sent, READY is due
    MEMBER_STATE,    ///< waits for the state, or is being sent its pieces
    MEMBER_TAIL,     ///< is sent ticks of the past: it joined, or watches with a delay
    MEMBER_LIVE,     ///< is sent each tick as it is stepped
} MemberStage;

/// One client in one room, with or without slots.
typedef struct Member {
    Room          *room;
    Peer          *peer;
    struct Member *previous, *next; ///< of the room
    MemberStage    stage;
    bool           is_present;  ///< its slots are taken in the world, too
    bool           is_reported; ///< its desync was told, and nothing has put it right since
    uint32_t       slot_count, delay, cookie;
    uint32_t       resyncs;
    uint64_t       cursor;      ///< the next tick to be sent to it; of STATE on
    uint64_t       state_tick;  ///< of the state that it was sent last
    uint64_t       compared_from; ///< what it reports of ticks before is not looked at: its world was another one
    LiveState     *state;       ///< STATE: held
    size_t         sent;        ///< bytes of its pieces; SIZE_MAX: STATE itself is due
    int64_t        since_ns;    ///< of its stage
    int64_t        chat_ns;     ///< when it may say the next line
    uint64_t       needs;       ///< of inputs and reports a second: what its peer was told
    uint8_t        token[MESSAGE_TOKEN_SIZE];
    uint8_t        slots[TP_PLAYERS_MAX / 8];
} Member;

/// Slots that are kept for who lost his connection: found by the hash of his token.
typedef struct Seat {
    struct Seat *next;
    int64_t      until_ns;
    uint32_t     slot_count;
    uint8_t      token_hash[SERVER_TOKEN_HASH];
    uint8_t      slots[TP_PLAYERS_MAX / 8];
} Seat;

/// What a slot is doing. Inputs of a tick t stand at t % SERVER_INPUT_AHEAD.
typedef struct LiveSlot {
    Member  *owner;        ///< NULL: nobody is there
    Seat    *seat;         ///< it is kept for somebody
    bool     was_present;  ///< in the last tick
    bool     owes_absence; ///< its last owner was: the world sees a tick without before it sees the next one
    bool     is_awaited;   ///< its client has the state: a stalling room waits for it
    uint32_t missing;      ///< ticks in a row without an input
    uint64_t newest;       ///< tick of its newest input + 1; 0: none came
    int16_t  lead;         ///< least since the last TIMING
    uint16_t late;         ///< inputs that came too late since then
    bool     has_note, was_noted; ///< a token's hash: to be noted in the log; noted last
    uint8_t  note[SERVER_TOKEN_HASH], noted[SERVER_TOKEN_HASH];
} LiveSlot;

/// A state of before, to make that of a bad tick again.
typedef struct LiveKeep {
    uint64_t tick;  ///< steps done; UINT64_MAX: none
    size_t   size;
    uint64_t input_leaf, event_leaf;
    uint8_t *bytes;
} LiveKeep;

typedef struct LiveCommand {
    uint16_t type, size;
    uint8_t  bytes[MESSAGE_COMMAND_MAX];
} LiveCommand;

struct Desync;

struct RoomLive {
    ServerLiveOptions options;  ///< checked; strings are not kept
    int64_t    config[TP_CONFIG_ITEMS_MAX];
    uint32_t   players, input_size;
    uint32_t   number;          ///< as clients know it
    uint32_t   epoch;
    Member    *members;
    Seat      *seats;
    uint32_t   member_count, watcher_count, taken;
    bool       was_somebody;    ///< there has been one since the start
    bool       has_begun;       ///< start_players have been there
    bool       is_paused;       ///< no clock: nobody is there, or not enough to begin, or an administrator said so
    bool       is_held;         ///< an administrator, or a desync, said so
    bool       awaits_return;   ///< it was taken up: nobody has come back yet
    bool       is_ending;       ///< an administrator said so
    uint32_t   steps;           ///< that a held room may do
    uint32_t   speed;           ///< thousandths of its rate
    int64_t    stall_start_ns;  ///< 0: no tick waits
    int64_t    stall_end_ns;    ///< when a stalled tick goes on without
    int64_t    look_ns;         ///< when it was last looked after
    LiveSlot  *slots;           ///< players; likewise below
    uint64_t  *stamps;          ///< [slot][tick % SERVER_INPUT_AHEAD]: tick + 1 of the input that is there, 0: none
    uint8_t   *inputs;          ///< [slot][tick % SERVER_INPUT_AHEAD][input_size]
    uint8_t   *last;            ///< [slot][input_size]: what it was stepped with
    uint8_t   *neutral;         ///< [input_size]
    uint8_t   *row_inputs;      ///< [slot][input_size]
    uint8_t   *row_bytes;       ///< the row as the log and the clients have it
    uint32_t   row_capacity;
    void      *native, *predicted;
    uint8_t    presence[TP_PLAYERS_MAX / 8], origins[TP_PLAYERS_MAX / 4];
    LiveCommand *commands;      ///< SERVER_COMMANDS_WAITING of them, made when the first comes
    uint32_t   command_count;
    tp_command row_commands[SERVER_COMMANDS_WAITING];
    History    history;
    LiveState *state;           ///< the newest; NULL: none
    LiveKeep   keeps[SERVER_SNAPSHOTS];
    bool       has_notes;       ///< some slot's is to be looked at
    uint64_t   join_turn;       ///< whose pieces go first, of those who join
    uint64_t   join_left;       ///< bytes of states that may be sent until the next tick
    struct Desync *desync;      ///< that is looked into
    char      *desync_dir;      ///< own copy of the option's
    uint32_t   bundles;
    int64_t    bundle_ns;       ///< when the next may be written
    uint32_t   jobs;            ///< that run off the thread
};

/// Makes what a live room needs from checked options, its world included, to see that it can be made. False with the reason.
bool live_create(Room *room, const ServerLiveOptions *options, tp_error *error);
void live_destroy(Room *room);

static inline void live_set_bit(uint8_t *bits, uint32_t at, bool is_set)
{
    uint8_t mask = (uint8_t)(1u << (at % 8));
    bits[at / 8] = (uint8_t)(is_set ? bits[at / 8] | mask : bits[at / 8] & ~mask);
}

static inline bool live_has_bit(const uint8_t *bits, uint32_t at)
{
    return ((bits[at / 8] >> (at % 8)) & 1) != 0;
}

/// `burst` times at once, then once in `share_ns`: whether it may be now, which is counted. `next_ns` begins as INT64_MIN.
static inline bool live_take_share(int64_t *next_ns, int64_t now_ns, int64_t share_ns, uint32_t burst)
{
    int64_t earliest_ns = now_ns - (burst - 1) * share_ns;
    if (*next_ns > now_ns) {
        return false;
    }
    *next_ns = (*next_ns < earliest_ns ? earliest_ns : *next_ns) + share_ns;
    return true;
}

// For room.c.

bool live_open(Room *room, tp_error *error);
/// What the next tick waits for: a slot of a stalling room has nothing yet, and its time is not over.
bool live_must_wait(Room *room, int64_t now_ns);
void live_step(Room *room);
/// A stalled tick need not wait any more.
bool live_is_ready(const Room *room);
/// Nobody is there any more: true when the room is over by that.
bool live_is_deserted(const Room *room);
/// The members are told, and gone.
void live_finish(Room *room);
/// Ticks a second with the speed that was set.
uint32_t live_rate_hz(const Room *room);

// From the worker.

/// The answer goes to the peer: JOINED with the rules, or REFUSED.
void live_join(Room *room, Peer *peer, const Message *message);
/// A message of a member about its room. The member may be gone after it.
void live_message(Room *room, Member *member, const Message *message);
/// What the time brings, four times a second: who did not answer, whose seat is over, pieces of a paused room.
void live_look(Room *room, int64_t now_ns);
/// Out of the room; tells the peer so. The member is freed. `text` is for the client.
void live_leave(Member *member, MessageReason reason, const char *text);
/// Its connection is lost: as live_leave, but that its slots may be kept.
void live_lose(Member *member, MessageReason reason);
/// There is somebody to tick for: the caller starts the clock.
bool live_can_resume(const Room *room);
/// A peer's membership of a room, or NULL.
Member *live_member(const Peer *peer, uint32_t room_number);
/// With the right key already: does what an ADMIN asks. The answer's text, and whether it was done.
bool live_admin(Room *room, const Message *message, char text[MESSAGE_TEXT_MAX + 1]);

// Between the files.

/// Present in the next tick.
bool live_is_present(const RoomLive *live, uint32_t slot);
/// The input of a slot at the next tick, by what came and by the room's policy, into the row's place. Where it is from.
tp_origin live_take_input(Room *room, uint32_t slot);
void live_input(Room *room, Member *member, const Message *message);
/// A number of the room, for a member's messages: what all about this room have in their heads.
Message live_head(const Room *room, MessageType type);
void live_say_pace(Room *room, Member *only);   ///< NULL: to all
void live_say(Room *room, uint8_t slot, const char *text);
/// Foreign text as one line of UTF-8, cut between characters to what `capacity` holds: control characters, and what is no UTF-8, become question marks.
void live_line_of(const uint8_t *bytes, size_t size, char *line, size_t capacity);
void live_publish_taken(Room *room);
void live_fit_needs(Room *room); ///< the speed is another one: members may send as much more
void live_forget_state(Room *room); ///< the newest state, once it is too old for anybody
void live_drop_seats(Room *room);
void live_write_notes(Room *room); ///< before a tick
void live_resync_reported(Room *room);
void live_drop_seat_of(Room *room, uint32_t slot, const char *why); ///< a slot with a seat
/// The member's world is to be the room's: the state is made, or one of a moment ago is taken.
void live_begin_state(Member *member);
void live_drop_state(Member *member);
void live_release_state(LiveState *state);
/// Sends what may be sent now: pieces, ticks of the past.
void live_pump(Room *room);
/// All who join may have together what they may have in so many ticks, and not what is left of before.
void live_allow_states(Room *room, uint64_t ticks);
void live_send_rest(Room *room);
/// The tick that was just stepped, to all that are where it is.
void live_broadcast(Room *room, uint64_t tick, const tp_row *row);
void live_keep(Room *room);                     ///< after a step
void live_keep_first(Room *room);               ///< somebody is in: from here on bad ticks can be made again
void live_report(Room *room, Member *member, const Message *message);
void live_own_state(Room *room, Member *member, const Message *message);
void live_own_piece(Room *room, Member *member, const Message *message);
void live_desync_look(Room *room, int64_t now_ns);
void live_desync_left(Room *room, const Member *member); ///< it cannot send anything any more
void live_desync_finish(Room *room);
void live_chat(Room *room, Member *member, const Message *message);
void live_token_hash(const uint8_t token[MESSAGE_TOKEN_SIZE], uint8_t hash[SERVER_TOKEN_HASH]);
/// The lowest of a member's slots; TP_SOURCE_HOST: it watches.
uint32_t live_first_slot(const Member *member);

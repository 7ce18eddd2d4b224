// room_live.h: live clients as a room's source of rows. Callbacks validate and queue, the tick takes what has come in the order of slots: the
// order in which packets arrive decides nothing but which of two inputs for one tick counts.
#pragma once

#include "peer.h"
#include "room.h"

/// One client in one room, with or without slots.
typedef struct Member {
    Room          *room;
    Peer          *peer;
    struct Member *previous, *next; ///< of the room
    uint32_t       slot_count;
    uint8_t        slots[TP_PLAYERS_MAX / 8];
} Member;

/// What a slot is doing. Inputs of a tick t stand at t % SERVER_INPUT_AHEAD.
typedef struct LiveSlot {
    Member  *owner;        ///< NULL: nobody
    bool     was_present;  ///< in the last tick: it is free for another owner only after a tick without
    uint32_t missing;      ///< ticks in a row without an input
} LiveSlot;

struct RoomLive {
    ServerLiveOptions options;  ///< checked; strings are not kept
    int64_t    config[TP_CONFIG_ITEMS_MAX];
    uint32_t   players, input_size;
    uint32_t   number;          ///< as clients know it
    uint32_t   epoch;
    Member    *members;
    uint32_t   member_count, watcher_count, taken;
    bool       was_somebody;    ///< there has been one since the start
    bool       has_begun;       ///< start_players have been there
    bool       is_paused;       ///< no clock: nobody is there, or not enough to begin
    int64_t    stall_start_ns;  ///< 0: no tick waits
    int64_t    stall_end_ns;    ///< when a stalled tick goes on without
    uint64_t   state_tick;      ///< of `state`, and `state_size` its size; UINT64_MAX: none
    size_t     state_size;
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
    uint8_t   *state;           ///< for who joins: the canonical state; made at the first join
    size_t     state_capacity;
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

// For room.c.

bool live_open(Room *room, tp_error *error);
/// What the next tick waits for: a slot of a stalling room has nothing yet, and its time is not over.
bool live_must_wait(Room *room, int64_t now_ns);
void live_step(Room *room);
/// The input of a slot at the next tick, by what came and by the room's policy, into the row's place. Where it is from.
tp_origin live_take_input(Room *room, uint32_t slot);
/// A stalled tick need not wait any more.
bool live_is_ready(const Room *room);
/// Nobody is there any more: true when the room is over by that.
bool live_is_deserted(const Room *room);
/// The members are told, and gone.
void live_finish(Room *room);

// From the worker.

/// The answer goes to the peer: JOINED with everything that belongs to it, or REFUSED. True when it is in.
bool live_join(Room *room, Peer *peer, const Message *message);
void live_input(Room *room, Member *member, const Message *message);
/// Out of the room; tells the peer so. The member is freed.
void live_leave(Member *member, MessageReason reason);
/// There is somebody to tick for: the caller starts the clock.
bool live_can_resume(const Room *room);
/// A peer's membership of a room, or NULL.
Member *live_member(const Peer *peer, uint32_t room_number);

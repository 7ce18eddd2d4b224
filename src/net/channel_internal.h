// channel_internal.h: what the files of a channel share. channel.c has beginning, end and what comes in; channel_queue.c the messages that wait;
// channel_window.c how many may be under way and which are lost; channel_out.c puts datagrams together.
#pragma once

#include "channel.h"

enum ChannelEntryState { CHANNEL_ENTRY_FRESH, CHANNEL_ENTRY_FLYING, CHANNEL_ENTRY_LOST, CHANNEL_ENTRY_ARRIVED };

struct ChannelEntry {
    uint64_t place;
    uint32_t number;  // the last datagram that had it
    uint32_t sent_us; // its time, the low bits
    uint16_t size;
    uint8_t  state;
};

struct ChannelHeld {
    uint16_t size; // 0: nothing is here
    uint8_t  bytes[CHANNEL_MESSAGE_MAX];
};

// Numbers go round: `left` comes after `right` when the difference is above 0.
static inline int32_t channel_after(uint32_t left, uint32_t right)
{
    return (int32_t)(left - right);
}

static inline ChannelEntry *channel_entry(const Channel *channel, uint32_t number)
{
    return &channel->entries[number & (channel->entry_capacity - 1)];
}

/// Of the bytes under way.
static inline uint32_t channel_cost(const ChannelEntry *entry)
{
    return entry->size + 7u;
}

// channel_queue.c

ChannelSend channel_queue_add(Channel *channel, const uint8_t *bytes, size_t size);
void        channel_queue_copy(const Channel *channel, const ChannelEntry *entry, uint8_t *out);
/// Forgets everything before `number`.
void        channel_queue_drop(Channel *channel, uint32_t number);
void        channel_queue_trim(Channel *channel, size_t keep);

// channel_window.c

/// What the other side says has come. False when that cannot be: nothing has changed then.
bool     channel_window_heard(Channel *channel, const ChannelDatagram *datagram, uint64_t now_us);
bool     channel_window_has_room(const Channel *channel, const ChannelEntry *entry);
/// Nothing was heard for too long.
void     channel_window_expire(Channel *channel, uint64_t now_us);
/// When that will be.
uint64_t channel_window_due_us(const Channel *channel);
/// A round trip, or a guess.
uint32_t channel_window_rtt_us(const Channel *channel);
/// All of it was sent to nobody: begin again.
void     channel_window_restart(Channel *channel);

// channel_out.c

/// Something may be sent now: messages, or a probe.
bool   channel_out_has_messages(const Channel *channel);
size_t channel_out_next(Channel *channel, uint64_t now_us, uint8_t *out);

// channel_out.c: puts datagrams together: what is lost, then what is new, then what else is under way and fits; always what has come here.
#include <assert.h>
#include <string.h>

#include "bytes.h"
#include "channel_internal.h"

enum { BURST_US = 1000, PICKS_MAX = CHANNEL_RUN_COUNT_MAX, COPIES_LOOKED_AT = 256, FIN_LEAST_US = 20000, FIN_MOST_US = 125000 };

// Messages of one datagram, by their distance from the first that waits.
typedef struct Picks {
    uint64_t bits[(CHANNEL_WINDOW + 63) / 64];
    uint32_t first, count;
    size_t   space; // bytes left
} Picks;

static bool is_picked(const Picks *picks, uint32_t number)
{
    uint32_t at = number - picks->first;
    return at < CHANNEL_WINDOW && (picks->bits[at / 64] >> at % 64 & 1) != 0;
}

// A message next to another one goes into the same run.
static bool pick(Picks *picks, const Channel *channel, uint32_t number, size_t reserved)
{
    size_t size = channel_entry(channel, number)->size + 2u;
    size += is_picked(picks, number - 1) || is_picked(picks, number + 1) ? 0 : CHANNEL_RUN_SIZE;
    if (size + reserved > picks->space || picks->count == PICKS_MAX) {
        return false;
    }
    uint32_t at = number - picks->first;
    assert(at < CHANNEL_WINDOW);
    picks->bits[at / 64] |= UINT64_C(1) << at % 64;
    picks->space -= size;
    picks->count += 1;
    return true;
}

static bool has_room_for_lost(const Channel *channel)
{
    return channel->flying == 0 || channel->flying + CHANNEL_DATAGRAM_MAX <= channel->window;
}

static bool has_fresh(const Channel *channel)
{
    return channel->fresh != channel->end_number && channel->fresh - channel->first < CHANNEL_WINDOW;
}

bool channel_out_has_messages(const Channel *channel)
{
    return (channel->lost_count > 0 && has_room_for_lost(channel)) ||
           (has_fresh(channel) && channel_window_has_room(channel, channel_entry(channel, channel->fresh)));
}

static void fly(Channel *channel, ChannelEntry *entry)
{
    channel->lost_count -= entry->state == CHANNEL_ENTRY_LOST ? 1 : 0;
    channel->again += entry->state == CHANNEL_ENTRY_LOST ? 1 : 0;
    entry->state = CHANNEL_ENTRY_FLYING;
    channel->flying += channel_cost(entry);
}

static void pick_lost(Channel *channel, Picks *picks)
{
    for (uint32_t number = channel->first; number != channel->fresh && channel->lost_count > 0; number++) {
        ChannelEntry *entry = channel_entry(channel, number);
        if (entry->state != CHANNEL_ENTRY_LOST) {
            continue;
        }
        if (!has_room_for_lost(channel)) {
            channel->is_limited = true;
            return;
        }
        if (pick(picks, channel, number, 0)) {
            fly(channel, entry);
        }
    }
}

static void pick_fresh(Channel *channel, Picks *picks)
{
    while (has_fresh(channel)) {
        ChannelEntry *entry = channel_entry(channel, channel->fresh);
        if (!channel_window_has_room(channel, entry)) {
            channel->is_limited = true;
            return;
        }
        if (!pick(picks, channel, channel->fresh, 0)) {
            return;
        }
        fly(channel, entry);
        channel->fresh += 1;
    }
}

// The oldest first: they are what the others wait for.
static void pick_copies(Channel *channel, Picks *picks, size_t reserved)
{
    uint32_t copies = 0;
    for (uint32_t at = 0; at < COPIES_LOOKED_AT && copies < CHANNEL_COPIES && channel->first + at != channel->fresh; at++) {
        uint32_t number = channel->first + at;
        if (channel_entry(channel, number)->state == CHANNEL_ENTRY_FLYING && !is_picked(picks, number)) {
            copies += pick(picks, channel, number, reserved) ? 1 : 0;
        }
    }
    channel->again += copies;
}

// Bytes of the mask that tells everything.
static uint32_t mask_wanted(const Channel *channel)
{
    for (uint32_t ahead = channel->held_count > 0 ? channel->held_capacity : 0; ahead-- > 1;) {
        if (channel->held[(channel->next + ahead) & (channel->held_capacity - 1)].size > 0) {
            return (ahead + 7) / 8; // bit ahead - 1
        }
    }
    return 0;
}

static void fill_mask(const Channel *channel, uint8_t *mask, uint32_t size)
{
    memset(mask, 0, size);
    for (uint32_t ahead = 1; ahead < channel->held_capacity && ahead <= size * 8; ahead++) {
        bool is_here = channel->held[(channel->next + ahead) & (channel->held_capacity - 1)].size > 0;
        mask[(ahead - 1) / 8] |= (uint8_t)((is_here ? 1 : 0) << (ahead - 1) % 8);
    }
}

static uint16_t delay_of(const Channel *channel, uint64_t now_us)
{
    uint64_t delay = channel->seen == 0 ? 0 : (now_us - channel->seen_us) / 10;
    return delay < UINT16_MAX ? (uint16_t)delay : UINT16_MAX;
}

static size_t write_runs(Channel *channel, const Picks *picks, uint64_t now_us, uint8_t *out)
{
    size_t   size = 0;
    uint8_t *count = NULL;
    for (uint32_t at = 0; at < CHANNEL_WINDOW && channel->first + at != channel->fresh; at++) {
        uint32_t number = channel->first + at;
        if (!is_picked(picks, number)) {
            count = NULL;
            continue;
        }
        if (count == NULL) {
            bytes_put_u32(out + size, number);
            count = out + size + 4;
            *count = 0;
            size += CHANNEL_RUN_SIZE;
        }
        ChannelEntry *entry = channel_entry(channel, number);
        bytes_put_u16(out + size, entry->size);
        channel_queue_copy(channel, entry, out + size + 2);
        size += 2u + entry->size;
        *count += 1;
        entry->number = channel->number;
        entry->sent_us = (uint32_t)now_us;
    }
    return size;
}

static void note_sent(Channel *channel, const Picks *picks, bool is_cut, uint64_t now_us)
{
    channel->ack_us = is_cut ? now_us : CHANNEL_NEVER;
    channel->large = is_cut ? channel->large : 0;
    channel->burst += 1;
    if (picks->count == 0) {
        return;
    }
    channel->said_us = now_us;
    channel->is_probing = false;
    if (channel->measured_us == 0) {
        channel->measured = channel->number;
        channel->measured_us = now_us;
    }
}

static void note_fin(Channel *channel, uint64_t now_us)
{
    uint64_t wait_us = (uint64_t)channel_window_rtt_us(channel) * 3 / 2;
    wait_us = wait_us > FIN_LEAST_US ? wait_us : FIN_LEAST_US;
    channel->fin_us = now_us + (wait_us < FIN_MOST_US ? wait_us : FIN_MOST_US);
    channel->owes_fin = false;
}

static size_t write(Channel *channel, Picks *picks, uint64_t now_us, uint8_t *out)
{
    uint8_t  mask[CHANNEL_MASK_MAX];
    uint32_t wanted = mask_wanted(channel);
    bool     is_fin = (channel->state == CHANNEL_CLOSING || channel->owes_fin) && picks->space >= CHANNEL_FIN_SIZE;
    picks->space -= is_fin ? CHANNEL_FIN_SIZE : 0;
    uint32_t mask_size = wanted < picks->space ? wanted : (uint32_t)picks->space;
    fill_mask(channel, mask, mask_size);
    channel->number += 1;
    ChannelDatagram datagram = {
        .kind = is_fin ? CHANNEL_FIN : CHANNEL_DATA, .id = channel->other_id, .number = channel->number, .seen = channel->seen,
        .delay = delay_of(channel, now_us), .next = channel->next, .mask = mask, .mask_size = (uint8_t)mask_size, .is_cut = mask_size < wanted,
        .fin_end = channel->end_number, .fin_cuts = channel->is_cutting || channel->state == CHANNEL_OVER,
    };
    size_t size = channel_wire_head(out, &datagram);
    size += write_runs(channel, picks, now_us, out + size);
    assert(size <= CHANNEL_DATAGRAM_MAX);
    note_sent(channel, picks, datagram.is_cut, now_us);
    if (is_fin) {
        note_fin(channel, now_us);
    }
    return size;
}

static bool may_burst(Channel *channel, uint64_t now_us)
{
    if (now_us - channel->burst_us >= BURST_US) {
        channel->burst_us = now_us;
        channel->burst = 0;
    }
    return channel->burst < CHANNEL_BURST;
}

size_t channel_out_next(Channel *channel, uint64_t now_us, uint8_t *out)
{
    bool   is_fin_due = channel->owes_fin || (channel->state == CHANNEL_CLOSING && now_us >= channel->fin_us);
    Picks  picks = { .first = channel->first, .space = CHANNEL_DATAGRAM_MAX - CHANNEL_HEAD_SIZE };
    size_t mask = mask_wanted(channel);
    channel_window_expire(channel, now_us);
    if (channel->state != CHANNEL_OVER && may_burst(channel, now_us)) {
        picks.space -= mask > 0 ? 1 : 0; // a message of any size leaves room for so much of the mask
        pick_lost(channel, &picks);
        pick_fresh(channel, &picks);
        picks.space += mask > 0 ? 1 : 0;
        if (picks.count > 0 || channel->is_probing) {
            pick_copies(channel, &picks, picks.count == 0 ? 1 : mask + CHANNEL_FIN_SIZE);
        }
    }
    if (picks.count == 0 && now_us < channel->ack_us && !is_fin_due) {
        return 0;
    }
    return write(channel, &picks, now_us, out);
}

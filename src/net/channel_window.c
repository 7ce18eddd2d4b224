// channel_window.c: what is under way: how much may be, what has arrived, what is lost. The window is TCP's: it doubles in a round trip until
// something is lost, then it grows by a datagram in a round trip; a loss takes three tenths of it, once for everything that was under way by then.
#include <assert.h>

#include "channel_internal.h"

enum { SPREAD_MIN_US = 1000 };

uint32_t channel_window_rtt_us(const Channel *channel)
{
    return channel->rtt_us > 0 ? channel->rtt_us : CHANNEL_FIRST_RTT_US;
}

bool channel_window_has_room(const Channel *channel, const ChannelEntry *entry)
{
    return channel->flying == 0 || channel->flying + channel_cost(entry) <= channel->window;
}

uint64_t channel_window_due_us(const Channel *channel)
{
    if (channel->flying == 0) {
        return CHANNEL_NEVER;
    }
    uint32_t spread_us = 4 * channel->rtt_spread_us > SPREAD_MIN_US ? 4 * channel->rtt_spread_us : SPREAD_MIN_US;
    spread_us = channel->rtt_us > 0 ? spread_us : 2 * CHANNEL_FIRST_RTT_US;
    uint64_t wait_us = (uint64_t)channel_window_rtt_us(channel) + spread_us + CHANNEL_ACK_US;
    uint64_t longest_us = wait_us > CHANNEL_PROBE_MAX_US ? wait_us : CHANNEL_PROBE_MAX_US;
    for (uint32_t i = 0; i < channel->tries && wait_us < longest_us; i++) {
        wait_us *= 2;
    }
    return channel->said_us + (wait_us < longest_us ? wait_us : longest_us);
}

static void lose(Channel *channel, ChannelEntry *entry)
{
    assert(entry->state == CHANNEL_ENTRY_FLYING);
    entry->state = CHANNEL_ENTRY_LOST;
    channel->flying -= channel_cost(entry);
    channel->lost_count += 1;
    channel->losses += 1;
}

static void shrink(Channel *channel, uint32_t window)
{
    channel->threshold = window > CHANNEL_WINDOW_MIN ? window : CHANNEL_WINDOW_MIN;
    channel->window = channel->threshold;
    channel->recovery = channel->number;
    channel->grown = 0;
}

static void grow(Channel *channel, uint32_t bytes)
{
    if (!channel->is_limited) {
        return; // whoever sends less than the window learns nothing about the line
    }
    if (channel->window < channel->threshold) {
        channel->window += bytes;
    } else {
        channel->grown += (uint64_t)bytes * CHANNEL_DATAGRAM_MAX;
        channel->window += (uint32_t)(channel->grown / channel->window);
        channel->grown %= channel->window;
    }
    if (channel->window > CHANNEL_WINDOW_MOST) {
        channel->window = CHANNEL_WINDOW_MOST;
    }
    channel->is_limited = false;
}

static uint32_t arrive(Channel *channel, uint32_t number)
{
    ChannelEntry *entry = channel_entry(channel, number);
    uint32_t      bytes = entry->state == CHANNEL_ENTRY_ARRIVED ? 0 : channel_cost(entry);
    channel->flying -= entry->state == CHANNEL_ENTRY_FLYING ? bytes : 0;
    channel->lost_count -= entry->state == CHANNEL_ENTRY_LOST ? 1 : 0;
    entry->state = CHANNEL_ENTRY_ARRIVED;
    return bytes;
}

// Bytes that are acknowledged for the first time.
static uint32_t take_acks(Channel *channel, const ChannelDatagram *datagram)
{
    uint32_t bytes = 0;
    for (uint32_t number = channel->first; channel_after(datagram->next, number) > 0; number++) {
        bytes += arrive(channel, number);
    }
    for (uint32_t bit = 0; bit < datagram->mask_size * 8u; bit++) {
        uint32_t number = datagram->next + 1 + bit;
        bool     is_set = (datagram->mask[bit / 8] >> bit % 8 & 1) != 0;
        if (is_set && channel_after(number, channel->first) >= 0 && channel_after(channel->fresh, number) > 0) {
            bytes += arrive(channel, number);
        }
    }
    if (channel_after(datagram->next, channel->first) > 0) {
        channel_queue_drop(channel, datagram->next);
    }
    return bytes;
}

static void measure(Channel *channel, const ChannelDatagram *datagram, uint64_t now_us)
{
    if (channel->measured_us == 0 || channel_after(datagram->seen, channel->measured) < 0) {
        return;
    }
    uint64_t passed_us = now_us - channel->measured_us;
    uint64_t delay_us = datagram->delay * UINT64_C(10);
    bool     is_it = datagram->seen == channel->measured; // else it was lost, or nobody said when it came
    channel->measured_us = 0;
    if (!is_it || passed_us > UINT32_MAX / 8) {
        return;
    }
    uint32_t rtt_us = (uint32_t)(passed_us > delay_us ? passed_us - delay_us : passed_us);
    rtt_us = rtt_us > 0 ? rtt_us : 1;
    if (channel->rtt_us == 0) {
        channel->rtt_us = rtt_us;
        channel->rtt_spread_us = rtt_us / 2;
        return;
    }
    uint32_t off_us = rtt_us > channel->rtt_us ? rtt_us - channel->rtt_us : channel->rtt_us - rtt_us;
    channel->rtt_spread_us = (uint32_t)(((uint64_t)channel->rtt_spread_us * 3 + off_us) / 4);
    channel->rtt_us = (uint32_t)(((uint64_t)channel->rtt_us * 7 + rtt_us) / 8);
    channel->rtt_us = channel->rtt_us > 0 ? channel->rtt_us : 1;
}

// The last datagram that had it was overtaken, and has had the time that others need. A count of those that overtook it would do on lines that keep
// order, but one with jitter mixes a whole burst.
static bool is_lost(const Channel *channel, const ChannelEntry *entry, uint32_t now_us)
{
    int32_t overtaken = channel_after(channel->acked, entry->number);
    if (entry->state != CHANNEL_ENTRY_FLYING || overtaken <= 0) {
        return false;
    }
    uint32_t rtt_us = channel_window_rtt_us(channel);
    return now_us - entry->sent_us > rtt_us + rtt_us / 4 + channel->rtt_spread_us;
}

static void find_lost(Channel *channel, const ChannelDatagram *datagram, uint64_t now_us)
{
    uint32_t told = datagram->next + 1 + datagram->mask_size * 8u; // a mask that was cut says nothing of what is behind it
    uint32_t end = datagram->is_cut && channel_after(channel->fresh, told) > 0 ? told : channel->fresh;
    bool     is_new = false;
    for (uint32_t number = channel->first; channel_after(end, number) > 0; number++) {
        ChannelEntry *entry = channel_entry(channel, number);
        if (is_lost(channel, entry, (uint32_t)now_us)) {
            is_new = is_new || channel_after(entry->number, channel->recovery) > 0;
            lose(channel, entry);
        }
    }
    if (is_new) {
        shrink(channel, channel->window / 10 * 7);
    }
}

bool channel_window_heard(Channel *channel, const ChannelDatagram *datagram, uint64_t now_us)
{
    if (channel_after(datagram->next, channel->fresh) > 0 || channel_after(datagram->seen, channel->number) > 0) {
        return false; // what was never sent
    }
    uint32_t bytes = take_acks(channel, datagram);
    if (bytes > 0) {
        channel->tries = 0;
        grow(channel, bytes);
    }
    if (channel_after(datagram->seen, channel->acked) >= 0) {
        channel->acked = datagram->seen;
        measure(channel, datagram, now_us);
        find_lost(channel, datagram, now_us);
    }
    return true;
}

// Once, the oldest goes again and nothing else is made of it: the answer tells what is missing. After that everything counts as lost.
void channel_window_expire(Channel *channel, uint64_t now_us)
{
    if (now_us < channel_window_due_us(channel)) {
        return;
    }
    channel->tries += 1;
    channel->is_probing = true;
    if (channel->tries < 2) {
        return;
    }
    for (uint32_t number = channel->first; number != channel->fresh; number++) {
        ChannelEntry *entry = channel_entry(channel, number);
        if (entry->state == CHANNEL_ENTRY_FLYING) {
            lose(channel, entry);
        }
    }
    uint32_t half = channel->window / 2;
    shrink(channel, channel->tries == 2 ? half : CHANNEL_WINDOW_MIN);
    channel->window = CHANNEL_WINDOW_MIN;
}

void channel_window_restart(Channel *channel)
{
    for (uint32_t number = channel->first; number != channel->fresh; number++) {
        channel_entry(channel, number)->state = CHANNEL_ENTRY_FRESH;
    }
    channel->fresh = channel->first;
    channel->flying = channel->lost_count = channel->tries = 0;
    channel->measured_us = 0;
}

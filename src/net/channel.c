// channel.c: how a channel begins and ends, and what comes in.
#include "channel.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "channel_internal.h"
#include "tickproof/rng.h"

enum { LARGE_SIZE = 600, LARGE_MAX = 2, HELD_FIRST = 4, OPEN_MOST_US = 1000000, BURST_US = 1000 };

static void init(Channel *channel, const ChannelOptions *options)
{
    assert(options->held_max > 0 && options->held_max <= CHANNEL_HELD_MAX);
    assert((options->held_max & (options->held_max - 1)) == 0);
    *channel = (Channel){ .options = *options, .window = CHANNEL_WINDOW_FIRST, .threshold = CHANNEL_WINDOW_MOST, .ack_us = CHANNEL_NEVER };
}

void channel_init_client(Channel *channel, uint64_t id, const ChannelOptions *options, uint64_t now_us)
{
    assert(id != 0);
    init(channel, options);
    channel->is_client = true;
    channel->own_id = id;
    channel->open_us = now_us;
}

void channel_init_server(Channel *channel, uint64_t client_id, uint64_t cookie, const ChannelOptions *options, uint64_t now_us)
{
    assert(client_id != 0);
    assert(cookie != 0);
    init(channel, options);
    channel->own_id = cookie;
    channel->other_id = client_id;
    channel->state = CHANNEL_STANDING;
    channel->has_stood = true;
    channel->ack_us = now_us;
}

void channel_finish(Channel *channel)
{
    free(channel->entries);
    free(channel->ring);
    free(channel->held);
    *channel = (Channel){ .state = CHANNEL_OVER };
}

ChannelSend channel_send(Channel *channel, const uint8_t *bytes, size_t size)
{
    assert(size >= 1 && size <= CHANNEL_MESSAGE_MAX);
    assert(channel->state != CHANNEL_CLOSING && channel->state != CHANNEL_OVER);
    ChannelSend sent = channel_queue_add(channel, bytes, size);
    channel->messages_out += sent == CHANNEL_SENT ? 1 : 0;
    return sent;
}

void channel_greet_again(Channel *channel, uint64_t now_us)
{
    channel->ack_us = now_us;
}

static void be_over(Channel *channel, ChannelEnd end)
{
    if (channel->state != CHANNEL_OVER) {
        channel->end = channel->state == CHANNEL_CLOSING ? CHANNEL_CLOSED : end;
        channel->state = CHANNEL_OVER;
        channel->is_deaf = true;
    }
}

void channel_close(Channel *channel, bool cuts, uint64_t now_us)
{
    if (channel->state == CHANNEL_CLOSING || channel->state == CHANNEL_OVER) {
        return;
    }
    bool is_asking = channel->state == CHANNEL_ASKING;
    channel->state = CHANNEL_CLOSING;
    channel->is_deaf = true;
    channel->is_cutting = cuts;
    channel->fin_us = now_us;
    channel->close_us = now_us + CHANNEL_CLOSE_US;
    if (cuts) {
        channel_queue_drop(channel, channel->end_number);
    }
    if (is_asking) {
        be_over(channel, CHANNEL_CLOSED); // nobody knows of it
    }
}

// Beginning.

static void take_cookie(Channel *channel, uint64_t cookie, uint64_t now_us)
{
    channel->other_id = cookie;
    channel->state = CHANNEL_GREETING;
    channel->open_us = now_us;
    channel->open_tries = 0;
}

// The cookie is too old by now, or the server has forgotten the key that it was made with. The old connection may stand there, so this one gets
// another id: what comes from there is not for it.
static void ask_anew(Channel *channel, uint64_t now_us)
{
    do {
        channel->own_id = tp_splitmix64_next(&channel->own_id);
    } while (channel->own_id == 0);
    channel->state = CHANNEL_ASKING;
    channel->open_us = now_us;
    channel->open_tries = 0;
    channel_window_restart(channel);
}

static size_t next_open(Channel *channel, uint64_t now_us, uint8_t *out)
{
    if (now_us < channel->open_us) {
        return 0;
    }
    if (channel->state == CHANNEL_GREETING && channel->open_tries == CHANNEL_OPEN_TRIES) {
        ask_anew(channel, now_us);
    }
    uint64_t wait_us = (uint64_t)CHANNEL_OPEN_US << (channel->open_tries < 8 ? channel->open_tries : 8);
    channel->open_us = now_us + (wait_us < OPEN_MOST_US ? wait_us : OPEN_MOST_US);
    channel->open_tries += 1;
    return channel_wire_open(out, channel->own_id, channel->state == CHANNEL_ASKING ? 0 : channel->other_id);
}

size_t channel_next(Channel *channel, uint64_t now_us, uint8_t datagram[CHANNEL_DATAGRAM_MAX])
{
    size_t size = 0;
    if (channel->state == CHANNEL_CLOSING && now_us >= channel->close_us) {
        be_over(channel, CHANNEL_CLOSED);
    }
    switch (channel->state) {
    case CHANNEL_ASKING: size = next_open(channel, now_us, datagram); break;
    case CHANNEL_GREETING:
        size = next_open(channel, now_us, datagram);
        size = size > 0 || channel->state == CHANNEL_ASKING ? size : channel_out_next(channel, now_us, datagram);
        break;
    case CHANNEL_STANDING: size = channel_out_next(channel, now_us, datagram); break;
    case CHANNEL_CLOSING:
        size = channel->has_stood ? 0 : next_open(channel, now_us, datagram);
        size = size > 0 ? size : channel_out_next(channel, now_us, datagram);
        break;
    case CHANNEL_OVER: size = channel->owes_fin ? channel_out_next(channel, now_us, datagram) : 0; break;
    }
    channel->datagrams_out += size > 0 ? 1 : 0;
    channel->bytes_out += size;
    return size;
}

static uint64_t earlier(uint64_t left, uint64_t right)
{
    return left < right ? left : right;
}

uint64_t channel_due_us(const Channel *channel, uint64_t now_us)
{
    if (channel->state == CHANNEL_OVER) {
        return channel->owes_fin ? 0 : CHANNEL_NEVER;
    }
    if (channel->state == CHANNEL_ASKING) {
        return channel->open_us;
    }
    uint64_t due_us = earlier(channel->ack_us, channel->has_stood ? CHANNEL_NEVER : channel->open_us);
    if (channel->state == CHANNEL_CLOSING) {
        due_us = earlier(due_us, earlier(channel->fin_us, channel->close_us));
    }
    // A burst that is used up holds messages back, and nothing else.
    bool     is_full = channel->burst >= CHANNEL_BURST && now_us - channel->burst_us < BURST_US;
    uint64_t free_us = is_full ? channel->burst_us + BURST_US : 0;
    uint64_t messages_us = channel->is_probing || channel_out_has_messages(channel) ? 0 : channel_window_due_us(channel);
    return earlier(due_us, messages_us > free_us ? messages_us : free_us);
}

// What comes in.

static bool grow_held(Channel *channel, uint32_t ahead)
{
    uint32_t capacity = channel->held_capacity > 0 ? channel->held_capacity : HELD_FIRST;
    while (capacity <= ahead) {
        capacity *= 2;
    }
    capacity = capacity < channel->options.held_max ? capacity : channel->options.held_max;
    if (capacity <= channel->held_capacity) {
        return true;
    }
    ChannelHeld *held = calloc(capacity, sizeof(*held));
    if (held == NULL) {
        return false;
    }
    for (uint32_t i = 0; i < channel->held_capacity; i++) {
        uint32_t number = channel->next + i;
        held[number & (capacity - 1)] = channel->held[number & (channel->held_capacity - 1)];
    }
    free(channel->held);
    channel->held = held;
    channel->held_capacity = capacity;
    return true;
}

// True: it is new here. What is too far ahead has no place, and is not acknowledged.
static bool hold(Channel *channel, uint32_t number, const uint8_t *bytes, uint16_t size)
{
    uint32_t ahead = number - channel->next;
    if (ahead >= channel->options.held_max || ahead >= CHANNEL_WINDOW || !grow_held(channel, ahead)) {
        channel->dropped += 1;
        return false;
    }
    ChannelHeld *held = &channel->held[number & (channel->held_capacity - 1)];
    if (held->size > 0) {
        return false;
    }
    held->size = size;
    memcpy(held->bytes, bytes, size);
    channel->held_count += 1;
    return true;
}

typedef struct Giving {
    Channel *channel;
    void   (*message)(void *to, const uint8_t *bytes, size_t size);
    void    *to;
    bool     is_new, is_early;
} Giving;

static void give(Giving *giving, const uint8_t *bytes, uint16_t size)
{
    Channel *channel = giving->channel;
    channel->next += 1;
    channel->messages_in += 1;
    giving->is_new = true;
    if (!channel->is_deaf) {
        giving->message(giving->to, bytes, size);
    }
}

static void give_held(Giving *giving)
{
    Channel *channel = giving->channel;
    while (channel->held_count > 0) {
        ChannelHeld *held = &channel->held[channel->next & (channel->held_capacity - 1)];
        uint16_t     size = held->size;
        if (size == 0) {
            return;
        }
        // Its place is free only after the call, and nothing is held meanwhile.
        channel->held_count -= 1;
        held->size = 0;
        give(giving, held->bytes, size);
        giving->is_early = true; // a gap is closed: that is news
    }
}

static void take_messages(Giving *giving, const ChannelDatagram *datagram)
{
    Channel       *channel = giving->channel;
    ChannelRuns    runs = channel_wire_runs(datagram);
    const uint8_t *bytes = NULL;
    uint32_t       number = 0;
    uint16_t       size = 0;
    while (channel_wire_next(&runs, &number, &bytes, &size)) {
        int32_t ahead = channel_after(number, channel->next);
        if (ahead == 0) {
            give(giving, bytes, size);
            give_held(giving);
        } else if (ahead > 0) {
            giving->is_new = hold(channel, number, bytes, size) || giving->is_new;
            giving->is_early = true;
        }
    }
}

// Two large datagrams, a gap, the end of one, or what had come already (the other side may be waiting) are told at once.
static void owe_ack(Channel *channel, const Giving *giving, size_t size, uint64_t now_us)
{
    channel->large += size >= LARGE_SIZE ? 1 : 0;
    bool     is_urgent = giving->is_early || !giving->is_new || channel->large >= LARGE_MAX;
    uint64_t due_us = is_urgent ? now_us : now_us + CHANNEL_ACK_US;
    channel->ack_us = due_us < channel->ack_us ? due_us : channel->ack_us;
}

static void take_fin(Channel *channel, const ChannelDatagram *datagram)
{
    if (datagram->kind == CHANNEL_FIN) {
        channel->has_fin = true;
        channel->fin_end = datagram->fin_end;
    }
    if (channel->has_fin && (channel->next == channel->fin_end || datagram->fin_cuts || channel->state == CHANNEL_CLOSING)) {
        // The answer ends the other side's waiting. One that cuts is an answer itself, or waits for nothing.
        channel->owes_fin = channel->state != CHANNEL_CLOSING || !datagram->fin_cuts;
        be_over(channel, datagram->fin_cuts ? CHANNEL_CUT : CHANNEL_GONE);
    }
}

static bool take_data(Channel *channel, const ChannelDatagram *datagram, size_t size, uint64_t now_us, Giving *giving)
{
    if (channel->state == CHANNEL_ASKING || channel->state == CHANNEL_OVER || !channel_window_heard(channel, datagram, now_us)) {
        return false;
    }
    if (!channel->has_stood) {
        channel->has_stood = true;
        channel->stood_number = channel->number;
        channel->state = channel->state == CHANNEL_GREETING ? CHANNEL_STANDING : channel->state;
    }
    if (channel_after(datagram->number, channel->seen) > 0) {
        channel->seen = datagram->number;
        channel->seen_us = now_us;
    }
    take_messages(giving, datagram);
    if (datagram->message_count > 0) {
        owe_ack(channel, giving, size, now_us);
    }
    take_fin(channel, datagram);
    return true;
}

static bool take(Channel *channel, const ChannelDatagram *datagram, size_t size, uint64_t now_us, Giving *giving)
{
    bool is_for_us = datagram->id == channel->own_id;
    switch (datagram->kind) {
    case CHANNEL_OPEN: return false;
    case CHANNEL_COOKIE:
        if (is_for_us && channel->state == CHANNEL_ASKING) {
            take_cookie(channel, datagram->cookie, now_us);
        }
        return is_for_us && channel->is_client;
    case CHANNEL_DATA:
    case CHANNEL_FIN: return is_for_us && take_data(channel, datagram, size, now_us, giving);
    case CHANNEL_RESET:
        if (!channel->is_client || datagram->id != channel->other_id || channel->state == CHANNEL_ASKING) {
            return false;
        }
        if (!channel->has_stood || channel_after(datagram->number, channel->stood_number) <= 0) {
            return true; // to one that has overtaken the OPEN
        }
        be_over(channel, CHANNEL_CUT);
        return true;
    }
    return false;
}

bool channel_receive(Channel *channel, uint64_t now_us, const uint8_t *bytes, size_t size,
                     void (*message)(void *to, const uint8_t *bytes, size_t size), void *to)
{
    ChannelDatagram datagram;
    Giving          giving = { .channel = channel, .message = message, .to = to };
    channel->datagrams_in += 1;
    channel->bytes_in += size;
    if (!channel_wire_read(bytes, size, &datagram) || !take(channel, &datagram, size, now_us, &giving)) {
        channel->malformed += 1;
        return false;
    }
    return true;
}

void channel_trim(Channel *channel, size_t keep)
{
    channel_queue_trim(channel, keep);
    if (channel->held_count == 0 && channel->held_capacity * sizeof(ChannelHeld) > keep) {
        free(channel->held);
        channel->held = NULL;
        channel->held_capacity = 0;
    }
}

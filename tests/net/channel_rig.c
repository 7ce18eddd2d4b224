// channel_rig.c: see channel_rig.h.
#include "channel_rig.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "bytes.h"
#include "channel_internal.h"

static void fail(ChannelRig *rig, const char *what, uint64_t value)
{
    if (rig->failure[0] == '\0') {
        snprintf(rig->failure, sizeof(rig->failure), "%s %" PRIu64 " at %" PRIu64 " us", what, value, rig->now_us);
    }
}

uint32_t channel_rig_message(const ChannelRigTraffic *traffic, uint32_t number, uint8_t *bytes)
{
    uint64_t dice = number * UINT64_C(0x9E3779B97F4A7C15) + traffic->size_max;
    uint64_t drawn = tp_splitmix64_next(&dice);
    uint32_t size = traffic->size_min + (uint32_t)(drawn % (traffic->size_max - traffic->size_min + 1));
    for (uint32_t i = 0; i < size; i++) {
        bytes[i] = (uint8_t)(drawn >> i % 8 * 8) ^ (uint8_t)i;
    }
    return size;
}

void channel_rig_open(ChannelRig *rig, const WeatherOptions *weather, const ChannelOptions *options)
{
    memset(rig, 0, sizeof(*rig));
    rig->now_us = 1000000;
    rig->options = *options;
    memcpy(rig->address, "client", 6);
    weather_init(&rig->there, weather, 1);
    weather_init(&rig->back, weather, 2);
    rig->first_id = weather->seed | 1;
    channel_init_client(&rig->client, rig->first_id, options, rig->now_us);
    if (!channel_door_init(&rig->door)) {
        fail(rig, "no randomness", 0);
    }
}

void channel_rig_close(ChannelRig *rig)
{
    channel_finish(&rig->client);
    channel_finish(&rig->server);
    weather_finish(&rig->there);
    weather_finish(&rig->back);
}

void channel_rig_start_at(ChannelRig *rig, uint32_t start)
{
    rig->start = rig->fresh = start;
    rig->client.number = rig->client.acked = rig->client.first = rig->client.fresh = rig->client.end_number = start;
}

typedef struct Ear {
    ChannelRig           *rig;
    ChannelRigSide       *side, *other;
    const char           *name;
} Ear;

static void on_message(void *to, const uint8_t *bytes, size_t size)
{
    Ear     *ear = to;
    uint8_t  wanted[CHANNEL_MESSAGE_MAX];
    uint32_t number = ear->side->got;
    if (number >= ear->other->sent) {
        fail(ear->rig, "more came than was sent:", number);
        return;
    }
    if (channel_rig_message(&ear->other->traffic, number, wanted) != size || memcmp(wanted, bytes, size) != 0) {
        fail(ear->rig, ear->name, number);
        return;
    }
    ear->side->first_us = number == 0 ? ear->rig->now_us : ear->side->first_us;
    ear->side->last_us = ear->rig->now_us;
    ear->side->delay_us[number % CHANNEL_RIG_TIMES] = (uint32_t)(ear->rig->now_us - ear->other->when_us[number % CHANNEL_RIG_TIMES]);
    ear->side->got += 1;
}

static void check_memory(ChannelRig *rig, const Channel *channel)
{
    if (channel->waiting > rig->options.out_max || channel->ring_capacity > rig->options.out_max) {
        fail(rig, "out_max does not hold:", channel->waiting);
    }
    if (channel->held_capacity > rig->options.held_max || channel->held_count > channel->held_capacity) {
        fail(rig, "held_max does not hold:", channel->held_capacity);
    }
    uint32_t flying = 0, lost = 0;
    for (uint32_t number = channel->first; number != channel->fresh; number++) {
        const ChannelEntry *entry = channel_entry(channel, number);
        flying += entry->state == CHANNEL_ENTRY_FLYING ? channel_cost(entry) : 0;
        lost += entry->state == CHANNEL_ENTRY_LOST ? 1 : 0;
    }
    if (channel->flying != flying || channel->lost_count != lost || flying > CHANNEL_WINDOW_MOST) {
        fail(rig, "what is under way is miscounted:", channel->flying);
    }
}

static void talk(ChannelRig *rig, Channel *channel, ChannelRigSide *side)
{
    uint8_t bytes[CHANNEL_MESSAGE_MAX];
    if (channel->state == CHANNEL_CLOSING || channel->state == CHANNEL_OVER) {
        return;
    }
    side->next_us = side->next_us == 0 ? rig->now_us : side->next_us;
    while (side->sent < side->traffic.count && side->next_us <= rig->now_us) {
        uint32_t size = channel_rig_message(&side->traffic, side->sent, bytes);
        if (channel_send(channel, bytes, size) != CHANNEL_SENT) {
            return;
        }
        side->when_us[side->sent % CHANNEL_RIG_TIMES] = rig->now_us;
        side->sent += 1;
        side->next_us += side->traffic.every_us;
    }
}

// The server says it has what it lacks.
static void forge_ack(uint8_t *bytes, size_t size, const Channel *server)
{
    ChannelDatagram datagram;
    if (channel_wire_read(bytes, size, &datagram) && datagram.kind == CHANNEL_DATA && server->held_count > 0) {
        bytes_put_u32(bytes + 19, datagram.next + 1);
    }
}

// Cuts the messages out that an earlier datagram had; gives the new size.
static size_t forge_first_time(ChannelRig *rig, uint8_t *bytes, size_t size)
{
    ChannelDatagram datagram;
    uint8_t         copy[CHANNEL_DATAGRAM_MAX];
    const uint8_t  *message = NULL;
    uint32_t        number = 0;
    uint16_t        message_size = 0;
    memcpy(copy, bytes, size);
    if (!channel_wire_read(copy, size, &datagram) || (datagram.kind != CHANNEL_DATA && datagram.kind != CHANNEL_FIN)) {
        return size;
    }
    size_t      used = size - datagram.runs_size;
    ChannelRuns runs = channel_wire_runs(&datagram);
    while (channel_wire_next(&runs, &number, &message, &message_size)) {
        if (channel_after(number, rig->fresh) < 0) {
            continue;
        }
        rig->fresh = number + 1;
        bytes_put_u32(bytes + used, number);
        bytes[used + 4] = 1;
        bytes_put_u16(bytes + used + 5, message_size);
        memcpy(bytes + used + 7, message, message_size);
        used += 7u + message_size;
        if (used > CHANNEL_DATAGRAM_MAX - 200) {
            break;
        }
    }
    return used;
}

static void pump(ChannelRig *rig, Channel *channel, Weather *weather, uint64_t *bytes_out)
{
    uint8_t datagram[CHANNEL_DATAGRAM_MAX];
    size_t  size = 0;
    for (uint32_t i = 0; (size = channel_next(channel, rig->now_us, datagram)) > 0; i++) {
        if (i > 4 * CHANNEL_BURST) {
            fail(rig, "datagrams without end:", i);
            return;
        }
        if (rig->plant == CHANNEL_RIG_FALSE_ACK && weather == &rig->back) {
            forge_ack(datagram, size, &rig->server);
        } else if (rig->plant == CHANNEL_RIG_NO_RESENDING && weather == &rig->there) {
            size = forge_first_time(rig, datagram, size);
        } else if (rig->plant == CHANNEL_RIG_BIT && weather == &rig->there && size > 200 && i == 0) {
            datagram[size - 1] ^= 4;
        }
        *bytes_out += size;
        weather_put(weather, rig->now_us, datagram, size);
    }
}

void channel_rig_pump(ChannelRig *rig)
{
    pump(rig, &rig->client, &rig->there, &rig->bytes_there);
    if (rig->has_server) {
        pump(rig, &rig->server, &rig->back, &rig->bytes_back);
    }
    if (rig->has_server && rig->server.state == CHANNEL_OVER && !rig->is_server_over) {
        rig->is_server_over = true;
        channel_door_note_old(&rig->door, rig->server.own_id);
    }
}

static void at_the_door(ChannelRig *rig, const uint8_t *bytes, size_t size)
{
    uint8_t  answer[CHANNEL_DATAGRAM_MAX];
    size_t   answer_size = 0;
    uint64_t client_id = 0, cookie = 0;
    switch (channel_door_knock(&rig->door, rig->now_us, rig->address, sizeof(rig->address), bytes, size, &client_id, &cookie, answer, &answer_size)) {
    case CHANNEL_KNOCK_NOTHING: break;
    case CHANNEL_KNOCK_ANSWER: weather_put(&rig->back, rig->now_us, answer, answer_size); break;
    case CHANNEL_KNOCK_OPEN:
        if (rig->has_server && rig->server.own_id == cookie) {
            channel_greet_again(&rig->server, rig->now_us);
        } else {
            channel_finish(&rig->server); // the client has asked anew
            channel_init_server(&rig->server, client_id, cookie, &rig->options, rig->now_us);
            rig->server.next = rig->server.seen = rig->start;
            rig->has_server = true;
            rig->server_side.sent = rig->server_side.got = 0;
        }
        break;
    }
}

static void arrive_there(ChannelRig *rig, const uint8_t *bytes, size_t size)
{
    Ear         ear = { .rig = rig, .side = &rig->server_side, .other = &rig->client_side, .name = "the server got a wrong message" };
    ChannelKind kind;
    uint64_t    id = 0;
    uint8_t     reset[CHANNEL_RESET_SIZE];
    if (!channel_wire_id(bytes, size, &kind, &id)) {
        fail(rig, "a datagram that is none:", size);
    } else if (kind == CHANNEL_OPEN) {
        at_the_door(rig, bytes, size);
    } else if (rig->has_server && !rig->is_server_over && id == rig->server.own_id) {
        channel_receive(&rig->server, rig->now_us, bytes, size, on_message, &ear);
        check_memory(rig, &rig->server);
    } else {
        size_t reset_size = channel_wire_answer(reset, bytes, size);
        if (reset_size > 0) {
            weather_put(&rig->back, rig->now_us, reset, reset_size);
        }
    }
}

static void receive(ChannelRig *rig)
{
    Ear            ear = { .rig = rig, .side = &rig->client_side, .other = &rig->server_side, .name = "the client got a wrong message" };
    uint8_t        bytes[CHANNEL_DATAGRAM_MAX];
    const uint8_t *taken = NULL;
    size_t         size = 0;
    while (weather_take(&rig->there, rig->now_us, &taken, &size)) {
        memcpy(bytes, taken, size);
        arrive_there(rig, bytes, size);
    }
    while (weather_take(&rig->back, rig->now_us, &taken, &size)) {
        memcpy(bytes, taken, size);
        channel_receive(&rig->client, rig->now_us, bytes, size, on_message, &ear);
        check_memory(rig, &rig->client);
    }
}

static uint64_t earlier(uint64_t left, uint64_t right)
{
    return left < right ? left : right;
}

static uint64_t next_event_us(const ChannelRig *rig)
{
    uint64_t due_us = earlier(weather_due_us(&rig->there), weather_due_us(&rig->back));
    due_us = earlier(due_us, channel_due_us(&rig->client, rig->now_us));
    due_us = rig->has_server ? earlier(due_us, channel_due_us(&rig->server, rig->now_us)) : due_us;
    if (rig->client_side.sent < rig->client_side.traffic.count && rig->client_side.next_us > rig->now_us) {
        due_us = earlier(due_us, rig->client_side.next_us);
    }
    if (rig->has_server && rig->server_side.sent < rig->server_side.traffic.count && rig->server_side.next_us > rig->now_us) {
        due_us = earlier(due_us, rig->server_side.next_us);
    }
    return due_us;
}

void channel_rig_step(ChannelRig *rig, uint64_t until_us)
{
    receive(rig);
    talk(rig, &rig->client, &rig->client_side);
    if (rig->has_server) {
        talk(rig, &rig->server, &rig->server_side);
    }
    channel_rig_pump(rig);
    uint64_t due_us = next_event_us(rig);
    if (due_us <= rig->now_us) {
        due_us = rig->now_us + 1; // as a loop would come round again
    }
    rig->now_us = earlier(due_us, until_us);
}

static bool is_done(const ChannelRig *rig)
{
    return rig->has_server && rig->client_side.got == rig->server_side.traffic.count && rig->server_side.got == rig->client_side.traffic.count &&
           rig->client.first == rig->client.end_number && rig->server.first == rig->server.end_number;
}

bool channel_rig_run(ChannelRig *rig, uint64_t until_us)
{
    until_us += rig->now_us;
    while (rig->failure[0] == '\0' && !is_done(rig) && rig->now_us < until_us) {
        channel_rig_step(rig, until_us);
    }
    if (!is_done(rig)) {
        fail(rig, "not everything came: the server lacks", rig->client_side.traffic.count - rig->server_side.got);
    }
    return rig->failure[0] == '\0';
}

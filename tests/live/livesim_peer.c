// livesim_peer.c: connections without sockets: what peer.c is to the server's rooms, over simulated lines.
#include <stdlib.h>
#include <string.h>

#include "livesim.h"

enum { OUT_MAX = 262144, SERVER_ID = 77, HELD = 1024, FIRST_INPUT = MESSAGE_HEAD_SIZE + 26 + 2 };

static LivesimLine *line_of(Peer *peer)
{
    return (LivesimLine *)peer;
}

static void put(Weather *weather, uint64_t now_us, const uint8_t *bytes, size_t size, LivesimLine *line, bool is_down);

static void give_down(LivesimLine *line, const uint8_t *bytes, size_t size)
{
    if (line->is_open && line->sim->clients[line->client].line == line) {
        livesim_client_receive(&line->sim->clients[line->client], bytes, size);
    }
}

// A line that keeps order and is full gives its oldest early.
static void put(Weather *weather, uint64_t now_us, const uint8_t *bytes, size_t size, LivesimLine *line, bool is_down)
{
    while (!weather_put(weather, now_us, bytes, size)) {
        const uint8_t *oldest;
        size_t         oldest_size;
        if (line->sim->plan->is_datagram || !weather_take(weather, WEATHER_NEVER, &oldest, &oldest_size)) {
            return;
        }
        uint8_t copy[WEATHER_SIZE_MAX];
        memcpy(copy, oldest, oldest_size);
        if (is_down) {
            give_down(line, copy, oldest_size);
        } else {
            livesim_take_message(line, copy, oldest_size);
        }
    }
}

static void flush_channel(LivesimLine *line, Channel *channel, Weather *weather, bool is_down)
{
    uint8_t datagram[CHANNEL_DATAGRAM_MAX];
    for (size_t size; (size = channel_next(channel, line->sim->now_us, datagram)) > 0;) {
        put(weather, line->sim->now_us, datagram, size, line, is_down);
    }
}

// The server's side.

void peer_send_bytes(Peer *peer, const uint8_t *bytes, size_t size)
{
    LivesimLine *line = line_of(peer);
    Livesim     *sim = line->sim;
    if (!line->is_open || line->has_bye) {
        return;
    }
    if (sim->plan->plant == LIVESIM_PLANT_LOSS && bytes[0] == MESSAGE_CONFIRMED && !line->has_planted && line->client == 0 && sim->now_us > sim->plan->bad_until_us / 2) {
        line->has_planted = true;
        return;
    }
    uint8_t other[MESSAGE_SIZE_MAX];
    if (sim->plan->plant == LIVESIM_PLANT_ROW && bytes[0] == MESSAGE_CONFIRMED && bytes[10] % 100 == 50 && size > FIRST_INPUT) {
        memcpy(other, bytes, size);
        other[FIRST_INPUT] ^= 1; // the first player's first button
        bytes = other;
    }
    if (sim->plan->is_datagram) {
        if (channel_send(&line->far, bytes, size) != CHANNEL_SENT) {
            line->is_slow = true; // nothing ends inside a call
        }
    } else {
        put(&line->down, sim->now_us, bytes, size, line, true);
    }
}

void peer_send(Peer *peer, const Message *message)
{
    uint8_t bytes[MESSAGE_SIZE_MAX];
    size_t  size = message_encode(message, bytes);
    if (size == 0) {
        livesim_fail(line_of(peer)->sim, "the server made a message of type %d that does not encode", (int)message->type);
        return;
    }
    peer_send_bytes(peer, bytes, size);
}

size_t peer_waiting(Peer *peer)
{
    const LivesimLine *line = line_of(peer);
    return line->sim->plan->is_datagram ? line->far.waiting : 0;
}

size_t peer_waiting_max(const Peer *peer)
{
    (void)peer;
    return OUT_MAX;
}

void peer_allow_pieces(Peer *peer, uint32_t count)
{
    peer->pieces_credit = count;
}

void peer_add_room(Peer *peer, uint64_t inputs_per_second)
{
    peer->inputs_per_second += inputs_per_second;
}

void peer_drop_room(Peer *peer, uint64_t inputs_per_second)
{
    peer->inputs_per_second -= inputs_per_second;
}

void peer_refuse(Peer *peer, uint32_t cookie, MessageReason reason, const char *text)
{
    Message message = { .type = MESSAGE_REFUSED, .room = MESSAGE_ROOM_NONE,
                        .body.refused = { .cookie = cookie, .reason = (uint16_t)reason, .text = message_text(text) } };
    peer_send(peer, &message);
}

static void leave_all(Peer *peer, MessageReason reason)
{
    while (peer->member_count > 0) {
        live_lose(peer->members[peer->member_count - 1], reason);
    }
}

void peer_bye(Peer *peer, MessageReason reason, const char *text)
{
    LivesimLine *line = line_of(peer);
    Message      message = { .type = MESSAGE_BYE, .room = MESSAGE_ROOM_NONE, .body.bye = { .reason = (uint16_t)reason, .text = message_text(text) } };
    leave_all(peer, reason);
    peer_send(peer, &message);
    line->has_bye = true;
}

static void welcome(LivesimLine *line)
{
    Message answer = { .type = MESSAGE_WELCOME, .room = MESSAGE_ROOM_NONE,
                       .body.welcome = { .version = MESSAGE_VERSION, .rooms = 1, .messages_per_second = 1000, .build = message_text("livesim") } };
    peer_send(&line->peer, &answer);
}

void livesim_take_message(LivesimLine *line, const uint8_t *bytes, size_t size)
{
    Livesim *sim = line->sim;
    Message  message;
    if (line->has_bye || !line->is_open) {
        return;
    }
    const char *wrong = message_decode(bytes, size, &message);
    if (wrong != NULL) {
        livesim_fail(sim, "client %u sent what is no message: %s", line->client, wrong);
        return;
    }
    if (message.type == MESSAGE_HELLO) {
        welcome(line);
    } else if (message.type == MESSAGE_JOIN) {
        live_join(&sim->room, &line->peer, &message);
    } else if (message.room == 0) {
        Member *member = live_member(&line->peer, 0);
        if (member != NULL && message.type == MESSAGE_LEAVE && message.epoch == sim->room.live->epoch) {
            live_leave(member, (MessageReason)message.body.leave.reason, "");
        } else if (member != NULL && message.type != MESSAGE_LEAVE) {
            live_message(&sim->room, member, &message);
        }
    }
}

// Both.

static void take_up(void *to, const uint8_t *bytes, size_t size)
{
    livesim_take_message(to, bytes, size);
}

static void take_down(void *to, const uint8_t *bytes, size_t size)
{
    give_down(to, bytes, size);
}

void livesim_line_send(LivesimLine *line, const uint8_t *bytes, size_t size)
{
    if (!line->is_open) {
        return;
    }
    if (line->sim->plan->is_datagram) {
        (void)channel_send(&line->near, bytes, size);
    } else {
        put(&line->up, line->sim->now_us, bytes, size, line, false);
    }
}

static void turn_datagrams(LivesimLine *line)
{
    uint64_t       now_us = line->sim->now_us;
    const uint8_t *bytes;
    size_t         size;
    while (line->is_open && weather_take(&line->up, now_us, &bytes, &size)) {
        uint8_t copy[WEATHER_SIZE_MAX];
        memcpy(copy, bytes, size);
        channel_receive(&line->far, now_us, copy, size, take_up, line);
    }
    while (line->is_open && weather_take(&line->down, now_us, &bytes, &size)) {
        uint8_t copy[WEATHER_SIZE_MAX];
        memcpy(copy, bytes, size);
        channel_receive(&line->near, now_us, copy, size, take_down, line);
    }
    if (line->is_open) {
        flush_channel(line, &line->near, &line->up, false);
        flush_channel(line, &line->far, &line->down, true);
    }
}

void livesim_line_turn(LivesimLine *line)
{
    uint64_t       now_us = line->sim->now_us;
    const uint8_t *bytes;
    size_t         size;
    if (line->is_slow) {
        livesim_line_cut(line);
    }
    if (line->sim->plan->is_datagram) {
        turn_datagrams(line);
        return;
    }
    while (line->is_open && weather_take(&line->up, now_us, &bytes, &size)) {
        uint8_t copy[WEATHER_SIZE_MAX];
        memcpy(copy, bytes, size);
        livesim_take_message(line, copy, size);
    }
    while (line->is_open && weather_take(&line->down, now_us, &bytes, &size)) {
        uint8_t copy[WEATHER_SIZE_MAX];
        memcpy(copy, bytes, size);
        give_down(line, copy, size);
    }
}

static void draw_partitions(LivesimLine *line)
{
    Livesim *sim = line->sim;
    for (uint32_t i = 0; i < sim->plan->partitions; i++) {
        uint64_t from_us = sim->now_us + tp_pcg32_below(&sim->dice, (uint32_t)(sim->plan->bad_until_us + 1));
        uint64_t to_us = from_us + tp_pcg32_below(&sim->dice, 400000);
        if (to_us < sim->plan->bad_until_us) {
            weather_partition(&line->up, from_us, to_us);
            weather_partition(&line->down, from_us, to_us);
        }
    }
}

LivesimLine *livesim_line_open(Livesim *sim, uint32_t client)
{
    LivesimLine   *line = calloc(1, sizeof(*line));
    WeatherOptions weather = sim->plan->weather;
    if (line == NULL) {
        abort();
    }
    line->sim = sim;
    line->client = client;
    line->is_open = true;
    line->peer.host = &sim->peers;
    snprintf(line->peer.address_text, sizeof(line->peer.address_text), "client %u", client);
    weather.keeps_order = !sim->plan->is_datagram;
    if (!sim->is_bad_weather) {
        weather.jitter_us = weather.loss_ppm = weather.duplicate_ppm = weather.reorder_ppm = 0;
    }
    weather_init(&line->up, &weather, client * 2 + sim->now_us);
    weather_init(&line->down, &weather, client * 2 + 1 + sim->now_us);
    if (sim->is_bad_weather) {
        draw_partitions(line);
    }
    if (sim->plan->is_datagram) {
        ChannelOptions options = { .out_max = OUT_MAX, .held_max = HELD };
        channel_init_client(&line->near, client + 1, &options, sim->now_us);
        channel_init_server(&line->far, client + 1, SERVER_ID + client, &options, sim->now_us);
        line->near.other_id = SERVER_ID + client;
        line->near.state = CHANNEL_GREETING; // as if it had asked at the door
    }
    line->next = sim->lines;
    sim->lines = line;
    return line;
}

void livesim_line_cut(LivesimLine *line)
{
    if (!line->is_open) {
        return;
    }
    line->is_open = false;
    leave_all(&line->peer, (MessageReason)0);
    if (line->sim->clients[line->client].line == line) {
        livesim_client_cut(&line->sim->clients[line->client]);
    }
}

void livesim_line_clear_up(LivesimLine *line)
{
    Weather *both[] = { &line->up, &line->down };
    for (int i = 0; i < 2; i++) {
        both[i]->options.jitter_us = both[i]->options.loss_ppm = both[i]->options.duplicate_ppm = both[i]->options.reorder_ppm = 0;
        both[i]->partition_count = 0;
    }
}

void livesim_lines_finish(Livesim *sim)
{
    while (sim->lines != NULL) {
        LivesimLine *line = sim->lines;
        sim->lines = line->next;
        weather_finish(&line->up);
        weather_finish(&line->down);
        channel_finish(&line->near);
        channel_finish(&line->far);
        free(line->peer.members);
        free(line);
    }
}

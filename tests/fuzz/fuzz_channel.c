// fuzz_channel.c: foreign datagrams at both ends of a channel and at the door. Whatever comes, memory has its bounds, what was counted is right, and a
// datagram that is accepted is written again as it was.
//
// Input: steps of one byte each and what belongs to them. Low 3 bits: 0 to 3 a datagram for server or client (bit 0) with the size in the next two bytes,
// its id made right (bit 1); 4 a message of the other five bits' size is sent; 5 time passes; 6 what is due goes to the other side (bit 3: gets lost);
// 7 the door is asked with the same bytes as a datagram would have.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "channel_door.h"
#include "channel_internal.h"
#include "bytes.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define REQUIRE(condition)                                                   \
    do {                                                                     \
        if (!(condition)) {                                                  \
            fprintf(stderr, "fuzz_channel: %s does not hold\n", #condition); \
            abort();                                                         \
        }                                                                    \
    } while (0)

enum { OUT_MAX = 8192, HELD_MAX = 16, STEPS_MAX = 4000 };

typedef struct Fuzz {
    Channel     client, server;
    ChannelDoor door;
    uint64_t    now_us;
    uint32_t    given;
} Fuzz;

static void on_message(void *to, const uint8_t *bytes, size_t size)
{
    Fuzz   *fuzz = to;
    uint8_t sum = 0;
    REQUIRE(size >= 1 && size <= CHANNEL_MESSAGE_MAX);
    for (size_t i = 0; i < size; i++) {
        sum ^= bytes[i];
    }
    fuzz->given += 1 + sum / 255u;
}

static void check(const Channel *channel)
{
    uint32_t flying = 0, lost = 0, held = 0;
    size_t   waiting = 0;
    for (uint32_t number = channel->first; number != channel->end_number; number++) {
        const ChannelEntry *entry = channel_entry(channel, number);
        flying += entry->state == CHANNEL_ENTRY_FLYING ? channel_cost(entry) : 0;
        lost += entry->state == CHANNEL_ENTRY_LOST ? 1 : 0;
        waiting += entry->size + (size_t)CHANNEL_MESSAGE_COST;
    }
    for (uint32_t i = 0; i < channel->held_capacity; i++) {
        held += channel->held[i].size > 0 ? 1 : 0;
    }
    REQUIRE(channel->flying == flying && channel->lost_count == lost && channel->held_count == held);
    REQUIRE(channel->waiting == waiting && waiting <= OUT_MAX);
    REQUIRE(channel->held_capacity <= HELD_MAX && channel->ring_capacity <= OUT_MAX);
    REQUIRE(channel->window >= CHANNEL_WINDOW_MIN && channel->window <= CHANNEL_WINDOW_MOST);
}

// What reads is written again to the same bytes.
static void write_again(const uint8_t *bytes, size_t size)
{
    ChannelDatagram datagram;
    uint8_t         again[CHANNEL_DATAGRAM_MAX];
    size_t          used = 0;
    if (!channel_wire_read(bytes, size, &datagram)) {
        return;
    }
    switch (datagram.kind) {
    case CHANNEL_OPEN: used = channel_wire_open(again, datagram.id, datagram.cookie); break;
    case CHANNEL_COOKIE: used = channel_wire_cookie(again, datagram.id, datagram.cookie); break;
    case CHANNEL_RESET: used = channel_wire_reset(again, datagram.id, datagram.number); break;
    case CHANNEL_DATA:
    case CHANNEL_FIN: {
        ChannelRuns    runs = channel_wire_runs(&datagram);
        const uint8_t *message = NULL;
        uint32_t       number = 0, count = 0;
        uint16_t       message_size = 0;
        used = channel_wire_head(again, &datagram);
        memcpy(again + used, datagram.runs, datagram.runs_size);
        used += datagram.runs_size;
        for (; channel_wire_next(&runs, &number, &message, &message_size); count++) {
            REQUIRE(message >= bytes && message + message_size <= bytes + size);
        }
        REQUIRE(count == datagram.message_count);
        break;
    }
    }
    REQUIRE(used == size && memcmp(again, bytes, size) == 0);
}

static void give(Fuzz *fuzz, Channel *channel, uint8_t *bytes, size_t size, bool is_aimed)
{
    if (is_aimed && size > 9 && bytes[0] != CHANNEL_OPEN) {
        bytes_put_u64(bytes + 1, bytes[0] == CHANNEL_RESET ? channel->other_id : channel->own_id);
    }
    write_again(bytes, size);
    uint8_t answer[CHANNEL_DATAGRAM_MAX];
    REQUIRE(channel_wire_answer(answer, bytes, size) <= size);
    channel_receive(channel, fuzz->now_us, bytes, size, on_message, fuzz);
    check(channel);
}

static void send_out(Fuzz *fuzz, Channel *from, Channel *to, bool is_lost)
{
    uint8_t datagram[CHANNEL_DATAGRAM_MAX];
    size_t  size = 0;
    for (uint32_t i = 0; (size = channel_next(from, fuzz->now_us, datagram)) > 0; i++) {
        REQUIRE(size <= CHANNEL_DATAGRAM_MAX && i < 4 * CHANNEL_BURST);
        write_again(datagram, size);
        check(from);
        if (!is_lost) {
            channel_receive(to, fuzz->now_us, datagram, size, on_message, fuzz);
            check(to);
        }
    }
    REQUIRE(channel_due_us(from, fuzz->now_us) > 0 || from->burst >= CHANNEL_BURST);
}

static void knock(Fuzz *fuzz, const uint8_t *bytes, size_t size)
{
    uint8_t  answer[CHANNEL_DATAGRAM_MAX];
    size_t   answer_size = 0;
    uint64_t client_id = 0, cookie = 0;
    size_t   address_size = size < 8 ? size : 8;
    if (channel_door_knock(&fuzz->door, fuzz->now_us, bytes, address_size, bytes, size, &client_id, &cookie, answer, &answer_size) ==
        CHANNEL_KNOCK_ANSWER) {
        REQUIRE(answer_size < size);
        write_again(answer, answer_size);
    }
}

static void say(Channel *channel, uint8_t step)
{
    uint8_t bytes[CHANNEL_MESSAGE_MAX];
    memset(bytes, step, sizeof(bytes));
    if (channel->state != CHANNEL_CLOSING && channel->state != CHANNEL_OVER) {
        channel_send(channel, bytes, 1 + (step >> 4) * 79u);
        check(channel);
    }
}

static size_t run_step(Fuzz *fuzz, const uint8_t *data, size_t size)
{
    uint8_t  bytes[CHANNEL_DATAGRAM_MAX + 8];
    uint8_t  step = data[0];
    Channel *channel = (step & 1) != 0 ? &fuzz->client : &fuzz->server;
    size_t   length = size > 3 ? bytes_get_u16(data + 1) % sizeof(bytes) : 0;
    length = size > 3 && length > size - 3 ? size - 3 : length;
    memcpy(bytes, data + (size > 3 ? 3 : 0), length);
    switch (step & 7) {
    case 4: say((step & 8) != 0 ? &fuzz->client : &fuzz->server, step); return 1;
    case 5: fuzz->now_us += (step >> 3) * UINT64_C(7777); return 1;
    case 6: {
        bool is_client = (step & 16) != 0;
        send_out(fuzz, is_client ? &fuzz->client : &fuzz->server, is_client ? &fuzz->server : &fuzz->client, (step & 8) != 0);
        return 1;
    }
    case 7:
        if ((step & 0xF8) == 0xF8) {
            channel_close(&fuzz->server, false, fuzz->now_us);
            return 1;
        }
        knock(fuzz, bytes, length);
        break;
    default: give(fuzz, channel, bytes, length, (step & 2) != 0); break;
    }
    return 3 + length;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static Fuzz    fuzz;
    ChannelOptions options = { .out_max = OUT_MAX, .held_max = HELD_MAX };
    memset(&fuzz, 0, sizeof(fuzz));
    fuzz.now_us = 1000;
    if (!channel_door_init(&fuzz.door)) {
        return 0;
    }
    memset(fuzz.door.key, 7, sizeof(fuzz.door.key)); // the same each time
    channel_init_client(&fuzz.client, 77, &options, fuzz.now_us);
    channel_init_server(&fuzz.server, 77, 99, &options, fuzz.now_us);
    fuzz.client.other_id = 99;
    if (size > 0 && (data[0] & 0x80) != 0) {
        fuzz.client.state = CHANNEL_GREETING;
    }
    for (uint32_t i = 0; size > 0 && i < STEPS_MAX; i++) {
        size_t used = run_step(&fuzz, data, size);
        used = used < size ? used : size;
        data += used;
        size -= used;
    }
    channel_finish(&fuzz.client);
    channel_finish(&fuzz.server);
    return 0;
}

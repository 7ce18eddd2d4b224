// punt.c: a world behind a pipe in plain C, without a header of anybody's: a punt is poled over a pond of springs and friction in floating point.
// It shows the whole protocol of WORLDS.md: cc -O2 punt.c -o punt, then --world-cmd ./punt.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ANSWER = 0x80, REFUSAL = 0xFF, HELLO = 1, INIT, STEP, SAVE, LOAD, CHECKSUM, PLAYERS = 4, STATE = 24, FRAME = 70000 };

static const char hello[] =
    "{\"protocol\":1,\"name\":\"punt\",\"revision\":1,\"text\":\"poles and springs, in floats\",\"tick_rate\":50,"
    "\"players\":{\"min\":1,\"max\":4,\"standard\":2},\"input\":{\"bytes\":2},\"state_max\":24,\"checksum\":true,"
    "\"events\":[{\"name\":\"stuck\",\"text\":\"a pole is stuck\"}],\"events_max\":4,"
    "\"sections\":[{\"name\":\"punt\",\"fields\":[{\"name\":\"position\",\"type\":\"u64\",\"unit\":\"float bits\",\"count\":2},"
    "{\"name\":\"ticks\",\"type\":\"u64\",\"unit\":\"ticks\"}]}]}";

static double   position[2]; // along, across
static uint64_t ticks;
static uint32_t players;

static uint64_t get(const uint8_t *bytes, int size)
{
    uint64_t value = 0;
    for (int i = 0; i < size; i++) {
        value |= (uint64_t)bytes[i] << (8 * i);
    }
    return value;
}

static void put(uint8_t *bytes, uint64_t value, int size)
{
    for (int i = 0; i < size; i++) {
        bytes[i] = (uint8_t)(value >> (8 * i));
    }
}

static void answer(int kind, const void *bytes, size_t size)
{
    uint8_t head[5];
    put(head, size, 4);
    head[4] = (uint8_t)kind;
    fwrite(head, 1, sizeof(head), stdout);
    fwrite(bytes, 1, size, stdout);
    fflush(stdout);
}

static void save(uint8_t bytes[STATE])
{
    uint64_t bits[2];
    memcpy(bits, position, sizeof(bits)); // bits, so that the bytes are the same on every machine
    put(bytes, bits[0], 8);
    put(bytes + 8, bits[1], 8);
    put(bytes + 16, ticks, 8);
}

// u64 tick, presence, two bytes for each slot (along and across, signed), u16 commands: none here.
static void step(const uint8_t *row)
{
    const uint8_t *inputs = row + 8 + (players + 7) / 8;
    uint8_t        events[4 + 4 * PLAYERS] = { 0 };
    uint32_t       stuck = 0;
    for (uint32_t i = 0; i < players; i++) {
        position[0] += (int8_t)inputs[2 * i] * 0.001;
        position[1] += (int8_t)inputs[2 * i + 1] * 0.001;
        stuck += inputs[2 * i] == 127; // an event of type 0 with 0 bytes: four zeros
    }
    position[0] -= position[0] * 0.01;
    position[1] -= position[1] * 0.02;
    ticks++;
    put(events, stuck, 4);
    answer(STEP | ANSWER, events, 4 + 4 * (size_t)stuck);
}

static void load(const uint8_t *bytes, size_t size)
{
    uint64_t bits[2] = { 0 };
    if (size != STATE) {
        answer(REFUSAL, "a state has 24 bytes", 20);
        return;
    }
    bits[0] = get(bytes, 8);
    bits[1] = get(bytes + 8, 8);
    memcpy(position, bits, sizeof(position));
    ticks = get(bytes + 16, 8);
    answer(LOAD | ANSWER, NULL, 0);
}

static uint64_t checksum(void) // FNV-1a of what save writes
{
    uint8_t  bytes[STATE];
    uint64_t hash = UINT64_C(14695981039346656037);
    save(bytes);
    for (int i = 0; i < STATE; i++) {
        hash = (hash ^ bytes[i]) * UINT64_C(1099511628211);
    }
    return hash;
}

int main(void)
{
    static uint8_t head[5], payload[FRAME], state[STATE];
    while (fread(head, 1, 5, stdin) == 5) {
        size_t size = get(head, 4);
        if (size > sizeof(payload) || fread(payload, 1, size, stdin) != size) {
            fprintf(stderr, "punt: a question of %zu bytes\n", size);
            return 1;
        }
        switch (head[4]) {
        case HELLO: answer(HELLO | ANSWER, hello, strlen(hello)); break;
        case INIT:
            position[0] = (double)(get(payload, 8) % 1000) * 0.001; // u64 seed, u32 players, u32 rate, u16 count, config
            position[1] = 0;
            players = (uint32_t)get(payload + 8, 4);
            ticks = 0;
            answer(INIT | ANSWER, NULL, 0);
            break;
        case STEP: step(payload); break;
        case SAVE: save(state); answer(SAVE | ANSWER, state, STATE); break;
        case LOAD: load(payload, size); break;
        case CHECKSUM: put(state, checksum(), 8); answer(CHECKSUM | ANSWER, state, 8); break;
        default: answer(REFUSAL, "what?", 5); break;
        }
    }
    return 0; // the host closed the pipe
}

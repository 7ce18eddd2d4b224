// fuzz_slp.c: foreign bytes as a .slp recording. What is read keeps its promises and is read the same way again; cut shorter, it is
// still read. Every pad is one that the fighter takes.
//
// Input: the file as it is.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "slp_match.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define REQUIRE(condition)                                               \
    do {                                                                 \
        if (!(condition)) {                                              \
            fprintf(stderr, "fuzz_slp: %s does not hold\n", #condition); \
            abort();                                                     \
        }                                                                \
    } while (0)

typedef struct {
    bool       is_read;
    SlpMatch   match;
    SlpRefusal refusal;
    SlpFrame  *frames;
    size_t     capacity;
} Reading;

// From memory of exactly this size into memory of exactly the stated bound.
static Reading read_copy(const uint8_t *data, size_t size)
{
    Reading  reading = { .capacity = slp_match_frames_max(size) };
    uint8_t *copy = malloc(size == 0 ? 1 : size);
    reading.frames = malloc(reading.capacity * sizeof(SlpFrame));
    REQUIRE(copy != NULL && reading.frames != NULL);
    if (size > 0) {
        memcpy(copy, data, size);
    }
    reading.is_read = slp_match_read(copy, size, reading.frames, reading.capacity, &reading.match, &reading.refusal);
    free(copy);
    return reading;
}

static void check_text(const char *text)
{
    REQUIRE(memchr(text, '\0', SLP_NAME_SIZE) != NULL);
    for (const char *at = text; *at != '\0'; at++) {
        REQUIRE((unsigned char)*at >= 0x20 && *at != 0x7F);
    }
}

static void check_match(const Reading *reading, size_t size)
{
    const SlpMatch *match = &reading->match;
    REQUIRE(match->frame_count <= reading->capacity);
    REQUIRE(match->frame_count == 0 || (match->player_count >= SLP_PLAYERS_MIN && match->player_count <= SLP_PORTS));
    REQUIRE(!match->is_cut || match->cut_offset <= size);
    check_text(match->match_id);
    check_text(match->start_at);
    check_text(match->played_on);
    for (int port = 0; port < SLP_PORTS; port++) {
        check_text(match->players[port].name);
        check_text(match->players[port].code);
        check_text(match->players[port].tag);
    }
    for (uint64_t frame = 0; frame < match->frame_count; frame++) {
        const SlpFrame *read = &reading->frames[frame];
        int             here = 0;
        for (int port = 0; port < SLP_PORTS; port++) {
            const SlpPad *pad = &read->pads[port];
            bool          is_present = (read->present >> port & 1) != 0;
            here += is_present;
            REQUIRE(!is_present || match->players[port].type != SLP_PLAYER_NONE);
            REQUIRE(pad->x >= -127 && pad->y >= -127 && pad->c_x >= -127 && pad->c_y >= -127 && pad->trigger <= 127);
        }
        REQUIRE(here >= SLP_PLAYERS_MIN);
    }
}

static void check_again(const Reading *first, const uint8_t *data, size_t size)
{
    Reading again = read_copy(data, size);
    REQUIRE(again.is_read == first->is_read);
    if (first->is_read) {
        REQUIRE(again.match.frame_count == first->match.frame_count);
        for (uint64_t frame = 0; frame < again.match.frame_count; frame++) {
            REQUIRE(again.frames[frame].present == first->frames[frame].present);
        }
    } else {
        REQUIRE(again.refusal.offset == first->refusal.offset);
    }
    free(again.frames);
}

// Cut shorter, a recording that was read is still read: a cut is no damage.
static void check_cut(const Reading *whole, const uint8_t *data, size_t size)
{
    size_t  shorter = size * 3 / 4;
    Reading cut = read_copy(data, shorter);
    REQUIRE(cut.is_read || !whole->is_read);
    if (cut.is_read) {
        check_match(&cut, shorter);
    }
    free(cut.frames);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    Reading reading = read_copy(data, size);
    if (reading.is_read) {
        check_match(&reading, size);
    } else {
        REQUIRE(reading.refusal.offset <= size);
        REQUIRE(reading.refusal.error.text[0] != '\0' && strchr(reading.refusal.error.text, '\n') == NULL);
    }
    check_again(&reading, data, size);
    check_cut(&reading, data, size);
    free(reading.frames);
    return 0;
}

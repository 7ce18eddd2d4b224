// test_message_page.c: the bytes in README.md of the room are those that the codec writes. The page is this test's golden table: a
// message that changes its bytes changes the protocol.
#include <criterion/criterion.h>
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include <zstd.h>

#include "bytes.h"
#include "frame.h"
#include "message_samples.h"

typedef struct Example {
    char    name[32];
    uint8_t bytes[FRAME_SIZE_MAX];
    size_t  size;
} Example;

static Example  examples[MESSAGE_SAMPLES_PAGE];
static uint32_t example_count;

// A line is a name, or pairs of hexadecimal digits up to a '|'.
static void take_line(const char *line)
{
    if (line[0] != ' ') {
        cr_assert_lt(example_count, MESSAGE_SAMPLES_PAGE, "one example too many: %s", line);
        Example *example = &examples[example_count++];
        snprintf(example->name, sizeof(example->name), "%.*s", (int)strcspn(line, "\n"), line);
        return;
    }
    Example *example = &examples[example_count - 1];
    for (const char *at = line; *at != '|' && *at != '\n' && *at != '\0'; at++) {
        unsigned value = 0;
        if (*at == ' ') {
            continue;
        }
        cr_assert(isxdigit((unsigned char)at[0]) && sscanf(at, "%2x", &value) == 1, "not a byte: %s", at);
        cr_assert_lt(example->size, sizeof(example->bytes));
        example->bytes[example->size++] = (uint8_t)value;
        at += 1;
    }
}

static void read_page(void)
{
    char  line[512];
    bool  is_inside = false;
    FILE *page = fopen(MESSAGE_PAGE, "r");
    cr_assert_not_null(page, "%s", MESSAGE_PAGE);
    while (fgets(line, sizeof(line), page) != NULL) {
        if (strncmp(line, "```", 3) == 0) {
            is_inside = !is_inside;
        } else if (is_inside) {
            take_line(line);
        }
    }
    fclose(page);
}

static void print_bytes(const uint8_t *bytes, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        fprintf(stderr, "%02X%c", bytes[i], i % 12 == 11 || i + 1 == size ? '\n' : ' ');
    }
}

Test(message_page, bytes_are_the_codecs)
{
    read_page();
    cr_assert_eq(example_count, MESSAGE_SAMPLES_PAGE);
    for (uint32_t i = 0; i < example_count; i++) {
        const MessageSample *sample = &message_samples_page()[i];
        const Example       *example = &examples[i];
        uint8_t              frame[FRAME_SIZE_MAX];
        size_t               size = message_encode(&sample->message, frame + FRAME_HEAD_SIZE);
        bytes_put_u16(frame, (uint16_t)size);
        size += FRAME_HEAD_SIZE;
        if (example->size != size || memcmp(example->bytes, frame, size) != 0) {
            print_bytes(frame, size);
        }
        cr_assert_str_eq(example->name, sample->name);
        cr_assert_eq(example->size, size, "%s", sample->name);
        cr_assert_eq(memcmp(example->bytes, frame, size), 0, "%s", sample->name);
    }
}

Test(message_page, every_type_is_there_and_decodes)
{
    bool seen[256] = { false };
    read_page();
    for (uint32_t i = 0; i < example_count; i++) {
        Message message;
        cr_assert_null(message_decode(examples[i].bytes + FRAME_HEAD_SIZE, examples[i].size - FRAME_HEAD_SIZE, &message));
        cr_assert_str_eq(examples[i].name, message_type_name((uint32_t)message.type));
        seen[message.type] = true;
    }
    for (uint32_t type = 0; type < 256; type++) {
        cr_assert_eq(seen[type], message_type_name(type) != NULL, "type %u", type);
    }
}

// Goal: the page's state is what it says: one whole zstd frame with a checksum, whose head knows the size that STATE tells.
Test(message_page, state_is_a_zstd_frame)
{
    const Message *state = NULL, *piece = NULL;
    for (uint32_t i = 0; i < MESSAGE_SAMPLES_PAGE; i++) {
        const Message *message = &message_samples_page()[i].message;
        state = message->type == MESSAGE_STATE ? message : state;
        piece = message->type == MESSAGE_PIECE ? message : piece;
    }
    char           out[8] = { 0 };
    const uint8_t *bytes = piece->body.piece.bytes;
    size_t         size = piece->body.piece.size;
    cr_assert_eq(size, state->body.state.packed_size);
    cr_assert_eq(ZSTD_findFrameCompressedSize(bytes, size), size);
    cr_assert_eq(ZSTD_getFrameContentSize(bytes, size), state->body.state.size);
    cr_assert_eq(ZSTD_decompress(out, sizeof(out), bytes, size), state->body.state.size);
    cr_assert_str_eq(out, "TICK");
    uint8_t torn[32];
    memcpy(torn, bytes, size);
    torn[size - 1] ^= 1; // there is a checksum, and it counts
    cr_assert(ZSTD_isError(ZSTD_decompress(out, sizeof(out), torn, size)));
}

// slpbuild.c: events of every version, byte by byte.
#include "slpbuild.h"

#include <stdlib.h>
#include <string.h>

enum { RAW_SIZE_AT = 11, RAW_AT = 15 };

void slpbuild_put(SlpBuild *build, const void *bytes, size_t size)
{
    if (size > sizeof(build->bytes) - build->size) {
        abort();
    }
    memcpy(build->bytes + build->size, bytes, size);
    build->size += size;
}

static void put_u8(SlpBuild *build, uint8_t value)
{
    slpbuild_put(build, &value, 1);
}

void slpbuild_set_u32(SlpBuild *build, size_t offset, uint32_t value)
{
    for (int i = 0; i < 4; i++) {
        build->bytes[offset + (size_t)i] = (uint8_t)(value >> (24 - 8 * i));
    }
}

static void set_float(SlpBuild *build, size_t offset, float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof(bits));
    slpbuild_set_u32(build, offset, bits);
}

static uint16_t start_size(int version)
{
    static const struct {
        int      version;
        uint16_t size;
    } sizes[] = { { 314, 760 }, { 312, 701 }, { 311, 700 }, { 309, 584 }, { 307, 420 }, { 200, 418 }, { 105, 417 }, { 103, 416 }, { 100, 352 }, { 0, 320 } };
    int i = 0;
    while (version < sizes[i].version) {
        i++;
    }
    return sizes[i].size;
}

// Payload bytes of an event; 0: the version does not have it.
static uint16_t payload_size(int version, uint8_t code)
{
    switch (code) {
    case 0x36: return start_size(version);
    case 0x37: return version >= 104 ? 63 : version >= 102 ? 59 : 58;
    case 0x38: return version >= 200 ? 51 : version >= 2 ? 37 : 33;
    case 0x39: return version >= 200 ? 2 : 1;
    case 0x3A: return version >= 202 ? 8 : 0;
    case 0x3B: return version >= 300 ? 37 : 0;
    case 0x3C: return version >= 307 ? 8 : version >= 300 ? 4 : 0;
    case 0x10: return version >= 303 ? 516 : 0;
    default: return 0;
    }
}

// Code and a payload of zeroes.
static size_t put_event(SlpBuild *build, uint8_t code)
{
    static const uint8_t zeroes[1024];
    build->event_at = build->size;
    put_u8(build, code);
    slpbuild_put(build, zeroes, payload_size(build->version, code));
    return build->event_at;
}

static void put_sizes(SlpBuild *build)
{
    static const uint8_t codes[] = { 0x36, 0x37, 0x38, 0x39, 0x3A, 0x3B, 0x3C, 0x10 };
    build->sizes_at = build->size;
    put_u8(build, 0x35);
    put_u8(build, 0);
    for (size_t i = 0; i < sizeof(codes); i++) {
        uint16_t size = payload_size(build->version, codes[i]);
        if (size > 0) {
            uint8_t entry[3] = { codes[i], (uint8_t)(size >> 8), (uint8_t)size };
            slpbuild_put(build, entry, sizeof(entry));
        }
    }
    build->bytes[build->sizes_at + 1] = (uint8_t)(build->size - build->sizes_at - 1);
}

// "Ａｄ1" of double width, a sign and kana; the code has its number sign of double width, as the game writes it.
static void put_names(SlpBuild *build, uint8_t *start, int port)
{
    static const uint8_t tag[] = { 0x82, 0x60, 0x82, 0x84, 0x82, 0x50, 0x81, 0x49, 0x83, 0x4B };
    static const uint8_t code[] = { 'A', 'B', 0x81, 0x94, '1', '2' };
    uint16_t             size = payload_size(build->version, 0x36);
    if (size >= 416) {
        memcpy(start + 0x161 + 0x10 * port, tag, sizeof(tag));
    }
    if (size >= 584) {
        memcpy(start + 0x1A5 + 0x1F * port, "Player", 6);
        start[0x1A5 + 0x1F * port + 6] = (uint8_t)('0' + port);
        memcpy(start + 0x221 + 0xA * port, code, sizeof(code));
    }
}

static void put_start(SlpBuild *build)
{
    uint8_t *start = build->bytes + put_event(build, 0x36);
    build->start_at = build->event_at;
    start[1] = (uint8_t)(build->version / 100);
    start[2] = (uint8_t)(build->version % 100);
    start[0x14] = 31;
    start[0x17] = 1;
    start[0x18] = 0xE0; // 480 s
    start[0x140] = 77;  // the seed
    for (int port = 0; port < 6; port++) {
        bool is_here = port < 4 && (build->ports >> port & 1) != 0;
        start[0x65 + 0x24 * port] = (uint8_t)(is_here ? 10 + port : 26);
        start[0x66 + 0x24 * port] = is_here ? 0 : 3;
        start[0x67 + 0x24 * port] = 4;
        if (is_here) {
            put_names(build, start, port);
        }
    }
    if (start_size(build->version) >= 760) {
        memcpy(start + 0x2BE, "mode.test-1", 11);
    }
}

void slpbuild_begin(SlpBuild *build, int version, uint8_t ports)
{
    memset(build, 0, sizeof(*build));
    build->version = version;
    build->ports = ports;
    slpbuild_put(build, "{U\x03raw[$U#l\0\0\0\0", RAW_AT);
    put_sizes(build);
    if (payload_size(version, 0x10) > 0) {
        put_event(build, 0x10);
    }
    put_start(build);
}

void slpbuild_pre(SlpBuild *build, int32_t frame, uint8_t port, bool is_follower, SlpBuildPad pad)
{
    size_t at = put_event(build, 0x37);
    slpbuild_set_u32(build, at + 1, (uint32_t)frame);
    build->bytes[at + 5] = port;
    build->bytes[at + 6] = is_follower;
    set_float(build, at + 0x19, pad.x);
    set_float(build, at + 0x1D, pad.y);
    set_float(build, at + 0x21, pad.c_x);
    set_float(build, at + 0x25, pad.c_y);
    set_float(build, at + 0x29, pad.trigger);
    build->bytes[at + 0x31] = (uint8_t)(pad.buttons >> 8);
    build->bytes[at + 0x32] = (uint8_t)pad.buttons;
}

static void put_numbered(SlpBuild *build, uint8_t code, int32_t frame)
{
    if (payload_size(build->version, code) > 0) {
        size_t at = put_event(build, code);
        slpbuild_set_u32(build, at + 1, (uint32_t)frame);
    }
}

void slpbuild_frame_start(SlpBuild *build, int32_t frame)
{
    put_numbered(build, 0x3A, frame);
}

void slpbuild_bookend(SlpBuild *build, int32_t frame, int32_t final)
{
    put_numbered(build, 0x3C, frame);
    if (payload_size(build->version, 0x3C) >= 8) {
        slpbuild_set_u32(build, build->event_at + 5, (uint32_t)final);
    }
}

void slpbuild_frame(SlpBuild *build, int32_t frame, uint8_t ports, SlpBuildPad pad, int32_t final)
{
    slpbuild_frame_start(build, frame);
    for (uint8_t port = 0; port < 8; port++) {
        if ((ports >> port & 1) != 0) {
            slpbuild_pre(build, frame, port, false, pad);
        }
    }
    put_numbered(build, 0x3B, frame);
    for (uint8_t port = 0; port < 8; port++) {
        if ((ports >> port & 1) != 0) {
            put_numbered(build, 0x38, frame);
            build->bytes[build->event_at + 5] = port;
        }
    }
    slpbuild_bookend(build, frame, final);
}

void slpbuild_frames(SlpBuild *build, int32_t first, int32_t last, uint8_t ports)
{
    for (int32_t frame = first; frame <= last; frame++) {
        slpbuild_frame(build, frame, ports, (SlpBuildPad){ .x = (float)(frame % 100) / 100.0f }, frame);
    }
}

void slpbuild_game_end(SlpBuild *build)
{
    build->bytes[put_event(build, 0x39) + 1] = 2;
}

void slpbuild_finish_open(SlpBuild *build)
{
    static const char head[] = "U\x08metadata{U\x07startAtSU\x14" "2020-02-02T20:20:20ZU\tlastFramel\0\0\0\x07U\x07players{";
    slpbuild_put(build, head, sizeof(head) - 1);
    for (uint8_t port = 0; port < 4; port++) {
        static const char names[] = "{U\ncharacters{U\x02" "18l\0\0\x14\x59}U\x05names{U\x07netplaySU\x04" "Ada0U\x04" "codeSU\x05" "ADA#0}}";
        if ((build->ports >> port & 1) != 0) {
            uint8_t key[3] = { 'U', 1, (uint8_t)('0' + port) };
            slpbuild_put(build, key, sizeof(key));
            slpbuild_put(build, names, sizeof(names) - 1);
        }
    }
    static const char tail[] = "}U\x08playedOnSU\x07networkU\x05listsd\x3F\x80\0\0}}";
    slpbuild_put(build, tail, sizeof(tail) - 1);
}

void slpbuild_finish(SlpBuild *build)
{
    slpbuild_set_u32(build, RAW_SIZE_AT, (uint32_t)(build->size - RAW_AT));
    slpbuild_finish_open(build);
}

// A whole game of a few frames.
static void whole(SlpBuild *build, int version, uint8_t ports)
{
    slpbuild_begin(build, version, ports);
    slpbuild_frames(build, -123, -100, ports);
    slpbuild_game_end(build);
    slpbuild_finish(build);
}

// Frames -110 to -105 come again, the last two of them twice.
static void rollbacks(SlpBuild *build)
{
    slpbuild_begin(build, 314, 3);
    slpbuild_frames(build, -123, -111, 3);
    for (int32_t first = -110; first <= -106; first += 2) {
        for (int32_t frame = first; frame <= -105; frame++) {
            slpbuild_frame(build, frame, 3, (SlpBuildPad){ .y = (float)first / 200.0f }, first - 1);
        }
    }
    slpbuild_frames(build, -104, -100, 3);
    slpbuild_game_end(build);
    slpbuild_finish(build);
}

static void followers(SlpBuild *build)
{
    slpbuild_begin(build, 1, 5);
    for (int32_t frame = -123; frame <= -110; frame++) {
        slpbuild_pre(build, frame, 0, false, (SlpBuildPad){ .x = 0.5f });
        slpbuild_pre(build, frame, 0, true, (SlpBuildPad){ .x = -1.0f });
        slpbuild_pre(build, frame, 2, false, (SlpBuildPad){ .x = -0.5f, .buttons = 0x0500 });
    }
    slpbuild_game_end(build);
    slpbuild_finish(build);
}

// The third player is gone from frame -110 on.
static void eliminated(SlpBuild *build)
{
    slpbuild_begin(build, 300, 7);
    slpbuild_frames(build, -123, -111, 7);
    slpbuild_frames(build, -110, -100, 5);
    slpbuild_game_end(build);
    slpbuild_finish(build);
}

// Every button and trigger, one after another.
static void buttons(SlpBuild *build)
{
    slpbuild_begin(build, 200, 10);
    int32_t frame = -123;
    for (int bit = 0; bit < 13; bit++) {
        slpbuild_frame(build, frame++, 10, (SlpBuildPad){ .buttons = (uint16_t)(1 << bit) }, 0);
    }
    for (int step = 0; step <= 10; step++) {
        float value = (float)step / 10.0f;
        slpbuild_frame(build, frame++, 10, (SlpBuildPad){ value, -value, value / 4, -value / 4, value, 0 }, 0);
    }
    slpbuild_frame(build, frame++, 10, (SlpBuildPad){ .trigger = 0.35f, .buttons = 0x0010 }, 0);
    slpbuild_game_end(build);
    slpbuild_finish(build);
}

static void growing(SlpBuild *build)
{
    slpbuild_begin(build, 314, 3);
    slpbuild_frames(build, -123, -112, 3);
    slpbuild_frame(build, -111, 3, (SlpBuildPad){ .x = 1 }, -113);
    slpbuild_pre(build, -110, 0, false, (SlpBuildPad){ .x = 1 });
}

static void cut(SlpBuild *build)
{
    whole(build, 200, 3);
    build->size -= 700;
}

static void gap(SlpBuild *build)
{
    slpbuild_begin(build, 200, 3);
    slpbuild_frames(build, -123, -120, 3);
    slpbuild_frames(build, -118, -117, 3);
    slpbuild_game_end(build);
    slpbuild_finish(build);
}

static void missing(SlpBuild *build)
{
    slpbuild_begin(build, 200, 3);
    slpbuild_frames(build, -123, -120, 3);
    slpbuild_frames(build, -119, -119, 1);
    slpbuild_frames(build, -118, -117, 3);
    slpbuild_game_end(build);
    slpbuild_finish(build);
}

// A rollback that comes while a frame has only one of the two players, and forgets it.
static void half(SlpBuild *build)
{
    slpbuild_begin(build, 200, 3);
    slpbuild_frames(build, -123, -118, 3);
    slpbuild_pre(build, -117, 0, false, (SlpBuildPad){ .x = 1 });
    for (int32_t frame = -119; frame <= -116; frame++) {
        slpbuild_frame(build, frame, 3, (SlpBuildPad){ .y = -1 }, 0);
    }
    slpbuild_game_end(build);
    slpbuild_finish(build);
}

// A recorder that was stopped before the first frame was final.
static void unfinal(SlpBuild *build)
{
    slpbuild_begin(build, 314, 3);
    for (int32_t frame = -123; frame <= -119; frame++) {
        slpbuild_frame(build, frame, 3, (SlpBuildPad){ .x = 1 }, -124);
    }
    slpbuild_finish(build);
}

static void nan_stick(SlpBuild *build)
{
    whole(build, 1, 3);
    slpbuild_set_u32(build, build->start_at + 321 + 0x19, 0x7FC00000);
}

const char *const slpbuild_cases[] = { "v0.1",       "v1.0",    "v2.0", "v3.0", "v3.14", "three", "four", "rollbacks", "followers",
                                       "eliminated", "buttons", "growing", "cut", "gap",  "missing", "nan", "half", "unfinal", NULL };

bool slpbuild_case(SlpBuild *build, const char *name)
{
    static const struct {
        const char *name;
        int         version;
        uint8_t     ports;
    } games[] = { { "v0.1", 1, 3 }, { "v1.0", 100, 9 }, { "v2.0", 200, 6 }, { "v3.0", 300, 5 }, { "v3.14", 314, 3 }, { "three", 104, 14 }, { "four", 309, 15 } };
    static const struct {
        const char *name;
        void (*make)(SlpBuild *build);
    } others[] = { { "rollbacks", rollbacks }, { "followers", followers }, { "eliminated", eliminated }, { "buttons", buttons }, { "growing", growing },
                   { "cut", cut },             { "gap", gap },             { "missing", missing },       { "nan", nan_stick },
                   { "half", half },           { "unfinal", unfinal } };
    for (size_t i = 0; i < sizeof(games) / sizeof(games[0]); i++) {
        if (strcmp(games[i].name, name) == 0) {
            whole(build, games[i].version, games[i].ports);
            return true;
        }
    }
    for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
        if (strcmp(others[i].name, name) == 0) {
            others[i].make(build);
            return true;
        }
    }
    return false;
}

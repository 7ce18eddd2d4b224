// slpbuild.h: writes small .slp files of any version, whole or wrong on purpose. Every byte is made here.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { SLPBUILD_CAPACITY = 1 << 17 };

typedef struct {
    uint8_t bytes[SLPBUILD_CAPACITY];
    size_t  size;
    int     version; ///< 1 means 0.1, 300 means 3.0, 314 means 3.14
    uint8_t ports;   ///< bit per port
    size_t  sizes_at;
    size_t  start_at; ///< of the game start event
    size_t  event_at; ///< of the last event
} SlpBuild;

/// What a pad does in one frame.
typedef struct {
    float    x, y, c_x, c_y, trigger;
    uint16_t buttons;
} SlpBuildPad;

/// Envelope, list of sizes, game start of players at these ports: port p has character 10 + p, 4 stocks.
void slpbuild_begin(SlpBuild *build, int version, uint8_t ports);
/// The events of a whole frame as the version has them; `final` is in the bookend from 3.7 on.
void slpbuild_frame(SlpBuild *build, int32_t frame, uint8_t ports, SlpBuildPad pad, int32_t final);
/// Frames first..last, final at once, with a stick that tells them apart: (frame % 100) / 100.
void slpbuild_frames(SlpBuild *build, int32_t first, int32_t last, uint8_t ports);
void slpbuild_pre(SlpBuild *build, int32_t frame, uint8_t port, bool is_follower, SlpBuildPad pad);
void slpbuild_frame_start(SlpBuild *build, int32_t frame);
void slpbuild_bookend(SlpBuild *build, int32_t frame, int32_t final);
void slpbuild_game_end(SlpBuild *build);
/// Writes the raw element's length, metadata with names, and the end of the envelope.
void slpbuild_finish(SlpBuild *build);
/// The end of the envelope alone, without a length: what a recorder leaves that was stopped late.
void slpbuild_finish_open(SlpBuild *build);

void slpbuild_put(SlpBuild *build, const void *bytes, size_t size);
/// Bits of a float, big-endian, at an offset of the file.
void slpbuild_set_u32(SlpBuild *build, size_t offset, uint32_t value);

/// Cases by name, for programs: NULL-terminated. False: there is no such case.
extern const char *const slpbuild_cases[];
bool slpbuild_case(SlpBuild *build, const char *name);

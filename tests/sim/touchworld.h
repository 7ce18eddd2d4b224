// touchworld.h: a world of many leaves that writes a little of its state each tick and tells what it wrote, the same world without the
// promise, and pairs of both that do the same things.
#pragma once

#include "tickproof/sim.h"

#define TOUCHWORLD_HEAD_FIELDS(S, F, A, H)        \
    F(S, u64, rng_state, "bits", TP_ANY)          \
    F(S, u64, rng_increment, "bits", TP_ANY)      \
    F(S, u32, writes, "count", TP_ANY)            \
    F(S, u32, cursor, "pages", TP_ANY)

// 12 bytes, so that neither leaves nor pages end where an element does.
#define TOUCHWORLD_MARK_FIELDS(S, F, A, H)        \
    F(S, u32, hits, "count", TP_ANY)              \
    F(S, i32, weight, "count", TP_ANY)            \
    F(S, u16, last, "ticks", TP_ANY)              \
    F(S, u8, kind, "kind", TP_RANGE(0, 7))        \
    F(S, u8, reserved, "zero", TP_ZERO)

#define TOUCHWORLD_CELL_FIELDS(S, F, A, H)        \
    F(S, u64, sum, "count", TP_ANY)               \
    F(S, u32, writes, "count", TP_ANY)            \
    F(S, u32, last, "ticks", TP_ANY)

#define TOUCHWORLD_GROUP_FIELDS(S, F, A, H) F(S, u64, sum, "count", TP_ANY)
#define TOUCHWORLD_TAIL_FIELDS(S, F, A, H) A(S, u8, trail, 13, "count", TP_ANY)

#define TOUCHWORLD_INPUT_FIELDS(S, F, A, H)       \
    F(S, u8, action, "flags", TP_RANGE(0, 7))     \
    F(S, u8, place, "sixteenths", TP_ANY)

#define TOUCHWORLD_NOTE_FIELDS(S, F, A, H) F(S, u32, cell, "cell", TP_ANY)

TP_STRUCT(TouchHead, TOUCHWORLD_HEAD_FIELDS)
TP_STRUCT(TouchMark, TOUCHWORLD_MARK_FIELDS)
TP_STRUCT(TouchCell, TOUCHWORLD_CELL_FIELDS)
TP_STRUCT(TouchGroup, TOUCHWORLD_GROUP_FIELDS)
TP_STRUCT(TouchTail, TOUCHWORLD_TAIL_FIELDS)
TP_STRUCT(TouchInput, TOUCHWORLD_INPUT_FIELDS)
TP_STRUCT(TouchNote, TOUCHWORLD_NOTE_FIELDS)

enum { TOUCHWORLD_HEAD, TOUCHWORLD_MARKS, TOUCHWORLD_CELLS, TOUCHWORLD_GROUPS, TOUCHWORLD_TAIL };
/// Cells, writes at random places per tick, pages written per tick one after another or strewn (`stride` pages apart), and the number of
/// the step (from 1) that leaves one write untold.
enum { TOUCHWORLD_CONFIG_CELLS, TOUCHWORLD_CONFIG_WRITES, TOUCHWORLD_CONFIG_PAGES, TOUCHWORLD_CONFIG_STRIDE, TOUCHWORLD_CONFIG_UNTOLD,
       TOUCHWORLD_CONFIG_COUNT };
enum { TOUCHWORLD_PLAYERS = 2, TOUCHWORLD_GROUP_COUNT = 64 };
/// Bits of an input: a run of cells, a note, and a fault in the middle of a write that is not told yet.
enum { TOUCHWORLD_BURST = 1, TOUCHWORLD_NOTE = 2, TOUCHWORLD_FAULT = 4 };

extern const tp_world touchworld;       ///< tells
extern const tp_world touchworld_whole; ///< the same, and promises nothing

/// One row for both players; `bytes` holds what the row borrows.
tp_row touchworld_row(uint8_t bytes[1 + 2 * TOUCHWORLD_PLAYERS], uint8_t action, uint8_t place);

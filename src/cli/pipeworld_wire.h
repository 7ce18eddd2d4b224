// pipeworld_wire.h: what goes through the pipes of a world behind them, as bytes: no process, no files. The page is WORLDS.md.
#pragma once

#include "bytes.h"
#include "tickproof/layout.h"

/// A frame: u32 bytes of payload, u8 kind, payload; little-endian. An answer has its request's kind with PIPEWIRE_ANSWER, or is PIPEWIRE_REFUSAL.
enum {
    PIPEWIRE_HEAD        = 5,
    PIPEWIRE_ANSWER      = 0x80,
    PIPEWIRE_REFUSAL     = 0xFF, ///< payload: a text of why
    PIPEWIRE_REFUSAL_MAX = 4096, ///< bytes of the text
};
typedef enum PipeKind {
    PIPE_HELLO    = 1,
    PIPE_INIT     = 2,
    PIPE_STEP     = 3,
    PIPE_SAVE     = 4,
    PIPE_LOAD     = 5,
    PIPE_CHECKSUM = 6,
} PipeKind;

const char *pipewire_name(PipeKind kind);

/// Most bytes that an answer of the kind may have: what more is said is a fault.
size_t pipewire_answer_max(PipeKind kind, const tp_world *world, size_t state_max);

/// Payload of HELLO: "TPPW", then the u16 version.
enum { PIPEWIRE_HELLO_SIZE = 6 };
void pipewire_put_hello(uint8_t bytes[PIPEWIRE_HELLO_SIZE]);

/// Payload of INIT: u64 seed, u32 players, u32 tick rate, u16 count, i64 config values in hello's order.
enum { PIPEWIRE_INIT_MAX = 18 + 8 * TP_CONFIG_ITEMS_MAX };
size_t pipewire_put_init(const tp_setup *setup, uint32_t config_count, uint8_t bytes[PIPEWIRE_INIT_MAX]);

/// Payload of STEP: u64 tick, presence ((players + 7) / 8 bytes), each slot's input, u16 count, commands {u32 source, u16 type, u16 size,
/// bytes}. `bytes` has pipewire_step_max bytes.
size_t pipewire_step_max(const tp_world *world, uint32_t players);
size_t pipewire_put_step(const tp_world *world, const tp_tick *tick, uint8_t *bytes);

/// Answer to STEP: u32 count, events {u16 type, u16 size, bytes}; foreign. Each is given decoded and in range, `native` being valid during the call.
/// False with the reason: a count, type, size or value that hello does not allow, or bytes behind the last; nothing may then be believed.
bool pipewire_take_events(const tp_world *world, const uint8_t *bytes, size_t size,
                          void (*each)(void *to, uint32_t type, const void *native), void *to, tp_error *error);

/// The last line of what a process says to people: bytes come in as they are read, and only letters that can be printed are kept.
enum { PIPEWORDS_SIZE = 120 };
typedef struct PipeWords {
    char   line[PIPEWORDS_SIZE]; ///< the last whole or begun line with something in it
    char   open[PIPEWORDS_SIZE];
    size_t used;
} PipeWords;
void        pipewords_take(PipeWords *words, const uint8_t *bytes, size_t size);
const char *pipewords_last(const PipeWords *words);

// pipeworld_wire.c: see pipeworld_wire.h.
#include "pipeworld_wire.h"

#include <stdio.h>
#include <string.h>

#include "pipeworld_hello.h"

const char *pipewire_name(PipeKind kind)
{
    static const char *const names[] = { "?", "hello", "init", "step", "save", "load", "checksum" };
    return (size_t)kind < sizeof(names) / sizeof(names[0]) ? names[kind] : names[0];
}

size_t pipewire_answer_max(PipeKind kind, const tp_world *world, size_t state_max)
{
    switch (kind) {
    case PIPE_HELLO: return PIPEHELLO_SIZE_MAX;
    case PIPE_STEP: return 4 + (size_t)(world->event_count > 0 ? TP_EVENTS_MAX : 0) * (4 + TP_EVENT_SIZE_MAX);
    case PIPE_SAVE: return state_max;
    case PIPE_CHECKSUM: return 8;
    case PIPE_INIT:
    case PIPE_LOAD: break;
    }
    return 0;
}

void pipewire_put_hello(uint8_t bytes[PIPEWIRE_HELLO_SIZE])
{
    memcpy(bytes, "TPPW", 4);
    bytes_put_u16(bytes + 4, PIPEHELLO_VERSION);
}

size_t pipewire_put_init(const tp_setup *setup, uint32_t config_count, uint8_t bytes[PIPEWIRE_INIT_MAX])
{
    bytes_put_u64(bytes, setup->seed);
    bytes_put_u32(bytes + 8, setup->players);
    bytes_put_u32(bytes + 12, setup->tick_rate_hz);
    bytes_put_u16(bytes + 16, (uint16_t)config_count);
    for (uint32_t i = 0; i < config_count; i++) {
        bytes_put_u64(bytes + 18 + 8 * (size_t)i, (uint64_t)setup->config[i]);
    }
    return 18 + 8 * (size_t)config_count;
}

size_t pipewire_step_max(const tp_world *world, uint32_t players)
{
    size_t input = world->input != NULL ? tp_record_size(world->input) : 0;
    return 8 + (players + 7) / 8 + players * input + 2 + TP_COMMANDS_MAX * 8 + TP_COMMAND_BYTES_MAX;
}

static size_t put_command(const tp_world *world, const tp_command *command, uint8_t *bytes)
{
    const tp_record_type *type = &world->commands[command->type];
    bytes_put_u32(bytes, command->source);
    bytes_put_u16(bytes + 4, command->type);
    bytes_put_u16(bytes + 6, command->size);
    if (type->field_count > 0) {
        tp_record_encode(type, command->data, bytes + 8); // as many bytes as its size says: no struct has gaps
    } else if (command->size > 0) {
        memcpy(bytes + 8, command->data, command->size);
    }
    return 8 + (size_t)command->size;
}

size_t pipewire_put_step(const tp_world *world, const tp_tick *tick, uint8_t *bytes)
{
    uint8_t *at = bytes + 8;
    uint32_t presence_size = (tick->players + 7) / 8;
    bytes_put_u64(bytes, tick->tick);
    if (presence_size > 0) {
        memcpy(at, tick->presence, presence_size);
        at += presence_size;
    }
    for (uint32_t slot = 0; world->input != NULL && slot < tick->players; slot++) {
        tp_record_encode(world->input, (const uint8_t *)tick->inputs + (size_t)slot * world->input->struct_size, at);
        at += tp_record_size(world->input);
    }
    bytes_put_u16(at, (uint16_t)tick->command_count);
    at += 2;
    for (uint32_t i = 0; i < tick->command_count; i++) {
        at += put_command(world, &tick->commands[i], at);
    }
    return (size_t)(at - bytes);
}

// One event into `native`. False: said so.
static bool take_event(const tp_world *world, BytesReader *reader, uint32_t number, uint8_t *native, uint32_t *type, tp_error *error)
{
    tp_error reason;
    *type = bytes_read_u16(reader);
    uint32_t size = bytes_read_u16(reader);
    if (reader->failed || *type >= world->event_count) {
        return tp_error_set(error, reader->failed ? "event %u is cut short" : "event %u has a type that hello does not list", number);
    }
    const tp_record_type *record = &world->events[*type];
    const uint8_t        *bytes = bytes_read_span(reader, size);
    if (size != tp_record_size(record) || bytes == NULL) {
        return tp_error_set(error, "event %u, '%s', has %u bytes: %u are wanted", number, record->name, size, tp_record_size(record));
    }
    if (!tp_record_decode(record, bytes, native, &reason)) {
        return tp_error_set(error, "event %u: %.120s", number, reason.text);
    }
    return true;
}

bool pipewire_take_events(const tp_world *world, const uint8_t *bytes, size_t size,
                          void (*each)(void *to, uint32_t type, const void *native), void *to, tp_error *error)
{
    _Alignas(16) uint8_t native[TP_EVENT_SIZE_MAX];
    BytesReader          reader = bytes_reader(bytes, size);
    uint32_t             count = bytes_read_u32(&reader);
    if (reader.failed || count > TP_EVENTS_MAX) {
        return tp_error_set(error, "its %zu bytes do not begin with a number of events of at most %d", size, TP_EVENTS_MAX);
    }
    // All of them are looked at before any is given on: a step's events come whole or not at all.
    for (int pass = 0; pass < 2; pass++) {
        reader = bytes_reader(bytes, size);
        (void)bytes_read_u32(&reader);
        for (uint32_t i = 0; i < count; i++) {
            uint32_t type = 0;
            if (!take_event(world, &reader, i, native, &type, error)) {
                return false;
            }
            if (pass == 1) {
                each(to, type, native);
            }
        }
        if (!bytes_reader_is_done(&reader)) {
            return tp_error_set(error, "%zu bytes stand behind its %u events", size - reader.offset, count);
        }
    }
    return true;
}

static void close_line(PipeWords *words)
{
    if (words->used > 0) {
        words->open[words->used] = '\0';
        memcpy(words->line, words->open, words->used + 1);
    }
    words->used = 0;
}

void pipewords_take(PipeWords *words, const uint8_t *bytes, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        if (bytes[i] == '\n' || bytes[i] == '\r') {
            close_line(words);
        } else if (words->used + 1 < sizeof(words->open)) {
            words->open[words->used++] = bytes[i] >= 0x20 && bytes[i] <= 0x7E ? (char)bytes[i] : '?';
        }
    }
    words->open[words->used] = '\0';
}

const char *pipewords_last(const PipeWords *words)
{
    return words->used > 0 ? words->open : words->line;
}

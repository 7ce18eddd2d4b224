// rowjson.h: one tick's inputs and commands as one line of JSON, both ways, so that what `cat` prints is what `run
// --inputs` reads:
//
//   {"tick":0,"slots":[{"slot":0,"origin":"bot","edges":1}],"commands":[{"source":"host","type":"speed","fields":{"percent":120}}],"root":"..."}
//
// A slot that is not listed is absent. A field that is not listed is neutral. Where no field can stand (no world here, a
// field called slot, origin or hex; commands of raw bytes) the canonical bytes stand as "hex".
#pragma once

#include <stdio.h>

#include "jsonin.h"
#include "tickproof/replay.h"

/// A row with room for everything it points to.
typedef struct {
    uint8_t    presence[TP_PLAYERS_MAX / 8];
    uint8_t    origins[TP_PLAYERS_MAX / 4];
    uint8_t    inputs[TP_PLAYERS_MAX * TP_INPUT_SIZE_MAX];
    uint32_t   command_count;
    tp_command commands[TP_COMMANDS_MAX];
    size_t     command_bytes_used;
    uint8_t    command_bytes[TP_COMMAND_BYTES_MAX];
} RowBuffer;

void   rowjson_clear(RowBuffer *row);
tp_row rowjson_row(const RowBuffer *row);
/// Marks the slot as taken, with this origin. Its input is up to the caller.
void rowjson_take_slot(RowBuffer *row, uint32_t slot, tp_origin origin);

const char *rowjson_origin_name(unsigned origin);

/// Whether a slot's fields can stand beside "slot" and "origin".
bool rowjson_has_plain_fields(const tp_world *world);

/// Reads a parsed line. False: `error` has "key: what". "root" and "fault" are ignored. `layout` NULL, while the
/// world is not known: only the tick is looked at.
bool rowjson_read(const tp_layout *layout, const cJSON *line, RowBuffer *row, uint64_t *tick, tp_error *error);

/// Reads one command, as it stands in a line's "commands", into a row that has none yet.
bool rowjson_read_command(const tp_layout *layout, const cJSON *object, RowBuffer *row, tp_error *error);

/// Prints a row with its newline. `world` may be NULL: then everything is hexadecimal. `fault_root` (16
/// bytes) is given for the row that a step faulted on, else NULL.
void rowjson_print(FILE *out, const tp_ident *ident, const tp_world *world, const tp_log_row *row, const uint8_t *fault_root);

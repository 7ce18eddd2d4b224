// rulesline.h: the line that stands before a log's inputs as lines of JSON and says what they are inputs of, so that a log can be made from
// them alone:
//
//   {"rules":{"world":"runner","revision":1,"seed":7,"players":2,"tick_rate_hz":120,"hash":"xxh3","config":{"lead_ms":900},
//             "id":"...","first_tick":0,"root_bytes":8}}
//
// `id` is the 128-bit id of the rules that every root carries; `root_bytes` is how much of each root the log keeps.
#pragma once

#include <stdio.h>

#include "jsonin.h"
#include "tickproof/replay.h"

typedef struct {
    char              world[TP_NAME_SIZE_MAX + 1];
    bool              has_revision, has_players, has_rate, has_algorithm, has_id, has_root_bytes;
    uint32_t          revision, players, tick_rate_hz, root_bytes;
    uint64_t          seed, first_tick;
    tp_hash_algorithm algorithm;
    uint8_t           id[16];
    uint32_t          config_count;
    char              config_names[TP_CONFIG_ITEMS_MAX][TP_NAME_SIZE_MAX + 1];
    int64_t           config_values[TP_CONFIG_ITEMS_MAX];
} RulesLine;

void rulesline_print(FILE *out, const tp_ident *ident, uint64_t first_tick, uint32_t root_bytes);

/// Whether a parsed line is one.
bool rulesline_is(const cJSON *line);
/// Reads one. Only the world must be there: a person may write the line, too. False: `error` has "key: what".
bool rulesline_read(const cJSON *line, RulesLine *rules, tp_error *error);

/// "xxh3" or "fnv", as flags have it; "fnv1a128" is taken as well. False: none of them.
bool rulesline_algorithm(const char *name, tp_hash_algorithm *algorithm);

// import_map.h: a .slp recording as a match of the built-in fighter: whose pad plays which slot, which button does what, and which fighter and
// stage come nearest to the recorded ones.
#pragma once

#include "fighter.h"
#include "rowjson.h"
#include "slp_match.h"

enum {
    IMPORT_DEAD_ZONE     = 35, ///< usual: the game's own, 0.28, has cut off as much already
    IMPORT_TRIGGER_PRESS = 39, ///< of 127: from here on an analog trigger is pressed; 0.3 in the game
};

typedef struct {
    const SlpMatch *match;
    const SlpFrame *frames;
    const tp_layout *layout;
    uint8_t         dead_zone;
    uint32_t        ports[SLP_PORTS]; ///< by slot
    uint32_t        slots;
} ImportMap;

/// Ports in ascending order become slots 0, 1, ...
void import_map_init(ImportMap *map, const SlpMatch *match, const SlpFrame *frames, uint8_t dead_zone);
/// A pad of the file as a pad of the fighter.
FighterInput import_map_pad(const ImportMap *map, const SlpPad *pad);
/// Fills the row of one tick; false behind the last. A `fill` of inputsource_rows, `self` is an ImportMap with its layout.
bool import_map_fill(void *self, uint64_t tick, RowBuffer *row);

/// Sets what the world has of: stage, fighter_1 to fighter_4, stocks, time_s. `values` has the world's standard values. What does not fit an item's
/// range takes its nearest end.
void import_map_config(const ImportMap *map, const tp_world *world, int64_t *values);

/// Names for people; "unknown" for a number that is none.
const char *import_map_character_name(uint8_t character);
const char *import_map_stage_name(uint16_t stage);

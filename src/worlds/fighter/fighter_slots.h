// fighter_slots.h: which of a machine's pads plays in which slot of a match. A pad takes a slot by a press of jump and gives it back by
// going away. It is for hosts, beside the world and not part of its state: what it gives out are inputs. No I/O, no memory
// of its own, no clock: it is called once a tick with what every source holds, also when several ticks run in one frame.
//
// The press that takes a slot is swallowed: the slot gives the default input in that tick, and no jump until the button has been
// up once. The world does the same by itself for slots of other machines (fighter_people.c).
#pragma once

#include "fighter.h"

enum { FIGHTER_SOURCES_MAX = 16 }; ///< pads and keyboards of one machine

/// One source in one tick.
typedef struct FighterSource {
    bool         is_here; ///< plugged in; one that is away holds nothing
    FighterInput input;   ///< in range: the host has brought it through the world's `sanitise`
} FighterSource;

/// The caller's memory; plain data, may be copied. Its fields are the functions' own.
typedef struct FighterSlots {
    uint32_t slot_count;
    uint32_t source_count;
    bool     is_local[FIGHTER_PLAYERS_MAX];
    bool     is_resting[FIGHTER_PLAYERS_MAX];       ///< freed since the last tick: stays empty for one
    uint8_t  owner[FIGHTER_PLAYERS_MAX];            ///< source + 1; 0: empty or remote
    bool     held_jump[FIGHTER_SOURCES_MAX];        ///< in the last tick
    bool     is_swallowing[FIGHTER_SOURCES_MAX];    ///< the press that took the slot is still held
} FighterSlots;

/// All slots empty. `is_local[slot]` says which ones this machine's sources may take. False, with *slots as it was, for more than
/// FIGHTER_PLAYERS_MAX slots or FIGHTER_SOURCES_MAX sources.
bool fighter_slots_init(FighterSlots *slots, const bool *is_local, uint32_t slot_count, uint32_t source_count);

/// One tick: sources that went away free their slots; then every source without a slot whose jump goes down takes the lowest
/// free local slot, lower sources first; then `inputs` gets one input a slot, the default one for empty and remote slots.
/// False for counts other than init's: nothing was changed and nothing written.
bool fighter_slots_tick(FighterSlots *slots, const FighterSource *sources, uint32_t source_count, FighterInput *inputs,
                        uint32_t input_count);

/// Frees a slot: its player leaves, the source stays and may join again by a new press. False when no source has the slot.
bool fighter_slots_leave(FighterSlots *slots, uint32_t slot);

/// The source that has the slot, or FIGHTER_SOURCES_MAX: for the presence of the next row, after the tick.
uint32_t fighter_slots_source(const FighterSlots *slots, uint32_t slot);

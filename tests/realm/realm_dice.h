// realm_dice.h: a host that throws dice: any call of the engine at any time, chosen from what the state itself says is there, so that it can also go on
// from a state that somebody else made.
#pragma once

#include "realm_rig.h"

#include "tickproof/rng.h"

/// One call. Refusals are answers like any other.
void dice_throw(Rig *rig, tp_pcg32 *noise);
/// So many calls, inside a guard, with the checker after each. NULL, or what went wrong: a fault's text, or the checker's.
const char *dice_play(Rig *rig, tp_pcg32 *noise, uint32_t calls);

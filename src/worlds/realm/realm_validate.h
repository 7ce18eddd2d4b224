// realm_validate.h: what a foreign state must satisfy across its fields before any step may see it.
#pragma once

#include "tickproof/world.h"

/// The collision engine's half of a state whose ranges already hold: NULL, or a static text that names what is wrong. A state that is
/// accepted is one that steps with clean memory, without endless loops and without acting on rubbish: every list is whole in both
/// directions, every cursor stands where its walk can go on from, every count is right, and what views see are the rows that a flood gives.
/// Needs no memory but the stack. Work: a walk over all pools, and one flood per set.
const char *realm_validate(const void *state, const tp_context *context);

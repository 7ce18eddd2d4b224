// worldconfig.h: a world's config from JSON: an object of whole numbers by item name.
#pragma once

#include "tickproof/world.h"

/// Fills `values` (one per item of the world): the standard ones, then what the argument says. The argument is a file,
/// "-" for standard input, or JSON that starts with '{'. False: said so, with file, line and key.
bool worldconfig_read(const tp_world *world, const char *argument, int64_t *values);
/// The same for the items that are named alone; the others stay as they are.
bool worldconfig_change(const tp_world *world, const char *argument, int64_t *values);
void worldconfig_standard(const tp_world *world, int64_t *values);

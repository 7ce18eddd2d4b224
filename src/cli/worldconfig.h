// worldconfig.h: a world's config from JSON: an object of whole numbers by item name.
#pragma once

#include "tickproof/world.h"

/// Fills `values`, one per item of the world, with the standard ones.
void worldconfig_standard(const tp_world *world, int64_t *values);
/// Sets the items that the argument names; the others stay as they are. The argument is a file, "-" for standard input, or JSON that
/// starts with '{'. False: said so, with file, line and key.
bool worldconfig_read(const tp_world *world, const char *argument, int64_t *values);

// worlds.h: the worlds this program knows: the built-in ones, shared libraries given by --world, and processes given by --world-cmd.
// Nothing else in the tree has the list.
#pragma once

#include "tickproof/layout.h"

enum { WORLDS_LOADED_MAX = 32 };

/// What an argument of --world-cmd begins with once it is one of --world: args_next makes it so, and what passes arguments on need not know.
#define WORLDS_COMMAND "cmd:"

/// Built-in worlds by position; NULL past the last.
const tp_world *worlds_at(size_t index);
/// A built-in world by name, or NULL.
const tp_world *worlds_find(const char *name);

/// Worlds of one command line: what --world added, before the built-in ones.
typedef struct {
    const tp_world *loaded[WORLDS_LOADED_MAX];
    char            hashes[WORLDS_LOADED_MAX][40]; ///< of the library's file: "xxh3:" and 32 digits; of a command what its hello calls its build
    size_t          count;
} WorldSet;

/// Takes an argument of --world: a name, a library when it has a '/' or ends in .so, a command when it begins with "cmd:". Loaded libraries stay until the
/// process ends, since logs, reports and faults point into them. NULL: said so.
const tp_world *worlds_add(WorldSet *set, const char *argument);
/// A world by the name inside it. Of several with the name, the one of this revision comes first, then the last one
/// given. A `find_world` of verify.h; `set` is a WorldSet.
const tp_world *worlds_search(void *set, const char *name, uint32_t revision);
/// The hash of the file that a loaded world came from, or a piped world's build; NULL for a built-in one, or when nothing was said.
const char *worlds_hash(const WorldSet *set, const tp_world *world);

// worlds.c: the list of worlds, and loading others.
#include "worlds.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "fighter.h"
#include "files.h"
#include "pipeworld.h"
#include "realm.h"
#include "runner.h"
#include "sim_floats.h"

static const tp_world *const built_in[] = { &runner_world, &fighter_world, &realm_world };

const tp_world *worlds_at(size_t index)
{
    return index < sizeof(built_in) / sizeof(built_in[0]) ? built_in[index] : NULL;
}

const tp_world *worlds_find(const char *name)
{
    for (size_t i = 0; worlds_at(i) != NULL; i++) {
        if (strcmp(worlds_at(i)->name, name) == 0) {
            return worlds_at(i);
        }
    }
    return NULL;
}

static bool is_library(const char *argument)
{
    size_t length = strlen(argument);
    return strchr(argument, '/') != NULL || (length > 3 && strcmp(argument + length - 3, ".so") == 0);
}

// dlopen takes a name without a slash for one of the system's libraries.
static void *open_library(const char *path)
{
    char  *local = NULL;
    void  *library = NULL;
    if (strchr(path, '/') != NULL) {
        return dlopen(path, RTLD_NOW | RTLD_LOCAL);
    }
    if (asprintf(&local, "./%s", path) >= 0) {
        library = dlopen(local, RTLD_NOW | RTLD_LOCAL);
        free(local);
    }
    return library;
}

// A library that was linked with -ffast-math flushes subnormal numbers of whoever loads it, from then on and in that thread alone: a run would
// depend on which thread loaded it.
static void put_floats_back(const char *path, uint64_t before)
{
    char text[100];
    if (sim_floats_now() != before) {
        sim_floats_describe(before, sim_floats_now(), text, sizeof(text));
        sim_floats_restore(before);
        cli_fail(TP_VERIFIED, "%s: loading the world changed floating point: %s; it was put back; link the library without -ffast-math", path, text);
    }
}

static void hash_file(const char *path, char text[40])
{
    tp_error error;
    size_t   size = 0;
    uint8_t *bytes = files_read_all(path, (size_t)1 << 30, &size, &error);
    text[0] = '\0';
    if (bytes != NULL) {
        tp_hash128 hash = tp_hash128_of(TP_HASH_XXH3, bytes, size);
        snprintf(text, 40, "xxh3:%016llx%016llx", (unsigned long long)hash.hi, (unsigned long long)hash.lo);
    }
    free(bytes);
}

static const tp_world *start(WorldSet *set, const char *command)
{
    tp_error        error;
    const tp_world *world = pipeworld_open(command, &error);
    if (world == NULL) {
        cli_fail(TP_USAGE, "--world-cmd '%s': asking the world: %s", command, error.text);
        return NULL;
    }
    snprintf(set->hashes[set->count], sizeof(set->hashes[0]), "%s", pipeworld_build(world));
    set->loaded[set->count++] = world;
    return world;
}

static const tp_world *load(WorldSet *set, const char *path)
{
    tp_error error;
    uint64_t floats = sim_floats_now();
    void    *library = open_library(path);
    put_floats_back(path, floats);
    if (library == NULL) {
        cli_fail(TP_USAGE, "%s: loading the world: %s", path, dlerror());
        return NULL;
    }
    // POSIX has it that a function comes back from dlsym as a data pointer.
    tp_world_function function = NULL;
    void             *symbol = dlsym(library, TP_WORLD_SYMBOL);
    memcpy(&function, &symbol, sizeof(function));
    const tp_world *world = symbol == NULL ? NULL : function();
    if (world == NULL) {
        cli_fail(TP_USAGE, "%s: loading the world: it exports no %s() that gives one", path, TP_WORLD_SYMBOL);
        return NULL;
    }
    if (!tp_world_check(world, &error)) {
        cli_fail(TP_INCOMPATIBLE, "%s: loading the world: %s", path, error.text);
        return NULL;
    }
    hash_file(path, set->hashes[set->count]);
    set->loaded[set->count++] = world;
    return world;
}

const tp_world *worlds_add(WorldSet *set, const char *argument)
{
    bool is_command = strncmp(argument, WORLDS_COMMAND, strlen(WORLDS_COMMAND)) == 0;
    if (is_command || is_library(argument)) {
        if (set->count == WORLDS_LOADED_MAX) {
            cli_fail(TP_USAGE, "%s: loading the world: %d are the most", argument, WORLDS_LOADED_MAX);
            return NULL;
        }
        return is_command ? start(set, argument + strlen(WORLDS_COMMAND)) : load(set, argument);
    }
    const tp_world *world = worlds_find(argument);
    if (world == NULL) {
        cli_fail(TP_USAGE, "--world: there is no world '%s' here; 'tickproof worlds' lists them, and a library needs a '/' or .so", argument);
    }
    return world;
}

const tp_world *worlds_search(void *to, const char *name, uint32_t revision)
{
    const WorldSet *set = to;
    const tp_world *found = NULL;
    for (size_t i = set->count; i-- > 0;) {
        if (strcmp(set->loaded[i]->name, name) == 0) {
            if (set->loaded[i]->revision == revision) {
                return set->loaded[i];
            }
            found = found == NULL ? set->loaded[i] : found;
        }
    }
    const tp_world *inside = worlds_find(name);
    bool            is_exact = inside != NULL && inside->revision == revision;
    return found == NULL || is_exact ? inside : found;
}

const char *worlds_hash(const WorldSet *set, const tp_world *world)
{
    for (size_t i = 0; i < set->count; i++) {
        if (set->loaded[i] == world && set->hashes[i][0] != '\0') {
            return set->hashes[i];
        }
    }
    return NULL;
}

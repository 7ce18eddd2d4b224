// unbound.h: which bytes of a log no root binds: they say where things come from, not what happened. CRCs and the chain
// guard them against accident and, signed, against intent; re-simulation cannot know them.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct {
    size_t      first, size; // bytes of the file
    uint8_t     mask;        // bits inside every byte of the range
    const char *what;        // "provenance", "note", "origin", "resume"
} UnboundRange;

typedef struct {
    UnboundRange *ranges; // ascending
    size_t        count, capacity;
} UnboundList;

/// Walks a whole, undamaged raw log. False when it cannot be read or memory is short; the list is then empty.
bool unbound_list(const uint8_t *bytes, size_t size, UnboundList *list);
void unbound_finish(UnboundList *list);
/// What the bit is, or NULL when a root or a structural rule binds it.
const char *unbound_find(const UnboundList *list, size_t byte, uint8_t bit_mask);

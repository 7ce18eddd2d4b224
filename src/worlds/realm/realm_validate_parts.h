// realm_validate_parts.h: the parts of realm_validate, each of which may rely on those above it. Nobody else calls them.
#pragma once

#include "realm_internal.h"

/// Leaves the function with the text unless the condition holds.
#define REALM_REQUIRE(condition, text) \
    do {                               \
        if (!(condition)) {            \
            return (text);             \
        }                              \
    } while (0)

static inline bool realm_is_live(uint32_t generation)
{
    return (generation & 1) != 0;
}

/// Every link that a walk needs leads to a live slot, every list is whole in both directions and ends, and every live slot is in exactly the lists it
/// belongs to. After it, any walk of the engine ends. realm_validate_lists.c.
const char *realm_validate_blocks(const RealmEngine *engine);
const char *realm_validate_leaves(const RealmEngine *engine);
const char *realm_validate_owners(const RealmEngine *engine);
const char *realm_validate_rows(const RealmEngine *engine);

/// Phases, cursors, windows: what the transaction goes on from. realm_validate_drafts.c.
const char *realm_validate_drafts(const RealmEngine *engine);
const char *realm_validate_retirement(const RealmEngine *engine);
const char *realm_validate_journal(const RealmEngine *engine);

/// What views see is what floods give. realm_validate_views.c.
const char *realm_validate_views(const RealmEngine *engine);

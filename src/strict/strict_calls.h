// strict_calls.h: how a wrapper is written. Each has a name of its own here and the C library's name in the library, so that no header's
// declaration, attribute or macro of that name stands in its way.
#pragma once

#include "strict_internal.h"

#define STRICT_WRAP(type, name, parameters)                                                       \
    __attribute__((visibility("default"))) type strict_##name parameters __asm__(#name);          \
    type                                        strict_##name parameters

/// The C library's function of this name and type.
#define STRICT_NEXT(type, name, parameters)                                                       \
    static type (*next) parameters;                                                               \
    if (next == NULL) {                                                                           \
        void *found = strict_next(#name);                                                         \
        __builtin_memcpy(&next, &found, sizeof(next));                                            \
    }

/// A function that is noted and no more.
#define STRICT_NOTED(kind, detail, type, name, parameters, arguments)                             \
    STRICT_WRAP(type, name, parameters)                                                           \
    {                                                                                             \
        STRICT_NEXT(type, name, parameters)                                                       \
        strict_note(kind, #name, detail);                                                         \
        return next arguments;                                                                    \
    }

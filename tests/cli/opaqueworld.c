// opaqueworld.c: the tests' opaque world (own heap, variable size, floats) as a shared library.
#include "testworld.h"

const tp_world *tickproof_world(void);
const tp_world *tickproof_world(void)
{
    return &testworld_opaque;
}

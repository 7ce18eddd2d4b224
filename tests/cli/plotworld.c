// plotworld.c: the tests' flat world (pool, arrays, flags, a derived section) as a shared library.
#include "testworld.h"

const tp_world *tickproof_world(void);
const tp_world *tickproof_world(void)
{
    return &testworld_flat;
}

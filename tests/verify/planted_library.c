// planted_library.c: one of the planted worlds as a shared library.
#include "planted_worlds.h"

const tp_world *tickproof_world(void);
const tp_world *tickproof_world(void)
{
    return &PLANTED_WORLD;
}

// realm_rig_world.h: the world behind the rig.
#pragma once

#include "tickproof/world.h"

extern const tp_world rig_world;

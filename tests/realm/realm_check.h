// realm_check.h: the invariant of the collision engine, checked as a reader would: nobody ever sees a world in which a cell exists and an owner
// that overlaps it has no row there, or a row is there that no flood gives.
#pragma once

#include "realm_engine.h"

/// NULL, or what is wrong: everything realm_validate looks at, and then, for the active world and for the private root of each draft that has
/// nothing left to reconcile, all buckets of all leaves that it serves against one flood per owner it sees. Static text.
const char *realm_check(const RealmEngine *engine);
/// The second half alone, for one view.
const char *realm_check_view(const RealmEngine *engine, RealmView view);

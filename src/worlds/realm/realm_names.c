// realm_names.c: texts of the engine's enums, as dumps and reports print them.
#include "realm_state.h"

const char *const realm_retire_names[REALM_RETIRE_COUNT] = { "no", "members", "statics", "rows", "buildings", "cells", "leaf" };
const char *const realm_kind_names[REALM_KIND_COUNT] = { "dynamic", "static" };
const char *const realm_phase_names[REALM_PHASE_COUNT] = { "materialise", "publish", "capture", "topology",
                                                           "statics", "reconcile", "committed", "cancelled" };
const char *const realm_reason_names[REALM_REASON_COUNT] = { "caller", "newer", "demoted", "withdrawn", "reset", "abandoned", "limit" };

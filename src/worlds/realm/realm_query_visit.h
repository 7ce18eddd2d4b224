// realm_query_visit.h: what the files of the queries share and nobody else needs.
#pragma once

#include "realm_query.h"
#include "realm_solid.h"

typedef void RealmVisitor(void *context, uint32_t owner);

/// Which of two owners (0: none) comes first: by id, so that what is found does not depend on history; by link among owners of one id.
bool realm_query_comes_first(const RealmEngine *engine, uint32_t a, uint32_t b);
/// Calls `visitor` once for each owner that has a row which the view sees in one of the cells.
void realm_query_visit(const RealmEngine *engine, RealmView view, const RealmFlood *cells, RealmVisitor *visitor, void *context);
/// Shapes of an owner in the coordinates of landblock `frame`; returns how many.
uint32_t realm_query_solids(const RealmEngine *engine, uint16_t frame, uint32_t owner, RealmSolid solids[REALM_PARTS_MAX]);
/// From the coordinates of landblock `prefix` to those of `frame`.
void realm_query_shift(uint16_t frame, uint16_t prefix, int64_t *x, int64_t *y);

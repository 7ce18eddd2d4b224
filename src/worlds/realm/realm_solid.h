// realm_solid.h: a moving sphere against one shape, in integers. Exact where it says so; a sweep errs by a few raw bits, for which its callers
// add a skin to the radius. Lengths are raw; coordinates and differences of them stay below 2^27, radii below 2^24.
#pragma once

#include "realm_catalog.h"

enum { REALM_PATH_END = 65536 }; ///< a path is walked in so many steps: step k is k / 65536 of it

typedef struct RealmPath {
    int64_t start[3];
    int64_t delta[3]; ///< each part at most 24 units
} RealmPath;

/// Where step k is: toward the start, so that a mirrored path is mirrored to the bit. Each part moves one way only.
static inline int64_t realm_path_part(const RealmPath *path, int axis, int32_t k)
{
    return path->start[axis] + path->delta[axis] * k / REALM_PATH_END;
}
static inline void realm_path_at(const RealmPath *path, int32_t k, int64_t centre[3])
{
    for (int axis = 0; axis < 3; axis++) {
        centre[axis] = realm_path_part(path, axis, k);
    }
}

/// A sphere and the shape overlap: exact and strict. A radius of 0 overlaps nothing.
bool realm_solid_overlaps(const RealmSolid *solid, const int64_t centre[3], int64_t radius);
/// Below 0 when a step along delta leads nearer to the shape, above 0 when away; 0 as well for a centre in a box or cylinder. Along a path it
/// never falls, since the distance to a convex shape is convex.
int64_t realm_solid_slope(const RealmSolid *solid, const int64_t centre[3], const int64_t delta[3]);
/// Unit vector from the shape to the centre; up when the centre is inside.
RealmVector realm_solid_normal(const RealmSolid *solid, const int64_t centre[3]);
/// The last step of [from, to] before the sphere overlaps. False: it never does, or it overlaps at `from` and gets no deeper. An overlap at
/// `from` that gets deeper gives `from`.
bool realm_solid_sweep(const RealmSolid *solid, const RealmPath *path, int64_t radius, int32_t from, int32_t to, int32_t *k);

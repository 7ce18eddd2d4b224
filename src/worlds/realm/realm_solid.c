// realm_solid.c: distances between a point and the three shapes.
#include "realm_solid.h"

static int64_t square(int64_t value)
{
    return value * value;
}

// How far outside of [low, high], with the sign of the side.
static int64_t excess(int64_t value, int64_t low, int64_t high)
{
    return value < low ? value - low : value > high ? value - high : 0;
}

// a * b in two limbs; 32-bit machines have no 128-bit integer.
static void multiply(uint64_t a, uint64_t b, uint64_t *high, uint64_t *low)
{
    uint64_t a_low = a & UINT32_MAX, a_high = a >> 32, b_low = b & UINT32_MAX, b_high = b >> 32;
    uint64_t lowest = a_low * b_low;
    uint64_t middle = a_high * b_low + (lowest >> 32);
    uint64_t other = a_low * b_high + (middle & UINT32_MAX);
    *high = a_high * b_high + (middle >> 32) + (other >> 32);
    *low = other << 32 | (lowest & UINT32_MAX);
}

static bool is_product_less(uint64_t a, uint64_t b, uint64_t c, uint64_t d)
{
    uint64_t left_high, left_low, right_high, right_low;
    multiply(a, b, &left_high, &left_low);
    multiply(c, d, &right_high, &right_low);
    return left_high != right_high ? left_high < right_high : left_low < right_low;
}

// The sphere reaches w = r^2 - z^2 squared to the side at the height of the rim: distance < R + sqrt(w), squared twice.
static bool cylinder_overlaps(const RealmSolid *solid, const int64_t centre[3], int64_t radius)
{
    int64_t up = excess(centre[2], solid->low[2], solid->high[2]);
    int64_t across2 = square(centre[0] - solid->centre[0]) + square(centre[1] - solid->centre[1]);
    int64_t reach2 = square(radius) - square(up);
    if (reach2 <= 0 || across2 >= square(solid->radius + radius)) {
        return false;
    }
    int64_t rest = across2 - square(solid->radius) - reach2;
    return rest < 0 || is_product_less((uint64_t)rest, (uint64_t)rest, (uint64_t)square(2 * solid->radius), (uint64_t)reach2);
}

bool realm_solid_overlaps(const RealmSolid *solid, const int64_t centre[3], int64_t radius)
{
    if (solid->shape == REALM_SHAPE_CYLINDER) {
        return cylinder_overlaps(solid, centre, radius);
    }
    bool    is_sphere = solid->shape == REALM_SHAPE_SPHERE;
    int64_t distance2 = 0;
    for (int i = 0; i < 3; i++) {
        distance2 += square(is_sphere ? centre[i] - solid->centre[i] : excess(centre[i], solid->low[i], solid->high[i]));
    }
    return radius > 0 && distance2 < square(is_sphere ? solid->radius + radius : radius);
}

// From the nearest point of the shape (a sphere's is its centre) to the point. Returns a factor that the first two parts still lack, as out of
// `*whole`: a cylinder's are out to its axis.
static int64_t away_from(const RealmSolid *solid, const int64_t centre[3], int64_t away[3], int64_t *whole)
{
    *whole = 1;
    if (solid->shape != REALM_SHAPE_CYLINDER) {
        for (int i = 0; i < 3; i++) {
            away[i] = solid->shape == REALM_SHAPE_SPHERE ? centre[i] - solid->centre[i] : excess(centre[i], solid->low[i], solid->high[i]);
        }
        return 1;
    }
    away[0] = centre[0] - solid->centre[0];
    away[1] = centre[1] - solid->centre[1];
    away[2] = excess(centre[2], solid->low[2], solid->high[2]);
    int64_t across = tp_isqrt_u64((uint64_t)(square(away[0]) + square(away[1])));
    *whole = across > 0 ? across : 1;
    return across > solid->radius ? across - solid->radius : 0;
}

// Parts of `delta` are below 2^21 and of `away` below 2^27: the sum of their products is below 2^50, 64 times the quotient by the distance below
// 2^29, times the factor below 2^56.
int64_t realm_solid_slope(const RealmSolid *solid, const int64_t centre[3], const int64_t delta[3])
{
    int64_t away[3], whole;
    int64_t factor = away_from(solid, centre, away, &whole);
    int64_t across = (away[0] * delta[0] + away[1] * delta[1]) * 64 / whole * factor;
    return across + away[2] * delta[2] * 64;
}

RealmVector realm_solid_normal(const RealmSolid *solid, const int64_t centre[3])
{
    int64_t away[3], whole;
    int64_t factor = away_from(solid, centre, away, &whole);
    away[0] = away[0] * factor / whole;
    away[1] = away[1] * factor / whole;
    uint64_t length2 = (uint64_t)(square(away[0]) + square(away[1]) + square(away[2]));
    if (length2 == 0 || length2 >= UINT64_C(1) << 48) {
        return (RealmVector){ { 0 }, { 0 }, { REALM_UNIT } };
    }
    int64_t length = tp_isqrt_u64(length2 << 16); // in 1/256 raw bits
    int32_t part[3];
    for (int i = 0; i < 3; i++) {
        int64_t value = away[i] * (INT64_C(65536) * 256) / length;
        part[i] = (int32_t)(value > REALM_UNIT ? REALM_UNIT : value < -REALM_UNIT ? -REALM_UNIT : value);
    }
    return (RealmVector){ { part[0] }, { part[1] }, { part[2] } };
}

static bool overlaps_at(const RealmSolid *solid, const RealmPath *path, int64_t radius, int32_t k)
{
    int64_t centre[3];
    realm_path_at(path, k, centre);
    return realm_solid_overlaps(solid, centre, radius);
}

static int64_t slope_at(const RealmSolid *solid, const RealmPath *path, int32_t k)
{
    int64_t centre[3];
    realm_path_at(path, k, centre);
    return realm_solid_slope(solid, centre, path->delta);
}

// The whole path stays further from the bounds than the radius, on some axis.
static bool passes_by(const RealmSolid *solid, const RealmPath *path, int64_t radius)
{
    for (int i = 0; i < 3; i++) {
        int64_t end = path->start[i] + path->delta[i];
        int64_t low = path->start[i] < end ? path->start[i] : end;
        int64_t high = path->start[i] < end ? end : path->start[i];
        if (low - radius > solid->high[i] || high + radius < solid->low[i]) {
            return true;
        }
    }
    return false;
}

// First step of [from, to] where the path does not lead nearer any more; it does at `from`.
static int32_t nearest_step(const RealmSolid *solid, const RealmPath *path, int32_t from, int32_t to)
{
    if (slope_at(solid, path, to) < 0) {
        return to;
    }
    while (to - from > 1) {
        int32_t middle = from + (to - from) / 2;
        if (slope_at(solid, path, middle) < 0) {
            from = middle;
        } else {
            to = middle;
        }
    }
    return to;
}

bool realm_solid_sweep(const RealmSolid *solid, const RealmPath *path, int64_t radius, int32_t from, int32_t to, int32_t *k)
{
    if (passes_by(solid, path, radius) || slope_at(solid, path, from) >= 0) {
        return false;
    }
    if (overlaps_at(solid, path, radius, from)) {
        *k = from;
        return true;
    }
    int32_t inside = nearest_step(solid, path, from, to);
    // Positions are rounded, so that the step before may be the nearest one.
    if (!overlaps_at(solid, path, radius, inside) && (inside == from || !overlaps_at(solid, path, radius, --inside))) {
        return false;
    }
    int32_t free = from;
    while (inside - free > 1) {
        int32_t middle = free + (inside - free) / 2;
        if (overlaps_at(solid, path, radius, middle)) {
            inside = middle;
        } else {
            free = middle;
        }
    }
    *k = free;
    return true;
}

// realm_slide.c: a sphere that slides along what it meets. What is left of its way is laid into the plane of what it met; where that would lead
// into something met before, along the crease of both. All products are divided toward zero, so that a mirrored slide is mirrored.
#include "realm_query.h"

typedef struct Way {
    int64_t part[3];
} Way;

static Way way_of(RealmVector vector)
{
    return (Way){ { vector.x.raw, vector.y.raw, vector.z.raw } };
}

static RealmVector vector_of(Way way)
{
    return (RealmVector){ { (int32_t)way.part[0] }, { (int32_t)way.part[1] }, { (int32_t)way.part[2] } };
}

static int64_t dot(Way a, Way b)
{
    return a.part[0] * b.part[0] + a.part[1] * b.part[1] + a.part[2] * b.part[2];
}

// Parts of a way are below 2^22 and of a normal at most 2^16, so the dot product is below 2^40 and what is divided below 2^56.
static Way without(Way way, Way normal)
{
    int64_t into = dot(way, normal);
    int64_t length2 = dot(normal, normal);
    if (into >= 0 || length2 == 0) {
        return way;
    }
    for (int i = 0; i < 3; i++) {
        way.part[i] -= normal.part[i] * into / length2;
    }
    // Rounded parts may still lead in by a bit or two: a nudge of a few bits outwards.
    for (int i = 0; dot(way, normal) < 0 && i < 3; i++) {
        way.part[i] += normal.part[i] * 4 / REALM_UNIT;
    }
    return way;
}

// The part of `way` along the line in which two planes meet; nothing when they are almost one plane.
static Way along_crease(Way way, Way a, Way b)
{
    Way line;
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        line.part[i] = (a.part[j] * b.part[k] - a.part[k] * b.part[j]) / REALM_UNIT;
    }
    int64_t length2 = dot(line, line);
    int64_t amount = dot(way, line);
    for (int i = 0; i < 3; i++) {
        way.part[i] = length2 < 1 << 20 ? 0 : line.part[i] * amount / length2;
    }
    return way;
}

// A part may come out longer than it was, up to the length of the whole: shorter, then, in the same direction.
static Way shorten(Way way)
{
    int64_t longest = REALM_QUERY_STEP_MAX;
    for (int i = 0; i < 3; i++) {
        int64_t size = way.part[i] < 0 ? -way.part[i] : way.part[i];
        longest = size > longest ? size : longest;
    }
    for (int i = 0; longest > REALM_QUERY_STEP_MAX && i < 3; i++) {
        way.part[i] = way.part[i] * REALM_QUERY_STEP_MAX / longest;
    }
    return way;
}

static Way turn(Way left, const RealmHit *hits, uint32_t count)
{
    Way last = way_of(hits[count - 1].normal);
    Way way = without(left, last);
    for (uint32_t i = 0; i + 1 < count; i++) {
        Way earlier = way_of(hits[i].normal);
        if (dot(way, earlier) < 0) {
            way = along_crease(left, earlier, last);
        }
    }
    return way;
}

uint32_t realm_query_slide(const RealmEngine *engine, RealmView view, const RealmSweep *sweep, RealmPlace *place,
                           RealmHit hits[REALM_QUERY_SLIDE_SWEEPS])
{
    RealmHit   own[REALM_QUERY_SLIDE_SWEEPS];
    RealmHit  *met = hits != NULL ? hits : own;
    RealmSweep rest = *sweep;
    Way        wanted = way_of(sweep->delta);
    uint32_t   count = 0;
    for (uint32_t i = 0; i < REALM_QUERY_SLIDE_SWEEPS; i++) {
        RealmHit hit = realm_query_sweep(engine, view, &rest);
        rest.place = hit.place;
        if (hit.kind == REALM_HIT_NONE) {
            break;
        }
        met[count++] = hit;
        Way left = way_of(rest.delta);
        for (int axis = 0; axis < 3; axis++) {
            left.part[axis] -= left.part[axis] * hit.fraction.raw / REALM_UNIT;
        }
        left = turn(left, met, count);
        if (dot(left, wanted) <= 0) {
            break;
        }
        rest.delta = vector_of(shorten(left));
    }
    *place = rest.place;
    return count;
}

// fighter_reach.c: whether two capsules touch. Exact to the last bit: lengths are never taken, squares are compared, and products
// of two 64-bit numbers are compared in all their 128 bits. Nothing is rounded, so a mirror image touches exactly when
// the original does, and it does not matter which of the two is asked first.
//
// Ranges: a place lies within 1,024 units of the middle (FIGHTER_SPACE plus one tick's move), a capsule's ends within 512 of its place and its radius
// is below 512, which a test holds the tables to. In bits an end is below 2^27, a difference of two below 2^28, a sum of two products of
// differences below 2^57; the way of a sweep adds up to 2^26 to an end, which leaves the sums below 2^59.
#include "fighter_combat.h"

typedef struct Point {
    int64_t x, y;
} Point;

typedef struct Segment {
    Point a, b;
} Segment;

typedef struct Wide {
    uint64_t high, low;
} Wide;

static Wide wide_product(uint64_t a, uint64_t b)
{
    uint64_t low = (a & UINT32_MAX) * (b & UINT32_MAX);
    uint64_t middle = (a >> 32) * (b & UINT32_MAX) + (low >> 32);
    uint64_t other = (a & UINT32_MAX) * (b >> 32) + (middle & UINT32_MAX);
    return (Wide){ .high = (a >> 32) * (b >> 32) + (middle >> 32) + (other >> 32), .low = other << 32 | (low & UINT32_MAX) };
}

static bool is_at_most(Wide a, Wide b)
{
    return a.high < b.high || (a.high == b.high && a.low <= b.low);
}

static Point from_to(Point from, Point to)
{
    return (Point){ to.x - from.x, to.y - from.y };
}

static Point moved(Point point, Point by)
{
    return (Point){ point.x + by.x, point.y + by.y };
}

static int64_t dot(Point a, Point b)
{
    return a.x * b.x + a.y * b.y;
}

static int64_t cross(Point a, Point b)
{
    return a.x * b.y - a.y * b.x;
}

static int sign_of(int64_t value)
{
    return (value > 0) - (value < 0);
}

static uint64_t magnitude(int64_t value)
{
    return (uint64_t)(value < 0 ? -value : value);
}

static bool is_point_near(Point point, const Segment *segment, int64_t radius)
{
    Point way = from_to(segment->a, segment->b);
    Point to_point = from_to(segment->a, point);
    int64_t along = dot(to_point, way);
    int64_t length_squared = dot(way, way);
    if (along <= 0) {
        return dot(to_point, to_point) <= radius * radius;
    }
    if (along >= length_squared) {
        Point past = from_to(segment->b, point);
        return dot(past, past) <= radius * radius;
    }
    uint64_t across = magnitude(cross(way, to_point));
    return is_at_most(wide_product(across, across), wide_product((uint64_t)(radius * radius), (uint64_t)length_squared));
}

// Only a crossing inside of both; one that ends on the other is near with any radius.
static bool do_cross(const Segment *s, const Segment *t)
{
    Point along_s = from_to(s->a, s->b);
    Point along_t = from_to(t->a, t->b);
    int s_a = sign_of(cross(along_t, from_to(t->a, s->a)));
    int s_b = sign_of(cross(along_t, from_to(t->a, s->b)));
    int t_a = sign_of(cross(along_s, from_to(s->a, t->a)));
    int t_b = sign_of(cross(along_s, from_to(s->a, t->b)));
    return s_a * s_b < 0 && t_a * t_b < 0;
}

static bool are_near(const Segment *s, const Segment *t, int64_t radius)
{
    return is_point_near(s->a, t, radius) || is_point_near(s->b, t, radius) || is_point_near(t->a, s, radius) ||
           is_point_near(t->b, s, radius) || do_cross(s, t);
}

static Segment placed(const FighterCapsule *capsule, tp_fx x, tp_fx y, bool looks_left)
{
    int64_t side = looks_left ? -1 : 1;
    return (Segment){
        .a = { x.raw + side * capsule->x0, (int64_t)y.raw + capsule->y0 },
        .b = { x.raw + side * capsule->x1, (int64_t)y.raw + capsule->y1 },
    };
}

bool fighter_reach_touch(const FighterCapsule *a, tp_fx ax, tp_fx ay, bool a_looks_left,
                         const FighterCapsule *b, tp_fx bx, tp_fx by, bool b_looks_left)
{
    Segment s = placed(a, ax, ay, a_looks_left);
    Segment t = placed(b, bx, by, b_looks_left);
    return are_near(&s, &t, (int64_t)a->radius + b->radius);
}

// Whether a point lies in the parallelogram that the segment covers on its way: both coordinates in its frame are 0 to 1. A flat
// one has no inside.
static bool is_passed_over(Point point, const Segment *segment, Point way)
{
    Point along = from_to(segment->a, segment->b);
    Point to_point = from_to(segment->a, point);
    int64_t area = cross(along, way);
    int64_t u = cross(to_point, way) * sign_of(area);
    int64_t v = cross(along, to_point) * sign_of(area);
    int64_t size = area < 0 ? -area : area;
    return size != 0 && u >= 0 && u <= size && v >= 0 && v <= size;
}

// Seen from b: b stays, and a comes from where it was by its own move less that of b. The region is a parallelogram with round
// corners: its four edges, and what lies inside of them.
bool fighter_reach_sweep(const FighterCapsule *a, const FighterPose *a_pose, const FighterCapsule *b, const FighterPose *b_pose)
{
    Segment s = placed(a, a_pose->x, a_pose->y, a_pose->looks_left);
    Segment t = placed(b, b_pose->x, b_pose->y, b_pose->looks_left);
    int64_t radius = (int64_t)a->radius + b->radius;
    if (are_near(&s, &t, radius)) {
        return true;
    }
    Point a_back = { (int64_t)a_pose->from_x.raw - a_pose->x.raw, (int64_t)a_pose->from_y.raw - a_pose->y.raw };
    Point b_back = { (int64_t)b_pose->from_x.raw - b_pose->x.raw, (int64_t)b_pose->from_y.raw - b_pose->y.raw };
    Point back = from_to(b_back, a_back);
    if (dot(back, back) <= radius * radius) {
        return false;
    }
    Segment before = { moved(s.a, back), moved(s.b, back) };
    Segment way_of_a = { s.a, before.a };
    Segment way_of_b = { s.b, before.b };
    return are_near(&before, &t, radius) || are_near(&way_of_a, &t, radius) || are_near(&way_of_b, &t, radius) ||
           is_passed_over(t.a, &s, back);
}

static int64_t lesser(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static int64_t greater(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

// Places and offsets are far below the ends of 32 bits, see the ranges above.
void fighter_reach_cover(FighterBox *box, const FighterCapsule *capsule, const FighterPose *pose)
{
    Segment now = placed(capsule, pose->x, pose->y, pose->looks_left);
    Segment before = placed(capsule, pose->from_x, pose->from_y, pose->looks_left);
    int64_t x0 = lesser(lesser(now.a.x, now.b.x), lesser(before.a.x, before.b.x)) - capsule->radius;
    int64_t y0 = lesser(lesser(now.a.y, now.b.y), lesser(before.a.y, before.b.y)) - capsule->radius;
    int64_t x1 = greater(greater(now.a.x, now.b.x), greater(before.a.x, before.b.x)) + capsule->radius;
    int64_t y1 = greater(greater(now.a.y, now.b.y), greater(before.a.y, before.b.y)) + capsule->radius;
    box->x0 = (int32_t)lesser(box->x0, x0);
    box->y0 = (int32_t)lesser(box->y0, y0);
    box->x1 = (int32_t)greater(box->x1, x1);
    box->y1 = (int32_t)greater(box->y1, y1);
}

bool fighter_reach_boxes_meet(const FighterBox *a, const FighterBox *b)
{
    return a->x0 <= b->x1 && b->x0 <= a->x1 && a->y0 <= b->y1 && b->y0 <= a->y1;
}

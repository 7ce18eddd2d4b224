// Whether capsules touch: against an oracle that computes the same with other formulas in 128 bits, at the very edge of touching, mirrored,
// swapped, and on the way of a sweep.
#include <criterion/criterion.h>

#include "fighter_combat.h"

#include "tickproof/rng.h"

__extension__ typedef __int128 Wide128;

typedef struct Case {
    FighterCapsule a, b;
    tp_fx          ax, ay, bx, by;
    bool           a_left, b_left;
} Case;

// A fraction of two whole numbers, the lower one positive.
typedef struct Ratio {
    Wide128 over, under;
} Ratio;

// |w|^2 less the square of its part along the segment: no cross product, which is what the code under test uses.
static Ratio square_to_point(int64_t px, int64_t py, int64_t ax, int64_t ay, int64_t bx, int64_t by)
{
    Wide128 ux = bx - ax, uy = by - ay, wx = px - ax, wy = py - ay;
    Wide128 along = ux * wx + uy * wy;
    Wide128 length = ux * ux + uy * uy;
    if (along <= 0) {
        return (Ratio){ wx * wx + wy * wy, 1 };
    }
    if (along >= length) {
        return (Ratio){ (px - bx) * (Wide128)(px - bx) + (py - by) * (Wide128)(py - by), 1 };
    }
    return (Ratio){ (wx * wx + wy * wy) * length - along * along, length };
}

static bool is_less(Ratio a, Ratio b)
{
    return a.over / a.under < b.over / b.under ||
           (a.over / a.under == b.over / b.under && (a.over % a.under) * b.under < (b.over % b.under) * a.under);
}

// The crossing by parameters of both lines.
static bool do_lines_cross(const int64_t s[4], const int64_t t[4])
{
    Wide128 ux = s[2] - s[0], uy = s[3] - s[1], vx = t[2] - t[0], vy = t[3] - t[1], wx = t[0] - s[0], wy = t[1] - s[1];
    Wide128 area = ux * vy - uy * vx;
    Wide128 along_s = wx * vy - wy * vx;
    Wide128 along_t = wx * uy - wy * ux;
    if (area < 0) {
        area = -area;
        along_s = -along_s;
        along_t = -along_t;
    }
    return area != 0 && along_s >= 0 && along_s <= area && along_t >= 0 && along_t <= area;
}

static void place(const FighterCapsule *capsule, tp_fx x, tp_fx y, bool is_left, int64_t ends[4])
{
    ends[0] = x.raw + (is_left ? -(int64_t)capsule->x0 : capsule->x0);
    ends[1] = (int64_t)y.raw + capsule->y0;
    ends[2] = x.raw + (is_left ? -(int64_t)capsule->x1 : capsule->x1);
    ends[3] = (int64_t)y.raw + capsule->y1;
}

// Square of the distance of the two lines.
static Ratio true_square(const Case *c)
{
    int64_t s[4];
    int64_t t[4];
    place(&c->a, c->ax, c->ay, c->a_left, s);
    place(&c->b, c->bx, c->by, c->b_left, t);
    if (do_lines_cross(s, t)) {
        return (Ratio){ 0, 1 };
    }
    const Ratio squares[4] = {
        square_to_point(s[0], s[1], t[0], t[1], t[2], t[3]), square_to_point(s[2], s[3], t[0], t[1], t[2], t[3]),
        square_to_point(t[0], t[1], s[0], s[1], s[2], s[3]), square_to_point(t[2], t[3], s[0], s[1], s[2], s[3]),
    };
    Ratio least = squares[0];
    for (int i = 1; i < 4; i++) {
        least = is_less(squares[i], least) ? squares[i] : least;
    }
    return least;
}

static bool does_truly_touch(const Case *c)
{
    Wide128 radius = (Wide128)c->a.radius + c->b.radius;
    Ratio square = true_square(c);
    return square.over <= radius * radius * square.under;
}

static bool touches(const Case *c)
{
    return fighter_reach_touch(&c->a, c->ax, c->ay, c->a_left, &c->b, c->bx, c->by, c->b_left);
}

static int32_t draw(tp_pcg32 *noise, int32_t most)
{
    return (int32_t)tp_pcg32_below(noise, 2 * (uint32_t)most + 1) - most;
}

// `size` bounds places and ends. Every third capsule is a point or an upright or level line, as those of bodies are.
static FighterCapsule draw_capsule(tp_pcg32 *noise, int32_t size)
{
    FighterCapsule capsule = { 0 };
    capsule.x0 = draw(noise, size);
    capsule.y0 = draw(noise, size);
    capsule.x1 = draw(noise, size);
    capsule.y1 = draw(noise, size);
    uint32_t form = tp_pcg32_below(noise, 9);
    capsule.x1 = form == 0 || form == 1 ? capsule.x0 : capsule.x1;
    capsule.y1 = form == 0 || form == 2 ? capsule.y0 : capsule.y1;
    return capsule;
}

static Case draw_case(tp_pcg32 *noise, int32_t size)
{
    Case c = { .a = draw_capsule(noise, size) };
    c.b = draw_capsule(noise, size);
    c.ax.raw = draw(noise, 2 * size);
    c.ay.raw = draw(noise, 2 * size);
    c.bx.raw = draw(noise, 2 * size);
    c.by.raw = draw(noise, 2 * size);
    c.a_left = tp_pcg32_below(noise, 2) != 0;
    c.b_left = tp_pcg32_below(noise, 2) != 0;
    return c;
}

// Radii that just reach or just do not: the whole part of the distance and its neighbours, shared out between the two.
static void set_radii(tp_pcg32 *noise, Case *c)
{
    Ratio square = true_square(c);
    int64_t whole = tp_isqrt_u64((uint64_t)(square.over / square.under));
    int64_t sum = whole + (int64_t)tp_pcg32_below(noise, 4) - 1;
    sum = sum < 0 ? 0 : sum > FIGHTER_RAW(900) ? FIGHTER_RAW(900) : sum;
    c->a.radius = (int32_t)(sum / 2);
    c->b.radius = (int32_t)(sum - sum / 2);
}

static void check_case(const Case *c, uint32_t number, uint32_t *touched)
{
    bool expected = does_truly_touch(c);
    Case swapped = { c->b, c->a, c->bx, c->by, c->ax, c->ay, c->b_left, c->a_left };
    Case mirrored = *c;
    mirrored.ax.raw = -c->ax.raw;
    mirrored.bx.raw = -c->bx.raw;
    mirrored.a_left = !c->a_left;
    mirrored.b_left = !c->b_left;
    cr_assert_eq(touches(c), expected, "case %u", number);
    cr_assert_eq(touches(&swapped), expected, "case %u swapped", number);
    cr_assert_eq(touches(&mirrored), expected, "case %u mirrored", number);
    *touched += expected;
}

// Goal: exact at the edge of touching, for tiny capsules, those of the game, and the largest there are in the corners of space.
Test(fighter_reach, exact_at_the_edge)
{
    static const int32_t sizes[] = { 3, 20, FIGHTER_RAW(1), FIGHTER_RAW(40), FIGHTER_RAW(510) };
    tp_pcg32 noise = tp_pcg32_make(5, 1);
    for (size_t k = 0; k < TP_COUNT_OF(sizes); k++) {
        uint32_t touched = 0;
        for (uint32_t i = 0; i < 200000; i++) {
            Case c = draw_case(&noise, sizes[k]);
            set_radii(&noise, &c);
            check_case(&c, i, &touched);
        }
        cr_assert(touched > 50000 && touched < 180000, "size %d: %u touched: the edge was not tried", (int)sizes[k], touched);
    }
}

// A tempting shortcut: sixteenths of a unit, so that squares fit into 64 bits.
static bool touches_in_sixteenths(const Case *c)
{
    Case rough = *c;
    int32_t *const values[] = { &rough.ax.raw, &rough.ay.raw, &rough.bx.raw, &rough.by.raw, &rough.a.radius, &rough.b.radius };
    for (size_t i = 0; i < TP_COUNT_OF(values); i++) {
        *values[i] = *values[i] / 4096 * 4096;
    }
    return does_truly_touch(&rough);
}

// Goal: the cases are sharp enough to see one bit: rounding to sixteenths fails many of them.
Test(fighter_reach, rounding_would_be_noticed)
{
    tp_pcg32 noise = tp_pcg32_make(5, 2);
    uint32_t wrong = 0;
    for (uint32_t i = 0; i < 10000; i++) {
        Case c = draw_case(&noise, FIGHTER_RAW(40));
        set_radii(&noise, &c);
        wrong += touches_in_sixteenths(&c) != touches(&c);
    }
    cr_assert_gt(wrong, 1000, "%u", wrong);
}

Test(fighter_reach, touching_counts)
{
    const FighterCapsule point = { 0, 0, 0, 0, FIGHTER_RAW(5) };
    const tp_fx zero = { 0 };
    tp_fx at = { FIGHTER_RAW(10) };
    cr_assert(fighter_reach_touch(&point, zero, zero, false, &point, at, zero, false));
    at.raw++;
    cr_assert(!fighter_reach_touch(&point, zero, zero, false, &point, at, zero, false));
    at.raw = -FIGHTER_RAW(10);
    cr_assert(fighter_reach_touch(&point, zero, zero, false, &point, at, zero, false));
}

static FighterPose draw_pose(tp_pcg32 *noise, int32_t size)
{
    FighterPose pose = { .x = { draw(noise, size) } };
    pose.y.raw = draw(noise, size);
    pose.looks_left = tp_pcg32_below(noise, 2) != 0;
    pose.from_x.raw = pose.x.raw + draw(noise, size) / 64 * 64;
    pose.from_y.raw = pose.y.raw + draw(noise, size) / 64 * 64;
    return pose;
}

// Touching at one of 65 moments of the way, both at the same time, with a larger radius.
static bool touches_on_the_way(const FighterCapsule *a, const FighterPose *p, const FighterCapsule *b, const FighterPose *q, int32_t more)
{
    FighterCapsule wider = *a;
    wider.radius += more;
    for (int32_t i = 0; i <= 64; i++) {
        Case c = { wider, *b, .a_left = p->looks_left, .b_left = q->looks_left };
        c.ax.raw = p->x.raw + (p->from_x.raw - p->x.raw) / 64 * i;
        c.ay.raw = p->y.raw + (p->from_y.raw - p->y.raw) / 64 * i;
        c.bx.raw = q->x.raw + (q->from_x.raw - q->x.raw) / 64 * i;
        c.by.raw = q->y.raw + (q->from_y.raw - q->y.raw) / 64 * i;
        if (does_truly_touch(&c)) {
            return true;
        }
    }
    return false;
}

// Goal: who passes somebody within a tick by more than both are thick touches it. Whoever touches at a moment of the way is found; who is found comes within
// the distance of two moments; and the boxes that save the work never hide anybody.
Test(fighter_reach, sweeps)
{
    tp_pcg32 noise = tp_pcg32_make(5, 3);
    uint32_t found = 0;
    uint32_t only_on_the_way = 0;
    for (uint32_t i = 0; i < 60000; i++) {
        int32_t size = i % 2 == 0 ? FIGHTER_RAW(50) : FIGHTER_RAW(140);
        FighterCapsule a = draw_capsule(&noise, FIGHTER_RAW(20));
        FighterCapsule b = draw_capsule(&noise, FIGHTER_RAW(20));
        FighterPose p = draw_pose(&noise, size);
        FighterPose q = draw_pose(&noise, size);
        FighterBox a_box = FIGHTER_BOX_NONE;
        FighterBox b_box = FIGHTER_BOX_NONE;
        a.radius = (int32_t)tp_pcg32_below(&noise, FIGHTER_RAW(4));
        b.radius = (int32_t)tp_pcg32_below(&noise, FIGHTER_RAW(4));
        int64_t x = (int64_t)p.from_x.raw - p.x.raw - q.from_x.raw + q.x.raw;
        int64_t y = (int64_t)p.from_y.raw - p.y.raw - q.from_y.raw + q.y.raw;
        int64_t way = tp_isqrt_u64((uint64_t)(x * x + y * y));
        bool is_swept = fighter_reach_sweep(&a, &p, &b, &q);
        bool is_now = fighter_reach_touch(&a, p.x, p.y, p.looks_left, &b, q.x, q.y, q.looks_left);
        cr_assert_eq(is_swept, fighter_reach_sweep(&b, &q, &a, &p), "case %u swapped", i);
        if (way > (int64_t)a.radius + b.radius && touches_on_the_way(&a, &p, &b, &q, 0)) {
            cr_assert(is_swept, "case %u is missed", i);
        }
        if (is_swept) {
            cr_assert(touches_on_the_way(&a, &p, &b, &q, (int32_t)(way / 128 + 2)), "case %u is far off", i);
            fighter_reach_cover(&a_box, &a, &p);
            fighter_reach_cover(&b_box, &b, &q);
            cr_assert(fighter_reach_boxes_meet(&a_box, &b_box), "case %u: its boxes hide it", i);
        }
        found += is_swept;
        only_on_the_way += is_swept && !is_now;
    }
    cr_assert(found > 4000 && only_on_the_way > 3000, "%u found, %u of them on the way", found, only_on_the_way);
}

// Goal: the ranges that make the arithmetic fit hold for every table there is.
Test(fighter_reach, tables_are_in_range)
{
    for (uint32_t i = 0; i < FIGHTER_STRIKES_MAX; i++) {
        const FighterCapsule *capsule = &fighter_strikes[i].capsule;
        const int32_t ends[] = { capsule->x0, capsule->y0, capsule->x1, capsule->y1, capsule->radius };
        for (size_t k = 0; k < TP_COUNT_OF(ends); k++) {
            cr_assert(ends[k] < FIGHTER_RAW(512) && ends[k] > -FIGHTER_RAW(512), "strike %u", i);
        }
        cr_assert_geq(capsule->radius, 0);
    }
    for (uint32_t i = 0; i < FIGHTER_KIND_COUNT; i++) {
        cr_assert_lt(fighter_kinds[i].shield_radius, FIGHTER_RAW(512));
        cr_assert_lt(fighter_kinds[i].height, FIGHTER_RAW(512));
        cr_assert_gt(fighter_kinds[i].shot.speed_x, 0, "a projectile must have a side");
        for (uint32_t k = 0; k < FIGHTER_HURTS; k++) {
            cr_assert_lt(fighter_kinds[i].hurts[k].radius, FIGHTER_RAW(512));
        }
    }
}

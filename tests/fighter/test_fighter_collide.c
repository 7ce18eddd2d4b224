// Nothing goes through anything, at any speed, and everything stops exactly where it should.
//
// The oracle walks a straight way in steps so small that every line of the stage is met at the end of a step, never within one: places and
// speeds are whole half units, as the stages and bodies are, and a way of (a, b) halves is walked in lcm(a, b) steps. So it only ever asks
// whether a point lies on a line; it has no fractions to compare and no sweep.
#include <criterion/criterion.h>

#include "fighter_solo.h"
#include "tickproof/rng.h"

enum { HALF = 32768, SPEED_HALVES = 2 * FIGHTER_SPEED_MAX };

typedef enum Touch { TOUCH_NONE = -1, TOUCH_FLOOR, TOUCH_WALL, TOUCH_CEILING } Touch;

// Half units until the first meeting, raw bits after it.
typedef struct Walker {
    const FighterStage *stage;
    const FighterKind  *kind;
    int64_t x, y, dx, dy;
    bool    falls_through;
    // what came of it
    uint32_t landings, walls;
    uint32_t floor; // + 1
} Walker;

static int64_t greatest_divisor(int64_t a, int64_t b)
{
    return b == 0 ? a : greatest_divisor(b, a % b);
}

static int64_t size_of(int64_t value)
{
    return value < 0 ? -value : value;
}

static int64_t step_count(const Walker *walker)
{
    int64_t across = size_of(walker->dx);
    int64_t up = size_of(walker->dy);
    return across == 0 || up == 0 ? across + up : across / greatest_divisor(across, up) * up;
}

static int64_t side_of(const FighterSurface *surface)
{
    return surface->kind == FIGHTER_SURFACE_WALL_RIGHT ? 1 : -1;
}

// Whether a body at (x, y) / n touches a surface that its way goes toward. `is_start` lets a side point be past a wall already.
static Touch touch(const Walker *walker, const FighterSurface *surface, int64_t x, int64_t y, int64_t n, bool is_start)
{
    int64_t x0 = surface->x0 / HALF * n, x1 = surface->x1 / HALF * n, y0 = surface->y0 / HALF * n, y1 = surface->y1 / HALF * n;
    int64_t height = walker->kind->height / HALF * n, half = walker->kind->half_width / HALF * n;
    bool is_level = surface->kind == FIGHTER_SURFACE_FLOOR || (surface->kind == FIGHTER_SURFACE_PLATFORM && !walker->falls_through);
    if (is_level && walker->dy < 0 && y == y0 && x >= x0 && x <= x1) {
        return TOUCH_FLOOR;
    }
    if (surface->kind == FIGHTER_SURFACE_CEILING && walker->dy > 0 && y + height == y0 && x >= x0 && x <= x1) {
        return TOUCH_CEILING;
    }
    bool is_wall = surface->kind == FIGHTER_SURFACE_WALL_LEFT || surface->kind == FIGHTER_SURFACE_WALL_RIGHT;
    int64_t side = side_of(surface);
    if (!is_wall || side * walker->dx <= 0 || side * (x0 - x) < 0) {
        return TOUCH_NONE;
    }
    int64_t gap = side * (x0 - x) - half;
    bool is_side = (gap == 0 || (is_start && gap < 0)) && y + height / 2 >= y0 && y + height / 2 <= y1;
    bool is_axis = x == x0 && y < y1 && y + height > y0;
    return is_side || is_axis ? TOUCH_WALL : TOUCH_NONE;
}

static Touch first_touch(const Walker *walker, int64_t x, int64_t y, int64_t n, bool is_start, uint32_t *index)
{
    Touch best = TOUCH_NONE;
    for (uint32_t i = 0; i < (uint32_t)walker->stage->surface_count; i++) {
        Touch now = touch(walker, &walker->stage->surfaces[i], x, y, n, is_start);
        if (now != TOUCH_NONE && (best == TOUCH_NONE || now < best)) {
            best = now;
            *index = i;
        }
    }
    return best;
}

static void note(Walker *walker, Touch touched, uint32_t index, bool has_moved)
{
    walker->landings += touched == TOUCH_FLOOR;
    walker->walls |= (touched == TOUCH_WALL || touched == TOUCH_CEILING) && has_moved;
    walker->floor = touched == TOUCH_FLOOR ? index + 1 : walker->floor;
}

// The rest of the way in raw bits along one axis, walked to the next line of whole half units each time.
static void walk_on(Walker *walker)
{
    int64_t left = walker->dx != 0 ? walker->dx : walker->dy;
    int64_t *at = walker->dx != 0 ? &walker->x : &walker->y;
    int64_t way = left < 0 ? -1 : 1;
    for (bool is_start = true; left != 0; is_start = false) {
        uint32_t index = 0;
        Touch touched = first_touch(walker, walker->x, walker->y, HALF, is_start, &index);
        if (touched != TOUCH_NONE) {
            note(walker, touched, index, !is_start);
            return;
        }
        int64_t into = ((*at % HALF) + HALF) % HALF;
        int64_t step = way > 0 ? HALF - into : into == 0 ? HALF : into;
        step = step > size_of(left) ? size_of(left) : step;
        *at += way * step;
        left -= way * step;
    }
    uint32_t index = 0;
    Touch touched = first_touch(walker, walker->x, walker->y, HALF, false, &index);
    note(walker, touched, index, true);
}

// As far as the first touch, cut toward the start to a raw bit, and then along what was touched.
static void walk(Walker *walker)
{
    int64_t steps = step_count(walker);
    uint32_t index = 0;
    Touch touched = TOUCH_NONE;
    int64_t n = 0;
    for (; steps != 0 && n <= steps; n++) {
        touched = first_touch(walker, walker->x * steps + walker->dx * n, walker->y * steps + walker->dy * n, steps, n == 0, &index);
        if (touched != TOUCH_NONE) {
            break;
        }
    }
    int64_t done = touched == TOUCH_NONE ? steps : n;
    int64_t went_x = steps == 0 ? 0 : walker->dx * HALF * done / steps;
    int64_t went_y = steps == 0 ? 0 : walker->dy * HALF * done / steps;
    walker->x = walker->x * HALF + went_x;
    walker->y = walker->y * HALF + went_y;
    walker->dx = touched == TOUCH_WALL ? 0 : walker->dx * HALF - went_x;
    walker->dy = touched == TOUCH_FLOOR || touched == TOUCH_CEILING ? 0 : walker->dy * HALF - went_y;
    if (touched != TOUCH_NONE) {
        note(walker, touched, index, n > 0);
        walk_on(walker);
    }
}

static bool is_on_level(const FighterStage *stage, const Fighter *fighter)
{
    for (int32_t i = 0; i < stage->surface_count; i++) {
        const FighterSurface *surface = &stage->surfaces[i];
        bool is_ground = surface->kind == FIGHTER_SURFACE_FLOOR || surface->kind == FIGHTER_SURFACE_PLATFORM;
        if (is_ground && surface->y0 == fighter->y.raw && surface->x0 <= fighter->x.raw && surface->x1 >= fighter->x.raw) {
            return true;
        }
    }
    return false;
}

typedef void (*Mover)(Solo *solo);

static void move_really(Solo *solo)
{
    fighter_collide_move(&solo->step);
}

// True when the mover and the oracle agree about the place, the footing and what is reported.
static bool agrees(Solo *solo, Mover mover, Walker walker)
{
    Fighter *fighter = &solo->fighters[0];
    solo_clear(solo);
    solo_throw(solo, 0, walker.x * HALF, walker.y * HALF, walker.dx * HALF, walker.dy * HALF);
    solo->step.pads[0].stick_y = walker.falls_through ? -127 : 0;
    mover(solo);
    walk(&walker);
    bool stands = walker.floor != 0 && is_on_level(walker.stage, fighter);
    return fighter->x.raw == walker.x && fighter->y.raw == walker.y && (fighter->surface != 0) == stands &&
           solo->events[FIGHTER_EVENT_LANDED] == walker.landings && solo->events[FIGHTER_EVENT_WALL] == walker.walls;
}

static int64_t draw(tp_pcg32 *noise, int64_t low, int64_t high)
{
    return low + tp_pcg32_below(noise, (uint32_t)(high - low + 1));
}

// Half of the ways lead a point of the body exactly through, or closely past, the end of a surface; the others lie anywhere.
static Walker drawn_way(tp_pcg32 *noise, const FighterStage *stage, const FighterKind *kind)
{
    Walker walker = { .stage = stage, .kind = kind, .falls_through = draw(noise, 0, 7) == 0 };
    int64_t fastest = draw(noise, 0, 3) == 0 ? SPEED_HALVES : 30;
    walker.dx = draw(noise, -fastest, fastest);
    walker.dy = draw(noise, -fastest, fastest);
    walker.x = draw(noise, stage->blast_left / HALF, stage->blast_right / HALF);
    walker.y = draw(noise, stage->blast_bottom / HALF, stage->blast_top / HALF);
    if (draw(noise, 0, 1) == 0) {
        const FighterSurface *surface = &stage->surfaces[draw(noise, 0, stage->surface_count - 1)];
        bool is_first = draw(noise, 0, 1) == 0;
        int64_t side = draw(noise, -1, 1);
        int64_t up = side != 0 ? kind->height / 2 : draw(noise, 0, 1) * kind->height;
        int64_t part = draw(noise, 0, 4); // of the way before the corner, in quarters
        walker.dx &= ~INT64_C(3);
        walker.dy &= ~INT64_C(3);
        walker.x = ((is_first ? surface->x0 : surface->x1) - side * kind->half_width) / HALF - walker.dx / 4 * part + draw(noise, -1, 1);
        walker.y = ((is_first ? surface->y0 : surface->y1) - up) / HALF - walker.dy / 4 * part + draw(noise, -1, 1);
    }
    return walker;
}

enum { WAYS = 6000 };

// Disagreements over all stages and kinds.
static uint32_t disagreements(Mover mover, bool must_agree, Walker *totals)
{
    uint32_t count = 0;
    for (uint32_t stage = 0; stage < 2 * FIGHTER_STAGE_COUNT; stage++) {
        const FighterKind *kind = &fighter_kinds[stage % FIGHTER_KIND_COUNT];
        tp_pcg32 noise = tp_pcg32_make(41, stage);
        Solo solo;
        solo_open(&solo, 1, &fighter_stages[stage], kind);
        for (uint32_t i = 0; i < WAYS; i++) {
            Walker walker = drawn_way(&noise, &fighter_stages[stage], kind);
            bool agreed = agrees(&solo, mover, walker);
            cr_assert(agreed || !must_agree, "stage %u, way %u: from %lld, %lld by %lld, %lld halves: ends at %d, %d", stage, i,
                      (long long)walker.x, (long long)walker.y, (long long)walker.dx, (long long)walker.dy, solo.fighters[0].x.raw,
                      solo.fighters[0].y.raw);
            count += !agreed;
            totals->landings += solo.events[FIGHTER_EVENT_LANDED];
            totals->walls += solo.events[FIGHTER_EVENT_WALL];
        }
    }
    return count;
}

// Goal: 36,000 ways on all stages, up to the largest speeds of a state, end where the oracle's do, to the bit.
Test(fighter_collide, agrees_with_the_oracle)
{
    Walker totals = { 0 };
    cr_assert_eq(disagreements(move_really, true, &totals), 0);
    cr_assert_gt(totals.landings, 1000, "%u", totals.landings);
    cr_assert_gt(totals.walls, 1000, "%u", totals.walls);
}

// The fault that everybody makes first: look at the end of the move only.
static void move_by_ends(Solo *solo)
{
    Fighter *fighter = &solo->fighters[0];
    int32_t from_y = fighter->y.raw;
    fighter->x.raw += fighter->velocity_x.raw;
    fighter->y.raw += fighter->velocity_y.raw;
    for (int32_t i = 0; i < solo->step.stage->surface_count; i++) {
        const FighterSurface *surface = &solo->step.stage->surfaces[i];
        bool is_level = surface->kind == FIGHTER_SURFACE_FLOOR || surface->kind == FIGHTER_SURFACE_PLATFORM;
        bool is_within = fighter->x.raw >= surface->x0 && fighter->x.raw <= surface->x1;
        if (is_level && is_within && from_y >= surface->y0 && fighter->y.raw <= surface->y0) {
            fighter->y.raw = surface->y0;
            fighter->surface = (uint8_t)(i + 1);
            solo->events[FIGHTER_EVENT_LANDED]++;
        }
    }
}

// A fault that only ends show: the real rules, on walls that end one bit under their floor.
static void move_on_short_walls(Solo *solo)
{
    FighterStage stage = *solo->step.stage;
    const FighterStage *whole = solo->step.stage;
    for (int32_t i = 0; i < stage.surface_count; i++) {
        bool is_wall = stage.surfaces[i].kind == FIGHTER_SURFACE_WALL_LEFT || stage.surfaces[i].kind == FIGHTER_SURFACE_WALL_RIGHT;
        stage.surfaces[i].y1 -= is_wall ? 1 : 0;
    }
    solo->step.stage = &stage;
    fighter_collide_move(&solo->step);
    solo->step.stage = whole;
}

// Goal: the oracle sees faults: a move that looks at its end only, and walls that end one bit under their floor.
Test(fighter_collide, oracle_catches_planted_faults)
{
    Walker totals = { 0 };
    cr_assert_gt(disagreements(move_by_ends, false, &totals), 2500);
    cr_assert_gt(disagreements(move_on_short_walls, false, &totals), 1);
}

// What is solid, in units: left, bottom, right, top. Of the hall, all around the room.
typedef struct Block {
    int32_t x0, y0, x1, y1;
} Block;

static const Block blocks[FIGHTER_STAGE_COUNT][3] = {
    { { -200, -60, 200, 0 }, { -400, -60, -200, 320 }, { 200, -60, 400, 320 } },
    { { -150, -60, 150, 0 } },
    { { -196, -64, 80, 0 }, { -196, -64, -180, 72 }, { 136, -40, 206, -14 } },
};

// True when a body's axis is in the inside of a block.
static bool is_inside(uint32_t stage, const FighterKind *kind, const Fighter *fighter)
{
    for (uint32_t i = 0; i < 3; i++) {
        const Block *block = &blocks[stage][i];
        bool is_between = fighter->x.raw > FIGHTER_RAW(block->x0) && fighter->x.raw < FIGHTER_RAW(block->x1);
        bool is_beside = fighter->y.raw < FIGHTER_RAW(block->y1) && fighter->y.raw + kind->height > FIGHTER_RAW(block->y0);
        if (is_between && is_beside) {
            return true;
        }
    }
    return false;
}

// One random move after the other from wherever the last one ended, to the bit. Counts how often the body was in a block at the end.
static uint32_t wander(uint32_t stage, Mover mover, uint64_t seed)
{
    const FighterStage *table = &fighter_stages[stage];
    const FighterKind *kind = &fighter_kinds[seed % FIGHTER_KIND_COUNT];
    tp_pcg32 noise = tp_pcg32_make(seed, stage);
    Solo solo;
    solo_open(&solo, 1, table, kind);
    Fighter *fighter = &solo.fighters[0];
    uint32_t count = 0;
    solo_throw(&solo, 0, table->respawn_x, table->respawn_y, 0, 0);
    for (uint32_t i = 0; i < 20000; i++) {
        int64_t fastest = draw(&noise, 0, 2) == 0 ? FIGHTER_RAW(FIGHTER_SPEED_MAX) : FIGHTER_RAW(12);
        int64_t dx = draw(&noise, -fastest, fastest);
        int64_t dy = draw(&noise, -fastest, fastest);
        solo_throw(&solo, 0, fighter->x.raw, fighter->y.raw, dx, dy);
        fighter->launch_x.raw = (int32_t)draw(&noise, -fastest, fastest);
        fighter->launch_y.raw = (int32_t)draw(&noise, -fastest, fastest);
        mover(&solo);
        bool is_out = fighter->x.raw < table->blast_left || fighter->x.raw > table->blast_right || fighter->y.raw < table->blast_bottom ||
                      fighter->y.raw > table->blast_top;
        bool is_in = is_inside(stage, kind, fighter);
        count += is_in;
        if (is_out || is_in) {
            solo_throw(&solo, 0, table->respawn_x, table->respawn_y, 0, 0);
        }
    }
    return count;
}

// Goal: 360,000 moves at up to 160 units a tick, each from where the last one ended: no body gets into a block; a move that
// looks at its end only does.
Test(fighter_collide, nothing_gets_into_a_block)
{
    for (uint32_t stage = 0; stage < FIGHTER_STAGE_COUNT; stage++) {
        for (uint64_t seed = 1; seed <= 6; seed++) {
            cr_assert_eq(wander(stage, move_really, seed), 0, "stage %u, seed %llu", stage, (unsigned long long)seed);
        }
        uint32_t count = wander(stage, move_by_ends, 1);
        cr_assert_gt(count, 20, "stage %u: %u", stage, count);
    }
}

// Goal: on the mirrored stage the mirrored move ends at the mirrored place, to the bit.
Test(fighter_collide, mirror)
{
    for (uint32_t stage = 0; stage < FIGHTER_STAGE_COUNT; stage++) {
        tp_pcg32 noise = tp_pcg32_make(9, stage);
        Solo here;
        Solo there;
        solo_open(&here, 1, &fighter_stages[stage], &fighter_kinds[stage]);
        solo_open(&there, 1, &fighter_stages[FIGHTER_STAGE_COUNT + stage], &fighter_kinds[stage]);
        for (uint32_t i = 0; i < 20000; i++) {
            int64_t x = draw(&noise, -FIGHTER_RAW(250), FIGHTER_RAW(250));
            int64_t y = draw(&noise, -FIGHTER_RAW(100), FIGHTER_RAW(150));
            int64_t dx = draw(&noise, -FIGHTER_RAW(80), FIGHTER_RAW(80));
            int64_t dy = draw(&noise, -FIGHTER_RAW(80), FIGHTER_RAW(80));
            solo_throw(&here, 0, x, y, dx, dy);
            solo_throw(&there, 0, -x, y, -dx, dy);
            fighter_collide_move(&here.step);
            fighter_collide_move(&there.step);
            const Fighter *one = &here.fighters[0];
            const Fighter *two = &there.fighters[0];
            cr_assert_eq(one->x.raw, -two->x.raw, "stage %u, way %u", stage, i);
            cr_assert_eq(one->y.raw, two->y.raw, "stage %u, way %u", stage, i);
            cr_assert_eq(one->velocity_x.raw, -two->velocity_x.raw);
            cr_assert_eq(one->velocity_y.raw, two->velocity_y.raw);
            cr_assert_eq(one->surface, two->surface);
        }
    }
}

// fighter_collide.c: layer 4: from place to place, against the stage. A body is its feet, its head, the line between them (the axis) and one
// point at each side, half way up:
//
//     floors and platforms stop feet that come down on them, ceilings a head that comes up, their ends included;
//     walls stop a side point, their ends included, and the axis where it is beside them. The axis is what keeps a fighter out of
//     a corner that the side point has passed above or below, so that nothing ever gets into a block.
//
// What is met first on the straight way is met, compared as fractions without rounding, so speed does not matter; the rest of the way goes along
// it. At the same moment a floor comes before a wall, a wall before a ceiling, a lower index before a higher one.
#include "fighter_action.h"

enum { MEETINGS_MAX = 4 }; // a wall ends all of x, a floor or a ceiling all of y; the fourth look finds nothing more

/// A straight way of a body from where it is.
typedef struct Way {
    int64_t x, y, dx, dy;
    int64_t half_width, height;
    bool    falls_through;    ///< platforms
    uint8_t dropping;         ///< surface + 1
} Way;

/// Where the way is cut: after time / span of it. For a wall, `place` is the x it ends at.
typedef struct Meeting {
    int64_t time, span, place;
    int32_t rank; ///< 0 floor, 1 wall, 2 ceiling; 3: nothing is met
    uint32_t surface;
} Meeting;

static const Meeting nothing = { .time = 1, .span = 1, .rank = 3 };

static bool is_earlier(const Meeting *a, const Meeting *b)
{
    int64_t left = a->time * b->span;
    int64_t right = b->time * a->span;
    return left < right || (left == right && a->rank < b->rank);
}

static bool is_over(const Way *way, const Meeting *meeting, const FighterSurface *surface)
{
    int64_t x = way->x * meeting->span + way->dx * meeting->time;
    return x >= surface->x0 * meeting->span && x <= surface->x1 * meeting->span;
}

static Meeting meet_floor(const Way *way, const FighterSurface *surface)
{
    Meeting meeting = { .time = way->y - surface->y0, .span = -way->dy, .rank = 0 };
    bool is_crossed = way->dy < 0 && meeting.time >= 0 && meeting.time <= meeting.span;
    return is_crossed && is_over(way, &meeting, surface) ? meeting : nothing;
}

static Meeting meet_ceiling(const Way *way, const FighterSurface *surface)
{
    Meeting meeting = { .time = surface->y0 - (way->y + way->height), .span = way->dy, .rank = 2 };
    bool is_crossed = way->dy > 0 && meeting.time >= 0 && meeting.time <= meeting.span;
    return is_crossed && is_over(way, &meeting, surface) ? meeting : nothing;
}

// A side point that is past the wall already, above or below it a moment ago, is stopped where it is.
static Meeting meet_by_side(const Way *way, const FighterSurface *wall, int64_t side)
{
    int64_t gap = side * (wall->x0 - way->x) - way->half_width;
    Meeting meeting = { .time = gap > 0 ? gap : 0, .span = side * way->dx, .rank = 1 };
    int64_t y = (way->y + way->height / 2) * meeting.span + way->dy * meeting.time;
    bool is_beside = y >= wall->y0 * meeting.span && y <= wall->y1 * meeting.span;
    meeting.place = gap >= 0 ? wall->x0 - side * way->half_width : way->x;
    return is_beside && meeting.time <= meeting.span ? meeting : nothing;
}

// Beside it and not only at its end: who walks on top of a wall is not stopped by it.
static Meeting meet_by_axis(const Way *way, const FighterSurface *wall, int64_t side)
{
    Meeting meeting = { .time = side * (wall->x0 - way->x), .span = side * way->dx, .place = wall->x0, .rank = 1 };
    int64_t feet = way->y * meeting.span + way->dy * meeting.time;
    int64_t head = feet + way->height * meeting.span;
    bool is_beside = feet < wall->y1 * meeting.span && head > wall->y0 * meeting.span;
    return is_beside && meeting.time <= meeting.span ? meeting : nothing;
}

static Meeting meet_wall(const Way *way, const FighterSurface *wall, int64_t side)
{
    bool comes = side * way->dx > 0 && side * (wall->x0 - way->x) >= 0;
    if (!comes) {
        return nothing;
    }
    Meeting by_side = meet_by_side(way, wall, side);
    Meeting by_axis = meet_by_axis(way, wall, side);
    return is_earlier(&by_axis, &by_side) ? by_axis : by_side;
}

static Meeting meet(const Way *way, const FighterSurface *surface, uint32_t index)
{
    switch ((FighterSurfaceKind)surface->kind) {
    case FIGHTER_SURFACE_FLOOR:
        return meet_floor(way, surface);
    case FIGHTER_SURFACE_PLATFORM:
        return way->falls_through || way->dropping == index + 1 ? nothing : meet_floor(way, surface);
    case FIGHTER_SURFACE_CEILING:
        return meet_ceiling(way, surface);
    case FIGHTER_SURFACE_WALL_RIGHT:
        return meet_wall(way, surface, 1);
    case FIGHTER_SURFACE_WALL_LEFT:
        return meet_wall(way, surface, -1);
    }
    return nothing;
}

static Meeting meet_first(const FighterStage *stage, const Way *way)
{
    Meeting first = nothing;
    for (uint32_t i = 0; i < (uint32_t)stage->surface_count; i++) {
        Meeting meeting = meet(way, &stage->surfaces[i], i);
        if (is_earlier(&meeting, &first)) {
            first = meeting;
            first.surface = i;
        }
    }
    return first;
}

static Way way_of(const FighterStep *step, uint32_t slot)
{
    const Fighter *fighter = &step->state.fighters[slot];
    const FighterKind *kind = step->kinds[slot];
    bool is_free = fighter->action == FIGHTER_ACTION_AIR || fighter->action == FIGHTER_ACTION_HELPLESS;
    return (Way){
        .x = fighter->x.raw, .y = fighter->y.raw,
        .dx = (int64_t)fighter->velocity_x.raw + fighter->launch_x.raw,
        .dy = (int64_t)fighter->velocity_y.raw + fighter->launch_y.raw,
        .half_width = kind->half_width, .height = kind->height,
        .falls_through = is_free && step->pads[slot].stick_y < -FIGHTER_PUSH,
        .dropping = fighter->dropping,
    };
}

static void stop_x(Fighter *fighter)
{
    fighter->velocity_x = tp_fx_raw(0);
    fighter->launch_x = tp_fx_raw(0);
}

static void stop_y(Fighter *fighter)
{
    fighter->velocity_y = tp_fx_raw(0);
    fighter->launch_y = tp_fx_raw(0);
}

static void lie(FighterStep *step, uint32_t slot)
{
    Fighter *fighter = &step->state.fighters[slot];
    if (fighter->tech_ticks >= FIGHTER_TECH_TICKS) {
        fighter_action_start(step, slot, FIGHTER_ACTION_DOWN);
        return;
    }
    stop_x(fighter);
    fighter_action_start(step, slot, FIGHTER_ACTION_TECH);
    fighter_report(step, FIGHTER_EVENT_TECHED, slot);
}

static void land(FighterStep *step, uint32_t slot, uint32_t surface)
{
    Fighter *fighter = &step->state.fighters[slot];
    int32_t ticks = fighter_action_frames(step, slot)->land_ticks;
    stop_y(fighter);
    fighter->surface = (uint8_t)(surface + 1);
    fighter->jumps_left = (uint8_t)step->kinds[slot]->air_jumps;
    fighter->is_fast_falling = 0;
    fighter->is_guard_spent = 0;
    fighter_report(step, FIGHTER_EVENT_LANDED, slot);
    switch ((FighterLanding)fighter_action_rule((FighterAction)fighter->action)->landing) {
    case FIGHTER_LANDING_LAG:
        fighter_action_start(step, slot, FIGHTER_ACTION_LAND);
        fighter->lag_ticks = (uint16_t)(ticks > 0 ? ticks : step->kinds[slot]->land_ticks);
        break;
    case FIGHTER_LANDING_LIE:
        lie(step, slot);
        break;
    case FIGHTER_LANDING_STAY:
        break;
    }
}

// As far as the meeting, toward where it came from in the last bit; then on along what was met. True when a wall or a ceiling is newly met.
static bool go(FighterStep *step, uint32_t slot, Way *way, const Meeting *meeting)
{
    Fighter *fighter = &step->state.fighters[slot];
    int64_t x = way->dx * meeting->time / meeting->span;
    int64_t y = way->dy * meeting->time / meeting->span;
    way->x += x;
    way->y += y;
    way->dx -= x;
    way->dy -= y;
    if (meeting->rank == 1) {
        way->x = meeting->place;
        way->dx = 0;
        stop_x(fighter);
    } else if (meeting->rank != 3) {
        int64_t up = meeting->rank == 2 ? way->height : 0;
        way->y = step->stage->surfaces[meeting->surface].y0 - up;
        way->dy = 0;
        stop_y(fighter);
    }
    fighter->x = tp_fx_narrow(way->x);
    fighter->y = tp_fx_narrow(way->y);
    return (meeting->rank == 1 || meeting->rank == 2) && meeting->time > 0;
}

// The surface that goes on where this one ends, level with it.
static uint8_t next_surface(const FighterStage *stage, uint8_t now, int32_t end)
{
    int32_t y = stage->surfaces[now - 1].y0;
    for (uint32_t i = 0; i < (uint32_t)stage->surface_count; i++) {
        const FighterSurface *surface = &stage->surfaces[i];
        bool goes_on = end == stage->surfaces[now - 1].x1 ? surface->x1 > end : surface->x0 < end;
        if (fighter_data_holds_feet(surface) && goes_on && surface->y0 == y && surface->x0 <= end && surface->x1 >= end) {
            return (uint8_t)(i + 1);
        }
    }
    return 0;
}

static void fall_off(FighterStep *step, uint32_t slot)
{
    Fighter *fighter = &step->state.fighters[slot];
    fighter->surface = 0;
    if (fighter_action_where((FighterAction)fighter->action) == FIGHTER_WHERE_GROUND) {
        fighter_action_start(step, slot, FIGHTER_ACTION_AIR);
    }
}

// At the end of its surface a fighter walks on along the next one, stops, or goes over.
static void keep_footing(FighterStep *step, uint32_t slot)
{
    Fighter *fighter = &step->state.fighters[slot];
    for (int32_t i = 0; i < FIGHTER_SURFACES_MAX && fighter->surface != 0; i++) {
        const FighterSurface *surface = &step->stage->surfaces[fighter->surface - 1];
        int32_t end = fighter->x.raw < surface->x0 ? surface->x0 : surface->x1;
        bool is_on = fighter->x.raw >= surface->x0 && fighter->x.raw <= surface->x1;
        uint8_t next = is_on ? 0 : next_surface(step->stage, fighter->surface, end);
        if (is_on) {
            return;
        }
        if (next != 0) {
            fighter->surface = next;
        } else if (fighter_action_rule((FighterAction)fighter->action)->keeps_footing) {
            fighter->x = tp_fx_raw(end);
            stop_x(fighter);
            return;
        } else {
            fall_off(step, slot);
        }
    }
}

static void move(FighterStep *step, uint32_t slot)
{
    Fighter *fighter = &step->state.fighters[slot];
    Way way = way_of(step, slot);
    bool has_met_wall = false;
    way.dy = fighter->surface != 0 ? 0 : way.dy;
    for (int32_t i = 0; i < MEETINGS_MAX && (way.dx != 0 || way.dy != 0); i++) {
        Meeting meeting = meet_first(step->stage, &way);
        has_met_wall |= go(step, slot, &way, &meeting);
        if (meeting.rank == 0) {
            land(step, slot, meeting.surface);
        }
        if (meeting.rank == 3) {
            break;
        }
    }
    keep_footing(step, slot);
    if (has_met_wall) {
        fighter_report(step, FIGHTER_EVENT_WALL, slot);
    }
}

// A platform that somebody let itself through is one again as soon as it is above the feet.
static void end_drop(const FighterStage *stage, Fighter *fighter)
{
    if (fighter->dropping != 0 && (fighter->surface != 0 || fighter->y.raw < stage->surfaces[fighter->dropping - 1].y0)) {
        fighter->dropping = 0;
    }
}

void fighter_collide_move(FighterStep *step)
{
    for (uint32_t i = 0; i < step->state.fighter_count; i++) {
        Fighter *fighter = &step->state.fighters[i];
        step->from_x[i] = fighter->x;
        step->from_y[i] = fighter->y;
        bool is_placed = fighter->action == FIGHTER_ACTION_GRABBED || fighter->action == FIGHTER_ACTION_RESPAWN;
        if (step->is_frozen[i] || is_placed || !fighter_action_is_on_stage((FighterAction)fighter->action)) {
            continue;
        }
        if (fighter->ledge != 0) {
            fighter_ledge_place(step, i);
            continue;
        }
        move(step, i);
        end_drop(step->stage, fighter);
    }
}

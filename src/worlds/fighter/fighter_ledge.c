// fighter_ledge.c: corners to hold on to: who catches one, and where it puts a fighter.
#include "fighter_action.h"

/// A fighter's middle on its way in this tick, as seen from a ledge.
typedef struct LedgeWay {
    int64_t x, y, dx, dy;
} LedgeWay;

static const FighterLedge *held_ledge(const FighterStep *step, const Fighter *fighter)
{
    return &step->stage->ledges[fighter->ledge - 1];
}

// Up beside the wall in the first half of the climb, over the corner in the second: never through it.
void fighter_ledge_place(FighterStep *step, uint32_t slot)
{
    Fighter *fighter = &step->state.fighters[slot];
    const FighterLedge *ledge = held_ledge(step, fighter);
    const FighterKind *kind = step->kinds[slot];
    int32_t ticks = fighter_action_frames(step, slot)->ticks;
    bool climbs = fighter->action == FIGHTER_ACTION_LEDGE_CLIMB && ticks > 1;
    int64_t half = climbs ? ticks / 2 : 1;
    int64_t tick = climbs ? fighter->action_tick : 0;
    int64_t up = tick < half ? tick : half;
    int64_t over = tick < half ? 0 : tick - half;
    over = over > ticks - half ? ticks - half : over;
    int64_t in = climbs ? 2 * (int64_t)kind->half_width * over / (ticks - half) : 0;
    fighter->x = tp_fx_narrow(ledge->x + ledge->side * (kind->half_width - in));
    fighter->y = tp_fx_narrow(ledge->y - kind->height + kind->height * up / half);
}

void fighter_ledge_stand(FighterStep *step, uint32_t slot)
{
    Fighter *fighter = &step->state.fighters[slot];
    const FighterLedge *ledge = held_ledge(step, fighter);
    fighter->x = tp_fx_narrow((int64_t)ledge->x - (int64_t)ledge->side * step->kinds[slot]->half_width);
    fighter->y = tp_fx_raw(ledge->y);
    for (uint32_t i = 0; i < (uint32_t)step->stage->surface_count; i++) {
        const FighterSurface *surface = &step->stage->surfaces[i];
        bool is_its_floor = surface->kind == FIGHTER_SURFACE_FLOOR && surface->y0 == ledge->y;
        if (is_its_floor && surface->x0 <= fighter->x.raw && surface->x1 >= fighter->x.raw) {
            fighter->surface = (uint8_t)(i + 1);
        }
    }
    fighter->is_guard_spent = 0;
    fighter_action_rest(step, slot);
}

/// From..to: the part of a way between two bounds, as fractions of the way; narrowed bound by bound.
typedef struct LedgeSpan {
    int64_t from, from_of, to, to_of;
} LedgeSpan;

// Cuts the span to where |at + by * t| <= reach. False when nothing is left.
static bool cut(LedgeSpan *span, int64_t at, int64_t by, int64_t reach)
{
    if (by == 0) {
        return at >= -reach && at <= reach;
    }
    int64_t way = by < 0 ? -by : by;
    int64_t enter = by < 0 ? at - reach : -reach - at;
    int64_t leave = enter + 2 * reach;
    if (enter * span->from_of > span->from * way) {
        span->from = enter;
        span->from_of = way;
    }
    if (leave * span->to_of < span->to * way) {
        span->to = leave;
        span->to_of = way;
    }
    return span->from * span->to_of <= span->to * span->from_of;
}

static bool passes(const LedgeWay *way, const FighterKind *kind)
{
    LedgeSpan span = { 0, 1, 1, 1 };
    return cut(&span, way->x, way->dx, kind->ledge_reach_x) && cut(&span, way->y, way->dy, kind->ledge_reach_y);
}

// Outside of its corner, feet below it, and the middle came within reach anywhere on the way of this tick.
static bool is_in_reach(const FighterStep *step, uint32_t slot, const FighterLedge *ledge)
{
    const Fighter *fighter = &step->state.fighters[slot];
    int64_t middle = step->kinds[slot]->height / 2;
    int64_t from_x = step->from_x[slot].raw;
    int64_t from_y = step->from_y[slot].raw;
    LedgeWay way = {
        .x = from_x - ledge->x, .y = from_y + middle - ledge->y, .dx = fighter->x.raw - from_x, .dy = fighter->y.raw - from_y,
    };
    bool is_outside = (int64_t)ledge->side * (fighter->x.raw - ledge->x) >= 0 && fighter->y.raw < ledge->y;
    return is_outside && passes(&way, step->kinds[slot]);
}

static bool may_catch(const FighterStep *step, uint32_t slot)
{
    const Fighter *fighter = &step->state.fighters[slot];
    int64_t rise = (int64_t)fighter->velocity_y.raw + fighter->launch_y.raw;
    return !step->is_frozen[slot] && fighter->surface == 0 && fighter->ledge_wait_ticks == 0 && rise <= 0 &&
           step->pads[slot].stick_y >= -FIGHTER_TILT && fighter_action_rule((FighterAction)fighter->action)->catches_ledges;
}

// Square of the way from the middle of a body to a ledge.
static uint64_t distance(const FighterStep *step, uint32_t slot, const FighterLedge *ledge)
{
    const Fighter *fighter = &step->state.fighters[slot];
    int64_t x = (int64_t)fighter->x.raw - ledge->x;
    int64_t y = (int64_t)fighter->y.raw + step->kinds[slot]->height / 2 - ledge->y;
    return (uint64_t)(x * x + y * y);
}

// Ledge + 1. Of two in reach the nearer; none when both are as near, since a mirror image would have to choose the other.
static uint32_t reached(const FighterStep *step, uint32_t slot)
{
    uint32_t best = 0;
    uint64_t least = UINT64_MAX;
    for (uint32_t i = 0; may_catch(step, slot) && i < (uint32_t)step->stage->ledge_count; i++) {
        const FighterLedge *ledge = &step->stage->ledges[i];
        uint64_t now = distance(step, slot, ledge);
        if (!is_in_reach(step, slot, ledge) || now > least) {
            continue;
        }
        best = now == least ? 0 : i + 1;
        least = now;
    }
    return best;
}

// Once until it stands again or is struck, or who drops and catches again and again would never be touched. A guard that is longer goes on.
static void guard(Fighter *fighter)
{
    if (fighter->is_guard_spent == 0 && fighter->guard_ticks < FIGHTER_LEDGE_GUARD) {
        fighter->guard_ticks = FIGHTER_LEDGE_GUARD;
    }
    fighter->is_guard_spent = 1;
}

static void catch_ledge(FighterStep *step, uint32_t slot, uint32_t ledge)
{
    Fighter *fighter = &step->state.fighters[slot];
    guard(fighter);
    fighter->velocity_x = tp_fx_raw(0);
    fighter->velocity_y = tp_fx_raw(0);
    fighter->launch_x = tp_fx_raw(0);
    fighter->launch_y = tp_fx_raw(0);
    fighter->is_fast_falling = 0;
    fighter->dropping = 0;
    fighter->jumps_left = (uint8_t)step->kinds[slot]->air_jumps;
    fighter->facing = step->stage->ledges[ledge].side < 0 ? FIGHTER_FACING_RIGHT : FIGHTER_FACING_LEFT;
    fighter_action_start(step, slot, FIGHTER_ACTION_LEDGE_HANG);
    fighter->ledge = (uint8_t)(ledge + 1);
    fighter_ledge_place(step, slot);
    fighter_report(step, FIGHTER_EVENT_LEDGE, slot);
}

/// Who comes to one ledge in this tick.
typedef struct LedgeTaking {
    uint32_t nearest; ///< slot + 1; 0: nobody, or two as near
    uint64_t distance;
    bool     is_held; ///< from before
} LedgeTaking;

static void reach_for(LedgeTaking *taking, uint32_t slot, uint64_t way)
{
    if (way <= taking->distance) {
        taking->nearest = way == taking->distance ? 0 : slot + 1;
        taking->distance = way;
    }
}

// In the order of slots, as all events of a layer are.
static void catch_in_order(FighterStep *step, const LedgeTaking *takings)
{
    for (uint32_t i = 0; i < step->state.fighter_count; i++) {
        for (uint32_t k = 0; k < FIGHTER_LEDGES_MAX; k++) {
            if (takings[k].nearest == i + 1) {
                catch_ledge(step, i, k);
            }
        }
    }
}

void fighter_ledge_catch(FighterStep *step)
{
    LedgeTaking takings[FIGHTER_LEDGES_MAX];
    for (uint32_t i = 0; i < FIGHTER_LEDGES_MAX; i++) {
        takings[i] = (LedgeTaking){ .distance = UINT64_MAX };
    }
    for (uint32_t i = 0; i < step->state.fighter_count; i++) {
        uint32_t held = step->state.fighters[i].ledge;
        uint32_t wanted = reached(step, i);
        if (held != 0) {
            takings[held - 1].is_held = true;
        } else if (wanted != 0) {
            reach_for(&takings[wanted - 1], i, distance(step, i, &step->stage->ledges[wanted - 1]));
        }
    }
    for (uint32_t i = 0; i < FIGHTER_LEDGES_MAX; i++) {
        takings[i].nearest = takings[i].is_held ? 0 : takings[i].nearest;
    }
    catch_in_order(step, takings);
}

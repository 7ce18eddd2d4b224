// fighter_bot_way.c: where the floor is, how to walk on it, and how to come back to it.
#include "fighter_bot.h"

enum {
    STEP_UNITS    = 12,  // past the end of a surface, to ask what is below
    AMPLE_UNITS   = 400, // room that is as good as endless
    EDGE_UNITS    = 10,  // it comes no closer to the end
    CAREFUL_UNITS = 90,  // room below which it walks instead of running
    MOMENT_TICKS  = 24,  // about what an attack in the air takes
    NEAR_UNITS    = 14,  // closer to the goal it need not go
    FULL_STICK    = FIGHTER_STICK_MAX,
};

static int32_t distance(int32_t a, int32_t b)
{
    return a > b ? a - b : b - a;
}

bool fighter_bot_ground(const FighterStage *stage, int32_t x, int32_t y, int32_t *ground_y)
{
    bool is_found = false;
    for (int32_t i = 0; i < stage->surface_count; i++) {
        const FighterSurface *surface = &stage->surfaces[i];
        bool is_below = fighter_data_holds_feet(surface) && surface->x0 <= x && x <= surface->x1 && surface->y0 <= y;
        if (is_below && (!is_found || surface->y0 > *ground_y)) {
            *ground_y = surface->y0;
            is_found = true;
        }
    }
    return is_found;
}

int32_t fighter_bot_room(const FighterStage *stage, const FighterLook *look, int32_t way)
{
    int32_t ground_y = 0;
    int32_t end = look->x;
    if (look->surface != 0) {
        const FighterSurface *surface = &stage->surfaces[look->surface - 1];
        end = way < 0 ? surface->x0 : surface->x1;
    }
    bool goes_on = fighter_bot_ground(stage, end + way * FIGHTER_RAW(STEP_UNITS), look->y, &ground_y);
    return goes_on ? FIGHTER_RAW(AMPLE_UNITS) : distance(end, look->x);
}

// What it covers before it sees how far it has come, and then while it slides to a stop.
static int32_t way_to_stop(const FighterBot *bot, const FighterLook *look, int32_t way)
{
    int32_t speed = look->speed_x * way;
    if (speed <= 0) {
        return 0;
    }
    int32_t late_ticks = bot->delay_ticks < 16 ? (int32_t)bot->delay_ticks : 16;
    int64_t slide = (int64_t)speed * speed / (2 * bot->kind->friction); // of a launch it is more than 32 bits hold
    int32_t ample = FIGHTER_RAW(AMPLE_UNITS);
    return speed * (late_ticks + 1) + (slide < ample ? (int32_t)slide : ample);
}

static int32_t stick_toward(const FighterBot *bot, const FighterLook *look, int32_t way, bool is_rushing)
{
    int32_t room = fighter_bot_room(bot->stage, look, way);
    int32_t stop = way_to_stop(bot, look, way);
    if (room < FIGHTER_RAW(EDGE_UNITS) + stop) {
        return 0;
    }
    bool is_careful = room < FIGHTER_RAW(CAREFUL_UNITS) + stop;
    return way * (is_rushing && !is_careful ? FULL_STICK : bot->stick);
}

bool fighter_bot_is_safe(const FighterBot *bot, const FighterLook *look)
{
    int32_t ground_y = 0;
    int32_t margin = FIGHTER_RAW(2 * EDGE_UNITS);
    int32_t far = look->x + look->speed_x * MOMENT_TICKS;
    return fighter_bot_ground(bot->stage, look->x - margin, look->y, &ground_y) &&
           fighter_bot_ground(bot->stage, look->x + margin, look->y, &ground_y) &&
           fighter_bot_ground(bot->stage, far, look->y, &ground_y);
}

// Up and down the stage with nobody there.
static int32_t stroll(FighterBot *bot, const FighterLook *look)
{
    int32_t stick = stick_toward(bot, look, bot->heading, false);
    if (stick == 0) {
        bot->heading = -bot->heading;
        stick = stick_toward(bot, look, bot->heading, false);
    }
    return stick;
}

static int32_t pursue(FighterBot *bot, const FighterLook *look)
{
    int32_t way = look->goal_x < look->x ? -1 : 1;
    if (bot->mood == FIGHTER_BOT_RETREAT && distance(look->goal_x, look->x) < FIGHTER_RAW(120)) {
        return stick_toward(bot, look, -way, true);
    }
    // Right under or over it: aside, so that two do not stand in one place.
    if (distance(look->goal_x, look->x) < FIGHTER_RAW(NEAR_UNITS)) {
        return look->surface != 0 ? stick_toward(bot, look, bot->heading, false) : 0;
    }
    return stick_toward(bot, look, way, bot->mood == FIGHTER_BOT_RUSH);
}

// It comes down before it will have seen it: a stick that is still pushed then is a dash.
static bool is_landing(const FighterBot *bot, const FighterLook *look)
{
    int32_t ground_y = 0;
    bool has_ground = fighter_bot_ground(bot->stage, look->x, look->y, &ground_y);
    int32_t late_ticks = bot->delay_ticks < 16 ? (int32_t)bot->delay_ticks : 16;
    return has_ground && look->speed_y < 0 && look->y - ground_y < -look->speed_y * (late_ticks + 1);
}

void fighter_bot_roam(FighterBot *bot, const FighterLook *look, FighterInput *pad)
{
    int32_t ground_y = 0;
    if (look->surface == 0 && is_landing(bot, look)) {
        return;
    }
    pad->stick_x = (int8_t)(look->has_goal ? pursue(bot, look) : stroll(bot, look));
    // Nobody lands where nothing is: what flies past the end of the floor turns back.
    if (look->surface == 0 && !fighter_bot_is_safe(bot, look)) {
        int32_t left = look->x - FIGHTER_RAW(2 * EDGE_UNITS);
        bool is_left_bad = !fighter_bot_ground(bot->stage, left, look->y, &ground_y) || look->speed_x < 0;
        int32_t inward = is_left_bad ? 1 : -1;
        bool is_coming = look->speed_x * inward > FIGHTER_RAW(1); // more would carry it past the floor's other end
        pad->stick_x = (int8_t)(is_coming ? 0 : inward * FULL_STICK);
    }
}

// The floor whose nearer end is nearest, and that end: platforms come later.
static const FighterSurface *nearest_floor(const FighterStage *stage, int32_t x, int32_t *end_x, int32_t *side)
{
    const FighterSurface *nearest = NULL;
    int32_t best = INT32_MAX;
    for (int32_t i = 0; i < stage->surface_count; i++) {
        const FighterSurface *surface = &stage->surfaces[i];
        int32_t end = distance(surface->x0, x) < distance(surface->x1, x) ? surface->x0 : surface->x1;
        if (surface->kind == FIGHTER_SURFACE_FLOOR && distance(end, x) < best) {
            best = distance(end, x);
            nearest = surface;
            *end_x = end;
            *side = end == surface->x0 ? -1 : 1;
        }
    }
    return nearest;
}

// The air jump first, the recovery when it falls and is below the floor: early enough to reach it, late enough to need it.
static void climb(FighterBot *bot, const FighterLook *look, int32_t floor_y, FighterInput *pad)
{
    bool is_falling = look->speed_y < 0;
    bool may_act = look->action == FIGHTER_ACTION_AIR || look->action == FIGHTER_ACTION_TUMBLE;
    if (!is_falling || !may_act || look->y > floor_y + FIGHTER_RAW(6)) {
        return;
    }
    if (look->jumps_left > 0) {
        pad->buttons = FIGHTER_BUTTON_JUMP;
        fighter_bot_add_move(bot, *pad, 6);
        fighter_bot_add_move(bot, (FighterInput){ .stick_x = pad->stick_x }, bot->delay_ticks + 4);
    } else if (look->y < floor_y - FIGHTER_RAW(20)) {
        FighterInput rise = { .buttons = FIGHTER_BUTTON_SPECIAL, .stick_x = pad->stick_x, .stick_y = 80 };
        fighter_bot_add_move(bot, rise, 4);
        fighter_bot_add_move(bot, (FighterInput){ .stick_x = pad->stick_x }, bot->delay_ticks + 4);
    }
}

void fighter_bot_return(FighterBot *bot, const FighterLook *look, FighterInput *pad)
{
    int32_t end_x = 0;
    int32_t side = 0;
    const FighterSurface *floor = nearest_floor(bot->stage, look->x + look->speed_x * (MOMENT_TICKS / 2), &end_x, &side);
    if (floor == NULL) {
        return;
    }
    // Below the floor it rises beside the block, not under it.
    int32_t clear = bot->kind->half_width + FIGHTER_RAW(4);
    int32_t aim = look->y < floor->y0 ? end_x + side * clear : end_x - side * FIGHTER_RAW(24);
    bool is_there = distance(aim, look->x) < FIGHTER_RAW(3);
    pad->stick_x = (int8_t)(is_there ? -side * 60 : aim < look->x ? -FULL_STICK : FULL_STICK);
    climb(bot, look, floor->y0, pad);
}

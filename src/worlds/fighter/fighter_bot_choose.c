// fighter_bot_choose.c: what to do about the goal, by where it is. Every choice becomes a few moves of the fingers; what they do in
// the end is up to the rules, and by then everybody has moved.
#include "fighter_bot.h"

enum {
    JUMP_UNITS = 70, // what a jump covers, or a little less
    TILT = 62,  // a stick that is tilted and never pushed
    FULL = FIGHTER_STICK_MAX,
};

// Where the goal is, in whole units. `side` -1 or 1: the way to it; `is_ahead`: the bot looks there.
typedef struct Aim {
    int32_t across;
    int32_t up;
    int32_t side;
    bool    is_ahead;
} Aim;

static Aim aim_of(const FighterLook *look)
{
    int32_t side = look->goal_x < look->x ? -1 : 1;
    int32_t looks = look->facing == FIGHTER_FACING_LEFT ? -1 : 1;
    return (Aim){
        .across   = side * (look->goal_x / 65536 - look->x / 65536),
        .up       = look->goal_y / 65536 - look->y / 65536,
        .side     = side,
        .is_ahead = side == looks,
    };
}

static FighterInput pad(uint32_t buttons, int32_t x, int32_t y)
{
    return (FighterInput){ .buttons = (uint16_t)buttons, .stick_x = (int8_t)x, .stick_y = (int8_t)y };
}

static FighterInput c_stick(int32_t x, int32_t y)
{
    return (FighterInput){ .c_x = (int8_t)x, .c_y = (int8_t)y };
}

static uint32_t draw(FighterBot *bot, uint32_t bound)
{
    return tp_pcg32_below(&bot->generator, bound);
}

// Hands off for a moment ends a run, so that what follows is no dash attack.
static void stand_still(FighterBot *bot, const FighterLook *look)
{
    bool is_running = look->action == FIGHTER_ACTION_DASH || look->action == FIGHTER_ACTION_RUN;
    fighter_bot_add_move(bot, pad(0, 0, 0), is_running ? 6 : 1);
}

static void turn_to(FighterBot *bot, const FighterLook *look, const Aim *aim)
{
    stand_still(bot, look);
    if (!aim->is_ahead) {
        fighter_bot_add_move(bot, pad(0, aim->side * TILT, 0), 2);
    }
}

// Level with it and within reach.
static void strike_level(FighterBot *bot, const FighterLook *look, const Aim *aim)
{
    uint32_t choice = draw(bot, 100);
    turn_to(bot, look, aim);
    if (choice < 16) {
        fighter_bot_add_move(bot, pad(0, 0, 0), 2);
        fighter_bot_add_move(bot, pad(FIGHTER_BUTTON_ATTACK, 0, 0), 2);
    } else if (choice < 34) {
        fighter_bot_add_move(bot, pad(0, aim->side * TILT, 0), 3);
        fighter_bot_add_move(bot, pad(FIGHTER_BUTTON_ATTACK, aim->side * TILT, 0), 2);
    } else if (choice < 46) {
        fighter_bot_add_move(bot, pad(0, 0, -TILT), 3);
        fighter_bot_add_move(bot, pad(FIGHTER_BUTTON_ATTACK, 0, -TILT), 2);
    } else if (choice < 60) {
        fighter_bot_add_move(bot, pad(FIGHTER_BUTTON_ATTACK, aim->side * FULL, 0), 3);
    } else if (choice < 68) {
        fighter_bot_add_move(bot, c_stick(aim->side * FULL, 0), 2);
    } else if (choice < 77) {
        fighter_bot_add_move(bot, c_stick(0, -FULL), 2);
    } else if (choice < 94) {
        fighter_bot_add_move(bot, pad(FIGHTER_BUTTON_GRAB, 0, 0), 2);
    } else {
        fighter_bot_add_move(bot, pad(FIGHTER_BUTTON_ATTACK, 0, TILT), 2);
    }
}

// Forward where there is floor to come down on, also past a gap; else straight up.
static void jump_at(FighterBot *bot, const FighterLook *look, int32_t side, uint32_t hold_ticks)
{
    uint32_t squat = (uint32_t)bot->kind->jump_squat_ticks;
    int32_t room = fighter_bot_room(bot->stage, look, side);
    int32_t ground_y = 0;
    int32_t far = look->x + side * (room + FIGHTER_RAW(JUMP_UNITS));
    bool may_fly = room > FIGHTER_RAW(JUMP_UNITS) || fighter_bot_ground(bot->stage, far, look->y, &ground_y);
    int32_t stick = may_fly ? side * FULL : 0;
    fighter_bot_add_move(bot, pad(FIGHTER_BUTTON_JUMP, stick, 0), squat + hold_ticks);
    fighter_bot_add_move(bot, pad(0, stick, 0), 3);
}

static void strike_above(FighterBot *bot, const FighterLook *look, const Aim *aim)
{
    uint32_t choice = draw(bot, 100);
    stand_still(bot, look);
    if (choice < 30) {
        fighter_bot_add_move(bot, pad(0, 0, TILT), 3);
        fighter_bot_add_move(bot, pad(FIGHTER_BUTTON_ATTACK, 0, TILT), 2);
    } else if (choice < 58) {
        fighter_bot_add_move(bot, c_stick(0, FULL), 2);
    } else if (choice < 66 && look->x > bot->stage->spawn_left && look->x < bot->stage->spawn_right) {
        fighter_bot_add_move(bot, pad(FIGHTER_BUTTON_SPECIAL, 0, 80), 3);
    } else {
        jump_at(bot, look, aim->side, 4);
    }
}

static void drop_down(FighterBot *bot)
{
    fighter_bot_add_move(bot, pad(0, 0, 0), 1);
    fighter_bot_add_move(bot, pad(0, 0, -FULL), 3);
    fighter_bot_add_move(bot, pad(0, 0, 0), 3);
}

// The goal stands past the end of what the bot stands on.
static bool is_past_a_gap(const FighterBot *bot, const FighterLook *look, const Aim *aim)
{
    int32_t room = fighter_bot_room(bot->stage, look, aim->side);
    return room < FIGHTER_RAW(34) && aim->across > room / 65536;
}

// Not within reach: a bolt, a jump at it, or nothing, which is walking on.
static void close_in(FighterBot *bot, const FighterLook *look, const Aim *aim)
{
    uint32_t choice = draw(bot, 100);
    bool is_on_platform = look->surface != 0 && look->surface <= bot->stage->surface_count &&
                          bot->stage->surfaces[look->surface - 1].kind == FIGHTER_SURFACE_PLATFORM;
    if (aim->up < -20 && is_on_platform) {
        drop_down(bot);
    } else if (choice < 40 && is_past_a_gap(bot, look, aim)) {
        jump_at(bot, look, aim->side, 8);
    } else if (aim->up > 30 && aim->across < 110 && choice < 30) {
        jump_at(bot, look, aim->side, 8);
    } else if (aim->across > 70 && choice < 50 && choice >= 40) {
        turn_to(bot, look, aim);
        fighter_bot_add_move(bot, pad(FIGHTER_BUTTON_SPECIAL, 0, 0), 3);
    } else if (aim->across > 30 && choice >= 50 && choice < 60) {
        jump_at(bot, look, aim->side, choice % 2 == 0 ? 6 : 0);
    } else if (choice >= 97) {
        fighter_bot_add_move(bot, pad(0, 0, -TILT), 20);
    } else {
        bot->wait_ticks = 3 + draw(bot, 8);
    }
}

static void strike_air(FighterBot *bot, const Aim *aim)
{
    uint32_t choice = draw(bot, 100);
    if (aim->up < -16 && aim->across < 22 && choice < 60) {
        fighter_bot_add_move(bot, c_stick(0, -FULL), 2);
    } else if (aim->up > 18) {
        fighter_bot_add_move(bot, c_stick(0, FULL), 2);
    } else if (choice < 30) {
        fighter_bot_add_move(bot, pad(FIGHTER_BUTTON_ATTACK, 0, 0), 2);
    } else {
        fighter_bot_add_move(bot, c_stick(aim->side * FULL, 0), 2);
    }
    fighter_bot_add_move(bot, pad(0, aim->side * TILT, 0), 6);
}

static void choose_in_air(FighterBot *bot, const FighterLook *look, const Aim *aim)
{
    uint32_t choice = draw(bot, 100);
    bool is_falling = look->speed_y < 0;
    bool is_safe = fighter_bot_is_safe(bot, look);
    if (is_safe && aim->across < 30 && aim->up > -40 && aim->up < 46) {
        strike_air(bot, aim);
    } else if (is_falling && aim->up > 24 && look->jumps_left > 0 && choice < 60) {
        jump_at(bot, look, aim->side, 4);
    } else if (is_safe && is_falling && aim->up < -30 && choice < 40) {
        fighter_bot_add_move(bot, pad(0, 0, -FULL), 3);
    } else if (is_safe && aim->across > 80 && choice < 8) {
        fighter_bot_add_move(bot, pad(FIGHTER_BUTTON_SPECIAL, 0, 0), 3);
    } else {
        bot->wait_ticks = 3 + draw(bot, 6);
    }
}

// Holds the shield, then lets go of it or leaves it in one of the ways there are. One in fourteen holds on until it breaks.
static void shield(FighterBot *bot, const Aim *aim)
{
    uint32_t choice = draw(bot, 100);
    uint32_t hold_ticks = 10 + draw(bot, 24);
    bool is_stubborn = draw(bot, 14) == 0;
    fighter_bot_add_move(bot, pad(FIGHTER_BUTTON_SHIELD, 0, 0), is_stubborn ? 260 : hold_ticks);
    if (choice < 30) {
        fighter_bot_add_move(bot, pad(FIGHTER_BUTTON_SHIELD | FIGHTER_BUTTON_ATTACK, 0, 0), 2);
    } else if (choice < 44) {
        fighter_bot_add_move(bot, pad(FIGHTER_BUTTON_SHIELD, aim->side * FULL, 0), 3);
    } else if (choice < 56) {
        fighter_bot_add_move(bot, pad(FIGHTER_BUTTON_SHIELD, -aim->side * FULL, 0), 3);
    } else if (choice < 68) {
        fighter_bot_add_move(bot, pad(FIGHTER_BUTTON_SHIELD, 0, -FULL), 3);
    } else if (choice < 76) {
        fighter_bot_add_move(bot, pad(FIGHTER_BUTTON_SHIELD | FIGHTER_BUTTON_JUMP, 0, 0), 4);
    }
}

static bool is_attack(uint8_t action)
{
    return action >= FIGHTER_ACTION_JAB && action <= FIGHTER_ACTION_GRAB;
}

static void answer(FighterBot *bot, const FighterLook *look, const Aim *aim)
{
    uint32_t choice = draw(bot, 100);
    if (look->surface == 0) {
        if (choice < 18 && fighter_bot_is_safe(bot, look)) {
            fighter_bot_add_move(bot, pad(FIGHTER_BUTTON_SHIELD, -aim->side * FULL, TILT), 3);
        }
    } else if (choice < 40) {
        shield(bot, aim);
    } else if (choice < 50) {
        fighter_bot_add_move(bot, pad(FIGHTER_BUTTON_SHIELD, 0, 0), 2);
        fighter_bot_add_move(bot, pad(FIGHTER_BUTTON_SHIELD, 0, -FULL), 3);
    } else if (choice < 58) {
        jump_at(bot, look, -aim->side, 4);
    }
}

void fighter_bot_practise(FighterBot *bot, const FighterLook *look)
{
    uint32_t choice = draw(bot, 100);
    bot->wait_ticks = 20 + draw(bot, 40);
    if (choice < 40) {
        jump_at(bot, look, bot->heading, choice % 2 == 0 ? 6 : 0);
    } else if (choice < 52) {
        fighter_bot_add_move(bot, pad(FIGHTER_BUTTON_SPECIAL, 0, 0), 3);
    } else if (choice < 64) {
        fighter_bot_add_move(bot, pad(FIGHTER_BUTTON_ATTACK, 0, 0), 3);
    }
}

void fighter_bot_defend(FighterBot *bot, const FighterLook *look)
{
    Aim aim = aim_of(look);
    bool is_new = is_attack(look->goal_action) && look->goal_action != bot->last_goal_action;
    bool is_shot = look->goal_action == FIGHTER_ACTION_SHOOT;
    bool is_near = aim.across < 70 && aim.up < 60 && aim.up > -60;
    if (is_new && (is_near || (is_shot && aim.across < 260))) {
        answer(bot, look, &aim);
    }
}

// As far as this kind reaches forward.
static int32_t reach_of(const FighterKind *kind)
{
    const FighterStrike *strike = &fighter_strikes[kind->actions[FIGHTER_ACTION_TILT_FORWARD].first_strike];
    return (strike->capsule.x1 + strike->capsule.radius) / 65536;
}

static void choose_on_ground(FighterBot *bot, const FighterLook *look, const Aim *aim)
{
    int32_t reach = reach_of(bot->kind);
    bool is_running = look->action == FIGHTER_ACTION_DASH || look->action == FIGHTER_ACTION_RUN;
    if (is_running && aim->is_ahead && aim->across < reach + 24 && aim->up < 24 && aim->up > -16 && draw(bot, 100) < 45) {
        fighter_bot_add_move(bot, pad(FIGHTER_BUTTON_ATTACK, aim->side * FULL, 0), 2);
    } else if (aim->across < reach && aim->up < 20 && aim->up > -16) {
        strike_level(bot, look, aim);
    } else if (aim->across < 30 && aim->up >= 20 && aim->up < 70) {
        strike_above(bot, look, aim);
    } else {
        close_in(bot, look, aim);
    }
}

void fighter_bot_choose(FighterBot *bot, const FighterLook *look)
{
    Aim aim = aim_of(look);
    if (look->surface != 0) {
        choose_on_ground(bot, look, &aim);
    } else {
        choose_in_air(bot, look, &aim);
    }
}

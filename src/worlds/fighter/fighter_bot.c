// fighter_bot.c: looking, and playing with a delay: what the fingers do in each of the things a fighter can be doing.
#include "fighter_bot.h"

// What a bot can do about what it is doing.
typedef enum Situation {
    BUSY = 0, // until the action has run its length; in the air it steers
    GONE,     // not on the stage
    COMING,   // back to it
    FREE,
    HURT,
    LYING,
    HANGING,
    HELD,
    HOLDING,
} Situation;

static const uint8_t situations[FIGHTER_ACTION_COUNT] = {
    [FIGHTER_ACTION_ABSENT]     = GONE,
    [FIGHTER_ACTION_OUT]        = GONE,
    [FIGHTER_ACTION_KO]         = GONE,
    [FIGHTER_ACTION_RESPAWN]    = COMING,
    [FIGHTER_ACTION_IDLE]       = FREE,
    [FIGHTER_ACTION_WALK]       = FREE,
    [FIGHTER_ACTION_DASH]       = FREE,
    [FIGHTER_ACTION_RUN]        = FREE,
    [FIGHTER_ACTION_TURN]       = FREE,
    [FIGHTER_ACTION_CROUCH]     = FREE,
    [FIGHTER_ACTION_AIR]        = FREE,
    [FIGHTER_ACTION_HITSTUN]    = HURT,
    [FIGHTER_ACTION_TUMBLE]     = HURT,
    [FIGHTER_ACTION_DOWN]       = LYING,
    [FIGHTER_ACTION_LEDGE_HANG] = HANGING,
    [FIGHTER_ACTION_GRABBED]    = HELD,
    [FIGHTER_ACTION_GRAB_HOLD]  = HOLDING,
};

static bool is_on_stage(const Fighter *fighter)
{
    return situations[fighter->action] != GONE;
}

static int64_t distance_between(const Fighter *a, const Fighter *b)
{
    int64_t across = (int64_t)a->x.raw - b->x.raw;
    int64_t up = (int64_t)a->y.raw - b->y.raw;
    return (across < 0 ? -across : across) + (up < 0 ? -up : up);
}

uint32_t fighter_bot_nearest(const tp_view *view, uint32_t slot)
{
    const Fighter *fighters = tp_view_section(view, FIGHTER_SECTION_FIGHTERS);
    uint32_t nearest = 0;
    int64_t least = INT64_MAX;
    for (uint32_t i = 0; i < view->section_count[FIGHTER_SECTION_FIGHTERS]; i++) {
        if (i == slot || !is_on_stage(&fighters[i])) {
            continue;
        }
        int64_t way = distance_between(&fighters[i], &fighters[slot]);
        if (way < least) {
            least = way;
            nearest = i + 1;
        }
    }
    return nearest;
}

FighterLook fighter_bot_look(const tp_view *view, uint32_t slot, uint32_t goal)
{
    const Fighter *fighters = tp_view_section(view, FIGHTER_SECTION_FIGHTERS);
    const Fighter *self = &fighters[slot];
    FighterLook look = {
        .x          = self->x.raw,
        .y          = self->y.raw,
        .speed_x    = self->velocity_x.raw + (self->is_launched ? 0 : self->launch_x.raw),
        .speed_y    = self->velocity_y.raw + (self->is_launched ? 0 : self->launch_y.raw),
        .action     = self->action,
        .facing     = self->facing,
        .surface    = self->surface,
        .jumps_left = self->jumps_left,
        .is_stunned = situations[self->action] == HURT && self->lag_ticks > 0,
        .has_goal   = goal != 0,
    };
    if (goal != 0) {
        look.goal_x = fighters[goal - 1].x.raw;
        look.goal_y = fighters[goal - 1].y.raw;
        look.goal_action = fighters[goal - 1].action;
    }
    return look;
}

// Everybody is looked at now and then, and when the one it goes for is gone. Slots take turns, or a crowd would look round in
// the same tick.
static FighterLook see(FighterBot *bot, const tp_view *view)
{
    const Fighter *fighters = tp_view_section(view, FIGHTER_SECTION_FIGHTERS);
    bool has_goal = bot->goal != 0 && is_on_stage(&fighters[bot->goal - 1]);
    bool is_turn = (bot->looks + bot->slot) % FIGHTER_BOT_LOOK_TICKS == 0;
    if (!is_on_stage(&fighters[bot->slot])) {
        bot->goal = 0;
    } else if (!has_goal || is_turn) {
        bot->goal = fighter_bot_nearest(view, bot->slot);
    }
    return fighter_bot_look(view, bot->slot, bot->goal);
}

void fighter_bot_drop_moves(FighterBot *bot)
{
    bot->move_count = 0;
    bot->move_next = 0;
}

void fighter_bot_add_move(FighterBot *bot, FighterInput pad, uint32_t ticks)
{
    if (bot->move_count < FIGHTER_BOT_MOVES && ticks > 0) {
        bot->moves[bot->move_count] = (FighterBotMove){ pad, ticks };
        bot->move_count++;
    }
}

// False when there is no move left.
static bool run_moves(FighterBot *bot, FighterInput *pad)
{
    if (bot->move_next == bot->move_count) {
        fighter_bot_drop_moves(bot);
        return false;
    }
    FighterBotMove *move = &bot->moves[bot->move_next];
    *pad = move->pad;
    move->ticks--;
    bot->move_next += move->ticks == 0;
    return true;
}

static uint32_t draw(FighterBot *bot, uint32_t bound)
{
    return tp_pcg32_below(&bot->generator, bound);
}

// A new stick and mood for the next quarter of a second up to a whole one. All numbers are drawn each time.
static void change_mind(FighterBot *bot)
{
    static const uint8_t moods[8] = {
        FIGHTER_BOT_APPROACH, FIGHTER_BOT_APPROACH, FIGHTER_BOT_APPROACH, FIGHTER_BOT_RUSH, FIGHTER_BOT_RUSH, FIGHTER_BOT_RUSH,
        FIGHTER_BOT_RUSH, FIGHTER_BOT_RETREAT,
    };
    uint32_t push = draw(bot, 26);
    uint32_t ticks = draw(bot, 46);
    uint32_t mood = draw(bot, 8);
    uint32_t turns = draw(bot, 4);
    bot->stick = 56 + (int32_t)push; // past FIGHTER_TILT, short of FIGHTER_PUSH
    bot->pace_ticks = 15 + ticks;
    bot->mood = moods[mood];
    bot->heading = turns == 0 ? -bot->heading : bot->heading;
}

// Influence: to the middle and up.
static void suffer(const FighterBot *bot, const FighterLook *look, FighterInput *pad)
{
    pad->stick_x = look->x > bot->stage->respawn_x ? -FIGHTER_STICK_MAX : FIGHTER_STICK_MAX;
    pad->stick_y = 70;
}

// Before a tumble meets the floor it may think of the tech, once on the way down. False: nothing to brace for.
static bool brace(FighterBot *bot, const FighterLook *look)
{
    int32_t ground_y = 0;
    bool has_ground = fighter_bot_ground(bot->stage, look->x, look->y, &ground_y);
    bool is_near = has_ground && look->speed_y < 0 && look->y - ground_y < FIGHTER_RAW(36);
    if (!is_near || look->action != FIGHTER_ACTION_TUMBLE) {
        return false;
    }
    uint32_t button = draw(bot, 3) == 0 ? 0 : FIGHTER_BUTTON_SHIELD;
    fighter_bot_add_move(bot, (FighterInput){ .buttons = (uint16_t)button }, 2);
    fighter_bot_add_move(bot, (FighterInput){ 0 }, 22);
    return true;
}

static void leave_ledge(FighterBot *bot, const FighterLook *look)
{
    int32_t inward = look->facing == FIGHTER_FACING_LEFT ? -FIGHTER_STICK_MAX : FIGHTER_STICK_MAX;
    uint32_t choice = draw(bot, 100);
    if (choice < 50) {
        fighter_bot_add_move(bot, (FighterInput){ .stick_x = (int8_t)inward }, 4);
    } else if (choice < 65) {
        fighter_bot_add_move(bot, (FighterInput){ .stick_y = 70 }, 4);
    } else if (choice < 90) {
        fighter_bot_add_move(bot, (FighterInput){ .buttons = FIGHTER_BUTTON_JUMP, .stick_x = (int8_t)(inward / 2) }, 8);
    } else {
        fighter_bot_add_move(bot, (FighterInput){ .stick_y = -FIGHTER_STICK_MAX }, 2);
    }
    bot->wait_ticks = bot->delay_ticks + 4;
}

// To the nearer side, mostly; up, down and the far side for a change.
static void throw_away(FighterBot *bot, const FighterLook *look)
{
    int32_t outward = look->x < bot->stage->respawn_x ? -FIGHTER_STICK_MAX : FIGHTER_STICK_MAX;
    uint32_t choice = draw(bot, 100);
    FighterInput pad = { 0 };
    if (choice < 45) {
        pad.stick_x = (int8_t)outward;
    } else if (choice < 60) {
        pad.c_x = (int8_t)-outward;
    } else if (choice < 82) {
        pad.stick_y = FIGHTER_STICK_MAX;
    } else {
        pad.stick_y = -FIGHTER_STICK_MAX;
    }
    fighter_bot_add_move(bot, pad, 4);
    bot->wait_ticks = bot->delay_ticks + 4;
}

static void fight(FighterBot *bot, const FighterLook *look, FighterInput *pad)
{
    int32_t ground_y = 0;
    bool has_ground = look->surface != 0 || fighter_bot_ground(bot->stage, look->x, look->y, &ground_y);
    if (!has_ground) {
        fighter_bot_return(bot, look, pad);
        return;
    }
    if (look->has_goal) {
        fighter_bot_defend(bot, look);
    }
    bool may_choose = bot->wait_ticks == 0 && bot->move_count == 0;
    if (may_choose && !look->has_goal && look->surface != 0) {
        fighter_bot_practise(bot, look);
    } else if (may_choose && look->has_goal) {
        fighter_bot_choose(bot, look);
        bot->wait_ticks += bot->move_count > 0 ? bot->delay_ticks + 2 + draw(bot, 8) : 0;
    }
    if (!run_moves(bot, pad)) {
        fighter_bot_roam(bot, look, pad);
    }
}

// Something may be pressed the whole time, and nothing but the stick to where it came from does harm.
static void steer(FighterBot *bot, const FighterLook *look, FighterInput *pad)
{
    int32_t ground_y = 0;
    if (look->surface != 0 || look->action == FIGHTER_ACTION_LEDGE_CLIMB) {
        return;
    }
    if (fighter_bot_ground(bot->stage, look->x, look->y, &ground_y)) {
        fighter_bot_roam(bot, look, pad);
    } else {
        fighter_bot_return(bot, look, pad);
    }
}

static void act(FighterBot *bot, const FighterLook *look, FighterInput *pad)
{
    bool may_act = bot->wait_ticks == 0;
    switch ((Situation)situations[look->action]) {
    case GONE:
        return;
    case BUSY:
        steer(bot, look, pad);
        return;
    case COMING:
        pad->stick_x = (int8_t)(may_act ? bot->heading * FIGHTER_STICK_MAX : 0);
        return;
    case FREE:
        fight(bot, look, pad);
        return;
    case HURT:
        if (brace(bot, look)) {
            return;
        }
        if (look->is_stunned) {
            suffer(bot, look, pad);
        } else {
            fight(bot, look, pad);
        }
        return;
    case LYING:
        pad->stick_x = (int8_t)(may_act ? bot->heading * FIGHTER_STICK_MAX : 0);
        return;
    case HANGING:
        if (may_act) {
            leave_ledge(bot, look);
        }
        return;
    case HELD:
        pad->buttons = bot->is_odd ? FIGHTER_BUTTON_ATTACK : FIGHTER_BUTTON_JUMP;
        return;
    case HOLDING:
        if (may_act) {
            throw_away(bot, look);
        }
        return;
    }
}

// What it was about to do is over when something has happened to it; then it takes a moment.
static void notice(FighterBot *bot, const FighterLook *look)
{
    static const uint8_t moments[] = { [COMING] = 70, [LYING] = 45, [HANGING] = 50, [HOLDING] = 20 };
    Situation situation = (Situation)situations[look->action];
    bool is_new = situation != (Situation)situations[bot->last_action];
    if (!is_new || situation == FREE || situation == BUSY) {
        return;
    }
    fighter_bot_drop_moves(bot);
    bool has_moment = situation < sizeof(moments) && moments[situation] != 0;
    bot->wait_ticks = has_moment ? 2 + draw(bot, moments[situation]) : 0;
}

static void init(void *memory, const tp_setup *setup, uint32_t slot, uint64_t seed, uint32_t delay_ticks)
{
    FighterBot *bot = memory;
    *bot = (FighterBot){
        .stage       = fighter_data_stage(setup),
        .kind        = fighter_data_kind(setup, slot),
        .generator   = tp_pcg32_make(seed, slot),
        .slot        = slot,
        .delay_ticks = delay_ticks < FIGHTER_BOT_DELAY_MAX ? delay_ticks : FIGHTER_BOT_DELAY_MAX,
    };
    uint32_t goes_right = draw(bot, 2);
    bot->heading = goes_right != 0 ? 1 : -1;
}

static void play(void *memory, const tp_view *view, void *input_out)
{
    FighterBot *bot = memory;
    FighterInput *pad = input_out;
    uint64_t ring = (uint64_t)bot->delay_ticks + 1;
    *pad = (FighterInput){ 0 };
    bot->seen[bot->looks % ring] = see(bot, view);
    bot->looks++;
    if (bot->looks < ring) {
        return;
    }
    const FighterLook *look = &bot->seen[bot->looks % ring];
    if (bot->pace_ticks == 0) {
        change_mind(bot);
    }
    bot->pace_ticks--;
    bot->is_odd = !bot->is_odd;
    notice(bot, look);
    if (!run_moves(bot, pad)) {
        act(bot, look, pad);
        bot->wait_ticks -= bot->wait_ticks > 0;
    }
    bot->last_action = look->action;
    bot->last_goal_action = look->goal_action;
}

const tp_bot_type fighter_bot = { .size = sizeof(FighterBot), .init = init, .play = play };

// fighter_bot.c: looking, choosing a way, and playing with a delay.
#include "fighter_bot.h"

static int32_t distance(int32_t a, int32_t b)
{
    return a > b ? a - b : b - a;
}

FighterLook fighter_bot_look(const tp_view *view, uint32_t slot)
{
    const Fighter *fighters = tp_view_section(view, FIGHTER_SECTION_FIGHTERS);
    FighterLook look = { .x = fighters[slot].x.raw };
    for (uint32_t i = 0; i < view->section_count[FIGHTER_SECTION_FIGHTERS]; i++) {
        if (i == slot || fighters[i].seat == FIGHTER_SEAT_EMPTY) {
            continue;
        }
        bool is_nearer = distance(fighters[i].x.raw, look.x) < distance(look.goal_x, look.x);
        if (!look.has_goal || is_nearer) {
            look.goal_x = fighters[i].x.raw;
            look.has_goal = true;
        }
    }
    return look;
}

int32_t fighter_bot_head(const FighterLook *look, int32_t heading)
{
    if (look->x < FIGHTER_RAW(FIGHTER_STAGE_LEFT + FIGHTER_BOT_MARGIN)) {
        return 1;
    }
    if (look->x > FIGHTER_RAW(FIGHTER_STAGE_RIGHT - FIGHTER_BOT_MARGIN)) {
        return -1;
    }
    if (!look->has_goal || distance(look->goal_x, look->x) < FIGHTER_RAW(FIGHTER_BOT_NEAR)) {
        return heading;
    }
    return look->goal_x < look->x ? -1 : 1;
}

static void init(void *memory, const tp_setup *setup, uint32_t slot, uint64_t seed, uint32_t delay_ticks)
{
    (void)setup;
    FighterBot *bot = memory;
    *bot = (FighterBot){
        .generator   = tp_pcg32_make(seed, slot),
        .slot        = slot,
        .delay_ticks = delay_ticks < FIGHTER_BOT_DELAY_MAX ? delay_ticks : FIGHTER_BOT_DELAY_MAX,
    };
    uint32_t goes_right = tp_pcg32_below(&bot->generator, 2);
    bot->heading = goes_right != 0 ? 1 : -1;
    bot->jump_wait_ticks = tp_pcg32_below(&bot->generator, 60);
}

// A new stick for the next quarter of a second up to a whole one. All three numbers are drawn each time.
static void change_mind(FighterBot *bot, bool has_goal)
{
    uint32_t push = tp_pcg32_below(&bot->generator, 48);
    uint32_t ticks = tp_pcg32_below(&bot->generator, 46);
    uint32_t turns = tp_pcg32_below(&bot->generator, 3);
    bot->stick = 80 + (int32_t)push;
    bot->pace_ticks = 15 + ticks;
    if (!has_goal && turns == 0) {
        bot->heading = -bot->heading;
    }
}

// Jump is held for a moment, as a person does, and is up for much longer than that.
static bool wants_to_jump(FighterBot *bot)
{
    if (bot->jump_hold_ticks > 0) {
        bot->jump_hold_ticks--;
        return true;
    }
    if (bot->jump_wait_ticks > 0) {
        bot->jump_wait_ticks--;
        return false;
    }
    uint32_t hold = tp_pcg32_below(&bot->generator, 8);
    uint32_t wait = tp_pcg32_below(&bot->generator, 70);
    bot->jump_hold_ticks = hold;
    bot->jump_wait_ticks = 20 + wait;
    return true;
}

static void play(void *memory, const tp_view *view, void *input_out)
{
    FighterBot *bot = memory;
    FighterInput *pad = input_out;
    uint64_t ring = (uint64_t)bot->delay_ticks + 1;
    *pad = (FighterInput){ 0 };
    bot->seen[bot->looks % ring] = fighter_bot_look(view, bot->slot);
    bot->looks++;
    if (bot->looks < ring) {
        return;
    }
    const FighterLook *look = &bot->seen[bot->looks % ring];
    if (bot->pace_ticks == 0) {
        change_mind(bot, look->has_goal);
    }
    bot->pace_ticks--;
    bot->heading = fighter_bot_head(look, bot->heading);
    pad->stick_x = (int8_t)(bot->heading * bot->stick);
    pad->buttons = wants_to_jump(bot) ? FIGHTER_BUTTON_JUMP : 0;
}

const tp_bot_type fighter_bot = { .size = sizeof(FighterBot), .init = init, .play = play };

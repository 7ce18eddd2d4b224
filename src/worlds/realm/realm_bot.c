// realm_bot.c: what the bot does about what it sees.
#include "realm_bot.h"

enum {
    CLOSE_RAW       = REALM_RAW(3) / 2,  // nearer it does not go to a foe
    BEFORE_UNITS    = 3,                 // how far before a doorway it turns towards it
    INSIDE_UNITS    = 3,                 // how far behind it the visit is made
    ARRIVED_RAW     = REALM_RAW(3) / 4,
    VISIT_TICKS_MAX = 450,               // of one part
    STAY_TICKS      = 45,
    BORED_TICKS     = 200,
    TURN_TICKS      = 240,
    STUCK_JUMP      = 12,                // ticks without getting anywhere until it jumps
    STUCK_TURN      = 36,                // and until it goes another way
    DETOUR_TICKS    = 45,
    PEACE_TICKS     = 120,
};

static void init(void *memory, const tp_setup *setup, uint32_t slot, uint64_t seed, uint32_t delay_ticks)
{
    (void)setup;
    RealmBot *bot = memory;
    *bot = (RealmBot){
        .generator   = tp_pcg32_make(seed, slot),
        .slot        = slot,
        .delay_ticks = delay_ticks < REALM_BOT_DELAY_MAX ? delay_ticks : REALM_BOT_DELAY_MAX,
    };
    uint32_t heading = tp_pcg32_below(&bot->generator, 65536);
    bot->heading.raw = (uint16_t)heading;
}

static void count_down(uint32_t *ticks)
{
    *ticks -= *ticks > 0;
}

static void walk(RealmInput *input, tp_angle heading)
{
    tp_fx x = tp_cos(heading);
    tp_fx y = tp_sin(heading);
    input->move_x = (int8_t)((int64_t)x.raw * 127 / 65536);
    input->move_y = (int8_t)((int64_t)y.raw * 127 / 65536);
    input->look = heading;
}

static void walk_to(RealmInput *input, RealmWay way)
{
    walk(input, realm_way_angle(way));
}

static void fight(RealmBot *bot, const RealmLook *look, RealmInput *input)
{
    walk_to(input, look->foe);
    if (realm_way_is_within(look->foe, CLOSE_RAW)) {
        input->move_x = 0;
        input->move_y = 0;
        bot->stuck_ticks = 0;
    }
    if (realm_way_is_within(look->foe, REALM_ATTACK_REACH_RAW)) {
        input->buttons |= REALM_BUTTON_ATTACK;
    } else {
        input->buttons |= REALM_BUTTON_SHOOT;
    }
}

// From here to a point so many units behind the doorway's sill.
static RealmWay way_through(const RealmBot *bot, const RealmLook *look, int32_t units)
{
    RealmWay way = realm_way(look->place, bot->doorway);
    way.x += bot->inward.x * units;
    way.y += bot->inward.y * units;
    return way;
}

static void set_visit(RealmBot *bot, RealmBotVisit visit)
{
    bot->visit = visit;
    bot->visit_ticks = 0;
    bot->stuck_ticks = 0;
}

static void end_visit(RealmBot *bot)
{
    set_visit(bot, REALM_BOT_NO_VISIT);
    bot->bored_ticks = BORED_TICKS;
}

static void visit(RealmBot *bot, const RealmLook *look, RealmInput *input)
{
    static const int32_t units[] = {
        [REALM_BOT_APPROACH] = -BEFORE_UNITS, [REALM_BOT_GO_IN] = INSIDE_UNITS, [REALM_BOT_STAY] = INSIDE_UNITS,
        [REALM_BOT_GO_OUT] = -BEFORE_UNITS,
    };
    RealmWay way = way_through(bot, look, units[bot->visit]);
    bool     has_arrived = realm_way_is_within(way, ARRIVED_RAW);
    bot->visit_ticks++;
    if (bot->visit_ticks > VISIT_TICKS_MAX) {
        end_visit(bot);
    } else if (bot->visit == REALM_BOT_STAY) {
        input->look.raw = (uint16_t)(bot->visit_ticks * 1456); // looks round
        if (bot->visit_ticks > STAY_TICKS) {
            set_visit(bot, REALM_BOT_GO_OUT);
        }
    } else if (!has_arrived) {
        walk_to(input, way);
    } else if (bot->visit == REALM_BOT_GO_OUT) {
        end_visit(bot);
    } else {
        set_visit(bot, bot->visit == REALM_BOT_APPROACH ? REALM_BOT_GO_IN : REALM_BOT_STAY);
    }
    if (look->is_door_shut && bot->press_ticks == 0) {
        input->buttons |= REALM_BUTTON_USE;
        bot->press_ticks = bot->delay_ticks + 10;
    }
}

static void explore(RealmBot *bot, const RealmLook *look, RealmInput *input)
{
    if (look->has_doorway && bot->bored_ticks == 0 && look->room != bot->room) {
        bot->room = look->room;
        bot->doorway = look->doorway;
        bot->inward = look->inward;
        set_visit(bot, look->is_indoors ? REALM_BOT_GO_OUT : REALM_BOT_APPROACH);
        return;
    }
    if (bot->heading_ticks == 0) {
        uint32_t turn = tp_pcg32_below(&bot->generator, 0x2000);
        bot->heading.raw = (uint16_t)(bot->heading.raw + turn - 0x1000);
        bot->heading_ticks = TURN_TICKS;
    }
    walk(input, bot->heading);
}

// Gets nowhere: jumps, then goes another way for a while, and leaves be what it wanted.
static void get_unstuck(RealmBot *bot, RealmInput *input)
{
    if (bot->stuck_ticks >= STUCK_JUMP && bot->press_ticks == 0) {
        input->buttons |= REALM_BUTTON_JUMP;
        bot->press_ticks = bot->delay_ticks + 10;
    }
    if (bot->stuck_ticks < STUCK_TURN) {
        return;
    }
    uint32_t turn = tp_pcg32_below(&bot->generator, 0xC000);
    bot->detour.raw = (uint16_t)(input->look.raw + 0x2000 + turn);
    bot->detour_ticks = DETOUR_TICKS;
    bot->peace_ticks = PEACE_TICKS;
    bot->stuck_ticks = 0;
    if (bot->visit == REALM_BOT_NO_VISIT) {
        bot->heading = bot->detour;
    }
}

static void notice_progress(RealmBot *bot, const RealmLook *look, const RealmInput *input)
{
    bool wants_to_go = input->move_x != 0 || input->move_y != 0;
    if (!wants_to_go || !realm_way_is_within(realm_way(bot->anchor, look->place), REALM_RAW(1) / 2)) {
        bot->anchor = look->place;
        bot->stuck_ticks = 0;
    } else {
        bot->stuck_ticks++;
    }
}

static void decide(RealmBot *bot, const RealmLook *look, RealmInput *input)
{
    count_down(&bot->heading_ticks);
    count_down(&bot->peace_ticks);
    count_down(&bot->press_ticks);
    count_down(&bot->bored_ticks);
    if (bot->detour_ticks > 0) {
        bot->detour_ticks--;
        walk(input, bot->detour);
    } else if (look->has_foe && bot->peace_ticks == 0) {
        fight(bot, look, input);
    } else if (bot->visit != REALM_BOT_NO_VISIT) {
        visit(bot, look, input);
    } else {
        explore(bot, look, input);
    }
    notice_progress(bot, look, input);
    get_unstuck(bot, input);
}

static void play(void *memory, const tp_view *view, void *input_out)
{
    RealmBot   *bot = memory;
    RealmInput *input = input_out;
    uint64_t    ring = (uint64_t)bot->delay_ticks + 1;
    *input = (RealmInput){ 0 };
    bot->seen[bot->looks % ring] = realm_bot_look(view, bot->slot);
    bot->looks++;
    if (bot->looks < ring) {
        return;
    }
    const RealmLook *look = &bot->seen[bot->looks % ring];
    if (look->status == REALM_PLAYER_ALIVE) {
        decide(bot, look, input);
    } else {
        end_visit(bot);
        bot->room = 0;
    }
}

const tp_bot_type realm_bot = { .size = sizeof(RealmBot), .init = init, .play = play };

// realm_player.c: players: joining and leaving, walking, jumping, dying, coming back. Presence is an input of the tick like any other, so joins
// and leaves are as repeatable as steps.
#include "realm_step.h"

#include "realm_catalog.h"
#include "realm_generate.h"
#include "realm_place.h"

// One of the places near the middle of the land that are kept free of everything: a slot's own when it joins, any of them later. A landblock's
// next variant may have put something there; then another is drawn.
static void go_to(RealmStep *step, RealmPlayer *player, uint32_t number)
{
    const tp_setup *setup = step->context->setup;
    uint32_t        width = (uint32_t)setup->config[REALM_CONFIG_WIDTH];
    uint32_t        height = (uint32_t)setup->config[REALM_CONFIG_HEIGHT];
    RealmPlace      place = realm_generate_spawn(setup->seed, width, height, number);
    player->cell = place.cell | REALM_OUTSIDE;
    player->x = place.x;
    player->y = place.y;
}

static void draw_place(RealmStep *step, RealmPlayer *player)
{
    uint32_t number = realm_draw(step, REALM_PLAYERS_MAX);
    go_to(step, player, number);
}

static RealmPlace place_of(const RealmPlayer *player)
{
    return (RealmPlace){ player->cell, player->x, player->y, { 0 } };
}

bool realm_player_focus(const RealmStep *step, uint32_t slot, RealmPlace *place)
{
    const RealmPlayer *player = &step->view.players[slot];
    *place = place_of(player);
    if (player->status == REALM_PLAYER_ALIVE) {
        realm_owner_place(&step->engine, player->owner, place); // of one that is lost it is where it was put
    }
    return player->status != REALM_PLAYER_ABSENT;
}

static void take_body(RealmStep *step, RealmPlayer *player)
{
    RealmAnswer answer = realm_owner_deregister(&step->engine, player->owner);
    TP_ASSERT(answer == REALM_DONE);
    player->owner = realm_owner_none();
}

static void leave(RealmStep *step, uint32_t slot)
{
    RealmPlace place;
    realm_player_focus(step, slot, &place);
    RealmPlayer *player = realm_player_edit(step, slot);
    if (player->status == REALM_PLAYER_ALIVE) {
        take_body(step, player);
    }
    *player = (RealmPlayer){ .best = player->best };
    realm_shot_forget(step, slot);
    realm_report(step, REALM_EVENT_LEFT, slot + 1, 0, place, 0);
}

static void join(RealmStep *step, uint32_t slot)
{
    RealmPlayer *player = realm_player_edit(step, slot);
    player->status = REALM_PLAYER_WAITING;
    player->buttons = step->inputs[slot].buttons; // what a joiner holds down counts as held before
    go_to(step, player, slot);
    realm_report(step, REALM_EVENT_JOINED, slot + 1, 0, place_of(player), 0);
}

void realm_player_presence(RealmStep *step)
{
    for (uint32_t i = 0; i < step->view.player_count; i++) {
        bool is_here = tp_tick_present(step->tick, i);
        bool was_here = step->view.players[i].status != REALM_PLAYER_ABSENT;
        if (was_here && !is_here) {
            leave(step, i);
        } else if (is_here && !was_here) {
            join(step, i);
        }
    }
}

// Speed that the pad asks for. Longer than 127 counts as 127, its length rounded up so that no direction is faster than straight ahead;
// magnitudes are divided towards zero, so left mirrors right.
static void wish_of(const RealmInput *input, int32_t *x, int32_t *y)
{
    int64_t  move_x = input->move_x, move_y = input->move_y;
    uint64_t square = (uint64_t)(move_x * move_x + move_y * move_y);
    int64_t  length = square > 127 * 127 ? (int64_t)tp_isqrt_u64(square << 16) + 1 : 127 * 256;
    *x = (int32_t)(REALM_RUN_SPEED * move_x * 256 / length);
    *y = (int32_t)(REALM_RUN_SPEED * move_y * 256 / length);
}

static int32_t towards(int32_t from, int32_t to, int32_t step)
{
    return from < to ? (to - from < step ? to : from + step) : (from - to < step ? to : from - step);
}

static void steer(RealmStep *step, uint32_t slot, RealmMotion *motion)
{
    const RealmInput  *input = &step->inputs[slot];
    const RealmPlayer *player = &step->view.players[slot];
    int32_t            x, y;
    wish_of(input, &x, &y);
    *motion = (RealmMotion){ player->speed_x, player->speed_y, player->speed_z, player->is_grounded != 0 };
    motion->speed_x.raw = motion->is_grounded ? x : towards(motion->speed_x.raw, x, REALM_AIR_STEER);
    motion->speed_y.raw = motion->is_grounded ? y : towards(motion->speed_y.raw, y, REALM_AIR_STEER);
    bool is_pressed = (input->buttons & ~player->buttons & REALM_BUTTON_JUMP) != 0;
    if (is_pressed && motion->is_grounded) {
        motion->speed_z.raw = REALM_JUMP_SPEED;
        motion->is_grounded = false;
        realm_report(step, REALM_EVENT_JUMPED, slot + 1, 0, step->stands[slot].place, 0);
    }
}

static void keep_motion(RealmPlayer *player, const RealmMotion *motion)
{
    player->speed_x = motion->speed_x;
    player->speed_y = motion->speed_y;
    player->speed_z = motion->speed_z;
    player->is_grounded = motion->is_grounded;
}

static void notice_entry(RealmStep *step, RealmPlayer *player, uint32_t slot)
{
    RealmPlace place = step->stands[slot].place;
    bool       is_indoors = realm_is_indoor(place.cell);
    if (is_indoors && player->is_indoors == 0) {
        realm_count_up(&realm_game_edit(step)->entries);
        realm_report(step, REALM_EVENT_ENTERED, slot + 1, 0, place, 0);
    }
    player->is_indoors = is_indoors;
}

static void move(RealmStep *step, uint32_t slot)
{
    RealmMotion motion;
    RealmWalked walked;
    steer(step, slot, &motion);
    if (!realm_walk(step, step->view.players[slot].owner, &motion, &walked)) {
        return;
    }
    RealmPlayer *player = realm_player_edit(step, slot);
    keep_motion(player, &motion);
    step->stands[slot].place = walked.place;
    if (walked.fall.raw > REALM_SPEED(30)) {
        realm_report(step, REALM_EVENT_LANDED, slot + 1, 0, walked.place, walked.fall.raw / REALM_SPEED(10));
    }
    notice_entry(step, player, slot);
}

static void count_down(uint16_t *ticks)
{
    *ticks = (uint16_t)(*ticks - (*ticks > 0));
}

static void heal(RealmPlayer *player)
{
    count_down(&player->heal_ticks);
    if (player->heal_ticks == 0 && player->health < REALM_PLAYER_HEALTH) {
        player->health++;
        player->heal_ticks = REALM_HEAL_TICKS;
    }
}

static void act(RealmStep *step, uint32_t slot)
{
    RealmPlayer      *player = realm_player_edit(step, slot);
    const RealmInput *input = &step->inputs[slot];
    player->look = input->look;
    count_down(&player->attack_ticks);
    count_down(&player->shoot_ticks);
    count_down(&player->guard_ticks);
    heal(player);
    step->uses[slot] = (input->buttons & ~player->buttons & REALM_BUTTON_USE) != 0;
    player->buttons = input->buttons;
    if ((input->buttons & REALM_BUTTON_ATTACK) != 0 && player->attack_ticks == 0) {
        step->strikes[slot] = true;
        player->attack_ticks = REALM_ATTACK_TICKS;
    }
    if ((input->buttons & REALM_BUTTON_SHOOT) != 0 && player->shoot_ticks == 0) {
        player->shoot_ticks = REALM_SHOOT_TICKS;
        realm_shot_fire(step, slot, step->stands[slot].place, player->look);
    }
}

// A player that is lost does nothing and keeps everything, its buttons included.
void realm_player_update(RealmStep *step)
{
    for (uint32_t i = 0; i < step->view.player_count; i++) {
        const RealmPlayer *player = &step->view.players[i];
        RealmStand        *stand = &step->stands[i];
        stand->is_there = player->status == REALM_PLAYER_ALIVE && realm_owner_place(&step->engine, player->owner, &stand->place);
        if (stand->is_there) {
            move(step, i);
            step->alive[step->alive_count++] = i;
        }
    }
    for (uint32_t i = 0; i < step->alive_count; i++) {
        act(step, step->alive[i]);
    }
}

static void credit(RealmStep *step, uint32_t who)
{
    if (who == 0 || who > step->view.player_count) {
        if (who >= REALM_CREATURE_BASE) {
            realm_count_up(&realm_creature_edit(step, who - REALM_CREATURE_BASE)->kills);
        }
        return;
    }
    realm_count_up(&realm_game_edit(step)->duel_kills);
    realm_player_score(step, who - 1, REALM_PLAYER_POINTS);
}

void realm_player_score(RealmStep *step, uint32_t slot, uint32_t points)
{
    RealmPlayer *player = realm_player_edit(step, slot);
    realm_count_up(&player->kills);
    player->score = points < UINT32_MAX - player->score ? player->score + points : UINT32_MAX;
    player->best = player->score > player->best ? player->score : player->best;
}

void realm_player_die(RealmStep *step, uint32_t slot, uint32_t who)
{
    bool is_duel = who >= 1 && who <= REALM_PLAYERS_MAX;
    realm_report(step, REALM_EVENT_DIED, who, slot + 1, step->stands[slot].place, is_duel ? REALM_PLAYER_POINTS : 0);
    RealmPlayer *player = realm_player_edit(step, slot);
    take_body(step, player);
    player->status = REALM_PLAYER_DEAD;
    player->dead_ticks = REALM_DEAD_TICKS;
    player->is_grounded = 0;
    player->is_indoors = 0;
    player->speed_x = player->speed_y = player->speed_z = (tp_fx){ 0 };
    player->attack_ticks = player->shoot_ticks = player->guard_ticks = player->heal_ticks = 0;
    player->cell = step->stands[slot].place.cell | REALM_OUTSIDE;
    player->x = step->stands[slot].place.x;
    player->y = step->stands[slot].place.y;
    realm_count_up(&player->deaths);
    realm_count_up(&realm_game_edit(step)->deaths);
    credit(step, who);
}

// A place that turns out to be taken is drawn again, one a tick.
static void appear(RealmStep *step, uint32_t slot)
{
    RealmPlayer      *player = realm_player_edit(step, slot);
    RealmOwnerContent content = { .id = REALM_ID_PLAYERS + slot, .setup = REALM_SETUP_PLAYER };
    if (realm_view_full_leaf(&step->engine, REALM_ACTIVE, realm_prefix(player->cell)) == 0) {
        return;
    }
    if (!realm_walk_stand(step, player->cell, player->x, player->y, REALM_SETUP_PLAYER, &content.place)) {
        draw_place(step, player);
        return;
    }
    if (realm_owner_register(&step->engine, &content, &player->owner) != REALM_DONE) {
        realm_count_wait(step);
        return;
    }
    player->status = REALM_PLAYER_ALIVE;
    player->health = REALM_PLAYER_HEALTH;
    player->guard_ticks = REALM_GUARD_TICKS;
    player->is_grounded = 1;
    realm_count_up(&realm_game_edit(step)->respawns);
    realm_report(step, REALM_EVENT_RESPAWNED, slot + 1, 0, content.place, 0);
}

void realm_player_respawn(RealmStep *step)
{
    for (uint32_t i = 0; i < step->view.player_count; i++) {
        const RealmPlayer *player = &step->view.players[i];
        if (player->status == REALM_PLAYER_WAITING) {
            appear(step, i);
        } else if (player->status == REALM_PLAYER_DEAD) {
            RealmPlayer *dead = realm_player_edit(step, i);
            count_down(&dead->dead_ticks);
            if (dead->dead_ticks == 0) {
                dead->status = REALM_PLAYER_WAITING;
                draw_place(step, dead);
            }
        }
    }
}

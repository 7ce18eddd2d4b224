// planted_yard.c: what moves in the yard, and who plays and watches: what the flat world and the engine share.
#include <string.h>

#include "planted.h"

TP_TABLE(push_fields, Push, PUSH_FIELDS)

static const tp_fx EDGE = { 100 * 65536 };
static const tp_fx FASTEST = { 2 * 65536 };

static tp_fx between(tp_fx value, tp_fx limit)
{
    return tp_fx_clamp(value, tp_fx_neg(limit), limit);
}

uint64_t yard_count_near(const Cart *carts)
{
    uint64_t count = 0;
    for (uint32_t i = 0; i < CARTS; i++) {
        count += carts[i].x.raw < 0 ? 1 : 0;
    }
    return count;
}

void yard_start(Scene *scene, Driver *drivers, Tally *tally)
{
    for (uint32_t i = 0; i < CARTS; i++) {
        scene->carts[i].x.raw = (int32_t)tp_pcg32_below(scene->dice, 100 * 65536) - 50 * 65536;
        scene->carts[i].load = i;
    }
    for (uint32_t slot = 0; slot < scene->setup->players; slot++) {
        drivers[slot].cart = slot;
    }
    tally->counts[0] = 1;
    chores_begin();
}

// A load makes a cart slower, so whatever is wrong with one spreads in the ticks after.
static void move(Cart *cart, tp_pcg32 *dice)
{
    const tp_fx nudge = { (int32_t)tp_pcg32_below(dice, 4096) - 2048 };
    const tp_fx drag = { (int32_t)(cart->speed.raw / (16 + (int32_t)(cart->load & 15))) };
    cart->speed = between(tp_fx_add(tp_fx_sub(cart->speed, drag), nudge), FASTEST);
    cart->x = between(tp_fx_add(cart->x, cart->speed), EDGE);
}

static void drive(Driver *driver, Cart *carts, Tally *tally, const Push *push)
{
    if (push->change != 0) {
        driver->cart = (driver->cart + 5) % CARTS;
        tally->counts[2]++;
    }
    Cart *cart = &carts[driver->cart];
    cart->speed = between(tp_fx_add(cart->speed, (tp_fx){ push->push * 256 }), FASTEST);
    driver->pushes += push->push != 0 ? 1 : 0;
}

int64_t yard_step(Scene *scene, Driver *drivers, Tally *tally, const tp_tick *tick)
{
    const Push *inputs = tick->inputs;
    for (uint32_t slot = 0; slot < tick->players; slot++) {
        if (tp_tick_present(tick, slot)) {
            drive(&drivers[slot], scene->carts, tally, &inputs[slot]);
        }
    }
    int64_t more = 0;
    for (uint32_t i = 0; i < CARTS; i++) {
        more -= scene->carts[i].x.raw < 0 ? 1 : 0;
        move(&scene->carts[i], scene->dice);
        more += scene->carts[i].x.raw < 0 ? 1 : 0;
    }
    chores_do(scene);
    tally->counts[1]++;
    return more;
}

typedef struct Bot {
    tp_pcg32 mind;
} Bot;

static void bot_init(void *memory, const tp_setup *setup, uint32_t slot, uint64_t seed, uint32_t delay_ticks)
{
    Bot *bot = memory;
    bot->mind = tp_pcg32_make(seed + setup->seed, 1000 + slot);
}

static void bot_play(void *memory, const tp_view *view, void *out)
{
    Bot *bot = memory;
    Push push = { .push = (int8_t)((int32_t)tp_pcg32_below(&bot->mind, 129) - 64) };
    push.change = tp_pcg32_below(&bot->mind, 40) == 0 ? 1 : 0;
    memcpy(out, &push, sizeof(push));
}

typedef struct Watcher {
    uint64_t ticks;
} Watcher;

static void watcher_init(void *memory, const tp_setup *setup)
{
    *(Watcher *)memory = (Watcher){ 0 };
}

static void watcher_tick(void *memory, const tp_view *view, void (*sink)(void *to, const tp_cue *cue), void *to)
{
    Watcher *watcher = memory;
    watcher->ticks++;
    chores_note(watcher->ticks);
}

const tp_record_type   yard_push = TP_RECORD("push", Push, push_fields, "a stick, and a button that changes carts");
const tp_bot_type      yard_bot = { sizeof(Bot), bot_init, bot_play };
const tp_observer_type yard_watcher = { "watcher", sizeof(Watcher), watcher_init, watcher_tick };

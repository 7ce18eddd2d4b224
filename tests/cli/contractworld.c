// contractworld.c: a ball in floating point, whose product and sum a compiler may contract into one operation with one rounding less. One
// build that does and one that does not come apart at the first push that is no round number. With -DCRASH_AT, FAULT_AT, HANG_AT, EVENT_AT or VALUE_AT it does
// that in the step of this tick instead.
#include <string.h>

#include "tickproof/world.h"

#define BALL_FIELDS(S, F, A, H)              \
    F(S, u64, speed, "bits", TP_ANY)         \
    /* where it is; the row below moves */   \
    F(S, u64, place, "bits", TP_ANY)         \
    F(S, u32, pushes, "count", TP_ANY)       \
    F(S, u32, padding, "zero", TP_ZERO)
TP_STRUCT(Ball, BALL_FIELDS)
TP_TABLE(ball_fields, Ball, BALL_FIELDS)

#define PUSH_FIELDS(S, F, A, H) F(S, i8, force, "stick", TP_RANGE(-127, 127))
TP_STRUCT(Push, PUSH_FIELDS)
TP_TABLE(push_fields, Push, PUSH_FIELDS)

#define BOUNCE_FIELDS(S, F, A, H) F(S, u32, number, "count", TP_ANY)
TP_STRUCT(Bounce, BOUNCE_FIELDS)
TP_TABLE(bounce_fields, Bounce, BOUNCE_FIELDS)

#ifndef CRASH_AT
#define CRASH_AT UINT64_MAX
#endif
#ifndef FAULT_AT
#define FAULT_AT UINT64_MAX
#endif
#ifndef HANG_AT
#define HANG_AT UINT64_MAX
#endif
#ifndef EVENT_AT
#define EVENT_AT UINT64_MAX
#endif
#ifndef VALUE_AT
#define VALUE_AT UINT64_MAX
#endif

static const tp_section     sections[] = { TP_SECTION("balls", Ball, ball_fields, TP_COUNT_PLAYERS, 0, TP_SIM) };
static const tp_record_type input = TP_RECORD("push", Push, push_fields, "how hard to push");
static const tp_record_type events[] = { TP_RECORD("bounce", Bounce, bounce_fields, "the ball came back") };

static double number_of(uint64_t bits)
{
    double number;
    memcpy(&number, &bits, sizeof(number));
    return number;
}

static uint64_t bits_of(double number)
{
    uint64_t bits;
    memcpy(&bits, &number, sizeof(bits));
    return bits;
}

static void move(Ball *ball, const Push *push)
{
    double speed = number_of(ball->speed);
    double place = number_of(ball->place);
    speed = speed * 0.97 + (double)push->force / 64.0; // here
    place = place + speed;
    ball->speed = bits_of(speed);
    ball->place = bits_of(place);
    ball->pushes += push->force != 0;
}

static void world_init(void *state, tp_context *context)
{
    (void)state;
    (void)context;
}

static tp_step_result world_step(void *state, const tp_tick *tick, tp_context *context)
{
    Ball         *balls = tp_section_at(context, state, 0);
    const Push   *pushes = tick->inputs;
    volatile bool is_hanging = tick->tick == HANG_AT;
    while (is_hanging) {
    }
    if (tick->tick == CRASH_AT) {
        __builtin_trap();
    }
    if (tick->tick == FAULT_AT) {
        TP_FAULT(TP_FAULT_WORLD, "the ball is lost");
    }
    for (uint32_t slot = 0; slot < tick->players; slot++) {
        move(&balls[slot], &pushes[slot]);
    }
    if (tick->tick == VALUE_AT) {
        balls[1].pushes += 2;
        balls[0].place ^= 1;
    }
    Bounce bounce = { (uint32_t)tick->tick };
    if (tick->tick % 50 == 49 || tick->tick == EVENT_AT) {
        tp_emit(context, 0, &bounce);
    }
    return TP_STEP_OK;
}

static const tp_world world = {
    .struct_size = sizeof(tp_world),
    .abi = TP_WORLD_ABI,
    .name = "contract",
    .revision = 1,
    .text = "balls in floating point",
    .tick_rate_hz = 60,
    .players_min = 1,
    .players_max = 4,
    .players_standard = 2,
    .sections = sections,
    .section_count = 1,
    .input = &input,
    .events = events,
    .event_count = 1,
    .events_max = 4,
    .init = world_init,
    .step = world_step,
};

const tp_world *tickproof_world(void);
const tp_world *tickproof_world(void)
{
    return &world;
}

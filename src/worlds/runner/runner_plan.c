// runner_plan.c: speeds, gaps and rows. All products are 64 bits wide and far from overflow: speeds stay below 1,240
// units a second and times below 2 s.
#include "runner_plan.h"

#include "runner_table.h"

#include "tickproof/rng.h"

static int64_t divide_up(int64_t number, int64_t by)
{
    return (number + by - 1) / by;
}

int32_t runner_plan_speed(uint64_t course_tick, uint32_t percent)
{
    int64_t ramp_tick = course_tick < RUNNER_SPEED_RAMP_TICKS ? (int64_t)course_tick : RUNNER_SPEED_RAMP_TICKS;
    int64_t gained = ramp_tick * RUNNER_RAW(RUNNER_SPEED_END - RUNNER_SPEED_START) / RUNNER_SPEED_RAMP_TICKS;
    return (int32_t)((RUNNER_RAW(RUNNER_SPEED_START) + gained) * (int64_t)percent / 100);
}

int32_t runner_plan_advance(int32_t speed)
{
    return speed / RUNNER_TICK_RATE_HZ;
}

int32_t runner_plan_floor(int32_t speed)
{
    int64_t covered = divide_up((int64_t)RUNNER_RAW(2 * RUNNER_HIT_Y) * 65536, speed);
    return (int32_t)(RUNNER_CROSS_RAW + covered);
}

int32_t runner_plan_gap(uint64_t course_tick, uint32_t percent)
{
    int32_t speed = runner_plan_speed(course_tick, percent);
    int32_t least = runner_plan_floor(speed) + RUNNER_MARGIN_RAW;
    if (least >= RUNNER_START_GAP_RAW) {
        return least;
    }
    int64_t excess = (int64_t)(RUNNER_START_GAP_RAW - least) * runner_decay_at(course_tick);
    return least + (int32_t)(excess >> 31);
}

int32_t runner_plan_spacing(uint64_t course_tick, uint32_t percent)
{
    int64_t way = (int64_t)RUNNER_RAW(RUNNER_PLAYER_Y - RUNNER_SPAWN_Y) * RUNNER_TICK_RATE_HZ;
    uint64_t arrival_tick = course_tick + (uint64_t)divide_up(way, runner_plan_speed(course_tick, percent));
    int64_t gap = runner_plan_gap(arrival_tick, percent);
    int64_t speed = runner_plan_speed(arrival_tick, percent);
    return (int32_t)divide_up(gap * speed, 65536);
}

uint32_t runner_plan_second_block_chance(uint64_t course_tick)
{
    uint64_t ramp_tick = course_tick < RUNNER_SPEED_RAMP_TICKS ? course_tick : RUNNER_SPEED_RAMP_TICKS;
    return 838861u + (uint32_t)(ramp_tick * 8388608u / RUNNER_SPEED_RAMP_TICKS);
}

uint32_t runner_plan_ticks(int64_t milliseconds)
{
    return (uint32_t)(milliseconds * RUNNER_TICK_RATE_HZ / 1000);
}

static tp_pcg32 generator_of(const RunnerGame *game)
{
    return (tp_pcg32){ game->rng_state, game->rng_increment };
}

static void keep_generator(RunnerGame *game, tp_pcg32 generator)
{
    game->rng_state = generator.state;
    game->rng_increment = generator.increment;
}

// `chance` in 1/2^24. Certain answers take no draw.
static bool draw_chance(tp_pcg32 *generator, uint32_t chance)
{
    if (chance == 0 || chance >= 1u << 24) {
        return chance != 0;
    }
    return tp_pcg32_next(generator) >> 8 < chance;
}

void runner_plan_seed(RunnerGame *game, uint64_t seed)
{
    keep_generator(game, tp_pcg32_make(seed, 0));
}

void runner_plan_next_stream(RunnerGame *game, uint64_t seed)
{
    tp_pcg32 generator = generator_of(game);
    uint32_t stream = tp_pcg32_next(&generator);
    keep_generator(game, tp_pcg32_make(seed, stream));
}

uint8_t runner_plan_row(RunnerGame *game, const tp_setup *setup)
{
    tp_pcg32 generator = generator_of(game);
    uint8_t lanes[RUNNER_LANES] = { 0, 1, 2 };
    tp_pcg32_shuffle_u8(&generator, lanes, RUNNER_LANES);
    uint32_t blocked = 1;
    if (game->course_tick >= runner_plan_ticks(setup->config[RUNNER_CONFIG_GRACE_MS])) {
        bool has_second = draw_chance(&generator, runner_plan_second_block_chance(game->course_tick));
        blocked += has_second ? 1 : 0;
    }
    uint32_t row = 0;
    for (uint32_t i = 0; i < blocked; i++) {
        row |= 1u << lanes[i];
    }
    uint32_t coin_chance = (uint32_t)(setup->config[RUNNER_CONFIG_COIN_PERCENT] * (1 << 24) / 100);
    if (draw_chance(&generator, coin_chance)) {
        uint32_t free_lane = tp_pcg32_below(&generator, RUNNER_LANES - blocked);
        row |= (lanes[blocked + free_lane] + 1u) << RUNNER_ROW_COIN_SHIFT;
    }
    keep_generator(game, generator);
    return (uint8_t)row;
}

bool runner_row_is_legal(uint8_t row)
{
    uint32_t blocks = row & RUNNER_ROW_BLOCKS;
    uint32_t coin = (row & RUNNER_ROW_COIN) >> RUNNER_ROW_COIN_SHIFT;
    if ((row & ~(RUNNER_ROW_BLOCKS | RUNNER_ROW_COIN)) != 0 || blocks == RUNNER_ROW_BLOCKS) {
        return false;
    }
    return coin == 0 || (blocks & (1u << (coin - 1))) == 0;
}

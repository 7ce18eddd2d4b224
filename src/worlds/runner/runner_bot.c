// runner_bot.c: choosing a lane, and playing with a delay.
#include "runner_bot.h"

// How good a lane is for the nearest row that has not arrived, worst first.
typedef enum Verdict {
    VERDICT_CLOSED  = 0, // the way there leads through a block beside the runner
    VERDICT_BLOCKED = 1, // the next row blocks it, or it cannot be reached in time
    VERDICT_TIGHT   = 2, // reached in time, with less than the margin to spare
    VERDICT_GOOD    = 3,
} Verdict;

// Lanes whose blocks a slide from x to `lane` comes near enough to hit.
static uint32_t swept_lanes(int32_t x, uint32_t lane)
{
    int32_t goal = runner_lane_x(lane);
    int32_t low = x < goal ? x : goal;
    int32_t high = x < goal ? goal : x;
    uint32_t swept = 0;
    for (uint32_t i = 0; i < RUNNER_LANES; i++) {
        int32_t centre = runner_lane_x(i);
        if (centre > low - RUNNER_RAW(RUNNER_HIT_X) && centre < high + RUNNER_RAW(RUNNER_HIT_X)) {
            swept |= 1u << i;
        }
    }
    return swept;
}

static int32_t slide_ticks(int32_t x, uint32_t lane)
{
    int32_t way = runner_distance(x, runner_lane_x(lane));
    return (way + RUNNER_SLIDE_RAW - 1) / RUNNER_SLIDE_RAW;
}

// Lanes from `lane` to the nearest one that `blocks` leaves free; all lanes when there is none.
static uint32_t lanes_to_free(uint32_t lane, uint32_t blocks)
{
    uint32_t nearest = RUNNER_LANES;
    for (uint32_t i = 0; i < RUNNER_LANES; i++) {
        uint32_t way = i > lane ? i - lane : lane - i;
        if ((blocks & 1u << i) == 0 && way < nearest) {
            nearest = way;
        }
    }
    return nearest;
}

// The rows of one look by their part in the choice.
typedef struct Outlook {
    uint32_t            blocked_now; // lanes with a block beside the runner
    const RunnerEyeRow *next;        // nearest row that has not arrived, or NULL
    const RunnerEyeRow *after;       // the one after it, or NULL
    int32_t             ticks_left;  // until `next` arrives
} Outlook;

static Outlook outlook_of(const RunnerEye *eye)
{
    Outlook outlook = { 0 };
    for (uint32_t i = 0; i < eye->row_count; i++) {
        const RunnerEyeRow *row = &eye->rows[i];
        int32_t way = RUNNER_RAW(RUNNER_PLAYER_Y - RUNNER_HIT_Y) - row->y;
        if (way < 0) {
            outlook.blocked_now |= row->blocks;
        } else if (outlook.next == NULL) {
            outlook.next = row;
            outlook.ticks_left = eye->advance > 0 ? way / eye->advance : 1 << 20;
        } else if (outlook.after == NULL) {
            outlook.after = row;
        }
    }
    return outlook;
}

// The margin is asked of moves that would begin now. A move under way is only given up when it cannot be finished, or
// the first hesitation would turn the runner round in front of a block.
static Verdict judge(const RunnerEye *eye, const Outlook *outlook, uint32_t lane, uint32_t aim_lane)
{
    uint32_t swept = swept_lanes(eye->x, lane);
    if ((swept & outlook->blocked_now) != 0) {
        return VERDICT_CLOSED;
    }
    if (outlook->next == NULL || (swept & outlook->next->blocks) == 0) {
        return VERDICT_GOOD;
    }
    int32_t ticks = slide_ticks(eye->x, lane);
    bool is_free = (outlook->next->blocks & 1u << lane) == 0;
    if (!is_free || ticks > outlook->ticks_left) {
        return VERDICT_BLOCKED;
    }
    int32_t margin_percent = lane == aim_lane ? 0 : RUNNER_BOT_MARGIN_PERCENT;
    int32_t with_margin = ticks + (ticks * margin_percent + 99) / 100;
    return with_margin > outlook->ticks_left ? VERDICT_TIGHT : VERDICT_GOOD;
}

// Crosses a lane that the next row blocks, and needs more than two fifths of the time that is left.
static bool is_hurried(const RunnerEye *eye, const Outlook *outlook, uint32_t lane)
{
    if (outlook->next == NULL || (swept_lanes(eye->x, lane) & outlook->next->blocks) == 0) {
        return false;
    }
    return slide_ticks(eye->x, lane) * 5 > outlook->ticks_left * 2;
}

// A way out one lane from here costs less than a coin is worth, one that is two lanes away costs more.
static const int32_t way_out_cost[RUNNER_LANES + 1] = { 0, 150, 400, 400 };

// Larger is better. Being alive after the next row outweighs the row after it, that outweighs coins, and those
// outweigh sitting still. A lane that is lost all the same is judged by how near it is to a way out.
static int32_t worth(const RunnerEye *eye, const Outlook *outlook, uint32_t lane, uint32_t aim_lane)
{
    Verdict verdict = judge(eye, outlook, lane, aim_lane);
    int32_t value = (int32_t)verdict * 10000;
    if (outlook->next != NULL && verdict <= VERDICT_BLOCKED) {
        value -= (int32_t)lanes_to_free(lane, outlook->next->blocks) * 1000;
    }
    if (outlook->after != NULL) {
        value -= way_out_cost[lanes_to_free(lane, outlook->after->blocks)];
    }
    if (verdict == VERDICT_GOOD && outlook->next != NULL && (outlook->next->coins & 1u << lane) != 0) {
        value += 200;
    }
    if (lane != aim_lane && is_hurried(eye, outlook, lane)) {
        value -= 350;
    }
    value -= slide_ticks(eye->x, lane);
    return value + (lane == aim_lane ? 5 : 0);
}

uint32_t runner_bot_choose(const RunnerEye *eye, uint32_t aim_lane)
{
    Outlook outlook = outlook_of(eye);
    uint32_t best = 0;
    int32_t best_worth = INT32_MIN;
    for (uint32_t lane = 0; lane < RUNNER_LANES; lane++) {
        int32_t value = worth(eye, &outlook, lane, aim_lane);
        if (value > best_worth) {
            best = lane;
            best_worth = value;
        }
    }
    return best;
}

static void init(void *memory, const tp_setup *setup, uint32_t slot, uint64_t seed, uint32_t delay_ticks)
{
    (void)setup;
    RunnerBot *bot = memory;
    *bot = (RunnerBot){
        .generator   = tp_pcg32_make(seed, slot),
        .slot        = slot,
        .delay_ticks = delay_ticks < RUNNER_BOT_DELAY_MAX ? delay_ticks : RUNNER_BOT_DELAY_MAX,
        .aim_lane    = RUNNER_LANE_MIDDLE,
        .goal_lane   = RUNNER_LANE_MIDDLE,
    };
}

// People do not all press in the same tick; a bot waits up to half a second longer than it must.
static uint8_t play_over(RunnerBot *bot)
{
    bot->aim_lane = RUNNER_LANE_MIDDLE;
    bot->goal_lane = RUNNER_LANE_MIDDLE;
    if (bot->confirm_wait_ticks > 0) {
        bot->confirm_wait_ticks--;
        return 0;
    }
    bot->confirm_wait_ticks = RUNNER_CONFIRM_TICKS;
    return RUNNER_EDGE_CONFIRM;
}

// While presses of its own do not show yet in what it sees, it finishes the move it has begun and starts no other: what
// it sees then is a body that has not moved, and deciding again on that would undo the move half way.
static uint8_t play_running(RunnerBot *bot, const RunnerEye *eye)
{
    bool sees_its_presses = bot->ticks_since_press > bot->delay_ticks;
    if (sees_its_presses) {
        bot->aim_lane = eye->lane;
        bot->goal_lane = runner_bot_choose(eye, eye->lane);
    } else {
        bot->ticks_since_press++;
    }
    if (bot->goal_lane == bot->aim_lane) {
        return 0;
    }
    bool goes_left = bot->goal_lane < bot->aim_lane;
    bot->aim_lane = goes_left ? bot->aim_lane - 1 : bot->aim_lane + 1;
    bot->ticks_since_press = 1;
    return goes_left ? RUNNER_EDGE_LEFT : RUNNER_EDGE_RIGHT;
}

static void play(void *memory, const tp_view *view, void *input_out)
{
    RunnerBot *bot = memory;
    RunnerInput *input = input_out;
    uint64_t ring = (uint64_t)bot->delay_ticks + 1;
    *input = (RunnerInput){ 0 };
    bot->seen[bot->looks % ring] = runner_eye_look(view, bot->slot);
    bot->looks++;
    if (bot->looks < ring) {
        return;
    }
    const RunnerEye *eye = &bot->seen[bot->looks % ring];
    if (eye->phase == RUNNER_PHASE_OVER) {
        input->edges = play_over(bot);
        return;
    }
    if (eye->status == RUNNER_STATUS_RUNNING) {
        input->edges = play_running(bot, eye);
    }
    if (bot->confirm_wait_ticks <= RUNNER_CONFIRM_TICKS) {
        uint32_t longer = tp_pcg32_below(&bot->generator, RUNNER_TICK_RATE_HZ / 2);
        bot->confirm_wait_ticks = RUNNER_CONFIRM_TICKS + 1 + longer;
    }
}

const tp_bot_type runner_bot = { .size = sizeof(RunnerBot), .init = init, .play = play };

// synctest_support.c: see synctest_support.h. Whatever is unexpected ends the test's process.
#include "synctest_support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tickproof/rng.h"

enum { ROW_MAX = 8192, NATIVE_MAX = 1024, BOT_MAX = 65536 };

SyncRun syncrun_standard(const tp_world *world)
{
    SyncRun run = { .world = world, .players = 2, .seed = 7, .ticks = 300 };
    tp_synctest_options_standard(&run.options);
    return run;
}

static void put_value(uint8_t *place, const tp_field *field, uint32_t index, int64_t value)
{
    uint32_t size = field->size / field->count;
    uint64_t bits = (uint64_t)value;
    uint8_t  u8 = (uint8_t)bits;
    uint16_t u16 = (uint16_t)bits;
    uint32_t u32 = (uint32_t)bits;
    place += field->offset + index * size;
    memcpy(place, size == 1 ? (void *)&u8 : size == 2 ? (void *)&u16 : size == 4 ? (void *)&u32 : (void *)&bits, size);
}

// Signed values are sticks, which flip every 20 ticks; unsigned ones are buttons, one of which is pressed every 45. Slots are 17 ticks apart.
static void play_script(const tp_record_type *input, uint64_t tick, uint32_t slot, uint8_t *native)
{
    uint64_t frame = tick + 17 * (uint64_t)slot;
    for (uint32_t f = 0; f < input->field_count; f++) {
        const tp_field *field = &input->fields[f];
        bool            is_stick = field->type == TP_TYPE_I8 || field->type == TP_TYPE_I16 || field->type == TP_TYPE_I32 || field->type == TP_TYPE_FX;
        int64_t         stick = (frame / 20 + f) % 2 == 0 ? 100 : -100;
        int64_t         button = frame % 45 == 0 || frame % 20 == 0 ? INT64_C(1) << (frame / 5 % 4) : 0;
        for (uint32_t i = 0; i < field->count; i++) {
            put_value(native, field, i, is_stick ? stick : button);
        }
    }
}

typedef struct {
    const SyncRun *run;
    tp_sim        *sim;
    uint8_t       *bots;
    size_t         bot_stride;
} Playing;

static void start_bots(Playing *playing)
{
    const tp_bot_type *bot = playing->run->world->bot;
    const tp_layout   *layout = tp_sim_layout(playing->sim);
    uint64_t           seeds = playing->run->seed;
    playing->bot_stride = ((size_t)bot->size + 15) / 16 * 16;
    playing->bots = aligned_alloc(16, playing->bot_stride * (playing->run->players + 1));
    memset(playing->bots, 0, playing->bot_stride * (playing->run->players + 1));
    for (uint32_t slot = 0; slot < playing->run->players; slot++) {
        bot->init(playing->bots + playing->bot_stride * slot, &layout->setup, slot, tp_splitmix64_next(&seeds), 3);
    }
}

static size_t make_row(Playing *playing, uint64_t tick, uint8_t *bytes)
{
    const SyncRun   *run = playing->run;
    const tp_layout *layout = tp_sim_layout(playing->sim);
    static uint8_t   inputs[TP_PLAYERS_MAX * TP_INPUT_SIZE_MAX];
    uint8_t          presence[TP_PLAYERS_MAX / 8] = { 0 };
    tp_view          view = tp_sim_view(playing->sim);
    for (uint32_t slot = 0; slot < run->players; slot++) {
        _Alignas(16) uint8_t native[NATIVE_MAX] = { 0 };
        presence[slot / 8] |= (uint8_t)(1u << (slot % 8));
        if (run->is_bot) {
            run->world->bot->play(playing->bots + playing->bot_stride * slot, &view, native);
        } else if (!run->is_idle) {
            play_script(run->world->input, tick, slot, native);
        }
        tp_input_sanitise(run->world, native);
        tp_record_encode(run->world->input, native, inputs + (size_t)slot * layout->input_size);
    }
    tp_row row = { .presence = presence, .inputs = inputs };
    return tp_row_encode(layout, &row, bytes, ROW_MAX);
}

static void die(const char *what, const tp_error *error)
{
    fprintf(stderr, "synctest_support: %s: %s\n", what, error->text);
    abort();
}

static void step_all(Playing *playing, tp_synctest *test)
{
    uint8_t  row[ROW_MAX];
    tp_error error;
    bool     goes_on = true;
    for (uint64_t tick = 0; goes_on && tick < playing->run->ticks && !tp_sim_is_faulted(playing->sim); tick++) {
        size_t size = make_row(playing, tick, row);
        if (playing->run->before_step != NULL) {
            playing->run->before_step(playing->sim, tick);
        }
        if (tp_sim_step_bytes(playing->sim, row, size, &error) == TP_SIM_REFUSED) {
            die("stepping", &error);
        }
        goes_on = tp_synctest_tick(test, row, size);
    }
}

SyncOutcome syncrun_do(const SyncRun *run)
{
    tp_error    error;
    SyncOutcome outcome;
    tp_setup    setup = { .seed = run->seed, .players = run->players, .tick_rate_hz = run->world->tick_rate_hz, .config = run->config };
    Playing     playing = { .run = run, .sim = tp_sim_create(run->world, &setup, NULL, &error) };
    if (playing.sim == NULL) {
        die("making the world", &error);
    }
    tp_synctest *test = tp_synctest_create(playing.sim, &run->options, &error);
    if (test == NULL) {
        die("making the test", &error);
    }
    if (run->is_bot) {
        start_bots(&playing);
    }
    step_all(&playing, test);
    tp_synctest_finish(test, &outcome.report);
    if (outcome.report.case_count > SYNCRUN_CASES_MAX) {
        die("more cases than there is room for", &error);
    }
    memcpy(outcome.cases, outcome.report.cases, outcome.report.case_count * sizeof(*outcome.cases));
    outcome.report.cases = NULL;
    tp_synctest_destroy(test);
    tp_sim_destroy(playing.sim);
    free(playing.bots);
    return outcome;
}

bool nearend_carry(void *to, const uint8_t *request, size_t size, const uint8_t **answer, size_t *answer_size, tp_error *error)
{
    NearEnd *end = to;
    tp_sim  *sim = tp_sim_create(end->world, &end->setup, NULL, error);
    free(end->answer);
    end->answer = NULL;
    end->requests += 1;
    bool is_good = sim != NULL && tp_synctest_serve(sim, request, size, &end->answer, &end->answer_size, error);
    tp_sim_destroy(sim);
    if (is_good && end->spoil != NULL) {
        end->spoil(end->answer, &end->answer_size);
    }
    *answer = end->answer;
    *answer_size = end->answer_size;
    return is_good;
}

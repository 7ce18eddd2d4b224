// live_fixture.c: starting, stopping, and looking into logs.
#include "live_fixture.h"

#include <criterion/criterion.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zstd.h>

#include "tickproof/verify.h"

void live_fixture_open(LiveSetting *setting, uint32_t threads)
{
    memset(setting, 0, sizeof(*setting));
    signal(SIGPIPE, SIG_IGN);
    setting->fixture = fixture_open();
    server_options_standard(&setting->options);
    setting->options.threads = threads;
    setting->options.find_world = fixture_find_world;
    setting->options.event = fixture_event;
    setting->options.event_to = &setting->events;
}

static void need_server(LiveSetting *setting)
{
    tp_error error;
    if (setting->server == NULL) {
        setting->server = server_create(&setting->options, &error);
        cr_assert_not_null(setting->server, "%s", error.text);
    }
}

void live_fixture_add(LiveSetting *setting, const ServerLiveOptions *options)
{
    tp_error error;
    need_server(setting);
    cr_assert(server_add_live(setting->server, options, &error), "%s", error.text);
}

void live_fixture_add_recorded(LiveSetting *setting, const char *name)
{
    tp_error          error;
    ServerRoomOptions options;
    need_server(setting);
    server_room_options_standard(&options);
    options.path = fixture_path(setting->fixture.path, name);
    cr_assert(server_add_recorded(setting->server, &options, &error), "%s", error.text);
}

static void run(void *self)
{
    LiveSetting *setting = self;
    tp_error     error;
    setting->run = server_run(setting->server, &error);
}

void live_fixture_start(LiveSetting *setting)
{
    tp_error error;
    cr_assert(server_listen(setting->server, "127.0.0.1:0", &error), "%s", error.text);
    setting->port = setting->port > 0 ? setting->port : server_port(setting->server, 0);
    cr_assert_gt(setting->port, 0);
    cr_assert_eq(uv_thread_create(&setting->thread, run, setting), 0);
}

void live_fixture_stop(LiveSetting *setting)
{
    server_stop(setting->server);
}

void live_fixture_join(LiveSetting *setting)
{
    uv_thread_join(&setting->thread);
    cr_assert_eq(setting->run, SERVER_RUN_ENDED);
}

void live_fixture_close(LiveSetting *setting)
{
    server_destroy(setting->server);
    fixture_close(&setting->fixture);
}

uint64_t live_fixture_count_absent(const char *path)
{
    int           file = open(path, O_RDONLY | O_CLOEXEC);
    tp_source     source = tp_source_of_fd(&file);
    tp_reader    *reader = NULL;
    tp_log_record record;
    uint64_t      count = 0;
    cr_assert_geq(file, 0);
    cr_assert_eq(tp_reader_open(&source, &(tp_reader_options){ 0 }, &reader), TP_LOG_OK);
    while (tp_reader_next(reader, &record) == TP_LOG_OK) {
        if (record.type != TP_LOG_TICKS) {
            continue;
        }
        tp_log_rows rows = tp_log_rows_of(tp_reader_ident(reader), &record);
        tp_log_row  row;
        while (tp_log_rows_next(&rows, &row)) {
            count += row.presence[0] == 0 ? 1 : 0;
        }
    }
    tp_reader_close(reader);
    close(file);
    return count;
}

bool live_fixture_has_note(const char *path, const char *text)
{
    int           file = open(path, O_RDONLY | O_CLOEXEC);
    tp_source     source = tp_source_of_fd(&file);
    tp_reader    *reader = NULL;
    tp_log_record record;
    bool          is_found = false;
    cr_assert_geq(file, 0);
    cr_assert_eq(tp_reader_open(&source, &(tp_reader_options){ 0 }, &reader), TP_LOG_OK);
    while (!is_found && tp_reader_next(reader, &record) == TP_LOG_OK) {
        if (record.type == TP_LOG_NOTE) {
            tp_log_note note = tp_log_parse_note(&record);
            is_found = note.kind == TP_NOTE_TEXT && note.size == strlen(text) && memcmp(note.text, text, note.size) == 0;
        }
    }
    tp_reader_close(reader);
    close(file);
    return is_found;
}

void live_fixture_arm_fault(tp_sim *sim)
{
    tp_view     view = tp_sim_view(sim);
    TestPlayer *players = (TestPlayer *)((unsigned char *)tp_sim_state(sim) + view.section_offset[TESTWORLD_PLAYERS]);
    players[0].x.raw = INT32_MAX;
    players[0].speed.raw = 65536;
}

// The large world.

#define LARGE_VALUE_FIELDS(S, F, A, H) F(S, u64, value, "bits", TP_ANY)
#define LARGE_INPUT_FIELDS(S, F, A, H) F(S, u8, buttons, "flags", TP_RANGE(0, 7))
TP_STRUCT(LargeValue, LARGE_VALUE_FIELDS)
TP_STRUCT(LargeInput, LARGE_INPUT_FIELDS)
TP_TABLE(large_value_fields, LargeValue, LARGE_VALUE_FIELDS)
TP_TABLE(large_input_fields, LargeInput, LARGE_INPUT_FIELDS)
static const tp_section     large_sections[] = { TP_SECTION("values", LargeValue, large_value_fields, "values", 0, TP_SIM) };
static const tp_config_item large_config[] = { { "values", "count", "of 8 bytes each", 100000, 1, 1000000 } };
static const tp_record_type large_input = TP_RECORD("input", LargeInput, large_input_fields, "three buttons");

static void large_fill(void *state, tp_context *context, uint64_t seed)
{
    LargeValue *values = tp_section_at(context, state, 0);
    uint64_t    value = seed;
    for (uint32_t i = 0; i < context->section_count[0]; i++) {
        value = value * UINT64_C(6364136223846793005) + 1442695040888963407u;
        values[i].value = value ^ (value >> 31);
    }
}

static void large_init(void *state, tp_context *context)
{
    large_fill(state, context, context->setup->seed);
}

static tp_step_result large_step(void *state, const tp_tick *tick, tp_context *context)
{
    large_fill(state, context, context->setup->seed + tick->tick + 1);
    return TP_STEP_OK;
}

const tp_world live_fixture_large = {
    .struct_size = sizeof(tp_world),
    .abi = TP_WORLD_ABI,
    .name = "testlarge",
    .revision = 1,
    .text = "a world of nothing but state",
    .tick_rate_hz = 60,
    .players_max = 16,
    .players_standard = 2,
    .config = large_config,
    .config_count = TP_COUNT_OF(large_config),
    .sections = large_sections,
    .section_count = TP_COUNT_OF(large_sections),
    .input = &large_input,
    .init = large_init,
    .step = large_step,
};

tp_sim *live_fixture_make_sim(const WireWorld *world)
{
    tp_error  error = { "" };
    uint32_t  size = world->state.body.state.size;
    uint8_t  *state = malloc(size + 1);
    tp_ident *ident = malloc(sizeof(*ident));
    cr_assert(tp_ident_of_rules(world->rules, world->rules_size, ident, &error), "%s", error.text);
    tp_sim *sim = tp_sim_of_ident(ident, &testworld_flat, NULL, &error);
    sim = sim != NULL ? sim : tp_sim_of_ident(ident, &testworld_opaque, NULL, &error);
    sim = sim != NULL ? sim : tp_sim_of_ident(ident, &live_fixture_large, NULL, &error);
    cr_assert_not_null(sim, "%s", error.text);
    cr_assert_eq(ZSTD_getFrameContentSize(world->packed, world->state.body.state.packed_size), size);
    cr_assert_eq(ZSTD_decompress(state, size + 1, world->packed, world->state.body.state.packed_size), size);
    cr_assert(tp_sim_decode(sim, state, size, world->state.tick, world->state.body.state.input_leaf, world->state.body.state.event_leaf, &error),
              "%s", error.text);
    cr_assert(tp_hash128_equal(tp_sim_root(sim), world->state.body.state.root));
    free(state);
    free(ident);
    return sim;
}

uint8_t *live_fixture_pack(const uint8_t *state, size_t size, size_t *packed_size)
{
    ZSTD_CCtx *context = ZSTD_createCCtx();
    size_t     most = ZSTD_compressBound(size);
    uint8_t   *packed = malloc(most);
    cr_assert_not_null(packed);
    ZSTD_CCtx_setParameter(context, ZSTD_c_checksumFlag, 1);
    *packed_size = ZSTD_compress2(context, packed, most, state, size);
    cr_assert_not(ZSTD_isError(*packed_size));
    ZSTD_freeCCtx(context);
    return packed;
}

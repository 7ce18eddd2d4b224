// live_fixture.c: starting, stopping, and looking into logs.
#include "live_fixture.h"

#include <criterion/criterion.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

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

void live_fixture_arm_fault(tp_sim *sim)
{
    tp_view     view = tp_sim_view(sim);
    TestPlayer *players = (TestPlayer *)((unsigned char *)tp_sim_state(sim) + view.section_offset[TESTWORLD_PLAYERS]);
    players[0].x.raw = INT32_MAX;
    players[0].speed.raw = 65536;
}

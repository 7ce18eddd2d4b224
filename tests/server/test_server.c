// test_server.c: whole servers over recorded logs: every kind of log, and every way to end.
#include <criterion/criterion.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include "server_fixture.h"

typedef struct {
    Fixture       fixture;
    EventLog      events;
    ServerOptions options;
    Server       *server;
} Setting;

static void setting_open(Setting *setting, uint32_t threads)
{
    memset(setting, 0, sizeof(*setting));
    setting->fixture = fixture_open();
    server_options_standard(&setting->options);
    setting->options.threads = threads;
    setting->options.find_world = fixture_find_world;
    setting->options.event = fixture_event;
    setting->options.event_to = &setting->events;
}

static void setting_create(Setting *setting)
{
    tp_error error;
    setting->server = server_create(&setting->options, &error);
    cr_assert_not_null(setting->server, "%s", error.text);
}

static void setting_add(Setting *setting, const char *name, ServerPace pace, bool records)
{
    tp_error          error;
    ServerRoomOptions options;
    server_room_options_standard(&options);
    options.path = fixture_path(setting->fixture.path, name);
    options.pace = pace;
    options.record_dir = records ? setting->fixture.record : NULL;
    cr_assert(server_add_recorded(setting->server, &options, &error), "%s", error.text);
}

static void setting_run(Setting *setting)
{
    tp_error error;
    cr_assert_eq(server_run(setting->server, &error), SERVER_RUN_ENDED, "%s", error.text);
}

static void setting_close(Setting *setting)
{
    server_destroy(setting->server);
    fixture_close(&setting->fixture);
}

// Goal: many rooms on several threads come to the recorded bits, and record the same rows and roots again.
Test(server, fast_rooms_verify_and_record, .timeout = 60)
{
    enum { ROOMS = 12 };
    Setting setting;
    setting_open(&setting, 3);
    setting_create(&setting);
    for (int i = 0; i < ROOMS; i++) {
        char    name[32];
        LogPlan plan = { .world = i % 3 == 2 ? &testworld_opaque : &testworld_flat, .players = 2 + (uint32_t)i % 4, .seed = 10 + (uint64_t)i,
                         .ticks = 3000 + 777 * (uint64_t)i };
        snprintf(name, sizeof(name), "room%02d.tpr", i);
        fixture_write_log(&setting.fixture, name, &plan);
        setting_add(&setting, name, SERVER_FAST, true);
    }
    setting_run(&setting);
    for (uint32_t i = 0; i < ROOMS; i++) {
        const ServerRoomResult *result = server_room_result(setting.server, i);
        cr_assert_eq(result->report.verdict, TP_VERIFIED, "%s: %s", result->name, result->report.message);
        cr_assert_eq(result->ticks, 3000 + 777 * i);
        cr_assert_eq(result->report.checked, result->ticks);
        cr_assert_str_empty(result->log_error);
        cr_assert_eq(result->durable_tick, result->ticks);
        cr_assert_eq(result->log_bytes, fixture_size(result->log_path));
        tp_report own = fixture_verify(result->log_path);
        cr_assert_eq(own.verdict, TP_VERIFIED, "%s: %s", result->log_path, own.message);
        cr_assert_eq(own.end_reason, TP_END_COMPLETED);
        cr_assert_arr_eq(own.final_root, result->report.final_root, 16);
        cr_assert(fixture_has_equal_rows(result->path, result->log_path), "%s", result->name);
    }
    cr_assert_eq(server_verdict(setting.server), TP_VERIFIED);
    cr_assert_eq(setting.events.counts[SERVER_EVENT_ROOM_DONE], ROOMS);
    cr_assert_eq(setting.events.counts[SERVER_EVENT_ROOM_OPEN], ROOMS);
    cr_assert_eq(setting.events.counts[SERVER_EVENT_START], 1);
    cr_assert_eq(setting.events.counts[SERVER_EVENT_STOP], 1);
    setting_close(&setting);
}

// Goal: a checker that never caught a wrong root is none, and the others must not care.
Test(server, planted_root_diverges_alone, .timeout = 60)
{
    Setting setting;
    setting_open(&setting, 2);
    setting_create(&setting);
    for (int i = 0; i < 4; i++) {
        char    name[32];
        LogPlan plan = { .world = &testworld_flat, .players = 2, .seed = 3, .ticks = 8000, .plant_at = i == 2 ? 500 : 0 };
        snprintf(name, sizeof(name), "log%d.tpr", i);
        fixture_write_log(&setting.fixture, name, &plan);
        setting_add(&setting, name, SERVER_FAST, true);
    }
    setting_run(&setting);
    for (uint32_t i = 0; i < 4; i++) {
        cr_assert_eq(server_room_result(setting.server, i)->report.verdict, i == 2 ? TP_DIVERGED : TP_VERIFIED);
    }
    const ServerRoomResult *bad = server_room_result(setting.server, 2);
    cr_assert_eq(bad->report.bad_tick, 500);
    cr_assert_str_eq(bad->report.section, "players");
    cr_assert_eq(bad->report.section_tick, 511);
    cr_assert_eq(bad->report.field_tick, 3600);
    cr_assert_str_eq(bad->report.field, "players[0].presses");
    cr_assert_eq(bad->ticks, 3600, "it goes on to the next LEAVES and KEY and no further");
    const ServerEvent *event = &setting.events.last[SERVER_EVENT_ROOM_DIVERGED];
    cr_assert_eq(setting.events.counts[SERVER_EVENT_ROOM_DIVERGED], 1);
    cr_assert_str_eq(event->room, "log2");
    cr_assert_str_eq(event->section, "players");
    cr_assert_eq(event->tick, 500);
    cr_assert_not_null(strstr(event->text, "players[0].presses is "), "%s", event->text);
    tp_report own = fixture_verify(bad->log_path);
    cr_assert_eq(own.verdict, TP_VERIFIED, "its own log is this machine's truth: %s", own.message);
    cr_assert_eq(own.end_reason, TP_END_STOPPED);
    cr_assert_eq(server_verdict(setting.server), TP_DIVERGED);
    setting_close(&setting);
}

// Goal: a world that drifts while it is hosted is caught by the same comparison.
static void drift(void *to, const char *room, tp_sim *sim, uint64_t tick, bool is_finished)
{
    (void)to;
    if (is_finished && tick == 100 && strcmp(room, "b") == 0) {
        const tp_layout *layout = tp_sim_layout(sim);
        TestGame        *game = (TestGame *)((uint8_t *)tp_sim_state(sim) + layout->section_offset[TESTWORLD_GAME]);
        game->kicks += 1;
    }
}

Test(server, drifting_world_diverges, .timeout = 60)
{
    Setting setting;
    setting_open(&setting, 2);
    setting.options.each_tick = drift;
    setting_create(&setting);
    LogPlan plan = { .world = &testworld_flat, .players = 2, .seed = 3, .ticks = 300 };
    fixture_write_log(&setting.fixture, "a.tpr", &plan);
    fixture_write_log(&setting.fixture, "b.tpr", &plan);
    setting_add(&setting, "a.tpr", SERVER_FAST, false);
    setting_add(&setting, "b.tpr", SERVER_FAST, false);
    setting_run(&setting);
    cr_assert_eq(server_room_result(setting.server, 0)->report.verdict, TP_VERIFIED);
    const tp_report *report = &server_room_result(setting.server, 1)->report;
    cr_assert_eq(report->verdict, TP_DIVERGED);
    cr_assert_eq(report->bad_tick, 100);
    cr_assert_str_eq(report->section, "game");
    setting_close(&setting);
}

typedef struct {
    const char *name;
    LogPlan     plan;
    int         damage; ///< 0 none, 1 cut, 2 a flipped bit
    tp_verdict  verdict;
    ServerEventKind event;
} Case;

// Goal: every kind of log gets the verifier's verdict, and every room that ran leaves a readable log of its own.
Test(server, every_kind_of_log, .timeout = 60)
{
    const Case cases[] = {
        { "good.tpr", { .ticks = 700 }, 0, TP_VERIFIED, SERVER_EVENT_ROOM_DONE },
        { "truncated.tpr", { .ticks = 700 }, 1, TP_TRUNCATED, SERVER_EVENT_ROOM_DONE },
        { "corrupt.tpr", { .ticks = 700 }, 2, TP_CORRUPT, SERVER_EVENT_ROOM_DONE },
        { "endless.tpr", { .ticks = 700, .has_no_end = true }, 0, TP_TRUNCATED, SERVER_EVENT_ROOM_DONE },
        { "zero.tpr", { .ticks = 0 }, 0, TP_INCOMPLETE, SERVER_EVENT_ROOM_DONE },
        { "fault.tpr", { .ticks = 300, .ends_in_fault = true }, 0, TP_VERIFIED, SERVER_EVENT_ROOM_FAULT },
        { "rootless.tpr", { .ticks = 300, .has_no_roots = true }, 0, TP_UNVERIFIABLE, SERVER_EVENT_ROOM_DONE },
        { "gap.tpr", { .ticks = 300, .gap_ticks = 20 }, 0, TP_INCOMPLETE, SERVER_EVENT_ROOM_DONE },
        { "only-gap.tpr", { .ticks = 1, .gap_ticks = 1 }, 0, TP_INCOMPLETE, SERVER_EVENT_ROOM_DONE },
        { "rotated.tpr", { .ticks = 400, .starts_at = 150 }, 0, TP_INCOMPLETE, SERVER_EVENT_ROOM_DONE },
        { "short-root.tpr", { .ticks = 300, .root_size = 4 }, 0, TP_VERIFIED, SERVER_EVENT_ROOM_DONE },
    };
    enum { COUNT = sizeof(cases) / sizeof(cases[0]) };
    Setting setting;
    setting_open(&setting, 2);
    setting_create(&setting);
    for (size_t i = 0; i < COUNT; i++) {
        LogPlan plan = cases[i].plan;
        plan.world = &testworld_flat;
        plan.players = 3;
        plan.seed = 77;
        fixture_write_log(&setting.fixture, cases[i].name, &plan);
        const char *path = fixture_path(setting.fixture.path, cases[i].name);
        uint64_t    size = fixture_size(path);
        if (cases[i].damage == 1) {
            fixture_cut(path, size * 2 / 3);
        } else if (cases[i].damage == 2) {
            fixture_flip(path, size / 2);
        }
        setting_add(&setting, cases[i].name, SERVER_FAST, true);
    }
    setting_run(&setting);
    for (size_t i = 0; i < COUNT; i++) {
        const ServerRoomResult *result = server_room_result(setting.server, (uint32_t)i);
        tp_report               judged = fixture_verify(result->path);
        cr_expect_eq(result->report.verdict, cases[i].verdict, "%s: %s: %s", cases[i].name, tp_verdict_name(result->report.verdict),
                     result->report.message);
        cr_expect_eq(result->report.verdict, judged.verdict, "%s: the verifier says %s", cases[i].name, tp_verdict_name(judged.verdict));
        cr_expect_eq(result->report.checked, judged.checked, "%s", cases[i].name);
        cr_expect_eq(result->report.recorded, judged.recorded, "%s", cases[i].name);
        cr_expect_eq(result->report.offset, judged.offset, "%s", cases[i].name);
        cr_expect_str_eq(result->report.message, judged.message, "%s", cases[i].name);
        cr_expect_eq(result->last_event, cases[i].event, "%s", cases[i].name);
        cr_expect_str_empty(result->log_error, "%s: %s", cases[i].name, result->log_error);
        tp_report own = fixture_verify(result->log_path);
        cr_expect(own.has_end, "%s: %s", cases[i].name, own.message);
        cr_expect_eq(own.recorded, result->ticks, "%s", cases[i].name);
        cr_expect_eq(own.missing_ticks, judged.missing_ticks, "%s", cases[i].name);
        cr_expect_eq(own.gap_cause, judged.gap_cause, "%s", cases[i].name);
        bool is_whole = own.recorded > 0 && cases[i].plan.gap_ticks == 0 && cases[i].plan.starts_at == 0;
        cr_expect_eq(own.verdict, is_whole ? TP_VERIFIED : TP_INCOMPLETE, "%s: %s", cases[i].name, own.message);
    }
    cr_assert_eq(server_verdict(setting.server), TP_CORRUPT);
    setting_close(&setting);
}

static const tp_world *find_nothing(void *to, const char *name, uint32_t revision)
{
    (void)to;
    (void)name;
    (void)revision;
    return NULL;
}

Test(server, rooms_that_never_run_are_refused, .timeout = 60)
{
    Setting setting;
    LogPlan plan = { .world = &testworld_flat, .players = 2, .seed = 1, .ticks = 10 };
    setting_open(&setting, 1);
    setting.options.find_world = find_nothing;
    setting_create(&setting);
    fixture_write_log(&setting.fixture, "unknown.tpr", &plan);
    fixture_write_log(&setting.fixture, "stub.tpr", &plan);
    fixture_cut(fixture_path(setting.fixture.path, "stub.tpr"), 11);
    setting_add(&setting, "unknown.tpr", SERVER_FAST, true);
    setting_add(&setting, "missing.tpr", SERVER_FAST, true);
    setting_add(&setting, "stub.tpr", SERVER_REAL_TIME, true);
    setting_run(&setting);
    cr_assert_eq(server_room_result(setting.server, 0)->report.verdict, TP_INCOMPATIBLE);
    cr_assert_str_eq(server_room_result(setting.server, 0)->report.message,
                     "world 'testflat' (revision 1) is not here: give it with --world FILE.so");
    cr_assert_eq(server_room_result(setting.server, 1)->report.verdict, TP_USAGE);
    cr_assert_eq(server_room_result(setting.server, 2)->report.verdict, TP_TRUNCATED);
    cr_assert_eq(setting.events.counts[SERVER_EVENT_ROOM_REFUSED], 3);
    cr_assert_eq(server_verdict(setting.server), TP_INCOMPATIBLE);
    setting_close(&setting);
}

// Goal: a server that starts again leaves the logs of before as they are, and its own ones get the next free number.
Test(server, own_logs_of_before_stay, .timeout = 60)
{
    LogPlan plan = { .world = &testworld_flat, .players = 2, .seed = 1, .ticks = 100 };
    Setting setting;
    setting_open(&setting, 1);
    fixture_write_log(&setting.fixture, "a.tpr", &plan);
    fixture_write_log(&setting.fixture, "record/a.tpr", &plan);
    fixture_write_log(&setting.fixture, "record/a.2.tpr", &plan);
    fixture_cut(fixture_path(setting.fixture.record, "a.2.tpr"), 700);
    uint64_t size = fixture_size(fixture_path(setting.fixture.record, "a.tpr"));
    setting_create(&setting);
    setting_add(&setting, "a.tpr", SERVER_FAST, true);
    setting_run(&setting);
    const ServerRoomResult *result = server_room_result(setting.server, 0);
    cr_assert_eq(result->report.verdict, TP_VERIFIED);
    cr_assert_str_eq(result->log_path, fixture_path(setting.fixture.record, "a.3.tpr"));
    cr_assert_eq(fixture_verify(result->log_path).verdict, TP_VERIFIED);
    cr_assert_eq(fixture_size(fixture_path(setting.fixture.record, "a.tpr")), size);
    cr_assert_eq(fixture_size(fixture_path(setting.fixture.record, "a.2.tpr")), 700);
    setting_close(&setting);
}

// Goal: rooms that need more open files than there can be are refused before any of them starts.
Test(server, too_few_open_files, .timeout = 60)
{
    enum { ROOMS = 60 };
    LogPlan       plan = { .world = &testworld_flat, .players = 2, .seed = 1, .ticks = 100 };
    struct rlimit limit, small;
    Setting       setting;
    tp_error      error = { "" };
    setting_open(&setting, 1);
    fixture_write_log(&setting.fixture, "a.tpr", &plan);
    setting_create(&setting);
    for (int i = 0; i < ROOMS; i++) {
        setting_add(&setting, "a.tpr", SERVER_REAL_TIME, true);
    }
    cr_assert_eq(getrlimit(RLIMIT_NOFILE, &limit), 0);
    small = limit;
    small.rlim_cur = SERVER_FILES_SPARE + 3 * ROOMS - 1;
    cr_assert_eq(setrlimit(RLIMIT_NOFILE, &small), 0);
    cr_assert_not(server_check(setting.server, &error));
    cr_assert_not_null(strstr(error.text, "ulimit -n"), "%s", error.text);
    cr_assert_eq(server_run(setting.server, &error), SERVER_RUN_FAILED);
    small.rlim_cur += 1;
    cr_assert_eq(setrlimit(RLIMIT_NOFILE, &small), 0);
    cr_assert(server_check(setting.server, &error), "%s", error.text);
    cr_assert_eq(setrlimit(RLIMIT_NOFILE, &limit), 0);
    setting_close(&setting);
}

// Goal: a world that faults where the recorded one did not stops its room only, and its own log says so.
static void overflow(void *to, const char *room, tp_sim *sim, uint64_t tick, bool is_finished)
{
    (void)to;
    if (!is_finished && tick == 110 && strcmp(room, "b") == 0) {
        const tp_layout *layout = tp_sim_layout(sim);
        TestPlayer      *players = (TestPlayer *)((uint8_t *)tp_sim_state(sim) + layout->section_offset[TESTWORLD_PLAYERS]);
        players[0].x.raw = INT32_MAX;
        players[0].speed.raw = 655360;
    }
}

Test(server, fault_stops_its_room_only, .timeout = 60)
{
    LogPlan plan = { .world = &testworld_flat, .players = 2, .seed = 3, .ticks = 300 };
    Setting setting;
    setting_open(&setting, 1);
    setting.options.each_tick = overflow;
    fixture_write_log(&setting.fixture, "a.tpr", &plan);
    fixture_write_log(&setting.fixture, "b.tpr", &plan);
    setting_create(&setting);
    setting_add(&setting, "a.tpr", SERVER_FAST, true);
    setting_add(&setting, "b.tpr", SERVER_FAST, true);
    setting_run(&setting);
    const ServerRoomResult *bad = server_room_result(setting.server, 1);
    cr_assert_eq(server_room_result(setting.server, 0)->report.verdict, TP_VERIFIED);
    cr_assert_eq(bad->last_event, SERVER_EVENT_ROOM_FAULT);
    cr_assert_eq(bad->report.verdict, TP_DIVERGED, "%s", bad->report.message);
    cr_assert_eq(bad->report.bad_tick, 110);
    cr_assert_eq(bad->ticks, 110);
    cr_assert_eq(fixture_verify(bad->log_path).end_reason, TP_END_FAULT);
    setting_close(&setting);
}

// Goal: a disk that takes no more costs the log, not the room, and the exit code says so.
Test(server, full_disk_loses_the_log_only, .timeout = 60)
{
    LogPlan       plan = { .world = &testworld_flat, .players = 2, .seed = 3, .ticks = 30000 };
    struct rlimit limit;
    Setting       setting;
    setting_open(&setting, 1);
    fixture_write_log(&setting.fixture, "a.tpr", &plan);
    setting_create(&setting);
    setting_add(&setting, "a.tpr", SERVER_FAST, true);
    cr_assert_eq(getrlimit(RLIMIT_FSIZE, &limit), 0);
    struct rlimit small = { .rlim_cur = 20000, .rlim_max = limit.rlim_max };
    signal(SIGXFSZ, SIG_IGN);
    cr_assert_eq(setrlimit(RLIMIT_FSIZE, &small), 0);
    setting_run(&setting);
    cr_assert_eq(setrlimit(RLIMIT_FSIZE, &limit), 0);
    const ServerRoomResult *result = server_room_result(setting.server, 0);
    cr_assert_eq(result->report.verdict, TP_VERIFIED);
    cr_assert_eq(result->ticks, 30000);
    cr_assert_str_not_empty(result->log_error);
    cr_assert_eq(setting.events.counts[SERVER_EVENT_RECORD_FAILED], 1);
    cr_assert_eq(server_verdict(setting.server), TP_INCOMPLETE);
    cr_assert_eq(fixture_verify(result->log_path).verdict, TP_TRUNCATED);
    setting_close(&setting);
}

static atomic_bool is_released;

static void hang(void *to, const char *room, tp_sim *sim, uint64_t tick, bool is_finished)
{
    (void)room;
    (void)sim;
    Setting *setting = to;
    if (tick == 50 && !is_finished) {
        server_stop(setting->server);
        while (!atomic_load(&is_released)) {
            nanosleep(&(struct timespec){ .tv_nsec = 1000000 }, NULL);
        }
    }
}

// Goal: a world that hangs cannot hold the process. What is freed afterwards is freed by leaving.
Test(server, hanging_world_is_overdue, .timeout = 60)
{
    LogPlan        plan = { .world = &testworld_flat, .players = 2, .seed = 3, .ticks = 100 };
    static Setting setting;
    tp_error       error;
    setting_open(&setting, 2);
    setting.options.each_tick = hang;
    setting.options.each_to = &setting;
    setting.options.stop_ms = 30;
    fixture_write_log(&setting.fixture, "a.tpr", &plan);
    setting_create(&setting);
    setting_add(&setting, "a.tpr", SERVER_FAST, false);
    cr_assert_eq(server_run(setting.server, &error), SERVER_RUN_OVERDUE);
    cr_assert_eq(setting.events.counts[SERVER_EVENT_OVERDUE], 1);
    cr_assert_null(server_room_result(setting.server, 0));
    cr_assert_eq(server_verdict(setting.server), TP_INTERNAL);
    fixture_close(&setting.fixture);
    atomic_store(&is_released, true);
}

static void stop_at(void *to, const char *room, tp_sim *sim, uint64_t tick, bool is_finished)
{
    (void)room;
    (void)sim;
    Setting *setting = to;
    if (tick == 5000 && !is_finished) {
        server_stop(setting->server);
    }
}

// Goal: a stop in the middle costs nothing that was done: logs end with END, and verify.
Test(server, stop_ends_every_log, .timeout = 60)
{
    LogPlan plan = { .world = &testworld_flat, .players = 2, .seed = 9, .ticks = 400000 };
    LogPlan slow = { .world = &testworld_flat, .players = 2, .seed = 9, .ticks = 2000 };
    Setting setting;
    setting_open(&setting, 2);
    setting.options.each_tick = stop_at;
    setting.options.each_to = &setting;
    fixture_write_log(&setting.fixture, "long.tpr", &plan);
    fixture_write_log(&setting.fixture, "slow.tpr", &slow);
    setting_create(&setting);
    setting_add(&setting, "long.tpr", SERVER_FAST, true);
    setting_add(&setting, "slow.tpr", SERVER_REAL_TIME, true);
    setting_add(&setting, "slow.tpr", SERVER_REAL_TIME, false);
    setting_run(&setting);
    for (uint32_t i = 0; i < 3; i++) {
        const ServerRoomResult *result = server_room_result(setting.server, i);
        cr_assert_eq(result->last_event, SERVER_EVENT_ROOM_STOPPED, "%s", result->name);
        cr_assert_eq(result->report.verdict, TP_INCOMPLETE, "%s", result->report.message);
        cr_assert_not_null(strstr(result->report.message, "which all matched"), "%s", result->report.message);
    }
    const ServerRoomResult *result = server_room_result(setting.server, 0);
    cr_assert_gt(result->ticks, 5000);
    cr_assert_lt(result->ticks, 400000);
    tp_report own = fixture_verify(result->log_path);
    cr_assert_eq(own.end_reason, TP_END_STOPPED);
    cr_assert_eq(own.recorded, result->ticks);
    cr_assert_eq(own.verdict, TP_VERIFIED, "%s", own.message);
    cr_assert_eq(fixture_verify(server_room_result(setting.server, 1)->log_path).end_reason, TP_END_STOPPED);
    cr_assert_eq(setting.events.counts[SERVER_EVENT_STOPPING], 1);
    setting_close(&setting);
}

// Goal: a stop that comes before the first tick opens nothing.
Test(server, stop_before_run, .timeout = 60)
{
    LogPlan plan = { .world = &testworld_flat, .players = 2, .seed = 9, .ticks = 400000 };
    Setting setting;
    setting_open(&setting, 1);
    fixture_write_log(&setting.fixture, "long.tpr", &plan);
    setting_create(&setting);
    setting_add(&setting, "long.tpr", SERVER_FAST, true);
    server_stop(setting.server);
    setting_run(&setting);
    cr_assert_eq(server_room_result(setting.server, 0)->last_event, SERVER_EVENT_ROOM_STOPPED);
    cr_assert_lt(server_room_result(setting.server, 0)->ticks, 400000);
    setting_close(&setting);
}

Test(server, two_hundred_small_logs, .timeout = 60)
{
    enum { ROOMS = 200 };
    Setting setting;
    setting_open(&setting, 2);
    setting_create(&setting);
    for (int i = 0; i < ROOMS; i++) {
        char    name[32];
        LogPlan plan = { .world = &testworld_flat, .players = 1, .seed = (uint64_t)i, .ticks = 20 + (uint64_t)i };
        snprintf(name, sizeof(name), "small%03d.tpr", i);
        fixture_write_log(&setting.fixture, name, &plan);
        setting_add(&setting, name, SERVER_FAST, true);
    }
    setting_run(&setting);
    for (uint32_t i = 0; i < ROOMS; i++) {
        const ServerRoomResult *result = server_room_result(setting.server, i);
        cr_assert_eq(result->report.verdict, TP_VERIFIED, "%s: %s", result->name, result->report.message);
        cr_assert_eq(fixture_verify(result->log_path).verdict, TP_VERIFIED);
    }
    cr_assert_eq(setting.events.counts[SERVER_EVENT_ROOM_DONE], ROOMS, "a room's last event is never dropped");
    setting_close(&setting);
}

Test(server, loops_run_and_record_each_time, .timeout = 60)
{
    LogPlan           plan = { .world = &testworld_opaque, .players = 2, .seed = 4, .ticks = 200 };
    ServerRoomOptions options;
    Setting           setting;
    tp_error          error;
    setting_open(&setting, 1);
    fixture_write_log(&setting.fixture, "a.tpr", &plan);
    setting_create(&setting);
    server_room_options_standard(&options);
    options.path = fixture_path(setting.fixture.path, "a.tpr");
    options.pace = SERVER_FAST;
    options.loops = 3;
    options.record_dir = setting.fixture.record;
    cr_assert(server_add_recorded(setting.server, &options, &error));
    setting_run(&setting);
    const ServerRoomResult *result = server_room_result(setting.server, 0);
    cr_assert_eq(result->loops, 3);
    cr_assert_eq(result->ticks, 600);
    cr_assert_eq(setting.events.counts[SERVER_EVENT_ROOM_DONE], 1);
    cr_assert_eq(fixture_verify(fixture_path(setting.fixture.record, "a.tpr")).verdict, TP_VERIFIED);
    cr_assert_eq(fixture_verify(fixture_path(setting.fixture.record, "a.loop3.tpr")).verdict, TP_VERIFIED);
    setting_close(&setting);
}

Test(server, names_are_unique_and_harmless, .timeout = 60)
{
    Setting setting;
    setting_open(&setting, 1);
    setting_create(&setting);
    setting_add(&setting, "x/same.tpr", SERVER_FAST, false);
    setting_add(&setting, "y/same.tpr", SERVER_FAST, false);
    setting_add(&setting, ".a b\n/..tpr", SERVER_FAST, false);
    cr_assert_str_eq(server_room_result(setting.server, 0)->name, "same");
    cr_assert_str_eq(server_room_result(setting.server, 1)->name, "same-2");
    cr_assert_str_eq(server_room_result(setting.server, 2)->name, "_");
    setting_close(&setting);
}

// Goal: 120 Hz is 120 Hz over a second, give or take two ticks, with a fast neighbour on the same thread.
Test(server, real_time_holds_its_rate, .timeout = 30)
{
    LogPlan plan = { .world = &testworld_flat, .players = 2, .seed = 5, .ticks = 120, .tick_rate_hz = 120 };
    LogPlan neighbour = { .world = &testworld_flat, .players = 2, .seed = 6, .ticks = 20000 };
    Setting setting;
    setting_open(&setting, 1);
    fixture_write_log(&setting.fixture, "clock.tpr", &plan);
    fixture_write_log(&setting.fixture, "neighbour.tpr", &neighbour);
    setting_create(&setting);
    setting_add(&setting, "clock.tpr", SERVER_REAL_TIME, true);
    setting_add(&setting, "neighbour.tpr", SERVER_FAST, false);
    setting_run(&setting);
    const ServerRoomResult *result = server_room_result(setting.server, 0);
    cr_assert_eq(result->report.verdict, TP_VERIFIED, "%s", result->report.message);
    cr_assert_eq(server_room_result(setting.server, 1)->report.verdict, TP_VERIFIED);
    cr_assert_eq(result->ticks, 120);
    // A busy machine may begin the first or the last tick late, and may drop some: then the room takes longer by just that.
    int64_t period_ns = 1000000000 / 120;
    int64_t off_ns = result->running_ns - (119 + (int64_t)result->dropped_ticks) * period_ns;
    int64_t allowed_ns = 2 * period_ns + result->late_max_ns;
    cr_assert(off_ns > -allowed_ns && off_ns < allowed_ns, "off by %lld ns", (long long)off_ns);
    cr_assert_eq(fixture_verify(result->log_path).verdict, TP_VERIFIED);
    setting_close(&setting);
}

static void stall(void *to, const char *room, tp_sim *sim, uint64_t tick, bool is_finished)
{
    (void)to;
    (void)room;
    (void)sim;
    if (tick == 9 && !is_finished) {
        nanosleep(&(struct timespec){ .tv_sec = 1 }, NULL);
    }
}

// Goal: a thread that was away for a second catches up with five ticks, counts the rest and skips no row.
Test(server, stalled_thread_drops_and_counts, .timeout = 30)
{
    LogPlan plan = { .world = &testworld_flat, .players = 2, .seed = 5, .ticks = 30, .tick_rate_hz = 60 };
    Setting setting;
    setting_open(&setting, 1);
    setting.options.each_tick = stall;
    fixture_write_log(&setting.fixture, "stalled.tpr", &plan);
    setting_create(&setting);
    setting_add(&setting, "stalled.tpr", SERVER_REAL_TIME, false);
    setting_run(&setting);
    const ServerRoomResult *result = server_room_result(setting.server, 0);
    cr_assert_eq(result->report.verdict, TP_VERIFIED, "%s", result->report.message);
    cr_assert_eq(result->report.checked, 30);
    cr_assert_geq(result->dropped_ticks, 54);
    cr_assert_geq(result->hitches, 1);
    cr_assert_geq(setting.events.counts[SERVER_EVENT_ROOM_LATE], 1);
    cr_assert_geq(result->late_max_ns, 900000000);
    setting_close(&setting);
}

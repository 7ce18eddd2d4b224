// test_server_log.c: a room's own log, killed, full, rotated. The disk is real, limited by the system's bound on the size of files; only
// syncs are played, so that they can fail and cost nothing.
#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <unistd.h>

#include "log_mutate.h"
#include "server_fixture.h"
#include "server_log.h"

TestSuite(server_log, .timeout = 240);

int __wrap_fdatasync(int file);
int __wrap_fsync(int file);

static atomic_int failing_syncs; // of fdatasync, from the next one on
static atomic_int failing_cuts;  // of fsync, which only cuts and directories use

int __wrap_fdatasync(int file)
{
    (void)file;
    if (atomic_load(&failing_syncs) > 0) {
        atomic_fetch_sub(&failing_syncs, 1);
        errno = EIO;
        return -1;
    }
    return 0;
}

int __wrap_fsync(int file)
{
    (void)file;
    if (atomic_load(&failing_cuts) > 0) {
        atomic_fetch_sub(&failing_cuts, 1);
        errno = EIO;
        return -1;
    }
    return 0;
}

enum { PLAYERS = 3, RETRY_NS = SERVER_LOG_RETRY_MS * 1000000 };

typedef struct Stage {
    Fixture          fixture;
    const tp_world  *world;
    uint64_t         seed;
    ServerLogOptions options;
    ServerLogTakenUp taken_up;
    ServerLog        log;
    tp_sim          *sim;
    uint32_t         rotations;
    bool             is_member[PLAYERS]; // as the log said when it was taken up
    uint8_t          first_byte[PLAYERS];
} Stage;

static void drained(void *to)
{
    (void)to;
}

static void member(void *to, uint32_t slot, const uint8_t token_hash[SERVER_TOKEN_HASH])
{
    Stage *stage = to;
    cr_assert_lt(slot, PLAYERS);
    stage->is_member[slot] = true;
    stage->first_byte[slot] = token_hash[0];
    cr_assert_eq(token_hash[SERVER_TOKEN_HASH - 1], 0xa5);
}

static void stage_init(Stage *stage)
{
    memset(stage, 0, sizeof(*stage));
    stage->fixture = fixture_open();
    stage->world = &testworld_flat;
    stage->seed = 5;
    stage->options = (ServerLogOptions){
        .directory = stage->fixture.record,
        .room = "room",
        .loop = 1,
        .build = "test",
        .durability = TP_DURABLE_INTERVAL,
        .drained = drained,
    };
    signal(SIGXFSZ, SIG_IGN);
}

static tp_sim *make_sim(const Stage *stage)
{
    tp_error error;
    tp_setup setup = testworld_setup(stage->world, PLAYERS, stage->seed);
    tp_sim  *sim = tp_sim_create(stage->world, &setup, NULL, &error);
    cr_assert_not_null(sim);
    return sim;
}

static bool open_log(Stage *stage, tp_error *error)
{
    memset(stage->is_member, 0, sizeof(stage->is_member));
    stage->sim = make_sim(stage);
    stage->options.member = member;
    stage->options.member_to = stage;
    return server_log_open(&stage->log, stage->sim, &stage->options, &stage->taken_up, error);
}

static void must_open(Stage *stage)
{
    tp_error error = { "" };
    cr_assert(open_log(stage, &error), "%s", error.text);
}

// One tick of the script; false when the log did not take it.
static bool step(Stage *stage)
{
    TestScript script;
    tp_error   error;
    tp_row     row = testworld_row(stage->sim, &script, tp_sim_tick(stage->sim));
    cr_assert_eq(tp_sim_step(stage->sim, &row, &error), TP_SIM_OK, "%s", error.text);
    bool is_taken = server_log_tick(&stage->log, stage->sim, &row);
    stage->rotations += server_log_has_rotated(&stage->log) ? 1 : 0;
    return is_taken;
}

static void step_to(Stage *stage, uint64_t tick)
{
    while (tp_sim_tick(stage->sim) < tick) {
        cr_assert(step(stage), "tick %llu: %s", (unsigned long long)tp_sim_tick(stage->sim), server_log_error(&stage->log));
    }
}

static void finish(Stage *stage, tp_end_reason reason)
{
    server_log_finish(&stage->log, stage->sim, reason);
    while (!server_log_is_drained(&stage->log)) {
        sched_yield();
    }
}

static uint64_t close_log(Stage *stage)
{
    stage->rotations += server_log_has_rotated(&stage->log) ? 1 : 0;
    uint64_t bytes = server_log_close(&stage->log);
    tp_sim_destroy(stage->sim);
    stage->sim = NULL;
    return bytes;
}

static void set_member(Stage *stage, uint32_t slot, uint8_t first)
{
    uint8_t hash[SERVER_TOKEN_HASH] = { first };
    hash[SERVER_TOKEN_HASH - 1] = 0xa5;
    server_log_member(&stage->log, slot, first == 0 ? NULL : hash);
}

static const char *own(const Stage *stage, const char *name)
{
    return fixture_path(stage->fixture.record, name);
}

static bool exists(const Stage *stage, const char *name)
{
    return access(own(stage, name), F_OK) == 0;
}

typedef struct Bytes {
    uint8_t *bytes;
    size_t   size;
} Bytes;

static Bytes load(const char *path)
{
    Bytes whole = { .size = fixture_size(path) };
    int   file = open(path, O_RDONLY);
    whole.bytes = malloc(whole.size + 1);
    cr_assert(file >= 0 && read(file, whole.bytes, whole.size) == (ssize_t)whole.size);
    close(file);
    return whole;
}

static void save(const char *path, const uint8_t *bytes, size_t size)
{
    int file = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0644);
    cr_assert(file >= 0 && write(file, bytes, size) == (ssize_t)size, "%s", path);
    close(file);
}

// Offset of the first record of the type, or the size.
static size_t offset_of(const Bytes *whole, uint32_t type)
{
    LogMutate list;
    size_t    offset = 28;
    cr_assert(log_mutate_load(&list, whole->bytes, whole->size));
    for (size_t i = 0; i < list.count && list.records[i].type != type; i++) {
        offset += list.records[i].size + 32;
    }
    log_mutate_finish(&list);
    return offset;
}

// Verifies the named files as a series: each with what the one before it came to. The last one's report.
static tp_report verify_series(const Stage *stage, const char *const *names, size_t count)
{
    tp_report      report = { 0 };
    tp_predecessor before = { 0 };
    for (size_t i = 0; i < count; i++) {
        tp_verify_options options;
        int               file = open(own(stage, names[i]), O_RDONLY);
        cr_assert(file >= 0, "%s: %s", names[i], strerror(errno));
        tp_source source = tp_source_of_fd(&file);
        tp_verify_options_standard(&options);
        options.find_world = fixture_find_world;
        options.predecessor = i == 0 ? NULL : &before;
        tp_verify_log(&source, &options, &report);
        close(file);
        before = (tp_predecessor){ .next_tick = report.next_tick, .sequence = report.sequence };
        memcpy(before.chain, report.chain, sizeof(before.chain));
        memcpy(before.root, report.final_root, sizeof(before.root));
        cr_assert(i + 1 == count || report.verdict == TP_VERIFIED, "%s: %s: %s", names[i], tp_verdict_name(report.verdict), report.message);
    }
    return report;
}

static tp_report verify_one(const Stage *stage, const char *name)
{
    return verify_series(stage, &name, 1);
}

static void expect_verified(const tp_report *report, uint64_t next_tick)
{
    cr_assert_eq(report->verdict, TP_VERIFIED, "%s: %s", tp_verdict_name(report->verdict), report->message);
    cr_assert_eq(report->next_tick, next_tick);
}

// A run of `ticks` in a file without END: what a kill leaves, if everything had been written.
static Bytes killed_run(Stage *stage, uint64_t ticks)
{
    must_open(stage);
    step_to(stage, ticks / 2);
    set_member(stage, 1, 0x11);
    set_member(stage, 2, 0x22);
    step_to(stage, ticks - 5);
    set_member(stage, 2, 0);
    step_to(stage, ticks);
    finish(stage, TP_END_STOPPED);
    close_log(stage);
    Bytes whole = load(own(stage, "room.tpr"));
    whole.size = offset_of(&whole, TP_LOG_INDEX);
    save(own(stage, "room.tpr"), whole.bytes, whole.size);
    return whole;
}

Test(server_log, new_logs_get_numbers)
{
    Stage stage;
    stage_init(&stage);
    for (int run = 1; run <= 3; run++) {
        must_open(&stage);
        cr_assert_not(stage.taken_up.is_taken_up);
        cr_assert_eq(stage.taken_up.epoch, 0);
        step_to(&stage, 100);
        finish(&stage, TP_END_COMPLETED);
        cr_assert_null(server_log_error(&stage.log));
        cr_assert_eq(server_log_durable_tick(&stage.log), 100);
        char path[SERVER_PATH_SIZE];
        snprintf(path, sizeof(path), "%s", stage.log.path);
        cr_assert_eq(close_log(&stage), fixture_size(path));
    }
    const char *names[] = { "room.tpr", "room.2.tpr", "room.3.tpr" };
    for (size_t i = 0; i < 3; i++) {
        tp_report report = verify_one(&stage, names[i]);
        expect_verified(&report, 100);
    }
    // A log with END is over: going on begins a new one, and says nothing.
    stage.options.goes_on = true;
    must_open(&stage);
    cr_assert_not(stage.taken_up.is_taken_up);
    cr_assert_str_empty(stage.taken_up.passed_over);
    cr_assert_eq(stage.taken_up.epoch, 0);
    finish(&stage, TP_END_STOPPED);
    close_log(&stage);
    cr_assert(exists(&stage, "room.4.tpr"));
    fixture_close(&stage.fixture);
}

// Goal: killed at any byte of the last runs, the log goes on at the tick that its whole records end with, and the whole of it verifies.
static void cut_everywhere(const tp_world *world)
{
    Stage stage;
    stage_init(&stage);
    stage.world = world;
    Bytes whole = killed_run(&stage, 130);
    stage.options.goes_on = true;
    size_t from = whole.size > 2600 ? whole.size - 2600 : 0;
    for (size_t cut = from; cut <= whole.size; cut++) {
        save(own(&stage, "room.tpr"), whole.bytes, cut);
        must_open(&stage);
        cr_assert(stage.taken_up.is_taken_up, "cut at %zu: %s", cut, stage.taken_up.passed_over);
        cr_assert_eq(stage.taken_up.epoch, 1);
        cr_assert_eq(stage.taken_up.next_tick, tp_sim_tick(stage.sim));
        cr_assert_leq(stage.taken_up.next_tick, 130);
        cr_assert(cut < whole.size || (stage.taken_up.next_tick == 130 && stage.taken_up.cut_bytes == 0));
        cr_assert_eq(server_log_durable_tick(&stage.log), stage.taken_up.next_tick);
        if (cut == whole.size) {
            cr_assert(stage.is_member[1] && !stage.is_member[2] && stage.first_byte[1] == 0x11);
        }
        step_to(&stage, 150);
        finish(&stage, TP_END_COMPLETED);
        cr_assert_null(server_log_error(&stage.log));
        close_log(&stage);
        tp_report report = verify_one(&stage, "room.tpr");
        expect_verified(&report, 150);
        cr_assert_eq(report.resumes, 1);
        cr_assert_eq(report.gaps, 0);
    }
    cr_assert_not(exists(&stage, "room.2.tpr"));
    free(whole.bytes);
    fixture_close(&stage.fixture);
}

Test(server_log, killed_at_any_byte)
{
    cut_everywhere(&testworld_flat);
}

Test(server_log, killed_at_any_byte_opaque)
{
    cut_everywhere(&testworld_opaque);
}

// Goal: every restart has a higher epoch than the one before, also where the disk failed in between.
Test(server_log, epochs_only_grow)
{
    Stage stage;
    stage_init(&stage);
    stage.options.goes_on = true;
    stage.options.rotate_ticks = 50;
    uint32_t last = 0;
    for (uint64_t run = 0; run < 12; run++) {
        must_open(&stage);
        cr_assert_eq(stage.taken_up.is_taken_up, run > 0);
        cr_assert(run == 0 || stage.taken_up.epoch > last, "run %llu: %u after %u", (unsigned long long)run, stage.taken_up.epoch, last);
        last = stage.taken_up.epoch;
        cr_assert_eq(tp_sim_tick(stage.sim), run * 23);
        step_to(&stage, (run + 1) * 23);
        finish(&stage, TP_END_STOPPED);
        close_log(&stage);
        Bytes whole = load(stage.log.path);
        save(stage.log.path, whole.bytes, offset_of(&whole, TP_LOG_INDEX)); // killed
        free(whole.bytes);
    }
    stage.options.goes_on = true;
    must_open(&stage);
    finish(&stage, TP_END_COMPLETED);
    close_log(&stage);
    const char *names[] = { "room.part0001.tpr", "room.part0002.tpr", "room.part0003.tpr", "room.part0004.tpr", "room.part0005.tpr", "room.part0006.tpr" };
    tp_report   report = verify_series(&stage, names, 6);
    expect_verified(&report, 12 * 23);
    fixture_close(&stage.fixture);
}

Test(server_log, rotated_series_verifies)
{
    const char *names[] = { "room.part0001.tpr", "room.part0002.tpr", "room.part0003.tpr", "room.part0004.tpr" };
    Stage       stage;
    stage_init(&stage);
    stage.options.rotate_ticks = 64;
    must_open(&stage);
    set_member(&stage, 0, 0x10);
    step_to(&stage, 70);
    set_member(&stage, 1, 0x11);
    step_to(&stage, 200);
    finish(&stage, TP_END_COMPLETED);
    cr_assert_null(server_log_error(&stage.log));
    uint64_t bytes = close_log(&stage);
    cr_assert_gt(stage.rotations, 0);
    cr_assert_str_eq(stage.log.path, own(&stage, names[3]));
    tp_report report = verify_series(&stage, names, 4);
    expect_verified(&report, 200);
    for (size_t i = 0; i < 4; i++) {
        bytes -= fixture_size(own(&stage, names[i]));
    }
    cr_assert_eq(bytes, 0);
    // Planted: a file that names another predecessor is not proven by the one before it.
    Bytes     whole = load(own(&stage, names[3]));
    LogMutate list;
    size_t    size = 0;
    cr_assert(log_mutate_load(&list, whole.bytes, whole.size));
    list.records[0].payload[24] ^= 1;
    uint8_t *forged = log_mutate_save(&list, LOG_MUTATE_ALL, &size);
    save(own(&stage, names[3]), forged, size);
    report = verify_series(&stage, names, 4);
    cr_assert_eq(report.verdict, TP_INCOMPLETE, "%s", tp_verdict_name(report.verdict));
    log_mutate_finish(&list);
    free(forged);
    free(whole.bytes);
    fixture_close(&stage.fixture);
}

static void check_taken_up(Stage *stage, const char *const names[3], uint64_t tick, size_t at)
{
    must_open(stage);
    cr_assert(stage->taken_up.is_taken_up, "at %zu: %s", at, stage->taken_up.passed_over);
    cr_assert_leq(stage->taken_up.next_tick, tick);
    cr_assert_gt(stage->taken_up.next_tick, 64);
    cr_assert(stage->taken_up.epoch >= 1);
    cr_assert(stage->is_member[0] && stage->first_byte[0] == 0x10, "at %zu", at);
    cr_assert_not(stage->is_member[2]);
    step_to(stage, 140);
    finish(stage, TP_END_COMPLETED);
    close_log(stage);
    // An old file that goes on at the very tick of its rotation is not rotated before the next one is due.
    tp_report report = verify_series(stage, names, exists(stage, names[2]) ? 3 : 2);
    expect_verified(&report, 140);
    cr_assert_not(exists(stage, "room.2.part0001.tpr"));
    cr_assert_not(exists(stage, "room.part0004.tpr"));
}

// Goal: killed at any byte of a rotation, one of the two files goes on, who is in the room is known, and the series verifies.
Test(server_log, killed_inside_a_rotation)
{
    const char *names[] = { "room.part0001.tpr", "room.part0002.tpr", "room.part0003.tpr" };
    Stage       stage;
    Bytes       whole[3];
    stage_init(&stage);
    stage.options.rotate_ticks = 64;
    must_open(&stage);
    set_member(&stage, 0, 0x10);
    set_member(&stage, 2, 0x12);
    step_to(&stage, 70);
    set_member(&stage, 2, 0);
    step_to(&stage, 135);
    finish(&stage, TP_END_COMPLETED);
    close_log(&stage);
    for (size_t i = 0; i < 3; i++) {
        whole[i] = load(own(&stage, names[i]));
    }
    stage.options.goes_on = true;
    size_t before_end = offset_of(&whole[1], TP_LOG_INDEX);
    size_t start = offset_of(&whole[2], TP_LOG_NOTE); // behind IDENT and KEY
    for (size_t at = 0; at <= start; at++) { // the next file grows
        save(own(&stage, names[0]), whole[0].bytes, whole[0].size);
        save(own(&stage, names[1]), whole[1].bytes, before_end);
        save(own(&stage, names[2]), whole[2].bytes, at);
        check_taken_up(&stage, names, 128, at);
    }
    for (size_t at = before_end; at <= whole[1].size; at++) { // the old one is ended
        save(own(&stage, names[1]), whole[1].bytes, at);
        save(own(&stage, names[2]), whole[2].bytes, start);
        check_taken_up(&stage, names, 128, at);
    }
    size_t rows = offset_of(&whole[2], TP_LOG_TICKS);
    for (size_t at = start; at < rows + 200 && at < whole[2].size; at++) { // members are told again, then rows come
        save(own(&stage, names[1]), whole[1].bytes, whole[1].size);
        save(own(&stage, names[2]), whole[2].bytes, at);
        check_taken_up(&stage, names, 135, at);
    }
    // A disk that forgot the next file, or its first bytes, without having promised them.
    for (int torn = 0; torn < 2; torn++) {
        save(own(&stage, names[1]), whole[1].bytes, whole[1].size);
        unlink(own(&stage, names[2]));
        if (torn == 1) {
            save(own(&stage, names[2]), whole[2].bytes, 100);
        }
        check_taken_up(&stage, names, 128, 0);
    }
    for (size_t i = 0; i < 3; i++) {
        free(whole[i].bytes);
    }
    fixture_close(&stage.fixture);
}

static void limit_files(rlim_t size)
{
    struct rlimit limit;
    cr_assert_eq(getrlimit(RLIMIT_FSIZE, &limit), 0);
    limit.rlim_cur = size;
    cr_assert_eq(setrlimit(RLIMIT_FSIZE, &limit), 0);
}

// Calls retry as a room would, a second of its clock each time, until it goes on.
static bool retry(Stage *stage, int64_t *now_ns, uint64_t *gap_ticks, int most)
{
    for (int i = 0; i < most; i++) {
        *now_ns += 1000000000;
        if (server_log_retry(&stage->log, stage->sim, *now_ns, gap_ticks)) {
            return true;
        }
        for (int turn = 0; turn < 50; turn++) {
            sched_yield();
        }
    }
    return false;
}

// Steps although the log takes nothing.
static void run_without_log(Stage *stage, uint64_t tick)
{
    while (tp_sim_tick(stage->sim) < tick) {
        (void)step(stage);
    }
}

static void expect_whole_records(const Stage *stage)
{
    tp_recovery recovery;
    tp_error    error;
    int         file = open(stage->log.path, O_RDONLY);
    tp_source   source = tp_source_of_fd(&file);
    cr_assert_eq(tp_log_recover(&source, &recovery, &error), TP_LOG_OK, "%s", error.text);
    cr_assert_neq(recovery.status, TP_LOG_CORRUPT);
    cr_assert_eq(recovery.cut_bytes, 0, "%llu bytes are no record", (unsigned long long)recovery.cut_bytes);
    tp_recovery_finish(&recovery);
    close(file);
}

// Goal: wherever the disk is full, nothing but whole records stays, and when there is room again the log goes on and admits what it lacks.
Test(server_log, full_at_any_byte_then_room_again)
{
    Stage stage;
    stage_init(&stage);
    must_open(&stage);
    step_to(&stage, 150);
    finish(&stage, TP_END_COMPLETED);
    uint64_t whole = close_log(&stage);
    unlink(own(&stage, "room.tpr"));
    uint32_t gaps = 0;
    for (uint64_t size = 1; size < whole; size += size < 1200 ? 37 : 11) {
        tp_error error = { "" };
        int64_t  now_ns = 0;
        uint64_t gap_ticks = 0;
        limit_files(size);
        if (!open_log(&stage, &error)) {
            cr_assert_neq(strstr(error.text, "File too large"), NULL, "%s", error.text);
            cr_assert_not(exists(&stage, "room.tpr"), "what could not be begun must not stay");
            tp_sim_destroy(stage.sim);
            limit_files(RLIM_INFINITY);
            continue;
        }
        run_without_log(&stage, 150);
        while (!server_log_retry(&stage.log, stage.sim, now_ns, &gap_ticks) && !stage.log.is_down && now_ns < 400) {
            run_without_log(&stage, tp_sim_tick(stage.sim) + 1); // the failure comes with the next buffers
            now_ns += 1;
            sched_yield();
        }
        bool is_down = stage.log.is_down;
        if (is_down) {
            cr_assert_not(retry(&stage, &now_ns, &gap_ticks, 5), "the disk is full");
            cr_assert_not_null(server_log_error(&stage.log));
            limit_files(RLIM_INFINITY);
            cr_assert(retry(&stage, &now_ns, &gap_ticks, 100000), "%s", server_log_error(&stage.log));
            cr_assert_null(server_log_error(&stage.log));
            cr_assert_gt(gap_ticks, 0);
            cr_assert_not(server_log_retry(&stage.log, stage.sim, now_ns, &gap_ticks));
        }
        limit_files(RLIM_INFINITY);
        uint64_t end = tp_sim_tick(stage.sim) + 40;
        step_to(&stage, end);
        finish(&stage, TP_END_COMPLETED);
        cr_assert_null(server_log_error(&stage.log));
        close_log(&stage);
        tp_report report = verify_one(&stage, "room.tpr");
        cr_assert_eq(report.verdict, is_down ? TP_INCOMPLETE : TP_VERIFIED, "size %llu: %s: %s", (unsigned long long)size,
                     tp_verdict_name(report.verdict), report.message);
        cr_assert(report.has_end);
        cr_assert_eq(report.gaps, is_down ? 1 : 0);
        cr_assert(!is_down || report.gap_cause == TP_GAP_STORAGE_FULL);
        cr_assert_eq(report.next_tick, end);
        gaps += is_down ? 1 : 0;
        unlink(own(&stage, "room.tpr"));
    }
    cr_assert_gt(gaps, 50);
    fixture_close(&stage.fixture);
}

// Goal: a run that ends on a full disk leaves whole records and says so; when there is room at the last moment, a GAP and END.
Test(server_log, full_at_any_byte_then_the_end)
{
    Stage stage;
    stage_init(&stage);
    must_open(&stage);
    step_to(&stage, 150);
    finish(&stage, TP_END_COMPLETED);
    uint64_t whole = close_log(&stage);
    unlink(own(&stage, "room.tpr"));
    uint32_t cut = 0, ended = 0;
    for (uint64_t size = 1500; size < whole; size += 13) {
        bool has_room = size % 2 == 0;
        limit_files(size);
        must_open(&stage);
        run_without_log(&stage, 150);
        while (has_room && server_log_error(&stage.log) == NULL && tp_sim_tick(stage.sim) < 5000) {
            run_without_log(&stage, tp_sim_tick(stage.sim) + 1);
            sched_yield();
        }
        uint64_t end = tp_sim_tick(stage.sim);
        if (has_room) {
            limit_files(RLIM_INFINITY);
        }
        finish(&stage, TP_END_COMPLETED);
        limit_files(RLIM_INFINITY);
        const char *error = server_log_error(&stage.log);
        cr_assert_not_null(error, "size %llu", (unsigned long long)size);
        tp_report report = verify_one(&stage, "room.tpr");
        if (has_room) {
            cr_assert_eq(report.verdict, TP_INCOMPLETE, "size %llu: %s: %s; %s", (unsigned long long)size, tp_verdict_name(report.verdict),
                         report.message, error);
            cr_assert(report.has_end && report.gaps == 1 && report.next_tick == end);
            cr_assert_neq(strstr(error, "GAP"), NULL, "%s", error);
            ended++;
        } else {
            cr_assert_eq(report.verdict, TP_TRUNCATED, "size %llu: %s: %s", (unsigned long long)size, tp_verdict_name(report.verdict), report.message);
            cr_assert_neq(strstr(error, "it ends before tick"), NULL, "%s", error);
            expect_whole_records(&stage);
            cut++;
        }
        close_log(&stage);
        unlink(own(&stage, "room.tpr"));
    }
    cr_assert(cut > 50 && ended > 50);
    fixture_close(&stage.fixture);
}

// Goal: planted: without its GAP, or without the mark of the KEY behind it, such a log is refused.
Test(server_log, missing_gap_is_caught)
{
    Stage    stage;
    int64_t  now_ns = 0;
    uint64_t gap_ticks = 0;
    stage_init(&stage);
    must_open(&stage);
    step_to(&stage, 60);
    atomic_store(&failing_syncs, 1);
    while (step(&stage)) {
        sched_yield();
    }
    cr_assert(retry(&stage, &now_ns, &gap_ticks, 100000));
    uint64_t end = tp_sim_tick(stage.sim) + 10;
    step_to(&stage, end);
    finish(&stage, TP_END_COMPLETED);
    close_log(&stage);
    tp_report report = verify_one(&stage, "room.tpr");
    cr_assert_eq(report.verdict, TP_INCOMPLETE, "%s", report.message);
    Bytes     whole = load(own(&stage, "room.tpr"));
    LogMutate list;
    size_t    size = 0;
    cr_assert(log_mutate_load(&list, whole.bytes, whole.size));
    log_mutate_delete(&list, log_mutate_find(&list, TP_LOG_GAP, 0));
    uint8_t *forged = log_mutate_save(&list, LOG_MUTATE_ALL, &size);
    save(own(&stage, "room.tpr"), forged, size);
    cr_assert_eq(verify_one(&stage, "room.tpr").verdict, TP_CORRUPT);
    log_mutate_finish(&list);
    free(forged);
    free(whole.bytes);
    fixture_close(&stage.fixture);
}

// Goal: after a failed sync nothing is believed that was not synced before, and members said meanwhile are in the log.
Test(server_log, failed_sync_goes_back_to_what_is_durable)
{
    Stage    stage;
    int64_t  now_ns = 0;
    uint64_t gap_ticks = 0;
    stage_init(&stage);
    must_open(&stage);
    set_member(&stage, 0, 0x10);
    step_to(&stage, 120);
    while (server_log_durable_tick(&stage.log) < 120) {
        sched_yield();
    }
    atomic_store(&failing_syncs, 1);
    while (step(&stage)) {
        sched_yield();
    }
    cr_assert_neq(strstr(server_log_error(&stage.log), "making"), NULL, "%s", server_log_error(&stage.log));
    set_member(&stage, 1, 0x11);
    set_member(&stage, 0, 0);
    uint64_t end = tp_sim_tick(stage.sim);
    cr_assert(retry(&stage, &now_ns, &gap_ticks, 100000));
    cr_assert_eq(gap_ticks, end - 120);
    cr_assert_geq(server_log_durable_tick(&stage.log), 120);
    step_to(&stage, end + 20);
    finish(&stage, TP_END_STOPPED);
    close_log(&stage);
    Bytes whole = load(own(&stage, "room.tpr"));
    save(own(&stage, "room.tpr"), whole.bytes, offset_of(&whole, TP_LOG_INDEX));
    stage.options.goes_on = true;
    must_open(&stage);
    cr_assert(stage.taken_up.is_taken_up);
    cr_assert_eq(stage.taken_up.epoch, 2);
    cr_assert_eq(stage.taken_up.next_tick, end + 20);
    cr_assert(!stage.is_member[0] && stage.is_member[1]);
    finish(&stage, TP_END_COMPLETED);
    close_log(&stage);
    tp_report report = verify_one(&stage, "room.tpr");
    cr_assert_eq(report.verdict, TP_INCOMPLETE, "%s", report.message);
    cr_assert_eq(report.gap_cause, TP_GAP_STORAGE_ERROR);
    cr_assert_eq(report.missing_ticks, end - 120);
    free(whole.bytes);
    fixture_close(&stage.fixture);
}

Test(server_log, failed_cut_is_said_and_tried_again)
{
    Stage    stage;
    int64_t  now_ns = 0;
    uint64_t gap_ticks = 0;
    stage_init(&stage);
    must_open(&stage);
    step_to(&stage, 100);
    atomic_store(&failing_syncs, 1);
    atomic_store(&failing_cuts, 1000000);
    while (step(&stage)) {
        sched_yield();
    }
    cr_assert_not(retry(&stage, &now_ns, &gap_ticks, 20));
    for (int i = 0; i < 100000 && strstr(server_log_error(&stage.log), "cutting it to") == NULL; i++) {
        cr_assert_not(retry(&stage, &now_ns, &gap_ticks, 1));
    }
    cr_assert_neq(strstr(server_log_error(&stage.log), "cutting it to"), NULL, "%s", server_log_error(&stage.log));
    atomic_store(&failing_cuts, 0);
    cr_assert(retry(&stage, &now_ns, &gap_ticks, 100000), "%s", server_log_error(&stage.log));
    step_to(&stage, tp_sim_tick(stage.sim) + 5);
    finish(&stage, TP_END_COMPLETED);
    cr_assert_null(server_log_error(&stage.log));
    close_log(&stage);
    cr_assert_eq(verify_one(&stage, "room.tpr").verdict, TP_INCOMPLETE);
    fixture_close(&stage.fixture);
}

// Goal: the failure and the retry of a log in the middle of a series, and of a rotation itself.
Test(server_log, failed_rotation_goes_on_in_the_old_file)
{
    for (int failing = 1; failing <= 2; failing++) { // the sync of the next file; the one of the old file's END
        Stage    stage;
        int64_t  now_ns = 0;
        uint64_t gap_ticks = 0;
        tp_error why = { "" };
        stage_init(&stage);
        stage.options.rotate_ticks = 64;
        must_open(&stage);
        step_to(&stage, 63);
        while (server_log_durable_tick(&stage.log) < 60) {
            sched_yield();
        }
        if (failing == 2) {
            limit_files(fixture_size(own(&stage, "room.part0001.tpr")) + 200); // neither the rest of the ticks nor END
        } else {
            atomic_store(&failing_syncs, 1);
        }
        bool is_down = false;
        while (tp_sim_tick(stage.sim) < 100) {
            is_down = !step(&stage) || is_down;
            sched_yield();
        }
        if (failing == 2) {
            while (step(&stage)) {
                sched_yield();
            }
            limit_files(RLIM_INFINITY);
            cr_assert(retry(&stage, &now_ns, &gap_ticks, 100000), "%s", server_log_error(&stage.log));
            cr_assert_gt(gap_ticks, 0);
        } else {
            cr_assert_not(is_down, "%s", server_log_error(&stage.log));
            while (!server_log_has_not_rotated(&stage.log, &why)) {
                sched_yield();
            }
            cr_assert_neq(strstr(why.text, "file 1 of the series"), NULL, "%s", why.text);
            cr_assert_not(exists(&stage, "room.part0002.tpr"), "it was not ended for it");
        }
        uint64_t end = (tp_sim_tick(stage.sim) / 64 + 1) * 64 + 10;
        step_to(&stage, end);
        finish(&stage, TP_END_COMPLETED);
        cr_assert_null(server_log_error(&stage.log));
        close_log(&stage);
        cr_assert_eq(stage.rotations, 1);
        const char *names[] = { "room.part0001.tpr", "room.part0002.tpr" };
        if (failing == 1) {
            tp_report report = verify_series(&stage, names, 2);
            expect_verified(&report, end);
        } else {
            tp_report report = verify_one(&stage, names[0]);
            cr_assert_eq(report.verdict, TP_INCOMPLETE, "%s", report.message);
            cr_assert(report.has_end && report.end_reason == TP_END_ROTATED && report.gaps == 1);
        }
        fixture_close(&stage.fixture);
    }
}

static void expect_passed_over(Stage *stage, const char *why)
{
    must_open(stage);
    cr_assert_not(stage->taken_up.is_taken_up);
    cr_assert_neq(strstr(stage->taken_up.passed_over, why), NULL, "%s", stage->taken_up.passed_over);
    cr_assert_eq(tp_sim_tick(stage->sim), 0);
    cr_assert_str_eq(stage->log.path, own(stage, "room.2.tpr"));
    step_to(stage, 10);
    finish(stage, TP_END_COMPLETED);
    close_log(stage);
    tp_report report = verify_one(stage, "room.2.tpr");
    expect_verified(&report, 10);
    unlink(own(stage, "room.2.tpr"));
}

Test(server_log, what_cannot_go_on_is_passed_over_and_left)
{
    Stage stage;
    stage_init(&stage);
    Bytes whole = killed_run(&stage, 130);
    stage.options.goes_on = true;
    stage.seed = 7;
    expect_passed_over(&stage, "its rules are others: seed 5, the room's is 7");
    stage.seed = 5;
    stage.world = &testworld_opaque;
    expect_passed_over(&stage, "its rules are others: world");
    stage.world = &testworld_flat;
    int other = open(own(&stage, "room.tpr"), O_RDONLY);
    cr_assert_eq(flock(other, LOCK_EX), 0);
    expect_passed_over(&stage, "another process");
    close(other);
    fixture_flip(own(&stage, "room.tpr"), whole.size / 2);
    expect_passed_over(&stage, "damaged at offset");
    fixture_flip(own(&stage, "room.tpr"), whole.size / 2);
    fixture_cut(own(&stage, "room.tpr"), 200);
    expect_passed_over(&stage, "before its first state");
    // Left as it was, each time.
    cr_assert_eq(fixture_size(own(&stage, "room.tpr")), 200);
    save(own(&stage, "room.tpr"), whole.bytes, whole.size);
    must_open(&stage);
    cr_assert(stage.taken_up.is_taken_up);
    finish(&stage, TP_END_STOPPED);
    close_log(&stage);
    free(whole.bytes);
    fixture_close(&stage.fixture);
}

// Goal: a build that makes other bits of the rows does not go on with them: planted by a log whose recorder was wrong.
Test(server_log, another_build_does_not_go_on)
{
    Stage stage;
    stage_init(&stage);
    LogPlan plan = { .world = &testworld_flat, .players = PLAYERS, .seed = 5, .ticks = 100, .plant_at = 60, .has_no_end = true };
    fixture_write_log(&stage.fixture, "record/room.tpr", &plan);
    stage.options.goes_on = true;
    Bytes whole = load(own(&stage, "room.tpr"));
    expect_passed_over(&stage, "tick 60: another root");
    Bytes again = load(own(&stage, "room.tpr"));
    cr_assert(whole.size == again.size && memcmp(whole.bytes, again.bytes, whole.size) == 0);
    free(again.bytes);
    free(whole.bytes);
    plan = (LogPlan){ .world = &testworld_flat, .players = PLAYERS, .seed = 5, .ticks = 100, .has_no_roots = true, .has_no_end = true };
    fixture_write_log(&stage.fixture, "record/room.tpr", &plan);
    expect_passed_over(&stage, "no root to hold against");
    fixture_close(&stage.fixture);
}

Test(server_log, faulted_run_gets_its_end)
{
    Stage stage;
    stage_init(&stage);
    LogPlan plan = { .world = &testworld_flat, .players = PLAYERS, .seed = 5, .ticks = 50, .ends_in_fault = true, .has_no_end = true };
    fixture_write_log(&stage.fixture, "record/room.tpr", &plan);
    cr_assert_eq(verify_one(&stage, "room.tpr").verdict, TP_TRUNCATED);
    stage.options.goes_on = true;
    expect_passed_over(&stage, "faulted at tick 50; END was added");
    tp_report report = verify_one(&stage, "room.tpr");
    cr_assert_eq(report.verdict, TP_VERIFIED, "%s", report.message);
    cr_assert_eq(report.end_reason, TP_END_FAULT);
    fixture_close(&stage.fixture);
}

// Goal: the pages of the log are as the page says for a room that faults while its disk is full.
Test(server_log, fault_while_the_disk_is_full)
{
    Stage      stage;
    TestScript script;
    tp_error   error;
    stage_init(&stage);
    must_open(&stage);
    step_to(&stage, 100);
    atomic_store(&failing_syncs, 1);
    while (step(&stage)) {
        sched_yield();
    }
    tp_command command = { .source = TP_SOURCE_HOST, .type = TESTWORLD_COMMAND_FAULT };
    tp_row     row = testworld_row(stage.sim, &script, tp_sim_tick(stage.sim));
    row.command_count = 1;
    row.commands = &command;
    cr_assert_eq(tp_sim_step(stage.sim, &row, &error), TP_SIM_FAULTED);
    cr_assert_not(server_log_fault(&stage.log, stage.sim, &row));
    finish(&stage, TP_END_FAULT);
    cr_assert_neq(strstr(server_log_error(&stage.log), "GAP"), NULL, "%s", server_log_error(&stage.log));
    close_log(&stage);
    tp_report report = verify_one(&stage, "room.tpr");
    cr_assert_eq(report.verdict, TP_INCOMPLETE, "%s", report.message);
    cr_assert(report.has_end && report.end_reason == TP_END_STOPPED && report.gaps == 1);
    fixture_close(&stage.fixture);
}

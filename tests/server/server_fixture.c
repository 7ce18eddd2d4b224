// server_fixture.c: makes logs with the writer itself, breaks them, and looks at what rooms recorded.
#include "server_fixture.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static void need(bool is_good, const char *what)
{
    if (!is_good) {
        perror(what);
        abort();
    }
}

Fixture fixture_open(void)
{
    Fixture     fixture;
    const char *root = getenv("TMPDIR");
    snprintf(fixture.path, sizeof(fixture.path), "%s/tickproof-server-XXXXXX", root != NULL ? root : "/tmp");
    need(mkdtemp(fixture.path) != NULL, fixture.path);
    snprintf(fixture.record, sizeof(fixture.record), "%s/record", fixture.path);
    need(mkdir(fixture.record, 0755) == 0, fixture.record);
    return fixture;
}

// With what a desync leaves: a directory in it.
static void remove_files(const char *directory)
{
    DIR *listing = opendir(directory);
    need(listing != NULL, directory);
    for (struct dirent *entry = readdir(listing); entry != NULL; entry = readdir(listing)) {
        char path[1024];
        snprintf(path, sizeof(path), "%s", fixture_path(directory, entry->d_name));
        if (entry->d_name[0] != '.' && unlink(path) != 0 && errno == EISDIR) {
            remove_files(path);
        }
    }
    closedir(listing);
    rmdir(directory);
}

void fixture_close(const Fixture *fixture)
{
    remove_files(fixture->record);
    remove_files(fixture->path);
}

const char *fixture_path(const char *directory, const char *name)
{
    static _Thread_local char path[1024];
    snprintf(path, sizeof(path), "%s/%s", directory, name);
    return path;
}

static tp_writer *make_writer(const LogPlan *plan, const tp_sink *sink, tp_sim *sim)
{
    tp_writer_options options;
    tp_error          error;
    tp_writer_options_standard(&options);
    options.root_size = plan->has_no_roots ? 0 : plan->root_size != 0 ? plan->root_size : options.root_size;
    if (plan->starts_at > 0) {
        options.sequence = 1;
        memset(options.predecessor, 0x5a, sizeof(options.predecessor));
    }
    tp_writer *writer = tp_writer_create(sink, sim, &options, false, &error);
    need(writer != NULL, error.text);
    return writer;
}

static void plant(const LogPlan *plan, tp_sim *sim, uint64_t tick)
{
    if (plan->plant_at != 0 && tick == plan->plant_at) {
        const tp_layout *layout = tp_sim_layout(sim);
        TestPlayer      *players = (TestPlayer *)((uint8_t *)tp_sim_state(sim) + layout->section_offset[TESTWORLD_PLAYERS]);
        players[0].presses += 1;
    }
}

static void skip_rows(const LogPlan *plan, tp_sim *sim)
{
    tp_error   error;
    TestScript script;
    for (uint64_t tick = 0; tick < plan->starts_at; tick++) {
        tp_row row = testworld_row(sim, &script, tick);
        need(tp_sim_step(sim, &row, &error) == TP_SIM_OK, error.text);
    }
}

static void write_rows(const LogPlan *plan, tp_sim *sim, tp_writer *writer)
{
    tp_error   error;
    TestScript script;
    uint64_t   gap_first = plan->gap_ticks > 0 ? plan->ticks / 2 : UINT64_MAX;
    for (uint64_t tick = plan->starts_at; tick < plan->ticks; tick++) {
        tp_row row = testworld_row(sim, &script, tick);
        need(tp_sim_step(sim, &row, &error) == TP_SIM_OK, error.text);
        plant(plan, sim, tick);
        if (tick < gap_first || tick >= gap_first + plan->gap_ticks) {
            need(tp_writer_tick(writer, sim, &row), "writing a tick");
        } else if (tick == gap_first + plan->gap_ticks - 1) {
            need(tp_writer_gap(writer, sim, gap_first, TP_GAP_OVERLOAD), "writing a gap");
        }
    }
    if (plan->ends_in_fault) {
        tp_command command = { .source = TP_SOURCE_HOST, .type = TESTWORLD_COMMAND_FAULT };
        tp_row     row = testworld_row(sim, &script, plan->ticks);
        row.command_count = 1;
        row.commands = &command;
        need(tp_sim_step(sim, &row, &error) == TP_SIM_FAULTED, "faulting");
        need(tp_writer_fault(writer, sim, &row), "writing a fault");
    }
}

void fixture_write_log(const Fixture *fixture, const char *name, const LogPlan *plan)
{
    tp_error error;
    tp_setup setup = testworld_setup(plan->world, plan->players, plan->seed);
    setup.tick_rate_hz = plan->tick_rate_hz != 0 ? plan->tick_rate_hz : setup.tick_rate_hz;
    tp_sim *sim = tp_sim_create(plan->world, &setup, NULL, &error);
    need(sim != NULL, error.text);
    skip_rows(plan, sim);
    int        file = open(fixture_path(fixture->path, name), O_WRONLY | O_CREAT | O_TRUNC, 0644);
    tp_sink    sink = tp_sink_of_fd(&file);
    tp_writer *writer = make_writer(plan, &sink, sim);
    write_rows(plan, sim, writer);
    need(plan->has_no_end ? tp_writer_flush(writer) : tp_writer_finish(writer, sim, plan->ends_in_fault ? TP_END_FAULT : TP_END_COMPLETED),
         "ending a log");
    tp_writer_destroy(writer);
    close(file);
    tp_sim_destroy(sim);
}

void fixture_cut(const char *path, uint64_t size)
{
    need(truncate(path, (off_t)size) == 0, path);
}

void fixture_flip(const char *path, uint64_t offset)
{
    uint8_t byte = 0;
    int     file = open(path, O_RDWR);
    need(file >= 0 && pread(file, &byte, 1, (off_t)offset) == 1, path);
    byte ^= 1;
    need(pwrite(file, &byte, 1, (off_t)offset) == 1, path);
    close(file);
}

uint64_t fixture_size(const char *path)
{
    struct stat about;
    need(stat(path, &about) == 0, path);
    return (uint64_t)about.st_size;
}

const tp_world *fixture_find_world(void *to, const char *name, uint32_t revision)
{
    (void)to;
    (void)revision;
    const tp_world *worlds[] = { &testworld_flat, &testworld_opaque };
    for (size_t i = 0; i < 2; i++) {
        if (strcmp(worlds[i]->name, name) == 0) {
            return worlds[i];
        }
    }
    return NULL;
}

tp_report fixture_verify(const char *path)
{
    tp_report         report;
    tp_verify_options options;
    int               file = open(path, O_RDONLY);
    need(file >= 0, path);
    tp_source source = tp_source_of_fd(&file);
    tp_verify_options_standard(&options);
    options.find_world = fixture_find_world;
    tp_verify_log(&source, &options, &report);
    close(file);
    return report;
}

// The rows of one log, one after another.
typedef struct {
    int           file;
    tp_source     source;
    tp_reader    *reader;
    tp_log_record record;
    tp_log_rows   rows;
    bool          has_rows;
} RowWalk;

static void walk_open(RowWalk *walk, const char *path)
{
    tp_reader_options options = { 0 };
    *walk = (RowWalk){ .file = open(path, O_RDONLY) };
    need(walk->file >= 0, path);
    walk->source = tp_source_of_fd(&walk->file);
    need(tp_reader_open(&walk->source, &options, &walk->reader) == TP_LOG_OK, path);
}

static bool walk_next(RowWalk *walk, tp_log_row *row)
{
    while (!walk->has_rows || !tp_log_rows_next(&walk->rows, row)) {
        if (tp_reader_next(walk->reader, &walk->record) != TP_LOG_OK) {
            return false;
        }
        walk->has_rows = walk->record.type == TP_LOG_TICKS || walk->record.type == TP_LOG_FAULT;
        if (walk->has_rows) {
            walk->rows = tp_log_rows_of(tp_reader_ident(walk->reader), &walk->record);
        }
    }
    return true;
}

static void walk_close(RowWalk *walk)
{
    tp_reader_close(walk->reader);
    close(walk->file);
}

static bool is_row_equal(const tp_log_row *a, const tp_log_row *b)
{
    return a->tick == b->tick && a->size == b->size && memcmp(a->bytes, b->bytes, a->size) == 0 && a->root_size == b->root_size &&
           memcmp(a->root, b->root, a->root_size) == 0;
}

bool fixture_has_equal_rows(const char *left, const char *right)
{
    RowWalk    a, b;
    tp_log_row row_a = { 0 };
    tp_log_row row_b = { 0 };
    bool       has_a, has_b;
    walk_open(&a, left);
    walk_open(&b, right);
    do {
        has_a = walk_next(&a, &row_a);
        has_b = walk_next(&b, &row_b);
    } while (has_a && has_b && is_row_equal(&row_a, &row_b));
    walk_close(&a);
    walk_close(&b);
    return !has_a && !has_b;
}

void fixture_event(void *to, const ServerEvent *event)
{
    EventLog *log = to;
    log->counts[event->kind] += 1;
    log->last[event->kind] = *event;
}

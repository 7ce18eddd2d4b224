// room_recorded.c: a recorded log as a room's source of rows. The verifier reads, steps and compares; the room says when, and
// records what was stepped. Whatever stands after a row and speaks about it (LEAVES, KEY, END) is read and compared before the
// room's next tick is due.
//
// Reading happens on the tick thread: a record is some hundred bytes for 64 ticks, and the system is asked to read ahead.
#include "room.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

static bool open_file(Room *room, tp_error *error)
{
    RoomSource *source = &room->source;
    source->file = open(room->result.path, O_RDONLY | O_CLOEXEC);
    if (source->file < 0) {
        const char *help = errno == EMFILE || errno == ENFILE ? ": raise the limit of open files (ulimit -n)"
                                                              : ": give the path of a log that can be read";
        return tp_error_set(error, "opening the log: %s%s", strerror(errno), help);
    }
#if defined(POSIX_FADV_SEQUENTIAL)
    posix_fadvise(source->file, 0, 0, POSIX_FADV_SEQUENTIAL);
#endif
    source->bytes = tp_source_of_fd(&source->file);
    return true;
}

static void each_tick(void *to, tp_sim *sim, uint64_t tick, bool is_finished)
{
    const Room          *room = to;
    const ServerOptions *options = room->host->options;
    options->each_tick(options->each_to, room->result.name, sim, tick, is_finished);
}

static tp_verifier *make_verifier(Room *room)
{
    const ServerOptions *options = room->host->options;
    tp_verify_options    verify_options;
    tp_verify_options_standard(&verify_options);
    verify_options.find_world = options->find_world;
    verify_options.find_to = options->find_to;
    verify_options.each_tick = options->each_tick != NULL ? each_tick : NULL;
    verify_options.each_to = room;
    verify_options.locate_ticks = SERVER_LOCATE_TICKS;
    return tp_verifier_create(&room->source.bytes, &verify_options);
}

bool recorded_open(Room *room, tp_error *error)
{
    RoomSource *source = &room->source;
    memset(source, 0, sizeof(*source));
    if (!open_file(room, error)) {
        return false;
    }
    source->verifier = make_verifier(room);
    if (source->verifier == NULL) {
        return tp_error_set(error, "reading the log: out of memory");
    }
    bool is_started = tp_verifier_start(source->verifier);
    room->result.report = *tp_verifier_report(source->verifier);
    if (!is_started) {
        return false;
    }
    room->sim = tp_verifier_sim(source->verifier);
    source->log_next_tick = tp_sim_tick(room->sim);
    ServerLogTakenUp taken_up;
    return room->record_dir == NULL || room_open_log(room, tp_verifier_ident(source->verifier), NULL, &taken_up, error);
}

static void close_file(RoomSource *source)
{
    if (source->file >= 0) {
        close(source->file);
        source->file = -1;
    }
}

void recorded_finish(Room *room)
{
    tp_verifier_finish(room->source.verifier, &room->result.report);
    close_file(&room->source);
}

void recorded_close(Room *room)
{
    tp_verifier_destroy(room->source.verifier);
    room->source.verifier = NULL;
    room->sim = NULL;
    close_file(&room->source);
}

static bool is_recording(const Room *room)
{
    return server_log_is_open(&room->log) && !room->is_log_failed;
}

// The source has a GAP: its KEY put the world further on than the own log is, which has to admit the same. (A fault may leave the
// world further back: there is nothing to admit.)
static void record_gap(Room *room)
{
    RoomSource *source = &room->source;
    uint64_t    next_tick = tp_sim_tick(room->sim);
    if (!is_recording(room) || next_tick <= source->log_next_tick) {
        return;
    }
    if (!server_log_gap(&room->log, room->sim, source->log_next_tick, tp_verifier_report(source->verifier)->gap_cause)) {
        room_lose_log(room);
    }
    source->log_next_tick = next_tick;
}

bool recorded_prepare(Room *room)
{
    tp_verifier *verifier = room->source.verifier;
    if (tp_verifier_is_over(verifier)) {
        return false;
    }
    tp_verifier_status status = tp_verifier_prepare(verifier);
    record_gap(room);
    return status == TP_VERIFIER_ROW && !tp_verifier_is_over(verifier);
}

static tp_row row_for_log(RoomSource *source, const tp_log_row *row)
{
    uint32_t offset = 0;
    uint32_t count = 0;
    while (count < TP_COMMANDS_MAX && tp_log_command_next(row, &offset, &source->commands[count])) {
        count++;
    }
    return (tp_row){
        .presence = row->presence,
        .origins = row->origins,
        .inputs = row->inputs,
        .command_count = count,
        .commands = source->commands,
    };
}

static void record_row(Room *room, const tp_log_row *row)
{
    RoomSource *source = &room->source;
    if (!is_recording(room)) {
        return;
    }
    tp_row log_row = row_for_log(source, row);
    bool   is_written = tp_sim_is_faulted(room->sim) ? server_log_fault(&room->log, room->sim, &log_row)
                                                     : server_log_tick(&room->log, room->sim, &log_row);
    if (!is_written) {
        room_lose_log(room);
    }
    source->log_next_tick = tp_sim_tick(room->sim);
}

void recorded_step(Room *room)
{
    tp_verifier_status status = tp_verifier_next(room->source.verifier);
    const tp_log_row  *row = tp_verifier_row(room->source.verifier);
    assert(status == TP_VERIFIER_ROW);
    (void)status;
    if (row != NULL) {
        room->loop_ticks += tp_sim_is_faulted(room->sim) ? 0 : 1;
        record_row(room, row);
    }
}

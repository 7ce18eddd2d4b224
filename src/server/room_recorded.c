// room_recorded.c: a recorded log as a room's source of rows. Records are read one at a time; whatever stands after a row and
// speaks about it (LEAVES, KEY, END) is read and compared before the room's next tick is due.
//
// Reading happens on the tick thread: a record is some hundred bytes for 64 ticks, and the system is asked to read ahead.
#include "room.h"

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

static tp_log_status next_record(RoomSource *source)
{
    source->status = tp_reader_next(source->reader, &source->record);
    return source->status;
}

// Header, IDENT and first KEY, and the room's own log between the state's making and its first step.
bool recorded_open(Room *room, tp_error *error)
{
    RoomSource              *source = &room->source;
    const ServerOptions     *options = room->host->options;
    tp_reader_options        reader_options = { 0 };
    memset(source, 0, sizeof(*source));
    if (!open_file(room, error)) {
        return false;
    }
    source->status = tp_reader_open(&source->bytes, &reader_options, &source->reader);
    if (source->reader == NULL) {
        return tp_error_set(error, "reading the log: %s", tp_log_status_name(source->status));
    }
    if (source->status != TP_LOG_OK || next_record(source) != TP_LOG_OK) {
        return false;
    }
    const tp_ident *ident = tp_reader_ident(source->reader);
    room->sim = room_check_make_sim(&room->check, ident, options->find_world, options->find_to);
    if (room->sim == NULL || next_record(source) != TP_LOG_OK || !room_check_start(&room->check, &source->record, ident)) {
        return false;
    }
    return room->record_dir == NULL || room_open_log(room, error);
}

void recorded_close(Room *room)
{
    RoomSource *source = &room->source;
    tp_reader_close(source->reader);
    source->reader = NULL;
    if (source->file >= 0) {
        close(source->file);
        source->file = -1;
    }
}

static void take_key(Room *room)
{
    RoomSource *source = &room->source;
    bool        is_after_gap = room->check.is_after_gap;
    if (!room_check_key(&room->check, &source->record) || !is_after_gap) {
        return;
    }
    if (server_log_is_open(&room->log) && !room->is_log_failed &&
        !server_log_gap(&room->log, room->sim, source->gap_first, source->gap_cause)) {
        room_lose_log(room);
    }
}

static void take_record(Room *room)
{
    RoomSource          *source = &room->source;
    const tp_log_record *record = &source->record;
    switch (record->type) {
    case TP_LOG_TICKS:
    case TP_LOG_FAULT:
        source->rows = tp_log_rows_of(tp_reader_ident(source->reader), record);
        source->has_rows = true;
        source->is_fault = record->type == TP_LOG_FAULT;
        break;
    case TP_LOG_KEY: take_key(room); break;
    case TP_LOG_LEAVES: room_check_leaves(&room->check, record); break;
    case TP_LOG_GAP: {
        tp_log_gap gap = tp_log_parse_gap(record);
        source->gap_first = gap.first;
        source->gap_cause = gap.cause;
        room_check_gap(&room->check, record);
        break;
    }
    case TP_LOG_RESUME: room->check.report->resumes += 1; break;
    case TP_LOG_END: room_check_end(&room->check, record); break;
    default: break; // NOTE, SEAL and INDEX are the reader's
    }
}

void recorded_prepare(Room *room)
{
    RoomSource *source = &room->source;
    while (!source->has_row && !room_check_is_over(&room->check)) {
        if (source->has_rows) {
            source->has_row = tp_log_rows_next(&source->rows, &source->row);
            source->has_rows = source->has_row;
        } else if (next_record(source) == TP_LOG_OK) {
            take_record(room);
        } else {
            return;
        }
    }
}

static tp_row row_to_step(RoomSource *source)
{
    const tp_log_row *row = &source->row;
    uint32_t          offset = 0;
    uint32_t          count = 0;
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

static void record_row(Room *room, const tp_row *row, tp_sim_status status)
{
    if (!server_log_is_open(&room->log) || room->is_log_failed || status == TP_SIM_REFUSED) {
        return;
    }
    bool is_written = status == TP_SIM_OK ? server_log_tick(&room->log, room->sim, row) : server_log_fault(&room->log, room->sim, row);
    if (!is_written) {
        room_lose_log(room);
    }
}

void recorded_step(Room *room)
{
    RoomSource          *source = &room->source;
    const ServerOptions *options = room->host->options;
    tp_error             error = { "" };
    tp_row               row = row_to_step(source);
    source->has_row = false;
    if (options->each_tick != NULL) {
        options->each_tick(options->each_to, room->result.name, room->sim, source->row.tick, false);
    }
    tp_sim_status status = tp_sim_step(room->sim, &row, &error);
    if (options->each_tick != NULL) {
        options->each_tick(options->each_to, room->result.name, room->sim, source->row.tick, true);
    }
    room->loop_ticks += status == TP_SIM_OK ? 1 : 0;
    if (source->is_fault) {
        room_check_fault(&room->check, &source->row, source->record.payload, source->record.offset, status, &error);
    } else {
        room_check_row(&room->check, &source->row, source->record.offset, status, &error);
    }
    record_row(room, &row, status);
}

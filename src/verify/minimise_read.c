// minimise_read.c: a log's rows as the inputs of a run.
#include "minimise_internal.h"

#include <string.h>

static bool add_row(tp_inputs *inputs, const tp_log_row *from, tp_error *error)
{
    tp_command commands[TP_COMMANDS_MAX];
    tp_row     row = { .presence = from->presence, .inputs = from->inputs, .commands = commands };
    uint32_t   offset = 0;
    while (row.command_count < TP_COMMANDS_MAX && tp_log_command_next(from, &offset, &commands[row.command_count])) {
        row.command_count++;
    }
    return tp_inputs_add(inputs, &row) || tp_error_set(error, "out of memory");
}

// One record. False: nothing after it counts; `*is_good` says whether that is an error.
static bool take_record(tp_inputs *inputs, const tp_ident *ident, const tp_log_record *record, bool *is_good, tp_error *error)
{
    if (record->type == TP_LOG_GAP) {
        return false;
    }
    if (record->type != TP_LOG_TICKS && record->type != TP_LOG_FAULT) {
        return true;
    }
    tp_log_row  row;
    tp_log_rows rows = tp_log_rows_of(ident, record);
    while (*is_good && tp_log_rows_next(&rows, &row)) {
        *is_good = add_row(inputs, &row, error);
    }
    return *is_good;
}

static bool fits(const tp_inputs *inputs, const tp_ident *ident, tp_error *error)
{
    if (ident->first_tick != 0) {
        return tp_error_set(error, "it is file %u of a series and starts at tick %llu; give the first file, which has the start state", ident->sequence + 1,
                            (unsigned long long)ident->first_tick);
    }
    if (ident->players != inputs->players || ident->input_size != inputs->input_size) {
        return tp_error_set(error, "the log has %u slots with inputs of %u bytes, the world %u of %u", ident->players, ident->input_size, inputs->players,
                            inputs->input_size);
    }
    return true;
}

static bool take_all(tp_inputs *inputs, tp_reader *reader, bool *is_whole, tp_error *error)
{
    tp_log_record record;
    bool          is_good = true;
    tp_log_status status = tp_reader_next(reader, &record);
    if (status != TP_LOG_OK) {
        return tp_error_set(error, "%s", tp_reader_message(reader));
    }
    if (!fits(inputs, tp_reader_ident(reader), error)) {
        return false;
    }
    status = tp_reader_next(reader, &record);
    while (status == TP_LOG_OK && take_record(inputs, tp_reader_ident(reader), &record, &is_good, error)) {
        status = tp_reader_next(reader, &record);
    }
    *is_whole = status == TP_LOG_DONE;
    return is_good;
}

bool tp_inputs_of_log(tp_inputs *inputs, const tp_source *log, bool *is_whole, tp_error *error)
{
    tp_reader_options options = { .skip_chain = true };
    tp_reader        *reader = NULL;
    bool              is_done = false;
    tp_log_status     status = tp_reader_open(log, &options, &reader);
    if (reader == NULL) {
        return tp_error_set(error, "out of memory");
    }
    bool is_good = status == TP_LOG_OK ? take_all(inputs, reader, &is_done, error) : tp_error_set(error, "%s", tp_reader_message(reader));
    tp_reader_close(reader);
    if (is_whole != NULL) {
        *is_whole = is_done;
    }
    return is_good;
}

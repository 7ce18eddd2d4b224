// verify.c: one pass over a log: read a record, step what it holds, compare what it claims.
//
// Reading goes on after a divergence, to locate it and because a broken chain further on is the more serious answer.
#include "verify_internal.h"

#include <stdlib.h>
#include <string.h>

void tp_verify_options_standard(tp_verify_options *options)
{
    *options = (tp_verify_options){ .to = UINT64_MAX };
}

// With --from: the last KEY at or before it, by a pass that only reads.
static uint64_t find_start_key(const tp_source *source, uint64_t from)
{
    tp_reader_options options = { .skip_chain = true };
    tp_reader        *reader = NULL;
    tp_log_record     record;
    uint64_t          found = 0;
    if (tp_reader_open(source, &options, &reader) == TP_LOG_OK) {
        while (tp_reader_next(reader, &record) == TP_LOG_OK && record.tick <= from) {
            if (record.type == TP_LOG_KEY) {
                found = record.tick;
            }
        }
    }
    tp_reader_close(reader);
    return found;
}

static bool is_stop_asked(const Verify *verify)
{
    return verify->options->stop != NULL && *verify->options->stop;
}

// Takes the next row out of the record at hand, or the next record. ROW: there was one.
static tp_verifier_status read_on(Verify *verify)
{
    if (verify->has_rows) {
        verify->has_rows = tp_log_rows_next(&verify->rows, &verify->row);
        verify->is_row_ready = verify->has_rows;
        return TP_VERIFIER_ROW;
    }
    if (verify->status != TP_LOG_OK && verify->status != TP_LOG_WAIT) {
        return TP_VERIFIER_DONE;
    }
    if (verify->end_offset != 0 && verify->record.offset == verify->end_offset) {
        return TP_VERIFIER_DONE; // the segment's last KEY was taken
    }
    verify->status = tp_reader_next(verify->reader, &verify->record);
    if (verify->status == TP_LOG_WAIT) {
        verify->is_stopped = is_stop_asked(verify);
        return verify->is_stopped ? TP_VERIFIER_DONE : TP_VERIFIER_WAIT;
    }
    if (verify->status != TP_LOG_OK) {
        return TP_VERIFIER_DONE;
    }
    if (verify->record.type == TP_LOG_IDENT) {
        // Without a world nothing is stepped, but the report still says how much there was to check.
        verify_take_ident(verify);
        verify_make_sim(verify, tp_reader_ident(verify->reader));
    } else {
        verify_take_record(verify, &verify->record);
    }
    return TP_VERIFIER_ROW;
}

bool tp_verifier_start(tp_verifier *verify)
{
    while (!verify->is_started && !verify->is_row_ready && !tp_verifier_is_over(verify)) {
        if (read_on(verify) != TP_VERIFIER_ROW) {
            break;
        }
    }
    return verify->is_started;
}

tp_verifier_status tp_verifier_prepare(tp_verifier *verify)
{
    while (!verify->is_stopped && !verify->is_row_ready) {
        tp_verifier_status status = read_on(verify);
        if (status != TP_VERIFIER_ROW) {
            return status;
        }
    }
    return verify->is_stopped ? TP_VERIFIER_DONE : TP_VERIFIER_ROW;
}

tp_verifier_status tp_verifier_next(tp_verifier *verify)
{
    verify->is_row_stepped = false;
    tp_verifier_status status = tp_verifier_prepare(verify);
    if (status != TP_VERIFIER_ROW) {
        return status;
    }
    verify->is_row_ready = false;
    if (verify->record.type == TP_LOG_FAULT) {
        verify_take_fault(verify, &verify->record, &verify->row);
    } else {
        verify_take_row(verify, &verify->record, &verify->row);
    }
    return TP_VERIFIER_ROW;
}

bool verify_open(Verify *verify, const tp_source *source, const tp_verify_options *options, const tp_reader_options *reader, tp_report *report)
{
    memset(report, 0, sizeof(*report));
    verify->options = options;
    verify->report = report;
    if (options->from > 0) {
        verify->start_key_tick = find_start_key(source, options->from);
    }
    verify->status = tp_reader_open(source, reader, &verify->reader);
    return verify->reader != NULL;
}

void verify_close(Verify *verify)
{
    tp_sim_destroy(verify->sim);
    tp_reader_close(verify->reader);
    free(verify->state);
    free(verify->leaves);
}

void tp_verify_log(const tp_source *source, const tp_verify_options *options, tp_report *report)
{
    Verify            verify = { .status = TP_LOG_OK };
    tp_reader_options reader_options = { .follow = options->follow };
    if (!verify_open(&verify, source, options, &reader_options, report)) {
        verify_find(&verify, TP_INTERNAL, "out of memory");
        return;
    }
    tp_verifier_status status = TP_VERIFIER_ROW;
    while (status != TP_VERIFIER_DONE) {
        status = tp_verifier_next(&verify);
        if (status == TP_VERIFIER_WAIT && (options->wait == NULL || !options->wait(options->wait_to))) {
            verify.is_stopped = is_stop_asked(&verify);
            break;
        }
    }
    verify_conclude(&verify);
    verify_close(&verify);
}

tp_verifier *tp_verifier_create(const tp_source *source, const tp_verify_options *options)
{
    tp_reader_options reader_options = { .follow = options->follow };
    Verify           *verify = calloc(1, sizeof(*verify));
    if (verify == NULL) {
        return NULL;
    }
    verify->kept_options = *options;
    if (!verify_open(verify, source, &verify->kept_options, &reader_options, &verify->kept_report)) {
        free(verify);
        return NULL;
    }
    return verify;
}

const tp_ident *tp_verifier_ident(const tp_verifier *verify)
{
    return verify->sim != NULL ? tp_reader_ident(verify->reader) : NULL;
}

tp_sim *tp_verifier_sim(const tp_verifier *verify)
{
    return verify->sim;
}

const tp_log_row *tp_verifier_row(const tp_verifier *verify)
{
    return verify->is_row_stepped ? &verify->row : NULL;
}

const tp_report *tp_verifier_report(const tp_verifier *verify)
{
    return verify->report;
}

bool tp_verifier_is_over(const tp_verifier *verify)
{
    return verify->has_finding && !verify->is_locating;
}

void tp_verifier_finish(tp_verifier *verify, tp_report *report)
{
    verify_conclude(verify);
    *report = verify->kept_report;
}

void tp_verifier_destroy(tp_verifier *verify)
{
    if (verify != NULL) {
        verify_close(verify);
        free(verify);
    }
}

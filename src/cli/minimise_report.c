// minimise_report.c: what a search came to, for people and for programs, and where it is while it goes on.
#include <inttypes.h>
#include <string.h>
#include <unistd.h>

#include "minimise_work.h"
#include "textout.h"

enum { RECORDS_SHOWN = 20 };

// 36000 as "36,000".
static void group_digits(uint64_t number, char text[32])
{
    char   digits[24];
    size_t count = (size_t)snprintf(digits, sizeof(digits), "%" PRIu64, number);
    size_t used = 0;
    for (size_t i = 0; i < count; i++) {
        if (i > 0 && (count - i) % 3 == 0) {
            text[used++] = ',';
        }
        text[used++] = digits[i];
    }
    text[used] = '\0';
}

const char *minimisereport_count(uint64_t count, const char *one, const char *many, char text[64])
{
    char number[32];
    group_digits(count, number);
    snprintf(text, 64, "%s %s", number, count == 1 ? one : many);
    return text;
}

void minimisereport_progress(void *to, const tp_minimise_report *so_far)
{
    MinimiseWork *work = to;
    double        now = cli_seconds();
    if (isatty(STDERR_FILENO) != 0 && now - work->shown_at >= 0.2) {
        work->shown_at = now;
        fprintf(stderr, "\r\033[K%s: %" PRIu64 " ticks left of %" PRIu64 ", %" PRIu64 " trials, %.0f s", so_far->pass, so_far->after.ticks, so_far->before.ticks,
                so_far->trials, now - work->start);
    }
}

void minimisereport_hide(MinimiseWork *work)
{
    if (work->shown_at > 0) {
        fputs("\r\033[K", stderr);
        work->shown_at = 0;
    }
}

static void print_record(FILE *out, const MinimiseWork *work, const tp_input_record *record)
{
    char text[64];
    fprintf(out, "  tick %" PRIu64 ", slot %u, %s: ", record->first, record->slot, minimisereport_count(record->ticks, "tick", "ticks", text));
    tp_record_json(work->world->input, record->input, textout_sink, out);
    fputc('\n', out);
}

static void print_records(FILE *out, const MinimiseWork *work)
{
    tp_input_record record;
    uint64_t        shown = 0;
    for (uint32_t slot = 0; slot < work->inputs.players; slot++) {
        for (uint64_t tick = 0; shown < RECORDS_SHOWN && tp_inputs_next_record(&work->inputs, slot, &tick, &record); shown++) {
            print_record(out, work, &record);
        }
    }
    for (uint32_t i = 0; i < work->inputs.command_count && shown < RECORDS_SHOWN; i++, shown++) {
        const tp_input_command *command = &work->inputs.commands[i];
        fprintf(out, "  tick %" PRIu64 ", command %s\n", command->tick, work->world->commands[command->type].name);
    }
    uint64_t all = work->report.after.records + work->report.after.commands;
    if (all > shown) {
        fprintf(out, "  and %" PRIu64 " more: tickproof cat %s\n", all - shown, work->output);
    }
}

static const char *change(uint64_t before, uint64_t after, const char *one, const char *many, char text[128])
{
    char number[32], rest[64];
    group_digits(before, number);
    snprintf(text, 128, "%s -> %s", number, minimisereport_count(after, one, many, rest));
    return text;
}

void minimisereport_text(const MinimiseWork *work, double seconds)
{
    const tp_minimise_report *report = &work->report;
    const MinimiseDifference *difference = &work->difference;
    FILE                     *out = strcmp(work->output, "-") == 0 ? stderr : stdout;
    char                      text[128];
    fprintf(out, "%s: ", work->output);
    if (difference->has_tick) {
        fprintf(out, "tick %" PRIu64 ": ", difference->tick);
    }
    textout_safe(out, difference->text, strlen(difference->text));
    fprintf(out, "\n%s, ", change(report->before.ticks, report->after.ticks, "tick", "ticks", text));
    fputs(change(report->before.records, report->after.records, "input record", "input records", text), out);
    if (report->before.commands > 0) {
        fprintf(out, ", %s", change(report->before.commands, report->after.commands, "command", "commands", text));
    }
    if (report->before.absences > 0) {
        fprintf(out, ", %s", change(report->before.absences, report->after.absences, "absence", "absences", text));
    }
    fprintf(out, "%s\n", work->is_interrupted ? "; interrupted, so it may go further" : work->is_out_of_time ? "; out of time, so it may go further (--seconds)" : "");
    print_records(out, work);
    fprintf(out, "%s, %.1f s\n", minimisereport_count(report->trials, "trial", "trials", text), seconds);
}

static void print_counts(FILE *out, const char *name, const tp_inputs_counts *counts)
{
    textout_key(out, false, name);
    fputc('{', out);
    textout_u64_member(out, true, "ticks", counts->ticks);
    textout_u64_member(out, false, "records", counts->records);
    textout_u64_member(out, false, "commands", counts->commands);
    textout_u64_member(out, false, "absences", counts->absences);
    fputc('}', out);
}

static void print_difference(FILE *out, const MinimiseWork *work)
{
    const MinimiseDifference *difference = &work->difference;
    if (difference->has_tick) {
        textout_u64_member(out, false, "bad_tick", difference->tick);
    }
    if (difference->field.is_known) {
        textout_json_member(out, false, "section", difference->field.section);
        textout_json_member(out, false, "field", difference->field.place);
        textout_key(out, false, "values");
        fputc('[', out);
        textout_json(out, difference->field.values[0], strlen(difference->field.values[0]));
        fputc(',', out);
        textout_json(out, difference->field.values[1], strlen(difference->field.values[1]));
        fputc(']', out);
        textout_u64_member(out, false, "differing_fields", difference->field.differing_fields);
    }
}

static void print_sides(FILE *out, const MinimiseWork *work)
{
    textout_key(out, false, "sides");
    fputc('[', out);
    textout_json(out, work->sides[0].name, strlen(work->sides[0].name));
    if (work->sides[1].name != NULL) {
        fputc(',', out);
        textout_json(out, work->sides[1].name, strlen(work->sides[1].name));
    }
    fputc(']', out);
}

void minimisereport_json(const MinimiseWork *work, tp_verdict verdict, const char *message, double seconds)
{
    FILE *out = work->output != NULL && strcmp(work->output, "-") == 0 ? stderr : stdout;
    fputc('{', out);
    textout_json_member(out, true, "log", work->path);
    textout_json_member(out, false, "verdict", tp_verdict_name(verdict));
    textout_u64_member(out, false, "exit", (uint64_t)verdict);
    textout_json_member(out, false, "message", message);
    print_sides(out, work);
    if (verdict == TP_DIVERGED || work->report.after.ticks > 0) {
        print_difference(out, work);
        print_counts(out, "before", &work->report.before);
        print_counts(out, "after", &work->report.after);
    }
    textout_u64_member(out, false, "trials", work->report.trials);
    textout_bool_member(out, false, "is_finished", !work->is_interrupted && !work->is_out_of_time);
    textout_key(out, false, "seconds");
    fprintf(out, "%.3f}\n", seconds);
}

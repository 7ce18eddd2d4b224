// report_text.c: reports for people: a line per file, details below whatever is not verified, sums at the end.
#include <string.h>

#include "report.h"
#include "textout.h"

static bool has_offset(const tp_report *report)
{
    return report->verdict == TP_CORRUPT || report->verdict == TP_TRUNCATED || report->verdict == TP_UNAUTHENTIC;
}

// The message's clauses, one a line. Section and field have lines of their own, where nothing is cut off.
static void print_message(FILE *out, const tp_report *report)
{
    bool is_first = true;
    for (const char *clause = report->message; *clause != '\0';) {
        const char *end = report->verdict == TP_DIVERGED ? strstr(clause, "; ") : NULL;
        size_t      size = end == NULL ? strlen(clause) : (size_t)(end - clause);
        bool        is_elsewhere = !is_first && report->verdict == TP_DIVERGED &&
                            (strncmp(clause, "section '", 9) == 0 || (report->field[0] != '\0' && strncmp(clause, report->field, strlen(report->field)) == 0));
        if (!is_elsewhere) {
            fputs("    ", out);
            textout_safe(out, clause, size);
            fputc('\n', out);
        }
        is_first = false;
        clause += size + (end == NULL ? 0 : 2);
    }
}

static const char *known(tp_known value, const char *yes, const char *no)
{
    return value == TP_YES ? yes : value == TP_NO ? no : "unknown";
}

static void print_divergence(FILE *out, const tp_report *report)
{
    fprintf(out, "    inputs of that tick: %s; its events: %s\n",
            known(report->inputs_equal, "the recorder's", "not the recorder's"), known(report->events_equal, "equal", "different"));
    if (report->root_size > 0) {
        fputs("    root in the log ", out);
        textout_hex(out, report->expected_root, report->root_size);
        fputs(", here ", out);
        textout_hex(out, report->actual_root, report->root_size);
        fputc('\n', out);
    }
    if (report->section[0] != '\0') {
        fputs("    section ", out);
        textout_safe(out, report->section, strlen(report->section));
        fprintf(out, " differs at tick %llu, %llu ticks later\n", (unsigned long long)report->section_tick,
                (unsigned long long)(report->section_tick - report->bad_tick));
    }
    if (report->field[0] != '\0') {
        fputs("    field ", out);
        textout_safe(out, report->field, strlen(report->field));
        fputs(": ", out);
        textout_safe(out, report->field_expected, strlen(report->field_expected));
        fputs(" in the log, ", out);
        textout_safe(out, report->field_actual, strlen(report->field_actual));
        fprintf(out, " here; before tick %llu, %llu ticks later; first of %llu\n", (unsigned long long)report->field_tick,
                (unsigned long long)(report->field_tick - report->bad_tick), (unsigned long long)report->differing_fields);
    }
}

static void print_proof(FILE *out, const tp_proof *proof)
{
    fprintf(out, "    proof: %llu of %llu runs came out right, seed %llu\n", (unsigned long long)proof->caught,
            (unsigned long long)proof->tried, (unsigned long long)proof->seed);
    for (uint32_t kind = 0; tp_proof_kind_name(kind) != NULL; kind++) {
        fprintf(out, "      %-40s ", tp_proof_kind_name(kind));
        if (proof->tried_kind[kind] == 0) {
            fputs("not tried: this log has no place for it\n", out);
            continue;
        }
        fprintf(out, "%llu of %llu\n", (unsigned long long)proof->caught_kind[kind], (unsigned long long)proof->tried_kind[kind]);
    }
}

// Whose it is, as far as a signature says. Unsigned files have one line together, at the end.
static void print_signer(FILE *out, const tp_report *report)
{
    if (!report->is_end_signed && !(report->is_signed && report->verdict == TP_VERIFIED)) {
        return;
    }
    fputs("    signed by ", out);
    textout_hex(out, report->public_key, sizeof(report->public_key));
    fputs(!report->is_end_signed ? ", but not to its end: authorship not proven\n" : report->is_trusted ? ", the trusted key\n"
          : report->verdict == TP_UNAUTHENTIC ? "\n" : "; --trusted-key tells whether that is the right one\n", out);
}

static void text_file(FILE *out, const BatchFile *file)
{
    const tp_report *report = &file->report;
    char             ticks[48];
    snprintf(ticks, sizeof(ticks), "%llu/%llu", (unsigned long long)report->checked, (unsigned long long)report->recorded);
    fprintf(out, "%-12s %17s ticks  ", tp_verdict_name(report->verdict), ticks);
    textout_safe(out, batch_name(file), strlen(batch_name(file)));
    fputc('\n', out);
    if (report->verdict != TP_VERIFIED) {
        print_message(out, report);
    }
    if (report->verdict == TP_DIVERGED) {
        print_divergence(out, report);
    }
    if (has_offset(report)) {
        fprintf(out, "    offset %llu; %llu ticks before it matched\n", (unsigned long long)report->offset, (unsigned long long)report->matched_ticks);
    }
    if (report->verdict == TP_VERIFIED && report->end_reason == TP_END_ROTATED) {
        fprintf(out, "    ends in rotation: the run goes on in the file of sequence %u\n", report->sequence + 1);
    } else if (report->verdict == TP_VERIFIED && report->end_reason == TP_END_STOPPED) {
        fprintf(out, "    the recorder was stopped there\n");
    }
    if (report->has_fault) {
        fprintf(out, "    the step of tick %llu faulted, as recorded\n", (unsigned long long)report->fault_tick);
    }
    print_signer(out, report);
    if (file->has_proof) {
        print_proof(out, &file->proof);
    }
}

// A number of files is of all that this process was about; what it was not about is said, too.
static void print_shard(FILE *out, const ReportTotals *totals)
{
    if (totals->shards > 0) {
        fprintf(out, "%-12s %17u of %u, with %zu of %zu files; whether the others are there, 'tickproof merge' says\n", "shard", totals->shard, totals->shards,
                totals->files, totals->files_of_all_shards);
    }
}

static void print_time(FILE *out, const ReportTotals *totals)
{
    uint64_t stepped = totals->stepped - totals->ticks_known;
    fprintf(out, "%-12s %17.3f s, ", "time", totals->seconds);
    if (totals->files_known > 0) {
        fprintf(out, "%zu of the files done before, ", totals->files_known);
    }
    fprintf(out, "%.0f ticks/s\n", (double)stepped / (totals->seconds + 1e-9));
}

static void text_end(FILE *out, Results *results, const ReportTotals *totals)
{
    (void)results;
    fputc('\n', out);
    for (int i = 0; i < REPORT_VERDICTS; i++) {
        if (totals->verdicts[i] > 0) {
            fprintf(out, "%-12s %17zu of %zu files\n", tp_verdict_name(report_verdicts[i]), totals->verdicts[i], totals->files);
        }
    }
    if (totals->unsigned_files > 0) {
        fprintf(out, "%-12s %17zu of %zu files: authorship not proven\n", "unsigned", totals->unsigned_files, totals->files);
    }
    fprintf(out, "%-12s %17llu of %llu recorded ticks\n", "checked", (unsigned long long)totals->checked, (unsigned long long)totals->recorded);
    print_shard(out, totals);
    print_time(out, totals);
}

const ReportFormat report_text = { "text", text_file, text_end };

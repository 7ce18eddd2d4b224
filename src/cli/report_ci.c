// report_ci.c: reports for build servers: JUnit XML, SARIF 2.1.0, and GitHub's annotation lines.
#include <string.h>

#include "ciout.h"
#include "cli.h"
#include "report.h"
#include "textout.h"

static void junit_case(FILE *out, const BatchFile *file)
{
    const tp_report *report = &file->report;
    CioutKind        kind = ciout_kind(report->verdict);
    ciout_junit_case(out, report->world[0] == '\0' ? "unknown" : report->world, batch_name(file), kind, tp_verdict_name(report->verdict), report->message);
    if (kind != CIOUT_PASSED) {
        fprintf(out, "%llu of %llu recorded ticks were checked", (unsigned long long)report->checked, (unsigned long long)report->recorded);
    }
    ciout_junit_case_end(out, kind);
}

static void junit_end(FILE *out, Results *results, const ReportTotals *totals)
{
    size_t counts[4] = { 0 };
    for (int i = 0; i < REPORT_VERDICTS; i++) {
        counts[ciout_kind(report_verdicts[i])] += totals->verdicts[i];
    }
    ciout_junit_begin(out, "tickproof verify", counts);
    for (size_t i = 0; i < results->count; i++) {
        junit_case(out, results_at(results, i));
    }
    ciout_junit_end(out);
}

static void sarif_result(FILE *out, const BatchFile *file, bool is_first)
{
    const tp_report *report = &file->report;
    ciout_sarif_result(out, is_first, report->verdict, report->message);
    fputs(",\"locations\":[{", out);
    ciout_sarif_place(out, batch_name(file), 0, report->offset);
    fputs("}]", out);
    ciout_sarif_fingerprint(out, report->verdict, report->section, report->field);
    fputs(",\"properties\":{", out);
    textout_u64_member(out, true, "checked", report->checked);
    textout_u64_member(out, false, "recorded", report->recorded);
    if (report->verdict == TP_DIVERGED) {
        textout_u64_member(out, false, "badTick", report->bad_tick);
    }
    fputs("}}", out);
}

static void sarif_end(FILE *out, Results *results, const ReportTotals *totals)
{
    bool is_first = true;
    bool is_successful = true;
    ciout_sarif_begin(out);
    for (size_t i = 0; i < results->count; i++) {
        const BatchFile *file = results_at(results, i);
        is_successful = is_successful && ciout_kind(file->report.verdict) != CIOUT_BROKEN;
        if (file->report.verdict != TP_VERIFIED) {
            sarif_result(out, file, is_first);
            is_first = false;
        }
    }
    (void)totals;
    ciout_sarif_results_end(out, is_successful);
    ciout_sarif_end(out);
}

static void github_file(FILE *out, const BatchFile *file)
{
    const tp_report *report = &file->report;
    if (report->verdict == TP_VERIFIED) {
        return;
    }
    ciout_github_head(out, "error", batch_name(file), 0, tp_verdict_name(report->verdict));
    ciout_github_text(out, report->message);
    fprintf(out, " (%llu of %llu recorded ticks checked)\n", (unsigned long long)report->checked, (unsigned long long)report->recorded);
}

static void github_end(FILE *out, Results *results, const ReportTotals *totals)
{
    (void)results;
    fprintf(out, "::notice title=tickproof verify::%zu of %zu files verified, %llu of %llu recorded ticks checked\n", totals->verdicts[0],
            totals->files, (unsigned long long)totals->checked, (unsigned long long)totals->recorded);
}

const ReportFormat report_junit = { "junit", NULL, junit_end };
const ReportFormat report_sarif = { "sarif", NULL, sarif_end };
const ReportFormat report_github = { "github", github_file, github_end };

const ReportFormat *report_format(const char *name)
{
    static const ReportFormat *const formats[] = { &report_text, &report_json, &report_junit, &report_sarif, &report_github };
    for (size_t i = 0; i < sizeof(formats) / sizeof(formats[0]); i++) {
        if (strcmp(formats[i]->name, name) == 0) {
            return formats[i];
        }
    }
    cli_fail(TP_USAGE, "--format: '%s' is none; give text, json, junit, sarif or github", name);
    return NULL;
}

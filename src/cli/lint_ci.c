// lint_ci.c: lint's results for build servers. Each kind is a rule of its own, and a warning stays one, which the common way of printing
// findings has no word for.
#include "ciout.h"
#include "lint_code.h"
#include "lint_report.h"
#include "textout.h"

static void junit_result(FILE *out, const LintResult *result)
{
    CioutKind kind = ciout_kind(result->verdict);
    char      text[TP_MESSAGE_SIZE];
    if (result->object.kind != 0) {
        lint_report_totals(result, text);
    } else {
        snprintf(text, sizeof(text), "%s", result->message);
    }
    ciout_junit_case(out, "tickproof lint", result->subject, kind, tp_verdict_name(result->verdict), text);
    for (size_t i = 0; kind != CIOUT_PASSED && i < result->object.count; i++) {
        const LintFinding *finding = &result->object.findings[i];
        if (!finding->is_allowed) {
            lint_report_line(finding, text);
            fprintf(out, "\n%s: ", lint_level_names[finding->level]);
            textout_xml(out, text);
        }
    }
    ciout_junit_case_end(out, kind);
}

static void write_junit(FILE *out, const LintRun *run)
{
    size_t counts[4] = { 0 };
    for (size_t i = 0; i < run->count; i++) {
        counts[ciout_kind(run->results[i].verdict)] += 1;
    }
    ciout_junit_begin(out, "tickproof lint", counts);
    for (size_t i = 0; i < run->count; i++) {
        junit_result(out, &run->results[i]);
    }
    ciout_junit_end(out);
}

static void sarif_begin(FILE *out)
{
    fputs("{\"$schema\":\"https://json.schemastore.org/sarif-2.1.0.json\",\"version\":\"2.1.0\",\"runs\":[{\n"
          "    \"tool\":{\"driver\":{\"name\":\"tickproof\",\"version\":\"" TP_VERSION "\",\"rules\":[", out);
    for (size_t i = 0; i < LINT_KIND_COUNT; i++) {
        fprintf(out, "%s\n      {\"id\":\"%s\",\"shortDescription\":{\"text\":\"%s\"},\"help\":{\"text\":\"%s\"}}", i == 0 ? "" : ",", lint_kinds[i].name,
                lint_kinds[i].why, lint_kinds[i].advice);
    }
    fputs("]}},\n    \"results\":[", out);
}

static void sarif_finding(FILE *out, const LintResult *result, const LintFinding *finding, bool *is_first)
{
    char text[TP_MESSAGE_SIZE];
    lint_report_line(finding, text);
    fprintf(out, "%s      {\"ruleId\":\"%s\",\"ruleIndex\":%d,\"level\":\"%s\",\"message\":{", *is_first ? "\n" : ",\n", lint_kinds[finding->kind].name,
            (int)finding->kind, lint_level_names[finding->level]);
    textout_json_member(out, true, "text", text);
    fputs("},\"locations\":[{", out);
    ciout_sarif_place(out, result->subject, 0, finding->offset);
    fputs(",\"logicalLocations\":[{", out);
    textout_json_member(out, true, "fullyQualifiedName", finding->symbol);
    fputs("}]}]}", out);
    *is_first = false;
}

static void write_sarif(FILE *out, const LintRun *run)
{
    bool is_first = true, is_successful = true;
    sarif_begin(out);
    for (size_t i = 0; i < run->count; i++) {
        const LintResult *result = &run->results[i];
        is_successful = is_successful && ciout_kind(result->verdict) != CIOUT_BROKEN;
        for (size_t k = 0; k < result->object.count; k++) {
            if (!result->object.findings[k].is_allowed) {
                sarif_finding(out, result, &result->object.findings[k], &is_first);
            }
        }
    }
    ciout_sarif_results_end(out, is_successful);
    is_first = true;
    for (size_t i = 0; i < run->count; i++) {
        if (run->results[i].message[0] != '\0') {
            char text[TP_MESSAGE_SIZE + 1200];
            snprintf(text, sizeof(text), "%.1100s: %s", run->results[i].subject, run->results[i].message);
            ciout_sarif_notification(out, is_first, text);
            is_first = false;
        }
    }
    ciout_sarif_end(out);
}

static void github_result(FILE *out, const LintResult *result)
{
    char text[TP_MESSAGE_SIZE];
    if (result->message[0] != '\0') {
        ciout_github_head(out, "error", result->subject, 0, tp_verdict_name(result->verdict));
        ciout_github_text(out, result->message);
        fputc('\n', out);
    }
    for (size_t i = 0; i < result->object.count; i++) {
        const LintFinding *finding = &result->object.findings[i];
        const char        *level = finding->level == LINT_NOTE ? "notice" : lint_level_names[finding->level];
        if (!finding->is_allowed) {
            char title[64];
            snprintf(title, sizeof(title), "tickproof lint: %s", lint_kinds[finding->kind].name);
            lint_report_line(finding, text);
            ciout_github_head(out, level, result->subject, 0, title);
            ciout_github_text(out, text);
            fputc('\n', out);
        }
    }
}

void lint_report_ci(FILE *out, FindingFormat format, const LintRun *run)
{
    if (format == FINDING_JUNIT) {
        write_junit(out, run);
    } else if (format == FINDING_SARIF) {
        write_sarif(out, run);
    } else {
        for (size_t i = 0; i < run->count; i++) {
            github_result(out, &run->results[i]);
        }
    }
}

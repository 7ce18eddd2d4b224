// report_ci.c: reports for build servers: JUnit XML, SARIF 2.1.0, and GitHub's annotation lines.
#include <string.h>

#include "report.h"
#include "textout.h"

static bool is_our_problem(tp_verdict verdict)
{
    return verdict == TP_INTERNAL || verdict == TP_USAGE;
}

static void junit_case(FILE *out, const BatchFile *file)
{
    const tp_report *report = &file->report;
    const char      *element = is_our_problem(report->verdict) ? "error" : "failure";
    fputs("    <testcase classname=\"", out);
    textout_xml(out, report->world[0] == '\0' ? "unknown" : report->world);
    fputs("\" name=\"", out);
    textout_xml(out, batch_name(file));
    if (report->verdict == TP_VERIFIED) {
        fputs("\"/>\n", out);
        return;
    }
    fprintf(out, "\">\n      <%s type=\"%s\" message=\"", element, tp_verdict_name(report->verdict));
    textout_xml(out, report->message);
    fprintf(out, "\">%llu of %llu recorded ticks were checked</%s>\n    </testcase>\n", (unsigned long long)report->checked,
            (unsigned long long)report->recorded, element);
}

static void junit_end(FILE *out, const BatchFile *files, size_t count, const ReportTotals *totals)
{
    size_t errors = 0;
    for (int i = 0; i < REPORT_VERDICTS; i++) {
        errors += is_our_problem(report_verdicts[i]) ? totals->verdicts[i] : 0;
    }
    size_t failures = totals->files - totals->verdicts[0] - errors;
    fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n", out);
    fprintf(out, "  <testsuite name=\"tickproof verify\" tests=\"%zu\" failures=\"%zu\" errors=\"%zu\">\n", totals->files, failures, errors);
    for (size_t i = 0; i < count; i++) {
        junit_case(out, &files[i]);
    }
    fputs("  </testsuite>\n</testsuites>\n", out);
}

// A path as the path of a URI.
static void put_uri(FILE *out, const char *path)
{
    fputc('"', out);
    for (; *path != '\0'; path++) {
        unsigned char letter = (unsigned char)*path;
        bool          is_plain = (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z') || (letter >= '0' && letter <= '9') ||
                        strchr("-._~/", letter) != NULL;
        fprintf(out, is_plain ? "%c" : "%%%02X", letter);
    }
    fputc('"', out);
}

static void sarif_result(FILE *out, const BatchFile *file, bool is_first)
{
    const tp_report *report = &file->report;
    fputs(is_first ? "\n" : ",\n", out);
    fprintf(out, "      {\"ruleId\":\"%s\",\"level\":\"error\",\"message\":{", tp_verdict_name(report->verdict));
    textout_json_member(out, true, "text", report->message);
    fputs("},\"locations\":[{\"physicalLocation\":{\"artifactLocation\":{\"uri\":", out);
    put_uri(out, batch_name(file));
    fputc('}', out);
    if (report->offset > 0) {
        fprintf(out, ",\"region\":{\"byteOffset\":%llu}", (unsigned long long)report->offset);
    }
    fputs("}}],\"properties\":{", out);
    textout_u64_member(out, true, "checked", report->checked);
    textout_u64_member(out, false, "recorded", report->recorded);
    if (report->verdict == TP_DIVERGED) {
        textout_u64_member(out, false, "badTick", report->bad_tick);
    }
    fputs("}}", out);
}

static void sarif_end(FILE *out, const BatchFile *files, size_t count, const ReportTotals *totals)
{
    (void)totals;
    fputs("{\"$schema\":\"https://json.schemastore.org/sarif-2.1.0.json\",\"version\":\"2.1.0\",\"runs\":[{\n"
          "    \"tool\":{\"driver\":{\"name\":\"tickproof\",\"version\":\"" TP_VERSION "\",\"rules\":[", out);
    for (int i = 1; i < REPORT_VERDICTS; i++) {
        fprintf(out, "%s{\"id\":\"%s\"}", i == 1 ? "" : ",", tp_verdict_name(report_verdicts[i]));
    }
    fputs("]}},\n    \"results\":[", out);
    bool is_first = true;
    for (size_t i = 0; i < count; i++) {
        if (files[i].report.verdict != TP_VERIFIED) {
            sarif_result(out, &files[i], is_first);
            is_first = false;
        }
    }
    fputs("]\n}]}\n", out);
}

// The annotation syntax ends a property at ',' or ':' and a line at its end.
static void put_escaped(FILE *out, const char *text, bool is_property)
{
    for (; *text != '\0'; text++) {
        bool is_special = *text == '%' || *text == '\r' || *text == '\n' || (is_property && (*text == ',' || *text == ':'));
        fprintf(out, is_special ? "%%%02X" : "%c", (unsigned char)*text);
    }
}

static void github_file(FILE *out, const BatchFile *file)
{
    const tp_report *report = &file->report;
    if (report->verdict == TP_VERIFIED) {
        return;
    }
    fputs("::error file=", out);
    put_escaped(out, batch_name(file), true);
    fprintf(out, ",title=%s::", tp_verdict_name(report->verdict));
    put_escaped(out, report->message, false);
    fprintf(out, " (%llu of %llu recorded ticks checked)\n", (unsigned long long)report->checked, (unsigned long long)report->recorded);
}

static void github_end(FILE *out, const BatchFile *files, size_t count, const ReportTotals *totals)
{
    (void)files;
    (void)count;
    fprintf(out, "::notice title=tickproof verify::%zu of %zu files verified, %llu of %llu recorded ticks checked\n", totals->verdicts[0],
            totals->files, (unsigned long long)totals->checked, (unsigned long long)totals->recorded);
}

const ReportFormat report_junit = { "junit", NULL, junit_end };
const ReportFormat report_sarif = { "sarif", NULL, sarif_end };
const ReportFormat report_github = { "github", github_file, github_end };

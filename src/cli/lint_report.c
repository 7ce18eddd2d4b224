// lint_report.c: results for people, and as one JSON object a line.
#include "lint_report.h"

#include <inttypes.h>
#include <string.h>

#include "lint_code.h"
#include "textout.h"

const char *const lint_level_names[3] = { "note", "warning", "error" };

static const char *const kind_words[] = { "", "object file", "program", "library" };

// "import, in step+0x1c and 2 more places"
static void describe_use(const LintFinding *finding, char *text, size_t size)
{
    char more[48] = "";
    if (finding->kind == LINT_KIND_UNREAD) {
        snprintf(text, size, "%" PRIu64 " bytes, from %s", finding->count, finding->place);
        return;
    }
    if (finding->count > 1) {
        snprintf(more, sizeof(more), " and %" PRIu64 " more place%s", finding->count - 1, finding->count == 2 ? "" : "s");
    }
    snprintf(text, size, "%s%s%s%s", finding->what, finding->place[0] != '\0' ? ", in " : "", finding->place, finding->place[0] != '\0' ? more : "");
}

void lint_report_line(const LintFinding *finding, char text[TP_MESSAGE_SIZE])
{
    const LintKindText *kind = &lint_kinds[finding->kind];
    char                use[LINT_NAME_SIZE + 128];
    describe_use(finding, use, sizeof(use));
    snprintf(text, TP_MESSAGE_SIZE, "%s: %.64s (%.100s): %s; %s", kind->name, finding->symbol, use, kind->why, kind->advice);
}

static int put_count(char *text, size_t size, uint64_t count, const char *word)
{
    return snprintf(text, size, "%" PRIu64 " %s%s", count, word, count == 1 ? "" : "s");
}

void lint_report_totals(const LintResult *result, char text[TP_MESSAGE_SIZE])
{
    const LintObject *object = &result->object;
    char              machine[32], functions[32], errors[32], warnings[32], notes[32];
    put_count(errors, sizeof(errors), result->levels[LINT_ERROR], "error");
    put_count(warnings, sizeof(warnings), result->levels[LINT_WARNING], "warning");
    put_count(functions, sizeof(functions), object->functions, "function");
    put_count(notes, sizeof(notes), result->levels[LINT_NOTE], "note");
    int size = snprintf(text, TP_MESSAGE_SIZE, "%s %s, ", lint_code_machine_name(object->machine, machine), kind_words[object->kind & 3]);
    if (object->is_code_read) {
        size += snprintf(text + size, TP_MESSAGE_SIZE - (size_t)size, "%" PRIu64 " bytes of code in %s", object->code_size, functions);
    } else {
        size += snprintf(text + size, TP_MESSAGE_SIZE - (size_t)size, "symbols alone");
    }
    size += snprintf(text + size, TP_MESSAGE_SIZE - (size_t)size, ": %s, %s, %s", errors, warnings, notes);
    if (result->allowed > 0) {
        size += snprintf(text + size, TP_MESSAGE_SIZE - (size_t)size, ", %" PRIu64 " allowed", result->allowed);
    }
    if (object->dropped > 0) {
        snprintf(text + size, TP_MESSAGE_SIZE - (size_t)size, ", %zu of them not shown", object->dropped);
    }
}

static void put_safe(FILE *out, const char *text)
{
    textout_safe(out, text, strlen(text));
}

static void text_finding(FILE *out, const LintFinding *finding)
{
    char use[LINT_NAME_SIZE + 128];
    describe_use(finding, use, sizeof(use));
    fprintf(out, "  %-7s  %-13s  ", lint_level_names[finding->level], lint_kinds[finding->kind].name);
    put_safe(out, finding->symbol);
    fputs(use[0] == '\0' ? "" : ": ", out);
    put_safe(out, use);
    fputc('\n', out);
}

static void text_result(FILE *out, const LintResult *result, bool kinds[LINT_KIND_COUNT])
{
    char totals[TP_MESSAGE_SIZE];
    put_safe(out, result->subject);
    if (result->object.kind == 0) {
        fprintf(out, ": %s: ", tp_verdict_name(result->verdict));
        put_safe(out, result->message);
        fputc('\n', out);
        return;
    }
    lint_report_totals(result, totals);
    fprintf(out, ": %s\n", totals);
    if (!result->object.is_code_read) {
        fprintf(out, "  skipped  instructions   %s\n", result->object.message);
    } else if (result->message[0] != '\0') {
        fprintf(out, "  %s: %s\n", tp_verdict_name(result->verdict), result->message);
    }
    for (size_t i = 0; i < result->object.count; i++) {
        const LintFinding *finding = &result->object.findings[i];
        if (!finding->is_allowed) {
            kinds[finding->kind] = true;
            text_finding(out, finding);
        }
    }
}

static void write_text(FILE *out, const LintRun *run)
{
    bool kinds[LINT_KIND_COUNT] = { false };
    bool is_first = true;
    for (size_t i = 0; i < run->count; i++) {
        text_result(out, &run->results[i], kinds);
    }
    for (size_t i = 0; i < LINT_KIND_COUNT; i++) {
        if (kinds[i]) {
            fprintf(out, "%s  %s: %s.\n    Do: %s.\n", is_first ? "Why:\n" : "", lint_kinds[i].name, lint_kinds[i].why, lint_kinds[i].advice);
            is_first = false;
        }
    }
    for (size_t i = 0; i < run->allowed_count; i++) {
        const LintAllow *allow = &run->allowed[i];
        if (!allow->is_used) {
            fprintf(out, "--allow %s%s%s: there was nothing to allow; remove it\n", lint_kinds[allow->kind].name, allow->symbol == NULL ? "" : "=",
                    allow->symbol == NULL ? "" : allow->symbol);
        }
    }
}

static void json_finding(FILE *out, const LintFinding *finding, bool is_first)
{
    fputs(is_first ? "{" : ",{", out);
    textout_json_member(out, true, "kind", lint_kinds[finding->kind].name);
    textout_json_member(out, false, "level", lint_level_names[finding->level]);
    textout_json_member(out, false, "symbol", finding->symbol);
    textout_json_member(out, false, "what", finding->what);
    if (finding->place[0] != '\0') {
        textout_json_member(out, false, "place", finding->place);
    }
    textout_u64_member(out, false, "count", finding->count);
    if (finding->offset > 0) {
        textout_u64_member(out, false, "offset", finding->offset);
    }
    textout_bool_member(out, false, "allowed", finding->is_allowed);
    textout_json_member(out, false, "why", lint_kinds[finding->kind].why);
    textout_json_member(out, false, "do", lint_kinds[finding->kind].advice);
    fputc('}', out);
}

static void json_result(FILE *out, const LintResult *result)
{
    char machine[32];
    fputc('{', out);
    textout_json_member(out, true, "command", "tickproof lint");
    textout_json_member(out, false, "subject", result->subject);
    textout_json_member(out, false, "verdict", tp_verdict_name(result->verdict));
    fprintf(out, ",\"exit\":%d", (int)result->verdict);
    textout_json_member(out, false, "message", result->message);
    if (result->object.kind != 0) {
        textout_json_member(out, false, "machine", lint_code_machine_name(result->object.machine, machine));
        textout_bool_member(out, false, "instructions_read", result->object.is_code_read);
        textout_u64_member(out, false, "code_bytes", result->object.code_size);
        textout_u64_member(out, false, "dropped", result->object.dropped);
        fputs(",\"findings\":[", out);
        for (size_t i = 0; i < result->object.count; i++) {
            json_finding(out, &result->object.findings[i], i == 0);
        }
        fputc(']', out);
    }
    fputs("}\n", out);
}

void lint_report_write(FILE *out, FindingFormat format, const LintRun *run)
{
    switch (format) {
    case FINDING_TEXT: write_text(out, run); break;
    case FINDING_JSON:
        for (size_t i = 0; i < run->count; i++) {
            json_result(out, &run->results[i]);
        }
        break;
    case FINDING_JUNIT:
    case FINDING_SARIF:
    case FINDING_GITHUB: lint_report_ci(out, format, run); break;
    }
}

// finding.c: findings as text, JSON, JUnit XML, SARIF 2.1.0 and GitHub's annotation lines.
#include "finding.h"

#include <stdlib.h>
#include <string.h>

#include "ciout.h"
#include "textout.h"

bool finding_format_of(const char *name, FindingFormat *format)
{
    static const char *const names[] = { "text", "json", "junit", "sarif", "github" };
    for (int i = 0; i < 5; i++) {
        if (strcmp(name, names[i]) == 0) {
            *format = (FindingFormat)i;
            return true;
        }
    }
    return false;
}

void finding_finish(Finding *finding)
{
    free(finding->inputs);
    finding->inputs = NULL;
}

tp_verdict finding_worst(const Finding *findings, size_t count)
{
    tp_verdict worst = TP_VERIFIED;
    for (size_t i = 0; i < count; i++) {
        worst = findings[i].is_skipped ? worst : tp_verdict_worst(worst, findings[i].verdict);
    }
    return worst;
}

static CioutKind kind_of(const Finding *finding)
{
    return finding->is_skipped ? CIOUT_SKIPPED : ciout_kind(finding->verdict);
}

static const char *word_of(const Finding *finding)
{
    return finding->is_skipped ? "skipped" : tp_verdict_name(finding->verdict);
}

// "log.tpr, aslr=off"
static void name_of(const Finding *finding, char *name, size_t size)
{
    bool has_aspect = finding->aspect != NULL && finding->aspect[0] != '\0';
    snprintf(name, size, "%s%s%s", finding->subject, has_aspect ? ", " : "", has_aspect ? finding->aspect : "");
}

// What a person reads under the first line. In XML what may not stand there is written another way than on a terminal.
typedef struct {
    FILE *out;
    void (*put)(FILE *out, const char *text);
    const char *margin;
} Lines;

static void put_safe(FILE *out, const char *text)
{
    textout_safe(out, text, strlen(text));
}

static void put_line(const Lines *lines, const char *label, const char *text)
{
    fprintf(lines->out, "%s", lines->margin);
    lines->put(lines->out, label);
    lines->put(lines->out, text);
    fputc('\n', lines->out);
}

static void put_values(const Lines *lines, const Finding *finding)
{
    char text[160];
    if (finding->field[0] != '\0') {
        snprintf(text, sizeof(text), finding->differing_fields > 1 ? "%s, first of %llu differing fields" : "%s", finding->field,
                 (unsigned long long)finding->differing_fields);
        put_line(lines, "field: ", text);
    }
    for (uint32_t i = 0; i < finding->value_count; i++) {
        const FindingValue *value = &finding->values[i];
        fprintf(lines->out, "%s  ", lines->margin);
        lines->put(lines->out, value->side);
        fputs(": ", lines->out);
        lines->put(lines->out, value->value[0] == '\0' ? "not known" : value->value);
        fputc('\n', lines->out);
    }
}

static void put_details(const Lines *lines, const Finding *finding)
{
    char text[600];
    if (finding->cause[0] != '\0') {
        put_line(lines, "cause: ", finding->cause);
    }
    if (finding->has_tick) {
        snprintf(text, sizeof(text), "%llu", (unsigned long long)finding->tick);
        put_line(lines, "tick: ", text);
    }
    if (finding->section[0] != '\0') {
        put_line(lines, "section: ", finding->section);
    }
    put_values(lines, finding);
    if (finding->has_last_write) {
        snprintf(text, sizeof(text), "tick %llu", (unsigned long long)finding->last_write_tick);
        put_line(lines, "last changed before: ", text);
    }
    if (finding->inputs != NULL) {
        fprintf(lines->out, "%s", lines->margin);
        lines->put(lines->out, "inputs: ");
        for (const char *rest = finding->inputs; *rest != '\0';) { // a row's JSON comes with its newline
            size_t size = strcspn(rest, "\n");
            char  *line = strndup(rest, size);
            lines->put(lines->out, line == NULL ? "" : line);
            free(line);
            rest += size + (rest[size] == '\n' ? 1 : 0);
        }
        fputc('\n', lines->out);
    }
    if (finding->place.path[0] != '\0') {
        snprintf(text, sizeof(text), "%s:%lu", finding->place.path, (unsigned long)finding->place.line);
        put_line(lines, "declared at ", text);
    }
}

void finding_text(FILE *out, const Finding *finding)
{
    Lines lines = { out, put_safe, "  " };
    char  name[1024];
    name_of(finding, name, sizeof(name));
    put_safe(out, name);
    fprintf(out, ": %s%s", word_of(finding), finding->message[0] != '\0' ? ": " : "");
    put_safe(out, finding->message);
    fputc('\n', out);
    put_details(&lines, finding);
}

// JSON.

static void put_json_values(FILE *out, const Finding *finding)
{
    fputs(",\"values\":[", out);
    for (uint32_t i = 0; i < finding->value_count; i++) {
        fputs(i == 0 ? "{" : ",{", out);
        textout_json_member(out, true, "side", finding->values[i].side);
        if (finding->values[i].value[0] != '\0') {
            textout_json_member(out, false, "value", finding->values[i].value);
        }
        textout_u64_member(out, false, "group", finding->values[i].group);
        fputc('}', out);
    }
    fputc(']', out);
}

static void put_json_text(FILE *out, const char *key, const char *text)
{
    if (text != NULL && text[0] != '\0') {
        textout_json_member(out, false, key, text);
    }
}

// The row is JSON already, with a newline behind it.
static void put_json_inputs(FILE *out, const char *inputs)
{
    textout_key(out, false, "inputs");
    for (; *inputs != '\0'; inputs++) {
        if (*inputs != '\n' && *inputs != '\r') {
            fputc(*inputs, out);
        }
    }
}

// Members that JSON and SARIF's properties share. None of them is the first.
static void put_json_details(FILE *out, const Finding *finding)
{
    put_json_text(out, "aspect", finding->aspect);
    put_json_text(out, "cause", finding->cause);
    if (finding->has_tick) {
        textout_u64_member(out, false, "tick", finding->tick);
    }
    put_json_text(out, "section", finding->section);
    put_json_text(out, "field", finding->field);
    if (finding->differing_fields > 0) {
        textout_u64_member(out, false, "differing_fields", finding->differing_fields);
    }
    if (finding->value_count > 0) {
        put_json_values(out, finding);
    }
    if (finding->has_last_write) {
        textout_u64_member(out, false, "last_write_tick", finding->last_write_tick);
    }
    if (finding->inputs != NULL && finding->inputs[0] != '\0') {
        put_json_inputs(out, finding->inputs);
    }
}

static void json_line(FILE *out, const char *command, const Finding *finding)
{
    fputc('{', out);
    textout_json_member(out, true, "command", command);
    textout_json_member(out, false, "subject", finding->subject);
    textout_json_member(out, false, "verdict", word_of(finding));
    textout_key(out, false, "exit");
    if (finding->is_skipped) {
        fputs("null", out);
    } else {
        fprintf(out, "%d", (int)finding->verdict);
    }
    textout_json_member(out, false, "message", finding->message);
    put_json_details(out, finding);
    if (finding->place.path[0] != '\0') {
        textout_json_member(out, false, "file", finding->place.path);
        textout_u64_member(out, false, "line", finding->place.line);
    }
    if (finding->offset > 0) {
        textout_u64_member(out, false, "offset", finding->offset);
    }
    fputs("}\n", out);
}

static void write_junit(FILE *out, const char *command, const Finding *findings, size_t count)
{
    size_t counts[4] = { 0 };
    for (size_t i = 0; i < count; i++) {
        counts[kind_of(&findings[i])] += 1;
    }
    ciout_junit_begin(out, command, counts);
    for (size_t i = 0; i < count; i++) {
        Lines     lines = { out, textout_xml, "" };
        CioutKind kind = kind_of(&findings[i]);
        char      name[1024];
        name_of(&findings[i], name, sizeof(name));
        ciout_junit_case(out, command, name, kind, word_of(&findings[i]), findings[i].message);
        if (kind == CIOUT_FAILED || kind == CIOUT_BROKEN) {
            fputc('\n', out);
            put_details(&lines, &findings[i]);
        }
        ciout_junit_case_end(out, kind);
    }
    ciout_junit_end(out);
}

static void sarif_result(FILE *out, const Finding *finding, bool is_first)
{
    bool has_place = finding->place.path[0] != '\0';
    ciout_sarif_result(out, is_first, finding->verdict, finding->message);
    fputs(",\"locations\":[{", out);
    ciout_sarif_place(out, has_place ? finding->place.path : finding->subject, has_place ? finding->place.line : 0, has_place ? 0 : finding->offset);
    if (finding->field[0] != '\0' || finding->section[0] != '\0') {
        fputs(",\"logicalLocations\":[{", out);
        textout_json_member(out, true, "fullyQualifiedName", finding->field[0] != '\0' ? finding->field : finding->section);
        fputs(",\"kind\":\"member\"}]", out);
    }
    fputs("}]", out);
    if (has_place) {
        fputs(",\"relatedLocations\":[{\"id\":1,", out);
        ciout_sarif_place(out, finding->subject, 0, finding->offset);
        fputs(",\"message\":{\"text\":\"what it was found in\"}}]", out);
    }
    ciout_sarif_fingerprint(out, finding->verdict, finding->section, finding->field);
    fputs(",\"properties\":{", out);
    textout_json_member(out, true, "subject", finding->subject);
    put_json_details(out, finding);
    fputs("}}", out);
}

// What was skipped is no result, and must not go unseen either.
static void sarif_skipped(FILE *out, const Finding *finding, bool is_first)
{
    char name[1024];
    char text[sizeof(name) + TP_MESSAGE_SIZE + 16];
    name_of(finding, name, sizeof(name));
    snprintf(text, sizeof(text), "%s: skipped: %s", name, finding->message);
    ciout_sarif_notification(out, is_first, text);
}

static void write_sarif(FILE *out, const Finding *findings, size_t count)
{
    bool is_first = true;
    bool is_successful = true;
    ciout_sarif_begin(out);
    for (size_t i = 0; i < count; i++) {
        CioutKind kind = kind_of(&findings[i]);
        is_successful = is_successful && kind != CIOUT_BROKEN;
        if (kind == CIOUT_FAILED || kind == CIOUT_BROKEN) {
            sarif_result(out, &findings[i], is_first);
            is_first = false;
        }
    }
    ciout_sarif_results_end(out, is_successful);
    is_first = true;
    for (size_t i = 0; i < count; i++) {
        if (findings[i].is_skipped) {
            sarif_skipped(out, &findings[i], is_first);
            is_first = false;
        }
    }
    ciout_sarif_end(out);
}

static void github_line(FILE *out, const char *command, const Finding *finding)
{
    CioutKind kind = kind_of(finding);
    bool      has_place = finding->place.path[0] != '\0';
    char      title[256];
    if (kind == CIOUT_PASSED) {
        return;
    }
    snprintf(title, sizeof(title), "%s: %s", command, word_of(finding));
    ciout_github_head(out, kind == CIOUT_SKIPPED ? "warning" : "error", has_place ? finding->place.path : finding->subject,
                      has_place ? finding->place.line : 0, title);
    if (has_place || (finding->aspect != NULL && finding->aspect[0] != '\0')) {
        char name[1024];
        name_of(finding, name, sizeof(name));
        ciout_github_text(out, name);
        fputs(": ", out);
    }
    ciout_github_text(out, finding->message);
    fputc('\n', out);
}

static void write_github(FILE *out, const char *command, const Finding *findings, size_t count)
{
    size_t counts[4] = { 0 };
    for (size_t i = 0; i < count; i++) {
        counts[kind_of(&findings[i])] += 1;
        github_line(out, command, &findings[i]);
    }
    ciout_github_head(out, "notice", "", 0, command);
    fprintf(out, "%zu of %zu fine, %zu not, %zu skipped\n", counts[CIOUT_PASSED], count, counts[CIOUT_FAILED] + counts[CIOUT_BROKEN], counts[CIOUT_SKIPPED]);
}

void finding_write(FILE *out, FindingFormat format, const char *command, const Finding *findings, size_t count)
{
    switch (format) {
    case FINDING_TEXT:
        for (size_t i = 0; i < count; i++) {
            finding_text(out, &findings[i]);
        }
        break;
    case FINDING_JSON:
        for (size_t i = 0; i < count; i++) {
            json_line(out, command, &findings[i]);
        }
        break;
    case FINDING_JUNIT: write_junit(out, command, findings, count); break;
    case FINDING_SARIF: write_sarif(out, findings, count); break;
    case FINDING_GITHUB: write_github(out, command, findings, count); break;
    }
}

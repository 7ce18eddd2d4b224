// ciout.c: see ciout.h.
#include "ciout.h"

#include <string.h>

#include "textout.h"

CioutKind ciout_kind(tp_verdict verdict)
{
    bool is_finding = verdict >= TP_DIVERGED && verdict <= TP_UNAUTHENTIC && verdict != TP_USAGE;
    return verdict == TP_VERIFIED ? CIOUT_PASSED : is_finding ? CIOUT_FAILED : CIOUT_BROKEN;
}

// JUnit.

static const char *element_of(CioutKind kind)
{
    return kind == CIOUT_SKIPPED ? "skipped" : kind == CIOUT_BROKEN ? "error" : "failure";
}

static void put_attribute(FILE *out, const char *name, const char *value)
{
    fprintf(out, " %s=\"", name);
    textout_xml(out, value);
    fputc('"', out);
}

void ciout_junit_begin(FILE *out, const char *suite, const size_t counts[4])
{
    size_t tests = counts[CIOUT_PASSED] + counts[CIOUT_SKIPPED] + counts[CIOUT_FAILED] + counts[CIOUT_BROKEN];
    fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n  <testsuite", out);
    put_attribute(out, "name", suite);
    // Ant's schema wants a package, an id, a host, a date and a duration. Real ones would make no report equal to another.
    fputs(" package=\"tickproof\" id=\"0\" hostname=\"localhost\" timestamp=\"1970-01-01T00:00:00\" time=\"0\"", out);
    fprintf(out, " tests=\"%zu\" failures=\"%zu\" errors=\"%zu\" skipped=\"%zu\">\n    <properties/>\n", tests, counts[CIOUT_FAILED], counts[CIOUT_BROKEN],
            counts[CIOUT_SKIPPED]);
}

void ciout_junit_case(FILE *out, const char *class_name, const char *name, CioutKind kind, const char *type, const char *message)
{
    fputs("    <testcase", out);
    put_attribute(out, "classname", class_name);
    put_attribute(out, "name", name);
    fputs(" time=\"0\"", out);
    if (kind == CIOUT_PASSED) {
        fputs("/>\n", out);
        return;
    }
    fprintf(out, ">\n      <%s", element_of(kind));
    put_attribute(out, "type", type);
    put_attribute(out, "message", message);
    fputc('>', out);
}

void ciout_junit_case_end(FILE *out, CioutKind kind)
{
    if (kind != CIOUT_PASSED) {
        fprintf(out, "</%s>\n    </testcase>\n", element_of(kind));
    }
}

void ciout_junit_end(FILE *out)
{
    fputs("    <system-out/>\n    <system-err/>\n  </testsuite>\n</testsuites>\n", out);
}

// SARIF.

static const struct {
    tp_verdict  verdict;
    const char *text;
} rules[] = {
    { TP_DIVERGED, "Another run came to other bits" },
    { TP_USAGE, "What was asked for cannot be done: bad flag, bad configuration, no such file" },
    { TP_CORRUPT, "A file is damaged or malformed" },
    { TP_TRUNCATED, "A log ends early" },
    { TP_INCOMPLETE, "Not every recorded tick was checked" },
    { TP_INCOMPATIBLE, "World or rules are others" },
    { TP_UNVERIFIABLE, "A log carries no checksums" },
    { TP_UNAUTHENTIC, "Chain or signature of a log does not hold" },
    { TP_INTERNAL, "A fault of this program or of a world that it loaded" },
};
enum { RULE_COUNT = sizeof(rules) / sizeof(rules[0]) };

void ciout_sarif_begin(FILE *out)
{
    fputs("{\"$schema\":\"https://json.schemastore.org/sarif-2.1.0.json\",\"version\":\"2.1.0\",\"runs\":[{\n"
          "    \"tool\":{\"driver\":{\"name\":\"tickproof\",\"version\":\"" TP_VERSION "\",\"rules\":[", out);
    for (int i = 0; i < RULE_COUNT; i++) {
        fprintf(out, "%s\n      {\"id\":\"%s\",\"shortDescription\":{\"text\":\"%s\"},\"defaultConfiguration\":{\"level\":\"error\"}}", i == 0 ? "" : ",",
                tp_verdict_name(rules[i].verdict), rules[i].text);
    }
    fputs("]}},\n    \"results\":[", out);
}

void ciout_sarif_result(FILE *out, bool is_first, tp_verdict verdict, const char *message)
{
    int rule = 0;
    while (rule < RULE_COUNT - 1 && rules[rule].verdict != verdict) {
        rule++; // the last one is for what is none
    }
    fputs(is_first ? "\n" : ",\n", out);
    fprintf(out, "      {\"ruleId\":\"%s\",\"ruleIndex\":%d,\"level\":\"error\",\"message\":{", tp_verdict_name(rules[rule].verdict), rule);
    textout_json_member(out, true, "text", message);
    fputc('}', out);
}

// A path as a URI. Only an absolute one gets a scheme: what a relative one is relative to is up to the reader.
static void put_uri(FILE *out, const char *path)
{
    fputs(path[0] == '/' ? "\"file://" : "\"", out);
    for (; *path != '\0'; path++) {
        unsigned char letter = (unsigned char)*path;
        bool          is_plain = (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z') || (letter >= '0' && letter <= '9') ||
                        strchr("-._~/", letter) != NULL;
        fprintf(out, is_plain ? "%c" : "%%%02X", letter);
    }
    fputc('"', out);
}

void ciout_sarif_place(FILE *out, const char *path, uint32_t line, uint64_t offset)
{
    fputs("\"physicalLocation\":{\"artifactLocation\":{\"uri\":", out);
    put_uri(out, path);
    fputc('}', out);
    if (line > 0) {
        fprintf(out, ",\"region\":{\"startLine\":%lu}", (unsigned long)line);
    } else if (offset > 0) {
        fprintf(out, ",\"region\":{\"byteOffset\":%llu}", (unsigned long long)offset);
    }
    fputc('}', out);
}

void ciout_sarif_fingerprint(FILE *out, tp_verdict verdict, const char *section, const char *field)
{
    char text[TP_NAME_SIZE_MAX + 256];
    if (section[0] == '\0' && field[0] == '\0') {
        return;
    }
    snprintf(text, sizeof(text), "%s/%s/%s", tp_verdict_name(verdict), section, field);
    fputs(",\"partialFingerprints\":{", out);
    textout_json_member(out, true, "place/v1", text);
    fputc('}', out);
}

void ciout_sarif_results_end(FILE *out, bool is_successful)
{
    fprintf(out, "],\n    \"invocations\":[{\"executionSuccessful\":%s,\"toolExecutionNotifications\":[", is_successful ? "true" : "false");
}

void ciout_sarif_notification(FILE *out, bool is_first, const char *text)
{
    fputs(is_first ? "\n      {\"level\":\"warning\",\"message\":{" : ",\n      {\"level\":\"warning\",\"message\":{", out);
    textout_json_member(out, true, "text", text);
    fputs("}}", out);
}

void ciout_sarif_end(FILE *out)
{
    fputs("]}]\n}]}\n", out);
}

// GitHub. A property ends at ',' or ':' and a line at its end. What a log viewer might act on, and what is no text, comes out as \xNN.

static void put_escaped(FILE *out, const char *text, bool is_property)
{
    for (size_t left = strlen(text); left > 0;) {
        bool   is_special = *text == '%' || *text == '\r' || *text == '\n' || (is_property && (*text == ',' || *text == ':'));
        size_t length = textout_letter(text, left);
        if (is_special) {
            fprintf(out, "%%%02X", (unsigned char)*text);
        } else if (length == 0) {
            fprintf(out, "\\x%02x", (unsigned char)*text);
        } else {
            fwrite(text, 1, length, out);
        }
        text += length > 0 ? length : 1;
        left -= length > 0 ? length : 1;
    }
}

void ciout_github_head(FILE *out, const char *level, const char *path, uint32_t line, const char *title)
{
    fprintf(out, "::%s ", level);
    if (path[0] != '\0') {
        fputs("file=", out);
        put_escaped(out, path, true);
        fputc(',', out);
    }
    if (path[0] != '\0' && line > 0) {
        fprintf(out, "line=%lu,", (unsigned long)line);
    }
    fputs("title=", out);
    put_escaped(out, title, true);
    fputs("::", out);
}

void ciout_github_text(FILE *out, const char *text)
{
    put_escaped(out, text, false);
}

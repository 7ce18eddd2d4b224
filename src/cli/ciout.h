// ciout.h: what build servers read, in the parts that all reports of this program share: JUnit XML, SARIF 2.1.0 and GitHub's annotation
// lines. No times and no host: the same answers make the same report.
#pragma once

#include <stdio.h>

#include "tickproof/verify.h"

typedef enum { CIOUT_PASSED, CIOUT_SKIPPED, CIOUT_FAILED, CIOUT_BROKEN } CioutKind;

/// BROKEN is what says nothing about the subject: this program's own problem, or a wrong command line.
CioutKind ciout_kind(tp_verdict verdict);

// JUnit: begin, cases, end. Valid by Jenkins' junit-10.xsd and by Ant's JUnit.xsd, which wants more of every element.

/// `counts` are numbers of cases by kind.
void ciout_junit_begin(FILE *out, const char *suite, const size_t counts[4]);
/// PASSED is then complete; else the caller prints the element's text (through textout_xml) and ends it.
void ciout_junit_case(FILE *out, const char *class_name, const char *name, CioutKind kind, const char *type, const char *message);
void ciout_junit_case_end(FILE *out, CioutKind kind);
void ciout_junit_end(FILE *out);

// SARIF: begin, results, end. One rule for each verdict.

void ciout_sarif_begin(FILE *out);
/// {"ruleId"... up to and with its message. The caller goes on with members and closes the object.
void ciout_sarif_result(FILE *out, bool is_first, tp_verdict verdict, const char *message);
/// "physicalLocation":{...}. `line` from 1, or 0; then `offset` in bytes, or 0.
void ciout_sarif_place(FILE *out, const char *path, uint32_t line, uint64_t offset);
/// ,"partialFingerprints":{...}: what makes two results of different logs one problem. Nothing without a section and a field.
void ciout_sarif_fingerprint(FILE *out, tp_verdict verdict, const char *section, const char *field);
/// Ends the results; then come notifications, which the caller prints as JSON objects (see ciout_sarif_notification), and the end.
void ciout_sarif_results_end(FILE *out, bool is_successful);
void ciout_sarif_notification(FILE *out, bool is_first, const char *text);
void ciout_sarif_end(FILE *out);

/// One annotation line up to "::", `path` and `line` if there are any. The message follows, through ciout_github_text, and a newline.
void ciout_github_head(FILE *out, const char *level, const char *path, uint32_t line, const char *title);
void ciout_github_text(FILE *out, const char *text);

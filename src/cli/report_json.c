// report_json.c: one object per file, one line each.
#include <string.h>

#include "report.h"
#include "textout.h"

static void put_known(FILE *out, const char *key, tp_known value)
{
    textout_key(out, false, key);
    fputs(value == TP_YES ? "true" : value == TP_NO ? "false" : "null", out);
}

static void put_identity(FILE *out, const tp_report *report)
{
    textout_json_member(out, false, "world", report->world);
    textout_u64_member(out, false, "revision", report->revision);
    textout_u64_member(out, false, "seed", report->seed);
    textout_u64_member(out, false, "players", report->players);
    textout_u64_member(out, false, "tick_rate_hz", report->tick_rate_hz);
    textout_u64_member(out, false, "sequence", report->sequence);
    textout_u64_member(out, false, "first_tick", report->first_tick);
}

static void put_coverage(FILE *out, const tp_report *report)
{
    textout_u64_member(out, false, "recorded", report->recorded);
    textout_u64_member(out, false, "checked", report->checked);
    textout_u64_member(out, false, "stepped", report->stepped);
    textout_u64_member(out, false, "with_root", report->with_root);
    textout_u64_member(out, false, "next_tick", report->next_tick);
    textout_u64_member(out, false, "matched_ticks", report->matched_ticks);
    textout_u64_member(out, false, "offset", report->offset);
    textout_u64_member(out, false, "gaps", report->gaps);
    textout_u64_member(out, false, "missing_ticks", report->missing_ticks);
    textout_u64_member(out, false, "resumes", report->resumes);
    textout_json_member(out, false, "log_status", tp_log_status_name(report->log_status));
}

static void put_end(FILE *out, const tp_report *report)
{
    textout_bool_member(out, false, "has_end", report->has_end);
    if (report->has_end) {
        const char *reason = tp_end_reason_name(report->end_reason);
        textout_json_member(out, false, "end_reason", reason == NULL ? "" : reason);
        textout_hex_member(out, false, "chain", report->chain, sizeof(report->chain));
    }
    textout_hex_member(out, false, "final_root", report->final_root, sizeof(report->final_root));
    textout_bool_member(out, false, "has_fault", report->has_fault);
    if (report->has_fault) {
        textout_u64_member(out, false, "fault_tick", report->fault_tick);
    }
    textout_bool_member(out, false, "signed", report->is_signed);
    if (report->is_signed) {
        textout_hex_member(out, false, "public_key", report->public_key, sizeof(report->public_key));
    }
    textout_bool_member(out, false, "end_signed", report->is_end_signed);
    textout_json_member(out, false, "authorship", report->is_trusted ? "trusted" : report->is_end_signed ? "signed" : "not proven");
}

static void put_divergence(FILE *out, const tp_report *report)
{
    textout_u64_member(out, false, "bad_tick", report->bad_tick);
    put_known(out, "inputs_equal", report->inputs_equal);
    put_known(out, "events_equal", report->events_equal);
    textout_hex_member(out, false, "expected_root", report->expected_root, report->root_size);
    textout_hex_member(out, false, "actual_root", report->actual_root, report->root_size);
    if (report->section[0] != '\0') {
        textout_json_member(out, false, "section", report->section);
        textout_u64_member(out, false, "section_tick", report->section_tick);
        textout_u64_member(out, false, "section_distance", report->section_tick - report->bad_tick);
    }
    if (report->field[0] != '\0') {
        textout_json_member(out, false, "field", report->field);
        textout_json_member(out, false, "field_expected", report->field_expected);
        textout_json_member(out, false, "field_actual", report->field_actual);
        textout_u64_member(out, false, "field_tick", report->field_tick);
        textout_u64_member(out, false, "field_distance", report->field_tick - report->bad_tick);
        textout_u64_member(out, false, "differing_fields", report->differing_fields);
    }
}

static void put_proof(FILE *out, const tp_proof *proof)
{
    fputs(",\"proof\":{", out);
    textout_u64_member(out, true, "tried", proof->tried);
    textout_u64_member(out, false, "caught", proof->caught);
    textout_u64_member(out, false, "seed", proof->seed);
    for (uint32_t kind = 0; tp_proof_kind_name(kind) != NULL; kind++) {
        fprintf(out, ",\"%s\":{\"tried\":%llu,\"caught\":%llu}", tp_proof_kind_name(kind), (unsigned long long)proof->tried_kind[kind],
                (unsigned long long)proof->caught_kind[kind]);
    }
    fputc('}', out);
}

static void json_file(FILE *out, const BatchFile *file)
{
    const tp_report *report = &file->report;
    fputc('{', out);
    textout_json_member(out, true, "file", batch_name(file));
    textout_json_member(out, false, "verdict", tp_verdict_name(report->verdict));
    textout_u64_member(out, false, "exit", (uint64_t)report->verdict);
    textout_json_member(out, false, "message", report->message);
    put_identity(out, report);
    put_coverage(out, report);
    put_end(out, report);
    if (report->verdict == TP_DIVERGED) {
        put_divergence(out, report);
    }
    if (file->has_proof) {
        put_proof(out, &file->proof);
    }
    fputs("}\n", out);
}

const ReportFormat report_json = { "json", json_file, NULL };

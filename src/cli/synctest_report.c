// synctest_report.c: what a synctest came to, for people and machines. Nothing but the text's last line has times.
#include <string.h>

#include "synctest_work.h"
#include "textout.h"

typedef unsigned long long Count;

static void print_line(FILE *out, const char *text)
{
    fputs("    ", out);
    textout_safe(out, text, strlen(text));
    fputc('\n', out);
}

static void print_head(FILE *out, const SynctestResult *result)
{
    const tp_synctest_report *report = &result->report;
    fprintf(out, "%-12s ", tp_verdict_name(result->verdict));
    if (result->path != NULL) {
        const char *name = strcmp(result->path, "-") == 0 ? "standard input" : result->path;
        textout_safe(out, name, strlen(name));
        fputs(result->world[0] == '\0' ? "\n" : ": ", out);
    }
    if (result->world[0] == '\0') {
        return; // a log whose head could not be read
    }
    textout_safe(out, result->world, strlen(result->world));
    fprintf(out, " revision %u, seed %llu, %u players: %llu ticks", result->revision, (Count)result->seed, result->players, (Count)report->ticks);
    if (report->ticks > 0 && report->pieces == 1) {
        fprintf(out, ", %llu to %llu", (Count)report->first_tick, (Count)(report->first_tick + report->ticks - 1));
    }
    fputc('\n', out);
}

// What a case says is said below, with the others.
static bool is_of_case(const SynctestResult *result)
{
    for (uint32_t i = 0; i < result->report.case_count && result->report.ticks > 0; i++) {
        if (strcmp(result->report.cases[i].message, result->message) == 0) {
            return true;
        }
    }
    return false;
}

static void print_run(FILE *out, const SynctestResult *result)
{
    const tp_synctest_report *report = &result->report;
    if (result->verdict != TP_VERIFIED && !is_of_case(result)) {
        print_line(out, result->message);
    }
    if (result->verified != NULL) {
        fprintf(out, "    the log: %s, %llu of %llu recorded ticks checked against its checksums\n", tp_verdict_name(result->verified->verdict),
                (Count)result->verified->checked, (Count)result->verified->recorded);
    }
    if (report->has_fault) {
        fprintf(out, "    the step of tick %llu faulted, and has to fault every time\n", (Count)report->fault_tick);
    }
    if (report->pieces > 1) {
        fprintf(out, "    the run has %llu pieces with gaps between them, each tested from its own first state\n", (Count)report->pieces);
    }
    if (report->ticks == 0) {
        return;
    }
    if (report->active_ticks == 0) {
        fputs("    warning: no tick had an input that was not neutral, nor a command: a run in which nobody moves hides most of what can go wrong\n", out);
    } else {
        fprintf(out, "    %llu of the ticks had an input that was not neutral, or a command\n", (Count)report->active_ticks);
    }
    if (report->unsaved.is_done) {
        fprintf(out, "    never saved: %s, %llu ticks, ", tp_verdict_name(report->unsaved.verdict), (Count)report->unsaved.ticks);
        if (report->unsaved.has_hash) {
            fprintf(out, "compared %llu times\n", (Count)report->unsaved.comparisons);
        } else {
            fputs("compared at the end only, since the world has no hash of its own\n", out);
        }
        if (report->unsaved.verdict != TP_VERIFIED && strcmp(report->unsaved.message, result->message) != 0) {
            print_line(out, report->unsaved.message);
        }
    }
    if (report->fields > 0) {
        fprintf(out, "    %llu of the state's %llu fields ever changed\n", (Count)report->changed_fields, (Count)report->fields);
    }
}

static void print_case(FILE *out, const tp_synctest_case *one)
{
    fprintf(out, "    %-8s %8u  %-12s %12llu", tp_strength_name((uint32_t)one->strength), one->distance, tp_verdict_name(one->verdict), (Count)one->comparisons);
    fprintf(out, " %5llu to %-5llu %9llu", (Count)one->compared_min, (Count)one->compared_max, (Count)one->restores);
    if (one->strength == TP_STRENGTH_PROCESS) {
        fputs("          -", out);
    } else {
        fprintf(out, " %10llu", (Count)one->continued);
    }
    fprintf(out, " %8llu\n", (Count)one->guesses);
}

static void print_finding(FILE *out, const tp_synctest_case *one)
{
    const tp_synctest_finding *finding = &one->finding;
    if (one->verdict == TP_VERIFIED) {
        return;
    }
    print_line(out, one->message);
    if (one->verdict == TP_DIVERGED && finding->difference != TP_SYNCTEST_REFUSED) {
        fputs("      root ", out);
        textout_hex(out, finding->expected_root, sizeof(finding->expected_root));
        fputs(", then ", out);
        textout_hex(out, finding->actual_root, sizeof(finding->actual_root));
        fputc('\n', out);
    }
}

void synctestreport_text(FILE *out, const SynctestResult *result)
{
    const tp_synctest_report *report = &result->report;
    print_head(out, result);
    print_run(out, result);
    if (report->ticks > 0) {
        fputs("    strength distance  verdict          compared      per tick  restored  continued  guesses\n", out);
        for (uint32_t i = 0; i < report->case_count; i++) {
            print_case(out, &report->cases[i]);
        }
        for (uint32_t i = 0; i < report->case_count; i++) {
            print_finding(out, &report->cases[i]);
        }
    }
    fprintf(out, "%-12s %.3f s, %.0f ticks/s\n", "time", result->seconds, (double)report->ticks / (result->seconds + 1e-9));
}

static void put_finding(FILE *out, const tp_synctest_finding *finding)
{
    fputs(",\"finding\":{", out);
    textout_json_member(out, true, "difference", tp_synctest_difference_name(finding->difference));
    textout_u64_member(out, false, "bad_tick", finding->bad_tick);
    textout_u64_member(out, false, "restored_at", finding->restored_at);
    textout_bool_member(out, false, "is_restored_state", finding->is_restored_state);
    textout_bool_member(out, false, "is_first_state", finding->is_first_state);
    textout_bool_member(out, false, "is_continued", finding->is_continued);
    textout_bool_member(out, false, "is_guessed", finding->is_guessed);
    textout_bool_member(out, false, "is_unsaved", finding->is_unsaved);
    textout_json_member(out, false, "section", finding->section);
    textout_json_member(out, false, "field", finding->field);
    textout_json_member(out, false, "expected", finding->expected);
    textout_json_member(out, false, "actual", finding->actual);
    textout_u64_member(out, false, "differing_fields", finding->differing_fields);
    textout_hex_member(out, false, "expected_root", finding->expected_root, sizeof(finding->expected_root));
    textout_hex_member(out, false, "actual_root", finding->actual_root, sizeof(finding->actual_root));
    fputc('}', out);
}

static void put_unsaved(FILE *out, const tp_synctest_unsaved *unsaved)
{
    fputs(",\"unsaved\":{", out);
    textout_json_member(out, true, "verdict", tp_verdict_name(unsaved->verdict));
    textout_json_member(out, false, "message", unsaved->message);
    textout_bool_member(out, false, "has_hash", unsaved->has_hash);
    textout_u64_member(out, false, "ticks", unsaved->ticks);
    textout_u64_member(out, false, "comparisons", unsaved->comparisons);
    if (unsaved->verdict == TP_DIVERGED) {
        put_finding(out, &unsaved->finding);
    }
    fputc('}', out);
}

static void put_case(FILE *out, const tp_synctest_case *one)
{
    fputc('{', out);
    textout_json_member(out, true, "strength", tp_strength_name((uint32_t)one->strength));
    textout_u64_member(out, false, "distance", one->distance);
    textout_json_member(out, false, "verdict", tp_verdict_name(one->verdict));
    textout_json_member(out, false, "message", one->message);
    textout_u64_member(out, false, "restores", one->restores);
    textout_u64_member(out, false, "comparisons", one->comparisons);
    textout_u64_member(out, false, "comparisons_due", one->comparisons_due);
    textout_u64_member(out, false, "compared_min", one->compared_min);
    textout_u64_member(out, false, "compared_max", one->compared_max);
    textout_u64_member(out, false, "continued", one->continued);
    textout_u64_member(out, false, "guesses", one->guesses);
    if (one->verdict == TP_DIVERGED) {
        put_finding(out, &one->finding);
    }
    fputc('}', out);
}

static void put_run(FILE *out, const SynctestResult *result)
{
    const tp_synctest_report *report = &result->report;
    textout_json_member(out, false, "world", result->world);
    textout_u64_member(out, false, "revision", result->revision);
    textout_u64_member(out, false, "seed", result->seed);
    textout_u64_member(out, false, "players", result->players);
    textout_u64_member(out, false, "first_tick", report->first_tick);
    textout_u64_member(out, false, "ticks", report->ticks);
    textout_u64_member(out, false, "pieces", report->pieces);
    textout_u64_member(out, false, "active_ticks", report->active_ticks);
    textout_u64_member(out, false, "changed_fields", report->changed_fields);
    textout_u64_member(out, false, "fields", report->fields);
    textout_u64_member(out, false, "steps", report->steps);
    textout_bool_member(out, false, "has_fault", report->has_fault);
    if (report->has_fault) {
        textout_u64_member(out, false, "fault_tick", report->fault_tick);
    }
}

void synctestreport_json(FILE *out, const SynctestResult *result)
{
    fputc('{', out);
    textout_json_member(out, true, "verdict", tp_verdict_name(result->verdict));
    textout_u64_member(out, false, "exit", (uint64_t)result->verdict);
    textout_json_member(out, false, "message", result->message);
    if (result->path != NULL) {
        textout_json_member(out, false, "file", strcmp(result->path, "-") == 0 ? "standard input" : result->path);
    }
    put_run(out, result);
    if (result->verified != NULL) {
        textout_json_member(out, false, "log_verdict", tp_verdict_name(result->verified->verdict));
        textout_u64_member(out, false, "log_checked", result->verified->checked);
        textout_u64_member(out, false, "log_recorded", result->verified->recorded);
    }
    if (result->report.unsaved.is_done) {
        put_unsaved(out, &result->report.unsaved);
    }
    fputs(",\"cases\":[", out);
    for (uint32_t i = 0; i < result->report.case_count; i++) {
        fputs(i == 0 ? "" : ",", out);
        put_case(out, &result->report.cases[i]);
    }
    fputs("]}\n", out);
}

// perturb_report.c: the matrix of axes and results, the cause, the place, and the calls of a strict run.
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "hunt.h"
#include "perturb.h"
#include "textout.h"

void perturb_list(void)
{
    for (size_t i = 0; perturb_axis_at(i) != NULL; i++) {
        const PerturbAxis *axis = perturb_axis_at(i);
        printf("%-12s %-26s %s\n", axis->name, axis->values, axis->text);
        if (axis->cause != PERTURB_CAUSE_NONE) {
            printf("%-12s a flip means: %s\n", "", perturb_cause_name(axis->cause));
        }
    }
}

// Of the finding what the hunt does not know: which run it is of, and why that one was done.
static void name_finding(const PerturbWork *work, Finding *finding, const PerturbRun *run)
{
    finding->subject = work->logs[run->is_other_log ? 1 : 0].path;
    snprintf(finding->cause, sizeof(finding->cause), "%s", run->result == PERTURB_FLIPS && !run->is_noise ? perturb_cause_name(run->cause) : "");
}

static void fill_plain(Finding *finding, const PerturbRun *run)
{
    finding->is_skipped = run->result == PERTURB_SKIPPED;
    finding->verdict = run->result == PERTURB_FLIPS ? TP_DIVERGED : run->result == PERTURB_FAILED ? side_verdict(&run->answer) : run->result == PERTURB_SKIPPED ? TP_INCOMPLETE : TP_VERIFIED;
    finding->has_tick = run->has_tick;
    finding->tick = run->tick;
    snprintf(finding->section, sizeof(finding->section), "%s", run->section);
    snprintf(finding->message, sizeof(finding->message), "%s", run->result == PERTURB_SAME ? "same as the base run" : run->why);
}

// The base run against this one, asked again for the states around the tick.
static void locate(PerturbWork *work, PerturbRun *run, Finding *finding)
{
    const PerturbLog *log = &work->logs[run->is_other_log ? 1 : 0];
    PerturbRun       *base = &work->bases[run->is_other_log ? 1 : 0];
    SideAnswer        answers[2] = { base->answer, run->answer };
    Finding           found = { 0 };
    bool              is_found = run->answer.result == SIDE_DONE && run->has_tick &&
                    hunt_locate(log->bytes, log->size, &base->side, &run->side, &work->world_set, work->source_dir, answers, &found);
    if (is_found && found.verdict == TP_DIVERGED) {
        *finding = found;
    } else {
        finding_finish(&found);
    }
}

static void add_call(PerturbWork *work, const PerturbCall *call)
{
    Finding *finding = &work->findings[work->finding_count++];
    char    *aspect = NULL;
    *finding = (Finding){ .subject = work->logs[0].path, .verdict = TP_DIVERGED, .has_tick = true, .tick = call->tick };
    if (asprintf(&aspect, "strict: %s", call->function) >= 0) {
        finding->aspect = aspect;
    }
    snprintf(finding->cause, sizeof(finding->cause), "%s", strcmp(call->kind, "entropy") == 0 ? "randomness" : call->kind);
    snprintf(finding->message, sizeof(finding->message), "a step calls %s%s%s%s, first at tick %" PRIu64 ", %" PRIu64 " times; from %.150s", call->function,
             call->detail[0] != '\0' ? "(" : "", call->detail, call->detail[0] != '\0' ? ")" : "", call->tick, call->count, call->frames);
    finding->message[strcspn(finding->message, "\n")] = '\0';
}

bool perturb_find(PerturbWork *work)
{
    work->findings = calloc(work->run_count + work->call_count + 1, sizeof(*work->findings));
    if (work->findings == NULL) {
        return false;
    }
    for (size_t i = 0; i < work->run_count; i++) {
        PerturbRun *run = &work->runs[i];
        Finding    *finding = &work->findings[work->finding_count++];
        fill_plain(finding, run);
        if (work->cause != PERTURB_CAUSE_NONE && i == work->cause_run) {
            locate(work, run, finding);
        }
        name_finding(work, finding, run);
        finding->aspect = strdup(run->name);
    }
    for (size_t i = 0; work->is_strict && i < work->call_count; i++) {
        if (perturb_strict_is_wrong(&work->calls[i])) {
            add_call(work, &work->calls[i]);
        }
    }
    return true;
}

// The matrix.

static void print_result(const PerturbWork *work, const PerturbRun *run)
{
    switch (run->result) {
    case PERTURB_SAME: fputs("same", stdout); break;
    case PERTURB_FLIPS:
        fputs("FLIPS", stdout);
        if (run->has_tick) {
            printf(" at tick %" PRIu64, run->tick);
        }
        if (run->is_noise) {
            fputs(" (as it does without a change)", stdout);
        } else {
            printf(": %s", perturb_cause_name(run->cause));
        }
        if (!run->has_tick) {
            fputs(": ", stdout);
            textout_safe(stdout, run->why, strlen(run->why));
        }
        break;
    case PERTURB_SKIPPED:
    case PERTURB_FAILED:
    case PERTURB_NOT_RUN:
        fputs(run->result == PERTURB_FAILED ? "FAILED: " : "skipped: ", stdout);
        textout_safe(stdout, run->why, strlen(run->why));
        break;
    }
    (void)work;
    fputc('\n', stdout);
}

static void print_matrix(const PerturbWork *work)
{
    const PerturbAxis *before = NULL;
    for (size_t i = 0; i < work->run_count; i++) {
        const PerturbRun *run = &work->runs[i];
        printf("  %-12s ", run->axis != before ? run->axis->name : "");
        textout_safe(stdout, run->value, strlen(run->value));
        printf("%*s", (int)(strlen(run->value) < 16 ? 17 - strlen(run->value) : 1), "");
        print_result(work, run);
        before = run->axis;
    }
}

static void print_frames(const PerturbCall *call)
{
    for (const char *frame = call->frames; *frame != '\0';) {
        size_t length = strcspn(frame, "\n");
        fputs("      ", stdout);
        textout_safe(stdout, frame, length);
        fputc('\n', stdout);
        frame += length + (frame[length] != '\0' ? 1 : 0);
    }
}

static void print_calls(const PerturbWork *work)
{
    for (size_t i = 0; i < work->call_count; i++) {
        const PerturbCall *call = &work->calls[i];
        printf("%s: a step calls %s", perturb_strict_is_wrong(call) ? call->kind : "note", call->function);
        if (call->detail[0] != '\0') {
            fputc('(', stdout);
            textout_safe(stdout, call->detail, strlen(call->detail));
            fputc(')', stdout);
        }
        printf(", first at tick %" PRIu64 ", %" PRIu64 " %s\n", call->tick, call->count, call->count == 1 ? "time" : "times");
        print_frames(call);
    }
    if (work->strict_run != NULL && work->strict_run->result == PERTURB_SAME && work->call_count == 0) {
        printf("strict: no step called anything of clock, entropy, files, locale, environment, time zone, threads, process or memory%s\n",
               work->is_counter_watched ? ", nor read the time stamp counter" : "; the time stamp counter was not watched");
    }
}

static void print_cause(const PerturbWork *work)
{
    if (work->cause == PERTURB_CAUSE_NONE) {
        return;
    }
    const PerturbRun *run = &work->runs[work->cause_run];
    printf("cause: %s", perturb_cause_name(work->cause));
    if (work->repeat_flips && work->cause == run->cause && strcmp(run->axis->name, "repeat") == 0) {
        printf(" (%s)", work->repeat_text);
    }
    if (work->cause == PERTURB_CAUSE_FLOAT) {
        fputs(" (expected of a world that uses floating point: no fault of its own, as long as every host has the same mode)", stdout);
    }
    fputc('\n', stdout);
}

// What else flips, each cause once.
static void print_others(const PerturbWork *work)
{
    const char *separator = "also: ";
    for (PerturbCause cause = work->cause + 1; work->cause != PERTURB_CAUSE_NONE && cause < PERTURB_CAUSE_NONE; cause++) {
        for (size_t i = 0; i < work->run_count; i++) {
            const PerturbRun *run = &work->runs[i];
            if (run->result == PERTURB_FLIPS && !run->is_noise && run->cause == cause) {
                printf("%s%s", separator, perturb_cause_name(cause));
                separator = ", ";
                break;
            }
        }
    }
    if (strcmp(separator, ", ") == 0) {
        puts("; these may come of the cause, so mend that first");
    }
}

static void print_place(const PerturbWork *work)
{
    if (work->cause != PERTURB_CAUSE_NONE) {
        finding_text(stdout, &work->findings[work->cause_run]);
        print_others(work);
    }
}

static void count_results(const PerturbWork *work, size_t counts[5])
{
    for (size_t i = 0; i < work->run_count; i++) {
        counts[work->runs[i].result] += 1;
    }
}

static void print_text(const PerturbWork *work)
{
    const tp_trace *base = work->bases[0].answer.trace;
    size_t          counts[5] = { 0 };
    count_results(work, counts);
    textout_safe(stdout, work->logs[0].path, strlen(work->logs[0].path));
    printf(": world %s, %" PRIu64 " ticks, %zu runs beside the base run\n", base->ident.world, base->count, work->run_count - counts[PERTURB_SKIPPED]);
    print_matrix(work);
    print_cause(work);
    print_place(work);
    print_calls(work);
    printf("%zu same, %zu flip", counts[PERTURB_SAME], counts[PERTURB_FLIPS]);
    if (counts[PERTURB_FAILED] > 0) {
        printf(", %zu failed", counts[PERTURB_FAILED]);
    }
    printf(", %zu skipped%s\n", counts[PERTURB_SKIPPED], counts[PERTURB_SKIPPED] > 0 ? ": nothing is known of those" : "");
}

void perturb_report(const PerturbWork *work)
{
    if (work->format == FINDING_TEXT) {
        print_text(work);
    } else {
        finding_write(stdout, work->format, "tickproof perturb", work->findings, work->finding_count);
    }
}

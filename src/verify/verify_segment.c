// verify_segment.c: a log in pieces that can be stepped at the same time, and how their answers become the one answer.
//
// Nothing here words a finding. Whatever is not clean is left to the verification in one piece, so that there is one place where a verdict
// comes from.
#include "verify_internal.h"

#include <stdlib.h>
#include <string.h>

static bool is_stop_asked(const tp_verify_options *options)
{
    return options->stop != NULL && *options->stop;
}

void tp_verify_read(const tp_source *source, const tp_verify_options *options, void (*found)(void *to, tp_cut cut), void *to, tp_reading *reading)
{
    Verify        verify = { .options = options, .report = &reading->head };
    tp_log_record record;
    memset(reading, 0, sizeof(*reading));
    tp_log_status status = tp_reader_open(source, NULL, &verify.reader);
    while (status == TP_LOG_OK && !reading->is_stopped) {
        status = tp_reader_next(verify.reader, &record);
        if (status == TP_LOG_OK && record.type == TP_LOG_IDENT) {
            verify_take_ident(&verify);
        } else if (status == TP_LOG_OK && record.type == TP_LOG_KEY && record.number > 1 && found != NULL && tp_log_parse_key(&record).has_root) {
            found(to, (tp_cut){ .offset = record.offset, .tick = record.tick });
        }
        reading->is_stopped = is_stop_asked(options);
    }
    if (verify.reader != NULL) {
        reading->recorded = tp_reader_ticks(verify.reader);
        reading->next_tick = tp_reader_next_tick(verify.reader);
        reading->offset = tp_reader_offset(verify.reader);
        reading->gaps = tp_reader_counts(verify.reader)->gaps;
        reading->is_signed = tp_reader_is_signed(verify.reader, reading->public_key);
    }
    reading->is_whole = status == TP_LOG_DONE && reading->gaps == 0;
    tp_reader_close(verify.reader);
}

// Makes the world and gives it the state of the segment's first KEY.
static bool start_at_key(Verify *verify, const tp_segment *segment)
{
    const tp_ident *ident = tp_reader_ident(verify->reader);
    if (verify->status != TP_LOG_OK || ident == NULL) {
        return false;
    }
    verify_make_sim(verify, ident);
    if (verify->sim == NULL || tp_reader_seek(verify->reader, segment->first.offset, segment->first.tick) != TP_LOG_OK) {
        return false;
    }
    verify->status = tp_reader_next(verify->reader, &verify->record);
    if (verify->status != TP_LOG_OK || verify->record.type != TP_LOG_KEY || verify->record.tick != segment->first.tick) {
        return false;
    }
    tp_log_key key = tp_log_parse_key(&verify->record);
    return verify_start_from_key(verify, &verify->record, &key);
}

// A segment that ends at a KEY has come to it, and its last tick was held against a root: nothing behind the KEY could add to its counts.
static bool is_at_end(const Verify *verify, const tp_segment *segment)
{
    const tp_log_record *record = &verify->record;
    if (segment->last.offset == 0) {
        return verify->status == TP_LOG_DONE && verify->report->has_end;
    }
    return verify->status == TP_LOG_OK && record->type == TP_LOG_KEY && record->offset == segment->last.offset &&
           record->tick == segment->last.tick && verify->is_last_checked;
}

void tp_verify_segment(const tp_source *source, const tp_verify_options *options, tp_segment *segment)
{
    static const tp_reader_options reader_options = { .skip_chain = true };
    Verify                         verify = { .end_offset = segment->last.offset };
    tp_verifier_status             status = TP_VERIFIER_ROW;
    segment->is_done = segment->is_stopped = segment->is_unproven = false;
    bool is_started = verify_open(&verify, source, options, &reader_options, &segment->report) &&
                      (segment->first.offset == 0 || start_at_key(&verify, segment));
    while (is_started && status == TP_VERIFIER_ROW && !verify.has_finding) {
        status = tp_verifier_next(&verify);
    }
    segment->is_stopped = verify.is_stopped;
    segment->is_unproven = verify.is_unproven;
    segment->is_done = is_started && !verify.has_finding && !verify.is_stopped && is_at_end(&verify, segment);
    if (verify.sim != NULL) {
        tp_hash128_to_bytes(tp_sim_root(verify.sim), segment->report.final_root);
    }
    verify_close(&verify);
}

static bool is_same_cut(tp_cut a, tp_cut b)
{
    return a.offset == b.offset && a.tick == b.tick;
}

// From the beginning to END without a hole, and each of it clean or only stopped.
static bool is_chain(const tp_segment *segments, size_t count, bool *is_stopped)
{
    static const tp_cut none;
    bool                is_fine = count > 0 && is_same_cut(segments[0].first, none) && is_same_cut(segments[count - 1].last, none);
    for (size_t i = 0; is_fine && i < count; i++) {
        bool is_joined = i == 0 || (segments[i].first.offset != 0 && is_same_cut(segments[i - 1].last, segments[i].first));
        is_fine = is_joined && (segments[i].is_done || segments[i].is_stopped);
        *is_stopped = *is_stopped || segments[i].is_stopped;
    }
    return is_fine;
}

static void add_counts(tp_report *report, const tp_report *part)
{
    report->checked += part->checked;
    report->stepped += part->stepped;
    report->with_root += part->with_root;
    report->resumes += part->resumes;
}

static void take_end(tp_report *report, const tp_report *last)
{
    report->has_end = last->has_end;
    report->end_reason = last->end_reason;
    report->has_fault = last->has_fault;
    report->fault_tick = last->fault_tick;
    report->is_end_signed = last->is_end_signed;
    memcpy(report->chain, last->chain, sizeof(report->chain));
    memcpy(report->final_root, last->final_root, sizeof(report->final_root));
}

bool tp_verify_merge(const tp_verify_options *options, const tp_reading *reading, const tp_segment *segments, size_t count, tp_report *report)
{
    Verify verify = { .options = options, .report = report, .status = TP_LOG_DONE };
    bool   is_stopped = reading->is_stopped;
    if (!is_chain(segments, count, &is_stopped) || !(reading->is_whole || reading->is_stopped)) {
        return false;
    }
    *report = reading->head;
    report->log_status = TP_LOG_DONE;
    report->recorded = reading->recorded;
    report->next_tick = reading->next_tick;
    report->offset = reading->offset;
    report->is_signed = reading->is_signed;
    memcpy(report->public_key, reading->public_key, sizeof(report->public_key));
    for (size_t i = 0; i < count; i++) {
        add_counts(report, &segments[i].report);
    }
    take_end(report, &segments[count - 1].report);
    verify.is_unproven = segments[0].is_unproven;
    verify.is_stopped = is_stopped;
    verify_conclude_whole(&verify);
    return true;
}

// The cuts that tp_verify_in_segments takes.
typedef struct {
    tp_segment *segments;
    size_t      count, capacity;
    uint64_t    segment_ticks;
    bool        is_short; // of memory
} Cuts;

static bool add_segment(Cuts *cuts, tp_cut first)
{
    if (cuts->count == cuts->capacity) {
        size_t      capacity = cuts->capacity == 0 ? 8 : cuts->capacity * 2;
        tp_segment *segments = realloc(cuts->segments, capacity * sizeof(*segments));
        if (segments == NULL) {
            cuts->is_short = true;
            return false;
        }
        cuts->segments = segments;
        cuts->capacity = capacity;
    }
    memset(&cuts->segments[cuts->count], 0, sizeof(*cuts->segments));
    cuts->segments[cuts->count++].first = first;
    return true;
}

static void take_cut(void *to, tp_cut cut)
{
    Cuts    *cuts = to;
    uint64_t before = cuts->count == 0 ? 0 : cuts->segments[cuts->count - 1].first.tick;
    if (!cuts->is_short && cut.tick - before >= cuts->segment_ticks && add_segment(cuts, cut)) {
        cuts->segments[cuts->count - 2].last = cut;
    }
}

size_t tp_verify_in_segments(const tp_source *source, const tp_verify_options *options, uint64_t segment_ticks, tp_report *report)
{
    Cuts       cuts = { .segment_ticks = segment_ticks };
    tp_reading reading;
    bool       is_clean = add_segment(&cuts, (tp_cut){ 0 });
    if (is_clean) {
        tp_verify_read(source, options, take_cut, &cuts, &reading);
        is_clean = reading.is_whole && !cuts.is_short;
    }
    for (size_t i = 0; is_clean && i < cuts.count; i++) {
        tp_verify_segment(source, options, &cuts.segments[i]);
        is_clean = cuts.segments[i].is_done;
    }
    is_clean = is_clean && tp_verify_merge(options, &reading, cuts.segments, cuts.count, report);
    if (!is_clean) {
        tp_verify_log(source, options, report);
    }
    free(cuts.segments);
    return is_clean ? cuts.count : 0;
}

// verify_record.c: one record or row at a time: stepped, compared, counted. The first finding stands; a later one may only say where it
// came from.
#include "verify_internal.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LOCATE_TICKS = 36000, PROGRESS_TICKS = 1024 };

void verify_find(Verify *verify, tp_verdict verdict, const char *format, ...)
{
    if (verify->has_finding) {
        return;
    }
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(verify->report->message, sizeof(verify->report->message), format, arguments);
    va_end(arguments);
    verify->report->verdict = verdict;
    verify->has_finding = true;
}

// A world that cannot save has no roots: neither equal nor other bits were found.
static bool is_unsound(Verify *verify)
{
    if (verify->sim == NULL || tp_sim_is_sound(verify->sim)) {
        return false;
    }
    verify_find(verify, TP_INTERNAL, "the world could not save its state at tick %llu, so nothing can be compared from there on",
                (unsigned long long)tp_sim_tick(verify->sim));
    return true;
}

void verify_diverge(Verify *verify, uint64_t tick, const uint8_t *expected, uint32_t size, const char *what)
{
    tp_report *report = verify->report;
    if (verify->has_finding || is_unsound(verify)) {
        return;
    }
    report->bad_tick = tick;
    report->suspect_tick = verify->first_suspect < tick ? verify->first_suspect : tick;
    report->root_size = size;
    if (size > 0) {
        memcpy(report->expected_root, expected, size);
        tp_hash128_to_bytes(tp_sim_root(verify->sim), report->actual_root);
    }
    if (report->suspect_tick < tick) {
        verify_find(verify, TP_DIVERGED, "first bad tick %llu, or one from %llu on that carries no root: %s", (unsigned long long)tick,
                    (unsigned long long)report->suspect_tick, what);
    }
    verify_find(verify, TP_DIVERGED, "first bad tick %llu: %s", (unsigned long long)tick, what);
    verify->is_locating = true;
    uint64_t span = verify->options->locate_ticks != 0 ? verify->options->locate_ticks : LOCATE_TICKS;
    verify->locate_end = tick > UINT64_MAX - span ? UINT64_MAX : tick + span;
}

// A record other than the row itself speaks about the last tick. When the row's own root was checked, the record is what is
// wrong; else the run is.
static void contradict(Verify *verify, const tp_log_record *record, uint64_t tick, const uint8_t *expected, const char *name)
{
    char text[96];
    if (verify->is_last_checked && verify->last_root_size > 0) {
        verify->report->offset = record->offset;
        verify_find(verify, TP_CORRUPT, "the %s at tick %llu contradicts the root that was checked for it", name,
                    (unsigned long long)tick);
        return;
    }
    snprintf(text, sizeof(text), "the %s's root differs", name);
    verify_diverge(verify, tick, expected, 16, text);
}

static void count_checked(Verify *verify)
{
    if (!verify->is_last_checked && verify->has_last_tick && !is_unsound(verify)) {
        verify->is_last_checked = true;
        verify->first_suspect = verify->last_tick + 1;
        verify->report->checked += verify->last_tick >= verify->options->from ? 1 : 0;
    }
}

static void count_with_root(Verify *verify)
{
    if (!verify->is_last_with_root && verify->has_last_tick) {
        verify->is_last_with_root = true;
        verify->report->with_root += 1;
    }
}

static bool is_stepping(const Verify *verify)
{
    return verify->is_started && !verify->is_past_to && !verify->is_over &&
           (!verify->has_finding || verify->is_locating);
}

// A finding that stopped the comparison but not the reading.
static bool is_comparing(const Verify *verify)
{
    return is_stepping(verify) && !verify->has_finding;
}

// Everything that comparing will ever need beside the sim, so that no tick and no record takes memory.
static bool take_scratch(Verify *verify)
{
    verify->state_capacity = tp_sim_encoded_max(verify->sim);
    // Every section may end in a piece that is not full; input and event leaf come on top.
    verify->leaves_capacity = (uint32_t)(verify->state_capacity / TP_LEAF_SIZE) + TP_SECTIONS_MAX + 2;
    verify->state = malloc(verify->state_capacity + 1);
    verify->leaves = calloc(verify->leaves_capacity, sizeof(*verify->leaves));
    return verify->state != NULL && verify->leaves != NULL;
}

// From IDENT to a sim in its first state, or to a finding and no sim.
void verify_make_sim(Verify *verify, const tp_ident *ident)
{
    const tp_verify_options *options = verify->options;
    tp_error                 error;
    verify->sim = tp_sim_of_ident(ident, options->find_world(options->find_to, ident->world, ident->revision), NULL, &error);
    if (verify->sim == NULL) {
        verify_find(verify, TP_INCOMPATIBLE, "%s", error.text);
    } else if (!take_scratch(verify)) {
        verify_find(verify, TP_INTERNAL, "out of memory");
        tp_sim_destroy(verify->sim);
        verify->sim = NULL;
    }
}

bool verify_start_from_key(Verify *verify, const tp_log_record *record, const tp_log_key *key)
{
    tp_error error;
    if (!tp_sim_decode(verify->sim, key->state, key->state_size, record->tick, key->input_leaf, key->event_leaf, &error)) {
        verify->report->offset = record->offset;
        verify_find(verify, TP_CORRUPT, "the keyframe at tick %llu is no state of this world: %.200s", (unsigned long long)record->tick,
                    error.text);
        return false;
    }
    uint8_t mine[16];
    uint8_t claimed[16];
    tp_hash128_to_bytes(tp_sim_root(verify->sim), mine);
    tp_hash128_to_bytes(key->root, claimed);
    if (key->has_root && memcmp(mine, claimed, 16) != 0) {
        verify->report->offset = record->offset;
        verify_find(verify, TP_CORRUPT, "the keyframe at tick %llu does not hash to its own root", (unsigned long long)record->tick);
        return false;
    }
    verify->is_started = true;
    verify->is_after_gap = false;
    verify->first_suspect = record->tick;
    return true;
}

static bool predecessor_matches(const Verify *verify, const tp_log_key *key, const tp_ident *ident)
{
    const tp_predecessor *before = verify->options->predecessor;
    uint8_t               root[16];
    tp_hash128_to_bytes(key->root, root);
    return before != NULL && key->has_root && before->sequence + 1 == ident->sequence && before->next_tick == ident->first_tick &&
           memcmp(before->chain, ident->predecessor, TP_LOG_CHAIN_SIZE) == 0 && memcmp(before->root, root, 16) == 0;
}

// The log's own first KEY.
static void start(Verify *verify, const tp_log_record *record, const tp_log_key *key)
{
    const tp_ident *ident = tp_reader_ident(verify->reader);
    if (verify->sim == NULL || verify->start_key_tick > ident->first_tick) {
        return; // rows before a later KEY are skipped
    }
    if (ident->sequence > 0) {
        if (!verify_start_from_key(verify, record, key)) {
            return;
        }
        verify->is_unproven = verify->is_unproven || !predecessor_matches(verify, key, ident);
        return;
    }
    verify->is_started = true;
    if (!verify_compare_state(verify, key, record->tick)) {
        verify_diverge(verify, record->tick, NULL, 0, "the state before it is not what init makes here");
        verify->has_field = true;
        return;
    }
    uint8_t mine[16];
    uint8_t claimed[16];
    tp_hash128_to_bytes(tp_sim_root(verify->sim), mine);
    tp_hash128_to_bytes(key->root, claimed);
    if (key->has_root && (memcmp(mine, claimed, 16) != 0 || key->input_leaf != 0 || key->event_leaf != 0)) {
        verify_diverge(verify, record->tick, claimed, 16, "the root of the state before it differs");
    }
}

static void take_key(Verify *verify, const tp_log_record *record)
{
    tp_log_key key = tp_log_parse_key(record);
    if (verify->is_locating) {
        verify_locate_key(verify, &key, record->tick);
        return;
    }
    if (verify->has_finding || verify->is_past_to) {
        return;
    }
    if (record->number == 1) {
        start(verify, record, &key);
        return;
    }
    if (!verify->is_started || verify->is_after_gap) {
        // After a gap, or the KEY that --from starts at.
        if (verify->is_after_gap || record->tick == verify->start_key_tick) {
            verify->is_unproven = true;
            verify_start_from_key(verify, record, &key);
        }
        return;
    }
    uint8_t mine[16];
    uint8_t claimed[16];
    tp_hash128_to_bytes(tp_sim_root(verify->sim), mine);
    tp_hash128_to_bytes(key.root, claimed);
    if (key.has_root) {
        count_with_root(verify);
        if (memcmp(mine, claimed, 16) != 0) {
            contradict(verify, record, record->tick - 1, claimed, "keyframe");
            verify_locate_key(verify, &key, record->tick);
            return;
        }
    }
    if (!verify_compare_state(verify, &key, record->tick)) {
        contradict(verify, record, record->tick - 1, claimed, "keyframe's state");
        verify->has_field = true;
        return;
    }
    if (key.has_root && (key.input_leaf != tp_sim_input_leaf(verify->sim) || key.event_leaf != tp_sim_event_leaf(verify->sim))) {
        verify->report->offset = record->offset;
        verify_find(verify, TP_CORRUPT, "the keyframe at tick %llu carries other input or event leaves than its root has",
                    (unsigned long long)record->tick);
        return;
    }
    if (key.has_root) {
        count_checked(verify);
    }
}

static void take_leaves(Verify *verify, const tp_log_record *record)
{
    tp_log_leaves leaves = tp_log_parse_leaves(record);
    if (verify->is_locating) {
        verify_locate_leaves(verify, &leaves, record->tick);
        return;
    }
    if (!is_comparing(verify) || !verify->has_last_tick) {
        return;
    }
    uint8_t mine[16];
    uint8_t claimed[16];
    count_with_root(verify);
    tp_hash128_to_bytes(tp_sim_root(verify->sim), mine);
    tp_hash128_to_bytes(leaves.root, claimed);
    if (memcmp(mine, claimed, 16) != 0) {
        contradict(verify, record, record->tick, claimed, "LEAVES record");
        verify_locate_leaves(verify, &leaves, record->tick);
        return;
    }
    // The root holds, so a leaf that differs is the record's own mistake.
    uint32_t count = tp_sim_leaves(verify->sim, verify->leaves, verify->leaves_capacity);
    bool     is_same = count + 2 == leaves.count;
    assert(count + 2 <= verify->leaves_capacity);
    for (uint32_t i = 0; is_same && i < leaves.count; i++) {
        is_same = bytes_get_u64(leaves.leaves + (size_t)i * 8) == verify->leaves[i];
    }
    if (!is_same) {
        verify->report->offset = record->offset;
        verify_find(verify, TP_CORRUPT, "the LEAVES record at tick %llu lists leaves that its root does not have",
                    (unsigned long long)record->tick);
        return;
    }
    count_checked(verify);
}

static void notice_progress(Verify *verify)
{
    const tp_verify_options *options = verify->options;
    if (options->stop != NULL && *options->stop) {
        verify->is_stopped = true;
    }
    if (options->progress != NULL && verify->report->stepped % PROGRESS_TICKS == 0) {
        options->progress(options->progress_to, verify->report->stepped, tp_reader_offset(verify->reader));
    }
}

static tp_sim_status step_row(Verify *verify, const tp_log_row *row, tp_error *error)
{
    const tp_verify_options *options = verify->options;
    if (options->each_tick != NULL) {
        options->each_tick(options->each_to, verify->sim, row->tick, false);
    }
    tp_sim_status status = tp_sim_step_bytes(verify->sim, row->bytes, row->size, error);
    if (options->each_tick != NULL) {
        options->each_tick(options->each_to, verify->sim, row->tick, true);
    }
    verify->is_row_stepped = status != TP_SIM_REFUSED;
    verify->report->stepped += 1;
    notice_progress(verify);
    return status;
}

static void compare_row(Verify *verify, const tp_log_row *row)
{
    uint8_t mine[16];
    if (row->root_size == 0) {
        return;
    }
    tp_hash128_to_bytes(tp_sim_root(verify->sim), mine);
    if (memcmp(mine, row->root, row->root_size) == 0) {
        count_checked(verify);
        return;
    }
    verify_diverge(verify, row->tick, row->root, row->root_size, "the recorded root and the root here differ");
}

void verify_take_row(Verify *verify, const tp_log_record *record, const tp_log_row *row)
{
    tp_error error;
    verify->report->recorded += 1;
    verify->has_last_tick = true;
    verify->last_tick = row->tick;
    verify->last_root_size = row->root_size;
    verify->is_last_checked = false;
    verify->is_last_with_root = false;
    if (row->root_size > 0) {
        memcpy(verify->last_root, row->root, row->root_size);
        count_with_root(verify);
    }
    if (row->tick > verify->options->to) {
        verify->is_past_to = true;
    }
    if (!is_stepping(verify) || verify->is_stopped) {
        return;
    }
    if (verify->is_locating && (row->tick > verify->locate_end || (verify->has_section && verify->has_field))) {
        verify->is_locating = false;
        return;
    }
    tp_sim_status status = step_row(verify, row, &error);
    if (status == TP_SIM_OK && verify->is_locating) {
        verify_locate_next_root(verify, row);
    } else if (status == TP_SIM_OK) {
        compare_row(verify, row);
    } else if (verify->is_locating) {
        verify->is_locating = false; // the bad run cannot be followed further
    } else if (status == TP_SIM_FAULTED) {
        char text[200];
        const tp_fault *fault = tp_sim_fault(verify->sim);
        snprintf(text, sizeof(text), "the world faults here (%s: %.100s) and did not when it was recorded", tp_fault_name(fault->code),
                 fault->what);
        verify_diverge(verify, row->tick, NULL, 0, text);
        verify->is_locating = false;
    } else if (!is_unsound(verify)) {
        verify->report->offset = record->offset;
        verify_find(verify, TP_CORRUPT, "tick %llu: no legal row for this world: %.200s", (unsigned long long)row->tick, error.text);
    }
}

void verify_take_fault(Verify *verify, const tp_log_record *record, const tp_log_row *row)
{
    tp_error error;
    if (!is_comparing(verify) || verify->is_stopped) {
        verify->is_over = true;
        return;
    }
    uint8_t claimed[16];
    uint8_t mine[16];
    memcpy(claimed, record->payload, 16);
    tp_sim_status status = step_row(verify, row, &error);
    verify->is_over = true;
    if (status == TP_SIM_OK) {
        verify_diverge(verify, row->tick, NULL, 0, "the log ends in a fault here and the world goes on");
    } else if (status == TP_SIM_REFUSED) {
        verify->report->offset = record->offset;
        verify_find(verify, TP_CORRUPT, "tick %llu: no legal row for this world: %.200s", (unsigned long long)row->tick, error.text);
    } else {
        tp_hash128_to_bytes(tp_sim_fault_root(verify->sim), mine);
        if (memcmp(mine, claimed, 16) != 0) {
            verify_diverge(verify, row->tick, claimed, 16, "both runs fault at this tick, but not from the same state and inputs");
            memcpy(verify->report->actual_root, mine, 16);
        } else {
            verify->report->has_fault = true;
            verify->report->fault_tick = row->tick;
        }
    }
    verify->is_locating = false;
}

static void take_gap(Verify *verify, const tp_log_record *record)
{
    tp_log_gap gap = tp_log_parse_gap(record);
    verify->report->gaps += 1;
    verify->report->gap_cause = gap.cause;
    verify->report->missing_ticks += gap.last - gap.first + 1;
    verify->is_locating = false; // nothing past a gap belongs to this run
    verify->is_after_gap = true;
    verify->is_unproven = true;
    verify->has_last_tick = false;
    verify->last_root_size = 0;
}

static void take_end(Verify *verify, const tp_log_record *record)
{
    tp_report *report = verify->report;
    tp_log_end end = tp_log_parse_end(record);
    report->has_end = true;
    report->end_reason = end.reason;
    report->is_end_signed = end.is_signed;
    memcpy(report->chain, end.chain, TP_LOG_CHAIN_SIZE);
    if (!end.has_root || !verify->is_started || verify->is_past_to || verify->is_stopped) {
        return;
    }
    uint8_t claimed[16];
    uint8_t mine[16];
    tp_hash128_to_bytes(end.root, claimed);
    if (!verify->has_finding) {
        count_with_root(verify);
        tp_hash128_to_bytes(tp_sim_root(verify->sim), mine);
        if (memcmp(mine, claimed, 16) != 0) {
            contradict(verify, record, verify->has_last_tick ? verify->last_tick : record->tick, claimed, "END");
        } else {
            count_checked(verify);
        }
    }
}

void verify_take_record(Verify *verify, const tp_log_record *record)
{
    switch (record->type) {
    case TP_LOG_KEY: take_key(verify, record); return;
    case TP_LOG_TICKS:
    case TP_LOG_FAULT:
        verify->rows = tp_log_rows_of(tp_reader_ident(verify->reader), record);
        verify->has_rows = true;
        return;
    case TP_LOG_LEAVES: take_leaves(verify, record); return;
    case TP_LOG_GAP: take_gap(verify, record); return;
    case TP_LOG_RESUME: verify->report->resumes += 1; return;
    case TP_LOG_END: take_end(verify, record); return;
    default: return; // IDENT was taken at open; NOTE, SEAL and INDEX are the reader's
    }
}

void verify_take_ident(Verify *verify)
{
    const tp_ident *ident = tp_reader_ident(verify->reader);
    tp_report      *report = verify->report;
    snprintf(report->world, sizeof(report->world), "%s", ident->world);
    report->revision = ident->revision;
    report->players = ident->players;
    report->tick_rate_hz = ident->tick_rate_hz;
    report->seed = ident->seed;
    report->sequence = ident->sequence;
    report->first_tick = ident->first_tick;
}

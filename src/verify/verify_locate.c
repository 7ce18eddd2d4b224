// verify_locate.c: after the first bad tick the run goes on to the next LEAVES and KEY, which say in which section and in
// which field the two runs had come apart by then, and whether the inputs were the same.
#include "verify_internal.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "tickproof/numerics.h"

static void compare_side_leaves(Verify *verify, uint64_t input_leaf, uint64_t event_leaf, uint64_t tick)
{
    tp_report *report = verify->report;
    if (tick != report->bad_tick) {
        return;
    }
    report->inputs_equal = input_leaf == tp_sim_input_leaf(verify->sim) ? TP_YES : TP_NO;
    report->events_equal = event_leaf == tp_sim_event_leaf(verify->sim) ? TP_YES : TP_NO;
}

void verify_locate_leaves(Verify *verify, const tp_log_leaves *leaves, uint64_t tick)
{
    tp_report      *report = verify->report;
    const uint64_t *mine = verify->leaves;
    uint32_t        count = tp_sim_leaves(verify->sim, verify->leaves, verify->leaves_capacity);
    assert(count + 2 <= verify->leaves_capacity);
    if (count + 2 == leaves->count) {
        compare_side_leaves(verify, bytes_get_u64(leaves->leaves + (size_t)count * 8),
                            bytes_get_u64(leaves->leaves + (size_t)(count + 1) * 8), tick);
    }
    for (uint32_t i = 0; !verify->has_section && i < count && i + 2 < leaves->count; i++) {
        if (bytes_get_u64(leaves->leaves + (size_t)i * 8) != mine[i]) {
            snprintf(report->section, sizeof(report->section), "%s", tp_sim_leaf_name(verify->sim, i));
            report->section_tick = tick;
            verify->has_section = true;
        }
    }
}

static bool count_difference(void *to, const tp_difference *difference)
{
    tp_report *report = to;
    if (report->differing_fields == 0) {
        snprintf(report->field, sizeof(report->field), "%s", difference->place);
        snprintf(report->field_expected, sizeof(report->field_expected), "%s", difference->left);
        snprintf(report->field_actual, sizeof(report->field_actual), "%s", difference->right);
    }
    report->differing_fields += 1;
    return true;
}

static void describe_bytes(tp_report *report, const uint8_t *left, size_t left_size, const uint8_t *right, size_t right_size)
{
    size_t shorter = left_size < right_size ? left_size : right_size;
    size_t at = 0;
    while (at < shorter && left[at] == right[at]) {
        at++;
    }
    report->differing_fields = 1;
    snprintf(report->field, sizeof(report->field), "byte %zu of the saved state", at);
    if (at < left_size) {
        snprintf(report->field_expected, sizeof(report->field_expected), "0x%02x", left[at]);
    } else {
        snprintf(report->field_expected, sizeof(report->field_expected), "end at %zu bytes", left_size);
    }
    if (at < right_size) {
        snprintf(report->field_actual, sizeof(report->field_actual), "0x%02x", right[at]);
    } else {
        snprintf(report->field_actual, sizeof(report->field_actual), "end at %zu bytes", right_size);
    }
}

bool verify_compare_state(Verify *verify, const tp_log_key *key, uint64_t tick)
{
    tp_report       *report = verify->report;
    const tp_layout *layout = tp_sim_layout(verify->sim);
    uint8_t         *mine = verify->state;
    size_t           size = 0;
    if (!tp_sim_encode(verify->sim, mine, verify->state_capacity, &size)) {
        verify_find(verify, TP_INTERNAL, "the world could not save its state at tick %llu, so it cannot be compared", (unsigned long long)tick);
        return true; // no difference was seen, and the finding stands
    }
    bool is_equal = size == key->state_size && memcmp(mine, key->state, size) == 0;
    if (!is_equal && report->differing_fields == 0) {
        report->field_tick = tick;
        if (tp_layout_names(layout, size) && size == key->state_size) {
            tp_layout_differences(layout, key->state, mine, count_difference, report);
        } else {
            describe_bytes(report, key->state, key->state_size, mine, size);
        }
    }
    return is_equal;
}

void verify_locate_key(Verify *verify, const tp_log_key *key, uint64_t tick)
{
    if (key->has_root && tick > 0) {
        compare_side_leaves(verify, key->input_leaf, key->event_leaf, tick - 1);
    }
    if (!verify->has_field) {
        verify->has_field = !verify_compare_state(verify, key, tick);
    }
}

void verify_locate_next_root(Verify *verify, const tp_log_row *row)
{
    tp_report *report = verify->report;
    uint8_t    mine[16];
    if (row->root_size == 0 || verify->agrees_again != TP_UNKNOWN || row->tick != report->bad_tick + 1) {
        return;
    }
    tp_hash128_to_bytes(tp_sim_root(verify->sim), mine);
    verify->agrees_again = memcmp(mine, row->root, row->root_size) == 0 ? TP_YES : TP_NO;
}

static void append(tp_report *report, const char *text)
{
    size_t used = strlen(report->message);
    snprintf(report->message + used, sizeof(report->message) - used, "%s", text);
}

// Only a world that is opaque may have floats in it, and only then can this be the reason.
static void append_numerics(Verify *verify)
{
    const tp_ident *ident = tp_reader_ident(verify->reader);
    char            there[TP_NUMERICS_SIZE], here[TP_NUMERICS_SIZE], difference[TP_NUMERICS_SIZE], text[TP_MESSAGE_SIZE];
    tp_provenance   item;
    size_t          offset = 0;
    while (ident != NULL && ident->is_opaque && tp_provenance_next(ident->provenance, ident->provenance_size, &offset, &item)) {
        if (item.key_size != strlen("numerics") || memcmp(item.key, "numerics", item.key_size) != 0 || item.value_size >= sizeof(there)) {
            continue;
        }
        memcpy(there, item.value, item.value_size);
        there[item.value_size] = '\0';
        tp_numerics(here);
        tp_numerics_difference(there, here, difference);
        if (difference[0] != '\0') {
            snprintf(text, sizeof(text), "; floating point is not the recorder's: %s", difference);
            append(verify->report, text);
        }
        return;
    }
}

void verify_locate_finish(Verify *verify)
{
    tp_report *report = verify->report;
    char       text[TP_MESSAGE_SIZE];
    if (verify->agrees_again == TP_YES && report->inputs_equal == TP_UNKNOWN && report->root_size > 0) {
        append(report, "; no section is known to differ, and the next tick agrees again: this tick's inputs, commands or events are others, its recorded root was changed, or the state came together again");
    }
    if (report->inputs_equal == TP_NO) {
        append(report, "; its inputs or commands are not the recorder's");
    } else if (report->inputs_equal == TP_YES) {
        append(report, "; its inputs are the recorder's");
    }
    if (report->events_equal == TP_NO) {
        append(report, "; its events differ");
    }
    if (report->section[0] != '\0') {
        snprintf(text, sizeof(text), "; section '%s' differs at tick %llu (%llu later)", report->section,
                 (unsigned long long)report->section_tick, (unsigned long long)(report->section_tick - report->bad_tick));
        append(report, text);
    } else if (verify->agrees_again != TP_YES && report->field[0] == '\0' && report->root_size > 0) {
        append(report, "; its section is not known: no LEAVES or KEY of this tick or a later one says it");
    }
    if (report->field[0] != '\0') {
        snprintf(text, sizeof(text), "; %s is %s here and %s in the log before tick %llu, first of %llu differing fields", report->field,
                 report->field_actual, report->field_expected, (unsigned long long)report->field_tick,
                 (unsigned long long)report->differing_fields);
        append(report, text);
    }
    append_numerics(verify);
}

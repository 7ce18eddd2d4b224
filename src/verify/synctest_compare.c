// synctest_compare.c: what exactly differs between two states of the same tick: the field by its path, or the event.
#include "synctest_internal.h"

#include <stdio.h>
#include <string.h>

const char *tp_strength_name(uint32_t strength)
{
    static const char *const names[TP_STRENGTH_COUNT] = { "copy", "bytes", "process" };
    return strength < TP_STRENGTH_COUNT ? names[strength] : NULL;
}

const char *tp_synctest_difference_name(tp_synctest_difference difference)
{
    switch (difference) {
    case TP_SYNCTEST_EQUAL: return "nothing";
    case TP_SYNCTEST_FAULT: return "fault";
    case TP_SYNCTEST_INPUT: return "inputs";
    case TP_SYNCTEST_STATE: return "state";
    case TP_SYNCTEST_EVENT: return "events";
    case TP_SYNCTEST_DERIVED: return "derived";
    case TP_SYNCTEST_GAP: return "gap";
    case TP_SYNCTEST_ROOT: return "root";
    case TP_SYNCTEST_REFUSED: return "refused";
    }
    return "nothing";
}

static bool take_difference(void *to, const tp_difference *difference)
{
    tp_synctest_finding *finding = to;
    if (finding->differing_fields == 0) {
        snprintf(finding->field, sizeof(finding->field), "%s", difference->place);
        snprintf(finding->expected, sizeof(finding->expected), "%s", difference->left);
        snprintf(finding->actual, sizeof(finding->actual), "%s", difference->right);
    }
    finding->differing_fields += 1;
    return true;
}

static void put_byte(char *text, size_t size, const uint8_t *bytes, size_t bytes_size, size_t at)
{
    if (at < bytes_size) {
        snprintf(text, size, "0x%02x", bytes[at]);
    } else {
        snprintf(text, size, "its end");
    }
}

static void describe_bytes(tp_synctest_finding *finding, const char *what, const uint8_t *left, size_t left_size, const uint8_t *right,
                           size_t right_size)
{
    size_t at = 0;
    while (at < left_size && at < right_size && left[at] == right[at]) {
        at++;
    }
    finding->differing_fields = 1;
    snprintf(finding->field, sizeof(finding->field), "byte %zu of %s", at, what);
    put_byte(finding->expected, sizeof(finding->expected), left, left_size, at);
    put_byte(finding->actual, sizeof(finding->actual), right, right_size, at);
}

static void describe_state(const SyncShape *shape, const SyncImage *expected, const SyncImage *actual, tp_synctest_finding *finding)
{
    tp_difference first;
    finding->difference = TP_SYNCTEST_STATE;
    if (!tp_layout_names(shape->layout, expected->state_size) || expected->state_size != actual->state_size) {
        snprintf(finding->section, sizeof(finding->section), "state");
        describe_bytes(finding, "the saved state", expected->state, expected->state_size, actual->state, actual->state_size);
        return;
    }
    if (tp_layout_difference(shape->layout, expected->state, actual->state, &first)) {
        snprintf(finding->section, sizeof(finding->section), "%s", shape->layout->world->sections[first.section].name);
    }
    tp_layout_differences(shape->layout, expected->state, actual->state, take_difference, finding);
}

// The differences of one struct, as those of a state that has nothing else.
static void describe_struct(const char *name, const tp_field *fields, uint32_t field_count, uint32_t size, const uint8_t *left,
                            const uint8_t *right, tp_synctest_finding *finding)
{
    tp_section section = { .name = name, .fields = fields, .field_count = field_count, .element_size = size, .count = 1 };
    tp_world   world = { .name = name, .sections = &section, .section_count = 1 };
    tp_layout  layout = { .world = &world, .section_count = { 1 }, .section_canonical_size = { size }, .canonical_size = size };
    tp_layout_differences(&layout, left, right, take_difference, finding);
}

static void put_event_name(const tp_world *world, const uint8_t *event, char *text, size_t size)
{
    snprintf(text, size, "%s", event == NULL ? "none" : world->events[bytes_get_u16(event)].name);
}

// The n-th event, NULL when there is none. The bytes were made by us or held against the tables.
static const uint8_t *event_at(const SyncImage *image, uint32_t index)
{
    const uint8_t *at = image->events + 8;
    if (index >= bytes_get_u32(image->events)) {
        return NULL;
    }
    for (uint32_t i = 0; i < index; i++) {
        at += 4 + bytes_get_u16(at + 2);
    }
    return at;
}

static void describe_events(const tp_world *world, const SyncImage *expected, const SyncImage *actual, tp_synctest_finding *finding)
{
    uint32_t       index = 0;
    const uint8_t *left = event_at(expected, 0);
    const uint8_t *right = event_at(actual, 0);
    finding->difference = TP_SYNCTEST_EVENT;
    snprintf(finding->section, sizeof(finding->section), "events");
    while (left != NULL && right != NULL && memcmp(left, right, 4) == 0 && memcmp(left + 4, right + 4, bytes_get_u16(left + 2)) == 0) {
        index++;
        left = event_at(expected, index);
        right = event_at(actual, index);
    }
    if (left == NULL && right == NULL) {
        snprintf(finding->field, sizeof(finding->field), "events that were too many");
        snprintf(finding->expected, sizeof(finding->expected), "%u", bytes_get_u32(expected->events + 4));
        snprintf(finding->actual, sizeof(finding->actual), "%u", bytes_get_u32(actual->events + 4));
    } else if (left == NULL || right == NULL || memcmp(left, right, 4) != 0) {
        snprintf(finding->field, sizeof(finding->field), "event %u", index);
        put_event_name(world, left, finding->expected, sizeof(finding->expected));
        put_event_name(world, right, finding->actual, sizeof(finding->actual));
    } else {
        const tp_record_type *type = &world->events[bytes_get_u16(left)];
        char                  place[sizeof(finding->field)];
        describe_struct(type->name, type->fields, type->field_count, bytes_get_u16(left + 2), left + 4, right + 4, finding);
        snprintf(place, sizeof(place), "%s", finding->field);
        snprintf(finding->field, sizeof(finding->field), "event %u, %.100s", index, place);
    }
    finding->differing_fields = 0; // of the state none
}

// One derived section in native bytes.
static void describe_derived(const tp_section *section, uint32_t count, const uint8_t *left, const uint8_t *right, tp_synctest_finding *finding)
{
    const tp_record_type type = { .name = section->name, .fields = section->fields, .field_count = section->field_count,
                                  .struct_size = section->element_size };
    for (uint32_t i = 0; i < count; i++) {
        uint8_t  a[4096];
        uint8_t  b[4096];
        size_t   at = (size_t)i * section->element_size;
        bool     is_first = finding->differing_fields == 0;
        uint32_t size = tp_record_size(&type);
        if (memcmp(left + at, right + at, section->element_size) == 0) {
            continue;
        }
        if (size > sizeof(a)) {
            describe_bytes(finding, section->name, left, (size_t)count * section->element_size, right, (size_t)count * section->element_size);
            return;
        }
        tp_record_encode(&type, left + at, a);
        tp_record_encode(&type, right + at, b);
        describe_struct(section->name, section->fields, section->field_count, size, a, b, finding);
        const char *dot = strchr(finding->field, '.');
        if (is_first && dot != NULL && (section->count_key != NULL || section->count != 1)) {
            char field[96];
            snprintf(field, sizeof(field), "%.90s", dot);
            snprintf(finding->field, sizeof(finding->field), "%.63s[%u]%.40s", section->name, i, field);
        }
    }
}

// Walks as synctest_image.c does.
static void describe_rest(const SyncShape *shape, const SyncImage *expected, const SyncImage *actual, tp_synctest_finding *finding)
{
    const tp_layout *layout = shape->layout;
    const tp_world  *world = layout->world;
    size_t           cursor = 0;
    size_t           used = 0;
    finding->difference = TP_SYNCTEST_GAP;
    snprintf(finding->section, sizeof(finding->section), "no section");
    for (uint32_t i = 0; i <= world->section_count; i++) {
        size_t begin = i < world->section_count ? layout->section_offset[i] : layout->block_size;
        size_t size = i < world->section_count ? (size_t)layout->section_count[i] * world->sections[i].element_size : 0;
        size_t gap = begin - cursor;
        cursor = begin + size;
        if (memcmp(expected->rest + used, actual->rest + used, gap) != 0) {
            describe_bytes(finding, "a gap between sections", expected->rest + used, gap, actual->rest + used, gap);
            return;
        }
        used += gap;
        if (i == world->section_count || world->sections[i].membership == TP_SIM) {
            continue;
        }
        if (memcmp(expected->rest + used, actual->rest + used, size) != 0) {
            finding->difference = TP_SYNCTEST_DERIVED;
            snprintf(finding->section, sizeof(finding->section), "%s", world->sections[i].name);
            describe_derived(&world->sections[i], layout->section_count[i], expected->rest + used, actual->rest + used, finding);
            return;
        }
        used += size;
    }
}

static void describe_number(tp_synctest_finding *finding, tp_synctest_difference difference, const char *field, uint64_t expected, uint64_t actual)
{
    finding->difference = difference;
    snprintf(finding->field, sizeof(finding->field), "%s", field);
    snprintf(finding->expected, sizeof(finding->expected), "%llu", (unsigned long long)expected);
    snprintf(finding->actual, sizeof(finding->actual), "%llu", (unsigned long long)actual);
}

static void describe_fault(uint32_t expected, uint32_t actual, tp_synctest_finding *finding)
{
    finding->difference = TP_SYNCTEST_FAULT;
    snprintf(finding->field, sizeof(finding->field), "fault");
    snprintf(finding->expected, sizeof(finding->expected), "%s", expected == 0 ? "none" : tp_fault_name((tp_fault_code)expected));
    snprintf(finding->actual, sizeof(finding->actual), "%s", actual == 0 ? "none" : tp_fault_name((tp_fault_code)actual));
}

bool sync_image_compare(const SyncShape *shape, const SyncImage *expected, const SyncImage *actual, tp_synctest_finding *finding)
{
    bool has_events = expected->has_events && actual->has_events;
    memcpy(finding->expected_root, expected->mark.root, 16);
    memcpy(finding->actual_root, actual->mark.root, 16);
    if (expected->mark.fault_code != actual->mark.fault_code) {
        describe_fault(expected->mark.fault_code, actual->mark.fault_code, finding);
    } else if (expected->tick != actual->tick) {
        describe_number(finding, TP_SYNCTEST_FAULT, "steps done", expected->tick, actual->tick);
    } else if (expected->input_leaf != actual->input_leaf) {
        describe_number(finding, TP_SYNCTEST_INPUT, "input leaf", expected->input_leaf, actual->input_leaf);
    } else if (expected->state_size != actual->state_size || memcmp(expected->state, actual->state, expected->state_size) != 0) {
        describe_state(shape, expected, actual, finding);
    } else if (has_events && (expected->event_size != actual->event_size || memcmp(expected->events, actual->events, expected->event_size) != 0)) {
        describe_events(shape->layout->world, expected, actual, finding);
    } else if (memcmp(expected->rest, actual->rest, shape->rest_size) != 0) {
        describe_rest(shape, expected, actual, finding);
    } else if (!sync_mark_equal(&expected->mark, &actual->mark) || expected->event_leaf != actual->event_leaf) {
        finding->difference = TP_SYNCTEST_ROOT;
        snprintf(finding->field, sizeof(finding->field), "root");
        snprintf(finding->expected, sizeof(finding->expected), "0x%016llx...", (unsigned long long)bytes_get_u64(expected->mark.root));
        snprintf(finding->actual, sizeof(finding->actual), "0x%016llx...", (unsigned long long)bytes_get_u64(actual->mark.root));
    } else {
        return true;
    }
    return false;
}

void sync_finding_text(const tp_synctest_case *result, tp_synctest_finding *finding)
{
    char where[112];
    char who[40] = "";
    char fields[40] = "";
    unsigned long long bad = finding->bad_tick, from = finding->restored_at;
    if (finding->is_first_state) {
        snprintf(where, sizeof(where), "a second init comes to another first state");
    } else if (finding->is_restored_state) {
        snprintf(where, sizeof(where), "the state before tick %llu comes back as another", from);
    } else if (finding->is_unsaved) {
        snprintf(where, sizeof(where), "tick %llu differs in a run that was never saved", bad);
    } else if (finding->is_guessed) {
        snprintf(where, sizeof(where), "tick %llu differs when other inputs were guessed for it first", bad);
    } else if (finding->is_continued) {
        snprintf(where, sizeof(where), "tick %llu differs in a run that had gone back to tick %llu and on from there", bad, from);
    } else {
        snprintf(where, sizeof(where), "tick %llu differs when stepped again from tick %llu on", bad, from);
    }
    if (finding->differing_fields > 1) {
        snprintf(fields, sizeof(fields), "; %llu fields differ", (unsigned long long)finding->differing_fields);
    }
    if (result != NULL) {
        snprintf(who, sizeof(who), "%s, distance %u: ", tp_strength_name((uint32_t)result->strength), result->distance);
    }
    snprintf(finding->text, sizeof(finding->text), "%s%s: %s: %.80s was %.48s, is %.48s%s", who, where, tp_synctest_difference_name(finding->difference), finding->field, finding->expected, finding->actual, fields);
}

// hunt_fields.c: two states of one tick, field by field where the world's tables are here, and byte by byte where they are not.
#include "hunt_internal.h"

#include <stdlib.h>
#include <string.h>

#include "place.h"

static void keep_field(HuntWork *work, const tp_difference *difference)
{
    Hunt *hunt = work->hunt;
    if (hunt->fields == NULL || hunt->field_count >= work->ask->fields_max || hunt->field_count >= HUNT_FIELDS_MAX) {
        return;
    }
    HuntField *field = &hunt->fields[hunt->field_count++];
    snprintf(field->place, sizeof(field->place), "%s", difference->place);
    snprintf(field->values[0], sizeof(field->values[0]), "%s", difference->left);
    snprintf(field->values[1], sizeof(field->values[1]), "%s", difference->right);
}

static bool take_difference(void *to, const tp_difference *difference)
{
    HuntWork *work = to;
    if (!work->has_field) {
        work->has_field = true;
        work->field = *difference;
    }
    work->hunt->finding.differing_fields += 1;
    keep_field(work, difference);
    return true;
}

static void byte_text(char text[64], const tp_trace_state *state, size_t at)
{
    if (at < state->size) {
        snprintf(text, 64, "0x%02x", state->bytes[at]);
    } else {
        snprintf(text, 64, "the end at %zu bytes", state->size);
    }
}

static void compare_bytes(HuntWork *work, const tp_trace_state *a, const tp_trace_state *b)
{
    size_t longer = a->size > b->size ? a->size : b->size;
    for (size_t at = 0; at < longer; at++) {
        bool is_equal = at < a->size && at < b->size && a->bytes[at] == b->bytes[at];
        // Past the shorter one's end there is no more than that to say.
        if (is_equal || at > a->size || at > b->size) {
            continue;
        }
        tp_difference difference = { .offset = at };
        snprintf(difference.place, sizeof(difference.place), "byte %zu of the saved state", at);
        byte_text(difference.left, a, at);
        byte_text(difference.right, b, at);
        take_difference(work, &difference);
    }
}

// Bytes of the field's value: the next value of the canonical encoding begins behind them.
static size_t value_size(tp_field_type type)
{
    switch (type) {
    case TP_TYPE_U8:
    case TP_TYPE_I8: return 1;
    case TP_TYPE_U16:
    case TP_TYPE_I16:
    case TP_TYPE_ANGLE: return 2;
    case TP_TYPE_U32:
    case TP_TYPE_I32:
    case TP_TYPE_FX: return 4;
    case TP_TYPE_U64:
    case TP_TYPE_I64:
    case TP_TYPE_FX64:
    case TP_TYPE_HANDLE: return 8;
    }
    return 1;
}

static void name_field(HuntWork *work)
{
    const tp_difference *field = &work->field;
    Finding             *finding = &work->hunt->finding;
    work->field_size = field->field == NULL ? 1 : value_size(field->field->type);
    snprintf(finding->field, sizeof(finding->field), "%s", field->place);
    if (field->field == NULL) {
        return;
    }
    const char *section = work->world->sections[field->section].name;
    snprintf(finding->section, sizeof(finding->section), "%s", section);
    if (work->ask->source_dir != NULL) {
        place_find_of_world(work->ask->source_dir, work->world->name, section, field->field->name, &finding->place);
    }
}

bool hunt_fields(HuntWork *work, const tp_trace_state *a, const tp_trace_state *b)
{
    Hunt *hunt = work->hunt;
    hunt->finding.differing_fields = 0;
    hunt->field_count = 0;
    if (hunt->fields == NULL && work->ask->fields_max > 0) {
        hunt->fields = calloc(work->ask->fields_max < HUNT_FIELDS_MAX ? work->ask->fields_max : HUNT_FIELDS_MAX, sizeof(*hunt->fields));
    }
    if (work->world != NULL && a->size == b->size && tp_layout_names(&work->layout, a->size)) {
        tp_layout_differences(&work->layout, a->bytes, b->bytes, take_difference, work);
    } else {
        compare_bytes(work, a, b);
    }
    if (work->has_field) {
        name_field(work);
    }
    return work->has_field;
}

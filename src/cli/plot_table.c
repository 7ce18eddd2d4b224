// plot_table.c: kinds, units and weights by the tables alone.
#include "plot_table.h"

#include <stdio.h>
#include <string.h>

static const char *text_of(const char *text)
{
    return text == NULL ? "" : text;
}

static bool is_one_of(const char *text, const char *const *list)
{
    for (; *list != NULL; list++) {
        if (strcmp(text, *list) == 0) {
            return true;
        }
    }
    return false;
}

// Bookkeeping that says nothing to a person: bits of a generator, padding, links and generations of pools.
static bool is_internal(const tp_field *field)
{
    static const char *const units[] = { "bits", "zero", "generation", "hash", "handle", NULL };
    bool is_reference = field->range.kind == TP_RANGE_LINK || field->range.kind == TP_RANGE_INDEX;
    bool is_fixed = field->range.kind == TP_RANGE_MINMAX && field->range.min == field->range.max;
    return field->type == TP_TYPE_HANDLE || is_fixed || is_one_of(text_of(field->unit), units) ||
           (is_reference && strcmp(text_of(field->unit), "count") != 0);
}

static bool is_bool(const tp_field *field)
{
    return (field->range.kind == TP_RANGE_MINMAX && field->range.min == 0 && field->range.max == 1 && field->type <= TP_TYPE_I64) ||
           strcmp(text_of(field->unit), "flag") == 0;
}

static bool is_flags(const tp_field *field)
{
    return strcmp(text_of(field->unit), "flags") == 0;
}

// "1/65536 units" counts units in 16 bits of fraction, whatever its type.
static void take_unit(PlotField *plot)
{
    const char *unit = text_of(plot->field->unit);
    unsigned    bits = plot->field->type == TP_TYPE_FX ? 16 : plot->field->type == TP_TYPE_FX64 ? 32 : 0;
    unsigned    parts = 0;
    int         used = 0;
    if (bits == 0 && sscanf(unit, "1/%9u %n", &parts, &used) == 1 && used > 0 && parts > 1 && (parts & (parts - 1)) == 0) {
        unit += used;
        for (; parts > 1; parts /= 2) {
            bits++;
        }
    }
    plot->fraction_bits = bits;
    snprintf(plot->unit, sizeof(plot->unit), "%s%s", unit, plot->is_rate ? "/tick" : "");
}

static int stake_of(const PlotField *plot)
{
    static const char *const stakes[] = { "points", "percent", "stocks", "lives", "damage", "goals", NULL };
    static const char *const reserves[] = { "health", "hp", NULL };
    bool is_line = plot->kind == PLOT_NUMBER && !plot->is_rate;
    return is_line && is_one_of(plot->unit, stakes) ? 2 : is_line && is_one_of(plot->unit, reserves) ? 1 : 0;
}

// What a person looks at first: what is won and lost, then where things are, then what they do, then how fast.
static int unit_weight(const PlotField *plot)
{
    size_t length = strlen(plot->unit);
    if (plot->is_rate) {
        return 78;
    }
    if (plot->kind == PLOT_STATES) { // of two states there is little to see
        return plot->field->range.kind == TP_RANGE_ENUM && plot->state_count > 2 ? 70 : 35;
    }
    if (plot->stake > 0) {
        return 90;
    }
    // "slot + 1": which one of something, or none.
    if (length > 4 && strcmp(plot->unit + length - 4, " + 1") == 0) {
        return 25;
    }
    if (strcmp(plot->unit, "units") == 0) {
        return 80;
    }
    // Sticks: the inputs have a panel of their own.
    bool is_share = strncmp(plot->unit, "1/", 2) == 0;
    return strcmp(plot->unit, "ticks") == 0 || is_share ? 20 : strstr(plot->unit, "/tick") != NULL ? 56 : 45;
}

static int section_weight(const tp_section *section)
{
    if (section->count_key == NULL) {
        return section->count == 1 ? 150 : 0;
    }
    return strcmp(section->count_key, TP_COUNT_PLAYERS) == 0 ? 300 : 0;
}

// The row that says which slots of a pool are live; NULL: it is no pool.
static const tp_field *find_generation(const tp_section *section)
{
    for (uint32_t i = 0; i < section->field_count; i++) {
        const tp_field *field = &section->fields[i];
        if (strcmp(text_of(field->unit), "generation") == 0 && field->type == TP_TYPE_U32 && field->count == 1) {
            return field;
        }
    }
    return NULL;
}

static void choose_kind(PlotField *plot)
{
    const tp_field *field = plot->field;
    if (field->range.kind == TP_RANGE_ENUM && field->range.max <= PLOT_STATES_MAX) {
        plot->kind = PLOT_STATES;
        plot->state_count = (uint32_t)field->range.max;
    } else if (is_bool(field) || is_flags(field)) {
        plot->kind = PLOT_STATES;
        plot->state_count = 2;
    }
}

static PlotField describe(const tp_layout *layout, uint32_t number, const tp_field *field, bool is_rate)
{
    const tp_section *section = &layout->world->sections[number];
    PlotField         plot = { .section = number, .field = field, .is_rate = is_rate };
    bool              is_per_player = section->count_key != NULL && strcmp(section->count_key, TP_COUNT_PLAYERS) == 0;
    if (!is_rate) {
        choose_kind(&plot);
    }
    take_unit(&plot);
    plot.stake = stake_of(&plot);
    plot.is_candidate = !is_internal(field) && section->membership == TP_SIM;
    plot.generation = is_internal(field) ? NULL : find_generation(section);
    plot.is_of_slots = is_per_player && field->count == 1;
    plot.element_size = section->element_size;
    plot.elements = layout->section_count[number] * field->count;
    plot.weight = section_weight(section) + unit_weight(&plot) - (field->count > 1 ? 40 : 0);
    snprintf(plot.name, sizeof(plot.name), "%s.%s%s", section->name, field->name, is_rate ? "/tick" : "");
    return plot;
}

// A way that only grows is a ramp; how steep it is tells how fast it went.
static bool may_be_a_way(const PlotField *plot)
{
    size_t length = strlen(plot->unit);
    bool   is_length = length >= 5 && strcmp(plot->unit + length - 5, "units") == 0;
    bool   is_never_negative = (plot->field->range.kind == TP_RANGE_MINMAX && plot->field->range.min >= 0) || plot->field->type <= TP_TYPE_U64;
    return plot->kind == PLOT_NUMBER && is_length && is_never_negative && plot->is_candidate;
}

uint32_t plot_table_fields(const tp_layout *layout, PlotField *fields, uint32_t capacity)
{
    uint32_t count = 0;
    for (uint32_t i = 0; layout->world->opaque == NULL && i < layout->world->section_count; i++) {
        const tp_section *section = &layout->world->sections[i];
        for (uint32_t k = 0; k < section->field_count; k++) {
            PlotField plot = describe(layout, i, &section->fields[k], false);
            if (plot.elements == 0 || plot.field->type == TP_TYPE_HANDLE) {
                continue;
            }
            if (count < capacity) {
                fields[count] = plot;
            }
            count++;
            if (may_be_a_way(&plot)) {
                if (count < capacity) {
                    fields[count] = describe(layout, i, &section->fields[k], true);
                }
                count++;
            }
        }
    }
    return count;
}

// Copies of a size that the compiler knows: this is where a long log's time goes.
#define READ(type)                           \
    {                                        \
        type raw;                            \
        memcpy(&raw, at, sizeof(raw));       \
        return (int64_t)raw;                 \
    }

static int64_t read_u64(const unsigned char *at)
{
    uint64_t raw;
    memcpy(&raw, at, sizeof(raw));
    return raw > INT64_MAX ? INT64_MAX : (int64_t)raw;
}

static inline int64_t read_raw(const tp_field *field, const unsigned char *at)
{
    switch (field->type) {
    case TP_TYPE_U8: READ(uint8_t)
    case TP_TYPE_ANGLE:
    case TP_TYPE_U16: READ(uint16_t)
    case TP_TYPE_U32: READ(uint32_t)
    case TP_TYPE_U64: return read_u64(at);
    case TP_TYPE_I8: READ(int8_t)
    case TP_TYPE_I16: READ(int16_t)
    case TP_TYPE_FX:
    case TP_TYPE_I32: READ(int32_t)
    case TP_TYPE_FX64:
    case TP_TYPE_I64: READ(int64_t)
    case TP_TYPE_HANDLE: break;
    }
    return 0;
}

// Most rows have one value, and a division for each is dear.
static inline const unsigned char *find_value(const PlotField *plot, const tp_view *view, uint32_t index)
{
    const tp_field      *field = plot->field;
    const unsigned char *at = (const unsigned char *)tp_view_section(view, plot->section) + field->offset;
    if (field->count == 1) {
        return at + (size_t)index * plot->element_size;
    }
    return at + (size_t)(index / field->count) * plot->element_size + (size_t)(index % field->count) * (field->size / field->count);
}

uint32_t plot_table_generation(const PlotField *plot, const tp_view *view, uint32_t index)
{
    uint32_t generation = 1;
    if (plot->generation != NULL) {
        uint32_t element = plot->field->count == 1 ? index : index / plot->field->count;
        const unsigned char *at = (const unsigned char *)tp_view_section(view, plot->section) + plot->generation->offset;
        memcpy(&generation, at + (size_t)element * plot->element_size, sizeof(generation));
    }
    return generation % 2 == 1 ? generation : 0;
}

int64_t plot_table_value(const PlotField *plot, const tp_view *view, uint32_t index)
{
    const tp_field *field = plot->field;
    int64_t         value = read_raw(field, find_value(plot, view, index));
    if (plot->kind == PLOT_NUMBER) {
        return value;
    }
    if (field->range.kind != TP_RANGE_ENUM) {
        return value != 0;
    }
    return value >= 0 && value < (int64_t)plot->state_count ? value : 0;
}

const char *plot_table_state_name(const PlotField *plot, uint32_t state)
{
    if (plot->field->range.kind == TP_RANGE_ENUM) {
        return plot->field->range.names[state];
    }
    if (is_flags(plot->field)) {
        return state == 0 ? "none" : "some";
    }
    return state == 0 ? "no" : "yes";
}

void plot_table_element_name(const PlotField *plot, const tp_layout *layout, uint32_t index, char text[PLOT_NAME_SIZE])
{
    const tp_field   *field = plot->field;
    const tp_section *section = &layout->world->sections[plot->section];
    bool              is_alone = section->count_key == NULL && section->count == 1;
    int               used = snprintf(text, PLOT_NAME_SIZE, "%s", section->name);
    if (!is_alone) {
        used += snprintf(text + used, (size_t)(PLOT_NAME_SIZE - used), "[%u]", index / field->count);
    }
    used += snprintf(text + used, (size_t)(PLOT_NAME_SIZE - used), ".%s", field->name);
    if (field->count > 1 && used < PLOT_NAME_SIZE) {
        used += snprintf(text + used, (size_t)(PLOT_NAME_SIZE - used), "[%u]", index % field->count);
    }
    if (plot->is_rate && used < PLOT_NAME_SIZE) {
        snprintf(text + used, (size_t)(PLOT_NAME_SIZE - used), "/tick");
    }
}

// Whether `x` ends in x where `y` ends in y, and the rest is the same.
static bool are_a_pair(const PlotField *x, const PlotField *y)
{
    size_t length = strlen(x->field->name);
    return x->section == y->section && !x->is_rate && !y->is_rate && x->kind == PLOT_NUMBER && y->kind == PLOT_NUMBER &&
           x->field->count == 1 && y->field->count == 1 && x->fraction_bits == y->fraction_bits && strcmp(x->unit, y->unit) == 0 &&
           strstr(x->unit, "/tick") == NULL && length == strlen(y->field->name) && x->field->name[length - 1] == 'x' &&
           y->field->name[length - 1] == 'y' && strncmp(x->field->name, y->field->name, length - 1) == 0 &&
           (length == 1 || x->field->name[length - 2] == '_');
}

uint32_t plot_table_pairs(const tp_layout *layout, const PlotField *fields, uint32_t count, PlotPair *pairs, uint32_t capacity)
{
    uint32_t found = 0;
    // Those of players come first.
    for (int pass = 0; pass < 2; pass++) {
        for (uint32_t i = 0; i < count && found < capacity; i++) {
            bool is_players = section_weight(&layout->world->sections[fields[i].section]) == 300;
            bool is_taken = found > 0 && pairs[found - 1].section == fields[i].section;
            for (uint32_t k = 0; k < count && !is_taken && fields[i].is_candidate && is_players == (pass == 0); k++) {
                if (are_a_pair(&fields[i], &fields[k])) {
                    pairs[found++] = (PlotPair){ fields[i].section, fields[i], fields[k] };
                    break;
                }
            }
        }
    }
    return found;
}

// layout_check.c: holds a world's tables against the contract before anything of the world runs.
#include "layout_internal.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

bool tp_error_set(tp_error *error, const char *format, ...)
{
    if (error != NULL) {
        va_list arguments;
        va_start(arguments, format);
        vsnprintf(error->text, sizeof(error->text), format, arguments);
        va_end(arguments);
    }
    return false;
}

static bool is_name(const char *name)
{
    if (name == NULL || name[0] == '\0' || strlen(name) > TP_NAME_SIZE_MAX) {
        return false;
    }
    return strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789_-.") == strlen(name);
}

static const char *printable(const char *name)
{
    return name == NULL ? "(no name)" : name;
}

// Fits: an inclusive bound can be a value of the type at all.
static bool range_fits_type(const tp_field *field)
{
    uint32_t bits = layout_value_size(field->type) * 8;
    if (field->type == TP_TYPE_U64) {
        return (uint64_t)field->range.min <= (uint64_t)field->range.max;
    }
    if (field->range.min > field->range.max) {
        return false;
    }
    if (bits == 64) {
        return true;
    }
    int64_t low = layout_type_is_signed(field->type) ? -(INT64_C(1) << (bits - 1)) : 0;
    int64_t high = layout_type_is_signed(field->type) ? (INT64_C(1) << (bits - 1)) - 1 : (INT64_C(1) << bits) - 1;
    return field->range.min >= low && field->range.max <= high;
}

static bool has_section(const tp_world *world, const char *name)
{
    for (uint32_t i = 0; name != NULL && i < world->section_count; i++) {
        if (world->sections[i].name != NULL && strcmp(world->sections[i].name, name) == 0) {
            return true;
        }
    }
    return false;
}

static bool check_range(const tp_world *world, const char *owner, const tp_field *field, bool is_state, tp_error *error)
{
    const tp_range *range = &field->range;
    if ((field->type == TP_TYPE_HANDLE) != (range->kind == TP_RANGE_HANDLE)) {
        return tp_error_set(error, "%s.%s: a handle needs the section of its pool, and only a handle may have one", owner, field->name);
    }
    switch (range->kind) {
    case TP_RANGE_ANY:
        return true;
    case TP_RANGE_MINMAX:
        if (!range_fits_type(field)) {
            return tp_error_set(error, "%s.%s: range %lld..%lld is empty or does not fit the type", owner, field->name,
                                (long long)range->min, (long long)range->max);
        }
        return true;
    case TP_RANGE_ENUM:
        if (range->max < 1 || range->names == NULL || layout_value_size(field->type) > 4 || layout_type_is_signed(field->type)) {
            return tp_error_set(error, "%s.%s: an enum needs names, at least one value and an unsigned type of at most 32 bits",
                                owner, field->name);
        }
        for (int64_t i = 0; i < range->max; i++) {
            if (range->names[i] == NULL || range->names[i][0] == '\0' || strpbrk(range->names[i], "\"\\\n\r\t") != NULL) {
                return tp_error_set(error, "%s.%s: enum value %lld has no name that can be printed", owner, field->name, (long long)i);
            }
        }
        return true;
    case TP_RANGE_INDEX:
    case TP_RANGE_LINK:
    case TP_RANGE_HANDLE:
        if (!is_state) {
            return tp_error_set(error, "%s.%s: only state fields may point into a section", owner, field->name);
        }
        if (!has_section(world, range->target)) {
            return tp_error_set(error, "%s.%s: points into section '%s', which does not exist", owner, field->name,
                                printable(range->target));
        }
        return true;
    }
    return tp_error_set(error, "%s.%s: unknown range kind %d", owner, field->name, (int)range->kind);
}

// Every byte of the struct belongs to exactly one row, and every row lies where the rule puts it.
static bool check_fields(const tp_world *world, const char *owner, const tp_field *fields, uint32_t count,
                         uint32_t struct_size, bool is_state, tp_error *error)
{
    uint32_t end = 0;
    for (uint32_t i = 0; i < count; i++) {
        const tp_field *field = &fields[i];
        if (!is_name(field->name)) {
            return tp_error_set(error, "%s: row %u has a bad name '%s'", owner, i, printable(field->name));
        }
        uint32_t size = layout_value_size(field->type);
        if (size == 0 || field->count == 0 || field->count > TP_STATE_SIZE_MAX / size) {
            return tp_error_set(error, "%s.%s: bad type or count", owner, field->name);
        }
        if (field->offset % layout_value_align(field->type) != 0) {
            return tp_error_set(error, "%s.%s: at offset %u, not aligned to its size", owner, field->name, field->offset);
        }
        if (field->offset != end) {
            return tp_error_set(error, "%s: byte %u before '%s' is covered by no row (or by two): add an explicit padding row",
                                owner, end < field->offset ? end : field->offset, field->name);
        }
        if (field->size != size * field->count) {
            return tp_error_set(error, "%s.%s: the struct has %u bytes there, the row %u", owner, field->name, field->size,
                                size * field->count);
        }
        for (uint32_t k = 0; k < i; k++) {
            if (strcmp(fields[k].name, field->name) == 0) {
                return tp_error_set(error, "%s.%s: two rows have this name", owner, field->name);
            }
        }
        if (!check_range(world, owner, field, is_state, error)) {
            return false;
        }
        end = field->offset + field->size;
    }
    if (end != struct_size) {
        return tp_error_set(error, "%s: byte %u of %u is covered by no row: add an explicit padding row", owner, end, struct_size);
    }
    return true;
}

static bool check_record(const tp_world *world, const char *kind, const tp_record_type *type, uint32_t size_max,
                         bool may_be_raw, tp_error *error)
{
    char owner[2 * TP_NAME_SIZE_MAX];
    if (!is_name(type->name)) {
        return tp_error_set(error, "%s has a bad name '%s'", kind, printable(type->name));
    }
    snprintf(owner, sizeof(owner), "%s %s", kind, type->name);
    if (type->field_count == 0) {
        if (type->struct_size != 0 || (type->size_max != 0 && !may_be_raw) || type->size_max > size_max) {
            return tp_error_set(error, "%s: without rows it must be empty%s", owner, may_be_raw ? " or raw bytes within the limit" : "");
        }
        return true;
    }
    if (type->fields == NULL) {
        return tp_error_set(error, "%s: rows are missing", owner);
    }
    if (!check_fields(world, owner, type->fields, type->field_count, type->struct_size, false, error)) {
        return false;
    }
    if (tp_record_size(type) > size_max) {
        return tp_error_set(error, "%s: %u bytes, the limit is %u", owner, tp_record_size(type), size_max);
    }
    return true;
}

static bool check_config(const tp_world *world, tp_error *error)
{
    if (world->config_count > TP_CONFIG_ITEMS_MAX || (world->config_count > 0 && world->config == NULL)) {
        return tp_error_set(error, "config: %u items, the limit is %d", world->config_count, TP_CONFIG_ITEMS_MAX);
    }
    for (uint32_t i = 0; i < world->config_count; i++) {
        const tp_config_item *item = &world->config[i];
        if (!is_name(item->name) || strcmp(item->name, TP_COUNT_PLAYERS) == 0) {
            return tp_error_set(error, "config item %u has a bad name '%s'", i, printable(item->name));
        }
        if (item->min > item->max || item->standard < item->min || item->standard > item->max) {
            return tp_error_set(error, "config '%s': standard %lld does not lie in %lld..%lld", item->name,
                                (long long)item->standard, (long long)item->min, (long long)item->max);
        }
        for (uint32_t k = 0; k < i; k++) {
            if (strcmp(world->config[k].name, item->name) == 0) {
                return tp_error_set(error, "config '%s' stands twice", item->name);
            }
        }
    }
    return true;
}

static bool has_config(const tp_world *world, const char *name)
{
    for (uint32_t i = 0; i < world->config_count; i++) {
        if (strcmp(world->config[i].name, name) == 0) {
            return world->config[i].min >= 0;
        }
    }
    return strcmp(name, TP_COUNT_PLAYERS) == 0;
}

static bool check_sections(const tp_world *world, tp_error *error)
{
    if (world->section_count > TP_SECTIONS_MAX) {
        return tp_error_set(error, "%u sections, the limit is %d", world->section_count, TP_SECTIONS_MAX);
    }
    for (uint32_t i = 0; i < world->section_count; i++) {
        const tp_section *section = &world->sections[i];
        if (!is_name(section->name)) {
            return tp_error_set(error, "section %u has a bad name '%s'", i, printable(section->name));
        }
        for (uint32_t k = 0; k < i; k++) {
            if (strcmp(world->sections[k].name, section->name) == 0) {
                return tp_error_set(error, "section '%s' stands twice", section->name);
            }
        }
        if (section->count_key != NULL && !has_config(world, section->count_key)) {
            return tp_error_set(error, "section '%s' takes its count from '%s', which is no config item of at least 0", section->name,
                                section->count_key);
        }
        if (section->field_count == 0 || section->fields == NULL || section->element_size == 0) {
            return tp_error_set(error, "section '%s' has no rows", section->name);
        }
        if (!check_fields(world, section->name, section->fields, section->field_count, section->element_size, true, error)) {
            return false;
        }
        if (section->membership != TP_SIM && (section->membership != TP_DERIVED || world->rebuild == NULL)) {
            return tp_error_set(error, "section '%s' is derived, so the world must give rebuild", section->name);
        }
    }
    return true;
}

static bool check_opaque(const tp_world *world, tp_error *error)
{
    const tp_opaque *opaque = world->opaque;
    for (uint32_t i = 0; i < world->section_count && i < TP_SECTIONS_MAX; i++) {
        if (world->sections[i].membership != TP_SIM) {
            return tp_error_set(error, "section '%s' of an opaque world is not TP_SIM: only saved bytes have names", printable(world->sections[i].name));
        }
    }
    if (opaque->size_max == NULL || opaque->create == NULL || opaque->destroy == NULL || opaque->save == NULL || opaque->load == NULL) {
        return tp_error_set(error, "an opaque world must give size_max, create, destroy, save and load");
    }
    return true;
}

static bool check_lists(const tp_world *world, tp_error *error)
{
    if (world->players_min > world->players_max || world->players_max > TP_PLAYERS_MAX ||
        world->players_standard < world->players_min || world->players_standard > world->players_max) {
        return tp_error_set(error, "players %u..%u, usually %u: out of order or over %d", world->players_min, world->players_max,
                            world->players_standard, TP_PLAYERS_MAX);
    }
    if (world->players_max > 0 && (world->input == NULL || world->input->field_count == 0)) {
        return tp_error_set(error, "a world with players needs an input with rows");
    }
    if (world->input != NULL && !check_record(world, "input", world->input, TP_INPUT_SIZE_MAX, false, error)) {
        return false;
    }
    if (world->command_count > UINT16_MAX || world->event_count > UINT16_MAX || world->events_max > TP_EVENTS_MAX) {
        return tp_error_set(error, "too many commands, events, or events of one tick (%u, the limit is %d)", world->events_max, TP_EVENTS_MAX);
    }
    for (uint32_t i = 0; i < world->command_count; i++) {
        if (!check_record(world, "command", &world->commands[i], TP_COMMAND_SIZE_MAX, true, error)) {
            return false;
        }
    }
    for (uint32_t i = 0; i < world->event_count; i++) {
        if (!check_record(world, "event", &world->events[i], TP_EVENT_SIZE_MAX, false, error)) {
            return false;
        }
    }
    if (world->content_count > 64) {
        return tp_error_set(error, "%u content items, the limit is 64", world->content_count);
    }
    for (uint32_t i = 0; i < world->content_count; i++) {
        const tp_content *content = &world->content[i];
        uint32_t          size = content->value_size;
        if (!is_name(content->name) || (size != 1 && size != 2 && size != 4 && size != 8) || content->size % size != 0) {
            return tp_error_set(error, "content %u: bad name '%s' or size", i, printable(content->name));
        }
    }
    return true;
}

// Nothing past these two members may be read before they hold, and nothing past struct_size ever.
static bool check_size(const tp_world *world, tp_error *error)
{
    bool is_known = world->struct_size >= TP_WORLD_SIZE_MIN && world->struct_size <= sizeof(tp_world);
    if (world->abi == TP_WORLD_ABI && is_known) {
        return true;
    }
    return tp_error_set(error, "world ABI %u with a struct of %u bytes; this build has ABI %u with %u to %u: rebuild the world against these headers",
                        world->abi, world->struct_size, TP_WORLD_ABI, TP_WORLD_SIZE_MIN, (unsigned)sizeof(tp_world));
}

static bool check_flags(const tp_world *world, tp_error *error)
{
    uint32_t flags = tp_world_flags(world);
    if ((flags & ~(uint32_t)TP_WORLD_TRACKS_WRITES) != 0) {
        return tp_error_set(error, "flags 0x%x: this build knows 0x%x", flags, (unsigned)TP_WORLD_TRACKS_WRITES);
    }
    if (world->struct_size >= sizeof(tp_world) && world->reserved != 0) {
        return tp_error_set(error, "reserved is %u: this build wants zero there", world->reserved);
    }
    if (flags != 0 && world->opaque != NULL) {
        return tp_error_set(error, "an opaque world has no block whose writes it could tell: leave TP_WORLD_TRACKS_WRITES out");
    }
    return true;
}

bool tp_world_check(const tp_world *world, tp_error *error)
{
    if (world == NULL) {
        return tp_error_set(error, "no world was given");
    }
    if (!check_size(world, error)) {
        return false;
    }
    if (!is_name(world->name)) {
        return tp_error_set(error, "bad world name '%s': 1 to %d of a-z 0-9 _ - .", printable(world->name), TP_NAME_SIZE_MAX);
    }
    if (world->tick_rate_hz < 1 || world->tick_rate_hz > 100000) {
        return tp_error_set(error, "tick rate %u: 1 to 100,000", world->tick_rate_hz);
    }
    if (world->init == NULL || world->step == NULL) {
        return tp_error_set(error, "init and step are required");
    }
    if (!check_config(world, error) || !check_lists(world, error)) {
        return false;
    }
    return check_flags(world, error) && (world->opaque == NULL || check_opaque(world, error)) && check_sections(world, error);
}

// layout.c: sizes, offsets and the fingerprint of a world for one setup.
#include "layout_internal.h"

#include <string.h>

#include "bytes.h"

static bool is_little_endian(void)
{
    const uint16_t one = 1;
    uint8_t        first;
    memcpy(&first, &one, 1);
    return first == 1;
}

static bool resolve_setup(tp_layout *layout, const tp_world *world, const tp_setup *setup, tp_error *error)
{
    if (setup->players < world->players_min || setup->players > world->players_max) {
        return tp_error_set(error, "%u players: world '%s' takes %u to %u", setup->players, world->name, world->players_min,
                            world->players_max);
    }
    if (setup->tick_rate_hz < 1 || setup->tick_rate_hz > 100000) {
        return tp_error_set(error, "tick rate %u: 1 to 100,000", setup->tick_rate_hz);
    }
    for (uint32_t i = 0; i < world->config_count; i++) {
        const tp_config_item *item = &world->config[i];
        int64_t               value = setup->config != NULL ? setup->config[i] : item->standard;
        if (value < item->min || value > item->max) {
            return tp_error_set(error, "config '%s' is %lld: %lld to %lld", item->name, (long long)value, (long long)item->min,
                                (long long)item->max);
        }
        layout->config[i] = value;
    }
    layout->setup = *setup;
    layout->setup.config = layout->config;
    return true;
}

static uint64_t resolve_count(const tp_layout *layout, const tp_section *section)
{
    if (section->count_key == NULL) {
        return section->count;
    }
    if (strcmp(section->count_key, TP_COUNT_PLAYERS) == 0) {
        return layout->setup.players;
    }
    for (uint32_t i = 0; i < layout->world->config_count; i++) {
        if (strcmp(layout->world->config[i].name, section->count_key) == 0) {
            return (uint64_t)layout->config[i];
        }
    }
    return 0;
}

static bool place_sections(tp_layout *layout, tp_error *error)
{
    const tp_world *world = layout->world;
    uint64_t        offset = 0;
    for (uint32_t i = 0; i < world->section_count; i++) {
        const tp_section *section = &world->sections[i];
        uint64_t          count = resolve_count(layout, section);
        // Counts and sizes are below 2^63 and 2^32; bound the count first so that the product cannot wrap.
        if (count > TP_STATE_SIZE_MAX || count * section->element_size > TP_STATE_SIZE_MAX - offset) {
            return tp_error_set(error, "section '%s' with %llu elements makes the state larger than %d bytes", section->name,
                                (unsigned long long)count, TP_STATE_SIZE_MAX);
        }
        uint64_t size = count * section->element_size;
        layout->section_offset[i] = (uint32_t)offset;
        layout->section_count[i] = (uint32_t)count;
        if (section->membership == TP_SIM) {
            layout->section_canonical_size[i] = (uint32_t)size;
            layout->canonical_size += (uint32_t)size;
            layout->leaf_count += (uint32_t)((size + TP_LEAF_SIZE - 1) / TP_LEAF_SIZE);
        }
        offset = (offset + size + 7) / 8 * 8;
    }
    layout->block_size = (uint32_t)offset;
    return true;
}

bool tp_layout_init(tp_layout *layout, const tp_world *world, const tp_setup *setup, tp_error *error)
{
    memset(layout, 0, sizeof(*layout));
    if (!tp_world_check(world, error)) {
        return false;
    }
    layout->world = world;
    if (!resolve_setup(layout, world, setup, error) || !place_sections(layout, error)) {
        memset(layout, 0, sizeof(*layout));
        return false;
    }
    layout->input_size = world->input != NULL ? tp_record_size(world->input) : 0;
    layout->is_native_canonical = is_little_endian();
    return true;
}

bool tp_layout_names(const tp_layout *layout, size_t size)
{
    bool has_table = layout->world->opaque == NULL || layout->world->section_count > 0;
    return has_table && size == layout->canonical_size;
}

static bool refuse_event(tp_context *context, uint32_t type, const void *data)
{
    (void)context;
    (void)type;
    (void)data;
    return false;
}

tp_context tp_layout_context(const tp_layout *layout)
{
    return (tp_context){
        .setup = &layout->setup,
        .section_offset = layout->section_offset,
        .section_count = layout->section_count,
        .emit = refuse_event,
    };
}

// The fingerprint chains one hash per name, so that it needs no buffer that could be too small.
typedef struct {
    tp_hash_algorithm algorithm;
    tp_hash128        hash;
} Fingerprint;

static void add_item(Fingerprint *print, char kind, const char *name, uint64_t a, uint64_t b)
{
    uint8_t     bytes[16 + 1 + 16 + 1 + TP_NAME_SIZE_MAX];
    BytesWriter writer = bytes_writer(bytes, sizeof(bytes));
    uint8_t     before[16];
    size_t      length = strlen(name);
    tp_hash128_to_bytes(print->hash, before);
    bytes_write_span(&writer, before, sizeof(before));
    bytes_write_u8(&writer, (uint8_t)kind);
    bytes_write_u64(&writer, a);
    bytes_write_u64(&writer, b);
    bytes_write_u8(&writer, (uint8_t)length);
    bytes_write_span(&writer, name, length);
    print->hash = tp_hash128_of(print->algorithm, bytes, writer.size);
}

static void add_fields(Fingerprint *print, const tp_field *fields, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        add_item(print, 'f', fields[i].name, fields[i].type, fields[i].count);
    }
}

static void add_record(Fingerprint *print, char kind, const tp_record_type *type)
{
    add_item(print, kind, type->name, type->field_count, type->size_max);
    add_fields(print, type->fields, type->field_count);
}

tp_hash128 tp_layout_fingerprint(const tp_layout *layout, tp_hash_algorithm algorithm)
{
    const tp_world *world = layout->world;
    Fingerprint     print = { .algorithm = algorithm };
    add_item(&print, 'w', world->name, world->opaque != NULL, world->events_max);
    // An opaque world's table only names bytes that are hashed as they are: one that gets a table later still verifies its old logs.
    for (uint32_t i = 0; world->opaque == NULL && i < world->section_count; i++) {
        const tp_section *section = &world->sections[i];
        add_item(&print, 's', section->name, section->count_key != NULL ? 0 : section->count, section->membership);
        add_item(&print, 'k', section->count_key != NULL ? section->count_key : "", 0, 0);
        add_fields(&print, section->fields, section->field_count);
    }
    if (world->input != NULL) {
        add_record(&print, 'i', world->input);
    }
    for (uint32_t i = 0; i < world->command_count; i++) {
        add_record(&print, 'c', &world->commands[i]);
    }
    for (uint32_t i = 0; i < world->event_count; i++) {
        add_record(&print, 'e', &world->events[i]);
    }
    return print.hash;
}

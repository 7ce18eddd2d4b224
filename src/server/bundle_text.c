// bundle_text.c: bundle.json and inputs.jsonl.
#include "bundle_internal.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "bytes.h"

static void hash_member(BundleFile *file, bool is_first, const char *key, tp_hash128 hash)
{
    uint8_t bytes[16];
    tp_hash128_to_bytes(hash, bytes);
    bundle_file_hex_member(file, is_first, key, bytes, sizeof(bytes));
}

static void print_config(BundleFile *file, const tp_ident *ident)
{
    bundle_file_text(file, ",\"config\":{");
    for (uint32_t i = 0; i < ident->config_count; i++) {
        bundle_file_text(file, "%s\"%s\":%lld", i == 0 ? "" : ",", ident->config_names[i], (long long)ident->config_values[i]);
    }
    bundle_file_text(file, "}");
}

// The members that `tickproof cat` prints of a log's rules, in its order.
static void print_rules(BundleFile *file, const tp_ident *ident)
{
    bundle_file_json_member(file, true, "world", ident->world);
    bundle_file_u64_member(file, false, "revision", ident->revision);
    bundle_file_u64_member(file, false, "seed", ident->seed);
    bundle_file_u64_member(file, false, "players", ident->players);
    bundle_file_u64_member(file, false, "tick_rate_hz", ident->tick_rate_hz);
    bundle_file_json_member(file, false, "hash", ident->algorithm == TP_HASH_XXH3 ? "xxh3" : "fnv");
    print_config(file, ident);
    hash_member(file, false, "id", ident->rules.id);
}

static void print_side(BundleFile *file, const char *key, const BundleSide *side, const BundleLook *look, const char *name)
{
    const char *why = look->why[0] != '\0' ? look->why : NULL;
    bundle_file_text(file, ",\"%s\":{", key);
    hash_member(file, true, "root", side->root);
    bundle_file_text(file, ",\"input_leaf\":\"%016llx\",\"event_leaf\":\"%016llx\"", (unsigned long long)side->input_leaf,
                     (unsigned long long)side->event_leaf);
    bundle_file_json_member(file, false, "build", side->build);
    bundle_file_json_member(file, false, "state", name);
    bundle_file_u64_member(file, false, "size", look->size);
    bundle_file_bool_member(file, false, "is_legal", look->is_legal);
    bundle_file_bool_member(file, false, "is_reported", look->is_reported);
    bundle_file_json_member(file, false, "why", look->state == NULL ? side->why : why);
    bundle_file_text(file, "}");
}

static void print_finding(BundleFile *file, const Bundle *bundle)
{
    const BundleFinding *finding = &bundle->finding;
    bool                 has_first = finding->count > 0;
    bundle_file_text(file, ",\"difference\":{");
    bundle_file_json_member(file, true, "section", has_first ? bundle_section(bundle->layout, &finding->first) : NULL);
    bundle_file_json_member(file, false, "field", has_first ? finding->first.place : NULL);
    bundle_file_json_member(file, false, "server", has_first ? finding->first.left : NULL);
    bundle_file_json_member(file, false, "client", has_first ? finding->first.right : NULL);
    bundle_file_u64_member(file, false, "count", finding->count);
    bundle_file_bool_member(file, false, "inputs", finding->differs_in_inputs);
    bundle_file_bool_member(file, false, "events", finding->differs_in_events);
    bundle_file_json_member(file, false, "text", bundle->describe);
    bundle_file_text(file, "}");
}

static void print_files(BundleFile *file, const Bundle *bundle)
{
    bundle_file_text(file, ",\"files\":[");
    for (uint32_t i = 0; i < bundle->entry_count; i++) {
        bundle_file_text(file, i == 0 ? "{" : ",{");
        bundle_file_json_member(file, true, "name", bundle->entries[i].name);
        bundle_file_u64_member(file, false, "size", bundle->entries[i].size);
        bundle_file_hex_member(file, false, "blake2b", bundle->entries[i].digest, BUNDLE_HASH_SIZE);
        bundle_file_text(file, "}");
    }
    bundle_file_text(file, "]");
}

static void print_room(BundleFile *file, const BundleOptions *options)
{
    bundle_file_json_member(file, false, "room", options->room);
    bundle_file_u64_member(file, false, "tick", options->tick);
    if (options->slot == TP_SOURCE_HOST) {
        bundle_file_json_member(file, false, "slot", NULL);
    } else {
        bundle_file_u64_member(file, false, "slot", options->slot);
    }
    bundle_file_json_member(file, false, "address", options->address);
    bundle_file_json_member(file, false, "policy", options->policy);
    bundle_file_u64_member(file, false, "durable", options->durable);
}

bool bundle_write_json(Bundle *bundle)
{
    const BundleOptions *options = bundle->options;
    BundleFile          *file = bundle_begin(bundle, BUNDLE_JSON);
    uint8_t              digest[BUNDLE_HASH_SIZE];
    bundle_file_text(file, "{");
    bundle_file_json_member(file, true, "format", BUNDLE_FORMAT);
    bundle_file_u64_member(file, false, "version", BUNDLE_VERSION);
    print_room(file, options);
    bundle_file_text(file, ",\"rules\":{");
    print_rules(file, bundle->ident);
    hash_member(file, false, "fingerprint", bundle->ident->fingerprint);
    bundle_file_text(file, "}");
    print_side(file, "server", &options->server, &bundle->server, bundle->server_file);
    print_side(file, "client", &options->client, &bundle->client, bundle->client_file);
    print_finding(file, bundle);
    if (bundle->has_log) {
        bundle_file_u64_member(file, false, "log_next_tick", bundle->log_next_tick);
    } else {
        bundle_file_json_member(file, false, "no_log", bundle->log_why);
    }
    print_files(file, bundle);
    bundle_file_digest(file, digest);
    bundle_file_hex_member(file, false, "blake2b", digest, sizeof(digest));
    bundle_file_text(file, "}\n");
    return bundle_end(bundle);
}

static bool has_plain_fields(const tp_world *world)
{
    for (uint32_t i = 0; world->input != NULL && i < world->input->field_count; i++) {
        const char *name = world->input->fields[i].name;
        if (strcmp(name, "slot") == 0 || strcmp(name, "origin") == 0 || strcmp(name, "hex") == 0) {
            return false;
        }
    }
    return world->input != NULL;
}

// Passes the members of an object on without its braces, behind a comma: the last letter is always held back.
typedef struct {
    BundleFile *file;
    bool        is_started, has_held;
    char        held;
} Members;

static void put_members(void *to, const char *text, size_t size)
{
    Members *members = to;
    for (size_t i = 0; i < size; i++) {
        if (!members->is_started) {
            members->is_started = true;
            continue;
        }
        if (members->has_held) {
            bundle_file_put(members->file, &members->held, 1);
        } else if (text[i] != '}') {
            bundle_file_put(members->file, ",", 1);
        }
        members->held = text[i];
        members->has_held = true;
    }
}

static void print_slots(BundleFile *file, const Bundle *bundle, const tp_log_row *row)
{
    static const char *const origins[4] = { "received", "repeated", "neutral", "bot" };
    const tp_world          *world = bundle->layout->world;
    uint32_t                 size = bundle->ident->input_size;
    bool                     is_first = true;
    for (uint32_t slot = 0; slot < bundle->ident->players; slot++) {
        if (((row->presence[slot / 8] >> (slot % 8)) & 1) == 0) {
            continue;
        }
        bundle_file_text(file, "%s{\"slot\":%u,\"origin\":\"%s\"", is_first ? "" : ",", slot,
                         origins[((unsigned)row->origins[slot / 4] >> (2 * (slot % 4))) & 3]);
        if (has_plain_fields(world)) {
            Members members = { .file = file };
            tp_record_json(world->input, row->inputs + (size_t)slot * size, put_members, &members);
        } else {
            bundle_file_hex_member(file, false, "hex", row->inputs + (size_t)slot * size, size);
        }
        bundle_file_text(file, "}");
        is_first = false;
    }
}

static void print_command(BundleFile *file, const tp_world *world, const tp_command *command)
{
    const tp_record_type *type = command->type < world->command_count ? &world->commands[command->type] : NULL;
    if (command->source == TP_SOURCE_HOST) {
        bundle_file_text(file, "{\"source\":\"host\"");
    } else {
        bundle_file_text(file, "{\"source\":%u", command->source);
    }
    if (type == NULL) {
        bundle_file_u64_member(file, false, "type", command->type);
    } else {
        bundle_file_json_member(file, false, "type", type->name);
    }
    if (type != NULL && type->field_count > 0 && tp_record_size(type) == command->size) {
        bundle_file_key(file, false, "fields");
        tp_record_json(type, command->data, bundle_file_sink, file);
    } else if (command->size > 0) {
        bundle_file_hex_member(file, false, "hex", command->data, command->size);
    }
    bundle_file_text(file, "}");
}

static void print_row(BundleFile *file, const Bundle *bundle, const tp_log_row *row)
{
    uint32_t   offset = 0;
    tp_command command;
    bundle_file_text(file, "{\"tick\":%llu,\"slots\":[", (unsigned long long)row->tick);
    print_slots(file, bundle, row);
    bundle_file_text(file, "],\"commands\":[");
    for (bool is_first = true; tp_log_command_next(row, &offset, &command); is_first = false) {
        bundle_file_text(file, is_first ? "" : ",");
        print_command(file, bundle->layout->world, &command);
    }
    bundle_file_text(file, "]");
    bundle_file_hex_member(file, false, "root", row->root, row->root_size);
    bundle_file_text(file, "}\n");
}

// The row as a record of one row with a root of 16 bytes, so that the log's own code takes it apart. False: it is no row.
static bool take_row(const Bundle *bundle, const BundleRow *from, uint8_t *payload, tp_log_row *row)
{
    const uint32_t head = 4;
    bytes_put_u16(payload, 1);
    payload[2] = 16;
    payload[3] = 0;
    memcpy(payload + head, from->bytes, from->size);
    tp_hash128_to_bytes(from->root, payload + head + from->size);
    tp_log_record record = { .type = TP_LOG_TICKS, .tick = from->tick, .payload = payload, .size = (uint32_t)from->size + head + 16 };
    tp_log_rows   rows = tp_log_rows_of(bundle->ident, &record);
    return tp_log_rows_next(&rows, row) && row->size == from->size;
}

bool bundle_write_inputs(Bundle *bundle)
{
    const BundleOptions *options = bundle->options;
    size_t               largest = 0;
    for (uint32_t i = 0; i < options->row_count; i++) {
        largest = options->rows[i].size > largest ? options->rows[i].size : largest;
    }
    uint8_t    *payload = malloc(largest + 20);
    BundleFile *file = bundle_begin(bundle, BUNDLE_INPUTS);
    bool        is_good = payload != NULL && largest < TP_LOG_TICKS_MAX;
    bundle_file_text(file, "{\"rules\":{");
    print_rules(file, bundle->ident);
    bundle_file_u64_member(file, false, "first_tick", options->row_count > 0 ? options->rows[0].tick : options->tick);
    bundle_file_u64_member(file, false, "root_bytes", 16);
    bundle_file_text(file, "}}\n");
    for (uint32_t i = 0; is_good && i < options->row_count; i++) {
        tp_log_row row;
        is_good = take_row(bundle, &options->rows[i], payload, &row);
        if (is_good) {
            print_row(file, bundle, &row);
        }
    }
    if (!is_good && !file->has_failed) {
        file->has_failed = true;
        file->error = payload == NULL ? ENOMEM : EINVAL;
    }
    free(payload);
    return bundle_end(bundle);
}

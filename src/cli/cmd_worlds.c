// cmd_worlds.c: `tickproof worlds`: what a world takes and gives, from its own tables.
#include <string.h>

#include "args.h"
#include "cli.h"
#include "textout.h"
#include "worlds.h"

static const char help[] =
    "Usage: tickproof worlds [-v] [--world LIBRARY]... [--format text|json] [NAME]...\n"
    "Lists the worlds of this program, or says everything about those that are named.\n"
    "\n"
    "  -v, --verbose      config items, inputs, commands and events, too; always so for a NAME\n"
    "      --world W      a library to list as well (a path with a '/' or ending in .so); may be repeated\n"
    "      --format F     text (usual) or json: one object per world, one line each\n";

enum { FLAG_WORLD = ARGS_LONG, FLAG_FORMAT };

static const struct option flags[] = {
    { "verbose", no_argument, NULL, 'v' },
    { "world", required_argument, NULL, FLAG_WORLD },
    { "format", required_argument, NULL, FLAG_FORMAT },
    { "help", no_argument, NULL, ARGS_HELP },
    { NULL, 0, NULL, 0 },
};

static const char *type_name(tp_field_type type)
{
    switch (type) {
    case TP_TYPE_U8: return "u8";
    case TP_TYPE_U16: return "u16";
    case TP_TYPE_U32: return "u32";
    case TP_TYPE_U64: return "u64";
    case TP_TYPE_I8: return "i8";
    case TP_TYPE_I16: return "i16";
    case TP_TYPE_I32: return "i32";
    case TP_TYPE_I64: return "i64";
    case TP_TYPE_FX: return "fx";
    case TP_TYPE_FX64: return "fx64";
    case TP_TYPE_ANGLE: return "angle";
    case TP_TYPE_HANDLE: return "handle";
    }
    return "?";
}

static const char *text_of(const char *text)
{
    return text == NULL ? "" : text;
}

static void print_range(const tp_field *field)
{
    const tp_range *range = &field->range;
    if (range->kind == TP_RANGE_MINMAX && field->type == TP_TYPE_FX) {
        fputs(", ", stdout);
        textout_fx(stdout, (int32_t)range->min);
        fputs(" to ", stdout);
        textout_fx(stdout, (int32_t)range->max);
    } else if (range->kind == TP_RANGE_MINMAX) {
        printf(", %lld to %lld%s", (long long)range->min, (long long)range->max, field->type == TP_TYPE_FX64 ? " raw" : "");
    } else if (range->kind == TP_RANGE_ENUM) {
        for (int64_t i = 0; i < range->max; i++) {
            printf("%s%s", i == 0 ? ", " : " | ", range->names[i]);
        }
    } else if (range->kind != TP_RANGE_ANY && range->target != NULL) {
        printf(", of %s", range->target);
    }
}

static void print_fields(const tp_record_type *type)
{
    for (uint32_t i = 0; i < type->field_count; i++) {
        const tp_field *field = &type->fields[i];
        printf("      %-16s %s", field->name, type_name(field->type));
        if (field->count > 1) {
            printf("[%u]", field->count);
        }
        printf(" %s", text_of(field->unit));
        print_range(field);
        fputc('\n', stdout);
    }
    if (type->field_count == 0 && type->size_max > 0) {
        printf("      at most %u bytes\n", type->size_max);
    }
}

static void print_records(const char *title, const tp_record_type *types, uint32_t count)
{
    printf("  %s%s\n", title, count == 0 ? ": none" : "");
    for (uint32_t i = 0; i < count; i++) {
        printf("    %-18s %s\n", types[i].name, text_of(types[i].text));
        print_fields(&types[i]);
    }
}

static void print_details(const tp_world *world)
{
    printf("  revision %u, ABI %u, %s state, usually %u ticks/s and %u players\n", world->revision, world->abi,
           world->opaque == NULL ? "flat" : "opaque", world->tick_rate_hz, world->players_standard);
    printf("  bot: %s; observer: %s\n", world->bot == NULL ? "no" : "yes", world->observer == NULL ? "no" : "yes");
    printf("  config%s\n", world->config_count == 0 ? ": none" : "");
    for (uint32_t i = 0; i < world->config_count; i++) {
        const tp_config_item *item = &world->config[i];
        printf("    %-18s %lld, %lld to %lld %s: %s\n", item->name, (long long)item->standard, (long long)item->min,
               (long long)item->max, text_of(item->unit), text_of(item->text));
    }
    print_records("input of a slot", world->input, world->input == NULL ? 0 : 1);
    print_records("commands", world->commands, world->command_count);
    print_records("events", world->events, world->event_count);
}

static void print_text(const tp_world *world, bool is_verbose)
{
    printf("%-12s %s (%u to %u players, %u ticks/s)\n", world->name, text_of(world->text), world->players_min, world->players_max,
           world->tick_rate_hz);
    if (is_verbose) {
        print_details(world);
    }
}

static void print_json_range(const tp_field *field)
{
    const tp_range *range = &field->range;
    if (range->kind == TP_RANGE_MINMAX) {
        printf(",\"min\":%lld,\"max\":%lld", (long long)range->min, (long long)range->max);
    } else if (range->kind == TP_RANGE_ENUM) {
        fputs(",\"names\":[", stdout);
        for (int64_t i = 0; i < range->max; i++) {
            fputs(i == 0 ? "" : ",", stdout);
            textout_json(stdout, range->names[i], strlen(range->names[i]));
        }
        fputc(']', stdout);
    } else if (range->kind != TP_RANGE_ANY && range->target != NULL) {
        textout_json_member(stdout, false, "section", range->target);
    }
}

static void print_json_record(const tp_record_type *type)
{
    fputc('{', stdout);
    textout_json_member(stdout, true, "name", type->name);
    textout_json_member(stdout, false, "text", text_of(type->text));
    textout_u64_member(stdout, false, "bytes_max", type->field_count > 0 ? tp_record_size(type) : type->size_max);
    textout_key(stdout, false, "fields");
    fputc('[', stdout);
    for (uint32_t i = 0; i < type->field_count; i++) {
        const tp_field *field = &type->fields[i];
        fputs(i == 0 ? "{" : ",{", stdout);
        textout_json_member(stdout, true, "name", field->name);
        textout_json_member(stdout, false, "type", type_name(field->type));
        textout_u64_member(stdout, false, "count", field->count);
        textout_json_member(stdout, false, "unit", text_of(field->unit));
        print_json_range(field);
        fputc('}', stdout);
    }
    fputs("]}", stdout);
}

static void print_json_records(const char *key, const tp_record_type *types, uint32_t count)
{
    textout_key(stdout, false, key);
    fputc('[', stdout);
    for (uint32_t i = 0; i < count; i++) {
        fputs(i == 0 ? "" : ",", stdout);
        print_json_record(&types[i]);
    }
    fputc(']', stdout);
}

static void print_json_config(const tp_world *world)
{
    textout_key(stdout, false, "config");
    fputc('[', stdout);
    for (uint32_t i = 0; i < world->config_count; i++) {
        const tp_config_item *item = &world->config[i];
        fputs(i == 0 ? "{" : ",{", stdout);
        textout_json_member(stdout, true, "name", item->name);
        textout_json_member(stdout, false, "unit", text_of(item->unit));
        textout_json_member(stdout, false, "text", text_of(item->text));
        printf(",\"standard\":%lld,\"min\":%lld,\"max\":%lld}", (long long)item->standard, (long long)item->min, (long long)item->max);
    }
    fputc(']', stdout);
}

static void print_json(const tp_world *world)
{
    fputc('{', stdout);
    textout_json_member(stdout, true, "name", world->name);
    textout_u64_member(stdout, false, "revision", world->revision);
    textout_u64_member(stdout, false, "abi", world->abi);
    textout_json_member(stdout, false, "text", text_of(world->text));
    textout_json_member(stdout, false, "state", world->opaque == NULL ? "flat" : "opaque");
    textout_u64_member(stdout, false, "tick_rate_hz", world->tick_rate_hz);
    textout_u64_member(stdout, false, "players_min", world->players_min);
    textout_u64_member(stdout, false, "players_max", world->players_max);
    textout_u64_member(stdout, false, "players_standard", world->players_standard);
    textout_bool_member(stdout, false, "bot", world->bot != NULL);
    textout_bool_member(stdout, false, "observer", world->observer != NULL);
    print_json_config(world);
    print_json_records("input", world->input, world->input == NULL ? 0 : 1);
    print_json_records("commands", world->commands, world->command_count);
    print_json_records("events", world->events, world->event_count);
    fputs("}\n", stdout);
}

static void print_world(const tp_world *world, bool is_json, bool is_verbose)
{
    if (is_json) {
        print_json(world);
    } else {
        print_text(world, is_verbose);
    }
}

static int print_named(WorldSet *set, int count, char **names, bool is_json)
{
    for (int i = 0; i < count; i++) {
        const tp_world *world = worlds_search(set, names[i], 0);
        if (world == NULL) {
            return cli_fail(TP_USAGE, "worlds: there is no world '%s' here; 'tickproof worlds' lists them", names[i]);
        }
        print_world(world, is_json, true);
    }
    return TP_VERIFIED;
}

static int run(int argc, char **argv)
{
    static WorldSet set;
    bool            is_json = false;
    bool            is_verbose = false;
    for (int flag = args_next("worlds", argc, argv, ":vh", flags); flag != ARGS_END; flag = args_next("worlds", argc, argv, ":vh", flags)) {
        switch (flag) {
        case ARGS_HELP: fputs(help, stdout); return TP_VERIFIED;
        case 'v': is_verbose = true; break;
        case FLAG_FORMAT:
            if (!args_is_json(optarg, &is_json)) {
                return TP_USAGE;
            }
            break;
        case FLAG_WORLD:
            if (worlds_add(&set, optarg) == NULL) {
                return TP_USAGE;
            }
            break;
        default: return TP_USAGE;
        }
    }
    if (optind < argc) {
        return print_named(&set, argc - optind, argv + optind, is_json);
    }
    for (size_t i = 0; worlds_at(i) != NULL; i++) {
        print_world(worlds_at(i), is_json, is_verbose);
    }
    for (size_t i = 0; i < set.count; i++) {
        print_world(set.loaded[i], is_json, is_verbose);
    }
    return TP_VERIFIED;
}

const Command command_worlds = { "worlds", "list the worlds of this program", help, run };

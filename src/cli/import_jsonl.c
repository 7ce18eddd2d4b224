// import_jsonl.c: `tickproof import jsonl`: inputs as lines of JSON as a log of any world.
#include <stdlib.h>
#include <string.h>

#include "args.h"
#include "cli.h"
#include "import_kinds.h"
#include "worldconfig.h"

enum { FLAG_WORLD = ARGS_LONG, FLAG_SEED, FLAG_PLAYERS, FLAG_RATE, FLAG_CONFIG, FLAG_IGNORE_ROOTS };

static const struct option flags[] = {
    { "world", required_argument, NULL, FLAG_WORLD },
    { "seed", required_argument, NULL, FLAG_SEED },
    { "players", required_argument, NULL, FLAG_PLAYERS },
    { "rate", required_argument, NULL, FLAG_RATE },
    { "config", required_argument, NULL, FLAG_CONFIG },
    { "ignore-roots", no_argument, NULL, FLAG_IGNORE_ROOTS },
    LOGFLAGS_ROWS,
    { "help", no_argument, NULL, ARGS_HELP },
    { NULL, 0, NULL, 0 },
};

typedef struct {
    const char       *path;
    const char       *name; // for messages
    WorldSet          worlds;
    const tp_world   *world;
    bool              has_seed, has_players, has_rate, ignores_roots;
    uint64_t          seed;
    uint32_t          players, rate;
    const char       *config;
    int64_t           config_values[TP_CONFIG_ITEMS_MAX];
    bool              has_rules;
    uint64_t          rules_line; // where they stand
    RulesLine         rules;
    ImportLog         log;
} JsonlImport;

static bool take_flag(JsonlImport *import, int flag)
{
    switch (flag) {
    case FLAG_WORLD: import->world = worlds_add(&import->worlds, optarg); return import->world != NULL;
    case FLAG_SEED: import->has_seed = true; return args_u64("--seed", optarg, 0, UINT64_MAX, &import->seed);
    case FLAG_PLAYERS: import->has_players = true; return args_u32("--players", optarg, 0, TP_PLAYERS_MAX, &import->players);
    case FLAG_RATE: import->has_rate = true; return args_u32("--rate", optarg, 1, 100000, &import->rate);
    case FLAG_CONFIG: import->config = optarg; return true;
    case FLAG_IGNORE_ROOTS: import->ignores_roots = true; return true;
    default: return logflags_take(&import->log.flags, flag);
    }
}

// Whether a flag says otherwise than the line: then the rules are not the recorded ones, on purpose.
static bool is_changed(const JsonlImport *import)
{
    return import->has_seed || import->has_players || import->has_rate || import->log.flags.has_algorithm || import->config != NULL;
}

static bool refuse_rules(const JsonlImport *import, int code, const char *what)
{
    cli_fail(code, "%s: line %llu: reading the rules: %s", import->name, (unsigned long long)import->rules_line, what);
    return false;
}

// The world of the lines: that of --world, or the one the rules name.
static int find_world(JsonlImport *import)
{
    const RulesLine *rules = &import->rules;
    tp_error         error;
    if (import->world == NULL && !import->has_rules) {
        return cli_usage("import jsonl", "--world is missing, and the lines do not begin with rules that name it");
    }
    if (!import->has_rules) {
        return TP_VERIFIED;
    }
    if (import->world == NULL) {
        import->world = worlds_search(&import->worlds, rules->world, rules->has_revision ? rules->revision : 0);
    }
    if (import->world == NULL) {
        tp_error_set(&error, "world: there is no world '%s' here; give its library with --world", rules->world);
        refuse_rules(import, TP_INCOMPATIBLE, error.text);
        return TP_INCOMPATIBLE;
    }
    if (strcmp(import->world->name, rules->world) != 0) {
        tp_error_set(&error, "world: these are inputs of world '%s', not of '%s'", rules->world, import->world->name);
        refuse_rules(import, TP_INCOMPATIBLE, error.text);
        return TP_INCOMPATIBLE;
    }
    if (rules->has_revision && rules->revision != import->world->revision && !import->ignores_roots) {
        tp_error_set(&error, "revision: %u, but world '%s' here is revision %u; give the old one with --world, or --ignore-roots to make another match of it",
                     rules->revision, rules->world, import->world->revision);
        refuse_rules(import, TP_INCOMPATIBLE, error.text);
        return TP_INCOMPATIBLE;
    }
    return TP_VERIFIED;
}

static bool check_config(const JsonlImport *import, const tp_config_item *item, int64_t value)
{
    tp_error error;
    if (value >= item->min && value <= item->max) {
        return true;
    }
    tp_error_set(&error, "config.%s: %lld is out of range; give %lld to %lld", item->name, (long long)value, (long long)item->min, (long long)item->max);
    return refuse_rules(import, TP_USAGE, error.text);
}

// 0, or the exit code: said so.
static int take_rules_config(JsonlImport *import)
{
    const RulesLine *rules = &import->rules;
    const tp_world  *world = import->world;
    tp_error         error;
    for (uint32_t i = 0; i < rules->config_count; i++) {
        uint32_t k = 0;
        while (k < world->config_count && strcmp(world->config[k].name, rules->config_names[i]) != 0) {
            k++;
        }
        if (k == world->config_count) {
            tp_error_set(&error, "config: world '%s' has no item '%s'", world->name, rules->config_names[i]);
            refuse_rules(import, TP_INCOMPATIBLE, error.text);
            return TP_INCOMPATIBLE;
        }
        import->config_values[k] = rules->config_values[i];
        if (!check_config(import, &world->config[k], rules->config_values[i])) {
            return TP_USAGE;
        }
    }
    return TP_VERIFIED;
}

// What of the rules no flag wins over, held against the world: making it would refuse the same without the line.
static bool check_setup(const JsonlImport *import)
{
    const tp_world *world = import->world;
    tp_error        error;
    if (!import->has_players && import->rules.has_players && (import->players < world->players_min || import->players > world->players_max)) {
        tp_error_set(&error, "players: %u is out of range; world '%s' takes %u to %u", import->players, world->name, world->players_min, world->players_max);
        return refuse_rules(import, TP_USAGE, error.text);
    }
    if (!import->has_rate && import->rules.has_rate && import->rate == 0) {
        return refuse_rules(import, TP_USAGE, "tick_rate_hz: 0 is out of range; give 1 to 100000");
    }
    return true;
}

// What no flag says comes from the rules, and what they do not say is usual.
static int complete(JsonlImport *import)
{
    const RulesLine *rules = &import->rules;
    const tp_world  *world = import->world;
    import->seed = import->has_seed ? import->seed : rules->seed;
    import->players = import->has_players ? import->players : rules->has_players ? rules->players : world->players_standard;
    import->rate = import->has_rate ? import->rate : rules->has_rate ? rules->tick_rate_hz : world->tick_rate_hz;
    if (!import->log.flags.has_algorithm) {
        import->log.flags.algorithm = rules->has_algorithm ? rules->algorithm : TP_HASH_XXH3;
    }
    if (!import->log.flags.has_root_size && rules->has_root_bytes) {
        import->log.flags.writer.root_size = rules->root_bytes;
    }
    if (!check_setup(import)) {
        return TP_USAGE;
    }
    worldconfig_standard(world, import->config_values);
    if (import->config != NULL) {
        return worldconfig_read(world, import->config, import->config_values) ? TP_VERIFIED : TP_USAGE;
    }
    return take_rules_config(import);
}

// The id covers what the line does not spell out: layout and content. Checked where the rest is as the line says.
static bool has_same_rules(const JsonlImport *import, const tp_sim *sim)
{
    uint8_t id[16];
    tp_hash128_to_bytes(tp_sim_rules(sim)->id, id);
    if (!import->has_rules || !import->rules.has_id || is_changed(import) || import->ignores_roots || memcmp(id, import->rules.id, sizeof(id)) == 0) {
        return true;
    }
    return refuse_rules(import, TP_INCOMPATIBLE,
                        "id: the values of this line do not come to it: one of them was edited (give it as a flag in its place), or the world here has another "
                        "layout or content (give the right one with --world); --ignore-roots makes another match of it");
}

static int say_differences(const JsonlImport *import, InputSource *inputs, tp_sim *sim, int code)
{
    uint64_t compared = 0;
    uint64_t differences = inputsource_root_differences(inputs, sim, &compared);
    uint64_t lines = tp_sim_tick(sim) + (tp_sim_is_faulted(sim) ? 1 : 0);
    if (code != TP_VERIFIED && code != TP_INCOMPLETE) {
        return code;
    }
    // Nothing differs where nothing is compared; that must not pass for a match that is held.
    if (!import->ignores_roots && compared < lines) {
        cli_fail(TP_VERIFIED, "%s: %llu of %llu lines had roots", import->name, (unsigned long long)compared, (unsigned long long)lines);
    }
    if (differences == 0) {
        return code;
    }
    return cli_fail(TP_DIVERGED, "%s: %llu of %llu roots are not those of the lines; '%s' has what was stepped. --ignore-roots does not compare", import->name,
                    (unsigned long long)differences, (unsigned long long)compared, import->log.flags.output);
}

static int record(JsonlImport *import, InputSource *inputs)
{
    tp_error       error;
    tp_setup       setup = { import->seed, import->players, import->rate, import->config_values };
    tp_sim_options options = { .algorithm = import->log.flags.algorithm };
    tp_sim        *sim = tp_sim_create(import->world, &setup, &options, &error);
    int            code = TP_INCOMPATIBLE;
    if (sim == NULL) {
        return cli_fail(TP_USAGE, "%s: making world '%s': %s", import->name, import->world->name, error.text);
    }
    if (has_same_rules(import, sim)) {
        inputsource_set_layout(inputs, tp_sim_layout(sim));
        if (!import->ignores_roots) {
            inputsource_compare_roots(inputs);
        }
        import_log_identify(&import->log, &import->worlds, import->world, NULL, NULL, import->players);
        code = say_differences(import, inputs, sim, import_log_record(&import->log, sim, inputs));
    }
    tp_sim_destroy(sim);
    return code;
}

static int import_lines(JsonlImport *import)
{
    tp_error     error;
    InputSource *inputs = inputsource_lines(NULL, import->path, &error);
    if (inputs == NULL) {
        return cli_fail(TP_USAGE, "%s: opening the inputs: %s", import->name, error.text);
    }
    bool is_read = inputsource_read_rules(inputs, &import->rules, &import->has_rules);
    import->rules_line = inputsource_line(inputs);
    int code = is_read ? find_world(import) : TP_USAGE;
    if (code == TP_VERIFIED && import->rules.first_tick != 0) {
        tp_error_set(&error, "first_tick: the lines begin at tick %llu; a log is made from tick 0 on", (unsigned long long)import->rules.first_tick);
        refuse_rules(import, TP_USAGE, error.text);
        code = TP_USAGE;
    }
    if (code == TP_VERIFIED) {
        code = complete(import);
    }
    if (code == TP_VERIFIED) {
        code = logflags_check(&import->log.flags, import->players) ? record(import, inputs) : TP_USAGE;
    }
    inputsource_destroy(inputs);
    return code;
}

static bool is_wrong(JsonlImport *import, int argc, char **argv)
{
    if (optind + 1 != argc) {
        cli_usage("import jsonl", "it takes one FILE");
    } else if (import->log.flags.output == NULL) {
        cli_usage("import jsonl", "-o is missing: where does the log go?");
    } else if (strcmp(argv[optind], "-") == 0 && import->config != NULL && strcmp(import->config, "-") == 0) {
        cli_usage("import jsonl", "FILE and --config cannot both be standard input");
    } else {
        import->path = argv[optind];
        import->name = strcmp(import->path, "-") == 0 ? "standard input" : import->path;
        return false;
    }
    return true;
}

static int import_with(JsonlImport *import, int argc, char **argv)
{
    logflags_standard(&import->log.flags);
    for (int flag = args_next("import", argc, argv, ":o:h", flags); flag != ARGS_END; flag = args_next("import", argc, argv, ":o:h", flags)) {
        if (flag == ARGS_HELP) {
            fputs(command_import.help, stdout);
            return TP_VERIFIED;
        }
        if (flag == ARGS_BAD || !take_flag(import, flag)) {
            return TP_USAGE;
        }
    }
    return is_wrong(import, argc, argv) ? TP_USAGE : import_lines(import);
}

int import_jsonl(int argc, char **argv)
{
    JsonlImport *import = calloc(1, sizeof(*import));
    if (import == NULL) {
        return cli_fail(TP_INTERNAL, "out of memory");
    }
    int code = import_with(import, argc, argv);
    logflags_finish(&import->log.flags);
    free(import);
    return code;
}

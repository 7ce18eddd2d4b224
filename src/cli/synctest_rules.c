// synctest_rules.c: the line of rules that stands before the inputs of a new run: what they are inputs of.
#include <string.h>

#include "synctest_work.h"
#include "worldconfig.h"

static int refuse(const SynctestWork *work, const char *what)
{
    return cli_fail(TP_USAGE, "%s: line 1: reading the rules: %s", strcmp(work->inputs, "-") == 0 ? "standard input" : work->inputs, what);
}

static int refuse_number(const SynctestWork *work, const char *name, uint64_t said, uint64_t flag)
{
    tp_error error;
    tp_error_set(&error, "%s: these are inputs of a run with %llu, but --%s says %llu; leave --%s out, or the line", name, (unsigned long long)said, name,
                 (unsigned long long)flag, name);
    return refuse(work, error.text);
}

static int check_world(const SynctestWork *work, const RulesLine *rules)
{
    tp_error        error;
    const tp_world *world = work->world;
    if (strcmp(rules->world, world->name) != 0) {
        tp_error_set(&error, "world: these are inputs of world '%s', not of '%s'", rules->world, world->name);
        return refuse(work, error.text);
    }
    if (rules->has_revision && rules->revision != world->revision) {
        tp_error_set(&error, "revision: %u, but world '%s' here is revision %u; give the old one with --world", rules->revision, world->name, world->revision);
        return refuse(work, error.text);
    }
    return TP_VERIFIED;
}

static int take_config(SynctestWork *work, const RulesLine *rules)
{
    tp_error        error;
    const tp_world *world = work->world;
    for (uint32_t i = 0; i < rules->config_count; i++) {
        uint32_t    item = 0;
        const char *name = rules->config_names[i];
        while (item < world->config_count && strcmp(world->config[item].name, name) != 0) {
            item++;
        }
        if (item == world->config_count) {
            tp_error_set(&error, "config: world '%s' has no item '%s'", world->name, name);
            return refuse(work, error.text);
        }
        if (work->config != NULL && work->config_values[item] != rules->config_values[i]) {
            tp_error_set(&error, "config.%s: these are inputs of a run with %lld, but --config comes to %lld; leave --config out, or the line", name,
                         (long long)rules->config_values[i], (long long)work->config_values[item]);
            return refuse(work, error.text);
        }
        work->config_values[item] = rules->config_values[i];
    }
    return TP_VERIFIED;
}

static int take_rules(SynctestWork *work, const RulesLine *rules)
{
    int code = check_world(work, rules);
    if (code != TP_VERIFIED) {
        return code;
    }
    if (work->has_seed && work->seed != rules->seed) {
        return refuse_number(work, "seed", rules->seed, work->seed);
    }
    if (work->has_players && rules->has_players && work->players != rules->players) {
        return refuse_number(work, "players", rules->players, work->players);
    }
    if (work->has_rate && rules->has_rate && work->rate != rules->tick_rate_hz) {
        return refuse_number(work, "rate", rules->tick_rate_hz, work->rate);
    }
    work->seed = rules->seed;
    work->players = rules->has_players ? rules->players : work->players;
    work->rate = rules->has_rate ? rules->tick_rate_hz : work->rate;
    work->algorithm = rules->has_algorithm ? rules->algorithm : work->algorithm;
    return take_config(work, rules);
}

int synctestrules_take(SynctestWork *work, InputSource **inputs)
{
    tp_error  error;
    RulesLine rules;
    bool      has_rules = false;
    *inputs = inputsource_lines(NULL, work->inputs, &error);
    if (*inputs == NULL) {
        return cli_fail(TP_USAGE, "%s: opening the inputs: %s", work->inputs, error.text);
    }
    if (!inputsource_read_rules(*inputs, &rules, &has_rules)) {
        return TP_USAGE;
    }
    return has_rules ? take_rules(work, &rules) : TP_VERIFIED;
}

// verify_world.c: from a log's IDENT to the world it was recorded with, or to the one reason why that is not possible here.
#include "tickproof/verify.h"

#include <string.h>

static bool match_config(const tp_ident *ident, const tp_world *world, tp_error *error)
{
    for (uint32_t i = 0; i < ident->config_count || i < world->config_count; i++) {
        const char *log = i < ident->config_count ? ident->config_names[i] : "nothing";
        const char *here = i < world->config_count ? world->config[i].name : "nothing";
        if (strcmp(log, here) != 0) {
            return tp_error_set(error, "config item %u is '%s' in the log and '%s' in world '%s' here", i, log, here, world->name);
        }
    }
    return true;
}

// What can be said before a sim is made. Texts of others are cut so that the line with the longest name still fits an error.
static bool match_world(const tp_ident *ident, const tp_world *world, tp_error *error)
{
    tp_error reason;
    if (world == NULL) {
        return tp_error_set(error, "world '%s' (revision %u) is not here: give it with --world FILE.so", ident->world, ident->revision);
    }
    if (!tp_world_check(world, &reason)) {
        return tp_error_set(error, "world '%s': %.150s", ident->world, reason.text);
    }
    if (world->revision != ident->revision || ident->abi != TP_WORLD_ABI) {
        return tp_error_set(error, "world '%s' is revision %u (ABI %u) in the log and %u (ABI %u) here: give the old one with --world FILE.so",
                            ident->world, ident->revision, ident->abi, world->revision, TP_WORLD_ABI);
    }
    return match_config(ident, world, error);
}

static bool match_rules(const tp_ident *ident, const tp_world *world, const tp_sim *sim, tp_error *error)
{
    const tp_rules  *rules = tp_sim_rules(sim);
    const tp_layout *layout = tp_sim_layout(sim);
    if (rules->size == ident->rules.size && memcmp(rules->bytes, ident->rules.bytes, rules->size) == 0) {
        return true;
    }
    if (ident->is_opaque != (world->opaque != NULL)) {
        return tp_error_set(error, "world '%s' keeps its state %s here, the other way in the log", world->name,
                            world->opaque != NULL ? "opaque" : "flat");
    }
    if (!tp_hash128_equal(tp_layout_fingerprint(layout, ident->algorithm), ident->fingerprint)) {
        return tp_error_set(error, "layout of world '%s' revision %u differs: its tables name other fields, types or counts here", world->name,
                            world->revision);
    }
    if (ident->input_size != layout->input_size) {
        return tp_error_set(error, "world '%s' has inputs of %u bytes here, %u in the log", world->name, layout->input_size, ident->input_size);
    }
    return tp_error_set(error, "content of world '%s' revision %u differs from what the log was recorded with", world->name, world->revision);
}

tp_sim *tp_sim_of_ident(const tp_ident *ident, const tp_world *world, const tp_sim_options *options, tp_error *error)
{
    tp_error reason;
    if (!match_world(ident, world, error)) {
        return NULL;
    }
    tp_setup       setup = { .seed = ident->seed, .players = ident->players, .tick_rate_hz = ident->tick_rate_hz, .config = ident->config_values };
    tp_sim_options sim_options = options != NULL ? *options : (tp_sim_options){ 0 };
    sim_options.algorithm = ident->algorithm;
    tp_sim *sim = tp_sim_create(world, &setup, &sim_options, &reason);
    if (sim == NULL) {
        tp_error_set(error, "world '%s' refuses the log's rules: %.150s", ident->world, reason.text);
        return NULL;
    }
    if (!match_rules(ident, world, sim, error)) {
        tp_sim_destroy(sim);
        return NULL;
    }
    return sim;
}

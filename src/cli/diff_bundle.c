// diff_bundle.c: `tickproof diff` on a desync bundle: what differs, who both sides are, and which of them this machine agrees with.
#include "diff_bundle.h"

#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "crash.h"

uint64_t diff_bundle_limit(const Showing *showing)
{
    return showing->limit == 0 ? UINT64_MAX : showing->limit;
}

const char *diff_bundle_agrees_name(Agrees agrees)
{
    static const char *const names[] = { "unknown", "server", "client", "both", "neither" };
    return names[agrees];
}

// Calls for every leaf that both sides have and that differs. The side leaves follow the state's, whose count an opaque world's size decides.
bool diff_bundle_each_bad_leaf(const Showing *showing, void (*each)(const char *name, bool is_first))
{
    const BundleLook *server = &showing->server;
    const BundleLook *client = &showing->client;
    char              name[96];
    bool              is_first = true;
    uint32_t          shorter = server->leaf_count < client->leaf_count ? server->leaf_count : client->leaf_count;
    for (uint32_t i = 0; showing->finding.has_leaves && i < shorter + 2; i++) {
        uint32_t left = i < shorter ? i : server->leaf_count + i - shorter;
        uint32_t right = i < shorter ? i : client->leaf_count + i - shorter;
        if (server->leaves[left] != client->leaves[right]) {
            bundle_leaf_name(showing->layout, server->leaf_count, left, name, sizeof(name));
            each(name, is_first);
            is_first = false;
        }
    }
    return !is_first;
}

static const char *member(const cJSON *object, const char *key)
{
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, key);
    return cJSON_IsString(item) && item->valuestring != NULL ? item->valuestring : "";
}

// What the server wrote about the difference is for people who read it without this program. It is not believed here.
bool diff_bundle_says_otherwise(const Showing *showing)
{
    const cJSON         *said = cJSON_GetObjectItemCaseSensitive(showing->bundle->json, "difference");
    const BundleFinding *finding = &showing->finding;
    return strcmp(member(said, "field"), finding->count > 0 ? finding->first.place : "") != 0 ||
           strcmp(member(said, "server"), finding->count > 0 ? finding->first.left : "") != 0 ||
           strcmp(member(said, "client"), finding->count > 0 ? finding->first.right : "") != 0;
}

// Without the world nothing can be named: where the bytes come apart is all there is.
static int show_raw(const BundleRead *bundle, bool is_json, const char *why)
{
    const BundleReadSide *server = &bundle->server;
    const BundleReadSide *client = &bundle->client;
    BundleRaw             raw = { .has_both = server->state != NULL && client->state != NULL };
    while (raw.has_both && raw.at < server->size && raw.at < client->size && server->state[raw.at] == client->state[raw.at]) {
        raw.at++;
    }
    raw.is_equal = raw.has_both && raw.at == server->size && raw.at == client->size;
    if (is_json) {
        diff_bundle_json_raw(bundle, &raw);
    } else {
        diff_bundle_print_raw(bundle, &raw);
    }
    return cli_fail(TP_INCOMPATIBLE, "%s: finding the world: %s", bundle->path, why);
}

static bool look_at_sides(Showing *showing)
{
    const BundleReadSide *server = &showing->bundle->server;
    const BundleReadSide *client = &showing->bundle->client;
    uint64_t              tick = showing->bundle->tick;
    return bundle_look(&showing->server, showing->sim, server->state, server->size, tick, server->claimed, server->input_leaf, server->event_leaf) &&
           bundle_look(&showing->client, showing->sim, client->state, client->size, tick, client->claimed, client->input_leaf, client->event_leaf);
}

// Where a state is there and tells its root, that one counts; else the one that was reported.
static bool agrees_with(const Showing *showing, const BundleLook *look)
{
    return tp_hash128_equal(showing->replay.root, look->has_leaves ? look->root : look->claimed);
}

// `sim` stands behind the bad tick.
static bool look_here(Showing *showing, tp_sim *sim)
{
    size_t capacity = tp_sim_encoded_max(sim);
    size_t size = 0;
    bool   with_server = agrees_with(showing, &showing->server);
    bool   with_client = agrees_with(showing, &showing->client);
    showing->agrees = with_server && with_client ? AGREES_BOTH : with_server ? AGREES_SERVER : with_client ? AGREES_CLIENT : AGREES_NEITHER;
    showing->own_state = malloc(capacity + 1);
    if (showing->own_state == NULL || !tp_sim_encode(sim, showing->own_state, capacity, &size)) {
        return false;
    }
    showing->here = (BundleLook){ .state = showing->own_state, .size = size };
    return true;
}

static bool derive(Showing *showing, tp_sim *fresh)
{
    if (!look_at_sides(showing)) {
        return false;
    }
    showing->finding = bundle_find(showing->layout, &showing->server, &showing->client);
    diff_bundle_replay(showing->bundle, fresh, &showing->replay);
    return !showing->replay.has_reached || look_here(showing, fresh);
}

static int show(Showing *showing, tp_sim *fresh, bool is_json)
{
    if (!derive(showing, fresh)) {
        return cli_fail(TP_INTERNAL, "%s: comparing the states: out of memory, or the world cannot save itself", showing->bundle->path);
    }
    bool is_equal = tp_hash128_equal(showing->server.claimed, showing->client.claimed) && showing->finding.count == 0;
    int  code = is_equal ? TP_VERIFIED : TP_DIVERGED;
    if (is_json) {
        diff_bundle_json(showing, is_equal ? "equal" : "diverged");
    } else {
        diff_bundle_print(showing);
    }
    return code;
}

static int show_bundle(const BundleRead *bundle, WorldSet *worlds, uint32_t limit, bool is_json)
{
    tp_error        error;
    Showing         showing = { .bundle = bundle, .limit = limit };
    const tp_world *world = worlds_search(worlds, bundle->ident->world, bundle->ident->revision);
    crash_guard();
    // One for the states, which leaves it anywhere, and one that runs the log from its beginning.
    showing.sim = tp_sim_of_ident(bundle->ident, world, NULL, &error);
    if (showing.sim == NULL) {
        return show_raw(bundle, is_json, error.text);
    }
    showing.layout = tp_sim_layout(showing.sim);
    tp_sim *fresh = tp_sim_of_ident(bundle->ident, world, NULL, &error);
    int     code = fresh != NULL ? show(&showing, fresh, is_json) : cli_fail(TP_INTERNAL, "%s: making the world: %s", bundle->path, error.text);
    bundle_look_finish(&showing.server);
    bundle_look_finish(&showing.client);
    free(showing.own_state);
    tp_sim_destroy(fresh);
    tp_sim_destroy(showing.sim);
    return code;
}

int diff_bundle(const char *operand, WorldSet *worlds, uint32_t limit, bool is_json)
{
    BundleRead bundle;
    int        code = diff_bundle_open(&bundle, operand) ? show_bundle(&bundle, worlds, limit, is_json) : bundle.code;
    diff_bundle_finish(&bundle);
    return code;
}

// diff_bundle_json.c: a bundle for machines, one object in one line.
#include <string.h>

#include "diff_bundle.h"
#include "textout.h"

static void hash_member(bool is_first, const char *key, tp_hash128 hash)
{
    uint8_t bytes[16];
    tp_hash128_to_bytes(hash, bytes);
    textout_hex_member(stdout, is_first, key, bytes, sizeof(bytes));
}

static void text_member(const char *key, const char *text)
{
    if (text != NULL) {
        textout_json_member(stdout, false, key, text);
    } else {
        textout_key(stdout, false, key);
        fputs("null", stdout);
    }
}

static void json_head(const BundleRead *bundle, const char *verdict)
{
    fputc('{', stdout);
    textout_json_member(stdout, true, "bundle", bundle->path);
    textout_json_member(stdout, false, "verdict", verdict);
    textout_json_member(stdout, false, "room", bundle->room);
    textout_u64_member(stdout, false, "tick", bundle->tick);
    if (bundle->has_slot) {
        textout_u64_member(stdout, false, "slot", bundle->slot);
    } else {
        text_member("slot", NULL);
    }
    text_member("address", bundle->address);
    text_member("policy", bundle->policy);
    textout_u64_member(stdout, false, "durable", bundle->durable);
    textout_json_member(stdout, false, "world", bundle->ident->world);
    textout_u64_member(stdout, false, "revision", bundle->ident->revision);
    hash_member(false, "rules", bundle->ident->rules.id);
}

static void json_side(const char *key, const BundleReadSide *side, const BundleLook *look)
{
    textout_key(stdout, false, key);
    fputc('{', stdout);
    hash_member(true, "reported_root", side->claimed);
    text_member("state", side->file);
    text_member("build", side->build);
    if (look != NULL) {
        const char *why = look->why[0] != '\0' ? look->why : NULL;
        text_member("why", side->file == NULL ? side->why : why);
        textout_bool_member(stdout, false, "is_legal", look->is_legal);
        textout_bool_member(stdout, false, "is_reported", look->is_reported);
        if (look->has_leaves) {
            hash_member(false, "root", look->root);
        }
    }
    fputc('}', stdout);
}

static void json_difference(void *to, const tp_difference *difference)
{
    Showing *showing = to;
    fputs(showing->printed++ == 0 ? "{" : ",{", stdout);
    textout_json_member(stdout, true, "place", difference->place);
    textout_json_member(stdout, false, "server", difference->left);
    textout_json_member(stdout, false, "client", difference->right);
    fputc('}', stdout);
}

static void json_leaf(const char *name, bool is_first)
{
    fputs(is_first ? "" : ",", stdout);
    textout_json(stdout, name, strlen(name));
}

static void json_states(Showing *showing)
{
    const BundleFinding *finding = &showing->finding;
    const tp_difference *first = finding->count > 0 ? &finding->first : NULL;
    textout_bool_member(stdout, false, "has_states", finding->has_states);
    text_member("section", first != NULL ? bundle_section(showing->layout, first) : NULL);
    text_member("field", first != NULL ? first->place : NULL);
    text_member("server_value", first != NULL ? first->left : NULL);
    text_member("client_value", first != NULL ? first->right : NULL);
    textout_u64_member(stdout, false, "differing_fields", finding->count);
    fputs(",\"differences\":[", stdout);
    bundle_differences(showing->layout, &showing->server, &showing->client, diff_bundle_limit(showing), json_difference, showing);
    fputs("],\"leaves\":[", stdout);
    diff_bundle_each_bad_leaf(showing, json_leaf);
    fputc(']', stdout);
}

static void json_replay(const Showing *showing)
{
    const BundleReplay *replay = &showing->replay;
    fputs(",\"resimulation\":{", stdout);
    textout_json_member(stdout, true, "agrees", diff_bundle_agrees_name(showing->agrees));
    text_member("why", replay->has_reached ? NULL : replay->why);
    if (replay->has_log_rows) {
        textout_u64_member(stdout, false, "log_to", replay->log_to);
    }
    if (replay->has_input_rows) {
        textout_u64_member(stdout, false, "inputs_to", replay->inputs_to);
    }
    if (replay->has_reached) {
        hash_member(false, "root", replay->root);
    }
    if (replay->has_bad) {
        textout_u64_member(stdout, false, "bad_tick_of_log", replay->bad_tick);
    }
    fputc('}', stdout);
}

void diff_bundle_json(Showing *showing, const char *verdict)
{
    const BundleRead *bundle = showing->bundle;
    json_head(bundle, verdict);
    json_side("server", &bundle->server, &showing->server);
    json_side("client", &bundle->client, &showing->client);
    json_states(showing);
    json_replay(showing);
    textout_bool_member(stdout, false, "says_otherwise", diff_bundle_says_otherwise(showing));
    fputs("}\n", stdout);
}

void diff_bundle_json_raw(const BundleRead *bundle, const BundleRaw *raw)
{
    json_head(bundle, tp_verdict_name(TP_INCOMPATIBLE));
    json_side("server", &bundle->server, NULL);
    json_side("client", &bundle->client, NULL);
    if (raw->has_both && !raw->is_equal) {
        textout_u64_member(stdout, false, "byte", raw->at);
    }
    fputs("}\n", stdout);
}

// diff_bundle_text.c: a bundle for people.
#include <string.h>

#include "diff_bundle.h"
#include "textout.h"

static void print_safe(const char *text)
{
    textout_safe(stdout, text, strlen(text));
}

static void print_hash(tp_hash128 hash)
{
    uint8_t bytes[16];
    tp_hash128_to_bytes(hash, bytes);
    textout_hex(stdout, bytes, sizeof(bytes));
}

static void print_head(const BundleRead *bundle)
{
    const tp_ident *ident = bundle->ident;
    fputs("bundle: room '", stdout);
    print_safe(bundle->room);
    printf("', tick %llu, ", (unsigned long long)bundle->tick);
    if (bundle->has_slot) {
        printf("slot %llu", (unsigned long long)bundle->slot);
    } else {
        fputs("a watcher", stdout);
    }
    if (bundle->address != NULL) {
        fputs(" at ", stdout);
        print_safe(bundle->address);
    }
    fputs(", policy ", stdout);
    print_safe(bundle->policy != NULL ? bundle->policy : "unknown");
    printf(", log durable up to tick %llu\n", (unsigned long long)bundle->durable);
    printf("world: %s revision %u, seed %llu, players %u, %u Hz, rules ", ident->world, ident->revision, (unsigned long long)ident->seed,
           ident->players, ident->tick_rate_hz);
    print_hash(ident->rules.id);
    fputc('\n', stdout);
}

static void print_side(const char *who, const BundleReadSide *side, const BundleLook *look)
{
    printf("%s: root ", who);
    print_hash(side->claimed);
    printf(", %s", side->file != NULL ? side->file : "no state");
    if (side->file == NULL && side->why != NULL) {
        fputs(" (", stdout);
        print_safe(side->why);
        fputc(')', stdout);
    }
    if (side->build != NULL) {
        fputs(", build ", stdout);
        print_safe(side->build);
    }
    if (look != NULL && look->why[0] != '\0') {
        printf("\n  its bytes are no state of this world: ");
        print_safe(look->why);
    }
    if (look != NULL && look->has_leaves && !look->is_reported) {
        printf("\n  its state is not the one it reported: state and leaves come to root ");
        print_hash(look->root);
    }
    fputc('\n', stdout);
}

static void print_difference(void *to, const tp_difference *difference)
{
    Showing *showing = to;
    showing->printed += 1;
    printf("  %s: %s on the server, %s on the client\n", difference->place, difference->left, difference->right);
}

static void print_states(Showing *showing)
{
    const BundleFinding *finding = &showing->finding;
    if (!finding->has_states) {
        printf("states: not compared, the %s is not there\n", showing->server.state == NULL ? "server's" : "client's");
        return;
    }
    if (finding->count == 0) {
        printf("states: equal\n");
        return;
    }
    bool is_one = finding->count == 1;
    printf("states: %llu %s%s differ%s, first in section '%s'\n", (unsigned long long)finding->count, finding->first.field != NULL ? "field" : "byte",
           is_one ? "" : "s", is_one ? "s" : "", bundle_section(showing->layout, &finding->first));
    bundle_differences(showing->layout, &showing->server, &showing->client, diff_bundle_limit(showing), print_difference, showing);
    if (finding->count > showing->printed) {
        printf("  and %llu more; --limit 0 prints all\n", (unsigned long long)(finding->count - showing->printed));
    }
}

static void print_leaf(const char *name, bool is_first)
{
    printf("%s%s", is_first ? "leaves that differ: " : ", ", name);
}

static void print_leaves(const Showing *showing)
{
    fputs(diff_bundle_each_bad_leaf(showing, print_leaf) ? "\n" : "", stdout);
}

static void print_here(const Showing *showing, const char *who, const BundleLook *side)
{
    BundleFinding finding = bundle_find(showing->layout, side, &showing->here);
    if (!finding.has_states) {
        return;
    }
    if (finding.count == 0) {
        printf("  the %s state is the one here; its inputs or events are not\n", who);
    } else {
        printf("  %s is %s in the %s state and %s here, first of %llu\n", finding.first.place, finding.first.left, who, finding.first.right,
               (unsigned long long)finding.count);
    }
}

static void print_replay(const Showing *showing)
{
    const BundleReplay *replay = &showing->replay;
    fputs("re-simulation: ", stdout);
    if (replay->has_log_rows) {
        printf("log.tpr to tick %llu, ", (unsigned long long)replay->log_to);
    }
    if (replay->has_input_rows) {
        printf("inputs.jsonl to tick %llu, ", (unsigned long long)replay->inputs_to);
    }
    if (!replay->has_reached) {
        printf("does not reach the bad tick: %s\n", replay->why);
    } else if (showing->agrees == AGREES_BOTH) {
        printf("agrees with both\n");
    } else if (showing->agrees == AGREES_NEITHER) {
        printf("agrees with neither\n");
        print_here(showing, "server's", &showing->server);
        print_here(showing, "client's", &showing->client);
    } else {
        printf("agrees with the %s\n", diff_bundle_agrees_name(showing->agrees));
    }
    if (replay->has_bad) {
        printf("  the server's own log is of other roots than here from tick %llu on; 'tickproof verify' on log.tpr says more\n",
               (unsigned long long)replay->bad_tick);
    }
}

void diff_bundle_print(Showing *showing)
{
    const BundleRead *bundle = showing->bundle;
    print_head(bundle);
    print_side("server", &bundle->server, &showing->server);
    print_side("client", &bundle->client, &showing->client);
    print_states(showing);
    print_leaves(showing);
    print_replay(showing);
    if (diff_bundle_says_otherwise(showing)) {
        printf("note: bundle.json tells of another difference; what stands above was derived from the states\n");
    }
}

void diff_bundle_print_raw(const BundleRead *bundle, const BundleRaw *raw)
{
    print_head(bundle);
    print_side("server", &bundle->server, NULL);
    print_side("client", &bundle->client, NULL);
    if (raw->is_equal) {
        printf("states: equal\n");
    } else if (raw->has_both) {
        printf("states: byte %zu is the first that differs, of %zu on the server and %zu on the client\n", raw->at, bundle->server.size,
               bundle->client.size);
    }
}

// cmd_diff.c: `tickproof diff`: where two logs, or two states out of logs, come apart. What it does with a desync bundle is diff_bundle.h.
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "args.h"
#include "cli.h"
#include "diff_bundle.h"
#include "resim.h"
#include "textout.h"

static const char help[] =
    "Usage: tickproof diff [--limit N] [--world W]... A.tpr B.tpr\n"
    "       tickproof diff [--limit N] [--world W]... A.tpr@TICK B.tpr@TICK\n"
    "       tickproof diff [--limit N] [--world W]... [--format F] BUNDLE\n"
    "Compares two logs: their rules in words, the first tick whose inputs differ, the first tick whose recorded roots differ,\n"
    "and, where their world is here, the first tick whose states differ when both run side by side, with section, field\n"
    "and both values. With @TICK the two states with that many steps done are compared, field by field.\n"
    "Provenance and the origin of inputs are mentioned, but two logs that differ in nothing else are equal.\n"
    "The exit code is 0 for equal, 1 for different.\n"
    "\n"
    "BUNDLE is the directory that a server leaves when a client came to another state (ROOM.tickT.slotS.desync), or its bundle.json.\n"
    "Its files are held against their hashes; section, fields and values are derived from both states, and its log runs up to the bad\n"
    "tick to say which side agrees with this machine: server, client, both or neither. The exit code is 1; 3 for a damaged bundle,\n"
    "6 when its world is not here (then only the first differing byte is known), 2 for a directory that is no bundle.\n"
    "\n"
    "  --limit N   differing fields to print, 0 for all; 20 when not given\n"
    "  --world W   a library with the logs' world; may be repeated\n"
    "  --format F  of a bundle: text (usual) or json, one object in one line\n";

enum { FLAG_LIMIT = ARGS_LONG, FLAG_WORLD, FLAG_FORMAT };

static const struct option flags[] = {
    { "limit", required_argument, NULL, FLAG_LIMIT },
    { "world", required_argument, NULL, FLAG_WORLD },
    { "format", required_argument, NULL, FLAG_FORMAT },
    { "help", no_argument, NULL, ARGS_HELP },
    { NULL, 0, NULL, 0 },
};

typedef struct {
    Resim    a, b;
    WorldSet worlds;
    uint32_t limit;
    uint32_t printed;
    bool     is_different;
    bool     is_same_shape;  // rows can be held against each other
    bool     is_stepping;    // both sims run
    bool     has_inputs, has_origins, has_roots, has_states; // the first difference was told
} Diff;

static void differ(Diff *diff, const char *what)
{
    diff->is_different = true;
    printf("%s\n", what);
}

static void compare_number(Diff *diff, const char *name, uint64_t a, uint64_t b)
{
    char text[160];
    if (a != b) {
        snprintf(text, sizeof(text), "rules: %s is %llu in A and %llu in B", name, (unsigned long long)a, (unsigned long long)b);
        differ(diff, text);
    }
}

static void compare_config(Diff *diff, const tp_ident *a, const tp_ident *b)
{
    char text[256];
    if (a->config_count != b->config_count) {
        compare_number(diff, "number of config items", a->config_count, b->config_count);
        return;
    }
    for (uint32_t i = 0; i < a->config_count; i++) {
        if (strcmp(a->config_names[i], b->config_names[i]) != 0) {
            snprintf(text, sizeof(text), "rules: config item %u is '%s' in A and '%s' in B", i, a->config_names[i], b->config_names[i]);
            differ(diff, text);
        } else if (a->config_values[i] != b->config_values[i]) {
            snprintf(text, sizeof(text), "rules: config '%s' is %lld in A and %lld in B", a->config_names[i], (long long)a->config_values[i],
                     (long long)b->config_values[i]);
            differ(diff, text);
        }
    }
}

static void compare_content(Diff *diff, const tp_ident *a, const tp_ident *b)
{
    char text[160];
    for (uint32_t i = 0; i < a->content_count && i < b->content_count; i++) {
        if (strcmp(a->content_names[i], b->content_names[i]) != 0 || memcmp(a->content_hashes[i], b->content_hashes[i], 16) != 0) {
            snprintf(text, sizeof(text), "rules: content '%s' is another one", a->content_names[i]);
            differ(diff, text);
        }
    }
    compare_number(diff, "number of content items", a->content_count, b->content_count);
}

static void compare_rules(Diff *diff)
{
    const tp_ident *a = diff->a.ident;
    const tp_ident *b = diff->b.ident;
    char            text[256];
    if (strcmp(a->world, b->world) != 0) {
        snprintf(text, sizeof(text), "rules: world is '%s' in A and '%s' in B", a->world, b->world);
        differ(diff, text);
    }
    compare_number(diff, "world revision", a->revision, b->revision);
    compare_number(diff, "world ABI", a->abi, b->abi);
    compare_number(diff, "seed", a->seed, b->seed);
    compare_number(diff, "number of players", a->players, b->players);
    compare_number(diff, "tick rate", a->tick_rate_hz, b->tick_rate_hz);
    compare_number(diff, "size of an input", a->input_size, b->input_size);
    compare_number(diff, "hash algorithm", a->algorithm, b->algorithm);
    compare_number(diff, "sequence number", a->sequence, b->sequence);
    compare_number(diff, "first tick", a->first_tick, b->first_tick);
    if (!tp_hash128_equal(a->fingerprint, b->fingerprint) && a->algorithm == b->algorithm) {
        differ(diff, "rules: the layouts of the worlds differ in names, types or counts");
    }
    compare_config(diff, a, b);
    compare_content(diff, a, b);
    diff->is_same_shape = strcmp(a->world, b->world) == 0 && a->players == b->players && a->input_size == b->input_size && a->first_tick == b->first_tick;
    if (a->provenance_size != b->provenance_size || memcmp(a->provenance, b->provenance, a->provenance_size) != 0) {
        printf("provenance: the logs were recorded by different builds or for different matches; 'tickproof info' shows them\n");
    }
}

static bool is_same_input(const tp_log_row *a, const tp_log_row *b, const tp_ident *ident)
{
    size_t presence = (ident->players + 7) / 8;
    size_t inputs = (size_t)ident->players * ident->input_size;
    return memcmp(a->presence, b->presence, presence) == 0 && memcmp(a->inputs, b->inputs, inputs) == 0 &&
           a->command_count == b->command_count && a->commands_size == b->commands_size &&
           (a->commands_size == 0 || memcmp(a->commands, b->commands, a->commands_size) == 0);
}

static void compare_rows(Diff *diff, const tp_log_row *a, const tp_log_row *b)
{
    char     text[160];
    uint32_t root_size = a->root_size < b->root_size ? a->root_size : b->root_size;
    if (!diff->has_inputs && !is_same_input(a, b, diff->a.ident)) {
        diff->has_inputs = true;
        snprintf(text, sizeof(text), "inputs: first differ at tick %llu", (unsigned long long)a->tick);
        differ(diff, text);
    }
    if (!diff->has_origins && memcmp(a->origins, b->origins, (diff->a.ident->players + 3) / 4) != 0) {
        diff->has_origins = true;
        printf("origins: first differ at tick %llu\n", (unsigned long long)a->tick);
    }
    // Rules are in every root, so with other rules the recorded roots say nothing.
    bool has_same_rules = tp_hash128_equal(diff->a.ident->rules.id, diff->b.ident->rules.id);
    if (!diff->has_roots && has_same_rules && memcmp(a->root, b->root, root_size) != 0) {
        diff->has_roots = true;
        snprintf(text, sizeof(text), "roots: first differ at tick %llu", (unsigned long long)a->tick);
        differ(diff, text);
    }
}

static bool print_difference(void *to, const tp_difference *difference)
{
    Diff *diff = to;
    diff->is_different = true;
    if (diff->limit == 0 || diff->printed < diff->limit) {
        diff->printed += 1;
        printf("  %s: %s in A, %s in B\n", difference->place, difference->left, difference->right);
    }
    return true;
}

static void print_bytes_difference(Diff *diff, const uint8_t *a, size_t a_size, const uint8_t *b, size_t b_size)
{
    size_t at = 0;
    while (at < a_size && at < b_size && a[at] == b[at]) {
        at++;
    }
    diff->is_different = true;
    printf("  byte %zu of %zu in A and %zu in B\n", at, a_size, b_size);
}

static uint8_t *encode(const Resim *resim, size_t *size)
{
    size_t   capacity = tp_sim_encoded_max(resim->sim);
    uint8_t *bytes = malloc(capacity + 1);
    if (bytes != NULL && tp_sim_encode(resim->sim, bytes, capacity, size)) {
        return bytes;
    }
    free(bytes);
    return NULL;
}

static void print_all_differences(Diff *diff, const uint8_t *a, size_t a_size, const uint8_t *b, size_t b_size)
{
    const tp_layout *layout = tp_sim_layout(diff->a.sim);
    bool             is_same_layout = diff->a.world == diff->b.world && tp_layout_names(layout, a_size) && a_size == b_size &&
                          tp_hash128_equal(tp_layout_fingerprint(layout, TP_HASH_XXH3), tp_layout_fingerprint(tp_sim_layout(diff->b.sim), TP_HASH_XXH3));
    if (!is_same_layout) {
        print_bytes_difference(diff, a, a_size, b, b_size);
        return;
    }
    uint64_t count = tp_layout_differences(layout, a, b, print_difference, diff);
    if (count > diff->printed) {
        printf("  and %llu more fields; --limit 0 prints all\n", (unsigned long long)(count - diff->printed));
    }
}

// False when the states could not be encoded. `title` is printed before the first difference.
static bool compare_states(Diff *diff, const char *title)
{
    size_t   a_size = 0;
    size_t   b_size = 0;
    uint8_t *a = encode(&diff->a, &a_size);
    uint8_t *b = encode(&diff->b, &b_size);
    bool     is_there = a != NULL && b != NULL;
    if (is_there && (a_size != b_size || memcmp(a, b, a_size) != 0)) {
        diff->has_states = true;
        printf("%s\n", title);
        print_all_differences(diff, a, a_size, b, b_size);
    }
    free(a);
    free(b);
    return is_there;
}

static bool compare_tick(Diff *diff)
{
    char title[96];
    if (!diff->is_stepping || diff->has_states) {
        return true;
    }
    snprintf(title, sizeof(title), "states: first differ after the step of tick %llu", (unsigned long long)tp_sim_tick(diff->a.sim) - 1);
    return compare_states(diff, title) || cli_fail(TP_INTERNAL, "diff: encoding a state: out of memory, or the world cannot save itself") == 0;
}

// Two logs that begin behind tick 0 stand at their first KEY, and may hold nothing but that: states of a bundle do.
static bool compare_last(Diff *diff, ResimResult a, ResimResult b)
{
    bool is_bare = tp_reader_ticks(diff->a.reader) == 0 && tp_reader_ticks(diff->b.reader) == 0;
    if (a != RESIM_END || b != RESIM_END || !is_bare || !diff->is_stepping || tp_sim_tick(diff->a.sim) == 0) {
        return true;
    }
    return compare_tick(diff);
}

static void compare_ends(Diff *diff, ResimResult a, ResimResult b, const tp_log_row *row_a, const tp_log_row *row_b)
{
    char text[160];
    if (a == b) {
        if (a == RESIM_FAULT && !is_same_input(row_a, row_b, diff->a.ident)) {
            differ(diff, "inputs: differ at the tick of the fault");
        }
        return;
    }
    const char *names[] = { "goes on", "ends in a fault", "ends" };
    uint64_t    next_a = tp_reader_next_tick(diff->a.reader);
    uint64_t    next_b = tp_reader_next_tick(diff->b.reader);
    snprintf(text, sizeof(text), "length: at tick %llu A %s and B %s", (unsigned long long)(next_a < next_b ? next_a : next_b), names[a], names[b]);
    differ(diff, text);
}

// Both logs row by row. Returns the exit code of a failure, else 0.
static int walk(Diff *diff)
{
    tp_log_row row_a = { 0 };
    tp_log_row row_b = { 0 };
    for (;;) {
        ResimResult a = resim_next(&diff->a, &row_a);
        ResimResult b = resim_next(&diff->b, &row_b);
        if (a == RESIM_FAILED || b == RESIM_FAILED) {
            return a == RESIM_FAILED ? diff->a.code : diff->b.code;
        }
        if (a != RESIM_ROW || b != RESIM_ROW) {
            compare_ends(diff, a, b, &row_a, &row_b);
            return compare_last(diff, a, b) ? TP_VERIFIED : TP_INTERNAL;
        }
        if (row_a.tick != row_b.tick) {
            differ(diff, "length: one of the logs has a gap where the other has none");
            return TP_VERIFIED;
        }
        compare_rows(diff, &row_a, &row_b);
        if (!compare_tick(diff)) {
            return TP_INTERNAL;
        }
    }
}

static void start_stepping(Diff *diff)
{
    tp_error error;
    if (!resim_find_world(&diff->a, &diff->worlds, &error) || !resim_find_world(&diff->b, &diff->worlds, &error)) {
        printf("states: not compared: %s\n", error.text);
        tp_sim_destroy(diff->a.sim);
        diff->a.sim = NULL;
        return;
    }
    diff->is_stepping = true;
    compare_states(diff, "states: differ before the first tick");
}

static int diff_logs(Diff *diff, const char *a, const char *b)
{
    if (!resim_open(&diff->a, a)) {
        return diff->a.code;
    }
    if (!resim_open(&diff->b, b)) {
        return diff->b.code;
    }
    compare_rules(diff);
    if (!diff->is_same_shape) {
        printf("ticks: not compared, the logs are not of one shape\n");
        return TP_DIVERGED;
    }
    start_stepping(diff);
    int code = walk(diff);
    if (code != TP_VERIFIED) {
        return code;
    }
    if (!diff->is_different) {
        printf("equal: %llu ticks\n", (unsigned long long)tp_reader_ticks(diff->a.reader));
    }
    return diff->is_different ? TP_DIVERGED : TP_VERIFIED;
}

static bool open_state(Diff *diff, Resim *resim, const char *path, uint64_t tick)
{
    return resim_open(resim, path) && resim_make_sim(resim, &diff->worlds) && resim_go_to(resim, tick);
}

static int diff_states(Diff *diff, const char *a, uint64_t a_tick, const char *b, uint64_t b_tick)
{
    if (!open_state(diff, &diff->a, a, a_tick)) {
        return diff->a.code;
    }
    if (!open_state(diff, &diff->b, b, b_tick)) {
        return diff->b.code;
    }
    if (!compare_states(diff, "states differ:")) {
        return cli_fail(TP_INTERNAL, "diff: encoding a state: out of memory, or the world cannot save itself");
    }
    if (!diff->is_different) {
        printf("equal states\n");
    }
    return diff->is_different ? TP_DIVERGED : TP_VERIFIED;
}

// Cuts "@TICK" off. A file whose own name ends so comes first.
static bool split_tick(char *operand, uint64_t *tick)
{
    char *at = strrchr(operand, '@');
    if (at == NULL || access(operand, F_OK) == 0 || !args_parse_u64(at + 1, tick)) {
        return false;
    }
    *at = '\0';
    return true;
}

static bool is_sidecar(const char *path)
{
    size_t size = strlen(path);
    return size > 4 && strcmp(path + size - 4, ".tpt") == 0;
}

static int diff_operands(Diff *diff, char *a, char *b)
{
    if (is_sidecar(a) || is_sidecar(b)) {
        return cli_usage("diff", "sidecars are held against each other, and against logs, by 'tickproof compare %s %s'", a, b);
    }
    uint64_t a_tick = 0;
    uint64_t b_tick = 0;
    bool     has_a = split_tick(a, &a_tick);
    bool     has_b = split_tick(b, &b_tick);
    if (has_a != has_b) {
        return cli_usage("diff", "give @TICK for both logs or for none");
    }
    diff->a.file.fd = diff->b.file.fd = -1;
    int code = has_a ? diff_states(diff, a, a_tick, b, b_tick) : diff_logs(diff, a, b);
    resim_finish(&diff->a);
    resim_finish(&diff->b);
    return code;
}

static int run(int argc, char **argv)
{
    static Diff diff;
    bool        is_json = false;
    bool        has_format = false;
    diff.limit = 20;
    for (int flag = args_next("diff", argc, argv, ":h", flags); flag != ARGS_END; flag = args_next("diff", argc, argv, ":h", flags)) {
        bool is_fine = false;
        switch (flag) {
        case ARGS_HELP: fputs(help, stdout); return TP_VERIFIED;
        case FLAG_LIMIT: is_fine = args_u32("--limit", optarg, 0, UINT32_MAX, &diff.limit); break;
        case FLAG_WORLD: is_fine = worlds_add(&diff.worlds, optarg) != NULL; break;
        case FLAG_FORMAT: is_fine = has_format = args_is_json(optarg, &is_json); break;
        default: break;
        }
        if (!is_fine) {
            return TP_USAGE;
        }
    }
    if (optind + 1 == argc && diff_bundle_is(argv[optind])) {
        return diff_bundle(argv[optind], &diff.worlds, diff.limit, is_json);
    }
    if (optind + 2 != argc) {
        return cli_usage("diff", "it takes two logs, or one bundle");
    }
    if (has_format) {
        return cli_usage("diff", "--format is for a bundle; two logs are compared in text");
    }
    return diff_operands(&diff, argv[optind], argv[optind + 1]);
}

const Command command_diff = { "diff", "find where two logs or states come apart", help, run };

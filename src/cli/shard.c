// shard.c: groups of files that must stay together, and who gets which.
#include "shard.h"

#include <sodium.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "args.h"
#include "cli.h"
#include "series.h"

struct ShardListHash {
    crypto_generichash_state state;
};

// Files that stay together; a file alone is one, too.
typedef struct {
    uint64_t size;
    uint32_t first; // index of its first file
} Group;

typedef struct {
    const PathList *paths;
    ShardPlan      *plan;
    SeriesItem     *items; // those of a series and those that one may begin with
    size_t          item_count;
    uint32_t       *leaders; // of each file: one before it in its group, or itself
    Group          *groups;
    size_t          group_count;
} Planner;

bool shard_parse(const char *text, Shard *shard)
{
    char        number[16] = "";
    const char *slash = strchr(text, '/');
    uint64_t    values[2] = { 0 };
    if (slash != NULL && (size_t)(slash - text) < sizeof(number)) {
        memcpy(number, text, (size_t)(slash - text));
    }
    if (!args_parse_u64(number, &values[0]) || !args_parse_u64(slash + 1, &values[1]) || values[0] < 1 || values[0] > values[1] || values[1] > SHARDS_MAX) {
        cli_fail(TP_USAGE, "--shard: '%s' is no part of a whole: give I/N with I from 1 to N, and N at most %d", text, SHARDS_MAX);
        return false;
    }
    *shard = (Shard){ .number = (uint32_t)values[0], .count = (uint32_t)values[1] };
    return true;
}

ShardListHash *shard_list_begin(void)
{
    ShardListHash *hash = malloc(sizeof(*hash));
    if (hash != NULL) {
        crypto_generichash_init(&hash->state, NULL, 0, SHARD_HASH_SIZE);
    }
    return hash;
}

void shard_list_add(ShardListHash *hash, const char *path, uint64_t size)
{
    uint8_t bytes[8];
    for (int i = 0; i < 8; i++) {
        bytes[i] = (uint8_t)(size >> (8 * i));
    }
    crypto_generichash_update(&hash->state, (const uint8_t *)path, strlen(path) + 1);
    crypto_generichash_update(&hash->state, bytes, sizeof(bytes));
}

void shard_list_end(ShardListHash *hash, uint8_t list[SHARD_HASH_SIZE])
{
    crypto_generichash_final(&hash->state, list, SHARD_HASH_SIZE);
    free(hash);
}

static uint32_t leader_of(uint32_t *leaders, uint32_t index)
{
    while (leaders[index] != index) {
        leaders[index] = leaders[leaders[index]];
        index = leaders[index];
    }
    return index;
}

// The earlier file leads, so that groups have an order of their own.
static void join(uint32_t *leaders, uint32_t a, uint32_t b)
{
    uint32_t one = leader_of(leaders, a);
    uint32_t other = leader_of(leaders, b);
    leaders[one < other ? other : one] = one < other ? one : other;
}

static void look_into(Planner *planner, uint32_t index)
{
    LogFile           file;
    tp_error          error;
    struct stat       status;
    tp_reader_options options = { .skip_chain = true };
    tp_reader        *reader = NULL;
    const char       *path = planner->paths->items[index];
    // A pipe can be read only once, and that is not now.
    if (stat(path, &status) != 0 || !S_ISREG(status.st_mode)) {
        return;
    }
    planner->plan->sizes[index] = (uint64_t)status.st_size;
    if (!files_open_log(&file, path, &error)) {
        return;
    }
    tp_reader_open(&file.source, &options, &reader);
    const tp_ident *ident = reader == NULL ? NULL : tp_reader_ident(reader);
    if (ident != NULL) {
        planner->items[planner->item_count++] = (SeriesItem){ .rules_id = ident->rules.id, .sequence = ident->sequence, .index = index };
    }
    tp_reader_close(reader);
    files_close_log(&file);
}

// Each file is joined with all that may stand before it, whether they do or not: that takes more than the heads to find out.
static void join_series(Planner *planner)
{
    series_sort(planner->items, planner->item_count);
    for (size_t i = 0; i < planner->item_count; i++) {
        const SeriesItem *item = &planner->items[i];
        size_t            found = 0;
        const SeriesItem *before =
            item->sequence == 0 ? NULL : series_find(planner->items, planner->item_count, &item->rules_id, item->sequence - 1, &found);
        bool is_first = item->sequence > 0 && (i == 0 || item[-1].sequence != item->sequence || !tp_hash128_equal(item[-1].rules_id, item->rules_id));
        // One of equals is joined with all before it, the others with that one.
        for (size_t k = 0; is_first && k < found; k++) {
            join(planner->leaders, item->index, before[k].index);
        }
        if (item->sequence > 0 && !is_first) {
            join(planner->leaders, item->index, item[-1].index);
        }
    }
}

static int larger_first(const void *a, const void *b)
{
    const Group *left = a;
    const Group *right = b;
    if (left->size != right->size) {
        return left->size > right->size ? -1 : 1;
    }
    return left->first < right->first ? -1 : left->first > right->first;
}

static void gather_groups(Planner *planner)
{
    ShardPlan *plan = planner->plan;
    uint32_t  *places = malloc(plan->count * sizeof(*places)); // of a leader's group
    for (uint32_t i = 0; places != NULL && i < plan->count; i++) {
        uint32_t leader = leader_of(planner->leaders, i);
        if (leader == i) {
            places[i] = (uint32_t)planner->group_count;
            planner->groups[planner->group_count++] = (Group){ .first = i };
        }
        // A leader comes first, so its place is known.
        planner->groups[places[leader]].size += plan->sizes[i];
    }
    free(places);
}

static void deal(Planner *planner, uint32_t shard_count)
{
    static uint64_t loads[SHARDS_MAX];
    static uint32_t counts[SHARDS_MAX];
    memset(loads, 0, sizeof(loads));
    memset(counts, 0, sizeof(counts));
    qsort(planner->groups, planner->group_count, sizeof(*planner->groups), larger_first);
    for (size_t i = 0; i < planner->group_count; i++) {
        uint32_t least = 0;
        // Files of no size are dealt out by number.
        for (uint32_t k = 1; k < shard_count; k++) {
            bool is_less = loads[k] < loads[least] || (loads[k] == loads[least] && counts[k] < counts[least]);
            least = is_less ? k : least;
        }
        loads[least] += planner->groups[i].size;
        counts[least]++;
        planner->plan->shards[planner->groups[i].first] = (uint16_t)(least + 1);
    }
}

static bool make_plan(Planner *planner, uint32_t shard_count)
{
    ShardPlan     *plan = planner->plan;
    ShardListHash *list = shard_list_begin();
    if (list == NULL) {
        return false;
    }
    for (uint32_t i = 0; i < plan->count; i++) {
        planner->leaders[i] = i;
        look_into(planner, i);
        shard_list_add(list, planner->paths->items[i], plan->sizes[i]);
    }
    shard_list_end(list, plan->list);
    join_series(planner);
    gather_groups(planner);
    deal(planner, shard_count);
    for (uint32_t i = 0; i < plan->count; i++) {
        plan->shards[i] = plan->shards[leader_of(planner->leaders, i)];
    }
    return planner->group_count > 0;
}

bool shard_plan(ShardPlan *plan, const PathList *paths, uint32_t shard_count)
{
    Planner planner = { .paths = paths, .plan = plan };
    if (paths->count > SHARD_FILES_MAX) {
        cli_fail(TP_USAGE, "verify: %zu files are more than the %d that a batch may have", paths->count, SHARD_FILES_MAX);
        return false;
    }
    *plan = (ShardPlan){ .count = paths->count };
    plan->sizes = calloc(paths->count, sizeof(*plan->sizes));
    plan->shards = calloc(paths->count, sizeof(*plan->shards));
    planner.items = calloc(paths->count, sizeof(*planner.items));
    planner.leaders = calloc(paths->count, sizeof(*planner.leaders));
    planner.groups = calloc(paths->count, sizeof(*planner.groups));
    bool is_fine = plan->sizes != NULL && plan->shards != NULL && planner.items != NULL && planner.leaders != NULL && planner.groups != NULL &&
                   make_plan(&planner, shard_count);
    free(planner.items);
    free(planner.leaders);
    free(planner.groups);
    if (!is_fine) {
        shard_plan_finish(plan);
        cli_fail(TP_INTERNAL, "verify: out of memory");
    }
    return is_fine;
}

void shard_plan_finish(ShardPlan *plan)
{
    free(plan->sizes);
    free(plan->shards);
    *plan = (ShardPlan){ 0 };
}

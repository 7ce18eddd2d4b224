// realm_oracle_draw.c: options and schedules from a seed, and how a failing schedule becomes short.
#include "realm_oracle_run.h"

#include "realm_place.h"

static const uint8_t op_weights[ORACLE_OP_COUNT] = {
#define ORACLE_WEIGHT(name, weight) weight,
    ORACLE_OP_LIST(ORACLE_WEIGHT)
#undef ORACLE_WEIGHT
};

static void draw_land(OracleOptions *options, tp_pcg32 *dice)
{
    // Most lands are small, so that what happens meets.
    uint32_t most = tp_pcg32_below(dice, 12) == 0 ? LAND_SIDE_MAX : 3;
    options->width = 1 + tp_pcg32_below(dice, most);
    options->height = 2 + tp_pcg32_below(dice, most - 1);
    uint32_t where = tp_pcg32_below(dice, 6);
    options->origin_x = where == 0 ? 0 : where == 1 ? REALM_WORLD_MAX - options->width : 100 + tp_pcg32_below(dice, 2);
    options->origin_y = where == 0 ? 0 : where == 1 ? REALM_WORLD_MAX - options->height : 100 + tp_pcg32_below(dice, 2);
}

// Half as much again as any schedule was seen to need: what is free is checked after every call as well, and that takes the time.
static RigSizes roomy_sizes(const OracleOptions *options)
{
    RigSizes sizes = rig_small();
    int64_t  area = (int64_t)options->width * options->height;
    sizes.items[REALM_CONFIG_BLOCKS] = (int64_t)(options->width + 2) * (options->height + 2);
    sizes.items[REALM_CONFIG_RESIDENTS] = area;
    sizes.items[REALM_CONFIG_LEAVES] = 26;
    sizes.items[REALM_CONFIG_CELLS] = 100;
    sizes.items[REALM_CONFIG_BUILDINGS] = 20;
    sizes.items[REALM_CONFIG_DYNAMICS] = MODEL_OWNERS_MAX;
    sizes.items[REALM_CONFIG_OWNERS] = MODEL_OWNERS_MAX + 115;
    sizes.items[REALM_CONFIG_MEMBERS] = 220;
    sizes.items[REALM_CONFIG_SETS] = 150;
    sizes.items[REALM_CONFIG_ROWS] = 1600;
    sizes.items[REALM_CONFIG_DRAFTS] = 6;
    sizes.items[REALM_CONFIG_JOURNAL] = 64;
    return sizes;
}

// A few pools are cut down to where they run out, some of them to nearly nothing.
static void tighten(OracleOptions *options, tp_pcg32 *dice)
{
    static const struct { RealmConfig item; int64_t least; } cuts[] = {
        { REALM_CONFIG_RESIDENTS, 1 }, { REALM_CONFIG_LEAVES, 2 }, { REALM_CONFIG_CELLS, 3 }, { REALM_CONFIG_BUILDINGS, 1 },
        { REALM_CONFIG_DYNAMICS, 3 }, { REALM_CONFIG_OWNERS, MODEL_OWNERS_MAX + 4 }, { REALM_CONFIG_MEMBERS, 10 },
        { REALM_CONFIG_SETS, 10 }, { REALM_CONFIG_SETS, 24 }, { REALM_CONFIG_ROWS, 40 }, { REALM_CONFIG_ROWS, 160 },
        { REALM_CONFIG_DRAFTS, 1 } };
    int64_t *items = options->sizes.items;
    uint32_t count = tp_pcg32_below(dice, 3);
    uint32_t slots = 1 + tp_pcg32_below(dice, 8);
    if (count == 0 || tp_pcg32_below(dice, 2) == 0) {
        items[REALM_CONFIG_JOURNAL] = slots;
    }
    for (uint32_t i = 0; i < count; i++) {
        uint32_t k = tp_pcg32_below(dice, (uint32_t)(sizeof(cuts) / sizeof(cuts[0])));
        int64_t  cut = items[cuts[k].item] >> (1 + tp_pcg32_below(dice, 4));
        items[cuts[k].item] = cut > cuts[k].least ? cut : cuts[k].least;
    }
    if (items[REALM_CONFIG_LEAVES] < items[REALM_CONFIG_DRAFTS]) {
        items[REALM_CONFIG_DRAFTS] = items[REALM_CONFIG_LEAVES];
    }
}

OracleOptions oracle_options(uint64_t seed)
{
    tp_pcg32      dice = tp_pcg32_make(seed, 1);
    OracleOptions options = { .seed = seed };
    draw_land(&options, &dice);
    options.sizes = roomy_sizes(&options);
    options.steps = 60 + tp_pcg32_below(&dice, 141);
    options.is_tight = tp_pcg32_below(&dice, 3) == 0;
    options.is_audited = tp_pcg32_below(&dice, 8) == 0;
    options.sizes.items[REALM_CONFIG_ABANDON_TICKS] = 20 + tp_pcg32_below(&dice, 120);
    if (options.is_tight) {
        tighten(&options, &dice);
    }
    return options;
}

void oracle_print(const OracleOptions *options)
{
    const int64_t *items = options->sizes.items;
    fprintf(stderr, "seed %llu: %u x %u landblocks from %u,%u, %u steps%s%s;", (unsigned long long)options->seed, options->width, options->height,
            options->origin_x, options->origin_y, options->steps, options->is_tight ? ", tight" : "", options->is_audited ? ", audited" : "");
    fprintf(stderr, " blocks %d residents %d leaves %d cells %d buildings %d owners %d dynamics %d members %d sets %d rows %d drafts %d journal %d "
            "deadline %d\n", (int)items[0], (int)items[1], (int)items[2], (int)items[3], (int)items[4], (int)items[5], (int)items[6],
            (int)items[7], (int)items[8], (int)items[9], (int)items[10], (int)items[11], (int)items[12]);
}

static OracleOp draw_op(tp_pcg32 *dice)
{
    uint32_t sum = 0;
    for (uint32_t op = 0; op < ORACLE_OP_COUNT; op++) {
        sum += op_weights[op];
    }
    uint32_t rest = tp_pcg32_below(dice, sum);
    uint32_t op = 0;
    while (rest >= op_weights[op]) {
        rest -= op_weights[op];
        op++;
    }
    return (OracleOp)op;
}

static void draw_step(OracleStep *step, OracleOp op, tp_pcg32 *dice)
{
    step->op = (uint8_t)op;
    step->a = tp_pcg32_next(dice);
    step->b = tp_pcg32_next(dice);
    step->c = tp_pcg32_next(dice);
}

// The land is filled and peopled a little first: what comes and goes over an empty one shows nothing.
uint32_t oracle_draw(const OracleOptions *options, OracleStep steps[ORACLE_STEPS_MAX])
{
    tp_pcg32 dice = tp_pcg32_make(options->seed, 2);
    uint32_t first = 1 + tp_pcg32_below(&dice, options->width * options->height);
    uint32_t count = 0;
    for (; count < 2 * first && count < options->steps / 3; count += 2) {
        draw_step(&steps[count], ORACLE_BEGIN, &dice);
        draw_step(&steps[count + 1], tp_pcg32_below(&dice, 2) != 0 ? ORACLE_REGISTER : ORACLE_ADVANCE, &dice);
    }
    draw_step(&steps[count++], ORACLE_REST, &dice);
    steps[count - 1].a = 1;
    for (; count < options->steps; count++) {
        draw_step(&steps[count], draw_op(&dice), &dice);
    }
    return count;
}

uint32_t oracle_shrink(const OracleOptions *options, OracleStep *steps, uint32_t count)
{
    OracleCounts counts = { 0 };
    char         wrong[ORACLE_TEXT_SIZE];
    OracleStep   shorter[ORACLE_STEPS_MAX];
    for (uint32_t size = count / 2; size > 0; size = size > 1 ? (size + 1) / 2 : 0) {
        for (uint32_t at = 0; at + size <= count && count > size;) {
            memcpy(shorter, steps, at * sizeof(OracleStep));
            memcpy(shorter + at, steps + at + size, (count - at - size) * sizeof(OracleStep));
            if (oracle_run(options, shorter, count - size, false, &counts, wrong)) {
                at += size;
            } else {
                count -= size;
                memcpy(steps, shorter, count * sizeof(OracleStep));
            }
        }
    }
    return count;
}

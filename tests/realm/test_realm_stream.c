// Streaming: that the land follows the players, within its units, nearest first, and comes to nothing behind them; that commands do what they say;
// that both publishers make the same world.
#include <criterion/criterion.h>

#include <stdlib.h>
#include <string.h>

#include "realm_game.h"
#include "realm_generate.h"
#include "realm_offline.h"
#include "realm_place.h"
#include "realm_stream.h"
#include "realm_validate.h"

#include "tickproof/layout.h"

enum { COMMITS_MAX = 512 };

/// The world's own block, stepped by the engine and the stream alone: nobody plays.
typedef struct Stage {
    tp_layout      layout;
    tp_context     context;
    unsigned char *block, *before, *touched;
    RealmEngine    engine;
    RealmStream   *stream;
    uint32_t       events[REALM_EVENT_COUNT];
    uint16_t       commits[COMMITS_MAX]; ///< landblocks in the order in which they became active
    uint32_t       commit_count;
    uint64_t       work_units;
    uint32_t       validate_every; ///< ticks
    uint32_t       ticks;
} Stage;

typedef struct Sizes {
    int64_t items[REALM_CONFIG_COUNT];
} Sizes;

static bool emit(tp_context *context, uint32_t type, const void *data)
{
    Stage *stage = context->host;
    stage->events[type]++;
    if (type == REALM_EVENT_COMMITTED) {
        cr_assert_lt(stage->commit_count, COMMITS_MAX);
        stage->commits[stage->commit_count++] = realm_prefix(((const RealmBlockEvent *)data)->block);
    }
    return true;
}

static Sizes sizes_of(int64_t ring, int64_t work_units)
{
    Sizes sizes;
    for (uint32_t i = 0; i < REALM_CONFIG_COUNT; i++) {
        sizes.items[i] = realm_world.config[i].standard;
    }
    sizes.items[REALM_CONFIG_RING] = ring;
    sizes.items[REALM_CONFIG_WORK_UNITS] = work_units;
    return sizes;
}

static void stage_open(Stage *stage, Sizes sizes)
{
    *stage = (Stage){ .validate_every = 16, .work_units = (uint64_t)sizes.items[REALM_CONFIG_WORK_UNITS] };
    tp_error error = { "" };
    tp_setup setup = { .seed = 21, .players = 1, .tick_rate_hz = REALM_TICK_RATE_HZ, .config = sizes.items };
    cr_assert(tp_layout_init(&stage->layout, &realm_world, &setup, &error), "%s", error.text);
    stage->block = calloc(1, stage->layout.block_size);
    stage->before = calloc(1, stage->layout.block_size);
    stage->touched = calloc(1, stage->layout.block_size / TP_TOUCH_PAGE / 8 + 1);
    cr_assert(stage->block != NULL && stage->before != NULL && stage->touched != NULL);
    stage->context = tp_layout_context(&stage->layout);
    stage->context.emit = emit;
    stage->context.host = stage;
    stage->context.touched = stage->touched;
    stage->context.block = stage->block;
    stage->context.block_size = stage->layout.block_size;
    realm_world.init(stage->block, &stage->context);
    stage->engine = realm_engine_open(stage->block, &stage->context);
    stage->stream = tp_section_at(&stage->context, stage->block, REALM_SECTION_STREAM);
}

static void stage_close(Stage *stage)
{
    free(stage->block);
    free(stage->before);
    free(stage->touched);
}

// The first page that differs from before and that nobody has told of; UINT32_MAX: none.
static uint32_t untold_page(const Stage *stage)
{
    for (uint32_t page = 0; (size_t)page * TP_TOUCH_PAGE < stage->layout.block_size; page++) {
        size_t at = (size_t)page * TP_TOUCH_PAGE, rest = stage->layout.block_size - at;
        size_t size = rest < TP_TOUCH_PAGE ? rest : TP_TOUCH_PAGE;
        bool   is_told = (stage->touched[page / 8] >> page % 8 & 1) != 0;
        if (!is_told && memcmp(stage->block + at, stage->before + at, size) != 0) {
            return page;
        }
    }
    return UINT32_MAX;
}

static void stage_watch(Stage *stage)
{
    memcpy(stage->before, stage->block, stage->layout.block_size);
    memset(stage->touched, 0, stage->layout.block_size / TP_TOUCH_PAGE / 8 + 1);
}

static void stage_check(const Stage *stage)
{
    const char *wrong = realm_validate(stage->block, &stage->context);
    wrong = wrong != NULL ? wrong : realm_stream_validate(stage->stream);
    cr_assert_null(wrong, "tick %u: %s", stage->ticks, wrong);
}

static void stage_tick(Stage *stage, const RealmStreamEyes *eyes)
{
    uint64_t units = stage->engine.root->units;
    realm_engine_tick(&stage->engine);
    realm_stream_tick(&stage->engine, stage->stream, eyes);
    stage->ticks++;
    units = stage->engine.root->units - units;
    cr_assert_leq(units, stage->work_units, "tick %u took %llu units", stage->ticks, (unsigned long long)units);
    cr_assert_eq(units, stage->stream->units_last);
    if (stage->ticks % stage->validate_every == 0) {
        stage_check(stage);
    }
}

static RealmStreamEyes eye_at(uint32_t x, uint32_t y)
{
    return (RealmStreamEyes){ .count = 1, .prefixes = { realm_prefix_at(x, y) } };
}

static bool is_ring_ready(const Stage *stage, uint16_t prefix, uint32_t ring)
{
    for (uint32_t x = 0; x <= 2 * ring; x++) {
        for (uint32_t y = 0; y <= 2 * ring; y++) {
            if (!realm_stream_is_ready(&stage->engine, realm_prefix_at(realm_prefix_x(prefix) + x - ring, realm_prefix_y(prefix) + y - ring))) {
                return false;
            }
        }
    }
    return true;
}

// Ticks until all landblocks around are there; fails the test when they are not in time.
static uint32_t wait_ready(Stage *stage, const RealmStreamEyes *eyes, uint32_t ring, uint32_t ticks_max)
{
    uint32_t ticks = 0;
    while (!is_ring_ready(stage, eyes->prefixes[0], ring)) {
        cr_assert_lt(ticks, ticks_max, "landblock %04x and its ring: %u begun, %u committed, %u open", eyes->prefixes[0],
                     stage->stream->begun, stage->stream->committed, stage->stream->open);
        stage_tick(stage, eyes);
        ticks++;
    }
    return ticks;
}

static uint32_t live_of(const Stage *stage, RealmSection pool, uint32_t index)
{
    return ((const tp_pool_head *)tp_section_at_const(&stage->context, stage->block, pool))[index].live;
}

static void expect_nothing_left(const Stage *stage)
{
    const RealmRoot *root = stage->engine.root;
    cr_expect(root->residents == 0 && root->admissions == 0 && root->drafts_live == 0, "%u residents, %u admissions, %u drafts",
              root->residents, root->admissions, root->drafts_live);
    static const RealmSection pools[] = { REALM_SECTION_BLOCK_POOL, REALM_SECTION_LEAF_POOL,   REALM_SECTION_CELL_POOL,
                                          REALM_SECTION_BUILDING_POOL, REALM_SECTION_OWNER_POOLS, REALM_SECTION_MEMBER_POOL,
                                          REALM_SECTION_SET_POOL,  REALM_SECTION_ROW_POOL,    REALM_SECTION_DRAFT_POOL };
    for (size_t i = 0; i < sizeof(pools) / sizeof(pools[0]); i++) {
        cr_expect_eq(live_of(stage, pools[i], 0), 0, "pool %d: %u live", (int)pools[i], live_of(stage, pools[i], 0));
    }
    cr_expect_eq(live_of(stage, REALM_SECTION_OWNER_POOLS, 1), 0, "%u statics", live_of(stage, REALM_SECTION_OWNER_POOLS, 1));
}

// Everybody goes; the land goes after them.
static void leave_all(Stage *stage, uint32_t ticks_max)
{
    RealmStreamEyes nobody = { 0 };
    uint32_t        ticks = 0;
    while (stage->engine.root->residents > 0 || stage->stream->open > 0 || realm_is_retiring(&stage->engine)) {
        cr_assert_lt(ticks++, ticks_max, "%u are still resident", stage->engine.root->residents);
        stage_tick(stage, &nobody);
    }
    stage_check(stage);
    expect_nothing_left(stage);
    cr_assert_eq(stage->stream->open, 0);
}

static void settle(Stage *stage, const RealmStreamEyes *eyes, uint32_t ticks)
{
    for (uint32_t i = 0; i < ticks; i++) {
        stage_tick(stage, eyes);
    }
}

// ---- What a view sees of a landblock ----

static uint64_t mix(uint64_t hash, const void *data, size_t size)
{
    const unsigned char *bytes = data;
    for (size_t i = 0; i < size; i++) {
        hash = (hash ^ bytes[i]) * UINT64_C(1099511628211);
    }
    return hash;
}

static uint64_t mix_rows(const Stage *stage, uint64_t hash, uint32_t first)
{
    for (uint32_t row = first; row != 0; row = realm_row_at(&stage->engine, row)->next) {
        uint32_t set = realm_row_at(&stage->engine, row)->set;
        if (realm_view_sees_set(&stage->engine, REALM_ACTIVE, set)) {
            hash = mix(hash, &realm_owner_at(&stage->engine, realm_set_at(&stage->engine, set)->owner)->id, sizeof(uint32_t));
        }
    }
    return mix(hash, "|", 1);
}

static uint64_t mix_cells(const Stage *stage, uint64_t hash, const RealmLeaf *leaf)
{
    for (uint32_t link = leaf->cell_first; link != 0; link = realm_cell_at(&stage->engine, link)->next) {
        const RealmCell *cell = realm_cell_at(&stage->engine, link);
        hash = mix(hash, cell->low, sizeof(cell->low));
        hash = mix(hash, cell->high, sizeof(cell->high));
        hash = mix(hash, &cell->visible, sizeof(cell->visible));
        hash = mix(hash, cell->portal_at, sizeof(cell->portal_at));
        hash = mix(hash, cell->portal_other, sizeof(cell->portal_other));
        hash = mix(hash, &cell->portals, sizeof(cell->portals));
        hash = mix_rows(stage, hash, cell->bucket);
    }
    for (uint32_t link = leaf->building_first; link != 0; link = realm_building_at(&stage->engine, link)->next) {
        const RealmBuilding *building = realm_building_at(&stage->engine, link);
        hash = mix(hash, building->low, sizeof(building->low));
        hash = mix(hash, building->high, sizeof(building->high));
        hash = mix(hash, &building->kind, sizeof(building->kind));
    }
    return hash;
}

// Ground, rooms, buildings, statics and rows: everything but numbers of generations and places in pools.
static uint64_t picture_of(const Stage *stage, uint16_t prefix)
{
    uint32_t link = realm_view_full_leaf(&stage->engine, REALM_ACTIVE, prefix);
    if (link == 0) {
        return 0;
    }
    const RealmLeaf *leaf = realm_leaf_at(&stage->engine, link);
    uint64_t         hash = mix(1, leaf->heights, sizeof(leaf->heights));
    hash = mix(hash, &leaf->water, 1);
    hash = mix_cells(stage, hash, leaf);
    for (uint32_t owner = leaf->static_first; owner != 0; owner = realm_owner_at(&stage->engine, owner)->static_next) {
        const RealmOwner *value = realm_owner_at(&stage->engine, owner);
        hash = mix(hash, &value->id, sizeof(value->id));
        hash = mix(hash, &value->setup, sizeof(value->setup));
        hash = mix(hash, &value->x, sizeof(value->x));
    }
    for (uint32_t cell = 0; cell < REALM_OUTDOOR_CELLS; cell++) {
        hash = mix_rows(stage, hash, leaf->buckets[cell]);
    }
    return hash;
}

static void expect_same_pictures(const Stage *a, const Stage *b, uint16_t middle)
{
    for (uint32_t k = 0; k < 9; k++) {
        uint16_t prefix = realm_prefix_at(realm_prefix_x(middle) + k % 3 - 1, realm_prefix_y(middle) + k / 3 - 1);
        cr_expect(picture_of(a, prefix) != 0 && picture_of(a, prefix) == picture_of(b, prefix), "landblock %04x", prefix);
    }
}

// ---- The land follows ----

static void walk(uint32_t budget)
{
    Stage stage;
    stage_open(&stage, sizes_of(1, budget));
    uint32_t patience = 4000 / budget + 64;
    for (uint32_t step = 0; step < 8; step++) {
        RealmStreamEyes eyes = eye_at(100 + step, 50 + step / 2);
        wait_ready(&stage, &eyes, 1, patience);
        for (uint32_t tick = 0; tick < 40; tick++) {
            stage_tick(&stage, &eyes); // once around for the sweep
        }
    }
    cr_assert_eq(stage.stream->rejected, 0, "the engine refused content");
    cr_assert_gt(stage.events[REALM_EVENT_DEMOTED] + stage.events[REALM_EVENT_WITHDRAWN], 5);
    leave_all(&stage, 30000 / budget + 200);
    stage_close(&stage);
}

Test(realm_stream, walk_with_1_unit)
{
    walk(1);
}
Test(realm_stream, walk_with_8_units)
{
    walk(8);
}
Test(realm_stream, walk_with_64_units)
{
    walk(64);
}
Test(realm_stream, walk_with_1000_units)
{
    walk(1000);
}

// Goal: every byte that a tick changes is told to the host; and the check finds one that is not.
Test(realm_stream, tells_its_writes)
{
    Stage stage;
    stage_open(&stage, sizes_of(1, 16));
    for (uint32_t tick = 0; tick < 300; tick++) {
        RealmStreamEyes eyes = eye_at(10 + tick / 60, 10);
        stage_watch(&stage);
        if (tick % 50 == 40) {
            realm_stream_command_reload(&stage.engine, stage.stream, realm_prefix_at(10 + tick / 60, 10));
            realm_stream_command_fail(&stage.engine, stage.stream, tick / 50 % 2);
        }
        stage_tick(&stage, &eyes);
        cr_assert_eq(untold_page(&stage), UINT32_MAX, "tick %u wrote page %u and did not say so", tick, untold_page(&stage));
    }
    cr_assert_gt(stage.stream->failed, 1);
    stage_watch(&stage);
    stage.block[stage.layout.section_offset[REALM_SECTION_STREAM]]++;
    cr_assert_neq(untold_page(&stage), UINT32_MAX, "a planted write was not seen");
    stage_close(&stage);
}

Test(realm_stream, nearest_first)
{
    Stage stage;
    stage_open(&stage, sizes_of(2, 32));
    RealmStreamEyes eyes = eye_at(60, 60);
    wait_ready(&stage, &eyes, 2, 500);
    cr_assert_eq(stage.commit_count, 25);
    for (uint32_t i = 1; i < stage.commit_count; i++) {
        uint32_t before = realm_stream_distance(stage.commits[i - 1], eyes.prefixes[0]);
        uint32_t now = realm_stream_distance(stage.commits[i], eyes.prefixes[0]);
        cr_assert(before < now || (before == now && stage.commits[i - 1] < stage.commits[i]), "%04x before %04x", stage.commits[i - 1],
                  stage.commits[i]);
    }
    stage_close(&stage);
}

Test(realm_stream, distance_is_to_the_nearest)
{
    RealmStreamEyes eyes = { .count = 2, .prefixes = { realm_prefix_at(10, 10), realm_prefix_at(200, 3) } };
    cr_assert_eq(realm_stream_eyes_distance(&eyes, realm_prefix_at(12, 9)), 2);
    cr_assert_eq(realm_stream_eyes_distance(&eyes, realm_prefix_at(199, 10)), 7);
    eyes.count = 0;
    cr_assert_eq(realm_stream_eyes_distance(&eyes, 0), UINT32_MAX);
}

// Goal: nobody waits for ever, wherever the others are: 64 players all over the land, and landblocks for all of them.
Test(realm_stream, nobody_starves)
{
    Stage stage;
    Sizes sizes = sizes_of(0, 48);
    sizes.items[REALM_CONFIG_DRAFTS] = 4;
    stage_open(&stage, sizes);
    RealmStreamEyes eyes = { .count = REALM_PLAYERS_MAX };
    for (uint32_t i = 0; i < REALM_PLAYERS_MAX; i++) {
        eyes.prefixes[i] = realm_prefix_at(i * 3 % 250, i * 29 % 250);
    }
    for (uint32_t tick = 0; tick < 600; tick++) {
        stage_tick(&stage, &eyes);
        cr_assert_leq(stage.stream->open, 4);
    }
    for (uint32_t i = 0; i < REALM_PLAYERS_MAX; i++) {
        cr_assert(realm_stream_is_ready(&stage.engine, eyes.prefixes[i]), "player %u", i);
    }
    cr_assert_eq(stage.stream->begun, REALM_PLAYERS_MAX);
    stage_close(&stage);
}

Test(realm_stream, a_still_land_costs_nothing)
{
    Stage stage;
    stage_open(&stage, sizes_of(1, 100));
    RealmStreamEyes eyes = eye_at(30, 30);
    wait_ready(&stage, &eyes, 1, 100);
    for (uint32_t i = 0; i < 20; i++) {
        stage_tick(&stage, &eyes);
    }
    cr_assert_eq(stage.stream->units_last, 0);
    stage_watch(&stage);
    stage_tick(&stage, &eyes);
    uint32_t pages = 0;
    for (uint32_t page = 0; page < stage.layout.block_size / TP_TOUCH_PAGE; page++) {
        pages += stage.touched[page / 8] >> page % 8 & 1;
    }
    cr_assert_leq(pages, 2, "%u pages: more than the engine's clock and the sweep", pages);
    stage_close(&stage);
}

// Goal: to and fro over a border changes nothing; at ring + 2 only the ground is left; beyond, nothing.
Test(realm_stream, demotes_and_withdraws_late)
{
    Stage stage;
    stage_open(&stage, sizes_of(1, 200));
    RealmStreamEyes here = eye_at(30, 30), next = eye_at(31, 30);
    wait_ready(&stage, &here, 1, 100);
    wait_ready(&stage, &next, 1, 100);
    for (uint32_t i = 0; i < 300; i++) {
        stage_tick(&stage, i / 10 % 2 == 0 ? &here : &next);
    }
    cr_assert_eq(stage.events[REALM_EVENT_DEMOTED] + stage.events[REALM_EVENT_WITHDRAWN], 0);
    cr_assert_eq(stage.stream->begun, 12);
    RealmStreamEyes away = eye_at(32, 30), farther = eye_at(33, 30);
    uint16_t        edge = realm_prefix_at(29, 30);
    for (uint32_t i = 0; i < 100; i++) {
        stage_tick(&stage, &away);
    }
    cr_assert(!realm_stream_is_ready(&stage.engine, edge) && realm_view_leaf(&stage.engine, REALM_ACTIVE, edge) != 0);
    cr_assert_eq(stage.events[REALM_EVENT_WITHDRAWN], 0);
    wait_ready(&stage, &here, 1, 100); // what was demoted comes again in full
    for (uint32_t i = 0; i < 100; i++) {
        stage_tick(&stage, &farther);
    }
    cr_assert_eq(realm_view_leaf(&stage.engine, REALM_ACTIVE, edge), 0);
    stage_check(&stage);
    stage_close(&stage);
}

// Goal: what is being prepared where nobody is any more is not waited for.
Test(realm_stream, drafts_left_behind_end)
{
    Stage stage;
    stage_open(&stage, sizes_of(1, 2));
    RealmStreamEyes here = eye_at(30, 30), there = eye_at(60, 60);
    for (uint32_t i = 0; i < 5; i++) {
        stage_tick(&stage, &here);
    }
    cr_assert_eq(stage.stream->open, 9);
    uint32_t committed = stage.stream->committed;
    for (uint32_t i = 0; i < 33; i++) {
        stage_tick(&stage, &there);
    }
    cr_assert_geq(stage.stream->ended + stage.stream->committed - committed, 9);
    for (uint32_t i = 0; i < stage.stream->open; i++) {
        cr_assert_leq(realm_stream_distance(stage.stream->open_prefix[i], there.prefixes[0]), 1);
    }
    stage_close(&stage);
}

// Goal: another publisher takes a landblock over: its newer admission ends this one's draft, which does not keep its place, and is not begun
// again as long as the other is at it.
Test(realm_stream, makes_way_for_a_newer_admission)
{
    Stage stage;
    stage_open(&stage, sizes_of(1, 1));
    RealmStreamEyes eyes = eye_at(30, 30);
    RealmTicket     ticket;
    stage_tick(&stage, &eyes);
    cr_assert_eq(stage.stream->open, 9);
    cr_assert_eq(realm_begin(&stage.engine, realm_block_id(stage.stream->open_prefix[5]), &ticket), REALM_DONE);
    for (uint32_t i = 0; i < 10; i++) {
        stage_tick(&stage, &eyes);
        cr_assert(stage.stream->open == 8 && stage.stream->ended == 1);
    }
    cr_assert_eq(realm_cancel(&stage.engine, &ticket, NULL), REALM_DONE);
    wait_ready(&stage, &eyes, 1, 2000);
    stage_close(&stage);
}

Test(realm_stream, stays_inside_a_small_land)
{
    Stage stage;
    Sizes sizes = sizes_of(3, 500);
    sizes.items[REALM_CONFIG_WIDTH] = 2;
    sizes.items[REALM_CONFIG_HEIGHT] = 3;
    stage_open(&stage, sizes);
    RealmStreamEyes eyes = eye_at(0, 0);
    for (uint32_t i = 0; i < 100; i++) {
        stage_tick(&stage, &eyes);
    }
    cr_assert_eq(stage.engine.root->residents, 6);
    cr_assert_eq(stage.stream->begun, 6);
    stage_close(&stage);
}

// ---- No room ----

// Goal: with room for ten landblocks, those that nobody wants any more make room for those that somebody does.
Test(realm_stream, evicts_what_is_kept_for_convenience)
{
    Stage stage;
    Sizes sizes = sizes_of(1, 100);
    sizes.items[REALM_CONFIG_RESIDENTS] = 10;
    stage_open(&stage, sizes);
    for (uint32_t step = 0; step < 5; step++) {
        RealmStreamEyes eyes = eye_at(40 + step, 40);
        wait_ready(&stage, &eyes, 1, 200);
        cr_assert_leq(stage.engine.root->residents, 10);
    }
    cr_assert_geq(stage.stream->evicted, 8);
    leave_all(&stage, 500);
    stage_close(&stage);
}

// Goal: too few statics for the ring: the landblock a player is in comes all the same, here and where they go, and no tick hangs.
Test(realm_stream, short_of_statics_the_nearest_comes)
{
    Stage stage;
    Sizes sizes = sizes_of(1, 64);
    sizes.items[REALM_CONFIG_DYNAMICS] = 8;
    sizes.items[REALM_CONFIG_OWNERS] = 8 + 60;
    sizes.items[REALM_CONFIG_ABANDON_TICKS] = 40;
    stage_open(&stage, sizes);
    for (uint32_t step = 0; step < 6; step++) {
        RealmStreamEyes eyes = eye_at(70 + 2 * step, 20);
        wait_ready(&stage, &eyes, 0, 400);
    }
    cr_assert_gt(stage.stream->evicted, 0, "the limit was never reached");
    leave_all(&stage, 1000);
    stage_close(&stage);
}

// Goal: nine drafts that each took part of the room and wait for the rest would wait for ever: the youngest gives its part back, and the nearest is
// there without the help of a deadline. Then what does not fit waits quietly.
Test(realm_stream, short_of_room_the_youngest_yields)
{
    Stage stage;
    Sizes sizes = sizes_of(1, 64);
    sizes.items[REALM_CONFIG_DYNAMICS] = 8;
    sizes.items[REALM_CONFIG_OWNERS] = 8 + 30;
    sizes.items[REALM_CONFIG_ABANDON_TICKS] = 1000000;
    stage_open(&stage, sizes);
    for (uint32_t step = 0; step < 6; step++) {
        RealmStreamEyes eyes = eye_at(70 + step, 20);
        wait_ready(&stage, &eyes, 0, 200);
    }
    cr_assert_gt(stage.stream->evicted, 0);
    RealmStreamEyes eyes = eye_at(75, 20);
    settle(&stage, &eyes, 200);
    uint32_t cancelled = stage.events[REALM_EVENT_CANCELLED];
    uint64_t version = stage.engine.root->version;
    settle(&stage, &eyes, 200);
    cr_assert_eq(stage.events[REALM_EVENT_CANCELLED], cancelled, "drafts come and go for nothing");
    cr_assert_eq(stage.engine.root->version, version, "landblocks push each other out in turn");
    cr_assert_gt(stage.stream->open, 0);
    leave_all(&stage, 1000);
    stage_close(&stage);
}

// Goal: what is kept nearby does not keep out the landblock that the player is in.
Test(realm_stream, short_of_room_the_farther_goes)
{
    Stage stage;
    Sizes sizes = sizes_of(1, 64);
    sizes.items[REALM_CONFIG_DYNAMICS] = 8;
    sizes.items[REALM_CONFIG_OWNERS] = 8 + 30;
    sizes.items[REALM_CONFIG_ABANDON_TICKS] = 1000000;
    stage_open(&stage, sizes);
    for (uint32_t step = 0; step < 18; step++) {
        uint32_t        k = step % 2 == 0 ? 4 : step / 2;
        RealmStreamEyes eyes = eye_at(69 + k % 3, 19 + k / 3);
        wait_ready(&stage, &eyes, 0, 200);
    }
    cr_assert_eq(stage.events[REALM_EVENT_DEMOTED], 0, "nothing was far enough away for it");
    leave_all(&stage, 1000);
    stage_close(&stage);
}

// ---- Arrival ----

Test(realm_stream, waits_for_content)
{
    Stage stage;
    Sizes sizes = sizes_of(0, 100);
    sizes.items[REALM_CONFIG_ARRIVAL] = 1;
    sizes.items[REALM_CONFIG_ABANDON_TICKS] = 20;
    stage_open(&stage, sizes);
    RealmStreamEyes eyes = eye_at(5, 6);
    for (uint32_t i = 0; i < 90; i++) {
        stage_tick(&stage, &eyes);
    }
    cr_assert(!realm_stream_is_ready(&stage.engine, eyes.prefixes[0]));
    cr_assert_eq(stage.stream->begun, 0, "what has not come is not begun, and stands before nobody");
    cr_assert(realm_stream_command_content(&stage.engine, stage.stream, realm_prefix_at(5, 7)), "somebody else's");
    for (uint32_t i = 0; i < 15; i++) {
        stage_tick(&stage, &eyes);
    }
    cr_assert(!realm_stream_is_ready(&stage.engine, eyes.prefixes[0]));
    cr_assert(realm_stream_command_content(&stage.engine, stage.stream, eyes.prefixes[0]));
    wait_ready(&stage, &eyes, 0, 12);
    cr_assert_eq(stage.stream->arrivals, 1, "what was used is forgotten, the rest is not");
    cr_assert(realm_stream_command_reload(&stage.engine, stage.stream, eyes.prefixes[0]));
    for (uint32_t i = 0; i < 60; i++) {
        stage_tick(&stage, &eyes);
    }
    cr_assert_eq(stage.stream->committed, 1, "a reload waits for content of its own");
    cr_assert_geq(stage.engine.root->abandoned, 1, "and its deadline ends it");
    stage_close(&stage);
}

Test(realm_stream, arrivals_are_bounded)
{
    Stage stage;
    Sizes sizes = sizes_of(0, 100);
    cr_assert(realm_world.config[REALM_CONFIG_ARRIVAL].standard == 0);
    stage_open(&stage, sizes);
    cr_assert(!realm_stream_command_content(&stage.engine, stage.stream, 0x0101), "nobody waits for content");
    stage_close(&stage);
    sizes.items[REALM_CONFIG_ARRIVAL] = 1;
    sizes.items[REALM_CONFIG_WIDTH] = 100;
    stage_open(&stage, sizes);
    cr_assert(!realm_stream_command_content(&stage.engine, stage.stream, realm_prefix_at(100, 5)), "outside of the land");
    for (uint32_t i = 0; i <= REALM_STREAM_ARRIVALS_MAX; i++) {
        cr_assert(realm_stream_command_content(&stage.engine, stage.stream, realm_prefix_at(i, 9)));
        cr_assert(realm_stream_command_content(&stage.engine, stage.stream, realm_prefix_at(i, 9)), "twice is once");
    }
    cr_assert_eq(stage.stream->arrivals, REALM_STREAM_ARRIVALS_MAX);
    cr_assert_eq(stage.stream->arrivals_forgotten, 1);
    cr_assert_eq(stage.stream->arrival_prefix[0], realm_prefix_at(1, 9), "the oldest goes");
    cr_assert_eq(stage.stream->arrival_prefix[REALM_STREAM_ARRIVALS_MAX - 1], realm_prefix_at(REALM_STREAM_ARRIVALS_MAX, 9));
    stage_check(&stage);
    stage_close(&stage);
}

// ---- Reload and failure ----

static uint64_t generation_of(const Stage *stage, uint16_t prefix)
{
    return realm_leaf_at(&stage->engine, realm_view_full_leaf(&stage->engine, REALM_ACTIVE, prefix))->number;
}

Test(realm_stream, reload_brings_the_next_variant)
{
    Stage stage;
    stage_open(&stage, sizes_of(1, 100));
    RealmStreamEyes eyes = eye_at(90, 90);
    uint16_t        middle = eyes.prefixes[0];
    cr_assert(!realm_stream_command_reload(&stage.engine, stage.stream, middle), "nothing is active there");
    wait_ready(&stage, &eyes, 1, 100);
    for (uint16_t variant = 1; variant <= 3; variant++) {
        uint64_t before = generation_of(&stage, middle);
        cr_assert(realm_stream_command_reload(&stage.engine, stage.stream, middle));
        cr_assert(realm_stream_command_reload(&stage.engine, stage.stream, middle), "one that waits stands for both");
        settle(&stage, &eyes, 30);
        cr_assert_gt(generation_of(&stage, middle), before);
        RealmPlan           plan = realm_generate_plan(21, middle, variant);
        RealmTerrainContent terrain;
        realm_generate_terrain(&plan, &terrain);
        uint32_t leaf = realm_view_leaf(&stage.engine, REALM_ACTIVE, middle);
        cr_assert_arr_eq(realm_leaf_at(&stage.engine, leaf)->heights, terrain.heights, REALM_HEIGHTS, "variant %u", variant);
    }
    cr_assert_eq(stage.stream->begun, 12);
    RealmStreamEyes away = eye_at(120, 90);
    settle(&stage, &away, 100);
    wait_ready(&stage, &eyes, 1, 100);
    cr_assert_eq(stage.stream->open_variant[0], 0);
    cr_assert_eq(stage.stream->variant_number[0], 3, "it is remembered while it is away");
    stage_close(&stage);
}

Test(realm_stream, reloads_are_bounded)
{
    Stage stage;
    stage_open(&stage, sizes_of(2, 500));
    RealmStreamEyes eyes = eye_at(90, 90);
    wait_ready(&stage, &eyes, 2, 100);
    for (uint32_t i = 0; i < 25; i++) {
        bool is_taken = realm_stream_command_reload(&stage.engine, stage.stream, realm_prefix_at(88 + i % 5, 88 + i / 5));
        cr_assert_eq(is_taken, i < REALM_STREAM_RELOADS_MAX, "reload %u", i);
    }
    cr_assert_eq(stage.stream->reloads_refused, 25 - REALM_STREAM_RELOADS_MAX);
    settle(&stage, &eyes, 100);
    cr_assert_eq(stage.stream->committed, 25 + REALM_STREAM_RELOADS_MAX);
    cr_assert_eq(stage.stream->reloads, 0);
    stage_close(&stage);
}

// Goal: more reloaded landblocks than are kept in mind: the oldest is forgotten, which hurts nobody, and the list stays whole.
Test(realm_stream, variants_are_bounded)
{
    Stage stage;
    stage_open(&stage, sizes_of(4, 2000));
    RealmStreamEyes eyes = eye_at(90, 90);
    wait_ready(&stage, &eyes, 4, 100);
    for (uint32_t i = 0; i < 66; i++) {
        cr_assert(realm_stream_command_reload(&stage.engine, stage.stream, realm_prefix_at(86 + i % 9, 86 + i / 9)));
        settle(&stage, &eyes, 6);
    }
    settle(&stage, &eyes, 30);
    cr_assert_eq(stage.stream->committed, 81 + 66);
    cr_assert_eq(stage.stream->variants, REALM_STREAM_VARIANTS_MAX);
    cr_assert_eq(stage.stream->variant_prefix[0], realm_prefix_at(88, 86));
    stage_check(&stage);
    stage_close(&stage);
}

// Goal: a publication that fails right after admission, or after staging, leaves the world before complete and no admission.
static void fail_at(uint8_t stage_number)
{
    Stage stage;
    stage_open(&stage, sizes_of(1, 100));
    RealmStreamEyes eyes = eye_at(90, 90);
    uint16_t        middle = eyes.prefixes[0];
    wait_ready(&stage, &eyes, 1, 100);
    settle(&stage, &eyes, 10);
    uint64_t picture[9], generation = generation_of(&stage, middle);
    for (uint32_t k = 0; k < 9; k++) {
        picture[k] = picture_of(&stage, realm_prefix_at(89 + k % 3, 89 + k / 3));
    }
    cr_assert(!realm_stream_command_fail(&stage.engine, stage.stream, 2));
    cr_assert(realm_stream_command_fail(&stage.engine, stage.stream, stage_number));
    cr_assert(realm_stream_command_reload(&stage.engine, stage.stream, middle));
    settle(&stage, &eyes, 40);
    cr_assert_eq(stage.stream->failed, 1);
    cr_assert_eq(stage.events[REALM_EVENT_CANCELLED], 1);
    cr_assert(stage.engine.root->admissions == 0 && stage.engine.root->drafts_live == 0 && !realm_is_retiring(&stage.engine));
    cr_assert_eq(generation_of(&stage, middle), generation);
    for (uint32_t k = 0; k < 9; k++) {
        cr_assert_eq(picture_of(&stage, realm_prefix_at(89 + k % 3, 89 + k / 3)), picture[k], "landblock %u", k);
    }
    cr_assert(realm_stream_command_reload(&stage.engine, stage.stream, middle));
    settle(&stage, &eyes, 40);
    cr_assert_gt(generation_of(&stage, middle), generation, "one failure is one");
    cr_assert_neq(picture_of(&stage, middle), picture[4], "the picture shows a change");
    stage_check(&stage);
    stage_close(&stage);
}

Test(realm_stream, fails_after_admission)
{
    fail_at(0);
}
Test(realm_stream, fails_after_staging)
{
    fail_at(1);
}

Test(realm_stream, a_failed_first_load_is_tried_again)
{
    for (uint8_t number = 0; number < 2; number++) {
        Stage stage;
        stage_open(&stage, sizes_of(0, 100));
        RealmStreamEyes eyes = eye_at(1, 1);
        cr_assert(realm_stream_command_fail(&stage.engine, stage.stream, number));
        wait_ready(&stage, &eyes, 0, 20);
        cr_assert(stage.stream->failed == 1 && stage.stream->begun == 2 && stage.stream->committed == 1);
        stage_close(&stage);
    }
}

// ---- State ----

// Goal: everything that steers streaming is state: a world that is saved, wiped and loaded after every tick goes the same way.
Test(realm_stream, save_and_load_at_every_tick)
{
    Stage kept, loaded;
    Sizes sizes = sizes_of(1, 13);
    stage_open(&kept, sizes);
    stage_open(&loaded, sizes);
    unsigned char *bytes = malloc(kept.layout.canonical_size), *others = malloc(kept.layout.canonical_size);
    cr_assert(bytes != NULL && others != NULL);
    for (uint32_t tick = 0; tick < 260; tick++) {
        RealmStreamEyes eyes = eye_at(33 + tick / 90, 33);
        if (tick == 120) {
            realm_stream_command_reload(&kept.engine, kept.stream, realm_prefix_at(33, 33));
            realm_stream_command_reload(&loaded.engine, loaded.stream, realm_prefix_at(33, 33));
        }
        stage_tick(&kept, &eyes);
        stage_tick(&loaded, &eyes);
        tp_error error = { "" };
        tp_layout_encode(&loaded.layout, loaded.block, others);
        memset(loaded.block, 0xA5, loaded.layout.block_size);
        cr_assert(tp_layout_decode(&loaded.layout, others, loaded.layout.canonical_size, loaded.block, &error), "tick %u: %s", tick, error.text);
        loaded.engine = realm_engine_open(loaded.block, &loaded.context);
        tp_layout_encode(&kept.layout, kept.block, bytes);
        cr_assert_eq(memcmp(bytes, others, kept.layout.canonical_size), 0, "tick %u", tick);
    }
    cr_assert_gt(kept.stream->committed, 8);
    free(bytes);
    free(others);
    stage_close(&kept);
    stage_close(&loaded);
}

Test(realm_stream, foreign_lists_are_checked)
{
    RealmStream stuck = { .is_stuck = 1 };
    cr_assert_not_null(realm_stream_validate(&stuck), "nothing is open that could be stuck");
    stuck = (RealmStream){ .is_stuck = 1, .open = 1, .open_prefix = { 5 }, .open_generation = { 1 } };
    cr_assert_null(realm_stream_validate(&stuck));
    RealmStream good = { .open = 2, .open_prefix = { 5, 6 }, .open_generation = { 1, 2 }, .arrivals = 1, .arrival_prefix = { 9 } };
    cr_assert_null(realm_stream_validate(&good));
    RealmStream bad = good;
    bad.open_prefix[1] = 5;
    cr_expect_not_null(realm_stream_validate(&bad));
    bad = good;
    bad.open_variant[2] = 1;
    cr_expect_not_null(realm_stream_validate(&bad));
    bad = good;
    bad.arrival_prefix[REALM_STREAM_ARRIVALS_MAX - 1] = 1;
    cr_expect_not_null(realm_stream_validate(&bad));
    bad = good;
    bad.eye_prefix[0] = 1;
    cr_expect_not_null(realm_stream_validate(&bad));
}

// ---- The second publisher ----

static RealmOfflineBlock content;

static RealmAnswer load_offline(Stage *stage, uint16_t prefix)
{
    uint32_t units = 0;
    realm_offline_from_seed(21, prefix, 0, &content);
    return realm_offline_load(&stage->engine, realm_block_id(prefix), &content, 10000, &units);
}

Test(realm_stream, both_publishers_make_the_same_world)
{
    Stage streamed, loaded, backwards;
    stage_open(&streamed, sizes_of(1, 20));
    stage_open(&loaded, sizes_of(1, 20));
    stage_open(&backwards, sizes_of(1, 20));
    RealmStreamEyes eyes = eye_at(150, 77);
    wait_ready(&streamed, &eyes, 1, 200);
    settle(&streamed, &eyes, 20);
    for (uint32_t k = 0; k < 9; k++) {
        cr_assert_eq(load_offline(&loaded, realm_prefix_at(149 + k % 3, 76 + k / 3)), REALM_DONE, "%s", loaded.engine.reason);
        cr_assert_eq(load_offline(&backwards, realm_prefix_at(151 - k % 3, 78 - k / 3)), REALM_DONE, "%s", backwards.engine.reason);
    }
    expect_same_pictures(&streamed, &loaded, eyes.prefixes[0]);
    expect_same_pictures(&streamed, &backwards, eyes.prefixes[0]);
    stage_check(&loaded);
    stage_close(&streamed);
    stage_close(&loaded);
    stage_close(&backwards);
}

// Goal: stopped after any call, the transaction leaves nothing, and its neighbour as it was.
Test(realm_stream, offline_can_stop_anywhere)
{
    Stage    stage;
    uint16_t prefix = realm_prefix_at(20, 20), beside = realm_prefix_at(21, 20);
    stage_open(&stage, sizes_of(1, 20));
    cr_assert_eq(load_offline(&stage, beside), REALM_DONE);
    uint64_t picture = picture_of(&stage, beside);
    realm_offline_from_seed(21, prefix, 0, &content);
    uint32_t calls = 0;
    for (bool is_done = false; !is_done; calls++) {
        RealmOffline offline = realm_offline_start(realm_block_id(prefix), &content);
        for (uint32_t i = 0; i < calls && !is_done; i++) {
            is_done = realm_offline_advance(&stage.engine, &offline) == REALM_DONE;
            cr_assert_leq(stage.engine.units, 1);
            cr_assert_neq(offline.stage, REALM_OFFLINE_ENDED, "%s", stage.engine.reason);
        }
        realm_offline_cancel(&stage.engine, &offline);
        while (realm_is_retiring(&stage.engine)) {
            realm_retire(&stage.engine);
        }
        cr_assert_eq(is_done, picture_of(&stage, prefix) != 0);
        cr_assert(is_done || picture_of(&stage, beside) == picture);
        cr_assert_eq(stage.engine.root->admissions, 0);
        stage_check(&stage);
    }
    cr_assert_gt(calls, 24 + 10);
    realm_withdraw(&stage.engine, realm_block_id(prefix));
    realm_withdraw(&stage.engine, realm_block_id(beside));
    while (realm_is_retiring(&stage.engine)) {
        realm_retire(&stage.engine);
    }
    expect_nothing_left(&stage);
    stage_close(&stage);
}

Test(realm_stream, offline_says_why_not)
{
    Stage    stage;
    uint32_t units = 0;
    stage_open(&stage, sizes_of(1, 20));
    realm_offline_from_seed(21, 0x1010, 0, &content);
    cr_assert_eq(realm_offline_load(&stage.engine, 0x10100001, &content, 30, &units), REALM_NOT_YET, "too few units");
    cr_assert_eq(units, 30);
    content.statics[0].x = (tp_fx){ -1 };
    cr_assert_eq(realm_offline_load(&stage.engine, 0x10100001, &content, 10000, &units), REALM_ERROR);
    cr_assert_not_null(strstr(stage.engine.reason, "outside"), "%s", stage.engine.reason);
    cr_assert_eq(realm_offline_load(&stage.engine, 0, &content, 10000, NULL), REALM_ERROR, "nowhere");
    while (realm_is_retiring(&stage.engine)) {
        realm_retire(&stage.engine);
    }
    expect_nothing_left(&stage);
    stage_close(&stage);
}

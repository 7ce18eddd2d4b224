// The section table of an opaque world: it names saved bytes, and decides nothing.
#include <criterion/criterion.h>
#include <string.h>

#include "tickproof/layout.h"

static size_t size_max(const tp_setup *setup)
{
    (void)setup;
    return 64;
}

static void *create(const tp_setup *setup)
{
    (void)setup;
    return NULL;
}

static void destroy(void *instance)
{
    (void)instance;
}

static bool save(const void *instance, void *bytes, size_t capacity, size_t *size)
{
    (void)instance, (void)bytes, (void)capacity, (void)size;
    return false;
}

static bool load(void *instance, const void *bytes, size_t size)
{
    (void)instance, (void)bytes, (void)size;
    return false;
}

static void init(void *state, tp_context *context)
{
    (void)state, (void)context;
}

static tp_step_result step(void *state, const tp_tick *tick, tp_context *context)
{
    (void)state, (void)tick, (void)context;
    return TP_STEP_OK;
}

static const tp_opaque opaque = { .size_max = size_max, .create = create, .destroy = destroy, .save = save, .load = load };
// 6 bytes of an odd struct and then 4-byte elements: sections of saved bytes have no gap between them.
static const tp_field   head_fields[] = { { "mode", "mode", TP_TYPE_U16, 3, 0, 6, TP_ANY } };
static const tp_field   body_fields[] = { { "x", "units", TP_TYPE_FX, 1, 0, 4, TP_ANY } };
static const tp_section sections[] = { { "head", head_fields, 1, 6, NULL, 1, TP_SIM }, { "bodies", body_fields, 1, 4, "bodies", 0, TP_SIM } };
static const tp_config_item config[] = { { "bodies", "count", "", 2, 0, 100 } };

static tp_world make_world(uint32_t section_count)
{
    return (tp_world){ .struct_size = sizeof(tp_world), .abi = TP_WORLD_ABI, .name = "named", .tick_rate_hz = 60, .opaque = &opaque, .init = init, .step = step,
                       .config = config, .config_count = 1, .sections = sections, .section_count = section_count };
}

static void make_layout(tp_layout *layout, const tp_world *world)
{
    tp_setup setup = { .tick_rate_hz = 60 };
    tp_error error = { "" };
    cr_assert(tp_layout_init(layout, world, &setup, &error), "%s", error.text);
}

Test(layout_opaque, table_names_bytes_of_its_size_only)
{
    static tp_layout with, without;
    tp_world         named = make_world(2), bare = make_world(0);
    make_layout(&with, &named);
    make_layout(&without, &bare);
    cr_assert_eq(with.canonical_size, 14);
    cr_assert(tp_layout_names(&with, 14));
    cr_assert_not(tp_layout_names(&with, 13));
    cr_assert_not(tp_layout_names(&with, 0));
    cr_assert_not(tp_layout_names(&without, 14));
    cr_assert_not(tp_layout_names(&without, 0), "no table names an empty state either");
}

// Goal: logs from before a world had a table verify after it has one.
Test(layout_opaque, table_is_in_no_fingerprint)
{
    static tp_layout with, without;
    tp_world         named = make_world(2), bare = make_world(0);
    make_layout(&with, &named);
    make_layout(&without, &bare);
    cr_assert(tp_hash128_equal(tp_layout_fingerprint(&with, TP_HASH_XXH3), tp_layout_fingerprint(&without, TP_HASH_XXH3)));
}

Test(layout_opaque, differences_are_fields)
{
    static tp_layout layout;
    tp_world         world = make_world(2);
    tp_difference    difference;
    uint8_t          left[14] = { 0 }, right[14] = { 0 };
    make_layout(&layout, &world);
    right[11] = 1; // second byte of the second body
    cr_assert(tp_layout_difference(&layout, left, right, &difference));
    cr_assert_str_eq(difference.place, "bodies[1].x");
    cr_assert_eq(difference.offset, 10);
    right[11] = 0;
    right[4] = 7;
    cr_assert(tp_layout_difference(&layout, left, right, &difference));
    cr_assert_str_eq(difference.place, "head.mode[2]");
}

Test(layout_opaque, bad_tables_are_refused)
{
    tp_error   error;
    tp_section bad[2] = { sections[0], sections[1] };
    tp_world   world = make_world(2);
    world.sections = bad;
    cr_assert(tp_world_check(&world, &error), "%s", error.text);
    bad[1].membership = TP_DERIVED;
    cr_assert_not(tp_world_check(&world, &error));
    cr_assert_not_null(strstr(error.text, "only saved bytes have names"), "%s", error.text);
    bad[1] = sections[1];
    bad[1].element_size = 5;
    cr_assert_not(tp_world_check(&world, &error));
    cr_assert_not_null(strstr(error.text, "covered by no row"), "%s", error.text);
    bad[1] = sections[1];
    bad[1].count_key = "nothing";
    cr_assert_not(tp_world_check(&world, &error));
}

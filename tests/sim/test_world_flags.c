// What was appended to the contract: flags behind an older world's end, and tp_touch.
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "touchpair.h"

static void refuse(const tp_world *world, const char *expected)
{
    tp_error error = { "" };
    cr_assert_not(tp_world_check(world, &error));
    cr_assert_not_null(strstr(error.text, expected), "'%s' does not say '%s'", error.text, expected);
}

// Goal: a world compiled before there were flags loads, has none, and comes to the same roots. Its memory ends where it did then, so that
// a sanitizer sees any read behind it.
Test(world_flags, older_world_still_loads)
{
    tp_error  error = { "" };
    tp_setup  setup = touchpair_setup(2);
    void *volatile memory = malloc(TP_WORLD_SIZE_MIN); // volatile, since no compiler of a host sees how long a world is
    uint32_t       size = TP_WORLD_SIZE_MIN;
    cr_assert_not_null(memory);
    memcpy(memory, &touchworld, TP_WORLD_SIZE_MIN);
    memcpy(memory, &size, sizeof(size)); // struct_size is the first member
    const tp_world *older = memory;
    cr_assert_eq(tp_world_flags(older), 0);
    cr_assert(tp_world_check(older, &error), "%s", error.text);

    tp_sim *sims[] = { tp_sim_create(older, &setup, NULL, &error), tp_sim_create(&touchworld, &setup, NULL, &error) };
    cr_assert(sims[0] != NULL && sims[1] != NULL, "%s", error.text);
    cr_assert_not(sims[0]->touch.is_on);
    cr_assert_null(sims[0]->context.touched);
    for (int tick = 0; tick < 20; tick++) {
        uint8_t bytes[1 + 2 * TOUCHWORLD_PLAYERS];
        tp_row  row = touchworld_row(bytes, tick % 9 == 0 ? TOUCHWORLD_BURST : 0, (uint8_t)tick);
        cr_assert_eq(tp_sim_step(sims[0], &row, &error), TP_SIM_OK);
        cr_assert_eq(tp_sim_step(sims[1], &row, &error), TP_SIM_OK);
        cr_assert(tp_hash128_equal(tp_sim_root(sims[0]), tp_sim_root(sims[1])));
    }
    tp_sim_destroy(sims[0]);
    tp_sim_destroy(sims[1]);
    free(memory);
}

Test(world_flags, other_sizes_are_refused)
{
    tp_world world = touchworld;
    world.struct_size = TP_WORLD_SIZE_MIN - 1;
    refuse(&world, "this build has ABI 1 with");
    world.struct_size = sizeof(tp_world) + 1;
    refuse(&world, "rebuild the world against these headers");
    world = touchworld;
    world.abi = 2;
    refuse(&world, "world ABI 2");
}

Test(world_flags, other_flags_are_refused)
{
    tp_opaque opaque = { 0 };
    tp_world  world = touchworld;
    world.flags = 6;
    refuse(&world, "flags 0x6: this build knows 0x1");
    world = touchworld;
    world.reserved = 1;
    refuse(&world, "reserved is 1");
    world = touchworld;
    world.opaque = &opaque;
    refuse(&world, "an opaque world has no block");
}

enum { BLOCK = 5 * TP_TOUCH_PAGE + 300, GUARD = 2 * TP_TOUCH_PAGE };

static uint32_t touched_by(size_t offset, size_t size)
{
    static unsigned char memory[GUARD + BLOCK + GUARD];
    unsigned char        map[2] = { 0, 0 };
    tp_context           context = { .touched = map, .block = memory + GUARD, .block_size = BLOCK };
    tp_touch(&context, memory + offset, size);
    return map[0] | (uint32_t)map[1] << 8;
}

Test(world_flags, touch_marks_pages_and_nothing_outside)
{
    cr_assert_eq(touched_by(GUARD, 1), 0x01);
    cr_assert_eq(touched_by(GUARD + 1023, 1), 0x01);
    cr_assert_eq(touched_by(GUARD + 1023, 2), 0x03);
    cr_assert_eq(touched_by(GUARD + 1024, 1024), 0x02);
    cr_assert_eq(touched_by(GUARD + 1024, 1025), 0x06);
    cr_assert_eq(touched_by(GUARD, BLOCK), 0x3F);
    cr_assert_eq(touched_by(GUARD + BLOCK - 1, 1), 0x20);
    cr_assert_eq(touched_by(GUARD + 100, 0), 0, "nothing was written");
    cr_assert_eq(touched_by(GUARD + BLOCK, 500), 0, "behind the block");
    cr_assert_eq(touched_by(GUARD - 500, 500), 0, "before it");
    cr_assert_eq(touched_by(GUARD - 500, 501), 0x01, "one byte of it is inside");
    cr_assert_eq(touched_by(GUARD + BLOCK - 1, 500), 0x20);
    cr_assert_eq(touched_by(0, GUARD + BLOCK + GUARD), 0x3F);
    cr_assert_eq(touched_by(GUARD + 2048, SIZE_MAX), 0x3C, "a size that would wrap");

    tp_context deaf = { .touched = NULL };
    tp_touch(&deaf, &deaf, sizeof(deaf)); // a host that does not track
}

// Each way a world can break the contract is refused with its reason.
#include <criterion/criterion.h>
#include <string.h>

#include "testworld.h"

static tp_section sections[5];
static tp_field   fields[16];

// A copy of the good world whose section 1 may be changed.
static tp_world copy_world(void)
{
    tp_world world = testworld_flat;
    memcpy(sections, testworld_flat.sections, sizeof(sections));
    memcpy(fields, sections[1].fields, sections[1].field_count * sizeof(tp_field));
    sections[1].fields = fields;
    world.sections = sections;
    return world;
}

static void refuse(const tp_world *world, const char *expected)
{
    tp_error error = { "" };
    cr_assert_not(tp_world_check(world, &error));
    cr_assert_not_null(strstr(error.text, expected), "'%s' does not say '%s'", error.text, expected);
}

Test(layout_check, good_worlds_pass)
{
    tp_error error = { "" };
    cr_assert(tp_world_check(&testworld_flat, &error), "%s", error.text);
    cr_assert(tp_world_check(&testworld_opaque, &error), "%s", error.text);
}

Test(layout_check, other_abi)
{
    tp_world world = copy_world();
    world.abi = 2;
    refuse(&world, "world ABI 2");
    world = copy_world();
    world.struct_size = 8;
    refuse(&world, "struct of 8 bytes");
    refuse(NULL, "no world");
}

Test(layout_check, uncovered_byte)
{
    tp_world world = copy_world();
    sections[1].field_count -= 1; // the explicit padding row
    refuse(&world, "players: byte 15 of 16 is covered by no row");
    world = copy_world();
    fields[1] = fields[2];
    refuse(&world, "players: byte 4 before 'presses' is covered by no row");
}

Test(layout_check, misplaced_rows)
{
    tp_world world = copy_world();
    fields[1].offset = 6;
    refuse(&world, "players.speed: at offset 6, not aligned");
    world = copy_world();
    fields[1].count = 2;
    refuse(&world, "players.speed: the struct has 4 bytes there, the row 8");
    world = copy_world();
    fields[1].name = "x";
    refuse(&world, "two rows have this name");
    world = copy_world();
    fields[1].type = (tp_field_type)99;
    refuse(&world, "bad type or count");
}

Test(layout_check, bad_ranges)
{
    tp_world world = copy_world();
    fields[3].range = (tp_range)TP_RANGE(-40000, 5); // balance is 16 bits
    refuse(&world, "players.balance: range -40000..5");
    world = copy_world();
    fields[0].range = (tp_range)TP_RANGE(5, 4);
    refuse(&world, "players.x: range 5..4");
    world = copy_world();
    fields[2].range = (tp_range)TP_INDEX_OF("nowhere");
    refuse(&world, "points into section 'nowhere'");
    world = copy_world();
    fields[2].range = (tp_range)TP_ENUM(2, NULL);
    refuse(&world, "an enum needs names");
    world = copy_world();
    fields[2].range.kind = TP_RANGE_HANDLE;
    refuse(&world, "a handle needs the section of its pool");
}

Test(layout_check, bad_sections)
{
    tp_world world = copy_world();
    sections[1].name = "Players";
    refuse(&world, "section 1 has a bad name 'Players'");
    world = copy_world();
    sections[1].name = "game";
    refuse(&world, "section 'game' stands twice");
    world = copy_world();
    sections[1].count_key = "nothing";
    refuse(&world, "takes its count from 'nothing'");
    world = copy_world();
    world.rebuild = NULL;
    refuse(&world, "section 'cache' is derived");
}

Test(layout_check, missing_parts)
{
    tp_world world = copy_world();
    world.step = NULL;
    refuse(&world, "init and step are required");
    world = copy_world();
    world.input = NULL;
    refuse(&world, "needs an input");
    world = copy_world();
    world.players_max = 1000;
    refuse(&world, "players 0..1000");
    world = copy_world();
    world.name = "has space";
    refuse(&world, "bad world name");
    world = testworld_opaque;
    tp_opaque half = *testworld_opaque.opaque;
    half.load = NULL;
    world.opaque = &half;
    refuse(&world, "an opaque world must give");
}

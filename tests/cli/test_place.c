// The line of each field of each built-in world, out of the sources that they are built from, and what is not to be found in others.
#include "place.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fighter.h"
#include "realm.h"
#include "runner.h"

static void read_line(const FindingPlace *place, char *line, size_t size)
{
    FILE *file = fopen(place->path, "r");
    cr_assert_not_null(file, "%s", place->path);
    for (uint32_t i = 0; i < place->line; i++) {
        cr_assert_not_null(fgets(line, (int)size, file), "%s has no line %u", place->path, place->line);
    }
    fclose(file);
}

static bool is_word_in(const char *line, const char *name)
{
    char row[128];
    snprintf(row, sizeof(row), ", %s,", name);
    return strstr(line, row) != NULL;
}

// Rows that every pool has are declared in a header that may lie outside of `directory`: then the pool's own line stands for them.
static void check_world(const tp_world *world, const char *directory, bool has_pool_header)
{
    char line[1024];
    for (uint32_t s = 0; s < world->section_count; s++) {
        const tp_section *section = &world->sections[s];
        for (uint32_t f = 0; f < section->field_count; f++) {
            FindingPlace place;
            const char  *name = section->fields[f].name;
            cr_assert(place_find_of_world(directory, world->name, section->name, name, &place), "%s: %s.%s is not found", directory, section->name, name);
            read_line(&place, line, sizeof(line));
            bool is_pool_row = !has_pool_header && strstr(line, "TP_POOL_") != NULL;
            cr_assert(is_word_in(line, name) || is_pool_row, "%s:%u is not %s.%s: %s", place.path, place.line, section->name, name, line);
        }
    }
}

Test(place, every_field_of_the_runner) { check_world(&runner_world, SOURCE_ROOT "/src/worlds/runner", false); }
Test(place, every_field_of_the_fighter) { check_world(&fighter_world, SOURCE_ROOT "/src/worlds/fighter", false); }
Test(place, every_field_of_the_realm) { check_world(&realm_world, SOURCE_ROOT "/src/worlds/realm", false); }

// Goal: sections of one name in several worlds ("game" is one) are told apart by the world.
Test(place, worlds_side_by_side)
{
    FindingPlace place;
    check_world(&runner_world, SOURCE_ROOT "/src/worlds", false);
    cr_assert(place_find_of_world(SOURCE_ROOT "/src/worlds", "realm", "game", "rng_state", &place));
    cr_assert_not_null(strstr(place.path, "/realm/"));
    cr_assert_not(place_find(SOURCE_ROOT "/src/worlds", "game", "rng_state", &place), "two worlds have it");
    cr_assert_eq(place.path[0], '\0');
}

// Sources of a case, in a folder of its own.
static char folder[] = "/tmp/place-XXXXXX";

static void write_source(const char *name, const char *text)
{
    char  path[256];
    FILE *file;
    snprintf(path, sizeof(path), "%s/%s", folder, name);
    file = fopen(path, "w");
    cr_assert_not_null(file);
    fputs(text, file);
    fclose(file);
}

static void make_folder(void)
{
    cr_assert_not_null(mkdtemp(folder));
}

static void remove_folder(void)
{
    char command[64];
    snprintf(command, sizeof(command), "rm -rf %s", folder);
    cr_assert_eq(system(command), 0);
}

#define TABLE "TP_TABLE(ball_fields, Ball, BALL_FIELDS)\nstatic const tp_section s[] = { TP_SECTION(\"balls\", Ball, ball_fields, NULL, 1, TP_SIM) };\n"

static uint32_t line_of(const char *field)
{
    FindingPlace place;
    return place_find(folder, "balls", field, &place) ? place.line : 0;
}

Test(place, comments_strings_and_dead_code, .init = make_folder, .fini = remove_folder)
{
    write_source("a.c", "// F(S, u8, x, \"\", TP_ANY)\n#if 0\n#define BALL_FIELDS(S, F, A, H) F(S, u8, x, \"\", TP_ANY)\n#if 1\n#endif\n#endif\n"
                        "const char *t = \"F(S, u8, x, 1)\"; char q = '\"';\n"
                        "#define BALL_FIELDS(S, F, A, H) /* one\n two */ \\\n    F(S, u8, y, \"F(S, u8, x,\", TP_ANY) \\\r\n    A(S, u16, x, (2 + 1), \"count\", TP_ANY) // x\n" TABLE);
    cr_assert_eq(line_of("y"), 10);
    cr_assert_eq(line_of("x"), 11);
    cr_assert_eq(line_of("balls[3].x[2]"), 11);
    cr_assert_eq(line_of("z"), 0);
}

Test(place, row_macros_by_any_name_and_macros_within, .init = make_folder, .fini = remove_folder)
{
    write_source("h.hpp", "#define POINT(S, ONE, MANY, TO) \\\n  ONE(S, fx, x, \"\", TP_ANY) \\\n  TO(S, BallHandle, next, \"balls\")\n");
    write_source("a.cpp", "#define BALL_FIELDS(S, ONE, MANY, TO) \\\n POINT(S, ONE, MANY, TO) \\\n MANY(S, u8, y, 4, \"\", TP_ANY)\n" TABLE);
    cr_assert_eq(line_of("x"), 2);
    cr_assert_eq(line_of("next"), 3);
    cr_assert_eq(line_of("y"), 3);
}

Test(place, tables_that_are_written_out, .init = make_folder, .fini = remove_folder)
{
    write_source("a.c", "static const tp_field ball_fields[] = {\n { \"x\", \"units\", TP_TYPE_U8, 1 },\n TP_ROW_F(Ball, u8, y, \"\", TP_ANY)\n};\n"
                        "static const tp_section s[] = { { \"balls\", ball_fields, 2, 8 } };\n");
    cr_assert_eq(line_of("x"), 2);
    cr_assert_eq(line_of("y"), 3);
}

// Goal: no wrong line is worse than no line.
Test(place, what_two_places_could_be_is_not_found, .init = make_folder, .fini = remove_folder)
{
    write_source("a.c", TABLE);
    write_source("b.h", "#define BALL_FIELDS(S, F, A, H) F(S, u8, x, \"\", TP_ANY)\n");
    cr_assert_eq(line_of("x"), 1);
    write_source("c.h", "\n\n#define BALL_FIELDS(S, F, A, H) F(S, u8, x, \"\", TP_ANY)\n");
    cr_assert_eq(line_of("x"), 0);
}

// Goal: eight macros deep, each with eight of the next, are sixteen million ways to one row.
Test(place, macros_that_take_each_other_along_end, .init = make_folder, .fini = remove_folder, .timeout = 60)
{
    write_source("a.c", "#define BALL_FIELDS(S, F, A, H) BALL_FIELDS(S, F, A, H) BALL_FIELDS(S, F, A, H) BALL_FIELDS(S, F, A, H) \\\n"
                        "  BALL_FIELDS(S, F, A, H) BALL_FIELDS(S, F, A, H) BALL_FIELDS(S, F, A, H) BALL_FIELDS(S, F, A, H) BALL_FIELDS(S, F, A, H) \\\n"
                        "  F(S, u8, x, \"\", TP_ANY)\n" TABLE);
    cr_assert_eq(line_of("x"), 0, "what was not followed to its end is not known");
    cr_assert_eq(line_of("y"), 0);
}

Test(place, links_and_torn_sources, .init = make_folder, .fini = remove_folder)
{
    char path[64];
    write_source("a.c", "#define BALL_FIELDS(S, F, A, H) F(S, u8, x, \"\"\n" TABLE "F(S, u8, /* never ends");
    cr_assert_eq(line_of("x"), 0);
    write_source("a.txt", "#define BALL_FIELDS(S, F, A, H) F(S, u8, x, \"\", TP_ANY)\n" TABLE);
    snprintf(path, sizeof(path), "%s/b.c", folder);
    cr_assert_eq(symlink("a.txt", path), 0);
    cr_assert_eq(line_of("x"), 0, "a link is not followed");
    cr_assert_not(place_find("/no/such/folder", "balls", "x", &(FindingPlace){ 0 }));
}

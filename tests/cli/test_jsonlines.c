#include <criterion/criterion.h>
#include <string.h>

#include "jsonin.h"
#include "jsonlines.h"

// args.c and jsonin.c would say what is wrong with a flag; no test here gives one.
static cJSON *parse(const char *text)
{
    int      line = 0;
    tp_error error;
    cJSON   *root = jsonin_parse(text, strlen(text), &line, &error);
    cr_assert_not_null(root, "%s", error.text);
    cr_assert(jsonlines_mark(root, text, strlen(text)));
    return root;
}

static int line_at(cJSON *root, int room, const char *key)
{
    return jsonlines_of(cJSON_GetObjectItemCaseSensitive(cJSON_GetArrayItem(root, room), key));
}

// Goal: of the same key in many objects, each has its own line.
Test(jsonlines, every_member_has_its_line)
{
    cJSON *root = parse("[{\"a\": 1,\n\"b\": 2},\n\n{\"a\":\n3, \"b\": [\n]}]");
    cr_assert_eq(jsonlines_of(root), 1);
    cr_assert_eq(line_at(root, 0, "a"), 1);
    cr_assert_eq(line_at(root, 0, "b"), 2);
    cr_assert_eq(line_at(root, 1, "a"), 4);
    cr_assert_eq(line_at(root, 1, "b"), 5, "the line is the key's, and its neighbour's value is on this one, too");
    cJSON_Delete(root);
}

Test(jsonlines, brackets_and_escapes_in_strings_count_for_nothing)
{
    cJSON *root = parse("[{\"a\": \"}\\\"],{\\\\\",\n\"[{\\\"\": \"\\\\\",\n\"b\": -1.5e3}]");
    cr_assert_eq(line_at(root, 0, "a"), 1);
    cr_assert_eq(line_at(root, 0, "[{\""), 2);
    cr_assert_eq(line_at(root, 0, "b"), 3);
    cJSON_Delete(root);
}

Test(jsonlines, windows_lines_and_a_byte_order_mark)
{
    cJSON *root = parse("\xEF\xBB\xBF[\r\n{\"a\": true,\r\n\"b\": null}]\r\n");
    cr_assert_eq(line_at(root, 0, "a"), 2);
    cr_assert_eq(line_at(root, 0, "b"), 3);
    cJSON_Delete(root);
}

Test(jsonlines, text_of_another_tree_is_noticed)
{
    cJSON      *root = parse("[{\"a\": 1}]");
    const char *other = "[[\"a\"]]";
    cr_assert_not(jsonlines_mark(root, other, strlen(other)));
    cr_assert_not(jsonlines_mark(root, "[{\"a\"", 5));
    cJSON_Delete(root);
}

static bool check(const char *text, int depth_max, int *line)
{
    tp_error error;
    return jsonlines_check(text, strlen(text), depth_max, line, &error);
}

Test(jsonlines, depth_and_escaped_nul_are_refused_with_their_line)
{
    int line = 0;
    cr_assert(check("[{\"a\": [1]},\n[[]]]", 3, &line));
    cr_assert_not(check("[{\"a\": [1]},\n[[\n[]]]]", 3, &line));
    cr_assert_eq(line, 3);
    cr_assert(check("\"[[[[[[\"", 1, &line));
    cr_assert_not(check("[1,\n\"a\\u0000\"]", 3, &line));
    cr_assert_eq(line, 2);
    cr_assert(check("\"\\\\u0000\"", 3, &line), "the backslash is escaped, so no NUL is");
    cr_assert(check("\"\\", 3, &line), "the text ends inside; the parser says so");
}

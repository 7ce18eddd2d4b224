// Keys that come twice, by the few and by the many, and zeros in strings.
#include "jsonin.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { KEYS_MAX = 80000, KEY_SIZE = 16 };

static tp_error error;
static int      line;

static cJSON *parse(const char *text)
{
    error = (tp_error){ { 0 } };
    return jsonin_parse(text, strlen(text), &line, &error);
}

// An object of k0 ... k(count - 1), in which key number `late` is called as number `early` is.
static cJSON *parse_many(size_t count, size_t early, size_t late)
{
    char  *text = malloc(count * KEY_SIZE + 3);
    size_t used = (size_t)sprintf(text, "{");
    for (size_t i = 0; i < count; i++) {
        used += (size_t)sprintf(text + used, "%s\"k%zu\":1", i == 0 ? "" : ",", i == late ? early : i);
    }
    strcpy(text + used, "}");
    cJSON *object = parse(text);
    cr_assert_not_null(object, "%s", error.text);
    free(text);
    return object;
}

static void expect_twice(cJSON *object, const char *key)
{
    const char *twice = jsonin_twice(object);
    cr_assert(key == NULL ? twice == NULL : twice != NULL && strcmp(twice, key) == 0, "'%s' instead of '%s'", twice, key);
    cJSON_Delete(object);
}

// Goal: how many keys there are changes how they are looked at, not what is found.
Test(jsonin, a_key_that_comes_twice)
{
    static const size_t counts[] = { 2, 3, 63, 64, 65, 66, 200 };
    for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++) {
        size_t count = counts[i];
        expect_twice(parse_many(count, 0, count), NULL);
        expect_twice(parse_many(count, 0, count - 1), "k0");
        if (count > 2) {
            expect_twice(parse_many(count, count - 2, count - 1), count == 3 ? "k1" : count == 63 ? "k61" : count == 64 ? "k62" : count == 65 ? "k63" : count == 66 ? "k64" : "k198");
        }
    }
    expect_twice(parse("{}"), NULL);
    expect_twice(parse("{\"b\":1,\"a\":1,\"a\":2,\"b\":2}"), "b");
}

// Goal: of many keys that come twice, or three times, the first in the text is told.
Test(jsonin, the_first_of_many_that_come_twice)
{
    cJSON *object = parse_many(300, 299, 298);
    cJSON_AddItemToObject(object, "k5", cJSON_CreateTrue());
    cJSON_AddItemToObject(object, "k10", cJSON_CreateTrue());
    cJSON_AddItemToObject(object, "k10", cJSON_CreateTrue());
    expect_twice(object, "k5");
}

// Goal: a line of inputs may be 1 MiB, and somebody else wrote it.
Test(jsonin, eighty_thousand_keys_take_a_moment)
{
    cJSON  *object = parse_many(KEYS_MAX, KEYS_MAX - 2, KEYS_MAX - 1);
    clock_t start = clock();
    expect_twice(object, "k79998");
    double seconds = (double)(clock() - start) / CLOCKS_PER_SEC;
    cr_assert_lt(seconds, 2.0, "%.1f s of the processor", seconds); // 0.02 s; with every pair compared it was 25
}

static void expect_refused(const char *text, int at_line, const char *what)
{
    cJSON *json = parse(text);
    cr_assert_null(json, "%s was read", text);
    cr_assert(line == at_line && strncmp(error.text, what, strlen(what)) == 0, "line %d: '%s'", line, error.text);
}

// Goal: a string that would end early is none of the names it begins with.
Test(jsonin, zeros_in_strings_are_refused)
{
    expect_refused("{\"tick\\u0000x\":1}", 1, "column 7: \\u0000 is not legal here");
    expect_refused("{\"a\":\n [1, \"\\u0000\"]}", 2, "column 7: \\u0000");
    expect_refused("[\"\\\\\\u0000\"]", 1, "column 5: \\u0000");
    cJSON *json = parse("[\"\\\\u0000\", \"\\u0030\", \"\\\\\\\\u0000\"]");
    cr_assert_not_null(json, "%s", error.text);
    cr_assert_str_eq(json->child->valuestring, "\\u0000");
    cJSON_Delete(json);
}

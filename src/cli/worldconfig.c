// worldconfig.c: every wrong key is named with its line; a config that is half right is not used.
#include "worldconfig.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "files.h"
#include "jsonin.h"

enum { CONFIG_SIZE_MAX = 1 << 20 };

// Where the config came from, for messages.
typedef struct {
    const char *name;
    const char *text;
    size_t      size;
} Origin;

void worldconfig_standard(const tp_world *world, int64_t *values)
{
    for (uint32_t i = 0; i < world->config_count; i++) {
        values[i] = world->config[i].standard;
    }
}

static bool refuse_key(const Origin *origin, const char *key, const char *what)
{
    cli_fail(TP_USAGE, "%s: line %d, key '%s': reading the config: %s", origin->name, jsonin_line_of_key(origin->text, origin->size, key),
             key, what);
    return false;
}

static bool refuse_unknown(const Origin *origin, const tp_world *world, const char *key)
{
    char   text[512];
    size_t used = (size_t)snprintf(text, sizeof(text), "world '%s' has no such item; it has", world->name);
    for (uint32_t i = 0; i < world->config_count && used < sizeof(text); i++) {
        used += (size_t)snprintf(text + used, sizeof(text) - used, "%s %s", i == 0 ? "" : ",", world->config[i].name);
    }
    if (world->config_count == 0) {
        snprintf(text, sizeof(text), "world '%s' has no config at all", world->name);
    }
    return refuse_key(origin, key, text);
}

static bool take_item(const Origin *origin, const tp_world *world, const cJSON *item, int64_t *values)
{
    char text[256];
    for (uint32_t i = 0; i < world->config_count; i++) {
        const tp_config_item *config = &world->config[i];
        if (strcmp(config->name, item->string) != 0) {
            continue;
        }
        if (!jsonin_i64(item, &values[i])) {
            snprintf(text, sizeof(text), "%s is not a whole number; give %lld to %lld %s", jsonin_text(item), (long long)config->min,
                     (long long)config->max, config->unit);
            return refuse_key(origin, item->string, text);
        }
        if (values[i] < config->min || values[i] > config->max) {
            snprintf(text, sizeof(text), "%lld is out of range; give %lld to %lld %s", (long long)values[i], (long long)config->min,
                     (long long)config->max, config->unit);
            return refuse_key(origin, item->string, text);
        }
        return true;
    }
    return refuse_unknown(origin, world, item->string);
}

static bool take_object(const Origin *origin, const tp_world *world, const cJSON *object, int64_t *values)
{
    if (!cJSON_IsObject(object)) {
        cli_fail(TP_USAGE, "%s: line 1: reading the config: %s is not an object; write {\"item\": number, ...}", origin->name, jsonin_text(object));
        return false;
    }
    const char *twice = jsonin_twice(object);
    if (twice != NULL) {
        return refuse_key(origin, twice, "it is given twice; keep one");
    }
    for (const cJSON *item = object->child; item != NULL; item = item->next) {
        if (!take_item(origin, world, item, values)) {
            return false;
        }
    }
    return true;
}

static bool read_text(const Origin *origin, const tp_world *world, int64_t *values)
{
    tp_error error;
    int      line = 1;
    cJSON   *object = jsonin_parse(origin->text, origin->size, &line, &error);
    if (object == NULL) {
        cli_fail(TP_USAGE, "%s: line %d: reading the config: %s", origin->name, line, error.text);
        return false;
    }
    bool is_fine = take_object(origin, world, object, values);
    cJSON_Delete(object);
    return is_fine;
}

bool worldconfig_read(const tp_world *world, const char *argument, int64_t *values)
{
    tp_error error;
    size_t   size = 0;
    if (argument[strspn(argument, " \t\r\n")] == '{') {
        Origin origin = { "--config", argument, strlen(argument) };
        return read_text(&origin, world, values);
    }
    char *text = (char *)files_read_all(argument, CONFIG_SIZE_MAX, &size, &error);
    if (text == NULL) {
        cli_fail(TP_USAGE, "%s: reading the config: %s", argument, error.text);
        return false;
    }
    Origin origin = { strcmp(argument, "-") == 0 ? "standard input" : argument, text, size };
    bool   is_fine = read_text(&origin, world, values);
    free(text);
    return is_fine;
}

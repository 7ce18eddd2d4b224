// rulesline.c: an IDENT's rules as a line of JSON, and back.
#include "rulesline.h"

#include <string.h>

#include "textout.h"

void rulesline_print(FILE *out, const tp_ident *ident, uint64_t first_tick, uint32_t root_bytes)
{
    uint8_t id[16];
    tp_hash128_to_bytes(ident->rules.id, id);
    fputs("{\"rules\":{", out);
    textout_json_member(out, true, "world", ident->world);
    textout_u64_member(out, false, "revision", ident->revision);
    textout_u64_member(out, false, "seed", ident->seed);
    textout_u64_member(out, false, "players", ident->players);
    textout_u64_member(out, false, "tick_rate_hz", ident->tick_rate_hz);
    textout_json_member(out, false, "hash", ident->algorithm == TP_HASH_XXH3 ? "xxh3" : "fnv");
    fputs(",\"config\":{", out);
    for (uint32_t i = 0; i < ident->config_count; i++) {
        fprintf(out, "%s\"%s\":%lld", i == 0 ? "" : ",", ident->config_names[i], (long long)ident->config_values[i]);
    }
    fputc('}', out);
    textout_hex_member(out, false, "id", id, sizeof(id));
    textout_u64_member(out, false, "first_tick", first_tick);
    textout_u64_member(out, false, "root_bytes", root_bytes);
    fputs("}}\n", out);
}

bool rulesline_is(const cJSON *line)
{
    return cJSON_IsObject(line) && cJSON_GetObjectItemCaseSensitive(line, "rules") != NULL;
}

bool rulesline_algorithm(const char *name, tp_hash_algorithm *algorithm)
{
    if (strcmp(name, "xxh3") == 0) {
        *algorithm = TP_HASH_XXH3;
        return true;
    }
    *algorithm = TP_HASH_FNV1A128;
    return strcmp(name, "fnv") == 0 || strcmp(name, "fnv1a128") == 0;
}

static bool read_u32(const cJSON *item, uint32_t max, uint32_t *out, bool *has, tp_error *error)
{
    uint64_t value = 0;
    if (!jsonin_u64(item, &value) || value > max) {
        return tp_error_set(error, "rules.%s: needs a whole number of at most %u, not %s", item->string, max, jsonin_text(item));
    }
    *out = (uint32_t)value;
    *has = true;
    return true;
}

static bool read_u64(const cJSON *item, uint64_t *out, tp_error *error)
{
    return jsonin_u64(item, out) || tp_error_set(error, "rules.%s: needs a whole number, not %s", item->string, jsonin_text(item));
}

static bool read_name(const cJSON *item, const char *where, char name[TP_NAME_SIZE_MAX + 1], tp_error *error)
{
    if (!jsonin_is_text(item) || strlen(item->valuestring) > TP_NAME_SIZE_MAX || item->valuestring[0] == '\0') {
        return tp_error_set(error, "rules.%s: needs a name of 1 to %d letters", where, TP_NAME_SIZE_MAX);
    }
    strcpy(name, item->valuestring);
    return true;
}

static bool read_config(const cJSON *config, RulesLine *rules, tp_error *error)
{
    if (!cJSON_IsObject(config)) {
        return tp_error_set(error, "rules.config: needs an object, not %s", jsonin_text(config));
    }
    const char *twice = jsonin_twice(config);
    if (twice != NULL) {
        return tp_error_set(error, "rules.config.%.60s: it is given twice", twice);
    }
    for (const cJSON *item = config->child; item != NULL; item = item->next) {
        if (rules->config_count == TP_CONFIG_ITEMS_MAX || strlen(item->string) > TP_NAME_SIZE_MAX) {
            return tp_error_set(error, "rules.config.%.60s: there are more items, or longer names, than a world can have", item->string);
        }
        if (!jsonin_i64(item, &rules->config_values[rules->config_count])) {
            return tp_error_set(error, "rules.config.%.60s: needs a whole number, not %s", item->string, jsonin_text(item));
        }
        strcpy(rules->config_names[rules->config_count++], item->string);
    }
    return true;
}

static bool read_hash(const cJSON *item, RulesLine *rules, tp_error *error)
{
    rules->has_algorithm = true;
    return (jsonin_is_text(item) && rulesline_algorithm(item->valuestring, &rules->algorithm)) ||
           tp_error_set(error, "rules.hash: needs \"xxh3\" or \"fnv\", not %s", jsonin_text(item));
}

static bool read_id(const cJSON *item, RulesLine *rules, tp_error *error)
{
    size_t size = 0;
    rules->has_id = true;
    return (jsonin_hex(item, rules->id, sizeof(rules->id), &size) && size == sizeof(rules->id)) ||
           tp_error_set(error, "rules.id: needs 16 bytes in hexadecimal");
}

static bool read_root_bytes(const cJSON *item, RulesLine *rules, tp_error *error)
{
    if (!read_u32(item, 16, &rules->root_bytes, &rules->has_root_bytes, error)) {
        return false;
    }
    return rules->root_bytes == 0 || rules->root_bytes >= 4 || tp_error_set(error, "rules.root_bytes: needs 0 or 4 to 16");
}

static bool read_member(const cJSON *item, RulesLine *rules, tp_error *error)
{
    const char *key = item->string;
    if (strcmp(key, "world") == 0) {
        return read_name(item, "world", rules->world, error);
    }
    if (strcmp(key, "revision") == 0) {
        return read_u32(item, UINT32_MAX, &rules->revision, &rules->has_revision, error);
    }
    if (strcmp(key, "seed") == 0) {
        return read_u64(item, &rules->seed, error);
    }
    if (strcmp(key, "players") == 0) {
        return read_u32(item, TP_PLAYERS_MAX, &rules->players, &rules->has_players, error);
    }
    if (strcmp(key, "tick_rate_hz") == 0) {
        return read_u32(item, 100000, &rules->tick_rate_hz, &rules->has_rate, error);
    }
    if (strcmp(key, "hash") == 0) {
        return read_hash(item, rules, error);
    }
    if (strcmp(key, "config") == 0) {
        return read_config(item, rules, error);
    }
    if (strcmp(key, "id") == 0) {
        return read_id(item, rules, error);
    }
    if (strcmp(key, "first_tick") == 0) {
        return read_u64(item, &rules->first_tick, error);
    }
    if (strcmp(key, "root_bytes") == 0) {
        return read_root_bytes(item, rules, error);
    }
    return tp_error_set(error, "rules.%.60s: unknown key", key);
}

bool rulesline_read(const cJSON *line, RulesLine *rules, tp_error *error)
{
    const cJSON *object = cJSON_GetObjectItemCaseSensitive(line, "rules");
    memset(rules, 0, sizeof(*rules));
    rules->algorithm = TP_HASH_XXH3;
    if (line->child->next != NULL) {
        return tp_error_set(error, "rules: nothing else may stand in their line");
    }
    if (!cJSON_IsObject(object)) {
        return tp_error_set(error, "rules: needs an object, not %s", jsonin_text(object));
    }
    const char *twice = jsonin_twice(object);
    if (twice != NULL) {
        return tp_error_set(error, "rules.%.60s: it is given twice", twice);
    }
    for (const cJSON *item = object->child; item != NULL; item = item->next) {
        if (!read_member(item, rules, error)) {
            return false;
        }
    }
    return rules->world[0] != '\0' || tp_error_set(error, "rules.world: is missing");
}

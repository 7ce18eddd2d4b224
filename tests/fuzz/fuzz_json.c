// fuzz_json.c: JSON from people: a line of inputs, or a configuration. What is read is encoded, printed and read again, and must be the same; a row
// that a world accepts must not hurt it.
//
// Input: one byte chooses world and kind, the rest is the text.
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "fighter.h"
#include "jsonin.h"
#include "rowjson.h"
#include "runner.h"
#include "testworld.h"
#include "worldconfig.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static RowBuffer first, second;
static uint8_t   encoded[2][131072];

static size_t encode(const tp_layout *layout, const RowBuffer *buffer, uint8_t *bytes)
{
    tp_row row = rowjson_row(buffer);
    return tp_row_encode(layout, &row, bytes, sizeof(encoded[0]));
}

// Prints the row and reads it again: the same bytes.
static void round_trip(const tp_layout *layout, uint64_t tick, size_t size)
{
    tp_ident *ident = calloc(1, sizeof(*ident));
    ident->players = layout->setup.players;
    ident->input_size = layout->input_size;
    uint8_t payload[4 + sizeof(encoded[0])] = { 1, 0, 0, 0 };
    memcpy(payload + 4, encoded[0], size);
    tp_log_record record = { .type = TP_LOG_TICKS, .tick = tick, .payload = payload, .size = (uint32_t)(4 + size) };
    tp_log_rows   rows = tp_log_rows_of(ident, &record);
    tp_log_row    row;
    char         *text = NULL;
    size_t        length = 0;
    FILE         *out = open_memstream(&text, &length);
    if (!tp_log_rows_next(&rows, &row)) {
        abort();
    }
    rowjson_print(out, ident, layout->world, &row, NULL);
    fclose(out);
    int      line = 0;
    tp_error error = { "" };
    uint64_t again = 0;
    cJSON   *json = jsonin_parse(text, length, &line, &error);
    if (json == NULL || !rowjson_read(layout, json, &second, &again, &error) || again != tick ||
        encode(layout, &second, encoded[1]) != size || memcmp(encoded[0], encoded[1], size) != 0) {
        fprintf(stderr, "fuzz_json: %s: %s", error.text, text);
        abort();
    }
    cJSON_Delete(json);
    free(text);
    free(ident);
}

// However many keys there are: the first that comes again, as by looking at every pair.
static void check_twice(const cJSON *object)
{
    const char *first_twice = NULL;
    for (const cJSON *one = object->child; one != NULL && first_twice == NULL; one = one->next) {
        for (const cJSON *other = one->next; other != NULL && first_twice == NULL; other = other->next) {
            first_twice = one->string != NULL && strcmp(one->string, other->string) == 0 ? one->string : NULL;
        }
    }
    const char *told = jsonin_twice(object);
    if ((told == NULL) != (first_twice == NULL) || (told != NULL && strcmp(told, first_twice) != 0)) {
        abort();
    }
}

static void read_row(const tp_world *world, uint32_t players, const char *text, size_t size)
{
    tp_setup setup = { .seed = 1, .players = players, .tick_rate_hz = world->tick_rate_hz };
    int      line = 0;
    tp_error error = { "" };
    uint64_t tick = 0;
    cJSON   *json = jsonin_parse(text, size, &line, &error);
    if (json == NULL) {
        return;
    }
    check_twice(json);
    tp_sim *sim = tp_sim_create(world, &setup, NULL, &error);
    if (rowjson_read(tp_sim_layout(sim), json, &first, &tick, &error)) {
        size_t encoded_size = encode(tp_sim_layout(sim), &first, encoded[0]);
        tp_row row = rowjson_row(&first);
        if (encoded_size > 0 && tp_sim_step(sim, &row, &error) != TP_SIM_REFUSED) {
            round_trip(tp_sim_layout(sim), tick, encoded_size);
        }
    }
    tp_sim_destroy(sim);
    cJSON_Delete(json);
}

static void read_config(const tp_world *world, const char *text, size_t size)
{
    int64_t values[TP_CONFIG_ITEMS_MAX];
    char   *copy = malloc(size + 2);
    copy[0] = '{'; // else it would be the name of a file
    memcpy(copy + 1, text, size);
    copy[size + 1] = '\0';
    worldconfig_standard(world, values);
    if (worldconfig_read(world, copy, values)) {
        for (uint32_t i = 0; i < world->config_count; i++) {
            if (values[i] < world->config[i].min || values[i] > world->config[i].max) {
                abort();
            }
        }
    }
    free(copy);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 1) {
        return 0;
    }
    bool            is_fighter = (data[0] & 4) != 0;
    const tp_world *world = is_fighter ? &fighter_world : (data[0] & 1) != 0 ? &runner_world : &testworld_flat;
    uint32_t        players = data[0] / 64 + (is_fighter ? 0u : 1u); // the fighter's may be 0
    const char     *text = (const char *)data + 1;
    if ((data[0] & 2) != 0) {
        read_config(world, text, size - 1);
    } else {
        read_row(world, players, text, size - 1);
    }
    return 0;
}

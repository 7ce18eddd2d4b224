// fuzz_config.c: the server's configuration: a file's bytes, or the argument of --live. What is read is held against worlds, written again
// with every key on a line of its own, and read back: it must be the same, and every key must be known by its line.
//
// Input: 'l' and the argument of --live, or any other byte and a file.
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "runner.h"
#include "serverconfig.h"
#include "testworld.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const tp_world *find_world(void *to, const char *name, uint32_t revision)
{
    (void)to;
    (void)revision;
    return strcmp(name, "runner") == 0 ? &runner_world : strcmp(name, testworld_flat.name) == 0 ? &testworld_flat : NULL;
}

typedef struct {
    FILE *out;
    int   line;
    bool  is_first;  // no comma before the next member
} Writer;

static void write_text(FILE *out, const char *text)
{
    fputc('"', out);
    for (; *text != '\0'; text++) {
        unsigned char letter = (unsigned char)*text;
        if (letter == '"' || letter == '\\') {
            fprintf(out, "\\%c", letter);
        } else if (letter < 0x20) {
            fprintf(out, "\\u%04x", letter);
        } else {
            fputc(letter, out);
        }
    }
    fputc('"', out);
}

static void write_key(Writer *writer, const char *key)
{
    fputs(writer->is_first ? "\r\n" : ",\r\n", writer->out);
    writer->line++;
    writer->is_first = false;
    if (key != NULL) {
        write_text(writer->out, key);
        fputc(':', writer->out);
    }
}

static void write_choice(FILE *out, const ServerConfigKey *key, const void *field)
{
    uint32_t value;
    memcpy(&value, field, sizeof(value));
    const ServerConfigChoice *choice = key->choices;
    while (choice->value != value) {
        choice++;
        if (choice->name == NULL) {
            abort(); // no value of this choice: where does it come from?
        }
    }
    write_text(out, choice->name);
}

static void write_texts(Writer *writer, const char *const *texts, uint32_t count)
{
    fputc('[', writer->out);
    writer->is_first = true;
    for (uint32_t i = 0; i < count; i++) {
        write_key(writer, NULL);
        write_text(writer->out, texts[i]);
    }
    fputc(']', writer->out);
    writer->is_first = false;
}

static void write_items(Writer *writer, const ServerConfigRoom *room, int *lines)
{
    fputc('{', writer->out);
    writer->is_first = true;
    for (uint32_t i = 0; i < room->item_count; i++) {
        write_key(writer, room->items[i].name);
        fprintf(writer->out, "%lld", (long long)room->items[i].value);
        lines[i] = writer->line;
    }
    fputc('}', writer->out);
    writer->is_first = false;
}

static void write_object(Writer *writer, const ServerConfig *config, const ServerConfigRoom *room, unsigned place, const void *from, int *lines);

/// Where the writer put things, to be found again.
static int            item_lines[SERVER_ROOMS_MAX][TP_CONFIG_ITEMS_MAX];
static int            room_lines[SERVER_ROOMS_MAX][KEY_COUNT];
static int            room_starts[SERVER_ROOMS_MAX];
static int            server_lines[KEY_COUNT];

static void write_rooms(Writer *writer, const ServerConfig *config)
{
    fputc('[', writer->out);
    for (uint32_t i = 0; i < config->room_count; i++) {
        const ServerConfigRoom *room = &config->rooms[i];
        writer->is_first = i == 0;
        write_key(writer, NULL);
        room_starts[i] = writer->line;
        memset(room_lines[i], 0, sizeof(room_lines[i]));
        write_object(writer, config, room, room->source == SERVER_LIVE ? PLACE_LIVE : PLACE_RECORDED, room, room_lines[i]);
    }
    fputc(']', writer->out);
    writer->is_first = false;
}

static void write_record(Writer *writer, const ServerConfig *config, const ServerConfigRoom *room, int *lines)
{
    const ServerConfigRecord *record = room != NULL ? &room->record : &config->record;
    const int                *given = room != NULL ? room->lines : config->lines;
    if (room != NULL && given[KEY_DIRECTORY] == 0 && given[KEY_DURABILITY] == 0) {
        fputs(record->is_off ? "false" : "true", writer->out);
    } else {
        write_object(writer, config, room, PLACE_RECORD, record, lines);
    }
}

static void write_value(Writer *writer, const ServerConfig *config, const ServerConfigRoom *room, const ServerConfigKey *key, const void *from, int *lines)
{
    const char *field = (const char *)from + key->offset;
    const char *text = NULL;
    const char *addresses[SERVER_LISTENERS_MAX];
    uint32_t    small;
    uint64_t    large;
    int64_t     whole;
    switch (key->type) {
    case TYPE_U32:
        memcpy(&small, field, sizeof(small));
        fprintf(writer->out, "%u", small);
        break;
    case TYPE_U64:
        memcpy(&large, field, sizeof(large));
        fprintf(writer->out, "%llu", (unsigned long long)large);
        break;
    case TYPE_SLOTS:
        memcpy(&whole, field, sizeof(whole));
        fprintf(writer->out, "%lld", (long long)whole);
        break;
    case TYPE_CHOICE: write_choice(writer->out, key, field); break;
    case TYPE_TEXT:
    case TYPE_NAME:
    case TYPE_PATH:
        memcpy(&text, field, sizeof(text));
        write_text(writer->out, text);
        break;
    case TYPE_ADDRESS: write_text(writer->out, field); break;
    case TYPE_BOOL:
        memcpy(&small, field, sizeof(small));
        fputs(small != 0 ? "true" : "false", writer->out);
        break;
    case TYPE_LISTEN:
        for (uint32_t i = 0; i < config->listen_count; i++) {
            addresses[i] = config->listen[i];
        }
        write_texts(writer, addresses, config->listen_count);
        break;
    case TYPE_WORLDS: write_texts(writer, config->worlds, config->world_count); break;
    case TYPE_RECORD: write_record(writer, config, room, lines); break;
    case TYPE_LIMITS: write_object(writer, config, NULL, PLACE_LIMITS, &config->limits, lines); break;
    case TYPE_HTTP: write_object(writer, config, NULL, PLACE_HTTP, &config->http, lines); break;
    case TYPE_NAMES:
        memcpy(&small, field + SERVERCONFIG_NAMES_MAX * sizeof(char *), sizeof(small));
        write_texts(writer, (const char *const *)(const void *)field, small);
        break;
    case TYPE_ITEMS: write_items(writer, room, item_lines[room - config->rooms]); break;
    case TYPE_ROOMS: write_rooms(writer, config); break;
    }
}

static void write_object(Writer *writer, const ServerConfig *config, const ServerConfigRoom *room, unsigned place, const void *from, int *lines)
{
    const int *given = room != NULL ? room->lines : config->lines;
    fputc('{', writer->out);
    writer->is_first = true;
    for (int i = 0; i < KEY_COUNT; i++) {
        if ((serverconfig_keys[i].places & place) != 0 && given[i] != 0) {
            write_key(writer, serverconfig_keys[i].name);
            lines[i] = writer->line;
            write_value(writer, config, room, &serverconfig_keys[i], from, lines);
        }
    }
    fputc('}', writer->out);
    writer->is_first = false;
}

static char *write_config(const ServerConfig *config, size_t *size)
{
    char  *text = NULL;
    Writer writer = { .out = open_memstream(&text, size), .line = 1 };
    memset(server_lines, 0, sizeof(server_lines));
    write_object(&writer, config, NULL, PLACE_SERVER, config, server_lines);
    fclose(writer.out);
    return text;
}

static void expect_lines(const ServerConfig *config)
{
    bool are_right = memcmp(config->lines, server_lines, sizeof(server_lines)) == 0;
    for (uint32_t i = 0; i < config->room_count; i++) {
        const ServerConfigRoom *room = &config->rooms[i];
        are_right = are_right && room->line == room_starts[i] && memcmp(room->lines, room_lines[i], sizeof(room_lines[i])) == 0;
        for (uint32_t item = 0; item < room->item_count; item++) {
            are_right = are_right && room->items[item].line == item_lines[i][item];
        }
    }
    if (!are_right) {
        fputs("fuzz_config: a key is said to be on another line than it is\n", stderr);
        abort();
    }
}

static void round_trip(const ServerConfig *config)
{
    size_t            size = 0;
    size_t            size_again = 0;
    ServerConfig      again = { 0 };
    ServerConfigError error = { "" };
    char             *text = write_config(config, &size);
    if (size > SERVER_CONFIG_BYTES_MAX) {
        free(text); // line breaks and escapes made it longer than a file may be
        return;
    }
    if (!serverconfig_read(&again, "again", "", text, size, &error)) {
        fprintf(stderr, "fuzz_config: %s\n%s\n", error.text, text);
        abort();
    }
    expect_lines(&again);
    char *text_again = write_config(&again, &size_again);
    if (size != size_again || memcmp(text, text_again, size) != 0) {
        fprintf(stderr, "fuzz_config: read back, it is another\n%s\n%s\n", text, text_again);
        abort();
    }
    free(text);
    free(text_again);
    serverconfig_finish(&again);
}

// What holds for every config that was bound.
static void expect_bound(const ServerConfig *config)
{
    bool is_fine = serverconfig_room_total(config) <= SERVER_ROOMS_MAX && (serverconfig_live_count(config) == 0 || config->listen_count > 0);
    for (uint32_t i = 0; i < config->room_count; i++) {
        const ServerConfigRoom *room = &config->rooms[i];
        is_fine = is_fine && (room->source == SERVER_RECORDED ? room->log != NULL : room->world != NULL && serverconfig_is_name(room->name));
        for (uint32_t item = 0; room->values != NULL && item < room->world->config_count; item++) {
            is_fine = is_fine && room->values[item] >= room->world->config[item].min && room->values[item] <= room->world->config[item].max;
        }
    }
    if (!is_fine) {
        abort();
    }
}

static void expect_error(const ServerConfigError *error)
{
    static const char disagreed[] = ": this is not JSON";
    size_t            size = strlen(error->text);
    if (size == 0 || (size >= sizeof(disagreed) && strcmp(error->text + size - (sizeof(disagreed) - 1), disagreed) == 0)) {
        fputs("fuzz_config: refused without a word, or the text's lines and its tree do not belong together\n", stderr);
        abort();
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    ServerConfig      config = { 0 };
    ServerConfigError error = { "" };
    bool              is_read = false;
    if (size < 1) {
        return 0;
    }
    if (data[0] == 'l') {
        char *spec = calloc(size, 1);
        memcpy(spec, data + 1, size - 1);
        is_read = serverconfig_add_live(&config, spec, &error);
        free(spec);
    } else {
        is_read = serverconfig_read(&config, "rooms.json", "conf/", (const char *)data + 1, size - 1, &error);
        if (is_read) {
            round_trip(&config);
        }
    }
    if (is_read && serverconfig_bind(&config, find_world, NULL, &error)) {
        expect_bound(&config);
    } else {
        expect_error(&error);
    }
    serverconfig_finish(&config);
    return 0;
}

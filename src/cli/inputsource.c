// inputsource.c: four sources behind one call.
#include "inputsource.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "tickproof/rng.h"

enum { LINE_SIZE_MAX = 1 << 20, LINE_SIZE_FIRST = 4096, EMPTY_LINES_MAX = 65536, MEMORY_ALIGN = 16 };

struct InputSource {
    const tp_layout *layout;
    // Bots, one after another, each at a multiple of 16.
    uint8_t *bots;
    size_t   bot_stride;
    uint8_t *native; // one input struct
    // Lines.
    FILE       *lines;
    const char *path;
    char       *line;
    size_t      line_capacity; // without the zero behind it
    uint64_t    line_number;
    uint64_t    next_tick; // of inputsource_next_line
    bool        has_begun;
    bool        has_line;  // a line with something in it was read
    bool        has_rules; // and it was that of the rules
    size_t      pending_size; // of a line that was read and not taken; 0: none
    // What the last line says its step comes to.
    bool     compares_roots;
    bool     is_fault;
    size_t   root_size; // 0: it says nothing
    uint8_t  root[16];
    uint64_t root_line, compared, differences;
    // Rows.
    bool (*fill)(void *self, uint64_t tick, RowBuffer *row);
    void *fill_self;
};

InputSource *inputsource_neutral(const tp_layout *layout)
{
    InputSource *source = calloc(1, sizeof(*source));
    if (source != NULL) {
        source->layout = layout;
    }
    return source;
}

static size_t aligned(size_t size)
{
    return (size + MEMORY_ALIGN) / MEMORY_ALIGN * MEMORY_ALIGN;
}

static uint8_t *zeroed(size_t size)
{
    uint8_t *memory = aligned_alloc(MEMORY_ALIGN, size);
    if (memory != NULL) {
        memset(memory, 0, size);
    }
    return memory;
}

typedef struct {
    const tp_bot_type *type;
    const tp_setup    *setup;
    void              *memory;
    uint32_t           slot;
    uint64_t           seed;
    uint32_t           delay_ticks;
} BotStart;

static void start_bot(void *argument)
{
    const BotStart *start = argument;
    start->type->init(start->memory, start->setup, start->slot, start->seed, start->delay_ticks);
}

InputSource *inputsource_bots(const tp_layout *layout, uint32_t delay_ticks)
{
    const tp_bot_type *type = layout->world->bot;
    uint32_t           players = layout->setup.players;
    uint64_t           seeds = layout->setup.seed;
    InputSource       *source = inputsource_neutral(layout);
    if (source == NULL) {
        return NULL;
    }
    source->bot_stride = aligned(type->size);
    source->bots = zeroed(source->bot_stride * (players + 1));
    source->native = zeroed(aligned(layout->world->input == NULL ? 0 : layout->world->input->struct_size));
    if (source->bots == NULL || source->native == NULL) {
        inputsource_destroy(source);
        return NULL;
    }
    for (uint32_t slot = 0; slot < players; slot++) {
        BotStart start = { type, &layout->setup, source->bots + source->bot_stride * slot, slot, tp_splitmix64_next(&seeds), delay_ticks };
        tp_fault fault;
        if (!tp_guard_run(start_bot, &start, &fault)) {
            cli_fail(TP_INTERNAL, "the bot of slot %u faulted when it was made: %s", slot, fault.what);
            inputsource_destroy(source);
            return NULL;
        }
    }
    return source;
}

InputSource *inputsource_lines(const tp_layout *layout, const char *path, tp_error *error)
{
    bool         is_input = strcmp(path, "-") == 0;
    InputSource *source = inputsource_neutral(layout);
    if (source == NULL) {
        tp_error_set(error, "out of memory");
        return NULL;
    }
    source->path = is_input ? "standard input" : path;
    source->lines = is_input ? stdin : fopen(path, "re");
    if (source->lines == NULL) {
        tp_error_set(error, "%s", strerror(errno));
        inputsource_destroy(source);
        return NULL;
    }
    return source;
}

InputSource *inputsource_text(const tp_layout *layout, const char *name, const char *text, size_t size, tp_error *error)
{
    InputSource *source = inputsource_neutral(layout);
    if (source != NULL) {
        source->path = name;
        source->lines = fmemopen((void *)text, size, "r"); // which does not write
    }
    if (source == NULL || source->lines == NULL) {
        tp_error_set(error, "out of memory");
        inputsource_destroy(source);
        return NULL;
    }
    return source;
}

InputSource *inputsource_rows(const tp_layout *layout, bool (*fill)(void *self, uint64_t tick, RowBuffer *row), void *self)
{
    InputSource *source = inputsource_neutral(layout);
    if (source != NULL) {
        source->fill = fill;
        source->fill_self = self;
    }
    return source;
}

void inputsource_set_layout(InputSource *source, const tp_layout *layout)
{
    source->layout = layout;
}

void inputsource_destroy(InputSource *source)
{
    if (source == NULL) {
        return;
    }
    if (source->lines != NULL && source->lines != stdin) {
        fclose(source->lines);
    }
    free(source->bots);
    free(source->native);
    free(source->line);
    free(source);
}

static void fill_neutral(const tp_layout *layout, RowBuffer *row)
{
    for (uint32_t slot = 0; slot < layout->setup.players; slot++) {
        tp_input_neutral(layout, row->inputs + (size_t)slot * layout->input_size);
        rowjson_take_slot(row, slot, TP_ORIGIN_NEUTRAL);
    }
}

// What a guarded call to the bots needs.
typedef struct {
    InputSource  *source;
    const tp_sim *sim;
    RowBuffer    *row;
} BotTurn;

static void play_bots(void *argument)
{
    const BotTurn   *turn = argument;
    InputSource     *source = turn->source;
    RowBuffer       *row = turn->row;
    const tp_layout *layout = source->layout;
    const tp_world  *world = layout->world;
    tp_view          view = tp_sim_view(turn->sim);
    for (uint32_t slot = 0; slot < layout->setup.players; slot++) {
        memset(source->native, 0, world->input->struct_size);
        world->bot->play(source->bots + source->bot_stride * slot, &view, source->native);
        tp_input_sanitise(world, source->native);
        tp_record_encode(world->input, source->native, row->inputs + (size_t)slot * layout->input_size);
        rowjson_take_slot(row, slot, TP_ORIGIN_BOT);
    }
}

// A bot is a world's code outside of a step: its faults would find no guard but this one.
static InputResult fill_bots(InputSource *source, const tp_sim *sim, RowBuffer *row)
{
    BotTurn  turn = { source, sim, row };
    tp_fault fault;
    if (tp_guard_run(play_bots, &turn, &fault)) {
        return INPUT_ROW;
    }
    cli_fail(TP_INTERNAL, "tick %llu: playing the bots: %s: %s", (unsigned long long)tp_sim_tick(sim), tp_fault_name(fault.code),
             fault.what == NULL ? "" : fault.what);
    return INPUT_BAD;
}

static InputResult refuse_line(const InputSource *source, const char *what)
{
    cli_fail(TP_USAGE, "%s: line %llu: reading inputs: %s", source->path, (unsigned long long)source->line_number, what);
    return INPUT_BAD;
}

// Keeps what a tick's line says of its root. A root that is none matters only to who compares.
static bool keep_root(InputSource *source, const cJSON *line, tp_error *error)
{
    const cJSON *fault = cJSON_GetObjectItemCaseSensitive(line, "fault");
    const cJSON *root = fault != NULL ? fault : cJSON_GetObjectItemCaseSensitive(line, "root");
    source->is_fault = fault != NULL;
    source->root_line = source->line_number;
    if (!source->compares_roots || root == NULL) {
        return true;
    }
    return (jsonin_hex(root, source->root, sizeof(source->root), &source->root_size) && source->root_size >= 4) ||
           tp_error_set(error, "%s: needs 4 to 16 bytes in hexadecimal", fault != NULL ? "fault" : "root");
}

// A line of inputs. `expected` NULL: any tick.
static InputResult take_tick(InputSource *source, const cJSON *line, const uint64_t *expected, RowBuffer *row)
{
    tp_error error;
    uint64_t tick = 0;
    source->root_size = 0;
    if (!rowjson_read(source->layout, line, row, &tick, &error)) {
        return refuse_line(source, error.text);
    }
    if (expected != NULL && tick != *expected) {
        tp_error_set(&error, "tick: %llu, but tick %llu is next; write one line for every tick%s", (unsigned long long)tick,
                     (unsigned long long)*expected, source->has_begun ? "" : " from 0 on");
        return refuse_line(source, error.text);
    }
    if (!keep_root(source, line, &error)) {
        source->root_size = 0;
        return refuse_line(source, error.text);
    }
    source->next_tick = tick + 1;
    return INPUT_ROW;
}

// The line with the rules, where the caller has chosen its own: inputs of another world would only be refused field by field.
static InputResult check_rules(const InputSource *source, const RulesLine *rules)
{
    tp_error error;
    if (source->layout != NULL && strcmp(rules->world, source->layout->world->name) != 0) {
        tp_error_set(&error, "rules.world: these are inputs of world '%s', not of '%s'", rules->world, source->layout->world->name);
        return refuse_line(source, error.text);
    }
    return INPUT_ROW;
}

// Rules may stand in the first line that has something in it. `*is_rules`: they did, and are in `rules`.
static InputResult take_line(InputSource *source, size_t size, const uint64_t *expected, RowBuffer *row, RulesLine *rules, bool *is_rules)
{
    tp_error error;
    int      line = 1;
    bool     is_first = !source->has_line;
    cJSON   *parsed = jsonin_parse(source->line, size, &line, &error);
    if (parsed == NULL) {
        return refuse_line(source, error.text);
    }
    InputResult result;
    *is_rules = rulesline_is(parsed);
    if (*is_rules && !is_first) {
        result = refuse_line(source, "rules: they may stand in the first line only");
    } else if (*is_rules) {
        result = rulesline_read(parsed, rules, &error) ? INPUT_ROW : refuse_line(source, error.text);
    } else {
        result = row == NULL ? INPUT_ROW : take_tick(source, parsed, expected, row);
    }
    source->has_line = source->has_line || row != NULL || *is_rules;
    source->has_rules = source->has_rules || *is_rules;
    cJSON_Delete(parsed);
    return result;
}

static bool grow_line(InputSource *source)
{
    size_t capacity = source->line_capacity == 0 ? LINE_SIZE_FIRST : source->line_capacity * 2;
    char  *grown = realloc(source->line, capacity + 1);
    if (grown != NULL) {
        source->line = grown;
        source->line_capacity = capacity;
    }
    return grown != NULL;
}

// The next line with its newline; size 0 at the end. Not getline: it first takes the whole line and then says how long it is.
static InputResult read_text(InputSource *source, size_t *size)
{
    *size = 0;
    source->line_number += 1;
    for (int letter = '\0'; letter != '\n'; source->line[(*size)++] = (char)letter) {
        errno = 0;
        letter = getc(source->lines);
        if (letter == EOF) {
            break;
        }
        if (*size == LINE_SIZE_MAX) {
            return refuse_line(source, "it is longer than 1 MiB");
        }
        if (*size == source->line_capacity && !grow_line(source)) {
            return refuse_line(source, "out of memory");
        }
    }
    if (ferror(source->lines) && errno == EINTR) {
        return INPUT_END; // somebody wants to stop, and half a line is none
    }
    if (ferror(source->lines)) {
        return refuse_line(source, strerror(errno));
    }
    if (*size > 0) {
        source->line[*size] = '\0';
    }
    return *size > 0 ? INPUT_ROW : INPUT_END;
}

// The next line that has something in it.
static InputResult read_full(InputSource *source, size_t *size)
{
    if (source->pending_size > 0) {
        *size = source->pending_size;
        source->pending_size = 0;
        return INPUT_ROW;
    }
    for (int i = 0; i < EMPTY_LINES_MAX; i++) {
        InputResult found = read_text(source, size);
        if (found != INPUT_ROW || strspn(source->line, " \t\r\n") != *size) {
            return found;
        }
    }
    return refuse_line(source, "it is the last of 65536 empty lines in a row"); // an endless source of them could not be interrupted
}

static InputResult read_line(InputSource *source, const uint64_t *expected, RowBuffer *row)
{
    RulesLine   rules;
    size_t      size = 0;
    bool        is_rules = false;
    InputResult result = read_full(source, &size);
    if (result == INPUT_ROW) {
        result = take_line(source, size, expected, row, &rules, &is_rules);
    }
    if (result != INPUT_ROW || !is_rules) {
        return result;
    }
    result = check_rules(source, &rules);
    return result == INPUT_ROW ? read_line(source, expected, row) : result; // once: rules are the first line
}

bool inputsource_read_rules(InputSource *source, RulesLine *rules, bool *has_rules)
{
    size_t      size = 0;
    InputResult result = read_full(source, &size);
    *has_rules = false;
    if (result == INPUT_ROW) {
        result = take_line(source, size, NULL, NULL, rules, has_rules);
        source->pending_size = *has_rules ? 0 : size;
    }
    return result != INPUT_BAD;
}

void inputsource_compare_roots(InputSource *source)
{
    source->compares_roots = true;
}

static void say_difference(const InputSource *source, const uint8_t *root, uint64_t tick, bool has_faulted)
{
    char said[33] = "", found[33] = "";
    for (size_t i = 0; i < source->root_size; i++) {
        snprintf(said + 2 * i, 3, "%02x", source->root[i]);
        snprintf(found + 2 * i, 3, "%02x", root[i]);
    }
    if (has_faulted != source->is_fault) {
        cli_fail(TP_DIVERGED, "%s: line %llu: tick %llu: the line says that its step %s, and it %s", source->path,
                 (unsigned long long)source->root_line, (unsigned long long)tick, source->is_fault ? "faults" : "does not fault",
                 has_faulted ? "does" : "does not");
        return;
    }
    cli_fail(TP_DIVERGED, "%s: line %llu: tick %llu: the line says root %s, and the step comes to %s", source->path,
             (unsigned long long)source->root_line, (unsigned long long)tick, said, found);
}

// What the last line says against what its step came to. Once for each line.
static void compare_root(InputSource *source, tp_sim *sim)
{
    uint8_t root[16];
    bool    has_faulted = tp_sim_is_faulted(sim);
    if (!source->compares_roots || source->root_size == 0) {
        return;
    }
    tp_hash128_to_bytes(has_faulted ? tp_sim_fault_root(sim) : tp_sim_root(sim), root);
    source->compared += 1;
    if (has_faulted != source->is_fault || memcmp(root, source->root, source->root_size) != 0) {
        if (source->differences == 0) {
            say_difference(source, root, has_faulted ? tp_sim_tick(sim) : tp_sim_tick(sim) - 1, has_faulted);
        }
        source->differences += 1;
    }
    source->root_size = 0;
}

uint64_t inputsource_root_differences(InputSource *source, tp_sim *sim, uint64_t *compared)
{
    compare_root(source, sim);
    *compared = source->compared;
    return source->differences;
}

InputResult inputsource_next(InputSource *source, tp_sim *sim, RowBuffer *row)
{
    if (source->lines != NULL) {
        uint64_t expected = tp_sim_tick(sim);
        compare_root(source, sim);
        return read_line(source, &expected, row);
    }
    rowjson_clear(row);
    if (source->fill != NULL) {
        return source->fill(source->fill_self, tp_sim_tick(sim), row) ? INPUT_ROW : INPUT_END;
    }
    if (source->bots != NULL) {
        return fill_bots(source, sim, row);
    }
    fill_neutral(source->layout, row);
    return INPUT_ROW;
}

InputResult inputsource_next_line(InputSource *source, RowBuffer *row)
{
    uint64_t    expected = source->next_tick;
    InputResult result = read_line(source, source->has_begun ? &expected : NULL, row);
    source->has_begun = true;
    return result;
}

bool inputsource_check(InputSource *source, RowBuffer *row)
{
    InputResult result = inputsource_next_line(source, row);
    if (result == INPUT_END) {
        inputsource_refuse_empty(source);
        return false;
    }
    while (result == INPUT_ROW) {
        result = inputsource_next_line(source, row);
    }
    return result == INPUT_END;
}

const char *inputsource_name(const InputSource *source)
{
    return source->path == NULL ? "the inputs" : source->path;
}

uint64_t inputsource_line(const InputSource *source)
{
    return source->line_number;
}

void inputsource_refuse_empty(const InputSource *source)
{
    cli_fail(TP_USAGE, "%s: reading inputs: there is no line of inputs%s; write one for every tick", inputsource_name(source),
             source->has_rules ? " behind the rules" : "");
}

void inputsource_refused(const InputSource *source, uint64_t tick, const char *why)
{
    if (source->lines != NULL) {
        cli_fail(TP_USAGE, "%s: line %llu: stepping tick %llu: %s", source->path, (unsigned long long)source->line_number,
                 (unsigned long long)tick, why);
    } else {
        cli_fail(TP_INTERNAL, "stepping tick %llu: the world refuses its own input: %s", (unsigned long long)tick, why);
    }
}

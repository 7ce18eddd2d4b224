// touchworld.c: random sparse writes, each told before or after it is done.
#include "touchworld.h"

#include <string.h>

#include "tickproof/rng.h"

TP_TABLE(head_fields, TouchHead, TOUCHWORLD_HEAD_FIELDS)
TP_TABLE(mark_fields, TouchMark, TOUCHWORLD_MARK_FIELDS)
TP_TABLE(cell_fields, TouchCell, TOUCHWORLD_CELL_FIELDS)
TP_TABLE(group_fields, TouchGroup, TOUCHWORLD_GROUP_FIELDS)
TP_TABLE(tail_fields, TouchTail, TOUCHWORLD_TAIL_FIELDS)
TP_TABLE(input_fields, TouchInput, TOUCHWORLD_INPUT_FIELDS)
TP_TABLE(note_fields, TouchNote, TOUCHWORLD_NOTE_FIELDS)

static const tp_section sections[] = {
    TP_SECTION("head", TouchHead, head_fields, NULL, 1, TP_SIM),
    TP_SECTION("marks", TouchMark, mark_fields, NULL, 1501, TP_SIM),
    TP_SECTION("cells", TouchCell, cell_fields, "cells", 0, TP_SIM),
    TP_SECTION("groups", TouchGroup, group_fields, NULL, TOUCHWORLD_GROUP_COUNT, TP_DERIVED),
    TP_SECTION("tail", TouchTail, tail_fields, NULL, 1, TP_SIM),
};

static const tp_config_item config[TOUCHWORLD_CONFIG_COUNT] = {
    { "cells", "count", "cells of 16 bytes", 15000, 64, 2000000 },
    { "writes", "count", "cells written per tick at random places", 6, 0, 100000 },
    { "pages", "count", "pages of cells written per tick in order", 0, 0, 100000 },
    { "stride", "pages", "from one of these to the next", 1, 1, 100000 },
    { "untold", "step", "leaves one write untold; 0: none", 0, 0, 1000000 },
};

static const tp_record_type input_type = TP_RECORD("input", TouchInput, input_fields, "what to write beside the random cells");
static const tp_record_type events[] = { TP_RECORD("note", TouchNote, note_fields, "a cell that was noted") };

enum { PAGE_CELLS = TP_TOUCH_PAGE / sizeof(TouchCell), BURST_CELLS = 2500 };

typedef struct {
    TouchHead  *head;
    TouchMark  *marks;
    TouchCell  *cells;
    TouchGroup *groups;
    TouchTail  *tail;
    uint32_t    cell_count;
    uint32_t    tick;
    tp_pcg32    rng;
    tp_context *context;
} Step;

static void init(void *state, tp_context *context)
{
    TouchHead *head = tp_section_at(context, state, TOUCHWORLD_HEAD);
    TouchCell *cells = tp_section_at(context, state, TOUCHWORLD_CELLS);
    tp_pcg32   rng = tp_pcg32_make(context->setup->seed, 9);
    for (uint32_t i = 0; i < context->section_count[TOUCHWORLD_CELLS]; i++) {
        cells[i].sum = tp_pcg32_next(&rng);
    }
    head->rng_state = rng.state;
    head->rng_increment = rng.increment;
    head->cursor = 7; // off the edge of a leaf, where one page would make two leaves dirty
}

static void rebuild(void *state, tp_context *context)
{
    TouchGroup      *groups = tp_section_at(context, state, TOUCHWORLD_GROUPS);
    const TouchCell *cells = tp_section_at(context, state, TOUCHWORLD_CELLS);
    memset(groups, 0, TOUCHWORLD_GROUP_COUNT * sizeof(*groups));
    for (uint32_t i = 0; i < context->section_count[TOUCHWORLD_CELLS]; i++) {
        groups[i % TOUCHWORLD_GROUP_COUNT].sum += cells[i].sum;
    }
}

static void change_cell(Step *step, uint32_t index, uint32_t amount)
{
    TouchGroup *group = &step->groups[index % TOUCHWORLD_GROUP_COUNT];
    step->cells[index].sum += amount;
    step->cells[index].writes += 1;
    step->cells[index].last = step->tick;
    group->sum += amount;
    tp_touch(step->context, group, sizeof(*group));
}

static void write_cell(Step *step, uint32_t index, uint32_t amount)
{
    TouchCell *cell = &step->cells[index];
    if (amount % 2 == 0) {
        tp_touch(step->context, cell, sizeof(*cell));
    }
    change_cell(step, index, amount);
    if (amount % 2 != 0) {
        tp_touch(step->context, cell, sizeof(*cell));
    }
}

static void write_random(Step *step, int64_t writes)
{
    for (int64_t i = 0; i < writes; i++) {
        uint32_t cell = tp_pcg32_below(&step->rng, step->cell_count);
        uint32_t amount = 1 + tp_pcg32_below(&step->rng, 1000);
        write_cell(step, cell, amount);
        if (amount % 5 == 0) {
            TouchMark *mark = &step->marks[cell % 1501];
            mark->hits += amount;
            mark->kind = (uint8_t)(amount % 8);
            mark->last = (uint16_t)step->tick;
            tp_touch(step->context, mark, sizeof(*mark));
        }
    }
}

static void write_pages(Step *step, int64_t pages, int64_t stride)
{
    uint32_t page_count = step->cell_count / PAGE_CELLS;
    for (int64_t i = 0; i < pages && page_count > 0; i++) {
        step->head->cursor = (uint32_t)((step->head->cursor + stride) % page_count);
        write_cell(step, step->head->cursor * PAGE_CELLS, 3 + step->tick % 100);
    }
}

static void write_burst(Step *step, uint8_t place)
{
    uint32_t first = (uint32_t)((uint64_t)step->cell_count * (place % 16) / 16);
    uint32_t count = step->cell_count - first < BURST_CELLS ? step->cell_count - first : BURST_CELLS;
    tp_touch(step->context, &step->cells[first], count * sizeof(*step->cells));
    for (uint32_t i = first; i < first + count; i++) {
        change_cell(step, i, 7 + place);
    }
}

static void play(Step *step, const TouchInput *input)
{
    if ((input->action & TOUCHWORLD_BURST) != 0) {
        write_burst(step, input->place);
    }
    if ((input->action & TOUCHWORLD_NOTE) != 0) {
        TouchNote note = { .cell = input->place };
        tp_emit(step->context, 0, &note);
    }
    if ((input->action & TOUCHWORLD_FAULT) != 0) {
        change_cell(step, step->cell_count - 1, 1);
        TP_FAULT(TP_FAULT_WORLD, "told to stop between a write and its tp_touch");
    }
}

static tp_step_result step(void *state, const tp_tick *tick, tp_context *context)
{
    const int64_t *values = context->setup->config;
    Step           one = {
                  .head = tp_section_at(context, state, TOUCHWORLD_HEAD),
                  .marks = tp_section_at(context, state, TOUCHWORLD_MARKS),
                  .cells = tp_section_at(context, state, TOUCHWORLD_CELLS),
                  .groups = tp_section_at(context, state, TOUCHWORLD_GROUPS),
                  .tail = tp_section_at(context, state, TOUCHWORLD_TAIL),
                  .cell_count = context->section_count[TOUCHWORLD_CELLS],
                  .tick = (uint32_t)tick->tick,
                  .context = context,
    };
    const TouchInput *inputs = tick->inputs;
    tp_touch(context, one.head, sizeof(*one.head));
    one.rng = (tp_pcg32){ one.head->rng_state, one.head->rng_increment };
    write_random(&one, values[TOUCHWORLD_CONFIG_WRITES]);
    write_pages(&one, values[TOUCHWORLD_CONFIG_PAGES], values[TOUCHWORLD_CONFIG_STRIDE]);
    for (uint32_t slot = 0; slot < tick->players; slot++) {
        play(&one, &inputs[slot]);
    }
    if (tick->tick + 1 == (uint64_t)values[TOUCHWORLD_CONFIG_UNTOLD]) {
        change_cell(&one, one.cell_count / 2, 11); // the planted lie
    }
    one.tail->trail[tick->tick % 13] += 1;
    tp_touch(context, one.tail, sizeof(*one.tail));
    one.head->rng_state = one.rng.state;
    one.head->writes += 1;
    return TP_STEP_OK;
}

#define TOUCHWORLD(promise)                                                                                                     \
    {                                                                                                                           \
        .struct_size = sizeof(tp_world), .abi = TP_WORLD_ABI, .name = "touchworld", .revision = 1, .text = "sparse writes",     \
        .tick_rate_hz = 60, .players_min = TOUCHWORLD_PLAYERS, .players_max = TOUCHWORLD_PLAYERS,                               \
        .players_standard = TOUCHWORLD_PLAYERS, .config = config, .config_count = TOUCHWORLD_CONFIG_COUNT,                      \
        .sections = sections, .section_count = TP_COUNT_OF(sections), .input = &input_type, .events = events, .event_count = 1, \
        .events_max = 4, .init = init, .step = step, .rebuild = rebuild, .flags = (promise),                                    \
    }

const tp_world touchworld = TOUCHWORLD(TP_WORLD_TRACKS_WRITES);
const tp_world touchworld_whole = TOUCHWORLD(0);

tp_row touchworld_row(uint8_t bytes[1 + 2 * TOUCHWORLD_PLAYERS], uint8_t action, uint8_t place)
{
    memset(bytes, 0, 1 + 2 * TOUCHWORLD_PLAYERS);
    bytes[0] = 3; // both are in
    bytes[1] = action;
    bytes[2] = place;
    return (tp_row){ .presence = bytes, .inputs = bytes + 1 };
}

// sim.c: creation and the step: guard, native forms, events, and the way back from a fault.
#include "sim_internal.h"

#include <stdlib.h>
#include <string.h>

enum { RECOVER_TICKS = 64 };

static bool sim_emit(tp_context *context, uint32_t type, const void *data)
{
    tp_sim         *sim = context->host;
    const tp_world *world = sim->world;
    if (type >= world->event_count) {
        TP_FAULT(TP_FAULT_INDEX, "an event type that the world does not list");
    }
    if (sim->event_count >= world->events_max) {
        sim->events_dropped += 1;
        return false;
    }
    uint32_t size = world->events[type].struct_size;
    uint8_t *place = sim->event_structs + (size_t)sim->event_count * sim->event_stride;
    if (size > 0) {
        memcpy(place, data, size);
    }
    sim->events[sim->event_count] = (tp_event){ .tick = sim->tick, .type = type, .size = size, .data = place };
    sim->event_count += 1;
    return true;
}

static bool refuse_emit(tp_context *context, uint32_t type, const void *data)
{
    (void)context;
    (void)type;
    (void)data;
    return false;
}

static void *take(size_t size, bool *is_short)
{
    // Rounded up so that aligned_alloc is content; zeroed so that no byte of a state is ever undefined.
    size_t rounded = (size + 63) / 64 * 64;
    rounded = rounded == 0 ? 64 : rounded;
    void *memory = aligned_alloc(64, rounded);
    if (memory == NULL) {
        *is_short = true;
        return NULL;
    }
    memset(memory, 0, rounded);
    return memory;
}

static size_t largest_section(const tp_layout *layout)
{
    size_t largest = 0;
    for (uint32_t i = 0; i < layout->world->section_count; i++) {
        largest = layout->section_canonical_size[i] > largest ? layout->section_canonical_size[i] : largest;
    }
    return largest;
}

static bool take_memory(tp_sim *sim, const tp_sim_options *options)
{
    const tp_world *world = sim->world;
    uint32_t        players = sim->layout.setup.players;
    size_t          row_max = tp_row_size_fixed(players, sim->layout.input_size) + TP_COMMAND_BYTES_MAX;
    uint32_t        event_size = 0;
    uint32_t        struct_size = 0;
    bool            is_short = false;
    for (uint32_t i = 0; i < world->event_count; i++) {
        event_size = tp_record_size(&world->events[i]) > event_size ? tp_record_size(&world->events[i]) : event_size;
        struct_size = world->events[i].struct_size > struct_size ? world->events[i].struct_size : struct_size;
    }
    sim->event_stride = (struct_size + 15) / 16 * 16;
    sim->leaf_capacity = world->opaque != NULL ? (uint32_t)(sim->state_capacity / TP_LEAF_SIZE + 1) : sim->layout.leaf_count;
    sim->scratch_capacity = world->opaque != NULL ? sim->state_capacity : largest_section(&sim->layout);
    sim->input_bytes_capacity = row_max;
    sim->input_bytes = take(row_max, &is_short);
    sim->leaves = take(((size_t)sim->leaf_capacity + 2) * sizeof(uint64_t), &is_short);
    sim->root_bytes = take(28 + ((size_t)sim->leaf_capacity + 2) * sizeof(uint64_t), &is_short);
    sim->inputs = take(world->input != NULL ? (size_t)players * world->input->struct_size : 0, &is_short);
    if (world->command_count > 0) {
        // A native struct has the size of its canonical bytes, since no struct has gaps; each is rounded up to 16.
        sim->commands = take(TP_COMMANDS_MAX * sizeof(tp_command), &is_short);
        size_t command_bytes_size = (size_t)TP_COMMAND_BYTES_MAX + (size_t)TP_COMMANDS_MAX * SIM_COMMAND_ALIGN;
        sim->command_bytes = take(command_bytes_size, &is_short);
        sim_probe_fill(sim, sim->command_bytes, command_bytes_size);
    }
    sim->parsed = take(TP_COMMANDS_MAX * sizeof(tp_command), &is_short);
    sim->events = take((size_t)world->events_max * sizeof(tp_event), &is_short);
    sim->event_structs = take((size_t)world->events_max * sim->event_stride, &is_short);
    sim_probe_fill(sim, sim->event_structs, (size_t)world->events_max * sim->event_stride);
    sim_probe_fill(sim, sim->inputs, world->input != NULL ? (size_t)players * world->input->struct_size : 0);
    sim->event_bytes = take(8 + (size_t)world->events_max * (4 + event_size), &is_short);
    sim->scratch = take(sim->scratch_capacity, &is_short);
    sim->recover_ticks = options->recover_ticks != 0 ? options->recover_ticks : RECOVER_TICKS;
    sim->recover.bytes = take(sim->state_capacity, &is_short);
    sim->journal_capacity = row_max + 4 + (size_t)sim->recover_ticks * (4 + tp_row_size_fixed(players, sim->layout.input_size));
    sim->journal = take(sim->journal_capacity, &is_short);
    sim->recover.map = SIM_MAP_RECOVER;
    sim->ring_capacity = options->ring_capacity;
    sim->ring = sim->ring_capacity > 0 ? calloc(sim->ring_capacity, sizeof(*sim->ring)) : NULL;
    is_short = is_short || (sim->ring_capacity > 0 && sim->ring == NULL);
    for (uint32_t i = 0; !is_short && i < sim->ring_capacity; i++) {
        sim->ring[i].bytes = take(sim->state_capacity, &is_short);
        sim->ring[i].map = SIM_MAP_RING + i;
    }
    return !is_short && sim_touch_take(sim, options->check_touched);
}

static void init_body(void *argument)
{
    tp_sim *sim = argument;
    sim->world->init(sim->state, &sim->context);
    if (sim->world->rebuild != NULL) {
        sim->world->rebuild(sim->state, &sim->context);
    }
}

static bool make_state(tp_sim *sim, tp_error *error)
{
    tp_fault fault;
    sim->context = tp_layout_context(&sim->layout);
    sim->context.host = sim;
    sim->context.emit = refuse_emit; // there is no tick yet that an event could belong to
    sim_probe_before(sim, false);
    sim_floats_note(sim);
    bool is_made = tp_guard_run(init_body, sim, &fault);
    bool is_kept = sim_floats_are_kept(sim);
    sim_probe_after(sim, false);
    if (!is_made) {
        return tp_error_set(error, "world '%s' faulted in init: %s: %s", sim->world->name, tp_fault_name(fault.code), fault.what);
    }
    if (!is_kept) {
        return tp_error_set(error, "world '%s' in init: %s", sim->world->name, sim->floats_text);
    }
    sim->context.emit = sim_emit;
    if (sim->world->opaque != NULL) {
        return true;
    }
    // The first state must pass what every foreign state must: else a keyframe of it could never be read back.
    tp_error reason;
    size_t   size = 0;
    uint8_t *bytes = malloc(sim->layout.canonical_size + 1);
    void    *block = malloc(sim->layout.block_size + 1);
    bool     is_good = bytes != NULL && block != NULL && tp_sim_encode(sim, bytes, sim->layout.canonical_size, &size);
    if (!is_good) {
        tp_error_set(error, "out of memory");
    } else if (!tp_layout_decode(&sim->layout, bytes, size, block, &reason)) {
        is_good = tp_error_set(error, "world '%s' makes a first state that it would refuse to read: %.150s", sim->world->name, reason.text);
    }
    free(bytes);
    free(block);
    return is_good;
}

static void opaque_make_body(void *argument)
{
    OpaqueCall      *call = argument;
    const tp_setup  *setup = &call->sim->layout.setup;
    const tp_opaque *opaque = call->sim->world->opaque;
    call->size = opaque->size_max(setup);
    call->sim->state = opaque->create(setup);
    call->is_good = true;
}

tp_sim *tp_sim_create(const tp_world *world, const tp_setup *setup, const tp_sim_options *options, tp_error *error)
{
    static const tp_sim_options standard;
    options = options != NULL ? options : &standard;
    tp_sim *sim = calloc(1, sizeof(*sim));
    if (sim == NULL) {
        tp_error_set(error, "out of memory");
        return NULL;
    }
    if (!tp_layout_init(&sim->layout, world, setup, error) ||
        !tp_rules_init(&sim->rules, &sim->layout, options->algorithm != 0 ? options->algorithm : TP_HASH_XXH3, error)) {
        free(sim);
        return NULL;
    }
    sim->world = world;
    sim->checks_floats = world->opaque != NULL || options->check_floats;
    sim->probe = options->probe != NULL ? *options->probe : (tp_sim_probe){ 0 };
    sim->state_capacity = sim->layout.block_size;
    bool is_short = false;
    if (world->opaque != NULL) {
        OpaqueCall call = { .sim = sim };
        if (!sim_opaque_guarded(&call, opaque_make_body)) {
            tp_error_set(error, "world '%s' faulted while it was made", world->name);
            free(sim);
            return NULL;
        }
        sim->state_capacity = call.size;
        if (sim->state_capacity == 0 || sim->state_capacity > TP_STATE_SIZE_MAX) {
            tp_error_set(error, "world '%s' asks for a state of %zu bytes: 1 to %d", world->name, sim->state_capacity, TP_STATE_SIZE_MAX);
            if (sim->state != NULL) {
                world->opaque->destroy(sim->state);
            }
            free(sim);
            return NULL;
        }
        is_short = sim->state == NULL;
    } else {
        is_short = !sim_probe_take_block(sim);
    }
    if (is_short || !take_memory(sim, options)) {
        tp_error_set(error, "out of memory for a world of %zu bytes", sim->state_capacity);
        tp_sim_destroy(sim);
        return NULL;
    }
    if (!make_state(sim, error)) {
        tp_sim_destroy(sim);
        return NULL;
    }
    sim_touch_begin(sim);
    // Before the first tick both leaves are zero by definition.
    sim->is_input_leaf_known = true;
    sim->is_event_leaf_known = true;
    return sim;
}

void tp_sim_destroy(tp_sim *sim)
{
    if (sim == NULL) {
        return;
    }
    if (sim->world->opaque == NULL) {
        free(sim->state_memory);
    } else if (sim->state != NULL) {
        sim->world->opaque->destroy(sim->state);
    }
    for (uint32_t i = 0; sim->ring != NULL && i < sim->ring_capacity; i++) {
        free(sim->ring[i].bytes);
    }
    free(sim->ring);
    sim_touch_free(sim);
    free(sim->journal);
    free(sim->recover.bytes);
    free(sim->scratch);
    free(sim->event_bytes);
    free(sim->event_structs);
    free(sim->events);
    free(sim->parsed);
    free(sim->command_bytes);
    free(sim->commands);
    free(sim->inputs);
    free(sim->root_bytes);
    free(sim->leaves);
    free(sim->input_bytes);
    free(sim);
}

void sim_forget_roots(tp_sim *sim)
{
    sim->are_leaves_known = false;
    sim->is_root_known = false;
}

// One guarded step of an accepted row. True when it finished.
static bool step_guarded(tp_sim *sim, const tp_row *row)
{
    tp_tick tick = {
        .tick = sim->tick,
        .players = sim->layout.setup.players,
        .presence = row->presence,
        .inputs = sim->inputs,
        .command_count = row->command_count,
        .commands = sim->commands,
    };
    sim->event_count = 0;
    sim->events_dropped = 0;
    tp_guard_push(&sim->guard);
    if (setjmp(sim->guard.place) != 0) {
        sim->fault = sim->guard.fault;
        (void)sim_floats_are_kept(sim);
        sim_probe_after(sim, true);
        return false;
    }
    sim_probe_before(sim, true);
    sim_floats_note(sim);
    tp_step_result result = sim->world->step(sim->state, &tick, &sim->context);
    bool           is_kept = sim_floats_are_kept(sim);
    sim_probe_after(sim, true);
    tp_guard_pop(&sim->guard);
    if (!is_kept) {
        sim->fault = (tp_fault){ .code = TP_FAULT_WORLD, .what = sim->floats_text, .file = sim->world->name };
        return false;
    }
    if (result != TP_STEP_OK) {
        sim->fault = (tp_fault){ .code = TP_FAULT_WORLD, .what = "the world's step returned a fault", .file = sim->world->name };
        return false;
    }
    return true;
}

static bool step_checked(tp_sim *sim, const tp_row *row)
{
    sim_touch_before_step(sim);
    return step_guarded(sim, row) && sim_touch_after_step(sim);
}

// Counts the tick as done.
static void finish_tick(tp_sim *sim, const tp_row *row)
{
    sim_row_keep(sim, row);
    sim->is_event_leaf_known = false;
    sim_forget_roots(sim);
    sim->tick += 1;
}

static bool journal_row(tp_sim *sim, const tp_row *row)
{
    bool is_due = !sim->recover.is_set || sim->tick - sim->recover.tick >= sim->recover_ticks;
    if (!is_due) {
        size_t room = sim->journal_capacity - sim->journal_size;
        size_t size = room > 4 ? tp_row_encode(&sim->layout, row, sim->journal + sim->journal_size + 4, room - 4) : 0;
        if (size > 0) {
            bytes_put_u32(sim->journal + sim->journal_size, (uint32_t)size);
            sim->journal_size += 4 + size;
            return true;
        }
    }
    // Due, or the journal is full of commands: start again from here.
    if (!sim_state_save(sim, &sim->recover)) {
        return false;
    }
    size_t size = tp_row_encode(&sim->layout, row, sim->journal + 4, sim->journal_capacity - 4);
    bytes_put_u32(sim->journal, (uint32_t)size);
    sim->journal_size = 4 + size;
    return true;
}

// Brings the state before the faulted tick back: the last copy, then every journalled row but the last.
static void recover_state(tp_sim *sim, uint64_t fault_tick)
{
    tp_fault fault = sim->fault;
    size_t   offset = 0;
    bool     is_same = sim_state_load(sim, &sim->recover);
    while (is_same && sim->tick < fault_tick) {
        size_t   size = bytes_get_u32(sim->journal + offset);
        tp_row   row;
        tp_error error;
        is_same = sim_row_parse(sim, sim->journal + offset + 4, size, &row, &error) && sim_row_accept(sim, &row, &error) &&
                  step_checked(sim, &row);
        if (is_same) {
            finish_tick(sim, &row);
        }
        offset += 4 + size;
    }
    sim->fault = fault;
    // The last tick's leaf is known; the events themselves may or may not have come back, so that nobody sees them.
    (void)sim_event_leaf_now(sim);
    sim->event_count = 0;
    sim->events_dropped = 0;
    if (!is_same) {
        sim_touch_all(sim); // the second run stopped somewhere, too
        // The same rows did something else the second time: said instead of hidden, the fault stands at an earlier tick.
        sim->fault.what = "the step is not deterministic: stepping up to the fault again did not reach it";
    }
}

tp_sim_status tp_sim_step(tp_sim *sim, const tp_row *row, tp_error *error)
{
    if (sim->is_faulted) {
        tp_error_set(error, "the world faulted at tick %llu", (unsigned long long)sim->tick);
        return TP_SIM_REFUSED;
    }
    if (!sim_row_accept(sim, row, error)) {
        return TP_SIM_REFUSED;
    }
    if (!journal_row(sim, row)) {
        sim->has_lost_state = true;
        tp_error_set(error, "the world could not save its state at tick %llu", (unsigned long long)sim->tick);
        return TP_SIM_REFUSED;
    }
    if (step_checked(sim, row)) {
        finish_tick(sim, row);
        return TP_SIM_OK;
    }
    sim_touch_all(sim); // a step that stops half-way may have written what it did not come to tell
    sim_row_keep(sim, row);
    sim->fault_input_leaf = sim_input_leaf_now(sim);
    recover_state(sim, sim->tick);
    sim->is_faulted = true;
    tp_error_set(error, "%s: %s", tp_fault_name(sim->fault.code), sim->fault.what);
    return TP_SIM_FAULTED;
}

tp_sim_status tp_sim_step_bytes(tp_sim *sim, const uint8_t *row, size_t size, tp_error *error)
{
    tp_row parsed;
    if (!sim_row_parse(sim, row, size, &parsed, error)) {
        return TP_SIM_REFUSED;
    }
    return tp_sim_step(sim, &parsed, error);
}

bool tp_sim_is_sound(const tp_sim *sim)
{
    return !sim->has_lost_state;
}

const tp_layout *tp_sim_layout(const tp_sim *sim)
{
    return &sim->layout;
}

const tp_rules *tp_sim_rules(const tp_sim *sim)
{
    return &sim->rules;
}

uint32_t tp_sim_ring_capacity(const tp_sim *sim)
{
    return sim->ring_capacity;
}

uint64_t tp_sim_tick(const tp_sim *sim)
{
    return sim->tick;
}

bool tp_sim_is_faulted(const tp_sim *sim)
{
    return sim->is_faulted;
}

const tp_fault *tp_sim_fault(const tp_sim *sim)
{
    return &sim->fault;
}

bool tp_sim_has_untold(const tp_sim *sim)
{
    return sim->is_faulted && sim->fault.what == sim->touch.untold;
}

void *tp_sim_state(tp_sim *sim)
{
    sim_forget_roots(sim); // the caller may be about to change it
    sim->touch.is_lent = true;
    return sim->state;
}

tp_view tp_sim_view(const tp_sim *sim)
{
    return (tp_view){
        .setup = &sim->layout.setup,
        .section_offset = sim->layout.section_offset,
        .section_count = sim->layout.section_count,
        .tick = sim->tick,
        .state = sim->state,
        .event_count = sim->event_count,
        .events_dropped = sim->events_dropped,
        .events = sim->events,
    };
}

typedef struct {
    const tp_world *world;
    tp_view         view;
    char           *text;
    size_t          size;
} DescribeCall;

static void describe_body(void *argument)
{
    DescribeCall *call = argument;
    call->world->describe(&call->view, call->text, call->size);
}

bool tp_sim_describe(const tp_sim *sim, char *text, size_t size)
{
    DescribeCall call = { .world = sim->world, .view = tp_sim_view(sim), .text = text, .size = size };
    if (sim->world->describe == NULL || size == 0) {
        return false;
    }
    text[0] = '\0';
    bool is_done = tp_guard_run(describe_body, &call, NULL);
    text[size - 1] = '\0';
    return is_done;
}

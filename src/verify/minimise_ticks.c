// minimise_ticks.c: the passes that make a run shorter.
#include "minimise_internal.h"

#include <stdlib.h>
#include <string.h>

enum {
    BLOCK_TICKS_MIN = 8,   // what is smaller is left to the passes that look at single items
    BLOCKS_MAX      = 128,
    REFUSED_MAX     = 6,   // a world that minds this often how much time has passed will mind it again
};

static bool drop_commands(tp_inputs *inputs, uint64_t first, uint64_t ticks)
{
    uint32_t kept = minimise_first_command(inputs, first), next = minimise_first_command(inputs, first + ticks);
    uint32_t dropped = next - kept;
    memmove(inputs->commands + kept, inputs->commands + next, (inputs->command_count - next) * sizeof(*inputs->commands));
    inputs->command_count -= dropped;
    return dropped > 0;
}

// Nobody does anything in these ticks. False: nobody did.
static bool quieten(tp_inputs *inputs, uint64_t first, uint64_t ticks)
{
    bool has_changed = drop_commands(inputs, first, ticks);
    for (uint32_t slot = 0; slot < inputs->players; slot++) {
        has_changed = minimise_neutralise(inputs, slot, first, ticks) || has_changed;
    }
    return has_changed;
}

static bool try_without(MinimiseSearch *search, uint64_t first, uint64_t ticks)
{
    if (search->options->keep_ticks || search->refused >= REFUSED_MAX || ticks >= search->best->ticks || !minimise_begin(search)) {
        return false;
    }
    tp_inputs_remove(&search->work, first, ticks);
    bool is_gone = minimise_try(search);
    search->refused = is_gone ? 0 : search->refused + 1;
    return is_gone;
}

static bool try_quiet(MinimiseSearch *search, uint64_t first, uint64_t ticks)
{
    return minimise_begin(search) && quieten(&search->work, first, ticks) && minimise_try(search);
}

bool minimise_blocks(MinimiseSearch *search)
{
    bool has_changed = try_quiet(search, 0, search->best->ticks);
    search->refused = 0;
    for (uint64_t divisor = 2; divisor <= BLOCKS_MAX && search->best->ticks / divisor >= BLOCK_TICKS_MIN; divisor *= 2) {
        uint64_t block = (search->best->ticks + divisor - 1) / divisor;
        for (uint64_t first = 0; first < search->best->ticks && !search->is_over;) {
            uint64_t ticks = block < search->best->ticks - first ? block : search->best->ticks - first;
            if (try_without(search, first, ticks)) {
                has_changed = true; // the next block has come here
                continue;
            }
            has_changed = try_quiet(search, first, ticks) || has_changed;
            first += ticks;
        }
    }
    return has_changed;
}

bool minimise_tail(MinimiseSearch *search)
{
    bool     has_changed = false;
    uint64_t without = 0; // so few are too few
    // A trial that says its tick may cut the best to less than what was too few before: not everything that holds is monotonous.
    while (!search->is_exact && search->best->ticks > without + 1 && minimise_begin(search)) {
        uint64_t middle = without + (search->best->ticks - without) / 2;
        tp_inputs_cut(&search->work, middle);
        if (minimise_try(search)) {
            has_changed = true;
        } else {
            without = middle;
        }
    }
    return has_changed;
}

// How many rows from `first` on are the same, without commands between them.
static uint64_t equal_rows(const tp_inputs *inputs, uint64_t first)
{
    size_t   size = (size_t)inputs->players * inputs->input_size;
    uint64_t end = first + 1;
    uint32_t next = minimise_first_command(inputs, first);
    uint64_t command_tick = next < inputs->command_count ? inputs->commands[next].tick : UINT64_MAX;
    while (end < inputs->ticks && command_tick > end &&
           memcmp(inputs->presence + first * inputs->presence_size, inputs->presence + end * inputs->presence_size, inputs->presence_size) == 0 &&
           memcmp(inputs->inputs + first * size, inputs->inputs + end * size, size) == 0) {
        end++;
    }
    return end - first;
}

// Since equal rows are equal, it does not matter which of them go: only how many are left is looked for.
static bool shorten(MinimiseSearch *search, uint64_t first)
{
    bool     has_changed = false;
    uint64_t length = equal_rows(search->best, first);
    uint64_t taken = length - 1;
    while (taken > 0 && !search->is_over && minimise_begin(search)) {
        tp_inputs_remove(&search->work, first, taken);
        if (!minimise_try(search)) {
            taken /= 2;
            continue;
        }
        has_changed = true;
        length = first < search->best->ticks ? equal_rows(search->best, first) : 1;
        taken = taken < length ? taken : length - 1;
    }
    return has_changed;
}

bool minimise_ticks(MinimiseSearch *search)
{
    MinimiseItems list = { 0 };
    for (uint64_t tick = 0; tick < search->best->ticks && !search->is_over;) {
        uint64_t length = equal_rows(search->best, tick);
        (void)minimise_add_item(search, &list, MINIMISE_TICKS, 0, tick, length);
        tick += length;
    }
    bool has_changed = minimise_leave_out(search, &list);
    for (uint64_t tick = 0; tick < search->best->ticks && !search->is_over;) {
        has_changed = shorten(search, tick) || has_changed;
        tick += tick < search->best->ticks ? equal_rows(search->best, tick) : 1;
    }
    return has_changed;
}

// Neutral for all but `kept` of the record's ticks, those at its beginning or its end.
static bool try_run(MinimiseSearch *search, const MinimiseItem *run, uint64_t kept, bool at_end)
{
    return minimise_begin(search) && minimise_neutralise(&search->work, run->which, at_end ? run->first : run->first + kept, run->ticks - kept) &&
           minimise_try(search);
}

static bool shorten_run(MinimiseSearch *search, MinimiseItem *run, bool at_end)
{
    bool     has_changed = false;
    uint64_t without = 0;
    while (run->ticks - without > 1 && !search->is_over) {
        uint64_t kept = without == 0 && !has_changed ? 1 : without + (run->ticks - without) / 2;
        if (!try_run(search, run, kept, at_end)) {
            without = kept;
            continue;
        }
        has_changed = true;
        run->first += at_end ? run->ticks - kept : 0;
        run->ticks = kept;
    }
    return has_changed;
}

bool minimise_runs(MinimiseSearch *search)
{
    MinimiseItems list = { 0 };
    bool          has_changed = false;
    if (!minimise_list_records(search, &list)) {
        free(list.items);
        return false;
    }
    for (size_t i = 0; i < list.count && !search->is_over; i++) {
        MinimiseItem *run = &list.items[i];
        if (run->first + run->ticks <= search->best->ticks) {
            has_changed = shorten_run(search, run, false) || has_changed;
            has_changed = shorten_run(search, run, true) || has_changed;
        }
    }
    free(list.items);
    return has_changed;
}

// minimise_trial.c: one trial: not asked twice in vain, believed, and cut behind the tick that shows it.
#include "minimise_internal.h"

#include <stdlib.h>
#include <string.h>

enum { MEMORY_FIRST = 1024 };

void minimise_over(MinimiseSearch *search, tp_minimise_end end)
{
    if (!search->is_over) {
        search->is_over = true;
        search->report->end = end;
    }
}

bool minimise_begin(MinimiseSearch *search)
{
    if (!search->is_over && !tp_inputs_copy(&search->work, search->best)) {
        minimise_over(search, TP_MINIMISE_NO_MEMORY);
    }
    return !search->is_over;
}

// Everything that makes a candidate another one.
static tp_hash128 hash_of(const tp_inputs *inputs)
{
    tp_hash128 parts[3] = { { inputs->ticks, inputs->command_count }, { 0, 0 }, { 0, 0 } };
    parts[1] = tp_hash128_of(TP_HASH_XXH3, inputs->presence, (size_t)inputs->ticks * inputs->presence_size);
    parts[2] = tp_hash128_of(TP_HASH_XXH3, inputs->inputs, (size_t)inputs->ticks * inputs->players * inputs->input_size);
    tp_hash128 hash = tp_hash128_of(TP_HASH_XXH3, parts, sizeof(parts));
    for (uint32_t i = 0; i < inputs->command_count; i++) {
        const tp_input_command *command = &inputs->commands[i];
        uint64_t                words[5] = { hash.lo, hash.hi, command->tick, (uint64_t)command->source << 32 | (uint64_t)command->type << 16 | command->size,
                                             tp_hash64(TP_HASH_XXH3, inputs->data + command->data, command->size) };
        hash = tp_hash128_of(TP_HASH_XXH3, words, sizeof(words));
    }
    hash.lo |= 1; // zero is a free place
    return hash;
}

static size_t place_of(const MinimiseMemory *memory, tp_hash128 hash)
{
    size_t place = (size_t)hash.hi & (memory->capacity - 1);
    while (memory->places[place].lo != 0 && !tp_hash128_equal(memory->places[place], hash)) {
        place = (place + 1) & (memory->capacity - 1);
    }
    return place;
}

static bool is_known(const MinimiseMemory *memory, tp_hash128 hash)
{
    return memory->capacity > 0 && memory->places[place_of(memory, hash)].lo != 0;
}

// What cannot be remembered is tried again: slower, and no more than that.
static void remember(MinimiseMemory *memory, tp_hash128 hash)
{
    if (memory->count * 2 >= memory->capacity) {
        MinimiseMemory larger = { .capacity = memory->capacity == 0 ? MEMORY_FIRST : memory->capacity * 2, .count = memory->count };
        larger.places = calloc(larger.capacity, sizeof(*larger.places));
        if (larger.places == NULL) {
            return;
        }
        for (size_t i = 0; i < memory->capacity; i++) {
            if (memory->places[i].lo != 0) {
                larger.places[place_of(&larger, memory->places[i])] = memory->places[i];
            }
        }
        free(memory->places);
        *memory = larger;
    }
    memory->places[place_of(memory, hash)] = hash;
    memory->count += 1;
}

static tp_trial ask(MinimiseSearch *search, const tp_inputs *inputs, tp_minimise_trial *trial)
{
    const tp_minimise_options *options = search->options;
    tp_trial                   answer = options->trial(options->to, inputs, trial);
    search->report->trials += 1;
    if (options->progress != NULL) {
        search->report->after.ticks = search->best->ticks;
        options->progress(options->progress_to, search->report);
    }
    if (answer == TP_TRIAL_STOPPED) {
        minimise_over(search, TP_MINIMISE_STOPPED);
    } else if (answer == TP_TRIAL_FAILED) {
        minimise_over(search, TP_MINIMISE_FAILED);
    }
    return answer;
}

// The candidate held. What is behind its bad tick played no part, so the rest is not tried again.
static void accept(MinimiseSearch *search, const tp_minimise_trial *trial)
{
    tp_inputs before = *search->best;
    *search->best = search->work;
    search->work = before;
    search->bad_tick = trial->bad_tick;
    search->is_exact = trial->is_exact && trial->bad_tick != UINT64_MAX;
    if (trial->is_exact && trial->bad_tick < search->best->ticks) {
        tp_inputs_cut(search->best, trial->bad_tick + 1);
    }
}

static bool try_once(MinimiseSearch *search, tp_minimise_trial *trial)
{
    tp_hash128 hash = hash_of(&search->work);
    if (search->is_over || is_known(&search->memory, hash)) {
        search->report->known += search->is_over ? 0 : 1;
        return false;
    }
    tp_trial answer = ask(search, &search->work, trial);
    if (answer == TP_TRIAL_NO) {
        remember(&search->memory, hash);
    }
    return answer == TP_TRIAL_YES;
}

// Whether the rows behind a tick that may be too early can go nevertheless.
static void try_cut(MinimiseSearch *search)
{
    tp_minimise_trial trial = { .bad_tick = UINT64_MAX, .is_exact = true };
    if (search->bad_tick + 1 >= search->best->ticks || !minimise_begin(search)) {
        return;
    }
    tp_inputs_cut(&search->work, search->bad_tick + 1);
    if (try_once(search, &trial)) {
        accept(search, &trial);
    }
}

bool minimise_try(MinimiseSearch *search)
{
    tp_minimise_trial trial = { .bad_tick = UINT64_MAX, .is_exact = true };
    if (!try_once(search, &trial)) {
        return false;
    }
    accept(search, &trial);
    if (!trial.is_exact && trial.bad_tick != UINT64_MAX) {
        try_cut(search);
    }
    return true;
}

tp_trial minimise_check(MinimiseSearch *search)
{
    tp_minimise_trial trial = { .is_check = true, .bad_tick = UINT64_MAX, .is_exact = true };
    tp_trial          answer = ask(search, search->best, &trial);
    if (answer == TP_TRIAL_YES) {
        search->bad_tick = trial.bad_tick;
        search->is_exact = trial.is_exact && trial.bad_tick != UINT64_MAX;
    }
    return answer;
}

// verify_prove.c: a checker that never said no is not a checker, so this one is lied to on request, in memory, in every way
// that a log can lie, and must notice each.
#include "verify_internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "log_mutate.h"
#include "tickproof/rng.h"
#include "unbound.h"

typedef enum {
    PROVE_FLIP,
    PROVE_FLIP_REDONE,
    PROVE_INPUT,
    PROVE_ROOT,
    PROVE_KEY,
    PROVE_CUT,
    PROVE_STATE,
    PROVE_DROP,
    PROVE_AGAIN,
    PROVE_RELOAD,
    PROVE_KINDS,
} ProveKind;

static const char *const kind_names[PROVE_KINDS] = {
    "bit flips", "bit flips, checksums redone", "inputs and commands changed", "roots and leaves changed", "keyframes changed", "cuts",
    "bits of the running state", "records left out", "unchanged and run again: must verify",
    "unchanged, states saved and loaded: must match",
};

// The unchanged log is slower to run than most changed ones, and says the same each time.
enum { AGAIN_ROUNDS = 3, RELOAD_ROUNDS = 8 };

_Static_assert(PROVE_KINDS == sizeof(((tp_proof *)0)->tried_kind) / sizeof(uint64_t), "tp_proof has a place for every kind");

const char *tp_proof_kind_name(uint32_t kind)
{
    return kind < PROVE_KINDS ? kind_names[kind] : NULL;
}

typedef struct {
    size_t   offset, size; // payload bytes
    uint32_t type;
    uint64_t tick;
} ProveRecord;

typedef struct {
    const uint8_t           *bytes;
    size_t                   size;
    uint8_t                 *copy;
    const tp_verify_options *options;
    tp_proof                *proof;
    uint64_t                 random;
    ProveRecord             *records;
    size_t                   record_count;
    tp_ident                *ident;
    UnboundList              unbound;
    uint64_t                 first_tick, ticks;
    // Planting in the running state.
    uint64_t plant_tick, plant_bit;
    bool     is_planted;
    uint64_t reload_spacing; // mean ticks between two reloads
    uint64_t reload_from;    // or the KEY to start from, 0: from the beginning
    uint64_t reload_rounds;
    uint8_t *state;          // scratch of the largest state
    size_t   state_capacity;
} Prove;

static uint64_t draw(Prove *prove, uint64_t bound)
{
    // The bias of a remainder does not matter here: this only chooses where to lie.
    return tp_splitmix64_next(&prove->random) % bound;
}

static bool list_records(Prove *prove)
{
    tp_memory_source  memory = { prove->bytes, prove->size };
    tp_source         source = tp_source_of_memory(&memory);
    tp_reader_options options = { .skip_chain = true };
    tp_reader        *reader = NULL;
    tp_log_record     record;
    size_t            capacity = 0;
    bool              has_memory = true;
    if (tp_reader_open(&source, &options, &reader) != TP_LOG_OK) {
        tp_reader_close(reader);
        return false;
    }
    while (has_memory && tp_reader_next(reader, &record) == TP_LOG_OK) {
        if (prove->record_count == capacity) {
            capacity = capacity == 0 ? 256 : capacity * 2;
            ProveRecord *records = realloc(prove->records, capacity * sizeof(*records));
            has_memory = records != NULL;
            prove->records = has_memory ? records : prove->records;
        }
        if (has_memory) {
            prove->records[prove->record_count++] =
                (ProveRecord){ (size_t)record.offset + TP_LOG_RECORD_HEAD, record.size, record.type, record.tick };
        }
    }
    prove->ident = malloc(sizeof(*prove->ident));
    has_memory = has_memory && prove->ident != NULL;
    if (has_memory) {
        *prove->ident = *tp_reader_ident(reader);
        prove->first_tick = prove->ident->first_tick;
        prove->ticks = tp_reader_ticks(reader);
    }
    tp_reader_close(reader);
    return has_memory;
}

static const ProveRecord *draw_record(Prove *prove, uint32_t type, uint32_t or_type)
{
    size_t start = (size_t)draw(prove, prove->record_count);
    for (size_t i = 0; i < prove->record_count; i++) {
        const ProveRecord *record = &prove->records[(start + i) % prove->record_count];
        if (record->type == type || record->type == or_type) {
            return record;
        }
    }
    return NULL;
}

static void plant_bit(Prove *prove, tp_sim *sim, uint64_t tick, bool is_finished)
{
    const tp_layout *layout = tp_sim_layout(sim);
    if (!is_finished || tick != prove->plant_tick || layout->world->opaque != NULL || tp_sim_is_faulted(sim)) {
        return;
    }
    // A bit of a sim section: derived ones are in no root.
    uint64_t bit = prove->plant_bit % ((uint64_t)layout->canonical_size * 8);
    for (uint32_t i = 0; i < layout->world->section_count; i++) {
        uint64_t bits = (uint64_t)layout->section_canonical_size[i] * 8;
        if (bit < bits) {
            ((uint8_t *)tp_sim_state(sim))[layout->section_offset[i] + bit / 8] ^= (uint8_t)(1u << (bit % 8));
            prove->is_planted = true;
            return;
        }
        bit -= bits;
    }
}

static void plant(void *to, tp_sim *sim, uint64_t tick, bool is_finished)
{
    Prove *prove = to;
    plant_bit(prove, sim, tick, is_finished);
    if (prove->options->each_tick != NULL) {
        prove->options->each_tick(prove->options->each_to, sim, tick, is_finished);
    }
}

// Encodes the state, wipes the memory it lay in and decodes it: what was kept anywhere else is noticed by the next root.
static void reload(void *to, tp_sim *sim, uint64_t tick, bool is_finished)
{
    Prove *prove = to;
    if (is_finished && !tp_sim_is_faulted(sim) && draw(prove, prove->reload_spacing) == 0) {
        uint64_t input_leaf = tp_sim_input_leaf(sim);
        uint64_t event_leaf = tp_sim_event_leaf(sim);
        size_t   size = 0;
        if (prove->state_capacity < tp_sim_encoded_max(sim)) {
            free(prove->state);
            prove->state_capacity = tp_sim_encoded_max(sim);
            prove->state = malloc(prove->state_capacity + 1);
        }
        if (prove->state != NULL && tp_sim_encode(sim, prove->state, prove->state_capacity, &size)) {
            const tp_layout *layout = tp_sim_layout(sim);
            if (layout->world->opaque == NULL) {
                memset(tp_sim_state(sim), 0xA5, layout->block_size);
            }
            (void)tp_sim_decode(sim, prove->state, size, tick + 1, input_leaf, event_leaf, NULL); // refused: the wiped state is found
        }
    }
    if (prove->options->each_tick != NULL) {
        prove->options->each_tick(prove->options->each_to, sim, tick, is_finished);
    }
}

// Each mutation works on prove->copy and says in words what it did. Returns the size of the mutated log, 0 when this log
// offers no place for the kind.
static size_t flip_anywhere(Prove *prove, bool is_redone, char *words, size_t room)
{
    for (int attempt = 0; attempt < 64; attempt++) {
        size_t  byte = (size_t)draw(prove, prove->size);
        uint8_t mask = (uint8_t)(1u << draw(prove, 8));
        if (is_redone && unbound_find(&prove->unbound, byte, mask) != NULL) {
            continue;
        }
        memcpy(prove->copy, prove->bytes, prove->size);
        prove->copy[byte] ^= mask;
        if (is_redone) {
            log_mutate_repair(prove->copy, prove->size);
        }
        if (memcmp(prove->copy, prove->bytes, prove->size) != 0) { // else the bit was in a CRC or chain value, redone
            snprintf(words, room, "byte %zu xor %02x", byte, mask);
            return prove->size;
        }
    }
    return 0;
}

static size_t flip_in_payload(Prove *prove, const ProveRecord *record, size_t from, size_t size, char *words, size_t room)
{
    if (record == NULL || size == 0) {
        return 0;
    }
    size_t  byte = record->offset + from + (size_t)draw(prove, size);
    uint8_t mask = (uint8_t)(1u << draw(prove, 8));
    if (unbound_find(&prove->unbound, byte, mask) != NULL) {
        return 0;
    }
    memcpy(prove->copy, prove->bytes, prove->size);
    prove->copy[byte] ^= mask;
    log_mutate_repair(prove->copy, prove->size);
    snprintf(words, room, "byte %zu xor %02x, in a record of tick %llu", byte, mask, (unsigned long long)record->tick);
    return memcmp(prove->copy, prove->bytes, prove->size) != 0 ? prove->size : 0;
}

static size_t change_row(Prove *prove, bool is_root, char *words, size_t room)
{
    const ProveRecord *record = draw_record(prove, TP_LOG_TICKS, TP_LOG_TICKS);
    if (record == NULL) {
        return 0;
    }
    tp_log_record whole = { .type = record->type, .tick = record->tick, .payload = prove->bytes + record->offset, .size = (uint32_t)record->size };
    tp_log_rows   rows = tp_log_rows_of(prove->ident, &whole);
    tp_log_row    row;
    uint64_t      wanted = draw(prove, rows.count);
    for (uint64_t i = 0; i <= wanted; i++) {
        if (!tp_log_rows_next(&rows, &row)) {
            return 0;
        }
    }
    if (is_root) {
        return row.root_size == 0 ? 0 : flip_in_payload(prove, record, (size_t)(row.root - whole.payload), row.root_size, words, room);
    }
    size_t from = (size_t)(row.inputs - whole.payload);
    size_t end = (size_t)(row.bytes - whole.payload) + row.size;
    return flip_in_payload(prove, record, from, end - from, words, room);
}

static size_t change_root(Prove *prove, char *words, size_t room)
{
    if (draw(prove, 4) != 0) {
        return change_row(prove, true, words, room);
    }
    const ProveRecord *record = draw_record(prove, TP_LOG_LEAVES, TP_LOG_END);
    if (record == NULL) {
        return 0;
    }
    bool is_end = record->type == TP_LOG_END;
    return flip_in_payload(prove, record, is_end ? 88 : 0, is_end ? 16 : record->size, words, room);
}

static size_t drop_record(Prove *prove, char *words, size_t room)
{
    size_t             at = (size_t)draw(prove, prove->record_count);
    const ProveRecord *record = &prove->records[at];
    size_t             first = record->offset - TP_LOG_RECORD_HEAD;
    size_t             end = record->offset + record->size + 4;
    memcpy(prove->copy, prove->bytes, first);
    memcpy(prove->copy + first, prove->bytes + end, prove->size - end);
    log_mutate_repair(prove->copy, prove->size - (end - first));
    snprintf(words, room, "record %zu at byte %zu left out", at, first);
    return prove->size - (end - first);
}

static size_t mutate(Prove *prove, ProveKind kind, char *words, size_t room)
{
    switch (kind) {
    case PROVE_FLIP: return flip_anywhere(prove, false, words, room);
    case PROVE_FLIP_REDONE: return flip_anywhere(prove, true, words, room);
    case PROVE_INPUT: return change_row(prove, false, words, room);
    case PROVE_ROOT: return change_root(prove, words, room);
    case PROVE_KEY: {
        const ProveRecord *record = draw_record(prove, TP_LOG_KEY, TP_LOG_KEY);
        return flip_in_payload(prove, record, 0, record != NULL ? record->size : 0, words, room);
    }
    case PROVE_CUT: {
        size_t size = (size_t)draw(prove, prove->size);
        memcpy(prove->copy, prove->bytes, size);
        snprintf(words, room, "cut to %zu bytes", size);
        return size;
    }
    case PROVE_STATE:
        if (prove->ticks == 0) {
            return 0;
        }
        prove->plant_tick = prove->first_tick + draw(prove, prove->ticks);
        prove->plant_bit = tp_splitmix64_next(&prove->random);
        memcpy(prove->copy, prove->bytes, prove->size);
        snprintf(words, room, "a bit of the state flipped after tick %llu", (unsigned long long)prove->plant_tick);
        return prove->size;
    case PROVE_DROP: return drop_record(prove, words, room);
    case PROVE_AGAIN:
    case PROVE_RELOAD: {
        // Every other time the run starts at a KEY in the middle, as somebody who joins late would.
        const ProveRecord *record = draw_record(prove, TP_LOG_KEY, TP_LOG_KEY);
        bool               is_from_key = kind == PROVE_RELOAD && ++prove->reload_rounds % 2 == 0 && record != NULL;
        prove->reload_from = is_from_key ? record->tick : 0;
        prove->reload_spacing = 1 + draw(prove, 64);
        memcpy(prove->copy, prove->bytes, prove->size);
        if (prove->reload_from > 0) {
            snprintf(words, room, "the log itself from the keyframe at tick %llu", (unsigned long long)prove->reload_from);
        } else {
            snprintf(words, room, "the log itself");
        }
        return prove->size;
    }
    case PROVE_KINDS: break;
    }
    return 0;
}

static void try_once(Prove *prove, ProveKind kind)
{
    char   words[128] = "";
    size_t size = mutate(prove, kind, words, sizeof(words));
    if (size == 0 && kind != PROVE_CUT) {
        return;
    }
    tp_memory_source  memory = { prove->copy, size };
    tp_source         source = tp_source_of_memory(&memory);
    tp_verify_options options = *prove->options;
    tp_report         report;
    options.progress = NULL;
    if (kind == PROVE_STATE || kind == PROVE_RELOAD) {
        options.each_tick = kind == PROVE_STATE ? plant : reload;
        options.each_to = prove;
    }
    bool is_control = kind == PROVE_AGAIN || kind == PROVE_RELOAD;
    options.from = kind == PROVE_RELOAD && prove->reload_from > prove->first_tick ? prove->reload_from : 0;
    options.locate_ticks = 1; // where it came apart does not matter here
    prove->is_planted = false;
    tp_verify_log(&source, &options, &report);
    if (kind == PROVE_STATE && !prove->is_planted) {
        return; // an opaque state has no bits that could be flipped from outside
    }
    tp_proof *proof = prove->proof;
    bool      is_caught = (report.verdict != TP_VERIFIED) != is_control;
    if (options.from > 0) { // a part is incomplete at best: it is right when every tick of it was checked
        is_caught = report.verdict == TP_INCOMPLETE && report.checked == prove->first_tick + prove->ticks - options.from;
    }
    proof->tried += 1;
    proof->tried_kind[kind] += 1;
    proof->caught += is_caught ? 1 : 0;
    proof->caught_kind[kind] += is_caught ? 1 : 0;
    if (!is_caught && proof->survivor[0] == '\0') {
        snprintf(proof->survivor, sizeof(proof->survivor), "%s: %s%s%.200s", kind_names[kind], words, is_control ? ": " : "",
                 is_control ? report.message : "");
    }
}

bool tp_prove_log(const uint8_t *bytes, size_t size, const tp_verify_options *options, uint64_t seed, uint64_t rounds,
                  tp_proof *proof, tp_report *report)
{
    tp_memory_source memory = { bytes, size };
    tp_source        source = tp_source_of_memory(&memory);
    Prove            prove = { .bytes = bytes, .size = size, .options = options, .proof = proof, .random = seed };
    *proof = (tp_proof){ .seed = seed };
    tp_verify_log(&source, options, report);
    if (report->verdict != TP_VERIFIED) {
        return false;
    }
    prove.copy = malloc(size);
    bool is_ready = prove.copy != NULL && list_records(&prove) && unbound_list(bytes, size, &prove.unbound);
    for (uint32_t kind = 0; is_ready && kind < PROVE_KINDS; kind++) {
        uint64_t most = kind == PROVE_AGAIN ? AGAIN_ROUNDS : kind == PROVE_RELOAD ? RELOAD_ROUNDS : rounds;
        for (uint64_t i = 0; i < rounds && i < most && !(options->stop != NULL && *options->stop); i++) {
            try_once(&prove, (ProveKind)kind);
        }
    }
    unbound_finish(&prove.unbound);
    free(prove.state);
    free(prove.ident);
    free(prove.records);
    free(prove.copy);
    if (!is_ready) {
        report->verdict = TP_INTERNAL;
        snprintf(report->message, sizeof(report->message), "out of memory for the proof");
    }
    return is_ready;
}

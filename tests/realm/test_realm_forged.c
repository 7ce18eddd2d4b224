// Foreign states: rich ones, in the middle of several drafts, in which one field after the other has another value that its range allows. Each is refused, or
// it is another state that a realm could be in: it goes on under any calls, and stays sound.
#include <criterion/criterion.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "realm_check.h"
#include "realm_dice.h"
#include "realm_rig_world.h"

enum { PLAY_ON = 50, TRIES = 24, RICH_CALLS = 600 };

typedef struct Forger {
    Rig      rig, other;
    tp_pcg32 noise;
    uint8_t *real, *bytes;
    uint32_t accepted, refused, reasons;
    uint64_t reason[256]; // hashes of texts
} Forger;

static RigSizes forger_sizes(void)
{
    RigSizes sizes = rig_small();
    sizes.items[REALM_CONFIG_BLOCKS] = 40;
    sizes.items[REALM_CONFIG_LEAVES] = 24;
    sizes.items[REALM_CONFIG_RESIDENTS] = 24;
    sizes.items[REALM_CONFIG_OWNERS] = 48;
    sizes.items[REALM_CONFIG_DYNAMICS] = 24;
    sizes.items[REALM_CONFIG_ROWS] = 1024;
    sizes.items[REALM_CONFIG_SETS] = 128;
    sizes.items[REALM_CONFIG_MEMBERS] = 128;
    sizes.items[REALM_CONFIG_JOURNAL] = 32;
    return sizes;
}

static void open_forger(Forger *forger, uint64_t seed)
{
    memset(forger, 0, sizeof(*forger));
    rig_open(&forger->rig, forger_sizes());
    rig_open(&forger->other, forger_sizes());
    forger->noise = tp_pcg32_make(seed, 3);
    forger->real = malloc(forger->rig.layout.canonical_size);
    forger->bytes = malloc(forger->rig.layout.canonical_size);
    cr_assert(forger->real != NULL && forger->bytes != NULL);
    const char *wrong = dice_play(&forger->rig, &forger->noise, RICH_CALLS);
    cr_assert_null(wrong, "seed %llu: %s", (unsigned long long)seed, wrong);
    tp_layout_encode(&forger->rig.layout, forger->rig.block, forger->real);
}

static void close_forger(Forger *forger)
{
    rig_close(&forger->rig);
    rig_close(&forger->other);
    free(forger->real);
    free(forger->bytes);
}

static void count_reason(Forger *forger, const char *text)
{
    uint64_t hash = tp_hash64(TP_HASH_XXH3, text, strlen(text));
    for (uint32_t i = 0; i < forger->reasons; i++) {
        if (forger->reason[i] == hash) {
            return;
        }
    }
    if (forger->reasons < TP_COUNT_OF(forger->reason)) {
        forger->reason[forger->reasons++] = hash;
    }
}

static void try_bytes(Forger *forger, const char *what)
{
    tp_error error = { "" };
    if (!tp_layout_decode(&forger->other.layout, forger->bytes, forger->other.layout.canonical_size, forger->other.block, &error)) {
        cr_assert_neq(error.text[0], '\0');
        count_reason(forger, error.text);
        forger->refused++;
        return;
    }
    forger->accepted++;
    tp_pcg32    noise = forger->noise;
    const char *wrong = dice_play(&forger->other, &noise, PLAY_ON);
    cr_assert_null(wrong, "%s: %s", what, wrong);
}

static uint64_t draw64(tp_pcg32 *noise)
{
    uint64_t high = tp_pcg32_next(noise);
    return high << 32 | tp_pcg32_next(noise);
}

// An end of the range, something in it, or something near to what was there.
static uint64_t draw_value(tp_pcg32 *noise, const tp_field *field, uint64_t now, uint32_t count)
{
    int64_t  low = 0, high = count;
    uint32_t how = tp_pcg32_below(noise, 6);
    switch (field->range.kind) {
    case TP_RANGE_ANY: return how < 2 ? now + 1 - 2 * how : draw64(noise) >> tp_pcg32_below(noise, 64);
    case TP_RANGE_MINMAX:
        low = field->range.min;
        high = field->range.max;
        break;
    case TP_RANGE_ENUM: high = field->range.max - 1; break;
    case TP_RANGE_INDEX:
    case TP_RANGE_HANDLE: high = count - 1; break;
    case TP_RANGE_LINK: break;
    }
    int64_t value = how == 0 ? low : how == 1 ? high : how < 4 ? (int64_t)now + (how == 2 ? 1 : -1) : INT64_MIN;
    if (value == INT64_MIN) {
        value = low + (int64_t)(draw64(noise) % ((uint64_t)(high - low) + 1));
    }
    return (uint64_t)(value < low ? low : value > high ? high : value);
}

static size_t place_of(const Forger *forger, uint32_t section, uint32_t element, const tp_field *field)
{
    size_t at = 0;
    for (uint32_t i = 0; i < section; i++) {
        at += (size_t)forger->rig.layout.section_count[i] * rig_world.sections[i].element_size;
    }
    return at + (size_t)element * rig_world.sections[section].element_size + field->offset;
}

static uint32_t target_count(const Forger *forger, const tp_field *field)
{
    for (uint32_t i = 0; field->range.target != NULL && i < rig_world.section_count; i++) {
        if (strcmp(rig_world.sections[i].name, field->range.target) == 0) {
            return forger->rig.layout.section_count[i];
        }
    }
    return 0;
}

static void try_value(Forger *forger, uint32_t section, uint32_t element, const tp_field *field, uint32_t index)
{
    bool     is_handle = field->type == TP_TYPE_HANDLE;
    uint32_t values = is_handle ? 2 : field->count, size = field->size / values;
    size_t   at = place_of(forger, section, element, field) + (size_t)(index % values) * size;
    uint64_t now = 0;
    memcpy(&now, forger->real + at, size);
    uint64_t value = draw_value(&forger->noise, field, now, target_count(forger, field));
    if (is_handle && index % 2 == 1) {
        value = now + 1 + value % 3; // a generation
    }
    memcpy(forger->bytes, forger->real, forger->rig.layout.canonical_size);
    memcpy(forger->bytes + at, &value, size);
    if (memcmp(forger->bytes + at, forger->real + at, size) == 0) {
        return;
    }
    char what[128];
    snprintf(what, sizeof(what), "%s[%u].%s[%u] = %llu, was %llu", rig_world.sections[section].name, element, field->name, index % values,
             (unsigned long long)value, (unsigned long long)now);
    try_bytes(forger, what);
}

// Elements of a pool that are live, as far as there are some; any element of another section.
static uint32_t pick_element(Forger *forger, uint32_t section)
{
    uint32_t count = forger->rig.layout.section_count[section], start = tp_pcg32_below(&forger->noise, count);
    bool     is_pool = strcmp(rig_world.sections[section].fields[0].name, "generation") == 0;
    for (uint32_t i = 0; is_pool && i < count; i++) {
        uint32_t    element = (start + i) % count, generation;
        const char *slot = (const char *)tp_section_at_const(&forger->rig.context, forger->rig.block, section) +
                           (size_t)element * rig_world.sections[section].element_size;
        memcpy(&generation, slot, sizeof(generation));
        if ((generation & 1) != 0) {
            return element;
        }
    }
    return start;
}

static void try_all_fields(Forger *forger)
{
    for (uint32_t section = 0; section < rig_world.section_count; section++) {
        for (uint32_t k = 0; k < rig_world.sections[section].field_count; k++) {
            const tp_field *field = &rig_world.sections[section].fields[k];
            for (uint32_t n = 0; n < TRIES; n++) {
                uint32_t element = pick_element(forger, section);
                try_value(forger, section, element, field, tp_pcg32_below(&forger->noise, 256));
            }
        }
    }
}

static void forge(uint64_t seed)
{
    static Forger forger;
    open_forger(&forger, seed);
    memcpy(forger.bytes, forger.real, forger.rig.layout.canonical_size);
    try_bytes(&forger, "the state itself");
    cr_assert_eq(forger.accepted, 1);
    try_all_fields(&forger);
    cr_assert_gt(forger.refused, 2000, "only %u refused", forger.refused);
    cr_assert_gt(forger.accepted, 200, "only %u accepted", forger.accepted);
    cr_assert_gt(forger.reasons, 70, "only %u reasons: most rules never refused anything", forger.reasons);
    cr_log_info("seed %llu: %u accepted, %u refused for %u reasons", (unsigned long long)seed, forger.accepted, forger.refused, forger.reasons);
    close_forger(&forger);
}

Test(realm_forged, seed_1)
{
    forge(1);
}

Test(realm_forged, seed_2)
{
    forge(2);
}

Test(realm_forged, seed_3)
{
    forge(3);
}

// Goal: the checker stands up to any sequence of calls, so that what it refuses above is refused for a reason.
Test(realm_forged, realm_03_any_calls_keep_the_invariant)
{
    uint64_t commits = 0, cancels = 0, limits = 0;
    for (uint64_t seed = 100; seed < 124; seed++) {
        Rig rig;
        rig_open(&rig, rig_small());
        tp_pcg32    noise = tp_pcg32_make(seed, 3);
        const char *wrong = dice_play(&rig, &noise, 1500);
        cr_assert_null(wrong, "seed %llu: %s", (unsigned long long)seed, wrong);
        commits += rig.engine.root->commits;
        cancels += rig.engine.root->cancels;
        limits += rig.engine.root->limit_cancels;
        rig_close(&rig);
    }
    cr_log_info("%llu commits, %llu cancels, %llu of them for want of room", (unsigned long long)commits, (unsigned long long)cancels,
                (unsigned long long)limits);
    cr_assert_gt(commits, 100);
    cr_assert_gt(cancels, 200);
}

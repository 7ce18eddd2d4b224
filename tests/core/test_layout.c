#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "bytes.h"
#include "testworld.h"

static tp_layout layout_of(uint32_t players, const int64_t *config)
{
    tp_layout layout;
    tp_setup  setup = testworld_setup(&testworld_flat, players, 7);
    tp_error  error = { "" };
    setup.config = config;
    cr_assert(tp_layout_init(&layout, &testworld_flat, &setup, &error), "%s", error.text);
    return layout;
}

Test(layout, sections_follow_one_rule)
{
    tp_layout layout = layout_of(3, NULL);
    // 48 bytes of game, 3 players of 16, head of 16, 8 balls of 16, cache of 8.
    cr_assert_eq(layout.section_offset[TESTWORLD_PLAYERS], 48);
    cr_assert_eq(layout.section_offset[TESTWORLD_BALL_HEAD], 96);
    cr_assert_eq(layout.section_offset[TESTWORLD_BALLS], 112);
    cr_assert_eq(layout.section_offset[TESTWORLD_CACHE], 240);
    cr_assert_eq(layout.block_size, 248);
    cr_assert_eq(layout.canonical_size, 240, "the derived section is not in the encoding");
    cr_assert_eq(layout.section_count[TESTWORLD_PLAYERS], 3);
}

Test(layout, counts_come_from_the_config)
{
    const int64_t config[] = { 2000, 5 };
    tp_layout     layout = layout_of(0, config);
    cr_assert_eq(layout.section_count[TESTWORLD_BALLS], 2000);
    cr_assert_eq(layout.section_count[TESTWORLD_PLAYERS], 0);
    cr_assert_eq(layout.leaf_count, 1 + 0 + 1 + 2, "32,000 bytes of balls take two leaves");
}

Test(layout, setup_out_of_range_is_refused_by_name)
{
    tp_layout     layout;
    tp_error      error;
    const int64_t config[] = { 4001, 5 };
    tp_setup      setup = testworld_setup(&testworld_flat, 2, 7);
    setup.config = config;
    cr_assert_not(tp_layout_init(&layout, &testworld_flat, &setup, &error));
    cr_assert_str_eq(error.text, "config 'balls' is 4001: 0 to 4000");
    setup.config = NULL;
    setup.players = 17;
    cr_assert_not(tp_layout_init(&layout, &testworld_flat, &setup, &error));
    cr_assert_str_eq(error.text, "17 players: world 'testflat' takes 0 to 16");
    setup.players = 2;
    setup.tick_rate_hz = 0;
    cr_assert_not(tp_layout_init(&layout, &testworld_flat, &setup, &error));
}

// Goal: the straight-from-memory path equals the encoder, which is what big-endian machines use.
Test(layout, encoder_equals_memory_on_little_endian)
{
    tp_sim  *sim = testworld_run(&testworld_flat, 4, 3, 300);
    size_t   size = 0;
    uint8_t *by_rows = malloc(tp_sim_encoded_max(sim));
    uint8_t *by_sim = malloc(tp_sim_encoded_max(sim));
    tp_layout_encode(tp_sim_layout(sim), tp_sim_state(sim), by_rows);
    cr_assert(tp_sim_encode(sim, by_sim, tp_sim_encoded_max(sim), &size));
    cr_assert_eq(size, tp_sim_layout(sim)->canonical_size);
    cr_assert_arr_eq(by_rows, by_sim, size);
    free(by_rows);
    free(by_sim);
    tp_sim_destroy(sim);
}

Test(layout, decode_inverts_encode_and_rebuilds)
{
    tp_sim          *sim = testworld_run(&testworld_flat, 4, 3, 300);
    const tp_layout *layout = tp_sim_layout(sim);
    uint8_t         *bytes = malloc(layout->canonical_size);
    uint8_t         *block = aligned_alloc(64, (layout->block_size + 63) / 64 * 64);
    tp_error         error;
    tp_layout_encode(layout, tp_sim_state(sim), bytes);
    memset(block, 0xEE, layout->block_size);
    cr_assert(tp_layout_decode(layout, bytes, layout->canonical_size, block, &error), "%s", error.text);
    cr_assert_arr_eq(block, (uint8_t *)tp_sim_state(sim), layout->block_size, "the kept derived section equals the rebuilt one");
    free(bytes);
    free(block);
    tp_sim_destroy(sim);
}

static void refuse(const tp_layout *layout, const uint8_t *good, size_t offset, uint8_t value, const char *expected)
{
    tp_error error = { "" };
    uint8_t *bytes = malloc(layout->canonical_size);
    uint8_t *block = malloc(layout->block_size);
    memcpy(bytes, good, layout->canonical_size);
    bytes[offset] = value;
    cr_assert_not(tp_layout_decode(layout, bytes, layout->canonical_size, block, &error), "offset %zu", offset);
    cr_assert_str_eq(error.text, expected);
    for (uint32_t i = 0; i < layout->block_size; i++) {
        cr_assert_eq(block[i], 0, "a refused state leaves nothing behind");
    }
    free(bytes);
    free(block);
}

// Goal: each kind of range says no, and names section, element, field and value.
Test(layout, foreign_values_out_of_range_are_refused)
{
    tp_sim          *sim = testworld_run(&testworld_flat, 2, 3, 100);
    const tp_layout *layout = tp_sim_layout(sim);
    uint8_t         *good = malloc(layout->canonical_size);
    tp_layout_encode(layout, tp_sim_state(sim), good);
    refuse(layout, good, 24, 8, "game[0].history is 8 buttons: out of its range");
    refuse(layout, good, 44, 3, "game[0].mode is 3 mode: not a value of its enum");
    refuse(layout, good, 47, 1, "game[0].reserved is 1 zero: out of its range");
    refuse(layout, good, 33, 1, "game[0].newest is [261,3]: a handle past its pool");
    refuse(layout, good, 48 + 14, 2, "players[0].is_in is 2 flag: out of its range");
    refuse(layout, good, 48 + 16 + 13, 0x7F, "players[1].balance is 32512 count: out of its range");
    refuse(layout, good, 80, 9, "ball_head[0].free_head is 9 slot: a link past its section");
    tp_error error;
    uint8_t *block = malloc(layout->block_size);
    cr_assert_not(tp_layout_decode(layout, good, layout->canonical_size - 1, block, &error));
    free(block);
    free(good);
    tp_sim_destroy(sim);
}

// Goal: taking the bytes as they are, on a machine whose memory they are, is the same as decoding them row by row: for what is accepted, and
// for what is refused and how, over states with one byte changed.
Test(layout, decode_from_memory_equals_the_rows)
{
    tp_sim   *sim = testworld_run(&testworld_flat, 4, 3, 300);
    tp_layout native = *tp_sim_layout(sim), rows = native;
    native.setup.config = native.config;
    rows.setup.config = rows.config;
    rows.is_native_canonical = false;
    uint8_t *bytes = malloc(native.canonical_size);
    uint8_t *left = aligned_alloc(64, (native.block_size + 63) / 64 * 64), *right = aligned_alloc(64, (native.block_size + 63) / 64 * 64);
    uint32_t taken = 0;
    tp_layout_encode(&native, tp_sim_state(sim), bytes);
    for (uint32_t i = 0; i < native.canonical_size * 3; i++) {
        tp_error left_error = { "" }, right_error = { "" };
        uint8_t  kept = bytes[i / 3];
        bytes[i / 3] = (uint8_t)(kept + (i % 3) * 7);
        bool is_taken = tp_layout_decode(&native, bytes, native.canonical_size, left, &left_error);
        cr_assert_eq(is_taken, tp_layout_decode(&rows, bytes, rows.canonical_size, right, &right_error), "byte %u", i / 3);
        cr_assert_str_eq(left_error.text, right_error.text);
        cr_assert_arr_eq(left, right, native.block_size);
        taken += is_taken;
        bytes[i / 3] = kept;
    }
    cr_assert_gt(taken, native.canonical_size, "unchanged ones are taken");
    cr_assert_lt(taken, native.canonical_size * 3, "and some changed ones are not");
    free(bytes);
    free(left);
    free(right);
    tp_sim_destroy(sim);
}

// Goal: what ranges cannot say, the world's validate does.
Test(layout, validate_runs_on_foreign_states)
{
    tp_sim          *sim = testworld_run(&testworld_flat, 2, 3, 1);
    const tp_layout *layout = tp_sim_layout(sim);
    uint8_t         *good = malloc(layout->canonical_size);
    tp_layout_encode(layout, tp_sim_state(sim), good);
    refuse(layout, good, 84, 2, "the world refuses the state: the count of live slots is wrong");
    free(good);
    tp_sim_destroy(sim);
}

Test(layout, difference_names_the_field_in_its_unit)
{
    tp_sim          *sim = testworld_run(&testworld_flat, 2, 3, 100);
    const tp_layout *layout = tp_sim_layout(sim);
    uint8_t         *left = malloc(layout->canonical_size);
    uint8_t         *right = malloc(layout->canonical_size);
    tp_difference    difference;
    tp_layout_encode(layout, tp_sim_state(sim), left);
    tp_layout_encode(layout, tp_sim_state(sim), right);
    cr_assert_not(tp_layout_difference(layout, left, right, &difference));
    bytes_put_u32(left + 64, 98304);
    bytes_put_u32(right + 64, (uint32_t)-98304);
    cr_assert(tp_layout_difference(layout, left, right, &difference));
    cr_assert_str_eq(difference.place, "players[1].x");
    cr_assert_str_eq(difference.left, "1.5 units (raw 98304)");
    cr_assert_str_eq(difference.right, "-1.5 units (raw -98304)");
    cr_assert_eq(difference.offset, 64);
    right[28] ^= 1;
    cr_assert(tp_layout_difference(layout, left, right, &difference));
    cr_assert_str_eq(difference.place, "game.history[2]", "the first in table order");
    free(left);
    free(right);
    tp_sim_destroy(sim);
}

typedef struct {
    char   text[8192];
    size_t size;
} Text;

static void keep(void *to, const char *text, size_t size)
{
    Text *all = to;
    cr_assert_lt(all->size + size, sizeof(all->text));
    memcpy(all->text + all->size, text, size);
    all->size += size;
    all->text[all->size] = '\0';
}

Test(layout, json_is_exact)
{
    tp_sim          *sim = testworld_run(&testworld_flat, 1, 3, 0);
    const tp_layout *layout = tp_sim_layout(sim);
    uint8_t         *bytes = malloc(layout->canonical_size);
    Text             text = { .size = 0 };
    tp_layout_encode(layout, tp_sim_state(sim), bytes);
    bytes_put_u32(bytes + 48, 1);       // the smallest step of Q16.16
    bytes_put_u32(bytes + 52, UINT32_C(0xFFFFFFFF)); // one below zero
    tp_layout_json(layout, bytes, keep, &text);
    cr_assert_not_null(strstr(text.text, "\"x\":0.0000152587890625,\"speed\":-0.0000152587890625"), "%s", text.text);
    cr_assert_not_null(strstr(text.text, "\"newest\":[0,0]"));
    cr_assert_not_null(strstr(text.text, "\"mode\":\"calm\""));
    cr_assert_not_null(strstr(text.text, "\"history\":[0,0,0,0]"));
    cr_assert_null(strstr(text.text, "cache"));
    free(bytes);
    tp_sim_destroy(sim);
}

Test(layout, records_round_trip_clamp_and_refuse)
{
    const tp_record_type *type = testworld_flat.input;
    TestInput             input = { .buttons = 5, .stick = -127 };
    TestInput             back;
    uint8_t               bytes[2];
    tp_error              error;
    cr_assert_eq(tp_record_size(type), 2);
    tp_record_encode(type, &input, bytes);
    cr_assert(tp_record_decode(type, bytes, &back, &error));
    cr_assert_eq(back.buttons, 5);
    cr_assert_eq(back.stick, -127);
    bytes[1] = 0x80; // -128: more than full left
    cr_assert_not(tp_record_decode(type, bytes, &back, &error));
    cr_assert_str_eq(error.text, "input.stick is -128 stick: out of its range");
    input = (TestInput){ .buttons = 200, .stick = -128 };
    tp_input_sanitise(&testworld_flat, &input);
    cr_assert_eq(input.buttons, 7);
    cr_assert_eq(input.stick, -127);
}

// Goal: the quick way of looking at a field knows each type's sign and width: both ends are in, what is one past them is out.
Test(layout, records_know_the_ends_of_each_type)
{
    static const struct {
        tp_field_type type;
        uint32_t      size;
        int64_t       low, high;
    } cases[] = {
        { TP_TYPE_U8, 1, 3, 250 },
        { TP_TYPE_I8, 1, -100, 100 },
        { TP_TYPE_U16, 2, 3, 65000 },
        { TP_TYPE_ANGLE, 2, 3, 65000 },
        { TP_TYPE_I16, 2, -32000, 32000 },
        { TP_TYPE_U32, 4, 3, INT64_C(4000000000) },
        { TP_TYPE_I32, 4, -2000000000, 2000000000 },
        { TP_TYPE_FX, 4, -65536, 65536 },
        { TP_TYPE_I64, 8, INT64_MIN + 5, INT64_MAX - 5 },
        { TP_TYPE_FX64, 8, -(INT64_C(1) << 40), INT64_C(1) << 40 },
        { TP_TYPE_U64, 8, 3, -6 }, // compared as unsigned: 3 to 2^64 - 6
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        const tp_field field = { "value", "", cases[i].type, 1, 0, cases[i].size, { TP_RANGE_MINMAX, cases[i].low, cases[i].high, NULL, NULL } };
        const tp_record_type type = { "input", &field, 1, cases[i].size, 0, "" };
        const struct {
            uint64_t bits;
            bool     is_in;
        } values[] = { { (uint64_t)cases[i].low, true }, { (uint64_t)cases[i].high, true },
                       { (uint64_t)cases[i].low - 1, false }, { (uint64_t)cases[i].high + 1, false } };
        for (size_t k = 0; k < 4; k++) {
            uint8_t  bytes[8];
            uint64_t native;
            tp_error error;
            bytes_put_u64(bytes, values[k].bits);
            cr_assert_eq(tp_record_decode(&type, bytes, &native, &error), values[k].is_in, "type %d, value %zu", (int)cases[i].type, k);
        }
    }
}

Test(layout, records_without_fields_have_nothing_to_look_at)
{
    const tp_record_type empty = TP_RECORD_EMPTY("go", "");
    uint8_t              native = 7;
    tp_error             error;
    cr_assert(tp_record_decode(&empty, &native, &native, &error));
    cr_assert_eq(native, 7);
}

// Goal: edge inputs are not repeated by prediction, held sticks are.
Test(layout, predictor_is_the_worlds)
{
    TestInput last = { .buttons = 1, .stick = 60 };
    TestInput guess = { .buttons = 9, .stick = 9 };
    tp_input_predict(&testworld_flat, &last, &guess);
    cr_assert_eq(guess.buttons, 0);
    cr_assert_eq(guess.stick, 60);
    tp_input_predict(&testworld_opaque, &last, &guess);
    cr_assert_eq(guess.buttons, 1, "without a predictor the last input is repeated");
}

// Goal: names, types and counts move the fingerprint; units do not.
Test(layout, fingerprint_covers_names_types_and_counts)
{
    tp_section sections[5];
    tp_field   fields[16];
    tp_world   changed = testworld_flat;
    tp_layout  layout = layout_of(2, NULL);
    tp_hash128 good = tp_layout_fingerprint(&layout, TP_HASH_XXH3);
    memcpy(sections, testworld_flat.sections, sizeof(sections));
    memcpy(fields, sections[1].fields, sections[1].field_count * sizeof(tp_field));
    sections[1].fields = fields;
    changed.sections = sections;
    layout.world = &changed;
    cr_assert(tp_hash128_equal(good, tp_layout_fingerprint(&layout, TP_HASH_XXH3)));
    fields[0].unit = "furlongs";
    cr_assert(tp_hash128_equal(good, tp_layout_fingerprint(&layout, TP_HASH_XXH3)), "units are for people");
    fields[0].name = "ex";
    cr_assert_not(tp_hash128_equal(good, tp_layout_fingerprint(&layout, TP_HASH_XXH3)));
    fields[0] = testworld_flat.sections[1].fields[0];
    fields[0].type = TP_TYPE_I32;
    cr_assert_not(tp_hash128_equal(good, tp_layout_fingerprint(&layout, TP_HASH_XXH3)));
    fields[0] = testworld_flat.sections[1].fields[0];
    sections[0].count = 2;
    cr_assert_not(tp_hash128_equal(good, tp_layout_fingerprint(&layout, TP_HASH_XXH3)));
}

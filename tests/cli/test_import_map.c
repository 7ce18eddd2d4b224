// The tables between a recording and the fighter, against a world that has all their items, and one that has none.
#include "import_map.h"

#include <criterion/criterion.h>
#include <string.h>

static const tp_config_item items[] = {
    { "stage", "stage", "", 0, 0, 2 },     { "stocks", "stocks", "", 3, 1, 9 },     { "time_s", "s", "", 300, 0, 360 },
    { "rematch_s", "s", "", 5, 0, 60 },    { "fighter_1", "kind", "", 0, 0, 2 },    { "fighter_2", "kind", "", 0, 0, 2 },
    { "fighter_3", "kind", "", 0, 0, 2 },  { "fighter_4", "kind", "", 0, 0, 2 },
};
enum { STAGE, STOCKS, TIME, REMATCH, FIGHTER_1, FIGHTER_2, FIGHTER_3, FIGHTER_4, ITEM_COUNT };

static const tp_world with_items = { .name = "items", .config = items, .config_count = ITEM_COUNT };
static const tp_world without = { .name = "none" };

static SlpMatch a_match(uint16_t stage, uint8_t first, uint8_t second)
{
    SlpMatch match = { .stage = stage, .timer_s = 480, .player_count = 2, .frame_count = 1 };
    for (int port = 0; port < SLP_PORTS; port++) {
        match.players[port].type = SLP_PLAYER_NONE;
    }
    match.players[1] = (SlpPlayer){ .type = SLP_PLAYER_HUMAN, .character = first, .stocks = 4 };
    match.players[3] = (SlpPlayer){ .type = SLP_PLAYER_CPU, .character = second, .stocks = 4 };
    return match;
}

static void configure(const SlpMatch *match, const tp_world *world, int64_t *values)
{
    ImportMap map;
    for (uint32_t i = 0; i < ITEM_COUNT; i++) {
        values[i] = items[i].standard;
    }
    import_map_init(&map, match, NULL, 0);
    import_map_config(&map, world, values);
}

Test(import_map, ports_in_order_are_slots)
{
    SlpMatch  match = a_match(31, 2, 5);
    ImportMap map;
    import_map_init(&map, &match, NULL, 35);
    cr_assert(map.slots == 2 && map.ports[0] == 1 && map.ports[1] == 3);
}

Test(import_map, items_are_set_by_name)
{
    int64_t  values[ITEM_COUNT];
    SlpMatch match = a_match(31, 2, 5); // light and heavy, with platforms
    configure(&match, &with_items, values);
    cr_assert_eq(values[STAGE], 1);
    cr_assert_eq(values[STOCKS], 4);
    cr_assert_eq(values[TIME], 360, "what does not fit takes the nearest end");
    cr_assert_eq(values[REMATCH], 5, "what the file does not say stays");
    cr_assert_eq(values[FIGHTER_1], 1);
    cr_assert_eq(values[FIGHTER_2], 2);
    cr_assert_eq(values[FIGHTER_3], 0);
}

Test(import_map, a_world_without_items_is_left_alone)
{
    int64_t  values[ITEM_COUNT];
    SlpMatch match = a_match(31, 2, 5);
    configure(&match, &without, values);
    for (uint32_t i = 0; i < ITEM_COUNT; i++) {
        cr_assert_eq(values[i], items[i].standard);
    }
}

Test(import_map, unknown_numbers_have_a_place)
{
    int64_t  values[ITEM_COUNT];
    SlpMatch match = a_match(999, 26, 255);
    configure(&match, &with_items, values);
    cr_assert_eq(values[STAGE], 1);
    cr_assert_eq(values[FIGHTER_1], 0);
    cr_assert_eq(values[FIGHTER_2], 0);
    cr_assert_str_eq(import_map_character_name(26), "unknown");
    cr_assert_str_eq(import_map_stage_name(999), "unknown");
    cr_assert_str_eq(import_map_stage_name(21), "unknown", "a hole in the table");
    cr_assert_str_eq(import_map_character_name(25), "Ganondorf");
    cr_assert_str_eq(import_map_stage_name(32), "Final Destination");
}

// Goal: every kind of fighter and of stage is somebody's.
Test(import_map, every_kind_is_used)
{
    int     kinds[3] = { 0 }, stages[3] = { 0 };
    int64_t values[ITEM_COUNT];
    for (uint8_t character = 0; character < 26; character++) {
        SlpMatch match = a_match(31, character, 0);
        configure(&match, &with_items, values);
        kinds[values[FIGHTER_1]]++;
    }
    for (uint16_t stage = 0; stage < 33; stage++) {
        SlpMatch match = a_match(stage, 0, 0);
        configure(&match, &with_items, values);
        stages[values[STAGE]]++;
    }
    for (int i = 0; i < 3; i++) {
        cr_assert_gt(kinds[i], 4);
        cr_assert_gt(stages[i], 0);
    }
}

static uint16_t buttons_of(uint16_t buttons, uint8_t trigger)
{
    SlpMatch  match = a_match(31, 2, 5);
    ImportMap map;
    SlpPad    pad = { .trigger = trigger, .buttons = buttons };
    import_map_init(&map, &match, NULL, 35);
    return import_map_pad(&map, &pad).buttons;
}

Test(import_map, buttons)
{
    cr_assert_eq(buttons_of(SLP_BUTTON_X, 0), FIGHTER_BUTTON_JUMP);
    cr_assert_eq(buttons_of(SLP_BUTTON_Y, 0), FIGHTER_BUTTON_JUMP);
    cr_assert_eq(buttons_of(SLP_BUTTON_A | SLP_BUTTON_B, 0), FIGHTER_BUTTON_ATTACK | FIGHTER_BUTTON_SPECIAL);
    cr_assert_eq(buttons_of(SLP_BUTTON_L, 0), FIGHTER_BUTTON_SHIELD);
    cr_assert_eq(buttons_of(SLP_BUTTON_R, 0), FIGHTER_BUTTON_SHIELD);
    cr_assert_eq(buttons_of(SLP_BUTTON_Z, 45), FIGHTER_BUTTON_GRAB, "the game's own press of the trigger for Z is no shield");
    cr_assert_eq(buttons_of(SLP_BUTTON_START | SLP_BUTTON_DPAD, 0), 0);
    cr_assert_eq(buttons_of(0, IMPORT_TRIGGER_PRESS - 1), 0);
    cr_assert_eq(buttons_of(0, IMPORT_TRIGGER_PRESS), FIGHTER_BUTTON_SHIELD);
    cr_assert_eq(buttons_of(0xFFFF, 127), FIGHTER_BUTTON_JUMP | FIGHTER_BUTTON_ATTACK | FIGHTER_BUTTON_SHIELD | FIGHTER_BUTTON_GRAB | FIGHTER_BUTTON_SPECIAL);
}

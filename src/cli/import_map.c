// import_map.c: the tables between the two games, and the pads.
#include "import_map.h"

#include <string.h>

#include "fighter_state.h"

// Kinds of the fighter world: its config items fighter_1, fighter_2, ...
typedef enum { KIND_LIGHT = FIGHTER_KIND_WISP, KIND_MIDDLE = FIGHTER_KIND_VALE, KIND_HEAVY = FIGHTER_KIND_BOAR } Kind;

// By external id. Light: floats, or falls fast and weighs little. Heavy: 100 or more, or slow and far-reaching.
static const struct {
    const char *name;
    Kind        kind;
} characters[] = {
    [0] = { "Captain Falcon", KIND_HEAVY },  [1] = { "Donkey Kong", KIND_HEAVY }, [2] = { "Fox", KIND_LIGHT },
    [3] = { "Game & Watch", KIND_LIGHT },    [4] = { "Kirby", KIND_LIGHT },       [5] = { "Bowser", KIND_HEAVY },
    [6] = { "Link", KIND_HEAVY },            [7] = { "Luigi", KIND_MIDDLE },      [8] = { "Mario", KIND_MIDDLE },
    [9] = { "Marth", KIND_MIDDLE },          [10] = { "Mewtwo", KIND_MIDDLE },    [11] = { "Ness", KIND_MIDDLE },
    [12] = { "Peach", KIND_MIDDLE },         [13] = { "Pikachu", KIND_LIGHT },    [14] = { "Ice Climbers", KIND_MIDDLE },
    [15] = { "Jigglypuff", KIND_LIGHT },     [16] = { "Samus", KIND_HEAVY },      [17] = { "Yoshi", KIND_HEAVY },
    [18] = { "Zelda", KIND_MIDDLE },         [19] = { "Sheik", KIND_LIGHT },      [20] = { "Falco", KIND_LIGHT },
    [21] = { "Young Link", KIND_LIGHT },     [22] = { "Dr. Mario", KIND_MIDDLE }, [23] = { "Roy", KIND_MIDDLE },
    [24] = { "Pichu", KIND_LIGHT },          [25] = { "Ganondorf", KIND_HEAVY },
};
enum { CHARACTER_COUNT = sizeof(characters) / sizeof(characters[0]) };

// Stages of the fighter world, its config item stage: the hall, the terrace, the harbour.
typedef enum { STAGE_CLOSED = 0, STAGE_PLATFORMS = 1, STAGE_OTHER = 2 } Stage;

// Platforms: those of tournaments and their like, which stand still or nearly so and end on both sides; the flat one, too. Closed: walls and
// caves. Other: what moves, scrolls, or is too large.
static const struct {
    const char *name;
    Stage       stage;
} stages[] = {
    [2] = { "Fountain of Dreams", STAGE_PLATFORMS },  [3] = { "Pokemon Stadium", STAGE_PLATFORMS }, [4] = { "Princess Peach's Castle", STAGE_CLOSED },
    [5] = { "Kongo Jungle", STAGE_PLATFORMS },        [6] = { "Brinstar", STAGE_PLATFORMS },        [7] = { "Corneria", STAGE_OTHER },
    [8] = { "Yoshi's Story", STAGE_PLATFORMS },       [9] = { "Onett", STAGE_OTHER },               [10] = { "Mute City", STAGE_OTHER },
    [11] = { "Rainbow Cruise", STAGE_OTHER },         [12] = { "Jungle Japes", STAGE_PLATFORMS },   [13] = { "Great Bay", STAGE_OTHER },
    [14] = { "Hyrule Temple", STAGE_CLOSED },          [15] = { "Brinstar Depths", STAGE_CLOSED },    [16] = { "Yoshi's Island", STAGE_OTHER },
    [17] = { "Green Greens", STAGE_PLATFORMS },       [18] = { "Fourside", STAGE_CLOSED },           [19] = { "Mushroom Kingdom", STAGE_OTHER },
    [20] = { "Mushroom Kingdom II", STAGE_OTHER },    [22] = { "Venom", STAGE_OTHER },              [23] = { "Poke Floats", STAGE_OTHER },
    [24] = { "Big Blue", STAGE_OTHER },               [25] = { "Icicle Mountain", STAGE_OTHER },    [27] = { "Flat Zone", STAGE_OTHER },
    [28] = { "Dream Land N64", STAGE_PLATFORMS },     [29] = { "Yoshi's Island N64", STAGE_PLATFORMS },
    [30] = { "Kongo Jungle N64", STAGE_PLATFORMS },   [31] = { "Battlefield", STAGE_PLATFORMS },    [32] = { "Final Destination", STAGE_PLATFORMS },
};
enum { STAGE_COUNT = sizeof(stages) / sizeof(stages[0]) };

const char *import_map_character_name(uint8_t character)
{
    return character < CHARACTER_COUNT ? characters[character].name : "unknown";
}

const char *import_map_stage_name(uint16_t stage)
{
    return stage < STAGE_COUNT && stages[stage].name != NULL ? stages[stage].name : "unknown";
}

void import_map_init(ImportMap *map, const SlpMatch *match, const SlpFrame *frames, uint8_t dead_zone)
{
    *map = (ImportMap){ .match = match, .frames = frames, .dead_zone = dead_zone };
    for (uint32_t port = 0; port < SLP_PORTS; port++) {
        if (match->players[port].type != SLP_PLAYER_NONE) {
            map->ports[map->slots++] = port;
        }
    }
}

// Start and the d-pad do nothing there.
static uint16_t buttons_of(const SlpPad *pad)
{
    static const struct {
        uint16_t there, here;
    } buttons[] = {
        { SLP_BUTTON_X | SLP_BUTTON_Y, FIGHTER_BUTTON_JUMP },   { SLP_BUTTON_A, FIGHTER_BUTTON_ATTACK },
        { SLP_BUTTON_L | SLP_BUTTON_R, FIGHTER_BUTTON_SHIELD }, { SLP_BUTTON_Z, FIGHTER_BUTTON_GRAB },
        { SLP_BUTTON_B, FIGHTER_BUTTON_SPECIAL },
    };
    uint16_t here = 0;
    for (size_t i = 0; i < sizeof(buttons) / sizeof(buttons[0]); i++) {
        here |= (pad->buttons & buttons[i].there) != 0 ? buttons[i].here : 0;
    }
    // The game reports Z as a trigger that is pressed a little, too; that one is no shield.
    bool is_pressed = pad->trigger >= IMPORT_TRIGGER_PRESS && (pad->buttons & SLP_BUTTON_Z) == 0;
    return is_pressed ? here | FIGHTER_BUTTON_SHIELD : here;
}

FighterInput import_map_pad(const ImportMap *map, const SlpPad *pad)
{
    SlpPad calm = *pad;
    slp_pad_apply_dead_zone(&calm, map->dead_zone);
    return (FighterInput){ .buttons = buttons_of(pad), .stick_x = calm.x, .stick_y = calm.y, .c_x = calm.c_x, .c_y = calm.c_y };
}

bool import_map_fill(void *self, uint64_t tick, RowBuffer *row)
{
    const ImportMap *map = self;
    if (tick >= map->match->frame_count) {
        return false;
    }
    const SlpFrame *frame = &map->frames[tick];
    for (uint32_t slot = 0; slot < map->slots; slot++) {
        if ((frame->present >> map->ports[slot] & 1) != 0) {
            FighterInput input = import_map_pad(map, &frame->pads[map->ports[slot]]);
            tp_record_encode(map->layout->world->input, &input, row->inputs + (size_t)slot * map->layout->input_size);
            rowjson_take_slot(row, slot, TP_ORIGIN_RECEIVED);
        }
    }
    return true;
}

static void set_item(const tp_world *world, int64_t *values, const char *name, int64_t value)
{
    for (uint32_t i = 0; i < world->config_count; i++) {
        const tp_config_item *item = &world->config[i];
        if (strcmp(item->name, name) == 0) {
            values[i] = value < item->min ? item->min : value > item->max ? item->max : value;
        }
    }
}

void import_map_config(const ImportMap *map, const tp_world *world, int64_t *values)
{
    static const char *const fighters[SLP_PORTS] = { "fighter_1", "fighter_2", "fighter_3", "fighter_4" };
    const SlpMatch          *match = map->match;
    set_item(world, values, "stage", match->stage < STAGE_COUNT && stages[match->stage].name != NULL ? stages[match->stage].stage : STAGE_PLATFORMS);
    set_item(world, values, "time_s", match->timer_s);
    for (uint32_t slot = 0; slot < map->slots; slot++) {
        const SlpPlayer *player = &match->players[map->ports[slot]];
        set_item(world, values, fighters[slot], player->character < CHARACTER_COUNT ? characters[player->character].kind : KIND_MIDDLE);
    }
    set_item(world, values, "stocks", match->players[map->ports[0]].stocks);
}

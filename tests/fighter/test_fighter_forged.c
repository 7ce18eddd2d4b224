// Foreign states: random ones, reached ones in which fields have other values that their ranges allow, and lies across fields. What is refused is
// refused with the field named; what is accepted steps on for 200 ticks without a fault, through states that are accepted.
#include <criterion/criterion.h>

#include <stdio.h>
#include <stdlib.h>

#include "fighter_data.h"
#include "fighter_rig.h"

enum { PLAYERS = 4, SIZE_MAX_BYTES = 4096, STEPS = 200 };

typedef struct Forger {
    Rig       rig;
    tp_pcg32  noise;
    uint8_t   real[SIZE_MAX_BYTES];
    size_t    size;
    uint32_t  accepted, refused;
    uint32_t  accepted_by_field[FIGHTER_SECTION_COUNT][48];
    uint32_t  refused_by_field[FIGHTER_SECTION_COUNT][48];
} Forger;

static void open_forger(Forger *forger, int64_t stage, uint64_t seed)
{
    RigConfig config = rig_config();
    config.items[FIGHTER_CONFIG_STAGE] = stage;
    config.items[FIGHTER_CONFIG_TIME_S] = 20;
    config.items[FIGHTER_CONFIG_STOCKS] = 2;
    config.items[FIGHTER_CONFIG_REMATCH_S] = 1;
    config.items[FIGHTER_CONFIG_PROJECTILES] = 4;
    rig_open_with(&forger->rig, PLAYERS, seed, config);
    forger->noise = tp_pcg32_make(seed, 3);
}

static void keep_real(Forger *forger)
{
    cr_assert(tp_sim_encode(forger->rig.sim, forger->real, SIZE_MAX_BYTES, &forger->size));
}

static void restore_real(Forger *forger)
{
    tp_error error = { "" };
    cr_assert(tp_sim_decode(forger->rig.sim, forger->real, forger->size, 1000, 0, 0, &error), "%s", error.text);
}

static void play_on(Forger *forger, const char *what)
{
    tp_context context = tp_layout_context(tp_sim_layout(forger->rig.sim));
    for (uint32_t tick = 0; tick < STEPS; tick++) {
        rig_play_lively(&forger->rig, forger->accepted % 50, tick);
        rig_step(&forger->rig);
        const char *wrong = fighter_world.validate(tp_sim_state(forger->rig.sim), &context);
        cr_assert_null(wrong, "%s: %u ticks later: %s", what, tick + 1, wrong);
    }
}

// True: the state was accepted, and has been played on from.
static bool try_state(Forger *forger, const uint8_t *bytes, const char *what)
{
    tp_error error = { "" };
    if (!tp_sim_decode(forger->rig.sim, bytes, forger->size, 1000, 0, 0, &error)) {
        cr_assert_neq(error.text[0], '\0');
        forger->refused++;
        return false;
    }
    forger->accepted++;
    play_on(forger, what);
    return true;
}

static uint64_t draw64(tp_pcg32 *noise)
{
    uint64_t high = tp_pcg32_next(noise);
    return high << 32 | tp_pcg32_next(noise);
}

// Of any size.
static int64_t draw_any(tp_pcg32 *noise)
{
    uint64_t value = draw64(noise);
    return (int64_t)(value >> tp_pcg32_below(noise, 64));
}

// An end of the range, something in it, or something near to what was there.
static int64_t draw_value(tp_pcg32 *noise, const tp_field *field, int64_t now, uint32_t link_max)
{
    int64_t low = 0;
    int64_t high = link_max;
    switch (field->range.kind) {
    case TP_RANGE_ANY:
        return draw_any(noise);
    case TP_RANGE_MINMAX:
        low = field->range.min;
        high = field->range.max;
        break;
    case TP_RANGE_ENUM:
        high = field->range.max - 1;
        break;
    case TP_RANGE_INDEX:
    case TP_RANGE_HANDLE:
    case TP_RANGE_LINK:
        break;
    }
    uint64_t width = (uint64_t)high - (uint64_t)low;
    uint32_t how = tp_pcg32_below(noise, 6);
    int64_t value = how == 0 ? low : how == 1 ? high : how == 2 ? now + (int64_t)tp_pcg32_below(noise, 9) - 4 : INT64_MIN;
    if (value == INT64_MIN) {
        value = width == UINT64_MAX ? (int64_t)draw64(noise) : low + (int64_t)(draw64(noise) % (width + 1));
    }
    return value < low ? low : value > high ? high : value;
}

static int64_t read_value(const uint8_t *at, uint32_t size)
{
    int64_t value = 0;
    for (uint32_t i = size; i > 0; i--) {
        value = (int64_t)((uint64_t)value << 8 | at[i - 1]);
    }
    return size == 4 ? (int32_t)value : size == 1 ? value & 0xff : value;
}

// The canonical bytes are the struct's values in order, little-endian: the place of a field in them is what the ones before take.
static size_t place_of(const Forger *forger, uint32_t section, uint32_t element, uint32_t field_index)
{
    tp_context context = tp_layout_context(tp_sim_layout(forger->rig.sim));
    size_t at = 0;
    for (uint32_t i = 0; i < section; i++) {
        at += (size_t)context.section_count[i] * fighter_world.sections[i].element_size;
    }
    const tp_section *table = &fighter_world.sections[section];
    return at + (size_t)element * table->element_size + table->fields[field_index].offset;
}

static void put_value(uint8_t *at, uint32_t size, int64_t value)
{
    for (uint32_t i = 0; i < size; i++) {
        at[i] = (uint8_t)((uint64_t)value >> 8 * i);
    }
}

static void change_field(Forger *forger, uint8_t *bytes, uint32_t section, uint32_t element, uint32_t field_index, char *what, size_t what_size)
{
    tp_context context = tp_layout_context(tp_sim_layout(forger->rig.sim));
    const tp_section *table = &fighter_world.sections[section];
    const tp_field *field = &table->fields[field_index];
    uint32_t size = field->size / field->count;
    uint32_t index = tp_pcg32_below(&forger->noise, field->count);
    size_t at = place_of(forger, section, element, field_index) + (size_t)index * size;
    int64_t value = draw_value(&forger->noise, field, read_value(bytes + at, size), context.section_count[FIGHTER_SECTION_PROJECTILES]);
    put_value(bytes + at, size, value);
    snprintf(what, what_size, "%s %u, %s = %lld", table->name, element, field->name, (long long)value);
}

// A tick of a played match in which there is something to forge: a hold, a ledge, a flight, a projectile, as they come.
static void reach_state(Forger *forger, uint64_t ticks)
{
    for (uint64_t i = 0; i < ticks; i++) {
        rig_play_lively(&forger->rig, 5, tp_sim_tick(forger->rig.sim));
        rig_step(&forger->rig);
    }
    keep_real(forger);
}

static void forge_each_field(Forger *forger, uint32_t values)
{
    char what[128];
    tp_context context = tp_layout_context(tp_sim_layout(forger->rig.sim));
    for (uint32_t section = 0; section < FIGHTER_SECTION_COUNT; section++) {
        for (uint32_t element = 0; element < context.section_count[section]; element++) {
            for (uint32_t field = 0; field < fighter_world.sections[section].field_count; field++) {
                for (uint32_t k = 0; k < values; k++) {
                    uint8_t bytes[SIZE_MAX_BYTES];
                    memcpy(bytes, forger->real, forger->size);
                    change_field(forger, bytes, section, element, field, what, sizeof(what));
                    bool is_taken = try_state(forger, bytes, what);
                    forger->accepted_by_field[section][field] += is_taken;
                    forger->refused_by_field[section][field] += !is_taken;
                }
            }
        }
    }
    restore_real(forger);
}

static uint32_t field_named(const char *name)
{
    const tp_section *fighters = &fighter_world.sections[FIGHTER_SECTION_FIGHTERS];
    uint32_t i = 0;
    while (i < fighters->field_count && strcmp(fighters->fields[i].name, name) != 0) {
        i++;
    }
    cr_assert_lt(i, fighters->field_count, "no field %s", name);
    return i;
}

// An empty slot of a match that is played keeps lives for that match or one before it, and for no other.
static void forge_absent(Forger *forger)
{
    uint32_t field = field_named("last_match");
    while (forger->rig.state.match->phase != FIGHTER_PHASE_PLAYING || forger->rig.state.fighters[3].stocks == 0) {
        reach_state(forger, 1);
    }
    rig_set_present(&forger->rig, 3, false);
    reach_state(forger, 2);
    uint32_t number = forger->rig.state.match->number;
    cr_assert_eq(forger->rig.state.fighters[3].last_match, number);
    bool has_lives = forger->rig.state.fighters[3].stocks != 0;
    rig_set_present(&forger->rig, 3, true); // who comes plays on from what was forged
    for (uint32_t value = 0; value <= number + 2; value++) {
        uint8_t bytes[SIZE_MAX_BYTES];
        memcpy(bytes, forger->real, forger->size);
        put_value(bytes + place_of(forger, FIGHTER_SECTION_FIGHTERS, 3, field), sizeof(uint32_t), value);
        bool is_taken = try_state(forger, bytes, "last_match of an empty slot");
        cr_assert_eq(is_taken, value <= number && (value != 0 || !has_lives), "%u of %u", value, number);
        forger->accepted_by_field[FIGHTER_SECTION_FIGHTERS][field] += is_taken;
    }
    restore_real(forger);
}

// Goal: every field of reached states, one at a time.
static void forge_stage(int64_t stage)
{
    static Forger forger;
    forger = (Forger){ 0 };
    open_forger(&forger, stage, 31 + (uint64_t)stage);
    for (uint32_t i = 0; i < 12; i++) {
        reach_state(&forger, 97);
        forge_each_field(&forger, 2);
    }
    forge_absent(&forger);
    const tp_section *fighters = &fighter_world.sections[FIGHTER_SECTION_FIGHTERS];
    for (uint32_t i = 0; i < fighters->field_count; i++) {
        bool is_padding = strcmp(fighters->fields[i].name, "padding") == 0;
        cr_assert(is_padding || forger.accepted_by_field[FIGHTER_SECTION_FIGHTERS][i] > 0, "%s was never accepted", fighters->fields[i].name);
    }
    printf("fighter_forged stage %d: %u accepted, %u refused\n", (int)stage, forger.accepted, forger.refused);
    cr_assert(forger.accepted > 1000 && forger.refused > 500);
    rig_close(&forger.rig);
}

Test(fighter_forged, each_field_in_the_hall, .timeout = 120) { forge_stage(0); }
Test(fighter_forged, each_field_on_the_terrace, .timeout = 120) { forge_stage(1); }
Test(fighter_forged, each_field_at_the_harbour, .timeout = 120) { forge_stage(2); }

// Goal: several fields at once, most of them of one fighter, so that they fit each other now and then.
Test(fighter_forged, several_fields, .timeout = 120)
{
    static Forger forger;
    char what[5][128];
    char all[512];
    forger = (Forger){ 0 };
    open_forger(&forger, 1, 77);
    for (uint32_t i = 0; i < 20000; i++) {
        uint8_t bytes[SIZE_MAX_BYTES];
        uint32_t changes = 2 + tp_pcg32_below(&forger.noise, 4);
        uint32_t element = tp_pcg32_below(&forger.noise, PLAYERS);
        if (i % 500 == 0) {
            if (i > 0) {
                restore_real(&forger);
            }
            reach_state(&forger, 61);
        }
        memcpy(bytes, forger.real, forger.size);
        all[0] = '\0';
        for (uint32_t k = 0; k < changes; k++) {
            uint32_t fields = fighter_world.sections[FIGHTER_SECTION_FIGHTERS].field_count;
            change_field(&forger, bytes, FIGHTER_SECTION_FIGHTERS, element, tp_pcg32_below(&forger.noise, fields), what[k], sizeof(what[k]));
            strncat(all, what[k], sizeof(all) - strlen(all) - 3);
            strcat(all, "; ");
        }
        (void)try_state(&forger, bytes, all);
    }
    printf("fighter_forged several: %u accepted, %u refused\n", forger.accepted, forger.refused);
    cr_assert(forger.accepted > 1000 && forger.refused > 1000);
    rig_close(&forger.rig);
}

Test(fighter_forged, random_states)
{
    static Forger forger;
    forger = (Forger){ 0 };
    open_forger(&forger, 1, 4);
    reach_state(&forger, 100);
    for (uint32_t i = 0; i < 20000; i++) {
        uint8_t bytes[SIZE_MAX_BYTES];
        for (size_t k = 0; k < forger.size; k++) {
            bytes[k] = (uint8_t)tp_pcg32_next(&forger.noise);
        }
        (void)try_state(&forger, bytes, "noise");
    }
    cr_assert_eq(forger.accepted, 0);
    rig_close(&forger.rig);
}

// ---- Lies

static const char *wrong_with(Rig *rig)
{
    tp_context context = tp_layout_context(tp_sim_layout(rig->sim));
    return fighter_world.validate(tp_sim_state(rig->sim), &context);
}

static void refuse(Rig *rig, const char *field)
{
    const char *text = wrong_with(rig);
    cr_assert_not_null(text, "accepted, expected a word about %s", field);
    cr_assert(strncmp(text, field, strlen(field)) == 0, "%s: expected a word about %s", text, field);
}

#define LIE(field, value, name)          \
    do {                                 \
        Fighter told = *fighter;         \
        fighter->field = (value);        \
        refuse(&rig, (name));            \
        *fighter = told;                 \
    } while (0)

// Goal: each lie of a fighter that stands, one of each kind, names its field.
Test(fighter_forged, lies_of_fighters)
{
    Rig rig;
    rig_open(&rig, 3, 4);
    rig_steps(&rig, 5);
    Fighter *fighter = &rig.state.fighters[0];
    LIE(is_here, 0, "is_here");
    LIE(action, FIGHTER_ACTION_ABSENT, "is_here");
    LIE(action, FIGHTER_ACTION_AIR, "surface");
    LIE(action, FIGHTER_ACTION_KO, "surface");
    LIE(action, FIGHTER_ACTION_OUT, "stocks");
    LIE(action, FIGHTER_ACTION_GRABBED, "partner");
    LIE(action, FIGHTER_ACTION_GRAB_HOLD, "partner");
    LIE(action, FIGHTER_ACTION_THROW_UP, "partner");
    LIE(action, FIGHTER_ACTION_LEDGE_CLIMB, "ledge");
    LIE(partner, 2, "partner");
    LIE(partner, 1, "partner");
    LIE(surface, 0, "surface");
    LIE(surface, 2, "surface");
    LIE(surface, 16, "surface");
    LIE(x.raw, FIGHTER_RAW(300), "surface");
    LIE(y.raw, 1, "surface");
    LIE(velocity_y.raw, 1, "velocity_y");
    LIE(ledge, 1, "ledge");
    LIE(ledge, 4, "ledge");
    LIE(dropping, 1, "dropping");
    LIE(dropping, 16, "dropping");
    LIE(hitlag_ticks, 21, "hitlag_ticks");
    LIE(is_launched, 1, "is_launched");
    LIE(last_hit_by, 4, "last_hit_by");
    LIE(lag_ticks, 1001, "lag_ticks");
    LIE(guard_ticks, 121, "guard_ticks");
    LIE(is_guard_spent, 1, "is_guard_spent");
    LIE(struck[0], 8, "struck");
    LIE(struck[1], 1, "struck");
    LIE(jumps_left, 8, "jumps_left");
    LIE(stocks, 0, "stocks");
    LIE(stocks, 5, "stocks");
    LIE(last_match, 1, "last_match");
    cr_assert_null(wrong_with(&rig));
    rig_close(&rig);
}

// Goal: of what has gone nothing is left; of who is out nothing moves.
Test(fighter_forged, lies_of_the_absent)
{
    Rig rig;
    rig_open(&rig, 4, 4);
    rig_step(&rig);
    rig_set_present(&rig, 0, false);
    rig_steps(&rig, 5);
    Fighter *fighter = &rig.state.fighters[0];
    LIE(damage.raw, 1, "is_here");
    LIE(kos, 1, "is_here");
    LIE(last_buttons, 1, "is_here");
    LIE(last_match, 2, "last_match");
    LIE(last_match, 0, "stocks");
    LIE(is_here, 1, "is_here");
    fighter = &rig.state.fighters[1];
    LIE(last_hit_by, 1, "last_hit_by");
    fighter->surface = 0;
    fighter->action = FIGHTER_ACTION_KO;
    cr_assert_null(wrong_with(&rig));
    LIE(velocity_x.raw, 1, "velocity");
    LIE(launch_y.raw, 1, "velocity");
    LIE(hitlag_ticks, 1, "velocity");
    rig_close(&rig);
}

// Goal: holds and ledges are of two who know of it, on one surface, and of one.
Test(fighter_forged, lies_of_two)
{
    Rig rig;
    rig_open(&rig, 3, 4);
    rig_steps(&rig, 5);
    Fighter *holder = &rig.state.fighters[0];
    Fighter *fighter = &rig.state.fighters[1];
    holder->action = FIGHTER_ACTION_GRAB_HOLD;
    holder->partner = 2;
    fighter->action = FIGHTER_ACTION_GRABBED;
    fighter->partner = 1;
    cr_assert_null(wrong_with(&rig));
    LIE(partner, 3, "partner");
    LIE(partner, 0, "partner");
    LIE(action, FIGHTER_ACTION_IDLE, "partner");
    LIE(launch_y.raw, -1, "launch_x");
    fighter = holder;
    LIE(launch_x.raw, 1, "launch_x");
    LIE(lag_ticks, 1060, "lag_ticks");
    fighter->lag_ticks = 1059;
    cr_assert_null(wrong_with(&rig));
    fighter = &rig.state.fighters[1];
    fighter->surface = 0;
    refuse(&rig, "surface");
    holder->lag_ticks = 0;
    for (uint32_t i = 0; i < 2; i++) {
        Fighter *hanging = &rig.state.fighters[i];
        hanging->partner = 0;
        hanging->surface = 0;
        hanging->action = FIGHTER_ACTION_LEDGE_HANG;
        hanging->ledge = (uint8_t)(i + 1);
    }
    cr_assert_null(wrong_with(&rig));
    LIE(ledge, 1, "ledge");
    LIE(ledge, 0, "ledge");
    LIE(launch_x.raw, 1, "launch_x");
    fighter->action = FIGHTER_ACTION_LEDGE_CLIMB;
    LIE(launch_x.raw, 1, "launch_x");
    fighter->ledge = 0;
    fighter->action = FIGHTER_ACTION_RESPAWN;
    cr_assert_null(wrong_with(&rig));
    LIE(launch_y.raw, 1, "launch_x");
    rig_close(&rig);
}

Test(fighter_forged, lies_of_the_match)
{
    Rig rig;
    rig_open(&rig, 2, 4);
    rig_steps(&rig, 5);
    FighterMatch *match = rig.state.match;
    FighterMatch real = *match;
    match->rng = 0;
    refuse(&rig, "rng");
    *match = real;
    match->phase = FIGHTER_PHASE_WAITING;
    refuse(&rig, "phase");
    *match = real;
    match->number = 0;
    refuse(&rig, "number");
    *match = real;
    match->winner = 1;
    refuse(&rig, "winner");
    *match = real;
    match->over_ticks = 1;
    refuse(&rig, "winner");
    match->phase = FIGHTER_PHASE_OVER;
    match->winner = 3;
    refuse(&rig, "winner");
    match->winner = 2;
    cr_assert_null(wrong_with(&rig));
    rig_close(&rig);
}

Test(fighter_forged, lies_of_projectiles)
{
    Rig rig;
    rig_open(&rig, 2, 4);
    rig_steps(&rig, 5);
    FighterProjectileHandle handle = fighter_projectile_create(&rig.state.projectiles);
    FighterProjectile *shot = fighter_projectile_get(&rig.state.projectiles, handle);
    shot->life_ticks = 3;
    shot->velocity_x.raw = -fighter_kinds[0].shot.speed_x;
    cr_assert_null(wrong_with(&rig));
    shot->owner = 2;
    refuse(&rig, "owner");
    shot->owner = 1;
    refuse(&rig, "kind");
    shot->owner = 0;
    Fighter owner = rig.state.fighters[0];
    rig.state.fighters[0] = (Fighter){ 0 };
    refuse(&rig, "owner");
    rig.state.fighters[0] = owner;
    shot->life_ticks = (uint16_t)(fighter_kinds[0].shot.life_ticks + 1);
    refuse(&rig, "life_ticks");
    shot->life_ticks = 3;
    shot->velocity_x.raw = 0;
    refuse(&rig, "velocity_x");
    shot->velocity_x.raw = fighter_kinds[0].shot.speed_x;
    cr_assert_null(wrong_with(&rig));
    rig.state.projectiles.head->live = 2;
    cr_assert_not_null(wrong_with(&rig));
    rig_close(&rig);
}

// Goal: every state that play makes is one that a decoder accepts, with seats changing all the time, bots and lively pads, on every stage.
static void play_is_valid(int64_t stage, bool has_bots)
{
    Rig rig;
    RigConfig config = rig_config();
    config.items[FIGHTER_CONFIG_STAGE] = stage;
    config.items[FIGHTER_CONFIG_STOCKS] = 3;
    rig_open_with(&rig, 8, 21, config);
    tp_pcg32 seats = tp_pcg32_make(1, 1);
    if (has_bots) {
        rig_seat_bots(&rig, 4, 5);
    }
    for (uint32_t i = 0; i < 20000; i++) {
        uint32_t seat = tp_pcg32_below(&seats, 800);
        if (seat < 8) {
            rig_set_present(&rig, seat, !rig_is_present(&rig, seat));
        }
        if (!has_bots) {
            rig_play_lively(&rig, 3, i);
        }
        rig_step(&rig);
        rig_check(&rig);
    }
    rig_close(&rig);
}

Test(fighter_forged, every_state_of_play_is_valid, .timeout = 120)
{
    for (int64_t stage = 0; stage < FIGHTER_STAGE_COUNT; stage++) {
        play_is_valid(stage, false);
        play_is_valid(stage, true);
    }
}

// Left equals right, and slots are only names: mirrored play gives the exactly mirrored state in every tick, and swapped or permuted players the
// swapped or permuted one, over hours of hits, grabs, throws and falls. Each test says how much happened, so that none of
// it is said about fighters that stand around.
#include <criterion/criterion.h>

#include <stdio.h>

#include "fighter_data.h"
#include "fighter_rig.h"

// The rules of combat as they are, built here so that every tie that a slot decides is counted. The archive's copy is not linked beside it.
static uint64_t ties;
#define FIGHTER_COMBAT_TIE() (ties++)
#include "fighter_combat.c"

enum { TEN_MINUTES = 36000 };

static const tp_section *fighters_section(void)
{
    return &fighter_world.sections[FIGHTER_SECTION_FIGHTERS];
}

// The first field in which two fighters differ, by name.
static const char *difference(const Fighter *a, const Fighter *b)
{
    const tp_section *section = fighters_section();
    for (uint32_t i = 0; i < section->field_count; i++) {
        const tp_field *field = &section->fields[i];
        if (memcmp((const char *)a + field->offset, (const char *)b + field->offset, field->size) != 0) {
            return field->name;
        }
    }
    return NULL;
}

static uint64_t fights(const Rig *rig)
{
    return rig->seen[FIGHTER_EVENT_HIT] + rig->seen[FIGHTER_EVENT_GRABBED] + rig->seen[FIGHTER_EVENT_KO];
}

static void say(const char *test, const Rig *rig)
{
    printf("fighter_mirror %s: %llu hits, %llu shielded, %llu grabbed, %llu thrown, %llu fired, %llu falls\n", test,
           (unsigned long long)rig->seen[FIGHTER_EVENT_HIT], (unsigned long long)rig->seen[FIGHTER_EVENT_SHIELDED],
           (unsigned long long)rig->seen[FIGHTER_EVENT_GRABBED], (unsigned long long)rig->seen[FIGHTER_EVENT_THROWN],
           (unsigned long long)rig->seen[FIGHTER_EVENT_FIRED], (unsigned long long)rig->seen[FIGHTER_EVENT_KO]);
}

// ---- The mirrored stage

static bool is_mirrored(const Rig *rig, const Rig *image, char *text, size_t size)
{
    for (uint32_t i = 0; i < rig->players; i++) {
        Fighter expected = rig_mirrored_fighter(&rig->state.fighters[i]);
        const char *field = difference(&expected, &image->state.fighters[i]);
        if (field != NULL) {
            snprintf(text, size, "slot %u, %s, doing %s", i, field, fighter_action_names[rig->state.fighters[i].action]);
            return false;
        }
    }
    for (uint32_t i = 0; i < rig->state.projectiles.capacity; i++) {
        FighterProjectile expected = rig_mirrored_shot(&rig->state.projectiles.slots[i]);
        if (memcmp(&expected, &image->state.projectiles.slots[i], sizeof(expected)) != 0) {
            snprintf(text, size, "projectile %u", i);
            return false;
        }
    }
    bool is_same_match = memcmp(rig->state.match, image->state.match, sizeof(FighterMatch)) == 0;
    snprintf(text, size, "the match");
    return is_same_match && memcmp(rig->state.projectiles.head, image->state.projectiles.head, sizeof(tp_pool_head)) == 0;
}

static void open_pair(Rig *rig, Rig *image, uint32_t players, RigConfig config)
{
    config.items[FIGHTER_CONFIG_MIRROR] = 0;
    rig_open_with(rig, players, 5, config);
    config.items[FIGHTER_CONFIG_MIRROR] = 1;
    rig_open_with(image, players, 5, config);
}

static void play_mirrored(Rig *rig, Rig *image, uint64_t number, uint64_t ticks)
{
    for (uint64_t tick = 0; tick < ticks; tick++) {
        char text[128];
        tp_view view = tp_sim_view(rig->sim);
        for (uint32_t i = 0; i < rig->players; i++) {
            if (rig->has_bots) {
                fighter_bot.play(&rig->bots[i], &view, &rig->pads[i]);
            } else {
                rig->pads[i] = rig_lively(rig, number, i, tick);
            }
            image->pads[i] = rig_mirrored_pad(rig->pads[i]);
        }
        bool has_bots = rig->has_bots;
        rig->has_bots = false; // they have played
        rig_step(rig);
        rig_step(image);
        rig->has_bots = has_bots;
        cr_assert(is_mirrored(rig, image, text, sizeof(text)), "pads %llu, tick %llu: %s", (unsigned long long)number,
                  (unsigned long long)tick, text);
    }
}

// Goal: ten minutes of four different kinds of pads in a mirror, on every stage.
static void mirror_stage(int64_t stage, uint64_t number, uint64_t fights_least)
{
    Rig rig;
    Rig image;
    RigConfig config = rig_config();
    config.items[FIGHTER_CONFIG_STAGE] = stage;
    config.items[FIGHTER_CONFIG_TIME_S] = 90;
    open_pair(&rig, &image, 4, config);
    play_mirrored(&rig, &image, number, TEN_MINUTES);
    say(fighter_stage_names[stage], &rig);
    cr_assert_geq(fights(&rig), fights_least, "only %llu fights", (unsigned long long)fights(&rig));
    cr_assert_gt(rig.seen[FIGHTER_EVENT_MATCH_ENDED], 2);
    rig_close(&rig);
    rig_close(&image);
}

Test(fighter_mirror, hall) { mirror_stage(0, 1, 500); }
Test(fighter_mirror, terrace) { mirror_stage(1, 2, 500); }
Test(fighter_mirror, harbour) { mirror_stage(2, 3, 500); }

static void mirror_bots(int64_t stage)
{
    Rig rig;
    Rig image;
    RigConfig config = rig_config();
    config.items[FIGHTER_CONFIG_STAGE] = stage;
    open_pair(&rig, &image, 3, config);
    rig_seat_bots(&rig, 9, 4);
    play_mirrored(&rig, &image, 0, TEN_MINUTES);
    say("bots", &rig);
    cr_assert_geq(fights(&rig), 300);
    rig_close(&rig);
    rig_close(&image);
}

Test(fighter_mirror, bots_in_the_hall) { mirror_bots(0); }
Test(fighter_mirror, bots_on_the_terrace) { mirror_bots(1); }
Test(fighter_mirror, bots_at_the_harbour) { mirror_bots(2); }

// Goal: a crowd, with everything happening at once.
Test(fighter_mirror, crowd)
{
    Rig rig;
    Rig image;
    open_pair(&rig, &image, 32, rig_config());
    play_mirrored(&rig, &image, 11, 3600);
    say("crowd", &rig);
    cr_assert_geq(fights(&rig), 1000);
    rig_close(&rig);
    rig_close(&image);
}

// Goal: the comparison is no blind one: one bit of rounding on one side is noticed, in every signed field and in a facing.
Test(fighter_mirror, notices_one_sided_rounding)
{
    Rig rig;
    Rig image;
    char text[128];
    open_pair(&rig, &image, 2, rig_config());
    play_mirrored(&rig, &image, 1, 600);
    Fighter *fighter = &image.state.fighters[1];
    int32_t *const values[] = { &fighter->x.raw, &fighter->velocity_x.raw, &fighter->launch_x.raw, &fighter->y.raw };
    for (size_t i = 0; i < TP_COUNT_OF(values); i++) {
        *values[i] -= 1;
        cr_assert(!is_mirrored(&rig, &image, text, sizeof(text)), "value %zu", i);
        *values[i] += 1;
    }
    fighter->facing ^= 1;
    cr_assert(!is_mirrored(&rig, &image, text, sizeof(text)));
    fighter->facing ^= 1;
    image.state.match->is_contested ^= 1;
    cr_assert(!is_mirrored(&rig, &image, text, sizeof(text)));
    image.state.match->is_contested ^= 1;
    cr_assert(is_mirrored(&rig, &image, text, sizeof(text)), "%s", text);
    rig_close(&rig);
    rig_close(&image);
}

// ---- Other slots

// slot[i]: where the fighter of slot i plays in the other match; may be mirrored as well.
typedef struct Renaming {
    uint32_t count;
    uint8_t  slot[8];
    bool     is_mirrored;
    uint8_t  surface[FIGHTER_SURFACES_MAX + 1]; // of the mirror image of each surface + 1
    uint8_t  ledge[FIGHTER_LEDGES_MAX + 1];
} Renaming;

static uint8_t renamed_who(const Renaming *names, uint8_t who)
{
    return who == 0 ? 0 : (uint8_t)(names->slot[who - 1] + 1);
}

static uint64_t renamed_bits(const Renaming *names, uint64_t bits)
{
    uint64_t renamed = 0;
    for (uint32_t i = 0; i < names->count; i++) {
        renamed |= (bits >> i & 1) << names->slot[i];
    }
    return renamed;
}

static Fighter renamed_fighter(const Renaming *names, const Fighter *fighter)
{
    Fighter other = names->is_mirrored ? rig_mirrored_fighter(fighter) : *fighter;
    other.struck[0] = renamed_bits(names, fighter->struck[0]);
    other.partner = renamed_who(names, fighter->partner);
    other.last_hit_by = renamed_who(names, fighter->last_hit_by);
    other.surface = names->surface[fighter->surface];
    other.dropping = names->surface[fighter->dropping];
    other.ledge = names->ledge[fighter->ledge];
    return other;
}

// Pools hand out slots in the order of firing, which names decide within a tick: what counts is which projectiles there are.
static bool has_shot(const FighterState *state, const FighterProjectile *shot)
{
    const FighterProjectilePool *pool = &state->projectiles;
    for (uint32_t i = fighter_projectile_first(pool); i < pool->capacity; i = fighter_projectile_after(pool, i)) {
        FighterProjectile found = pool->slots[i];
        found.generation = shot->generation;
        found.next_free = shot->next_free;
        if (memcmp(&found, shot, sizeof(found)) == 0) {
            return true;
        }
    }
    return false;
}

static bool is_renamed(const Renaming *names, const Rig *rig, const Rig *other, char *text, size_t size)
{
    const FighterProjectilePool *pool = &rig->state.projectiles;
    for (uint32_t i = 0; i < rig->players; i++) {
        Fighter expected = renamed_fighter(names, &rig->state.fighters[i]);
        const char *field = difference(&expected, &other->state.fighters[names->slot[i]]);
        if (field != NULL) {
            snprintf(text, size, "slot %u, %s, doing %s", i, field, fighter_action_names[rig->state.fighters[i].action]);
            return false;
        }
    }
    snprintf(text, size, "projectiles");
    for (uint32_t i = fighter_projectile_first(pool); i < pool->capacity; i = fighter_projectile_after(pool, i)) {
        FighterProjectile expected = names->is_mirrored ? rig_mirrored_shot(&pool->slots[i]) : pool->slots[i];
        expected.owner = names->slot[expected.owner];
        if (!has_shot(&other->state, &expected)) {
            return false;
        }
    }
    snprintf(text, size, "match");
    FighterMatch expected = *rig->state.match;
    expected.winner = renamed_who(names, (uint8_t)expected.winner);
    return memcmp(&expected, other->state.match, sizeof(expected)) == 0 && pool->head->live == other->state.projectiles.head->live;
}

static FighterSurface mirrored_surface(FighterSurface surface)
{
    FighterSurface mirrored = { surface.kind, -surface.x1, surface.y0, -surface.x0, surface.y1 };
    if (surface.kind == FIGHTER_SURFACE_WALL_LEFT || surface.kind == FIGHTER_SURFACE_WALL_RIGHT) {
        mirrored.kind = surface.kind == FIGHTER_SURFACE_WALL_LEFT ? FIGHTER_SURFACE_WALL_RIGHT : FIGHTER_SURFACE_WALL_LEFT;
    }
    return mirrored;
}

// Which surface and ledge of a symmetric stage is the mirror image of which.
static void find_images(Renaming *names, const FighterStage *stage)
{
    for (int32_t i = 0; i < stage->surface_count; i++) {
        FighterSurface image = mirrored_surface(stage->surfaces[i]);
        for (int32_t k = 0; k < stage->surface_count; k++) {
            if (memcmp(&image, &stage->surfaces[k], sizeof(image)) == 0) {
                names->surface[i + 1] = (uint8_t)(k + 1);
            }
        }
        cr_assert_neq(names->surface[i + 1], 0, "the stage is not symmetric");
    }
    for (int32_t i = 0; i < stage->ledge_count; i++) {
        for (int32_t k = 0; k < stage->ledge_count; k++) {
            if (stage->ledges[i].x == -stage->ledges[k].x && stage->ledges[i].y == stage->ledges[k].y) {
                names->ledge[i + 1] = (uint8_t)(k + 1);
            }
        }
    }
}

typedef struct Fought {
    uint64_t hits, grabs, falls;
    uint64_t trades; // ticks in which both were hit by the other
} Fought;

static void count_fights(Fought *fought, const Rig *rig)
{
    const FighterImpact *first = rig_impact_of(rig, FIGHTER_EVENT_HIT, 0);
    const FighterImpact *second = rig_impact_of(rig, FIGHTER_EVENT_HIT, 1);
    fought->hits += rig_event_count(rig, FIGHTER_EVENT_HIT);
    fought->grabs += rig_event_count(rig, FIGHTER_EVENT_GRABBED);
    fought->falls += rig_event_count(rig, FIGHTER_EVENT_KO);
    fought->trades += first != NULL && second != NULL && first->by == 2 && second->by == 1;
}

// Goal: two players who swap their ports, on a stage that is its own mirror image, play the mirrored match: nobody has the better port.
static void swap_ports(int64_t stage, int64_t kind_0, int64_t kind_1, uint64_t number, Fought *fought)
{
    Rig rig;
    Rig other;
    RigConfig config = rig_config();
    Renaming names = { .count = 2, .slot = { 1, 0 }, .is_mirrored = true };
    char text[128];
    config.items[FIGHTER_CONFIG_STAGE] = stage;
    config.items[FIGHTER_CONFIG_TIME_S] = 60;
    config.items[FIGHTER_CONFIG_REMATCH_S] = 1;
    config.items[FIGHTER_CONFIG_FIGHTER_1] = kind_0;
    config.items[FIGHTER_CONFIG_FIGHTER_1 + 1] = kind_1;
    rig_open_with(&rig, 2, 5, config);
    config.items[FIGHTER_CONFIG_FIGHTER_1] = kind_1;
    config.items[FIGHTER_CONFIG_FIGHTER_1 + 1] = kind_0;
    rig_open_with(&other, 2, 5, config);
    find_images(&names, fighter_data_stage(&tp_sim_layout(rig.sim)->setup));
    for (uint64_t tick = 0; tick < TEN_MINUTES; tick++) {
        rig_play_lively(&rig, number, tick);
        other.pads[1] = rig_mirrored_pad(rig.pads[0]);
        other.pads[0] = rig_mirrored_pad(rig.pads[1]);
        rig_step(&rig);
        rig_step(&other);
        cr_assert(is_renamed(&names, &rig, &other, text, sizeof(text)), "stage %d, pads %llu, tick %llu: %s", (int)stage,
                  (unsigned long long)number, (unsigned long long)tick, text);
        count_fights(fought, &rig);
    }
    rig_close(&rig);
    rig_close(&other);
}

Test(fighter_mirror, swapped_ports, .timeout = 120)
{
    Fought fought = { 0 };
    for (int64_t i = 0; i < 18; i++) {
        swap_ports(i / 9, i % 3, i / 3 % 3, 100 + (uint64_t)i, &fought);
    }
    printf("fighter_mirror swapped: %llu hits, %llu trades, %llu grabs, %llu falls\n", (unsigned long long)fought.hits,
           (unsigned long long)fought.trades, (unsigned long long)fought.grabs, (unsigned long long)fought.falls);
    cr_assert_geq(fought.hits, 4000);
    cr_assert_geq(fought.trades, 25);
    cr_assert_geq(fought.grabs, 300);
    cr_assert_geq(fought.falls, 300);
}

// Goal: a match of eight, half an hour of it, with the same people in other slots, is the same match: in every tick but those in which a tie was decided
// by the slot, of which there are few. After a tie both go on from the same state again.
Test(fighter_mirror, permuted_slots, .timeout = 120)
{
    static const uint8_t orders[3][8] = { { 7, 6, 5, 4, 3, 2, 1, 0 }, { 3, 0, 7, 1, 6, 2, 4, 5 }, { 1, 0, 2, 3, 5, 4, 7, 6 } };
    uint64_t fought = 0;
    uint64_t tied_ticks = 0;
    for (uint32_t k = 0; k < 3; k++) {
        Rig rig;
        Rig other;
        RigConfig config = rig_config();
        char text[128];
        Renaming names = { .count = 8 };
        memcpy(names.slot, orders[k], sizeof(names.slot));
        for (uint8_t i = 0; i <= FIGHTER_SURFACES_MAX; i++) {
            names.surface[i] = i;
        }
        for (uint8_t i = 0; i <= FIGHTER_LEDGES_MAX; i++) {
            names.ledge[i] = i;
        }
        config.items[FIGHTER_CONFIG_STAGE] = k;
        config.items[FIGHTER_CONFIG_STOCKS] = 99;
        config.items[FIGHTER_CONFIG_TIME_S] = 0;
        config.items[FIGHTER_CONFIG_PROJECTILES] = 128;
        rig_open_with(&rig, 8, 5, config);
        for (uint32_t i = 0; i < 8; i++) {
            config.items[FIGHTER_CONFIG_FIGHTER_1 + names.slot[i]] = rig.config.items[FIGHTER_CONFIG_FIGHTER_1 + i];
        }
        rig_open_with(&other, 8, 5, config);
        bool is_apart = true;
        for (uint64_t tick = 0; tick < TEN_MINUTES; tick++) {
            uint64_t ties_before = ties;
            rig_play_lively(&rig, 60 + k, tick);
            for (uint32_t i = 0; i < 8; i++) {
                other.pads[names.slot[i]] = rig.pads[i];
            }
            rig_step(&rig);
            rig_step(&other);
            is_apart = is_apart || ties != ties_before;
            tied_ticks += ties != ties_before;
            for (uint32_t i = 0; is_apart && i < 8; i++) {
                other.state.fighters[names.slot[i]] = renamed_fighter(&names, &rig.state.fighters[i]);
            }
            is_apart = false;
            cr_assert(is_renamed(&names, &rig, &other, text, sizeof(text)), "order %u, tick %llu: %s", k, (unsigned long long)tick, text);
        }
        fought += fights(&rig);
        say("permuted", &rig);
        rig_close(&rig);
        rig_close(&other);
    }
    printf("fighter_mirror permuted: %llu ticks with a tie of slots\n", (unsigned long long)tied_ticks);
    cr_assert_geq(fought, 5000);
    cr_assert_leq(tied_ticks, fought / 50);
}

// ---- Crowded grabs

enum { CROWD = 6, CROWD_TICKS = 30 };

static Renaming shuffled(tp_pcg32 *noise)
{
    Renaming names = { .count = CROWD };
    for (uint8_t i = 0; i <= FIGHTER_SURFACES_MAX; i++) {
        names.surface[i] = i;
    }
    for (uint8_t i = 0; i <= FIGHTER_LEDGES_MAX; i++) {
        names.ledge[i] = i;
    }
    for (uint8_t i = 0; i < CROWD; i++) {
        uint32_t k = tp_pcg32_below(noise, i + 1u);
        names.slot[i] = names.slot[k];
        names.slot[k] = i;
    }
    return names;
}

// Six on a floor, close together, most of them about to reach for each other.
static void crowd(Rig *rig, tp_pcg32 *noise)
{
    static const FighterAction others[] = { FIGHTER_ACTION_JAB, FIGHTER_ACTION_TILT_FORWARD, FIGHTER_ACTION_DASH_ATTACK, FIGHTER_ACTION_SMASH_DOWN };
    for (uint32_t i = 0; i < CROWD; i++) {
        int32_t x = FIGHTER_RAW((int32_t)tp_pcg32_below(noise, 70) - 20);
        FighterFacing facing = (FighterFacing)tp_pcg32_below(noise, 2);
        uint32_t draw = tp_pcg32_below(noise, 16);
        rig_stand(rig, i, x, 0, facing);
        rig_poise(rig, i, draw < 4 ? others[draw] : FIGHTER_ACTION_GRAB);
        rig->state.fighters[i].action_tick = (uint16_t)(rig->state.fighters[i].action_tick - tp_pcg32_below(noise, 2));
        rig->state.fighters[i].damage.raw = (int32_t)tp_pcg32_below(noise, FIGHTER_RAW(150));
    }
}

typedef struct Crowded {
    uint64_t grabs, clashes, ticks;
} Crowded;

static void play_crowd(uint64_t seed, Crowded *sum)
{
    tp_pcg32 noise = tp_pcg32_make(seed, 5);
    Renaming names = shuffled(&noise);
    Rig rig;
    Rig other;
    RigConfig config = rig_config();
    char text[128];
    config.items[FIGHTER_CONFIG_STAGE] = (int64_t)(seed % FIGHTER_STAGE_COUNT);
    config.items[FIGHTER_CONFIG_PROJECTILES] = FIGHTER_PROJECTILES_MAX;
    rig_open_with(&rig, CROWD, 5, config);
    for (uint32_t i = 0; i < CROWD; i++) {
        config.items[FIGHTER_CONFIG_FIGHTER_1 + names.slot[i]] = rig.config.items[FIGHTER_CONFIG_FIGHTER_1 + i];
    }
    rig_open_with(&other, CROWD, 5, config);
    rig_step(&rig);
    rig_step(&other);
    crowd(&rig, &noise);
    for (uint32_t i = 0; i < CROWD; i++) {
        other.state.fighters[names.slot[i]] = renamed_fighter(&names, &rig.state.fighters[i]);
    }
    for (uint64_t tick = 0; tick < CROWD_TICKS; tick++) {
        uint64_t ties_before = ties;
        rig_play_lively(&rig, seed, tick);
        for (uint32_t i = 0; i < CROWD; i++) {
            rig.pads[i].buttons ^= tp_pcg32_below(&noise, 3) == 0 ? FIGHTER_BUTTON_GRAB : 0;
            other.pads[names.slot[i]] = rig.pads[i];
        }
        rig_step(&rig);
        rig_step(&other);
        if (ties != ties_before) {
            break; // a tie that a slot decides: from here on they differ
        }
        rig_check(&rig);
        cr_assert(is_renamed(&names, &rig, &other, text, sizeof(text)), "scene %llu, tick %llu: %s", (unsigned long long)seed,
                  (unsigned long long)tick, text);
        sum->clashes += rig_event_count(&rig, FIGHTER_EVENT_RELEASED) > 1;
        sum->grabs += rig_event_count(&rig, FIGHTER_EVENT_GRABBED);
        sum->ticks++;
    }
    rig_close(&rig);
    rig_close(&other);
}

// Goal: where everybody reaches for everybody, clashes and holds are whole and do not look at slots.
Test(fighter_mirror, crowded_grabs, .timeout = 120)
{
    Crowded sum = { 0 };
    for (uint64_t seed = 0; seed < 1500; seed++) {
        play_crowd(seed, &sum);
    }
    printf("fighter_mirror crowded: %llu ticks, %llu grabs, %llu ticks with a clash\n", (unsigned long long)sum.ticks,
           (unsigned long long)sum.grabs, (unsigned long long)sum.clashes);
    cr_assert_geq(sum.grabs, 1000);
    cr_assert_geq(sum.clashes, 200);
}

// The checksum of the game this world follows, computed from our state, as a second opinion beside the roots: FNV-1a-128 over
// the number of fighters, for each its place and velocity, what it does (one byte) and its facing, then the stage's floor, then the frame. What
// its page leaves open is chosen here: the number of fighters takes 4 bytes, little-endian like all the others. It knows nothing of
// the generator, of blows and of projectiles; the roots do.
#include <criterion/criterion.h>

#include "fighter_data.h"
#include "fighter_rig.h"

static void add_u32(tp_hash128 *hash, uint32_t value)
{
    const uint8_t bytes[4] = { (uint8_t)value, (uint8_t)(value >> 8), (uint8_t)(value >> 16), (uint8_t)(value >> 24) };
    *hash = tp_fnv128_add(*hash, bytes, sizeof(bytes));
}

static void add_u8(tp_hash128 *hash, uint8_t value)
{
    *hash = tp_fnv128_add(*hash, &value, 1);
}

static tp_hash128 checksum_on(const FighterStage *stage, const FighterState *state, uint64_t tick)
{
    tp_hash128 hash = tp_fnv128_start();
    add_u32(&hash, state->fighter_count);
    for (uint32_t i = 0; i < state->fighter_count; i++) {
        const Fighter *fighter = &state->fighters[i];
        add_u32(&hash, (uint32_t)fighter->x.raw);
        add_u32(&hash, (uint32_t)fighter->y.raw);
        add_u32(&hash, (uint32_t)fighter->velocity_x.raw);
        add_u32(&hash, (uint32_t)fighter->velocity_y.raw);
        add_u8(&hash, fighter->action);
        add_u8(&hash, fighter->facing);
    }
    add_u32(&hash, (uint32_t)stage->surfaces[0].y0);
    add_u32(&hash, (uint32_t)stage->surfaces[0].x0);
    add_u32(&hash, (uint32_t)stage->surfaces[0].x1);
    add_u32(&hash, (uint32_t)tick); // its frame has 32 bits
    return hash;
}

static tp_hash128 checksum(const FighterState *state, uint64_t tick)
{
    return checksum_on(&fighter_stages[1], state, tick);
}

// Goal: equal runs have equal checksums and equal roots in every tick, and both move in every tick.
Test(fighter_checksum, equal_runs_agree)
{
    Rig one;
    Rig two;
    rig_open(&one, 6, 3);
    rig_open(&two, 6, 3);
    tp_hash128 before = checksum(&one.state, 0);
    for (uint32_t tick = 0; tick < 3000; tick++) {
        rig_play_script(&one, tick);
        rig_play_script(&two, tick);
        rig_step(&one);
        rig_step(&two);
        tp_hash128 here = checksum(&one.state, tick + 1);
        cr_assert(tp_hash128_equal(here, checksum(&two.state, tick + 1)), "tick %u", tick);
        cr_assert(tp_hash128_equal(tp_sim_root(one.sim), tp_sim_root(two.sim)), "tick %u", tick);
        cr_assert(!tp_hash128_equal(here, before));
        before = here;
    }
    rig_close(&one);
    rig_close(&two);
}

static void check_changed(Rig *rig, tp_hash128 sum, tp_hash128 root, const char *what)
{
    cr_assert(!tp_hash128_equal(sum, checksum(&rig->state, 100)), "%s: checksum", what);
    (void)tp_sim_state(rig->sim); // forget the root
    cr_assert(!tp_hash128_equal(root, tp_sim_root(rig->sim)), "%s: root", what);
}

#define CHECK_FIELD(field)                                \
    do {                                                  \
        (field) ^= 1;                                     \
        check_changed(&rig, sum, root, #field);           \
        (field) ^= 1;                                     \
    } while (0)

// Goal: every field, changed by one bit, changes the checksum and the root.
Test(fighter_checksum, every_field_counts)
{
    Rig rig;
    rig_open(&rig, 3, 3);
    for (uint32_t tick = 0; tick < 100; tick++) {
        rig_play_script(&rig, tick);
        rig_step(&rig);
    }
    tp_hash128 sum = checksum(&rig.state, 100);
    tp_hash128 root = tp_sim_root(rig.sim);
    for (uint32_t i = 0; i < 3; i++) {
        Fighter *fighter = &rig.state.fighters[i];
        CHECK_FIELD(fighter->x.raw);
        CHECK_FIELD(fighter->y.raw);
        CHECK_FIELD(fighter->velocity_x.raw);
        CHECK_FIELD(fighter->velocity_y.raw);
        CHECK_FIELD(fighter->action);
        CHECK_FIELD(fighter->facing);
    }
    cr_assert(!tp_hash128_equal(sum, checksum_on(&fighter_stages[0], &rig.state, 100)), "stage");
    cr_assert(!tp_hash128_equal(sum, checksum(&rig.state, 101)), "frame");
    FighterState fewer = rig.state;
    fewer.fighter_count = 2;
    cr_assert(!tp_hash128_equal(sum, checksum(&fewer, 100)), "count");
    cr_assert(tp_hash128_equal(sum, checksum(&rig.state, 100)));
    rig_close(&rig);
}

// Goal: one known value, computed apart from this project: 2 fighters in the hall after the first tick, at 160 - 320 / 3 to both sides, idle (4).
Test(fighter_checksum, known_value)
{
    Rig rig;
    RigConfig config = rig_config();
    config.items[FIGHTER_CONFIG_STAGE] = 0;
    rig_open_with(&rig, 2, 1, config);
    rig_step(&rig);
    tp_hash128 sum = checksum_on(&fighter_stages[0], &rig.state, 1);
    cr_assert_eq(sum.hi, UINT64_C(0x14ae7b8bc502eaa8), "hi %016llx lo %016llx", (unsigned long long)sum.hi, (unsigned long long)sum.lo);
    cr_assert_eq(sum.lo, UINT64_C(0x52267c26baba05eb));
    rig_close(&rig);
}

// Foreign states: random ones, real ones with a few bytes changed, and lies across fields. What is refused is refused with a
// reason; what is accepted steps on into states that are accepted.
#include <criterion/criterion.h>

#include "fighter_rig.h"

enum { PLAYERS = 3, SIZE = 20 + 20 * PLAYERS };

typedef struct Forger {
    Rig      rig;
    uint8_t  real[SIZE];
    uint8_t  bytes[SIZE];
    uint32_t accepted;
} Forger;

static void open_forger(Forger *forger, uint32_t ticks)
{
    size_t size = 0;
    *forger = (Forger){ 0 };
    rig_open(&forger->rig, PLAYERS, 4);
    for (uint32_t tick = 0; tick < ticks; tick++) {
        rig_play_script(&forger->rig, tick);
        rig_step(&forger->rig);
    }
    cr_assert(tp_sim_encode(forger->rig.sim, forger->real, SIZE, &size));
    cr_assert_eq(size, SIZE);
}

// Goal of the steps: validate is closed. A state it accepts never faults and never leads to one it would refuse.
static void try_state(Forger *forger)
{
    tp_error error = { "" };
    if (!tp_sim_decode(forger->rig.sim, forger->bytes, SIZE, 7, 0, 0, &error)) {
        cr_assert_neq(error.text[0], '\0');
        return;
    }
    forger->accepted++;
    for (uint32_t tick = 0; tick < 40; tick++) {
        uint8_t bytes[SIZE];
        size_t size = 0;
        rig_play_script(&forger->rig, tick + forger->accepted * 7);
        rig_step(&forger->rig);
        cr_assert(tp_sim_encode(forger->rig.sim, bytes, SIZE, &size));
        cr_assert(tp_sim_decode(forger->rig.sim, bytes, SIZE, 8 + tick, 0, 0, &error), "tick %u: %s", tick, error.text);
    }
}

Test(fighter_forged, random_states)
{
    Forger forger;
    open_forger(&forger, 100);
    tp_pcg32 noise = tp_pcg32_make(11, 1);
    for (uint32_t i = 0; i < 20000; i++) {
        for (size_t k = 0; k < SIZE; k++) {
            forger.bytes[k] = (uint8_t)tp_pcg32_next(&noise);
        }
        try_state(&forger);
    }
    cr_assert_eq(forger.accepted, 0);
    rig_close(&forger.rig);
}

static void change_real_states(uint32_t ticks, uint64_t seed)
{
    Forger forger;
    open_forger(&forger, ticks);
    tp_pcg32 noise = tp_pcg32_make(seed, 2);
    for (uint32_t i = 0; i < 6000; i++) {
        memcpy(forger.bytes, forger.real, SIZE);
        uint32_t changes = 1 + tp_pcg32_below(&noise, 4);
        for (uint32_t k = 0; k < changes; k++) {
            uint32_t at = tp_pcg32_below(&noise, SIZE);
            uint32_t value = tp_pcg32_next(&noise);
            uint32_t how = tp_pcg32_below(&noise, 3);
            forger.bytes[at] = how == 0 ? (uint8_t)value : (uint8_t)(forger.bytes[at] ^ 1u << value % 8);
        }
        try_state(&forger);
    }
    cr_assert_gt(forger.accepted, 60, "only %u accepted: nothing was tried", forger.accepted);
    cr_assert_lt(forger.accepted, 6000, "nothing was refused");
    rig_close(&forger.rig);
}

Test(fighter_forged, changed_first_states) { change_real_states(0, 23); }
Test(fighter_forged, changed_states_of_play) { change_real_states(333, 21); }
Test(fighter_forged, changed_states_after_leaves) { change_real_states(700, 22); }

// Goal: every height of a jump is accepted, with every place, speed, facing and seat that ranges allow.
Test(fighter_forged, everything_legal_is_accepted)
{
    Forger forger;
    open_forger(&forger, 10);
    Fighter *fighter = &forger.rig.state.fighters[1];
    tp_pcg32 noise = tp_pcg32_make(3, 3);
    size_t size = 0;
    for (uint32_t i = 0; i < 3200; i++) {
        int32_t ticks = (int32_t)(i % 32) + 1;
        uint32_t x = tp_pcg32_below(&noise, FIGHTER_RAW(400) - 1);
        uint32_t speed = tp_pcg32_below(&noise, 2 * FIGHTER_SPEED_RAW + 1);
        uint32_t draw = tp_pcg32_below(&noise, 4);
        fighter->x.raw = FIGHTER_RAW(-200) + 1 + (int32_t)x;
        fighter->y.raw = ticks * FIGHTER_JUMP_RAW - ticks * (ticks - 1) / 2 * FIGHTER_GRAVITY_RAW;
        fighter->velocity_x.raw = (int32_t)speed - FIGHTER_SPEED_RAW;
        fighter->velocity_y.raw = FIGHTER_JUMP_RAW - (ticks - 1) * FIGHTER_GRAVITY_RAW;
        fighter->label = FIGHTER_LABEL_AIRBORNE;
        fighter->facing = draw / 2;
        fighter->seat = (uint8_t)(1 + draw % 2);
        cr_assert(tp_sim_encode(forger.rig.sim, forger.bytes, SIZE, &size));
        try_state(&forger);
        tp_error error;
        cr_assert(tp_sim_decode(forger.rig.sim, forger.real, SIZE, 7, 0, 0, &error));
    }
    cr_assert_eq(forger.accepted, 3200);
    rig_close(&forger.rig);
}

static void refuse(Rig *rig, const char *why)
{
    tp_context context = tp_layout_context(tp_sim_layout(rig->sim));
    const char *text = fighter_world.validate(tp_sim_state(rig->sim), &context);
    cr_assert_not_null(text, "expected: %s", why);
    cr_assert_str_eq(text, why);
}

Test(fighter_forged, lies_across_fields)
{
    Rig rig;
    rig_open(&rig, 2, 4);
    rig.pads[0].buttons = FIGHTER_BUTTON_JUMP;
    rig_steps(&rig, 5);
    Fighter *flying = &rig.state.fighters[0];
    Fighter *standing = &rig.state.fighters[1];
    Fighter flew = *flying;
    Fighter stood = *standing;
    uint64_t rng = rig.state.match->rng;

    rig.state.match->rng = 0;
    refuse(&rig, "the generator's word is 0");
    rig.state.match->rng = rng;

    standing->label = FIGHTER_LABEL_HITSTUN;
    refuse(&rig, "a fighter's label is not what it is doing");
    standing->label = FIGHTER_LABEL_WALK;
    refuse(&rig, "a fighter's label is not what it is doing");
    *standing = stood;

    standing->velocity_y.raw = -1;
    refuse(&rig, "a fighter rises or falls on the floor");
    *standing = stood;

    standing->velocity_x.raw = 65536;
    standing->label = FIGHTER_LABEL_WALK;
    standing->x.raw = FIGHTER_RAW(200);
    refuse(&rig, "a fighter moves at a wall that ends its moves");
    standing->x.raw = 0;
    standing->seat = FIGHTER_SEAT_EMPTY;
    refuse(&rig, "a fighter walks, and nobody has its slot");
    *standing = stood;

    flying->y.raw++;
    refuse(&rig, "a fighter is in the air, and on no jump");
    *flying = flew;
    flying->velocity_y.raw = -flying->velocity_y.raw;
    refuse(&rig, "a fighter is in the air, and on no jump");
    *flying = flew;

    tp_context context = tp_layout_context(tp_sim_layout(rig.sim));
    cr_assert_null(fighter_world.validate(tp_sim_state(rig.sim), &context));
    rig_close(&rig);
}

// Goal: another stage is another game: its ranges have one value each.
Test(fighter_forged, another_stage)
{
    for (uint32_t at = 8; at < 20; at++) {
        Forger forger;
        tp_error error = { "" };
        open_forger(&forger, 10);
        memcpy(forger.bytes, forger.real, SIZE);
        forger.bytes[at] ^= 1;
        cr_assert(!tp_sim_decode(forger.rig.sim, forger.bytes, SIZE, 7, 0, 0, &error));
        cr_assert_not_null(strstr(error.text, "stage"), "%s", error.text);
        rig_close(&forger.rig);
    }
}

// Goal: every state that play makes is one that a decoder accepts, with seats changing all the time.
Test(fighter_forged, every_state_of_play_is_valid)
{
    Rig rig;
    rig_open(&rig, 8, 21);
    rig_seat_bots(&rig, 4, 5);
    tp_context context = tp_layout_context(tp_sim_layout(rig.sim));
    tp_pcg32 seats = tp_pcg32_make(1, 1);
    for (uint32_t i = 0; i < 20000; i++) {
        uint32_t seat = tp_pcg32_below(&seats, 200);
        if (seat < 8) {
            rig_set_present(&rig, seat, !rig_is_present(&rig, seat));
        }
        rig_step(&rig);
        const char *wrong = fighter_world.validate(tp_sim_state(rig.sim), &context);
        cr_assert_null(wrong, "tick %u: %s", i, wrong);
    }
    rig_close(&rig);
}

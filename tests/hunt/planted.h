// planted.h: the yard: a small world with one chore for each class of causes that makes machines, builds or runs differ. All chores are done
// right, each at a tick of its own, unless the build plants a fault: -DPLANT=CLOCK does the chore of that name wrong. Nothing else
// changes, so what a hunt has to say is known beforehand: tick CHORE_TICK + chore, field carts[chore].load.
#pragma once

#include "tickproof/rng.h"
#include "tickproof/world.h"

enum { CHORE_TICK = 100, CARTS = 32 };

typedef enum Chore {
    CHORE_NONE = 0,
    // The classes.
    CHORE_STACK,       ///< reads a local array that nobody filled
    CHORE_HEAP,        ///< reads allocated memory that nobody filled
    CHORE_SLACK,       ///< reads one past an array of its own state
    CHORE_PADDING,     ///< saves a struct with padding as it lies in memory (the engine)
    CHORE_POINTER,     ///< saves a pointer (the engine)
    CHORE_ORDER,       ///< goes by the order of addresses
    CHORE_CONTRACTION, ///< a product and a difference, which a fused operation rounds once
    CHORE_SINE,        ///< the library's sine
    CHORE_PRECISION,   ///< a sum of doubles, which some registers keep longer
    CHORE_LONG,        ///< arithmetic in long
    CHORE_ENDIAN,      ///< reads a word by its bytes
    CHORE_OVERFLOW,    ///< has a signed sum wrap
    CHORE_SORT,        ///< qsort with equal keys
    CHORE_LOCALE,      ///< reads a decimal fraction as the locale has it
    CHORE_CLOCK,       ///< asks what day it is
    CHORE_ENTROPY,     ///< asks the system for a random number
    CHORE_OMISSION,    ///< does not save a field that matters later (the engine)
    CHORE_STALE,       ///< does not build a derived section again
    CHORE_GLOBAL,      ///< counts matches in a global, which the next match finds
    CHORE_THREADS,     ///< adds up in the order in which threads come
    // What else may be different about a process.
    CHORE_ZONE,        ///< asks what the local hour is
    CHORE_ENVIRONMENT, ///< is made from the size of the environment
    CHORE_DIRECTORY,   ///< is made from the working directory
    CHORE_ROUNDING,    ///< divides as the rounding mode has it
    CHORE_FLUSH,       ///< halves the smallest number, which some modes flush to zero
    CHORE_OBSERVER,    ///< an observer leaves a note for the step
    CHORE_COUNT,
} Chore;

_Static_assert((int)CHORE_COUNT <= (int)CARTS, "there are more chores than carts: raise CARTS");

#ifndef PLANT
#define PLANT NONE
#endif
#define PLANT_PASTE(name) CHORE_##name
#define PLANT_CHORE(name) PLANT_PASTE(name)
/// Whether this build does that chore wrong. A constant: the other way is compiled, too, and left out.
#define IS_PLANTED(name) (PLANT_CHORE(PLANT) == CHORE_##name)

#define YARD_FIELDS(S, F, A, H)                     \
    F(S, u64, dice_state, "state", TP_ANY)          \
    F(S, u64, dice_increment, "state", TP_ANY)
#define CART_FIELDS(S, F, A, H)                                     \
    F(S, fx, x, "units", TP_RANGE(-100 * 65536, 100 * 65536))       \
    F(S, fx, speed, "units/tick", TP_RANGE(-2 * 65536, 2 * 65536))  \
    F(S, u64, load, "parcels", TP_ANY)
// Twelve bytes: the four behind them belong to nobody.
#define TALLY_FIELDS(S, F, A, H) A(S, u32, counts, 3, "count", TP_ANY)
#define DRIVER_FIELDS(S, F, A, H)                                   \
    F(S, u32, cart, "cart", TP_INDEX_OF("carts"))                   \
    F(S, u32, pushes, "count", TP_ANY)
#define NEAR_FIELDS(S, F, A, H) F(S, u64, carts, "count", TP_ANY)
#define PUSH_FIELDS(S, F, A, H)                                     \
    F(S, i8, push, "stick", TP_RANGE(-64, 64))                      \
    F(S, u8, change, "button", TP_BOOL)

TP_STRUCT(Yard, YARD_FIELDS)
TP_STRUCT(Cart, CART_FIELDS)
TP_STRUCT(Tally, TALLY_FIELDS)
TP_STRUCT(Driver, DRIVER_FIELDS)
TP_STRUCT(Near, NEAR_FIELDS) // derived: carts left of the middle
TP_STRUCT(Push, PUSH_FIELDS)

/// What a chore may look at. It returns what is loaded.
typedef struct Scene {
    const tp_setup *setup;
    tp_pcg32       *dice;
    Cart           *carts; ///< CARTS of them
    const Tally    *tally;
    const Near     *near;
    uint64_t        tick;
} Scene;

/// Every cart's own move, the drivers' pushes, and the tick's chore, for both worlds. The step returns how many more carts than before are left
/// of the middle.
void     yard_start(Scene *scene, Driver *drivers, Tally *tally);
int64_t  yard_step(Scene *scene, Driver *drivers, Tally *tally, const tp_tick *tick);
uint64_t yard_count_near(const Cart *carts);

extern const tp_record_type   yard_push;
extern const tp_bot_type      yard_bot;
extern const tp_observer_type yard_watcher;

/// Does the chore of the scene's tick, if there is one.
void chores_do(Scene *scene);
/// A match begins.
void chores_begin(void);
/// Left by an observer.
void chores_note(uint64_t note);

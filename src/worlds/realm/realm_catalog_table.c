// realm_catalog_table.c: the setups. Parts are in hundredths of a unit, bounds in raw bits; a test holds the bounds against the parts.
#include "realm_catalog.h"

// Toward zero, so that a shape and its mirror image stay mirrored.
#define H(hundredths) ((int32_t)((int64_t)(hundredths) * 65536 / 100))
#define SPHERE(x, y, z, radius) { REALM_SHAPE_SPHERE, H(x), H(y), H(z), H(radius), 0, 0 }
#define CYLINDER(x, y, z, radius, height) { REALM_SHAPE_CYLINDER, H(x), H(y), H(z), H(radius), H(height), 0 }
#define BOX(low_x, low_y, low_z, high_x, high_y, high_z) { REALM_SHAPE_BOX, H(low_x), H(low_y), H(low_z), H(high_x), H(high_y), H(high_z) }

const RealmSetup realm_setups[REALM_SETUP_COUNT] = {
    { { 0, 0, 0 }, { 0, 0, 0 }, 0, { { 0, 0, 0, 0, 0, 0, 0 } } },
    // player
    { { -26214, -26214, 0 }, { 26214, 26214, 117964 }, 3, {
        SPHERE(0, 0, 40, 40),
        SPHERE(0, 0, 90, 40),
        SPHERE(0, 0, 140, 40) } },
    // creature small
    { { -26214, -26214, 0 }, { 26214, 49152, 52428 }, 2, {
        SPHERE(0, 0, 40, 40),
        SPHERE(0, 50, 50, 25) } },
    // creature large
    { { -45875, -45875, 0 }, { 45875, 45875, 190054 }, 3, {
        SPHERE(0, 0, 70, 70),
        SPHERE(0, 0, 160, 70),
        SPHERE(0, 0, 240, 50) } },
    // bolt
    { { -9830, -9830, -9830 }, { 9830, 9830, 9830 }, 1, {
        SPHERE(0, 0, 0, 15) } },
    // door
    { { -65536, -6553, 0 }, { 65536, 6553, 196608 }, 1, {
        BOX(-100, -10, 0, 100, 10, 300) } },
    // tree
    { { -131072, -131072, 0 }, { 131072, 131072, 491520 }, 2, {
        CYLINDER(0, 0, 0, 50, 400),
        SPHERE(0, 0, 550, 200) } },
    // large tree
    { { -393216, -327680, 0 }, { 393216, 327680, 1114112 }, 4, {
        CYLINDER(0, 0, 0, 120, 900),
        SPHERE(0, 0, 1200, 500),
        SPHERE(350, 0, 1000, 250),
        SPHERE(-350, 0, 1000, 250) } },
    // rock
    { { -98304, -98304, -65536 }, { 137625, 98304, 131072 }, 2, {
        SPHERE(0, 0, 50, 150),
        SPHERE(120, 40, 20, 90) } },
    // boulder
    { { -327680, -327680, -196608 }, { 327680, 327680, 458752 }, 1, {
        SPHERE(0, 0, 200, 500) } },
    // wall
    { { -393216, -32768, 0 }, { 393216, 32768, 196608 }, 1, {
        BOX(-600, -50, 0, 600, 50, 300) } },
    // crate
    { { -49152, -49152, 0 }, { 49152, 49152, 98304 }, 1, {
        BOX(-75, -75, 0, 75, 75, 150) } },
    // pillar
    { { -49152, -49152, 0 }, { 49152, 49152, 393216 }, 1, {
        CYLINDER(0, 0, 0, 75, 600) } },
    // table
    { { -65536, -39321, 0 }, { 65536, 39321, 65536 }, 5, {
        BOX(-100, -60, 80, 100, 60, 100),
        CYLINDER(-80, -40, 0, 10, 80),
        CYLINDER(80, -40, 0, 10, 80),
        CYLINDER(-80, 40, 0, 10, 80),
        CYLINDER(80, 40, 0, 10, 80) } },
    // arch
    { { -216268, -39321, 0 }, { 216268, 39321, 360448 }, 3, {
        CYLINDER(-250, 0, 0, 60, 450),
        CYLINDER(250, 0, 0, 60, 450),
        BOX(-330, -60, 450, 330, 60, 550) } },
    // ruin
    { { -524288, -524288, -39321 }, { 524288, 524288, 327680 }, 10, {
        BOX(-800, -800, 0, -700, 800, 400),
        BOX(-700, 700, 0, 800, 800, 300),
        BOX(700, -800, 0, 800, 300, 250),
        BOX(-700, -800, 0, -200, -700, 350),
        CYLINDER(0, 0, 0, 70, 500),
        CYLINDER(400, 400, 0, 70, 300),
        CYLINDER(-400, 400, 0, 70, 450),
        CYLINDER(-400, -400, 0, 70, 200),
        SPHERE(300, -200, 20, 80),
        SPHERE(350, -330, 10, 60) } },
    // hill of 30
    { { -1966080, -1966080, -1966080 }, { 1966080, 1966080, 1966080 }, 1, {
        SPHERE(0, 0, 0, 3000) } },
    // hill of 100
    { { -6553600, -6553600, -6553600 }, { 6553600, 6553600, 6553600 }, 1, {
        SPHERE(0, 0, 0, 10000) } },
    // slab of 100
    { { -6553600, -6553600, -65536 }, { 6553600, 6553600, 65536 }, 1, {
        BOX(-10000, -10000, -100, 10000, 10000, 100) } },
};

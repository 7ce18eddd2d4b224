// fighter_data_table.c: written by scripts/fighter_tables.py from fighter_data.toml; `scripts/fighter_tables.py --check`
// compares. What the numbers mean stands in fighter_data.h, in the order of its structs.
#include "fighter_data.h"

const FighterStrike fighter_strikes[FIGHTER_STRIKES_MAX] = {
    { 3, 4, 1, { 524288, 1179648, 1310720, 1179648, 262144 }, 196608, 72, 14, 30, 0, 0 }, // vale jab
    { 8, 10, 2, { 524288, 1179648, 1572864, 1245184, 294912 }, 262144, 361, 28, 60, 0, 0 }, // vale jab
    { 7, 10, 1, { 524288, 1114112, 2031616, 1245184, 294912 }, 589824, 361, 18, 90, 0, 0 }, // vale tilt-forward
    { 5, 8, 1, { 524288, 1048576, 1048576, 1966080, 327680 }, 524288, 96, 30, 95, 0, 0 }, // vale tilt-up
    { 7, 11, 1, { -524288, 2490368, 655360, 2490368, 393216 }, 524288, 92, 30, 95, 0, 0 }, // vale tilt-up
    { 6, 9, 1, { 393216, 262144, 1835008, 196608, 262144 }, 524288, 78, 36, 70, 0, 0 }, // vale tilt-down
    { 14, 16, 1, { 524288, 1179648, 1835008, 1179648, 393216 }, 1048576, 361, 32, 100, 0, 0 }, // vale smash-forward
    { 15, 18, 1, { 1835008, 1179648, 2359296, 1179648, 294912 }, 917504, 361, 28, 98, 0, 0 }, // vale smash-forward
    { 11, 16, 1, { -131072, 1572864, 262144, 3014656, 524288 }, 983040, 88, 34, 98, 0, 0 }, // vale smash-up
    { 9, 11, 1, { 393216, 327680, 1835008, 327680, 327680 }, 851968, 32, 30, 92, 0, 0 }, // vale smash-down
    { 17, 19, 2, { -1835008, 327680, -393216, 327680, 327680 }, 786432, 148, 30, 92, 0, 0 }, // vale smash-down
    { 6, 13, 1, { 262144, 917504, 1179648, 917504, 458752 }, 589824, 62, 40, 70, 0, 0 }, // vale dash-attack
    { 5, 8, 1, { -589824, 917504, 786432, 917504, 589824 }, 720896, 361, 20, 92, 0, 0 }, // vale aerial-neutral
    { 9, 24, 1, { -458752, 917504, 655360, 917504, 458752 }, 458752, 361, 14, 85, 0, 0 }, // vale aerial-neutral
    { 9, 13, 1, { 524288, 917504, 1572864, 1310720, 458752 }, 786432, 361, 24, 95, 0, 0 }, // vale aerial-forward
    { 7, 11, 1, { -1703936, 1114112, -524288, 1114112, 393216 }, 851968, 144, 22, 96, 0, 0 }, // vale aerial-back
    { 6, 12, 1, { -655360, 2490368, 786432, 2359296, 458752 }, 655360, 84, 24, 92, 0, 0 }, // vale aerial-up
    { 13, 18, 1, { -131072, -524288, 196608, 393216, 458752 }, 851968, 270, 20, 85, 0, 0 }, // vale aerial-down
    { 5, 9, 1, { 0, 1179648, 786432, 1835008, 524288 }, 458752, 80, 46, 50, 0, 0 }, // vale recovery
    { 12, 20, 2, { 0, 1310720, 524288, 2097152, 524288 }, 327680, 70, 40, 60, 0, 0 }, // vale recovery
    { 7, 9, 1, { 393216, 1114112, 1441792, 1114112, 327680 }, 0, 0, 0, 0, 0, 1 }, // vale grab
    { 11, 11, 1, { 1179648, 1048576, 1179648, 1048576, 524288 }, 524288, 42, 52, 62, 0, 0 }, // vale throw-forward
    { 14, 14, 1, { -1179648, 1048576, -1179648, 1048576, 524288 }, 589824, 138, 54, 68, 0, 0 }, // vale throw-back
    { 10, 10, 1, { 524288, 2228224, 524288, 2228224, 524288 }, 458752, 90, 62, 56, 0, 0 }, // vale throw-up
    { 16, 16, 1, { 917504, 393216, 917504, 393216, 524288 }, 393216, 72, 66, 40, 0, 0 }, // vale throw-down
    { 2, 3, 1, { 393216, 983040, 1114112, 983040, 229376 }, 131072, 74, 12, 25, 0, 0 }, // wisp jab
    { 5, 6, 2, { 393216, 983040, 1179648, 983040, 229376 }, 131072, 74, 12, 25, 0, 0 }, // wisp jab
    { 8, 9, 3, { 393216, 983040, 1310720, 1048576, 262144 }, 196608, 361, 26, 60, 0, 0 }, // wisp jab
    { 5, 7, 1, { 393216, 917504, 1703936, 983040, 262144 }, 458752, 361, 16, 92, 0, 0 }, // wisp tilt-forward
    { 4, 8, 1, { -393216, 1835008, 655360, 2097152, 360448 }, 393216, 98, 34, 90, 0, 0 }, // wisp tilt-up
    { 4, 6, 1, { 327680, 196608, 1572864, 196608, 229376 }, 393216, 84, 36, 62, 0, 0 }, // wisp tilt-down
    { 9, 10, 1, { 393216, 917504, 1572864, 917504, 327680 }, 262144, 30, 16, 20, 0, 0 }, // wisp smash-forward
    { 13, 15, 2, { 393216, 917504, 2031616, 983040, 360448 }, 720896, 361, 34, 111, 0, 0 }, // wisp smash-forward
    { 7, 9, 1, { -262144, 1441792, 393216, 2097152, 393216 }, 262144, 92, 36, 20, 0, 0 }, // wisp smash-up
    { 12, 15, 2, { -393216, 1966080, 524288, 2621440, 491520 }, 655360, 90, 36, 112, 0, 0 }, // wisp smash-up
    { 6, 9, 1, { -1572864, 262144, 1572864, 262144, 294912 }, 720896, 28, 28, 96, 0, 0 }, // wisp smash-down
    { 4, 7, 1, { 262144, 786432, 1048576, 786432, 393216 }, 196608, 50, 30, 15, 0, 0 }, // wisp dash-attack
    { 9, 14, 2, { 262144, 786432, 1179648, 786432, 393216 }, 327680, 66, 42, 70, 0, 0 }, // wisp dash-attack
    { 4, 7, 1, { -524288, 786432, 524288, 786432, 524288 }, 196608, 80, 18, 20, 0, 0 }, // wisp aerial-neutral
    { 10, 13, 2, { -524288, 786432, 524288, 786432, 524288 }, 196608, 80, 18, 20, 0, 0 }, // wisp aerial-neutral
    { 16, 19, 3, { -589824, 786432, 589824, 786432, 589824 }, 327680, 361, 28, 96, 0, 0 }, // wisp aerial-neutral
    { 6, 9, 1, { 393216, 786432, 1441792, 983040, 393216 }, 589824, 361, 22, 98, 0, 0 }, // wisp aerial-forward
    { 5, 8, 1, { -1572864, 917504, -393216, 917504, 360448 }, 720896, 142, 22, 100, 0, 0 }, // wisp aerial-back
    { 4, 9, 1, { -589824, 2097152, 655360, 2031616, 393216 }, 589824, 86, 24, 96, 0, 0 }, // wisp aerial-up
    { 8, 11, 1, { 0, -327680, 131072, 393216, 393216 }, 262144, 300, 14, 20, 0, 0 }, // wisp aerial-down
    { 14, 17, 2, { 0, -458752, 131072, 393216, 425984 }, 458752, 278, 22, 80, 0, 0 }, // wisp aerial-down
    { 4, 18, 1, { -262144, 917504, 393216, 1966080, 458752 }, 458752, 75, 44, 66, 0, 0 }, // wisp recovery
    { 6, 7, 1, { 327680, 917504, 1245184, 917504, 294912 }, 0, 0, 0, 0, 0, 1 }, // wisp grab
    { 9, 9, 1, { 983040, 917504, 983040, 917504, 458752 }, 393216, 40, 54, 58, 0, 0 }, // wisp throw-forward
    { 11, 11, 1, { -983040, 917504, -983040, 917504, 458752 }, 524288, 134, 52, 74, 0, 0 }, // wisp throw-back
    { 9, 9, 1, { 393216, 1835008, 393216, 1835008, 458752 }, 393216, 88, 64, 60, 0, 0 }, // wisp throw-up
    { 13, 13, 1, { 786432, 327680, 786432, 327680, 458752 }, 327680, 98, 68, 36, 0, 0 }, // wisp throw-down
    { 5, 7, 1, { 655360, 1310720, 1835008, 1310720, 393216 }, 458752, 361, 24, 60, 0, 0 }, // boar jab
    { 9, 13, 1, { 655360, 1245184, 2490368, 1310720, 393216 }, 851968, 361, 20, 92, 131072, 0 }, // boar tilt-forward
    { 9, 15, 1, { -655360, 2621440, 1048576, 2752512, 524288 }, 720896, 94, 32, 88, 0, 0 }, // boar tilt-up
    { 8, 12, 1, { 524288, 327680, 2162688, 262144, 327680 }, 720896, 66, 32, 74, 0, 0 }, // boar tilt-down
    { 18, 21, 1, { 655360, 1310720, 2228224, 1310720, 524288 }, 1376256, 361, 36, 94, 262144, 0 }, // boar smash-forward
    { 19, 22, 1, { 2228224, 1310720, 2883584, 1310720, 458752 }, 1179648, 361, 34, 92, 262144, 0 }, // boar smash-forward
    { 17, 23, 1, { -262144, 1703936, 524288, 3538944, 655360 }, 1245184, 86, 34, 92, 196608, 0 }, // boar smash-up
    { 12, 16, 1, { 524288, 327680, 2359296, 327680, 393216 }, 1114112, 38, 30, 90, 196608, 0 }, // boar smash-down
    { 12, 16, 1, { -2359296, 327680, -524288, 327680, 393216 }, 1114112, 142, 30, 90, 196608, 0 }, // boar smash-down
    { 9, 14, 1, { 262144, 1179648, 1310720, 1179648, 589824 }, 786432, 48, 46, 74, 0, 0 }, // boar dash-attack
    { 15, 22, 1, { 262144, 1179648, 1179648, 1179648, 524288 }, 524288, 60, 36, 64, 0, 0 }, // boar dash-attack
    { 8, 20, 1, { -851968, 1048576, 983040, 1048576, 720896 }, 786432, 361, 22, 90, 0, 0 }, // boar aerial-neutral
    { 15, 18, 1, { 524288, 2097152, 1441792, 2490368, 589824 }, 1048576, 361, 26, 92, 0, 0 }, // boar aerial-forward
    { 17, 20, 1, { 917504, 524288, 1703936, 1048576, 524288 }, 1048576, 282, 22, 80, 0, 0 }, // boar aerial-forward
    { 11, 15, 1, { -2228224, 1245184, -655360, 1245184, 458752 }, 983040, 140, 24, 94, 0, 0 }, // boar aerial-back
    { 9, 15, 1, { -917504, 2752512, 1048576, 2621440, 524288 }, 917504, 82, 26, 90, 0, 0 }, // boar aerial-up
    { 18, 24, 1, { -262144, -655360, 393216, 262144, 655360 }, 1048576, 270, 26, 88, 0, 0 }, // boar aerial-down
    { 7, 14, 1, { -262144, 1310720, 786432, 2359296, 655360 }, 786432, 78, 44, 74, 0, 0 }, // boar recovery
    { 8, 10, 1, { 524288, 1245184, 1835008, 1245184, 393216 }, 0, 0, 0, 0, 0, 1 }, // boar grab
    { 15, 15, 1, { 1572864, 1179648, 1572864, 1179648, 655360 }, 720896, 45, 52, 68, 0, 0 }, // boar throw-forward
    { 19, 19, 1, { -1572864, 1179648, -1572864, 1179648, 655360 }, 786432, 136, 54, 70, 0, 0 }, // boar throw-back
    { 14, 14, 1, { 655360, 2490368, 655360, 2490368, 655360 }, 589824, 90, 60, 62, 0, 0 }, // boar throw-up
    { 22, 22, 1, { 1179648, 524288, 1179648, 524288, 655360 }, 655360, 64, 60, 50, 0, 0 }, // boar throw-down
};

const FighterKind fighter_kinds[FIGHTER_KIND_COUNT] = {
    [FIGHTER_KIND_VALE] = {
        .weight = 100,
        .half_width = 589824,
        .height = 2097152,
        .walk_speed = 196608,
        .dash_speed = 275251,
        .run_speed = 288358,
        .ground_acceleration = 393216,
        .friction = 26214,
        .air_speed = 196608,
        .air_acceleration = 16384,
        .air_friction = 3932,
        .gravity = 32768,
        .fall_speed = 524288,
        .fast_fall_speed = 688128,
        .stun_gravity = 2949,
        .stun_fall_speed = 157286,
        .jump_speed = 524288,
        .short_hop_speed = 360448,
        .air_jump_speed = 491520,
        .jump_squat_ticks = 4,
        .air_jumps = 1,
        .land_ticks = 4,
        .shield_radius = 1376256,
        .ledge_reach_x = 1310720, .ledge_reach_y = 1572864,
        .hurts = { { -131072, 327680, 131072, 327680, 327680 }, { 0, 851968, 0, 1245184, 458752 }, { 65536, 1769472, 65536, 1769472, 327680 } },
        .shot = { 14, 917504, 1179648, 458752, 0, 0, 40,
            { 0, 0, 1, { -262144, 0, 262144, 0, 163840 }, 327680, 361, 12, 35, 65536, 0 } },
        .actions = {
            [FIGHTER_ACTION_ABSENT] = { 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 },
            [FIGHTER_ACTION_OUT] = { 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 },
            [FIGHTER_ACTION_KO] = { 60, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 },
            [FIGHTER_ACTION_RESPAWN] = { 180, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 },
            [FIGHTER_ACTION_IDLE] = { 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 },
            [FIGHTER_ACTION_WALK] = { 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 },
            [FIGHTER_ACTION_DASH] = { 14, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 },
            [FIGHTER_ACTION_RUN] = { 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 },
            [FIGHTER_ACTION_TURN] = { 9, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 },
            [FIGHTER_ACTION_CROUCH] = { 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 },
            [FIGHTER_ACTION_JUMP_SQUAT] = { 4, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 },
            [FIGHTER_ACTION_AIR] = { 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 },
            [FIGHTER_ACTION_HELPLESS] = { 0, 0, 0, 0, 14, 0, 0, 0, 0, 0, 0 },
            [FIGHTER_ACTION_LAND] = { 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 },
            [FIGHTER_ACTION_SHIELD] = { 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 },
            [FIGHTER_ACTION_SHIELD_STUN] = { 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 },
            [FIGHTER_ACTION_SHIELD_BREAK] = { 240, 0, 0, 0, 0, 1, 5, 0, 262144, 0, 0 },
            [FIGHTER_ACTION_SPOT_DODGE] = { 26, 0, 3, 17, 0, 0, 0, 0, 0, 0, 0 },
            [FIGHTER_ACTION_ROLL_FORWARD] = { 30, 0, 4, 19, 0, 4, 21, 222822, 0, 0, 0 },
            [FIGHTER_ACTION_ROLL_BACK] = { 30, 0, 4, 19, 0, 4, 21, -222822, 0, 0, 0 },
            [FIGHTER_ACTION_AIR_DODGE] = { 36, 0, 3, 24, 12, 2, 12, 294912, 0, 0, 0 },
            [FIGHTER_ACTION_LEDGE_HANG] = { 300, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 },
            [FIGHTER_ACTION_LEDGE_CLIMB] = { 32, 0, 1, 30, 0, 0, 0, 0, 0, 0, 0 },
            [FIGHTER_ACTION_JAB] = { 18, 15, 0, 0, 0, 0, 0, 0, 0, 0, 2 },
            [FIGHTER_ACTION_TILT_FORWARD] = { 30, 26, 0, 0, 0, 0, 0, 0, 0, 2, 1 },
            [FIGHTER_ACTION_TILT_UP] = { 28, 24, 0, 0, 0, 0, 0, 0, 0, 3, 2 },
            [FIGHTER_ACTION_TILT_DOWN] = { 27, 22, 0, 0, 0, 0, 0, 0, 0, 5, 1 },
            [FIGHTER_ACTION_SMASH_FORWARD] = { 48, 44, 0, 0, 0, 0, 0, 0, 0, 6, 2 },
            [FIGHTER_ACTION_SMASH_UP] = { 46, 41, 0, 0, 0, 0, 0, 0, 0, 8, 1 },
            [FIGHTER_ACTION_SMASH_DOWN] = { 48, 43, 0, 0, 0, 0, 0, 0, 0, 9, 2 },
            [FIGHTER_ACTION_DASH_ATTACK] = { 38, 34, 0, 0, 0, 3, 16, 262144, 0, 11, 1 },
            [FIGHTER_ACTION_AERIAL_NEUTRAL] = { 40, 34, 0, 0, 9, 0, 0, 0, 0, 12, 2 },
            [FIGHTER_ACTION_AERIAL_FORWARD] = { 38, 34, 0, 0, 14, 0, 0, 0, 0, 14, 1 },
            [FIGHTER_ACTION_AERIAL_BACK] = { 36, 30, 0, 0, 12, 0, 0, 0, 0, 15, 1 },
            [FIGHTER_ACTION_AERIAL_UP] = { 34, 29, 0, 0, 10, 0, 0, 0, 0, 16, 1 },
            [FIGHTER_ACTION_AERIAL_DOWN] = { 46, 40, 0, 0, 18, 0, 0, 0, 0, 17, 1 },
            [FIGHTER_ACTION_SHOOT] = { 38, 34, 0, 0, 0, 0, 0, 0, 0, 0, 0 },
            [FIGHTER_ACTION_RECOVERY] = { 34, 0, 1, 4, 18, 5, 20, 98304, 419430, 18, 2 },
            [FIGHTER_ACTION_GRAB] = { 32, 0, 0, 0, 0, 0, 0, 0, 0, 20, 1 },
            [FIGHTER_ACTION_GRAB_HOLD] = { 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 },
            [FIGHTER_ACTION_GRABBED] = { 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 },
            [FIGHTER_ACTION_THROW_FORWARD] = { 26, 0, 0, 0, 0, 0, 0, 0, 0, 21, 1 },
            [FIGHTER_ACTION_THROW_BACK] = { 30, 0, 0, 0, 0, 0, 0, 0, 0, 22, 1 },
            [FIGHTER_ACTION_THROW_UP] = { 28, 0, 0, 0, 0, 0, 0, 0, 0, 23, 1 },
            [FIGHTER_ACTION_THROW_DOWN] = { 32, 0, 0, 0, 0, 0, 0, 0, 0, 24, 1 },
            [FIGHTER_ACTION_HITSTUN] = { 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 },
            [FIGHTER_ACTION_TUMBLE] = { 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 },
            [FIGHTER_ACTION_DOWN] = { 90, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 },
            [FIGHTER_ACTION_GET_UP] = { 26, 0, 1, 20, 0, 0, 0, 0, 0, 0, 0 },
            [FIGHTER_ACTION_TECH] = { 24, 0, 1, 18, 0, 0, 0, 0, 0, 0, 0 },
        },
    },
    [FIGHTER_KIND_WISP] = {
        .weight = 80,
        .half_width = 491520,
        .height = 1769472,
        .walk_speed = 216269,
        .dash_speed = 327680,
        .run_speed = 340787,
        .ground_acceleration = 39322,
        .friction = 20972,
        .air_speed = 222822,
        .air_acceleration = 19661,
        .air_friction = 1966,
        .gravity = 22282,
        .fall_speed = 340787,
        .fast_fall_speed = 498074,
        .stun_gravity = 1966,
        .stun_fall_speed = 117965,
        .jump_speed = 458752,
        .short_hop_speed = 301466,
        .air_jump_speed = 406323,
        .jump_squat_ticks = 3,
        .air_jumps = 2,
        .land_ticks = 3,
        .shield_radius = 1179648,
        .ledge_reach_x = 1310720, .ledge_reach_y = 1441792,
        .hurts = { { -65536, 262144, 131072, 262144, 262144 }, { 0, 720896, 0, 1048576, 393216 }, { 65536, 1507328, 65536, 1507328, 262144 } },
        .shot = { 16, 655360, 1310720, 170394, 209715, 7864, 100,
            { 0, 0, 1, { 0, 0, 0, 0, 327680 }, 458752, 65, 26, 50, 131072, 0 } },
        .actions = {
            [FIGHTER_ACTION_ABSENT] = { 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 },
            [FIGHTER_ACTION_OUT] = { 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 },
            [FIGHTER_ACTION_KO] = { 60, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 },
            [FIGHTER_ACTION_RESPAWN] = { 180, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 },
            [FIGHTER_ACTION_IDLE] = { 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 },
            [FIGHTER_ACTION_WALK] = { 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 },
            [FIGHTER_ACTION_DASH] = { 11, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 },
            [FIGHTER_ACTION_RUN] = { 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 },
            [FIGHTER_ACTION_TURN] = { 7, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 },
            [FIGHTER_ACTION_CROUCH] = { 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 },
            [FIGHTER_ACTION_JUMP_SQUAT] = { 3, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 },
            [FIGHTER_ACTION_AIR] = { 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 },
            [FIGHTER_ACTION_HELPLESS] = { 0, 0, 0, 0, 10, 0, 0, 0, 0, 0, 0 },
            [FIGHTER_ACTION_LAND] = { 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 },
            [FIGHTER_ACTION_SHIELD] = { 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 },
            [FIGHTER_ACTION_SHIELD_STUN] = { 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 },
            [FIGHTER_ACTION_SHIELD_BREAK] = { 260, 0, 0, 0, 0, 1, 6, 0, 294912, 0, 0 },
            [FIGHTER_ACTION_SPOT_DODGE] = { 23, 0, 2, 15, 0, 0, 0, 0, 0, 0, 0 },
            [FIGHTER_ACTION_ROLL_FORWARD] = { 26, 0, 3, 17, 0, 3, 18, 255590, 0, 0, 0 },
            [FIGHTER_ACTION_ROLL_BACK] = { 26, 0, 3, 17, 0, 3, 18, -255590, 0, 0, 0 },
            [FIGHTER_ACTION_AIR_DODGE] = { 34, 0, 2, 25, 10, 2, 13, 314573, 0, 0, 0 },
            [FIGHTER_ACTION_LEDGE_HANG] = { 300, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 },
            [FIGHTER_ACTION_LEDGE_CLIMB] = { 28, 0, 1, 26, 0, 0, 0, 0, 0, 0, 0 },
            [FIGHTER_ACTION_JAB] = { 16, 13, 0, 0, 0, 0, 0, 0, 0, 25, 3 },
            [FIGHTER_ACTION_TILT_FORWARD] = { 25, 21, 0, 0, 0, 0, 0, 0, 0, 28, 1 },
            [FIGHTER_ACTION_TILT_UP] = { 23, 19, 0, 0, 0, 0, 0, 0, 0, 29, 1 },
            [FIGHTER_ACTION_TILT_DOWN] = { 22, 18, 0, 0, 0, 0, 0, 0, 0, 30, 1 },
            [FIGHTER_ACTION_SMASH_FORWARD] = { 42, 38, 0, 0, 0, 0, 0, 0, 0, 31, 2 },
            [FIGHTER_ACTION_SMASH_UP] = { 40, 35, 0, 0, 0, 0, 0, 0, 0, 33, 2 },
            [FIGHTER_ACTION_SMASH_DOWN] = { 41, 37, 0, 0, 0, 0, 0, 0, 0, 35, 1 },
            [FIGHTER_ACTION_DASH_ATTACK] = { 32, 28, 0, 0, 0, 2, 14, 314573, 0, 36, 2 },
            [FIGHTER_ACTION_AERIAL_NEUTRAL] = { 38, 33, 0, 0, 8, 0, 0, 0, 0, 38, 3 },
            [FIGHTER_ACTION_AERIAL_FORWARD] = { 34, 29, 0, 0, 10, 0, 0, 0, 0, 41, 1 },
            [FIGHTER_ACTION_AERIAL_BACK] = { 31, 26, 0, 0, 9, 0, 0, 0, 0, 42, 1 },
            [FIGHTER_ACTION_AERIAL_UP] = { 30, 25, 0, 0, 8, 0, 0, 0, 0, 43, 1 },
            [FIGHTER_ACTION_AERIAL_DOWN] = { 36, 31, 0, 0, 13, 0, 0, 0, 0, 44, 2 },
            [FIGHTER_ACTION_SHOOT] = { 40, 34, 0, 0, 0, 0, 0, 0, 0, 0, 0 },
            [FIGHTER_ACTION_RECOVERY] = { 36, 0, 1, 3, 14, 4, 22, 117965, 367002, 46, 1 },
            [FIGHTER_ACTION_GRAB] = { 29, 0, 0, 0, 0, 0, 0, 0, 0, 47, 1 },
            [FIGHTER_ACTION_GRAB_HOLD] = { 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 },
            [FIGHTER_ACTION_GRABBED] = { 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 },
            [FIGHTER_ACTION_THROW_FORWARD] = { 24, 0, 0, 0, 0, 0, 0, 0, 0, 48, 1 },
            [FIGHTER_ACTION_THROW_BACK] = { 26, 0, 0, 0, 0, 0, 0, 0, 0, 49, 1 },
            [FIGHTER_ACTION_THROW_UP] = { 26, 0, 0, 0, 0, 0, 0, 0, 0, 50, 1 },
            [FIGHTER_ACTION_THROW_DOWN] = { 28, 0, 0, 0, 0, 0, 0, 0, 0, 51, 1 },
            [FIGHTER_ACTION_HITSTUN] = { 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 },
            [FIGHTER_ACTION_TUMBLE] = { 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 },
            [FIGHTER_ACTION_DOWN] = { 90, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 },
            [FIGHTER_ACTION_GET_UP] = { 24, 0, 1, 19, 0, 0, 0, 0, 0, 0, 0 },
            [FIGHTER_ACTION_TECH] = { 22, 0, 1, 17, 0, 0, 0, 0, 0, 0, 0 },
        },
    },
    [FIGHTER_KIND_BOAR] = {
        .weight = 124,
        .half_width = 786432,
        .height = 2359296,
        .walk_speed = 170394,
        .dash_speed = 249037,
        .run_speed = 268698,
        .ground_acceleration = 32768,
        .friction = 19661,
        .air_speed = 176947,
        .air_acceleration = 10486,
        .air_friction = 3277,
        .gravity = 39322,
        .fall_speed = 602931,
        .fast_fall_speed = 786432,
        .stun_gravity = 3604,
        .stun_fall_speed = 183501,
        .jump_speed = 550502,
        .short_hop_speed = 393216,
        .air_jump_speed = 524288,
        .jump_squat_ticks = 6,
        .air_jumps = 1,
        .land_ticks = 5,
        .shield_radius = 1638400,
        .ledge_reach_x = 1572864, .ledge_reach_y = 1703936,
        .hurts = { { -262144, 393216, 262144, 393216, 393216 }, { -131072, 983040, 131072, 1376256, 589824 }, { 196608, 1966080, 196608, 1966080, 393216 } },
        .shot = { 21, 1179648, 1310720, 327680, 39322, 6554, 24,
            { 0, 0, 1, { 0, 0, 0, 0, 458752 }, 786432, 48, 34, 70, 327680, 0 } },
        .actions = {
            [FIGHTER_ACTION_ABSENT] = { 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 },
            [FIGHTER_ACTION_OUT] = { 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 },
            [FIGHTER_ACTION_KO] = { 60, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 },
            [FIGHTER_ACTION_RESPAWN] = { 180, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 },
            [FIGHTER_ACTION_IDLE] = { 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 },
            [FIGHTER_ACTION_WALK] = { 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 },
            [FIGHTER_ACTION_DASH] = { 18, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 },
            [FIGHTER_ACTION_RUN] = { 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 },
            [FIGHTER_ACTION_TURN] = { 13, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 },
            [FIGHTER_ACTION_CROUCH] = { 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 },
            [FIGHTER_ACTION_JUMP_SQUAT] = { 6, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 },
            [FIGHTER_ACTION_AIR] = { 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 },
            [FIGHTER_ACTION_HELPLESS] = { 0, 0, 0, 0, 20, 0, 0, 0, 0, 0, 0 },
            [FIGHTER_ACTION_LAND] = { 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 },
            [FIGHTER_ACTION_SHIELD] = { 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 },
            [FIGHTER_ACTION_SHIELD_STUN] = { 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 },
            [FIGHTER_ACTION_SHIELD_BREAK] = { 220, 0, 0, 0, 0, 1, 4, 0, 262144, 0, 0 },
            [FIGHTER_ACTION_SPOT_DODGE] = { 30, 0, 4, 18, 0, 0, 0, 0, 0, 0, 0 },
            [FIGHTER_ACTION_ROLL_FORWARD] = { 36, 0, 5, 22, 0, 5, 26, 196608, 0, 0, 0 },
            [FIGHTER_ACTION_ROLL_BACK] = { 36, 0, 5, 22, 0, 5, 26, -196608, 0, 0, 0 },
            [FIGHTER_ACTION_AIR_DODGE] = { 40, 0, 4, 24, 16, 3, 12, 262144, 0, 0, 0 },
            [FIGHTER_ACTION_LEDGE_HANG] = { 300, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 },
            [FIGHTER_ACTION_LEDGE_CLIMB] = { 38, 0, 1, 36, 0, 0, 0, 0, 0, 0, 0 },
            [FIGHTER_ACTION_JAB] = { 24, 19, 0, 0, 0, 0, 0, 0, 0, 52, 1 },
            [FIGHTER_ACTION_TILT_FORWARD] = { 36, 31, 0, 0, 0, 0, 0, 0, 0, 53, 1 },
            [FIGHTER_ACTION_TILT_UP] = { 36, 31, 0, 0, 0, 0, 0, 0, 0, 54, 1 },
            [FIGHTER_ACTION_TILT_DOWN] = { 33, 27, 0, 0, 0, 0, 0, 0, 0, 55, 1 },
            [FIGHTER_ACTION_SMASH_FORWARD] = { 55, 49, 0, 0, 0, 0, 0, 0, 0, 56, 2 },
            [FIGHTER_ACTION_SMASH_UP] = { 56, 50, 0, 0, 0, 0, 0, 0, 0, 58, 1 },
            [FIGHTER_ACTION_SMASH_DOWN] = { 54, 47, 0, 0, 0, 0, 0, 0, 0, 59, 2 },
            [FIGHTER_ACTION_DASH_ATTACK] = { 46, 42, 0, 0, 0, 6, 22, 288358, 0, 61, 2 },
            [FIGHTER_ACTION_AERIAL_NEUTRAL] = { 46, 40, 0, 0, 14, 0, 0, 0, 0, 63, 1 },
            [FIGHTER_ACTION_AERIAL_FORWARD] = { 50, 45, 0, 0, 22, 0, 0, 0, 0, 64, 2 },
            [FIGHTER_ACTION_AERIAL_BACK] = { 42, 37, 0, 0, 17, 0, 0, 0, 0, 66, 1 },
            [FIGHTER_ACTION_AERIAL_UP] = { 42, 37, 0, 0, 16, 0, 0, 0, 0, 67, 1 },
            [FIGHTER_ACTION_AERIAL_DOWN] = { 56, 50, 0, 0, 26, 0, 0, 0, 0, 68, 1 },
            [FIGHTER_ACTION_SHOOT] = { 54, 48, 0, 0, 0, 0, 0, 0, 0, 0, 0 },
            [FIGHTER_ACTION_RECOVERY] = { 40, 0, 2, 7, 24, 7, 20, 78643, 471859, 69, 1 },
            [FIGHTER_ACTION_GRAB] = { 35, 0, 0, 0, 0, 0, 0, 0, 0, 70, 1 },
            [FIGHTER_ACTION_GRAB_HOLD] = { 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 },
            [FIGHTER_ACTION_GRABBED] = { 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 },
            [FIGHTER_ACTION_THROW_FORWARD] = { 34, 0, 0, 0, 0, 0, 0, 0, 0, 71, 1 },
            [FIGHTER_ACTION_THROW_BACK] = { 38, 0, 0, 0, 0, 0, 0, 0, 0, 72, 1 },
            [FIGHTER_ACTION_THROW_UP] = { 34, 0, 0, 0, 0, 0, 0, 0, 0, 73, 1 },
            [FIGHTER_ACTION_THROW_DOWN] = { 40, 0, 0, 0, 0, 0, 0, 0, 0, 74, 1 },
            [FIGHTER_ACTION_HITSTUN] = { 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 },
            [FIGHTER_ACTION_TUMBLE] = { 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 },
            [FIGHTER_ACTION_DOWN] = { 90, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 },
            [FIGHTER_ACTION_GET_UP] = { 30, 0, 1, 23, 0, 0, 0, 0, 0, 0, 0 },
            [FIGHTER_ACTION_TECH] = { 28, 0, 1, 20, 0, 0, 0, 0, 0, 0, 0 },
        },
    },
};

const FighterStage fighter_stages[2 * FIGHTER_STAGE_COUNT] = {
    [0] = { // hall
        -20971520, 20971520, 13434880, -7864320,
        -10485760, 10485760, 0, 0, 8519680,
        5, {
            { FIGHTER_SURFACE_FLOOR, -13107200, 0, 13107200, 0 },
            { FIGHTER_SURFACE_WALL_LEFT, -13107200, -3932160, -13107200, 20971520 },
            { FIGHTER_SURFACE_WALL_RIGHT, 13107200, -3932160, 13107200, 20971520 },
            { FIGHTER_SURFACE_PLATFORM, -8519680, 3145728, -3932160, 3145728 },
            { FIGHTER_SURFACE_PLATFORM, 3932160, 3145728, 8519680, 3145728 },
        },
        0, { { 0, 0, 0 } },
    },
    [1] = { // terrace
        -19660800, 19660800, 14942208, -14417920,
        -7208960, 7208960, 0, 0, 9175040,
        7, {
            { FIGHTER_SURFACE_FLOOR, -9830400, 0, 9830400, 0 },
            { FIGHTER_SURFACE_WALL_RIGHT, -9830400, -3932160, -9830400, 0 },
            { FIGHTER_SURFACE_WALL_LEFT, 9830400, -3932160, 9830400, 0 },
            { FIGHTER_SURFACE_CEILING, -9830400, -3932160, 9830400, -3932160 },
            { FIGHTER_SURFACE_PLATFORM, -7864320, 3014656, -3276800, 3014656 },
            { FIGHTER_SURFACE_PLATFORM, 3276800, 3014656, 7864320, 3014656 },
            { FIGHTER_SURFACE_PLATFORM, -2359296, 6029312, 2359296, 6029312 },
        },
        2, { { -9830400, 0, -1 }, { 9830400, 0, 1 } },
    },
    [2] = { // harbour
        -21626880, 21626880, 14942208, -15073280,
        -9175040, 3932160, 0, -2621440, 9175040,
        11, {
            { FIGHTER_SURFACE_FLOOR, -11796480, 0, 5242880, 0 },
            { FIGHTER_SURFACE_FLOOR, -12845056, 4718592, -11796480, 4718592 },
            { FIGHTER_SURFACE_WALL_LEFT, -11796480, 0, -11796480, 4718592 },
            { FIGHTER_SURFACE_WALL_RIGHT, -12845056, -4194304, -12845056, 4718592 },
            { FIGHTER_SURFACE_WALL_LEFT, 5242880, -4194304, 5242880, 0 },
            { FIGHTER_SURFACE_CEILING, -12845056, -4194304, 5242880, -4194304 },
            { FIGHTER_SURFACE_FLOOR, 7864320, -917504, 13500416, -917504 },
            { FIGHTER_SURFACE_WALL_RIGHT, 7864320, -2621440, 7864320, -917504 },
            { FIGHTER_SURFACE_WALL_LEFT, 13500416, -2621440, 13500416, -917504 },
            { FIGHTER_SURFACE_CEILING, 7864320, -2621440, 13500416, -2621440 },
            { FIGHTER_SURFACE_PLATFORM, -6815744, 5767168, -2228224, 5767168 },
        },
        4, { { -12845056, 4718592, -1 }, { 5242880, 0, 1 }, { 7864320, -917504, -1 }, { 13500416, -917504, 1 } },
    },
    [3] = { // hall, mirrored
        -20971520, 20971520, 13434880, -7864320,
        -10485760, 10485760, 0, 0, 8519680,
        5, {
            { FIGHTER_SURFACE_FLOOR, -13107200, 0, 13107200, 0 },
            { FIGHTER_SURFACE_WALL_RIGHT, 13107200, -3932160, 13107200, 20971520 },
            { FIGHTER_SURFACE_WALL_LEFT, -13107200, -3932160, -13107200, 20971520 },
            { FIGHTER_SURFACE_PLATFORM, 3932160, 3145728, 8519680, 3145728 },
            { FIGHTER_SURFACE_PLATFORM, -8519680, 3145728, -3932160, 3145728 },
        },
        0, { { 0, 0, 0 } },
    },
    [4] = { // terrace, mirrored
        -19660800, 19660800, 14942208, -14417920,
        -7208960, 7208960, 0, 0, 9175040,
        7, {
            { FIGHTER_SURFACE_FLOOR, -9830400, 0, 9830400, 0 },
            { FIGHTER_SURFACE_WALL_LEFT, 9830400, -3932160, 9830400, 0 },
            { FIGHTER_SURFACE_WALL_RIGHT, -9830400, -3932160, -9830400, 0 },
            { FIGHTER_SURFACE_CEILING, -9830400, -3932160, 9830400, -3932160 },
            { FIGHTER_SURFACE_PLATFORM, 3276800, 3014656, 7864320, 3014656 },
            { FIGHTER_SURFACE_PLATFORM, -7864320, 3014656, -3276800, 3014656 },
            { FIGHTER_SURFACE_PLATFORM, -2359296, 6029312, 2359296, 6029312 },
        },
        2, { { 9830400, 0, 1 }, { -9830400, 0, -1 } },
    },
    [5] = { // harbour, mirrored
        -21626880, 21626880, 14942208, -15073280,
        -3932160, 9175040, 0, 2621440, 9175040,
        11, {
            { FIGHTER_SURFACE_FLOOR, -5242880, 0, 11796480, 0 },
            { FIGHTER_SURFACE_FLOOR, 11796480, 4718592, 12845056, 4718592 },
            { FIGHTER_SURFACE_WALL_RIGHT, 11796480, 0, 11796480, 4718592 },
            { FIGHTER_SURFACE_WALL_LEFT, 12845056, -4194304, 12845056, 4718592 },
            { FIGHTER_SURFACE_WALL_RIGHT, -5242880, -4194304, -5242880, 0 },
            { FIGHTER_SURFACE_CEILING, -5242880, -4194304, 12845056, -4194304 },
            { FIGHTER_SURFACE_FLOOR, -13500416, -917504, -7864320, -917504 },
            { FIGHTER_SURFACE_WALL_LEFT, -7864320, -2621440, -7864320, -917504 },
            { FIGHTER_SURFACE_WALL_RIGHT, -13500416, -2621440, -13500416, -917504 },
            { FIGHTER_SURFACE_CEILING, -13500416, -2621440, -7864320, -2621440 },
            { FIGHTER_SURFACE_PLATFORM, 2228224, 5767168, 6815744, 5767168 },
        },
        4, { { 12845056, 4718592, 1 }, { -5242880, 0, -1 }, { -7864320, -917504, 1 }, { -13500416, -917504, -1 } },
    },
};

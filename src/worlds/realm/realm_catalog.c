// realm_catalog.c: setups by number, and parts where their owners are.
#include "realm_catalog.h"

const RealmSetup *realm_catalog_at(uint16_t setup)
{
    return setup < REALM_SETUP_COUNT && realm_setups[setup].parts > 0 ? &realm_setups[setup] : NULL;
}

// (x, y) -> (-y, x), `turn` times.
static void turn_point(uint8_t turn, int64_t *x, int64_t *y)
{
    for (uint8_t i = 0; i < (turn & 3); i++) {
        int64_t old_x = *x;
        *x = -*y;
        *y = old_x;
    }
}

static void order(int64_t *low, int64_t *high)
{
    if (*low > *high) {
        int64_t kept = *low;
        *low = *high;
        *high = kept;
    }
}

static void place_box(RealmSolid *solid, const RealmPart *part, uint8_t turn)
{
    int64_t low_x = part->x, low_y = part->y, high_x = part->a, high_y = part->b;
    turn_point(turn, &low_x, &low_y);
    turn_point(turn, &high_x, &high_y);
    order(&low_x, &high_x);
    order(&low_y, &high_y);
    solid->low[0] += low_x;
    solid->low[1] += low_y;
    solid->low[2] += part->z;
    solid->high[0] += high_x;
    solid->high[1] += high_y;
    solid->high[2] += part->c;
}

static void place_round(RealmSolid *solid, const RealmPart *part, uint8_t turn)
{
    int64_t x = part->x, y = part->y;
    turn_point(turn, &x, &y);
    const int64_t offset[3] = { x, y, part->z };
    solid->radius = part->a;
    for (int i = 0; i < 3; i++) {
        solid->centre[i] = solid->low[i] + offset[i];
        solid->low[i] = solid->centre[i] - part->a;
        solid->high[i] = solid->centre[i] + part->a;
    }
    if (part->shape == REALM_SHAPE_CYLINDER) {
        solid->low[2] = solid->centre[2];
        solid->high[2] = solid->centre[2] + part->b;
    }
}

RealmSolid realm_part_solid(const RealmPart *part, uint8_t turn, int64_t x, int64_t y, int64_t z)
{
    RealmSolid solid = { .shape = part->shape, .low = { x, y, z }, .high = { x, y, z } };
    if (part->shape == REALM_SHAPE_BOX) {
        place_box(&solid, part, turn);
    } else {
        place_round(&solid, part, turn);
    }
    return solid;
}

// fighter_shot.c: projectiles. They belong to the slot that fired them, whatever happens to that fighter, until it leaves the slot.
#include "fighter_combat.h"

// Whether a way of (dx, dy) from (x, y) goes through a level line from x0 to x1 at `level`, downwards or upwards; both ends count. Only
// products are compared: 2^28 * 2^24 at most.
static bool does_cross_level(int64_t x, int64_t y, int64_t dx, int64_t dy, const FighterSurface *line, bool is_downwards)
{
    int64_t before = is_downwards ? y - line->y0 : line->y0 - y;
    int64_t rise = is_downwards ? -dy : dy;
    if (before < 0 || rise <= before) {
        return false;
    }
    return (x - line->x0) * rise + dx * before >= 0 && (x - line->x1) * rise + dx * before <= 0;
}

static bool does_cross_wall(int64_t x, int64_t y, int64_t dx, int64_t dy, const FighterSurface *line, bool is_rightwards)
{
    int64_t before = is_rightwards ? line->x0 - x : x - line->x0;
    int64_t advance = is_rightwards ? dx : -dx;
    if (before < 0 || advance <= before) {
        return false;
    }
    return (y - line->y0) * advance + dy * before >= 0 && (y - line->y1) * advance + dy * before <= 0;
}

static bool does_meet(const FighterSurface *surface, int64_t x, int64_t y, int64_t dx, int64_t dy)
{
    switch ((FighterSurfaceKind)surface->kind) {
    case FIGHTER_SURFACE_FLOOR:
        return does_cross_level(x, y, dx, dy, surface, true);
    case FIGHTER_SURFACE_CEILING:
        return does_cross_level(x, y, dx, dy, surface, false);
    case FIGHTER_SURFACE_WALL_RIGHT:
        return does_cross_wall(x, y, dx, dy, surface, true);
    case FIGHTER_SURFACE_WALL_LEFT:
        return does_cross_wall(x, y, dx, dy, surface, false);
    case FIGHTER_SURFACE_PLATFORM:
        break;
    }
    return false;
}

// Whether a way meets something of the stage that ends projectiles.
static bool does_meet_stage(const FighterStage *stage, int64_t x, int64_t y, int64_t dx, int64_t dy)
{
    for (int32_t i = 0; i < stage->surface_count; i++) {
        if (does_meet(&stage->surfaces[i], x, y, dx, dy)) {
            return true;
        }
    }
    return false;
}

// A muzzle behind a wall fires nothing: the arm is shorter than that. A full pool drops the shot. When two fire in one tick and there is room
// for one, the lower slot gets it.
void fighter_shot_fire(FighterStep *step, uint32_t slot)
{
    const Fighter *fighter = &step->state.fighters[slot];
    const FighterShot *shot = &step->kinds[slot]->shot;
    int32_t side = fighter->facing == FIGHTER_FACING_LEFT ? -1 : 1;
    int32_t x = fighter_clamped((int64_t)fighter->x.raw + side * shot->x, FIGHTER_RAW(FIGHTER_SPACE));
    int32_t y = fighter_clamped((int64_t)fighter->y.raw + shot->y, FIGHTER_RAW(FIGHTER_SPACE));
    if (does_meet_stage(step->stage, fighter->x.raw, y, (int64_t)x - fighter->x.raw, 0)) {
        return;
    }
    FighterProjectileHandle handle = fighter_projectile_create(&step->state.projectiles);
    FighterProjectile *projectile = fighter_projectile_get(&step->state.projectiles, handle);
    if (projectile == NULL) {
        FighterMatch *match = step->state.match;
        match->shots_dropped += match->shots_dropped != UINT32_MAX;
        return;
    }
    projectile->x.raw = x;
    projectile->y.raw = y;
    projectile->velocity_x.raw = side * shot->speed_x;
    projectile->velocity_y.raw = shot->speed_y;
    projectile->life_ticks = (uint16_t)shot->life_ticks;
    projectile->owner = (uint8_t)slot;
    projectile->kind = (uint8_t)fighter_data_kind_name(step->context->setup, slot);
    fighter_report(step, FIGHTER_EVENT_FIRED, slot);
}

// False: it met something, left the stage, or its time is over.
static bool fly(const FighterStage *stage, FighterProjectile *projectile)
{
    const FighterShot *shot = &fighter_kinds[projectile->kind].shot;
    int32_t speed_max = FIGHTER_RAW(FIGHTER_SPEED_MAX);
    projectile->velocity_y.raw = fighter_clamped((int64_t)projectile->velocity_y.raw - shot->gravity, speed_max);
    int64_t x = projectile->x.raw;
    int64_t y = projectile->y.raw;
    int64_t dx = projectile->velocity_x.raw;
    int64_t dy = projectile->velocity_y.raw;
    bool is_over = projectile->life_ticks <= 1 || x + dx < stage->blast_left || x + dx > stage->blast_right ||
                   y + dy < stage->blast_bottom || y + dy > stage->blast_top;
    if (is_over || does_meet_stage(stage, x, y, dx, dy)) {
        return false;
    }
    projectile->x.raw = (int32_t)(x + dx);
    projectile->y.raw = (int32_t)(y + dy);
    projectile->life_ticks--;
    return true;
}

void fighter_shot_move(FighterStep *step)
{
    FighterProjectilePool *shots = &step->state.projectiles;
    for (uint32_t i = fighter_projectile_first(shots); i < shots->capacity; i = fighter_projectile_after(shots, i)) {
        if (!fly(step->stage, &shots->slots[i])) {
            fighter_projectile_destroy(shots, fighter_projectile_handle_at(shots, i));
        }
    }
}

// One that was fired in this tick has not moved yet. Its life says so: nobody else's is full.
static FighterPose pose_of(const FighterProjectile *projectile)
{
    bool is_new = projectile->life_ticks == fighter_kinds[projectile->kind].shot.life_ticks;
    FighterPose pose = { .x = projectile->x, .y = projectile->y, .from_x = projectile->x, .from_y = projectile->y };
    pose.looks_left = projectile->velocity_x.raw < 0;
    pose.from_x.raw -= is_new ? 0 : projectile->velocity_x.raw;
    pose.from_y.raw -= is_new ? 0 : projectile->velocity_y.raw;
    return pose;
}

static void strike(FighterStep *step, FighterCombat *combat, const FighterProjectile *projectile, uint32_t victim, bool met_shield)
{
    const FighterStrike *row = &fighter_kinds[projectile->kind].shot.strike;
    Fighter *owner = &step->state.fighters[projectile->owner];
    FighterBlow blow = {
        .strike     = row,
        .by         = projectile->owner,
        .is_shot    = true,
        .met_shield = met_shield,
        .facing     = projectile->velocity_x.raw < 0 ? FIGHTER_FACING_LEFT : FIGHTER_FACING_RIGHT,
        .unstaled   = { row->damage },
        .life_ticks = projectile->life_ticks,
    };
    blow.damage = fighter_launch_staled(owner, FIGHTER_ACTION_SHOOT, blow.unstaled);
    fighter_combat_add(step, combat, victim, &blow);
}

void fighter_shot_gather(FighterStep *step, FighterCombat *combat)
{
    const FighterProjectilePool *shots = &step->state.projectiles;
    for (uint32_t i = fighter_projectile_first(shots); i < shots->capacity; i = fighter_projectile_after(shots, i)) {
        const FighterProjectile *projectile = &shots->slots[i];
        const FighterStrike *row = &fighter_kinds[projectile->kind].shot.strike;
        FighterPose pose = pose_of(projectile);
        FighterBox box = FIGHTER_BOX_NONE;
        bool met_body = false;
        fighter_reach_cover(&box, &row->capsule, &pose);
        for (uint32_t k = 0; k < step->state.fighter_count; k++) {
            if (k == projectile->owner || !combat->is_open[k] || !fighter_reach_boxes_meet(&box, &combat->boxes[k])) {
                continue;
            }
            FighterMeeting meeting = fighter_combat_meet(step, combat, k, row, &pose);
            if (meeting != FIGHTER_MEETING_NONE) {
                strike(step, combat, projectile, k, meeting == FIGHTER_MEETING_SHIELD);
                combat->is_spent[i] = true;
                met_body = met_body || meeting == FIGHTER_MEETING_BODY;
            }
        }
        combat->shots_proven[projectile->owner] = (uint8_t)(combat->shots_proven[projectile->owner] + met_body);
    }
}

void fighter_shot_apply(FighterStep *step, const FighterCombat *combat)
{
    FighterProjectilePool *shots = &step->state.projectiles;
    for (uint32_t i = fighter_projectile_first(shots); i < shots->capacity; i = fighter_projectile_after(shots, i)) {
        if (combat->is_spent[i]) {
            fighter_projectile_destroy(shots, fighter_projectile_handle_at(shots, i));
        }
    }
}

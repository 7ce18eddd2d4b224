// fighter_data.c: which tables a match is played with, and the names of everything that has one.
#include "fighter_data.h"

const char *const fighter_kind_names[FIGHTER_KIND_COUNT] = { "vale", "wisp", "boar" };
const char *const fighter_stage_names[FIGHTER_STAGE_COUNT] = { "hall", "terrace", "harbour" };
const char *const fighter_facing_names[FIGHTER_FACING_COUNT] = { "left", "right" };
const char *const fighter_phase_names[FIGHTER_PHASE_COUNT] = { "waiting", "playing", "over" };

const char *const fighter_action_names[FIGHTER_ACTION_COUNT] = {
#define FIGHTER_ACTION_NAME(NAME, text, where) [FIGHTER_ACTION_##NAME] = text,
    FIGHTER_ACTION_LIST(FIGHTER_ACTION_NAME)
#undef FIGHTER_ACTION_NAME
};

bool fighter_data_holds_feet(const FighterSurface *surface)
{
    return surface->kind == FIGHTER_SURFACE_FLOOR || surface->kind == FIGHTER_SURFACE_PLATFORM;
}

// The host has held every config item to its range before a world sees it.
const FighterStage *fighter_data_stage(const tp_setup *setup)
{
    int64_t stage = setup->config[FIGHTER_CONFIG_STAGE];
    int64_t mirrored = setup->config[FIGHTER_CONFIG_MIRROR] != 0 ? FIGHTER_STAGE_COUNT : 0;
    return &fighter_stages[stage + mirrored];
}

FighterKindName fighter_data_kind_name(const tp_setup *setup, uint32_t slot)
{
    return (FighterKindName)setup->config[FIGHTER_CONFIG_FIGHTER_1 + slot % FIGHTER_CONFIG_FIGHTERS];
}

const FighterKind *fighter_data_kind(const tp_setup *setup, uint32_t slot)
{
    return &fighter_kinds[fighter_data_kind_name(setup, slot)];
}

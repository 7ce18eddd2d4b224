// Both publishers, the server's and the offline one, are hosts of one transaction: same content, same world; and a host that fails on the way
// leaves the prior world whole.
#include <criterion/criterion.h>

#include <string.h>

#include "realm_offline.h"
#include "realm_rig.h"
#include "realm_stream.h"

enum { TICKS_MAX = 400 };

static RigSizes host_sizes(void)
{
    RigSizes sizes = rig_medium();
    sizes.items[REALM_CONFIG_CELLS] = 256;
    sizes.items[REALM_CONFIG_BUILDINGS] = 64;
    sizes.items[REALM_CONFIG_RING] = 0;
    sizes.items[REALM_CONFIG_WORK_UNITS] = 7;
    return sizes;
}

static RealmStreamEyes eyes_at(uint32_t x, uint32_t y)
{
    RealmStreamEyes eyes = { .count = 1 };
    eyes.prefixes[0] = rig_prefix(x, y);
    return eyes;
}

static void tick(Rig *rig, RealmStream *stream, const RealmStreamEyes *eyes)
{
    realm_engine_tick(&rig->engine);
    realm_stream_tick(&rig->engine, stream, eyes);
    rig_check(rig);
}

// Ticks until the landblock is there and nothing is left to do.
static void stream_in(Rig *rig, RealmStream *stream, const RealmStreamEyes *eyes)
{
    uint32_t ticks = 0;
    while (!realm_stream_is_ready(&rig->engine, eyes->prefixes[0]) || rig->engine.root->admissions != 0 ||
           realm_is_retiring(&rig->engine)) {
        tick(rig, stream, eyes);
        cr_assert_lt(++ticks, TICKS_MAX);
    }
}

static RealmOfflineBlock offline_content;

static void load_offline(Rig *rig, uint32_t x, uint32_t y, uint16_t variant)
{
    realm_offline_from_seed(rig->context.setup->seed, rig_prefix(x, y), variant, &offline_content);
    RealmOffline offline = realm_offline_start(rig_at(x, y), &offline_content);
    RealmAnswer  answer = REALM_NOT_YET;
    while (answer == REALM_NOT_YET) {
        answer = rig_after(rig, realm_offline_advance(&rig->engine, &offline));
        cr_assert_not(offline.is_waiting, "%s", rig->engine.reason);
    }
    cr_assert_eq(answer, REALM_DONE, "%s", rig->engine.reason);
    rig_drain(rig);
}

Test(realm_hosts, realm_t49_both_publishers_make_the_same_world)
{
    static Rig  served, offline;
    RealmStream stream;
    for (uint32_t i = 0; i < 8; i++) {
        memset(&stream, 0, sizeof(stream));
        rig_open(&served, host_sizes());
        rig_open(&offline, host_sizes());
        RealmStreamEyes eyes = eyes_at(40 + 7 * i, 90 + i);
        stream_in(&served, &stream, &eyes);
        load_offline(&offline, 40 + 7 * i, 90 + i, 0);
        cr_assert_eq(served.engine.root->commits, 1);
        cr_assert_eq(offline.engine.root->commits, 1);
        cr_assert_eq(rig_event_count(&served, REALM_EVENT_COMMITTED), 1);
        cr_assert_eq(rig_event_count(&offline, REALM_EVENT_COMMITTED), 1);
        cr_assert_eq(rig_picture(&served, REALM_ACTIVE), rig_picture(&offline, REALM_ACTIVE));
        cr_assert_eq(served.engine.root->units, offline.engine.root->units, "and it costs the same");
        rig_close(&served);
        rig_close(&offline);
    }
}

// `stage` 0: right after admission, 1: when all is staged.
static void fail_served(uint8_t stage)
{
    static Rig  rig;
    RealmStream stream;
    memset(&stream, 0, sizeof(stream));
    rig_open(&rig, host_sizes());
    RealmStreamEyes eyes = eyes_at(40, 90);
    stream_in(&rig, &stream, &eyes);
    uint64_t picture = rig_picture(&rig, REALM_ACTIVE);
    cr_assert(realm_stream_command_fail(&rig.engine, &stream, stage));
    cr_assert(realm_stream_command_reload(&rig.engine, &stream, eyes.prefixes[0]));
    uint32_t ticks = 0;
    while (stream.failed == 0) {
        tick(&rig, &stream, &eyes);
        cr_assert_eq(rig_picture(&rig, REALM_ACTIVE), picture);
        cr_assert_lt(++ticks, TICKS_MAX);
    }
    cr_assert_eq(rig.engine.root->admissions, 0, "no admission is left behind");
    cr_assert_eq(rig.engine.root->drafts_live, 0);
    cr_assert_eq(rig.engine.root->commits, 1);
    rig_drain(&rig);
    cr_assert_eq(rig_picture(&rig, REALM_ACTIVE), picture);
    cr_assert(realm_stream_command_reload(&rig.engine, &stream, eyes.prefixes[0]));
    ticks = 0;
    while (rig.engine.root->commits == 1) {
        tick(&rig, &stream, &eyes);
        cr_assert_lt(++ticks, TICKS_MAX);
    }
    rig_close(&rig);
}

static void fail_offline(RealmOfflineStage stage)
{
    static Rig rig;
    rig_open(&rig, host_sizes());
    load_offline(&rig, 40, 90, 0);
    uint64_t picture = rig_picture(&rig, REALM_ACTIVE);
    realm_offline_from_seed(rig.context.setup->seed, rig_prefix(40, 90), 1, &offline_content);
    RealmOffline offline = realm_offline_start(rig_at(40, 90), &offline_content);
    while (offline.stage != stage) {
        RIG_NOT_YET(&rig, realm_offline_advance(&rig.engine, &offline));
    }
    cr_assert_eq(rig.engine.root->admissions, 1);
    realm_offline_cancel(&rig.engine, &offline);
    rig_check(&rig);
    cr_assert_eq(rig.engine.root->admissions, 0);
    cr_assert_eq(rig.engine.root->drafts_live, 0);
    rig_drain(&rig);
    cr_assert_eq(rig_picture(&rig, REALM_ACTIVE), picture);
    rig_close(&rig);
}

Test(realm_hosts, realm_t10_hosts_fail_after_admission)
{
    fail_served(0);
    fail_offline(REALM_OFFLINE_PREPARE);
}

Test(realm_hosts, realm_t11_hosts_fail_after_staging)
{
    fail_served(1);
    fail_offline(REALM_OFFLINE_SEAL);
}

// F1: every stage of the offline host may be its last.
Test(realm_hosts, realm_f1_every_stage_may_be_the_last)
{
    for (RealmOfflineStage stage = REALM_OFFLINE_PREPARE; stage < REALM_OFFLINE_DONE; stage++) {
        if (stage == REALM_OFFLINE_CELLS || stage == REALM_OFFLINE_BUILDINGS) {
            continue; // a landblock without houses has none
        }
        fail_offline(stage);
    }
}

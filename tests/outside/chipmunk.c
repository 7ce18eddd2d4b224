// chipmunk.c: a real engine as an opaque world: Chipmunk's rigid bodies in floating point, with a heap of their own. Players push crates about a box.
// What a state is: Chipmunk keeps contacts from step to step in its arbiters, which it cannot save; so a step makes the space again from
// what is saved, bodies and nothing else, and a state that is loaded goes on as the one that was saved.
#include <stdlib.h>
#include <string.h>

#include <chipmunk/chipmunk.h>
#include <tickproof/layout.h>

enum { CRATES = 12, STATE = 8 + CRATES * 48 };

#define CRATE_FIELDS(S, F, A, H)              \
    A(S, u64, position, 2, "float bits", TP_ANY) \
    A(S, u64, velocity, 2, "float bits", TP_ANY) \
    F(S, u64, angle, "float bits", TP_ANY)    \
    F(S, u64, spin, "float bits", TP_ANY)
#define BOX_FIELDS(S, F, A, H) F(S, u64, ticks, "ticks", TP_ANY)
#define INPUT_FIELDS(S, F, A, H) A(S, i8, push, 2, "stick", TP_RANGE(-127, 127))
TP_STRUCT(Crate, CRATE_FIELDS)
TP_STRUCT(Box, BOX_FIELDS)
TP_STRUCT(Input, INPUT_FIELDS)
TP_TABLE(crate_fields, Crate, CRATE_FIELDS)
TP_TABLE(box_fields, Box, BOX_FIELDS)
TP_TABLE(input_fields, Input, INPUT_FIELDS)
_Static_assert(sizeof(Box) + CRATES * sizeof(Crate) == STATE, "the table is what save writes");

static const tp_section sections[] = {
    TP_SECTION("box", Box, box_fields, NULL, 1, TP_SIM),
    TP_SECTION("crates", Crate, crate_fields, NULL, CRATES, TP_SIM),
};
static const tp_record_type input = TP_RECORD("input", Input, input_fields, "where to push one's crate");
static const tp_record_type box_type = TP_RECORD("box", Box, box_fields, "");
static const tp_record_type crate_type = TP_RECORD("crate", Crate, crate_fields, "");

typedef struct {
    double   numbers[CRATES][6]; // as in a Crate
    uint64_t ticks;
} World;

static size_t size_max(const tp_setup *setup) { return (void)setup, STATE; }
static void  *create(const tp_setup *setup) { return (void)setup, calloc(1, sizeof(World)); }

static bool save(const void *instance, void *bytes, size_t capacity, size_t *size)
{
    const World *world = instance;
    uint8_t     *at = bytes;
    Box          box = { world->ticks };
    *size = STATE;
    if (capacity < STATE) {
        return false;
    }
    tp_record_encode(&box_type, &box, at);
    at += sizeof(Box);
    for (int i = 0; i < CRATES; i++, at += sizeof(Crate)) {
        tp_record_encode(&crate_type, world->numbers[i], at);
    }
    return true;
}

static bool load(void *instance, const void *bytes, size_t size)
{
    World          next = { 0 };
    const uint8_t *at = bytes;
    Box            box;
    if (size != STATE || !tp_record_decode(&box_type, at, &box, NULL)) {
        return false;
    }
    next.ticks = box.ticks;
    at += sizeof(Box);
    for (int i = 0; i < CRATES; i++, at += sizeof(Crate)) {
        tp_record_decode(&crate_type, at, next.numbers[i], NULL);
    }
    for (int i = 0; i < CRATES * 6; i++) {
        if (!(next.numbers[i / 6][i % 6] > -1e9 && next.numbers[i / 6][i % 6] < 1e9)) {
            return false; // an engine that is given a NaN may do anything
        }
    }
    *(World *)instance = next;
    return true;
}

static void init(void *instance, tp_context *context)
{
    World   *world = instance;
    uint64_t random = context->setup->seed | 1;
    for (int i = 0; i < CRATES; i++) {
        random = random * UINT64_C(6364136223846793005) + 1442695040888963407u;
        world->numbers[i][0] = i % 4 * 30.0 - 45.0 + (double)(random >> 60) * 0.5;
        world->numbers[i][1] = i / 4 * 30.0 - 30.0 + (double)(random >> 56 & 15) * 0.5;
        world->numbers[i][5] = (double)(random >> 52 & 15) * 0.1;
    }
}

static tp_step_result step(void *instance, const tp_tick *tick, tp_context *context)
{
    World       *world = instance;
    const Input *inputs = tick->inputs;
    cpSpace     *space = cpSpaceNew();
    cpBody      *bodies[CRATES];
    cpShape     *shapes[CRATES + 4];
    cpVect       corners[4] = { { -70, -60 }, { 70, -60 }, { 70, 60 }, { -70, 60 } };
    (void)context;
    cpSpaceSetGravity(space, cpv(0, -100));
    for (int i = 0; i < 4; i++) {
        shapes[CRATES + i] = cpSpaceAddShape(space, cpSegmentShapeNew(cpSpaceGetStaticBody(space), corners[i], corners[(i + 1) % 4], 2));
        cpShapeSetElasticity(shapes[CRATES + i], 0.5);
    }
    for (int i = 0; i < CRATES; i++) {
        double *n = world->numbers[i];
        bodies[i] = cpSpaceAddBody(space, cpBodyNew(1, cpMomentForBox(1, 12, 12)));
        cpBodySetPosition(bodies[i], cpv(n[0], n[1]));
        cpBodySetVelocity(bodies[i], cpv(n[2], n[3]));
        cpBodySetAngle(bodies[i], n[4]);
        cpBodySetAngularVelocity(bodies[i], n[5]);
        shapes[i] = cpSpaceAddShape(space, cpBoxShapeNew(bodies[i], 12, 12, 0.5));
        cpShapeSetFriction(shapes[i], 0.6);
        if (i < (int)tick->players) {
            cpBodySetForce(bodies[i], cpv(inputs[i].push[0] * 4.0, inputs[i].push[1] * 4.0));
        }
    }
    cpSpaceStep(space, 1.0 / context->setup->tick_rate_hz);
    for (int i = 0; i < CRATES; i++) {
        cpVect p = cpBodyGetPosition(bodies[i]), v = cpBodyGetVelocity(bodies[i]);
        double n[6] = { p.x, p.y, v.x, v.y, cpBodyGetAngle(bodies[i]), cpBodyGetAngularVelocity(bodies[i]) };
        memcpy(world->numbers[i], n, sizeof(n));
    }
    for (int i = 0; i < CRATES + 4; i++) { cpSpaceRemoveShape(space, shapes[i]); cpShapeFree(shapes[i]); }
    for (int i = 0; i < CRATES; i++) { cpSpaceRemoveBody(space, bodies[i]); cpBodyFree(bodies[i]); }
    cpSpaceFree(space);
    world->ticks += 1;
    return TP_STEP_OK;
}

static const tp_opaque opaque = { .size_max = size_max, .create = create, .destroy = free, .save = save, .load = load };
static const tp_world world = {
    .struct_size = sizeof(tp_world), .abi = TP_WORLD_ABI, .name = "crates", .revision = 1, .text = "Chipmunk's crates in a box", .tick_rate_hz = 60,
    .players_min = 1, .players_max = 4, .players_standard = 2, .sections = sections, .section_count = TP_COUNT_OF(sections), .input = &input,
    .opaque = &opaque, .init = init, .step = step,
};

const tp_world *tickproof_world(void)
{
    return &world;
}

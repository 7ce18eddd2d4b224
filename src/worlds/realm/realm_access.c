// realm_access.c: the only door to the engine's pools. Reading gives const structs; writing goes through an edit, which tells the host what
// changes, so that a tick is hashed and copied for what it touched. A link that a forged state bent faults the world here and reaches
// no memory.
#include "realm_internal.h"

static const void *section(const RealmEngine *engine, RealmSection which)
{
    return tp_section_at_const(engine->context, engine->block, which);
}

static uint32_t count_of(const tp_context *context, RealmSection which)
{
    return context->section_count[which];
}

RealmEngine realm_engine_open(void *state, tp_context *context)
{
    RealmEngine engine = { .context = context, .block = state };
    engine.root = section(&engine, REALM_SECTION_ROOT);
    engine.heads = section(&engine, REALM_SECTION_BLOCK_INDEX);
    engine.blocks = section(&engine, REALM_SECTION_BLOCKS);
    engine.leaves = section(&engine, REALM_SECTION_LEAVES);
    engine.cells = section(&engine, REALM_SECTION_CELLS);
    engine.buildings = section(&engine, REALM_SECTION_BUILDINGS);
    engine.owners = section(&engine, REALM_SECTION_OWNERS);
    engine.members = section(&engine, REALM_SECTION_MEMBERS);
    engine.sets = section(&engine, REALM_SECTION_SETS);
    engine.rows = section(&engine, REALM_SECTION_ROWS);
    engine.drafts = section(&engine, REALM_SECTION_DRAFTS);
    engine.journal = section(&engine, REALM_SECTION_JOURNAL);
    engine.block_count = count_of(context, REALM_SECTION_BLOCKS);
    engine.leaf_count = count_of(context, REALM_SECTION_LEAVES);
    engine.cell_count = count_of(context, REALM_SECTION_CELLS);
    engine.building_count = count_of(context, REALM_SECTION_BUILDINGS);
    engine.owner_count = count_of(context, REALM_SECTION_OWNERS);
    engine.dynamic_count = (uint32_t)context->setup->config[REALM_CONFIG_DYNAMICS];
    engine.member_count = count_of(context, REALM_SECTION_MEMBERS);
    engine.set_count = count_of(context, REALM_SECTION_SETS);
    engine.row_count = count_of(context, REALM_SECTION_ROWS);
    engine.draft_count = count_of(context, REALM_SECTION_DRAFTS);
    engine.journal_count = count_of(context, REALM_SECTION_JOURNAL);
    return engine;
}

// The const of both is given back by the type of what it is handed to: every reader takes a const engine.
RealmEngine realm_engine_open_const(const void *state, const tp_context *context)
{
    return realm_engine_open((void *)(uintptr_t)state, (tp_context *)(uintptr_t)context);
}

void *realm_write(RealmEngine *engine, const void *memory, size_t size)
{
    tp_touch(engine->context, memory, size);
    return (void *)(uintptr_t)memory;
}

RealmRoot *realm_root_edit(RealmEngine *engine)
{
    return realm_write(engine, engine->root, sizeof(RealmRoot));
}

typedef struct {
    tp_pool_head *head;
    void         *slots;
    uint32_t      capacity, slot_size;
} Pool;

static uint32_t pool_room(const tp_pool_head *head, uint32_t capacity)
{
    return capacity - head->live - head->retired;
}

static uint32_t pool_new(RealmEngine *engine, Pool pool)
{
    if (pool.head->free_head >= pool.capacity) {
        return 0;
    }
    realm_write(engine, pool.head, sizeof(*pool.head));
    realm_write(engine, (char *)pool.slots + (size_t)pool.head->free_head * pool.slot_size, pool.slot_size);
    return tp_pool_create_raw(pool.head, pool.slots, pool.capacity, pool.slot_size) + 1;
}

static void pool_free(RealmEngine *engine, Pool pool, uint32_t link)
{
    TP_ASSERT(link != 0 && link <= pool.capacity);
    const void *slot = (char *)pool.slots + (size_t)(link - 1) * pool.slot_size;
    realm_write(engine, pool.head, sizeof(*pool.head));
    realm_write(engine, slot, pool.slot_size);
    tp_handle handle = { link - 1, *(const uint32_t *)slot };
    TP_ASSERT(tp_pool_destroy_raw(pool.head, pool.slots, pool.capacity, pool.slot_size, handle));
}

static tp_pool_head *head_at(const RealmEngine *engine, RealmSection which)
{
    return (tp_pool_head *)(uintptr_t)section(engine, which);
}

#define ACCESS_DEFINE(Type, name, plural, SECTION_HEAD)                                                             \
    static Pool name##_pool(const RealmEngine *engine)                                                            \
    {                                                                                                             \
        return (Pool){ head_at(engine, SECTION_HEAD), (void *)(uintptr_t)engine->plural, engine->name##_count,    \
                       (uint32_t)sizeof(Type) };                                                                  \
    }                                                                                                             \
    const Type *realm_##name##_at(const RealmEngine *engine, uint32_t link)                                       \
    {                                                                                                             \
        TP_ASSERT(link - 1 < engine->name##_count);                                                               \
        return &engine->plural[link - 1];                                                                         \
    }                                                                                                             \
    Type *realm_##name##_edit(RealmEngine *engine, uint32_t link)                                                 \
    {                                                                                                             \
        TP_ASSERT(link - 1 < engine->name##_count);                                                               \
        return realm_write(engine, &engine->plural[link - 1], sizeof(Type));                                      \
    }                                                                                                             \
    uint32_t realm_##name##_room(const RealmEngine *engine)                                                       \
    {                                                                                                             \
        return pool_room(name##_pool(engine).head, engine->name##_count);                                         \
    }                                                                                                             \
    uint32_t realm_##name##_take(RealmEngine *engine)                                                              \
    {                                                                                                             \
        return pool_new(engine, name##_pool(engine));                                                             \
    }                                                                                                             \
    void realm_##name##_give(RealmEngine *engine, uint32_t link)                                                  \
    {                                                                                                             \
        pool_free(engine, name##_pool(engine), link);                                                             \
    }

ACCESS_DEFINE(RealmBlock, block, blocks, REALM_SECTION_BLOCK_POOL)
ACCESS_DEFINE(RealmLeaf, leaf, leaves, REALM_SECTION_LEAF_POOL)
ACCESS_DEFINE(RealmCell, cell, cells, REALM_SECTION_CELL_POOL)
ACCESS_DEFINE(RealmBuilding, building, buildings, REALM_SECTION_BUILDING_POOL)
ACCESS_DEFINE(RealmMember, member, members, REALM_SECTION_MEMBER_POOL)
ACCESS_DEFINE(RealmSet, set, sets, REALM_SECTION_SET_POOL)
ACCESS_DEFINE(RealmRow, row, rows, REALM_SECTION_ROW_POOL)
ACCESS_DEFINE(RealmDraft, draft, drafts, REALM_SECTION_DRAFT_POOL)

// Owners lie in two zones, dynamics first, so that what moves every tick is close together and cheap to hash.

static Pool owner_pool(const RealmEngine *engine, RealmKind kind)
{
    uint32_t first = kind == REALM_STATIC ? engine->dynamic_count : 0;
    uint32_t capacity = kind == REALM_STATIC ? engine->owner_count - engine->dynamic_count : engine->dynamic_count;
    return (Pool){ head_at(engine, REALM_SECTION_OWNER_POOLS) + kind, (void *)(uintptr_t)(engine->owners + first), capacity,
                   (uint32_t)sizeof(RealmOwner) };
}

const RealmOwner *realm_owner_at(const RealmEngine *engine, uint32_t link)
{
    TP_ASSERT(link - 1 < engine->owner_count);
    return &engine->owners[link - 1];
}

RealmOwner *realm_owner_edit(RealmEngine *engine, uint32_t link)
{
    TP_ASSERT(link - 1 < engine->owner_count);
    return realm_write(engine, &engine->owners[link - 1], sizeof(RealmOwner));
}

uint32_t realm_owner_room(const RealmEngine *engine, RealmKind kind)
{
    Pool pool = owner_pool(engine, kind);
    return pool_room(pool.head, pool.capacity);
}

uint32_t realm_owner_take(RealmEngine *engine, RealmKind kind)
{
    uint32_t link = pool_new(engine, owner_pool(engine, kind));
    if (link == 0) {
        return 0;
    }
    link += kind == REALM_STATIC ? engine->dynamic_count : 0;
    realm_owner_edit(engine, link)->kind = (uint8_t)kind;
    return link;
}

void realm_owner_give(RealmEngine *engine, uint32_t link)
{
    bool is_static = link > engine->dynamic_count;
    pool_free(engine, owner_pool(engine, is_static ? REALM_STATIC : REALM_DYNAMIC), is_static ? link - engine->dynamic_count : link);
}

uint32_t realm_owner_link(const RealmEngine *engine, RealmOwnerHandle handle)
{
    if (REALM_PLANT(T29) && handle.index < engine->owner_count && (engine->owners[handle.index].generation & 1) != 0) {
        return handle.index + 1;
    }
    bool is_live = handle.index < engine->owner_count && (handle.generation & 1) != 0 &&
                   engine->owners[handle.index].generation == handle.generation;
    return is_live ? handle.index + 1 : 0;
}

static uint32_t stronger(uint32_t a, uint32_t b)
{
    return a > b ? a : b;
}

// Numbers that contradict each other are a mistake of whoever wrote the configuration, and said before the first tick.
static void check_config(const RealmEngine *engine)
{
    if (engine->dynamic_count >= engine->owner_count) {
        TP_FAULT(TP_FAULT_WORLD, "config: dynamics are slots of owners: give more owners, or fewer dynamics");
    }
    if (engine->leaf_count < stronger(2, engine->draft_count)) {
        TP_FAULT(TP_FAULT_WORLD, "config: every draft has a leaf: give as many leaves as drafts, at least");
    }
    if (engine->block_count < engine->context->setup->config[REALM_CONFIG_RESIDENTS]) {
        TP_FAULT(TP_FAULT_WORLD, "config: every resident landblock has a block: give more blocks, or fewer residents");
    }
}

void realm_engine_init(RealmEngine *engine, uint64_t seed)
{
    check_config(engine);
    const Pool pools[] = { block_pool(engine), leaf_pool(engine),  cell_pool(engine), building_pool(engine),
                           owner_pool(engine, REALM_DYNAMIC), owner_pool(engine, REALM_STATIC),
                           member_pool(engine), set_pool(engine), row_pool(engine), draft_pool(engine) };
    for (size_t i = 0; i < sizeof(pools) / sizeof(pools[0]); i++) {
        tp_pool_init_raw(pools[i].head, pools[i].slots, pools[i].capacity, pools[i].slot_size);
    }
    realm_root_edit(engine)->runtime = tp_splitmix64_next(&seed);
}

RealmAnswer realm_refuse(RealmEngine *engine, RealmAnswer answer, const char *reason)
{
    engine->reason = reason;
    return answer;
}

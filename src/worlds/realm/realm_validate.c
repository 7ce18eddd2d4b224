// realm_validate.c: foreign states. Parts are in an order in which each may walk what the ones before have found sound: pools first, then lists,
// then the phases and cursors of the transaction, then what views see. A fault on the way (a link that is bent) is a refusal, too.
#include "realm_validate.h"

#include "realm_validate_parts.h"

// Counters step on from here; nobody has run a realm for half of their range.
static bool is_number_good(uint64_t number)
{
    return number <= (uint64_t)REALM_NUMBER_MAX / 2;
}

static const char *validate_root(const RealmEngine *engine)
{
    const RealmRoot *root = engine->root;
    bool are_numbers_good = is_number_good(root->epoch) && is_number_good(root->version) && is_number_good(root->generation_last) &&
                            is_number_good(root->sequence_last) && is_number_good(root->now) && is_number_good(root->stamp_last) &&
                            is_number_good(root->journal_tail) && is_number_good(root->units);
    REALM_REQUIRE(are_numbers_good, "root: a counter is past half of its range");
    REALM_REQUIRE(engine->dynamic_count < engine->owner_count, "config: owners must be more than dynamics");
    return NULL;
}

static const tp_pool_head *head_of(const RealmEngine *engine, RealmSection which)
{
    return tp_section_at_const(engine->context, engine->block, which);
}

// A slot that retires makes its pool smaller: room that a call has counted on would not be there. As with counters, nobody has got that far.
static bool are_generations_good(const void *slots, uint32_t count, uint32_t size)
{
    for (uint32_t i = 0; i < count; i++) {
        if (*(const uint32_t *)(const void *)((const char *)slots + (size_t)i * size) > TP_POOL_GENERATION_LAST / 2) {
            return false;
        }
    }
    return true;
}

static const char *validate_pools(const RealmEngine *engine)
{
    const struct {
        RealmSection head;
        const void  *slots;
        uint32_t     count, size;
    } pools[] = {
        { REALM_SECTION_BLOCK_POOL, engine->blocks, engine->block_count, sizeof(RealmBlock) },
        { REALM_SECTION_LEAF_POOL, engine->leaves, engine->leaf_count, sizeof(RealmLeaf) },
        { REALM_SECTION_CELL_POOL, engine->cells, engine->cell_count, sizeof(RealmCell) },
        { REALM_SECTION_BUILDING_POOL, engine->buildings, engine->building_count, sizeof(RealmBuilding) },
        { REALM_SECTION_MEMBER_POOL, engine->members, engine->member_count, sizeof(RealmMember) },
        { REALM_SECTION_SET_POOL, engine->sets, engine->set_count, sizeof(RealmSet) },
        { REALM_SECTION_ROW_POOL, engine->rows, engine->row_count, sizeof(RealmRow) },
        { REALM_SECTION_DRAFT_POOL, engine->drafts, engine->draft_count, sizeof(RealmDraft) },
    };
    for (size_t i = 0; i < sizeof(pools) / sizeof(pools[0]); i++) {
        REALM_REQUIRE(are_generations_good(pools[i].slots, pools[i].count, pools[i].size), "a pool's slot has been used for half of its lives");
        const char *wrong = tp_pool_validate_raw(head_of(engine, pools[i].head), pools[i].slots, pools[i].count, pools[i].size);
        REALM_REQUIRE(wrong == NULL, wrong);
    }
    REALM_REQUIRE(are_generations_good(engine->owners, engine->owner_count, sizeof(RealmOwner)), "a pool's slot has been used for half of its lives");
    const tp_pool_head *owners = head_of(engine, REALM_SECTION_OWNER_POOLS);
    const char *wrong = tp_pool_validate_raw(&owners[REALM_DYNAMIC], engine->owners, engine->dynamic_count, sizeof(RealmOwner));
    REALM_REQUIRE(wrong == NULL, wrong);
    return tp_pool_validate_raw(&owners[REALM_STATIC], engine->owners + engine->dynamic_count,
                                engine->owner_count - engine->dynamic_count, sizeof(RealmOwner));
}

const char *realm_validate(const void *state, const tp_context *context)
{
    static const char *(*const parts[])(const RealmEngine *engine) = {
        validate_root,          validate_pools,            realm_validate_blocks,  realm_validate_leaves, realm_validate_owners,
        realm_validate_rows,    realm_validate_drafts,     realm_validate_retirement, realm_validate_journal, realm_validate_views,
    };
    RealmEngine engine = realm_engine_open_const(state, context);
    for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
        const char *wrong = parts[i](&engine);
        REALM_REQUIRE(wrong == NULL, wrong);
    }
    return NULL;
}

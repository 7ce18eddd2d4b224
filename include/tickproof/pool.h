// pool.h: a generational pool inside a world's flat state. No allocation, no pointers in the state: a handle
// is {index, generation} and either resolves to the value it was made for or to nothing.
//
// Rules, all part of the state and of every save and root:
//   - A slot's generation starts at 0. create makes it odd (live), destroy makes it even (free). The first
//     handle of a slot therefore has generation 1, and {0, 0} never resolves.
//   - Free slots form a list, last freed first reused. A head at or above the capacity means full. A fresh pool
//     hands out 0, 1, 2, ...
//   - A freed slot's value is zeroed and a live slot's link is zero, so equal logical states are equal bytes.
//   - A slot whose generation would wrap is retired: it never comes back (`retired` counts them), so no
//     handle is ever valid twice. A slot lives through 2,147,483,647 creates.
//   - create on a full pool returns the null handle and changes nothing.
//   - Iteration is by ascending index. Destroying any slot while iterating is safe. A slot created while
//     iterating is visited in the same pass exactly when its index is still ahead of the cursor; worlds that
//     do not want to depend on the free list's history spawn after their loops.
//   - clear destroys live slots in ascending order. A cleared pool is not a fresh pool: generations stay, and
//     the free list is the formerly live indices descending, then the old list.
//
// Use:
//     #define BLOCK_FIELDS(S, F, A, H) F(S, fx, y, "units", TP_ANY) ...
//     TP_POOL_DECLARE(Block, block, BLOCK_FIELDS, "blocks")   // header: BlockHandle, Block, BlockPool, block_create...
//     TP_POOL_TABLE(block_fields, Block, BLOCK_FIELDS, "blocks") // source: rows of the slots' section
// The state holds two sections: one `tp_pool_head` (rows: tp_pool_head_fields_for) and `capacity` slots.
// A `BlockPool` is a view over both, built anew each step and never stored.
#pragma once

#include <stdbool.h>
#include <string.h>

#include "tickproof/fields.h"

#ifdef __cplusplus
extern "C" {
#endif

/// The last generation a live slot may have. Destroying it retires the slot.
#define TP_POOL_GENERATION_LAST UINT32_C(0xFFFFFFFD)

#define TP_POOL_HEAD_FIELDS(S, F, A, H, SECTION)      \
    F(S, u32, free_head, "slot", TP_LINK_OF(SECTION))   \
    F(S, u32, live, "count", TP_LINK_OF(SECTION))       \
    F(S, u32, retired, "count", TP_LINK_OF(SECTION))    \
    F(S, u32, reserved, "zero", TP_ZERO)

/// Head of a free list. `live + retired` plus the length of the free list is the capacity.
typedef struct tp_pool_head {
    uint32_t free_head;
    uint32_t live;
    uint32_t retired;
    uint32_t reserved;
} tp_pool_head;

/// Rows of a head whose slots are section `slots` (a string).
#define TP_POOL_HEAD_TABLE(variable, SECTION)                              \
    static const tp_field variable[] = {                                 \
        TP_POOL_HEAD_FIELDS(tp_pool_head, TP_ROW_F, TP_ROW_A, TP_ROW_H, SECTION) \
    };

#define TP_POOL_SLOT_ROWS(S, F, SECTION)                  \
    F(S, u32, generation, "generation", TP_ANY)         \
    F(S, u32, next_free, "slot", TP_LINK_OF(SECTION))

// The untyped half, so that the policy is written once. `slots` points at the first slot; every slot starts
// with {generation, next_free}.
void     tp_pool_init_raw(tp_pool_head *head, void *slots, uint32_t capacity, uint32_t slot_size);
/// Index of the slot made live, or UINT32_MAX when full. The value's bytes are zero.
uint32_t tp_pool_create_raw(tp_pool_head *head, void *slots, uint32_t capacity, uint32_t slot_size);
/// True when the handle resolved and the slot is now free (or retired); false changes nothing.
bool     tp_pool_destroy_raw(tp_pool_head *head, void *slots, uint32_t capacity, uint32_t slot_size, tp_handle handle);
void     tp_pool_clear_raw(tp_pool_head *head, void *slots, uint32_t capacity, uint32_t slot_size);
/// The one predicate behind get and contains.
bool     tp_pool_resolves_raw(const void *slots, uint32_t capacity, uint32_t slot_size, tp_handle handle);
/// First live index at or after `index`, or `capacity`.
uint32_t tp_pool_next_live_raw(const void *slots, uint32_t capacity, uint32_t slot_size, uint32_t index);
/// Whole-structure walk for tests and for a world's `validate` of foreign bytes: counts add up, the free list
/// is acyclic and visits every free slot exactly once, links of live slots are zero, and free slots hold
/// zeroes. NULL when sound, else a static text. O(capacity), no memory.
const char *tp_pool_validate_raw(const tp_pool_head *head, const void *slots, uint32_t capacity, uint32_t slot_size);

/// Declares, for element `Name` and prefix `prefix`: the handle type NameHandle, the slot struct Name, the
/// view NamePool and its functions. SECTION is the section name of the slots.
#define TP_POOL_DECLARE(Name, prefix, FIELDS, SECTION)                                                          \
    typedef struct Name##Handle {                                                                             \
        uint32_t index;                                                                                       \
        uint32_t generation;                                                                                  \
    } Name##Handle;                                                                                           \
    typedef struct Name {                                                                                     \
        TP_POOL_SLOT_ROWS(Name, TP_MEMBER_F, SECTION)                                                           \
        FIELDS(Name, TP_MEMBER_F, TP_MEMBER_A, TP_MEMBER_H)                                                   \
    } Name;                                                                                                   \
    typedef struct Name##Pool {                                                                               \
        tp_pool_head *head;                                                                                   \
        Name         *slots;                                                                                  \
        uint32_t      capacity;                                                                               \
    } Name##Pool;                                                                                             \
    static inline Name##Handle prefix##_none(void)                                                            \
    {                                                                                                         \
        return (Name##Handle){ 0, 0 };                                                                        \
    }                                                                                                         \
    static inline bool prefix##_handle_equal(Name##Handle a, Name##Handle b)                                  \
    {                                                                                                         \
        return a.index == b.index && a.generation == b.generation;                                            \
    }                                                                                                         \
    static inline void prefix##_pool_init(Name##Pool *pool)                                                   \
    {                                                                                                         \
        tp_pool_init_raw(pool->head, pool->slots, pool->capacity, (uint32_t)sizeof(Name));                    \
    }                                                                                                         \
    static inline Name##Handle prefix##_create(Name##Pool *pool)                                              \
    {                                                                                                         \
        uint32_t index = tp_pool_create_raw(pool->head, pool->slots, pool->capacity, (uint32_t)sizeof(Name)); \
        if (index == UINT32_MAX) {                                                                            \
            return prefix##_none();                                                                           \
        }                                                                                                     \
        return (Name##Handle){ index, pool->slots[index].generation };                                        \
    }                                                                                                         \
    static inline bool prefix##_contains(const Name##Pool *pool, Name##Handle handle)                         \
    {                                                                                                         \
        return tp_pool_resolves_raw(pool->slots, pool->capacity, (uint32_t)sizeof(Name),                      \
                                    (tp_handle){ handle.index, handle.generation });                          \
    }                                                                                                         \
    /* Valid until the slot is destroyed or the step ends; never kept across ticks. */                        \
    static inline Name *prefix##_get(const Name##Pool *pool, Name##Handle handle)                             \
    {                                                                                                         \
        return prefix##_contains(pool, handle) ? &pool->slots[handle.index] : NULL;                           \
    }                                                                                                         \
    static inline bool prefix##_destroy(Name##Pool *pool, Name##Handle handle)                                \
    {                                                                                                         \
        return tp_pool_destroy_raw(pool->head, pool->slots, pool->capacity, (uint32_t)sizeof(Name),           \
                                   (tp_handle){ handle.index, handle.generation });                           \
    }                                                                                                         \
    static inline void prefix##_clear(Name##Pool *pool)                                                       \
    {                                                                                                         \
        tp_pool_clear_raw(pool->head, pool->slots, pool->capacity, (uint32_t)sizeof(Name));                   \
    }                                                                                                         \
    static inline Name##Handle prefix##_handle_at(const Name##Pool *pool, uint32_t index)                     \
    {                                                                                                         \
        return (Name##Handle){ index, pool->slots[index].generation };                                        \
    }                                                                                                         \
    /* for (uint32_t i = x_first(&p); i < p.capacity; i = x_after(&p, i)) visits live slots, ascending. */    \
    static inline uint32_t prefix##_first(const Name##Pool *pool)                                             \
    {                                                                                                         \
        return tp_pool_next_live_raw(pool->slots, pool->capacity, (uint32_t)sizeof(Name), 0);                 \
    }                                                                                                         \
    static inline uint32_t prefix##_after(const Name##Pool *pool, uint32_t index)                             \
    {                                                                                                         \
        return tp_pool_next_live_raw(pool->slots, pool->capacity, (uint32_t)sizeof(Name), index + 1);         \
    }                                                                                                         \
    static inline const char *prefix##_pool_validate(const Name##Pool *pool)                                  \
    {                                                                                                         \
        return tp_pool_validate_raw(pool->head, pool->slots, pool->capacity, (uint32_t)sizeof(Name));         \
    }

/// Rows of the slots' section.
#define TP_POOL_TABLE(variable, Name, FIELDS, SECTION)      \
    static const tp_field variable[] = {                  \
        TP_POOL_SLOT_ROWS(Name, TP_ROW_F, SECTION)          \
        FIELDS(Name, TP_ROW_F, TP_ROW_A, TP_ROW_H)        \
    };

#ifdef __cplusplus
}
#endif

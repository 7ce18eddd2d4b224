// shard.h: which files of a batch are whose, when several machines share it. Everybody who is given the same files comes to the same answer,
// without asking anybody.
#pragma once

#include "files.h"

enum {
    SHARDS_MAX = 1024,
    SHARD_FILES_MAX = 1 << 24,
    SHARD_HASH_SIZE = 32,
};

/// One part of how many, from 1.
typedef struct {
    uint32_t number, count;
} Shard;

typedef struct {
    size_t    count;  ///< of all files of the batch
    uint64_t *sizes;  ///< of each, in bytes; 0 where nothing can be said
    uint16_t *shards; ///< of each, from 1
    uint8_t   list[SHARD_HASH_SIZE]; ///< hash over all paths and sizes in order
} ShardPlan;

/// "2/4". False: said so.
bool shard_parse(const char *text, Shard *shard);

/// Looks at every file, but only into those that can be of a series, whose files stay together. Sizes are balanced: the largest first, each
/// to whom has least. False: said so.
bool shard_plan(ShardPlan *plan, const PathList *paths, uint32_t shard_count);
void shard_plan_finish(ShardPlan *plan);

/// The same hash, piece by piece: what merge holds the list against.
typedef struct ShardListHash ShardListHash;
ShardListHash *shard_list_begin(void);
void shard_list_add(ShardListHash *hash, const char *path, uint64_t size);
/// Frees it.
void shard_list_end(ShardListHash *hash, uint8_t list[SHARD_HASH_SIZE]);

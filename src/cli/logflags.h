// logflags.h: the flags that say where a new log goes and how it is written: the same for every command that makes one.
#pragma once

#include <getopt.h>

#include "tickproof/replay.h"

typedef struct {
    const char       *output;
    bool              may_replace;
    tp_writer_options writer;
    bool              has_root_size;
    tp_hash_algorithm algorithm;
    bool              has_algorithm;
    const char       *match;
    const char       *slot_names[TP_PLAYERS_MAX];
    uint8_t           secret[TP_SECRET_KEY_SIZE]; ///< what writer.sign_key points at, so the flags must not move
} LogFlags;

/// The numbers of the flags, from the first that ARGS_LONG leaves free.
enum {
    LOGFLAGS_OUTPUT = 'o',
    LOGFLAGS_FORCE = 512, LOGFLAGS_HASH, LOGFLAGS_RUN_TICKS, LOGFLAGS_ROOT_BYTES, LOGFLAGS_LEAVES, LOGFLAGS_KEYFRAMES, LOGFLAGS_SEAL,
    LOGFLAGS_MATCH, LOGFLAGS_SLOT_NAME, LOGFLAGS_SIGN_KEY,
};
#define LOGFLAGS_ROWS                                             \
    { "output", required_argument, NULL, LOGFLAGS_OUTPUT },         \
    { "force", no_argument, NULL, LOGFLAGS_FORCE },                 \
    { "hash", required_argument, NULL, LOGFLAGS_HASH },             \
    { "run-ticks", required_argument, NULL, LOGFLAGS_RUN_TICKS },   \
    { "root-bytes", required_argument, NULL, LOGFLAGS_ROOT_BYTES }, \
    { "leaves", required_argument, NULL, LOGFLAGS_LEAVES },         \
    { "keyframes", required_argument, NULL, LOGFLAGS_KEYFRAMES },   \
    { "seal", required_argument, NULL, LOGFLAGS_SEAL },             \
    { "match", required_argument, NULL, LOGFLAGS_MATCH },           \
    { "slot-name", required_argument, NULL, LOGFLAGS_SLOT_NAME },  \
    { "sign-key", required_argument, NULL, LOGFLAGS_SIGN_KEY }

/// Everything zero, and the writer's standard options without syncs: what survives a crash of this program needs none, and at its end the file is
/// synced as a whole.
void logflags_standard(LogFlags *flags);
/// Takes one of the flags above, with its argument in optarg. False: said so.
bool logflags_take(LogFlags *flags, int flag);
/// Wipes the secret. Harmless on zeroed flags, and twice.
void logflags_finish(LogFlags *flags);
/// False, said so: a name is given to a slot that the match does not have.
bool logflags_check(const LogFlags *flags, uint32_t players);

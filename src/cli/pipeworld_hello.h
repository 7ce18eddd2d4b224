// pipeworld_hello.h: what a world behind a pipe says of itself, one JSON object, as the tables of a tp_world. The bytes are foreign;
// no process, no files. The page is WORLDS.md beside this file.
#pragma once

#include <cjson/cJSON.h>

#include "tickproof/layout.h"

enum {
    PIPEHELLO_VERSION   = 1,
    PIPEHELLO_SIZE_MAX  = 1 << 20, ///< bytes of the whole text
    PIPEHELLO_FIELDS_MAX = 256,    ///< rows of one table
    PIPEHELLO_NAMES_MAX = 256,     ///< texts of one enum
    PIPEHELLO_LISTS_MAX = 64,      ///< commands, events, sections, config items, content items: each
    PIPEHELLO_CONTENT_MAX = 64,    ///< bytes of one content hash
    PIPEHELLO_BUILD_MAX = 39,
};

/// The world's tables, without its functions, which are the caller's to fill in. Texts and tables are owned by it.
typedef struct PipeHello {
    tp_world world;
    size_t   state_max;    ///< bytes
    bool     has_checksum; ///< it answers CHECKSUM
    char     build[PIPEHELLO_BUILD_MAX + 1]; ///< empty: not said
    cJSON   *root;
    void   **memory;
    size_t   memory_count, memory_capacity;
} PipeHello;

/// False with the key and the reason; nothing is then owned. What tp_world_check asks is left to it, since it wants the functions.
bool pipehello_read(PipeHello *hello, const char *text, size_t size, tp_error *error);
void pipehello_finish(PipeHello *hello);

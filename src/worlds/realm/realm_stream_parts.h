// realm_stream_parts.h: what the files of the stream share: its lists, each write of which the host is told.
#pragma once

#include "realm_stream.h"

/// What a step of streaming works on.
typedef struct RealmStreaming {
    RealmEngine           *engine;
    RealmStream           *stream;
    const RealmStreamEyes *eyes; ///< NULL during commands
} RealmStreaming;

int64_t realm_stream_config(const RealmEngine *engine, RealmConfig item);
/// Tells the host about a write to come.
void    realm_stream_touch(RealmStreaming *streaming, void *memory, size_t size);
void    realm_stream_count(RealmStreaming *streaming, uint32_t *counter);
void    realm_stream_set_flag(RealmStreaming *streaming, uint8_t *flag, uint8_t value);

// Lists of landblocks. Index of a landblock, or the count when it is not there.
uint32_t realm_stream_find(const uint16_t *list, uint32_t count, uint16_t prefix);

/// A place of the land of this match.
bool     realm_stream_is_land(const RealmEngine *engine, uint16_t prefix);

void     realm_stream_arrival_add(RealmStreaming *streaming, uint16_t prefix);
bool     realm_stream_has_arrived(const RealmStream *stream, uint16_t prefix);
void     realm_stream_arrival_drop(RealmStreaming *streaming, uint16_t prefix);

void     realm_stream_reload_add(RealmStreaming *streaming, uint16_t prefix);
void     realm_stream_reload_remove(RealmStreaming *streaming, uint32_t index);

uint16_t realm_stream_variant_of(const RealmStream *stream, uint16_t prefix);
void     realm_stream_variant_set(RealmStreaming *streaming, uint16_t prefix, uint16_t variant);

/// The drafts that are open: in the order in which they began.
typedef struct RealmOpen {
    RealmTicket      ticket;
    RealmDraftHandle draft;
    uint16_t         variant;
} RealmOpen;
RealmOpen realm_stream_open_at(const RealmStream *stream, uint32_t index);
void      realm_stream_open_add(RealmStreaming *streaming, const RealmOpen *open);
void      realm_stream_open_remove(RealmStreaming *streaming, uint32_t index);

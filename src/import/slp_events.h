// slp_events.h: the raw element of a .slp file as a sequence of events. How long each kind is stands in the file's own first event, so kinds
// that are not known here are passed over. No allocation, no files.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tickproof/layout.h"

enum {
    SLP_EVENT_SPLITTER    = 0x10, ///< pieces of what is longer than an event; a list of codes so far, so passed over
    SLP_EVENT_SIZES       = 0x35,
    SLP_EVENT_START       = 0x36,
    SLP_EVENT_PRE_FRAME   = 0x37,
    SLP_EVENT_POST_FRAME  = 0x38,
    SLP_EVENT_END         = 0x39,
    SLP_EVENT_FRAME_START = 0x3A,
    SLP_EVENT_ITEM        = 0x3B,
    SLP_EVENT_BOOKEND     = 0x3C,
    SLP_EVENT_GECKO       = 0x3D,
};

/// Fewest bytes, code included, of what is read. Every version has had them.
enum {
    SLP_START_SIZE_MIN     = 0x141,
    SLP_PRE_FRAME_SIZE_MIN = 0x33,
    SLP_FRAME_START_MIN    = 0x05,
    SLP_BOOKEND_SIZE_MIN   = 0x05,
    SLP_END_SIZE_MIN       = 0x01,
};

/// What is wrong with a file, and where.
typedef struct {
    size_t   offset; ///< in the file
    tp_error error;
} SlpRefusal;

/// Always false.
bool slp_refuse(SlpRefusal *refusal, size_t offset, const char *format, ...) __attribute__((format(printf, 3, 4)));

typedef enum {
    SLP_STREAM_EVENT,
    SLP_STREAM_END, ///< no more events
    SLP_STREAM_CUT, ///< the file ends inside of an event, or before the raw element does
    SLP_STREAM_BAD, ///< refused
} SlpStreamResult;

typedef struct {
    const uint8_t *file;
    size_t         offset;   ///< of the next event
    size_t         end;      ///< of the raw element, or of the file when that comes earlier
    bool           is_open;  ///< nobody wrote how long the raw element is: it ends with the events
    bool           is_cut;   ///< the file ends before the raw element does
    size_t         list_offset;
    uint32_t       sizes[256]; ///< bytes of an event, code included; 0: not listed
} SlpEvents;

typedef struct {
    uint8_t        code;
    const uint8_t *bytes; ///< bytes[0] is the code, so that offsets are those of the format's own description
    uint32_t       size;  ///< code included
    size_t         offset; ///< in the file
} SlpEvent;

/// Reads the list of sizes. `raw_size` 0: open. BAD: refused. CUT: the file ends in the list.
SlpStreamResult slp_events_open(SlpEvents *events, const uint8_t *file, size_t file_size, size_t raw_offset, uint64_t raw_size, SlpRefusal *refusal);
SlpStreamResult slp_events_next(SlpEvents *events, SlpEvent *event, SlpRefusal *refusal);

// Values inside an event. `offset` is inside: the event's size was checked.
uint16_t slp_event_u16(const SlpEvent *event, uint32_t offset);
uint32_t slp_event_u32(const SlpEvent *event, uint32_t offset);
int32_t  slp_event_i32(const SlpEvent *event, uint32_t offset);
/// Whether the file's version has these bytes.
bool     slp_event_has(const SlpEvent *event, uint32_t offset, uint32_t size);

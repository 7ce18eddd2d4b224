// slp_events.c: a list of sizes, then codes and payloads.
#include "slp_events.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static const struct {
    uint8_t  code;
    uint32_t size_min;
    bool     is_required;
} known[] = {
    { SLP_EVENT_START, SLP_START_SIZE_MIN, true },        { SLP_EVENT_PRE_FRAME, SLP_PRE_FRAME_SIZE_MIN, true },
    { SLP_EVENT_END, SLP_END_SIZE_MIN, false },           { SLP_EVENT_FRAME_START, SLP_FRAME_START_MIN, false },
    { SLP_EVENT_BOOKEND, SLP_BOOKEND_SIZE_MIN, false },
};
enum { KNOWN_COUNT = sizeof(known) / sizeof(known[0]) };

bool slp_refuse(SlpRefusal *refusal, size_t offset, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    refusal->offset = offset;
    vsnprintf(refusal->error.text, sizeof(refusal->error.text), format, arguments);
    va_end(arguments);
    return false;
}


static bool check_sizes(const SlpEvents *events, SlpRefusal *refusal)
{
    for (size_t i = 0; i < KNOWN_COUNT; i++) {
        uint32_t size = events->sizes[known[i].code];
        if (size == 0 && known[i].is_required) {
            return slp_refuse(refusal, events->list_offset, "the list of event sizes has no event 0x%02X, which every version has", known[i].code);
        }
        if (size != 0 && size < known[i].size_min) {
            return slp_refuse(refusal, events->list_offset, "the list of event sizes gives event 0x%02X %u bytes; every version has at least %u",
                              known[i].code, size - 1, known[i].size_min - 1);
        }
    }
    return true;
}

static bool read_sizes(SlpEvents *events, const uint8_t *list, uint32_t count, SlpRefusal *refusal)
{
    for (uint32_t i = 0; i < count; i++) {
        const uint8_t *item = list + 3 * i;
        if (events->sizes[item[0]] != 0) {
            return slp_refuse(refusal, events->list_offset + 2 + 3 * (size_t)i, "event 0x%02X is in the list of event sizes twice", item[0]);
        }
        events->sizes[item[0]] = 1 + ((uint32_t)item[1] << 8 | item[2]);
    }
    return check_sizes(events, refusal);
}

SlpStreamResult slp_events_open(SlpEvents *events, const uint8_t *file, size_t file_size, size_t raw_offset, uint64_t raw_size, SlpRefusal *refusal)
{
    *events = (SlpEvents){ .file = file, .offset = raw_offset, .end = file_size, .is_open = raw_size == 0, .list_offset = raw_offset };
    if (raw_size > 0 && raw_size <= file_size - raw_offset) {
        events->end = raw_offset + (size_t)raw_size;
    }
    events->is_cut = raw_size > file_size - raw_offset;
    bool   may_grow = events->is_open || events->is_cut;
    size_t left = events->end - raw_offset;
    if (left >= 1 && file[raw_offset] != SLP_EVENT_SIZES) {
        slp_refuse(refusal, raw_offset, "the first event is 0x%02X, not 0x35, the list of event sizes", file[raw_offset]);
        return SLP_STREAM_BAD;
    }
    if (left >= 2 && (file[raw_offset + 1] == 0 || (file[raw_offset + 1] - 1) % 3 != 0)) {
        slp_refuse(refusal, raw_offset + 1, "the list of event sizes has %u bytes, which is no whole number of entries", file[raw_offset + 1]);
        return SLP_STREAM_BAD;
    }
    if (left < 2 || left - 1 < file[raw_offset + 1]) {
        if (may_grow) {
            return SLP_STREAM_CUT;
        }
        slp_refuse(refusal, raw_offset, "the raw element ends inside of the list of event sizes");
        return SLP_STREAM_BAD;
    }
    uint32_t count = (uint32_t)(file[raw_offset + 1] - 1) / 3;
    events->offset = raw_offset + 2 + 3 * (size_t)count;
    return read_sizes(events, file + raw_offset + 2, count, refusal) ? SLP_STREAM_EVENT : SLP_STREAM_BAD;
}

// Where nobody wrote how long the raw element is, the envelope goes on behind the last event: with the key of the next member, or its end.
static bool is_envelope(const SlpEvents *events, uint8_t code)
{
    size_t left = events->end - events->offset;
    return events->is_open && events->sizes[code] == 0 && ((code == 'U' && (left < 2 || events->file[events->offset + 1] == 8)) || (code == '}' && left == 1));
}

SlpStreamResult slp_events_next(SlpEvents *events, SlpEvent *event, SlpRefusal *refusal)
{
    if (events->offset == events->end) {
        return events->is_cut ? SLP_STREAM_CUT : SLP_STREAM_END;
    }
    uint8_t  code = events->file[events->offset];
    uint32_t size = events->sizes[code];
    if (is_envelope(events, code)) {
        return SLP_STREAM_END;
    }
    if (size == 0) {
        slp_refuse(refusal, events->offset, "event 0x%02X is not in the list of event sizes at offset %zu", code, events->list_offset);
        return SLP_STREAM_BAD;
    }
    if (size > events->end - events->offset) {
        if (events->is_open || events->is_cut) {
            return SLP_STREAM_CUT;
        }
        slp_refuse(refusal, events->offset, "event 0x%02X of %u bytes goes past the end of the raw element", code, size - 1);
        return SLP_STREAM_BAD;
    }
    *event = (SlpEvent){ code, events->file + events->offset, size, events->offset };
    events->offset += size;
    return SLP_STREAM_EVENT;
}

uint16_t slp_event_u16(const SlpEvent *event, uint32_t offset)
{
    return (uint16_t)(event->bytes[offset] << 8 | event->bytes[offset + 1]);
}

uint32_t slp_event_u32(const SlpEvent *event, uint32_t offset)
{
    return (uint32_t)slp_event_u16(event, offset) << 16 | slp_event_u16(event, offset + 2);
}

int32_t slp_event_i32(const SlpEvent *event, uint32_t offset)
{
    uint32_t bits = slp_event_u32(event, offset);
    return bits <= INT32_MAX ? (int32_t)bits : -(int32_t)(UINT32_MAX - bits) - 1;
}

bool slp_event_has(const SlpEvent *event, uint32_t offset, uint32_t size)
{
    return event->size >= offset && event->size - offset >= size;
}

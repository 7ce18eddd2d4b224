// channel_wire.c: see channel_wire.h.
#include "channel_wire.h"

#include <assert.h>
#include <string.h>

#include "bytes.h"

static const uint8_t magic[4] = { 'T', 'P', 'U', 'D' };

bool channel_wire_id(const uint8_t *bytes, size_t size, ChannelKind *kind, uint64_t *id)
{
    if (size < CHANNEL_RESET_SIZE || bytes[0] < CHANNEL_OPEN || bytes[0] > CHANNEL_RESET) {
        return false;
    }
    *kind = (ChannelKind)bytes[0];
    if (*kind == CHANNEL_OPEN && size < CHANNEL_REOPEN_SIZE) {
        return false;
    }
    *id = bytes_get_u64(bytes + (*kind == CHANNEL_OPEN ? 7 : 1));
    return true;
}

static bool is_zero(const uint8_t *bytes, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        if (bytes[i] != 0) {
            return false;
        }
    }
    return true;
}

static bool read_open(const uint8_t *bytes, size_t size, ChannelDatagram *datagram)
{
    if (memcmp(bytes + 1, magic, sizeof(magic)) != 0 || bytes_get_u16(bytes + 5) != CHANNEL_VERSION || datagram->id == 0) {
        return false;
    }
    datagram->cookie = bytes_get_u64(bytes + 15);
    if (datagram->cookie != 0) {
        return size == CHANNEL_REOPEN_SIZE;
    }
    return size == CHANNEL_OPEN_SIZE && is_zero(bytes + CHANNEL_REOPEN_SIZE, size - CHANNEL_REOPEN_SIZE);
}

// Whole runs up to the end of the datagram, each message with a size that there is.
static bool count_messages(ChannelDatagram *datagram)
{
    const uint8_t *at = datagram->runs;
    const uint8_t *end = at + datagram->runs_size;
    while (at < end) {
        if (end - at < CHANNEL_RUN_SIZE || at[4] == 0) {
            return false;
        }
        uint8_t left = at[4];
        for (at += CHANNEL_RUN_SIZE; left > 0; left--) {
            uint16_t size = end - at >= 2 ? bytes_get_u16(at) : 0;
            if (size == 0 || size > CHANNEL_MESSAGE_MAX || end - at - 2 < size) {
                return false;
            }
            at += 2 + size;
            datagram->message_count += 1;
        }
    }
    return true;
}

static bool read_data(const uint8_t *bytes, size_t size, ChannelDatagram *datagram)
{
    size_t used = CHANNEL_HEAD_SIZE;
    if (size < used || size > CHANNEL_DATAGRAM_MAX) {
        return false;
    }
    datagram->number = bytes_get_u32(bytes + 9);
    datagram->seen = bytes_get_u32(bytes + 13);
    datagram->delay = bytes_get_u16(bytes + 17);
    datagram->next = bytes_get_u32(bytes + 19);
    datagram->mask_size = bytes[23] & 0x7F;
    datagram->is_cut = (bytes[23] & 0x80) != 0;
    datagram->mask = bytes + used;
    used += datagram->mask_size;
    size_t fin_size = datagram->kind == CHANNEL_FIN ? CHANNEL_FIN_SIZE : 0;
    if (size < used + fin_size || (!datagram->is_cut && datagram->mask_size > 0 && bytes[used - 1] == 0)) {
        return false;
    }
    if (datagram->kind == CHANNEL_FIN) {
        datagram->fin_end = bytes_get_u32(bytes + used);
        datagram->fin_cuts = bytes[used + 4] == 1;
        if (bytes[used + 4] > 1) {
            return false;
        }
    }
    datagram->runs = bytes + used + fin_size;
    datagram->runs_size = size - used - fin_size;
    return count_messages(datagram);
}

bool channel_wire_read(const uint8_t *bytes, size_t size, ChannelDatagram *datagram)
{
    *datagram = (ChannelDatagram){ 0 };
    if (!channel_wire_id(bytes, size, &datagram->kind, &datagram->id)) {
        return false;
    }
    switch (datagram->kind) {
    case CHANNEL_OPEN: return read_open(bytes, size, datagram);
    case CHANNEL_COOKIE:
        datagram->cookie = size == CHANNEL_COOKIE_SIZE ? bytes_get_u64(bytes + 9) : 0;
        return datagram->cookie != 0;
    case CHANNEL_DATA:
    case CHANNEL_FIN: return read_data(bytes, size, datagram);
    case CHANNEL_RESET: datagram->number = bytes_get_u32(bytes + 9); return size == CHANNEL_RESET_SIZE;
    }
    return false;
}

ChannelRuns channel_wire_runs(const ChannelDatagram *datagram)
{
    return (ChannelRuns){ .at = datagram->runs, .end = datagram->runs + datagram->runs_size };
}

bool channel_wire_next(ChannelRuns *runs, uint32_t *number, const uint8_t **bytes, uint16_t *size)
{
    if (runs->left == 0) {
        if (runs->at == runs->end) {
            return false;
        }
        runs->number = bytes_get_u32(runs->at);
        runs->left = runs->at[4];
        runs->at += CHANNEL_RUN_SIZE;
    }
    *size = bytes_get_u16(runs->at);
    *bytes = runs->at + 2;
    *number = runs->number;
    runs->at += 2 + *size;
    runs->number += 1;
    runs->left -= 1;
    return true;
}

size_t channel_wire_open(uint8_t *out, uint64_t client_id, uint64_t cookie)
{
    size_t size = cookie == 0 ? CHANNEL_OPEN_SIZE : CHANNEL_REOPEN_SIZE;
    memset(out, 0, size);
    out[0] = CHANNEL_OPEN;
    memcpy(out + 1, magic, sizeof(magic));
    bytes_put_u16(out + 5, CHANNEL_VERSION);
    bytes_put_u64(out + 7, client_id);
    bytes_put_u64(out + 15, cookie);
    return size;
}

size_t channel_wire_cookie(uint8_t *out, uint64_t client_id, uint64_t cookie)
{
    out[0] = CHANNEL_COOKIE;
    bytes_put_u64(out + 1, client_id);
    bytes_put_u64(out + 9, cookie);
    return CHANNEL_COOKIE_SIZE;
}

size_t channel_wire_reset(uint8_t *out, uint64_t server_id, uint32_t number)
{
    out[0] = CHANNEL_RESET;
    bytes_put_u64(out + 1, server_id);
    bytes_put_u32(out + 9, number);
    return CHANNEL_RESET_SIZE;
}

size_t channel_wire_answer(uint8_t *out, const uint8_t *bytes, size_t size)
{
    bool is_data = size >= CHANNEL_HEAD_SIZE && (bytes[0] == CHANNEL_DATA || bytes[0] == CHANNEL_FIN);
    return is_data ? channel_wire_reset(out, bytes_get_u64(bytes + 1), bytes_get_u32(bytes + 9)) : 0;
}

size_t channel_wire_head(uint8_t *out, const ChannelDatagram *datagram)
{
    assert(datagram->kind == CHANNEL_DATA || datagram->kind == CHANNEL_FIN);
    assert(datagram->mask_size <= CHANNEL_MASK_MAX);
    out[0] = (uint8_t)datagram->kind;
    bytes_put_u64(out + 1, datagram->id);
    bytes_put_u32(out + 9, datagram->number);
    bytes_put_u32(out + 13, datagram->seen);
    bytes_put_u16(out + 17, datagram->delay);
    bytes_put_u32(out + 19, datagram->next);
    out[23] = (uint8_t)(datagram->mask_size | (datagram->is_cut ? 0x80 : 0));
    if (datagram->mask_size > 0) {
        memcpy(out + CHANNEL_HEAD_SIZE, datagram->mask, datagram->mask_size);
    }
    size_t used = CHANNEL_HEAD_SIZE + (size_t)datagram->mask_size;
    if (datagram->kind == CHANNEL_FIN) {
        bytes_put_u32(out + used, datagram->fin_end);
        out[used + 4] = datagram->fin_cuts ? 1 : 0;
        used += CHANNEL_FIN_SIZE;
    }
    return used;
}

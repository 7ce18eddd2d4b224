// reseal.h: redoes the hashes of a sealed file after somebody has changed its bytes, so that what stands behind the hashes is tried, too. Written from
// the page; it shares no code with the room that reads them.
#pragma once

#include <sodium.h>
#include <stddef.h>
#include <stdint.h>

static inline uint32_t reseal_u32(const uint8_t *p)
{
    return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

/// Leaves a file alone whose footer or table does not fit.
static inline void reseal_redo(uint8_t *bytes, size_t size)
{
    enum { HEADER = 28, ENTRY = 28, FOOTER = 72, FIXED = 40 };
    if (size < HEADER + FOOTER) {
        return;
    }
    uint8_t *footer = bytes + size - FOOTER;
    uint64_t table_size = (uint64_t)reseal_u32(footer + 16) * ENTRY;
    if (table_size > size - HEADER - FOOTER) {
        return;
    }
    uint8_t *table = footer - table_size;
    uint8_t *at = bytes + HEADER;
    for (uint8_t *entry = table; entry < footer; entry += ENTRY) {
        uint32_t packed = reseal_u32(entry);
        if (packed > (size_t)(table - at)) {
            break;
        }
        crypto_generichash(entry + 12, 16, at, packed, NULL, 0);
        at += packed;
    }
    crypto_generichash_state state;
    crypto_generichash_init(&state, NULL, 0, 32);
    crypto_generichash_update(&state, bytes, HEADER);
    crypto_generichash_update(&state, table, (size_t)table_size);
    crypto_generichash_update(&state, footer, FIXED);
    crypto_generichash_final(&state, footer + FIXED, 32);
}

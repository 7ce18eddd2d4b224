// channel_door.c: see channel_door.h.
#include "channel_door.h"

#include <assert.h>
#include <sodium.h>
#include <string.h>

#include "bytes.h"
#include "channel_wire.h"

bool channel_door_init(ChannelDoor *door)
{
    if (sodium_init() < 0) {
        return false;
    }
    *door = (ChannelDoor){ .old_count = 0 };
    randombytes_buf(door->key, sizeof(door->key));
    return true;
}

static uint64_t make_cookie(const ChannelDoor *door, uint64_t window, const uint8_t *address, size_t address_size, uint64_t client_id)
{
    uint8_t text[16 + CHANNEL_DOOR_ADDRESS];
    uint8_t hash[crypto_generichash_BYTES_MIN];
    assert(address_size <= CHANNEL_DOOR_ADDRESS);
    bytes_put_u64(text, window);
    bytes_put_u64(text + 8, client_id);
    memcpy(text + 16, address, address_size);
    crypto_generichash(hash, sizeof(hash), text, 16 + address_size, door->key, sizeof(door->key));
    uint64_t cookie = bytes_get_u64(hash);
    return cookie != 0 ? cookie : 1; // 0 is none
}

static bool is_old(const ChannelDoor *door, uint64_t cookie)
{
    uint32_t count = door->old_count < CHANNEL_DOOR_OLD_KEPT ? door->old_count : CHANNEL_DOOR_OLD_KEPT;
    for (uint32_t i = 0; i < count; i++) {
        if (door->old[i] == cookie) {
            return true;
        }
    }
    return false;
}

ChannelKnock channel_door_knock(ChannelDoor *door, uint64_t now_us, const uint8_t *address, size_t address_size, const uint8_t *bytes, size_t size,
                                uint64_t *client_id, uint64_t *cookie, uint8_t *answer, size_t *answer_size)
{
    ChannelDatagram datagram;
    uint64_t        window = now_us / CHANNEL_DOOR_US;
    if (!channel_wire_read(bytes, size, &datagram) || datagram.kind != CHANNEL_OPEN) {
        return CHANNEL_KNOCK_NOTHING;
    }
    uint64_t made = make_cookie(door, window, address, address_size, datagram.id);
    if (datagram.cookie == 0) {
        *answer_size = channel_wire_cookie(answer, datagram.id, made);
        assert(*answer_size < size);
        return CHANNEL_KNOCK_ANSWER;
    }
    bool is_good = datagram.cookie == made || (window > 0 && datagram.cookie == make_cookie(door, window - 1, address, address_size, datagram.id));
    if (!is_good || is_old(door, datagram.cookie)) {
        return CHANNEL_KNOCK_NOTHING;
    }
    *client_id = datagram.id;
    *cookie = datagram.cookie;
    return CHANNEL_KNOCK_OPEN;
}

void channel_door_note_old(ChannelDoor *door, uint64_t cookie)
{
    door->old[door->old_count % CHANNEL_DOOR_OLD_KEPT] = cookie;
    door->old_count += 1;
    if (door->old_count == UINT32_MAX) {
        door->old_count = CHANNEL_DOOR_OLD_KEPT; // still full
    }
}

// client_notices.c: what the server says beside the game: who says what, how fast the room goes, how early inputs come, what came of a request.
#include "client_internal.h"

bool client_notices_said(tp_client_room *room, const Message *message, tp_error *error)
{
    uint32_t slot = message->body.said.slot;
    bool     is_nobody = slot >= MESSAGE_SLOTS_MAX;
    if (!is_nobody && room->sim != NULL && slot >= tp_sim_layout(room->sim)->setup.players) {
        return tp_error_set(error, "slot %u speaks, the rules have %u", slot, tp_sim_layout(room->sim)->setup.players);
    }
    client_room_emit(room, (tp_client_event){ .kind = TP_CLIENT_SAID, .tick = message->tick, .slot = is_nobody ? TP_SOURCE_HOST : slot,
                                              .text = client_line(room->client, message->body.said.text) });
    return true;
}

// PACE comes with JOINED, long before the world stands: who plays hears of it once there is something to pace.
void client_notices_tell_pace(tp_client_room *room)
{
    if (room->has_pace && room->stage != CLIENT_LEAVING) {
        room->has_pace = false;
        client_room_emit(room, (tp_client_event){ .kind = TP_CLIENT_PACE, .is_paused = room->is_paused, .rate_mhz = room->rate_mhz });
    }
}

bool client_notices_pace(tp_client_room *room, const Message *message, tp_error *error)
{
    (void)error; // the codec has checked all there is
    room->has_pace = true;
    room->is_paused = message->body.pace.is_paused != 0;
    room->rate_mhz = message->body.pace.rate_mhz;
    if (room->is_joined) {
        client_notices_tell_pace(room);
    }
    return true;
}

bool client_notices_timing(tp_client_room *room, const Message *message, tp_error *error)
{
    int32_t least = INT32_MAX;
    for (uint32_t i = 0; i < message->body.timing.count; i++) {
        const MessageTiming *item = &message->body.timing.items[i];
        if (!client_room_is_mine(room, item->slot)) {
            return tp_error_set(error, "slot %u is not this client's", item->slot);
        }
        // The least there is stands for no input at all, and says nothing of how late one would have been.
        least = item->lead != INT16_MIN && item->lead < least ? item->lead : least;
    }
    if (!room->is_joined) {
        return true; // nothing can have been sent yet
    }
    if (least != INT32_MAX) {
        client_session_timing(room, least);
    }
    for (uint32_t i = 0; i < message->body.timing.count && room->stage != CLIENT_LEAVING; i++) {
        const MessageTiming *item = &message->body.timing.items[i];
        client_room_emit(room, (tp_client_event){ .kind = TP_CLIENT_TIMING, .tick = message->tick, .slot = item->slot, .lead = item->lead });
    }
    return true;
}

bool client_notices_admined(tp_client *client, const Message *message, tp_error *error)
{
    if (client->admins == 0) {
        return tp_error_set(error, "nothing was asked");
    }
    client->admins -= 1;
    tp_client_room *room = client_rooms_of_number(client, message->room);
    client_emit(client, &(tp_client_event){ .kind = TP_CLIENT_ADMINED, .room = room, .user = room == NULL ? NULL : room->user, .tick = message->tick,
                                            .cookie = message->body.admined.cookie, .is_done = message->body.admined.is_done != 0,
                                            .text = client_line(client, message->body.admined.text) });
    return true;
}

// client_ask.c: what the user asks of a server: lists, joins, leaves, and what goes out beside the game.
#include <stdlib.h>
#include <string.h>

#include "client_internal.h"

enum { COOKIE_INDEX_BITS = 10 };
_Static_assert(TP_CLIENT_ROOMS_MAX == 1 << COOKIE_INDEX_BITS, "a cookie's low bits are an index into rooms: change both");
_Static_assert((int)TP_CLIENT_TOKEN_SIZE == (int)MESSAGE_TOKEN_SIZE, "client.h promises the codec's tokens");
_Static_assert((int)TP_CLIENT_CHAT_MAX == (int)MESSAGE_CHAT_MAX, "client.h promises the codec's longest line");
_Static_assert((int)TP_CLIENT_KICK == (int)MESSAGE_VERB_KICK && (int)TP_CLIENT_END == (int)MESSAGE_VERB_END, "client.h repeats the codec's verbs");

void client_ask_list(tp_client *client, uint32_t first)
{
    Message list = { .type = MESSAGE_LIST, .room = MESSAGE_ROOM_NONE };
    list.body.list.first = client->list_next = first;
    client->is_listing = true;
    client_send(client, &list);
}

void tp_client_list(tp_client *client)
{
    if (client->is_over || client->is_listing) {
        return;
    }
    if (client->is_welcome) {
        client_ask_list(client, 0);
    } else {
        client->wants_list = true;
    }
}

void tp_client_ping(tp_client *client)
{
    Message ping = { .type = MESSAGE_PING, .room = MESSAGE_ROOM_NONE };
    if (client->is_welcome && !client->is_over) {
        client_send(client, &ping);
    }
}

// Joining.

void client_ask_join(tp_client_room *room)
{
    Message join = { .type = MESSAGE_JOIN, .room = MESSAGE_ROOM_NONE };
    join.body.join.cookie = room->cookie;
    join.body.join.slots = room->asked;
    join.body.join.delay = room->delay;
    join.body.join.name = message_text(room->name);
    memcpy(join.body.join.token, room->token, sizeof(room->token));
    room->stage = CLIENT_ASKED;
    client_send(room->client, &join);
}

static bool is_room_name(const char *name)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.";
    size_t            size = strlen(name);
    return size >= 1 && size <= MESSAGE_NAME_MAX && strspn(name, letters) == size;
}

static bool check_session(const tp_client_join_options *options, tp_error *error)
{
    const tp_session_options *session = options->session;
    bool                      follows = session->window == 0 || (options->slots == 0 && options->token == NULL);
    if (session->window > TP_SESSION_WINDOW_MAX) {
        return tp_error_set(error, "a window of %u ticks, %d are the most", session->window, TP_SESSION_WINDOW_MAX);
    }
    if (session->delay > TP_SESSION_DELAY_MAX) {
        return tp_error_set(error, "an input delay of %u ticks, %d are the most", session->delay, TP_SESSION_DELAY_MAX);
    }
    return session->catch_up > 0 || !follows || tp_error_set(error, "catch_up is 0, so nothing could be caught up: give it at least 1");
}

static bool check_join(const tp_client *client, const tp_client_join_options *options, tp_error *error)
{
    if (client->is_over) {
        return tp_error_set(error, "the connection is over");
    }
    if (!is_room_name(options->name)) {
        return tp_error_set(error, "a room's name is 1 to %d letters of a-z A-Z 0-9 _ - .", MESSAGE_NAME_MAX);
    }
    if (options->slots > MESSAGE_SLOTS_MAX) {
        return tp_error_set(error, "%u slots of one room, %d are the most", options->slots, MESSAGE_SLOTS_MAX);
    }
    if (options->delay > MESSAGE_DELAY_MAX) {
        return tp_error_set(error, "%u ticks of delay, %d are the most", options->delay, MESSAGE_DELAY_MAX);
    }
    if (options->delay > 0 && (options->slots > 0 || options->token != NULL)) {
        return tp_error_set(error, "only who watches can be %u ticks behind", options->delay);
    }
    return options->session == NULL || check_session(options, error);
}

static tp_client_room *make_room(tp_client *client, uint32_t index, const tp_client_join_options *options)
{
    tp_client_room *room = calloc(1, sizeof(*room));
    if (room == NULL) {
        return NULL;
    }
    client->joins += 1;
    room->client = client;
    room->user = options->user;
    room->cookie = client->joins << COOKIE_INDEX_BITS | index;
    room->asked = (uint8_t)options->slots;
    room->delay = (uint16_t)options->delay;
    memcpy(room->name, options->name, strlen(options->name));
    if (options->token != NULL) {
        room->is_rejoining = true;
        memcpy(room->token, options->token, sizeof(room->token));
    }
    if (options->session != NULL) {
        room->wants_session = true;
        room->session_options = *options->session;
    }
    client->rooms[index] = room;
    return room;
}

tp_client_room *tp_client_join_with(tp_client *client, const tp_client_join_options *options, tp_error *error)
{
    uint32_t index = 0;
    if (!check_join(client, options, error) || !client_rooms_place(client, &index, error)) {
        return NULL;
    }
    tp_client_room *room = make_room(client, index, options);
    if (room == NULL) {
        tp_error_set(error, "out of memory");
        return NULL;
    }
    if (client->is_welcome) {
        client_ask_join(room);
    }
    return room;
}

tp_client_room *tp_client_join(tp_client *client, const char *name, uint32_t slots, void *user, tp_error *error)
{
    return tp_client_join_with(client, &(tp_client_join_options){ .name = name, .slots = slots, .user = user }, error);
}

void tp_client_leave(tp_client_room *room)
{
    if (room->client->is_over) {
        return;
    }
    switch (room->stage) {
    case CLIENT_WAITING:
    case CLIENT_ASKED: room->is_unwanted = true; break;
    case CLIENT_RULES:
    case CLIENT_READY:
    case CLIENT_STATE:
    case CLIENT_LIVE:
    case CLIENT_DESYNCED: client_room_send_leave(room, MESSAGE_REASON_ASKED, ""); break;
    case CLIENT_LEAVING:
    case CLIENT_ENDED: break;
    }
}

// Beside the game.

bool tp_client_chat(tp_client_room *room, const char *text)
{
    bool is_there = room->is_joined && (room->stage == CLIENT_LIVE || room->stage == CLIENT_STATE || room->stage == CLIENT_DESYNCED);
    if (!is_there || room->client->is_over || strlen(text) > MESSAGE_CHAT_MAX) {
        return false;
    }
    Message chat = client_room_message(room, MESSAGE_CHAT, 0);
    chat.body.chat.text = message_text(text);
    return client_try_send(room->client, &chat);
}

bool tp_client_admin(tp_client *client, uint32_t room, const char *key, tp_client_verb verb, uint32_t slot, uint64_t value, const void *bytes,
                     size_t size, uint32_t cookie)
{
    if (!client->is_welcome || client->is_over || strlen(key) > MESSAGE_KEY_MAX || slot >= MESSAGE_SLOTS_MAX || size > MESSAGE_COMMAND_MAX) {
        return false;
    }
    const tp_client_room *member = client_rooms_of_number(client, room);
    Message               admin = { .type = MESSAGE_ADMIN, .room = room, .epoch = member == NULL ? 0 : member->epoch };
    admin.body.admin.cookie = cookie;
    admin.body.admin.verb = (uint8_t)verb;
    admin.body.admin.slot = (uint8_t)slot;
    admin.body.admin.value = value;
    admin.body.admin.key = message_text(key);
    admin.body.admin.size = (uint16_t)size;
    admin.body.admin.bytes = bytes;
    if (!client_try_send(client, &admin)) {
        return false;
    }
    client->admins += 1;
    return true;
}

// client.c: one connection: what the user asks goes out, what the server sends finds its room. Worlds are client_room.c's.
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "client_internal.h"

enum { ROOMS_FIRST = 4, COOKIE_INDEX_BITS = 10, LISTED_MAX = 65536 };
_Static_assert(TP_CLIENT_ROOMS_MAX == 1 << COOKIE_INDEX_BITS, "a cookie's low bits are an index into rooms: change both");
_Static_assert((int)TP_CLIENT_MESSAGE_MAX == (int)MESSAGE_SIZE_MAX, "client.h promises the codec's largest message");
_Static_assert((int)TP_NAME_SIZE_MAX == (int)MESSAGE_NAME_MAX, "listed names must hold the codec's");

// Sending and telling.

void client_send(tp_client *client, const Message *message)
{
    uint8_t bytes[MESSAGE_SIZE_MAX];
    size_t  size = message_encode(message, bytes);
    assert(size > 0);
    if (size > 0) {
        client->options.send(client->options.send_to, bytes, size);
    }
}

void client_emit(tp_client *client, const tp_client_event *event)
{
    tp_client_event told = *event;
    told.text = told.text == NULL ? "" : told.text;
    if (client->options.event != NULL) {
        client->options.event(client->options.event_to, &told);
    }
}

const char *client_line(tp_client *client, MessageText text)
{
    size_t size = text.size < MESSAGE_TEXT_MAX ? text.size : MESSAGE_TEXT_MAX;
    for (size_t i = 0; i < size; i++) {
        unsigned char letter = (unsigned char)text.text[i];
        // The second half of a control character beyond ASCII, as UTF-8 writes it, is one, too.
        bool is_control = letter < 0x20 || letter == 0x7F || (letter >= 0x80 && letter < 0xA0 && i > 0 && (unsigned char)text.text[i - 1] == 0xC2);
        client->text[i] = is_control ? '?' : (char)letter;
    }
    client->text[size] = '\0';
    return client->text;
}

static bool end_malformed(tp_client *client, const char *what)
{
    client->is_over = true;
    client_emit(client, &(tp_client_event){ .kind = TP_CLIENT_MALFORMED, .text = what });
    return false;
}

// Rooms.

static tp_client_room *room_of_cookie(const tp_client *client, uint32_t cookie)
{
    uint32_t index = cookie & (TP_CLIENT_ROOMS_MAX - 1);
    if (index >= client->capacity || client->rooms[index] == NULL || client->rooms[index]->cookie != cookie) {
        return NULL;
    }
    return client->rooms[index];
}

// The place of the first number that is not below.
static uint32_t place_of_number(const tp_client *client, uint32_t number)
{
    uint32_t low = 0;
    uint32_t high = client->number_count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (client->numbers[middle].number < number) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

static tp_client_room *room_of_number(const tp_client *client, uint32_t number)
{
    uint32_t place = place_of_number(client, number);
    if (place == client->number_count || client->numbers[place].number != number) {
        return NULL;
    }
    return client->rooms[client->numbers[place].index];
}

bool client_add_number(tp_client *client, tp_client_room *room)
{
    uint32_t place = place_of_number(client, room->number);
    if (place < client->number_count && client->numbers[place].number == room->number) {
        return false;
    }
    assert(client->number_count < client->capacity);
    memmove(client->numbers + place + 1, client->numbers + place, (client->number_count - place) * sizeof(*client->numbers));
    client->numbers[place] = (ClientNumber){ room->number, room->cookie & (TP_CLIENT_ROOMS_MAX - 1) };
    client->number_count += 1;
    return true;
}

static void remove_number(tp_client *client, const tp_client_room *room)
{
    uint32_t place = place_of_number(client, room->number);
    if (room_of_number(client, room->number) == room) {
        memmove(client->numbers + place, client->numbers + place + 1, (client->number_count - place - 1) * sizeof(*client->numbers));
        client->number_count -= 1;
    }
}

// Tells the room's last event and frees it.
static void end_room(tp_client_room *room, tp_client_event event)
{
    tp_client *client = room->client;
    if (room->stage != CLIENT_WAITING && room->stage != CLIENT_ASKED) {
        remove_number(client, room); // before the event, so that the number is free for whoever joins again from there
    }
    room->stage = CLIENT_ENDED;
    event.room = room;
    event.user = room->user;
    if (!room->is_told) {
        client_emit(client, &event);
    }
    client->rooms[room->cookie & (TP_CLIENT_ROOMS_MAX - 1)] = NULL;
    client_room_finish(room);
    free(room);
}

static bool grow_rooms(tp_client *client)
{
    uint32_t         capacity = client->capacity == 0 ? ROOMS_FIRST : client->capacity * 2;
    tp_client_room **rooms = realloc(client->rooms, capacity * sizeof(*rooms));
    if (rooms == NULL) {
        return false;
    }
    client->rooms = rooms;
    ClientNumber *numbers = realloc(client->numbers, capacity * sizeof(*numbers));
    if (numbers == NULL) {
        return false;
    }
    client->numbers = numbers;
    memset(rooms + client->capacity, 0, (capacity - client->capacity) * sizeof(*rooms));
    client->capacity = capacity;
    return true;
}

static bool find_free(tp_client *client, uint32_t *index, tp_error *error)
{
    for (*index = 0; *index < client->capacity; *index += 1) {
        if (client->rooms[*index] == NULL) {
            return true;
        }
    }
    if (client->capacity == TP_CLIENT_ROOMS_MAX) {
        return tp_error_set(error, "a connection is in %d rooms at most", TP_CLIENT_ROOMS_MAX);
    }
    return grow_rooms(client) || tp_error_set(error, "out of memory");
}

// What the user asks.

tp_client *tp_client_create(const tp_client_options *options, tp_error *error)
{
    assert(options->send != NULL);
    tp_client *client = calloc(1, sizeof(*client));
    if (client == NULL) {
        tp_error_set(error, "out of memory");
        return NULL;
    }
    client->options = *options;
    client->options.build = NULL; // borrowed for this call only
    Message hello = { .type = MESSAGE_HELLO, .room = MESSAGE_ROOM_NONE };
    hello.body.hello.version_min = hello.body.hello.version_max = MESSAGE_VERSION;
    hello.body.hello.build = message_text(options->build == NULL ? "unknown" : options->build);
    if (hello.body.hello.build.size > MESSAGE_BUILD_MAX) {
        hello.body.hello.build.size = MESSAGE_BUILD_MAX;
    }
    client_send(client, &hello);
    return client;
}

void tp_client_destroy(tp_client *client)
{
    if (client == NULL) {
        return;
    }
    for (uint32_t i = 0; i < client->capacity; i++) {
        if (client->rooms[i] != NULL) {
            client_room_finish(client->rooms[i]);
            free(client->rooms[i]);
        }
    }
    free(client->rooms);
    free(client->numbers);
    free(client);
}

static void send_list(tp_client *client, uint32_t first)
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
        send_list(client, 0);
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

static void send_join(tp_client_room *room)
{
    Message join = { .type = MESSAGE_JOIN, .room = MESSAGE_ROOM_NONE };
    join.body.join.cookie = room->cookie;
    join.body.join.slots = room->asked;
    join.body.join.name = message_text(room->name);
    room->stage = CLIENT_ASKED;
    client_send(room->client, &join);
}

static bool is_room_name(const char *name)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.";
    size_t            size = strlen(name);
    return size >= 1 && size <= MESSAGE_NAME_MAX && strspn(name, letters) == size;
}

tp_client_room *tp_client_join(tp_client *client, const char *name, uint32_t slots, void *user, tp_error *error)
{
    uint32_t index = 0;
    if (client->is_over) {
        tp_error_set(error, "the connection is over");
        return NULL;
    }
    if (!is_room_name(name)) {
        tp_error_set(error, "a room's name is 1 to %d letters of a-z A-Z 0-9 _ - .", MESSAGE_NAME_MAX);
        return NULL;
    }
    if (slots > MESSAGE_SLOTS_MAX) {
        tp_error_set(error, "%u slots of one room, %d are the most", slots, MESSAGE_SLOTS_MAX);
        return NULL;
    }
    if (!find_free(client, &index, error)) {
        return NULL;
    }
    tp_client_room *room = calloc(1, sizeof(*room));
    if (room == NULL) {
        tp_error_set(error, "out of memory");
        return NULL;
    }
    client->joins += 1;
    room->client = client;
    room->user = user;
    room->cookie = client->joins << COOKIE_INDEX_BITS | index;
    room->asked = (uint8_t)slots;
    memcpy(room->name, name, strlen(name));
    client->rooms[index] = room;
    if (client->is_welcome) {
        send_join(room);
    }
    return room;
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
    case CLIENT_STATE:
    case CLIENT_LIVE:
    case CLIENT_DESYNCED: client_room_send_leave(room); break;
    case CLIENT_LEAVING:
    case CLIENT_ENDED: break;
    }
}

uint32_t tp_client_messages_per_second(const tp_client *client)
{
    return client->messages_per_second;
}

const char *tp_client_reason_name(uint32_t reason)
{
    const char *name = reason == TP_CLIENT_REASON_HERE ? "not-here" : message_reason_name(reason);
    return name == NULL ? "unknown" : name;
}

// What the server sends.

static bool take_welcome(tp_client *client, const Message *message, tp_error *error)
{
    if (client->is_welcome) {
        return tp_error_set(error, "it came before");
    }
    if (message->body.welcome.version != MESSAGE_VERSION) {
        return tp_error_set(error, "version %u of the protocol was not offered", message->body.welcome.version);
    }
    client->is_welcome = true;
    client->messages_per_second = message->body.welcome.messages_per_second;
    client_emit(client, &(tp_client_event){ .kind = TP_CLIENT_WELCOME, .text = client_line(client, message->body.welcome.build) });
    if (client->wants_list && !client->is_listing) {
        send_list(client, 0);
    }
    // By index: an event's receiver may join, and the table may move.
    for (uint32_t i = 0; i < client->capacity; i++) {
        tp_client_room *room = client->rooms[i];
        if (room != NULL && room->stage == CLIENT_WAITING && room->is_unwanted) {
            end_room(room, (tp_client_event){ .kind = TP_CLIENT_LEFT, .reason = MESSAGE_REASON_ASKED });
        } else if (room != NULL && room->stage == CLIENT_WAITING) {
            send_join(room);
        }
    }
    return true;
}

static void copy_name(char out[MESSAGE_NAME_MAX + 1], MessageText name)
{
    size_t size = name.size < MESSAGE_NAME_MAX ? name.size : MESSAGE_NAME_MAX;
    memcpy(out, name.text, size);
    out[size] = '\0';
}

static void tell_listed(tp_client *client, const MessageRoom *item)
{
    tp_client_listed listed = {
        .room = item->room, .tick_rate_hz = item->tick_rate_hz, .lane = item->lane, .players = item->players, .taken = item->taken,
        .is_live = item->is_live != 0, .is_over = item->is_over != 0,
    };
    copy_name(listed.name, item->name);
    copy_name(listed.world, item->world);
    client_emit(client, &(tp_client_event){ .kind = TP_CLIENT_LISTED, .listed = &listed });
}

static bool take_rooms(tp_client *client, const Message *message, tp_error *error)
{
    uint32_t first = message->body.rooms.first;
    uint32_t next = message->body.rooms.next;
    uint32_t total = message->body.rooms.total;
    if (!client->is_listing || first != client->list_next) {
        return tp_error_set(error, "rooms from %u on were not asked for", first);
    }
    if (total > LISTED_MAX) {
        return tp_error_set(error, "a list of %u rooms is longer than a server's may be", total);
    }
    for (uint32_t i = 0; i < message->body.rooms.count; i++) {
        tell_listed(client, &message->body.rooms.items[i]);
    }
    if (next < total) { // the codec saw to it that `next` leads on
        send_list(client, next);
        return true;
    }
    client->is_listing = client->wants_list = false;
    client_emit(client, &(tp_client_event){ .kind = TP_CLIENT_LISTED });
    return true;
}

static bool take_joined(tp_client *client, const Message *message, tp_error *error)
{
    tp_client_room *room = room_of_cookie(client, message->body.joined.cookie);
    if (room == NULL || room->stage != CLIENT_ASKED) {
        return tp_error_set(error, "nobody asked for it");
    }
    return client_room_joined(room, message, error);
}

static bool take_refused(tp_client *client, const Message *message, tp_error *error)
{
    tp_client_room *room = room_of_cookie(client, message->body.refused.cookie);
    if (room == NULL || room->stage != CLIENT_ASKED) {
        return tp_error_set(error, "nobody asked for it");
    }
    end_room(room, (tp_client_event){ .kind = TP_CLIENT_REFUSED, .reason = message->body.refused.reason,
                                      .text = client_line(client, message->body.refused.text) });
    return true;
}

static bool take_bye(tp_client *client, const Message *message)
{
    client->is_over = true;
    client_emit(client, &(tp_client_event){ .kind = TP_CLIENT_BYE, .reason = message->body.bye.reason,
                                            .text = client_line(client, message->body.bye.text) });
    return false;
}

static bool take_left(tp_client_room *room, const Message *message)
{
    end_room(room, (tp_client_event){ .kind = TP_CLIENT_LEFT, .tick = message->tick, .reason = message->body.left.reason,
                                      .text = client_line(room->client, message->body.left.text) });
    return true;
}

// A message about a room that this client is in.
static bool take_of_room(tp_client *client, const Message *message, tp_error *error)
{
    tp_client_room *room = room_of_number(client, message->room);
    if (room == NULL) {
        return tp_error_set(error, "this client is not in that room");
    }
    if (message->epoch != room->epoch) {
        return tp_error_set(error, "it is of epoch %u, the membership of epoch %u", message->epoch, room->epoch);
    }
    if (message->type == MESSAGE_LEFT) {
        return take_left(room, message);
    }
    return message->type == MESSAGE_PIECE ? client_room_piece(room, message, error) : client_room_confirmed(room, message, error);
}

static bool take(tp_client *client, const Message *message, tp_error *error)
{
    if (!client->is_welcome && message->type != MESSAGE_WELCOME) {
        return tp_error_set(error, "it came before a welcome");
    }
    switch (message->type) {
    case MESSAGE_WELCOME: return take_welcome(client, message, error);
    case MESSAGE_ROOMS: return take_rooms(client, message, error);
    case MESSAGE_JOINED: return take_joined(client, message, error);
    case MESSAGE_REFUSED: return take_refused(client, message, error);
    case MESSAGE_PIECE:
    case MESSAGE_CONFIRMED:
    case MESSAGE_LEFT: return take_of_room(client, message, error);
    case MESSAGE_PONG: return true;
    case MESSAGE_BYE:
    case MESSAGE_HELLO:
    case MESSAGE_LIST:
    case MESSAGE_JOIN:
    case MESSAGE_LEAVE:
    case MESSAGE_INPUT:
    case MESSAGE_PING: break;
    }
    return tp_error_set(error, "only clients send it");
}

bool tp_client_receive(tp_client *client, const uint8_t *bytes, size_t size)
{
    Message  message;
    tp_error reason;
    tp_error line;
    if (client->is_over) {
        return false;
    }
    const char *wrong = message_decode(bytes, size, &message);
    if (wrong != NULL) {
        tp_error_set(&line, "a message of %zu bytes: %.200s", size, wrong);
        return end_malformed(client, line.text);
    }
    if (message.type == MESSAGE_BYE) {
        return take_bye(client, &message);
    }
    if (take(client, &message, &reason)) {
        return true;
    }
    if (message.room == MESSAGE_ROOM_NONE) {
        tp_error_set(&line, "%s: %.200s", message_type_name(message.type), reason.text);
    } else {
        tp_error_set(&line, "%s of room %u: %.200s", message_type_name(message.type), message.room, reason.text);
    }
    return end_malformed(client, line.text);
}

// client.c: one connection: what the server sends finds its room. What the user asks is client_ask.c's, worlds are client_room.c's and following.
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "client_internal.h"

enum { LISTED_MAX = 65536 };
_Static_assert((int)TP_CLIENT_MESSAGE_MAX == (int)MESSAGE_SIZE_MAX, "client.h promises the codec's largest message");
_Static_assert((int)TP_NAME_SIZE_MAX == (int)MESSAGE_NAME_MAX, "listed names must hold the codec's");

// Sending and telling.

bool client_try_send(tp_client *client, const Message *message)
{
    uint8_t bytes[MESSAGE_SIZE_MAX];
    size_t  size = message_encode(message, bytes);
    if (size > 0) {
        client->options.send(client->options.send_to, bytes, size);
    }
    return size > 0;
}

void client_send(tp_client *client, const Message *message)
{
    bool is_sent = client_try_send(client, message);
    assert(is_sent);
    (void)is_sent;
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

// Making and ending it.

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
    client_own_build(client->build, options->build == NULL ? "unknown" : options->build);
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
    client_rooms_finish(client);
    free(client);
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
        client_ask_list(client, 0);
    }
    // By index: an event's receiver may join, and the table may move.
    for (uint32_t i = 0; i < client->capacity; i++) {
        tp_client_room *room = client->rooms[i];
        if (room != NULL && room->stage == CLIENT_WAITING && room->is_unwanted) {
            client_rooms_end(room, (tp_client_event){ .kind = TP_CLIENT_LEFT, .reason = MESSAGE_REASON_ASKED });
        } else if (room != NULL && room->stage == CLIENT_WAITING) {
            client_ask_join(room);
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
        .udp_port = item->udp_port, .is_live = item->is_live != 0, .is_over = item->is_over != 0,
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
        client_ask_list(client, next);
        return true;
    }
    client->is_listing = client->wants_list = false;
    client_emit(client, &(tp_client_event){ .kind = TP_CLIENT_LISTED });
    return true;
}

static bool take_joined(tp_client *client, const Message *message, tp_error *error)
{
    tp_client_room *room = client_rooms_of_cookie(client, message->body.joined.cookie);
    if (room == NULL || room->stage != CLIENT_ASKED) {
        return tp_error_set(error, "nobody asked for it");
    }
    return client_room_joined(room, message, error);
}

static bool take_refused(tp_client *client, const Message *message, tp_error *error)
{
    tp_client_room *room = client_rooms_of_cookie(client, message->body.refused.cookie);
    if (room == NULL || room->stage != CLIENT_ASKED) {
        return tp_error_set(error, "nobody asked for it");
    }
    client_rooms_end(room, (tp_client_event){ .kind = TP_CLIENT_REFUSED, .reason = message->body.refused.reason,
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
    if (room->stage == CLIENT_LIVE && room->session != NULL && !room->is_inside) {
        client_session_drain(room);
    }
    client_rooms_end(room, (tp_client_event){ .kind = TP_CLIENT_LEFT, .tick = message->tick, .reason = message->body.left.reason,
                                      .text = client_line(room->client, message->body.left.text) });
    return true;
}

typedef bool (*Taker)(tp_client_room *room, const Message *message, tp_error *error);

static Taker taker_of(MessageType type)
{
    static const Taker takers[] = {
        [MESSAGE_PIECE] = client_room_piece,      [MESSAGE_STATE] = client_state_announced,   [MESSAGE_CONFIRMED] = client_ticks_confirmed,
        [MESSAGE_WANTED] = client_own_wanted,     [MESSAGE_TIMING] = client_notices_timing,   [MESSAGE_SAID] = client_notices_said,
        [MESSAGE_PACE] = client_notices_pace,
    };
    return takers[type];
}

// A message about a room that this client is in. Once LEAVE was sent, all but LEFT is dropped without a look.
static bool take_of_room(tp_client *client, const Message *message, tp_error *error)
{
    tp_client_room *room = client_rooms_of_number(client, message->room);
    if (room == NULL) {
        return tp_error_set(error, "this client is not in that room");
    }
    if (message->epoch != room->epoch) {
        return tp_error_set(error, "it is of epoch %u, the membership of epoch %u", message->epoch, room->epoch);
    }
    if (message->type == MESSAGE_LEFT) {
        return take_left(room, message);
    }
    return room->stage == CLIENT_LEAVING || taker_of(message->type)(room, message, error);
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
    case MESSAGE_ADMINED: return client_notices_admined(client, message, error);
    case MESSAGE_PIECE:
    case MESSAGE_STATE:
    case MESSAGE_CONFIRMED:
    case MESSAGE_WANTED:
    case MESSAGE_TIMING:
    case MESSAGE_SAID:
    case MESSAGE_PACE:
    case MESSAGE_LEFT: return take_of_room(client, message, error);
    case MESSAGE_PONG: return true;
    case MESSAGE_BYE:
    case MESSAGE_HELLO:
    case MESSAGE_LIST:
    case MESSAGE_JOIN:
    case MESSAGE_LEAVE:
    case MESSAGE_INPUT:
    case MESSAGE_PING:
    case MESSAGE_READY:
    case MESSAGE_REPORT:
    case MESSAGE_OWN_STATE:
    case MESSAGE_TOKEN:
    case MESSAGE_CHAT:
    case MESSAGE_ADMIN: break;
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

// client_rooms.c: which room is meant: by the cookie of a join, whose low bits are the place in the table, and by the server's number.
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "client_internal.h"

enum { ROOMS_FIRST = 4 };

tp_client_room *client_rooms_of_cookie(const tp_client *client, uint32_t cookie)
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

tp_client_room *client_rooms_of_number(const tp_client *client, uint32_t number)
{
    uint32_t place = place_of_number(client, number);
    if (place == client->number_count || client->numbers[place].number != number) {
        return NULL;
    }
    return client->rooms[client->numbers[place].index];
}

bool client_rooms_add_number(tp_client *client, tp_client_room *room)
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
    if (client_rooms_of_number(client, room->number) == room) {
        memmove(client->numbers + place, client->numbers + place + 1, (client->number_count - place - 1) * sizeof(*client->numbers));
        client->number_count -= 1;
    }
}

void client_rooms_end(tp_client_room *room, tp_client_event event)
{
    tp_client *client = room->client;
    if (room->stage != CLIENT_WAITING && room->stage != CLIENT_ASKED) {
        remove_number(client, room); // before the event, so that the number is free for whoever joins again from there
    }
    room->stage = CLIENT_ENDED;
    if (!room->is_told) {
        client_room_emit(room, event);
    }
    client->rooms[room->cookie & (TP_CLIENT_ROOMS_MAX - 1)] = NULL;
    client_room_finish(room);
    free(room);
}

static bool grow(tp_client *client)
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

bool client_rooms_place(tp_client *client, uint32_t *index, tp_error *error)
{
    for (*index = 0; *index < client->capacity; *index += 1) {
        if (client->rooms[*index] == NULL) {
            return true;
        }
    }
    if (client->capacity == TP_CLIENT_ROOMS_MAX) {
        return tp_error_set(error, "a connection is in %d rooms at most", TP_CLIENT_ROOMS_MAX);
    }
    return grow(client) || tp_error_set(error, "out of memory");
}

void client_rooms_finish(tp_client *client)
{
    for (uint32_t i = 0; i < client->capacity; i++) {
        if (client->rooms[i] != NULL) {
            client_room_finish(client->rooms[i]);
            free(client->rooms[i]);
        }
    }
    free(client->rooms);
    free(client->numbers);
}

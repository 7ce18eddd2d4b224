// join_plan.c: from the list of a server's rooms to memberships, and which connection has which of them.
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "join.h"

bool join_add_listed(Join *join, const tp_client_listed *listed)
{
    if (join->room_count == JOIN_ROOMS_MAX) {
        return false;
    }
    if (join->room_count == join->room_capacity) {
        uint32_t          capacity = join->room_capacity == 0 ? 64 : join->room_capacity * 2;
        tp_client_listed *grown = realloc(join->rooms, capacity * sizeof(*grown));
        if (grown == NULL) {
            return false;
        }
        join->rooms = grown;
        join->room_capacity = capacity;
    }
    join->rooms[join->room_count++] = *listed;
    return true;
}

// Index of the room, or -1.
static int64_t find_room(const Join *join, const char *name)
{
    for (uint32_t i = 0; i < join->room_count; i++) {
        if (strcmp(join->rooms[i].name, name) == 0) {
            return i;
        }
    }
    return -1;
}

const tp_client_listed *join_find_listed(const Join *join, const char *name)
{
    int64_t found = find_room(join, name);
    return found < 0 ? NULL : &join->rooms[found];
}

// Which rooms: those that are named, else all that can be joined. The count; 0: said so.
static uint32_t choose_rooms(Join *join, uint32_t *chosen)
{
    const JoinOptions *options = join->options;
    uint32_t           count = 0;
    for (uint32_t i = 0; i < options->room_count; i++) {
        int64_t found = find_room(join, options->rooms[i]);
        if (found < 0) {
            join_fail(join, TP_USAGE, "%s: there is no room '%s'; --list shows those that are there", options->place, options->rooms[i]);
            return 0;
        }
        chosen[count++] = (uint32_t)found;
    }
    for (uint32_t i = 0; i < join->room_count && options->room_count == 0; i++) {
        if (join->rooms[i].is_live && !join->rooms[i].is_over) {
            chosen[count++] = i;
        }
    }
    if (count == 0) {
        join_fail(join, TP_USAGE, "%s: no room there is live and not over; --list shows all", options->place);
    }
    return count;
}

// A room that was chosen: members are kept in this order, connections take them by lane.
typedef struct {
    uint32_t lane, position, udp_port; // of one lane, one port
} Choice;

static int by_lane(const void *a, const void *b)
{
    const Choice *left = a;
    const Choice *right = b;
    if (left->lane != right->lane) {
        return left->lane < right->lane ? -1 : 1;
    }
    return left->position < right->position ? -1 : left->position > right->position;
}

JoinConnection *join_add_connection(Join *join, uint32_t client, uint32_t members_max)
{
    JoinConnection **grown = realloc(join->connections, (join->connection_count + 1) * sizeof(*grown));
    if (grown == NULL) {
        return NULL;
    }
    join->connections = grown;
    JoinConnection *connection = calloc(1, sizeof(*connection));
    if (connection != NULL) {
        connection->join = join;
        connection->client = client;
        connection->number = join->connection_count;
        connection->members = calloc(members_max, sizeof(*connection->members));
        join->connections[join->connection_count++] = connection;
    }
    return connection != NULL && connection->members != NULL ? connection : NULL;
}

// Spreads one client's rooms over connections: of one lane each, and not more rooms than the server hears joins of at once.
static bool spread_client(Join *join, const Choice *choices, uint32_t count, uint32_t client, uint32_t members_max)
{
    JoinConnection *connection = client == 0 ? join->connections[0] : join_add_connection(join, client, members_max);
    for (uint32_t i = 0; i < count && connection != NULL; i++) {
        if (connection->member_count == members_max || (i > 0 && choices[i].lane != choices[i - 1].lane)) {
            connection = join_add_connection(join, client, members_max);
        }
        if (connection != NULL) {
            uint32_t index = choices[i].position * join->options->clients + client;
            join->members[index].connection = connection;
            join->members[index].client = client;
            connection->udp_port = choices[i].udp_port;
            connection->members[connection->member_count++] = index;
            connection->open_count += 1;
        }
    }
    return connection != NULL;
}

static bool make_members(Join *join, const uint32_t *chosen, uint32_t count)
{
    const JoinOptions *options = join->options;
    uint32_t           rate = tp_client_messages_per_second(join->connections[0]->link.client);
    uint32_t           members_max = options->rooms_per_connection < rate ? options->rooms_per_connection : rate == 0 ? 1 : rate;
    Choice            *choices = calloc(count, sizeof(*choices));
    join->members = calloc((size_t)count * options->clients, sizeof(*join->members));
    free(join->connections[0]->members);
    join->connections[0]->members = calloc(members_max, sizeof(uint32_t));
    bool is_fine = choices != NULL && join->members != NULL && join->connections[0]->members != NULL;
    for (uint32_t i = 0; i < count && is_fine; i++) {
        const tp_client_listed *room = &join->rooms[chosen[i]];
        choices[i] = (Choice){ room->lane, i, room->udp_port };
        for (uint32_t client = 0; client < options->clients; client++) {
            join->members[i * options->clients + client] = (JoinMember){ .join = join, .name = room->name, .world = room->world };
        }
    }
    if (is_fine) {
        qsort(choices, count, sizeof(*choices), by_lane);
    }
    for (uint32_t client = 0; client < options->clients && is_fine; client++) {
        is_fine = spread_client(join, choices, count, client, members_max);
    }
    free(choices);
    join->member_count = is_fine ? count * options->clients : 0;
    return is_fine;
}

// False: said so.
static bool check_ports(Join *join, const uint32_t *chosen, uint32_t count)
{
    for (uint32_t i = 0; i < count && join->options->is_udp; i++) {
        if (join->rooms[chosen[i]].udp_port == 0) {
            join_fail(join, TP_USAGE, "room '%s': it takes no datagrams; leave out --udp", join->rooms[chosen[i]].name);
            return false;
        }
    }
    return true;
}

typedef struct {
    const tp_world *world;
    uint32_t        players;
} Checked;

static bool check_against(Join *join, const Checked *room, uint32_t tick_rate_hz)
{
    const JoinOptions *options = join->options;
    tp_error           error;
    tp_setup           setup = { .players = room->players, .tick_rate_hz = tick_rate_hz };
    tp_layout         *layout = calloc(1, sizeof(*layout));
    InputSource       *lines = NULL;
    bool               is_fine = true;
    if (layout != NULL && tp_layout_init(layout, room->world, &setup, &error)) {
        lines = inputsource_text(layout, options->inputs, options->inputs_text, options->inputs_size, &error);
    }
    if (lines != NULL) {
        is_fine = inputsource_check(lines, &join->row);
    }
    inputsource_destroy(lines);
    free(layout);
    return is_fine;
}

// Holds the inputs against each kind of room that is asked for, as far as its world is here: a bad line costs no slot. False: said so.
static bool check_inputs(Join *join, const uint32_t *chosen, uint32_t count)
{
    Checked  checked[JOIN_CHECKED_MAX];
    uint32_t checked_count = 0;
    for (uint32_t i = 0; i < count && checked_count < JOIN_CHECKED_MAX && join->options->inputs != NULL; i++) {
        const tp_client_listed *listed = &join->rooms[chosen[i]];
        Checked                 room = { worlds_search((void *)&join->options->worlds, listed->world, 0), listed->players };
        uint32_t                same = 0;
        while (same < checked_count && (checked[same].world != room.world || checked[same].players != room.players)) {
            same++;
        }
        if (room.world == NULL || same < checked_count) {
            continue;
        }
        checked[checked_count++] = room;
        if (!check_against(join, &room, listed->tick_rate_hz)) {
            join->code = (int)tp_verdict_worst((tp_verdict)join->code, TP_USAGE);
            return false;
        }
    }
    return true;
}

bool join_make_members(Join *join)
{
    const JoinOptions *options = join->options;
    uint32_t          *chosen = calloc((size_t)join->room_count + options->room_count + 1, sizeof(*chosen));
    uint32_t           count = chosen == NULL ? 0 : choose_rooms(join, chosen);
    bool               is_fine = count > 0 && check_ports(join, chosen, count) && check_inputs(join, chosen, count);
    if ((uint64_t)count * options->clients > JOIN_MEMBERS_MAX) {
        join_fail(join, TP_USAGE, "%u clients in %u rooms: %d memberships are the most", options->clients, count, JOIN_MEMBERS_MAX);
        is_fine = false;
    } else if (chosen == NULL || (is_fine && !make_members(join, chosen, count))) {
        join_fail(join, TP_INTERNAL, "out of memory");
        is_fine = false;
    }
    free(chosen);
    return is_fine;
}

// join_admin.c: one request of an administrator, and the server's answer.
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "join.h"
#include "message.h"
#include "textout.h"

enum { COOKIE = 1 }; // of the only request

// A command's name and fields as an element of a row's "commands", for those who read these. NULL: said so.
static cJSON *command_object(Join *join)
{
    const JoinAdmin *admin = join->options->admin;
    tp_error         error;
    int              line = 1;
    cJSON           *object = cJSON_CreateObject();
    cJSON           *fields = admin->fields != NULL ? jsonin_parse(admin->fields, strlen(admin->fields), &line, &error) : NULL;
    if (admin->fields != NULL && fields == NULL) {
        join_fail(join, TP_USAGE, "command '%s': its fields: %s", admin->command, error.text);
        cJSON_Delete(object);
        return NULL;
    }
    bool is_hex = fields != NULL && jsonin_is_text(fields);
    bool is_whole = object != NULL && cJSON_AddStringToObject(object, "type", admin->command) != NULL &&
                    cJSON_AddStringToObject(object, "source", "host") != NULL &&
                    (fields == NULL || cJSON_AddItemToObject(object, is_hex ? "hex" : "fields", fields));
    if (!is_whole) {
        join_fail(join, TP_INTERNAL, "out of memory");
        cJSON_Delete(object);
        return NULL;
    }
    return object;
}

// The canonical bytes of the command, by the table of the room's world. False: said so.
static bool read_command(Join *join, const tp_client_listed *room, tp_command *command)
{
    tp_error        error = { "out of memory" };
    const tp_world *world = worlds_search((void *)&join->options->worlds, room->world, 0);
    tp_setup        setup = { .players = room->players, .tick_rate_hz = room->tick_rate_hz };
    if (world == NULL) {
        join_fail(join, TP_INCOMPATIBLE, "room '%s': its world '%s' is not here, so its commands are not known; give --world", room->name, room->world);
        return false;
    }
    cJSON     *object = command_object(join);
    tp_layout *layout = object != NULL ? calloc(1, sizeof(*layout)) : NULL;
    bool       is_fine = layout != NULL && tp_layout_init(layout, world, &setup, &error) && rowjson_read_command(layout, object, &join->row, &error);
    if (object != NULL && !is_fine) {
        join_fail(join, TP_USAGE, "room '%s': command: %s; 'tickproof worlds -v %s' lists them", room->name, error.text, room->world);
    }
    if (is_fine) {
        *command = join->row.commands[0];
    }
    free(layout);
    cJSON_Delete(object);
    return is_fine;
}

static bool send_request(Join *join, const tp_client_listed *room)
{
    const JoinAdmin *admin = join->options->admin;
    tp_command       command = { .type = 0, .data = (const uint8_t *)admin->note, .size = admin->note != NULL ? (uint16_t)strlen(admin->note) : 0 };
    if (admin->verb == TP_CLIENT_COMMAND && !read_command(join, room, &command)) {
        return false;
    }
    uint64_t value = admin->verb == TP_CLIENT_COMMAND ? command.type : admin->value;
    if (command.size > MESSAGE_COMMAND_MAX || !tp_client_admin(join->connections[0]->link.client, room->room, admin->key, admin->verb, admin->slot, value,
                                                               command.data, command.size, COOKIE)) {
        join_fail(join, TP_USAGE, "room '%s': %s: more than fits one message, %d bytes; give less", room->name, admin->verb_name, MESSAGE_COMMAND_MAX);
        return false;
    }
    return true;
}

void join_admin_ask(Join *join)
{
    const JoinAdmin        *admin = join->options->admin;
    const tp_client_listed *room = join_find_listed(join, admin->room);
    if (room == NULL) {
        join_fail(join, TP_USAGE, "%s: there is no room '%s'; --list shows those that are there", join->options->place, admin->room);
    } else if (send_request(join, room)) {
        join->is_asked = true;
        return;
    }
    client_link_close(&join->connections[0]->link);
}

static void print_answer(FILE *out, const Join *join, const tp_client_event *event)
{
    const JoinAdmin *admin = join->options->admin;
    if (join->options->is_json) {
        fputc('{', out);
        textout_json_member(out, true, "room", admin->room);
        textout_json_member(out, false, "verb", admin->verb_name);
        textout_bool_member(out, false, "done", event->is_done);
        textout_u64_member(out, false, "tick", event->tick);
        textout_json_member(out, false, "text", event->text);
        textout_u64_member(out, false, "exit", event->is_done ? TP_VERIFIED : TP_USAGE);
        fputs("}\n", out);
        return;
    }
    fprintf(out, "%s: tick %llu: %s: ", admin->room, (unsigned long long)event->tick, admin->verb_name);
    textout_safe(out, event->text[0] != '\0' ? event->text : "done", event->text[0] != '\0' ? strlen(event->text) : strlen("done"));
    fputc('\n', out);
}

void join_admin_answered(Join *join, const tp_client_event *event)
{
    const JoinAdmin *admin = join->options->admin;
    if (event->cookie != COOKIE || join->is_answered) {
        return;
    }
    join->is_answered = true;
    if (event->is_done || join->options->is_json) {
        print_answer(stdout, join, event);
    }
    if (!event->is_done) {
        join_fail(join, TP_USAGE, "room '%s': %s: %s", admin->room, admin->verb_name, event->text);
    }
    client_link_close(&join->connections[0]->link);
}

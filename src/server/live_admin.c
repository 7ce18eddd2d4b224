// live_admin.c: what is said in a room, and what administrators do. All of it is in the log: as notes, as commands in rows, or as the slots that
// are absent from a tick on. When the room steps is in no log: time is nothing that a world knows of.
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "room_live.h"

static void note(Room *room, const char *text)
{
    if (server_log_is_open(&room->log) && !room->is_log_failed) {
        server_log_note(&room->log, text, strlen(text));
    }
}

// Bytes of the character of UTF-8 that begins here; 0: none does.
static size_t character_size(const uint8_t *bytes, size_t left)
{
    uint8_t lead = bytes[0];
    // What the byte after the lead may be is narrower where an encoding would be too long, a surrogate or too high.
    uint8_t low = lead == 0xE0 ? 0xA0 : lead == 0xF0 ? 0x90 : 0x80;
    uint8_t high = lead == 0xED ? 0x9F : lead == 0xF4 ? 0x8F : 0xBF;
    size_t  size = lead < 0x80 ? 1 : lead >= 0xC2 && lead <= 0xDF ? 2 : lead >= 0xE0 && lead <= 0xEF ? 3 : lead >= 0xF0 && lead <= 0xF4 ? 4 : 0;
    if (size > left || (size > 1 && (bytes[1] < low || bytes[1] > high))) {
        return 0;
    }
    for (size_t i = 2; i < size; i++) {
        if ((bytes[i] & 0xC0) != 0x80) {
            return 0;
        }
    }
    return size;
}

static bool is_control(const uint8_t *character, size_t size)
{
    return size == 0 || (size == 1 && (character[0] < 0x20 || character[0] == 0x7F)) || (size == 2 && character[0] == 0xC2 && character[1] < 0xA0);
}

// What the log would not take, it would not have: so this makes UTF-8 of everything.
void live_line_of(const uint8_t *bytes, size_t size, char *line, size_t capacity)
{
    size_t count = 0;
    for (size_t at = 0; at < size;) {
        size_t one = character_size(bytes + at, size - at);
        bool   is_odd = is_control(bytes + at, one);
        size_t wanted = is_odd ? 1 : one;
        if (count + wanted >= capacity) {
            break;
        }
        if (is_odd) {
            line[count] = '?';
        } else {
            memcpy(line + count, bytes + at, one);
        }
        count += wanted;
        at += one > 0 ? one : 1;
    }
    line[count] = '\0';
}

void live_chat(Room *room, Member *member, const Message *message)
{
    int64_t share_ns = 1000000000 / SERVER_CHATS_PER_SECOND;
    if (member->stage == MEMBER_RESERVED || !live_take_share(&member->chat_ns, room->host->now_ns(room->host->to), share_ns, SERVER_CHATS_PER_SECOND)) {
        return; // it said too much a moment ago
    }
    char     line[MESSAGE_CHAT_MAX + 1];
    char     text[MESSAGE_CHAT_MAX + 32];
    uint32_t slot = live_first_slot(member);
    live_line_of((const uint8_t *)message->body.chat.text.text, message->body.chat.text.size, line, sizeof(line));
    if (slot == TP_SOURCE_HOST) {
        snprintf(text, sizeof(text), "watcher: %s", line);
    } else {
        snprintf(text, sizeof(text), "slot %u: %s", slot, line);
    }
    room->result.live.chats += 1;
    note(room, text);
    room_post_chat(room, SERVER_EVENT_ROOM_CHAT, slot, line);
    live_say(room, slot < MESSAGE_SLOTS_MAX ? (uint8_t)slot : MESSAGE_SLOT_NOBODY, line);
}

// What an administrator did is said, noted and told.
__attribute__((format(printf, 3, 4))) static bool did(Room *room, char *text, const char *format, ...)
{
    va_list arguments;
    char    line[MESSAGE_TEXT_MAX + 16];
    va_start(arguments, format);
    vsnprintf(text, MESSAGE_TEXT_MAX + 1, format, arguments);
    va_end(arguments);
    snprintf(line, sizeof(line), "administrator: %s", text);
    note(room, line);
    room_post(room, SERVER_EVENT_ROOM_ADMIN, 0, text);
    return true;
}

__attribute__((format(printf, 2, 3))) static bool cannot(char *text, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, MESSAGE_TEXT_MAX + 1, format, arguments);
    va_end(arguments);
    return false;
}

static bool kick(Room *room, uint32_t slot, char *text)
{
    RoomLive *live = room->live;
    if (slot >= live->players || (live->slots[slot].owner == NULL && live->slots[slot].seat == NULL)) {
        return cannot(text, "nobody is in slot %u", slot);
    }
    if (live->slots[slot].owner != NULL) {
        live_leave(live->slots[slot].owner, MESSAGE_REASON_KICKED, "an administrator put this client out");
    } else {
        live_drop_seat_of(room, slot, "kicked");
    }
    return did(room, text, "slot %u was put out", slot);
}

static bool hold(Room *room, char *text)
{
    RoomLive *live = room->live;
    if (live->is_held && live->steps == 0) {
        return cannot(text, "the room is paused already");
    }
    live->is_held = true;
    live->steps = 0;
    room_pause(room, "an administrator has paused it");
    room->host->clock_changed(room->host->to, room);
    return did(room, text, "paused before tick %" PRIu64, tp_sim_tick(room->sim));
}

static bool let_go(Room *room, char *text)
{
    RoomLive *live = room->live;
    if (!live->is_held) {
        return cannot(text, "no administrator has paused the room");
    }
    live->is_held = false;
    live->steps = 0;
    live_resync_reported(room);
    room->host->clock_changed(room->host->to, room);
    return did(room, text, "resumed before tick %" PRIu64 "%s", tp_sim_tick(room->sim), live->is_paused ? ", as soon as somebody is there" : "");
}

static bool step(Room *room, uint64_t ticks, char *text)
{
    RoomLive *live = room->live;
    if (!live->is_held) {
        return cannot(text, "the room is not paused: pause it first");
    }
    live->steps += (uint32_t)ticks;
    live->steps = live->steps < SERVER_STEP_MAX ? live->steps : SERVER_STEP_MAX;
    room->host->clock_changed(room->host->to, room);
    return did(room, text, "steps %u tick%s from tick %" PRIu64, live->steps, live->steps == 1 ? "" : "s", tp_sim_tick(room->sim));
}

static bool set_speed(Room *room, uint64_t speed, char *text)
{
    room->live->speed = (uint32_t)speed;
    live_fit_needs(room);
    room->host->clock_changed(room->host->to, room);
    live_say_pace(room, NULL);
    return did(room, text, "steps %u ticks a second from tick %" PRIu64, live_rate_hz(room), tp_sim_tick(room->sim));
}

static const char *check_command(const tp_record_type *type, const uint8_t *bytes, size_t size, void *native)
{
    if (type->field_count == 0) {
        return size <= type->size_max ? NULL : "its bytes are more than this command takes";
    }
    if (size != tp_record_size(type)) {
        return "its bytes are not as many as this command has";
    }
    return tp_record_decode(type, bytes, native, NULL) ? NULL : "a value is out of its range";
}

// The world's own range checks run on the row; what would be refused there is refused here, before it is anybody's tick.
static bool add_command(Room *room, uint64_t type, const uint8_t *bytes, size_t size, char *text)
{
    RoomLive       *live = room->live;
    const tp_world *world = live->options.world;
    if (type >= world->command_count) {
        return cannot(text, "world '%s' has no command number %" PRIu64, world->name, type);
    }
    if (live->command_count == SERVER_COMMANDS_WAITING) {
        return cannot(text, "%d commands wait for the next tick already", SERVER_COMMANDS_WAITING);
    }
    if (live->commands == NULL) {
        live->commands = calloc(SERVER_COMMANDS_WAITING, sizeof(*live->commands));
    }
    const tp_record_type *record = &world->commands[type];
    void                 *native = calloc(1, record->struct_size + 1);
    const char           *wrong = native == NULL || live->commands == NULL ? "the server is out of memory" : check_command(record, bytes, size, native);
    free(native);
    if (wrong != NULL) {
        return cannot(text, "command '%s': %s", record->name, wrong);
    }
    LiveCommand *command = &live->commands[live->command_count++];
    command->type = (uint16_t)type;
    command->size = (uint16_t)size;
    memcpy(command->bytes, bytes, size);
    room->result.live.commands += 1;
    return did(room, text, "command '%s' for tick %" PRIu64, record->name, tp_sim_tick(room->sim));
}

// All of it goes into the log; the answer and the event have what fits them.
static bool add_note(Room *room, const uint8_t *bytes, size_t size, char *text)
{
    static const char who[] = "administrator: ";
    char              line[sizeof(who) + MESSAGE_COMMAND_MAX];
    memcpy(line, who, sizeof(who) - 1);
    live_line_of(bytes, size, line + sizeof(who) - 1, sizeof(line) - sizeof(who) + 1);
    note(room, line);
    room_post(room, SERVER_EVENT_ROOM_ADMIN, 0, line + sizeof(who) - 1);
    snprintf(text, MESSAGE_TEXT_MAX + 1, "noted before tick %" PRIu64, tp_sim_tick(room->sim));
    return true;
}

bool live_admin(Room *room, const Message *message, char text[MESSAGE_TEXT_MAX + 1])
{
    uint64_t       value = message->body.admin.value;
    const uint8_t *bytes = message->body.admin.bytes;
    size_t         size = message->body.admin.size;
    if (room->result.state != SERVER_ROOM_RUNNING) {
        return cannot(text, "the room is over");
    }
    switch ((MessageVerb)message->body.admin.verb) {
    case MESSAGE_VERB_KICK: return kick(room, message->body.admin.slot, text);
    case MESSAGE_VERB_PAUSE: return hold(room, text);
    case MESSAGE_VERB_RESUME: return let_go(room, text);
    case MESSAGE_VERB_STEP: return step(room, value, text);
    case MESSAGE_VERB_SPEED: return set_speed(room, value, text);
    case MESSAGE_VERB_COMMAND: return add_command(room, value, bytes, size, text);
    case MESSAGE_VERB_NOTE: return add_note(room, bytes, size, text);
    case MESSAGE_VERB_END:
        room->live->is_ending = true;
        did(room, text, "ended at tick %" PRIu64, tp_sim_tick(room->sim));
        room->host->clock_changed(room->host->to, room);
        return true;
    }
    return cannot(text, "no such verb");
}

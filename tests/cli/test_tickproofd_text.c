#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "tickproofd_text.h"

enum { TIME_MS = 1234 }; // 1.234 s into 1970

// Valid until the next call.
static const char *print(const ServerEvent *event, bool is_json, int64_t time_ms)
{
    static char   text[4096];
    TickproofdLog log = { .out = fmemopen(text, sizeof(text), "w"), .is_json = is_json, .stop_ms = 1500 };
    memset(text, 0, sizeof(text));
    tickproofd_print_event(&log, event, time_ms);
    fclose(log.out);
    return text;
}

static void expect(const ServerEvent *event, bool is_json, const char *wanted)
{
    cr_assert_str_eq(print(event, is_json, TIME_MS), wanted);
}

static ServerEvent room_event(ServerEventKind kind, uint64_t value, const char *text)
{
    ServerEvent event = { .kind = kind, .is_room = true, .elapsed_ns = 5000, .tick = 120, .value = value };
    strcpy(event.room, "arena");
    strcpy(event.world, "runner");
    strcpy(event.text, text);
    return event;
}

static ServerEvent own_event(ServerEventKind kind, uint64_t value, const char *text)
{
    ServerEvent event = { .kind = kind, .elapsed_ns = 5000, .value = value };
    strcpy(event.text, text);
    return event;
}

#define START(name, level) "{\"event\":\"" name "\",\"time\":\"1970-01-01T00:00:01.234Z\",\"level\":\"" level "\",\"elapsed_us\":5"
#define ROOM ",\"room\":\"arena\",\"world\":\"runner\",\"tick\":120"

Test(tickproofd_text, listening)
{
    ServerEvent event = own_event(SERVER_EVENT_LISTENING, 7777, "127.0.0.1:7777");
    expect(&event, false, "tickproofd: listening on 127.0.0.1:7777\n");
    expect(&event, true, START("server.listening", "info") ",\"address\":\"127.0.0.1:7777\",\"port\":7777}\n");
}

Test(tickproofd_text, clients)
{
    ServerEvent event = own_event(SERVER_EVENT_CLIENTS, 5, "malformed 3, silent 2");
    expect(&event, false, "tickproofd: 5 connections ended: malformed 3, silent 2\n");
    expect(&event, true, START("server.clients", "warning") ",\"ended\":5,\"message\":\"malformed 3, silent 2\"}\n");
}

Test(tickproofd_text, join_and_leave)
{
    ServerEvent event = room_event(SERVER_EVENT_ROOM_JOIN, 3, "10.0.0.9:4001");
    expect(&event, false, "tickproofd: room arena: tick 120: slot 3 taken: 10.0.0.9:4001\n");
    expect(&event, true, START("room.join", "info") ROOM ",\"slot\":3,\"message\":\"10.0.0.9:4001\"}\n");
    event = room_event(SERVER_EVENT_ROOM_LEAVE, 3, "slow");
    expect(&event, false, "tickproofd: room arena: tick 120: slot 3 left: slow\n");
    expect(&event, true, START("room.leave", "info") ROOM ",\"slot\":3,\"message\":\"slow\"}\n");
}

Test(tickproofd_text, paused_and_resumed)
{
    ServerEvent event = room_event(SERVER_EVENT_ROOM_PAUSED, 0, "");
    expect(&event, false, "tickproofd: room arena: tick 120: paused: nobody is there\n");
    expect(&event, true, START("room.paused", "info") ROOM "}\n");
    event = room_event(SERVER_EVENT_ROOM_RESUMED, 0, "");
    expect(&event, false, "tickproofd: room arena: tick 120: resumed\n");
    expect(&event, true, START("room.resumed", "info") ROOM "}\n");
}

Test(tickproofd_text, who_comes_back)
{
    ServerEvent event = room_event(SERVER_EVENT_ROOM_AWAY, 3, "silent");
    expect(&event, false, "tickproofd: room arena: tick 120: slot 3 kept, its connection was lost: silent\n");
    expect(&event, true, START("room.away", "info") ROOM ",\"slot\":3,\"message\":\"silent\"}\n");
    event = room_event(SERVER_EVENT_ROOM_REJOIN, 3, "10.0.0.9:4001");
    expect(&event, false, "tickproofd: room arena: tick 120: slot 3 taken up again: 10.0.0.9:4001\n");
    expect(&event, true, START("room.rejoin", "info") ROOM ",\"slot\":3,\"message\":\"10.0.0.9:4001\"}\n");
}

// Goal: a watcher has no slot, and its number for that is in no line.
Test(tickproofd_text, who_disagrees)
{
    ServerEvent event = room_event(SERVER_EVENT_ROOM_DESYNC, 3, "10.0.0.9:4001, resync");
    expect(&event, false, "tickproofd: room arena: tick 120: slot 3 disagrees: 10.0.0.9:4001, resync\n");
    expect(&event, true, START("room.desync", "error") ROOM ",\"slot\":3,\"message\":\"10.0.0.9:4001, resync\"}\n");
    event.value = TP_SOURCE_HOST;
    expect(&event, false, "tickproofd: room arena: tick 120: who watches disagrees: 10.0.0.9:4001, resync\n");
    event = room_event(SERVER_EVENT_ROOM_BUNDLE, TP_SOURCE_HOST, "players[1].lane in x.desync");
    expect(&event, false, "tickproofd: room arena: tick 120: desync: players[1].lane in x.desync\n");
    expect(&event, true, START("room.bundle", "warning") ROOM ",\"slot\":null,\"message\":\"players[1].lane in x.desync\"}\n");
}

Test(tickproofd_text, why_a_room_pauses)
{
    ServerEvent event = room_event(SERVER_EVENT_ROOM_PAUSED, 0, "an administrator paused it");
    expect(&event, false, "tickproofd: room arena: tick 120: paused: an administrator paused it\n");
    expect(&event, true, START("room.paused", "info") ROOM ",\"message\":\"an administrator paused it\"}\n");
}

Test(tickproofd_text, what_is_said_and_done)
{
    ServerEvent event = room_event(SERVER_EVENT_ROOM_CHAT, 1, "hi\033[2J");
    expect(&event, false, "tickproofd: room arena: tick 120: slot 1 says: hi\\x1b[2J\n");
    expect(&event, true, START("room.chat", "info") ROOM ",\"slot\":1,\"message\":\"hi\\u001b[2J\"}\n");
    event = room_event(SERVER_EVENT_ROOM_ADMIN, 0, "paused");
    expect(&event, false, "tickproofd: room arena: tick 120: administrator: paused\n");
    expect(&event, true, START("room.admin", "info") ROOM ",\"message\":\"paused\"}\n");
}

Test(tickproofd_text, logs_that_go_on)
{
    ServerEvent event = room_event(SERVER_EVENT_ROOM_RECOVERED, 0, "rec/arena.tpr");
    expect(&event, false, "tickproofd: room arena: tick 120: goes on with rec/arena.tpr\n");
    expect(&event, true, START("room.recovered", "info") ROOM ",\"cut_bytes\":0,\"message\":\"rec/arena.tpr\"}\n");
    event.value = 17;
    expect(&event, false, "tickproofd: room arena: tick 120: goes on with rec/arena.tpr, of which 17 bytes at the end were no whole record and are cut off\n");
    expect(&event, true, START("room.recovered", "warning") ROOM ",\"cut_bytes\":17,\"message\":\"rec/arena.tpr\"}\n");
    event = room_event(SERVER_EVENT_RECORD_RESUMED, 1, "");
    expect(&event, false, "tickproofd: room arena: tick 120: recording: it can be written again, without 1 tick\n");
    expect(&event, true, START("room.record_resumed", "warning") ROOM ",\"gap_ticks\":1}\n");
    event = room_event(SERVER_EVENT_RECORD_ROTATED, 0, "rec/arena.2.tpr");
    expect(&event, false, "tickproofd: room arena: tick 120: recording: goes on in rec/arena.2.tpr\n");
    expect(&event, true, START("room.record_rotated", "info") ROOM ",\"message\":\"rec/arena.2.tpr\"}\n");
}

// Goal: no terminal and no line reader acts on what a client or a file's name holds.
Test(tickproofd_text, control_characters_are_shown)
{
    ServerEvent event = room_event(SERVER_EVENT_ROOM_LEAVE, 0, "bye\n\033[31m");
    expect(&event, false, "tickproofd: room arena: tick 120: slot 0 left: bye\\x0a\\x1b[31m\n");
    expect(&event, true, START("room.leave", "info") ROOM ",\"slot\":0,\"message\":\"bye\\u000a\\u001b[31m\"}\n");
    event = room_event(SERVER_EVENT_RECORD_FAILED, 0, "no\007space");
    event.path = "a\033.tpr";
    expect(&event, false, "tickproofd: a\\x1b.tpr: room arena: tick 120: recording: no\\x07space\n");
}

// Goal: what is no UTF-8, and what some terminals take for a control all the same, is shown as bytes; other letters come out as they are.
Test(tickproofd_text, bytes_that_are_no_text_are_shown)
{
    ServerEvent event = room_event(SERVER_EVENT_ROOM_LEAVE, 0, "\xff \xc2\x9b \xc3 \xed\xa0\x80 \xc3\xa9");
    expect(&event, false, "tickproofd: room arena: tick 120: slot 0 left: \\xff \\xc2\\x9b \\xc3 \\xed\\xa0\\x80 \xc3\xa9\n");
}

Test(tickproofd_text, a_live_room_that_ends_by_itself)
{
    ServerEvent event = room_event(SERVER_EVENT_ROOM_DONE, 120, "");
    event.has_verdict = true;
    expect(&event, false, "tickproofd: room arena: tick 120: ended\n");
    event.kind = SERVER_EVENT_ROOM_STOPPED;
    expect(&event, false, "");
    event.kind = SERVER_EVENT_ROOM_DONE;
    event.path = "a.tpr";
    expect(&event, false, "");
}

Test(tickproofd_text, lines_that_were_dropped)
{
    char          text[512] = "";
    TickproofdLog log = { .out = fmemopen(text, sizeof(text), "w") };
    tickproofd_print_dropped(&log, 1, 5000, TIME_MS);
    tickproofd_print_dropped(&log, 7, 5000, TIME_MS);
    log.is_json = true;
    tickproofd_print_dropped(&log, 7, 5000, TIME_MS);
    fclose(log.out);
    cr_assert_str_eq(text, "tickproofd: 1 line of this log dropped: they came faster than they were read\n"
                           "tickproofd: 7 lines of this log dropped: they came faster than they were read\n"
                           START("server.log_dropped", "warning") ",\"lines\":7}\n");
}

Test(tickproofd_text, overdue_says_how_long)
{
    ServerEvent event = own_event(SERVER_EVENT_OVERDUE, 2, "");
    expect(&event, false, "tickproofd: stopping: 2 threads not done after 1500 ms: logs of rooms there have no END\n");
}

static const char *level_of(ServerEventKind kind, tp_verdict verdict)
{
    static char level[16];
    ServerEvent event = room_event(kind, 0, "");
    event.has_verdict = true;
    event.verdict = verdict;
    sscanf(strstr(print(&event, true, 0), "\"level\":\"") + 9, "%15[a-z]", level);
    return level;
}

Test(tickproofd_text, level_follows_the_verdict)
{
    cr_assert_str_eq(level_of(SERVER_EVENT_ROOM_DONE, TP_VERIFIED), "info");
    cr_assert_str_eq(level_of(SERVER_EVENT_ROOM_DONE, TP_TRUNCATED), "warning");
    cr_assert_str_eq(level_of(SERVER_EVENT_ROOM_DONE, TP_CORRUPT), "error");
    cr_assert_str_eq(level_of(SERVER_EVENT_ROOM_DIVERGED, TP_DIVERGED), "error");
    cr_assert_str_eq(level_of(SERVER_EVENT_ROOM_REFUSED, TP_TRUNCATED), "error");
    cr_assert_str_eq(level_of(SERVER_EVENT_ROOM_STOPPED, TP_INCOMPLETE), "info");
    cr_assert_str_eq(level_of(SERVER_EVENT_ROOM_FAULT, TP_INCOMPLETE), "error");
    cr_assert_str_eq(level_of(SERVER_EVENT_ROOM_FAULT, TP_VERIFIED), "info");
}

// Goal: every kind of event has a name, and says something that is one line.
Test(tickproofd_text, every_kind_is_at_most_one_line)
{
    for (int kind = SERVER_EVENT_START; kind <= SERVER_EVENT_STOP; kind++) {
        ServerEvent event = room_event((ServerEventKind)kind, 1, "a\nb");
        event.has_verdict = true;
        event.verdict = TP_CORRUPT;
        for (int is_json = 0; is_json <= 1; is_json++) {
            const char *text = print(&event, is_json != 0, 1767225599999);
            const char *end = strchr(text, '\n');
            cr_assert(end == NULL ? text[0] == '\0' && !is_json : end[1] == '\0', "kind %d: %s", kind, text);
            cr_assert_null(strstr(text, "server.unknown"));
            cr_assert(!is_json || strstr(text, "\"time\":\"2025-12-31T23:59:59.999Z\"") != NULL);
        }
    }
}

// tickproofd_text.c: events in words.
#include "tickproofd_text.h"

#include <inttypes.h>
#include <string.h>
#include <time.h>

#include "textout.h"

// What somebody can do about a verdict, as the end of a line.
static const char *advice_of(tp_verdict verdict)
{
    switch (verdict) {
    case TP_DIVERGED: return ": 'tickproof verify' and 'tickproof dump' show more";
    case TP_CORRUPT:
    case TP_UNAUTHENTIC: return ": get another copy of the file";
    case TP_TRUNCATED: return ": 'tickproof info' shows what is left";
    case TP_UNVERIFIABLE: return ": record it again with roots";
    case TP_VERIFIED:
    case TP_USAGE:
    case TP_INCOMPLETE:
    case TP_INCOMPATIBLE:
    case TP_INTERNAL: return "";
    }
    return "";
}

static const char *plural(uint64_t count)
{
    return count == 1 ? "" : "s";
}

static void print_safe(FILE *out, const char *text)
{
    textout_safe(out, text, strlen(text));
}

static void print_place(FILE *out, const ServerEvent *event)
{
    fputs("tickproofd: ", out);
    if (event->path != NULL) {
        print_safe(out, event->path);
        fputs(": ", out);
    }
    if (event->is_room) {
        fputs("room ", out);
        print_safe(out, event->room);
        fputs(": ", out);
    }
}

// The start of a line about a tick of a room.
static void print_tick(FILE *out, const ServerEvent *event)
{
    print_place(out, event);
    fprintf(out, "tick %" PRIu64, event->tick);
}

// "120: slot 3 away: ": what happened to whom. A watcher has no slot.
static void print_slot(FILE *out, const ServerEvent *event, const char *what)
{
    print_tick(out, event);
    if (event->value == TP_SOURCE_HOST) {
        fprintf(out, ": who watches %s: ", what);
    } else {
        fprintf(out, ": slot %" PRIu64 " %s: ", event->value, what);
    }
    print_safe(out, event->text);
    fputc('\n', out);
}

static void print_recovered(FILE *out, const ServerEvent *event)
{
    print_tick(out, event);
    fputs(": goes on with ", out);
    print_safe(out, event->text);
    if (event->value > 0) {
        fprintf(out, ", of which %" PRIu64 " byte%s at the end were no whole record and are cut off", event->value, plural(event->value));
    }
    fputc('\n', out);
}

// What a record of its own does.
static void print_recording(FILE *out, const ServerEvent *event)
{
    print_tick(out, event);
    fputs(event->kind == SERVER_EVENT_RECORD_ROTATED ? ": recording: goes on in " : ": recording: ", out);
    if (event->kind == SERVER_EVENT_RECORD_RESUMED) {
        fprintf(out, "it can be written again, without %" PRIu64 " tick%s%s", event->value, plural(event->value), event->text[0] != '\0' ? ": " : "");
    }
    print_safe(out, event->text);
    fputc('\n', out);
}

static void print_last(FILE *out, const ServerEvent *event)
{
    bool is_live = event->path == NULL;
    if (event->verdict == TP_VERIFIED && event->kind == SERVER_EVENT_ROOM_DONE && is_live) {
        print_tick(out, event); // it ended by itself, while others go on
        fprintf(out, ": ended%s", event->text[0] != '\0' ? ": " : "");
        print_safe(out, event->text);
        fputc('\n', out);
    }
    if (event->verdict == TP_VERIFIED) {
        return;
    }
    print_place(out, event);
    if (event->verdict == TP_CORRUPT || event->verdict == TP_TRUNCATED || event->verdict == TP_UNAUTHENTIC) {
        fprintf(out, "offset %" PRIu64 ": ", event->offset);
    }
    fprintf(out, "%s: ", tp_verdict_name(event->verdict));
    print_safe(out, event->text);
    fprintf(out, "%s\n", advice_of(event->verdict));
}

static void print_text(const TickproofdLog *log, const ServerEvent *event)
{
    FILE *out = log->out;
    switch (event->kind) {
    case SERVER_EVENT_START:
        fprintf(out, "tickproofd: %" PRIu64 " room%s on %" PRIu64 " thread%s%s", event->tick, plural(event->tick), event->value,
                plural(event->value), event->text[0] != '\0' ? ": " : "");
        print_safe(out, event->text);
        fputc('\n', out);
        break;
    case SERVER_EVENT_LISTENING:
        fputs("tickproofd: listening on ", out);
        print_safe(out, event->text);
        fputc('\n', out);
        break;
    case SERVER_EVENT_CLIENTS:
        fprintf(out, "tickproofd: %" PRIu64 " connection%s ended: ", event->value, plural(event->value));
        print_safe(out, event->text);
        fputc('\n', out);
        break;
    case SERVER_EVENT_ROOM_JOIN: print_slot(out, event, "taken"); break;
    case SERVER_EVENT_ROOM_LEAVE: print_slot(out, event, "left"); break;
    case SERVER_EVENT_ROOM_REJOIN: print_slot(out, event, "taken up again"); break;
    case SERVER_EVENT_ROOM_AWAY: print_slot(out, event, "kept, its connection was lost"); break;
    case SERVER_EVENT_ROOM_DESYNC: print_slot(out, event, "disagrees"); break;
    case SERVER_EVENT_ROOM_BUNDLE:
        print_tick(out, event);
        fputs(": desync: ", out); // the text says who it was
        print_safe(out, event->text);
        fputc('\n', out);
        break;
    case SERVER_EVENT_ROOM_CHAT: print_slot(out, event, "says"); break;
    case SERVER_EVENT_ROOM_ADMIN:
        print_tick(out, event);
        fputs(": administrator: ", out);
        print_safe(out, event->text);
        fputc('\n', out);
        break;
    case SERVER_EVENT_ROOM_RECOVERED: print_recovered(out, event); break;
    case SERVER_EVENT_ROOM_ANEW:
        print_tick(out, event);
        fputs(": begins anew, in a new log, and leaves one of before that has no END as it is: ", out);
        print_safe(out, event->text);
        fputc('\n', out);
        break;
    case SERVER_EVENT_RECORD_NOT_ROTATED:
        print_tick(out, event);
        fputs(": the next file of its log could not be made: ", out);
        print_safe(out, event->text);
        fputc('\n', out);
        break;
    case SERVER_EVENT_ROOM_PAUSED:
        print_tick(out, event);
        fputs(": paused: ", out);
        print_safe(out, event->text[0] != '\0' ? event->text : "nobody is there");
        fputc('\n', out);
        break;
    case SERVER_EVENT_ROOM_RESUMED:
        print_tick(out, event);
        fputs(": resumed\n", out);
        break;
    case SERVER_EVENT_ROOM_LATE:
        print_tick(out, event);
        fprintf(out, ": %" PRIu64 " tick%s could not be caught up with: the room runs late by so much\n", event->value, plural(event->value));
        break;
    case SERVER_EVENT_ROOM_STATUS:
        print_tick(out, event);
        fprintf(out, ", durable below %" PRIu64 "%s", event->value, event->text[0] != '\0' ? ", " : "");
        print_safe(out, event->text);
        fputc('\n', out);
        break;
    case SERVER_EVENT_RECORD_FAILED:
    case SERVER_EVENT_RECORD_RESUMED:
    case SERVER_EVENT_RECORD_ROTATED: print_recording(out, event); break;
    case SERVER_EVENT_ROOM_DONE:
    case SERVER_EVENT_ROOM_DIVERGED:
    case SERVER_EVENT_ROOM_FAULT:
    case SERVER_EVENT_ROOM_REFUSED:
    case SERVER_EVENT_ROOM_STOPPED: print_last(out, event); break;
    case SERVER_EVENT_STOPPING: fputs("tickproofd: stopping: rooms finish their logs; a second signal leaves at once\n", out); break;
    case SERVER_EVENT_OVERDUE:
        fprintf(out, "tickproofd: stopping: %" PRIu64 " thread%s not done after %u ms: logs of rooms there have no END\n", event->value,
                plural(event->value), log->stop_ms);
        break;
    case SERVER_EVENT_STOP:
        if (event->value > 0) {
            fprintf(out, "tickproofd: %" PRIu64 " event%s dropped: they came faster than they could be printed\n", event->value,
                    plural(event->value));
        }
        break;
    case SERVER_EVENT_ROOM_OPEN: break;
    }
}

// What `value` means for a kind of event; NULL when nothing.
static const char *value_key(ServerEventKind kind)
{
    switch (kind) {
    case SERVER_EVENT_START: return "threads";
    case SERVER_EVENT_LISTENING: return "port";
    case SERVER_EVENT_CLIENTS: return "ended";
    case SERVER_EVENT_ROOM_JOIN:
    case SERVER_EVENT_ROOM_LEAVE:
    case SERVER_EVENT_ROOM_REJOIN:
    case SERVER_EVENT_ROOM_AWAY:
    case SERVER_EVENT_ROOM_DESYNC:
    case SERVER_EVENT_ROOM_BUNDLE:
    case SERVER_EVENT_ROOM_CHAT: return "slot";
    case SERVER_EVENT_RECORD_RESUMED: return "gap_ticks";
    case SERVER_EVENT_ROOM_RECOVERED: return "cut_bytes";
    case SERVER_EVENT_ROOM_LATE: return "dropped";
    case SERVER_EVENT_ROOM_STATUS: return "durable_tick";
    case SERVER_EVENT_ROOM_DONE:
    case SERVER_EVENT_ROOM_DIVERGED:
    case SERVER_EVENT_ROOM_FAULT:
    case SERVER_EVENT_ROOM_REFUSED:
    case SERVER_EVENT_ROOM_STOPPED: return "ticks";
    case SERVER_EVENT_OVERDUE: return "threads";
    case SERVER_EVENT_STOP: return "events_dropped";
    case SERVER_EVENT_ROOM_PAUSED:
    case SERVER_EVENT_ROOM_RESUMED:
    case SERVER_EVENT_ROOM_OPEN:
    case SERVER_EVENT_RECORD_FAILED:
    case SERVER_EVENT_RECORD_NOT_ROTATED:
    case SERVER_EVENT_ROOM_ANEW:
    case SERVER_EVENT_RECORD_ROTATED:
    case SERVER_EVENT_ROOM_ADMIN:
    case SERVER_EVENT_STOPPING: return NULL;
    }
    return NULL;
}

// How much a verdict is worth waking somebody for. A room that was stopped is no news, whatever it had not checked by then.
static const char *level_of_verdict(const ServerEvent *event)
{
    switch (event->verdict) {
    case TP_VERIFIED: return "info";
    case TP_TRUNCATED:
    case TP_UNVERIFIABLE: return "warning";
    case TP_INCOMPLETE: return event->kind == SERVER_EVENT_ROOM_STOPPED ? "info" : event->kind == SERVER_EVENT_ROOM_FAULT ? "error" : "warning";
    case TP_DIVERGED:
    case TP_USAGE:
    case TP_CORRUPT:
    case TP_INCOMPATIBLE:
    case TP_UNAUTHENTIC:
    case TP_INTERNAL: return "error";
    }
    return "error";
}

static const char *level_of(const ServerEvent *event)
{
    switch (event->kind) {
    case SERVER_EVENT_ROOM_DONE:
    case SERVER_EVENT_ROOM_DIVERGED:
    case SERVER_EVENT_ROOM_FAULT:
    case SERVER_EVENT_ROOM_STOPPED: return level_of_verdict(event);
    case SERVER_EVENT_ROOM_REFUSED:
    case SERVER_EVENT_RECORD_FAILED:
    case SERVER_EVENT_ROOM_DESYNC:
    case SERVER_EVENT_OVERDUE: return "error";
    case SERVER_EVENT_CLIENTS:
    case SERVER_EVENT_ROOM_BUNDLE:
    case SERVER_EVENT_ROOM_ANEW:
    case SERVER_EVENT_RECORD_NOT_ROTATED:
    case SERVER_EVENT_RECORD_RESUMED:
    case SERVER_EVENT_ROOM_LATE: return "warning";
    case SERVER_EVENT_ROOM_RECOVERED:
    case SERVER_EVENT_STOP: return event->value > 0 ? "warning" : "info";
    case SERVER_EVENT_START:
    case SERVER_EVENT_LISTENING:
    case SERVER_EVENT_ROOM_JOIN:
    case SERVER_EVENT_ROOM_LEAVE:
    case SERVER_EVENT_ROOM_PAUSED:
    case SERVER_EVENT_ROOM_RESUMED:
    case SERVER_EVENT_ROOM_OPEN:
    case SERVER_EVENT_ROOM_STATUS:
    case SERVER_EVENT_ROOM_REJOIN:
    case SERVER_EVENT_ROOM_AWAY:
    case SERVER_EVENT_ROOM_CHAT:
    case SERVER_EVENT_ROOM_ADMIN:
    case SERVER_EVENT_RECORD_ROTATED:
    case SERVER_EVENT_STOPPING: return "info";
    }
    return "error";
}

static void print_time(FILE *out, int64_t time_ms)
{
    char      text[32];
    struct tm parts;
    time_t    seconds = (time_t)(time_ms / 1000);
    gmtime_r(&seconds, &parts);
    strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%S", &parts);
    textout_key(out, false, "time");
    fprintf(out, "\"%s.%03dZ\"", text, (int)(time_ms % 1000));
}

// What every line begins with.
static void print_json_start(FILE *out, const char *name, const char *level, int64_t elapsed_ns, int64_t time_ms)
{
    fputc('{', out);
    textout_json_member(out, true, "event", name);
    print_time(out, time_ms);
    textout_json_member(out, false, "level", level);
    textout_u64_member(out, false, "elapsed_us", (uint64_t)elapsed_ns / 1000);
}

static void print_json(const TickproofdLog *log, const ServerEvent *event, int64_t time_ms)
{
    FILE       *out = log->out;
    const char *key = value_key(event->kind);
    bool        is_listening = event->kind == SERVER_EVENT_LISTENING;
    print_json_start(out, server_event_name(event->kind), level_of(event), event->elapsed_ns, time_ms);
    if (event->is_room) {
        textout_json_member(out, false, "room", event->room);
        if (event->path != NULL) {
            textout_json_member(out, false, "path", event->path);
        }
        textout_json_member(out, false, "world", event->world);
        textout_u64_member(out, false, "tick", event->tick);
    } else if (event->kind == SERVER_EVENT_START || event->kind == SERVER_EVENT_STOP) {
        textout_u64_member(out, false, "rooms", event->tick);
    }
    if (is_listening) {
        textout_json_member(out, false, "address", event->text);
    }
    if (key != NULL && event->value == TP_SOURCE_HOST && strcmp(key, "slot") == 0) {
        textout_key(out, false, key); // who watches has none
        fputs("null", out);
    } else if (key != NULL) {
        textout_u64_member(out, false, key, event->value);
    }
    if (event->has_verdict) {
        textout_json_member(out, false, "verdict", tp_verdict_name(event->verdict));
    }
    if (event->has_verdict && event->path != NULL) {
        textout_u64_member(out, false, "offset", event->offset);
    }
    if (event->section[0] != '\0') {
        textout_json_member(out, false, "section", event->section);
    }
    if (event->text[0] != '\0' && !is_listening) {
        textout_json_member(out, false, "message", event->text);
    }
    fputs("}\n", out);
}

void tickproofd_print_event(const TickproofdLog *log, const ServerEvent *event, int64_t time_ms)
{
    if (log->is_json) {
        print_json(log, event, time_ms);
    } else {
        print_text(log, event);
    }
    fflush(log->out);
}

void tickproofd_print_dropped(const TickproofdLog *log, uint64_t count, int64_t elapsed_ns, int64_t time_ms)
{
    if (log->is_json) {
        print_json_start(log->out, "server.log_dropped", "warning", elapsed_ns, time_ms);
        textout_u64_member(log->out, false, "lines", count);
        fputs("}\n", log->out);
    } else {
        fprintf(log->out, "tickproofd: %" PRIu64 " line%s of this log dropped: they came faster than they were read\n", count, plural(count));
    }
}

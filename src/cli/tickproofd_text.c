// tickproofd_text.c: events and results in words.
#include "tickproofd_text.h"

#include <inttypes.h>
#include <string.h>

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

static void print_place(FILE *out, const ServerEvent *event)
{
    fputs("tickproofd: ", out);
    if (event->path != NULL) {
        textout_safe(out, event->path, strlen(event->path));
        fprintf(out, ": room %s: ", event->room);
    }
}

static void print_last(FILE *out, const ServerEvent *event)
{
    if (event->verdict == TP_VERIFIED) {
        return;
    }
    print_place(out, event);
    if (event->verdict == TP_CORRUPT || event->verdict == TP_TRUNCATED || event->verdict == TP_UNAUTHENTIC) {
        fprintf(out, "offset %" PRIu64 ": ", event->offset);
    }
    fprintf(out, "%s: ", tp_verdict_name(event->verdict));
    textout_safe(out, event->text, strlen(event->text));
    fprintf(out, "%s\n", advice_of(event->verdict));
}

static void print_text(FILE *out, const ServerEvent *event)
{
    switch (event->kind) {
    case SERVER_EVENT_START:
        fprintf(out, "tickproofd: %" PRIu64 " room%s on %" PRIu64 " thread%s\n", event->tick, plural(event->tick), event->value,
                plural(event->value));
        break;
    case SERVER_EVENT_ROOM_LATE:
        print_place(out, event);
        fprintf(out, "tick %" PRIu64 ": %" PRIu64 " tick%s could not be caught up with: the room runs late by so much\n", event->tick,
                event->value, plural(event->value));
        break;
    case SERVER_EVENT_ROOM_STATUS:
        print_place(out, event);
        fprintf(out, "tick %" PRIu64 ", durable below %" PRIu64 "%s%s\n", event->tick, event->value, event->text[0] != '\0' ? ", " : "",
                event->text);
        break;
    case SERVER_EVENT_RECORD_FAILED:
        print_place(out, event);
        fprintf(out, "tick %" PRIu64 ": recording: %s\n", event->tick, event->text);
        break;
    case SERVER_EVENT_ROOM_DONE:
    case SERVER_EVENT_ROOM_DIVERGED:
    case SERVER_EVENT_ROOM_FAULT:
    case SERVER_EVENT_ROOM_REFUSED:
    case SERVER_EVENT_ROOM_STOPPED: print_last(out, event); break;
    case SERVER_EVENT_STOPPING: fputs("tickproofd: stopping: rooms finish their logs; a second signal leaves at once\n", out); break;
    case SERVER_EVENT_OVERDUE:
        fprintf(out, "tickproofd: stopping: %" PRIu64 " thread%s not done after %d ms: logs of rooms there have no END\n", event->value,
                plural(event->value), SERVER_STOP_MS);
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
    case SERVER_EVENT_ROOM_LATE: return "dropped";
    case SERVER_EVENT_ROOM_STATUS: return "durable_tick";
    case SERVER_EVENT_ROOM_DONE:
    case SERVER_EVENT_ROOM_DIVERGED:
    case SERVER_EVENT_ROOM_FAULT:
    case SERVER_EVENT_ROOM_REFUSED:
    case SERVER_EVENT_ROOM_STOPPED: return "ticks";
    case SERVER_EVENT_OVERDUE: return "threads";
    case SERVER_EVENT_STOP: return "events_dropped";
    case SERVER_EVENT_ROOM_OPEN:
    case SERVER_EVENT_RECORD_FAILED:
    case SERVER_EVENT_STOPPING: return NULL;
    }
    return NULL;
}

static void print_json(FILE *out, const ServerEvent *event)
{
    const char *key = value_key(event->kind);
    bool        is_room = event->path != NULL;
    fputc('{', out);
    textout_json_member(out, true, "event", server_event_name(event->kind));
    textout_u64_member(out, false, "elapsed_us", (uint64_t)event->elapsed_ns / 1000);
    if (is_room) {
        textout_json_member(out, false, "room", event->room);
        textout_json_member(out, false, "path", event->path);
        textout_json_member(out, false, "world", event->world);
        textout_u64_member(out, false, "tick", event->tick);
    } else if (event->kind == SERVER_EVENT_START || event->kind == SERVER_EVENT_STOP) {
        textout_u64_member(out, false, "rooms", event->tick);
    }
    if (key != NULL) {
        textout_u64_member(out, false, key, event->value);
    }
    if (event->has_verdict) {
        textout_json_member(out, false, "verdict", tp_verdict_name(event->verdict));
    }
    if (event->has_verdict && is_room) {
        textout_u64_member(out, false, "offset", event->offset);
    }
    if (event->section[0] != '\0') {
        textout_json_member(out, false, "section", event->section);
    }
    if (event->text[0] != '\0') {
        textout_json_member(out, false, "message", event->text);
    }
    fputs("}\n", out);
}

void tickproofd_print_event(FILE *out, const ServerEvent *event, bool is_json)
{
    if (is_json) {
        print_json(out, event);
    } else {
        print_text(out, event);
    }
    fflush(out);
}

static double seconds_of(int64_t time_ns)
{
    return (double)time_ns / 1e9;
}

static double per_second(uint64_t count, int64_t time_ns)
{
    return time_ns > 0 ? (double)count * 1e9 / (double)time_ns : 0;
}

static void print_row(FILE *out, const ServerRoomResult *result, int name_width)
{
    bool is_real_time = result->pace == SERVER_REAL_TIME;
    const char *world = result->report.world[0] != '\0' ? result->report.world : "-";
    fprintf(out, "%-*s  %-10s %10" PRIu64 " %9.3f %11.0f ", name_width, result->name, world, result->ticks, seconds_of(result->running_ns), per_second(result->ticks, result->running_ns));
    if (is_real_time) {
        fprintf(out, "%10.3f %6" PRIu64 " %8" PRIu64 " %8" PRId64 " %8" PRId64 " %8" PRId64 "  ",
                per_second(result->held_ticks, result->running_ns), result->late_ticks, result->dropped_ticks, result->late_p50_ns / 1000, result->late_p99_ns / 1000, result->late_max_ns / 1000);
    } else {
        fprintf(out, "%10s %6s %8s %8s %8s %8s  ", "-", "-", "-", "-", "-", "-");
    }
    fprintf(out, "%-12s  ", tp_verdict_name(result->report.verdict));
    const char *log = result->log_path[0] != '\0' ? result->log_path : "-";
    textout_safe(out, log, strlen(log));
    fprintf(out, "%s\n", result->log_error[0] != '\0' ? " (incomplete)" : "");
}

static void print_table(FILE *out, const Server *server)
{
    int width = 4;
    for (uint32_t i = 0; i < server_room_count(server); i++) {
        const ServerRoomResult *result = server_room_result(server, i);
        int                     size = result != NULL ? (int)strlen(result->name) : 0;
        width = size > width ? size : width;
    }
    fprintf(out, "%-*s  %-10s %10s %9s %11s %10s %6s %8s %8s %8s %8s  %-12s  %s\n", width, "room", "world", "ticks", "seconds", "ticks/s",
            "held Hz", "late", "dropped", "p50 us", "p99 us", "max us", "verdict", "own log");
    for (uint32_t i = 0; i < server_room_count(server); i++) {
        const ServerRoomResult *result = server_room_result(server, i);
        if (result != NULL) {
            print_row(out, result, width);
        }
    }
}

static void print_json_pace(FILE *out, const ServerRoomResult *result)
{
    bool is_real_time = result->pace == SERVER_REAL_TIME;
    textout_json_member(out, false, "pace", is_real_time ? "real-time" : "as-fast-as-possible");
    textout_u64_member(out, false, "loops", result->loops);
    textout_u64_member(out, false, "ticks", result->ticks);
    fprintf(out, ",\"seconds\":%.6f,\"ticks_per_second\":%.3f", seconds_of(result->running_ns), per_second(result->ticks, result->running_ns));
    if (is_real_time) {
        fprintf(out, ",\"held_hz\":%.6f", per_second(result->held_ticks, result->running_ns));
        textout_u64_member(out, false, "late_ticks", result->late_ticks);
        textout_u64_member(out, false, "dropped_ticks", result->dropped_ticks);
        textout_u64_member(out, false, "hitches", result->hitches);
        fprintf(out, ",\"lateness_p50_us\":%.3f,\"lateness_p99_us\":%.3f,\"lateness_max_us\":%.3f", (double)result->late_p50_ns / 1e3,
                (double)result->late_p99_ns / 1e3, (double)result->late_max_ns / 1e3);
    }
}

static void print_json_room(FILE *out, const ServerRoomResult *result)
{
    const tp_report *report = &result->report;
    fputc('{', out);
    textout_json_member(out, true, "room", result->name);
    textout_json_member(out, false, "path", result->path);
    textout_json_member(out, false, "world", report->world);
    print_json_pace(out, result);
    textout_json_member(out, false, "verdict", tp_verdict_name(report->verdict));
    textout_json_member(out, false, "message", report->message);
    textout_u64_member(out, false, "checked", report->checked);
    textout_u64_member(out, false, "total", report->recorded);
    textout_u64_member(out, false, "offset", report->offset);
    if (report->verdict == TP_DIVERGED) {
        textout_u64_member(out, false, "bad_tick", report->bad_tick);
        textout_json_member(out, false, "section", report->section);
        textout_json_member(out, false, "field", report->field);
    }
    textout_hex_member(out, false, "root", report->final_root, sizeof(report->final_root));
    if (result->log_path[0] != '\0') {
        textout_json_member(out, false, "log", result->log_path);
        textout_u64_member(out, false, "log_bytes", result->log_bytes);
        textout_u64_member(out, false, "durable_tick", result->durable_tick);
    }
    if (result->log_error[0] != '\0') {
        textout_json_member(out, false, "log_error", result->log_error);
    }
    fputc('}', out);
}

static void print_json_results(FILE *out, const Server *server)
{
    tp_verdict verdict = server_verdict(server);
    bool       is_first = true;
    fputs("{\"rooms\":[", out);
    for (uint32_t i = 0; i < server_room_count(server); i++) {
        const ServerRoomResult *result = server_room_result(server, i);
        if (result != NULL) {
            fputs(is_first ? "" : ",", out);
            print_json_room(out, result);
            is_first = false;
        }
    }
    fputc(']', out);
    textout_json_member(out, false, "verdict", tp_verdict_name(verdict));
    textout_u64_member(out, false, "exit", (uint64_t)verdict);
    fputs("}\n", out);
}

void tickproofd_print_results(FILE *out, const Server *server, bool is_json)
{
    if (is_json) {
        print_json_results(out, server);
    } else {
        print_table(out, server);
    }
}

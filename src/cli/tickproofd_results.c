// tickproofd_results.c: what came of the rooms, as tables or as JSON; and what would run.
#include <inttypes.h>
#include <string.h>

#include "textout.h"
#include "tickproofd_text.h"

static void print_safe(FILE *out, const char *text)
{
    textout_safe(out, text, strlen(text));
}

static double seconds_of(int64_t time_ns)
{
    return (double)time_ns / 1e9;
}

static double per_second(uint64_t count, int64_t time_ns)
{
    return time_ns > 0 ? (double)count * 1e9 / (double)time_ns : 0;
}

static double micros_per_tick(int64_t time_ns, uint64_t ticks)
{
    return ticks > 0 ? (double)time_ns / 1e3 / (double)ticks : 0;
}

static const char *world_of(const ServerRoomResult *result)
{
    return result->report.world[0] != '\0' ? result->report.world : "-";
}

// What every table ends with.
static void print_row_end(FILE *out, const ServerRoomResult *result)
{
    fprintf(out, "%8.2f %8.2f  %-12s  ", micros_per_tick(result->cpu_ns, result->ticks), micros_per_tick(result->recorder_cpu_ns, result->ticks),
            tp_verdict_name(result->report.verdict));
    print_safe(out, result->log_path[0] != '\0' ? result->log_path : "-");
    fprintf(out, "%s\n", result->log_error[0] != '\0' ? " (incomplete)" : "");
}

static void print_recorded_row(FILE *out, const ServerRoomResult *result, int width)
{
    fprintf(out, "%-*s  %-10s %10" PRIu64 " %9.3f %11.0f ", width, result->name, world_of(result), result->ticks,
            seconds_of(result->running_ns), per_second(result->ticks, result->running_ns));
    if (result->pace == SERVER_REAL_TIME) {
        fprintf(out, "%10.3f %6" PRIu64 " %8" PRIu64 " %8" PRId64 " %8" PRId64 " %8" PRId64 " ",
                per_second(result->held_ticks, result->running_ns), result->late_ticks, result->dropped_ticks, result->late_p50_ns / 1000,
                result->late_p99_ns / 1000, result->late_max_ns / 1000);
    } else {
        fprintf(out, "%10s %6s %8s %8s %8s %8s ", "-", "-", "-", "-", "-", "-");
    }
    print_row_end(out, result);
}

// Of a live room's counts, those that say how its players fared: inputs as they came, inputs that had to be made up, inputs that came
// too late for their tick.
static void print_live_row(FILE *out, const ServerRoomResult *result, int width)
{
    const ServerLiveCounts *live = &result->live;
    fprintf(out, "%-*s  %-10s %10" PRIu64 " %9.3f %10.3f %6" PRIu64 " %8" PRIu64 " %8" PRId64 " %3u/%-3u %6" PRIu64 " %9" PRIu64 " %8" PRIu64 " %8" PRIu64
            " %6" PRIu64 " %7" PRIu64 " %7" PRIu64 " ",
            width, result->name, world_of(result), result->ticks, seconds_of(result->running_ns),
            per_second(result->held_ticks, result->running_ns), result->late_ticks, result->dropped_ticks, result->late_p99_ns / 1000, live->peak,
            result->report.players, live->joins, live->inputs, live->repeated + live->neutral, live->late, live->stalls, live->rejoins, live->desyncs);
    print_row_end(out, result);
}

static void print_head(FILE *out, ServerSource source, int width)
{
    if (source == SERVER_LIVE) {
        fprintf(out, "%-*s  %-10s %10s %9s %10s %6s %8s %8s %7s %6s %9s %8s %8s %6s %7s %7s ", width, "room", "world", "ticks", "seconds", "held Hz",
                "late", "dropped", "p99 us", "players", "joins", "inputs", "made up", "too late", "stalls", "rejoins", "desyncs");
    } else {
        fprintf(out, "%-*s  %-10s %10s %9s %11s %10s %6s %8s %8s %8s %8s ", width, "room", "world", "ticks", "seconds", "ticks/s", "held Hz",
                "late", "dropped", "p50 us", "p99 us", "max us");
    }
    fprintf(out, "%8s %8s  %-12s  %s\n", "cpu us", "rec us", "verdict", "own log");
}

// The rooms of one kind. True when there were some.
static bool print_table(FILE *out, const Server *server, ServerSource source, bool is_second)
{
    int      width = 4;
    uint32_t rows = 0;
    for (uint32_t i = 0; i < server_room_count(server); i++) {
        const ServerRoomResult *result = server_room_result(server, i);
        int                     size = result != NULL && result->source == source ? (int)strlen(result->name) : 0;
        width = size > width ? size : width;
        rows += size > 0 ? 1 : 0;
    }
    if (rows == 0) {
        return false;
    }
    fputs(is_second ? "\n" : "", out);
    print_head(out, source, width);
    for (uint32_t i = 0; i < server_room_count(server); i++) {
        const ServerRoomResult *result = server_room_result(server, i);
        if (result != NULL && result->source == source) {
            if (source == SERVER_LIVE) {
                print_live_row(out, result, width);
            } else {
                print_recorded_row(out, result, width);
            }
        }
    }
    return true;
}

static void print_json_pace(FILE *out, const ServerRoomResult *result)
{
    bool is_real_time = result->pace == SERVER_REAL_TIME || result->source == SERVER_LIVE;
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
    fprintf(out, ",\"cpu_us_per_tick\":%.3f,\"recorder_cpu_us_per_tick\":%.3f", micros_per_tick(result->cpu_ns, result->ticks),
            micros_per_tick(result->recorder_cpu_ns, result->ticks));
}

static void print_json_live(FILE *out, const ServerRoomResult *result)
{
    const ServerLiveCounts *live = &result->live;
    textout_key(out, false, "live");
    fputc('{', out);
    textout_u64_member(out, true, "joins", live->joins);
    textout_u64_member(out, false, "leaves", live->leaves);
    textout_u64_member(out, false, "refused", live->refused);
    textout_u64_member(out, false, "peak", live->peak);
    textout_u64_member(out, false, "inputs", live->inputs);
    textout_u64_member(out, false, "repeated", live->repeated);
    textout_u64_member(out, false, "neutral", live->neutral);
    textout_u64_member(out, false, "late", live->late);
    textout_u64_member(out, false, "early", live->early);
    textout_u64_member(out, false, "duplicate", live->duplicate);
    textout_u64_member(out, false, "wrong_slot", live->wrong_slot);
    textout_u64_member(out, false, "wrong_epoch", live->wrong_epoch);
    textout_u64_member(out, false, "bad_input", live->bad_input);
    textout_u64_member(out, false, "rejoins", live->rejoins);
    textout_u64_member(out, false, "aways", live->aways);
    textout_u64_member(out, false, "reports", live->reports);
    textout_u64_member(out, false, "reports_old", live->reports_old);
    textout_u64_member(out, false, "desyncs", live->desyncs);
    textout_u64_member(out, false, "chats", live->chats);
    textout_u64_member(out, false, "commands", live->commands);
    textout_u64_member(out, false, "behind", live->behind);
    textout_u64_member(out, false, "snapshots", live->snapshots);
    textout_u64_member(out, false, "snapshot_bytes", live->snapshot_bytes);
    textout_u64_member(out, false, "packed_bytes", live->packed_bytes);
    textout_u64_member(out, false, "unsaid", live->unsaid);
    textout_u64_member(out, false, "stalls", live->stalls);
    fprintf(out, ",\"stalled_ms\":%.3f}", (double)live->stalled_ns / 1e6);
}

// What a recorded room was held against, and how far.
static void print_json_check(FILE *out, const tp_report *report)
{
    textout_u64_member(out, false, "checked", report->checked);
    textout_u64_member(out, false, "total", report->recorded);
    textout_u64_member(out, false, "offset", report->offset);
    if (report->verdict == TP_DIVERGED) {
        textout_u64_member(out, false, "bad_tick", report->bad_tick);
        textout_json_member(out, false, "section", report->section);
        textout_json_member(out, false, "field", report->field);
    }
}

static void print_json_room(FILE *out, const ServerRoomResult *result)
{
    const tp_report *report = &result->report;
    bool             is_live = result->source == SERVER_LIVE;
    fputc('{', out);
    textout_json_member(out, true, "room", result->name);
    textout_json_member(out, false, "source", is_live ? "live" : "recorded");
    if (!is_live) {
        textout_json_member(out, false, "path", result->path);
    }
    textout_json_member(out, false, "world", report->world);
    print_json_pace(out, result);
    textout_json_member(out, false, "verdict", tp_verdict_name(report->verdict));
    textout_json_member(out, false, "message", report->message);
    if (is_live) {
        textout_u64_member(out, false, "seed", report->seed);
        textout_u64_member(out, false, "players", report->players);
        print_json_live(out, result);
    } else {
        print_json_check(out, report);
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
        bool is_second = print_table(out, server, SERVER_RECORDED, false);
        print_table(out, server, SERVER_LIVE, is_second);
    }
}

void tickproofd_print_plan(FILE *out, const ServerConfig *config)
{
    uint64_t total = serverconfig_room_total(config);
    uint32_t live = serverconfig_live_count(config);
    print_safe(out, config->name != NULL ? config->name : "flags");
    fprintf(out, ": %" PRIu64 " room%s (%u live, %" PRIu64 " recorded), ", total, total == 1 ? "" : "s", live, total - live);
    fputs(config->listen_count > 0 ? "listening on " : "not listening", out);
    for (uint32_t i = 0; i < config->listen_count; i++) {
        fprintf(out, "%s%s", i > 0 ? ", " : "", config->listen[i]);
    }
    if (config->udp[0] != '\0') {
        fprintf(out, ", datagrams on %s", config->udp);
    }
    if (config->http.listen[0] != '\0') {
        fprintf(out, ", HTTP on %s", config->http.listen);
    }
    fputc('\n', out);
}

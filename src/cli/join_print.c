// join_print.c: rooms as a table, memberships as lines, for people and for machines.
#include <string.h>
#include <unistd.h>

#include "cli.h"
#include "join.h"
#include "textout.h"

static const char *verdict_name(JoinVerdict verdict)
{
    static const char *const names[] = { "never", "nothing", "agreed", "desync", "refused", "incompatible" };
    return names[verdict];
}

static const char *state_of(const tp_client_listed *room)
{
    return room->is_over ? "over" : room->is_live ? "live" : "recorded";
}

static void print_room_json(FILE *out, const tp_client_listed *room)
{
    fputc('{', out);
    textout_json_member(out, true, "room", room->name);
    textout_json_member(out, false, "world", room->world);
    textout_u64_member(out, false, "tick_rate_hz", room->tick_rate_hz);
    textout_u64_member(out, false, "players", room->players);
    textout_u64_member(out, false, "taken", room->taken);
    textout_u64_member(out, false, "lane", room->lane);
    textout_u64_member(out, false, "udp_port", room->udp_port);
    textout_bool_member(out, false, "live", room->is_live);
    textout_bool_member(out, false, "over", room->is_over);
    fputs("}\n", out);
}

void join_print_rooms(FILE *out, const Join *join)
{
    int width = 4;
    for (uint32_t i = 0; i < join->room_count; i++) {
        int size = (int)strlen(join->rooms[i].name);
        width = size > width ? size : width;
    }
    if (!join->options->is_json) {
        fprintf(out, "%-*s  %-16s %8s %8s  %s\n", width, "room", "world", "ticks/s", "slots", "state");
    }
    for (uint32_t i = 0; i < join->room_count; i++) {
        const tp_client_listed *room = &join->rooms[i];
        if (join->options->is_json) {
            print_room_json(out, room);
        } else {
            fprintf(out, "%-*s  %-16s %8u %4u/%-3u  %s\n", width, room->name, room->world, room->tick_rate_hz, room->taken, room->players,
                    state_of(room));
        }
    }
}

static void print_root(FILE *out, tp_hash128 root)
{
    uint8_t bytes[16];
    tp_hash128_to_bytes(root, bytes);
    textout_hex(out, bytes, sizeof(bytes));
}

static void print_root_member(FILE *out, const char *key, tp_hash128 root)
{
    uint8_t bytes[16];
    tp_hash128_to_bytes(root, bytes);
    textout_hex_member(out, false, key, bytes, sizeof(bytes));
}

static void print_slots(FILE *out, const JoinMember *member)
{
    for (uint32_t i = 0; i < member->slot_count; i++) {
        fprintf(out, "%s%u", i == 0 ? "" : ",", member->slots[i]);
    }
}

static void print_number_or_null(FILE *out, const char *key, bool is_known, uint64_t number)
{
    if (is_known) {
        textout_u64_member(out, false, key, number);
    } else {
        textout_key(out, false, key);
        fputs("null", out);
    }
}

// What every line of a membership begins with.
static void print_json_start(FILE *out, const char *event, const JoinMember *member)
{
    fputc('{', out);
    textout_json_member(out, true, "event", event);
    textout_json_member(out, false, "room", member->name);
    textout_u64_member(out, false, "client", member->client);
}

static void print_per_or_null(FILE *out, const char *key, uint64_t sum, uint64_t count)
{
    textout_key(out, false, key);
    if (count > 0) {
        fprintf(out, "%.3f", (double)sum / (double)count);
    } else {
        fputs("null", out);
    }
}

static void print_predicted_json(FILE *out, const JoinMember *member)
{
    const JoinPredicted *predicted = &member->predicted;
    textout_key(out, false, "predict");
    fputc('{', out);
    textout_u64_member(out, true, "window", member->join->options->window);
    textout_u64_member(out, false, "input_delay", member->join->options->input_delay);
    textout_u64_member(out, false, "ticks", predicted->ticks);
    textout_u64_member(out, false, "frames", predicted->frames);
    textout_u64_member(out, false, "rollbacks", predicted->rollbacks);
    textout_u64_member(out, false, "rolled_back", predicted->rolled_back);
    textout_u64_member(out, false, "depth_max", predicted->rollback_max);
    print_per_or_null(out, "depth_mean", predicted->rolled_back, predicted->rollbacks);
    textout_u64_member(out, false, "stalls", predicted->stalls);
    textout_u64_member(out, false, "late_inputs", predicted->late);
    textout_u64_member(out, false, "guessed", predicted->predicted);
    textout_u64_member(out, false, "guessed_wrong", predicted->mispredicted);
    textout_u64_member(out, false, "catch_ups", predicted->catch_ups);
    textout_u64_member(out, false, "events_predicted", predicted->events_predicted);
    textout_u64_member(out, false, "events_confirmed", predicted->events_confirmed);
    textout_u64_member(out, false, "events_retracted", predicted->events_retracted);
    textout_u64_member(out, false, "events_lost", predicted->events_lost);
    textout_key(out, false, "lead");
    if (member->clock.has_lead) {
        fprintf(out, "%d", member->clock.lead);
    } else {
        fputs("null", out);
    }
    fputc('}', out);
}

static void print_changes_json(FILE *out, const JoinMember *member)
{
    textout_u64_member(out, false, "rejoins", member->rejoins);
    textout_u64_member(out, false, "rewinds", member->rewinds);
    textout_u64_member(out, false, "rewound_ticks", member->rewound_ticks);
    textout_u64_member(out, false, "missed_ticks", member->missed_ticks);
    textout_u64_member(out, false, "desyncs", member->desyncs);
    textout_u64_member(out, false, "heard", member->heard);
}

static void print_member_json(FILE *out, const JoinMember *member)
{
    print_json_start(out, "result", member);
    textout_json_member(out, false, "world", member->world);
    textout_key(out, false, "slots");
    fputc('[', out);
    print_slots(out, member);
    fputc(']', out);
    print_number_or_null(out, "joined", member->is_joined, member->first_tick);
    textout_u64_member(out, false, "confirmed", member->confirmed);
    textout_u64_member(out, false, "inputs", member->inputs);
    print_number_or_null(out, "last", member->confirmed > 0, member->last_tick);
    // The ticks below `durable` are on the disk.
    print_number_or_null(out, "last_durable", member->durable > 0, member->durable - 1);
    print_changes_json(out, member);
    if (member->join->options->is_predict) {
        print_predicted_json(out, member);
    }
    textout_json_member(out, false, "verdict", verdict_name(member->verdict));
    textout_json_member(out, false, "end", member->end);
    textout_json_member(out, false, "text", member->text);
    if (member->verdict == JOIN_DESYNC) {
        print_number_or_null(out, "tick", member->bad_tick != TP_ROOT_TICK_START, member->bad_tick);
        print_root_member(out, "root", member->root);
        print_root_member(out, "own_root", member->own_root);
    }
    textout_u64_member(out, false, "exit", (uint64_t)member->code);
    fputs("}\n", out);
}

static void print_verdict_text(FILE *out, const JoinMember *member)
{
    fprintf(out, ": %s", verdict_name(member->verdict));
    if (member->verdict != JOIN_DESYNC) {
        return;
    }
    if (member->bad_tick == TP_ROOT_TICK_START) {
        fputs(" before tick 0", out);
    } else {
        fprintf(out, " at tick %llu", (unsigned long long)member->bad_tick);
    }
    fputs(", root ", out);
    print_root(out, member->root);
    fputs(" there, ", out);
    print_root(out, member->own_root);
    fputs(" here", out);
}

static void print_counts_text(FILE *out, const JoinMember *member)
{
    fprintf(out, "; joined at tick %llu, %llu confirmed", (unsigned long long)member->first_tick, (unsigned long long)member->confirmed);
    if (member->confirmed > 0) {
        fprintf(out, ", the last is %llu", (unsigned long long)member->last_tick);
    }
    if (member->durable > 0) {
        fprintf(out, ", durable to %llu", (unsigned long long)(member->durable - 1));
    }
    fprintf(out, "; %llu inputs sent", (unsigned long long)member->inputs);
}

// What happened to it on the way; nothing is said of what did not.
static void print_changes_text(FILE *out, const JoinMember *member)
{
    if (member->rejoins > 0) {
        fprintf(out, "; came back %llu time%s", (unsigned long long)member->rejoins, member->rejoins == 1 ? "" : "s");
    }
    if (member->rewinds > 0) {
        fprintf(out, "; taken back %llu time%s by %llu ticks in all", (unsigned long long)member->rewinds, member->rewinds == 1 ? "" : "s",
                (unsigned long long)member->rewound_ticks);
    }
    if (member->missed_ticks > 0) {
        fprintf(out, "; missed %llu ticks", (unsigned long long)member->missed_ticks);
    }
    if (member->desyncs > 1) {
        fprintf(out, "; %llu desyncs", (unsigned long long)member->desyncs);
    }
}

static void print_predicted_text(FILE *out, const JoinMember *member)
{
    const JoinPredicted *predicted = &member->predicted;
    double mean = predicted->rollbacks > 0 ? (double)predicted->rolled_back / (double)predicted->rollbacks : 0;
    fprintf(out, "; %llu ticks ahead, %llu rollbacks, depth %u at most, %.2f on average; %llu stalls, %llu late inputs",
            (unsigned long long)predicted->ticks, (unsigned long long)predicted->rollbacks, predicted->rollback_max, mean,
            (unsigned long long)predicted->stalls, (unsigned long long)predicted->late);
    fprintf(out, "; events: %llu predicted, %llu confirmed, %llu retracted", (unsigned long long)predicted->events_predicted,
            (unsigned long long)predicted->events_confirmed, (unsigned long long)predicted->events_retracted);
}

static void print_member_text(FILE *out, const JoinMember *member)
{
    fprintf(out, "%s (%s), client %u, ", member->name, member->world, member->client);
    if (member->slot_count > 0) {
        fputs(member->slot_count > 1 ? "slots " : "slot ", out);
        print_slots(out, member);
    } else {
        fputs(member->is_joined ? "watching" : "no slot", out);
    }
    print_verdict_text(out, member);
    if (member->is_joined) {
        print_counts_text(out, member);
        print_changes_text(out, member);
    }
    if (member->is_joined && member->join->options->is_predict) {
        print_predicted_text(out, member);
    }
    fprintf(out, "; end: %s", member->end);
    if (member->text[0] != '\0') {
        fputs(": ", out);
        textout_safe(out, member->text, strlen(member->text));
    }
    fputc('\n', out);
}

void join_print_member(FILE *out, const JoinMember *member)
{
    if (member->join->options->is_json) {
        print_member_json(out, member);
    } else {
        print_member_text(out, member);
    }
}

void join_print_joined(FILE *out, const JoinMember *member, uint64_t tick)
{
    print_json_start(out, "joined", member);
    textout_key(out, false, "slots");
    fputc('[', out);
    print_slots(out, member);
    fputc(']', out);
    textout_u64_member(out, false, "tick", tick);
    fputs("}\n", out);
    fflush(out);
}

void join_print_step(FILE *out, const char *what, const JoinMember *member, uint64_t tick, const char *text)
{
    print_json_start(out, what, member);
    print_number_or_null(out, "tick", tick != TP_ROOT_TICK_START, tick);
    textout_json_member(out, false, "text", text);
    fputs("}\n", out);
    fflush(out);
}

void join_print_said(FILE *out, const JoinMember *member, const tp_client_event *event)
{
    bool has_slot = event->slot != TP_SOURCE_HOST;
    if (member->join->options->is_json) {
        print_json_start(out, "said", member);
        print_number_or_null(out, "slot", has_slot, event->slot);
        textout_json_member(out, false, "text", event->text);
        fputs("}\n", out);
    } else {
        textout_safe(out, member->name, strlen(member->name));
        fprintf(out, has_slot ? ": slot %u: " : ": ", event->slot);
        textout_safe(out, event->text, strlen(event->text));
        fputc('\n', out);
    }
    fflush(out);
}

void join_print_confirmed(FILE *out, const JoinMember *member, const tp_client_event *event)
{
    print_json_start(out, "confirmed", member);
    textout_u64_member(out, false, "tick", event->tick);
    print_number_or_null(out, "last_durable", event->durable > 0, event->durable - 1);
    print_root_member(out, "root", event->root);
    fputs("}\n", out);
    fflush(out);
}

void join_print_progress(const Join *join)
{
    if (!isatty(STDERR_FILENO)) {
        return;
    }
    if (join->is_over) {
        fputs("\r\x1b[K", stderr);
        return;
    }
    fprintf(stderr, "\r\x1b[K%u of %u in a room, %llu ticks confirmed", join->member_count - join->done_count, join->member_count,
            (unsigned long long)join->confirmed);
    fflush(stderr);
}

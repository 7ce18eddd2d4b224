// join_member.c: one client's membership in one room: what happens to it, and what came of it.
#include <string.h>

#include "cli.h"
#include "join.h"
#include "message.h"

static void set_end(JoinMember *member, const char *end, const char *text)
{
    if (member->end[0] == '\0') { // what came first explains the rest
        snprintf(member->end, sizeof(member->end), "%s", end);
        snprintf(member->text, sizeof(member->text), "%s", text);
    }
}

static void set_code(JoinMember *member, int code)
{
    member->code = (int)tp_verdict_worst((tp_verdict)member->code, (tp_verdict)code);
}

void join_member_finish(JoinMember *member)
{
    join_clock_remove(member);
    join_play_finish(member);
}

void join_member_leave(JoinMember *member)
{
    if (member->room != NULL && !member->is_leaving) {
        member->is_leaving = true;
        tp_client_leave(member->room);
    }
}

void join_member_give_up(JoinMember *member, int code, const char *end, const char *text)
{
    set_end(member, end, text);
    set_code(member, code);
    if (text[0] != '\0') { // else it is said already
        join_fail(member->join, code, "room '%s': %s", member->name, text);
    }
    join_member_leave(member);
}

static void set_desynced(JoinMember *member, bool is_desynced)
{
    Join *join = member->join;
    join->desynced_count += is_desynced && !member->is_desynced ? 1 : 0;
    join->desynced_count -= !is_desynced && member->is_desynced ? 1 : 0;
    member->is_desynced = is_desynced;
    member->desync_ms = is_desynced ? uv_now(&join->loop) : 0;
}

// It is in no room any more, for now or for good: the client's part of it goes when this returns.
static void drop_room(JoinMember *member)
{
    join_predict_keep(member);
    join_clock_remove(member);
    set_desynced(member, false);
    member->room = NULL;
}

// The way in.

void join_member_ask(JoinMember *member)
{
    const JoinOptions     *options = member->join->options;
    tp_error               error;
    tp_client_join_options wanted = {
        .name = member->name, .slots = options->is_watch || member->has_token ? 0 : options->players, .delay = options->behind,
        .token = member->has_token ? member->token : NULL, .session = join_predict_options(member), .user = member,
    };
    member->room = tp_client_join_with(member->connection->link.client, &wanted, &error);
    if (member->room != NULL) {
        return;
    }
    set_end(member, "refused", error.text);
    member->verdict = member->is_joined ? member->verdict : JOIN_REFUSED;
    set_code(member, TP_USAGE);
    join_fail(member->join, TP_USAGE, "room '%s': joining: %s", member->name, error.text);
    join_member_done(member);
}

// It counts from the moment that it came, also when the state behind it never did.
static void take_token(JoinMember *member)
{
    const uint8_t *token = member->join->options->is_rejoin && member->room != NULL ? tp_client_room_token(member->room) : NULL;
    if (token != NULL) {
        member->has_token = true;
        memcpy(member->token, token, sizeof(member->token));
    }
}

void join_member_away(JoinMember *member)
{
    take_token(member);
    drop_room(member);
    join_play_finish(member);
    if (member->join->options->trace > 0 && !member->is_away) {
        join_print_step(stdout, "away", member, member->confirmed > 0 ? member->last_tick + 1 : member->first_tick, member->connection->link.text);
    }
    member->is_away = true;
}

// What happens to it.

// What was confirmed to it before, though the room does not know of it any more, or what the room did without it.
static void take_jump(JoinMember *member, uint64_t from, uint64_t tick, const char *text)
{
    if (tick < from) {
        member->rewinds += 1;
        member->rewound_ticks += from - tick;
    } else {
        member->missed_ticks += tick - from;
    }
    if (member->join->options->trace > 0) {
        join_print_step(stdout, tick < from ? "rewound" : "resumed", member, tick, text);
    }
}

// The world stands at `tick`, for the first time or anew: from there on it is played.
static void start_playing(JoinMember *member, uint64_t tick)
{
    const JoinOptions *options = member->join->options;
    uint32_t           ahead = tp_client_room_ahead(member->room);
    bool               has_slots = member->slot_count > 0 && ahead > 0;
    member->lead = options->lead < ahead ? options->lead : ahead;
    if (has_slots && !join_play_prepare(member, tick + (options->is_predict ? options->input_delay : 0))) {
        return;
    }
    member->is_back = true;
    if (options->is_predict) {
        join_clock_add(member);
    } else if (has_slots) {
        join_play_first(member, tick);
    }
}

// A drill, and a word for the others: once, when it is there for the first time.
static void do_once(JoinMember *member)
{
    const JoinOptions *options = member->join->options;
    char               text[160];
    if (options->is_planted && !tp_client_room_plant(member->room, options->plant_tick, options->seed + member->client)) {
        snprintf(text, sizeof(text), "--plant-desync: tick %llu: it is confirmed already, or the world has nothing to change; give a later one",
                 (unsigned long long)options->plant_tick);
        join_member_give_up(member, TP_USAGE, "no-plant", text);
    }
    if (options->chat != NULL && !member->is_leaving && !tp_client_chat(member->room, options->chat)) {
        join_member_give_up(member, TP_INTERNAL, "no-chat", "--chat: it could not be said");
    }
}

static void take_joined(JoinMember *member, const tp_client_event *event)
{
    const uint8_t *slots = NULL;
    bool           was_joined = member->is_joined;
    member->slot_count = (uint8_t)tp_client_room_slots(member->room, &slots);
    memcpy(member->slots, slots, member->slot_count);
    take_token(member);
    if (!was_joined) {
        member->is_joined = true;
        member->verdict = member->verdict == JOIN_DESYNC ? JOIN_DESYNC : JOIN_NOTHING;
        member->first_tick = event->tick;
    }
    if (member->join->options->trace > 0) {
        join_print_joined(stdout, member, event->tick);
    }
    if (was_joined) {
        member->rejoins += member->is_away ? 1 : 0;
        take_jump(member, member->confirmed > 0 ? member->last_tick + 1 : member->first_tick, event->tick, "");
    }
    member->is_away = false;
    set_desynced(member, false);
    join_rejoin_done(member->connection);
    if (!was_joined) {
        do_once(member);
    }
    if (!member->is_leaving) {
        start_playing(member, event->tick);
    }
}

static void take_rewound(JoinMember *member, const tp_client_event *event)
{
    set_desynced(member, false);
    take_jump(member, event->from, event->tick, event->text);
    if (member->is_joined && !member->is_leaving) {
        start_playing(member, event->tick);
    }
}

static void complete(JoinMember *member)
{
    member->is_complete = true;
    join_member_leave(member);
}

static void take_confirmed(JoinMember *member, const tp_client_event *event)
{
    const JoinOptions *options = member->join->options;
    member->verdict = member->verdict == JOIN_DESYNC ? JOIN_DESYNC : JOIN_AGREED;
    member->confirmed += 1;
    member->join->confirmed += 1;
    member->last_tick = event->tick;
    member->durable = event->durable;
    if (options->trace > 0 && member->confirmed % options->trace == 0) {
        join_print_confirmed(stdout, member, event);
        if (ferror(stdout)) {
            join_stop(member->join); // nobody listens
        }
    }
    if (member->is_leaving) {
        return;
    }
    if ((options->ticks > 0 && member->confirmed >= options->ticks) || (member->lines != NULL && event->tick + 1 >= member->lines_end)) {
        complete(member);
    } else if (member->natives != NULL && !options->is_predict) {
        join_play_next(member, event->tick + member->lead);
    }
}

enum { ROOT_TEXT_SIZE = 33 };

static void write_root(tp_hash128 root, char text[ROOT_TEXT_SIZE])
{
    uint8_t bytes[16];
    tp_hash128_to_bytes(root, bytes);
    for (size_t i = 0; i < sizeof(bytes); i++) {
        snprintf(text + 2 * i, 3, "%02x", bytes[i]);
    }
}

// It stays: the server may ask for its state, and send its own.
static void take_desync(JoinMember *member, const tp_client_event *event)
{
    char own[ROOT_TEXT_SIZE], theirs[ROOT_TEXT_SIZE];
    bool is_first = member->desyncs == 0;
    member->desyncs += 1;
    if (member->verdict != JOIN_DESYNC) {
        member->verdict = JOIN_DESYNC;
        member->bad_tick = event->tick;
        member->root = event->root;
        member->own_root = event->own_root;
    }
    set_desynced(member, true);
    set_code(member, TP_DIVERGED);
    write_root(event->root, theirs);
    write_root(event->own_root, own);
    if (is_first) { // the others are counted
        join_fail(member->join, TP_DIVERGED, "room '%s': tick %lld: the roots differ: %s there, %s here%s%s", member->name, (long long)event->tick,
                  theirs, own, event->text[0] == '\0' ? "" : ": ", event->text);
    }
    if (member->join->options->trace > 0) {
        join_print_step(stdout, "desync", member, event->tick, event->text);
    }
}

void join_member_look(JoinMember *member, uint64_t now_ms)
{
    if (member->is_desynced && !member->is_leaving && now_ms - member->desync_ms >= JOIN_DESYNC_MS) {
        set_end(member, "desync", "nothing came of it");
        join_member_leave(member);
    }
}

// A room that ends is what is waited for when nothing else was asked.
static bool is_end_of_room(uint32_t reason)
{
    return reason == MESSAGE_REASON_ENDED || reason == MESSAGE_REASON_FAULTED || reason == MESSAGE_REASON_STOPPING;
}

// Did it do what was asked, though it is out now?
static bool is_fulfilled(const JoinMember *member, bool is_room_over)
{
    const JoinOptions *options = member->join->options;
    bool               has_limit = options->ticks > 0 || options->seconds > 0 || options->inputs != NULL;
    if (member->is_complete || (member->join->is_time_up && member->is_leaving)) {
        return true;
    }
    return !has_limit && (is_room_over || member->join->is_interrupted);
}

// A membership that has compared nothing is no success, whatever it ended by.
static void conclude(JoinMember *member)
{
    bool is_early = member->verdict == JOIN_NEVER && member->join->is_interrupted; // whoever interrupts knows
    if ((member->verdict == JOIN_NOTHING || member->verdict == JOIN_NEVER) && !is_early && member->code == 0) {
        set_code(member, TP_INCOMPLETE);
        join_fail(member->join, TP_INCOMPLETE, "room '%s': no tick was confirmed, so nothing was compared", member->name);
    }
    join_member_done(member);
}

// It is out, joined or not yet: if that is too early, say so.
static void take_out(JoinMember *member, const tp_client_event *event)
{
    if (member->code == 0 && !is_fulfilled(member, is_end_of_room(event->reason))) {
        set_code(member, TP_INCOMPLETE);
        join_fail(member->join, TP_INCOMPLETE, "room '%s': it ended before what was asked: %s%s%s", member->name,
                  event->reason == MESSAGE_REASON_ASKED ? "interrupted" : tp_client_reason_name(event->reason),
                  event->text[0] == '\0' ? "" : ": ", event->text);
    }
    conclude(member);
}

// The room knows nothing of the membership: it was too young to be on the disk when the server was killed, or its time is over. Like anybody else, then.
static bool begin_anew(JoinMember *member, const tp_client_event *event)
{
    if (!member->has_token || event->reason != MESSAGE_REASON_TOKEN || member->is_leaving) {
        return false;
    }
    member->has_token = false;
    drop_room(member);
    join_member_ask(member);
    return true;
}

static void take_refused(JoinMember *member, const tp_client_event *event)
{
    bool is_here = event->reason == TP_CLIENT_REASON_HERE;
    if (begin_anew(member, event)) {
        return;
    }
    if (member->verdict == JOIN_NEVER) { // else it was in the room before, and what was compared there counts
        member->verdict = is_here ? JOIN_INCOMPATIBLE : JOIN_REFUSED;
    }
    drop_room(member);
    set_end(member, tp_client_reason_name(event->reason), event->text);
    if (member->is_leaving && !is_here) {
        take_out(member, event); // nobody wants it any more
        return;
    }
    set_code(member, is_here ? TP_INCOMPATIBLE : TP_USAGE);
    join_fail(member->join, member->code, "room '%s': joining: %s%s%s", member->name, is_here ? "" : tp_client_reason_name(event->reason),
              is_here || event->text[0] == '\0' ? "" : ": ", event->text);
    conclude(member);
}

static void take_left(JoinMember *member, const tp_client_event *event)
{
    drop_room(member);
    set_end(member, tp_client_reason_name(event->reason), event->text);
    take_out(member, event);
}

static void take_said(JoinMember *member, const tp_client_event *event)
{
    const JoinOptions *options = member->join->options;
    member->heard += 1;
    if (options->is_json ? options->trace > 0 : member->client == 0) {
        join_print_said(stdout, member, event);
    }
}

// Sending it takes its time.
static void take_asked(JoinMember *member)
{
    member->desync_ms = uv_now(&member->join->loop);
    join_begin_pulse(member->join);
}

void join_member_event(JoinMember *member, const tp_client_event *event)
{
    switch (event->kind) {
    case TP_CLIENT_JOINED: take_joined(member, event); break;
    case TP_CLIENT_CONFIRMED: take_confirmed(member, event); break;
    case TP_CLIENT_DESYNC: take_desync(member, event); break;
    case TP_CLIENT_REWOUND: take_rewound(member, event); break;
    case TP_CLIENT_REFUSED: take_refused(member, event); break;
    case TP_CLIENT_LEFT: take_left(member, event); break;
    case TP_CLIENT_SAID: take_said(member, event); break;
    case TP_CLIENT_PACE: join_clock_set_pace(member, event->is_paused, event->rate_mhz); break;
    case TP_CLIENT_TIMING: join_predict_timing(member, event); break;
    case TP_CLIENT_ASKED: take_asked(member); break;
    case TP_CLIENT_ADMINED:
    case TP_CLIENT_WELCOME:
    case TP_CLIENT_LISTED:
    case TP_CLIENT_BYE:
    case TP_CLIENT_MALFORMED: break; // about no room
    }
}

void join_member_cut(JoinMember *member, const ClientLink *link)
{
    bool is_asked = member->is_leaving || member->join->is_stopping;
    drop_room(member);
    if (link->end == CLIENT_LINK_CLOSED) {
        set_end(member, "unanswered", ""); // it waited for LEFT as long as it does
    } else if (link->end == CLIENT_LINK_BYE) {
        set_end(member, tp_client_reason_name(link->reason), link->text);
    } else {
        set_end(member, link->end == CLIENT_LINK_UNREACHABLE ? "unreachable" : link->end == CLIENT_LINK_LOST ? "lost" : "malformed", link->text);
    }
    bool is_over = link->end == CLIENT_LINK_BYE && is_end_of_room(link->reason);
    if (member->code == 0 && !(is_asked && is_fulfilled(member, false)) && !(is_over && is_fulfilled(member, is_over))) {
        set_code(member, member->is_joined || is_asked ? TP_INCOMPLETE : TP_USAGE);
    }
    conclude(member);
}

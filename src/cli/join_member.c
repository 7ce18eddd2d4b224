// join_member.c: one client's membership in one room: it plays bots or lines of inputs, and keeps what the server confirmed.
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "join.h"
#include "message.h"
#include "tickproof/rng.h"

enum { MEMORY_ALIGN = 16 };

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
    inputsource_destroy(member->lines);
    free(member->bots);
    free(member->natives);
    member->lines = NULL;
    member->bots = member->natives = NULL;
}

void join_member_leave(JoinMember *member)
{
    if (member->room != NULL && !member->is_leaving) {
        member->is_leaving = true;
        tp_client_leave(member->room);
    }
}

// Something of ours is in the way of playing on.
static void give_up(JoinMember *member, int code, const char *end, const char *text)
{
    set_end(member, end, text);
    set_code(member, code);
    join_fail(member->join, code, "room '%s': %s", member->name, text);
    join_member_leave(member);
}

// What it plays.

static size_t aligned(size_t size)
{
    return (size + MEMORY_ALIGN) / MEMORY_ALIGN * MEMORY_ALIGN;
}

static uint8_t *zeroed(size_t size)
{
    uint8_t *memory = aligned_alloc(MEMORY_ALIGN, aligned(size));
    if (memory != NULL) {
        memset(memory, 0, aligned(size));
    }
    return memory;
}

// Every room, client and slot has a stream of its own, whatever the order in which they join.
static uint64_t seed_of(const JoinMember *member, uint32_t slot)
{
    uint64_t state = member->join->options->seed ^ tp_hash64(TP_HASH_XXH3, member->name, strlen(member->name));
    state = tp_splitmix64_next(&state) + member->client;
    state = tp_splitmix64_next(&state) + slot;
    return tp_splitmix64_next(&state);
}

typedef struct {
    JoinMember   *member;
    const tp_sim *sim;
} BotCall;

static void init_bots(void *argument)
{
    const BotCall     *call = argument;
    const JoinMember  *member = call->member;
    const tp_layout   *layout = tp_sim_layout(call->sim);
    const tp_bot_type *type = layout->world->bot;
    for (uint32_t i = 0; i < member->slot_count; i++) {
        type->init(member->bots + member->bot_stride * i, &layout->setup, member->slots[i], seed_of(member, member->slots[i]),
                   member->join->options->bot_delay);
    }
}

static void play_bots(void *argument)
{
    const BotCall    *call = argument;
    const JoinMember *member = call->member;
    const tp_world   *world = tp_sim_layout(call->sim)->world;
    tp_view           view = tp_sim_view(call->sim);
    for (uint32_t i = 0; i < member->slot_count; i++) {
        uint8_t *native = member->natives + member->native_stride * i;
        memset(native, 0, world->input->struct_size);
        world->bot->play(member->bots + member->bot_stride * i, &view, native);
    }
}

// A bot is a world's code outside of a step: its faults would find no guard but this one.
static bool call_bots(JoinMember *member, void (*body)(void *))
{
    BotCall  call = { member, tp_client_room_sim(member->room) };
    tp_fault fault;
    char     text[256];
    if (tp_guard_run(body, &call, &fault)) {
        return true;
    }
    snprintf(text, sizeof(text), "tick %llu: playing the bots: %s: %s", (unsigned long long)tp_sim_tick(call.sim), tp_fault_name(fault.code),
             fault.what == NULL ? "" : fault.what);
    give_up(member, TP_INTERNAL, "bot-fault", text);
    return false;
}

static bool take_memory(JoinMember *member, const tp_world *world)
{
    member->native_stride = aligned(world->input->struct_size);
    member->natives = zeroed(member->native_stride * member->slot_count);
    if (member->join->options->inputs == NULL) {
        member->bot_stride = aligned(world->bot->size);
        member->bots = zeroed(member->bot_stride * member->slot_count);
    }
    return member->natives != NULL && (member->bots != NULL || member->join->options->inputs != NULL);
}

// Makes ready what plays. False: said so, and it leaves.
static bool prepare(JoinMember *member)
{
    const JoinOptions *options = member->join->options;
    const tp_layout   *layout = tp_sim_layout(tp_client_room_sim(member->room));
    tp_error           error;
    if (options->inputs == NULL && layout->world->bot == NULL) {
        tp_error_set(&error, "world '%s' has no bot: give --inputs or --watch", layout->world->name);
        give_up(member, TP_USAGE, "no-bot", error.text);
        return false;
    }
    if (!take_memory(member, layout->world)) {
        give_up(member, TP_INTERNAL, "no-memory", "out of memory");
        return false;
    }
    if (options->inputs == NULL) {
        return call_bots(member, init_bots);
    }
    member->lines = inputsource_text(layout, options->inputs, options->inputs_text, options->inputs_size, &error);
    if (member->lines == NULL) {
        give_up(member, TP_INTERNAL, "no-memory", error.text);
    }
    return member->lines != NULL;
}

static void send_slots(JoinMember *member, uint64_t tick)
{
    tp_error error;
    for (uint32_t i = 0; i < member->slot_count; i++) {
        // It can be refused only when an event in between has ended the membership.
        if (tp_client_input(member->room, member->slots[i], tick, member->natives + member->native_stride * i, &error)) {
            member->inputs += 1;
        }
    }
}

// Natives of the row: slot i of the file is the i-th slot here.
static void take_row(JoinMember *member, const RowBuffer *row)
{
    const tp_layout *layout = tp_sim_layout(tp_client_room_sim(member->room));
    for (uint32_t i = 0; i < member->slot_count; i++) {
        uint8_t *native = member->natives + member->native_stride * i;
        memset(native, 0, member->native_stride);
        if (((row->presence[i / 8] >> (i % 8)) & 1) != 0) {
            tp_record_decode(layout->world->input, row->inputs + (size_t)i * layout->input_size, native, NULL); // the line was checked
        }
    }
}

static void send_line(JoinMember *member, uint64_t tick)
{
    if (member->lines_end != UINT64_MAX) {
        return;
    }
    RowBuffer *row = &member->join->row;
    switch (inputsource_next_line(member->lines, row)) {
    case INPUT_ROW:
        take_row(member, row);
        send_slots(member, tick);
        break;
    case INPUT_END:
        member->lines_end = tick;
        break;
    case INPUT_BAD: // said so
        set_end(member, "bad-inputs", "");
        set_code(member, TP_USAGE);
        join_member_leave(member);
        break;
    }
}

// The input for one more tick. The bot sees the world as it is confirmed.
static void play(JoinMember *member, uint64_t tick)
{
    if (member->lines != NULL) {
        send_line(member, tick);
    } else if (call_bots(member, play_bots)) {
        send_slots(member, tick);
    }
}

// From the joined tick on every tick gets an input: bots have seen nothing yet, so the first ones are neutral.
static void play_first(JoinMember *member)
{
    for (uint32_t ahead = 0; ahead < member->lead && !member->is_leaving; ahead++) {
        if (member->lines != NULL || ahead + 1 == member->lead) {
            play(member, member->first_tick + ahead);
        } else {
            send_slots(member, member->first_tick + ahead);
        }
    }
}

// What happens to it.

static void take_joined(JoinMember *member, const tp_client_event *event)
{
    const JoinOptions *options = member->join->options;
    const uint8_t     *slots = NULL;
    uint32_t           ahead = tp_client_room_ahead(member->room);
    member->is_joined = true;
    member->verdict = JOIN_NOTHING;
    member->first_tick = event->tick;
    member->slot_count = (uint8_t)tp_client_room_slots(member->room, &slots);
    memcpy(member->slots, slots, member->slot_count);
    member->lead = options->lead < ahead ? options->lead : ahead;
    member->lines_end = UINT64_MAX;
    if (options->trace > 0) {
        join_print_joined(stdout, member);
    }
    if (member->slot_count > 0 && member->lead > 0 && prepare(member)) {
        play_first(member);
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
    member->verdict = JOIN_AGREED;
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
    } else if (member->natives != NULL) {
        play(member, event->tick + member->lead);
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

static void take_desync(JoinMember *member, const tp_client_event *event)
{
    char own[ROOT_TEXT_SIZE], theirs[ROOT_TEXT_SIZE];
    member->verdict = JOIN_DESYNC;
    member->bad_tick = event->tick;
    member->root = event->root;
    member->own_root = event->own_root;
    set_end(member, "desync", event->text);
    set_code(member, TP_DIVERGED);
    write_root(event->root, theirs);
    write_root(event->own_root, own);
    join_fail(member->join, TP_DIVERGED, "room '%s': tick %lld: the roots differ: %s there, %s here%s%s", member->name, (long long)event->tick, theirs,
              own, event->text[0] == '\0' ? "" : ": ", event->text);
    join_member_leave(member);
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
    if (member->verdict == JOIN_NOTHING && member->code == 0) {
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

static void take_refused(JoinMember *member, const tp_client_event *event)
{
    bool is_here = event->reason == TP_CLIENT_REASON_HERE;
    member->verdict = is_here ? JOIN_INCOMPATIBLE : JOIN_REFUSED;
    member->room = NULL;
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
    member->room = NULL;
    set_end(member, tp_client_reason_name(event->reason), event->text);
    take_out(member, event);
}

void join_member_event(JoinMember *member, const tp_client_event *event)
{
    switch (event->kind) {
    case TP_CLIENT_JOINED: take_joined(member, event); break;
    case TP_CLIENT_CONFIRMED: take_confirmed(member, event); break;
    case TP_CLIENT_DESYNC: take_desync(member, event); break;
    case TP_CLIENT_REFUSED: take_refused(member, event); break;
    case TP_CLIENT_LEFT: take_left(member, event); break;
    case TP_CLIENT_WELCOME:
    case TP_CLIENT_LISTED:
    case TP_CLIENT_BYE:
    case TP_CLIENT_MALFORMED: break; // about no room
    }
}

void join_member_cut(JoinMember *member, const ClientLink *link)
{
    bool is_asked = member->is_leaving || member->join->is_stopping;
    member->room = NULL;
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

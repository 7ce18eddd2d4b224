// join_play.c: what a member plays: the world's bots, or lines of inputs. For each tick it makes an input per slot; when, and for which tick,
// others decide.
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "join.h"
#include "tickproof/rng.h"

enum { MEMORY_ALIGN = 16 };

void join_play_finish(JoinMember *member)
{
    inputsource_destroy(member->lines);
    free(member->bots);
    free(member->natives);
    member->lines = NULL;
    member->bots = member->natives = NULL;
    member->has_inputs = false;
}

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
    join_member_give_up(member, TP_INTERNAL, "bot-fault", text);
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

static bool refuse_line(JoinMember *member)
{
    join_member_give_up(member, TP_USAGE, "bad-inputs", "");
    return false;
}

// From the line that is for this tick on: a member that comes back goes on in the file where the room is.
static bool open_lines(JoinMember *member, const tp_layout *layout, uint64_t tick)
{
    const JoinOptions *options = member->join->options;
    tp_error           error;
    member->lines = inputsource_text(layout, options->inputs, options->inputs_text, options->inputs_size, &error);
    if (member->lines == NULL) {
        join_member_give_up(member, TP_INTERNAL, "no-memory", error.text);
        return false;
    }
    if (!member->is_back) {
        member->lines_from = tick;
    }
    member->lines_end = UINT64_MAX;
    for (uint64_t line = member->lines_from; line < tick && member->lines_end == UINT64_MAX; line++) {
        switch (inputsource_next_line(member->lines, &member->join->row)) {
        case INPUT_ROW: break;
        case INPUT_END: member->lines_end = line; break;
        case INPUT_BAD: return refuse_line(member);
        }
    }
    return true;
}

bool join_play_prepare(JoinMember *member, uint64_t tick)
{
    const JoinOptions *options = member->join->options;
    const tp_layout   *layout = tp_sim_layout(tp_client_room_sim(member->room));
    tp_error           error;
    join_play_finish(member);
    if (options->inputs == NULL && layout->world->bot == NULL) {
        tp_error_set(&error, "world '%s' has no bot: give --inputs or --watch", layout->world->name);
        join_member_give_up(member, TP_USAGE, "no-bot", error.text);
        return false;
    }
    if (!take_memory(member, layout->world)) {
        join_member_give_up(member, TP_INTERNAL, "no-memory", "out of memory");
        return false;
    }
    return options->inputs == NULL ? call_bots(member, init_bots) : open_lines(member, layout, tick);
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

static bool fill_line(JoinMember *member, uint64_t tick)
{
    RowBuffer *row = &member->join->row;
    if (member->lines_end != UINT64_MAX) {
        return false;
    }
    switch (inputsource_next_line(member->lines, row)) {
    case INPUT_ROW: take_row(member, row); return true;
    case INPUT_END: member->lines_end = tick; return false;
    case INPUT_BAD: return refuse_line(member);
    }
    return false;
}

bool join_play_fill(JoinMember *member, uint64_t tick)
{
    return member->lines != NULL ? fill_line(member, tick) : call_bots(member, play_bots);
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

// The bot sees the world as it is confirmed.
void join_play_next(JoinMember *member, uint64_t tick)
{
    if (join_play_fill(member, tick)) {
        send_slots(member, tick);
    }
}

// From the joined tick on every tick gets an input: bots have seen nothing yet, so the first ones are neutral.
void join_play_first(JoinMember *member, uint64_t tick)
{
    for (uint32_t ahead = 0; ahead < member->lead && !member->is_leaving; ahead++) {
        if (member->lines != NULL || ahead + 1 == member->lead) {
            join_play_next(member, tick + ahead);
        } else {
            send_slots(member, tick + ahead);
        }
    }
}

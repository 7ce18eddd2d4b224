// bench_member.c: what one client of a bench plays: inputs that are drawn and held for a few ticks, as hands do it, of any world.
#include <string.h>

#include "bench.h"
#include "tickproof/rng.h"

// Random bytes through the border at which a server takes foreign inputs.
static void draw(BenchMember *member, const tp_world *world)
{
    uint8_t  bytes[TP_INPUT_SIZE_MAX + 8];
    uint32_t size = tp_record_size(world->input);
    for (uint32_t i = 0; i < size; i += 8) {
        uint64_t word = tp_splitmix64_next(&member->random);
        memcpy(bytes + i, &word, sizeof(word));
    }
    (void)tp_record_decode(world->input, bytes, member->native, NULL);
    tp_input_sanitise(world, member->native);
    member->hold = 1 + (uint32_t)(tp_splitmix64_next(&member->random) % BENCH_HOLD_TICKS_MAX);
}

static const void *next_input(BenchMember *member)
{
    if (member->hold == 0) {
        draw(member, tp_sim_layout(tp_client_room_sim(member->room))->world);
    }
    member->hold -= 1;
    return member->native;
}

static uint32_t slot_of(const BenchMember *member)
{
    const uint8_t *slots = NULL;
    tp_client_room_slots(member->room, &slots);
    return slots[0];
}

static void play(BenchMember *member, uint64_t tick)
{
    tp_error error;
    (void)tp_client_input(member->room, slot_of(member), tick, next_input(member), &error); // refused only when the membership is at its end
}

static void begin(BenchMember *member, uint64_t tick)
{
    BenchLoad *load = member->connection->thread->load;
    if (!member->is_joined) {
        member->is_joined = true;
        atomic_fetch_add(&member->connection->thread->joined, 1);
    }
    for (uint64_t ahead = 0; ahead < BENCH_LEAD && !load->options->is_predict; ahead++) {
        play(member, tick + ahead);
    }
}

static void take_desync(const BenchMember *member, const tp_client_event *event)
{
    BenchLoad *load = member->connection->thread->load;
    atomic_fetch_add(&load->desyncs, 1);
    bench_load_fail(load, "room '%s': tick %llu: the roots differ", member->name, (unsigned long long)event->tick);
}

static void take_end(BenchMember *member, const tp_client_event *event)
{
    BenchLoad *load = member->connection->thread->load;
    member->room = NULL;
    if (!atomic_load(&load->is_ending)) {
        bench_load_fail(load, "room '%s': a client is out of it: %s%s%s", member->name, tp_client_reason_name(event->reason),
                        event->text[0] != '\0' ? ": " : "", event->text);
    }
}

void bench_member_event(BenchMember *member, const tp_client_event *event)
{
    switch (event->kind) {
    case TP_CLIENT_JOINED:
    case TP_CLIENT_REWOUND: begin(member, event->tick); break;
    case TP_CLIENT_CONFIRMED:
        if (!member->connection->thread->load->options->is_predict) {
            play(member, event->tick + BENCH_LEAD);
        }
        break;
    case TP_CLIENT_PACE: member->is_paused = event->is_paused; break;
    case TP_CLIENT_DESYNC: take_desync(member, event); break;
    case TP_CLIENT_REFUSED:
    case TP_CLIENT_LEFT: take_end(member, event); break;
    case TP_CLIENT_WELCOME:
    case TP_CLIENT_LISTED:
    case TP_CLIENT_SAID:
    case TP_CLIENT_ASKED:
    case TP_CLIENT_ADMINED:
    case TP_CLIENT_TIMING:
    case TP_CLIENT_BYE:
    case TP_CLIENT_MALFORMED: break;
    }
}

void bench_member_join(BenchMember *member)
{
    BenchLoad             *load = member->connection->thread->load;
    tp_session_options     session;
    tp_error               error = { "" };
    tp_client_join_options wanted = { .name = member->name, .slots = 1, .user = member };
    if (load->options->is_predict) {
        tp_session_options_standard(&session);
        wanted.session = &session;
    }
    member->room = tp_client_join_with(member->connection->link.client, &wanted, &error);
    if (member->room == NULL) {
        bench_load_fail(load, "room '%s': joining: %s", member->name, error.text);
    }
}

static void advance(BenchMember *member, tp_session *session)
{
    tp_session_result result = { 0 };
    tp_error          error = { "" };
    if (tp_session_input(session, 0, next_input(member), &error) != TP_SESSION_OK) {
        bench_load_fail(member->connection->thread->load, "room '%s': playing ahead: %s", member->name, error.text);
        return;
    }
    tp_session_status status = tp_client_advance(member->room, &result, &error);
    if (status == TP_SESSION_FAULTED || status == TP_SESSION_BROKEN) {
        bench_load_fail(member->connection->thread->load, "room '%s': playing ahead: %s", member->name, error.text);
    }
}

void bench_member_tick(BenchMember *member, bool takes_advice)
{
    tp_session *session = member->room != NULL && member->is_joined ? tp_client_room_session(member->room) : NULL;
    if (session == NULL || member->is_paused) {
        return;
    }
    if (takes_advice) {
        member->skip = tp_session_advice(session, BENCH_LEAD);
    }
    if (member->skip > 0) {
        member->skip -= 1;
        return;
    }
    for (int32_t extra = member->skip; extra <= 0 && member->room != NULL; extra++) {
        advance(member, session);
        session = member->room != NULL ? tp_client_room_session(member->room) : NULL;
        if (session == NULL) {
            return;
        }
    }
    member->skip = 0;
}

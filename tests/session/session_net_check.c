// session_net_check.c: what a session promises, held against the authority after every call.
#include "session_net_internal.h"

static unsigned long long number(uint64_t value)
{
    return value;
}

static bool is_same(const NetEvent *left, const NetEvent *right)
{
    return left->tick == right->tick && left->type == right->type && left->hash == right->hash;
}

static bool take(NetEvents *events, const NetEvent *event)
{
    for (size_t i = 0; i < events->count; i++) {
        if (is_same(&events->events[i], event)) {
            events->events[i] = events->events[--events->count];
            return true;
        }
    }
    return false;
}

static void check_confirmed_event(NetClient *client, const NetEvent *event, bool was_predicted)
{
    NetRun *run = client->run;
    if (client->next_event >= run->events.count || !is_same(&run->events.events[client->next_event], event)) {
        net_fail(run, client, "an event of tick %llu, type %u, was confirmed that is not the next one of the straight run", number(event->tick),
                 event->type);
    }
    client->next_event += 1;
    client->last_confirmed = event->tick;
    if (was_predicted != take(&client->predicted, event)) {
        net_fail(run, client, "an event of tick %llu was confirmed as %s, and it was not so", number(event->tick),
                 was_predicted ? "predicted" : "never predicted");
    }
    if (!was_predicted && take(&client->retracted, event)) {
        net_fail(run, client, "an event of tick %llu was taken back, and happened", number(event->tick));
    }
    client->told_resolved += was_predicted ? 1 : 0;
}

static void check_retracted_event(NetClient *client, const NetEvent *event)
{
    NetRun *run = client->run;
    if (!take(&client->predicted, event)) {
        net_fail(run, client, "an event of tick %llu was taken back that nobody told of", number(event->tick));
    }
    if (event->tick < client->last_retracted || (client->last_confirmed != 0 && event->tick <= client->last_confirmed)) {
        net_fail(run, client, "an event of tick %llu was taken back after others of a later tick, or after confirmed ones", number(event->tick));
    }
    client->retracted.count = event->tick == client->last_retracted ? client->retracted.count : 0;
    client->last_retracted = event->tick;
    net_events_add(&client->retracted, *event);
    client->told_resolved += 1;
}

// Once more is told only what the guess just stepped has more often than was told so far.
static void check_predicted_event(NetClient *client, const NetEvent *event)
{
    tp_view view = tp_sim_view(client->sim);
    size_t  told = 1;
    size_t  happened = 0;
    for (size_t i = 0; i < client->predicted.count; i++) {
        told += is_same(&client->predicted.events[i], event) ? 1 : 0;
    }
    for (uint32_t i = 0; i < view.event_count; i++) {
        NetEvent other = net_event_of(&view.events[i]);
        happened += is_same(&other, event) ? 1 : 0;
    }
    if (told > happened) {
        net_fail(client->run, client, "an event of tick %llu was predicted %zu times, and the guess has it %zu times", number(event->tick), told, happened);
    }
    net_events_add(&client->predicted, *event);
    client->told_predicted += 1;
}

void net_check_event(void *to, const tp_session_event *told)
{
    NetClient *client = to;
    NetEvent   event = net_event_of(&told->event);
    if (told->kind == TP_SESSION_PREDICTED) {
        check_predicted_event(client, &event);
    } else if (told->kind == TP_SESSION_CONFIRMED) {
        check_confirmed_event(client, &event, told->was_predicted);
    } else {
        check_retracted_event(client, &event);
    }
}

static void check_roots(NetClient *client, uint64_t before)
{
    NetRun  *run = client->run;
    uint64_t confirmed = tp_session_confirmed_tick(client->session);
    for (uint64_t tick = before; tick < confirmed; tick++) {
        tp_hash128 own;
        bool       is_old = confirmed - tick > TP_SESSION_ROOTS;
        if (!is_old && (!tp_session_root(client->session, tick, &own) || !tp_hash128_equal(own, run->rows[tick].root))) {
            net_fail(run, client, "the root of tick %llu is not the authority's", number(tick));
        }
        rig_step(client->oracle, run->rows[tick].bytes, run->rows[tick].size);
    }
    run->outcome.confirmed += confirmed - before;
}

// What a tick is guessed to be, written down again from the header: own inputs as given, the others predicted one after another.
static void guess_inputs(NetClient *client, uint64_t tick, uint8_t *inputs)
{
    NetRun *run = client->run;
    for (uint32_t slot = 0; slot < run->players; slot++) {
        uint8_t *place = inputs + slot * run->input_size;
        uint8_t  next[TP_INPUT_SIZE_MAX];
        rig_predict(run->options.world, place, next);
        memcpy(place, next, run->input_size);
    }
    for (uint32_t handle = 0; handle < client->slot_count; handle++) {
        size_t place = (size_t)handle * NET_TICKS_MAX + tick;
        if (!client->is_own[place]) {
            net_fail(run, client, "tick %llu was stepped without an input of handle %u", number(tick), handle);
        }
        memcpy(inputs + client->slots[handle] * run->input_size, client->own + place * run->input_size, run->input_size);
    }
}

// What guesses begin from: the last confirmed row, or what a client knows that has seen none.
static bool begin_guess(NetClient *client, uint64_t confirmed, bool *present, uint8_t *inputs)
{
    NetRun *run = client->run;
    if (confirmed == client->first) {
        return false; // others are not known yet; whatever is shown then is put right by the first row
    }
    const uint8_t *row = run->rows[confirmed - 1].bytes;
    for (uint32_t slot = 0; slot < run->players; slot++) {
        present[slot] = ((row[slot / 8] >> (slot % 8)) & 1) != 0;
    }
    memcpy(inputs, row + (run->players + 7) / 8 + (run->players + 3) / 4, (size_t)run->players * run->input_size);
    return true;
}

// The present is the confirmed state with the guesses stepped on it, by another sim.
static void check_present(NetClient *client)
{
    NetRun  *run = client->run;
    uint64_t confirmed = tp_session_confirmed_tick(client->session);
    bool     present[NET_SLOTS_MAX];
    uint8_t  inputs[NET_SLOTS_MAX * TP_INPUT_SIZE_MAX];
    uint8_t  row[RIG_ROW_MAX];
    if (!begin_guess(client, confirmed, present, inputs)) {
        return;
    }
    size_t   size = 0;
    uint8_t *state = malloc(tp_sim_encoded_max(client->oracle) + 1);
    tp_error error;
    bool is_good = tp_sim_encode(client->oracle, state, tp_sim_encoded_max(client->oracle), &size) &&
                   tp_sim_decode(client->ahead, state, size, confirmed, tp_sim_input_leaf(client->oracle), tp_sim_event_leaf(client->oracle), &error);
    free(state);
    for (uint64_t tick = confirmed; is_good && tick < tp_session_tick(client->session); tick++) {
        guess_inputs(client, tick, inputs);
        rig_step(client->ahead, row, rig_row(client->ahead, present, inputs, NULL, row));
    }
    if (!is_good || !tp_hash128_equal(tp_sim_root(client->ahead), tp_sim_root(client->sim))) {
        net_fail(run, client, "the present %llu, guessed from %llu, is not what the guesses come to", number(tp_session_tick(client->session)),
                 number(confirmed));
    }
}

void net_check_call(NetClient *client, uint64_t before, uint64_t present_before, tp_session_status status, const tp_session_result *result,
                    const tp_error *error)
{
    NetRun               *run = client->run;
    tp_session_statistics statistics;
    uint64_t              confirmed = tp_session_confirmed_tick(client->session);
    uint64_t              present = tp_session_tick(client->session);
    bool                  is_following = client->slot_count == 0 || client->window == 0;
    tp_session_get_statistics(client->session, &statistics);
    if (status != TP_SESSION_OK) {
        net_fail(run, client, "%s: %s", tp_session_status_name(status), error->text);
        return;
    }
    if (present != tp_sim_tick(client->sim) || present < confirmed || present - confirmed > (is_following ? 0 : client->window)) {
        net_fail(run, client, "present %llu, sim %llu, confirmed %llu, window %u", number(present), number(tp_sim_tick(client->sim)), number(confirmed),
                 client->window);
    }
    if (present < present_before && statistics.guess_faults == client->guess_faults) {
        net_fail(run, client, "the present fell from %llu to %llu", number(present_before), number(present));
    }
    if (result->advanced != (present > present_before) || result->confirmed != confirmed - before || result->rolled_back > client->window) {
        net_fail(run, client, "a result that says %u ticks confirmed, %u rolled back", result->confirmed, result->rolled_back);
    }
    client->guess_faults = statistics.guess_faults;
    check_roots(client, before);
    if (tp_pcg32_below(&client->random, 8) == 0 && run->outcome.is_good) {
        check_present(client);
    }
}

void net_check_unconfirmed(NetClient *client, uint32_t handle, uint64_t first, const uint8_t *bytes, uint32_t count)
{
    NetRun  *run = client->run;
    uint64_t known = tp_session_confirmed_tick(client->session) + tp_session_waiting(client->session);
    if (count > 0 && first < known) {
        net_fail(run, client, "the input of tick %llu is to be sent, and all below %llu are confirmed", number(first), number(known));
    }
    for (uint32_t i = 0; i < count; i++) {
        size_t   place = (size_t)handle * NET_TICKS_MAX + first + i;
        uint8_t *own = client->own + place * run->input_size;
        if (client->is_own[place] && memcmp(own, bytes + i * run->input_size, run->input_size) != 0) {
            net_fail(run, client, "the input of tick %llu was given, and is another one now", number(first + i));
        }
        client->is_own[place] = true;
        memcpy(own, bytes + i * run->input_size, run->input_size);
    }
}

// An advance takes the inputs of present + delay once, stalled or not; and what it took is what was given.
void net_check_taken(NetClient *client, const tp_session_result *result)
{
    NetRun  *run = client->run;
    uint8_t  bytes[256 * TP_INPUT_SIZE_MAX];
    uint8_t  wanted[TP_INPUT_SIZE_MAX];
    uint64_t first;
    for (uint32_t handle = 0; handle < client->slot_count; handle++) {
        uint32_t count = tp_session_unconfirmed(client->session, handle, &first, bytes, 256);
        net_check_unconfirmed(client, handle, first, bytes, count);
        bool has_it = count > 0 && result->input_tick >= first && result->input_tick - first < count;
        if (!has_it && result->input_tick < tp_session_confirmed_tick(client->session) + tp_session_waiting(client->session)) {
            continue; // a follower that is behind: its row is there already
        }
        if (!has_it) {
            net_fail(run, client, "tick %llu was given an input, and it is not to be sent", number(result->input_tick));
            return;
        }
        rig_encode(run->options.world, client->hold[handle], wanted);
        if (result->took_inputs && memcmp(bytes + (result->input_tick - first) * run->input_size, wanted, run->input_size) != 0) {
            net_fail(run, client, "tick %llu was given another input than it has", number(result->input_tick));
        }
    }
}

void net_check_end(NetClient *client)
{
    NetRun               *run = client->run;
    tp_session_statistics statistics;
    if (!run->outcome.is_good) {
        return;
    }
    tp_session_get_statistics(client->session, &statistics);
    uint64_t confirmed = tp_session_confirmed_tick(client->session);
    for (size_t i = 0; i < client->predicted.count; i++) {
        if (client->predicted.events[i].tick < confirmed) {
            net_fail(run, client, "an event of tick %llu was predicted, and nothing more was said", number(client->predicted.events[i].tick));
        }
    }
    if (client->next_event != run->events.count) {
        net_fail(run, client, "%zu events of the straight run were never confirmed", run->events.count - client->next_event);
    }
    // The advice has brought everybody's inputs there in time; where the authority itself changes inputs, they are not what they were.
    bool is_changed = strcmp(run->options.world->name, "noisy") == 0 || strcmp(run->options.world->name, "testopaque") == 0;
    if (!is_changed && client->window >= 3 && client->slot_count > 0 && statistics.late != client->late_before) {
        net_fail(run, client, "%llu inputs were late on a calm network", number(statistics.late - client->late_before));
    }
    if (client->told_predicted != client->told_resolved + client->predicted.count) {
        net_fail(run, client, "%llu events were predicted, %llu resolved, %zu are open", number(client->told_predicted), number(client->told_resolved),
                 client->predicted.count);
    }
    if (statistics.events_predicted != client->told_predicted || statistics.rolled_back < statistics.rollbacks) {
        net_fail(run, client, "the statistics do not say what happened");
    }
}

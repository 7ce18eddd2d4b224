// A membership: joining early and late, confirmed ticks whole and in parts, desyncs, worlds that are not here, and nonsense.
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "fake_server.h"

static const tp_world *const worlds[] = { &testworld_flat, &testworld_opaque };

// Goal: from the start or late, in whatever pieces, the client's world is the server's at every tick.
Test(client_room, follows_the_server_from_any_tick)
{
    static const uint64_t ticks[] = { 0, 1, 250 };
    Fake                  fake;
    for (int i = 0; i < 6; i++) {
        fake_open(&fake, worlds[i % 2], ticks[i / 2]);
        fake.row_part = i % 2 == 0 ? 3 : 0;
        cr_assert(fake_join(&fake, 2));
        const FakeEvent *joined = fake_expect(&fake, TP_CLIENT_JOINED);
        cr_assert_eq(joined->event.tick, ticks[i / 2]);
        cr_assert_eq(joined->event.room, fake.room);
        for (int k = 0; k < 150; k++) {
            cr_assert(fake_confirm(&fake));
            const FakeEvent *confirmed = fake_expect(&fake, TP_CLIENT_CONFIRMED);
            cr_assert_eq(confirmed->event.tick, tp_sim_tick(fake.sim) - 1);
            cr_assert_eq(confirmed->event.durable, tp_sim_tick(fake.sim) - 1);
        }
        tp_sim *own = tp_client_room_sim(fake.room);
        cr_assert_eq(tp_sim_tick(own), tp_sim_tick(fake.sim));
        cr_assert(tp_hash128_equal(tp_sim_root(own), tp_sim_root(fake.sim)));
        fake_left(&fake, MESSAGE_REASON_ENDED);
        fake_expect(&fake, TP_CLIENT_LEFT);
        fake_close(&fake);
    }
}

Test(client_room, pieces_may_be_of_any_size)
{
    Fake fake;
    fake_open(&fake, &testworld_flat, 77);
    fake_welcome(&fake);
    fake_ask(&fake, 2);
    Message joined = fake_joined(&fake);
    fake_give(&fake, &joined);
    cr_assert(fake_pieces(&fake, MESSAGE_PIECE_RULES, 0, 5, 0));
    cr_assert(fake_pieces(&fake, MESSAGE_PIECE_RULES, 5, SIZE_MAX, 1));
    Message ready = fake_sent(&fake, 0, MESSAGE_READY);
    cr_assert(ready.room == FAKE_ROOM && ready.epoch == FAKE_EPOCH && tp_hash128_equal(ready.body.ready.rules_id, tp_sim_rules(fake.sim)->id));
    Message state = fake_state(&fake);
    cr_assert(fake_give(&fake, &state));
    cr_assert(fake_pieces(&fake, MESSAGE_PIECE_STATE, 0, SIZE_MAX, 7));
    fake_expect(&fake, TP_CLIENT_JOINED);
    const uint8_t *slots = NULL;
    cr_assert_eq(tp_client_room_slots(fake.room, &slots), 2);
    cr_assert(slots[0] == 0 && slots[1] == 1);
    cr_assert_eq(tp_client_room_number(fake.room), FAKE_ROOM);
    cr_assert_eq(tp_client_room_epoch(fake.room), FAKE_EPOCH);
    cr_assert_eq(tp_client_room_ahead(fake.room), FAKE_AHEAD);
    fake_close(&fake);
}

static void flip_root(uint8_t *row, size_t size, tp_hash128 *root)
{
    (void)row;
    (void)size;
    root->hi ^= 1;
}

static void flip_stick(uint8_t *row, size_t size, tp_hash128 *root)
{
    (void)size;
    (void)root;
    row[3] ^= 2; // presence, origins, then slot 0's buttons and stick
}

static void flip_origin(uint8_t *row, size_t size, tp_hash128 *root)
{
    (void)size;
    (void)root;
    row[1] ^= 1;
}

static void flip_presence(uint8_t *row, size_t size, tp_hash128 *root)
{
    (void)size;
    (void)root;
    row[0] ^= 0x40; // there is no slot 6
}

static void big_buttons(uint8_t *row, size_t size, tp_hash128 *root)
{
    (void)size;
    (void)root;
    row[2] = 99;
}

// Goal: one wrong bit of a root, or of what is stepped, is a desync at that very tick; the origin, which no root binds, is none.
Test(client_room, a_planted_bit_is_a_desync_at_its_tick)
{
    Fake fake;
    for (int i = 0; i < 3; i++) {
        fake_open(&fake, &testworld_flat, 20);
        fake.row_part = i == 1 ? 2 : 0;
        fake_join(&fake, 2);
        fake_confirm(&fake);
        cr_assert(fake_confirm_changed(&fake, i == 0 ? flip_root : i == 1 ? flip_stick : flip_origin));
        if (i == 2) {
            fake_expect(&fake, TP_CLIENT_CONFIRMED);
            fake_close(&fake);
            continue;
        }
        const FakeEvent *event = fake_expect(&fake, TP_CLIENT_DESYNC);
        cr_assert_eq(event->event.tick, 21);
        cr_assert_not(tp_hash128_equal(event->event.root, event->event.own_root));
        cr_assert(tp_hash128_equal(event->event.own_root, tp_sim_root(tp_client_room_sim(fake.room))));
        // Nothing further is confirmed; leaving still works.
        uint32_t events = fake.event_count;
        cr_assert(fake_confirm(&fake));
        cr_assert_eq(fake.event_count, events);
        cr_assert_eq(tp_sim_tick(tp_client_room_sim(fake.room)), 22);
        cr_assert_not(tp_client_input(fake.room, 0, 22, &(TestInput){ 0 }, NULL));
        tp_client_leave(fake.room);
        fake_sent(&fake, 0, MESSAGE_LEAVE);
        cr_assert(fake_left(&fake, MESSAGE_REASON_ASKED));
        fake_expect(&fake, TP_CLIENT_LEFT);
        fake_close(&fake);
    }
}

Test(client_room, rows_that_no_world_could_have_stepped_are_nonsense)
{
    Fake fake;
    fake_open(&fake, &testworld_flat, 20);
    fake_join(&fake, 2);
    cr_assert_not(fake_confirm_changed(&fake, flip_presence));
    fake_expect_malformed(&fake, "CONFIRMED of room 7: tick 20: presence has bits past slot 1");
    fake_close(&fake);

    fake_open(&fake, &testworld_flat, 20);
    fake_join(&fake, 2);
    cr_assert_not(fake_confirm_changed(&fake, big_buttons));
    fake_expect_malformed(&fake, "slot 0");
    fake_close(&fake);
}

// Goal: a tick that the server confirms and that faults here is a disagreement, not an end.
Test(client_room, a_fault_here_alone_is_a_desync)
{
    Fake    fake;
    uint8_t row[64];
    fake_open(&fake, &testworld_flat, 20);
    fake_join(&fake, 2);
    TestScript script;
    tp_row     scripted = testworld_row(fake.sim, &script, 20);
    tp_command fault = { .source = TP_SOURCE_HOST, .type = TESTWORLD_COMMAND_FAULT };
    scripted.commands = &fault;
    scripted.command_count = 1;
    Message message = { .type = MESSAGE_CONFIRMED, .room = FAKE_ROOM, .epoch = FAKE_EPOCH, .tick = 20 };
    message.body.confirmed.parts = 1;
    message.body.confirmed.size = (uint16_t)tp_row_encode(tp_sim_layout(fake.sim), &scripted, row, sizeof(row));
    message.body.confirmed.bytes = row;
    cr_assert(fake_give(&fake, &message));
    const FakeEvent *event = fake_expect(&fake, TP_CLIENT_DESYNC);
    cr_assert_eq(event->event.tick, 20);
    cr_assert_neq(event->text[0], '\0', "the fault is named");
    cr_assert(tp_hash128_equal(event->event.own_root, tp_sim_fault_root(tp_client_room_sim(fake.room))));
    fake_close(&fake);
}

// Worlds that are not here.

static void expect_not_here(Fake *fake, const char *text)
{
    fake_join(fake, 1);
    const FakeEvent *event = fake_expect(fake, TP_CLIENT_REFUSED);
    cr_assert_eq(event->event.reason, TP_CLIENT_REASON_HERE);
    cr_assert_not_null(strstr(event->text, text), "\"%s\" does not have \"%s\"", event->text, text);
    Message leave = fake_sent(fake, 0, MESSAGE_LEAVE);
    cr_assert_eq(leave.body.leave.reason, MESSAGE_REASON_INCOMPATIBLE);
    cr_assert(leave.body.leave.text.size == strlen(event->text) && memcmp(leave.body.leave.text.text, event->text, strlen(event->text)) == 0);
    // Pieces and ticks are still on their way, then LEFT; nobody hears of them, and the number is free again.
    uint32_t events = fake->event_count;
    cr_assert(fake_confirm(fake));
    cr_assert(fake_left(fake, MESSAGE_REASON_ASKED));
    cr_assert_eq(fake->event_count, events);
    fake_ask(fake, 1);
    Message joined = fake_joined(fake);
    cr_assert(fake_give(fake, &joined));
    fake_close(fake);
}

Test(client_room, a_world_that_is_not_here_is_named)
{
    Fake fake;
    fake_open(&fake, &testworld_flat, 5);
    fake.world = NULL;
    expect_not_here(&fake, "is not here");
}

Test(client_room, another_revision_is_named)
{
    Fake     fake;
    tp_world other = testworld_flat;
    other.revision += 1;
    fake_open(&fake, &testworld_flat, 5);
    fake.world = &other;
    expect_not_here(&fake, "is revision 1");
}

Test(client_room, another_layout_is_named)
{
    Fake           fake;
    tp_world       other = testworld_flat;
    tp_record_type input = *testworld_flat.input;
    tp_field       fields[2] = { testworld_flat.input->fields[0], testworld_flat.input->fields[1] };
    fields[1].name = "lever";
    input.fields = fields;
    other.input = &input;
    fake_open(&fake, &testworld_flat, 5);
    fake.world = &other;
    expect_not_here(&fake, "layout of world");
}

Test(client_room, other_content_is_named)
{
    static const uint8_t    table[4] = { 1, 2, 3, 4 };
    static const tp_content content = { .name = "table", .data = table, .size = 4, .value_size = 1 };
    Fake                    fake;
    tp_world                other = testworld_flat;
    other.content = &content;
    other.content_count = 1;
    fake_open(&fake, &testworld_flat, 5);
    fake.world = &other;
    expect_not_here(&fake, "content of world");
}

// Nonsense. Each case has a client in the middle of something, and gives it one thing that has no place there.

static void open_asked(Fake *fake)
{
    fake_open(fake, &testworld_flat, 40);
    fake_welcome(fake);
    fake_ask(fake, 2);
}

static void open_joined(Fake *fake)
{
    open_asked(fake);
    Message joined = fake_joined(fake);
    fake_give(fake, &joined);
}

Test(client_room, joined_must_be_what_was_asked_for)
{
    Fake fake;
    open_asked(&fake);
    Message joined = fake_joined(&fake);
    joined.body.joined.cookie ^= 1u << 10;
    cr_assert_not(fake_give(&fake, &joined));
    fake_expect_malformed(&fake, "nobody asked for it");
    fake_close(&fake);

    open_asked(&fake);
    joined = fake_joined(&fake);
    joined.body.joined.slot_count = 1;
    cr_assert_not(fake_give(&fake, &joined));
    fake_expect_malformed(&fake, "1 slots came, 2 were asked for");
    fake_close(&fake);

    open_joined(&fake);
    joined = fake_joined(&fake);
    cr_assert_not(fake_give(&fake, &joined));
    fake_expect_malformed(&fake, "nobody asked for it");
    fake_close(&fake);

    open_asked(&fake);
    joined = fake_joined(&fake);
    joined.body.joined.slots[1] = 2;
    fake_give(&fake, &joined);
    cr_assert_not(fake_pieces(&fake, MESSAGE_PIECE_RULES, 0, SIZE_MAX, 0));
    fake_expect_malformed(&fake, "slot 2 was given, the rules have 2");
    fake_close(&fake);
}

// A piece of whatever bytes.
static bool give_piece(Fake *fake, MessagePieceKind kind, const uint8_t *bytes, size_t size)
{
    Message piece = { .type = MESSAGE_PIECE, .room = FAKE_ROOM, .epoch = FAKE_EPOCH, .tick = 40 };
    piece.body.piece.kind = (uint8_t)kind;
    piece.body.piece.total = piece.body.piece.size = (uint16_t)size;
    piece.body.piece.bytes = bytes;
    return fake_give(fake, &piece);
}

Test(client_room, pieces_come_in_order_once_and_whole)
{
    Fake fake;
    open_joined(&fake);
    cr_assert_not(fake_pieces(&fake, MESSAGE_PIECE_STATE, 0, 10, 0));
    fake_expect_malformed(&fake, "PIECE of room 7: a piece of the state is not due");
    fake_close(&fake);

    open_joined(&fake);
    cr_assert_not(fake_pieces(&fake, MESSAGE_PIECE_RULES, 1, SIZE_MAX, 0));
    fake_expect_malformed(&fake, "byte 1 of");
    fake_close(&fake);

    open_joined(&fake);
    fake_pieces(&fake, MESSAGE_PIECE_RULES, 0, 10, 0);
    cr_assert_not(fake_pieces(&fake, MESSAGE_PIECE_RULES, 0, 10, 0));
    fake_expect_malformed(&fake, "10 of");
    fake_close(&fake);

    open_joined(&fake);
    fake_pieces(&fake, MESSAGE_PIECE_RULES, 0, SIZE_MAX, 0);
    cr_assert_not(fake_pieces(&fake, MESSAGE_PIECE_RULES, 0, 10, 0));
    fake_expect_malformed(&fake, "a piece of the rules is not due");
    fake_close(&fake);

    open_joined(&fake);
    fake_pieces(&fake, MESSAGE_PIECE_RULES, 0, SIZE_MAX, 0);
    Message state = fake_state(&fake);
    fake_give(&fake, &state);
    fake_pieces(&fake, MESSAGE_PIECE_STATE, 0, 10, 0);
    cr_assert_not(fake_pieces(&fake, MESSAGE_PIECE_STATE, 11, 20, 0));
    fake_expect_malformed(&fake, "byte 11 of");
    fake_close(&fake);

    open_joined(&fake);
    fake_pieces(&fake, MESSAGE_PIECE_RULES, 0, SIZE_MAX, 0);
    state = fake_state(&fake);
    fake_give(&fake, &state);
    fake.state_tick += 1;
    cr_assert_not(fake_pieces(&fake, MESSAGE_PIECE_STATE, 0, 10, 0));
    fake_expect_malformed(&fake, "a piece of the state at tick 41 came, of that at tick 40 was due");
    fake_close(&fake);

    fake_open(&fake, &testworld_flat, 40);
    fake_join(&fake, 2);
    cr_assert_not(give_piece(&fake, MESSAGE_PIECE_OWN, (const uint8_t *)"own", 3));
    fake_expect_malformed(&fake, "only clients send their own state");
    fake_close(&fake);

    fake_open(&fake, &testworld_flat, 40);
    fake_join(&fake, 2);
    cr_assert_not(fake_pieces(&fake, MESSAGE_PIECE_STATE, 0, 10, 0));
    fake_expect_malformed(&fake, "a piece of the state is not due");
    fake_close(&fake);
}

Test(client_room, rules_are_read_as_foreign_bytes)
{
    Fake           fake;
    const uint8_t *rules = tp_sim_rules((fake_open(&fake, &testworld_flat, 40), fake.sim))->bytes;
    uint8_t        changed[1000];
    uint32_t       size = tp_sim_rules(fake.sim)->size;
    cr_assert_leq(size, sizeof(changed));
    memcpy(changed, rules, size);
    changed[32] = 200; // slots
    fake_close(&fake);

    open_joined(&fake);
    cr_assert_not(give_piece(&fake, MESSAGE_PIECE_RULES, changed, size));
    fake_expect_malformed(&fake, "more than 128 slots");
    fake_close(&fake);
}

static Message confirmed(uint64_t tick, uint32_t part, uint32_t parts)
{
    static const uint8_t bytes[MESSAGE_PART_MAX];
    Message              message = { .type = MESSAGE_CONFIRMED, .room = FAKE_ROOM, .epoch = FAKE_EPOCH, .tick = tick };
    message.body.confirmed.part = (uint8_t)part;
    message.body.confirmed.parts = (uint8_t)parts;
    message.body.confirmed.size = MESSAGE_PART_MAX;
    message.body.confirmed.bytes = bytes;
    return message;
}

static void expect_unconfirmed(Message message, const char *text)
{
    Fake fake;
    fake_open(&fake, &testworld_flat, 40);
    fake_join(&fake, 2);
    fake_confirm(&fake);
    cr_assert_not(fake_give(&fake, &message));
    fake_expect_malformed(&fake, text);
    fake_close(&fake);
}

Test(client_room, ticks_come_one_after_another)
{
    Message message = confirmed(42, 0, 1);
    expect_unconfirmed(message, "tick 42 came, 41 was due");
    message = confirmed(40, 0, 1);
    expect_unconfirmed(message, "tick 40 came, 41 was due");
    message = confirmed(41, 1, 2);
    expect_unconfirmed(message, "part 1 of 2 of a row came, part 0 was due");
    message = confirmed(41, 0, 1);
    message.room = 8;
    expect_unconfirmed(message, "CONFIRMED of room 8: this client is not in that room");
    message.room = FAKE_ROOM;
    message.epoch = 4;
    expect_unconfirmed(message, "it is of epoch 4, the membership of epoch 3");
    message = confirmed(41, 0, 1);
    expect_unconfirmed(message, "tick 41: a row of 1156 bytes");

    Fake fake;
    open_joined(&fake);
    message = confirmed(40, 0, 1);
    cr_assert_not(fake_give(&fake, &message));
    fake_expect_malformed(&fake, "it came before the whole state");
    fake_close(&fake);
}

Test(client_room, parts_of_a_row_belong_together)
{
    Fake fake;
    for (int i = 0; i < 4; i++) {
        fake_open(&fake, &testworld_flat, 40);
        fake_join(&fake, 2);
        Message message = confirmed(40, 0, 100);
        cr_assert(fake_give(&fake, &message));
        message.body.confirmed.part = i == 0 ? 0 : i == 1 ? 2 : 1;
        message.body.confirmed.parts = i == 2 ? 99 : 100;
        message.body.confirmed.root.lo = i == 3 ? 1 : 0;
        cr_assert_not(fake_give(&fake, &message));
        fake_expect_malformed(&fake, i == 3 ? "different roots" : "part 1 was due");
        fake_close(&fake);
    }
}

// Goal: whatever a server sends, a row takes no more memory than the world's largest.
Test(client_room, a_row_is_bounded_by_the_world)
{
    Fake     fake;
    uint32_t part = 0;
    fake_open(&fake, &testworld_flat, 40);
    fake_join(&fake, 2);
    bool is_on = true;
    for (; is_on && part < 200; part++) {
        Message message = confirmed(40, part, 200);
        is_on = fake_give(&fake, &message);
    }
    cr_assert_eq(part, (TP_COMMAND_BYTES_MAX + 8) / MESSAGE_PART_MAX + 1);
    fake_expect_malformed(&fake, "larger than this world's can be");
    fake_close(&fake);
}

// Inputs.

Test(client_room, inputs_go_out_in_range_for_slots_and_ticks_that_can_be)
{
    Fake      fake;
    tp_error  error;
    TestInput input = { .buttons = 200, .stick = -128 };
    fake_open(&fake, &testworld_flat, 40);
    fake.slots[0] = 1;
    fake_join(&fake, 1);
    cr_assert(tp_client_input(fake.room, 1, 40, &input, &error), "%s", error.text);
    Message sent = fake_sent(&fake, 0, MESSAGE_INPUT);
    cr_assert(sent.room == FAKE_ROOM && sent.epoch == FAKE_EPOCH && sent.tick == 40);
    cr_assert(sent.body.input.slot == 1 && sent.body.input.size == 2 && sent.body.input.count == 1);
    cr_assert_eq(sent.body.input.bytes[0], 7);
    cr_assert_eq((int8_t)sent.body.input.bytes[1], -127);
    cr_assert(tp_client_input(fake.room, 1, 47, &input, &error));
    uint32_t count = fake.sent_count;
    cr_assert_not(tp_client_input(fake.room, 1, 48, &input, &error));
    cr_assert_str_eq(error.text, "inputs are taken for ticks 40 to 47, not for 48");
    cr_assert_not(tp_client_input(fake.room, 1, 39, &input, &error));
    cr_assert_not(tp_client_input(fake.room, 0, 40, &input, &error));
    cr_assert_str_eq(error.text, "slot 0 is not this client's");
    cr_assert_not(tp_client_input(fake.room, 4000000000u, 40, &input, &error));
    cr_assert_eq(fake.sent_count, count);
    fake_close(&fake);
}

static void faulty_sanitise(void *input)
{
    (void)input;
    TP_FAULT(TP_FAULT_WORLD, "planted");
}

Test(client_room, a_fault_at_the_border_leaves_the_clamped_input)
{
    Fake     fake;
    tp_error error;
    tp_world world = testworld_flat;
    world.sanitise = faulty_sanitise;
    fake_open(&fake, &testworld_flat, 40);
    fake.world = &world;
    fake_join(&fake, 2);
    cr_assert(tp_client_input(fake.room, 0, 40, &(TestInput){ .buttons = 9 }, &error));
    cr_assert_eq(fake_sent(&fake, 0, MESSAGE_INPUT).body.input.bytes[0], 7);
    fake_close(&fake);
}

// Goal: whatever an event's receiver does with this page from inside it holds.
static void leave_and_join_again(void *to, const tp_client_event *event)
{
    Fake *fake = to;
    if (event->kind == TP_CLIENT_CONFIRMED) {
        tp_client_leave(event->room);
        tp_client_input(event->room, 0, event->tick + 1, &(TestInput){ 0 }, NULL);
    } else if (event->kind == TP_CLIENT_LEFT) {
        tp_client_leave(event->room);
        for (int i = 0; i < 9; i++) {
            fake_ask(fake, 1);
        }
    }
}

Test(client_room, an_event_s_receiver_may_leave_and_join)
{
    Fake fake;
    fake_open(&fake, &testworld_flat, 40);
    fake_join(&fake, 2);
    fake.on_event = leave_and_join_again;
    cr_assert(fake_confirm(&fake));
    fake_sent(&fake, 0, MESSAGE_LEAVE);
    cr_assert(fake_left(&fake, MESSAGE_REASON_ASKED));
    fake_sent(&fake, 8, MESSAGE_JOIN);
    Message joined = fake_joined(&fake);
    cr_assert(fake_give(&fake, &joined));
    fake_close(&fake);
}

// Goal: no stream of a server, however it is changed, does more than end the connection. Run under sanitizers it is the fuzzer of this door.

static uint64_t random_state, whole; // whole: how many streams came past the second state

static uint64_t draw(uint64_t below)
{
    random_state = random_state * UINT64_C(6364136223846793005) + 1442695040888963407u;
    return (random_state >> 33) % below;
}

enum { PLANTED = 41 }; // the tick that the recorded client has wrong

// Plays on as a user would, whatever has come until now.
static void play(Fake *fake)
{
    TestInput input = { .stick = 9 };
    tp_session *session = tp_client_room_session(fake->room);
    tp_client_pulse(fake->client, fake->given_count * 10);
    tp_client_room_plant(fake->room, PLANTED, 1);
    if (session != NULL) {
        tp_session_input(session, 0, &input, NULL);
        tp_session_input(session, 1, &input, NULL);
        tp_client_advance(fake->room, NULL, NULL);
    }
}

// Joins, and lets `fake` take the recorded messages with one change at a random place.
static void replay_changed(const Fake *recorded, const tp_session_options *session)
{
    Fake     fake;
    uint32_t place = (uint32_t)draw(recorded->given_count);
    uint32_t kind = (uint32_t)draw(6);
    fake_open(&fake, &testworld_flat, 0);
    fake.session = session;
    bool is_on = true;
    for (uint32_t i = 0; i < recorded->given_count && is_on; i++) {
        FakeMessage message = recorded->given[i];
        if (i == 1) {
            fake_ask(&fake, 2); // the recorded cookie is the first one's, too
            tp_client_admin(fake.client, FAKE_ROOM, "key", TP_CLIENT_PAUSE, 0, 0, NULL, 0, 1);
        }
        if (i == place) {
            switch (kind) {
            case 0: continue;
            case 1: is_on = fake_give_bytes(&fake, message.bytes, message.size); break;
            case 2: message.size = (uint16_t)(1 + draw(message.size)); break;
            case 3: message = recorded->given[draw(recorded->given_count)]; break;
            default:
                for (uint64_t k = 0; k < 1 + draw(4); k++) {
                    message.bytes[draw(message.size)] ^= (uint8_t)(1u << draw(8));
                }
            }
        }
        is_on = is_on && fake_give_bytes(&fake, message.bytes, message.size);
        if (i > 0 && !fake.is_gone) {
            play(&fake);
        }
    }
    whole += fake.kinds[TP_CLIENT_REWOUND];
    if (!is_on) {
        tp_client_event_kind last = fake.events[(fake.event_count - 1) % FAKE_EVENTS_MAX].event.kind;
        cr_assert(last == TP_CLIENT_MALFORMED || last == TP_CLIENT_BYE);
    }
    fake_close(&fake);
}

static void record(Fake *recorded)
{
    fake_open(recorded, &testworld_flat, 33);
    recorded->row_part = 5;
    recorded->report = 4;
    fake_join(recorded, 2);
    tp_client_admin(recorded->client, FAKE_ROOM, "key", TP_CLIENT_PAUSE, 0, 0, NULL, 0, 1);
    for (int i = 0; i < 12; i++) {
        Message message = { .room = FAKE_ROOM, .epoch = FAKE_EPOCH };
        if (i == 3) {
            message.type = MESSAGE_SAID;
            message.body.said.slot = 1;
            message.body.said.text = message_text("hello");
        } else if (i == 4) {
            message.type = MESSAGE_PACE;
            message.body.pace.rate_mhz = 60000;
        } else if (i == 5) {
            message.type = MESSAGE_TIMING;
            message.body.timing.count = 1;
            message.body.timing.items[0] = (MessageTiming){ .slot = 1, .lead = 3 };
        } else if (i == 6) {
            message.type = MESSAGE_ADMINED;
            message.body.admined.text = message_text("done");
        } else if (i == 8) {
            tp_client_room_plant(recorded->room, PLANTED, 1);
        } else if (i == 9) {
            message.type = MESSAGE_WANTED;
            message.tick = tp_sim_tick(recorded->sim) - 1;
        } else if (i == 10) {
            cr_assert(fake_give_state(recorded));
        }
        cr_assert(message.type == 0 || fake_give(recorded, &message));
        cr_assert(fake_confirm(recorded));
    }
    fake_left(recorded, MESSAGE_REASON_ENDED);
    fake_expect(recorded, TP_CLIENT_LEFT);
}

Test(client_room, a_changed_stream_never_does_harm)
{
    Fake               recorded;
    tp_session_options options;
    tp_session_options_standard(&options);
    record(&recorded);
    random_state = 1;
    for (int i = 0; i < 4000; i++) {
        options.window = (uint32_t)draw(3) * 4;
        replay_changed(&recorded, i % 2 == 0 ? NULL : &options);
    }
    cr_assert_gt(whole, 500, "else most of the stream is never looked at");
    fake_close(&recorded);
}

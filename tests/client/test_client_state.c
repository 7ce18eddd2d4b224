// States that the server sends: the first, later ones, and everything that is none.
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#include "fake_server.h"

static void open_ready(Fake *fake, uint64_t ticks)
{
    fake_open(fake, &testworld_flat, ticks);
    fake_welcome(fake);
    fake_ask(fake, 2);
    Message joined = fake_joined(fake);
    fake_give(fake, &joined);
    fake_pieces(fake, MESSAGE_PIECE_RULES, 0, SIZE_MAX, 0);
    fake_sent(fake, 0, MESSAGE_READY);
}

// Goal: the second state of a membership, further on or back, makes the world anew, and play goes on from there.
Test(client_state, a_later_state_rewinds)
{
    Fake fake;
    fake_open(&fake, &testworld_flat, 40);
    fake_join(&fake, 2);
    for (int i = 0; i < 20; i++) {
        fake_confirm(&fake);
    }
    tp_sim_destroy(fake.sim);
    fake.sim = testworld_run(&testworld_flat, 2, 5, 52); // as a server that lost the last eight
    cr_assert(fake_give_state(&fake));
    const FakeEvent *event = fake_expect(&fake, TP_CLIENT_REWOUND);
    cr_assert(event->event.from == 60 && event->event.tick == 52);
    cr_assert(tp_hash128_equal(tp_sim_root(tp_client_room_sim(fake.room)), tp_sim_root(fake.sim)));
    cr_assert(fake_confirm(&fake));
    cr_assert_eq(fake_expect(&fake, TP_CLIENT_CONFIRMED)->event.tick, 52);
    cr_assert(tp_client_input(fake.room, 0, 53, &(TestInput){ 0 }, NULL));
    fake_close(&fake);
}

// Goal: a state ends a desync, also one by a fault; nothing is taken in between.
Test(client_state, a_desync_is_over_with_the_next_state)
{
    Fake fake;
    fake_open(&fake, &testworld_flat, 40);
    fake_join(&fake, 2);
    cr_assert(tp_client_room_plant(fake.room, 41, 7));
    fake_confirm(&fake);
    fake_expect(&fake, TP_CLIENT_CONFIRMED);
    fake_confirm(&fake);
    cr_assert_eq(fake_expect(&fake, TP_CLIENT_DESYNC)->event.tick, 41);
    fake_confirm(&fake);
    Message state = fake_state(&fake);
    cr_assert(fake_give(&fake, &state));
    cr_assert_not(tp_client_input(fake.room, 0, 44, &(TestInput){ 0 }, NULL), "a world that is being replaced takes none");
    cr_assert(fake_pieces(&fake, MESSAGE_PIECE_STATE, 0, SIZE_MAX, 0));
    cr_assert_eq(fake_expect(&fake, TP_CLIENT_REWOUND)->event.from, 42);
    cr_assert(fake_confirm(&fake));
    fake_expect(&fake, TP_CLIENT_CONFIRMED);
    fake_close(&fake);
}

// Goal: the server changes its mind while a state is under way: the newer one counts.
Test(client_state, a_state_may_follow_one_that_is_not_whole)
{
    Fake fake;
    open_ready(&fake, 40);
    Message state = fake_state(&fake);
    fake_give(&fake, &state);
    fake_pieces(&fake, MESSAGE_PIECE_STATE, 0, 30, 0);
    tp_sim_destroy(fake.sim);
    fake.sim = testworld_run(&testworld_flat, 2, 5, 90);
    cr_assert(fake_give_state(&fake));
    cr_assert_eq(fake_expect(&fake, TP_CLIENT_JOINED)->event.tick, 90);
    fake_close(&fake);
}

// Goal: a row that was begun before a state does not go on behind it.
Test(client_state, a_state_ends_a_row_that_was_begun)
{
    Fake fake;
    fake_open(&fake, &testworld_flat, 40);
    fake_join(&fake, 2);
    Message part = { .type = MESSAGE_CONFIRMED, .room = FAKE_ROOM, .epoch = FAKE_EPOCH, .tick = 40 };
    part.body.confirmed.parts = 2;
    part.body.confirmed.size = 1;
    part.body.confirmed.bytes = (const uint8_t *)"";
    cr_assert(fake_give(&fake, &part));
    cr_assert(fake_give_state(&fake));
    cr_assert(fake_confirm(&fake));
    fake_expect(&fake, TP_CLIENT_CONFIRMED);
    fake_close(&fake);
}

Test(client_state, another_root_is_a_desync_before_joined_and_reported)
{
    Fake fake;
    for (int i = 0; i < 2; i++) {
        open_ready(&fake, i == 0 ? 0 : 30);
        Message state = fake_state(&fake);
        state.body.state.event_leaf ^= 1;
        fake_give(&fake, &state);
        cr_assert(fake_pieces(&fake, MESSAGE_PIECE_STATE, 0, SIZE_MAX, 0));
        const FakeEvent *event = fake_expect(&fake, TP_CLIENT_DESYNC);
        cr_assert_eq(event->event.tick, i == 0 ? TP_ROOT_TICK_START : 29);
        cr_assert_eq(fake.reports, i == 0 ? 0 : 1, "there is no tick before the first to report");
        if (i == 1) {
            cr_assert(fake.reported.tick == 29 && tp_hash128_equal(fake.reported.body.report.root, event->event.own_root));
        }
        cr_assert_null(tp_client_room_token(fake.room));
        // The server may try again: then it is the join.
        cr_assert(fake_give_state(&fake));
        fake_expect(&fake, TP_CLIENT_JOINED);
        fake_close(&fake);
    }
}

// Goal: what the server announces is held against the world before memory is taken for it.
Test(client_state, what_is_announced_is_bounded_by_the_world)
{
    Fake fake;
    open_ready(&fake, 40);
    Message state = fake_state(&fake);
    state.body.state.size = (uint32_t)tp_sim_encoded_max(fake.sim) + 1;
    cr_assert_not(fake_give(&fake, &state));
    fake_expect_malformed(&fake, "STATE of room 7: a state of ");
    fake_close(&fake);

    open_ready(&fake, 40);
    state = fake_state(&fake);
    state.body.state.packed_size = state.body.state.size + state.body.state.size / 128 + 129;
    cr_assert_not(fake_give(&fake, &state));
    fake_expect_malformed(&fake, "bytes were announced for a state of");
    fake_close(&fake);

    open_ready(&fake, 40);
    state = fake_state(&fake);
    state.tick = UINT64_MAX - 1;
    cr_assert_not(fake_give(&fake, &state));
    fake_expect_malformed(&fake, "no world gets to tick");
    fake_close(&fake);

    fake_open(&fake, &testworld_flat, 40);
    fake_welcome(&fake);
    fake_ask(&fake, 2);
    Message joined = fake_joined(&fake);
    fake_give(&fake, &joined);
    state = fake_state(&fake);
    cr_assert_not(fake_give(&fake, &state));
    fake_expect_malformed(&fake, "before this client was ready");
    fake_close(&fake);
}

// Gives `packed` as the whole state, announced with this size.
static void expect_no_state(const uint8_t *packed, size_t packed_size, uint32_t size, const char *text)
{
    Fake fake;
    open_ready(&fake, 40);
    Message state = fake_state(&fake);
    state.body.state.size = size;
    state.body.state.packed_size = (uint32_t)packed_size;
    fake.packed_size = packed_size;
    fake.packed = realloc(fake.packed, packed_size);
    memcpy(fake.packed, packed, packed_size);
    cr_assert(fake_give(&fake, &state));
    cr_assert_not(fake_pieces(&fake, MESSAGE_PIECE_STATE, 0, SIZE_MAX, 0), "%s", text);
    fake_expect_malformed(&fake, text);
    fake_close(&fake);
}

// The state of the world of open_ready, and room for what a test makes of it.
typedef struct {
    uint8_t plain[4000], packed[8000];
    size_t  size, packed_size;
} Packed;

static void pack(Packed *packed)
{
    tp_sim *sim = testworld_run(&testworld_flat, 2, 5, 40);
    cr_assert(tp_sim_encode(sim, packed->plain, sizeof(packed->plain), &packed->size));
    tp_sim_destroy(sim);
    packed->packed_size = ZSTD_compress(packed->packed, sizeof(packed->packed), packed->plain, packed->size, 1);
    cr_assert(!ZSTD_isError(packed->packed_size));
}

Test(client_state, a_frame_is_one_whole_and_says_its_size)
{
    static const uint8_t skippable[] = { 0x50, 0x2A, 0x4D, 0x18, 1, 0, 0, 0, 0 };
    Packed               packed;
    pack(&packed);
    uint32_t size = (uint32_t)packed.size;
    expect_no_state((const uint8_t *)"no frame", 8, size, "the state at tick 40 is not one frame of zstd");
    expect_no_state((const uint8_t *)"x", 1, size, "is not one frame of zstd");
    expect_no_state(packed.packed, packed.packed_size - 1, size, "is not one frame of zstd");
    expect_no_state(packed.packed, packed.packed_size, size - 1, "is not one of");
    // More than one frame, and one that is skipped.
    memcpy(packed.packed + packed.packed_size, skippable, sizeof(skippable));
    expect_no_state(packed.packed, packed.packed_size + sizeof(skippable), size, "is not one frame of zstd");
    expect_no_state(skippable, sizeof(skippable), 0, "is not one frame of zstd");
    // A changed byte of what is in it.
    packed.packed[packed.packed_size / 2] ^= 0x10;
    Fake fake;
    open_ready(&fake, 40);
    Message state = fake_state(&fake);
    memcpy(fake.packed, packed.packed, packed.packed_size);
    fake_give(&fake, &state);
    bool is_on = fake_pieces(&fake, MESSAGE_PIECE_STATE, 0, SIZE_MAX, 0);
    cr_assert(!is_on || fake_expect(&fake, TP_CLIENT_DESYNC) != NULL, "it is no state, or not the one that was announced");
    fake_close(&fake);
}

// Goal: a frame that does not say how much is in it, or wants a window of a gigabyte, takes no more memory than STATE announced.
Test(client_state, a_frame_of_unknown_size_is_refused_unread)
{
    Packed packed;
    pack(&packed);
    ZSTD_CCtx *context = ZSTD_createCCtx();
    ZSTD_CCtx_setParameter(context, ZSTD_c_contentSizeFlag, 0);
    ZSTD_CCtx_setParameter(context, ZSTD_c_windowLog, 30);
    ZSTD_inBuffer  in = { packed.plain, packed.size, 0 };
    ZSTD_outBuffer out = { packed.packed, sizeof(packed.packed), 0 };
    cr_assert_eq(ZSTD_compressStream2(context, &out, &in, ZSTD_e_end), 0);
    ZSTD_freeCCtx(context);
    expect_no_state(packed.packed, out.pos, (uint32_t)packed.size, "the frame of the state at tick 40 is not one of");
}

Test(client_state, what_is_in_the_frame_is_read_as_foreign_bytes)
{
    Packed packed;
    pack(&packed);
    memset(packed.plain, 0xFF, packed.size);
    packed.packed_size = ZSTD_compress(packed.packed, sizeof(packed.packed), packed.plain, packed.size, 1);
    expect_no_state(packed.packed, packed.packed_size, (uint32_t)packed.size, "the state at tick 40: ");
    // Fewer bytes than the world has.
    packed.packed_size = ZSTD_compress(packed.packed, sizeof(packed.packed), packed.plain, packed.size - 1, 1);
    expect_no_state(packed.packed, packed.packed_size, (uint32_t)packed.size - 1, "the state at tick 40: ");
}

// Goal: a state that grows by being packed is taken, too.
Test(client_state, an_opaque_world_with_an_incompressible_state_joins)
{
    Fake fake;
    fake_open(&fake, &testworld_opaque, 250);
    cr_assert(fake_join(&fake, 2));
    fake_expect(&fake, TP_CLIENT_JOINED);
    cr_assert(fake_confirm(&fake));
    cr_assert(fake_give_state(&fake));
    cr_assert_eq(fake_expect(&fake, TP_CLIENT_REWOUND)->event.from, 251);
    fake_close(&fake);
}

// Goal: who comes back has the slots of the token, and gets a new one.
Test(client_state, rejoining_takes_the_slots_that_come)
{
    static const uint8_t   old[TP_CLIENT_TOKEN_SIZE] = { 1, 2 };
    Fake                   fake;
    tp_client_join_options options = { .name = "arena", .token = old, .user = &fake };
    for (int i = 0; i < 3; i++) {
        fake_open(&fake, &testworld_flat, 40);
        fake_welcome(&fake);
        options.slots = i == 2 ? 1 : 0;
        fake.room = tp_client_join_with(fake.client, &options, NULL);
        fake.slot_count = i == 1 ? 0 : 1;
        fake.slots[0] = 1;
        fake.token[15] = 77;
        Message joined = fake_joined(&fake);
        if (i == 1) {
            cr_assert_not(fake_give(&fake, &joined));
            fake_expect_malformed(&fake, "no slots came for a token");
            fake_close(&fake);
            continue;
        }
        cr_assert_eq(tp_client_room_token(fake.room)[1], 2, "until the answer comes the old one is good");
        cr_assert(fake_give(&fake, &joined));
        cr_assert_eq(tp_client_room_token(fake.room)[1], 0, "a connection may be lost before the state is whole");
        fake_pieces(&fake, MESSAGE_PIECE_RULES, 0, SIZE_MAX, 0);
        fake_give_state(&fake);
        fake_expect(&fake, TP_CLIENT_JOINED);
        cr_assert_eq(tp_client_room_token(fake.room)[15], 77);
        cr_assert(tp_client_input(fake.room, 1, 40, &(TestInput){ 0 }, NULL));
        fake_close(&fake);
    }
}

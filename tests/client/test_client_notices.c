// Beside the game: chat, pace, timing, administration.
#include <criterion/criterion.h>
#include <string.h>

#include "fake_server.h"

static Message of_room(MessageType type, uint64_t tick)
{
    return (Message){ .type = type, .room = FAKE_ROOM, .epoch = FAKE_EPOCH, .tick = tick };
}

static Message said(uint8_t slot, const char *text)
{
    Message message = of_room(MESSAGE_SAID, 41);
    message.body.said.slot = slot;
    message.body.said.text = message_text(text);
    return message;
}

Test(client_notices, lines_go_out_and_come_in)
{
    Fake fake;
    char longest[TP_CLIENT_CHAT_MAX + 2];
    fake_open(&fake, &testworld_flat, 40);
    fake_welcome(&fake);
    fake_ask(&fake, 1);
    cr_assert_not(tp_client_chat(fake.room, "hello"), "the room is not live yet");
    Message joined = fake_joined(&fake);
    fake_give(&fake, &joined);
    fake_pieces(&fake, MESSAGE_PIECE_RULES, 0, SIZE_MAX, 0);
    cr_assert_not(tp_client_chat(fake.room, "hello"));
    fake_give_state(&fake);
    cr_assert(tp_client_chat(fake.room, "h\xC3\xA4llo"));
    Message chat = fake_sent(&fake, 0, MESSAGE_CHAT);
    cr_assert(chat.room == FAKE_ROOM && chat.epoch == FAKE_EPOCH && chat.body.chat.text.size == 6);
    uint32_t sent = fake.sent_count;
    memset(longest, 'x', sizeof(longest));
    longest[TP_CLIENT_CHAT_MAX + 1] = '\0';
    cr_assert_not(tp_client_chat(fake.room, longest));
    cr_assert_not(tp_client_chat(fake.room, ""));
    cr_assert_eq(fake.sent_count, sent);
    longest[TP_CLIENT_CHAT_MAX] = '\0';
    cr_assert(tp_client_chat(fake.room, longest));

    Message message = said(1, "so\x1b[2J");
    cr_assert(fake_give(&fake, &message));
    const FakeEvent *event = fake_expect(&fake, TP_CLIENT_SAID);
    cr_assert(event->event.slot == 1 && event->event.tick == 41);
    cr_assert_str_eq(event->text, "so?[2J");
    message = said(255, "from above");
    cr_assert(fake_give(&fake, &message));
    cr_assert_eq(fake_expect(&fake, TP_CLIENT_SAID)->event.slot, TP_SOURCE_HOST);
    message = said(2, "who?");
    cr_assert_not(fake_give(&fake, &message));
    fake_expect_malformed(&fake, "SAID of room 7: slot 2 speaks, the rules have 2");
    cr_assert_not(tp_client_chat(fake.room, "late"));
    fake_close(&fake);
}

static Message pace(bool is_paused, uint32_t rate_mhz)
{
    Message message = of_room(MESSAGE_PACE, 0);
    message.body.pace.is_paused = is_paused;
    message.body.pace.rate_mhz = rate_mhz;
    return message;
}

// Goal: the pace that comes with JOINED is told once the world stands, the last one of several; later ones at once.
Test(client_notices, the_pace_is_told_after_joined)
{
    Fake fake;
    fake_open(&fake, &testworld_flat, 40);
    fake_welcome(&fake);
    fake_ask(&fake, 1);
    Message joined = fake_joined(&fake);
    fake_give(&fake, &joined);
    Message message = pace(false, 60000);
    cr_assert(fake_give(&fake, &message));
    message = pace(true, 30000);
    cr_assert(fake_give(&fake, &message));
    fake_pieces(&fake, MESSAGE_PIECE_RULES, 0, SIZE_MAX, 0);
    cr_assert_eq(fake.kinds[TP_CLIENT_PACE], 0);
    fake_give_state(&fake);
    const FakeEvent *event = fake_expect(&fake, TP_CLIENT_PACE);
    cr_assert(fake.kinds[TP_CLIENT_PACE] == 1 && event->event.is_paused && event->event.rate_mhz == 30000);
    message = pace(false, 120000);
    cr_assert(fake_give(&fake, &message));
    cr_assert(!fake_expect(&fake, TP_CLIENT_PACE)->event.is_paused);
    cr_assert(fake_give_state(&fake));
    fake_expect(&fake, TP_CLIENT_REWOUND); // and no pace again
    fake_close(&fake);
}

static Message timing(int16_t lead0, int16_t lead1, uint8_t slot1)
{
    Message message = of_room(MESSAGE_TIMING, 50);
    message.body.timing.count = 2;
    message.body.timing.items[0] = (MessageTiming){ .slot = 0, .lead = lead0 };
    message.body.timing.items[1] = (MessageTiming){ .slot = slot1, .lead = lead1 };
    return message;
}

// Goal: the session hears of the worst of our slots, and of none that sent nothing.
Test(client_notices, timing_is_for_the_session_and_the_user)
{
    Fake               fake;
    tp_session_options options;
    tp_session_options_standard(&options);
    fake_open(&fake, &testworld_flat, 40);
    fake.session = &options;
    fake_join(&fake, 2);
    tp_session *session = tp_client_room_session(fake.room);
    Message     message = timing(INT16_MIN, INT16_MIN, 1);
    cr_assert(fake_give(&fake, &message));
    cr_assert_eq(fake.kinds[TP_CLIENT_TIMING], 2);
    cr_assert_eq(fake_expect(&fake, TP_CLIENT_TIMING)->event.lead, INT16_MIN);
    cr_assert_eq(tp_session_advice(session, 2), 0, "nothing is known");
    for (int i = 0; i < TP_SESSION_ADVICE_TICKS; i++) {
        message = timing(9, -3, 1);
        cr_assert(fake_give(&fake, &message));
        const FakeEvent *event = fake_expect(&fake, TP_CLIENT_TIMING);
        cr_assert(event->event.slot == 1 && event->event.lead == -3 && event->event.tick == 50);
    }
    cr_assert_eq(tp_session_advice(session, 2), -5, "five ticks too late for a lead of two");
    fake_close(&fake);

    fake_open(&fake, &testworld_flat, 40);
    fake_join(&fake, 2);
    message = timing(1, 1, 5);
    cr_assert_not(fake_give(&fake, &message));
    fake_expect_malformed(&fake, "TIMING of room 7: slot 5 is not this client's");
    fake_close(&fake);
}

static Message admined(uint32_t cookie, bool is_done)
{
    Message message = of_room(MESSAGE_ADMINED, 41);
    message.body.admined.cookie = cookie;
    message.body.admined.is_done = is_done;
    message.body.admined.text = message_text("so be it");
    return message;
}

// Goal: an administrator needs no membership, and gets one answer for one request.
Test(client_notices, administration)
{
    Fake fake;
    char key[MESSAGE_KEY_MAX + 2];
    fake_open(&fake, &testworld_flat, 40);
    cr_assert_not(tp_client_admin(fake.client, FAKE_ROOM, "key", TP_CLIENT_PAUSE, 0, 0, NULL, 0, 5), "there is no welcome yet");
    fake_welcome(&fake);
    cr_assert(tp_client_admin(fake.client, FAKE_ROOM, "key", TP_CLIENT_COMMAND, 0, 2, "abc", 3, 5));
    Message admin = fake_sent(&fake, 0, MESSAGE_ADMIN);
    cr_assert(admin.room == FAKE_ROOM && admin.body.admin.cookie == 5 && admin.body.admin.verb == MESSAGE_VERB_COMMAND);
    cr_assert(admin.body.admin.value == 2 && admin.body.admin.size == 3 && admin.body.admin.key.size == 3);
    Message message = admined(5, true);
    cr_assert(fake_give(&fake, &message));
    const FakeEvent *event = fake_expect(&fake, TP_CLIENT_ADMINED);
    cr_assert(event->event.cookie == 5 && event->event.is_done && event->event.room == NULL && event->event.tick == 41);
    cr_assert_str_eq(event->text, "so be it");

    uint32_t sent = fake.sent_count;
    memset(key, 'k', sizeof(key));
    key[MESSAGE_KEY_MAX + 1] = '\0';
    cr_assert_not(tp_client_admin(fake.client, FAKE_ROOM, key, TP_CLIENT_PAUSE, 0, 0, NULL, 0, 6));
    cr_assert_not(tp_client_admin(fake.client, FAKE_ROOM, "key", (tp_client_verb)99, 0, 0, NULL, 0, 6));
    cr_assert_not(tp_client_admin(fake.client, FAKE_ROOM, "key", TP_CLIENT_KICK, 128, 0, NULL, 0, 6));
    cr_assert_not(tp_client_admin(fake.client, FAKE_ROOM, "key", TP_CLIENT_NOTE, 0, 0, key, 1001, 6));
    cr_assert_not(tp_client_admin(fake.client, MESSAGE_ROOM_NONE, "key", TP_CLIENT_PAUSE, 0, 0, NULL, 0, 6));
    cr_assert_eq(fake.sent_count, sent);
    message = admined(6, false);
    cr_assert_not(fake_give(&fake, &message));
    fake_expect_malformed(&fake, "ADMINED of room 7: nothing was asked");
    fake_close(&fake);
}

// Goal: the longest key and the most bytes still fit one message.
Test(client_notices, the_largest_request_fits)
{
    Fake    fake;
    char    key[MESSAGE_KEY_MAX + 1];
    uint8_t bytes[MESSAGE_COMMAND_MAX] = { 0 };
    fake_open(&fake, &testworld_flat, 40);
    fake_join(&fake, 1);
    memset(key, 'k', MESSAGE_KEY_MAX);
    key[MESSAGE_KEY_MAX] = '\0';
    cr_assert(tp_client_admin(fake.client, FAKE_ROOM, key, TP_CLIENT_COMMAND, 0, 1, bytes, sizeof(bytes), 1));
    cr_assert_eq(fake_sent(&fake, 0, MESSAGE_ADMIN).epoch, FAKE_EPOCH, "a member names its epoch");
    Message message = admined(1, false);
    cr_assert(fake_give(&fake, &message));
    cr_assert_eq(fake_expect(&fake, TP_CLIENT_ADMINED)->event.room, fake.room);
    fake_close(&fake);
}

// Goal: after LEAVE all of it is dropped without a look.
Test(client_notices, who_leaves_hears_no_more)
{
    Fake fake;
    fake_open(&fake, &testworld_flat, 40);
    fake_join(&fake, 2);
    tp_client_leave(fake.room);
    uint32_t events = fake.event_count;
    Message  message = said(9, "x");
    cr_assert(fake_give(&fake, &message));
    message = pace(true, 1);
    cr_assert(fake_give(&fake, &message));
    message = timing(1, 1, 7);
    cr_assert(fake_give(&fake, &message));
    message = of_room(MESSAGE_WANTED, 3);
    cr_assert(fake_give(&fake, &message));
    cr_assert(fake_give_state(&fake));
    cr_assert_eq(fake.event_count, events);
    fake_left(&fake, MESSAGE_REASON_KICKED);
    cr_assert_eq(fake_expect(&fake, TP_CLIENT_LEFT)->event.reason, MESSAGE_REASON_KICKED);
    cr_assert_str_eq(tp_client_reason_name(MESSAGE_REASON_KICKED), "kicked");
    fake_close(&fake);
}

// test_join_member.c: the exit code of a membership that ends before it began: no server that is run answers so slowly.
#include <criterion/criterion.h>
#include <stdarg.h>

#include "join.h"
#include "message.h"
#include "tickproof/verify.h"

static uint32_t said;
static uint32_t done;

void join_fail(Join *join, int code, const char *format, ...)
{
    (void)join;
    (void)code;
    (void)format;
    said++;
}

void join_member_done(JoinMember *member)
{
    (void)member;
    done++;
}

// What a member that never joined has no use for.

void join_stop(Join *join)
{
    (void)join;
}

void join_begin_pulse(Join *join)
{
    (void)join;
}

void join_print_joined(FILE *out, const JoinMember *member, uint64_t tick)
{
    (void)out;
    (void)member;
    (void)tick;
}

void join_print_confirmed(FILE *out, const JoinMember *member, const tp_client_event *event)
{
    (void)out;
    (void)member;
    (void)event;
}

void join_print_step(FILE *out, const char *what, const JoinMember *member, uint64_t tick, const char *text)
{
    (void)out;
    (void)what;
    (void)member;
    (void)tick;
    (void)text;
}

void join_print_said(FILE *out, const JoinMember *member, const tp_client_event *event)
{
    (void)out;
    (void)member;
    (void)event;
}

bool join_play_prepare(JoinMember *member, uint64_t tick)
{
    (void)member;
    (void)tick;
    return true;
}

void join_play_first(JoinMember *member, uint64_t tick)
{
    (void)member;
    (void)tick;
}

void join_play_next(JoinMember *member, uint64_t tick)
{
    (void)member;
    (void)tick;
}

void join_play_finish(JoinMember *member)
{
    (void)member;
}

const tp_session_options *join_predict_options(JoinMember *member)
{
    (void)member;
    return NULL;
}

void join_predict_timing(JoinMember *member, const tp_client_event *event)
{
    (void)member;
    (void)event;
}

void join_predict_keep(JoinMember *member)
{
    (void)member;
}

void join_clock_add(JoinMember *member)
{
    (void)member;
}

void join_clock_remove(JoinMember *member)
{
    (void)member;
}

void join_clock_set_pace(JoinMember *member, bool is_paused, uint32_t rate_mhz)
{
    (void)member;
    (void)is_paused;
    (void)rate_mhz;
}

void join_rejoin_done(JoinConnection *connection)
{
    (void)connection;
}

/// A membership on its way out, that no state has come for.
typedef struct {
    JoinOptions options;
    Join        join;
    JoinMember  member;
} Fixture;

static void start(Fixture *fixture, uint64_t ticks)
{
    *fixture = (Fixture){ .options.ticks = ticks, .join.is_stopping = true, .join.is_interrupted = true };
    fixture->join.options = &fixture->options;
    fixture->member = (JoinMember){ .join = &fixture->join, .name = "room", .is_leaving = true };
    said = done = 0;
}

static int code_after(Fixture *fixture, tp_client_event_kind kind, uint32_t reason)
{
    join_member_event(&fixture->member, &(tp_client_event){ .kind = kind, .reason = reason, .text = "" });
    cr_assert_eq(done, 1);
    cr_assert_eq(said, fixture->member.code != 0);
    return fixture->member.code;
}

static int code_after_cut(Fixture *fixture, ClientLinkEnd end)
{
    static ClientLink link;
    link.end = end;
    join_member_cut(&fixture->member, &link);
    cr_assert_eq(done, 1);
    return fixture->member.code;
}

Test(join_member, interrupted_before_it_joined)
{
    static Fixture fixture;
    start(&fixture, 10);
    cr_assert_eq(code_after(&fixture, TP_CLIENT_LEFT, MESSAGE_REASON_ASKED), TP_INCOMPLETE);
    cr_assert_eq(fixture.member.verdict, JOIN_NEVER);
    start(&fixture, 10);
    cr_assert_eq(code_after(&fixture, TP_CLIENT_REFUSED, MESSAGE_REASON_FULL), TP_INCOMPLETE);
    start(&fixture, 10);
    cr_assert_eq(code_after_cut(&fixture, CLIENT_LINK_CLOSED), TP_INCOMPLETE);
}

// Goal: when nothing was asked but to play until an interrupt, an early one is no failure.
Test(join_member, interrupted_with_nothing_asked)
{
    static Fixture fixture;
    start(&fixture, 0);
    cr_assert_eq(code_after(&fixture, TP_CLIENT_LEFT, MESSAGE_REASON_ASKED), TP_VERIFIED);
    start(&fixture, 0);
    cr_assert_eq(code_after(&fixture, TP_CLIENT_REFUSED, MESSAGE_REASON_FULL), TP_VERIFIED);
    start(&fixture, 0);
    cr_assert_eq(code_after_cut(&fixture, CLIENT_LINK_CLOSED), TP_VERIFIED);
}

Test(join_member, not_interrupted)
{
    static Fixture fixture;
    start(&fixture, 10);
    fixture.member.is_leaving = fixture.join.is_stopping = fixture.join.is_interrupted = false;
    cr_assert_eq(code_after(&fixture, TP_CLIENT_REFUSED, MESSAGE_REASON_FULL), TP_USAGE);
    start(&fixture, 10);
    fixture.member.is_leaving = fixture.join.is_stopping = fixture.join.is_interrupted = false;
    cr_assert_eq(code_after_cut(&fixture, CLIENT_LINK_LOST), TP_USAGE);
    start(&fixture, 10);
    fixture.member.is_leaving = fixture.join.is_stopping = fixture.join.is_interrupted = false;
    cr_assert_eq(code_after(&fixture, TP_CLIENT_LEFT, MESSAGE_REASON_ENDED), TP_INCOMPLETE);
}

// Goal: a desync does not end a membership, since the server may have an answer to it; it ends when there is none for long, and the
// exit code stays what it was.
Test(join_member, a_desync_is_waited_out)
{
    static Fixture        fixture;
    const tp_client_event desync = { .kind = TP_CLIENT_DESYNC, .tick = 7, .text = "" };
    const tp_client_event rewound = { .kind = TP_CLIENT_REWOUND, .tick = 5, .from = 8, .text = "" };
    JoinMember           *member = &fixture.member;
    start(&fixture, 10);
    member->is_leaving = false;
    join_member_event(member, &desync);
    cr_assert_eq(done, 0);
    cr_assert_eq(member->verdict, JOIN_DESYNC);
    cr_assert_eq(member->code, TP_DIVERGED);
    cr_assert_eq(fixture.join.desynced_count, 1);
    join_member_look(member, JOIN_DESYNC_MS - 1);
    cr_assert_str_eq(member->end, "");
    join_member_event(member, &rewound);
    cr_assert_eq(fixture.join.desynced_count, 0);
    cr_assert_eq(member->rewinds, 1);
    cr_assert_eq(member->rewound_ticks, 3);
    join_member_look(member, JOIN_DESYNC_MS * 9);
    cr_assert_str_eq(member->end, "", "the server has answered");
    join_member_event(member, &desync);
    join_member_event(member, &(tp_client_event){ .kind = TP_CLIENT_CONFIRMED, .tick = 8, .text = "" });
    cr_assert_eq(member->verdict, JOIN_DESYNC, "what agrees later makes up for nothing");
    join_member_look(member, JOIN_DESYNC_MS);
    cr_assert_str_eq(member->end, "desync");
    cr_assert_eq(member->desyncs, 2);
    cr_assert_eq(member->code, TP_DIVERGED);
}

// Goal: a connection that was lost is no end, and being refused afterwards does not undo what was compared.
Test(join_member, away_and_not_let_in_again)
{
    static Fixture        fixture;
    static JoinConnection connection;
    JoinMember           *member = &fixture.member;
    start(&fixture, 10);
    member->connection = &connection;
    member->is_leaving = fixture.join.is_stopping = fixture.join.is_interrupted = false;
    member->is_joined = true;
    join_member_event(member, &(tp_client_event){ .kind = TP_CLIENT_CONFIRMED, .tick = 3, .text = "" });
    join_member_away(member);
    cr_assert_eq(done, 0);
    cr_assert(member->is_away);
    cr_assert_eq(code_after(&fixture, TP_CLIENT_REFUSED, MESSAGE_REASON_TOKEN), TP_USAGE);
    cr_assert_eq(member->verdict, JOIN_AGREED);
    cr_assert_str_eq(member->end, "token");
}

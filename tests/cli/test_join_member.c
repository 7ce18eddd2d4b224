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

void join_print_joined(FILE *out, const JoinMember *member)
{
    (void)out;
    (void)member;
}

void join_print_confirmed(FILE *out, const JoinMember *member, const tp_client_event *event)
{
    (void)out;
    (void)member;
    (void)event;
}

InputSource *inputsource_text(const tp_layout *layout, const char *name, const char *text, size_t size, tp_error *error)
{
    (void)layout;
    (void)name;
    (void)text;
    (void)size;
    (void)error;
    return NULL;
}

InputResult inputsource_next_line(InputSource *source, RowBuffer *row)
{
    (void)source;
    (void)row;
    return INPUT_END;
}

void inputsource_destroy(InputSource *source)
{
    (void)source;
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

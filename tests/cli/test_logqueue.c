#include <criterion/criterion.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "logqueue.h"

enum { FILLED = 4096 };

typedef struct {
    int       in, out;
    LogQueue *queue;
} Line;

static Line line; // a queue whose thread is stuck stays

static void print_missing(FILE *out, void *to, uint64_t count)
{
    cr_assert_eq(to, &line);
    fprintf(out, "missing %d\n", (int)count);
}

static void start(size_t lines_max, size_t bytes_max, bool is_filled)
{
    static const char filler[FILLED];
    int ends[2];
    signal(SIGPIPE, SIG_IGN);
    cr_assert_eq(pipe(ends), 0);
    cr_assert_geq(fcntl(ends[1], F_SETPIPE_SZ, FILLED), 0);
    if (is_filled) {
        cr_assert_eq(write(ends[1], filler, FILLED), FILLED);
    }
    LogQueueOptions options = { .fd = ends[1], .lines_max = lines_max, .bytes_max = bytes_max, .missing = print_missing, .missing_to = &line };
    line = (Line){ .in = ends[0], .out = ends[1], .queue = logqueue_create(&options) };
    cr_assert_not_null(line.queue);
}

static void put(const char *text)
{
    logqueue_put(line.queue, text, strlen(text));
}

static void read_exactly(char *text, size_t size)
{
    for (size_t used = 0; used < size;) {
        ssize_t got = read(line.in, text + used, size - used);
        cr_assert_gt(got, 0);
        used += (size_t)got;
    }
}

// What is left once nobody can write any more.
static const char *read_rest(void)
{
    static char text[4096];
    close(line.out);
    ssize_t size = read(line.in, text, sizeof(text) - 1);
    cr_assert_geq(size, 0);
    text[size] = '\0';
    return text;
}

Test(logqueue, all_comes_out_in_order_before_the_end)
{
    start(0, 0, false);
    put("a\n");
    put("b\nc\n");
    put("d\n");
    cr_assert(logqueue_finish(line.queue, 60000));
    cr_assert_str_eq(read_rest(), "a\nb\nc\nd\n");
}

Test(logqueue, nothing_at_all)
{
    start(0, 0, false);
    cr_assert(logqueue_finish(line.queue, 0));
    cr_assert_str_eq(read_rest(), "");
}

// Goal: beyond the most lines nothing waits, nothing is torn, and what is missing is said where it is missing.
Test(logqueue, lines_beyond_the_most_are_counted)
{
    char        filler[FILLED];
    const char *text;
    start(4, 0, true);
    for (int i = 0; i < 6; i++) {
        put((const char[]){ (char)('a' + i), '\n', '\0' });
    }
    read_exactly(filler, FILLED);
    put("g\n"); // when the thread was as fast as this, it fits again
    cr_assert(logqueue_finish(line.queue, 60000));
    text = read_rest();
    cr_assert(strcmp(text, "a\nb\nc\nd\nmissing 2\ng\n") == 0 || strcmp(text, "a\nb\nc\nd\nmissing 3\n") == 0, "%s", text);
}

Test(logqueue, bytes_beyond_the_most_are_counted)
{
    char filler[FILLED];
    start(0, 16, true);
    put("123456789\n");
    put("1234567\n");
    put("12345\n");
    put("\n");
    read_exactly(filler, FILLED);
    cr_assert(logqueue_finish(line.queue, 60000));
    cr_assert_str_eq(read_rest(), "123456789\nmissing 3\n", "a line that would fit does not when what must come before it does not");
}

Test(logqueue, a_line_without_memory_is_counted)
{
    start(0, 0, false);
    logqueue_put(line.queue, NULL, 0);
    put("a\n");
    cr_assert(logqueue_finish(line.queue, 60000));
    cr_assert_str_eq(read_rest(), "missing 1\na\n");
}

// Goal: the ring goes round many times, and no line is torn by it.
Test(logqueue, goes_round)
{
    char wanted[32], got[32];
    start(0, 64, false);
    for (int i = 0; i < 200; i++) {
        snprintf(wanted, sizeof(wanted), "%020d\n", i);
        put(wanted);
        read_exactly(got, 21);
        cr_assert_eq(memcmp(got, wanted, 21), 0);
    }
    cr_assert(logqueue_finish(line.queue, 60000));
    cr_assert_str_eq(read_rest(), "");
}

Test(logqueue, a_stuck_reader_is_not_waited_for)
{
    start(0, 0, true);
    put("a\n");
    cr_assert_not(logqueue_finish(line.queue, 1));
}

// Goal: a reader that went away costs the lines and nothing else.
Test(logqueue, without_a_reader_lines_are_thrown_away)
{
    start(2, 0, false);
    close(line.in);
    for (int i = 0; i < 100; i++) {
        put("a\n");
    }
    cr_assert(logqueue_finish(line.queue, 60000));
}

Test(logqueue, a_descriptor_that_does_not_block_is_waited_for)
{
    char filler[FILLED], text[2];
    start(0, 0, true);
    cr_assert_eq(fcntl(line.out, F_SETFL, O_NONBLOCK), 0);
    put("a\n");
    read_exactly(filler, FILLED);
    read_exactly(text, 2);
    cr_assert_eq(memcmp(text, "a\n", 2), 0);
    cr_assert(logqueue_finish(line.queue, 60000));
}

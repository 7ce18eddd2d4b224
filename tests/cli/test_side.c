// Sides: what comes back from a process that steps a log, and every way in which nothing good does.
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "cli.h"
#include "side.h"
#include "testrecording.h"

double cli_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static char     folder[] = "/tmp/side.XXXXXX";
static uint8_t *the_log;
static size_t   the_log_size;

static const tp_world *find(void *to, const char *name, uint32_t revision)
{
    tp_verify_options options = recording_verify_options();
    return options.find_world(options.find_to, name, revision);
}

static void write_file(const char *name, const uint8_t *bytes, size_t size)
{
    FILE *file = fopen(name, "wb");
    cr_assert_not_null(file);
    cr_assert_eq(fwrite(bytes, 1, size, file), size);
    fclose(file);
}

static void set_up(void)
{
    Recording        recording = recording_standard();
    tp_memory_source memory;
    tp_memory_sink   out = { 0 };
    tp_sink          sink = tp_sink_of_memory(&out);
    tp_trace_options options;
    char             message[TP_MESSAGE_SIZE];
    cr_assert_not_null(mkdtemp(folder));
    cr_assert_eq(chdir(folder), 0);
    the_log = recording_make(&recording, &the_log_size);
    memory = (tp_memory_source){ the_log, the_log_size };
    tp_source source = tp_source_of_memory(&memory);
    tp_trace_options_standard(&options);
    options.find_world = find;
    cr_assert_eq(tp_trace_log(&source, &options, &sink, message), TP_VERIFIED, "%s", message);
    write_file("good.tpt", out.bytes, out.size);
    write_file("cut.tpt", out.bytes, out.size / 2);
    write_file("log.tpr", the_log, the_log_size);
    free(out.bytes);
}

static void tear_down(void)
{
    char command[sizeof(folder) + 16];
    snprintf(command, sizeof(command), "rm -rf %s", folder);
    cr_assert_eq(chdir("/"), 0);
    cr_assert_eq(system(command), 0);
    free(the_log);
}

TestSuite(side, .init = set_up, .fini = tear_down, .timeout = 60);

static SideAnswer run(const Side *side)
{
    SideAsk    ask = { .log = the_log, .log_size = the_log_size, .to = UINT64_MAX, .leaves_ticks = 64 };
    SideAnswer answer;
    bool       is_done = side_run(side, &ask, &answer);
    cr_assert_eq(is_done, answer.result == SIDE_DONE);
    cr_assert_neq(answer.message[0], '\0');
    return answer;
}

static SideAnswer run_command(const char *command)
{
    return run(&(Side){ .name = "test", .command = command, .timeout_s = 20 });
}

static void expect(const char *command, SideResult result, const char *text)
{
    SideAnswer answer = run_command(command);
    cr_assert_eq(answer.result, result, "%s: %d: %s", command, answer.result, answer.message);
    cr_assert_not_null(strstr(answer.message, text), "%s: %s", command, answer.message);
    side_answer_finish(&answer);
}

// Commands end with '#', so that the subcommand and its flags, which come last, are a comment.

Test(side, a_whole_sidecar_is_done)
{
    SideAnswer answer = run_command("cat good.tpt #");
    cr_assert_eq(answer.result, SIDE_DONE, "%s", answer.message);
    cr_assert_eq(answer.trace->count, 300);
    side_answer_finish(&answer);
}

Test(side, the_log_is_on_its_standard_input)
{
    SideAnswer answer = run_command("cmp - log.tpr && cat good.tpt #");
    cr_assert_eq(answer.result, SIDE_DONE, "%s", answer.message);
    side_answer_finish(&answer);
}

Test(side, what_is_not_good_is_said)
{
    expect("nobody-has-this-program", SIDE_FAILED, "127");
    expect("true #", SIDE_FAILED, "no whole sidecar");
    expect("echo garbage #", SIDE_FAILED, "no whole sidecar");
    expect("echo one >&2; echo two >&2; exit 6 #", SIDE_FAILED, "exit code 6: two");
    expect("cat cut.tpt #", SIDE_FAILED, "no whole sidecar");
    // A crash is one of who had begun to answer, by a signal that a world brings about. The others are somebody else's doing.
    expect("cat cut.tpt; kill -SEGV $$ #", SIDE_CRASHED, "signal 11");
    expect("cat cut.tpt; kill -ABRT $$ #", SIDE_CRASHED, "signal 6");
    expect("kill -SEGV $$ #", SIDE_FAILED, "signal 11");
    expect("kill -KILL $$ #", SIDE_FAILED, "signal 9");
    expect("cat cut.tpt; kill -KILL $$ #", SIDE_FAILED, "which comes from outside");
    expect("cat cut.tpt; kill -HUP $$ #", SIDE_FAILED, "signal 1");
    expect("exit 121 #", SIDE_FAILED, "exit code 121");
    expect("echo 'tickproof: a world crashed this program in the step of tick 5: mend it' >&2; exit 70 #", SIDE_CRASHED, "tick 5");
    expect("cat good.tpt; echo 'the axis could not do its work' >&2; exit 70 #", SIDE_FAILED, "the axis could not do its work");
    expect("printf 'a\\033b' >&2; exit 1 #", SIDE_FAILED, "a?b");
}

Test(side, who_does_not_come_back_is_ended)
{
    double     start = cli_seconds();
    SideAnswer answer = run(&(Side){ .name = "test", .command = "trap '' ABRT; sleep 50; sleep 50 #", .timeout_s = 1 });
    cr_assert_eq(answer.result, SIDE_STUCK, "%s", answer.message);
    cr_assert_lt(cli_seconds() - start, 20.0);
    side_answer_finish(&answer);
}

// The command ends, and what it started holds its output open.
Test(side, nobody_waits_for_what_a_command_leaves_behind)
{
    double     start = cli_seconds();
    SideAnswer answer = run_command("sleep 50 & cat good.tpt; exit 0 #");
    cr_assert_eq(answer.result, SIDE_DONE, "%s", answer.message);
    cr_assert_lt(cli_seconds() - start, 20.0);
    side_answer_finish(&answer);
}

Test(side, many_words_on_standard_error_hold_up_nothing)
{
    SideAnswer answer = run_command("yes | head -c 3000000 >&2; cat good.tpt; echo last >&2 #");
    cr_assert_eq(answer.result, SIDE_DONE, "%s", answer.message);
    cr_assert_not_null(strstr(answer.message, "last"));
    side_answer_finish(&answer);
}

static bool refuses(const Side *side)
{
    return side->prepare_with != NULL;
}

Test(side, a_child_that_cannot_be_prepared_is_skipped)
{
    SideAnswer answer = run(&(Side){ .name = "test", .command = "cat good.tpt #", .prepare = refuses });
    cr_assert_eq(answer.result, SIDE_SKIPPED, "%s", answer.message);
    side_answer_finish(&answer);
    answer = run(&(Side){ .name = "test", .command = "cat good.tpt #", .prepare = refuses, .prepare_with = folder });
    cr_assert_eq(answer.result, SIDE_DONE, "%s", answer.message);
    side_answer_finish(&answer);
}

static void read_text(const char *name, char *text, size_t size)
{
    FILE *file = fopen(name, "rb");
    cr_assert_not_null(file);
    text[fread(text, 1, size - 1, file)] = '\0';
    fclose(file);
}

Test(side, the_words_come_where_they_belong)
{
    const char *const worlds[] = { "./a'b c.so" };
    const char *const flags[] = { "--perturb", "heap=$HOME" };
    const uint64_t    states[] = { 7, 8 };
    char              text[2000];
    Side              side = { .name = "test", .command = "printf '<%s>' {} end > words; cat good.tpt", .worlds = worlds, .world_count = 1, .flags = flags, .flag_count = 2 };
    SideAsk           ask = { .log = the_log, .log_size = the_log_size, .to = 7, .leaves_ticks = 1, .states = states, .state_count = 2 };
    SideAnswer        answer;
    cr_assert(side_run(&side, &ask, &answer), "%s", answer.message);
    side_answer_finish(&answer);
    read_text("words", text, sizeof(text));
    cr_assert_str_eq(text, "<trace><--leaves><1><--to><7><--states><7,8><--world><./a'b c.so><--perturb><heap=$HOME><-o><-><-><end>");
}

Test(side, environment_and_folder)
{
    const char *const environment[] = { "ADDED=1 2", "HOME", NULL };
    char              text[200];
    cr_assert_eq(system("mkdir inner"), 0);
    Side       side = { .name = "test", .command = "echo \"$ADDED,${HOME-none}\" > seen; cat ../good.tpt #", .environment = environment, .directory = "inner" };
    SideAnswer answer = run(&side);
    cr_assert_eq(answer.result, SIDE_DONE, "%s", answer.message);
    side_answer_finish(&answer);
    read_text("inner/seen", text, sizeof(text));
    cr_assert_str_eq(text, "1 2,none\n");
}

Test(side, two_at_the_same_time_each_read_the_whole_log)
{
    Side              a = { .name = "a", .command = "cmp - log.tpr && sleep 1 && cat good.tpt #" };
    Side              b = { .name = "b", .command = "sleep 1; cmp - log.tpr || exit 1; exit 4 #" };
    const Side *const sides[2] = { &a, &b };
    SideAsk           ask = { .log = the_log, .log_size = the_log_size, .to = UINT64_MAX };
    SideAnswer        answers[2];
    double            start = cli_seconds();
    cr_assert(!side_run_two(sides, &ask, answers));
    cr_assert_eq(answers[0].result, SIDE_DONE, "%s", answers[0].message);
    cr_assert_eq(answers[1].result, SIDE_FAILED, "%s", answers[1].message);
    cr_assert_eq(answers[1].code, 4);
    cr_assert_lt(cli_seconds() - start, 20.0);
    side_answer_finish(&answers[0]);
    side_answer_finish(&answers[1]);
}

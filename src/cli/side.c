// side.c: processes that step a log elsewhere, and what comes back from them. The log lies in memory that every child opens for itself, so
// nobody has to feed it; output and errors are read together, so that neither holds up the other.
#include "side.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli.h"
#include "signals.h"

enum {
    SLICE_MS    = 100,
    GRACE_MS    = 500,     // from the signal that a process may say something about, to the one that it may not
    ERRORS_MAX  = 65536,   // bytes of standard error that are kept: the last ones
    SKIPPED     = 121,     // exit codes of a child that has not become the program
    NOT_STARTED = 122,
};
#define OUTPUT_MAX ((size_t)1 << 30)

typedef struct {
    char  *text;
    size_t size, capacity;
    bool   has_failed;
} Text;

typedef struct {
    const Side *side;
    pid_t       pid; // 0: over
    int         out, err;
    uint8_t    *bytes;
    size_t      size, capacity;
    char        errors[ERRORS_MAX];
    size_t      errors_size;
    int         status;
    double      start, abort_at; // 0: not told to end
    bool        is_late, is_too_much, is_ended;
} Child;

static volatile sig_atomic_t stopped;

static void on_signal(int number)
{
    (void)number;
    stopped = 1;
    if (signals_is_second()) {
        _exit(TP_INCOMPLETE);
    }
}

void side_catch_signals(void)
{
    struct sigaction action = { .sa_handler = on_signal };
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
}

bool side_is_stopped(void)
{
    return stopped != 0;
}

// The command line.

static void append(Text *text, const char *piece, size_t size)
{
    if (size > PTRDIFF_MAX / 4) {
        text->has_failed = true;
        return;
    }
    if (text->size + size + 1 > text->capacity) {
        size_t capacity = (text->size + size + 1) * 2;
        char  *grown = realloc(text->text, capacity);
        if (grown == NULL) {
            text->has_failed = true;
            return;
        }
        text->text = grown;
        text->capacity = capacity;
    }
    memcpy(text->text + text->size, piece, size);
    text->size += size;
    text->text[text->size] = '\0';
}

// One argument as a shell reads it: all between quotes, and a quote outside of them.
static void append_quoted(Text *text, const char *argument)
{
    append(text, text->size > 0 ? " '" : "'", text->size > 0 ? 2 : 1);
    for (; *argument != '\0'; argument++) {
        append(text, *argument == '\'' ? "'\\''" : argument, *argument == '\'' ? 4 : 1);
    }
    append(text, "'", 1);
}

enum { ARGUMENTS_MAX = 256, NUMBERS_SIZE = 24 * TP_TRACE_STATES_MAX };
typedef struct {
    const char *items[ARGUMENTS_MAX + 1];
    size_t      count;
    char        leaves[16], to[24], states[NUMBERS_SIZE];
} Arguments;

static void add(Arguments *arguments, const char *item)
{
    if (arguments->count < ARGUMENTS_MAX) {
        arguments->items[arguments->count++] = item;
    }
}

static void fill_arguments(Arguments *arguments, const Side *side, const SideAsk *ask)
{
    size_t at = 0;
    *arguments = (Arguments){ .count = 0 };
    snprintf(arguments->leaves, sizeof(arguments->leaves), "%u", ask->leaves_ticks);
    snprintf(arguments->to, sizeof(arguments->to), "%" PRIu64, ask->to);
    for (uint32_t i = 0; i < ask->state_count; i++) {
        at += (size_t)snprintf(arguments->states + at, sizeof(arguments->states) - at, "%s%" PRIu64, i == 0 ? "" : ",", ask->states[i]);
    }
    add(arguments, "trace");
    add(arguments, "--leaves");
    add(arguments, arguments->leaves);
    if (ask->to != UINT64_MAX) {
        add(arguments, "--to");
        add(arguments, arguments->to);
    }
    if (ask->state_count > 0) {
        add(arguments, "--states");
        add(arguments, arguments->states);
    }
    for (size_t i = 0; i < side->world_count; i++) {
        add(arguments, "--world");
        add(arguments, side->worlds[i]);
    }
    for (size_t i = 0; i < side->flag_count; i++) {
        add(arguments, side->flags[i]);
    }
    add(arguments, "-o");
    add(arguments, "-");
    add(arguments, "-");
}

// NULL: out of memory.
static char *shell_line(const Side *side, const Arguments *arguments)
{
    Text words = { 0 };
    Text line = { 0 };
    for (size_t i = 0; i < arguments->count; i++) {
        append_quoted(&words, arguments->items[i]);
    }
    const char *place = strstr(side->command, "{}");
    size_t      before = place == NULL ? strlen(side->command) : (size_t)(place - side->command);
    append(&line, side->command, before);
    append(&line, " ", 1);
    if (!words.has_failed) {
        append(&line, words.text, words.size);
    }
    if (place != NULL) {
        append(&line, place + 2, strlen(place + 2));
    }
    bool has_failed = words.has_failed || line.has_failed;
    free(words.text);
    if (has_failed) {
        free(line.text);
        return NULL;
    }
    return line.text;
}

// In the child.

static void set_environment(const char *const *environment)
{
    for (; environment != NULL && *environment != NULL; environment++) {
        const char *sign = strchr(*environment, '=');
        if (sign == NULL) {
            unsetenv(*environment);
        } else {
            char *name = strndup(*environment, (size_t)(sign - *environment));
            if (name != NULL) {
                setenv(name, sign + 1, 1);
            }
        }
    }
}

static void become(const Side *side, const Arguments *arguments, const char *line, const int fds[3])
{
    for (int i = 0; i < 3; i++) {
        if (dup2(fds[i], i) < 0) {
            _exit(NOT_STARTED);
        }
    }
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    signal(SIGINT, SIG_DFL);
    signal(SIGTERM, SIG_DFL);
    if (side->prepare != NULL && !side->prepare(side)) {
        _exit(SKIPPED);
    }
    if (side->directory != NULL && chdir(side->directory) != 0) {
        _exit(SKIPPED);
    }
    set_environment(side->environment);
    if (line != NULL) {
        execl("/bin/sh", "sh", "-c", line, (char *)NULL);
        _exit(127);
    }
    const char *items[ARGUMENTS_MAX + 2] = { "tickproof" };
    memcpy(items + 1, arguments->items, (arguments->count + 1) * sizeof(items[0]));
    execv("/proc/self/exe", (char *const *)items);
    _exit(NOT_STARTED);
}

// In this process.

static void close_fd(int *fd)
{
    if (*fd >= 0) {
        close(*fd);
        *fd = -1;
    }
}

static int memory_of(const uint8_t *bytes, size_t size)
{
    int fd = memfd_create("log", MFD_CLOEXEC);
    while (fd >= 0 && size > 0) {
        ssize_t taken = write(fd, bytes, size);
        if (taken <= 0 && errno != EINTR) {
            close(fd);
            return -1;
        }
        bytes += taken > 0 ? taken : 0;
        size -= taken > 0 ? (size_t)taken : 0;
    }
    return fd;
}

// A place in the file of its own, so that two children do not read past each other.
static int open_again(int fd)
{
    char path[40];
    snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
    return open(path, O_RDONLY | O_CLOEXEC);
}

static bool start(Child *child, const Side *side, const SideAsk *ask, int log)
{
    Arguments arguments;
    int       out[2] = { -1, -1 };
    int       err[2] = { -1, -1 };
    fill_arguments(&arguments, side, ask);
    char *line = side->command == NULL ? NULL : shell_line(side, &arguments);
    int   in = open_again(log);
    bool  is_ready = in >= 0 && (side->command == NULL || line != NULL) && pipe2(out, O_CLOEXEC) == 0 && pipe2(err, O_CLOEXEC) == 0;
    child->side = side;
    child->out = child->err = -1;
    child->start = cli_seconds();
    fflush(NULL);
    child->pid = is_ready ? fork() : -1;
    if (child->pid == 0) {
        become(side, &arguments, line, (const int[3]){ in, out[1], err[1] });
    }
    if (child->pid > 0) {
        setpgid(child->pid, child->pid); // both do it: whoever comes first
        child->out = out[0];
        child->err = err[0];
        out[0] = err[0] = -1;
    }
    close_fd(&in);
    close_fd(&out[0]);
    close_fd(&out[1]);
    close_fd(&err[0]);
    close_fd(&err[1]);
    free(line);
    child->is_ended = child->pid <= 0;
    return child->pid > 0;
}

static void end_child(Child *child, int number)
{
    if (!child->is_ended) {
        kill(-child->pid, number);
    }
}

static void read_output(Child *child)
{
    if (child->capacity - child->size < 65536) {
        size_t   capacity = child->capacity < 65536 ? 262144 : child->capacity * 2;
        uint8_t *grown = capacity > OUTPUT_MAX ? NULL : realloc(child->bytes, capacity);
        if (grown == NULL) {
            child->is_too_much = true;
            end_child(child, SIGKILL);
            close_fd(&child->out);
            return;
        }
        child->bytes = grown;
        child->capacity = capacity;
    }
    ssize_t taken = read(child->out, child->bytes + child->size, child->capacity - child->size);
    if (taken > 0) {
        child->size += (size_t)taken;
    } else if (taken == 0 || (errno != EINTR && errno != EAGAIN)) {
        close_fd(&child->out);
    }
}

static void read_errors(Child *child)
{
    if (child->errors_size > ERRORS_MAX / 2) {
        memmove(child->errors, child->errors + child->errors_size / 2, child->errors_size - child->errors_size / 2);
        child->errors_size -= child->errors_size / 2;
    }
    ssize_t taken = read(child->err, child->errors + child->errors_size, ERRORS_MAX - child->errors_size);
    if (taken > 0) {
        child->errors_size += (size_t)taken;
    } else if (taken == 0 || (errno != EINTR && errno != EAGAIN)) {
        close_fd(&child->err);
    }
}

// A process that is out of time is told with SIGABRT, which this program's own turn into a line with the tick; then it is ended.
static void look_at_time(Child *child)
{
    double now = cli_seconds();
    if (child->is_ended) {
        return;
    }
    if (child->abort_at > 0 && (now - child->abort_at) * 1000 > GRACE_MS) {
        end_child(child, SIGKILL);
    } else if (child->abort_at == 0 && (stopped != 0 || (child->side->timeout_s > 0 && now - child->start > (double)child->side->timeout_s))) {
        child->is_late = stopped == 0;
        child->abort_at = now;
        end_child(child, stopped != 0 ? SIGTERM : SIGABRT);
    }
}

// A process may close both its outputs and stay, or end and leave somebody else holding them: the process itself decides.
static void look_at_end(Child *child)
{
    if (child->is_ended || waitpid(child->pid, &child->status, WNOHANG) != child->pid) {
        return;
    }
    kill(-child->pid, SIGKILL); // what it left behind
    child->is_ended = true;
    for (int fd = child->out; fd >= 0 && child->out >= 0; fd = child->out) {
        fcntl(fd, F_SETFL, O_NONBLOCK);
        size_t before = child->size;
        read_output(child);
        if (child->out >= 0 && child->size == before) {
            close_fd(&child->out);
        }
    }
    for (int fd = child->err; fd >= 0 && child->err >= 0; fd = child->err) {
        fcntl(fd, F_SETFL, O_NONBLOCK);
        size_t before = child->errors_size;
        read_errors(child);
        if (child->err >= 0 && child->errors_size == before) {
            close_fd(&child->err);
        }
    }
}

static void follow(Child *children, int count)
{
    for (;;) {
        struct pollfd ready[4];
        int           open = 0;
        bool          is_over = true;
        for (int i = 0; i < count; i++) {
            look_at_time(&children[i]);
            look_at_end(&children[i]);
            is_over = is_over && children[i].is_ended;
            ready[i * 2] = (struct pollfd){ .fd = children[i].out, .events = POLLIN };
            ready[i * 2 + 1] = (struct pollfd){ .fd = children[i].err, .events = POLLIN };
            open += (children[i].out >= 0) + (children[i].err >= 0);
        }
        if (is_over) {
            return;
        }
        // With both outputs closed the end is near, or far: then it is looked for now and again.
        if (poll(ready, (nfds_t)count * 2, open > 0 ? SLICE_MS : 1) <= 0) {
            continue;
        }
        for (int i = 0; i < count; i++) {
            if (ready[i * 2].revents != 0 && children[i].out >= 0) {
                read_output(&children[i]);
            }
            if (ready[i * 2 + 1].revents != 0 && children[i].err >= 0) {
                read_errors(&children[i]);
            }
        }
    }
}

// The last line that is not empty, for a message.
static void last_line(const Child *child, char *line, size_t size)
{
    size_t end = child->errors_size;
    while (end > 0 && (child->errors[end - 1] == '\n' || child->errors[end - 1] == ' ' || child->errors[end - 1] == '\r')) {
        end--;
    }
    size_t begin = end;
    while (begin > 0 && child->errors[begin - 1] != '\n' && end - begin < size - 1) {
        begin--;
    }
    size_t used = 0;
    for (; begin < end && used + 1 < size; begin++) {
        unsigned char letter = (unsigned char)child->errors[begin];
        line[used++] = letter < 0x20 || letter == 0x7f ? '?' : (char)letter;
    }
    line[used] = '\0';
}

__attribute__((format(printf, 4, 5))) static void answer_with(SideAnswer *answer, SideResult result, const Child *child, const char *format, ...)
{
    char    line[200];
    va_list arguments;
    last_line(child, line, sizeof(line));
    answer->result = result;
    va_start(arguments, format);
    int used = vsnprintf(answer->message, sizeof(answer->message), format, arguments);
    va_end(arguments);
    if (line[0] != '\0' && used > 0 && (size_t)used < sizeof(answer->message)) {
        snprintf(answer->message + used, sizeof(answer->message) - (size_t)used, ": %s", line);
    }
}

static bool says_crash(const Child *child)
{
    char line[200];
    last_line(child, line, sizeof(line));
    return strstr(line, "a world crashed this program") != NULL || strstr(line, "a world ended this program") != NULL;
}

// A signal that a world brings about itself, from a process that had begun to answer. All others come from outside (out of memory, a lost
// connection), and say nothing of the world.
static bool is_own_crash(const Child *child, int number)
{
    bool is_own = number == SIGSEGV || number == SIGBUS || number == SIGFPE || number == SIGILL || number == SIGABRT || number == SIGTRAP || number == SIGSYS;
    return (is_own && child->size > 0) || says_crash(child);
}

static void conclude(Child *child, SideAnswer *answer)
{
    tp_error error = { "it said nothing" };
    answer->has_spoken = child->size > 0 || says_crash(child);
    answer->trace = child->size > 0 ? tp_trace_read(child->bytes, child->size, NULL, &error) : NULL;
    answer->code = WIFSIGNALED(child->status) ? WTERMSIG(child->status) : WEXITSTATUS(child->status);
    if (stopped != 0) {
        answer_with(answer, SIDE_STOPPED, child, "interrupted");
    } else if (child->is_too_much) {
        answer_with(answer, SIDE_FAILED, child, "it said more than %zu bytes", OUTPUT_MAX);
    } else if (child->is_late) {
        answer_with(answer, SIDE_STUCK, child, "not done after %u s", child->side->timeout_s);
    } else if (WIFSIGNALED(child->status) && is_own_crash(child, answer->code)) {
        answer_with(answer, SIDE_CRASHED, child, "ended by signal %d (%s)", answer->code, strsignal(answer->code));
    } else if (WIFSIGNALED(child->status)) {
        answer_with(answer, SIDE_FAILED, child, "ended by signal %d (%s)%s", answer->code, strsignal(answer->code),
                    child->size > 0 ? ", which comes from outside" : "");
        answer->code += 128; // as a shell tells it
    } else if (answer->code == TP_INTERNAL && says_crash(child)) {
        answer_with(answer, SIDE_CRASHED, child, "crashed");
    } else if (answer->code == SKIPPED && (child->side->command == NULL || child->side->prepare != NULL || child->side->directory != NULL)) {
        answer_with(answer, SIDE_SKIPPED, child, "this system does not have it");
    } else if (answer->trace != NULL && answer->trace->has_end && answer->code != TP_INTERNAL) {
        // With 70 a whole sidecar is there, too, and the process says that it proves nothing.
        answer_with(answer, SIDE_DONE, child, "done");
    } else if (answer->code == 127) {
        answer_with(answer, SIDE_FAILED, child, "the command is not there (exit code 127)");
    } else if (answer->code == 0) {
        answer_with(answer, SIDE_FAILED, child, "what it wrote is no whole sidecar: %s", answer->trace != NULL ? "it was cut off" : error.text);
    } else {
        answer_with(answer, SIDE_FAILED, child, "exit code %d", answer->code);
    }
}

tp_verdict side_verdict(const SideAnswer *answer)
{
    bool is_named = answer->result == SIDE_FAILED && answer->code >= TP_USAGE && answer->code <= TP_UNAUTHENTIC;
    return answer->result == SIDE_STUCK ? TP_INCOMPLETE : is_named ? (tp_verdict)answer->code : TP_INTERNAL;
}

static void run_children(const Side *const *sides, int count, const SideAsk *ask, SideAnswer *answers)
{
    Child *children = calloc((size_t)count, sizeof(*children));
    int    log = children == NULL ? -1 : memory_of(ask->log, ask->log_size);
    for (int i = 0; i < count; i++) {
        answers[i] = (SideAnswer){ .result = SIDE_FAILED, .code = TP_INTERNAL };
        if (log < 0 || !start(&children[i], sides[i], ask, log)) {
            snprintf(answers[i].message, sizeof(answers[i].message), "starting a process: %s", strerror(errno));
            if (children != NULL) {
                children[i].is_ended = true;
                children[i].out = children[i].err = -1;
            }
        }
    }
    close_fd(&log);
    if (children == NULL) {
        return;
    }
    follow(children, count);
    for (int i = 0; i < count; i++) {
        if (children[i].pid > 0) {
            conclude(&children[i], &answers[i]);
        }
        close_fd(&children[i].out);
        close_fd(&children[i].err);
        free(children[i].bytes);
    }
    free(children);
}

bool side_run(const Side *side, const SideAsk *ask, SideAnswer *answer)
{
    run_children(&side, 1, ask, answer);
    return answer->result == SIDE_DONE;
}

bool side_run_two(const Side *const sides[2], const SideAsk *ask, SideAnswer answers[2])
{
    run_children(sides, 2, ask, answers);
    return answers[0].result == SIDE_DONE && answers[1].result == SIDE_DONE;
}

void side_answer_finish(SideAnswer *answer)
{
    tp_trace_destroy(answer->trace);
    answer->trace = NULL;
}

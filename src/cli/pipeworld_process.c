// pipeworld_process.c: see pipeworld_process.h.
#include "pipeworld_process.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { READ_AHEAD = 4096, GRACE_MS = 200, LAST_WORDS_MS = 100 };

static int64_t now_ms(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (int64_t)time.tv_sec * 1000 + time.tv_nsec / 1000000;
}

// In the child, between fork and exec: only what a signal handler may call.
static void become(const char *command, const int ends[3], bool dies_with_us)
{
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    signal(SIGPIPE, SIG_DFL);
    signal(SIGINT, SIG_DFL);
    signal(SIGTERM, SIG_DFL);
    // A group of its own: what the shell starts ends with it, and an interrupt from the terminal is ours alone to answer.
    setpgid(0, 0);
    if (dies_with_us) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
    }
    if (dup2(ends[0], 0) >= 0 && dup2(ends[1], 1) >= 0 && dup2(ends[2], 2) >= 0) {
        execl("/bin/sh", "sh", "-c", command, (char *)NULL);
    }
    _exit(127);
}

static void close_all(int *ends, int count)
{
    for (int i = 0; i < count; i++) {
        if (ends[i] >= 0) {
            close(ends[i]);
        }
    }
}

// What a shell does itself: there is no program of that name to become.
static bool is_shells_own(const char *word, size_t size)
{
    static const char *const own[] = { ".", "source", "exec", "eval", "command", "builtin", "time", "cd", "export", "set", "unset", "trap", "ulimit", "umask" };
    for (size_t i = 0; i < sizeof(own) / sizeof(own[0]); i++) {
        if (strlen(own[i]) == size && memcmp(own[i], word, size) == 0) {
            return true;
        }
    }
    return false;
}

// A shell that waits for its one command would speak in its place when it crashes, so it becomes the command where the text is no more than that.
static const char *exec_of(const char *command)
{
    size_t word = strcspn(command, " \t");
    bool   is_one = strpbrk(command, ";&|(){}!`\n") == NULL && memchr(command, '=', word) == NULL && word > 0 && !is_shells_own(command, word);
    return is_one ? "exec " : "";
}

bool pipeprocess_start(PipeProcess *process, const char *command, tp_error *error)
{
    char text[PIPEPROCESS_COMMAND_MAX + 8];
    snprintf(text, sizeof(text), "%s%s", exec_of(command), command);
    int ends[6] = { -1, -1, -1, -1, -1, -1 }; // its input, its output, what it says: each to read, to write
    for (int i = 0; i < 3; i++) {
        if (pipe2(ends + 2 * i, O_CLOEXEC) != 0) {
            tp_error_set(error, "making pipes: %s", strerror(errno));
            close_all(ends, 6);
            return false;
        }
    }
    // That signal comes when the thread ends that forked, so only a thread that lasts may ask for it.
    bool  is_main_thread = syscall(SYS_gettid) == getpid();
    pid_t pid = fork();
    if (pid == 0) {
        become(text, (const int[3]){ ends[0], ends[3], ends[5] }, is_main_thread);
    }
    close_all((int[3]){ ends[0], ends[3], ends[5] }, 3);
    if (pid < 0) {
        tp_error_set(error, "starting a process: %s", strerror(errno));
        close_all((int[3]){ ends[1], ends[2], ends[4] }, 3);
        return false;
    }
    setpgid(pid, pid); // whoever of the two comes first
    uint8_t *bytes = process->bytes;
    size_t   capacity = process->capacity;
    *process = (PipeProcess){ .pid = pid, .owner = getpid(), .to = ends[1], .from = ends[2], .said = ends[4], .bytes = bytes, .capacity = capacity };
    fcntl(process->to, F_SETFL, O_NONBLOCK);
    fcntl(process->from, F_SETFL, O_NONBLOCK);
    fcntl(process->said, F_SETFL, O_NONBLOCK);
    return true;
}

// True as long as there may be more.
static bool drain_words(PipeProcess *process)
{
    uint8_t bytes[1024];
    ssize_t got = 0;
    // Bounded: a process that never stops talking must not keep us here.
    for (int i = 0; i < 64 && process->said >= 0 && (got = read(process->said, bytes, sizeof(bytes))) > 0; i++) {
        pipewords_take(&process->words, bytes, (size_t)got);
    }
    return process->said >= 0 && (got > 0 || (got < 0 && (errno == EAGAIN || errno == EINTR)));
}

// A last line may still be on its way when the process is gone.
static void hear_out(PipeProcess *process)
{
    int64_t end = now_ms() + LAST_WORDS_MS;
    while (drain_words(process) && now_ms() < end) {
        struct pollfd wait = { .fd = process->said, .events = POLLIN };
        poll(&wait, 1, (int)(end - now_ms() > 0 ? end - now_ms() : 0));
    }
}

// Waits for its end without blocking longer. True: `*status` is how it ended.
static bool reap(PipeProcess *process, int64_t grace_ms, int *status)
{
    int64_t end = now_ms() + grace_ms;
    for (;;) {
        pid_t got = waitpid(process->pid, status, WNOHANG);
        if (got == process->pid) {
            return true;
        }
        if ((got < 0 && errno != EINTR) || now_ms() >= end) {
            return false;
        }
        const struct timespec pause = { .tv_nsec = 500000 };
        nanosleep(&pause, NULL);
    }
}

static void close_pipes(PipeProcess *process)
{
    close_all((int[3]){ process->to, process->from, process->said }, 3);
    process->to = process->from = process->said = -1;
}

// False: it had ended by itself, and `*status` says how.
static bool end_process(PipeProcess *process, int64_t grace_ms, int *status)
{
    bool is_over = reap(process, grace_ms, status);
    kill(-process->pid, SIGKILL); // and whatever it started
    while (!is_over && waitpid(process->pid, status, 0) < 0 && errno == EINTR) {
    }
    return !is_over;
}

static void put_end(char *text, size_t size, int status)
{
    if (WIFSIGNALED(status)) {
        snprintf(text, size, "it crashed (%s)", strsignal(WTERMSIG(status)));
    } else if (WEXITSTATUS(status) == 127) {
        snprintf(text, size, "the command could not be started (exit code 127)");
    } else if (WEXITSTATUS(status) > 128 && WEXITSTATUS(status) < 160) { // a shell's way to say it
        snprintf(text, size, "it crashed (%s)", strsignal(WEXITSTATUS(status) - 128));
    } else {
        snprintf(text, size, "it ended with exit code %d", WEXITSTATUS(status));
    }
}

// Gives up on it. `why` NULL: it closed its output, so its end is the reason.
static PipeResult lose(PipeProcess *process, PipeKind kind, const char *why, tp_error *error)
{
    char text[120];
    int  status = 0;
    if (why == NULL) {
        bool was_alive = end_process(process, 1000, &status);
        snprintf(text, sizeof(text), "it closed its output and went on");
        if (!was_alive) {
            put_end(text, sizeof(text), status);
        }
    } else {
        snprintf(text, sizeof(text), "%s", why);
        end_process(process, 0, &status);
    }
    hear_out(process);
    const char *last = pipewords_last(&process->words);
    tp_error_set(error, *last != '\0' ? "%s: %s; its last words: %s" : "%s: %s", pipewire_name(kind), text, last);
    close_pipes(process);
    process->pid = 0;
    return PIPE_LOST;
}

// Waits until it can be written to (`is_writing`) or read from, and listens meanwhile. False: the time is up.
static bool wait_for(PipeProcess *process, bool is_writing, int64_t end)
{
    for (;;) {
        struct pollfd waits[2] = { { .fd = is_writing ? process->to : process->from, .events = is_writing ? POLLOUT : POLLIN },
                                   { .fd = process->said, .events = POLLIN } };
        int64_t left = end - now_ms();
        if (left <= 0) {
            return false;
        }
        int count = poll(waits, 2, left > INT32_MAX ? INT32_MAX : (int)left);
        if (count > 0 && waits[1].revents != 0 && !drain_words(process)) {
            close(process->said); // it closed it, or ended
            process->said = -1;
        }
        if (count > 0 && waits[0].revents != 0) {
            return true;
        }
    }
}

// writev to a pipe that nobody reads raises SIGPIPE, which must not end us: held back, and taken out again.
static ssize_t write_quietly(int fd, const struct iovec *parts, int count)
{
    sigset_t              broken, before;
    const struct timespec now = { 0 };
    sigemptyset(&broken);
    sigaddset(&broken, SIGPIPE);
    pthread_sigmask(SIG_BLOCK, &broken, &before);
    ssize_t done = writev(fd, parts, count);
    int     why = errno;
    if (done < 0 && why == EPIPE && !sigismember(&before, SIGPIPE)) {
        while (sigtimedwait(&broken, NULL, &now) < 0 && errno == EINTR) {
        }
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    errno = why;
    return done;
}

typedef enum { SENT, SENT_NOT_IN_TIME, SENT_TO_NOBODY } Sent;

static Sent send_all(PipeProcess *process, struct iovec *parts, int count, int64_t end)
{
    while (count > 0) {
        ssize_t done = write_quietly(process->to, parts, count);
        if (done < 0 && errno != EAGAIN && errno != EINTR) {
            return SENT_TO_NOBODY;
        }
        if (done < 0 && errno == EAGAIN && !wait_for(process, true, end)) {
            return SENT_NOT_IN_TIME;
        }
        size_t taken = done > 0 ? (size_t)done : 0;
        for (; count > 0 && taken >= parts[0].iov_len; count--, parts++) {
            taken -= parts[0].iov_len;
        }
        if (count > 0) {
            parts[0].iov_base = (uint8_t *)parts[0].iov_base + taken;
            parts[0].iov_len -= taken;
        }
    }
    return SENT;
}

static bool reserve(PipeProcess *process, size_t size)
{
    if (process->capacity >= size) {
        return true;
    }
    uint8_t *bytes = realloc(process->bytes, size);
    if (bytes != NULL) {
        process->bytes = bytes;
        process->capacity = size;
    }
    return bytes != NULL;
}

typedef enum { GOT, GOT_NOT_IN_TIME, GOT_END, GOT_NO_MEMORY } Got;

// Reads until `wanted` bytes are there; more may come with them.
static Got receive(PipeProcess *process, size_t wanted, int64_t end)
{
    if (!reserve(process, wanted + READ_AHEAD)) {
        return GOT_NO_MEMORY;
    }
    while (process->used < wanted) {
        if (!wait_for(process, false, end)) {
            return GOT_NOT_IN_TIME;
        }
        ssize_t got = read(process->from, process->bytes + process->used, process->capacity - process->used);
        if (got == 0 || (got < 0 && errno != EAGAIN && errno != EINTR)) {
            return GOT_END;
        }
        process->used += got > 0 ? (size_t)got : 0;
    }
    return GOT;
}

static PipeResult lose_got(PipeProcess *process, PipeKind kind, Got got, uint32_t timeout_ms, tp_error *error)
{
    char text[80];
    snprintf(text, sizeof(text), "it gave no answer within %u.%u s", timeout_ms / 1000, timeout_ms % 1000 / 100);
    return lose(process, kind, got == GOT_END ? NULL : got == GOT_NO_MEMORY ? "out of memory" : text, error);
}

static PipeResult take_refusal(const PipeProcess *process, PipeKind kind, size_t size, tp_error *error)
{
    PipeWords      words = { 0 }; // a text of others: the same care as with its last words
    const uint8_t *text = process->bytes + PIPEWIRE_HEAD;
    const uint8_t *line_end = size > 0 ? memchr(text, '\n', size) : NULL;
    pipewords_take(&words, text, line_end != NULL ? (size_t)(line_end - text) : size);
    tp_error_set(error, "%s: it says: %s", pipewire_name(kind), *pipewords_last(&words) != '\0' ? pipewords_last(&words) : "no, and not why");
    return PIPE_REFUSED;
}

static PipeResult take_answer(PipeProcess *process, PipeKind kind, size_t answer_max, int64_t end, uint32_t timeout_ms, size_t *answer_size, tp_error *error)
{
    char text[100];
    Got  got = receive(process, PIPEWIRE_HEAD, end);
    if (got != GOT) {
        return lose_got(process, kind, got, timeout_ms, error);
    }
    size_t size = bytes_get_u32(process->bytes);
    int    said = process->bytes[4];
    size_t most = said == PIPEWIRE_REFUSAL ? PIPEWIRE_REFUSAL_MAX : answer_max;
    if (said != PIPEWIRE_REFUSAL && said != (PIPEWIRE_ANSWER | (int)kind)) {
        snprintf(text, sizeof(text), "it answers with kind 0x%02x, 0x%02x is wanted", said, PIPEWIRE_ANSWER | (unsigned)kind);
        return lose(process, kind, text, error);
    }
    if (size > most) {
        snprintf(text, sizeof(text), "it answers with %zu bytes, %zu are the most", size, most);
        return lose(process, kind, text, error);
    }
    got = receive(process, PIPEWIRE_HEAD + size, end);
    if (got != GOT) {
        return lose_got(process, kind, got, timeout_ms, error);
    }
    if (process->used > PIPEWIRE_HEAD + size) {
        return lose(process, kind, "it says more than its answer", error);
    }
    *answer_size = size;
    return said == PIPEWIRE_REFUSAL ? take_refusal(process, kind, size, error) : PIPE_DONE;
}

// What it wrote before it was asked belongs to no question, and would be taken for the next one's answer.
static bool has_spoken_unasked(const PipeProcess *process)
{
    struct pollfd now = { .fd = process->from, .events = POLLIN };
    return poll(&now, 1, 0) > 0 && (now.revents & POLLIN) != 0;
}

PipeResult pipeprocess_ask(PipeProcess *process, PipeKind kind, const void *head, size_t head_size, const void *body, size_t body_size,
                           size_t answer_max, uint32_t timeout_ms, const uint8_t **answer, size_t *answer_size, tp_error *error)
{
    uint8_t      frame[PIPEWIRE_HEAD];
    int64_t      end = now_ms() + timeout_ms;
    struct iovec parts[3] = { { frame, sizeof(frame) }, { (void *)(uintptr_t)head, head_size }, { (void *)(uintptr_t)body, body_size } };
    bytes_put_u32(frame, (uint32_t)(head_size + body_size));
    frame[4] = (uint8_t)kind;
    process->used = 0;
    if (has_spoken_unasked(process)) {
        return lose(process, kind, "it spoke before it was asked", error);
    }
    Sent sent = send_all(process, parts, body_size > 0 ? 3 : 2, end);
    if (sent != SENT) {
        return sent == SENT_TO_NOBODY ? lose(process, kind, NULL, error) : lose_got(process, kind, GOT_NOT_IN_TIME, timeout_ms, error);
    }
    PipeResult result = take_answer(process, kind, answer_max, end, timeout_ms, answer_size, error);
    *answer = process->bytes + PIPEWIRE_HEAD;
    return result;
}

void pipeprocess_finish(PipeProcess *process)
{
    int status = 0;
    if (process->pid != 0) {
        close_pipes(process);
        if (process->owner == getpid()) {
            end_process(process, GRACE_MS, &status);
        }
    }
    free(process->bytes);
    *process = (PipeProcess){ 0 };
}

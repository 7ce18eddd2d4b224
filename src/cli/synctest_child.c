// synctest_child.c: the process that states are restored in. It loads and makes the world and no more: every request gets a fork of its own,
// in which the world is restored and stepped for the first time, and which then ends. So nothing that a world keeps outside of its state,
// whatever it is, can come from an earlier request, and none of it from the process that asks.
#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "args.h"
#include "bytes.h"
#include "synctest_work.h"

enum { TEXT_SIZE = 300 };

typedef struct {
    WorldSet  worlds;
    tp_ident *ident;
    tp_sim   *sim; // in the state of its init, for ever
    char     *arguments[WORLDS_LOADED_MAX];
} Child;

static bool fail(int fd, const char *text)
{
    (void)synctestframe_send(fd, SYNCTEST_FAILED, (const uint8_t *)text, strlen(text));
    return false;
}

// World arguments, then rules.
static bool take_hello(Child *child, int fd, const uint8_t *bytes, size_t size)
{
    tp_error    error;
    BytesReader reader = bytes_reader(bytes, size);
    uint32_t    count = bytes_read_u32(&reader);
    if (count > WORLDS_LOADED_MAX) {
        return fail(fd, "more worlds than there is room for");
    }
    for (uint32_t i = 0; i < count && !reader.failed; i++) {
        uint32_t       length = bytes_read_u32(&reader);
        const uint8_t *text = bytes_read_span(&reader, length);
        child->arguments[i] = text == NULL ? NULL : strndup((const char *)text, length); // for the life of the process
        if (child->arguments[i] == NULL || worlds_add(&child->worlds, child->arguments[i]) == NULL) {
            return fail(fd, "a world could not be loaded there");
        }
    }
    uint32_t       rules_size = bytes_read_u32(&reader);
    const uint8_t *rules = bytes_read_span(&reader, rules_size);
    child->ident = malloc(sizeof(*child->ident));
    if (rules == NULL || child->ident == NULL || !tp_ident_of_rules(rules, rules_size, child->ident, &error)) {
        return fail(fd, "the rules could not be read there");
    }
    // Made here once and not in every fork: memory that is there already is cheaper to have twice than to have anew.
    tp_synctest_dirty_heap();
    child->sim = tp_sim_of_ident(child->ident, worlds_search(&child->worlds, child->ident->world, child->ident->revision), NULL, &error);
    if (child->sim == NULL) {
        return fail(fd, error.text);
    }
    return synctestframe_send(fd, SYNCTEST_READY, NULL, 0);
}

// Other addresses than the process that asks has, also where the system does not shuffle them, and no memory that happens to be zero.
static void stir_memory(void)
{
    static void *kept[2]; // never freed
    kept[0] = malloc(3 * 4096 + 176);
    kept[1] = malloc((size_t)1 << 20);
    __asm__ volatile("" : : "r"(kept[0]), "r"(kept[1]) : "memory");
#ifdef M_PERTURB
    mallopt(M_PERTURB, 0x5A);
#endif
}

// In the fork. Does not return.
static void serve(const Child *child, int fd, const uint8_t *request, size_t size)
{
    tp_error error;
    uint8_t *answer = NULL;
    size_t   answer_size = 0;
    bool     is_sent = false;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (tp_synctest_serve(child->sim, request, size, &answer, &answer_size, &error)) {
        is_sent = synctestframe_send(fd, SYNCTEST_ANSWER, answer, answer_size);
    } else {
        is_sent = synctestframe_send(fd, SYNCTEST_FAILED, (const uint8_t *)error.text, strlen(error.text));
    }
    _exit(is_sent ? 0 : 1); // nobody relies on it: a world may end with any code
}

// A fork answers its maker, who passes on whole answers only: how it ended says nothing about whether one came.
typedef struct {
    SynctestFrame kind;
    uint8_t      *bytes;
    size_t        capacity, size;
} Answer;

// False: none came whole.
static bool ask_fork(const Child *child, int fd, const uint8_t *request, size_t size, Answer *answer, int *status)
{
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) {
        return false;
    }
    pid_t pid = fork();
    if (pid == 0) {
        close(fd);
        close(ends[0]);
        serve(child, ends[1], request, size);
    }
    close(ends[1]);
    bool is_whole = pid > 0 && synctestframe_receive(ends[0], &answer->kind, &answer->bytes, &answer->capacity, &answer->size);
    close(ends[0]);
    while (pid > 0 && waitpid(pid, status, 0) < 0 && errno == EINTR) {
    }
    return is_whole;
}

// False: nobody is there any more.
static bool serve_in_fork(const Child *child, int fd, const uint8_t *request, size_t size)
{
    static Answer answer; // grows once
    char          text[TEXT_SIZE];
    int           status = -1;
    if (ask_fork(child, fd, request, size, &answer, &status)) {
        return synctestframe_send(fd, answer.kind, answer.bytes, answer.size);
    }
    if (status == -1) {
        return fail(fd, "no process could be forked there");
    }
    if (WIFSIGNALED(status)) {
        snprintf(text, sizeof(text), "the world crashed there (%s)", strsignal(WTERMSIG(status)));
    } else {
        snprintf(text, sizeof(text), "the world ended the process there, exit code %d", WEXITSTATUS(status));
    }
    fail(fd, text);
    return true;
}

int synctestchild_main(const char *descriptor)
{
    static Child child;
    uint64_t     fd = 0;
    uint8_t     *bytes = NULL;
    size_t       capacity = 0;
    size_t       size = 0;
    SynctestFrame kind = SYNCTEST_FAILED;
    if (!args_parse_u64(descriptor, &fd) || fd > INT32_MAX) {
        return cli_fail(TP_USAGE, "synctest: --child is for this program's own use");
    }
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    signal(SIGINT, SIG_IGN); // a terminal sends it to all of us: the parent ends us
    signal(SIGTERM, SIG_IGN);
    stir_memory();
    // What a world prints while it steps again is of no use to anybody.
    int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
    if (nowhere >= 0) {
        dup2(nowhere, STDOUT_FILENO);
        close(nowhere);
    }
    bool is_open = synctestframe_receive((int)fd, &kind, &bytes, &capacity, &size) && kind == SYNCTEST_HELLO && take_hello(&child, (int)fd, bytes, size);
    bool has_begun = is_open;
    while (is_open && synctestframe_receive((int)fd, &kind, &bytes, &capacity, &size) && kind == SYNCTEST_REQUEST) {
        is_open = serve_in_fork(&child, (int)fd, bytes, size);
    }
    _exit(has_begun ? 0 : TP_USAGE); // not exit: a library's last code must not run twice
}

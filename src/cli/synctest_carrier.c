// synctest_carrier.c: this program started again, and asked.
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bytes.h"
#include "synctest_work.h"

struct SynctestCarrier {
    const SynctestWork *work;
    const tp_rules     *rules;
    pid_t               pid; // of the process that is asked; 0: none
    int                 fd;
    uint32_t            served;
    uint8_t            *answer;
    size_t              answer_capacity;
};

SynctestCarrier *synctestcarrier_create(const SynctestWork *work, const tp_rules *rules)
{
    SynctestCarrier *carrier = calloc(1, sizeof(*carrier));
    if (carrier != NULL) {
        carrier->work = work;
        carrier->rules = rules;
    }
    return carrier;
}

static void stop(SynctestCarrier *carrier)
{
    if (carrier->pid == 0) {
        return;
    }
    close(carrier->fd);
    kill(carrier->pid, SIGKILL); // it may hang in a step, and its fork goes with it
    while (waitpid(carrier->pid, NULL, 0) < 0 && errno == EINTR) {
    }
    carrier->pid = 0;
    carrier->served = 0;
}

void synctestcarrier_destroy(SynctestCarrier *carrier)
{
    if (carrier != NULL) {
        stop(carrier);
        free(carrier->answer);
        free(carrier);
    }
}

// In the child: becomes this program again, with a memory of its own.
static void become_child(int fd)
{
    char number[16];
    snprintf(number, sizeof(number), "%d", fd);
    if (fcntl(fd, F_SETFD, 0) == 0) {
        execl("/proc/self/exe", "tickproof", "synctest", "--child", number, (char *)NULL);
    }
    _exit(127);
}

static bool start_process(SynctestCarrier *carrier, tp_error *error)
{
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) {
        return tp_error_set(error, "making a socket: %s", strerror(errno));
    }
    fflush(stdout);
    pid_t pid = fork();
    if (pid == 0) {
        become_child(ends[1]);
    }
    close(ends[1]);
    if (pid < 0) {
        close(ends[0]);
        return tp_error_set(error, "starting a process: %s", strerror(errno));
    }
    carrier->pid = pid;
    carrier->fd = ends[0];
    return true;
}

// Waits for the first byte of an answer, which then comes whole. In slices: a wish to stop that comes just before a wait would not end it.
static bool wait_for(const SynctestCarrier *carrier, tp_error *error)
{
    enum { SLICE_MS = 100 };
    const SynctestWork *work = carrier->work;
    struct pollfd       ready = { .fd = carrier->fd, .events = POLLIN };
    double              start = cli_seconds();
    while (work->step_timeout_s == 0 || cli_seconds() - start < (double)work->step_timeout_s) {
        if (*work->stop) {
            return tp_error_set(error, "interrupted");
        }
        int seen = poll(&ready, 1, SLICE_MS);
        if (seen > 0) {
            return true;
        }
        if (seen < 0 && errno != EINTR) {
            return tp_error_set(error, "waiting for the process: %s", strerror(errno));
        }
    }
    return tp_error_set(error, "no answer within %u s: mend the world, or give --step-timeout", work->step_timeout_s);
}

static bool receive(SynctestCarrier *carrier, SynctestFrame wanted, size_t *size, tp_error *error)
{
    SynctestFrame kind = SYNCTEST_FAILED;
    if (!wait_for(carrier, error)) {
        return false;
    }
    if (!synctestframe_receive(carrier->fd, &kind, &carrier->answer, &carrier->answer_capacity, size)) {
        return tp_error_set(error, "the process ended%s%s", errno == 0 ? "" : ": ", errno == 0 ? "" : strerror(errno));
    }
    if (kind == SYNCTEST_FAILED) {
        return tp_error_set(error, "%.*s", (int)(*size < 200 ? *size : 200), (const char *)carrier->answer);
    }
    return kind == wanted || tp_error_set(error, "the process answered something else");
}

static bool greet(SynctestCarrier *carrier, tp_error *error)
{
    const SynctestWork *work = carrier->work;
    size_t              size = 8 + carrier->rules->size;
    size_t              answer_size = 0;
    for (uint32_t i = 0; i < work->world_count; i++) {
        size += 4 + strlen(work->world_arguments[i]);
    }
    uint8_t *bytes = malloc(size);
    if (bytes == NULL) {
        return tp_error_set(error, "out of memory");
    }
    BytesWriter writer = bytes_writer(bytes, size);
    bytes_write_u32(&writer, work->world_count);
    for (uint32_t i = 0; i < work->world_count; i++) {
        bytes_write_u32(&writer, (uint32_t)strlen(work->world_arguments[i]));
        bytes_write_span(&writer, work->world_arguments[i], strlen(work->world_arguments[i]));
    }
    bytes_write_u32(&writer, carrier->rules->size);
    bytes_write_span(&writer, carrier->rules->bytes, carrier->rules->size);
    bool is_good = synctestframe_send(carrier->fd, SYNCTEST_HELLO, bytes, size) || tp_error_set(error, "the process ended as it started");
    free(bytes);
    return is_good && receive(carrier, SYNCTEST_READY, &answer_size, error);
}

bool synctestcarrier_carry(void *to, const uint8_t *request, size_t size, const uint8_t **answer, size_t *answer_size, tp_error *error)
{
    SynctestCarrier *carrier = to;
    if (carrier->served == carrier->work->respawn) {
        stop(carrier);
    }
    bool is_good = carrier->pid != 0 || (start_process(carrier, error) && greet(carrier, error));
    carrier->served += 1;
    if (is_good && !synctestframe_send(carrier->fd, SYNCTEST_REQUEST, request, size)) {
        is_good = tp_error_set(error, "the process is gone");
    }
    is_good = is_good && receive(carrier, SYNCTEST_ANSWER, answer_size, error);
    if (!is_good) {
        stop(carrier);
    }
    *answer = carrier->answer;
    return is_good;
}

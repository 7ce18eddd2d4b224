// perturb_here.c: what this machine lets a process do: fixed addresses, one processor, another environment, a library loaded first, a folder.
#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/personality.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli.h"
#include "perturb.h"

#ifndef TP_STRICT_PATH
#define TP_STRICT_PATH ""
#endif
#define STRICT_NAME "libtickproof-strict.so"

extern char **environ;

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define IS_SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || __has_feature(memory_sanitizer) || __has_feature(undefined_behavior_sanitizer)
#define IS_SANITIZED 1
#endif
#endif

bool perturb_here_pin(const Side *side)
{
    (void)side;
    int now = personality(0xFFFFFFFF);
    return now != -1 && personality((unsigned long)now | ADDR_NO_RANDOMIZE) != -1;
}

bool perturb_here_shuffle(const Side *side)
{
    (void)side;
    int now = personality(0xFFFFFFFF);
    return now != -1 && personality((unsigned long)now & ~(unsigned long)ADDR_NO_RANDOMIZE) != -1;
}

bool perturb_here_one_processor(const Side *side)
{
    cpu_set_t all, one;
    if (sched_getaffinity(0, sizeof(all), &all) != 0) {
        return false;
    }
    CPU_ZERO(&one);
    for (int i = 0; i < CPU_SETSIZE; i++) {
        if (CPU_ISSET(i, &all)) {
            CPU_SET(i, &one);
            break;
        }
    }
    // With the same addresses as the base run wherever that is possible.
    (void)perturb_here_pin(side);
    return sched_setaffinity(0, sizeof(one), &one) == 0;
}

// Some containers forbid it, and say so only when it is tried.
static bool can_pin(void)
{
    int   status = -1;
    pid_t pid = fork();
    if (pid == 0) {
        _exit(perturb_here_pin(NULL) ? 0 : 1);
    }
    while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR) {
    }
    return pid > 0 && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

static bool try_strict(PerturbWork *work, const char *folder, const char *inner)
{
    snprintf(work->strict_path, sizeof(work->strict_path), "%.800s%s/" STRICT_NAME, folder, inner);
    return access(work->strict_path, R_OK) == 0;
}

// Beside the program, then where it is installed, then where a build puts it.
static void find_strict(PerturbWork *work)
{
    char    program[900];
    ssize_t length = readlink("/proc/self/exe", program, sizeof(program) - 1);
    if (work->world_count > 0 && strncmp(work->worlds[0], WORLDS_COMMAND, strlen(WORLDS_COMMAND)) == 0) {
        work->no_strict = "the world is a process of its own, which this does not reach";
        return;
    }
    work->no_strict = STRICT_NAME " was not found beside this program";
#ifdef IS_SANITIZED
    length = -1;
    work->no_strict = "this program is built with sanitizers, which stand where " STRICT_NAME " would";
#else
    if (TP_STRICT_PATH[0] != '\0' && access(TP_STRICT_PATH, R_OK) == 0) {
        snprintf(work->strict_path, sizeof(work->strict_path), "%s", TP_STRICT_PATH);
    }
#endif
    program[length < 0 ? 0 : length] = '\0';
    char *slash = strrchr(program, '/');
    if (length <= 0 || slash == NULL) {
        return;
    }
    *slash = '\0';
    char installed[sizeof(work->strict_path)];
    snprintf(installed, sizeof(installed), "%s", work->strict_path);
    if (!try_strict(work, program, "") && !try_strict(work, program, "/../strict")) {
        snprintf(work->strict_path, sizeof(work->strict_path), "%s", installed);
    }
    work->no_strict = work->strict_path[0] != '\0' ? NULL : work->no_strict;
}

static bool make_scratch(PerturbWork *work)
{
    const char *temporary = getenv("TMPDIR") != NULL ? getenv("TMPDIR") : "/tmp";
    char        elsewhere[sizeof(work->scratch) + 16];
    snprintf(work->scratch, sizeof(work->scratch), "%.120s/tickproof-perturb-XXXXXX", temporary);
    if (mkdtemp(work->scratch) == NULL) {
        cli_fail(TP_USAGE, "perturb: %s: making a folder for copies of the log: %s; set TMPDIR to one that can be written", temporary, strerror(errno));
        work->scratch[0] = '\0';
        return false;
    }
    snprintf(elsewhere, sizeof(elsewhere), "%s/elsewhere", work->scratch);
    return mkdir(elsewhere, 0700) == 0 || cli_fail(TP_USAGE, "perturb: %s: making a folder: %s", elsewhere, strerror(errno)) == 0;
}

static bool copy_log(PerturbWork *work, size_t index)
{
    PerturbLog *log = &work->logs[index];
    snprintf(log->copy, sizeof(log->copy), "%s/%zu.tpr", work->scratch, index);
    FILE *out = fopen(log->copy, "wb");
    bool  is_written = out != NULL && fwrite(log->bytes, 1, log->size, out) == log->size;
    if ((out != NULL && fclose(out) != 0) || !is_written) {
        cli_fail(TP_USAGE, "perturb: %s: copying the log: %s", log->copy, strerror(errno));
        return false;
    }
    return true;
}

bool perturb_here_begin(PerturbWork *work)
{
    const char *before = getenv("LD_PRELOAD");
    work->can_pin = can_pin();
    find_strict(work);
    if (work->no_strict == NULL) {
        snprintf(work->preload, sizeof(work->preload), "LD_PRELOAD=%s%s%.900s", work->strict_path, before != NULL ? ":" : "", before != NULL ? before : "");
    }
    bool is_fine = make_scratch(work);
    for (size_t i = 0; is_fine && i < work->log_count; i++) {
        is_fine = copy_log(work, i);
    }
    return is_fine;
}

static void remove_in_scratch(const PerturbWork *work, const char *name)
{
    char path[sizeof(work->scratch) + 32];
    snprintf(path, sizeof(path), "%s/%s", work->scratch, name);
    remove(path);
}

void perturb_here_finish(PerturbWork *work)
{
    char name[32];
    for (size_t i = 0; i < sizeof(work->large) / sizeof(work->large[0]); i++) {
        free(work->large[i]);
    }
    files_finish(&work->names);
    if (work->scratch[0] == '\0') {
        return;
    }
    for (int log = 0; log < 2; log++) {
        snprintf(name, sizeof(name), "%d.tpr", log);
        remove_in_scratch(work, name);
        for (int thread = 1; thread < 16; thread++) {
            snprintf(name, sizeof(name), "%d.tpr.%d.tpt", log, thread);
            remove_in_scratch(work, name);
        }
    }
    remove_in_scratch(work, "strict.txt");
    remove_in_scratch(work, "elsewhere"); // stays when a world wrote there, and so does the scratch
    remove(work->scratch);
}

// What a process needs to start, or a sanitizer to say what it found.
static bool is_kept(const char *variable)
{
    return strncmp(variable, "LD_", 3) == 0 || strncmp(variable, "ASAN_", 5) == 0 || strncmp(variable, "UBSAN_", 6) == 0 || strncmp(variable, "LSAN_", 5) == 0 ||
           strncmp(variable, "TMPDIR=", 7) == 0 || strncmp(variable, "TSAN_", 5) == 0 || strncmp(variable, "QEMU_", 5) == 0;
}

const char **perturb_here_environment(PerturbWork *work, const char *const *more, bool is_emptied)
{
    size_t count = 2;
    for (size_t i = 0; more != NULL && more[i] != NULL; i++) {
        count += 1;
    }
    for (size_t i = 0; is_emptied && environ[i] != NULL; i++) {
        count += 1;
    }
    const char **list = calloc(count, sizeof(*list));
    size_t       used = 0;
    if (list == NULL) {
        return NULL;
    }
    if (work->preload[0] != '\0') {
        list[used++] = work->preload;
    }
    for (size_t i = 0; more != NULL && more[i] != NULL; i++) {
        list[used++] = more[i];
    }
    for (size_t i = 0; is_emptied && environ[i] != NULL; i++) {
        char *sign = strchr(environ[i], '=');
        if (sign != NULL && sign != environ[i] && !is_kept(environ[i]) && files_add(&work->names, environ[i])) {
            char *name = work->names.items[work->names.count - 1];
            name[sign - environ[i]] = '\0';
            list[used++] = name;
        }
    }
    return list;
}

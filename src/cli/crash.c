// crash.c: only what a signal handler may do: one write, then the end.
#include "crash.h"

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>

#include "cli.h"

#if defined(__SANITIZE_ADDRESS__)
#define CRASH_IS_OTHERS 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(undefined_behavior_sanitizer)
#define CRASH_IS_OTHERS 1
#endif
#endif

static volatile uint64_t stepped_tick;
static volatile bool     has_tick;

void crash_at_tick(uint64_t tick)
{
    stepped_tick = tick;
    has_tick = true;
}

static void say_tick(void)
{
    char     text[48] = " in the step of tick ";
    size_t   size = strlen(text);
    uint64_t power = 1;
    while (stepped_tick / power >= 10) {
        power *= 10;
    }
    for (; power > 0; power /= 10) {
        text[size++] = (char)('0' + stepped_tick / power % 10);
    }
    (void)!write(STDERR_FILENO, text, size);
}

static void say(int number)
{
    const char *what = number == SIGABRT ? "tickproof: a world ended this program (abort)" : "tickproof: a world crashed this program";
    static const char advice[] = ": 'tickproof verify' steps worlds in processes of their own and says at which tick; mend the world\n";
    // What cannot be written is lost: there is nothing left to do about it.
    (void)!write(STDERR_FILENO, what, strlen(what));
    if (has_tick) {
        say_tick();
    }
    (void)!write(STDERR_FILENO, advice, sizeof(advice) - 1);
    _exit(TP_INTERNAL);
}

void crash_guard(void)
{
#ifdef CRASH_IS_OTHERS
    static const int numbers[] = { SIGABRT };
#else
    static const int numbers[] = { SIGABRT, SIGSEGV, SIGBUS, SIGFPE, SIGILL };
#endif
    // Once each: a second crash, in the handler, is a plain one.
    struct sigaction action = { .sa_handler = say, .sa_flags = (int)SA_RESETHAND };
    sigemptyset(&action.sa_mask);
    for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
        sigaction(numbers[i], &action, NULL);
    }
}

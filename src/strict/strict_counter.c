// strict_counter.c: the time stamp counter of x86. Linux traps reading it when asked; the handler notes the read, does it, and goes on behind it.
#include "strict_internal.h"

#if defined(__linux__) && (defined(__x86_64__) || defined(__i386__))

#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <ucontext.h>

static struct sigaction before;
static bool             is_installed, is_refused;
static volatile bool    has_trapped;

#if defined(__x86_64__)
enum { REGISTER_PLACE = REG_RIP, REGISTER_LOW = REG_RAX, REGISTER_HIGH = REG_RDX, REGISTER_THIRD = REG_RCX };
#else
enum { REGISTER_PLACE = REG_EIP, REGISTER_LOW = REG_EAX, REGISTER_HIGH = REG_EDX, REGISTER_THIRD = REG_ECX };
#endif

static uint32_t instruction_size(const uint8_t *code)
{
    if (code[0] == 0x0F && code[1] == 0x31) {
        return 2; // rdtsc
    }
    return code[0] == 0x0F && code[1] == 0x01 && code[2] == 0xF9 ? 3 : 0; // rdtscp
}

static void on_trap(int number, siginfo_t *info, void *place)
{
    ucontext_t *context = place;
    greg_t     *registers = context->uc_mcontext.gregs;
    // A trap of the instruction has no address of its own; a jump to where there is no code has one, and is not read from here.
    uint32_t size = info->si_addr == NULL && info->si_code == SI_KERNEL ? instruction_size((const uint8_t *)registers[REGISTER_PLACE]) : 0;
    if (size == 0) {
        sigaction(number, &before, NULL); // comes again, to whom it belongs
        return;
    }
    unsigned low, high;
    has_trapped = true;
    prctl(PR_SET_TSC, PR_TSC_ENABLE);
    __asm__ volatile("rdtsc" : "=a"(low), "=d"(high));
    strict_note(STRICT_CLOCK, size == 2 ? "rdtsc" : "rdtscp", NULL);
    prctl(PR_SET_TSC, PR_TSC_SIGSEGV);
    registers[REGISTER_LOW] = (greg_t)low;
    registers[REGISTER_HIGH] = (greg_t)high;
    if (size == 3) {
        registers[REGISTER_THIRD] = 0;
    }
    registers[REGISTER_PLACE] += (greg_t)size;
}

// Some virtual machines take the wish and trap nothing, so it is tried out.
static bool does_trap(void)
{
    unsigned low, high;
    prctl(PR_SET_TSC, PR_TSC_SIGSEGV);
    __asm__ volatile("rdtsc" : "=a"(low), "=d"(high));
    prctl(PR_SET_TSC, PR_TSC_ENABLE);
    return has_trapped;
}

// At the first step, so that it stands before whatever the program installed.
static void install(void)
{
    struct sigaction action;
    memset(&action, 0, sizeof(action));
    action.sa_sigaction = on_trap;
    action.sa_flags = SA_SIGINFO | SA_NODEFER;
    sigemptyset(&action.sa_mask);
    is_installed = true;
    is_refused = prctl(PR_SET_TSC, PR_TSC_ENABLE) != 0 || sigaction(SIGSEGV, &action, &before) != 0;
    if (!is_refused && !does_trap()) {
        is_refused = true;
        sigaction(SIGSEGV, &before, NULL);
    }
}

bool strict_counter_is_had(void)
{
    return is_installed && !is_refused;
}

void strict_counter_trap(void)
{
    if (!is_installed) {
        install();
    }
    if (!is_refused) {
        prctl(PR_SET_TSC, PR_TSC_SIGSEGV);
    }
}

void strict_counter_release(void)
{
    if (!is_refused) {
        prctl(PR_SET_TSC, PR_TSC_ENABLE);
    }
}

#else

bool strict_counter_is_had(void)
{
    return false;
}

void strict_counter_trap(void)
{
}

void strict_counter_release(void)
{
}

#endif

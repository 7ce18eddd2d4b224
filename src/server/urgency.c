// urgency.c: the two things that an unprivileged thread may ask of Linux' scheduler.
#include "urgency.h"

#include <stdint.h>

#if defined(__linux__)
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>
#endif

#if defined(__linux__) && defined(SYS_sched_setattr)

// As sched_setattr(2) has it.
typedef struct {
    uint32_t size;
    uint32_t policy;
    uint64_t flags;
    int32_t  nice;
    uint32_t priority;
    uint64_t runtime_ns, deadline_ns, period_ns;
} ScheduleAttributes;

// The length of a turn, since Linux 6.12: whoever asks for less has an earlier deadline, and gets the core sooner after waking. Of an
// older kernel nothing is had, and nothing lost.
enum { TURN_NS = 100000 };

void urgency_of_ticks(void)
{
    ScheduleAttributes attributes = { .size = sizeof(attributes) };
    if (syscall(SYS_sched_getattr, 0, &attributes, sizeof(attributes), 0) == 0 && attributes.policy == 0) {
        attributes.size = sizeof(attributes);
        attributes.runtime_ns = TURN_NS;
        (void)syscall(SYS_sched_setattr, 0, &attributes, 0);
    }
}

#else

void urgency_of_ticks(void)
{
}

#endif

void urgency_give_way(int nice)
{
#if defined(__linux__)
    (void)setpriority(PRIO_PROCESS, (id_t)gettid(), nice);
#else
    (void)nice;
#endif
}

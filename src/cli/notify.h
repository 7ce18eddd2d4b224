// notify.h: tells the service manager that started this program how it is: the datagrams of sd_notify(3), without its library. No watchdog:
// nothing here knows whether every lane still turns, and a main thread that says so on their behalf would hide just what it is for.
#pragma once

#include <stdbool.h>
#include <tickproof/layout.h>

/// All-zero: nobody is to be told, and telling does nothing.
typedef struct Notify {
    int  socket;
    bool is_open;
} Notify;

/// Takes the address in NOTIFY_SOCKET, an absolute path or @NAME, and takes it out of the environment, so that no child speaks for this
/// program. Without one, true. False: no socket can be reached there; `error` names it and says what to do. Before there are threads.
bool notify_open(Notify *notify, tp_error *error);

/// Lines such as "READY=1\nSTATUS=two rooms". Waits a second at most for a manager that does not read; what it has not taken then is lost to
/// it, and its own time-out tells.
__attribute__((format(printf, 2, 3))) void notify_send(const Notify *notify, const char *format, ...);

void notify_close(Notify *notify);

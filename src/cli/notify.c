// notify.c: one datagram socket to the service manager.
#include "notify.h"

#include <errno.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

enum { LINES_MAX = 512, SEND_WAIT_S = 1 };

// False: no address of a kind that is known here, or too long for one.
static bool read_address(const char *text, struct sockaddr_un *address, socklen_t *size)
{
    size_t length = strlen(text);
    if ((text[0] != '/' && text[0] != '@') || length < 2 || length >= sizeof(address->sun_path)) {
        return false;
    }
    *address = (struct sockaddr_un){ .sun_family = AF_UNIX };
    memcpy(address->sun_path, text, length);
    *size = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + length);
    if (text[0] == '@') {
        address->sun_path[0] = '\0'; // an abstract name is exactly its bytes, without an end
    } else {
        *size += 1;
    }
    return true;
}

static bool connect_to(Notify *notify, const char *text, tp_error *error)
{
    struct sockaddr_un address;
    socklen_t          size;
    struct timeval     wait = { .tv_sec = SEND_WAIT_S };
    if (!read_address(text, &address, &size)) {
        tp_error_set(error, "NOTIFY_SOCKET: '%.107s': give an absolute path or @NAME of at most %zu bytes, or unset it", text,
                     sizeof(address.sun_path) - 1);
        return false;
    }
    int to = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (to < 0 || setsockopt(to, SOL_SOCKET, SO_SNDTIMEO, &wait, sizeof(wait)) != 0 || connect(to, (struct sockaddr *)&address, size) != 0) {
        tp_error_set(error, "NOTIFY_SOCKET: '%s': %s; unset it when no service manager waits there", text, strerror(errno));
        if (to >= 0) {
            close(to);
        }
        return false;
    }
    *notify = (Notify){ .socket = to, .is_open = true };
    return true;
}

bool notify_open(Notify *notify, tp_error *error)
{
    const char *text = getenv("NOTIFY_SOCKET");
    if (text == NULL || text[0] == '\0') {
        return true;
    }
    if (!connect_to(notify, text, error)) {
        return false;
    }
    unsetenv("NOTIFY_SOCKET");
    return true;
}

void notify_send(const Notify *notify, const char *format, ...)
{
    char    lines[LINES_MAX];
    va_list arguments;
    if (!notify->is_open) {
        return;
    }
    va_start(arguments, format);
    int size = vsnprintf(lines, sizeof(lines), format, arguments);
    va_end(arguments);
    if (size > 0) {
        size_t sent = (size_t)size < sizeof(lines) ? (size_t)size : sizeof(lines) - 1;
        while (send(notify->socket, lines, sent, MSG_NOSIGNAL) < 0 && errno == EINTR) {
        }
    }
}

void notify_close(Notify *notify)
{
    if (notify->is_open) {
        close(notify->socket);
    }
    *notify = (Notify){ 0 };
}

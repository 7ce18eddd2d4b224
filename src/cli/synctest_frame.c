// synctest_frame.c: whole frames over a socket to a process of our own.
#include <errno.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include "bytes.h"
#include "synctest_work.h"

static bool send_all(int fd, const uint8_t *bytes, size_t size)
{
    while (size > 0) {
        ssize_t sent = send(fd, bytes, size, MSG_NOSIGNAL);
        if (sent < 0 && errno == EINTR) {
            continue;
        }
        if (sent < 0) {
            return false;
        }
        bytes += sent;
        size -= (size_t)sent;
    }
    return true;
}

static bool receive_all(int fd, uint8_t *bytes, size_t size)
{
    while (size > 0) {
        ssize_t got = recv(fd, bytes, size, 0);
        if (got < 0 && errno == EINTR) {
            continue;
        }
        if (got <= 0) {
            errno = got == 0 ? 0 : errno;
            return false;
        }
        bytes += got;
        size -= (size_t)got;
    }
    return true;
}

bool synctestframe_send(int fd, SynctestFrame kind, const uint8_t *bytes, size_t size)
{
    uint8_t head[SYNCTEST_FRAME_HEAD];
    bytes_put_u32(head, (uint32_t)kind);
    bytes_put_u64(head + 4, size);
    return send_all(fd, head, sizeof(head)) && send_all(fd, bytes, size);
}

bool synctestframe_receive(int fd, SynctestFrame *kind, uint8_t **bytes, size_t *capacity, size_t *size)
{
    uint8_t head[SYNCTEST_FRAME_HEAD];
    if (!receive_all(fd, head, sizeof(head))) {
        return false;
    }
    *kind = (SynctestFrame)bytes_get_u32(head);
    uint64_t wanted = bytes_get_u64(head + 4);
    if (wanted > SYNCTEST_FRAME_MAX) {
        errno = EMSGSIZE;
        return false;
    }
    if (wanted > *capacity || *bytes == NULL) {
        uint8_t *grown = malloc((size_t)wanted + 1);
        if (grown == NULL) {
            errno = ENOMEM;
            return false;
        }
        free(*bytes);
        *bytes = grown;
        *capacity = (size_t)wanted;
    }
    *size = (size_t)wanted;
    return receive_all(fd, *bytes, *size);
}

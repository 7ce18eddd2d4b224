// keyfile.c: see keyfile.h.
#include "keyfile.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

// What the file is, before a byte of it counts: who else can read it has the key already.
static bool check_file(int fd, tp_error *error)
{
    struct stat about;
    if (fstat(fd, &about) != 0) {
        return tp_error_set(error, "%s", strerror(errno));
    }
    if (!S_ISREG(about.st_mode)) {
        return tp_error_set(error, "it is no file; write the key into one");
    }
    if ((about.st_mode & (S_IRWXG | S_IRWXO)) != 0) {
        return tp_error_set(error, "others than its owner have rights to it (mode %03o); take them away with chmod 600", (unsigned)about.st_mode & 0777);
    }
    return true;
}

static bool check_key(const char *key, size_t size, tp_error *error)
{
    if (size < KEYFILE_KEY_MIN || size > KEYFILE_KEY_MAX) {
        return tp_error_set(error, "its first line has %s than %d bytes; the key has %d to %d", size < KEYFILE_KEY_MIN ? "less" : "more",
                            size < KEYFILE_KEY_MIN ? KEYFILE_KEY_MIN : KEYFILE_KEY_MAX, KEYFILE_KEY_MIN, KEYFILE_KEY_MAX);
    }
    for (size_t i = 0; i < size; i++) {
        if ((unsigned char)key[i] < 0x20 || key[i] == 0x7f) {
            return tp_error_set(error, "its first line has a control character at byte %u; leave it out", (unsigned)i + 1);
        }
    }
    return true;
}

static bool read_some(int fd, char *bytes, size_t size, size_t *used, tp_error *error)
{
    *used = 0;
    while (*used < size) {
        ssize_t got = read(fd, bytes + *used, size - *used);
        if (got < 0 && errno == EINTR) {
            continue;
        }
        if (got <= 0) {
            return got == 0 || tp_error_set(error, "reading it: %s", strerror(errno));
        }
        *used += (size_t)got;
    }
    return true;
}

bool keyfile_read(const char *path, char key[KEYFILE_KEY_SIZE], tp_error *error)
{
    char bytes[KEYFILE_KEY_SIZE]; // one more than a key has: a line that is too long is seen
    int  fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK); // a pipe of this name must hold up nobody
    if (fd < 0) {
        return tp_error_set(error, "%s", strerror(errno));
    }
    size_t size = 0;
    bool   is_fine = check_file(fd, error) && read_some(fd, bytes, sizeof(bytes), &size, error);
    close(fd);
    if (!is_fine) {
        return false;
    }
    const char *end = memchr(bytes, '\n', size);
    size_t      line = end != NULL ? (size_t)(end - bytes) : size;
    if (!check_key(bytes, line, error)) {
        return false;
    }
    memcpy(key, bytes, line);
    key[line] = '\0';
    return true;
}

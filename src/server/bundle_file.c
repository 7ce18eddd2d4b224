// bundle_file.c: see bundle_file.h.
#include "bundle_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static void fail(BundleFile *file, int error)
{
    if (!file->has_failed) {
        file->has_failed = true;
        file->error = error;
    }
}

void bundle_file_open(BundleFile *file, int directory, const char *name)
{
    file->name = name;
    file->size = 0;
    file->used = 0;
    file->has_failed = false;
    file->error = 0;
    memset(file->digest, 0, sizeof(file->digest));
    crypto_generichash_init(&file->hash, NULL, 0, BUNDLE_HASH_SIZE);
    file->fd = openat(directory, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0644);
    if (file->fd < 0) {
        fail(file, errno);
    }
}

static void flush(BundleFile *file)
{
    size_t done = 0;
    while (!file->has_failed && done < file->used) {
        ssize_t taken = write(file->fd, file->buffer + done, file->used - done);
        if (taken > 0) {
            done += (size_t)taken;
        } else if (taken == 0 || errno != EINTR) {
            fail(file, taken == 0 ? EIO : errno);
        }
    }
    crypto_generichash_update(&file->hash, file->buffer, file->used);
    file->used = 0;
}

void bundle_file_digest(const BundleFile *file, uint8_t digest[BUNDLE_HASH_SIZE])
{
    crypto_generichash_state hash = file->hash;
    crypto_generichash_update(&hash, file->buffer, file->used);
    crypto_generichash_final(&hash, digest, BUNDLE_HASH_SIZE);
}

bool bundle_file_close(BundleFile *file)
{
    flush(file);
    bundle_file_digest(file, file->digest);
    if (!file->has_failed && fsync(file->fd) != 0) {
        fail(file, errno);
    }
    // Some file systems say only here that there was no room.
    if (file->fd >= 0 && close(file->fd) != 0 && errno != EINTR) {
        fail(file, errno);
    }
    file->fd = -1;
    return !file->has_failed;
}

void bundle_file_put(BundleFile *file, const void *bytes, size_t size)
{
    const uint8_t *from = bytes;
    while (size > 0 && !file->has_failed) {
        size_t room = sizeof(file->buffer) - file->used;
        size_t piece = size < room ? size : room;
        memcpy(file->buffer + file->used, from, piece);
        file->used += piece;
        file->size += piece;
        from += piece;
        size -= piece;
        if (file->used == sizeof(file->buffer)) {
            flush(file);
        }
    }
}

void bundle_file_text(BundleFile *file, const char *format, ...)
{
    char    text[1024];
    va_list arguments;
    va_start(arguments, format);
    int size = vsnprintf(text, sizeof(text), format, arguments);
    va_end(arguments);
    if (size < 0) {
        fail(file, EINVAL);
        return;
    }
    bundle_file_put(file, text, (size_t)size < sizeof(text) ? (size_t)size : sizeof(text) - 1);
}

void bundle_file_hex(BundleFile *file, const uint8_t *bytes, size_t size)
{
    static const char digits[] = "0123456789abcdef";
    for (size_t i = 0; i < size; i++) {
        char pair[2] = { digits[bytes[i] >> 4], digits[bytes[i] & 15] };
        bundle_file_put(file, pair, sizeof(pair));
    }
}

void bundle_file_sink(void *file, const char *text, size_t size)
{
    bundle_file_put(file, text, size);
}

void bundle_file_json(BundleFile *file, const char *text)
{
    bundle_file_put(file, "\"", 1);
    for (; *text != '\0'; text++) {
        unsigned char letter = (unsigned char)*text;
        if (letter < 0x20 || letter > 0x7E) {
            bundle_file_put(file, "\\ufffd", 6);
            continue;
        }
        if (letter == '"' || letter == '\\') {
            bundle_file_put(file, "\\", 1);
        }
        bundle_file_put(file, text, 1);
    }
    bundle_file_put(file, "\"", 1);
}

void bundle_file_key(BundleFile *file, bool is_first, const char *key)
{
    bundle_file_text(file, "%s\"%s\":", is_first ? "" : ",", key);
}

void bundle_file_json_member(BundleFile *file, bool is_first, const char *key, const char *text)
{
    bundle_file_key(file, is_first, key);
    if (text == NULL) {
        bundle_file_put(file, "null", 4);
    } else {
        bundle_file_json(file, text);
    }
}

void bundle_file_u64_member(BundleFile *file, bool is_first, const char *key, uint64_t value)
{
    bundle_file_key(file, is_first, key);
    bundle_file_text(file, "%llu", (unsigned long long)value);
}

void bundle_file_bool_member(BundleFile *file, bool is_first, const char *key, bool value)
{
    bundle_file_key(file, is_first, key);
    bundle_file_text(file, "%s", value ? "true" : "false");
}

void bundle_file_hex_member(BundleFile *file, bool is_first, const char *key, const uint8_t *bytes, size_t size)
{
    bundle_file_key(file, is_first, key);
    bundle_file_put(file, "\"", 1);
    bundle_file_hex(file, bytes, size);
    bundle_file_put(file, "\"", 1);
}

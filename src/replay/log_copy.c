// log_copy.c: see log_copy.h.
#include "log_copy.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "bytes.h"
#include "log_format.h"

enum { COPY_STEP = 256 * 1024 };

tp_log_status log_copy_put(const tp_sink *sink, const uint8_t *bytes, size_t size, tp_error *error)
{
    errno = 0;
    if (sink->write(sink->self, bytes, size)) {
        return TP_LOG_OK;
    }
    tp_error_set(error, "writing the copy: %s", errno == 0 ? "not all bytes were taken" : strerror(errno));
    return TP_LOG_IO;
}

static tp_log_status copy_with(const tp_source *source, uint64_t size, const tp_sink *sink, uint8_t *buffer, tp_error *error)
{
    tp_log_status status = TP_LOG_OK;
    for (uint64_t at = 0; at < size && status == TP_LOG_OK;) {
        size_t  wanted = size - at < COPY_STEP ? (size_t)(size - at) : COPY_STEP;
        int64_t got = source->read_at(source->self, at, buffer, wanted);
        if (got <= 0) {
            tp_error_set(error, "offset %" PRIu64 ": reading it again: %s", at, got < 0 ? strerror(errno) : "it has become shorter");
            return TP_LOG_IO;
        }
        status = log_copy_put(sink, buffer, (size_t)got, error);
        at += (uint64_t)got;
    }
    return status;
}

tp_log_status log_copy(const tp_source *source, uint64_t size, const tp_sink *sink, tp_error *error)
{
    uint8_t *buffer = malloc(COPY_STEP);
    if (buffer == NULL) {
        tp_error_set(error, "out of memory");
        return TP_LOG_NO_MEMORY;
    }
    tp_log_status status = copy_with(source, size, sink, buffer, error);
    free(buffer);
    return status;
}

bool log_copy_is_sealed(const tp_source *source)
{
    uint8_t header[TP_LOG_HEADER_SIZE];
    int64_t got = source->read_at(source->self, 0, header, sizeof(header));
    return got == (int64_t)sizeof(header) && memcmp(header, log_format_magic, sizeof(log_format_magic)) == 0 && bytes_get_u32(header + 12) != 0;
}

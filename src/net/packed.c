// packed.c: see packed.h.
#include "packed.h"

#include <stdlib.h>
#include <zstd.h>

#include "bytes.h"

enum { LEVEL = 1 }; // the fastest of the usual ones: somebody waits for it

bool packed_make(const uint8_t *bytes, size_t size, uint8_t **packed, size_t *packed_size)
{
    size_t     most = ZSTD_compressBound(size);
    ZSTD_CCtx *context = ZSTD_createCCtx();
    *packed = malloc(most);
    bool is_made = context != NULL && *packed != NULL && !ZSTD_isError(ZSTD_CCtx_setParameter(context, ZSTD_c_compressionLevel, LEVEL)) &&
                   !ZSTD_isError(ZSTD_CCtx_setParameter(context, ZSTD_c_checksumFlag, 1));
    *packed_size = is_made ? ZSTD_compress2(context, *packed, most, bytes, size) : 0;
    ZSTD_freeCCtx(context);
    if (!is_made || ZSTD_isError(*packed_size)) {
        free(*packed);
        *packed = NULL;
        *packed_size = 0;
        return false;
    }
    return true;
}

bool packed_is_frame(const uint8_t *packed, size_t packed_size)
{
    // Skippable frames are frames to zstd, too.
    return packed_size >= 4 && bytes_get_u32(packed) == ZSTD_MAGICNUMBER && ZSTD_findFrameCompressedSize(packed, packed_size) == packed_size;
}

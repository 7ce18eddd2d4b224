// bundle_file.h: one file of a bundle while it is written: buffered, counted and hashed on the way to the disk, with text and JSON in exact
// form. The first failure is kept and all that follows does nothing, so a caller writes everything and asks at the end.
#pragma once

#include <sodium.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { BUNDLE_FILE_BUFFER = 65536, BUNDLE_HASH_SIZE = 32 };

typedef struct BundleFile {
    const char             *name; ///< borrowed
    int                     fd;
    uint64_t                size; ///< bytes so far
    bool                    has_failed;
    int                     error; ///< errno of the first failure
    crypto_generichash_state hash;
    uint8_t                 digest[BUNDLE_HASH_SIZE]; ///< BLAKE2b-256 of all bytes, after bundle_file_close
    size_t                  used;
    uint8_t                 buffer[BUNDLE_FILE_BUFFER];
} BundleFile;

/// Makes the file anew in an open directory. Close it in any case.
void bundle_file_open(BundleFile *file, int directory, const char *name);
/// Writes and syncs what is left. False when anything has failed since the opening.
bool bundle_file_close(BundleFile *file);
/// BLAKE2b-256 of all bytes so far.
void bundle_file_digest(const BundleFile *file, uint8_t digest[BUNDLE_HASH_SIZE]);

void bundle_file_put(BundleFile *file, const void *bytes, size_t size);
/// At most 1,024 bytes of text.
void bundle_file_text(BundleFile *file, const char *format, ...) __attribute__((format(printf, 2, 3)));
void bundle_file_hex(BundleFile *file, const uint8_t *bytes, size_t size);
/// Receives pieces of text: a tp_text_sink.
void bundle_file_sink(void *file, const char *text, size_t size);

/// A JSON string with its quotes; of foreign text every byte that is not printable ASCII becomes U+FFFD.
void bundle_file_json(BundleFile *file, const char *text);
/// ,"key":  (no comma when `is_first`); then the value is up to the caller.
void bundle_file_key(BundleFile *file, bool is_first, const char *key);
/// ,"key":"text"; null for NULL.
void bundle_file_json_member(BundleFile *file, bool is_first, const char *key, const char *text);
void bundle_file_u64_member(BundleFile *file, bool is_first, const char *key, uint64_t value);
void bundle_file_bool_member(BundleFile *file, bool is_first, const char *key, bool value);
void bundle_file_hex_member(BundleFile *file, bool is_first, const char *key, const uint8_t *bytes, size_t size);

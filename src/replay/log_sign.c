// log_sign.c: signing a log that is there already. END is the last record and in no chain value of its own file, so its signature can be
// put in afterwards: one record changes, and nothing that speaks of it does.
#include <inttypes.h>
#include <sodium.h>
#include <string.h>

#include "bytes.h"
#include "crc32c.h"
#include "log_chain.h"
#include "log_copy.h"
#include "log_reader.h"

_Static_assert(sizeof(((tp_signing *)0)->payload) == LOG_END_SIZE, "END has another size: tp_signing keeps its payload");
_Static_assert((int)TP_SECRET_KEY_SIZE == (int)crypto_sign_SECRETKEYBYTES && (int)TP_PUBLIC_KEY_SIZE == (int)crypto_sign_PUBLICKEYBYTES,
               "keys are Ed25519's as libsodium has them");

bool tp_keys_make(uint8_t secret_key[TP_SECRET_KEY_SIZE], uint8_t public_key[TP_PUBLIC_KEY_SIZE])
{
    return log_chain_start_library() && crypto_sign_keypair(public_key, secret_key) == 0;
}

bool tp_keys_public(const uint8_t secret_key[TP_SECRET_KEY_SIZE], uint8_t public_key[TP_PUBLIC_KEY_SIZE])
{
    uint8_t seed[crypto_sign_SEEDBYTES];
    uint8_t again[TP_SECRET_KEY_SIZE];
    if (!log_chain_start_library()) {
        return false;
    }
    crypto_sign_ed25519_sk_to_seed(seed, secret_key);
    crypto_sign_seed_keypair(public_key, again, seed);
    bool is_pair = memcmp(public_key, secret_key + crypto_sign_SEEDBYTES, TP_PUBLIC_KEY_SIZE) == 0;
    sodium_memzero(seed, sizeof(seed));
    sodium_memzero(again, sizeof(again));
    return is_pair;
}

void tp_keys_wipe(void *secret, size_t size)
{
    sodium_memzero(secret, size);
}

static void take(tp_signing *signing, const tp_log_record *record)
{
    if (record->type == TP_LOG_SEAL) {
        signing->seals++;
        signing->signed_seals += tp_log_parse_seal(record).is_signed ? 1 : 0;
    } else if (record->type == TP_LOG_END) {
        signing->end_offset = record->offset;
        signing->end_tick = record->tick;
        signing->end = tp_log_parse_end(record);
        memcpy(signing->payload, record->payload, LOG_END_SIZE);
    }
}

tp_log_status tp_log_sign_look(const tp_source *source, tp_signing *signing, tp_error *error)
{
    tp_reader    *reader = NULL;
    tp_log_record record;
    memset(signing, 0, sizeof(*signing));
    if (log_copy_is_sealed(source)) {
        tp_error_set(error, "it is sealed; only the raw log can be signed");
        return TP_LOG_UNSUPPORTED;
    }
    tp_log_status status = tp_reader_open(source, NULL, &reader);
    while (status == TP_LOG_OK) {
        status = tp_reader_next(reader, &record);
        if (status == TP_LOG_OK) {
            take(signing, &record);
        }
    }
    if (reader == NULL) {
        tp_error_set(error, "out of memory");
        return status;
    }
    if (status == TP_LOG_DONE) {
        signing->ticks = tp_reader_ticks(reader);
        signing->size = tp_reader_offset(reader);
        memcpy(signing->marker, log_reader_marker(reader), LOG_MARKER_SIZE);
        status = TP_LOG_OK;
    } else {
        tp_error_set(error, "offset %" PRIu64 ": %s", tp_reader_offset(reader), tp_reader_message(reader));
    }
    tp_reader_close(reader);
    return status;
}

tp_log_status tp_log_sign_write(const tp_source *source, const tp_signing *signing, const uint8_t secret_key[TP_SECRET_KEY_SIZE],
                                const tp_sink *sink, tp_error *error)
{
    uint8_t  bytes[LOG_END_SIZE + LOG_FRAME_SIZE];
    uint8_t *payload = bytes + TP_LOG_RECORD_HEAD;
    log_format_put_head(bytes, signing->marker, TP_LOG_END, LOG_END_SIZE, signing->end_tick);
    memcpy(payload, signing->payload, LOG_END_SIZE);
    log_chain_sign_end(payload, secret_key);
    bytes_put_u32(payload + LOG_END_SIZE, crc32c(0, payload, LOG_END_SIZE));
    tp_log_status status = log_copy(source, signing->end_offset, sink, error);
    return status == TP_LOG_OK ? log_copy_put(sink, bytes, sizeof(bytes), error) : status;
}

// test_log_sign.c: a signature put into a log that was there already.
#include <criterion/criterion.h>
#include <sodium.h>
#include <stdlib.h>
#include <string.h>

#include "log_fixture.h"

TestSuite(log_sign, .timeout = 120);

static const size_t end_size = 28 + 272 + 4;

static tp_log_status sign(const uint8_t *bytes, size_t size, const uint8_t *key, tp_memory_sink *out, tp_signing *signing, tp_error *error)
{
    tp_memory_source memory = { bytes, size };
    tp_source        source = tp_source_of_memory(&memory);
    tp_sink          sink = tp_sink_of_memory(out);
    *out = (tp_memory_sink){ 0 };
    tp_log_status status = tp_log_sign_look(&source, signing, error);
    return status == TP_LOG_OK ? tp_log_sign_write(&source, signing, key, &sink, error) : status;
}

// Goal: only END changes, so nothing that names this file's chain has to.
Test(log_sign, changes_nothing_but_end)
{
    LogFixture     fixture = fixture_standard();
    tp_memory_sink plain = fixture_log(&fixture);
    tp_memory_sink made;
    tp_signing     signing;
    tp_error       error;
    cr_assert_eq(sign(plain.bytes, plain.size, fixture_sign_key(), &made, &signing, &error), TP_LOG_OK, "%s", error.text);
    cr_assert_eq(made.size, plain.size);
    cr_assert_eq(memcmp(made.bytes, plain.bytes, plain.size - end_size), 0);
    const uint8_t *before = plain.bytes + plain.size - end_size + 28;
    const uint8_t *after = made.bytes + made.size - end_size + 28;
    cr_assert_eq(memcmp(before, after, 160), 0, "its totals, root, binding and chain value stay");
    cr_assert_neq(memcmp(before, after, 272), 0);
    LogReading reading = fixture_read(made.bytes, made.size);
    cr_assert_eq(reading.status, TP_LOG_DONE, "%s", reading.message);
    cr_assert(reading.is_signed);
    cr_assert_eq(signing.end_offset, plain.size - end_size);
    cr_assert_eq(signing.ticks, reading.ticks);
    cr_assert_eq(signing.signed_seals, 0);
    cr_assert_gt(signing.seals, 0);
    free(plain.bytes);
    free(made.bytes);
}

// Goal: what is put in afterwards is what a recorder with the key would have put into END.
Test(log_sign, end_is_that_of_a_signing_recorder)
{
    LogFixture     fixture = fixture_standard();
    fixture.writer.seal_ticks = 0; // a SEAL is in the chain, and so is its signature
    tp_memory_sink plain = fixture_log(&fixture);
    fixture.writer.sign_key = fixture_sign_key();
    tp_memory_sink recorded = fixture_log(&fixture);
    tp_memory_sink made;
    tp_signing     signing;
    tp_error       error;
    cr_assert_eq(sign(plain.bytes, plain.size, fixture_sign_key(), &made, &signing, &error), TP_LOG_OK);
    // END names the chain value, which is over the signed last SEAL: only totals, key and shape can be compared.
    cr_assert_eq(made.size, recorded.size);
    cr_assert_eq(memcmp(made.bytes + made.size - end_size, recorded.bytes + recorded.size - end_size, 28 + 128 - 8), 0);
    cr_assert_eq(memcmp(made.bytes + made.size - end_size + 28 + 160, recorded.bytes + recorded.size - end_size + 28 + 160, 40), 0);
    tp_memory_sink again;
    cr_assert_eq(sign(recorded.bytes, recorded.size, fixture_sign_key(), &again, &signing, &error), TP_LOG_OK);
    cr_assert_eq(again.size, recorded.size);
    cr_assert_eq(memcmp(again.bytes, recorded.bytes, again.size), 0, "Ed25519 has one signature: signing again gives the same file");
    cr_assert(signing.end.is_signed);
    cr_assert_eq(signing.signed_seals, signing.seals);
    free(plain.bytes);
    free(recorded.bytes);
    free(made.bytes);
    free(again.bytes);
}

Test(log_sign, every_bit_of_the_file_counts)
{
    LogFixture     fixture = fixture_standard();
    fixture.ticks = 20;
    fixture.gap_ticks = 0;
    tp_memory_sink plain = fixture_log(&fixture);
    tp_memory_sink made;
    tp_signing     signing;
    tp_error       error;
    cr_assert_eq(sign(plain.bytes, plain.size, fixture_sign_key(), &made, &signing, &error), TP_LOG_OK);
    for (size_t bit = 0; bit < made.size * 8; bit++) {
        made.bytes[bit / 8] ^= (uint8_t)(1 << bit % 8);
        LogReading reading = fixture_read(made.bytes, made.size);
        cr_assert_neq(reading.status, TP_LOG_DONE, "bit %zu", bit);
        made.bytes[bit / 8] ^= (uint8_t)(1 << bit % 8);
    }
    free(plain.bytes);
    free(made.bytes);
}

Test(log_sign, refuses_what_is_not_whole)
{
    LogFixture     fixture = fixture_standard();
    tp_memory_sink plain = fixture_log(&fixture);
    tp_memory_sink made;
    tp_signing     signing;
    tp_error       error;
    for (size_t size = 0; size < plain.size; size += 1 + plain.size / 300) {
        error.text[0] = '\0';
        tp_log_status status = sign(plain.bytes, size, fixture_sign_key(), &made, &signing, &error);
        cr_assert_eq(status, TP_LOG_TRUNCATED, "cut to %zu", size);
        cr_assert_gt(strlen(error.text), 0);
        cr_assert_eq(made.size, 0);
    }
    plain.bytes[plain.size / 2] ^= 1;
    cr_assert_eq(sign(plain.bytes, plain.size, fixture_sign_key(), &made, &signing, &error), TP_LOG_CORRUPT);
    cr_assert_not_null(strstr(error.text, "offset"));
    free(plain.bytes);
}

Test(log_sign, a_key_has_two_halves)
{
    uint8_t secret[TP_SECRET_KEY_SIZE];
    uint8_t other[TP_SECRET_KEY_SIZE];
    uint8_t public_key[TP_PUBLIC_KEY_SIZE];
    uint8_t found[TP_PUBLIC_KEY_SIZE];
    cr_assert(tp_keys_make(secret, public_key));
    cr_assert(tp_keys_public(secret, found));
    cr_assert_eq(memcmp(found, public_key, sizeof(found)), 0);
    cr_assert(tp_keys_make(other, found));
    cr_assert_neq(memcmp(other, secret, sizeof(secret)), 0, "no two are equal");
    for (size_t bit = 0; bit < sizeof(secret) * 8; bit++) {
        secret[bit / 8] ^= (uint8_t)(1 << bit % 8);
        cr_assert_not(tp_keys_public(secret, found), "bit %zu", bit);
        secret[bit / 8] ^= (uint8_t)(1 << bit % 8);
    }
}

typedef struct {
    size_t taken, limit;
} ShortSink;

static bool take_some(void *self, const uint8_t *bytes, size_t size)
{
    ShortSink *sink = self;
    (void)bytes;
    if (size > sink->limit - sink->taken) {
        return false;
    }
    sink->taken += size;
    return true;
}

Test(log_sign, a_sink_that_fails_is_told)
{
    LogFixture       fixture = fixture_standard();
    tp_memory_sink   plain = fixture_log(&fixture);
    tp_memory_source memory = { plain.bytes, plain.size };
    tp_source        source = tp_source_of_memory(&memory);
    tp_signing       signing;
    tp_error         error;
    cr_assert_eq(tp_log_sign_look(&source, &signing, &error), TP_LOG_OK);
    const size_t limits[] = { 0, plain.size - end_size, plain.size - 1 };
    for (size_t i = 0; i < 3; i++) {
        ShortSink short_sink = { 0, limits[i] };
        tp_sink   sink = { .self = &short_sink, .write = take_some };
        cr_assert_eq(tp_log_sign_write(&source, &signing, fixture_sign_key(), &sink, &error), TP_LOG_IO);
    }
    memory.size -= end_size + 1; // it became shorter since it was looked at
    tp_memory_sink made = { 0 };
    tp_sink        sink = tp_sink_of_memory(&made);
    cr_assert_eq(tp_log_sign_write(&source, &signing, fixture_sign_key(), &sink, &error), TP_LOG_IO);
    cr_assert_not_null(strstr(error.text, "shorter"));
    free(made.bytes);
    free(plain.bytes);
}

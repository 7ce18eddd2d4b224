// Whose log it is: with a trusted key a whole log is as authentic as its END.
#include <criterion/criterion.h>
#include <sodium.h>
#include <stdlib.h>
#include <string.h>

#include "testrecording.h"

static uint8_t public_key[32], secret_key[64], other_public[32], other_secret[64];

static void make_keys(void)
{
    uint8_t seed[32] = { 7 };
    crypto_sign_seed_keypair(public_key, secret_key, seed);
    seed[0] = 8;
    crypto_sign_seed_keypair(other_public, other_secret, seed);
}

static tp_report verify_by(const uint8_t *bytes, size_t size, const uint8_t *key)
{
    tp_memory_source  memory = { bytes, size };
    tp_source         source = tp_source_of_memory(&memory);
    tp_verify_options options = recording_verify_options();
    tp_report         report;
    options.trusted_key = key;
    tp_verify_log(&source, &options, &report);
    return report;
}

static uint8_t *make_signed(const uint8_t *key, size_t *size)
{
    Recording recording = recording_standard();
    recording.writer.sign_key = key;
    recording.writer.seal_ticks = 100;
    return recording_make(&recording, size);
}

Test(verify_trust, signed_by_the_trusted_key, .init = make_keys)
{
    size_t   size = 0;
    uint8_t *bytes = make_signed(secret_key, &size);
    cr_assert_eq(verify_by(bytes, size, public_key).verdict, TP_VERIFIED);
    cr_assert_eq(verify_by(bytes, size, NULL).verdict, TP_VERIFIED);
    tp_report report = verify_by(bytes, size, other_public);
    cr_assert_eq(report.verdict, TP_UNAUTHENTIC, "%s", report.message);
    report = verify_by(bytes, size - 50, public_key);
    cr_assert_eq(report.verdict, TP_TRUNCATED, "cut, and its last SEAL is signed: %s", report.message);
    free(bytes);
}

// Goal: a signed beginning does not vouch for an end that somebody else wrote.
Test(verify_trust, signed_beginning_with_another_end, .init = make_keys)
{
    size_t            size = 0;
    uint8_t          *bytes = make_signed(secret_key, &size);
    tp_memory_source  memory = { bytes, size };
    tp_source         source = tp_source_of_memory(&memory);
    tp_reader        *reader = NULL;
    tp_log_record     record;
    size_t            cut = 0;
    tp_reader_open(&source, NULL, &reader);
    while (cut == 0 && tp_reader_next(reader, &record) == TP_LOG_OK) {
        cut = record.type == TP_LOG_SEAL ? (size_t)tp_reader_offset(reader) : 0;
    }
    tp_reader_close(reader);
    cr_assert_gt(cut, 0);

    const uint8_t *keys[] = { NULL, other_secret };
    for (int i = 0; i < 2; i++) {
        tp_recovery       recovery;
        tp_error          error = { "" };
        tp_memory_sink    forged = { 0 };
        tp_sink           sink = tp_sink_of_memory(&forged);
        tp_writer_options options;
        tp_memory_source  left = { bytes, cut };
        tp_source         from = tp_source_of_memory(&left);
        cr_assert_eq(tp_log_recover(&from, &recovery, &error), TP_LOG_OK, "%s", error.text);
        cr_assert(sink.write(sink.self, bytes, cut));
        tp_sim *sim = testworld_run(&testworld_flat, 2, 77, recovery.next_tick);
        tp_writer_options_standard(&options);
        options.sign_key = keys[i];
        tp_writer *writer = tp_writer_resume(&sink, sim, &options, &recovery, false, &error);
        cr_assert_not_null(writer, "%s", error.text);
        for (uint64_t tick = recovery.next_tick; tick < 200; tick++) {
            TestScript script;
            tp_row     row = testworld_row(sim, &script, tick + 1000); // other inputs than the signer's
            cr_assert_eq(tp_sim_step(sim, &row, &error), TP_SIM_OK, "%s", error.text);
            cr_assert(tp_writer_tick(writer, sim, &row));
        }
        cr_assert(tp_writer_finish(writer, sim, TP_END_COMPLETED));
        tp_writer_destroy(writer);
        tp_sim_destroy(sim);
        tp_recovery_finish(&recovery);
        cr_assert_eq(verify_by(forged.bytes, forged.size, NULL).verdict, TP_VERIFIED, "it is a good log, only not the signer's");
        tp_report report = verify_by(forged.bytes, forged.size, public_key);
        cr_assert_eq(report.verdict, TP_UNAUTHENTIC, "%s", report.message);
        free(forged.bytes);
    }
    free(bytes);
}

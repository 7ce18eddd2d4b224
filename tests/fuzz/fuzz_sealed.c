// fuzz_sealed.c: foreign bytes as a sealed log: as they are, and with all hashes redone, or nothing would ever get past those. What a reader takes
// to its end must come back raw as bytes that the same reader takes; bytes that are a whole raw log are sealed and must come back.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "reseal.h"
#include "tickproof/replay.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define REQUIRE(condition)                                                   \
    do {                                                                     \
        if (!(condition)) {                                                  \
            fprintf(stderr, "fuzz_sealed: %s does not hold\n", #condition);  \
            abort();                                                         \
        }                                                                    \
    } while (0)

static tp_log_status read_all(const uint8_t *bytes, size_t size, uint64_t *ticks, uint8_t chain[TP_LOG_CHAIN_SIZE])
{
    tp_memory_source memory = { bytes, size };
    tp_source        source = tp_source_of_memory(&memory);
    tp_reader       *reader = NULL;
    tp_log_record    record;
    tp_log_status    status = tp_reader_open(&source, NULL, &reader);
    REQUIRE(reader != NULL);
    for (int records = 0; status == TP_LOG_OK && records < 100000; records++) {
        status = tp_reader_next(reader, &record);
    }
    REQUIRE(status == TP_LOG_DONE || status == TP_LOG_OK || tp_reader_message(reader)[0] != '\0');
    *ticks = tp_reader_ticks(reader);
    memcpy(chain, tp_reader_chain(reader), TP_LOG_CHAIN_SIZE);
    tp_reader_close(reader);
    return status;
}

static void seal_again(const uint8_t *raw, size_t size)
{
    tp_memory_source memory = { raw, size };
    tp_source        source = tp_source_of_memory(&memory);
    tp_memory_sink   made = { 0 };
    tp_sink          sink = tp_sink_of_memory(&made);
    tp_seal_options  options = { .level = 1 };
    tp_seal_counts   counts;
    tp_error         error;
    REQUIRE(tp_seal_log(&source, &sink, &options, &counts, &error) == TP_LOG_OK);
    tp_memory_source sealed_memory = { made.bytes, made.size };
    tp_source        sealed_source = tp_source_of_memory(&sealed_memory);
    REQUIRE(tp_sealed_compare(&sealed_source, &source, &error) == TP_LOG_OK);
    free(made.bytes);
}

static void hold_whole(const uint8_t *bytes, size_t size, uint64_t ticks, const uint8_t chain[TP_LOG_CHAIN_SIZE])
{
    tp_memory_source memory = { bytes, size };
    tp_source        source = tp_source_of_memory(&memory);
    uint64_t         raw_ticks = 0;
    uint8_t          raw_chain[TP_LOG_CHAIN_SIZE];
    if (tp_log_container(&source) == 0) {
        seal_again(bytes, size);
        return;
    }
    tp_memory_sink raw = { 0 };
    tp_sink        sink = tp_sink_of_memory(&raw);
    tp_error       error;
    REQUIRE(tp_unseal_log(&source, &sink, &error) == TP_LOG_OK);
    REQUIRE(read_all(raw.bytes, raw.size, &raw_ticks, raw_chain) == TP_LOG_DONE);
    REQUIRE(ticks == raw_ticks && memcmp(chain, raw_chain, TP_LOG_CHAIN_SIZE) == 0);
    seal_again(raw.bytes, raw.size);
    free(raw.bytes);
}

static void take(const uint8_t *bytes, size_t size)
{
    uint64_t ticks = 0;
    uint8_t  chain[TP_LOG_CHAIN_SIZE];
    if (read_all(bytes, size, &ticks, chain) == TP_LOG_DONE) {
        hold_whole(bytes, size, ticks, chain);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0 || size > 1 << 20) {
        return 0;
    }
    uint8_t *redone = malloc(size);
    REQUIRE(redone != NULL && sodium_init() >= 0);
    memcpy(redone, data, size);
    reseal_redo(redone, size);
    take(data, size);
    take(redone, size);
    free(redone);
    return 0;
}

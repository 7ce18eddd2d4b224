// every_byte.c: one good runner log, cut at every byte, one bit flipped in every byte, and as many changes again with every checksum
// and the chain redone; then length fields that lie. Nothing of it may verify, crash, hang, take a second or 64 MiB.
//
//   every_byte              all of it, in this one process
//   every_byte --sample N   N seeded mutations (for sanitizers, which are slow)
//
// A redone change may verify only where no root can bind the byte: provenance, notes and origin bits. Those are listed.
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include "bytes.h"
#include "crc32c.h"
#include "log_mutate.h"
#include "runnerlog.h"
#include "tickproof/rng.h"
#include "unbound.h"

enum { LOG_SIZE_MAX = 65536, MEMORY_MAX_KIB = 65536 };

static uint8_t    *good;
static size_t      good_size;
static uint8_t    *copy;
static UnboundList unbound;
static uint64_t    tried, failed, verified_unbound, restored;
static double      slowest;
static uint64_t    unbound_by_kind[4];
static const char *const unbound_kinds[4] = { "provenance", "note", "origin", "resume" };

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static tp_report verify(size_t size)
{
    double    start = now();
    tp_report report = runnerlog_verify(copy, size);
    double    took = now() - start;
    slowest = took > slowest ? took : slowest;
    tried++;
    return report;
}

static void complain(const char *kind, size_t at, const tp_report *report)
{
    if (failed++ < 20) {
        printf("every_byte: %s at byte %zu: %s: %s\n", kind, at, tp_verdict_name(report->verdict), report->message);
    }
}

// Ticks in records that lie wholly inside the first `size` bytes, read off the structure alone.
static uint64_t ticks_within(size_t size)
{
    uint64_t ticks = 0;
    size_t   offset = TP_LOG_HEADER_SIZE;
    while (offset + TP_LOG_RECORD_HEAD + 4 <= size) {
        size_t payload = bytes_get_u32(good + offset + 12);
        if (offset + TP_LOG_RECORD_HEAD + payload + 4 > size) {
            break;
        }
        if (bytes_get_u32(good + offset + 8) == TP_LOG_TICKS) {
            ticks += bytes_get_u16(good + offset + TP_LOG_RECORD_HEAD);
        }
        offset += TP_LOG_RECORD_HEAD + payload + 4;
    }
    return ticks;
}

static void try_cut(size_t size)
{
    memcpy(copy, good, size);
    tp_report report = verify(size);
    uint64_t  ticks = ticks_within(size);
    if (report.verdict != TP_TRUNCATED || report.recorded != ticks || report.checked != ticks) {
        complain("cut", size, &report);
    }
}

static void try_flip(size_t at, uint8_t mask)
{
    memcpy(copy, good, good_size);
    copy[at] ^= mask;
    tp_report report = verify(good_size);
    if (report.verdict == TP_VERIFIED) {
        complain("flip", at, &report);
    }
}

static void try_redone(size_t at, uint8_t mask)
{
    memcpy(copy, good, good_size);
    copy[at] ^= mask;
    log_mutate_repair(copy, good_size);
    if (memcmp(copy, good, good_size) == 0) {
        restored++; // the byte was itself a CRC or chain value
        return;
    }
    tp_report report = verify(good_size);
    if (report.verdict != TP_VERIFIED) {
        return;
    }
    const char *what = unbound_find(&unbound, at, mask);
    if (what == NULL) {
        complain("flip with checksums redone", at, &report);
        return;
    }
    verified_unbound++;
    for (int i = 0; i < 4; i++) {
        unbound_by_kind[i] += strcmp(what, unbound_kinds[i]) == 0 ? 1 : 0;
    }
}

static void try_length(size_t record, uint32_t length)
{
    memcpy(copy, good, good_size);
    bytes_put_u32(copy + record + 12, length);
    bytes_put_u32(copy + record + 24, crc32c(0, copy + record, 24));
    tp_report report = verify(good_size);
    if (report.verdict == TP_VERIFIED) {
        complain("length", record, &report);
    }
    log_mutate_repair(copy, good_size);
    report = verify(good_size);
    if (report.verdict == TP_VERIFIED) {
        complain("length, redone", record, &report);
    }
}

static void try_lengths(void)
{
    size_t offset = TP_LOG_HEADER_SIZE;
    while (offset < good_size) {
        uint32_t       payload = bytes_get_u32(good + offset + 12);
        const uint32_t lies[] = { 0, 1, payload - 1, payload + 1, payload ^ 1, 0x7FFFFFFF, 0xFFFFFFF0, 0xFFFFFFFF };
        for (size_t i = 0; i < sizeof(lies) / sizeof(lies[0]); i++) {
            if (lies[i] != payload) {
                try_length(offset, lies[i]);
            }
        }
        offset += TP_LOG_RECORD_HEAD + (size_t)payload + 4;
    }
}

static void try_everything(void)
{
    for (size_t at = 0; at < good_size; at++) {
        uint8_t first = (uint8_t)(1u << (at * 5 % 8));
        uint8_t second = (uint8_t)(1u << ((at * 5 + 3) % 8));
        try_cut(at);
        try_flip(at, first);
        try_redone(at, first);
        try_redone(at, second);
    }
    try_lengths();
}

static void try_sample(uint64_t count)
{
    uint64_t random = 1;
    for (uint64_t i = 0; i < count; i++) {
        size_t  at = (size_t)(tp_splitmix64_next(&random) % good_size);
        uint8_t mask = (uint8_t)(1u << (tp_splitmix64_next(&random) % 8));
        switch (i % 4) {
        case 0: try_cut(at); break;
        case 1: try_flip(at, mask); break;
        default: try_redone(at, mask); break;
        }
    }
    try_lengths();
}

int main(int argc, char **argv)
{
    RunnerLog wanted = runnerlog_standard();
    uint64_t  sample = argc == 3 && strcmp(argv[1], "--sample") == 0 ? strtoull(argv[2], NULL, 10) : 0;
    tp_provenance provenance[] = { { "match", 5, "every byte", 10 }, { "slot.0.name", 11, "one", 3 } };
    wanted.writer.provenance = provenance;
    wanted.writer.provenance_count = 2;
    if (argc != 1 && sample == 0) {
        fprintf(stderr, "usage: every_byte [--sample N]\n");
        return 2;
    }
    good = runnerlog_make(&wanted, &good_size);
    copy = malloc(good_size);
    tp_report report = runnerlog_verify(good, good_size);
    if (report.verdict != TP_VERIFIED || good_size > LOG_SIZE_MAX || !unbound_list(good, good_size, &unbound)) {
        printf("every_byte: the log itself: %s: %s (%zu bytes)\n", tp_verdict_name(report.verdict), report.message, good_size);
        return 1;
    }
    double start = now();
    if (sample > 0) {
        try_sample(sample);
    } else {
        try_everything();
    }
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    printf("every_byte: log of %zu bytes, %" PRIu64 " ticks; %" PRIu64 " mutations, %" PRIu64 " more restored by redoing checksums; %.1f s, slowest "
           "%.1f ms, %ld KiB\n", good_size, wanted.ticks, tried, restored, now() - start, slowest * 1e3, usage.ru_maxrss);
    printf("every_byte: verified with a change that no root binds: %" PRIu64 " (", verified_unbound);
    for (int i = 0; i < 4; i++) {
        printf("%s%s %" PRIu64, i == 0 ? "" : ", ", unbound_kinds[i], unbound_by_kind[i]);
    }
    printf(")\n");
    bool is_bounded = slowest < 1.0 && (sample > 0 || usage.ru_maxrss < MEMORY_MAX_KIB);
    printf("every_byte: %" PRIu64 " passed, %" PRIu64 " failed\n", tried - failed, failed + (is_bounded ? 0 : 1));
    unbound_finish(&unbound);
    free(copy);
    free(good);
    return failed == 0 && is_bounded ? 0 : 1;
}

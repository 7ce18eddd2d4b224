// checker.c: `tickproof-check`: the verifier in one process and one thread, with the built-in worlds, without event loop, child processes or
// loaded libraries, so that it builds wherever there is a C17 compiler and libsodium: other processors, WebAssembly, Windows. It is
// what a table of machines is made with; `tickproof verify` says more, about more kinds of logs.
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "bytes.h"
#include "fighter.h"
#include "realm.h"
#include "runner.h"
#include "tickproof/checksum.h"
#include "tickproof/verify.h"

static const char help[] =
    "Usage: tickproof-check [--machine NAME] LOG...\n"
    "Runs logs again with the built-in worlds and prints, after one line about this build that starts with '#', a line for each log, with tabs\n"
    "between: machine, log, verdict, exit code, ticks checked, ticks stepped, root of the last tick, digest over the roots of all ticks that\n"
    "were stepped here, seconds of processor time, and what was found. Two machines that come to the same bits print the same but for the first\n"
    "column and the seconds.\n"
    "\n"
    "      --machine NAME   what to call this machine; 'here' when not given\n"
    "      --help           this text\n"
    "\n"
    "The exit code is the most serious verdict, as of 'tickproof verify'. Each log is taken alone: a log that goes on from another one\n"
    "is incomplete here. A world that crashes ends the program.\n";

enum { LOG_SIZE_MAX = 1 << 30, HASH_TEXT = 33 };

static const tp_world *const worlds[] = { &runner_world, &fighter_world, &realm_world };

static const tp_world *find_world(void *to, const char *name, uint32_t revision)
{
    for (size_t i = 0; i < sizeof(worlds) / sizeof(worlds[0]); i++) {
        if (strcmp(worlds[i]->name, name) == 0) {
            return worlds[i];
        }
    }
    return NULL;
}

// The whole of a file in memory, since not every machine here can read one at an offset. NULL: said so.
static uint8_t *read_file(const char *path, size_t *size)
{
    FILE    *file = fopen(path, "rb");
    uint8_t *bytes = NULL;
    long     length = -1;
    if (file == NULL) {
        fprintf(stderr, "tickproof-check: %s: opening the log: %s\n", path, strerror(errno));
        return NULL;
    }
    if (fseek(file, 0, SEEK_END) == 0) {
        length = ftell(file);
    }
    if (length < 0 || length > LOG_SIZE_MAX || fseek(file, 0, SEEK_SET) != 0) {
        fprintf(stderr, "tickproof-check: %s: a log here is a file of at most %d bytes; 'tickproof verify' takes others\n", path, LOG_SIZE_MAX);
        fclose(file);
        return NULL;
    }
    *size = (size_t)length;
    bytes = malloc(*size + 1);
    if (bytes == NULL || fread(bytes, 1, *size, file) != *size) {
        fprintf(stderr, "tickproof-check: %s: reading the log: %s\n", path, bytes == NULL ? "out of memory" : "it ended early");
        free(bytes);
        bytes = NULL;
    }
    fclose(file);
    return bytes;
}

// Which tick and what it came to here, whatever the log claims.
static tp_hash128 add_tick(tp_hash128 digest, tp_verifier *verifier)
{
    uint8_t   bytes[24];
    tp_sim   *sim = tp_verifier_sim(verifier);
    tp_hash128 root = tp_sim_is_faulted(sim) ? tp_sim_fault_root(sim) : tp_sim_root(sim);
    bytes_put_u64(bytes, tp_verifier_row(verifier)->tick);
    tp_hash128_to_bytes(root, bytes + 8);
    return tp_fnv128_add(digest, bytes, sizeof(bytes));
}

static tp_hash128 verify(const uint8_t *bytes, size_t size, tp_report *report)
{
    tp_memory_source  memory = { .bytes = bytes, .size = size };
    tp_source         source = tp_source_of_memory(&memory);
    tp_hash128        digest = tp_fnv128_start();
    tp_verify_options options;
    tp_verify_options_standard(&options);
    options.find_world = find_world;
    tp_verifier *verifier = tp_verifier_create(&source, &options);
    if (verifier == NULL) {
        memset(report, 0, sizeof(*report));
        report->verdict = TP_INTERNAL;
        snprintf(report->message, sizeof(report->message), "out of memory");
        return digest;
    }
    while (tp_verifier_next(verifier) == TP_VERIFIER_ROW) {
        if (tp_verifier_row(verifier) != NULL) {
            digest = add_tick(digest, verifier);
        }
    }
    tp_verifier_finish(verifier, report);
    tp_verifier_destroy(verifier);
    return digest;
}

static void print_hex(const uint8_t bytes[16], char text[HASH_TEXT])
{
    for (int i = 0; i < 16; i++) {
        snprintf(text + (size_t)i * 2, 3, "%02x", bytes[i]);
    }
}

static tp_verdict check(const char *machine, const char *path)
{
    static tp_report report; // too big for the stack of a small machine
    char             root[HASH_TEXT], over_all[HASH_TEXT];
    uint8_t          digest_bytes[16];
    size_t           size = 0;
    uint8_t         *bytes = read_file(path, &size);
    if (bytes == NULL) {
        return TP_USAGE;
    }
    clock_t start = clock();
    tp_hash128_to_bytes(verify(bytes, size, &report), digest_bytes);
    double seconds = (double)(clock() - start) / CLOCKS_PER_SEC;
    free(bytes);
    print_hex(report.final_root, root);
    print_hex(digest_bytes, over_all);
    printf("%s\t%s\t%s\t%d\t%llu\t%llu\t%s\t%s\t%.3f\t%s\n", machine, path, tp_verdict_name(report.verdict), (int)report.verdict,
           (unsigned long long)report.checked, (unsigned long long)report.stepped, root, over_all, seconds, report.message);
    fflush(stdout);
    return report.verdict;
}

// What this build is, by its own measure and not by what it is called.
static void print_build(const char *machine)
{
    const uint16_t one = 1;
    printf("# tickproof-check %s on %s: %u-bit, %s-endian, long of %u, XXH3 %s, ", TP_VERSION, machine, (unsigned)sizeof(void *) * 8,
           *(const uint8_t *)&one == 1 ? "little" : "big", (unsigned)sizeof(long) * 8, tp_checksum_path());
#ifdef __clang__
    printf("clang %d.%d.%d\n", __clang_major__, __clang_minor__, __clang_patchlevel__);
#else
    printf("gcc %d.%d.%d\n", __GNUC__, __GNUC_MINOR__, __GNUC_PATCHLEVEL__);
#endif
}

static int fail_usage(const char *what, const char *argument)
{
    fprintf(stderr, "tickproof-check: %s%s; 'tickproof-check --help' says how\n", argument, what);
    return TP_USAGE;
}

int main(int argc, char **argv)
{
    const char *machine = "here";
    tp_verdict  worst = TP_VERIFIED;
    int         first = 1;
    for (; first < argc && strncmp(argv[first], "--", 2) == 0; first++) {
        if (strcmp(argv[first], "--help") == 0) {
            fputs(help, stdout);
            return TP_VERIFIED;
        }
        if (strcmp(argv[first], "--") == 0) {
            first++;
            break;
        }
        if (strcmp(argv[first], "--machine") != 0) {
            return fail_usage(": there is no such flag", argv[first]);
        }
        if (++first == argc) {
            return fail_usage(": NAME is missing", "--machine");
        }
        machine = argv[first];
    }
    if (first >= argc) {
        return fail_usage(" is missing", "LOG");
    }
    print_build(machine);
    for (int i = first; i < argc; i++) {
        worst = tp_verdict_worst(worst, check(machine, argv[i]));
    }
    if (fflush(stdout) != 0 || ferror(stdout)) { // an answer that did not arrive is none
        fprintf(stderr, "tickproof-check: standard output: writing: %s\n", strerror(errno));
        return TP_INTERNAL;
    }
    return (int)worst;
}

// batchid.c: see batchid.h.
#include "batchid.h"

#include <errno.h>
#include <fcntl.h>
#include <sodium.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli.h"

bool batchid_of_file(const char *path, uint8_t hash[BATCHID_SIZE])
{
    static uint8_t           bytes[1 << 18];
    crypto_generichash_state state;
    ssize_t                  got = 0;
    int                      fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0) {
        return false;
    }
    crypto_generichash_init(&state, NULL, 0, BATCHID_SIZE);
    while ((got = read(fd, bytes, sizeof(bytes))) > 0 || (got < 0 && errno == EINTR)) {
        crypto_generichash_update(&state, bytes, got > 0 ? (size_t)got : 0);
    }
    close(fd);
    crypto_generichash_final(&state, hash, BATCHID_SIZE);
    return got == 0;
}

static void add_text(crypto_generichash_state *state, const char *text)
{
    crypto_generichash_update(state, (const uint8_t *)text, strlen(text) + 1);
}

static bool add_world(crypto_generichash_state *state, const char *world)
{
    uint8_t hash[BATCHID_SIZE];
    bool    is_command = strncmp(world, WORLDS_COMMAND, strlen(WORLDS_COMMAND)) == 0;
    bool    is_library = !is_command && access(world, R_OK) == 0;
    if (!is_library) {
        add_text(state, world);
        return true;
    }
    add_text(state, "library");
    if (!batchid_of_file(world, hash)) {
        cli_fail(TP_USAGE, "%s: reading the library: %s", world, strerror(errno));
        return false;
    }
    crypto_generichash_update(state, hash, sizeof(hash));
    return true;
}

bool batchid_make(const BatchOptions *options, bool is_build, uint8_t id[BATCHID_SIZE])
{
    crypto_generichash_state state;
    char                     text[256];
    uint8_t                  build[BATCHID_SIZE];
    crypto_generichash_init(&state, NULL, 0, BATCHID_SIZE);
    snprintf(text, sizeof(text), "tickproof %s from %llu to %llu follow %d prove %d %llu %llu trusted %d", TP_VERSION, (unsigned long long)options->from,
             (unsigned long long)options->to, options->follow, options->proves, options->proves ? (unsigned long long)options->prove_rounds : 0ull,
             options->proves ? (unsigned long long)options->prove_seed : 0ull, options->trusted_key != NULL);
    add_text(&state, text);
    if (options->trusted_key != NULL) {
        crypto_generichash_update(&state, options->trusted_key, 32);
    }
    for (size_t i = 0; i < options->world_count; i++) {
        if (!add_world(&state, options->worlds[i])) {
            return false;
        }
    }
    if (is_build) {
        if (!batchid_of_file("/proc/self/exe", build)) {
            cli_fail(TP_INTERNAL, "verify: reading this program's own file: %s", strerror(errno));
            return false;
        }
        crypto_generichash_update(&state, build, sizeof(build));
    }
    crypto_generichash_final(&state, id, BATCHID_SIZE);
    return true;
}

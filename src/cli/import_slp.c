// import_slp.c: `tickproof import slp`: a .slp recording as a log of the fighter.
#include <errno.h>
#include <sodium.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "args.h"
#include "cli.h"
#include "files.h"
#include "import_kinds.h"
#include "import_map.h"
#include "import_pads.h"
#include "worldconfig.h"

enum { SLP_FILE_SIZE_MAX = 256 << 20 };
enum { FLAG_DEAD_ZONE = ARGS_LONG, FLAG_PADS, FLAG_ALLOW_CUT, FLAG_SEED, FLAG_CONFIG };

static const struct option flags[] = {
    { "dead-zone", required_argument, NULL, FLAG_DEAD_ZONE },
    { "pads", required_argument, NULL, FLAG_PADS },
    { "allow-cut", no_argument, NULL, FLAG_ALLOW_CUT },
    { "seed", required_argument, NULL, FLAG_SEED },
    { "config", required_argument, NULL, FLAG_CONFIG },
    LOGFLAGS_ROWS,
    { "help", no_argument, NULL, ARGS_HELP },
    { NULL, 0, NULL, 0 },
};

typedef struct {
    const char       *path;  // as given
    const char       *name;  // for messages
    const char       *pads;
    const char       *config; // over what the file says
    bool              may_be_cut, has_seed;
    uint32_t          dead_zone;
    uint64_t          seed;
    ImportLog         log;
    NewFile           pads_file; // between its last byte and its commit
    // The file.
    uint8_t *bytes;
    size_t   size;
    SlpFrame *frames;
    SlpMatch  match;
} SlpImport;

static bool take_flag(SlpImport *import, int flag)
{
    switch (flag) {
    case FLAG_DEAD_ZONE: return args_u32("--dead-zone", optarg, 0, SLP_STICK_MAX, &import->dead_zone);
    case FLAG_PADS: import->pads = optarg; return true;
    case FLAG_ALLOW_CUT: import->may_be_cut = true; return true;
    case FLAG_SEED: import->has_seed = true; return args_u64("--seed", optarg, 0, UINT64_MAX, &import->seed);
    case FLAG_CONFIG: import->config = optarg; return true;
    default: return logflags_take(&import->log.flags, flag);
    }
}

// Reads file and frames. 0, or the exit code: said so.
static int read_file(SlpImport *import)
{
    tp_error   error;
    SlpRefusal refusal;
    import->bytes = files_read_all(import->path, SLP_FILE_SIZE_MAX, &import->size, &error);
    if (import->bytes == NULL) {
        return cli_fail(TP_USAGE, "%s: opening the recording: %s", import->name, error.text);
    }
    if (import->size == 0) {
        return cli_fail(TP_TRUNCATED, "%s: the recording was cut at byte 0: the file is empty", import->name);
    }
    size_t capacity = slp_match_frames_max(import->size);
    import->frames = malloc(capacity * sizeof(*import->frames));
    if (import->frames == NULL) {
        return cli_fail(TP_INTERNAL, "out of memory");
    }
    if (!slp_match_read(import->bytes, import->size, import->frames, capacity, &import->match, &refusal)) {
        return cli_fail(TP_CORRUPT, "%s: offset %zu: reading the recording: %s", import->name, refusal.offset, refusal.error.text);
    }
    const SlpMatch *match = &import->match;
    if (match->frame_count > 0) {
        return TP_VERIFIED;
    }
    if (match->unfinal_count > 0) {
        return cli_fail(TP_TRUNCATED, "%s: the recording ends before any frame was final, %llu were still open to a rollback: nothing to import", import->name,
                        (unsigned long long)match->unfinal_count);
    }
    if (match->is_cut) {
        return cli_fail(TP_TRUNCATED, "%s: the recording was cut at byte %zu, before its first whole frame: nothing to import", import->name, match->cut_offset);
    }
    return cli_fail(TP_CORRUPT, "%s: offset %zu: reading the recording: it has no whole frame: nothing to import", import->name, import->size);
}

static bool stat_output(const char *path, struct stat *status)
{
    return (strcmp(path, "-") == 0 ? fstat(STDOUT_FILENO, status) : stat(path, status)) == 0;
}

// Whatever their names are: once both are there, and a new one is there as soon as it is made.
static bool is_same_output(const SlpImport *import)
{
    struct stat log;
    struct stat pads;
    return import->log.flags.output != NULL && import->pads != NULL && stat_output(import->log.flags.output, &log) && stat_output(import->pads, &pads) &&
           log.st_dev == pads.st_dev && log.st_ino == pads.st_ino;
}

static int refuse_same(void)
{
    return cli_usage("import slp", "-o and --pads name the same file");
}

// Fills the new file. False: said so.
static bool print_pads(const SlpImport *import)
{
    int   fd = import->pads_file.fd < 0 ? -1 : dup(import->pads_file.fd);
    FILE *out = fd < 0 ? NULL : fdopen(fd, "w");
    bool  is_written = out != NULL;
    if (out != NULL) {
        import_pads_print(out, &import->match, import->frames);
        is_written = fflush(out) == 0 && ferror(out) == 0;
        int reason = errno;
        fclose(out);
        errno = reason;
    }
    if (!is_written) {
        cli_fail(TP_INCOMPLETE, "%s: writing the pads: %s", import->pads, strerror(errno));
    }
    return is_written;
}

static int commit_pads(SlpImport *import)
{
    tp_error error;
    if (!files_commit(&import->pads_file, &error)) {
        return cli_fail(TP_INCOMPLETE, "%s: finishing the file of pads: %s", import->pads, error.text);
    }
    return TP_VERIFIED;
}

// Up to their commit, which comes behind the log's: without a log there are no pads, and what was in their place stays. Only a stream is over
// at once: nothing takes it back, and its reader may want to read the log next. 0, or the exit code: said so.
static int write_pads(SlpImport *import)
{
    tp_error error;
    if (!files_create(&import->pads_file, import->pads, import->log.flags.may_replace, &error)) {
        return cli_fail(TP_USAGE, "%s: making the file of pads: %s", import->pads, error.text);
    }
    int code = is_same_output(import) ? refuse_same() : print_pads(import) ? TP_VERIFIED : TP_INCOMPLETE;
    if (code != TP_VERIFIED) {
        files_abandon(&import->pads_file);
        return code;
    }
    bool is_stream = import->pads_file.kind == NEW_FILE_STDOUT || import->pads_file.kind == NEW_FILE_THROUGH;
    return is_stream ? commit_pads(import) : TP_VERIFIED;
}

// A log that an interrupt cut short is one. Harmless when there are no pads, or no longer.
static int end_pads(SlpImport *import, int code)
{
    if (import->pads_file.kind == NEW_FILE_NONE) {
        return code;
    }
    if (import->log.flags.output != NULL && !import->log.is_kept) {
        files_abandon(&import->pads_file);
        return code;
    }
    int pads_code = commit_pads(import);
    return code == TP_VERIFIED ? pads_code : code;
}

static const char *player_name(const SlpPlayer *player)
{
    return player->name[0] != '\0' ? player->name : player->tag[0] != '\0' ? player->tag : player->code;
}

// Which file it was, by content: where it lay and what day it was imported say nothing about the match.
static void note_file(SlpImport *import)
{
    const char *slash = strrchr(import->path, '/');
    uint8_t     digest[32];
    char        text[2 * sizeof(digest) + 1];
    crypto_generichash(digest, sizeof(digest), import->bytes, import->size, NULL, 0);
    for (size_t i = 0; i < sizeof(digest); i++) {
        snprintf(text + 2 * i, 3, "%02x", digest[i]);
    }
    if (strcmp(import->path, "-") != 0) {
        import_log_note(&import->log, "import.file", "%s", slash == NULL ? import->path : slash + 1);
    }
    import_log_note(&import->log, "import.blake2b", "%s", text);
}

static void note_slots(SlpImport *import, const ImportMap *map)
{
    for (uint32_t slot = 0; slot < map->slots; slot++) {
        const SlpPlayer *player = &import->match.players[map->ports[slot]];
        char             key[32];
        snprintf(key, sizeof(key), "slot.%u.port", slot);
        import_log_note(&import->log, key, "%u", map->ports[slot] + 1);
        snprintf(key, sizeof(key), "slot.%u.character", slot);
        import_log_note(&import->log, key, "%u %s", player->character, import_map_character_name(player->character));
        snprintf(key, sizeof(key), "slot.%u.code", slot);
        import_log_note(&import->log, key, "%s", player->code);
        snprintf(key, sizeof(key), "slot.%u.kind", slot);
        import_log_note(&import->log, key, "%s", player->type == SLP_PLAYER_HUMAN ? "human" : player->type == SLP_PLAYER_CPU ? "computer" : "demo");
    }
}

static void identify(SlpImport *import, const ImportMap *map, const tp_world *world)
{
    static WorldSet no_worlds;
    const SlpMatch *match = &import->match;
    const char     *names[SLP_PORTS];
    for (uint32_t slot = 0; slot < map->slots; slot++) {
        names[slot] = player_name(&match->players[map->ports[slot]]);
    }
    import_log_identify(&import->log, &no_worlds, world, match->match_id[0] != '\0' ? match->match_id : match->start_at, names, map->slots);
    note_slots(import, map);
    import_log_note(&import->log, "import.format", "slp %u.%u.%u", match->version[0], match->version[1], match->version[2]);
    note_file(import);
    import_log_note(&import->log, "import.start", "%s", match->start_at);
    import_log_note(&import->log, "import.stage", "%u %s", match->stage, import_map_stage_name(match->stage));
    import_log_note(&import->log, "import.dead_zone", "%u", import->dead_zone);
    if (match->is_cut) {
        import_log_note(&import->log, "import.cut", "%zu", match->cut_offset);
    }
}

static int record(SlpImport *import)
{
    const tp_world *world = &fighter_world;
    tp_error        error;
    int64_t         config[TP_CONFIG_ITEMS_MAX];
    ImportMap       map;
    import_map_init(&map, &import->match, import->frames, (uint8_t)import->dead_zone);
    if (!logflags_check(&import->log.flags, map.slots)) {
        return TP_USAGE;
    }
    worldconfig_standard(world, config);
    import_map_config(&map, world, config);
    if (import->config != NULL && !worldconfig_read(world, import->config, config)) {
        return TP_USAGE;
    }
    tp_setup       setup = { import->has_seed ? import->seed : import->match.seed, map.slots, world->tick_rate_hz, config };
    tp_sim_options options = { .algorithm = import->log.flags.algorithm };
    tp_sim        *sim = tp_sim_create(world, &setup, &options, &error);
    if (sim == NULL) {
        return cli_fail(TP_USAGE, "making world '%s': %s", world->name, error.text);
    }
    map.layout = tp_sim_layout(sim);
    identify(import, &map, world);
    InputSource *inputs = inputsource_rows(map.layout, import_map_fill, &map);
    int          code = inputs == NULL ? cli_fail(TP_INTERNAL, "out of memory") : import_log_record(&import->log, sim, inputs);
    inputsource_destroy(inputs);
    tp_sim_destroy(sim);
    return code;
}

// What is missing of the recording. A log of it is good, but whoever asked for the match gets a part of it: the exit code says so.
static int say_what_is_missing(const SlpImport *import, int code)
{
    const SlpMatch    *match = &import->match;
    unsigned long long frames = (unsigned long long)match->frame_count;
    if (match->unfinal_count > 0) {
        cli_fail(TP_VERIFIED, "%s: frames at its end that were never final, and are left out: %llu", import->name, (unsigned long long)match->unfinal_count);
    }
    if (!match->is_cut || code != TP_VERIFIED) {
        return code;
    }
    cli_fail(TP_TRUNCATED, "%s: the recording was cut at byte %zu: %llu frames imported", import->name, match->cut_offset, frames);
    return import->may_be_cut ? TP_VERIFIED : TP_TRUNCATED;
}

static int import_file(SlpImport *import)
{
    int code = read_file(import);
    if (code != TP_VERIFIED) {
        return code;
    }
    if (import->pads != NULL) {
        code = write_pads(import);
    }
    if (code == TP_VERIFIED && import->log.flags.output != NULL) {
        code = record(import);
    }
    code = end_pads(import, code);
    return say_what_is_missing(import, code);
}

static bool is_wrong(SlpImport *import, int argc, char **argv)
{
    if (optind + 1 != argc) {
        cli_usage("import slp", "it takes one FILE");
    } else if (import->log.flags.output == NULL && import->pads == NULL) {
        cli_usage("import slp", "-o is missing: where does the log go?");
    } else if (is_same_output(import) ||
               (import->log.flags.output != NULL && import->pads != NULL && strcmp(import->log.flags.output, import->pads) == 0)) {
        refuse_same();
    } else if (import->config != NULL && strcmp(import->config, "-") == 0 && strcmp(argv[optind], "-") == 0) {
        cli_usage("import slp", "FILE and --config cannot both be standard input");
    } else {
        import->path = argv[optind];
        import->log.is_quiet_stdout = import->pads != NULL && strcmp(import->pads, "-") == 0;
        import->name = strcmp(import->path, "-") == 0 ? "standard input" : import->path;
        return false;
    }
    return true;
}

static int import_with(SlpImport *import, int argc, char **argv)
{
    import->dead_zone = IMPORT_DEAD_ZONE;
    logflags_standard(&import->log.flags);
    for (int flag = args_next("import", argc, argv, ":o:h", flags); flag != ARGS_END; flag = args_next("import", argc, argv, ":o:h", flags)) {
        if (flag == ARGS_HELP) {
            fputs(command_import.help, stdout);
            return TP_VERIFIED;
        }
        if (flag == ARGS_BAD || !take_flag(import, flag)) {
            return TP_USAGE;
        }
    }
    return is_wrong(import, argc, argv) ? TP_USAGE : import_file(import);
}

int import_slp(int argc, char **argv)
{
    SlpImport *import = calloc(1, sizeof(*import));
    if (import == NULL || sodium_init() < 0) {
        free(import);
        return cli_fail(TP_INTERNAL, "out of memory");
    }
    int code = import_with(import, argc, argv);
    logflags_finish(&import->log.flags);
    free(import->bytes);
    free(import->frames);
    free(import);
    return code;
}

// import_log.h: the log that an import writes: its flags, what is kept beside its rules, and the run that fills it.
#pragma once

#include "inputsource.h"
#include "worlds.h"

enum { IMPORT_PROVENANCE_MAX = 64 + TP_PLAYERS_MAX, IMPORT_NOTES_SIZE = 16384 };

typedef struct {
    const char       *output;
    bool              may_replace;
    tp_writer_options writer;
    bool              has_root_size;
    bool              is_quiet_stdout; ///< standard output has something else: the line of what came of it goes to standard error
    const char       *match;
    const char       *slot_names[TP_PLAYERS_MAX];
    tp_provenance     provenance[IMPORT_PROVENANCE_MAX];
    char              notes[IMPORT_NOTES_SIZE]; ///< texts of the provenance
    size_t            notes_used;
} ImportLog;

/// The numbers of the flags, from the first that ARGS_LONG leaves free.
enum {
    IMPORT_FLAG_OUTPUT = 'o',
    IMPORT_FLAG_FORCE = 512, IMPORT_FLAG_RUN_TICKS, IMPORT_FLAG_ROOT_BYTES, IMPORT_FLAG_LEAVES, IMPORT_FLAG_KEYFRAMES, IMPORT_FLAG_SEAL,
    IMPORT_FLAG_MATCH, IMPORT_FLAG_SLOT_NAME,
};
#define IMPORT_LOG_FLAGS                                            \
    { "output", required_argument, NULL, IMPORT_FLAG_OUTPUT },         \
    { "force", no_argument, NULL, IMPORT_FLAG_FORCE },                 \
    { "run-ticks", required_argument, NULL, IMPORT_FLAG_RUN_TICKS },   \
    { "root-bytes", required_argument, NULL, IMPORT_FLAG_ROOT_BYTES }, \
    { "leaves", required_argument, NULL, IMPORT_FLAG_LEAVES },         \
    { "keyframes", required_argument, NULL, IMPORT_FLAG_KEYFRAMES },   \
    { "seal", required_argument, NULL, IMPORT_FLAG_SEAL },             \
    { "match", required_argument, NULL, IMPORT_FLAG_MATCH },           \
    { "slot-name", required_argument, NULL, IMPORT_FLAG_SLOT_NAME }

void import_log_standard(ImportLog *log);
/// Takes one of the flags above, with its argument in optarg. False: said so.
bool import_log_take(ImportLog *log, int flag);
/// False, said so: a name is given to a slot that the match does not have.
bool import_log_check(const ImportLog *log, uint32_t players);

/// Keeps a line beside the rules; nothing when the text is empty. What the caller gives is copied.
void import_log_note(ImportLog *log, const char *key, const char *format, ...) __attribute__((format(printf, 3, 4)));
/// What an import says of itself: the build, the world's library, the match and who had which slot. Flags win over what the file says, which is
/// `match` and `names` (by slot; NULL: says nothing).
void import_log_identify(ImportLog *log, const WorldSet *worlds, const tp_world *world, const char *match, const char *const *names, uint32_t players);

/// Steps the sim with the inputs to their end, or until it is interrupted, and writes the log. Prints one line of what came of it. Returns the
/// exit code; what failed was said.
int import_log_record(ImportLog *log, tp_sim *sim, InputSource *inputs);

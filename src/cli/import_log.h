// import_log.h: the log that an import writes: what is kept beside its rules, and the run that fills it.
#pragma once

#include "inputsource.h"
#include "logflags.h"
#include "worlds.h"

enum { IMPORT_PROVENANCE_MAX = 64 + TP_PLAYERS_MAX, IMPORT_NOTES_SIZE = 16384 };

typedef struct {
    LogFlags          flags;
    bool              is_quiet_stdout; ///< standard output has something else: the line of what came of it goes to standard error
    bool              is_kept;         ///< of import_log_record: there is a log, even if it is not all that was asked for
    tp_provenance     provenance[IMPORT_PROVENANCE_MAX];
    char              notes[IMPORT_NOTES_SIZE]; ///< texts of the provenance
    size_t            notes_used;
} ImportLog;

/// Keeps a line beside the rules; nothing when the text is empty. What the caller gives is copied.
void import_log_note(ImportLog *log, const char *key, const char *format, ...) __attribute__((format(printf, 3, 4)));
/// What an import says of itself: the build, the world's library, the match and who had which slot. Flags win over what the file says, which is
/// `match` and `names` (by slot; NULL: says nothing).
void import_log_identify(ImportLog *log, const WorldSet *worlds, const tp_world *world, const char *match, const char *const *names, uint32_t players);

/// Steps the sim with the inputs to their end, or until it is interrupted, and writes the log. Prints one line of what came of it. Returns the
/// exit code; what failed was said.
int import_log_record(ImportLog *log, tp_sim *sim, InputSource *inputs);

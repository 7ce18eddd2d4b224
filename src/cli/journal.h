// journal.h: which logs of a batch are done and what they came to, so that a batch that was stopped goes on where it was. A file of JSON
// lines, one for each log, added as soon as it is done. What is taken from it is what verifying again would come to: an entry counts for the
// same bytes under the same name only, and for the same question to the same build of the program.
#pragma once

#include <stdio.h>

#include "batchid.h"

typedef struct Journal Journal;

/// Opens or makes the file and locks it. A journal of another question is refused, and so is any other file; damaged or torn entries
/// count for nothing. `count`: files of this batch. NULL: said so.
Journal *journal_open(const char *path, const uint8_t question[BATCHID_SIZE], size_t count);
/// Whether the file is in there, unchanged. Else what it is now is kept in mind for journal_add. A BatchHooks.known.
bool journal_knows(Journal *journal, size_t index, bool has_predecessor, BatchFile *file);
/// Adds what a file came to, if that is for good: not what was interrupted, could not be opened, or ended by a fault of ours, and not when the
/// file has changed meanwhile.
void journal_add(Journal *journal, size_t index, const BatchFile *file);
/// Files that it knew.
size_t journal_count_known(const Journal *journal);
/// Ticks that were stepped for them, in an earlier run.
uint64_t journal_ticks_known(const Journal *journal);
/// To the disk, and closed. False, said so: some entries were not written.
bool journal_close(Journal *journal);

/// What an entry says of a file beside its report.
typedef struct {
    char    *path;
    uint64_t size, modified_ns;
    uint8_t  content[BATCHID_SIZE];
    bool     has_predecessor;
} JournalEntry;

/// Into a stream that open_memstream made over `text` and `size`.
void journal_put_line(FILE *memory, char **text, const size_t *size, const JournalEntry *entry, const BatchFile *file);
/// One line without its end; foreign. Free the path. False: it does not hold, or is no entry.
bool journal_take_line(const char *line, size_t size, JournalEntry *entry, BatchFile *file);

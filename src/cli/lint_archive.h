// lint_archive.h: the members of an `ar` archive, one after the other; also of a thin one, whose members are files of their own.
// Every byte is foreign. No allocation.
#pragma once

#include "tickproof/layout.h"

typedef struct LintArchive {
    const uint8_t *data;
    size_t         size, at;
    bool           is_thin;
    const char    *long_names; ///< in the file; NULL: none so far
    size_t         long_names_size;
} LintArchive;

typedef struct LintMember {
    char           name[1024]; ///< of a thin archive: a path, from the archive's folder
    const uint8_t *data;       ///< NULL in a thin archive
    size_t         size;
    size_t         offset;     ///< of its header
} LintMember;

typedef enum { LINT_MEMBER, LINT_MEMBERS_END, LINT_MEMBERS_BROKEN } LintMembers;

bool lint_archive_is(const uint8_t *data, size_t size);
void lint_archive_open(LintArchive *archive, const uint8_t *data, size_t size);
/// The next member that is neither a symbol table nor a table of names.
LintMembers lint_archive_next(LintArchive *archive, LintMember *member, tp_error *error);

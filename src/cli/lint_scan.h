// lint_scan.h: one ELF file looked through for what breaks determinism between machines. Nothing is printed or run.
#pragma once

#include "lint_elf.h"
#include "lint_rules.h"

enum { LINT_FINDINGS_MAX = 4096, LINT_NAME_SIZE = 192 };

typedef struct LintFinding {
    LintKind  kind;
    LintLevel level;
    char      symbol[LINT_NAME_SIZE]; ///< what to --allow it by: the function that holds the instruction, the import, the variable
    char      what[64];               ///< the instruction, or the section and size of a variable; may be empty
    char      place[LINT_NAME_SIZE + 24]; ///< first use: function+offset; empty: not known
    uint64_t  count;                  ///< uses
    uint64_t  offset;                 ///< of the first use in the file; 0: not known
    bool      is_allowed;             ///< by the command line, or core's own
} LintFinding;

/// Names that something else in the same archive defines.
typedef struct LintNames {
    const char **items; ///< sorted, borrowed
    size_t       count, capacity;
} LintNames;

typedef struct LintObject {
    uint32_t     machine, kind;
    bool         is_code_read; ///< false: `message` says why
    char         message[256];
    uint64_t     code_size, functions;
    LintFinding *findings;
    size_t       count, capacity;
    size_t       dropped;      ///< findings above LINT_FINDINGS_MAX
    size_t       dropped_of[LINT_KIND_COUNT][3]; ///< the same by kind and LintLevel
} LintObject;

/// False: out of memory.
bool lint_scan(const LintElf *elf, const LintNames *defined_elsewhere, LintObject *object);
void lint_object_finish(LintObject *object);

/// Adds the file's defined global names. False: out of memory.
bool lint_names_add(LintNames *names, const LintElf *elf);
void lint_names_sort(LintNames *names);
bool lint_names_have(const LintNames *names, const char *name);
void lint_names_finish(LintNames *names);

// lint_found.h: what the parts of a scan share: where findings go, and how often each symbol is used.
#pragma once

#include "lint_map.h"
#include "lint_scan.h"

typedef struct LintUse {
    uint64_t count;
    uint32_t section; ///< of the first one
    uint64_t value;
} LintUse;

typedef struct LintScan {
    const LintElf   *elf;
    const LintNames *elsewhere;
    LintObject      *object;
    LintMap          map;
    LintCode        *code;
    LintUse         *uses; ///< by symbol of map.imports
    uint32_t         use_count;
    uint64_t         constructors; ///< looked at so far
    bool             has_memory;
} LintScan;

typedef struct LintFound {
    LintKind           kind;
    LintLevel          level;
    const char        *symbol, *what;
    const LintSection *section; ///< of the place; NULL: none
    uint64_t           value;   ///< there: an offset from the section's start, in a linked file an address
} LintFound;

/// One more finding, or one more use of one that is there. `weight` is what the count grows by.
void lint_found_add(LintScan *scan, const LintFound *found, uint64_t weight);
void lint_found_use(LintScan *scan, uint32_t symbol, uint32_t section, uint64_t value);

void lint_scan_code(LintScan *scan);
void lint_scan_data(LintScan *scan);
void lint_scan_constructors(LintScan *scan);

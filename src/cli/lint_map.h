// lint_map.h: what lies where in an ELF file: which function an address is in, which import a slot or stub stands for.
#pragma once

#include "lint_code.h"

enum { LINT_PLACE_NAME_MAX = 160 }; ///< letters of a name in a description

/// A function's start, or one of ARM's marks for what follows: 'x' and 'a' code, 't' Thumb code, 'd' data.
typedef struct LintSpot {
    uint32_t    section;
    uint64_t    value;
    const char *name; ///< NULL: a mark
    char        mark;
    bool        is_function;
    uint32_t    index;
} LintSpot;

/// An address that stands for a symbol: a slot of the global offset table, or a stub that jumps through one.
typedef struct LintSlot {
    uint64_t address;
    uint32_t symbol;
} LintSlot;

typedef struct LintMap {
    const LintElf *elf;
    bool           is_linked;
    LintSection    symbols; ///< the full table, or where that was stripped the dynamic one; type 0: none
    LintSection    imports; ///< the table with the undefined symbols
    bool           is_stripped;
    LintSpot      *spots;   ///< sorted
    size_t         spot_count;
    LintSlot      *slots;   ///< sorted; linked files alone
    size_t         slot_count, slot_capacity;
    size_t         sorted_count; ///< of them: stubs are added behind while they are read
    bool           has_memory;   ///< false: it ran out
    uint64_t       stub_page;    ///< of the last adrp: what it loaded, where it stood, into which register
    uint64_t       stub_address;
    uint32_t       stub_register;
} LintMap;

/// False: out of memory.
bool lint_map_make(LintMap *map, const LintElf *elf, LintCode *code);
void lint_map_finish(LintMap *map);

/// The function that holds the place, NULL: none is known. `offset` is from its start.
const char *lint_map_function(const LintMap *map, uint32_t section, uint64_t value, uint64_t *offset);
/// Index of the first spot of a section, in order.
size_t lint_map_first(const LintMap *map, uint32_t section);
/// "function+0x1c", or "section+0x1c".
void lint_map_describe(const LintMap *map, const LintSection *section, uint64_t value, char *text, size_t size);
/// The section that holds an address of a linked file; index 0: none.
LintSection lint_map_section_at(const LintMap *map, uint64_t address);
/// The import that an instruction calls, jumps to or reads the address of. 0: none.
uint32_t lint_map_target(LintMap *map, const LintInstruction *instruction);
bool lint_map_is_stubs(const LintSection *section);

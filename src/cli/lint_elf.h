// lint_elf.h: reading an ELF object or library where it lies in memory: sections, symbols, relocations. 32 and 64 bits, both byte orders. Every
// byte is foreign: lint_elf_open checks all counts and offsets once, so that what comes after cannot leave the file. No allocation.
#pragma once

#include "tickproof/layout.h"

enum {
    LINT_SECTIONS_MAX = 1 << 20, ///< -ffunction-sections makes many
    LINT_SYMBOLS_MAX  = 1 << 24,
};

typedef enum LintMachine {
    LINT_X86     = 3,
    LINT_ARM     = 40,
    LINT_PPC64   = 21,
    LINT_S390    = 22,
    LINT_X86_64  = 62,
    LINT_AARCH64 = 183,
    LINT_RISCV   = 243,
} LintMachine;

/// The parts of sh_type and sh_flags, of st_info and st_shndx, that are looked at.
enum {
    LINT_SECTION_CODE    = 1,  // SHT_PROGBITS, with LINT_FLAG_CODE code
    LINT_SECTION_SYMBOLS = 2, LINT_SECTION_STRINGS = 3, LINT_SECTION_RELA = 4, LINT_SECTION_EMPTY = 8, LINT_SECTION_REL = 9, LINT_SECTION_DYNAMIC_SYMBOLS = 11,
    LINT_SECTION_CONSTRUCTORS = 14, LINT_SECTION_INDICES = 18,
    LINT_FLAG_WRITE = 1, LINT_FLAG_LOADED = 2, LINT_FLAG_CODE = 4, LINT_FLAG_COMPRESSED = 0x800, LINT_FLAG_TLS = 0x400,
    LINT_OBJECT_FILE = 1, LINT_PROGRAM = 2, LINT_LIBRARY = 3,
    LINT_IS_NONE = 0, LINT_IS_DATA = 1, LINT_IS_FUNCTION = 2, LINT_IS_SECTION = 3, LINT_IS_FILE = 4, LINT_IS_COMMON = 5, LINT_IS_TLS = 6, LINT_IS_CHOSEN = 10,
    LINT_INDEX_UNDEFINED = 0, LINT_INDEX_ABSOLUTE = 0xfff1, LINT_INDEX_COMMON = 0xfff2, LINT_INDEX_ELSEWHERE = 0xffff,
};

typedef struct LintElf {
    const uint8_t *data;
    size_t         size;
    bool           is_64, is_big;
    uint32_t       kind;    ///< LINT_OBJECT_FILE, LINT_PROGRAM, LINT_LIBRARY
    uint32_t       machine; ///< LintMachine, or another number
    uint64_t       headers; ///< offset of the section headers
    uint32_t       header_size, section_count;
    uint32_t       names;   ///< section with their names; 0: none
    uint32_t       indices; ///< section with the sections of symbols in a file with very many; 0: none
} LintElf;

typedef struct LintSection {
    const char *name; ///< in the file
    uint32_t    index, type, link, info;
    uint64_t    flags, address, offset, size, item_size;
} LintSection;

typedef struct LintSymbol {
    const char *name; ///< in the file; empty where there is none
    uint64_t    value, size;
    uint32_t    section; ///< index, or LINT_INDEX_...
    uint32_t    type;    ///< LINT_IS_...
    bool        is_local, is_weak;
} LintSymbol;

typedef struct LintRelocation {
    uint64_t offset;  ///< in its section; in a linked file an address
    uint32_t symbol;  ///< 0: none
    uint32_t type;
    uint64_t addend;  ///< 0 for SHT_REL, which keeps it in the place
} LintRelocation;

bool lint_elf_is(const uint8_t *data, size_t size);
/// False: `error` says what is damaged, with the offset. `data` must outlive the reader.
bool lint_elf_open(LintElf *elf, const uint8_t *data, size_t size, tp_error *error);

/// `index` below section_count.
LintSection lint_elf_section(const LintElf *elf, uint32_t index);
/// Its bytes in the file; NULL for a section without, or with compressed ones.
const uint8_t *lint_elf_bytes(const LintElf *elf, const LintSection *section);

/// Items of a section of symbols or relocations.
uint32_t       lint_elf_count(const LintElf *elf, const LintSection *section);
LintSymbol     lint_elf_symbol(const LintElf *elf, const LintSection *symbols, uint32_t index);
LintRelocation lint_elf_relocation(const LintElf *elf, const LintSection *relocations, uint32_t index);

/// A word as wide as the machine's pointers, out of `bytes`.
uint64_t lint_elf_word(const LintElf *elf, const uint8_t *bytes);

// lint_scan_data.c: variables that can be written, those of threads, and what runs when a library is loaded.
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lint_found.h"

enum { START_FILES_SIZE = 8 }; // bytes without a name that a linker's own start files have in a section

static bool starts_with_any(const char *name, const char *const *starts)
{
    for (; *starts != NULL; starts++) {
        if (strncmp(name, *starts, strlen(*starts)) == 0) {
            return true;
        }
    }
    return false;
}

// Sections that are written by the loader alone, or by tools that were compiled in on purpose.
static bool is_data(const LintSection *section)
{
    static const char *const others[] = { ".data.rel.ro", ".init_array", ".fini_array", ".preinit_array", ".ctors", ".dtors", ".got", ".dynamic", ".tm_clone_table",
                                          ".jcr", ".eh_frame", ".gcc_except_table", ".bss.rel.ro", ".plt", ".toc", "asan_globals", "__sancov", "__llvm_prf", ".relro_padding", NULL };
    uint64_t                 wanted = LINT_FLAG_WRITE | LINT_FLAG_LOADED;
    return (section->flags & wanted) == wanted && (section->flags & LINT_FLAG_TLS) == 0 && !starts_with_any(section->name, others);
}

// What the compiler and the linker put there themselves.
static bool is_own_variable(const char *name)
{
    static const char *const own[] = { "__dso_handle", "__TMC_END__", "DW.ref.", "__bss_start", "_edata", "_end", "__data_start", "data_start", "completed.",
                                       "__asan_", "__odr_asan", "__gcov", "__sancov", "__llvm_", NULL };
    return starts_with_any(name, own);
}

static void add_variable(LintScan *scan, LintKind kind, const LintSymbol *symbol, const LintSection *section)
{
    char      what[64];
    bool      is_placed = section != NULL;
    LintFound found = { kind, LINT_WARNING, symbol->name, what, NULL, 0 };
    snprintf(what, sizeof(what), "%" PRIu64 " bytes in %.24s", symbol->size, is_placed ? section->name : "common");
    lint_found_add(scan, &found, 1);
}

// Returns the size of what has a name.
static void scan_variables(LintScan *scan, uint64_t *named)
{
    uint32_t count = lint_elf_count(scan->elf, &scan->map.symbols);
    for (uint32_t i = 1; i < count; i++) {
        LintSymbol symbol = lint_elf_symbol(scan->elf, &scan->map.symbols, i);
        bool       is_variable = symbol.type == LINT_IS_DATA || symbol.type == LINT_IS_COMMON || (symbol.type == LINT_IS_NONE && symbol.size > 0);
        if (symbol.section == LINT_INDEX_COMMON && !scan->map.is_linked) {
            add_variable(scan, LINT_KIND_STATE, &symbol, NULL);
        }
        if (symbol.section == LINT_INDEX_UNDEFINED || symbol.section >= scan->elf->section_count || symbol.name[0] == '\0') {
            continue;
        }
        LintSection section = lint_elf_section(scan->elf, symbol.section);
        if (symbol.type == LINT_IS_TLS) {
            add_variable(scan, LINT_KIND_TLS, &symbol, &section);
            named[symbol.section] += symbol.size;
        } else if (is_variable && is_data(&section)) {
            named[symbol.section] += symbol.size;
            if (!is_own_variable(symbol.name)) {
                add_variable(scan, LINT_KIND_STATE, &symbol, &section);
            }
        }
    }
}

// A stripped library keeps the bytes and loses the names.
static void scan_unnamed(LintScan *scan, const uint64_t *named)
{
    for (uint32_t i = 1; scan->map.is_stripped && i < scan->elf->section_count; i++) {
        LintSection section = lint_elf_section(scan->elf, i);
        bool        is_of_threads = (section.flags & LINT_FLAG_TLS) != 0 && (section.flags & LINT_FLAG_LOADED) != 0;
        if ((!is_of_threads && !is_data(&section)) || section.size <= named[i] + (is_of_threads ? 0 : START_FILES_SIZE)) {
            continue;
        }
        char      what[64];
        LintFound found = { is_of_threads ? LINT_KIND_TLS : LINT_KIND_STATE, LINT_WARNING, section.name, what, NULL, 0 };
        snprintf(what, sizeof(what), "%" PRIu64 " bytes without names", section.size - named[i]);
        lint_found_add(scan, &found, 1);
    }
}

void lint_scan_data(LintScan *scan)
{
    uint64_t *named = calloc(scan->elf->section_count, sizeof(named[0]));
    if (named == NULL) {
        scan->has_memory = false;
        return;
    }
    scan_variables(scan, named);
    scan_unnamed(scan, named);
    free(named);
}

static bool is_constructors(const LintSection *section)
{
    static const char *const names[] = { ".init_array", ".ctors", ".preinit_array", NULL };
    return (section->type == LINT_SECTION_CONSTRUCTORS || starts_with_any(section->name, names)) && (section->flags & LINT_FLAG_LOADED) != 0;
}

static void add_constructors(LintScan *scan, const char *name, const LintSection *section, uint64_t place, uint64_t count)
{
    LintFound found = { LINT_KIND_CONSTRUCTOR, LINT_WARNING, name, section->name, section, place };
    if (strcmp(name, "frame_dummy") != 0) { // of the compiler's start files
        lint_found_add(scan, &found, count);
    }
}

// The name of what a slot of a linked file points to; NULL: unknown.
static const char *name_at(const LintScan *scan, uint64_t address)
{
    uint64_t    offset;
    LintSection section = lint_map_section_at(&scan->map, address);
    return section.index == 0 ? NULL : lint_map_function(&scan->map, section.index, address, &offset);
}

static const char *name_of_relocation(const LintScan *scan, const LintSection *table, const LintRelocation *relocation, uint64_t in_place)
{
    LintSection symbols = { 0 };
    uint64_t    offset;
    if (table->link != 0 && table->link < scan->elf->section_count) {
        symbols = lint_elf_section(scan->elf, table->link);
    }
    if (relocation->symbol == 0 || relocation->symbol >= lint_elf_count(scan->elf, &symbols)) {
        return name_at(scan, relocation->addend != 0 ? relocation->addend : in_place);
    }
    LintSymbol symbol = lint_elf_symbol(scan->elf, &symbols, relocation->symbol);
    if (symbol.type != LINT_IS_SECTION) {
        return symbol.name;
    }
    return lint_map_function(&scan->map, symbol.section, symbol.value + (relocation->addend != 0 ? relocation->addend : in_place), &offset);
}

// The relocation of one slot, whichever table it is in.
static const char *name_of_slot(const LintScan *scan, const LintSection *section, uint64_t place, uint64_t in_place, bool *is_relocated)
{
    for (uint32_t i = 1; i < scan->elf->section_count; i++) {
        LintSection table = lint_elf_section(scan->elf, i);
        bool        is_table = table.type == LINT_SECTION_RELA || table.type == LINT_SECTION_REL;
        uint32_t    count = is_table && (scan->map.is_linked || table.info == section->index) ? lint_elf_count(scan->elf, &table) : 0;
        for (uint32_t k = 0; k < count; k++) {
            LintRelocation relocation = lint_elf_relocation(scan->elf, &table, k);
            if (relocation.offset == place) {
                *is_relocated = true;
                return name_of_relocation(scan, &table, &relocation, in_place);
            }
        }
    }
    return scan->map.is_linked ? name_at(scan, in_place) : NULL;
}

// That are named one by one, of all sections together: each name is a search through all relocations.
enum { CONSTRUCTORS_MAX = 256 };

static void scan_constructors_of(LintScan *scan, const LintSection *section, const uint8_t *bytes)
{
    uint32_t word = scan->elf->is_64 ? 8 : 4;
    uint64_t count = section->size / word;
    for (uint64_t i = 0; i < count; i++) {
        if (scan->constructors++ == CONSTRUCTORS_MAX) {
            scan->constructors = CONSTRUCTORS_MAX;
            add_constructors(scan, "(further)", section, section->address + i * word, count - i);
            return;
        }
        uint64_t    place = section->address + i * word;
        bool        is_relocated = false;
        const char *name = name_of_slot(scan, section, place, lint_elf_word(scan->elf, bytes + i * word), &is_relocated);
        // Of a stripped library the first one is the start files'; an object file's slot without relocation is empty.
        bool is_expected = name == NULL && (scan->map.is_linked ? i == 0 : !is_relocated);
        if (!is_expected) {
            add_constructors(scan, name == NULL ? "(unnamed)" : name, section, place, 1);
        }
    }
}

void lint_scan_constructors(LintScan *scan)
{
    for (uint32_t i = 1; i < scan->elf->section_count; i++) {
        LintSection    section = lint_elf_section(scan->elf, i);
        const uint8_t *bytes = lint_elf_bytes(scan->elf, &section);
        if (bytes != NULL && is_constructors(&section)) {
            scan_constructors_of(scan, &section, bytes);
        }
    }
}

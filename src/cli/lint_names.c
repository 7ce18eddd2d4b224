// lint_names.c: what one member of an archive takes from another is no import from outside.
#include <stdlib.h>
#include <string.h>

#include "lint_scan.h"

static bool add_name(LintNames *names, const char *name)
{
    if (names->count == names->capacity) {
        size_t       capacity = names->capacity == 0 ? 256 : names->capacity * 2;
        const char **items = realloc(names->items, capacity * sizeof(items[0]));
        if (items == NULL) {
            return false;
        }
        names->items = items;
        names->capacity = capacity;
    }
    names->items[names->count++] = name;
    return true;
}

bool lint_names_add(LintNames *names, const LintElf *elf)
{
    for (uint32_t i = 1; i < elf->section_count; i++) {
        LintSection section = lint_elf_section(elf, i);
        uint32_t    count = section.type == LINT_SECTION_SYMBOLS ? lint_elf_count(elf, &section) : 0;
        for (uint32_t k = 1; k < count; k++) {
            LintSymbol symbol = lint_elf_symbol(elf, &section, k);
            bool       is_defined = symbol.section != LINT_INDEX_UNDEFINED && !symbol.is_local && symbol.name[0] != '\0';
            if (is_defined && !add_name(names, symbol.name)) {
                return false;
            }
        }
    }
    return true;
}

static int compare_names(const void *left, const void *right)
{
    return strcmp(*(const char *const *)left, *(const char *const *)right);
}

void lint_names_sort(LintNames *names)
{
    if (names->count > 0) {
        qsort(names->items, names->count, sizeof(names->items[0]), compare_names);
    }
}

bool lint_names_have(const LintNames *names, const char *name)
{
    return names->count > 0 && bsearch(&name, names->items, names->count, sizeof(names->items[0]), compare_names) != NULL;
}

void lint_names_finish(LintNames *names)
{
    free(names->items);
    *names = (LintNames){ 0 };
}

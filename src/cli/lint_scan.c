// lint_scan.c: the whole look at one file: uses of symbols, code, data, constructors, imports; then the findings in order.
#include "lint_scan.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lint_found.h"

enum { RECENT_FINDINGS = 64 }; // instructions of one function come one after the other

static LintFinding *find_same(LintObject *object, const LintFound *found)
{
    size_t least = object->count > RECENT_FINDINGS ? object->count - RECENT_FINDINGS : 0;
    for (size_t i = object->count; i > least; i--) {
        LintFinding *finding = &object->findings[i - 1];
        if (finding->kind == found->kind && strncmp(finding->symbol, found->symbol, sizeof(finding->symbol) - 1) == 0) {
            return finding;
        }
    }
    return NULL;
}

static LintFinding *add_new(LintScan *scan, const LintFound *found)
{
    LintObject *object = scan->object;
    if (object->count == LINT_FINDINGS_MAX) {
        object->dropped++;
        object->dropped_of[found->kind][found->level]++;
        return NULL;
    }
    if (object->count == object->capacity) {
        size_t       capacity = object->capacity == 0 ? 16 : object->capacity * 2;
        LintFinding *findings = realloc(object->findings, capacity * sizeof(findings[0]));
        if (findings == NULL) {
            scan->has_memory = false;
            return NULL;
        }
        object->findings = findings;
        object->capacity = capacity;
    }
    LintFinding *finding = &object->findings[object->count++];
    *finding = (LintFinding){ 0 };
    return finding;
}

void lint_found_add(LintScan *scan, const LintFound *found, uint64_t weight)
{
    LintFinding *finding = find_same(scan->object, found);
    if (finding != NULL) {
        finding->count += weight;
        finding->level = found->level > finding->level ? found->level : finding->level;
        return;
    }
    finding = add_new(scan, found);
    if (finding == NULL) {
        return;
    }
    finding->kind = found->kind;
    finding->level = found->level;
    finding->count = weight;
    snprintf(finding->symbol, sizeof(finding->symbol), "%s", found->symbol);
    snprintf(finding->what, sizeof(finding->what), "%s", found->what);
    if (found->section != NULL) {
        lint_map_describe(&scan->map, found->section, found->value, finding->place, sizeof(finding->place));
        finding->offset = found->section->type == LINT_SECTION_EMPTY ? 0 : found->section->offset + (found->value - found->section->address);
    }
}

void lint_found_use(LintScan *scan, uint32_t symbol, uint32_t section, uint64_t value)
{
    if (symbol < scan->use_count) {
        LintUse *use = &scan->uses[symbol];
        if (use->count++ == 0) {
            use->section = section;
            use->value = value;
        }
    }
}

// In an object file every use of a symbol is a relocation of the section that uses it.
static void read_uses(LintScan *scan)
{
    for (uint32_t i = 1; i < scan->elf->section_count; i++) {
        LintSection section = lint_elf_section(scan->elf, i);
        bool        is_ours = section.type == LINT_SECTION_RELA || section.type == LINT_SECTION_REL;
        if (!is_ours || section.info == 0 || section.info >= scan->elf->section_count || section.link != scan->map.imports.index) {
            continue;
        }
        if ((lint_elf_section(scan->elf, section.info).flags & LINT_FLAG_LOADED) == 0) {
            continue; // what a debugger is told
        }
        uint32_t count = lint_elf_count(scan->elf, &section);
        for (uint32_t k = 0; k < count; k++) {
            LintRelocation relocation = lint_elf_relocation(scan->elf, &section, k);
            lint_found_use(scan, relocation.symbol, section.info, relocation.offset);
        }
    }
}

static void add_import(LintScan *scan, const LintSymbol *symbol, const LintUse *use)
{
    LintKind    kind = LINT_KIND_TLS;
    LintLevel   level = LINT_WARNING;
    LintSection section = { 0 };
    char        name[LINT_NAME_SIZE];
    if (symbol->type != LINT_IS_TLS && !lint_rule_of_import(symbol->name, &kind, &level)) {
        return;
    }
    if (scan->elsewhere != NULL && lint_names_have(scan->elsewhere, symbol->name)) {
        return;
    }
    snprintf(name, sizeof(name), "%.*s", (int)strcspn(symbol->name, "@"), symbol->name);
    if (use->count > 0) {
        section = lint_elf_section(scan->elf, use->section);
    }
    LintFound found = { kind, level, name, "import", use->count > 0 ? &section : NULL, use->value };
    lint_found_add(scan, &found, use->count);
}

static void scan_imports(LintScan *scan)
{
    for (uint32_t i = 1; i < scan->use_count; i++) {
        LintSymbol symbol = lint_elf_symbol(scan->elf, &scan->map.imports, i);
        if (symbol.section == LINT_INDEX_UNDEFINED && symbol.name[0] != '\0') {
            add_import(scan, &symbol, &scan->uses[i]);
        } else if (symbol.type == LINT_IS_CHOSEN && symbol.section != LINT_INDEX_UNDEFINED) {
            LintFound found = { LINT_KIND_PROCESSOR, LINT_WARNING, symbol.name, "chosen at load", NULL, 0 };
            lint_found_add(scan, &found, 1);
        }
    }
}

static int compare_findings(const void *left, const void *right)
{
    const LintFinding *a = left, *b = right;
    if (a->level != b->level) {
        return a->level > b->level ? -1 : 1;
    }
    if (a->kind != b->kind) {
        return a->kind < b->kind ? -1 : 1;
    }
    if (a->offset != b->offset) {
        return a->offset < b->offset ? -1 : 1;
    }
    return strcmp(a->symbol, b->symbol);
}

bool lint_scan(const LintElf *elf, const LintNames *defined_elsewhere, LintObject *object)
{
    LintScan scan = { .elf = elf, .elsewhere = defined_elsewhere, .object = object, .has_memory = true };
    *object = (LintObject){ .machine = elf->machine, .kind = elf->kind };
    scan.code = lint_code_create(elf, object->message);
    object->is_code_read = scan.code != NULL;
    if (!lint_map_make(&scan.map, elf, scan.code)) {
        lint_code_destroy(scan.code);
        return false;
    }
    scan.use_count = lint_elf_count(elf, &scan.map.imports);
    scan.uses = calloc((size_t)scan.use_count + 1, sizeof(scan.uses[0]));
    if (scan.uses != NULL) {
        if (!scan.map.is_linked) {
            read_uses(&scan);
        }
        lint_scan_code(&scan);
        lint_scan_data(&scan);
        lint_scan_constructors(&scan);
        scan_imports(&scan);
    }
    if (object->count > 0) {
        qsort(object->findings, object->count, sizeof(object->findings[0]), compare_findings);
    }
    bool is_done = scan.uses != NULL && scan.has_memory;
    free(scan.uses);
    lint_map_finish(&scan.map);
    lint_code_destroy(scan.code);
    return is_done;
}

void lint_object_finish(LintObject *object)
{
    free(object->findings);
    object->findings = NULL;
    object->count = object->capacity = 0;
}

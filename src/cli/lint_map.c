// lint_map.c: spots are read from the symbols, slots from the relocations of a linked file, stubs from their code.
#include "lint_map.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool is_marked_machine(const LintElf *elf)
{
    return elf->machine == LINT_ARM || elf->machine == LINT_AARCH64;
}

static bool is_mark(const LintElf *elf, const char *name)
{
    return is_marked_machine(elf) && name[0] == '$' && name[1] != '\0' && strchr("xatd", name[1]) != NULL && (name[2] == '\0' || name[2] == '.');
}

// False: not a spot.
static bool spot_of(const LintElf *elf, const LintSymbol *symbol, LintSpot *spot)
{
    if (symbol->section == LINT_INDEX_UNDEFINED || symbol->section >= elf->section_count) {
        return false;
    }
    bool is_function = symbol->type == LINT_IS_FUNCTION || symbol->type == LINT_IS_CHOSEN;
    *spot = (LintSpot){ .section = symbol->section, .value = symbol->value, .name = symbol->name, .is_function = is_function };
    if (symbol->type == LINT_IS_NONE && is_mark(elf, symbol->name)) {
        spot->name = NULL;
        spot->mark = symbol->name[1];
        return true;
    }
    if (is_function && elf->machine == LINT_ARM) {
        spot->mark = (symbol->value & 1) != 0 ? 't' : 'a';
        spot->value &= ~UINT64_C(1);
    }
    bool is_label = symbol->type == LINT_IS_NONE && strncmp(symbol->name, ".L", 2) != 0;
    return (is_function || is_label) && symbol->name[0] != '\0' && (lint_elf_section(elf, symbol->section).flags & LINT_FLAG_CODE) != 0;
}

static int compare_spots(const void *left, const void *right)
{
    const LintSpot *a = left, *b = right;
    if (a->section != b->section) {
        return a->section < b->section ? -1 : 1;
    }
    if (a->value != b->value) {
        return a->value < b->value ? -1 : 1;
    }
    if (a->is_function != b->is_function) {
        return a->is_function ? -1 : 1;
    }
    return a->index < b->index ? -1 : a->index > b->index;
}

static bool make_spots(LintMap *map)
{
    uint32_t count = lint_elf_count(map->elf, &map->symbols);
    map->spots = calloc((size_t)count + 1, sizeof(map->spots[0]));
    if (map->spots == NULL) {
        return false;
    }
    for (uint32_t i = 1; i < count; i++) {
        LintSymbol symbol = lint_elf_symbol(map->elf, &map->symbols, i);
        LintSpot   spot;
        if (spot_of(map->elf, &symbol, &spot)) {
            spot.index = i;
            map->spots[map->spot_count++] = spot;
        }
    }
    qsort(map->spots, map->spot_count, sizeof(map->spots[0]), compare_spots); // a total order: the index decides
    return true;
}

static int compare_slots(const void *left, const void *right)
{
    const LintSlot *a = left, *b = right;
    if (a->address != b->address) {
        return a->address < b->address ? -1 : 1;
    }
    return a->symbol < b->symbol ? -1 : a->symbol > b->symbol;
}

static uint32_t slot_at(const LintMap *map, uint64_t address)
{
    size_t from = 0, to = map->sorted_count;
    while (from < to) {
        size_t middle = from + (to - from) / 2;
        if (map->slots[middle].address < address) {
            from = middle + 1;
        } else {
            to = middle;
        }
    }
    return from < map->sorted_count && map->slots[from].address == address ? map->slots[from].symbol : 0;
}

static void sort_slots(LintMap *map)
{
    if (map->slot_count > 0) {
        qsort(map->slots, map->slot_count, sizeof(map->slots[0]), compare_slots);
    }
    map->sorted_count = map->slot_count;
}

static bool add_slot(LintMap *map, uint64_t address, uint32_t symbol)
{
    if (map->slot_count == map->slot_capacity) {
        size_t    capacity = map->slot_capacity == 0 ? 64 : map->slot_capacity * 2;
        LintSlot *slots = realloc(map->slots, capacity * sizeof(slots[0]));
        if (slots == NULL) {
            return false;
        }
        map->slots = slots;
        map->slot_capacity = capacity;
    }
    map->slots[map->slot_count++] = (LintSlot){ address, symbol };
    return true;
}

static bool make_slots(LintMap *map)
{
    uint32_t symbols = lint_elf_count(map->elf, &map->imports);
    for (uint32_t i = 1; i < map->elf->section_count; i++) {
        LintSection section = lint_elf_section(map->elf, i);
        bool        is_dynamic = (section.flags & LINT_FLAG_LOADED) != 0 && section.link == map->imports.index;
        uint32_t    count = section.type == LINT_SECTION_RELA || section.type == LINT_SECTION_REL ? lint_elf_count(map->elf, &section) : 0;
        for (uint32_t k = 0; is_dynamic && k < count; k++) {
            LintRelocation relocation = lint_elf_relocation(map->elf, &section, k);
            if (relocation.symbol != 0 && relocation.symbol < symbols && !add_slot(map, relocation.offset, relocation.symbol)) {
                return false;
            }
        }
    }
    sort_slots(map);
    return true;
}

// "qword ptr [rip + 0x2fe2]": the address.
static bool relative_of(const LintInstruction *instruction, uint64_t *address)
{
    const char *text = strstr(instruction->operands, "[rip ");
    if (text == NULL || (text[5] != '+' && text[5] != '-') || text[6] != ' ') {
        return false;
    }
    uint64_t distance = strtoull(text + 7, NULL, 0);
    uint64_t next = instruction->address + instruction->size;
    *address = text[5] == '+' ? next + distance : next - distance;
    return true;
}

static bool is_any(const char *word, const char *const *words)
{
    for (; *words != NULL; words++) {
        if (strcmp(word, *words) == 0) {
            return true;
        }
    }
    return false;
}

// "0x1030", "#0x1030", "%r14, 0x1030": the address that a branch goes to, or that an instruction loads.
static bool absolute_of(uint32_t machine, const LintInstruction *instruction, uint64_t *address)
{
    static const char *const x86[] = { "call", "jmp", "bnd call", "bnd jmp", NULL };
    static const char *const arm[] = { "bl", "b", "blx", NULL };
    static const char *const s390[] = { "brasl", "jg", "larl", "lgrl", NULL };
    const char *const       *words = machine == LINT_S390 ? s390 : machine == LINT_AARCH64 || machine == LINT_ARM ? arm : x86;
    const char              *text = strrchr(instruction->operands, ' ');
    text = text == NULL || machine != LINT_S390 ? instruction->operands : text + 1;
    text += *text == '#' ? 1 : 0;
    if (strncmp(text, "0x", 2) != 0 || !is_any(instruction->mnemonic, words)) {
        return false;
    }
    *address = strtoull(text, NULL, 16);
    return true;
}

// aarch64 loads a slot in two steps: "adrp x16, #0x11000", then "ldr x17, [x16, #0xfb8]".
static bool paged_of(LintMap *map, const LintInstruction *instruction, uint64_t *address)
{
    if (strcmp(instruction->mnemonic, "adrp") == 0 && instruction->operands[0] == 'x') {
        const char *page = strchr(instruction->operands, '#');
        map->stub_register = (uint32_t)strtoul(instruction->operands + 1, NULL, 10);
        map->stub_page = page == NULL ? 0 : strtoull(page + 1, NULL, 0);
        map->stub_address = instruction->address;
        return false;
    }
    const char *base = strcmp(instruction->mnemonic, "ldr") == 0 ? strstr(instruction->operands, "[x") : NULL;
    if (base == NULL || map->stub_page == 0 || (uint32_t)strtoul(base + 2, NULL, 10) != map->stub_register) {
        return false;
    }
    const char *offset = strchr(base, '#');
    *address = map->stub_page + (offset == NULL ? 0 : strtoull(offset + 1, NULL, 0));
    return true;
}

uint32_t lint_map_target(LintMap *map, const LintInstruction *instruction)
{
    uint64_t address;
    bool     is_found = false;
    if (map->slot_count == 0) {
        return 0;
    }
    if (map->elf->machine == LINT_X86_64) {
        is_found = relative_of(instruction, &address);
    } else if (map->elf->machine == LINT_AARCH64) {
        is_found = paged_of(map, instruction, &address);
    }
    is_found = is_found || absolute_of(map->elf->machine, instruction, &address);
    return is_found ? slot_at(map, address) : 0;
}

// A stub begins at the jump through its slot, at a landing mark of 4 bytes before it, or where the slot's page was loaded.
static void read_stub(void *to, const LintInstruction *instruction)
{
    LintMap *map = to;
    uint32_t symbol = lint_map_target(map, instruction);
    if (symbol == 0) {
        return;
    }
    uint64_t start = map->elf->machine == LINT_AARCH64 ? map->stub_address : instruction->address;
    map->has_memory = map->has_memory && add_slot(map, start, symbol) && add_slot(map, start - 4, symbol);
}

bool lint_map_is_stubs(const LintSection *section)
{
    return strncmp(section->name, ".plt", 4) == 0 || strcmp(section->name, ".iplt") == 0;
}

static void make_stubs(LintMap *map, LintCode *code)
{
    for (uint32_t i = 1; i < map->elf->section_count; i++) {
        LintSection    section = lint_elf_section(map->elf, i);
        const uint8_t *bytes = lint_elf_bytes(map->elf, &section);
        if (bytes != NULL && lint_map_is_stubs(&section) && (section.flags & LINT_FLAG_CODE) != 0) {
            lint_code_read(code, bytes, (size_t)section.size, section.address, false, read_stub, map);
            map->stub_page = 0;
        }
    }
    sort_slots(map);
}

bool lint_map_make(LintMap *map, const LintElf *elf, LintCode *code)
{
    LintSection full = { 0 }, dynamic = { 0 };
    *map = (LintMap){ .elf = elf, .is_linked = elf->kind != LINT_OBJECT_FILE, .has_memory = true };
    for (uint32_t i = elf->section_count - 1; i > 0; i--) {
        LintSection section = lint_elf_section(elf, i);
        full = section.type == LINT_SECTION_SYMBOLS ? section : full;
        dynamic = section.type == LINT_SECTION_DYNAMIC_SYMBOLS ? section : dynamic;
    }
    map->is_stripped = full.type == 0;
    map->symbols = map->is_stripped ? dynamic : full;
    map->imports = map->is_linked && dynamic.type != 0 ? dynamic : map->symbols;
    if (!make_spots(map) || (map->is_linked && !make_slots(map))) {
        lint_map_finish(map);
        return false;
    }
    if (map->is_linked && code != NULL) {
        make_stubs(map, code);
    }
    if (!map->has_memory) {
        lint_map_finish(map);
    }
    return map->has_memory;
}

void lint_map_finish(LintMap *map)
{
    free(map->spots);
    free(map->slots);
    map->spots = NULL;
    map->slots = NULL;
}

// Index of the first spot at or behind a place.
static size_t spot_from(const LintMap *map, uint32_t section, uint64_t value)
{
    size_t from = 0, to = map->spot_count;
    while (from < to) {
        size_t          middle = from + (to - from) / 2;
        const LintSpot *spot = &map->spots[middle];
        if (spot->section < section || (spot->section == section && spot->value < value)) {
            from = middle + 1;
        } else {
            to = middle;
        }
    }
    return from;
}

size_t lint_map_first(const LintMap *map, uint32_t section)
{
    return spot_from(map, section, 0);
}

const char *lint_map_function(const LintMap *map, uint32_t section, uint64_t value, uint64_t *offset)
{
    size_t at = value == UINT64_MAX ? map->spot_count : spot_from(map, section, value + 1);
    const LintSpot *found = NULL;
    while (at > 0 && map->spots[at - 1].section == section) {
        const LintSpot *spot = &map->spots[--at];
        if (found != NULL && spot->value != found->value) {
            break;
        }
        found = spot->name != NULL ? spot : found; // of several at one address the first
    }
    if (found == NULL) {
        return NULL;
    }
    *offset = value - found->value;
    return found->name;
}

void lint_map_describe(const LintMap *map, const LintSection *section, uint64_t value, char *text, size_t size)
{
    uint64_t    offset = value - section->address;
    const char *name = lint_map_function(map, section->index, value, &offset);
    snprintf(text, size, "%.*s+0x%" PRIx64, LINT_PLACE_NAME_MAX, name == NULL ? section->name : name, offset);
}

LintSection lint_map_section_at(const LintMap *map, uint64_t address)
{
    for (uint32_t i = 1; i < map->elf->section_count; i++) {
        LintSection section = lint_elf_section(map->elf, i);
        bool        is_loaded = (section.flags & LINT_FLAG_LOADED) != 0 && (section.flags & LINT_FLAG_TLS) == 0;
        if (is_loaded && address >= section.address && address - section.address < section.size) {
            return section;
        }
    }
    return (LintSection){ .name = "" };
}

// lint_scan_code.c: each instruction of each section of code. A section is read piece by piece, from one symbol to the next, so that bytes
// which are no code spoil one function and not the rest.
#include <string.h>

#include "lint_found.h"

typedef struct {
    LintScan          *scan;
    const LintSection *section;
    const char        *function;
} CodeWalk;

static void take_instruction(void *to, const LintInstruction *instruction)
{
    CodeWalk *walk = to;
    LintFound found = { LINT_KIND_UNREAD, LINT_WARNING, walk->function, "bytes", walk->section, instruction->address };
    uint64_t  weight = 1;
    if (instruction->is_unread) {
        weight = instruction->size;
    } else {
        uint32_t symbol = walk->scan->map.is_linked ? lint_map_target(&walk->scan->map, instruction) : 0;
        if (symbol != 0) {
            lint_found_use(walk->scan, symbol, walk->section->index, instruction->address);
        }
        if (!lint_rule_of_instruction(walk->scan->elf->machine, instruction->mnemonic, instruction->operands, &found.kind, &found.level)) {
            return;
        }
        found.what = instruction->mnemonic;
    }
    lint_found_add(walk->scan, &found, weight);
}

// Zeros between functions are what a linker fills up with.
static bool is_filling(const uint8_t *bytes, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        if (bytes[i] != 0) {
            return false;
        }
    }
    return true;
}

static void read_piece(CodeWalk *walk, const uint8_t *bytes, uint64_t from, uint64_t to, char mark)
{
    if (to > from && mark != 'd' && !is_filling(bytes + from, (size_t)(to - from))) {
        walk->scan->map.stub_page = 0;
        lint_code_read(walk->scan->code, bytes + from, (size_t)(to - from), walk->section->address + from, mark == 't', take_instruction, walk);
        walk->scan->object->code_size += to - from;
    }
}

static void read_section(LintScan *scan, const LintSection *section, const uint8_t *bytes)
{
    CodeWalk walk = { scan, section, section->name };
    uint64_t done = 0; // bytes of the section
    uint64_t named_at = UINT64_MAX;
    char     mark = 'x';
    for (size_t i = lint_map_first(&scan->map, section->index); i < scan->map.spot_count && scan->map.spots[i].section == section->index; i++) {
        const LintSpot *spot = &scan->map.spots[i];
        uint64_t        at = spot->value - section->address;
        if (at > section->size) {
            continue; // also below the section's start
        }
        if (at > done) {
            read_piece(&walk, bytes, done, at, mark);
            done = at;
        }
        mark = spot->mark != 0 ? spot->mark : mark;
        bool is_first = spot->name != NULL && (named_at == UINT64_MAX || spot->value != named_at); // of several names the first, as in places
        walk.function = is_first ? spot->name : walk.function;
        named_at = is_first ? spot->value : named_at;
        scan->object->functions += spot->is_function ? 1 : 0;
    }
    read_piece(&walk, bytes, done, section->size, mark);
}

void lint_scan_code(LintScan *scan)
{
    for (uint32_t i = 1; scan->code != NULL && i < scan->elf->section_count; i++) {
        LintSection    section = lint_elf_section(scan->elf, i);
        const uint8_t *bytes = lint_elf_bytes(scan->elf, &section);
        bool           is_code = section.type == LINT_SECTION_CODE && (section.flags & LINT_FLAG_CODE) != 0;
        if (is_code && bytes != NULL && !lint_map_is_stubs(&section)) {
            read_section(scan, &section, bytes);
        }
    }
}

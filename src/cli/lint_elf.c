// lint_elf.c: the ELF reader. What the readers of single items rely on, the checks at the top of lint_elf_open and below have established.
#include "lint_elf.h"

#include <inttypes.h>
#include <string.h>

enum { HEADER_SIZE_32 = 52, HEADER_SIZE_64 = 64 };

static uint64_t number_at(const LintElf *elf, uint64_t offset, uint32_t bytes)
{
    uint64_t value = 0;
    for (uint32_t i = 0; i < bytes; i++) {
        uint32_t from = elf->is_big ? i : bytes - 1 - i;
        value = value << 8 | elf->data[offset + from];
    }
    return value;
}

// The fields of ELF's structs lie at other places in 32 and 64 bits, and the wide ones have 4 or 8 bytes.
static uint64_t wide_at(const LintElf *elf, uint64_t at, uint32_t offset_32, uint32_t offset_64)
{
    return elf->is_64 ? number_at(elf, at + offset_64, 8) : number_at(elf, at + offset_32, 4);
}

static uint32_t half_at(const LintElf *elf, uint64_t at, uint32_t offset_32, uint32_t offset_64)
{
    return (uint32_t)number_at(elf, at + (elf->is_64 ? offset_64 : offset_32), 2);
}

uint64_t lint_elf_word(const LintElf *elf, const uint8_t *bytes)
{
    return number_at(elf, (uint64_t)(bytes - elf->data), elf->is_64 ? 8 : 4);
}

bool lint_elf_is(const uint8_t *data, size_t size)
{
    return size >= 4 && memcmp(data, "\177ELF", 4) == 0;
}

static LintSection raw_section(const LintElf *elf, uint32_t index)
{
    uint64_t    at = elf->headers + (uint64_t)index * elf->header_size;
    LintSection section = {
        .index = index,
        .type = (uint32_t)number_at(elf, at + 4, 4),
        .flags = wide_at(elf, at, 8, 8),
        .address = wide_at(elf, at, 12, 16),
        .offset = wide_at(elf, at, 16, 24),
        .size = wide_at(elf, at, 20, 32),
        .link = (uint32_t)number_at(elf, at + (elf->is_64 ? 40 : 24), 4),
        .info = (uint32_t)number_at(elf, at + (elf->is_64 ? 44 : 28), 4),
        .item_size = wide_at(elf, at, 36, 56),
        .name = "",
    };
    return section;
}

// A text in a section of strings, which ends with a zero: lint_elf_open has looked.
static const char *text_in(const LintElf *elf, uint32_t strings, uint64_t offset)
{
    if (strings == 0 || strings >= elf->section_count) {
        return "";
    }
    LintSection section = raw_section(elf, strings);
    if (section.type != LINT_SECTION_STRINGS || offset >= section.size) {
        return "";
    }
    return (const char *)elf->data + section.offset + offset;
}

LintSection lint_elf_section(const LintElf *elf, uint32_t index)
{
    LintSection section = raw_section(elf, index);
    section.name = text_in(elf, elf->names, number_at(elf, elf->headers + (uint64_t)index * elf->header_size, 4));
    return section;
}

const uint8_t *lint_elf_bytes(const LintElf *elf, const LintSection *section)
{
    bool is_there = section->type != LINT_SECTION_EMPTY && section->type != 0 && (section->flags & LINT_FLAG_COMPRESSED) == 0;
    return is_there && section->size > 0 ? elf->data + section->offset : NULL;
}

static uint32_t item_size_of(const LintElf *elf, uint32_t type)
{
    switch (type) {
    case LINT_SECTION_SYMBOLS:
    case LINT_SECTION_DYNAMIC_SYMBOLS: return elf->is_64 ? 24 : 16;
    case LINT_SECTION_RELA: return elf->is_64 ? 24 : 12;
    case LINT_SECTION_REL: return elf->is_64 ? 16 : 8;
    case LINT_SECTION_INDICES: return 4;
    default: return 0;
    }
}

uint32_t lint_elf_count(const LintElf *elf, const LintSection *section)
{
    uint32_t item = item_size_of(elf, section->type);
    return item == 0 ? 0 : (uint32_t)(section->size / item);
}

// A symbol's section has 16 bits; in a file with more sections a table beside the symbols has the rest.
static uint32_t index_elsewhere(const LintElf *elf, uint32_t symbols, uint32_t index)
{
    LintSection table = raw_section(elf, elf->indices);
    bool        is_theirs = elf->indices != 0 && table.link == symbols && index < table.size / 4;
    return is_theirs ? (uint32_t)number_at(elf, table.offset + (uint64_t)index * 4, 4) : LINT_INDEX_UNDEFINED;
}

LintSymbol lint_elf_symbol(const LintElf *elf, const LintSection *symbols, uint32_t index)
{
    uint64_t at = symbols->offset + (uint64_t)index * item_size_of(elf, symbols->type);
    uint32_t info = elf->data[at + (elf->is_64 ? 4 : 12)];
    uint32_t section = half_at(elf, at, 14, 6);
    return (LintSymbol){
        .name = text_in(elf, symbols->link, number_at(elf, at, 4)),
        .value = wide_at(elf, at, 4, 8),
        .size = wide_at(elf, at, 8, 16),
        .section = section == LINT_INDEX_ELSEWHERE ? index_elsewhere(elf, symbols->index, index) : section,
        .type = info & 15,
        .is_local = info >> 4 == 0,
        .is_weak = info >> 4 == 2,
    };
}

LintRelocation lint_elf_relocation(const LintElf *elf, const LintSection *relocations, uint32_t index)
{
    uint64_t at = relocations->offset + (uint64_t)index * item_size_of(elf, relocations->type);
    uint64_t info = wide_at(elf, at, 4, 8);
    return (LintRelocation){
        .offset = wide_at(elf, at, 0, 0),
        .symbol = (uint32_t)(elf->is_64 ? info >> 32 : info >> 8),
        .type = (uint32_t)(elf->is_64 ? info & 0xffffffff : info & 0xff),
        .addend = relocations->type == LINT_SECTION_RELA ? wide_at(elf, at, 8, 16) : 0,
    };
}

static bool refuse(tp_error *error, uint64_t offset, const char *what)
{
    return tp_error_set(error, "offset %" PRIu64 ": %s", offset, what);
}

static bool read_head(LintElf *elf, tp_error *error)
{
    const uint8_t *head = elf->data;
    if (elf->size < HEADER_SIZE_32 || !lint_elf_is(elf->data, elf->size)) {
        return refuse(error, 0, "no ELF header");
    }
    if (head[4] != 1 && head[4] != 2) {
        return refuse(error, 4, "neither 32 nor 64 bits");
    }
    if (head[5] != 1 && head[5] != 2) {
        return refuse(error, 5, "neither little- nor big-endian");
    }
    elf->is_64 = head[4] == 2;
    elf->is_big = head[5] == 2;
    if (elf->size < HEADER_SIZE_64 && elf->is_64) {
        return refuse(error, elf->size, "the header is cut off");
    }
    elf->kind = (uint32_t)number_at(elf, 16, 2);
    elf->machine = (uint32_t)number_at(elf, 18, 2);
    if (elf->kind < LINT_OBJECT_FILE || elf->kind > LINT_LIBRARY) {
        return refuse(error, 16, "neither an object file, a library nor a program");
    }
    return true;
}

// With 0xff00 sections or more, their number stands in the first one's size, and the names' number in its link.
static bool read_section_count(LintElf *elf, tp_error *error)
{
    uint32_t at = elf->is_64 ? 58 : 46;
    elf->headers = wide_at(elf, 0, 32, 40);
    elf->header_size = (uint32_t)number_at(elf, at, 2);
    if (elf->headers == 0) {
        return refuse(error, elf->is_64 ? 40 : 32, "no section headers; they were stripped, give the file as it was linked");
    }
    if (elf->header_size < (elf->is_64 ? 64U : 40U)) {
        return refuse(error, at, "section headers are too small");
    }
    if (elf->headers > elf->size || elf->size - elf->headers < elf->header_size) {
        return refuse(error, elf->is_64 ? 40 : 32, "section headers lie outside of the file");
    }
    uint64_t count = number_at(elf, at + 2, 2);
    elf->names = (uint32_t)number_at(elf, at + 4, 2);
    LintSection first = raw_section(elf, 0);
    count = count == 0 ? first.size : count;
    elf->names = elf->names == LINT_INDEX_ELSEWHERE ? first.link : elf->names;
    if (count == 0 || count > LINT_SECTIONS_MAX || count > (elf->size - elf->headers) / elf->header_size) {
        return refuse(error, at + 2, "the number of sections does not fit the file");
    }
    elf->section_count = (uint32_t)count;
    return true;
}

static bool check_items(const LintElf *elf, const LintSection *section, uint64_t at, tp_error *error)
{
    uint32_t item = item_size_of(elf, section->type);
    if (item == 0) {
        return true;
    }
    if (section->size % item != 0 || (section->item_size != item && section->item_size != 0)) {
        return refuse(error, at, "a section of symbols or relocations has items of another size");
    }
    if (section->size / item > LINT_SYMBOLS_MAX) {
        return refuse(error, at, "more than 16777216 symbols or relocations");
    }
    return true;
}

static bool check_section(const LintElf *elf, uint32_t index, uint64_t *total, tp_error *error)
{
    LintSection section = raw_section(elf, index);
    uint64_t    at = elf->headers + (uint64_t)index * elf->header_size;
    if (section.type == LINT_SECTION_EMPTY || section.type == 0) {
        return true;
    }
    if (section.offset > elf->size || section.size > elf->size - section.offset) {
        return refuse(error, at, "a section lies outside of the file");
    }
    // Sections do not share bytes: a file that says so would make its readers work without bound.
    *total += section.size;
    if (*total > elf->size) {
        return refuse(error, at, "sections overlap");
    }
    if (section.type == LINT_SECTION_STRINGS && section.size > 0 && elf->data[section.offset + section.size - 1] != 0) {
        return refuse(error, section.offset + section.size - 1, "a table of strings has no end");
    }
    return check_items(elf, &section, at, error);
}

bool lint_elf_open(LintElf *elf, const uint8_t *data, size_t size, tp_error *error)
{
    uint64_t total = 0;
    *elf = (LintElf){ .data = data, .size = size };
    if (!read_head(elf, error) || !read_section_count(elf, error)) {
        return false;
    }
    for (uint32_t i = 1; i < elf->section_count; i++) {
        if (!check_section(elf, i, &total, error)) {
            return false;
        }
        elf->indices = raw_section(elf, i).type == LINT_SECTION_INDICES ? i : elf->indices;
    }
    return true;
}

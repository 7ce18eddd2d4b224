// lint_archive.c: reading `ar` archives: 60 bytes of text before each member. Names are short ones with a slash at their end, GNU's "/N"
// into the member "//", or BSD's "#1/N", whose name lies before the member's bytes.
#include "lint_archive.h"

#include <inttypes.h>
#include <string.h>

enum { MAGIC_SIZE = 8, HEADER_SIZE = 60, NAME_SIZE = 16 };

bool lint_archive_is(const uint8_t *data, size_t size)
{
    return size >= MAGIC_SIZE && (memcmp(data, "!<arch>\n", MAGIC_SIZE) == 0 || memcmp(data, "!<thin>\n", MAGIC_SIZE) == 0);
}

void lint_archive_open(LintArchive *archive, const uint8_t *data, size_t size)
{
    *archive = (LintArchive){ .data = data, .size = size, .at = MAGIC_SIZE, .is_thin = data[2] == 't' };
}

// A decimal that fills its field up with spaces.
static bool read_decimal(const uint8_t *field, size_t size, uint64_t *value)
{
    size_t digits = 0;
    *value = 0;
    for (; digits < size && field[digits] >= '0' && field[digits] <= '9'; digits++) {
        *value = *value * 10 + (uint64_t)(field[digits] - '0');
    }
    for (size_t i = digits; i < size; i++) {
        if (field[i] != ' ') {
            return false;
        }
    }
    return digits > 0;
}

static bool take_name(LintMember *member, const void *text, size_t size)
{
    if (size == 0 || size >= sizeof(member->name) || memchr(text, 0, size) != NULL) {
        return false;
    }
    memcpy(member->name, text, size);
    member->name[size] = '\0';
    return true;
}

static bool take_long_name(const LintArchive *archive, LintMember *member, const uint8_t *field)
{
    uint64_t offset;
    size_t   digits = strspn((const char *)field + 1, "0123456789"); // a header has more bytes than its name, and no end among the digits
    if (digits >= NAME_SIZE - 1 || !read_decimal(field + 1, digits, &offset) || offset >= archive->long_names_size) {
        return false;
    }
    const char *name = archive->long_names + offset;
    const char *end = memchr(name, '\n', archive->long_names_size - (size_t)offset);
    if (end == NULL) {
        return false;
    }
    size_t size = (size_t)(end - name);
    return take_name(member, name, size > 0 && name[size - 1] == '/' ? size - 1 : size);
}

static bool take_short_name(LintMember *member, const uint8_t *field)
{
    size_t size = NAME_SIZE;
    while (size > 0 && field[size - 1] == ' ') {
        size--;
    }
    return take_name(member, field, size > 1 && field[size - 1] == '/' ? size - 1 : size);
}

static bool take_inner_name(LintMember *member, const uint8_t *field)
{
    uint64_t size;
    if (!read_decimal(field + 3, NAME_SIZE - 3, &size) || size > member->size || !take_name(member, member->data, (size_t)size)) {
        return false;
    }
    member->data += size;
    member->size -= (size_t)size;
    return true;
}

static bool is_symbol_table(const uint8_t *field)
{
    return memcmp(field, "/               ", NAME_SIZE) == 0 || memcmp(field, "/SYM64/         ", NAME_SIZE) == 0 || memcmp(field, "__.SYMDEF", 9) == 0;
}

static bool read_name(LintArchive *archive, LintMember *member, const uint8_t *field)
{
    if (field[0] == '/') {
        return take_long_name(archive, member, field);
    }
    if (memcmp(field, "#1/", 3) == 0 && !archive->is_thin) {
        return take_inner_name(member, field);
    }
    return take_short_name(member, field);
}

static LintMembers broken(const LintArchive *archive, tp_error *error, const char *what)
{
    tp_error_set(error, "offset %zu: %s", archive->at, what);
    return LINT_MEMBERS_BROKEN;
}

LintMembers lint_archive_next(LintArchive *archive, LintMember *member, tp_error *error)
{
    while (archive->at < archive->size) {
        const uint8_t *field = archive->data + archive->at;
        uint64_t       size;
        if (archive->size - archive->at < HEADER_SIZE) {
            return broken(archive, error, "an archive member's header is cut off");
        }
        if (field[58] != '`' || field[59] != '\n' || !read_decimal(field + 48, 10, &size)) {
            return broken(archive, error, "no archive member's header");
        }
        bool is_names = memcmp(field, "//              ", NAME_SIZE) == 0;
        bool is_table = is_names || is_symbol_table(field);
        bool has_bytes = is_table || !archive->is_thin;
        if (has_bytes && size > archive->size - archive->at - HEADER_SIZE) {
            return broken(archive, error, "an archive member lies outside of the file");
        }
        *member = (LintMember){ .data = has_bytes ? field + HEADER_SIZE : NULL, .size = (size_t)size, .offset = archive->at };
        if (is_names) {
            archive->long_names = (const char *)member->data;
            archive->long_names_size = member->size;
        } else if (!is_table && !read_name(archive, member, field)) {
            return broken(archive, error, "an archive member's name is damaged");
        }
        archive->at += HEADER_SIZE + (has_bytes ? (size_t)size + (size & 1) : 0); // members start at even offsets
        if (!is_table && strncmp(member->name, "__.SYMDEF", 9) != 0) {
            return LINT_MEMBER;
        }
    }
    return LINT_MEMBERS_END;
}

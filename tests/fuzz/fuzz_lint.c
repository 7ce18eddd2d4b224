// fuzz_lint.c: foreign bytes as an ELF file or an archive of them. Whatever can be opened is scanned twice with the same result, with all
// places inside of the file, and with every text ended.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lint_archive.h"
#include "lint_scan.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define REQUIRE(condition)                                                 \
    do {                                                                   \
        if (!(condition)) {                                                \
            fprintf(stderr, "fuzz_lint: %s does not hold\n", #condition);  \
            abort();                                                       \
        }                                                                  \
    } while (0)

enum { MEMBERS_MAX = 16 };

static void check_finding(const LintFinding *finding, size_t size)
{
    REQUIRE(finding->kind < LINT_KIND_COUNT && finding->level <= LINT_ERROR);
    REQUIRE(memchr(finding->symbol, 0, sizeof(finding->symbol)) != NULL);
    REQUIRE(memchr(finding->what, 0, sizeof(finding->what)) != NULL);
    REQUIRE(memchr(finding->place, 0, sizeof(finding->place)) != NULL);
    // A relocation may claim any place in its section: only what was read lies in the file.
    REQUIRE(finding->offset < size || strcmp(finding->what, "import") == 0);
}

static void check_elf(const uint8_t *data, size_t size)
{
    LintElf    elf;
    LintNames  names = { 0 };
    LintObject one, two;
    tp_error   error = { { 0 } };
    if (!lint_elf_open(&elf, data, size, &error)) {
        REQUIRE(strncmp(error.text, "offset ", 7) == 0);
        return;
    }
    REQUIRE(lint_names_add(&names, &elf));
    lint_names_sort(&names);
    REQUIRE(lint_scan(&elf, NULL, &one) && lint_scan(&elf, NULL, &two));
    REQUIRE(one.count == two.count && one.count <= LINT_FINDINGS_MAX && one.dropped == two.dropped && one.code_size <= size);
    for (size_t i = 0; i < one.count; i++) {
        check_finding(&one.findings[i], size);
        REQUIRE(memcmp(&one.findings[i], &two.findings[i], sizeof(LintFinding)) == 0);
    }
    lint_object_finish(&one);
    lint_object_finish(&two);
    REQUIRE(lint_scan(&elf, &names, &one)); // what the file itself defines is no import
    lint_object_finish(&one);
    lint_names_finish(&names);
}

static void check_archive(const uint8_t *data, size_t size)
{
    LintArchive archive;
    LintMember  member;
    tp_error    error = { { 0 } };
    lint_archive_open(&archive, data, size);
    for (int i = 0; i < MEMBERS_MAX; i++) {
        LintMembers result = lint_archive_next(&archive, &member, &error);
        if (result != LINT_MEMBER) {
            REQUIRE(result == LINT_MEMBERS_END || strncmp(error.text, "offset ", 7) == 0);
            return;
        }
        REQUIRE(member.name[0] != '\0' && memchr(member.name, 0, sizeof(member.name)) != NULL && member.offset < size);
        if (member.data != NULL) {
            REQUIRE(member.data >= data && member.size <= size - (size_t)(member.data - data));
            uint8_t *copy = malloc(member.size + 1); // so that reading past its end is seen
            REQUIRE(copy != NULL);
            memcpy(copy, member.data, member.size);
            check_elf(copy, member.size);
            free(copy);
        }
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (lint_archive_is(data, size)) {
        check_archive(data, size);
    } else {
        check_elf(data, size);
    }
    return 0;
}

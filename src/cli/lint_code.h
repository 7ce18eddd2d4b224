// lint_code.h: machine code as instructions, through the disassembler library where the build had it. Only this knows the library.
#pragma once

#include "lint_elf.h"

typedef struct LintInstruction {
    uint64_t    address;
    uint32_t    size;
    bool        is_unread; ///< bytes that are no instruction
    const char *mnemonic, *operands; ///< until the next one
} LintInstruction;

typedef struct LintCode LintCode;

/// NULL: `why` says what cannot be done (256 bytes): no library in this build, or a machine that it does not know.
LintCode *lint_code_create(const LintElf *elf, char why[256]);
void      lint_code_destroy(LintCode *code);

/// Each instruction of a run of bytes. `is_thumb` counts on ARM alone.
void lint_code_read(LintCode *code, const uint8_t *bytes, size_t size, uint64_t address, bool is_thumb,
                    void (*each)(void *to, const LintInstruction *instruction), void *to);

/// "x86-64" and the like; "machine 94" for one without a name here (`text` has 32 bytes).
const char *lint_code_machine_name(uint32_t machine, char text[32]);

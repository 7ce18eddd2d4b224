// lint_code.c: the disassembler, capstone, behind lint_code.h. A build without it reads symbols alone and says so.
#include "lint_code.h"

#include <stdio.h>
#include <stdlib.h>

static const struct {
    uint32_t    machine;
    const char *name;
} machines[] = {
    { LINT_X86, "i386" }, { LINT_X86_64, "x86-64" }, { LINT_AARCH64, "aarch64" }, { LINT_ARM, "arm" }, { LINT_S390, "s390x" },
    { LINT_PPC64, "ppc64" }, { LINT_RISCV, "riscv" }, { 8, "mips" }, { 258, "loongarch" },
};

const char *lint_code_machine_name(uint32_t machine, char text[32])
{
    for (size_t i = 0; i < sizeof(machines) / sizeof(machines[0]); i++) {
        if (machines[i].machine == machine) {
            return machines[i].name;
        }
    }
    snprintf(text, 32, "machine %u", machine);
    return text;
}

#ifdef TP_HAVE_CAPSTONE

#include <capstone/capstone.h>

struct LintCode {
    csh      handle;
    bool     is_arm;
    cs_insn *instruction;
};

static bool library_mode(const LintElf *elf, cs_arch *arch, cs_mode *mode)
{
    switch (elf->machine) {
    case LINT_X86: *arch = CS_ARCH_X86, *mode = CS_MODE_32; return !elf->is_big;
    case LINT_X86_64: *arch = CS_ARCH_X86, *mode = CS_MODE_64; return !elf->is_big;
    case LINT_AARCH64: *arch = CS_ARCH_ARM64, *mode = CS_MODE_LITTLE_ENDIAN; return true; // instructions are little-endian in any case
    case LINT_ARM: *arch = CS_ARCH_ARM, *mode = CS_MODE_ARM; return !elf->is_big;
    case LINT_S390: *arch = CS_ARCH_SYSZ, *mode = CS_MODE_BIG_ENDIAN; return elf->is_big;
    default: return false;
    }
}

LintCode *lint_code_create(const LintElf *elf, char why[256])
{
    cs_arch arch = CS_ARCH_X86;
    cs_mode mode = CS_MODE_LITTLE_ENDIAN;
    char    text[32];
    if (!library_mode(elf, &arch, &mode) || !cs_support((int)arch)) {
        snprintf(why, 256, "instructions of %s are not known here, so only symbols were looked at; lint a build for x86-64, i386, aarch64, arm or s390x, too",
                 lint_code_machine_name(elf->machine, text));
        return NULL;
    }
    LintCode *code = calloc(1, sizeof(*code));
    if (code == NULL || cs_open(arch, mode, &code->handle) != CS_ERR_OK) {
        free(code);
        snprintf(why, 256, "the disassembler did not start, so only symbols were looked at");
        return NULL;
    }
    cs_option(code->handle, CS_OPT_SKIPDATA, CS_OPT_ON);
    code->is_arm = elf->machine == LINT_ARM;
    code->instruction = cs_malloc(code->handle);
    if (code->instruction == NULL) {
        lint_code_destroy(code);
        snprintf(why, 256, "out of memory");
        return NULL;
    }
    return code;
}

void lint_code_destroy(LintCode *code)
{
    if (code == NULL) {
        return;
    }
    if (code->instruction != NULL) {
        cs_free(code->instruction, 1);
    }
    cs_close(&code->handle);
    free(code);
}

void lint_code_read(LintCode *code, const uint8_t *bytes, size_t size, uint64_t address, bool is_thumb,
                    void (*each)(void *to, const LintInstruction *instruction), void *to)
{
    if (code->is_arm) {
        cs_option(code->handle, CS_OPT_MODE, is_thumb ? CS_MODE_THUMB | CS_MODE_V8 : CS_MODE_ARM | CS_MODE_V8);
    }
    const cs_insn *found = code->instruction;
    while (size > 0 && cs_disasm_iter(code->handle, &bytes, &size, &address, code->instruction)) {
        LintInstruction instruction = { found->address, found->size, found->id == 0, found->mnemonic, found->op_str };
        each(to, &instruction);
    }
    if (size > 0) { // less than the shortest instruction
        LintInstruction rest = { address, (uint32_t)size, true, "", "" };
        each(to, &rest);
    }
}

#else

LintCode *lint_code_create(const LintElf *elf, char why[256])
{
    (void)elf;
    snprintf(why, 256, "this program was built without capstone, so only symbols were looked at and no instruction; build it with libcapstone-dev");
    return NULL;
}

void lint_code_destroy(LintCode *code)
{
    (void)code;
}

void lint_code_read(LintCode *code, const uint8_t *bytes, size_t size, uint64_t address, bool is_thumb,
                    void (*each)(void *to, const LintInstruction *instruction), void *to)
{
    (void)code, (void)bytes, (void)size, (void)address, (void)is_thumb, (void)each, (void)to;
}

#endif

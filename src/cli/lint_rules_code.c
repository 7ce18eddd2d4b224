// lint_rules_code.c: the instructions that break determinism, by the disassembler's names. A star at a name's end stands for any rest. What
// IEEE 754 fixes (add, multiply, divide, square root, conversions) and what only moves numbers is left out.
#include <string.h>

#include "lint_rules.h"

typedef struct {
    LintKind    kind;
    LintLevel   level;
    const char *mnemonics;
    const char *operand; ///< a part of the operands that must be there; NULL: any
} CodeRule;

static const CodeRule x86_rules[] = {
    { LINT_KIND_FMA, LINT_ERROR, "vfmadd* vfmsub* vfnmadd* vfnmsub* v4fmadd* v4fnmadd*", NULL },
    { LINT_KIND_X87, LINT_ERROR,
      "fadd faddp fiadd fsub fsubp fsubr fsubrp fisub fisubr fmul fmulp fimul fdiv fdivp fdivr fdivrp fidiv fidivr fsqrt fsin fcos fsincos fptan fpatan "
      "f2xm1 fyl2x fyl2xp1 fprem fprem1 frndint fscale fbld fbstp", NULL },
    { LINT_KIND_LONG_DOUBLE, LINT_ERROR, "fld fstp", "xword" },
    { LINT_KIND_APPROXIMATION, LINT_ERROR, "rcpps rcpss rsqrtps rsqrtss vrcp* vrsqrt* pfrcp* pfrsqrt* vexp2p*", NULL },
    { LINT_KIND_CLOCK, LINT_ERROR, "rdtsc rdtscp rdpmc", NULL },
    { LINT_KIND_ENTROPY, LINT_ERROR, "rdrand rdseed", NULL },
    { LINT_KIND_PROCESSOR, LINT_WARNING, "cpuid xgetbv rdpid", NULL },
    { LINT_KIND_FP_MODE, LINT_ERROR, "ldmxcsr vldmxcsr fldcw fldenv frstor fninit finit fxrstor fxrstor64 xrstor xrstor64", NULL },
    { LINT_KIND_SYSTEM, LINT_WARNING, "syscall sysenter", NULL },
    { LINT_KIND_SYSTEM, LINT_WARNING, "int", "0x80" },
};

static const CodeRule aarch64_rules[] = {
    { LINT_KIND_FMA, LINT_ERROR, "fmadd fmsub fnmadd fnmsub fmla fmls fmlal* fmlsl* fcmla bfmla* fmmla bfmmla fmad fmsb fnmad fnmla fnmls fnmsb", NULL },
    { LINT_KIND_APPROXIMATION, LINT_ERROR, "frecpe frsqrte frecpx fexpa ftmad ftsmul ftssel", NULL },
    { LINT_KIND_CLOCK, LINT_ERROR, "mrs", "cntvct" },
    { LINT_KIND_CLOCK, LINT_ERROR, "mrs", "cntpct" },
    { LINT_KIND_CLOCK, LINT_ERROR, "mrs", "pmccntr" },
    { LINT_KIND_ENTROPY, LINT_ERROR, "mrs", "rndr" },
    { LINT_KIND_ENTROPY, LINT_ERROR, "mrs", "s3_3_c2_c4_" }, // rndr and rndrrs, where the disassembler has no name for them
    { LINT_KIND_PROCESSOR, LINT_WARNING, "mrs", "id_aa64" },
    { LINT_KIND_PROCESSOR, LINT_WARNING, "mrs", "midr" },
    { LINT_KIND_FP_MODE, LINT_ERROR, "msr", "fpcr" },
    { LINT_KIND_SYSTEM, LINT_WARNING, "svc", NULL },
};

// vmla and vmls round twice and are no fused ones.
static const CodeRule arm_rules[] = {
    { LINT_KIND_FMA, LINT_ERROR, "vfma* vfms* vfnma* vfnms*", NULL },
    { LINT_KIND_APPROXIMATION, LINT_ERROR, "vrecpe* vrsqrte*", NULL },
    { LINT_KIND_CLOCK, LINT_ERROR, "mrrc", "p15" },
    { LINT_KIND_FP_MODE, LINT_ERROR, "vmsr", "fpscr" },
    { LINT_KIND_SYSTEM, LINT_WARNING, "svc", NULL },
};

static const CodeRule s390_rules[] = {
    { LINT_KIND_FMA, LINT_ERROR, "madbr maebr madb maeb msdbr msebr msdb mseb vfma* vfms* vfnma* vfnms* wfma* wfms* wfnma* wfnms* mad mae msd mse madr maer msdr mser", NULL },
    { LINT_KIND_CLOCK, LINT_ERROR, "stck stckf stcke ptff", NULL },
    { LINT_KIND_ENTROPY, LINT_ERROR, "prno ppno", NULL },
    { LINT_KIND_PROCESSOR, LINT_WARNING, "stfle stidp stfl", NULL },
    { LINT_KIND_FP_MODE, LINT_ERROR, "sfpc lfpc sfasr srnm srnmb srnmt lfas", NULL },
    { LINT_KIND_SYSTEM, LINT_WARNING, "svc", NULL },
};

static bool is_one_of(const char *words, const char *mnemonic)
{
    size_t wanted = strlen(mnemonic);
    while (*words != '\0') {
        size_t size = strcspn(words, " ");
        bool   is_open = words[size - 1] == '*';
        if (is_open ? wanted >= size - 1 && memcmp(words, mnemonic, size - 1) == 0 : wanted == size && memcmp(words, mnemonic, size) == 0) {
            return true;
        }
        words += size + strspn(words + size, " ");
    }
    return false;
}

static bool find_rule(const CodeRule *rules, size_t count, const char *mnemonic, const char *operands, LintKind *kind, LintLevel *level)
{
    for (size_t i = 0; i < count; i++) {
        bool is_operand = rules[i].operand == NULL || strstr(operands, rules[i].operand) != NULL;
        if (is_operand && is_one_of(rules[i].mnemonics, mnemonic)) {
            *kind = rules[i].kind;
            *level = rules[i].level;
            return true;
        }
    }
    return false;
}

#define FIND_RULE(rules) find_rule(rules, sizeof(rules) / sizeof((rules)[0]), mnemonic, operands, kind, level)

bool lint_rule_of_instruction(uint32_t machine, const char *mnemonic, const char *operands, LintKind *kind, LintLevel *level)
{
    switch (machine) {
    case LINT_X86:
    case LINT_X86_64: return FIND_RULE(x86_rules);
    case LINT_AARCH64: return FIND_RULE(aarch64_rules);
    case LINT_ARM: return FIND_RULE(arm_rules);
    case LINT_S390: return FIND_RULE(s390_rules);
    default: return false;
    }
}

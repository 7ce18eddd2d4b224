// lint_rules.h: what lint looks for: kinds of trouble, which names and which instructions belong to them, why that matters and what to do.
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "lint_elf.h"

typedef enum LintLevel { LINT_NOTE, LINT_WARNING, LINT_ERROR } LintLevel;

#define LINT_KINDS(X)                                                                                                                                  \
    X(LIBM, "libm", "C libraries and their versions differ in its last bits", "use fixed point (tp_fx, tp_trig), or link one copy of the function into the world") \
    X(FMA, "fma", "a fused multiply-add rounds once where other machines and builds round twice", "compile with -ffp-contract=off")                   \
    X(X87, "x87", "the x87 unit computes with 80 bits, which no other machine does", "compile with -msse2 -mfpmath=sse, and without long double")     \
    X(LONG_DOUBLE, "long-double", "long double has 64, 80 or 128 bits, as the machine has it", "use double or fixed point")                           \
    X(APPROXIMATION, "approximation", "an estimate instruction gives other bits on other processors", "compile without -ffast-math and -mrecip, divide instead") \
    X(FP_MODE, "fp-mode", "it changes rounding or flushes denormals for everything that runs after it in the thread", "compile and link without -ffast-math; let the host set the mode") \
    X(CLOCK, "clock", "it reads a clock, which no replay repeats", "take time from the tick number")                                                  \
    X(ENTROPY, "entropy", "it is random without a seed in the state, or with one in the C library's generator", "use tp_rng with its state in a section") \
    X(LOCALE, "locale", "what it reads or writes depends on the locale, and its digits on the C library", "format integers by hand; parse before the step") \
    X(ENVIRONMENT, "environment", "it asks for the machine's or the process's surroundings", "pass it in the world's configuration")                  \
    X(FILES, "files", "it reads or writes files", "read before init and pass the content, with its hash, in the setup; print from an observer")       \
    X(NETWORK, "network", "it talks to other machines", "let the host take it in, and give it to the step as input or command")                       \
    X(THREADS, "threads", "the order in which threads run is nobody's", "step on one thread, or join results in a fixed order")                       \
    X(SORT, "sort", "the order of equal elements is the library's", "use a stable sort of your own, or break ties in the comparison")                 \
    X(HASH_ORDER, "hash-order", "the order of iteration is the library's, or that of addresses", "iterate over an index or a sorted list")            \
    X(ALLOCATION, "allocation", "memory of its own is no part of a snapshot, and its addresses differ from run to run", "keep all state in sections; an opaque world may --allow it") \
    X(LOADING, "loading", "what it loads is not what is looked at here", "link it into the world")                                                    \
    X(PROCESSOR, "processor", "it chooses its way by what the processor can do", "build for one instruction set, or test that all ways give the same bits") \
    X(SYSTEM, "system", "it talks to the kernel past the C library", "let the host do it")                                                            \
    X(ENDING, "ending", "it ends the process, with all worlds in it", "use tp_fault, which stops the one world")                                      \
    X(STATE, "state", "it can be written and is in no snapshot, so a rollback does not take it back", "move it into a section, or make it const")     \
    X(TLS, "tls", "each thread has its own, no snapshot has it, and hosts move worlds between threads", "move it into a section")                      \
    X(CONSTRUCTOR, "constructor", "it runs when the library is loaded, before any tick and outside of every log", "do it in init")                    \
    X(UNREAD, "unread", "these bytes of code could not be read, so what they do is not known", "look at them with objdump, or lint the objects instead")

#define LINT_KIND_ENUM(name, text, why, advice) LINT_KIND_##name,
typedef enum LintKind { LINT_KINDS(LINT_KIND_ENUM) LINT_KIND_COUNT } LintKind;

typedef struct LintKindText {
    const char *name, *why, *advice;
} LintKindText;

extern const LintKindText lint_kinds[LINT_KIND_COUNT];

/// LINT_KIND_COUNT: no such kind.
LintKind lint_kind_of(const char *name, size_t size);

/// Whether a library's function or variable of this name is to be told. A version behind '@' does not count.
bool lint_rule_of_import(const char *name, LintKind *kind, LintLevel *level);

/// Whether an instruction is to be told, by the disassembler's words for it.
bool lint_rule_of_instruction(uint32_t machine, const char *mnemonic, const char *operands, LintKind *kind, LintLevel *level);

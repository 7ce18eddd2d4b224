// machine.c: what the compiler's own macros say.
#include "machine.h"

const char *machine_architecture(void)
{
#if defined(__x86_64__) && defined(__ILP32__)
    return "x32";
#elif defined(__x86_64__)
    return "x86_64";
#elif defined(__i386__)
    return "i386";
#elif defined(__aarch64__)
    return "aarch64";
#elif defined(__arm__)
    return "arm";
#elif defined(__riscv)
    return "riscv";
#elif defined(__s390x__)
    return "s390x";
#elif defined(__wasm__)
    return "wasm";
#else
    return "unknown";
#endif
}

#define TEXT_OF(number) #number
#define VERSION_OF(major, minor, patch) TEXT_OF(major) "." TEXT_OF(minor) "." TEXT_OF(patch)

const char *machine_compiler(void)
{
#ifdef __clang__
    return "clang " VERSION_OF(__clang_major__, __clang_minor__, __clang_patchlevel__); // its own text may end with a space
#else
    return "gcc " __VERSION__;
#endif
}

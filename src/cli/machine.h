// machine.h: what this program was built for and by, in words that two machines can be told apart by.
#pragma once

/// "x86_64", "aarch64", ...; "unknown" for one that nobody has named yet.
const char *machine_architecture(void);
/// "gcc 12.2.0", "clang 14.0.6".
const char *machine_compiler(void);

// strict.h: what the preloaded library libtickproof-strict.so offers the program that it was loaded before. It stands in front of the C library's
// functions that no step may call. It does nothing until it is told to, and changes nothing but what it is told to.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { STRICT_VERSION = 1, STRICT_FRAMES_MAX = 16, STRICT_CALLS_MAX = 64 };

typedef enum StrictKind {
    STRICT_CLOCK, STRICT_ENTROPY, STRICT_FILES, STRICT_LOCALE, STRICT_ENVIRONMENT, STRICT_ZONE, STRICT_THREADS, STRICT_PROCESS, STRICT_MEMORY,
    STRICT_KINDS,
} StrictKind;

/// All calls of one function inside steps.
typedef struct StrictCall {
    StrictKind kind;
    char       function[32];
    char       detail[96]; ///< a path, a name; of the first call
    uint64_t   tick;       ///< of the first call
    uint64_t   count;
    uint32_t   frame_count;
    void      *frames[STRICT_FRAMES_MAX]; ///< of the first call, the caller first
} StrictCall;

typedef struct StrictSettings {
    bool     notes;           ///< calls inside a step are kept
    bool     traps_counter;   ///< the processor's time stamp counter, too, where that is possible
    int64_t  clock_shift_s;   ///< of every clock but the processor's time
    bool     is_clock_frozen;
    bool     is_entropy_fixed;
    bool     delays_threads;
    uint64_t schedule_seed;
} StrictSettings;

/// The value of the symbol. Functions are called from the host's own code; enter and leave by each thread for itself.
typedef struct StrictInterface {
    uint32_t version;
    void   (*set)(const StrictSettings *settings);
    void   (*enter)(uint64_t tick);
    void   (*leave)(void);
    /// After the last step: borrowed until the process ends.
    size_t (*calls)(const StrictCall **calls);
    bool   (*traps_counter)(void); ///< it could be had
} StrictInterface;

#define STRICT_SYMBOL "tickproof_strict_interface"
extern const StrictInterface tickproof_strict_interface;

// plot_scan.h: what a plot must know before the first tick is drawn: how far the log goes, where its keyframes, gaps and end are, and
// what it says about itself. A pass that only reads.
#pragma once

#include "tickproof/replay.h"

enum { PLOT_KEYS_MAX = 512, PLOT_GAPS_MAX = 64, PLOT_SLOT_NAME_SIZE = 96 };

typedef struct {
    bool          has_ident;
    uint32_t      rate, players;
    uint64_t      first_tick, next_tick; ///< states from first_tick to next_tick, by steps done
    uint64_t      key_count;
    uint64_t      keys[PLOT_KEYS_MAX];   ///< every key_stride-th
    uint32_t      kept_keys, key_stride;
    uint64_t      gap_count;             ///< that reach into the window
    tp_log_gap    gaps[PLOT_GAPS_MAX];   ///< the first ones of those
    bool          has_end;
    tp_end_reason end_reason;
    tp_log_status status;                ///< DONE, or what stopped the reading
    char          match[PLOT_SLOT_NAME_SIZE];                    ///< empty: not given
    char          slot_names[TP_PLAYERS_MAX][PLOT_SLOT_NAME_SIZE]; ///< the same
} PlotScan;

/// `from`, `to`: first and last tick of the window. False: out of memory. A log that cannot be read has what could be.
bool plot_scan_log(const tp_source *source, uint64_t from, uint64_t to, PlotScan *scan);

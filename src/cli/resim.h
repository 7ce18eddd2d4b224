// resim.h: an open log, its world when that is here, and a sim that follows the recorded rows. For commands that show
// what is in a log; whether it is right is verify's question, so chain and signatures are not looked at.
#pragma once

#include "files.h"
#include "tickproof/verify.h"
#include "worlds.h"

typedef enum {
    RESIM_ROW,    ///< a row was read, and stepped when there is a sim
    RESIM_FAULT,  ///< the same for the row that the recorded step faulted on; nothing comes after it
    RESIM_END,    ///< END was read
    RESIM_FAILED, ///< `code` says what for the exit code; said so on standard error
} ResimResult;

typedef struct {
    const char     *path;
    LogFile         file;
    tp_reader      *reader;
    const tp_ident *ident;
    const tp_world *world; ///< NULL: not here, or not the recorder's
    tp_sim         *sim;   ///< NULL until resim_make_sim
    bool            checks_roots;
    bool            is_started, is_after_gap;
    bool            has_rows, is_fault_record;
    tp_log_rows     rows;
    int             code;
} Resim;

/// Opens a log and reads its IDENT. False: said so, `code` is set. Finish it in any case.
bool resim_open(Resim *resim, const char *path);
void resim_finish(Resim *resim);

/// Finds the world that made the log: same name, revision and rules. False with the reason, nothing said.
bool resim_find_world(Resim *resim, WorldSet *worlds, tp_error *error);
/// The same, then a sim that will step the rows from the first on. False: said so.
bool resim_make_sim(Resim *resim, WorldSet *worlds);

/// Reads the next row, and steps it when there is a sim. With `checks_roots` a root that is not the recorded one fails
/// with TP_DIVERGED.
ResimResult resim_next(Resim *resim, tp_log_row *row);

/// Puts the sim at the state with `tick` steps done, from the nearest KEY. Before the first resim_next only. False: said so.
bool resim_go_to(Resim *resim, uint64_t tick);

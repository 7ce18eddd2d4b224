// room_check.h: holds a running world against the log that it is fed from, record by record, in the verifier's words: first
// the keyframe, then every tick's root, LEAVES, KEY, FAULT and END. It reads and steps nothing.
//
// The first bad tick latches. The room then goes on to the next LEAVES or KEY, at most SERVER_LOCATE_TICKS, to name the
// section, and is over.
#pragma once

#include "server_limits.h"
#include "tickproof/verify.h"

typedef struct RoomCheck {
    tp_report *report; ///< what is found goes here
    tp_sim    *sim;    ///< borrowed; NULL until there is one
    bool       has_finding;
    bool       is_locating;
    uint64_t   locate_end;
    bool       is_after_gap;
    bool       is_unproven; ///< a part was taken from a keyframe that nothing here proves

    // The last row, for holding LEAVES, KEY and END against it.
    bool     has_last, is_last_checked, is_last_with_root;
    uint64_t last_tick;
    uint32_t last_root_size; ///< 0: it carried none
    uint64_t *leaves;        ///< scratch of leaves_capacity, taken by room_check_begin
    uint32_t  leaves_capacity;
    uint8_t  *state;         ///< scratch of tp_sim_encoded_max bytes
} RoomCheck;

/// Empties the report. `finish` frees the scratch; a zeroed check is fine.
void room_check_init(RoomCheck *check, tp_report *report);
void room_check_finish(RoomCheck *check);

/// Fills the report's head from IDENT and makes the world. NULL with an INCOMPATIBLE or INTERNAL finding.
tp_sim *room_check_make_sim(RoomCheck *check, const tp_ident *ident,
                            const tp_world *(*find_world)(void *to, const char *name, uint32_t revision), void *find_to);

/// The log's first KEY. False when the world has no state to go on from.
bool room_check_start(RoomCheck *check, const tp_log_record *record, const tp_ident *ident);
/// A later KEY. After a GAP its state becomes the world's; false when it is none.
bool room_check_key(RoomCheck *check, const tp_log_record *record);
void room_check_leaves(RoomCheck *check, const tp_log_record *record);
/// A row of TICKS, after its step. FAULTED and REFUSED are findings.
void room_check_row(RoomCheck *check, const tp_log_row *row, uint64_t offset, tp_sim_status status, const tp_error *error);
/// The row of FAULT, after its step. `root` is the record's fault root.
void room_check_fault(RoomCheck *check, const tp_log_row *row, const uint8_t *root, uint64_t offset, tp_sim_status status,
                      const tp_error *error);
void room_check_gap(RoomCheck *check, const tp_log_record *record);
void room_check_end(RoomCheck *check, const tp_log_record *record);

/// Nothing more is to be learned: the room stops reading.
bool room_check_is_over(const RoomCheck *check);

/// The verdict, once reading has ended with `status` (OK: the room stopped before the end). `stopped`: somebody asked it to.
void room_check_conclude(RoomCheck *check, const tp_reader *reader, tp_log_status status, bool stopped);

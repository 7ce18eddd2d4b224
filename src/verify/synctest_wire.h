// synctest_wire.h: what goes to another process and what comes back. Both ends are this very build, so there are no versions; the answer
// is still read as foreign bytes, since the process that gave it may be out of its mind.
//
//   request   u32 magic, u32 rows, u64 tick, u64 input leaf, u64 event leaf, u64 state size, u32 guess size (0: none), state,
//             marks of the straight run (rows + 1: the restored state's, then one a row), guess (a row to step and
//             go back from before anything else), then per row u32 size, bytes
//   answer    u32 magic, u32 marks, u16 size and text of a refusal (0: none), marks (of the restored state, then of each row stepped, up to
//             the first that differs), then the last of these states: u64 tick, u64 input leaf, u64 event leaf, u8 has events,
//             u32 size and events, u64 size and state, u64 size and rest
//   mark      root (16), u64 hash of the state, u64 hash of the rest, u32 fault code
#pragma once

#include "synctest_internal.h"

#define SYNC_WIRE_REQUEST UINT32_C(0x51535054) // "TPSQ"
#define SYNC_WIRE_ANSWER UINT32_C(0x41535054)  // "TPSA"
enum { SYNC_WIRE_MARK = 36, SYNC_WIRE_REQUEST_HEAD = 44, SYNC_WIRE_ANSWER_HEAD = 10 };

static inline void sync_wire_put_mark(uint8_t *bytes, const SyncMark *mark)
{
    memcpy(bytes, mark->root, 16);
    bytes_put_u64(bytes + 16, mark->state_hash);
    bytes_put_u64(bytes + 24, mark->rest_hash);
    bytes_put_u32(bytes + 32, mark->fault_code);
}

static inline SyncMark sync_wire_get_mark(const uint8_t *bytes)
{
    SyncMark mark = { .state_hash = bytes_get_u64(bytes + 16), .rest_hash = bytes_get_u64(bytes + 24), .fault_code = bytes_get_u32(bytes + 32) };
    memcpy(mark.root, bytes, 16);
    return mark;
}

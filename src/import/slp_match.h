// slp_match.h: a .slp recording as plain pads: who played what, and what every pad did in every frame. From bytes in memory to memory of
// the caller; no files, no floating point, no allocation. What is read and by which rules: README.md.
#pragma once

#include "slp_events.h"
#include "slp_pad.h"

enum {
    SLP_PORTS       = 4,
    SLP_FRAME_FIRST = -123,
    SLP_PLAYERS_MIN = 2,
    SLP_NAME_SIZE   = 128, ///< bytes of a name in UTF-8, its zero included
};

typedef enum {
    SLP_PLAYER_HUMAN = 0,
    SLP_PLAYER_CPU   = 1,
    SLP_PLAYER_DEMO  = 2,
    SLP_PLAYER_NONE  = 3,
} SlpPlayerType;

typedef struct {
    SlpPlayerType type;
    uint8_t       character; ///< external id
    uint8_t       stocks;
    char          name[SLP_NAME_SIZE]; ///< as shown online; empty where the file has none
    char          code[SLP_NAME_SIZE]; ///< how to be reached online
    char          tag[SLP_NAME_SIZE];  ///< typed in at the machine
} SlpPlayer;

/// Pads by port. Who has no pre-frame event is not present, and its pad is zero.
typedef struct {
    SlpPad  pads[SLP_PORTS];
    uint8_t present; ///< bit per port
} SlpFrame;

typedef struct {
    uint8_t   version[3];
    uint16_t  stage;
    uint32_t  timer_s;
    uint32_t  seed; ///< of the game's own generator
    bool      is_teams;
    SlpPlayer players[SLP_PORTS]; ///< by port
    uint32_t  player_count;
    char      match_id[SLP_NAME_SIZE];
    char      start_at[SLP_NAME_SIZE]; ///< ISO 8601, as the recorder wrote it
    char      played_on[SLP_NAME_SIZE];
    // How it ended.
    uint64_t  frame_count;     ///< frames given
    uint64_t  rewritten_count; ///< frames that a rollback wrote again
    uint64_t  unfinal_count;   ///< frames at the end that were never final, and are not given
    bool      has_game_end;
    bool      is_cut;          ///< the file ends early, at `cut_offset`
    size_t    cut_offset;
} SlpMatch;

/// How many frames there can be at most in so many bytes: what to take memory for.
size_t slp_match_frames_max(size_t file_size);

/// Reads it all. True: `match` and its frames are good, of a cut file those that are whole; there may be none. False: refused, `match` and
/// `frames` are worth nothing. `capacity` is at least slp_match_frames_max of the size.
bool slp_match_read(const uint8_t *file, size_t size, SlpFrame *frames, size_t capacity, SlpMatch *match, SlpRefusal *refusal);

// slp_frames.h: puts frames together from events: rollbacks, followers, who is gone, what is whole when a file ends.
#pragma once

#include "slp_match.h"

typedef struct {
    SlpMatch  *match;
    SlpFrame  *frames;
    size_t     capacity;
    size_t     count;         ///< frames begun, the current one included
    size_t     frame_offset;  ///< in the file: the first event of the current frame
    bool       has_bookends;  ///< the version closes each frame with an event
    bool       is_closed;     ///< the current frame was
    bool       is_announced;  ///< a frame start came, and no pre-frame event since
    int32_t    announced;
    bool       has_final;     ///< the version says which frames are final
    int32_t    final;
    bool       is_over;       ///< game end
} SlpFrames;

void slp_frames_init(SlpFrames *assembly, SlpMatch *match, SlpFrame *frames, size_t capacity, bool has_bookends);
/// One event after the game start. False: refused.
bool slp_frames_take(SlpFrames *assembly, const SlpEvent *event, SlpRefusal *refusal);
/// The events are over. Fills the match's counts. False: refused.
bool slp_frames_finish(SlpFrames *assembly, SlpRefusal *refusal);

// slp_frames.c: frames come in order, -123 first. A rollback goes back to an earlier one and writes on from there, so the frames behind it are
// dropped when it begins and come again.
#include "slp_frames.h"

#include <assert.h>
#include <string.h>

// Offsets in a pre-frame event.
enum { PRE_FRAME = 0x1, PRE_PORT = 0x5, PRE_FOLLOWER = 0x6, PRE_STICKS = 0x19, PRE_TRIGGER = 0x29, PRE_BUTTONS = 0x31 };
enum { BOOKEND_FINAL = 0x5 };

void slp_frames_init(SlpFrames *assembly, SlpMatch *match, SlpFrame *frames, size_t capacity, bool has_bookends)
{
    *assembly = (SlpFrames){ .match = match, .frames = frames, .capacity = capacity, .has_bookends = has_bookends };
}

static int32_t number_of(size_t index)
{
    return SLP_FRAME_FIRST + (int32_t)index;
}

static uint8_t all_players(const SlpMatch *match)
{
    uint8_t present = 0;
    for (int port = 0; port < SLP_PORTS; port++) {
        present |= match->players[port].type == SLP_PLAYER_NONE ? 0 : (uint8_t)(1 << port);
    }
    return present;
}

static int count_of(uint8_t present)
{
    int count = 0;
    for (int port = 0; port < SLP_PORTS; port++) {
        count += present >> port & 1;
    }
    return count;
}

static int lowest_port(uint8_t present)
{
    int port = 0;
    while (port < SLP_PORTS && (present >> port & 1) == 0) {
        port++;
    }
    return port;
}

// Who may be in the current frame: those of the frame before; in the first one everybody must.
static uint8_t before(const SlpFrames *assembly)
{
    return assembly->count >= 2 ? assembly->frames[assembly->count - 2].present : all_players(assembly->match);
}

// Holds the current frame, which is over, against the rules.
static bool check_frame(const SlpFrames *assembly, SlpRefusal *refusal)
{
    if (assembly->count == 0) {
        return true; // only at the end of a recording without frames
    }
    int     number = number_of(assembly->count - 1);
    uint8_t present = assembly->frames[assembly->count - 1].present;
    uint8_t missing = (uint8_t)(before(assembly) & ~present);
    uint8_t returned = (uint8_t)(present & ~before(assembly));
    if (missing != 0 && (assembly->count == 1 || count_of(present) < SLP_PLAYERS_MIN)) {
        return slp_refuse(refusal, assembly->frame_offset, "frame %d has nothing of the player at port %d", number, lowest_port(missing) + 1);
    }
    if (returned != 0 && !assembly->match->is_teams) {
        return slp_refuse(refusal, assembly->frame_offset, "frame %d has the player at port %d again, who was gone, and it is no game of teams", number,
                          lowest_port(returned) + 1);
    }
    return true;
}

// Whether the frame that is over stays: a rollback to it or behind it forgets it, and then nobody cares what it lacked.
static bool is_kept(const SlpFrames *assembly, int32_t number)
{
    return assembly->count > 0 && number > number_of(assembly->count - 1);
}

// Starts a frame, for the first time or again.
static bool begin(SlpFrames *assembly, int32_t number, size_t offset, SlpRefusal *refusal)
{
    if (is_kept(assembly, number) && !check_frame(assembly, refusal)) {
        return false;
    }
    int32_t next = number_of(assembly->count);
    if (number < SLP_FRAME_FIRST || number > next) {
        return slp_refuse(refusal, offset, "frame %d comes where frame %d is next", number, next);
    }
    if (assembly->has_final && number <= assembly->final) {
        return slp_refuse(refusal, offset, "frame %d comes again, but frame %d was final already", number, assembly->final);
    }
    size_t index = (size_t)(number - SLP_FRAME_FIRST);
    assert(index < assembly->capacity);
    assembly->match->rewritten_count += assembly->count - index;
    assembly->frames[index] = (SlpFrame){ 0 };
    assembly->count = index + 1;
    assembly->frame_offset = offset;
    assembly->is_closed = false;
    return true;
}

static bool read_pad(const SlpEvent *event, SlpPad *pad, SlpRefusal *refusal)
{
    int8_t values[5];
    for (uint32_t i = 0; i < 5; i++) {
        uint32_t offset = PRE_STICKS + 4 * i;
        if (!slp_pad_quantise(slp_event_u32(event, offset), &values[i])) {
            return slp_refuse(refusal, event->offset + offset, "%s is not a number (0x%08X)", i == 4 ? "the trigger" : "a stick",
                              slp_event_u32(event, offset));
        }
    }
    *pad = (SlpPad){ values[0], values[1], values[2], values[3], values[4] < 0 ? 0 : (uint8_t)values[4], slp_event_u16(event, PRE_BUTTONS) };
    return true;
}

static bool take_pre_frame(SlpFrames *assembly, const SlpEvent *event, SlpRefusal *refusal)
{
    int32_t number = slp_event_i32(event, PRE_FRAME);
    uint8_t port = event->bytes[PRE_PORT];
    if (port >= SLP_PORTS || assembly->match->players[port].type == SLP_PLAYER_NONE) {
        return slp_refuse(refusal, event->offset + PRE_PORT, "frame %d has a player at port %d, and the start of the game has none there", number, port + 1);
    }
    if (event->bytes[PRE_FOLLOWER] != 0) {
        return true; // the second of a pair: the same pad moves it
    }
    if (assembly->is_announced && assembly->announced != number) {
        return slp_refuse(refusal, event->offset, "frame %d has a player where frame %d was begun", number, assembly->announced);
    }
    bool is_current = assembly->count > 0 && number == number_of(assembly->count - 1) && !assembly->is_announced && !assembly->is_closed;
    if (!is_current || (assembly->frames[assembly->count - 1].present >> port & 1) != 0) {
        if (!begin(assembly, number, event->offset, refusal)) {
            return false;
        }
    }
    assembly->is_announced = false;
    SlpFrame *frame = &assembly->frames[assembly->count - 1];
    frame->present |= (uint8_t)(1 << port);
    return read_pad(event, &frame->pads[port], refusal);
}

static bool take_bookend(SlpFrames *assembly, const SlpEvent *event, SlpRefusal *refusal)
{
    int32_t number = slp_event_i32(event, PRE_FRAME);
    if (assembly->count == 0 || assembly->is_announced || number != number_of(assembly->count - 1)) {
        return slp_refuse(refusal, event->offset, "frame %d is ended, but was not begun", number);
    }
    assembly->is_closed = true;
    if (slp_event_has(event, BOOKEND_FINAL, 4)) {
        int32_t final = slp_event_i32(event, BOOKEND_FINAL);
        final = final > number ? number : final;
        assembly->final = assembly->has_final && assembly->final > final ? assembly->final : final;
        assembly->has_final = true;
    }
    return true;
}

bool slp_frames_take(SlpFrames *assembly, const SlpEvent *event, SlpRefusal *refusal)
{
    bool is_of_frame = event->code == SLP_EVENT_PRE_FRAME || event->code == SLP_EVENT_FRAME_START || event->code == SLP_EVENT_BOOKEND;
    if (is_of_frame && assembly->is_over) {
        return slp_refuse(refusal, event->offset, "event 0x%02X comes after the end of the game", event->code);
    }
    switch (event->code) {
    case SLP_EVENT_START: return slp_refuse(refusal, event->offset, "the game starts a second time");
    case SLP_EVENT_PRE_FRAME: return take_pre_frame(assembly, event, refusal);
    case SLP_EVENT_FRAME_START:
        assembly->announced = slp_event_i32(event, PRE_FRAME);
        assembly->is_announced = true;
        return true;
    case SLP_EVENT_BOOKEND: return take_bookend(assembly, event, refusal);
    case SLP_EVENT_END: assembly->is_over = true; return true;
    default: return true;
    }
}

// Whether nothing of the current frame is missing, where no event of its own said that the file was written up to its end.
static bool is_whole(const SlpFrames *assembly)
{
    return assembly->has_bookends ? assembly->is_closed : (before(assembly) & ~assembly->frames[assembly->count - 1].present) == 0;
}

bool slp_frames_finish(SlpFrames *assembly, SlpRefusal *refusal)
{
    SlpMatch *match = assembly->match;
    match->has_game_end = assembly->is_over;
    match->unfinal_count = 0;
    if (!assembly->is_over && assembly->count > 0 && !is_whole(assembly)) {
        assembly->count -= 1;
    } else if (!check_frame(assembly, refusal)) {
        return false;
    }
    // At the end of a game nothing can be rolled back any more.
    if (!assembly->is_over && assembly->has_final) {
        size_t final_count = assembly->final < SLP_FRAME_FIRST ? 0 : (size_t)(assembly->final - SLP_FRAME_FIRST) + 1;
        match->unfinal_count = assembly->count > final_count ? assembly->count - final_count : 0;
    }
    match->frame_count = assembly->count - match->unfinal_count;
    return true;
}

// slp_match.c: the envelope {raw, metadata}, the game's start, and the events in order.
#include "slp_match.h"

#include <string.h>

#include "slp_frames.h"
#include "slp_text.h"
#include "ubjson.h"

// Offsets in the game start event; the last bytes are later versions'.
enum {
    START_VERSION = 0x1, START_IS_TEAMS = 0xD, START_STAGE = 0x13, START_TIMER = 0x15, START_PLAYERS = 0x65, START_PLAYER_SIZE = 0x24,
    START_SEED = 0x13D, START_TAGS = 0x161, TAG_SIZE = 0x10, START_NAMES = 0x1A5, NAME_SIZE = 0x1F, START_CODES = 0x221, CODE_SIZE = 0xA,
    START_MATCH_ID = 0x2BE, MATCH_ID_SIZE = 51,
};
enum { PLAYER_CHARACTER = 0, PLAYER_TYPE = 1, PLAYER_STOCKS = 2 };

size_t slp_match_frames_max(size_t file_size)
{
    return file_size / SLP_PRE_FRAME_SIZE_MIN + 1;
}

static void copy_utf8(const UbjsonText *text, char out[SLP_NAME_SIZE])
{
    if (text->size > 0) {
        slp_text_of_utf8(text->bytes, text->size, out, SLP_NAME_SIZE);
    }
}

static void read_name(const SlpEvent *start, uint32_t offset, uint32_t size, uint32_t port, char out[SLP_NAME_SIZE])
{
    if (slp_event_has(start, offset + size * port, size)) {
        slp_text_of_shift_jis(start->bytes + offset + size * port, size, out, SLP_NAME_SIZE);
    }
}

static bool read_player(const SlpEvent *start, uint32_t port, SlpPlayer *player, SlpRefusal *refusal)
{
    uint32_t       at = START_PLAYERS + START_PLAYER_SIZE * port;
    const uint8_t *block = start->bytes + at;
    if (block[PLAYER_TYPE] > SLP_PLAYER_NONE) {
        return slp_refuse(refusal, start->offset + at + PLAYER_TYPE, "the player at port %u is of type %u, which is none", port + 1, block[PLAYER_TYPE]);
    }
    player->type = (SlpPlayerType)block[PLAYER_TYPE];
    player->character = block[PLAYER_CHARACTER];
    player->stocks = block[PLAYER_STOCKS];
    read_name(start, START_TAGS, TAG_SIZE, port, player->tag);
    read_name(start, START_NAMES, NAME_SIZE, port, player->name);
    read_name(start, START_CODES, CODE_SIZE, port, player->code);
    return true;
}

static bool read_start(const SlpEvent *start, SlpMatch *match, SlpRefusal *refusal)
{
    memcpy(match->version, start->bytes + START_VERSION, 3);
    match->stage = slp_event_u16(start, START_STAGE);
    match->timer_s = slp_event_u32(start, START_TIMER);
    match->seed = slp_event_u32(start, START_SEED);
    match->is_teams = start->bytes[START_IS_TEAMS] != 0;
    if (slp_event_has(start, START_MATCH_ID, MATCH_ID_SIZE)) {
        slp_text_of_utf8(start->bytes + START_MATCH_ID, MATCH_ID_SIZE, match->match_id, SLP_NAME_SIZE);
    }
    for (uint32_t port = 0; port < SLP_PORTS; port++) {
        if (!read_player(start, port, &match->players[port], refusal)) {
            return false;
        }
        match->player_count += match->players[port].type == SLP_PLAYER_NONE ? 0 : 1;
    }
    if (match->player_count < SLP_PLAYERS_MIN) {
        return slp_refuse(refusal, start->offset + START_PLAYERS, "the game has %u players; 2 to 4 can be imported", match->player_count);
    }
    return true;
}

static void set_cut(SlpMatch *match, size_t file_size)
{
    match->is_cut = true;
    match->cut_offset = file_size;
}

// Up to the game start. END: it is there, in `start`. CUT: nothing can be imported, and that is no refusal.
static SlpStreamResult find_start(SlpEvents *events, SlpEvent *start, SlpRefusal *refusal)
{
    SlpStreamResult result = slp_events_next(events, start, refusal);
    while (result == SLP_STREAM_EVENT && start->code != SLP_EVENT_START) {
        if (start->code == SLP_EVENT_PRE_FRAME || start->code == SLP_EVENT_END) {
            slp_refuse(refusal, start->offset, "event 0x%02X comes before the start of the game", start->code);
            return SLP_STREAM_BAD;
        }
        result = slp_events_next(events, start, refusal);
    }
    if (result == SLP_STREAM_END && !events->is_open) {
        slp_refuse(refusal, events->offset, "the raw element has no start of a game");
        return SLP_STREAM_BAD;
    }
    return result == SLP_STREAM_END ? SLP_STREAM_CUT : result;
}

static bool read_events(SlpEvents *events, SlpFrame *frames, size_t capacity, size_t file_size, SlpMatch *match, SlpRefusal *refusal)
{
    SlpEvent        event;
    SlpFrames       assembly;
    SlpStreamResult result = find_start(events, &event, refusal);
    if (result == SLP_STREAM_CUT) {
        set_cut(match, file_size);
        return true;
    }
    if (result == SLP_STREAM_BAD || !read_start(&event, match, refusal)) {
        return false;
    }
    slp_frames_init(&assembly, match, frames, capacity, events->sizes[SLP_EVENT_BOOKEND] != 0);
    while ((result = slp_events_next(events, &event, refusal)) == SLP_STREAM_EVENT) {
        if (!slp_frames_take(&assembly, &event, refusal)) {
            return false;
        }
    }
    // A recording that nobody finished has neither a length nor the end of its game.
    if (result == SLP_STREAM_CUT || (result == SLP_STREAM_END && events->is_open && events->offset == events->end && !assembly.is_over)) {
        set_cut(match, events->end);
    }
    return result != SLP_STREAM_BAD && slp_frames_finish(&assembly, refusal);
}

// {"names":{"netplay":"...","code":"..."}}: what versions before the game start had them know of who played.
static void read_names(Ubjson *reader, uint8_t type, SlpPlayer *player)
{
    UbjsonObject object;
    UbjsonText   key, text;
    if (type != '{') {
        ubjson_value_skip(reader, type);
        return;
    }
    for (bool is_inside = ubjson_enter(reader, type, &object); is_inside && ubjson_next(reader, &object, &key);) {
        uint8_t value = ubjson_value_type(reader, &object);
        bool    is_name = ubjson_is(&key, "netplay");
        if (value == 0 || !ubjson_value_text(reader, value, &text)) {
            return;
        }
        if (is_name && player->name[0] == '\0') {
            copy_utf8(&text, player->name);
        } else if (ubjson_is(&key, "code") && player->code[0] == '\0') {
            copy_utf8(&text, player->code);
        }
    }
}

static void read_metadata_player(Ubjson *reader, uint8_t type, SlpPlayer *player)
{
    UbjsonObject object;
    UbjsonText   key;
    if (type != '{') {
        ubjson_value_skip(reader, type);
        return;
    }
    for (bool is_inside = ubjson_enter(reader, type, &object); is_inside && ubjson_next(reader, &object, &key);) {
        uint8_t value = ubjson_value_type(reader, &object);
        if (value != 0 && ubjson_is(&key, "names")) {
            read_names(reader, value, player);
        } else if (value != 0) {
            ubjson_value_skip(reader, value);
        }
    }
}

static void read_metadata_players(Ubjson *reader, uint8_t type, SlpMatch *match)
{
    UbjsonObject object;
    UbjsonText   key;
    if (type != '{') {
        ubjson_value_skip(reader, type);
        return;
    }
    for (bool is_inside = ubjson_enter(reader, type, &object); is_inside && ubjson_next(reader, &object, &key);) {
        uint8_t value = ubjson_value_type(reader, &object);
        if (value != 0 && key.size == 1 && key.bytes[0] >= '0' && key.bytes[0] < '0' + SLP_PORTS) {
            read_metadata_player(reader, value, &match->players[key.bytes[0] - '0']);
        } else if (value != 0) {
            ubjson_value_skip(reader, value);
        }
    }
}

static void read_metadata(Ubjson *reader, SlpMatch *match)
{
    UbjsonObject object;
    UbjsonText   key, text;
    for (bool is_inside = ubjson_enter(reader, 0, &object); is_inside && ubjson_next(reader, &object, &key);) {
        uint8_t value = ubjson_value_type(reader, &object);
        bool    is_start = ubjson_is(&key, "startAt");
        bool    is_place = ubjson_is(&key, "playedOn");
        if (value == 0) {
            return;
        }
        if (ubjson_is(&key, "players")) {
            read_metadata_players(reader, value, match);
        } else if (!ubjson_value_text(reader, value, &text)) {
            return;
        } else if (is_start || is_place) {
            copy_utf8(&text, is_start ? match->start_at : match->played_on);
        }
    }
}

// Behind the raw element: the metadata, which an early version may lack, and the end of the envelope.
static void read_rest(Ubjson *reader, SlpMatch *match)
{
    static const char head[] = "U\x08metadata";
    if (ubjson_peek(reader) == 'U' && ubjson_expect(reader, head, sizeof(head) - 1, "only a metadata element may follow the raw element")) {
        read_metadata(reader, match);
    }
    if (ubjson_expect(reader, "}", 1, "a metadata element or the end of the envelope has to follow the raw element") && reader->offset < reader->size) {
        ubjson_refuse(reader, reader->offset, "something follows the end of the envelope");
    }
}

// The envelope up to the bytes of the raw element.
static void read_head(Ubjson *reader, uint64_t *raw_size)
{
    static const char head[] = "{U\x03raw[$U#";
    if (ubjson_expect(reader, head, sizeof(head) - 1, "this is no .slp file: it does not begin with a raw element in an envelope")) {
        ubjson_read_length(reader, raw_size);
    }
}

// True when the reader is fine, or merely ran out of bytes, which is noted.
static bool accept(const Ubjson *reader, SlpMatch *match, SlpRefusal *refusal)
{
    if (reader->status == UBJSON_BAD) {
        return slp_refuse(refusal, reader->wrong_offset, "%s", reader->wrong);
    }
    if (reader->status == UBJSON_CUT) {
        set_cut(match, reader->size);
    }
    return true;
}

bool slp_match_read(const uint8_t *file, size_t size, SlpFrame *frames, size_t capacity, SlpMatch *match, SlpRefusal *refusal)
{
    uint64_t  raw_size = 0;
    SlpEvents events;
    Ubjson    reader = ubjson_reader(file, size, 0);
    *match = (SlpMatch){ 0 };
    read_head(&reader, &raw_size);
    if (reader.status != UBJSON_OK) {
        return accept(&reader, match, refusal);
    }
    switch (slp_events_open(&events, file, size, reader.offset, raw_size, refusal)) {
    case SLP_STREAM_BAD: return false;
    case SLP_STREAM_EVENT: break;
    case SLP_STREAM_CUT:
    case SLP_STREAM_END: set_cut(match, size); return true;
    }
    if (!read_events(&events, frames, capacity, size, match, refusal)) {
        return false;
    }
    // Without a length the file may end with its events, whether somebody finished it or not.
    if (events.is_cut || match->is_cut || (events.is_open && events.offset == size)) {
        return true;
    }
    Ubjson rest = ubjson_reader(file, size, events.offset);
    read_rest(&rest, match);
    return accept(&rest, match, refusal);
}

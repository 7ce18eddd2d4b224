// live_desync.c: clients say what their roots are; when one is another than the room's, both states of that tick are put side by side. What the room
// has of the time is copied first, before anything is asked or told. The rest happens off the tick thread: the state of the bad tick is made
// again from one of before and the rows since, and goes with the client's into a bundle.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <zstd.h>

#include "bundle.h"
#include "packed.h"
#include "room_live.h"
#include "tickproof/verify.h"

enum { KEEP_BYTES_MAX = 32 << 20, RESYNCS_MAX = 8, PIECES_SPARE = 8, BUNDLE_NAME_MAX = 120 };

typedef enum { ASKED, TAKING, WRITING } DesyncStage;

typedef struct Desync {
    RoomJob     job;
    Room       *room;
    Member     *member;       // NULL: it has gone
    DesyncStage stage;
    int64_t     since_ns;
    uint64_t    tick, durable;
    uint32_t    slot;
    tp_hash128  root;         // the room's
    char        address[ADDRESS_TEXT_SIZE];
    char        room_name[SERVER_ROOM_NAME_SIZE];
    char        log_path[SERVER_PATH_SIZE];
    const char *directory, *policy, *build;
    const tp_world *world;
    tp_rules    rules;
    size_t      state_max;    // bytes of a state of this world
    // The room's, copied: a state of before, and the rows from there to the bad tick.
    LiveKeep    keep;
    BundleRow  *rows;
    uint32_t    row_count;
    uint8_t    *row_bytes;
    // The client's.
    size_t      size, packed_size, taken;
    uint8_t    *packed;
    tp_hash128  own_root;
    uint64_t    input_leaf, event_leaf;
    char        own_build[MESSAGE_BUILD_MAX + 1];
    const char *why;          // without the client's state
    // What came of it.
    bool         is_written;
    BundleResult result;
    tp_error     error;
} Desync;

// Keeping.

static bool wants_bundles(const Room *room)
{
    return room->live->options.report_ticks > 0 && (room->live->options.desync_dir != NULL || room->record_dir != NULL);
}

// Taken when the first member comes, so that no tick allocates. A state that is too large to be kept is done without.
static bool has_keeps(Room *room)
{
    RoomLive *live = room->live;
    size_t    most = tp_sim_encoded_max(room->sim);
    if (!wants_bundles(room) || most > KEEP_BYTES_MAX / SERVER_SNAPSHOTS) {
        return false;
    }
    for (uint32_t i = 0; i < SERVER_SNAPSHOTS; i++) {
        live->keeps[i].bytes = live->keeps[i].bytes != NULL ? live->keeps[i].bytes : malloc(most + 1);
        if (live->keeps[i].bytes == NULL) {
            return false;
        }
    }
    return true;
}

static void keep(Room *room, LiveKeep *place)
{
    bool is_kept = place->bytes != NULL && tp_sim_encode(room->sim, place->bytes, tp_sim_encoded_max(room->sim), &place->size);
    place->tick = is_kept ? tp_sim_tick(room->sim) : UINT64_MAX;
    place->input_leaf = tp_sim_input_leaf(room->sim);
    place->event_leaf = tp_sim_event_leaf(room->sim);
}

void live_keep(Room *room)
{
    RoomLive *live = room->live;
    uint64_t  tick = tp_sim_tick(room->sim);
    if (tick % SERVER_SNAPSHOT_TICKS == 0 && live->keeps[0].bytes != NULL) {
        keep(room, &live->keeps[1 + tick / SERVER_SNAPSHOT_TICKS % (SERVER_SNAPSHOTS - 1)]);
    }
}

// The newest state from which the bad tick can be stepped again.
static const LiveKeep *find_keep(const RoomLive *live, uint64_t tick)
{
    const LiveKeep *best = NULL;
    for (uint32_t i = 0; i < SERVER_SNAPSHOTS; i++) {
        const LiveKeep *one = &live->keeps[i];
        bool            is_good = one->tick <= tick && one->tick >= live->history.first;
        if (is_good && (best == NULL || one->tick > best->tick)) {
            best = one;
        }
    }
    return best;
}

void live_keep_first(Room *room)
{
    if (find_keep(room->live, tp_sim_tick(room->sim)) == NULL && has_keeps(room)) {
        keep(room, &room->live->keeps[0]);
    }
}

// Freezing.

static void free_desync(Desync *desync)
{
    free(desync->keep.bytes);
    free(desync->rows);
    free(desync->row_bytes);
    free(desync->packed);
    free(desync);
}

static bool copy_keep(Desync *desync, const LiveKeep *kept)
{
    desync->keep = *kept;
    desync->keep.bytes = malloc(kept->size + 1);
    if (desync->keep.bytes != NULL) {
        memcpy(desync->keep.bytes, kept->bytes, kept->size);
    }
    return desync->keep.bytes != NULL;
}

static bool copy_rows(Desync *desync, const History *history, uint64_t first)
{
    size_t   total = 0;
    uint32_t count = (uint32_t)(desync->tick + 1 - first);
    const uint8_t *row;
    size_t         size;
    tp_hash128     root;
    for (uint64_t tick = first; tick <= desync->tick; tick++) {
        total += history_get(history, tick, &row, &size, &root) ? size : 0;
    }
    desync->rows = calloc(count, sizeof(*desync->rows));
    desync->row_bytes = malloc(total + 1);
    if (desync->rows == NULL || desync->row_bytes == NULL) {
        return false;
    }
    uint8_t *at = desync->row_bytes;
    for (uint64_t tick = first; tick <= desync->tick; tick++) {
        if (!history_get(history, tick, &row, &size, &root)) {
            return false;
        }
        memcpy(at, row, size);
        desync->rows[desync->row_count++] = (BundleRow){ .tick = tick, .bytes = at, .size = size, .root = root };
        at += size;
    }
    return true;
}

static const char *policy_name(ServerDesync policy)
{
    switch (policy) {
    case SERVER_DESYNC_RESYNC: return "resync";
    case SERVER_DESYNC_KICK: return "kick";
    case SERVER_DESYNC_HALT: return "halt";
    case SERVER_DESYNC_LOG: return "log";
    }
    return "log";
}

// NULL: out of memory, or no state of before is kept.
static Desync *freeze(Room *room, Member *member, uint64_t tick, tp_hash128 root)
{
    RoomLive       *live = room->live;
    const LiveKeep *kept = find_keep(live, tick);
    Desync         *desync = kept != NULL ? calloc(1, sizeof(*desync)) : NULL;
    if (desync == NULL) {
        return NULL;
    }
    desync->room = room;
    desync->member = member;
    desync->since_ns = room->host->now_ns(room->host->to);
    desync->tick = tick;
    desync->root = root;
    desync->slot = live_first_slot(member);
    desync->world = live->options.world;
    desync->rules = *tp_sim_rules(room->sim);
    desync->state_max = tp_sim_encoded_max(room->sim);
    desync->directory = live->options.desync_dir != NULL ? live->options.desync_dir : room->record_dir;
    desync->policy = policy_name(live->options.on_desync);
    desync->build = room->host->options->build != NULL ? room->host->options->build : "tickproofd";
    snprintf(desync->address, sizeof(desync->address), "%s", member->peer->address_text);
    snprintf(desync->room_name, sizeof(desync->room_name), "%s", room->result.name);
    if (!copy_keep(desync, kept) || !copy_rows(desync, &live->history, kept->tick)) {
        free_desync(desync);
        return NULL;
    }
    return desync;
}

// Off the thread: the state after the bad tick, made again; then the bundle.

static bool remake(const Desync *desync, uint8_t *bytes, BundleSide *side)
{
    tp_ident *ident = malloc(sizeof(*ident));
    tp_error  error = { "" };
    tp_sim   *sim = NULL;
    bool      is_made = ident != NULL && tp_ident_of_rules(desync->rules.bytes, desync->rules.size, ident, &error);
    sim = is_made ? tp_sim_of_ident(ident, desync->world, NULL, &error) : NULL;
    is_made = sim != NULL && tp_sim_decode(sim, desync->keep.bytes, desync->keep.size, desync->keep.tick, desync->keep.input_leaf, desync->keep.event_leaf, &error);
    for (uint32_t i = 0; is_made && i < desync->row_count; i++) {
        is_made = tp_sim_step_bytes(sim, desync->rows[i].bytes, desync->rows[i].size, &error) == TP_SIM_OK;
    }
    if (is_made) {
        side->root = tp_sim_root(sim);
        side->input_leaf = tp_sim_input_leaf(sim);
        side->event_leaf = tp_sim_event_leaf(sim);
        is_made = tp_sim_encode(sim, bytes, desync->state_max, &side->size);
    }
    side->state = is_made ? bytes : NULL;
    side->why = is_made ? NULL : "the state could not be made again from one of before";
    tp_sim_destroy(sim);
    free(ident);
    return is_made;
}

// One frame and nothing behind it, which tells its size and has a checksum: bit 2 of the byte behind the magic number.
static bool is_one_frame(const Desync *desync)
{
    enum { CHECKSUM_AT = 4, CHECKSUM_BIT = 1 << 2 };
    return packed_is_frame(desync->packed, desync->packed_size) && (desync->packed[CHECKSUM_AT] & CHECKSUM_BIT) != 0 &&
           ZSTD_getFrameContentSize(desync->packed, desync->packed_size) == desync->size;
}

static void unpack(const Desync *desync, uint8_t *bytes, BundleSide *side)
{
    side->root = desync->own_root;
    side->input_leaf = desync->input_leaf;
    side->event_leaf = desync->event_leaf;
    side->build = desync->own_build;
    side->why = desync->why;
    if (desync->why != NULL) {
        return;
    }
    bool   is_frame = is_one_frame(desync);
    size_t size = is_frame ? ZSTD_decompress(bytes, desync->state_max, desync->packed, desync->packed_size) : 0;
    if (!is_frame || ZSTD_isError(size) || size != desync->size) {
        side->why = "what the client sent is not one zstd frame of the size that it said";
        return;
    }
    side->state = bytes;
    side->size = size;
}

static void run(RoomJob *job)
{
    Desync       *desync = (Desync *)job;
    uint8_t      *server = malloc(desync->state_max + 1);
    uint8_t      *client = malloc(desync->state_max + 1);
    BundleOptions options = {
        .directory = desync->directory, .room = desync->room_name, .world = desync->world, .rules = &desync->rules, .tick = desync->tick, .slot = desync->slot,
        .address = desync->address, .policy = desync->policy, .durable = desync->durable, .rows = desync->rows, .row_count = desync->row_count,
        .log_path = desync->log_path[0] != '\0' ? desync->log_path : NULL,
        .server = { .root = desync->root, .build = desync->build },
    };
    if (server == NULL || client == NULL) {
        tp_error_set(&desync->error, "out of memory");
    } else {
        remake(desync, server, &options.server);
        unpack(desync, client, &options.client);
        desync->is_written = bundle_write(&options, &desync->result, &desync->error);
    }
    free(server);
    free(client);
}

static void done(RoomJob *job)
{
    Desync *desync = (Desync *)job;
    Room   *room = desync->room;
    char    text[TP_MESSAGE_SIZE];
    if (desync->is_written) {
        const char *slash = strrchr(desync->result.path, '/');
        const char *name = slash != NULL ? slash + 1 : desync->result.path;
        snprintf(text, sizeof(text), "%.*s; bundle: %.*s", (int)sizeof(text) - BUNDLE_NAME_MAX - 16, desync->result.text, BUNDLE_NAME_MAX, name);
    } else {
        snprintf(text, sizeof(text), "no bundle: %.120s%s%.200s", desync->error.text, desync->result.text[0] != '\0' ? "; " : "", desync->result.text);
    }
    room->live->jobs -= 1;
    room->live->desync = NULL;
    room_post_of_tick(room, SERVER_EVENT_ROOM_BUNDLE, desync->tick, desync->slot, text);
    free_desync(desync);
}

// What the room does about it.

// What it reports from now on of ticks that it was sent before is about the world that went wrong.
static void resync(Member *member)
{
    member->is_reported = false;
    member->compared_from = member->cursor > member->compared_from ? member->cursor : member->compared_from;
    live_begin_state(member);
}

// The desync of this member that is looked into and waits for its state; NULL: another's, or none.
static Desync *of_member(const Room *room, const Member *member)
{
    Desync *desync = room->live->desync;
    return desync != NULL && desync->member == member ? desync : NULL;
}

static void treat(Room *room, Member *member)
{
    switch (room->live->options.on_desync) {
    case SERVER_DESYNC_RESYNC:
        if (member->resyncs < RESYNCS_MAX) {
            member->resyncs += 1;
            resync(member);
            return;
        }
        live_leave(member, MESSAGE_REASON_DESYNC, "its roots differ again and again");
        return;
    case SERVER_DESYNC_KICK: live_leave(member, MESSAGE_REASON_DESYNC, "its roots are not the room's"); return;
    case SERVER_DESYNC_HALT:
        if (!room->live->is_held) { // it was resumed meanwhile
            resync(member);
        }
        return;
    case SERVER_DESYNC_LOG: return;
    }
}

// After a halt: who disagreed gets the room's state before it goes on.
void live_resync_reported(Room *room)
{
    const RoomLive *live = room->live;
    if (live->options.on_desync != SERVER_DESYNC_HALT) {
        return;
    }
    for (Member *member = live->members; member != NULL;) {
        bool is_due = member->is_reported && of_member(room, member) == NULL;
        Member *next = member->next;
        if (is_due) {
            resync(member);
            next = live->members; // others may have gone meanwhile: from the beginning, where one less is due
        }
        member = next;
    }
}

static void write_bundle(Room *room, const char *why)
{
    RoomLive *live = room->live;
    Desync   *desync = live->desync;
    Member   *member = desync->member;
    desync->stage = WRITING;
    desync->member = NULL;
    desync->why = why;
    desync->job = (RoomJob){ run, done };
    if (server_log_is_open(&room->log)) {
        server_log_flush(&room->log);
        desync->durable = server_log_durable_tick(&room->log);
        snprintf(desync->log_path, sizeof(desync->log_path), "%s", room->log.path);
    }
    live->bundles += 1;
    live->jobs += 1;
    room->host->work(room->host->to, &desync->job);
    if (member != NULL) {
        treat(room, member);
    }
}

static void ask(Room *room, Member *member, Desync *desync)
{
    Message message = live_head(room, MESSAGE_WANTED);
    message.tick = desync->tick;
    message.body.wanted.root = desync->root;
    room->live->desync = desync;
    peer_send(member->peer, &message);
    peer_allow_pieces(member->peer, (uint32_t)(ZSTD_compressBound(desync->state_max) / MESSAGE_PIECE_MAX + PIECES_SPARE));
}

// A bundle holds the room's whole log: whoever reports wrong roots on purpose must not fill the disk with them.
static bool may_write_bundle(Room *room)
{
    return live_take_share(&room->live->bundle_ns, room->host->now_ns(room->host->to), (int64_t)SERVER_BUNDLE_MS * 1000000, SERVER_BUNDLES_BURST);
}

static void found(Room *room, Member *member, uint64_t tick, tp_hash128 root)
{
    RoomLive *live = room->live;
    char      text[TP_MESSAGE_SIZE];
    bool      wants = wants_bundles(room) && live->desync == NULL && live->bundles < SERVER_BUNDLES && may_write_bundle(room);
    Desync   *desync = wants ? freeze(room, member, tick, root) : NULL;
    member->is_reported = true;
    room->result.live.desyncs += 1;
    snprintf(text, sizeof(text), "%s: its root is not the room's; %s%s", member->peer->address_text, policy_name(live->options.on_desync),
             desync != NULL ? "; its state was asked for" : "; no bundle");
    if (room_may_chat(room)) {
        room_post_of_tick(room, SERVER_EVENT_ROOM_DESYNC, tick, live_first_slot(member), text);
    }
    bool is_player = member->slot_count > 0; // who only watches holds up nobody
    if (live->options.on_desync == SERVER_DESYNC_HALT && is_player && (!live->is_held || live->steps > 0)) {
        live->is_held = true;
        live->steps = 0;
        live_say(room, MESSAGE_SLOT_NOBODY, "the room pauses: a client disagrees with it");
        room_pause(room, "a client disagrees with it");
        room->host->clock_changed(room->host->to, room);
    }
    if (desync != NULL) {
        ask(room, member, desync);
    } else {
        treat(room, member);
    }
}

// What clients say.

void live_report(Room *room, Member *member, const Message *message)
{
    ServerLiveCounts *counts = &room->result.live;
    const uint8_t    *row;
    size_t            size;
    tp_hash128        root;
    if (member->stage != MEMBER_LIVE && member->stage != MEMBER_TAIL) {
        return; // of what it had before it was sent a state
    }
    if (message->tick < member->compared_from && message->tick + 1 != member->state_tick) { // the state itself may be wrong there
        return;
    }
    if (message->tick >= member->cursor || !history_get(&room->live->history, message->tick, &row, &size, &root)) {
        counts->reports_old += 1;
        return;
    }
    counts->reports += 1;
    if (!tp_hash128_equal(root, message->body.report.root) && !member->is_reported) {
        found(room, member, message->tick, root);
    }
}

void live_own_state(Room *room, Member *member, const Message *message)
{
    Desync *desync = of_member(room, member);
    if (desync == NULL || desync->stage != ASKED || message->tick != desync->tick) {
        return;
    }
    desync->size = message->body.own_state.size;
    desync->packed_size = message->body.own_state.packed_size;
    desync->own_root = message->body.own_state.root;
    desync->input_leaf = message->body.own_state.input_leaf;
    desync->event_leaf = message->body.own_state.event_leaf;
    snprintf(desync->own_build, sizeof(desync->own_build), "%.*s", message->body.own_state.build.size, message->body.own_state.build.text);
    if (desync->size > desync->state_max || desync->packed_size > ZSTD_compressBound(desync->state_max)) {
        write_bundle(room, "the client's state is larger than this world's can be");
        return;
    }
    desync->packed = malloc(desync->packed_size + 1);
    desync->stage = TAKING;
    if (desync->packed == NULL) {
        write_bundle(room, "the server is out of memory");
    }
}

void live_own_piece(Room *room, Member *member, const Message *message)
{
    Desync *desync = of_member(room, member);
    if (desync == NULL || desync->stage != TAKING || message->body.piece.kind != MESSAGE_PIECE_OWN || message->tick != desync->tick) {
        return;
    }
    if (message->body.piece.total != desync->packed_size || message->body.piece.offset != desync->taken) {
        write_bundle(room, "the pieces of the client's state do not fit each other");
        return;
    }
    memcpy(desync->packed + desync->taken, message->body.piece.bytes, message->body.piece.size);
    desync->taken += message->body.piece.size;
    if (desync->taken == desync->packed_size) {
        write_bundle(room, NULL);
    }
}

void live_desync_left(Room *room, const Member *member)
{
    Desync *desync = of_member(room, member);
    if (desync != NULL) {
        desync->member = NULL;
        write_bundle(room, "the client left before its state came");
    }
}

// Ten seconds, and as long as its bytes take at 100 kB a second.
static int64_t patience_ns(const Desync *desync)
{
    return (int64_t)(SERVER_OWN_STATE_MS + desync->packed_size / 100) * 1000000;
}

void live_desync_look(Room *room, int64_t now_ns)
{
    const Desync *desync = room->live->desync;
    if (desync != NULL && desync->stage != WRITING && now_ns - desync->since_ns >= patience_ns(desync)) {
        write_bundle(room, "the client's state did not come in time");
    }
}

void live_desync_finish(Room *room)
{
    Desync *desync = room->live->desync;
    if (desync != NULL && desync->stage != WRITING) {
        room->live->desync = NULL;
        free_desync(desync);
    }
}

// realm_stream.c: one tick of streaming: what went is forgotten, what was left behind goes, what is missing begins, and the units are spent.
//
// The order of everything comes from distances, landblock numbers and the order in which drafts began; the time it takes on some machine
// steers nothing. Looking for what is missing costs rings times players, so it is done when something changed, and not every tick.
#include "realm_stream_parts.h"

#include "realm_generate.h"
#include "realm_place.h"

typedef enum Outcome {
    OUTCOME_WORKED,
    OUTCOME_IDLE, // waits: for content, for room, for an older draft
    OUTCOME_GONE, // committed or cancelled: the entry is out of the list
} Outcome;

/// Plans made in this tick, by place in the list of open drafts: a hit is checked against what the draft is of.
typedef struct Spending {
    RealmStreaming *streaming;
    uint64_t        left;
    bool            is_first_short; ///< in this round the oldest draft found no room
    bool            has_plan[REALM_STREAM_OPEN_MAX];
    RealmPlan       plans[REALM_STREAM_OPEN_MAX];
} Spending;

uint32_t realm_stream_distance(uint16_t a, uint16_t b)
{
    uint32_t ax = realm_prefix_x(a), ay = realm_prefix_y(a), bx = realm_prefix_x(b), by = realm_prefix_y(b);
    uint32_t x = ax > bx ? ax - bx : bx - ax, y = ay > by ? ay - by : by - ay;
    return x > y ? x : y;
}

uint32_t realm_stream_eyes_distance(const RealmStreamEyes *eyes, uint16_t prefix)
{
    uint32_t nearest = UINT32_MAX;
    for (uint32_t i = 0; i < eyes->count; i++) {
        uint32_t distance = realm_stream_distance(eyes->prefixes[i], prefix);
        nearest = distance < nearest ? distance : nearest;
    }
    return nearest;
}

bool realm_stream_is_ready(const RealmEngine *engine, uint16_t prefix)
{
    return realm_view_full_leaf(engine, REALM_ACTIVE, prefix) != 0;
}

static void set_dirty(RealmStreaming *streaming)
{
    realm_stream_set_flag(streaming, &streaming->stream->is_dirty, 1);
}

static void forget(RealmStreaming *streaming, uint32_t index, uint32_t *counter)
{
    realm_stream_open_remove(streaming, index);
    realm_stream_count(streaming, counter);
    if (index == 0) {
        realm_stream_set_flag(streaming, &streaming->stream->is_stuck, 0);
    }
    set_dirty(streaming);
}

// Cancels one of this publisher's drafts; a ticket that is stale already has none.
static void cancel(RealmStreaming *streaming, uint32_t index, uint32_t *counter)
{
    RealmOpen open = realm_stream_open_at(streaming->stream, index);
    realm_cancel(streaming->engine, &open.ticket, NULL);
    forget(streaming, index, counter);
}

// Drafts that the engine ended: their deadline passed, a pool was full, their landblock was demoted.
static void prune(RealmStreaming *streaming)
{
    RealmStream *stream = streaming->stream;
    for (uint32_t i = 0; i < stream->open;) {
        if (realm_draft_link(streaming->engine, realm_stream_open_at(stream, i).draft) == 0) {
            forget(streaming, i, &stream->ended);
        } else {
            i++;
        }
    }
}

// ---- What was left behind ----

static void leave(RealmStreaming *streaming, const RealmBlock *block)
{
    RealmEngine *engine = streaming->engine;
    RealmStream *stream = streaming->stream;
    uint16_t     prefix = block->prefix;
    uint32_t     ring = (uint32_t)realm_stream_config(engine, REALM_CONFIG_RING);
    uint32_t     distance = realm_stream_eyes_distance(streaming->eyes, prefix);
    if (distance <= ring + 1) {
        return;
    }
    if (block->leaf.generation == 0) {
        uint32_t index = realm_stream_find(stream->open_prefix, stream->open, prefix);
        if (index < stream->open) {
            cancel(streaming, index, &stream->ended);
        }
    } else if (distance > ring + 2) {
        // NOT_YET while it is busy: the next sweep comes by again. So below.
        RealmAnswer answer = realm_withdraw(engine, realm_block_id(prefix));
        if (answer == REALM_DONE) {
            set_dirty(streaming);
        }
    } else if (realm_view_full_leaf(engine, REALM_ACTIVE, prefix) != 0) {
        realm_demote(engine, realm_block_id(prefix));
    }
}

static void sweep(RealmStreaming *streaming)
{
    RealmEngine *engine = streaming->engine;
    RealmStream *stream = streaming->stream;
    uint32_t     count = engine->block_count < REALM_STREAM_SWEEP_BLOCKS ? engine->block_count : REALM_STREAM_SWEEP_BLOCKS;
    uint32_t     cursor = stream->sweep_cursor;
    for (uint32_t i = 0; i < count; i++) {
        cursor = cursor < engine->block_count ? cursor : 0;
        const RealmBlock *block = &engine->blocks[cursor];
        if ((block->generation & 1) != 0) {
            leave(streaming, block);
        }
        cursor++;
    }
    realm_stream_touch(streaming, &stream->sweep_cursor, sizeof(stream->sweep_cursor));
    stream->sweep_cursor = cursor;
}

// Room for something at this distance: of the landblocks that are farther, the one farthest away goes; of several the highest number. What is as far
// stays, so that two never push each other out in turn. False: there is none.
static bool evict(RealmStreaming *streaming, uint32_t distance)
{
    RealmEngine *engine = streaming->engine;
    uint32_t     farthest = distance;
    uint16_t     chosen = 0;
    for (uint32_t i = 0; i < engine->block_count; i++) {
        const RealmBlock *block = &engine->blocks[i];
        if ((block->generation & 1) == 0 || block->leaf.generation == 0) {
            continue;
        }
        uint32_t at = realm_stream_eyes_distance(streaming->eyes, block->prefix);
        if (at > farthest || (at == farthest && at > distance && block->prefix > chosen)) {
            farthest = at;
            chosen = block->prefix;
        }
    }
    if (farthest == distance || realm_withdraw(engine, realm_block_id(chosen)) != REALM_DONE) {
        return false;
    }
    realm_stream_count(streaming, &streaming->stream->evicted);
    set_dirty(streaming);
    return true;
}

// ---- What is missing ----

static uint32_t free_places(const RealmStreaming *streaming)
{
    uint32_t most = streaming->engine->draft_count < REALM_STREAM_OPEN_MAX ? streaming->engine->draft_count : REALM_STREAM_OPEN_MAX;
    return most > streaming->stream->open ? most - streaming->stream->open : 0;
}

// What is being taken down makes room by itself; when nothing is, somebody has to go.
static void find_no_room(RealmStreaming *streaming, uint16_t prefix)
{
    set_dirty(streaming);
    if (!realm_is_retiring(streaming->engine)) {
        evict(streaming, realm_stream_eyes_distance(streaming->eyes, prefix));
    }
}

// False: not now.
static bool begin(RealmStreaming *streaming, uint16_t prefix, uint16_t variant)
{
    RealmEngine *engine = streaming->engine;
    RealmStream *stream = streaming->stream;
    RealmOpen    open = { .variant = variant };
    if (realm_draft_room(engine) == 0 || realm_leaf_room(engine) == 0 ||
        realm_begin(engine, realm_block_id(prefix), &open.ticket) != REALM_DONE) {
        find_no_room(streaming, prefix);
        return false;
    }
    uint32_t before = realm_stream_find(stream->open_prefix, stream->open, prefix);
    if (before < stream->open) {
        forget(streaming, before, &stream->ended); // the newer admission has ended it
    }
    RealmAnswer answer = realm_prepare(engine, &open.ticket, &open.draft);
    if (answer != REALM_DONE) {
        realm_cancel(engine, &open.ticket, NULL);
        find_no_room(streaming, prefix);
        return false;
    }
    realm_stream_open_add(streaming, &open);
    realm_stream_count(streaming, &stream->begun);
    if (stream->fail_stage == 1) {
        realm_stream_set_flag(streaming, &stream->fail_stage, 0);
        cancel(streaming, stream->open - 1, &stream->failed);
    }
    return true;
}

static void begin_reloads(RealmStreaming *streaming)
{
    RealmStream *stream = streaming->stream;
    while (stream->reloads > 0 && free_places(streaming) > 0) {
        uint16_t prefix = stream->reload_prefix[0];
        // One that is not active any more needs no reload; what comes in its place is new anyhow.
        if (realm_stream_is_ready(streaming->engine, prefix) &&
            !begin(streaming, prefix, (uint16_t)(realm_stream_variant_of(stream, prefix) + 1))) {
            return;
        }
        realm_stream_reload_remove(streaming, 0);
    }
}

static bool is_missing(const RealmStreaming *streaming, uint16_t prefix)
{
    uint32_t link = realm_block_find(streaming->engine, prefix);
    if (link != 0 && realm_block_at(streaming->engine, link)->ticket != 0) {
        return false; // is being prepared, by whomever
    }
    // What has not arrived is not begun: it would only stand before those that have.
    bool has_come = realm_stream_config(streaming->engine, REALM_CONFIG_ARRIVAL) == 0 || realm_stream_has_arrived(streaming->stream, prefix);
    return has_come && realm_stream_is_land(streaming->engine, prefix) && !realm_stream_is_ready(streaming->engine, prefix);
}

// Into a rising list without repetition of the `most` lowest.
static uint32_t insert(uint16_t *list, uint32_t count, uint32_t most, uint16_t prefix)
{
    uint32_t at = count;
    while (at > 0 && list[at - 1] > prefix) {
        at--;
    }
    if ((at > 0 && list[at - 1] == prefix) || at == most) {
        return count;
    }
    count += count < most;
    for (uint32_t i = count - 1; i > at; i--) {
        list[i] = list[i - 1];
    }
    list[at] = prefix;
    return count;
}

static uint32_t insert_missing(const RealmStreaming *streaming, int32_t x, int32_t y, uint16_t *list, uint32_t count, uint32_t most)
{
    if (x < 0 || y < 0 || x >= REALM_WORLD_MAX || y >= REALM_WORLD_MAX) {
        return count;
    }
    uint16_t prefix = realm_prefix_at((uint32_t)x, (uint32_t)y);
    return is_missing(streaming, prefix) ? insert(list, count, most, prefix) : count;
}

// The missing landblocks at exactly this distance of somebody. What is nearer to somebody else was begun before, or did not fit.
static uint32_t missing_at(const RealmStreaming *streaming, int32_t distance, uint16_t *list, uint32_t most)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < streaming->eyes->count; i++) {
        int32_t x = (int32_t)realm_prefix_x(streaming->eyes->prefixes[i]), y = (int32_t)realm_prefix_y(streaming->eyes->prefixes[i]);
        for (int32_t dx = -distance; dx <= distance; dx++) {
            bool    is_side = dx == -distance || dx == distance;
            int32_t step = is_side || distance == 0 ? 1 : 2 * distance;
            for (int32_t dy = -distance; dy <= distance; dy += step) {
                count = insert_missing(streaming, x + dx, y + dy, list, count, most);
            }
        }
    }
    return count;
}

// A draft that is stuck gives way to what is nearer, and to nothing else.
static bool is_allowed(const RealmStreaming *streaming, int32_t distance)
{
    const RealmStream *stream = streaming->stream;
    return stream->is_stuck == 0 || stream->open == 0 || (uint32_t)distance < realm_stream_eyes_distance(streaming->eyes, stream->open_prefix[0]);
}

static void begin_missing(RealmStreaming *streaming)
{
    uint16_t list[REALM_STREAM_OPEN_MAX];
    int32_t  ring = (int32_t)realm_stream_config(streaming->engine, REALM_CONFIG_RING);
    for (int32_t distance = 0; distance <= ring && free_places(streaming) > 0 && is_allowed(streaming, distance); distance++) {
        uint32_t count = missing_at(streaming, distance, list, free_places(streaming));
        if (count > 0 && streaming->stream->is_stuck != 0 && streaming->stream->open > 0) {
            cancel(streaming, 0, &streaming->stream->evicted);
        }
        for (uint32_t i = 0; i < count; i++) {
            if (!begin(streaming, list[i], realm_stream_variant_of(streaming->stream, list[i]))) {
                return;
            }
        }
    }
}

static void notice_eyes(RealmStreaming *streaming)
{
    RealmStream           *stream = streaming->stream;
    const RealmStreamEyes *eyes = streaming->eyes;
    bool                   is_same = eyes->count == stream->eyes;
    for (uint32_t i = 0; i < eyes->count && is_same; i++) {
        is_same = eyes->prefixes[i] == stream->eye_prefix[i];
    }
    if (is_same) {
        return;
    }
    realm_stream_touch(streaming, stream->eye_prefix, sizeof(stream->eye_prefix));
    for (uint32_t i = 0; i < REALM_PLAYERS_MAX; i++) {
        stream->eye_prefix[i] = i < eyes->count ? eyes->prefixes[i] : 0;
    }
    realm_stream_set_flag(streaming, &stream->eyes, (uint8_t)eyes->count);
    set_dirty(streaming);
}

static void look(RealmStreaming *streaming)
{
    RealmStream *stream = streaming->stream;
    notice_eyes(streaming);
    if (stream->rescan_ticks > 0) {
        realm_stream_touch(streaming, &stream->rescan_ticks, sizeof(stream->rescan_ticks));
        stream->rescan_ticks--;
        return;
    }
    if (stream->is_dirty == 0 && stream->reloads == 0) {
        return;
    }
    realm_stream_touch(streaming, &stream->rescan_ticks, sizeof(stream->rescan_ticks));
    stream->rescan_ticks = REALM_STREAM_RESCAN_TICKS - 1;
    realm_stream_set_flag(streaming, &stream->is_dirty, 0);
    begin_reloads(streaming);
    begin_missing(streaming);
}

// ---- The work ----

static const RealmPlan *plan_of(Spending *spending, uint32_t index)
{
    const RealmStream *stream = spending->streaming->stream;
    uint16_t           prefix = stream->open_prefix[index], variant = stream->open_variant[index];
    RealmPlan         *plan = &spending->plans[index];
    if (!spending->has_plan[index] || plan->prefix != prefix || plan->variant != variant) {
        *plan = realm_generate_plan(spending->streaming->engine->context->setup->seed, prefix, variant);
        spending->has_plan[index] = true;
    }
    return plan;
}

static void pay(Spending *spending)
{
    TP_ASSERT(spending->left >= spending->streaming->engine->units);
    spending->left -= spending->streaming->engine->units;
}

static bool has_content(const RealmStreaming *streaming, uint32_t index)
{
    return realm_stream_config(streaming->engine, REALM_CONFIG_ARRIVAL) == 0 ||
           realm_stream_has_arrived(streaming->stream, streaming->stream->open_prefix[index]);
}

// The next piece that the draft's leaf does not have yet; nothing else remembers how far publication is.
static RealmAnswer publish_piece(RealmEngine *engine, RealmDraftHandle draft, const RealmLeaf *leaf, const RealmPlan *plan)
{
    if (leaf->has_terrain == 0) {
        RealmTerrainContent terrain;
        realm_generate_terrain(plan, &terrain);
        return realm_publish_terrain(engine, draft, &terrain);
    }
    if (leaf->cells < plan->rooms) {
        RealmCellContent cell;
        realm_generate_cell(plan, leaf->cells, &cell);
        return realm_publish_cell(engine, draft, &cell);
    }
    if (leaf->buildings < plan->houses) {
        RealmBuildingContent building;
        realm_generate_building(plan, leaf->buildings, &building);
        return realm_publish_building(engine, draft, &building);
    }
    if (leaf->statics < plan->statics) {
        RealmStaticContent content;
        realm_generate_static(plan, leaf->statics, &content);
        return realm_publish_static(engine, draft, &content);
    }
    return realm_publish_close(engine, draft);
}

static Outcome outcome_of(Spending *spending, uint32_t index, RealmAnswer answer)
{
    RealmStreaming *streaming = spending->streaming;
    pay(spending);
    if (answer == REALM_ERROR) {
        // A draft that is gone was ended by the call itself, for want of room; one that is not had content that was refused.
        bool is_gone = realm_draft_link(streaming->engine, realm_stream_open_at(streaming->stream, index).draft) == 0;
        cancel(streaming, index, is_gone ? &streaming->stream->ended : &streaming->stream->rejected);
        return OUTCOME_GONE;
    }
    if (answer == REALM_NOT_YET && streaming->engine->units == 0) {
        spending->is_first_short = spending->is_first_short || index == 0;
        return OUTCOME_IDLE;
    }
    return OUTCOME_WORKED;
}

static Outcome publish(Spending *spending, uint32_t index, RealmDraftHandle draft, const RealmLeaf *leaf)
{
    RealmStreaming *streaming = spending->streaming;
    if (!has_content(streaming, index)) {
        return OUTCOME_IDLE;
    }
    RealmAnswer answer = publish_piece(streaming->engine, draft, leaf, plan_of(spending, index));
    Outcome     outcome = outcome_of(spending, index, answer);
    uint32_t    link = outcome == OUTCOME_GONE ? 0 : realm_draft_link(streaming->engine, draft);
    if (link != 0 && realm_draft_at(streaming->engine, link)->phase == REALM_PHASE_CAPTURE && streaming->stream->fail_stage == 2) {
        realm_stream_set_flag(streaming, &streaming->stream->fail_stage, 0);
        cancel(streaming, index, &streaming->stream->failed);
        return OUTCOME_GONE;
    }
    return outcome;
}

// Ready is said and done in the same call: nobody can move between.
static Outcome seal(Spending *spending, uint32_t index, const RealmOpen *open)
{
    RealmStreaming *streaming = spending->streaming;
    RealmAnswer     answer = realm_seal(streaming->engine, open->draft);
    if (answer != REALM_DONE) {
        return outcome_of(spending, index, answer);
    }
    pay(spending);
    bool has_worked = streaming->engine->units != 0;
    if (realm_commit(streaming->engine, open->draft) != REALM_DONE) {
        return has_worked ? OUTCOME_WORKED : OUTCOME_IDLE; // an older draft is open
    }
    uint16_t prefix = realm_prefix(open->ticket.block);
    realm_stream_arrival_drop(streaming, prefix);
    realm_stream_variant_set(streaming, prefix, open->variant);
    forget(streaming, index, &streaming->stream->committed);
    return OUTCOME_GONE;
}

// One unit of one draft.
static Outcome advance(Spending *spending, uint32_t index)
{
    RealmStreaming *streaming = spending->streaming;
    RealmEngine    *engine = streaming->engine;
    RealmOpen       open = realm_stream_open_at(streaming->stream, index);
    uint32_t        link = realm_draft_link(engine, open.draft);
    if (link == 0) {
        forget(streaming, index, &streaming->stream->ended);
        return OUTCOME_GONE;
    }
    const RealmDraft *draft = realm_draft_at(engine, link);
    if (draft->phase == REALM_PHASE_MATERIALISE) {
        return outcome_of(spending, index, realm_materialise(engine, open.draft));
    }
    if (draft->phase == REALM_PHASE_PUBLISH) {
        return publish(spending, index, open.draft, realm_leaf_at(engine, draft->leaf));
    }
    return seal(spending, index, &open);
}

// Nobody could use a unit, the oldest draft for want of room. Drafts that each hold a part of the room would wait for each other until their
// deadlines, so what is farther away than the oldest goes, then the youngest. True: there will be room.
static bool make_room(RealmStreaming *streaming)
{
    RealmStream *stream = streaming->stream;
    if (evict(streaming, realm_stream_eyes_distance(streaming->eyes, stream->open_prefix[0]))) {
        return true;
    }
    if (stream->open > 1) {
        cancel(streaming, stream->open - 1, &stream->evicted);
        return true;
    }
    realm_stream_set_flag(streaming, &stream->is_stuck, 1);
    return false;
}

static bool work_round(Spending *spending)
{
    RealmStreaming *streaming = spending->streaming;
    bool            has_worked = false;
    spending->is_first_short = false;
    for (uint32_t i = 0; i < streaming->stream->open && spending->left > 0;) {
        Outcome outcome = advance(spending, i);
        has_worked = has_worked || outcome != OUTCOME_IDLE;
        if (i == 0 && outcome == OUTCOME_WORKED) {
            realm_stream_set_flag(streaming, &streaming->stream->is_stuck, 0);
        }
        i += outcome != OUTCOME_GONE;
    }
    if (spending->left > 0 && realm_is_retiring(streaming->engine)) {
        realm_retire(streaming->engine);
        pay(spending);
        has_worked = true;
    }
    return has_worked;
}

// Rounds of one unit for each draft, oldest first, and one for taking down, until the units are spent or nobody can use one. With fewer units than
// drafts the oldest gets them, and it activates first: its seal pays for what is being taken down, so that cannot starve.
static void spend(Spending *spending)
{
    bool goes_on = true;
    while (spending->left > 0 && goes_on) {
        goes_on = work_round(spending) || (spending->is_first_short && make_room(spending->streaming));
    }
}

void realm_stream_tick(RealmEngine *engine, RealmStream *stream, const RealmStreamEyes *eyes)
{
    RealmStreaming streaming = { engine, stream, eyes };
    Spending       spending = { .streaming = &streaming, .left = (uint64_t)realm_stream_config(engine, REALM_CONFIG_WORK_UNITS) };
    uint64_t       before = spending.left;
    prune(&streaming);
    sweep(&streaming);
    look(&streaming);
    spend(&spending);
    uint32_t units = (uint32_t)(before - spending.left);
    if (units != stream->units_last) {
        realm_stream_touch(&streaming, &stream->units_last, sizeof(stream->units_last));
        stream->units_last = units;
    }
}

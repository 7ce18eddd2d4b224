// room_check.c: comparing, record by record.
#include "room_check.h"

#include <assert.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bytes.h"

// The first finding stands: they come in file order, so it is the earliest.
__attribute__((format(printf, 3, 4))) static void find(RoomCheck *check, tp_verdict verdict, const char *format, ...)
{
    if (check->has_finding) {
        return;
    }
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(check->report->message, sizeof(check->report->message), format, arguments);
    va_end(arguments);
    check->report->verdict = verdict;
    check->has_finding = true;
}

static void find_damage(RoomCheck *check, uint64_t offset, const char *what, uint64_t tick)
{
    if (!check->has_finding) {
        check->report->offset = offset;
        find(check, TP_CORRUPT, "the %s at tick %" PRIu64 " contradicts the root that was checked for it", what, tick);
    }
}

static void root_of(tp_sim *sim, uint8_t root[16])
{
    tp_hash128_to_bytes(tp_sim_root(sim), root);
}

// `is_lost`: the run cannot be followed further, so there is nothing to locate.
static void diverge(RoomCheck *check, uint64_t tick, const uint8_t *expected, uint32_t size, bool is_lost, const char *what)
{
    tp_report *report = check->report;
    if (check->has_finding) {
        return;
    }
    find(check, TP_DIVERGED, "first bad tick %" PRIu64 ": %s", tick, what);
    report->bad_tick = tick;
    report->root_size = size;
    if (size > 0) {
        memcpy(report->expected_root, expected, size);
        root_of(check->sim, report->actual_root);
    }
    check->is_locating = !is_lost;
    check->locate_end = tick > UINT64_MAX - SERVER_LOCATE_TICKS ? UINT64_MAX : tick + SERVER_LOCATE_TICKS;
}

static void located(RoomCheck *check, const char *section, uint64_t tick)
{
    tp_report *report = check->report;
    size_t     used = strlen(report->message);
    check->is_locating = false;
    report->section_tick = tick;
    snprintf(report->section, sizeof(report->section), "%s", section);
    snprintf(report->message + used, sizeof(report->message) - used, "; section '%s' differs at tick %" PRIu64 " (%" PRIu64 " later)",
             section, tick, tick - report->bad_tick);
}

void room_check_init(RoomCheck *check, tp_report *report)
{
    memset(report, 0, sizeof(*report));
    *check = (RoomCheck){ .report = report };
}

void room_check_finish(RoomCheck *check)
{
    free(check->leaves);
    free(check->state);
    check->leaves = NULL;
    check->state = NULL;
    check->sim = NULL;
}

bool room_check_is_over(const RoomCheck *check)
{
    return check->has_finding && !check->is_locating;
}

static bool match_config(RoomCheck *check, const tp_ident *ident, const tp_world *world)
{
    for (uint32_t i = 0; i < ident->config_count || i < world->config_count; i++) {
        const char *log = i < ident->config_count ? ident->config_names[i] : "nothing";
        const char *here = i < world->config_count ? world->config[i].name : "nothing";
        if (strcmp(log, here) != 0) {
            find(check, TP_INCOMPATIBLE, "config item %u is '%s' in the log and '%s' in world '%s' here", i, log, here, world->name);
            return false;
        }
    }
    return true;
}

static bool match_world(RoomCheck *check, const tp_ident *ident, const tp_world *world)
{
    tp_error error;
    if (world == NULL) {
        find(check, TP_INCOMPATIBLE, "world '%s' (revision %u) is not here: give it with --world FILE.so", ident->world, ident->revision);
        return false;
    }
    if (!tp_world_check(world, &error)) {
        find(check, TP_INCOMPATIBLE, "world '%s': %.250s", ident->world, error.text);
        return false;
    }
    if (world->revision != ident->revision || ident->abi != TP_WORLD_ABI) {
        find(check, TP_INCOMPATIBLE, "world '%s' is revision %u (ABI %u) in the log and %u (ABI %u) here: give the old one with --world FILE.so",
             ident->world, ident->revision, ident->abi, world->revision, TP_WORLD_ABI);
        return false;
    }
    return match_config(check, ident, world);
}

static bool match_rules(RoomCheck *check, const tp_ident *ident, const tp_sim *sim)
{
    const tp_rules  *rules = tp_sim_rules(sim);
    const tp_layout *layout = tp_sim_layout(sim);
    if (rules->size == ident->rules.size && memcmp(rules->bytes, ident->rules.bytes, rules->size) == 0) {
        return true;
    }
    bool is_layout = !tp_hash128_equal(tp_layout_fingerprint(layout, ident->algorithm), ident->fingerprint);
    find(check, TP_INCOMPATIBLE, "the %s of world '%s' revision %u differs from what the log was recorded with",
         is_layout ? "layout" : "content", ident->world, ident->revision);
    return false;
}

static void fill_head(tp_report *report, const tp_ident *ident)
{
    snprintf(report->world, sizeof(report->world), "%s", ident->world);
    report->revision = ident->revision;
    report->players = ident->players;
    report->tick_rate_hz = ident->tick_rate_hz;
    report->seed = ident->seed;
    report->sequence = ident->sequence;
    report->first_tick = ident->first_tick;
}

static bool take_scratch(RoomCheck *check, const tp_sim *sim)
{
    size_t size = tp_sim_encoded_max(sim);
    // Every section may end in a piece that is not full.
    check->leaves_capacity = (uint32_t)(size / TP_LEAF_SIZE) + TP_SECTIONS_MAX + 2;
    check->leaves = calloc(check->leaves_capacity, sizeof(*check->leaves));
    check->state = malloc(size + 1);
    return check->leaves != NULL && check->state != NULL;
}

tp_sim *room_check_make_sim(RoomCheck *check, const tp_ident *ident,
                            const tp_world *(*find_world)(void *to, const char *name, uint32_t revision), void *find_to)
{
    tp_error error;
    fill_head(check->report, ident);
    const tp_world *world = find_world(find_to, ident->world, ident->revision);
    if (!match_world(check, ident, world)) {
        return NULL;
    }
    tp_setup       setup = { .seed = ident->seed, .players = ident->players, .tick_rate_hz = ident->tick_rate_hz,
                             .config = ident->config_values };
    tp_sim_options options = { .algorithm = ident->algorithm };
    tp_sim        *sim = tp_sim_create(world, &setup, &options, &error);
    if (sim == NULL) {
        find(check, TP_INCOMPATIBLE, "world '%s' refuses the log's rules: %.250s", ident->world, error.text);
        return NULL;
    }
    if (!match_rules(check, ident, sim)) {
        tp_sim_destroy(sim);
        return NULL;
    }
    if (!take_scratch(check, sim)) {
        find(check, TP_INTERNAL, "out of memory");
        tp_sim_destroy(sim);
        return NULL;
    }
    check->sim = sim;
    return sim;
}

// The state of a KEY that nothing here has proven: foreign bytes.
static bool adopt_key(RoomCheck *check, const tp_log_record *record, const tp_log_key *key)
{
    tp_error error;
    uint8_t  mine[16];
    uint8_t  claimed[16];
    check->report->offset = record->offset;
    if (!tp_sim_decode(check->sim, key->state, key->state_size, record->tick, key->input_leaf, key->event_leaf, &error)) {
        find(check, TP_CORRUPT, "the keyframe at tick %" PRIu64 " is no state of this world: %.200s", record->tick, error.text);
        return false;
    }
    root_of(check->sim, mine);
    tp_hash128_to_bytes(key->root, claimed);
    if (key->has_root && memcmp(mine, claimed, 16) != 0) {
        find(check, TP_CORRUPT, "the keyframe at tick %" PRIu64 " does not hash to its own root", record->tick);
        return false;
    }
    check->is_unproven = true;
    check->is_after_gap = false;
    return true;
}

// True when the KEY holds the world's state byte for byte; else `section` names the first that differs.
static bool holds_state(RoomCheck *check, const tp_log_key *key, char section[TP_NAME_SIZE_MAX + 1])
{
    const tp_layout *layout = tp_sim_layout(check->sim);
    tp_difference    difference;
    size_t           size = 0;
    bool             is_saved = tp_sim_encode(check->sim, check->state, tp_sim_encoded_max(check->sim), &size);
    if (is_saved && size == key->state_size && memcmp(check->state, key->state, size) == 0) {
        return true;
    }
    const char *name = "state";
    if (is_saved && layout->world->opaque == NULL && size == key->state_size &&
        tp_layout_difference(layout, key->state, check->state, &difference)) {
        name = layout->world->sections[difference.section].name;
    }
    snprintf(section, TP_NAME_SIZE_MAX + 1, "%s", name);
    return false;
}

bool room_check_start(RoomCheck *check, const tp_log_record *record, const tp_ident *ident)
{
    tp_log_key key = tp_log_parse_key(record);
    char       section[TP_NAME_SIZE_MAX + 1];
    uint8_t    mine[16];
    uint8_t    claimed[16];
    if (ident->sequence > 0) {
        return adopt_key(check, record, &key);
    }
    if (!holds_state(check, &key, section)) {
        diverge(check, record->tick, NULL, 0, false, "the state before it is not what init makes here");
        located(check, section, record->tick);
        return true;
    }
    root_of(check->sim, mine);
    tp_hash128_to_bytes(key.root, claimed);
    if (key.has_root && (memcmp(mine, claimed, 16) != 0 || key.input_leaf != 0 || key.event_leaf != 0)) {
        diverge(check, record->tick, claimed, 16, true, "the root of the state before it differs");
    }
    return true;
}

static void count_with_root(RoomCheck *check)
{
    if (check->has_last && !check->is_last_with_root) {
        check->is_last_with_root = true;
        check->report->with_root += 1;
    }
}

static void count_checked(RoomCheck *check)
{
    if (check->has_last && !check->is_last_checked) {
        check->is_last_checked = true;
        check->report->checked += 1;
    }
}

// Another record than the row speaks about the last tick. When the row's own root was checked the record is wrong, else
// the run is. True when it agrees.
static bool agrees(RoomCheck *check, tp_hash128 root, const char *what, const tp_log_record *record)
{
    uint8_t mine[16];
    uint8_t claimed[16];
    char    text[96];
    count_with_root(check);
    root_of(check->sim, mine);
    tp_hash128_to_bytes(root, claimed);
    if (memcmp(mine, claimed, 16) == 0) {
        return true;
    }
    if (check->is_last_checked && check->last_root_size > 0) {
        find_damage(check, record->offset, what, check->last_tick);
    } else {
        snprintf(text, sizeof(text), "the %s's root differs", what);
        diverge(check, check->has_last ? check->last_tick : record->tick, claimed, 16, false, text);
    }
    return false;
}

static void locate_by_key(RoomCheck *check, const tp_log_record *record, const tp_log_key *key)
{
    char section[TP_NAME_SIZE_MAX + 1];
    if (!holds_state(check, key, section)) {
        located(check, section, record->tick);
    }
}

bool room_check_key(RoomCheck *check, const tp_log_record *record)
{
    tp_log_key key = tp_log_parse_key(record);
    char       section[TP_NAME_SIZE_MAX + 1];
    if (check->is_after_gap) {
        return adopt_key(check, record, &key);
    }
    if (check->is_locating) {
        locate_by_key(check, record, &key);
        return true;
    }
    if (check->has_finding) {
        return true;
    }
    if (key.has_root && !agrees(check, key.root, "keyframe", record)) {
        if (check->is_locating) {
            locate_by_key(check, record, &key);
        }
        return true;
    }
    if (!holds_state(check, &key, section)) {
        if (check->is_last_checked) {
            find_damage(check, record->offset, "keyframe's state", check->last_tick);
        } else {
            diverge(check, check->has_last ? check->last_tick : record->tick, NULL, 0, false, "the keyframe's state differs");
            located(check, section, record->tick);
        }
    } else if (key.has_root &&
               (key.input_leaf != tp_sim_input_leaf(check->sim) || key.event_leaf != tp_sim_event_leaf(check->sim))) {
        find_damage(check, record->offset, "keyframe's input or event leaf", check->last_tick);
    } else if (key.has_root) {
        count_checked(check);
    }
    return true;
}

// The index of the first leaf that differs, or the count of those here when none does.
static uint32_t first_other_leaf(RoomCheck *check, const tp_log_leaves *leaves, uint32_t *state_count)
{
    uint32_t count = tp_sim_leaves(check->sim, check->leaves, check->leaves_capacity);
    assert(count + 2 <= check->leaves_capacity);
    uint32_t i = 0;
    while (i < count + 2 && i < leaves->count && bytes_get_u64(leaves->leaves + (size_t)i * 8) == check->leaves[i]) {
        i++;
    }
    *state_count = count;
    return i;
}

void room_check_leaves(RoomCheck *check, const tp_log_record *record)
{
    tp_log_leaves leaves = tp_log_parse_leaves(record);
    uint32_t      count;
    if (check->is_locating || (!check->has_finding && check->has_last && !agrees(check, leaves.root, "LEAVES record", record))) {
        if (!check->is_locating) {
            return;
        }
        uint32_t other = first_other_leaf(check, &leaves, &count);
        if (other < count) {
            located(check, tp_sim_leaf_name(check->sim, other), record->tick);
        } else if (record->tick == check->report->bad_tick) {
            // The state is the same: what differs is what came in or what came out.
            located(check, other == count ? "inputs" : "events", record->tick);
        }
        return;
    }
    if (check->has_finding || !check->has_last) {
        return;
    }
    if (first_other_leaf(check, &leaves, &count) != count + 2 || leaves.count != count + 2) {
        find_damage(check, record->offset, "LEAVES record", check->last_tick);
        return;
    }
    count_checked(check);
}

static void compare_root(RoomCheck *check, const tp_log_row *row)
{
    uint8_t mine[16];
    if (row->root_size == 0) {
        return;
    }
    count_with_root(check);
    root_of(check->sim, mine);
    if (memcmp(mine, row->root, row->root_size) != 0) {
        diverge(check, row->tick, row->root, row->root_size, false, "the root differs");
    } else {
        count_checked(check);
    }
}

static void find_illegal_row(RoomCheck *check, uint64_t tick, uint64_t offset, const tp_error *error)
{
    if (!check->has_finding) {
        check->report->offset = offset;
        find(check, TP_CORRUPT, "tick %" PRIu64 ": no legal row for this world: %.200s", tick, error->text);
    }
}

static void find_new_fault(RoomCheck *check, uint64_t tick)
{
    const tp_fault *fault = tp_sim_fault(check->sim);
    char            text[200];
    snprintf(text, sizeof(text), "the world faults here (%s: %.100s) and did not when it was recorded", tp_fault_name(fault->code), fault->what);
    diverge(check, tick, NULL, 0, true, text);
}

void room_check_row(RoomCheck *check, const tp_log_row *row, uint64_t offset, tp_sim_status status, const tp_error *error)
{
    check->report->stepped += 1;
    if (status != TP_SIM_OK) {
        if (status == TP_SIM_FAULTED) {
            find_new_fault(check, row->tick);
        } else {
            find_illegal_row(check, row->tick, offset, error);
        }
        check->is_locating = false; // the run ends here
        return;
    }
    check->has_last = true;
    check->last_tick = row->tick;
    check->last_root_size = row->root_size;
    check->is_last_checked = false;
    check->is_last_with_root = false;
    if (check->is_locating) {
        check->is_locating = row->tick < check->locate_end;
    } else if (!check->has_finding) {
        compare_root(check, row);
    }
}

void room_check_fault(RoomCheck *check, const tp_log_row *row, const uint8_t *root, uint64_t offset, tp_sim_status status,
                      const tp_error *error)
{
    uint8_t mine[16];
    check->report->stepped += 1;
    switch (status) {
    case TP_SIM_OK:
        diverge(check, row->tick, NULL, 0, true, "the log ends in a fault here and the world goes on");
        break;
    case TP_SIM_REFUSED:
        find_illegal_row(check, row->tick, offset, error);
        break;
    case TP_SIM_FAULTED:
        tp_hash128_to_bytes(tp_sim_fault_root(check->sim), mine);
        if (memcmp(mine, root, 16) != 0) {
            diverge(check, row->tick, root, 16, true, "both runs fault at this tick, but not from the same state and inputs");
        } else {
            check->report->has_fault = true;
            check->report->fault_tick = row->tick;
        }
        break;
    }
    check->is_locating = false;
}

void room_check_gap(RoomCheck *check, const tp_log_record *record)
{
    tp_log_gap gap = tp_log_parse_gap(record);
    check->report->gaps += 1;
    check->report->missing_ticks += gap.last - gap.first + 1;
    check->is_locating = false; // nothing past a gap belongs to this run
    check->is_after_gap = true;
    check->has_last = false;
    check->last_root_size = 0;
}

void room_check_end(RoomCheck *check, const tp_log_record *record)
{
    tp_log_end end = tp_log_parse_end(record);
    check->report->has_end = true;
    check->report->end_reason = end.reason;
    memcpy(check->report->chain, end.chain, TP_LOG_CHAIN_SIZE);
    if (end.has_root && !check->has_finding && agrees(check, end.root, "END", record)) {
        count_checked(check);
    }
    check->is_locating = false;
}

static void conclude_reading(RoomCheck *check, const tp_reader *reader, tp_log_status status)
{
    tp_report  *report = check->report;
    const char *message = tp_reader_message(reader);
    uint64_t    offset = tp_reader_offset(reader);
    bool        had_finding = check->has_finding;
    switch (status) {
    case TP_LOG_UNAUTHENTIC:
        if (report->verdict != TP_INCOMPATIBLE || !had_finding) {
            had_finding = check->has_finding = false; // more serious than whatever was found
            find(check, TP_UNAUTHENTIC, "%.300s", message);
        }
        break;
    case TP_LOG_CORRUPT: find(check, TP_CORRUPT, "%.300s", message); break;
    case TP_LOG_TRUNCATED: find(check, TP_TRUNCATED, "%.300s", message); break;
    case TP_LOG_UNSUPPORTED: find(check, TP_INCOMPATIBLE, "%.300s", message); break;
    case TP_LOG_IO: find(check, TP_INCOMPLETE, "%.300s", message); break;
    case TP_LOG_NO_MEMORY: find(check, TP_INTERNAL, "out of memory"); break;
    case TP_LOG_WAIT: find(check, TP_INCOMPLETE, "the log is still growing: no END yet"); break;
    case TP_LOG_OK:
    case TP_LOG_DONE: break;
    }
    if (!had_finding) {
        report->offset = offset;
    }
}

// Nothing is wrong so far: is everything right?
static void conclude_coverage(RoomCheck *check, bool stopped)
{
    tp_report *report = check->report;
    if (stopped) {
        find(check, TP_INCOMPLETE, "stopped after %" PRIu64 " ticks, which all matched", report->checked);
    } else if (report->recorded == 0) {
        if (!report->has_fault || check->is_unproven) {
            find(check, TP_INCOMPLETE, "no tick was recorded, so nothing was checked");
        }
    } else if (report->with_root == 0) {
        find(check, TP_UNVERIFIABLE, "no tick carries a checksum: nothing to compare with");
    } else if (report->gaps > 0) {
        find(check, TP_INCOMPLETE, "%" PRIu64 " ticks are missing in %" PRIu64 " gaps that the recorder admits", report->missing_ticks,
             report->gaps);
    } else if (report->checked < report->recorded) {
        find(check, TP_INCOMPLETE, "not every tick carries a checksum");
    } else if (check->is_unproven) {
        find(check, TP_INCOMPLETE, "the first state is taken from a keyframe: verify it together with the file before it (sequence %u)",
             report->sequence > 0 ? report->sequence - 1 : 0);
    } else if (!report->has_end) {
        find(check, TP_TRUNCATED, "no END");
    }
}

void room_check_conclude(RoomCheck *check, const tp_reader *reader, tp_log_status status, bool stopped)
{
    tp_report *report = check->report;
    report->log_status = status;
    report->recorded = tp_reader_ticks(reader);
    report->next_tick = tp_reader_next_tick(reader);
    report->is_signed = tp_reader_is_signed(reader, report->public_key);
    conclude_reading(check, reader, status);
    if (!check->has_finding) {
        conclude_coverage(check, stopped);
    }
    report->matched_ticks = report->verdict == TP_DIVERGED ? report->bad_tick - report->first_tick : report->checked;
    if (check->sim != NULL) {
        root_of(check->sim, report->final_root);
    }
}

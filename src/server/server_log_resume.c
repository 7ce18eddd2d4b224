// server_log_resume.c: taking up the log of a server that is no more. Everything is checked before anything is changed: the file is read
// once with its chain, then the world is stepped from the last KEY and held against every root.
#include "server_log_internal.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// One file that may be gone on with.
typedef struct Found {
    ServerLogName    name;
    char             path[SERVER_PATH_SIZE];
    int              file;
    bool             has_start; ///< IDENT and first KEY are there; else `recovery` is empty
    uint32_t         epoch_base;
    tp_recovery      recovery;
    ServerLogMembers members;
    tp_ident        *ident;
} Found;

static bool take_slot(const char **text, uint32_t *slot)
{
    uint32_t value = 0;
    int      digits = 0;
    while (**text >= '0' && **text <= '9' && digits < 3) {
        value = value * 10 + (uint32_t)(**text - '0');
        *text += 1;
        digits++;
    }
    *slot = value;
    return digits > 0 && value < TP_PLAYERS_MAX;
}

static bool take_hash(const char *text, uint8_t hash[SERVER_TOKEN_HASH])
{
    for (size_t i = 0; i < 2 * SERVER_TOKEN_HASH; i++) {
        const char *digits = "0123456789abcdef";
        const char *digit = text[i] == '\0' ? NULL : strchr(digits, text[i]);
        if (digit == NULL) {
            return false;
        }
        uint8_t value = (uint8_t)(digit - digits);
        hash[i / 2] = (uint8_t)(i % 2 == 0 ? value << 4 : hash[i / 2] | value);
    }
    return text[2 * SERVER_TOKEN_HASH] == '\0';
}

// A note that is not as the page says is a remark like any other.
void server_log_members_note(ServerLogMembers *members, const char *text, size_t size)
{
    char        copy[96];
    uint8_t     hash[SERVER_TOKEN_HASH];
    uint32_t    slot = 0;
    const char *at = copy + 5;
    if (size >= sizeof(copy) || size < 5 || memcmp(text, "slot ", 5) != 0) {
        return;
    }
    memcpy(copy, text, size);
    copy[size] = '\0';
    if (!take_slot(&at, &slot)) {
        return;
    }
    bool is_free = strcmp(at, " free") == 0;
    if (is_free || (strncmp(at, " token ", 7) == 0 && take_hash(at + 7, hash))) {
        members->is_told[slot] = true;
        members->is_taken[slot] = !is_free;
        memset(members->token_hash[slot], 0, SERVER_TOKEN_HASH);
        if (!is_free) {
            memcpy(members->token_hash[slot], hash, SERVER_TOKEN_HASH);
        }
    }
}

uint32_t server_log_epoch_of(const tp_ident *ident)
{
    size_t        offset = 0;
    tp_provenance item;
    uint32_t      epoch = 0;
    while (tp_provenance_next(ident->provenance, ident->provenance_size, &offset, &item)) {
        if (item.key_size != 5 || memcmp(item.key, "epoch", 5) != 0) {
            continue;
        }
        for (size_t i = 0; i < item.value_size && i < 9 && item.value[i] >= '0' && item.value[i] <= '9'; i++) {
            epoch = epoch * 10 + (uint32_t)(item.value[i] - '0');
        }
    }
    return epoch;
}

static void watch(void *to, const tp_ident *ident, const tp_log_record *record)
{
    Found *found = to;
    if (record->type == TP_LOG_IDENT) {
        found->epoch_base = server_log_epoch_of(ident);
        memcpy(found->ident, ident, sizeof(*ident));
    } else if (record->type == TP_LOG_NOTE) {
        tp_log_note note = tp_log_parse_note(record);
        if (note.kind == TP_NOTE_MEMBER) {
            server_log_members_note(&found->members, note.text, note.size);
        }
    }
}

static void finish_found(Found *found)
{
    if (found->file >= 0) {
        close(found->file);
    }
    if (found->has_start) {
        tp_recovery_finish(&found->recovery);
    }
    free(found->ident);
    *found = (Found){ .file = -1 };
}

// Reads a file of the room. False, with the reason, when it cannot be gone on with whatever is in it; a file without a start is no failure.
static bool read_found(const ServerLog *log, ServerLogName name, Found *found, tp_error *error)
{
    tp_error reason;
    *found = (Found){ .name = name, .file = -1 };
    (void)server_log_path(found->path, log->base, name); // it was found by that name
    found->file = open(found->path, O_RDWR | O_CLOEXEC);
    if (found->file < 0) {
        return tp_error_set(error, "%.150s: opening it: %s", found->path, strerror(errno));
    }
    if (!server_log_lock(found->file)) {
        return tp_error_set(error, "%.150s: another process has it as its log", found->path);
    }
    found->ident = calloc(1, sizeof(*found->ident));
    if (found->ident == NULL) {
        return tp_error_set(error, "%.150s: out of memory", found->path);
    }
    tp_source     source = tp_source_of_fd(&found->file);
    tp_log_status status = tp_log_recover_watched(&source, watch, found, &found->recovery, &reason);
    found->has_start = status == TP_LOG_OK;
    bool is_without_start = status == TP_LOG_TRUNCATED || status == TP_LOG_CORRUPT;
    return found->has_start || is_without_start || tp_error_set(error, "%.120s: %.120s", found->path, reason.text);
}

// What differs first, for people.
static bool say_rules(const Found *found, const ServerLog *log, tp_error *error)
{
    const tp_ident *ident = found->ident;
    const tp_setup *setup = &log->world.setup;
    if (strcmp(ident->world, log->world.world->name) != 0) {
        return tp_error_set(error, "%.120s: its rules are others: world %s, the room's is %s", found->path, ident->world, log->world.world->name);
    }
    const struct {
        const char *name;
        uint64_t    its, ours;
    } numbers[] = {
        { "revision", ident->revision, log->world.world->revision },
        { "seed", ident->seed, setup->seed },
        { "players", ident->players, setup->players },
        { "tick rate", ident->tick_rate_hz, setup->tick_rate_hz },
        { "hash", (uint64_t)ident->algorithm, (uint64_t)log->world.algorithm },
    };
    for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
        if (numbers[i].its != numbers[i].ours) {
            return tp_error_set(error, "%.120s: its rules are others: %s %" PRIu64 ", the room's is %" PRIu64, found->path, numbers[i].name,
                                numbers[i].its, numbers[i].ours);
        }
    }
    for (uint32_t i = 0; i < ident->config_count && i < log->world.world->config_count; i++) {
        if (ident->config_values[i] != log->world.config[i]) {
            return tp_error_set(error, "%.120s: its rules are others: %s %" PRId64 ", the room's is %" PRId64, found->path, ident->config_names[i],
                                ident->config_values[i], log->world.config[i]);
        }
    }
    return tp_error_set(error, "%.120s: its rules are others: tables or content of the world", found->path);
}

// Whether the file's world is the room's, and its bytes are whole up to where it ends.
static bool check_found(const Found *found, const ServerLog *log, const tp_sim *sim, tp_error *error)
{
    if (!tp_hash128_equal(found->recovery.rules_id, tp_sim_rules(sim)->id)) {
        return say_rules(found, log, error);
    }
    if (!found->recovery.is_ended && found->recovery.status == TP_LOG_CORRUPT) {
        return tp_error_set(error, "%.120s: damaged at offset %" PRIu64 ", and nothing is cut off there: look at it with tickproof verify",
                            found->path, found->recovery.good_size);
    }
    return true;
}

static bool is_ended_by_rotation(const Found *found)
{
    return found->has_start && found->recovery.is_ended && found->recovery.end_reason == TP_END_ROTATED;
}

static bool has_predecessor_end(const Found *found, const Found *before)
{
    return is_ended_by_rotation(before) && before->recovery.sequence + 1 == found->recovery.sequence &&
           memcmp(before->recovery.end_chain, found->recovery.predecessor, TP_LOG_CHAIN_SIZE) == 0;
}

// The file of the series before this one; a series that began without rotation has a first file without a part.
static bool read_before(const ServerLog *log, const Found *found, Found *before)
{
    tp_error      unsaid;
    ServerLogName name = { .number = found->name.number, .part = found->name.part - 1 };
    if (read_found(log, name, before, &unsaid) && before->has_start) {
        return true;
    }
    finish_found(before);
    name.part = 0;
    if (found->name.part == 2 && read_found(log, name, before, &unsaid) && before->has_start) {
        return true;
    }
    finish_found(before);
    return false;
}

// A crash inside a rotation leaves a next file without a row, or less than that. Which of the two goes on is decided by the END of the
// one before. A file that is to go is named in `doomed`.
static void settle_rotation(const ServerLog *log, Found *found, char doomed[SERVER_PATH_SIZE])
{
    Found before;
    if (found->name.part < 2 || (found->has_start && found->recovery.ticks > 0) || !read_before(log, found, &before)) {
        return;
    }
    if (found->has_start && has_predecessor_end(found, &before)) {
        // Its members were not told again yet: they are those of the file before, and what has changed since.
        for (uint32_t slot = 0; slot < TP_PLAYERS_MAX; slot++) {
            if (!found->members.is_told[slot] && before.members.is_taken[slot]) {
                found->members.is_taken[slot] = found->members.is_told[slot] = true;
                memcpy(found->members.token_hash[slot], before.members.token_hash[slot], SERVER_TOKEN_HASH);
            }
        }
    } else if (!before.recovery.is_ended || is_ended_by_rotation(&before)) {
        memcpy(doomed, found->path, SERVER_PATH_SIZE);
        Found next = *found;
        *found = before;
        before = next;
    }
    finish_found(&before);
}

// Takes the state of the last KEY into `sim`, which stands at tick 0.
static bool take_key(tp_sim *sim, const tp_log_record *record, tp_error *error)
{
    tp_log_key key = tp_log_parse_key(record);
    tp_error   reason;
    if (!key.has_root) {
        return tp_error_set(error, "its KEY of tick %" PRIu64 " has no root to hold against", record->tick);
    }
    if (record->tick > 0 && !tp_sim_decode(sim, key.state, key.state_size, record->tick, key.input_leaf, key.event_leaf, &reason)) {
        return tp_error_set(error, "its KEY of tick %" PRIu64 " is no state of this world: %.120s", record->tick, reason.text);
    }
    return tp_hash128_equal(tp_sim_root(sim), key.root) ||
           tp_error_set(error, "its KEY of tick %" PRIu64 " has another root than this build makes of it", record->tick);
}

static bool step_rows(tp_sim *sim, const tp_ident *ident, const tp_log_record *record, tp_error *error)
{
    tp_log_rows rows = tp_log_rows_of(ident, record);
    tp_log_row  row;
    tp_error    reason;
    while (tp_log_rows_next(&rows, &row)) {
        tp_sim_status status = tp_sim_step_bytes(sim, row.bytes, row.size, &reason);
        if (status != TP_SIM_OK) {
            return tp_error_set(error, "tick %" PRIu64 ": %.150s", row.tick, status == TP_SIM_REFUSED ? reason.text : "the world faults here");
        }
        uint8_t root[16];
        tp_hash128_to_bytes(tp_sim_root(sim), root);
        if (row.root_size == 0 || memcmp(root, row.root, row.root_size) != 0) {
            return tp_error_set(error, "tick %" PRIu64 ": %s", row.tick, row.root_size == 0 ? "it has no root to hold against" : "another root than this build makes");
        }
    }
    return true;
}

static bool step_from_key(tp_sim *sim, Found *found, tp_reader *reader, tp_error *error)
{
    tp_log_record record;
    if (tp_reader_seek(reader, found->recovery.last_key_offset, found->recovery.last_key_tick) != TP_LOG_OK) {
        return tp_error_set(error, "%.200s", tp_reader_message(reader));
    }
    bool is_good = true;
    bool has_key = false;
    while (is_good && tp_reader_offset(reader) < found->recovery.good_size) {
        if (tp_reader_next(reader, &record) != TP_LOG_OK) {
            return tp_error_set(error, "%.200s", tp_reader_message(reader));
        }
        if (record.type == TP_LOG_KEY && !has_key) {
            has_key = true;
            is_good = take_key(sim, &record, error);
        } else if (record.type == TP_LOG_TICKS) {
            is_good = step_rows(sim, tp_reader_ident(reader), &record, error);
        }
    }
    return is_good && (tp_sim_tick(sim) == found->recovery.next_tick || tp_error_set(error, "its rows end before its records do"));
}

// A world at the file's next tick, proven tick by tick. NULL with the reason.
static tp_sim *replay(const ServerLog *log, Found *found, tp_error *error)
{
    tp_error          reason = { "out of memory" };
    tp_reader        *reader = NULL;
    tp_reader_options options = { .skip_chain = true }; // it was checked a moment ago
    tp_source         source = tp_source_of_fd(&found->file);
    tp_sim           *sim = server_log_make_sim(&log->world, &reason);
    bool              is_good = sim != NULL;
    if (is_good) {
        is_good = tp_reader_open(&source, &options, &reader) == TP_LOG_OK && step_from_key(sim, found, reader, &reason);
    }
    tp_reader_close(reader);
    if (!is_good) {
        tp_sim_destroy(sim);
        tp_error_set(error, "%.100s: %.150s", found->path, reason.text);
        return NULL;
    }
    return sim;
}

static bool move_state(tp_sim *to, tp_sim *from, tp_error *error)
{
    tp_error reason = { "" };
    size_t   capacity = tp_sim_encoded_max(from);
    size_t   size = 0;
    uint8_t *bytes = malloc(capacity + 1);
    bool     is_good = bytes != NULL && tp_sim_encode(from, bytes, capacity, &size) &&
                   tp_sim_decode(to, bytes, size, tp_sim_tick(from), tp_sim_input_leaf(from), tp_sim_event_leaf(from), &reason);
    free(bytes);
    return is_good || tp_error_set(error, "bringing the room's world to tick %" PRIu64 ": %.150s", tp_sim_tick(from),
                                   reason.text[0] != '\0' ? reason.text : "out of memory");
}

static bool cut_to(const Found *found, uint64_t size, tp_error *error)
{
    bool is_cut = ftruncate(found->file, (off_t)size) == 0 && fsync(found->file) == 0 && lseek(found->file, (off_t)size, SEEK_SET) >= 0;
    return is_cut || tp_error_set(error, "%.120s: cutting it to %" PRIu64 " bytes: %s", found->path, size, strerror(errno));
}

static void own_file(ServerLog *log, Found *found)
{
    log->file = found->file;
    found->file = -1;
    memcpy(log->path, found->path, sizeof(log->path));
    log->members = found->members;
}

// The file's first bytes after it was taken up reach the disk before anybody is told of the epoch in them.
static bool write_first(ServerLog *log, tp_error *error)
{
    if (log->writer == NULL || !tp_writer_back(log->writer)) {
        return false;
    }
    const char *failure = tp_writer_error(log->writer);
    return failure == NULL || tp_error_set(error, "going on with %.100s: %.120s", log->path, failure);
}

static ServerLogTaking resume(ServerLog *log, tp_sim *sim, Found *found, ServerLogTakenUp *taken_up, tp_error *error)
{
    uint64_t none = 0;
    uint64_t good_size = found->recovery.good_size;
    if (!cut_to(found, good_size, error)) {
        return SERVER_LOG_TAKING_FAILED;
    }
    own_file(log, found);
    log->recovery = found->recovery;
    found->has_start = false; // it is the log's now
    log->epoch_base = found->epoch_base;
    taken_up->epoch = found->epoch_base + log->recovery.epoch + 1;
    taken_up->cut_bytes = log->recovery.cut_bytes;
    log->writer = server_log_go_on(log, sim, true, &none, error);
    tp_recovery_finish(&log->recovery);
    if (write_first(log, error)) {
        taken_up->is_taken_up = true;
        return SERVER_LOG_TAKING_DONE;
    }
    // What was cut off was no record; what the failed write left is none either.
    (void)!ftruncate(log->file, (off_t)good_size);
    return SERVER_LOG_TAKING_FAILED;
}

// The series goes on with a file that was not made, or was lost with its first bytes.
static ServerLogTaking begin_next(ServerLog *log, tp_sim *sim, const Found *before, ServerLogTakenUp *taken_up, tp_error *error)
{
    tp_writer_options options;
    ServerLogName     name = { .number = before->name.number, .part = before->recovery.sequence + 2 };
    log->sequence = before->recovery.sequence + 1;
    memcpy(log->predecessor, before->recovery.end_chain, TP_LOG_CHAIN_SIZE);
    log->epoch_base = before->epoch_base + before->recovery.epoch + 1;
    log->members = before->members;
    if (!server_log_path(log->path, log->base, name)) {
        tp_error_set(error, "the path of the next file of %.150s is too long", before->path);
        return SERVER_LOG_TAKING_FAILED;
    }
    log->file = server_log_create(log->path);
    if (log->file < 0) {
        tp_error_set(error, "making the next file of the series, %.150s: %s", log->path, strerror(errno));
        return SERVER_LOG_TAKING_FAILED;
    }
    server_log_writer_options(log, log->epoch_base, &options);
    log->writer = tp_writer_create(&log->sink, sim, &options, true, error);
    if (!write_first(log, error) || (log->durability != TP_DURABLE_NONE && !log->sink.sync(log->sink.self))) {
        unlink(log->path);
        return SERVER_LOG_TAKING_FAILED;
    }
    log->start_bytes = tp_writer_bytes(log->writer);
    server_log_tell_members(log, false);
    taken_up->epoch = log->epoch_base;
    taken_up->is_taken_up = true;
    return SERVER_LOG_TAKING_DONE;
}

// A run that ended in a fault is over: its log gets the END that it was killed before.
static void finish_fault(ServerLog *log, tp_sim *at_end, Found *found, tp_error *said)
{
    tp_writer_options options;
    tp_error          error;
    tp_sink           sink = tp_sink_of_fd(&found->file);
    server_log_writer_options(log, 0, &options);
    options.rotate_ticks = 0;
    tp_writer *writer = !cut_to(found, found->recovery.good_size, &error) ? NULL
                                                                          : tp_writer_resume(&sink, at_end, &options, &found->recovery, false, &error);
    bool is_done = writer != NULL && tp_writer_finish(writer, at_end, TP_END_FAULT);
    if (writer != NULL && !is_done) {
        tp_error_set(&error, "%.200s", tp_writer_error(writer) != NULL ? tp_writer_error(writer) : "no reason was given");
        (void)!ftruncate(found->file, (off_t)found->recovery.good_size);
    }
    tp_writer_destroy(writer);
    tp_error_set(said, is_done ? "%.120s: its run faulted at tick %" PRIu64 "; END was added%s" : "%.120s: its run faulted at tick %" PRIu64 "; END could not be added: %.80s",
                 found->path, found->recovery.next_tick, is_done ? "" : error.text);
}

static ServerLogTaking go_on_with(ServerLog *log, tp_sim *sim, Found *found, const char *doomed, ServerLogTakenUp *taken_up, tp_error *error)
{
    tp_error said = { "" };
    tp_sim  *at_end = check_found(found, log, sim, &said) ? replay(log, found, &said) : NULL;
    ServerLogTaking taking = SERVER_LOG_TAKING_NONE;
    if (at_end != NULL && found->recovery.has_fault) {
        finish_fault(log, at_end, found, &said);
    } else if (at_end != NULL) {
        bool is_moved = move_state(sim, at_end, error);
        if (is_moved && doomed[0] != '\0') {
            unlink(doomed);
        }
        taking = !is_moved                     ? SERVER_LOG_TAKING_FAILED
                 : is_ended_by_rotation(found) ? begin_next(log, sim, found, taken_up, error)
                                               : resume(log, sim, found, taken_up, error);
    }
    tp_sim_destroy(at_end);
    memcpy(taken_up->passed_over, said.text, sizeof(taken_up->passed_over));
    return taking;
}

ServerLogTaking server_log_take_up(ServerLog *log, tp_sim *sim, ServerLogTakenUp *taken_up, tp_error *error)
{
    ServerLogName newest;
    Found         found;
    tp_error      said = { "" };
    char          doomed[SERVER_PATH_SIZE] = "";
    if (!server_log_find_newest(log->base, &newest, error)) {
        return SERVER_LOG_TAKING_FAILED;
    }
    log->number = newest.number + 1;
    if (newest.number == 0) {
        return SERVER_LOG_TAKING_NONE;
    }
    if (!read_found(log, newest, &found, &said)) {
        memcpy(taken_up->passed_over, said.text, sizeof(taken_up->passed_over));
        finish_found(&found);
        return SERVER_LOG_TAKING_NONE;
    }
    settle_rotation(log, &found, doomed);
    ServerLogTaking taking = SERVER_LOG_TAKING_NONE;
    if (!found.has_start) {
        tp_error_set(&said, "%.150s: it ends before its first state", found.path);
        memcpy(taken_up->passed_over, said.text, sizeof(taken_up->passed_over));
    } else if (!found.recovery.is_ended || is_ended_by_rotation(&found)) {
        uint32_t epoch = found.epoch_base + found.recovery.epoch;
        log->number = found.name.number;
        taking = go_on_with(log, sim, &found, doomed, taken_up, error);
        if (taking == SERVER_LOG_TAKING_NONE) {
            log->number = newest.number + 1;
            log->epoch_base = epoch + 1; // clients of the log before must not take the new run for it
        }
    }
    finish_found(&found);
    return taking;
}

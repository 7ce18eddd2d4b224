// server_log.c: opening and closing, provenance, and what the tick thread gives to the log.
#include "server_log_internal.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#if defined(__x86_64__)
#define ARCHITECTURE "x86_64"
#elif defined(__aarch64__)
#define ARCHITECTURE "aarch64"
#elif defined(__riscv)
#define ARCHITECTURE "riscv"
#else
#define ARCHITECTURE "other"
#endif

#if defined(__clang__)
#define COMPILER "clang " __clang_version__
#else
#define COMPILER "gcc " __VERSION__
#endif

enum { MEMBER_TEXT_SIZE = 64 };

static void add_item(ServerLog *log, const char *key, const char *value)
{
    if (value != NULL) {
        log->items[log->item_count++] = (tp_provenance){ .key = key, .key_size = strlen(key), .value = value, .value_size = strlen(value) };
    }
}

static bool starts_with(const tp_provenance *item, const char *text)
{
    size_t size = strlen(text);
    return item->key_size >= size && memcmp(item->key, text, size) == 0;
}

// The match and its players are the same ones; build and compiler are not.
static void fill_items(ServerLog *log, const ServerLogOptions *options)
{
    size_t        offset = 0;
    tp_provenance item;
    add_item(log, "build", options->build);
    add_item(log, "compiler", COMPILER);
    add_item(log, "architecture", ARCHITECTURE);
    tp_numerics(log->numerics);
    add_item(log, "numerics", log->numerics);
    add_item(log, "room", options->room);
    add_item(log, "source", options->source);
    const tp_ident *ident = options->ident;
    while (ident != NULL && log->item_count < SERVER_LOG_ITEMS - 1 &&
           tp_provenance_next(ident->provenance, ident->provenance_size, &offset, &item)) {
        if (starts_with(&item, "slot.") || (item.key_size == 5 && starts_with(&item, "match"))) {
            log->items[log->item_count++] = item;
        }
    }
}

// The texts are the caller's until now; a writer may be made much later.
static bool own_items(ServerLog *log, tp_error *error)
{
    size_t size = 0;
    for (uint32_t i = 0; i < log->item_count; i++) {
        size += log->items[i].key_size + log->items[i].value_size;
    }
    log->texts = malloc(size + 1);
    if (log->texts == NULL) {
        return tp_error_set(error, "out of memory for a log's provenance");
    }
    char *at = log->texts;
    for (uint32_t i = 0; i < log->item_count; i++) {
        tp_provenance *item = &log->items[i];
        memcpy(at, item->key, item->key_size);
        item->key = at;
        at += item->key_size;
        memcpy(at, item->value, item->value_size);
        item->value = at;
        at += item->value_size;
    }
    return true;
}

void server_log_writer_options(ServerLog *log, uint32_t epoch, tp_writer_options *options)
{
    uint32_t count = log->item_count;
    tp_writer_options_standard(options);
    if (epoch > 0) {
        snprintf(log->epoch_text, sizeof(log->epoch_text), "%" PRIu32, epoch);
        log->items[count++] = (tp_provenance){ .key = "epoch", .key_size = 5, .value = log->epoch_text, .value_size = strlen(log->epoch_text) };
    }
    options->durability = log->durability;
    options->sign_key = log->sign_key;
    options->rotate_ticks = log->rotate_ticks;
    options->provenance = log->items;
    options->provenance_count = count;
    options->sequence = log->sequence;
    memcpy(options->predecessor, log->predecessor, TP_LOG_CHAIN_SIZE);
}

static void keep_world(ServerLogWorld *world, const tp_sim *sim)
{
    const tp_layout *layout = tp_sim_layout(sim);
    world->world = layout->world;
    world->setup = layout->setup;
    memcpy(world->config, layout->config, sizeof(world->config));
    world->setup.config = world->config;
    world->algorithm = tp_sim_rules(sim)->algorithm;
}

tp_sim *server_log_make_sim(const ServerLogWorld *world, tp_error *error)
{
    tp_sim_options options = { .algorithm = world->algorithm };
    return tp_sim_create(world->world, &world->setup, &options, error);
}

// DIRECTORY/ROOM, and the run of it where there are several.
static bool make_base(ServerLog *log, const ServerLogOptions *options, tp_error *error)
{
    char loop[32] = "";
    char path[SERVER_PATH_SIZE];
    if (options->loop > 1) {
        snprintf(loop, sizeof(loop), ".loop%u", options->loop);
    }
    size_t size = strlen(options->directory) + strlen(options->room) + sizeof(loop) + 2;
    log->base = malloc(size);
    if (log->base == NULL) {
        return tp_error_set(error, "out of memory for a log's name");
    }
    snprintf(log->base, size, "%s/%s%s", options->directory, options->room, loop);
    return server_log_path(path, log->base, (ServerLogName){ .number = SERVER_LOG_NUMBERS, .part = log->rotate_ticks > 0 ? 9999 : 0 }) ||
           tp_error_set(error, "the path of its own log is longer than %d bytes: give a shorter --record directory", SERVER_PATH_SIZE - 1);
}

// A server that starts again finds its logs of before: they stay, and the new ones get the next number. Where only the names' own order
// says which log is the newest, a number that is free because its file was taken away is not used again.
static bool open_new(ServerLog *log, tp_error *error)
{
    for (uint32_t number = log->number > 0 ? log->number : 1; number <= SERVER_LOG_NUMBERS; number++) {
        (void)server_log_path(log->path, log->base, (ServerLogName){ .number = number, .part = log->rotate_ticks > 0 ? log->sequence + 1 : 0 });
        log->file = server_log_create(log->path);
        if (log->file >= 0) {
            log->number = number;
            return true;
        }
        if (errno != EEXIST) {
            return tp_error_set(error, "making its own log %.150s: %s", log->path, strerror(errno));
        }
    }
    return tp_error_set(error, "making its own log: %.150s and all before it are there already: move them or give another --record directory", log->path);
}

static bool start_new(ServerLog *log, tp_sim *sim, tp_error *error)
{
    tp_writer_options options;
    if (!open_new(log, error)) {
        return false;
    }
    server_log_writer_options(log, log->epoch_base, &options);
    log->writer = tp_writer_create(&log->sink, sim, &options, true, error);
    // What a log begins with is written here: without it there is nothing that a later try could go on with.
    if (log->writer != NULL && tp_writer_back(log->writer)) {
        const char *failure = tp_writer_error(log->writer);
        if (failure == NULL) {
            log->start_bytes = tp_writer_bytes(log->writer);
            return true;
        }
        tp_error_set(error, "making its own log %.120s: %.100s", log->path, failure);
    }
    unlink(log->path); // made a moment ago, and nobody's
    return false;
}

static bool start_thread(ServerLog *log, tp_error *error)
{
    uv_thread_options_t thread_options = { .flags = UV_THREAD_HAS_STACK_SIZE, .stack_size = SERVER_RECORDER_STACK };
    int                 status = uv_thread_create_ex(&log->thread, &thread_options, server_log_record, log);
    log->has_thread = status == 0;
    return status == 0 || tp_error_set(error, "starting the recorder thread: %s", uv_strerror(status));
}

static bool make_lock(ServerLog *log, tp_error *error)
{
    if (uv_mutex_init(&log->mutex) == 0) {
        if (uv_cond_init(&log->changed) == 0) {
            log->has_lock = true;
            return true;
        }
        uv_mutex_destroy(&log->mutex);
    }
    return tp_error_set(error, "out of memory for a log's lock");
}

static void close_all(ServerLog *log)
{
    tp_writer_destroy(log->writer);
    log->writer = NULL;
    server_log_drop_next(log);
    if (log->file >= 0) {
        close(log->file);
        log->file = -1;
    }
    if (log->has_lock) {
        uv_cond_destroy(&log->changed);
        uv_mutex_destroy(&log->mutex);
        log->has_lock = false;
    }
    tp_recovery_finish(&log->recovery);
    free(log->last.state);
    free(log->base);
    free(log->texts);
    log->last.state = NULL;
    log->base = log->texts = NULL;
}

static bool prepare(ServerLog *log, tp_sim *sim, const ServerLogOptions *options, tp_error *error)
{
    log->file = log->next_file = -1;
    log->drained = options->drained;
    log->to = options->to;
    log->durability = options->durability;
    log->sign_key = options->sign_key;
    log->rotate_ticks = options->rotate_ticks;
    if (options->ident != NULL) {
        log->sequence = options->ident->sequence;
        memcpy(log->predecessor, options->ident->predecessor, TP_LOG_CHAIN_SIZE);
    }
    keep_world(&log->world, sim);
    size_t state = tp_sim_encoded_max(sim);
    log->probe_size = SERVER_LOG_PROBE_BYTES + state;
    log->sink = server_log_sink(log);
    fill_items(log, options);
    return make_base(log, options, error) && own_items(log, error) && make_lock(log, error);
}

static bool start(ServerLog *log, tp_sim *sim, const ServerLogOptions *options, ServerLogTakenUp *taken_up, tp_error *error)
{
    ServerLogTaking taking = SERVER_LOG_TAKING_NONE;
    if (options->goes_on) {
        taking = server_log_take_up(log, sim, taken_up, error);
    } else if (options->rotate_ticks > 0) {
        ServerLogName newest;
        if (!server_log_find_newest(log->base, &newest, error)) {
            return false;
        }
        log->number = newest.number + 1;
    }
    if (taking == SERVER_LOG_TAKING_FAILED || (taking == SERVER_LOG_TAKING_NONE && !start_new(log, sim, error))) {
        return false;
    }
    for (uint32_t slot = 0; taking == SERVER_LOG_TAKING_DONE && options->member != NULL && slot < TP_PLAYERS_MAX; slot++) {
        if (log->members.is_taken[slot]) {
            options->member(options->member_to, slot, log->members.token_hash[slot]);
        }
    }
    if (start_thread(log, error)) {
        return true;
    }
    if (taking == SERVER_LOG_TAKING_NONE) {
        unlink(log->path); // made a moment ago, and nobody's
    }
    return false;
}

bool server_log_open(ServerLog *log, tp_sim *sim, const ServerLogOptions *options, ServerLogTakenUp *taken_up, tp_error *error)
{
    ServerLogTakenUp unasked;
    taken_up = taken_up != NULL ? taken_up : &unasked;
    memset(taken_up, 0, sizeof(*taken_up));
    memset(log, 0, sizeof(*log));
    bool is_open = prepare(log, sim, options, error) && start(log, sim, options, taken_up, error);
    if (!is_open) {
        close_all(log);
    }
    taken_up->epoch = taken_up->is_taken_up ? taken_up->epoch : log->epoch_base;
    taken_up->next_tick = tp_sim_tick(sim);
    return is_open;
}

bool server_log_is_open(const ServerLog *log)
{
    return log->writer != NULL;
}

// A new file of a series begins without members: those that there are are told again, in the buffer behind its start.
void server_log_tell_members(ServerLog *log, bool with_free)
{
    for (uint32_t slot = 0; slot < TP_PLAYERS_MAX; slot++) {
        if (log->members.is_taken[slot] || (with_free && log->members.is_told[slot])) {
            server_log_member(log, slot, log->members.is_taken[slot] ? log->members.token_hash[slot] : NULL);
        }
    }
}

bool server_log_tick(ServerLog *log, tp_sim *sim, const tp_row *row)
{
    if (log->is_down || !tp_writer_tick(log->writer, sim, row)) {
        return false;
    }
    if (log->rotate_ticks != 0 && tp_sim_tick(sim) % log->rotate_ticks == 0) {
        server_log_tell_members(log, false);
    }
    return true;
}

void server_log_flush(ServerLog *log)
{
    if (log->writer != NULL && !log->is_finished) {
        (void)tp_writer_flush(log->writer); // a failure shows at the next tick
    }
}

bool server_log_fault(ServerLog *log, tp_sim *sim, const tp_row *row)
{
    return !log->is_down && tp_writer_fault(log->writer, sim, row);
}

bool server_log_gap(ServerLog *log, tp_sim *sim, uint64_t first, tp_gap_cause cause)
{
    return !log->is_down && tp_writer_gap(log->writer, sim, first, cause);
}

void server_log_member(ServerLog *log, uint32_t slot, const uint8_t token_hash[SERVER_TOKEN_HASH])
{
    char text[MEMBER_TEXT_SIZE];
    if (slot >= TP_PLAYERS_MAX) {
        return;
    }
    int size = snprintf(text, sizeof(text), "slot %" PRIu32 " free", slot);
    if (token_hash != NULL) {
        size = snprintf(text, sizeof(text), "slot %" PRIu32 " token ", slot);
        for (size_t i = 0; i < SERVER_TOKEN_HASH; i++) {
            size += snprintf(text + size, sizeof(text) - (size_t)size, "%02x", token_hash[i]);
        }
    }
    server_log_members_note(&log->members, text, (size_t)size);
    if (!log->is_down && !log->is_finished) {
        (void)tp_writer_note(log->writer, TP_NOTE_MEMBER, text, (size_t)size); // a failure shows with the next tick
    }
}

void server_log_note(ServerLog *log, const char *text, size_t size)
{
    if (!log->is_finished && !log->is_down) {
        (void)tp_writer_note(log->writer, TP_NOTE_TEXT, text, size); // a remark that does not fit costs nothing else
    }
}

bool server_log_has_rotated(ServerLog *log)
{
    uv_mutex_lock(&log->mutex);
    bool has_turned = log->has_turned;
    if (has_turned) {
        memcpy(log->path, log->turned_path, sizeof(log->path));
        log->has_turned = false;
    }
    uv_mutex_unlock(&log->mutex);
    return has_turned;
}

bool server_log_has_not_rotated(const ServerLog *log, tp_error *error)
{
    return tp_writer_has_not_rotated(log->writer, error);
}

// From now on the old writer is only asked what it has come to; the recorder drops what it was given and turns to the file.
static void go_down(ServerLog *log, ServerLogPhase phase, const tp_writer_failure *failure)
{
    log->is_down = true;
    uv_mutex_lock(&log->mutex);
    log->failure = *failure;
    log->phase = phase;
    snprintf(log->error, sizeof(log->error), "%s", tp_writer_error(log->writer));
    uv_mutex_unlock(&log->mutex);
    tp_writer_abandon(log->writer);
}

static tp_gap_cause cause_of(const tp_writer_failure *failure)
{
    bool is_full = failure->reason == ENOSPC || failure->reason == EDQUOT || failure->reason == EFBIG;
    return is_full ? TP_GAP_STORAGE_FULL : TP_GAP_STORAGE_ERROR;
}

tp_writer *server_log_go_on(ServerLog *log, tp_sim *sim, bool threaded, uint64_t *gap_ticks, tp_error *error)
{
    tp_writer_options  options;
    const tp_recovery *recovery = &log->recovery;
    server_log_writer_options(log, log->epoch_base + recovery->epoch + 1, &options);
    tp_writer *writer = tp_writer_resume(&log->sink, sim, &options, recovery, threaded, error);
    if (writer == NULL) {
        return NULL;
    }
    *gap_ticks = tp_sim_tick(sim) - recovery->next_tick;
    if (*gap_ticks > 0 && !tp_writer_gap(writer, sim, recovery->next_tick, cause_of(&log->failure))) {
        tp_error_set(error, "%.250s", tp_writer_error(writer) != NULL ? tp_writer_error(writer) : "the gap could not be written");
        tp_writer_destroy(writer);
        return NULL;
    }
    return writer;
}

// The disk takes bytes again, and the recorder waits. Nothing here touches the disk: the new writer's records wait in its buffers.
static bool come_back(ServerLog *log, tp_sim *sim, uint64_t *gap_ticks)
{
    tp_error   error;
    tp_writer *writer = server_log_go_on(log, sim, true, gap_ticks, &error);
    uv_mutex_lock(&log->mutex);
    if (writer == NULL) {
        snprintf(log->error, sizeof(log->error), "going on with it: %s", error.text);
        log->phase = SERVER_LOG_RESTING;
        uv_mutex_unlock(&log->mutex);
        return false;
    }
    log->durable_tick = server_log_durable_tick(log);
    tp_writer_destroy(log->writer);
    log->writer = writer;
    log->is_down = false;
    log->error[0] = '\0';
    log->phase = SERVER_LOG_WRITING;
    uv_cond_signal(&log->changed);
    uv_mutex_unlock(&log->mutex);
    server_log_tell_members(log, true);
    return true;
}

bool server_log_retry(ServerLog *log, tp_sim *sim, int64_t now_ns, uint64_t *gap_ticks)
{
    tp_writer_failure failure;
    *gap_ticks = 0;
    if (log->is_finished) {
        return false;
    }
    if (!log->is_down) {
        // What the log refused for another reason, the disk cannot mend.
        if (tp_writer_has_failed(log->writer, &failure)) {
            log->retry_ns = now_ns + (int64_t)SERVER_LOG_RETRY_MS * 1000000;
            go_down(log, SERVER_LOG_CUTTING, &failure);
        }
        return false;
    }
    uv_mutex_lock(&log->mutex);
    ServerLogPhase phase = log->phase;
    if (phase == SERVER_LOG_RESTING && now_ns >= log->retry_ns) {
        log->retry_ns = now_ns + (int64_t)SERVER_LOG_RETRY_MS * 1000000;
        log->phase = SERVER_LOG_PROBING;
        uv_cond_signal(&log->changed);
    }
    uv_mutex_unlock(&log->mutex);
    return phase == SERVER_LOG_READY && come_back(log, sim, gap_ticks);
}

// All that the recorder needs to end the log without the sim.
static void keep_last(ServerLog *log, tp_sim *sim, tp_end_reason reason)
{
    ServerLogLast *last = &log->last;
    size_t         capacity = tp_sim_encoded_max(sim);
    last->tick = tp_sim_tick(sim);
    last->reason = reason;
    last->input_leaf = tp_sim_input_leaf(sim);
    last->event_leaf = tp_sim_event_leaf(sim);
    last->state = malloc(capacity + 1);
    if (last->state != NULL && !tp_sim_encode(sim, last->state, capacity, &last->size)) {
        free(last->state);
        last->state = NULL;
    }
}

void server_log_finish(ServerLog *log, tp_sim *sim, tp_end_reason reason)
{
    tp_writer_failure failure;
    if (log->is_finished) {
        return;
    }
    log->is_finished = true;
    if (!log->is_down && !tp_writer_has_failed(log->writer, &failure)) {
        tp_writer_finish(log->writer, sim, reason); // a failure shows in server_log_error
        return;
    }
    keep_last(log, sim, reason);
    if (!log->is_down) {
        go_down(log, SERVER_LOG_LAST, &failure);
        return;
    }
    uv_mutex_lock(&log->mutex);
    log->phase = SERVER_LOG_LAST;
    uv_cond_signal(&log->changed);
    uv_mutex_unlock(&log->mutex);
}

const char *server_log_error(ServerLog *log)
{
    uv_mutex_lock(&log->mutex);
    memcpy(log->told, log->error, sizeof(log->told));
    uv_mutex_unlock(&log->mutex);
    return log->told[0] != '\0' ? log->told : log->is_down ? NULL : tp_writer_error(log->writer);
}

uint64_t server_log_durable_tick(const ServerLog *log)
{
    uint64_t tick = tp_writer_durable_tick(log->writer);
    return tick > log->durable_tick ? tick : log->durable_tick;
}

bool server_log_is_drained(const ServerLog *log)
{
    return atomic_load_explicit(&log->is_drained, memory_order_acquire);
}

uint64_t server_log_close(ServerLog *log)
{
    uv_thread_join(&log->thread);
    off_t    size = lseek(log->file, 0, SEEK_END);
    uint64_t bytes = log->ended_bytes + (size > 0 ? (uint64_t)size : 0);
    close_all(log);
    return bytes;
}

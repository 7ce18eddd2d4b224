// batch_child.c: one verification with a heartbeat.
#include "batch_child.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#ifdef __GLIBC__
#    include <malloc.h>
#endif

typedef struct {
    ChildCell           *cell;
    const BatchOptions  *options;
    const volatile bool *stop;
    tp_source            source; // the file's own
    int                  fd;     // of it, -1 for standard input
    WorldSet             worlds;
} Child;

static void beat(ChildCell *cell, ChildActivity activity)
{
    atomic_store_explicit(&cell->activity, activity, memory_order_relaxed);
    atomic_fetch_add_explicit(&cell->beat, 1, memory_order_release);
}

static void each_tick(void *to, tp_sim *sim, uint64_t tick, bool is_finished)
{
    const Child *child = to;
    (void)sim;
    if (is_finished) {
        atomic_fetch_add_explicit(&child->cell->ticks_done, 1, memory_order_relaxed);
        beat(child->cell, CHILD_KEEPING);
    } else {
        atomic_store_explicit(&child->cell->tick, tick, memory_order_relaxed);
        beat(child->cell, CHILD_STEPPING);
    }
}

// From here to the first tick the world's init runs, which may hang as well as a step.
static const tp_world *find_world(void *to, const char *name, uint32_t revision)
{
    Child *child = to;
    beat(child->cell, CHILD_STARTING);
    return worlds_search(&child->worlds, name, revision);
}

static bool wait_for_more(void *to)
{
    const Child          *child = to;
    const struct timespec pause = { .tv_nsec = 20 * 1000 * 1000 };
    struct stat           status;
    beat(child->cell, CHILD_READING);
    nanosleep(&pause, NULL);
    // Nobody can add to a file that has no name any more.
    bool is_deleted = child->fd >= 0 && fstat(child->fd, &status) == 0 && status.st_nlink == 0;
    return !*child->stop && !is_deleted;
}

static int64_t read_with_beat(void *self, uint64_t offset, void *buffer, size_t size)
{
    const Child *child = self;
    int          activity = atomic_load_explicit(&child->cell->activity, memory_order_relaxed);
    beat(child->cell, CHILD_READING);
    int64_t got = child->source.read_at(child->source.self, offset, buffer, size);
    beat(child->cell, activity == CHILD_READING ? CHILD_KEEPING : (ChildActivity)activity);
    return got;
}

static int64_t size_of_source(void *self)
{
    const Child *child = self;
    return child->source.size(child->source.self);
}

static uint8_t *read_source(const tp_source *source, size_t *size)
{
    int64_t  total = source->size(source->self);
    uint8_t *bytes = total < 0 ? NULL : malloc((size_t)total + 1);
    if (bytes == NULL || source->read_at(source->self, 0, bytes, (size_t)total) != total) {
        free(bytes);
        return NULL;
    }
    *size = (size_t)total;
    return bytes;
}

static void conclude(ChildCell *cell, tp_verdict verdict, const char *message)
{
    cell->report.verdict = verdict;
    snprintf(cell->report.message, sizeof(cell->report.message), "%s", message);
}

static void prove(ChildCell *cell, const tp_source *source, const BatchOptions *options, const tp_verify_options *verify, const volatile bool *stop)
{
    char     text[TP_MESSAGE_SIZE];
    size_t   size = 0;
    uint8_t *bytes = read_source(source, &size);
    bool     is_done = bytes != NULL && tp_prove_log(bytes, size, verify, options->prove_seed, options->prove_rounds, &cell->proof, &cell->report);
    free(bytes);
    if (*stop) {
        conclude(cell, TP_INCOMPLETE, "interrupted while proving");
    } else if (bytes == NULL || (!is_done && cell->report.verdict == TP_VERIFIED)) {
        conclude(cell, TP_INTERNAL, "proving: out of memory, or the file could not be read whole");
    } else if (is_done) {
        cell->has_proof = 1;
        if (cell->proof.caught != cell->proof.tried) {
            snprintf(text, sizeof(text), "the proof failed: %.300s", cell->proof.survivor);
            conclude(cell, TP_INTERNAL, text);
        }
    }
}

// A world of megabytes is made, compared and freed several times for one log. What was freed is kept for the next time: touching fresh pages costs
// more than a short log's ticks, and the process ends soon.
static void keep_freed_memory(void)
{
#ifdef __GLIBC__
    const int most = 32 * 1024 * 1024; // the most that glibc takes
    (void)mallopt(M_MMAP_THRESHOLD, most);
    (void)mallopt(M_TRIM_THRESHOLD, most);
#endif
}

// What verifying in one piece and in segments have in common. `child` is what the options point at.
static tp_verify_options set_up(Child *child, const tp_predecessor *predecessor)
{
    const BatchOptions *options = child->options;
    tp_verify_options   verify;
    keep_freed_memory();
    beat(child->cell, CHILD_STARTING); // a library runs code of its own while it is loaded
    for (size_t i = 0; i < options->world_count; i++) {
        (void)worlds_add(&child->worlds, options->worlds[i]); // it was tried out before: see batch_try_worlds
    }
    tp_verify_options_standard(&verify);
    verify.find_world = find_world;
    verify.find_to = child;
    verify.from = options->from;
    verify.to = options->to;
    verify.follow = options->follow;
    verify.wait = wait_for_more;
    verify.wait_to = child;
    verify.stop = child->stop;
    verify.each_tick = each_tick;
    verify.each_to = child;
    verify.trusted_key = options->trusted_key;
    verify.predecessor = predecessor;
    return verify;
}

void child_verify(ChildCell *cell, LogFile *file, const BatchOptions *options, const tp_predecessor *predecessor, const volatile bool *stop)
{
    Child             child = { .cell = cell, .options = options, .stop = stop, .source = file->source, .fd = file->fd };
    tp_source         source = { .self = &child, .read_at = read_with_beat, .size = size_of_source };
    tp_verify_options verify = set_up(&child, predecessor);
    if (options->proves) {
        prove(cell, &source, options, &verify, stop);
    } else {
        tp_verify_log(&source, &verify, &cell->report);
    }
    atomic_store_explicit(&cell->is_done, 1, memory_order_release);
}

void child_segment(ChildCell *cell, LogFile *file, const BatchOptions *options, const tp_predecessor *predecessor, const volatile bool *stop)
{
    Child             child = { .cell = cell, .options = options, .stop = stop, .source = file->source, .fd = file->fd };
    tp_source         source = { .self = &child, .read_at = read_with_beat, .size = size_of_source };
    tp_verify_options verify = set_up(&child, predecessor);
    tp_verify_segment(&source, &verify, &cell->segment);
    atomic_store_explicit(&cell->is_done, 1, memory_order_release);
}

typedef struct {
    ChildCell *cell;
    uint64_t   cut_bytes, cut_ticks;
    tp_cut     last;
} Cutting;

static void take_cut(void *to, tp_cut cut)
{
    Cutting *cutting = to;
    uint32_t count = atomic_load_explicit(&cutting->cell->cut_count, memory_order_relaxed);
    // By multiples from the beginning: counted from the last cut, each segment would be too long by up to a keyframe's distance.
    bool is_due = cut.offset >= cutting->cut_bytes * (count + 1) && cut.tick - cutting->last.tick >= cutting->cut_ticks;
    if (count < CHILD_CUTS_MAX && is_due) {
        cutting->cell->cuts[count] = cut;
        cutting->last = cut;
        atomic_store_explicit(&cutting->cell->cut_count, count + 1, memory_order_release);
    }
}

void child_read(ChildCell *cell, LogFile *file, uint64_t cut_bytes, uint64_t cut_ticks, const volatile bool *stop)
{
    Cutting           cutting = { .cell = cell, .cut_bytes = cut_bytes, .cut_ticks = cut_ticks };
    tp_verify_options verify;
    tp_verify_options_standard(&verify);
    verify.stop = stop;
    tp_verify_read(&file->source, &verify, take_cut, &cutting, &cell->reading);
    atomic_store_explicit(&cell->is_done, 1, memory_order_release);
}

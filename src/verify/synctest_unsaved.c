// synctest_unsaved.c: a run of an opaque world that nobody saves. The straight run is saved after every tick, so a `save` that changes the world
// changes every run that is compared with it in the same way; this one it does not.
#include "synctest_internal.h"

#include <stdio.h>
#include <string.h>

// A sim saves its world now and then by itself, to come back from a fault: as seldom as its journal of rows may be large.
static uint32_t seldom(const tp_layout *layout)
{
    enum { JOURNAL_MAX = 4 << 20, TICKS_MAX = 1 << 16, TICKS_MIN = 64 };
    uint32_t ticks = JOURNAL_MAX / (4 + tp_row_size_fixed(layout->setup.players, layout->input_size));
    return ticks > TICKS_MAX ? TICKS_MAX : ticks < TICKS_MIN ? TICKS_MIN : ticks;
}

static void over(tp_synctest *test, tp_verdict verdict, const char *text)
{
    tp_synctest_unsaved *unsaved = &test->report.unsaved;
    unsaved->verdict = verdict;
    snprintf(unsaved->message, sizeof(unsaved->message), "%s", text);
    tp_sim_destroy(test->unsaved);
    test->unsaved = NULL;
}

static void diverge(tp_synctest *test)
{
    tp_synctest_finding *finding = &test->report.unsaved.finding;
    finding->is_unsaved = true;
    sync_finding_text(NULL, finding);
    over(test, TP_DIVERGED, finding->text);
}

static void refuse(tp_synctest *test, uint64_t tick, const char *what, const char *why)
{
    char text[TP_MESSAGE_SIZE];
    tp_synctest_finding *finding = &test->report.unsaved.finding;
    *finding = (tp_synctest_finding){ .difference = TP_SYNCTEST_REFUSED, .bad_tick = tick, .restored_at = test->start, .is_unsaved = true };
    snprintf(text, sizeof(text), "tick %llu, in a run that was never saved: the world refuses %s: %.250s", (unsigned long long)tick, what, why);
    snprintf(finding->text, sizeof(finding->text), "%s", text);
    over(test, TP_DIVERGED, text);
}

bool sync_unsaved_start(tp_synctest *test)
{
    tp_error         error;
    const tp_layout *layout = test->shape.layout;
    const SyncImage *image = sync_image_at(test, test->start);
    tp_sim_options   options = { .algorithm = tp_sim_rules(test->straight)->algorithm, .recover_ticks = seldom(layout) };
    if (layout->world->opaque == NULL || test->report.unsaved.verdict != TP_VERIFIED) {
        return true;
    }
    test->report.unsaved.is_done = true;
    test->report.unsaved.has_hash = layout->world->opaque->hash != NULL;
    tp_sim_destroy(test->unsaved);
    test->unsaved = tp_sim_create(layout->world, &layout->setup, &options, &error);
    if (test->unsaved == NULL) {
        return false;
    }
    if (test->start != 0 && !sync_restore(test->unsaved, &test->shape, image->state, image->state_size, image->tick, image->input_leaf,
                                          image->event_leaf, &error)) {
        refuse(test, test->start, "the state that it was itself in before", error.text);
    }
    return true;
}

void sync_unsaved_tick(tp_synctest *test, uint64_t tick)
{
    tp_error             error;
    uint8_t              root[16];
    tp_synctest_unsaved *unsaved = &test->report.unsaved;
    const SyncBuffer    *row = sync_row_at(test, tick);
    const SyncImage     *expected = sync_image_at(test, tick + 1);
    if (test->unsaved == NULL) {
        return;
    }
    test->report.steps += 1;
    unsaved->ticks += 1;
    if (tp_sim_step_bytes(test->unsaved, row->bytes, row->size, &error) == TP_SIM_REFUSED) {
        refuse(test, tick, "the inputs that it took before", error.text);
        return;
    }
    bool is_faulted = tp_sim_is_faulted(test->unsaved);
    if (!unsaved->has_hash || is_faulted || expected->mark.fault_code != 0) {
        return; // the end compares it
    }
    tp_hash128_to_bytes(tp_sim_root(test->unsaved), root);
    unsaved->comparisons += 1;
    if (memcmp(root, expected->mark.root, sizeof(root)) != 0) {
        tp_synctest_finding *finding = &unsaved->finding;
        *finding = (tp_synctest_finding){ .bad_tick = tick, .restored_at = test->start };
        // Its state may still be equal, since the save that tells it may be what makes it so.
        if (!sync_image_take(&test->scratch, &test->shape, test->unsaved) ||
            sync_image_compare(&test->shape, expected, &test->scratch, finding)) {
            finding->difference = TP_SYNCTEST_ROOT;
            snprintf(finding->field, sizeof(finding->field), "root");
            snprintf(finding->expected, sizeof(finding->expected), "the saved run's");
            snprintf(finding->actual, sizeof(finding->actual), "another");
        }
        memcpy(finding->expected_root, expected->mark.root, sizeof(root));
        memcpy(finding->actual_root, root, sizeof(root));
        diverge(test);
    }
}

void sync_unsaved_end(tp_synctest *test)
{
    tp_synctest_unsaved *unsaved = &test->report.unsaved;
    if (test->unsaved == NULL || test->next == test->start) {
        return;
    }
    tp_synctest_finding finding = { .bad_tick = test->next - 1, .restored_at = test->start };
    if (!sync_image_take(&test->scratch, &test->shape, test->unsaved)) {
        over(test, TP_INTERNAL, "the run that is never saved: the world could not save or hash its last state");
        return;
    }
    unsaved->comparisons += 1;
    if (!sync_image_compare(&test->shape, sync_image_at(test, test->next), &test->scratch, &finding)) {
        unsaved->finding = finding;
        diverge(test);
    }
}

// verify_conclude.c: the verdict, once there is nothing more to read: what reading came to, whether everything was checked, and whose log it is.
#include "verify_internal.h"

#include <string.h>

static void conclude_reading(Verify *verify, tp_log_status status)
{
    tp_report  *report = verify->report;
    const char *message = tp_reader_message(verify->reader);
    report->log_status = status;
    report->recorded = tp_reader_ticks(verify->reader);
    report->next_tick = tp_reader_next_tick(verify->reader);
    report->is_signed = tp_reader_is_signed(verify->reader, report->public_key);
    if (verify->has_finding && report->verdict == TP_INCOMPATIBLE) {
        return;
    }
    uint64_t offset = tp_reader_offset(verify->reader);
    switch (status) {
    case TP_LOG_UNAUTHENTIC:
        verify->has_finding = false; // more serious than whatever was found
        report->offset = offset;
        verify_find(verify, TP_UNAUTHENTIC, "%.300s", message);
        return;
    case TP_LOG_CORRUPT:
        report->offset = verify->has_finding ? report->offset : offset;
        verify_find(verify, TP_CORRUPT, "%.300s", message);
        return;
    case TP_LOG_TRUNCATED:
        report->offset = verify->has_finding ? report->offset : offset;
        verify_find(verify, TP_TRUNCATED, "%.300s", message);
        return;
    case TP_LOG_UNSUPPORTED:
        verify_find(verify, TP_INCOMPATIBLE, "%.300s", message);
        return;
    case TP_LOG_IO:
        verify_find(verify, TP_INCOMPLETE, "%.300s", message);
        return;
    case TP_LOG_NO_MEMORY:
        verify_find(verify, TP_INTERNAL, "out of memory");
        return;
    case TP_LOG_WAIT:
        if (!verify->is_stopped) {
            verify_find(verify, TP_INCOMPLETE, "the log is still growing: no END yet");
        }
        return;
    case TP_LOG_OK:
    case TP_LOG_DONE:
        report->offset = verify->has_finding ? report->offset : offset;
        return;
    }
}

// Nothing is wrong so far: is everything right?
static void conclude_coverage(Verify *verify)
{
    tp_report *report = verify->report;
    if (verify->has_finding) {
        return;
    }
    if (verify->is_stopped) {
        verify_find(verify, TP_INCOMPLETE, "interrupted");
    } else if (verify->status == TP_LOG_OK) {
        // The caller takes no more rows, though there may be some.
        verify_find(verify, TP_INCOMPLETE, "stopped after %llu ticks, which all matched", (unsigned long long)report->checked);
    } else if (report->recorded == 0) {
        // A run that faults at its first tick has been checked whole: first state, inputs and fault are bound. So has a file of a series in which
        // nothing came after its first state, which is the one that the file before it ends with.
        bool is_checked = report->has_fault || report->sequence > 0;
        if (!is_checked || verify->is_unproven || !report->has_end) {
            verify_find(verify, TP_INCOMPLETE, "no tick was recorded, so nothing was checked");
        }
    } else if (report->with_root == 0) {
        verify_find(verify, TP_UNVERIFIABLE, "no tick carries a checksum: nothing to compare with");
    } else if (report->gaps > 0) {
        verify_find(verify, TP_INCOMPLETE, "%llu ticks are missing in %llu gaps that the recorder admits",
                    (unsigned long long)report->missing_ticks, (unsigned long long)report->gaps);
    } else if (report->checked < report->recorded) {
        bool is_asked = verify->options->from > report->first_tick || verify->options->to != UINT64_MAX;
        verify_find(verify, TP_INCOMPLETE, "%s", is_asked ? "only the ticks asked for were checked" : "not every tick carries a checksum");
    } else if (verify->is_unproven) {
        verify_find(verify, TP_INCOMPLETE, "the first state is taken from a keyframe: verify it together with the file before it (sequence %u)",
                    report->sequence > 0 ? report->sequence - 1 : 0);
    } else if (!report->has_end) {
        verify_find(verify, TP_TRUNCATED, "no END");
    }
}

static void conclude_trust(Verify *verify)
{
    tp_report *report = verify->report;
    if (verify->options->trusted_key == NULL || (verify->has_finding && report->verdict == TP_INCOMPATIBLE)) {
        return;
    }
    // A signed SEAL covers what stands before it, so a whole log is only as authentic as its END.
    bool is_signed = report->has_end ? report->is_end_signed : report->is_signed;
    if (is_signed && memcmp(report->public_key, verify->options->trusted_key, 32) == 0) {
        report->is_trusted = report->is_end_signed;
        return;
    }
    const char *why = is_signed           ? "signed by another key than the trusted one"
                      : report->is_signed ? "signed at first, but its END is not"
                                          : "not signed by the trusted key";
    char        found[TP_MESSAGE_SIZE];
    memcpy(found, report->message, sizeof(found)); // why nobody's signature was reached, it may be: it is not lost
    bool has_found = verify->has_finding && found[0] != '\0';
    verify->has_finding = false;
    verify_find(verify, TP_UNAUTHENTIC, "%s%s%.300s", why, !has_found ? "" : report->has_end ? "; besides: " : "; its END was not reached: ", has_found ? found : "");
}

void verify_conclude_whole(Verify *verify)
{
    conclude_coverage(verify);
    conclude_trust(verify);
    verify->report->matched_ticks = verify->report->checked; // nothing is counted past the first finding
}

void verify_conclude(Verify *verify)
{
    const tp_verify_options *options = verify->options;
    tp_report               *report = verify->report;
    conclude_reading(verify, verify->status);
    verify_conclude_whole(verify);
    if (report->verdict == TP_DIVERGED) {
        verify_locate_finish(verify);
    }
    if (verify->sim != NULL) {
        tp_hash128_to_bytes(tp_sim_root(verify->sim), report->final_root);
    }
    if (options->progress != NULL) {
        options->progress(options->progress_to, report->stepped, tp_reader_offset(verify->reader));
    }
}

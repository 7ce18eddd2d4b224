// bisect_report.c: the lines under a finding.
#include "bisect_report.h"

#include <inttypes.h>
#include <string.h>

#include "textout.h"

static const char *word(tp_known known)
{
    static const char *const words[] = { "not known", "different", "equal" };
    return words[known];
}

static void put(FILE *out, const char *text)
{
    textout_safe(out, text, strlen(text));
}

static void print_fields(FILE *out, const Hunt *hunt, const Side *const sides[2], uint32_t limit)
{
    uint32_t count = hunt->field_count;
    uint64_t all = hunt->finding.differing_fields;
    // The first one stands above already.
    for (uint32_t i = 1; i < count && (limit == 0 || i < limit); i++) {
        const HuntField *field = &hunt->fields[i];
        fprintf(out, "  also %s: ", field->place);
        put(out, field->values[0]);
        fputs(" in ", out);
        put(out, sides[0]->name);
        fputs(", ", out);
        put(out, field->values[1]);
        fputs(" in ", out);
        put(out, sides[1]->name);
        fputc('\n', out);
    }
    uint64_t shown = limit == 0 || count < limit ? count : limit;
    if (all > shown && shown > 0) {
        fprintf(out, "  and %" PRIu64 " more; --limit 0 prints up to %d\n", all - shown, HUNT_FIELDS_MAX);
    }
}

static void print_draws(FILE *out, const Hunt *hunt)
{
    if (hunt->draws_equal == TP_UNKNOWN) {
        fputs("not known\n", out);
        return;
    }
    if (hunt->draws[0] == hunt->draws[1]) {
        fprintf(out, "%s (%" PRIu32 ")", hunt->draws_equal == TP_YES ? "equal" : "as many, of other numbers", hunt->draws[0]);
    } else {
        fprintf(out, "%" PRIu32 " and %" PRIu32, hunt->draws[0], hunt->draws[1]);
    }
    if (hunt->has_draw_tick && hunt->draw_tick < hunt->finding.tick) {
        fprintf(out, ", and different since tick %" PRIu64, hunt->draw_tick);
    }
    fputc('\n', out);
}

static void print_tick(FILE *out, const Hunt *hunt)
{
    fprintf(out, "  state before the tick: %s\n", word(hunt->states_equal_before));
    fprintf(out, "  inputs as stepped: %s; events: %s; draws of random numbers: ", word(hunt->inputs_equal), word(hunt->events_equal));
    print_draws(out, hunt);
    if (hunt->written_before == TP_NO) {
        fputs("  no tick before changed the field\n", out);
    }
}

static bool is_same_text(const tp_trace *trace, const tp_trace_text *text)
{
    const char *other = trace == NULL ? NULL : tp_trace_text_of(trace, text->key);
    return other != NULL && strcmp(other, text->value) == 0;
}

// What a side says of its machine: what the other one says, too, or what it does not.
static void print_texts(FILE *out, const char *whose, const tp_trace *trace, const tp_trace *other, bool wants_same)
{
    uint32_t count = 0;
    for (uint32_t i = 0; trace != NULL && i < trace->text_count; i++) {
        const tp_trace_text *text = &trace->texts[i];
        if (is_same_text(other, text) != wants_same) {
            continue;
        }
        fputs(count == 0 ? "  " : "; ", out);
        if (count == 0) {
            put(out, whose);
            fputs(": ", out);
        }
        fprintf(out, "%s ", text->key);
        put(out, text->value);
        count += 1;
    }
    fputs(count > 0 ? "\n" : "", out);
}

static void print_machines(FILE *out, const Hunt *hunt, const Side *const sides[2])
{
    print_texts(out, sides[0]->name, hunt->traces[0], hunt->traces[1], false);
    print_texts(out, sides[1]->name, hunt->traces[1], hunt->traces[0], false);
    print_texts(out, "both", hunt->traces[0], hunt->traces[1], true);
    for (unsigned side = 0; side < 2; side++) {
        if (hunt->is_unrepeatable[side]) {
            fputs("  ", out);
            put(out, sides[side]->name);
            fputs(" does not repeat itself: asked again, it came to other bits\n", out);
        }
    }
}

void bisect_report(FILE *out, const Hunt *hunt, const Side *const sides[2], uint32_t limit)
{
    const Finding *finding = &hunt->finding;
    finding_text(out, finding);
    if (finding->verdict == TP_DIVERGED && hunt->inputs_equal != TP_UNKNOWN) {
        print_fields(out, hunt, sides, limit);
        print_tick(out, hunt);
    }
    if (finding->verdict != TP_VERIFIED) {
        print_machines(out, hunt, sides);
    }
}

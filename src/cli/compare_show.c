// compare_show.c: a sidecar's contents as lines of JSON: to look into it, and for readers in other languages to be held against.
#include "compare.h"

#include <string.h>

#include "textout.h"

static void put_ident(FILE *out, const tp_trace *trace)
{
    const tp_ident *ident = &trace->ident;
    fputc('{', out);
    textout_json_member(out, true, "world", ident->world);
    textout_u64_member(out, false, "revision", ident->revision);
    textout_u64_member(out, false, "seed", ident->seed);
    textout_u64_member(out, false, "players", ident->players);
    textout_u64_member(out, false, "tick_rate_hz", ident->tick_rate_hz);
    textout_hex_member(out, false, "rules", ident->rules.bytes, ident->rules.size);
    textout_u64_member(out, false, "sequence", ident->sequence);
    textout_u64_member(out, false, "first_tick", trace->first_tick);
    fputs("}\n", out);
}

static void put_rows(FILE *out, const tp_trace *trace)
{
    uint64_t gap = 0;
    for (uint64_t i = 0; i < trace->count; i++) {
        uint64_t            tick = trace->first_tick + i;
        const tp_trace_row *row = &trace->rows[i];
        fputc('{', out);
        if (gap < trace->gap_count && trace->gaps[gap * 2] == tick) {
            textout_u64_member(out, true, "gap", tick);
            textout_u64_member(out, false, "ticks", trace->gaps[gap * 2 + 1]);
            i += trace->gaps[gap * 2 + 1] - 1;
            gap++;
        } else {
            textout_u64_member(out, true, "tick", tick);
            textout_hex_member(out, false, "root", row->root, trace->root_size);
            textout_u64_member(out, false, "input", row->input);
            textout_u64_member(out, false, "event", row->event);
            textout_u64_member(out, false, "draws", row->draws);
            textout_u64_member(out, false, "draw_digest", row->draw_digest);
        }
        fputs("}\n", out);
    }
}

static void put_leaves(FILE *out, const tp_trace_leaves *leaves)
{
    fputc('{', out);
    textout_u64_member(out, true, "steps", leaves->steps);
    fputs(",\"leaves\":[", out);
    for (uint32_t i = 0; i < leaves->count; i++) {
        fprintf(out, "%s\"%016llx\"", i == 0 ? "" : ",", (unsigned long long)leaves->leaves[i]);
    }
    fputs("]}\n", out);
}

static void put_end(FILE *out, const tp_trace *trace)
{
    static const char *const names[] = { "", "log", "fault", "limit", "stopped", "refused", "broken" };
    if (!trace->has_end) {
        fputs("{\"end\":null}\n", out);
        return;
    }
    fputc('{', out);
    textout_json_member(out, true, "end", trace->end <= TP_TRACE_END_BROKEN ? names[trace->end] : "");
    textout_json_member(out, false, "text", trace->end_text);
    textout_hex_member(out, false, "fault_root", trace->fault_root, sizeof(trace->fault_root));
    textout_hex_member(out, false, "chain", trace->chain, trace->has_chain ? sizeof(trace->chain) : 0);
    fputs("}\n", out);
}

void compare_show(FILE *out, const tp_trace *trace)
{
    put_ident(out, trace);
    for (uint32_t i = 0; i < trace->text_count; i++) {
        fputc('{', out);
        textout_json_member(out, true, "text", trace->texts[i].key);
        textout_json_member(out, false, "value", trace->texts[i].value);
        fputs("}\n", out);
    }
    put_rows(out, trace);
    for (uint32_t i = 0; i < trace->leaves_count; i++) {
        put_leaves(out, &trace->leaves[i]);
    }
    for (uint32_t i = 0; i < trace->state_count; i++) {
        fputc('{', out);
        textout_u64_member(out, true, "steps", trace->states[i].steps);
        textout_hex_member(out, false, "state", trace->states[i].bytes, trace->states[i].size);
        fputs("}\n", out);
    }
    put_end(out, trace);
}

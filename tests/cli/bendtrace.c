// bendtrace.c: a sidecar as another machine might have written it: bendtrace IN OUT [CHANGE=N]... reads one, changes it, and writes it again.
//
//   root=T    the roots are others from tick T on       event=T, draws=T  that column is another one on tick T
//   leaf=S    the first leaf is another one from S steps on     to=N      only N rows, as far as was asked
//   fault=N   only N rows, then a fault                 chain=N           another chain value
//   way=N     how root= changes them; stands before it  arch=N            calls the machine machine-N
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "trace_format.h"

static uint64_t way = 1;

static bool write_file(void *self, const uint8_t *bytes, size_t size)
{
    return fwrite(bytes, 1, size, self) == size;
}

static tp_trace *read_file(const char *path)
{
    static uint8_t bytes[1 << 22];
    tp_error       error = { "cannot be opened" };
    FILE          *file = fopen(path, "rb");
    size_t         size = file == NULL ? 0 : fread(bytes, 1, sizeof(bytes), file);
    tp_trace      *trace = file == NULL ? NULL : tp_trace_read(bytes, size, NULL, &error);
    if (trace == NULL) {
        fprintf(stderr, "bendtrace: %s: %s\n", path, error.text);
        exit(99);
    }
    fclose(file);
    return trace;
}

static void name_machine(tp_trace *trace, uint64_t number)
{
    for (uint32_t i = 0; i < trace->text_count; i++) {
        if (strcmp(trace->texts[i].key, "arch") == 0) {
            snprintf(trace->texts[i].value, sizeof(trace->texts[i].value), "machine-%u", (unsigned)number);
        }
    }
}

static void change_leaves(tp_trace *trace, uint64_t steps)
{
    for (uint32_t i = 0; i < trace->leaves_count; i++) {
        if (trace->leaves[i].steps >= steps) {
            ((uint64_t *)trace->leaves[i].leaves)[0] ^= 1;
        }
    }
}

static void shorten(tp_trace *trace, uint64_t rows, tp_trace_end end)
{
    trace->count = rows;
    trace->end = end;
    while (trace->leaves_count > 0 && trace->leaves[trace->leaves_count - 1].steps > trace->first_tick + rows) {
        trace->leaves_count -= 1;
    }
}

static bool change(tp_trace *trace, const char *argument)
{
    char     what[16];
    unsigned number = 0;
    if (sscanf(argument, "%15[a-z]=%u", what, &number) != 2) {
        return false;
    }
    for (uint64_t i = number; strcmp(what, "root") == 0 && i < trace->count; i++) {
        trace->rows[i].root[0] ^= (uint8_t)way;
    }
    way = strcmp(what, "way") == 0 ? number : way;
    trace->rows[number].event ^= strcmp(what, "event") == 0 ? 1 : 0;
    trace->rows[number].draws += strcmp(what, "draws") == 0 ? 1 : 0;
    trace->chain[0] ^= (uint8_t)(strcmp(what, "chain") == 0 ? number : 0);
    if (strcmp(what, "leaf") == 0) {
        change_leaves(trace, number);
    } else if (strcmp(what, "arch") == 0) {
        name_machine(trace, number);
    } else if (strcmp(what, "to") == 0 || strcmp(what, "fault") == 0) {
        shorten(trace, number, what[0] == 't' ? TP_TRACE_END_LIMIT : TP_TRACE_END_FAULT);
    }
    return true;
}

static bool write_all(const tp_trace *trace, TraceWriter *writer)
{
    trace_writer_ident(writer, &trace->ident);
    for (uint32_t i = 0; i < trace->text_count; i++) {
        trace_writer_text(writer, &trace->texts[i]);
    }
    for (uint64_t i = 0; i < trace->count; i++) {
        trace_writer_row(writer, trace->first_tick + i, &trace->rows[i]);
    }
    for (uint32_t i = 0; i < trace->leaves_count; i++) {
        trace_writer_leaves(writer, trace->leaves[i].steps, trace->leaves[i].leaves, trace->leaves[i].count);
    }
    for (uint32_t i = 0; i < trace->state_count; i++) {
        trace_writer_state(writer, trace->states[i].steps, trace->states[i].bytes, trace->states[i].size);
    }
    return trace_writer_end(writer, trace->end, trace->fault_root, trace->has_chain ? trace->chain : NULL, trace->end_text);
}

int main(int argc, char **argv)
{
    tp_trace *trace = argc < 3 ? NULL : read_file(argv[1]);
    FILE     *out = argc < 3 ? NULL : fopen(argv[2], "wb");
    bool      is_fine = out != NULL;
    for (int i = 3; is_fine && i < argc; i++) {
        is_fine = change(trace, argv[i]);
    }
    tp_sink      sink = { .self = out, .write = write_file };
    TraceWriter *writer = is_fine ? trace_writer_create(&sink) : NULL;
    is_fine = writer != NULL && write_all(trace, writer);
    trace_writer_destroy(writer);
    tp_trace_destroy(trace);
    is_fine = out != NULL && fclose(out) == 0 && is_fine;
    return is_fine ? 0 : 99;
}

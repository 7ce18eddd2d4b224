// compare_read.c: operands of `tickproof compare` into memory, and what a side is called.
#include "compare.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "files.h"

enum { SIDECAR_SIZE_MAX = 1 << 30 };

static const char magic[] = "TPTRACE\n";

static void refuse(CompareSide *side, tp_verdict verdict, const char *text)
{
    side->verdict = verdict;
    snprintf(side->message, sizeof(side->message), "%s", text);
}

static void read_bytes(CompareSide *side, const uint8_t *bytes, size_t size)
{
    tp_error error = { "" };
    if (size >= 8 && memcmp(bytes, magic, 8) == 0) {
        side->trace = tp_trace_read(bytes, size, &side->verdict, &error);
    } else {
        tp_memory_source memory = { bytes, size };
        tp_source        source = tp_source_of_memory(&memory);
        side->trace = tp_trace_of_log(&source, &error);
        side->verdict = side->trace == NULL ? TP_CORRUPT : TP_VERIFIED;
    }
    if (side->trace == NULL) {
        refuse(side, side->verdict, error.text);
    }
}

static void add(char *text, size_t size, const char *format, const char *key, const char *value)
{
    size_t used = strlen(text);
    snprintf(text + used, size - used, format, used == 0 ? "" : ", ", key, value);
}

// Arch and compiler say themselves what they are; of the rest the key says it.
static void describe(CompareSide *side)
{
    const tp_trace *trace = side->trace;
    if (trace->is_recorded) {
        snprintf(side->label, sizeof(side->label), "the log");
        snprintf(side->about, sizeof(side->about), "what the log claims");
        return;
    }
    for (uint32_t i = 0; i < trace->text_count; i++) {
        const tp_trace_text *text = &trace->texts[i];
        bool is_plain = strcmp(text->key, "arch") == 0 || strcmp(text->key, "compiler") == 0 || strcmp(text->key, "host") == 0;
        if (is_plain) {
            size_t used = strlen(side->label);
            snprintf(side->label + used, sizeof(side->label) - used, "%s%.60s", used == 0 ? "" : " ", text->value);
        }
        add(side->about, sizeof(side->about), is_plain ? "%s%.0s%s" : "%s%s=%s", text->key, text->value);
    }
    if (side->label[0] == '\0') {
        snprintf(side->label, sizeof(side->label), "%s", side->path);
    }
}

void compare_read(CompareSide *side, const char *path)
{
    tp_error error;
    size_t   size = 0;
    *side = (CompareSide){ .path = strcmp(path, "-") == 0 ? "standard input" : path };
    uint8_t *bytes = files_read_all(path, SIDECAR_SIZE_MAX, &size, &error);
    if (bytes == NULL) {
        refuse(side, TP_USAGE, error.text);
        return;
    }
    read_bytes(side, bytes, size);
    free(bytes);
    if (side->trace != NULL) {
        describe(side);
    }
}

void compare_label(CompareVote *vote)
{
    bool is_twice[TP_TRACE_SIDES_MAX] = { false };
    for (uint32_t i = 0; i < vote->count; i++) {
        for (uint32_t k = 0; k < vote->count; k++) {
            is_twice[i] = is_twice[i] || (k != i && strcmp(vote->sides[i]->label, vote->sides[k]->label) == 0);
        }
    }
    for (uint32_t i = 0; i < vote->count; i++) {
        if (is_twice[i]) {
            snprintf(vote->sides[i]->label, sizeof(vote->sides[i]->label), "%s", vote->sides[i]->path);
        }
    }
}

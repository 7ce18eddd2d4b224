// perturb_strict.c: what a strict run noted, read back from its lines; and where the frames are in a source, if the system can say.
#include <stdlib.h>
#include <string.h>

#include "args.h"
#include "perturb.h"

bool perturb_strict_is_wrong(const PerturbCall *call)
{
    return strcmp(call->kind, "memory") != 0;
}

static void append(PerturbCall *call, const char *text)
{
    size_t used = strlen(call->frames);
    snprintf(call->frames + used, sizeof(call->frames) - used, "%s", text);
}

// addr2line belongs to the tools of whoever builds worlds; without it, or without debug information, module and offset have to do.
static void append_line_of(PerturbCall *call, const char *module, const char *offset)
{
    char command[1400], line[400];
    if (strchr(module, '\'') != NULL || strspn(offset, "0123456789abcdefx") != strlen(offset)) {
        return;
    }
    snprintf(command, sizeof(command), "addr2line -e '%.1200s' %s 2>/dev/null", module, offset);
    FILE *pipe = popen(command, "r");
    if (pipe == NULL) {
        return;
    }
    bool is_known = fgets(line, sizeof(line), pipe) != NULL && line[0] != '?' && strstr(line, ":?") == NULL && strstr(line, ":0\n") == NULL;
    pclose(pipe);
    if (is_known) {
        line[strcspn(line, "\n")] = '\0';
        append(call, " at ");
        append(call, line);
    }
}

// NAME|MODULE|OFFSET, or an address alone.
static void take_frame(PerturbCall *call, char *frame)
{
    char *rest = frame;
    char *name = strsep(&rest, "|");
    char *module = strsep(&rest, "|");
    append(call, call->frames[0] != '\0' ? "\n" : "");
    append(call, name);
    if (module != NULL && rest != NULL) {
        append_line_of(call, module, rest);
    }
}

static void take_line(PerturbWork *work, char *line)
{
    char *parts[5] = { NULL };
    char *rest = line;
    if (strncmp(line, "counter\t", 8) == 0) {
        work->is_counter_watched = strcmp(line + 8, "watched") == 0;
        return;
    }
    for (size_t i = 0; i < 5 && rest != NULL; i++) {
        parts[i] = strsep(&rest, "\t");
    }
    if (parts[4] == NULL || work->call_count == PERTURB_CALLS_MAX) {
        return;
    }
    PerturbCall *call = &work->calls[work->call_count];
    *call = (PerturbCall){ .tick = 0 };
    snprintf(call->kind, sizeof(call->kind), "%s", parts[0]);
    snprintf(call->function, sizeof(call->function), "%s", parts[1]);
    snprintf(call->detail, sizeof(call->detail), "%s", parts[4]);
    if (!args_parse_u64(parts[2], &call->tick) || !args_parse_u64(parts[3], &call->count)) {
        return;
    }
    while (rest != NULL) {
        take_frame(call, strsep(&rest, "\t"));
    }
    work->call_count += 1;
}

static void read_calls(PerturbWork *work)
{
    char   path[sizeof(work->scratch) + 16];
    char  *line = NULL;
    size_t capacity = 0;
    if (work->strict_run == NULL || work->strict_run->result == PERTURB_SKIPPED || work->calls != NULL) {
        return;
    }
    snprintf(path, sizeof(path), "%s/strict.txt", work->scratch);
    FILE *in = fopen(path, "r");
    work->calls = calloc(PERTURB_CALLS_MAX, sizeof(*work->calls));
    while (in != NULL && work->calls != NULL && getline(&line, &capacity, in) > 0) {
        line[strcspn(line, "\n")] = '\0';
        take_line(work, line);
    }
    free(line);
    if (in != NULL) {
        fclose(in);
    }
}

void perturb_strict_run(PerturbWork *work)
{
    if (work->strict_run == NULL && work->no_strict == NULL && work->run_count < PERTURB_RUNS_MAX && !side_is_stopped()) {
        char argument[PERTURB_TEXT_SIZE];
        snprintf(argument, sizeof(argument), "strict=%s/strict.txt", work->scratch);
        work->strict_run = perturb_plan_add(work, "strict", "on", argument);
        perturb_run_all(work);
        if (work->strict_run != NULL) {
            work->strict_run->is_noise = true; // it was made for its calls alone
        }
    }
    read_calls(work);
}

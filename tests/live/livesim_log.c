// livesim_log.c: what the room has recorded, held against a run of its own; and the clean-up of the directory.
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "livesim.h"

static const tp_world *find_world(void *to, const char *name, uint32_t revision)
{
    const Livesim *sim = to;
    (void)revision;
    return strcmp(name, sim->plan->world->name) == 0 ? sim->plan->world : NULL;
}

static void plant(const char *path)
{
    FILE *file = fopen(path, "r+b");
    fseek(file, -300, SEEK_END);
    int byte = fgetc(file);
    fseek(file, -1, SEEK_CUR);
    fputc(byte ^ 4, file);
    fclose(file);
}

// The stepped ticks' roots are the ones that clients were held against.
static void each_tick(void *to, tp_sim *world, uint64_t tick, bool is_finished)
{
    Livesim *sim = to;
    if (is_finished && tick < LIVESIM_TICKS && !tp_hash128_equal(tp_sim_root(world), sim->roots[tick])) {
        livesim_fail(sim, "the log's tick %llu is not the one that was confirmed", (unsigned long long)tick);
    }
}

static void verify(Livesim *sim, const char *path, const tp_predecessor *before, tp_report *report)
{
    int                file = open(path, O_RDONLY | O_CLOEXEC);
    tp_source          source = tp_source_of_fd(&file);
    tp_verify_options  options;
    tp_verify_options_standard(&options);
    options.find_world = find_world;
    options.find_to = sim;
    options.each_tick = each_tick;
    options.each_to = sim;
    options.predecessor = before;
    tp_verify_log(&source, &options, report);
    close(file);
}

enum { FILES_MAX = 64 };

static void remove_tree(const char *path)
{
    DIR *directory = opendir(path);
    for (struct dirent *entry; directory != NULL && (entry = readdir(directory)) != NULL;) {
        char inner[2048];
        if (entry->d_name[0] == '.' && (entry->d_name[1] == '\0' || entry->d_name[1] == '.')) {
            continue;
        }
        snprintf(inner, sizeof(inner), "%s/%s", path, entry->d_name);
        if (unlink(inner) != 0) {
            remove_tree(inner);
            rmdir(inner);
        }
    }
    if (directory != NULL) {
        closedir(directory);
    }
}

void livesim_clean(const char *directory)
{
    remove_tree(directory);
}

// Reads a log's IDENT and its chain at the end.
static bool look(const char *path, tp_ident *ident, tp_predecessor *as_predecessor)
{
    int           file = open(path, O_RDONLY | O_CLOEXEC);
    tp_source     source = tp_source_of_fd(&file);
    tp_reader    *reader = NULL;
    tp_log_record record;
    tp_log_status status = tp_reader_open(&source, NULL, &reader);
    while (status == TP_LOG_OK) {
        status = tp_reader_next(reader, &record);
        if (status == TP_LOG_OK && record.type == TP_LOG_END) {
            tp_log_end end = tp_log_parse_end(&record);
            memcpy(as_predecessor->chain, end.chain, TP_LOG_CHAIN_SIZE);
            tp_hash128_to_bytes(end.root, as_predecessor->root);
            as_predecessor->next_tick = record.tick;
        }
    }
    if (reader != NULL && tp_reader_ident(reader) != NULL) {
        *ident = *tp_reader_ident(reader);
        as_predecessor->sequence = ident->sequence;
    }
    tp_reader_close(reader);
    close(file);
    return status == TP_LOG_DONE;
}

void livesim_check_log(Livesim *sim)
{
    char           paths[FILES_MAX][1024];
    tp_predecessor ends[FILES_MAX];
    tp_ident      *idents[FILES_MAX];
    uint32_t       count = 0;
    uint64_t       ticks = 0;
    DIR           *directory = opendir(sim->directory);
    for (struct dirent *entry; directory != NULL && (entry = readdir(directory)) != NULL && count < FILES_MAX;) {
        size_t size = strlen(entry->d_name);
        if (size > 4 && strcmp(entry->d_name + size - 4, ".tpr") == 0) {
            snprintf(paths[count], sizeof(paths[count]), "%s/%s", sim->directory, entry->d_name);
            idents[count] = calloc(1, sizeof(tp_ident));
            if (sim->plan->plant == LIVESIM_PLANT_LOG) {
                plant(paths[count]);
            }
            if (!look(paths[count], idents[count], &ends[count])) {
                livesim_fail(sim, "the log %s does not read to its end", paths[count]);
            }
            count += 1;
        }
    }
    closedir(directory);
    if (count == 0) {
        livesim_fail(sim, "there is no log");
    }
    for (uint32_t sequence = 0; sequence < count && sim->outcome->is_fine; sequence++) {
        const tp_predecessor *before = NULL;
        uint32_t              at = count;
        for (uint32_t i = 0; i < count; i++) {
            at = idents[i]->sequence == sequence ? i : at;
            before = sequence > 0 && idents[i]->sequence == sequence - 1 ? &ends[i] : before;
        }
        tp_report report;
        if (at == count) {
            livesim_fail(sim, "file %u of the series is not there", sequence);
            break;
        }
        verify(sim, paths[at], before, &report);
        ticks += report.checked;
        if (report.verdict != TP_VERIFIED) {
            livesim_fail(sim, "the log %s is %s: %s", paths[at], tp_verdict_name(report.verdict), report.message);
        }
    }
    if (sim->outcome->is_fine && ticks != sim->plan->ticks) {
        livesim_fail(sim, "%llu ticks of the log were checked, of %llu", (unsigned long long)ticks, (unsigned long long)sim->plan->ticks);
    }
    for (uint32_t i = 0; i < count; i++) {
        free(idents[i]);
    }
}

// fuzz_main.c: what a fuzz target is without a fuzzing engine: a program that gives it the files, or the files of the folders,
// that are named as arguments. Define TICKPROOF_FUZZ_ENGINE where an engine brings its own main.
#ifndef TICKPROOF_FUZZ_ENGINE
#include <dirent.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static bool run_file(const char *path)
{
    FILE *file = fopen(path, "rb");
    struct stat status;
    if (file == NULL || fstat(fileno(file), &status) != 0) {
        perror(path);
        if (file != NULL) {
            fclose(file);
        }
        return false;
    }
    size_t size = (size_t)status.st_size;
    uint8_t *bytes = malloc(size + 1);
    bool is_read = bytes != NULL && fread(bytes, 1, size, file) == size;
    if (is_read) {
        LLVMFuzzerTestOneInput(bytes, size);
    } else {
        fprintf(stderr, "%s: cannot read it\n", path);
    }
    free(bytes);
    fclose(file);
    return is_read;
}

static int run_folder(const char *path, int *count)
{
    DIR *folder = opendir(path);
    int failures = 0;
    if (folder == NULL) {
        perror(path);
        return 1;
    }
    for (struct dirent *entry = readdir(folder); entry != NULL; entry = readdir(folder)) {
        char inside[4096];
        if (entry->d_name[0] == '.') {
            continue;
        }
        snprintf(inside, sizeof(inside), "%s/%s", path, entry->d_name);
        failures += run_file(inside) ? 0 : 1;
        (*count)++;
    }
    closedir(folder);
    return failures;
}

int main(int argc, char **argv)
{
    int failures = 0;
    int count = 0;
    for (int i = 1; i < argc; i++) {
        struct stat status;
        if (stat(argv[i], &status) == 0 && S_ISDIR(status.st_mode)) {
            failures += run_folder(argv[i], &count);
        } else {
            failures += run_file(argv[i]) ? 0 : 1;
            count++;
        }
    }
    // A corpus that went missing must not look like one that passed.
    printf("%d inputs, %d could not be read\n", count, failures);
    return failures == 0 && count > 0 ? 0 : 1;
}
#endif

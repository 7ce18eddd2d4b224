// test_atomicfile.c: a name has a whole file or what it had before, at every moment. Built twice: with files without a name, and with hidden ones.
#include <criterion/criterion.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "atomicfile.h"

static char folder[] = "/tmp/atomicfile.XXXXXX";

static void enter(void)
{
    cr_assert_not_null(mkdtemp(folder));
    cr_assert_eq(chdir(folder), 0);
}

// Entries of the folder; all are removed.
static int sweep(void)
{
    int  count = 0;
    DIR *directory = opendir(".");
    for (struct dirent *entry = readdir(directory); entry != NULL; entry = readdir(directory)) {
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0) {
            count++;
            remove(entry->d_name);
        }
    }
    closedir(directory);
    return count;
}

static void leave(void)
{
    chmod(".", 0700);
    sweep();
    cr_assert_eq(chdir("/"), 0);
    rmdir(folder);
}

TestSuite(atomicfile, .init = enter, .fini = leave);

static void put(const char *path, const char *text)
{
    FILE *out = fopen(path, "w");
    fputs(text, out);
    fclose(out);
}

static bool holds(const char *path, const char *text)
{
    char  bytes[64] = "";
    FILE *in = fopen(path, "r");
    if (in == NULL) {
        return false;
    }
    size_t size = fread(bytes, 1, sizeof(bytes) - 1, in);
    fclose(in);
    return size == strlen(text) && memcmp(bytes, text, size) == 0;
}

static bool write_file(const char *path, const char *text, bool may_replace, tp_error *error)
{
    AtomicFile file;
    return atomicfile_create(&file, path, 0666, may_replace, error) && atomicfile_write(&file, text, strlen(text), error) &&
           atomicfile_commit(&file, error);
}

Test(atomicfile, has_its_name_only_after_the_commit)
{
    AtomicFile file;
    tp_error   error;
    cr_assert(atomicfile_create(&file, "new", 0666, false, &error), "%s", error.text);
    cr_assert(atomicfile_write(&file, "whole", 5, &error));
    cr_assert_neq(access("new", F_OK), 0);
    char back[5];
    cr_assert_eq(pread(file.fd, back, 5, 0), 5);
    cr_assert_eq(memcmp(back, "whole", 5), 0, "what was written can be read back");
    cr_assert(atomicfile_commit(&file, &error), "%s", error.text);
    cr_assert(holds("new", "whole"));
    atomicfile_abandon(&file);
    cr_assert_eq(sweep(), 1, "nothing but the file is left");
}

Test(atomicfile, an_abandoned_one_leaves_nothing)
{
    AtomicFile file;
    tp_error   error;
    cr_assert(atomicfile_create(&file, "new", 0666, false, &error));
    atomicfile_abandon(&file);
    atomicfile_abandon(&file);
    cr_assert_eq(sweep(), 0);
}

Test(atomicfile, refuses_what_is_there_and_replaces_it_when_told)
{
    tp_error error;
    put("old", "old");
    chmod("old", 0640);
    cr_assert_not(write_file("old", "new", false, &error));
    cr_assert_not_null(strstr(error.text, "--force"));
    cr_assert(holds("old", "old"));
    cr_assert(write_file("old", "new", true, &error), "%s", error.text);
    cr_assert(holds("old", "new"));
    struct stat status;
    stat("old", &status);
    cr_assert_eq(status.st_mode & 0777, 0640, "one that is replaced keeps its mode");
    cr_assert_eq(sweep(), 1);
}

// Goal: the look before is not what keeps a file; the step that gives the name is.
Test(atomicfile, refuses_a_name_that_was_taken_meanwhile)
{
    AtomicFile file;
    tp_error   error;
    cr_assert(atomicfile_create(&file, "new", 0666, false, &error));
    put("new", "theirs");
    cr_assert_not(atomicfile_commit(&file, &error));
    cr_assert_not_null(strstr(error.text, "meanwhile"));
    cr_assert(holds("new", "theirs"));
    cr_assert_eq(sweep(), 1);
}

Test(atomicfile, refuses_to_replace_what_became_no_file)
{
    AtomicFile file;
    tp_error   error;
    put("old", "old");
    cr_assert(atomicfile_create(&file, "old", 0666, true, &error));
    unlink("old");
    cr_assert_eq(mkfifo("old", 0600), 0);
    cr_assert_not(atomicfile_commit(&file, &error));
    cr_assert_eq(sweep(), 1);
}

Test(atomicfile, follows_links_and_leaves_them)
{
    tp_error error;
    mkdir("inner", 0700);
    cr_assert_eq(symlink("inner/target", "link"), 0);
    cr_assert(write_file("link", "one", false, &error), "%s", error.text);
    cr_assert(holds("inner/target", "one"));
    cr_assert(write_file("link", "two", true, &error), "%s", error.text);
    cr_assert(holds("inner/target", "two"));
    struct stat status;
    lstat("link", &status);
    cr_assert(S_ISLNK(status.st_mode));
    unlink("inner/target");
}

Test(atomicfile, refuses_what_is_no_file)
{
    tp_error error;
    static const char *const names[] = { "-", ".", "nowhere/file", "/dev/null", "inner/" };
    mkdir("inner", 0700);
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        cr_assert_not(write_file(names[i], "x", true, &error), "%s", names[i]);
        cr_assert_gt(strlen(error.text), 0);
    }
    cr_assert_eq(sweep(), 1);
}

Test(atomicfile, has_the_mode_it_was_given_at_all_times)
{
    AtomicFile  file;
    tp_error    error;
    struct stat status;
    umask(022);
    cr_assert(atomicfile_create(&file, "secret", 0600, false, &error));
    fstat(file.fd, &status);
    cr_assert_eq(status.st_mode & 0777, 0600);
    cr_assert(atomicfile_commit(&file, &error));
    stat("secret", &status);
    cr_assert_eq(status.st_mode & 0777, 0600);
    cr_assert(write_file("usual", "x", false, &error));
    stat("usual", &status);
    cr_assert_eq(status.st_mode & 0777, 0644);
}

// Goal: killed whenever it likes, a program that replaces a file again and again leaves one whole file under the name.
Test(atomicfile, a_kill_leaves_a_whole_file)
{
    tp_error error;
    for (int round = 0; round < 100; round++) {
        put("name", "aaaaaaaaaaaaaaaa");
        pid_t child = fork();
        if (child == 0) {
            for (;;) {
                write_file("name", "bbbbbbbbbbbbbbbb", true, &error);
            }
        }
        usleep((useconds_t)(round * 37));
        kill(child, SIGKILL);
        waitpid(child, NULL, 0);
        cr_assert(holds("name", "aaaaaaaaaaaaaaaa") || holds("name", "bbbbbbbbbbbbbbbb"));
        struct stat status;
        stat("name", &status);
        cr_assert_eq(status.st_size, 16);
    }
}

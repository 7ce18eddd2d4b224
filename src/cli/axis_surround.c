// axis_surround.c: locale and time zone. A world must not look at either; one that does finds something else than usual here.
#include <errno.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "axis_internal.h"
#include "cli.h"

#define COMMA_NAME "comma"

// The GNU C library's compiled form of LC_NUMERIC, which has been the same since 2.3: a magic number, the count of items, where each
// begins; then decimal point, thousands separator, grouping, both signs as wide characters, and the name of the character set.
static bool write_numeric(const char *path)
{
    struct {
        uint32_t magic, count, offsets[6];
        char     point[2], separator[2], grouping[3], gap;
        uint32_t wide_point, wide_separator;
        char     charset[16];
    } file;
    memset(&file, 0, sizeof(file));
    file.magic = 0x20031115u ^ (uint32_t)LC_NUMERIC;
    file.count = 6;
    file.offsets[0] = (uint32_t)((char *)file.point - (char *)&file);
    file.offsets[1] = (uint32_t)((char *)file.separator - (char *)&file);
    file.offsets[2] = (uint32_t)((char *)file.grouping - (char *)&file);
    file.offsets[3] = (uint32_t)((char *)&file.wide_point - (char *)&file);
    file.offsets[4] = (uint32_t)((char *)&file.wide_separator - (char *)&file);
    file.offsets[5] = (uint32_t)((char *)file.charset - (char *)&file);
    file.point[0] = ',';
    file.separator[0] = '.';
    file.grouping[0] = 3;
    file.wide_point = ',';
    file.wide_separator = '.';
    memcpy(file.charset, "ANSI_X3.4-1968", sizeof("ANSI_X3.4-1968"));
    FILE *out = fopen(path, "wb");
    bool  is_written = out != NULL && fwrite(&file, sizeof(file), 1, out) == 1;
    return out != NULL && fclose(out) == 0 && is_written;
}

static bool has_comma(void)
{
    return strcmp(localeconv()->decimal_point, ",") == 0;
}

// The folder goes again as soon as the C library has what is in it: it keeps what it has read.
static bool load_comma(const char *argument)
{
    const char *temporary = getenv("TMPDIR") != NULL ? getenv("TMPDIR") : "/tmp";
    char        folder[1024], inner[1100], path[1200];
    snprintf(folder, sizeof(folder), "%.900s/tickproof-locale-XXXXXX", temporary);
    if (mkdtemp(folder) == NULL) {
        return axis_not_here(argument, "no folder can be made for the locale; is TMPDIR writable?");
    }
    snprintf(inner, sizeof(inner), "%s/" COMMA_NAME, folder);
    snprintf(path, sizeof(path), "%s/LC_NUMERIC", inner);
    bool is_made = mkdir(inner, 0700) == 0 && write_numeric(path);
    setenv("LOCPATH", folder, 1);
    unsetenv("LC_ALL");
    setenv("LANG", "C", 1);
    setenv("LC_NUMERIC", COMMA_NAME, 1);
    bool is_set = is_made && setlocale(LC_ALL, "") != NULL && has_comma();
    unlink(path);
    rmdir(inner);
    rmdir(folder);
    return is_set || axis_not_here(argument, "this C library does not take a locale of our making");
}

bool axis_locale_take(const char *argument, const char *name)
{
    if (strcmp(name, COMMA_NAME) == 0) {
        return load_comma(argument);
    }
    setenv("LC_ALL", name, 1);
    setenv("LANG", name, 1);
    return setlocale(LC_ALL, "") != NULL || axis_not_here(argument, "the locale is not installed; 'locale -a' lists those that are");
}

bool axis_zone_take(const char *zone)
{
    setenv("TZ", zone, 1);
    tzset();
    return true;
}

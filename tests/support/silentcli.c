// silentcli.c: what a program says about bad input, where a test drives its parsers alone: nobody listens.
#include "cli.h"

int cli_fail(int code, const char *format, ...)
{
    (void)format;
    return code;
}

int cli_usage(const char *command, const char *format, ...)
{
    (void)command;
    (void)format;
    return TP_USAGE;
}

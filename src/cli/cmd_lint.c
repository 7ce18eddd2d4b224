// cmd_lint.c: `tickproof lint`: what in a world's machine code and symbols breaks determinism between machines, without running it.
#include <string.h>

#include "args.h"
#include "cli.h"
#include "lint_report.h"

static const char help[] =
    "Usage: tickproof lint [--allow KIND[=SYMBOL]]... [--strict] [--format F] WORLD.so|OBJECT.o|ARCHIVE.a...\n"
    "Looks through machine code and symbols of a world (ELF: 32 and 64 bits, both byte orders) for what gives other bits on\n"
    "another machine, build or run. Nothing of it is run. Each finding has a kind, a symbol, the first place of use, why it\n"
    "matters and what to do. An error certainly differs somewhere, a warning may, a note is good to know.\n"
    "  errors    libm fma x87 long-double approximation fp-mode clock entropy environment network\n"
    "  either    locale files threads\n"
    "  warnings  sort hash-order allocation loading processor system state tls constructor unread\n"
    "  notes     ending\n"
    "Instructions are read of x86-64, i386, aarch64, arm and s390x. Of other machines, and by a program that was built without\n"
    "the disassembler, symbols alone are looked at: that is said, and ends with 6, never with 0; so does code with bytes that are no\n"
    "known instructions (unread).\n"
    "What is clean here may still differ: nothing is seen of uninitialised memory, addresses that become values, or undefined\n"
    "behaviour. 'tickproof perturb' runs a log to find those.\n"
    "\n"
    "  --allow KIND[=SYMBOL]  what you know to be harmless: all of a kind, or of one function, import or variable; a * at the\n"
    "                         symbol's end stands for any rest; may be repeated\n"
    "  --strict               warnings count as errors\n"
    "  --format F             text (usual), json (a line per file), junit, sarif or github\n"
    "\n"
    "Exit codes: 0 no errors, 1 errors, 2 bad flag or no such file, 3 a damaged file, 6 code that cannot be read here.\n";

enum { FLAG_ALLOW = ARGS_LONG, FLAG_STRICT, FLAG_FORMAT };

static const struct option flags[] = {
    { "allow", required_argument, NULL, FLAG_ALLOW },
    { "strict", no_argument, NULL, FLAG_STRICT },
    { "format", required_argument, NULL, FLAG_FORMAT },
    { "help", no_argument, NULL, ARGS_HELP },
    { NULL, 0, NULL, 0 },
};

static bool add_allowed(LintRun *run, const char *text)
{
    size_t   size = strcspn(text, "=");
    LintKind kind = lint_kind_of(text, size);
    if (kind == LINT_KIND_COUNT) {
        cli_usage("lint", "--allow: '%.*s' is no kind", (int)size, text);
        return false;
    }
    if (text[size] == '=' && text[size + 1] == '\0') {
        cli_usage("lint", "--allow: no symbol behind '%s'", text);
        return false;
    }
    if (run->allowed_count == LINT_ALLOWED_MAX) {
        cli_fail(TP_USAGE, "--allow: more than %d; end a symbol with *", LINT_ALLOWED_MAX);
        return false;
    }
    run->allowed[run->allowed_count++] = (LintAllow){ .kind = kind, .symbol = text[size] == '=' ? text + size + 1 : NULL };
    return true;
}

static bool take_format(const char *text, FindingFormat *format)
{
    if (finding_format_of(text, format)) {
        return true;
    }
    cli_fail(TP_USAGE, "--format: '%s' is none; give text, json, junit, sarif or github", text);
    return false;
}

static int lint_files(LintRun *run, char **paths, FindingFormat format)
{
    for (; *paths != NULL; paths++) {
        if (!lint_run_file(run, *paths)) {
            return cli_fail(TP_INTERNAL, "%s: out of memory", *paths);
        }
    }
    lint_report_write(stdout, format, run);
    return (int)lint_run_worst(run);
}

static int run(int argc, char **argv)
{
    static LintRun lint;
    FindingFormat  format = FINDING_TEXT;
    for (int flag = args_next("lint", argc, argv, ":h", flags); flag != ARGS_END; flag = args_next("lint", argc, argv, ":h", flags)) {
        bool is_fine = false;
        switch (flag) {
        case ARGS_HELP: fputs(help, stdout); return TP_VERIFIED;
        case FLAG_ALLOW: is_fine = add_allowed(&lint, optarg); break;
        case FLAG_STRICT: is_fine = lint.is_strict = true; break;
        case FLAG_FORMAT: is_fine = take_format(optarg, &format); break;
        default: break;
        }
        if (!is_fine) {
            return TP_USAGE;
        }
    }
    if (optind == argc) {
        return cli_usage("lint", "it takes a library, an object file or an archive");
    }
    int code = lint_files(&lint, argv + optind, format);
    lint_run_finish(&lint);
    return code;
}

const Command command_lint = { "lint", "what in a world's machine code differs between machines", help, run };

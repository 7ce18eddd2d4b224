// lint_input.c: files and members of archives become results. A damaged one is a result, too, and the others are still looked at.
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "files.h"
#include "lint_archive.h"
#include "lint_report.h"

enum { FILE_SIZE_MAX = 1 << 30, MEMBERS_MAX = 65536 };

static LintResult *add_result(LintRun *run, const char *path, const char *member)
{
    if (run->count == run->capacity) {
        size_t      capacity = run->capacity == 0 ? 16 : run->capacity * 2;
        LintResult *results = realloc(run->results, capacity * sizeof(results[0]));
        if (results == NULL) {
            return NULL;
        }
        run->results = results;
        run->capacity = capacity;
    }
    size_t size = strlen(path) + (member == NULL ? 0 : strlen(member) + 2) + 1;
    char  *subject = malloc(size);
    if (subject == NULL) {
        return NULL;
    }
    snprintf(subject, size, member == NULL ? "%s" : "%s(%s)", path, member);
    LintResult *result = &run->results[run->count++];
    *result = (LintResult){ .subject = subject };
    return result;
}

static bool refuse(LintRun *run, const char *path, const char *member, tp_verdict verdict, const char *message)
{
    LintResult *result = add_result(run, path, member);
    if (result == NULL) {
        return false;
    }
    result->verdict = verdict;
    snprintf(result->message, sizeof(result->message), "%s", message);
    return true;
}

// What core and sim themselves do: the innermost guard and the generators' watcher live for one step, hashing takes the processor's best
// way, which tests hold equal to all others, and after a step that changed the floating-point mode it is put back.
static bool is_core_own(const LintFinding *finding, const LintNames *own, const LintNames *elsewhere)
{
    static const struct {
        LintKind    kind;
        const char *symbol, *beside; // a function of core that is in the same file or archive
    } all[] = {
        { LINT_KIND_TLS, "guard_innermost", "tp_guard_run" },
        { LINT_KIND_TLS, "watched", "tp_rng_watch_draws" },
        { LINT_KIND_PROCESSOR, "__cpu_model", "tp_hash64" },
        { LINT_KIND_PROCESSOR, "__cpu_model", "crc32c_by_table" },
        { LINT_KIND_FP_MODE, "sim_floats_restore", "tp_sim_create" },
        { LINT_KIND_FP_MODE, "sim_floats_put_back", "tp_sim_create" }, // a compiler may move the former into it
    };
    for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
        bool is_beside = lint_names_have(own, all[i].beside) || (elsewhere != NULL && lint_names_have(elsewhere, all[i].beside));
        if (is_beside && finding->kind == all[i].kind && strcmp(finding->symbol, all[i].symbol) == 0) {
            return true;
        }
    }
    return false;
}

static bool is_allowed(LintRun *run, const LintFinding *finding)
{
    bool is_found = false;
    for (size_t i = 0; i < run->allowed_count; i++) {
        LintAllow  *allow = &run->allowed[i];
        size_t      size = allow->symbol == NULL ? 0 : strlen(allow->symbol);
        size_t      kept = sizeof(finding->symbol) - 1; // a longer name was cut
        bool        is_open = size > 0 && allow->symbol[size - 1] == '*';
        bool        is_same = allow->symbol == NULL || strncmp(finding->symbol, allow->symbol, is_open && size - 1 < kept ? size - 1 : kept) == 0;
        if (allow->kind == finding->kind && is_same) {
            allow->is_used = true;
            is_found = true;
        }
    }
    return is_found;
}

// What was not understood is never called clean: an instruction may be newer than the disassembler.
static bool has_unread(const LintObject *object)
{
    for (size_t i = 0; i < object->count; i++) {
        if (object->findings[i].kind == LINT_KIND_UNREAD && !object->findings[i].is_allowed) {
            return true;
        }
    }
    return object->dropped_of[LINT_KIND_UNREAD][LINT_WARNING] > 0;
}

static bool is_kind_allowed(LintRun *run, LintKind kind)
{
    bool is_found = false;
    for (size_t i = 0; i < run->allowed_count; i++) {
        bool is_it = run->allowed[i].kind == kind && run->allowed[i].symbol == NULL;
        run->allowed[i].is_used = run->allowed[i].is_used || is_it;
        is_found = is_found || is_it;
    }
    return is_found;
}

// What is not shown is judged all the same, but only as a whole kind can it be allowed.
static void judge_dropped(LintRun *run, LintResult *result)
{
    for (LintKind kind = 0; result->object.dropped > 0 && kind < LINT_KIND_COUNT; kind++) {
        size_t *dropped = result->object.dropped_of[kind];
        bool    is_there = dropped[LINT_NOTE] + dropped[LINT_WARNING] + dropped[LINT_ERROR] > 0;
        bool    is_fine = is_there && is_kind_allowed(run, kind);
        for (int level = LINT_NOTE; level <= LINT_ERROR; level++) {
            result->allowed += is_fine ? dropped[level] : 0;
            result->levels[level] += is_fine ? 0 : dropped[level];
            dropped[level] = is_fine ? 0 : dropped[level];
        }
    }
}

static void judge(LintRun *run, LintResult *result, const LintNames *own, const LintNames *elsewhere)
{
    for (size_t i = 0; i < result->object.count; i++) {
        LintFinding *finding = &result->object.findings[i];
        finding->is_allowed = is_allowed(run, finding) || is_core_own(finding, own, elsewhere);
        result->allowed += finding->is_allowed ? 1 : 0;
        result->levels[finding->level] += finding->is_allowed ? 0 : 1;
    }
    judge_dropped(run, result);
    bool is_bad = result->levels[LINT_ERROR] > 0 || (run->is_strict && result->levels[LINT_WARNING] > 0);
    if (is_bad) {
        result->verdict = TP_DIVERGED;
    } else if (!result->object.is_code_read) {
        result->verdict = TP_INCOMPATIBLE;
        snprintf(result->message, sizeof(result->message), "%s", result->object.message);
    } else if (has_unread(&result->object)) {
        result->verdict = TP_INCOMPATIBLE;
        snprintf(result->message, sizeof(result->message), "not all of its code could be read, see 'unread'; --allow unread when that is no code");
    }
}

// GCC's -flto leaves its own format and no code in an object file.
static bool is_without_code(const LintNames *own)
{
    return lint_names_have(own, "__gnu_lto_slim") || lint_names_have(own, "__gnu_lto_v1");
}

static bool lint_elf_bytes_of(LintRun *run, const char *path, const char *member, const uint8_t *bytes, size_t size, const LintNames *elsewhere)
{
    LintElf   elf;
    tp_error  error = { { 0 } };
    LintNames own = { 0 };
    if (!lint_elf_open(&elf, bytes, size, &error)) {
        return refuse(run, path, member, TP_CORRUPT, error.text);
    }
    LintResult *result = lint_names_add(&own, &elf) ? add_result(run, path, member) : NULL;
    bool        is_done = result != NULL;
    lint_names_sort(&own);
    if (is_done && is_without_code(&own)) {
        result->verdict = TP_INCOMPATIBLE;
        snprintf(result->message, sizeof(result->message), "compiled with -flto, so there is no machine code in it; lint the linked library");
    } else if (is_done) {
        is_done = lint_scan(&elf, elsewhere, &result->object);
        judge(run, result, &own, elsewhere);
    }
    lint_names_finish(&own);
    return is_done;
}

static bool has_magic(const uint8_t *bytes, size_t size, const char *magic, size_t magic_size)
{
    return size >= magic_size && memcmp(bytes, magic, magic_size) == 0;
}

// NULL: no format that has a name here.
static const char *other_format(const uint8_t *bytes, size_t size)
{
    static const struct {
        const char *magic;
        size_t      size;
        const char *name;
    } all[] = {
        { "MZ", 2, "a Windows program or library" }, { "\0asm", 4, "WebAssembly" }, { "BC\xc0\xde", 4, "LLVM bitcode (compiled with -flto)" },
        { "\xfe\xed\xfa\xce", 4, "Mach-O" }, { "\xce\xfa\xed\xfe", 4, "Mach-O" }, { "\xfe\xed\xfa\xcf", 4, "Mach-O" }, { "\xcf\xfa\xed\xfe", 4, "Mach-O" },
        { "\xca\xfe\xba\xbe", 4, "a Mach-O of several machines" }, { "\x64\x86", 2, "a Windows object file" }, { "\x4c\x01", 2, "a Windows object file" },
    };
    for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
        if (has_magic(bytes, size, all[i].magic, all[i].size)) {
            return all[i].name;
        }
    }
    return NULL;
}

static bool lint_bytes(LintRun *run, const char *path, const char *member, const uint8_t *bytes, size_t size, const LintNames *elsewhere)
{
    char        text[160];
    const char *other = other_format(bytes, size);
    if (other != NULL) {
        snprintf(text, sizeof(text), "it is %s; build the world for Linux and lint that", other);
        return refuse(run, path, member, TP_INCOMPATIBLE, text);
    }
    if (!lint_elf_is(bytes, size)) {
        return refuse(run, path, member, TP_CORRUPT, size == 0 ? "offset 0: the file is empty" : "offset 0: neither an ELF file nor an archive");
    }
    return lint_elf_bytes_of(run, path, member, bytes, size, elsewhere);
}

// A member, with the bytes of its own that one of a thin archive has.
typedef struct {
    LintMember head;
    uint8_t   *owned;
    tp_error   error; ///< empty: it is there
} Member;

typedef struct {
    Member *items;
    size_t  count, capacity;
} Members;

// The archive names files, and a damaged one any file at all: standard input and pipes would hold it up, and all of them together fit into
// `left`, of which what is read is taken.
static void load_thin(Member *member, const char *archive, size_t *left)
{
    char        path[4096];
    struct stat status;
    const char *slash = strrchr(archive, '/');
    bool        is_whole = member->head.name[0] == '/';
    int         folder = slash == NULL || is_whole ? 0 : (int)(slash - archive) + 1;
    int         size = snprintf(path, sizeof(path), "%.*s%s%s", folder, archive, folder == 0 && !is_whole ? "./" : "", member->head.name);
    member->head.size = 0;
    if (size < 0 || (size_t)size >= sizeof(path)) {
        tp_error_set(&member->error, "its path is too long");
    } else if (stat(path, &status) == 0 && !S_ISREG(status.st_mode)) {
        tp_error_set(&member->error, "it is no regular file");
    } else {
        member->owned = files_read_all(path, *left, &member->head.size, &member->error);
    }
    member->head.data = member->owned;
    *left -= member->owned == NULL ? 0 : member->head.size;
}

static Member *add_member(Members *members)
{
    if (members->count == members->capacity) {
        size_t  capacity = members->capacity == 0 ? 16 : members->capacity * 2;
        Member *items = realloc(members->items, capacity * sizeof(items[0]));
        if (items == NULL) {
            return NULL;
        }
        members->items = items;
        members->capacity = capacity;
    }
    return &members->items[members->count++];
}

// The members up to the end, or up to what is damaged: then `error` says so.
static bool read_members(Members *members, const char *path, LintArchive *archive, tp_error *error)
{
    LintMember  head;
    LintMembers result;
    size_t      left = FILE_SIZE_MAX; // of thin members
    while ((result = lint_archive_next(archive, &head, error)) == LINT_MEMBER) {
        if (members->count == MEMBERS_MAX) {
            tp_error_set(error, "offset %zu: more than %d members", head.offset, MEMBERS_MAX);
            return true;
        }
        Member *member = add_member(members);
        if (member == NULL) {
            return false;
        }
        *member = (Member){ .head = head };
        if (archive->is_thin) {
            load_thin(member, path, &left);
        }
    }
    return true;
}

static bool collect_names(LintNames *names, const Members *members)
{
    for (size_t i = 0; i < members->count; i++) {
        const LintMember *head = &members->items[i].head;
        LintElf           elf;
        tp_error          error;
        bool              is_elf = head->data != NULL && lint_elf_is(head->data, head->size) && lint_elf_open(&elf, head->data, head->size, &error);
        if (is_elf && !lint_names_add(names, &elf)) {
            return false;
        }
    }
    lint_names_sort(names);
    return true;
}

static bool lint_members(LintRun *run, const char *path, const Members *members, const tp_error *broken)
{
    LintNames names = { 0 };
    bool      is_done = collect_names(&names, members);
    for (size_t i = 0; is_done && i < members->count; i++) {
        const Member *member = &members->items[i];
        is_done = member->error.text[0] != '\0' ? refuse(run, path, member->head.name, TP_USAGE, member->error.text)
                                                : lint_bytes(run, path, member->head.name, member->head.data, member->head.size, &names);
    }
    if (is_done && broken->text[0] != '\0') {
        is_done = refuse(run, path, NULL, TP_CORRUPT, broken->text);
    } else if (is_done && members->count == 0) {
        is_done = refuse(run, path, NULL, TP_USAGE, "the archive is empty");
    }
    lint_names_finish(&names);
    return is_done;
}

static bool lint_archive(LintRun *run, const char *path, const uint8_t *bytes, size_t size)
{
    LintArchive archive;
    Members     members = { 0 };
    tp_error    error = { { 0 } };
    lint_archive_open(&archive, bytes, size);
    bool is_done = read_members(&members, path, &archive, &error) && lint_members(run, path, &members, &error);
    for (size_t i = 0; i < members.count; i++) {
        free(members.items[i].owned);
    }
    free(members.items);
    return is_done;
}

bool lint_run_file(LintRun *run, const char *path)
{
    size_t   size = 0;
    tp_error error = { { 0 } };
    uint8_t *bytes = files_read_all(path, FILE_SIZE_MAX, &size, &error);
    if (bytes == NULL) {
        return refuse(run, path, NULL, TP_USAGE, error.text);
    }
    bool is_done = lint_archive_is(bytes, size) ? lint_archive(run, path, bytes, size) : lint_bytes(run, path, NULL, bytes, size, NULL);
    free(bytes);
    return is_done;
}

void lint_run_finish(LintRun *run)
{
    for (size_t i = 0; i < run->count; i++) {
        lint_object_finish(&run->results[i].object);
        free(run->results[i].subject);
    }
    free(run->results);
    run->results = NULL;
    run->count = 0;
}

tp_verdict lint_run_worst(const LintRun *run)
{
    tp_verdict worst = TP_VERIFIED;
    for (size_t i = 0; i < run->count; i++) {
        worst = tp_verdict_worst(worst, run->results[i].verdict);
    }
    return worst;
}

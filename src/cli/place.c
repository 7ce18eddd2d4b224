// place.c: from a section's name to the line of a field's row. Each step is a search over all sources, and every answer is followed: two of
// them that lead to one line are one answer, and two lines are none.
#include "place.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "place_files.h"
#include "place_tokens.h"

// Macros that take each other along make a search grow with the power of their depth: after so many searches there is no answer.
enum { NAME_SIZE_MAX = 128, NESTED_MAX = 8, SEARCHES_MAX = 256 };

// How near to the file in question a search stays. The nearest scope with an answer is taken.
typedef enum { SCOPE_FILE, SCOPE_FOLDER, SCOPE_ALL, SCOPE_COUNT } Scope;

typedef struct {
    PlaceFiles   files;
    const char  *world, *section;
    char         field[NAME_SIZE_MAX];
    bool         wants_world; // this pass takes only sections beside the world's name
    FindingPlace found;
    uint32_t     found_count; // different places
    uint32_t     search_count;
    bool         is_lost; // there would have been more of them
} Finder;

typedef struct {
    const char *path;
    PlaceTokens tokens;
} Source;

// Looks at one source that has the word in it; true when it has an answer.
typedef bool (*Look)(Finder *finder, const Source *source, const char *word, unsigned depth);

static void found(Finder *finder, const Source *source, uint32_t line)
{
    FindingPlace place = { .line = line };
    snprintf(place.path, sizeof(place.path), "%s", source->path);
    bool is_known = finder->found_count > 0 && finder->found.line == line && strcmp(finder->found.path, place.path) == 0;
    if (!is_known) {
        finder->found = place;
        finder->found_count += 1;
    }
}

static bool copy_name(char name[NAME_SIZE_MAX], const PlaceToken *token)
{
    if (token == NULL || token->size >= NAME_SIZE_MAX) {
        return false;
    }
    memcpy(name, token->text, token->size);
    name[token->size] = '\0';
    return true;
}

static size_t folder_size(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash == NULL ? 0 : (size_t)(slash - path) + 1;
}

static bool is_within(const char *path, const char *near, Scope scope)
{
    size_t size = folder_size(near);
    switch (scope) {
    case SCOPE_FILE: return strcmp(path, near) == 0;
    case SCOPE_FOLDER: return folder_size(path) == size && memcmp(path, near, size) == 0;
    case SCOPE_ALL:
    case SCOPE_COUNT: break;
    }
    return true;
}

static bool look_into(Finder *finder, const char *path, const char *word, Look look, unsigned depth)
{
    size_t size = 0;
    char  *text = place_files_read(path, &size);
    bool   has_answer = false;
    if (text != NULL && memmem(text, size, word, strlen(word)) != NULL) {
        Source source = { .path = path };
        has_answer = place_tokens_cut(&source.tokens, text, size) && look(finder, &source, word, depth);
        place_tokens_finish(&source.tokens);
    }
    free(text);
    return has_answer;
}

static bool search(Finder *finder, const char *near, const char *word, Look look, unsigned depth)
{
    bool has_answer = false;
    if (finder->search_count == SEARCHES_MAX) {
        finder->is_lost = true;
        return false;
    }
    finder->search_count += 1;
    for (Scope scope = near == NULL ? SCOPE_ALL : SCOPE_FILE; !has_answer && scope < SCOPE_COUNT; scope++) {
        for (size_t i = 0; i < finder->files.count; i++) {
            if (near == NULL || is_within(finder->files.paths[i], near, scope)) {
                has_answer = look_into(finder, finder->files.paths[i], word, look, depth) || has_answer;
            }
        }
    }
    return has_answer;
}

// A macro's body: rows of it, and other macros that take its rows along.

typedef struct {
    char   struct_name[NAME_SIZE_MAX];          // the first parameter
    char   rows[PLACE_ARGS_MAX][NAME_SIZE_MAX]; // the others: what rows are made with
    size_t row_count;
} MacroHead;

static bool read_macro_head(const PlaceTokens *tokens, size_t at, PlaceCall *call, MacroHead *head)
{
    head->row_count = 0;
    if (at >= tokens->count || !tokens->items[at].touches || !place_tokens_call(tokens, at, call) || call->count < 2 ||
        !copy_name(head->struct_name, place_tokens_arg_name(tokens, call, 0))) {
        return false;
    }
    for (size_t i = 1; i < call->count; i++) {
        if (copy_name(head->rows[head->row_count], place_tokens_arg_name(tokens, call, i))) {
            head->row_count += 1;
        }
    }
    return true;
}

static bool is_row_macro(const MacroHead *head, const PlaceTokens *tokens, size_t at)
{
    for (size_t i = 0; i < head->row_count; i++) {
        if (place_tokens_is(tokens, at, PLACE_NAME, head->rows[i])) {
            return true;
        }
    }
    return false;
}

static bool look_for_macro(Finder *finder, const Source *source, const char *word, unsigned depth);

static void read_macro_call(Finder *finder, const Source *source, const MacroHead *head, size_t at, const PlaceCall *call, unsigned depth)
{
    const PlaceTokens *tokens = &source->tokens;
    char               name[NAME_SIZE_MAX];
    if (is_row_macro(head, tokens, at)) {
        if (place_tokens_arg_is(tokens, call, 2, PLACE_NAME, finder->field)) {
            found(finder, source, tokens->items[call->args[2].begin].line);
        }
    } else if (depth < NESTED_MAX && place_tokens_arg_is(tokens, call, 0, PLACE_NAME, head->struct_name) && copy_name(name, &tokens->items[at])) {
        search(finder, source->path, name, look_for_macro, depth + 1);
    }
}

static void read_macro_body(Finder *finder, const Source *source, const MacroHead *head, size_t at, unsigned depth)
{
    const PlaceTokens *tokens = &source->tokens;
    PlaceCall          call;
    while (at < tokens->count && tokens->items[at].kind != PLACE_DEFINE_END) {
        if (tokens->items[at].kind == PLACE_NAME && place_tokens_call(tokens, at + 1, &call)) {
            read_macro_call(finder, source, head, at, &call, depth);
            at = call.end;
        } else {
            at += 1;
        }
    }
}

static bool look_for_macro(Finder *finder, const Source *source, const char *word, unsigned depth)
{
    const PlaceTokens *tokens = &source->tokens;
    bool               has_answer = false;
    for (size_t i = 0; i + 2 < tokens->count; i++) {
        PlaceCall call;
        MacroHead head;
        if (tokens->items[i].kind == PLACE_DEFINE && place_tokens_is(tokens, i + 1, PLACE_NAME, word) && read_macro_head(tokens, i + 2, &call, &head)) {
            has_answer = true;
            read_macro_body(finder, source, &head, call.end, depth);
        }
    }
    return has_answer;
}

// Tables.

// Rows that every pool has are declared in a header that may lie elsewhere: then the pool's own line stands for them.
static void read_pool_rows(Finder *finder, const Source *source, const char *macro, const char *const *names, uint32_t line)
{
    for (size_t i = 0; names[i] != NULL; i++) {
        if (strcmp(names[i], finder->field) == 0) {
            uint32_t before = finder->found_count;
            search(finder, NULL, macro, look_for_macro, 0);
            if (finder->found_count == before && finder->found_count == 0) {
                found(finder, source, line);
            }
        }
    }
}

static bool read_table_macro(Finder *finder, const Source *source, size_t at, const char *table)
{
    static const char *const slot_rows[] = { "generation", "next_free", NULL };
    static const char *const head_rows[] = { "free_head", "live", "retired", "reserved", NULL };
    const PlaceTokens       *tokens = &source->tokens;
    PlaceCall                call;
    char                     macro[NAME_SIZE_MAX];
    bool                     is_pool = place_tokens_is(tokens, at, PLACE_NAME, "TP_POOL_TABLE");
    bool                     is_head = place_tokens_is(tokens, at, PLACE_NAME, "TP_POOL_HEAD_TABLE");
    if ((!is_pool && !is_head && !place_tokens_is(tokens, at, PLACE_NAME, "TP_TABLE")) || !place_tokens_call(tokens, at + 1, &call) ||
        !place_tokens_arg_is(tokens, &call, 0, PLACE_NAME, table)) {
        return false;
    }
    if (is_pool || is_head) {
        read_pool_rows(finder, source, is_pool ? "TP_POOL_SLOT_ROWS" : "TP_POOL_HEAD_FIELDS", is_pool ? slot_rows : head_rows, tokens->items[at].line);
    }
    if (!is_head && copy_name(macro, place_tokens_arg_name(tokens, &call, 2))) {
        search(finder, source->path, macro, look_for_macro, 0);
    }
    return true;
}

// One row of a table that is written out: TP_ROW_F(S, type, name, ...), or { "name", ...
static void read_written_row(Finder *finder, const Source *source, size_t at)
{
    const PlaceTokens *tokens = &source->tokens;
    PlaceCall          call;
    bool is_row = place_tokens_is(tokens, at, PLACE_NAME, "TP_ROW_F") || place_tokens_is(tokens, at, PLACE_NAME, "TP_ROW_A") ||
                  place_tokens_is(tokens, at, PLACE_NAME, "TP_ROW_H");
    if (is_row && place_tokens_call(tokens, at + 1, &call) && place_tokens_arg_is(tokens, &call, 2, PLACE_NAME, finder->field)) {
        found(finder, source, tokens->items[call.args[2].begin].line);
    }
    if (place_tokens_is_mark(tokens, at, '{') && place_tokens_is(tokens, at + 1, PLACE_TEXT, finder->field)) {
        found(finder, source, tokens->items[at + 1].line);
    }
}

// `tp_field table[...] = { ... };`
static bool read_written_table(Finder *finder, const Source *source, size_t at, const char *table)
{
    const PlaceTokens *tokens = &source->tokens;
    if (!place_tokens_is(tokens, at, PLACE_NAME, "tp_field") || !place_tokens_is(tokens, at + 1, PLACE_NAME, table) ||
        !place_tokens_is_mark(tokens, at + 2, '[')) {
        return false;
    }
    size_t i = at + 3;
    while (i < tokens->count && !place_tokens_is_mark(tokens, i, '{') && !place_tokens_is_mark(tokens, i, ';')) {
        i++;
    }
    bool is_there = place_tokens_is_mark(tokens, i, '{');
    for (; is_there && i < tokens->count && !place_tokens_is_mark(tokens, i, ';'); i++) {
        read_written_row(finder, source, i);
    }
    return is_there;
}

static bool look_for_table(Finder *finder, const Source *source, const char *word, unsigned depth)
{
    bool has_answer = false;
    for (size_t i = 0; i < source->tokens.count; i++) {
        bool is_table = read_table_macro(finder, source, i, word) || read_written_table(finder, source, i, word);
        has_answer = has_answer || is_table;
    }
    return has_answer;
}

// Sections.

// TP_SECTION("players", Player, player_fields, ...), or { "players", player_fields, ... written out.
static bool section_table(const Finder *finder, const Source *source, size_t at, char table[NAME_SIZE_MAX])
{
    const PlaceTokens *tokens = &source->tokens;
    PlaceCall          call;
    if (place_tokens_is(tokens, at, PLACE_NAME, "TP_SECTION") && place_tokens_call(tokens, at + 1, &call)) {
        return place_tokens_arg_is(tokens, &call, 0, PLACE_TEXT, finder->section) && copy_name(table, place_tokens_arg_name(tokens, &call, 2));
    }
    return place_tokens_is_mark(tokens, at, '{') && place_tokens_is(tokens, at + 1, PLACE_TEXT, finder->section) && place_tokens_is_mark(tokens, at + 2, ',') &&
           at + 4 < tokens->count && tokens->items[at + 3].kind == PLACE_NAME && place_tokens_is_mark(tokens, at + 4, ',') && copy_name(table, &tokens->items[at + 3]);
}

static bool has_text(const PlaceTokens *tokens, const char *text)
{
    for (size_t i = 0; i < tokens->count; i++) {
        if (place_tokens_is(tokens, i, PLACE_TEXT, text)) {
            return true;
        }
    }
    return false;
}

static bool look_for_section(Finder *finder, const Source *source, const char *word, unsigned depth)
{
    char table[NAME_SIZE_MAX];
    bool has_answer = false;
    if (finder->wants_world && !has_text(&source->tokens, finder->world)) {
        return false;
    }
    for (size_t i = 0; i < source->tokens.count; i++) {
        if (section_table(finder, source, i, table)) {
            has_answer = true;
            search(finder, source->path, table, look_for_table, depth);
        }
    }
    return has_answer;
}

// "players[1].hits[3]" is the field "hits".
static bool take_field(Finder *finder, const char *field)
{
    const char *dot = strrchr(field, '.');
    const char *name = dot == NULL ? field : dot + 1;
    size_t      size = strcspn(name, "[");
    if (size == 0 || size >= sizeof(finder->field)) {
        return false;
    }
    memcpy(finder->field, name, size);
    finder->field[size] = '\0';
    return true;
}

bool place_find_of_world(const char *directory, const char *world, const char *section, const char *field, FindingPlace *place)
{
    Finder finder = { .world = world, .section = section, .wants_world = world != NULL };
    *place = (FindingPlace){ 0 };
    if (section[0] != '\0' && take_field(&finder, field) && place_files_list(&finder.files, directory)) {
        bool has_answer = search(&finder, NULL, section, look_for_section, 0);
        if (!has_answer && finder.wants_world) {
            finder.wants_world = false;
            search(&finder, NULL, section, look_for_section, 0);
        }
    }
    place_files_finish(&finder.files);
    bool is_found = finder.found_count == 1 && !finder.is_lost;
    if (is_found) {
        *place = finder.found;
    }
    return is_found;
}

bool place_find(const char *directory, const char *section, const char *field, FindingPlace *place)
{
    return place_find_of_world(directory, NULL, section, field, place);
}

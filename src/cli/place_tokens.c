// place_tokens.c: one walk over the text. What it does not understand becomes marks, which no table is made of.
#include "place_tokens.h"

#include <stdlib.h>
#include <string.h>

typedef struct {
    PlaceTokens *tokens;
    const char  *at, *end;
    uint32_t     line;
    bool         is_line_start; // only blanks since the line began
    bool         is_define;
    bool         touches;
    bool         is_short; // of memory
} Cutter;

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static void add(Cutter *cutter, PlaceTokenKind kind, const char *text, size_t size, uint32_t line)
{
    PlaceTokens *tokens = cutter->tokens;
    if (tokens->count == tokens->capacity) {
        size_t      capacity = tokens->capacity == 0 ? 256 : tokens->capacity * 2;
        PlaceToken *items = realloc(tokens->items, capacity * sizeof(*items));
        if (items == NULL) {
            cutter->is_short = true;
            return;
        }
        tokens->items = items;
        tokens->capacity = capacity;
    }
    tokens->items[tokens->count++] = (PlaceToken){ kind, text, size, line, cutter->touches };
    cutter->touches = true;
    cutter->is_line_start = false;
}

// Bytes of a backslash and the line end behind it, or 0.
static size_t splice_size(const Cutter *cutter)
{
    size_t left = (size_t)(cutter->end - cutter->at);
    if (left >= 2 && cutter->at[0] == '\\' && cutter->at[1] == '\n') {
        return 2;
    }
    return left >= 3 && cutter->at[0] == '\\' && cutter->at[1] == '\r' && cutter->at[2] == '\n' ? 3 : 0;
}

// Steps over one character, or a splice and the line end in it.
static void step(Cutter *cutter)
{
    size_t splice = splice_size(cutter);
    if (splice > 0) {
        cutter->line += 1;
        cutter->at += splice;
        return;
    }
    cutter->line += *cutter->at == '\n';
    cutter->at += 1;
}

static bool begins(const Cutter *cutter, const char *text)
{
    size_t size = strlen(text);
    return (size_t)(cutter->end - cutter->at) >= size && memcmp(cutter->at, text, size) == 0;
}

static void skip_line(Cutter *cutter)
{
    while (cutter->at < cutter->end && *cutter->at != '\n') {
        step(cutter);
    }
}

static void skip_comment(Cutter *cutter)
{
    cutter->touches = false;
    if (begins(cutter, "//")) {
        skip_line(cutter);
        return;
    }
    cutter->at += 2;
    while (cutter->at < cutter->end && !begins(cutter, "*/")) {
        step(cutter);
    }
    cutter->at += cutter->at < cutter->end ? 2 : 0;
}

static void end_line(Cutter *cutter)
{
    if (cutter->is_define) {
        cutter->is_define = false;
        add(cutter, PLACE_DEFINE_END, cutter->at, 0, cutter->line);
    }
    cutter->is_line_start = true;
    cutter->touches = false;
}

static void skip_blanks(Cutter *cutter)
{
    while (cutter->at < cutter->end && (*cutter->at == ' ' || *cutter->at == '\t' || splice_size(cutter) > 0)) {
        step(cutter);
    }
}

static bool is_word(Cutter *cutter, const char *word)
{
    size_t size = strlen(word);
    return begins(cutter, word) && (cutter->at + size == cutter->end || (!is_letter(cutter->at[size]) && !is_digit(cutter->at[size])));
}

// From behind `#if 0` to its `#else`, `#elif` or `#endif`, over those of conditions within.
static void skip_branch(Cutter *cutter)
{
    for (uint32_t depth = 1; depth > 0 && cutter->at < cutter->end;) {
        skip_line(cutter);
        if (cutter->at < cutter->end) {
            step(cutter);
        }
        skip_blanks(cutter);
        if (cutter->at == cutter->end || *cutter->at != '#') {
            continue;
        }
        step(cutter);
        skip_blanks(cutter);
        depth += begins(cutter, "if");
        bool is_else = is_word(cutter, "else") || begins(cutter, "elif");
        depth -= is_word(cutter, "endif") || (is_else && depth == 1);
    }
    skip_line(cutter);
}

static void cut_directive(Cutter *cutter)
{
    uint32_t line = cutter->line;
    step(cutter);
    skip_blanks(cutter);
    cutter->touches = false;
    if (is_word(cutter, "define")) {
        add(cutter, PLACE_DEFINE, cutter->at, 6, line);
        cutter->at += 6;
        cutter->is_define = true;
        cutter->touches = false;
        return;
    }
    bool is_if = is_word(cutter, "if");
    if (is_if) {
        cutter->at += 2;
        skip_blanks(cutter);
    }
    if (is_if && is_word(cutter, "0")) {
        skip_branch(cutter);
    } else {
        skip_line(cutter);
    }
}

static void cut_quoted(Cutter *cutter, char quote)
{
    uint32_t    line = cutter->line;
    const char *text = ++cutter->at;
    while (cutter->at < cutter->end && *cutter->at != quote && *cutter->at != '\n') {
        if (*cutter->at == '\\' && splice_size(cutter) == 0 && cutter->at + 1 < cutter->end) {
            cutter->at += 1;
        }
        step(cutter);
    }
    if (quote == '"') {
        add(cutter, PLACE_TEXT, text, (size_t)(cutter->at - text), line);
    } else {
        add(cutter, PLACE_MARK, text - 1, 1, line);
    }
    cutter->at += cutter->at < cutter->end && *cutter->at == quote;
}

// R"x(...)x" of C++: nothing inside means anything.
static void skip_raw_text(Cutter *cutter)
{
    char   close[24] = ")";
    size_t size = 0;
    cutter->at += 2;
    while (cutter->at + size < cutter->end && size < 16 && cutter->at[size] != '(') {
        size++;
    }
    memcpy(close + 1, cutter->at, size);
    close[size + 1] = '"';
    while (cutter->at < cutter->end && !begins(cutter, close)) {
        cutter->line += *cutter->at == '\n';
        cutter->at += 1;
    }
    cutter->at += cutter->at < cutter->end ? size + 2 : 0;
    cutter->touches = false;
    cutter->is_line_start = false;
}

static void cut_name(Cutter *cutter)
{
    const char *text = cutter->at;
    bool        is_number = is_digit(*text);
    while (cutter->at < cutter->end && (is_letter(*cutter->at) || is_digit(*cutter->at) || (is_number && (*cutter->at == '.' || *cutter->at == '\'')))) {
        cutter->at += 1;
    }
    add(cutter, PLACE_NAME, text, (size_t)(cutter->at - text), cutter->line);
}

static void cut_blank(Cutter *cutter)
{
    if (*cutter->at == '\n') {
        end_line(cutter);
    }
    cutter->touches = false;
    step(cutter);
}

static void cut_next(Cutter *cutter)
{
    char c = *cutter->at;
    if (c == '\n' || c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v' || splice_size(cutter) > 0) {
        cut_blank(cutter);
    } else if (begins(cutter, "//") || begins(cutter, "/*")) {
        skip_comment(cutter);
    } else if (c == '#' && cutter->is_line_start && !cutter->is_define) {
        cut_directive(cutter);
    } else if (begins(cutter, "R\"")) {
        skip_raw_text(cutter);
    } else if (c == '"' || c == '\'') {
        cut_quoted(cutter, c);
    } else if (is_letter(c) || is_digit(c)) {
        cut_name(cutter);
    } else {
        add(cutter, PLACE_MARK, cutter->at, 1, cutter->line);
        cutter->at += 1;
    }
}

bool place_tokens_cut(PlaceTokens *tokens, const char *text, size_t size)
{
    Cutter cutter = { .tokens = tokens, .at = text, .end = text + size, .line = 1, .is_line_start = true };
    *tokens = (PlaceTokens){ 0 };
    while (cutter.at < cutter.end && !cutter.is_short) {
        cut_next(&cutter);
    }
    end_line(&cutter);
    return !cutter.is_short;
}

void place_tokens_finish(PlaceTokens *tokens)
{
    free(tokens->items);
    *tokens = (PlaceTokens){ 0 };
}

bool place_tokens_is(const PlaceTokens *tokens, size_t at, PlaceTokenKind kind, const char *text)
{
    return at < tokens->count && tokens->items[at].kind == kind && tokens->items[at].size == strlen(text) &&
           memcmp(tokens->items[at].text, text, tokens->items[at].size) == 0;
}

bool place_tokens_is_mark(const PlaceTokens *tokens, size_t at, char mark)
{
    return at < tokens->count && tokens->items[at].kind == PLACE_MARK && *tokens->items[at].text == mark;
}

static void end_arg(PlaceCall *call, size_t at)
{
    if (call->count < PLACE_ARGS_MAX) {
        call->args[call->count].end = at;
        call->count += 1;
    }
    if (call->count < PLACE_ARGS_MAX) {
        call->args[call->count].begin = at + 1;
    }
}

bool place_tokens_call(const PlaceTokens *tokens, size_t at, PlaceCall *call)
{
    *call = (PlaceCall){ .args[0].begin = at + 1 };
    if (!place_tokens_is_mark(tokens, at, '(')) {
        return false;
    }
    uint32_t depth = 1;
    for (size_t i = at + 1; i < tokens->count; i++) {
        char mark = tokens->items[i].kind == PLACE_MARK ? *tokens->items[i].text : '\0';
        depth += mark == '(' || mark == '{' || mark == '[';
        depth -= mark == ')' || mark == '}' || mark == ']';
        if (depth == 0 || (depth == 1 && mark == ',')) {
            end_arg(call, i);
        }
        if (depth == 0) {
            call->end = i + 1;
            return true;
        }
        if (tokens->items[i].kind == PLACE_DEFINE || tokens->items[i].kind == PLACE_DEFINE_END) {
            return false;
        }
    }
    return false;
}

bool place_tokens_arg_is(const PlaceTokens *tokens, const PlaceCall *call, size_t arg, PlaceTokenKind kind, const char *text)
{
    return arg < call->count && call->args[arg].end == call->args[arg].begin + 1 && place_tokens_is(tokens, call->args[arg].begin, kind, text);
}

const PlaceToken *place_tokens_arg_name(const PlaceTokens *tokens, const PlaceCall *call, size_t arg)
{
    if (arg >= call->count || call->args[arg].end != call->args[arg].begin + 1) {
        return NULL;
    }
    const PlaceToken *token = &tokens->items[call->args[arg].begin];
    return token->kind == PLACE_NAME ? token : NULL;
}

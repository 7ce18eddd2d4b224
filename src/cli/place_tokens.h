// place_tokens.h: C and C++ text cut into the few kinds of tokens that field tables are made of, each with its line. Comments, the
// branches behind `#if 0` and every directive but #define are left out, and a line that ends in a backslash goes on.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum PlaceTokenKind {
    PLACE_NAME,       ///< an identifier, or a number
    PLACE_TEXT,       ///< a string, without its quotes and as it is written
    PLACE_MARK,       ///< one character of anything else
    PLACE_DEFINE,     ///< a #define begins: the macro's name is next
    PLACE_DEFINE_END, ///< its last line ends
} PlaceTokenKind;

/// `text` points into the text that was cut.
typedef struct PlaceToken {
    PlaceTokenKind kind;
    const char    *text;
    size_t         size;
    uint32_t       line;
    bool           touches; ///< nothing stands between this one and the one before
} PlaceToken;

typedef struct PlaceTokens {
    PlaceToken *items;
    size_t      count, capacity;
} PlaceTokens;

/// False: out of memory. Finish it in any case.
bool place_tokens_cut(PlaceTokens *tokens, const char *text, size_t size);
void place_tokens_finish(PlaceTokens *tokens);

bool place_tokens_is(const PlaceTokens *tokens, size_t at, PlaceTokenKind kind, const char *text);
bool place_tokens_is_mark(const PlaceTokens *tokens, size_t at, char mark);

enum { PLACE_ARGS_MAX = 8 };

/// Arguments of a call or of a macro's head: tokens from `begin` up to `end`. Of more than PLACE_ARGS_MAX the rest is not told.
typedef struct PlaceCall {
    size_t count;
    struct {
        size_t begin, end;
    } args[PLACE_ARGS_MAX];
    size_t end; ///< the token after the closing parenthesis
} PlaceCall;

/// The call whose opening parenthesis is token `at`. False: there is none, or it does not close.
bool place_tokens_call(const PlaceTokens *tokens, size_t at, PlaceCall *call);
/// Whether an argument is this one token.
bool place_tokens_arg_is(const PlaceTokens *tokens, const PlaceCall *call, size_t arg, PlaceTokenKind kind, const char *text);
/// An argument that is one name, or NULL.
const PlaceToken *place_tokens_arg_name(const PlaceTokens *tokens, const PlaceCall *call, size_t arg);

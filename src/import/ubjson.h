// ubjson.h: bounded reading of UBJSON, the envelope of .slp files: just enough to find one byte array, to walk objects, and to pass over
// whatever else is there. No allocation, no files; what comes out is borrowed from the bytes.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { UBJSON_DEPTH_MAX = 16 }; ///< containers inside containers

typedef enum {
    UBJSON_OK,
    UBJSON_CUT, ///< the bytes end inside of something
    UBJSON_BAD, ///< `wrong` says what stands there
} UbjsonStatus;

/// The first failure stays: every later call fails and moves nothing, so a caller may read a piece and check once.
typedef struct {
    const uint8_t *data;
    size_t         size;
    size_t         offset;
    UbjsonStatus   status;
    size_t         wrong_offset; ///< where the failed thing begins
    const char    *wrong;        ///< static; NULL unless BAD
} Ubjson;

/// Not terminated.
typedef struct {
    const uint8_t *bytes;
    size_t         size;
} UbjsonText;

/// An object being walked: each member with its own type, or all with one.
typedef struct {
    bool     is_counted;
    uint64_t left; ///< members, when counted
    uint8_t  type; ///< of every value; 0: each has its own
} UbjsonObject;

/// Reads data[offset..size); offsets count from data[0].
Ubjson  ubjson_reader(const uint8_t *data, size_t size, size_t offset);
/// Puts a failure of the caller's own: what stands at `offset` is wrong. False.
bool    ubjson_refuse(Ubjson *reader, size_t offset, const char *wrong);
/// The next byte without taking it; 0 at the end.
uint8_t ubjson_peek(const Ubjson *reader);
/// Takes exactly these bytes; `wrong` is the text for others.
bool    ubjson_expect(Ubjson *reader, const char *bytes, size_t size, const char *wrong);
/// A whole number with its type, not negative.
bool    ubjson_read_length(Ubjson *reader, uint64_t *length);
/// Length and bytes, as a key stands in an object.
bool    ubjson_read_text(Ubjson *reader, UbjsonText *text);

/// Goes into an object. `type` is 0, or the type when it stands elsewhere: ubjson_next's.
bool ubjson_enter(Ubjson *reader, uint8_t type, UbjsonObject *object);
/// The next member's key; its value comes next, and has to be taken by one of the calls below. False: the object is over, or it failed.
bool ubjson_next(Ubjson *reader, UbjsonObject *object, UbjsonText *key);
/// The type of the value that comes next, taken. 0: failed.
uint8_t ubjson_value_type(Ubjson *reader, const UbjsonObject *object);
/// The value of this type: its text when it is one (else size 0), passed over in any case.
bool ubjson_value_text(Ubjson *reader, uint8_t type, UbjsonText *text);
bool ubjson_value_skip(Ubjson *reader, uint8_t type);

/// Whether the text is this word.
bool ubjson_is(const UbjsonText *text, const char *word);

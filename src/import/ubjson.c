// ubjson.c: draft 12 of UBJSON: a type letter, then what belongs to it, numbers big-endian. Counts and lengths are foreign: each is held
// against what is left before anything is done for it.
#include "ubjson.h"

#include <string.h>

Ubjson ubjson_reader(const uint8_t *data, size_t size, size_t offset)
{
    return (Ubjson){ .data = data, .size = size, .offset = offset < size ? offset : size };
}

bool ubjson_refuse(Ubjson *reader, size_t offset, const char *wrong)
{
    if (reader->status == UBJSON_OK) {
        reader->status = UBJSON_BAD;
        reader->wrong_offset = offset;
        reader->wrong = wrong;
    }
    return false;
}

static bool cut(Ubjson *reader)
{
    if (reader->status == UBJSON_OK) {
        reader->status = UBJSON_CUT;
        reader->wrong_offset = reader->offset;
    }
    return false;
}

// NULL on failure.
static const uint8_t *take(Ubjson *reader, uint64_t size)
{
    if (reader->status != UBJSON_OK || size > reader->size - reader->offset) {
        cut(reader);
        return NULL;
    }
    const uint8_t *bytes = reader->data + reader->offset;
    reader->offset += (size_t)size;
    return bytes;
}

static uint8_t take_byte(Ubjson *reader)
{
    const uint8_t *byte = take(reader, 1);
    return byte == NULL ? 0 : *byte;
}

uint8_t ubjson_peek(const Ubjson *reader)
{
    return reader->status == UBJSON_OK && reader->offset < reader->size ? reader->data[reader->offset] : 0;
}

bool ubjson_expect(Ubjson *reader, const char *bytes, size_t size, const char *wrong)
{
    if (reader->status != UBJSON_OK) {
        return false;
    }
    size_t left = reader->size - reader->offset;
    if (left > 0 && memcmp(reader->data + reader->offset, bytes, size < left ? size : left) != 0) {
        return ubjson_refuse(reader, reader->offset, wrong);
    }
    return take(reader, size) != NULL;
}

// Bytes of a value of this type; -1 where the type alone does not say.
static int fixed_size(uint8_t type)
{
    switch (type) {
    case 'Z': case 'N': case 'T': case 'F': return 0;
    case 'i': case 'U': case 'C': return 1;
    case 'I': return 2;
    case 'l': case 'd': return 4;
    case 'L': case 'D': return 8;
    default: return -1;
    }
}

bool ubjson_read_length(Ubjson *reader, uint64_t *length)
{
    size_t  start = reader->offset;
    uint8_t type = take_byte(reader);
    if (reader->status != UBJSON_OK) {
        return false;
    }
    if (type == 0 || strchr("iUIlL", type) == NULL) {
        return ubjson_refuse(reader, start, "a length has to stand here");
    }
    int            size = fixed_size(type);
    const uint8_t *bytes = take(reader, (uint64_t)size);
    uint64_t       value = 0;
    for (int i = 0; bytes != NULL && i < size; i++) {
        value = value << 8 | bytes[i];
    }
    if (bytes != NULL && type != 'U' && bytes[0] >= 0x80) {
        return ubjson_refuse(reader, start, "a length is negative");
    }
    *length = value;
    return bytes != NULL;
}

bool ubjson_read_text(Ubjson *reader, UbjsonText *text)
{
    uint64_t length = 0;
    if (!ubjson_read_length(reader, &length)) {
        return false;
    }
    text->bytes = take(reader, length);
    text->size = text->bytes == NULL ? 0 : (size_t)length;
    return text->bytes != NULL;
}

// What may stand behind an opening bracket: $ and one type for all, # and how many there are.
static bool read_shape(Ubjson *reader, UbjsonObject *shape)
{
    *shape = (UbjsonObject){ 0 };
    if (ubjson_peek(reader) == '$') {
        take_byte(reader);
        shape->type = take_byte(reader);
        if (ubjson_peek(reader) != '#') {
            return reader->offset == reader->size ? cut(reader) : ubjson_refuse(reader, reader->offset, "a count has to follow the type of all values");
        }
    }
    if (ubjson_peek(reader) == '#') {
        take_byte(reader);
        shape->is_counted = true;
        return ubjson_read_length(reader, &shape->left);
    }
    return reader->status == UBJSON_OK;
}

// Whether another element comes; takes the closing bracket of a container that is not counted.
static bool has_next(Ubjson *reader, UbjsonObject *shape, uint8_t closing)
{
    if (reader->status != UBJSON_OK) {
        return false;
    }
    if (shape->is_counted) {
        return shape->left > 0 && shape->left--;
    }
    if (reader->offset == reader->size) {
        return cut(reader);
    }
    if (ubjson_peek(reader) == closing) {
        take_byte(reader);
        return false;
    }
    return true;
}

static bool skip_value(Ubjson *reader, uint8_t type, int depth);

// Many values of a fixed size at once: a count may be large where each takes no byte.
static bool skip_fixed(Ubjson *reader, const UbjsonObject *shape)
{
    uint64_t size = (uint64_t)fixed_size(shape->type);
    if (size != 0 && shape->left > UINT64_MAX / size) {
        return cut(reader);
    }
    return take(reader, shape->left * size) != NULL;
}

static bool skip_container(Ubjson *reader, uint8_t type, int depth)
{
    UbjsonObject shape;
    UbjsonText   key;
    bool         is_object = type == '{';
    if (depth == UBJSON_DEPTH_MAX) {
        return ubjson_refuse(reader, reader->offset, "containers are nested deeper than 16");
    }
    if (!read_shape(reader, &shape)) {
        return false;
    }
    if (!is_object && shape.is_counted && shape.type != 0 && fixed_size(shape.type) >= 0) {
        return skip_fixed(reader, &shape);
    }
    while (has_next(reader, &shape, is_object ? '}' : ']')) {
        if (is_object && !ubjson_read_text(reader, &key)) {
            return false;
        }
        uint8_t inner = ubjson_value_type(reader, &shape);
        if (inner == 0 || !skip_value(reader, inner, depth + 1)) {
            return false;
        }
    }
    return reader->status == UBJSON_OK;
}

static bool skip_value(Ubjson *reader, uint8_t type, int depth)
{
    UbjsonText text;
    if (fixed_size(type) >= 0) {
        return take(reader, (uint64_t)fixed_size(type)) != NULL;
    }
    if (type == 'S' || type == 'H') {
        return ubjson_read_text(reader, &text);
    }
    if (type == '{' || type == '[') {
        return skip_container(reader, type, depth);
    }
    return ubjson_refuse(reader, reader->offset == 0 ? 0 : reader->offset - 1, "this is no type of a value");
}

bool ubjson_enter(Ubjson *reader, uint8_t type, UbjsonObject *object)
{
    size_t start = reader->offset;
    if (type == 0) {
        type = take_byte(reader);
    }
    if (reader->status == UBJSON_OK && type != '{') {
        return ubjson_refuse(reader, start, "an object has to stand here");
    }
    return reader->status == UBJSON_OK && read_shape(reader, object);
}

bool ubjson_next(Ubjson *reader, UbjsonObject *object, UbjsonText *key)
{
    return has_next(reader, object, '}') && ubjson_read_text(reader, key);
}

uint8_t ubjson_value_type(Ubjson *reader, const UbjsonObject *object)
{
    if (object->type != 0) {
        return reader->status == UBJSON_OK ? object->type : 0;
    }
    size_t  start = reader->offset;
    uint8_t type = take_byte(reader);
    if (reader->status == UBJSON_OK && type == 0) {
        ubjson_refuse(reader, start, "this is no type of a value");
    }
    return type;
}

bool ubjson_value_text(Ubjson *reader, uint8_t type, UbjsonText *text)
{
    *text = (UbjsonText){ 0 };
    return type == 'S' ? ubjson_read_text(reader, text) : ubjson_value_skip(reader, type);
}

bool ubjson_value_skip(Ubjson *reader, uint8_t type)
{
    return skip_value(reader, type, 0);
}

bool ubjson_is(const UbjsonText *text, const char *word)
{
    return text->size == strlen(word) && memcmp(text->bytes, word, text->size) == 0;
}

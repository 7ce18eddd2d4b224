// textout.h: exact printing for people and machines. Nothing here depends on the locale.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/// A JSON string with its quotes. Bytes that are not UTF-8 become U+FFFD.
void textout_json(FILE *out, const char *text, size_t size);
/// ,"key":  (no comma when `is_first`); then the value is up to the caller.
void textout_key(FILE *out, bool is_first, const char *key);
void textout_json_member(FILE *out, bool is_first, const char *key, const char *text);
void textout_u64_member(FILE *out, bool is_first, const char *key, uint64_t value);
void textout_bool_member(FILE *out, bool is_first, const char *key, bool value);
void textout_hex_member(FILE *out, bool is_first, const char *key, const uint8_t *bytes, size_t size);
void textout_hex(FILE *out, const uint8_t *bytes, size_t size);
/// Bytes of the letter at the text's start, at least one byte being there; 0 when it is a control character, a control of writing direction, or not UTF-8.
size_t textout_letter(const char *text, size_t size);
/// Foreign text for a terminal: what textout_letter refuses comes out as \xNN.
void textout_safe(FILE *out, const char *text, size_t size);
/// Text inside XML, attributes included.
void textout_xml(FILE *out, const char *text);
/// Receives pieces of text into a FILE: a tp_text_sink.
void textout_sink(void *file, const char *text, size_t size);
/// The exact decimal of a Q16.16 number, rounded to nothing.
void textout_fx(FILE *out, int32_t raw);

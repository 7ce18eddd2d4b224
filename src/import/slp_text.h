// slp_text.h: names as UTF-8. A game keeps them in Shift-JIS, with letters and digits of double width; the envelope in UTF-8.
#pragma once

#include <stddef.h>
#include <stdint.h>

/// Up to the first zero or the end. Letters, digits and signs of double width come out plain, kana as such; what is not known here (kanji, for
/// one) and control characters as U+FFFD. Always terminated, cut at a whole character where `capacity` ends.
void slp_text_of_shift_jis(const uint8_t *bytes, size_t size, char *out, size_t capacity);
/// The same of UTF-8: what is not legal comes out as U+FFFD.
void slp_text_of_utf8(const uint8_t *bytes, size_t size, char *out, size_t capacity);

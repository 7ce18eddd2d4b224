// secretkey.h: the two files of a pair of keys: NAME.key, which signs and nobody else may read, and NAME.pub, which --trusted-key takes. Each is one
// line: 128 and 64 hexadecimal digits.
#pragma once

#include "tickproof/replay.h"

enum { SECRETKEY_HEX_SIZE = 2 * TP_SECRET_KEY_SIZE, SECRETKEY_PUBLIC_HEX_SIZE = 2 * TP_PUBLIC_KEY_SIZE };

/// The secret key in a file that nobody but its owner can read or write. False with what is wrong and what to do; `key` is then zero. Wipe it
/// after use.
bool secretkey_read(const char *path, uint8_t key[TP_SECRET_KEY_SIZE], tp_error *error);
/// The public key in a file: 32 bytes or 64 hexadecimal digits. False with what is wrong.
bool secretkey_read_public(const char *path, uint8_t key[TP_PUBLIC_KEY_SIZE], tp_error *error);
/// The join token in a file ('-': standard input), as text. False with what is wrong.
bool secretkey_read_token(const char *path, uint8_t *bytes, size_t *size, tp_error *error);
/// The line of either file, with its line feed and a terminator.
void secretkey_line(const uint8_t *bytes, size_t size, char *line);

// keyfile.h: a secret in a file of its own, so that it stands in no command line and no configuration.
#pragma once

#include "tickproof/verify.h"

enum {
    KEYFILE_KEY_MIN  = 8,   ///< bytes of a key
    KEYFILE_KEY_MAX  = 128,
    KEYFILE_KEY_SIZE = KEYFILE_KEY_MAX + 1,
};

/// The first line of a file that nobody but its owner can read or write. False with what is wrong and what to do.
bool keyfile_read(const char *path, char key[KEYFILE_KEY_SIZE], tp_error *error);

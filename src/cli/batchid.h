// batchid.h: what a batch was asked, as a hash: two reports are of one question only when it is the same. How it was worked on (how many
// processes, how long, in which format) is no part of it.
#pragma once

#include "batch.h"

enum { BATCHID_SIZE = 32 };

/// Version of the program, range, proof, trusted key, and the libraries' bytes. With `is_build` this program's own file, too.
/// False: said so (a library cannot be read).
bool batchid_make(const BatchOptions *options, bool is_build, uint8_t id[BATCHID_SIZE]);
/// The hash of a file's bytes. False: it cannot be read.
bool batchid_of_file(const char *path, uint8_t hash[BATCHID_SIZE]);

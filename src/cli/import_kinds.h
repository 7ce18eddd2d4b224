// import_kinds.h: what the two kinds of import share: each takes its own command line and does it all.
#pragma once

#include "import_log.h"

/// argv[0] is the kind. The exit code.
int import_slp(int argc, char **argv);
int import_jsonl(int argc, char **argv);

// place.h: the line of a world's source that declares a field. A field table is text that the compiler is done with when the program
// runs, so the line is looked for in the source: TP_SECTION names the table, TP_TABLE its macro, and the macro's rows the fields.
#pragma once

#include "finding.h"
#include "tickproof/layout.h"

/// Looks under `directory` (its .c, .h, .cc, .cpp, .hpp files; links are not followed, at most 20,000 files, each up to 4 MiB) for the row of `field` in the
/// section's table. False: not found, or more than one place could be it.
bool place_find(const char *directory, const char *section, const char *field, FindingPlace *place);

/// The same where several worlds lie under the directory: of sections of one name, those count that stand in a file with the world's name
/// as a string. `world` may be NULL. `field` may also be a whole place ("players[1].lane").
bool place_find_of_world(const char *directory, const char *world, const char *section, const char *field, FindingPlace *place);

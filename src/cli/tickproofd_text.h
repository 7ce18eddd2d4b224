// tickproofd_text.h: what the server says, as lines for people or JSON lines for machines.
#pragma once

#include <stdio.h>

#include "server.h"

/// One event. For people, only what they have to know: rooms that open and verify are silent until the table.
void tickproofd_print_event(FILE *out, const ServerEvent *event, bool is_json);
/// The results: a table with a line per room, or one JSON object on one line.
void tickproofd_print_results(FILE *out, const Server *server, bool is_json);

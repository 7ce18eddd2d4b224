// tickproofd_text.h: what the server says, as lines for people or JSON lines for machines. Whatever it says comes from files and from the
// network as well: on lines for people control characters are shown, not sent.
#pragma once

#include <stdio.h>

#include "serverconfig.h"

typedef struct TickproofdLog {
    FILE    *out;
    bool     is_json;
    uint32_t stop_ms; ///< how long rooms had to finish, for the event that tells they did not
} TickproofdLog;

/// One event, told at this time (Unix, milliseconds). For people, only what they have to know: rooms that open and verify
/// are silent until the table. A JSON line has "time" (RFC 3339, UTC) and "level": info, warning or error.
void tickproofd_print_event(const TickproofdLog *log, const ServerEvent *event, int64_t time_ms);
/// The log itself lost so many lines, all before the event of `elapsed_ns`.
void tickproofd_print_dropped(const TickproofdLog *log, uint64_t count, int64_t elapsed_ns, int64_t time_ms);
/// The results: a table per kind of room with a line per room, or one JSON object on one line.
void tickproofd_print_results(FILE *out, const Server *server, bool is_json);
/// One line: how many rooms of which kind would run, and where the server would listen.
void tickproofd_print_plan(FILE *out, const ServerConfig *config);

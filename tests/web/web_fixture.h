// web_fixture.h: a door on a port of its own, and plain sockets to talk to it.
#pragma once

#include <criterion/criterion.h>

#include "web.h"

enum { WEB_ANSWER_SIZE = 65536 };

extern Web  *door;
extern WebOptions door_options; ///< before door_open
extern char  door_host[64];     ///< "127.0.0.1:PORT"
extern char  door_answer[WEB_ANSWER_SIZE]; ///< for the functions below

void door_open(void);
void door_close(void);
/// A connected socket, blocking, with a bound on how long it waits.
int  door_connect(void);
void door_send(int socket, const char *format, ...) __attribute__((format(printf, 2, 3)));
/// Reads one answer: its head and as many bytes of body as its length says (none for HEAD and 1xx, 304). The status; 0: it closed without one.
unsigned door_read(int socket, char answer[WEB_ANSWER_SIZE], bool is_head);
/// One request on a connection of its own: "GET /x HTTP/1.1\r\nHost: %s..." as printf's, with the rest of the headers. The status.
unsigned door_ask(char answer[WEB_ANSWER_SIZE], const char *format, ...) __attribute__((format(printf, 2, 3)));
/// Waits until the counter has this value.
void door_expect(WebCount count, uint64_t value);
bool door_is_at_end(int socket);
/// Whether door_answer has this header's line.
bool door_has(const char *line);

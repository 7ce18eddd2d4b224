// web_fixture.c: see web_fixture.h.
#include "web_fixture.h"

#include <arpa/inet.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

Web       *door;
WebOptions door_options;
char       door_host[64];
char       door_answer[WEB_ANSWER_SIZE];

void door_open(void)
{
    tp_error error = { "" };
    door = web_create(&error);
    cr_assert_neq(door, NULL);
    cr_assert(web_listen(door, "127.0.0.1:0", &error), "%s", error.text);
    snprintf(door_host, sizeof(door_host), "127.0.0.1:%u", web_port(door, 0));
    cr_assert(web_start(door, &door_options, &error), "%s", error.text);
}

void door_close(void)
{
    web_destroy(door);
    door = NULL;
}

int door_connect(void)
{
    struct sockaddr_in address = { .sin_family = AF_INET, .sin_port = htons((uint16_t)web_port(door, 0)), .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
    struct timeval     most = { .tv_sec = 30 };
    int                made = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    cr_assert_geq(made, 0);
    cr_assert_eq(setsockopt(made, SOL_SOCKET, SO_RCVTIMEO, &most, sizeof(most)), 0);
    cr_assert_eq(connect(made, (struct sockaddr *)&address, sizeof(address)), 0);
    return made;
}

static void send_text(int socket, const char *format, va_list arguments)
{
    static char text[262144];
    int         size = vsnprintf(text, sizeof(text), format, arguments);
    cr_assert(size >= 0 && (size_t)size < sizeof(text));
    (void)!send(socket, text, (size_t)size, MSG_NOSIGNAL); // it may have closed, as it should
}

void door_send(int socket, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    send_text(socket, format, arguments);
    va_end(arguments);
}

static size_t body_size(const char *head)
{
    const char *at = strcasestr(head, "\r\nContent-Length:");
    return at != NULL ? strtoul(at + 17, NULL, 10) : 0;
}

unsigned door_read(int socket, char answer[WEB_ANSWER_SIZE], bool is_head)
{
    size_t      size = 0, whole = SIZE_MAX;
    const char *end = NULL;
    unsigned    status = 0;
    answer[0] = '\0';
    while (size < whole) {
        cr_assert_lt(size, WEB_ANSWER_SIZE - 1);
        // Not beyond its head: what follows a 101 is not HTTP.
        ssize_t count = recv(socket, answer + size, end == NULL ? 1 : whole - size, 0);
        cr_assert(count >= 0 || errno == ECONNRESET, "waited in vain for an answer");
        if (count <= 0) {
            return 0;
        }
        size += (size_t)count;
        answer[size] = '\0';
        if (end == NULL && (end = strstr(answer, "\r\n\r\n")) != NULL) {
            status = (unsigned)strtoul(answer + 9, NULL, 10);
            whole = (size_t)(end + 4 - answer) + (is_head || status == 304 || status / 100 == 1 ? 0 : body_size(answer));
        }
    }
    return status;
}

unsigned door_ask(char answer[WEB_ANSWER_SIZE], const char *format, ...)
{
    va_list arguments;
    int     socket = door_connect();
    va_start(arguments, format);
    send_text(socket, format, arguments);
    va_end(arguments);
    unsigned status = door_read(socket, answer, strncmp(format, "HEAD", 4) == 0);
    close(socket);
    return status;
}

void door_expect(WebCount count, uint64_t value)
{
    for (int i = 0; i < 30000 && web_count(door, count) < value; i++) {
        usleep(1000);
    }
    cr_assert_eq(web_count(door, count), value, "%s is %llu", web_count_name(count), (unsigned long long)web_count(door, count));
}

bool door_is_at_end(int socket)
{
    char    byte[4096];
    ssize_t count = 0;
    while ((count = recv(socket, byte, sizeof(byte), 0)) > 0) {
    }
    return count == 0 || errno == ECONNRESET;
}

bool door_has(const char *line)
{
    char wanted[1024];
    snprintf(wanted, sizeof(wanted), "\r\n%s\r\n", line);
    return strcasestr(door_answer, wanted) != NULL;
}

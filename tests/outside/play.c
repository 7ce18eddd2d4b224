// play.c: a client of a server: takes a slot of a room, plays ahead of what is confirmed, prints what is. usage: play HOST PORT ROOM TICKS
#include <netdb.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>

#include <tickproof/client.h>

const tp_world *tickproof_world(void);

typedef struct {
    int             fd, result; // result: -1 while it plays
    tp_client_room *room;       // once it is joined
    uint64_t        left;       // ticks to confirm
} Play;

static const tp_world *find(void *to, const char *name, uint32_t revision)
{
    (void)to, (void)name, (void)revision;
    return tickproof_world(); // a room of another world is refused by the library, with what differs
}

static void on_send(void *to, const uint8_t *bytes, size_t size) // over TCP: the size in two bytes, then the message
{
    Play   *play = to;
    uint8_t frame[2 + TP_CLIENT_MESSAGE_MAX] = { (uint8_t)size, (uint8_t)(size >> 8) };
    memcpy(frame + 2, bytes, size);
    if (send(play->fd, frame, 2 + size, MSG_NOSIGNAL) != (ssize_t)(2 + size)) {
        play->result = 1;
    }
}

static void on_event(void *to, const tp_client_event *event)
{
    Play *play = to;
    switch ((int)event->kind) {
    case TP_CLIENT_JOINED: play->room = event->room; break;
    case TP_CLIENT_CONFIRMED:
        printf("tick %llu: root %016llx\n", (unsigned long long)event->tick, (unsigned long long)event->root.hi);
        if (--play->left == 0) {
            tp_client_leave(event->room);
        }
        break;
    case TP_CLIENT_LEFT:
    case TP_CLIENT_REFUSED:
    case TP_CLIENT_DESYNC:
    case TP_CLIENT_BYE:
    case TP_CLIENT_MALFORMED:
        printf("%s at tick %llu: %s\n", tp_client_reason_name(event->reason), (unsigned long long)event->tick, event->text);
        play->result = event->kind == TP_CLIENT_LEFT && play->left == 0 ? 0 : 1;
    }
}

static int64_t advance(tp_client_room *room) // the time until the next one, in microseconds
{
    tp_session *session = tp_client_room_session(room);
    int8_t      push = tp_session_tick(session) / 60 % 2 == 0 ? 90 : -90; // the ferry's whole input
    tp_session_input(session, 0, &push, NULL);
    tp_client_advance(room, NULL, NULL);
    // The server says how early inputs come; two ticks before they are needed is right.
    return 1000000 / tp_sim_layout(tp_client_room_sim(room))->setup.tick_rate_hz * (int64_t)(1 + tp_session_advice(session, 2));
}

int main(int count, char **words)
{
    Play               play = { .left = count == 5 ? strtoull(words[4], NULL, 10) : 0, .result = -1 };
    tp_client_options  options = { .find_world = find, .send = on_send, .send_to = &play, .event = on_event, .event_to = &play };
    struct addrinfo    wanted = { .ai_socktype = SOCK_STREAM }, *address = NULL;
    tp_session_options session;
    tp_session_options_standard(&session);
    if (play.left == 0 || getaddrinfo(words[1], words[2], &wanted, &address) != 0 ||
        (play.fd = socket(address->ai_family, SOCK_STREAM, 0)) < 0 || connect(play.fd, address->ai_addr, address->ai_addrlen) != 0) {
        fprintf(stderr, "usage: play HOST PORT ROOM TICKS, where a server listens\n");
        return 2;
    }
    tp_client *client = tp_client_create(&options, NULL);
    tp_client_join_with(client, &(tp_client_join_options){ .name = words[3], .slots = 1, .session = &session }, NULL);
    for (int64_t next_us = 0; play.result < 0;) {
        struct timespec time;
        struct pollfd   ready = { .fd = play.fd, .events = POLLIN };
        uint8_t         head[2], message[65536];
        clock_gettime(CLOCK_MONOTONIC, &time);
        int64_t now_us = (int64_t)time.tv_sec * 1000000 + time.tv_nsec / 1000;
        next_us = play.room == NULL || next_us == 0 ? now_us + 10000 : next_us;
        if (next_us > now_us && poll(&ready, 1, (int)((next_us - now_us + 999) / 1000)) > 0) {
            bool   has_head = recv(play.fd, head, 2, MSG_WAITALL) == 2;
            size_t size = has_head ? head[0] | (size_t)head[1] << 8 : 0;
            bool   is_on = has_head && recv(play.fd, message, size, MSG_WAITALL) == (ssize_t)size && tp_client_receive(client, message, size);
            play.result = play.result < 0 && !is_on ? 1 : play.result;
        } else if (play.room != NULL) {
            next_us += advance(play.room);
            tp_client_pulse(client, (uint64_t)now_us / 1000);
        }
    }
    tp_client_destroy(client);
    return play.result;
}

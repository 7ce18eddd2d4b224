// bench_list.c: which thread of the server has which room, and where it takes datagrams: as any client would ask.
#include <stdlib.h>
#include <string.h>

#include "bench.h"

typedef struct {
    const BenchOptions *options;
    BenchRoom          *rooms;
    ClientHub           hub;
    ClientLink          link;
    uint32_t            found;
    bool                is_whole;
    char                text[BENCH_TEXT_SIZE];
} Lister;

static void take_room(Lister *lister, const tp_client_listed *listed)
{
    uint64_t number = listed->name[0] == 'b' ? strtoull(listed->name + 1, NULL, 10) : UINT64_MAX;
    if (number < lister->options->rooms) {
        BenchRoom *room = &lister->rooms[number];
        snprintf(room->name, sizeof(room->name), "b%u", (unsigned)number);
        room->lane = listed->lane;
        room->udp_port = listed->udp_port;
        lister->found += 1;
    }
}

static void on_event(void *to, ClientLink *link, const tp_client_event *event)
{
    Lister *lister = to;
    if (event->kind == TP_CLIENT_WELCOME) {
        tp_client_list(link->client);
    } else if (event->kind == TP_CLIENT_LISTED && event->listed != NULL) {
        take_room(lister, event->listed);
    } else if (event->kind == TP_CLIENT_LISTED) {
        lister->is_whole = true;
        client_link_close(link);
    }
}

static void on_ended(void *to, ClientLink *link)
{
    Lister *lister = to;
    snprintf(lister->text, sizeof(lister->text), "%s", link->text);
    client_hub_close(&lister->hub);
}

static bool run_list(Lister *lister, uv_loop_t *loop, const BenchServer *server, tp_error *error)
{
    struct sockaddr_in address;
    ClientLinkOptions  wanted = { .build = "tickproof bench " TP_VERSION, .find_world = bench_find_world, .find_to = (void *)lister->options,
                                  .welcome_ms = BENCH_WELCOME_MS, .event = on_event, .ended = on_ended, .to = lister };
    uv_ip4_addr("127.0.0.1", (int)server->started.port, &address);
    bool is_fine = client_hub_open(&lister->hub, loop) == 0;
    if (is_fine && !client_link_open(&lister->link, &lister->hub, (struct sockaddr *)&address, &wanted, error)) {
        client_hub_close(&lister->hub);
        is_fine = false;
    }
    uv_run(loop, UV_RUN_DEFAULT);
    return is_fine && ((lister->is_whole && lister->found == lister->options->rooms) || tp_error_set(error, "listing the rooms: %.400s", lister->text));
}

bool bench_list(const BenchOptions *options, const BenchServer *server, BenchRoom *rooms, tp_error *error)
{
    uv_loop_t loop;
    Lister   *lister = calloc(1, sizeof(*lister));
    tp_error_set(error, "out of memory");
    if (lister == NULL || uv_loop_init(&loop) != 0) {
        free(lister);
        return false;
    }
    lister->options = options;
    lister->rooms = rooms;
    bool is_fine = run_list(lister, &loop, server, error);
    uv_loop_close(&loop);
    free(lister);
    return is_fine;
}

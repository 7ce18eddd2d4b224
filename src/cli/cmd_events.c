// cmd_events.c: `tickproof events`: what happened, as lines of JSON.
#include <string.h>

#include "args.h"
#include "cli.h"
#include "resim.h"
#include "textout.h"

static const char help[] =
    "Usage: tickproof events [--from T] [--to T] [--world W]... FILE\n"
    "Runs the log again and prints every event as a line of JSON: {\"tick\":12,\"type\":\"coin\",\"fields\":{...}}.\n"
    "Every tick's checksum is compared on the way: from a tick that differs on, the events would be those of another run.\n"
    "FILE may be - for standard input.\n"
    "\n"
    "  --from T    first tick; the log's first when not given\n"
    "  --to T      last tick; the log's last when not given\n"
    "  --world W   a library with the log's world; may be repeated\n";

enum { FLAG_FROM = ARGS_LONG, FLAG_TO, FLAG_WORLD };

static const struct option flags[] = {
    { "from", required_argument, NULL, FLAG_FROM },
    { "to", required_argument, NULL, FLAG_TO },
    { "world", required_argument, NULL, FLAG_WORLD },
    { "help", no_argument, NULL, ARGS_HELP },
    { NULL, 0, NULL, 0 },
};

static void print_event(const tp_world *world, const tp_event *event)
{
    uint8_t               bytes[TP_EVENT_SIZE_MAX];
    const tp_record_type *type = &world->events[event->type];
    fputc('{', stdout);
    textout_u64_member(stdout, true, "tick", event->tick);
    textout_json_member(stdout, false, "type", type->name);
    if (type->field_count > 0) {
        tp_record_encode(type, event->data, bytes);
        textout_key(stdout, false, "fields");
        tp_record_json(type, bytes, textout_sink, stdout);
    }
    fputs("}\n", stdout);
}

static void print_tick(const Resim *resim)
{
    tp_view view = tp_sim_view(resim->sim);
    for (uint32_t i = 0; i < view.event_count; i++) {
        print_event(resim->world, &view.events[i]);
    }
    if (view.events_dropped > 0) {
        cli_fail(TP_VERIFIED, "%s: tick %llu: %u events found no room in the tick", resim->path, (unsigned long long)view.tick - 1, view.events_dropped);
    }
}

static int print_events(Resim *resim, uint64_t from, uint64_t to)
{
    tp_log_row row;
    resim->checks_roots = true;
    if (from > resim->ident->first_tick && !resim_go_to(resim, from)) {
        return resim->code;
    }
    for (;;) {
        ResimResult result = resim_next(resim, &row);
        if (result == RESIM_FAILED) {
            return resim->code;
        }
        if (result != RESIM_ROW || row.tick > to) {
            return TP_VERIFIED;
        }
        print_tick(resim);
    }
}

static int run(int argc, char **argv)
{
    static WorldSet worlds;
    Resim           resim;
    uint64_t        from = 0;
    uint64_t        to = UINT64_MAX;
    for (int flag = args_next("events", argc, argv, ":h", flags); flag != ARGS_END; flag = args_next("events", argc, argv, ":h", flags)) {
        bool is_fine = false;
        switch (flag) {
        case ARGS_HELP: fputs(help, stdout); return TP_VERIFIED;
        case FLAG_FROM: is_fine = args_u64("--from", optarg, 0, UINT64_MAX - 1, &from); break;
        case FLAG_TO: is_fine = args_u64("--to", optarg, 0, UINT64_MAX, &to); break;
        case FLAG_WORLD: is_fine = worlds_add(&worlds, optarg) != NULL; break;
        default: break;
        }
        if (!is_fine) {
            return TP_USAGE;
        }
    }
    if (optind + 1 != argc) {
        return cli_usage("events", "it takes one FILE");
    }
    if (from > to) {
        return cli_usage("events", "--from is above --to");
    }
    int code = resim_open(&resim, argv[optind]) && resim_make_sim(&resim, &worlds) ? print_events(&resim, from, to) : resim.code;
    resim_finish(&resim);
    return code;
}

const Command command_events = { "events", "print what happened as lines of JSON", help, run };

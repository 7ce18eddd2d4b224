// cmd_cues.c: `tickproof cues`: what a player would have heard and felt, from the world's own observer. A test or a person
// without ears can read whether the game sounds right.
#include <stdlib.h>
#include <string.h>

#include "args.h"
#include "cli.h"
#include "resim.h"
#include "textout.h"

static const char help[] =
    "Usage: tickproof cues [--from T] [--to T] [--format text|json] [--world W]... FILE\n"
    "Runs the log again with the world's observer beside it, and prints a line for everything a player would hear, feel or\n"
    "see burst: time, tick, and for a sound its volume and pitch, the pitch also in cents (100 to a semitone).\n"
    "FILE may be - for standard input.\n"
    "\n"
    "  --from T    first tick printed; the observer follows from the log's start in any case\n"
    "  --to T      last tick\n"
    "  --format F  text (usual) or json: one object per cue, one line each\n"
    "  --world W   a library with the log's world; may be repeated\n";

enum { FLAG_FROM = ARGS_LONG, FLAG_TO, FLAG_WORLD, FLAG_FORMAT };

static const struct option flags[] = {
    { "from", required_argument, NULL, FLAG_FROM },
    { "to", required_argument, NULL, FLAG_TO },
    { "world", required_argument, NULL, FLAG_WORLD },
    { "format", required_argument, NULL, FLAG_FORMAT },
    { "help", no_argument, NULL, ARGS_HELP },
    { NULL, 0, NULL, 0 },
};

typedef struct {
    uint64_t from, to;
    uint32_t rate;
    bool     is_json;
} CuePrinter;

// 1200 * log2(pitch), to the nearest cent, by squaring: each square gives one binary digit of the logarithm.
static int cents_of(tp_fx pitch)
{
    if (pitch.raw <= 0) {
        return 0;
    }
    int64_t  whole = 0;
    uint64_t value = (uint64_t)pitch.raw << 15; // 1.0 is 2^31
    for (; value >= UINT64_C(2) << 31; value >>= 1) {
        whole++;
    }
    for (; value < UINT64_C(1) << 31; value <<= 1) {
        whole--;
    }
    int64_t bits = 0;
    for (int i = 0; i < 20; i++) {
        value = value * value >> 31;
        bits = bits << 1 | (value >= UINT64_C(2) << 31);
        value = value >= UINT64_C(2) << 31 ? value >> 1 : value;
    }
    int64_t scaled = ((whole * (1 << 20)) + bits) * 1200;
    int64_t half = 1 << 19;
    return (int)(scaled >= 0 ? (scaled + half) / (1 << 20) : -((-scaled + half) / (1 << 20)));
}

static void print_time(const CuePrinter *printer, uint64_t tick)
{
    uint64_t seconds = tick / printer->rate;
    uint64_t ms = tick % printer->rate * 1000 / printer->rate;
    printf("%02llu:%02llu.%03llu", (unsigned long long)(seconds / 60), (unsigned long long)(seconds % 60), (unsigned long long)ms);
}

static void print_place(const tp_cue *cue)
{
    fputs(" at ", stdout);
    textout_fx(stdout, cue->x.raw);
    fputc(' ', stdout);
    textout_fx(stdout, cue->y.raw);
    if (cue->slot != TP_SOURCE_HOST) {
        printf(" slot %u", cue->slot);
    }
}

static void print_text(const CuePrinter *printer, const tp_cue *cue)
{
    static const char *const kinds[] = { "sound", "shake", "particles" };
    print_time(printer, cue->tick);
    printf("  tick %-8llu %-9s %-12s", (unsigned long long)cue->tick, kinds[cue->kind], cue->name == NULL ? "" : cue->name);
    switch (cue->kind) {
    case TP_CUE_SOUND:
        fputs(" volume ", stdout);
        textout_fx(stdout, cue->volume.raw);
        fputs(" pitch ", stdout);
        textout_fx(stdout, cue->pitch.raw);
        printf(" (%+d cents) voice %u", cents_of(cue->pitch), cue->voice);
        break;
    case TP_CUE_SHAKE:
        fputs(" strength ", stdout);
        textout_fx(stdout, cue->amount.raw);
        break;
    case TP_CUE_PARTICLES:
        printf(" count %u speed ", cue->count);
        textout_fx(stdout, cue->amount.raw);
        break;
    }
    print_place(cue);
    fputc('\n', stdout);
}

static void put_number(const char *key, tp_fx value)
{
    textout_key(stdout, false, key);
    textout_fx(stdout, value.raw);
}

static void print_json(const tp_cue *cue)
{
    static const char *const kinds[] = { "sound", "shake", "particles" };
    fputc('{', stdout);
    textout_u64_member(stdout, true, "tick", cue->tick);
    textout_json_member(stdout, false, "kind", kinds[cue->kind]);
    textout_json_member(stdout, false, "name", cue->name == NULL ? "" : cue->name);
    if (cue->slot != TP_SOURCE_HOST) {
        textout_u64_member(stdout, false, "slot", cue->slot);
    }
    switch (cue->kind) {
    case TP_CUE_SOUND:
        textout_u64_member(stdout, false, "voice", cue->voice);
        put_number("volume", cue->volume);
        put_number("pitch", cue->pitch);
        printf(",\"cents\":%d", cents_of(cue->pitch));
        break;
    case TP_CUE_SHAKE: put_number("strength", cue->amount); break;
    case TP_CUE_PARTICLES:
        textout_u64_member(stdout, false, "count", cue->count);
        put_number("speed", cue->amount);
        break;
    }
    put_number("x", cue->x);
    put_number("y", cue->y);
    fputs("}\n", stdout);
}

static void take_cue(void *to, const tp_cue *cue)
{
    const CuePrinter *printer = to;
    if (cue->tick < printer->from || cue->tick > printer->to || (unsigned)cue->kind > TP_CUE_PARTICLES) {
        return;
    }
    if (printer->is_json) {
        print_json(cue);
    } else {
        print_text(printer, cue);
    }
}

// What a guarded call to the observer needs.
typedef struct {
    const Resim *resim;
    CuePrinter  *printer;
    void        *memory;
} Listening;

static void start_observer(void *argument)
{
    const Listening *listening = argument;
    listening->resim->world->observer->init(listening->memory, &tp_sim_layout(listening->resim->sim)->setup);
}

static void show_tick(void *argument)
{
    const Listening *listening = argument;
    tp_view          view = tp_sim_view(listening->resim->sim);
    listening->resim->world->observer->tick(listening->memory, &view, take_cue, listening->printer);
}

// An observer is a world's code outside of a step: its faults would find no guard but this one.
static bool observe(void (*body)(void *argument), Listening *listening)
{
    tp_fault fault;
    if (tp_guard_run(body, listening, &fault)) {
        return true;
    }
    cli_fail(TP_INTERNAL, "%s: tick %llu: observing: %s: %s", listening->resim->path, (unsigned long long)tp_sim_tick(listening->resim->sim),
             tp_fault_name(fault.code), fault.what == NULL ? "" : fault.what);
    return false;
}

static int follow(Resim *resim, CuePrinter *printer, void *memory)
{
    Listening  listening = { resim, printer, memory };
    tp_log_row row;
    if (!observe(start_observer, &listening)) {
        return TP_INTERNAL;
    }
    for (;;) {
        ResimResult result = resim_next(resim, &row);
        if (result == RESIM_FAILED) {
            return resim->code;
        }
        if (result != RESIM_ROW || row.tick > printer->to) {
            return TP_VERIFIED;
        }
        if (!observe(show_tick, &listening)) {
            return TP_INTERNAL;
        }
    }
}

static int print_cues(Resim *resim, CuePrinter *printer)
{
    const tp_observer_type *observer = resim->world->observer;
    if (observer == NULL) {
        return cli_fail(TP_USAGE, "%s: world '%s' has no observer, so it makes no cues; 'tickproof events' shows what happened", resim->path,
                        resim->world->name);
    }
    size_t size = ((size_t)observer->size + 16) / 16 * 16;
    void  *memory = aligned_alloc(16, size);
    if (memory == NULL) {
        return cli_fail(TP_INTERNAL, "out of memory");
    }
    memset(memory, 0, size);
    resim->checks_roots = true;
    printer->rate = resim->ident->tick_rate_hz;
    int code = follow(resim, printer, memory);
    free(memory);
    return code;
}

static int run(int argc, char **argv)
{
    static WorldSet worlds;
    Resim           resim;
    CuePrinter      printer = { .to = UINT64_MAX };
    for (int flag = args_next("cues", argc, argv, ":h", flags); flag != ARGS_END; flag = args_next("cues", argc, argv, ":h", flags)) {
        bool is_fine = false;
        switch (flag) {
        case ARGS_HELP: fputs(help, stdout); return TP_VERIFIED;
        case FLAG_FROM: is_fine = args_u64("--from", optarg, 0, UINT64_MAX, &printer.from); break;
        case FLAG_TO: is_fine = args_u64("--to", optarg, 0, UINT64_MAX, &printer.to); break;
        case FLAG_FORMAT: is_fine = args_is_json(optarg, &printer.is_json); break;
        case FLAG_WORLD: is_fine = worlds_add(&worlds, optarg) != NULL; break;
        default: break;
        }
        if (!is_fine) {
            return TP_USAGE;
        }
    }
    if (optind + 1 != argc) {
        return cli_usage("cues", "it takes one FILE");
    }
    if (printer.from > printer.to) {
        return cli_usage("cues", "--from is above --to");
    }
    int code = resim_open(&resim, argv[optind]) && resim_make_sim(&resim, &worlds) ? print_cues(&resim, &printer) : resim.code;
    resim_finish(&resim);
    return code;
}

const Command command_cues = { "cues", "print what a player would hear and feel", help, run };

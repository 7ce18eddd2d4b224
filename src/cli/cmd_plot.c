// cmd_plot.c: `tickproof plot`: one log as a picture. The log is verified on the way, so that the picture can say where it stopped being
// the recorded run; what is drawn follows from the world's field tables.
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "args.h"
#include "cli.h"
#include "crash.h"
#include "files.h"
#include "plot_page.h"
#include "plot_pick.h"
#include "textout.h"
#include "worlds.h"

static const char help[] =
    "Usage: tickproof plot -o F.svg [FLAG]... FILE\n"
    "       tickproof plot --list [FLAG]... FILE\n"
    "Runs the log again and draws it over time as SVG: fields of the state, how busy inputs were, events, and where things were;\n"
    "a divergence, gaps and the end are marked. The log is verified on the way, and the exit code is what 'verify' would give;\n"
    "what can be drawn of a log that is not verified is drawn all the same. Every column of a line spans the lowest and the\n"
    "highest value of its ticks. FILE may be - for standard input.\n"
    "\n"
    "Which fields: those that changed, without bookkeeping (bits, padding, links of pools), best first: players' before others',\n"
    "points and the like, places, states, speeds, counts, timers, and what changed more often.\n"
    "\n"
    "  -o, --output F  the picture; - is standard output\n"
    "  --force         replace F when it is there\n"
    "  --list          print what could be drawn instead: unit, elements, range, changes\n"
    "  --fields LIST   draw these, with commas between: section[3].field, section.field or field; * is any; may be repeated\n"
    "  --panels N      at most so many panels of fields, 0 to 64; 8 when not given\n"
    "  --from T        first tick drawn\n"
    "  --to T          last tick drawn; of a part that is as recorded, the exit code is 0\n"
    "  --width N       pixels, 480 to 4000; 1200 when not given\n"
    "  --height N      pixels; as high as it gets when not given\n"
    "  --theme T       light (usual) or dark\n"
    "  --world W       a library with the log's world; may be repeated\n";

enum { FLAG_FORCE = ARGS_LONG, FLAG_LIST, FLAG_FIELDS, FLAG_PANELS, FLAG_FROM, FLAG_TO, FLAG_WIDTH, FLAG_HEIGHT, FLAG_THEME, FLAG_WORLD };

static const struct option flags[] = {
    { "output", required_argument, NULL, 'o' },
    { "force", no_argument, NULL, FLAG_FORCE },
    { "list", no_argument, NULL, FLAG_LIST },
    { "fields", required_argument, NULL, FLAG_FIELDS },
    { "panels", required_argument, NULL, FLAG_PANELS },
    { "from", required_argument, NULL, FLAG_FROM },
    { "to", required_argument, NULL, FLAG_TO },
    { "width", required_argument, NULL, FLAG_WIDTH },
    { "height", required_argument, NULL, FLAG_HEIGHT },
    { "theme", required_argument, NULL, FLAG_THEME },
    { "world", required_argument, NULL, FLAG_WORLD },
    { "help", no_argument, NULL, ARGS_HELP },
    { NULL, 0, NULL, 0 },
};

enum { PANELS_MAX = 64 };

typedef struct {
    const char *path, *output;
    bool        may_replace, is_list, is_dark;
    uint64_t    from, to;
    uint32_t    panels, width, height;
    PlotPattern patterns[PLOT_PATTERNS_MAX];
    uint32_t    pattern_count;
    WorldSet    worlds;

    LogFile      file;
    PlotScan     scan;
    PlotSample   sample;
    PlotTrack    tracks[PLOT_TRACKS_MAX];
    uint32_t     unsampled; // fields that found no room
    uint32_t     chosen[PLOT_TRACKS_MAX];
    uint32_t     chosen_count, left_out;
    tp_verifier *verifier;
    tp_report    report;
    char         described[512];
} Plot;

static bool take_theme(Plot *plot, const char *name)
{
    plot->is_dark = strcmp(name, "dark") == 0;
    if (plot->is_dark || strcmp(name, "light") == 0) {
        return true;
    }
    cli_fail(TP_USAGE, "--theme: '%s' is none; give light or dark", name);
    return false;
}

static bool take_fields(Plot *plot, const char *list)
{
    tp_error error;
    if (plot_pick_parse(list, plot->patterns, &plot->pattern_count, &error)) {
        return true;
    }
    cli_fail(TP_USAGE, "--fields: %s", error.text);
    return false;
}

static bool take_flag(Plot *plot, int flag)
{
    switch (flag) {
    case 'o': plot->output = optarg; return true;
    case FLAG_FORCE: return plot->may_replace = true;
    case FLAG_LIST: return plot->is_list = true;
    case FLAG_FIELDS: return take_fields(plot, optarg);
    case FLAG_PANELS: return args_u32("--panels", optarg, 0, PANELS_MAX, &plot->panels);
    case FLAG_FROM: return args_u64("--from", optarg, 0, UINT64_MAX - 1, &plot->from);
    case FLAG_TO: return args_u64("--to", optarg, 0, UINT64_MAX - 1, &plot->to);
    case FLAG_WIDTH: return args_u32("--width", optarg, PLOT_WIDTH_MIN, PLOT_WIDTH_MAX, &plot->width);
    case FLAG_HEIGHT: return args_u32("--height", optarg, 1, PLOT_HEIGHT_MAX, &plot->height);
    case FLAG_THEME: return take_theme(plot, optarg);
    case FLAG_WORLD: return worlds_add(&plot->worlds, optarg) != NULL;
    default: return false;
    }
}

static int fail_verdict(const Plot *plot, const tp_report *report)
{
    bool has_offset = report->verdict == TP_CORRUPT || report->verdict == TP_TRUNCATED || report->verdict == TP_UNAUTHENTIC;
    if (report->verdict == TP_INCOMPATIBLE) {
        return cli_fail(TP_INCOMPATIBLE, "%s: finding the world: %s", plot->path, report->message);
    }
    if (has_offset) {
        return cli_fail((int)report->verdict, "%s: offset %llu: %s: %s", plot->path, (unsigned long long)report->offset,
                        tp_verdict_name(report->verdict), report->message);
    }
    return cli_fail((int)report->verdict, "%s: %s: %s", plot->path, tp_verdict_name(report->verdict), report->message);
}

// What part of the log is drawn. False: none of it is there.
static bool find_window(const Plot *plot, uint64_t *first, uint64_t *end)
{
    *first = plot->from > plot->scan.first_tick ? plot->from : plot->scan.first_tick;
    *end = plot->to < plot->scan.next_tick ? plot->to + 1 : plot->scan.next_tick;
    if (*first <= *end) {
        return true;
    }
    cli_fail(TP_USAGE, "%s: going to tick %llu: the log has the states of ticks %llu to %llu", plot->path,
             (unsigned long long)(plot->from > *end ? plot->from : plot->to), (unsigned long long)plot->scan.first_tick,
             (unsigned long long)plot->scan.next_tick);
    return false;
}

static int start_sample(Plot *plot, const tp_layout *layout)
{
    PlotField fields[PLOT_TRACKS_MAX];
    PlotPair  pairs[PLOT_SPACES_MAX];
    uint64_t  first = 0;
    uint64_t  end = 0;
    uint32_t  count = 0;
    tp_error  error;
    if (!find_window(plot, &first, &end)) {
        return TP_USAGE;
    }
    if (!plot_pick_tracks(layout, plot->patterns, plot->pattern_count, plot->is_list, plot->tracks, &count, &plot->unsampled, &error)) {
        return cli_fail(TP_USAGE, "%s: --fields: %s", plot->path, error.text);
    }
    for (uint32_t i = 0; i < count; i++) {
        fields[i] = plot->tracks[i].field;
    }
    // Two columns to a pixel: the width of a column is a whole number of ticks, and may be nearly twice what it needs to be.
    uint32_t columns = plot->width * 2 < PLOT_COLUMNS_MAX ? plot->width * 2 : PLOT_COLUMNS_MAX;
    uint32_t pair_count = plot_table_pairs(layout, fields, count, pairs, PLOT_SPACES_MAX);
    if (plot_sample_init(&plot->sample, layout, first, end, columns, plot->tracks, count, pairs, pair_count)) {
        return TP_VERIFIED;
    }
    return cli_fail(TP_INTERNAL, "%s: out of memory", plot->path);
}

static void take_state(Plot *plot, const tp_sim *sim)
{
    if (tp_sim_tick(sim) >= plot->from) {
        tp_view view = tp_sim_view(sim);
        plot_sample_state(&plot->sample, &view);
    }
}

// The state before a row counts, too: the first one, and one that a keyframe gave after a gap.
static void follow(Plot *plot)
{
    tp_verifier *verifier = plot->verifier;
    tp_sim      *sim = tp_verifier_sim(verifier);
    if (tp_verifier_start(verifier)) {
        take_state(plot, sim);
    }
    while (tp_verifier_prepare(verifier) == TP_VERIFIER_ROW) {
        if (tp_sim_tick(sim) > 0) { // at 0 it may be one that the log has not given yet
            take_state(plot, sim);
        }
        if (tp_verifier_next(verifier) != TP_VERIFIER_ROW) {
            break;
        }
        const tp_log_row *row = tp_verifier_row(verifier);
        if (row != NULL && row->tick >= plot->from) {
            tp_view view = tp_sim_view(sim);
            plot_sample_row(&plot->sample, row, tp_sim_is_faulted(sim) ? NULL : &view);
            take_state(plot, sim);
        }
    }
    plot_sample_close(&plot->sample);
}

static void conclude(Plot *plot)
{
    tp_sim *sim = tp_verifier_sim(plot->verifier);
    tp_verifier_finish(plot->verifier, &plot->report);
    bool is_the_last = plot->sample.has_states && plot->sample.last_state == tp_sim_tick(sim);
    if (plot->report.verdict == TP_DIVERGED || !is_the_last || !tp_sim_describe(sim, plot->described, sizeof(plot->described))) {
        plot->described[0] = '\0';
    }
    plot->chosen_count = plot_pick_choose(&plot->sample, plot->pattern_count > 0 || plot->is_list, plot->panels, plot->chosen, &plot->left_out);
    plot->left_out += plot->unsampled;
}

static const char *remark(const Plot *plot, uint32_t number)
{
    const PlotTrack *track = &plot->sample.tracks[number];
    for (uint32_t i = 0; i < plot->chosen_count; i++) {
        if (plot->chosen[i] == number) {
            return "drawn";
        }
    }
    return track->changes == 0 ? "never changes" : !track->field.is_candidate ? "bookkeeping" : "left out";
}

static void list_track(const Plot *plot, uint32_t number)
{
    const PlotTrack *track = &plot->sample.tracks[number];
    char             low[PLOT_TEXT_SIZE], high[PLOT_TEXT_SIZE], range[2 * PLOT_TEXT_SIZE + 8];
    snprintf(range, sizeof(range), "nothing");
    if (track->field.kind == PLOT_STATES) {
        uint32_t seen = 0;
        for (uint32_t i = 0; i < track->field.state_count; i++) {
            seen += track->totals[i] > 0 ? 1 : 0;
        }
        snprintf(range, sizeof(range), "%u of %u states", seen, track->field.state_count);
    } else if (track->low <= track->high) {
        plot_axis_number(track->low, track->field.fraction_bits, low);
        plot_axis_number(track->high, track->field.fraction_bits, high);
        snprintf(range, sizeof(range), "%s to %s", low, high);
    }
    printf("%-32s %-12s %5u element%s  %-28s %8llu changes  %s\n", track->field.name, track->field.unit, track->field.elements,
           track->field.elements == 1 ? " " : "s", range, (unsigned long long)track->changes, remark(plot, number));
}

// All fields, with what the rule would make of them.
static void print_list(Plot *plot)
{
    for (uint32_t i = 0; i < plot->sample.track_count; i++) {
        plot->sample.tracks[i].is_chosen = false;
    }
    plot->chosen_count = plot_pick_choose(&plot->sample, plot->pattern_count > 0, plot->panels, plot->chosen, &plot->left_out);
    for (uint32_t i = 0; i < plot->sample.track_count; i++) {
        list_track(plot, i);
    }
    if (plot->sample.track_count == 0) {
        bool is_opaque = plot->sample.layout->world->opaque != NULL;
        printf("no fields: %s\n", is_opaque ? "the state is opaque, so only inputs and events can be drawn" : "the state has none");
    }
    if (plot->unsampled > 0) {
        printf("and %u more, which --fields can name\n", plot->unsampled);
    }
}

static bool write_all(int fd, const char *bytes, size_t size, tp_error *error)
{
    while (size > 0) {
        ssize_t done = write(fd, bytes, size);
        if (done < 0 && errno != EINTR) {
            return tp_error_set(error, "%s", strerror(errno));
        }
        bytes += done > 0 ? done : 0;
        size -= done > 0 ? (size_t)done : 0;
    }
    return true;
}

// A picture that did not fit is no mistake of who asked for it.
static int write_picture(const Plot *plot, const char *document, size_t size)
{
    NewFile  file = { .fd = -1 };
    tp_error error;
    if (!files_create(&file, plot->output, plot->may_replace, &error)) {
        return cli_fail(TP_USAGE, "%s: making the picture: %s", plot->output, error.text);
    }
    bool is_written = write_all(file.fd, document, size, &error);
    if (!is_written) {
        files_abandon(&file);
    } else {
        is_written = files_commit(&file, &error);
    }
    return is_written ? TP_VERIFIED : cli_fail(TP_INCOMPLETE, "%s: writing the picture: %s", plot->output, error.text);
}

static int draw(const Plot *plot)
{
    tp_error    error;
    size_t      size = 0;
    PlotPicture picture = { &plot->scan,    &plot->sample,   &plot->report, plot->chosen, plot->chosen_count, plot->left_out,
                            plot->described, plot->width,    plot->height,  plot->is_dark };
    char       *document = NULL;
    tp_verdict  verdict = plot_page_make(&picture, &document, &size, &error);
    if (verdict != TP_VERIFIED) {
        return cli_fail((int)verdict, "%s: drawing: %s", plot->path, error.text);
    }
    int code = write_picture(plot, document, size);
    free(document);
    return code;
}

// Whether what was asked for is less than the log, nothing of it is missing, and every tick of it was checked.
static bool is_checked_part(const Plot *plot)
{
    const PlotSample *sample = &plot->sample;
    bool is_part = sample->first > plot->scan.first_tick || sample->end < plot->scan.next_tick;
    bool is_read = plot->report.log_status == TP_LOG_OK || plot->report.log_status == TP_LOG_DONE;
    return is_part && is_read && plot->scan.gap_count == 0 && sample->end > sample->first && plot->report.checked == sample->end - sample->first;
}

// A part that was asked for and is as recorded is no worse than that.
static int code_of(const Plot *plot)
{
    if (plot->report.verdict == TP_VERIFIED || (plot->report.verdict == TP_INCOMPLETE && is_checked_part(plot))) {
        return TP_VERIFIED;
    }
    return fail_verdict(plot, &plot->report);
}

static int plot_verified(Plot *plot)
{
    tp_verifier_start(plot->verifier);
    if (tp_verifier_sim(plot->verifier) == NULL || !plot->scan.has_ident) {
        tp_verifier_finish(plot->verifier, &plot->report);
        return fail_verdict(plot, &plot->report);
    }
    int code = start_sample(plot, tp_sim_layout(tp_verifier_sim(plot->verifier)));
    if (code != TP_VERIFIED) {
        return code;
    }
    follow(plot);
    conclude(plot);
    if (plot->is_list) {
        print_list(plot);
    } else {
        code = draw(plot);
    }
    return code == TP_VERIFIED ? code_of(plot) : code;
}

static int plot_log(Plot *plot)
{
    tp_error          error;
    tp_verify_options options;
    if (!files_open_log(&plot->file, plot->path, &error)) {
        return cli_fail(TP_USAGE, "%s: opening the log: %s", plot->path, error.text);
    }
    tp_verify_options_standard(&options);
    options.find_world = worlds_search;
    options.find_to = &plot->worlds;
    options.from = plot->from;
    options.to = plot->to;
    crash_guard();
    plot->verifier = plot_scan_log(&plot->file.source, plot->from, plot->to, &plot->scan) ? tp_verifier_create(&plot->file.source, &options) : NULL;
    int code = plot->verifier == NULL ? cli_fail(TP_INTERNAL, "%s: out of memory", plot->path) : plot_verified(plot);
    plot_sample_finish(&plot->sample);
    tp_verifier_destroy(plot->verifier);
    files_close_log(&plot->file);
    return code;
}

static int run_with(Plot *plot, int argc, char **argv)
{
    *plot = (Plot){ .to = UINT64_MAX, .panels = 8, .width = 1200, .file.fd = -1 };
    for (int flag = args_next("plot", argc, argv, ":o:h", flags); flag != ARGS_END; flag = args_next("plot", argc, argv, ":o:h", flags)) {
        if (flag == ARGS_HELP) {
            fputs(help, stdout);
            return TP_VERIFIED;
        }
        if (!take_flag(plot, flag)) {
            return TP_USAGE;
        }
    }
    if (optind + 1 != argc) {
        return cli_usage("plot", "it takes one FILE");
    }
    if (plot->output == NULL && !plot->is_list) {
        return cli_usage("plot", "-o is missing: where the picture goes; - is standard output");
    }
    if (plot->from > plot->to) {
        return cli_usage("plot", "--from is above --to");
    }
    plot->path = argv[optind];
    return plot_log(plot);
}

static int run(int argc, char **argv)
{
    Plot *plot = calloc(1, sizeof(*plot));
    if (plot == NULL) {
        return cli_fail(TP_INTERNAL, "out of memory");
    }
    int code = run_with(plot, argc, argv);
    free(plot);
    return code;
}

const Command command_plot = { "plot", "draw a log over time as SVG", help, run };

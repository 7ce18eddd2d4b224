// plot_pick.c: names, and the rule.
//
// The rule: fields that never changed, and bookkeeping (bits, padding, links of pools), are not drawn. The others are ranked by whose they
// are (players, then single structs, then the rest), by unit (points and the like, places, ways by their speed, states, speeds, counts,
// timers) and by how often they changed; each field in a unit that its section already shows counts a little less.
#include "plot_pick.h"

#include <stdio.h>
#include <string.h>

// Reads "3]" or "*]".
static bool read_index(const char **at, int64_t *index)
{
    size_t digits = strspn(*at, "0123456789");
    if (**at == '*') {
        digits = 1;
    } else if (digits == 0 || digits > 9) {
        return false;
    } else {
        *index = 0;
        for (size_t i = 0; i < digits; i++) {
            *index = *index * 10 + ((*at)[i] - '0');
        }
    }
    *at += digits;
    if (**at != ']') {
        return false;
    }
    *at += 1;
    return true;
}

// Reads "name", "name[3]" or "name[*]" up to `end`.
static bool read_name(const char **at, const char *end, char *name, size_t size, int64_t *index)
{
    size_t length = strcspn(*at, "[.,");
    *index = -1;
    if (length == 0 || length >= size || *at + length > end) {
        return false;
    }
    memcpy(name, *at, length);
    name[length] = '\0';
    *at += length;
    if (**at != '[') {
        return true;
    }
    *at += 1;
    return read_index(at, index);
}

static bool read_pattern(const char *at, const char *end, PlotPattern *pattern)
{
    *pattern = (PlotPattern){ .element = -1, .value = -1 };
    if (!read_name(&at, end, pattern->field, sizeof(pattern->field), &pattern->value)) {
        return false;
    }
    if (at < end && *at == '.') {
        if (strlen(pattern->field) > TP_NAME_SIZE_MAX) {
            return false;
        }
        snprintf(pattern->section, sizeof(pattern->section), "%.*s", TP_NAME_SIZE_MAX, pattern->field);
        pattern->element = pattern->value;
        at++;
        if (!read_name(&at, end, pattern->field, sizeof(pattern->field), &pattern->value)) {
            return false;
        }
    }
    return at == end;
}

bool plot_pick_parse(const char *list, PlotPattern *patterns, uint32_t *count, tp_error *error)
{
    for (const char *at = list;; at++) {
        const char *end = at + strcspn(at, ",");
        if (*count == PLOT_PATTERNS_MAX) {
            return tp_error_set(error, "%d names are the most", PLOT_PATTERNS_MAX);
        }
        if (!read_pattern(at, end, &patterns[*count])) {
            return tp_error_set(error, "'%.*s' is no field; write section[3].field, section.field or field, with commas between",
                                end - at > 100 ? 100 : (int)(end - at), at);
        }
        *count += 1;
        at = end;
        if (*at == '\0') {
            return true;
        }
    }
}

static bool is_match(const char *pattern, const char *name)
{
    return pattern[0] == '\0' || strcmp(pattern, "*") == 0 || strcmp(pattern, name) == 0;
}

static bool matches(const PlotPattern *pattern, const PlotField *field, const tp_layout *layout, uint32_t index)
{
    const char *section = layout->world->sections[field->section].name;
    const char *name = field->name + strlen(section) + 1;
    // A * does not mean the speed of a way, too: the rule decides between the two, and a name can.
    bool is_fine = is_match(pattern->section, section) && is_match(pattern->field, name) && (!field->is_rate || strcmp(pattern->field, name) == 0);
    return is_fine && (pattern->element < 0 || pattern->element == index / field->field->count) &&
           (pattern->value < 0 || pattern->value == index % field->field->count);
}

static bool is_wanted(PlotPattern *patterns, uint32_t count, const PlotField *field, const tp_layout *layout, uint32_t index)
{
    bool is_wanted = false;
    for (uint32_t i = 0; i < count; i++) {
        if (matches(&patterns[i], field, layout, index)) {
            patterns[i].is_used = true;
            is_wanted = true;
        }
    }
    return is_wanted;
}

static void show_first(PlotTrack *track)
{
    track->shown_count = track->field.elements < PLOT_SHOWN_MAX ? track->field.elements : PLOT_SHOWN_MAX;
    track->has_rest = track->field.elements > PLOT_SHOWN_MAX;
    for (uint32_t i = 0; i < track->shown_count; i++) {
        track->shown[i] = i;
    }
}

static void show_wanted(PlotTrack *track, PlotPattern *patterns, uint32_t count, const tp_layout *layout)
{
    uint32_t wanted = 0;
    for (uint32_t index = 0; index < track->field.elements; index++) {
        if (is_wanted(patterns, count, &track->field, layout, index)) {
            if (wanted < PLOT_SHOWN_MAX) {
                track->shown[wanted] = index;
            }
            wanted++;
        }
    }
    track->shown_count = wanted < PLOT_SHOWN_MAX ? wanted : PLOT_SHOWN_MAX;
    track->has_rest = wanted == track->field.elements && wanted > PLOT_SHOWN_MAX;
}

static bool is_all_used(const PlotPattern *patterns, uint32_t count, tp_error *error)
{
    for (uint32_t i = 0; i < count; i++) {
        if (!patterns[i].is_used) {
            char element[32] = "", value[32] = "";
            if (patterns[i].element >= 0) {
                snprintf(element, sizeof(element), "[%d]", (int)patterns[i].element);
            }
            if (patterns[i].value >= 0) {
                snprintf(value, sizeof(value), "[%d]", (int)patterns[i].value);
            }
            return tp_error_set(error, "no field is '%s%s%s%s%s'; 'tickproof plot --list' shows them", patterns[i].section, element,
                                patterns[i].section[0] == '\0' ? "" : ".", patterns[i].field, value);
        }
    }
    return true;
}

bool plot_pick_tracks(const tp_layout *layout, PlotPattern *patterns, uint32_t pattern_count, bool takes_all, PlotTrack *tracks, uint32_t *count,
                      uint32_t *left_out, tp_error *error)
{
    static PlotField fields[4 * PLOT_TRACKS_MAX];
    const uint32_t   capacity = sizeof(fields) / sizeof(fields[0]);
    uint32_t         found = plot_table_fields(layout, fields, capacity);
    *count = 0;
    *left_out = found > capacity ? found - capacity : 0;
    for (uint32_t i = 0; i < found && i < capacity; i++) {
        PlotTrack track = { .field = fields[i] };
        if (pattern_count > 0) {
            show_wanted(&track, patterns, pattern_count, layout);
        } else if (takes_all || fields[i].is_candidate) {
            show_first(&track);
        }
        track.has_rest = track.has_rest && !track.field.is_rate;
        if (track.shown_count > 0 && *count < PLOT_TRACKS_MAX) {
            tracks[(*count)++] = track;
        } else if (track.shown_count > 0) {
            *left_out += 1;
        }
    }
    return is_all_used(patterns, pattern_count, error);
}

// Whether the track before it, of the same field, is a way: it moved nearly always, and nearly always forwards.
static bool is_of_a_way(const PlotSample *sample, uint32_t i)
{
    const PlotTrack *way = &sample->tracks[i > 0 ? i - 1 : 0];
    uint64_t         ticks = sample->has_states ? sample->last_state - sample->first : 0;
    return i > 0 && way->field.field == sample->tracks[i].field.field && way->changes > 1 && way->changes >= ticks / 2 &&
           way->changes - way->rises <= way->changes / 20;
}

static int score(const PlotSample *sample, uint32_t i)
{
    const PlotTrack *track = &sample->tracks[i];
    bool             is_flat = track->low >= track->high;
    if (!track->field.is_candidate || track->changes == 0 || is_flat || (track->field.is_rate && !is_of_a_way(sample, i))) {
        return -1;
    }
    // What changed but once or twice says little over time.
    bool is_rare = track->changes <= 2 * (uint64_t)track->shown_count;
    int  score = track->field.weight - (is_rare ? 25 : 0);
    for (uint64_t changes = track->changes; changes > 0 && score < track->field.weight + 20 && !is_rare; changes >>= 1) {
        score++;
    }
    bool has_rate = i + 1 < sample->track_count && sample->tracks[i + 1].field.is_rate && is_of_a_way(sample, i + 1);
    return has_rate ? score - 45 : score;
}

static int likeness(const PlotSample *sample, uint32_t i)
{
    int penalty = 0;
    for (uint32_t k = 0; k < sample->track_count; k++) {
        const PlotTrack *other = &sample->tracks[k];
        bool is_alike = other->field.section == sample->tracks[i].field.section && strcmp(other->field.unit, sample->tracks[i].field.unit) == 0;
        penalty += other->is_chosen && is_alike ? 12 : 0;
    }
    return penalty;
}

static uint32_t find_best(const PlotSample *sample)
{
    uint32_t best = UINT32_MAX;
    int      most = -1;
    for (uint32_t i = 0; i < sample->track_count; i++) {
        int worth = sample->tracks[i].is_chosen ? -1 : score(sample, i);
        worth = worth < 0 ? -1 : worth > likeness(sample, i) ? worth - likeness(sample, i) : 0;
        if (worth > most) {
            most = worth;
            best = i;
        }
    }
    return best;
}

// Players' panels come first, and of those what is won and lost; else they stand as the tables do.
static uint32_t list_chosen(const PlotSample *sample, uint32_t *chosen, uint32_t capacity)
{
    uint32_t count = 0;
    for (int pass = 0; pass < 6; pass++) {
        for (uint32_t i = 0; i < sample->track_count && count < capacity; i++) {
            const PlotField *field = &sample->tracks[i].field;
            if (sample->tracks[i].is_chosen && field->is_of_slots == (pass < 3) && field->stake == 2 - pass % 3) {
                chosen[count++] = i;
            }
        }
    }
    return count;
}

uint32_t plot_pick_choose(PlotSample *sample, bool by_name, uint32_t panels_max, uint32_t *chosen, uint32_t *left_out)
{
    uint32_t count = 0;
    *left_out = 0;
    for (uint32_t i = 0; i < sample->track_count && by_name; i++) {
        sample->tracks[i].is_chosen = true;
    }
    for (uint32_t best = by_name ? UINT32_MAX : find_best(sample); best != UINT32_MAX; best = find_best(sample)) {
        if (count == panels_max) {
            break;
        }
        sample->tracks[best].is_chosen = true;
        count++;
    }
    for (uint32_t i = 0; i < sample->track_count && !by_name; i++) {
        *left_out += !sample->tracks[i].is_chosen && score(sample, i) >= 0 ? 1 : 0;
    }
    return list_chosen(sample, chosen, by_name ? PLOT_TRACKS_MAX : panels_max);
}

// bundle_look.c: checking foreign states and holding two against each other.
#include "bundle_look.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "layout_internal.h"

static uint32_t pieces_of(size_t size)
{
    return (uint32_t)((size + TP_LEAF_SIZE - 1) / TP_LEAF_SIZE);
}

// Leaves of a flat state follow from its bytes alone, so they can be had of bytes that are no legal state, too: whether a broken client told
// the truth about its own root is known even then.
static bool read_flat_leaves(BundleLook *look, const tp_sim *sim)
{
    const tp_layout *layout = tp_sim_layout(sim);
    const uint8_t   *bytes = look->state;
    uint32_t         count = 0;
    for (uint32_t i = 0; i < layout->world->section_count; i++) {
        count += pieces_of(layout->section_canonical_size[i]);
    }
    look->leaves = calloc((size_t)count + 2, sizeof(uint64_t));
    if (look->leaves == NULL) {
        return false;
    }
    for (uint32_t i = 0; i < layout->world->section_count; i++) {
        for (size_t left = layout->section_canonical_size[i]; left > 0;) {
            size_t piece = left < TP_LEAF_SIZE ? left : TP_LEAF_SIZE;
            look->leaves[look->leaf_count++] = tp_hash64(tp_sim_rules(sim)->algorithm, bytes, piece);
            bytes += piece;
            left -= piece;
        }
    }
    return true;
}

// An opaque world may hash itself, so its leaves come from the instance.
static bool read_opaque_leaves(BundleLook *look, tp_sim *sim)
{
    uint32_t count = tp_sim_leaves(sim, NULL, 0);
    look->leaves = calloc((size_t)count + 2, sizeof(uint64_t));
    if (look->leaves == NULL) {
        return false;
    }
    look->leaf_count = tp_sim_leaves(sim, look->leaves, count + 2);
    return true;
}

static bool read_leaves(BundleLook *look, tp_sim *sim, uint64_t tick, uint64_t input_leaf, uint64_t event_leaf)
{
    bool is_opaque = tp_sim_layout(sim)->world->opaque != NULL;
    if (is_opaque ? !read_opaque_leaves(look, sim) : !read_flat_leaves(look, sim)) {
        return false;
    }
    look->leaves[look->leaf_count] = input_leaf;
    look->leaves[look->leaf_count + 1] = event_leaf;
    const tp_rules *rules = tp_sim_rules(sim);
    look->root = tp_root_combine(rules->algorithm, rules->id, tick, look->leaves, look->leaf_count, input_leaf, event_leaf);
    look->has_leaves = true;
    look->is_reported = tp_hash128_equal(look->root, look->claimed);
    return true;
}

// A state has one encoding. An opaque world may take bytes that it would never save.
static bool check_saved_again(BundleLook *look, tp_sim *sim)
{
    size_t   capacity = tp_sim_encoded_max(sim);
    size_t   size = 0;
    uint8_t *bytes = malloc(capacity + 1);
    if (bytes == NULL) {
        return false;
    }
    look->is_legal = tp_sim_encode(sim, bytes, capacity, &size) && size == look->size && memcmp(bytes, look->state, size) == 0;
    if (!look->is_legal) {
        snprintf(look->why, sizeof(look->why), "the world saves other bytes than these of the state that it makes of them");
    }
    free(bytes);
    return true;
}

static bool check_legal(BundleLook *look, tp_sim *sim, uint64_t tick, uint64_t input_leaf, uint64_t event_leaf)
{
    tp_error error;
    size_t   most = tp_sim_encoded_max(sim);
    if (look->size > most) {
        snprintf(look->why, sizeof(look->why), "it has %zu bytes, a state of this world at most %zu", look->size, most);
        return true;
    }
    if (!tp_sim_decode(sim, look->state, look->size, tick + 1, input_leaf, event_leaf, &error)) {
        snprintf(look->why, sizeof(look->why), "%s", error.text);
        return true;
    }
    return check_saved_again(look, sim);
}

bool bundle_look(BundleLook *look, tp_sim *sim, const uint8_t *state, size_t size, uint64_t tick, tp_hash128 claimed, uint64_t input_leaf,
                 uint64_t event_leaf)
{
    const tp_layout *layout = tp_sim_layout(sim);
    *look = (BundleLook){ .state = state, .size = size, .claimed = claimed };
    if (state == NULL) {
        return true;
    }
    if (!check_legal(look, sim, tick, input_leaf, event_leaf)) {
        return false;
    }
    bool can_be_read = layout->world->opaque == NULL ? size == layout->canonical_size : look->is_legal;
    return !can_be_read || read_leaves(look, sim, tick, input_leaf, event_leaf);
}

void bundle_look_finish(BundleLook *look)
{
    free(look->leaves);
    look->leaves = NULL;
}

typedef struct {
    uint64_t given, limit;
    size_t   next; // byte behind the last one given
    void   (*each)(void *to, const tp_difference *difference);
    void    *to;
} Giving;

static bool give_field(void *to, const tp_difference *difference)
{
    Giving *giving = to;
    giving->each(giving->to, difference);
    giving->given += 1;
    giving->next = difference->offset + layout_value_size(difference->field->type);
    return giving->given < giving->limit;
}

// Fields from byte `from` on that differ: counting needs no text, which for millions of fields is most of the time.
static uint64_t count_fields(const tp_layout *layout, const uint8_t *left, const uint8_t *right, size_t from)
{
    uint64_t count = 0;
    size_t   offset = 0;
    for (uint32_t s = 0; s < layout->world->section_count; s++) {
        const tp_section *section = &layout->world->sections[s];
        size_t            end = offset + layout->section_canonical_size[s];
        if (end <= from || memcmp(left + offset, right + offset, end - offset) == 0) {
            offset = end;
            continue;
        }
        while (offset < end) {
            for (uint32_t f = 0; f < section->field_count; f++) {
                size_t size = layout_value_size(section->fields[f].type);
                for (uint32_t k = 0; k < section->fields[f].count; k++, offset += size) {
                    count += offset >= from && memcmp(left + offset, right + offset, size) != 0 ? 1 : 0;
                }
            }
        }
    }
    return count;
}

static uint64_t field_differences(const tp_layout *layout, const uint8_t *left, const uint8_t *right, Giving *giving)
{
    if (giving->limit > 0) {
        tp_layout_differences(layout, left, right, give_field, giving);
    }
    return giving->given < giving->limit ? giving->given : giving->given + count_fields(layout, left, right, giving->next);
}

static void give_byte(Giving *giving, size_t at, uint8_t left, uint8_t right)
{
    tp_difference difference = { .offset = at };
    snprintf(difference.place, sizeof(difference.place), "byte %zu", at);
    snprintf(difference.left, sizeof(difference.left), "0x%02x", left);
    snprintf(difference.right, sizeof(difference.right), "0x%02x", right);
    giving->each(giving->to, &difference);
    giving->given += 1;
}

static uint64_t byte_differences(const BundleLook *server, const BundleLook *client, Giving *giving)
{
    size_t   shorter = server->size < client->size ? server->size : client->size;
    uint64_t count = 0;
    for (size_t at = 0; at < shorter; at++) {
        if (server->state[at] != client->state[at]) {
            count += 1;
            if (giving->given < giving->limit) {
                give_byte(giving, at, server->state[at], client->state[at]);
            }
        }
    }
    if (server->size != client->size) {
        count += 1;
        if (giving->given < giving->limit) {
            tp_difference difference = { .place = "size", .offset = shorter };
            snprintf(difference.left, sizeof(difference.left), "%zu bytes", server->size);
            snprintf(difference.right, sizeof(difference.right), "%zu bytes", client->size);
            giving->each(giving->to, &difference);
        }
    }
    return count;
}

uint64_t bundle_differences(const tp_layout *layout, const BundleLook *server, const BundleLook *client, uint64_t limit,
                            void (*each)(void *to, const tp_difference *difference), void *to)
{
    Giving giving = { .limit = limit, .each = each, .to = to };
    if (server->state == NULL || client->state == NULL) {
        return 0;
    }
    if (layout->world->opaque == NULL && server->size == layout->canonical_size && client->size == layout->canonical_size) {
        return field_differences(layout, server->state, client->state, &giving);
    }
    return byte_differences(server, client, &giving);
}

const char *bundle_section(const tp_layout *layout, const tp_difference *difference)
{
    return difference->field != NULL ? layout->world->sections[difference->section].name : "state";
}

static void keep(void *to, const tp_difference *difference)
{
    *(tp_difference *)to = *difference;
}

BundleFinding bundle_find(const tp_layout *layout, const BundleLook *server, const BundleLook *client)
{
    BundleFinding finding = {
        .has_states = server->state != NULL && client->state != NULL,
        .has_leaves = server->has_leaves && client->has_leaves,
    };
    if (finding.has_leaves) {
        const uint64_t *left = server->leaves + server->leaf_count;
        const uint64_t *right = client->leaves + client->leaf_count;
        finding.differs_in_inputs = left[0] != right[0];
        finding.differs_in_events = left[1] != right[1];
    }
    finding.count = bundle_differences(layout, server, client, 1, keep, &finding.first);
    return finding;
}

static void describe_leaves(const BundleFinding *finding, char *text, size_t size)
{
    const char *what = finding->differs_in_inputs && finding->differs_in_events ? "inputs and events"
                       : finding->differs_in_inputs                             ? "inputs"
                       : finding->differs_in_events                             ? "events"
                                                                                : NULL;
    if (!finding->has_leaves) {
        snprintf(text, size, "the states are equal");
    } else if (what == NULL) {
        snprintf(text, size, "the states, inputs and events are equal");
    } else {
        snprintf(text, size, "the states are equal, the %s of the tick differ", what);
    }
}

void bundle_describe(const tp_layout *layout, const BundleFinding *finding, const BundleLook *server, const BundleLook *client, char *text,
                     size_t size)
{
    const tp_difference *first = &finding->first;
    if (!finding->has_states) {
        snprintf(text, size, "the %s state is not there", server->state == NULL ? "server's" : "client's");
    } else if (finding->count == 0) {
        describe_leaves(finding, text, size);
    } else if (first->field != NULL) {
        snprintf(text, size, "%s is %s on the server and %s on the client, first of %llu differing fields, section '%s'", first->place, first->left,
                 first->right, (unsigned long long)finding->count, bundle_section(layout, first));
    } else {
        snprintf(text, size, "%s of the state is %s on the server and %s on the client, first of %llu differences", first->place, first->left,
                 first->right, (unsigned long long)finding->count);
    }
    size_t used = strlen(text);
    if (client->why[0] != '\0') {
        snprintf(text + used, size - used, "; the client's bytes are no state of this world: %.150s", client->why);
    } else if (client->has_leaves && !client->is_reported) {
        snprintf(text + used, size - used, "; the client's state is not the one it reported");
    } else if (server->has_leaves && !server->is_reported) {
        snprintf(text + used, size - used, "; the server's state is not the one of its root");
    }
}

void bundle_leaf_name(const tp_layout *layout, uint32_t leaf_count, uint32_t leaf, char *text, size_t size)
{
    if (leaf >= leaf_count) {
        snprintf(text, size, "%s", leaf == leaf_count ? "inputs" : "events");
        return;
    }
    if (layout->world->opaque != NULL) {
        snprintf(text, size, leaf_count > 1 ? "state %u" : "state", leaf);
        return;
    }
    uint32_t first = 0;
    for (uint32_t i = 0; i < layout->world->section_count; i++) {
        uint32_t count = pieces_of(layout->section_canonical_size[i]);
        if (leaf < first + count) {
            snprintf(text, size, count > 1 ? "%s %u" : "%s", layout->world->sections[i].name, leaf - first);
            return;
        }
        first += count;
    }
    snprintf(text, size, "no leaf");
}

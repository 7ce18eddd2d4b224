// makebundle.c: writes a bundle of the given kind to DIRECTORY/bundles: of a room of 150 ticks, whose log is written as far as tick 139.
#include <stdio.h>
#include <string.h>

#include "bundle_scene.h"
#include "runner.h"
#include "testworld.h"

static void swap_sides(BundleOptions *options)
{
    BundleSide server = options->server;
    options->server = options->client;
    options->client = server;
}

// The server's own fault: a coin out of nowhere at tick 60. Its log has it, its inputs have not.
static void give_coin(tp_sim *sim, uint64_t tick)
{
    const tp_layout *layout = tp_sim_layout(sim);
    for (uint32_t s = 0; tick == 60 && s < layout->world->section_count; s++) {
        const tp_section *section = &layout->world->sections[s];
        for (uint32_t f = 0; strcmp(section->name, "runners") == 0 && f < section->field_count; f++) {
            if (strcmp(section->fields[f].name, "coins") == 0) {
                ((uint8_t *)tp_sim_state(sim))[layout->section_offset[s] + section->element_size + section->fields[f].offset] += 1;
            }
        }
    }
}

// What the kind changes about a client that agrees. False: no such kind.
static bool change(BundleScene *scene, const char *kind)
{
    BundleOptions *options = &scene->options;
    bool           is_opaque = scene->world->opaque != NULL;
    if (strcmp(kind, "log") == 0) {
        bundle_scene_plant(scene, "runners", 1, "coins", 0, -1);
        return bundle_scene_claim(scene);
    }
    bundle_scene_plant(scene, "runners", 1, "coins", 0, 3);
    bundle_scene_plant(scene, "runners", is_opaque ? 2 : 0, "combo", 0, 1);
    if (!bundle_scene_claim(scene)) {
        return false;
    }
    if (strcmp(kind, "field") == 0 || strcmp(kind, "opaque") == 0 || strcmp(kind, "hole") == 0) {
        return true;
    }
    if (strcmp(kind, "server") == 0) {
        swap_sides(options);
    } else if (strcmp(kind, "nolog") == 0) {
        options->log_path = NULL;
    } else if (strcmp(kind, "lies") == 0) {
        options->client.root.lo ^= 1;
    } else if (strcmp(kind, "raw") == 0) {
        options->client.size -= 1;
    } else if (strcmp(kind, "missing") == 0) {
        options->client = (BundleSide){ .root = { 1, 2 }, .why = "it did not come in 10 s" };
        options->slot = TP_SOURCE_HOST;
    } else if (strcmp(kind, "events") == 0) {
        memcpy(scene->client_state, scene->server_state, options->client.size);
        options->client.event_leaf ^= 1;
        return bundle_scene_claim(scene);
    } else if (strcmp(kind, "neither") == 0) {
        // Both sides are wrong, in different places.
        memcpy(scene->server_state, scene->client_state, options->client.size);
        swap_sides(options);
        bundle_scene_plant(scene, "runners", 0, "coins", 0, 7);
        options->client.root.hi ^= 1;
    } else {
        return false;
    }
    return true;
}

int main(int argc, char **argv)
{
    static BundleScene scene;
    BundleResult       result;
    tp_error           error;
    if (argc != 3) {
        return 2;
    }
    bool is_opaque = strcmp(argv[2], "opaque") == 0;
    bool has_hole = strcmp(argv[2], "hole") == 0;
    bundle_scene_before = strcmp(argv[2], "log") == 0 ? give_coin : NULL;
    bundle_scene_open(&scene, is_opaque ? &testworld_opaque : &runner_world, 2, 7, 150, has_hole ? 50 : 140, argv[1]);
    bool is_good = change(&scene, argv[2]);
    if (!is_good || !bundle_write(&scene.options, &result, &error)) {
        fprintf(stderr, "%s: %s\n", argv[2], is_good ? error.text : "cannot be made");
        return 1;
    }
    puts(result.text);
    bundle_scene_close(&scene);
    return 0;
}

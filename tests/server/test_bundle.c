// What a desync leaves on the disk: right in section, field and values, whatever the client sent and whatever the disk does.
#include "bundle_look.h"
#include "bundle_scene.h"

#include <criterion/criterion.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "fighter.h"
#include "realm.h"
#include "rowjson.h"
#include "rulesline.h"
#include "runner.h"
#include "testworld.h"
#include "tickproof/rng.h"
#include "tickproof/verify.h"

static char directory[64];

static void make_directory(void)
{
    snprintf(directory, sizeof(directory), "/tmp/tickproof-bundle-XXXXXX");
    cr_assert_not_null(mkdtemp(directory));
}

static void remove_directory(void)
{
    char command[128];
    snprintf(command, sizeof(command), "rm -rf '%s'", directory);
    cr_assert_eq(system(command), 0);
}

TestSuite(bundle, .init = make_directory, .fini = remove_directory);

static char *read_text(const char *path, const char *name, size_t *size)
{
    char        place[SERVER_PATH_SIZE + 32];
    struct stat status;
    snprintf(place, sizeof(place), "%s/%s", path, name);
    int fd = open(place, O_RDONLY);
    cr_assert(fd >= 0 && fstat(fd, &status) == 0, "%s: %s", place, strerror(errno));
    char *text = malloc((size_t)status.st_size + 1);
    cr_assert_eq(read(fd, text, (size_t)status.st_size), status.st_size);
    text[status.st_size] = '\0';
    *size = (size_t)status.st_size;
    close(fd);
    return text;
}

static bool has_file(const char *path, const char *name)
{
    char place[SERVER_PATH_SIZE + 32];
    snprintf(place, sizeof(place), "%s/%s", path, name);
    return access(place, F_OK) == 0;
}

static bool contains(const char *path, const char *name, const char *wanted)
{
    size_t size = 0;
    char  *text = read_text(path, name, &size);
    bool   is_there = strstr(text, wanted) != NULL;
    if (!is_there) {
        fprintf(stderr, "%s/%s has no '%s' in it:\n%.2000s\n", path, name, wanted, text);
    }
    free(text);
    return is_there;
}

// Names in the directory of bundles; "" when there is none.
static int count_names(const char *path, const char *ending)
{
    int  count = 0;
    DIR *names = opendir(path);
    for (struct dirent *entry; names != NULL && (entry = readdir(names)) != NULL;) {
        size_t size = strlen(entry->d_name);
        count += size >= strlen(ending) && strcmp(entry->d_name + size - strlen(ending), ending) == 0 && entry->d_name[0] != '.';
    }
    if (names != NULL) {
        closedir(names);
    }
    return count;
}

static BundleResult write_good(BundleScene *scene)
{
    BundleResult result;
    tp_error     error = { "" };
    cr_assert(bundle_write(&scene->options, &result, &error), "%s", error.text);
    cr_assert_eq(count_names(scene->options.directory, ".part"), 0);
    return result;
}

typedef struct {
    const tp_world *world;
    uint32_t        players;
    const char     *section;
    uint32_t        element;
    const char     *field;
    int             by;
    const char     *place; // as the bundle must name it
} Planted;

static void check_planted(const Planted *planted)
{
    BundleScene scene;
    bundle_scene_open(&scene, planted->world, planted->players, 7, 150, 140, directory);
    bundle_scene_plant(&scene, planted->section, planted->element, planted->field, 0, planted->by);
    cr_assert(bundle_scene_claim(&scene), "%s: the planted state is not legal", planted->place);
    BundleResult result = write_good(&scene);
    cr_assert_str_eq(result.section, planted->section);
    cr_assert_str_eq(result.field, planted->place);
    cr_assert_eq(result.differing_fields, 1);
    cr_assert_str_neq(result.server_value, result.client_value);
    cr_assert_not_null(strstr(result.text, planted->place));
    char line[256];
    snprintf(line, sizeof(line), "\n%s: %s on the server, %s on the client\n# 1 ", planted->place, result.server_value, result.client_value);
    cr_assert(contains(result.path, "diff.txt", line));
    snprintf(line, sizeof(line), "\"field\":\"%s\",\"server\":\"%s\",\"client\":\"%s\",\"count\":1", planted->place, result.server_value,
             result.client_value);
    cr_assert(contains(result.path, "bundle.json", line));
    cr_assert(has_file(result.path, "server.state") && has_file(result.path, "client.state") && has_file(result.path, "log.tpr"));
    bundle_scene_close(&scene);
}

Test(bundle, one_field_of_every_world)
{
    const Planted planted[] = {
        { &testworld_flat, 2, "players", 1, "presses", 1, "players[1].presses" },
        { &testworld_flat, 2, "game", 0, "kicks", 5, "game.kicks" },
        { &testworld_opaque, 2, "state", 0, "", 1, "byte 0" },
        { &runner_world, 2, "runners", 1, "coins", 1, "runners[1].coins" },
        { &fighter_world, 2, "fighters", 1, "damage", 1, "fighters[1].damage" },
        { &realm_world, 4, "root", 0, "cancels", 1, "root.cancels" },
    };
    for (size_t i = 0; i < sizeof(planted) / sizeof(planted[0]); i++) {
        check_planted(&planted[i]);
    }
}

// Goal: leaves read off the bytes are the ones that the world's sim has, for a state of several pieces, too.
Test(bundle, leaves_are_the_sims)
{
    BundleScene scene;
    BundleLook  look;
    uint64_t    leaves[TP_ROOT_LEAVES_MAX];
    const tp_world *worlds[] = { &testworld_flat, &testworld_opaque, &realm_world };
    for (int i = 0; i < 3; i++) {
        bundle_scene_open(&scene, worlds[i], 4, 3, 90, 90, directory);
        const BundleSide *side = &scene.options.server;
        uint32_t          count = tp_sim_leaves(scene.sim, leaves, TP_ROOT_LEAVES_MAX);
        cr_assert(bundle_look(&look, scene.other, side->state, side->size, scene.options.tick, side->root, side->input_leaf, side->event_leaf));
        cr_assert(look.is_legal && look.has_leaves && look.is_reported);
        cr_assert_eq(look.leaf_count, count);
        cr_assert_arr_eq(look.leaves, leaves, (count + 2) * sizeof(uint64_t));
        for (uint32_t leaf = 0; leaf < count; leaf++) {
            char name[96];
            bundle_leaf_name(tp_sim_layout(scene.sim), count, leaf, name, sizeof(name));
            const char *section = tp_sim_leaf_name(scene.sim, leaf);
            cr_assert_eq(strncmp(name, section, strlen(section)), 0, "%s is not of %s", name, section);
        }
        bundle_look_finish(&look);
        bundle_scene_close(&scene);
    }
}

// Goal: a state file is a log by itself: it reads to its end, and its one KEY is the state with its root.
Test(bundle, state_files_are_logs)
{
    BundleScene scene;
    bundle_scene_open(&scene, &testworld_flat, 2, 7, 150, 140, directory);
    bundle_scene_plant(&scene, "players", 0, "presses", 0, 1);
    cr_assert(bundle_scene_claim(&scene));
    BundleResult  result = write_good(&scene);
    const char   *names[] = { "server.state", "client.state" };
    for (int i = 0; i < 2; i++) {
        const BundleSide *side = i == 0 ? &scene.options.server : &scene.options.client;
        size_t            size = 0;
        char             *bytes = read_text(result.path, names[i], &size);
        tp_memory_source  memory = { (const uint8_t *)bytes, size };
        tp_source         source = tp_source_of_memory(&memory);
        tp_reader        *reader = NULL;
        tp_log_record     record;
        tp_log_status     status;
        int               keys = 0;
        cr_assert_eq(tp_reader_open(&source, NULL, &reader), TP_LOG_OK);
        while ((status = tp_reader_next(reader, &record)) == TP_LOG_OK) {
            if (record.type == TP_LOG_KEY) {
                tp_log_key key = tp_log_parse_key(&record);
                keys += 1;
                cr_assert_eq(record.tick, 150);
                cr_assert(key.has_root && tp_hash128_equal(key.root, side->root));
                cr_assert(key.state_size == side->size && memcmp(key.state, side->state, side->size) == 0);
            }
        }
        cr_assert_eq(status, TP_LOG_DONE);
        cr_assert_eq(keys, 1);
        tp_reader_close(reader);
        free(bytes);
    }
    bundle_scene_close(&scene);
}

// Goal: inputs.jsonl is what `tickproof cat` prints, letter by letter.
static void check_inputs(const tp_world *world)
{
    BundleScene scene;
    bundle_scene_open(&scene, world, 3, 9, 120, 120, directory);
    scene.options.client.root.lo ^= 1;
    BundleResult      result = write_good(&scene);
    tp_ident         *ident = malloc(sizeof(*ident));
    tp_error          error;
    char             *wanted = NULL;
    size_t            wanted_size = 0;
    FILE             *out = open_memstream(&wanted, &wanted_size);
    tp_reader        *reader = NULL;
    tp_log_record     record;
    tp_log_row        row;
    int               fd = open(scene.log, O_RDONLY);
    tp_source         source = tp_source_of_fd(&fd);
    cr_assert(tp_ident_of_rules(scene.options.rules->bytes, scene.options.rules->size, ident, &error));
    rulesline_print(out, ident, scene.rows[0].tick, 16);
    cr_assert_eq(tp_reader_open(&source, NULL, &reader), TP_LOG_OK);
    while (tp_reader_next(reader, &record) == TP_LOG_OK) {
        tp_log_rows rows = tp_log_rows_of(ident, &record);
        while (record.type == TP_LOG_TICKS && tp_log_rows_next(&rows, &row)) {
            if (row.tick >= scene.rows[0].tick) {
                uint8_t root[16];
                tp_hash128_to_bytes(scene.rows[row.tick - scene.rows[0].tick].root, root);
                cr_assert_arr_eq(root, row.root, row.root_size);
                row.root = root; // the log keeps eight bytes of it
                row.root_size = 16;
                rowjson_print(out, ident, world, &row, NULL);
            }
        }
    }
    fclose(out);
    size_t size = 0;
    char  *text = read_text(result.path, "inputs.jsonl", &size);
    cr_assert_eq(size, wanted_size);
    cr_assert_str_eq(text, wanted);
    free(text);
    free(wanted);
    free(ident);
    tp_reader_close(reader);
    close(fd);
    bundle_scene_close(&scene);
}

Test(bundle, inputs_are_what_cat_prints)
{
    check_inputs(&testworld_flat);
    check_inputs(&testworld_opaque);
    check_inputs(&runner_world);
    check_inputs(&fighter_world);
    check_inputs(&realm_world);
}

static BundleResult write_bytes(BundleScene *scene, const uint8_t *bytes, size_t size)
{
    scene->options.client.state = bytes;
    scene->options.client.size = size;
    scene->options.client.root.lo ^= 1;
    return write_good(scene);
}

Test(bundle, forged_states)
{
    const tp_world *worlds[] = { &testworld_flat, &testworld_opaque, &runner_world };
    for (int i = 0; i < 3; i++) {
        BundleScene scene;
        bundle_scene_open(&scene, worlds[i], 2, 7, 100, 100, directory);
        size_t   size = scene.options.client.size;
        uint8_t *long_one = calloc(1, 3 * size + 64);
        // Cut, empty, too long by one, far too long.
        size_t sizes[] = { size - 1, 0, size + 1, 3 * size + 64 };
        memcpy(long_one, scene.client_state, size);
        for (int k = 0; k < 4; k++) {
            BundleResult result = write_bytes(&scene, long_one, sizes[k]);
            size_t       kept = 0;
            free(read_text(result.path, "client.raw", &kept));
            cr_assert_eq(kept, sizes[k]);
            cr_assert(!has_file(result.path, "client.state"));
            cr_assert_not_null(strstr(result.text, "no state of this world"), "%s", result.text);
            cr_assert(result.differing_fields > 0);
        }
        free(long_one);
        bundle_scene_close(&scene);
    }
}

// Goal: random bytes of the right size do no harm, are kept, and are compared by their fields all the same.
Test(bundle, random_states)
{
    uint64_t    seed = 11;
    BundleScene scene;
    bundle_scene_open(&scene, &runner_world, 2, 7, 100, 100, directory);
    for (int round = 0; round < 30; round++) {
        for (size_t i = 0; i < scene.options.client.size; i++) {
            scene.client_state[i] = (uint8_t)tp_splitmix64_next(&seed);
        }
        BundleResult result = write_bytes(&scene, scene.client_state, scene.options.client.size);
        cr_assert(has_file(result.path, "client.raw"));
        cr_assert(result.differing_fields > 50 && strcmp(result.section, "game") == 0);
    }
    bundle_scene_close(&scene);
}

// Goal: a legal state with a few bits changed, many times: what is said of it is held against its bytes.
static void check_mutated(BundleScene *scene, const BundleLook *server, uint64_t *seed)
{
    const tp_layout  *layout = tp_sim_layout(scene->sim);
    const BundleSide *side = &scene->options.server;
    BundleLook        client;
    char              text[400];
    memcpy(scene->client_state, scene->server_state, side->size);
    uint32_t bits = (uint32_t)(tp_splitmix64_next(seed) % 4);
    size_t   size = tp_splitmix64_next(seed) % 8 == 0 ? tp_splitmix64_next(seed) % side->size : side->size;
    for (uint32_t i = 0; i < bits; i++) {
        uint64_t at = tp_splitmix64_next(seed) % (side->size * 8);
        scene->client_state[at / 8] ^= (uint8_t)(1u << (at % 8));
    }
    cr_assert(bundle_look(&client, scene->other, scene->client_state, size, scene->options.tick, side->root, side->input_leaf, side->event_leaf));
    BundleFinding finding = bundle_find(layout, server, &client);
    bundle_describe(layout, &finding, server, &client, text, sizeof(text));
    bool is_same = size == side->size && memcmp(scene->client_state, scene->server_state, size) == 0;
    cr_assert_eq(finding.count == 0, is_same, "%s", text);
    cr_assert(!client.has_leaves || client.is_reported == is_same, "%s", text);
    cr_assert(client.is_legal || client.why[0] != '\0');
    cr_assert(!client.is_legal || client.has_leaves);
    if (!is_same && size == side->size) {
        size_t at = 0;
        while (scene->client_state[at] == scene->server_state[at]) {
            at++;
        }
        cr_assert(finding.first.offset <= at && at < finding.first.offset + 8, "%s is not at byte %zu", finding.first.place, at);
        cr_assert(finding.count <= bits);
    }
    bundle_look_finish(&client);
}

Test(bundle, mutated_states)
{
    const tp_world *worlds[] = { &testworld_flat, &testworld_opaque, &runner_world, &fighter_world };
    uint64_t        seed = 23;
    for (int i = 0; i < 4; i++) {
        BundleScene scene;
        BundleLook  server;
        bundle_scene_open(&scene, worlds[i], 2, 7, 100, 100, directory);
        const BundleSide *side = &scene.options.server;
        cr_assert(bundle_look(&server, scene.sim, side->state, side->size, scene.options.tick, side->root, side->input_leaf, side->event_leaf));
        for (int round = 0; round < 3000; round++) {
            check_mutated(&scene, &server, &seed);
        }
        bundle_look_finish(&server);
        bundle_scene_close(&scene);
    }
}

// Goal: several threads that write a bundle of one name each get their own.
static void *write_one(void *scene)
{
    BundleResult result;
    return bundle_write(&((BundleScene *)scene)->options, &result, NULL) ? scene : NULL;
}

Test(bundle, threads_get_their_own)
{
    BundleScene scene;
    bundle_scene_open(&scene, &testworld_flat, 2, 7, 100, 100, directory);
    scene.options.client.root.lo ^= 1;
    pthread_t threads[8];
    for (int i = 0; i < 8; i++) {
        cr_assert_eq(pthread_create(&threads[i], NULL, write_one, &scene), 0);
    }
    for (int i = 0; i < 8; i++) {
        void *written = NULL;
        pthread_join(threads[i], &written);
        cr_assert_not_null(written);
    }
    cr_assert_eq(count_names(scene.options.directory, ".desync"), 8);
    cr_assert_eq(count_names(scene.options.directory, ".part"), 0);
    bundle_scene_close(&scene);
}

// Goal: one value out of its range: no legal state, and yet the right field with its value; and its root is known to be the one it reported.
Test(bundle, out_of_range)
{
    BundleScene scene;
    bundle_scene_open(&scene, &testworld_flat, 2, 7, 100, 100, directory);
    bundle_scene_plant(&scene, "players", 1, "balance", 0, 2000);
    const BundleSide *server = &scene.options.server;
    BundleLook        look;
    cr_assert(bundle_look(&look, scene.other, scene.client_state, server->size, 99, server->root, server->input_leaf, server->event_leaf));
    cr_assert(!look.is_legal && look.has_leaves && !look.is_reported);
    scene.options.client.root = look.root;
    bundle_look_finish(&look);
    BundleResult result = write_good(&scene);
    cr_assert_str_eq(result.field, "players[1].balance");
    cr_assert_not_null(strstr(result.client_value, "2000"));
    cr_assert(contains(result.path, "bundle.json", "\"state\":\"client.raw\""));
    cr_assert(contains(result.path, "bundle.json", "\"is_legal\":false,\"is_reported\":true,\"why\":\""));
    bundle_scene_close(&scene);
}

// Goal: a client that sends another state than the one whose root it reported is told of.
Test(bundle, state_is_not_the_reported_one)
{
    BundleScene scene;
    bundle_scene_open(&scene, &testworld_flat, 2, 7, 100, 100, directory);
    bundle_scene_plant(&scene, "players", 1, "presses", 0, 1);
    scene.options.client.root.lo ^= 1;
    BundleResult result = write_good(&scene);
    cr_assert_str_eq(result.field, "players[1].presses");
    cr_assert_not_null(strstr(result.text, "not the one it reported"), "%s", result.text);
    bundle_scene_close(&scene);
}

Test(bundle, equal_states_and_other_leaves)
{
    BundleScene scene;
    bundle_scene_open(&scene, &testworld_flat, 2, 7, 100, 100, directory);
    scene.options.client.event_leaf ^= 1;
    cr_assert(bundle_scene_claim(&scene));
    BundleResult result = write_good(&scene);
    cr_assert_not_null(strstr(result.text, "the states are equal, the events of the tick differ"), "%s", result.text);
    cr_assert_eq(result.differing_fields, 0);
    cr_assert_str_eq(result.section, "");
    scene.options.client.input_leaf ^= 1;
    cr_assert(bundle_scene_claim(&scene));
    result = write_good(&scene);
    cr_assert_not_null(strstr(result.text, "inputs and events of the tick differ"), "%s", result.text);
    cr_assert(contains(result.path, "leaves.txt", "\n*"));
    bundle_scene_close(&scene);
}

Test(bundle, missing_states)
{
    BundleScene scene;
    bundle_scene_open(&scene, &testworld_flat, 2, 7, 100, 100, directory);
    scene.options.client = (BundleSide){ .root = { 1, 2 }, .why = "it did not come in 5 s" };
    scene.options.slot = TP_SOURCE_HOST;
    scene.options.log_path = NULL;
    BundleResult result = write_good(&scene);
    cr_assert_not_null(strstr(result.text, "the client's state is not there: it did not come in 5 s"), "%s", result.text);
    cr_assert_not_null(strstr(result.path, "/duel.tick99.watcher.desync"));
    cr_assert(has_file(result.path, "server.state") && !has_file(result.path, "client.state") && !has_file(result.path, "client.raw"));
    cr_assert(contains(result.path, "bundle.json", "\"slot\":null"));
    cr_assert(contains(result.path, "bundle.json", "\"no_log\":\"the room has none\""));
    scene.options.server.state = NULL;
    result = write_good(&scene);
    cr_assert(!has_file(result.path, "server.state"));
    scene.options.log_path = "/nowhere/at/all.tpr";
    result = write_good(&scene);
    cr_assert(contains(result.path, "bundle.json", "\"no_log\":\"No such file"));
    bundle_scene_close(&scene);
}

// Goal: what is foreign or odd in texts does not leave its quotes, its line or its directory.
Test(bundle, hostile_texts)
{
    BundleScene scene;
    bundle_scene_open(&scene, &testworld_flat, 2, 7, 100, 100, directory);
    bundle_scene_plant(&scene, "players", 1, "presses", 0, 1);
    cr_assert(bundle_scene_claim(&scene));
    scene.options.room = "../../a\"b\n";
    scene.options.client.build = "x\",\"tick\":5,\x1b[2J\xff\\";
    BundleResult result = write_good(&scene);
    cr_assert_not_null(strstr(result.path, "/bundles/_._.._a_b_.tick99.slot1.desync"), "%s", result.path);
    cr_assert_null(strpbrk(result.text, "\n\x1b"));
    cr_assert(contains(result.path, "bundle.json", "x\\\",\\\"tick\\\":5,\\ufffd[2J\\ufffd\\\\\""));
    bundle_scene_close(&scene);
}

Test(bundle, names_are_numbered)
{
    BundleScene scene;
    bundle_scene_open(&scene, &testworld_flat, 2, 7, 100, 100, directory);
    scene.options.client.root.lo ^= 1;
    char part[512];
    BundleResult first = write_good(&scene);
    cr_assert_not_null(strstr(first.path, "/duel.tick99.slot1.desync"));
    // What a killed server left half-made is neither taken for a bundle nor touched.
    snprintf(part, sizeof(part), "%s/duel.tick99.slot1.2.desync.part", scene.options.directory);
    cr_assert_eq(mkdir(part, 0755), 0);
    BundleResult second;
    cr_assert(bundle_write(&scene.options, &second, NULL));
    cr_assert_not_null(strstr(second.path, "/duel.tick99.slot1.3.desync"));
    cr_assert_eq(access(part, F_OK), 0);
    bundle_scene_close(&scene);
}

// Goal: of many differing fields as many lines as are allowed, then how many more there are.
Test(bundle, many_fields)
{
    BundleScene scene;
    bundle_scene_open(&scene, &realm_world, 4, 7, 60, 60, directory);
    for (size_t i = 0; i < scene.options.client.size; i++) {
        scene.client_state[i] = (uint8_t)~scene.client_state[i];
    }
    scene.options.client.root.lo ^= 1;
    BundleResult result = write_good(&scene);
    cr_assert(result.differing_fields > 20000, "%llu", (unsigned long long)result.differing_fields);
    size_t size = 0;
    char  *text = read_text(result.path, "diff.txt", &size);
    size_t lines = 0;
    for (size_t i = 0; i < size; i++) {
        lines += text[i] == '\n' ? 1 : 0;
    }
    char wanted[64];
    snprintf(wanted, sizeof(wanted), "\n# and %llu more fields\n", (unsigned long long)result.differing_fields - 10000);
    cr_assert_eq(lines, 10003);
    cr_assert_not_null(strstr(text, wanted));
    free(text);
    bundle_scene_close(&scene);
}

static const tp_world *find_flat(void *to, const char *name, uint32_t revision)
{
    (void)to;
    (void)revision;
    return strcmp(name, testworld_flat.name) == 0 ? &testworld_flat : NULL;
}

static uint64_t verify_copy(const char *path)
{
    char              place[SERVER_PATH_SIZE + 16];
    tp_verify_options options;
    tp_report         report;
    snprintf(place, sizeof(place), "%s/log.tpr", path);
    int       fd = open(place, O_RDONLY);
    tp_source source = tp_source_of_fd(&fd);
    tp_verify_options_standard(&options);
    options.find_world = find_flat;
    tp_verify_log(&source, &options, &report);
    close(fd);
    cr_assert(report.verdict == TP_TRUNCATED, "%s", report.message);
    struct stat status;
    cr_assert_eq(stat(place, &status), 0);
    cr_assert_eq(report.offset, (uint64_t)status.st_size, "it was cut inside a record");
    return report.checked;
}

// Goal: cut anywhere, the copy is whole records and verifies as far as it goes.
Test(bundle, every_length_of_the_log)
{
    BundleScene scene;
    bundle_scene_open(&scene, &testworld_flat, 2, 7, 100, 100, directory);
    scene.options.client.root.lo ^= 1;
    size_t   size = 0;
    char    *whole = read_text(directory, "room.tpr", &size);
    uint64_t most = 0;
    for (size_t length = size; length > 400; length -= length > 211 ? 211 : length) {
        cr_assert_eq(truncate(scene.log, (off_t)length), 0);
        BundleResult result = write_good(&scene);
        if (has_file(result.path, "log.tpr")) {
            uint64_t checked = verify_copy(result.path);
            most = checked > most ? checked : most;
        } else {
            cr_assert(contains(result.path, "bundle.json", "\"no_log\":\"offset "));
        }
    }
    cr_assert_eq(most, 100);
    free(whole);
    bundle_scene_close(&scene);
}

// Goal: the same while another process appends to it.
Test(bundle, log_grows_meanwhile)
{
    BundleScene scene;
    bundle_scene_open(&scene, &testworld_flat, 2, 7, 3000, 3000, directory);
    scene.options.client.root.lo ^= 1;
    char grown[300];
    snprintf(grown, sizeof(grown), "%s.grown", scene.log);
    // The writer of the room: appends the same log in pieces of any length.
    size_t    size = 0;
    char     *whole = read_text(directory, "room.tpr", &size);
    int       to = open(grown, O_WRONLY | O_CREAT | O_TRUNC, 0666);
    cr_assert_eq(write(to, whole, 2000), 2000);
    scene.options.log_path = grown;
    pid_t     child = fork();
    if (child == 0) {
        for (size_t done = 2000; done < size;) {
            size_t piece = size - done < 97 ? size - done : 97;
            if (write(to, whole + done, piece) != (ssize_t)piece) {
                _exit(1);
            }
            done += piece;
        }
        _exit(0);
    }
    uint64_t before = 0;
    for (int round = 0; round < 20; round++) {
        BundleResult result = write_good(&scene);
        uint64_t     checked = has_file(result.path, "log.tpr") ? verify_copy(result.path) : 0;
        cr_assert(checked >= before, "the copy became shorter");
        before = checked;
    }
    int status = 0;
    cr_assert(waitpid(child, &status, 0) == child && status == 0);
    free(whole);
    close(to);
    bundle_scene_close(&scene);
}

// Goal: a full disk, at whatever write: no directory is left, the reason names the file, and what differs is known.
Test(bundle, file_size_limit)
{
    BundleScene scene;
    bundle_scene_open(&scene, &testworld_flat, 2, 7, 2000, 2000, directory);
    bundle_scene_plant(&scene, "players", 1, "presses", 0, 1);
    cr_assert(bundle_scene_claim(&scene));
    signal(SIGXFSZ, SIG_IGN);
    for (rlim_t limit = 0; limit < 20000; limit += 500) {
        BundleResult  result;
        tp_error      error = { "" };
        struct rlimit old, tight;
        getrlimit(RLIMIT_FSIZE, &old);
        tight = (struct rlimit){ limit, old.rlim_max };
        setrlimit(RLIMIT_FSIZE, &tight);
        bool is_good = bundle_write(&scene.options, &result, &error);
        setrlimit(RLIMIT_FSIZE, &old);
        cr_assert(!is_good, "a file of 2,000 ticks fitted %llu bytes", (unsigned long long)limit);
        cr_assert_not_null(strstr(error.text, "File too large"), "%s", error.text);
        cr_assert_not_null(strstr(result.text, "players[1].presses"));
        cr_assert_eq(result.path[0], '\0');
        cr_assert_eq(count_names(scene.options.directory, ""), 0);
    }
    write_good(&scene);
    bundle_scene_close(&scene);
}

// bundle_parts.c: the states, what differs, leaves, and the log of a bundle.
#include "bundle_internal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool write_sink(void *self, const uint8_t *bytes, size_t size)
{
    BundleFile *file = self;
    bundle_file_put(file, bytes, size);
    errno = file->error;
    return !file->has_failed;
}

static tp_provenance item(const char *key, const char *value)
{
    return (tp_provenance){ .key = key, .key_size = strlen(key), .value = value, .value_size = strlen(value) };
}

// A log that holds nothing but the KEY of this state: it says by itself what world and rules the bytes are of, and every command that opens a
// log opens it. It claims to be the second of a series, since it starts behind tick 0, with a predecessor that is no log.
static bool write_key(Bundle *bundle, const char *name, const char *who, const char *build)
{
    char          plain_build[256], room[SERVER_ROOM_NAME_SIZE];
    BundleFile   *file = bundle_begin(bundle, name);
    tp_sink       sink = { .self = file, .write = write_sink };
    tp_error      error = { "" };
    bundle_plain(build != NULL ? build : "", plain_build, sizeof(plain_build));
    bundle_plain(bundle->options->room, room, sizeof(room));
    tp_provenance     items[] = { item("state", who), item("build", plain_build), item("room", room) };
    tp_writer_options options = { .run_ticks = 1, .root_size = 16, .no_index = true, .provenance = items, .provenance_count = 3, .sequence = 1 };
    crypto_generichash(options.predecessor, sizeof(options.predecessor), (const uint8_t *)BUNDLE_STATE_CHAIN, strlen(BUNDLE_STATE_CHAIN), NULL, 0);
    tp_writer *writer = tp_writer_create(&sink, bundle->sim, &options, false, &error);
    bool       is_good = writer != NULL && tp_writer_finish(writer, bundle->sim, TP_END_STOPPED);
    if (!is_good && !file->has_failed) {
        file->has_failed = true;
        file->error = ENOMEM;
    }
    tp_writer_destroy(writer);
    return bundle_end(bundle);
}

static bool write_raw(Bundle *bundle, const char *name, const BundleSide *side)
{
    bundle_file_put(bundle_begin(bundle, name), side->state, side->size < TP_STATE_SIZE_MAX ? side->size : TP_STATE_SIZE_MAX);
    return bundle_end(bundle);
}

static bool write_side(Bundle *bundle, bool is_client)
{
    const BundleSide *side = is_client ? &bundle->options->client : &bundle->options->server;
    const BundleLook *look = is_client ? &bundle->client : &bundle->server;
    const char      **name = is_client ? &bundle->client_file : &bundle->server_file;
    tp_error          error;
    if (look->state == NULL) {
        return true;
    }
    *name = is_client ? BUNDLE_CLIENT_RAW : BUNDLE_SERVER_RAW;
    if (!look->is_legal || !tp_sim_decode(bundle->sim, side->state, side->size, bundle->options->tick + 1, side->input_leaf, side->event_leaf, &error)) {
        return write_raw(bundle, *name, side);
    }
    *name = is_client ? BUNDLE_CLIENT_STATE : BUNDLE_SERVER_STATE;
    return write_key(bundle, *name, is_client ? "client" : "server", side->build);
}

bool bundle_write_states(Bundle *bundle)
{
    return write_side(bundle, true) && write_side(bundle, false);
}

static void print_difference(void *to, const tp_difference *difference)
{
    bundle_file_text(to, "%s: %s on the server, %s on the client\n", difference->place, difference->left, difference->right);
}

bool bundle_write_diff(Bundle *bundle)
{
    BundleFile *file = bundle_begin(bundle, BUNDLE_DIFF);
    bundle_file_text(file, "# State after the step of tick %llu: %s\n", (unsigned long long)bundle->options->tick, bundle->describe);
    bundle_differences(bundle->layout, &bundle->server, &bundle->client, BUNDLE_LINES_MAX, print_difference, file);
    const char *what = bundle->finding.first.field != NULL ? "fields" : "bytes";
    if (bundle->finding.count > BUNDLE_LINES_MAX) {
        bundle_file_text(file, "# and %llu more %s\n", (unsigned long long)(bundle->finding.count - BUNDLE_LINES_MAX), what);
    }
    if (bundle->finding.has_states) {
        bundle_file_text(file, "# %llu %s differ\n", (unsigned long long)bundle->finding.count, what);
    }
    return bundle_end(bundle);
}

static void print_leaf(BundleFile *file, const BundleLook *look, uint32_t leaf)
{
    if (look->has_leaves && leaf < look->leaf_count + 2) {
        bundle_file_text(file, " %016llx", (unsigned long long)look->leaves[leaf]);
    } else {
        bundle_file_text(file, " %-16s", "-");
    }
}

bool bundle_write_leaves(Bundle *bundle)
{
    const BundleLook *server = &bundle->server;
    const BundleLook *client = &bundle->client;
    const BundleLook *longer = client->leaf_count > server->leaf_count ? client : server;
    BundleFile       *file = bundle_begin(bundle, BUNDLE_LEAVES);
    char              name[96];
    bundle_file_text(file, "# Leaves of tick %llu's root, in hexadecimal numbers: server, client, name and piece. * marks those that differ.\n",
                     (unsigned long long)bundle->options->tick);
    for (uint32_t i = 0; longer->has_leaves && i < longer->leaf_count + 2; i++) {
        // Of states of different length the side leaves stand at different places: each is held against its own kind.
        uint32_t left = i < longer->leaf_count ? i : server->leaf_count + (i - longer->leaf_count);
        uint32_t right = i < longer->leaf_count ? i : client->leaf_count + (i - longer->leaf_count);
        bool     has_left = server->has_leaves && (i >= longer->leaf_count || i < server->leaf_count);
        bool     has_right = client->has_leaves && (i >= longer->leaf_count || i < client->leaf_count);
        bool     is_equal = has_left && has_right && server->leaves[left] == client->leaves[right];
        bundle_file_text(file, "%c", is_equal ? ' ' : '*');
        print_leaf(file, server, has_left ? left : UINT32_MAX - 2);
        print_leaf(file, client, has_right ? right : UINT32_MAX - 2);
        bundle_leaf_name(bundle->layout, longer->leaf_count, i, name, sizeof(name));
        bundle_file_text(file, " %s\n", name);
    }
    return bundle_end(bundle);
}

// The room goes on appending meanwhile; what was good a moment ago is not changed by that.
static bool copy_log(Bundle *bundle, int fd, uint64_t size)
{
    BundleFile *file = bundle_begin(bundle, BUNDLE_LOG);
    uint8_t     bytes[16384];
    for (uint64_t done = 0; done < size && !file->has_failed;) {
        size_t  wanted = size - done < sizeof(bytes) ? (size_t)(size - done) : sizeof(bytes);
        ssize_t got = pread(fd, bytes, wanted, (off_t)done);
        if (got < 0 && errno == EINTR) {
            continue;
        }
        if (got <= 0) {
            file->has_failed = true;
            file->error = got < 0 ? errno : EIO; // it became shorter under our hands
            break;
        }
        bundle_file_put(file, bytes, (size_t)got);
        done += (uint64_t)got;
    }
    return bundle_end(bundle);
}

static bool copy_good(Bundle *bundle, int fd)
{
    tp_recovery recovery;
    tp_error    error = { "" };
    tp_source   source = tp_source_of_fd(&fd);
    if (tp_log_recover(&source, &recovery, &error) != TP_LOG_OK) {
        snprintf(bundle->log_why, sizeof(bundle->log_why), "%.190s", error.text);
        return true;
    }
    bundle->has_log = true;
    bundle->log_next_tick = recovery.next_tick;
    bool is_good = copy_log(bundle, fd, recovery.good_size);
    tp_recovery_finish(&recovery);
    return is_good;
}

bool bundle_write_log(Bundle *bundle)
{
    const char *path = bundle->options->log_path;
    if (path == NULL) {
        snprintf(bundle->log_why, sizeof(bundle->log_why), "the room has none");
        return true;
    }
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) {
        snprintf(bundle->log_why, sizeof(bundle->log_why), "%s", strerror(errno));
        return true;
    }
    bool is_good = copy_good(bundle, fd);
    close(fd);
    return is_good;
}
